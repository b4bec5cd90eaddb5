"""What stands among the words of an XLIFF segment: codes in pairs or alone, native code, marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..translation.markup import Token
from .attributes import value_of
from .markup import raw_pieces
from .passage import Encode, Part, Passage, Piece
from .xml import is_untranslated

Span = tuple[int, int]

_NATIVE = frozenset({"bpt", "ept", "it", "ph"})
_FARTHEST = 100
_STARTS = frozenset({"bpt", "bx", "sc"})
_ENDS = frozenset({"ept", "ex", "ec"})


def local(token: Token) -> str:
    """Return a tag's name without its prefix."""
    return token.name.rpartition(":")[2]


def marks(found: Sequence[Token], span: Span) -> Iterator[Span]:
    """Yield where the outermost elements inside *span* begin and end: the sentences of a segmented text."""
    at = span[0] + 1
    while at < span[1]:
        partner = found[at].partner
        if found[at].kind == "open" and partner is not None:
            yield at, partner
            at = partner
        at += 1


def is_blank(found: Sequence[Token], span: Span) -> bool:
    """Tell whether there are but tags and white space inside *span*."""
    return not any(token.kind == "text" and token.raw.strip() for token in found[span[0] + 1 : span[1]])


def content(
    found: Sequence[Token], span: Span, *, kept: Mapping[str, str] | None, spaced: bool, encode: Encode
) -> Iterator[Part]:
    """Yield the parts of what is inside the element *span*; sentence by sentence if those *kept* are given."""
    at, end = span[0] + 1, span[1]
    if kept is None:
        yield Passage(pieces(found, at, end), wrapped=not spaced, encode=encode)
        return
    for first, last in marks(found, span):
        yield "".join(token.raw for token in found[at : first + 1])
        number = value_of(found[first].raw, "mid")
        if number in kept:
            yield kept[number]
        else:
            yield Passage(pieces(found, first + 1, last), wrapped=not spaced, encode=encode)
        at = last
    yield "".join(token.raw for token in found[at:end])


def pieces(found: Sequence[Token], at: int, end: int) -> list[Piece]:
    """Return the pieces of the tokens from *at* to *end*."""
    out: list[Piece] = []
    pairs = _Pairs()
    while at < end:
        token = found[at]
        last = token.partner if token.kind == "open" and token.partner is not None else at
        if token.kind == "text":
            out += raw_pieces(token.raw)
        elif local(token) in _NATIVE or _is_protected(token):
            last = _mark_end(found, at, end) if local(token) == "sm" else last
            raw = "".join(each.raw for each in found[at : last + 1])
            out.append(Piece(raw))
            pairs.note(out, *_code(token))
            at = last
        else:
            out.append(Piece(token.raw))
            pairs.note(out, *_role(token, at))
        at += 1
    return pairs.applied(out)


def _is_protected(token: Token) -> bool:
    return is_untranslated(token) or value_of(token.raw, "mtype") == "protected"


def _mark_end(found: Sequence[Token], at: int, end: int) -> int:
    """Return where the mark ends that starts *at*: its own place if that is far away, or elements cross it."""
    number = value_of(found[at].raw, "id")
    for last in range(at + 1, min(end, at + _FARTHEST)):
        if local(found[last]) == "em" and value_of(found[last].raw, "startRef") == number:
            crossed = any(not at < (token.partner or last - 1) < last for token in found[at + 1 : last])
            return at if crossed else last
    return at


def _role(token: Token, at: int) -> tuple[str, str]:
    if token.kind == "point" or token.partner is None:
        return _code(token)
    return token.kind, str(min(at, token.partner))


def _code(token: Token) -> tuple[str, str]:
    """Return whether a code starts or ends something, and what."""
    name = local(token)
    if name in _STARTS:
        return "open", "code " + (value_of(token.raw, "rid") or value_of(token.raw, "id"))
    if name in _ENDS:
        of = value_of(token.raw, "startRef") or value_of(token.raw, "rid") or value_of(token.raw, "id")
        return "close", f"code {of}"
    return "", ""


class _Pairs:
    """Finds which pieces belong together; codes that cross others stay alone."""

    def __init__(self) -> None:
        self._open: list[tuple[str, int]] = []
        self._pairs: list[tuple[int, int]] = []

    def note(self, out: Sequence[Piece], kind: str, key: str) -> None:
        """Note that the last piece of *out* opens or closes *key*."""
        at = len(out) - 1
        if kind == "open":
            self._open.append((key, at))
        elif kind == "close":
            if not key.startswith("code "):
                while self._open and self._open[-1][0] != key:
                    self._open.pop()
            if self._open and self._open[-1][0] == key:
                self._pairs.append((self._open.pop()[1], at))

    def applied(self, out: list[Piece]) -> list[Piece]:
        """Return *out* with the pairs told of each other."""
        for number, (first, last) in enumerate(self._pairs, 1):
            out[first] = Piece(out[first].raw, "", "open", number)
            out[last] = Piece(out[last].raw, "", "close", number)
        return out
