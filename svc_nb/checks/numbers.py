"""Whether both sides of a translation have the same numbers and dates, however each is written.

Digit sequences are compared first, as bags, for all rows at once. Rows that differ are examined further: `1,000.5`,
`1.000,5` and `1 000,5` are one number, and so are `3 pm` and `15`, `XXI` and `21`, `5 million` and `500万`. A small
number that the other side writes as a word is a separate, milder finding. Versions, addresses and dates are chains of
numbers: their parts must stay in order, except as required by the language of a date.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from svc_nb.checks.findings import MOST_ITEMS, Finding, excerpt, listing, put_back
from svc_nb.checks.language_data import DATE_ORDERS, DECIMAL_POINTS, EITHER_MARK, MAGNITUDES, MONTHS, NUMBER_WORDS
from svc_nb.checks.text_array import MIX, Bools, Hashes
from svc_nb.checks.text_pairs import Side, TextPairs, rows_where

TOKEN = re.compile(r"\d+(?:[.,'’٫٬·\u00a0\u202f\u2009 ]\d+)*")
FRACTION = re.compile("[²³¹¼-¾⁰-⁹₀-₉⅐-⅞①-⑳]")
OTHER_DIGIT = re.compile(r"[^\D0-9]")
SPLIT = re.compile(r"[.,'’٫٬·\u00a0\u202f\u2009 ]")
GROUPED = re.compile(r"\d{1,3}(?:(?P<mark>\D)\d{2,3}(?:(?P=mark)\d{2,3})*)?(?P=mark)\d{3}|\d{1,3}(?P<one>\D)\d{3}")
AFTERNOON = re.compile(r"p\.?\s?m\b|오후|下午|午後|\bم\b", re.IGNORECASE)
MAGNITUDE = re.compile(
    r"[\s\u00a0\u202f-]{0,2}(?:"
    + "|".join(sorted(map(re.escape, MAGNITUDES), key=len, reverse=True))
    + r")(?![a-zà-ÿ])",
    re.IGNORECASE,
)
# Only words for them, except short ones that also mean something else.
LARGE = re.compile(
    rf"(?:{'|'.join(sorted((re.escape(word) for word in MAGNITUDES if len(word) > 3 or word == 'mil'), reverse=True))})"
    r"(?![a-zà-ÿ])"
)
ROMANS = tuple(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"],
        strict=True,
    )
)
MOST_ROMAN = 3000
# Versions, addresses of machines, dates, times: numbers that belong together.
CHAIN = re.compile(r"(?<![\d.:/-])\d+(?:(?:[./-]\d+){2,}|(?:\. \d+){2}|:\d+(?:[:.]\d+)*)(?![./:-]?\d)")
DATE = re.compile(r"\d{4}[./-] ?\d{1,2}[./-] ?\d{1,2}|\d{1,2}([./-]) ?\d{1,2}\1 ?(?:\d{4}|\d{2})")
NOT_DIGITS = re.compile(r"\D+")
NEGATIVE = re.compile(r"(?<![^\s(\[:=])[-−–](\d+(?:[.,]\d+)*)")
ORDINAL = re.compile(r"(?<![\d.,])(\d+(?:,\d+)*)(?:st|nd|rd|th)\b")
PLAIN = re.compile(r"\d+(?:[.,]\d+)*")
SIGN = np.uint64(0x110000)
LONGEST_SCALED = 30
ROMAN = re.compile(r"\b[MDCLXVI]{2,15}(?![MDCLXVI])")
ALWAYS = re.compile(r"\b24/7\b")  # "around the clock"


class Amount(NamedTuple):
    """A number as written, and its possible values."""

    written: str
    values: frozenset[Decimal]


def numbers(pairs: TextPairs) -> Iterator[Finding]:
    """Codes `numbers` and `number_words`."""
    other = pairs.source.once(bags) != pairs.target.once(bags)
    differing = other.copy()
    if pairs.source_lang and pairs.target_lang:  # 12,500 means something else if a comma is a decimal mark
        differing |= pairs.target.holding(_marked(pairs.target))
    for row in rows_where(differing & ~pairs.equal):
        source, target = (western(text) for text in pairs.bare(row))
        if bool(ALWAYS.search(source)) != bool(ALWAYS.search(target)):
            source, target = ALWAYS.sub(" ", source), ALWAYS.sub(" ", target)
        lost, new = _unmatched(source, target, pairs, other[row])
        if not lost and not new:
            continue
        as_words = _in_words(lost, target, pairs.target_lang) and _in_words(new, source, pairs.source_lang)
        as_words |= not new and {one.written for one in lost} <= set(ORDINAL.findall(source))
        parts = (("missing", lost), ("new", new))
        message = "; ".join(f"{word} {listing(one.written for one in some)}" for word, some in parts if some)
        yield Finding(row, "number_words" if as_words else "numbers", message + (" (as a word)" if as_words else ""))


def chains(pairs: TextPairs) -> Iterator[Finding]:
    """Code `numbers` for versions, addresses and signs, code `dates` for dates."""
    ours, theirs = (side.sequences(*_linked(side)) for side in (pairs.source, pairs.target))
    for row in rows_where(ours != theirs):
        source, target = (western(text) for text in pairs.bare(row))
        listed = [CHAIN.findall(text) for text in (source, target)]
        if not any(listed) and not any(map(NEGATIVE.search, (source, target))):
            continue
        wanted, found = map(Counter, listed)
        by_parts: dict[tuple[str, ...], list[str]] = {}
        for chain in found - wanted:
            by_parts.setdefault(tuple(sorted(NOT_DIGITS.split(chain))), []).append(chain)
        wrong: dict[str, list[tuple[str, str]]] = {"dates": [], "numbers": []}
        for chain in wanted - found:
            meant = _dates(chain, pairs.source_lang)
            alike = by_parts.get(tuple(sorted(NOT_DIGITS.split(chain))), [])
            if meant and alike:
                if not any(meant & _dates(each, pairs.target_lang) for each in alike):
                    wrong["dates"].append((alike[0], chain))
            elif alike and NOT_DIGITS.split(alike[0]) != NOT_DIGITS.split(chain):
                wrong["numbers"].append((alike[0], chain))
        for code, some in wrong.items():
            if some:
                told = "; ".join(f"{excerpt(new)} for {excerpt(chain)}" for new, chain in some[:MOST_ITEMS])
                (new, chain), *others = some
                alone = code == "numbers" and not others
                fixed = put_back(pairs.target[row], Counter([chain]), Counter([new])) if alone else ""
                yield Finding(row, code, told, fixed)
        signs, plain = ([Counter(kind.findall(text)) for text in (source, target)] for kind in (NEGATIVE, PLAIN))
        for number in (signs[0] - signs[1]) + (signs[1] - signs[0]):
            if plain[0][number] == plain[1][number]:
                yield Finding(row, "numbers", f"the sign of {excerpt(number)} differs")


def _linked(side: Side) -> tuple[Any, Hashes]:
    """The row and the hash of every sign between or before digits, with the digits on both sides."""
    digits, codes = side.digits.places, side.codes
    is_digit = np.zeros(len(codes) + 2, dtype=np.bool_)
    is_digit[digits] = True
    signs = side.signs.among(".:/-−–").places
    after = signs + 1 + (codes[signs + 1] == ord(" "))  # 4. 3. 2024
    signs, after = signs[is_digit[after]], after[is_digit[after]]
    before = is_digit[signs - 1] & (signs > 0)
    hashes = codes[signs].astype(np.uint64) + codes[after].astype(np.uint64) * SIGN
    return side.row_at[signs], hashes + np.where(before, codes[signs - 1], 0).astype(np.uint64) * MIX


def _dates(chain: str, lang: str | None) -> set[tuple[int, int, int]]:
    """The days that *chain* may mean in a language: year, month, day; none if it is not a date."""
    if not DATE.fullmatch(chain):
        return set()
    first, second, third = (int(part) for part in NOT_DIGITS.split(chain))
    if first > 999:
        found = {(first, second, third)}
    elif lang is None or DATE_ORDERS.get(lang) == "mdy":
        found = {(third, first, second), (third, second, first)}
    else:
        found = {(third, second, first)}
    return {(year, month, day) for year, month, day in found if 1 <= month <= 12 and 1 <= day <= 31}


def _marked(side: Side) -> Bools:
    """Where a point or comma is followed by three digits."""
    inside: Bools = np.zeros(len(side.codes), dtype=np.bool_)
    is_digit = np.zeros(len(side.codes) + 4, dtype=np.bool_)
    is_digit[side.digits.places] = True
    signs = side.signs.among(".,").places
    three = is_digit[signs - 1] & is_digit[signs + 1] & is_digit[signs + 2] & is_digit[signs + 3]
    inside[signs[three & (signs > 0)]] = True
    return inside


def bags(side: Side) -> Hashes:
    """For every row a hash of the bag of its digit sequences."""
    places, codes = side.digits.places, side.digits.codes
    if not len(places):
        return np.zeros(len(side), dtype=np.uint64)
    values = codes.astype(np.uint64) - np.uint64(ord("0"))
    for code in np.unique(codes[codes > ord("9")]).tolist():
        values[codes == code] = unicodedata.decimal(chr(code))
    starts = np.flatnonzero(np.concatenate(([True], np.diff(places) != 1)))
    lengths = np.diff(np.append(starts, len(places)))
    # A digit is weighted by its distance from the end of its sequence; an overflow works as a hash.
    distance = np.repeat(places[starts] + lengths, lengths) - places - 1
    powers = np.cumprod(np.full(64, 11, dtype=np.uint64))[np.minimum(distance, 63)]
    items = np.add.reduceat((values + np.uint64(1)) * powers, starts)
    return side.bags(side.digits.rows[starts], items)


def western(text: str) -> str:
    """*text* with Western digits."""
    if text.isascii():
        return text
    plain = FRACTION.sub(lambda found: unicodedata.normalize("NFKC", found[0]).replace("⁄", "/"), text)
    return OTHER_DIGIT.sub(lambda found: str(unicodedata.decimal(found[0])), plain)


def _unmatched(source: str, target: str, pairs: TextPairs, in_parts: bool) -> tuple[list[Amount], list[Amount]]:
    """The numbers of each side that the other does not have, as written, or also *in_parts*."""
    best: tuple[list[Amount], list[Amount]] | None = None
    ways = [_ways(source, pairs.source_lang), _ways(target, pairs.target_lang)]
    for ours, theirs in product(*(ways if in_parts else [some[:1] for some in ways])):
        lost, new = _matched(ours, theirs)
        if lost and new and (AFTERNOON.search(source) or AFTERNOON.search(target)):
            moved = [one._replace(values=frozenset(v + h for v in one.values for h in (12, -12))) for one in lost]
            left, new = _matched(moved, new)
            lost = [one for one, other in zip(lost, moved, strict=True) if other in left]
        found = _unnamed(lost, target), _unnamed(new, source)
        if found == ([], []):
            return found
        best = best or found
    return best or ([], [])


def _ways(text: str, lang: str | None) -> list[list[Amount]]:
    """The ways to read the numbers of *text*: as written, and with every digit sequence as a separate number."""
    usual: list[Amount] = []
    apart: list[Amount] = []
    for token in TOKEN.finditer(text):
        written = token[0]
        parts = [Amount(part, frozenset({Decimal(part)})) for part in SPLIT.split(written)]
        apart += parts
        if not (values := _readings(written, lang)):
            usual += parts
            continue
        if len(written) <= LONGEST_SCALED and (scale := MAGNITUDE.match(text, token.end())):
            factor = MAGNITUDES.get(scale[0].strip(" \u00a0\u202f-").casefold(), 1)
            values |= {value * factor for value in values}
        usual.append(Amount(written, frozenset(values)))
    return [usual, apart] if any(not one.written.isdecimal() for one in usual) else [usual]


def _readings(written: str, lang: str | None) -> set[Decimal]:
    """The values that *written* may have in a language; none if it is several numbers, as in a date."""
    marks = SPLIT.findall(written)
    plain = SPLIT.sub("", written)
    if not marks:
        return {Decimal(plain)}
    head, mark, tail = written.rpartition(marks[-1])
    grouped = GROUPED.fullmatch(written)
    if len(marks) > 1 and not grouped and not GROUPED.fullmatch(head):
        return set()
    values = {Decimal(plain)} if grouped else set()
    if lang and lang not in EITHER_MARK and len(marks) == 1 and mark in ".,":
        # In its language, one of the two is a decimal mark; a number may also stay as in English.
        if mark == ("." if lang in DECIMAL_POINTS else ","):
            values.clear()
        elif mark == "," and grouped:
            return values
    if mark in ".,٫·":
        values.add(Decimal(f"{SPLIT.sub('', head)}.{tail}"))
    return values or {Decimal(plain)}


def _matched(ours: list[Amount], theirs: list[Amount]) -> tuple[list[Amount], list[Amount]]:
    """The rest of each side without numbers that can be read as the same."""
    places: dict[Decimal, list[int]] = {}
    for place, amount in enumerate(theirs):
        for value in amount.values:
            places.setdefault(value, []).append(place)
    left, used = [], set()
    for amount in ours:
        partner = next((place for value in amount.values for place in places.get(value, ()) if place not in used), None)
        if partner is None:
            left.append(amount)
        else:
            used.add(partner)
            for value in theirs[partner].values:
                places[value].remove(partner)
    return left, [amount for place, amount in enumerate(theirs) if place not in used]


def _unnamed(amounts: list[Amount], text: str) -> list[Amount]:
    """Those of *amounts* that are neither a Roman numeral nor a month in *text*."""
    romans = set(ROMAN.findall(text)) if amounts else set()
    values = {min(amount.values) for amount in amounts}
    named = {month for month in MONTHS if month in values and re.search(rf"\b(?:{MONTHS[month]})", text, re.IGNORECASE)}
    if romans:
        named |= {int(value) for value in values if 0 < value < MOST_ROMAN and roman(int(value)) in romans}
    return [amount for amount in amounts if min(amount.values) not in named]


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
    """Whether *text* has a word for each of *amounts*: "seven", "a thousand", "two million"."""
    folded = text.casefold()
    tables = [NUMBER_WORDS[lang]] if lang in NUMBER_WORDS else list(NUMBER_WORDS.values())
    sizes = {MAGNITUDES[word] for word in LARGE.findall(folded)} if amounts else set()

    def is_said(value: Decimal) -> bool:
        small = 0 <= value < len(tables[0]) and value == int(value)
        return small and any(re.search(table[int(value)], folded) for table in tables)

    return all(
        any(is_said(value) or any(value == size or is_said(value / size) for size in sizes) for value in values)
        for values in {amount.values for amount in amounts}
    )
