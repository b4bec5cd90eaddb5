"""Content streams edited in place: texts and lines taken out of them, every other byte left as it was."""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    rb"(?P<blank>[\x00\t\n\x0c\r ]+|%[^\r\n]*)"
    rb"|(?P<text>\()"
    rb"|(?P<open><<|\[)|(?P<close>>>|\])"
    rb"|(?P<hex><[^<>]*>?)"
    rb"|(?P<name>/[^\x00\t\n\x0c\r ()<>\[\]{}/%]*)"
    rb"|(?P<word>[^\x00\t\n\x0c\r ()<>\[\]{}/%]+)"
    rb"|(?P<stray>[\x00-\xff])"
)
_IN_TEXT = re.compile(rb"[^()\\]+|\\[\x00-\xff]?|[()]")
_NUMBER = re.compile(rb"[+-]*+[0-9.][0-9.+-]*+")
_END_OF_IMAGE = re.compile(rb"[\x00\t\n\x0c\r ]EI(?=[\x00\t\n\x0c\r /]|$)")
_LITERALS = (b"true", b"false", b"null")
_MOST_OPERANDS = 64

_SHOWS = frozenset((b"Tj", b"TJ", b"'", b'"'))
_PLACES = frozenset((b"Td", b"TD", b"Tm", b"T*", b"BT", b"ET"))
_PAINTS = frozenset((b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*", b"S", b"s"))


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator with its operands, as (start, end) of the stream; *start* is where the first of them begins."""

    name: bytes
    start: int
    end: int
    operands: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Stream:
    """What a content stream does, as far as its texts, lines and forms are concerned.

    *chains* are runs of shown texts (numbers into *shows*) each of which begins where the one before ended.
    """

    data: bytes
    shows: list[Operation] = field(default_factory=list)
    paints: list[Operation] = field(default_factory=list)
    draws: list[Operation] = field(default_factory=list)
    chains: list[list[int]] = field(default_factory=list)
    marks: list[Operation] = field(default_factory=list)
    surplus: list[Operation] = field(default_factory=list)
    left_open: int = 0

    def name(self, operation: Operation) -> str:
        """Return the name of the form or picture that *operation* draws."""
        if not operation.operands:
            return ""
        start, end = operation.operands[-1]
        return self.data[start:end].decode("latin-1")


def parsed(data: bytes) -> Stream:
    """Return *data* taken apart."""
    stream = Stream(data)
    path = False
    for operation in operations(data):
        name = operation.name
        if name in _SHOWS:
            _show(stream, operation)
        elif name in _PLACES:
            stream.chains.append([])
        elif name in _PAINTS:
            if path:
                stream.paints.append(operation)
            path = False
        elif name in (b"m", b"re"):
            path = True
        elif name == b"n":
            path = False
        elif name == b"Do":
            stream.draws.append(operation)
        elif name == b"BDC" and b"/ActualText" in data[operation.start : operation.end]:
            stream.marks.append(operation)
        elif name in (b"q", b"Q"):
            _saved(stream, operation)
    stream.chains = [chain for chain in stream.chains if len(chain) > 1]
    return stream


def _show(stream: Stream, operation: Operation) -> None:
    if not _shows_anything(stream.data, operation):
        return
    if operation.name in (b"'", b'"') or not stream.chains:
        stream.chains.append([])
    stream.chains[-1].append(len(stream.shows))
    stream.shows.append(operation)


def _shows_anything(data: bytes, operation: Operation) -> bool:
    """Whether PDFium makes a text of *operation*: it leaves out empty strings and bare moves."""
    if not operation.operands:
        return False
    start, end = operation.operands[-1]
    body = data[start:end]
    if operation.name == b"TJ":
        return b"(" in body or b"<" in body
    return body not in (b"()", b"<>")


def _saved(stream: Stream, operation: Operation) -> None:
    if operation.name == b"q":
        stream.left_open += 1
    elif stream.left_open:
        stream.left_open -= 1
    else:
        stream.surplus.append(operation)


def edited(
    stream: Stream,
    *,
    shows: Collection[int],
    paints: Collection[int] = (),
    renamed: Callable[[int], str | None] = lambda number: None,
) -> bytes:
    """Return the stream without the texts *shows* and the lines *paints*, with its saved states closed.

    *renamed* gives another name for what the nth Do draws, or None. Texts that were set aside for readers
    (ActualText) go too.
    """
    changes: list[tuple[int, int, bytes]] = []
    for number in shows:
        operation = stream.shows[number]
        changes.append((operation.start, operation.end, _without(stream.data, operation)))
    for number in paints:
        operation = stream.paints[number]
        changes.append((operation.start, operation.end, b"n"))
    for number, operation in enumerate(stream.draws):
        if (name := renamed(number)) is not None:
            changes.append((operation.start, operation.end, name.encode("latin-1") + b" Do"))
    changes.extend((mark.start, mark.end, b"/Span BMC") for mark in stream.marks)
    changes.extend((end.start, end.end, b"") for end in stream.surplus)
    return _changed(stream.data, sorted(changes)) + b"\nQ" * stream.left_open


def _changed(data: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    pieces, at = [], 0
    for start, end, new in changes:
        if start >= at:
            pieces += [data[at:start], new]
            at = end
    return b"".join([*pieces, data[at:]])


def _without(data: bytes, operation: Operation) -> bytes:
    """Return what an operator that shows text does besides: the next line, the spacing."""
    if operation.name == b"'":
        return b"T*"
    if operation.name == b'"' and len(operation.operands) >= 3:
        words, letters = (data[start:end] for start, end in operation.operands[-3:-1])
        return words + b" Tw " + letters + b" Tc T*"
    return b""


def operations(data: bytes) -> Iterator[Operation]:
    """Yield the operations of a content stream, in order; what cannot be one is passed over."""
    operands: list[tuple[int, int]] = []
    depth = at = 0
    while match := _TOKEN.match(data, at):
        start, at, kind = at, match.end(), match.lastgroup
        if kind == "blank" or kind == "stray":
            continue
        if kind == "text":
            at = _text_end(data, at)
        if kind == "open":
            depth += 1
            if depth == 1:
                operands.append((start, at))
        elif kind == "close" and depth:
            depth -= 1
            operands[-1] = (operands[-1][0], at)
        elif depth or kind == "close":
            continue
        elif kind == "word" and not _NUMBER.fullmatch(match[0]) and match[0] not in _LITERALS:
            if match[0] == b"ID":
                at = _image_end(data, at)
            yield Operation(match[0], operands[0][0] if operands else start, at, tuple(operands))
            operands = []
        else:
            operands = [*operands[-_MOST_OPERANDS:], (start, at)]


def _text_end(data: bytes, at: int) -> int:
    depth = 1
    while match := _IN_TEXT.match(data, at):
        at = match.end()
        depth += (match[0] == b"(") - (match[0] == b")")
        if not depth:
            break
    return at


def _image_end(data: bytes, at: int) -> int:
    """Return where the bytes of an inline picture end; the two letters also occur inside pictures."""
    for match in _END_OF_IMAGE.finditer(data, at):
        after = data[match.end() : match.end() + 16]
        if not after or all(byte in b"\t\n\x0c\r\x00" or 32 <= byte < 127 for byte in after):
            return match.end()
    return len(data)
