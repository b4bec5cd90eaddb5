"""How models are read from and written to JSON: fields are members, and null means absent in both directions."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import UTC, date, datetime
from functools import cache
from itertools import repeat
from operator import attrgetter
from typing import Any, Self, TypeVar

import msgspec

from svc_nb.secret import Secret

T = TypeVar("T")


class WireError(ValueError):
    """The received data is not the expected noun; the text names the member, never its value."""


def read_noun(kind: type[T], wire: object) -> T:
    """Read a value of *kind* from decoded JSON, or raise WireError naming the member that is missing or wrong."""
    try:
        return msgspec.convert(without_nulls(wire), kind, dec_hook=_secret)
    except msgspec.ValidationError as problem:
        raise WireError(f"{kind.__name__}: {problem}") from None


class Noun:
    """A frozen value that reads itself from decoded JSON and writes itself as such.

    `from_wire(x.to_wire()) == x` holds for every noun. Unknown members are ignored.
    """

    __slots__ = ()

    @classmethod
    def from_wire(cls, wire: object) -> Self:
        """Read the noun, or raise WireError naming the member that is missing or wrong."""
        return read_noun(cls, wire)

    @classmethod
    def list_from_json(cls, name: str, content: bytes, **members: object) -> list[Self]:
        """Read an array of flat nouns from the member *name* of a JSON document, each with additional *members*.

        Much faster than one by one. Raises WireError like `from_wire`, and DecodeError for invalid JSON.
        """
        rows = rows_from_json(cls, name, content)
        nouns = [cls.__new__(cls) for _ in rows]
        for each in fields(cls):  # type: ignore[arg-type]
            values = repeat(members[each.name]) if each.name in members else map(attrgetter(each.name), rows)
            # Like __init__, in half the time.
            deque(map(getattr(cls, each.name).__set__, nouns, values), maxlen=0)
        return nouns

    def to_wire(self) -> dict[str, Any]:
        """Write the noun as JSON types; fields that are None are left out."""
        wire: dict[str, Any] = without_nulls(msgspec.to_builtins(self, enc_hook=_mapping))
        return wire


class Timed(Noun):
    """A noun with times, which are kept in UTC; a time without a zone is in UTC."""

    __slots__: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if isinstance(getattr(self, name), datetime):
                settle_time(self, name)


class RequestOptions(Noun):
    """A noun whose lists of strings are kept as tuples, so that options can be compared and hashed."""

    __slots__ = ()

    def __post_init__(self) -> None:
        kind: type = type(self)
        for name in _sequences(kind):
            given = getattr(self, name)
            if isinstance(given, str):
                raise TypeError(f"{name}: expected a list of strings, found one string. Put it in a list")
            if given is not None:
                object.__setattr__(self, name, tuple(given))


@cache
def _sequences(kind: type) -> list[str]:
    return [each.name for each in fields(kind) if each.type == Sequence[str] | None]


def rows_from_json(kind: type, name: str, content: bytes) -> list[Any]:
    """Like `Noun.list_from_json`, but with bare structs with the members of *kind*, in a fifth of the time."""
    try:
        rows: list[Any] = getattr(_decoder(name, kind).decode(content), name)
    except msgspec.ValidationError as problem:
        raise WireError(f"{kind.__name__}: {problem}") from None
    return rows


@cache
def _decoder(name: str, kind: type) -> msgspec.json.Decoder[Any]:
    members = [(each.name, each.type, *([] if each.default is MISSING else [each.default])) for each in fields(kind)]
    row = msgspec.defstruct(kind.__name__, members, gc=False)
    return msgspec.json.Decoder(msgspec.defstruct("Answers", [(name, list[row])]))  # type: ignore[valid-type]


def without_nulls(wire: object) -> Any:
    """Return *wire* with all null members left out and lists for all sequences."""
    if isinstance(wire, dict):
        return {name: without_nulls(value) for name, value in wire.items() if value is not None}
    if isinstance(wire, list | tuple):
        return [without_nulls(value) for value in wire]
    return wire


def settle_time(noun: Noun, name: str) -> None:
    """Convert the named time of a new noun to UTC; a time without a zone is in UTC."""
    time = getattr(noun, name)
    object.__setattr__(noun, name, time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC))


def settle_days(wire: object, *names: str) -> Any:
    """Return *wire* with the UTC day instead of every timestamp under one of *names*, at any depth."""
    if isinstance(wire, dict):
        return {
            name: _day(value, name) if name in names and isinstance(value, str) else settle_days(value, *names)
            for name, value in wire.items()
        }
    if isinstance(wire, list):
        return [settle_days(value, *names) for value in wire]
    return wire


def keep_times(noun: Noun, wire: object, *names: str) -> None:
    """Return a noun whose named members, read as days, have the times, in UTC, that *wire* has there."""
    for name in names:
        said = wire.get(name) if isinstance(wire, dict) else None
        if isinstance(said, str) and ":" in said:
            object.__setattr__(noun, name, datetime.fromisoformat(said))
            settle_time(noun, name)


def _day(said: str, name: str) -> date:
    try:
        moment = datetime.fromisoformat(said)
        return (moment.astimezone(UTC) if moment.tzinfo else moment).date()
    except (ValueError, OverflowError):
        raise WireError(f"{name}: expected an ISO 8601 date") from None


def _mapping(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise NotImplementedError


def _secret(kind: type, value: object) -> Secret:
    if kind is Secret and isinstance(value, str):
        return Secret(value)
    raise ValueError("Expected `str`")
