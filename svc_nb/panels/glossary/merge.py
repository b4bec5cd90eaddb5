"""What was edited here and what the service has by now, brought together; what both changed is told and not guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from svc_nb.glossaries.diff import NAMES, Numbered, counted, diff, merge
from svc_nb.glossaries.table import COLUMNS, Pair
from svc_nb.panels.glossary.edits import Edits, Key, cells_of, filled, key_of, toward
from svc_nb.panels.glossary.pairs import arrow
from svc_nb.sync.by_language import CHANGES
from svc_nb.tabular.report import plural

MOST_TOLD = 8


def _no_conflicts() -> pd.DataFrame:
    return pd.DataFrame(columns=[*COLUMNS[:3], *NAMES])


@dataclass(frozen=True)
class Meeting:
    """What came of it: `edits` bring into the book what others changed, unless there are `conflicts`.

    `theirs` is what the service has, `counts` what a push would change there, by pair, `elsewhere` how many terms
    others added, changed and removed since the base, and `kept` how many of these stay as they are here.
    """

    theirs: pd.DataFrame
    conflicts: pd.DataFrame = field(default_factory=_no_conflicts)
    edits: Edits = field(default_factory=lambda: Edits({}, [], []))
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
        lines = []
        for pair, counts in list(self.counts.items())[:MOST_TOLD]:
            if pair in self.deleted:
                terms = plural(counts["removed"], "term")
                lines.append(f"{arrow(pair)}: the pair is deleted, with all of its {terms}.")
            else:
                lines.append(f"In {arrow(pair)}: {counted(*(counts[name] for name in CHANGES))}.")
        if (more := len(self.counts) - MOST_TOLD) > 0:
            lines.append(f"And in {plural(more, 'more pair', 'more pairs')}.")
        return "\n".join(lines)


def meet(
    base: pd.DataFrame, mine: pd.DataFrame, theirs: pd.DataFrame, *, choices: Mapping[Key, str] | None = None
) -> Meeting:
    """Bring together what *mine* and *theirs* changed since *base*; the index of *mine* has the numbers of its rows.

    *choices* settles conflicts, by their terms: "mine" or "theirs". Raises InvalidRows where *mine* has a term twice.
    """
    mine, choices = filled(mine), choices or {}
    changes = diff(base, theirs).counts().values()
    elsewhere = tuple(sum(each[name] for each in changes) for name in CHANGES)
    edits, merged, kept = Edits({}, [], []), mine, 0
    if any(elsewhere):  # mostly not, and that is much faster
        found = merge(base, mine, theirs)
        keys = keys_of(found.conflicts)
        if keys.keys() - choices.keys():
            return Meeting(theirs, pd.DataFrame(found.conflicts))
        taken = {key: place for key, place in keys.items() if choices[key] == "theirs"}
        settled = _with_theirs(mine, found.conflicts, taken) if taken else mine
        merged = merge(base, settled, theirs, prefer="mine").table if keys else found.table
        edits, kept = toward(mine, merged), sum(side == "mine" for side in choices.values())
    counts = diff(theirs, merged).counts()
    pairs = set(Numbered(merged).pairs)
    deleted = tuple(pair for pair in counts if pair not in pairs)
    return Meeting(theirs, _no_conflicts(), edits, counts, deleted, elsewhere, kept)


def keys_of(conflicts: pd.DataFrame) -> dict[Key, int]:
    """The terms of *conflicts*, with their places."""
    columns = (conflicts[name].tolist() for name in COLUMNS[:3])
    return {key_of((*cells, "")): place for place, cells in enumerate(zip(*columns, strict=True))}


def _with_theirs(mine: pd.DataFrame, conflicts: pd.DataFrame, taken: Mapping[Key, int]) -> pd.DataFrame:
    """*mine* with the terms of theirs where these were *taken*."""
    theirs = conflicts.iloc[list(taken.values())]
    kept = theirs[theirs["theirs"].notna()].drop(columns="mine").rename(columns={"theirs": "target"})
    stay = [key_of(cells) not in taken for cells in cells_of(mine)]
    return pd.concat([mine.loc[stay], kept[list(COLUMNS)]])


def aligned(base: pd.DataFrame, mine: pd.DataFrame, theirs: pd.DataFrame) -> pd.DataFrame:
    """*theirs* with the numbers of rows that its terms have in *mine* or, where they are gone there, in *base*."""
    known, before = (
        dict(zip(map(key_of, cells_of(table)), table.index.tolist(), strict=True)) for table in (mine, base)
    )
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
