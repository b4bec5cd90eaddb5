"""The lint of a book as it is edited: rows are judged at once, and what was found is listed beside them."""

from __future__ import annotations

import heapq
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import ipywidgets as widgets
import pandas as pd

from svc_nb.glossaries.live import Cells, Finding, Live
from svc_nb.panels.book import Book, Change
from svc_nb.panels.editor import Verdict
from svc_nb.panels.grid import Field, Grid
from svc_nb.panels.latest import Latest
from svc_nb.panels.line import Line
from svc_nb.panels.panel import button, row
from svc_nb.panels.rows import written_text
from svc_nb.panels.turns import Turns
from svc_nb.tabular.column import TEXT
from svc_nb.tabular.findings import ERROR, WARNING, tally
from svc_nb.tabular.report import plural

MOST_LISTED = 1000
AT_ONCE = 300  # rows that are judged before the edit is answered; more are judged in a thread
FIELDS = (
    Field("row", "Row", lambda number: f"{number:,}"),
    Field("message", "Found", written_text, kind="text"),
    Field("suggestion", "Suggestion", written_text, kind="text"),
)
COLUMNS = ("row", "severity", "message", "suggestion")
Judged = Mapping[int, Verdict | None]


class Checks:
    """Follows a book: *judge* is told of rows whose verdict changed, *told* that the counts are others.

    The first look at a book, and one at many rows, is done in a thread; edits meanwhile are looked at after it.
    """

    def __init__(
        self,
        *,
        judge: Callable[[Judged], None],
        told: Callable[[], None],
        fix: Callable[[Sequence[int]], Any],
        fix_all: Callable[[], Any],
        go_to: Callable[[int], Any],
    ) -> None:
        self.line = Line()
        self.grid = Grid("Findings", chosen=lambda label: go_to(self._row(label)))
        self.fix = button("Fix", lambda: fix(self.selected), help="Mend the rows chosen in this list")
        self.fix_all = button("Fix all that is safe", fix_all, help="One step, which can be undone")
        self.box = widgets.VBox([self.line, self.grid, row(self.fix, self.fix_all)])
        self.live: Live | None = None
        self.counts: Counter[str] = Counter()
        self.rows: dict[str, int] = {}
        self._judge, self._told = judge, told
        self._listed: list[int] = []
        self._seen = False
        self._number = 0
        self._lock = threading.Lock()
        self._turns = Turns()
        self._latest = Latest()

    # ---- following

    def open(self, book: Book) -> None:
        """Look at all of *book*, in a thread."""
        self._number += 1
        number, table = self._number, book.table
        self.live, self.counts, self.rows = None, Counter(), {}
        self._turns.ask(lambda: Live(table), lambda found: self._built(number, found))

    def hear(self, change: Change) -> None:
        """Look at what *change* touched: a few rows at once, many in a thread, after what is looked at already."""
        number = self._number
        if self.live is not None and not self._turns.busy and _size(change) <= AT_ONCE:
            self._look(number, change)
        else:
            self._turns.ask(lambda: self._look(number, change), _raise)

    def _built(self, number: int, found: Any) -> None:
        _raise(found)
        if number == self._number:
            self.live = cast(Live, found)
            self._tell(lambda live: live.rows(ERROR) | live.rows(WARNING))

    def _look(self, number: int, change: Change) -> None:
        if number == self._number:
            cells = cast(Mapping[int, Cells], change.cells)
            self._tell(lambda live: live.change(cells, change.dropped))

    def _tell(self, touch: Callable[[Live], set[int]]) -> None:
        """Judge the rows that *touch* names. The lock is not held meanwhile: who judges may wait for another."""
        with self._lock:
            if self.live is None:
                return
            judged = {row: verdict(self.live.of(row)) for row in touch(self.live)}
            self.counts = Counter(self.live.counts)
            self.rows = {severity: len(self.live.rows(severity)) for severity in (ERROR, WARNING)}
        self._judge(judged)
        self._told()
        self._relist()

    # ---- what was found

    @property
    def busy(self) -> bool:
        """Whether rows are being looked at."""
        return self._turns.busy

    @property
    def told(self) -> str:
        """How many rows have errors and warnings, in words; nothing where none has."""
        parts = [f"{plural(count, 'row')} with {severity}s" for severity, count in self.rows.items() if count]
        return f"{', '.join(parts)}." if parts else ""

    @property
    def errors(self) -> list[int]:
        """The rows that the service would refuse."""
        with self._lock:
            return [] if self.live is None else sorted(self.live.rows(ERROR))

    @property
    def findings(self) -> pd.DataFrame:
        """All that was found, in the order of the rows."""
        return self._table(None)[0]

    @property
    def selected(self) -> list[int]:
        """The rows of the findings that are chosen in the list."""
        return sorted({self._row(label) for label in self.grid.selected})

    def look(self, seen: bool) -> None:
        """Keep the list as long as it is seen."""
        self._seen = seen
        self._relist()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all was looked at and listed."""
        return self._turns.wait(timeout) and self._latest.wait(timeout)

    def close(self, timeout: float | None = None) -> None:
        """Leave no thread behind."""
        self._number += 1
        self._turns.close(timeout)
        self._latest.close(timeout)

    def _relist(self) -> None:
        if self._seen:
            self._latest.ask(lambda: self._table(MOST_LISTED), self._list)

    def _table(self, most: int | None) -> tuple[pd.DataFrame, int]:
        """The findings about the first *most* rows that have any, errors and warnings, and how many rows have."""
        with self._lock:
            rows = set() if self.live is None else self.live.rows(ERROR) | self.live.rows(WARNING)
            first = sorted(rows) if most is None else heapq.nsmallest(most, rows)
            found = [(row, *finding[:1], *finding[2:]) for row in first for finding in self._of(row)]
        columns: Sequence[Sequence[Any]] = list(zip(*found, strict=True)) or [[]] * len(COLUMNS)
        cells = {
            name: pd.array(list(column), dtype=TEXT)
            for name, column in zip(COLUMNS[1:], columns[1:], strict=True)
        }
        return pd.DataFrame({"row": pd.array(list(columns[0]), dtype="int64"), **cells}), len(rows)

    def _of(self, row: int) -> list[Finding]:
        return self.live.of(row) if self.live else []

    def _list(self, answer: Any) -> None:
        _raise(answer)
        table, count = answer
        with self._lock:
            self._listed = table["row"].tolist()
        told = zip(*(table[name].tolist() for name in COLUMNS[1:]), strict=True)
        marks = dict(enumerate(table["severity"].tolist()))
        notes = {label: _note(*each) for label, each in enumerate(told)}
        more = f"The first {MOST_LISTED:,} of {plural(count, 'row')}." if count > MOST_LISTED else ""
        self.grid.show(table, FIELDS, said=more, marks=marks, notes=notes)
        self.line.say(self._said())

    def _said(self) -> str:
        if self.live is None:
            return "Looking …"
        counts = self.counts
        if not counts.total():
            return "Nothing found: the service takes all of it."
        refused = " The service refuses errors." if counts[ERROR] else " Nothing that the service refuses."
        return f"{tally(counts)}.{refused}"

    def _row(self, label: Any) -> int:
        return self._listed[int(label)]


def verdict(found: Sequence[Finding]) -> Verdict | None:
    """What a row looks like: the gravest finding counts, and all of them are told."""
    if not found:
        return None
    severity = ERROR if any(each.severity == ERROR for each in found) else WARNING
    return Verdict(severity, "\n".join(each.message for each in found))


def _note(severity: str, message: str, suggestion: str) -> str:
    """A finding in full, for who cannot see all of it in the list."""
    return f"{severity}: {message}" + (f". Suggestion: {suggestion}" if suggestion else "")


def _size(change: Change) -> int:
    return len(change.cells) + len(change.dropped)


def _raise(answer: Any) -> None:
    if isinstance(answer, Exception):
        raise answer
