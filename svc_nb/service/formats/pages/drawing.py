"""Blocks that were set, drawn with reportlab on empty pages, to be laid over the old ones."""

import io
import math
from collections.abc import Iterator, Sequence
from typing import Any

from . import bidi
from .fonts import width
from .glyphs import Box, Sheet
from .typeset import Piece, Setting, Word

WATERMARK = "Machine translation"


class Drawing:
    """A PDF of as many pages as the document has, with nothing on them but the new text."""

    def __init__(self, *, watermark: bool) -> None:
        from reportlab.pdfgen.canvas import Canvas

        self._into = io.BytesIO()
        self._canvas = Canvas(self._into, pageCompression=1)
        self._watermark = watermark
        self.links: list[dict[int, list[Box]]] = []

    def add_page(self, sheet: Sheet, settings: Sequence[Setting], rotation: int) -> None:
        """Draw the texts of one page, and the watermark."""
        self.links.append({})
        self._canvas.setPageSize((max(sheet.box[2], 1.0), max(sheet.box[3], 1.0)))
        for setting in settings:
            if setting.block.hidden:
                self._cover(setting)
        for setting in settings:
            self._draw(setting)
        if self._watermark:
            self._mark(sheet, rotation)
        self._canvas.showPage()

    def finished(self) -> bytes:
        """Return the PDF."""
        self._canvas.save()
        return self._into.getvalue()

    def _cover(self, setting: Setting) -> None:
        """Paint over the picture of words that were scanned: the words to be read lie on it unseen."""
        block, canvas = setting.block, self._canvas
        canvas.saveState()
        canvas.rotate(block.angle)
        canvas.setFillColorRGB(1, 1, 1)
        margin = 0.1 * block.size
        canvas.rect(
            block.u0 - margin,
            block.bottom - margin,
            block.u1 - block.u0 + 2 * margin,
            block.top - block.bottom + 2 * margin,
            stroke=0,
            fill=1,
        )
        canvas.restoreState()

    def _draw(self, setting: Setting) -> None:
        self._canvas.saveState()
        if setting.block.angle:
            self._canvas.rotate(setting.block.angle)
        for number, line in enumerate(setting.lines):
            self._line(setting, line, number)
        self._canvas.restoreState()

    def _line(self, setting: Setting, line: list[Word], number: int) -> None:
        block, scale = setting.block, setting.scale
        spaces = sum(word.space for word in line[:-1]) * scale
        long = sum(word.width for word in line) * scale + spaces
        indent = block.indent if number == 0 else block.hang
        free = setting.room.u1 - setting.room.u0 - indent - long
        stretch = 1.0
        if block.justified and number < len(setting.lines) - 1 and 0 < free <= 3 * spaces:
            stretch = 1 + free / spaces
            free = 0.0
        u = setting.room.u0 + _shift(setting, indent, free)
        v = setting.first - number * setting.leading
        for piece, start, end, space in _pieces(setting, line, stretch=stretch, u=u):
            self._piece(piece, start, v, scale=scale, end=end, space=space)

    def _piece(self, piece: Piece, u: float, v: float, *, scale: float, end: float, space: bool) -> None:
        canvas, look = self._canvas, piece.look
        size = look.size * scale
        red, green, blue, alpha = (tone / 255 for tone in look.colour)
        text: Any = canvas.beginText()
        text.setTextOrigin(u, v + look.rise * scale)
        text.setFont(piece.font, size)
        canvas.setFillColorRGB(red, green, blue)
        canvas.setFillAlpha(alpha) if alpha < 1 else None
        text.textOut(piece.text + (" " if space else ""))
        canvas.drawText(text)
        if look.link >= 0:
            self._link(look.link, (u, v - 0.22 * size, end, v + 0.8 * size))
        if look.underline:
            canvas.setStrokeColorRGB(red, green, blue)
            canvas.setLineWidth(0.05 * size)
            canvas.line(u, v - 0.12 * size, end, v - 0.12 * size)
        canvas.setFillAlpha(1) if alpha < 1 else None

    def _link(self, number: int, box: Box) -> None:
        """Note where a link is now, in one place for each line."""
        boxes = self.links[-1].setdefault(number, [])
        if boxes and abs(boxes[-1][1] - box[1]) < 1 and box[0] - boxes[-1][2] < 12:
            box = (boxes[-1][0], min(boxes[-1][1], box[1]), box[2], max(boxes[-1][3], box[3]))
            boxes.pop()
        boxes.append(box)

    def _mark(self, sheet: Sheet, rotation: int) -> None:
        canvas = self._canvas
        x0, y0, x1, y1 = sheet.box
        across, up = (x1 - x0, y1 - y0) if rotation % 180 == 0 else (y1 - y0, x1 - x0)
        slant = math.degrees(math.atan2(up, across))
        size = 0.6 * math.hypot(across, up) / width(WATERMARK, "Helvetica", 1.0)
        canvas.saveState()
        canvas.translate((x0 + x1) / 2, (y0 + y1) / 2)
        canvas.rotate(slant + rotation)
        canvas.setFillColorRGB(0.5, 0.5, 0.5)
        canvas.setFillAlpha(0.18)
        canvas.setFont("Helvetica", size)
        canvas.drawCentredString(0, -0.35 * size, WATERMARK)
        canvas.restoreState()


def _shift(setting: Setting, indent: float, free: float) -> float:
    """Return how far a line begins from the left edge."""
    if setting.block.align == "centre":
        return free / 2
    if setting.block.align == "right" or setting.turned:
        return free if setting.turned else indent + free
    return indent


def _pieces(
    setting: Setting, line: list[Word], *, stretch: float, u: float
) -> Iterator[tuple[Piece, float, float, bool]]:
    """Yield the pieces of a line with where each starts and ends, and whether a space follows, from left to right."""
    scale, turned = setting.scale, setting.turned
    if turned or any(bidi.has_right_to_left(piece.text) for word in line for piece in word.pieces):
        line = _turned(line, right_to_left=turned)
    pieces = _merged(line, stretched=stretch != 1 or setting.block.leads)
    for (piece, space), (after, _) in zip(pieces, [*pieces[1:], (None, 0.0)], strict=True):
        end = u + piece.width * scale
        next_u = end + space * scale * stretch
        yield piece, u, next_u if after and after.look == piece.look else end, space > 0
        u = next_u


def _merged(line: list[Word], *, stretched: bool) -> list[tuple[Piece, float]]:
    """Return the pieces of a line and the space after each, those of one look as one."""
    done: list[tuple[Piece, float]] = []
    for number, word in enumerate(line):
        for at, piece in enumerate(word.pieces):
            ends = at == len(word.pieces) - 1 and number < len(line) - 1
            if done and (done[-1][0].look, done[-1][0].font) == (piece.look, piece.font):
                before, space = done[-1]
                if not (space and stretched):
                    done.pop()
                    text = before.text + (" " if space else "") + piece.text
                    piece = Piece(text, piece.look, piece.font, before.width + space + piece.width)
            done.append((piece, word.space if ends else 0.0))
    return done


def _turned(line: list[Word], *, right_to_left: bool) -> list[Word]:
    """Return one word for each piece of a line that is drawn from left to right."""
    letters: list[tuple[str, tuple[Piece, float]]] = []
    for number, word in enumerate(line):
        for piece in word.pieces:
            letters += [(char, (piece, 0.0)) for char in piece.text]
        if word.space and number < len(line) - 1:
            letters.append((" ", (word.pieces[-1], word.space)))
    done: list[Word] = []
    for char, (piece, space) in bidi.drawn_order(letters, right_to_left=right_to_left):
        if char == " " and space:
            if done:
                done[-1] = Word(done[-1].pieces, done[-1].width, space)
            continue
        wide = width(char, piece.font, piece.look.size)
        if (
            done
            and not done[-1].space
            and done[-1].pieces[-1].look == piece.look
            and done[-1].pieces[-1].font == piece.font
        ):
            before = done[-1].pieces[-1]
            whole = Piece(before.text + char, piece.look, piece.font, before.width + wide)
            done[-1] = Word((whole,), whole.width)
        else:
            done.append(Word((Piece(char, piece.look, piece.font, wide),), wide))
    return done
