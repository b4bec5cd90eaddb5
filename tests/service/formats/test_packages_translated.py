"""Documents through the real pipeline: the pseudo translator, and Apertium where it is installed."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont

from svc_nb.service.formats.office import TYPES
from svc_nb.service.translation.pipeline import Rendering, translate
from svc_nb.service.translation.tags import Markup
from svc_nb.service.translators import Pseudo, apertium
from tests.service.formats.wording import translated

MARKUP = Markup("xml", outline=False)
PARTS = ("The ", "red", " house is big.")


def rendered(engine, target):
    def words(texts, *, tagged=False):
        return translate(texts, Rendering("en", target, markup=MARKUP if tagged else None), engine)

    return words


def document(folder: Path) -> Path:
    made = docx.Document()
    text = made.add_paragraph()
    for words, bold in zip(PARTS, (None, True, None), strict=True):
        text.add_run(words).bold = bold
    made.save(folder / "a.docx")
    return folder / "a.docx"


def show(folder: Path) -> Path:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    text = slide.shapes.title.text_frame.paragraphs[0]
    for words, bold in zip(PARTS, (None, True, None), strict=True):
        run = text.add_run()
        run.text, run.font.bold = words, bold
    made.save(folder / "a.pptx")
    return folder / "a.pptx"


def book(folder: Path) -> Path:
    made = openpyxl.Workbook()
    made.active["A1"] = CellRichText(PARTS[0], TextBlock(InlineFont(b=True), PARTS[1]), PARTS[2])
    made.save(folder / "a.xlsx")
    return folder / "a.xlsx"


def runs(path: Path) -> list[tuple[str, bool]]:
    if path.suffix == ".docx":
        return [(run.text, bool(run.bold)) for run in docx.Document(path).paragraphs[0].runs]
    if path.suffix == ".pptx":
        title = pptx.Presentation(path).slides[0].shapes.title
        return [(run.text, bool(run.font.bold)) for run in title.text_frame.paragraphs[0].runs]
    cell = openpyxl.load_workbook(path, rich_text=True).active["A1"].value
    return [(str(run), isinstance(run, TextBlock) and bool(run.font.b)) for run in cell]


@pytest.mark.parametrize("make", [document, show, book])
def test_the_pseudo_translator_marks_a_sentence_and_leaves_its_formatting(tmp_path, make):
    done = runs(translated(make(tmp_path), rendered(Pseudo(), "de")))
    assert done == [("[DE] The ", False), ("red", True), (" house is big.", False)]


def listed_in_capitals(source: Path) -> Path:
    """The same package, whose list of parts has their names in capitals."""
    listed = source.with_name(f"listed{source.suffix}")
    with zipfile.ZipFile(source) as before, zipfile.ZipFile(listed, "w") as after:
        for name in before.namelist():
            content = before.read(name)
            if name == TYPES:
                content = re.sub(rb'(?<=PartName=)"[^"]*"', lambda found: found[0].upper(), content)
            after.writestr(name, content)
    return listed


@pytest.mark.parametrize("make", [document, show, book])
def test_a_part_that_is_listed_in_other_case_is_translated_too(tmp_path, make):
    source = make(tmp_path)
    with (
        zipfile.ZipFile(translated(source)) as usual,
        zipfile.ZipFile(translated(listed_in_capitals(source))) as other,
        zipfile.ZipFile(source) as before,
    ):
        changed = [name for name in usual.namelist() if usual.read(name) != before.read(name)]
        assert changed
        assert [name for name in usual.namelist() if usual.read(name) != other.read(name)] == [TYPES]


@pytest.fixture(scope="module")
def spanish():
    engine = apertium.Apertium()
    if shutil.which("apertium") is None or ("en", "es") not in engine.pairs() or not engine.ready("en", "es"):
        pytest.skip("Apertium's English to Spanish is not installed")
    yield rendered(engine, "es")
    engine.close()


@pytest.mark.parametrize("make", [document, show, book])
def test_bold_stays_on_its_word_when_words_move(tmp_path, make, spanish):
    done = runs(translated(make(tmp_path), spanish))
    assert done == [("La casa ", False), ("roja", True), (" es grande.", False)]
