"""The words of a language and how common each is: a few megabytes for the lists that pyspellchecker brings along.

Words that a list lacks count as right too: other forms of words it has, other countries' spellings, words made of two.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..catalogue import read

SHORTEST_PART = 5
LANGUAGES = frozenset({"de", "en", "es", "fr", "it", "pt"})
"""The languages that there is a word list for."""

_TABLES = read("spelling.json")
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
_loaded: dict[str, WordList] = {}


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
