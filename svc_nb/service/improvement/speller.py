"""The word that was meant, where there is no doubt of it: a right word called wrong is worse than a slip that stays."""

from __future__ import annotations

from functools import lru_cache

from .common_slips import COMMON_SLIPS
from .forms import is_form
from .slips import Slip, origins
from .word_list import word_list

LONGEST = 24
"""The longest word that is put right."""
LONGEST_MADE = 60
"""The longest word that is looked at as one made of others."""
CLEAR = 20.0
"""How many times as likely as the next one a word must be."""
NOUN = 20.0
"""How often in a million a German noun is taken to stand."""


@lru_cache(maxsize=65_536)
def is_word(word: str, language: str) -> bool:
    """Whether *word*, in lower case, is a right one, also where the list lacks it."""
    words = word_list(language)
    return word in words or (len(word) <= LONGEST_MADE and is_form(word, language, words.__contains__))


@lru_cache(maxsize=65_536)
def meant(word: str, language: str, *, least: float = 0.0, noun: bool = False) -> str | None:
    """The word that was meant by *word*, in lower case, which is none; None where that is not clear.

    *least* is how often the word that was meant must stand in a million at least. The list does not tell how common a
    German *noun* is.
    """
    if common := COMMON_SLIPS.get(language, {}).get(word):
        return common
    if len(word) > LONGEST or is_word(word, language) or _is_foreign(word, language):
        return None
    likely = _likely(word, language, noun)
    if not likely:
        return None
    best, rate, origin, slip = likely[0]
    clear = len(likely) == 1 or best >= CLEAR * likely[1][0]
    return origin if clear and rate >= max(least, slip.asks(word)) else None


def _likely(word: str, language: str, noun: bool) -> list[tuple[float, float, str, Slip]]:
    """The words that may have been meant, the likeliest first: how likely, how common, the word, the slip."""
    found = origins(word, language, noun=noun)
    rates = word_list(language).rates(list(found)).tolist()
    words = [
        (max(rate, NOUN) if noun else rate, origin, slip)
        for (origin, slip), rate in zip(found.items(), rates, strict=True)
        if rate
    ]
    return sorted(
        ((rate * slip.weight, rate, origin, slip) for rate, origin, slip in words), key=lambda each: -each[0]
    )


def _is_foreign(word: str, language: str) -> bool:
    """Whether it is English, which stands in texts of every language."""
    return language != "en" and word in word_list("en")
