"""A paragraph's runs as one text with numbered tags, and back, whatever a translator did to the tags.

``This is <g1>bold</g1><x2/> and plain``: a `Span` becomes a pair of tags, a `Lone` element a single one, the rest is
escaped as XML. Lone elements at either end of the paragraph are not sent at all.

On the way back no text is lost. A lone element comes back exactly once: one that the translator dropped follows the
one before it. Formatting that was crossed is nested, what was doubled is applied twice, what was dropped or never ends
is gone. A span that is `once` comes back exactly once, as a lone element does.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias
from xml.sax.saxutils import escape

_TAG = re.compile(r"<(/?)([gx])(\d{1,7})\s*(/?)>")
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(eq=False, slots=True)
class Lone:
    """What stands alone in a text: a tab, an image, a field; *thing* is its owner's business.

    A lone element that *breaks* the line ends a sentence. Those of one *chain* stay in their order: a bookmark does
    not end before it starts.
    """

    thing: Any
    breaks: bool = False
    chain: Hashable = None


@dataclass(eq=False, slots=True)
class Span:
    """What is around a part of a text: formatting, or an element (*once*); *thing* is its owner's business."""

    thing: Any
    inside: list[Node] = field(default_factory=list)
    once: bool = False


Node: TypeAlias = str | Lone | Span


@dataclass(frozen=True, slots=True)
class Style:
    """The formatting of a run: styles of equal *key* look the same."""

    key: Hashable
    thing: Any = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Run:
    """A text of one style."""

    text: str
    style: Style


Piece: TypeAlias = Run | Lone | Span


def base(pieces: Iterable[Piece]) -> Style | None:
    """Return the style that most of the text has, which needs no tags; None if there is no run."""
    lengths: dict[Style, int] = defaultdict(int)
    for piece in pieces:
        if isinstance(piece, Run):
            lengths[piece.style] += len(piece.text.strip())
    return max(lengths, key=lengths.__getitem__) if lengths else None


def joined(pieces: Iterable[Piece], plain: Style | None) -> list[Node]:
    """Return *pieces* as nodes: adjacent runs of equal style are one span, those of the style *plain* bare text.

    Lone elements and single spaces between runs of one style belong to it; white space at the ends of a span is put
    outside.
    """
    done: list[Node] = []
    group: list[Node] = []
    between: list[Node] = []
    style = plain
    for piece in pieces:
        if isinstance(piece, Lone):
            between.append(piece)
        elif isinstance(piece, Run) and piece.text == " ":
            between.append(" ")
        elif isinstance(piece, Run) and piece.style == style:
            group += (*between, piece.text)
            between = []
        else:
            done += (*_spanned(group, style, plain), *between)
            group, between, style = [], [], plain
            if isinstance(piece, Run):
                group, style = [piece.text], piece.style
            else:
                done.append(piece)
    return _merged((*done, *_spanned(group, style, plain), *between))


def _spanned(group: Sequence[Node], style: Style | None, plain: Style | None) -> Iterator[Node]:
    inside = _merged(group)
    if style == plain or not inside:
        yield from inside
        return
    before = after = ""
    first, last = inside[0], inside[-1]
    if isinstance(last, str) and not last.isspace():
        inside[-1] = last.rstrip()
        after = last[len(last.rstrip()) :]
    if isinstance(first, str) and not first.isspace():
        first = str(inside[0])
        inside[0] = first.lstrip()
        before = first[: len(first) - len(first.lstrip())]
    yield from (before, Span(style, inside), after)


def _merged(nodes: Iterable[Node]) -> list[Node]:
    """Return *nodes* with neighbouring texts joined and empty ones left out."""
    merged: list[Node] = []
    texts: list[str] = []
    for node in (*nodes, None):
        if isinstance(node, str):
            texts.append(node)
            continue
        if text := "".join(texts):
            merged.append(text)
        texts = []
        if node is not None:
            merged.append(node)
    return merged


class Line:
    """One paragraph: its *text* with tags, and what the tags stand for."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        start, end = _core(nodes)
        self._head, self._tail = nodes[:start], nodes[end:]
        self._tags: dict[int, Lone | Span] = {}
        self.worded = False
        self.text = "".join(self._written(nodes[start:end]))

    def _written(self, nodes: Sequence[Node]) -> Iterator[str]:
        """Number the tags in the order they open; no recursion, for depth is the document's business."""
        waiting: list[Node | int] = list(reversed(nodes))
        while waiting:
            node = waiting.pop()
            if isinstance(node, int):
                yield f"</g{node}>"
            elif isinstance(node, str):
                self.worded = self.worded or any(map(str.isalpha, node))
                yield escape(node)
            else:
                number = len(self._tags) + 1
                self._tags[number] = node
                if isinstance(node, Lone):
                    yield f"\n<x{number}/>" if node.breaks else f"<x{number}/>"
                else:
                    yield f"<g{number}>"
                    waiting += (number, *reversed(node.inside))

    def read(self, translation: str) -> list[Node]:
        """Return the nodes of *translation*, with the whole of what the tags stand for."""
        reading = _Reading(self._tags)
        at = 0
        for tag in _TAG.finditer(translation):
            reading.add_text(plain_text(translation[at : tag.start()]))
            reading.add_tag(tag)
            at = tag.end()
        reading.add_text(plain_text(translation[at:]))
        return [*self._head, *reading.finished(), *self._tail]


def plain_text(text: str) -> str:
    """Return *text*, a piece of XML without tags, as characters that XML can hold."""
    return _FORBIDDEN.sub("", _REFERENCE.sub(_character, text)) if "&" in text else _FORBIDDEN.sub("", text)


def _character(reference: re.Match[str]) -> str:
    name, decimal, hexadecimal = reference.groups()
    if name:
        return _NAMED[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(code) if code <= 0x10FFFF else reference[0]


def _core(nodes: Sequence[Node]) -> tuple[int, int]:
    """Return where the nodes start and end that are worth sending."""
    start, end = 0, len(nodes)
    while start < end and _is_edge(nodes[start]):
        start += 1
    while end > start and _is_edge(nodes[end - 1]):
        end -= 1
    return start, end


def _is_edge(node: Node) -> bool:
    return isinstance(node, Lone) or (isinstance(node, str) and not node.strip())


class _Reading:
    """Builds nodes from texts and tags as they come, well-formed or not."""

    def __init__(self, tags: dict[int, Lone | Span]) -> None:
        self._tags = tags
        self._open: list[tuple[int, Span]] = [(0, Span(None))]
        self._seen: set[int] = set()

    def add_text(self, text: str) -> None:
        if text:
            self._open[-1][1].inside.append(text)

    def add_tag(self, tag: re.Match[str]) -> None:
        slash, _, digits, single = tag.groups()
        number = int(digits)
        known = self._tags.get(number)
        if isinstance(known, Lone):
            self._add_lone(number, known)
        elif isinstance(known, Span):
            if not slash:
                self._start(number, known)
            if slash or single:
                self._end(number)

    def _add_lone(self, number: int, lone: Lone) -> None:
        if number in self._seen:
            return
        self._seen.add(number)
        inside = self._open[-1][1].inside
        if lone.breaks and inside and isinstance(inside[-1], str):
            inside[-1] = inside[-1].removesuffix("\n")
        inside.append(lone)

    def _start(self, number: int, span: Span) -> None:
        if any(number == each for each, _ in self._open) or (span.once and number in self._seen):
            return
        self._seen.add(number)
        opened = replace(span, inside=[])
        self._open[-1][1].inside.append(opened)
        self._open.append((number, opened))

    def _end(self, number: int) -> None:
        """Close a span, and those opened in it that are still open: formatting goes on after it."""
        if not any(number == each for each, _ in self._open):
            return
        crossed = []
        while (last := self._open.pop())[0] != number:
            crossed.append(last)
        for each, span in reversed(crossed):
            if not span.once:
                self._start(each, span)

    def finished(self) -> list[Node]:
        """Return the nodes: lost ones added, chains in order, empty formatting gone."""
        root = self._open[0][1]
        self._drop_unclosed()
        followers = self._lost()
        order = _Order(self._tags.values(), root)
        return _merged((*_complete(root.inside, followers, order), *followers[_END]))

    def _drop_unclosed(self) -> None:
        """Take formatting that has no end off its text: it would reach to the end of the paragraph."""
        for (_, around), (_, span) in zip(self._open[-2::-1], self._open[:0:-1], strict=True):
            if not span.once:
                around.inside[-1:] = span.inside

    def _lost(self) -> dict[Any, list[Node]]:
        """Return what did not come back, by the lone element that it follows."""
        followers: dict[Any, list[Node]] = defaultdict(list)
        before: Any = _END
        for number, node in self._tags.items():
            if number in self._seen:
                before = node if isinstance(node, Lone) else before
            elif isinstance(node, Lone):
                followers[before].append(node)
            elif node.once:
                followers[_END].append(replace(node, inside=[]))
        return followers


_END = object()


class _Order:
    """The lone elements of each chain, in the order in which they must come."""

    def __init__(self, tags: Iterable[Lone | Span], root: Span) -> None:
        self._chains: dict[Hashable, list[Lone]] = defaultdict(list)
        came = set(map(id, _lones(root)))
        for node in tags:
            if isinstance(node, Lone) and node.chain is not None and id(node) in came:
                self._chains[node.chain].append(node)
        for chain in self._chains.values():
            chain.reverse()

    def next(self, lone: Lone) -> Lone:
        """Return the lone element that belongs where *lone* stands."""
        return self._chains[lone.chain].pop() if lone.chain is not None else lone


def _lones(root: Span) -> Iterator[Lone]:
    waiting: list[Node] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Lone):
            yield node
        elif isinstance(node, Span):
            waiting += node.inside


def _complete(nodes: Iterable[Node], followers: dict[Any, list[Node]], order: _Order) -> list[Node]:
    done: list[Node] = []
    for node in nodes:
        if isinstance(node, Lone):
            lone = order.next(node)
            done += (lone, *followers.get(lone, ()))
        elif isinstance(node, Span):
            node.inside = _complete(node.inside, followers, order)
            if node.inside or node.once:
                done.append(node)
        else:
            done.append(node)
    return _merged(done)
