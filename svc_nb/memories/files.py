"""TMX files as tables: read into one, and written so that reading gives it back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import pandas as pd

from svc_nb.language_codes import as_normal
from svc_nb.memories.table import Row, checked, made, normal, same_language, units
from svc_nb.memories.tmx import Unit, is_tagged, written
from svc_nb.memories.tmx import units as units_of
from svc_nb.tabular.disk import replacing
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.languages import meant

LEFT_OUT = "Left out: "
SUFFIXES = (".tmx", ".xml")


# ---- reading


def read(path: str | os.PathLike[str], *, source_lang: str | None = None, target_lang: str | None = None) -> Report:
    """Read the translations in a TMX file as a table.

    The index, `line`, says where each unit begins in the file. Where the file says when its texts were made, changed or
    last used, the table has `creation_time`, `updated_time` and `last_used_time`. What was left out is told in the last
    line. The file is read piece by piece; no entity in it is resolved, and nothing is looked up elsewhere.

    Parameters
    ----------
    path
        The file.
    source_lang
        The language that the others are translated from; None takes what the file says, or the first of each unit.
    target_lang
        Only the translations into this language; one without a variant, such as "en", takes all its variants.

    Raises
    ------
    ValueError
        The file is damaged or no TMX, or has nothing in the languages given.
    """
    source_lang = meant(source_lang, field="source_lang")
    target_lang = meant(target_lang, field="target_lang")
    given = Path(path).expanduser()
    with opened(given) as stream:
        try:
            table, notes = tabled(stream, source_lang=source_lang, target_lang=target_lang)
        except ValueError as problem:
            raise ValueError(f"{given.name}: {problem}") from None
    said = f"{plural(len(table), 'translation')} from {given.name}."
    return Report(table, " ".join([said, *(f"{note}." for note in notes)]))


def tabled(
    stream: IO[bytes], *, source_lang: str | None = None, target_lang: str | None = None
) -> tuple[pd.DataFrame, list[str]]:
    """The translations in a TMX file as a table, and what was left out, in words."""
    taking = _Taking(source_lang or "", target_lang or "")
    rows = [row for unit in units_of(stream) for row in taking.rows(unit)]
    if not rows:
        taking.refuse()
    table = made(rows)
    return table, taking.notes(table)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The file at *path*, to be read; a clear error where that cannot be."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name the file in it")
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}; the folder to start from is {Path.cwd()}") from None
    except OSError as problem:
        raise type(problem)(f"{path} could not be read: {problem.strerror}") from None
    with stream:
        yield stream


@dataclass
class _Taking:
    """Takes rows from units, in the languages wanted, and counts what it leaves."""

    source_lang: str
    target_lang: str
    without: int = 0
    variants: int = 0
    nameless: int = 0
    languages: set[str] = field(default_factory=set)

    def rows(self, unit: Unit) -> Iterator[Row]:
        full = [each for each in unit.variants if each.text and not each.text.isspace()]
        spoken = [each for each in full if each.language]
        self.nameless += len(full) - len(spoken)
        self.languages.update(each.language for each in spoken)
        # The text that the others were translated from: in the language wanted, or else, unless it was asked for,
        # the first.
        wanted = self.source_lang or unit.source_lang
        exact = [each for each in spoken if each.language.lower() == wanted.lower()]
        near = [each for each in spoken if wanted and same_language(each.language, wanted)]
        source = next(iter(exact or near or ([] if wanted else spoken)), None)
        others = [each for each in spoken if source and not same_language(each.language, source.language)]
        self.without += not others
        if source is None:
            return
        self.variants += len(spoken) - len(others) - 1
        target = normal(self.target_lang)
        for each in others:
            # A language without its variant asks for all of them.
            variant = "-" not in target or normal(each.language) == target
            if not target or (variant and same_language(each.language, target)):
                yield unit.line, source.language, each.language, source.text, each.text, each.times

    def refuse(self) -> None:
        """Raise ValueError where a language was asked for, and nothing was found."""
        asked = {"source_lang": self.source_lang, "target_lang": self.target_lang}
        given = {name: code for name, code in asked.items() if code}
        if given:
            said = ", ".join(f"{name} {code!r}" for name, code in given.items())
            has = ", ".join(sorted(set(map(as_normal, self.languages)))[:20]) or "none"
            raise ValueError(f"there is nothing with {said} in it; the languages in it are {has}")

    def notes(self, table: pd.DataFrame) -> list[str]:
        lacking = "without texts in the source language and another"
        counted = (
            (self.without, f"unit {lacking}", f"units {lacking}"),
            (self.variants, "text in a variant of the source language", None),
            (self.nameless, "text that names no language", "texts that name no language"),
        )
        left = [LEFT_OUT + plural(count, one, several) for count, one, several in counted if count]
        texts = pd.concat([table["source"], table["target"]]).tolist()
        tagged = sum(map(is_tagged, texts))
        have = "text has inline tags, and is", "texts have inline tags, and are"
        return [*left, f"{plural(tagged, *have)} XML"] if tagged else left


# ---- writing


def write(table: pd.DataFrame, path: str | os.PathLike[str]) -> Path:
    """Write a table of translations to a TMX 1.4 file; what `read` makes of it are the same rows.

    A file that is there is replaced, at once and as a whole. The times of the columns `creation_time`, `updated_time`
    and `last_used_time` are written to the second; other columns are not.

    Raises
    ------
    InvalidRows
        Rows have no form in TMX: a side is empty, or has a character that no XML can hold; `findings` says which.
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
        raise ValueError("the table has no translations, and a memory has at least one; nothing was written")
    found, source_lang = units(table)
    for piece in written(found, source_lang):
        stream.write(piece.encode())
