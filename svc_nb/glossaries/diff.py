"""What differs between two tables of terms: compared by language pair and source, in whatever order they stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.advice import Call
from svc_nb.errors import InvalidRows, one_line
from svc_nb.glossaries.table import LANGUAGE_COLUMNS, LanguagePairs, Pair, checked
from svc_nb.sync.by_language import CHANGES, counted_by
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import TEXT

Numbers = npt.NDArray[np.int64]

PUSH = "svc_nb.glossaries.push(...)"


class GlossaryDiff(Report):
    """The rows that were added, changed or removed, one each, with the target before and now."""

    def __init__(self, frame: Any, said: str = "") -> None:
        super().__init__(frame, said, marks="change")

    def counts(self) -> dict[Pair, dict[str, int]]:
        """How many rows of each pair were added, changed and removed; no pair without a difference."""
        return counted_by(self, LANGUAGE_COLUMNS)


class Numbered:
    """Tables with one numbering for all: rows with the same pair and source have the same number in `terms`.

    `pairs` are the language pairs as they are meant (EN-GB is EN); `pair`, `source` and `target` have an array for
    each table, with the number of a pair in `pairs` or of a text in `texts`, and -1 for a gap.
    """

    def __init__(self, *tables: pd.DataFrame) -> None:
        self.tables = [checked(table) for table in tables]
        numbers: dict[Pair, int] = {}
        self.pair: list[Numbers] = []
        for table in self.tables:
            pairs = LanguagePairs(table)
            # A language that the service does not have keeps what was written.
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
        """Raise InvalidRows where a term stands twice in a table: then nobody can say which target is meant."""
        twice = np.flatnonzero(pd.Series(self.terms[number]).duplicated(keep=False))
        if not len(twice):
            return
        place = int(twice[0])
        source = self.source[number][place]
        term = repr(one_line(self.texts[source], limit=60)) if source >= 0 else "a missing source"
        labels = self.tables[number].index[twice].tolist()
        raise InvalidRows(
            f"{name} has {term} more than once for {' → '.join(self.pairs[self.pair[number][place]])} "
            f"({plural(len(twice), 'such row')}, the first is {labels[0]!r}), and a glossary has each term once. "
            f"Next: {Call('.svc.lint')} shows them all, {Call('.svc.fix')} applies the safe fixes",
            rows=labels,
        )

    def places(self, number: int, terms: Numbers) -> npt.NDArray[np.intp]:
        """Where each of *terms* stands in a table, -1 where it does not."""
        return pd.Index(self.terms[number]).get_indexer(pd.Index(terms))

    def cells(self, numbers: Numbers) -> Any:
        """The texts with these numbers, as a column; a gap for a number below 0."""
        kinds, codes = np.unique(numbers, return_inverse=True)
        texts = [self.texts[kind] if kind >= 0 else None for kind in kinds.tolist()]
        try:
            return pd.array(texts, dtype=TEXT).take(codes)
        except UnicodeEncodeError:  # half of a surrogate pair, which Arrow cannot hold
            return pd.Series(texts, dtype=object).iloc[codes].reset_index(drop=True)

    def languages(self, numbers: Numbers) -> dict[str, Any]:
        """The two language columns of rows whose pairs have these numbers."""
        names = ("source_lang", "target_lang")
        sides = [[pair[side] for pair in self.pairs] for side in (0, 1)]
        return {name: pd.array(side, dtype=TEXT).take(numbers) for name, side in zip(names, sides, strict=True)}


def diff(old: pd.DataFrame, new: pd.DataFrame, *, left: str = "", push: str = PUSH) -> GlossaryDiff:
    """What was added, changed and removed from *old* to *new*; neither order nor labels nor further columns count.

    Raises InvalidRows where a table has a term twice. *left* and *push* are for its line: what was left alone, and how
    the difference is pushed.
    """
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
        """A column of texts: *of_new* for the rows that are here, *of_old* for those that are gone."""
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
    """The rows of *table* that are of these pairs, as they are meant."""
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
    """The values at *places*; *gap* where there is no place."""
    return np.where(places >= 0, values[places], gap) if len(values) else np.full(len(places), gap)


def _numbers(column: pd.Series[Any], known: defaultdict[str, int]) -> Numbers:
    """The number of every text in *known*, to which new ones are added; -1 for a gap.

    Not by pandas: before its version 3 it takes texts that are equal up to a NUL for the same.
    """
    cells = column.tolist()
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
