"""Lines put together to paragraphs, headings, cells: what is translated as one text and set again as one."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .glyphs import Look, Shape, Sheet, along
from .lines import Line, Rules, lines
from .stacks import Align, Lined, paragraphs, shared_edge


@dataclass(slots=True)
class Block:
    """A paragraph: its texts and looks, where its lines stood, and the numbers of what drew them.

    Places are along (*u*) and across (*v*) the direction of writing at *angle*; *first* and *last* are baselines.
    *behind* is the coloured box that it is on, if a docx is wanted.
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
    behind: Shape | None = None

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
        group = [_block(part, angle, sheet) for part in paragraphs(lines(glyphs, rules), rules)]
        _align(group, sheet)
        _add_silent(group, sheet)
        found += group
    found.sort(key=lambda block: min(block.drawn))
    return found


def _add_silent(group: list[Block], sheet: Sheet) -> None:
    """Let texts that no one reads go with the block that they stand on."""
    for number, (x, y) in sheet.silent.items():
        for block in group:
            u, v = along(block.angle, x, y)
            if block.u0 - 1 <= u <= block.u1 + 1 and block.bottom <= v <= block.top:
                block.drawn.add(number)
                break


def _block(part: list[Lined], angle: float, sheet: Sheet) -> Block:
    each = [lined.line for lined in part]
    first, last = each[0], each[-1]
    left = min(line.u0 for line in each[1:]) if len(each) > 1 else first.u0
    leading = (first.v - last.v) / (len(each) - 1) if len(each) > 1 else 1.2 * first.size
    drawn = {glyph.drawn for line in each for glyph in line.glyphs}
    align = shared_edge(each)
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
        elif any(_shares(block, other, 1) for other in group) or (upright and _is_last(block, near, middle_of_page)):
            block.align = "right"


def _shares(block: Block, other: Block, part: float) -> bool:
    """Whether two blocks share an edge: the left (0), the right (1) or the middle (0.5)."""
    ours, theirs = (each.u0 + part * (each.u1 - each.u0) for each in (block, other))
    return block is not other and abs(ours - theirs) < 1.5


def _is_last(block: Block, near: list[Block], middle: float) -> bool:
    """Whether *block* stands in the right half with nothing beside it there."""
    beside = [other for other in near if abs(other.first - block.first) < 0.5 * block.size and other.u0 > block.u1]
    return block.u0 > middle and not beside
