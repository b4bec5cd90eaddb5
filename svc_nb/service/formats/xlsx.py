"""Workbooks: strings of cells with their formatting, text boxes, comments and charts; formulas and names stay.

The header cells of a table (Insert > Table) must equal the names of its columns. These follow the translation, unless
formulas use them or two of them would become one: then the headers stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import Unreadable, Wish, Words, drawing
from .defused import parse, serialised
from .inline import Line, Lone, Node, Piece, Run, Span, Style, base, joined, plain_text
from .office import (
    SPACE,
    Reader,
    Unit,
    collect,
    is_right_to_left,
    kinds,
    looks,
    makers,
    plain,
    short,
    sibling,
    translated,
    units,
)
from .package import Maker, Package

if TYPE_CHECKING:
    from lxml import etree

_BOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml."
_MAIN = tuple(f"{_BOOK}{name}.main+xml" for name in ("sheet", "template"))
_SHEET, _TABLE = f"{_BOOK}worksheet+xml", f"{_BOOK}table+xml"
_STRINGS = frozenset((f"{_BOOK}sharedStrings+xml", f"{_BOOK}comments+xml"))
_DRAWINGS = frozenset(("application/vnd.openxmlformats-officedocument.drawing+xml", *drawing.TYPES))
_THREADS = "application/vnd.ms-excel.threadedcomments+xml"
_FORMULAS = frozenset((*_MAIN, _SHEET, _TABLE))

_HOLDERS = frozenset({"s:si", "s:is", "s:text"})
_LONGEST_NAME = 1024  # of a table, in bytes
_MOST_FORMULAS = 200_000_000
_NAME = re.compile(rb"[\w.\\\x80-\xff]+")
_ESCAPE = re.compile("(_x[0-9A-Fa-f]{4}_)")  # how a workbook writes characters that XML cannot hold


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate the workbook *source* into *target*; parts without words keep their bytes."""
    right_to_left = is_right_to_left(wish.target_lang)
    with Package(source) as package:
        parts = kinds(package)
        if not any(kind in _MAIN for kind in parts.values()):
            raise Unreadable("The document is not a workbook (.xlsx).")
        readers = _readers(package, parts, right_to_left=right_to_left)
        texts = collect(package, readers)
        tables = _Tables(package, parts)
        answers = tables.settled(texts, translated(texts, words))
        changed = makers(package, readers, answers) | tables.makers(texts, answers)
        package.write(target, changed | _finishers(package, parts, changed, right_to_left=right_to_left))


def _readers(package: Package, parts: Mapping[str, str], *, right_to_left: bool) -> dict[str, Reader]:
    readers: dict[str, Reader] = {}
    for name, kind in parts.items():
        if kind in _STRINGS or (kind == _SHEET and package.holds(name, b"inlineStr")):
            readers[name] = _strings
        elif kind in _DRAWINGS:
            readers[name] = partial(drawing.read, right_to_left=right_to_left)
        elif kind == _THREADS:
            readers[name] = _thread
    return readers


def _thread(root: etree._Element) -> Iterator[Unit]:
    return units((plain(each), False) for each in root.iter() if short(each.tag) == "tc:text")


def _strings(root: etree._Element) -> Iterator[Unit]:
    return units((_unit(each), False) for each in root.iter() if short(each.tag) in _HOLDERS)


def _unit(holder: etree._Element) -> Unit:
    pieces = list(_pieces(holder))
    most = base(pieces)
    return Unit(Line(joined(pieces, most)), partial(_write, holder, most))


def _pieces(holder: etree._Element) -> Iterator[Piece]:
    for child in holder:
        name = short(child.tag)
        if name == "s:t":
            yield from _escaped(child.text or "", Style(()))
        elif name == "s:r":
            properties = next((each for each in child if short(each.tag) == "s:rPr"), None)
            text = "".join(each.text or "" for each in child if short(each.tag) == "s:t")
            yield from _escaped(text, Style(looks(properties, frozenset()), properties))


def _escaped(text: str, style: Style) -> Iterator[Piece]:
    for at, part in enumerate(_ESCAPE.split(text)):
        if at % 2:
            yield Lone(part, breaks=True)
        elif part:
            yield Run(part, style)


def _write(holder: etree._Element, most: Style | None, nodes: Sequence[Node]) -> None:
    """Replace the runs of a string; its reading aids, which belong to the old words, go."""
    made = list(_texts(nodes, most))
    rich = any(style is not None and style.thing is not None for _, style in made)
    for child in list(holder):
        holder.remove(child)
    if rich:
        holder.extend(_run(holder, text, style) for text, style in made)
    else:
        holder.append(_text(holder, "".join(text for text, _ in made)))


def _texts(nodes: Iterable[Node], style: Style | None) -> Iterator[tuple[str, Style | None]]:
    for node in nodes:
        if isinstance(node, Span):
            yield from _texts(node.inside, node.thing)
        else:
            yield (node.thing if isinstance(node, Lone) else node), style


def _run(holder: etree._Element, text: str, style: Style | None) -> etree._Element:
    run = sibling(holder, "r")
    if style is not None and style.thing is not None:
        run.append(deepcopy(style.thing))
        run[0].tail = None
    run.append(_text(holder, text))
    return run


def _text(holder: etree._Element, text: str) -> etree._Element:
    element = sibling(holder, "t")
    element.text = text
    if text != text.strip() or "\n" in text:
        element.set(SPACE, "preserve")
    return element


class _Tables:
    """The tables of a workbook, whose column names must equal the strings of their header cells."""

    def __init__(self, package: Package, parts: Mapping[str, str]) -> None:
        self._package = package
        self._columns: dict[str, list[str]] = {}
        self._fixed: set[str] = set()
        called: dict[str, set[str]] = {}
        for name in (name for name, kind in parts.items() if kind == _TABLE):
            root = parse(package.read(name))
            self._columns[name] = [_column(each) for each in _table_columns(root)]
            called[name] = {root.get("name", "").casefold(), root.get("displayName", "").casefold()}
        mentioned = _mentioned(package, parts, set().union(*called.values()) - {""})
        for name in (name for name, names in called.items() if names & mentioned):
            self._fixed.update(self._columns[name])

    def settled(
        self, texts: Mapping[str, Sequence[str]], answers: Mapping[str, Sequence[str]]
    ) -> dict[str, list[str]]:
        """Return *answers* with the headers that must not change as they were."""
        names = _renamed(texts, answers)
        for columns in self._columns.values():
            new = [names.get(column, column).casefold() for column in columns]
            if len(set(new)) < len(new) or not all(new):
                self._fixed.update(columns)
        return {
            part: [
                text if _plain(text) in self._fixed else answer
                for text, answer in zip(some, answers[part], strict=True)
            ]
            for part, some in texts.items()
        }

    def makers(
        self, texts: Mapping[str, Sequence[str]], answers: Mapping[str, Sequence[str]]
    ) -> dict[str, Maker]:
        """Return what makes each table with the new names of its columns."""
        names = _renamed(texts, answers) if self._columns else {}
        return {part: partial(self._made, part, names) for part in self._columns}

    def _made(self, part: str, names: Mapping[str, str]) -> bytes | None:
        root = parse(self._package.read(part))
        changed = False
        for column in _table_columns(root):
            old = _column(column)
            if names.get(old, old) != old:
                column.set("name", names[old].replace("\r", "").replace("\n", "_x000a_"))
                changed = True
        return serialised(root) if changed else None


def _table_columns(root: etree._Element) -> list[etree._Element]:
    return [element for element in root.iter() if short(element.tag) == "s:tableColumn"]


def _column(element: etree._Element) -> str:
    return element.get("name", "").replace("_x000a_", "\n").replace("_x000A_", "\n")


def _mentioned(package: Package, parts: Mapping[str, str], tables: set[str]) -> set[str]:
    """Return those of *tables* whose columns formulas refer to, ``Table1[Name]``; all where there is much to read."""
    found: set[str] = set()
    read = 0
    for part in (name for name, kind in parts.items() if kind in _FORMULAS and tables):
        before = b""
        for chunk in package.chunks(part):
            read += len(chunk)
            if read > _MOST_FORMULAS:
                return tables
            together = before + chunk
            found |= tables & {_last_name(piece) for piece in set(together.split(b"[")[:-1])}
            before = together[-_LONGEST_NAME:]
    return found


def _last_name(text: bytes) -> str:
    """Return the name that *text* ends in, as names are compared."""
    backwards = _NAME.match(text[: -_LONGEST_NAME - 1 : -1])
    return backwards[0][::-1].decode("utf-8", "replace").casefold() if backwards else ""


_TAGS = re.compile(r"</?[gx]\d+/?>")


def _plain(text: str) -> str:
    return plain_text(_TAGS.sub("", text)).strip()


def _renamed(texts: Mapping[str, Sequence[str]], answers: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the translation of each string, without formatting."""
    return {
        _plain(text): _plain(answer)
        for part, some in texts.items()
        for text, answer in zip(some, answers[part], strict=True)
    }


def _finishers(
    package: Package, parts: Mapping[str, str], changed: Mapping[str, Maker], *, right_to_left: bool
) -> dict[str, Maker]:
    """Return what makes the workbook compute its formulas anew, and turns its sheets for a target that wants it."""
    finishers: dict[str, Maker] = {}
    for name, kind in parts.items():
        if kind in _MAIN and changed:
            finishers[name] = partial(_recomputed, package, name)
        elif kind == _SHEET and right_to_left:
            finishers[name] = partial(_turned, package, name, changed.get(name))
    return finishers


def _recomputed(package: Package, name: str) -> bytes | None:
    """Make formulas that show strings of other cells show their translations when the workbook is opened."""
    root = parse(package.read(name))
    for element in root:
        if short(element.tag) == "s:calcPr":
            element.set("fullCalcOnLoad", "1")
            return serialised(root)
    return None


def _turned(package: Package, name: str, made: Maker | None) -> bytes | None:
    root: Any = parse((made and made()) or package.read(name))
    for view in root.iter():
        if short(view.tag) == "s:sheetView":
            view.set("rightToLeft", "1")
    return serialised(root)
