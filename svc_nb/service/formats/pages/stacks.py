"""Lines put under each other, and cut where a paragraph ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .glyphs import Glyph
from .grids import Grid, grids
from .lines import Line, Rules

Align = Literal["left", "centre", "right"]
_UNDER = 0.3
_CELL = 14
_ITEM = 0.4
_SHORTEST_PROSE = 45
"""A shorter line of a typewriter font is taken for code, whose lines are not joined."""


def paragraphs(written: Sequence[Line], rules: Rules) -> Iterator[list[Lined]]:
    """Yield the lines of each paragraph, heading or cell."""
    widest, tables = _widest(written), grids(rules, [_middle(line) for line in written])
    for stack in _stacks(_underlined(written, rules), rules):
        yield from _cut(stack, widest, tables)


@dataclass(slots=True)
class Lined:
    """A line and the numbers of the rules drawn under its letters."""

    line: Line
    ruled: set[int]


def _underlined(found: Sequence[Line], rules: Rules) -> list[Lined]:
    """Tell which letters have a line under them, or through them, that moves with them."""
    done = []
    for line in found:
        ruled = set()
        for _, u0, u1, drawn in rules.across(line.v - _UNDER * line.size, line.v + 0.06 * line.size, line.u0, line.u1):
            if drawn < 0 or u0 < line.u0 - 2 or u1 > line.u1 + 2:
                continue
            above = [glyph for glyph in line.glyphs if u0 <= (glyph.u0 + glyph.u1) / 2 <= u1]
            if any(glyph.char.strip() for glyph in above):
                for glyph in above:
                    glyph.look = replace(glyph.look, underline=True)
            elif u1 - u0 < line.size:
                _write_underscore(line, above, u0, u1)
            else:
                continue
            ruled.add(drawn)
        done.append(Lined(line, ruled))
    return done


def _write_underscore(line: Line, above: list[Glyph], u0: float, u1: float) -> None:
    """Put in the letter that some draw rather than write."""
    at = next(
        (number for number, glyph in enumerate(line.glyphs) if glyph.u0 + glyph.u1 > u0 + u1),
        len(line.glyphs),
    )
    if above:
        above[0].char = "_"
    elif at:
        line.glyphs.insert(at, replace(line.glyphs[at - 1], char="_", u0=u0, u1=u1))


def _stacks(found: Sequence[Lined], rules: Rules) -> list[list[Lined]]:
    """Put lines that stand under each other, evenly, into one stack."""
    done: list[list[Lined]] = []
    opened: list[list[Lined]] = []
    for lined in found:
        opened = [stack for stack in opened if stack[-1].line.v - lined.line.v < 2.2 * stack[-1].line.size]
        fitting = [stack for stack in opened if _continues(stack, lined.line, rules)]
        if fitting:
            stack = min(fitting, key=lambda stack: stack[-1].line.v)
            if len(stack) > 1 and _spacing(stack) - (stack[-1].line.v - lined.line.v) > 0.15 * lined.line.size:
                stack = [stack.pop()]  # what was taken for its next line begins a paragraph
                done.append(stack)
                opened.append(stack)
            stack.append(lined)
        else:
            stack = [lined]
            done.append(stack)
            opened.append(stack)
    return done


def _continues(stack: list[Lined], line: Line, rules: Rules) -> bool:
    before = stack[-1].line
    down, size = before.v - line.v, before.size
    if not (0.7 * size < down <= 1.75 * size and 0.87 < line.size / size < 1.15):
        return False
    if len(stack) > 1 and down - _spacing(stack) > 0.15 * size:
        return False
    if min(before.u1, line.u1) - max(before.u0, line.u0) < 0.3 * min(before.u1 - before.u0, line.u1 - line.u0):
        return False
    if before.look.family == "mono" and len(before.glyphs) < _SHORTEST_PROSE:
        return False
    if line.marked or _differ(_manner(before), _manner(line)) or not (_is_worded(before) and _is_worded(line)):
        return False
    drawn = stack[-1].ruled
    crossing = rules.across(line.v + 0.75 * line.size, before.v - 0.02 * size, line.u0, line.u1)
    return all(rule[3] in drawn for rule in crossing)


def _spacing(stack: list[Lined]) -> float:
    return stack[-2].line.v - stack[-1].line.v


_Manner = tuple[bool, str, tuple[int, int, int, int]]


def _is_worded(line: Line) -> bool:
    return any(char.isalpha() for char in line.text)


def _differ(one: _Manner | None, other: _Manner | None) -> bool:
    return one is not None and other is not None and one != other


def _manner(line: Line) -> _Manner | None:
    """Return the look of a line that has but one; None if it is mixed."""
    looks = {(glyph.look.bold, glyph.look.family, glyph.look.colour) for glyph in line.glyphs if glyph.char.strip()}
    return (line.look.bold, line.look.family, line.look.colour) if len(looks) == 1 else None


def _cut(stack: list[Lined], widest: Mapping[int, float], tables: Sequence[Grid]) -> Iterator[list[Lined]]:
    """Cut a stack where a paragraph ends: a short line, a line set in, cells of a table, lines of an address."""
    each = [lined.line for lined in stack]
    if _are_items(each, widest):
        yield from ([lined] for lined in stack)
        return
    left, right = min(line.u0 for line in each), max(line.u1 for line in each)
    shared = shared_edge(each)
    start = 0
    for at in range(1, len(stack)):
        before, line = each[at - 1], each[at]
        after = each[at + 1] if at + 1 < len(each) else None
        room = right - before.u1 if shared == "left" else (right - left) - (before.u1 - before.u0)
        short = shared != "centre" and _first_word(line) < room - 0.3 * line.size
        moved = at - start > 1 and abs(line.u0 - before.u0) > 0.8 * line.size
        set_in = shared == "left" and (moved or _is_set_in(left, before, line, after))
        if short or set_in or (_are_cells(before, line) and not _share_cell(before, line, tables)):
            yield stack[start:at]
            start = at
    yield stack[start:]


def _are_items(each: Sequence[Line], widest: Mapping[int, float]) -> bool:
    """Tell whether lines do not continue in each other, as in an address.

    Those all begin in a capital or a figure, and are short where others of the page that begin at the same edge are
    long, or the last of several is not the shortest, as it would be in a text. Short lines that share the right edge
    never continue.
    """
    if len(each) < 2:
        return False
    widths = [line.u1 - line.u0 for line in each]
    if shared_edge(each) == "right" and max(widths) < _ITEM * max(widest.values()):
        return True
    column = max(widest.get(_edge(each[0]) + aside, 0.0) for aside in (-1, 0, 1))
    short = max(widths) < _ITEM * column or (len(each) > 2 and min(widths) < widths[-1])
    return short and all(map(_is_begun, each))


def _widest(written: Sequence[Line]) -> dict[int, float]:
    """Return how wide the widest line is that begins at each left edge."""
    widths: dict[int, float] = defaultdict(float)
    for line in written:
        widths[_edge(line)] = max(widths[_edge(line)], line.u1 - line.u0)
    return widths


def _edge(line: Line) -> int:
    return round(line.u0 / 3)


def _is_begun(line: Line) -> bool:
    first = next((char for char in line.text if char.isalnum()), "")
    return first.isupper() or first.isdigit() or "@" in line.text


def shared_edge(each: Sequence[Line]) -> Align:
    """Return what the lines have in common: the left edge, the right one or the middle."""
    if len(each) == 1:
        return "left"
    size = each[0].size
    spread = {
        "left": _spread([line.u0 for line in (each[1:] if len(each) > 2 else each)]),
        "right": _spread([line.u1 for line in each]),
        "centre": _spread([(line.u0 + line.u1) / 2 for line in each]),
    }
    if spread["left"] < 0.4 * size:
        return "left"
    if spread["right"] < 0.4 * size:
        return "right"
    return "centre" if spread["centre"] < 0.5 * size else "left"


def _spread(places: Sequence[float]) -> float:
    return max(places) - min(places)


def _first_word(line: Line) -> float:
    """Return the width of a line's first word and the space before it."""
    width = 0.25 * line.size
    for glyph in line.glyphs:
        if glyph.char == " ":
            break
        width += glyph.u1 - glyph.u0
    return width


def _are_cells(before: Line, line: Line) -> bool:
    narrow = max(before.u1 - before.u0, line.u1 - line.u0) < _CELL * line.size
    apart = abs(before.u0 - line.u0) > 0.4 * line.size
    return narrow and (before.companions or line.companions if apart else before.companions and line.companions)


def _share_cell(before: Line, line: Line, tables: Sequence[Grid]) -> bool:
    """Tell whether two lines are in the same cell of a table that is drawn with lines."""
    cells = ((grid.cell(*_middle(before)), grid.cell(*_middle(line))) for grid in tables)
    return any(one is not None and one == other for one, other in cells)


def _middle(line: Line) -> tuple[float, float]:
    return (line.u0 + line.u1) / 2, line.v + 0.3 * line.size


def _is_set_in(left: float, before: Line, line: Line, after: Line | None) -> bool:
    near = 0.4 * line.size
    return line.u0 - left > 2 * near and before.u0 - left < near and (after is None or after.u0 - left < near)
