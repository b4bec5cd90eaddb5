"""The contents of a PDF without its pages: headings, paragraphs, lists, tables and pictures in reading order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby, pairwise
from typing import Any

from .bidi import has_right_to_left
from .blocks import Block
from .figures import MOST_SHAPES, Figure, figures, upright
from .glyphs import Box, Look, Picture
from .grids import Grid, grids
from .lines import Rules
from .order import PROSE_LINES, Part, in_order
from .place import around, page_box
from .running import HEADER, OFTEN, Running, running
from .work import Leaf

_HEADING = 1.15
_LONGEST_HEADING = 200
_MARKER = re.compile(r"\s*(?:[•‣◦▪▫■□●○◆◇►▶➢✓✔–—*·\x7f-]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])\s*")
_LONGEST_MARKER = 8
_ENDS = re.compile(r"[.!?:;…。！？][\"'»”)\]]?\s*$")
_BROKEN = "-\u00ad\u2010"
_SCAN = 0.8
_SHORT_PAGE = 0.3
_TABLE_GAP = 2.0
_FIRST_GAP, _MOST_GAP = 6.0, 36.0
_MOST_PADDING, _LOOSE_PADDING = 5.4, 2.0
_MOST_FILLED, _MOST_BOXED, _GROUND = 1_000, 50, 0.6
_NEAR, _PAPER = 3.0, 250
_LEAST_MARGIN, _MOST_MARGIN = 28.0, 90.0


@dataclass(slots=True)
class Paragraph:
    """Texts with tabs between them, each of blocks that continue in each other; *level* is that of a heading, or 0."""

    texts: list[list[Block]]
    level: int = 0
    marker: str = ""
    indent: float = 0.0
    gap: float = 0.0
    led: bool = False

    @property
    def first(self) -> Block:
        """The block that it begins with."""
        return self.texts[0][0]


@dataclass(slots=True)
class Table:
    """Rows of cells; a cell is what is in it and how many columns it takes. *left* is where it begins.

    *gap* is the space above it, *padding* that in its cells at the left and at the right.
    """

    widths: list[float]
    heights: list[float]
    rows: list[list[tuple[list[Any], int]]]
    left: float
    ruled: bool
    padding: tuple[float, float]
    gap: float = 0.0


@dataclass(slots=True)
class Break:
    """The end of a page that was not full."""


Item = Paragraph | Table | Picture | Break
Held = Block | Picture | Table


@dataclass(slots=True)
class Flow:
    """What the document holds, and how large its pages and margins (left, top, right, bottom) are."""

    items: list[Item]
    running: list[Running]
    page: tuple[float, float]
    margins: Box
    right_to_left: bool
    addresses: list[str]
    header_images: list[Picture]


def flow(leaves: Sequence[Leaf]) -> Flow:
    """Return the contents of *leaves*, in reading order."""
    sizes: Counter[float] = Counter()
    for block in (block for leaf in leaves for block in leaf.blocks):
        sizes[_rounded(block)] += len(block.text)
    body = sizes.most_common(1)[0][0] if sizes else 12.0
    larger = sorted((size for size in sizes if size >= _HEADING * body), reverse=True)
    addresses: list[str] = []
    for leaf in leaves:
        for block in leaf.blocks:  # links are numbered on each page: from here on, in all of the document
            block.runs = [
                (text, replace(look, link=len(addresses) + look.link) if look.link >= 0 else look)
                for text, look in block.runs
            ]
        addresses += leaf.sheet.addresses
    pages = [_Page(leaf) for leaf in leaves]
    repeated = running([page.blocks for page in pages], [page.box for page in pages], body)
    left_out = {id(block) for each in repeated for block in each.pages.values()}
    letters = "".join(block.text for page in pages for block in page.blocks)
    turned = sum(map(has_right_to_left, letters)) > len(letters) / 2
    most = MOST_SHAPES
    for number, page in enumerate(pages):
        page.blocks = [block for block in page.blocks if id(block) not in left_out]
        most -= page.add_figures(number, most)
    logos = _repeated_images(pages)
    done: list[Item] = []
    for number, page in enumerate(pages):
        found = list(page.items(larger, right_to_left=turned))
        if done and found and number and pages[number - 1].is_short:
            done.append(Break())
        for item in found:
            if not (done and _goes_on(done, item, body)):
                done.append(item)
    box = pages[0].box
    size = (box[2] - box[0], box[3] - box[1])
    return Flow(done, repeated, size, _margins(pages), turned, addresses, logos)


class _Page:
    """One page in the direction that most of it is written in; what is written otherwise comes last."""

    def __init__(self, leaf: Leaf) -> None:
        count = Counter[float]()
        for block in leaf.blocks:
            count[block.angle] += len(block.text)
        self.angle = count.most_common(1)[0][0] if count else 0.0
        self.angle = 0.0 if self.angle % 90 else self.angle
        self.box = around(self.angle, leaf.sheet.box)
        self.blocks = [block for block in leaf.blocks if block.angle == self.angle]
        self.aside = [block for block in leaf.blocks if block.angle != self.angle]
        self.sheet = leaf.sheet
        filled = [each for each in leaf.sheet.shapes if each.kind == "box" and each.fill and min(each.fill) < _PAPER]
        filled = sorted(filled[:_MOST_FILLED], key=lambda each: _area(each.box))
        for block in self.blocks if filled else ():
            place = page_box(block)
            block.behind = next((each for each in filled if _is_around(each.box, place)), None)
        self.rules = Rules.at(self.angle, leaf.sheet.rules)
        hidden = any(block.hidden for block in leaf.blocks)
        self.images = [
            Picture(around(self.angle, each.box), upright(each.data, self.angle))
            for each in leaf.sheet.images
            if not (hidden and _area(each.box) > _SCAN * _area(leaf.sheet.box))
        ]

    def add_figures(self, number: int, most: int) -> int:
        """Make pictures of drawings, with the texts and pictures in them, unless the page has more than *most* shapes.

        Return how many shapes will be drawn.
        """
        if not 0 < len(self.sheet.shapes) <= most:
            return 0
        tables = [] if self.angle else grids(self.rules, [_middle(_text_part(block)) for block in self.blocks])
        found = figures(self.sheet, [*self.blocks, *self.aside], tables)
        taken = {id(label) for _, labels in found for label in labels}
        self.blocks = [block for block in self.blocks if id(block) not in taken]
        self.aside = [block for block in self.aside if id(block) not in taken]
        for place, labels in found:
            box = around(self.angle, place)
            self.images = [each for each in self.images if not _is_inside(each.box, box)]
            self.images.append(Figure(box, b"", number, self.angle, place, tuple(labels)))
        return len(self.sheet.shapes) if found else 0

    @property
    def is_short(self) -> bool:
        """Whether the page ends well above its bottom."""
        bottoms = [block.bottom for block in self.blocks] + [image.box[1] for image in self.images]
        low, high = self.box[1], self.box[3]
        return bool(bottoms) and min(bottoms) - low > _SHORT_PAGE * (high - low)

    def items(self, larger: Sequence[float], *, right_to_left: bool) -> Iterator[Item]:
        """Yield what is on the page, in reading order."""
        parts: list[Part[Held]] = [*map(_text_part, self.blocks), *map(_image_part, self.images)]
        tables = grids(self.rules, [_middle(part) for part in parts])
        for grid in tables:
            inside = [part for part in parts if grid.cell(*_middle(part)) is not None]
            gone = set(map(id, inside))
            parts = [part for part in parts if id(part) not in gone]
            table = _ruled_table(grid, in_order(inside, right_to_left=right_to_left), larger, right_to_left)
            u0, u1, top, bottom = grid.us[0], grid.us[-1], grid.vs[0], grid.vs[-1]
            parts.append(Part(table, u0, u1, bottom, top, top))
        parts = self._boxed(parts, larger, right_to_left)
        ordered = in_order(parts, right_to_left=right_to_left)
        yield from _paragraphs(ordered, larger, self.box, first_gap=_FIRST_GAP)
        yield from (Paragraph([[block]]) for block in self.aside)

    def _boxed(self, parts: list[Part[Held]], larger: Sequence[float], right_to_left: bool) -> list[Part[Held]]:
        """Return *parts* with texts below each other on a coloured box as a table of one cell."""
        for shape in {part.held.behind: 0 for part in parts if isinstance(part.held, Block) and part.held.behind}:
            inside = [part for part in parts if isinstance(part.held, Block) and part.held.behind is shape]
            blocks = [part.held for part in inside if isinstance(part.held, Block)]
            u0, bottom, u1, top = box = around(self.angle, shape.box)
            in_rows = any(_beside(one, other) for one, other in combinations(blocks[:_MOST_BOXED], 2))
            if not in_rows and len(inside) <= _MOST_BOXED and _area(box) < _GROUND * _area(self.box):
                ordered = in_order(inside, right_to_left=right_to_left)
                held = list(_paragraphs(ordered, larger, box, first_gap=min(_MOST_GAP, top - ordered[0].top)))
                sides = (min(part.u0 for part in inside) - u0, u1 - max(part.u1 for part in inside))
                padding = (max(0.0, min(2 * _MOST_PADDING, sides[0])), max(0.0, min(_MOST_PADDING, sides[1])))
                table = Table([u1 - u0], [top - bottom], [[(held, 1)]], u0, ruled=False, padding=padding)
                gone = set(map(id, inside))
                parts = [part for part in parts if id(part) not in gone]
                parts.append(Part(table, u0, u1, bottom, top, top))
        return parts


def _repeated_images(pages: Sequence[_Page]) -> list[Picture]:
    """Take the pictures that are at the top of most pages off them, and return each once."""
    seen: dict[tuple[bytes, int, int, int], list[tuple[_Page, Picture]]] = {}
    for page in pages:
        for image in page.images:
            if image.box[1] > page.box[3] - HEADER * (page.box[3] - page.box[1]):
                key = (image.data, round(image.box[0]), round(page.box[3] - image.box[3]), round(_area(image.box)))
                seen.setdefault(key, []).append((page, image))
    often = [places for places in seen.values() if len(places) >= max(2, OFTEN * len(pages))]
    for page, image in (place for places in often for place in places):
        page.images.remove(image)
    return [places[0][1] for places in often]


def _is_inside(box: Box, outer: Box) -> bool:
    u, v = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] <= u <= outer[2] and outer[1] <= v <= outer[3]


def _is_around(box: Box, inner: Box) -> bool:
    near = (inner[0] - box[0], inner[1] - box[1], box[2] - inner[2], box[3] - inner[3])
    return min(near) > -_NEAR


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _text_part(block: Block) -> Part[Held]:
    return Part(block, block.u0, block.u1, block.bottom, block.top, block.first, block.lines, block.size)


def _image_part(image: Picture) -> Part[Held]:
    u0, bottom, u1, top = image.box
    return Part(image, u0, u1, bottom, top, bottom)


def _middle(part: Part[Held]) -> tuple[float, float]:
    return (part.u0 + part.u1) / 2, (part.first + 0.3 * part.size if isinstance(part.held, Block) else part.bottom)


def _ruled_table(grid: Grid, inside: Iterable[Part[Held]], larger: Sequence[float], right_to_left: bool) -> Table:
    held: dict[tuple[int, int], list[Part[Held]]] = {}
    for part in inside:
        cell = grid.cell(*_middle(part))
        assert cell is not None  # noqa: S101  it is inside
        held.setdefault(cell, []).append(part)
    rows, edges = [], [(_MOST_PADDING, _MOST_PADDING)]
    step = -1 if right_to_left else 1
    for row in range(len(grid.vs) - 1):
        cells = []
        for start, columns in [(start, len(list(same))) for start, same in groupby(grid.starts(row))][::step]:
            right, top = grid.us[start + columns], grid.vs[row]
            box = (grid.us[start], grid.vs[row + 1], right, top)
            inner = held.get((row, start), [])
            edges += [(part.u0 - box[0], right - part.u1) for part in inner]
            first_gap = min(_MOST_PADDING, top - inner[0].top) if inner else 0.0
            cells.append((list(_paragraphs(inner, larger, box, first_gap=first_gap)), columns))
        rows.append(cells)
    widths = [right - left for left, right in pairwise(grid.us)]
    heights = [top - bottom for top, bottom in pairwise(grid.vs)]
    padding = tuple(max(0.0, min(_MOST_PADDING, *side)) for side in zip(*edges, strict=True))
    return Table(widths[::step], heights, rows, grid.us[0], ruled=True, padding=(padding[0], padding[1]))


def _paragraphs(
    ordered: Iterable[Part[Held]], larger: Sequence[float], box: Box, *, first_gap: float = 0.0
) -> Iterator[Item]:
    """Yield paragraphs and what is between them; rows that follow each other are a table."""
    rows: list[list[Block]] = []
    floor: float | None = None
    for part in [*ordered, None]:
        if part is not None and isinstance(part.held, Block):
            if rows and _beside(rows[-1][-1], part.held):
                rows[-1].append(part.held)
            else:
                rows.append([part.held])
            continue
        for together in _grouped(rows):
            if len(together) > 1:
                table = _loose_table(together, larger, box)
                table.gap = 0.0 if floor is None else _gap(floor - max(block.top for block in together[0]))
                yield table
            else:
                for row in together:
                    gap = first_gap if floor is None else floor - row[0].top
                    yield _paragraph(row, larger, box, gap)
                    floor = row[-1].bottom
            floor = together[-1][-1].bottom
        rows = []
        if part is not None and not isinstance(part.held, Block):
            if floor is not None:
                part.held.gap = _gap(floor - part.top)
            floor = part.bottom
            yield part.held


def _grouped(rows: Sequence[list[Block]]) -> Iterator[list[list[Block]]]:
    """Yield the rows of each table together, and every other row alone; a wide gap ends a table."""
    group: list[list[Block]] = []
    for row in rows:
        far = group and group[-1][0].bottom - row[0].top > _TABLE_GAP * row[0].size
        if group and (far or not _is_row(row) or not _is_row(group[-1])):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _beside(before: Block, block: Block) -> bool:
    level = abs(before.first - block.first) < 0.3 * block.size
    apart = before.u1 <= block.u0 + 1 or block.u1 <= before.u0 + 1
    return level and apart and min(before.lines, block.lines) < PROSE_LINES  # else they are columns of text


def _marker(row: Sequence[Block]) -> str:
    """Return the bullet or number that a row begins with, the innermost of several, or ""."""
    is_list = len(row) > 1 and (row[-1].marked or all(_MARKER.fullmatch(block.text) for block in row[:-1]))
    text = row[-2].text.strip() if is_list else ""
    return text if len(text) <= _LONGEST_MARKER else ""


def _is_row(row: Sequence[Block]) -> bool:
    return len(row) > 1 and not _marker(row) and not any(block.leads for block in row)


def _paragraph(row: list[Block], larger: Sequence[float], box: Box, gap: float = 0.0) -> Paragraph:
    size = max(map(_rounded, [block for block in row if block.worded] or row))
    heading = size in larger and sum(len(block.text) for block in row) <= _LONGEST_HEADING
    level = min(3, larger.index(size) + 1) if heading else 0
    marker = _marker(row)
    texts = [[block] for block in row if not block.leads]
    led = any(block.leads for block in row)
    if led and len(texts) > 2:  # dots lead to the last one only
        texts = [[block for blocks in texts[:-1] for block in blocks], texts[-1]]
    elif marker and not level:
        texts = texts[-1:]
    indent = max(0.0, row[-2 if marker else 0].u0 - box[0])
    return Paragraph(texts, level, "" if level else marker, indent, _gap(gap), led)


def _gap(points: float) -> float:
    return max(0.0, min(_MOST_GAP, points))


def _loose_table(rows: Sequence[Sequence[Block]], larger: Sequence[float], box: Box) -> Table:
    """Return rows without lines between them as a table, their texts in columns by their places."""
    columns: list[tuple[float, float]] = []
    for u0, u1 in sorted((block.u0, block.u1) for row in rows for block in row):
        if columns and u0 < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], u1))
        else:
            columns.append((u0, u1))
    order = [
        [next(at for at, (left, right) in enumerate(columns) if left <= b.u0 <= right) for b in row] for row in rows
    ]
    if any(len(set(places)) < len(places) for places in order):  # some reach into the next column
        columns = [(0.0, 1.0)] * max(map(len, rows))
        order = [list(range(len(row))) for row in rows]
    at_right = [False] * len(columns)
    for at in range(len(columns)):
        column = [row[places.index(at)] for row, places in zip(rows, order, strict=True) if at in places]
        if _spread([block.u1 for block in column]) < 1 < _spread([block.u0 for block in column]):
            at_right[at] = True
            for block in column:
                block.align = "right"
    turned = any(places != sorted(places) for places in order)
    steps = range(len(columns))[:: -1 if turned else 1]
    cells = []
    for row, places in zip(rows, order, strict=True):
        held = dict(zip(places, row, strict=True))
        cells.append([([_paragraph([held[at]], larger, box)] if at in held else [], 1) for at in steps])
    edges = [columns[0][0], *(_border(*both) for both in pairwise(zip(columns, at_right, strict=True))), columns[-1][1]]
    widths = [max(1.0, after - before) for before, after in pairwise(edges)][:: -1 if turned else 1]
    tops = [max(block.first for block in row) for row in rows]
    heights = [before - after for before, after in pairwise(tops)]
    return Table(widths, [*heights, 0.0], cells, columns[0][0], ruled=False, padding=(0.0, _LOOSE_PADDING))


_Column = tuple[tuple[float, float], bool]


def _border(column: _Column, after: _Column) -> float:
    """Return where a column ends and the next begins: at the edge that its texts share, so that they can grow."""
    ((_, right), is_at_right), ((left, _), after_is_at_right) = column, after
    if not after_is_at_right:
        return left
    return right + _LOOSE_PADDING if is_at_right else (right + left) / 2


def _spread(places: Sequence[float]) -> float:
    return max(places) - min(places)


def _goes_on(done: Sequence[Item], first: Item, body: float) -> bool:
    """Join a paragraph at the top of a page or column to the last one before it if its sentence continues."""
    last = next((each for each in reversed(done) if not _is_note(each, body)), None)
    if not isinstance(last, Paragraph) or not isinstance(first, Paragraph):
        return False
    before, after = last.texts[-1][-1], first.first
    alike = abs(before.size - after.size) < 0.6 and not last.level and not first.level and not first.marker
    is_above = after.first > before.last
    broken_off = not _ENDS.search(before.text) and after.text[:1].islower()
    if not (len(last.texts) == len(first.texts) == 1 and alike and is_above and broken_off):
        return False
    last.texts[0] += first.texts[0]
    return True


def _is_note(item: Item, body: float) -> bool:
    return isinstance(item, Paragraph) and item.first.size < 0.92 * body


def _margins(pages: Sequence[_Page]) -> Box:
    """Return the margins of the pages: left, top, right, bottom."""
    edges = []
    for page in pages:
        boxes = [(block.u0, block.bottom, block.u1, block.top) for block in page.blocks]
        boxes += [image.box for image in page.images]
        if boxes:
            left, low, right, high = page.box
            edges.append(
                (
                    min(box[0] for box in boxes) - left,
                    high - max(box[3] for box in boxes),
                    right - max(box[2] for box in boxes),
                    min(box[1] for box in boxes) - low,
                )
            )
    found = [max(_LEAST_MARGIN, min(_MOST_MARGIN, *side)) for side in zip(*edges, strict=True)]
    return (found[0], found[1], found[2], min(found[3], 72.0)) if found else (72.0, 72.0, 72.0, 72.0)


def _rounded(block: Block) -> float:
    return round(2 * block.size) / 2


def joined_runs(blocks: Sequence[Block]) -> list[tuple[str, Look]]:
    """Return the runs of blocks that continue in each other; a word that was broken at the end of one is whole."""
    runs = list(blocks[0].runs)
    for block in blocks[1:]:
        text, look = runs[-1]
        broken = text[-1:] in _BROKEN and text[-2:-1].isalpha()
        runs[-1] = (text[:-1] if broken else f"{text} ", look)
        runs += block.runs
    return runs
