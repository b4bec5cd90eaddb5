"""Checks of words: left untranslated, doubled, looping; of their length and of their capitals."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from svc_nb.checks import alphabet, marks
from svc_nb.checks.catalogue import Finding
from svc_nb.checks.couple import Couple, base_of, rows
from svc_nb.checks.excerpt import excerpt
from svc_nb.checks.side import Side, Words
from svc_nb.checks.tape import Bools, Places, Tape

MARK = re.compile(r"(\[([A-Z]{2,3}(?:-[A-Z0-9]{2,8})*)\] )")
# A text may have brackets of its own before the mark, but not many.
MOST_MARKS = 3
TRANSLATE = "install a translator, or connect to a service that translates, and translate this row again"
WORD = re.compile(r"[^\W\d_]{2,}")
UNSPACED = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0eff]")
LEAST_UNSPACED = 4

# How many words in a row must be those of the source: close relatives share many.
SHARED = 5
SHARED_BY_RELATIVES = 10
LEAST_SMALL = 3
RELATIVES = tuple(
    frozenset(family.split())
    for family in (
        "da nb sv",
        "cs sk",
        "es pt gl ca it",
        "hr sr bs sl",
        "ru uk be bg mk",
        "id ms",
        "zh ja",
        "nl af",
        "et fi",
    )
)
SLOTS = 1 << 22
MARKS = "{}<>%@/"

MAY_DOUBLE = {
    "de": {"die", "der", "das", "sie", "ihr"}, "en": {"had", "that", "very", "bye", "no", "so", "her", "is", "you"},
    "fr": {"nous", "vous", "très", "non", "oui"}, "nl": {"dat", "die", "er", "heel"},
    "it": {"piano", "via", "man", "quasi"},
    "es": {"muy", "no", "casi"}, "pt": {"muito", "não", "da", "do", "das", "dos"},
    "ru": {"очень", "да", "нет", "еле", "чуть"},
    "sv": {"för", "att"},
    "fi": {"hyvin"}, "ro": {"foarte"}, "pl": {"bardzo", "tak"},
}  # fmt: skip
# Languages in which saying a word twice is grammar.
DOUBLING = frozenset({"vi", "tr", "id", "ms", "th", "ko", "ja", "zh", "hi", "ar", "he"})
DOUBLED = re.compile(r"\b([^\W\d_]{2,})[ \u00a0]\1\b", re.IGNORECASE)
PERIODS = (2, 3, 4)

# Characters needed for what English says in one, once a character of Chinese, Japanese or Korean counts as 2.2.
LENGTHS = {
    "ar": 0.9, "he": 0.8, "de": 1.15, "fr": 1.2, "es": 1.18, "pt": 1.12, "it": 1.18, "nl": 1.12, "ru": 1.12, "uk": 1.1,
    "bg": 1.12, "el": 1.22, "fi": 1.08, "hu": 1.12, "pl": 1.12, "ro": 1.15, "tr": 1.03, "vi": 1.1, "th": 0.95,
    "ja": 1.1, "zh": 0.85, "ko": 1.1, "id": 1.1, "lt": 1.05, "lv": 1.06, "et": 1.02, "sv": 1.02, "da": 1.03, "nb": 1.02,
}  # fmt: skip
WIDE = 1.2
SHORT = 15
TOLERANCE = 2.0
SLACK = 10.0

CAPS = 6
CASELESS_NOUNS = frozenset({"de", "lb", None})
SKIPPED_BEFORE = alphabet.SPACE | alphabet.QUOTE | alphabet.OPENING
STEPS = 3


def marked(source: Tape, target: Tape, target_lang: str | None) -> Iterator[Finding]:
    """Code `marked`: a service without a translator writes "[DE] " before each sentence and leaves the rest as it is.

    Where a part was translated after all, by a glossary or a memory, the mark must be that of *target_lang*, and the
    source must not speak of it.
    """
    brackets = np.flatnonzero(target.codes == ord("["))
    for row in np.unique(np.searchsorted(target.ends, brackets)).tolist():
        text, made = source[row], target[row]
        for mark, code in [*dict.fromkeys(MARK.findall(made))][:MOST_MARKS]:
            if made.count(mark) <= text.count(mark):
                continue
            if made.replace(mark, "") == text.replace(mark, ""):
                yield Finding(
                    row, "marked", f"NOT TRANSLATED: the source text, marked {mark.strip()}", TRANSLATE
                )
                break
            if base_of(code) == base_of(target_lang) and not re.search(rf"\b{code}\b", text):
                yield Finding(
                    row, "marked", f"NOT TRANSLATED, or only in part: marked {mark.strip()}", TRANSLATE
                )
                break


def untranslated(couple: Couple) -> Iterator[Finding]:
    """Codes `untranslated` and `untranslated_word`."""
    if couple.source_lang and couple.source_lang == couple.target_lang:
        return
    for row in rows(couple.equal):
        source, target = couple.texts(row)
        words = WORD.findall(marks.bare(target)) if source == target else []
        unspaced = sum(len(UNSPACED.findall(word)) for word in words)
        if (len(words) > 1 and any(word.islower() for word in words)) or unspaced >= LEAST_UNSPACED:
            yield Finding(
                row, "untranslated", f"{excerpt(target)} is the source text", "translate this row again"
            )
        elif words:
            yield Finding(row, "untranslated_word", f"{excerpt(target)} is the source text")


def partly(couple: Couple) -> Iterator[Finding]:
    """Code `partly_untranslated`."""
    pair = {couple.source_lang, couple.target_lang}
    if None not in pair and len(pair) == 1:
        return
    length = SHARED_BY_RELATIVES if any(pair <= family for family in RELATIVES) else SHARED
    ours, _ = _stretches(couple.source, length)
    theirs, found_in = _stretches(couple.target, length)
    suspects = found_in[_among(theirs, ours)]
    for row in np.unique(suspects).tolist():
        if not couple.equal[row]:
            shared = _shared(*couple.bare(row), length)
            if shared:
                yield Finding(row, "partly_untranslated", f"{excerpt(shared, 60)} stands in the source, too")


def _stretches(side: Side, length: int) -> tuple[np.typing.NDArray[np.uint64], np.typing.NDArray[np.int32]]:
    """A number for every stretch of *length* words, other for other rows, and the row."""
    words = side.words
    count = len(words.rows) - length + 1
    if count <= 0:
        return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int32)
    within = words.rows[:count] == words.rows[length - 1 :]
    # What is left of placeholders, tags and addresses is no wording.
    marked = side.signs.among(MARKS).places
    if len(marked):
        within &= (
            np.searchsorted(marked, words.starts)[:count] == np.searchsorted(marked, words.ends)[length - 1 :]
        )
    first, last = words.starts[:count][within], words.ends[length - 1 :][within]
    found_in = words.rows[:count][within]
    mixed = side.tape.numbers(first, last) + found_in.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return mixed, found_in


def _among(some: np.typing.NDArray[np.uint64], others: np.typing.NDArray[np.uint64]) -> Bools:
    """For each of *some* whether it is one of *others*: never wrongly no, seldom wrongly yes."""
    found = np.ones(len(some), dtype=np.bool_)
    for shift in (0, 24):
        table = np.zeros(SLOTS, dtype=np.bool_)
        table[_slots(others, shift)] = True
        found &= table[_slots(some, shift)]
    return found


def _slots(numbers: np.typing.NDArray[np.uint64], shift: int) -> Places:
    return ((numbers >> np.uint64(shift)) & np.uint64(SLOTS - 1)).astype(np.int64)


def _shared(source: str, target: str, length: int) -> str | None:
    """The first long stretch of *target* that *source* has, names and numbers alone not counted."""
    words = list(re.finditer(r"\w+", target))
    for first in range(len(words) - length + 1):
        some = words[first : first + length]
        stretch = target[some[0].start() : some[-1].end()]
        small = sum(len(word[0]) > 1 and word[0].islower() for word in some)
        if small >= LEAST_SMALL and stretch in source:
            return stretch
    return None


def doubled(couple: Couple) -> Iterator[Finding]:
    """Code `doubled_words`."""
    if couple.target_lang in DOUBLING:
        return
    words = couple.target.words
    # Compared without their first letters, for one of them may begin a sentence.
    tails = couple.target.tape.numbers(words.starts + 1, words.ends)
    twice = (tails[1:] == tails[:-1]) & (words.starts[1:] - words.ends[:-1] == 1)
    twice &= words.ends[1:] - words.starts[1:] > 1
    may = MAY_DOUBLE.get(couple.target_lang or "", set().union(*MAY_DOUBLE.values()))
    for row in np.unique(words.rows[:-1][twice & (words.rows[1:] == words.rows[:-1])]).tolist():
        source, target = couple.texts(row)
        found = next((one for one in DOUBLED.finditer(target) if one[1].lower() not in may), None)
        if found and not _has_double(source) and not looping(target):
            message = f"{excerpt(found[0])}"
            yield Finding(row, "doubled_words", message, target[: found.end(1)] + target[found.end() :])


def _has_double(text: str) -> bool:
    return bool(re.search(r"\b(\w{2,})\W{1,3}\1\b", text, re.IGNORECASE))


def loops(couple: Couple) -> Iterator[Finding]:
    """Code `repeated_words`."""
    words = couple.target.words
    found = set(_circling(words, 1, 3)).union(*(_circling(words, period, 2 * period) for period in PERIODS))
    for row in sorted(found):
        source, target = couple.texts(row)
        stretch = looping(target)
        if stretch and not looping(source):
            yield Finding(
                row, "repeated_words", f"{excerpt(stretch)} again and again", "translate this row again"
            )


def _circling(words: Words, period: int, times: int) -> list[int]:
    """The rows where *times* words in a row are those of *period* words before."""
    same = (words.numbers[period:] == words.numbers[:-period]) & (words.rows[period:] == words.rows[:-period])
    places = np.flatnonzero(same)
    if len(places) < times:
        return []
    run = places[times - 1 :] - places[: len(places) - times + 1] == times - 1
    rows_found = words.rows[places[: len(run)][run]]
    return [int(row) for row in np.unique(rows_found)]


def looping(text: str) -> str | None:
    """A stretch of one to four words that stands there three times in a row, a single one four times."""
    words = re.findall(r"\w+", text)
    for period in (*PERIODS, 1):
        times = 3 if period == 1 else 2
        for first in range(len(words) - (times + 1) * period + 1):
            some = words[first : first + period]
            after = words[first + period : first + (times + 1) * period]
            if after == some * times and any(not word.isdecimal() for word in some):
                return " ".join(some)
    return None


def lengths(couple: Couple) -> Iterator[Finding]:
    """Code `length`."""
    ours, theirs = _weighed(couple.source, couple.source_lang), _weighed(couple.target, couple.target_lang)
    for row in rows(_far(ours, theirs)):
        (source, target), bare = couple.texts(row), couple.bare(row)
        # Placeholders and addresses say nothing about how long a translation should be.
        left = ours[row] - len(source) + len(bare[0]), theirs[row] - len(target) + len(bare[1])
        if _far(np.array(left[0]), np.array(left[1])):
            word = "long" if left[1] > left[0] else "short"
            message = f"{len(target)} characters for {len(source)} of the source: very {word}"
            yield Finding(row, "length", message)


def _far(ours: np.typing.NDArray[np.float64], theirs: np.typing.NDArray[np.float64]) -> Bools:
    least, most = np.minimum(ours, theirs), np.maximum(ours, theirs)
    far: Bools = (most > SHORT) & (most > TOLERANCE * least + SLACK)
    return far


def _weighed(side: Side, lang: str | None) -> np.typing.NDArray[np.float64]:
    """How long every text would be in English, about."""
    codes = side.tape.codes
    lengths: Places = side.tape.lengths
    weighed = lengths.astype(np.float64)
    if codes.max(initial=0) >= 0x2E80:
        wide = ((codes >= 0x2E80) & (codes < 0xD800)) | ((codes >= 0xF900) & (codes < 0xFB00))
        weighed = weighed + WIDE * side.tape.sums(wide)
    return weighed / LENGTHS.get(lang or "", 1.0)


def first_letters(couple: Couple) -> Iterator[Finding]:
    """Code `first_letter`."""
    ours, theirs = _first(couple.source), _first(couple.target)
    lost = ((ours & alphabet.UPPER) != 0) & ((theirs & alphabet.LOWER) != 0)
    if couple.target_lang not in CASELESS_NOUNS:
        lost |= ((ours & alphabet.LOWER) != 0) & ((theirs & alphabet.UPPER) != 0)
    for row in rows(lost):
        source, target = couple.texts(row)
        if not (_is_brand(source) or _is_brand(target)):
            message = f"{excerpt(target, 16)} for {excerpt(source, 16)}"
            yield Finding(row, "first_letter", message, _recased(target))


def _first(side: Side) -> alphabet.Kinds:
    kinds = side.tape.kinds
    place = side.tape.starts
    for _ in range(STEPS):
        skipped = ((kinds[place] & SKIPPED_BEFORE) != 0) | np.isin(side.tape.codes[place], [0xBF, 0xA1])
        place = np.minimum(place + skipped, side.tape.ends)
    return kinds[place]


def _is_brand(text: str) -> bool:
    """Whether the first word has a capital inside, as in iPhone, or stands for a number, as in "x = 3"."""
    first = re.match(r"\W*(\w+)", text)
    return bool(first and (len(first[1]) == 1 or any(letter.isupper() for letter in first[1][1:])))


def _recased(text: str) -> str:
    for place, letter in enumerate(text):
        if letter.isalpha():
            return text[:place] + letter.swapcase() + text[place + 1 :] if len(letter.swapcase()) == 1 else ""
    return ""


def capitals(couple: Couple) -> Iterator[Finding]:
    """Code `all_caps`."""
    (ours, ours_small), (theirs, theirs_small) = (
        (side.uppers, side.lowers) for side in (couple.source, couple.target)
    )
    lost = (ours >= CAPS) & (ours_small == 0) & (theirs_small > theirs)
    new = (theirs >= CAPS) & (theirs_small == 0) & (ours_small > ours)
    for row in rows((lost | new) & ~couple.equal):
        source, target = couple.bare(row)
        if WORD.search(source) and WORD.search(target):
            message = f"{excerpt(couple.target[row], 24)} for {excerpt(couple.source[row], 24)}"
            yield Finding(row, "all_caps", message, "" if new[row] else couple.target[row].upper())
