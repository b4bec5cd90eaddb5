"""From bytes to a typed request and back: media types, sizes, JSON, forms and queries."""

from __future__ import annotations

import functools
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import Request

from .problems import Problem, bad_request

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
TSV = "text/tab-separated-values"

SENTENCES = ("text", "custom_instructions")

T = TypeVar("T", bound=msgspec.Struct)

# How a member of a thing in a list is named in a form: `dictionaries[0].entries`, or `dictionaries[0][entries]`.
_MEMBER = re.compile(r"(?P<list>\w+)\[(?P<place>\d{1,6})\](?:\.(?P<dotted>\w+)|\[(?P<bracketed>\w+)\])")
_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]+)`(?: - at `\$(?P<where>[^`]*)`)?")
_MAX_FORM_FIELDS = 5000  # a glossary with a dictionary for each pair has four for each of 1,056
_PIECE = 64 * 1024


class Plain(msgspec.Struct):
    """An answer that is text, not JSON."""

    text: str
    media: str


@dataclass(frozen=True, slots=True)
class Stated:
    """An answer with more than its operation's usual status: another one, or headers."""

    answer: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class File:
    """An answer that is a file, sent piece by piece; *size* is its length in bytes where that is known.

    *sent* is called once all of it was handed over to a caller who was there to the end; *ended* is called in any
    case, last. Both run in a thread that may wait.
    """

    pieces: Iterable[bytes]
    media: str = "application/octet-stream"
    size: int | None = None
    name: str = ""
    sent: Callable[[], None] | None = None
    ended: Callable[[], None] | None = None

    @classmethod
    def at(cls, path: Path, **rest: Any) -> File:
        """The file that *path* names, as it is now."""
        return cls(_pieces(path), size=path.stat().st_size, **rest)


def _pieces(path: Path) -> Iterable[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece


async def read_bytes(request: Request, limit: int) -> bytes:
    """The whole body, or 413 as soon as it is longer than *limit*."""
    return b"".join([piece async for piece in bounded(request, limit)])


async def bounded(request: Request, limit: int) -> AsyncIterator[bytes]:
    """The body, piece by piece, or 413 as soon as it is longer than *limit*."""
    too_large = Problem(413, detail=f"The request body is larger than {limit} bytes.")
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > limit:
        raise too_large
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > limit:
            raise too_large
        yield piece


def media_type(request: Request, allowed: Iterable[str], wrong: str | None = None) -> str:
    """The body's media type, or 415, in the words *wrong* or the usual ones, when the operation does not take it."""
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media not in allowed:
        usual = (
            f"Called with an unsupported media type. Supported media types: {' or '.join(allowed)}. "
            "Please set the Content-Type header to a supported type."
        )
        raise Problem(415, wrong or usual, code="invalid_content_type")
    return media


def decode(body: bytes, media: str, kind: type[T]) -> T:
    """*body* as a *kind*, or 400 that names the parameter."""
    return from_json(body, kind) if media == JSON else from_pairs(form_pairs(body), kind)


def from_json(body: bytes, kind: type[T]) -> T:
    """A JSON object as a *kind*, or 400."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise _complaint(str(error), kind) from None
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise bad_request("The request body is not valid JSON.", detail=_reason(error)) from None


def from_pairs(pairs: Iterable[tuple[str, str]], kind: type[T]) -> T:
    """Form or query fields as a *kind*: numbers and booleans are text, lists may be repeated or comma-separated.

    A list of things with members is written member by member (`dictionaries[0].entries`), or in JSON, one thing a
    field or a list of them.
    """
    fields: dict[str, Any] = {}
    by_place: dict[str, dict[int, dict[str, str]]] = {}
    shapes = _shapes(kind)
    for name, value in pairs:
        if (member := _MEMBER.fullmatch(name)) and _is_nested(shapes.get(member["list"])):
            thing = by_place.setdefault(member["list"], {}).setdefault(int(member["place"]), {})
            _set_once(thing, member["dotted"] or member["bracketed"], value, called=name)
        elif name not in shapes:
            continue
        elif _is_list(shapes[name]):
            nested = _is_nested(shapes[name])
            fields.setdefault(name, []).extend(_things(name, value) if nested else _listed(name, value))
        else:
            _set_once(fields, name, value, called=name)
    for name, things in by_place.items():
        fields.setdefault(name, []).extend(things[place] for place in sorted(things))
    try:
        return msgspec.convert(fields, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _complaint(str(error), kind) from None


def form_pairs(body: bytes) -> list[tuple[str, str]]:
    """The fields of a form, in their order, or 400."""
    try:
        return parse_qsl(
            body.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FORM_FIELDS
        )
    except ValueError as error:
        raise bad_request("The form body is not valid.", detail=_reason(error)) from None


def encode(answer: Any) -> tuple[bytes, str]:
    """An answer's bytes and media type."""
    if isinstance(answer, Plain):
        return answer.text.encode(), f"{answer.media}; charset=utf-8"
    return msgspec.json.encode(answer), JSON


def _set_once(fields: dict[str, Any], name: str, value: str, *, called: str) -> None:
    if name in fields:
        raise bad_request(f"Parameter '{called}' is given more than once.")
    fields[name] = value


def _listed(name: str, value: str) -> list[str]:
    """Texts and instructions may hold commas; lists of ids, tags and words are written with them."""
    return [value] if name in SENTENCES else [part for part in value.split(",") if part]


def _things(name: str, value: str) -> list[Any]:
    """The things in *value*, which is the JSON of one or of several."""
    try:
        found = msgspec.json.decode(value)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise bad_request(f"Value for '{name}' not supported.", detail=_reason(error)) from None
    return found if isinstance(found, list) else [found]


@functools.cache
def _shapes(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The fields of *kind*, and the shape of each."""
    return {field.encode_name: field.type for field in msgspec.structs.fields(kind)}


@functools.cache
def _is_nested(shape: Any) -> bool:
    """Whether there are members within *shape*."""
    is_struct = isinstance(shape, type) and issubclass(shape, msgspec.Struct)
    return is_struct or any(map(_is_nested, get_args(shape)))


@functools.cache
def _is_list(shape: Any) -> bool:
    options = getattr(shape, "__args__", ())
    inner = getattr(shape, "__origin__", shape)
    return list in (shape, get_origin(shape), get_origin(inner)) or any(
        _is_list(option) for option in options
    )


def _complaint(text: str, kind: type[msgspec.Struct]) -> Problem:
    missing = _MISSING.search(text)
    if missing:
        where = (missing["where"] or "").lstrip(".")
        name = f"{where}.{missing['name']}" if where else missing["name"]
        return bad_request(f"Parameter '{name}' not specified.")
    reason, _, where = text.partition(" - at `$")
    name = where.rstrip("`").lstrip(".")
    if not name:
        return bad_request("The request body is not valid.", detail=reason)
    allowed = _allowed(kind, name)
    listed = f" Allowed: {', '.join(map(repr, allowed))}." if allowed else ""
    return bad_request(f"Value for '{name}' not supported.{listed}", detail=reason)


def _allowed(kind: type[msgspec.Struct], name: str) -> list[str]:
    """The words that a field of *kind* takes, if it takes only some."""
    shapes = [field.type for field in msgspec.structs.fields(kind) if field.encode_name == name]
    words = []
    while shapes:
        shape = shapes.pop(0)
        words += [each for each in get_args(shape) if isinstance(each, str)]
        shapes += [each for each in get_args(shape) if get_args(each)]
    return words


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "It is nested too deeply."
    if isinstance(error, UnicodeDecodeError):
        return "It is not valid UTF-8."
    return str(error)
