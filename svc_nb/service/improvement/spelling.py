"""Spelling in running text: which words may be looked at, and the word that was meant, where there is no doubt of it.

A right word called wrong is worse than a typo that stays.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, groupby
from math import inf

from ..catalogue import read
from ..translation.sentences import split
from ..translation.terms import with_capital
from .word_list import LANGUAGES, is_form, word_list

# What is no prose though letters stand in it.
_SPAN = re.compile(r"`[^`\n]*+`|<[^<>\n]{1,500}>|\{[^{}\n]{0,200}\}")
_TOKEN = re.compile(r"\S++")
_CODE = re.compile(r"[\d@\\/_~=|#^*+<>{}\[\]$%&`]|\w[.:]\w")
_WORD = re.compile(r"[^\W\d_]++")
_HYPHENS = "-‐‑"
_APOSTROPHES = "'’"
_JOINED = _HYPHENS + _APOSTROPHES
_ELIDED = re.compile(
    r"(?i)(?<![^\W\d_])(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|un|all|dell|nell|sull|dall|quest|quell)\Z"
)
_TABLES = read("spelling.json")
_BEFORE_NOUNS = frozenset(_TABLES["before_german_nouns"].split())
FIRST_WORD = 50.0
"""How often in a million a word must stand to be seen in one that begins a sentence, which may be a name."""
RIGHT = 0.3
"""The part of its words that a text must have right to be taken for prose of its language."""
KNOWN = 0.7
"""The part of its words that must be right or be put right."""
LONGEST = 24
"""The longest word that is put right."""
LONGEST_MADE = 60
"""The longest word that is looked at as one made of others."""
CLEAR = 20.0
"""How many times as likely as the next one a word must be."""
NOUN = 20.0
"""How often in a million a German noun is taken to stand."""


def spelled(text: str, language: str) -> str:
    """Return *text* with words put right that are wrong beyond doubt; all else stays as it is.

    Names, capitals, codes, links, placeholders, tags and words of several parts are left as they are.

    >>> spelled("I recieve teh parcel from Recieve Ltd.", "en")
    'I receive the parcel from Recieve Ltd.'
    """
    base = language.partition("-")[0]
    if base not in LANGUAGES:
        return text
    found = list(_words(text))
    better = _betters(text, found, base)
    right = sum(is_word(word[0].lower(), base) for word in found)
    if right < RIGHT * len(found) or right + len(better) < KNOWN * len(found):
        return text
    pieces, at = [], 0
    for word in found:
        if word in better:
            pieces += [text[at : word.start()], better[word]]
            at = word.end()
    return "".join([*pieces, text[at:]])


def _betters(text: str, words: Sequence[re.Match[str]], language: str) -> dict[re.Match[str], str]:
    """The right words for those that are wrong, each in the case of the wrong one."""
    firsts, at = set(), 0  # where the first word of each sentence begins
    for sentence in split(text, "1", language):
        if first := _WORD.search(sentence):
            firsts.add(at + first.start())
        at += len(sentence)
    found: dict[re.Match[str], str] = {}
    end, last = 0, ""
    for word in words:
        better = None
        is_noun = language == "de" and last in _BEFORE_NOUNS and not text[end : word.start()].strip(" ")
        if word[0].islower():
            better = meant(word[0], language)
        elif word[0][1:].islower() and (word.start() in firsts or is_noun):
            better = meant(word[0].lower(), language, least=0.0 if is_noun else FIRST_WORD, noun=is_noun)
            better = better and with_capital(better, language)
        if better:
            found[word] = better
        end, last = word.end(), better or word[0]
    return found


def _words(text: str) -> Iterator[re.Match[str]]:
    """The words of *text* that are neither code nor parts of a longer word."""
    prose = _SPAN.sub(lambda span: " " * len(span[0]), text)
    for token in _TOKEN.finditer(prose):
        if _CODE.search(token[0]):
            continue
        for word in _WORD.finditer(prose, *token.span()):
            start, end = word.span()
            before, after = prose[max(0, start - 1) : start], prose[end : end + 1]
            if after and (after in _HYPHENS or (after in _JOINED and prose[end + 1 : end + 2].isalpha())):
                continue
            if before and before in _JOINED and prose[max(0, start - 2) : start - 1].isalpha():
                elided = before in _APOSTROPHES and _ELIDED.search(prose, max(0, start - 9), start - 1)
                if not elided:
                    continue
            elif before and before in _HYPHENS:
                continue
            yield word


@lru_cache(maxsize=65_536)
def is_word(word: str, language: str) -> bool:
    """Whether *word*, in lower case, is a right one, also where the list lacks it."""
    words = word_list(language)
    return word in words or (len(word) <= LONGEST_MADE and is_form(word, language, words.__contains__))


@lru_cache(maxsize=65_536)
def meant(word: str, language: str, *, least: float = 0.0, noun: bool = False) -> str | None:
    """The word, at least *least* in a million, that was meant by *word*; None where that is not clear."""
    if common := COMMON_TYPOS.get(language, {}).get(word):
        return common
    if len(word) > LONGEST or is_word(word, language):
        return None
    if language != "en" and word in word_list("en"):  # English stands in texts of every language
        return None
    found = origins(word, language, noun=noun)
    rates = word_list(language).rates(list(found)).tolist()
    likely = []
    for (origin, typo), rate in zip(found.items(), rates, strict=True):
        if rate:
            rate = max(rate, NOUN) if noun else rate
            likely.append((rate * typo.weight, rate, origin, typo))
    if not likely:
        return None
    likely.sort(key=lambda each: -each[0])
    best, rate, origin, typo = likely[0]
    clear = len(likely) == 1 or best >= CLEAR * likely[1][0]
    return origin if clear and rate >= max(least, typo.asks(word)) else None


# ---- typos: what a typed word may have been meant as, and how likely each kind of typo is

LETTERS: dict[str, str] = _TABLES["letters"]
ENDING = {"en": 2}
LONG_ENDING = 3
"""A change among so many last letters is more often another form of the word than a typo; English has few forms."""
LONG_NOUN = 8
"""How long a German noun must be for a letter too many or too few: names, and words of a trade, look like nouns."""
SHORT = {3: 1000.0, 4: 200.0, 5: 20.0}
"""How often in a million a word must stand to be seen in another of so few letters: short words lie close together."""
MOST_ACCENTS = 40
"""Where there are more places for an accent, two at once are not tried: their number grows by its square."""
ALIKE = {
    letter: [pair.replace(letter, "") for pair in _TABLES["alike"].split() if letter in pair]
    for letter in set(_TABLES["alike"]) - {" "}
}
"""Letters that are taken for each other by ear, by letter."""

COMMON_TYPOS: dict[str, dict[str, str]] = read("typos.json")
"""Typos that many people make and that no rule sees, by language: what is typed, which is no word of its language in
any text, and what is meant; both in lower case."""


@dataclass(frozen=True, slots=True, eq=False)
class Typo:
    """A kind of typo: its weight against others, the shortest word for it, and how common the right word must be."""

    weight: float
    shortest: int
    least: float

    def asks(self, word: str) -> float:
        """How often in a million the right word must stand for this typo to be believed in *word*."""
        if len(word) < self.shortest:
            return inf
        return self.least if self is ACCENT else max(self.least, SHORT.get(len(word), 0.0))


ACCENT = Typo(weight=400, shortest=3, least=1)
SWAP = Typo(weight=30, shortest=3, least=1)
DOUBLE = Typo(weight=30, shortest=4, least=0.4)
MISSING = Typo(weight=15, shortest=5, least=3)
EXTRA = Typo(weight=3, shortest=5, least=3)
OTHER = Typo(weight=1, shortest=6, least=5)
FORM = Typo(weight=10, shortest=0, least=inf)
"""A letter at the end: never put right, but a doubt of what else may be meant."""


def origins(word: str, language: str, *, noun: bool = False) -> dict[str, Typo]:
    """What may have been meant by *word*, in lower case, each with the likeliest typo; words or not."""
    found: dict[str, Typo] = {}
    letters, ending = LETTERS[language], ENDING.get(language, LONG_ENDING)
    end = len(word) - ending
    starts_double = word[:1] == word[1:2]  # typed so on purpose
    for typo, variants in (
        (ACCENT, _accents(word, letters, language)),
        (SWAP, (word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1))),
        (DOUBLE, () if starts_double else _doubles(word)),
        (MISSING, (word[:at] + each + word[at:] for at in range(1, end + 1) for each in letters)),
        (EXTRA, (word[:at] + word[at + 1 :] for at in range(2 if starts_double else 1, end))),
        (
            OTHER,
            (word[:at] + each + word[at + 1 :] for at in range(1, end) for each in ALIKE.get(word[at], ())),
        ),
        (FORM, _forms(word, letters, ending)),
    ):
        rash = typo is OTHER or (typo in (MISSING, EXTRA) and len(word) < LONG_NOUN)
        for variant in variants:
            found.setdefault(variant, FORM if noun and rash else typo)
    found.pop(word, None)
    return found


def _accents(word: str, letters: str, language: str) -> Iterator[str]:
    """The word with one or two accents more; those that were typed were meant, but for the one of "perchè"."""
    if language == "it" and word.endswith("chè"):
        yield word[:-1] + "é"
    choices = [
        (place, other)
        for place, letter in enumerate(word)
        for other in letters
        if other != letter and plain(other) == letter
    ]
    for place, other in choices:
        yield word[:place] + other + word[place + 1 :]
    for (first, one), (second, two) in combinations(choices if len(choices) <= MOST_ACCENTS else (), 2):
        if first < second:
            yield word[:first] + one + word[first + 1 : second] + two + word[second + 1 :]


def plain(text: str) -> str:
    """The letters without their accents."""
    return "".join(each for each in unicodedata.normalize("NFD", text) if not unicodedata.combining(each))


def _doubles(word: str) -> Iterator[str]:
    """The word with up to two letters doubled after all its doubles were taken out."""
    single = [letter for letter, _ in groupby(word)]
    for count in range(3):
        for places in combinations(range(1, len(single)), count):
            yield "".join(letter * (2 if place in places else 1) for place, letter in enumerate(single))


def _forms(word: str, letters: str, ending: int) -> Iterator[str]:
    """The word with a letter more, less or another at its end."""
    for place in range(max(1, len(word) - ending), len(word) + 1):
        for letter in letters:
            yield word[:place] + letter + word[place:]
            yield word[:place] + letter + word[place + 1 :]
        yield word[:place] + word[place + 1 :]
