"""The glossary panel at work: it shows a book, follows every edit of it, and takes what threads answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Self

import pandas as pd

from svc_nb.errors import InvalidRows, warn
from svc_nb.glossaries.languages import LANGUAGES
from svc_nb.glossaries.table import COLUMNS, Pair, checked, in_tables
from svc_nb.language_codes import as_normal
from svc_nb.panels import still, words
from svc_nb.panels.book import Book, Change
from svc_nb.panels.glossaries import mending, post
from svc_nb.panels.glossaries.board import TABS, Actions, Board
from svc_nb.panels.glossaries.changes import listed, told
from svc_nb.panels.glossaries.edits import Edits, toward
from svc_nb.panels.glossaries.files import Arrived
from svc_nb.panels.glossaries.keeper import Keeper, here_of, offered, taken_up, waiting_of
from svc_nb.panels.glossaries.pairs import Pairs
from svc_nb.panels.glossaries.post import Loaded
from svc_nb.panels.glossaries.sending import Hooks, Opened, Sending, numbered
from svc_nb.panels.grid import Field
from svc_nb.panels.latest import tried
from svc_nb.panels.panel import PATIENCE, Panel
from svc_nb.panels.rows import written_text
from svc_nb.session import current
from svc_nb.sync.drafts import Draft, Restored, Waiting
from svc_nb.tabular.report import plural

LOST = "not kept, because no draft could be written; the table of the panel still has them"
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


class Bench(Panel, ABC):
    """The panel without what a person can do: parts that show and follow the book that is `opened`."""

    def __init__(
        self, *, corpus: pd.Series[Any] | None, table: pd.DataFrame | None, keep_texts: bool
    ) -> None:
        super().__init__()
        self._keep_texts = keep_texts
        self._sending = False
        self._number = 0  # goes up with every glossary that is asked for
        self._pair: Pair | None = None
        self._waiting: Waiting | None = None
        self._fields: tuple[Field, ...] = TERMS
        self._listed = post.none_listed()
        self._begin = None if table is None else in_tables(checked(table))[list(COLUMNS)]
        self.opened = Opened(current(), self._booked(post.nothing()))
        self.sending = Sending(self.opened, self._hooks())
        self.keeper = Keeper(self._tell)
        self.board = Board(self.line, self.sending.box, self._actions(), corpus=corpus)
        self.box, self.bar, self.tabs = self.board.box, self.board.bar, self.board.tabs
        self.checks, self.suggestions, self.trial = (
            self.board.checks,
            self.board.suggestions,
            self.board.trial,
        )
        self._stop: Callable[[], Any] = lambda: None
        self.tabs.observe(lambda change: self._clicked(self._turned, change.new), "selected_index")
        self._set_book(self.opened.book, glossary_id=None, name="")
        self.checks.look(True)

    # ---- what is open

    @property
    def glossary_id(self) -> str | None:
        """The id of the glossary that is open; None as long as it is new."""
        return self.opened.glossary_id

    @property
    def name(self) -> str:
        """The name of the glossary that is open."""
        return self.opened.name

    @property
    def book(self) -> Book:
        """The terms with their undo."""
        return self.opened.book

    @property
    def table(self) -> pd.DataFrame:
        """The terms as they are edited, with the numbers of their rows."""
        return in_tables(self.book.table)

    @property
    def pair(self) -> Pair | None:
        """The language pair that is shown; None where all are."""
        return self._pair

    # ---- the panel

    def turn_to(self, tab: str) -> Self:
        """Show a tab: "Checks", "Suggestions", "Try out", "Changes" or "Files"."""
        self.tabs.selected_index = TABS.index(tab)
        return self

    def wait(self, timeout: float | None = PATIENCE) -> bool:
        """Wait until the service has answered, all rows were looked at, and all edits are kept."""
        parts = (self.checks, self.suggestions, self.trial, self.keeper)
        return super().wait(timeout) and all(part.wait(timeout) for part in parts)

    def close(self) -> None:
        """End the panel: its widgets go, and no thread stays; edits that were not sent wait as a draft."""
        self._stop()
        self._latest.close(PATIENCE)
        self._turns.close(PATIENCE)
        lost = self.keeper.leave(self.book)
        for part in (self.checks, self.suggestions, self.trial, self.keeper):
            part.close(PATIENCE)
        super().close()
        if lost:
            warn(UserWarning(f"{plural(lost, 'step was', 'steps were')} not sent and {LOST}"))

    # ---- the book

    def _booked(self, table: pd.DataFrame) -> Book:
        return Book(table, COLUMNS, lock=self._lock)

    def _set_book(
        self, book: Book, *, glossary_id: str | None, name: str, draft: Draft | None = None
    ) -> None:
        """Show a book, and follow it: its checks, its pairs, and its draft, which may be one that waited."""
        self._stop()
        opened = self.opened
        opened.book, opened.glossary_id, opened.name = book, glossary_id, name
        opened.version += 1
        self.sending.backup = None
        self.pairs = Pairs(book)
        self._fields = TERMS
        self.editor = self.board.edit(book, TERMS, self._new_row)
        self._stop = book.listen(self._heard)
        self._pair = self.pairs.main() if len(self.pairs.rows) == 1 else None
        self.checks.open(book)
        if draft is None:
            self._follow()
        else:
            self.keeper.resume(draft)
        self._show_pair()
        with self._quietly():
            self.bar.show_name(glossary_id is None)
            self.bar.name.value = name

    def _leave_book(self) -> None:
        """What was edited and not sent waits as a draft, and nothing is asked any more.

        Raises StoreError, and nothing is left, where the draft cannot be written.
        """
        self.keeper.check(self.book)
        self.sending.leave()
        self.board.files.leave()
        self._offer(None)
        self.keeper.leave(self.book)

    def _follow(self) -> None:
        """Keep what is edited from here on in a draft that begins with the base."""
        opened = self.opened
        self.keeper.follow(opened.session, opened.book, thing_id=opened.glossary_id, name=opened.name)

    def _heard(self, change: Change) -> None:
        """Follow an edit, wherever it came from."""
        self.opened.version += 1
        if not change:
            self._sum_up()
            return
        others = self.pairs.hear(change)
        self.sending.take_back()
        self.keeper.hear(change)
        self.checks.hear(change)
        if self._pair and not self.pairs.offer(self._pair).issuperset(change.added):
            self._show_pair()  # rows of other pairs came in, and are not shown as if they were of this one
        elif others:
            self._show_pairs()
        self._show_changes()
        self._sum_up()

    # ---- answers

    def _loaded(self, found: Loaded, number: int) -> None:
        if number != self._number:  # another was opened meanwhile
            return
        self._busy(False)
        self._list(self._listed)
        self._leave_book()
        self._set_book(self._booked(found.table), glossary_id=found.glossary_id, name=found.name)
        self._list(self._listed)
        session = self.opened.session
        self._offer(waiting_of(session, found.glossary_id) or here_of(session, found.glossary_id))
        begin, self._begin = self._begin, None
        if begin is not None:
            toward(self.book.table, begin).apply(self.book, "Table given")
        self._sum_up()

    def _failed(self, problem: Exception) -> None:
        self._busy(False)
        self._list(self._listed)
        super()._failed(problem)

    def _restored(self, waiting: Waiting, restored: Restored, book: Book, name: str | None) -> None:
        if self._waiting is not waiting:  # another glossary was opened meanwhile, or it was restored already
            return
        session, glossary_id = self.opened.session, self.opened.glossary_id
        self.keeper.check(self.book)
        draft = taken_up(session, waiting, restored)
        self.keeper.leave(self.book)
        self._set_book(book, glossary_id=glossary_id, name=name or waiting.name, draft=draft)
        self._offer(waiting_of(session, glossary_id))
        self._sum_up(f"Restored: {plural(waiting.steps, 'step')}.")

    def _ask(self) -> None:
        errors = self.checks.errors
        self.turn_to("Checks" if errors else "Changes")
        self.sending.ask(errors)

    def _read(self, work: Callable[[], Arrived]) -> None:
        """Read a file, in a thread."""
        self.board.files.leave()
        self.turn_to("Files")
        self._say("Reading the file …")
        self._do(lambda: (tried(work),), lambda answer: self._arrived(answer[0]))

    def _arrived(self, found: Any) -> None:
        """Ask what to do with a file, or say why it cannot be read: where that may quote it, not in the line."""
        if isinstance(found, Exception):
            self.problem = found
            self.board.files.refuse(words.told(found))
            self.line.say("The file cannot be read: Files says why.", "error")
            return
        self.board.files.ask(found)
        self._sum_up()

    def _mend(self, rows: Sequence[int] | None) -> Self:
        with self._lock:
            book = self.book
            self._say("Looking for what is safe to mend …")
            self._do(
                lambda: (table := book.table, mending.mends(table, rows)),
                lambda found: self._mended(*found) if self.book is book else None,
            )
        return self

    def _mended(self, table: pd.DataFrame, edits: Edits) -> None:
        right = mending.still_right(edits, table, self.book)
        right.apply(self.book, "Fix")
        self._sum_up(mending.told(right))

    def _tell(self, problem: Exception) -> None:
        """As of all panels, but for what quotes terms: the line stays in a saved notebook, and names rows only."""
        super()._tell(problem)
        if isinstance(problem, InvalidRows) and problem.rows and not self._keep_texts:
            rows = [row for row in problem.rows if isinstance(row, int)]
            where = f" ({numbered(rows)})" if rows else ""
            self.line.say(f"Some rows cannot be sent{where}: Checks says why. Nothing was changed.", "error")

    # ---- what is shown

    def _sum_up(self, said: str = "") -> None:
        """Say how things stand, without a word of the terms."""
        with self._lock:
            opened, pairs = self.opened, self.pairs.counts
            filled_pairs = sum(1 for count in pairs.values() if count)
            where = f" in {plural(filled_pairs, 'pair')}" if filled_pairs > 1 else ""
            name = opened.called[0].upper() + opened.called[1:]
            parts = [said, f"{name}: {plural(len(opened.book), 'term')}{where}.", told(opened.book)]
            self._say(" ".join(filter(None, [*parts, self.checks.told])))
            if self.keeper.problem is not None:
                self._tell(self.keeper.problem)
            self._allow()
            self._title_tabs()
            self._settled()

    def _title_tabs(self) -> None:
        """How much there is behind the tabs."""
        counts = {"Checks": sum(self.checks.rows.values()), "Changes": sum(self.book.changes.values())}
        titles = tuple(f"{name} ({counts[name]:,})" if counts.get(name) else name for name in TABS)
        if self.tabs.titles != titles:
            self.tabs.titles = titles

    def _allow(self) -> None:
        """Let the buttons be pressed that have something to do."""
        edited = any(self.book.changes.values())
        self.bar.push.disabled = self._sending or not edited
        self.bar.discard.disabled = not edited
        self.bar.reload.disabled = self._sending or self.opened.glossary_id is None
        self.bar.undo.disabled = self._sending
        self.bar.undo.layout.display = "" if self.sending.backup else "none"

    def _busy(self, busy: bool) -> None:
        self._sending = busy
        self._allow()

    def _list(self, found: pd.DataFrame) -> None:
        self._listed = found
        with self._quietly():
            self.bar.offer(found, self.opened.glossary_id)

    def _rebased(self) -> None:
        """The base is another now: the draft begins anew with it."""
        self._follow()
        with self._quietly():
            self.bar.show_name(self.opened.glossary_id is None)
        self._list(self._listed)
        self._show_pair()
        self._show_changes()

    def _show_pairs(self) -> None:
        with self._quietly():
            self.bar.offer_pairs(self.pairs.options(), self._pair)

    def _show_pair(self) -> None:
        """Show the rows of the pair that is chosen."""
        self._show_pairs()
        self.bar.show_adding(False)
        fields = WITH_LANGUAGES if self._pair is None else TERMS
        if fields is not self._fields:  # else the place in the grid would be lost
            self.editor.show_fields(fields)
            self._fields = fields
        self.editor.keep(None if self._pair is None else self.pairs.offer(self._pair))

    def _show_changes(self) -> None:
        if self.tabs.selected_index == TABS.index("Changes"):
            book = self.book
            self._find(lambda: listed(book), lambda table: self.board.changes.show(table, book))

    def _offer(self, waiting: Waiting | None) -> None:
        """Offer to restore a draft; None offers nothing."""
        self._waiting = waiting
        if waiting is None:
            self.board.draft.drop()
            return
        self.board.draft.ask(offered(waiting))

    def _offered(self) -> Waiting:
        if self._waiting is None:
            raise ValueError("there is no draft to restore or to forget")
        return self._waiting

    def _new_row(self) -> tuple[str, str, str, str]:
        """The cells of a new row: of the pair that is shown, or of the one with most terms."""
        pair = self._pair or self.pairs.main() or (self.bar.source_lang.value, self.bar.target_lang.value)
        return (*pair, "", "")

    def _one_pair(self) -> Pair:
        """The pair to translate in: the one that is shown, or the only one."""
        pairs = [pair for pair, count in self.pairs.counts.items() if count]
        if self._pair is None and len(pairs) != 1:
            raise ValueError("Choose a language pair first: a sentence is tried out in one.")
        return self._pair or pairs[0]

    def _hooks(self) -> Hooks:
        return Hooks(
            do=self._do,
            say=self._sum_up,
            tell=self._tell,
            clicked=self._clicked,
            rebased=self._rebased,
            listed=self._list,
            busy=self._busy,
        )

    def _turned(self, tab: int | None) -> None:
        self.checks.look(tab == TABS.index("Checks"))
        self._show_changes()
        if tab == TABS.index("Suggestions"):
            self.suggestions.open()

    @abstractmethod
    def _actions(self) -> Actions:
        """What the buttons of the board do."""

    # ---- how notebooks show it

    def _stays(self) -> dict[str, Any]:
        """How many terms there are; the first of them only where that was asked for."""
        if not self._keep_texts:
            return super()._stays()
        rows = self.book.table.head(still.MOST_ROWS)
        page = still.page(
            name=self.line.still,
            said=self.line.text,
            heading=[field.title for field in WITH_LANGUAGES],
            rows=[list(map(str, cells)) for cells in rows.itertuples(index=False, name=None)],
        )
        return {"text/plain": repr(self), "text/html": page}
