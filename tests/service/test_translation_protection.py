"""Protected spans: whatever a translator does, each comes back exactly once, and tags stay nested."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.translation.protection import Kept, Role, Sentence, translate_protected

PRIVATE = re.compile("[\ue000-\uf8ff]")


def upper(texts):
    return [text.upper() for text in texts]


def reversing(texts):
    return [text[::-1] for text in texts]


def losing(texts):
    return [PRIVATE.sub("", text) for text in texts]


def doubling(texts):
    return [PRIVATE.sub(lambda mark: mark[0] * 2, text) for text in texts]


def inventing(texts):
    return [f"\ue000{text}\uf8ff" for text in texts]


def swapping(texts):
    return [text.translate({0xE000: 0xE001, 0xE001: 0xE000}) for text in texts]


def gluing(texts):
    return [text.replace(" ", "") for text in texts]


def parting(texts):
    return [PRIVATE.sub(lambda mark: f" {mark[0]} ", text) for text in texts]


def silent(texts):
    return ["" for _ in texts]


TRANSLATORS = [upper, reversing, losing, doubling, inventing, swapping, gluing, parting, silent]


def tagged(*parts):
    """Read "<1>", "</1>" and "{word}" as spans."""
    roles = {"<": Role.OPEN, "/": Role.CLOSE, "{": Role.WORD}
    pieces = []
    for part in parts:
        if part[:1] in ("<", "{"):
            role = roles["/" if part[:2] == "</" else part[0]]
            pair = int(part.strip("</>")) if part[0] == "<" else None
            pieces.append(Kept(part, role, pair))
        else:
            pieces.append(part)
    return Sentence(tuple(pieces))


plain = st.text(alphabet=st.sampled_from("aB é我ก \n\ue000\uf8ff.👍"), max_size=8)
spans = st.integers(0, 10**6).map(lambda number: Kept(f"[{number}]", Role.WORD)) | st.just(Kept("[p]"))
sentences = st.lists(plain | spans, max_size=8).map(lambda pieces: Sentence(tuple(pieces)))


@given(st.lists(sentences, max_size=5), st.sampled_from(TRANSLATORS), st.booleans())
def test_every_span_comes_back_exactly_once(given_sentences, translate, spaced):
    results = translate_protected(given_sentences, translate, spaced=spaced)
    assert len(results) == len(given_sentences)
    for sentence, result in zip(given_sentences, results, strict=True):
        kept = [piece.text for piece in sentence.pieces if isinstance(piece, Kept)]
        own = PRIVATE.findall("".join(piece for piece in sentence.pieces if isinstance(piece, str)))
        assert sorted(re.findall(r"\[[^]]*\]", result)) == sorted(kept)
        assert sorted(PRIVATE.findall(result)) == sorted(own)


@st.composite
def nested(draw):
    """A sentence with tags that nest, some of whose partners stand in another sentence."""
    pieces, open_tags, number = [], [], 0
    for step in draw(st.lists(st.sampled_from(["open", "close", "text", "stray"]), max_size=14)):
        if step == "open":
            number += 1
            open_tags.append(number)
            pieces.append(Kept(f"<{number}>", Role.OPEN, number))
        elif step == "close" and open_tags:
            pair = open_tags.pop()
            pieces.append(Kept(f"</{pair}>", Role.CLOSE, pair))
        elif step == "stray" and not open_tags:
            number += 1
            pieces.append(Kept(f"</{number}>", Role.CLOSE, number))
        else:
            pieces.append(draw(st.sampled_from(["one ", "two", " three"])))
    return Sentence(tuple(pieces))


def open_ends(result):
    ends = []
    for slash, pair in re.findall(r"<(/?)(\d+)>", result):
        if slash and ends and ends[-1] == ("", pair):
            ends.pop()
        else:
            ends.append((slash, pair))
    return ends


@given(nested(), st.sampled_from(TRANSLATORS))
def test_tags_nest_as_they_did(sentence, translate):
    source = "".join(piece if isinstance(piece, str) else piece.text for piece in sentence.pieces)
    (result,) = translate_protected([sentence], translate)
    assert open_ends(result) == open_ends(source)


def test_words_may_move_and_take_their_span_along():
    sentence = tagged("red ", "{shoes}", " please")
    assert translate_protected([sentence], lambda texts: ["\ue000 rouges svp"]) == ["{shoes} rouges svp"]


def test_a_pair_of_tags_may_move_as_a_whole_but_never_turn_round():
    sentence = tagged("a ", "<1>", "b", "</1>", " c")
    assert translate_protected([sentence], lambda texts: ["C \uf000B\uf400 A"]) == ["C <1>B</1> A"]
    assert translate_protected([sentence], swapping) == ["a <1>b</1> c"]


def test_the_pieces_around_a_lost_span_are_translated_one_by_one():
    calls = []

    def translate(texts):
        calls.append(list(texts))
        return [PRIVATE.sub("", text).upper() for text in texts]

    sentence = tagged("I like ", "{apple}", " pies, ", "{apple}", " and more.")
    assert translate_protected([sentence], translate) == ["I LIKE {apple} PIES, {apple} AND MORE."]
    assert calls == [["I like \ue000 pies, \ue001 and more."], ["I like", "pies,", "and more."]]


def test_everything_goes_in_one_call_and_equal_skeletons_once():
    calls = []

    def translate(texts):
        calls.append(list(texts))
        return list(texts)

    given_sentences = [tagged("see ", "{one}"), tagged("see ", "{two}"), tagged(" plain "), tagged("plain")]
    assert translate_protected(given_sentences, translate) == ["see {one}", "see {two}", " plain ", "plain"]
    assert calls == [["see \ue000", "plain"]]


def test_more_spans_than_placeholders_are_kept_too():
    pieces = tuple(piece for number in range(7000) for piece in ("x ", Kept(f"[{number}]", Role.WORD), " "))
    (result,) = translate_protected([Sentence(pieces)], upper)
    assert re.findall(r"\[(\d+)\]", result) == [str(number) for number in range(7000)]
    assert result.startswith("X [0] X [1] ")


@pytest.mark.parametrize(
    ("answer", "spaced", "wanted"),
    [
        ("Ich mag\ue000sehr", True, "Ich mag {Äpfel} sehr"),
        ("Ich mag \ue000 sehr", True, "Ich mag {Äpfel} sehr"),
        ("我喜欢 \ue000 很", False, "我喜欢{Äpfel}很"),
    ],
)
def test_a_word_stands_apart_where_the_target_writes_spaces(answer, spaced, wanted):
    sentence = tagged("I like ", "{Äpfel}", " much")
    assert translate_protected([sentence], lambda texts: [answer], spaced=spaced) == [wanted]


def test_words_from_a_language_without_spaces_are_parted():
    sentence = tagged("我喜欢", "{apple}", "手机")
    assert translate_protected([sentence], lambda texts: ["I like\ue000phones"]) == ["I like {apple} phones"]


def test_a_korean_particle_stays_with_its_word():
    sentence = tagged("I like ", "{사과}", " much")
    assert translate_protected([sentence], lambda texts: ["\ue000를 좋아해"]) == ["{사과}를 좋아해"]


def test_tags_cling_to_the_words_they_enclose():
    sentence = tagged("a ", "<1>", "b", "</1>", " c")
    assert translate_protected([sentence], lambda texts: ["a \uf000 b \uf400 c"]) == ["a <1>b</1> c"]
    assert translate_protected([sentence], lambda texts: ["a\uf000b\uf400c"]) == ["a <1>b</1> c"]


def test_words_are_never_glued_when_a_space_leaves_a_tag():
    sentence = tagged("a ", "<1>", "b", "</1>", ", c")
    assert translate_protected([sentence], lambda texts: ["x\uf000 b \uf400c"]) == ["x <1>b</1> c"]


def test_a_word_at_the_front_takes_its_initial_form():
    sentence = Sentence(("We sell ", Kept("shoes", Role.WORD, initial="Shoes")))
    assert translate_protected([sentence], lambda texts: ["“\ue000 we sell”"]) == ["“Shoes we sell”"]
    assert translate_protected([sentence], lambda texts: ["we sell \ue000"]) == ["we sell shoes"]


def test_text_is_encoded_and_spans_are_not():
    sentence = Sentence(("a & b ", Kept("<br/>")), lambda text: text.replace("&", "&amp;"))
    assert translate_protected([sentence], upper) == ["A &amp; B <br/>"]


def test_a_wrong_number_of_answers_is_an_error():
    with pytest.raises(ValueError, match="argument"):
        translate_protected([tagged("one"), tagged("two")], lambda texts: ["one answer"])


def test_a_space_inside_a_tag_is_not_doubled_behind_it():
    parted = lambda texts: [PRIVATE.sub(lambda mark: f"{mark[0]} ", text) for text in texts]  # noqa: E731
    link = tagged("a ", "<1>", "link ", "</1>", "here")
    assert translate_protected([link], parted) == ["a <1>link </1>here"]
    both = tagged("a", "<1>", " link ", "</1>", " here")
    assert translate_protected([both], lambda texts: list(texts)) == ["a<1> link </1> here"]
