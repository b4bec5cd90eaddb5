"""The glossary panel as users see it: choose a glossary, edit its terms, see the findings, push the changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Self

import pandas as pd

from svc_nb.errors import Forbidden, InvalidRows, NotAuthenticated, StoreError
from svc_nb.glossaries.diff import GlossaryDiff, diff
from svc_nb.panels.glossary import files, push
from svc_nb.panels.glossary.checks import Checks, Judged
from svc_nb.panels.glossary.draft_offer import DraftOffer
from svc_nb.panels.glossary.edits import Edits, filled, fixing, nothing, still_right, told_fixes, toward
from svc_nb.panels.glossary.files import Files
from svc_nb.panels.glossary.open_glossary import OpenGlossary
from svc_nb.panels.glossary.pairs import ALL, arrow, known_pair
from svc_nb.panels.glossary.push import GlossaryPush, Loaded
from svc_nb.panels.glossary.tabs import (
    ChangeList,
    More,
    Suggestions,
    TryOut,
    edits_told,
    listed_changes,
    take_back_rows,
)
from svc_nb.panels.glossary.terms_panel import TermsPanel
from svc_nb.panels.glossary.view import ADD, NEW, NONE, WITH_LANGUAGES, Bar, GlossaryView, NewGlossary
from svc_nb.panels.parts.drafts import DraftWriter
from svc_nb.panels.parts.edit_panel import locked
from svc_nb.panels.parts.edit_table import TableChange
from svc_nb.panels.parts.editor import Editor
from svc_nb.panels.parts.panel import MOST_KEPT, PATIENCE
from svc_nb.panels.parts.worker import Latest
from svc_nb.session import Session, current
from svc_nb.signatures import hides
from svc_nb.tabular.report import plural
from svc_nb.tabular.terms import COLUMNS, LANGUAGE_COLUMNS, Pair, checked, in_tables
from svc_nb.tracebacks import verbs

BEGIN = "Name the new glossary and choose its languages."
PARTS = ("bar", "book", "changed", "collisions", "files", "gone", "offer", "opened", "question", "trial", "view")


@hides("drop", *PARTS)
@verbs
class Glossary(TermsPanel):
    """A panel to edit a glossary: a grid of its terms, checked as they are typed; tried out, compared, and pushed.

    Everything a click does is also a method. Work that needs the service or many rows is done in threads, and `wait`
    waits for it. Nothing is sent before you confirm a `push`. Every edit is kept in a draft on this computer until it
    is pushed or discarded, and offered again if the kernel ends before that. `close` ends the panel.

    Parameters
    ----------
    glossary_id
        The glossary, by its id or name; None starts a new one.
    corpus
        A column of texts to search for words that may deserve a term.
    table
        Terms to begin with: for a new glossary, or to replace those of the glossary when pushed.
    keep_texts
        Whether a saved notebook keeps the first terms; otherwise it only keeps how many there are.
    """

    _kept_in = "the table of the panel"
    _no_conflicts = "there are no conflicts to settle"

    def __init__(
        self,
        glossary_id: str | None = None,
        *,
        corpus: pd.Series[Any] | None = None,
        table: pd.DataFrame | None = None,
        keep_texts: bool = False,
    ) -> None:
        super().__init__()
        self._keep_texts = keep_texts
        self._begin_with = None if table is None else in_tables(checked(table))[list(COLUMNS)]
        self._number = 0  # increases with every glossary requested
        self._loading = False
        self._said = ""  # what the line says before the current state
        self._before: str | None = None  # the glossary that was open before a new one
        self._suggesting, self._trying = Latest(), Latest()
        self._workers += [self._suggesting, self._trying]
        self._stop: Callable[[], Any] = lambda: None
        self.opened = OpenGlossary(current(), self._lock, self._tell)
        self.opened.draft.written = self._tell_host
        self._make_parts(corpus)
        self._listen()
        self._show_book()
        self.checks.look(True)
        self.open(glossary_id)

    def _make_parts(self, corpus: pd.Series[Any] | None) -> None:
        def do(action: Callable[..., Any]) -> Callable[..., None]:
            return lambda *rest: self._clicked(action, *rest)

        go_to = do(self._go_to)
        self._push: GlossaryPush = GlossaryPush(self)
        self.bar = Bar()
        self._draft_offer: DraftOffer = DraftOffer(self)
        self.offer = self._draft_offer.notice
        self.question, self.collisions, self.gone = self._push.question, self._push.collisions, self._push.gone
        self.checks = Checks(self._judged, go_to)
        self.suggestions = Suggestions(corpus, self)
        self.trial = TryOut(do(self.try_out), self)
        self.changed = ChangeList(go_to)
        self.files = Files(self)
        tabs = {"Checks": self.checks, "Suggestions": self.suggestions, "Try out": self.trial}
        self.more = More(do(self.rename), do(self.delete))
        tabs |= {"Changes": self.changed, "Files": self.files, "More": self.more}
        self.new = NewGlossary(do(self._create), do(lambda: self.open(self._before)))
        asked = (self.offer, self.question, self.collisions, self.gone, self.files.question)
        self.view = GlossaryView(self.bar, self.line, asked, tabs, new=self.new, first=self.files.first)
        self.box, self.tabs = self.view.box, self.view.tabs

    # ---- opening

    @property
    def _session(self) -> Session:
        return self.opened.session

    @property
    def _is_there(self) -> bool:
        """Whether there is something to edit; False if no glossary could be opened."""
        return self.opened.is_begun or bool(len(self.book))

    @property
    def glossary_id(self) -> str | None:
        """The id of the open glossary; None while it is new."""
        return self.opened.glossary_id

    @property
    def table(self) -> pd.DataFrame:
        """The edited terms, with their row numbers."""
        return in_tables(self.book.table)

    @locked
    def open(self, glossary_id: str | None) -> None:
        """Open a glossary by its id or name, None for a new one; edits of the previous one are kept as a draft."""
        self.opened.renew()
        session, own = self.opened.session, self.opened.draft.name
        self.opened.draft.check(self.opened.is_edited)
        self._push.drop()
        self._say("Asking the service …")
        self._loading = True
        self._refresh()
        self._number += 1
        number = self._number

        def loaded(found: Loaded) -> None:
            if number != self._number:  # another glossary was opened since
                return
            self._loading = False
            self._list(self._listed)
            self._leave()
            self.opened.begin(found.table, found.glossary_id, found.name)
            self._show_book()
            self._draft_offer.ask(found.waiting, is_lost=found.is_lost)
            begin, self._begin_with = self._begin_with, None
            if begin is not None:
                toward(self.book.table, begin).apply(self.book, "Table given")
            self._sum_up()

        again = partial(self.open, glossary_id)
        self._do(lambda: push.load_with_draft(session, glossary_id, own=own), loaded, again=again)
        self._do(lambda: push.listed(session), self._list, again=again)

    @locked
    def create(self, name: str, source_lang: str | None = None, target_lang: str | None = None) -> None:
        """Start a new glossary with this name and language pair; pushing creates it on the service."""
        if self._busy:
            raise ValueError("A push is in progress: wait() for it, then start another glossary.")
        pair = None if source_lang is None else known_pair(source_lang, target_lang)
        self._leave()
        self._number += 1
        self._loading = False
        self.opened.begin(nothing(), None, name)
        self._show_book()
        if pair is not None:
            self.choose_pair(*pair)
        self._sum_up()

    def _create(self, name: str, source_lang: str, target_lang: str) -> None:
        """Start the glossary described in the form, and go to the first cell."""
        if self._listed is not None and name.strip() in self._listed["name"].tolist():
            raise ValueError(push.TAKEN.format(name.strip()))
        self.create(name.strip(), source_lang, target_lang)
        self.editor.go_to_new()

    @locked
    def reload(self) -> None:
        """Merge changes made elsewhere; your edits stay, and the panel asks about conflicts."""
        self._push.drop()
        self._sum_up("Asking the service …")
        nothing_else = "Nothing was changed elsewhere."
        self._push.look(lambda found: self._sum_up(found.told_elsewhere or nothing_else), again=self.reload)

    @locked
    def discard(self) -> None:
        """Return to the table as loaded, in one step that can be undone; the draft is removed."""
        with self.book.step("Discard"):
            take_back_rows(self.book, [*self.book.new, *self.book.changed, *self.book.dropped])
        self.opened.follow()
        self._sum_up("Your edits are discarded. Undo brings them back.")

    @locked
    def choose_pair(self, source_lang: str | None = None, target_lang: str | None = None) -> None:
        """Show the terms of one language pair, which may be new; without languages, all terms."""
        self.view.pair = None if source_lang is None else known_pair(source_lang, target_lang)
        self._show_pair()
        self._sum_up()

    # ---- terms

    def write(self, row: int, *, source: str | None = None, target: str | None = None) -> Self:
        """Write into a row."""
        given = {"source": source, "target": target}
        self.book.write({(row, name): text for name, text in given.items() if text is not None})
        return self

    def add(self, source: str = "", target: str = "", *, after: int | None = None) -> int:
        """Add a term in the pair shown, and return its row number."""
        with self._lock:
            return self.book.add([(*self.view.new_row()[:2], source, target)], after)[0]

    def drop(self, rows: int | Iterable[int]) -> Self:
        """Remove rows."""
        self.book.drop([rows] if isinstance(rows, int) else rows)
        return self

    def undo(self) -> str:
        """Undo the last step in the table, and return its name."""
        return self.book.undo()

    def redo(self) -> str:
        """Redo the step undone last, and return its name."""
        return self.book.redo()

    # ---- checks

    @property
    def findings(self) -> pd.DataFrame:
        """All errors and warnings: row, severity, message, suggestion."""
        return self.checks.findings

    def fix(self, rows: int | Iterable[int]) -> Glossary:
        """Apply the safe fixes in some rows, as one step."""
        chosen = {rows} if isinstance(rows, int) else set(rows)
        if not chosen:
            raise ValueError("Choose findings in the list first, then press Fix.")
        self._fix(chosen)
        return self

    def fix_all(self) -> Glossary:
        """Apply all safe fixes, as one step."""
        self._fix(None)
        return self

    @locked
    def _fix(self, rows: set[int] | None) -> None:
        book = self.book

        def fixed(found: tuple[pd.DataFrame, Edits]) -> None:
            table, edits = found
            right = still_right(edits, table, book)
            right.apply(book, "Fix")
            self._sum_up(told_fixes(right))

        self._say("Looking for safe fixes …")
        self._do(lambda: (table := book.table, fixing(table, rows)), self._while_open(fixed))

    # ---- suggestions

    @locked
    def suggest(self) -> None:
        """Search the corpus for words that are not terms yet."""
        self.suggestions.look(self._suggesting)

    @locked
    def accept(self, label: int) -> None:
        """Add a suggestion, by its label, as a new term, for you to translate."""
        row = self.add(self.suggestions.take(label))
        self._sum_up(f"Row {self.book.place(row):,} was added without a translation.")

    @locked
    def dismiss(self, label: int) -> None:
        """Dismiss a suggestion."""
        self.suggestions.dismissed.add(self.suggestions.take(label))

    # ---- trying out

    @locked
    def try_out(self, text: str) -> None:
        """Translate *text* with the edited terms, and without them; both are billed."""
        self.trial.translate(text, self._trying)

    # ---- comparing

    def diff(self) -> GlossaryDiff:
        """What a push would change, if no one else has changed anything."""
        return diff(self.book.base, filled(self.book.table))

    @property
    def changes(self) -> pd.DataFrame:
        """The rows that were added, changed and removed, with their previous content."""
        return listed_changes(self.book)

    @locked
    def revert(self, rows: int | Iterable[int]) -> None:
        """Restore rows as they were loaded, as one step."""
        chosen = [rows] if isinstance(rows, int) else list(rows)
        if not take_back_rows(self.book, chosen):
            raise ValueError("Choose changes in the list first, then press Revert.")

    # ---- pushing

    @locked
    def push(self) -> None:
        """Check the current version on the service, and ask for confirmation; `confirm` sends the changes."""
        if self.checks.busy:  # in case many rows were just pasted
            self._do(self.checks.wait, lambda looked: self._push.ask_service(self.checks.errors))
        else:
            self._push.ask_service(self.checks.errors)

    @locked
    def confirm(self) -> None:
        """Confirm what the panel asked about: a push, a deletion, or forgetting a draft."""
        asked = self._push.confirmed("there is nothing to confirm: push() and delete() ask first")
        self._push.drop()
        asked()

    @locked
    def undo_push(self) -> None:
        """Undo this panel's last push or deletion on the service; the edits stay here, not pushed."""
        self._push.take_back()

    @property
    def conflicts(self) -> pd.DataFrame:
        """The terms changed differently here and on the service, which are to be settled."""
        return pd.DataFrame() if self._push.conflicts is None else self._push.conflicts.table

    @locked
    def recreate(self) -> None:
        """Treat a glossary that was deleted elsewhere as a new one with the same terms."""
        self.opened.glossary_id = None
        self.book.settle(nothing())
        self._push.undoable = None
        self._push.drop()
        self._rebased()

    @locked
    def rename(self, name: str) -> None:
        """Rename the glossary: on the service at once, or with the first push if it is new."""
        self._push.rename(name.strip())

    @locked
    def delete(self) -> None:
        """Ask whether to delete the glossary on the service; `confirm` deletes it."""
        self._push.ask_to_delete()

    # ---- drafts

    @locked
    def restore(self) -> None:
        """Restore the offered draft with all its steps; a push still merges changes made elsewhere."""
        self._draft_offer.restore()

    @locked
    def forget(self) -> None:
        """Ask whether to remove the offered draft; `confirm` removes it.

        A draft of another panel is kept and only no longer offered.
        """
        waiting = self._draft_offer.waiting
        if waiting.here:
            self._draft_offer.forget()
        else:
            self._push.ask_to_forget(waiting.name, self._draft_offer.forget)

    @property
    def _edited_part(self) -> Editor:
        return self.editor

    def _drafts(self) -> list[DraftWriter]:
        return [self.opened.draft] if self.opened.is_edited else []

    def _leave_drafts(self) -> int:
        return self.opened.draft.leave(self.opened.is_edited)

    # ---- files

    @locked
    def read(self, path: str | PathLike[str], *, header: bool = False) -> None:
        """Read a file of terms and show what it would change; `bring_in` imports it. With *header*, its first row is a
        heading, even if svc_nb does not know its words.
        """
        self.files.read(Path(path), header=header)

    @locked
    def bring_in(self, how: str = "add") -> None:
        """Import the file that was read, as one step: "add" its terms, or "replace" all terms."""
        self.files.bring_in(how)

    def export(self, path: str | PathLike[str]) -> Path:
        """Write all terms to a file: .csv, .tsv, .xlsx, .tbx or .tmx. An existing file is replaced."""
        return files.write(self.book.table, Path(path))

    @locked
    def download(self, form: str) -> None:
        """Have the browser save all terms as "csv", "tsv", "xlsx", "tbx" or "tmx"."""
        self.files.download(form)

    # ---- the panel

    def turn_to(self, tab: str) -> Self:
        """Show a tab: "Checks", "Suggestions", "Try out", "Changes", "Files" or "More"."""
        self.tabs.selected_index = self.view.titles.index(tab)
        return self

    def wait(self, timeout: float | None = PATIENCE) -> bool:
        """Wait until the service has answered, all rows are checked, and all edits are kept in the draft."""
        return super().wait(timeout) and self.checks.wait(timeout) and self.opened.draft.wait(timeout)

    def close(self) -> None:
        """Close the panel: its widgets go, its threads end, and unpushed edits are kept as a draft."""
        self._stop()
        self.checks.close(PATIENCE)
        super().close()
        self.opened.draft.close(PATIENCE)

    def _listen(self) -> None:
        bar, lists = self.bar, self.collisions
        self.box.on_msg(lambda part, message, buffers: self._clicked(self._turn, message["kind"]))
        bar.glossary.observe(lambda change: self._clicked(self._choose_glossary, change.new), "value")
        bar.name.observe(lambda change: self._clicked(self._call, change.new), "value")
        bar.pair.observe(lambda change: self._clicked(self._turn_to_pair, change.new), "value")
        self.tabs.observe(lambda change: self._clicked(self._turned), "selected_index")
        self._on_each({bar.push: self.push, bar.discard: self.discard, bar.reload: self.reload})
        self._on(bar.undo, self._press, self.undo_push)
        self._on(self.checks.fix_all, self.fix_all)
        self._on(bar.add_pair, self._add_pair)
        for (yes, no), action in ((self.question.answers, self.confirm), (self.gone.answers, self.recreate)):
            self._on_each({yes: action, no: self._push.drop})
        self._on_each({lists.go_on: self._push.go_on, lists.not_now: self._push.drop})
        for each, side in ((lists.all_mine, "mine"), (lists.all_theirs, "theirs")):
            self._on(each, self._choose, side)
        self._on(self.checks.fix, lambda: self.fix(self.checks.selected))
        self._on(self.changed.revert, lambda: self.revert(self.changed.grid.selected))

    def _choose_glossary(self, glossary_id: str) -> None:
        if glossary_id == NONE:
            return
        try:
            self.open(None if glossary_id == NEW else glossary_id)
        except StoreError:
            self._list(self._listed)  # the open glossary stays chosen
            raise

    def _turn(self, word: str) -> None:
        """Undo or redo a step in the table, and show where."""
        step = self.book.undoable if word == "undo" else self.book.redoable
        self.editor.hear({"kind": word})
        if step:
            self._sum_up(f"{'Undone' if word == 'undo' else 'Redone'}: {step}.")

    def _turn_to_pair(self, pair: Pair | None) -> None:
        if pair == ADD:
            self.bar.show_adding(True)
        else:
            self.choose_pair(*(() if pair in (ALL, None) else pair))

    def _add_pair(self) -> None:
        """Show the pair chosen to be added, and go to its first cell; raises ValueError if it is already there."""
        pair = known_pair(self.bar.source_lang.value, self.bar.target_lang.value)
        if pair in self.opened.pairs.rows:
            raise ValueError(f"{arrow(pair)} already exists: choose other languages.")
        self.choose_pair(*pair)
        self.editor.go_to_new()

    def _begin_new(self) -> None:
        self.create("")
        self.new.focus()

    def _go_to(self, row: int, column: str = "") -> None:
        """Go to a cell of the grid, which has language columns only if all pairs are shown."""
        if column in LANGUAGE_COLUMNS and self.pair is not None:
            self.choose_pair()
        self.editor.go_to(row, column)

    def _call(self, name: str) -> None:
        if self.opened.glossary_id is None:
            self.opened.call(name)
            self._sum_up()

    def _turned(self) -> None:
        self.checks.look(self.view.is_at("Checks"))
        self._show_changes()
        if self.view.is_at("Suggestions") and self.suggestions.found is None and self.suggestions.corpus is not None:
            self.suggest()

    # ---- following the book

    def _show_book(self) -> None:
        """Show the open book, and follow it: its checks and its pairs."""
        self._stop()
        opened = self.opened
        self.editor = self.view.edit(opened.book, opened.pairs, seen=self.checks.begin)
        self._stop = opened.book.listen(self._heard)
        self.checks.open(opened.book)
        self._show_pair()
        with self._quietly():
            self.bar.name.value = opened.name
        self._list(self._listed)
        if self.editor.root is not None:
            self.editor.pushed()  # show rows without being asked

    def _leave(self) -> None:
        """Keep unpushed edits as a draft, and close open questions."""
        self.opened.draft.check(self.opened.is_edited)
        self._push.drop()
        self._push.undoable, self._before = None, self.opened.glossary_id or self._before
        self.files.leave()
        self._draft_offer.ask(None)
        self._leave_drafts()

    def _heard(self, change: TableChange) -> None:
        """Follow an edit, wherever it comes from."""
        self.opened.version += 1
        if not change:
            self._sum_up()
            return
        pairs = self.opened.pairs
        others = pairs.hear(change)
        self._push.asked = None  # the question no longer matches the table
        self.question.drop()
        self.opened.note(change.to_wire())
        self.checks.hear(change)
        before = self.pair
        self.view.pair = before and pairs.begun(before, change.added)
        if before != self.pair or (self.pair and not pairs.offer(self.pair).issuperset(change.added)):
            self._show_pair()  # rows of other pairs were added, and must not appear under this pair
        elif others:
            with self._quietly():
                self.view.offer_pairs(pairs)
        self._show_changes()
        self._sum_up()

    def _judged(self, judged: Judged) -> None:
        self.editor.judge(judged)
        self._sum_up(self._said, over_error=False)

    def _rebased(self) -> None:
        """The base has changed: start the draft again from it."""
        self.opened.follow()
        self._list(self._listed)
        self._show_pair()
        self._show_changes()

    # ---- what is shown

    def _sum_up(self, said: str = "", *, over_error: bool = True) -> None:
        """Show the current state, without quoting terms; replaces an error only if *over_error*."""
        with self._lock:
            self._said = said
            opened, book = self.opened, self.book
            filled_pairs = sum(1 for count in opened.pairs.counts.values() if count)
            where = f" in {plural(filled_pairs, 'pair')}" if filled_pairs > 1 else ""
            name = opened.called[0].upper() + opened.called[1:]
            is_there = self._is_there
            is_new = opened.glossary_id is None and not opened.name and not len(book)
            is_asked = is_there and is_new and not self._loading
            terms = BEGIN if is_asked else f"{name}: {plural(len(book), 'term')}{where}." if is_there else ""
            parts = [said, terms, edits_told(book), self.checks.told]
            if over_error or self.line.kind != "error":
                self._say(" ".join(filter(None, parts)))
            if opened.draft.problem is not None:
                self._tell(opened.draft.problem)
            self._refresh()
            self.new.can_cancel = self._listed is not None and self._before in self._listed["glossary_id"].tolist()
            self.files.tell_size(len(book), filled_pairs)
            self.view.show_beginning(is_there=is_there, is_asked=is_asked, is_empty=not len(book))
            self.bar.show_name(is_there and opened.glossary_id is None and not is_asked)
            counts = {"Checks": self.checks.count, "Changes": sum(book.changes.values())}
            self.view.title_tabs(**counts)
            self._settled()

    def _refresh(self) -> None:
        """Enable the buttons that can be used, and show conflicts."""
        self.bar.allow(
            changes=sum(self.book.changes.values()),
            busy=bool(self._busy) or self._loading,
            is_new=self.opened.glossary_id is None,
            asked=self._push.asked is not None or self._push.conflicts is not None,
            undoable=self._push.undo_name,
        )
        self.more.allow(name=self.opened.name, is_there=self.opened.glossary_id is not None, busy=bool(self._busy))
        self.collisions.show(self._push.conflicts)

    def _failed(self, problem: Exception) -> None:
        self._loading = False
        self.opened.is_refused = isinstance(problem, NotAuthenticated | Forbidden)
        self.view.end_loading()
        self.trial.end()
        self.suggestions.end()
        self._list(self._listed)
        super()._failed(problem)
        if not self._is_there:
            self._sum_up(over_error=False)

    def _tell(self, problem: Exception) -> None:
        """As in all panels, except for errors that quote terms: a notebook saves the line, so it only names rows."""
        super()._tell(problem)
        if isinstance(problem, InvalidRows) and problem.rows and not self._keep_texts:
            rows = [row for row in problem.rows if isinstance(row, int)]
            where = f" ({push.numbered(rows, self.book)})" if rows else ""
            self.line.say(f"Some rows cannot be sent{where}. See Checks for the reasons. Nothing was changed.", "error")

    def _list(self, found: pd.DataFrame | None) -> None:
        self._listed = found
        with self._quietly():
            self.bar.offer(found, self.opened.glossary_id, is_there=self._is_there)

    def _show_pair(self) -> None:
        """Show the rows of the chosen pair."""
        with self._quietly():
            self.view.show_pair(self.opened.pairs)

    def _show_changes(self) -> None:
        if self.view.is_at("Changes"):
            book = self.book
            self._find(lambda: listed_changes(book), lambda table: self.changed.show(table, book))

    def _ready(self) -> None:
        """Wait for the terms only: they are shown before all of them are checked."""
        super().wait()

    def _stays(self) -> dict[str, Any]:
        """How many terms there are, with the first of them only if the user asked for that."""
        if not self._keep_texts:
            return super()._stays()
        rows = self.book.table.head(MOST_KEPT).itertuples(index=False, name=None)
        return self._kept([field.title for field in WITH_LANGUAGES], [list(map(str, cells)) for cells in rows])
