"""What the editing panels share: drafts, a merge with changes by others, a push and its undo.

Every edit is kept in a draft. A push first reads the service's current version: changes by others are merged, and
conflicts wait until a person has chosen a side. Then the panel asks, and only `confirm` sends anything.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

import pandas as pd

from svc_nb.errors import warn
from svc_nb.panels.parts.controls import Part
from svc_nb.panels.parts.drafts import DraftWriter
from svc_nb.panels.parts.panel import PATIENCE, Panel
from svc_nb.tabular.report import plural
from svc_nb.tracebacks import verbs

SIDES = ("mine", "theirs")
P = ParamSpec("P")
Kind = TypeVar("Kind", bound="EditPanel")


def locked(method: Callable[Concatenate[Kind, P], None]) -> Callable[Concatenate[Kind, P], Kind]:
    """Make a method hold its panel's lock, and return the panel."""

    @wraps(method)
    def done(self: Kind, /, *args: P.args, **options: P.kwargs) -> Kind:
        with self._lock:
            method(self, *args, **options)
        return self

    return done


@dataclass
class Conflicts:
    """What was changed differently here and on the service: a row of *table* each, and the sides chosen.

    `rows` are the conflicts as `ConflictList` shows them below `columns`, and `said` describes them.
    """

    table: pd.DataFrame
    go_on: Callable[[dict[int, str]], None]
    sides: dict[int, str] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    said: str = ""

    @property
    def is_settled(self) -> bool:
        """Whether every row has a choice."""
        return len(self.sides) == len(self.table)

    def choose(self, choice: str | Mapping[int, str | None]) -> None:
        """Choose "mine" or "theirs" for all, or for some by their labels; None clears a choice."""
        given = dict.fromkeys(range(len(self.table)), choice) if isinstance(choice, str) else dict(choice)
        for label, side in given.items():
            if side is not None and side not in SIDES:
                raise ValueError(f'a conflict is settled as "mine" or "theirs", found {side!r}')
            if label not in range(len(self.table)):
                raise ValueError(f"there is no conflict {label!r}")
        self.sides |= {label: side for label, side in given.items() if side is not None}
        for label in [label for label, side in given.items() if side is None]:
            self.sides.pop(label, None)


class PendingPush:
    """What a push waits for: `asked` is what `confirm` does, `conflicts` what both sides changed.

    `undoable` is the last push from this panel.
    """

    def __init__(self) -> None:
        self.asked: Callable[[], Any] | None = None
        self.conflicts: Conflicts | None = None
        self.undoable: Any = None

    def drop(self) -> None:
        """Close the question without sending anything."""
        self.asked = self.conflicts = None

    def confirmed(self, nothing: str) -> Callable[[], Any]:
        """Take what was asked about, and close the question; raises ValueError with *nothing* if nothing was asked."""
        asked, self.asked = self.asked, None
        if asked is None:
            raise ValueError(nothing)
        return asked

    def go_on(self) -> None:
        """Continue with the side chosen for each conflict."""
        if self.conflicts is None or not self.conflicts.is_settled:
            raise ValueError("Choose which version to keep in every row first.")
        self.conflicts.go_on(self.conflicts.sides)


@dataclass(frozen=True)
class Meanwhile:
    """Nothing was sent, because others changed the same thing first: `theirs` is their version, None if deleted."""

    theirs: Any


@verbs
class EditPanel(Panel, ABC):
    """A panel for things that are edited here and pushed; `_busy` counts requests in progress on the service."""

    _kept_in: ClassVar[str]  # where edits still are that no draft could keep
    _no_conflicts: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self._busy = 0
        self._listed: pd.DataFrame | None = None
        self._push = PendingPush()

    @locked
    def settle(self, choice: str | Mapping[int, str]) -> None:
        """Settle conflicts as "mine" or "theirs", all or some by their labels; after the last the push continues."""
        self._choose(choice)
        if self._push.conflicts is not None and self._push.conflicts.is_settled:
            self._push.go_on()

    def close(self) -> None:
        """Close the panel: its widgets go, its threads end, and unpushed edits are kept as a draft."""
        for worker in self._workers:
            worker.close(PATIENCE)
        lost = self._leave_drafts()
        super().close()
        if lost:
            what = f"{plural(lost, 'step was', 'steps were')} neither pushed nor kept"
            warn(UserWarning(f"{what}, because no draft could be written; {self._kept_in} still has them"))

    @property
    def _survives(self) -> str:
        kept = [writer.kept for writer in self._drafts() if writer.kept]
        if len(kept) > 1:
            return f"Your {len(kept)} drafts are kept, the newest of {max(kept):%H:%M}."
        return f"Your draft of {kept[0]:%H:%M} is kept." if kept else ""

    def _press(self, action: Callable[[], Any]) -> None:
        """Handle a click; when the service has answered, the focus goes to the editor."""
        action()
        self._do(lambda: None, lambda done: None if self.problem else self._edited_part.focus())

    def _choose(self, choice: str | Mapping[int, str | None]) -> None:
        """Choose a side for all conflicts, or for some by their labels."""
        if self._push.conflicts is None:
            raise ValueError(self._no_conflicts)
        self._push.conflicts.choose(choice)
        self._refresh()

    def _do_alone(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do *work* on the service in its turn, with conflicting controls disabled."""
        with self._lock:
            self._busy += 1
            self._refresh()

        def counted() -> Any:
            try:
                return work()
            finally:
                with self._lock:
                    self._busy -= 1

        def taken(answer: Any) -> None:
            try:
                then(answer)
            finally:
                self._refresh()

        self._do(counted, taken)

    def _failed(self, problem: Exception) -> None:
        super()._failed(problem)
        self._refresh()

    @property
    @abstractmethod
    def _edited_part(self) -> Part:
        """What gets the focus after a button that disappears when pressed."""

    @abstractmethod
    def _refresh(self) -> None:
        """Update the controls for what is open, open questions and conflicts."""

    @abstractmethod
    def _drafts(self) -> Iterable[DraftWriter]:
        """What keeps the unpushed edits."""

    @abstractmethod
    def _leave_drafts(self) -> int:
        """Keep edits as drafts; returns how many steps could not be written to disk."""
