"""Checks of single characters: wrongly decoded, invisible, of another script, repeated, and emoji."""

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from svc_nb.checks import codepoints, markup
from svc_nb.checks.findings import AGAIN, Finding, around, difference, excerpt, named
from svc_nb.checks.language_data import NO_FULL_STOP, SCRIPTS, WRITTEN_IN
from svc_nb.checks.mojibake import FOLLOWS, without_mojibake
from svc_nb.checks.text_array import BREAK, Hashes
from svc_nb.checks.text_pairs import Side, TextPairs, rows_where

# Signs of wrong decoding that are also common beside letters: alone they are weaker evidence than the others.
_MARKS = "„…‘’“”–—"
_SIGNS = FOLLOWS.translate(dict.fromkeys(map(ord, _MARKS)))
_SECOND = [*range(0x80, 0xC0), *map(ord, FOLLOWS[3:])]
MOJIBAKE = re.compile(
    rf"Ã[{FOLLOWS}]|Â[\u0080-\u00bf]|â€[{FOLLOWS}]|ï»¿|ðŸ[{FOLLOWS}]{{2}}|(?:[ÐÑ][{FOLLOWS}]){{2,}}"
    rf"|(?:[ã-é][{FOLLOWS}]{{2}}){{2,}}|[ÄÅ][{_SIGNS}]|(?:[ÄÅÎÏ][{FOLLOWS}].{{0,8}}){{2,}}"
    r"|\N{REPLACEMENT CHARACTER}|[\ud800-\udfff]"
)
LEADS = [ord(letter) for letter in "ÃÂâïðÐÑãäåæçèéÄÅÎÏ"]

DIRECTIONS = "\u200e\u200f\u061c"
EMBEDDINGS = "\u202a\u202b\u202d\u202e\u2066\u2067\u2068"
CLOSES = {"\u202c": "\u202a\u202b\u202d\u202e", "\u2069": "\u2066\u2067\u2068"}
OVERRIDES = "\u202d\u202e"
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
ALLOWED_CONTROLS = "\t\n\r\u2028\u2029" + BREAK

ALONE = ("kana", "han", "hangul", "thai")  # one letter of these is enough to be out of place
LEAST_LETTERS = 12

# Without skin tones.
EMOJI = re.compile("[\u2600-\u27bf\u2b50\U0001f300-\U0001f3fa\U0001f400-\U0001faff]")

RUN = 5
RUNS = re.compile(r"(\D)\1{4,}")
# Letters that became question marks, within a word or throughout it.
LOST = re.compile(
    r"[^\W\d_]\?+[^\W\d_]|\?[^\W\d_]+\?(?=\s)|(?<![\w?])\?{3,}|(?<![\w?])\?(?!php)[a-zß-ɏ]{2,}|[a-zß-ɏ]\?+ [a-zß-ɏ]"
)
# Words that mix Latin letters with Cyrillic or Greek look-alikes.
MIXED = re.compile(r"[Ѐ-ӿͰ-Ͽ][A-Za-z]+[Ѐ-ӿͰ-Ͽ]|[A-Za-z][Ѐ-ӿͰ-Ͽ]+[a-z]")


def mojibake(pairs: TextPairs) -> Iterator[Finding]:
    """Code `mojibake`."""
    side = pairs.target
    suspects = np.zeros(len(side), dtype=np.bool_)
    suspects[side.hidden.rows[(side.kinds[side.hidden.places] & codepoints.FOREIGN) != 0]] = True
    places = np.flatnonzero((side.codes >= min(LEADS)) & (side.codes <= max(LEADS)))
    places = places[np.isin(side.codes[places], LEADS) & np.isin(side.codes[places + 1], _SECOND)]
    suspects[side.row_at[places]] = True
    for row in rows_where(suspects):
        source, target = pairs.texts(row)
        found = MOJIBAKE.search(target)
        if found and found[0] not in source:
            message = f"{around(target, *found.span())} was decoded wrongly"
            fixed = without_mojibake(target)
            yield Finding(row, "mojibake", message, fixed if fixed != target else "")


def unseen(pairs: TextPairs) -> Iterator[Finding]:
    """Codes `invisible`, `bidi` and `control`."""
    hidden = pairs.target.hidden
    for row in np.unique(hidden.rows[hidden.codes != ord(BREAK)]).tolist():
        source, target = pairs.texts(row)
        letters = set(target) - set(source)
        if found := _of_kind(letters, codepoints.CONTROL) - set(ALLOWED_CONTROLS):
            yield Finding(row, "control", _names(found), _without(target, found))
        ours, theirs = (
            [letter for letter in text if letter in EMBEDDINGS or letter in CLOSES] for text in (source, target)
        )
        turned = set(theirs) & set(OVERRIDES) - set(source)
        if turned or (_is_open(theirs) and not _is_open(ours)):
            told = f"{named(min(turned or theirs))} {'reverses the text' if turned else 'is not closed'}"
            yield Finding(row, "bidi", told, _without(target, set(theirs)))
        known = set(EMBEDDINGS) | set(CLOSES)
        if RIGHT_TO_LEFT.search(target):
            known |= set(DIRECTIONS)
        if pairs.target_lang in NO_FULL_STOP:
            known.add("\u200b")
        if found := _of_kind(letters, codepoints.INVISIBLE) - known:
            yield Finding(row, "invisible", _names(found), _without(target, found))


def _is_open(used: list[str]) -> bool:
    """Whether an embedding is not closed, or was closed without being opened."""
    depth: list[str] = []
    for letter in used:
        if letter not in CLOSES:
            depth.append(letter)
        elif not depth or depth.pop() not in CLOSES[letter]:
            return True
    return bool(depth)


def _of_kind(letters: set[str], kind: int) -> set[str]:
    listed = [letter for letter in letters if not letter.isprintable() or letter in codepoints.BLANKS]
    kinds = codepoints.kinds(np.array([ord(letter) for letter in listed], dtype=np.uint32))
    return {letter for letter, own in zip(listed, kinds.tolist(), strict=True) if own & kind}


def _names(letters: set[str]) -> str:
    return ", ".join(sorted(map(named, letters)))


def _without(text: str, letters: set[str]) -> str:
    return "".join(letter for letter in text if letter not in letters)


def scripts(pairs: TextPairs) -> Iterator[Finding]:
    """Code `wrong_script`."""
    used, side = WRITTEN_IN.get(pairs.target_lang or ""), pairs.target
    if not used:
        return
    # Stretches of another script; one that is also foreign to the source is there on purpose.
    foreign = _foreign(used)
    quoted = _foreign(WRITTEN_IN[pairs.source_lang]) if pairs.source_lang in WRITTEN_IN else None
    letters = (side.codes >= 0x370) & ((side.kinds & codepoints.LETTER) != 0)
    letters &= ~side.in_scripts(used)
    for row in rows_where(side.holding(letters)):
        source, target = pairs.texts(row)
        found = foreign.search(target) if source != target else None
        if found and not (quoted and found[0] in source and quoted.search(source)):
            message = f"{around(target, *found.span())} for {str(pairs.target_lang).upper()}"
            yield Finding(row, "wrong_script", message)
    if "latin" not in used:
        yield from _none_at_all(pairs, used)
        for row in rows_where(side.holding((side.codes >= 0x370) & (side.codes < 0x500)) & (side.latin > 0)):
            found = MIXED.search(pairs.bare(row)[1])
            if found and not MIXED.search(pairs.source[row]):
                yield Finding(row, "wrong_script", f"{excerpt(found[0])} has letters of two scripts")


def _foreign(used: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for a stretch of any script except those *used*."""
    ranges = {name: letters for name, letters in SCRIPTS.items() if name not in used}
    alone = "".join(ranges.get(name, "") for name in ALONE)
    others = "".join(letters for name, letters in ranges.items() if name not in (*ALONE, "greek"))
    letter = r"[^\W\d_]"
    # Single Greek letters are symbols everywhere.
    greek = rf"|[{ranges['greek']}]{{3,}}" if "greek" in ranges else ""
    return re.compile(rf"[{alone}]+|[{others}]+(?<={letter}{letter})|[{others}](?={letter}){greek}")


def _none_at_all(pairs: TextPairs, used: tuple[str, ...]) -> Iterator[Finding]:
    """Texts with many letters, none of them of the scripts *used*."""
    without = ~pairs.target.holding(pairs.target.in_scripts(used)) & (pairs.target.lowers >= LEAST_LETTERS)
    for row in rows_where(without & ~pairs.equal):
        if sum(map(str.islower, pairs.bare(row)[1])) >= LEAST_LETTERS:
            yield Finding(row, "wrong_script", f"{excerpt(pairs.target[row])} has no {used[0]} letters")


def lost_letters(pairs: TextPairs) -> Iterator[Finding]:
    """Code `lost_letters`."""
    side = pairs.target
    marks = side.signs.among("?").places
    # A question is followed by a space, and after it a sentence begins.
    goes_on = (side.kinds[np.minimum(marks + 2, len(side.codes) - 1)] & codepoints.LOWER) != 0
    inside = marks[((side.kinds[marks + 1] & codepoints.SPACE) == 0) | goes_on]
    for row in np.unique(side.row_at[inside]).tolist():
        source, target = (markup.URL.sub(" ", text) for text in pairs.texts(row))
        found = LOST.search(target)
        if found and not LOST.search(source):
            yield Finding(row, "lost_letters", f"{around(target, *found.span())} lost letters", advice=AGAIN)


def repeated(pairs: TextPairs) -> Iterator[Finding]:
    """Code `repeated_characters`."""
    side = pairs.target
    if len(side.codes) <= RUN:
        return
    same = side.codes[1:] == side.codes[:-1]
    twice = same[1:] & same[:-1]
    places = np.flatnonzero(twice[2:] & twice[:-2])
    places = places[(side.kinds[places] & (codepoints.DIGIT | codepoints.SPACE)) == 0]
    for row in np.unique(side.row_at[places]).tolist():
        source, target = pairs.texts(row)
        new = [run for run in RUNS.finditer(target) if run[1] * 3 not in source]
        if new:
            letters = "".join({run[1] for run in new})
            fixed = re.sub(rf"([{letters}])\1{{4,}}", r"\1", target) if letters.isalpha() else ""
            yield Finding(row, "repeated_characters", f"{len(new[0][0])} times {excerpt(new[0][1])}", fixed)


def emoji(pairs: TextPairs) -> Iterator[Finding]:
    """Code `emoji`."""
    if max(pairs.source.widest, pairs.target.widest) < 0x2600:
        return
    for row in rows_where(_emoji_bags(pairs.source) != _emoji_bags(pairs.target)):
        if told := difference(*(Counter(EMOJI.findall(text)) for text in pairs.texts(row))):
            yield Finding(row, "emoji", told)


def _emoji_bags(side: Side) -> Hashes:
    codes = side.signs.codes
    pictures = (codes >= 0x1F300) & (codes <= 0x1FAFF) & ((codes < 0x1F3FB) | (codes > 0x1F3FF))
    spots = side.signs.where(pictures | ((codes >= 0x2600) & (codes <= 0x27BF)) | (codes == 0x2B50))
    return side.bags(spots.rows, spots.codes)
