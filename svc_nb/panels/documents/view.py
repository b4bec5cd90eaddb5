"""What the documents panel shows: uploads, options, files in a grid, buttons, and what is under way from before."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import ipywidgets as widgets
import pandas as pd

from svc_nb.documents.items import WRITTEN
from svc_nb.panels.documents import messages
from svc_nb.panels.documents.job import DocumentOffer, DocumentOrder
from svc_nb.panels.documents.table import CAN_HAVE_WATERMARK, LOST, DocumentTable, rows_of
from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.job_panel import JobView
from svc_nb.panels.parts.texts import written_text
from svc_nb.panels.parts.upload import UploadArea
from svc_nb.panels.parts.widgets import (
    FORMALITIES,
    GIVEN,
    Line,
    MultiSelect,
    Notice,
    button,
    classed,
    field,
    is_shown,
    names_by_id,
    offer_choices,
    row,
    show,
)
from svc_nb.tabular.report import plural

MATCHES = (100, 95, 90, 85, 80, 75, 70, 60, 50)
OUTPUTS = {"": "pdf", "docx": "docx"}
CHOSEN = (
    *("source_lang", "formality", "style_id", "translation_memory_id", "translation_memory_threshold"),
    "output_format",
)


class DocumentControls:
    """The widgets by the names of their options, and `all` of them; `order` reads them, `show` sets them."""

    def __init__(self) -> None:
        self.target_lang = field(widgets.Dropdown(description="Into"), "200px")
        self.source_lang = field(widgets.Dropdown(description="From"), "200px")
        self.formality = field(widgets.Dropdown(description="Formality"), "140px")
        self.style_id = field(widgets.Dropdown(description="Style list"), "180px")
        self.translation_memory_id = field(widgets.Dropdown(description="Translation memory"), "180px")
        self.translation_memory_threshold = field(widgets.Dropdown(description="Least match"), "110px")
        self.output_format = field(widgets.Dropdown(description="A pdf comes back as"), "140px")
        self.enable_watermark = widgets.Checkbox(description="Watermark", indent=False, layout={"width": "auto"})
        self.glossary_ids = MultiSelect("Glossaries, up to 5", adds="Add a glossary …")
        names = ("target_lang", *CHOSEN)
        self.all = (*(getattr(self, name) for name in names), self.enable_watermark, self.glossary_ids)
        self.box = classed(row(*self.all), "svc-documents-options")

    def order(self, before: DocumentOrder) -> DocumentOrder:
        """What is chosen now; what was given in code and cannot be seen here stays as it is *before*."""
        target = before.target if self.target_lang.value is GIVEN else self.target_lang.value
        found: dict[str, Any] = {}
        for name in CHOSEN:
            value = getattr(self, name).value
            if value is not GIVEN:
                found[name] = None if value == "" else value
        if is_shown(self.enable_watermark):
            found["enable_watermark"] = self.enable_watermark.value or None
        if is_shown(self.glossary_ids):
            found["glossary_ids"] = list(self.glossary_ids.value) or None
        return before.with_target(target).with_options(**found)

    def show(self, order: DocumentOrder, offer: DocumentOffer, kinds: Collection[str]) -> None:
        """Offer what fits, with *order* chosen."""
        options, target = order.options, order.target
        nothing = "Choose a language" if offer.targets else "…"
        offer_choices(self.target_lang, {"": nothing, **_languages(offer.targets)}, target)
        offer_choices(self.source_lang, {"": "Any language", **_languages(offer.sources)}, options.get("source_lang"))
        formal = bool(target) and offer.supports(target, "formality")
        self._choice("formality", {"": "As usual", **FORMALITIES}, options, shown=formal)
        source, picked = options.get("source_lang"), options.get("glossary_ids") or ()
        styles, memories = offer.fitting_styles([target]), offer.memories_for(source, target)
        self._choice("style_id", {"": "None", **names_by_id(styles)}, options, shown=bool(styles))
        self._choice("translation_memory_id", {"": "None", **names_by_id(memories)}, options, shown=bool(memories))
        matches: dict[Any, str] = {"": "As usual", **{match: f"{match} %" for match in MATCHES}}
        self._choice("translation_memory_threshold", matches, options, shown=bool(options.get("translation_memory_id")))
        titles = names_by_id(offer.glossaries_for(source, target))
        strange = [each for each in picked if each not in {known.id for known in offer.glossaries}]
        titles |= {each: f"{each[:8]} (as given in code)" for each in strange}
        show(self.glossary_ids, bool(titles))
        self.glossary_ids.offer([(key, title, "") for key, title in titles.items()], picked)
        self._choice("output_format", OUTPUTS, options, shown="pdf" in kinds)
        show(self.enable_watermark, bool(CAN_HAVE_WATERMARK & set(kinds)))
        self.enable_watermark.value = bool(options.get("enable_watermark"))

    def _choice(self, name: str, titles: dict[Any, str], options: Any, *, shown: bool) -> None:
        control, chosen = getattr(self, name), options.get(name)
        show(control, shown or (chosen is not None and chosen in titles))
        offer_choices(control, titles, chosen)


def _languages(names: Any) -> dict[str, str]:
    return {code: f"{name} ({code})" for code, name in names.items()}


PENDING = "Under way from before, or from another notebook"
PENDING_HEIGHT = 190
UNSELECTED = "No document is selected: click on one, and drag or press Shift and an arrow for more."
AT_WORK = "A notebook is at work on what is selected: cancel it there, or wait."
ELSEWHERE = "What is selected was sent to another service: connect to that one to resume it."
PENDING_FIELDS = (
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
        self.grid = Grid(PENDING)
        self.grid.height = PENDING_HEIGHT
        self.resume_all = button("Resume", style="primary")
        self.resume = button("Resume selected")
        self.forget = button("Forget selected …")
        self.look = button("Look again", help="See what is under way now")
        self.yes = button("Yes, forget for good", style="warning")
        self.no = button("Keep")
        self.question = Notice(self.yes, self.no)
        heading = classed(widgets.Label(PENDING), "svc-documents-heading")
        buttons = row(self.resume_all, self.resume, self.forget, self.look)
        parts = [heading, self.grid, buttons, self.question.box]
        self.box = classed(widgets.VBox(parts), "svc-documents-waiting")
        show(self.box, False)

    def show(self, pending: pd.DataFrame, *, without: Collection[str], address: str, busy: bool, home: Path) -> None:
        """Show what is under way but for the documents *without*; while *busy* nothing can be resumed."""
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
        names, index = [each.name for each in PENDING_FIELDS], pd.Index(list(cells), dtype=object)
        table = pd.DataFrame(list(cells.values()), columns=names, index=index, dtype=object)
        self.grid.show(table, PENDING_FIELDS, marks=marks, notes=notes)

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

    def __init__(self, line: Line, drop: UploadArea) -> None:
        super().__init__(line, "Documents on their way")
        self.drop = drop
        self.controls = DocumentControls()
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
        self.files = classed(widgets.VBox([self.grid, classed(below, "svc-documents-below")]), "svc-documents-files")
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
        marks = {each.number: each.mark for each in documents if each.mark}
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
