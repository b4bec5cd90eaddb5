"""Every kind of document goes through the service: its words come back translated, in a file of the right kind."""

from __future__ import annotations

import io
import zipfile

import docx
import openpyxl
import pptx
import pypdf
import pytest
from reportlab.pdfgen import canvas

from svc_nb import service
from svc_nb.service.formats import KINDS, UNREADABLE
from tests.conftest import Raw

from .sending_documents import Documents

SENTENCE = "The house is large."
XLIFF = (
    '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en" '
    'target-language="de" original="a" datatype="plaintext">'
    '<body><trans-unit id="1"><source>{}</source></trans-unit></body></file></xliff>'
)
STORY = (
    '<idPkg:Story xmlns:idPkg="http://ns.adobe.com/AdobeInDesign/idml/1.0/packaging"><Story Self="u1">'
    "<ParagraphStyleRange><CharacterStyleRange><Content>{}</Content></CharacterStyleRange></ParagraphStyleRange>"
    "</Story></idPkg:Story>"
)
TEXTS = {
    "txt": "{}\n",
    "html": "<p>{}</p>",
    "htm": "<p>{}</p>",
    "srt": "1\n00:00:01,000 --> 00:00:02,000\n{}\n",
    "json": '{{"key": "{}"}}',
    "xml": "<note>{}</note>",
    "dita": "<topic id='t'><title>{}</title></topic>",
    "xlf": XLIFF,
    "xliff": XLIFF,
    "mif": "<MIFFile 2015>\n<TextFlow\n <Para\n  <ParaLine\n   <String `{}'>\n  >\n >\n>\n",
}


@pytest.fixture(scope="module")
def documents():
    with service.start(memory=True, translators=["pseudo"]) as running:
        yield Documents(Raw(running))


def saved(made):
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def letter():
    made = docx.Document()
    made.add_paragraph(SENTENCE)
    return saved(made)


def slides():
    made = pptx.Presentation()
    made.slides.add_slide(made.slide_layouts[0]).shapes.title.text = SENTENCE
    return saved(made)


def sheet():
    made = openpyxl.Workbook()
    made.active["A1"] = SENTENCE
    return saved(made)


def layout():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        package.writestr("mimetype", KINDS["idml"].media)
        package.writestr("designmap.xml", '<Document><Story src="Stories/Story_1.xml"/></Document>')
        package.writestr("Stories/Story_1.xml", STORY.format(SENTENCE))
    return file.getvalue()


def page():
    file = io.BytesIO()
    made = canvas.Canvas(file)
    made.drawString(72, 720, SENTENCE)
    made.save()
    return file.getvalue()


PACKAGES = {"docx": letter, "pptx": slides, "xlsx": sheet, "idml": layout, "pdf": page}


def read(extension, content):
    """The words of a translated document."""
    if extension == "pdf":
        return pypdf.PdfReader(io.BytesIO(content)).pages[0].extract_text()
    if extension in PACKAGES:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            return " ".join(package.read(name).decode("utf-8", "replace") for name in package.namelist())
    return content.decode()


def test_all_kinds_are_tried_here():
    assert {*TEXTS, *PACKAGES} == set(KINDS)


@pytest.mark.parametrize("extension", [*TEXTS, *PACKAGES])
def test_a_document_comes_back_as_what_it_was(documents, extension):
    made = PACKAGES[extension]() if extension in PACKAGES else TEXTS[extension].format(SENTENCE).encode()
    handle = documents.send(made, f"name.{extension}", enable_watermark="true")
    status = documents.wait(handle)
    assert status["status"] == "done", status
    assert status["billed_characters"] == max(len(SENTENCE), KINDS[extension].least)
    answer = documents.result(handle)
    assert answer.headers["Content-Type"] == KINDS[extension].media
    assert "[DE] The house" in read(extension, answer.content)


def test_a_pdf_comes_back_as_a_word_document_on_demand(documents):
    answer = documents.result(documents.done(page(), "name.pdf", output_format="DOCX"))
    assert answer.headers["Content-Type"] == KINDS["docx"].media
    assert answer.headers["Content-Disposition"].endswith("name.docx")
    assert "[DE] The house" in docx.Document(io.BytesIO(answer.content)).paragraphs[0].text


@pytest.mark.parametrize("extension", [*UNREADABLE, "PNG"])
def test_what_cannot_be_read_here_is_refused_at_upload_in_one_line(documents, extension):
    answer = documents.upload(bytes(1000), f"name.{extension}")
    assert answer.status_code == 400
    assert "cannot be read here; s" in answer.json()["message"], "what is wrong, and what to send"
    assert "\n" not in answer.json()["message"]
