"""Where the parts of the glossary panel stand: what to do above, the grid, and tabs beside it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import ipywidgets as widgets
import pandas as pd

from svc_nb.language_codes import as_normal
from svc_nb.panels.glossary.pairs import PairRows, languages
from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.panels.parts.editor import Editor
from svc_nb.panels.parts.grid import Field
from svc_nb.panels.parts.texts import written_text
from svc_nb.panels.parts.widgets import Line, Notice, button, classed, close_all, field, offer, row, show
from svc_nb.tabular.report import plural
from svc_nb.tabular.terms import LANGUAGES, Pair

NEW = "new"
ADD = ("", "")
LONGEST_NAME = 60
LONGEST_PAIRS = 3
GRID_HEIGHT = 520
LIST_HEIGHT = 360
CODES = tuple(sorted(LANGUAGES))


def _code(text: Any) -> str:
    return as_normal(written_text(text))


TERMS = (
    Field("source", "Source", written_text, kind="text", editable=True),
    Field("target", "Target", written_text, kind="text", editable=True),
)
WITH_LANGUAGES = (
    Field("source_lang", "From", _code, kind="text", editable=True, options=CODES),
    Field("target_lang", "To", _code, kind="text", editable=True, options=CODES),
    *TERMS,
)


class Bar:
    """What stands above the grid: which glossary, which languages, and what to do with it."""

    def __init__(self) -> None:
        choose, write = widgets.Dropdown, widgets.Text
        self.glossary = field(choose(description="Glossary", options=[("New glossary …", NEW)]), "340px")
        self.name = field(write(description="Name of the new glossary", continuous_update=False), "220px")
        self.pair = field(choose(description="Languages", options=[("All pairs", None)]), "200px")
        self.source_lang = field(choose(description="From", options=languages(), value="EN"), "150px")
        self.target_lang = field(choose(description="To", options=languages(), value="DE"), "150px")
        self.add_pair = button("Add pair")
        self.push = button("Push …", style="primary", help="Send what changed to the service")
        self.discard = button("Discard", help="Go back to what was loaded")
        self.reload = button("Reload", help="Bring in what was changed elsewhere; edits stay")
        self.undo = button("Undo the push", help="Take back the last push from here")
        self._pair_fields = (self.source_lang, self.target_lang, self.add_pair)
        doing = classed(row(self.push, self.discard, self.reload, self.undo), "svc-doing")
        self.box = classed(row(self.glossary, self.name, self.pair, *self._pair_fields, doing), "svc-glossary-bar")
        self.show_name(False)
        self.show_adding(False)

    def offer(self, listed: pd.DataFrame | None, chosen: str | None) -> None:
        """Offer the glossaries of *listed*, and a new one; *chosen* is the id of the one that is open."""
        options = [] if listed is None else _titled(listed)
        if chosen is not None and chosen not in [glossary_id for _, glossary_id in options]:
            options.append((f"({chosen})", chosen))
        offer(self.glossary, [*options, ("New glossary …", NEW)], NEW if chosen is None else chosen)

    def show_name(self, shown: bool) -> None:
        """Whether the glossary is new, and has a name to write."""
        show(self.name, shown)

    def show_adding(self, shown: bool) -> None:
        """Whether two languages are to be chosen for a further pair."""
        for each in self._pair_fields:
            show(each, shown)

    def allow(self, *, edited: bool, busy: bool, is_new: bool, undoable: bool) -> None:
        """Let the buttons be pressed that have something to do."""
        self.push.disabled = busy or not edited
        self.discard.disabled = not edited
        self.reload.disabled = busy or is_new
        self.undo.disabled = busy
        show(self.undo, undoable)


def _titled(listed: pd.DataFrame) -> list[tuple[str, str]]:
    """What glossaries are called, with their ids: the name, the pairs, the number of terms; two alike by their ids."""
    columns = (listed[name].tolist() for name in ("name", "pairs", "entry_count", "glossary_id"))
    again, titled = Counter(listed["name"].tolist()), []
    for name, pairs, count, glossary_id in zip(*columns, strict=True):
        one, each = " ".join(name.split()), pairs.split(", ") if pairs else []
        short = one if len(one) <= LONGEST_NAME else one[: LONGEST_NAME - 1] + "…"
        more = f" and {len(each) - LONGEST_PAIRS} more" if len(each) > LONGEST_PAIRS else ""
        title = f"{short} · {', '.join(each[:LONGEST_PAIRS]) + more or 'no pairs'} · {plural(count, 'term')}"
        titled.append((f"{title} · {glossary_id[:8]}" if again[name] > 1 else title, glossary_id))
    return titled


class GlossaryView:
    """The bar, the line, what may be asked, the grid, and the tabs by their titles; `box` has them all."""

    def __init__(self, bar: Bar, line: Line, asked: Sequence[Notice], tabs: Mapping[str, Any]) -> None:
        for part in tabs.values():
            part.box.add_class("svc-glossary-tab")
            if hasattr(part, "grid"):
                part.grid.height = LIST_HEIGHT
        self.titles = list(tabs)
        self.tabs = widgets.Tab([part.box for part in tabs.values()], titles=self.titles, selected_index=0)
        self.bar = bar
        self.pair: Pair | None = None  # the one that is shown; None where all are
        self._pairs: PairRows | None = None
        self._editor: Editor | None = None
        self._fields: tuple[Field, ...] = TERMS
        self._grid_side = classed(widgets.Box([]), "svc-glossary-grid")
        beside = classed(widgets.Box([self._grid_side, classed(self.tabs, "svc-glossary-tabs")]), "svc-beside")
        parts = [bar.box, line, *(notice.box for notice in asked), beside]
        self.box = classed(widgets.VBox(parts), "svc-panel", "svc-glossary")

    def edit(self, book: EditTable, pairs: PairRows) -> Editor:
        """Show another book, with its pairs, in the grid."""
        self._pairs, self._fields = pairs, TERMS
        self.pair = pairs.main() if len(pairs.rows) == 1 else None
        before, self._editor = self._editor, Editor("Terms", book, TERMS, row=self.new_row)
        self._editor.height = GRID_HEIGHT
        self._grid_side.children = (self._editor,)
        if before is not None:
            close_all(before)
        return self._editor

    def new_row(self) -> tuple[str, str, str, str]:
        """The cells of a new row: of the pair that is shown, or of the one with most terms."""
        main = None if self._pairs is None else self._pairs.main()
        return (*(self.pair or main or (self.bar.source_lang.value, self.bar.target_lang.value)), "", "")

    def offer_pairs(self, pairs: PairRows) -> None:
        """Offer these pairs, and to add one."""
        offer(self.bar.pair, [*pairs.options(), ("Add a pair …", ADD)], self.pair)

    def show_pair(self, pairs: PairRows) -> None:
        """Show the rows of the pair that is chosen, which may be a new one."""
        rows = None if self.pair is None else pairs.offer(self.pair)
        self.offer_pairs(pairs)
        self.bar.show_adding(False)
        fields = WITH_LANGUAGES if self.pair is None else TERMS
        if self._editor is not None:
            if fields is not self._fields:  # else the place in the grid would be lost
                self._editor.show_fields(fields)
                self._fields = fields
            self._editor.keep(rows)

    def is_at(self, tab: str) -> bool:
        """Whether a tab is shown."""
        return bool(self.tabs.selected_index == self.titles.index(tab))

    def title_tabs(self, **counts: int) -> None:
        """Say how much there is behind the tabs."""
        titles = tuple(f"{name} ({counts[name]:,})" if counts.get(name) else name for name in self.titles)
        if self.tabs.titles != titles:
            self.tabs.titles = titles
