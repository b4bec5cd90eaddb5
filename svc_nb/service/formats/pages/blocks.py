"""Lines put together to paragraphs, headings, cells: what is translated as one text and set again as one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from .glyphs import Glyph, Look, Sheet, along
from .lines import Line, Rules, lines

Align = Literal["left", "centre", "right"]
_UNDER = 0.3
_CELL = 14
_ITEM = 0.4
_SHORTEST_PROSE = 45
"""A shorter line of a typewriter font is taken for code, whose lines are not joined."""


@dataclass(slots=True)
class Block:
    """A paragraph: its texts and looks, where its lines stood, and the numbers of what drew them.

    Places are along (*u*) and across (*v*) the direction of writing at *angle*; *first* and *last* are baselines.
    """

    angle: float
    runs: list[tuple[str, Look]]
    u0: float
    u1: float
    first: float
    last: float
    size: float
    leading: float
    align: Align = "left"
    justified: bool = False
    indent: float = 0.0
    hang: float = 0.0
    drawn: set[int] = field(default_factory=set)
    ruled: set[int] = field(default_factory=set)
    hidden: bool = False
    marked: bool = False
    leads: bool = False
    lines: int = 1

    @property
    def text(self) -> str:
        """Its whole text."""
        return "".join(text for text, _ in self.runs)

    @property
    def worded(self) -> bool:
        """Whether there is anything in it to translate."""
        return any(char.isalpha() for char in self.text)

    @property
    def top(self) -> float:
        """Where its letters end above."""
        return self.first + 0.8 * self.size

    @property
    def bottom(self) -> float:
        """Where its letters end below."""
        return self.last - 0.22 * self.size


def blocks(sheet: Sheet) -> list[Block]:
    """Return the blocks of a page, in the order in which they were drawn."""
    found = []
    for angle, glyphs in sheet.glyphs.items():
        rules = Rules.at(angle, sheet.rules)
        written = lines(glyphs, rules)
        widest = _widest(written)
        group = [
            _block(part, angle, sheet)
            for stack in _stacks(_underlined(written, rules), rules)
            for part in _paragraphs(stack, widest)
        ]
        _align(group, sheet)
        _add_silent(group, sheet)
        found += group
    found.sort(key=lambda block: min(block.drawn))
    return found


def _add_silent(group: list[Block], sheet: Sheet) -> None:
    """Let texts that nobody reads go with the block that they stand on."""
    for number, (x, y) in sheet.silent.items():
        for block in group:
            u, v = along(block.angle, x, y)
            if block.u0 - 1 <= u <= block.u1 + 1 and block.bottom <= v <= block.top:
                block.drawn.add(number)
                break


@dataclass(slots=True)
class _Lined:
    """A line and the numbers of the rules drawn under its letters."""

    line: Line
    ruled: set[int]


def _underlined(found: Sequence[Line], rules: Rules) -> list[_Lined]:
    """Tell which letters have a line under them, or through them, that moves with them."""
    done = []
    for line in found:
        ruled = set()
        for _, u0, u1, drawn in rules.across(
            line.v - _UNDER * line.size, line.v + 0.06 * line.size, line.u0, line.u1
        ):
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
        done.append(_Lined(line, ruled))
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


def _stacks(found: Sequence[_Lined], rules: Rules) -> list[list[_Lined]]:
    """Put lines that stand under each other, evenly, into one stack."""
    done: list[list[_Lined]] = []
    opened: list[list[_Lined]] = []
    for lined in found:
        opened = [stack for stack in opened if stack[-1].line.v - lined.line.v < 2.2 * stack[-1].line.size]
        fitting = [stack for stack in opened if _continues(stack, lined.line, rules)]
        if fitting:
            stack = min(fitting, key=lambda stack: stack[-1].line.v)
            if (
                len(stack) > 1
                and _spacing(stack) - (stack[-1].line.v - lined.line.v) > 0.15 * lined.line.size
            ):
                stack = [stack.pop()]  # what was taken for its next line begins a paragraph
                done.append(stack)
                opened.append(stack)
            stack.append(lined)
        else:
            stack = [lined]
            done.append(stack)
            opened.append(stack)
    return done


def _continues(stack: list[_Lined], line: Line, rules: Rules) -> bool:
    before = stack[-1].line
    down, size = before.v - line.v, before.size
    if not (0.7 * size < down <= 1.75 * size and 0.87 < line.size / size < 1.15):
        return False
    if len(stack) > 1 and down - _spacing(stack) > 0.15 * size:
        return False
    if min(before.u1, line.u1) - max(before.u0, line.u0) < 0.3 * min(
        before.u1 - before.u0, line.u1 - line.u0
    ):
        return False
    if before.look.family == "mono" and len(before.glyphs) < _SHORTEST_PROSE:
        return False
    if (
        line.marked
        or _differ(_manner(before), _manner(line))
        or not (_is_worded(before) and _is_worded(line))
    ):
        return False
    drawn = stack[-1].ruled
    crossing = rules.across(line.v + 0.75 * line.size, before.v - 0.02 * size, line.u0, line.u1)
    return all(rule[3] in drawn for rule in crossing)


def _spacing(stack: list[_Lined]) -> float:
    return stack[-2].line.v - stack[-1].line.v


_Manner = tuple[bool, str, tuple[int, int, int, int]]


def _is_worded(line: Line) -> bool:
    return any(char.isalpha() for char in line.text)


def _differ(one: _Manner | None, other: _Manner | None) -> bool:
    return one is not None and other is not None and one != other


def _manner(line: Line) -> _Manner | None:
    """Return the look of a line that has but one; None if it is mixed."""
    looks = {
        (glyph.look.bold, glyph.look.family, glyph.look.colour) for glyph in line.glyphs if glyph.char.strip()
    }
    return (line.look.bold, line.look.family, line.look.colour) if len(looks) == 1 else None


def _paragraphs(stack: list[_Lined], widest: Mapping[int, float]) -> Iterator[list[_Lined]]:
    """Cut a stack where a paragraph ends: a short line, a line set in, cells of a table, lines of an address."""
    each = [lined.line for lined in stack]
    if _are_items(each, widest):
        yield from ([lined] for lined in stack)
        return
    left, right = min(line.u0 for line in each), max(line.u1 for line in each)
    ragged = _ragged(each)
    start = 0
    for at in range(1, len(stack)):
        before, line = each[at - 1], each[at]
        after = each[at + 1] if at + 1 < len(each) else None
        room = right - before.u1 if ragged == "left" else (right - left) - (before.u1 - before.u0)
        short = ragged != "centre" and _first_word(line) < room - 0.3 * line.size
        moved = at - start > 1 and abs(line.u0 - before.u0) > 0.8 * line.size
        set_in = ragged == "left" and (moved or _is_set_in(left, before, line, after))
        if short or set_in or _are_cells(before, line):
            yield stack[start:at]
            start = at
    yield stack[start:]


def _are_items(each: Sequence[Line], widest: Mapping[int, float]) -> bool:
    """Tell whether lines do not go on in each other, as in an address: all begin in a capital or a figure.

    Besides, either they are short where others of the page that begin at the same edge are long, or the last of
    several is not the shortest, as it would be in a text.
    """
    if len(each) < 2 or not all(map(_is_begun, each)):
        return False
    widths = [line.u1 - line.u0 for line in each]
    edge = _edge(each[0])
    column = max(widest.get(edge + aside, 0.0) for aside in (-1, 0, 1))
    return max(widths) < _ITEM * column or (len(each) > 2 and min(widths) < widths[-1])


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
    return first.isupper() or first.isdigit()


def _ragged(each: Sequence[Line]) -> Align:
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
    return narrow and (
        before.companions or line.companions if apart else before.companions and line.companions
    )


def _is_set_in(left: float, before: Line, line: Line, after: Line | None) -> bool:
    near = 0.4 * line.size
    return line.u0 - left > 2 * near and before.u0 - left < near and (after is None or after.u0 - left < near)


def _block(part: list[_Lined], angle: float, sheet: Sheet) -> Block:
    each = [lined.line for lined in part]
    first, last = each[0], each[-1]
    left = min(line.u0 for line in each[1:]) if len(each) > 1 else first.u0
    leading = (first.v - last.v) / (len(each) - 1) if len(each) > 1 else 1.2 * first.size
    drawn = {glyph.drawn for line in each for glyph in line.glyphs}
    align = _ragged(each)
    right = max(line.u1 for line in each)
    flush = all(right - line.u1 < 0.15 * line.size for line in each[:-1])
    return Block(
        angle=angle,
        runs=_runs(each),
        u0=min(left, first.u0),
        u1=right,
        first=first.v,
        last=last.v,
        size=first.size,
        leading=leading,
        align=align,
        justified=align == "left" and len(each) > 2 and flush,
        indent=max(0.0, first.u0 - left) if align == "left" else 0.0,
        hang=max(0.0, left - first.u0) if align == "left" else 0.0,
        drawn=drawn,
        ruled={drawn for lined in part for drawn in lined.ruled},
        hidden=drawn <= sheet.hidden,
        marked=first.marked,
        leads=first.leads,
        lines=len(each),
    )


def _runs(each: Sequence[Line]) -> list[tuple[str, Look]]:
    """Return the texts of lines, joined, wherever the look changes."""
    size = each[0].size
    runs: list[tuple[str, Look]] = []
    for number, line in enumerate(each):
        if number:
            _join_lines(runs, line)
        for glyph in line.glyphs:
            look = _settled(glyph.look, line, glyph.v, size)
            if runs and (runs[-1][1] == look or not glyph.char.strip()):
                runs[-1] = (runs[-1][0] + glyph.char, runs[-1][1])
            elif glyph.char:
                runs.append((glyph.char, look))
    return runs


def _settled(look: Look, line: Line, v: float, size: float) -> Look:
    """Return *look* as part of a paragraph: equal sizes made the same, raised letters marked as such."""
    if look.size == size:
        return look
    rise = v - line.v
    if look.size < 0.9 * line.size and abs(rise) > 0.08 * line.size:
        return replace(look, rise=round(rise, 1))
    return replace(look, size=size) if 0.87 < look.size / size < 1.15 else look


def _join_lines(runs: list[tuple[str, Look]], line: Line) -> None:
    text, look = runs[-1]
    start = line.glyphs[0].char
    if text[-1:] in "-\u00ad\u2010" and text[-2:-1].isalpha() and start[:1].islower():
        runs[-1] = (text[:-1], look)
    elif not ("\u2e80" <= text[-1:] <= "\u9fff" and "\u2e80" <= start[:1] <= "\u9fff"):
        runs[-1] = (text + " ", look)


def _align(group: list[Block], sheet: Sheet) -> None:
    """Tell for blocks of one line whether their left edge, their right one or their middle is meant."""
    middle_of_page = (sheet.box[0] + sheet.box[2]) / 2
    for block in group:
        if block.lines > 1 or block.marked or any(_shares(block, other, 0) for other in group):
            continue
        middle = (block.u0 + block.u1) / 2
        near = [other for other in group if abs(other.first - block.first) < 3 * block.leading]
        upright = block.angle == 0
        central = upright and abs(middle - middle_of_page) < 0.01 * (sheet.box[2] - sheet.box[0])
        if central or any(_shares(block, other, 0.5) for other in near):
            block.align = "centre"
        elif any(_shares(block, other, 1) for other in group) or (
            upright and _is_last(block, near, middle_of_page)
        ):
            block.align = "right"


def _shares(block: Block, other: Block, part: float) -> bool:
    """Whether two blocks share an edge: the left (0), the right (1) or the middle (0.5)."""
    ours, theirs = (each.u0 + part * (each.u1 - each.u0) for each in (block, other))
    return block is not other and abs(ours - theirs) < 1.5


def _is_last(block: Block, near: list[Block], middle: float) -> bool:
    """Whether *block* stands in the right half with nothing beside it there."""
    beside = [
        other for other in near if abs(other.first - block.first) < 0.5 * block.size and other.u0 > block.u1
    ]
    return block.u0 > middle and not beside
