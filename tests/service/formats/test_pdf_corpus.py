"""A dozen PDFs of many kinds from English into Spanish and back, as PDF and as docx, as readers see them."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import docx
import pypdfium2
import pytest
from docx.oxml.ns import qn

from svc_nb.service.translators import installed

from . import pdf_corpus
from .paper import outside, overlapping
from .renderings import pipeline, rendered

# Texts that must come in this order; each is a text of its own, so that it is translated alone.
ORDER = {
    "report": ("The harbour of the town", "The history", "The people", "The ships"),
    "lists": ("What we need", "Fish and salt", "White bread", "How we do it", "Open the door."),
    "tables": ("Prices", "Product", "Garden chair", "Watering can", "The garden and the house", "Monday", "Sunday"),
    "narrow": ("Narrow cells", "Year", "Name", "Colour"),
    "pictures": ("Pictures of the town", "The town in the summer", "The end of the text."),
    "columns": ("The news of the week",),
    "scripts": ("Water and air", "The castle is closed on Monday."),
    "rotated": ("The turned page", "The dog sleeps."),
    "links": ("Links", "The introduction", "The long history of the town"),
    "handbook": ("The kitchen", "The garden", "The cellar", "The roof"),
    "chart": ("The market",),
    "diagram": ("The way of a letter", "The letters are brought every day.", "Call us today!"),
    "office-report": ("The year of the town", "The harbour", "Fish and salt", "Ship", "The river"),
    "office-letter": (),
}
DRAWINGS = {"chart": 1, "diagram": 2}


def pictures(data: bytes) -> int:
    kinds = (pypdfium2.raw.FPDF_PAGEOBJ_IMAGE,)
    return sum(1 for page in pypdfium2.PdfDocument(data) for _ in page.get_objects(filter=kinds, max_depth=5))


def written(document) -> str:
    """All texts of a docx in their order, those of cells too."""
    texts = (element.text or "" for element in document.element.body.iter(qn("w:t"), qn("w:p")))
    return " ".join("".join(texts).split())


@pytest.fixture(scope="module")
def sources(soffice, tmp_path_factory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("sources")
    kinds = ("report", "letter")
    for kind in kinds:
        pdf_corpus.office(folder / f"office-{kind}.docx", kind=kind)
    made = soffice("pdf", *(folder / f"office-{kind}.docx" for kind in kinds), out=folder)
    return {
        **{name: make() for name, make in pdf_corpus.PDFS.items() if name in ORDER},
        **{path.stem: path.read_bytes() for path in made},
    }


def shown(soffice, folder: Path, documents: dict[str, bytes]) -> dict[str, bytes]:
    """The docx *documents* as LibreOffice shows them."""
    for name, data in documents.items():
        (folder / f"{name}.docx").write_bytes(data)
    made = soffice("pdf", *(folder / f"{name}.docx" for name in documents), out=folder)
    return {path.stem: path.read_bytes() for path in made}


def test_pdfs_go_into_another_language_and_back_with_all_that_is_on_them(soffice, sources, tmp_path):
    if shutil.which("apertium") is None:
        pytest.skip("Apertium is not installed")
    now = sources
    order = ORDER
    for source, target in (("en", "es"), ("es", "en")):
        words = pipeline(installed(["apertium"]), source, target)
        pdfs = {name: rendered("pdf", data, words, target) for name, data in now.items()}
        files = {name: rendered("pdf", data, words, target, output_format="docx") for name, data in now.items()}
        (tmp_path / target).mkdir()
        seen = shown(soffice, tmp_path / target, files)
        order = {name: words(texts) for name, texts in order.items()}
        for name, data in now.items():
            pages = len(pypdfium2.PdfDocument(data))
            assert len(pypdfium2.PdfDocument(pdfs[name])) == pages
            assert abs(len(pypdfium2.PdfDocument(seen[name])) - pages) <= 1, name
            assert pictures(pdfs[name]) == pictures(data)
            assert pictures(seen[name]) == pictures(data) + DRAWINGS.get(name, 0), name
            for number in range(pages):
                assert overlapping(pdfs[name], number) == [], name
                assert outside(pdfs[name], number) == [], name
            text, at = written(docx.Document(io.BytesIO(files[name]))), 0
            for each in order[name]:
                assert each in text[at:], name
                at = text.index(each, at)
        now = pdfs
