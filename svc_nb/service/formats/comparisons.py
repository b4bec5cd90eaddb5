"""What formulas refer to, and which of them compare texts in ways that no new constant keeps right.

A formula that joins texts to look for them, takes texts for numbers or dates, or depends on the order of texts may give
another result when the texts of its cells change. `Risks` finds such formulas while a workbook is read, and tells how
many there are when it is known which cells have new texts.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from html import unescape
from typing import NamedTuple

from ..catalogue import read

FUNCTIONS = {key: frozenset(names.split()) for key, names in read("functions.json").items()}
"""The names of functions that treat texts alike."""

_LAST_ROW = 1_048_576
_MOST_FORMULAS = 50_000  # of each sort
_UNIT = r"(?:[\w.-]+:)?"  # the prefix of a tag
_REFERENCE = re.compile(
    r""""(?:[^"]|"")*+"|(?P<sheet>'(?:[^']|'')*+'!?|(?<![\w.])[\w.]++!)|(?<![\w.])[\w.]++\s*+\(|\d[\w.]*+"""
    r"|\$?(?P<first>[A-Za-z]{1,3})\$?(?P<top>\d+)(?![\w.(])(?::\$?(?P<last>[A-Za-z]{1,3})\$?(?P<bottom>\d+))?"
    r"|\$?(?P<from>[A-Za-z]{1,3}):\$?(?P<to>[A-Za-z]{1,3})(?![\w.(])|(?P<name>[^\W\d][\w.\\]*+)"
)
_CELL = re.compile(
    rf"""<{_UNIT}c\s(?=[^<>]*\br=["'](?P<column>[A-Z]{{1,3}})(?P<row>\d{{1,7}})["'])[^<>]*\bt=["']"""
    rf"""(?:s["'][^<>]*><{_UNIT}v>(?P<index>\d{{1,9}})<"""
    rf"""|inlineStr["'][^<>]*><{_UNIT}is>(?P<inline>.*?)</{_UNIT}is>)""",
    re.DOTALL,
)
_CELL_FORMULA = re.compile(
    rf"""<{_UNIT}c\s(?:[^<>]*\s)?r=["']([A-Z]{{1,3}})(\d{{1,7}})["'][^<>]*>\s*<{_UNIT}f(?:\s[^<>]*)?>([^<]+)</"""
)
_ANYWHERE = re.compile(r"\b(?:OFFSET|INDEX|INDIRECT|CHOOSE)\s*\(|(?<![\w$])\$?\d+:\$?\d", re.IGNORECASE)
_OTHER_FILE = re.compile(r"\[\d+\]")
_ANY_TAG = re.compile("<[^<>]*>")
_RISKY = re.compile(
    r"""[&<>="]|(?:CONCATENATE|CONCAT|TEXTJOIN|VALUE|LOOKUP|MATCH|DAY|MONTH|YEAR)\s*\(""", re.IGNORECASE
)
_PIECE = re.compile(
    r""""(?:[^"]|"")*+"|'(?:[^']|'')*+'|\{(?:"(?:[^"]|"")*+"|[^{}"])*+\}|\[(?:[^\[\]]|\[[^\[\]]*+\])*+\]"""
    r"|(?P<call>(?<![\w.])[\w.]++\s*+\()|(?P<open>\()|(?P<close>\))|(?P<comma>,)"
)
_CONSTANT = re.compile(r'"((?:[^"]|"")*+)"')
_NOTHING_JOINED = re.compile(r'&\s*""(?!")|(?<!")""\s*&')
_OPERATOR_JOINED = re.compile(r'\s*"(<>|<=|>=|=|<|>)"\s*&([^&]*)')
_JOIN = re.compile(r"&|\b(?:CONCAT|CONCATENATE|TEXTJOIN)\(\)")
_DATE_FORMAT = re.compile(r'\s*+"(?=[^"]*+"\s*+\Z)[^"]*?(?:d{3}|m{3})[^"]*"\s*', re.IGNORECASE)
_ONE = r"(?:'[^']+'!|(?<![\w.])[\w.]++!)?\$?[A-Za-z]{1,3}\$?\d++(?![\w.(:])"
_ORDER = re.compile(rf"({_ONE})\s*(?:<=|>=|<(?!>)|(?<!<)>)\s*({_ONE})")
_ARITHMETIC = re.compile(rf"(?<![\w.:!$'])({_ONE})\s*[-+*/^]|[-+*/^]\s*({_ONE})")


class Area(NamedTuple):
    """A rectangle of cells; columns and rows include the last, column A is 0."""

    sheet: str
    left: int
    right: int
    top: int
    bottom: int


@lru_cache(maxsize=64)
def areas_of(formula: str, sheet: str = "") -> tuple[Area, ...] | None:
    """Return what a formula in *sheet* refers to; None if it uses names, which may stand for anything.

    >>> areas_of("SUM(B2:C9)+'My data'!A1", "first")
    (Area(sheet='first', left=1, right=2, top=2, bottom=9), Area(sheet='my data', left=0, right=0, top=1, bottom=1))
    """
    found: list[Area] = []
    on = sheet
    for reference in _REFERENCE.finditer(formula):
        if reference["sheet"]:
            on = reference["sheet"].rstrip("!").strip("'").replace("''", "'").casefold()
            continue
        if reference["name"] and reference["name"].upper() not in ("TRUE", "FALSE"):
            return None
        if first := reference["first"] or reference["from"]:
            columns = sorted(column_number(each) for each in (first, reference["last"] or reference["to"] or first))
            top = int(reference["top"] or 1)
            rows = sorted((top, int(reference["bottom"] or (top if reference["top"] else _LAST_ROW))))
            found.append(Area(on, *columns, *rows))
        on = sheet
    return tuple(found)


def columns_of(formula: str) -> frozenset[int] | None:
    """Return the columns that a formula refers to, A as 0; None if that cannot be told: it uses names, rows, or OFFSET.

    >>> sorted(columns_of('COUNTIF(Sheet2!$B$2:$C$9,"Open")')), columns_of("SUM(sales)"), columns_of("SUM($1:$1)+B4")
    ([1, 2], None, None)
    """
    areas = () if _ANYWHERE.search(formula) else areas_of(formula) or ()
    return frozenset(column for area in areas for column in range(area.left, area.right + 1)) or None


@lru_cache(maxsize=20_000)
def column_number(letters: str) -> int:
    """Return the number of a column, A as 0."""
    return reduce(lambda number, letter: number * 26 + ord(letter) - ord("A") + 1, letters.upper(), 0) - 1


def _letters(column: int) -> str:
    return (_letters(column // 26 - 1) if column > 25 else "") + chr(ord("A") + column % 26)


def texts_by_cell(xml: str, shared: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the texts in a piece of a sheet, each with its column and row; *shared* are the shared strings."""
    for cell in _CELL.finditer(xml):
        place = column_number(cell["column"]), int(cell["row"])
        if cell["inline"] is not None:
            yield unescape(_ANY_TAG.sub("", cell["inline"])), *place
        elif int(cell["index"]) < len(shared):
            yield shared[int(cell["index"])], *place


def plain_name(function: str) -> str:
    """Return the name of a function in capitals, without the prefix that files have before the names of new ones."""
    return function.upper().rpartition(".")[2] if function.upper().startswith("_XL") else function.upper()


def calls(formula: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the calls in a formula with their arguments, in which other calls are short; at last the formula itself.

    >>> list(calls('IF(LEN(A1&"x")>2,1,0)*2'))
    [('LEN', ['A1&"x"']), ('IF', ['LEN()>2', '1', '0']), ('', ['IF()*2'])]
    """
    within: list[tuple[str, list[str]]] = [("", [""])]
    at = 0
    for piece in _PIECE.finditer(formula):
        within[-1][1][-1] += formula[at : piece.start()]
        at = piece.end()
        if piece["call"] or piece["open"]:
            within.append((plain_name(piece["call"][:-1].strip()) if piece["call"] else "(", [""]))
        elif piece["close"] and len(within) > 1:
            name, arguments = within.pop()
            is_same = name in ("(", "TRIM", "UPPER", "LOWER", "PROPER")  # as its argument, for a comparison
            within[-1][1][-1] += f"({','.join(arguments)})" if is_same else f"{name}()"
            if name != "(":
                yield name, arguments
        elif piece["comma"]:
            within[-1][1].append("")
        elif not piece["close"]:
            within[-1][1][-1] += piece[0]
    within[0][1][-1] += formula[at:]
    yield within[0]


class Cells:
    """Some cells of a workbook, found by area."""

    def __init__(self, places: Iterable[tuple[str, int, int]]) -> None:
        self._rows: dict[tuple[str, int], list[int]] = defaultdict(list)
        for sheet, column, row in places:
            self._rows[sheet, column].append(row)
        for rows in self._rows.values():
            rows.sort()

    def count(self, areas: Iterable[Area]) -> int:
        """Return how many of the cells are in *areas*."""
        return sum(
            bisect_right(rows, area.bottom) - bisect_left(rows, area.top)
            for area in areas
            for column in range(area.left, area.right + 1)
            if (rows := self._rows.get((area.sheet, column)))
        )


@dataclass(slots=True)
class _Formula:
    """A formula whose result may change: each of *needed* are areas that must all hold new texts, and how many."""

    place: tuple[str, int, int]
    areas: tuple[Area, ...] | None
    constants: frozenset[str] = frozenset()
    needed: list[tuple[tuple[tuple[Area, ...], ...], int]] = field(default_factory=list)
    joins: bool = False  # texts, and compares what they make; or compares with another file
    compares_dates: bool = False
    makes: bool = False  # a text of other texts
    makes_dates: bool = False


@dataclass(slots=True)
class Risks:
    """The formulas of a workbook that may give another result once its cells have new texts.

    In a workbook with very many formulas only the first of them are looked at.
    """

    _formulas: list[_Formula] = field(default_factory=list)
    _sums: list[tuple[tuple[str, int, int], tuple[Area, ...]]] = field(default_factory=list)

    def read(self, xml: str, sheet: str) -> None:
        """Take the formulas in a piece of *sheet*."""
        for column, row, written in _CELL_FORMULA.findall(xml):
            formula, place = unescape(written), (sheet, column_number(column), int(row))
            if len(self._formulas) < _MOST_FORMULAS and _RISKY.search(formula):
                found = _examined(formula, place)
                is_own = (found.needed, found.joins, found.compares_dates, found.makes, found.makes_dates)
                if any(is_own) or (found.constants and len(self._formulas) < _MOST_FORMULAS // 2):
                    self._formulas.append(found)
            if len(self._sums) < _MOST_FORMULAS:
                operands = (one or other for one, other in _ARITHMETIC.findall(_CONSTANT.sub('""', formula)))
                if areas := tuple(area for each in operands for area in areas_of(each, sheet) or ()):
                    self._sums.append((place, areas))

    def __bool__(self) -> bool:
        return bool(self._formulas or self._sums)

    def found(self, changed: Cells, texts: Collection[str], renamed: Collection[str]) -> list[tuple[str, str]]:
        """Return where they are, sheet and cell, if the cells *changed* have new texts.

        *texts* are those of all cells, and *renamed* those that constants are renamed with, both in lower case.
        """
        made = Cells(
            each.place for each in self._formulas if each.makes and (each.areas is None or changed.count(each.areas))
        )
        dates = Cells(each.place for each in self._formulas if each.makes_dates)

        def is_risky(formula: _Formula) -> bool:
            touched = formula.areas is None or bool(changed.count(formula.areas))
            compared = formula.areas or ()
            words = any(any(map(str.isalpha, text)) and text not in texts for text in formula.constants)
            return (
                (formula.joins and touched)
                or (formula.compares_dates and (touched or not formula.constants.isdisjoint(renamed)))
                or any(all(changed.count(each) >= least for each in areas) for areas, least in formula.needed)
                or (bool(formula.constants) and words and bool(made.count(compared)))
                or (not formula.constants.isdisjoint(renamed) and bool(dates.count(compared)))
            )

        sums = {place for place, areas in self._sums if changed.count(areas)}
        places = sorted(sums | {formula.place for formula in self._formulas if is_risky(formula)})
        return [(sheet, f"{_letters(column)}{row}") for sheet, column, row in places]


def _examined(formula: str, place: tuple[str, int, int]) -> _Formula:
    """Return what of a formula matters to `Risks`."""
    sheet = place[0]
    found = _Formula(place, areas_of(formula, sheet))
    constants: set[str] = set()
    every = list(calls(formula))
    has_dates = any(name == "TEXT" and _DATE_FORMAT.fullmatch(",".join(rest)) for name, (_, *rest) in every)
    for name, arguments in every:
        looks = name in FUNCTIONS["criteria"] | FUNCTIONS["lookups"] | {"EXACT", "SWITCH"}
        for argument in arguments:
            bare = _CONSTANT.sub('""', _NOTHING_JOINED.sub("", argument))
            compares = looks or re.search("[<>=]", bare)
            simple = _OPERATOR_JOINED.fullmatch(argument) if name in FUNCTIONS["criteria"] else None
            if simple and simple[1][0] in "<>" and simple[1] != "<>":
                found.needed.append(((areas_of(simple[2], sheet) or (),), 1))
            found.joins |= bool(compares and not simple and _JOIN.search(bare))
            found.joins |= bool(looks and _OTHER_FILE.search(argument))  # whose texts stay
            found.compares_dates |= bool(compares and has_dates and "TEXT()" in bare)
            if compares:
                constants.update(text.replace('""', '"').casefold() for text in _CONSTANT.findall(argument))
            for one, other in _ORDER.findall(bare):
                found.needed.append(((areas_of(one, sheet) or (), areas_of(other, sheet) or ()), 1))
        if name in ("VALUE", "DATEVALUE", "TIMEVALUE", "NUMBERVALUE"):
            found.needed.append(((found.areas or (),), 1))
        if name in ("DAY", "MONTH", "WEEKDAY", "YEAR"):
            found.needed.append(((areas_of(arguments[0], sheet) or (),), 1))
        if (ranges := _approximate(name, arguments)) and (areas := areas_of(ranges, sheet)):
            [first, *_] = areas
            right = first.left if name == "VLOOKUP" else first.right
            bottom = first.top if name == "HLOOKUP" else first.bottom
            found.needed.append((((first._replace(right=right, bottom=bottom),),), 2))
    [whole, *_] = every[-1][1]
    found.makes = bool(_JOIN.search(_CONSTANT.sub('""', _NOTHING_JOINED.sub("", whole))))
    found.makes_dates = has_dates and "TEXT()" in whole
    found.constants = frozenset(text for text in constants if any(map(str.isalpha, text)))
    return found


def _approximate(name: str, arguments: Sequence[str]) -> str:
    """Return the range in which a call looks for the nearest value; nothing if it looks for an equal one."""
    exact = {"VLOOKUP": 3, "HLOOKUP": 3, "MATCH": 2}.get(name)
    if len(arguments) < 2 or (exact is None and name != "LOOKUP"):
        return ""
    mode = arguments[exact].strip().upper() if exact and len(arguments) > exact else "1"
    return "" if mode in ("0", "FALSE", "FALSE()", "") else arguments[1]
