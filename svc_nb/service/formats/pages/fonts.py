"""Which font draws which letters: the fonts every reader has, then DejaVu, then those for Chinese, Japanese, Korean."""

import importlib.util
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from .glyphs import Look

_STANDARD = {
    "sans": ("Helvetica", "Helvetica-Oblique", "Helvetica-Bold", "Helvetica-BoldOblique"),
    "serif": ("Times-Roman", "Times-Italic", "Times-Bold", "Times-BoldItalic"),
    "mono": ("Courier", "Courier-Oblique", "Courier-Bold", "Courier-BoldOblique"),
}
_DEJAVU = {
    "sans": ("DejaVuSans", "DejaVuSans-Oblique", "DejaVuSans-Bold", "DejaVuSans-BoldOblique"),
    "serif": ("DejaVuSerif", "DejaVuSerif-Italic", "DejaVuSerif-Bold", "DejaVuSerif-BoldItalic"),
    "mono": ("DejaVuSansMono", "DejaVuSansMono-Oblique", "DejaVuSansMono-Bold", "DejaVuSansMono-BoldOblique"),
}
_ASIAN = {
    "JA": ("HeiseiKakuGo-W5", "HeiseiMin-W3"),
    "KO": ("HYGothic-Medium", "HYSMyeongJo-Medium"),
    "ZH-HANT": ("MSung-Light", "MSung-Light"),
}
_CHINESE = ("STSong-Light", "STSong-Light")
_UNKNOWN = "\ufffd"


class Fonts:
    """The fonts for one target language; counts the letters that none of them has."""

    def __init__(self, target_lang: str) -> None:
        language = target_lang.upper()
        self._asian = _ASIAN.get(language) or _ASIAN.get(language.partition("-")[0]) or _CHINESE
        self.drawn = 0
        self.missing = 0

    def pieces(self, text: str, look: Look, *, plain: bool) -> Iterator[tuple[str, str]]:
        """Yield *text* as (font, text) pieces; *plain* text needs no more than the fonts every reader has."""
        which = 2 * look.bold + look.italic
        self.drawn += sum(map(str.isalpha, text))
        if plain and not look.wide:
            yield _STANDARD[look.family][which], text
            return
        before, start = "", 0
        chars = [self._font(char, look, which) for char in text]
        for at, (font, _) in enumerate(chars):
            if font != before and at:
                yield before, "".join(char for _, char in chars[start:at])
                start = at
            before = font
        if chars:
            yield before, "".join(char for _, char in chars[start:])

    def _font(self, char: str, look: Look, which: int) -> tuple[str, str]:
        for name in (_DEJAVU[look.family][which], _DEJAVU["sans"][which & 2], "DejaVuSans"):
            if _has(name, char):
                return name, char
        if is_asian(char):
            return _asian(self._asian[look.family == "serif"]), char
        self.missing += char.isalpha()
        return "DejaVuSans", _UNKNOWN


def is_plain(text: str) -> bool:
    """Whether the fonts that every reader has can draw *text*."""
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


def is_asian(char: str) -> bool:
    """Whether *char* is of a script written without spaces in squares: Chinese, Japanese or Korean."""
    return (
        "\u1100" <= char <= "\u11ff"
        or "\u2e80" <= char <= "\ud7af"
        or "\uf900" <= char <= "\ufaff"
        or "\uff00" <= char <= "\uffef"
    )


def width(text: str, font: str, size: float) -> float:
    """Return how long *text* is."""
    from reportlab.pdfbase.pdfmetrics import stringWidth

    return float(stringWidth(text, font, size))


@cache
def _dejavu(name: str) -> Any:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    found = importlib.util.find_spec("matplotlib")
    folder = Path(found.origin or "").parent if found else Path()
    font = TTFont(name, str(folder / "mpl-data" / "fonts" / "ttf" / f"{name}.ttf"))
    pdfmetrics.registerFont(font)
    return font


@cache
def _has(name: str, char: str) -> bool:
    return ord(char) in _dejavu(name).face.charToGlyph


@cache
def _asian(name: str) -> str:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont

    pdfmetrics.registerFont(UnicodeCIDFont(name))
    return name
