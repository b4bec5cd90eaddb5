"""The texts of a PDF in reading order, without its pages: headings, paragraphs, rows."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .blocks import Block

_HEADING = 1.15
_LONGEST_HEADING = 200


@dataclass(slots=True)
class Paragraph:
    """Blocks that make one paragraph, with tabs between them; *level* is that of a heading, or 0."""

    level: int
    blocks: list[Block] = field(default_factory=list)


def paragraphs(pages: Sequence[Sequence[Block]]) -> list[Paragraph]:
    """Return the paragraphs of all *pages*."""
    sizes: Counter[float] = Counter()
    for block in (block for page in pages for block in page):
        sizes[_rounded(block)] += len(block.text)
    body = sizes.most_common(1)[0][0] if sizes else 12.0
    larger = sorted((size for size in sizes if size >= _HEADING * body), reverse=True)
    done = []
    for page in pages:
        for row in _rows(page):
            text = sum(len(block.text) for block in row)
            size = max(map(_rounded, row))
            heading = size in larger and text <= _LONGEST_HEADING
            done.append(Paragraph(min(3, larger.index(size) + 1) if heading else 0, row))
    return done


def _rounded(block: Block) -> float:
    return round(2 * block.size) / 2


def _rows(page: Sequence[Block]) -> Iterator[list[Block]]:
    """Yield blocks, those drawn one after the other on one baseline together."""
    row: list[Block] = []
    for block in page:
        if row and not _beside(row[-1], block):
            yield row
            row = []
        row.append(block)
    if row:
        yield row


def _beside(before: Block, block: Block) -> bool:
    level = abs(before.first - block.first) < 0.3 * block.size
    return level and before.angle == block.angle and before.lines == 1 and before.u1 <= block.u0 + 1
