"""Checks of what must come through a translation as it is: placeholders, tags, addresses."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from svc_nb.checks import icu, marks
from svc_nb.checks.catalogue import Finding
from svc_nb.checks.couple import Couple, rows
from svc_nb.checks.excerpt import excerpt, listing
from svc_nb.checks.side import Side, Spots
from svc_nb.checks.tape import Numbers

# What stands for protected stretches while a text is on its way, as translators may have left it.
MASK = re.compile(r"[\[［【]{2}\s?\d{1,6}\s?[\]］】]{2}|[XxХхΧχ][KkКкΚκ]\d{1,6}[TtТтΤτ]")

# What may follow the sign of a format such as %-5.2f or %(name)s.
FORMAT_CODES = [ord(letter) for letter in string.ascii_letters + string.digits + "$().#-+_@%"]
LONGEST_FORMAT = 24
SHIFT = np.uint64(0x9E3779B97F4A7C15)


def placeholders(couple: Couple) -> Iterator[Finding]:
    """Codes `placeholders` and `icu`."""
    ours, theirs = _slot_numbers(couple.source), _slot_numbers(couple.target)
    for row in rows(ours != theirs):
        source, target = couple.texts(row)
        slots = marks.Slots(source), marks.Slots(target)
        yield from _slots(row, *slots)
        yield from _arms(row, *slots)


def _slot_numbers(side: Side) -> Numbers:
    """For every row a number that differs where its placeholders may."""
    found = side.bags(*side.between("{", "}"))
    found += side.counts(side.signs.among("}")).astype(np.uint64) * SHIFT
    signs = side.signs.among("%")
    codes = side.tape.codes
    ends = signs.places + 1
    growing = np.ones(len(ends), dtype=np.bool_)
    for _ in range(LONGEST_FORMAT):
        growing &= np.isin(codes[ends], FORMAT_CODES)
        ends = ends + growing
    return found + SHIFT * side.sequences(signs.rows, side.tape.numbers(signs.places, ends))


def _slots(row: int, ours: marks.Slots, theirs: marks.Slots) -> Iterator[Finding]:
    wanted, found = ours.plain, theirs.plain
    if wanted != found:
        wanted, found = ours.without_positions(), theirs.without_positions()
    told = _difference(wanted, found)
    if not told and (ours.nested ^ theirs.nested):
        told = _difference(Counter(ours.nested), Counter(theirs.nested))
    if told:
        yield Finding(row, "placeholders", told, _restore(wanted))
    elif ours.order != theirs.order and not _numbered(theirs) and len(set(ours.order)) > 1:
        yield Finding(
            row,
            "placeholders",
            f"the order of {listing(ours.order)} changed, and they are filled in by order",
            f"number them, such as %1$s, or keep the order {' '.join(ours.order)}",
        )


def _numbered(slots: marks.Slots) -> bool:
    return any("$" in item for item in slots.order)


def _arms(row: int, ours: marks.Slots, theirs: marks.Slots) -> Iterator[Finding]:
    meant = {(message.name, message.kind): message for message in ours.messages}
    for message in theirs.messages:
        source = meant.get((message.name, message.kind))
        told = icu.trouble(source, message) if source and source.whole else None
        if told:
            yield Finding(row, "icu", f"{{{message.name}, {message.kind}}}: {told}")


def _restore(wanted: Iterable[str]) -> str:
    listed = list(dict.fromkeys(wanted))
    return f"use exactly {' '.join(listed)}" if listed else "take them out"


def _difference(wanted: Counter[Any], found: Counter[Any]) -> str:
    """What is missing and what is new, in words; "" where nothing is."""
    if wanted == found:
        return ""
    lost, new = wanted - found, found - wanted
    told = [f"{word} {listing(map(str, some))}" for word, some in (("missing", lost), ("new", new)) if some]
    return "; ".join(told)


def urls(couple: Couple) -> Iterator[Finding]:
    """Code `urls`."""
    yield from _compared(couple, "urls", _url_spots, marks.urls)


def _url_spots(side: Side) -> Spots:
    """Where web addresses are: their colon, or the dot after "www"."""
    signs = side.signs.among(":.")
    codes = side.tape.codes
    # An end mark follows every text; only the very last one has nothing after it.
    second = codes[np.minimum(signs.places + 2, len(codes) - 1)]
    colon = (signs.codes == ord(":")) & (codes[signs.places + 1] == ord("/")) & (second == ord("/"))
    before = [np.isin(codes[np.maximum(signs.places - back, 0)], [ord("w"), ord("W")]) for back in (1, 2, 3)]
    return signs.where(colon | ((signs.codes == ord(".")) & np.logical_and.reduce(before)))


def emails(couple: Couple) -> Iterator[Finding]:
    """Code `emails`."""
    yield from _compared(couple, "emails", lambda side: side.signs.among("@"), marks.emails)


def _compared(
    couple: Couple, code: str, spots: Callable[[Side], Spots], found_in: Callable[[str], list[str]]
) -> Iterator[Finding]:
    numbers = [side.bags(*side.around(spots(side))) for side in (couple.source, couple.target)]
    for row in rows(numbers[0] != numbers[1]):
        wanted, found = (Counter(found_in(text)) for text in couple.texts(row))
        if wanted.keys() != found.keys() and (told := _difference(wanted, found)):
            yield Finding(row, code, told, _restore(wanted))


def tags(couple: Couple) -> Iterator[Finding]:
    """Codes `tags` and `tag_attributes`."""
    numbers = [side.sequences(*side.between("<", ">")) for side in (couple.source, couple.target)]
    for row in rows(numbers[0] != numbers[1]):
        ours, theirs = (marks.Tags(text) for text in couple.texts(row))
        if told := _difference(ours.names, theirs.names):
            yield Finding(row, "tags", told, _restore(ours.names))
        elif ours.nested and not theirs.nested:
            yield Finding(row, "tags", f"{listing(theirs.names)} are not nested as in the source", "")
        elif ours.attributes != theirs.attributes:
            named = [Counter(f"{name} {item}" for name, item in side.attributes) for side in (ours, theirs)]
            yield Finding(row, "tag_attributes", _difference(*named), "use the attributes of the source")


def entities(couple: Couple) -> Iterator[Finding]:
    """Code `entities`."""
    for row in rows(couple.target.holding("&") & ~couple.equal):
        source, target = couple.texts(row)
        found = marks.ENTITY.findall(target)
        if found and not marks.ENTITY.search(source) and not marks.TAG.search(source):
            from html import unescape

            yield Finding(
                row, "entities", f"the source has no {listing(sorted(set(found)))}", unescape(target)
            )


def masks(couple: Couple) -> Iterator[Finding]:
    """Code `mask`."""
    side = couple.target
    suspects = side.counts(side.signs.among("[［【")) > 1
    digits = side.digits
    before = side.tape.codes[np.maximum(digits.places - 1, 0)]
    suspects[digits.rows[np.isin(before, [ord(letter) for letter in "KkКкΚκ"])]] = True
    for row in rows(suspects & ~couple.equal):
        source, target = couple.texts(row)
        found = [mark for mark in MASK.findall(target) if mark not in source]
        if found:
            yield Finding(
                row, "mask", f"{excerpt(found[0])} is no part of the source", "translate this row again"
            )
