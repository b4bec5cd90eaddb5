"""What is written is what is read again, in every form; other people's files are read as they mean them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.errors import InvalidRows
from svc_nb.spoken_terms.files import read, write
from svc_nb.spoken_terms.table import made, rows_of
from tests.spoken_terms.drawn import tables


@given(tables(), st.sampled_from([".csv", ".tsv", ".txt", ".xlsx"]), st.booleans())
def test_what_was_written_is_read_again_or_nothing_is_written(table, suffix, formula_safe):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"terms{suffix}"
        refused = []
        try:
            write(table, path, formula_safe=formula_safe)
        except InvalidRows as problem:
            refused = problem.rows
        assert path.exists() == (not refused)
        if not refused:
            assert rows_of(read(path)) == rows_of(table)


@pytest.mark.parametrize(
    ("text", "lang", "rows"),
    [
        ("lang,term\nde,Haus\n", None, [("DE", "Haus")]),
        ("\ufeffTerm;Language;note\nHaus;de;x\n", None, [("Haus", "DE")[::-1]]),
        ("term\nHaus\nHof\n", "de", [("DE", "Haus"), ("DE", "Hof")]),
        ("Haus\n\nHof", "de", [("DE", "Haus"), ("DE", "Hof")]),
        ("de,Haus\nen,house", None, [("DE", "Haus"), ("EN", "house")]),
        ("lang,term\n,Haus\nen,house", "de", [("DE", "Haus"), ("EN", "house")]),
    ],
)
def test_headers_languages_and_bare_terms_are_understood(tmp_path, text, lang, rows):
    path = tmp_path / "terms.csv"
    path.write_text(text, encoding="utf-8")
    found = read(path, lang=lang)
    assert rows_of(found) == rows
    assert found.index.name == "line"
    assert "svc_nb.spoken_terms.lint" in found.said


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("t.csv", b"", "empty"),
        ("t.csv", b"Haus\nHof", 'lang="de"'),
        ("t.csv", b"lang,term,term\nde,a,b", "two columns called"),
        ("t.csv", b'term,lang\n"a\nb",de', "line break"),
        ("t.xlsx", b"PK\x03\x04 no", "not an Excel file"),
        ("t.xlsx", b"lang,term", "Excel"),
        ("t.csv", b"de,Haus\nSchmidt,GmbH", "line 2: expected a language, found 'Schmidt'"),
        ("t.pdf", b"x", "ends in"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_clear_line(tmp_path, name, data, why):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(ValueError, match=why) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(name)


def test_a_file_that_is_there_is_replaced_only_as_a_whole(tmp_path):
    path = write(made("de", ["Haus"]), tmp_path / "terms.csv")
    before = path.read_bytes()
    with pytest.raises(InvalidRows, match="cannot hold 1 row") as caught:
        write(made("de", ["fine", "a\nb"]), path)
    assert caught.value.rows == [1]
    assert "svc.fix" not in "".join(caught.value.findings["suggestion"])
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["terms.csv"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".xlsx"])
def test_what_a_spreadsheet_would_run_is_guarded_and_read_again(tmp_path, suffix):
    table = made("de", ["=1+1", "'=1", "@x", "'tis"])
    for formula_safe in (True, False):
        path = write(table, tmp_path / f"terms{suffix}", formula_safe=formula_safe)
        assert rows_of(read(path)) == rows_of(table)
    if suffix != ".xlsx":
        assert "'=1+1" in write(table, path, formula_safe=True).read_text(encoding="utf-8-sig")
