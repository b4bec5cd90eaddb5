"""A text too large for one request: cut where it hurts least, each piece within the limit, and nothing lost."""

import json
from html.parser import HTMLParser
from itertools import accumulate
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.engine.skip_rules import reason
from svc_nb.engine.split import cut, join, wire_size
from tests.growth import LINEAR, growth

FRAGMENTS = [
    *(
        "a",
        "Word",
        "of",
        "é",
        "e\u0301",
        "да",
        "漢字",
        "ไทย",
        "مرحبا",
        "क्षि",
        "👩‍🚀",
        "🇩🇪",
        "👍🏽",
        "3",
        "3.5",
        "1,000",
        "e.g.",
    ),
    *(
        " ",
        "  ",
        "\n",
        "\r\n",
        "\n\n",
        "\u00a0",
        "\u200b",
        "\u3000",
        "\u2029",
        "\u200e",
        "\u200d",
        "\ufeff",
        "\x00",
    ),
    *(
        ".",
        ". ",
        "! ",
        "?",
        "…",
        "。",
        "！",
        "？」",
        "؟ ",
        "। ",
        '" ',
        ") ",
        ", ",
        "，",
        "、",
        ";",
        ":",
        "-",
        '"',
        "\\",
        "</b>",
    ),
]
MARKUP = [
    *(
        "<p>",
        "</p>",
        "<b>",
        "</b>",
        "<br>",
        "<br/>",
        "<img src='a > b. c'>",
        "<a href=/x/>",
        "</a>",
        "<!-- a. b -->",
        "<!--",
    ),
    *(
        "<![CDATA[ a < b ]]>",
        "&amp;",
        "&",
        "<",
        "<3",
        ">",
        "<source>",
        "</source>",
        "<?x y?>",
        "<li>",
        "<ul>",
        "</ul>",
        "<x",
    ),
]
texts = st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join)
marked_up = st.lists(st.sampled_from(FRAGMENTS + MARKUP), max_size=60).map("".join)
limits = st.integers(1, 80)

SENTENCES = {
    "en": "This is a sentence of a long document, and it goes on for a while. Is it? It is!\n",
    "ru": "Это предложение длинного документа, и оно продолжается ещё немного. Правда? Да, правда!\n\n",
    "zh": "这是一份长文件中的一句话，它还会继续一会儿。是吗？是的！",
    "ar": "هذه جملة من وثيقة طويلة، وهي تستمر لبعض الوقت. هل هذا صحيح؟ نعم هذا صحيح! ",
    "hi": "यह एक लंबे दस्तावेज़ का वाक्य है, और यह कुछ देर चलता है। क्या सच में? हाँ! ",
}
SEEN_AS_ONE = [
    "a",
    "漢",
    "e\u0301\u0302",
    "👨‍👩‍👧‍👦",
    "🇩🇪",
    "🇫🇷",
    "👍🏽",
    "❤️",
    "1️⃣",
    "क्षि",
    "กำ",
    "\u1112\u1161\u11ab",
    "ｶﾞ",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
]


def pieces_of(text, most, **rest):
    return [piece.text for piece in cut(text, most, **rest)]


def on_the_wire(text):
    return len(json.dumps(text, ensure_ascii=False).encode())


@given(st.text())
def test_the_size_is_that_on_the_wire(text):
    assert wire_size(text) == on_the_wire(text)


def test_every_character_has_its_size_on_the_wire():
    characters = [*map(chr, range(0xD800)), *map(chr, range(0xE000, 0x10FFFF, 97))]
    assert [wire_size(each) for each in characters] == [on_the_wire(each) for each in characters]


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "é\ud83d"])
def test_half_of_a_surrogate_pair_has_no_size(text):
    with pytest.raises(UnicodeEncodeError):
        wire_size(text)
    with pytest.raises(UnicodeEncodeError):
        cut(f"{text} b", 100)


@given(st.one_of(st.text(), texts), limits)
def test_pieces_keep_the_limit_and_joined_they_are_the_text(text, most):
    pieces = cut(text, most)
    if pieces is not None:
        assert join(pieces, [piece.text for piece in pieces]) == text
        assert all(wire_size(piece.text) <= most or not piece.text for piece in pieces)


@given(marked_up, limits)
def test_pieces_of_a_text_with_tags_keep_the_limit_and_joined_they_are_the_text(text, most):
    pieces = cut(text, most, tags=True)
    if pieces is not None:
        assert join(pieces, [piece.text for piece in pieces]) == text
        assert all(wire_size(piece.text) <= most or not piece.text for piece in pieces)


@given(marked_up, limits, st.booleans())
def test_no_piece_is_blank_and_what_is_not_sent_is(text, most, tags):
    pieces = cut(text, most, tags=tags) or []
    for piece in pieces:
        assert reason(piece.before + piece.after, {"blank"})
        assert not reason(piece.text, {"blank"}) or len(pieces) == 1
        assert piece.text == piece.text.strip()


@pytest.mark.parametrize("text", ["", " \n ", "\u200b\u3000"])
def test_of_a_blank_text_one_piece_is_made_with_nothing_to_send(text):
    (piece,) = cut(text, 10)
    assert (piece.before, piece.text, piece.after) == (text, "", "")


def test_white_space_is_not_sent_and_comes_back():
    pieces = cut("\n  Good morning.  \n Good night. \n\n", 16)
    assert [piece.text for piece in pieces] == ["Good morning.", "Good night."]
    assert join(pieces, ["Guten Morgen.", "Gute Nacht."]) == "\n  Guten Morgen.  \n Gute Nacht. \n\n"


def test_long_white_space_at_a_cut_is_kept_whole():
    pieces = cut(f"Onetwothree{' ' * 50}four", 16)
    assert [(piece.text, len(piece.after)) for piece in pieces] == [("Onetwothree", 50), ("four", 0)]


def test_each_piece_wants_a_text():
    with pytest.raises(ValueError, match="shorter"):
        join(cut("One two three. Four five six.", 20), ["Eins"])


@given(st.sampled_from(sorted(SENTENCES)), st.integers(1, 60), st.integers(400, 3_000))
def test_where_borders_are_many_pieces_are_few_and_end_with_a_sentence(language, times, most):
    text = SENTENCES[language] * times
    pieces = pieces_of(text, most)
    assert len(pieces) <= 1.5 * ceil(wire_size(text) / most) + 1
    assert all(piece[-1] in ".?!。？！؟।" for piece in pieces)


@pytest.mark.parametrize(
    ("most", "text", "first"),
    [
        (
            25,
            "One two three four.\n\nFive.\nSix seven",
            "One two three four.",
        ),  # a blank line before a new line
        (
            30,
            "One two three four.\nFive. Six seven eight",
            "One two three four.",
        ),  # a new line before a sentence
        (30, "One two three four. Five six seven eight", "One two three four."),  # a sentence before a space
        (30, "One, two, three four five,six seven", "One, two, three four"),  # a space before a clause
        (
            30,
            "Onetwothreefourfive,sixseveneight",
            "Onetwothreefourfive,",
        ),  # a clause before the middle of a word
        (30, "One. Two three four five six seven", "One."),  # a sentence, even where the piece stays small
        (30, "One\ntwo. Three four five six seven", "One\ntwo."),  # the later one of two that leave it small
        (30, "One two,three-four-five-six-seven", "One two,"),
        (36, "He said “two three four.” Five six", "He said “two three four.”"),
        (30, "It costs 3.5 or 1,000,000,000,000", "It costs 3.5 or"),
        (36, "It is <b>three four.</b> Five six seven", "It is <b>three four.</b>"),
        (
            30,
            "We waited there. Mr. Smith came.",
            "We waited there.",
        ),  # a point after a short word ends no sentence
        (32, "这是第一句话。这是第二句", "这是第一句话。"),
        (32, "「这是第一句！」这是第二", "「这是第一句！」"),
        (32, "这是第一，这是第二句话呀", "这是第一，"),
        (40, "यह वाक्य है। यह भी", "यह वाक्य है।"),
        (36, "هل هذا صحيح؟ نعم صحيح", "هل هذا صحيح؟"),
        (32, "ภาษาไทย\u200bภาษาไทย", "ภาษาไทย"),
        (30, "One two three four\u2029Five. Six seven", "One two three four"),
        (30, "One two three four\r\n\r\nFive\r\nsix seven", "One two three four"),
    ],
)
def test_the_best_border_is_taken(most, text, first):
    assert pieces_of(text, most)[0] == first


@given(st.lists(st.sampled_from(SEEN_AS_ONE), min_size=1), st.integers(40, 90))
def test_what_people_see_as_one_character_is_not_cut(characters, most):
    borders = set(accumulate(map(len, characters)))
    assert set(accumulate(map(len, pieces_of("".join(characters), most)))) <= borders


def test_a_text_without_borders_fills_its_pieces():
    assert pieces_of("漢" * 25, 32) == ["漢" * 10, "漢" * 10, "漢" * 5]
    assert pieces_of("\x01" * 5, 16) == ["\x01\x01", "\x01\x01", "\x01"]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("漢字漢字漢字[[12345]]漢", "漢字漢字漢字"),
        ("漢字漢字漢字words12漢", "漢字漢字漢字"),
        ("漢字漢字漢字123.456漢", "漢字漢字漢字"),
        ("漢字漢字漢字слово漢", "漢字漢字漢字"),
        ("abcdefghijklmnopqrst[[12345]]ab", "abcdefghijklmnopqrst"),
        ("abcdefghijklm[[12345]]abcdefghij", "abcdefghijklm[[12345]]"),
        ("abcdefghijklmnopqrsXK12345Tab", "abcdefghijklmnopqrs"),
        ("abcdefghijklmXK12345TabcdefXK1T", "abcdefghijklmXK12345Tabc"),
        ("f(x)g(y)h(z)f(x)g(y)h(z)f(x)g(y)", "f(x)g(y)h(z)f(x)g(y)h(z)"),
        ("[abcdefghijklmnopqrstuvwxyz]", "[abcdefghijklmnopqrstuvw"),
    ],
)
def test_a_word_a_number_and_brackets_stay_whole_where_they_can(text, first):
    assert pieces_of(text, 26)[0] == first


@pytest.mark.parametrize(("text", "most"), [("e" + "\u0301" * 50, 40), ("漢字", 4), ("a b", 2), ("a", -1)])
def test_where_no_cut_keeps_the_limit_there_are_no_pieces(text, most):
    assert cut(text, most) is None


VOID = {"br", "img", "hr"}


class Balance(HTMLParser):
    """How many elements are open at the end, and whether one was closed that was not open."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.wrong = False

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        self.wrong = self.wrong or not self.open or self.open.pop() != tag


def balanced(text):
    parser = Balance()
    parser.feed(text)
    parser.close()
    return not parser.open and not parser.wrong


words = st.sampled_from(
    [
        "One two. ",
        "three",
        " four, ",
        "五。",
        "\n",
        "&amp; ",
        "<br>",
        "<img alt='a > b. c' />",
        "<!-- </p> x. -->",
    ]
)
elements = st.recursive(
    words,
    lambda inner: st.builds(
        lambda name, parts: f"<{name} title='x. y'>{''.join(parts)}</{name}>",
        st.sampled_from(["p", "b", "div", "x-y", "source"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=12,
)
documents = st.lists(elements, min_size=1, max_size=12)


@given(documents, st.integers(30, 200))
def test_no_element_is_cut(document, most):
    pieces = cut("".join(document), most, tags=True) or []
    assert all(balanced(piece.text) for piece in pieces)


@given(documents)
def test_a_document_is_cut_if_each_of_its_elements_fits(document):
    assert cut("".join(document), max(map(wire_size, document)), tags=True) is not None


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("<p>One. Two.</p><p>Three four.</p> five", ["<p>One. Two.</p>", "<p>Three four.</p> five"]),
        ("One two three<br>four five<br/>six seven", ["One two three<br>four five<br/>", "six seven"]),
        ("<b>One. Two.</b> <i>Three. Four.</i> Five.", ["<b>One. Two.</b>", "<i>Three. Four.</i> Five."]),
        (
            "<source>One. Two.</source><source>Three.</source>",
            ["<source>One. Two.</source>", "<source>Three.</source>"],
        ),
        ("<a href=/x/>One. Two three</a> four. Five", ["<a href=/x/>One. Two three</a>", "four. Five"]),
        ("<ul><li>One.<li>Two. x</ul>\nthree four five", ["<ul><li>One.<li>Two. x</ul>", "three four five"]),
        ("<!-- One. <p> Two. --> three four five six", ["<!-- One. <p> Two. --> three", "four five six"]),
        ("<![CDATA[ One. Two <b> ]]> three four five", ["<![CDATA[ One. Two <b> ]]>", "three four five"]),
        ("<script>if (a<b) c. d</script> two three", ["<script>if (a<b) c. d</script>", "two three"]),
        ("One <3 two. Three > four five. Six seven", ["One <3 two. Three > four five.", "Six seven"]),
        ("Onetwothreefourfivesixseve&eacute;nine", ["Onetwothreefourfivesixseve", "&eacute;nine"]),
        ("One two <p>three. four</p><p>five six", ["One two <p>three. four</p>", "<p>five six"]),
        ("<x/>One two. <y z='1'/>Three four five. Six", ["<x/>One two.", "<y z='1'/>Three four five. Six"]),
        (
            "<ul><li>One.<li>Two. x</ul>\nThree four five six. Seven eight nine ten. Eleven",
            ["<ul><li>One.<li>Two. x</ul>", "Three four five six.", "Seven eight nine ten. Eleven"],
        ),
        ("<B>One. Two. </b> <I>Three. Four. </i>", ["<B>One. Two. </b>", "<I>Three. Four. </i>"]),
        ("<b>One <i>two.</b> Three</i> four five. Six", ["<b>One <i>two.</b> Three</i>", "four five. Six"]),
    ],
)
def test_tags_are_respected(text, pieces):
    assert pieces_of(text, 33, tags=True) == pieces


@pytest.mark.parametrize(
    "text",
    [
        "<p>One two three. Four five six. Seven eight.</p>",
        "One. <p>Two three four. Five six seven. Eight",
        "<img alt='One two three. Four five six. Seven'>",
        "<!-- One two three. Four five six. Seven eight",
        "<!-- One > two. three. Four five six. Seven eight",
        "<b>One two three. <i>Four five six. </b>Seven</i>",
    ],
)
def test_where_a_tag_is_open_all_along_there_are_no_pieces(text):
    assert cut(text, 33, tags=True) is None


HOSTILE = [
    *(
        "a",
        "1",
        "[[1]]",
        "a1",
        " ",
        "a ",
        ".",
        "a.",
        ". ",
        "。",
        ",",
        "\n",
        " \n",
        "\u200b",
        "\u200d",
        "\u3164",
        "\u0301",
        "a\u200d",
        "🇩",
        "\x01",
    ),
    *(
        ".)",
        "</a",
        ".</a",
        "x.</a>",
        "<",
        "<a",
        "<a ",
        "<a=",
        '<a ="',
        "<a ='",
        "<!",
        "<!--",
        "<!--a>",
        "<![CDATA[",
        "<?",
        "<script>",
    ),
    *("<b>", "</b>", "<b></b>", "<b><i></b></i>", "<p>a. </p>", "<p>🇩</p>", "<br>", "&", "&amp;", "a\u00a0"),
]


@pytest.mark.long
@pytest.mark.parametrize("tags", [False, True])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_texts_cost_no_more_than_their_length(hostile, tags):
    small, large = (f"a{hostile * (size // len(hostile))}b" for size in (2_500, 10_000))
    work = lambda text: (cut(text, 300, tags=tags), cut(text, 2_000, tags=tags))  # noqa: E731
    assert growth(work, small, large) < LINEAR
