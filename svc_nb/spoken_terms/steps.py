"""The way from one state of a collection to another: worked out as steps, then done, one request each.

Lists are written before others are deleted, so that no language is missing in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.errors import NotFound
from svc_nb.language_codes import as_bcp47
from svc_nb.spoken_terms.state import NOTHING, State, is_like
from svc_nb.sync.backups import Action
from svc_nb.sync.creation import created
from svc_nb.sync.kinds import called
from svc_nb.sync.turns import Progress, in_turn
from svc_nb.tabular.column import TEXT
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.client import Client
from svc_nb.wire.models import SpokenTerms, TermList

AMOUNTS = ("added", "removed", "entries")


@dataclass(frozen=True)
class Step:
    """One thing to do, or to leave, for one language; a rename has none."""

    step: str
    lang: str | None = None
    added: int = 0
    removed: int = 0
    entries: int = 0


class Push(Report):
    """What was done on the service, step by step, or would be; `spoken_terms_id` is None where there is none yet."""

    _metadata = [*Report._metadata, "spoken_terms_id"]
    spoken_terms_id: str | None

    def __init__(
        self, steps: Sequence[Step], said: str = "", *, spoken_terms_id: str | None = None, done: bool = True
    ) -> None:
        columns: dict[str, Any] = {
            name: pd.array([getattr(step, name) for step in steps], dtype=TEXT) for name in ("step", "lang")
        }
        columns |= {name: np.array([getattr(step, name) for step in steps], np.int64) for name in AMOUNTS}
        columns["done"] = np.array([done or step.step == "nothing" for step in steps], np.bool_)
        super().__init__(pd.DataFrame(columns), said)
        object.__setattr__(self, "spoken_terms_id", spoken_terms_id)


@dataclass(frozen=True)
class Change:
    """A collection's way from the state *now* to the one *wanted*; None is no collection at all."""

    spoken_terms_id: str | None
    now: State | None
    wanted: State | None

    @property
    def action(self) -> Action:
        """What is done to the collection as a whole."""
        return "create" if self.now is None else "delete" if self.wanted is None else "change"

    @property
    def name(self) -> str:
        """What the collection is called in the end."""
        return (self.wanted or self.now or NOTHING).name

    @cached_property
    def steps(self) -> list[Step]:
        """What is to be done and left, in this order."""
        old, new = self.now or NOTHING, self.wanted or NOTHING
        found = [self._step(lang) for lang in {**new.lists, **old.lists}]
        if self.action == "change" and old.name != new.name:
            found.insert(0, Step("rename"))
        return sorted(found, key=lambda step: step.step == "delete")

    @property
    def is_none(self) -> bool:
        """Whether there is nothing to do."""
        return self.action == "change" and all(step.step == "nothing" for step in self.steps)

    def _step(self, lang: str) -> Step:
        old, new = (set((each or NOTHING).lists.get(lang, ())) for each in (self.now, self.wanted))
        kind = "create" if self.now is None else "delete" if not new else "nothing" if old == new else "put"
        return Step(kind, lang, len(new - old), len(old - new), len(new))


# ---- doing it


def perform(client: Client, change: Change, *, known: Sequence[SpokenTerms], progress: Progress) -> str:
    """Do all of *change* and return the collection's id; *known* are all that were there before a creation.

    *progress* hears after each step how many of how many are done; an error in the middle tells it too.
    """
    if change.action == "create":
        return _create(client, change.wanted or NOTHING, known)
    spoken_terms_id = change.spoken_terms_id or ""
    if change.action == "delete":
        _delete(client, spoken_terms_id)
        return spoken_terms_id
    left = [step for step in change.steps if step.step != "nothing"]
    wanted = change.wanted or NOTHING
    in_turn(left, lambda step: _do(client, spoken_terms_id, step, wanted), done=progress)
    return spoken_terms_id


def _do(client: Client, spoken_terms_id: str, step: Step, wanted: State) -> None:
    lang = as_bcp47(step.lang or "")
    if step.step == "rename":
        client.spoken_terms.update(spoken_terms_id, name=wanted.name)
    elif step.step == "put":
        terms = wanted.lists[step.lang or ""]
        client.spoken_terms.replace_list(spoken_terms_id, TermList(lang, "\n".join(terms)))
    else:
        try:
            client.spoken_terms.delete_list(spoken_terms_id, lang)
        except NotFound:  # the list is gone already, or the whole collection is, which raises
            client.spoken_terms.get(spoken_terms_id)


def _delete(client: Client, spoken_terms_id: str) -> None:
    try:
        client.spoken_terms.delete(spoken_terms_id)
    except NotFound:  # it was there a moment ago: an answer was lost and the request sent again
        return


def _create(client: Client, wanted: State, known: Sequence[SpokenTerms]) -> str:
    before = {each.spoken_terms_id for each in known}

    def send() -> str:
        return client.spoken_terms.create(wanted.name, wanted.nouns(), tries=1).spoken_terms_id

    def find() -> str | None:
        new = [each for each in client.spoken_terms.list() if each.spoken_terms_id not in before]
        return next((each.spoken_terms_id for each in new if is_like(each, wanted)), None)

    return created(client.transport, send, find)


# ---- words


def told(change: Change, spoken_terms_id: str | None, *, done: bool = True, left: str = "") -> str:
    """What was done to a collection, or would be, and what to do next; *left* says what was left alone."""
    known = f" ({spoken_terms_id})" if spoken_terms_id else ""
    also = f" {left}" if left else ""
    subject = f"the spoken terms {called(change.name)}{known}"
    if change.is_none:
        return f"Nothing to do: {subject} are as wanted already.{also}"
    what = _verbs(change)
    if not done:
        return f"Dry run, nothing was sent: {subject} would be {what}.{also} Next: the same without dry_run."
    back = f"svc_nb.spoken_terms.undo({spoken_terms_id!r})"
    then = (
        f"{back} makes them again, under a new id" if change.action == "delete" else f"{back} takes this back"
    )
    return f"{subject[0].upper()}{subject[1:]} were {what}.{also} Next: {then}."


def _verbs(change: Change) -> str:
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
