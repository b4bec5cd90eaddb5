"""What the documents panel shows: where files are dropped, its options, its files in a grid, and its buttons."""

from __future__ import annotations

from pathlib import Path

import ipywidgets as widgets

from svc_nb.documents.items import MARKED, WRITTEN
from svc_nb.panels.documents import messages
from svc_nb.panels.documents.controls import Controls
from svc_nb.panels.documents.pending import PendingDocuments
from svc_nb.panels.documents.table import BAD, LOST, Document, DocumentTable
from svc_nb.panels.parts.choices import classed, show
from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.job_panel import JobView
from svc_nb.panels.parts.line import Line
from svc_nb.panels.parts.panel import Notice, row
from svc_nb.panels.parts.rows import written_text
from svc_nb.panels.parts.upload import Drop

HEIGHT = 300


FILES = (
    Field("file", "File", written_text, kind="text"),
    Field("kind", "Kind", written_text, kind="text", spare=5, wide=6),
    Field("size", "Size", messages.size, spare=4, wide=8),
    Field("status", "Status", written_text, kind="text", wide=15),
    Field("progress", "Progress", lambda share: "" if share is None else f"{share} %", kind="share", wide=18),
    Field("left", "Left", messages.left, spare=2, wide=7),
    Field("billed", "Characters", written_text, kind="text", spare=1, wide=18),
    Field("error", "Remarks", written_text, kind="text", wide=26),
    Field("output", "Translation", written_text, kind="text", spare=3, wide=26),
)


class DocumentsView(JobView):
    """The widgets by name, and the box with all of them around *line*."""

    def __init__(self, line: Line, drop: Drop) -> None:
        super().__init__(line, "Documents on their way")
        self.drop = drop
        self.controls = Controls()
        self.grid = Grid("Files", signed=True)
        self.grid.height = HEIGHT
        buttons = self.buttons
        buttons.add("go", "Translate", style="primary", help="Translate the files that can be sent")
        buttons.add("cancel", "Cancel", help="Send nothing more; what was sent can be resumed")
        buttons.add("again", "Translate again …", help="Their translations are gone")
        buttons.add("yes", "Yes, translate", style="primary")
        buttons.add("no", "Not now")
        buttons.add("save", "Save selected", help="Save them in the browser")
        buttons.add("save_all", "Save all", help="Save in the browser")
        buttons.add("remove", "Remove selected", help="Take files out of this list")
        buttons.add("refresh", "Refresh", help="Look at the files and ask the service again")
        buttons["go"].add_class("svc-go")
        self.question = Notice(buttons["yes"], buttons["no"])
        self.waiting = PendingDocuments()
        below = row(buttons.row("go", "cancel", "again"), buttons.row("save", "save_all", "remove", "refresh"))
        below.add_class("svc-documents-below")
        self.files = classed(widgets.VBox([self.grid, below]), "svc-documents-files")
        above = [drop, self.controls.box, self.hints, self.files, self.question.box]
        parts = [*above, self.meter, line, self.waiting.box]
        self.box = classed(widgets.VBox(parts), "svc-panel", "svc-documents")

    def show_files(self, documents: DocumentTable, *, home: Path) -> None:
        """The files, each as it stands; nothing moves but what has changed. Paths below *home* are told from there."""
        table = documents.table
        written = [each.output if each.status in WRITTEN else None for each in documents]
        table["status"] = [messages.standing(each) for each in documents]
        table["billed"] = [messages.characters(each) for each in documents]
        table["output"] = [None if path is None else messages.place(path, home) for path in written]
        marks = {each.number: mark for each in documents if (mark := _mark(each))}
        notes = {each.number: note for each in documents if (note := messages.note(each))}
        self.grid.show(table, FILES, marks=marks, notes=notes)

    def show_buttons(self, documents: DocumentTable, *, go: str, busy: bool, cancelled: bool) -> None:
        """Show the buttons that have something to do, with what they will do; *go* is said by the one that begins."""
        written, lost = len(documents.with_status(*WRITTEN)), len(documents.with_status(LOST))
        self.buttons["go"].description = "Translating …" if busy else go or "Translate"
        self.buttons["go"].disabled = busy or not go
        self.buttons["cancel"].disabled = cancelled
        self.buttons["again"].description = f"Translate {lost:,} again …"
        self.buttons["save_all"].description = f"Save all {written:,} as zip" if written > 1 else "Save the file"
        self.buttons.show(
            cancel=busy,
            again=bool(lost) and not busy,
            save=written > 1,
            save_all=bool(written),
            remove=bool(len(documents)) and not busy,
        )
        show(self.files, bool(len(documents)))
        for control in self.controls.all:
            control.disabled = busy
        if busy or not len(documents):
            self.question.drop()


def _mark(document: Document) -> str:
    if document.status in BAD or (document.error and document.status == "waiting"):
        return "error"
    if document.status == MARKED:
        return "warning"
    return "faded" if document.status == "skipped" else ""
