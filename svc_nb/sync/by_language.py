"""The functions shared by things whose content is a mapping by language or language pair.

A glossary has a dictionary for each pair, a collection of spoken terms a list for each language. A push sends only the
parts that differ, and leaves parts alone that are not in the table, unless it prunes.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
import pandas as pd

from svc_nb.advice import Option
from svc_nb.sync.backups import Backups
from svc_nb.sync.changes import Change, Push, send
from svc_nb.sync.resources import Synced, check_name
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import text_array
from svc_nb.wire.client import Client

CHANGES = ("added", "changed", "removed")

# A language, or a pair of them.
Part = Any


@dataclass(frozen=True)
class LanguageState:
    """A thing without its id: its name, and the content of its parts."""

    name: str
    parts: Mapping[Part, Any]

    @property
    def table(self) -> pd.DataFrame:
        """The terms as a table."""
        raise NotImplementedError

    @property
    def counts(self) -> Mapping[Part, int]:
        """How many terms each part has."""
        raise NotImplementedError

    @property
    def sizes(self) -> Mapping[Part, int]:
        """The bytes of each part as sent, if the service limits them."""
        return {}


@dataclass(frozen=True)
class LanguageStep:
    """One step for one part, which may be to leave it alone; a rename has no part."""

    step: str
    part: Part = None
    added: int = 0
    changed: int = 0
    removed: int = 0
    entries: int = 0
    growth: int = 0


L = TypeVar("L", bound=LanguageState)


class SyncedByLanguage(Synced[L]):
    """A kind of thing with a part for each language or pair."""

    kept: ClassVar[type[Any]]
    """The class of its states."""
    part: ClassVar[str]
    """What a part is called."""
    languages: ClassVar[Sequence[str]]
    """The columns of a table that name the part of a row."""
    changes: ClassVar[Sequence[str]] = CHANGES
    """The possible changes of a term."""
    most_bytes: ClassVar[int] = 0
    """How many bytes all parts together may have, if the service limits them."""

    # ---- states

    def steps(self, now: L | None, wanted: L | None) -> list[LanguageStep]:
        """The steps for each part.

        If both together would be too large, a step that shrinks the thing comes before one that enlarges it; otherwise
        terms are written before others are deleted, so that no part is missing in between."""
        old, new = now or self.kept("", {}), wanted or self.kept("", {})
        changes = counted_by(self.difference(old, new), self.languages)
        found = []
        for part in {**new.parts, **old.parts}:
            differs = part in changes or part not in old.parts
            step = "delete" if part not in new.parts else "put" if differs else "nothing"
            growth = new.sizes.get(part, 0) - old.sizes.get(part, 0)
            entries = new.counts.get(part, 0)
            step = "create" if now is None else step
            found.append(LanguageStep(step, part, **changes.get(part, {}), entries=entries, growth=growth))
        if now and wanted and old.name != new.name:
            found.insert(0, LanguageStep("rename"))
        peak = sum(old.sizes.values()) + sum(max(step.growth, 0) for step in found)
        if peak <= self.most_bytes:
            return sorted(found, key=lambda step: step.step == "delete")
        return sorted(found, key=lambda step: step.growth)

    def differing(self, one: L, other: L) -> set[Part]:
        """The parts whose terms differ, whatever their order."""
        return set(one.parts) ^ set(other.parts) | set(counted_by(self.difference(one, other), self.languages))

    @abstractmethod
    def counts_in(self, listed: Any) -> dict[Part, int]:
        """The number of terms in each part of a listed thing."""

    def is_like(self, listed: Any, wanted: L) -> bool:
        """Whether the name, the parts and the numbers of terms match."""
        return listed.name == wanted.name and self.counts_in(listed) == wanted.counts

    # ---- verbs

    def overview(self, client: Client, most: str = "") -> Report:
        """All things of the account, one row each, in the service's order; *most* says how many there may be."""
        with self.explained():
            found = self.kind.all(client)
        counts = [self.counts_in(each) for each in found]
        id_name, room = self.kind.id_name, self.kind.room
        columns = {
            id_name: text_array([self.kind.id_in(each) for each in found]),
            "name": text_array([each.name for each in found]),
            "pairs" if len(self.languages) > 1 else "langs": text_array([", ".join(named(each)) for each in counts]),
            "entry_count": np.array([sum(each.values()) for each in counts], np.int64),
            "creation_time": pd.DatetimeIndex([each.creation_time for each in found], tz="UTC"),
        }
        then = f"pull({id_name}) returns the terms of one" if found else "push(table, name) creates the first"
        said = f"{plural(len(found), self.kind.one, self.kind.many)}{most}. Next: svc_nb.{room}.{then}."
        return Report(pd.DataFrame(columns), said)

    def pull(self, client: Client, given: str) -> Report:
        """The terms of a thing as a table, all parts in one."""
        with self.explained():
            _, state = self.read(client, given)
        count = f"{plural(len(state.table), 'term')} in {plural(len(state.parts), self.part)}"
        then = f"svc_nb.{self.kind.room}.diff(table, {self.kind.id_name}), then push"
        return Report(state.table, f"{count} of {self.named(state.name)}. Next: edit them, then {then}.")

    def found(
        self, client: Client, table: pd.DataFrame, name: str | None, given: str | None
    ) -> tuple[Sequence[Any], str | None, L | None]:
        """The target of a push of *table*: all things, unless an id is *given*, and the target itself, if it exists."""
        one = self.kind.one.partition(" of ")[0]
        if name is None and given is None:
            call = 'push(table, "Products")'
            raise ValueError(f"push: expected a name for {self.called}, such as {call}, or {self.kind.id_name}=")
        if name is not None:
            check_name(name, one)
        if not len(table):
            raise ValueError(
                f"the table has no terms, and a {one} needs at least one. To remove it: "
                f"svc_nb.{self.kind.room}.delete({self.kind.id_name})"
            )
        known = self.kind.all(client) if given is None else []
        given = self.id_named(name, known) if given is None else given
        found_id, now = (None, None) if given is None else self.read(client, given)
        return known, found_id, now

    def send(
        self,
        client: Client,
        found: tuple[Sequence[Any], str | None, L | None],
        parts: Mapping[Part, Any],
        *,
        name: str | None,
        dry_run: bool,
        prune: bool,
        backups: Backups,
        left: str = "",
    ) -> Push:
        """Give the thing that was *found* these parts, and with *prune* no others."""
        known, found_id, now = found
        there = {} if now is None or prune else now.parts
        wanted = self.kept(name or (now.name if now else ""), {**there, **parts})
        self.check(wanted, known if now is None else None)
        alone = self.left_alone([part for part in there if part not in parts])
        change = Change(self, found_id, now, wanted)
        left = f"{left} {alone}".strip()
        return send(client, change, backups, known=known, dry_run=dry_run, left=left)

    # ---- words

    def table(self, steps: Sequence[LanguageStep]) -> dict[str, Any]:
        """The columns of a table of steps."""
        columns = {"step": text_array([step.step for step in steps])}
        for place, name in enumerate(self.languages):
            columns[name] = text_array([_langs(step.part)[place] if step.part else None for step in steps])
        for name in (*self.changes, "entries"):
            columns[name] = np.array([getattr(step, name) for step in steps], np.int64)
        return columns

    def told(self, change: Change[L]) -> str:
        """The changes to a thing, as participles."""
        steps = change.steps
        if change.action == "create":
            terms = plural(sum(step.entries for step in steps), "term")
            return f"created with {terms} in {plural(len(steps), self.part)}"
        if change.action == "delete":
            return f"deleted with {plural(sum(step.removed for step in steps), 'term')}"
        touched = [step for step in steps if step.step in ("put", "delete")]
        sums = {name: sum(getattr(step, name) for step in steps) for name in self.changes}
        told = ", ".join(f"{count:,} {name}" for name, count in sums.items())
        renamed = ["renamed"] if any(step.step == "rename" for step in steps) else []
        changed = [f"changed: {told} in {plural(len(touched), self.part)}"] if touched else []
        return " and ".join([*renamed, *changed])

    def left_alone(self, parts: Sequence[Part]) -> str:
        """The note that a push leaves those *parts* alone that are not in the table."""
        if not parts:
            return ""
        count = plural(
            len(parts), f"{self.part} that is not in the table is", f"{self.part}s that are not in the table are"
        )
        them = "it" if len(parts) == 1 else "them"
        return f"{count} left alone ({', '.join(named(parts))}); {Option('prune', True)} deletes {them}."


def counted_by(diff: pd.DataFrame, languages: Sequence[str]) -> dict[Part, dict[str, int]]:
    """How many rows of each part were added, changed and removed, for parts with a difference."""
    columns = [diff[name].tolist() for name in (*languages, "change")]
    found: dict[Part, dict[str, int]] = {}
    for (*langs, change), number in Counter(zip(*columns, strict=True)).items():
        part = tuple(langs) if len(langs) > 1 else langs[0]
        found.setdefault(part, dict.fromkeys(CHANGES, 0))[change] = number
    return found


def named(parts: Any) -> list[str]:
    """The parts in words."""
    return [" → ".join(_langs(part)) for part in parts]


def _langs(part: Part) -> tuple[str, ...]:
    return (part,) if isinstance(part, str) else part
