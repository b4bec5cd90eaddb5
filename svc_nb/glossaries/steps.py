"""The way from one state of a glossary to another: worked out as steps, then done, one request each.

A step that shrinks the glossary goes before one that grows it where both together would be too large; else terms are
written before others are deleted, so that no pair is missing in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from svc_nb.errors import NotFound
from svc_nb.glossaries.diff import CHANGES, counted, diff
from svc_nb.glossaries.rules import MOST_GLOSSARY_BYTES
from svc_nb.glossaries.state import NOTHING, State, is_like
from svc_nb.glossaries.table import Pair
from svc_nb.language_codes import as_bcp47
from svc_nb.sync.backups import Action
from svc_nb.sync.creation import created
from svc_nb.sync.kinds import called
from svc_nb.sync.turns import Progress, in_turn
from svc_nb.tabular.column import TEXT
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.client import Client
from svc_nb.wire.models import MultilingualGlossary


@dataclass(frozen=True)
class Step:
    """One thing to do, or to leave, for one language pair; a rename has no pair."""

    step: str
    source_lang: str | None = None
    target_lang: str | None = None
    added: int = 0
    changed: int = 0
    removed: int = 0
    entries: int = 0
    growth: int = 0


class Push(Report):
    """What was done on the service, step by step, or would be; `glossary_id` is the glossary's id, None without one."""

    _metadata = [*Report._metadata, "glossary_id"]
    glossary_id: str | None

    def __init__(
        self, steps: Sequence[Step], said: str = "", *, glossary_id: str | None = None, done: bool = True
    ) -> None:
        texts = ("step", "source_lang", "target_lang")
        columns: dict[str, Any] = {
            name: pd.array([getattr(step, name) for step in steps], dtype=TEXT) for name in texts
        }
        for name in (*CHANGES, "entries"):
            columns[name] = [getattr(step, name) for step in steps]
        columns["done"] = [done or step.step == "nothing" for step in steps]
        super().__init__(pd.DataFrame(columns), said)
        object.__setattr__(self, "glossary_id", glossary_id)


@dataclass(frozen=True)
class Change:
    """A glossary's way from the state *now* to the one *wanted*; None is no glossary at all."""

    glossary_id: str | None
    now: State | None
    wanted: State | None

    @property
    def action(self) -> Action:
        """What is done to the glossary as a whole."""
        return "create" if self.now is None else "delete" if self.wanted is None else "change"

    @property
    def name(self) -> str:
        """What the glossary is called in the end."""
        return (self.wanted or self.now or NOTHING).name

    @cached_property
    def steps(self) -> list[Step]:
        """What is to be done and left, in this order."""
        old, new = self.now or NOTHING, self.wanted or NOTHING
        changes = diff(old.table, new.table).counts()
        found = [self._step(pair, changes.get(pair)) for pair in {**new.dictionaries, **old.dictionaries}]
        if self.action == "change" and old.name != new.name:
            found.insert(0, Step("rename"))
        peak = sum(old.sizes.values()) + sum(max(step.growth, 0) for step in found)
        if peak <= MOST_GLOSSARY_BYTES:
            return sorted(found, key=lambda step: step.step == "delete")
        return sorted(found, key=lambda step: step.growth)

    @property
    def is_none(self) -> bool:
        """Whether there is nothing to do."""
        if self.action == "change":
            return all(step.step == "nothing" for step in self.steps)
        return self.now is None and self.wanted is None

    def _step(self, pair: Pair, changes: dict[str, int] | None) -> Step:
        old, new = self.now or NOTHING, self.wanted or NOTHING
        if self.now is None:
            kind = "create"
        elif pair not in new.dictionaries:
            kind = "delete"
        else:
            kind = "put" if changes or pair not in old.dictionaries else "nothing"
        added, changed, removed = ((changes or {}).get(name, 0) for name in CHANGES)
        growth = new.sizes.get(pair, 0) - old.sizes.get(pair, 0)
        return Step(kind, *pair, added, changed, removed, entries=new.counts.get(pair, 0), growth=growth)


# ---- doing it


def perform(
    client: Client,
    change: Change,
    *,
    known: Sequence[MultilingualGlossary] = (),
    progress: Progress,
) -> str | None:
    """Do all of *change* and return the glossary's id; *known* are all glossaries that were there before a creation.

    *progress* hears after each step how many of how many are done; an error in the middle tells it too.
    """
    if change.action == "create":
        return _create(client, change.wanted or NOTHING, known)
    if change.action == "delete":
        return _delete(client, change.glossary_id or "")
    left = [step for step in change.steps if step.step != "nothing"]
    in_turn(left, lambda step: _do(client, change, step), done=progress)
    return change.glossary_id


def _do(client: Client, change: Change, step: Step) -> None:
    glossary_id, wanted = change.glossary_id or "", change.wanted or NOTHING
    pair = (step.source_lang or "", step.target_lang or "")
    if step.step == "rename":
        client.glossaries.rename(glossary_id, wanted.name)
    elif step.step == "put":
        client.glossaries.replace_dictionary(glossary_id, wanted.dictionaries[pair])
    else:
        try:
            source, target = map(as_bcp47, pair)
            client.glossaries.delete_dictionary(glossary_id, source_lang=source, target_lang=target)
        except NotFound:  # the pair is gone already, or the whole glossary is, which raises
            client.glossaries.get(glossary_id)


def _delete(client: Client, glossary_id: str) -> str:
    try:
        client.glossaries.delete(glossary_id)
    except NotFound:  # it was there a moment ago: an answer was lost and the request sent again
        return glossary_id
    return glossary_id


def _create(client: Client, wanted: State, known: Sequence[MultilingualGlossary]) -> str:
    before = {each.glossary_id for each in known}

    def send() -> str:
        return client.glossaries.create(wanted.name, wanted.dictionaries.values(), tries=1).glossary_id

    def find() -> str | None:
        new = [each for each in client.glossaries.list() if each.glossary_id not in before]
        return next((each.glossary_id for each in new if is_like(each, wanted)), None)

    return created(client.transport, send, find)


# ---- words


def told(
    change: Change, glossary_id: str | None, *, done: bool = True, left: str = "", call: str = "push"
) -> str:
    """What was done to a glossary by *call*, or would be, and what to do next; *left* says what was left alone."""
    known = f" ({glossary_id})" if glossary_id else ""
    also = f" {left}" if left else ""
    subject = f"the glossary {called(change.name)}{known}"
    if change.is_none:
        return f"Nothing to do: {subject} is as wanted already.{also}"
    what = _verbs(change)
    if not done:
        return f"Dry run, nothing was sent: {subject} would be {what}.{also} Next: the same {call} without dry_run."
    back = f"svc_nb.glossaries.undo({glossary_id!r})"
    then = (
        f"{back} makes it again, under a new id"
        if change.action == "delete"
        else f".svc.translate(..., glossary_id={glossary_id!r}) uses it; {back} takes this back"
    )
    return f"{subject[0].upper()}{subject[1:]} was {what}.{also} Next: {then}."


def _verbs(change: Change) -> str:
    """What is done to a glossary, as participles."""
    terms, pairs = sum(step.entries for step in change.steps), len(change.steps)
    if change.action == "create":
        return f"created with {plural(terms, 'term')} in {plural(pairs, 'pair')}"
    if change.action == "delete":
        return f"deleted with {plural(sum(step.removed for step in change.steps), 'term')}"
    renamed = ["renamed"] if any(step.step == "rename" for step in change.steps) else []
    touched = [step for step in change.steps if step.step in ("put", "delete")]
    sums = [sum(getattr(step, name) for step in touched) for name in CHANGES]
    changed = [f"changed: {counted(*sums)} in {plural(len(touched), 'pair')}"] if touched else []
    return " and ".join([*renamed, *changed])
