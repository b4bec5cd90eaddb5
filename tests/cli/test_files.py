"""Files of rows: columns are added, and everything else stays byte for byte."""

from __future__ import annotations

import csv
import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook as Book
from openpyxl import load_workbook
from openpyxl.styles import Font

from svc_nb.tabular.streaming.source import InvalidOption
from tests.cli.tables import column, extended, json_lines, places, separated, workbook

LETTERS = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\x85\u2028\u2029")
CELLS = st.text(st.one_of(LETTERS, st.sampled_from(list('",;\t|\n "'))), max_size=8)
ENCODINGS = st.sampled_from([("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe")])


@st.composite
def tables(draw):
    width = draw(st.integers(2, 4))
    names = [f"n{place}" for place in range(width)]
    rows = draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=5))
    return [names, *([*row[:-1], row[-1] + "x"] for row in rows)]


@given(tables(), st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]), ENCODINGS, st.booleans(), st.data())
def test_a_csv_is_the_same_but_for_the_cells_that_were_added(rows, separator, end, written, quoted, data):
    how = {
        "delimiter": separator,
        "lineterminator": end,
        "quoting": csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL,
    }
    encoding, mark = written
    source = mark + as_csv(rows, how).encode(encoding)
    table = separated(source, delimiter=separator)
    assert table.names == rows[0]
    assert [list(row) for row in zip(*(column(table, name) for name in table.names), strict=True)] == rows[1:]
    more = data.draw(st.lists(CELLS, min_size=len(rows) - 1, max_size=len(rows) - 1))
    longer = [[*row, cell] for row, cell in zip(rows, ["added", *more], strict=True)]
    assert extended(table, {"added": more}) == mark + as_csv(longer, how).encode(encoding)


def as_csv(rows, how) -> str:
    stream = io.StringIO()
    csv.writer(stream, **how).writerows(rows)
    return stream.getvalue()


def test_blank_lines_stay_and_short_lines_are_filled():
    table = separated(b"a,b\r\n\r\n1\r\n2,x\r\n  \r\n")
    assert column(table, "b") == ["", "x"]
    assert places(table) == [3, 4]
    assert extended(table, {"c": ["p", "q"]}) == b"a,b,c\r\n\r\n1,,p\r\n2,x,q\r\n  \r\n"


def test_a_row_of_empty_cells_is_a_row_whatever_separates_them():
    table = separated(b"a\tb\tc\n\t\t\n \n1\t\tx\n", "\t")
    assert column(table, "c") == ["", "x"]
    assert extended(table, {"d": ["p", "q"]}) == b"a\tb\tc\td\n\t\t\tp\n \n1\t\tx\tq\n"
    with pytest.raises(ValueError, match="line 2: expected 2 cells as in the first line, found 3"):
        separated(b"a\tb\n\t\t\n", "\t")


def test_a_last_line_without_an_end_gets_none():
    assert extended(separated(b"a,b\n1,x"), {"c": ["y"]}) == b"a,b,c\n1,x,y"


def test_old_line_ends_are_known():
    assert extended(separated(b"a,b\r1,x\r"), {"c": ["y"]}) == b"a,b,c\r1,x,y\r"


@pytest.mark.parametrize(
    ("head", "separator"), [("a;b", ";"), ("a\tb", "\t"), ("a|b", "|"), ("a,b;c", ","), ("a", ",")]
)
def test_the_separator_is_found_in_the_first_line(head, separator):
    assert separated(f"{head}\n1\n".encode()).separator == separator


def test_a_line_that_names_the_separator_stays_and_is_counted():
    table = separated(b"sep=;\r\na;b\r\n1;x\r\n")
    assert places(table) == [3]
    assert extended(table, {"c": ["y"]}) == b"sep=;\r\na;b;c\r\n1;x;y\r\n"


def test_a_tsv_may_know_no_quotes():
    table = separated(b'a\tb\n1\t5" wide\n2\t"half\n', usual="\t")
    assert column(table, "b") == ['5" wide', '"half']
    assert extended(table, {"c": ['"x', "y\tz\n"]}) == b'a\tb\tc\n1\t5" wide\t"x\n2\t"half\ty z \n'


def test_a_csv_whose_quotes_are_not_closed_is_refused_with_its_line():
    with pytest.raises(ValueError, match="line 3: a quote is not closed"):
        separated(b'a,b\n1,x\n2,"half\n3,y\n')


def test_a_line_with_too_many_cells_is_refused_with_its_number():
    with pytest.raises(ValueError, match="line 3: expected 2 cells as in the first line, found 3"):
        separated(b"a,b\n1,x\n2,x,y\n")


def test_what_is_no_utf_8_is_refused_and_read_when_its_encoding_is_named():
    with pytest.raises(ValueError, match=r"\(line 2\)\. Save it as UTF-8, or name its encoding"):
        separated(b"a,b\n1,caf\xe9\n")
    table = separated(b"a,b\n1,caf\xe9\n", encoding="cp1252")
    assert column(table, "b") == ["café"]
    assert extended(table, {"c": ["thé"]}) == b"a,b,c\n1,caf\xe9,th\xe9\n"
    with pytest.raises(ValueError, match=r"has no form for '茶'.*out_encoding=.utf-8"):
        extended(table, {"c": ["茶"]})
    assert extended(table, {"c": ["茶"]}, encoding="utf-8") == "a,b,c\n1,café,茶\n".encode()
    with pytest.raises(InvalidOption, match="no encoding 'utf-99'"):
        separated(b"a,b\n", encoding="utf-99")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_an_encoding_with_a_mark_is_read_without_one(encoding):
    plain = {"utf-8-sig": "utf-8"}.get(encoding, f"{encoding}-le")
    table = separated("a,b\n1,thé\n".encode(plain), encoding=encoding)
    assert column(table, "b") == ["thé"]
    assert extended(table, {"c": ["茶"]}) == "a,b,c\n1,thé,茶\n".encode(plain)
    marked = separated("a,b\n1,thé\n".encode(encoding), encoding=encoding)
    assert extended(marked, {"c": ["茶"]}) == "a,b,c\n1,thé,茶\n".encode(encoding)


MEMBERS = st.dictionaries(CELLS, st.one_of(CELLS, st.none(), st.integers(), st.lists(CELLS, max_size=2)), max_size=4)


@given(st.lists(MEMBERS, min_size=1, max_size=5), st.booleans(), st.booleans(), st.data())
def test_json_lines_are_the_same_but_for_the_members_that_were_added(objects, tight, escaped, data):
    separators = (",", ":") if tight else (", ", ": ")
    lines = [json.dumps(each, ensure_ascii=escaped, separators=separators) for each in objects]
    table = json_lines("\n".join(lines).encode())
    more = data.draw(st.lists(st.one_of(CELLS, st.none()), min_size=len(objects), max_size=len(objects)))
    result = extended(table, {"added in the end": more}).decode().split("\n")
    for line, made, given_object, cell in zip(lines, result, objects, more, strict=True):
        assert json.loads(made) == {**given_object, "added in the end": cell}
        assert made.startswith(line[:-1])


def test_only_texts_of_json_lines_are_texts():
    table = json_lines(b'{"a": "x"}\r\n\r\n{"a": 7}\r\n{"b": 1}\r\n')
    assert column(table, "a") == ["x", None, None]
    assert places(table) == [1, 3, 4]
    assert extended(table, {"c": ["y", None, None]}).startswith(b'{"a": "x", "c": "y"}\r\n\r\n')


@pytest.mark.parametrize("line", [b"[1]", b"7", b"{", b"x", b'{"a": ' + b"[" * 100_000])
def test_a_line_that_is_no_object_is_refused_with_its_number(line):
    with pytest.raises(ValueError, match="line 2"):
        json_lines(b'{"a": "x"}\n' + line)


@pytest.mark.parametrize(
    ("value", "said"),
    [("[" * 100_000, "nested too deep"), ("9" * 5000, "too many digits"), ("x", "this is not valid JSON")],
)
def test_it_is_said_why_a_line_is_no_object(value, said):
    with pytest.raises(ValueError, match=f"line 1: .*{said}"):
        json_lines(f'{{"a": {value}}}'.encode())


def book() -> bytes:
    made = Book()
    made.active.title = "Empty"
    page = made.create_sheet("Shop & more")
    page.append([])
    page.append(["id", "title", "price", "sum"])
    page["B2"].font = Font(bold=True)
    page.append(["007", "Guten Morgen", 1.5, "=C3*2"])
    page.append([8, None, 2])
    page.append(["009", "Gute <Nacht> & \n mehr", 2026])
    stream = io.BytesIO()
    made.save(stream)
    return stream.getvalue()


def test_a_workbook_is_the_same_but_for_the_cells_that_were_added():
    source = book()
    table = workbook(source)
    assert table.names == ["id", "title", "price", "sum"]
    assert column(table, "title") == ["Guten Morgen", None, "Gute <Nacht> & \n mehr"]
    assert column(table, "price") == [None, None, None]
    assert places(table) == [3, 4, 5]
    result = extended(table, {"title_EN": ["=Good morning", None, "Good <night> & \n more\x07"]})
    page = load_workbook(io.BytesIO(result))["Shop & more"]
    assert [[cell.value for cell in row] for row in page.iter_rows(min_row=2)] == [
        ["id", "title", "price", "sum", "title_EN"],
        ["007", "Guten Morgen", 1.5, "=C3*2", "=Good morning"],
        [8, None, 2, None, None],
        ["009", "Gute <Nacht> & \n mehr", 2026, None, "Good <night> & \n more\N{REPLACEMENT CHARACTER}"],
    ]
    assert page["E3"].data_type == "s"  # no formula
    given_parts, made_parts = (zipfile.ZipFile(io.BytesIO(data)) for data in (source, result))
    for name in given_parts.namelist():
        assert name.endswith("sheet2.xml") or made_parts.read(name) == given_parts.read(name)


def test_a_sheet_is_chosen_by_its_name_or_is_the_first_that_is_filled():
    assert workbook(book(), sheet="Shop & more").names[0] == "id"
    with pytest.raises(InvalidOption, match="there are Empty, Shop & more"):
        workbook(book(), sheet="Shop")
    with pytest.raises(ValueError, match="the sheet is empty"):
        workbook(book(), sheet="Empty")


@pytest.mark.parametrize("data", [b"id,title\n", b"PK\x03\x04 damaged", b"\xd0\xcf\x11\xe0 old", book()[:-200]])
def test_what_is_no_workbook_is_refused(data):
    with pytest.raises(ValueError, match=r"a\.xlsx"):
        workbook(data)
