"""Glossaries on the service kept in step with tables: listed, pulled, compared, pushed, deleted, and taken back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.advice import Option
from svc_nb.errors import BadRequest, InvalidRows, NotFound, QuotaExceeded, TooManyRequests
from svc_nb.glossaries.dictionaries import from_dictionaries, located, to_dictionaries
from svc_nb.glossaries.diff import CHANGES, PUSH, GlossaryDiff, Numbered, counted, diff, within
from svc_nb.glossaries.languages import code_of
from svc_nb.glossaries.lint import MOST_GLOSSARIES, MOST_GLOSSARY_BYTES
from svc_nb.glossaries.merge import merge
from svc_nb.glossaries.table import Pair, checked
from svc_nb.language_codes import as_bcp47, as_normal
from svc_nb.sync.backups import Backups
from svc_nb.sync.changes import Change, Progress, Push, keep_and_do, left_alone, told
from svc_nb.sync.resources import GLOSSARY, Synced, called, check_name
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import TEXT
from svc_nb.wire.client import Client
from svc_nb.wire.models import Dictionary, MultilingualGlossary


@dataclass(frozen=True)
class GlossaryState:
    """All of a glossary but its id."""

    name: str
    dictionaries: Mapping[Pair, Dictionary]

    @classmethod
    def of(cls, name: str, dictionaries: Iterable[Dictionary]) -> GlossaryState:
        """The state with these dictionaries; of two for one pair the later one counts."""
        return cls(name, {meant(each.source_lang, each.target_lang): each for each in dictionaries})

    @cached_property
    def table(self) -> pd.DataFrame:
        """The terms as a tidy table."""
        return from_dictionaries(self.dictionaries.values())

    @cached_property
    def sizes(self) -> dict[Pair, int]:
        """The bytes of each dictionary as they are sent."""
        return {pair: len(each.entries.encode()) for pair, each in self.dictionaries.items()}

    @cached_property
    def counts(self) -> dict[Pair, int]:
        """How many terms each dictionary has."""
        sizes = self.table.groupby(["source_lang", "target_lang"], sort=False).size()
        found = {meant(*pair): int(size) for pair, size in sizes.items()}  # type: ignore[misc]
        return {pair: found.get(pair, 0) for pair in self.dictionaries}


NOTHING = GlossaryState("", {})


def meant(source_lang: str, target_lang: str) -> Pair:
    """A pair as it is meant, without regions."""
    return code_of(source_lang) or source_lang.upper(), code_of(target_lang) or target_lang.upper()


def read(client: Client, glossary_id: str) -> tuple[str, GlossaryState]:
    """The id as the service writes it and the state now of a glossary, which may also be given by its name."""
    glossary = None
    with suppress(NotFound, BadRequest):  # what does not look like an id is a bad request
        glossary = client.glossaries.get(glossary_id)
    if glossary is None:
        glossary_id = GLOSSARY.id_of(glossary_id, client)
        glossary = client.glossaries.get(glossary_id)
    try:
        found = client.glossaries.entries(glossary_id)
    except BadRequest:  # some services of this family give one pair at a time
        found = [
            each
            for pair in glossary.dictionaries
            for each in client.glossaries.entries(
                glossary_id, source_lang=pair.source_lang, target_lang=pair.target_lang
            )
        ]
    return glossary.glossary_id, GlossaryState.of(glossary.name, found)


@contextmanager
def explained() -> Iterator[None]:
    """On glossaries 456 does not speak of characters: say what it means."""
    try:
        yield
    except QuotaExceeded as error:
        problem = TooManyRequests(
            f"There were too many glossary requests of late, and the service takes no more for now ({error.message}). "
            "Run the same again later: only what is left is done",
            status=error.status,
            trace_id=error.trace_id,
            retry_after=error.retry_after,
        )
        for note in getattr(error, "__notes__", []):
            problem.add_note(note)
        raise problem from error


# ---- reading


def listed(client: Client) -> Report:
    """All glossaries, a row each, in the service's order."""
    with explained():
        found = client.glossaries.list()
    pairs = [
        ", ".join(_named([(as_normal(one.source_lang), as_normal(one.target_lang)) for one in each.dictionaries]))
        for each in found
    ]
    columns = {
        "glossary_id": pd.array([each.glossary_id for each in found], dtype=TEXT),
        "name": pd.array([each.name for each in found], dtype=TEXT),
        "pairs": pd.array(pairs, dtype=TEXT),
        "entry_count": np.array([sum(one.entry_count for one in each.dictionaries) for each in found], np.int64),
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


def compare(client: Client, table: pd.DataFrame, glossary_id: str, *, prune: bool = False) -> GlossaryDiff:
    """What a push of *table* would add, change and remove; pairs that it would leave alone are told, but no rows."""
    with explained():
        _, state = read(client, glossary_id)
    pairs = set(Numbered(table).pairs)
    if prune:
        found = diff(state.table, table)
        return GlossaryDiff(found, found.said.replace(PUSH, PUSH.replace("(...)", "(..., prune=True)")))
    found = diff(within(state.table, pairs), table)
    left = left_alone(_named([pair for pair in state.dictionaries if pair not in pairs]), "pair")
    said, then, push = found.said.partition(PUSH)
    return GlossaryDiff(found, " ".join(filter(None, [said.strip(), left, then + push])))


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
    if name is None and glossary_id is None:
        raise ValueError('push: expected a name for the glossary, such as push(table, "Products"), or glossary_id=')
    if name is not None:
        check_name(name, "glossary")
    if not len(checked(table)):
        raise ValueError(
            "the table has no terms, and a glossary has at least one. To remove a glossary: "
            "svc_nb.glossaries.delete(glossary_id)"
        )
    dictionaries = to_dictionaries(table)
    made, left = None, ""
    with explained():
        known = client.glossaries.list() if glossary_id is None else []
        given = GLOSSARIES.id_named(name, known) if glossary_id is None else glossary_id
        found_id, now = (None, None) if given is None else read(client, given)
        if now is not None and base is not None:
            mine, table = table, _merged(base, table, now, prune=prune)
            left, dictionaries = _left_deleted(mine, table), to_dictionaries(table)
        here = GlossaryState.of(name or (now.name if now else ""), dictionaries)
        there = {} if now is None or prune else now.dictionaries
        wanted = GlossaryState(here.name, {**there, **here.dictionaries})
        GLOSSARIES.check(wanted, known if now is None else None)
        change = Change(GLOSSARIES, found_id, now, wanted)
        if not dry_run and not change.is_none:
            with row_by_row(table):
                made = keep_and_do(client, change, backups, known=known, progress=progress)
    alone = left_alone(_named([pair for pair in there if pair not in here.dictionaries]), "pair")
    found_id = made.thing_id if made else found_id
    said = told(change, found_id, done=not dry_run, left=f"{left} {alone}".strip())
    return Push(change, found_id, said, made=made, done=not dry_run)


def _merged(base: pd.DataFrame, mine: pd.DataFrame, now: GlossaryState, *, prune: bool) -> pd.DataFrame:
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


# ---- how a glossary gets from one state to another


@dataclass(frozen=True)
class GlossaryStep:
    """One thing to do, or to leave, for one language pair; a rename has no pair."""

    step: str
    source_lang: str | None = None
    target_lang: str | None = None
    added: int = 0
    changed: int = 0
    removed: int = 0
    entries: int = 0
    growth: int = 0


class SyncedGlossaries(Synced[GlossaryState]):
    """How sync handles a glossary."""

    kind = GLOSSARY
    room = "glossaries"
    id_name = "glossary_id"
    called = "the glossary"
    columns = ("step", "source_lang", "target_lang", *CHANGES, "entries")
    amounts = (*CHANGES, "entries")

    def to_wire(self, state: GlossaryState) -> dict[str, Any]:
        """The name and the dictionaries."""
        return {"name": state.name, "dictionaries": [each.to_wire() for each in state.dictionaries.values()]}

    def state(self, wire: Any) -> GlossaryState:
        """The state that `to_wire` gave."""
        return GlossaryState.of(wire["name"], [Dictionary.from_wire(each) for each in wire["dictionaries"]])

    def steps(self, now: GlossaryState | None, wanted: GlossaryState | None) -> list[GlossaryStep]:
        """What to do for each pair.

        Where both together would be too large, a step that shrinks the glossary goes before one that grows it; else
        terms are written before others are deleted, so that no pair is missing in between.
        """
        old, new = now or NOTHING, wanted or NOTHING
        changes = diff(old.table, new.table).counts()
        found = []
        for pair in {**new.dictionaries, **old.dictionaries}:
            differs = changes.get(pair) or pair not in old.dictionaries
            kind = "delete" if pair not in new.dictionaries else "put" if differs else "nothing"
            added, changed, removed = (changes.get(pair, {}).get(name, 0) for name in CHANGES)
            growth = new.sizes.get(pair, 0) - old.sizes.get(pair, 0)
            entries = new.counts.get(pair, 0)
            kind = "create" if now is None else kind
            found.append(GlossaryStep(kind, *pair, added, changed, removed, entries, growth))
        if now and wanted and old.name != new.name:
            found.insert(0, GlossaryStep("rename"))
        peak = sum(old.sizes.values()) + sum(max(step.growth, 0) for step in found)
        if peak <= MOST_GLOSSARY_BYTES:
            return sorted(found, key=lambda step: step.step == "delete")
        return sorted(found, key=lambda step: step.growth)

    def difference(self, old: GlossaryState, new: GlossaryState) -> GlossaryDiff:
        """The terms that differ."""
        return diff(old.table, new.table)

    def differing(self, one: GlossaryState, other: GlossaryState) -> set[Pair]:
        """The pairs whose terms differ, in whatever order they stand."""
        only_one = set(one.dictionaries) ^ set(other.dictionaries)
        return only_one | set(diff(one.table, other.table).counts())

    def merged(self, base: GlossaryState, mine: GlossaryState, theirs: GlossaryState) -> tuple[GlossaryState, Report]:
        """*mine* with what others changed, pair by pair as it was written where they changed nothing."""
        found = merge(base.table, mine.table, theirs.table)
        name = theirs.name if mine.name == base.name else mine.name
        touched = set(diff(mine.table, found.table).counts())
        written = GlossaryState.of(name, to_dictionaries(within(found.table, touched)))
        same = {pair: each for pair, each in mine.dictionaries.items() if pair not in touched}
        return GlossaryState(name, {**same, **written.dictionaries}), found.conflicts

    def listed(self, client: Client) -> Sequence[MultilingualGlossary]:
        """All glossaries of the account."""
        return client.glossaries.list()

    def read(self, client: Client, given: str) -> tuple[str, GlossaryState]:
        """A glossary by its id or name."""
        return read(client, given)

    def is_like(self, listed: MultilingualGlossary, wanted: GlossaryState) -> bool:
        """Whether it has the name, the pairs and the numbers of terms."""
        counts = {meant(each.source_lang, each.target_lang): each.entry_count for each in listed.dictionaries}
        return listed.name == wanted.name and counts == wanted.counts

    def create(self, client: Client, wanted: GlossaryState) -> str:
        """Make it with a single request."""
        return client.glossaries.create(wanted.name, wanted.dictionaries.values(), tries=1).glossary_id

    def do(self, client: Client, thing_id: str, step: GlossaryStep, wanted: GlossaryState) -> None:
        """Rename it, or write or delete one pair."""
        pair = (step.source_lang or "", step.target_lang or "")
        if step.step == "rename":
            client.glossaries.rename(thing_id, wanted.name)
        elif step.step == "put":
            client.glossaries.replace_dictionary(thing_id, wanted.dictionaries[pair])
        else:
            source, target = map(as_bcp47, pair)
            try:
                client.glossaries.delete_dictionary(thing_id, source_lang=source, target_lang=target)
            except NotFound:  # the pair is gone already, or the whole glossary is, which raises
                client.glossaries.get(thing_id)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Say what 456 means for glossaries."""
        with explained():
            yield

    def check(self, wanted: GlossaryState | None, known: Sequence[Any] | None = None) -> None:
        """Refuse one glossary too many, and more bytes than the service takes."""
        if known is not None and len(known) >= MOST_GLOSSARIES:
            raise ValueError(
                f"the account has {len(known):,} glossaries, and at most {MOST_GLOSSARIES:,} are allowed. "
                f"Nothing was sent. Delete one first, or add to one that is there with {Option('glossary_id')}"
            )
        size = sum(wanted.sizes.values()) if wanted else 0
        if size > MOST_GLOSSARY_BYTES:
            raise InvalidRows(
                f"The glossary would have {size:,} bytes, with the pairs that are there already, and the service takes "
                f"{MOST_GLOSSARY_BYTES:,}. Nothing was sent. Split the table into several glossaries, or pass "
                f"{Option('prune', True)}"
            )

    def told(self, change: Change[GlossaryState]) -> str:
        """What is done to a glossary, as participles."""
        steps = change.steps
        if change.action == "create":
            terms = plural(sum(step.entries for step in steps), "term")
            return f"created with {terms} in {plural(len(steps), 'pair')}"
        if change.action == "delete":
            return f"deleted with {plural(sum(step.removed for step in steps), 'term')}"
        touched = [step for step in steps if step.step in ("put", "delete")]
        sums = counted(*(sum(getattr(step, name) for step in steps) for name in CHANGES))
        renamed = ["renamed"] if any(step.step == "rename" for step in steps) else []
        changed = [f"changed: {sums} in {plural(len(touched), 'pair')}"] if touched else []
        return " and ".join(renamed + changed)

    def use(self, thing_id: str) -> str:
        """Translate with it."""
        return f".svc.translate(..., glossary_id={thing_id!r}) uses it"


GLOSSARIES = SyncedGlossaries()


# ---- words


def _left_deleted(mine: pd.DataFrame, merged: pd.DataFrame) -> str:
    """That terms of *mine* were left out of what was *merged*, because others deleted them."""
    found = diff(merged, mine).counts()
    count = sum(changes["added"] for changes in found.values())
    if not count:
        return ""
    pairs = ", ".join(_named([pair for pair, changes in found.items() if changes["added"]]))
    terms = plural(count, "term of your table was", "terms of your table were")
    them = "it" if count == 1 else "them"
    return (
        f"{terms} deleted on the service by others since the base, and left deleted ({pairs}); a push without base= "
        f"brings {them} back."
    )


def _named(pairs: Sequence[Pair]) -> list[str]:
    return [" → ".join(pair) for pair in pairs]
