"""Many texts as one string: nothing is lost or mixed up on the way."""

from __future__ import annotations

import unicodedata

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.checks import codepoints
from svc_nb.checks.term_arrays import numbered
from svc_nb.checks.term_search import HashIndex, Words
from svc_nb.checks.text_array import TextArray, joined, replaced, rows_joined
from svc_nb.tabular.text_column import TEXT

any_text = st.text(alphabet=st.characters(codec="utf-8"), max_size=12)
texts = st.lists(
    st.one_of(any_text, st.sampled_from(["", "\n", "a\nb", "\x0b", "日本語", "Ａ", "é", "e\u0301"])),
    max_size=12,
)
forms = st.sampled_from(
    [list, lambda cells: pd.Series(cells, dtype=object), lambda cells: pd.Series(cells, dtype=TEXT)]
)


@given(texts, forms)
def test_what_goes_onto_a_tape_comes_off_it(cells, form):
    tape = TextArray(form(cells))
    assert tape.texts() == cells
    assert [tape[row] for row in range(len(tape))] == cells == list(tape)
    assert tape.lengths.tolist() == [len(text) for text in cells]
    assert tape.sizes.tolist() == [len(text.encode()) for text in cells]


@given(texts)
def test_equal_texts_share_their_number_and_others_do_not(cells):
    numbers = TextArray(cells).text_hashes.tolist()
    again = TextArray(["before", *cells]).text_hashes.tolist()[1:]
    assert numbers == again
    breaks = [text.replace("\n", "\x0b").rstrip("\0") for text in cells]
    assert [numbers.index(number) for number in numbers] == [breaks.index(text) for text in breaks]


@given(st.lists(any_text, min_size=1, max_size=6), st.data())
def test_every_stretch_has_the_number_of_its_text(cells, data):
    cells = [text.replace("\n", " ").replace("\0", " ") for text in cells]
    tape = TextArray(cells)
    row = data.draw(st.integers(0, len(cells) - 1))
    start = data.draw(st.integers(0, len(cells[row])))
    end = data.draw(st.integers(start, len(cells[row])))
    base = tape.starts[row]
    number = tape.hashes(np.array([base + start]), np.array([base + end]))
    assert number.tolist() == TextArray([cells[row][start:end]]).text_hashes.tolist()


@given(texts)
def test_the_kinds_of_characters_are_those_of_the_unicode_database(cells):
    tape = TextArray(cells)
    assert tape.of_kind(codepoints.DIGIT).tolist() == [any(unicodedata.category(c) == "Nd" for c in t) for t in cells]
    assert tape.of_kind(codepoints.SPACE).tolist() == [any(c.isspace() for c in t) for t in cells]
    firsts = [bool(kind & codepoints.SPACE) for kind in tape.kinds[tape.starts[tape.lengths > 0]]]
    assert firsts == [t[0].isspace() for t in cells if t]


@given(st.lists(any_text, max_size=200))
def test_folding_a_tape_folds_every_text(cells):
    cells = [text.replace("\n", " ") for text in cells]
    folded = TextArray(cells).folded
    assert folded.texts() == [unicodedata.normalize("NFKC", text).casefold() for text in cells]
    assert TextArray(cells).decomposed() == [
        row for row, text in enumerate(cells) if unicodedata.normalize("NFC", text) != text
    ]


@pytest.mark.long
def test_every_character_folds_and_composes_as_unicode_says_also_behind_another():
    letters = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")]
    texts = [f"e{letter}A" for letter in letters if letter != "\n"]
    tape = TextArray(texts)
    assert tape.folded.texts() == [unicodedata.normalize("NFKC", text).casefold() for text in texts]
    composed = [unicodedata.is_normalized("NFC", text) for text in texts]
    assert tape.decomposed() == [row for row, whole in enumerate(composed) if not whole]


def test_a_gap_is_an_empty_text_that_is_missing():
    for column in (pd.Series(["a", None, ""], dtype=TEXT), pd.Series(["a", None, ""], dtype=object)):
        tape = TextArray(column)
        assert tape.texts() == ["a", "", ""]
        assert tape.missing.tolist() == [False, True, False]


def test_a_cell_that_is_not_text_is_named():
    with pytest.raises(TypeError, match=r"row 1: expected text, found int"):
        TextArray(pd.Series(["a", 5], dtype=object))


def test_half_of_a_surrogate_pair_stays_as_it_is():
    assert TextArray(["a\ud800", "b"]).texts() == ["a\ud800", "b"]


def test_an_empty_column_is_an_empty_tape():
    for nothing in ([], pd.Series([], dtype=TEXT), pd.Series([], dtype=object)):
        tape = TextArray(nothing)
        assert len(tape) == 0
        assert tape.texts() == [] == tape.sizes.tolist() == tape.folded.texts() == tape.text_hashes.tolist()
        assert len(Words(tape).starts) == 0


def test_sums_and_searches_stay_with_their_texts():
    tape = TextArray(["a1", "", "22b", "\nx3"])
    assert tape.sums((tape.kinds & codepoints.DIGIT) != 0).tolist() == [1, 0, 2, 1]
    digits = np.flatnonzero((tape.kinds & codepoints.DIGIT) != 0)
    assert tape.rows_of(digits).tolist() == [0, 2, 2, 3]
    assert [tape.text[place] for place in digits] == ["1", "2", "2", "3"]


def test_words_end_where_letters_end_and_scripts_without_spaces_have_one_in_each_character():
    tape = TextArray(["Zelt-Stange 2x", "登山リュック", "", "กำลัง", "e\u0301te\u0301"])
    words = Words(tape)
    found = [tape.text[start:end] for start, end in zip(words.starts, words.ends, strict=True)]
    assert found[:3] == ["Zelt", "Stange", "2x"]
    assert found[3:9] == list("登山リュック")
    assert found[-1] == "e\u0301te\u0301"
    starts, ends, rows = words.runs(2)
    pairs = [tape.text[start:end] for start, end in zip(starts, ends, strict=True)]
    assert pairs[:2] == ["Zelt-Stange", "Stange 2x"]
    assert rows.tolist() == sorted(rows.tolist())
    assert not any("x" in pair and "登" in pair for pair in pairs)


@given(st.lists(st.integers(0, 2**64 - 1)), st.lists(st.integers(0, 2**64 - 1)), st.integers(0, 3))
def test_a_directory_finds_every_number_at_its_first_place(known, asked, bits):
    # Few different upper bits, so that slots are fought for.
    known = [number & ((1 << 60) - 1 if bits else 2**64 - 1) for number in known]
    asked = asked + known[::2]
    places, found = HashIndex(np.array(known, dtype=np.uint64)).find(np.array(asked, dtype=np.uint64))
    answers = dict(zip(places.tolist(), found.tolist(), strict=True))
    assert answers == {place: known.index(number) for place, number in enumerate(asked) if number in known}


@given(st.lists(st.integers(0, 9), max_size=60), st.booleans())
def test_a_directory_knows_what_is_repeated(known, crowded):
    numbers = [number << (0 if crowded else 60) for number in known]
    places, first = HashIndex(np.array(numbers, dtype=np.uint64)).repeated()
    repeated = {place: known.index(n) for place, n in enumerate(known) if known.index(n) != place}
    assert dict(zip(places.tolist(), first.tolist(), strict=True)) == repeated


@given(st.lists(st.one_of(any_text, st.text("ab", min_size=7, max_size=40)), max_size=12), st.data())
def test_equal_texts_share_the_number_of_their_octets_wherever_they_stand(cells, data):
    cells = [*cells, *cells[::2], "é" * 600, "é" * 599 + "e", "é" * 600]
    order = data.draw(st.permutations(range(len(cells))))
    straight, mixed = (numbered(*_octets([cells[row] for row in rows])) for rows in (range(len(cells)), order))
    assert mixed.tolist() == straight[order].tolist()
    assert len(set(straight.tolist())) == len(set(cells))


def _octets(cells):
    parts = [text.encode() for text in cells]
    return np.frombuffer(b"".join(parts), dtype=np.uint8), np.cumsum([0, *map(len, parts)])


def test_numbers_that_share_a_slot_are_all_found():
    numbers = np.arange(1000, dtype=np.uint64)
    places, found = HashIndex(numbers).find(numbers[::-1])
    assert dict(zip(places.tolist(), found.tolist(), strict=True)) == {999 - n: n for n in range(1000)}


@given(texts, forms)
def test_rows_are_joined_as_python_would(cells, form):
    column = pd.Series(form(cells))
    whole = joined(rows_joined([column, column], "\t"))
    assert whole == "\n".join(f"{text}\t{text}" for text in cells)


def test_some_cells_are_replaced_and_the_others_stay():
    for dtype in (TEXT, object):
        column = pd.Series(["a", None, "c"], dtype=dtype, index=[7, 7, 8])
        other = replaced(column, np.array([True, False, False]), ["x"])
        assert other.fillna("").tolist() == ["x", "", "c"]
        assert column.iloc[0] == "a"
