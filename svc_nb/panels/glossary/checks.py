"""The lint of a book as it is edited: rows are judged at once, and what was found is listed beside them."""

import heapq
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import ipywidgets as widgets
import pandas as pd

from svc_nb.glossaries.live_lint import Cells, Live
from svc_nb.panels.parts.edit_table import EditTable, TableChange
from svc_nb.panels.parts.editor import Verdict
from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.texts import written_text
from svc_nb.panels.parts.widgets import Line, button, row
from svc_nb.panels.parts.worker import Latest, Worker
from svc_nb.tabular.findings import ERROR, WARNING, tally
from svc_nb.tabular.report import plural
from svc_nb.tabular.text_column import TEXT

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
    """Follows a book: *judge* is told of rows whose verdict may have changed, *go_to* of a row that was chosen."""

    def __init__(self, judge: Callable[[Judged], None], go_to: Callable[[int], Any]) -> None:
        self.line = Line()
        self.grid = Grid("Findings", chosen=lambda label: go_to(self._listed[int(label)]))
        self.fix = button("Fix", help="Mend the rows chosen in this list")
        self.fix_all = button("Fix all that is safe", help="One step, which can be undone")
        self.box = widgets.VBox([self.line, self.grid, row(self.fix, self.fix_all)])
        self.live: Live | None = None
        self.counts: Counter[str] = Counter()
        self.rows: dict[str, int] = {}
        self._judge = judge
        self._listed: list[int] = []
        self._seen = False
        self._number = 0
        self._lock = threading.Lock()
        self._turns = Worker()
        self._latest = Latest()

    def open(self, book: EditTable) -> None:
        """Look at all of *book*, in a thread."""
        self._number += 1
        number, table = self._number, book.table
        self.live, self.counts, self.rows = None, Counter(), {}

        def built(found: Any) -> None:
            _raise(found)
            if number == self._number:
                self.live = found
                self._tell(lambda live: live.rows(ERROR) | live.rows(WARNING))

        self._turns.ask(lambda: Live(table), built)

    def hear(self, change: TableChange) -> None:
        """Look at what *change* touched: a few rows at once, many in a thread, after what is looked at already."""
        number, cells = self._number, cast(Mapping[int, Cells], change.cells)

        def look() -> None:
            if number == self._number:
                self._tell(lambda live: live.change(cells, change.dropped))

        is_small = len(change.cells) + len(change.dropped) <= AT_ONCE
        if self.live is not None and not self._turns.busy and is_small:
            look()
        else:
            self._turns.ask(look, _raise)

    def _tell(self, touch: Callable[[Live], set[int]]) -> None:
        """Judge the rows that *touch* names. The lock is not held meanwhile: who judges may wait for another."""
        with self._lock:
            if self.live is None:
                return
            judged: dict[int, Verdict | None] = dict.fromkeys(touch(self.live))
            for row in judged:  # the gravest finding counts, and all of them are told
                if found := self.live.of(row):
                    severity = ERROR if any(each.severity == ERROR for each in found) else WARNING
                    judged[row] = Verdict(severity, "\n".join(each.message for each in found))
            self.counts = Counter(self.live.counts)
            self.rows = {severity: len(self.live.rows(severity)) for severity in (ERROR, WARNING)}
        self._judge(judged)
        self._relist()

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
        return sorted({self._listed[int(label)] for label in self.grid.selected})

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
            live = self.live
            rows = set() if live is None else live.rows(ERROR) | live.rows(WARNING)
            first = sorted(rows) if most is None else heapq.nsmallest(most, rows)
            found = [(row, *each[:1], *each[2:]) for row in first for each in (live.of(row) if live else ())]
        columns: Sequence[Sequence[Any]] = list(zip(*found, strict=True)) or [[]] * len(COLUMNS)
        dtypes = ("int64", TEXT, TEXT, TEXT)
        cells = {
            name: pd.array(list(column), dtype=dtype)
            for name, column, dtype in zip(COLUMNS, columns, dtypes, strict=True)
        }
        return pd.DataFrame(cells), len(rows)

    def _list(self, answer: Any) -> None:
        _raise(answer)
        table, count = answer
        with self._lock:
            self._listed = table["row"].tolist()
        notes = {}
        for label, _, severity, message, suggestion in table.itertuples(name=None):
            notes[label] = f"{severity}: {message}" + (f". Suggestion: {suggestion}" if suggestion else "")
        marks = dict(enumerate(table["severity"].tolist()))
        more = f"The first {MOST_LISTED:,} of {plural(count, 'row')}." if count > MOST_LISTED else ""
        self.grid.show(table, FIELDS, said=more, marks=marks, notes=notes)
        if self.live is None:
            self.line.say("Looking …")
        elif not self.counts.total():
            self.line.say("Nothing found: the service takes all of it.")
        else:
            refused = "The service refuses errors." if self.counts[ERROR] else "Nothing that the service refuses."
            self.line.say(f"{tally(self.counts)}. {refused}")


def _raise(answer: Any) -> None:
    if isinstance(answer, Exception):
        raise answer
