"""Whether both sides of a translation have the same units, currencies and percent signs beside their numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from svc_nb.checks.codepoints import LETTER
from svc_nb.checks.findings import Finding, excerpt
from svc_nb.checks.language_data import HEAD, UNIT_NAMES, UNIT_WORDS, UNITS, UNSPACED
from svc_nb.checks.numbers import LARGE, western
from svc_nb.checks.text_array import Hashes
from svc_nb.checks.text_pairs import Side, TextPairs, one_of, rows_where

CURRENCIES = "€$£¥₽₹₩₪₺₴"
SIGNS = f"%٪％{CURRENCIES}°"
SPACES = " \u00a0\u202f\u200e\u200f"
FIRST = "".join(sorted({*SIGNS, "U", *(unit[0] for unit in UNITS)}))
UNIT = re.compile(
    rf"(?<=[\d٠-٩۰-۹०-९])[\s\u200e\u200f]{{0,3}}(?P<after>(?:US)?[{CURRENCIES}]|(?:"
    + "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
    + rf")(?![^\W\d_]|\d))|(?P<before>[%٪％{CURRENCIES}])[\s\u00a0\u202f]?(?=[\d٠-٩۰-۹०-९])"
)

SCALED = re.compile(rf"(?<=\d)[\s\u00a0\u202f]{{0,2}}{LARGE.pattern}(?=\s?[{CURRENCIES}])", re.IGNORECASE)  # 5 Mio. $

COUNTED = re.compile(r"(?<![\d.,])(?P<number>\d+)[\s-]{0,2}[个個]?(?P<word>月|[^\W\d_]{2,20}|[\u3400-\u9fff])")
LONGEST_ENDING = 3


def units(pairs: TextPairs) -> Iterator[Finding]:
    """Code `units`."""
    ours, theirs = _beside_numbers(pairs.source), _beside_numbers(pairs.target)
    for row in rows_where((ours != theirs) & ~pairs.equal):
        source, target = pairs.bare(row)
        wanted, found = _units(source), _units(target)
        lost, new = wanted - found, found - wanted
        # Units may be written as words, so only a unit that became another one is certainly wrong.
        for unit in list(lost):
            if not new and not (unit in UNIT_WORDS and not UNIT_WORDS[unit].search(target)):
                del lost[unit]
        for unit in list(new):
            if (unit in UNIT_WORDS and UNIT_WORDS[unit].search(source)) or (unit not in UNIT_WORDS and not lost):
                del new[unit]
        if lost or new:
            told = [f"{word} {excerpt(min(some))}" for word, some in (("missing", lost), ("new", new)) if some]
            yield Finding(row, "units", "; ".join(told))


def unit_names(pairs: TextPairs) -> Iterator[Finding]:
    """Code `units`, for a unit in words that became another: "3 days", "3 Wochen"."""
    stems = [UNIT_NAMES.get(lang or "", {}) for lang in (pairs.source_lang or "en", pairs.target_lang)]
    if not stems[0] or not stems[1]:
        return
    counted = [side.counts(side.digits) > 0 for side in (pairs.source, pairs.target)]
    if pairs.source_lang not in UNSPACED:
        counted[0] &= pairs.source.beginning(frozenset(each[:HEAD] for each in (*stems[0], *UNITS) if len(each) > 1))
    for row in rows_where(counted[0] & counted[1] & ~pairs.equal):
        meant, found = (_counted(western(text), each) for text, each in zip(pairs.bare(row), stems, strict=True))
        for number in meant.keys() & found.keys():
            if not meant[number].keys() & found[number].keys():
                wrong, right = ("".join(some[number].values()) for some in (found, meant))
                yield Finding(row, "units", f"{excerpt(wrong)} for {excerpt(right)}")


def _counted(text: str, stems: dict[str, str]) -> dict[str, dict[str, str]]:
    """For every number of *text* the units that follow it, each as written."""
    found: dict[str, dict[str, str]] = {}
    for match in COUNTED.finditer(text):
        word = match["word"].casefold()
        stem = next((stem for stem in stems if word.startswith(stem) and len(word) <= len(stem) + LONGEST_ENDING), None)
        if stem or match["word"] in UNITS:
            unit = stems[stem] if stem else UNITS[match["word"]]
            found.setdefault(match["number"], {})[unit] = match[0]
    return found


def _units(text: str) -> Counter[str]:
    """The units beside the numbers of *text*, each by its international symbol."""
    found = (match["after"] or match["before"] for match in UNIT.finditer(SCALED.sub("", text)))
    return Counter(UNITS.get(unit, unit.removeprefix("US")) for unit in found)


def _beside_numbers(side: Side) -> Hashes:
    """For every row a hash that differs if the text beside its numbers may differ."""
    codes, kinds, digits = side.codes, side.kinds, side.digits.places
    is_digit = np.zeros(len(codes) + 2, dtype=np.bool_)
    is_digit[digits] = True
    ends = digits[~is_digit[digits + 1]] + 1
    for _ in range(2):
        ends = np.minimum(ends + one_of(codes[ends], SPACES), len(codes) - 1)
    starts = digits[~is_digit[digits - 1]] - 1
    starts = np.maximum(starts - one_of(codes[starts], SPACES), 0)
    beside = np.concatenate((ends[one_of(codes[ends], FIRST)], starts[one_of(codes[starts], SIGNS)]))
    after = np.minimum(beside + 1, len(codes) - 1)
    letters = np.where((kinds[after] & LETTER) != 0, codes[after], 0)
    return side.bags(side.row_at[beside], codes[beside].astype(np.uint64) * np.uint64(0x110000) + letters)
