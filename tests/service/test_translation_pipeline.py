"""The whole way from text to text, around translators that do their worst."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.translation.pipeline import Rendering, translate
from svc_nb.service.translation.tags import Markup
from svc_nb.service.translation.terms import Terms, find
from svc_nb.service.translators import Pseudo
from tests.growth import LINEAR, growth

PRIVATE = re.compile("[\ue000-\uf8ff]")


class Recording:
    """An honest translator into capitals that remembers what it was sent."""

    def __init__(self):
        self.calls = []

    def translate(self, texts, source, target):
        self.calls.append(list(texts))
        return [text.upper() for text in texts]


class Echo:
    def translate(self, texts, source, target):
        return list(texts)


class Reversing:
    def translate(self, texts, source, target):
        return [" ".join(reversed(text.split(" "))) for text in texts]


class Losing:
    def translate(self, texts, source, target):
        return [PRIVATE.sub("", text) for text in texts]


class Doubling:
    def translate(self, texts, source, target):
        return [f"{text} {text}" for text in texts]


class Inventing:
    def translate(self, texts, source, target):
        return [f"\ue000\uf8ff {text} \ue001" for text in texts]


class Shuffling:
    def translate(self, texts, source, target):
        return [text[len(text) // 2 :] + text[: len(text) // 2] for text in texts]


class Silent:
    def translate(self, texts, source, target):
        return [""] * len(texts)


ADVERSARIES = [Echo(), Reversing(), Losing(), Doubling(), Inventing(), Shuffling(), Silent(), Pseudo()]
PLAIN = Rendering("en", "de")


def one(text, translator=None, **options):
    return translate([text], Rendering("en", "de", **options), translator or Recording())[0]


def test_sentences_are_sent_one_by_one_once_each_in_one_call():
    recording = Recording()
    texts = ["One. Two!", "Two!\n\nThree", "  One.  ", "One."]
    assert translate(texts, PLAIN, recording) == ["ONE. TWO!", "TWO!\n\nTHREE", "  ONE.  ", "ONE."]
    assert recording.calls == [["One.", "Two!", "Three"]]


def test_blank_texts_and_texts_without_letters_are_not_sent():
    recording = Recording()
    texts = ["", "  \n", "123 !?", "👍", "\ue123"]
    assert translate(texts, PLAIN, recording) == texts
    assert recording.calls == []


def test_sentences_that_differ_in_their_terms_alone_are_sent_once():
    recording = Recording()
    terms = (Terms({"red": "rot", "blue": "blau"}, "en", "de"),)
    results = translate(["I like red.", "I like blue."], Rendering("en", "de", terms=terms), recording)
    assert results == ["I LIKE rot.", "I LIKE blau."]
    assert recording.calls == [["I like \ue000."]]


@pytest.mark.parametrize(
    ("split", "sent"),
    [
        ("1", ["One.", "Two", "three."]),
        ("nonewlines", ["One.", "Two\nthree."]),
        ("0", ["One. Two\nthree."]),
    ],
)
def test_the_split_mode_is_obeyed(split, sent):
    recording = Recording()
    one("One. Two\nthree.", recording, split=split)
    assert recording.calls == [sent]


def test_a_term_is_never_cut_by_a_sentence_border():
    terms = (Terms({"Yahoo! Inc.": "Jahu", "Stop. Go.": "Halt"}, "en", "de"),)
    assert one("Yahoo! Inc. is here. We say Stop. Go. Fine.", terms=terms) == "Jahu IS HERE. WE SAY Halt FINE."


def test_the_capital_of_a_sentence_stays_at_its_front_when_words_move():
    terms = (Terms({"shoes": "zapatos", "Haus": "casa"}, "en", "es"),)
    assert one("Shoes are nice", Reversing(), terms=terms) == "nice are zapatos"
    assert one("We like shoes", Reversing(), terms=terms) == "Zapatos like We"
    assert one("Haus ist gut", Echo(), terms=terms) == "Casa ist gut"
    assert one("SHOES ARE NICE", Reversing(), terms=terms) == "NICE ARE ZAPATOS"
    assert one("shoes", Echo(), terms=terms) == "zapatos"


def test_style_rules_reach_the_translation_but_neither_terms_nor_tags():
    rules = {"punctuation": {"ellipsis": "use_ellipsis_character"}}
    terms = (Terms({"wait": "warte..."}, "en", "de"),)
    text = '<b title="...">wait</b> now... 5 ...'
    wanted = '<b title="...">warte...</b> NOW… 5 …'
    assert one(text, rules=rules, terms=terms, markup=Markup("html")) == wanted
    assert one("5...", rules=rules) == "5…"


def test_formatting_is_preserved_on_demand():
    class Correcting:
        def translate(self, texts, source, target):
            return [text.capitalize() + "." for text in texts]

    assert one("hello", Correcting()) == "Hello."
    assert translate(["hello"], Rendering("en", "es", preserve_formatting=True), Correcting()) == ["hello"]


def test_terms_and_tags_go_together():
    terms = (Terms({"data base": "Datenbank", "data": "Daten", "R&D": "F&E"}, "en", "de"),)
    markup = Markup("html")
    assert one("<p>Our data base</p>", terms=terms, markup=markup) == "<p>OUR Datenbank</p>"
    assert one("Our <i>data</i> base", terms=terms, markup=markup) == "OUR <i>Daten</i> BASE"
    assert one("Our <i>R&amp;D</i> team", terms=terms, markup=markup) == "OUR <i>F&amp;E</i> TEAM"


def test_a_target_without_spaces_gets_none_around_its_terms():
    class Chinese:
        def translate(self, texts, source, target):
            return [text.replace("I like", "我喜欢").replace("very much", "非常") for text in texts]

    terms = (Terms({"apples": "苹果"}, "en", "zh"),)
    assert translate(["I like apples very much"], Rendering("en", "zh-hans", terms=terms), Chinese()) == [
        "我喜欢苹果非常"
    ]


# --- laws -------------------------------------------------------------------------------------------------------------

WORDS = [
    *(
        "the",
        "Red",
        "red",
        "RED",
        "shoe",
        "shoes",
        "手机",
        "مرحبا",
        "👍",
        "\ue000",
        "\uf8ff",
        "e\u0301",
        "Dr.",
        "3.5",
    ),
    *(".", "!", "?", "。", ",", " ", " ", " ", "  ", "\n", "<b>", "</b>", "<br/>", "&amp;", "&", "<", "ไทย"),
]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=14).map("".join) | st.text(max_size=30), max_size=5)
ENTRIES = {
    "red": "rot",
    "shoe": "Schuh",
    "red shoe": "Rotschuh",
    "手机": "Handy",
    "é": "<e>",
    "3.5": "3,5",
    "👍": "gut",
}
GLOSSARY = Terms(ENTRIES, "en", "de")
renderings = st.builds(
    Rendering,
    st.just("en"),
    st.sampled_from(["de", "zh-hans", "tr", "ar"]),
    terms=st.sampled_from([(), (GLOSSARY,), (Terms({"red": "1"}, "en", "de"), GLOSSARY)]),
    markup=st.sampled_from([None, None, Markup("html"), Markup("xml"), Markup("xml", outline=False)]),
    split=st.sampled_from(["0", "1", "nonewlines"]),
    rules=st.sampled_from([{}, {"punctuation": {"ellipsis": "use_three_periods"}}]),
    preserve_formatting=st.booleans(),
)


@given(texts, renderings, st.sampled_from(ADVERSARIES))
def test_length_order_and_white_space_survive_and_no_placeholder_leaks(given_texts, rendering, translator):
    results = translate(given_texts, rendering, translator)
    assert len(results) == len(given_texts)
    for text, result in zip(given_texts, results, strict=True):
        assert sorted(PRIVATE.findall(result)) == sorted(PRIVATE.findall(text))
        if not isinstance(translator, Silent) and not text.strip():
            assert result == text
        assert translate([text], rendering, translator) == [result]


@given(texts, st.sampled_from(ADVERSARIES), st.sampled_from(["0", "1", "nonewlines"]))
def test_the_target_of_every_term_found_is_in_the_result(given_texts, translator, split):
    rendering = Rendering("en", "de", terms=(GLOSSARY,), split=split)
    for text, result in zip(given_texts, translate(given_texts, rendering, translator), strict=True):
        wanted = sorted((match.target for match in find(text, [GLOSSARY])), key=len, reverse=True)
        left = result.casefold()
        for target in wanted:
            assert target.casefold() in left
            left = left.replace(target.casefold(), "", 1)


@given(texts, st.sampled_from(ADVERSARIES), st.sampled_from(["0", "1", "nonewlines"]), st.booleans())
def test_the_short_way_for_plain_texts_gives_what_the_long_way_gives(given_texts, translator, split, formatting):
    short = Rendering("en", "de", split=split, preserve_formatting=formatting)
    long = Rendering("en", "de", split=split, preserve_formatting=formatting, terms=(Terms({}, "en", "de"),))
    assert translate(given_texts, short, translator) == translate(given_texts, long, translator)


@given(texts, st.sampled_from(["0", "1", "nonewlines"]))
def test_an_echo_returns_the_texts(given_texts, split):
    assert translate(given_texts, Rendering("en", "de", split=split), Echo()) == given_texts
    assert (
        translate(
            given_texts,
            Rendering("en", "de", split=split, terms=(Terms({"qqxzzy": "x"}, "en", "de"),)),
            Echo(),
        )
        == given_texts
    )


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"terms": (GLOSSARY,)}, {"markup": Markup("html")}])
def test_the_cost_grows_no_faster_than_the_text(options):
    texts = ["The red shoe is a shoe, says Dr. No. Is it? " * times for times in (575, 2_300)]
    assert growth(lambda text: one(text, Echo(), **options), *texts) < LINEAR
