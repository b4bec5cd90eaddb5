"""Words set into the place of a block: broken into lines and made smaller until they fit; never cut."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import bidi
from .blocks import Block
from .fonts import Fonts, is_asian, is_plain, width
from .glyphs import Look

_STEP = 0.97
_SMALLEST = 0.12
_SPLIT_BELOW = 0.6
_ONE_LINE = 0.8
_READABLE = 4.5
_SHRUNK = 0.8
_CLOSERS = "、。，．：；！？）］｝」』】〉》,.;:!?)]}»%"
_WORDS = re.compile(r"\S+|\s+")

Run = tuple[str, Look]


@dataclass(frozen=True, slots=True)
class Piece:
    """Letters of one font and look; *width* is at full size."""

    text: str
    look: Look
    font: str
    width: float


@dataclass(frozen=True, slots=True)
class Word:
    """What is not broken at the end of a line, and the space after it."""

    pieces: tuple[Piece, ...]
    width: float
    space: float = 0.0


@dataclass(slots=True)
class Room:
    """Where a block may stand: from *u0* to *u1*, down to the baseline *last*; *crowded* if something is beside it."""

    u0: float
    u1: float
    last: float
    crowded: bool = False


@dataclass(slots=True)
class Setting:
    """A block set: its lines of words, how much smaller than before, and where."""

    block: Block
    lines: list[list[Word]]
    scale: float
    room: Room
    first: float
    turned: bool

    @property
    def leading(self) -> float:
        """From one baseline to the next."""
        return self.block.leading * self.scale

    @property
    def is_too_small(self) -> bool:
        """Whether there was so little room that hardly anyone can read it."""
        return self.scale < _SHRUNK and self.block.size * self.scale < _READABLE

    @property
    def last(self) -> float:
        """The lowest baseline."""
        return self.first - (len(self.lines) - 1) * self.leading


def words(runs: Sequence[Run], fonts: Fonts) -> list[Word]:
    """Return *runs* as words, in logical order."""
    text = "".join(run for run, _ in runs)
    plain = is_plain(text)
    done: list[Word] = []
    parts: list[Piece] = []

    def finish(space: float) -> None:
        if parts:
            done.append(Word(tuple(parts), sum(part.width for part in parts), space))
            parts.clear()

    for run, look in runs:
        for match in _WORDS.finditer(run):
            if match[0].isspace():
                finish(_space(look, plain, fonts))
                continue
            for chunk in _chunks(match[0]):
                if chunk[0] and not (parts and chunk[1][0] in _CLOSERS):
                    finish(0.0)
                for font, letters in fonts.pieces(bidi.joined(chunk[1]), look, plain=plain):
                    parts.append(Piece(letters, look, font, width(letters, font, look.size)))
    finish(0.0)
    return done


def _space(look: Look, plain: bool, fonts: Fonts) -> float:
    font, text = next(fonts.pieces(" ", look, plain=plain))
    return width(text, font, look.size)


def _chunks(word: str) -> Iterator[tuple[bool, str]]:
    """Yield *word* in parts between which a line may be broken (True) or not: before and after Chinese letters."""
    at, before = 0, False
    for number, char in enumerate(word):
        asian = is_asian(char) or (before and char in _CLOSERS)
        if number and (asian or before) and char not in _CLOSERS:
            yield at > 0, word[at:number]
            at = number
        before = asian
    yield at > 0, word[at:]


def fitted(block: Block, wanted: Sequence[Word], narrow: Room, room: Room) -> Setting:
    """Return *wanted* set into *room*, as large as the block was if it can be; into the *narrow* one if that will do.

    What stood in one line stays in one as long as it need not be made much smaller.
    """
    total = sum(word.width + word.space for word in wanted)
    scale = 1.0 if total <= _width(room) else _width(room) / total
    if block.lines == 1 and scale >= _ONE_LINE:
        return _attempt(block, wanted, room, scale)
    first = _attempt(block, wanted, narrow, 1.0)
    if block.lines > 1 and _fits(first, wanted):
        return first
    scale = 1.0
    while True:
        setting = _attempt(block, wanted, room, scale)
        if scale < _SMALLEST or _fits(setting, wanted):
            return setting
        scale *= _STEP


def _width(room: Room) -> float:
    return max(1.0, room.u1 - room.u0)


def _attempt(block: Block, wanted: Sequence[Word], room: Room, scale: float) -> Setting:
    across = _width(room) / scale
    lines = broken(
        list(_split(wanted, across - block.hang / scale)),
        across,
        indent=block.indent / scale,
        hang=block.hang / scale,
    )
    rise = (1 - scale) * 0.7 * block.size if len(lines) > 1 else 0.0
    return Setting(block, lines, scale, room, block.first + rise, turned(wanted))


def turned(wanted: Sequence[Word]) -> bool:
    """Whether words as a whole run from right to left."""
    return bidi.runs_right_to_left("".join(piece.text for word in wanted for piece in word.pieces))


def _fits(setting: Setting, wanted: Sequence[Word]) -> bool:
    """Whether it is not too deep, and no word was broken that would be whole if it were a little smaller."""
    longest = max((word.width for word in wanted), default=0.0) * setting.scale
    deep = setting.last < setting.room.last - 0.05 * setting.block.size
    return not deep and (longest <= _width(setting.room) - setting.block.hang + 0.01 or setting.scale < _SPLIT_BELOW)


def led(block: Block, wanted: Sequence[Word], start: float) -> Setting:
    """Return a row of dots set again, as many as there is room for from *start* on."""
    dots = [piece for word in wanted for piece in word.pieces for _ in piece.text.strip()]
    each = dots[0]
    pitch = max(0.1, (block.u1 - block.u0) / len(dots))
    wide = width(each.text[:1], each.font, each.look.size)
    dot = Word((Piece(each.text[:1], each.look, each.font, wide),), wide, max(0.0, pitch - wide))
    many = max(0, min(len(dots), int((block.u1 - start) / pitch)))
    room = Room(block.u1 - many * pitch, block.u1, block.last)
    return Setting(block, [[dot] * many] if many else [], 1.0, room, block.first, False)


def _split(wanted: Sequence[Word], across: float) -> Iterator[Word]:
    """Yield words with those longer than a line broken into letters that fit."""
    for word in wanted:
        if word.width <= across + 0.01:
            yield word
            continue
        parts: list[Piece] = []
        long = 0.0
        for piece in word.pieces:
            for char in piece.text:
                wide = width(char, piece.font, piece.look.size)
                if parts and long + wide > across:
                    yield Word(tuple(parts), long)
                    parts, long = [], 0.0
                parts.append(Piece(char, piece.look, piece.font, wide))
                long += wide
        yield Word(tuple(parts), long, word.space)


def broken(wanted: Sequence[Word], across: float, *, indent: float = 0.0, hang: float = 0.0) -> list[list[Word]]:
    """Return *wanted* in lines of at most *across*, a longer word alone in its own.

    The first line begins *indent* from the edge, the others *hang*.
    """
    lines: list[list[Word]] = []
    line: list[Word] = []
    at = indent
    for word in wanted:
        if line and at + line[-1].space + word.width > across + 0.01:
            lines.append(line)
            line, at = [], hang
        at += (line[-1].space if line else 0.0) + word.width
        line.append(word)
    if line:
        lines.append(line)
    return lines
