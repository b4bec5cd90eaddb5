"""A paragraph's runs as one text with numbered tags, and back, whatever a translator did to the tags.

``This is <g1>bold</g1><x2/> and plain``: a `Span` becomes a pair of tags, a `Lone` element a single one, the rest is
escaped as XML. Lone elements at either end of the paragraph are not sent at all.

On the way back no text is lost. A lone element comes back exactly once: one that the translator dropped follows the
one before it. Formatting that was crossed is nested, what was doubled is applied twice, what was dropped or never ends
is gone. A span that is `once` comes back exactly once, as a lone element does.
"""

import re
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, TypeAlias
from xml.sax.saxutils import escape

_TAG = re.compile(r"<(/?)([gx])(\d{1,7})\s*(/?)>")
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(eq=False, slots=True)
class Lone:
    """What stands alone in a text: a tab, an image, a field; those of one *chain* stay in their order."""

    thing: Any
    breaks: bool = False
    chain: Hashable = None


@dataclass(eq=False, slots=True)
class Span:
    """What is around a part of a text: formatting, or an element (*once*); *thing* is its owner's business."""

    thing: Any
    inside: "list[Node]" = field(default_factory=list)
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
    """Return *pieces* as nodes: runs of equal style as one span, white space outside, and *plain* ones as text."""
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
    if isinstance(last := inside[-1], str) and not last.isspace():
        inside[-1], after = last.rstrip(), last[len(last.rstrip()) :]
    if isinstance(first := inside[0], str) and not first.isspace():
        inside[0], before = first.lstrip(), first[: len(first) - len(first.lstrip())]
    yield from (before, Span(style, inside), after)


def _merged(nodes: Iterable[Node]) -> list[Node]:
    """Return *nodes* with neighbouring texts joined and empty ones left out."""
    merged: list[Node] = []
    for is_text, group in groupby(nodes, key=lambda node: isinstance(node, str)):
        together = list(group)
        merged += ["".join(map(str, together))] if is_text else together
    return [node for node in merged if node]


class TaggedText:
    """One paragraph: its *text* with tags, and what the tags stand for."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        # Lone elements and white space at either end are not worth sending.
        start, end = 0, len(nodes)
        while start < end and _is_edge(nodes[start]):
            start += 1
        while end > start and _is_edge(nodes[end - 1]):
            end -= 1
        self._head, self._tail = nodes[:start], nodes[end:]
        self._tags: dict[int, Lone | Span] = {}
        self.worded = False
        # Tags are numbered in the order they open; no recursion, for depth is the document's business.
        texts: list[str] = []
        waiting: list[Node | int] = list(reversed(nodes[start:end]))
        while waiting:
            node = waiting.pop()
            if isinstance(node, int):
                texts.append(f"</g{node}>")
            elif isinstance(node, str):
                self.worded = self.worded or any(map(str.isalpha, node))
                texts.append(escape(node))
            else:
                number = len(self._tags) + 1
                self._tags[number] = node
                if isinstance(node, Span):
                    waiting += (number, *reversed(node.inside))
                    texts.append(f"<g{number}>")
                else:
                    texts.append(f"\n<x{number}/>" if node.breaks else f"<x{number}/>")
        self.text = "".join(texts)

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


def flat(nodes: Iterable[Node], style: Style | None) -> Iterator[tuple[str | Lone, Style | None]]:
    """Yield the texts and lone elements of *nodes*, whose spans are styles, each with the style around it."""
    for node in nodes:
        if isinstance(node, Span):
            yield from flat(node.inside, node.thing)
        else:
            yield node, style


def plain_text(text: str) -> str:
    """Return *text*, a piece of XML without tags, as characters that XML can hold."""

    def character(reference: re.Match[str]) -> str:
        name, decimal, hexadecimal = reference.groups()
        if name:
            return _NAMED[name]
        code = int(decimal) if decimal else int(hexadecimal, 16)
        return chr(code) if code <= 0x10FFFF else reference[0]

    return FORBIDDEN.sub("", _REFERENCE.sub(character, text) if "&" in text else text)


def untagged(text: str) -> str:
    """Return the characters of *text*, which has the tags of a `TaggedText`."""
    return plain_text(_TAG.sub("", text))


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
        if isinstance(known, Lone) and number not in self._seen:
            self._seen.add(number)
            inside = self._open[-1][1].inside
            if known.breaks and inside and isinstance(inside[-1], str):
                inside[-1] = inside[-1].removesuffix("\n")
            inside.append(known)
        elif isinstance(known, Span):
            if not slash:
                self._start(number, known)
            if (slash or single) and any(number == each for each, _ in self._open):
                # Close it, and those opened in it that are still open: formatting goes on after it.
                crossed = []
                while (last := self._open.pop())[0] != number:
                    crossed.append(last)
                for each, span in reversed(crossed):
                    if not span.once:
                        self._start(each, span)

    def _start(self, number: int, span: Span) -> None:
        if any(number == each for each, _ in self._open) or (span.once and number in self._seen):
            return
        self._seen.add(number)
        opened = replace(span, inside=[])
        self._open[-1][1].inside.append(opened)
        self._open.append((number, opened))

    def finished(self) -> list[Node]:
        """Return the nodes: lost ones added, chains in order, empty formatting gone."""
        # Formatting that has no end is taken off its text: it would reach to the end of the paragraph.
        for (_, around), (_, span) in zip(self._open[-2::-1], self._open[:0:-1], strict=True):
            if not span.once:
                around.inside[-1:] = span.inside
        # What did not come back, by the lone element that it follows; what did, by its chain.
        followers: dict[Any, list[Node]] = defaultdict(list)
        chains: dict[Hashable, deque[Lone]] = defaultdict(deque)
        before: Any = _END
        for number, node in self._tags.items():
            if number in self._seen:
                if isinstance(node, Lone):
                    before = node
                    chains[node.chain].append(node)
            elif isinstance(node, Lone):
                followers[before].append(node)
            elif node.once:
                followers[_END].append(replace(node, inside=[]))
        return _merged((*_complete(self._open[0][1].inside, followers, chains), *followers[_END]))


_END = object()


def _complete(
    nodes: Iterable[Node], followers: Mapping[Any, list[Node]], chains: Mapping[Hashable, deque[Lone]]
) -> list[Node]:
    done: list[Node] = []
    for node in nodes:
        if isinstance(node, Lone):
            lone = node if node.chain is None else chains[node.chain].popleft()  # that belongs where this one stands
            done += (lone, *followers.get(lone, ()))
        elif isinstance(node, Span):
            node.inside = _complete(node.inside, followers, chains)
            if node.inside or node.once:
                done.append(node)
        else:
            done.append(node)
    return _merged(done)
