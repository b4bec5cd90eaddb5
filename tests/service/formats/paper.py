"""PDFs made with reportlab for tests, and what a reader sees of them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence

import pypdfium2
from pypdf import PdfReader
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate

from svc_nb.service.formats.pages import work
from svc_nb.service.formats.pages.glyphs import Glyph, Look, along, read
from svc_nb.service.formats.pages.lines import Line, Rules, lines

PROSE = (
    "The harbour was built three hundred years ago and has never been closed. Ships from many countries come here "
    "every week, and the people of the town live from what they bring. "
)

Runs = list[tuple[str, Look]]
Change = Callable[[str], str]


def canvas(draw: Callable[[Canvas], None], *, size: tuple[float, float] = A4, **settings) -> bytes:
    """Return a PDF that *draw* draws."""
    into = io.BytesIO()
    made = Canvas(into, pagesize=size, **settings)
    draw(made)
    made.showPage()
    made.save()
    return into.getvalue()


def document(*story: Flowable, columns: int = 1, title: str | None = None) -> bytes:
    """Return a PDF of *story* in one or more columns."""
    into = io.BytesIO()
    wide = (A4[0] - 100) / columns
    frames = [Frame(50 + at * wide, 50, wide - 15, A4[1] - 100, id=str(at)) for at in range(columns)]
    made = BaseDocTemplate(into, pagesize=A4, title=title)
    made.addPageTemplates([PageTemplate(frames=frames)])
    made.build(list(story))
    return into.getvalue()


def changed(data: bytes, change: Change = str.upper, *, lang: str = "DE", watermark: bool = False) -> bytes:
    """Return *data* with *change* done to its texts, run by run."""

    def translate(texts: Sequence[Runs]) -> list[Runs]:
        return [[(change(text), look) for text, look in runs] for runs in texts]

    return work.translated(data, translate, target_lang=lang, watermark=watermark)[0]


def paragraphs(data: bytes) -> list[str]:
    """Return the texts that are handed out to be translated."""
    given: list[str] = []

    def translate(texts: Sequence[Runs]) -> list[Runs]:
        given.extend("".join(text for text, _ in runs) for runs in texts)
        return [list(runs) for runs in texts]

    work.translated(data, translate, target_lang="DE", watermark=False)
    return given


def texts(data: bytes) -> list[str]:
    """Return the text of each page, as two libraries read it."""
    document = pypdfium2.PdfDocument(data)
    one = [page.get_textpage().get_text_bounded().replace("\r\n", "\n") for page in document]
    other = [page.extract_text() for page in PdfReader(io.BytesIO(data)).pages]
    return [f"{first}\n{second}" for first, second in zip(one, other, strict=True)]


def glyphs(data: bytes, page: int = 0) -> list[Glyph]:
    """Return the letters on a page."""
    found = read(pypdfium2.PdfDocument(data)[page]).glyphs
    return [glyph for group in found.values() for glyph in group]


def look(data: bytes, word: str, page: int = 0) -> Look:
    """Return the look of the first letter of *word*."""
    letters = glyphs(data, page)
    return letters["".join(glyph.char[:1] for glyph in letters).index(word)].look


def spots(data: bytes, page: int = 0) -> Iterator[tuple[Line, tuple[float, float, float, float]]]:
    """Yield the lines that are written across a page, and the box around the letters of each."""
    sheet = read(pypdfium2.PdfDocument(data)[page])
    for line in lines(sheet.glyphs.get(0.0, []), Rules.at(0.0, ())):
        yield line, (line.u0, line.v - 0.15 * line.size, line.u1, line.v + 0.6 * line.size)


def overlapping(data: bytes, page: int = 0) -> list[tuple[str, str]]:
    """Return the lines of a page that stand on each other."""
    found = list(spots(data, page))
    return [
        (one.text, other.text)
        for number, (one, box) in enumerate(found)
        for other, second in found[number + 1 :]
        if min(box[2], second[2]) - max(box[0], second[0]) > 0.5
        and min(box[3], second[3]) - max(box[1], second[1]) > 0.3
    ]


def outside(data: bytes, page: int = 0) -> list[str]:
    """Return the letters that stand outside the page."""
    sheet = read(pypdfium2.PdfDocument(data)[page])
    x0, y0, x1, y1 = sheet.box
    return [
        glyph.char
        for angle, group in sheet.glyphs.items()
        for glyph in group
        for x, y in [along(-angle, glyph.u1, glyph.v)]
        if not (x0 - 1 <= x <= x1 + 1 and y0 <= y <= y1)
    ]
