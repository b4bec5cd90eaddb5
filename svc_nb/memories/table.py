"""The table of a translation memory: one row for a translation, with `source_lang, target_lang, source, target`.

A source with several translations has several rows. A table may have the times of its translations too:
`creation_time`, `updated_time` and `last_used_time`. Other columns are the user's own and go nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np
import pandas as pd

from svc_nb.errors import InvalidRows
from svc_nb.language_codes import WELL_FORMED, as_bcp47, as_normal
from svc_nb.memories.tmx import ALL, ILLEGAL, LARGEST_UNIT, NO_TIMES, PIECE, TIMES, Times, Unit, Variant, markup
from svc_nb.tabular.findings import ERROR, Findings
from svc_nb.tabular.report import plural
from svc_nb.tabular.text_column import checked_table, text_array

COLUMNS = ("source_lang", "target_lang", "source", "target")
FORMAT = "%Y%m%dT%H%M%SZ"
MOST_NAMED = 5
# So much of a unit is read for sure, whatever stands before it.
HEAVIEST = LARGEST_UNIT - 2 * PIECE
SHORT = 1000
# The tags, the language and the times.
AROUND = 200

Row = tuple[int, str, str, str, str, Times]


def checked(table: object) -> pd.DataFrame:
    """*table* itself, or a clear error where it is no table of translations."""
    return checked_table(table, (*COLUMNS, *TIMES), "translations", optional=TIMES)


# ---- a table of units


def made(rows: Sequence[Row], index: str = "line") -> pd.DataFrame:
    """The table of *rows*; times that no row has are no column."""
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
    """The table of translations, with codes in the letters that tables have."""
    cells = (*(list(map(as_normal, codes)) for codes in (source_lang, target_lang)), source, target)
    return pd.DataFrame({name: text_array(each) for name, each in zip(COLUMNS, cells, strict=True)})


# ---- units of a table


def units(table: pd.DataFrame) -> tuple[Iterator[Unit], str]:
    """The units of a table, and the source language, or *all* where there are several.

    Rows that follow each other with one source are one unit. Raises InvalidRows for what has no form in TMX.
    """
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
    refuse(cells, table)
    times = _times(table)
    languages = list(dict.fromkeys(cells[0]))
    return _grouped(cells, times), languages[0] if len(languages) == 1 else ALL


def _grouped(cells: Sequence[Sequence[str]], times: Iterable[Times]) -> Iterator[Unit]:
    rows = zip(*cells, times, strict=True)
    for number, ((language, source), group) in enumerate(groupby(rows, key=lambda row: (row[0], row[2]))):
        targets = (Variant(code, target, said) for _, code, _, target, said in group)
        for part in _parted(targets, weight(source)):
            yield Unit(number, language, [Variant(language, source), *part])


def _parted(targets: Iterable[Variant], begun: int) -> Iterator[list[Variant]]:
    """*targets* in runs that fit a unit whose source weighs *begun*; most often there is one."""
    run: list[Variant] = []
    weighs = begun
    for each in targets:
        more = weight(each.text)
        if run and weighs + more > HEAVIEST:
            yield run
            run, weighs = [], begun
        run.append(each)
        weighs += more
    yield run


def weight(text: str) -> int:
    """How many bytes a text takes in a file, at most, with what stands around it."""
    if len(text) <= SHORT:
        return AROUND + 5 * len(text)  # as "&amp;" is, and no character is longer
    return AROUND + len(markup(text).encode("utf-8", "surrogatepass"))


def _times(table: pd.DataFrame) -> Iterable[Times]:
    """What is said of the times of every row, as TMX writes it."""
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


# ---- what cannot be written


def refuse(cells: Sequence[Sequence[str]], table: pd.DataFrame) -> None:
    """Raise InvalidRows, with the rows, for what has no form in TMX."""
    source_lang, target_lang, source, target = cells
    found = Findings()

    def add(wrong: Iterable[object], code: str, message: str) -> None:
        found.add(np.flatnonzero([bool(each) for each in wrong]), ERROR, code, message)

    for name, texts in (("source", source), ("target", target)):
        add((not text or text.isspace() for text in texts), "empty", f"the {name} is empty")
        add(map(ILLEGAL.search, texts), "control", f"the {name} has a character that no XML can hold")
    heavy = (weight(one) + weight(other) > HEAVIEST for one, other in zip(source, target, strict=True))
    add(heavy, "too_long", f"source and target are longer than {LARGEST_UNIT >> 20} MiB together")
    for name, codes in (("source_lang", source_lang), ("target_lang", target_lang)):
        wrong = {code for code in set(codes) if not WELL_FORMED.fullmatch(code)}
        add((code in wrong for code in codes), "language", f"{name} is no language code")
    same = map(same_language, source_lang, target_lang)
    add(same, "same_language", "source and target are in the same language")
    if not len(found):
        return
    rows = table.index.take(found.rows).tolist()
    told = found.table(table.index)
    named = ", ".join(map(str, rows[:MOST_NAMED])) + (", …" if len(rows) > MOST_NAMED else "")
    what = plural(len(rows), "row has", "rows have")
    raise InvalidRows(
        f"{what} no form in a translation memory ({told['message'].iloc[0]}; rows {named}). Nothing was written or "
        "sent; see .findings of this error",
        rows=rows,
        findings=told,
    )


def normal(code: str) -> str:
    """A code as it is compared with others."""
    return code.lower().replace("_", "-")


def base(code: str) -> str:
    """The language of a code, without its variant."""
    return normal(code).partition("-")[0]


def same_language(one: str, other: str) -> bool:
    """Whether two codes are of one language, in whatever variants."""
    return base(one) == base(other)
