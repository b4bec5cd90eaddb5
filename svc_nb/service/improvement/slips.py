"""How fingers slip: the words that a slip could have made another word of, with how likely each kind of slip is."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, groupby
from math import inf

LETTERS = {
    "de": "abcdefghijklmnopqrstuvwxyzäöüß",
    "en": "abcdefghijklmnopqrstuvwxyz",
    "es": "abcdefghijklmnopqrstuvwxyzáéíóúñü",
    "fr": "abcdefghijklmnopqrstuvwxyzàâçèéêëîïôùû",
    "it": "abcdefghijklmnopqrstuvwxyzàèéìòù",
    "pt": "abcdefghijklmnopqrstuvwxyzàáâãçéêíóôõú",
}
ENDING = {"en": 2}
LONG_ENDING = 3
"""A change among so many last letters is more often another form of the word than a slip; English has few forms."""
LONG_NOUN = 8
"""How long a German noun must be for a letter too many or too few: names, and words of a trade, look like nouns."""
SHORT = {3: 1000.0, 4: 200.0, 5: 20.0}
"""How often in a million a word must stand to be seen in another of so few letters: short words lie close together."""
MOST_ACCENTS = 40
"""Where there are more places for an accent, two at once are not tried: their number grows by its square."""
ALIKE = "ae ai ei ou oa iy cs sz cz mn bv bp gj ck kq dt fv gk äe"
"""Letters that are taken for each other by ear."""


@dataclass(frozen=True, slots=True, eq=False)
class Slip:
    """A kind of slip: how likely it is against others, and what it takes to believe in it.

    `shortest` is the length a word must have, `least` how often the right word must stand in a million.
    """

    weight: float
    shortest: int
    least: float

    def asks(self, word: str) -> float:
        """How often in a million the right word must stand for this slip to be believed in *word*."""
        if len(word) < self.shortest:
            return inf
        return self.least if self is ACCENT else max(self.least, SHORT.get(len(word), 0.0))


ACCENT = Slip(weight=400, shortest=3, least=1)
SWAP = Slip(weight=30, shortest=3, least=1)
DOUBLE = Slip(weight=30, shortest=4, least=0.4)
MISSING = Slip(weight=15, shortest=5, least=3)
EXTRA = Slip(weight=3, shortest=5, least=3)
OTHER = Slip(weight=1, shortest=6, least=5)
FORM = Slip(weight=10, shortest=0, least=inf)
"""A letter at the end: never put right, but a doubt of what else may be meant."""


def origins(word: str, language: str, *, noun: bool = False) -> dict[str, Slip]:
    """What may have been meant by *word*, in lower case, each with the likeliest slip; words or not."""
    found: dict[str, Slip] = {}
    letters, ending = LETTERS[language], ENDING.get(language, LONG_ENDING)
    for slip, variants in (
        (ACCENT, _accents(word, letters, language)),
        (SWAP, _swaps(word)),
        (DOUBLE, _doubles(word)),
        (MISSING, _longer(word, letters, ending)),
        (EXTRA, _shorter(word, ending)),
        (OTHER, _others(word, ending)),
        (FORM, _forms(word, letters, ending)),
    ):
        believed = FORM if noun and _is_rash(word, slip) else slip
        for variant in variants:
            found.setdefault(variant, believed)
    found.pop(word, None)
    return found


def _is_rash(noun: str, slip: Slip) -> bool:
    return slip is OTHER or (slip in (MISSING, EXTRA) and len(noun) < LONG_NOUN)


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


def _swaps(word: str) -> Iterator[str]:
    for place in range(len(word) - 1):
        yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def _doubles(word: str) -> Iterator[str]:
    """The word with up to two letters doubled after all its doubles were taken out."""
    if word[:1] == word[1:2]:  # typed so on purpose
        return
    single = [letter for letter, _ in groupby(word)]
    for count in range(3):
        for places in combinations(range(1, len(single)), count):
            yield "".join(letter * (2 if place in places else 1) for place, letter in enumerate(single))


def _longer(word: str, letters: str, ending: int) -> Iterator[str]:
    for place in range(1, len(word) - ending + 1):
        for letter in letters:
            yield word[:place] + letter + word[place:]


def _shorter(word: str, ending: int) -> Iterator[str]:
    for place in range(2 if word[:1] == word[1:2] else 1, len(word) - ending):
        yield word[:place] + word[place + 1 :]


def _others(word: str, ending: int) -> Iterator[str]:
    """The word with one letter in place of another that sounds like it."""
    for place in range(1, len(word) - ending):
        for pair in ALIKE.split():
            if word[place] in pair:
                yield word[:place] + pair.replace(word[place], "") + word[place + 1 :]


def _forms(word: str, letters: str, ending: int) -> Iterator[str]:
    """The word with a letter more, less or another at its end."""
    for place in range(max(1, len(word) - ending), len(word) + 1):
        for letter in letters:
            yield word[:place] + letter + word[place:]
            yield word[:place] + letter + word[place + 1 :]
        yield word[:place] + word[place + 1 :]
