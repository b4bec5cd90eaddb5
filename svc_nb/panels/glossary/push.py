"""The push of a glossary: the one there is read and merged to ask, again to send, and once more after a conflict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd

from svc_nb.errors import InvalidRows, NotFound
from svc_nb.glossaries import sync
from svc_nb.glossaries.diff import counted, diff
from svc_nb.glossaries.sync import explained, read
from svc_nb.panels.glossary.edits import Key, Meeting, filled, keys_of, meet, nothing
from svc_nb.panels.glossary.tabs import ConflictList
from svc_nb.panels.glossary.terms_panel import TermsPanel
from svc_nb.panels.parts.edit_panel import Conflicts, Meanwhile, PendingPush
from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.panels.parts.widgets import Notice, button
from svc_nb.session import Session
from svc_nb.sync.by_language import CHANGES
from svc_nb.sync.changes import Push
from svc_nb.sync.undo import undo
from svc_nb.tabular.report import plural

MOST_NUMBERED = 5
TAKEN_BACK = "The push was taken back, in the table as well; Undo in the table brings the edits back."
GONE_AGAIN = "The push was taken back: the glossary is gone again. Its terms are here, not sent."


@dataclass(frozen=True)
class Loaded:
    """A glossary as the service has it; one without an id is new."""

    glossary_id: str | None
    name: str
    table: pd.DataFrame


@dataclass(frozen=True)
class Sent:
    """What a push or its undo came to: what the glossary has now, what was done, and the name of its backup."""

    glossary_id: str | None
    table: pd.DataFrame
    counts: tuple[int, ...]
    listed: pd.DataFrame
    backup: str | None = None
    as_sent: bool = False


def listed(session: Session) -> pd.DataFrame:
    """All glossaries on the service."""
    return pd.DataFrame(sync.listed(session.client))


def load(session: Session, glossary_id: str | None) -> Loaded:
    """A glossary, by its id or name; None is a new one."""
    if glossary_id is None:
        return Loaded(None, "", nothing())
    with explained():
        found_id, state = read(session.client, glossary_id)
    return Loaded(found_id, state.name, state.table)


def present(session: Session, glossary_id: str | None) -> pd.DataFrame | None:
    """The terms that the service has now: none of a new glossary, and None where it was deleted."""
    try:
        return load(session, glossary_id).table
    except NotFound:
        return None


def refuse(book: EditTable, errors: Sequence[int], *, is_unnamed: bool) -> None:
    """Raise a ValueError where the service would refuse *book*, which has *errors* in these rows."""
    some = {row for row in book.rows if any(text.strip() for text in book[row][2:])}
    if not some:
        raise ValueError(
            "There are no terms, and a glossary has at least one: nothing to push. "
            "svc_nb.glossaries.delete(glossary_id) removes a glossary."
        )
    if wrong := [row for row in errors if row in some]:
        rows = plural(len(wrong), "row has an error", "rows have errors")
        raise ValueError(f"{rows} that the service refuses ({numbered(wrong)}): Checks lists them. Nothing was sent.")
    if is_unnamed:
        raise ValueError("The new glossary has no name yet: write one above, then push.")


def send(
    session: Session, table: pd.DataFrame, *, glossary_id: str | None, name: str, base: pd.DataFrame
) -> Sent | Meanwhile:
    """Push *table*; what others changed since *base* is kept. The push reads the glossary and merges."""
    backups = sync.GLOSSARIES.backups_of(session)
    try:
        if glossary_id is None:
            if any(each.name == name for each in session.client.glossaries.list()):
                raise ValueError(f"There is a glossary called “{name}” already: choose another name, or open that one.")
            done = sync.push(session.client, table, name=name, base=base, backups=backups)
        else:
            done = sync.push(session.client, table, glossary_id=glossary_id, prune=True, base=base, backups=backups)
    except NotFound:
        return Meanwhile(None)
    except InvalidRows as problem:
        if "theirs" not in getattr(problem.findings, "columns", ()):
            raise
        return Meanwhile(present(session, glossary_id))  # somebody was faster by a moment
    # Where others had pushed the same by then, nothing was sent, and there is no backup.
    backup = None if done.backup is None else done.backup.stem
    return _sent(session, done, backup=backup, as_sent=not len(diff(table, done.after.table)))


def take_back(session: Session, backup: str) -> Sent:
    """Undo the push that was kept as *backup*, unless its glossary was changed again from here since."""
    backups = sync.GLOSSARIES.backups_of(session)
    if len(backups.since(backups.get(backup))) > 1:
        raise ValueError(
            "The glossary was changed again from this computer since that push: svc_nb.glossaries.history() lists "
            "the changes, and svc_nb.glossaries.undo() takes back the last one."
        )
    return _sent(session, undo(sync.GLOSSARIES, session.client, backup=backup, backups=backups))


def _sent(session: Session, done: Push, *, backup: str | None = None, as_sent: bool = False) -> Sent:
    counts = tuple(int(done[name].sum()) for name in CHANGES)
    if done.after is None:
        return Sent(None, nothing(), counts, listed(session))
    return Sent(done.glossary_id, done.after.table, counts, listed(session), backup, as_sent)


def numbered(rows: Sequence[int]) -> str:
    """Rows by their numbers, the first of them.

    >>> numbered([4]), numbered([1, 2, 3, 4, 5, 6, 7])
    ('row 4', 'rows 1, 2, 3, 4, 5 and 2 more')
    """
    first = ", ".join(f"{row:,}" for row in rows[:MOST_NUMBERED])
    more = f" and {len(rows) - MOST_NUMBERED:,} more" if len(rows) > MOST_NUMBERED else ""
    return f"row{'s' if len(rows) > 1 else ''} {first}{more}"


class GlossaryPush(PendingPush):
    """Brings what is edited and what the service has together, asks about it, sends it, and takes it back.

    *panel* does the work in threads and shows what came of it.
    """

    def __init__(self, panel: TermsPanel, collisions: ConflictList) -> None:
        super().__init__()
        self._panel, self.collisions = panel, collisions
        self.question = Notice(button("Yes, push", style="primary"), button("Not now"))
        self.gone = Notice(button("Create it anew", style="primary"), button("Not now"))

    def drop(self) -> None:
        """Ask nothing any more; nothing was sent."""
        super().drop()
        for notice in (self.question, self.collisions, self.gone):
            notice.drop()

    def ask_service(self, errors: Sequence[int]) -> None:
        """See what the service has by now, and ask whether the changes are meant; *errors* are in these rows."""
        opened = self._panel.opened
        self._panel.turn_to("Checks" if errors else "Changes")
        self.drop()
        refuse(opened.book, errors, is_unnamed=opened.glossary_id is None and not opened.name.strip())
        self._panel._sum_up("Asking the service what it has by now …")
        self.look(self._ask)

    def look(self, then: Callable[[Meeting], None]) -> None:
        """Read what the service has, bring it in, then go on with *then*, unless there are conflicts first."""
        session, glossary_id = self._panel.opened.session, self._panel.opened.glossary_id
        seen = self._panel._while_open(lambda theirs: self._seen(theirs, then))
        self._panel._do(lambda: present(session, glossary_id), seen)

    def take_back(self) -> None:
        """Take back the last push from here; what others changed since is kept."""
        panel, backup, session = self._panel, self.undoable, self._panel.opened.session
        if backup is None:
            raise ValueError("nothing was pushed from this panel that could be taken back")

        def undone(done: Sent) -> None:
            self.undoable = None
            if done.glossary_id is None:
                panel.recreate()
                panel._list(done.listed)
                panel._sum_up(GONE_AGAIN)
                return
            panel.opened.glossary_id = done.glossary_id
            panel._list(done.listed)
            self._meet(done.table, lambda found: panel._sum_up(TAKEN_BACK))

        self.drop()
        panel._sum_up("Taking back the push …")
        panel._do_alone(lambda: take_back(session, backup), panel._while_open(undone))

    def _seen(self, theirs: pd.DataFrame | None, then: Callable[[Meeting], None]) -> None:
        if theirs is not None:
            self._meet(theirs, then)
            return
        called, terms = self._panel.opened.called, plural(len(self._panel.book), "term is", "terms are")
        self.gone.ask(f"The glossary {called} was deleted on the service meanwhile. Your {terms} still here.")
        self._panel._sum_up(f"{called} is not on the service any more.")

    def _meet(
        self, theirs: pd.DataFrame, then: Callable[[Meeting], None], choices: dict[Key, str] | None = None
    ) -> None:
        """Bring together what is here and *theirs*, then go on with *then*, unless there are conflicts first."""
        panel, opened = self._panel, self._panel.opened
        base, mine, version = opened.book.base, opened.book.table, opened.version

        def met(found: Meeting) -> None:
            if version != opened.version:  # it was edited meanwhile
                self._meet(theirs, then, choices)
                return
            self.conflicts = None
            if len(found.conflicts):
                keys = list(keys_of(found.conflicts))
                self.conflicts = Conflicts(
                    found.conflicts.reset_index(drop=True),
                    lambda sides: self._meet(theirs, then, {keys[label]: side for label, side in sides.items()}),
                )
                panel._sum_up()
                return
            if opened.take(found):
                panel._rebased()
            then(found)
            panel._refresh()

        panel._do(lambda: meet(base, mine, theirs, choices=choices), panel._while_open(met))

    def _ask(self, found: Meeting) -> None:
        opened = self._panel.opened
        if not found.counts:
            self._panel._sum_up(f"Nothing to push: the service has all of it. {found.told_elsewhere}".strip())
            return
        what = f"Create the glossary {opened.called}?" if opened.glossary_id is None else f"Push to {opened.called}?"
        self.asked = lambda: self._send(found.theirs)
        self.question.ask("\n".join(filter(None, [what, found.told_elsewhere, found.told])))
        self._panel._sum_up()

    def _send(self, base: pd.DataFrame) -> None:
        """Push what is edited, as long as the service has still what *base* has."""
        panel, opened = self._panel, self._panel.opened
        session, table, glossary_id, name = opened.session, opened.book.table, opened.glossary_id, opened.name

        def sent(done: Sent | Meanwhile) -> None:
            if isinstance(done, Meanwhile):
                self._seen(done.theirs, self._ask)
                return
            opened.glossary_id, self.undoable = done.glossary_id, done.backup
            opened.book.settle(filled(table))
            panel._list(done.listed)
            panel._rebased()
            said = f"Pushed to {opened.called}: {counted(*done.counts)}."
            if done.as_sent:
                panel._sum_up(said)
            else:
                self._meet(done.table, lambda found: panel._sum_up(f"{said} {found.told_elsewhere}".strip()))

        panel._sum_up("Sending …")
        work = partial(send, session, filled(table), glossary_id=glossary_id, name=name, base=base)
        panel._do_alone(work, panel._while_open(sent))
