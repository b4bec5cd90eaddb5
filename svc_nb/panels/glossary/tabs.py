"""The tabs beside the terms, and the question about conflicts: changes, suggestions, a try-out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import anywidget
import ipywidgets as widgets
import pandas as pd
from traitlets import List, Unicode

from svc_nb.glossaries.corpus import term_candidates
from svc_nb.glossaries.tryout import TriedTerms
from svc_nb.panels.glossary.pairs import arrow
from svc_nb.panels.glossary.terms_panel import TermsPanel
from svc_nb.panels.parts.edit_panel import Conflicts
from svc_nb.panels.parts.edit_table import EditTable, TableChange
from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.texts import written_text
from svc_nb.panels.parts.widgets import FRONT, Line, Notice, TryOutBox, button, classed, row
from svc_nb.panels.parts.worker import Latest
from svc_nb.tabular.report import plural
from svc_nb.tabular.terms import Pair
from svc_nb.tabular.text_column import TEXT

MARKS = {"added": "new", "changed": "changed", "removed": "faded"}
CHANGE_COLUMNS = ("change", "row", "pair", "source", "target", "source_before", "target_before")
CHANGE_FIELDS = (
    Field("change", "Change", written_text, kind="text"),
    Field("row", "Row", lambda number: f"{number:,}"),
    Field("pair", "Pair", written_text, kind="text"),
    Field("source", "Source", written_text, kind="text"),
    Field("target", "Target", written_text, kind="text"),
    Field("before", "Before", written_text, kind="text"),
)


class ChangeList:
    """The list, made when it is looked at; *go_to* hears of a row that was chosen."""

    def __init__(self, go_to: Callable[[int], Any]) -> None:
        self.line = Line()
        self.grid = Grid("Changes", chosen=go_to)
        self.revert = button("Take back", help="Bring back what was loaded, in the rows chosen")
        self.box = widgets.VBox([self.line, self.grid, row(self.revert)])

    def show(self, table: pd.DataFrame, book: EditTable) -> None:
        """Show what was `listed_changes` of *book*."""
        columns = (table[name].tolist() for name in ("source_before", "target_before"))
        before = [f"{source} → {target}" if source else target for source, target in zip(*columns, strict=True)]
        shown = table.assign(before=pd.array(before, dtype=TEXT))
        pairs = table["pair"].nunique() > 1
        fields = [field for field in CHANGE_FIELDS if pairs or field.name != "pair"]
        marks = dict(zip(table.index.tolist(), map(MARKS.__getitem__, table["change"].tolist()), strict=True))
        self.grid.show(shown, fields, marks=marks)
        self.revert.disabled = not len(table)
        self.line.say(edits_told(book) or "Nothing was changed since it was loaded.")


def listed_changes(book: EditTable) -> pd.DataFrame:
    """The rows that were added, changed and removed, in their order, with their numbers as labels."""
    known = sorted(book.changed | {*book.dropped})
    before = dict(zip(known, book.base.loc[known].itertuples(index=False, name=None), strict=True))
    rows = []
    for number in sorted(book.new | {*known}):
        was, is_there = before.get(number, ()), number in book
        change = "removed" if not is_there else "changed" if was else "added"
        cells = book[number] if is_there else was
        source_was, target_was = was[2:] if change == "changed" else ("", "")
        again = "" if source_was == cells[2] else source_was
        rows.append((change, number, arrow((cells[0], cells[1])), *cells[2:], again, target_was))
    columns: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [[]] * len(CHANGE_COLUMNS)
    texts = {
        name: pd.array(list(column), dtype="int64" if name == "row" else TEXT)
        for name, column in zip(CHANGE_COLUMNS, columns, strict=True)
    }
    return pd.DataFrame(texts, index=pd.Index(list(columns[1]), dtype="int64"))


def edits_told(book: EditTable) -> str:
    """What was edited, in words; nothing where nothing was."""
    names = {"new": "added", "changed": "changed", "dropped": "removed"}
    words = [f"{book.changes[name]:,} {said}" for name, said in names.items() if book.changes[name]]
    return f"{', '.join(words)}, not sent yet." if words else ""


def take_back_rows(book: EditTable, rows: Sequence[int]) -> int:
    """Bring back *rows* as they were loaded, in one step, each in its place; how many there were."""
    base, wanted = book.base, set(rows)
    before = dict(zip(base.index.tolist(), base.itertuples(index=False, name=None), strict=True))
    changed, new = wanted & book.changed, wanted & book.new
    gone: dict[int, int] = {}  # each after the nearest row before it that is there, or comes before it
    last = 0
    for number in before:
        if number in wanted and number not in book:
            gone[number] = last
        if number in gone or number in book:
            last = number
    count = len(changed) + len(gone) + len(new)
    with book.step(f"Take back {plural(count, 'change')}"):
        texts = {number: zip(book.columns, before[number], strict=True) for number in changed}
        book.write({(number, name): text for number, cells in texts.items() for name, text in cells})
        book.drop(new)
        if gone:
            book.replay(TableChange("", {number: before[number] for number in gone}, gone))
    return count


TITLES = {"mine": "as here", "theirs": "as on the service"}
SIDES = {title: side for side, title in TITLES.items()}


def _written_side(text: Any) -> str:
    return "(deleted)" if text is None else str(text)


CONFLICT_FIELDS = (
    Field("source", "Source", written_text, kind="text"),
    Field("choice", "Take it", lambda text: text or "choose …", kind="text", editable=True, options=tuple(SIDES)),
    Field("base", "As loaded", _written_side, kind="text"),
    Field("mine", "Here", _written_side, kind="text"),
    Field("theirs", "On the service", _written_side, kind="text"),
    Field("pair", "Pair", written_text, kind="text"),
)


class ConflictList(Notice):
    """The question what to take of each conflict; *edited* hears the label of a row and the side, or None."""

    def __init__(self, edited: Callable[[int, str | None], Any]) -> None:
        self.grid = Grid("Conflicts", edited=lambda label, column, text: edited(int(label), SIDES.get(text)))
        self.go_on = button("Go on", style="primary", help="Take what was chosen for each term")
        self.all_mine = button("All as here")
        self.all_theirs = button("All as on the service")
        self.not_now = button("Not now")
        super().__init__(self.all_mine, self.all_theirs, self.go_on, self.not_now, shown=(self.grid,))

    def show(self, conflicts: Conflicts | None) -> None:
        """Ask for a side in each row; None asks nothing."""
        if conflicts is None:
            self.drop()
            return
        table, sides = conflicts.table, conflicts.sides
        languages = zip(table["source_lang"], table["target_lang"], strict=True)
        shown = table.assign(
            pair=pd.array([arrow(pair) for pair in languages], dtype=TEXT),
            choice=pd.array([TITLES.get(sides.get(label, ""), "") for label in table.index], dtype=TEXT),
        )
        marks = {label: "changed" if label in sides else "warning" for label in table.index}
        fields = [field for field in CONFLICT_FIELDS if field.name != "pair" or shown["pair"].nunique() > 1]
        self.grid.show(shown, fields, marks=marks)
        self.go_on.disabled = not conflicts.is_settled
        count, left = len(table), len(table) - len(sides)
        more = "." if left == count else f": {left:,} left." if left else ": all are chosen, go on."
        self.ask(
            f"{plural(count, 'term was', 'terms were')} changed here and on the service, differently. "
            f"Nothing is overwritten. Choose what to take{more}"
        )


MOST_SUGGESTED = 300
ACCEPT, DISMISS = ("Enter", "a"), ("x",)
NO_CORPUS = 'Words of your texts that may deserve a term: panels.Glossary(…, corpus=df["text"]) finds them.'
KEYS = "Enter or “a” makes one a term, “x” dismisses it."
SUGGESTED_FIELDS = (
    Field("candidate", "Candidate", written_text, kind="text"),
    Field("count", "Count", lambda number: f"{number:,}"),
    Field("example", "Example", written_text, kind="text"),
)


class RowKeys(anywidget.AnyWidget):
    """Listens in the grid of the nearest box around it that has the class *within*; shows nothing itself."""

    _esm = FRONT / "row_keys.js"
    letters = List(Unicode()).tag(sync=True)
    within = Unicode().tag(sync=True)

    def __init__(self, letters: Sequence[str], pressed: Callable[[str, int], None], *, within: str) -> None:
        super().__init__(letters=list(letters), within=within)
        self._pressed = pressed
        self.on_msg(lambda widget, message, buffers: self.hear(message))

    def hear(self, message: dict[str, Any]) -> None:
        """Do what a key asks for; others are left alone."""
        if message.get("kind") == "key" and message.get("key") in self.letters:
            self._pressed(str(message["key"]), int(message["place"]))


class Suggestions:
    """Candidates from *corpus*, to be accepted as terms or dismissed."""

    def __init__(self, corpus: pd.Series[Any] | None, panel: TermsPanel) -> None:
        self.line = Line()
        self.grid = Grid("Suggestions")
        self.letters = RowKeys(
            (*ACCEPT, *DISMISS), lambda key, place: panel._clicked(self._press, key, place), within="svc-suggestions"
        )
        self.find = button("Look again", help="Look through the texts with the terms as they are now")
        self.accept = button("Add as a term")
        self.dismiss = button("Dismiss")
        buttons = row(self.accept, self.dismiss, self.find)
        self.box = classed(widgets.VBox([self.line, self.grid, buttons, self.letters]), "svc-suggestions")
        self.dismissed: set[str] = set()
        self.found: pd.DataFrame | None = None
        self.corpus = corpus
        self._panel = panel
        panel._on_each({self.find: panel.suggest})
        for pressed, action in ((self.accept, panel.accept), (self.dismiss, panel.dismiss)):
            panel._on(pressed, self._each, action)
        self._show()

    def look(self, worker: Latest) -> None:
        """Look through the corpus, in a thread, for words that are no terms yet."""
        panel, corpus, pair = self._panel, self.corpus, self._panel.pair or self._panel.opened.pairs.main()
        if corpus is None:
            raise ValueError(NO_CORPUS)
        terms, lang = panel.book.table["source"].tolist(), pair[0] if pair else None
        self.line.say("Looking through the texts …")
        work = partial(term_candidates, corpus, terms=terms, most=MOST_SUGGESTED, lang=lang)
        panel._find(lambda: pd.DataFrame(work()), self.show, worker)

    def _each(self, action: Callable[[int], Any]) -> None:
        for label in list(self.grid.selected):
            action(label)

    def _press(self, key: str, place: int) -> None:
        label = self.label_at(place)
        if label is not None:
            (self._panel.accept if key in ACCEPT else self._panel.dismiss)(label)

    def show(self, found: pd.DataFrame) -> None:
        """Show what was *found*, without what was dismissed before."""
        self.found = found[~found["candidate"].isin(list(self.dismissed))]
        self._show()

    def label_at(self, place: int) -> Any:
        """The label of the row at a place of the list as it stands; None where there is none."""
        shown = self.grid.table["candidate"].tolist() if self.found is not None else []
        if self.found is None or place >= len(shown):
            return None
        return self.found.index[self.found["candidate"] == shown[place]][0]

    def take(self, label: Any) -> str:
        """Take a candidate out of the list; a ValueError where it is not there."""
        if self.found is None or label not in self.found.index:
            raise ValueError(f"there is no suggestion {label!r}")
        text = str(self.found.at[label, "candidate"])
        self.found = self.found.drop(index=label)
        self._show()
        return text

    def _show(self) -> None:
        found = self.found
        self.accept.disabled = self.dismiss.disabled = found is None or not len(found)
        self.find.disabled = self.corpus is None
        if found is not None:
            self.grid.show(found, SUGGESTED_FIELDS)
        if self.corpus is None:
            self.line.say(NO_CORPUS)
        elif found is not None:
            count = f"{plural(len(found), 'suggestion')}. {KEYS}"
            self.line.say(count if len(found) else "No new suggestions.")


HOW = "Both translations are billed. A temporary glossary is made for it and removed again."


class TryOut:
    """The box to try in; *tried* is called with the sentence, and `last` is what came of the last one."""

    def __init__(self, tried: Callable[[str], Any]) -> None:
        self.trial = TryOutBox(tried)
        self.line = Line()
        self.line.say(HOW)
        self.box = widgets.VBox([self.trial, self.line])
        self.last: TriedTerms | None = None

    def begin(self, text: str) -> None:
        """Show that *text* is being translated."""
        self.trial.text = text
        self.trial.busy = True
        self.line.say("Translating …")

    def end(self) -> None:
        """Show that nothing is being translated any more."""
        if self.trial.busy:
            self.trial.busy = False
            self.line.say(HOW)

    def show(self, found: TriedTerms, pair: Pair) -> None:
        """Show both translations, what they cost, and what was left out."""
        self.last, self.trial.busy = found, False
        self.trial.show([("With the terms as edited", found.text), ("Without the glossary", found.plain)])
        parts = [f"{arrow(pair)}, {plural(found.billed, 'character')} billed."]
        if found.text == found.plain:
            parts.append("The terms make no difference to this text.")
        if found.left_out:
            parts.append(f"Left out, because the service would refuse them: {plural(found.left_out, 'row')}.")
        if found.marked_only:
            parts.append("The embedded service has no translator for this pair: texts are only marked.")
        if found.left_behind:
            parts.append("The temporary glossary could not be removed; the next try-out removes it.")
        self.line.say(" ".join(parts))
