"""Glossaries on the service kept in sync with tables: list, pull, compare, push, delete, and undo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from svc_nb.advice import Option
from svc_nb.checks.service_terms import MOST_GLOSSARY_BYTES, MOST_PER_ACCOUNT, to_dictionaries
from svc_nb.errors import BadRequest, InvalidRows, NotFound
from svc_nb.glossaries.dictionaries import from_dictionaries, located
from svc_nb.glossaries.diff import PUSH, GlossaryDiff, Numbered, diff, merge, within
from svc_nb.language_codes import as_bcp47
from svc_nb.sync.backups import Backups
from svc_nb.sync.by_language import LanguageState, LanguageStep, SyncedByLanguage, named
from svc_nb.sync.changes import Push
from svc_nb.sync.resources import GLOSSARY, quota_explained
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.terms import LANGUAGE_COLUMNS, Pair, code_of
from svc_nb.wire.client import Client
from svc_nb.wire.models import Dictionary, MultilingualGlossary


@dataclass(frozen=True)
class GlossaryState(LanguageState):
    """A glossary without its id, with a dictionary for each pair."""

    @classmethod
    def of(cls, name: str, dictionaries: Iterable[Dictionary]) -> GlossaryState:
        """The state with these dictionaries; the later of two for one pair wins."""
        return cls(name, {meant(each.source_lang, each.target_lang): each for each in dictionaries})

    @cached_property
    def table(self) -> pd.DataFrame:
        """The terms as a tidy table."""
        return from_dictionaries(self.parts.values())

    @cached_property
    def sizes(self) -> dict[Pair, int]:
        """The bytes of each dictionary as sent."""
        return {pair: len(each.entries.encode()) for pair, each in self.parts.items()}

    @cached_property
    def counts(self) -> dict[Pair, int]:
        """How many terms each dictionary has."""
        sizes = self.table.groupby(["source_lang", "target_lang"], sort=False).size()
        found = {meant(*pair): int(size) for pair, size in sizes.items()}  # type: ignore[misc]
        return {pair: found.get(pair, 0) for pair in self.parts}


def meant(source_lang: str, target_lang: str) -> Pair:
    """A normalized pair, without regions."""
    return code_of(source_lang) or source_lang.upper(), code_of(target_lang) or target_lang.upper()


def compare(client: Client, table: pd.DataFrame, glossary_id: str, *, prune: bool = False) -> GlossaryDiff:
    """What a push of *table* would add, change and remove; pairs that it would leave alone are only counted."""
    with GLOSSARIES.explained():
        _, state = GLOSSARIES.read(client, glossary_id)
    if prune:
        return diff(state.table, table, push=PUSH.replace("(...)", "(..., prune=True)"))
    pairs = set(Numbered(table).pairs)
    left = GLOSSARIES.left_alone([pair for pair in state.parts if pair not in pairs])
    return diff(within(state.table, pairs), table, left=left)


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
) -> Push:
    """Give a glossary on the service the terms of *table*."""
    left = ""
    dictionaries = to_dictionaries(table)
    with GLOSSARIES.explained():
        found = GLOSSARIES.found(client, table, name, glossary_id)
        now = found[-1]
        if now is not None and base is not None:
            mine, table = table, _merged(base, table, now, prune=prune)
            left, dictionaries = _left_deleted(mine, table), to_dictionaries(table)
        parts = GlossaryState.of("", dictionaries).parts
        with row_by_row(table):
            return GLOSSARIES.send(
                client, found, parts, name=name, dry_run=dry_run, prune=prune, backups=backups, left=left
            )


def _merged(base: pd.DataFrame, mine: pd.DataFrame, now: GlossaryState, *, prune: bool) -> pd.DataFrame:
    """*mine* with later changes by others since *base*; only in the pairs of *mine*, unless pruning."""
    pairs = set(Numbered(mine, base, now.table).pairs) if prune else set(Numbered(mine).pairs)
    found = merge(within(base, pairs), mine, within(now.table, pairs))
    if len(found.conflicts):
        raise InvalidRows(
            f"{plural(len(found.conflicts), 'term')} changed differently here and on the service. Nothing was sent. "
            "See .findings of this error; svc_nb.glossaries.merge(base, mine, theirs, prefer=...) resolves them",
            rows=found.rows,
            findings=found.conflicts,
        )
    if not len(found.table) and set(now.parts) <= pairs:
        raise ValueError(
            "no terms are left after the merge: you or others have deleted them all since the base. Push without base= "
            "to restore yours, or delete the glossary with svc_nb.glossaries.delete(...)"
        )
    return found.table


@contextmanager
def row_by_row(table: pd.DataFrame) -> Iterator[None]:
    """An error of the service with the rows of *table* that it is about."""
    try:
        yield
    except BadRequest as error:
        rows = located(error, table)
        if rows is None:
            raise
        raise rows from error


# ---- how a glossary gets from one state to another


class SyncedGlossaries(SyncedByLanguage[GlossaryState]):
    """How sync handles a glossary."""

    kind = GLOSSARY
    called = "the glossary"
    kept = GlossaryState
    part = "pair"
    languages = LANGUAGE_COLUMNS
    most_bytes = MOST_GLOSSARY_BYTES

    def to_wire(self, state: GlossaryState) -> dict[str, Any]:
        """The name and the dictionaries."""
        return {"name": state.name, "dictionaries": [each.to_wire() for each in state.parts.values()]}

    def state(self, wire: Any) -> GlossaryState:
        """The state from the result of `to_wire`."""
        return GlossaryState.of(wire["name"], [Dictionary.from_wire(each) for each in wire["dictionaries"]])

    def difference(self, old: GlossaryState, new: GlossaryState) -> GlossaryDiff:
        """The terms that differ."""
        return diff(old.table, new.table)

    def merged(self, base: GlossaryState, mine: GlossaryState, theirs: GlossaryState) -> tuple[GlossaryState, Report]:
        """*mine* with the changes of others; pairs that they did not change stay as written."""
        found = merge(base.table, mine.table, theirs.table)
        name = theirs.name if mine.name == base.name else mine.name
        touched = set(diff(mine.table, found.table).counts())
        written = GlossaryState.of(name, to_dictionaries(within(found.table, touched)))
        same = {pair: each for pair, each in mine.parts.items() if pair not in touched}
        return GlossaryState(name, {**same, **written.parts}), found.conflicts

    def read(self, client: Client, given: str) -> tuple[str, GlossaryState]:
        """A glossary by its id or name."""
        glossary = self.kind.get(client, given)
        glossary_id = glossary.glossary_id
        try:
            found = client.glossaries.entries(glossary_id)
        except BadRequest:  # some services of this family return one pair at a time
            found = [
                each
                for pair in glossary.dictionaries
                for each in client.glossaries.entries(
                    glossary_id, source_lang=pair.source_lang, target_lang=pair.target_lang
                )
            ]
        return glossary_id, GlossaryState.of(glossary.name, found)

    def counts_in(self, listed: MultilingualGlossary) -> dict[Pair, int]:
        """The terms of each pair."""
        return {meant(each.source_lang, each.target_lang): each.entry_count for each in listed.dictionaries}

    def create(self, client: Client, wanted: GlossaryState) -> str:
        """Create it with a single request."""
        return client.glossaries.create(wanted.name, wanted.parts.values(), tries=1).glossary_id

    def do(self, client: Client, thing_id: str, step: LanguageStep, wanted: GlossaryState) -> None:
        """Rename it, or write or delete one pair."""
        if step.step == "rename":
            client.glossaries.rename(thing_id, wanted.name)
        elif step.step == "put":
            client.glossaries.replace_dictionary(thing_id, wanted.parts[step.part])
        else:
            source, target = map(as_bcp47, step.part)
            try:
                client.glossaries.delete_dictionary(thing_id, source_lang=source, target_lang=target)
            except NotFound:  # the pair is already gone; if the whole glossary is, this raises
                client.glossaries.get(thing_id)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Explain what status 456 means for glossaries."""
        with quota_explained():
            yield

    def check(self, wanted: GlossaryState | None, known: Sequence[Any] | None = None) -> None:
        """Refuse one glossary too many, and more bytes than the service accepts."""
        if known is not None and len(known) >= MOST_PER_ACCOUNT:
            raise ValueError(
                f"the account has {len(known):,} glossaries, and at most {MOST_PER_ACCOUNT:,} are allowed. Nothing was "
                f"sent. Delete one first, or push to an existing one with {Option('glossary_id')}"
            )
        size = sum(wanted.sizes.values()) if wanted else 0
        if size > MOST_GLOSSARY_BYTES:
            raise InvalidRows(
                f"The glossary would have {size:,} bytes, with the pairs that it already has; the service accepts at "
                f"most {MOST_GLOSSARY_BYTES:,}. Nothing was sent. Split the table into several glossaries, or pass "
                f"{Option('prune', True)}"
            )

    def use(self, thing_id: str) -> str:
        """How to translate with it."""
        return f".svc.translate(..., glossary_id={thing_id!r}) uses it"


GLOSSARIES = SyncedGlossaries()
explained, read, pull = GLOSSARIES.explained, GLOSSARIES.read, GLOSSARIES.pull


def listed(client: Client) -> Report:
    """All glossaries, one row each, in the service's order."""
    return GLOSSARIES.overview(client, f" of at most {MOST_PER_ACCOUNT:,}")


def _left_deleted(mine: pd.DataFrame, merged: pd.DataFrame) -> str:
    """The note that terms of *mine* are missing from *merged* because others deleted them."""
    found = diff(merged, mine).counts()
    count = sum(changes["added"] for changes in found.values())
    if not count:
        return ""
    pairs = ", ".join(named(pair for pair, changes in found.items() if changes["added"]))
    terms = plural(count, "term of your table was", "terms of your table were")
    them = "it" if count == 1 else "them"
    return (
        f"{terms} deleted on the service by others since the base, and stayed deleted ({pairs}); a push without base= "
        f"restores {them}."
    )
