"""The differences between tables of terms, whatever the order of their rows, and merging the changes of two people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.advice import Call
from svc_nb.errors import InvalidRows, one_line
from svc_nb.sync.by_language import CHANGES, counted_by
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.terms import LANGUAGE_COLUMNS, LanguagePairs, Pair, checked, in_tables
from svc_nb.tabular.text_column import TEXT

Numbers = npt.NDArray[np.int64]

PUSH = "svc_nb.glossaries.push(...)"


class GlossaryDiff(Report):
    """One row for each term that was added, changed or removed, with the target before and now."""

    def __init__(self, frame: Any, said: str = "") -> None:
        super().__init__(frame, said, marks="change")

    def counts(self) -> dict[Pair, dict[str, int]]:
        """How many rows of each pair were added, changed and removed, for pairs with a difference."""
        return counted_by(self, LANGUAGE_COLUMNS)


class Numbered:
    """Tables with one numbering for all: rows with the same pair and source have the same number in `terms`.

    `pairs` are the normalized language pairs (EN-GB is EN); `pair`, `source` and `target` have an array for each table,
    with the number of a pair in `pairs` or of a text in `texts`, and -1 for a gap.
    """

    def __init__(self, *tables: pd.DataFrame) -> None:
        self.tables = [checked(table) for table in tables]
        numbers: dict[Pair, int] = {}
        self.pair: list[Numbers] = []
        for table in self.tables:
            pairs = LanguagePairs(table)
            # A language that the service does not have stays as written.
            meant = [
                (source or langs[0].strip().upper(), target or langs[1].strip().upper())
                for langs, (source, target) in zip(pairs.written, pairs.meant, strict=True)
            ]
            places = [numbers.setdefault(pair, len(numbers)) for pair in meant]
            self.pair.append(np.asarray(places, dtype=np.int64)[pairs.codes])
        self.pairs = list(numbers)
        known: defaultdict[str, int] = defaultdict(count().__next__)
        self.source = [_numbers(table["source"], known) for table in self.tables]
        self.target = [_numbers(table["target"], known) for table in self.tables]
        self.texts = list(known)
        self.terms: list[Numbers] = [
            (source + 1) * max(len(self.pairs), 1) + pair for source, pair in zip(self.source, self.pair, strict=True)
        ]

    def refuse_twice(self, number: int, name: str) -> None:
        """Raise InvalidRows if a table has a term twice, because it is unclear which target is meant."""
        twice = np.flatnonzero(pd.Series(self.terms[number]).duplicated(keep=False))
        if not len(twice):
            return
        place = int(twice[0])
        source = self.source[number][place]
        term = repr(one_line(self.texts[source], limit=60)) if source >= 0 else "a missing source"
        labels = self.tables[number].index[twice].tolist()
        raise InvalidRows(
            f"{name} has {term} more than once for {' → '.join(self.pairs[self.pair[number][place]])} "
            f"({plural(len(twice), 'such row')}, the first is {labels[0]!r}), but a glossary has each term once. Next: "
            f"{Call('.svc.lint')} lists them all, {Call('.svc.fix')} applies the safe fixes",
            rows=labels,
        )

    def places(self, number: int, terms: Numbers) -> npt.NDArray[np.intp]:
        """The position of each of *terms* in a table, -1 if it is missing."""
        return pd.Index(self.terms[number]).get_indexer(pd.Index(terms))

    def cells(self, numbers: Numbers) -> Any:
        """The texts with these numbers, as a column; a gap for a number below 0."""
        kinds, codes = np.unique(numbers, return_inverse=True)
        texts = [self.texts[kind] if kind >= 0 else None for kind in kinds.tolist()]
        try:
            return pd.array(texts, dtype=TEXT).take(codes)
        except UnicodeEncodeError:  # half of a surrogate pair, which Arrow cannot store
            return pd.Series(texts, dtype=object).iloc[codes].reset_index(drop=True)

    def languages(self, numbers: Numbers) -> dict[str, Any]:
        """The two language columns of rows whose pairs have these numbers."""
        names = ("source_lang", "target_lang")
        sides = [[pair[side] for pair in self.pairs] for side in (0, 1)]
        return {name: pd.array(side, dtype=TEXT).take(numbers) for name, side in zip(names, sides, strict=True)}


def diff(old: pd.DataFrame, new: pd.DataFrame, *, left: str = "", push: str = PUSH) -> GlossaryDiff:
    """The added, changed and removed terms; the line of the result says what is *left* alone, and how to *push*."""
    both = Numbered(old, new)
    both.refuse_twice(0, "the older table")
    both.refuse_twice(1, "the table")
    before = both.places(0, both.terms[1])
    target_before = taken(both.target[0], before)
    changed = (before >= 0) & (target_before != both.target[1])
    here = np.flatnonzero((before < 0) | changed)
    gone = np.flatnonzero(both.places(1, both.terms[0]) < 0)
    change = np.concatenate([changed[here].astype(np.int64), np.full(len(gone), 2)])
    pair = np.concatenate([both.pair[1][here], both.pair[0][gone]])
    order = np.argsort(pair, kind="stable")

    def cells(of_new: Numbers, of_old: Numbers) -> Any:
        """A column of texts: *of_new* for rows in the new table, *of_old* for removed ones."""
        return both.cells(np.concatenate([of_new[here], of_old[gone]])[order])

    columns = {
        "change": pd.array(list(CHANGES), dtype=TEXT).take(change[order]),
        **both.languages(pair[order]),
        "source": cells(both.source[1], both.source[0]),
        "target_before": cells(target_before, both.target[0]),
        "target": cells(both.target[1], np.full(len(both.target[0]), -1)),
    }
    said = [f"No difference in {plural(len(both.terms[1]), 'term')}.", left]
    if len(change):
        pairs = plural(len(np.unique(pair)), "pair")
        said = [f"{counted(*np.bincount(change, minlength=3))} in {pairs}.", left, f"Next: {push}"]
    return GlossaryDiff(pd.DataFrame(columns), " ".join(filter(None, said)))


def within(table: pd.DataFrame, pairs: Collection[Pair]) -> pd.DataFrame:
    """The rows of *table* in these normalized pairs."""
    one = Numbered(table)
    wanted = np.array([pair in pairs for pair in one.pairs], dtype=np.bool_)
    return table.iloc[np.flatnonzero(wanted[one.pair[0]])]


def counted(added: int, changed: int, removed: int) -> str:
    """The counts in words.

    >>> counted(2, 0, 1200)
    '2 added, 0 changed, 1,200 removed'
    """
    return f"{added:,} added, {changed:,} changed, {removed:,} removed"


def taken(values: Numbers, places: npt.NDArray[np.intp], gap: int = -1) -> Numbers:
    """The values at *places*; *gap* if there is no place."""
    return np.where(places >= 0, values[places], gap) if len(values) else np.full(len(places), gap)


def _numbers(column: pd.Series[Any], known: defaultdict[str, int]) -> Numbers:
    """The number of every text in *known*, to which new texts are added; -1 for a gap."""
    cells = column.tolist()  # not with pandas: before version 3 it treats texts that are equal up to a NUL as the same
    if {*map(type, cells)} <= {str}:
        return np.fromiter(map(known.__getitem__, cells), dtype=np.int64, count=len(cells))
    found = np.full(len(cells), -1, dtype=np.int64)
    for row in np.flatnonzero(column.notna()).tolist():
        if not isinstance(cells[row], str):
            raise TypeError(
                f"column {column.name!r}, row {column.index[row]!r}: expected text, found "
                f"{type(cells[row]).__name__}. Use .astype(str)"
            )
        found[row] = known[cells[row]]
    return found


NAMES = ("base", "mine", "theirs")
# Stands for the target of a term that a table does not have; -1 is a gap.
ABSENT = -2


@dataclass(frozen=True, repr=False)
class Merged:
    """The `table` that results from a merge, and its `conflicts`, one row each with the targets of all three sides.

    In `table` a term in conflict is as it was in the base. `rows` are the labels of the rows in mine.
    """

    table: pd.DataFrame
    conflicts: Report
    rows: list[Hashable] = field(default_factory=list)

    @property
    def said(self) -> str:
        """The result, in one line."""
        return self.conflicts.said

    def __repr__(self) -> str:
        return repr(self._shown())

    def _repr_html_(self) -> str:
        return self._shown()._repr_html_()

    def _shown(self) -> Report:
        return self.conflicts if len(self.conflicts) else Report(self.table, self.said)


def merge(base: pd.DataFrame, mine: pd.DataFrame, theirs: pd.DataFrame, *, prefer: str | None = None) -> Merged:
    """Merge two people's changes to one table: `.table` is the result, `.conflicts` lists what both changed.

    Parameters
    ----------
    base
        The table that both started from.
    mine, theirs
        The two edited tables. Additional columns are kept; if both have one, mine wins.
    prefer
        "mine" or "theirs" resolves conflicts; None leaves such terms as in *base* and lists them.
    """
    if prefer not in (None, "mine", "theirs"):
        raise ValueError(f'prefer: expected "mine", "theirs" or None, found {prefer!r}')
    three = Numbered(base, mine, theirs)
    for number, name in enumerate(NAMES):
        three.refuse_twice(number, f"the table {name!r}")
    others = three.terms[2][three.places(1, three.terms[2]) < 0]
    terms = np.concatenate([three.terms[1], others])
    sides = [taken(three.target[number], three.places(number, terms), ABSENT) for number in range(3)]
    was, own, other = sides
    clash = (own != other) & (own != was) & (other != was)
    settled = {None: was, "mine": own, "theirs": other}[prefer]
    chosen = np.where(clash, settled, np.where(own == was, other, own))
    kept = np.flatnonzero(chosen != ABSENT)
    table = _table(three, terms[kept], chosen[kept])
    clashing = np.flatnonzero(clash & (prefer is None))
    count = max(len(three.pairs), 1)
    columns = {
        **three.languages(terms[clashing] % count),
        "source": three.cells(terms[clashing] // count - 1),
        **{name: three.cells(side[clashing]) for name, side in zip(NAMES, sides, strict=True)},
    }
    said, clashes = f"{plural(len(table), 'term')} merged", plural(int(clash.sum()), "conflict")
    push = "Next: svc_nb.glossaries.push(merged.table, ...)"
    if not clash.any():
        said += f", no conflicts. {push}"
    elif prefer:
        said += f"; {clashes} resolved in favour of {prefer}. {push}"
    else:
        said += f"; {clashes}, left as in the base. Next: resolve them in your table, or merge again with "
        said += 'prefer="mine" or prefer="theirs"'
    conflicts = Report(pd.DataFrame(columns), said)
    places = three.places(1, terms[clashing])
    return Merged(table, conflicts, three.tables[1].index[places[places >= 0]].tolist())


def _table(three: Numbered, terms: Numbers, targets: Numbers) -> pd.DataFrame:
    """The rows of these terms, from mine if it has them, with *targets* as their targets."""
    mine, theirs = three.tables[1:]
    places = [three.places(number, terms) for number in (1, 2)]
    names = [*mine.columns, *(name for name in theirs.columns if name not in mine.columns)]
    twice = [name for name in names if (mine.columns == name).sum() > 1 or (theirs.columns == name).sum() > 1]
    if twice:
        raise ValueError(f"a table has two columns called {twice[0]!r}. Rename one of them, then merge again")
    columns = {name: _joined(name, (mine, theirs), places) for name in names if name != "target"}
    cells: dict[Hashable, Any] = {name: three.cells(targets) if name == "target" else columns[name] for name in names}
    return in_tables(pd.DataFrame(cells, index=pd.RangeIndex(len(terms))))


def _joined(name: Hashable, tables: tuple[pd.DataFrame, ...], places: list[npt.NDArray[np.intp]]) -> pd.Series[Any]:
    """A column for the rows at *places* of the tables, from the first table that has both the column and the row."""
    found = np.full(len(places[0]), -1)
    parts: list[pd.Series[Any]] = []
    for table, place in zip(tables, places, strict=True):
        if name in table.columns:
            found = np.where((found < 0) & (place >= 0), place + sum(map(len, parts)), found)
            parts.append(table[name])
    alike = len({str(part.dtype) for part in parts}) == 1
    if (found < sum(map(len, parts[:1]))).all():  # so that a column that only mine has keeps its type
        parts, alike = parts[:1], True
    joined = pd.concat(parts if alike else [part.astype(object) for part in parts], ignore_index=True)
    return joined.reindex(pd.Index(found)).reset_index(drop=True)
