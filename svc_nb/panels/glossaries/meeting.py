"""What was edited here meets what the service has by now; what both changed, differently, is told and not guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from svc_nb.glossaries.diff import CHANGES, Numbered, counted, diff
from svc_nb.glossaries.merge import NAMES, merge
from svc_nb.glossaries.table import COLUMNS, Pair
from svc_nb.panels.glossaries.edits import Edits, Key, cells_of, key_of, toward
from svc_nb.panels.glossaries.pairs import arrow
from svc_nb.tabular.report import plural

MOST_TOLD = 8
_NONE = Edits({}, [], [])


@dataclass(frozen=True)
class Meeting:
    """What came of it: `edits` bring into the book what others changed, unless there are `conflicts`.

    `theirs` is what the service has, `counts` what a push would change there, by pair, `elsewhere` how many terms
    others added, changed and removed since the base, and `kept` how many of these stay as they are here.
    """

    theirs: pd.DataFrame
    conflicts: pd.DataFrame
    edits: Edits = _NONE
    counts: dict[Pair, dict[str, int]] = field(default_factory=dict)
    deleted: tuple[Pair, ...] = ()
    elsewhere: tuple[int, ...] = (0, 0, 0)
    kept: int = 0

    @property
    def told_elsewhere(self) -> str:
        """What others changed, in words; nothing where they did not."""
        if not any(self.elsewhere):
            return ""
        kept = f"; {plural(self.kept, 'of these stays', 'of these stay')} as here" if self.kept else ""
        return f"Changed elsewhere meanwhile, and brought in: {counted(*self.elsewhere)}{kept}."

    @property
    def told(self) -> str:
        """What a push would do, pair by pair, in words."""
        return "\n".join(
            [
                _told(pair, counts, pair in self.deleted)
                for pair, counts in list(self.counts.items())[:MOST_TOLD]
            ]
            + _told_more(len(self.counts) - MOST_TOLD)
        )


def meet(
    base: pd.DataFrame, mine: pd.DataFrame, theirs: pd.DataFrame, *, choices: Mapping[Key, str] | None = None
) -> Meeting:
    """Bring together what *mine* and *theirs* changed since *base*; the index of *mine* has the numbers of its rows.

    *choices* settles conflicts, by their terms: "mine" or "theirs". Raises InvalidRows where *mine* has a term twice.
    """
    mine = filled(mine)
    elsewhere = _sums(diff(base, theirs).counts())
    if not any(elsewhere):  # as it mostly is, and much faster
        return Meeting(theirs, _no_conflicts(), _NONE, *_pushed(theirs, mine))
    found = merge(base, mine, theirs)
    if keys_of(found.conflicts).keys() - (choices or {}).keys():
        return Meeting(theirs, pd.DataFrame(found.conflicts))
    settled = _settled(mine, found.conflicts, choices or {})
    merged = merge(base, settled, theirs, prefer="mine").table
    kept = sum(side == "mine" for side in (choices or {}).values())
    return Meeting(theirs, _no_conflicts(), toward(mine, merged), *_pushed(theirs, merged), elsewhere, kept)


def filled(table: pd.DataFrame) -> pd.DataFrame:
    """*table* without the rows that have neither source nor target."""
    blank = (table["source"].str.strip() == "") & (table["target"].str.strip() == "")
    return table.loc[~blank.to_numpy(dtype=np.bool_, na_value=False)]


def aligned(base: pd.DataFrame, mine: pd.DataFrame, theirs: pd.DataFrame) -> pd.DataFrame:
    """*theirs* with the numbers of rows that its terms have in *mine* or, where they are gone there, in *base*."""
    known = _numbers(mine)
    before = _numbers(base)
    taken: set[int] = set()
    fresh = max([0, *mine.index.tolist(), *base.index.tolist()])
    rows: list[int] = []
    for key in map(key_of, cells_of(theirs)):
        row = next((row for row in (known.get(key), before.get(key)) if row and row not in taken), None)
        if row is None:
            fresh += 1
            row = fresh
        taken.add(row)
        rows.append(row)
    return theirs[list(COLUMNS)].set_axis(pd.Index(rows, dtype="int64", name="row"))


def _numbers(table: pd.DataFrame) -> dict[tuple[str, str, str], int]:
    return dict(zip(map(key_of, cells_of(table)), table.index.tolist(), strict=True))


def keys_of(conflicts: pd.DataFrame) -> dict[Key, int]:
    """The terms of *conflicts*, with their places."""
    columns = (conflicts[name].tolist() for name in COLUMNS[:3])
    return {key_of((*cells, "")): place for place, cells in enumerate(zip(*columns, strict=True))}


def _settled(mine: pd.DataFrame, conflicts: pd.DataFrame, choices: Mapping[Key, str]) -> pd.DataFrame:
    """*mine* with the terms of theirs where these were chosen."""
    keys = {key: place for key, place in keys_of(conflicts).items() if choices[key] == "theirs"}
    if not keys:
        return mine
    theirs = conflicts.iloc[list(keys.values())]
    kept = theirs[theirs["theirs"].notna()].drop(columns="mine").rename(columns={"theirs": "target"})
    stay = [key_of(cells) not in keys for cells in cells_of(mine)]
    return pd.concat([mine.loc[stay], kept[list(COLUMNS)]])


def _pushed(
    theirs: pd.DataFrame, wanted: pd.DataFrame
) -> tuple[dict[Pair, dict[str, int]], tuple[Pair, ...]]:
    """What makes *theirs* what is *wanted*, by pair, and the pairs that are gone then."""
    changes = diff(theirs, wanted).counts()
    pairs = set(Numbered(wanted).pairs)
    return changes, tuple(pair for pair in changes if pair not in pairs)


def _no_conflicts() -> pd.DataFrame:
    return pd.DataFrame(columns=[*COLUMNS[:3], *NAMES])


def _sums(counts: dict[Pair, dict[str, int]]) -> tuple[int, ...]:
    return tuple(sum(each[name] for each in counts.values()) for name in CHANGES)


def _told(pair: Pair, counts: dict[str, int], deleted: bool) -> str:
    if deleted:
        return f"{arrow(pair)}: the pair is deleted, with all of its {plural(counts['removed'], 'term')}."
    return f"In {arrow(pair)}: {counted(*(counts[name] for name in CHANGES))}."


def _told_more(count: int) -> list[str]:
    return [f"And in {plural(count, 'more pair', 'more pairs')}."] if count > 0 else []
