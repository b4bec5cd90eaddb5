"""The watermark of Word documents: on every page, with nothing else changed."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import docx
import pytest
from docx.enum.section import WD_SECTION

from svc_nb.service.formats import Unreadable
from svc_nb.service.formats.docx import TEXT, Watermark

from .wording import translated


def made(folder: Path, **changes) -> Path:
    document = docx.Document()
    document.add_paragraph("First section")
    document.add_section(WD_SECTION.NEW_PAGE)
    document.add_paragraph("Second section")
    if changes.get("header"):
        document.sections[0].header.paragraphs[0].text = "Words above"
    if changes.get("first"):
        document.sections[1].different_first_page_header_footer = True
    if changes.get("even"):
        document.settings.odd_and_even_pages_header_footer = True
    path = folder / "made.docx"
    document.save(str(path))
    return path


def marked(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as package:
        members = {name: package.read(name) for name in package.namelist()}
    return members | Watermark(members.get).parts()


def opened(members: dict[str, bytes]):
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as package:
        for name, data in members.items():
            package.writestr(name, data)
    return docx.Document(into)


def has_mark(header) -> bool:
    return TEXT in header._element.xml


@pytest.mark.parametrize("changes", [{}, {"header": True}])
def test_every_section_carries_it(tmp_path, changes):
    document = opened(marked(made(tmp_path, **changes)))
    assert all(has_mark(section.header) for section in document.sections)


def test_first_and_even_pages_carry_it_where_they_have_headers_of_their_own(tmp_path):
    document = opened(marked(made(tmp_path, first=True, even=True)))
    assert has_mark(document.sections[1].first_page_header)
    assert has_mark(document.sections[0].even_page_header)
    assert not has_mark(document.sections[0].first_page_header)


def test_the_words_of_a_header_stay(tmp_path):
    document = opened(marked(made(tmp_path, header=True)))
    assert document.sections[0].header.paragraphs[0].text == "Words above"


def test_nothing_else_is_touched(tmp_path):
    path = made(tmp_path, header=True)
    with zipfile.ZipFile(path) as package:
        before = {name: package.read(name) for name in package.namelist()}
    after = marked(path)
    assert [name for name in after if after[name] != before.get(name)] == ["word/header1.xml"]


def test_a_document_is_marked_after_its_words_were_translated(tmp_path):
    document = docx.Document(str(translated(made(tmp_path, header=True), watermark=True)))
    assert document.sections[0].header.paragraphs[0].text == "WORDS ABOVE"
    assert has_mark(document.sections[0].header)
    assert document.paragraphs[0].text == "FIRST SECTION"


def test_libreoffice_shows_it(tmp_path, soffice):
    path = tmp_path / "marked.docx"
    opened(marked(made(tmp_path))).save(str(path))
    (plain, shown) = soffice("pdf", tmp_path / "made.docx", path, out=tmp_path)
    assert _darkness(plain) < _darkness(shown)


def _darkness(path: Path) -> int:
    import pypdfium2

    return sum(
        255 - tone for page in pypdfium2.PdfDocument(path) for tone in page.render().to_pil().convert("L").tobytes()
    )


def test_what_is_no_word_document_is_refused():
    with pytest.raises(Unreadable):
        Watermark({}.get).parts()
