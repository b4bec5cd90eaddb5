"""The resources that an account has on the service: how a person names one, and how it is kept in sync with tables."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from svc_nb.advice import Advice, Call, nearest
from svc_nb.errors import BadRequest, NotFound, QuotaExceeded, TooManyRequests
from svc_nb.settings import Settings
from svc_nb.sync.backups import Backups
from svc_nb.tabular.report import Report, named
from svc_nb.tabular.text_column import text_array
from svc_nb.wire.client import Client

LONGEST_NAME = 60
MOST_NAME_BYTES = 1024

# Ids, each with the name of the resource.
Known = Iterable[tuple[str, str]]


@dataclass(frozen=True)
class ResourceKind:
    """The words for *one* and *many*, the *room* with their functions, here and in a client, and the name of an id."""

    one: str
    many: str
    room: str
    id_name: str

    @property
    def sees(self) -> Advice:
        """How a person lists all of them."""
        return Advice(f"{{}} lists all {self.many}", Call(f"{self.room}.list"))

    def all(self, client: Client) -> list[Any]:
        """All of the account, without their content, from all pages."""
        calls = getattr(client, self.room)
        return list(getattr(calls, "iterate", calls.list)())

    def get(self, client: Client, given: str) -> Any:
        """The one with an id or a name; see `find`."""
        calls = getattr(client, self.room)
        with suppress(NotFound, BadRequest):  # anything that does not look like an id is a bad request
            return calls.get(given)
        return calls.get(self.id_of(given, client))

    def delete(self, client: Client, thing_id: str) -> None:
        """Delete the one with this id."""
        getattr(client, self.room).delete(thing_id)

    def id_in(self, listed: Any) -> str:
        """The id of a listed one."""
        return str(getattr(listed, self.id_name))

    def listed(self, client: Client) -> list[tuple[str, str]]:
        """All ids, each with its name."""
        return [(self.id_in(each), each.name) for each in self.all(client)]

    def id_of(self, given: str, client: Client) -> str:
        """The id of the one with an id or a name; see `find`."""
        return self.find(given, self.listed(client))

    def find(self, given: str, known: Known) -> str:
        """The *known* id that is *given*, or the one with that name; NotFound, or ValueError if there are two."""
        if not isinstance(given, str):
            raise TypeError(f"expected the id or the name of a {self.one}, found {type(given).__name__}")
        pairs = list(known)
        if any(each == given for each, _ in pairs):
            return given
        found = self.named(given, pairs)
        if found is None:
            near = nearest(given, [own for _, own in pairs])
            meant = f". Did you mean {called(near)}? " if near else "; "
            raise NotFound(f"There is no {self.one} {called(given)} on this service{meant}{self.sees}", status=404)
        return found

    def named(self, name: str | None, known: Known) -> str | None:
        """The id of the only one with that name; None if there is none, ValueError if there are several."""
        ids = [each for each, own in known if own == name]
        if len(ids) > 1:
            raise ValueError(
                f"{len(ids)} {self.many} are called {called(name or '')}. Give the id of the one you mean "
                f"({named(ids)}); {self.sees}"
            )
        return ids[0] if ids else None


def check_name(name: str, thing: str) -> None:
    """Raise an error if the service does not accept *name* for a *thing*."""
    if not isinstance(name, str):
        raise TypeError(f"name: expected text, found {type(name).__name__}")
    if not name.strip():
        raise ValueError(f"name: expected the name of the {thing}, found only spaces")
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise ValueError("name: expected text that can be sent, found half of a surrogate pair") from None
    if size > MOST_NAME_BYTES:
        raise ValueError(f"name: expected at most {MOST_NAME_BYTES:,} bytes in UTF-8, found {size:,}; shorten it")


def called(name: str) -> str:
    """A name within a sentence: exactly as it is, with its spaces, but never long."""
    return repr(name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…")


GLOSSARY = ResourceKind("glossary", "glossaries", "glossaries", "glossary_id")
STYLE = ResourceKind("style rule list", "style rule lists", "style_rules", "style_id")
MEMORY = ResourceKind("translation memory", "translation memories", "memories", "translation_memory_id")
SPOKEN_TERMS = ResourceKind(
    "collection of spoken terms", "collections of spoken terms", "spoken_terms", "spoken_terms_id"
)


@contextmanager
def quota_explained() -> Iterator[None]:
    """Explain status 456, which does not refer to characters when it is about glossaries."""
    try:
        yield
    except QuotaExceeded as error:
        problem = TooManyRequests(
            f"Too many glossary requests recently; the service accepts no more for now ({error.message}). Run it again "
            "later to do the rest",
            status=error.status,
            trace_id=error.trace_id,
            retry_after=error.retry_after,
        )
        for note in getattr(error, "__notes__", []):
            problem.add_note(note)
        raise problem from error


class Named(Protocol):
    """The state of a thing at one time."""

    @property
    def name(self) -> str | None:
        """The name of the thing."""


class Connected(Protocol):
    """The part of a session that backups need."""

    settings: Settings

    @property
    def origin(self) -> str:
        """The service and account that backups belong to."""


S = TypeVar("S", bound=Named)


class Synced(ABC, Generic[S]):
    """A kind of thing that is kept in sync with the service, such as glossaries."""

    kind: ClassVar[ResourceKind]
    called: ClassVar[str]
    """The words before its name in a sentence, such as "the glossary"."""
    unit: ClassVar[str] = "term"
    """The things that it contains."""
    columns: ClassVar[Sequence[str]] = ()
    """The columns of a table of steps."""
    is_plural: ClassVar[bool] = False
    repeats: ClassVar[bool] = True
    """Whether a failed request may simply be sent again; otherwise the current state is read first."""
    reads_back: ClassVar[bool] = False
    """Whether the service adds something, such as ids, so that the state is read again after a change."""

    def backups(self, folder: str | Path, *, origin: str, process: str | None = None) -> Backups:
        """The backups in *folder* of such things on one service, *origin*."""
        return Backups(folder, origin=origin, room=self.kind.room, id_name=self.kind.id_name, process=process)

    def backups_of(self, session: Connected) -> Backups:
        """The backups of such things on the service of *session*; those of glossaries are directly in the folder."""
        folder = Path(session.settings.backups_path, "" if self.kind == GLOSSARY else self.kind.room)
        return self.backups(folder, origin=session.origin)

    # ---- states

    @abstractmethod
    def to_wire(self, state: S) -> Any:
        """A state as JSON types, for a backup."""

    @abstractmethod
    def state(self, wire: Any) -> S:
        """The state from the result of `to_wire`."""

    @abstractmethod
    def steps(self, now: S | None, wanted: S | None) -> Sequence[Any]:
        """The steps in order; each has a `step`, which is "nothing" for a part that stays as it is."""

    @abstractmethod
    def difference(self, old: S, new: S) -> Report:
        """What is in *new* but not in *old*, and the other way round."""

    @abstractmethod
    def differing(self, one: S, other: S) -> set[Any]:
        """The parts in which two states differ, such as language pairs; the name is not a part."""

    def is_same(self, one: S, other: S) -> bool:
        """Whether two states are equal."""
        return one.name == other.name and not self.differing(one, other)

    def is_between(self, state: S, before: S, after: S) -> bool:
        """Whether an interrupted change from *before* to *after* can have left *state*."""
        return state.name in (before.name, after.name) and not (
            self.differing(state, before) & self.differing(state, after)
        )

    @abstractmethod
    def merged(self, base: S, mine: S, theirs: S) -> tuple[S, Report]:
        """*mine* with the changes from *base* to *theirs*, and a table of the conflicts."""

    # ---- the service

    @abstractmethod
    def read(self, client: Client, given: str) -> tuple[str, S]:
        """The id as the service writes it, and the current state, of the thing with this id or name."""

    def id_named(self, name: str | None, known: Sequence[Any]) -> str | None:
        """The id of the *known* thing with that name; None if there is none. An id is refused."""
        if any(self.kind.id_in(each) == name for each in known):
            thing = self.kind.one.partition(" of ")[0]
            raise ValueError(f"{name!r} is the id of a {thing}, not a name. Pass it as {self.kind.id_name}=")
        return self.kind.named(name, [(self.kind.id_in(each), each.name) for each in known])

    @abstractmethod
    def is_like(self, listed: Any, wanted: S) -> bool:
        """Whether a listed thing can be the one *wanted*, as far as the list shows."""

    @abstractmethod
    def create(self, client: Client, wanted: S) -> str:
        """Create the thing with a single request, and return its id."""

    @abstractmethod
    def do(self, client: Client, thing_id: str, step: Any, wanted: S) -> None:
        """Do one step of a change."""

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Explain the service's errors for this kind of thing."""
        yield

    def check(self, wanted: S | None, known: Sequence[Any] | None = None) -> None:
        """Refuse what the service would refuse: a state that is too large, or one more thing than it allows."""

    # ---- words

    def table(self, steps: Sequence[Any]) -> dict[str, Any]:
        """The columns of a table of steps."""
        return {name: text_array([getattr(step, name) for step in steps]) for name in self.columns}

    @abstractmethod
    def told(self, change: Any) -> str:
        """What happens to the thing as a whole: "created with 3 terms in 1 pair"."""

    def use(self, thing_id: str) -> str:
        """What to do next with an existing thing."""
        return ""

    def named(self, name: str | None, thing_id: str | None = None) -> str:
        """The thing in a sentence."""
        return f"{self.called} {called(name or '')}{f' ({thing_id})' if thing_id else ''}"

    def verb(self, one: str, many: str) -> str:
        """The matching form of a verb or pronoun: "was" or "were"."""
        return many if self.is_plural else one
