"""The layout of the glossary panel: actions above, the grid, and tabs beside it."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
from traitlets import Bool, List, Unicode

from svc_nb.language_codes import as_normal
from svc_nb.panels.glossary import checks
from svc_nb.panels.glossary.pairs import ALL, PairRows, languages
from svc_nb.panels.parts import controls as widgets
from svc_nb.panels.parts.controls import Part
from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.panels.parts.editor import Editor
from svc_nb.panels.parts.grid import WIDEST, Field
from svc_nb.panels.parts.texts import written_text
from svc_nb.panels.parts.widgets import Line, Notice, button, classed, field, offer, row, show
from svc_nb.tabular.report import plural
from svc_nb.tabular.terms import LANGUAGES, Pair

NEW, NONE = "new", ""
ADD = ("", "")
LONGEST_NAME = 60
LONGEST_PAIRS = 3
GRID_HEIGHT = 520
LIST_HEIGHT = 360
CODES = tuple(sorted(LANGUAGES))
FIRST = "Type a term here, or paste two columns from a spreadsheet"


def _code(text: Any) -> str:
    return as_normal(written_text(text))


TERMS = (
    Field("source", "Term", written_text, kind="text", editable=True, wide=WIDEST, least=14),
    Field("target", "Translation", written_text, kind="text", editable=True, wide=WIDEST, least=14),
)
WITH_LANGUAGES = (
    Field("source_lang", "From", _code, kind="code", editable=True, options=CODES, wide=6),
    Field("target_lang", "To", _code, kind="code", editable=True, options=CODES, wide=6),
    *TERMS,
)


class Bar:
    """The bar above the grid: which glossary, which languages, and what to do with it."""

    def __init__(self) -> None:
        choose, write = widgets.Dropdown, widgets.Text
        self.glossary = field(choose(description="Glossary", options=[("New glossary …", NEW)]), "340px")
        self.name = field(write(description="Name of the new glossary", continuous_update=False), "220px")
        self.pair = field(choose(description="Languages", options=[("All pairs", ALL)], value=ALL), "200px")
        self.source_lang = field(choose(description="From", options=languages(), value="EN"), "150px")
        self.target_lang = field(choose(description="To", options=languages(), value="DE"), "150px")
        self.add_pair = button("Add pair")
        self.push = button("Push …", style="primary", help="Send your changes to the service")
        self.discard = button("Discard", help="Return to the glossary as it was loaded")
        self.reload = button("Reload", help="Get changes made elsewhere; your edits stay")
        self.undo = button("Undo the push", help="Undo the last push from this panel")
        self.adding = row(self.source_lang, self.target_lang, self.add_pair)
        self.doing = classed(row(self.push, self.discard, self.reload, self.undo), "svc-doing")
        chosen = (self.glossary, self.name, self.pair, self.adding)
        self.box = classed(row(*chosen, self.doing), "svc-glossary-bar")
        self.show_name(False)
        self.show_adding(False)

    def offer(self, listed: pd.DataFrame | None, chosen: str | None, *, is_there: bool) -> None:
        """Offer the glossaries in *listed*, and a new one.

        *chosen* is the id of the open glossary, None for a new one; without *is_there*, none is open.
        """
        options = [] if listed is None else _titled(listed, chosen)
        if chosen is not None and chosen not in [glossary_id for _, glossary_id in options]:
            options.append((f"({chosen})", chosen))
        options += [("New glossary …", NEW)]
        if is_there:
            offer(self.glossary, options, NEW if chosen is None else chosen)
        else:
            offer(self.glossary, [("Choose a glossary …", NONE), *options], NONE)

    def show_name(self, shown: bool) -> None:
        """Whether the glossary is new, so that its name can be edited."""
        show(self.name, shown)

    def show_adding(self, shown: bool) -> None:
        """Whether to choose the languages of another pair."""
        show(self.adding, shown)

    def allow(self, *, changes: int, busy: bool, is_new: bool, asked: bool, undoable: str) -> None:
        """Enable the buttons that can be used; *undoable* is the label of the undo button."""
        edited = bool(changes)
        self.push.description = f"Push {plural(changes, 'change')} …" if edited else "Push …"
        self.push.button_style = "" if asked else "primary"  # one at a time
        self.push.disabled = busy or not edited
        self.discard.disabled = not edited
        self.reload.disabled = busy or is_new
        self.undo.disabled = busy
        self.undo.description = undoable or "Undo the push"
        show(self.undo, bool(undoable))


def _titled(listed: pd.DataFrame, chosen: str | None) -> list[tuple[str, str]]:
    """Titles of glossaries, with their ids: the name, the pairs, the number of terms, and the id if two are the same.

    Those with a saved draft say so, except the *chosen* one, whose edits are on the screen.
    """
    columns = (listed[name].tolist() for name in ("name", "pairs", "entry_count", "glossary_id", "unsent"))
    again, titled = Counter(listed["name"].tolist()), []
    for name, pairs, count, glossary_id, unsent in zip(*columns, strict=True):
        one, each = " ".join(name.split()), pairs.split(", ") if pairs else []
        short = one if len(one) <= LONGEST_NAME else one[: LONGEST_NAME - 1] + "…"
        more = f" and {len(each) - LONGEST_PAIRS} more" if len(each) > LONGEST_PAIRS else ""
        title = f"{short} · {', '.join(each[:LONGEST_PAIRS]) + more or 'no pairs'} · {plural(count, 'term')}"
        title = f"{title} · {glossary_id[:8]}" if again[name] > 1 else title
        titled.append((f"{title} · unpushed edits" if unsent and glossary_id != chosen else title, glossary_id))
    return titled


class NewGlossary(Part):
    """Asks for the name and the languages of a new glossary; *created* is called with them. Nothing is sent.

    With `can_cancel`, if there is something to return to, *cancelled* may be called instead.
    """

    front = "new_glossary"
    languages: List[list[str]] = List(List(Unicode())).tag(sync=True)
    source_lang = Unicode("EN").tag(sync=True)
    target_lang = Unicode("DE").tag(sync=True)
    can_cancel = Bool(False).tag(sync=True)

    def __init__(self, created: Callable[[str, str, str], Any], cancelled: Callable[[], Any]) -> None:
        super().__init__(languages=[list(each) for each in languages()])
        self._created, self._cancelled = created, cancelled
        self.on_msg(lambda widget, message, buffers: self.hear(message))

    def hear(self, message: dict[str, Any]) -> None:
        """Handle a message from the form."""
        if message.get("kind") == "create":
            self._created(*(str(message.get(name, "")) for name in ("name", "source_lang", "target_lang")))
        elif message.get("kind") == "cancel":
            self._cancelled()


class GlossaryView:
    """The bar, the questions, the line, the grid, and the tabs by their titles; `box` has them all.

    *new* is shown instead of grid and tabs while a glossary has no name, *first* below an empty grid.
    """

    def __init__(
        self,
        bar: Bar,
        line: Line,
        asked: Sequence[Notice],
        tabs: Mapping[str, Any],
        *,
        new: NewGlossary,
        first: Part,
    ) -> None:
        for part in tabs.values():
            part.box.add_class("svc-glossary-tab")
            if hasattr(part, "grid"):
                part.grid.height = LIST_HEIGHT
        self.titles = list(tabs)
        self.tabs = widgets.Tab([part.box for part in tabs.values()], titles=self.titles, selected_index=0)
        self.bar = bar
        self.pair: Pair | None = None  # the pair shown; None if all are
        self._pairs: PairRows | None = None
        self._editor: Editor | None = None
        self._fields: tuple[Field, ...] = TERMS
        self._new, self._first = new, classed(widgets.VBox([first]), "svc-glossary-first")
        self._grid_side = classed(widgets.VBox([self._first]), "svc-glossary-grid")
        self._beside = classed(widgets.Box([self._grid_side, classed(self.tabs, "svc-glossary-tabs")]), "svc-beside")
        self._loading = classed(widgets.Label("Loading the terms …"), "svc-glossary-loading")
        parts = [bar.box, *(notice.box for notice in asked), line, new, self._loading, self._beside]
        self.box = classed(widgets.UndoBox(parts), "svc-panel", "svc-glossary")
        for part in (new, self._beside):
            show(part, False)

    def show_beginning(self, *, is_there: bool, is_asked: bool, is_empty: bool) -> None:
        """Show whether there is a glossary, whether to ask for its name and languages, and whether to offer a first
        file. While asking, or without a glossary, everything else is hidden.
        """
        for part in (self.bar.pair, self.bar.push, self.bar.discard, self.bar.reload, self._beside):
            show(part, is_there and not is_asked)
        show(self._new, is_asked)
        show(self._first, is_empty)
        if is_there:
            self.end_loading()

    def end_loading(self) -> None:
        """Remove the note that terms are loading."""
        show(self._loading, False)

    def edit(self, book: EditTable, pairs: PairRows, *, seen: Callable[[], Any]) -> Editor:
        """Show another book, with its pairs, in the grid; *seen* is called when a browser has the first rows."""
        self._pairs, self._fields = pairs, TERMS
        self.pair = (
            None if len(pairs.rows) > 1 else pairs.main() or (self.bar.source_lang.value, self.bar.target_lang.value)
        )
        before, worded = self._editor, partial(checks.worded, place=book.place)
        self._editor = Editor("Terms", book, TERMS, row=self.new_row, hint=FIRST, worded=worded, seen=seen)
        self._editor.height = GRID_HEIGHT
        self._grid_side.children = (self._editor, self._first)
        if before is not None:
            before.close()
        return self._editor

    def new_row(self) -> tuple[str, str, str, str]:
        """The cells of a new row: of the pair shown, or the one with the most terms."""
        main = None if self._pairs is None else self._pairs.main()
        return (*(self.pair or main or (self.bar.source_lang.value, self.bar.target_lang.value)), "", "")

    def offer_pairs(self, pairs: PairRows) -> None:
        """Offer these pairs, and adding one."""
        options = pairs.options(self.pair)
        offer(self.bar.pair, [*options, ("Add a pair …", ADD)], ALL if self.pair is None else self.pair)

    def show_pair(self, pairs: PairRows) -> None:
        """Show the rows of the chosen pair, which may be new."""
        rows = None if self.pair is None else pairs.offer(self.pair)
        self.offer_pairs(pairs)
        self.bar.show_adding(False)
        fields = WITH_LANGUAGES if self.pair is None else TERMS
        if self._editor is not None:
            if fields is not self._fields:  # otherwise the position in the grid would be lost
                self._editor.show_fields(fields)
                self._fields = fields
            self._editor.keep(rows)

    def is_at(self, tab: str) -> bool:
        """Whether a tab is shown."""
        return bool(self.tabs.selected_index == self.titles.index(tab))

    def title_tabs(self, **counts: int) -> None:
        """Show counts on the tabs."""
        titles = tuple(f"{name} ({counts[name]:,})" if counts.get(name) else name for name in self.titles)
        if self.tabs.titles != titles:
            self.tabs.titles = titles
