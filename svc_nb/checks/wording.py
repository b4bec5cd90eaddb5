"""Checks of words: left untranslated or in another language, doubled, looping; their capitals and consistency."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.checks import markup
from svc_nb.checks.codepoints import LETTER, LOWER, OPENING, QUOTE, SPACE, UPPER, Kinds
from svc_nb.checks.findings import AGAIN, Finding, excerpt
from svc_nb.checks.language_data import ALPHABETS, MAY_DOUBLE, PARTICLES, RELATIVES, SCRIPTS, STOPWORDS, WRITTEN_IN
from svc_nb.checks.term_search import HashIndex
from svc_nb.checks.text_array import MIX, Bools, Hashes, Places, TextArray
from svc_nb.checks.text_pairs import Side, TextPairs, base_of, one_of, rows_where
from svc_nb.tabular.report import plural

MARK = re.compile(r"(\[([A-Z]{2,3}(?:-[A-Z0-9]{2,8})*)\] )")
# A text may have its own brackets before the mark, but not many.
MOST_MARKS = 3
TRANSLATE = "install a translator, or connect to a service that translates, and translate this row again"
WORD = re.compile(r"[^\W\d_]{2,}")
UNSPACED = re.compile(f"[{SCRIPTS['kana']}{SCRIPTS['han']}{SCRIPTS['thai']}]")
LEAST_UNSPACED = 4
MOST_NAMES = 3
# From this many rows on, a column shows which words are not names.
LEAST_ROWS = 20

# How many consecutive words must match the source: closely related languages share many.
SHARED = 4
SHARED_SENTENCE = SHARED_IN_OTHER_SCRIPTS = 3
SHARED_BY_RELATIVES = 10
LEAST_SMALL = 3
SLOTS = 1 << 22
MARKS = "{}<>%@/"
MOST_READ = 2_000
ENDS = (*".!?:。！？：", "")

Detect = Callable[[list[str]], Sequence[str | None]]
# Of 24,000 correct messages none was mistaken for another language at this share.
LEAST_SHARE = 0.5
MOST_LOOKED_AT = 200
# A shorter text is too little to tell its language.
LEAST_LETTERS = 20
LEAST_WIDE_LETTERS = 6

# Languages in which saying a word twice is grammar.
DOUBLING = frozenset({"vi", "tr", "th", "ja", "zh", "hi"})
# Combining signs, such as the vowels of Arabic and Hebrew, are part of their word. Korean has words of one letter, but
# after a sign it is a particle; the second of two words may have an additional particle, and Korean for "a file is not
# a file" is correct.
SIGNS = "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
DOUBLED = re.compile(
    rf"(?<![\w{SIGNS}])((?:[^\W\d_][{SIGNS}]*){{2,}}|(?<!\S)[가-힣])[ \u00a0]"
    rf"\1((?<=[가-힣]{{2}})(?:{'|'.join(PARTICLES)}))?(?![\w{SIGNS}])(?! 아[니닌닐님닙])",
    re.IGNORECASE,
)
MAYBE_DOUBLED = re.compile(r"\b(\w{2,})\W{1,3}\1\b", re.IGNORECASE)
PERIODS = (2, 3, 4)
LEAST_TWICE = 8
MOST_BETWEEN = 3
# What language models say before a translation.
PREAMBLE = re.compile(
    r"\W*(?:(?:(?:sure|certainly|of course|okay)[!,.:]\s*)?"
    r"here(?:'s|’s| is| are) (?:the|your|a) .{0,20}?translat.{0,40}?:"
    r"|(?:the )?translat(?:ion|ed text)(?: (?:into|in|to|of) .{0,30}?)?:"
    r"|(?:übersetzung|traduction|traducción|tradução|traduzione|vertaling|перевод|翻译|翻訳|번역)\s?[:：])",
    re.IGNORECASE,
)
AGREEING = re.compile(
    r"\W*(?:sure|certainly|of course)[!,.:]\s+", re.IGNORECASE
)  # English, if the translation should not be
PREAMBLE_WORDS = frozenset(
    """sure certainly course okay here translation translated übersetzung traduction traducción tradução traduzione
    vertaling перевод 翻译 翻訳 번역""".split()  # noqa: SIM905
)

CAPS = 6
CASELESS_NOUNS = frozenset({"de", "lb", None})
SKIPPED_BEFORE = SPACE | QUOTE | OPENING
STEPS = 3

NOT_PROSE = re.compile(r"[^\w\s,;.:'’\"“”()!?]|\w\.\w|\w-\w|\n|  ")
NOT_WORDS = re.compile(r"\W+")


def marked(source: Side, target: Side, target_lang: str | None) -> Iterator[Finding]:
    """Code `marked`: a service without a translator puts [DE] before each sentence and does not translate the rest."""
    brackets = np.flatnonzero(target.codes == ord("["))
    for row in np.unique(np.searchsorted(target.ends, brackets)).tolist():
        text, made = source[row], target[row]
        for mark, code in [*dict.fromkeys(MARK.findall(made))][:MOST_MARKS]:
            if made.count(mark) <= text.count(mark):
                continue
            if made.replace(mark, "") == text.replace(mark, ""):
                told = f"NOT TRANSLATED: the source text, marked {mark.strip()}"
            elif base_of(code) == base_of(target_lang) and not re.search(rf"\b{code}\b", text):
                told = f"NOT TRANSLATED, or only in part: marked {mark.strip()}"
            else:
                continue
            yield Finding(row, "marked", told, advice=TRANSLATE)
            break


def untranslated(pairs: TextPairs) -> Iterator[Finding]:
    """Codes `untranslated` and `untranslated_word`."""
    if pairs.source_lang and pairs.source_lang == pairs.target_lang:
        return
    rows = rows_where(pairs.equal)
    # Names stay, but another script spells them in its own letters.
    most_names = MOST_NAMES if "latin" in WRITTEN_IN.get(pairs.target_lang or "", ("latin",)) else MOST_NAMES - 1
    usual = set(WORD.findall(pairs.source.text)) if rows and len(pairs) >= LEAST_ROWS else set()
    for row in rows:
        source, target = pairs.texts(row)
        if pairs.source_lang is None and _is_in(target, pairs.target_lang):
            continue
        words = WORD.findall(markup.prose(target)) if source == target else []
        unspaced = sum(len(UNSPACED.findall(word)) for word in words)
        told = f"{excerpt(target)} is the source text"
        # Words with capitals are names, unless they are in lower case elsewhere.
        small = [word for word in words if word.islower() or word.lower() in usual]
        if (len(words) > 1 and small) or len(words) >= most_names or unspaced >= LEAST_UNSPACED:
            yield Finding(row, "untranslated", told, advice=AGAIN)
        elif words:
            yield Finding(row, "untranslated_word", told)


def _is_in(text: str, lang: str | None) -> bool:
    """Whether *text* seems to be in a language, by its most common words."""
    words = set(WORD.findall(text.lower()))
    counts = {code: len(words & some) for code, some in STOPWORDS.items()}
    return counts.get(lang or "", 0) > 0 and counts[lang or ""] >= max(counts.values())


def partly(pairs: TextPairs) -> Iterator[Finding]:
    """Code `partly_untranslated`."""
    both = {pairs.source_lang, pairs.target_lang}
    if None not in both and len(both) == 1:
        return
    length = SHARED_BY_RELATIVES if any(both <= family for family in RELATIVES) else SHARED
    if "latin" not in WRITTEN_IN.get(pairs.target_lang or "", ("latin",)):
        length = SHARED_IN_OTHER_SCRIPTS
    # Whether each of their words is one of ours, by two tables of bits: no is certain, yes is almost certain.
    sides = [side.words.hashes + side.words.rows.astype(np.uint64) * MIX for side in (pairs.source, pairs.target)]
    shared = np.ones(len(sides[1]), dtype=np.bool_)
    for shift in (0, 24):
        slots = [((some >> np.uint64(shift)) & np.uint64(SLOTS - 1)).astype(np.int64) for some in sides]
        table = np.zeros(SLOTS, dtype=np.bool_)
        table[slots[0]] = True
        shared &= table[slots[1]]
    words, places = pairs.target.words, np.flatnonzero(shared)
    least = min(length, SHARED_SENTENCE) if length < SHARED_BY_RELATIVES else length
    first, last = places[: max(len(places) - least + 1, 0)], places[least - 1 :]
    runs = (last - first == least - 1) & (words.rows[first] == words.rows[last])
    # The remains of placeholders, tags and addresses are not words.
    signs = pairs.target.signs.among(MARKS).places
    clean = np.searchsorted(signs, words.starts[first[runs]]) == np.searchsorted(signs, words.ends[last[runs]])
    starts = words.starts[first[runs][clean]]
    for place in starts[np.unique(words.rows[first[runs][clean]], return_index=True)[1]].tolist():
        row = int(pairs.target.rows_of(np.array([place]))[0])
        at = place - int(pairs.target.starts[row])
        stretch = None if pairs.equal[row] else _shared_stretch(*pairs.texts(row), at, length)
        if stretch:
            yield Finding(row, "partly_untranslated", f"{excerpt(stretch, 60)} is in the source, too")


def _shared_stretch(source: str, target: str, at: int, length: int) -> str | None:
    """The first long stretch of *target*, from *at* on, that is also in *source*; not only names and numbers."""
    words = list(re.finditer(r"\w+", target[: at + MOST_READ]))
    first = next((number for number, word in enumerate(words) if word.end() > at), len(words))
    while first < len(words):
        start, last = words[first].start(), first
        while last < len(words) and target[start : words[last].end()] in source:
            last += 1
        end = words[max(first, last - 1)].end()
        # A complete sentence may be short.
        whole = target[:start].rstrip()[-1:] in ENDS and target[end : end + 1] in ENDS and length < SHARED_BY_RELATIVES
        # Options, paths and code such as --dry-run=no stay unchanged.
        for piece in NOT_PROSE.split(target[start:end]):
            found = re.findall(r"\w+", piece)
            small = sum(len(word) > 1 and word.islower() for word in found)
            if len(found) >= (SHARED_SENTENCE if whole else length) and small >= LEAST_SMALL - whole:
                return piece
        first = max(last, first + 1)
    return None


def wrong_language(pairs: TextPairs, detect: Detect) -> Iterator[Finding]:
    """Code `wrong_language`; every different text is given to *detect* once."""
    wanted = pairs.target_lang
    asked: dict[str, list[int]] = {}
    for row in rows_where(~pairs.equal):
        text = markup.bare(pairs.target[row])
        letters = [letter for letter in text if letter.isalpha()]
        wide = sum(ord(letter) >= 0x2E80 for letter in letters)
        if len(letters) >= LEAST_LETTERS or wide >= LEAST_WIDE_LETTERS:
            asked.setdefault(text, []).append(row)
    for (text, places), code in zip(asked.items(), detect(list(asked)), strict=True):
        base = None if code is None else base_of(str(code))
        if base and base != wanted and not any({base, wanted} <= family for family in RELATIVES):
            told = "the source language" if base == pairs.source_lang else f"not {str(wanted).upper()}"
            for row in places:
                yield Finding(row, "wrong_language", f"{excerpt(text)} seems to be {base.upper()}, {told}")


class Remembering:
    """*detect*, called only once for every text, however often it is needed."""

    def __init__(self, detect: Detect) -> None:
        self._detect = detect
        self._known: dict[str, str | None] = {}

    def __call__(self, texts: list[str]) -> list[str | None]:
        """The code of the language of each of *texts*, or None."""
        new = [text for text in texts if text not in self._known]
        found = list(self._detect(new)) if new else []
        if len(found) != len(new):
            raise ValueError(f"detect: expected {plural(len(new), 'code')}, one for each text, found {len(found):,}")
        self._known.update(zip(new, found, strict=True))
        return [self._known[text] for text in texts]


def another_language(pairs: TextPairs) -> Iterator[Finding]:
    """Code `wrong_language`, without asking the service.

    Rows are suspicious if they have more common words of another language than of their own, or letters that their
    language does not have. A model detects the language of these few.
    """
    own = pairs.target_lang or ""
    if own not in STOPWORDS:
        return
    suspects = (_other_words(pairs.target, own) | _other_letters(pairs.target, own)) & ~pairs.equal
    for row in rows_where(suspects & (pairs.target.letters >= LEAST_LETTERS)):
        text = markup.prose(pairs.target[row])
        found, share = language_model().classify(text[:MOST_LOOKED_AT])
        code = base_of(found) or ""
        if code != own and share >= LEAST_SHARE and not any({code, own} <= family for family in RELATIVES):
            told = f"{excerpt(pairs.target[row])} seems to be {code.upper()}, not {own.upper()}"
            yield Finding(row, "wrong_language", told, advice=AGAIN)


@cache
def language_model() -> Any:
    """The model that detects the language of a text, and the confidence."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def _other_words(side: Side, own: str) -> Bools:
    """For every text whether it has more of the most common words of another language than of the language *own*."""
    index, kinds = _common_words()
    at, which = index.find(side.words.hashes)
    counts = np.zeros((len(STOPWORDS), len(side)), dtype=np.int32)
    for number, code in enumerate(STOPWORDS):
        if code == own or not any({code, own} <= family for family in RELATIVES):
            hits = side.words.rows[at[kinds[which] >> number & 1 == 1]]
            counts[number] = np.bincount(hits, minlength=len(side))
    ours = counts[list(STOPWORDS).index(own)].copy()
    counts[list(STOPWORDS).index(own)] = 0
    most = counts.max(axis=0)
    more: Bools = (most > ours) & ((ours == 0) | (most >= ours + 2))
    return more


def _other_letters(side: Side, own: str) -> Bools:
    """For every text whether it has letters that the language *own*, in Latin script, does not have."""
    if own not in ALPHABETS:
        return np.zeros(len(side), dtype=np.bool_)
    codes, letters = side.codes, ALPHABETS[own]
    latin = ((codes >= 0xC0) & (codes < 0x250)) | ((codes >= 0x1E00) & (codes < 0x1F00))
    spots = side.spots(latin & ((side.kinds & LETTER) != 0))
    others = spots.where(~one_of(spots.codes, letters + letters.upper()))
    return side.counts(others) > 0


@cache
def _common_words() -> tuple[HashIndex, Places]:
    """The most common words of all languages by hash, and the bits of each word's languages."""
    bits: dict[str, int] = {}
    for number, words in enumerate(STOPWORDS.values()):
        for word in (word for word in words if len(word) > 1):
            for form in (word, word.capitalize()):
                bits[form] = bits.get(form, 0) | 1 << number
    return HashIndex(TextArray(list(bits)).text_hashes), np.array(list(bits.values()), dtype=np.int64)


def doubled(pairs: TextPairs) -> Iterator[Finding]:
    """Code `doubled_words`."""
    if pairs.target_lang in DOUBLING:
        return
    target, words = pairs.target, pairs.target.words
    lengths = words.ends - words.starts
    if pairs.target_lang == "ko":  # the second word may have a particle
        ends = np.minimum(words.starts[1:] + lengths[:-1], words.ends[1:])
        same = target.hashes(words.starts[1:], ends) == target.hashes(words.starts, words.ends)[:-1]
    else:  # compared without their first letters, because one may begin a sentence
        tails = target.hashes(words.starts + 1, words.ends)
        same = (tails[1:] == tails[:-1]) & (lengths[1:] > 1)
    twice = same & (words.starts[1:] - words.ends[:-1] == 1) & (words.rows[1:] == words.rows[:-1])
    may = MAY_DOUBLE.get(pairs.target_lang or "", frozenset().union(*MAY_DOUBLE.values()))
    for row in np.unique(words.rows[:-1][twice]).tolist():
        source, text = pairs.texts(row)
        found = next((one for one in DOUBLED.finditer(text) if one[1].lower() not in may), None)
        if found and not MAYBE_DOUBLED.search(source) and not looping(text):
            kept = found[0][len(found[1]) + 1 :] if found[2] else found[1]
            yield Finding(row, "doubled_words", excerpt(found[0]), text[: found.start()] + kept + text[found.end() :])


def loops(pairs: TextPairs) -> Iterator[Finding]:
    """Code `repeated_words`."""
    words = pairs.target.words
    suspects: set[int] = set()
    # Rows in which several consecutive words equal those one period before.
    for period, times in ((1, 3), *((period, 2 * period) for period in PERIODS)):
        same = words.hashes[period:] == words.hashes[:-period]
        places = np.flatnonzero(same & (words.rows[period:] == words.rows[:-period]))
        first = places[: max(len(places) - times + 1, 0)]
        run = places[times - 1 :] - first == times - 1
        suspects.update(words.rows[first[run]].tolist())
    for row in _twice(pairs.target):
        source, target = pairs.texts(row)
        half = _half(target)
        if half and not _half(source):
            yield Finding(row, "repeated_words", f"{excerpt(half)} appears twice", half)
    for row in sorted(suspects):
        source, target = pairs.texts(row)
        stretch = looping(target)
        if stretch and not looping(source):
            told = f"{excerpt(stretch)} is repeated"
            yield Finding(row, "repeated_words", told, advice=AGAIN)


def _twice(side: Side) -> list[int]:
    """The rows whose text is the same text twice, with up to two characters between."""
    found = np.zeros(len(side), dtype=np.bool_)
    for gap in range(MOST_BETWEEN):
        half = (side.lengths - gap) // 2
        same = side.hashes(side.starts, side.starts + half) == side.hashes(side.ends - half, side.ends)
        found |= same & ((side.lengths - gap) % 2 == 0) & (half >= LEAST_TWICE)
    return rows_where(found)


def _half(text: str) -> str:
    """The text that *text* repeats twice; "" if it does not."""
    for gap in range(MOST_BETWEEN):
        half, odd = divmod(len(text) - gap, 2)
        if not odd and half >= LEAST_TWICE and text[:half] == text[-half:] and not text[half : half + gap].strip():
            return text[:half]
    return ""


def looping(text: str) -> str | None:
    """A stretch of two to four words that appears three times in a row, or a single word four times."""
    words = re.findall(r"\w+", text)
    for period in (*PERIODS, 1):
        times = 3 if period == 1 else 2
        for first in range(len(words) - (times + 1) * period + 1):
            some = words[first : first + period]
            after = words[first + period : first + (times + 1) * period]
            if after == some * times and any(not word.isdecimal() for word in some):
                return " ".join(some)
    return None


def preambles(pairs: TextPairs) -> Iterator[Finding]:
    """Code `preamble`."""
    for row in rows_where(pairs.target.mentioning(PREAMBLE_WORDS) & ~pairs.equal):
        source, target = pairs.texts(row)
        found = PREAMBLE.match(target) or (pairs.target_lang not in ("en", None) and AGREEING.match(target))
        if found and not PREAMBLE.match(source):
            told = f"{excerpt(found[0])} is not part of the translation"
            yield Finding(row, "preamble", told, target[found.end() :].lstrip())


def first_letters(pairs: TextPairs) -> Iterator[Finding]:
    """Code `first_letter`."""
    ours, theirs = _first_kinds(pairs.source), _first_kinds(pairs.target)
    lost = ((ours & UPPER) != 0) & ((theirs & LOWER) != 0)
    if pairs.source_lang in CASELESS_NOUNS - {None}:
        lost[:] = False
    if pairs.target_lang not in CASELESS_NOUNS:
        lost |= ((ours & LOWER) != 0) & ((theirs & UPPER) != 0)
    for row in rows_where(lost):
        source, target = pairs.texts(row)
        if not (_is_brand(source) or _is_brand(target)):
            message = f"{excerpt(target, 16)} for {excerpt(source, 16)}"
            place = next((place for place, letter in enumerate(target) if letter.isalpha()), 0)
            other = target[place].swapcase()
            better = target[:place] + other + target[place + 1 :] if len(other) == 1 else ""
            yield Finding(row, "first_letter", message, better)


def _first_kinds(side: Side) -> Kinds:
    """The kind of the first character of every text, not counting spaces, quotation marks and brackets."""
    place = side.starts
    for _ in range(STEPS):
        skipped = ((side.kinds[place] & SKIPPED_BEFORE) != 0) | np.isin(side.codes[place], [0xBF, 0xA1])
        skipped &= side.codes[place] != ord("{")  # a placeholder
        place = np.minimum(place + skipped, side.ends)
    return side.kinds[place]


def _is_brand(text: str) -> bool:
    """Whether the first word has a capital inside, as in iPhone, or is a variable, as in "x = 3"."""
    first = re.match(r"\W*(\w+)", text)
    return bool(first and (len(first[1]) == 1 or any(letter.isupper() for letter in first[1][1:])))


def capitals(pairs: TextPairs) -> Iterator[Finding]:
    """Code `all_caps`."""
    ours, theirs = pairs.source, pairs.target
    # Letters of scripts without case do not count, and capitals among them are names.
    lost = (ours.uppers >= CAPS) & (ours.uppers == ours.letters) & (theirs.lowers > theirs.uppers)
    new = (theirs.uppers >= CAPS) & (theirs.uppers == theirs.letters) & (ours.lowers > ours.uppers)
    lost &= theirs.uppers + theirs.lowers == theirs.letters
    for row in rows_where((lost | new) & ~pairs.equal):
        if all(WORD.search(text) for text in pairs.bare(row)):
            source, target = pairs.texts(row)
            message = f"{excerpt(target, 24)} for {excerpt(source, 24)}"
            yield Finding(row, "all_caps", message, "" if new[row] else target.upper())


class Repetitions:
    """Texts that appear in several rows of the columns *source* and *target*, found by hash."""

    def __init__(self, source: pd.Series[str], target: pd.Series[str]) -> None:
        self._source, self._target = source, target
        self._rows: list[int] = []
        self._sources = [np.zeros(0, dtype=np.uint64)]
        self._targets = [np.zeros(0, dtype=np.uint64)]

    def add(self, rows: list[int], pairs: TextPairs) -> None:
        """Add some *rows*."""
        self._rows += rows
        self._sources.append(pairs.source.text_hashes)
        self._targets.append(pairs.target.text_hashes)

    def inconsistent(self) -> Iterator[Finding]:
        """Code `inconsistent`."""
        for rows in self._several(self._sources, self._targets, self._source):
            translations = self._target.iloc[rows].tolist()
            (usual, times), *others = Counter(translations).most_common(2)
            is_usual = not others or others[0][1] < times  # otherwise nothing shows which of them is better
            message = f"{times} of {len(rows)} times this source is translated {excerpt(usual)}"
            if not is_usual:
                message = f"another row with this source has {excerpt(usual)}"
            for row, translation in zip(rows, translations, strict=True):
                if translation != usual:
                    yield Finding(row, "inconsistent", message, usual if is_usual else "")

    def same_target(self) -> Iterator[Finding]:
        """Code `same_target`."""
        for rows in self._several(self._targets, self._sources, self._target):
            texts = self._source.iloc[rows].tolist()
            # Case, spaces and marks do not count, unless there is nothing else.
            cores = [NOT_WORDS.sub("", text).casefold() or text for text in texts]
            for row, core in zip(rows, cores, strict=True):
                if core != cores[0]:
                    yield Finding(row, "same_target", f"{excerpt(texts[0])} has the same translation")

    def _several(self, heads: list[Hashes], kinds: list[Hashes], texts: pd.Series[str]) -> Iterator[list[int]]:
        """The rows of every first item that has several kinds."""
        head, kind = np.concatenate(heads), np.concatenate(kinds)
        if not len(head):
            return
        order = np.argsort(head, kind="stable")
        head, kind = head[order], kind[order]
        starts = np.flatnonzero(np.concatenate(([True], head[1:] != head[:-1])))
        differs = np.minimum.reduceat(kind, starts) != np.maximum.reduceat(kind, starts)
        ends = np.append(starts[1:], len(order))
        for start, end in zip(starts[differs].tolist(), ends[differs].tolist(), strict=True):
            rows = [self._rows[place] for place in order[start:end].tolist()]
            listed = texts.iloc[rows].tolist()  # hashes may collide
            yield [row for row, text in zip(rows, listed, strict=True) if text == listed[0]]
