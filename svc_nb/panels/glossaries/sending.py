"""The way of what was edited to the service: it meets what is there by now, is told in words, confirmed, and sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ipywidgets as widgets
import pandas as pd

from svc_nb.errors import InvalidRows, NotFound
from svc_nb.glossaries.diff import counted
from svc_nb.panels.book import Book
from svc_nb.panels.glossaries import post
from svc_nb.panels.glossaries.conflicts import Conflicts
from svc_nb.panels.glossaries.edits import Key
from svc_nb.panels.glossaries.meeting import Meeting, aligned, filled, meet
from svc_nb.panels.glossaries.notice import Notice
from svc_nb.panels.glossaries.post import Sent
from svc_nb.panels.latest import tried
from svc_nb.panels.panel import button
from svc_nb.session import Session
from svc_nb.tabular.report import plural

THEIRS = "Changes from the service"
TAKEN_BACK = "The push was taken back, in the table as well; Undo in the table brings the edits back."
Then = Callable[[Meeting], None]


@dataclass
class Opened:
    """The glossary that is open: its book, its id, which is None as long as it is new, and its name."""

    session: Session
    book: Book
    glossary_id: str | None = None
    name: str = ""
    version: int = 0  # goes up with every change of the book

    @property
    def called(self) -> str:
        """The glossary, as a sentence names it."""
        return f"“{self.name}”" if self.name else "the new glossary"


@dataclass(frozen=True)
class Hooks:
    """What the panel does for it: work in a thread, say how things stand, and follow a base that has changed."""

    do: Callable[[Callable[[], Any], Callable[[Any], None]], None]
    say: Callable[[str], None]
    tell: Callable[[Exception], None]
    clicked: Callable[..., None]
    rebased: Callable[[], None]
    listed: Callable[[pd.DataFrame], None]
    busy: Callable[[bool], None]


class Sending:
    """Pushes what is `opened`; `question`, `conflicts` and `gone` are what a person may be asked on the way.

    Nothing is sent before `confirm`, and an edit after the question takes the question back. An answer that comes when
    another glossary is open is left.
    """

    def __init__(self, opened: Opened, hooks: Hooks) -> None:
        self.opened = opened
        self.backup: str | None = None
        self.meeting: Meeting | None = None
        self.under_way = False  # something is being sent, or taken back
        self._hooks = hooks
        self._theirs: pd.DataFrame | None = None
        self._then: Then = lambda meeting: None
        clicked = hooks.clicked
        self.yes = button("Yes, push", lambda: clicked(self.confirm), style="primary")
        self.question = Notice(self.yes, button("Not now", lambda: clicked(self.leave)))
        self.conflicts = Conflicts(
            settled=lambda: clicked(self.settle), left=lambda: clicked(self.leave), clicked=clicked
        )
        self.gone = Notice(
            button("Create it anew", lambda: clicked(self.recreate), style="primary"),
            button("Not now", lambda: clicked(self.leave)),
        )
        self.box = widgets.VBox([self.question.box, self.conflicts.box, self.gone.box])

    # ---- what a person can do

    def ask(self, errors: list[int]) -> None:
        """See what the service has by now, and ask whether the changes are meant; *errors* are rows that it refuses."""
        self.leave()
        self._check(errors)
        self._hooks.say("Asking the service what it has by now …")
        self.look(self._ask)

    def reload(self) -> None:
        """Bring in what was changed elsewhere; what was edited here stays."""
        self.leave()
        self._hooks.say("Asking the service …")
        self.look(lambda meeting: self._hooks.say(meeting.told_elsewhere or "Nothing was changed elsewhere."))

    def confirm(self) -> None:
        """Send what was asked about."""
        opened, meeting = self.opened, self.meeting
        if meeting is None:
            raise ValueError("there is nothing to confirm: push() asks first")
        self.leave()
        table, glossary_id, name = opened.book.table, opened.glossary_id, opened.name
        self._begin("Sending …")
        self._try(
            lambda: post.send(
                opened.session, filled(table), glossary_id=glossary_id, name=name, base=meeting.theirs
            ),
            lambda answer: self._sent(answer, table),
        )

    def settle(self, choice: str | Mapping[int, str] | None = None) -> None:
        """Settle conflicts: "mine" or "theirs" for all, or by their numbers; when all are settled, go on."""
        if self._theirs is None or not len(self.conflicts.table):
            raise ValueError("there are no conflicts to settle")
        if choice is not None:
            self.conflicts.choose(choice)
        if self.conflicts.is_settled:
            self._meet(self._theirs, self._then, choices=self.conflicts.chosen)

    def recreate(self) -> None:
        """Take the glossary that was deleted elsewhere for a new one, with all terms that are here."""
        opened = self.opened
        opened.glossary_id = None
        opened.book.settle(post.nothing())
        self.backup = None
        self.leave()
        self._hooks.rebased()

    def undo(self) -> None:
        """Take back the last push from here; what was edited since stays."""
        backup, opened = self.backup, self.opened
        if backup is None:
            raise ValueError("nothing was pushed from this panel that could be taken back")
        self.leave()
        self._begin("Taking back the push …")
        self._try(lambda: post.take_back(opened.session, backup), self._undone)

    def take_back(self) -> None:
        """Ask no more whether to push: what was asked about is not what is there."""
        self.meeting = None
        self.question.drop()

    def leave(self) -> None:
        """Ask nothing any more; nothing was sent."""
        self.take_back()
        self.conflicts.drop()
        self.gone.drop()

    # ---- meeting the service

    def look(self, then: Then) -> None:
        """Read what the service has, bring it in, then go on with *then*, unless there are conflicts first."""
        session, glossary_id = self.opened.session, self.opened.glossary_id
        self._try(
            lambda: post.present(session, glossary_id),
            lambda answer: self._seen(answer, then),
        )

    def _seen(self, answer: Any, then: Then) -> None:
        if isinstance(answer, NotFound):
            terms = plural(len(self.opened.book), "term is", "terms are")
            self.gone.ask(
                f"The glossary {self.opened.called} was deleted on the service meanwhile. Your {terms} still here."
            )
            self._hooks.say(f"{self.opened.called} is not on the service any more.")
        elif isinstance(answer, Exception):
            self._hooks.tell(answer)
        else:
            self._meet(answer, then)

    def _meet(self, theirs: pd.DataFrame, then: Then, *, choices: dict[Key, str] | None = None) -> None:
        book, version = self.opened.book, self.opened.version
        base, mine = book.base, book.table
        self._hooks.do(
            lambda: meet(base, mine, theirs, choices=choices),
            self._while_open(
                lambda meeting: self._met(
                    meeting, then, again=version != self.opened.version, choices=choices
                )
            ),
        )

    def _met(self, meeting: Meeting, then: Then, *, again: bool, choices: dict[Key, str] | None) -> None:
        if again:  # it was edited meanwhile
            self._meet(meeting.theirs, then, choices=choices)
            return
        if len(meeting.conflicts):
            self._theirs, self._then = meeting.theirs, then
            self.conflicts.show(meeting.conflicts)
            self._hooks.say("")
            return
        self.conflicts.drop()
        self._take(meeting)
        then(meeting)

    def _take(self, meeting: Meeting) -> None:
        """Bring in what others changed; what they have is the base from here on."""
        book = self.opened.book
        if not any(meeting.elsewhere) and not meeting.edits:
            return
        before = book.base
        meeting.edits.apply(book, THEIRS)
        book.settle(aligned(before, book.table, meeting.theirs))
        self._hooks.rebased()

    # ---- asking and sending

    def _check(self, errors: list[int]) -> None:
        """Refuse what cannot be pushed, before anybody is asked."""
        book = self.opened.book
        wrong = [row for row in errors if row in book and _says(book[row])]
        if not any(_says(book[row]) for row in book.rows):
            raise ValueError(
                "There are no terms, and a glossary has at least one: nothing to push. "
                "svc_nb.glossaries.delete(glossary_id) removes a glossary."
            )
        if wrong:
            rows = plural(len(wrong), "row has an error", "rows have errors")
            raise ValueError(
                f"{rows} that the service refuses ({numbered(wrong)}): Checks lists them. Nothing was sent."
            )
        if self.opened.glossary_id is None and not self.opened.name.strip():
            raise ValueError("The new glossary has no name yet: write one above, then push.")

    def _ask(self, meeting: Meeting) -> None:
        if not meeting.counts:
            self._hooks.say(f"Nothing to push: the service has all of it. {meeting.told_elsewhere}".strip())
            return
        self.meeting = meeting
        new = self.opened.glossary_id is None
        what = f"Create the glossary {self.opened.called}?" if new else f"Push to {self.opened.called}?"
        self.question.ask("\n".join(filter(None, [what, meeting.told_elsewhere, meeting.told])))
        self._hooks.say("")

    def _begin(self, said: str) -> None:
        self.under_way = True
        self._hooks.busy(True)
        self._hooks.say(said)

    def _end(self) -> None:
        self.under_way = False
        self._hooks.busy(False)

    def _sent(self, answer: Any, table: pd.DataFrame) -> None:
        self._end()
        if isinstance(answer, NotFound):
            self._seen(answer, self._ask)
        elif isinstance(answer, InvalidRows) and "theirs" in getattr(answer.findings, "columns", ()):
            self.look(self._ask)  # somebody was faster by a moment
        elif isinstance(answer, Exception):
            self._hooks.tell(answer)
        else:
            self.opened.book.settle(filled(table))
            self._done(answer, f"Pushed to {self.opened.called}: {counted(*answer.counts)}.")
            self.backup = answer.backup

    def _undone(self, answer: Any) -> None:
        self._end()
        if isinstance(answer, Exception):
            self._hooks.tell(answer)
            return
        self.backup = None
        if answer.glossary_id is None:
            self.recreate()
            self._hooks.listed(answer.listed)
            self._hooks.say(
                "The push was taken back: the glossary is gone again. Its terms are here, not sent."
            )
            return
        self.opened.glossary_id = answer.glossary_id
        self._hooks.listed(answer.listed)
        self._meet(answer.table, lambda meeting: self._hooks.say(TAKEN_BACK))

    def _done(self, sent: Sent, said: str) -> None:
        """The glossary is as the service has it now; what was edited meanwhile stays, and so do others' changes."""
        self.opened.glossary_id = sent.glossary_id
        self._hooks.listed(sent.listed)
        self._hooks.rebased()
        self._meet(sent.table, lambda meeting: self._hooks.say(f"{said} {meeting.told_elsewhere}".strip()))

    def _try(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do *work* in a thread, and hand over what goes wrong as an answer, too."""
        self._hooks.do(lambda: (tried(work),), self._while_open(lambda answer: then(answer[0])))

    def _while_open(self, then: Callable[[Any], None]) -> Callable[[Any], None]:
        """*then*, unless another book is open by the time it is called."""
        book = self.opened.book
        return lambda answer: then(answer) if self.opened.book is book else None


def _says(cells: Sequence[str]) -> bool:
    """Whether a row has a source or a target."""
    return bool(cells[2].strip() or cells[3].strip())


MOST_NUMBERED = 5


def numbered(rows: list[int]) -> str:
    """Rows by their numbers, the first of them.

    >>> numbered([4]), numbered([1, 2, 3, 4, 5, 6, 7])
    ('row 4', 'rows 1, 2, 3, 4, 5 and 2 more')
    """
    first = ", ".join(f"{row:,}" for row in rows[:MOST_NUMBERED])
    more = f" and {len(rows) - MOST_NUMBERED:,} more" if len(rows) > MOST_NUMBERED else ""
    return f"row{'s' if len(rows) > 1 else ''} {first}{more}"
