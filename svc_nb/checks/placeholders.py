"""Checks of text that a translation must keep unchanged: placeholders, tags, addresses."""

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from html import unescape

import numpy as np

from svc_nb.checks import codepoints, markup
from svc_nb.checks.findings import AGAIN, Finding, difference, excerpt, listing, put_back
from svc_nb.checks.language_data import PLURAL_ARMS
from svc_nb.checks.text_array import MIX, Hashes
from svc_nb.checks.text_pairs import Side, Spots, TextPairs, one_of, rows_where

# The masks of protected stretches in a request, as translators may have changed them.
MASK = re.compile(r"[\[［【]{2}\s?\d{1,6}\s?[\]］】]{2}|[XxХхΧχ][KkКкΚκ]\d{1,6}[TtТтΤτ]")

# The access key of a menu or a button: &File, Save _as.
ACCELERATOR = {mark: re.compile(rf"{mark}(?=[^\W_])(?!(?<=[A-Z]{mark})[A-Z])") for mark in "&_"}  # not Q&A
LONGEST_LABEL = 60
LEAST_WORDS = 4
USAGE = re.compile(r"(?:^|[\s\[])-{1,2}\w.{0,99}[=\[\s][A-Z<]{2}|\[\w|<\w", re.DOTALL)
# Without its semicolon, or escaped twice.
BROKEN_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|nbsp|copy|mdash|ndash|hellip)(?![;\w=])|&amp;(?:\w{2,8}|#\d{2,6});")
# Characters that may follow the percent sign of a format such as %-5.2f or %(name)s.
IN_FORMATS = string.ascii_letters + string.digits + "$().#-+_@%"
LONGEST_FORMAT = 24


def placeholders(pairs: TextPairs) -> Iterator[Finding]:
    """Codes `placeholders` and `icu`."""
    for row in rows_where(pairs.source.once(hashes) != pairs.target.once(hashes)):
        ours, theirs = (markup.Placeholders(text) for text in pairs.texts(row))
        wanted, found = ours.plain, theirs.plain
        told = difference(wanted, found) or difference(Counter(ours.nested), Counter(theirs.nested))
        in_order = [side.in_order() if side.positioned else side.order for side in (ours, theirs)]
        if ours.positioned != theirs.positioned and in_order[0] == in_order[1]:
            left = [side.plain - Counter(side.order) for side in (ours, theirs)]
            told = difference(*left)  # the same, but numbered
        if told:
            lost = wanted - found
            is_message = any(", " in item for item in lost)  # its arms are unknown
            missing, new = (
                Counter({side.written.get(item, item): count for item, count in some.items()})
                for side, some in ((ours, lost), (theirs, found - wanted))
            )
            fixed = "" if is_message else put_back(pairs.target[row], missing, new)
            yield Finding(row, "placeholders", told, fixed, _restore(wanted))
        elif ours.order != theirs.order and len(set(ours.order)) > 1 and not theirs.positioned:
            changed = f"the order of {listing(ours.order)} changed, but they are filled in by position"
            advice = f"number them, such as %1$s, or keep the order {' '.join(ours.order)}"
            yield Finding(row, "placeholders", changed, advice=advice)

        needed = PLURAL_ARMS.get(pairs.target_lang or "", frozenset())
        meant = {(message.name, message.kind): message for message in ours.messages}
        for message in theirs.messages:
            source = meant.get((message.name, message.kind))
            if source and source.whole and (wrong := message.trouble(source, needed)):
                yield Finding(row, "icu", f"{{{message.name}, {message.kind}}}: {wrong}")


def hashes(side: Side) -> Hashes:
    """For every row a hash that differs if its placeholders may differ."""
    found = side.bags(*side.between("{", "}"))
    found += side.counts(side.signs.among("}")).astype(np.uint64) * MIX
    signs = side.signs.among("%")
    ends = signs.places + 1
    growing = np.ones(len(ends), dtype=np.bool_)
    for _ in range(LONGEST_FORMAT):
        growing &= one_of(side.codes[ends], IN_FORMATS)
        if not growing.any():
            break
        ends = ends + growing
    found += MIX * side.sequences(signs.rows, side.hashes(signs.places, ends))
    # :name and @count
    named = side.signs.among(":@")
    named = named.where((side.kinds[named.places + 1] & codepoints.LOWER) != 0)
    if len(named.places):
        ends = side.words.ends[np.searchsorted(side.words.starts, named.places + 1)]
        found += side.bags(named.rows, side.hashes(named.places, ends))
    return found


def _restore(wanted: Iterable[str]) -> str:
    listed = list(dict.fromkeys(wanted))
    return f"use exactly {' '.join(listed)}" if listed else "remove them"


def urls(pairs: TextPairs) -> Iterator[Finding]:
    """Code `urls`."""

    def spots(side: Side) -> Spots:
        """Where web addresses are: their colon, or the dot after "www"."""
        signs, codes = side.signs.among(":."), side.codes
        # An END follows every text; only the very last one has nothing after it.
        second = codes[np.minimum(signs.places + 2, len(codes) - 1)]
        colon = (signs.codes == ord(":")) & (codes[signs.places + 1] == ord("/")) & (second == ord("/"))
        www = [np.isin(codes[np.maximum(signs.places - back, 0)], [ord("w"), ord("W")]) for back in (1, 2, 3)]
        return signs.where(colon | ((signs.codes == ord(".")) & np.logical_and.reduce(www)))

    return _addresses(pairs, "urls", spots, markup.urls)


def emails(pairs: TextPairs) -> Iterator[Finding]:
    """Code `emails`."""
    return _addresses(pairs, "emails", lambda side: side.signs.among("@"), markup.emails)


def _addresses(
    pairs: TextPairs, code: str, spots: Callable[[Side], Spots], found_in: Callable[[str], list[str]]
) -> Iterator[Finding]:
    ours, theirs = (side.bags(*side.around(spots(side))) for side in (pairs.source, pairs.target))
    for row in rows_where(ours != theirs):
        wanted, found = (Counter(found_in(text)) for text in pairs.texts(row))
        if wanted.keys() != found.keys() and (told := difference(wanted, found)):
            fixed = put_back(pairs.target[row], wanted - found, found - wanted)
            yield Finding(row, code, told, fixed, _restore(wanted))


def tags(pairs: TextPairs) -> Iterator[Finding]:
    """Codes `tags` and `tag_attributes`."""
    hashes = [side.sequences(*side.between("<", ">")) for side in (pairs.source, pairs.target)]
    for row in rows_where(hashes[0] != hashes[1]):
        source, target = pairs.texts(row)
        ours = markup.Tags(source)
        theirs = markup.Tags(target, ours.known)
        if told := difference(ours.names, theirs.names):
            yield Finding(row, "tags", told, advice=_restore(ours.names))
        elif ours.nested and not theirs.nested:
            yield Finding(row, "tags", f"{listing(theirs.names)} are not nested as in the source")
        elif ours.attributes != theirs.attributes:
            named = [Counter(f"{name} {item}" for name, item in side.attributes.elements()) for side in (ours, theirs)]
            yield Finding(row, "tag_attributes", difference(*named), advice="use the attributes of the source")


def identifiers(pairs: TextPairs) -> Iterator[Finding]:
    """Code `identifiers`."""

    def spots(side: Side) -> Spots:
        """Where names of code may be: signs within words, empty brackets, and two dashes."""
        signs = side.signs.among("_./\\)-:")
        before, after = side.codes[np.maximum(signs.places - 1, 0)], side.kinds[signs.places + 1]
        inside = (after & codepoints.LETTER) != 0
        empty = (signs.codes == ord(")")) & (before == ord("("))
        dashes = (signs.codes != ord("-")) | (before == ord("-"))
        return signs.where((inside & dashes) | empty)

    marked = [side.bags(*side.around(spots(side))) for side in (pairs.source, pairs.target)]
    for row in rows_where((marked[0] != marked[1]) & (marked[0] != 0)):
        source, target = pairs.bare(row)
        # Labels have an accelerator instead, and help texts have names to fill in.
        if len(source.split()) < LEAST_WORDS or USAGE.search(source):
            continue
        names = dict.fromkeys(markup.IDENTIFIER.findall(source))
        near = [other for other in markup.IDENTIFIER.findall(target) if other not in source]
        folded = {other.lower() for other in near}
        if lost := [name for name in names if name not in target or name.lower() in folded]:
            fixed = put_back(pairs.target[row], Counter(lost), Counter(near))
            yield Finding(row, "identifiers", f"missing {listing(lost)}", fixed)


def accelerators(pairs: TextPairs) -> Iterator[Finding]:
    """Code `accelerators`."""
    short = np.maximum(pairs.source.lengths, pairs.target.lengths) <= LONGEST_LABEL
    for mark in "&_":
        for row in rows_where(pairs.source.has_any(mark) & short):
            # Doubled, it is the sign itself.
            source, target = (text.replace(mark * 2, "") for text in pairs.bare(row))
            found = len(ACCELERATOR[mark].findall(target))
            # In a sentence, or in lower case, an underscore is part of a name.
            if mark == "_" and not source.startswith("_") and len(source.split()) >= LEAST_WORDS:
                continue
            is_label = mark == "&" or source[:1] in "_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
            if is_label and found != 1 and source.count(mark) == 1 and ACCELERATOR[mark].search(source):
                told = f"{mark} {found} times instead of once in {excerpt(pairs.target[row])}"
                yield Finding(row, "accelerators", told)


def entities(pairs: TextPairs) -> Iterator[Finding]:
    """Code `entities`."""
    for row in rows_where(pairs.target.has_any("&") & ~pairs.equal):
        source, target = pairs.texts(row)
        found = markup.ENTITY.findall(target)
        broken = BROKEN_ENTITY.search(target)
        if broken and not BROKEN_ENTITY.search(source):
            advice = "write &amp;, &lt; and the like only once, with their semicolon"
            yield Finding(row, "entities", f"{excerpt(broken[0])} is broken", advice=advice)
        elif found and not markup.ENTITY.search(source) and not markup.TAG.search(source):
            message = f"the source has no {listing(sorted(set(found)))}"
            yield Finding(row, "entities", message, markup.ENTITY.sub(lambda one: unescape(one[0]), target))


def masks(pairs: TextPairs) -> Iterator[Finding]:
    """Code `mask`."""
    side = pairs.target
    suspects = side.counts(side.signs.among("[［【")) > 1
    before = side.codes[np.maximum(side.digits.places - 1, 0)]
    suspects[side.digits.rows[np.isin(before, [ord(letter) for letter in "KkКкΚκ"])]] = True
    for row in rows_where(suspects & ~pairs.equal):
        source, target = pairs.texts(row)
        found = [mark for mark in MASK.findall(target) if mark not in source]
        if found:
            message = f"{excerpt(found[0])} is not in the source"
            yield Finding(row, "mask", message, advice=AGAIN)
