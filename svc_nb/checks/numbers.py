"""Whether both sides of a translation have the same numbers, in whatever way each writes them.

Stretches of digits are compared first, as bags, for all rows at once. Rows where they differ are read once more:
`1,000.5`, `1.000,5` and `1 000,5` are one number, so are `3 pm` and `15`, `XXI` and `21`, `5 million` and `500万`.
A small number that the other side writes as a word is only told as such.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from typing import NamedTuple

import numpy as np

from svc_nb.checks.catalogue import Finding
from svc_nb.checks.couple import Couple, rows
from svc_nb.checks.excerpt import listing
from svc_nb.checks.number_words import MAGNITUDES, MONTHS, WORDS
from svc_nb.checks.side import Side
from svc_nb.checks.tape import Numbers

TOKEN = re.compile(r"\d+(?:[.,'’٫٬·\u00a0\u202f\u2009 ]\d+)*")
FRACTION = re.compile("[²³¹¼-¾⁰-⁹₀-₉⅐-⅞①-⑳]")
OTHER_DIGIT = re.compile(r"[^\D0-9]")
SPLIT = re.compile(r"[.,'’٫٬·\u00a0\u202f\u2009 ]")
GROUPED = re.compile(
    r"\d{1,3}(?:(?P<mark>\D)\d{2,3}(?:(?P=mark)\d{2,3})*)?(?P=mark)\d{3}|\d{1,3}(?P<one>\D)\d{3}"
)
AFTERNOON = re.compile(r"p\.?\s?m\b|오후|下午|午後|\bم\b", re.IGNORECASE)
MAGNITUDE = re.compile(
    r"[\s\u00a0\u202f-]{0,2}(?:"
    + "|".join(sorted(map(re.escape, MAGNITUDES), key=len, reverse=True))
    + r")(?![a-zà-ÿ])",
    re.IGNORECASE,
)
ROMANS = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"],
        strict=True,
    )
)
MOST_ROMAN = 3000
ROMAN = re.compile(r"\b[MDCLXVI]{2,15}(?![MDCLXVI])")


class Amount(NamedTuple):
    """A number as it is written, and the values it may have."""

    written: str
    values: frozenset[Decimal]


def numbers(couple: Couple) -> Iterator[Finding]:
    """Codes `numbers` and `number_words`."""
    differing = _bags(couple.source) != _bags(couple.target)
    for row in rows(differing & ~couple.equal):
        source, target = (_western(text) for text in couple.bare(row))
        lost, new = _unmatched(source, target)
        if not lost and not new:
            continue
        told = _in_words(lost, target, couple.target_lang) and _in_words(new, source, couple.source_lang)
        parts = (("missing", lost), ("new", new))
        message = "; ".join(f"{word} {listing(one.written for one in some)}" for word, some in parts if some)
        yield Finding(row, "number_words" if told else "numbers", message + (" (as a word)" if told else ""))


def _bags(side: Side) -> Numbers:
    """For every row a number of the bag of its stretches of digits."""
    digits = side.digits
    if not len(digits.places):
        return np.zeros(len(side), dtype=np.uint64)
    first = np.concatenate(([True], np.diff(digits.places) != 1))
    starts = np.flatnonzero(first)
    lengths = np.diff(np.append(starts, len(first)))
    # A digit counts by its distance from the end of its stretch; wrapping around is as good as a hash.
    distance = np.repeat(digits.places[starts] + lengths, lengths) - digits.places - 1
    powers = np.cumprod(np.full(64, 11, dtype=np.uint64))[np.minimum(distance, 63)]
    items = np.add.reduceat((_values(digits.codes) + np.uint64(1)) * powers, starts)
    return side.bags(digits.rows[starts], items)


def _values(codes: np.typing.NDArray[np.uint32]) -> Numbers:
    values = codes.astype(np.uint64) - np.uint64(ord("0"))
    for code in np.unique(codes[codes > ord("9")]).tolist():
        values[codes == code] = unicodedata.decimal(chr(code))
    return values


def _western(text: str) -> str:
    """*text* with the digits that everybody knows."""
    if text.isascii():
        return text
    plain = FRACTION.sub(lambda found: unicodedata.normalize("NFKC", found[0]).replace("⁄", "/"), text)
    return OTHER_DIGIT.sub(lambda found: str(unicodedata.decimal(found[0])), plain)


def _unmatched(source: str, target: str) -> tuple[list[Amount], list[Amount]]:
    """The numbers of each side that the other does not have, in whatever way they can be read."""
    best = None
    for ours, theirs in product(_ways(source), _ways(target)):
        left = _tolerated(*_matched(ours, theirs), source, target)
        if left == ([], []):
            return left
        best = best or left
    return best or ([], [])


def _ways(text: str) -> list[list[Amount]]:
    """The ways to read the numbers of *text*: as they look, and with every stretch of digits a number of its own."""
    usual = _amounts(text, apart=False)
    return (
        [usual, _amounts(text, apart=True)] if any(not one.written.isdecimal() for one in usual) else [usual]
    )


def _amounts(text: str, *, apart: bool) -> list[Amount]:
    """All numbers of *text*; with *apart*, marks within them separate numbers."""
    found = []
    for token in TOKEN.finditer(text):
        written = token[0]
        if apart or not _is_one(written):
            found += [Amount(part, frozenset({Decimal(part)})) for part in SPLIT.split(written)]
            continue
        values = _readings(written)
        if scale := MAGNITUDE.match(text, token.end()):
            factor = MAGNITUDES.get(scale[0].strip(" \u00a0\u202f-").casefold(), 1)
            values |= {value * factor for value in values}
        found.append(Amount(written, frozenset(values)))
    return found


def _is_one(written: str) -> bool:
    """Whether this is one number, not several such as in a date or a version."""
    marks = SPLIT.findall(written)
    return (
        len(marks) <= 1
        or bool(GROUPED.fullmatch(written))
        or bool(GROUPED.fullmatch(written.rpartition(marks[-1])[0]))
    )


def _readings(written: str) -> set[Decimal]:
    marks = SPLIT.findall(written)
    plain = SPLIT.sub("", written)
    if not marks:
        return {Decimal(plain)}
    values = set()
    if GROUPED.fullmatch(written):
        values.add(Decimal(plain))
    head, mark, tail = written.rpartition(marks[-1])
    if mark in ".,٫·":
        values.add(Decimal(f"{SPLIT.sub('', head)}.{tail}"))
    return values or {Decimal(plain)}


def _matched(ours: list[Amount], theirs: list[Amount]) -> tuple[list[Amount], list[Amount]]:
    places: dict[Decimal, list[int]] = {}
    for place, amount in enumerate(theirs):
        for value in amount.values:
            places.setdefault(value, []).append(place)
    left, used = [], set()
    for amount in ours:
        partner = next(
            (place for value in amount.values for place in places.get(value, ()) if place not in used), None
        )
        if partner is None:
            left.append(amount)
        else:
            used.add(partner)
            for value in theirs[partner].values:
                places[value].remove(partner)
    return left, [amount for place, amount in enumerate(theirs) if place not in used]


def _tolerated(
    lost: list[Amount], new: list[Amount], source: str, target: str
) -> tuple[list[Amount], list[Amount]]:
    """What is left when the clock, Roman numerals and the names of months are taken into account."""
    if lost and new and (AFTERNOON.search(source) or AFTERNOON.search(target)):
        lost, new = _by_clock(lost, new)
    return _unnamed(lost, target), _unnamed(new, source)


def _unnamed(amounts: list[Amount], text: str) -> list[Amount]:
    """Those of *amounts* that *text* has neither as a Roman numeral nor as a month."""
    romans = set(ROMAN.findall(text)) if amounts else set()
    return [amount for amount in amounts if not _is_named(amount, text, romans)]


def _by_clock(lost: list[Amount], new: list[Amount]) -> tuple[list[Amount], list[Amount]]:
    moved = [
        Amount(one.written, frozenset(other for value in one.values for other in (value + 12, value - 12)))
        for one in lost
    ]
    left, rest = _matched(moved, new)
    return [one for one, other in zip(lost, moved, strict=True) if other in left], rest


def _is_named(amount: Amount, text: str, romans: set[str]) -> bool:
    value = min(amount.values)
    if not 0 < value < MOST_ROMAN or value != int(value):
        return False
    if romans and roman(int(value)) in romans:
        return True
    return value in MONTHS and MONTHS[int(value)].search(text) is not None


def roman(value: int) -> str:
    """*value* in Roman numerals.

    >>> roman(21), roman(1994)
    ('XXI', 'MCMXCIV')
    """
    written = ""
    for size, letters in ROMANS:
        count, value = divmod(value, size)
        written += letters * count
    return written


def _in_words(amounts: list[Amount], text: str, lang: str | None) -> bool:
    """Whether *text* has a word for each of *amounts*."""
    folded = text.casefold()
    return all(_has_word(min(amount.values), folded, lang) for amount in amounts)


def _has_word(value: Decimal, folded: str, lang: str | None) -> bool:
    tables = [WORDS[lang]] if lang in WORDS else list(WORDS.values())
    if not 0 <= value < len(tables[0]) or value != int(value):
        return False
    return any(re.search(table[int(value)], folded) for table in tables)
