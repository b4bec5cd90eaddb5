"""Text that people wrote, as it stands on a chart: never mathematics, never without a font, never too long."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from matplotlib import font_manager, rcParams
from matplotlib.font_manager import FontProperties

SIZE = 9.0
SMALL = 8.0
TITLE = 11.5
MISSING = "□"
# Where the usual font lacks a letter; those that are installed are asked in this order.
FALLBACKS = (
    "Noto Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans CJK KR",
    "Noto Sans SC",
    "Noto Sans JP",
    "Noto Sans KR",
    "Source Han Sans",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "IPAexGothic",
    "TakaoGothic",
    "NanumGothic",
    "Microsoft YaHei",
    "SimHei",
    "Yu Gothic",
    "Meiryo",
    "Malgun Gothic",
    "PingFang SC",
    "Hiragino Sans",
    "Hiragino Sans GB",
    "Apple SD Gothic Neo",
    "Arial Unicode MS",
    "Segoe UI",
    "Segoe UI Symbol",
    "Segoe UI Emoji",
    "Nirmala UI",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Noto Emoji",
    "Noto Sans Symbols",
    "Noto Sans Symbols 2",
    "Symbola",
    "Unifont",
)
# Marks of direction and joining: what they would do on a chart is nothing good.
UNSEEN = {"Cc": " ", "Zl": " ", "Zp": " ", "Cf": "", "Cs": MISSING, "Co": MISSING, "Cn": MISSING}


def plain(size: float = SIZE, **more: Any) -> dict[str, Any]:
    """How a Text is told to show what it is given, letter by letter."""
    return {"parse_math": False, "usetex": False, "fontsize": size, "fontfamily": families(), **more}


def families() -> list[str]:
    """The fonts of a chart: what the user has set, then what is installed for the letters it lacks."""
    return list(_families(tuple(rcParams["font.family"])))


def written(text: str) -> str:
    """*text* in one line of letters that can be drawn here; a small square for each that cannot.

    Where SVG keeps texts as texts, whoever shows it has the fonts, and all letters stay.

    >>> written("a$b$\\tc\\u202e"), written("\\ue000")
    ('a$b$ c', '□')
    """
    seen = "".join(UNSEEN.get(unicodedata.category(letter), letter) for letter in text)
    if rcParams["svg.fonttype"] != "none":
        known = _letters(tuple(families()), tuple(rcParams["font.sans-serif"]))
        seen = "".join(letter if letter in " " or ord(letter) in known else MISSING for letter in seen)
    return seen.replace("\ufe0f", "").strip()


def shortened(text: str, points: float, *, size: float = SIZE) -> str:
    """*text*, with its middle left out where it would be wider than *points*.

    >>> shortened("Marketing and communication (abcd********wxyz)", 150)
    'Marketing and com…***wxyz)'
    """
    if width(text, size) <= points:
        return text
    kept = len(text)
    while kept > 1 and width(_without_middle(text, kept), size) > points:
        kept -= 1 if kept < 60 else kept // 4
    return _without_middle(text, kept)


def width(text: str, size: float = SIZE) -> float:
    """About how wide *text* is, in points; rather too much than too little."""
    return size * sum(_ems(letter) for letter in text)


def labels(names: Iterable[str], points: float, *, masks: dict[str, str] | None = None) -> list[str]:
    """*names* as they fit into *points*, all different; one with letters that cannot be drawn has its mask, too."""
    found: list[str] = []
    for name in names:
        text = written(name)
        mask = (masks or {}).get(name, "")
        if MISSING in text and MISSING not in name and mask and mask not in text:
            text = f"{text} ({mask})"
        found.append(shortened(text, points))
    return _apart(found)


def _apart(texts: Sequence[str]) -> list[str]:
    times: dict[str, int] = {}
    found = []
    for text in texts:
        times[text] = times.get(text, 0) + 1
        found.append(text if times[text] == 1 else f"{text} #{times[text]}")
    return found


def _without_middle(text: str, kept: int) -> str:
    head = (kept * 2 + 2) // 3
    return f"{text[:head].rstrip()}…{text[len(text) - (kept - head) :].lstrip() if kept > head else ''}"


def _ems(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF" or letter in "mwMW%@":
        return 1.0
    return 0.36 if letter in "iljtfI.,:;'|!()[] " else 0.7 if letter.isupper() else 0.62


@lru_cache(maxsize=8)
def _families(own: tuple[str, ...]) -> tuple[str, ...]:
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return (*own, *(name for name in FALLBACKS if name in installed and name not in own))


@lru_cache(maxsize=8)
def _letters(names: tuple[str, ...], meant: tuple[str, ...]) -> frozenset[int]:
    """The code points that one of the fonts can draw; *meant* is what "sans-serif" stands for."""
    found: set[int] = set()
    for name in names:
        path = font_manager.findfont(FontProperties(family=[name]))
        found.update(font_manager.get_font(path).get_charmap())
    return frozenset(found)
