"""A PDF that becomes a docx: what it holds is there, in the order in which it is read."""

from __future__ import annotations

import io
import zipfile

import docx
import pytest
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml.ns import qn
from docx.shared import RGBColor
from PIL import Image, ImageChops
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase.pdfmetrics import stringWidth

from . import pdf_corpus
from .paper import PROSE, canvas
from .renderings import echo, rendered, upper
from .test_pdf import WORDS, page, stream


def made(data: bytes, words=upper, **wish):
    return docx.Document(io.BytesIO(rendered("pdf", data, words, output_format="docx", **wish)))


def texts(document) -> list[str]:
    return [paragraph.text for paragraph in document.paragraphs if paragraph.text]


def fields(part) -> list[str]:
    return [field.get(qn("w:instr")) for field in part._element.iter(qn("w:fldSimple"))]


def test_headers_footers_and_page_numbers_are_not_in_the_text():
    document = made(pdf_corpus.report())
    section = document.sections[0]
    assert section.header.paragraphs[0].text.split("\t") == ["THE HARBOUR REPORT", "", "PUBLIC DOCUMENT"]
    assert "PAGE" in section.footer.paragraphs[0].text
    assert fields(section.footer) == ["PAGE", "NUMPAGES"]
    assert not any("REPORT" in text or "PAGE" in text for text in texts(document))


def test_a_header_that_counts_chapters_stays_in_the_text():
    def draw(page):
        for number in (3, 1, 2):
            page.drawString(72, 800, f"Chapter {number}")
            page.drawString(72, 600, PROSE[:80])
            page.showPage()
        page.drawString(72, 600, "The end of the book")

    document = made(canvas(draw))
    assert [text for text in texts(document) if text.startswith("CHAPTER")] == ["CHAPTER 3", "CHAPTER 1", "CHAPTER 2"]
    assert not document.sections[0].header.paragraphs[0].text


def test_facing_pages_and_a_first_number_that_is_not_one():
    def draw(page):
        for number in range(7, 13):
            page.drawString(72, 600, PROSE[:80])
            (page.drawRightString if number % 2 else page.drawString)(520 if number % 2 else 72, 40, str(number))
            if number < 12:
                page.showPage()

    document = made(canvas(draw))
    section = document.sections[0]
    assert document.settings.odd_and_even_pages_header_footer
    assert section.footer.paragraphs[0].text.startswith("\t\t")
    assert not section.even_page_footer.paragraphs[0].text.startswith("\t")
    assert fields(section.footer) == fields(section.even_page_footer) == ["PAGE"]
    assert section._sectPr.find(qn("w:pgNumType")).get(qn("w:start")) == "7"
    assert not any(text.isdigit() for text in texts(document))


def test_a_logo_on_every_page_is_in_the_header_once():
    document = made(pdf_corpus.handbook())
    assert len(document.inline_shapes) == 0
    assert len(document.sections[0].header._element.findall(f".//{qn('w:drawing')}")) == 1
    assert [text for text in texts(document) if not text.startswith("THE HARBOUR")] == [
        "THE KITCHEN",
        "THE GARDEN",
        "THE CELLAR",
        "THE ROOF",
    ]
    breaks = [paragraph.text for paragraph in document.paragraphs if paragraph.paragraph_format.page_break_before]
    assert breaks == ["THE GARDEN", "THE CELLAR", "THE ROOF"], "pages that were not full end where they ended"


def test_pictures_are_kept_where_they_were_with_their_size():
    document = made(pdf_corpus.pictures())
    assert [(round(each.width.pt), round(each.height.pt)) for each in document.inline_shapes] == [
        (240, 150),
        (150, 94),
        (80, 80),
    ]
    order = ["picture" if each._p.findall(f".//{qn('w:drawing')}") else each.text for each in document.paragraphs]
    at = order.index("THE TOWN IN THE SUMMER")
    assert order[at - 1] == "picture"
    assert order[at + 2] == "picture"
    assert order.count("picture") == 2, "those that were side by side still are"
    kinds = []
    for each in document.part.package.iter_parts():
        if each.content_type.startswith("image/"):
            kinds.append(each.content_type)
            Image.open(io.BytesIO(each.blob)).verify()
    assert sorted(kinds) == ["image/jpeg", "image/jpeg", "image/png"]


def fill(cell) -> str | None:
    shading = cell._tc.tcPr.find(qn("w:shd"))
    return None if shading is None else shading.get(qn("w:fill"))


def shown(document) -> list[Image.Image]:
    """The pictures in the body, in their order."""
    numbers = [blip.get(qn("r:embed")) for blip in document.element.body.iter(qn("a:blip"))]
    return [Image.open(io.BytesIO(document.part.related_parts[number].blob)).convert("RGB") for number in numbers]


def test_a_chart_is_a_picture_in_its_place_and_its_labels_are_not_paragraphs():
    document = made(pdf_corpus.chart())
    assert texts(document) == [
        "THE MARKET",
        PROSE.strip().upper(),
        "FIGURE 1: THE MARKET IN THE SUMMER",
        pdf_corpus.MORE.strip().upper(),
    ]
    order = ["picture" if each._p.findall(f".//{qn('w:drawing')}") else each.text for each in document.paragraphs]
    assert order.index("picture") == order.index("FIGURE 1: THE MARKET IN THE SUMMER") - 1
    (shape,) = document.inline_shapes
    assert 390 < shape.width.pt < 440
    (picture,) = shown(document)
    assert picture.width / shape.width.inches == pytest.approx(200, abs=2)
    colours = {colour for _, colour in picture.getcolors(1 << 24)}
    assert (31, 119, 180) in colours, "the bars are there"


def test_the_labels_of_a_drawing_are_translated_in_it():
    def blank(texts, *, tagged=False):
        return ["" if "price" in text else text for text in texts]

    (same,), (without,) = (shown(made(pdf_corpus.chart(), words)) for words in (echo, blank))
    changed = ImageChops.difference(same, without.crop((0, 0, *same.size))).getbbox()
    assert changed is not None
    assert changed[3] < 0.15 * same.height, "only the title is another one"


def test_boxes_with_lines_between_them_are_a_drawing_and_a_note_in_a_box_is_text():
    document = made(pdf_corpus.diagram())
    assert texts(document) == ["THE WAY OF A LETTER", "THE LETTERS ARE BROUGHT EVERY DAY."]
    assert [(round(each.width.pt), round(each.height.pt)) for each in document.inline_shapes] == [(402, 42), (402, 42)]
    (note,) = document.tables
    assert [cell.text for row in note.rows for cell in row.cells] == ["CALL US TODAY!"]
    assert fill(note.cell(0, 0)) == "E6F2FF"


def test_two_bars_at_an_axis_are_a_chart_and_coloured_fields_of_a_form_are_not():
    def bars(page):
        page.setFont("Helvetica", 18)
        page.line(100, 500, 400, 500)
        for x, height, name in ((150, 60, "North"), (280, 90, "South")):
            page.setFillColorRGB(0.2, 0.4, 0.8)
            page.rect(x, 500, 60, height, fill=1)
            page.setFillColorRGB(0, 0, 0)
            page.drawCentredString(x + 30, 480, name)
        page.setFont("Helvetica", 30)
        page.drawString(100, 700, "The wind")

    def form(page):
        for y, name, wide in ((600, "Name", 200), (560, "Street", 300), (520, "Town", 150)):
            page.drawString(72, y + 4, name)
            page.setFillColorRGB(0.9, 0.9, 0.9)
            page.rect(150, y, wide, 18, fill=1)
            page.setFillColorRGB(0, 0, 0)

    chart = made(canvas(bars))
    assert texts(chart) == ["THE WIND"]
    assert len(chart.inline_shapes) == 1
    fields = made(canvas(form))
    assert texts(fields) == ["NAME", "STREET", "TOWN"]
    assert not fields.inline_shapes


def test_tables_lists_and_frames_are_no_drawings():
    for make in (pdf_corpus.tables, pdf_corpus.narrow, pdf_corpus.lists, pdf_corpus.hebrew, pdf_corpus.links):
        assert not made(make()).inline_shapes, make.__name__


def test_a_drawn_logo_on_every_page_is_in_the_header_once():
    def draw(page):
        for number in range(4):
            for ring in range(3):
                page.circle(100, 790, 10 + 5 * ring)
            page.drawString(72, 600, f"{PROSE[:70]} {'abcd'[number]}")
            page.showPage()
        page.drawString(72, 600, "The end")

    document = made(canvas(draw))
    assert not document.inline_shapes
    assert len(document.sections[0].header._element.findall(f".//{qn('w:drawing')}")) == 1


def test_a_drawing_on_a_turned_page_is_upright_and_one_beyond_its_edge_is_left_out():
    def draw(page):
        page.setPageRotation(90)
        page.translate(A4[0], 0)
        page.rotate(90)
        page.drawString(60, 500, "The turned page")
        for ring in range(4):
            page.circle(200, 300, 20 + ring)
            page.circle(4000, 4000, 20 + ring)
        page.setFillColorRGB(1, 0, 0)
        page.rect(180, 276, 100, 50, fill=1)

    document = made(canvas(draw))
    assert texts(document) == ["THE TURNED PAGE"]
    (shape,) = document.inline_shapes
    assert shape.width.pt > 1.8 * shape.height.pt
    (picture,) = shown(document)
    assert picture.width > 1.8 * picture.height
    assert picture.getpixel((picture.width - 30, picture.height // 2)) == (255, 0, 0), "the box is at the right"


def test_a_page_of_very_many_shapes_is_done_in_time():
    corners = ((x, y) for x in range(9, 590, 8) for y in range(9, 600, 8))
    dots = b"".join(b"%d %d m %d %d l %d %d l f\n" % (x, y, x + 4, y, x, y + 4) for x, y in corners)
    assert texts(made(page(stream(WORDS + dots)))) == ["WORDS OF THE PAGE"]


def test_tables_keep_their_rows_columns_and_wide_cells():
    document = made(pdf_corpus.tables())
    ruled, wide, loose = ([[cell.text for cell in row.cells] for row in table.rows] for table in document.tables)
    assert ruled == [
        ["PRODUCT", "COLOUR", "PRICE"],
        ["GARDEN CHAIR", "GREEN", "42.00"],
        ["WATERING CAN", "BLUE", "7.50"],
    ]
    assert wide == [["THE GARDEN AND THE HOUSE"] * 2 + ["PRICE"], ["GARDEN CHAIR", "GREEN", "42.00"]]
    assert loose == [
        ["MONDAY", "OPENING HOURS", "NINE TO FIVE"],
        ["TUESDAY", "CLOSED", "THE WHOLE DAY"],
        ["SUNDAY", "", "TEN"],
    ]
    assert [table.style.name for table in document.tables] == ["Table Grid", "Table Grid", "Normal Table"]


def test_tables_without_lines_are_told_apart_and_numbers_stay_at_the_right():
    def draw(page):
        for number, row in enumerate([("Date:", "12 May"), ("Number:", "4711")]):
            page.drawString(72, 780 - 14 * number, row[0])
            page.drawString(172, 780 - 14 * number, row[1])
        for number, (name, price) in enumerate(
            [("Garden chair", "1,142.00"), ("Watering can", "7.50"), ("Hat", "19.00")]
        ):
            page.drawString(72, 680 - 20 * number, name)
            page.drawRightString(500, 680 - 20 * number, price)

    first, second = made(canvas(draw)).tables
    assert [[cell.text for cell in row.cells] for row in first.rows] == [["DATE:", "12 MAY"], ["NUMBER:", "4711"]]
    assert [row.cells[1].text for row in second.rows] == ["1,142.00", "7.50", "19.00"]
    assert {row.cells[1].paragraphs[0].alignment for row in second.rows} == {WD_ALIGN_PARAGRAPH.RIGHT}
    assert second.columns[1].width.pt > 100, "the space between columns belongs to both"


def test_a_word_in_a_narrow_cell_is_not_broken():
    document = made(pdf_corpus.narrow())
    (table,) = document.tables
    margins = table._tbl.tblPr.find(qn("w:tblCellMar"))
    padding = sum(int(margins.find(qn(name)).get(qn("w:w"))) / 20 for name in ("w:left", "w:right"))
    assert padding < 8, "smaller than what Word gives if nothing is said"
    for row in table.rows:
        for cell, column in zip(row.cells, table.columns, strict=True):
            longest = max(stringWidth(word, "Helvetica", 9) for word in cell.text.split())
            assert longest < column.width.pt - padding, cell.text
    assert sum(column.width.pt for column in table.columns) < A4[0] - 112


def test_a_table_as_wide_as_the_page_takes_the_room_for_a_long_word_from_other_columns():
    def longer(texts, *, tagged=False):
        return [text.replace("Tasks", "Responsibilities") for text in texts]

    rows = [["Tasks", "A few words"], ["Chair", "Some more"]]
    document = made(pdf_corpus.book(pdf_corpus.Table(rows, style=pdf_corpus.GRID, colWidths=[40, 440])), longer)
    (table,) = document.tables
    first, second = (column.width.pt for column in table.columns)
    section = document.sections[0]
    room = section.page_width.pt - section.left_margin.pt - section.right_margin.pt
    assert first > stringWidth("Responsibilities", "Helvetica", 10)
    assert first + second <= room + 0.5


def test_tables_keep_their_distance_and_their_place():
    document = made(pdf_corpus.tables())
    body = list(document.element.body)
    for table in document.tables:
        (above,) = [each for each in document.paragraphs if each._p is body[body.index(table._tbl) - 1]]
        assert above.paragraph_format.space_after.pt > 3, above.text
    ruled, _, loose = document.tables
    assert [row.height.pt for row in ruled.rows] == pytest.approx([18, 18, 18], abs=0.5)
    indent = int(loose._tbl.tblPr.find(qn("w:tblInd")).get(qn("w:w"))) / 20
    assert indent == pytest.approx(62, abs=3)
    assert [column.width.pt for column in loose.columns][:2] == pytest.approx([110, 140], abs=1)


def test_words_on_a_coloured_box_keep_both_colours_and_white_words_are_never_on_white():
    def draw(page):
        page.setFillColorRGB(0.2, 0.3, 0.6)
        page.rect(60, 450, 200, 60, fill=1)
        page.setFillColorRGB(1, 1, 1)
        page.drawString(70, 480, "White words on blue")
        page.drawString(70, 400, "White words on nothing")
        page.setFillColorRGB(0.8, 0, 0)
        page.drawString(70, 300, "Red words")

    document = made(canvas(draw))
    (box,) = document.tables
    assert fill(box.cell(0, 0)) == "334D99"
    (run,) = box.cell(0, 0).paragraphs[0].runs
    assert (run.text, str(run.font.color.rgb)) == ("WHITE WORDS ON BLUE", "FFFFFF")
    assert box.columns[0].width.pt == pytest.approx(200, abs=2)
    colours = {each.text: each.runs[0].font.color.rgb for each in document.paragraphs if each.text}
    assert colours == {"WHITE WORDS ON NOTHING": None, "RED WORDS": RGBColor(204, 0, 0)}


def test_the_first_row_of_a_table_keeps_its_colour():
    style = [
        *pdf_corpus.GRID,
        ("BACKGROUND", (0, 0), (-1, 0), HexColor("#203040")),
        ("TEXTCOLOR", (0, 0), (-1, 0), "white"),
    ]
    (table,) = made(pdf_corpus.book(pdf_corpus.Table([["Name", "Price"], ["Chair", "42"]], style=style))).tables
    assert [[fill(cell) for cell in row.cells] for row in table.rows] == [["203040", "203040"], [None, None]]
    assert table.cell(0, 1).paragraphs[0].runs[0].font.color.rgb == RGBColor(255, 255, 255)


def test_lists_are_lists():
    document = made(pdf_corpus.lists())
    assert [(each.style.name, each.text) for each in document.paragraphs if each.style.name.startswith("List")][
        :-1
    ] == [
        ("List Bullet", "FISH AND SALT"),
        ("List Bullet", "BREAD"),
        ("List Bullet 2", "WHITE BREAD"),
        ("List Bullet 2", "DARK BREAD"),
        ("List Bullet", PROSE.strip().upper()),
        ("List Number", "OPEN THE DOOR."),
        ("List Number", "CLOSE THE WINDOW."),
    ]
    numbers = {each._p.pPr.numPr.numId.val for each in document.paragraphs if each.style.name == "List Number"}
    assert len(numbers) == 1, "they count on"


def test_columns_are_read_one_after_the_other_however_they_were_drawn():
    title, first, second, last = texts(made(pdf_corpus.columns()))
    assert title == "THE NEWS OF THE WEEK"
    assert first.startswith("FIRST COLUMN")
    assert first.endswith("THE OLD TREES.")
    assert second.startswith("SECOND COLUMN")
    assert last.startswith("THE WORDS BELOW")


def test_a_sentence_goes_on_over_pages_and_a_broken_word_is_whole():
    def draw(page):
        lines = [
            "The harbour was built three hundred years ago and has never been",
            "closed, and ships from many coun-",
        ]
        for number, line in enumerate(lines):
            page.drawString(72, 100 - 14 * number, line)
        page.showPage()
        page.drawString(72, 760, "tries come here every week.")

    assert texts(made(canvas(draw))) == [
        "THE HARBOUR WAS BUILT THREE HUNDRED YEARS AGO AND HAS NEVER BEEN CLOSED, AND SHIPS FROM MANY COUNTRIES COME "
        "HERE EVERY WEEK."
    ]


def test_raised_and_lowered_letters_stay_with_theirs():
    document = made(pdf_corpus.scripts())
    marks = [
        (run.text, "up" if run.font.superscript else "down")
        for paragraph in document.paragraphs
        for run in paragraph.runs
        if run.font.superscript or run.font.subscript
    ]
    assert marks == [("2", "down"), ("2", "up"), ("1", "up"), ("2", "up"), ("2", "down"), ("1", "up")]
    given = texts(document)
    assert given[1] == "THE WATER IS H2O AND THE HOUSE HAS 50 M2."
    assert given[2].startswith("THE OLD CASTLE1 WAS BUILT BY THE KING.2 ")


def test_links_lead_where_they_led_unless_they_could_do_harm():
    def draw(page):
        for y, address in ((700, "https://example.org/a"), (600, "file:///etc/passwd")):
            page.drawString(72, y, "A page to read")
            page.linkURL(address, (72, y - 3, 160, y + 10))

    document = made(canvas(draw))
    assert [link.address for paragraph in document.paragraphs for link in paragraph.hyperlinks] == [
        "https://example.org/a"
    ]


def test_dots_before_page_numbers_are_a_tab_stop():
    def draw(page):
        page.drawString(72, 700, "2")
        page.drawString(90, 700, "The town")
        page.drawString(150, 700, "." * 80)
        page.drawString(520, 700, "7")

        page.drawString(90, 680, "2.1")
        page.drawString(115, 680, "The harbour")
        page.drawString(190, 680, ". " * 50)
        page.drawString(520, 680, "9")

    town, harbour = made(canvas(draw)).paragraphs
    assert [town.text, harbour.text] == ["2 THE TOWN\t7", "2.1 THE HARBOUR\t9"]
    assert harbour.paragraph_format.left_indent.pt - town.paragraph_format.left_indent.pt == pytest.approx(18, abs=1)
    document = made(pdf_corpus.links())
    assert [text for text in texts(document) if "\t" in text] == [
        "THE INTRODUCTION\t1",
        "THE LONG HISTORY OF THE TOWN\t12",
    ]


def test_a_turned_page_is_read_as_it_is_looked_at():
    assert texts(made(pdf_corpus.rotated())) == [
        "THE TURNED PAGE",
        "THE HOUSE IS LARGE AND THE GARDEN IS SMALL.",
        "THE DOG SLEEPS.",
    ]


def test_a_picture_on_a_turned_page_is_upright():
    half = Image.new("RGB", (40, 20), (0, 0, 250))
    half.paste((250, 0, 0), (0, 0, 40, 10))

    def draw(page):
        page.setPageRotation(90)
        page.translate(A4[0], 0)
        page.rotate(90)
        page.drawString(60, 500, "The turned page")
        page.drawImage(ImageReader(half), 60, 300, 160, 80)

    document = made(canvas(draw))
    (shape,) = document.inline_shapes
    assert (round(shape.width.pt), round(shape.height.pt)) == (160, 80)
    (picture,) = [each for each in document.part.package.iter_parts() if each.content_type.startswith("image/")]
    seen = Image.open(io.BytesIO(picture.blob)).convert("RGB")
    assert seen.width == 2 * seen.height
    assert seen.getpixel((seen.width // 2, 1))[0] > 200, "the red half is at the top"
    assert seen.getpixel((seen.width // 2, seen.height - 2))[2] > 200


def test_a_picture_that_unfolds_is_left_out():
    entries = b"/Type/XObject/Subtype/Image/Width 50000/Height 50000/ColorSpace/DeviceGray/BitsPerComponent 8"
    data = page(stream(WORDS + b"q 100 0 0 100 72 300 cm /X Do Q"), stream(bytes(1_000_000), entries=entries))
    document = made(data)
    assert texts(document) == ["WORDS OF THE PAGE"]
    assert len(document.inline_shapes) == 0


def test_a_text_from_right_to_left_is_read_so():
    document = made(pdf_corpus.hebrew())
    assert texts(document)[0] == "דוח הנמל"
    assert document.paragraphs[0]._p.pPr.find(qn("w:bidi")) is not None
    (table,) = document.tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == [["שם", "מחיר"], ["כיסא", "42"]]


def test_the_page_is_as_large_as_it_was():
    section = made(pdf_corpus.tables()).sections[0]
    assert (section.page_width.pt, section.page_height.pt) == pytest.approx(A4, abs=0.5)
    assert section.left_margin.pt == pytest.approx(56, abs=2)


def test_texts_are_data_and_nothing_of_the_library_is_left():
    hostile = "{body} <w:p/> &amp; \x01 %s"
    data = rendered("pdf", canvas(lambda page: page.drawString(72, 700, hostile)), upper, output_format="docx")
    document = docx.Document(io.BytesIO(data))
    assert "{BODY} <W:P/> &AMP;" in texts(document)[0]
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        assert not any("thumbnail" in name for name in package.namelist())
        assert b"python-docx" not in b"".join(package.read(name) for name in package.namelist())
