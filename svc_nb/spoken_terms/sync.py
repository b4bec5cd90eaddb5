"""Spoken terms on the service kept in sync with tables: list, pull, compare, push, delete, and undo."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from svc_nb.errors import ApiError, NotFound, QuotaExceeded
from svc_nb.language_codes import as_bcp47
from svc_nb.spoken_terms.lint import refuse
from svc_nb.spoken_terms.table import PUSH, SpokenDiff, differences, lang_of, lists_of, rows_of, table_of
from svc_nb.sync.backups import Backups
from svc_nb.sync.by_language import LanguageState, LanguageStep, SyncedByLanguage
from svc_nb.sync.changes import Push
from svc_nb.sync.resources import SPOKEN_TERMS
from svc_nb.tabular.report import Report
from svc_nb.tabular.text_column import text_array
from svc_nb.wire.client import Client
from svc_nb.wire.models import SpokenTerms, TermList


def terms_of(entries: str) -> tuple[str, ...]:
    """The terms in a list from the service, one per line."""
    return tuple(filter(None, entries.replace("\r\n", "\n").split("\n")))


def compare(client: Client, table: pd.DataFrame, given: str, *, prune: bool = False) -> SpokenDiff:
    """What a push of *table* would add and remove; languages that it would leave alone are only counted."""
    wanted = lists_of(rows_of(table))
    _, state = COLLECTIONS.read(client, given)
    here = state.parts if prune else {lang: terms for lang, terms in state.parts.items() if lang in wanted}
    left = COLLECTIONS.left_alone([lang for lang in state.parts if lang not in {**wanted, **here}])
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
    """Give a collection the terms of *table* with as few requests as possible; see svc_nb.spoken_terms.push."""
    refuse(table)
    lists = lists_of(rows_of(table))
    with COLLECTIONS.explained():
        found = COLLECTIONS.found(client, table, name, spoken_terms_id)
        return COLLECTIONS.send(client, found, lists, name=name, dry_run=dry_run, prune=prune, backups=backups)


# ---- how a collection gets from one state to another


@dataclass(frozen=True)
class SpokenState(LanguageState):
    """A collection without its id, with the terms of each language."""

    @cached_property
    def table(self) -> pd.DataFrame:
        """The terms as a table."""
        return table_of(self.parts)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many terms each language has."""
        return {lang: len(terms) for lang, terms in self.parts.items()}


class SyncedSpokenTerms(SyncedByLanguage[SpokenState]):
    """How sync handles a collection of spoken terms."""

    kind = SPOKEN_TERMS
    called = "the spoken terms"
    is_plural = True
    kept = SpokenState
    part = "language"
    languages = ("lang",)
    changes = ("added", "removed")

    def to_wire(self, state: SpokenState) -> dict[str, Any]:
        """The name and the terms of each language."""
        return {"name": state.name, "lists": {as_bcp47(lang): list(terms) for lang, terms in state.parts.items()}}

    def state(self, wire: Any) -> SpokenState:
        """The state from the result of `to_wire`."""
        return SpokenState(wire["name"], {lang_of(lang): tuple(terms) for lang, terms in wire["lists"].items()})

    def difference(self, old: SpokenState, new: SpokenState) -> SpokenDiff:
        """The terms that differ."""
        return SpokenDiff(differences(old.parts, new.parts))

    def merged(self, base: SpokenState, mine: SpokenState, theirs: SpokenState) -> tuple[SpokenState, Report]:
        """*mine* with the terms that others added, and without those that they removed; terms never conflict."""
        lists = {}
        for lang in {**mine.parts, **theirs.parts}:
            then, own, others = (dict.fromkeys(each.parts.get(lang, ())) for each in (base, mine, theirs))
            terms = [term for term in own if term in others or term not in then]
            lists[lang] = (*terms, *(term for term in others if term not in own and term not in then))
        name = theirs.name if mine.name == base.name else mine.name
        none = pd.DataFrame({column: text_array([]) for column in ("lang", "term", "base", "mine", "theirs")})
        return SpokenState(name, {lang: terms for lang, terms in lists.items() if terms}), Report(none)

    def read(self, client: Client, given: str) -> tuple[str, SpokenState]:
        """A collection by its id or name."""
        found = self.kind.get(client, given)
        lists = [client.spoken_terms.entries(found.spoken_terms_id, each.lang) for each in found.term_lists]
        terms = {lang_of(each.lang): terms_of(each.entries) for each in lists}
        return found.spoken_terms_id, SpokenState(found.name, {lang: each for lang, each in terms.items() if each})

    def counts_in(self, listed: SpokenTerms) -> dict[str, int]:
        """The terms of each language."""
        return {lang_of(each.lang): each.entry_count for each in listed.term_lists}

    def create(self, client: Client, wanted: SpokenState) -> str:
        """Create it with a single request."""
        lists = [TermList(as_bcp47(lang), "\n".join(terms)) for lang, terms in wanted.parts.items()]
        return client.spoken_terms.create(wanted.name, lists, tries=1).spoken_terms_id

    def do(self, client: Client, thing_id: str, step: LanguageStep, wanted: SpokenState) -> None:
        """Rename it, or write or delete one list."""
        lang = as_bcp47(step.part or "")
        if step.step == "rename":
            client.spoken_terms.update(thing_id, name=wanted.name)
        elif step.step == "put":
            client.spoken_terms.replace_list(thing_id, TermList(lang, "\n".join(wanted.parts[step.part])))
        else:
            try:
                client.spoken_terms.delete_list(thing_id, lang)
            except NotFound:  # the list is already gone; if the whole collection is, this raises
                client.spoken_terms.get(thing_id)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Explain status 456, which does not refer to characters when it is about spoken terms."""
        try:
            yield
        except QuotaExceeded as error:
            raise ApiError(
                f"The plan allows no more collections of spoken terms ({error.message}). Delete one first, or change "
                "an existing one: push(table, spoken_terms_id=...)",
                status=error.status,
                trace_id=error.trace_id,
            ) from error


COLLECTIONS = SyncedSpokenTerms()
listed, pull = COLLECTIONS.overview, COLLECTIONS.pull
