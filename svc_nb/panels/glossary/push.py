"""What the panel asks of the service, in threads: the list, a glossary, a push and its undo. Nothing is shown here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from svc_nb.errors import InvalidRows, NotFound
from svc_nb.glossaries import sync
from svc_nb.glossaries.diff import diff
from svc_nb.glossaries.sync import explained, read
from svc_nb.glossaries.table import made
from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.session import Session
from svc_nb.sync.backups import Backups
from svc_nb.sync.by_language import CHANGES
from svc_nb.sync.changes import Push
from svc_nb.sync.undo import undo
from svc_nb.tabular.report import plural

MOST_NUMBERED = 5


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


@dataclass(frozen=True)
class Meanwhile:
    """That nothing was sent, because others changed the same meanwhile: what they have; None where it is deleted."""

    theirs: pd.DataFrame | None


def nothing() -> pd.DataFrame:
    """A table of no terms."""
    return made([], [], [], [])


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
    filled = {row for row in book.rows if any(text.strip() for text in book[row][2:])}
    if not filled:
        raise ValueError(
            "There are no terms, and a glossary has at least one: nothing to push. "
            "svc_nb.glossaries.delete(glossary_id) removes a glossary."
        )
    if wrong := [row for row in errors if row in filled]:
        rows = plural(len(wrong), "row has an error", "rows have errors")
        raise ValueError(f"{rows} that the service refuses ({numbered(wrong)}): Checks lists them. Nothing was sent.")
    if is_unnamed:
        raise ValueError("The new glossary has no name yet: write one above, then push.")


def send(
    session: Session, table: pd.DataFrame, *, glossary_id: str | None, name: str, base: pd.DataFrame
) -> Sent | Meanwhile:
    """Push *table*; what others changed since *base* is kept. The glossary is read and merged once, by the push."""
    backups = Backups(session.settings.backups_path, origin=session.account)
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
    backups = Backups(session.settings.backups_path, origin=session.account)
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
