"""Passages: the words of a paragraph among pieces that stay, cut from a text and put back in their places.

The pieces are those of the source text itself, so what is not translated comes out as it was written. Whatever a
translator answers, no word is lost, every piece that stays is there once, and tags nest (see `inline`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import escape

from . import Words
from .inline import Line, Lone, Node, Span, plain_text

Encode = Callable[[str], str]

_TAG = re.compile(r"</?[gx]\d{1,7}\s*/?>")
_BLANKS = re.compile(r"\s*\n\s*")
# What XML cannot carry goes out as a tag, like any other piece that stays.
UNFIT = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]+"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the source as it is written, *raw*; the characters of a text, or the role of what stays.

    *pair* is shared by an opening tag and its closing tag. What *breaks* the line ends a sentence.
    """

    raw: str
    text: str = ""
    role: Literal["text", "open", "close", "lone"] = "lone"
    pair: int = 0
    breaks: bool = False


def plain(text: str) -> Piece:
    """Return a piece of text that is written as it reads."""
    return Piece(text, text, "text")


class Passage:
    """Pieces that are translated as one.

    White space and what stays at either end is left outside. *wrapped* takes line ends for the spaces they are in
    markup; *encode* writes each translated text, *finish* the whole passage. *raw* is what stands in the source, if
    that is not the pieces joined.
    """

    __slots__ = ("_after", "_before", "_core", "_encode", "_finish", "_line", "_raw", "sent")

    def __init__(
        self,
        pieces: Iterable[Piece],
        *,
        wrapped: bool = False,
        encode: Encode = str,
        finish: Encode = str,
        raw: str = "",
    ) -> None:
        self._encode, self._finish = encode, finish
        joined = list(_apart(_joined(pieces)))
        self._raw = raw or "".join(piece.raw for piece in joined)
        self._before, self._core, self._after = _peeled(joined)
        self._line: Line | None = None
        if len(self._core) == 1 and self._core[0].role == "text":  # most passages are words alone
            text = _BLANKS.sub(" ", self._core[0].text) if wrapped else self._core[0].text
            self.sent = escape(text) if any(map(str.isalpha, text)) else ""
            return
        self._line = Line(_nodes(self._core, wrapped))
        self.sent = self._line.text if self._line.worded else ""
        """What goes to the translator; empty if there is no word in it."""

    def put_back(self, answer: str) -> str:
        """Return the passage with the words of *answer*; as it stands in the source if they are its own."""
        if answer == self.sent:
            return self._raw
        if self._line:
            ends = {piece.pair: piece.raw for piece in self._core if piece.role == "close"}
            core = "".join(_written(self._line.read(answer), ends, self._encode))
        else:
            core = self._encode(plain_text(_TAG.sub("", answer)))
        return self._finish(self._before + core + self._after)

    def __str__(self) -> str:
        return self._raw


Part = str | Passage


def translated(parts: Sequence[Part], words: Words) -> list[str]:
    """Return *parts*, the passages among them translated in one call of *words*; same length and order."""
    texts = [str(part) for part in parts]
    worded = [(at, part) for at, part in enumerate(parts) if isinstance(part, Passage) and part.sent]
    answers = words([passage.sent for _, passage in worded], tagged=True) if worded else []
    for (at, passage), answer in zip(worded, answers, strict=True):
        texts[at] = passage.put_back(answer)
    return texts


def _joined(pieces: Iterable[Piece]) -> list[Piece]:
    """Join pieces that stay and touch; tags with no text between them stay as one, too."""
    out: list[Piece | list[Piece]] = []
    for piece in pieces:
        run = [piece] if piece.role == "lone" else None
        if piece.role == "close":
            run = _around_nothing(out, piece) or _around_figure(out, piece)
        if run is None:
            out.append(piece)
        elif out and isinstance(last := out[-1], list):
            last += run
        else:
            out.append(run)
    return [_lone(each) if isinstance(each, list) else each for each in out if each]


def _around_nothing(out: list[Piece | list[Piece]], piece: Piece) -> list[Piece] | None:
    """Take the opening tag of *piece* and what follows it off *out*, if there is no text in it."""
    count = 2 if len(out) > 1 and isinstance(out[-1], list) else 1
    if len(out) < count or not _are_partners(out[-count], piece):
        return None
    inside = out.pop() if count == 2 else []
    first = out.pop()
    return [first, *inside, piece] if isinstance(first, Piece) and isinstance(inside, list) else None


def _around_figure(out: list[Piece | list[Piece]], piece: Piece) -> list[Piece] | None:
    """Take a pair of tags and the figure in it off *out* where it touches a word: an index, the number of a note."""
    first, inside = out[-2:] if len(out) > 2 else (None, None)
    word = next((each for each in out[-3:-6:-1] if isinstance(each, list) or each.role != "open"), None)
    if not (isinstance(first, Piece) and isinstance(inside, Piece) and isinstance(word, Piece)):
        return None
    if not _are_partners(first, piece) or not inside.text.strip() or any(map(str.isalpha, inside.text)):
        return None
    if not word.text[-1:].strip():
        return None
    del out[-2:]
    return [first, inside, piece]


def _apart(joined: Sequence[Piece]) -> Iterator[Piece]:
    """Yield the pieces, and the end of a sentence where two elements touch but are no one word: Start and Programs."""
    for at, piece in enumerate(joined):
        yield piece
        touching = piece.role == "close" and at + 2 < len(joined) and joined[at + 1].role == "open"
        if touching and joined[at - 1].text[-1:].islower() and joined[at + 2].text[:1].isupper():
            yield Piece("", breaks=True)


def _are_partners(first: Piece | list[Piece], last: Piece) -> bool:
    return (
        isinstance(first, Piece) and first.role == "open" and last.role == "close" and first.pair == last.pair
    )


def _lone(run: list[Piece]) -> Piece:
    return Piece("".join(piece.raw for piece in run), breaks=any(piece.breaks for piece in run))


def _peeled(pieces: Sequence[Piece]) -> tuple[str, list[Piece], str]:
    """Return what stands before the words, the pieces of the words, and what stands after them."""
    start, end = 0, len(pieces)
    while start < end:
        if _is_outside(pieces[start]):
            start += 1
        elif _is_outside(pieces[end - 1]):
            end -= 1
        elif _are_partners(pieces[start], pieces[end - 1]):
            start, end = start + 1, end - 1
        else:
            break
    core = list(pieces[start:end])
    before = "".join(piece.raw for piece in pieces[:start])
    after = "".join(piece.raw for piece in pieces[end:])
    return before + _cut_start(core), core, _cut_end(core) + after


def _is_outside(piece: Piece) -> bool:
    return piece.role == "lone" or (piece.role == "text" and not piece.text.strip())


def _cut_start(core: list[Piece]) -> str:
    if not core or core[0].text != core[0].raw:
        return ""
    text = core[0].text
    core[0] = plain(text.lstrip())
    return text[: len(text) - len(core[0].text)]


def _cut_end(core: list[Piece]) -> str:
    if not core or core[-1].text != core[-1].raw:
        return ""
    text = core[-1].text
    core[-1] = plain(text.rstrip())
    return text[len(core[-1].text) :]


def _nodes(core: Sequence[Piece], wrapped: bool) -> list[Node]:
    """Return *core* as nodes: what stands between a pair of tags is inside their span."""
    around: list[list[Node]] = [[]]
    for piece in core:
        if piece.role == "text":
            around[-1].append(_BLANKS.sub(" ", piece.text) if wrapped else piece.text)
        elif piece.role == "close":
            around.pop()
        elif piece.role == "open":
            span = Span(piece, once=True)
            around[-1].append(span)
            around.append(span.inside)
        else:
            around[-1].append(Lone(piece, breaks=piece.breaks, chain="breaks" if piece.breaks else None))
    return around[0]


def _written(nodes: Sequence[Node], ends: Mapping[int, str], encode: Encode) -> Iterator[str]:
    waiting: list[Node | int] = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if isinstance(node, int):
            yield ends[node]
        elif isinstance(node, str):
            yield encode(node)
        else:
            yield node.thing.raw
            if isinstance(node, Span):
                waiting += (node.thing.pair, *reversed(node.inside))
