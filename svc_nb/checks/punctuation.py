"""Checks of punctuation and spaces: brackets, quotation marks, the end of a text, and the places of its spaces."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from svc_nb.checks import markup
from svc_nb.checks.codepoints import INVISIBLE, QUOTE, SPACE
from svc_nb.checks.findings import Finding, around, excerpt
from svc_nb.checks.language_data import NO_FULL_STOP, SCRIPTS
from svc_nb.checks.text_array import BREAK
from svc_nb.checks.text_pairs import Ints, Side, TextPairs, one_of, rows_where
from svc_nb.tabular.report import plural

BRACKETS = str.maketrans("（）［］【】〔〕﹙﹚", "()[][]()()")
ALL_BRACKETS = "()[]（）［］【】〔〕﹙﹚"
# Smileys, list marks such as "a)" and optional endings such as "file(s)" do not count as brackets.
NO_BRACKETS = re.compile(r"(?<!\w)[:;=8xX][-']?[()\[\]]|^[ \t]*+\w{1,3}\)|(?<=\w)\([^\W\d]{1,3}\)", re.MULTILINE)

QUOTES = '"“”„‟«»「」『』〝〞〟＂《》｢｣'
SINGLES = "'‘’‚‛‹›＇`´"
TITLES = "《》『』"
WITHIN_WORDS = re.compile(r"(?<=[^\W\d_])\"(?=[^\W\d_])")  # as in Hebrew abbreviations
INCHES = re.compile(r"(?<=\d)\"")
# In single marks, such as `this' or ‘this’; not the apostrophes of words.
QUOTED = re.compile(r"(?<!\w)[`'‘‚‹´].{1,200}?['’‘›´`](?!\w)", re.DOTALL)

# The marks that end a text, by meaning.
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
STEPS = 4
LEAST_STOPS = 30
HABIT = 0.2

# Marks that a language writes differently: French with a space before them, others with their own signs. A pattern
# finds the wrong ones, the table has the right ones.
_WIDE = SCRIPTS["kana"] + SCRIPTS["han"]
_AFTER_WIDE = re.compile(rf"(?<=[{_WIDE}])[,.?!:;](?=\s|$|[{_WIDE}])")
LOCALE_MARKS: dict[str, tuple[re.Pattern[str], dict[str, str]]] = {
    "fr": (re.compile(r"(?<=[^\W\d_])[?!;:](?=\s|$)"), {mark: f"\u00a0{mark}" for mark in "?!:;"}),
    "fr-ca": (re.compile(r"(?<=[^\W\d_]):(?=\s|$)"), {":": "\u00a0:"}),
    "zh": (_AFTER_WIDE, dict(zip(",.?!:;", "，。？！：；", strict=True))),
    "ja": (_AFTER_WIDE, dict(zip(",.?!:;", "、。？！：；", strict=True))),
    **dict.fromkeys(
        ("ar", "fa", "ur"),
        (re.compile(r"(?<=[\u0620-\u06ff])[?,;](?=\s|$)"), dict(zip("?,;", "؟،؛", strict=True))),
    ),
    "el": (re.compile(r"(?<=[\u0370-\u03ff])\?"), {"?": ";"}),
    "hi": (re.compile(r"(?<=[\u0900-\u097f])\s?\.(?=\s[\u0900-\u097f]|$)"), {".": "।"}),
}

DOUBLE = re.compile(r"(?<=\S)[ \u00a0]{2,}(?=\S)")
BEFORE_MARK = re.compile(r"(?<=\w)[ \u00a0]+(?=[.,](?:\s|$))")
BEFORE_ANY_MARK = re.compile(r"(?<=\w)[ \u00a0]+(?=[.,;:!?](?:\s|$))")
SPACED_MARKS = frozenset({"fr", "br", None})

# Line breaks and spaces of a template, which have no meaning.
LAYOUT = re.compile(r"\n[ \t]{3,}(?=\S)(?!.*\n\n)|\n[ \t]{3,}$")
PARAGRAPH = re.compile(r"(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)\s*")
FILLED = 45
WHOLE_LINE = '.:;!?…。！？：；।؟۔>)]}"”»'
BULLET = re.compile(r"\s*(?:[-*•·–+]|\d{1,3}[.)])\s")


def brackets(pairs: TextPairs) -> Iterator[Finding]:
    """Codes `brackets` and `added_brackets`."""
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
            f"{mark} {found[mark]} instead of {plural(wanted[mark], 'time')}"
            for mark in "()[]"
            if wanted[mark] != found[mark]
        ]
        # Pairs of brackets may be added: translators use them for explanations.
        added = all(wanted[mark] <= found[mark] for mark in "()[]")
        closed = found["("] == found[")"] and found["["] == found["]"]
        if told:
            code = "added_brackets" if added and closed else "brackets"
            yield Finding(row, code, f"{', '.join(told)} in {excerpt(pairs.target[row])}")


def quotes(pairs: TextPairs) -> Iterator[Finding]:
    """Codes `quotes` and `added_quotes`."""
    ours, theirs = (side.counts(side.signs.among(QUOTES)) for side in (pairs.source, pairs.target))
    for row in rows_where((ours != theirs) | (theirs % 2 == 1)):
        source, target = (markup.bare(text, "•") for text in pairs.texts(row))
        wanted, found = _quote_count(source), _quote_count(target)
        code = "quotes"
        if wanted % 2 == 0 and found % 2:
            told = f"{plural(found, 'quotation mark')}, so one is unpaired,"
        elif wanted > sum(map(source.count, TITLES)) and not found and not any(map(target.count, SINGLES)):
            told = "no quotation marks where the source has some"
        elif found > sum(map(target.count, TITLES)) and not wanted and not QUOTED.search(source):
            # Translators put marks around names. Those around titles in Chinese and Japanese replace italics.
            code, told = "added_quotes", "quotation marks where the source has none"
        else:
            continue
        yield Finding(row, code, f"{told} in {excerpt(pairs.target[row])}")


def _quote_count(text: str) -> int:
    text = WITHIN_WORDS.sub("", text)
    count = sum(text.count(mark) for mark in QUOTES)
    inches = len(INCHES.findall(text))
    return count - inches if inches and (count % 2 or text.count('"') == inches) else count


def ends(pairs: TextPairs) -> Iterator[Finding]:
    """Codes `end_punctuation` and `full_stop`."""
    ours, theirs = (side.once(end_marks, lang) for side, lang in pairs.with_languages())
    differing = ours != theirs
    if pairs.target_lang in NO_FULL_STOP:
        differing &= ~((ours == KINDS["."]) & (theirs == 0))
    if pairs.source_lang in NO_FULL_STOP:
        differing &= ~((ours == 0) & (theirs == KINDS["."]))
    stop = KINDS["."]
    stops = ours == stop
    # A column that often leaves out full stops does so on purpose, like headlines and lists.
    is_habit = stops.sum() >= LEAST_STOPS and (stops & (theirs == 0)).sum() > HABIT * stops.sum()
    for row in rows_where(differing):
        source, target = (text.rstrip() for text in pairs.texts(row))
        abbreviated = (ABBREVIATION.search(text[-24:].rstrip(CLOSERS)) for text in (source, target))
        if stop in (ours[row], theirs[row]) and any(abbreviated):
            continue
        added, lost = (ours[row], theirs[row]) == (0, stop), (ours[row], theirs[row]) == (stop, 0)
        message = f"ends {excerpt(target[-12:])}, the source ends {excerpt(source[-12:])}"
        yield Finding(row, "full_stop" if added or (lost and is_habit) else "end_punctuation", message)


def end_marks(side: Side, lang: str | None) -> Ints:
    """For every row the kind of its last mark; 0 if it ends without one."""
    codes = side.codes
    written = np.flatnonzero((side.kinds & (SPACE | INVISIBLE)) == 0)
    place = np.maximum(written[np.searchsorted(written, side.ends) - 1], side.starts)
    bracketed = np.zeros(len(place), dtype=np.bool_)
    for _ in range(STEPS):  # skip what may follow the mark that ends a text
        after = one_of(codes[place], CLOSERS) | ((side.kinds[place] & SPACE) != 0)
        bracketed |= one_of(codes[place], ")]）］")
        place = place - (after & (place > side.starts))
    table = np.zeros(side.widest + 2, dtype=np.int8)
    for mark, kind in ENDS.items():
        if ord(mark) < len(table):
            table[ord(mark)] = KINDS[kind]
    if lang == "el" and ord(";") < len(table):  # the Greek question mark
        table[ord(";")] = KINDS["?"]
    found = table[codes[place]]
    # A mark in brackets or alone in quotation marks does not end a text: "(Dvorak, alt.)", "unexpected ','".
    found[bracketed & (codes[side.starts] != ord("(")) & ~np.isin(found, [KINDS["?"], KINDS["!"]])] = 0
    found[(side.kinds[np.maximum(place - 1, 0)] & side.kinds[place + 1] & QUOTE) != 0] = 0
    dots = (found == KINDS["."]) & (place - 1 > side.starts)
    again = dots & (codes[place - 1] == ord(".")) & (codes[place - 2] == ord("."))
    found[again] = KINDS["…"]
    # "Save as…" in quotation marks is a name.
    found[(found == KINDS["…"]) & ((side.kinds[place + 1] & QUOTE) != 0)] = 0
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


def of_language(pairs: TextPairs) -> Iterator[Finding]:
    """Code `locale_punctuation`."""
    lang = next((code for code in (pairs.target_locale, pairs.target_lang) if code in LOCALE_MARKS), None)
    if lang is None or pairs.source_lang == pairs.target_lang:
        return
    pattern, better = LOCALE_MARKS[lang]
    for row in rows_where(pairs.target.has_any("".join(better)) & ~pairs.equal):
        target = pairs.target[row]
        found = list(pattern.finditer(markup.bare(target, "x", as_long=True)))
        if found:
            mark = found[0][0].strip()
            how = "with a no-break space before it" if better[mark].endswith(mark) else f"as {better[mark]}"
            told = f"{around(target, *found[0].span())}: {lang.upper()} writes {mark} {how}"
            ends = [0, *(each.end() for each in found)]
            parts = [
                f"{target[end : each.start()]}{better[each[0].strip()]}" for end, each in zip(ends, found, strict=False)
            ]
            yield Finding(row, "locale_punctuation", told, "".join([*parts, target[ends[-1] :]]))


def edges(pairs: TextPairs) -> Iterator[Finding]:
    """Code `edge_spaces`."""
    spaced = [
        ((side.kinds[side.starts] & SPACE) != 0, (side.kinds[side.ends - 1] & SPACE) != 0)
        for side in (pairs.source, pairs.target)
    ]
    for row in rows_where((spaced[0][0] != spaced[1][0]) | (spaced[0][1] != spaced[1][1])):
        source, target = pairs.texts(row)
        if LAYOUT.search(source):
            continue
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
        texts = pairs.texts(row)
        if LAYOUT.search(texts[0]):
            continue
        counts = [len(text.splitlines()) + text.endswith(("\n", "\r", "\u2028")) for text in texts]
        kind = "lines"
        if any(map(_is_wrapped, texts)):  # if lines are wrapped, only paragraphs count
            counts, kind = [len(PARAGRAPH.split(text.strip("\r\n"))) for text in texts], "paragraphs"
            if counts[0] == counts[1]:
                edges = [(text[:1] in "\r\n", text[-1:] in "\r\n") for text in texts]
                if edges[0] != edges[1]:
                    where = "start" if edges[0][0] != edges[1][0] else "end"
                    yield Finding(row, "newlines", f"a different number of line breaks at the {where}")
                continue
        if counts[0] != counts[1]:
            yield Finding(row, "newlines", f"{counts[1]} {kind}, the source has {counts[0]}")


def _is_wrapped(text: str) -> bool:
    """Whether *text* is wrapped: a long line ends within a sentence."""
    lines = text.splitlines()
    return any(
        len(line) >= FILLED and line[-1] not in WHOLE_LINE and not BULLET.match(after)
        for line, after in pairwise(lines)
        if line.strip() and after.strip()
    )
