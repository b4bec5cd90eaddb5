"""What the panel asks of the service, in threads: the list, a glossary, a push and its undo. Nothing is shown here."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from svc_nb.errors import NotFound
from svc_nb.glossaries import sync
from svc_nb.glossaries.diff import CHANGES
from svc_nb.glossaries.state import explained, read
from svc_nb.glossaries.table import made
from svc_nb.session import Session
from svc_nb.sync.backups import Backups
from svc_nb.sync.undo import undo


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
    backup: str | None


def nothing() -> pd.DataFrame:
    """A table of no terms."""
    return made([], [], [], [])


def listed(session: Session) -> pd.DataFrame:
    """All glossaries on the service."""
    return pd.DataFrame(sync.listed(session.client))


def none_listed() -> pd.DataFrame:
    """As `listed`, where nothing is known yet."""
    return pd.DataFrame(columns=["glossary_id", "name", "pairs", "entry_count"])


def load(session: Session, glossary_id: str | None) -> Loaded:
    """A glossary, by its id or name; None is a new one."""
    if glossary_id is None:
        return Loaded(None, "", nothing())
    with explained():
        found_id, state = read(session.client, glossary_id)
    return Loaded(found_id, state.name, state.table)


def present(session: Session, glossary_id: str | None) -> pd.DataFrame:
    """The terms that the service has now; none of a new glossary. Raises NotFound where it was deleted."""
    if glossary_id is None:
        return nothing()
    with explained():
        return read(session.client, glossary_id)[1].table


def check_name(session: Session, name: str) -> None:
    """Refuse a name that another glossary has."""
    if any(each.name == name for each in session.client.glossaries.list()):
        raise ValueError(
            f"There is a glossary called “{name}” already: choose another name, or open that one."
        )


def send(
    session: Session, table: pd.DataFrame, *, glossary_id: str | None, name: str, base: pd.DataFrame
) -> Sent:
    """Push *table*; what others changed since *base* is kept, and what both changed is an InvalidRows."""
    backups = backups_of(session)
    before = _newest(session, glossary_id)
    if glossary_id is None:
        check_name(session, name)
        done = sync.push(session.client, table, name=name, base=base, backups=backups)
    else:
        done = sync.push(
            session.client, table, glossary_id=glossary_id, prune=True, base=base, backups=backups
        )
    after = _newest(session, done.glossary_id)
    # Where others had pushed the same by then, nothing was sent: the newest backup is of another push.
    return _sent(session, done.glossary_id, done, backup=None if after == before else after)


def take_back(session: Session, backup: str) -> Sent:
    """Undo the push that was kept as *backup*, unless its glossary was changed again from here since."""
    backups = backups_of(session)
    goal = backups.get(backup)
    if len(backups.since(goal)) > 1:
        raise ValueError(
            "The glossary was changed again from this computer since that push: svc_nb.glossaries.history() lists "
            "the changes, and svc_nb.glossaries.undo() takes back the last one."
        )
    done = undo(sync.GLOSSARIES, session.client, backup=backup, backups=backups)
    return _sent(session, done.glossary_id, done, backup=None)


def backups_of(session: Session) -> Backups:
    """The backups of what is on the session's service."""
    return Backups(session.settings.backups_path, origin=session.account)


def _newest(session: Session, glossary_id: str | None) -> str | None:
    """The name of the newest backup of a glossary."""
    if glossary_id is None:
        return None
    history = backups_of(session).history(glossary_id)
    return str(history["backup"].iloc[0]) if len(history) else None


def _sent(session: Session, glossary_id: str | None, done: pd.DataFrame, *, backup: str | None) -> Sent:
    counts = tuple(int(done[name].sum()) for name in CHANGES)
    try:
        table = present(session, glossary_id)
    except NotFound:
        glossary_id, table = None, nothing()
    return Sent(glossary_id, table, counts, listed(session), backup)
