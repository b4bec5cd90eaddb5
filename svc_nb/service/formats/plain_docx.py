"""A simple docx of headings and paragraphs, written by hand."""

from __future__ import annotations

import itertools
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from . import Wish, watermark

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MEDIA = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_TEXT_WIDTH = 9638
_FAMILIES = {"sans": "Arial", "serif": "Times New Roman", "mono": "Courier New"}
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")

_TYPES = f"""{_HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Default Extension="xml" ContentType="application/xml"/>\
<Override PartName="/word/document.xml" ContentType="{_MEDIA}.document.main+xml"/>\
<Override PartName="/word/styles.xml" ContentType="{_MEDIA}.styles+xml"/></Types>"""
_ROOT = f"""{_HEAD}<Relationships xmlns="{_RELATIONS}"><Relationship Id="rId1" \
Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>"""
_LINKS = f"""{_HEAD}<Relationships xmlns="{_RELATIONS}"><Relationship Id="rId1" \
Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>"""


@dataclass(frozen=True, slots=True)
class Look:
    """How the letters of a run look."""

    family: str
    bold: bool
    italic: bool
    size: float
    colour: tuple[int, int, int, int]
    underline: bool


@dataclass(frozen=True, slots=True)
class Run:
    """Letters of one look."""

    text: str
    look: Look


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Texts with tabs between them; *level* is that of a heading, or 0."""

    level: int
    texts: list[list[Run]]


def write(target: Path, paragraphs: Iterable[Paragraph], wish: Wish) -> None:
    """Write a docx of *paragraphs* to the file *target*, marked if it is wished."""
    parts = {
        "[Content_Types].xml": _TYPES.encode(),
        "_rels/.rels": _ROOT.encode(),
        "word/document.xml": _document(paragraphs).encode(),
        "word/styles.xml": _styles(wish.target_lang).encode(),
        "word/_rels/document.xml.rels": _LINKS.encode(),
    }
    if wish.watermark:
        parts |= watermark.parts(parts.get)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name, data)


def _document(paragraphs: Iterable[Paragraph]) -> str:
    body = "".join(_body(paragraphs))
    return (
        f'{_HEAD}<w:document xmlns:w="{_WORD}" xmlns:r="{_OFFICE}"><w:body>{body}<w:sectPr>'
        '<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" '
        'w:header="709" w:footer="709" w:gutter="0"/></w:sectPr></w:body></w:document>'
    )


def _body(paragraphs: Iterable[Paragraph]) -> Iterator[str]:
    """Yield paragraphs and, for rows that follow each other, tables."""
    for is_table, group in itertools.groupby(paragraphs, key=_is_row):
        if is_table:
            yield _table(list(group))
        else:
            yield from map(_paragraph, group)


def _is_row(paragraph: Paragraph) -> bool:
    return len(paragraph.texts) > 1 and not paragraph.level and not _is_marked(paragraph)


def _is_marked(paragraph: Paragraph) -> bool:
    """Whether it begins with a bullet or a number."""
    first = "".join(run.text for run in paragraph.texts[0])
    return len(paragraph.texts) == 2 and len(first) <= 5 and not any(map(str.isalpha, first))


def _table(rows: list[Paragraph]) -> str:
    columns = max(len(row.texts) for row in rows)
    grid = f'<w:gridCol w:w="{_TEXT_WIDTH // columns}"/>' * columns
    lines = []
    for row in rows:
        texts: list[list[Run]] = [*row.texts, *([[]] * (columns - len(row.texts)))]
        cells = "".join(f"<w:tc><w:tcPr/>{_paragraph(Paragraph(0, [text]))}</w:tc>" for text in texts)
        lines.append(f"<w:tr>{cells}</w:tr>")
    turned = "<w:bidiVisual/>" if any(map(_is_turned, rows)) else ""
    look = f'<w:tblPr>{turned}<w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>'
    return f"<w:tbl>{look}{''.join(lines)}</w:tbl><w:p/>"


def _is_turned(paragraph: Paragraph) -> bool:
    return any(_RIGHT_TO_LEFT.search(run.text) for runs in paragraph.texts for run in runs)


def _paragraph(paragraph: Paragraph) -> str:
    style = f'<w:pStyle w:val="Heading{paragraph.level}"/>' if paragraph.level else ""
    turned = "<w:bidi/>" if _is_turned(paragraph) else ""
    tab = '<w:tabs><w:tab w:val="left" w:pos="425"/></w:tabs>' if _is_marked(paragraph) else ""
    hang = '<w:ind w:left="425" w:hanging="425"/>' if _is_marked(paragraph) else ""
    runs = "<w:r><w:tab/></w:r>".join("".join(map(_run, runs)) for runs in paragraph.texts)
    return f"<w:p><w:pPr>{style}{tab}{turned}{hang}</w:pPr>{runs}</w:p>"


def _run(run: Run) -> str:
    text = _FORBIDDEN.sub("", run.text)
    return (
        f'<w:r><w:rPr>{"".join(_properties(run))}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'
    )


def _properties(run: Run) -> Iterator[str]:
    """Yield what Word has to know about the look, in the order that it wants."""
    look = run.look
    family = _FAMILIES[look.family]
    yield f'<w:rFonts w:ascii="{family}" w:hAnsi="{family}" w:cs="{family}"/>'
    yield "<w:b/><w:bCs/>" if look.bold else ""
    yield "<w:i/><w:iCs/>" if look.italic else ""
    red, green, blue = look.colour[:3]
    if 0 < red + green + blue < 3 * 240:
        yield f'<w:color w:val="{red:02X}{green:02X}{blue:02X}"/>'
    size = max(2, min(400, round(2 * look.size)))
    yield f'<w:sz w:val="{size}"/><w:szCs w:val="{size}"/>'
    yield '<w:u w:val="single"/>' if look.underline else ""
    yield "<w:rtl/>" if _RIGHT_TO_LEFT.search(run.text) else ""


def _styles(language: str) -> str:
    headings = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
        '<w:basedOn w:val="Normal"/><w:next w:val="Normal"/><w:qFormat/><w:pPr><w:keepNext/>'
        f'<w:spacing w:before="240" w:after="80"/><w:outlineLvl w:val="{level - 1}"/></w:pPr></w:style>'
        for level in (1, 2, 3)
    )
    return (
        f'{_HEAD}<w:styles xmlns:w="{_WORD}"><w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/>'
        f"<w:lang w:val={quoteattr(language)}/></w:rPr></w:rPrDefault></w:docDefaults>"
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/>'
        f'<w:pPr><w:spacing w:after="120"/></w:pPr></w:style>{headings}</w:styles>'
    )
