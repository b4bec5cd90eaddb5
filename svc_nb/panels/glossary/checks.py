"""The lint of a table while it is edited: rows are checked at once, and findings are listed beside them."""

import heapq
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import pandas as pd

from svc_nb.glossaries.dictionaries import ENTRY
from svc_nb.glossaries.live_lint import Cells, Live, TermFinding
from svc_nb.panels.glossary.edits import fixing
from svc_nb.panels.parts import controls as widgets
from svc_nb.panels.parts.edit_table import EditTable, TableChange
from svc_nb.panels.parts.editor import Verdict, rows_told
from svc_nb.panels.parts.grid import Field, Grid, Message
from svc_nb.panels.parts.texts import written_text
from svc_nb.panels.parts.widgets import Line, button, row, show
from svc_nb.panels.parts.worker import Latest, Worker
from svc_nb.tabular.findings import ERROR, WARNING
from svc_nb.tabular.report import plural
from svc_nb.tabular.terms import made
from svc_nb.tabular.text_column import TEXT

MOST_LISTED = 1000
AT_ONCE = 300  # rows that are checked before an edit is answered; more are checked in a thread
# The first check of all rows keeps the interpreter busy: it begins a moment after a browser has the first rows, or if
# no browser has asked for them by then.
LATEST, MOMENT = 3.0, 0.2  # seconds
FIELDS = (
    Field("place", "Row", lambda number: "" if number is None else f"{number:,}", lowest_first=True),
    Field("message", "Problem", written_text, kind="text", wide=30),
    Field("suggestion", "Suggestion", written_text, kind="text", wide=16, least=12),
)
COLUMNS = ("row", "severity", "message", "suggestion", "column")
# What the lint of tables calls source and target are a term and its translation to someone who sees no table columns.
WORDS = {"source": "term", "target": "translation", "source_lang": "From", "target_lang": "To"}
NAMED = re.compile(
    r"""(?P<quoted>'(?:[^'\\]|\\.){0,1000}+'|"(?:[^"\\]|\\.){0,1000}+")|"""
    r"(?P<before>\bthe |^|(?<=^source and ))(?P<name>source_lang|target_lang|source|target)\b|"
    r"\brow (?P<row>\d+)\b"
)
# The panel shows the rows, so positions as the service would give them mean nothing.
ENTRIES = re.compile(rf": the service would say, {ENTRY.pattern} duplicates {ENTRY.pattern}$", re.IGNORECASE)
Judged = Mapping[int, Verdict | None]
FIX, CANNOT_FIX = "Apply the safe fixes to the rows selected in this list", "Select a row with a safe fix in this list"


class FindingList(Grid):
    """The findings; *go_to* is called with a chosen finding, and *selected* when the selection changes."""

    def __init__(self, go_to: Callable[[Any], None], selected: Callable[[], None]) -> None:
        super().__init__("Findings", chosen=go_to, tall=True)
        self._told_selected = selected

    def hear(self, message: Message) -> None:
        """Handle a message from the browser."""
        super().hear(message)
        if message.get("kind") == "select":
            self._told_selected()


class Checks:
    """Checks a table as it changes: *judge* gets rows whose findings may have changed, *go_to* a finding's cell."""

    def __init__(self, judge: Callable[[Judged], None], go_to: Callable[[int, str], Any]) -> None:
        self.line = Line()
        self.grid = FindingList(lambda label: go_to(*self._listed[int(label)]), self._allow_fix)
        self.fix = button("Fix", help=CANNOT_FIX)
        self.fix_all = button("Apply all safe fixes", help="Done in one step, which you can undo")
        self.fix.disabled = self.fix_all.disabled = True  # until there are findings
        self.box = widgets.VBox([self.line, self.grid, row(self.fix, self.fix_all)])
        self.live: Live | None = None
        self.rows: dict[str, int] = {}  # how many rows have errors and how many have warnings; some have both
        self.count = 0  # how many rows have findings
        self._book: EditTable | None = None
        self._judge = judge
        self._listed: list[tuple[int, str]] = []
        self._fixable: set[int] = set()  # the rows in the list that have a safe fix
        self._begin, self._hurry = threading.Event(), threading.Event()
        self._seen = False
        self._number = 0
        self._lock = threading.Lock()
        self._turns = Worker()
        self._latest = Latest()

    def open(self, book: EditTable) -> None:
        """Check all of *book*, in a thread."""
        self._number += 1
        number = self._number
        self.live, self.rows, self.count, self._book = None, {}, 0, book
        self._begin_now()  # drop what was waiting for another table
        self._begin, self._hurry = begin, hurry = threading.Event(), threading.Event()
        self._relist()

        def build() -> Live | None:
            if begin.wait(LATEST):
                hurry.wait(MOMENT)
            return Live(book.table) if number == self._number else None

        def built(found: Any) -> None:
            _raise(found)
            if number == self._number:
                self.live = found
                self._tell(lambda live: live.rows(ERROR) | live.rows(WARNING))

        self._turns.ask(build, built)

    def begin(self) -> None:
        """A browser has the first rows, so check all of them now."""
        self._begin.set()

    def hear(self, change: TableChange) -> None:
        """Check the rows that *change* touched: a few at once, many in a thread, after checks in progress."""
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
        """Show the findings of the rows in *touch*. The lock is not held, because the callback may wait for another."""
        with self._lock:
            if self.live is None:
                return
            judged: dict[int, Verdict | None] = dict.fromkeys(touch(self.live))
            for row in judged:  # the most serious finding, which is the first, counts, and all of them are shown
                if found := self.live.of(row):
                    severity = found[0].severity
                    wrong = tuple(dict.fromkeys(cell_of(each) for each in found if each.severity == severity))
                    told, warns = "\n".join(each.message for each in found), found[-1].severity == WARNING
                    judged[row] = Verdict(severity, told, wrong, also_warns=warns)
            errors, warnings = self.live.rows(ERROR), self.live.rows(WARNING)
            self.rows, self.count = {ERROR: len(errors), WARNING: len(warnings)}, len(errors | warnings)
        self._judge(judged)
        self._relist()

    @property
    def busy(self) -> bool:
        """Whether rows are being checked."""
        return self._turns.busy

    @property
    def told(self) -> str:
        """How many rows have errors and how many have warnings, in words; empty if none has."""
        told = rows_told(self.rows)
        return f"{told}." if told else ""

    @property
    def errors(self) -> list[int]:
        """The rows that the service would reject."""
        with self._lock:
            return [] if self.live is None else sorted(self.live.rows(ERROR))

    @property
    def findings(self) -> pd.DataFrame:
        """All findings, in the order of the rows."""
        return self._table(sorted(self._wrong()[0]))

    @property
    def selected(self) -> list[int]:
        """The rows of the findings selected in the list."""
        return sorted({self._listed[int(label)][0] for label in self.grid.selected})

    def look(self, seen: bool) -> None:
        """Update the list while it is visible."""
        self._seen = seen
        self._relist()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until everything is checked and listed."""
        self._begin_now()
        return self._turns.wait(timeout) and self._latest.wait(timeout)

    def close(self, timeout: float | None = None) -> None:
        """End the thread."""
        self._number += 1
        self._begin_now()
        self._turns.close(timeout)
        self._latest.close(timeout)

    def _begin_now(self) -> None:
        self._hurry.set()
        self._begin.set()

    def _relist(self) -> None:
        if self._seen:
            self._latest.ask(self._look_up, self._list)

    def _wrong(self) -> tuple[set[int], set[int]]:
        """The rows with findings, and those of them with errors."""
        with self._lock:
            errors = set() if self.live is None else self.live.rows(ERROR)
            return (errors if self.live is None else errors | self.live.rows(WARNING)), errors

    def _table(self, rows: Sequence[int]) -> pd.DataFrame:
        """The findings about *rows*, errors and warnings, in their order."""
        with self._lock:
            live = self.live
            told = [(row, each) for row in rows for each in (live.of(row) if live else ())]
        found = [
            (row, each.severity, worded(each.message), worded(each.suggestion), cell_of(each)) for row, each in told
        ]
        columns: Sequence[Sequence[Any]] = list(zip(*found, strict=True)) or [[]] * len(COLUMNS)
        dtypes = ("int64", TEXT, TEXT, TEXT, TEXT)
        cells = {
            name: pd.array(list(column), dtype=dtype)
            for name, column, dtype in zip(COLUMNS, columns, dtypes, strict=True)
        }
        return pd.DataFrame(cells)

    def _look_up(self) -> tuple[pd.DataFrame, int, set[int]]:
        """The table to list, with row positions, how many rows have findings, and which of them can be fixed."""
        book, (wrong, errors) = self._book, self._wrong()
        place = int if book is None else book.place
        # Errors first, then in the order of the rows.
        first = heapq.nsmallest(MOST_LISTED, wrong, key=lambda row: (row not in errors, place(row) or 0))
        table, count = self._table(first), len(wrong)
        rows = table["row"].tolist()
        table["place"] = pd.array([place(row) for row in rows], dtype="Int64")
        table["message"] = pd.array([worded(text, place) for text in table["message"]], dtype=TEXT)
        there = {} if book is None else {row: cells for row in rows if (cells := book.cells.get(row))}
        from_langs, to_langs, sources, targets = zip(*there.values(), strict=True) if there else [()] * 4
        numbers = pd.Index([*there], dtype="int64")
        edits = fixing(made(list(from_langs), list(to_langs), list(sources), list(targets), numbers))
        fixable = {*edits.dropped, *(row for row, _ in edits.writes)}
        return table, count, fixable | set(table.loc[(table["suggestion"] == "remove the row").to_numpy(), "row"])

    def _list(self, answer: Any) -> None:
        _raise(answer)
        table, count, fixable = answer
        with self._lock:
            self._fixable = fixable
            self._listed = list(zip(table["row"].tolist(), table["column"].tolist(), strict=True))
        notes = {}
        for label, message, suggestion in zip(table.index, table["message"], table["suggestion"], strict=True):
            notes[label] = message + (f". Suggestion: {suggestion}" if suggestion else "")
        marks = dict(enumerate(table["severity"].tolist()))
        more = f"{plural(len(table), 'problem')} in {plural(count, 'row')}." if len(table) != count else ""
        if count > MOST_LISTED:
            more = f"The first {MOST_LISTED:,} of {plural(count, 'row')}."
        self.grid.show(table, FIELDS, said=more, marks=marks, notes=notes)
        show(self.grid, bool(len(table)))
        self.fix_all.disabled = not fixable and count <= MOST_LISTED
        self._allow_fix()
        if self.live is None:
            self.line.say("Checking …")
        elif not self.told:
            self.line.say("No problems found." if self._book else "There are no terms to check yet.")
        else:
            refused = "The service will not accept rows with errors."
            self.line.say(f"{self.told} {refused if self.rows[ERROR] else 'The service accepts warnings.'}")

    def _allow_fix(self) -> None:
        """Enable Fix if a selected row has a safe fix."""
        self.fix.disabled = self._fixable.isdisjoint(self.selected)
        self.fix.tooltip = CANNOT_FIX if self.fix.disabled else FIX


def cell_of(found: TermFinding) -> str:
    """The column to go to for a finding; one about both sides is fixed in the translation."""
    return found.column or ("target_lang" if found.code == "same_language" else "target")


def worded(message: str, place: Callable[[int], int | None] = int) -> str:
    """A message of the lint in the words of the panel, with rows by their *place*; quoted texts stay as they are.

    >>> worded("this term is already in row 1, translated as 'the source'")
    "this term is already in row 1, translated as 'the source'"
    >>> worded("fill in the target, or remove the row"), worded("{source} is missing from the source")
    ('fill in the translation, or remove the row', '{source} is missing from the term')
    >>> worded("the source differs from that of row 7, 'row 7', only in case", {7: 6}.get)
    "the term differs from that of row 6, 'row 7', only in case"
    """

    def told(found: re.Match[str]) -> str:
        if found["row"]:
            return f"row {place(int(found['row'])) or '–'}"
        return found[0] if found["quoted"] else f"{found['before']}{WORDS[found['name']]}"

    return NAMED.sub(told, ENTRIES.sub("", message))


def _raise(answer: Any) -> None:
    if isinstance(answer, Exception):
        raise answer
