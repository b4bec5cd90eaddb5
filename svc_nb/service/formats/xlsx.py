"""Workbooks: strings of cells with their formatting, text boxes, comments and charts; formulas and names stay."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lxml import etree

from . import Wish, Words, office
from .office import SPACE, Unit, child_of, short, sibling
from .safe_xml import parse, serialised
from .tagged_text import Lone, Node, Piece, Run, Style, flat, untagged
from .zip_package import Maker, Package

_BOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml."
_MAIN = tuple(f"{_BOOK}{name}.main+xml" for name in ("sheet", "template"))
_SHEET, _TABLE = f"{_BOOK}worksheet+xml", f"{_BOOK}table+xml"
_STRINGS = frozenset((f"{_BOOK}sharedStrings+xml", f"{_BOOK}comments+xml"))
_DRAWINGS = frozenset(("application/vnd.openxmlformats-officedocument.drawing+xml", *office.DRAWINGS))
_THREADS = "application/vnd.ms-excel.threadedcomments+xml"
_FORMULAS = frozenset((*_MAIN, _SHEET, _TABLE))

_HOLDERS = frozenset({"s:si", "s:is", "s:text"})
_LONGEST_NAME = 1024  # of a table, in bytes
_MOST_FORMULAS = 200_000_000
_NAME = re.compile(rb"[\w.\\\x80-\xff]+")
_ESCAPE = re.compile("(_x[0-9A-Fa-f]{4}_)")  # how a workbook writes characters that XML cannot hold

_Texts = Mapping[str, Sequence[str]]


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate the workbook *source* into *target*; parts without words keep their bytes."""
    with Package(source) as package:
        parts = office.kinds(package, _MAIN, "a workbook (.xlsx)")

        def read_strings(root: etree._Element) -> Iterator[Unit]:
            holders = (each for each in root.iter() if short(each.tag) in _HOLDERS)
            return office.units((office.unit(_pieces(each), partial(_write, each)), False) for each in holders)

        readers: dict[str, office.Reader] = {}
        for name, kind in parts.items():
            if kind in _STRINGS or (kind == _SHEET and package.holds(name, b"inlineStr")):
                readers[name] = read_strings
            elif kind in _DRAWINGS:
                readers[name] = partial(office.read_drawing, right_to_left=wish.right_to_left)
            elif kind == _THREADS:
                readers[name] = partial(office.read_texts, name="tc:text")
        texts = office.collect(package, readers)
        tables = _Tables(package, parts)
        answers = tables.settled(texts, office.translated(texts, words))
        changed = office.makers(package, readers, answers) | tables.makers(texts, answers)
        finishers: dict[str, Maker] = {}
        for name, kind in parts.items():
            if kind in _MAIN and changed:
                finishers[name] = partial(_recomputed, package, name)
            elif kind == _SHEET and wish.right_to_left:
                finishers[name] = partial(_turned, package, name, changed.get(name))
        package.write(target, changed | finishers)


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


class _Tables:
    """The tables of a workbook, whose header cells must equal the names of their columns.

    These follow the translation, unless formulas use them or two would become one: then the headers stay.
    """

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
        for name, names in called.items():
            if names & mentioned:
                self._fixed.update(self._columns[name])

    def settled(self, texts: _Texts, answers: _Texts) -> dict[str, list[str]]:
        """Return *answers* with the headers that must not change as they were."""
        names = _renamed(texts, answers)
        for columns in self._columns.values():
            new = [names.get(column, column).casefold() for column in columns]
            if len(set(new)) < len(new) or not all(new):
                self._fixed.update(columns)
        return {
            part: [
                text if untagged(text).strip() in self._fixed else answer
                for text, answer in zip(some, answers[part], strict=True)
            ]
            for part, some in texts.items()
        }

    def makers(self, texts: _Texts, answers: _Texts) -> dict[str, Maker]:
        """Return what makes each table with the new names of its columns."""
        names = _renamed(texts, answers) if self._columns else {}

        def made(part: str) -> bytes | None:
            root = parse(self._package.read(part))
            changed = False
            for column in _table_columns(root):
                old = _column(column)
                if names.get(old, old) != old:
                    column.set("name", names[old].replace("\r", "").replace("\n", "_x000a_"))
                    changed = True
            return serialised(root) if changed else None

        return {part: partial(made, part) for part in self._columns}


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
            for piece in set(together.split(b"[")[:-1]):
                if backwards := _NAME.match(piece[: -_LONGEST_NAME - 1 : -1]):  # the name that it ends in
                    found |= tables & {backwards[0][::-1].decode("utf-8", "replace").casefold()}
            before = together[-_LONGEST_NAME:]
    return found


def _renamed(texts: _Texts, answers: _Texts) -> dict[str, str]:
    """Return the translation of each string, without formatting."""
    return {
        untagged(text).strip(): untagged(answer).strip()
        for part, some in texts.items()
        for text, answer in zip(some, answers[part], strict=True)
    }


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
