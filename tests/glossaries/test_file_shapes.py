"""Glossary files as people have them: rows of different lengths, comments, JSON, OpenDocument, readmes and lines."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO

import openpyxl
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from svc_nb import glossaries
from svc_nb.errors import InvalidRows
from svc_nb.glossaries import files
from svc_nb.tabular.terms import COLUMNS

PAIR = {"source_lang": "en", "target_lang": "de"}


def save(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def rows_of(table):
    return list(table[list(COLUMNS)].itertuples(index=False, name=None))


def terms_of(table):
    return list(table[["source", "target"]].itertuples(index=False, name=None))


# ---- rows of different lengths


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("t.csv", "source,target\nhello,world,hola,mundo\n", [2]),
        ("t.csv", "source,target,note\na,b\nhello, world,hallo,,x\n\nc,d,e,f\n", [3, 5]),
        ("t.csv", "en,de\na,b\nhello, world,Hallo Welt\n", [3]),
        ("t.tsv", "source\ttarget\na\tb\tc\n", [2]),
        ("t.csv", "a,b\nhello, world,Hallo\nc,d\n", [2]),
        ("t.csv", "a,b\nc,d\none, two, three, four,five,six\n", [3]),
        ("t.tsv", "a\tb\nc\td\te f\tg h\n", [2]),
    ],
)
def test_a_row_that_is_longer_than_the_others_is_an_error_with_its_line(tmp_path, name, text, lines):
    with pytest.raises(InvalidRows, match=rf"{name}: line {lines[0]} has \d cells, '.*double quotes") as caught:
        files.read(save(tmp_path, name, text), **PAIR)
    assert caught.value.rows == lines


@pytest.mark.parametrize(
    "text",
    [
        "source,target\na,b,,\nc,d, \n",
        "a,b,,,,\nc,d\n",
        "a,b\nc,d,en,de\n",
        "source,target,\na,b,x\nc,d\n",
        "a,b\nc,d,,\n",
    ],
)
def test_cells_at_the_end_may_be_empty_or_languages(tmp_path, text):
    assert terms_of(files.read(save(tmp_path, "t.csv", text), **PAIR)) == [("a", "b"), ("c", "d")]


@pytest.mark.parametrize(
    ("text", "more", "kept"),
    [
        ("Haus;casa;Ana\nAuto;coche;Ben\n", {}, {"comment": ["Ana", "Ben"]}),
        ("Haus;casa;Gebäude;Nomen\nAuto;coche;;\n", {}, {"comment": ["Gebäude", ""], "comment.1": ["Nomen", ""]}),
        (
            "A;B;Wer;Wer\nHaus;casa;Ana;x\nAuto;coche;;no\n",
            {"header": True},
            {"Wer": ["Ana", ""], "Wer.1": ["x", "no"]},
        ),
        ("Haus;casa;de;es\nAuto;coche;;\n", {}, {}),
        ("Haus;casa;de;es\nAuto;coche;German;\n", {}, {}),
    ],
)
def test_cells_that_are_no_languages_are_comments(tmp_path, text, more, kept):
    table = files.read(save(tmp_path, "t.csv", text), source_lang="de", target_lang="es", **more)
    assert terms_of(table) == [("Haus", "casa"), ("Auto", "coche")]
    assert table["target_lang"].tolist() == ["ES", "ES"]
    assert {name: table[name].tolist() for name in table.columns[5:]} == kept
    assert ("read as comments" in table.said) == ("comment" in kept)


def test_further_columns_of_one_name_are_told_apart(tmp_path):
    table = files.read(save(tmp_path, "t.csv", "English,Status,German,Status,Note,Status\na,1,b,2,3,4\n"))
    assert list(table.columns[5:]) == ["Status", "Status.1", "Note", "Status.2"]
    assert table.iloc[0, 5:].tolist() == ["1", "2", "3", "4"]


def test_a_row_that_an_unquoted_comma_may_have_shifted_is_reported_even_when_it_is_fixed(tmp_path):
    text = "English,German,Note,Domain\nbox,Kiste,ok,x\nsalt, fine,Salz,\nkey,Schlüssel\n"
    table = files.read(save(tmp_path, "t.csv", text))
    assert "A term begins with a space, possibly after an unquoted comma (line 3)." in table.said
    for each in (table, table.svc.fix()):
        found = each.svc.lint().query("code == 'unquoted'")
        assert found["line"].tolist() == [3]
    everywhere = files.read(save(tmp_path, "t.csv", "English, German\nbox, Kiste\nkey, Schlüssel\n"))
    assert "unquoted" not in everywhere.said
    assert "unquoted" not in everywhere.svc.lint()["code"].tolist()


TERM = st.lists(st.text("abc ", min_size=1, max_size=4).filter(str.strip), min_size=1, max_size=3).map(",".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(TERM, TERM), min_size=1, max_size=6))
def test_below_a_header_an_unquoted_comma_is_always_an_error_with_its_line(tmp_path, rows):
    path = save(tmp_path, "t.csv", "source,target\n" + "".join(f"{source},{target}\n" for source, target in rows))
    wrong = [line for line, row in enumerate(rows, start=2) if "," in "".join(row)]
    if wrong:
        with pytest.raises(InvalidRows) as caught:
            files.read(path, **PAIR)
        assert caught.value.rows == wrong
    else:
        assert terms_of(files.read(path, **PAIR)) == rows


# ---- comments


def test_comment_lines_are_left_out_and_reported_but_a_term_is_kept(tmp_path):
    text = "# Our glossary, version 2\n#\nsource,target\nhouse,Haus\n# animals\n#hashtag,Hashtag\ncat,Katze\n#dog\n"
    table = files.read(save(tmp_path, "t.csv", text), **PAIR)
    assert terms_of(table) == [("house", "Haus"), ("#hashtag", "Hashtag"), ("cat", "Katze")]
    assert table["line"].tolist() == [4, 6, 7]
    assert "4 comments (lines 1, 2, 5, 8)" in table.said
    assert "1 row that begins with # was read as a term (line 6)." in table.said


def test_comments_do_not_decide_the_separator_and_may_hold_the_header(tmp_path):
    table = files.read(save(tmp_path, "t.csv", "# house, tree, and so on\n#source;target\na, b;c\nd;e\n"), **PAIR)
    assert terms_of(table) == [("a, b", "c"), ("d", "e")]


def test_in_a_sheet_a_number_sign_is_a_term(tmp_path):
    book = openpyxl.Workbook()
    for row in (["en", "de"], ["#hashtag", "Hashtag"], ["# 1", "Nr. 1"]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    assert terms_of(files.read(tmp_path / "t.xlsx")) == [("#hashtag", "Hashtag"), ("# 1", "Nr. 1")]


def test_a_term_that_would_be_read_as_a_comment_is_not_written(tmp_path):
    table = pd.DataFrame({"source_lang": "EN", "target_lang": "DE", "source": ["a", "#b"], "target": ["c", ""]})
    with pytest.raises(InvalidRows, match="would be read as a comment") as caught:
        files.write(table, tmp_path / "t.tsv", columns=2)
    assert caught.value.rows == [1]
    assert rows_of(files.read(files.write(table, tmp_path / "t.tsv"))) == rows_of(table)


# ---- JSON


@pytest.mark.parametrize(
    ("content", "given"),
    [
        ([{"en": "house", "de": "Haus"}, {"en": "tree", "de": "Baum", "note": 5}], {}),
        ([{"source": "house", "target": "Haus"}, {"source": "tree", "target": "Baum"}], PAIR),
        ([{"Term": "house", "Übersetzung": "Haus"}, {"Term": "tree", "Übersetzung": "Baum"}], PAIR),
        ([{"term": "house", "in": {"de": "Haus"}}, {"term": "tree", "in": {"de": "Baum"}}], {"source_lang": "en"}),
        ([["house", "Haus"], ["tree", "Baum"]], PAIR),
        ([["en", "de"], ["house", "Haus"], ["tree", "Baum"]], {}),
        ({"house": "Haus", "tree": "Baum"}, PAIR),
        ({"de": {"house": "Haus", "tree": "Baum"}}, {"source_lang": "en"}),
        ({"house": {"de": "Haus"}, "tree": {"de": "Baum"}}, {"source_lang": "en"}),
        ({"en": {"k1": "house", "k2": "tree"}, "de": {"k1": "Haus", "k2": "Baum"}}, {"source_lang": "en"}),
        ({"k1": {"en": "house", "de": "Haus"}, "k2": {"en": "tree", "de": "Baum"}}, {"source_lang": "en"}),
        ({"source_lang": "en", "target_lang": "de", "entries": {"house": "Haus", "tree": "Baum"}}, {}),
        ({"name": "x", "data": {"terms": [{"en": "house", "de": "Haus"}, {"en": "tree", "de": "Baum"}]}}, {}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("indent", [None, 2])
def test_json_is_read_in_the_shapes_that_people_have(tmp_path, content, given, indent):
    path = save(tmp_path, "t.json", json.dumps(content, ensure_ascii=False, indent=indent))
    table = files.read(path, **given)
    assert rows_of(table) == [("EN", "DE", "house", "Haus"), ("EN", "DE", "tree", "Baum")]
    assert table["line"].is_monotonic_increasing
    if indent and isinstance(content, dict):
        text = path.read_text("utf-8").splitlines()
        near = ["".join(text[line - 1 : line + 3]) for line in table["line"]]
        assert "house" in near[0] or "Haus" in near[0]
        assert "tree" in near[1] or "Baum" in near[1]


def test_what_json_says_beside_the_terms_is_reported(tmp_path):
    text = '{"name": "Outdoor", "version": 2, "terms": [{"en": "tent", "de": "Zelt"}]}'
    assert "Left out: 'name' (line 1), 'version' (line 1)." in files.read(save(tmp_path, "t.json", text)).said


def test_a_list_in_a_note_of_json_is_a_text(tmp_path):
    entries = [{"en": "tent", "de": "Zelt", "tags": ["a", "b"], "note": {"by": ["Ana", 1]}}]
    table = files.read(save(tmp_path, "t.json", json.dumps(entries)))
    assert terms_of(table) == [("tent", "Zelt")]
    assert table[["tags", "note.by"]].values.tolist() == [["a, b", '["Ana", 1]']]
    with pytest.raises(InvalidRows, match="line 1: expected a text, found a list"):
        files.read(save(tmp_path, "t.json", json.dumps([{"en": "tent", "de": ["Zelt", "Plane"]}])))


def test_json_lines_keep_their_numbers(tmp_path):
    text = '\n{"en": "tent", "de": "Zelt"}\n  {"en": "line\\nbreak", "de": "x"}\r\n{"en": "key", "de": "Schlüssel"}\n'
    table = files.read(save(tmp_path, "t.jsonl", text))
    assert terms_of(table) == [("tent", "Zelt"), ("line\nbreak", "x"), ("key", "Schlüssel")]
    assert table["line"].tolist() == [2, 3, 4]
    assert terms_of(files.read(save(tmp_path, "t.jsonl", '["a", "b"]\n["c", "d"]\n'), **PAIR)) == [
        ("a", "b"),
        ("c", "d"),
    ]
    with pytest.raises(ValueError, match=r"t\.jsonl: it is not valid JSON \(line 2"):
        files.read(save(tmp_path, "t.jsonl", '{"en": "a"}\n{"en": \n'))


def test_a_sheet_of_a_file_that_has_none_is_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"t\.csv: sheet= is for workbooks \(\.xlsx, \.ods\): leave it out"):
        files.read(save(tmp_path, "t.csv", "en,de\na,b\n"), sheet="Terms")


def test_what_json_says_under_a_hidden_key_is_left_out(tmp_path):
    table = files.read(save(tmp_path, "t.json", '{"_meta": {"version": "1"}, "house": "Haus", "tree": "Baum"}'), **PAIR)
    assert terms_of(table) == [("house", "Haus"), ("tree", "Baum")]
    assert "Left out: '_meta'." in table.said
    table = files.read(save(tmp_path, "t.json", '{"house": {"de": "Haus", "note": "x"}}'), **PAIR)
    assert terms_of(table) == [("house", "Haus")]
    assert table["note"].tolist() == ["x"]


def test_json_keeps_keys_that_are_there_twice_for_lint_to_find(tmp_path):
    table = files.read(save(tmp_path, "t.json", '{"house": "Haus",\n "house": "Heim"}'), **PAIR)
    assert terms_of(table) == [("house", "Haus"), ("house", "Heim")]
    assert table["line"].tolist() == [1, 2]
    found = glossaries.lint(table)
    assert found[["row", "line", "code"]].values.tolist() == [[1, 2, "conflict"]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": "b",\n}', r"t\.json: it is not valid JSON \(line 2, column 1\)"),
        ('{"de": {"a": "b"}, "fr": {"a": "c"}}', 'Pass source_lang="en"; if the keys are not terms, .* one of de, fr'),
        ('{"a": ["b", "c"], "d": "e"}', r"line 1: expected a list, as in line 1, found a text: .*in the same way"),
        ('{"a": {"de": "b"},\n "c": "d",\n "e": "f"}', r"line 2: expected an object, as in line 1, found a text"),
        ('[{"en": "a", "de": "b"},\n ["c", "d"]]', r"line 2: expected an object, as in line 1, found a list"),
        ('{"meta": {"version": "1"},\n "a": "b",\n "c": "d"}', r"line 2: expected an object"),
        ("[]", "only blank lines"),
        ("[" * 100_000, "not valid|nested"),
        ('[{"a": {"b": {"c": 1}}}]', "line 1: expected a text, found an object"),
    ],
)
def test_json_that_cannot_be_read_says_why(tmp_path, text, said):
    given = {} if "fr" in text else PAIR
    with pytest.raises(ValueError, match=said):
        files.read(save(tmp_path, "t.json", text), **given)


# ---- workbooks


def book_of(change=None, **sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    if change:
        change(book)
    stream = BytesIO()
    book.save(stream)
    return stream.getvalue()


README = [["Our glossary"], ["Ask Jane"], ["Author", "Jane"]]
TERMS = [["English", "German"], ["house", "Haus"]]


def test_behind_a_readme_the_only_sheet_with_a_header_is_read_and_reported(tmp_path):
    table = files.read(save(tmp_path, "t.xlsx", book_of(Readme=README, Terms=TERMS)))
    assert rows_of(table) == [("EN", "DE", "house", "Haus")]
    assert "Sheet 'Terms'." in table.said
    assert "Left out: 1 other sheet ('Readme')." in table.said


def test_an_error_in_the_only_sheet_behind_a_readme_is_reported(tmp_path):
    path = save(tmp_path, "t.xlsx", book_of(Readme=README, Terms=[*TERMS, ["tree", "=NA()"]]))
    with pytest.raises(InvalidRows, match="in sheet 'Terms' 1 cell"):
        files.read(path, **PAIR)


def test_where_a_sheet_cannot_be_chosen_the_error_names_the_sheets(tmp_path):
    path = save(tmp_path, "t.xlsx", book_of(Readme=README, Terms=TERMS, More=TERMS))
    with pytest.raises(
        ValueError,
        match=r"'Readme', has no header, and several other sheets have one: 'Terms', "
        r"'More'.*sheet=\"Terms\"",
    ):
        files.read(path)
    assert len(files.read(path, sheet="More")) == 1
    path = save(tmp_path, "u.xlsx", book_of(Readme=README[:2], Terms=[["house", "Haus"]]))
    with pytest.raises(
        ValueError,
        match=r"only one column.*sheet 'Readme' of 'Readme', 'Terms'\. Pass "
        r"sheet=\"Terms\"",
    ):
        files.read(path, **PAIR)


def test_the_sheet_with_the_columns_that_are_named_is_read(tmp_path):
    path = save(tmp_path, "t.xlsx", book_of(Old=[["A", "B"], ["x", "y"]], New=[["Wort", "Palabra"], ["Haus", "casa"]]))
    table = files.read(path, columns={"Wort": "de", "Palabra": "es"})
    assert rows_of(table) == [("DE", "ES", "Haus", "casa")]


def test_hidden_sheets_rows_and_columns_are_reported(tmp_path):
    def hide(book):
        book["Old"].sheet_state = "hidden"
        book["Terms"].row_dimensions[2].hidden = True
        book["Terms"].column_dimensions["C"].hidden = True

    terms = [["en", "de", "note"], ["house", "Haus", "n"], ["tree", "Baum", "m"]]
    path = save(tmp_path, "t.xlsx", book_of(hide, Old=TERMS, Terms=terms))
    table = files.read(path)
    assert terms_of(table) == [("house", "Haus"), ("tree", "Baum")]
    for told in (
        "Sheet 'Terms'.",
        "'Old' (hidden)",
        "1 hidden row was read too (2)",
        "1 hidden column was read too (C)",
    ):
        assert told in table.said
    assert "Sheet 'Old' (hidden)." in files.read(path, sheet="Old").said


def test_an_opendocument_spreadsheet_is_read(tmp_path):
    frame = pd.DataFrame({"English": ["house", "tree  x"], "German": ["Haus", "Baum"], "count": [5, 7]})
    with pd.ExcelWriter(tmp_path / "t.ods", engine="odf") as writer:
        pd.DataFrame({"": ["Our glossary"]}).to_excel(writer, sheet_name="Readme", index=False, header=False)
        frame.to_excel(writer, sheet_name="Terms", index=False)
    table = files.read(tmp_path / "t.ods")
    assert terms_of(table) == [("house", "Haus"), ("tree  x", "Baum")]
    assert table["line"].tolist() == [2, 3]
    assert table["count"].tolist() == ["5", "7"]
    assert "Sheet 'Terms'." in table.said


ODS = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"><office:automatic-styles>
<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>
</office:automatic-styles><office:body><office:spreadsheet>{}</office:spreadsheet></office:body></office:document-content>"""


def ods_of(tables):
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("content.xml", ODS.format(tables))
    return stream.getvalue()


def test_repeated_merged_and_hidden_cells_of_opendocument_are_read_as_they_are_seen(tmp_path):
    def cell(text, **more):
        said = "".join(f' table:{name.replace("_", "-")}="{value}"' for name, value in more.items())
        return f"<table:table-cell{said}><text:p>{text}</text:p></table:table-cell>"

    rows = [
        cell("en") + cell("de") + cell("note") + cell("status"),
        cell("house") + cell("Haus") + cell("n", number_rows_spanned=2) + cell("m", number_rows_spanned=2),
        cell("tree")
        + cell('Ba<text:span>um</text:span><text:s text:c="2"/>x')
        + '<table:covered-table-cell table:number-columns-repeated="2"/>',
        '<table:table-cell table:number-columns-repeated="1000"/>',
        cell("cat") + cell("Katze") + '<table:table-cell table:number-columns-repeated="16000"/>',
    ]
    shown = ["", ' table:visibility="collapse"', "", ' table:number-rows-repeated="1000"', ""]
    body = "".join(f"<table:table-row{how}>{row}</table:table-row>" for how, row in zip(shown, rows, strict=True))
    column = '<table:table-column table:number-columns-repeated="2"/><table:table-column table:visibility="collapse"/>'
    old = '<table:table table:name="Old" table:style-name="ta2"/>'
    tables = f'{old}<table:table table:name="T">{column}{body}</table:table>'
    table = files.read(save(tmp_path, "t.ods", ods_of(tables)))
    assert terms_of(table) == [("house", "Haus"), ("tree", "Baum  x"), ("cat", "Katze")]
    assert table["note"].tolist() == ["n", "n", ""]
    assert table["status"].tolist() == ["m", "m", ""]
    assert table["line"].tolist() == [2, 3, 1004]
    for told in ("'Old' (hidden)", "1 hidden row was read too (2)", "1 hidden column was read too (C)", "2 cells."):
        assert told in table.said


def test_a_row_that_is_repeated_without_end_is_refused(tmp_path):
    cells = "<table:table-cell table:number-columns-repeated='200'><text:p>x</text:p></table:table-cell>"
    rows = f"<table:table-row table:number-rows-repeated='1000000'>{cells}</table:table-row>"
    with pytest.raises(ValueError, match=r"row 1 is repeated 1,000,000 times"):
        files.read(save(tmp_path, "t.ods", ods_of(f"<table:table table:name='T'>{rows}</table:table>")))


@pytest.mark.parametrize("data", [b"rubbish", b"PK\x03\x04rubbish", book_of(T=TERMS)])
def test_what_is_no_opendocument_spreadsheet_is_reported(tmp_path, data):
    with pytest.raises(ValueError, match=r"t\.ods: it is damaged, has a password, or is not an \.ods file"):
        files.read(save(tmp_path, "t.ods", data))


# ---- lines


WIDE = "English term,German term,French\nhouse,Haus ,maison\ntree,Baum,\nhouse,Heim,demeure\n"


def test_the_index_is_unique_and_findings_name_line_pair_and_heading(tmp_path):
    table = files.read(save(tmp_path, "t.csv", WIDE))
    assert table.index.tolist() == [0, 1, 2, 3, 4]
    found = glossaries.lint(table)
    assert found[["row", "line", "pair", "column", "code"]].values.tolist() == [
        [0, 2, "EN to DE", "German term", "edge_space"],
        [2, 4, "EN to DE", "English term", "conflict"],
        [4, 4, "EN to FR", "English term", "conflict"],
    ]
    assert "this term is already in row 0 (line 2)" in found["message"][1]
    left = glossaries.lint(table.svc.fix())
    assert left["column"].tolist() == ["English term"] * 2
    tidy = files.read(save(tmp_path, "u.csv", "Begriff;Übersetzung\n a;b\n"), **PAIR)
    assert glossaries.lint(tidy)["column"].tolist() == ["Begriff"]


def test_lines_go_with_their_rows_through_push_diff_merge_and_files(tmp_path, connected):
    table = glossaries.fix(files.read(save(tmp_path, "t.csv", WIDE)), keep="first")
    glossaries.push(table, "Lines")
    pulled = glossaries.pull("Lines")
    assert not len(glossaries.diff(table, "Lines"))
    assert not len(glossaries.diff(table, pulled))
    theirs = pd.concat([pulled, pulled.iloc[:1].assign(source="new", target="neu ")], ignore_index=True)
    merged = glossaries.merge(pulled, table, theirs).table
    assert merged["line"].tolist()[:3] == [2, 3, 2]
    found = glossaries.lint(merged)
    assert found["code"].tolist() == ["edge_space"]
    assert found["line"].isna().all()
    for name, more in (("t.csv", {"header": True}), ("t.csv", {}), ("t.xlsx", {}), ("t.tbx", {}), ("t.tmx", {})):
        again = files.read(files.write(table, tmp_path / name, **more))
        assert sorted(rows_of(again)) == sorted(rows_of(table))
        assert list(again.columns) == [*COLUMNS, "line"]


def test_what_the_service_would_refuse_is_reported_with_its_lines(tmp_path, connected):
    path = save(tmp_path, "t.csv", WIDE)
    with pytest.raises(InvalidRows, match=r"3 rows \(lines 2, 4 of the file\); row 0 \(line 2\): the target") as caught:
        glossaries.push(path, "Refused")
    assert caught.value.rows == [0, 2, 4]


def test_a_column_called_line_is_kept_under_another_name(tmp_path):
    table = files.read(save(tmp_path, "t.csv", "en,de,line\nhouse,Haus,7a\n"))
    assert table["line"].tolist() == [2]
    assert table["line.1"].tolist() == ["7a"]


def test_a_file_is_pushed_as_it_is_read(tmp_path, connected):
    path = save(tmp_path, "t.csv", "Wort,Palabra\nHaus,casa\n")
    made = glossaries.push(path, "File", columns={"Wort": "de", "Palabra": "es"})
    assert rows_of(glossaries.pull(made.glossary_id)) == [("DE", "ES", "Haus", "casa")]
    plain = save(tmp_path, "u.tsv", "house\tHaus\n")
    glossaries.push(str(plain), "Plain", source_lang="en", target_lang="de")
    assert rows_of(glossaries.pull("Plain")) == [("EN", "DE", "house", "Haus")]
    marked = save(tmp_path, "m.csv", "señal;Signal;\n;;\n".encode("cp1252"))
    said = glossaries.push(marked, "Marked", source_lang="es", target_lang="de", encoding="cp1252", header=False).said
    assert said.startswith("1 term in 1 pair (ES to DE), from m.csv. The encoding is cp1252.")
    assert "Left out: 1 blank line. The glossary 'Marked' (" in said
    book = openpyxl.Workbook()
    for title, rows in (("First", [["en", "de"], ["a", "b"]]), ("Second", [["en", "fr"], ["c", "d"]])):
        for row in rows:
            (book[title] if title in book.sheetnames else book.create_sheet(title)).append(row)
    book.save(tmp_path / "b.xlsx")
    said = glossaries.push(tmp_path / "b.xlsx", "Sheet", sheet="Second").said
    assert "Left out: 2 other sheets ('Sheet', 'First'). The glossary 'Sheet' (" in said
    assert rows_of(glossaries.pull("Sheet")) == [("EN", "FR", "c", "d")]
    with pytest.raises(ValueError, match="source_lang= says how a file is read, but this is a table"):
        glossaries.push(files.read(plain, **PAIR), "Plain", source_lang="en")
