"""Glossaries on the service kept in step with tables: listed, pulled, compared, pushed, deleted.

A change is worked out first, then the state before it is put among the backups, then it is done. Who is interrupted
runs the same push again: the way is worked out anew from what is there by then, so that only what is left is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pandas as pd

from svc_nb.errors import BadRequest, InvalidRows
from svc_nb.glossaries.dictionaries import located, to_dictionaries
from svc_nb.glossaries.diff import PUSH, Diff, Numbered, diff, within
from svc_nb.glossaries.merge import merge
from svc_nb.glossaries.rules import MOST_GLOSSARIES, check_name
from svc_nb.glossaries.state import State, check_room, check_size, explained, named, present, read
from svc_nb.glossaries.steps import Change, Push, told
from svc_nb.glossaries.table import Pair, checked
from svc_nb.glossaries.undo import keep_and_do
from svc_nb.language_codes import as_normal
from svc_nb.sync.backups import Backups
from svc_nb.sync.kinds import called
from svc_nb.sync.turns import Progress
from svc_nb.tabular.column import TEXT
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.client import Client
from svc_nb.wire.models import Dictionary

# ---- reading


def listed(client: Client) -> Report:
    """All glossaries, a row each, in the service's order."""
    with explained():
        found = client.glossaries.list()
    texts = {
        "glossary_id": [each.glossary_id for each in found],
        "name": [each.name for each in found],
        "pairs": [
            _pairs([(as_normal(one.source_lang), as_normal(one.target_lang)) for one in each.dictionaries])
            for each in found
        ],
    }
    columns = {
        **{name: pd.array(cells, dtype=TEXT) for name, cells in texts.items()},
        "entry_count": np.array(
            [sum(one.entry_count for one in each.dictionaries) for each in found], np.int64
        ),
        "creation_time": pd.DatetimeIndex([each.creation_time for each in found], tz="UTC"),
    }
    then = "pull(glossary_id) gives the terms of one" if found else "push(table, name) makes the first"
    said = f"{plural(len(found), 'glossary', 'glossaries')} of at most {MOST_GLOSSARIES:,}."
    return Report(pd.DataFrame(columns), f"{said} Next: svc_nb.glossaries.{then}.")


def pull(client: Client, glossary_id: str) -> Report:
    """The terms of a glossary as a tidy table, all pairs in one."""
    with explained():
        _, state = read(client, glossary_id)
    pairs = plural(len(state.dictionaries), "pair")
    return Report(
        state.table,
        f"{plural(len(state.table), 'term')} in {pairs} of the glossary {called(state.name)}. "
        "Next: change them and see svc_nb.glossaries.diff(table, glossary_id), then push.",
    )


def compare(client: Client, table: pd.DataFrame, glossary_id: str, *, prune: bool = False) -> Diff:
    """What a push of *table* would add, change and remove; pairs that it would leave alone are told, but no rows."""
    with explained():
        _, state = read(client, glossary_id)
    pairs = set(Numbered(table).pairs)
    if prune:
        found = diff(state.table, table)
        return Diff(found, found.said.replace(PUSH, PUSH.replace("(...)", "(..., prune=True)")))
    found = diff(within(state.table, pairs), table)
    left = _left([pair for pair in state.dictionaries if pair not in pairs])
    said, then, push = found.said.partition(PUSH)
    return Diff(found, " ".join(filter(None, [said.strip(), left, then + push])))


# ---- changing


def push(
    client: Client,
    table: pd.DataFrame,
    *,
    name: str | None = None,
    glossary_id: str | None = None,
    dry_run: bool = False,
    prune: bool = False,
    base: pd.DataFrame | None = None,
    backups: Backups,
    progress: Progress | None = None,
) -> Push:
    """Make a glossary on the service have the terms of *table*, with the fewest requests; see svc_nb.glossaries.push.

    *progress* is called with the number of steps done and of all, after each one.
    """
    dictionaries = _sendable(table, name, glossary_id)
    with explained():
        known = client.glossaries.list() if glossary_id is None else []
        found_id, now = present(client, named(known, name) if glossary_id is None else glossary_id)
        left = ""
        if now is None:
            check_room(known)
        elif base is not None:
            mine, table = table, _merged(base, table, now, prune=prune)
            left, dictionaries = _left_deleted(mine, table), to_dictionaries(table)
        change = Change(found_id, now, _wanted(dictionaries, now, name, prune=prune))
        if not dry_run and not change.is_none:
            with row_by_row(table):
                found_id = keep_and_do(client, change, backups, known=known, progress=progress)
    here = State.of("", dictionaries).dictionaries
    alone = [pair for pair in (now.dictionaries if now else ()) if pair not in here and not prune]
    said = told(change, found_id, done=not dry_run, left=f"{left} {_left(alone)}".strip())
    return Push(change.steps, said, glossary_id=found_id, done=not dry_run)


def delete(client: Client, glossary_id: str, *, backups: Backups) -> Push:
    """Delete a glossary; a backup of it is kept."""
    with explained():
        change = Change(*read(client, glossary_id), None)
        keep_and_do(client, change, backups)
    return Push(change.steps, told(change, change.glossary_id), glossary_id=change.glossary_id)


# ---- what is asked for, and whether it can be


def _sendable(table: pd.DataFrame, name: str | None, glossary_id: str | None) -> list[Dictionary]:
    """The table as the service takes it, or a clear error before anything is asked."""
    if name is None and glossary_id is None:
        raise ValueError(
            'push: expected a name for the glossary, such as push(table, "Products"), or glossary_id='
        )
    if name is not None:
        check_name(name, "glossary")
    if not len(checked(table)):
        raise ValueError(
            "the table has no terms, and a glossary has at least one. To remove a glossary: "
            "svc_nb.glossaries.delete(glossary_id)"
        )
    return to_dictionaries(table)


def _merged(base: pd.DataFrame, mine: pd.DataFrame, now: State, *, prune: bool) -> pd.DataFrame:
    """*mine* with what others changed on the service since *base*; in the pairs of *mine* only, but to prune."""
    pairs = set(Numbered(mine, base, now.table).pairs) if prune else set(Numbered(mine).pairs)
    found = merge(within(base, pairs), mine, within(now.table, pairs))
    if len(found.conflicts):
        raise InvalidRows(
            f"{plural(len(found.conflicts), 'term')} changed here and on the service, differently. Nothing was sent. "
            "See .findings of this error; svc_nb.glossaries.merge(base, mine, theirs, prefer=...) settles them",
            rows=found.rows,
            findings=found.conflicts,
        )
    if not len(found.table) and set(now.dictionaries) <= pairs:
        raise ValueError(
            "no terms are left after the merge: you or others deleted them all since the base. Push without base= to "
            "bring yours back, or remove the glossary with svc_nb.glossaries.delete(...)"
        )
    return found.table


def _wanted(dictionaries: Iterable[Dictionary], now: State | None, name: str | None, *, prune: bool) -> State:
    """The state after the push; refused where it is too large."""
    given = State.of(name or (now.name if now else ""), dictionaries)
    if now is not None and not prune:
        given = State(given.name, {**now.dictionaries, **given.dictionaries})
    check_size(given)
    return given


# ---- words


@contextmanager
def row_by_row(table: pd.DataFrame) -> Iterator[None]:
    """A complaint of the service with the rows of *table* that it means."""
    try:
        yield
    except BadRequest as error:
        rows = located(error, table)
        if rows is None:
            raise
        raise rows from error


def _left(pairs: Sequence[Pair]) -> str:
    """What happens to the pairs that a table lacks."""
    if not pairs:
        return ""
    count = plural(len(pairs), "pair that the table lacks is", "pairs that the table lacks are")
    return f"{count} left alone ({_pairs(pairs)}); prune=True deletes {'it' if len(pairs) == 1 else 'them'}."


def _left_deleted(mine: pd.DataFrame, merged: pd.DataFrame) -> str:
    """That terms of *mine* were left out of what was *merged*, because others deleted them."""
    found = diff(merged, mine).counts()
    count = sum(changes["added"] for changes in found.values())
    if not count:
        return ""
    pairs = _pairs([pair for pair, changes in found.items() if changes["added"]])
    terms = plural(count, "term of your table was", "terms of your table were")
    them = "it" if count == 1 else "them"
    return (
        f"{terms} deleted on the service by others since the base, and left deleted ({pairs}); a push without base= "
        f"brings {them} back."
    )


def _pairs(pairs: Sequence[Pair]) -> str:
    return ", ".join(" → ".join(pair) for pair in pairs)
