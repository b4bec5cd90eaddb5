"""Glossary terms: found as whole words, the longest first, and written in the text's case."""

import random
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.service.translation.terms import Terms, find
from tests.growth import LINEAR, growth


def found(text, entries, source="en", target="de", barriers=()):
    return [(text[hit.start : hit.end], hit.written) for hit in find(text, [Terms(entries, source, target)], barriers)]


@pytest.mark.parametrize(
    ("text", "entries", "wanted"),
    [
        ("cats and a cat, concat", {"cat": "Katze"}, "cat"),
        ("New York City and New York", {"new york": "A", "new york city": "B"}, "New York City|New York"),
        ("New  \n York", {"New York": "A"}, "New  \n York"),
        ("New\n\nYork", {"New York": "A"}, ""),
        ("I use C++, .NET and A&B.", {"C++": "1", ".NET": "2", "A&B": "3"}, "C++|.NET|A&B"),
        ("x.NETx dot.net A & B", {".NET": "2", "A&B": "3"}, ""),
        ("an e-mail, a mail", {"e-mail": "E-Mail", "mail": "Post"}, "e-mail|mail"),
        ("John's l'acqua d’eau", {"John": "J", "acqua": "A", "eau": "E"}, "John|acqua|eau"),
        ("我的手机号和手机", {"手机": "phone"}, "手机|手机"),
        ("使用API接口 APIs", {"API": "Schnittstelle"}, "API"),
        ("사과를 먹다", {"사과": "apple"}, "사과"),
        ("りんごジュース", {"りんご": "apple", "ジュース": "juice"}, "りんご|ジュース"),
        ("ภาษาไทยดี", {"ไทย": "Thai", "ด": "no"}, "ไทย"),
        ("كتاب جديد كتابة", {"كتاب": "book"}, "كتاب"),
        ("iPhone15 iPhone 15", {"iPhone": "iPhone"}, "iPhone"),
        ("50 % off, 50%", {"50%": "halb"}, "50%"),
        ("👍 up", {"👍": "gut"}, "👍"),
    ],
)
def test_terms_stand_where_a_reader_sees_them(text, entries, wanted):
    assert "|".join(surface for surface, _ in found(text, entries)) == wanted


@pytest.mark.parametrize(
    ("text", "term", "target", "written"),
    [
        ("apple", "apple", "manzana", "manzana"),
        ("Apple", "apple", "manzana", "Manzana"),
        ("APPLE", "apple", "manzana", "MANZANA"),
        ("aPPle", "apple", "manzana", "manzana"),
        ("Apple", "apple", "iManzana", "iManzana"),
        ("APPLE", "apple", "iManzana", "IMANZANA"),
        ("Haus", "Haus", "house", "house"),
        ("HAUS", "Haus", "house", "HOUSE"),
        ("haus", "Haus", "house", None),
        ("Der Hund", "der Hund", "the dog", "The dog"),
        ("NASA", "NASA", "Raumfahrt", "Raumfahrt"),
        ("nasa", "NASA", "Raumfahrt", None),
        ("A", "a", "un", "Un"),
        ("STRASSE", "Straße", "street", "STREET"),
        ("Ελλάδας", "ελλάδασ", "x", "X"),
    ],
)
def test_the_target_follows_the_case_of_the_text(text, term, target, written):
    hits = found(text, {term: target})
    assert [each for _, each in hits] == ([] if written is None else [written])


def test_turkish_has_its_own_capitals():
    assert found("IŞIK İyi", {"ışık": "light", "iyi": "good"}, "tr", "en") == [
        ("IŞIK", "LIGHT"),
        ("İyi", "Good"),
    ]
    assert found("LIGHT Inn", {"light": "ışık", "inn": "iyi"}, "en", "tr") == [
        ("LIGHT", "IŞIK"),
        ("Inn", "İyi"),
    ]


def test_an_entry_in_the_very_case_of_the_text_is_preferred():
    entries = {"apple": "Apfel", "Apple": "Apple Inc."}
    assert [written for _, written in found("apple Apple APPLE", entries)] == ["Apfel", "Apple Inc.", "APFEL"]


@pytest.mark.parametrize("text", ["café Ångström", "한국어 ガス", "Ελλάδα"])
def test_composed_and_decomposed_letters_match(text):
    for form in ("NFC", "NFD"):
        for other in ("NFC", "NFD"):
            written = unicodedata.normalize(form, text)
            entries = {unicodedata.normalize(other, text): "x"}
            assert [surface for surface, _ in found(written, entries)] == [written]


def test_the_first_glossary_with_a_term_counts_and_the_longest_match_still_wins():
    first, second = (
        Terms({"red": "1", "shoe": "1"}, "en", "de"),
        Terms({"red": "2", "red shoe": "2"}, "en", "de"),
    )
    assert [hit.target for hit in find("red, red shoe, shoe", [first, second])] == ["1", "2", "1"]


def test_no_term_reaches_across_a_barrier():
    entries = {"data base": "DB", "data": "D", "base": "B", "undo": "U", "do": "X"}
    assert found("data base", entries, barriers=[5]) == [("data", "D"), ("base", "B")]
    assert found("undo", entries, barriers=[2]) == []
    assert found("data base", entries, barriers=[0, 9]) == [("data base", "DB")]


words = st.sampled_from(["a", "B", "ab", "c++", "手", "机", "é", "e\u0301", "-", ".", "ไ", "👍", "ß"])
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join) | st.lists(words, min_size=1, max_size=4).map("".join)
terms = st.dictionaries(phrases, st.sampled_from(["x", "Y", "zz zz"]), max_size=8)


@given(st.lists(words | st.sampled_from([" ", "\n", "  "]), max_size=20).map("".join), terms)
def test_matches_are_in_order_apart_and_true_to_their_entry(text, entries):
    end = 0
    for hit in find(text, [Terms(entries, "en", "de")]):
        assert end <= hit.start < hit.end
        end = hit.end
        surface = " ".join(unicodedata.normalize("NFC", text[hit.start : hit.end]).casefold().split())
        same = [unicodedata.normalize("NFC", term).casefold() == surface for term in entries]
        assert any(same)
        assert hit.written.casefold() == hit.target.casefold()


@given(
    st.text(),
    st.dictionaries(st.text(min_size=1).map(str.strip).filter(len), st.text(min_size=1), max_size=5),
)
def test_any_term_is_found_where_it_stands_alone(text, entries):
    known = [Terms(entries, "en", "de")]
    find(text, known)
    for term in entries:
        hits = find(term, known)
        assert [(hit.start, hit.end) for hit in hits] == [(0, len(term))]


@pytest.mark.parametrize("letter", "\u0958\u09dc\u0a59\u0b5c\u0f43\u0f73\u0f93\U0001d15f\U0001d1bf\ufb2a")
def test_letters_that_unicode_always_takes_apart_match_themselves_and_their_parts(letter):
    known = [Terms({letter: "x"}, "en", "de")]
    for form in (letter, unicodedata.normalize("NFD", letter)):
        assert [(hit.start, hit.end) for hit in find(form, known)] == [(0, len(form))]


def glossary(count):
    chance = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    word = lambda: "".join(chance.choices(letters, k=chance.randint(3, 9)))  # noqa: E731
    return {" ".join(word() for _ in range(chance.randint(1, 3))): word() for _ in range(count)}


@pytest.mark.long
def test_building_grows_with_the_glossary_and_finding_does_not():
    small, large = glossary(25_000), glossary(100_000)
    assert growth(lambda entries: Terms(entries, "en", "de"), small, large) < LINEAR
    text = "and ".join(term + ", " for term in list(large)[:200:20])
    known = [[Terms(entries, "en", "de")] for entries in (small, large)]
    assert len(find(text, known[1])) >= 10
    assert growth(lambda terms: [find(text, terms) for _ in range(50)], *known) < LINEAR


@pytest.mark.long
@pytest.mark.parametrize(
    "entries",
    [
        {"a " * 400 + "b": "x"},
        {"a " * count + "b": "x" for count in range(1, 400)},
        {"A" + " a" * count: "x" for count in range(400)},
    ],
)
def test_a_hostile_glossary_does_not_stop_the_service(entries):
    known = [Terms(entries, "en", "de")]
    assert growth(lambda text: find(text, known), "a " * 500, "a " * 2_000) < LINEAR
