"""A paragraph's runs as one text with numbered tags, and back, whatever a translator did to the tags.

``This is <g1>bold</g1><x2/> and plain``: a `Span` becomes a pair of tags, a `Lone` element a single one, the rest is
escaped as XML. Lone elements at either end of the paragraph are not sent at all.

On the way back no text is lost. A lone element comes back exactly once: one that the translator dropped follows the
one before it. Formatting that was crossed is nested, what was doubled is applied twice, what was dropped or never ends
is gone. A span that is `once` comes back exactly once, as a lone element does.

Superscripts, subscripts and the marks of notes keep to their letters: a symbol (H₂O, m², 1st) is one lone element, and
a mark behind a word is in a pair of tags with that word, so that it goes wherever the word goes. A mark before a word
is a lone element, so that the word is translated without it.
"""

import re
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Literal, TypeAlias
from xml.sax.saxutils import escape

_TAG = re.compile(r"<(/?)([gx])(\d{1,7})\s*(/?)>")
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_LONGEST_MARK, _LONGEST_LIST, _LONGEST_SYMBOL = 8, 32, 3
_FARTHEST = 64  # from a mark: a word that is longer is cut
_TOUCHED = re.compile(r"""[^\s()\[\]{}<>"'“”‘«»¿¡=]*\Z""")  # what touches a mark, before and behind it
_TOUCHING = re.compile(r"""\A[^\s()\[\]{}<>"'“”’«».,;:!?=]*""")
_LAST_WORD = re.compile(r"(?<!\w)\w++\Z")
_LETTERS = re.compile(r"[^\W\d_]+")
_BLANK = re.compile(r"\s")
_MARKS = re.compile(r"\W?(?:\w{1,3}|[^\w\s])(?:[,;]\s?(?:\w{1,3}|[^\w\s]))+\W?")  # those of more than one note: a, b
_POWER = re.compile(r"^[23n]$|[+\-−–]")
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(eq=False, slots=True)
class Lone:
    """What stands alone in a text: a tab, an image, a field; those of one *chain* stay in their order.

    One that is *attached*, such as the mark of a note, belongs to the word before it.
    """

    thing: Any
    breaks: bool = False
    chain: Hashable = None
    attached: bool = False


@dataclass(eq=False, slots=True)
class Span:
    """What is around a part of a text: formatting, or an element (*once*); *thing* is its owner's business."""

    thing: Any
    inside: "list[Node]" = field(default_factory=list)
    once: bool = False


Node: TypeAlias = str | Lone | Span


@dataclass(frozen=True, slots=True)
class Style:
    """The formatting of a run: styles of equal *key* look the same; *raised* ones are above or below the line."""

    key: Hashable
    thing: Any = field(default=None, compare=False)
    raised: Literal["", "superscript", "subscript"] = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A text of one style; *marks* are attached to the end of it."""

    text: str
    style: Style
    marks: "tuple[Piece, ...]" = ()

    def node(self) -> Node:
        """Return the text, in a span of its own if it has marks."""
        return Span(Fixed(self.marks), [self.text], once=True) if self.marks else self.text


Piece: TypeAlias = Run | Lone | Span


@dataclass(frozen=True, slots=True)
class Fixed:
    """Pieces that are written as they are: in the place of a lone element, or behind what a span is around."""

    pieces: tuple[Piece, ...]

    def nodes(self) -> list[Node]:
        """Return the pieces without their formatting."""
        return [piece.text if isinstance(piece, Run) else piece for piece in self.pieces]


def attached(nodes: list[Node]) -> list[Node]:
    """Return *nodes* with symbols and marks as `joined` has them: as one lone element, and with the word before."""
    if not any(isinstance(node, Lone) and node.attached for node in nodes):
        return nodes
    pieces = _attached(Run(node, Style(())) if isinstance(node, str) else node for node in nodes)
    return [piece.node() if isinstance(piece, Run) else piece for piece in pieces]


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
    for piece in _attached(pieces):
        if isinstance(piece, Lone):
            between.append(piece)
        elif isinstance(piece, Run) and piece.text == " ":
            between.append(" ")
        elif isinstance(piece, Run) and piece.style == style:
            group += (*between, piece.node())
            between = []
        else:
            done += (*_spanned(group, style, plain), *between)
            group, between, style = [], [], plain
            if isinstance(piece, Run):
                group, style = [piece.node()], piece.style
            else:
                done.append(piece)
    return _merged((*done, *_spanned(group, style, plain), *between))


def _attached(pieces: Iterable[Piece]) -> list[Piece]:
    """Return *pieces* with each symbol as one lone element, and other marks attached to the words before them."""
    pieces = list(pieces)
    if not any(piece.style.raised if isinstance(piece, Run) else _is_mark(piece) for piece in pieces):
        return pieces
    ahead: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, Run) and piece.style.raised and (core := piece.text.strip()):
            ahead += (replace(piece, text=part) for part in piece.text.partition(core) if part)
        else:
            ahead.append(piece)
    ahead.reverse()
    done: list[Piece] = []
    while ahead:
        if not _is_mark(ahead[-1]):
            done.append(ahead.pop())
            continue
        before = _taken(done, _TOUCHED, from_end=True)[::-1]
        marks = []
        while ahead and _is_mark(ahead[-1]):
            marks.append(ahead.pop())
        after = _taken(ahead, _TOUCHING, from_end=False)
        if _is_symbol([*before, *marks, *after]):
            done.append(Lone(Fixed((*before, *marks, *after))))
            continue
        ahead += reversed(after)
        done += before
        last = before[-1] if before else next((piece for piece in done[-1:] if isinstance(piece, Span)), None)
        word = _LAST_WORD.search(last.text) if isinstance(last, Run) else None
        letters = [each for mark in marks if isinstance(mark, Run) for each in _LETTERS.findall(mark.text)]
        longest = max(map(len, letters), default=0)
        if not last and longest < 2:
            done.append(Lone(Fixed(tuple(marks))))
        elif longest > 2 or any(isinstance(piece, Run) and piece.text[0].isalnum() for piece in after[:1]):
            done += marks
        elif isinstance(last, Run) and word:
            done[-1:] = [replace(last, text=last.text[: word.start()])] if word.start() else []
            done.append(replace(last, text=word[0], marks=tuple(marks)))
        elif isinstance(last, Span):
            done[-1] = Span(Fixed(tuple(marks)), [last], once=True)
        else:
            done += marks
    return done


def is_mark(text: str) -> bool:
    """Tell whether *text*, which is raised, is short enough for a mark, or a list of marks: 2, TM, [1,2], a, b."""
    if len(text) <= _LONGEST_MARK and _BLANK.search(text) is None:
        return True
    return len(text) <= _LONGEST_LIST and _MARKS.fullmatch(text) is not None


def _is_mark(piece: Piece) -> bool:
    if isinstance(piece, Run):
        return bool(piece.style.raised) and is_mark(piece.text)
    return isinstance(piece, Lone) and piece.attached


def _taken(pieces: list[Piece], touching: re.Pattern[str], *, from_end: bool) -> list[Piece]:
    """Take what is *touching* a mark, and the marks among that, off the last of *pieces*, *from_end* of their text."""
    taken: list[Piece] = []
    while pieces:
        piece = pieces[-1]
        if isinstance(piece, Run) and not piece.style.raised and not piece.marks:
            near = touching.search(piece.text[-_FARTHEST:] if from_end else piece.text[:_FARTHEST])
            size = len(near[0]) if near else 0
            texts = piece.text[: len(piece.text) - size], piece.text[len(piece.text) - size :]
            rest, found = texts if from_end else (piece.text[size:], piece.text[:size])
            if found:
                taken.append(replace(piece, text=found))
            if rest:
                pieces[-1] = replace(piece, text=rest)
                break
            pieces.pop()
        elif _is_mark(piece):
            taken.append(pieces.pop())
        else:
            break
    return taken


def _is_symbol(pieces: Sequence[Piece]) -> bool:
    """Tell whether letters, figures and the marks among them are no word: H₂O, cm², Ca²⁺, 1st, ¹⁴C, E = mc²."""
    runs = [piece for piece in pieces if isinstance(piece, Run)]
    plain = " ".join(run.text for run in runs if not run.style.raised)
    short = 1
    if _is_mark(pieces[0]):  # behind the mark of a note there may be any word
        return plain.isupper() and plain != "A" and len(plain) <= _LONGEST_SYMBOL
    if any(run.style.raised == "subscript" for run in runs):
        short = _LONGEST_SYMBOL
    elif any(run.style.raised and _POWER.search(run.text) for run in runs):
        short = 2
    return bool(plain) and all(
        len(letters) <= (_LONGEST_SYMBOL if letters.isupper() else short) for letters in _LETTERS.findall(plain)
    )


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
    """Yield the texts and lone elements of *nodes*, whose spans are styles or have marks, each with its style."""
    for node in nodes:
        if isinstance(node, Span):
            yield from flat(node.inside, node.thing if isinstance(node.thing, Style) else style)
        if not isinstance(node, str) and isinstance(node.thing, Fixed):
            for piece in node.thing.pieces:
                if isinstance(piece, Run):
                    yield piece.text, piece.style
                elif isinstance(piece, Lone):
                    yield piece, style
        elif not isinstance(node, Span):
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
                # Close it, and those opened in it that are still open: formatting continues after it.
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
