"""Words around the text of office documents: titles, descriptions of images, headers, footers, data of charts."""

from __future__ import annotations

import io
import re
import zipfile
from copy import deepcopy
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest
from docx.oxml.ns import qn
from openpyxl.chart import BarChart, Reference
from openpyxl.drawing.image import Image
from PIL import Image as Picture
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tests.service.formats.wording import Shouting, translated


@pytest.fixture
def picture(tmp_path) -> Path:
    Picture.new("RGB", (8, 8), "red").save(tmp_path / "dot.png")
    return tmp_path / "dot.png"


def parts(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name).decode("utf-8", "replace") for name in file.namelist()}


def chart_data() -> CategoryChartData:
    data = CategoryChartData()
    data.categories = ["north", "south"]
    data.add_series("sales of cars", (1, 2))
    return data


def test_a_word_document_has_its_title_descriptions_headers_and_footers_translated(tmp_path, picture):
    made = docx.Document()
    made.core_properties.title = "The yearly report"
    made.core_properties.author = "Ada"
    made.settings.odd_and_even_pages_header_footer = True
    section = made.sections[0]
    section.different_first_page_header_footer = True
    for name in ("header", "footer", "first_page_header", "first_page_footer", "even_page_header", "even_page_footer"):
        getattr(section, name).paragraphs[0].text = f"the {name.replace('_', ' ')}"
    for description in ("a red dot", "photo_17.png"):
        shape = made.add_paragraph().add_run().add_picture(str(picture))._inline
        shape.docPr.set("descr", description)
        shape.graphic.graphicData.pic.nvPicPr.cNvPr.set("descr", description)
        shape.docPr.set("title", "in short")
    table = made.add_table(1, 1)
    table.cell(0, 0).text = "a cell"
    caption = table._tbl.tblPr.makeelement(qn("w:tblCaption"), {qn("w:val"): "what the table says"})
    table._tbl.tblPr.append(caption)
    made.save(tmp_path / "a.docx")
    words = Shouting()
    done = translated(tmp_path / "a.docx", words)
    assert words.calls[0].count("a red dot") == 1
    found = parts(done)
    assert "<dc:title>THE YEARLY REPORT</dc:title>" in found["docProps/core.xml"]
    assert "<dc:creator>Ada</dc:creator>" in found["docProps/core.xml"]
    assert re.findall('descr="([^"]*)"', found["word/document.xml"]) == ["A RED DOT"] * 2 + ["photo_17.png"] * 2
    assert re.findall(' title="([^"]*)"', found["word/document.xml"]) == ["IN SHORT"] * 2
    assert '<w:tblCaption w:val="WHAT THE TABLE SAYS"/>' in found["word/document.xml"]
    section = docx.Document(done).sections[0]
    for name in ("header", "footer", "first_page_header", "first_page_footer", "even_page_header", "even_page_footer"):
        assert getattr(section, name).paragraphs[0].text == f"THE {name.replace('_', ' ').upper()}"


def show(folder: Path, picture: Path) -> Path:
    made = pptx.Presentation()
    made.core_properties.title = "Four quarters"
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "the title"
    image = slide.shapes.add_picture(str(picture), 0, 0)
    image._element.nvPicPr.cNvPr.set("descr", "a red dot")
    chart = slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, Inches(4), Inches(3), chart_data()).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "cars sold"
    slide.notes_slide.notes_text_frame.text = "say hello"
    footer = next(each for each in made.slide_layouts[5].placeholders if "Footer" in each.name)
    own = deepcopy(footer._element)
    own.txBody.p_lst[0].get_or_add_endParaRPr().addprevious(own.txBody.p_lst[0].add_r("the footer"))
    slide.shapes._spTree.append(own)
    made.save(folder / "a.pptx")
    return folder / "a.pptx"


def test_a_presentation_has_its_title_descriptions_notes_and_charts_translated(tmp_path, picture):
    done = translated(show(tmp_path, picture))
    found = parts(done)
    assert "<dc:title>FOUR QUARTERS</dc:title>" in found["docProps/core.xml"]
    assert 'descr="A RED DOT"' in found["ppt/slides/slide1.xml"]
    slide = pptx.Presentation(done).slides[0]
    assert "THE FOOTER" in [shape.text_frame.text for shape in slide.placeholders if shape.has_text_frame]
    assert slide.notes_slide.notes_text_frame.text == "SAY HELLO"
    chart = next(shape.chart for shape in slide.shapes if shape.has_chart)
    assert chart.chart_title.text_frame.text == "CARS SOLD"
    assert [*chart.plots[0].categories] == ["NORTH", "SOUTH"]
    assert chart.series[0].name == "SALES OF CARS"


def test_the_data_of_a_chart_says_what_the_chart_says(tmp_path, picture):
    words = Shouting()
    done = translated(show(tmp_path, picture), words)
    assert len(words.calls) == 1
    assert words.calls[0].count("north") == 1
    with zipfile.ZipFile(done) as file:
        [name] = [name for name in file.namelist() if name.endswith(".xlsx")]
        sheet = openpyxl.load_workbook(io.BytesIO(file.read(name))).active
    assert [[cell.value for cell in row] for row in sheet] == [[None, "SALES OF CARS"], ["NORTH", 1], ["SOUTH", 2]]


def test_a_workbook_has_its_title_descriptions_and_charts_translated(tmp_path, picture):
    made = openpyxl.Workbook()
    made.properties.title = "The sales"
    sheet = made.active
    for row in (["place", "cars"], ["north", 1], ["south", 2]):
        sheet.append(row)
    chart = BarChart()
    chart.title, chart.x_axis.title = "cars sold", "where"
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    chart.set_categories(Reference(sheet, min_col=1, min_row=2, max_row=3))
    sheet.add_chart(chart, "D1")
    sheet.add_image(Image(str(picture)), "D20")
    made.save(tmp_path / "a.xlsx")
    found = parts(translated(tmp_path / "a.xlsx"))
    assert "THE SALES" in found["docProps/core.xml"]
    assert re.findall(r"<a:t>([^<]*)", found["xl/charts/chart1.xml"]) == ["CARS SOLD", "WHERE"]
    assert re.findall(r'descr="([^"]*)"', found["xl/drawings/drawing1.xml"]) == ["PICTURE"]
