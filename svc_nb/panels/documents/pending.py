"""The part of the documents panel that shows what is under way from before: documents to be resumed, or forgotten."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import ipywidgets as widgets
import pandas as pd

from svc_nb.panels.documents import messages
from svc_nb.panels.documents.table import rows_of
from svc_nb.panels.parts.choices import classed, show
from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.job_panel import command
from svc_nb.panels.parts.panel import Notice, row
from svc_nb.panels.parts.rows import written_text
from svc_nb.tabular.report import plural

HEADING = "Under way from before, or from another notebook"
HEIGHT = 190
UNSELECTED = "No document is selected: click on one, and drag or press Shift and an arrow for more."
AT_WORK = "A notebook is at work on what is selected: cancel it there, or wait."
ELSEWHERE = "What is selected was sent to another service: connect to that one to resume it."
FIELDS = (
    Field("file", "File", written_text, kind="text"),
    Field("target_lang", "Into", written_text, kind="text", wide=6),
    Field("status", "Last heard", written_text, kind="text", wide=13),
    Field("at_work", "At work", written_text, kind="text", wide=15),
    Field("sent", "Sent", written_text, kind="text", spare=1, wide=16),
    Field("error", "Remarks", written_text, kind="text", spare=2, wide=22),
    Field("output", "Translation goes to", written_text, kind="text", spare=3, wide=26),
)


class PendingDocuments:
    """A grid with buttons, hidden where nothing is under way; the panel says what the buttons do."""

    def __init__(self) -> None:
        self.table = pd.DataFrame()
        self.to_forget: list[str] = []
        self._address = ""  # of the service that is connected
        self.grid = Grid(HEADING)
        self.grid.height = HEIGHT
        self.resume_all = command("Resume", style="primary")
        self.resume = command("Resume selected")
        self.forget = command("Forget selected …")
        self.look = command("Look again", help="See what is under way now")
        self.yes = command("Yes, forget for good", style="warning")
        self.no = command("Keep")
        self.question = Notice(self.yes, self.no)
        heading = classed(widgets.Label(HEADING), "svc-documents-heading")
        buttons = row(self.resume_all, self.resume, self.forget, self.look)
        parts = [heading, self.grid, buttons, self.question.box]
        self.box = classed(widgets.VBox(parts), "svc-documents-waiting")
        show(self.box, False)

    def show(self, pending: pd.DataFrame, *, without: Collection[str], address: str, busy: bool, home: Path) -> None:
        """Show what is under way but for the documents *without*; while *busy* nothing can be resumed.

        Only what was sent to the service at *address* can be. Paths below *home* are told from there.
        """
        self._address = address
        self.table = pending[~pending["document_id"].isin(list(without))].reset_index(drop=True)
        show(self.box, bool(len(self.table)))
        self._show_rows(home)
        free, resumable = self.free, self.resumable
        here = plural(len(resumable), "document") if resumable else ""
        self.resume_all.description = f"Resume {here}".strip()
        self.resume_all.disabled = self.resume.disabled = busy or not resumable
        self.forget.disabled = busy or not free
        if not set(self.to_forget) <= set(free):
            self.keep()

    def _show_rows(self, home: Path) -> None:
        cells, marks, notes = {}, {}, {}
        for _, found in rows_of(self.table):
            key, sent = found["document_id"], found["sent"]
            at_work = "a notebook" if found["at_work"] else "nobody"
            at_work = at_work if found["address"] == self._address else "another service"
            cells[key] = {
                "file": Path(found["path"]).name,
                "target_lang": found["target_lang"],
                "status": messages.status(found["status"] or "queued"),
                "at_work": at_work,
                "sent": f"{sent.to_pydatetime().astimezone():%Y-%m-%d %H:%M}" if sent else "",
                "error": found["error"],
                "output": messages.place(Path(found["output"] or ""), home),
            }
            notes[key] = f"Sent to {found['address']}"
            if at_work != "nobody":
                marks[key] = "faded"
        names, index = [each.name for each in FIELDS], pd.Index(list(cells), dtype=object)
        table = pd.DataFrame(list(cells.values()), columns=names, index=index, dtype=object)
        self.grid.show(table, FIELDS, marks=marks, notes=notes)

    def lock(self) -> None:
        """Let nothing be resumed or forgotten, until it is shown anew."""
        for each in (self.resume_all, self.resume, self.forget):
            each.disabled = True
        self.keep()

    @property
    def free(self) -> list[str]:
        """The documents that nobody is at."""
        if not len(self.table):
            return []
        return [str(each) for each in self.table["document_id"][~self.table["at_work"]]]

    @property
    def resumable(self) -> list[str]:
        """Those of them that were sent to the service that is connected."""
        if not len(self.table):
            return []
        here = set(self.table["document_id"][self.table["address"] == self._address])
        return [each for each in self.free if each in here]

    def selected(self, can: Collection[str]) -> list[str]:
        """Those that are selected, of which something *can* be done."""
        selected = [str(each) for each in self.grid.selected]
        if not selected:
            raise ValueError(UNSELECTED)
        if not set(can).intersection(selected):
            raise ValueError(ELSEWHERE if set(self.free).intersection(selected) else AT_WORK)
        return [each for each in selected if each in can]

    def ask(self) -> None:
        """Ask whether what is selected shall be forgotten."""
        self.to_forget = ids = self.selected(self.free)
        it = "its translation" if len(ids) == 1 else "their translations"
        documents = plural(len(ids), "document")
        self.question.ask(f"Forget {documents} for good? Then {it} can never be fetched. Nothing is billed.")

    def keep(self) -> None:
        """Forget nothing."""
        self.to_forget = []
        self.question.drop()
