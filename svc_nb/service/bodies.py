"""From the bytes of a request to its typed body: media types, sizes, JSON, forms, queries and uploaded files."""

import contextlib
import functools
import logging
import re
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Annotated, Any, Literal, TypeVar, get_args, get_origin
from urllib.parse import parse_qsl

import msgspec
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from .answers import JSON
from .problems import Problem, bad_request, unsupported

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
FILE = "file"  # what the part of a form is called that is a file

SENTENCES = ("text", "custom_instructions")  # texts and instructions may hold commas; other lists are written with them

MAX_GLOSSARIES = 5

T = TypeVar("T", bound=msgspec.Struct)

# How a member of a thing in a list is named in a form: `dictionaries[0].entries`, or `dictionaries[0][entries]`.
_MEMBER = re.compile(r"(?P<list>\w+)\[(?P<place>\d{1,6})\](?:\.(?P<dotted>\w+)|\[(?P<bracketed>\w+)\])")
_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]+)`(?: - at `\$(?P<where>[^`]*)`)?")
_MAX_FORM_FIELDS = 5000  # a glossary with a dictionary for each pair has four for each of 1,056
_IN_MEMORY = 1024 * 1024
_MAX_FIELDS = 100
_MAX_FIELD = 64 * 1024
_MAX_HEAD = 8 * 1024

logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # a bad form is answered, not logged


class TranslationOptions(msgspec.Struct):
    """What shapes a translation, of texts or of a document, besides the target language."""

    source_lang: str | None = None
    formality: Literal["default", "more", "less", "prefer_more", "prefer_less"] = "default"
    glossary_id: str | None = None
    glossary_ids: Annotated[list[str], msgspec.Meta(max_length=MAX_GLOSSARIES)] = []
    style_id: str | None = None
    translation_memory_id: str | None = None
    translation_memory_threshold: Annotated[int, msgspec.Meta(ge=0, le=100)] = 75


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
    """A JSON object or a form as a *kind*, or 400 that names the parameter."""
    if media != JSON:
        return from_pairs(form_pairs(body), kind)
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise _complaint(str(error), kind) from None
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise bad_request("The request body is not valid JSON.", detail=_reason(error)) from None


def from_pairs(pairs: Iterable[tuple[str, str]], kind: type[T]) -> T:
    """Form or query fields as a *kind*: lists repeated or comma-separated, things in them `things[0].name` or JSON."""
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
            listed = [value] if name in SENTENCES else [part for part in value.split(",") if part]
            if _is_nested(shapes[name]):  # the JSON of one thing, or of several
                try:
                    things = msgspec.json.decode(value)
                except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                    raise unsupported(name, _reason(error)) from None
                listed = things if isinstance(things, list) else [things]
            fields.setdefault(name, []).extend(listed)
        else:
            _set_once(fields, name, value, called=name)
    for name, places in by_place.items():
        fields.setdefault(name, []).extend(places[place] for place in sorted(places))
    try:
        return msgspec.convert(fields, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _complaint(str(error), kind) from None


def form_pairs(body: bytes) -> list[tuple[str, str]]:
    """The fields of a form, in their order, or 400."""
    try:
        return parse_qsl(body.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FORM_FIELDS)
    except ValueError as error:
        raise _bad_form(_reason(error)) from None


def _set_once(fields: dict[str, Any], name: str, value: str, *, called: str) -> None:
    if name in fields:
        raise bad_request(f"Parameter '{called}' is given more than once.")
    fields[name] = value


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
    return list in (shape, get_origin(shape), get_origin(inner)) or any(_is_list(option) for option in options)


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
    # The words that the field takes, if it takes only some.
    shapes = [_shapes(kind).get(name)]
    allowed: list[str] = []
    while shapes:
        members = get_args(shapes.pop(0))
        allowed += [each for each in members if isinstance(each, str)]
        shapes += [each for each in members if get_args(each)]
    listed = f" Allowed: {', '.join(map(repr, allowed))}." if allowed else ""
    return bad_request(f"Value for '{name}' not supported.{listed}", detail=reason)


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "It is nested too deeply."
    if isinstance(error, UnicodeDecodeError):
        return "It is not valid UTF-8."
    return str(error)


@dataclass(slots=True)
class UploadedFile:
    """A file that came with a request: open at its start, never under a name on the disk."""

    file: IO[bytes]
    name: str = ""
    size: int = 0


async def read_raw(request: Request, limit: int) -> UploadedFile:
    """The whole body as a file, or 413 as soon as it is longer than *limit*."""
    with _fresh() as received:
        async for piece in bounded(request, limit):
            _write(received, piece)
        received.file.seek(0)
    return received


async def read_multipart(request: Request, limit: int) -> tuple[UploadedFile, list[tuple[str, str]]]:
    """The one file of a form, and its fields; 400 without a file, 413 as soon as all of it is longer than *limit*."""
    with _fresh() as received:
        _, options = parse_options_header(request.headers.get("content-type"))
        if not options.get(b"boundary"):
            raise _bad_form("Its media type names no boundary.")
        form = _Form(received)
        callbacks: Any = {name: getattr(form, name) for name in dir(form) if name.startswith("on_")}
        try:
            parser = MultipartParser(options[b"boundary"], callbacks)
            async for piece in bounded(request, limit):
                parser.write(piece)
        except FormParserError as error:
            raise _bad_form(str(error)) from None
        if not form.whole or not form.has_file:
            raise bad_request("Invalid file data.", detail="The form has no part named 'file', or it ends too soon.")
        received.file.seek(0)
    return received, form.fields


@contextlib.contextmanager
def _fresh() -> Iterator[UploadedFile]:
    """A file to receive into; closed only when the block raises."""
    received = UploadedFile(tempfile.SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115
    try:
        yield received
    except BaseException:
        received.file.close()
        raise


def _write(received: UploadedFile, piece: bytes) -> None:
    try:
        received.file.write(piece)
    except OSError as error:
        raise Problem(503, "The service cannot keep the file.", detail=error.strerror) from None
    received.size += len(piece)


@dataclass(slots=True)
class _Form:
    """Puts a form together as the parser tells of its parts: it calls the methods on_…."""

    received: UploadedFile
    fields: list[tuple[str, str]] = field(default_factory=list)
    has_file: bool = False
    whole: bool = False
    _header: bytes = b""
    _value: bytes = b""
    _disposition: bytes = b""
    _name: str = ""
    _in_file: bool = False
    _text: bytearray = field(default_factory=bytearray)

    def on_part_begin(self) -> None:
        if len(self.fields) >= _MAX_FIELDS:
            raise _bad_form(f"It has more than {_MAX_FIELDS} fields.")
        self._disposition, self._header, self._value, self._text = b"", b"", b"", bytearray()

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]
        self._refuse_long_heads()

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._refuse_long_heads()

    def _refuse_long_heads(self) -> None:
        if len(self._header) + len(self._value) > _MAX_HEAD:
            raise _bad_form("The head of a part is too long.")

    def on_header_end(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._disposition = self._value
        self._header, self._value = b"", b""

    def on_headers_finished(self) -> None:
        _, options = parse_options_header(self._disposition)
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        self._in_file = self._name == FILE
        if self._in_file and self.has_file:
            raise bad_request("Invalid file data.", detail="There is more than one file.")
        if self._in_file:
            self.has_file = True
            self.received.name = options.get(b"filename", b"").decode("utf-8", "replace")

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._in_file:
            _write(self.received, data[start:end])
            return
        self._text += data[start:end]
        if len(self._text) > _MAX_FIELD:
            raise _bad_form("A field is too long.")

    def on_part_end(self) -> None:
        try:
            if not self._in_file:
                self.fields.append((self._name, self._text.decode("utf-8")))
        except UnicodeDecodeError:
            raise _bad_form("It is not valid UTF-8.") from None

    def on_end(self) -> None:
        self.whole = True


def _bad_form(detail: str) -> Problem:
    return bad_request("The form body is not valid.", detail=detail)
