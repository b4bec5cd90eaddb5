"""Text improvement: what can be put right without a model of the language, and nothing that is in doubt.

`improved` puts right the words that are wrong beyond doubt, where there is a word list for the language, and then
spaces, doubled words and capitals. Nothing here can put a text into other words. A right word called wrong is worse
than a typo that stays.
"""

import re
import threading
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, groupby
from math import inf

import numpy as np
from numpy.typing import NDArray

from .catalogue import read
from .translation.sentences import ABBREVIATIONS, split
from .translation.terms import with_capital

_TABLES = read("spelling.json")

SPELLER = "speller"
MECHANICAL = "mechanical"

_DOUBLE_SPACE = re.compile(r"(?<=\S) {2,}+(?=\S)")
_LOOSE_MARK = {
    "": re.compile(r"(?<=[\w)\]”»]) ++(?=[,;!?]++(?:\s|$)|\.(?:\s|$))"),
    "fr": re.compile(r"(?<=[\w)\]”»]) ++(?=[,.](?:\s|$))"),
}
_NEVER_TWICE: dict[str, str] = _TABLES["never_twice"]
_STARTERS: dict[str, str] = _TABLES["starters"]
_NO_END = frozenset(_TABLES["open_abbreviations"].split())
_ENGLISH_I = re.compile(
    r"(?<![\w.'’-])i(?=['’](?:m|ve|ll|d)\b"
    r"| (?:am|was|have|had|will|would|can|could|do|did|think|know|like|love|want|need)\b)"
)
_CASELESS = frozenset({"ar", "he", "ja", "ko", "th", "zh"})
_FIRST_WORD = re.compile(r"\A(?P<before>[\s\"'“„«(¿¡]*+)(?P<word>[^\W\d_]+)(?=[\s,;!?'’]|\.?\Z)")
_NEXT_WORD = re.compile(r"(?<![\w.])(?P<last>[^\W\d_]{3,})(?P<before>[.!?] +)(?P<word>[^\W\d_]+)(?=[\s,])")


def improved(text: str, language: str) -> str:
    """Return *text* with what is wrong beyond doubt put right; applied twice it changes nothing more.

    >>> improved("i think teh the parcel  is hear .", "en")
    'I think the parcel is hear.'
    """
    return tidy(spelled(text, language), language)


def corrector(language: str) -> str:
    """How texts in *language* are corrected: "speller" with a word list, "mechanical" without one."""
    return SPELLER if language.partition("-")[0] in LANGUAGES else MECHANICAL


def tidy(text: str, language: str) -> str:
    """Correct double and misplaced spaces, short words written twice, and missing capitals where sentences start."""
    base = language.partition("-")[0]
    text = _DOUBLE_SPACE.sub(" ", text)
    text = _LOOSE_MARK.get(base, _LOOSE_MARK[""]).sub("", text)
    if words := _NEVER_TWICE.get(base):
        text = re.sub(rf"(?<![\w'’-])(?i:({words})(?: \1)+)(?![\w'’-])", r"\1", text)
    if base in _CASELESS:
        return text
    starters = _STARTERS.get(base, "").split()

    def begun(found: re.Match[str]) -> str:
        word = found["word"]
        return found["before"] + (with_capital(word, base) if word.islower() else word)

    def continued(found: re.Match[str]) -> str:
        last = found["last"].lower()
        open_end = last in _NO_END or last in ABBREVIATIONS.get(base, ())
        return found[0] if open_end or found["word"] not in starters else found["last"] + begun(found)

    if text.rstrip().endswith((".", "!", "?", "…")):
        text = _FIRST_WORD.sub(begun, text)
    if base == "en":
        text = _ENGLISH_I.sub("I", text)
    return _NEXT_WORD.sub(continued, text)


# ---- spelling in running text: which words may be looked at, and the word that was meant

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
_BEFORE_NOUNS = frozenset(_TABLES["before_german_nouns"].split())
FIRST_WORD = 50.0
"""How often in a million a word must stand to be seen in one that begins a sentence, which may be a name."""
RIGHT = 0.3  # the part of its words that a text must have right to be taken for prose of its language
KNOWN = 0.7  # the part of its words that must be right or be put right
LONGEST = 24  # the longest word that is put right
LONGEST_MADE = 60  # the longest word that is looked at as one made of others
CLEAR = 20.0  # how many times as likely as the next one a word must be
NOUN = 20.0  # how often in a million a German noun is taken to stand


def spelled(text: str, language: str) -> str:
    """Put words right that are wrong beyond doubt; names, capitals, codes, links, tags and the like stay."""
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
    """The word, at least *least* in a million, that was meant by *word*; None if that is not clear."""
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
        (OTHER, (word[:at] + each + word[at + 1 :] for at in range(1, end) for each in ALIKE.get(word[at], ()))),
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


# ---- the words of a language and how common each is: a few megabytes for the lists that pyspellchecker brings along;
# words that a list lacks count as right too: other forms of words it has, other countries' spellings, words made of two

SHORTEST_PART = 5
LANGUAGES = frozenset({"de", "en", "es", "fr", "it", "pt"})  # the languages that there is a word list for

_COMMON = 100  # times in a million, for words that the lists lack
_PREFIXES = tuple(_TABLES["prefixes"].split())  # in one language or another
# What is right elsewhere, and how the list spells it.
_SPELLINGS = {
    language: [(re.compile(pattern), spelling) for pattern, spelling in pairs]
    for language, pairs in _TABLES["spellings"].items()
}
# Endings of forms, each with those of words in the list that show the form to be right. The Spanish list lacks many
# forms of verbs.
_ENDINGS = {
    language: [(ending, others.split(" ")) for endings, others in pairs for ending in endings.split()]
    for language, pairs in _TABLES["endings"].items()
}

_lock = threading.Lock()
_loaded: "dict[str, WordList]" = {}


class WordList:
    """Words with how often each stands in a million; words are kept as numbers only."""

    def __init__(self, counts: Mapping[str, int], *, more: Sequence[str] = ()) -> None:
        per_million = 1e6 / max(1, sum(counts.values()))
        numbers = np.fromiter(map(hash, counts), np.int64, len(counts))
        rates = np.fromiter(counts.values(), np.float64, len(counts)) * per_million
        numbers = np.append(numbers, np.fromiter(map(hash, more), np.int64, len(more)))
        rates = np.append(rates, np.full(len(more), float(_COMMON)))
        order = np.argsort(numbers)
        self._numbers = numbers[order]
        self._rates = rates[order].astype(np.float32)

    def __contains__(self, word: str) -> bool:
        return bool(self.rates([word])[0] > 0)

    def rates(self, words: Sequence[str]) -> NDArray[np.float32]:
        """How often each of *words*, in lower case, stands in a million words; 0 for what is no word."""
        numbers = np.fromiter(map(hash, words), np.int64, len(words))
        places = np.minimum(np.searchsorted(self._numbers, numbers), len(self._numbers) - 1)
        return np.where(self._numbers[places] == numbers, self._rates[places], np.float32(0))


def word_list(language: str) -> WordList:
    """The words of *language*, one of LANGUAGES; read once, when they are first needed."""
    with _lock:
        if language not in _loaded:
            from spellchecker import SpellChecker

            counts = SpellChecker(language=language).word_frequency.dictionary
            more = [word for word in _TABLES["lacking"].get(language, "").split() if word not in counts]
            _loaded[language] = WordList(counts, more=more)
        return _loaded[language]


def is_form(word: str, language: str, has: Callable[[str], bool]) -> bool:
    """Whether *word* is a regular form, another spelling or, in German, a compound of words that the list *has*."""
    others = [pattern.sub(spelling, word) for pattern, spelling in _SPELLINGS.get(language, ())]
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) >= len(prefix) + 4:
            others.append(word.removeprefix(prefix))
    for ending, replacements in _ENDINGS.get(language, ()):
        if word.endswith(ending) and len(word) >= len(ending) + 3:
            others += [word.removesuffix(ending) + other for other in replacements]
    if any(has(other) for other in others if other != word):
        return True
    return (
        language == "de"
        and any(  # two words, with or without an s between them
            has(word[:cut]) and (has(word[cut:]) or (word[cut] == "s" and has(word[cut + 1 :])))
            for cut in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
        )
    )
