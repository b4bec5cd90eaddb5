"""Workbooks: strings change with their formatting; numbers, formulas, names and text boxes stay what they are."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.worksheet.table import Table

from svc_nb.service.formats import Unreadable
from svc_nb.service.formats.safe_xml import parse
from tests.growth import LINEAR, growth
from tests.service.formats.opendocument import bold, cell, flat, row
from tests.service.formats.wording import Shouting, by, translated

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def saved(book, tmp_path: Path) -> Path:
    book.save(tmp_path / "a.xlsx")
    return tmp_path / "a.xlsx"


def changed_part(source: Path, name: str, change) -> Path:
    """A copy of *source* in which one part is what *change* makes of it."""
    target = source.with_name(f"changed.{source.name}")
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for each in old.namelist():
            new.writestr(each, change(old.read(each).decode()) if each == name else old.read(each))
    return target


def part(path: Path, name: str) -> str:
    with zipfile.ZipFile(path) as file:
        return file.read(name).decode()


@pytest.fixture
def book(tmp_path) -> Path:
    made = openpyxl.Workbook()
    sheet = made.active
    sheet.title = "figures"
    sheet["A1"], sheet["B1"] = "product", "price"
    sheet["A2"], sheet["B2"] = "red car", 12.5
    sheet["A3"] = CellRichText("the ", TextBlock(InlineFont(b=True), "red"), " house is big")
    sheet["B3"] = "=A2&B2"
    sheet["A4"], sheet["B4"] = "red car", date(2026, 5, 1)
    sheet["A5"] = "  two\nlines "
    sheet["A2"].comment = Comment("a good car", "me")
    return saved(made, tmp_path)


def test_strings_change_and_the_rest_stays(book):
    done = openpyxl.load_workbook(translated(book), rich_text=True)
    sheet = done["figures"]
    assert [sheet[cell].value for cell in ("A1", "B1", "A2", "A4", "A5")] == [
        "PRODUCT", "PRICE", "RED CAR", "RED CAR", "  TWO\nLINES ",
    ]  # fmt: skip
    assert (sheet["B2"].value, sheet["B3"].value, sheet["B4"].value.date()) == (
        12.5,
        "=A2&B2",
        date(2026, 5, 1),
    )
    assert sheet["A2"].comment.text == "A GOOD CAR"


def test_bold_inside_a_cell_moves_with_its_word(book):
    moved = by(lambda text: "la casa <g1>roja</g1> es grande" if "house" in text else text)
    cell = openpyxl.load_workbook(translated(book, moved), rich_text=True)["figures"]["A3"].value
    assert [(str(run), isinstance(run, TextBlock) and bool(run.font.b)) for run in cell] == [
        ("la casa ", False),
        ("roja", True),
        (" es grande", False),
    ]


def test_untouched_parts_keep_their_bytes_and_formulas_are_computed_anew(book):
    done = translated(book)
    with zipfile.ZipFile(book) as before, zipfile.ZipFile(done) as after:
        assert before.namelist() == after.namelist()
        changed = {name for name in before.namelist() if before.read(name) != after.read(name)}
    assert changed == {"xl/worksheets/sheet1.xml", "xl/comments/comment1.xml", "xl/workbook.xml"}
    assert 'fullCalcOnLoad="1"' in part(done, "xl/workbook.xml")


def test_escaped_characters_and_reading_aids(book):
    source = changed_part(
        book,
        "xl/worksheets/sheet1.xml",
        lambda xml: xml.replace("<t>product</t>", '<t>a_x000D_b</t><rPh sb="0" eb="1"><t>x</t></rPh>'),
    )
    words = Shouting()
    done = part(translated(source, words), "xl/worksheets/sheet1.xml")
    assert "a\n<x1/>b" in words.calls[0]
    assert "<t>A_x000D_B</t>" in done
    assert "rPh" not in done


def with_table(tmp_path: Path, formula: str) -> Path:
    made = openpyxl.Workbook()
    sheet = made.active
    for values in (["name", "price"], ["car", 1]):
        sheet.append(values)
    sheet.add_table(Table(displayName="Goods", ref="A1:B2"))
    sheet["D1"] = formula
    return saved(made, tmp_path)


def columns(path: Path) -> list[str]:
    return re.findall(r'<tableColumn [^>]*name="([^"]*)"', part(path, "xl/tables/table1.xml"))


def test_the_columns_of_a_table_are_named_as_its_header_cells(tmp_path):
    done = translated(with_table(tmp_path, "=B2"))
    assert columns(done) == ["NAME", "PRICE"]
    assert openpyxl.load_workbook(done).active["A1"].value == "NAME"


@pytest.mark.parametrize("place", [(1 << 18) - before for before in (0, 3, 6, 200)])
def test_a_formula_is_found_wherever_it_stands_in_a_large_sheet(tmp_path, place):
    def moved(sheet: str) -> str:
        space = place - sheet.index("Goods[")
        return sheet.replace(">", f">{' ' * space}", 1)

    formula = with_table(tmp_path, "=SUM(Goods[price])")
    done = translated(changed_part(formula, "xl/worksheets/sheet1.xml", moved))
    assert columns(done) == ["NAME", "price"]


def with_tables(folder: Path, count: int) -> Path:
    """A workbook of so many tables, with a sheet that is the longer the more there are."""
    folder.mkdir()
    table = part(with_table(folder, "=B2"), "xl/tables/table1.xml")
    kinds = "".join(
        f'<Override PartName="/t{at}.xml" ContentType="application/vnd.openxmlformats-officedocument'
        '.spreadsheetml.table+xml"/>'
        for at in range(count)
    )
    space = " " * 25_000 * count
    source = changed_part(
        folder / "a.xlsx", "[Content_Types].xml", lambda text: text.replace("</Types>", f"{kinds}</Types>")
    )
    source = changed_part(source, "xl/worksheets/sheet1.xml", lambda text: text.replace(">", f">{space}", 1))
    with zipfile.ZipFile(source, "a") as file:
        for at in range(count):
            file.writestr(f"t{at}.xml", table.replace("Goods", f"Goods{at}"))
    return source


@pytest.mark.long
def test_a_sheet_is_looked_through_once_however_many_tables_there_are(tmp_path):
    few, many = (with_tables(tmp_path / str(count), count) for count in (25, 100))
    assert growth(translated, few, many) < LINEAR


def test_headers_that_would_become_equal_stay(tmp_path):
    same = by(lambda text: "Wert" if text in ("name", "price") else text.upper())
    done = translated(with_table(tmp_path, "=B2"), same)
    sheet = openpyxl.load_workbook(done).active
    assert columns(done) == ["name", "price"]
    assert [sheet[cell].value for cell in ("A1", "B1", "A2")] == ["name", "price", "CAR"]


def test_sheets_turn_for_arabic(book):
    assert openpyxl.load_workbook(translated(book, target_lang="AR"))["figures"].sheet_view.rightToLeft


BOX = (
    '<draw:custom-shape svg:width="5cm" svg:height="2cm" svg:x="5cm" svg:y="3cm">'
    f"<text:p>text in a {bold('box')}</text:p>"
    '<draw:enhanced-geometry draw:type="rectangle" svg:viewBox="0 0 21600 21600"'
    ' draw:enhanced-path="M 0 0 L 21600 0 21600 21600 0 21600 0 0 Z N"/></draw:custom-shape>'
)
NUMBER = '<table:table-cell office:value-type="float" office:value="3.5"><text:p>3.5</text:p></table:table-cell>'
FODS = flat(
    "spreadsheet",
    f'<table:table table:name="goods"><table:shapes>{BOX}</table:shapes>'
    f"{row(cell('a ' + bold('bold') + ' word'), NUMBER)}{row(cell('red car'), cell('red car'))}</table:table>",
)


def test_bold_in_cells_and_text_boxes_of_libreoffice_survive_and_it_opens_the_result(tmp_path, soffice):
    (tmp_path / "a.fods").write_text(FODS)
    [source] = soffice("xlsx", tmp_path / "a.fods", out=tmp_path)
    words = Shouting()
    done = translated(source, words)
    assert words.calls == [["Page ", "a <g1>bold</g1> word", "red car", "text in a <g1>box</g1>"]]
    boxes = part(done, "xl/drawings/drawing1.xml")
    assert re.findall(r"<a:t>([^<]*)", boxes) == ["TEXT IN A ", "BOX"]
    assert 'b="1"' in boxes
    assert re.search(r"<b [^>]*/>.*?<t[^>]*>BOLD</t>", part(done, "xl/sharedStrings.xml"))
    [table] = soffice("csv", done, out=tmp_path)
    assert table.read_text() == "A BOLD WORD,3.5\nRED CAR,RED CAR\n"


def with_strings(path: Path, strings: Iterable[str]) -> Path:
    """A workbook of these shared strings, and no cells."""
    openpyxl.Workbook().save(path)
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    named = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'
    made = changed_part(path, "[Content_Types].xml", lambda types: types.replace("</Types>", named))
    shared = "".join(f"<si><t>{each}</t></si>" for each in strings)
    with zipfile.ZipFile(made, "a") as file:
        file.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{shared}</sst>')
    return made


@pytest.mark.long
def test_hundreds_of_thousands_of_strings_take_little_longer_than_their_xml(tmp_path):
    words = with_strings(tmp_path / "words.xlsx", (f"word {number}" for number in range(700_000)))
    numbers = with_strings(tmp_path / "numbers.xlsx", map(str, range(700_000)))
    xml = part(words, "xl/sharedStrings.xml").encode()

    def refuse():
        with pytest.raises(Unreadable, match="The document has more than 1,000,000 characters"):
            translated(words)

    for work in (refuse, lambda: translated(numbers)):
        assert growth(lambda do: do(), lambda: parse(xml), work) < 6
