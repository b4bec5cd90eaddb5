"""The whole way of a PDF: read, its texts handed out, the translations set, the file written."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .blocks import Block, blocks
from .book import MOST_PAGES, Book
from .drawing import Drawing
from .fonts import Fonts
from .glyphs import Box, Look, Sheet, TooMuch, read
from .place import Page
from .typeset import Run, Setting, words

MOST_LETTERS = 5_000_000

Runs = list[tuple[str, Look]]
Translate = Callable[[Sequence[Runs]], list[Runs]]


class Refused(ValueError):
    """The document cannot be done; the message says why, in one line."""


@dataclass(slots=True)
class Leaf:
    """A page that was read: what is on it, its blocks, and those of them that are set again."""

    sheet: Sheet
    blocks: list[Block]
    gone: list[Block]


def translated(data: bytes, translate: Translate, *, target_lang: str, watermark: bool) -> tuple[bytes, int]:
    """Return the PDF *data* with its texts translated, in their places, and how many are too small to read there."""
    leaves = leafed(data)
    book = Book(data)
    for number, leaf in enumerate(leaves):
        leaf.gone = book.clear(number, leaf.sheet, leaf.blocks)
    worded = [block for leaf in leaves for block in leaf.gone if block.worded]
    titles = book.titles()
    answers = translate([*(block.runs for block in worded), *([(title, Look())] for title in titles)])
    book.retitle(["".join(text for text, _ in runs) for runs in answers[len(worded) :]])
    new = dict(zip(map(id, worded), answers, strict=False))
    fonts = Fonts(target_lang)
    drawing = Drawing(watermark=watermark)
    small = 0
    for number, leaf in enumerate(leaves):
        done = settings(leaf, new, fonts)
        small += sum(setting.is_too_small for setting in done)
        drawing.add_page(leaf.sheet, done, book.rotation(number))
        book.relink(number, leaf.sheet.links, _linked(leaf, drawing.links[number]))
    if has_no_font(fonts):
        raise Refused("There is no font for the letters of the target language; ask for output_format docx.")
    book.lay_over(drawing.finished())
    return book.save(), small


def leafed(data: bytes, *, images: bool = False) -> list[Leaf]:
    """Read all pages of the PDF *data*; raise Refused if it cannot be opened or has no text."""
    document = _opened(data)
    try:
        if not 0 < len(document) <= MOST_PAGES:
            raise Refused(f"The PDF has {len(document)} pages; 1 to {MOST_PAGES:,} can be translated.")
        leaves, letters = [], 0
        for page in document:
            sheet = read(page, images=images)
            leaves.append(Leaf(sheet, blocks(sheet), []))
            letters += sum(map(len, sheet.glyphs.values()))
            page.close()
            if letters > MOST_LETTERS:
                raise Refused("The PDF holds too much text.")
    except TooMuch as problem:
        raise Refused(f"The PDF cannot be translated: {problem}.") from None
    finally:
        document.close()
    if not any(block.worded for leaf in leaves for block in leaf.blocks):
        raise Refused("The PDF has no text to translate; if its pages are scanned, run text recognition on it first.")
    return leaves


def _opened(data: bytes) -> Any:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as problem:
        if "assword" in str(problem) or "ecurity" in str(problem):
            raise Refused("The PDF is protected by a password; save it without one.") from None
        raise Refused("The file is not a PDF, or it is damaged.") from None
    if pypdfium2.raw.FPDF_GetSecurityHandlerRevision(document.raw) >= 0:
        document.close()
        raise Refused("The PDF is encrypted; save it without protection.")
    return document


def _linked(leaf: Leaf, moved: dict[int, list[Box]]) -> dict[int, list[Box]]:
    """Return where links that moved stand now, with what of them stayed in its place."""
    redrawn = set(map(id, leaf.gone))
    for block in leaf.blocks:
        for link in {look.link for _, look in block.runs} if id(block) not in redrawn else ():
            if link in moved:
                moved[link].append((block.u0, block.bottom, block.u1, block.top))
    return moved


def has_no_font(fonts: Fonts) -> bool:
    """Whether too many letters could not be drawn."""
    return fonts.missing > 0.02 * fonts.drawn


def settings(leaf: Leaf, new: Mapping[int, Runs], fonts: Fonts) -> list[Setting]:
    """Return the blocks of *leaf* that are gone, set again; *new* are their texts by ids of blocks."""
    done = []
    redrawn = set(map(id, leaf.gone))
    for angle in {block.angle for block in leaf.gone}:
        group = [block for block in leaf.blocks if block.angle == angle]
        page = Page(angle, leaf.blocks, leaf.sheet)
        gone = [(number, block) for number, block in enumerate(group) if id(block) in redrawn]
        for number, block in sorted(gone, key=lambda each: each[1].leads):
            runs: Sequence[Run] = new.get(id(block), block.runs)
            place = page.lead if block.leads else page.set
            done.append(place(number, block, words(runs, fonts)))
    return done
