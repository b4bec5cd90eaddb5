"""Charts and diagrams that are drawn with lines and shapes: found on a page, and rendered with translated labels."""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .blocks import Block
from .book import Book
from .drawing import Drawing
from .fonts import Fonts
from .glyphs import Box, Picture, Shape, Sheet
from .grids import Grid
from .place import around, page_box
from .typeset import Setting
from .work import Leaf, Runs, has_no_font, settings

MOST_SHAPES = 60_000
"""How many shapes the pages with drawings may have together."""
_MOST_CLUSTERS = 300
_MOST_HOLDERS = 500
_BACKGROUND = 0.6
_GAP = 3.0
_TOUCH = 2.0
_PROSE, _MOST_LETTERS = 150, 1_500
_NARROWEST, _WIDEST = 16.0, 40.0
_DOT, _HEAD, _LARGE = 4.0, 15.0, 20.0
_CURVES, _PARTS, _MANY_SEGMENTS = 3, 5, 12
_BARS, _BARS_AT_AXIS = 3, 2
_LABEL, _LABEL_LINES, _LABEL_SIZE, _LABEL_GAP = 60, 2, 1.25, 0.8
_CENTRAL = 1.5
_CAPTION = re.compile(r"\s*[^\W\d]+\.?\s+\d+(\.\d+)*\s*[.:–—|]")
_SCALE = 200 / 72
_MOST_PIXELS = 6_000_000


@dataclass(slots=True)
class Figure(Picture):
    """A drawing of the page *leaf*, which is read at *angle*: *place* is where it is there, *labels* the texts in it.

    It has no file before it is rendered.
    """

    leaf: int
    angle: float
    place: Box
    labels: tuple[Block, ...]


def figures(sheet: Sheet, blocks: Sequence[Block], tables: Sequence[Grid]) -> list[tuple[Box, list[Block]]]:
    """Return where the drawings of a page are, with the texts in them.

    Curves and sloping lines make a drawing, and so do bars, or boxes with lines between them. Lines of *tables*, frames
    and colours behind running text do not.
    """
    places = [(block, page_box(block)) for block in blocks]
    texts = [place for block, place in places if block.worded]
    prose = [place for block, place in places if len(block.text) > _PROSE]
    found = []
    for box, parts in _clusters(_drawn(sheet, prose, tables)):
        if min(_edges(box)) >= _NARROWEST and max(_edges(box)) >= _WIDEST and _is_drawing(parts, texts):
            box, labels = _with_labels(box, places)
            lengths = [len(label.text) for label in labels]
            if max(lengths, default=0) <= _PROSE and sum(lengths) <= _MOST_LETTERS:
                found.append((box, labels))
                _centre(labels, parts)
                taken = set(map(id, labels))
                places = [(block, place) for block, place in places if id(block) not in taken]
    return found


def _drawn(sheet: Sheet, prose: Sequence[Box], tables: Sequence[Grid]) -> list[Shape]:
    """Return the shapes that may be parts of drawings, the largest first."""
    most = _BACKGROUND * _area(sheet.box)
    seen = [each for each in sheet.shapes if _area(each.box) < most and _meets(sheet.box, each.box, 0.0)]
    shapes = sorted(seen, key=lambda each: -_area(each.box))
    held = [any(_holds(each.box, place) for place in prose) for each in shapes[:_MOST_HOLDERS]]
    shapes = [each for at, each in enumerate(shapes) if at >= len(held) or not held[at]]
    for table in tables:
        box = (table.us[0] - _GAP, table.vs[-1] - _GAP, table.us[-1] + _GAP, table.vs[0] + _GAP)
        inside = [each for each in shapes if _holds(box, each.box)]
        if not _is_connected(inside):
            lines = {id(each) for each in inside if each.kind != "curve"}
            shapes = [each for each in shapes if id(each) not in lines]
    return shapes


def _clusters(shapes: Iterable[Shape]) -> list[tuple[Box, list[Shape]]]:
    """Return the shapes that touch each other together, with the box around them; [] if hardly any do."""
    found: list[tuple[Box, list[Shape]]] = []
    for shape in shapes:
        box, parts = shape.box, [shape]
        while touching := [each for each in found if _meets(each[0], box, _GAP)]:
            if len(touching) == 1 and _holds(touching[0][0], box):
                touching[0][1].extend(parts)
                break
            found = [each for each in found if not _meets(each[0], box, _GAP)]
            parts = [*(part for each in touching for part in each[1]), *parts]
            box = _union(box, *(each[0] for each in touching))
        else:
            found.append((box, parts))
        if len(found) > _MOST_CLUSTERS:
            return []
    return found


def _is_drawing(parts: Sequence[Shape], texts: Sequence[Box]) -> bool:
    curves = [each for each in parts if each.kind == "curve" and each.visible and max(_edges(each.box)) >= _DOT]
    large = [each for each in curves if min(_edges(each.box)) > _LARGE]
    if len(curves) >= _CURVES or (large and len(parts) >= _PARTS):
        return True
    return any(each.segments >= _MANY_SEGMENTS for each in large[1:]) or _has_bars(parts, texts) or _is_connected(parts)


def _has_bars(parts: Sequence[Shape], texts: Sequence[Box]) -> bool:
    """Whether filled boxes without texts have an edge in common but not their lengths; two will do at an axis."""
    bars = [each.box for each in parts if each.kind == "box" and each.fill is not None and each.visible]
    bars = [bar for bar in bars[:_MOST_HOLDERS] if not any(_meets(bar, text, 0.0) for text in texts)]
    rules = [each.box for each in parts if each.kind == "rule"]
    for edge, end in ((1, 3), (0, 2)):
        for place, count in Counter(round(bar[edge]) for bar in bars).items():
            lengths = {round(bar[end] - bar[edge]) for bar in bars if round(bar[edge]) == place}
            has_axis = any(max(abs(rule[edge] - place), abs(rule[end] - place)) < _GAP for rule in rules)
            if len(lengths) > 1 and count >= (_BARS_AT_AXIS if has_axis else _BARS):
                return True
    return False


def _is_connected(parts: Sequence[Shape]) -> bool:
    """Whether lines lead from box to box, or arrowheads are at lines or boxes."""
    boxes = [each.box for each in parts if each.kind == "box" and min(_edges(each.box)) > _DOT][:_MOST_HOLDERS]
    rules = [each.box for each in parts if each.kind == "rule" and max(_edges(each.box)) > _DOT][:_MOST_HOLDERS]
    heads = [
        each.box
        for each in parts
        if each.kind == "curve" and each.fill is not None and max(_edges(each.box)) < _HEAD and each.segments < 8
    ]
    if any(_meets(head, rule, _TOUCH / 2) for head in heads[:_MOST_HOLDERS] for rule in rules):
        return True
    for x0, y0, x1, y1 in rules:
        level = x1 - x0 > y1 - y0
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        ends = ((x0, y, x0, y), (x1, y, x1, y)) if level else ((x, y0, x, y0), (x, y1, x, y1))
        at = [[number for number, box in enumerate(boxes) if _meets(box, end, _TOUCH)] for end in ends]
        if all(len(each) == 1 for each in at) and at[0] != at[1]:
            return True
    return False


def _with_labels(box: Box, places: Sequence[tuple[Block, Box]]) -> tuple[Box, list[Block]]:
    """Return *box* with room for the texts in it and the short ones around it, such as those at the axes of a chart."""
    labels = [(block, place) for block, place in places if _holds(box, (*_middle(place), *_middle(place)))]
    rest = [(block, place) for block, place in places if _is_label(block) and (block, place) not in labels]
    while True:
        box = _union(box, *(place for _, place in labels))
        near = [each for each in rest if _is_at(box, each[1], _LABEL_GAP * each[0].size)]
        known = max((block.size for block, _ in labels), default=0.0) or min((b.size for b, _ in near), default=0.0)
        near = [each for each in near if each[0].size <= _LABEL_SIZE * known]
        if not near:
            return box, [block for block, _ in labels]
        labels += near
        rest = [each for each in rest if each not in near]


def _centre(labels: Sequence[Block], parts: Sequence[Shape]) -> None:
    """Keep texts of one line at the middle of the box, bar or mark that they belong to."""
    for label in labels:
        boxes = [around(label.angle, each.box) for each in parts if each.kind != "curve" and not label.angle % 90]
        middle = (label.u0 + label.u1) / 2
        if label.lines == 1 and any(abs((box[0] + box[2]) / 2 - middle) < _CENTRAL for box in boxes[:_MOST_HOLDERS]):
            label.align = "centre"


def _is_label(block: Block) -> bool:
    return block.lines <= _LABEL_LINES and len(block.text) <= _LABEL and not _CAPTION.match(block.text)


def _is_at(box: Box, place: Box, reach: float) -> bool:
    """Whether a text is beside *box*, or above or below it, and not much longer."""
    wide, high = (0.5 * edge for edge in _edges(place))
    level = box[1] - high <= place[1] and place[3] <= box[3] + high
    upright = box[0] - wide <= place[0] and place[2] <= box[2] + wide
    return _meets(box, place, reach) and (level or upright)


# ---- rendered


def rendered(
    data: bytes, leaves: Sequence[Leaf], found: Sequence[Figure], new: Mapping[int, Runs], target_lang: str
) -> Iterator[tuple[bytes, float, float]]:
    """Yield the file of each figure of *data*, and how wide and high it is; *new* are texts by ids of blocks."""
    import pypdfium2

    numbers = sorted({each.leaf for each in found})
    pages = _only(data, numbers)
    book, fonts, drawing = Book(pages), Fonts(target_lang), Drawing(watermark=False)
    grown: dict[int, Box] = {}
    labels = {id(label) for each in found for label in each.labels}
    for at, number in enumerate(numbers):
        leaf = leaves[number]
        gone = [block for block in book.clear(at, leaf.sheet, leaf.blocks) if id(block) in labels]
        done = settings(Leaf(leaf.sheet, leaf.blocks, gone), new, fonts)
        grown |= {id(each.block): _set_box(each) for each in done}
        drawing.add_page(leaf.sheet, done, 0)
    if not has_no_font(fonts):  # else the labels stay as they were
        book.lay_over(drawing.finished())
        pages = book.save()
    document = pypdfium2.PdfDocument(pages)
    try:
        for each in found:
            box = _union(each.place, *(grown[id(label)] for label in each.labels if id(label) in grown))
            file, edges = _picture(document[numbers.index(each.leaf)], box, each.angle)
            yield file, *edges
    finally:
        document.close()


def _picture(page: Any, box: Box, angle: float) -> tuple[bytes, tuple[float, float]]:
    """Return a picture of a part of a page that is read at *angle*, and how wide and high it is."""
    paper: Box = page.get_bbox()
    box = (max(box[0], paper[0]), max(box[1], paper[1]), min(box[2], paper[2]), min(box[3], paper[3]))
    box = box if min(_edges(box)) > 1 else paper
    page.set_rotation(0)
    scale = min(_SCALE, math.sqrt(_MOST_PIXELS / max(1.0, _area(box))))
    crop = (box[0] - paper[0], box[1] - paper[1], paper[2] - box[2], paper[3] - box[3])
    into = io.BytesIO()
    page.render(scale=scale, crop=crop).to_pil().save(into, "PNG")
    return upright(into.getvalue(), angle), _edges(around(angle, box))


def _only(data: bytes, numbers: list[int]) -> bytes:
    """Return a PDF of some of the pages of *data*."""
    import pypdfium2

    source, some = pypdfium2.PdfDocument(data), pypdfium2.PdfDocument.new()
    try:
        some.import_pages(source, numbers)
        into = io.BytesIO()
        some.save(into)
    finally:
        some.close()
        source.close()
    return into.getvalue()


def _set_box(setting: Setting) -> Box:
    """Return the place on the page that a text takes now."""
    block, room = setting.block, setting.room
    long = max((sum(word.width + word.space for word in line) for line in setting.lines), default=0.0) * setting.scale
    start = room.u0
    if block.align == "centre":
        start = (room.u0 + room.u1 - long) / 2
    elif block.align == "right" or setting.turned:
        start = room.u1 - long
    low = setting.last - 0.25 * block.size
    return around(-block.angle, (min(start, block.u0), min(low, block.bottom), max(start + long, block.u1), block.top))


def upright(data: bytes, angle: float) -> bytes:
    """Return a picture as it is seen on a page that is turned so that texts at *angle* can be read."""
    from PIL import Image

    if not angle:
        return data
    into = io.BytesIO()
    with Image.open(io.BytesIO(data)) as image:
        image.rotate(-angle, expand=True).save(into, image.format)
    return into.getvalue()


# ---- boxes


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _edges(box: Box) -> tuple[float, float]:
    return box[2] - box[0], box[3] - box[1]


def _middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _holds(box: Box, inner: Box) -> bool:
    return box[0] <= inner[0] and box[1] <= inner[1] and box[2] >= inner[2] and box[3] >= inner[3]


def _meets(box: Box, other: Box, gap: float) -> bool:
    return (
        box[0] - gap <= other[2] and other[0] - gap <= box[2] and box[1] - gap <= other[3] and other[1] - gap <= box[3]
    )


def _union(*boxes: Box) -> Box:
    left, low, right, high = zip(*boxes, strict=True)
    return min(left), min(low), max(right), max(high)
