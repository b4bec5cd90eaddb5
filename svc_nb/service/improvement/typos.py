"""Typos: the words that a typed word may have been meant as, with how likely each kind of typo is."""

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
"""A change among so many last letters is more often another form of the word than a typo; English has few forms."""
LONG_NOUN = 8
"""How long a German noun must be for a letter too many or too few: names, and words of a trade, look like nouns."""
SHORT = {3: 1000.0, 4: 200.0, 5: 20.0}
"""How often in a million a word must stand to be seen in another of so few letters: short words lie close together."""
MOST_ACCENTS = 40
"""Where there are more places for an accent, two at once are not tried: their number grows by its square."""
_ALIKE_PAIRS = "ae ai ei ou oa iy cs sz cz mn bv bp gj ck kq dt fv gk äe"
ALIKE = {
    letter: [pair.replace(letter, "") for pair in _ALIKE_PAIRS.split() if letter in pair]
    for letter in set(_ALIKE_PAIRS) - {" "}
}
"""Letters that are taken for each other by ear, by letter."""

_TYPOS = {
    "de": "standart:standard rythmus:rhythmus reperatur:reparatur wiederspiegelt:widerspiegelt "
    "wiederspiegeln:widerspiegeln wiederspruch:widerspruch vorraussetzung:voraussetzung vorraus:voraus "
    "aufgrunt:aufgrund bequehm:bequem endgültich:endgültig ersteinmal:erst_einmal garnicht:gar_nicht "
    "vorallem:vor_allem zumindestens:zumindest",
    "en": "alot:a_lot untill:until seperately:separately realy:really finaly:finally usualy:usually "
    "wich:which happend:happened noticable:noticeable publically:publicly wierd:weird "
    "shoud:should coud:could woud:would maintainance:maintenance arguement:argument basicly:basically "
    "enviorment:environment grammer:grammar neice:niece peice:piece "
    "dont:don't doesnt:doesn't didnt:didn't isnt:isn't couldnt:couldn't wouldnt:wouldn't havent:haven't",
    "es": "atravez:a_través enserio:en_serio envio:envío envios:envíos imajen:imagen jente:gente numero:número "
    "porfavor:por_favor talves:tal_vez telefono:teléfono ultimo:último ultima:última viage:viaje "
    "vastante:bastante desepcionado:decepcionado",
    "fr": "aujourdhui:aujourd'hui beaucoups:beaucoup biensur:bien_sûr malgrès:malgré meme:même "
    "interressant:intéressant interesant:intéressant parmis:parmi qualitée:qualité toujour:toujours "
    "enviroment:environnement voila:voilà",
    "it": "avvolte:a_volte cosi:così daccordo:d'accordo propio:proprio pultroppo:purtroppo soddisfato:soddisfatto "
    "perchè:perché poichè:poiché benchè:benché finchè:finché",
    "pt": "concerteza:com_certeza derrepente:de_repente excessão:exceção ja:já numero:número preco:preço "
    "porisso:por_isso imagen:imagem voçe:você voçê:você beneficiente:beneficente asterístico:asterisco",
}
COMMON_TYPOS = {
    language: {
        typo: right.replace("_", " ") for typo, _, right in (each.partition(":") for each in typos.split())
    }
    for language, typos in _TYPOS.items()
}
"""Typos that many people make and that no rule sees, by language: what is typed, which is no word of its language in
any text, and what is meant; both in lower case."""


@dataclass(frozen=True, slots=True, eq=False)
class Typo:
    """A kind of typo: how likely it is against others, and what it takes to believe in it.

    `shortest` is the length a word must have, `least` how often the right word must stand in a million.
    """

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
