"""What panels share that edit something of the service: drafts, a merge with what others did, a push and its undo.

Every edit is kept in a draft. A push reads what the service has by now: what others changed is merged, and what both
changed waits until a person has chosen. Then it is asked, and only `confirm` sends anything.
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
    """Have a method hold the lock of its panel meanwhile, and return the panel."""

    @wraps(method)
    def done(self: Kind, /, *args: P.args, **options: P.kwargs) -> Kind:
        with self._lock:
            method(self, *args, **options)
        return self

    return done


@dataclass
class Conflicts:
    """What was changed here and on the service, differently: a row each of *table*, and the sides that were chosen.

    `rows` are these as `ConflictList` shows them below `columns`, and `said` tells what they are.
    """

    table: pd.DataFrame
    go_on: Callable[[dict[int, str]], None]
    sides: dict[int, str] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    said: str = ""

    @property
    def is_settled(self) -> bool:
        """Whether there is a choice for every row."""
        return len(self.sides) == len(self.table)

    def choose(self, choice: str | Mapping[int, str | None]) -> None:
        """Choose "mine" or "theirs" for all, or for some by their labels; None takes a choice back."""
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
    """What a push waits for: `asked` is what a `confirm` does, `conflicts` what both sides changed.

    `undoable` is the last push from here, as the panel knows it.
    """

    def __init__(self) -> None:
        self.asked: Callable[[], Any] | None = None
        self.conflicts: Conflicts | None = None
        self.undoable: Any = None

    def drop(self) -> None:
        """Ask nothing any more; nothing was sent."""
        self.asked = self.conflicts = None

    def confirmed(self, nothing: str) -> Callable[[], Any]:
        """What was asked about, and is asked no more; ValueError that says *nothing* where nothing was."""
        asked, self.asked = self.asked, None
        if asked is None:
            raise ValueError(nothing)
        return asked

    def go_on(self) -> None:
        """Go on with what was chosen for each conflict."""
        if self.conflicts is None or not self.conflicts.is_settled:
            raise ValueError("Choose which version to keep in every row first.")
        self.conflicts.go_on(self.conflicts.sides)


@dataclass(frozen=True)
class Meanwhile:
    """That nothing was sent, because others changed the same meanwhile: what they have; None where it is deleted."""

    theirs: Any


@verbs
class EditPanel(Panel, ABC):
    """A panel for things that are edited here and pushed; `_busy` counts what is under way on the service."""

    _kept_in: ClassVar[str]  # where edits still are that no draft has taken
    _no_conflicts: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self._busy = 0
        self._listed: pd.DataFrame | None = None
        self._push = PendingPush()

    @locked
    def settle(self, choice: str | Mapping[int, str]) -> None:
        """Settle conflicts as "mine" or "theirs": all, or some by their labels; with the last one it goes on."""
        self._choose(choice)
        if self._push.conflicts is not None and self._push.conflicts.is_settled:
            self._push.go_on()

    def close(self) -> None:
        """End the panel: its widgets go, and no thread stays; edits that were not sent wait as a draft."""
        for worker in self._workers:
            worker.close(PATIENCE)
        lost = self._leave_drafts()
        super().close()
        if lost:
            what = f"{plural(lost, 'step was', 'steps were')} not sent and not kept"
            warn(UserWarning(f"{what}, because no draft could be written; {self._kept_in} still has them"))

    @property
    def _survives(self) -> str:
        kept = [writer.kept for writer in self._drafts() if writer.kept]
        if len(kept) > 1:
            return f"Your {len(kept)} drafts are kept, the newest of {max(kept):%H:%M}."
        return f"Your draft of {kept[0]:%H:%M} is kept." if kept else ""

    def _press(self, action: Callable[[], Any]) -> None:
        """Do what was pressed; when the service has answered, the focus goes to what is edited."""
        action()
        self._do(lambda: None, lambda done: None if self.problem else self._edited_part.focus())

    def _choose(self, choice: str | Mapping[int, str | None]) -> None:
        """Choose a side for all conflicts, or for some by their labels."""
        if self._push.conflicts is None:
            raise ValueError(self._no_conflicts)
        self._push.conflicts.choose(choice)
        self._refresh()

    def _do_alone(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do *work* on the service in its turn, with all that could disturb it at rest meanwhile."""
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
        """What has the focus after a button that goes when it was pressed."""

    @abstractmethod
    def _refresh(self) -> None:
        """Have the controls follow what is open, what is asked, and what collides."""

    @abstractmethod
    def _drafts(self) -> Iterable[DraftWriter]:
        """What keeps the edits that were not sent."""

    @abstractmethod
    def _leave_drafts(self) -> int:
        """Let what was edited wait in drafts; how many steps the disk does not take."""
