"""The view of the documents panel: uploads, a toolbar, results, files in a grid, and documents in progress."""

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from svc_nb.documents.items import WRITTEN
from svc_nb.panels.documents import messages
from svc_nb.panels.documents.job import DocumentOffer, DocumentOrder
from svc_nb.panels.documents.paths import FileDetail, PathField
from svc_nb.panels.documents.table import CAN_HAVE_WATERMARK, DONE, LOST, DocumentFile, DocumentTable, rows_of
from svc_nb.panels.parts import controls as widgets
from svc_nb.panels.parts.figures import Figures
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
    """The option widgets by name, and `all` of them; `order` reads them, and `show` sets them."""

    def __init__(self) -> None:
        self.target_lang = field(widgets.Dropdown(description="To"), "200px")
        self.source_lang = field(widgets.Dropdown(description="From"), "200px")
        self.formality = field(widgets.Dropdown(description="Formality"), "140px")
        self.style_id = field(widgets.Dropdown(description="Style rule list"), "180px")
        self.translation_memory_id = field(widgets.Dropdown(description="Translation memory"), "180px")
        self.translation_memory_threshold = field(widgets.Dropdown(description="Minimum match"), "110px")
        self.output_format = field(widgets.Dropdown(description="PDF output"), "140px")
        self.enable_watermark = widgets.Checkbox(description="Watermark", layout={"width": "auto"})
        self.glossary_ids = MultiSelect("Glossaries, up to 5", adds="Add a glossary …")
        names = ("source_lang", "target_lang", *CHOSEN[1:])
        self.out = field(widgets.Text(description="Folder for translations", continuous_update=False), "240px")
        self.all = (*(getattr(self, name) for name in names), self.enable_watermark, self.glossary_ids)

    def order(self, before: DocumentOrder) -> DocumentOrder:
        """The current choice; options given in code that are not shown here stay as they were in *before*."""
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
        """Offer the options that apply, with *order* chosen."""
        options, target = order.options, order.target
        nothing = "Choose a language" if offer.targets else "…"
        offer_choices(self.target_lang, {"": nothing, **_languages(offer.targets)}, target)
        offer_choices(self.source_lang, {"": "Any language", **_languages(offer.sources)}, options.get("source_lang"))
        formal = bool(target) and offer.supports(target, "formality")
        self._choice("formality", {"": "Default", **FORMALITIES}, options, shown=formal)
        source, picked = options.get("source_lang"), options.get("glossary_ids") or ()
        styles, memories = offer.fitting_styles([target]), offer.memories_for(source, target)
        self._choice("style_id", {"": "None", **names_by_id(styles)}, options, shown=bool(styles))
        self._choice("translation_memory_id", {"": "None", **names_by_id(memories)}, options, shown=bool(memories))
        matches: dict[Any, str] = {"": "Default", **{match: f"{match} %" for match in MATCHES}}
        self._choice("translation_memory_threshold", matches, options, shown=bool(options.get("translation_memory_id")))
        titles = names_by_id(offer.glossaries_for(source, target))
        strange = [each for each in picked if each not in {known.id for known in offer.glossaries}]
        titles |= {each: f"{each[:8]} (as given in code)" for each in strange}
        show(self.glossary_ids, bool(titles))
        self.glossary_ids.offer([(key, title, "") for key, title in titles.items()], picked)
        self._choice("output_format", OUTPUTS, options, shown="pdf" in kinds)
        show(self.enable_watermark, bool(CAN_HAVE_WATERMARK & set(kinds)))
        self.enable_watermark.value = bool(options.get("enable_watermark"))

    def show_out(self, out: Path | None, home: Path, target: str) -> None:
        """Show the folder for translations, with *home* as the default."""
        self.out.value = "" if out is None else messages.place(out, home.parent)
        self.out.placeholder = str(Path(home.name, target))

    def _choice(self, name: str, titles: dict[Any, str], options: Any, *, shown: bool) -> None:
        control, chosen = getattr(self, name), options.get(name)
        show(control, shown or (chosen is not None and chosen in titles))
        offer_choices(control, titles, chosen)


def _languages(names: Any) -> dict[str, str]:
    return {code: f"{name} ({code})" for code, name in names.items()}


PENDING = "In progress from an earlier session or another notebook"
PENDING_HEIGHT = 190
UNSELECTED = "No document is selected: click on one, and drag or press Shift and an arrow for more."
UNREACHED = (
    "These were sent to another service, or to an embedded one that has ended. Connect to that service to resume them, "
    "or forget them."
)
AT_WORK = "Another notebook is processing the selected documents. Cancel them there, or wait."
ELSEWHERE = "The selected documents were sent to another service. Connect to that service to resume them."
PENDING_FIELDS = (
    Field("file", "File", written_text, kind="text"),
    Field("target_lang", "To", written_text, kind="text", wide=6),
    Field("status", "Last known state", written_text, kind="text", wide=18),
    Field("at_work", "Handled by", written_text, kind="text", wide=15),
    Field("sent", "Sent", written_text, kind="text", spare=1, wide=16),
    Field("error", "Reason", written_text, kind="text", spare=2, wide=22),
    Field("output", "Translation goes to", written_text, kind="text", spare=3, wide=26),
)


class PendingDocuments:
    """A grid with buttons, hidden if no documents are in progress; the panel decides what the buttons do."""

    def __init__(self) -> None:
        self.table = pd.DataFrame()
        self._address = ""  # of the connected service
        self.grid = Grid(PENDING)
        self.grid.height = PENDING_HEIGHT
        self.resume_all = button("Resume", style="primary")
        self.resume = button("Resume selected …")
        self.forget = button("Forget selected …")
        self.look = button("Refresh", help="See which documents are in progress now")
        self.line = Line()
        heading = classed(widgets.Label(PENDING), "svc-documents-heading")
        buttons = row(self.resume_all, self.resume, self.forget, self.look)
        self.box = classed(widgets.VBox([heading, self.grid, buttons, self.line]), "svc-documents-waiting")
        show(self.box, False)

    def show(self, pending: pd.DataFrame, *, without: Collection[str], address: str, busy: bool, home: Path) -> None:
        """Show the documents in progress except *without*; while *busy*, none can be resumed."""
        self._address = address
        self.table = pending[~pending["document_id"].isin(list(without))].reset_index(drop=True)
        show(self.box, bool(len(self.table)))
        self._show_rows(home)
        free, resumable = self.free, self.resumable
        self.resume_all.description = f"Resume {plural(len(resumable), 'document')} …" if resumable else "Resume"
        self.resume_all.disabled = self.resume.disabled = busy or not resumable
        self.forget.disabled = busy or not free
        self.line.say(UNREACHED if free and not resumable else "")

    def _show_rows(self, home: Path) -> None:
        cells, marks, notes = {}, {}, {}
        for _, found in rows_of(self.table):
            key, sent = found["document_id"], found["sent"]
            at_work = "a notebook" if found["at_work"] else "no notebook"
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
            if at_work != "no notebook":
                marks[key] = "faded"
        names, index = [each.name for each in PENDING_FIELDS], pd.Index(list(cells), dtype=object)
        table = pd.DataFrame(list(cells.values()), columns=names, index=index, dtype=object)
        self.grid.show(table, PENDING_FIELDS, marks=marks, notes=notes)

    def lock(self) -> None:
        """Allow nothing to be resumed or forgotten until the list is shown again."""
        for each in (self.resume_all, self.resume, self.forget):
            each.disabled = True

    @property
    def free(self) -> list[str]:
        """The documents that no notebook is processing."""
        if not len(self.table):
            return []
        return [str(each) for each in self.table["document_id"][~self.table["at_work"]]]

    @property
    def resumable(self) -> list[str]:
        """The idle documents that were sent to the connected service."""
        if not len(self.table):
            return []
        here = set(self.table["document_id"][self.table["address"] == self._address])
        return [each for each in self.free if each in here]

    def target_of(self, document_id: str) -> str:
        """The target language of a document; "" if it is not in progress."""
        known = dict(zip(self.table["document_id"], self.table["target_lang"], strict=True)) if len(self.table) else {}
        return str(known.get(document_id, ""))

    def characters_of(self, document_id: str) -> int | None:
        """The estimated bill of a document in characters; None if not known."""
        return next((each.characters for each in self.files([document_id])), None)

    def files(self, document_ids: Collection[str]) -> list[DocumentFile]:
        """Some of the documents, as files."""
        return [
            DocumentFile(0, Path(row["path"]), "", characters=row["characters"])
            for _, row in rows_of(self.table)
            if row["document_id"] in document_ids
        ]

    def with_selected(self, can: Collection[str], ask: Callable[[list[str]], Any]) -> None:
        """Have *ask* ask about the selected documents among *can*; show why if there are none."""
        selected = [str(each) for each in self.grid.selected]
        if found := [each for each in selected if each in can]:
            self.line.say("")
            ask(found)
        elif not selected:
            self.line.say(UNSELECTED, "error")
        else:
            self.line.say(ELSEWHERE if set(self.free).intersection(selected) else AT_WORK, "error")


HEIGHT = 430  # 15 rows


# Details that are always known, and those known only after an error or at the end.
FILES = (
    Field("file", "File", written_text, kind="text", wide=40, least=22),
    Field("pair", "From → to", written_text, kind="text", wide=12),
    Field("state", "State", written_text, kind="text", wide=30, least=30),
    Field("error", "Reason", written_text, kind="text", wide=70),
    Field("size", "Size", messages.size, spare=2, wide=8),
    # A number to sort by, and its text.
    Field("billed", "Characters", lambda cell: cell[1] if cell else "", spare=1, wide=18),
    Field("output", "Translation", written_text, kind="text", spare=3, wide=40),
)
LATER = frozenset(("error", "output"))


class Question:
    """The one place for questions: what is asked, and the action if a person agrees."""

    def __init__(self, yes: widgets.Button, no: widgets.Button, *, primary: widgets.Button) -> None:
        """*primary* is the button that stands out when no question is open."""
        self.notice = Notice(yes, no)
        self._yes, self._primary = yes, primary
        self._action: Callable[[], Any] | None = None

    @property
    def waits(self) -> bool:
        """Whether a question is open."""
        return self.notice.waits

    def ask(self, text: str, answer: str, action: Callable[[], Any]) -> None:
        """Ask *text*; the button *answer* does *action*."""
        self._action = action
        self._yes.description = self._yes.tooltip = answer
        self._primary.button_style = ""
        self.notice.ask(text)

    def drop(self) -> None:
        """Close the question."""
        self._action = None
        self._primary.button_style = "primary"
        self.notice.drop()

    def agree(self) -> None:
        """Do what the question was about."""
        action = self._action
        self.drop()
        if action is not None:
            action()


class DocumentsView(JobView):
    """The widgets by name, and the box with all of them around *line*."""

    def __init__(self, line: Line, drop: UploadArea, paths: PathField, grid: Grid, detail: FileDetail) -> None:
        super().__init__(line, "Documents in progress")
        self.drop, self.paths, self.grid, self.detail = drop, paths, grid, detail
        self.grid.height = HEIGHT
        self.controls = DocumentControls()
        self.results = Figures(name="Results")
        buttons = self.buttons
        buttons.add("go", "Translate", style="primary", help="Translate the files that can be sent")
        buttons.add("cancel", "Cancel", help="Send nothing more; documents already sent can be resumed")
        buttons.add("retry", "Retry", help="Send files again that failed or were not sent")
        buttons.add("again", "Translate again …", help="The service no longer has their translations")
        buttons.add("save_all", "Save all", help="Save in the browser")
        buttons.add("refresh", "Refresh", help="Check the files and ask the service again")
        buttons.add("yes", "Translate", style="primary")
        buttons.add("no", "Cancel")
        buttons.add("save", "Save selected", help="Save them in the browser")
        buttons.add("remove", "Remove selected", help="Remove the selected files from this list")
        buttons.add("clear", "Clear list", help="Remove all files from this list")
        self.question = Question(buttons["yes"], buttons["no"], primary=buttons["go"])
        self.waiting = PendingDocuments()
        options = classed(row(*self.controls.all, self.controls.out), "svc-documents-toolbar")
        actions = buttons.row("go", "retry", "again", "save_all", "refresh", "cancel")
        listed = [self.grid, buttons.row("save", "remove", "clear"), self.detail]
        self.files = classed(widgets.VBox(listed), "svc-documents-files")
        sources = classed(widgets.VBox([drop, paths]), "svc-documents-sources")
        above = [sources, options, actions, self.question.notice.box, self.hints, line, self.meter, self.results]
        self.box = classed(widgets.VBox([*above, self.files, self.waiting.box]), "svc-panel", "svc-documents")

    def show_files(self, documents: DocumentTable, *, home: Path, ran: bool, busy: bool) -> None:
        """Show the files with their states; only changed rows move. Paths below *home* are relative to it.

        Empty columns are left out until files *ran*; from then on no column comes or goes.
        """
        table = documents.table
        written = [each.output if each.status in WRITTEN else None for each in documents]
        table["pair"] = [each.pair for each in documents]
        table["state"] = [messages.state(each) for each in documents]
        table["error"] = [messages.why(each) for each in documents]
        table["billed"] = pd.Series([messages.characters(each) for each in documents], index=table.index, dtype=object)
        table["output"] = [None if path is None else messages.place(path, home) for path in written]
        marks = {each.number: each.mark for each in documents if each.mark}
        fields = []
        for each in FILES:
            if each.kind != "text" or (busy and each.name == "state"):
                fields.append(each)
                continue
            # No wider than its content, to leave room for the columns with long texts.
            longest = max((len(text) for text in table[each.name] if isinstance(text, str)), default=0)
            wide = min(each.wide, max(longest + 1, len(each.title) + 4))
            if longest or ran or each.name not in LATER:
                fields.append(replace(each, wide=wide, least=min(wide, each.least)))
        self.grid.show(table, fields, marks=marks)

    def show_detail(self, chosen: DocumentFile | None, *, home: Path, busy: bool) -> None:
        """Show the file that is active in the grid, with the buttons for this file."""
        if chosen is None:
            self.detail.display(None, [], [])
            return
        can = ["retry"] if chosen.can_retry and not busy else []
        self.detail.display(chosen.number, messages.facts(chosen, home), can)

    def show_buttons(self, documents: DocumentTable, *, go: str, busy: bool, cancelled: bool) -> None:
        """Show the buttons that can be used, with labels that say what they do; *go* is the label of the one that
        starts.

        Cancel is last, so that when it goes no other button takes its place under a click.
        """
        # Files with the same content and name share a translation.
        written, lost = len({each.output for each in documents.with_status(*WRITTEN)}), len(documents.with_status(LOST))
        failed = sum(each.can_retry for each in documents)
        self.buttons["go"].description = "Translating …" if busy else go or "Translate"
        self.buttons["go"].disabled = busy or not go
        self.buttons["cancel"].disabled = cancelled
        self.buttons["retry"].description = f"Retry {plural(failed, 'file')}"
        paused = any(each.paused for each in documents)
        retries = not go and bool(failed) and (paused or not written)
        self.buttons["retry"].button_style = "primary" if retries else ""  # one at a time
        saves = documents.with_status(DONE) and not go and not retries and not busy
        self.buttons["save_all"].button_style = "primary" if saves else ""
        self.waiting.resume_all.button_style = "" if go or retries or saves or busy else "primary"
        self.buttons["again"].description = f"Translate {lost:,} again …"
        self.buttons["save_all"].description = messages.saves(documents)
        self.buttons.show(
            go=busy or bool(go) or not (failed and not busy),
            cancel=busy,
            retry=bool(failed) and not busy,
            again=bool(lost) and not busy,
            save=written > 1,
            save_all=bool(written),
            remove=bool(len(documents)) and not busy,
            clear=len(documents) > 1 and not busy,
        )
        show(self.files, bool(len(documents)))
        for control in (*self.controls.all, self.controls.out):
            control.disabled = busy
        if busy or not len(documents):
            self.question.drop()
