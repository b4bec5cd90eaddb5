"""PDF, as the service does it: in a process of its own, into a PDF or a docx, and what cannot be done."""

from __future__ import annotations

import io
import os
import sys
import threading
import zlib
from pathlib import Path

import docx
import psutil
import pytest
from pypdf import PdfReader, PdfWriter
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import ListFlowable, Paragraph, Table

from svc_nb.service import formats
from svc_nb.service.formats import Unreadable, Wish

from .paper import PROSE, canvas, document, look, overlapping, texts
from .wording import Shouting, by

STYLES = getSampleStyleSheet()

_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{space}:1.0"'
    for name, space in {
        "office": "office",
        "text": "text",
        "table": "table",
        "style": "style",
        "fo": "xsl-fo-compatible",
    }.items()
)
LETTER = f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document {_SPACES} xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.3"
 office:mimetype="application/vnd.oasis.opendocument.text"><office:automatic-styles>
<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>
<style:style style:name="H" style:family="paragraph"><style:text-properties fo:font-size="20pt"/></style:style>
</office:automatic-styles><office:body><office:text>
<text:h text:style-name="H" text:outline-level="1">A report of the harbour</text:h>
<text:p>{PROSE}It is <text:span text:style-name="B">very old</text:span>, see
<text:a xlink:type="simple" xlink:href="https://example.org/harbour">the page of the harbour</text:a> for more.</text:p>
<text:list><text:list-item><text:p>Fish and salt</text:p></text:list-item>
<text:list-item><text:p>{PROSE}</text:p></text:list-item></text:list>
<table:table><table:table-column table:number-columns-repeated="2"/>
<table:table-row><table:table-cell><text:p>Ship</text:p></table:table-cell>
<table:table-cell><text:p>Tons</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell><text:p>The old Mary</text:p></table:table-cell>
<table:table-cell><text:p>120</text:p></table:table-cell></table:table-row></table:table>
</office:text></office:body></office:document>"""


def report() -> bytes:
    return document(
        Paragraph("The harbour", STYLES["Title"]),
        Paragraph(f"{PROSE}It is <b>very old</b> &amp; &lt;big&gt;.", STYLES["BodyText"]),
        ListFlowable([Paragraph("Fish and salt", STYLES["BodyText"])], bulletType="bullet"),
        Table([["Ship", "Tons"], ["The old Mary", "120"]]),
    )


def done(data: bytes, folder: Path, words: formats.Words | None = None, **wish) -> Path:
    source, target = folder / "in.pdf", folder / f"out.{wish.get('output_format') or 'pdf'}"
    source.write_bytes(data)
    formats.translate("pdf", source, target, words=words or Shouting(), wish=Wish(**{"target_lang": "DE", **wish}))
    return target


def test_a_pdf_is_translated_in_one_call_with_its_formatting_as_tags(tmp_path):
    words = Shouting()
    made = done(report(), tmp_path, words).read_bytes()
    (call,) = words.calls
    assert f"{PROSE}It is <g1>very old</g1> &amp; &lt;big&gt;." in call
    assert "& <BIG>." in texts(made)[0].replace("\n", " ")
    assert "harbour" not in texts(made)[0]
    assert look(made, "VERY OLD").bold
    assert overlapping(made) == []


def test_tags_that_a_translator_loses_cost_no_words(tmp_path):
    made = done(report(), tmp_path, by(lambda text: text.replace("<g1>", "").replace("</g1>", ""))).read_bytes()
    assert "very old" in texts(made)[0].replace("\n", " ")


@pytest.mark.long
def test_files_without_a_name_will_do(tmp_path):
    source = (tmp_path / "in").open("w+b")
    source.write(report())
    source.flush()
    target = (tmp_path / "out").open("w+b")
    for opened in (source, target):
        os.unlink(opened.name)
    paths = [Path(f"/proc/self/fd/{opened.fileno()}") for opened in (source, target)]
    if not paths[0].exists():
        pytest.skip("no /proc here (not Linux)")
    formats.translate("pdf", *paths, words=Shouting(), wish=Wish("DE"))
    target.seek(0)
    assert "HARBOUR" in texts(target.read())[0]
    source.close()
    target.close()


@pytest.mark.long
def test_several_threads_may_translate_at_once(tmp_path):
    folders = [tmp_path / str(number) for number in range(3)]
    for folder in folders:
        folder.mkdir()
    threads = [threading.Thread(target=done, args=(report(), folder)) for folder in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("HARBOUR" in texts((folder / "out.pdf").read_bytes())[0] for folder in folders)


def test_what_goes_wrong_in_the_translation_is_raised_and_ends_the_process(tmp_path):
    def fails(texts, *, tagged=False):
        raise LookupError("no such translator")

    with pytest.raises(LookupError):
        done(report(), tmp_path, fails)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows shows no environment of another process")
def test_the_process_of_a_pdf_knows_nothing_that_it_does_not_need(tmp_path, monkeypatch):
    for name in ("AWS_SECRET_ACCESS_KEY", "OTHER_TOKEN", "SVC_API_KEY", "https_proxy"):
        monkeypatch.setenv(name, "secret")
    seen = []

    def words(texts, *, tagged=False):
        seen.extend(each.environ() for each in psutil.Process().children())
        return list(texts)

    done(report(), tmp_path, words)
    assert seen
    assert all("PATH" in each and "secret" not in each.values() for each in seen)


def test_a_pdf_becomes_a_docx_of_headings_paragraphs_and_tables(tmp_path):
    made = docx.Document(str(done(report(), tmp_path, output_format="docx")))
    given = [(paragraph.style.name, paragraph.text) for paragraph in made.paragraphs]
    assert ("Heading 1", "THE HARBOUR") in given
    assert ("List Bullet", "FISH AND SALT") in given
    body = next(paragraph for paragraph in made.paragraphs if "VERY OLD" in paragraph.text)
    assert body.text == f"{PROSE.upper()}IT IS VERY OLD & <BIG>."
    assert [run.text.strip() for run in body.runs if run.bold] == ["VERY OLD"]
    (table,) = made.tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["SHIP", "TONS"],
        ["THE OLD MARY", "120"],
    ]


def test_pdfs_of_libreoffice_are_translated_and_their_docx_opens_there(tmp_path, soffice):
    (tmp_path / "made.fodt").write_text(LETTER)
    (source,) = soffice("pdf", tmp_path / "made.fodt", out=tmp_path)
    words = Shouting()
    result = done(source.read_bytes(), tmp_path, words).read_bytes()
    assert "The old Mary" in words.calls[0]
    assert any("<g1>very old</g1>" in text for text in words.calls[0])
    read = texts(result)[0]
    assert "harbour" not in read
    assert "THE OLD MARY" in read
    assert "120" in read
    assert overlapping(result) == []
    letter = done(source.read_bytes(), tmp_path, output_format="docx", watermark=True)
    (tmp_path / "shown").mkdir()
    (shown,) = soffice("pdf", letter, out=tmp_path / "shown")
    assert "THE OLD MARY" in texts(shown.read_bytes())[0]


def test_a_scan_without_recognised_text_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="no text"):
        done(canvas(lambda page: page.rect(10, 10, 100, 100)), tmp_path)


@pytest.mark.parametrize("password", ["secret", ""])
def test_a_protected_pdf_is_refused(tmp_path, password):
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(report())))
    writer.encrypt(password, "owner", algorithm="AES-256")
    into = io.BytesIO()
    writer.write(into)
    with pytest.raises(Unreadable, match="protect"):
        done(into.getvalue(), tmp_path)


def pdf(*objects: bytes) -> bytes:
    """Return a PDF of *objects*, the first being its catalogue."""
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, len(out))
    return bytes(out) + b"xref\n0 %d\n0000000000 65535 f \n%b%b" % (size, table, end)


def stream(data: bytes, *, entries: bytes = b"", times: int = 1) -> bytes:
    for _ in range(times):
        data = zlib.compress(data, 9)
    return b"<</Length %d/Filter[%b]%b>>stream\n%b\nendstream" % (
        len(data),
        b"/FlateDecode" * times,
        entries,
        data,
    )


CATALOGUE = b"<</Type/Catalog/Pages 2 0 R>>"
FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
WORDS = b"BT /F1 12 Tf 72 700 Td (Words of the page) Tj ET\n"
RESOURCES = b"/Resources<</Font<</F1 5 0 R>>/XObject<</X 6 0 R>>>>"


def page(content: bytes, *more: bytes) -> bytes:
    pages = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
    leaf = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R%b>>" % RESOURCES
    return pdf(CATALOGUE, pages, leaf, content, FONT, *more)


def deep() -> bytes:
    nodes = [b"<</Type/Pages/Kids[%d 0 R]/Count 1>>" % number for number in range(3, 20_003)]
    leaf = b"<</Type/Page/MediaBox[0 0 600 800]/Contents 20003 0 R>>"
    return pdf(CATALOGUE, *nodes, leaf, stream(WORDS))


def unfolding() -> bytes:
    entries = b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F1 5 0 R>>/XObject<</X %d 0 R>>>>"
    forms = [stream(b"/X Do " * 10, entries=entries % number) for number in range(7, 18)]
    return page(stream(WORDS + b"/X Do"), *forms, stream(WORDS, entries=entries % 6))


def bomb() -> bytes:
    """Return a stream of 4 KB that unfolds to 4 MB, which unfold to 4 GB."""
    packer = zlib.compressobj(9)
    first = packer.compress(WORDS) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(b"\n" * 1_000_000) + packer.flush(zlib.Z_FULL_FLUSH)
    data = zlib.compress(first + piece * 4_000, 9)
    return b"<</Length %d/Filter[/FlateDecode/FlateDecode]>>stream\n%b\nendstream" % (len(data), data)


HOSTILE = {
    "empty": lambda: b"",
    "not a pdf": lambda: b"%PDF-1.4\nnothing of the kind",
    "cut in the middle": lambda: report()[: len(report()) // 2],
    "deep page tree": deep,
    "page tree in a circle": lambda: pdf(CATALOGUE, b"<</Type/Pages/Kids[2 0 R]/Count 1>>"),
    "far too many pages": lambda: pdf(
        CATALOGUE, b"<</Type/Pages/Kids[%b]/Count 99999>>" % (b"3 0 R " * 99_999), b"<</Type/Page>>"
    ),
    "content that unfolds": lambda: page(bomb()),
    "forms that unfold": unfolding,
    "too many drawings": lambda: page(stream(b"0 0 m 9 9 l S " * 101_000)),
}


def test_a_page_whose_texts_cannot_be_told_apart_is_written_anew_as_a_whole(tmp_path):
    content = b"BT (no font yet) Tj ET " + WORDS + b"BT /F1 12 Tf 300 700 Td (4711) Tj ET"
    made = done(page(stream(content)), tmp_path).read_bytes()
    assert texts(made)[0].split("\n")[0].split() == ["WORDS", "OF", "THE", "PAGE", "4711"]
    assert b"Tj" not in PdfReader(io.BytesIO(made)).pages[0].get_contents().get_data()


@pytest.mark.long
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_pdf_ends_in_one_clear_line(tmp_path, kind):
    with pytest.raises(Unreadable) as raised:
        done(HOSTILE[kind](), tmp_path)
    assert "\n" not in str(raised.value)
    assert 20 < len(str(raised.value)) < 150
