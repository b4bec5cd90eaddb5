"""Room on a page for the blocks that are set again: where each may grow without touching anything else."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .blocks import Block
from .glyphs import Box, Sheet, along
from .lines import Rules
from .typeset import Room, Setting, Word, fitted, led, turned

_EDGE = 12.0
_FEW = 2
_USED = 0.75
"""How much of the free space below may be used: headings keep some distance."""


@dataclass(slots=True)
class _Taken:
    """A part of the page that something stands on."""

    u0: float
    u1: float
    bottom: float
    top: float
    owner: int = -1


def _taken(block: Block, number: int) -> _Taken:
    """Return where a block stands; a row of dots gives way but for its end."""
    left = max(block.u0, block.u1 - 3 * block.size) if block.leads else block.u0
    return _Taken(left, block.u1, block.bottom, block.top, number)


class Page:
    """The room on one page in one direction of writing; blocks that were set are kept clear of."""

    def __init__(self, angle: float, blocks: Sequence[Block], sheet: Sheet) -> None:
        group = [block for block in blocks if block.angle == angle]
        self._rules = Rules.at(angle, sheet.rules)
        self._left, self._low, self._right, _ = around(angle, sheet.box)
        self._taken = [_taken(block, number) for number, block in enumerate(group)]
        if not angle % 90:
            boxes = [(picture.x0, picture.y0, picture.x1, picture.y1) for picture in sheet.pictures]
            boxes += [page_box(block) for block in blocks if block.angle != angle and not block.angle % 90]
            self._taken += [_standing(angle, box) for box in boxes]
        self._text_left, self._text_right = self._left + _EDGE, self._right - _EDGE
        if len(group) > _FEW:  # they show where the margins are
            self._text_left = left = min(block.u0 for block in group)
            right = max(max(block.u1 for block in group), self._right - (left - self._left))
            self._text_right = min(right, self._text_right)
        self._text_low = min((block.last for block in group), default=self._low)

    def lead(self, number: int, block: Block, wanted: Sequence[Word]) -> Setting:
        """Set a row of dots, from the end of the words before it."""
        level = [
            each for each in self._taken if each.owner not in (-1, number) and each.bottom < block.first < each.top
        ]
        start = max([block.u0, *(each.u1 for each in level if each.u0 < block.u0 and each.u1 < block.u1)])
        return led(block, wanted, start + 0.2 * block.size)

    def set(self, number: int, block: Block, wanted: Sequence[Word]) -> Setting:
        """Set *wanted* in the place of *block*, the *number*th, and keep that place."""
        room = self._room(number, block)
        if room.crowded and turned(wanted):  # it would begin where its neighbour does
            total = sum(word.width + word.space for word in wanted)
            room.u1 = max(block.u1, min(room.u1, block.u0 + total))
        setting = fitted(block, wanted, Room(block.u0, block.u1, min(room.last, block.last)), room)
        taken = self._taken[number]
        taken.u0, taken.u1 = min(block.u0, setting.room.u0), max(block.u1, setting.room.u1)
        taken.bottom = min(block.bottom, setting.last - 0.22 * block.size * setting.scale)
        if len(setting.lines) == 1 and setting.lines[0]:
            self._shorten(taken, setting)
        return setting

    def _shorten(self, taken: _Taken, setting: Setting) -> None:
        """Give back what a single line did not need."""
        line = setting.lines[0]
        long = sum(word.width + word.space for word in line) * setting.scale
        block = setting.block
        if block.align == "left" and not setting.turned:
            taken.u1 = max(block.u1, taken.u0 + long)

    def _room(self, number: int, block: Block) -> Room:
        if block.angle % 90:  # a stamp: what else it might touch is not known
            return Room(block.u0, block.u1, block.last)
        others = [each for each in self._taken if each.owner != number and not _inside(block, each)]
        level = [each for each in others if _is_level(block, each)]
        left, right = self._edges(block, level)
        if _is_at_left(block, left, right):
            block.align = "left"
        u0, u1 = _widened(block, min(left, block.u0), max(right, block.u1))
        crowded = block.lines == 1 and any(each.u0 >= block.u1 - 1 for each in level)
        return Room(u0, u1, self._depth(block, others, u0, u1), crowded)

    def _edges(self, block: Block, level: Sequence[_Taken]) -> tuple[float, float]:
        """Return how far *block* could reach to the left and to the right, on its own lines."""
        gap = 0.35 * block.size
        left, right = [self._text_left], [self._text_right]
        for each in self._taken:
            if _inside(block, each) and each.u0 <= block.u0 and each.u1 >= block.u1:
                left.append(each.u0 + gap)
                right.append(each.u1 - gap)
        left += [each.u1 + gap for each in level if each.u1 <= block.u0 + 1]
        right += [each.u0 - gap for each in level if each.u0 >= block.u1 - 1]
        near = max(2.0, 0.25 * block.size)
        for v in {block.first + 0.2 * block.size, block.last + 0.2 * block.size}:
            left += [u + near for u in self._rules.beside(max(left) - near, block.u0 + 0.5, v)]
            right += [u - near for u in self._rules.beside(block.u1 - 0.5, min(right) + near, v)]
        return max(left), min(right)

    def _depth(self, block: Block, others: Iterable[_Taken], u0: float, u1: float) -> float:
        """Return the lowest baseline that is free below *block*."""
        below = [
            each.top for each in others if each.u0 < u1 and each.u1 > u0 and each.top <= block.last + 0.3 * block.size
        ]
        below += [
            rule[0]
            for rule in self._rules.across(self._low, block.last - 0.05 * block.size, u0, u1)
            if rule[3] not in block.ruled
        ]
        floor = max([self._low + _EDGE, min(self._text_low, block.last) - 0.42 * block.size, *below])
        return block.last - _USED * max(0.0, block.last - floor - 0.42 * block.size)


def around(angle: float, box: Box) -> Box:
    """Return the box around *box* in the frame of texts written at *angle*."""
    corners = [along(angle, x, y) for x in box[::2] for y in box[1::2]]
    us, vs = [u for u, _ in corners], [v for _, v in corners]
    return min(us), min(vs), max(us), max(vs)


def page_box(block: Block) -> Box:
    """Return where a block stands on the page."""
    return around(-block.angle, (block.u0, block.bottom, block.u1, block.top))


def _standing(angle: float, box: Box) -> _Taken:
    u0, bottom, u1, top = around(angle, box)
    return _Taken(u0, u1, bottom, top)


def _is_level(block: Block, taken: _Taken) -> bool:
    near = 0.1 * block.size
    return taken.bottom < block.top - near and taken.top > block.bottom + near


def _inside(block: Block, taken: _Taken) -> bool:
    """Whether *block* stands on *taken* already: words over a picture are not kept off it."""
    return (
        taken.owner < 0
        and taken.u0 < block.u1
        and taken.u1 > block.u0
        and taken.bottom < block.top
        and taken.top > block.bottom
    )


def _is_at_left(block: Block, left: float, right: float) -> bool:
    """Tell whether a line begins close to an edge and has room after it: what else was guessed of it is wrong."""
    before, after = block.u0 - left, right - block.u1
    return block.lines == 1 and before < block.size and after > max(before, 0.0) + block.size


def _widened(block: Block, left: float, right: float) -> tuple[float, float]:
    """Return the edges between which a block is set: its own if it has many lines, more room if it has few."""
    if block.align == "centre":
        middle = (block.u0 + block.u1) / 2
        half = max(min(middle - left, right - middle), (block.u1 - block.u0) / 2)
        return middle - half, middle + half
    if block.justified or block.lines > 3:
        return block.u0, block.u1
    return (left, block.u1) if block.align == "right" else (block.u0, right)
