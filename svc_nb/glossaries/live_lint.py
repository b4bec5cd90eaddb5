"""The lint of a table of terms that is being edited, kept right edit by edit.

An edit lints anew, as one small table, the rows that were written, the rows whose findings name one of these, and all
that such findings may name: see `row_index`. Others are not looked at. So an edit costs as much as the findings that
it can change: where one source stands in thousands of rows they all name the first of them, and only an edit of that
one costs thousands. What changes with every edit above a row, the place of its entry as the service would name it, is
worked out when the findings of the row are asked for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from svc_nb.checks.text_array import Places
from svc_nb.glossaries.dictionaries import ENTRY
from svc_nb.glossaries.lint import MOST_GLOSSARY_BYTES, findings
from svc_nb.glossaries.row_index import Cells as Cells
from svc_nb.glossaries.row_index import RowIndex
from svc_nb.glossaries.table import made
from svc_nb.glossaries.term_arrays import TermArrays
from svc_nb.tabular.findings import ERROR, INFO, WARNING

REPEATED = ("duplicate", "conflict")
PLACE = "key with the index {} (starting at position {})"


class TermFinding(NamedTuple):
    """What is wrong with a row, or may be."""

    severity: str
    code: str
    message: str
    suggestion: str


class Live:
    """The errors and warnings of *table*, whose index has the numbers of its rows, as it is edited.

    They are at any time those that `lint` finds in the rows in the order of their numbers, but for its notes.
    """

    def __init__(self, table: pd.DataFrame) -> None:
        if not table.index.is_unique:
            raise ValueError("expected a number of its own for every row, found some twice in the index")
        whole = _Part(table.sort_index())
        self._near = RowIndex(whole)
        self._found: dict[int, tuple[TermFinding, ...]] = {}
        self._rows: dict[str, set[int]] = {ERROR: set(), WARNING: set()}
        self._counts: Counter[str] = Counter()
        self._large = self._near.first_too_many()
        for row, found in self._told(whole).items():
            self._keep(row, tuple(found))

    @property
    def counts(self) -> Counter[str]:
        """How many findings there are of each severity."""
        return +self._counts

    def of(self, row: int) -> list[TermFinding]:
        """The findings about a row, the gravest first; none about a row that is not there."""
        return [
            found if found.code not in REPEATED else found._replace(message=self._placed(row, found.message))
            for found in self._found.get(row, ())
        ]

    def rows(self, severity: str) -> set[int]:
        """The rows that have a finding of that severity, "error" or "warning"."""
        return set(self._rows[severity])

    def change(self, cells: Mapping[int, Cells], dropped: Iterable[int] = ()) -> set[int]:
        """Write *cells* into rows, new ones or not, and drop others; a row that is in both is dropped.

        Gives back the rows that are there and whose findings changed, but for the places of entries in a message, which
        change with every edit above.
        """
        near, gone = self._near, set(dropped)
        written = {row: texts for row, texts in cells.items() if row not in gone and near.cells.get(row) != texts}
        gone &= near.cells.keys()
        was_one, was_large = self._is_one, self._large
        affected = near.change(written, gone)
        self._large = near.first_too_many()
        for row in gone:
            self._keep(row, ())
        affected.update(row for row in (was_large, self._large) if row is not None and row in near.cells)
        if was_one != self._is_one:  # then duplicates name their pair, or no longer
            affected.update(
                row for row in self._rows[ERROR] if any(found.code in REPEATED for found in self._found[row])
            )
        return self._lint(affected)

    def _lint(self, affected: set[int]) -> set[int]:
        """Lint *affected* rows among those that they may name; gives back the ones whose findings changed."""
        if not affected:
            return set()
        rows = sorted(self._near.named_by(affected))
        columns = zip(*map(self._near.cells.__getitem__, rows), strict=True)
        source_langs, target_langs, sources, targets = map(list, columns)
        found = self._told(_Part(made(source_langs, target_langs, sources, targets, index=pd.Index(rows))))
        return {row for row in affected if self._keep(row, tuple(found.get(row, ())))}

    def _told(self, part: _Part) -> dict[int, list[TermFinding]]:
        """What is found in *part*, as it is in the whole."""
        if self._large in part.table.index:
            part.ends_at(self._large, self._near.size)
        if not self._is_one and len(part.pairs) == 1:
            part.pairs.append(next(pair for pair in self._near.pairs if pair not in part.pairs))
        return part.found()

    def _keep(self, row: int, new: tuple[TermFinding, ...]) -> bool:
        """Keep the findings about a row; says whether they are others than before."""
        old = self._found.pop(row, ())
        if new:
            self._found[row] = new
        if old == new:
            return False
        self._counts.subtract(found.severity for found in old)
        self._counts.update(found.severity for found in new)
        for severity, rows in self._rows.items():
            (rows.add if any(found.severity == severity for found in new) else rows.discard)(row)
        return True

    def _placed(self, row: int, message: str) -> str:
        """A message about a repeated source, with the places that its entries have now."""
        places = map(self._near.place, (row, self._near.first(row)))
        # No term can look like a place: it would be cut to be shown.
        return ENTRY.sub(lambda _: PLACE.format(*next(places)), message)

    @property
    def _is_one(self) -> bool:
        """Whether there is one language pair at most."""
        return len(self._near.pairs) < 2


class _Part(TermArrays):
    """Some rows of a table, in which the same is found about them as in the whole, but for the places of entries."""

    size = 0
    sizes: Places = np.zeros(0, dtype=np.int64)

    def __init__(self, table: pd.DataFrame) -> None:
        super().__init__(table)
        self.indices = self.positions = np.zeros(len(table), dtype=np.int64)

    def ends_at(self, row: int | None, size: int) -> None:
        """Say that the whole is too large, and from which row on."""
        self.size = size
        self.sizes = np.where(self.table.index == row, MOST_GLOSSARY_BYTES, 0)

    def found(self) -> dict[int, list[TermFinding]]:
        """The errors and warnings about each row, the gravest first."""
        table = findings(self).table(self.table.index)
        table = table[table["severity"] != INFO]
        columns = [table[name].tolist() for name in ("row", *TermFinding._fields)]
        found: defaultdict[int, list[TermFinding]] = defaultdict(list)
        for row, *told in zip(*columns, strict=True):
            found[row].append(TermFinding(*told))
        return found
