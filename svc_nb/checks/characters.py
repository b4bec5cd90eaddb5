"""Checks of single characters: decoded wrongly, unseen, of another script, repeated, and emoji."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from svc_nb.checks import alphabet
from svc_nb.checks.catalogue import Finding
from svc_nb.checks.couple import Couple, rows
from svc_nb.checks.excerpt import around, excerpt, listing, named
from svc_nb.checks.side import Ints, Side
from svc_nb.checks.tape import BREAK, Bools

# How bytes 0x80 to 0xBF look when UTF-8 was read as Windows-1252 or Latin-1.
_FOLLOWS = "[\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
MOJIBAKE = re.compile(
    rf"Ã{_FOLLOWS}|Â[\u0080-\u00bf]|â€{_FOLLOWS}|ï»¿|ðŸ{_FOLLOWS}{{2}}|(?:[ÐÑ]{_FOLLOWS}){{2,}}"
    rf"|(?:[ã-é]{_FOLLOWS}{{2}}){{2,}}|\N{{REPLACEMENT CHARACTER}}|[\ud800-\udfff]"
)
LEADS = "ÃÂâïðÐÑãäåæçèé"
COMMON_LEADS = "ãäåæçèéâ"

DIRECTIONS = "\u200e\u200f\u061c"
EMBEDDINGS = "\u202a\u202b\u202d\u202e\u2066\u2067\u2068"
CLOSES = {"\u202c": "\u202a\u202b\u202d\u202e", "\u2069": "\u2066\u2067\u2068"}
OVERRIDES = "\u202d\u202e"
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
BREAKS_WORDS = frozenset({"th", "lo", "km", "my"})
ALLOWED_CONTROLS = "\t\n\r\u2028\u2029" + BREAK

SCRIPTS = {
    "greek": "\u0370-\u03ff\u1f00-\u1fff", "cyrillic": "\u0400-\u052f", "hebrew": "\u0590-\u05ff",
    "arabic": "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc", "devanagari": "\u0900-\u097f",
    "thai": "\u0e00-\u0e7f", "georgian": "\u10a0-\u10ff", "armenian": "\u0530-\u058f",
    "kana": "\u3041-\u30ff\u31f0-\u31ff", "han": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
    "hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
}  # fmt: skip
ALONE = ("kana", "han", "hangul", "thai")  # one letter of these is enough to be out of place
WRITTEN_IN = {
    "el": ("greek",), "ru": ("cyrillic",), "uk": ("cyrillic",), "bg": ("cyrillic",), "sr": ("cyrillic", "latin"),
    "mk": ("cyrillic",), "be": ("cyrillic",), "he": ("hebrew",), "ar": ("arabic",), "fa": ("arabic",),
    "ur": ("arabic",),
    "hi": ("devanagari",), "mr": ("devanagari",), "ne": ("devanagari",), "th": ("thai",), "ka": ("georgian",),
    "hy": ("armenian",), "ja": ("kana", "han"), "zh": ("han",), "ko": ("hangul", "han"),
    **dict.fromkeys(
        [
            "cs", "da", "de", "en", "es", "et", "fi", "fr", "hu", "id", "it", "lt", "lv", "nb", "nl", "pl",
            "pt", "ro", "sk", "sl", "sv", "tr", "vi", "ca", "hr", "is", "ga", "ms"
        ],
        ("latin",),
    ),
}  # fmt: skip
LEAST_LETTERS = 12

RUN = 5
RUNS = re.compile(r"(\D)\1{4,}")
SHORT_RUNS = re.compile(r"(\D)\1{2,}")


def mojibake(couple: Couple) -> Iterator[Finding]:
    """Code `mojibake`."""
    for row in rows(_maybe_mojibake(couple.target)):
        source, target = couple.texts(row)
        found = MOJIBAKE.search(target)
        if found and found[0] not in source:
            yield Finding(
                row, "mojibake", f"{around(target, *found.span())} was decoded wrongly", repaired(target)
            )


def _maybe_mojibake(side: Side) -> Bools:
    found = np.zeros(len(side), dtype=np.bool_)
    hidden = side.hidden
    found[hidden.where((side.tape.kinds[hidden.places] & alphabet.FOREIGN) != 0).rows] = True
    for lead in LEADS:
        if lead in side.tape.text:
            places = np.flatnonzero(side.tape.codes[:-1] == ord(lead))
            if lead in COMMON_LEADS:  # letters of many languages: what follows them tells
                after = side.tape.kinds[places + 1]
                places = places[(after & (alphabet.LOWER | alphabet.SPACE)) == 0]
            found[side.row_at[places]] = True
    return found


def repaired(text: str) -> str:
    """*text* as it was before it was decoded wrongly; "" where that cannot be told."""
    for encoding in ("cp1252", "latin-1"):
        try:
            return text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return ""


def unseen(couple: Couple) -> Iterator[Finding]:
    """Codes `invisible`, `bidi` and `control`."""
    hidden = couple.target.hidden
    for row in np.unique(hidden.where(~np.isin(hidden.codes, [ord(BREAK)])).rows).tolist():
        source, target = couple.texts(row)
        yield from _controls(row, source, target)
        yield from _bidi(row, source, target)
        yield from _invisible(row, source, target, couple.target_lang)


def _controls(row: int, source: str, target: str) -> Iterator[Finding]:
    found = (
        {letter for letter in target if _is(letter, alphabet.CONTROL)} - set(ALLOWED_CONTROLS) - set(source)
    )
    if found:
        yield Finding(row, "control", ", ".join(sorted(map(named, found))), _without(target, found))


def _bidi(row: int, source: str, target: str) -> Iterator[Finding]:
    used = [letter for letter in target if letter in EMBEDDINGS or letter in CLOSES]
    if not used:
        return
    turned = set(used) & set(OVERRIDES) - set(source)
    if turned or (
        _open(used) and not _open([letter for letter in source if letter in EMBEDDINGS or letter in CLOSES])
    ):
        told = "turns text around" if turned else "is not closed"
        yield Finding(row, "bidi", f"{named(min(turned or used))} {told}", _without(target, set(used)))


def _open(used: list[str]) -> bool:
    """Whether an embedding is not closed, or one is closed that was not opened."""
    depth: list[str] = []
    for letter in used:
        if letter not in CLOSES:
            depth.append(letter)
        elif not depth or depth.pop() not in CLOSES[letter]:
            return True
    return bool(depth)


def _invisible(row: int, source: str, target: str, lang: str | None) -> Iterator[Finding]:
    known = set(source) | set(EMBEDDINGS) | set(CLOSES)
    if RIGHT_TO_LEFT.search(target):
        known |= set(DIRECTIONS)
    if lang in BREAKS_WORDS:
        known.add("\u200b")
    found = {letter for letter in target if _is(letter, alphabet.INVISIBLE)} - known
    if found:
        yield Finding(row, "invisible", ", ".join(sorted(map(named, found))), _without(target, found))


def _is(letter: str, kind: int) -> bool:
    return not letter.isprintable() and bool(
        alphabet.kinds(np.array([ord(letter)], dtype=np.uint32))[0] & kind
    )


def _without(text: str, letters: set[str]) -> str:
    return "".join(letter for letter in text if letter not in letters)


def scripts(couple: Couple) -> Iterator[Finding]:
    """Code `wrong_script`."""
    used = WRITTEN_IN.get(couple.target_lang or "")
    if used:
        yield from _out_of_place(couple, used)
        yield from _none_at_all(couple, used)


def _out_of_place(couple: Couple, used: tuple[str, ...]) -> Iterator[Finding]:
    """Stretches of another script; one that is foreign to the source as well was meant to be there."""
    foreign = _foreign(used)
    quoted = _foreign(WRITTEN_IN[couple.source_lang]) if couple.source_lang in WRITTEN_IN else None
    tape = couple.target.tape
    suspects = couple.target.spots((tape.codes >= 0x370) & ((tape.kinds & alphabet.LETTER) != 0))
    for row in np.unique(suspects.rows).tolist():
        source, target = couple.texts(row)
        found = foreign.search(target) if source != target else None
        if found and not (quoted and found[0] in source and quoted.search(source)):
            yield Finding(
                row, "wrong_script", f"{around(target, *found.span())} for {str(couple.target_lang).upper()}"
            )


def _none_at_all(couple: Couple, used: tuple[str, ...]) -> Iterator[Finding]:
    """Texts without one letter of the right script."""
    for row in rows(_letters(couple.target, used) & ~couple.equal):
        if sum(map(str.islower, couple.bare(row)[1])) >= LEAST_LETTERS:
            yield Finding(row, "wrong_script", f"{excerpt(couple.target[row])} has no {used[0]} letters")


def _foreign(used: tuple[str, ...]) -> re.Pattern[str]:
    ranges = {name: letters for name, letters in SCRIPTS.items() if name not in used}
    alone = "".join(ranges.get(name, "") for name in ALONE)
    others = "".join(letters for name, letters in ranges.items() if name not in (*ALONE, "greek"))
    letter = r"[^\W\d_]"
    # Single Greek letters are symbols everywhere.
    greek = rf"|[{ranges['greek']}]{{3,}}" if "greek" in ranges else ""
    return re.compile(rf"[{alone}]+|[{others}]+(?<={letter}{letter})|[{others}](?={letter}){greek}")


def _letters(side: Side, used: tuple[str, ...]) -> Bools:
    """For every row whether it has many letters, but none of the scripts *used*."""
    if "latin" in used:
        return np.zeros(len(side), dtype=np.bool_)
    codes = side.tape.codes
    inside = np.zeros(len(codes), dtype=np.bool_)
    for name in used:
        ends = SCRIPTS[name].replace("-", "")
        for first, last in zip(ends[::2], ends[1::2], strict=True):
            inside |= (codes >= ord(first)) & (codes <= ord(last))
    return ~side.tape.holding(inside) & (side.lowers >= LEAST_LETTERS)


def repeated(couple: Couple) -> Iterator[Finding]:
    """Code `repeated_characters`."""
    codes = couple.target.tape.codes
    if len(codes) <= RUN:
        return
    same = codes[1:] == codes[:-1]
    twice = same[1:] & same[:-1]
    places = np.flatnonzero(twice[2:] & twice[:-2])
    kinds = couple.target.tape.kinds[places]
    places = places[(kinds & (alphabet.DIGIT | alphabet.SPACE)) == 0]
    for row in np.unique(couple.target.row_at[places]).tolist():
        source, target = couple.texts(row)
        found = RUNS.search(target)
        if found and not SHORT_RUNS.search(source):
            yield Finding(row, "repeated_characters", f"{len(found[0])} times {excerpt(found[1])}")


def emoji(couple: Couple) -> Iterator[Finding]:
    """Code `emoji`."""
    ours, theirs = _emoji(couple.source), _emoji(couple.target)
    if ours is None and theirs is None:
        return
    none: Ints = np.zeros(len(couple), dtype=np.uint64)
    for row in rows((none if ours is None else ours) != (none if theirs is None else theirs)):
        wanted, found = (
            Counter(letter for letter in text if _is_emoji(ord(letter))) for text in couple.texts(row)
        )
        lost, new = wanted - found, found - wanted
        parts = (("missing", lost), ("new", new))
        told = "; ".join(f"{word} {listing(some)}" for word, some in parts if some)
        if told:
            yield Finding(row, "emoji", told)


def _is_emoji(code: int) -> bool:
    return 0x1F300 <= code <= 0x1FAFF and not 0x1F3FB <= code <= 0x1F3FF


def _emoji(side: Side) -> Ints | None:
    codes = side.signs.codes
    if not len(codes) or codes.max() < 0x1F300:
        return None
    which = (codes >= 0x1F300) & (codes <= 0x1FAFF) & ((codes < 0x1F3FB) | (codes > 0x1F3FF))
    spots = side.signs.where(which)
    return side.bags(spots.rows, spots.codes)
