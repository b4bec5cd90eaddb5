"""The edits that turn one table of terms into another, and the merge with changes by others."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from svc_nb.glossaries.diff import NAMES, Numbered, diff, merge
from svc_nb.glossaries.fix import fixes
from svc_nb.glossaries.sync import meant
from svc_nb.panels.glossary.pairs import arrow
from svc_nb.panels.parts.columns import cell_strings
from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.panels.parts.editor import changes_told
from svc_nb.sync.by_language import CHANGES
from svc_nb.tabular.report import plural
from svc_nb.tabular.terms import COLUMNS, Pair, made

Cells = tuple[str, ...]
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Edits:
    """Cells to write, by row and column, rows to add at the end, and rows to drop."""

    writes: dict[tuple[int, str], str]
    added: list[Cells]
    dropped: list[int]

    def __bool__(self) -> bool:
        return bool(self.writes or self.added or self.dropped)

    def apply(self, book: EditTable, step: str) -> None:
        """Apply all edits as one step that can be undone; rows that no longer exist are skipped."""
        with book.step(step):
            writes = {(row, column): text for (row, column), text in self.writes.items() if row in book}
            if writes:
                book.write(writes)
            if dropped := [row for row in self.dropped if row in book]:
                book.drop(dropped)
            if self.added:
                book.add(self.added)


def nothing() -> pd.DataFrame:
    """A table without terms."""
    return made([], [], [], [])


def filled(table: pd.DataFrame) -> pd.DataFrame:
    """*table* without rows that have neither source nor target."""
    blank = (table["source"].str.strip() == "") & (table["target"].str.strip() == "")
    return table.loc[~blank.to_numpy(dtype=np.bool_, na_value=False)]


def cells_of(table: pd.DataFrame) -> list[Cells]:
    """The rows of a table of terms as texts, in the order of `COLUMNS`; missing values are empty."""
    return list(zip(*([cell or "" for cell in cell_strings(table[name])] for name in COLUMNS), strict=True))


def key_of(cells: Cells) -> Key:
    """The key of a term: its normalized pair and its source."""
    return (*meant(cells[0], cells[1]), cells[2])


def toward(mine: pd.DataFrame, wanted: pd.DataFrame) -> Edits:
    """The edits that give *mine*, whose index has its row numbers, exactly the terms of *wanted*."""
    exact: dict[object, list[int]] = defaultdict(list)
    by_key: dict[object, list[int]] = defaultdict(list)
    for row, cells in zip(reversed(mine.index.tolist()), reversed(cells_of(mine)), strict=True):
        exact[key_of(cells), cells[3]].append(row)  # of duplicate terms, the first row is used first
        by_key[key_of(cells)].append(row)
    left = dict.fromkeys(mine.index.tolist())
    others: list[Cells] = []
    for cells in cells_of(wanted):
        same = exact[key_of(cells), cells[3]]
        if same:
            del left[same.pop()]
        else:
            others.append(cells)
    writes: dict[tuple[int, str], str] = {}
    added: list[Cells] = []
    for cells in others:
        rows = by_key[key_of(cells)]
        while rows and rows[-1] not in left:
            rows.pop()
        if rows:
            del left[rows[-1]]
            writes[rows.pop(), "target"] = cells[3]
        else:
            added.append(cells)
    return Edits(writes, added, list(left))


def adding(mine: pd.DataFrame, more: pd.DataFrame) -> Edits:
    """The edits that add the terms of *more* to *mine*: existing terms get its targets, and none is removed."""
    here = list(zip(mine.index.tolist(), cells_of(mine), strict=True))
    rows = {key_of(cells): row for row, cells in reversed(here)}  # of duplicate terms, the first row counts
    known = {(key_of(cells), cells[3]) for _, cells in here}
    wanted = {(key_of(cells), cells[3]): cells for cells in cells_of(more)}
    for key, _ in wanted.keys() & known:  # its target is also in *wanted*
        rows.pop(key, None)
    writes: dict[tuple[int, str], str] = {}
    added: list[Cells] = []
    for (key, target), cells in wanted.items():
        if (key, target) in known:
            continue
        if row := rows.pop(key, None):
            writes[row, "target"] = target
        else:
            added.append(cells)
    return Edits(writes, added, [])


def fixing(table: pd.DataFrame, rows: Collection[int] | None = None) -> Edits:
    """The edits that apply all safe fixes in *table*, or only those in some *rows*."""
    found = fixes(table)
    writes: dict[tuple[int, str], str] = {}
    dropped: list[int] = []
    columns = (found[name].tolist() for name in ("row", "column", "after"))
    for row, column, after in zip(*columns, strict=True):
        if rows is None or row in rows:
            if column:
                writes[int(row), column] = after
            else:
                dropped.append(int(row))
    return Edits(writes, [], dropped)


def still_right(edits: Edits, before: pd.DataFrame, book: EditTable) -> Edits:
    """*edits* without rows edited since the table *before* was copied from the book."""
    was = dict(zip(before.index.tolist(), before.itertuples(index=False, name=None), strict=True))
    same = {row for row in {*edits.dropped, *(row for row, _ in edits.writes)} if row in book}
    same = {row for row in same if was[row] == tuple(book[row])}
    writes = {cell: text for cell, text in edits.writes.items() if cell[0] in same}
    return Edits(writes, [], [row for row in edits.dropped if row in same])


def told_fixes(edits: Edits) -> str:
    """The fixes, in words."""
    done = []
    if edits.writes:
        done.append(f"fixed {plural(len(edits.writes), 'cell')}")
    if edits.dropped:
        done.append(f"removed {plural(len(edits.dropped), 'duplicate row')}")
    if not done:
        return "There is nothing to fix safely. The suggestions say what to do."
    said = " and ".join(done)
    return f"{said[0].upper()}{said[1:]}, in one step."


MOST_TOLD = 8


def _no_conflicts() -> pd.DataFrame:
    return pd.DataFrame(columns=[*COLUMNS[:3], *NAMES])


@dataclass(frozen=True)
class Meeting:
    """The result of a merge: `edits` add the changes of others to the book, unless there are `conflicts`.

    `theirs` is the table on the service, `counts` what a push would change there, by pair, `elsewhere` how many terms
    others added, changed and removed since the base, and `kept` how many of those keep your version.
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
        """What others changed, in words; empty if nothing."""
        if not any(self.elsewhere):
            return ""
        kept = f" Your version is kept for {self.kept:,} of them." if self.kept else ""
        counts = dict(zip(("new", "changed", "dropped"), self.elsewhere, strict=True))
        return f"Merged from the service: {changes_told(counts)}.{kept}"


@dataclass(frozen=True)
class EditCounts:
    """The edits of a book as a push sends them: rows `new`, `changed` and `dropped` by pair, and `empty` new rows."""

    by_pair: dict[Pair, dict[str, int]]
    empty: int

    @classmethod
    def of(cls, book: EditTable) -> "EditCounts":
        """Count the rows of *book* as its footer does; rows without a term and a translation are not sent."""
        by_pair: dict[Pair, dict[str, int]] = {}
        blank = book.blank
        for kind, rows, cells in (
            ("new", book.new - blank, book.cells),
            ("changed", book.changed - blank, book.cells),
            ("dropped", {*book.dropped, *(book.changed & blank)}, book.base_cells),
        ):
            for row in rows:
                _count(by_pair, meant(*cells[row][:2]), kind)
        return cls(dict(sorted(by_pair.items(), key=lambda item: -sum(item[1].values()))), len(book.new & blank))

    @property
    def total(self) -> dict[str, int]:
        """The counts of all pairs together, as `EditTable.changes` has them."""
        return {name: sum(counts[name] for counts in self.by_pair.values()) for name in ("new", "changed", "dropped")}

    def told(self, deleted: Collection[Pair]) -> str:
        """What a push would do, pair by pair, in words; *deleted* are the pairs that would have no terms left."""
        lines = [f"In {arrow(pair)}: {changes_told(counts)}." for pair, counts in self.by_pair.items()]
        if (more := len(lines) - MOST_TOLD) > 0:
            lines[MOST_TOLD:] = [f"And in {plural(more, 'more pair', 'more pairs')}."]
        lines += [f"The pair {arrow(pair)} will be deleted, because it has no more terms." for pair in deleted]
        if self.empty:
            lines.append(f"{plural(self.empty, 'empty row is', 'empty rows are')} not sent.")
        return "\n".join(lines)


def _count(by_pair: dict[Pair, dict[str, int]], pair: Pair, kind: str) -> None:
    by_pair.setdefault(pair, {"new": 0, "changed": 0, "dropped": 0})[kind] += 1


def meet(
    base: pd.DataFrame, mine: pd.DataFrame, theirs: pd.DataFrame, *, choices: Mapping[Key, str] | None = None
) -> Meeting:
    """Merge what *mine* and *theirs* changed since *base*; the index of *mine* has its row numbers."""
    mine, choices = filled(mine), choices or {}
    changes = diff(base, theirs).counts().values()
    elsewhere = tuple(sum(each[name] for each in changes) for name in CHANGES)
    edits, merged, kept = Edits({}, [], []), mine, 0
    if any(elsewhere):  # usually not, and this is much faster
        found = merge(base, mine, theirs)
        keys = keys_of(found.conflicts)
        if keys.keys() - choices.keys():
            return Meeting(theirs, pd.DataFrame(found.conflicts))
        taken = {key: place for key, place in keys.items() if choices[key] == "theirs"}
        settled = mine
        if taken:  # the terms of theirs replace those here
            picked = found.conflicts.iloc[list(taken.values())]
            kept_rows = picked[picked["theirs"].notna()].drop(columns="mine").rename(columns={"theirs": "target"})
            stay = [key_of(cells) not in taken for cells in cells_of(mine)]
            settled = pd.concat([mine.loc[stay], kept_rows[list(COLUMNS)]])
        merged = merge(base, settled, theirs, prefer="mine").table if keys else found.table
        edits, kept = toward(mine, merged), sum(side == "mine" for side in choices.values())
    counts = diff(theirs, merged).counts()
    pairs = set(Numbered(merged).pairs)
    deleted = tuple(pair for pair in counts if pair not in pairs)
    return Meeting(theirs, _no_conflicts(), edits, counts, deleted, elsewhere, kept)


def keys_of(conflicts: pd.DataFrame) -> dict[Key, int]:
    """The terms of *conflicts*, with their positions."""
    columns = (conflicts[name].tolist() for name in COLUMNS[:3])
    return {key_of((*cells, "")): place for place, cells in enumerate(zip(*columns, strict=True))}


def aligned(base: pd.DataFrame, mine: pd.DataFrame, theirs: pd.DataFrame) -> pd.DataFrame:
    """*theirs* with the row numbers that its terms have in *mine* or, if they are gone there, in *base*."""
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
