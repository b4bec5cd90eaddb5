"""Names, amounts and days as written on a chart: never read as mathematics, never without a font, never too long."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import font_manager, rcParams
from matplotlib.font_manager import FontProperties

from svc_nb.usage.totals import dates_of, is_minutes

SIZE = 9.0
SMALL = 8.0
TITLE = 11.5
MISSING = "□"
# Fonts for letters that are missing from the usual one; the installed ones are tried in this order.
FALLBACKS = (
    "Noto Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC", "Noto Sans JP",
    "Noto Sans KR", "Source Han Sans", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Droid Sans Fallback",
    "IPAexGothic", "TakaoGothic", "NanumGothic", "Microsoft YaHei", "SimHei", "Yu Gothic", "Meiryo",
    "Malgun Gothic", "PingFang SC", "Hiragino Sans", "Hiragino Sans GB", "Apple SD Gothic Neo",
    "Arial Unicode MS", "Segoe UI", "Segoe UI Symbol", "Segoe UI Emoji", "Nirmala UI", "Noto Sans Arabic",
    "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Thai", "Noto Emoji", "Noto Sans Symbols",
    "Noto Sans Symbols 2", "Symbola", "Unifont",
)  # fmt: skip
# Marks of direction and joining, which only do harm on a chart.
UNSEEN = {"Cc": " ", "Zl": " ", "Zp": " ", "Cf": "", "Cs": MISSING, "Co": MISSING, "Cn": MISSING}
UNITS = ((1e9, " bn"), (1e6, " M"))
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def plain(size: float = SIZE, **more: Any) -> dict[str, Any]:
    """The options that make a Text show its content letter by letter."""
    return {
        "parse_math": False,
        "usetex": False,
        "fontsize": size,
        "fontfamily": families(*rcParams["font.family"]),
        **more,
    }


def written(text: str) -> str:
    """*text* in one line of letters that can be drawn here, with a small square for each that cannot.

    If SVG keeps texts as text, the viewer has the fonts, so all letters stay.

    >>> written("a$b$\\tc\\u202e"), written("\\ue000")
    ('a$b$ c', '□')
    """
    seen = "".join(UNSEEN.get(unicodedata.category(letter), letter) for letter in text)
    if rcParams["svg.fonttype"] != "none":
        known = _letters(families(*rcParams["font.family"]), tuple(rcParams["font.sans-serif"]))
        seen = "".join(letter if letter in " " or ord(letter) in known else MISSING for letter in seen)
    return seen.replace("\ufe0f", "").strip()


def shortened(text: str, points: float, *, size: float = SIZE) -> str:
    """*text*, with its middle left out if it would be wider than *points*.

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
    """The approximate width of *text* in points, rather too large than too small."""
    ems = 0.0
    for letter in text:
        if unicodedata.east_asian_width(letter) in "WF" or letter in "mwMW%@":
            ems += 1.0
        else:
            ems += 0.36 if letter in "iljtfI.,:;'|!()[] " else 0.7 if letter.isupper() else 0.62
    return size * ems


def labels(names: Iterable[str], points: float, *, masks: dict[str, str] | None = None) -> list[str]:
    """*names* shortened to *points*, all different; a name with letters that cannot be drawn also gets its mask."""
    times: dict[str, int] = {}
    found: list[str] = []
    for name in names:
        text = written(name)
        mask = (masks or {}).get(name, "")
        if MISSING in text and MISSING not in name and mask and mask not in text:
            text = f"{text} ({mask})"
        text = shortened(text, points)
        times[text] = times.get(text, 0) + 1
        found.append(text if times[text] == 1 else f"{text} #{times[text]}")
    return found


def _without_middle(text: str, kept: int) -> str:
    head = (kept * 2 + 2) // 3
    return f"{text[:head].rstrip()}…{text[len(text) - (kept - head) :].lstrip() if kept > head else ''}"


@lru_cache(maxsize=8)
def families(*own: str) -> tuple[str, ...]:
    """The fonts of a chart: the user's *own*, then the installed ones for letters that are missing from it."""
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return (*own, *(name for name in FALLBACKS if name in installed and name not in own))


@lru_cache(maxsize=8)
def _letters(names: tuple[str, ...], meant: tuple[str, ...]) -> frozenset[int]:
    """The code points that one of the fonts can draw; *meant* is what "sans-serif" stands for."""
    found: set[int] = set()
    for name in names:
        found.update(font_manager.get_font(font_manager.findfont(FontProperties(family=[name]))).get_charmap())
    return frozenset(found)


# ---- amounts and days


def whole(amount: float) -> str:
    """*amount* in full, with a decimal only if it is small and needs one.

    >>> whole(1234567), whole(12.345), whole(1234.5), whole(0)
    ('1,234,567', '12.3', '1,235', '0')
    """
    if float(amount).is_integer() or abs(amount) >= 1000:
        return f"{math.floor(amount + 0.5):,}"
    return f"{amount:,.1f}" if abs(amount) >= 0.1 else f"{amount:.2g}"


def short(amount: float) -> str:
    """*amount* in at most seven letters or so.

    >>> short(950), short(12_000), short(1_234_567), short(25_000_000), short(3.2e9)
    ('950', '12,000', '1.2 M', '25 M', '3.2 bn')
    """
    for size, unit in UNITS:
        if abs(amount) >= size * 0.9995:
            decimals = 1 if abs(amount / size) < 100 else 0
            return f"{amount / size:,.{decimals}f}".removesuffix(".0") + unit
    return whole(amount)


def percent(part: float) -> str:
    """A fraction in percent, with one decimal; 0, 1 and large numbers have none.

    >>> percent(0.345), percent(0.03), percent(0.0004), percent(0), percent(1), percent(1643.69)
    ('34.5 %', '3.0 %', '< 0.1 %', '0 %', '100 %', '164,369 %')
    """
    if 0 < part < 0.0005:
        return "< 0.1 %"
    return f"{part * 100:,.{0 if part in (0, 1) or part >= 10 else 1}f} %"


def day_in_words(day: date, *, year: bool = False) -> str:
    """A day in words.

    >>> day_in_words(date(2026, 11, 5)), day_in_words(date(2026, 11, 5), year=True)
    ('5 November', '5 November 2026')
    """
    return f"{day.day} {MONTHS[day.month - 1]}" + (f" {day.year}" if year else "")


def span_in_words(first: date, last: date) -> str:
    """A range of days without repetitions.

    >>> span_in_words(date(2026, 11, 1), date(2026, 11, 30)), span_in_words(date(2025, 12, 3), date(2026, 1, 2))
    ('1 to 30 November 2026', '3 December 2025 to 2 January 2026')
    """
    if first == last:
        return day_in_words(first, year=True)
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day} to {day_in_words(last, year=True)}"
    return f"{day_in_words(first, year=first.year != last.year)} to {day_in_words(last, year=True)}"


def period_in_words(start: date, every: str, within: tuple[date, date]) -> str:
    """The day, week or month of *start*; for a week or month, the part that is *within* two days.

    >>> year = date(2026, 1, 1), date(2026, 12, 20)
    >>> [period_in_words(date(2026, month, 1), "month", year) for month in (10, 12)]
    ['October 2026', '1 to 20 December 2026']
    >>> period_in_words(date(2026, 10, 5), "week", year), period_in_words(date(2026, 10, 5), "day", year)
    ('5 to 11 October 2026', '5 October 2026')
    """
    if every == "day":
        return day_in_words(start, year=True)
    start = start - timedelta(days=start.weekday()) if every == "week" else start.replace(day=1)
    whole_month = (start + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    end = start + timedelta(days=6) if every == "week" else whole_month
    first, last = max(start, within[0]), min(end, within[1])
    if every == "month" and (first, last) == (start, end):
        return f"{MONTHS[start.month - 1]} {start.year}"
    return span_in_words(first, max(first, last))


# ---- titles and alt text for a table of usage

FIELDS = {
    "total_characters": "Characters",
    "text_translation_characters": "Characters of text translation",
    "document_translation_characters": "Characters of document translation",
    "text_improvement_characters": "Characters of text improvement",
    "speech_to_text_minutes": "Minutes of speech to text",
    "speech_to_speech_minutes": "Minutes of speech to speech",
}
PRODUCTS = {
    "text_translation_characters": "Text translation",
    "document_translation_characters": "Document translation",
    "text_improvement_characters": "Text improvement",
    "total_characters": "Other products",
}


def what(field: str) -> str:
    """What *field* counts."""
    return FIELDS.get(field, field.replace("_", " ").capitalize())


def unit(field: str) -> str:
    """The unit of *field*."""
    return "minutes" if is_minutes(field) else "characters"


def who(table: pd.DataFrame) -> str:
    """What the rows of *table* are about: keys or tags; empty if all are together."""
    if "custom_tag" in table.columns:
        return "tag"
    return "key" if {"api_key", "api_key_label"} & {*table.columns} else ""


def span(table: pd.DataFrame) -> str:
    """The days of *table*; the requested ones, if it knows them."""
    first, last = getattr(table, "start", None), getattr(table, "end", None)
    if not (isinstance(first, date) and isinstance(last, date)):
        if "usage_date" not in table.columns or not len(table):
            return ""
        dates = dates_of(table)
        first, last = dates.min().item(), dates.max().item()
    return span_in_words(*(date(day.year, day.month, day.day) for day in (first, last)))


def incomplete_days(table: pd.DataFrame) -> list[date]:
    """The days of *table* that are not over."""
    if "incomplete" not in table.columns or "usage_date" not in table.columns or not len(table):
        return []
    marked = table["incomplete"].fillna(False).to_numpy(dtype=bool)
    return [day.item() for day in np.unique(dates_of(table[marked]))]


def isolated(name: str) -> str:
    """*name* within a sentence, isolated so that right-to-left names do not reorder the rest.

    >>> isolated("Shop"), isolated("\u05d7\u05e0\u05d5\u05ea")
    ('Shop', '\u2068\u05d7\u05e0\u05d5\u05ea\u2069')
    """
    turned = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)
    return f"\u2068{name}\u2069" if turned else name


def outlier_in_words(day: date, name: str, amount: float, usual: float) -> str:
    """One day on which a key is far above its usual.

    >>> outlier_in_words(date(2026, 10, 12), "key-a", 48210, 2134)
    '12 October: key-a used 48,210, usually about 2,100'
    """
    digits = 1 - math.floor(math.log10(usual)) if usual > 0 else 0
    return f"{day_in_words(day)}: {isolated(name)} used {whole(amount)}, usually about {whole(round(usual, digits))}"


def unfinished(table: pd.DataFrame) -> str:
    """A sentence about the days that are not over, if there are any."""
    days = [day_in_words(day) for day in incomplete_days(table)]
    return f"{', '.join(days)} {'is' if len(days) == 1 else 'are'} not over: more use may follow." if days else ""


def still(table: pd.DataFrame) -> str:
    """The days that are not over, in short."""
    days = incomplete_days(table)
    return f"{', '.join(map(day_in_words, days))} not over" if days else ""


def in_all(amount: float, field: str, *, of: str = "in all") -> str:
    """A total with its unit, and what it is a total *of*."""
    return f"{whole(amount)} {unit(field)} {of}"


def largest(sums: pd.Series[Any]) -> str:
    """A sentence about the largest of *sums*, in percent."""
    total = float(sums.sum())
    parts = [f"{isolated(str(name))} ({percent(amount / total)})" for name, amount in sums.items() if amount > 0][:3]
    if not parts:
        return ""
    left = int((sums > 0).sum()) - len(parts)
    more = f" and {left} more" if left else ""
    return f"{'Largest' if left or len(parts) > 1 else 'Only'}: {', '.join(parts)}{more}."
