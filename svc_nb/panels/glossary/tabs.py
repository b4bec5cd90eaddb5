"""The tabs beside the terms: changes, suggestions, a try-out, and rare actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from traitlets import List, Unicode

from svc_nb.glossaries.corpus import in_language, term_candidates
from svc_nb.glossaries.tryout import TriedTerms, try_out
from svc_nb.language_codes import name_of
from svc_nb.panels.glossary.edits import filled
from svc_nb.panels.glossary.pairs import arrow
from svc_nb.panels.glossary.terms_panel import TermsPanel
from svc_nb.panels.parts import controls as widgets
from svc_nb.panels.parts.controls import Part
from svc_nb.panels.parts.edit_table import EditTable, TableChange
from svc_nb.panels.parts.editor import changes_told
from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.texts import written_text
from svc_nb.panels.parts.widgets import Line, TryOutBox, button, classed, field, row, show
from svc_nb.panels.parts.word_diff import word_diff
from svc_nb.panels.parts.worker import Latest
from svc_nb.tabular.report import plural
from svc_nb.tabular.terms import Pair
from svc_nb.tabular.text_column import TEXT

MARKS = {"added": "new", "changed": "changed", "removed": "faded"}
CHANGE_COLUMNS = ("change", "row", "pair", "source", "target", "source_before", "target_before")
CHANGE_FIELDS = (
    Field("change", "Change", written_text, kind="code"),
    Field("place", "Row", lambda number: "–" if number is None else f"{number:,}", lowest_first=True),
    Field("pair", "Pair", written_text, kind="code"),
    Field("source", "Term", written_text, kind="text", wide=16, least=8),
    Field("target", "Translation", written_text, kind="text", wide=16, least=12),
    Field("before", "Before", written_text, kind="text", wide=16, least=10, spare=1),
)


class ChangeList:
    """The list, made when it is shown; *go_to* is called with a chosen row."""

    def __init__(self, go_to: Callable[[int], Any]) -> None:
        self.line = Line()
        self.grid = Grid("Changes", chosen=go_to, tall=True)
        self.revert = button("Revert", help="Restore the chosen rows as they were loaded")
        self.box = widgets.VBox([self.line, self.grid, row(self.revert)])

    def show(self, table: pd.DataFrame, book: EditTable) -> None:
        """Show the `listed_changes` of *book*."""
        columns = (table[name].tolist() for name in ("source_before", "target_before"))
        before = [f"{source} → {target}" if source else target for source, target in zip(*columns, strict=True)]
        places = pd.array([book.place(number) for number in table["row"].tolist()], dtype="Int64")
        shown = table.assign(before=pd.array(before, dtype=TEXT), place=places)
        needed = {"pair": table["pair"].nunique() > 1, "before": any(before)}
        fields = [each for each in CHANGE_FIELDS if needed.get(each.name, True)]
        marks = dict(zip(table.index.tolist(), map(MARKS.__getitem__, table["change"].tolist()), strict=True))
        self.grid.show(shown, fields, marks=marks)
        self.revert.disabled = not len(table)
        self.line.say(edits_told(book) or "No changes since the glossary was loaded.")


def listed_changes(book: EditTable) -> pd.DataFrame:
    """The rows that were added, changed and removed, in their order, with their numbers as labels."""
    blank = book.blank  # a push skips these rows
    known = sorted(book.changed | {*book.dropped})
    before = dict(zip(known, book.base.loc[known].itertuples(index=False, name=None), strict=True))
    rows = []
    for number in sorted((book.new - blank) | {*known}):
        was, is_there = before.get(number, ()), number in book and number not in blank
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
    """The edits in words; empty if there are none."""
    told = changes_told(book.changes)
    return f"{told}, not pushed yet." if told else ""


def take_back_rows(book: EditTable, rows: Sequence[int]) -> int:
    """Restore *rows* as they were loaded, in one step, each at its position; returns how many there were."""
    base, wanted = book.base, set(rows)
    before = dict(zip(base.index.tolist(), base.itertuples(index=False, name=None), strict=True))
    changed, new = wanted & book.changed, wanted & book.new
    gone: dict[int, int] = {}  # each after the nearest earlier row that exists or is restored before it
    last = 0
    for number in before:
        if number in wanted and number not in book:
            gone[number] = last
        if number in gone or number in book:
            last = number
    count = len(changed) + len(gone) + len(new)
    with book.step(f"Revert {plural(count, 'change')}"):
        texts = {number: zip(book.columns, before[number], strict=True) for number in changed}
        book.write({(number, name): text for number, cells in texts.items() for name, text in cells})
        book.drop(new)
        if gone:
            book.replay(TableChange("", {number: before[number] for number in gone}, gone))
    return count


MOST_SUGGESTED = 300
ACCEPT, DISMISS = ("Enter", "a"), ("x",)
NO_CORPUS = 'To find words in your texts that may deserve a term, use panels.Glossary(…, corpus=df["text"]).'
KEYS = "Press Enter to add one and go to its translation, “a” to add it and stay here, “x” to dismiss it."
LEAST_COUNT = 3  # how often a candidate must occur
SUGGESTED_FIELDS = (
    Field("candidate", "Candidate", written_text, kind="text"),
    Field("count", "Count", lambda number: f"{number:,}"),
    Field("example", "Example", written_text, kind="text"),
)


class RowKeys(Part):
    """Listens to the grid in the nearest box around it with the class *within*; shows nothing itself."""

    front = "row_keys"
    letters = List(Unicode()).tag(sync=True)
    within = Unicode().tag(sync=True)

    def __init__(self, letters: Sequence[str], pressed: Callable[[str, str], None], *, within: str) -> None:
        super().__init__(letters=list(letters), within=within)
        self._pressed = pressed
        self.on_msg(lambda widget, message, buffers: self.hear(message))

    def hear(self, message: dict[str, Any]) -> None:
        """Handle a key; other keys are ignored."""
        if message.get("kind") == "key" and message.get("key") in self.letters:
            self._pressed(str(message["key"]), str(message["text"]))


class Suggestions:
    """Candidates from *corpus*, to be accepted as terms or dismissed."""

    def __init__(self, corpus: pd.Series[Any] | None, panel: TermsPanel) -> None:
        self.line = Line()
        self.grid = Grid("Suggestions", begins=True)
        self.letters = RowKeys(
            (*ACCEPT, *DISMISS), lambda key, text: panel._clicked(self._press, key, text), within="svc-suggestions"
        )
        self.find = button("Search again", help="Search the texts with the current terms")
        self.accept = button("Add as a term")
        self.dismiss = button("Dismiss")
        buttons = row(self.accept, self.dismiss, self.find)
        self.box = classed(widgets.VBox([self.line, self.grid, buttons, self.letters]), "svc-suggestions")
        self.dismissed: set[str] = set()
        self.found: pd.DataFrame | None = None
        self.looked = ""  # the texts searched last, in words
        self.corpus = corpus
        self._panel = panel
        panel._on_each({self.find: panel.suggest})
        panel._on_each({self.accept: self._add_chosen, self.dismiss: self._dismiss_chosen})
        self._show()

    def look(self, worker: Latest) -> None:
        """Search the corpus, in a thread, for words that are not terms yet."""
        panel, corpus, pair = self._panel, self.corpus, self._panel.pair or self._panel.opened.pairs.main()
        if corpus is None:
            raise ValueError(NO_CORPUS)
        terms, lang = panel.book.table["source"].tolist(), pair[0] if pair else None
        self.line.say("Searching the texts …")

        def work() -> tuple[pd.DataFrame, str]:
            texts = corpus[[isinstance(cell, str) for cell in corpus.tolist()]].astype(object)
            mine, others = in_language(texts, lang) if lang else texts, int(corpus.notna().sum()) - len(texts)
            said = f"{len(mine):,} {f'{name_of(lang)} ' if lang else ''}{'text' if len(mine) == 1 else 'texts'}"
            skipped = (
                f" {plural(others, 'cell is', 'cells are')} not text and {'was' if others == 1 else 'were'} skipped."
                if others
                else ""
            )
            found = term_candidates(mine, terms=terms, most=MOST_SUGGESTED, lang=lang, min_count=LEAST_COUNT)
            return pd.DataFrame(found), f"Searched {said}.{skipped}"

        panel._find(work, lambda answer: self.show(*answer), worker)

    def end(self) -> None:
        """Show that the search has ended."""
        self.line.say("")
        self._show()

    def _add_chosen(self) -> None:
        labels = list(self.grid.selected)
        for label in labels:
            self._panel.accept(label)
        if labels:
            self._go_to_translation(len(labels))

    def _dismiss_chosen(self) -> None:
        for label in list(self.grid.selected):
            self._panel.dismiss(label)

    def _go_to_translation(self, count: int) -> None:
        """Go to the empty translation of the first of the last *count* rows."""
        self._panel._go_to(self._panel.book.rows[-count], "target")

    def _press(self, key: str, text: str) -> None:
        found = self.found
        labels = [] if found is None else found.index[found["candidate"] == text].tolist()
        if labels:  # otherwise it was removed in the meantime
            (self._panel.accept if key in ACCEPT else self._panel.dismiss)(labels[0])
            if key == "Enter":
                self._go_to_translation(1)

    def show(self, found: pd.DataFrame, looked: str) -> None:
        """Show the words *found*, without those dismissed before; *looked* says where they are from."""
        self.found, self.looked = found[~found["candidate"].isin(list(self.dismissed))], looked
        self._show()

    def take(self, label: Any) -> str:
        """Remove a candidate from the list; raises ValueError if it is not there."""
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
        show(self.grid, found is not None and bool(len(found)))
        if self.corpus is None:
            self.line.say(NO_CORPUS)
        elif found is not None:
            none = f"No new suggestions: a candidate must occur at least {LEAST_COUNT} times and not be a term yet."
            some = f"{plural(len(found), 'suggestion')}. {KEYS}"
            self.line.say(f"{some if len(found) else none} {self.looked}")


HOW = (
    "Translates twice, with and without your terms; both are billed. A temporary glossary is created and then deleted."
)


class TryOut:
    """The try-out box; *tried* is called with the sentence, and `last` has the last result."""

    def __init__(self, tried: Callable[[str], Any], panel: TermsPanel) -> None:
        self._panel = panel
        self.trial = TryOutBox(tried)
        self.line = Line()
        self.line.say(HOW)
        self.box = widgets.VBox([self.trial, self.line])
        self.last: TriedTerms | None = None

    def translate(self, text: str, worker: Latest) -> None:
        """Translate *text* with the edited terms, and without them, in the pair shown."""
        panel, opened = self._panel, self._panel.opened
        some = [pair for pair, count in opened.pairs.counts.items() if count]
        if panel.pair is None and len(some) != 1:
            raise ValueError("Choose a language pair first.")
        pair, client, table = panel.pair or some[0], opened.session.client, filled(opened.book.table)
        options = {"source_lang": pair[0], "target_lang": pair[1], "folder": opened.session.settings.drafts_path}
        self.trial.text, self.trial.busy = text, True
        self.line.say("Translating …")
        panel._find(lambda: try_out(client, table, text, **options), lambda found: self.show(found, pair), worker)

    def end(self) -> None:
        """Show that the translation has ended."""
        if self.trial.busy:
            self.trial.busy = False
            self.line.say(HOW)

    def show(self, found: TriedTerms, pair: Pair) -> None:
        """Show both translations, their cost, and the rows left out."""
        self.last, self.trial.busy = found, False
        with_terms, without = word_diff(found.text, found.plain)
        self.trial.show([("With the edited terms", with_terms), ("Without the glossary", without)])
        parts = [f"{arrow(pair)}, {plural(found.billed, 'character')} billed."]
        if found.text == found.plain:
            parts.append("The terms make no difference to this text.")
        if found.left_out:
            parts.append(f"Left out, because the service would not accept them: {plural(found.left_out, 'row')}.")
        if found.marked_only:
            parts.append("The embedded service has no translator for this pair, so texts are not translated.")
        if found.left_behind:
            parts.append("The temporary glossary could not be removed; the next try-out removes it.")
        self.line.say(" ".join(parts))
        self._panel._sum_up()


class More:
    """Rare actions: renaming and deleting the glossary."""

    def __init__(self, renamed: Callable[[str], Any], deleted: Callable[[], Any]) -> None:
        self.name = field(widgets.Text(description="New name", continuous_update=False), "260px")
        self.rename = button("Rename", lambda: renamed(self.name.value))
        self.name.on_submit(lambda: renamed(self.name.value))
        self.delete = button("Delete this glossary …", deleted)
        self.box = classed(widgets.VBox([row(self.name, self.rename), row(self.delete)]), "svc-glossary-more")
        self._named = ""  # the name shown there last

    def allow(self, *, name: str, is_there: bool, busy: bool) -> None:
        """Enable the buttons that can be used, and show the current *name*."""
        if self._named != name:  # otherwise keep what a person is writing there
            self._named = self.name.value = name
        self.rename.disabled, self.delete.disabled = busy, busy or not is_there
