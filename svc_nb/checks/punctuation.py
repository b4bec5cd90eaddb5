"""Checks of punctuation and spaces: brackets, quotation marks, how a text ends, and where its spaces are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from svc_nb.checks import alphabet
from svc_nb.checks.catalogue import Finding
from svc_nb.checks.couple import Couple, rows
from svc_nb.checks.excerpt import around, excerpt
from svc_nb.checks.side import Ints, Side
from svc_nb.checks.tape import BREAK, Bools, Places

BRACKETS = str.maketrans("（）［］【】〔〕﹙﹚", "()[][]()()")
ALL_BRACKETS = "()[]（）［］【】〔〕﹙﹚"
# Smileys, list marks such as "a)" and optional endings such as "file(s)" are no brackets.
NO_BRACKETS = re.compile(r"[:;=8xX][-']?[()\[\]]|^\s*\w{1,3}\)|(?<=\w)\([^\W\d]{1,3}\)", re.MULTILINE)

QUOTES = '"“”„‟«»「」『』〝〞〟＂《》｢｣'
SINGLES = "'‘’‚‛‹›＇"
OPENERS = Counter({"«": 1, "»": -1, "「": 1, "」": -1, "『": 1, "』": -1, "《": 1, "》": -1, "｢": 1, "｣": -1})
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


def brackets(couple: Couple) -> Iterator[Finding]:
    """Code `brackets`."""
    ours, theirs = (_bracket_bags(side) for side in (couple.source, couple.target))
    for row in rows(ours != theirs):
        wanted, found = (_bracket_counts(text) for text in couple.bare(row))
        if wanted != found:
            told = [
                f"{mark} {found[mark]} instead of {wanted[mark]} times"
                for mark in "()[]"
                if wanted[mark] != found[mark]
            ]
            yield Finding(row, "brackets", f"{', '.join(told)} in {excerpt(couple.target[row])}")


def _bracket_bags(side: Side) -> Ints:
    spots = side.signs.among(ALL_BRACKETS)
    letters = spots.codes.copy()
    for wide, plain in BRACKETS.items():
        letters[letters == wide] = plain
    return side.bags(spots.rows, letters)


def _bracket_counts(text: str) -> Counter[str]:
    plain = NO_BRACKETS.sub("", text.translate(BRACKETS))
    return Counter(letter for letter in plain if letter in "()[]")


def quotes(couple: Couple) -> Iterator[Finding]:
    """Code `quotes`."""
    ours, theirs = (side.counts(side.signs.among(QUOTES)) for side in (couple.source, couple.target))
    for row in rows((ours != theirs) | (theirs % 2 == 1)):
        told = _quote_trouble(*couple.bare(row))
        if told:
            yield Finding(row, "quotes", f"{told} in {excerpt(couple.target[row])}")


def _quote_trouble(source: str, target: str) -> str | None:
    wanted, found = _quoted(source), _quoted(target)
    if wanted % 2 == 0 and found % 2:
        return f"{found} quotation marks, so one has no partner,"
    if wanted and not found and not QUOTED.search(target) and not any(mark in target for mark in SINGLES):
        return "no quotation marks where the source has some"
    # Chinese and Japanese put marks around titles where others use italics or nothing.
    if found > sum(target.count(mark) for mark in TITLES) and not wanted and not QUOTED.search(source):
        return "quotation marks where the source has none"
    return None


def _quoted(text: str) -> int:
    text = WITHIN_WORDS.sub("", text)
    count = sum(text.count(mark) for mark in QUOTES)
    inches = len(INCHES.findall(text))
    return count - inches if inches and (count % 2 or text.count('"') == inches) else count


def ends(couple: Couple) -> Iterator[Finding]:
    """Code `end_punctuation`."""
    ours, theirs = _ends(couple.source, couple.source_lang), _ends(couple.target, couple.target_lang)
    differing = ours != theirs
    if couple.target_lang in NO_FULL_STOP:
        differing &= ~((ours == KINDS["."]) & (theirs == 0))
    if couple.source_lang in NO_FULL_STOP:
        differing &= ~((ours == 0) & (theirs == KINDS["."]))
    for row in rows(differing):
        source, target = (text.rstrip() for text in couple.texts(row))
        if KINDS["."] in (ours[row], theirs[row]) and _abbreviated(source, target):
            continue
        yield Finding(
            row, "end_punctuation", f"ends {excerpt(target[-12:])}, the source ends {excerpt(source[-12:])}"
        )


def _abbreviated(source: str, target: str) -> bool:
    return any(ABBREVIATION.search(text[-24:].rstrip(CLOSERS)) for text in (source, target))


def _ends(side: Side, lang: str | None) -> Ints:
    """For every row the kind of its last mark; 0 where it ends with none."""
    codes = side.tape.codes
    place = side.tape.ends - 1
    for _ in range(STEPS):
        place = place - (_closes(side, place) & (place > side.tape.starts))
    table = np.zeros(int(codes.max(initial=0)) + 2, dtype=np.int8)
    for mark, kind in ENDS.items():
        if ord(mark) < len(table):
            table[ord(mark)] = KINDS[kind]
    if lang == "el":  # the Greek question mark
        table[ord(";")] = KINDS["?"]
    found = table[codes[place]]
    dots = (found == KINDS["."]) & (place - 1 > side.tape.starts)
    again = dots & (codes[place - 1] == ord(".")) & (codes[place - 2] == ord("."))
    found[again] = KINDS["…"]
    return found


def _closes(side: Side, places: Places) -> Bools:
    """For every one of *places* whether what is there may follow the mark that ends a text."""
    spaces = (side.tape.kinds[places] & (alphabet.SPACE | alphabet.INVISIBLE)) != 0
    found: Bools = spaces | np.isin(side.tape.codes[places], [ord(mark) for mark in CLOSERS])
    return found


def inverted(couple: Couple) -> Iterator[Finding]:
    """Code `inverted_mark`."""
    if couple.target_lang not in ("es", "gl", "ast"):
        return
    for closing, opening in ("?¿", "!¡"):
        lacking = couple.target.holding(closing) & ~couple.target.holding(opening)
        for row in rows(lacking & couple.source.holding("?？؟;!！")):
            if closing in couple.bare(row)[1]:
                yield Finding(row, "inverted_mark", f"{excerpt(couple.target[row])} has no {opening}")


def edges(couple: Couple) -> Iterator[Finding]:
    """Code `edge_spaces`."""
    space = alphabet.SPACE
    kinds = [
        ((side.tape.first_kinds() & space) != 0, (side.tape.last_kinds() & space) != 0)
        for side in (couple.source, couple.target)
    ]
    for row in rows((kinds[0][0] != kinds[1][0]) | (kinds[0][1] != kinds[1][1])):
        source, target = couple.texts(row)
        core = source.strip()
        told = [
            f"{'no space' if ours[row] else 'a space'} at the {where}"
            for where, ours, theirs in zip(("start", "end"), *kinds, strict=True)
            if ours[row] != theirs[row]
        ]
        head, _, tail = source.partition(core)
        yield Finding(row, "edge_spaces", " and ".join(told), head + target.strip() + tail)


def doubles(couple: Couple) -> Iterator[Finding]:
    """Code `double_spaces`."""
    codes = couple.target.tape.codes
    blank = (codes == 0x20) | (codes == 0xA0)
    twice = blank[1:] & blank[:-1]
    for row in np.unique(couple.target.row_at[:-1][twice]).tolist() if twice.any() else []:
        source, target = couple.texts(row)
        found = DOUBLE.search(target)
        if found and not DOUBLE.search(source):
            message = f"{len(found[0])} spaces in {around(target, *found.span())}"
            yield Finding(row, "double_spaces", message, DOUBLE.sub(" ", target))


def before_marks(couple: Couple) -> Iterator[Finding]:
    """Code `space_before_mark`."""
    pattern = BEFORE_MARK if couple.target_lang in SPACED_MARKS else BEFORE_ANY_MARK
    marks = couple.target.signs.among(".,;:!?")
    after = marks.where((couple.target.tape.kinds[np.maximum(marks.places - 1, 0)] & alphabet.SPACE) != 0)
    for row in np.unique(after.rows).tolist():
        source, target = couple.texts(row)
        found = pattern.search(target)
        if found and not BEFORE_ANY_MARK.search(source):
            yield Finding(row, "space_before_mark", around(target, *found.span()), pattern.sub("", target))


def newlines(couple: Couple) -> Iterator[Finding]:
    """Code `newlines`."""
    ours, theirs = (
        side.counts(side.hidden.among(BREAK + "\u2028\u2029\r")) for side in (couple.source, couple.target)
    )
    for row in rows(ours != theirs):
        lines = [len(text.splitlines()) + text.endswith(("\n", "\r", "\u2028")) for text in couple.texts(row)]
        if lines[0] != lines[1]:
            yield Finding(row, "newlines", f"{lines[1]} lines, the source has {lines[0]}")
