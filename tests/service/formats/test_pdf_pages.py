"""A page set anew: what is translated as one text, where it goes, how it looks, and that nothing else changes."""

from __future__ import annotations

import io
import re
from collections import Counter
from functools import cache
from itertools import pairwise

import pypdfium2
import pytest
from pypdf import PdfReader
from reportlab.lib import colors
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.platypus import ListFlowable, PageBreak, Paragraph, Spacer, Table

from svc_nb.service.formats.pages.glyphs import Glyph, read
from svc_nb.service.formats.pages.grids import Grid, grids
from svc_nb.service.formats.pages.lines import Rules
from svc_nb.service.formats.pages.work import Refused, translated

from . import pdf_corpus
from .paper import (
    PROSE,
    canvas,
    changed,
    document,
    glyphs,
    look,
    outside,
    overlapping,
    paragraphs,
    spots,
    texts,
)

STYLES = getSampleStyleSheet()
BODY = STYLES["BodyText"]
JUSTIFIED = ParagraphStyle(
    "justified", parent=BODY, alignment=4, fontName="Times-Roman", firstLineIndent=12, spaceBefore=0
)


@cache
def manual() -> bytes:
    grid = Table(
        [["Product", "Price"], ["Garden chair", "42.00"], ["Watering can", "7.50"]],
        style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)],
    )
    loose = Table([["Monday", "Opening hours", "nine to five"], ["Tuesday", "Opening hours", "nine to six"]])
    points = [Paragraph(text, BODY) for text in ("Fish and salt", PROSE)]
    return document(
        Paragraph("The garden manual", STYLES["Title"]),
        Paragraph("1. Introduction", STYLES["Heading1"]),
        Paragraph(PROSE * 3, BODY),
        Paragraph(f"{PROSE}It is <b>very important</b> and <font color='red'>red</font> too. {PROSE}", JUSTIFIED),
        ListFlowable(points, bulletType="bullet"),
        grid,
        Spacer(1, 12),
        loose,
        PageBreak(),
        Paragraph(PROSE * 20, BODY),
        title="Garden manual",
    )


@cache
def columns() -> bytes:
    story = [Paragraph(f"Paragraph {number} begins. {PROSE * 3}", JUSTIFIED) for number in range(13)]
    return document(Paragraph("Two columns", STYLES["Heading1"]), *story, columns=2)


@pytest.mark.long
@pytest.mark.parametrize(("make", "factor"), [(manual, 0.3), (manual, 1.4), (manual, 3), (columns, 1.4)])
def test_words_neither_overlap_nor_leave_the_page_however_long_they_become(make, factor):
    def longer(text: str) -> str:
        words = text.split(" ")
        return " ".join((words * 3)[: max(1, round(len(words) * factor))])

    data = make()
    done = changed(data, longer)
    for page in range(len(pypdfium2.PdfDocument(data))):
        assert overlapping(done, page) == []
        assert outside(done, page) == []


def cell_of(grid: Grid, letter: Glyph) -> tuple[int, int] | None:
    return grid.cell((letter.u0 + letter.u1) / 2, letter.v + 0.3 * letter.look.size)


@pytest.mark.parametrize("times", [1, 2, 4])
def test_words_stay_in_their_cells_however_narrow(times):
    data = pdf_corpus.narrow()
    before = [letter for letter in glyphs(data) if letter.char.strip()]
    rules = Rules.at(0.0, read(pypdfium2.PdfDocument(data)[0]).rules)
    (grid,) = grids(rules, [((letter.u0 + letter.u1) / 2, letter.v + 1) for letter in before])
    done = changed(data, lambda text: " ".join([text] * times))
    after = [letter for letter in glyphs(done) if letter.char.strip()]
    assert Counter(cell_of(grid, letter) for letter in after if letter.char.isalpha()) == Counter(
        cell_of(grid, letter) for letter in before * times if letter.char.isalpha()
    )
    for letter in after:
        if (cell := cell_of(grid, letter)) is not None:
            assert grid.us[cell[1]] <= letter.u0 < letter.u1 <= grid.us[cell[1] + 1]
            assert grid.vs[cell[0] + 1] < letter.v < letter.v + 0.7 * letter.look.size < grid.vs[cell[0]]
    assert overlapping(done) == []


def test_the_lines_of_a_cell_are_one_text():
    style = ParagraphStyle("cell", fontSize=8, leading=9)
    rows = [
        ["Description of the product", "Unit price", "State of the order"],
        ["Blue bottle with a white label for the kitchen", "12.50", "The order is open and the customer is waiting"],
        ["Glass", "3.00", "Closed"],
    ]
    cells = [[Paragraph(cell, style) for cell in row] for row in rows]
    book = pdf_corpus.book(Table(cells, style=pdf_corpus.GRID, colWidths=[70, 43, 63]))
    assert paragraphs(book)[:7] == [cell for row in rows for cell in row if not cell[0].isdigit()]


def test_texts_that_are_too_small_to_read_are_counted():
    def small(times: int) -> int:
        def longer(texts):
            return [[(" ".join([text] * times), look) for text, look in runs] for runs in texts]

        return translated(pdf_corpus.narrow(), longer, target_lang="DE", watermark=False)[1]

    assert small(1) == 0
    assert small(8) > 20


def test_raised_letters_stay_with_theirs():
    done = changed(pdf_corpus.scripts(), lambda text: text)
    for word in ("H2O", "m2.", "castle1", "CO2"):
        letters = glyphs(done)
        at = "".join(letter.char for letter in letters).index(word)
        group = letters[at : at + len(word)]
        for one, other in pairwise(group):
            assert -1 < other.u0 - one.u1 < 1
        digit = next(letter for letter in group if letter.char.isdigit())
        assert digit.v != pytest.approx(group[0].v, abs=1)
        assert digit.look.size < group[0].look.size


def test_no_word_is_cut():
    data = manual()
    done = "".join(texts(changed(data, lambda text: f"{text} Donaudampfschifffahrt")))
    assert done.count("Donaudampfschifffahrt") >= 2 * len([text for text in paragraphs(data)[:-1] if text])


def test_the_old_words_are_gone_and_not_only_covered():
    done = changed(manual(), lambda text: re.sub(r"[^\W\d_]", "x", text))
    assert not re.search(r"[A-Wa-wYyZz]", "".join(texts(done)).replace("X", ""))
    assert b"harbour" not in b"".join(page.get_contents().get_data() for page in PdfReader(io.BytesIO(done)).pages)


def test_a_paragraph_is_handed_out_whole():
    given = paragraphs(manual())
    assert (PROSE * 3).strip() in given
    assert f"{PROSE}It is very important and red too. {PROSE}".strip() in given
    assert PROSE.strip() in given


def test_columns_are_not_mixed():
    given = paragraphs(columns())
    whole = [text for text in given if text.startswith("Paragraph ") and text.endswith("they bring.")]
    assert len(whole) >= 11
    assert all(text.count("Paragraph") == 1 for text in given if "Paragraph" in text)


def test_cells_of_a_table_are_texts_of_their_own():
    given = paragraphs(manual())
    assert {
        "Product",
        "Garden chair",
        "Watering can",
        "Monday",
        "Tuesday",
        "Opening hours",
        "nine to six",
    } <= set(given)


def test_bullets_and_numbers_stay_as_they_were_drawn():
    done = PdfReader(io.BytesIO(changed(manual()))).pages[0].get_contents().get_data()
    assert b"(42.00) Tj" in done
    assert b"(7.50) Tj" in done
    assert done.count(b"(\\177) Tj") == 2


def test_a_hyphen_at_the_end_of_a_line_goes_with_the_line():
    def draw(page):
        page.drawString(72, 700, "This long line of the paragraph ends with a word that is bro-")
        page.drawString(72, 686, "ken in two.")

    assert paragraphs(canvas(draw))[0] == "This long line of the paragraph ends with a word that is broken in two."


def test_looks_are_kept():
    def draw(page):
        page.setFont("Times-BoldItalic", 21)
        page.setFillColorRGB(1, 0, 0)
        page.drawString(72, 700, "first")
        page.setFillColorRGB(0, 0, 1)
        page.setFont("Courier", 9)
        page.drawString(72, 600, "second")

    done = changed(canvas(draw))
    first, second = look(done, "FIRST"), look(done, "SECOND")
    assert (first.family, first.bold, first.italic, first.size, first.colour) == (
        "serif",
        True,
        True,
        21,
        (255, 0, 0, 255),
    )
    assert (second.family, second.bold, second.size, second.colour) == ("mono", False, 9, (0, 0, 255, 255))


def test_letters_stand_where_they_stood():
    data = manual()
    done = changed(data, str)
    before = {line.text: box for line, box in spots(data)}
    after = {line.text: box for line, box in spots(done)}
    for text in ("The garden manual", "Introduction", "Fish and salt", "Garden chair", "Monday"):
        assert after[text] == pytest.approx(before[text], abs=1)


@pytest.mark.parametrize("angle", [90, 180, 270, 30])
def test_turned_words_stay_turned(angle):
    def draw(page):
        page.translate(400, 400)
        page.rotate(angle)
        page.drawString(0, 0, "Words of a stamp")

    done = changed(canvas(draw), lambda text: f"{text} that is far longer than it was before, and longer")
    before, after = (min(glyphs(each), key=lambda glyph: glyph.u0) for each in (canvas(draw), done))
    assert (after.char, after.u0) == ("W", pytest.approx(before.u0, abs=0.5))
    assert abs(after.v - before.v) < 12
    assert outside(done) == []


@pytest.mark.parametrize("rotation", [0, 90])
def test_a_page_may_be_turned_and_begin_anywhere(rotation):
    def draw(page):
        page.setPageRotation(rotation)
        page.drawString(-80, 120, "Words")

    data = canvas(draw, cropBox=(-100, 50, 400, 500))
    (after,) = [glyph for glyph in glyphs(changed(data)) if glyph.char == "W"]
    assert (after.u0, after.v) == pytest.approx((-80, 120), abs=0.5)


def test_drawings_and_pictures_stay():
    from PIL import Image

    def draw(page):
        page.drawImage(ImageReader(Image.new("RGB", (20, 20), (10, 200, 30))), 100, 400, 200, 100)
        page.setFillColorRGB(1, 1, 1)
        page.drawString(110, 450, "Words over a picture")
        page.setFillColorRGB(0.9, 0.1, 0.1)
        page.rect(100, 200, 50, 50, stroke=0, fill=1)

    before = pypdfium2.PdfDocument(canvas(draw))[0].render().to_pil()
    after = pypdfium2.PdfDocument(changed(canvas(draw)))[0].render().to_pil()
    for place in ((290, 350), (125, 842 - 225)):
        assert before.getpixel(place) == after.getpixel(place) != (255, 255, 255)


def test_words_over_a_picture_stay_on_it():
    from PIL import Image

    def draw(page):
        page.drawImage(ImageReader(Image.new("RGB", (20, 20), (10, 20, 30))), 100, 400, 200, 100)
        page.setFillColorRGB(1, 1, 1)
        page.drawString(110, 450, "Words over a picture")

    done = changed(canvas(draw), lambda text: f"{text} and many more of them")
    assert all(box[2] <= 300 for _, box in spots(done))


def test_a_form_that_is_drawn_twice_is_translated_twice():
    def draw(page):
        page.beginForm("head")
        page.drawString(0, 0, "Words inside")
        page.drawString(200, 0, "12345")
        page.endForm()
        for height in (700, 600):
            page.saveState()
            page.translate(72, height)
            page.doForm("head")
            page.restoreState()

    done = changed(canvas(draw))
    places = [(round(line.u0), round(line.v)) for line, _ in spots(done) if line.text == "WORDS INSIDE"]
    assert places == [(72, 700), (72, 600)]
    assert texts(done)[0].count("12345") == 4  # two of them, read by two libraries
    assert "inside" not in texts(done)[0]


def test_what_is_placed_by_the_end_of_a_removed_word_does_not_move():
    def draw(page):
        text = page.beginText(72, 700)
        for part in ("Total ", "42.00", "    |    ", "17"):
            text.textOut(part)
        page.drawText(text)

    before = next(glyph for glyph in glyphs(canvas(draw)) if glyph.char == "7")
    after = next(glyph for glyph in glyphs(changed(canvas(draw), str)) if glyph.char == "7")
    assert after.u0 == pytest.approx(before.u0, abs=1.5)


def test_an_underline_moves_with_its_words():
    def draw(page):
        page.drawString(72, 700, "Underlined words")
        page.line(72, 698, 72 + page.stringWidth("Underlined words"), 698)
        page.line(72, 500, 300, 500)

    done = changed(canvas(draw), lambda text: "Un")
    assert look(done, "Un").underline is False  # it is drawn as a line, found again by its place
    picture = pypdfium2.PdfDocument(done)[0].render(scale=4).to_pil().convert("L")
    row = [
        min(picture.getpixel((x, y)) for y in range((842 - 699) * 4, (842 - 697) * 4)) for x in range(4 * 72, 4 * 170)
    ]
    assert min(row[:20]) < 100
    assert min(row[80:]) == 255
    assert picture.getpixel((4 * 200, 4 * 342)) < 100


def test_dots_before_a_page_number_give_way():
    def draw(page):
        page.drawString(72, 700, "Introduction" + "." * 60 + "12")

    done = changed(canvas(draw), lambda text: "A far longer introduction")
    (line,) = [line for line, _ in spots(done) if "introduction" in line.text or line.text.startswith("A far")]
    assert line.size == pytest.approx(12)
    assert overlapping(done) == []


def test_words_that_were_only_recognised_in_a_scan_are_covered():
    from PIL import Image

    def draw(page):
        page.drawImage(ImageReader(Image.new("RGB", (20, 20), (0, 0, 0))), 0, 0, 595, 842)
        text = page.beginText(72, 700)
        text.setTextRenderMode(3)
        text.textOut("Scanned words")
        page.drawText(text)

    done = changed(canvas(draw))
    picture = pypdfium2.PdfDocument(done)[0].render(scale=2).to_pil().convert("L")
    assert "SCANNED WORDS" in texts(done)[0]
    assert picture.getpixel((2 * 71, 2 * (842 - 705))) == 255
    assert picture.getpixel((20, 20)) == 0


def test_words_drawn_twice_to_look_bold_are_one_text():
    def draw(page):
        page.drawString(72, 700, "Heavy words")
        page.drawString(72.3, 700, "Heavy words")

    assert paragraphs(canvas(draw))[:1] == ["Heavy words"]
    assert "Heavy" not in texts(changed(canvas(draw)))[0]


def test_titles_and_bookmarks_are_translated():
    def draw(page):
        page.setTitle("The book")
        page.drawString(72, 700, "Words")
        page.bookmarkPage("here")
        page.addOutlineEntry("The chapter", "here")

    done = PdfReader(io.BytesIO(changed(canvas(draw))))
    assert done.metadata.title == "THE BOOK"
    assert [entry.title for entry in done.outline] == ["THE CHAPTER"]


@pytest.mark.parametrize(
    ("lang", "word"),
    [
        ("RU", "Привет"),
        ("EL", "Καλημέρα"),
        ("PL", "Zażółć"),
        ("VI", "Việt"),
        ("TR", "ığüş"),
        ("JA", "日本語"),
        ("KO", "한국어"),
    ],
)
def test_letters_of_many_scripts_are_written(lang, word):
    done = changed(canvas(lambda page: page.drawString(72, 700, "Words")), lambda text: word, lang=lang)
    assert word in texts(done)[0]


def test_text_from_right_to_left_is_written_so():
    done = changed(canvas(lambda page: page.drawString(72, 700, "Words")), lambda text: "שלום עולם 12", lang="HE")
    letters = [glyph for glyph in glyphs(done) if glyph.char.strip()]
    by_place = "".join(glyph.char for glyph in sorted(letters, key=lambda glyph: glyph.u0))
    assert by_place == "12םלועםולש"
    assert max(glyph.u1 for glyph in letters) > 500


def test_a_script_without_a_font_is_refused_not_drawn_as_boxes():
    with pytest.raises(Refused, match="font"):
        changed(canvas(lambda page: page.drawString(72, 700, "Words")), lambda text: "नमस्ते", lang="HI")


def test_a_watermark_is_on_every_page():
    done = changed(manual(), watermark=True)
    assert all("Machine translation" in page for page in texts(done))
    assert not any("Machine translation" in page for page in texts(changed(manual())))


def links(data: bytes) -> list[tuple[float, ...]]:
    page = PdfReader(io.BytesIO(data)).pages[0]
    return [tuple(float(edge) for edge in note.get_object()["/Rect"]) for note in page.get("/Annots", [])]


def test_a_link_moves_with_its_words():
    text = f"Before. See <a href='https://example.org/a'>this page here</a> for more. {PROSE}"
    data = document(Paragraph(text, BODY))
    assert paragraphs(data)[0].startswith("Before. See this page here for more.")
    done = changed(data, lambda text: text.replace("Before.", "Far more words than there were before it."))
    (box,) = links(done)
    letters = [glyph for glyph in glyphs(done) if glyph.look.link == 0]
    assert "".join(glyph.char for glyph in letters).strip() == "this page here"
    assert box[0] == pytest.approx(letters[0].u0, abs=1)


def test_a_link_that_is_broken_into_two_lines_leads_on_in_both():
    text = f"{PROSE[:60]} <a href='https://example.org/a'>{PROSE}</a> {PROSE}"
    before = document(Paragraph(text, BODY))
    done = changed(before, lambda text: f"Longer. {text}")
    inside = "".join(glyph.char for glyph in glyphs(done) if glyph.look.link == 0)
    assert " ".join(inside.split()).endswith("what they bring.")
    assert len(links(done)) >= 2


def test_the_lines_of_an_address_are_texts_of_their_own():
    def letter(page):
        for number, line in enumerate(["Ann Smith", "12 Harbour Street", "London"]):
            page.drawString(60, 780 - 14 * number, line)
        for number, line in enumerate(["The harbour was built three hundred years ago and has never been", "closed."]):
            page.drawString(60, 700 - 14 * number, line)
        for number, line in enumerate(["Yours sincerely,", "John"]):
            page.drawString(60, 650 - 14 * number, line)

    given = paragraphs(canvas(letter))
    assert given[:3] == ["Ann Smith", "12 Harbour Street", "London"]
    assert given[3].endswith("never been closed.")
    assert given[4:6] == ["Yours sincerely,", "John"]


def test_short_lines_at_the_right_edge_are_texts_of_their_own():
    def letter(page):
        page.drawString(60, 700, PROSE[:80])
        for number, line in enumerate(["Harbour Company", "1 Sea Road, Plymouth", "open on all days"]):
            page.drawRightString(540, 780 - 14 * number, line)

    assert {"Harbour Company", "1 Sea Road, Plymouth", "open on all days"} <= set(paragraphs(canvas(letter)))


def test_a_word_is_not_made_smaller_where_its_box_has_room():
    def boxes(page):
        page.setFont("Helvetica", 20)
        for x, word in ((100, "Plan"), (400, "Build")):
            page.setFillColorRGB(0.2, 0.4, 0.6)
            page.rect(x, 600, 150, 40, stroke=0, fill=1)
            page.setFillColorRGB(1, 1, 1)
            page.drawString(x + 8, 612, word)

    made = changed(canvas(boxes), lambda text: f"{text}ing it")
    assert look(made, "Building it").size == pytest.approx(20, abs=0.1)
    assert next(glyph.u0 for glyph in glyphs(made) if glyph.char == "B") == pytest.approx(408, abs=2)
