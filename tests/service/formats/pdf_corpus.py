"""PDFs of many kinds, each with what must be found in its translation."""

from __future__ import annotations

import io
from pathlib import Path

import docx
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt
from PIL import Image as Pixels
from PIL import ImageDraw
from pypdf import PdfReader, PdfWriter, Transformation
from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Frame,
    Image,
    ListFlowable,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)

from .paper import PROSE, canvas

STYLES = getSampleStyleSheet()
BODY = ParagraphStyle("body", parent=STYLES["BodyText"], fontSize=10.5, leading=14, alignment=TA_JUSTIFY, spaceAfter=6)
GRID = [("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("VALIGN", (0, 0), (-1, -1), "TOP")]
MORE = (
    "The water of the river is clean and cold, and many fish live in it. In the summer the children swim there every "
    "day, and their parents sit in the shade of the old trees. "
)


def photo(colour: tuple[int, int, int] = (40, 90, 160)) -> io.BytesIO:
    """Return a JPEG that is not the same everywhere."""
    into = io.BytesIO()
    picture = Pixels.new("RGB", (160, 100), colour)
    ImageDraw.Draw(picture).ellipse((40, 20, 120, 80), fill=(250, 220, 60))
    picture.save(into, "JPEG", quality=95)
    into.seek(0)
    return into


def logo() -> io.BytesIO:
    """Return a PNG with a transparent ground."""
    into = io.BytesIO()
    picture = Pixels.new("RGBA", (60, 60), (0, 0, 0, 0))
    ImageDraw.Draw(picture).polygon([(30, 0), (60, 60), (0, 60)], fill=(200, 30, 30, 255))
    picture.save(into, "PNG")
    into.seek(0)
    return into


def book(*story, columns: int = 1, size=A4, on_page=lambda made, template: None) -> bytes:
    """Return a PDF of *story*, with what *on_page* draws on each page."""
    into = io.BytesIO()
    wide = (size[0] - 100) / columns
    frames = [Frame(50 + at * wide, 60, wide - 15 * (columns > 1), size[1] - 130) for at in range(columns)]
    made = BaseDocTemplate(into, pagesize=size)
    made.addPageTemplates([PageTemplate(frames=frames, onPage=on_page)])
    made.build(list(story))
    return into.getvalue()


def report() -> bytes:
    """Headings, bold and italic words, and a text that goes on over pages with a header and page numbers."""

    def furniture(made: Canvas, template: BaseDocTemplate) -> None:
        made.setFont("Helvetica", 9)
        made.drawString(56, A4[1] - 40, "The harbour report")
        made.drawRightString(A4[0] - 56, A4[1] - 40, "Public document")
        made.drawCentredString(A4[0] / 2, 34, f"Page {template.page} of 3")

    sections = []
    for name in ("The history", "The people", "The ships"):
        sections += [
            Paragraph(name, STYLES["Heading2"]),
            Paragraph(f"{PROSE * 3}It is <b>very old</b> and <i>very beautiful</i>. {MORE * 3}", BODY),
            Paragraph(MORE * 6, BODY),
        ]
    return book(
        Paragraph("The harbour of the town", STYLES["Title"]), *sections, Paragraph(PROSE * 40, BODY), on_page=furniture
    )


def lists() -> bytes:
    """Bullets, bullets inside of bullets, and numbers."""
    inner = ListFlowable([Paragraph(text, BODY) for text in ("White bread", "Dark bread")], bulletType="bullet")
    return book(
        Paragraph("What we need", STYLES["Heading1"]),
        ListFlowable(
            [Paragraph("Fish and salt", BODY), Paragraph("Bread", BODY), inner, Paragraph(PROSE, BODY)],
            bulletType="bullet",
        ),
        Paragraph("How we do it", STYLES["Heading1"]),
        ListFlowable(
            [Paragraph(text, BODY) for text in ("Open the door.", "Close the window.", MORE)],
            bulletType="1",
            bulletFormat="%s.",
        ),
    )


def tables() -> bytes:
    """A table with lines, one with a cell over two columns, and one without lines."""
    ruled = [["Product", "Colour", "Price"], ["Garden chair", "Green", "42.00"], ["Watering can", "Blue", "7.50"]]
    wide = [["The garden and the house", "", "Price"], ["Garden chair", "Green", "42.00"]]
    loose = [["Monday", "Opening hours", "nine to five"], ["Tuesday", "Closed", "the whole day"], ["Sunday", "", "ten"]]
    return book(
        Paragraph("Prices", STYLES["Heading1"]),
        Table(ruled, style=GRID, colWidths=[150, 100, 80]),
        Spacer(1, 20),
        Table(wide, style=[*GRID, ("SPAN", (0, 0), (1, 0))], colWidths=[150, 100, 80]),
        Spacer(1, 20),
        Paragraph(PROSE, BODY),
        Table(loose, colWidths=[110, 140, 120]),
        Paragraph(MORE, BODY),
    )


def narrow() -> bytes:
    """A table whose cells have hardly room for their words."""
    head = ["No.", "Year", "Name", "Colour", "Weather", "Name of the street", "Sum"]
    rows = [["1", "2024", "Chair", "Yellow", "Sunny day", "Old market street", "12"]]
    rows += [["2", "2025", "Spoon", "Green", "Rainy night", "New bridge road", "7"]]
    return book(
        Paragraph("Narrow cells", STYLES["Heading1"]),
        Table(
            [head, *rows * 4], style=[*GRID, ("FONTSIZE", (0, 0), (-1, -1), 9)], colWidths=[24, 30, 36, 38, 56, 88, 26]
        ),
    )


def pictures() -> bytes:
    """Three pictures, two beside each other, and a caption."""
    pair = Table([[Image(photo((20, 120, 60)), 150, 94), Image(logo(), 80, 80)]])
    return book(
        Paragraph("Pictures of the town", STYLES["Heading1"]),
        Paragraph(PROSE, BODY),
        Image(photo(), 240, 150),
        Paragraph("The town in the summer", STYLES["Italic"]),
        Paragraph(MORE, BODY),
        pair,
        Paragraph("The end of the text.", BODY),
    )


def columns() -> bytes:
    """Two columns below a title, as wide as the page, and their lines drawn across both columns."""
    title = "The news of the week"

    def draw(page: Canvas) -> None:
        page.setFont("Times-Bold", 24)
        page.drawCentredString(A4[0] / 2, 760, title)
        page.setFont("Times-Roman", 11)
        left = Paragraph(f"First column. {PROSE * 2} {MORE}", BODY)
        right = Paragraph(f"Second column. {MORE * 2} {PROSE}", BODY)
        texts = []
        for paragraph in (left, right):
            paragraph.wrap(225, 600)
            texts.append([_line_text(line) for line in paragraph.blPara.lines])
        for number in range(max(map(len, texts))):
            for x, lines in zip((56, 310), texts, strict=True):
                if number < len(lines):
                    page.drawString(x, 720 - 14 * number, lines[number])
        page.drawString(56, 380, "The words below the columns go over the whole page, from the left to the right.")

    return canvas(draw)


def _line_text(line) -> str:
    return " ".join(line[1]) if isinstance(line, tuple) else " ".join(word.text for word in line.words)


def scripts() -> bytes:
    """Formulas, units and footnotes."""
    return book(
        Paragraph("Water and air", STYLES["Heading1"]),
        Paragraph("The water is H<sub>2</sub>O and the house has 50 m<super>2</super>.", BODY),
        Paragraph(f"The old castle<super>1</super> was built by the king.<super>2</super> {PROSE}", BODY),
        Paragraph("The air has too much CO<sub>2</sub> in the winter.", BODY),
        Spacer(1, 300),
        Paragraph("<super>1</super> The castle is closed on Monday.", STYLES["BodyText"]),
    )


def rotated() -> bytes:
    """A page that is turned to be looked at, and one that is wide."""

    def draw(page: Canvas) -> None:
        page.setPageRotation(90)
        page.translate(A4[0], 0)
        page.rotate(90)
        page.setFont("Helvetica-Bold", 20)
        page.drawString(60, 500, "The turned page")
        page.setFont("Helvetica", 11)
        for number, line in enumerate(["The house is large and the garden is small.", "The dog sleeps."]):
            page.drawString(60, 460 - 30 * number, line)

    return canvas(draw)


def hebrew() -> bytes:
    """A text that is written from right to left, with a table."""
    from svc_nb.service.formats.pages.fonts import _dejavu

    _dejavu("DejaVuSans")

    def draw(page: Canvas) -> None:
        page.setFont("DejaVuSans", 20)
        page.drawRightString(A4[0] - 60, 760, "דוח הנמל"[::-1])
        page.setFont("DejaVuSans", 11)
        for number, line in enumerate(["הנמל נבנה לפני שלוש מאות שנה ולא נסגר מעולם", "אוניות באות לכאן בכל שבוע"]):
            page.drawRightString(A4[0] - 60, 720 - 30 * number, line[::-1])
        for row, words in enumerate([["מחיר", "שם"], ["42", "כיסא"]]):
            for column, word in enumerate(words):
                page.rect(300 + 120 * column, 600 - 24 * row, 120, 24)
                page.drawRightString(414 + 120 * column, 608 - 24 * row, word[::-1] if word.isalpha() else word)

    return canvas(draw)


def links() -> bytes:
    """Links inside of a text, and a table of contents with dots."""

    def contents(page: Canvas, template: BaseDocTemplate) -> None:
        for number, (title, where) in enumerate([("The introduction", "1"), ("The long history of the town", "12")]):
            page.setFont("Helvetica", 11)
            page.drawString(56, 500 - 20 * number, title)
            start = 62 + page.stringWidth(title)
            dots = "." * int((520 - start) / page.stringWidth("."))
            page.drawString(start, 500 - 20 * number, dots)
            page.drawRightString(540, 500 - 20 * number, where)

    text = f"See <a href='https://example.org/harbour' color='blue'>the page of the harbour</a> for more. {PROSE}"
    return book(Paragraph("Links", STYLES["Heading1"]), Paragraph(text, BODY), on_page=contents)


def handbook() -> bytes:
    """A logo at the top of each page, page numbers at alternating sides, and pages that are not full."""

    def furniture(page: Canvas, template: BaseDocTemplate) -> None:
        page.drawImage(ImageReader(logo()), 56, A4[1] - 60, 30, 30, mask="auto")
        page.setFont("Helvetica", 9)
        if template.page % 2:
            page.drawRightString(540, 36, str(template.page))
        else:
            page.drawString(56, 36, str(template.page))

    chapters = []
    for name in ("The kitchen", "The garden", "The cellar", "The roof"):
        chapters += [Paragraph(name, STYLES["Heading1"]), Paragraph(PROSE * 3, BODY), PageBreak()]
    return book(*chapters[:-1], on_page=furniture)


def chart() -> bytes:
    """Two charts of matplotlib between paragraphs, with a caption."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(6, 3))
    left.plot([1, 2, 3], [2, 4, 1])
    left.grid(True)
    left.set(title="The price of fish", xlabel="Year", ylabel="Price in the town")
    right.bar(["Salt", "Bread", "Wine"], [3, 5, 2])
    figure.tight_layout()
    drawn, into = io.BytesIO(), io.BytesIO()
    with plt.rc_context({"pdf.fonttype": 42}):
        figure.savefig(drawn, format="pdf")
    plt.close(figure)
    text = book(
        Paragraph("The market", STYLES["Heading1"]),
        Paragraph(PROSE, BODY),
        Spacer(1, 240),
        Paragraph("Figure 1: The market in the summer", BODY),
        Paragraph(MORE, BODY),
    )
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(text)))
    writer.pages[0].merge_transformed_page(PdfReader(drawn).pages[0], Transformation().translate(60, 470))
    writer.write(into)
    return into.getvalue()


def diagram() -> bytes:
    """Boxes with arrows between them, and boxes with lines; a note in a box, which is text."""

    def draw(page: Canvas) -> None:
        page.drawString(72, 780, "The way of a letter")
        for y, words in ((660, ("Write it", "Send it", "Read it")), (560, ("House", "Garden", "Street"))):
            for number, word in enumerate(words):
                x = 80 + 150 * number
                page.rect(x, y, 100, 40)
                page.drawCentredString(x + 50, y + 16, word)
                if number:
                    page.line(x - 50, y + 20, x, y + 20)
                if number and y == 660:
                    head = page.beginPath()
                    head.moveTo(x, y + 20)
                    head.lineTo(x - 6, y + 23)
                    head.lineTo(x - 6, y + 17)
                    head.close()
                    page.drawPath(head, fill=1)
        page.drawString(72, 500, "The letters are brought every day.")
        page.setFillColorRGB(0.9, 0.95, 1)
        page.roundRect(66, 400, 300, 50, 8, fill=1)
        page.setFillColorRGB(0, 0, 0)
        page.drawString(80, 420, "Call us today!")

    return canvas(draw)


PDFS = {
    each.__name__: each
    for each in (
        report,
        lists,
        tables,
        narrow,
        pictures,
        columns,
        scripts,
        rotated,
        hebrew,
        links,
        handbook,
        chart,
        diagram,
    )
}


def office(path: Path, *, kind: str = "report") -> None:
    """Write a docx that LibreOffice makes a PDF of: a *report* with everything, or a *letter* in two columns."""
    made = docx.Document()
    section = made.sections[0]
    section.header.paragraphs[0].text = "The yearly report of the town"
    footer = section.footer.paragraphs[0]
    footer.add_run("Page ")
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), "PAGE")
    field.append(OxmlElement("w:r"))
    footer._p.append(field)
    if kind == "report":
        made.add_heading("The year of the town", 0)
        _fill_report(made)
    else:
        columns = OxmlElement("w:cols")
        columns.set(qn("w:num"), "2")
        columns.set(qn("w:space"), "480")
        for old in section._sectPr.findall(qn("w:cols")):
            section._sectPr.remove(old)
        section._sectPr.append(columns)
        for number in range(14):
            made.add_paragraph(f"Paragraph {number + 1} begins. {PROSE if number % 2 else MORE}{MORE}")
    made.save(str(path))


def _fill_report(made) -> None:
    for title in ("The harbour", "The river"):
        made.add_heading(title, 1)
        paragraph = made.add_paragraph(PROSE)
        paragraph.add_run("It is very old. ").bold = True
        paragraph.add_run("The water is H")
        paragraph.add_run("2").font.subscript = True
        paragraph.add_run("O. ")
        paragraph.add_run(MORE)
        for text in ("Fish and salt", "Bread and wine"):
            made.add_paragraph(text, style="List Bullet")
        for text in ("Open the door.", "Close the window."):
            made.add_paragraph(text, style="List Number")
        made.add_picture(photo(), Pt(200))
        table = made.add_table(3, 3, style="Table Grid")
        for row, cells in zip(
            table.rows, [["Ship", "Colour", "Tons"], ["Mary", "Red", "120"], ["Anne", "Blue", "80"]], strict=True
        ):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
        made.add_paragraph(MORE * 3)
        made.add_paragraph(PROSE * 4)
