"""OpenDocument spreadsheets (.ods) as rows of cells, as a person sees them; they are only read, never written."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import Any

from svc_nb.errors import InvalidRows
from svc_nb.tabular.cells import LEFT_OUT, Cells
from svc_nb.tabular.report import named, plural
from svc_nb.tabular.sheets import DAMAGE, MOST_COLUMNS, MOST_ROWS, SAFELY, HiddenParts, refuse_absurd

TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
# More repeated cells than a real file has.
MOST_REPEATED = 1_000_000
# What LibreOffice shows in a cell whose formula failed.
ERRORS = ("#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NUM!", "Err:")


def titles(data: bytes) -> dict[str, bool]:
    """The titles of all sheets, and whether each is hidden."""
    root = _root(data)
    hidden = {
        style.get(f"{STYLE}name")
        for style in root.iter(f"{STYLE}style")
        if any(each.get(f"{TABLE}display") == "false" for each in style.iter(f"{STYLE}table-properties"))
    }
    return {
        each.get(f"{TABLE}name", ""): each.get(f"{TABLE}style-name") in hidden for each in root.iter(f"{TABLE}table")
    }


def grids(data: bytes, chosen: Sequence[str]) -> Iterator[Callable[[], Cells]]:
    """For each of the sheets *chosen*, a function that returns its rows."""
    tables = {each.get(f"{TABLE}name", ""): each for each in _root(data).iter(f"{TABLE}table")}
    for title in chosen:
        yield lambda title=title: _cells(title, tables[title])  # type: ignore[misc]


def _root(data: bytes) -> Any:
    """The content of a spreadsheet; ValueError if there is none, or if it would unpack to an absurd size."""
    from lxml import etree

    try:
        refuse_absurd(data)
        with zipfile.ZipFile(BytesIO(data)) as archive:
            root: Any = etree.fromstring(archive.read("content.xml"), etree.XMLParser(**SAFELY))
        if root.getroottree().docinfo.doctype or next(root.iter(f"{OFFICE}spreadsheet"), None) is None:
            raise ValueError("it has no sheets")
    except DAMAGE as problem:
        told = f"{type(problem).__name__}: {problem}".splitlines()[0][:200]
        raise ValueError(
            f"it is damaged, has a password, or is not an .ods file ({told}). Save it as .ods again"
        ) from None
    return root


def _cells(title: str, table: Any) -> Cells:
    """The filled rows of a sheet; InvalidRows if a cell has an error."""
    rows: dict[int, list[str]] = {}
    hidden, merged = HiddenParts(_hidden_columns(table)), _MergedDown()
    errors, number = [], 0
    for row in table.iter(f"{TABLE}table-row"):
        cells: list[str] = []
        for cell in row.iterchildren(f"{TABLE}table-cell", f"{TABLE}covered-table-cell"):
            places = range(len(cells), min(len(cells) + _count(cell, "columns"), MOST_COLUMNS))
            texts = [merged.text_of(cell, place, number) for place in places]
            if texts and texts[0].startswith(ERRORS) and cell.get(f"{TABLE}formula"):
                errors.append((number + 1, texts[0]))
            cells += texts
        while cells and not cells[-1]:
            cells.pop()
        last = min(number + _count(row, "rows"), MOST_ROWS)
        if any(map(str.strip, cells)):
            if (last - number) * len(cells) > MOST_REPEATED:
                raise ValueError(f"row {number + 1} is repeated {last - number:,} times. Keep the rows that you need")
            rows |= {line: [*cells] for line in range(number + 1, last + 1)}
            hidden.rows.update(range(number + 1, last + 1) if _is_hidden(row) else ())
        number = last
    if errors:
        told = named([f"row {line} {text}" for line, text in errors])
        raise InvalidRows(
            f"sheet {title!r} has {plural(len(errors), 'cell')} with an error: {told}. Fix or clear them, and "
            "save the "
            "file",
            rows=list(dict.fromkeys(line for line, _ in errors)),
        )
    lines = sorted(rows)
    blank = lines[-1] - lines[0] + 1 - len(lines) if lines else 0
    notes = [LEFT_OUT + plural(blank, "blank row")] if blank else []
    notes += [f"Merged cells were filled down: {plural(merged.filled, 'cell')}"] if merged.filled else []
    return Cells([rows[line] for line in lines], lines, [*notes, *hidden.notes(rows)], sheet=title)


def _hidden_columns(table: Any) -> set[int]:
    """The positions of the hidden columns."""
    found: set[int] = set()
    place = 0
    for column in table.iter(f"{TABLE}table-column"):
        count = _count(column, "columns")
        found.update(range(place, min(place + count, MOST_COLUMNS)) if _is_hidden(column) else ())
        place += count
    return found


class _MergedDown:
    """The texts of cells; cells merged downwards all get the text of the first one, and `filled` counts them."""

    def __init__(self) -> None:
        self.filled = 0
        self._above: dict[int, tuple[str, int]] = {}  # by column, a text and the row after its last

    def text_of(self, cell: Any, column: int, row: int) -> str:
        text = _text(cell)
        above, end = self._above.get(column, ("", 0))
        if cell.tag == f"{TABLE}covered-table-cell" and row < end:
            self.filled += 1
            return above
        spanned = int(cell.get(f"{TABLE}number-rows-spanned") or 1)
        if spanned > 1 and text:
            self._above[column] = text, row + spanned
        return text


def _count(element: Any, what: str) -> int:
    """How often a row, a column or a cell is repeated."""
    return int(element.get(f"{TABLE}number-{what}-repeated") or 1)


def _is_hidden(element: Any) -> bool:
    return element.get(f"{TABLE}visibility") in ("collapse", "filter")


def _text(cell: Any) -> str:
    """What a person sees in a cell: its paragraphs, without notes; dates are written as in ISO 8601."""
    if day := cell.get(f"{OFFICE}date-value"):
        return str(day).removesuffix("T00:00:00").replace("T", " ")
    return "\n".join(_plain(each) for each in cell if each.tag == f"{TEXT}p")


def _plain(element: Any) -> str:
    """The text of a paragraph, with the spaces, tabs and line breaks that are elements in it."""
    if element.tag == f"{TEXT}s":
        inner = " " * min(int(element.get(f"{TEXT}c") or 1), 1000)
    elif element.tag in (f"{TEXT}tab", f"{TEXT}line-break"):
        inner = "\t" if element.tag.endswith("tab") else "\n"
    else:
        inner = (element.text or "") + "".join(_plain(each) + (each.tail or "") for each in element)
    return inner
