"""What a noun tells of itself, so that it can be changed on the service step by step, and taken back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from svc_nb.sync.backups import Backups
from svc_nb.sync.kinds import Kind, called
from svc_nb.tabular.report import Report
from svc_nb.wire.client import Client


class State(Protocol):
    """All of a thing at one time."""

    @property
    def name(self) -> str | None:
        """What it is called."""


S = TypeVar("S", bound=State)


class Noun(ABC, Generic[S]):
    """A kind of thing that is kept in step with the service, such as glossaries."""

    kind: ClassVar[Kind]
    room: ClassVar[str]
    """The module with its verbs, such as glossaries.undo."""
    id_name: ClassVar[str]
    """What its id is called, such as glossary_id."""
    called: ClassVar[str]
    """What comes before its name in a sentence, such as "the glossary"."""
    unit: ClassVar[str] = "term"
    """What it has many of."""
    is_plural: ClassVar[bool] = False
    repeats: ClassVar[bool] = True
    """Whether a request that failed may be sent again as it is; else what is there now is looked at first."""
    reads_back: ClassVar[bool] = False
    """Whether the service adds to what it is given, such as ids, so that it is read again after a change."""

    def backups(self, folder: str | Path, *, origin: str, process: str | None = None) -> Backups:
        """The backups in *folder* of such things on one service, *origin*."""
        return Backups(folder, origin=origin, room=self.room, id_name=self.id_name, process=process)

    # ---- states

    @abstractmethod
    def to_wire(self, state: S) -> Any:
        """A state as JSON types, for a backup."""

    @abstractmethod
    def state(self, wire: Any) -> S:
        """The state that `to_wire` gave."""

    @abstractmethod
    def steps(self, now: S | None, wanted: S | None) -> Sequence[Any]:
        """What is to be done, in this order, from the state *now* to the one *wanted*; None is no thing at all.

        Each has a `step`, a word for what is done; "nothing" is for a part that stays as it is.
        """

    @abstractmethod
    def difference(self, old: S, new: S) -> Report:
        """What *new* has that *old* has not, and the other way round."""

    @abstractmethod
    def is_same(self, one: S, other: S) -> bool:
        """Whether two states say the same."""

    @abstractmethod
    def is_between(self, state: S, before: S, after: S) -> bool:
        """Whether a change from *before* to *after* that broke off can have left *state*."""

    @abstractmethod
    def merged(self, base: S, mine: S, theirs: S) -> tuple[S, Report]:
        """*mine* with what *theirs* changed since *base*, and a table of what both changed, differently."""

    # ---- the service

    @abstractmethod
    def listed(self, client: Client) -> Sequence[Any]:
        """All things of the account, without their content."""

    @abstractmethod
    def read(self, client: Client, given: str) -> tuple[str, S]:
        """The id as the service writes it, and the state now, of the thing with this id or name."""

    @abstractmethod
    def id_of(self, listed: Any) -> str:
        """The id of one that was listed."""

    @abstractmethod
    def is_like(self, listed: Any, wanted: S) -> bool:
        """Whether one that was listed can be the one that was *wanted*, as far as the list tells."""

    @abstractmethod
    def create(self, client: Client, wanted: S) -> str:
        """Make the thing with a single request, and return its id."""

    @abstractmethod
    def do(self, client: Client, thing_id: str, step: Any, wanted: S) -> None:
        """Do one step of a change."""

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Say of the service's errors what they mean for this noun."""
        yield

    def check(self, wanted: S | None, known: Sequence[Any] | None = None) -> None:
        """Refuse what the service would: a state too large, or one thing more where there are as many as *known*."""

    # ---- words

    @abstractmethod
    def table(self, steps: Sequence[Any]) -> dict[str, Any]:
        """The columns of a table of steps."""

    @abstractmethod
    def told(self, change: Any) -> str:
        """What is done to the thing as a whole: "created with 3 terms in 1 pair"."""

    def use(self, thing_id: str) -> str:
        """What to do next with one that is there."""
        return ""

    def named(self, name: str | None, thing_id: str | None = None) -> str:
        """The thing in a sentence."""
        return f"{self.called} {called(name or '')}{f' ({thing_id})' if thing_id else ''}"

    def verb(self, one: str, many: str) -> str:
        """The form of a verb or pronoun that fits: "was" or "were"."""
        return many if self.is_plural else one
