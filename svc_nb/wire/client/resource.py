"""Shared by all resources: checking arguments, writing ids into paths, sending requests, reading answers."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from svc_nb.errors import TimedOut
from svc_nb.settings import Settings
from svc_nb.wire.models import Detection, Improvement, Noun, Translation, WireError
from svc_nb.wire.models.base import rows_from_json
from svc_nb.wire.transport import Reply, Transport

LONGEST_POLL = 2.0

T = TypeVar("T")
N = TypeVar("N", bound=Noun)
Answer = TypeVar("Answer", Detection, Improvement, Translation)


class ResourceClient:
    """The operations of one resource, sent by *transport*."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _ask(self, parse: Callable[[Any], T], method: str, path: str, **request: Any) -> T:
        """Send one request and return its answer, parsed by *parse*."""
        return read(self._transport.request(method, path, **request), parse)

    def _poll(self, ask: Callable[[], T | None], *, timeout: float, late: str, first: float = 0.1) -> T:
        """Poll, less and less often, until there is an answer; TimedOut with *late* after *timeout* seconds."""
        waited, wait = 0.0, first
        while (found := ask()) is None:
            if waited >= timeout:
                raise TimedOut(f"{late} within {timeout:g} s")
            self._transport.sleep(wait)
            waited, wait = waited + wait, min(2 * wait, LONGEST_POLL)
        return found


class CollectionClient(ResourceClient, Generic[N]):
    """Resources on the service, each *noun* under an id; the answer to `list` has them in its *member*."""

    _path: str
    _noun: type[N]
    _member: str

    def _get(self, identifier: str) -> N:
        return self._one("GET", f"/{segment(identifier)}")

    def _delete(self, identifier: str) -> None:
        self._transport.request("DELETE", f"{self._path}/{segment(identifier)}")

    def list(self) -> list[N]:
        """Return all of them, without their contents."""
        return self._ask(member(self._member, listing(self._noun.from_wire)), "GET", self._path)

    def _one(self, method: str, path: str, body: object = None, *, tries: int | None = None) -> N:
        return self._ask(self._noun.from_wire, method, f"{self._path}{path}", json=body, tries=tries)


def segment(identifier: str) -> str:
    """Return *identifier* as exactly one segment of a path, whatever characters it contains."""
    check("id", identifier, str, "a string")
    # Dots alone would navigate in the path, percent-encoded or not.
    if identifier in ("", ".", ".."):
        raise ValueError(f"{identifier!r} is not a valid id")
    try:
        return quote(identifier, safe="")
    except UnicodeEncodeError:
        raise ValueError("an id cannot contain half of a surrogate pair") from None


def tagged(settings: Settings, reporting_tag: str | None) -> dict[str, str]:
    """Return the header that reports a request under *reporting_tag*; None is the tag in the settings, "" is no tag."""
    tag = settings.reporting_tag if reporting_tag is None else reporting_tag
    check("reporting_tag", tag or "", str, "a string")
    return {settings.tag_header: tag.strip()} if tag else {}


def several(name: str, values: Iterable[T], kind: type[T], expected: str) -> list[T]:
    """The argument *name* as a list of *kind*, or TypeError; a single value, a dict or a table is not split up."""
    advice = ""
    if isinstance(values, kind | str | bytes):
        advice = "put it in a list"
    elif getattr(values, "ndim", 1) != 1:
        advice = "pass one column, or a list"
    elif isinstance(values, Mapping) or not isinstance(values, Iterable):
        advice = "pass a list"
    if advice:
        raise TypeError(f"{name}: expected a list, each item {expected}, found {_found(values)}; {advice}")
    listed = list(values)
    if {*map(type, listed)} <= {kind}:
        return listed
    for position, value in enumerate(listed):
        check(f"{name}[{position}]", value, kind, expected)
    return listed


def check(name: str, value: object, kind: type, expected: str) -> None:
    """Raise TypeError, saying what was *expected* and what was found, unless *value* is of *kind*."""
    if not isinstance(value, kind):
        raise TypeError(f"{name}: expected {expected}, found {_found(value)}")


def _found(value: object) -> str:
    return "None" if value is None else type(value).__name__


def read(reply: Reply, parse: Callable[[Any], T]) -> T:
    """Return the answer, parsed by *parse*, or raise BadReply with what is wrong with it."""
    return _understood(reply, lambda: parse(reply.json()))


def _understood(reply: Reply, work: Callable[[], T]) -> T:
    """The result of *work* for *reply*; errors are raised away from the decoded body, which may contain a new key."""
    try:
        return work()
    except WireError as problem:
        wrong = str(problem)
    except RecursionError:
        wrong = "Expected flat JSON, found deeply nested JSON"
    raise reply.bad(wrong)


def member(name: str, parse: Callable[[Any], T]) -> Callable[[Any], T]:
    """Return a parser for an object whose member *name* is read by *parse*."""

    def parse_member(wire: Any) -> T:
        if not isinstance(wire, dict) or name not in wire:
            raise WireError(f"Expected an object with the member `{name}`")
        return parse(wire[name])

    return parse_member


def listing(parse: Callable[[Any], T]) -> Callable[[Any], list[T]]:
    """Return a parser for an array whose items are read by *parse*."""

    def parse_listing(wire: Any) -> list[T]:
        if not isinstance(wire, list):
            raise WireError("Expected an array")
        return [parse(each) for each in wire]

    return parse_listing


def read_answers(reply: Reply, name: str, kind: type[Answer], *, sent: int, **members: object) -> list[Answer]:
    """Return one answer per text that was *sent*, in order, each with the reply's trace id and *members*."""
    members["trace_id"] = reply.trace_id
    return _one_per_text(reply, name, sent, lambda content: kind.list_from_json(name, content, **members))


def read_rows(reply: Reply, name: str, kind: type[Answer], *, sent: int) -> list[Any]:
    """Like `read_answers`, but as bare structs and without a trace id."""
    return _one_per_text(reply, name, sent, partial(rows_from_json, kind, name))


def _one_per_text(reply: Reply, name: str, sent: int, read: Callable[[bytes], list[T]]) -> list[T]:
    answers: list[T] = _understood(reply, lambda: reply.json(read))
    if len(answers) != sent:
        raise reply.bad(f"Expected {sent} {name}, one per text, found {len(answers)}")
    return answers
