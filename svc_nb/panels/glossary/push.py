"""The push of a glossary: the service's version is merged before asking, before sending, and after a conflict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

from svc_nb.errors import InvalidRows, NotFound
from svc_nb.glossaries import sync
from svc_nb.glossaries.diff import NAMES, diff
from svc_nb.glossaries.sync import explained, read
from svc_nb.panels.glossary.edits import EditCounts, Key, Meeting, aligned, filled, keys_of, meet, nothing
from svc_nb.panels.glossary.open_glossary import KIND, waiting_of
from svc_nb.panels.glossary.pairs import arrow
from svc_nb.panels.glossary.terms_panel import TermsPanel
from svc_nb.panels.parts.compare import ConflictList, conflict
from svc_nb.panels.parts.drafts import drafts_of
from svc_nb.panels.parts.edit_panel import Conflicts, Meanwhile, PendingPush
from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.panels.parts.editor import changes_told, rows_told
from svc_nb.panels.parts.widgets import Notice, button
from svc_nb.session import Session
from svc_nb.sync.by_language import CHANGES
from svc_nb.sync.changes import Push, delete
from svc_nb.sync.drafts import Waiting
from svc_nb.sync.undo import undo
from svc_nb.tabular.report import plural
from svc_nb.tabular.terms import COLUMNS

MOST_NUMBERED = 5
DELETED, NOT_THERE = "Deleted", "Not there"
TAKEN_BACK = "The push was undone on the service. Your edits are still here, not pushed."
TAKEN = "There is already a glossary called “{}”. Choose another name, or open that glossary."
GONE_AGAIN = "The push was undone: the glossary is no longer on the service. Its terms are still here, not pushed."


@dataclass(frozen=True)
class Loaded:
    """A glossary as it is on the service; without an id it is new. `waiting` is the draft to offer with it.

    If `is_lost`, the glossary of that draft is not on the service.
    """

    glossary_id: str | None
    name: str
    table: pd.DataFrame
    waiting: Waiting | None = None
    is_lost: bool = False


@dataclass(frozen=True)
class Sent:
    """The result of a push or its undo: the glossary's current terms, what was done, and the name of its backup.

    `before` has the previous terms; None if it did not exist.
    """

    glossary_id: str | None
    table: pd.DataFrame
    counts: tuple[int, ...]
    listed: pd.DataFrame
    backup: str | None = None
    as_sent: bool = False
    before: pd.DataFrame | None = None


def listed(session: Session) -> pd.DataFrame:
    """All glossaries on the service; `unsent` says which of them have a saved draft."""
    found = pd.DataFrame(sync.listed(session.client))
    drafts = {each.thing_id for each in drafts_of(session).waiting(KIND)}
    return found.assign(unsent=found["glossary_id"].isin(drafts))


def load(session: Session, glossary_id: str | None) -> Loaded:
    """A glossary, by its id or name; None is a new one."""
    if glossary_id is None:
        return Loaded(None, "", nothing())
    with explained():
        found_id, state = read(session.client, glossary_id)
    return Loaded(found_id, state.name, state.table)


def load_with_draft(session: Session, glossary_id: str | None, *, own: str | None = None) -> Loaded:
    """As `load`, with the draft to offer: the newest of all for a new glossary, or one of a deleted glossary.

    The panel's *own* draft is not offered for a new glossary.
    """
    drafts = drafts_of(session).waiting(KIND)
    if glossary_id is None:
        others = [each for each in drafts_of(session).here(KIND) if each.draft != own]
        newest = max([*drafts, *others], key=lambda each: each.edited, default=None)
        there = {None, *sync.listed(session.client)["glossary_id"]} if newest else {None}
        return Loaded(None, "", nothing(), newest, newest is not None and newest.thing_id not in there)
    try:
        found = load(session, glossary_id)
    except NotFound:
        lost = [each for each in drafts if each.thing_id and glossary_id in (each.thing_id, each.name)]
        if not lost:
            raise
        return Loaded(None, "", nothing(), lost[0], is_lost=True)
    return replace(found, waiting=waiting_of(session, found.glossary_id, also_here=True))


def present(session: Session, glossary_id: str | None) -> pd.DataFrame | None:
    """The terms now on the service: empty for a new glossary, None if it was deleted."""
    try:
        return load(session, glossary_id).table
    except NotFound:
        return None


def refuse(book: EditTable, errors: Sequence[int], *, is_unnamed: bool) -> None:
    """Raise a ValueError if the service would reject *book*, which has *errors* in these rows."""
    some = {row for row in book.rows if any(text.strip() for text in book[row][2:])}
    if not some:
        raise ValueError(
            "There is nothing to push, because a glossary needs at least one term. To delete the glossary, see More."
        )
    if wrong := [row for row in errors if row in some]:
        rows = rows_told({"error": len(wrong)})
        raise ValueError(f"{rows} cannot be sent ({numbered(wrong, book)}). See Checks. Nothing was sent.")
    if is_unnamed:
        raise ValueError("The new glossary has no name yet. Enter one above, then push.")


def send(
    session: Session, table: pd.DataFrame, *, glossary_id: str | None, name: str, base: pd.DataFrame
) -> Sent | Meanwhile:
    """Push *table*; changes by others since *base* are kept. The push reads the glossary and merges."""
    backups = sync.GLOSSARIES.backups_of(session)
    try:
        if glossary_id is None:
            if any(each.name == name for each in session.client.glossaries.list()):
                raise ValueError(TAKEN.format(name))
            done = sync.push(session.client, table, name=name, base=base, backups=backups)
        else:
            done = sync.push(session.client, table, glossary_id=glossary_id, prune=True, base=base, backups=backups)
    except NotFound:
        return Meanwhile(None)
    except InvalidRows as problem:
        if "theirs" not in getattr(problem.findings, "columns", ()):
            raise
        return Meanwhile(present(session, glossary_id))  # someone else pushed a moment earlier
    # If others pushed the same changes first, nothing was sent, and there is no backup.
    backup = None if done.backup is None else done.backup.stem
    return _sent(session, done, backup=backup, as_sent=not len(diff(table, done.after.table)))


def take_back(session: Session, backup: str) -> Sent:
    """Undo the push with this *backup*, unless the glossary was changed from this computer since."""
    backups = sync.GLOSSARIES.backups_of(session)
    if len(backups.since(backups.get(backup))) > 1:
        raise ValueError(
            "The glossary was changed again from this computer since that push: svc_nb.glossaries.history() lists "
            "the changes, and svc_nb.glossaries.undo() undoes the last one."
        )
    return _sent(session, undo(sync.GLOSSARIES, session.client, backup=backup, backups=backups))


def rename(session: Session, glossary_id: str, name: str) -> pd.DataFrame:
    """Rename a glossary on the service; returns the new list of glossaries."""
    if any(each.name == name and each.glossary_id != glossary_id for each in session.client.glossaries.list()):
        raise ValueError(TAKEN.format(name))
    table, backups = load(session, glossary_id).table, sync.GLOSSARIES.backups_of(session)
    sync.push(session.client, table, glossary_id=glossary_id, name=name, backups=backups)
    return listed(session)


def remove(session: Session, glossary_id: str) -> tuple[str, pd.DataFrame]:
    """Delete a glossary on the service; returns the name of its backup, and the new list of glossaries."""
    done = delete(sync.GLOSSARIES, session.client, glossary_id, backups=sync.GLOSSARIES.backups_of(session))
    return "" if done.backup is None else done.backup.stem, listed(session)


def _sent(session: Session, done: Push, *, backup: str | None = None, as_sent: bool = False) -> Sent:
    counts = tuple(int(done[name].sum()) for name in CHANGES)
    if done.after is None:
        return Sent(None, nothing(), counts, listed(session))
    before = None if done.before is None else done.before.table
    return Sent(done.glossary_id, done.after.table, counts, listed(session), backup, as_sent, before)


def numbered(rows: Sequence[int], book: EditTable) -> str:
    """The positions of rows in *book*, shortened: "rows 1, 2, 3, 4, 5 and 2 more"."""
    places = sorted(place for row in rows if (place := book.place(row)))
    first = ", ".join(f"{place:,}" for place in places[:MOST_NUMBERED])
    more = f" and {len(rows) - MOST_NUMBERED:,} more" if len(rows) > MOST_NUMBERED else ""
    return f"row{'s' if len(rows) > 1 else ''} {first}{more}"


def colliding(table: pd.DataFrame, go_on: Callable[[dict[int, str]], None], *, several: bool) -> Conflicts:
    """The conflicts in *table*, and how they are shown: with their pairs if there are *several*."""
    rows = []
    columns = (table[name].tolist() for name in (*COLUMNS[:3], *NAMES))
    for source_lang, target_lang, source, *sides in zip(*columns, strict=True):
        pair = [[arrow((source_lang, target_lang)), "", ""]] if several else []
        base, mine, theirs = (
            [gone if pd.isna(text) else text, "", "text"]
            for text, gone in zip(sides, (NOT_THERE, DELETED, DELETED), strict=True)
        )
        rows.append(conflict([[source, "", "text"], *pair, base], mine, theirs))
    titles = ["Term", *(["Pair"] if several else []), "As loaded", "Here", "On the service"]
    said = f"{plural(len(table), 'term was', 'terms were')} changed both here and on the service."
    return Conflicts(table, go_on, columns=titles, rows=rows, said=said)


class GlossaryPush(PendingPush):
    """Merges the edits with the service's version, asks for confirmation, pushes, and undoes.

    *panel* does the work in threads and shows the results.
    """

    def __init__(self, panel: TermsPanel) -> None:
        super().__init__()
        self._panel = panel
        self.collisions = ConflictList(lambda told: panel._clicked(panel._choose, {told["place"]: told["whose"]}))
        self.question = Notice(button("Push", style="primary"), button("Cancel"))
        self.gone = Notice(button("Create it again", style="primary"), button("Cancel"))

    def drop(self) -> None:
        """Close the question without sending anything."""
        super().drop()
        for notice in (self.question, self.collisions, self.gone):
            notice.drop()

    def ask_service(self, errors: Sequence[int]) -> None:
        """Merge the service's current version, and ask for confirmation; *errors* are in these rows."""
        opened = self._panel.opened
        self._panel.turn_to("Checks" if errors else "Changes")
        self.drop()
        refuse(opened.book, errors, is_unnamed=opened.glossary_id is None and not opened.name.strip())
        self._panel._sum_up("Asking the service for its current version …")
        self.look(self._ask, again=self._panel.push)

    def look(self, then: Callable[[Meeting], None], *, again: Callable[[], Any]) -> None:
        """Read the service's version, merge it, then continue with *then*, unless there are conflicts.

        *again* retries everything if the service cannot be reached.
        """
        self._panel.opened.renew()
        session, glossary_id = self._panel.opened.session, self._panel.opened.glossary_id
        seen = self._panel._while_open(lambda theirs: self._seen(theirs, then))
        self._panel._do(lambda: present(session, glossary_id), seen, again=again)

    def take_back(self) -> None:
        """Undo the last push from this panel on the service; your edits and changes by others stay."""
        panel, session = self._panel, self._panel.opened.session
        if self.undoable is None:
            raise ValueError("nothing was pushed from this panel that could be undone")
        backup, before = self.undoable
        if before is None:
            panel._do_alone(lambda: take_back(session, backup), self._open_again)
            return

        def undone(done: Sent) -> None:
            self.undoable = None
            if done.glossary_id is None:
                panel.recreate()
                panel._list(done.listed)
                panel._sum_up(GONE_AGAIN)
                return
            book, panel.opened.glossary_id = panel.book, done.glossary_id
            book.settle(aligned(book.base, book.table, before))
            panel._rebased()
            panel._list(done.listed)
            self._meet(done.table, lambda found: panel._sum_up(TAKEN_BACK))

        self.drop()
        panel._sum_up("Undoing the push …")
        panel._do_alone(lambda: take_back(session, backup), panel._while_open(undone))

    def _open_again(self, done: Sent) -> None:
        """Open a glossary whose deletion was undone, and report its id, because the service gave it a new one."""
        panel = self._panel
        panel.open(done.glossary_id)
        back = f"The glossary is restored with a new id: {done.glossary_id}."
        panel._do(lambda: None, lambda _: panel._sum_up(back, over_error=False))

    @property
    def undo_name(self) -> str:
        """The label of the undo button; "" if there is nothing to undo."""
        return "" if self.undoable is None else "Undo the push" if self.undoable[1] is not None else "Undo the deletion"

    def rename(self, name: str) -> None:
        """Rename the glossary, on the service if it is there."""
        panel, opened = self._panel, self._panel.opened
        if not name:
            raise ValueError("A glossary needs a name. Enter one first.")
        if opened.glossary_id is None:
            opened.call(name)
            panel._sum_up()
            return
        session, glossary_id = opened.session, opened.glossary_id

        def renamed(found: pd.DataFrame) -> None:
            opened.name = name
            panel._rebased()
            panel._list(found)
            panel._sum_up("Renamed on the service.")

        self.drop()
        panel._do_alone(lambda: rename(session, glossary_id, name), panel._while_open(renamed))

    def ask_to_delete(self) -> None:
        """Ask whether to delete the glossary from the service."""
        opened = self._panel.opened
        if opened.glossary_id is None:
            raise ValueError("The glossary is not on the service, so there is nothing to delete.")
        self.drop()
        session, glossary_id = opened.session, opened.glossary_id
        unsent = changes_told(opened.book.changes)
        lost = f" Your unpushed edits ({unsent}) will be lost." if unsent else ""
        terms = plural(len(opened.book.base_cells), "term")

        def deleted(done: tuple[str, pd.DataFrame]) -> None:
            backup, found = done
            panel, called = self._panel, opened.called
            opened.book.settle()  # none of it is kept as a draft
            panel._begin_new()
            self.undoable = (backup, None)
            panel._list(found)
            panel._sum_up(f"{called} is deleted.")

        self.asked = lambda: self._panel._do_alone(
            lambda: remove(session, glossary_id), self._panel._while_open(deleted)
        )
        self._question("Delete glossary", f"Delete {opened.called} with {terms} on the service?{lost}", style="danger")

    def ask_to_forget(self, name: str, forget: Callable[[], None]) -> None:
        """Ask whether to remove the draft of the glossary with this name; *forget* removes it."""
        self.drop()
        self.asked = forget
        called = f"“{name}”" if name else "a new glossary"
        question = f"Forget your unpushed edits of {called}? You will not be able to restore them."
        self._question("Forget the edits", question, style="danger")

    def _question(self, deed: str, text: str, *, style: str = "primary") -> None:
        yes = self.question.answers[0]
        yes.description, yes.tooltip, yes.button_style = deed, deed, style
        self.question.ask(text)
        self._panel._refresh()

    def _seen(self, theirs: pd.DataFrame | None, then: Callable[[Meeting], None]) -> None:
        if theirs is not None:
            self._meet(theirs, then)
            return
        called, terms = self._panel.opened.called, plural(len(self._panel.book), "term is", "terms are")
        self.gone.ask(f"The glossary {called} was deleted on the service in the meantime. Your {terms} still here.")
        self._panel._sum_up(f"{called} is no longer on the service.")

    def _meet(
        self, theirs: pd.DataFrame, then: Callable[[Meeting], None], choices: dict[Key, str] | None = None
    ) -> None:
        """Merge the edits with *theirs*, then continue with *then*, unless there are conflicts."""
        panel, opened = self._panel, self._panel.opened
        base, mine, version = opened.book.base, opened.book.table, opened.version

        def met(found: Meeting) -> None:
            if version != opened.version:  # it was edited in the meantime
                self._meet(theirs, then, choices)
                return
            self.conflicts = None
            if len(found.conflicts):
                keys = list(keys_of(found.conflicts))
                self.conflicts = colliding(
                    found.conflicts.reset_index(drop=True),
                    lambda sides: self._meet(theirs, then, {keys[label]: side for label, side in sides.items()}),
                    several=sum(map(bool, opened.pairs.counts.values())) > 1,
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
            self._panel._sum_up(f"Nothing to push: everything is up to date. {found.told_elsewhere}".strip())
            return
        edits, is_new = EditCounts.of(opened.book), opened.glossary_id is None
        what = f"Create the glossary {opened.called}?" if is_new else f"Push to {opened.called}?"
        deed = "Create glossary" if is_new else f"Push {plural(sum(edits.total.values()), 'change')}"
        self.asked = lambda: self._send(found.theirs, changes_told(edits.total))
        self._panel._sum_up()
        self._question(deed, "\n".join(filter(None, [what, found.told_elsewhere, edits.told(found.deleted)])))

    def _send(self, base: pd.DataFrame, changes: str) -> None:
        """Push the edits, *changes* in words, if the service's version is still the same as *base*."""
        panel, opened = self._panel, self._panel.opened
        session, table, glossary_id, name = opened.session, opened.book.table, opened.glossary_id, opened.name

        def sent(done: Sent | Meanwhile) -> None:
            if isinstance(done, Meanwhile):
                self._seen(done.theirs, self._ask)
                return
            opened.glossary_id = done.glossary_id
            before = nothing() if done.before is None else done.before
            self.undoable = None if done.backup is None else (done.backup, before)
            opened.book.settle(filled(table))
            panel._list(done.listed)
            panel._rebased()
            said = f"Pushed to {opened.called}: {changes}."
            if done.as_sent:
                panel._sum_up(said)
            else:
                self._meet(done.table, lambda found: panel._sum_up(f"{said} {found.told_elsewhere}".strip()))

        panel._sum_up("Sending …")
        work = partial(send, session, filled(table), glossary_id=glossary_id, name=name, base=base)
        panel._do_alone(work, panel._while_open(sent))
