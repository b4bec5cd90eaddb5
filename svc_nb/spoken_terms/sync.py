"""Spoken terms on the service kept in step with tables: listed, pulled, compared, pushed, deleted, and taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.errors import ApiError, BadRequest, NotFound, QuotaExceeded
from svc_nb.language_codes import as_bcp47, as_normal
from svc_nb.spoken_terms.diff import PUSH, SpokenDiff, differences
from svc_nb.spoken_terms.lint import refuse
from svc_nb.spoken_terms.table import Lists, checked, lang_of, lists_of, rows_of, table_of
from svc_nb.sync.backups import Backups
from svc_nb.sync.changes import Change, Push, keep_and_do, left_alone, told
from svc_nb.sync.resources import SPOKEN_TERMS, Synced, called, check_name
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import TEXT, text_array
from svc_nb.wire.client import Client
from svc_nb.wire.models import SpokenTerms, TermList

AMOUNTS = ("added", "removed", "entries")


# ---- reading


def listed(client: Client) -> Report:
    """All collections, a row each, in the service's order."""
    found = client.spoken_terms.list()
    langs = [", ".join(as_normal(one.lang) for one in each.term_lists) for each in found]
    counts = [sum(one.entry_count for one in each.term_lists) for each in found]
    columns = {
        "spoken_terms_id": pd.array([each.spoken_terms_id for each in found], dtype=TEXT),
        "name": pd.array([each.name for each in found], dtype=TEXT),
        "langs": pd.array(langs, dtype=TEXT),
        "entry_count": np.array(counts, np.int64),
        "creation_time": pd.DatetimeIndex([each.creation_time for each in found], tz="UTC"),
    }
    then = "pull(spoken_terms_id) gives the terms of one" if found else "push(table, name) makes the first"
    said = f"{plural(len(found), 'collection')} of spoken terms. Next: svc_nb.spoken_terms.{then}."
    return Report(pd.DataFrame(columns), said)


def found(client: Client, given: str) -> SpokenTerms:
    """A collection, by its id or its name; NotFound where there is none, ValueError where several have the name."""
    with suppress(NotFound, BadRequest):  # what does not look like an id is a bad request
        return client.spoken_terms.get(given)
    return client.spoken_terms.get(SPOKEN_TERMS.id_of(given, client))


def terms_of(entries: str) -> tuple[str, ...]:
    """The terms in a list as the service gives it, one a line."""
    return tuple(filter(None, entries.replace("\r\n", "\n").split("\n")))


def pull(client: Client, given: str) -> Report:
    """The terms of a collection as a table, all languages in one."""
    _, state = COLLECTIONS.read(client, given)
    return Report(
        state.table,
        f"{plural(len(state.table), 'term')} in {plural(len(state.lists), 'language')} of the spoken terms "
        f"{called(state.name)}. Next: change them and see svc_nb.spoken_terms.diff(table, spoken_terms_id), then push.",
    )


def compare(client: Client, table: pd.DataFrame, given: str, *, prune: bool = False) -> SpokenDiff:
    """What a push of *table* would add and remove; languages that it would leave alone are told, but no rows."""
    wanted = lists_of(rows_of(table))
    _, state = COLLECTIONS.read(client, given)
    here = state.lists if prune else {lang: terms for lang, terms in state.lists.items() if lang in wanted}
    left = left_alone([lang for lang in state.lists if lang not in {**wanted, **here}], "language")
    return SpokenDiff(differences(here, wanted), left, push="push(table, name, prune=True)" if prune else PUSH)


# ---- changing


def push(
    client: Client,
    table: pd.DataFrame,
    *,
    name: str | None = None,
    spoken_terms_id: str | None = None,
    dry_run: bool = False,
    prune: bool = False,
    backups: Backups,
) -> Push:
    """Make a collection have the terms of *table*, with the fewest requests; see svc_nb.spoken_terms.push."""
    if name is None and spoken_terms_id is None:
        raise ValueError(
            'push: expected a name for the spoken terms, such as push(table, "Products"), or spoken_terms_id='
        )
    if name is not None:
        check_name(name, "collection")
    if not len(checked(table)):
        raise ValueError(
            "the table has no terms, and a collection has at least one. To remove one: svc_nb.spoken_terms.delete(...)"
        )
    refuse(table)
    lists = lists_of(rows_of(table))
    made = None
    with COLLECTIONS.explained():
        known = client.spoken_terms.list() if spoken_terms_id is None else []
        given = COLLECTIONS.id_named(name, known) if spoken_terms_id is None else spoken_terms_id
        found_id, now = (None, None) if given is None else COLLECTIONS.read(client, given)
        kept = {} if now is None or prune else now.lists
        wanted = SpokenState(name or (now.name if now else ""), {**kept, **lists})
        change = Change(COLLECTIONS, found_id, now, wanted)
        if not dry_run and not change.is_none:
            made = keep_and_do(client, change, backups, known=known)
    found_id = made.thing_id if made else found_id
    left = left_alone([lang for lang in kept if lang not in lists], "language")
    said = told(change, found_id, done=not dry_run, left=left)
    return Push(change, found_id, said, made=made, done=not dry_run)


# ---- how a collection gets from one state to another


@dataclass(frozen=True)
class SpokenState:
    """All of a collection but its id."""

    name: str
    lists: Lists

    @cached_property
    def table(self) -> pd.DataFrame:
        """The terms as a table."""
        return table_of(self.lists)


@dataclass(frozen=True)
class SpokenStep:
    """One thing to do, or to leave, for one language; a rename has none."""

    step: str
    lang: str | None = None
    added: int = 0
    removed: int = 0
    entries: int = 0


class SyncedSpokenTerms(Synced[SpokenState]):
    """How sync handles a collection of spoken terms."""

    kind = SPOKEN_TERMS
    room = "spoken_terms"
    id_name = "spoken_terms_id"
    called = "the spoken terms"
    is_plural = True
    columns = ("step", "lang", *AMOUNTS)
    amounts = AMOUNTS

    def to_wire(self, state: SpokenState) -> dict[str, Any]:
        """The name and the terms of each language."""
        return {"name": state.name, "lists": {as_bcp47(lang): list(terms) for lang, terms in state.lists.items()}}

    def state(self, wire: Any) -> SpokenState:
        """The state that `to_wire` gave."""
        return SpokenState(wire["name"], {lang_of(lang): tuple(terms) for lang, terms in wire["lists"].items()})

    def steps(self, now: SpokenState | None, wanted: SpokenState | None) -> list[SpokenStep]:
        """What to do for each language; lists are written before others are deleted, so that none is missing."""
        old, new = now or SpokenState("", {}), wanted or SpokenState("", {})
        found = []
        for lang in {**new.lists, **old.lists}:
            before, after = (set(each.lists.get(lang, ())) for each in (old, new))
            kind = "create" if now is None else "delete" if not after else "put"
            if now is not None and before == after:
                kind = "nothing"
            found.append(SpokenStep(kind, lang, len(after - before), len(before - after), len(after)))
        if now and wanted and old.name != new.name:
            found.insert(0, SpokenStep("rename"))
        return sorted(found, key=lambda step: step.step == "delete")

    def difference(self, old: SpokenState, new: SpokenState) -> SpokenDiff:
        """The terms that differ."""
        return SpokenDiff(differences(old.lists, new.lists))

    def differing(self, one: SpokenState, other: SpokenState) -> set[str]:
        """The languages whose terms differ, in whatever order they stand."""
        only_one = set(one.lists) ^ set(other.lists)
        return only_one | {lang for _, lang, _ in differences(one.lists, other.lists)}

    def merged(self, base: SpokenState, mine: SpokenState, theirs: SpokenState) -> tuple[SpokenState, Report]:
        """*mine* with the terms that others added, and without those that they removed; terms cannot be in conflict."""
        lists = {}
        for lang in {**mine.lists, **theirs.lists}:
            then, own, others = (dict.fromkeys(each.lists.get(lang, ())) for each in (base, mine, theirs))
            terms = [term for term in own if term in others or term not in then]
            lists[lang] = (*terms, *(term for term in others if term not in own and term not in then))
        name = theirs.name if mine.name == base.name else mine.name
        none = pd.DataFrame({column: text_array([]) for column in ("lang", "term", "base", "mine", "theirs")})
        return SpokenState(name, {lang: terms for lang, terms in lists.items() if terms}), Report(none)

    def listed(self, client: Client) -> Sequence[SpokenTerms]:
        """All collections of the account."""
        return client.spoken_terms.list()

    def read(self, client: Client, given: str) -> tuple[str, SpokenState]:
        """A collection by its id or name."""
        collection = found(client, given)
        own_id = collection.spoken_terms_id
        lists = [client.spoken_terms.entries(own_id, each.lang) for each in collection.term_lists]
        return own_id, SpokenState(collection.name, {lang_of(each.lang): terms_of(each.entries) for each in lists})

    def is_like(self, listed: SpokenTerms, wanted: SpokenState) -> bool:
        """Whether it has the name, the languages and the numbers of terms."""
        counts = {lang_of(each.lang): each.entry_count for each in listed.term_lists}
        return listed.name == wanted.name and counts == {lang: len(terms) for lang, terms in wanted.lists.items()}

    def create(self, client: Client, wanted: SpokenState) -> str:
        """Make it with a single request."""
        lists = [TermList(as_bcp47(lang), "\n".join(terms)) for lang, terms in wanted.lists.items()]
        return client.spoken_terms.create(wanted.name, lists, tries=1).spoken_terms_id

    def do(self, client: Client, thing_id: str, step: SpokenStep, wanted: SpokenState) -> None:
        """Rename it, or write or delete one list."""
        lang = as_bcp47(step.lang or "")
        if step.step == "rename":
            client.spoken_terms.update(thing_id, name=wanted.name)
        elif step.step == "put":
            terms = wanted.lists[step.lang or ""]
            client.spoken_terms.replace_list(thing_id, TermList(lang, "\n".join(terms)))
        else:
            try:
                client.spoken_terms.delete_list(thing_id, lang)
            except NotFound:  # the list is gone already, or the whole collection is, which raises
                client.spoken_terms.get(thing_id)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """On spoken terms 456 does not speak of characters: say what it means."""
        try:
            yield
        except QuotaExceeded as error:
            raise ApiError(
                f"The plan has room for no more collections of spoken terms ({error.message}). Delete one first, or "
                "change one that is there: push(table, spoken_terms_id=...)",
                status=error.status,
                trace_id=error.trace_id,
            ) from error

    def told(self, change: Change[SpokenState]) -> str:
        """What is done to a collection, as participles."""
        sums = {name: sum(getattr(step, name) for step in change.steps) for name in AMOUNTS}
        if change.action == "create":
            return f"created with {plural(sums['entries'], 'term')} in {plural(len(change.steps), 'language')}"
        if change.action == "delete":
            return f"deleted with {plural(sums['removed'], 'term')}"
        renamed = ["renamed"] if any(step.step == "rename" for step in change.steps) else []
        touched = [step for step in change.steps if step.step in ("put", "delete")]
        counts = ", ".join(f"{sums[name]:,} {name}" for name in ("added", "removed") if sums[name])
        changed = [f"changed: {counts} in {plural(len(touched), 'language')}"] if touched else []
        return " and ".join([*renamed, *changed])


COLLECTIONS = SyncedSpokenTerms()
