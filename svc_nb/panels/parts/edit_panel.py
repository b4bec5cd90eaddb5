"""What panels share that edit something of the service: drafts, a merge with what others did, a push and its undo.

Every edit is kept in a draft. A push reads what the service has by now: what others changed is merged, and what both
changed waits until a person has chosen. Then it is asked, and only `confirm` sends anything.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

import pandas as pd

from svc_nb.errors import warn
from svc_nb.panels.parts.panel import PATIENCE, Panel
from svc_nb.tabular.report import plural
from svc_nb.tracebacks import verbs

SIDES = ("mine", "theirs")
P = ParamSpec("P")
Kind = TypeVar("Kind", bound="EditPanel")


def deed(method: Callable[Concatenate[Kind, P], None]) -> Callable[Concatenate[Kind, P], Kind]:
    """Have a method hold the lock of its panel meanwhile, and return the panel."""

    @wraps(method)
    def done(self: Kind, /, *args: P.args, **options: P.kwargs) -> Kind:
        with self._lock:
            method(self, *args, **options)
        return self

    return done


@dataclass
class Conflicts:
    """What was changed here and on the service, differently: a row each of *table*, and the sides that were chosen."""

    table: pd.DataFrame
    go_on: Callable[[dict[int, str]], None]
    sides: dict[int, str] = field(default_factory=dict)

    @property
    def is_settled(self) -> bool:
        """Whether there is a choice for every row."""
        return len(self.sides) == len(self.table)

    def choose(self, choice: str | Mapping[int, str]) -> None:
        """Choose "mine" or "theirs" for all, or for some by their labels."""
        given = dict.fromkeys(range(len(self.table)), choice) if isinstance(choice, str) else dict(choice)
        for label, side in given.items():
            if side not in SIDES:
                raise ValueError(f'a conflict is settled as "mine" or "theirs", found {side!r}')
            if label not in range(len(self.table)):
                raise ValueError(f"there is no conflict {label!r}")
        self.sides.update(given)


@verbs
class EditPanel(Panel, ABC):
    """A panel for things that are edited here and pushed; `_busy` counts what is under way on the service."""

    _kept_in: ClassVar[str]  # where edits still are that no draft has taken
    _no_conflicts: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self._busy = 0
        self._listed: pd.DataFrame | None = None
        self._asked: Callable[[], Any] | None = None
        self._collision: Conflicts | None = None
        self._undoable: Any = None

    @deed
    def settle(self, choice: str | Mapping[int, str]) -> None:
        """Settle conflicts as "mine" or "theirs": all, or some by their labels; with the last one it goes on."""
        self._choose(choice)
        if self._collision is not None and self._collision.is_settled:
            self._go_on()

    def close(self) -> None:
        """End the panel: its widgets go, and no thread stays; edits that were not sent wait as a draft."""
        for worker in self._workers:
            worker.close(PATIENCE)
        lost = self._leave_drafts()
        super().close()
        if lost:
            what = f"{plural(lost, 'step was', 'steps were')} not sent and not kept"
            warn(UserWarning(f"{what}, because no draft could be written; {self._kept_in} still has them"))

    def _choose(self, choice: str | Mapping[int, str]) -> None:
        """Choose a side for all conflicts, or for some by their labels."""
        if self._collision is None:
            raise ValueError(self._no_conflicts)
        self._collision.choose(choice)
        self._refresh()

    def _go_on(self) -> None:
        """Go on with what was chosen for each conflict."""
        if self._collision is None or not self._collision.is_settled:
            raise ValueError("Choose what to take in every row first.")
        self._collision.go_on(self._collision.sides)

    def _deed(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
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

    @abstractmethod
    def _refresh(self) -> None:
        """Have the controls follow what is open, what is asked, and what collides."""

    @abstractmethod
    def _leave_drafts(self) -> int:
        """Let what was edited wait in drafts; how many steps the disk does not take."""
