"""The order in which the parts of a page are read: down its columns where text is set in columns, else row by row."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Held = TypeVar("Held")

_GUTTER = 4.0
PROSE_LINES = 3
_MOST_STRIPS = 60
_TABLE_ROWS = 2


@dataclass(slots=True, eq=False)
class Part(Generic[Held]):
    """Something on a page that is read as one, with its first baseline and the number of its lines."""

    held: Held
    u0: float
    u1: float
    bottom: float
    top: float
    first: float
    lines: int = 1
    size: float = 12.0


Parts = list[Part[Held]]


def in_order(parts: Sequence[Part[Held]], *, right_to_left: bool = False) -> Parts[Held]:
    """Return *parts* in reading order.

    A page is cut into columns where a gutter has running text on both sides, else into strips across it, and each
    piece again. What cannot be cut is read row by row.
    """
    if len(parts) < 2:
        return list(parts)
    pieces = _columns(parts, right_to_left) or _cut_strips(parts, right_to_left)
    if len(pieces) > 1:
        return [part for piece in pieces for part in in_order(piece, right_to_left=right_to_left)]
    done: Parts[Held] = []
    row: Parts[Held] = []
    for part in [*sorted(parts, key=lambda each: -each.first), None]:
        if row and (part is None or row[0].first - part.first > 0.4 * row[0].size):
            done += sorted(row, key=lambda each: -each.u1 if right_to_left else each.u0)
            row = []
        if part is not None:
            row.append(part)
    return done


def _columns(parts: Sequence[Part[Held]], right_to_left: bool) -> list[Parts[Held]]:
    """Cut at the gutters between columns of running text; [] where there are none."""
    groups: list[Parts[Held]] = []
    edge = float("-inf")
    for part in sorted(parts, key=lambda each: each.u0):
        if part.u0 >= edge + _GUTTER:
            groups.append([])
        groups[-1].append(part)
        edge = max(edge, part.u1)
    if len(groups) < 2 or not all(any(part.lines >= PROSE_LINES for part in group) for group in groups):
        return []
    for one, other in itertools.pairwise(groups):
        if min(_top(one), _top(other)) <= max(_bottom(one), _bottom(other)):
            return []
        fewer, more = sorted((one, other), key=len)
        level = sum(any(abs(part.first - each.first) < 0.3 * part.size for each in more) for part in fewer)
        if len(fewer) >= _TABLE_ROWS and level > 0.7 * len(fewer):  # rows of a table
            return []
    return groups[::-1] if right_to_left else groups


def _cut_strips(parts: Sequence[Part[Held]], right_to_left: bool) -> list[Parts[Held]]:
    """Cut where nothing stands across the page; strips that together are columns stay together."""
    strips: list[Parts[Held]] = []
    floor = float("inf")
    for part in sorted(parts, key=lambda each: -each.top):
        if not strips or part.top <= floor + 1:
            strips.append([])
        strips[-1].append(part)
        floor = min(floor, part.bottom) if len(strips[-1]) > 1 else part.bottom
    prose = [number for number, strip in enumerate(strips) if any(part.lines >= PROSE_LINES for part in strip)]
    if not prose or len(strips) > _MOST_STRIPS:
        return strips
    for length in range(len(strips) - 1, 0, -1):
        for start in range(len(strips) - length + 1):
            run = [part for strip in strips[start : start + length] for part in strip]
            if length > 1 and _columns(run, right_to_left):
                return [*strips[:start], run, *strips[start + length :]]
    return strips


def _top(group: Parts[Held]) -> float:
    return max(part.top for part in group)


def _bottom(group: Parts[Held]) -> float:
    return min(part.bottom for part in group)
