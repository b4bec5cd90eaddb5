"""The words of a language and how common each is: a few megabytes for the lists that pyspellchecker brings along."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

LANGUAGES = frozenset({"de", "en", "es", "fr", "it", "pt"})
"""The languages that there is a word list for."""

# Words that the lists lack.
_LACKING = {
    "es": "está están estás esté estén éste ésta éstos éstas aún sólo qué cuál cuáles quién quiénes cómo dónde cuándo "
    "sí él tú mí más sé té dé",
    "it": "icona icone ottale ottali",
    "pt": "logotipo logotipos",
}
_COMMON = 100  # times a million, for these

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
            _loaded[language] = _read(language)
        return _loaded[language]


def _read(language: str) -> WordList:
    from spellchecker import SpellChecker

    counts = SpellChecker(language=language).word_frequency.dictionary
    more = [word for word in _LACKING.get(language, "").split() if word not in counts]
    return WordList(counts, more=more)
