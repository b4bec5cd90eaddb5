"""A megabyte of hex, DNA, digits or brackets in a document or notebook costs in proportion to its size."""

import json
import random
import zipfile
from html import escape
from io import BytesIO

import docx
import openpyxl
import pptx
import pytest

from svc_nb.engine.split import cut
from svc_nb.notebooks.documents import Code, Html, Markdown
from svc_nb.service.translators import installed
from tests.growth import LINEAR, growth
from tests.notebooks.translators import answered, louder
from tests.service.formats.paper import canvas
from tests.service.formats.renderings import pipeline, rendered

pytestmark = pytest.mark.long

MB = 1_000_000
SIGNS = {"hex": "0123456789abcdef", "DNA": "ACGT", "digits": "0123456789", "brackets": "()[]{}<>"}
LONGEST_CELL = 30_000
LONGEST_LINE = 90  # on a page


def monotonous(kind, size):
    return "".join(random.Random(kind).choices(SIGNS[kind], k=size))


def _saved(made):
    into = BytesIO()
    made.save(into)
    return into.getvalue()


def _docx(text):
    made = docx.Document()
    made.add_paragraph(text)
    return _saved(made)


def _pptx(text):
    made = pptx.Presentation()
    made.slides.add_slide(made.slide_layouts[0]).shapes.title.text = text
    return _saved(made)


def _xlsx(text):
    made = openpyxl.Workbook()
    for at in range(0, len(text), LONGEST_CELL):
        made.active.append([f"'{text[at : at + LONGEST_CELL]}"])
    return _saved(made)


def _idml(text):
    into = BytesIO()
    with zipfile.ZipFile(into, "w") as package:
        package.writestr("mimetype", "application/vnd.adobe.indesign-idml-package")
        package.writestr(
            "Stories/Story_u1.xml",
            '<idPkg:Story xmlns:idPkg="http://ns.adobe.com/AdobeInDesign/idml/1.0/packaging"><Story Self="u1">'
            f"<ParagraphStyleRange><CharacterStyleRange><Content>{escape(text)}</Content></CharacterStyleRange>"
            "</ParagraphStyleRange></Story></idPkg:Story>",
        )
    return into.getvalue()


def _pdf(text):
    def draw(page):
        for number, at in enumerate(range(0, len(text), LONGEST_LINE)):
            if number and not number % 50:
                page.showPage()
            start = "" if number else "Some words "  # a page without a letter is taken for a scan
            page.drawString(40, 780 - 14 * (number % 50), start + text[at : at + LONGEST_LINE])

    return canvas(draw)


XLIFF = '<xliff version="1.2"><file><body><trans-unit id="1"><source>{}</source></trans-unit></body></file></xliff>'
DOCUMENTS = {
    "txt": str,
    "html": lambda text: f"<html><body><p>{escape(text)}</p></body></html>",
    "htm": lambda text: f"<html><body><p>{text}</p></body></html>",
    "xml": lambda text: f"<a><b>{escape(text)}</b></a>",
    "dita": lambda text: f"<topic><title>{escape(text)}</title></topic>",
    "xlf": lambda text: XLIFF.format(escape(text)),
    "json": lambda text: json.dumps({"a": text}),
    "srt": "1\n00:00:01,000 --> 00:00:02,000\n{}\n".format,
    "mif": lambda text: f"<MIFFile 9.00>\n<Para <ParaLine <String `{text.replace('>', ']')}'>>>\n",
    "docx": _docx,
    "pptx": _pptx,
    "xlsx": _xlsx,
    "idml": _idml,
    "pdf": _pdf,
}
LARGEST = {"pdf": MB // 20, "xlsx": MB * 9 // 10}  # with the cells around it no more than a document may have
BOTH = frozenset(("comments", "strings"))
NOTEBOOKS = {
    "Markdown": Markdown,
    "words": lambda text: Markdown(f"Some words, {text}, and a few more.\n"),
    "table": lambda text: Markdown(f"| one | two |\n| --- | --- |\n| {text} | and a few words |\n"),
    "HTML": lambda text: Html(f"<p>{text}</p>"),
    "comment": lambda text: Code(f"# {text}\n", "python", BOTH),
    "string": lambda text: Code(f'print("{text}")\n', "python", BOTH),
    **{name: lambda text, name=name: Code(f"{text}\n", name, BOTH) for name in ("python", "r", "julia", "javascript")},
}


@pytest.mark.parametrize("signs", SIGNS)
@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_document_is_translated_in_time_that_grows_with_its_size(kind, signs):
    largest = LARGEST.get(kind, MB)
    small, large = (DOCUMENTS[kind](monotonous(signs, size)) for size in (largest // 4, largest))
    words = pipeline(installed(["pseudo"]), "en", "de")
    assert growth(lambda document: rendered(kind, document, words), small, large) < LINEAR


@pytest.mark.parametrize("signs", SIGNS)
@pytest.mark.parametrize("kind", NOTEBOOKS)
def test_a_cell_of_a_notebook_is_translated_in_time_that_grows_with_its_size(kind, signs):
    small, large = (NOTEBOOKS[kind](monotonous(signs, size)) for size in (MB // 20, MB // 5))
    assert growth(lambda cell: answered(cell, louder), small, large) < LINEAR


@pytest.mark.parametrize("signs", SIGNS)
def test_a_text_is_cut_into_requests_in_time_that_grows_with_its_size(signs):
    small, large = (monotonous(signs, size) for size in (MB // 4, MB))
    assert growth(lambda text: cut(text, 100_000, tags=True), small, large) < LINEAR
