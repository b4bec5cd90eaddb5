"""Presentations: slides, tables, notes, charts; formatting, fields and placeholders stay."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tests.service.formats.wording import Shouting, by, translated


@pytest.fixture
def show(tmp_path) -> Path:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "A title"
    text = slide.placeholders[1].text_frame.paragraphs[0]
    for words, bold in (("We sell ", None), ("red", True), (" cars", None)):
        run = text.add_run()
        run.text = words
        run.font.bold = bold
    slide.placeholders[1].text_frame.add_paragraph().text = "first line\vsecond line"
    place = Inches(1), Inches(4), Inches(6), Inches(1)
    table = slide.shapes.add_table(1, 2, *place).table
    table.cell(0, 0).text, table.cell(0, 1).text = "price", "12.50"
    data = CategoryChartData()
    data.categories = ["East", "West"]
    data.add_series("Sales", (1, 2))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Sales of the year"
    slide.notes_slide.notes_text_frame.text = "speak slowly"
    made.save(tmp_path / "a.pptx")
    return tmp_path / "a.pptx"


def test_words_change_everywhere_and_formatting_stays(show):
    words = Shouting()
    slide = pptx.Presentation(translated(show, words)).slides[0]
    assert slide.shapes.title.text == "A TITLE"
    runs = slide.placeholders[1].text_frame.paragraphs[0].runs
    assert [(run.text, run.font.bold) for run in runs] == [("WE SELL ", None), ("RED", True), (" CARS", None)]
    assert slide.placeholders[1].text_frame.paragraphs[1].text == "FIRST LINE\vSECOND LINE"
    table = next(shape.table for shape in slide.shapes if shape.has_table)
    assert [cell.text for cell in table.rows[0].cells] == ["PRICE", "12.50"]
    chart = next(shape.chart for shape in slide.shapes if shape.has_chart)
    assert chart.chart_title.text_frame.text == "SALES OF THE YEAR"
    assert list(chart.plots[0].categories) == ["EAST", "WEST"]
    assert chart.plots[0].series[0].name == "SALES"
    assert slide.notes_slide.notes_text_frame.text == "SPEAK SLOWLY"
    assert len(words.calls) == 1
    assert not any("Click to edit" in text for text in words.calls[0])


def test_formatting_moves_with_its_words(show):
    moved = by(lambda text: "Vendemos coches <g1>rojos</g1>" if "red" in text else text)
    runs = pptx.Presentation(translated(show, moved)).slides[0].placeholders[1].text_frame.paragraphs[0].runs
    assert [(run.text, run.font.bold) for run in runs] == [("Vendemos coches ", None), ("rojos", True)]


def test_untouched_parts_keep_their_bytes(show):
    with zipfile.ZipFile(show) as before, zipfile.ZipFile(translated(show)) as after:
        assert before.namelist() == after.namelist()
        changed = {name for name in before.namelist() if before.read(name) != after.read(name)}
    assert all(
        name.startswith(("ppt/slides/", "ppt/notesSlides/", "ppt/charts/", "ppt/embeddings/")) for name in changed
    ), changed


def test_fixed_words_of_a_master_change_and_the_prompts_of_its_placeholders_do_not(tmp_path):
    made = pptx.Presentation()
    master = made.slide_master
    box = master.shapes._spTree
    slide = made.slides.add_slide(made.slide_layouts[6])
    shape = slide.shapes.add_textbox(0, 0, Inches(3), Inches(1))
    shape.text_frame.text = "our firm"
    box.append(shape._element)
    made.save(tmp_path / "a.pptx")
    words = Shouting()
    translated(tmp_path / "a.pptx", words)
    assert words.calls == [["our firm"]]


def test_hebrew_stands_on_the_right_and_titles_stay_in_the_middle(show):
    slide = pptx.Presentation(translated(show, target_lang="HE")).slides[0]
    text = slide.placeholders[1].text_frame.paragraphs[0]._p.pPr
    title = slide.shapes.title.text_frame.paragraphs[0]._p.pPr
    assert (text.get("rtl"), text.get("algn")) == ("1", "r")
    assert (title.get("rtl"), title.get("algn")) == ("1", None)


def test_libreoffice_opens_the_result_and_makes_presentations_that_are_translated(show, tmp_path, soffice):
    [other] = soffice("pptx:Impress MS PowerPoint 2007 XML", translated(show), out=tmp_path / "made")
    again = translated(other, by(str.lower))
    [page] = soffice("pdf", again, out=tmp_path)
    import pypdfium2

    pdf = pypdfium2.PdfDocument(page)
    text = pdf[0].get_textpage().get_text_bounded()
    pdf.close()
    for words in ("a title", "we sell red cars", "second line", "sales of the year"):
        assert words in " ".join(text.split()), text
