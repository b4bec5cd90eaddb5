"""Forty office documents, one for each thing that a translation must leave as it is; `CORPUS` names them."""

from __future__ import annotations

import io
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import docx
import openpyxl
import pptx
from docx.enum.section import WD_ORIENT, WD_SECTION
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.chart import BarChart, LineChart, Reference
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Alignment, PatternFill
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table
from PIL import Image as Picture
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

SENTENCES = [
    "The red house has a green door and three small windows.",
    "The old woman reads a good book in the garden every day.",
    "The children play with the black dog near the river.",
    "The price of the new car is too high for this family.",
]
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SPACES = (
    f'xmlns:w="{_W}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    ' xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:v="urn:schemas-microsoft-com:vml"'
)


@dataclass(frozen=True)
class Sample:
    """A document: what writes it into a path, and the texts in it that must stay."""

    write: Callable[[Path], None]
    kept: frozenset[str] = frozenset()


CORPUS: dict[str, Sample] = {}


def sample(name: str, *kept: str):
    def add(write: Callable[[Path], None]) -> Callable[[Path], None]:
        CORPUS[name] = Sample(write, frozenset(kept))
        return write

    return add


def picture() -> io.BytesIO:
    data = io.BytesIO()
    Picture.new("RGB", (60, 40), "teal").save(data, "png")
    data.seek(0)
    return data


# ---- Word documents: what stands between two plain paragraphs, as XML


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def field(code: str, result: str) -> str:
    mark = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'.format
    instruction = f'<w:r><w:instrText xml:space="preserve"> {code} </w:instrText></w:r>'
    return mark("begin") + instruction + mark("separate") + result + mark("end")


def paragraph(*inside: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(inside)}</w:p>"


BOX = (
    '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:extent cx="2000000" cy="500000"/>'
    '<wp:docPr id="77" name="Box 1" descr="a box with words"/><a:graphic>'
    '<a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr/>'
    '<wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="2000000" cy="500000"/></a:xfrm>'
    '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr><wps:txbx><w:txbxContent>'
    f"{paragraph(run('Words in a box.'))}</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp>"
    "</a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice><mc:Fallback><w:pict>"
    '<v:shape alt="a box with words" style="width:150pt;height:40pt"><v:textbox><w:txbxContent>'
    f"{paragraph(run('Words in a box.'))}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback>"
    "</mc:AlternateContent></w:r>"
)
UNDERLINED = '<w:u w:val="single"/>'
_EDIT = 'w:id="{}" w:author="Ada" w:date="2026-01-01T00:00:00Z"'.format
_CONTROL = "<w:sdt><w:sdtPr>{}</w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>".format
WORD: dict[str, tuple[str, set[str]]] = {
    "formatting in a sentence": (
        paragraph(run("The "), run("red", "<w:b/>"), run(" house is "), run("very big", "<w:i/>"), run(" and old.")),
        set(),
    ),
    "superscripts and subscripts": (
        paragraph(
            run("The house has 100 m"), run("2", '<w:vertAlign w:val="superscript"/>'), run(" and uses H"),
            run("2", '<w:vertAlign w:val="subscript"/>'), run("O."),
        ),
        set(),
    ),
    "fields": (paragraph(run("This is page "), field("PAGE", run("1")), run(" of the book.")), set()),
    "table of contents": (
        paragraph(field('TOC \\o "1-3"', run("Old heading") + "<w:r><w:tab/></w:r>" + run("3"))),
        {"Old heading3"},
    ),
    "tracked changes": (
        paragraph(
            run("The dog "), f"<w:ins {_EDIT(1)}>{run('never ')}</w:ins>",
            f'<w:del {_EDIT(2)}><w:r><w:delText xml:space="preserve">always </w:delText></w:r></w:del>',
            run("sleeps here."),
        ),
        set(),
    ),
    "equation": (
        paragraph(run("The value is "), "<m:oMath><m:r><m:t>x+y</m:t></m:r></m:oMath>", run(" in this case.")),
        set(),
    ),
    "right to left": (paragraph(run("The green door.", "<w:rtl/>"), properties="<w:bidi/>"), set()),
    "content controls": (
        paragraph(run("Write "), _CONTROL('<w:alias w:val="Who"/><w:text/>', run("the name")), run(" here."))
        + paragraph(_CONTROL('<w:dropDownList><w:listItem w:value="Yes"/></w:dropDownList>', run("Yes"))),
        {"Yes"},
    ),
    "text box": (paragraph(BOX), set()),
    "tabs and breaks": (
        paragraph(
            run("First line"), "<w:r><w:br/></w:r>", run("second line"), "<w:r><w:tab/></w:r>", run("behind the tab")
        ),
        set(),
    ),
    "bookmarks and links": (
        paragraph(
            '<w:bookmarkStart w:id="3" w:name="here"/>', run("The place"), '<w:bookmarkEnd w:id="3"/>', run(" and "),
            f'<w:hyperlink w:anchor="here">{run("a link to it", UNDERLINED)}</w:hyperlink>',
            run("."),
        ),
        set(),
    ),
}  # fmt: skip


def _word(body: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        made = docx.Document()
        made.add_paragraph(SENTENCES[0])
        holder = parse_xml(f"<w:body {_SPACES}>{body}</w:body>")
        for child in list(holder):
            made.element.body.insert(len(made.element.body) - 1, child)
        made.add_paragraph(SENTENCES[1])
        made.save(path)

    return write


for _name, (_body, _kept) in WORD.items():
    CORPUS[f"{_name}.docx"] = Sample(_word(_body), frozenset(_kept))


@sample("headings and lists.docx")
def _(path: Path) -> None:
    made = docx.Document()
    made.add_heading("The title", 0)
    for level in (1, 2, 3):
        made.add_heading(f"A heading of level {level}", level)
        made.add_paragraph(SENTENCES[level])
        made.add_paragraph("A point in a list", style="List Bullet")
        made.add_paragraph("A number in a list", style="List Number 2")
    made.save(path)


@sample("tables.docx")
def _(path: Path) -> None:
    made = docx.Document()
    table = made.add_table(4, 3, style="Table Grid")
    for row in table.rows:
        for cell in row.cells:
            cell.text = "A cell of the table"
    table.cell(0, 0).merge(table.cell(0, 2)).text = "The merged cells"
    table.cell(1, 0).merge(table.cell(2, 0))
    inner = table.cell(3, 2).add_table(1, 2)
    inner.cell(0, 1).text = "A cell in a cell"
    made.save(path)


@sample("headers, sections and columns.docx")
def _(path: Path) -> None:
    made = docx.Document()
    made.settings.odd_and_even_pages_header_footer = True
    made.sections[0].header.paragraphs[0].text = "The header of the book"
    made.sections[0].even_page_footer.paragraphs[0].text = "The footer of even pages"
    made.add_paragraph(" ".join(SENTENCES))
    section = made.add_section(WD_SECTION.NEW_PAGE)
    section.orientation, section.page_width, section.page_height = (
        WD_ORIENT.LANDSCAPE,
        section.page_height,
        section.page_width,
    )
    section.different_first_page_header_footer = True
    section.first_page_header.paragraphs[0].text = "The header of the first page"
    section._sectPr.append(parse_xml(f'<w:cols {_SPACES} w:num="2"/>'))
    made.add_paragraph(" ".join(SENTENCES * 3))
    made.save(path)


def _noted(path: Path, kind: str) -> None:
    made = docx.Document()
    text = made.add_paragraph("The red house")
    text._p.append(
        parse_xml(
            f'<w:r {_SPACES}><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:{kind}Reference w:id="1"/></w:r>'
        )
    )
    text.add_run(" is bigger than the green house.")
    notes = (
        f'<w:{kind}s {_SPACES}><w:{kind} w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:{kind}>'
        f'<w:{kind} w:id="1"><w:p><w:r><w:{kind}Ref/></w:r>{run(" A note about the house.")}</w:p></w:{kind}>'
        f"</w:{kind}s>"
    )
    media = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}s+xml"
    part = Part(PackURI(f"/word/{kind}s.xml"), media, notes.encode(), made.part.package)
    made.part.relate_to(part, f"{RELATIONSHIP_TYPE.FOOTNOTES.rpartition('/')[0]}/{kind}s")
    made.save(path)


CORPUS["footnotes.docx"] = Sample(lambda path: _noted(path, "footnote"))
CORPUS["endnotes.docx"] = Sample(lambda path: _noted(path, "endnote"))


@sample("images.docx")
def _(path: Path) -> None:
    made = docx.Document()
    made.core_properties.title = "A book with images"
    for place in range(2):
        text = made.add_paragraph("An image ")
        inline = text.add_run().add_picture(picture())._inline
        inline.docPr.set("descr", f"a blue field, number {place}")
        text.add_run(" stands in the sentence.")
    made.save(path)


@sample("comments and a link.docx")
def _(path: Path) -> None:
    made = docx.Document()
    text = made.add_paragraph("The doctor ")
    marked = text.add_run("lives ")
    link = made.part.relate_to("https://example.org/a", RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    text._p.append(parse_xml(f'<w:hyperlink {_SPACES} r:id="{link}">{run("in the old city")}</w:hyperlink>'))
    if hasattr(made, "add_comment"):
        made.add_comment(marked, "Is this true?", author="Ada", initials="A")
    made.add_paragraph(SENTENCES[0])
    made.save(path)


@sample("chart.docx")
def _(path: Path) -> None:
    """The chart of a presentation, with its workbook, in a Word document."""
    _show_with_chart(shown := io.BytesIO())
    slide = pptx.Presentation(shown).slides[0]
    source = next(shape.chart for shape in slide.shapes if shape.has_chart).part
    made = docx.Document()
    made.add_paragraph(SENTENCES[0])
    package = made.part.package
    workbook = source.chart_workbook.xlsx_part
    book = Part(PackURI("/word/embeddings/book1.xlsx"), workbook.content_type, workbook.blob, package)
    chart = Part(PackURI("/word/charts/chart1.xml"), source.content_type, source.blob, package)
    kind = RELATIONSHIP_TYPE.CHART.rpartition("/")[0]
    [link] = [link for link, each in source.rels.items() if each.reltype == f"{kind}/package"]
    chart.rels.add_relationship(f"{kind}/package", book, link)
    number = made.part.relate_to(chart, f"{kind}/chart")
    uri = "http://schemas.openxmlformats.org/drawingml/2006/chart"
    drawing = (
        f'<w:p {_SPACES}><w:r><w:drawing><wp:inline><wp:extent cx="4000000" cy="2500000"/>'
        f'<wp:docPr id="5" name="Chart 1" descr="the sales as bars"/><a:graphic><a:graphicData uri="{uri}">'
        f'<c:chart xmlns:c="{uri}" r:id="{number}"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>'
    )
    made.element.body.insert(1, parse_xml(drawing))
    made.save(path)


# ---- workbooks


def _book(name: str, *kept: str):
    def add(fill: Callable[[openpyxl.Workbook, object], None]) -> None:
        def write(path: Path) -> None:
            made = openpyxl.Workbook()
            sheet = made.active
            sheet.append(["product", "state", "price"])
            for at, state in enumerate(("open", "closed", "open", "waiting")):
                sheet.append([f"The {('red', 'green', 'old', 'new')[at]} car", state, at + 1.5])
            fill(made, sheet)
            made.save(path)

        CORPUS[f"{name}.xlsx"] = Sample(write, frozenset(kept))

    return add


@_book("formulas")
def _(book, sheet) -> None:
    sheet["E1"], sheet["E2"], sheet["E3"] = '=COUNTIF(B2:B5,"open")', "=SUM(C2:C5)", '=IF(B2="open","yes","no")'


@_book("rich text")
def _(book, sheet) -> None:
    sheet["E1"] = CellRichText("The ", TextBlock(InlineFont(b=True), "red"), " house is big")
    sheet["E2"] = CellRichText("An area of 5 m", TextBlock(InlineFont(vertAlign="superscript"), "2"), " is small")


@_book("merged cells and wrapped text")
def _(book, sheet) -> None:
    sheet.merge_cells("A8:C9")
    sheet["A8"] = " ".join(SENTENCES)
    sheet["A8"].alignment = Alignment(wrap_text=True)
    sheet["A12"] = "Two lines\nin a cell"


@_book("charts")
def _(book, sheet) -> None:
    for kind, place in ((BarChart, "E1"), (LineChart, "E18")):
        chart = kind()
        chart.title, chart.y_axis.title = "The prices of cars", "the price"
        chart.add_data(Reference(sheet, min_col=3, min_row=1, max_row=5), titles_from_data=True)
        chart.set_categories(Reference(sheet, min_col=1, min_row=2, max_row=5))
        sheet.add_chart(chart, place)


@_book("comments")
def _(book, sheet) -> None:
    sheet["A2"].comment = Comment("This car is too old", "Ada")


@_book("lists and rules")
def _(book, sheet) -> None:
    choice = DataValidation(type="list", formula1='"open,closed,waiting"', prompt="Choose a state", promptTitle="State")
    choice.add("B2:B5")
    sheet.add_data_validation(choice)
    rule = CellIsRule(operator="equal", formula=['"closed"'], fill=PatternFill(bgColor="FFFF0000"))
    sheet.conditional_formatting.add("B2:B5", rule)
    sheet.auto_filter.ref = "A1:C5"
    sheet.auto_filter.add_filter_column(1, ["open"])


@_book("table")
def _(book, sheet) -> None:
    sheet.add_table(Table(displayName="Cars", ref="A1:C5"))


@_book("table in formulas", "price")
def _(book, sheet) -> None:
    sheet.add_table(Table(displayName="Cars", ref="A1:C5"))
    sheet["E1"] = "=SUM(Cars[price])"


@_book("headers and several sheets")
def _(book, sheet) -> None:
    sheet.oddHeader.left.text, sheet.oddFooter.center.text = "The cars of the year", "Page &P of &N"
    other = book.create_sheet("Second")
    other["A1"], other["A2"] = "A second sheet", "=Sheet!A2"
    book.defined_names["prices"] = openpyxl.workbook.defined_name.DefinedName("prices", attr_text="Sheet!$C$2:$C$5")


@_book("image and title")
def _(book, sheet) -> None:
    book.properties.title = "A book of cars"
    sheet.add_image(Image(picture()), "E2")
    sheet["A9"], sheet["A10"], sheet["A11"] = "TRUE", "A-17", True


# ---- presentations


def _show(name: str, *kept: str):
    def add(fill: Callable[[object, object], None]) -> None:
        def write(path: Path) -> None:
            made = pptx.Presentation()
            made.core_properties.title = ""
            slide = made.slides.add_slide(made.slide_layouts[1])
            slide.shapes.title.text = "The title of the slide"
            slide.placeholders[1].text = "\n".join(SENTENCES[:2])
            fill(made, slide)
            made.save(path)

        CORPUS[f"{name}.pptx"] = Sample(write, frozenset(kept))

    return add


@_show("levels and formatting")
def _(made, slide) -> None:
    text = slide.placeholders[1].text_frame.add_paragraph()
    text.level = 1
    for words, bold in (("The ", None), ("red", True), (" house is big.", None)):
        part = text.add_run()
        part.text, part.font.bold = words, bold


@_show("raised letters")
def _(made, slide) -> None:
    text = slide.placeholders[1].text_frame.add_paragraph()
    for words, height in (
        ("The house uses H", None),
        ("2", "-25000"),
        ("O on the 1", None),
        ("st", "30000"),
        (" floor.", None),
    ):
        part = text.add_run()
        part.text = words
        if height:
            part.font._element.set("baseline", height)


@_show("tables")
def _(made, slide) -> None:
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(4), Inches(6), Inches(1)).table
    table.cell(0, 0).merge(table.cell(0, 1))
    table.cell(0, 0).text, table.cell(1, 0).text = "The merged cells", "A cell of the table"


@_show("chart")
def _(made, slide) -> None:
    _add_chart(slide)


def _add_chart(slide) -> None:
    data = CategoryChartData()
    data.categories = ["the north", "the south"]
    data.add_series("the sales of cars", (3, 4))
    place = (Inches(1), Inches(4), Inches(6), Inches(3))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "The cars of the year"


@_show("notes")
def _(made, slide) -> None:
    slide.notes_slide.notes_text_frame.text = SENTENCES[3]


@_show("groups and boxes")
def _(made, slide) -> None:
    group = slide.shapes.add_group_shape()
    box = group.shapes.add_textbox(Inches(1), Inches(5), Inches(4), Inches(1))
    box.text_frame.text = "Words in a group"
    link = slide.shapes.add_textbox(Inches(5), Inches(5), Inches(4), Inches(1)).text_frame.paragraphs[0].add_run()
    link.text = "a link to a page"
    link.hyperlink.address = "https://example.org/"


@_show("image")
def _(made, slide) -> None:
    image = slide.shapes.add_picture(picture(), Inches(1), Inches(5))
    image._element.nvPicPr.cNvPr.set("descr", "a blue field")


@_show("footer and number")
def _(made, slide) -> None:
    for kind in ("Footer", "Slide Number"):
        model = next(each for each in slide.slide_layout.placeholders if kind in each.name)
        own = deepcopy(model._element)
        if kind == "Footer":
            own.txBody.p_lst[0].insert(0, own.txBody.p_lst[0].add_r("The footer of the slide"))
        slide.shapes._spTree.append(own)


@_show("words of the master")
def _(made, slide) -> None:
    box = box_on(made.slide_master)
    box.text_frame.text = "On every slide"


def _show_with_chart(file: io.BytesIO) -> None:
    made = pptx.Presentation()
    _add_chart(made.slides.add_slide(made.slide_layouts[6]))
    made.save(file)
    file.seek(0)


DIAGRAM = (
    '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst><dgm:pt modelId="1">'
    "<dgm:prSet/><dgm:spPr/><dgm:t><a:bodyPr/>"
    "<a:p><a:r><a:t>The first step</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>"
)


@_show("diagram")
def _(made, slide) -> None:
    media = "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml"
    name = pptx.opc.packuri.PackURI("/ppt/diagrams/data1.xml")
    part = pptx.opc.package.Part(name, media, slide.part.package, DIAGRAM.encode())
    slide.part.relate_to(part, f"{RELATIONSHIP_TYPE.CHART.rpartition('/')[0]}/diagramData")


@_show("several slides and layouts")
def _(made, slide) -> None:
    for layout in (0, 2, 3):
        other = made.slides.add_slide(made.slide_layouts[layout])
        for at, placeholder in enumerate(other.placeholders):
            placeholder.text = SENTENCES[at % len(SENTENCES)]


def box_on(master):
    """A text box on a master, which python-pptx puts on slides only."""
    slide = master.part.package.presentation_part.presentation.slides[0]
    box = slide.shapes.add_textbox(Inches(0), Inches(7), Inches(3), Inches(0.4))
    master.shapes._spTree.append(box._element)
    return next(shape for shape in master.shapes if shape._element is box._element)
