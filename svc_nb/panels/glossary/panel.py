"""The glossary panel as a person meets it: choose a glossary, edit its terms, see what is wrong, send what changed."""

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

    Whatever a click does, a method does too; what needs the service, or looks at many rows, is done in threads, and
    `wait` waits for it. Nothing is sent before `push` was confirmed. Every edit is kept in a draft on this computer
    until it is sent or discarded, and offered again where the kernel ended before. `close` ends the panel.

    Parameters
    ----------
    glossary_id
        The glossary, by its id or name; None begins with a new one.
    corpus
        A column of texts in which to look for words that may deserve a term.
    table
        Terms to begin with: of a new glossary, or instead of those that the glossary has, to be pushed.
    keep_texts
        Whether the first terms stay in a saved notebook; else it holds no more than how many there are.
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
        self._number = 0  # goes up with every glossary that is asked for
        self._loading = False
        self._said = ""  # what the line says before how things stand
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

    # ---- what is open

    @property
    def _session(self) -> Session:
        return self.opened.session

    @property
    def _is_there(self) -> bool:
        """Whether there is something to edit; where no glossary could be opened, there is not."""
        return self.opened.is_begun or bool(len(self.book))

    @property
    def glossary_id(self) -> str | None:
        """The id of the glossary that is open; None as long as it is new."""
        return self.opened.glossary_id

    @property
    def table(self) -> pd.DataFrame:
        """The terms as they are edited, with the numbers of their rows."""
        return in_tables(self.book.table)

    @locked
    def open(self, glossary_id: str | None) -> None:
        """Open a glossary by its id or name, None for a new one; edits of the one before wait as a draft."""
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
            if number != self._number:  # another was opened meanwhile
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
        """Begin a new glossary of that name, of a language pair; it is on the service when it was pushed."""
        if self._busy:
            raise ValueError("A push is under way: wait() for it, then begin another glossary.")
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
        """Begin what the form asks for, and go on to the first cell."""
        if self._listed is not None and name.strip() in self._listed["name"].tolist():
            raise ValueError(push.TAKEN.format(name.strip()))
        self.create(name.strip(), source_lang, target_lang)
        self.editor.go_to_new()

    @locked
    def reload(self) -> None:
        """Bring in what was changed elsewhere; what was edited here stays, and what both changed is asked about."""
        self._push.drop()
        self._sum_up("Asking the service …")
        nothing_else = "Nothing was changed elsewhere."
        self._push.look(lambda found: self._sum_up(found.told_elsewhere or nothing_else), again=self.reload)

    @locked
    def discard(self) -> None:
        """Go back to what was loaded, in one step that can be undone; the draft is removed."""
        with self.book.step("Discard"):
            take_back_rows(self.book, [*self.book.new, *self.book.changed, *self.book.dropped])
        self.opened.follow()
        self._sum_up("Back to what was loaded.")

    @locked
    def choose_pair(self, source_lang: str | None = None, target_lang: str | None = None) -> None:
        """Show the terms of one language pair, which may be a new one; without languages those of all."""
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
        """Add a term in the pair that is shown, and return the number of its row."""
        with self._lock:
            return self.book.add([(*self.view.new_row()[:2], source, target)], after)[0]

    def drop(self, rows: int | Iterable[int]) -> Self:
        """Take rows out."""
        self.book.drop([rows] if isinstance(rows, int) else rows)
        return self

    def undo(self) -> str:
        """Take back the last step in the table, and return its name."""
        return self.book.undo()

    def redo(self) -> str:
        """Do again what was undone last, and return its name."""
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
        """Look through the corpus for words that are no terms yet."""
        self.suggestions.look(self._suggesting)

    @locked
    def accept(self, label: int) -> None:
        """Make a suggestion, by its label, a new term whose translation is to be written."""
        row = self.add(self.suggestions.take(label))
        self._sum_up(f"Row {self.book.place(row):,} was added without a translation.")

    @locked
    def dismiss(self, label: int) -> None:
        """Show a suggestion no more."""
        self.suggestions.dismissed.add(self.suggestions.take(label))

    # ---- trying out

    @locked
    def try_out(self, text: str) -> None:
        """Translate *text* with the terms as they are edited, and without them; both are billed."""
        self.trial.translate(text, self._trying)

    # ---- comparing

    def diff(self) -> GlossaryDiff:
        """What a push would change, if nobody changed anything elsewhere."""
        return diff(self.book.base, filled(self.book.table))

    @property
    def changes(self) -> pd.DataFrame:
        """The rows that were added, changed and removed, with what was there before."""
        return listed_changes(self.book)

    @locked
    def revert(self, rows: int | Iterable[int]) -> None:
        """Bring back rows as they were loaded, as one step."""
        chosen = [rows] if isinstance(rows, int) else list(rows)
        if not take_back_rows(self.book, chosen):
            raise ValueError("Choose changes in the list first, then press Take back.")

    # ---- pushing

    @locked
    def push(self) -> None:
        """See what the service has by now, and ask whether the changes are meant; `confirm` sends them."""
        if self.checks.busy:  # many rows were pasted a moment ago
            self._do(self.checks.wait, lambda looked: self._push.ask_service(self.checks.errors))
        else:
            self._push.ask_service(self.checks.errors)

    @locked
    def confirm(self) -> None:
        """Do what the panel asked about: push, delete, or forget a draft."""
        asked = self._push.confirmed("there is nothing to confirm: push() and delete() ask first")
        self._push.drop()
        asked()

    @locked
    def undo_push(self) -> None:
        """Take back the last push, or deletion, from this panel on the service; the edits stay here, not pushed."""
        self._push.take_back()

    @property
    def conflicts(self) -> pd.DataFrame:
        """What was changed here and on the service, differently, and waits to be settled."""
        return pd.DataFrame() if self._push.conflicts is None else self._push.conflicts.table

    @locked
    def recreate(self) -> None:
        """Take a glossary that was deleted elsewhere for a new one with the same terms."""
        self.opened.glossary_id = None
        self.book.settle(nothing())
        self._push.undoable = None
        self._push.drop()
        self._rebased()

    @locked
    def rename(self, name: str) -> None:
        """Give the glossary another name: on the service at once, or with the first push if it is new."""
        self._push.rename(name.strip())

    @locked
    def delete(self) -> None:
        """Ask whether the glossary is to be deleted on the service; `confirm` deletes it."""
        self._push.ask_to_delete()

    # ---- drafts

    @locked
    def restore(self) -> None:
        """Bring back the draft that is offered, every step of it; a push still finds what changed elsewhere."""
        self._draft_offer.restore()

    @locked
    def forget(self) -> None:
        """Ask whether to remove the draft that is offered; `confirm` removes it.

        One of another panel stays there, and is only offered no more.
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
        """Read a file of terms and tell what it would change; `bring_in` does it.

        With *header*, its first row names the columns, though in words that are not known.
        """
        self.files.read(Path(path), header=header)

    @locked
    def bring_in(self, how: str = "add") -> None:
        """Bring in the file that was read, as one step: "add" its terms, or "replace" all that is there."""
        self.files.bring_in(how)

    def export(self, path: str | PathLike[str]) -> Path:
        """Write all terms to a file: .csv, .tsv, .xlsx, .tbx or .tmx. A file that is there is replaced."""
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
        """Wait until the service has answered, all rows were looked at, and all edits are kept."""
        return super().wait(timeout) and self.checks.wait(timeout) and self.opened.draft.wait(timeout)

    def close(self) -> None:
        """End the panel: its widgets go, and no thread stays; edits that were not sent wait as a draft."""
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
            self._list(self._listed)  # the one that is open stays chosen
            raise

    def _turn(self, word: str) -> None:
        """Undo or redo a step in the table, and show where that was."""
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
        """Show the pair that was chosen to be added, and go on to its first cell; one that is there is refused."""
        pair = known_pair(self.bar.source_lang.value, self.bar.target_lang.value)
        if pair in self.opened.pairs.rows:
            raise ValueError(f"{arrow(pair)} is already there: choose other languages.")
        self.choose_pair(*pair)
        self.editor.go_to_new()

    def _begin_new(self) -> None:
        self.create("")
        self.new.focus()

    def _go_to(self, row: int, column: str = "") -> None:
        """Go to a cell of the grid, which has languages only where all pairs are shown."""
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
        """Show the book that is open now, and follow it: its checks and its pairs."""
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
            self.editor.pushed()  # rows show without being asked for

    def _leave(self) -> None:
        """What was edited and not sent waits as a draft, and nothing is asked any more."""
        self.opened.draft.check(self.opened.is_edited)
        self._push.drop()
        self._push.undoable, self._before = None, self.opened.glossary_id or self._before
        self.files.leave()
        self._draft_offer.ask(None)
        self._leave_drafts()

    def _heard(self, change: TableChange) -> None:
        """Follow an edit, wherever it came from."""
        self.opened.version += 1
        if not change:
            self._sum_up()
            return
        pairs = self.opened.pairs
        others = pairs.hear(change)
        self._push.asked = None  # what was asked about is not what is there
        self.question.drop()
        self.opened.note(change.to_wire())
        self.checks.hear(change)
        before = self.pair
        self.view.pair = before and pairs.begun(before, change.added)
        if before != self.pair or (self.pair and not pairs.offer(self.pair).issuperset(change.added)):
            self._show_pair()  # rows of other pairs came in, and are not shown as if they were of this one
        elif others:
            with self._quietly():
                self.view.offer_pairs(pairs)
        self._show_changes()
        self._sum_up()

    def _judged(self, judged: Judged) -> None:
        self.editor.judge(judged)
        self._sum_up(self._said, over_error=False)

    def _rebased(self) -> None:
        """The base is another now: the draft begins anew with it."""
        self.opened.follow()
        self._list(self._listed)
        self._show_pair()
        self._show_changes()

    # ---- what is shown

    def _sum_up(self, said: str = "", *, over_error: bool = True) -> None:
        """Say how things stand, without a word of the terms; in place of an error only if *over_error*."""
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
        """Let the buttons be pressed that have something to do, and show what collides."""
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
        """As of all panels, but for what quotes terms: the line stays in a saved notebook, and names rows only."""
        super()._tell(problem)
        if isinstance(problem, InvalidRows) and problem.rows and not self._keep_texts:
            rows = [row for row in problem.rows if isinstance(row, int)]
            where = f" ({push.numbered(rows, self.book)})" if rows else ""
            self.line.say(f"Some rows cannot be sent{where}: Checks says why. Nothing was changed.", "error")

    def _list(self, found: pd.DataFrame | None) -> None:
        self._listed = found
        with self._quietly():
            self.bar.offer(found, self.opened.glossary_id, is_there=self._is_there)

    def _show_pair(self) -> None:
        """Show the rows of the pair that is chosen."""
        with self._quietly():
            self.view.show_pair(self.opened.pairs)

    def _show_changes(self) -> None:
        if self.view.is_at("Changes"):
            book = self.book
            self._find(lambda: listed_changes(book), lambda table: self.changed.show(table, book))

    def _ready(self) -> None:
        """Wait for the terms only: they are shown before all of them were checked."""
        super().wait()

    def _stays(self) -> dict[str, Any]:
        """How many terms there are; the first of them only where that was asked for."""
        if not self._keep_texts:
            return super()._stays()
        rows = self.book.table.head(MOST_KEPT).itertuples(index=False, name=None)
        return self._kept([field.title for field in WITH_LANGUAGES], [list(map(str, cells)) for cells in rows])
