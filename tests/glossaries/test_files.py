"""Glossary files: what is read from them, what is refused, and that writing and reading gives the same rows."""

from __future__ import annotations

import codecs
import errno
import os
import shutil
import stat
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from svc_nb.checks.service_terms import to_dictionaries
from svc_nb.errors import InvalidRows
from svc_nb.glossaries import files
from svc_nb.glossaries.dictionaries import from_dictionaries
from svc_nb.tabular.terms import COLUMNS, in_tables
from svc_nb.tabular.text_column import TEXT
from svc_nb.wire.models import Dictionary

HOSTILE = [
    "<script>alert(1)</script>", "{0}", "%s", "$x$", "=1+1", "'=1+1", "''+x", "-5", "@a", "＝x", "'", "#N/A",
    "a\tb", "\tb", "a\nb", "a\rb", "\r", "\x00", "\x07", "\x85", "\u2028", "עברית", "\u202eabc",
    "👩\u200d👩\u200d👧", "\ud800", "\uffff", "\ufeffa", "\u200b", '"', '""', '"a"', 'a "b" c', "a,b", "a;b", ";",
    "_x000D_", "_x005F_x000D_", "_X000d_", "&amp;", "]]>", " a ", "", " ", "source", "target", "term", "de",
    "Deutsch", "sep=;", "x" * 40_000, "TRUE", "1.0", "007", "1e5",
]  # fmt: skip
CODES = [
    "en",
    "de",
    "fr",
    "ja",
    "EN-GB",
    "de-AT",
    "pt_BR",
    "tlh",
    "",
    "zh-Hant-TW",
    "id",
    "no",
    "mul",
    "x y",
    "<b>",
]


def table_of(rows, index=None, **more):
    cells = {name: pd.Series([row[place] for row in rows], dtype=object) for place, name in enumerate(COLUMNS)}
    table = pd.DataFrame({**cells, **more})
    return table if index is None else table.set_axis(index)


TERMS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=6), st.text("ab=,;\"'\t \n", max_size=4))
ROWS = st.lists(st.tuples(st.sampled_from(CODES), st.sampled_from(CODES), TERMS, TERMS), min_size=1, max_size=6)


def rows_of(table):
    return [tuple(row) for row in table[list(COLUMNS)].itertuples(index=False, name=None)]


@pytest.fixture
def folder():
    """A folder for many examples of one test."""
    path = Path(tempfile.mkdtemp())
    yield path
    shutil.rmtree(path)


def save(folder, name, text, encoding="utf-8"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return path


# ---- laws


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS, suffix=st.sampled_from(files.SUFFIXES), header=st.booleans(), safe=st.booleans())
@example(rows=[("en", "de", "source", "target")], suffix=".csv", header=False, safe=False)
@example(rows=[("", "", "source", "target")], suffix=".csv", header=False, safe=False)
@example(rows=[("", "", "a", ""), ("", "", "source", "target")], suffix=".csv", header=False, safe=False)
@example(rows=[("en", "de", "a;b", "c"), ("en", "de", "d", "e;f")], suffix=".csv", header=False, safe=False)
@example(rows=[("en", "de", "a", "b"), ("de", "en", "b", "a")], suffix=".tbx", header=False, safe=False)
@example(rows=[("en", "de", "a", "b"), ("en", "de", "a", "c")], suffix=".tbx", header=False, safe=False)
@example(rows=[("en", "de", "a", "b"), ("de", "en", "b", "a")], suffix=".tmx", header=False, safe=False)
def test_what_is_written_is_read_again_or_the_rows_that_cannot_be_are_named(folder, rows, suffix, header, safe):
    table = table_of(rows, index=[f"row {number}" for number in range(len(rows))])
    path = folder / f"terms{suffix}"
    path.unlink(missing_ok=True)
    try:
        files.write(table, path, header=header, formula_safe=safe)
    except InvalidRows as caught:
        refused = caught
    else:
        refused = None
    if refused:
        assert set(refused.rows) == set(refused.findings["row"]) <= set(table.index)
        assert refused.rows
        assert not path.exists()
        return
    unsaid = [not any(row[side] for row in rows) for side in (0, 1)]
    again = rows_of(files.read(path, **{name: "" for name, gap in zip(COLUMNS, unsaid, strict=False) if gap}))
    # A term base keeps its terms by concept.
    ordered = sorted if suffix in (".tbx", ".xml") else list
    assert ordered(again) == ordered(rows_of(in_tables(table)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["EN", "EN-GB", "TLH"]),
            st.sampled_from(["DE", "FR-CA", "JA"]),
            st.text("abcäß<&> =-'", min_size=1).filter(str.strip),
            st.text('日本xyz"]_x0;', min_size=1).filter(str.strip),
        ),
        min_size=1,
        max_size=8,
    ),
    suffix=st.sampled_from(files.SUFFIXES),
)
def test_good_terms_are_never_refused(folder, rows, suffix):
    path = files.write(table_of(rows), folder / f"terms{suffix}")
    assert sorted(rows_of(files.read(path))) == sorted(rows)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=60), suffix=st.sampled_from(files.SUFFIXES))
@example(data=b"PK\x03\x04" + b"\0" * 40, suffix=".xlsx")
@example(data=b"\xff\xfe\x00", suffix=".txt")
@example(data=b"\xff\xfea\x00\t\x00b\x00", suffix=".tsv")
def test_rubbish_gives_a_table_or_an_error_that_names_the_file(folder, data, suffix):
    path = save(folder, f"rubbish{suffix}", data)
    try:
        said = files.read(path, source_lang="en", target_lang="de").said
    except ValueError as problem:
        said = str(problem)
    assert "rubbish" in said


# ---- delimited text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.tsv", "house\tHaus\nsource\tQuelle\n"),
        ("t.txt", "house\tHaus\r\nsource\tQuelle"),
        ("t.TSV", "house\tHaus\rsource\tQuelle\r"),
        ("t.csv", "house,Haus\nsource,Quelle"),
        ("t.csv", "house;Haus\nsource;Quelle"),
        ("t.csv", '"house";"Haus"\n"source";"Quelle"'),
        ("t.csv", "sep=;\nhouse;Haus\nsource;Quelle"),
        ("t.csv", "house\tHaus\nsource\tQuelle"),
        ("t.tsv", "house\tHaus\ten\tde\nsource\tQuelle\ten\tde"),
        ("t.tsv", "house\tHaus\ten\nsource\tQuelle\ten"),
        ("t.csv", "target,source\nHaus,house\nQuelle,source"),
        ("t.csv", "Target Language;Source-Term;TARGET\nde;house;Haus\nde;source;Quelle"),
        ("t.csv", "term,de\nhouse,Haus\nsource,Quelle"),
        ("t.csv", "English;Deutsch\nhouse;Haus\nsource;Quelle"),
        ("t.tsv", "\n\nhouse\tHaus\n \t \nsource\tQuelle\n\n"),
    ],
)
def test_all_ways_to_write_two_terms_give_the_same_table(tmp_path, name, text):
    table = files.read(save(tmp_path, name, text), source_lang="en", target_lang="de")
    assert rows_of(table) == [("EN", "DE", "house", "Haus"), ("EN", "DE", "source", "Quelle")]
    assert list(table.columns) == [*COLUMNS, "line"]
    assert set(table[list(COLUMNS)].dtypes) == {pd.Series([""], dtype=TEXT).dtype}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-be"])
def test_a_byte_order_mark_is_dropped_and_reported(tmp_path, encoding):
    text = "Größe\t大小\n"
    data = b"\xfe\xff" + text.encode(encoding) if encoding == "utf-16-be" else text.encode(encoding)
    table = files.read(save(tmp_path, "t.tsv", data), source_lang="de", target_lang="zh")
    assert rows_of(table) == [("DE", "ZH", "Größe", "大小")]
    assert ("byte order mark was dropped" in table.said) == (encoding != "utf-8")


def test_another_encoding_is_asked_for_and_taken(tmp_path):
    path = save(tmp_path, "t.csv", "size,Größe\n", "cp1252")
    with pytest.raises(ValueError, match=r't\.csv: the text is not valid utf-8 \(line 1\)\. .* encoding="cp1252"'):
        files.read(path, source_lang="en", target_lang="de")
    assert rows_of(files.read(path, source_lang="en", target_lang="de", encoding="cp1252"))[0][3] == "Größe"
    with pytest.raises(ValueError, match="there is no encoding 'klingon'"):
        files.read(path, encoding="klingon")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_known_by_its_separators(tmp_path, encoding):
    for source, target in (("a", "b"), ("house", "Āda, Ābece"), ("大小", "サイズ")):
        path = save(tmp_path, "t.tsv", f"{source}\t{target}\r\n", encoding)
        for said in (None, encoding):
            table = files.read(path, source_lang="en", target_lang="lv", encoding=said)
            assert rows_of(table) == [("EN", "LV", source, target)]
            assert f"The encoding is {encoding}." in table.said


def test_nul_characters_in_another_encoding_are_no_text(tmp_path):
    with pytest.raises(ValueError, match=r"NUL character.*utf-16-le"):
        files.read(save(tmp_path, "t.tsv", b"a\0\0\0\tb\n"), source_lang="en", target_lang="de")


def test_the_line_is_as_a_person_counts_it(tmp_path):
    table = files.read(save(tmp_path, "t.csv", "source,target\n\na,b\nc,d\n"), source_lang="en", target_lang="de")
    assert table["line"].tolist() == [3, 4]
    assert table.index.is_unique
    assert "It has a header. Left out: 1 blank line." in table.said


def test_a_wide_file_gives_a_row_for_each_filled_cell(tmp_path):
    table = files.read(
        save(tmp_path, "t.csv", "term,de,fr,note\nhouse,Haus,maison,n1\ncat,Katze,,n2\n"), source_lang="en"
    )
    assert rows_of(table) == [
        ("EN", "DE", "house", "Haus"),
        ("EN", "DE", "cat", "Katze"),
        ("EN", "FR", "house", "maison"),
    ]
    assert table["line"].tolist() == [2, 3, 2]
    assert table["note"].tolist() == ["n1", "n2", "n1"]
    assert table.said == (
        "3 terms in 2 pairs (EN to DE, EN to FR), from t.csv. It has a column for each language. "
        "Kept as additional columns, not languages: 'note'. Left out: 1 empty cell. Next: .svc.lint()"
    )


def test_of_a_wide_file_the_languages_can_be_chosen(tmp_path):
    path = save(tmp_path, "t.csv", "English,German,French\nhouse,Haus,maison\n")
    assert rows_of(files.read(path, source_lang="DE", target_lang="fr")) == [("DE", "FR", "Haus", "maison")]
    with pytest.raises(ValueError, match=r"target_lang: expected one of .*DE, FR; found 'JA'"):
        files.read(path, target_lang="ja")
    with pytest.raises(ValueError, match=r"source_lang: expected one of .*EN, DE, FR; found 'JA'"):
        files.read(path, source_lang="ja")


def test_columns_of_ones_own_stay_below_a_header(tmp_path):
    text = "source,target,source_lang,target_lang,note,note,\na,b,en,de,1,2,3\nc,d,en,de\n"
    table = files.read(save(tmp_path, "t.csv", text))
    assert list(table.columns) == [*COLUMNS, "line", "note", "note.1", "column 7"]
    assert table["column 7"].tolist() == ["3", ""]


def test_a_row_in_the_services_own_form_is_no_header(tmp_path):
    text = "term,Begriff,en,de\nsource,target,en,de\n"
    assert len(files.read(save(tmp_path, "t.csv", text))) == 2
    assert len(files.read(save(tmp_path, "u.csv", "german,deutsch,en,de\nfrench,français,en,fr"))) == 2


def test_a_header_can_be_forced_and_denied(tmp_path):
    path = save(tmp_path, "t.csv", "Begriff,Vokabel\nhouse,Haus\n")
    table = files.read(path, header=True, source_lang="en", target_lang="de")
    assert rows_of(table) == [("EN", "DE", "house", "Haus")]
    assert "taken in order" in table.said
    path = save(tmp_path, "t.tsv", "source\ttarget\n")
    table = files.read(path, header=False, source_lang="en", target_lang="de")
    assert rows_of(table) == [("EN", "DE", "source", "target")]
    path = save(tmp_path, "u.csv", "source,Zweck\na,b\n")
    with pytest.raises(ValueError, match=r"expected a header with source and target.*'source', 'Zweck'"):
        files.read(path, header=True)


def test_languages_of_the_file_come_before_those_given(tmp_path):
    table = files.read(save(tmp_path, "t.tsv", "a\tb\ten\tde\nc\td"), source_lang="fr", target_lang="it")
    assert rows_of(table) == [("EN", "DE", "a", "b"), ("FR", "IT", "c", "d")]


def test_a_side_that_is_empty_stays_for_lint_to_find(tmp_path):
    table = files.read(save(tmp_path, "t.tsv", "a\t\nb\nc\td"), source_lang="en", target_lang="de")
    assert table["target"].tolist() == ["", "", "d"]


def test_line_breaks_in_quoted_terms_are_refused_and_all_their_lines_are_named(tmp_path):
    path = save(tmp_path, "t.csv", 'a,b\n"c\nd",e\nf,g\nh,"i\n\nj"\nk,l\n')
    with pytest.raises(InvalidRows, match=r"t\.csv: 2 rows have terms with a line break .*\(lines 2, 5\)") as caught:
        files.read(path, source_lang="en", target_lang="de")
    assert caught.value.rows == [2, 5]


@pytest.mark.parametrize("head", ["en,de,note", "source,target,note"])
def test_line_breaks_are_kept_in_further_columns_and_refused_in_terms(tmp_path, head):
    good = f'{head}\nhouse,Haus,"two\r\n""lines"""\n\ntree,Baum,x\n'
    table = files.read(save(tmp_path, "t.csv", good), source_lang="en", target_lang="de")
    assert table["note"].tolist() == ['two\n"lines"', "x"]
    assert table["line"].tolist() == [2, 5]
    assert "1 blank line" in table.said
    bad = f'{head}\n"ho\nuse",Haus,"two\nlines"\nfine,gut,"a\nb"\ntree,"Ba\num",\n'
    with pytest.raises(InvalidRows, match="lines 2, 7") as caught:
        files.read(save(tmp_path, "t.csv", bad), source_lang="en", target_lang="de")
    assert caught.value.rows == [2, 7]


def test_line_breaks_in_further_columns_survive_writing(tmp_path):
    table = table_of([("en", "de", "a", "b"), ("en", "de", "c", "d")], note=["x\ny", "z"])
    path = files.write(table, tmp_path / "t.csv", header=True)
    assert files.read(path)["note"].tolist() == ["x\ny", "z"]
    with pytest.raises(InvalidRows, match="1 row would be lost"):
        files.write(table, tmp_path / "t.tsv", header=True)


def test_quotes_that_do_not_close_are_refused_and_all_their_lines_are_named(tmp_path):
    path = save(tmp_path, "t.csv", 'a,b\n"c,d\n"e" f,g\nh,i\n')
    with pytest.raises(InvalidRows, match=r"line 2: .*not closed .*\(and so in 1 more line: 3\)") as caught:
        files.read(path, source_lang="en", target_lang="de")
    assert caught.value.rows == [2, 3]
    path = save(tmp_path, "t.csv", "a,b\n" + "c,d\n" * 50_000 + '"e,f\n' + "g,h\n" * 50_000)
    with pytest.raises(InvalidRows, match="line 50002: the quotes in '\"e,f' are not closed"):
        files.read(path, source_lang="en", target_lang="de")


def test_quotes_follow_the_rules_of_csv_and_mean_nothing_in_tsv(tmp_path):
    text = '"a ""b"", c",5" disk\n'
    table = files.read(save(tmp_path, "t.csv", text), source_lang="en", target_lang="de")
    assert rows_of(table) == [("EN", "DE", 'a "b", c', '5" disk')]
    table = files.read(save(tmp_path, "t.tsv", '"a"\tb\n'), source_lang="en", target_lang="de")
    assert table["source"].tolist() == ['"a"']
    assert "1 cell is in quotes" in table.said
    assert "rename the file to .csv" in table.said


def test_what_a_spreadsheet_saves_as_unicode_text_is_read_under_another_name(tmp_path):
    data = codecs.BOM_UTF16_LE + '"say ""hi"", now"\tx, y\r\ntree, big\tBaum\r\n'.encode("utf-16-le")
    table = files.read(save(tmp_path, "t.csv", data), source_lang="en", target_lang="de")
    assert table["source"].tolist() == ['say "hi", now', "tree, big"]
    assert "The separator is a tab." in table.said


# ---- which separator


@pytest.mark.parametrize(
    ("text", "sources", "said"),
    [
        (
            "house, big;Haus\ntree, big;Baum\nbird, small;Vogel",
            ["house, big", "tree, big", "bird, small"],
            "a semicolon",
        ),
        ("house,big;Haus\ntree,big;Baum", ["house,big", "tree,big"], "a semicolon"),
        ("house; big,Haus\ntree; big,Baum", ["house; big", "tree; big"], None),
        ("a;b,c,en,de\nd,e;f,en,de", ["a;b", "d"], None),
        ('a,"b;c"\nd,"e;f"', ["a", "d"], None),
        ('a;"b,c"\nd;"e,f"', ["a", "d"], "a semicolon"),
        ("a\tb\nc\td", ["a", "c"], "a tab"),
        ("sep=|\na|b,c", ["a"], "a vertical bar"),
    ],
)
def test_the_separator_is_the_one_that_fits_best_and_is_reported_if_unusual(tmp_path, text, sources, said):
    table = files.read(save(tmp_path, "t.csv", text), source_lang="en", target_lang="de")
    assert table["source"].tolist() == sources
    assert ("The separator is" in table.said) == (said is not None)
    assert said is None or f"The separator is {said}." in table.said


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(*[st.text('ab,; "', min_size=1, max_size=5).filter(str.strip)] * 2), min_size=1, max_size=4)
)
@example(rows=[("a", '5";x')])
@example(rows=[("a", 'x;"y'), ("b", ';"')])
@example(rows=[("a", '";a')])
def test_two_columns_are_read_with_the_separator_they_were_written_with(folder, rows):
    table = table_of([("TLH", "XX", *row) for row in rows])
    path = files.write(table, folder / "t.csv", columns=2)
    assert rows_of(files.read(path, source_lang="tlh", target_lang="xx")) == rows_of(table)


# ---- what is a header


@pytest.mark.parametrize(
    "head",
    [
        "English term,German term", "EN term,DE term", "Term (EN),Term (DE)", "Term EN,Term DE",
        "Source (en),Target (de)", "Source EN,Target DE", "eng,ger", "ENG,deu", "Englisch,Deutsch", "anglais,allemand",
        "Begriff EN,Begriff DE", "Source: English,Target: German", "source_en,target_de",
        "English (preferred),German term (DE)", "en,German",
    ],
)  # fmt: skip
def test_heads_that_say_a_language_in_other_words_are_known(tmp_path, head):
    table = files.read(save(tmp_path, "t.csv", f"{head}\nhouse,Haus\n"))
    assert [tuple(map(str.lower, row)) for row in rows_of(table)] == [("en", "de", "house", "haus")]


def test_the_column_that_says_it_is_the_source_is_the_source(tmp_path):
    table = files.read(save(tmp_path, "t.csv", "Target (de),Target (fr),Source (en)\nHaus,maison,house\n"))
    assert rows_of(table) == [("EN", "DE", "house", "Haus"), ("EN", "FR", "house", "maison")]


def test_a_first_row_that_is_no_known_header_is_quoted_and_what_to_pass_is_said(tmp_path):
    path = save(tmp_path, "t.csv", "Headword,Stichwort\nhouse,Haus\n")
    with pytest.raises(ValueError, match=r"'Headword', 'Stichwort', was read as a term.*header=True.*header=False"):
        files.read(path)
    given = {"source_lang": "en", "target_lang": "de"}
    assert "Row 1 was read as a term (no header)." in files.read(path, **given).said
    assert rows_of(files.read(path, **given, header=True)) == [("EN", "DE", "house", "Haus")]
    assert "Row 1" not in files.read(path, **given, header=False).said


def test_a_language_that_appears_twice_is_named_with_its_columns(tmp_path):
    with pytest.raises(ValueError, match="language DE is in several columns: 2 and 3"):
        files.read(save(tmp_path, "t.csv", "en,de,de\nhouse,Haus,Heim\n"))
    with pytest.raises(ValueError, match="language DE is in several columns: 3, 4 and 5"):
        files.read(save(tmp_path, "t.csv", "en,,de,German,Deutsch\nhouse,,Haus,Heim,Bau\n"))
    table = files.read(save(tmp_path, "t.csv", "ID,Indonesian,English\n1,rumah,house\n"))
    assert rows_of(table) == [("ID", "EN", "rumah", "house")]


def test_columns_that_name_no_known_language_are_reported(tmp_path):
    text = "English,Brazilian Portuguese,tlh,Klingon\nhouse,casa,juH,x\n,y,,\n,,z,\nw,,,\n,y,,\n"
    table = files.read(save(tmp_path, "t.csv", text))
    assert rows_of(table) == [("EN", "PT-BR", "house", "casa")]
    assert "Kept as additional columns, not languages: 'tlh', 'Klingon'." in table.said
    assert "2 rows without a source term (3, 6)" in table.said


@pytest.mark.parametrize("text", ["source,target\n", "en,de\n\n", "English term;German term"])
def test_a_header_without_terms_is_reported(tmp_path, text):
    with pytest.raises(ValueError, match=r"it has a header but no terms: .* pass header=False"):
        files.read(save(tmp_path, "t.csv", text))


def test_a_hostile_first_row_costs_no_time(tmp_path):
    text = " " * 200_000 + "x" + "(" * 50_000 + ",term" + " " * 200_000 + "y\na,b\n"
    assert len(files.read(save(tmp_path, "t.csv", text), source_lang="en", target_lang="de")) == 2


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("t.pdf", b"x", r"t\.pdf: expected a name that ends in \.tsv, .*found '\.pdf'"),
        ("t.xls", b"x", r"Save it as \.xlsx"),
        ("terms", b"x", "found none"),
        ("t.tsv", b"", r"t\.tsv: the file is empty"),
        ("t.tsv", b" \n\n", "the file is empty"),
        ("t.csv", b",,\n", "only blank lines"),
        ("t.csv", b"PK\x03\x04", r"rename it to \.xlsx"),
        ("t.tsv", b"a\tb\n", 'does not say its source_lang. Pass it, such as source_lang="de"'),
        ("t.tsv", b"a,b\n", "line 1 has only one column: 'a,b'"),
        ("t.csv", b"term,de\na,b\n", "does not say its language"),
        ("t.csv", b"term,de\na,b\n", 'does not say its language. Pass it, such as source_lang="en"'),
        ("t.tsv", b"a\tb\ten\tde\tx\n", "line 1 has more than four columns.*'a', 'b', 'en', 'de', 'x'"),
        ("t.xlsx", b"rubbish", "not an Excel file"),
        ("t.xml", b"<html/>", "expected TBX .* found <html>"),
        ("t.tbx", b"a,b", "not well-formed XML"),
    ],
)
def test_what_cannot_be_read_says_why_and_what_to_do(tmp_path, name, data, said):
    with pytest.raises(ValueError, match=said):
        files.read(save(tmp_path, name, data))


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*none\.tsv"):
        files.read(tmp_path / "none.tsv")
    (tmp_path / "folder.tsv").mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder"):
        files.read(tmp_path / "folder.tsv")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        files.write(table_of([("en", "de", "a", "b")]), tmp_path / "folder.tsv")


# ---- writing


def test_the_services_form_has_no_header_and_four_columns(tmp_path):
    table = table_of([("en", "de", "a,b", 'say "c"')])
    assert files.write(table, tmp_path / "t.csv").read_text("utf-8") == '"a,b","say ""c""",en,de\n'
    assert files.write(table, tmp_path / "t.tsv").read_text("utf-8") == 'a,b\tsay "c"\ten\tde\n'
    assert files.write(table, tmp_path / "t.tsv", columns=2).read_text("utf-8") == 'a,b\tsay "c"\n'
    table["note"] = 1
    assert files.write(table, tmp_path / "t.tsv", header=True).read_text("utf-8") == (
        'source_lang\ttarget_lang\tsource\ttarget\tnote\nen\tde\ta,b\tsay "c"\t1\n'
    )


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("t.csv", "header=True, or write .xlsx"),
        ("t.tsv", "header=True, or write .xlsx"),
        ("t.tbx", ".xlsx, or .csv with header=True"),
        ("t.tmx", ".xlsx, or .csv with header=True"),
    ],
)
def test_columns_that_are_not_written_are_named_by_a_warning(tmp_path, name, advice):
    table = table_of([("EN", "DE", "a", "b")], note=["x"], author=["y"])
    with pytest.warns(
        files.ColumnsLeftOut, match=f"the columns 'note', 'author' are not written: .*{advice}"
    ) as caught:
        path = files.write(table, tmp_path / name)
    assert caught[0].filename == __file__
    assert rows_of(files.read(path)) == rows_of(table)
    for kept in (
        files.write(table, tmp_path / "k.csv", header=True),
        files.write(table, tmp_path / "k.xlsx"),
    ):
        assert files.read(kept)["author"].tolist() == ["y"]


def test_the_service_takes_what_is_written_and_what_was_read(tmp_path, connected):
    glossaries = connected.client.glossaries
    table = table_of([("EN", "DE", 'a "b", c', "x;y"), ("EN", "DE", "-d", "'z"), ("EN", "FR", "e", "=f")])
    for name in ("t.tsv", "t.csv", "t.xlsx", "t.tbx", "t.tmx"):
        again = files.read(files.write(table, tmp_path / name))
        made = glossaries.create(name, to_dictionaries(again))
        assert sorted(rows_of(from_dictionaries(glossaries.entries(made.glossary_id)))) == sorted(rows_of(table))
    for form in ("tsv", "csv"):
        path = files.write(table.iloc[:2], tmp_path / f"t.{form}", columns=2)
        sent = Dictionary("en", "de", path.read_text("utf-8"), form)
        made = glossaries.create(form, [sent])
        assert rows_of(from_dictionaries(glossaries.entries(made.glossary_id))) == rows_of(table)[:2]


def test_two_columns_are_for_one_pair_only(tmp_path):
    table = table_of([("en", "de", "a", "b"), ("en", "fr", "a", "c")])
    with pytest.raises(ValueError, match="columns=2 is for one language pair"):
        files.write(table, tmp_path / "t.tsv", columns=2)
    with pytest.raises(ValueError, match="expected 2 or 4, found 3"):
        files.write(table, tmp_path / "t.tsv", columns=3)


def test_a_formula_safe_file_has_no_cell_that_runs(tmp_path):
    risky = ["=1+1", "+1", "-1", "@x", "＝1", "'=x", "fine", "'s fine", "a=b"]
    table = table_of([("EN", "DE", term, f"x{term}") for term in risky])
    path = files.write(table, tmp_path / "t.csv", formula_safe=True)
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    firsts = [line[:1] for line in data.decode("utf-8-sig").splitlines()]
    assert firsts == ["'", "'", "'", "'", "'", "'", "f", "'", "a"]
    assert rows_of(files.read(path)) == rows_of(table)
    assert "Removed the apostrophe that guards a formula in 6 cells." in files.read(path).said


def test_extra_columns_and_gaps_are_written_as_text(tmp_path):
    table = table_of([("en", "de", "a", "b"), ("en", "de", "c", None)], note=[1.5, None])
    again = files.read(files.write(table, tmp_path / "t.csv", header=True))
    assert again["note"].tolist() == ["1.5", ""]
    assert again["target"].tolist() == ["b", ""]


def test_row_labels_of_any_kind_do_not_matter(tmp_path):
    table = table_of([("en", "de", "a", "b"), ("en", "de", "c", "d\n")], index=["x", "x"])
    with pytest.raises(InvalidRows) as caught:
        files.write(table, tmp_path / "t.tsv")
    assert caught.value.rows == ["x"]
    assert rows_of(files.read(files.write(table.iloc[:1], tmp_path / "t.tsv")))[0][2] == "a"


def test_an_empty_table_and_one_of_another_shape_are_refused(tmp_path):
    with pytest.raises(ValueError, match="the table has no terms"):
        files.write(table_of([]), tmp_path / "t.tsv")
    with pytest.raises(ValueError, match="has no source_lang"):
        files.write(pd.DataFrame({"source": ["a"]}), tmp_path / "t.tsv")
    with pytest.raises(TypeError, match="column 'source', row 0: expected text, found int"):
        files.write(table_of([("en", "de", 5, "b")]), tmp_path / "t.tsv")
    assert not list(tmp_path.iterdir())


def test_a_file_is_replaced_as_a_whole_and_keeps_its_mode_and_its_link(tmp_path):
    real = save(tmp_path, "real.tsv", "old")
    real.chmod(0o640)
    link = tmp_path / "link.tsv"
    link.symlink_to(real)
    files.write(table_of([("en", "de", "a", "b")]), link)
    assert link.is_symlink()
    assert real.read_text("utf-8") == "a\tb\ten\tde\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.tsv", "real.tsv"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the OS's /dev/full")
def test_a_folder_that_takes_nothing_gives_a_clear_error(tmp_path):
    table = table_of([("en", "de", "a", "b")])
    with pytest.raises(OSError, match=r"could not be written: .*Nothing was changed"):
        files.write(table, "/proc/terms.tsv")
    with pytest.raises(FileNotFoundError, match="could not be written"):
        files.write(table, tmp_path / "nowhere" / "t.tsv")


def test_a_full_disk_leaves_what_was_there(tmp_path):
    import resource
    import signal

    path = save(tmp_path, "t.tsv", "old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError, match="could not be written") as caught:
            files.write(table_of([("en", "de", f"a{number}", "b" * 50) for number in range(100)]), path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert caught.value.errno in (None, errno.EFBIG)
    assert path.read_text("utf-8") == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["t.tsv"]


def test_fix_is_advised_only_where_it_helps(tmp_path):
    table = table_of([("EN", "DE", "a", "b")], note=["x\ty"])
    with pytest.raises(
        InvalidRows,
        match=r"in an additional column\. Write \.xlsx, or remove it from the column; the "
        r"error's",
    ):
        files.write(table, tmp_path / "t.tsv", header=True)
    with pytest.raises(InvalidRows, match=r"in a cell\. Use \.svc\.fix\(\); the error's"):
        files.write(table_of([("EN", "DE", "a\tc", "b")]), tmp_path / "t.tsv")
    with pytest.raises(InvalidRows, match=r"Remove them from the additional columns; the error's"):
        files.write(table_of([("EN", "DE", "a", "b")], note=["x\x01"]), tmp_path / "t.xlsx")


def test_the_report_shows_terms_as_text(tmp_path):
    table = files.read(save(tmp_path, "<b>.tsv", "source\ttarget\tsource_lang\ttarget_lang\n<script>\tx\t<i>\tde"))
    shown = table._repr_html_()
    assert "<script>" not in shown
    assert "<i>" not in shown
    assert "<b>" not in shown
    assert "1 term in 1 pair" in shown
