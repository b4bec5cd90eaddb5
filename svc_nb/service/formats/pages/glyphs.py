"""What stands on a page as PDFium sees it: letters with their places and looks, rules, and what drew them."""

from __future__ import annotations

import ctypes
import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

MOST_GLYPHS = 200_000
MOST_OBJECTS = 100_000
MOST_LINKS = 500
MOST_IMAGES = 200
MOST_PIXELS = 40_000_000
_FINEST = 5
"""How many pixels of a picture are kept for a point on the page."""
DEEPEST_FORM = 12

_FIXED, _SERIF_FLAG, _ITALIC, _BOLD = 1 << 0, 1 << 1, 1 << 6, 1 << 18
_INVISIBLE = 3
_THIN = 3.0
_MOST_SIDES, _SIDES, _STRAIGHT = 32, 3, 0.01
_WHITE, _PAPER = (255, 255, 255), 250
_MONO = re.compile("mono|courier|consol|typewriter|cmtt|sftt|nimbusmon|menlo|^ectt")
_SANS = re.compile("sans|cmss|sfss|arial|helvet|gothic")
_SERIF = re.compile(
    "times|serif|roman|georgia|garamond|palatino|cambria|bookman|century|minion|charter|utopia|nimbusrom|stix"
    "|^cm(r|b|ti|sl|csc|u)|^sf(rm|bx|ti|sl|cc)|^ec(rm|bx|ti|sl)|^lmr"
)
_BOLD_NAMES = re.compile("bold|black|heavy|demi|-medi$|-medi-|^cm(bx|b)|^(sf|ec)bx|cmssbx")
_ITALIC_NAMES = re.compile("italic|oblique|slanted|-ital|-obli|^cm(ti|sl|bxti|bxsl|itt)|^(sf|ec)(ti|sl|bi|bl)")
# How PDFium marks a hyphen at the end of a line, and bullets of the fonts Symbol and Wingdings.
_SYMBOLS = {2: "-", 0xF0B7: "•", 0xF0A7: "▪", 0xF0A8: "□", 0xF0D8: "➢", 0xF0FC: "✓", 0xF076: "◆"}
_WIDE_NAMES = re.compile("dejavu|verdana|vera")


Box = tuple[float, float, float, float]


class TooMuch(ValueError):
    """The page holds more than anyone could read."""


@dataclass(frozen=True, slots=True)
class Look:
    """How letters look; sizes are in points on the page."""

    family: str = "sans"
    bold: bool = False
    italic: bool = False
    size: float = 12.0
    colour: tuple[int, int, int, int] = (0, 0, 0, 255)
    wide: bool = False
    rise: float = 0.0
    underline: bool = False
    link: int = -1


@dataclass(slots=True)
class Glyph:
    """One letter: from *u0* to *u1* along its line of writing, *v* across it, drawn by the page's text *drawn*."""

    char: str
    u0: float
    u1: float
    v: float
    look: Look
    drawn: int


@dataclass(frozen=True, slots=True)
class Rule:
    """A thin drawn line or the edge of a drawn box, in page coordinates; *drawn* is -1 unless it is a line alone."""

    x0: float
    y0: float
    x1: float
    y1: float
    drawn: int = -1


@dataclass(slots=True)
class Picture:
    """A picture of a page: where it is, and its file, PNG or JPEG; *gap* is the space above it."""

    box: Box
    data: bytes
    gap: float = field(default=6.0, kw_only=True)


@dataclass(frozen=True, slots=True)
class Shape:
    """A drawn path: a *rule* is thin, a *box* has level and upright sides (its corners may be round).

    *fill* is its colour, None if it is not filled; *visible* whether it differs from white paper.
    """

    box: Box
    kind: Literal["rule", "box", "curve"]
    fill: tuple[int, int, int] | None
    visible: bool
    segments: int


@dataclass(slots=True)
class Layer:
    """The texts, paths and forms of one content stream, in the order they are drawn, by number."""

    texts: list[int] = field(default_factory=list)
    paths: list[int] = field(default_factory=list)
    forms: list[Layer] = field(default_factory=list)


@dataclass(slots=True)
class Sheet:
    """All that was read from a page; *glyphs* are grouped by the direction they are written in, in degrees.

    *links* are the places of each link, and *addresses* where it leads; those that lead to one address are one link.
    *silent* are texts that PDFium passes over, with their middles: blanks, and what is drawn twice to look bold.
    *images* are the pictures with their files, and *shapes* all drawn paths, if these are wanted.
    """

    box: Box
    layer: Layer
    glyphs: dict[float, list[Glyph]]
    rules: list[Rule]
    pictures: list[Rule]
    hidden: set[int]
    silent: dict[int, tuple[float, float]]
    links: list[list[Box]]
    addresses: list[str] = field(default_factory=list)
    images: list[Picture] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)


def along(angle: float, x: float, y: float) -> tuple[float, float]:
    """Return the place of (*x*, *y*) in the frame of a text written at *angle* degrees."""
    if not angle:
        return x, y
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return x * cos + y * sin, y * cos - x * sin


def read(page: Any, *, images: bool = False) -> Sheet:
    """Return what stands on *page*, of pypdfium2, with its shapes and the files of its *images* if they are wanted."""
    return _Reader(page, images=images).sheet()


class _Reader:
    """Reads one page."""

    def __init__(self, page: Any, *, images: bool) -> None:
        import pypdfium2.raw as pdfium

        self.pdfium = pdfium
        self.page = page
        self.numbers: dict[int, int] = {}
        self.count = 0
        self.paths = 0
        self.rules: list[Rule] = []
        self.pictures: list[Rule] = []
        self.images: list[Picture] | None = [] if images else None
        self.shapes: list[Shape] = []
        self.looks: dict[int, tuple[float, Look]] = {}
        self.hidden: set[int] = set()
        self.places: dict[int, tuple[float, float]] = {}

    def sheet(self) -> Sheet:
        count = self._counted(self.pdfium.FPDFPage_CountObjects(self.page.raw))
        found = (self.pdfium.FPDFPage_GetObject(self.page.raw, at) for at in range(count))
        layer = self._layer(found, _IDENTITY, 0)
        text_page = self.page.get_textpage()
        try:
            glyphs, unread = self._glyphs(text_page)
        finally:
            text_page.close()
        found_links = self._links()
        links = list(found_links.values())
        addresses = [key.decode("utf-8", "replace") if isinstance(key, bytes) else "" for key in found_links]
        _note_links(glyphs.get(0.0, []), links)
        heard = {glyph.drawn for group in glyphs.values() for glyph in group} | unread
        silent = {number: place for number, place in self.places.items() if number not in heard}
        x0, y0, x1, y1 = map(float, self.page.get_cropbox())
        read = (layer, glyphs, self.rules, self.pictures, self.hidden, silent, links, addresses)
        return Sheet((x0, y0, x1, y1), *read, self.images or [], self.shapes)

    def _counted(self, more: int) -> int:
        """Return *more*, the number of objects that are about to be read; raise TooMuch if all are too many."""
        self.count += more
        if self.count > MOST_OBJECTS:
            raise TooMuch("a page holds too many drawings")
        return more

    def _layer(self, found: Iterator[Any], matrix: tuple[float, ...], depth: int) -> Layer:
        pdfium, layer = self.pdfium, Layer()
        if depth > DEEPEST_FORM:
            raise TooMuch("its drawings are nested too deep")
        for item in found:
            kind = pdfium.FPDFPageObj_GetType(item)
            if kind == pdfium.FPDF_PAGEOBJ_TEXT:
                number = self.numbers[_address(item)] = len(self.numbers)
                layer.texts.append(number)
                if box := self._bounds(item, matrix):
                    self.places[number] = ((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
                if pdfium.FPDFTextObj_GetTextRenderMode(item) == _INVISIBLE:
                    self.hidden.add(number)
            elif kind == pdfium.FPDF_PAGEOBJ_PATH:
                layer.paths.append(self.paths)
                self._rule(item, matrix)
                self.paths += 1
            elif kind == pdfium.FPDF_PAGEOBJ_IMAGE and (box := self._bounds(item, matrix)):
                self.pictures.append(box)
                if self.images is not None and len(self.images) < MOST_IMAGES:
                    self._image(item, box)
            elif kind == pdfium.FPDF_PAGEOBJ_FORM:
                layer.forms.append(self._form(item, matrix, depth))
        return layer

    def _form(self, item: Any, matrix: tuple[float, ...], depth: int) -> Layer:
        inner = self.pdfium.FS_MATRIX()
        self.pdfium.FPDFPageObj_GetMatrix(item, inner)
        count = self._counted(max(0, self.pdfium.FPDFFormObj_CountObjects(item)))
        parts = (self.pdfium.FPDFFormObj_GetObject(item, at) for at in range(count))
        return self._layer(parts, _times(_tuple(inner), matrix), depth + 1)

    def _image(self, item: Any, box: Rule) -> None:
        """Keep the file of a picture, upright as it is on the page; one that PDFium cannot draw is left out."""
        import pypdfium2

        assert self.images is not None  # noqa: S101  asked before
        image = pypdfium2.PdfObject(item, page=self.page, pdf=self.page.pdf)
        into = io.BytesIO()
        try:
            wide, high = image.get_px_size()
            if wide * high > MOST_PIXELS:
                return
            drawn = image.get_bitmap(render=True).to_pil()
        except (pypdfium2.PdfiumError, ValueError, OSError):
            return
        drawn.thumbnail([_FINEST * max(1, round(edge)) for edge in (box.x1 - box.x0, box.y1 - box.y0)])
        is_opaque = drawn.mode != "RGBA" or drawn.getchannel("A").getextrema() == (255, 255)
        is_photo = is_opaque and "DCTDecode" in image.get_filters()
        drawn.convert("RGB").save(into, "JPEG", quality=90) if is_photo else drawn.save(into, "PNG")
        self.images.append(Picture((box.x0, box.y0, box.x1, box.y1), into.getvalue()))

    def _bounds(self, item: Any, matrix: tuple[float, ...]) -> Rule | None:
        edges = [ctypes.c_float() for _ in range(4)]
        if not self.pdfium.FPDFPageObj_GetBounds(item, *edges):
            return None
        left, bottom, right, top = (edge.value for edge in edges)
        x0, y0 = _place(matrix, left, bottom)
        x1, y1 = _place(matrix, right, top)
        return Rule(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1), self.paths)

    def _rule(self, item: Any, matrix: tuple[float, ...]) -> None:
        box = self._bounds(item, matrix)
        if box is None:
            return
        if min(box.x1 - box.x0, box.y1 - box.y0) <= _THIN:
            self.rules.append(box)
        elif self.pdfium.FPDFPath_CountSegments(item) <= 6:
            x0, y0, x1, y1 = box.x0, box.y0, box.x1, box.y1
            corners = ((x0, y0, x0, y1), (x1, y0, x1, y1), (x0, y0, x1, y0), (x0, y1, x1, y1))
            self.rules.extend(Rule(*corner) for corner in corners)
        if self.images is not None:
            self._shape(item, box)

    def _shape(self, item: Any, box: Rule) -> None:
        """Keep how a path is drawn, unless it is not seen."""
        pdfium = self.pdfium
        mode, stroke = ctypes.c_int(), ctypes.c_int()
        pdfium.FPDFPath_GetDrawMode(item, mode, stroke)
        tones = [ctypes.c_uint() for _ in range(4)]
        pdfium.FPDFPageObj_GetFillColor(item, *tones)
        red, green, blue, alpha = (tone.value for tone in tones)
        fill = (red, green, blue) if mode.value and alpha else None
        if fill is None and not stroke.value:
            return
        kind: Literal["rule", "box", "curve"] = "rule"
        if min(box.x1 - box.x0, box.y1 - box.y0) > _THIN:
            kind = "box" if self._is_box(item) else "curve"
        visible = bool(stroke.value) or min(fill or _WHITE) < _PAPER
        place = (box.x0, box.y0, box.x1, box.y1)
        self.shapes.append(Shape(place, kind, fill, visible, pdfium.FPDFPath_CountSegments(item)))

    def _is_box(self, item: Any) -> bool:
        """Whether the straight sides of a path are level and upright; its first ones tell."""
        pdfium, sides = self.pdfium, 0
        x, y = ctypes.c_float(), ctypes.c_float()
        before = (0.0, 0.0)
        for at in range(min(_MOST_SIDES, pdfium.FPDFPath_CountSegments(item))):
            segment = pdfium.FPDFPath_GetPathSegment(item, at)
            pdfium.FPDFPathSegment_GetPoint(segment, x, y)
            place = (x.value, y.value)
            if pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_LINETO:
                across, up = abs(place[0] - before[0]), abs(place[1] - before[1])
                if min(across, up) > _STRAIGHT * max(across, up):
                    return False
                sides += 1
            before = place
        return sides >= _SIDES

    def _glyphs(self, text_page: Any) -> tuple[dict[float, list[Glyph]], set[int]]:
        pdfium, raw = self.pdfium, text_page.raw
        count = text_page.count_chars()
        if count > MOST_GLYPHS:
            raise TooMuch("a page holds too much text")
        found: dict[float, list[Glyph]] = {}
        unread: set[int] = set()
        for at in range(count):
            if pdfium.FPDFText_IsGenerated(raw, at) == 1:
                continue
            number = self.numbers.get(_address(pdfium.FPDFText_GetTextObject(raw, at)))
            if number is None:
                continue
            char = _character(pdfium.FPDFText_GetUnicode(raw, at))
            if not char or pdfium.FPDFText_HasUnicodeMapError(raw, at) == 1:
                unread.add(number)
                continue
            if number not in self.looks:
                self.looks[number] = self._look(raw, at)
            angle, look = self.looks[number]
            if look.size > 0.5:
                u0, u1, v = self._span(raw, at, angle)
                found.setdefault(angle, []).append(Glyph(char, u0, u1, v, look, number))
        return found, unread

    def _links(self) -> dict[Any, list[Box]]:
        """Return the places of links by their address; one without an address has a number."""
        pdfium, found = self.pdfium, dict[Any, list[Box]]()
        at, link, box = ctypes.c_int(), pdfium.FPDF_LINK(), pdfium.FS_RECTF()
        for number in range(MOST_LINKS):
            if not pdfium.FPDFLink_Enumerate(self.page.raw, at, link):
                break
            if pdfium.FPDFLink_GetAnnotRect(link, box):
                place = (box.left, min(box.bottom, box.top), box.right, max(box.bottom, box.top))
                found.setdefault(self._address_of(link) or number, []).append(place)
        return found

    def _address_of(self, link: Any) -> bytes:
        action = self.pdfium.FPDFLink_GetAction(link)
        address = ctypes.create_string_buffer(2048)
        self.pdfium.FPDFAction_GetURIPath(self.page.pdf.raw, action, address, len(address))
        return address.value

    def _span(self, raw: Any, at: int, angle: float) -> tuple[float, float, float]:
        """Return where a letter begins and ends along its line, and the height of the line."""
        x, y = ctypes.c_double(), ctypes.c_double()
        self.pdfium.FPDFText_GetCharOrigin(raw, at, x, y)
        u0, v = along(angle, x.value, y.value)
        box = self.pdfium.FS_RECTF()
        self.pdfium.FPDFText_GetLooseCharBox(raw, at, box)
        if angle % 90:
            return u0, u0 + 0.5 * max(0.0, box.top - box.bottom), v
        ends = (along(angle, box.left, box.bottom)[0], along(angle, box.right, box.top)[0])
        return min(u0, *ends), max(ends), v

    def _look(self, raw: Any, at: int) -> tuple[float, Look]:
        pdfium = self.pdfium
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(raw, at, matrix)
        angle = _rounded(math.degrees(math.atan2(matrix.b, matrix.a)))
        size = pdfium.FPDFText_GetFontSize(raw, at) * math.hypot(matrix.c, matrix.d)
        name, flags = self._font(raw, at)
        heavy = bool(flags & _BOLD) or pdfium.FPDFText_GetFontWeight(raw, at) >= 600
        bold = heavy or _BOLD_NAMES.search(name) is not None
        italic = bool(flags & _ITALIC) or _ITALIC_NAMES.search(name) is not None
        tones = [ctypes.c_uint() for _ in range(4)]
        pdfium.FPDFText_GetFillColor(raw, at, *tones)
        red, green, blue, alpha = (tone.value for tone in tones)
        wide = _WIDE_NAMES.search(name) is not None
        look = Look(_family(name, flags), bold, italic, round(size, 2), (red, green, blue, alpha or 255), wide)
        return angle, look

    def _font(self, raw: Any, at: int) -> tuple[str, int]:
        name, flags = ctypes.create_string_buffer(256), ctypes.c_int()
        self.pdfium.FPDFText_GetFontInfo(raw, at, name, len(name), flags)
        return name.value.decode("latin-1").rpartition("+")[2].lower(), flags.value


def _note_links(glyphs: list[Glyph], links: list[list[Box]]) -> None:
    """Tell which letters belong to which link."""
    places = [(box, number) for number, boxes in enumerate(links) for box in boxes]
    for glyph in glyphs if places else ():
        u, v = (glyph.u0 + glyph.u1) / 2, glyph.v + 0.3 * glyph.look.size
        for (x0, y0, x1, y1), number in places:
            if x0 <= u <= x1 and y0 <= v <= y1:
                glyph.look = replace(glyph.look, link=number)
                break


_IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def _tuple(matrix: Any) -> tuple[float, ...]:
    return (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)


def _times(inner: tuple[float, ...], outer: tuple[float, ...]) -> tuple[float, ...]:
    a, b, c, d, e, f = inner
    g, h, i, j, k, m = outer
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


def _place(matrix: tuple[float, ...], x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _address(pointer: Any) -> int:
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


def _rounded(angle: float) -> float:
    """Return *angle* in whole degrees from 0 to 359, so that the letters of one text share it."""
    return float(round(angle) % 360)


def _character(code: int) -> str:
    """Return the letter of a code point; "" for one that says nothing (controls, private use, replacement)."""
    if code in _SYMBOLS:
        return _SYMBOLS[code]
    if code < 32 or 0xD800 <= code < 0xF900 or code in (0xFFFD, 0xFFFE, 0xFFFF) or code > 0x2FFFF:
        return " " if code in (9, 10, 13) else ""
    return chr(code)


def _family(name: str, flags: int) -> str:
    if flags & _FIXED or _MONO.search(name):
        return "mono"
    if not _SANS.search(name) and (flags & _SERIF_FLAG or _SERIF.search(name)):
        return "serif"
    return "sans"
