"""Workbooks: strings of cells with their formatting, text boxes, comments, charts, messages, headers and footers.

Names of sheets and of cells stay. What formulas compare with cells is renamed as the cells are (see `formulas`).
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from xml.sax.saxutils import escape

from lxml import etree

from . import Remarks, Unreadable, Wish, Words, office
from .comparisons import Cells, texts_by_cell
from .formulas import LONGEST, Compared, chunks, renamed
from .office import SPACE, Unit, child_of, short, sibling
from .safe_xml import parse, serialised
from .tagged_text import Lone, Node, Piece, Run, Style, flat, untagged
from .zip_package import MAX_PART, Maker, Package

_BOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml."
_MAIN = tuple(f"{_BOOK}{name}.main+xml" for name in ("sheet", "template"))
_SHEET, _TABLE = f"{_BOOK}worksheet+xml", f"{_BOOK}table+xml"
_SHARED = f"{_BOOK}sharedStrings+xml"
_STRINGS = frozenset((_SHARED, f"{_BOOK}comments+xml"))
_DRAWINGS = frozenset(("application/vnd.openxmlformats-officedocument.drawing+xml", *office.DRAWINGS))
_THREADS = "application/vnd.ms-excel.threadedcomments+xml"
_PIVOT = tuple(
    f"{_BOOK}{name}+xml" for name in ("pivotCacheDefinition", "pivotCacheRecords", "pivotTable", "queryTable")
)
_SLICERS = tuple(f"application/vnd.ms-excel.{name}+xml" for name in ("slicer", "slicerCache", "timelineCache"))
_COMPARING = frozenset((_SHEET, _TABLE, *_PIVOT, *_SLICERS))

_HOLDERS = frozenset({"s:si", "s:is", "s:text"})
_ALL_TEXT = etree.XPath("string()", smart_strings=False)
_LOGICAL = frozenset({"true", "false"})
_MESSAGES = {"promptTitle": 32, "prompt": 255, "errorTitle": 32, "error": 225}  # and how long each may be
_PAGE_TEXTS = frozenset(f"s:{which}{place}" for which in ("odd", "even", "first") for place in ("Header", "Footer"))
_PAGE_CODE = re.compile(r"""(&(?:"[^"]*"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d+|[A-Za-z&+-]))""")
_MOST_FORMULAS = 200_000_000
_LARGE_SHEET = 32_000_000
_OTHER_ENCODING = re.compile(rb"""\xff\xfe|\xfe\xff|<\?xml[^>]{1,100}?encoding=["'](?!utf-8["'])""", re.IGNORECASE)
_ESCAPE = re.compile("(_x[0-9A-Fa-f]{4}_)")  # how a workbook writes characters that XML cannot hold

_Texts = Mapping[str, Sequence[str]]


def translate(source: Path, target: Path, words: Words, wish: Wish) -> Remarks:
    """Translate the workbook *source* into *target*; parts without words keep their bytes."""
    with Package(source) as package:
        changed, remarks = _changed(package, words, wish)
        package.write(target, changed)
    return remarks


def _changed(package: Package, words: Words, wish: Wish) -> tuple[dict[str, Maker], Remarks]:
    """Return what makes each part of a workbook that changes, and what to know about it."""
    parts = office.kinds(package, _MAIN, "a workbook (.xlsx)")
    readers: dict[str, office.Reader] = {}
    for name, kind in parts.items():
        if kind in _STRINGS:
            readers[name] = _read_strings
        elif kind == _SHEET and _is_worded(package, name):
            readers[name] = _read_sheet
        elif kind in _DRAWINGS:
            readers[name] = partial(office.read_drawing, right_to_left=wish.right_to_left)
        elif kind == _THREADS:
            readers[name] = partial(office.read_texts, name="tc:text")
        elif kind == office.PROPERTIES:
            readers[name] = office.read_title
    texts = office.collect(package, readers)
    names = _Names(package, parts)
    answers = names.settled(texts, office.translated(texts, words))
    changed = office.makers(package, readers, answers)
    if not any(answers.values()) and not wish.right_to_left:
        return {}, Remarks()
    for name, kind in parts.items():
        if kind in _MAIN or kind in _COMPARING:
            turned = kind == _SHEET and wish.right_to_left
            changed[name] = partial(names.made, name, kind, changed.get(name), turned=turned)
    return changed, Remarks(kept=len(names.kept), formulas=len(names.risky), cells=", ".join(names.risky[:3]))


def translated_with_charts(
    package: Package, readers: Mapping[str, office.Reader], words: Words, wish: Wish
) -> dict[str, Maker]:
    """Return what makes each part of a document, and the workbooks with the data of its charts.

    In those only the texts that the charts show change, so that nothing is translated, and paid for, twice.
    """
    texts = office.collect(package, readers)
    answers = office.translated(texts, words)
    made = office.makers(package, readers, answers)
    for part in (name for name in readers if "/charts/" in name):
        folder, name = posixpath.split(part)
        links = f"{folder}/_rels/{name}.rels"
        pairs = zip(texts[part], answers[part], strict=True)
        names = {untagged(text): untagged(answer) for text, answer in pairs}
        for link in parse(package.read(links)) if links in package else ():
            book = posixpath.normpath(posixpath.join("/", folder, link.get("Target", "")))[1:]
            if link.get("Type", "").endswith("/package") and book in package:
                made[book] = partial(_chart_workbook, package, book, names, wish)
    return made


def _chart_workbook(package: Package, name: str, names: Mapping[str, str], wish: Wish) -> bytes | None:
    def words(texts: Sequence[str], *, tagged: bool = False) -> list[str]:
        return [escape(names[bare]) if (bare := untagged(text)) in names else text for text in texts]

    out = BytesIO()
    try:
        with Package(BytesIO(package.read(name))) as book:
            book.write(out, _changed(book, words, wish)[0])
    except Unreadable:  # it is only looked at when someone edits the chart's data
        return None
    return out.getvalue()


def _is_worded(package: Package, sheet: str) -> bool:
    """Tell whether a sheet has words besides those of its formulas."""
    if package.holds(sheet, b"inlineStr"):
        return True
    small = package.size(sheet) <= _LARGE_SHEET  # a larger one is never built as a tree if it need not be
    return small and any(package.holds(sheet, wanted) for wanted in (b"dataValidation ", b"headerFooter"))


def _read_strings(root: etree._Element) -> Iterator[Unit]:
    # Most strings of a large workbook may be numbers, of which nothing is to be built.
    holders = (
        each
        for each in root.iter("{*}si", "{*}is", "{*}text")
        if short(each.tag) in _HOLDERS and any(map(str.isalpha, str(_ALL_TEXT(each))))
    )
    found = office.units((office.unit(_pieces(each), partial(_write, each)), False) for each in holders)
    return (unit for unit in found if unit.line.text.strip().casefold() not in _LOGICAL)


def _read_sheet(root: etree._Element) -> Iterator[Unit]:
    """Yield the strings in the cells of a sheet, the messages of its lists, its headers and footers."""
    yield from _read_strings(root)
    for element in root.iter():
        if short(element.tag).endswith(":dataValidation"):
            fitting = ((name, longest) for name, longest in _MESSAGES.items() if element.get(name))
            yield from office.units(
                (office.attribute(element, name, longest=longest), False) for name, longest in fitting
            )
        elif short(element.tag) in _PAGE_TEXTS:
            pieces = [
                Lone(part, breaks=part[1] in "LCR", chain="codes") if at % 2 else Run(part, Style(()))
                for at, part in enumerate(_PAGE_CODE.split(element.text or ""))
                if part
            ]
            yield from office.units(iter([(office.unit(pieces, partial(_write_page_text, element)), False)]))


def _write_page_text(element: etree._Element, most: Style | None, nodes: list[Node]) -> None:
    """Write a header or a footer, if it is short enough for one."""
    texts = (str(node.thing) if isinstance(node, Lone) else node.replace("&", "&&") for node, _ in flat(nodes, most))
    if len(text := "".join(texts)) <= LONGEST:
        element.text = text


def _pieces(holder: etree._Element) -> Iterator[Piece]:
    for child in holder:
        if short(child.tag) == "s:t":
            text, style = child.text or "", Style(())
        elif short(child.tag) == "s:r":
            text = "".join(each.text or "" for each in child if short(each.tag) == "s:t")
            style = office.style(child_of(child, "s:rPr"))
        else:
            continue
        for at, part in enumerate(_ESCAPE.split(text)):
            if at % 2:
                yield Lone(part, breaks=True)
            elif part:
                yield Run(part, style)


def _write(holder: etree._Element, most: Style | None, nodes: list[Node]) -> None:
    """Replace the runs of a string; its reading aids, which belong to the old words, go."""
    made = [(node.thing if isinstance(node, Lone) else node, style) for node, style in flat(nodes, most)]
    rich = any(style is not None and style.thing is not None for _, style in made)
    for child in list(holder):
        holder.remove(child)
    if not rich:
        holder.append(_text(holder, "".join(text for text, _ in made)))
    for text, style in made if rich else ():
        run = office.run_of(holder, style.thing if style else None)
        run.append(_text(holder, text))
        holder.append(run)


def _text(holder: etree._Element, text: str) -> etree._Element:
    element = sibling(holder, "t")
    element.text = text
    if text != text.strip() or "\n" in text:
        element.set(SPACE, "preserve")
    return element


class _Names:
    """The new texts of a workbook where it names them: in formulas, filters, pivot tables and the columns of tables.

    Columns that formulas use by their names, and texts that would be compared in another way, stay as they are.
    """

    def __init__(self, package: Package, parts: Mapping[str, str]) -> None:
        self._package, self._parts = package, parts
        self._compared = Compared()
        self._cells = {name for name, kind in parts.items() if kind in (_SHARED, _SHEET)}
        self._columns: dict[str, list[str]] = {}
        self._names: dict[str, str] = {}
        self._staying: set[str] = set()
        self.kept: set[str] = set()  # the texts that have a translation and do not get it
        self.risky: list[str] = []  # the cells of formulas that may give another result
        self._sheets = _sheet_names(package, parts)
        called: dict[str, set[str]] = {}
        budget = _MOST_FORMULAS
        for name, kind in parts.items():
            if kind == _TABLE:
                root = parse(package.read(name))
                self._columns[name] = [_column(each) for each in _table_columns(root)]
                called[name] = {root.get("name", "").casefold(), root.get("displayName", "").casefold()}
            if kind in _MAIN or kind in _COMPARING:
                budget = self._compared.read(package, name, budget, sheet=self._sheets.get(name, "").casefold())
        for name, names in called.items():
            tables = self._compared.tables  # what is named without a table is in that of the formula
            named = set().union(*(tables[each] for each in ("", *names) if each in tables))
            columns = {column.casefold() for column in self._columns[name]}
            self._staying |= columns if "" in named or not self._compared.whole else columns & named

    def settled(self, texts: _Texts, answers: _Texts) -> dict[str, list[str]]:
        """Return *answers* with the texts that must not change as they were."""
        names = {
            untagged(text).strip(): untagged(answer).strip()
            for part in filter(self._cells.__contains__, texts)
            for text, answer in zip(texts[part], answers[part], strict=True)
        }
        self._staying |= {text.casefold() for text, name in names.items() if name.casefold() in _LOGICAL}
        for columns in self._columns.values():
            new = [
                column if (column := each.casefold()) in self._staying else names.get(each, each).casefold()
                for each in columns
            ]
            if len(set(new)) < len(new) or not all(new):
                self._staying.update(column.casefold() for column in columns)
        kept = {text: text if text.casefold() in self._staying else name for text, name in names.items()}
        by_place = self._compared.tests or self._compared.has_criteria(kept)
        places: dict[str, set[int]] = defaultdict(set)
        for place in self._texts() if by_place else ():
            places[place[1]].add(place[2])
        self._staying |= self._compared.staying(kept, places if by_place else None)
        self._names = {text: name for text, name in kept.items() if text.casefold() not in self._staying}
        self.kept = {text for text, name in names.items() if text.casefold() in self._staying and name != text}
        renamed_texts = {text.casefold() for text, name in self._names.items() if name != text}
        if self._compared.risks and renamed_texts:
            found = (place for place in self._texts() if place[1] in renamed_texts)
            changed = Cells((sheet, column, row) for sheet, _, column, row in found)
            risky = self._compared.risks.found(changed, {text.casefold() for text in names}, renamed_texts)
            sheets = {name.casefold(): name for name in self._sheets.values()}
            self.risky = [f"{sheets.get(sheet, sheet)}!{cell}" for sheet, cell in risky]
        return {
            part: [
                text if untagged(text).strip().casefold() in self._staying else answer
                for text, answer in zip(some, answers[part], strict=True)
            ]
            for part, some in texts.items()
        }

    def _texts(self) -> Iterator[tuple[str, str, int, int]]:
        """Yield the texts of all cells, each behind its sheet, both in lower case, and before its column and row."""
        shared: list[str] = []
        for part in (name for name in self._cells if self._parts[name] == _SHARED):
            items = (each for each in parse(self._package.read(part)) if short(each.tag) == "s:si")
            shared += (untagged(office.unit(_pieces(item), partial(_write, item)).line.text) for item in items)
        for part in (name for name in self._cells if self._parts[name] == _SHEET):
            sheet = self._sheets.get(part, "").casefold()
            for piece in chunks(self._package, part):
                for text, column, row in texts_by_cell(piece, shared):
                    yield sheet, text.strip().casefold(), column, row

    def made(self, part: str, kind: str, made: Maker | None, *, turned: bool) -> bytes | None:
        """Return a part with the new names in it, and with whatever else changes there."""
        if self._package.size(part) > MAX_PART and not turned:
            return None
        before = (made and made()) or self._package.read(part)
        data = before
        if not _OTHER_ENCODING.match(before):
            data = renamed(before.decode("utf-8", "surrogateescape"), self._names, self._staying).encode(
                "utf-8", "surrogateescape"
            )
        if kind == _TABLE and any(column in self._names for column in self._columns[part]):
            root = parse(data)
            for column in _table_columns(root):
                name = self._names.get(old := _column(column), old)
                column.set("name", name.replace("\r", "").replace("\n", "_x000a_"))
            data = serialised(root)
        elif kind in _MAIN or turned:
            root = parse(data)
            for element in root.iter():
                if short(element.tag) == "s:sheetView" and turned:
                    element.set("rightToLeft", "1")
                elif short(element.tag) == "s:calcPr":  # formulas show the new texts when the workbook is opened
                    element.set("fullCalcOnLoad", "1")
            data = serialised(root)
        return data if made or data != before else None


def _sheet_names(package: Package, parts: Mapping[str, str]) -> dict[str, str]:
    """Return the names of the sheets of a workbook, each by its part."""
    main = next(name for name, kind in parts.items() if kind in _MAIN)
    folder, name = posixpath.split(main)
    links = f"{folder}/_rels/{name}.rels"
    targets = (
        {link.get("Id"): link.get("Target", "") for link in parse(package.read(links))} if links in package else {}
    )
    return {
        posixpath.normpath(posixpath.join("/", folder, targets.get(str(value), "")))[1:]: sheet.get("name", "")
        for sheet in parse(package.read(main)).iter()
        if short(sheet.tag) == "s:sheet"
        for key, value in sheet.attrib.items()
        if str(key).endswith("}id")
    }


def _table_columns(root: etree._Element) -> list[etree._Element]:
    return [element for element in root.iter() if short(element.tag) == "s:tableColumn"]


def _column(element: etree._Element) -> str:
    return element.get("name", "").replace("_x000a_", "\n").replace("_x000A_", "\n")
