"""Two people's changes to one table of terms brought together; what both changed differently is told, not guessed."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.glossaries.diff import Numbered, Numbers, taken
from svc_nb.glossaries.table import in_tables
from svc_nb.tabular.report import Report, plural

NAMES = ("base", "mine", "theirs")
# Stands for the target of a term that a table does not have, beside -1 for a gap.
ABSENT = -2


@dataclass(frozen=True, repr=False)
class Merged:
    """The `table` that came of a merge, and its `conflicts`, a row each with the targets of all three sides.

    In `table` a term in conflict is as it was in the base. `rows` are the labels of those that mine has.
    """

    table: pd.DataFrame
    conflicts: Report
    rows: list[Hashable] = field(default_factory=list)

    @property
    def said(self) -> str:
        """What came of it, in a line."""
        return self.conflicts.said

    def __repr__(self) -> str:
        return repr(self._shown())

    def _repr_html_(self) -> str:
        return self._shown()._repr_html_()

    def _shown(self) -> Report:
        return self.conflicts if len(self.conflicts) else Report(self.table, self.said)


def merge(base: pd.DataFrame, mine: pd.DataFrame, theirs: pd.DataFrame, *, prefer: str | None = None) -> Merged:
    """Bring two people's changes to one table together: `.table` is the result, `.conflicts` what both changed.

    Parameters
    ----------
    base
        The table that both began with.
    mine, theirs
        What became of it. Further columns are kept; where both have one, mine counts.
    prefer
        "mine" or "theirs" settles what both changed differently; None leaves such terms as in *base* and lists them.
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
    conflicts = Report(pd.DataFrame(columns), _said(len(table), int(clash.sum()), prefer))
    places = three.places(1, terms[clashing])
    return Merged(table, conflicts, three.tables[1].index[places[places >= 0]].tolist())


def _table(three: Numbered, terms: Numbers, targets: Numbers) -> pd.DataFrame:
    """The rows of these terms: mine where mine has them, with *targets* for their targets."""
    mine, theirs = three.tables[1:]
    places = [three.places(number, terms) for number in (1, 2)]
    names = [*mine.columns, *(name for name in theirs.columns if name not in mine.columns)]
    twice = [name for name in names if (mine.columns == name).sum() > 1 or (theirs.columns == name).sum() > 1]
    if twice:
        raise ValueError(f"a table has the column {twice[0]!r} twice: rename one of them, then merge again")
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
    if (found < sum(map(len, parts[:1]))).all():  # so that what only mine has keeps its type
        parts, alike = parts[:1], True
    joined = pd.concat(parts if alike else [part.astype(object) for part in parts], ignore_index=True)
    return joined.reindex(pd.Index(found)).reset_index(drop=True)


def _said(count: int, clashes: int, prefer: str | None) -> str:
    merged = f"{plural(count, 'term')} merged"
    if not clashes:
        return f"{merged}, no conflicts. Next: svc_nb.glossaries.push(merged.table, ...)"
    if prefer:
        return (
            f"{merged}; {plural(clashes, 'conflict')} settled in favour of {prefer}. "
            "Next: svc_nb.glossaries.push(merged.table, ...)"
        )
    return (
        f"{merged}; {plural(clashes, 'conflict')}, left as in the base. Next: settle them in your table, "
        'or merge again with prefer="mine" or prefer="theirs"'
    )
