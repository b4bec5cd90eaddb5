"""Checks of punctuation and spaces: brackets, quotation marks, how a text ends, and where its spaces are."""

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from svc_nb.checks.codepoints import INVISIBLE, SPACE
from svc_nb.checks.findings import Finding, around, excerpt
from svc_nb.checks.text_array import BREAK
from svc_nb.checks.text_pairs import Ints, Side, TextPairs, rows_where

BRACKETS = str.maketrans("（）［］【】〔〕﹙﹚", "()[][]()()")
ALL_BRACKETS = "()[]（）［］【】〔〕﹙﹚"
# Smileys, list marks such as "a)" and optional endings such as "file(s)" are no brackets.
NO_BRACKETS = re.compile(r"[:;=8xX][-']?[()\[\]]|^\s*\w{1,3}\)|(?<=\w)\([^\W\d]{1,3}\)", re.MULTILINE)

QUOTES = '"“”„‟«»「」『』〝〞〟＂《》｢｣'
SINGLES = "'‘’‚‛‹›＇"
TITLES = "《》『』"
WITHIN_WORDS = re.compile(r"(?<=[^\W\d_])\"(?=[^\W\d_])")  # as in Hebrew abbreviations
INCHES = re.compile(r"(?<=\d)\"")
QUOTED = re.compile(r"(?<!\w)['‘‚‹]\w.{0,200}?['’‘›](?!\w)")

# What ends a text, by meaning.
ENDS = {
    **dict.fromkeys(".。．｡।॥۔։។။", "."), **dict.fromkeys("?？؟՞", "?"), **dict.fromkeys("!！՜", "!"),
    **dict.fromkeys(":：", ":"), **dict.fromkeys("…⋯", "…"), **dict.fromkeys(";；؛", ";"),
    **dict.fromkeys(",，、،", ","),
}  # fmt: skip
KINDS = {mark: number for number, mark in enumerate(".?!:…;,", 1)}
CLOSERS = "\"'”’»›“‘«‹）)]］】」』》〉｣＂*_"
ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:etc|inc|ltd|co|corp|jr|sr|no|vs|approx|usw|bzw|Nr|ca|д|др|тд|[^\W\d_](?:\.[^\W\d_])+)\.$",
    re.IGNORECASE,
)
NO_FULL_STOP = frozenset({"th", "lo", "km", "my"})
STEPS = 4

DOUBLE = re.compile(r"(?<=\S)[ \u00a0]{2,}(?=\S)")
BEFORE_MARK = re.compile(r"(?<=\w)[ \u00a0]+(?=[.,](?:\s|$))")
BEFORE_ANY_MARK = re.compile(r"(?<=\w)[ \u00a0]+(?=[.,;:!?](?:\s|$))")
SPACED_MARKS = frozenset({"fr", "br", None})


def brackets(pairs: TextPairs) -> Iterator[Finding]:
    """Code `brackets`."""
    bags = []
    for side in (pairs.source, pairs.target):
        spots = side.signs.among(ALL_BRACKETS)
        letters = spots.codes.copy()
        for wide, plain in BRACKETS.items():
            letters[letters == wide] = plain
        bags.append(side.bags(spots.rows, letters))
    for row in rows_where(bags[0] != bags[1]):
        wanted, found = (Counter(NO_BRACKETS.sub("", text.translate(BRACKETS))) for text in pairs.bare(row))
        told = [
            f"{mark} {found[mark]} instead of {wanted[mark]} times" for mark in "()[]" if wanted[mark] != found[mark]
        ]
        if told:
            yield Finding(row, "brackets", f"{', '.join(told)} in {excerpt(pairs.target[row])}")


def quotes(pairs: TextPairs) -> Iterator[Finding]:
    """Code `quotes`."""
    ours, theirs = (side.counts(side.signs.among(QUOTES)) for side in (pairs.source, pairs.target))
    for row in rows_where((ours != theirs) | (theirs % 2 == 1)):
        source, target = pairs.bare(row)
        wanted, found = _quote_count(source), _quote_count(target)
        # Chinese and Japanese put marks around titles where others use italics or nothing.
        titles = sum(target.count(mark) for mark in TITLES)
        if wanted % 2 == 0 and found % 2:
            told = f"{found} quotation marks, so one has no partner,"
        elif wanted and not found and not QUOTED.search(target) and not any(map(target.count, SINGLES)):
            told = "no quotation marks where the source has some"
        elif found > titles and not wanted and not QUOTED.search(source):
            told = "quotation marks where the source has none"
        else:
            continue
        yield Finding(row, "quotes", f"{told} in {excerpt(pairs.target[row])}")


def _quote_count(text: str) -> int:
    text = WITHIN_WORDS.sub("", text)
    count = sum(text.count(mark) for mark in QUOTES)
    inches = len(INCHES.findall(text))
    return count - inches if inches and (count % 2 or text.count('"') == inches) else count


def ends(pairs: TextPairs) -> Iterator[Finding]:
    """Code `end_punctuation`."""
    ours, theirs = _ends(pairs.source, pairs.source_lang), _ends(pairs.target, pairs.target_lang)
    differing = ours != theirs
    if pairs.target_lang in NO_FULL_STOP:
        differing &= ~((ours == KINDS["."]) & (theirs == 0))
    if pairs.source_lang in NO_FULL_STOP:
        differing &= ~((ours == 0) & (theirs == KINDS["."]))
    for row in rows_where(differing):
        source, target = (text.rstrip() for text in pairs.texts(row))
        abbreviated = (ABBREVIATION.search(text[-24:].rstrip(CLOSERS)) for text in (source, target))
        if KINDS["."] in (ours[row], theirs[row]) and any(abbreviated):
            continue
        message = f"ends {excerpt(target[-12:])}, the source ends {excerpt(source[-12:])}"
        yield Finding(row, "end_punctuation", message)


def _ends(side: Side, lang: str | None) -> Ints:
    """For every row the kind of its last mark; 0 where it ends with none."""
    codes = side.codes
    place = side.ends - 1
    for _ in range(STEPS):  # over what may follow the mark that ends a text
        after = (side.kinds[place] & (SPACE | INVISIBLE)) != 0
        after |= np.isin(codes[place], [ord(mark) for mark in CLOSERS])
        place = place - (after & (place > side.starts))
    table = np.zeros(side.widest + 2, dtype=np.int8)
    for mark, kind in ENDS.items():
        if ord(mark) < len(table):
            table[ord(mark)] = KINDS[kind]
    if lang == "el":  # the Greek question mark
        table[ord(";")] = KINDS["?"]
    found = table[codes[place]]
    dots = (found == KINDS["."]) & (place - 1 > side.starts)
    again = dots & (codes[place - 1] == ord(".")) & (codes[place - 2] == ord("."))
    found[again] = KINDS["…"]
    return found


def inverted(pairs: TextPairs) -> Iterator[Finding]:
    """Code `inverted_mark`."""
    if pairs.target_lang not in ("es", "gl", "ast"):
        return
    for closing, opening in ("?¿", "!¡"):
        lacking = pairs.target.has_any(closing) & ~pairs.target.has_any(opening)
        for row in rows_where(lacking & pairs.source.has_any("?？؟;!！")):
            if closing in pairs.bare(row)[1]:
                yield Finding(row, "inverted_mark", f"{excerpt(pairs.target[row])} has no {opening}")


def edges(pairs: TextPairs) -> Iterator[Finding]:
    """Code `edge_spaces`."""
    spaced = [
        ((side.kinds[side.starts] & SPACE) != 0, (side.kinds[side.ends - 1] & SPACE) != 0)
        for side in (pairs.source, pairs.target)
    ]
    for row in rows_where((spaced[0][0] != spaced[1][0]) | (spaced[0][1] != spaced[1][1])):
        source, target = pairs.texts(row)
        told = [
            f"{'no space' if ours[row] else 'a space'} at the {where}"
            for where, ours, theirs in zip(("start", "end"), *spaced, strict=True)
            if ours[row] != theirs[row]
        ]
        head, _, tail = source.partition(source.strip())
        yield Finding(row, "edge_spaces", " and ".join(told), head + target.strip() + tail)


def doubles(pairs: TextPairs) -> Iterator[Finding]:
    """Code `double_spaces`."""
    codes = pairs.target.codes
    blank = (codes == 0x20) | (codes == 0xA0)
    twice = blank[1:] & blank[:-1]
    for row in np.unique(pairs.target.row_at[:-1][twice]).tolist() if twice.any() else []:
        source, target = pairs.texts(row)
        found = DOUBLE.search(target)
        if found and not DOUBLE.search(source):
            message = f"{len(found[0])} spaces in {around(target, *found.span())}"
            yield Finding(row, "double_spaces", message, DOUBLE.sub(" ", target))


def before_marks(pairs: TextPairs) -> Iterator[Finding]:
    """Code `space_before_mark`."""
    pattern = BEFORE_MARK if pairs.target_lang in SPACED_MARKS else BEFORE_ANY_MARK
    marks = pairs.target.signs.among(".,;:!?")
    after = marks.where((pairs.target.kinds[np.maximum(marks.places - 1, 0)] & SPACE) != 0)
    for row in np.unique(after.rows).tolist():
        source, target = pairs.texts(row)
        found = pattern.search(target)
        if found and not BEFORE_ANY_MARK.search(source):
            yield Finding(row, "space_before_mark", around(target, *found.span()), pattern.sub("", target))


def newlines(pairs: TextPairs) -> Iterator[Finding]:
    """Code `newlines`."""
    ours, theirs = (side.counts(side.hidden.among(BREAK + "\u2028\u2029\r")) for side in (pairs.source, pairs.target))
    for row in rows_where(ours != theirs):
        lines = [len(text.splitlines()) + text.endswith(("\n", "\r", "\u2028")) for text in pairs.texts(row)]
        if lines[0] != lines[1]:
            yield Finding(row, "newlines", f"{lines[1]} lines, the source has {lines[0]}")
