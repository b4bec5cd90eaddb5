"""Excel files: read as a person sees them, written as text, and safe against hostile ones."""

from __future__ import annotations

import tracemalloc
import zipfile
from datetime import date, datetime, time
from io import BytesIO

import openpyxl
import pandas as pd
import pytest
from openpyxl.styles import Font

from svc_nb.errors import InvalidRows
from svc_nb.glossaries import files
from svc_nb.tabular import sheets, streaming
from svc_nb.tabular.terms import COLUMNS


def book_of(*rows, title="Terms", change=None):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = title
    for row in rows:
        sheet.append(row)
    if change:
        change(sheet)
    stream = BytesIO()
    book.save(stream)
    return stream.getvalue()


def read(folder, data, **options):
    path = folder / "terms.xlsx"
    path.write_bytes(data)
    return files.read(path, **options)


def rows_of(table):
    return list(table[list(COLUMNS)].itertuples(index=False, name=None))


def repacked(data, part, change):
    """The workbook with one part of it changed, or added."""
    stream = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as given, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for name in {**dict.fromkeys(given.namelist()), part: None}:
            xml = given.read(name) if name in given.namelist() else b""
            made.writestr(name, change(xml) if name == part else xml)
    return stream.getvalue()


SHEET = "xl/worksheets/sheet1.xml"


def table_of(*terms):
    return pd.DataFrame({"source_lang": "en", "target_lang": "de", "source": terms, "target": terms}, dtype=object)


def test_a_sheet_of_three_languages_with_a_byte_order_mark_becomes_terms(tmp_path):
    data = book_of(["\ufeffEnglish", "Deutsch", "日本語"], ["house", "Haus", "家"], [], ["cat", "Katze", None])
    table = read(tmp_path, data)
    assert rows_of(table) == [
        ("EN", "DE", "house", "Haus"),
        ("EN", "DE", "cat", "Katze"),
        ("EN", "JA", "house", "家"),
    ]
    assert table["line"].tolist() == [2, 4, 2]
    assert table.said == (
        "3 terms in 2 pairs (EN to DE, EN to JA), from terms.xlsx. It has a column for each language. Sheet 'Terms'. "
        "A byte order mark or an invisible space at the very beginning was dropped. "
        "Left out: 1 blank row, 1 empty cell. Next: .svc.lint()"
    )


def test_cells_are_the_text_a_person_sees(tmp_path):
    cells = [
        5,
        5.0,
        0.1 + 0.2,
        -3,
        10**14,
        True,
        False,
        date(2024, 2, 29),
        datetime(2024, 2, 29, 13, 5),
        time(8, 30),
        " x ",
    ]
    shown = [
        "5",
        "5",
        "0.3",
        "-3",
        "100000000000000",
        "TRUE",
        "FALSE",
        "2024-02-29",
        "2024-02-29 13:05:00",
        "08:30:00",
        " x ",
    ]
    data = book_of(*[[f"term {number}", cell, "en", "de"] for number, cell in enumerate(cells)])
    assert read(tmp_path, data)["target"].tolist() == shown


def test_dates_counted_since_1904_are_right(tmp_path):
    book = openpyxl.Workbook()
    book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    book.active.append(["day", date(2024, 2, 29), "en", "de"])
    stream = BytesIO()
    book.save(stream)
    assert read(tmp_path, stream.getvalue())["target"].tolist() == ["2024-02-29"]


def shared(*strings):
    """A workbook whose one row has *strings* from the table that all sheets share, as Excel writes it."""
    cells = "".join(f'<c t="s"><v>{number}</v></c>' for number in range(len(strings)))
    book = repacked(book_of(["x"]), SHEET, lambda xml: filled(xml, f'<row r="1">{cells}</row>'))
    table = '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' + "".join(strings) + "</sst>"
    linked = (
        b'<Relationship Id="s" Target="sharedStrings.xml" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        b'relationships/sharedStrings"/></Relationships>'
    )
    book = repacked(book, "xl/_rels/workbook.xml.rels", lambda xml: xml.replace(b"</Relationships>", linked))
    return repacked(book, "xl/sharedStrings.xml", lambda _: table.encode())


def filled(xml, rows):
    """The sheet *xml* with other rows."""
    return xml[: xml.index(b"<sheetData>") + 11] + rows.encode() + xml[xml.index(b"</sheetData>") :]


def test_formatted_runs_are_one_text_and_pronunciation_is_left_out(tmp_path):
    runs = (
        '<si><r><t xml:space="preserve">big </t></r><r><rPr><b/></rPr><t>house</t></r>'
        '<rPh sb="0" eb="1"><t>NO</t></rPh></si>'
    )
    data = shared(runs, "<si><t>家</t><rPh><t>ie</t></rPh></si>", "<si><t>en</t></si>", "<si><t>ja</t></si>")
    assert rows_of(read(tmp_path, data)) == [("EN", "JA", "big house", "家")]
    data = shared("<si><t>a_x000D_b_x005F_x000D_</t></si>", "<si><t/></si>", "<si><t>en</t></si>", "<si><t>ja</t></si>")
    assert rows_of(read(tmp_path, data)) == [("EN", "JA", "a\rb_x000D_", "")]


def test_errors_are_named_by_their_cells_but_text_that_looks_so_is_text(tmp_path):
    data = book_of(["a", "#N/A", "en", "de"], ["b", "#REF!", "en", "de"])
    with pytest.raises(
        InvalidRows, match=r"terms\.xlsx: sheet 'Terms' has 2 cells with an error: B1 #N/A, B2 #REF!"
    ) as caught:
        read(tmp_path, data)
    assert caught.value.rows == [1, 2]
    path = files.write(table_of("#N/A"), tmp_path / "t.xlsx")
    assert files.read(path)["source"].tolist() == ["#N/A"]


def test_the_value_of_a_formula_is_read_and_not_the_formula(tmp_path):
    data = repacked(
        book_of(["a", "=1+1", "en", "de"]),
        SHEET,
        lambda xml: xml.replace(b"<f>1+1</f><v />", b"<f>1+1</f><v>2</v>").replace(
            b"<f>1+1</f><v></v>", b"<f>1+1</f><v>2</v>"
        ),
    )
    assert read(tmp_path, data)["target"].tolist() == ["2"]


def test_formulas_without_a_stored_value_are_named_by_their_cells(tmp_path):
    path = tmp_path / "t.xlsx"
    pd.DataFrame({"en": ["=foo", "-bar"], "de": ["=fu", "-b"]}).to_excel(path, index=False)
    with pytest.raises(InvalidRows, match=r"2 cells hold a formula without a stored value \(A2, B2\)\. Open") as caught:
        files.read(path)
    assert caught.value.rows == [2]
    data = book_of(["en", "de", "fr"], ["house", "=B9", "maison"])
    with pytest.raises(InvalidRows, match=r"1 cell holds .*\(B2\)"):
        read(tmp_path, data)
    zero = repacked(data, SHEET, lambda xml: xml.replace(b"<v />", b"<v>0</v>").replace(b"<v></v>", b"<v>0</v>"))
    with pytest.raises(InvalidRows, match=r"\(B2\)"):  # so do writers who leave all counting to Excel
        read(tmp_path, zero)
    counted = repacked(zero, "xl/workbook.xml", lambda xml: xml.replace(b'fullCalcOnLoad="1"', b""))
    assert read(tmp_path, counted)["target"].tolist() == ["0", "maison"]


def test_a_formula_whose_value_is_an_empty_text_is_an_empty_cell(tmp_path):
    cell = '<c r="B1" t="str"><f>IF(1,"","x")</f><v></v></c>'
    codes = '<c r="C1" t="str"><v>en</v></c><c r="D1" t="str"><v>de</v></c>'
    row = f'<row r="1"><c r="A1" t="str"><v>a</v></c>{cell}{codes}</row>'
    data = repacked(book_of(["x"]), SHEET, lambda xml: filled(xml, row))
    assert rows_of(read(tmp_path, data)) == [("EN", "DE", "a", "")]


def test_cells_that_are_merged_downwards_have_one_value(tmp_path):
    def merge(sheet):
        for ref in ("A2:A4", "C2:D4", "B6:B9"):
            sheet.merge_cells(ref)

    rows = (
        ["en", "de", "note", "by"],
        ["house", "Haus", "n", None],
        [None, "Heim"],
        [None, "Bau"],
        ["cat", "Katze"],
    )
    table = read(tmp_path, book_of(*rows, ["dog", "Hund"], ["hound"], change=merge))
    assert table["source"].tolist() == ["house", "house", "house", "cat", "dog", "hound"]
    assert table["note"].tolist() == ["n", "n", "n", "", "", ""]
    assert table["target"].tolist()[-1] == "Hund"
    assert "Merged cells were filled down: 5 cells." in table.said


@pytest.mark.long
def test_merged_cells_that_overlap_cost_no_time(tmp_path):
    refs = "".join(f'<mergeCell ref="A{number}:A1048576"/>' for number in range(1, 20_000))
    rows = [[f"a{number}", "b", "en", "de"] for number in range(5000)]
    data = repacked(book_of(*rows), SHEET, lambda xml: xml.replace(b"</sheetData>", f"</sheetData>{refs}".encode()))
    assert read(tmp_path, data)["source"].tolist() == [row[0] for row in rows]


def test_numbers_with_zeros_before_them_are_read_as_they_are_seen(tmp_path):
    def show(sheet):
        for cell, shown in (
            ("B1", "000"),
            ("B2", "000"),
            ("B3", "0000"),
            ("B4", "#,##0"),
            ("B5", "00"),
            ("B6", "0"),
        ):
            sheet[cell].number_format = shown

    rows = [[f"t{number}", value, "en", "de"] for number, value in enumerate([7, -7, 12345, 1234, 7.5, 5, 8])]
    table = read(tmp_path, book_of(*rows, change=show))
    assert table["target"].tolist() == ["007", "-007", "12345", "1234", "7.5", "5", "8"]
    assert "2 cells with number formats were read as plain numbers." in table.said


@pytest.mark.parametrize(
    ("stored", "seen"),
    [
        ("12345678901234567", "12345678901234567"),
        ("-12345678901234567", "-12345678901234567"),
        ("1.2345678901234501E+16", "12345678901234501"),
        ("1E+3", "1000"),
        ("0.30000000000000004", "0.3"),
        ("1E+300", "1e+300"),
        ("1E-07", "1e-07"),
    ],
)
def test_big_numbers_have_all_digits_that_are_stored(tmp_path, stored, seen):
    row = f'<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1"><v>{stored}</v></c></row>'
    data = repacked(book_of(["x"]), SHEET, lambda xml: filled(xml, row))
    assert read(tmp_path, data, source_lang="en", target_lang="de")["target"].tolist() == [seen]


def test_titles_over_merged_cells_are_skipped(tmp_path):
    def merge(sheet):
        sheet.merge_cells("A1:D1")
        sheet.merge_cells("A4:C4")

    data = book_of(
        ["Our glossary"],
        [],
        ["source", "target", "source_lang", "target_lang"],
        ["Part A"],
        ["a", "b", "en", "de"],
        change=merge,
    )
    table = read(tmp_path, data)
    assert rows_of(table) == [("EN", "DE", "a", "b")]
    assert table["line"].tolist() == [5]
    assert "Left out: 2 rows of merged cells." in table.said


def test_a_title_above_the_header_is_left_out(tmp_path):
    table = read(tmp_path, book_of(["Our glossary"], [], [None, "v2"], ["English", "German"], ["house", "Haus"]))
    assert rows_of(table) == [("EN", "DE", "house", "Haus")]
    assert table["line"].tolist() == [5]
    assert "Left out: 1 blank row, 2 rows above the header." in table.said


def test_many_columns_of_ones_own_are_kept(tmp_path):
    names = [f"note {number}" for number in range(200)]
    for head in (["source", "target"], ["en", "de"]):
        data = book_of([*head, *names], ["a", "b", *names])
        table = read(tmp_path, data, source_lang="en", target_lang="de")
        assert list(table.columns) == [*COLUMNS, "line", *names]
        assert table.iloc[0].tolist() == ["EN", "DE", "a", "b", 2, *names]


def test_the_first_sheet_with_cells_or_the_one_named_is_read(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "Empty"
    book.create_sheet("One").append(["a", "b", "en", "de"])
    book.create_sheet("Two & <3").append(["c", "d", "en", "de"])
    stream = BytesIO()
    book.save(stream)
    assert read(tmp_path, stream.getvalue())["source"].tolist() == ["a"]
    assert read(tmp_path, stream.getvalue(), sheet="Two & <3")["source"].tolist() == ["c"]
    with pytest.raises(ValueError, match="sheet: expected one of 'Empty', 'One', 'Two & <3', found 'Three'"):
        read(tmp_path, stream.getvalue(), sheet="Three")
    with pytest.raises(ValueError, match="only blank lines"):
        read(tmp_path, stream.getvalue(), sheet="Empty")


def test_pandas_own_files_are_read(tmp_path):
    path = tmp_path / "t.xlsx"
    pd.DataFrame({"term": ["house"], "de": ["Haus"], "count": [3]}).to_excel(path, index=False)
    table = files.read(path, source_lang="en")
    assert rows_of(table) == [("EN", "DE", "house", "Haus")]
    assert table["count"].tolist() == ["3"]


# ---- writing

RISKY = [
    "=1+1", "+1", "-1", "@SUM(1)", "#N/A", "TRUE", "5", "007", " a ", "a\nb", "a\rb", "_x000D_", "<b>&", "'=x", "👍",
    "2024-01-01",
]  # fmt: skip


@pytest.mark.parametrize("safe", [False, True])
def test_every_cell_is_written_as_text_and_never_as_a_formula(tmp_path, safe):
    path = files.write(table_of(*RISKY), tmp_path / "t.xlsx", formula_safe=safe)
    with zipfile.ZipFile(path) as archive:
        xml = archive.read(SHEET)
    assert b"<f" not in xml.replace(b"<fo", b"")
    assert xml.count(b't="inlineStr"') == xml.count(b"<c ") == 4 * (len(RISKY) + 1)
    assert rows_of(files.read(path)) == [("EN", "DE", term, term) for term in RISKY]


def test_another_reader_sees_the_same_texts_a_bold_head_and_a_frozen_row(tmp_path):
    path = files.write(table_of("=1+1", "a  b"), tmp_path / "t.xlsx", sheet="My terms")
    book = openpyxl.load_workbook(path)
    sheet = book["My terms"]
    assert [cell.value for cell in sheet[1]] == list(COLUMNS)
    assert sheet["A1"].font == Font(bold=True)
    assert (sheet["C2"].value, sheet["C2"].data_type, sheet["C2"].number_format) == ("=1+1", "s", "@")
    assert sheet.freeze_panes == "A2"
    assert sheet.column_dimensions["A"].width == len("source_lang") + 2
    assert pd.read_excel(path)["source"].tolist() == ["=1+1", "a  b"]


def test_extra_columns_go_with_their_rows(tmp_path):
    table = table_of("a").assign(**{"=note": ["=x"]})
    again = files.read(files.write(table, tmp_path / "t.xlsx", formula_safe=True))
    assert again["=note"].tolist() == ["=x"]


def test_what_a_sheet_cannot_hold_is_refused_by_its_rows(tmp_path):
    table = table_of("ok", "\x07", "x" * 32_768, "😀" * 16_384, "x" * 32_767).set_axis(list("abcde"))
    with pytest.raises(InvalidRows, match="Nothing was written: 3 rows") as caught:
        files.write(table, tmp_path / "t.xlsx")
    assert caught.value.rows == ["b", "c", "d"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("title", ["", "x" * 32, "a/b", "a:b", "[a]", "'a", "a\x00", None])
def test_a_title_that_no_sheet_can_have_is_refused(tmp_path, title):
    with pytest.raises(ValueError, match="sheet: expected a title of 1 to 31 characters"):
        files.write(table_of("a"), tmp_path / "t.xlsx", sheet=title)


# ---- hostile files


@pytest.mark.long
def test_a_file_that_unpacks_to_an_absurd_size_is_not_unpacked(tmp_path):
    data = repacked(book_of(["a", "b"]), SHEET, lambda xml: xml + b" " * (sheets.MOST_BYTES + 1))
    assert len(data) < 2**20
    with pytest.raises(ValueError, match="it would unpack to 200 MiB"):
        read(tmp_path, data)


@pytest.mark.parametrize("part", [SHEET, "xl/sharedStrings.xml", "xl/workbook.xml", "xl/styles.xml"])
@pytest.mark.parametrize("declared", ['<!ENTITY a "x">', '<!ENTITY a SYSTEM "file:///etc/hostname">'])
def test_a_file_that_declares_entities_is_not_read(tmp_path, part, declared):
    strings = [f"<si><t>{text}</t></si>" for text in ("a", "b", "en", "de")]
    data = repacked(
        shared(*strings),
        part,
        lambda xml: f"<!DOCTYPE x [{declared}]>".encode() + xml.removeprefix(b'<?xml version="1.0"?>'),
    )
    with pytest.raises(ValueError, match="declares a document type"):
        read(tmp_path, data)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ('<row r="99999999999"><c><v>1</v></c></row>', "a row has the number 99999999999"),
        ('<row r="1"><c r="ZZZZ1"><v>1</v></c></row>', "row 1 has more than 256 columns"),
        ('<row r="1"><c t="s"><v>77</v></c></row>', "IndexError"),
        ('<row r="1"><c><v>x</v></c></row>', "could not convert"),
        ("<row", "XMLSyntaxError"),
    ],
)
def test_a_damaged_sheet_is_reported(tmp_path, wrong, said):
    data = repacked(book_of(["a", "b"]), SHEET, lambda xml: filled(xml, wrong))
    with pytest.raises(ValueError, match=rf"terms\.xlsx: it is damaged, or not an Excel file .*{said}"):
        read(tmp_path, data)


def test_every_cut_of_a_file_is_refused_and_never_a_crash(tmp_path):
    data = book_of(["a", "b", "en", "de"])
    for end in range(1, len(data), 331):
        with pytest.raises(ValueError, match=r"terms\.xlsx: it is"):
            read(tmp_path, data[:end])


def test_old_and_locked_files_say_what_to_do(tmp_path):
    with pytest.raises(ValueError, match=r"Excel's old format, or has a password\. Open it, and save it as \.xlsx"):
        read(tmp_path, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500)


def test_cells_without_names_and_blanks_far_away_do_no_harm(tmp_path):
    rows = (
        '<row><c t="inlineStr"><is><t>a</t></is></c><c t="str"><v>b</v></c></row>'
        '<row r="1048576"><c r="XFD1048576" s="0"/></row>'
    )
    data = repacked(
        book_of(["x"]),
        SHEET,
        lambda xml: filled(xml, rows),
    )
    table = read(tmp_path, data, source_lang="en", target_lang="de")
    assert rows_of(table) == [("EN", "DE", "a", "b")]


STRINGS = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
TYPE = b'<Override PartName="/xl/sharedStrings.xml" ContentType="%s"/></Types>' % STRINGS


@pytest.mark.parametrize("is_linked", [True, False])
@pytest.mark.parametrize("piece", ["<si/>", "<si><t/></si>"])
def test_ten_million_texts_are_refused_before_they_are_read(tmp_path, piece, is_linked):
    data = shared("<si/>") if is_linked else book_of(["x"])
    data = repacked(data, "[Content_Types].xml", lambda xml: xml if is_linked else xml.replace(b"</Types>", TYPE))
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    texts = f'<sst xmlns="{space}">{piece * 10_000_000}</sst>'.encode()
    path = tmp_path / "t.xlsx"
    path.write_bytes(repacked(data, "xl/sharedStrings.xml", lambda _: texts))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="its list of texts has more than 6,000,000 elements"):
            files.read(path)
        with pytest.raises(ValueError, match="its list of texts has more than 6,000,000 elements"):
            streaming.opened(str(path)).__enter__()
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
