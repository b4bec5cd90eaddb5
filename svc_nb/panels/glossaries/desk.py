"""The glossary panel as a person meets it: choose a glossary, edit its terms, see what is wrong, send what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Self

import pandas as pd

from svc_nb.errors import StoreError
from svc_nb.glossaries.diff import Diff, diff
from svc_nb.glossaries.languages import LANGUAGES
from svc_nb.glossaries.state import meant
from svc_nb.glossaries.table import Pair
from svc_nb.panels.glossaries import files, keeper, post
from svc_nb.panels.glossaries.bar import ADD, NEW
from svc_nb.panels.glossaries.bench import Bench
from svc_nb.panels.glossaries.board import Actions
from svc_nb.panels.glossaries.changes import listed, revert
from svc_nb.panels.glossaries.meeting import filled
from svc_nb.panels.glossaries.pairs import arrow
from svc_nb.signatures import hides
from svc_nb.tracebacks import verbs
from svc_nb.wire import languages


@hides("bar", "board", "book", "drop", "keeper", "opened", "sending", "trial")
@verbs
class Glossary(Bench):
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

    def __init__(
        self,
        glossary_id: str | None = None,
        *,
        corpus: pd.Series[Any] | None = None,
        table: pd.DataFrame | None = None,
        keep_texts: bool = False,
    ) -> None:
        super().__init__(corpus=corpus, table=table, keep_texts=keep_texts)
        self._listen()
        self.open(glossary_id)

    # ---- the glossary

    def open(self, glossary_id: str | None) -> Self:
        """Open a glossary by its id or name, None for a new one; edits of the one before wait as a draft."""
        with self._lock:
            session = self.opened.session
            self.keeper.check(self.book)
            self.sending.leave()
            self._say("Asking the service …")
            self._busy(True)
            self._number += 1
            number = self._number
            self._do(lambda: post.listed(session), self._list)
            self._do(lambda: post.load(session, glossary_id), lambda found: self._loaded(found, number))
        return self

    def create(self, name: str) -> Self:
        """Begin a new glossary of that name; it is on the service when it was pushed."""
        with self._lock:
            if self.sending.under_way:
                raise ValueError("A push is under way: wait() for it, then begin another glossary.")
            self._leave_book()
            self._number += 1
            self._set_book(self._booked(post.nothing()), glossary_id=None, name=name)
            self._list(self._listed)
            self._busy(False)
            self._sum_up()
        return self

    def reload(self) -> Self:
        """Bring in what was changed elsewhere; what was edited here stays, and what both changed is asked about."""
        with self._lock:
            self.sending.reload()
        return self

    def discard(self) -> Self:
        """Go back to what was loaded, in one step that can be undone; the draft is removed."""
        with self._lock:
            with self.book.step("Discard"):
                revert(self.book, [*self.book.new, *self.book.changed, *self.book.dropped])
            self._follow()
            self._sum_up("Back to what was loaded.")
        return self

    # ---- languages

    def choose_pair(self, source_lang: str | None = None, target_lang: str | None = None) -> Self:
        """Show the terms of one language pair, which may be a new one; without languages those of all."""
        with self._lock:
            self._pair = None if source_lang is None else _known_pair(source_lang, target_lang)
            if self._pair is not None:
                self.pairs.offer(self._pair)
            self._show_pair()
        return self

    # ---- terms

    def write(self, row: int, *, source: str | None = None, target: str | None = None) -> Self:
        """Write into a row."""
        given = {"source": source, "target": target}
        self.book.write({(row, name): text for name, text in given.items() if text is not None})
        return self

    def add(self, source: str = "", target: str = "", *, after: int | None = None) -> int:
        """Add a term in the pair that is shown, and return the number of its row."""
        with self._lock:
            source_lang, target_lang, *_ = self._new_row()
            return self.book.add([(source_lang, target_lang, source, target)], after)[0]

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

    def fix(self, rows: int | Iterable[int]) -> Self:
        """Mend what is safe to mend in some rows, as one step."""
        chosen = [rows] if isinstance(rows, int) else list(rows)
        if not chosen:
            raise ValueError("Choose findings in the list first, then press Fix.")
        return self._mend(chosen)

    def fix_all(self) -> Self:
        """Mend all that is safe to mend, as one step."""
        return self._mend(None)

    # ---- suggestions

    def suggest(self) -> Self:
        """Look through the corpus for words that are no terms yet."""
        with self._lock:
            pair = self._pair or self.pairs.main()
            table = self.book.table
            self.suggestions.look(table["source"].tolist(), pair[0] if pair else None)
        return self

    def accept(self, label: int) -> Self:
        """Make a suggestion, by its label, a new term whose target is to be written."""
        with self._lock:
            self.suggestions.accept(label)
        return self

    def dismiss(self, label: int) -> Self:
        """Show a suggestion no more."""
        with self._lock:
            self.suggestions.dismiss(label)
        return self

    # ---- trying out

    def try_out(self, text: str) -> Self:
        """Translate *text* with the terms as they are edited, and without them; both are billed."""
        with self._lock:
            self.trial.go(self.opened.session, filled(self.book.table), text, self._one_pair())
        return self

    # ---- comparing

    def diff(self) -> Diff:
        """What a push would change, if nobody changed anything elsewhere."""
        return diff(self.book.base, filled(self.book.table))

    @property
    def changes(self) -> pd.DataFrame:
        """The rows that were added, changed and removed, with what was there before."""
        return listed(self.book)

    def revert(self, rows: int | Iterable[int]) -> Self:
        """Bring back rows as they were loaded, as one step."""
        with self._lock:
            chosen = [rows] if isinstance(rows, int) else list(rows)
            if not revert(self.book, chosen):
                raise ValueError("Choose changes in the list first, then press Take back.")
        return self

    # ---- pushing

    def push(self) -> Self:
        """See what the service has by now, and ask whether the changes are meant; `confirm` sends them."""
        with self._lock:
            if self.checks.busy:  # many rows were pasted a moment ago
                self._do(self.checks.wait, lambda looked: self._ask())
            else:
                self._ask()
        return self

    def confirm(self) -> Self:
        """Send what `push` asked about."""
        with self._lock:
            self.sending.confirm()
        return self

    def undo_push(self) -> Self:
        """Take back the last push from this panel; what others changed since is kept."""
        with self._lock:
            self.sending.undo()
        return self

    @property
    def conflicts(self) -> pd.DataFrame:
        """What was changed here and on the service, differently, and waits to be settled."""
        return self.sending.conflicts.table

    def settle(self, choice: str | Mapping[int, str]) -> Self:
        """Settle conflicts as "mine" or "theirs": all, or some by their labels; with the last one it goes on."""
        with self._lock:
            self.sending.settle(choice)
        return self

    def recreate(self) -> Self:
        """Take a glossary that was deleted elsewhere for a new one with the same terms."""
        with self._lock:
            self.sending.recreate()
        return self

    # ---- drafts

    def restore(self) -> Self:
        """Bring back the draft that is offered, every step of it; a push still finds what changed elsewhere."""
        with self._lock:
            waiting, session = self._offered(), self.opened.session
            self._do(
                lambda: (
                    found := keeper.drafts_of(session).restore(waiting),
                    *keeper.rebuilt(found, self._lock),
                ),
                lambda found: self._restored(waiting, *found),
            )
        return self

    def forget(self) -> Self:
        """Remove the draft that is offered, and what it has is lost; one of another panel is only offered no more."""
        with self._lock:
            waiting, session = self._offered(), self.opened.session
            if not waiting.here:
                keeper.drafts_of(session).forget(waiting)
            self._offer(keeper.waiting_of(session, waiting.thing_id))
        return self

    # ---- files

    def read(self, path: str | PathLike[str]) -> Self:
        """Read a file of terms and tell what it would change; `bring_in` does it."""
        place = Path(path)
        with self._lock:
            mine, pair = self.book.table, self._pair
            self._read(lambda: files.arrived(place.name, place, mine, pair))
        return self

    def bring_in(self, how: str = "add") -> Self:
        """Bring in the file that was read, as one step: "add" its terms, or "replace" all that is there."""
        with self._lock:
            found = self.board.files.arrived
            if found is None:
                raise ValueError("no file was read: drop one, choose one, or read(path)")
            if how not in files.HOWS:
                raise ValueError(f'how: expected "add" or "replace", found {how!r}')
            edits = files.HOWS[how](filled(self.book.table), found.table)  # it may have been edited meanwhile
            edits.apply(self.book, f"Import {found.name}")
            self.board.files.leave()
            self._sum_up(f"{found.name} was brought in, as one step: {files.counted(edits)}.")
        return self

    def export(self, path: str | PathLike[str]) -> Path:
        """Write all terms to a file: .csv, .tsv, .xlsx, .tbx or .tmx. A file that is there is replaced."""
        return files.write(self.book.table, Path(path))

    def download(self, form: str) -> Self:
        """Have the browser save all terms as "csv", "tsv", "xlsx", "tbx" or "tmx"."""
        with self._lock:
            table, name = self.book.table, files.file_name(self.opened.name, form)
            self._do(
                lambda: files.written(table, form),
                lambda data: self.line.download(name, data, kind=files.KINDS[form]),
            )
        return self

    # ---- clicks

    def _listen(self) -> None:
        bar = self.bar
        bar.glossary.observe(lambda change: self._clicked(self._choose_glossary, change.new), "value")
        bar.name.observe(lambda change: self._clicked(self._call, change.new), "value")
        bar.pair.observe(lambda change: self._clicked(self._choose_pair, change.new), "value")

    def _choose_glossary(self, glossary_id: str) -> None:
        try:
            self.open(None if glossary_id == NEW else glossary_id)
        except StoreError:
            self._list(self._listed)  # the one that is open stays chosen
            raise

    def _choose_pair(self, pair: Pair | None) -> None:
        if pair == ADD:
            self.bar.show_adding(True)
        else:
            self.choose_pair(*(pair or ()))

    def _call(self, name: str) -> None:
        if self.opened.glossary_id is None:
            self.opened.name = name
            if self.keeper.begun:
                self.keeper.call(name)
            else:
                self._follow()
            self._sum_up()

    def _accepted(self, text: str) -> None:
        row = self.add(text)
        self._sum_up(f"Row {row:,} was added: its target is still to be written.")

    def _received(self, name: str, data: bytes) -> None:
        mine, pair = self.book.table, self._pair
        self._read(lambda: files.arrived_bytes(name, data, mine, pair))

    def _actions(self) -> Actions:
        names = ("push", "discard", "reload", "undo_push", "restore", "forget", "fix", "fix_all", "suggest")
        named: dict[str, Callable[..., Any]] = {name: getattr(self, name) for name in names}
        named |= {name: getattr(self, name) for name in ("try_out", "revert", "bring_in", "download")}
        named |= {
            "add_pair": lambda: self.choose_pair(self.bar.source_lang.value, self.bar.target_lang.value),
            "go_to": lambda row: self.editor.go_to(row),
            "checked": self._sum_up,
            "accepted": self._accepted,
            "received": self._received,
            "refused": lambda text: self._tell(ValueError(text)),
            "leave_file": lambda: self.board.files.leave(),
        }
        return Actions(self._clicked, self._take, named)


def _known_pair(source_lang: str, target_lang: str | None) -> Pair:
    """A pair as the service names it, or a ValueError."""
    given = {"source_lang": source_lang, "target_lang": target_lang or ""}
    pair = meant(*(languages.meant(code, field=name) for name, code in given.items()))
    if unknown := [code for code in pair if code not in LANGUAGES]:
        raise ValueError(f"a glossary cannot have the language {unknown[0]!r}")
    if pair[0] == pair[1]:
        raise ValueError(f"a pair has two languages, found {arrow(pair)}")
    return pair
