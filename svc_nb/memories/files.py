"""TMX files as tables: read into a table, and written so that reading gives it back.

There is one row for a translation, with `source_lang, target_lang, source, target`; a source with several translations
has several rows. A table may also have the times of its translations: `creation_time`, `updated_time` and
`last_used_time`. Other columns are the user's own and are never sent.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from svc_nb.language_codes import WELL_FORMED, as_bcp47, as_normal, base_of, normal
from svc_nb.memories.tmx import (
    ALL,
    ILLEGAL,
    LARGEST_UNIT,
    NO_TIMES,
    PIECE,
    TIMES,
    Times,
    Unit,
    Variant,
    is_tagged,
    markup,
    written,
)
from svc_nb.memories.tmx import units as units_of
from svc_nb.tabular.cells import LEFT_OUT
from svc_nb.tabular.disk import replacing
from svc_nb.tabular.findings import ERROR, Findings
from svc_nb.tabular.report import Report, named, plural
from svc_nb.tabular.text_column import checked_table, text_array
from svc_nb.wire.languages import meant

SUFFIXES = (".tmx", ".xml")
# Why a text is not in any row.
EMPTY = "empty"
NO_LANGUAGE = "no language is named"
NO_SOURCE = "no text in the source language"
ALONE = "no translation"
VARIANT = "a second text in the source language"
MOST_LANGUAGES = 8


# ---- reading


def read(
    path: str | os.PathLike[str], *, source_lang: str | None = None, target_lang: str | None = None
) -> Translations:
    """Read the translations in a TMX file as a table.

    The index, `line`, says where each unit begins in the file. If the file says when its texts were created, changed or
    last used, the table has `creation_time`, `updated_time` and `last_used_time`. The last line counts the texts that
    are not in any row, with their languages and lines; the result's `left_out` lists all of them. The file is read
    piece by piece; no entity in it is resolved, and nothing is looked up elsewhere.

    Parameters
    ----------
    path
        The file.
    source_lang
        The language that the others are translated from; None takes the file's own, or the first of each unit.
    target_lang
        Only translations into this language; without a variant, such as "en", all its variants are taken.

    Raises
    ------
    ValueError
        The file is damaged or not TMX, or has nothing in the given languages.
    """
    source_lang = meant(source_lang, field="source_lang")
    target_lang = meant(target_lang, field="target_lang")
    given = Path(path).expanduser()
    with opened(given) as stream:
        try:
            table, taking = tabled(stream, source_lang=source_lang, target_lang=target_lang)
        except ValueError as problem:
            raise ValueError(f"{given.name}: {problem}") from None
    return Translations(table, f"{plural(len(table), 'translation')} from {given.name}.", taking)


def tabled(
    stream: IO[bytes], *, source_lang: str | None = None, target_lang: str | None = None
) -> tuple[pd.DataFrame, Taking]:
    """The translations in a TMX file as a table, and an object that knows which texts were left out."""
    taking = Taking(source_lang, target_lang)
    rows = [row for unit in units_of(stream) for row in taking.rows(unit)]
    if not rows:
        taking.refuse()
    return made(rows), taking


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The file at *path*, opened for reading; a clear error if that is impossible."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder. Name the file in it")
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path} (the current folder is {Path.cwd()})") from None
    except OSError as problem:
        raise type(problem)(f"{path} could not be read: {problem.strerror}") from None
    with stream:
        yield stream


class Translations(Report):
    """The translations in a file or a memory; `left_out` has the texts that are not in any row, and why."""

    _metadata = [*Report._metadata, "left_out"]
    left_out: pd.DataFrame

    def __init__(self, table: pd.DataFrame, said: str, taking: Taking) -> None:
        texts = [*table["source"].tolist(), *table["target"].tolist()]
        tagged = sum(map(is_tagged, texts))
        have = plural(tagged, "text has inline tags, and is", "texts have inline tags, and are")
        notes = [*taking.notes(), *([f"{have} XML"] if tagged else [])]
        super().__init__(table, " ".join([said, *(f"{note}." for note in notes)]))
        object.__setattr__(self, "left_out", taking.left_out)


class Taking:
    """Takes rows from units in the requested languages, and notes the texts that it leaves out, with their lines."""

    def __init__(self, source_lang: str | None = None, target_lang: str | None = None) -> None:
        self._source_lang = source_lang or ""
        self._target_lang = target_lang or ""
        self._left: dict[tuple[str, str], array[int]] = {}
        self._languages: set[str] = set()

    def rows(self, unit: Unit) -> Iterator[Row]:
        """The translations in a unit."""
        full = [each for each in unit.variants if each.text.strip()]
        spoken = [each for each in full if each.language]
        self._leave(EMPTY, unit, (each for each in unit.variants if not each.text.strip()))
        self._leave(NO_LANGUAGE, unit, (each for each in full if not each.language))
        self._languages.update(each.language for each in spoken)
        # The text that the others were translated from: in the requested language or, if none was requested, the first.
        wanted = self._source_lang or unit.source_lang
        exact = [each for each in spoken if each.language.lower() == wanted.lower()]
        near = exact or [each for each in spoken if not wanted or same_language(each.language, wanted)]
        source = near[0] if near else None
        if source is None:
            self._leave(NO_SOURCE, unit, spoken)
            return
        others = [each for each in spoken if not same_language(each.language, source.language)]
        alike = (each for each in spoken if each is not source and same_language(each.language, source.language))
        self._leave(ALONE, unit, [] if others else [source])
        self._leave(VARIANT, unit, alike)
        target = normal(self._target_lang)
        for each in others:
            # A language without a variant means all its variants.
            variant = "-" not in target or normal(each.language) == target
            if not target or (variant and same_language(each.language, target)):
                yield unit.line, source.language, each.language, source.text, each.text, each.times

    def _leave(self, reason: str, unit: Unit, texts: Iterable[Variant]) -> None:
        for each in texts:
            self._left.setdefault((reason, as_normal(each.language)), array("q")).append(unit.line)

    def refuse(self) -> None:
        """Raise ValueError if a language was requested and nothing was found."""
        asked = {"source_lang": self._source_lang, "target_lang": self._target_lang}
        given = {name: code for name, code in asked.items() if code}
        if given:
            said = ", ".join(f"{name} {code!r}" for name, code in given.items())
            has = ", ".join(sorted(set(map(as_normal, self._languages)))[:20]) or "none"
            raise ValueError(f"the file has nothing with {said}; its languages are {has}")

    @property
    def left_out(self) -> pd.DataFrame:
        """The texts that are not in any row: `line`, `language` and `reason`, in the order of the file."""
        cells = [(line, code, reason) for (reason, code), lines in self._left.items() for line in lines]
        lines, codes, reasons = zip(*sorted(cells), strict=True) if cells else ((), (), ())
        texts = {"language": text_array(list(codes)), "reason": text_array(list(reasons))}
        return pd.DataFrame({"line": np.array(lines, np.int64), **texts})

    def notes(self) -> list[str]:
        """How many texts were left out for each reason, with their languages and lines."""
        told: dict[str, list[tuple[str, array[int]]]] = {}
        for (reason, code), lines in self._left.items():
            told.setdefault(reason, []).append((code, lines))
        found = []
        for reason, parts in told.items():
            count = plural(sum(len(lines) for _, lines in parts), "text")
            where = [f"{code} {places(lines, 'line')}".strip() for code, lines in parts[:MOST_LANGUAGES]]
            more = ["…"] * (len(parts) > MOST_LANGUAGES)
            found.append(f"{LEFT_OUT}{count} ({reason}): {', '.join([*where, *more])}")
        return found


def places(labels: Iterable[Any], kind: str) -> str:
    """The places of some texts, each once, in brackets.

    >>> places([3, 3], "line"), places([1, 2, 3, 4, 5, 6], "row")
    ('(line 3)', '(rows 1, 2, 3, 4, 5, …)')
    """
    once = list(dict.fromkeys(labels))
    return f"({kind}{'s' * (len(once) > 1)} {named(once)})"


# ---- writing


def write(table: pd.DataFrame, path: str | os.PathLike[str]) -> Path:
    """Write a table of translations to a TMX 1.4 file; `read` returns the same rows.

    A source with several translations into one language has a unit (`<tu>`) for each. An existing file is replaced,
    atomically and as a whole. The times of the columns `creation_time`, `updated_time` and `last_used_time` are written
    to the second; other columns are not.

    Raises
    ------
    InvalidRows
        TMX cannot hold some rows: a side is empty, or has a character that XML cannot hold; `findings` says which.
    """
    given = Path(path).expanduser()
    if given.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{given.name}: expected a name that ends in {' or '.join(SUFFIXES)}")
    with replacing(given) as beside, beside.open("wb") as stream:
        put(table, stream)
    return given


def put(table: pd.DataFrame, stream: IO[bytes]) -> None:
    """Write a table of translations as TMX 1.4 to an open file."""
    if not len(checked(table)):
        raise ValueError("the table has no translations, and a memory needs at least one; nothing was written")
    found, source_lang = units(table)
    for piece in written(found, source_lang):
        stream.write(piece.encode())


COLUMNS = ("source_lang", "target_lang", "source", "target")
FORMAT = "%Y%m%dT%H%M%SZ"
# This much of a unit is always read, whatever comes before it.
HEAVIEST = LARGEST_UNIT - 2 * PIECE
SHORT = 1000
# The tags, the language and the times.
AROUND = 200

Row = tuple[int, str, str, str, str, Times]


def checked(table: object) -> pd.DataFrame:
    """*table* itself, or a clear error if it is not a table of translations."""
    return checked_table(table, (*COLUMNS, *TIMES), "translations", optional=TIMES)


# ---- a table of units


def made(rows: Sequence[Row], index: str = "line") -> pd.DataFrame:
    """The table of *rows*; times that no row has get no column."""
    lines, *texts, times = zip(*rows, strict=True) if rows else ((),) * 6
    table = translations(*map(list, texts))
    table.index = pd.Index(lines, dtype="int64", name=index)
    for place, name in enumerate(TIMES):
        said = [each[place] for each in times]
        if any(said):
            moments = pd.to_datetime(pd.Series(said), format=FORMAT, errors="coerce", utc=True)
            table[name] = moments.array
    return table


def translations(
    source_lang: Sequence[str], target_lang: Sequence[str], source: Sequence[str], target: Sequence[str]
) -> pd.DataFrame:
    """The table of translations, with codes in capitals, as in tables."""
    cells = (*(list(map(as_normal, codes)) for codes in (source_lang, target_lang)), source, target)
    return pd.DataFrame({name: text_array(each) for name, each in zip(COLUMNS, cells, strict=True)})


# ---- units of a table


def units(table: pd.DataFrame) -> tuple[Iterator[Unit], str]:
    """The units of a table, and the source language, or *all* for several; InvalidRows if TMX cannot hold a row."""
    cells = cells_of(table)
    found = broken(cells)
    if len(found):
        what = "Nothing was written or sent: {} cannot be in a translation memory"
        raise found.invalid(table.index, what, "See .findings of this error, or svc_nb.memories.lint(table)")
    languages = list(dict.fromkeys(cells[0]))
    return grouped(zip(*cells, _times(table), strict=True)), languages[0] if len(languages) == 1 else ALL


def cells_of(table: pd.DataFrame) -> list[list[str]]:
    """The texts of the four columns, "" for gaps, with codes as in files."""
    cells = []
    for name in COLUMNS:
        column = table[name]
        texts = ["" if gap else cell for cell, gap in zip(column.tolist(), column.isna().tolist(), strict=True)]
        for label, cell in zip(table.index, texts, strict=True):
            if not isinstance(cell, str):
                raise TypeError(
                    f"column {name!r}, row {label!r}: expected text, found {type(cell).__name__}; use .astype(str)"
                )
        cells.append(list(map(as_bcp47, texts)) if name.endswith("_lang") else texts)
    return cells


def grouped(rows: Iterable[tuple[str, str, str, str, Times]]) -> Iterator[Unit]:
    """Units of consecutive *rows* with the same source; a second translation into a language begins a new unit."""
    for number, ((language, source), group) in enumerate(groupby(rows, key=lambda row: (row[0], row[2]))):
        run: dict[str, Variant] = {}
        weighs = begun = weight(source)
        for _, code, _, target, said in group:
            more = weight(target)
            if run and (code in run or weighs + more > HEAVIEST):
                yield Unit(number, language, [Variant(language, source), *run.values()])
                run, weighs = {}, begun
            run[code] = Variant(code, target, said)
            weighs += more
        yield Unit(number, language, [Variant(language, source), *run.values()])


def weight(text: str) -> int:
    """How many bytes a text takes in a file, at most, including the markup around it."""
    if len(text) <= SHORT:
        return AROUND + 5 * len(text)  # like "&amp;", and no character is longer
    return AROUND + len(markup(text).encode("utf-8", "surrogatepass"))


def _times(table: pd.DataFrame) -> Iterable[Times]:
    """The time attributes of every row, as TMX writes them."""
    if not any(name in table.columns for name in TIMES):
        return [NO_TIMES] * len(table)
    columns = []
    for name in TIMES:
        if name not in table.columns:
            columns.append([""] * len(table))
            continue
        try:
            moments = pd.to_datetime(table[name], utc=True)
        except (ValueError, TypeError):
            raise ValueError(f"column {name!r}: expected times, found something else") from None
        columns.append(["" if pd.isna(said) else said for said in moments.dt.strftime(FORMAT).tolist()])
    return zip(*columns, strict=True)


# ---- rows that cannot be written


def broken(cells: Sequence[Sequence[str]]) -> Findings:
    """All rows that TMX cannot hold."""
    source_lang, target_lang, source, target = cells
    found = Findings()

    def add(wrong: Iterable[object], code: str, message: str, suggestion: str = "") -> None:
        found.add(np.flatnonzero([bool(each) for each in wrong]), ERROR, code, message, suggestion)

    for name, texts in (("source", source), ("target", target)):
        fill_in = f"fill in the {name}, or remove the row"
        add((not text or text.isspace() for text in texts), "empty", f"the {name} is empty", fill_in)
        add(map(ILLEGAL.search, texts), "control", f"the {name} has a character that XML cannot hold")
    heavy = (weight(one) + weight(other) > HEAVIEST for one, other in zip(source, target, strict=True))
    add(heavy, "too_long", f"source and target together are larger than {LARGEST_UNIT >> 20} MiB")
    for name, codes in (("source_lang", source_lang), ("target_lang", target_lang)):
        wrong = {code for code in set(codes) if not WELL_FORMED.fullmatch(code)}
        add((code in wrong for code in codes), "language", f"{name} is not a language code")
    same = map(same_language, source_lang, target_lang)
    add(same, "same_language", "source and target are in the same language")
    return found


def same_language(one: str, other: str) -> bool:
    """Whether two codes mean the same language, in any variant."""
    return base_of(one) == base_of(other)
