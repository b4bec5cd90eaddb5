"""Headers and footers: what stands at the top or bottom of most pages, and the page numbers in it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .blocks import Block
from .glyphs import Box

Zone = Literal["header", "footer"]

HEADER = 0.14
OFTEN = 0.4
_NEAR = 6.0
_NUMBER = re.compile(r"\d+")
_ALONE = re.compile(r"[\W_]*1[\W_]*")


@dataclass(slots=True)
class Running:
    """A text that is repeated on *pages* (numbers from 0): *block* is that of the last one.

    *number* is the page number as it is printed there, *total* how many pages there are, if the text says so;
    *offset* is what the printed number of a page is ahead of its place.
    """

    zone: Zone
    pages: dict[int, Block]
    block: Block
    number: str = ""
    total: str = ""
    offset: int = 0


def running(pages: Sequence[Sequence[Block]], boxes: Sequence[Box], body: float) -> list[Running]:
    """Return what is repeated on *pages*, whose text is of the size *body*, from top to bottom and left to right."""
    seen: dict[tuple[Zone, str, int], dict[int, Block]] = defaultdict(dict)
    for number, (page, (left, low, right, high)) in enumerate(zip(pages, boxes, strict=True)):
        edge = HEADER * (high - low)
        for block in page:
            if block.lines <= 2 and block.size <= 1.1 * body:
                text = _NUMBER.sub("#", block.text)
                third = int(3 * ((block.u0 + block.u1) / 2 - left) / (right - left))  # facing pages mirror each other
                if block.bottom > high - edge:
                    seen["header", text, third].setdefault(number, block)
                elif block.top < low + edge:
                    seen["footer", text, third].setdefault(number, block)
    found = [each for (zone, _, _), blocks in seen.items() for each in _repeated(zone, blocks, len(pages))]
    return sorted(found, key=lambda each: (-round(each.block.first), each.block.u0))


def _repeated(zone: Zone, blocks: dict[int, Block], count: int) -> Iterator[Running]:
    """Yield the text of *blocks* if it is the same on most of *count* pages but for their numbers."""
    if count == 1:
        if zone == "footer" and _ALONE.fullmatch(blocks[0].text):
            yield Running(zone, blocks, blocks[0], number="1")
        return
    if len(blocks) < max(2, OFTEN * count):
        return
    firsts = sorted(block.first for block in blocks.values())
    middle = firsts[len(firsts) // 2]
    blocks = {page: block for page, block in blocks.items() if abs(block.first - middle) < _NEAR}
    if len(blocks) < max(2, OFTEN * count):
        return
    printed = {page: _NUMBER.findall(block.text) for page, block in blocks.items()}
    columns = range(len(next(iter(printed.values()))))
    ahead = [{int(numbers[at]) - page for page, numbers in printed.items()} for at in columns]
    numbered = next((at for at in columns if len(ahead[at]) == 1), None)
    constant = [at for at in columns if at != numbered and len({numbers[at] for numbers in printed.values()}) == 1]
    if len(constant) + (numbered is not None) < len(columns):
        return  # it counts something else: sections, say
    if numbered is None:
        yield Running(zone, blocks, blocks[max(blocks)])
        return
    # The page number is found in the translation by itself, so it must not be that of something else.
    clear = [page for page, numbers in printed.items() if numbers.count(numbers[numbered]) == 1]
    sample = max(clear or blocks)
    total = next((printed[sample][at] for at in constant if int(printed[sample][at]) == count), "")
    offset = ahead[numbered].pop() - 1
    yield Running(zone, blocks, blocks[sample], printed[sample][numbered], total, offset)
