"""Documents to translate, small and of several kinds."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

SECRET = "Zarquon waits in the harbour."
WORD = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>
<w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>"""
TYPES = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
RELATIONS = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
 Target="word/document.xml"/></Relationships>"""


def docx(text: str = SECRET) -> bytes:
    """A document of one paragraph."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("_rels/.rels", RELATIONS)
        archive.writestr("word/document.xml", WORD.format(text=text))
    return stream.getvalue()


def folder(place: Path) -> Path:
    """A folder with a text, a document, a picture that cannot be read, and subtitles that are too large."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "letter.txt").write_text(SECRET, "utf-8")
    (place / "report.docx").write_bytes(docx())
    (place / "scan.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (place / "film.srt").write_bytes(b"x" * 150_001)
    return place
