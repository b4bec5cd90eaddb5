"""PDF with a text layer: its texts replaced in their places, or taken out into a simple docx, written by hand.

The work on the file is done in a process of its own (the package `pages`): PDFium can serve one thread only, and what
a hostile file does to it must not happen here. The file goes through pipes, and only texts come back in between.
"""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast
from xml.sax.saxutils import escape, quoteattr

from ..catalogue import read
from . import Unreadable, Wish, Words
from .docx import Watermark
from .tagged_text import FORBIDDEN, Run, Style, TaggedText, base, flat, joined

_TOO_MUCH = "The PDF could not be read within the time and memory that a document is given."
_START = """
import importlib.util, sys
folder = sys.argv[1]
spec = importlib.util.spec_from_file_location("pages", folder + "/__init__.py", submodule_search_locations=[folder])
sys.modules["pages"] = importlib.util.module_from_spec(spec)
from pages.child import main
main()
"""
_SECONDS = 120
_LONGEST_LINE = 500_000_000

_TEXT_WIDTH = 9638
_FAMILIES = {"sans": "Arial", "serif": "Times New Roman", "mono": "Courier New"}
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")

Runs = list[tuple[str, int]]


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate a PDF into a PDF, or into a docx if the wish says so."""
    with source.open("rb") as opened, _child() as child:
        work = _Work(child, opened, wish)
        lines, most = [], []
        for runs in work.texts():  # whose looks are numbers: what was bold is bold wherever it has gone
            pieces = [Run(text, Style(look, look)) for text, look in runs]
            most.append(base(pieces))
            lines.append(TaggedText(joined(pieces, most[-1])))
        answers = words([line.text for line in lines], tagged=True)
        done = [
            [(str(text), around.thing if around else 0) for text, around in flat(line.read(answer), style)]
            for line, answer, style in zip(lines, answers, most, strict=True)
        ]
        if wish.output_format == "docx":
            _write_docx(target, work.paragraphs(done), wish)
        else:
            work.finish(done, target)


@contextmanager
def _child() -> Iterator[subprocess.Popen[bytes]]:
    """Start the process; it is gone when this ends."""
    folder = Path(__file__).with_name("pages")
    allowed = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    command = [sys.executable, "-P", "-c", _START, str(folder)]
    with subprocess.Popen(  # noqa: S603 -- our own interpreter, our own code
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=allowed
    ) as child:
        try:
            yield child
        finally:
            child.kill()


class _Work:
    """A document in the hands of the process."""

    def __init__(self, child: subprocess.Popen[bytes], source: IO[bytes], wish: Wish) -> None:
        self._child = child
        self._in, self._out = cast("IO[bytes]", child.stdin), cast("IO[bytes]", child.stdout)
        self._source, self._wish = source, wish
        self._size = os.fstat(source.fileno()).st_size
        self._said: dict[str, Any] = {}

    def texts(self) -> list[Runs]:
        """Return the document's texts."""
        order = {
            "size": self._size,
            "target_lang": self._wish.target_lang,
            "watermark": self._wish.watermark,
            "flow": self._wish.output_format == "docx",
        }
        with self._bounded():
            self._in.write(json.dumps(order).encode() + b"\n")
            shutil.copyfileobj(self._source, self._in)
            self._in.flush()
            self._said = self._heard()
        return [[(text, look) for text, look in runs] for runs in self._said["texts"]]

    def finish(self, answers: Sequence[Runs], target: Path) -> None:
        """Hand the translations in and write what comes back."""
        with self._bounded():
            self._in.write(json.dumps({"texts": answers}).encode() + b"\n")
            self._in.flush()
            left = int(self._heard()["size"])
            with target.open("wb") as into:
                while left and (piece := self._out.read(min(left, 1 << 16))):
                    into.write(piece)
                    left -= len(piece)
        if left:
            raise Unreadable(_TOO_MUCH)

    def paragraphs(self, answers: Sequence[Runs]) -> "Iterator[_Paragraph]":
        """Yield the paragraphs of a docx."""
        looks = [_Look(**look) for look in self._said["looks"]]
        for level, parts in self._said["flow"]:
            runs = [answers[part] if isinstance(part, int) else part for part in parts]
            yield _Paragraph(level, [[(text, looks[look]) for text, look in some] for some in runs])

    def _heard(self) -> dict[str, Any]:
        line = self._out.readline(_LONGEST_LINE)
        if not line.endswith(b"\n"):
            raise Unreadable(_TOO_MUCH)
        said: dict[str, Any] = json.loads(line)
        if "refused" in said:
            raise Unreadable(said["refused"])
        return said

    @contextmanager
    def _bounded(self) -> Iterator[None]:
        """End the process when it takes too long; what it then does not say is an Unreadable."""
        timer = threading.Timer(_SECONDS + self._size / 50_000, self._child.kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        except (BrokenPipeError, ConnectionResetError):
            self._heard()  # it may have said why
            raise Unreadable(_TOO_MUCH) from None
        finally:
            timer.cancel()


@dataclass(frozen=True, slots=True)
class _Look:
    """How the letters of a run look."""

    family: str
    bold: bool
    italic: bool
    size: float
    colour: tuple[int, int, int, int]
    underline: bool

    @property
    def properties(self) -> str:
        """What Word has to know about it, in the order that it wants."""
        family = _FAMILIES[self.family]
        red, green, blue = self.colour[:3]
        visible = 0 < red + green + blue < 3 * 240
        size = max(2, min(400, round(2 * self.size)))
        return (
            f'<w:rFonts w:ascii="{family}" w:hAnsi="{family}" w:cs="{family}"/>'
            + ("<w:b/><w:bCs/>" if self.bold else "")
            + ("<w:i/><w:iCs/>" if self.italic else "")
            + (f'<w:color w:val="{red:02X}{green:02X}{blue:02X}"/>' if visible else "")
            + f'<w:sz w:val="{size}"/><w:szCs w:val="{size}"/>'
            + ('<w:u w:val="single"/>' if self.underline else "")
        )


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """Texts with tabs between them; *level* is that of a heading, or 0."""

    level: int
    texts: list[list[tuple[str, _Look]]]

    @property
    def is_marked(self) -> bool:
        """Whether it begins with a bullet or a number."""
        first = "".join(text for text, _ in self.texts[0])
        return len(self.texts) == 2 and len(first) <= 5 and not any(map(str.isalpha, first))

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table."""
        return len(self.texts) > 1 and not self.level and not self.is_marked

    @property
    def is_turned(self) -> bool:
        """Whether it is written from right to left."""
        return any(_RIGHT_TO_LEFT.search(text) for runs in self.texts for text, _ in runs)


def _write_docx(target: Path, paragraphs: Iterable[_Paragraph], wish: Wish) -> None:
    """Write a docx of *paragraphs* to the file *target*, marked if it is wished; rows that follow are tables."""
    body = ""
    for is_table, group in itertools.groupby(paragraphs, key=lambda each: each.is_row):
        together = list(group)
        body += _table(together) if is_table else "".join(map(_paragraph, together))
    filled = {"word/document.xml": {"body": body}, "word/styles.xml": {"language": quoteattr(wish.target_lang)}}
    parts = {name: part.format(**filled.get(name, {})).encode() for name, part in read("docx.json")["parts"].items()}
    if wish.watermark:
        parts |= Watermark(parts.get).parts()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name, data)


def _table(rows: list[_Paragraph]) -> str:
    columns = max(len(row.texts) for row in rows)
    grid = f'<w:gridCol w:w="{_TEXT_WIDTH // columns}"/>' * columns
    lines = []
    for row in rows:
        texts = [*row.texts, *([[]] * (columns - len(row.texts)))]
        cells = "".join(f"<w:tc><w:tcPr/>{_paragraph(_Paragraph(0, [text]))}</w:tc>" for text in texts)
        lines.append(f"<w:tr>{cells}</w:tr>")
    turned = "<w:bidiVisual/>" if any(row.is_turned for row in rows) else ""
    look = f'<w:tblPr>{turned}<w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>'
    return f"<w:tbl>{look}{''.join(lines)}</w:tbl><w:p/>"


def _paragraph(paragraph: _Paragraph) -> str:
    style = f'<w:pStyle w:val="Heading{paragraph.level}"/>' if paragraph.level else ""
    turned = "<w:bidi/>" if paragraph.is_turned else ""
    tab = '<w:tabs><w:tab w:val="left" w:pos="425"/></w:tabs>' if paragraph.is_marked else ""
    hang = '<w:ind w:left="425" w:hanging="425"/>' if paragraph.is_marked else ""
    runs = "<w:r><w:tab/></w:r>".join(
        "".join(
            f"<w:r><w:rPr>{look.properties}{'<w:rtl/>' if _RIGHT_TO_LEFT.search(text) else ''}</w:rPr>"
            f'<w:t xml:space="preserve">{escape(FORBIDDEN.sub("", text))}</w:t></w:r>'
            for text, look in some
        )
        for some in paragraph.texts
    )
    return f"<w:p><w:pPr>{style}{tab}{turned}{hang}</w:pPr>{runs}</w:p>"
