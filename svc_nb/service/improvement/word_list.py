"""The words of a language and how common each is: a few megabytes for the lists that pyspellchecker brings along.

Words that a list lacks count as right too: other forms of words it has, other countries' spellings, words made of two.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence

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
            from spellchecker import SpellChecker

            counts = SpellChecker(language=language).word_frequency.dictionary
            more = [word for word in _LACKING.get(language, "").split() if word not in counts]
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


SHORTEST_PART = 5
# What is put before a word, in one language or another.
_BEFORE_WORDS = (
    "anti auto bio co de des dis down ex extra hyper inter macro meta micro mini mis multi non out over poly post pre "
    "pro re ri semi sub super trans ultra un under up"
)
_PREFIXES = tuple(_BEFORE_WORDS.split())


def _spellings(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), spelling) for pattern, spelling in pairs)


# What is right elsewhere, and how the list spells it.
_SPELLINGS = {
    "de": _spellings(("ss", "ß")),
    "en": _spellings(
        (r"our(?=[a-z]{0,5}$)", "or"),
        (r"is(?=(?:e|ed|es|er|ers|ing|ation|ations|able)$)", "iz"),
        (r"ys(?=(?:e|ed|es|er|ing)$)", "yz"),
        (r"re(s?)$", r"er\1"),
        (r"ogue(s?)$", r"og\1"),
        (r"ll(?=(?:ed|ing|er|ers)$)", "l"),
        (r"l(?=(?:ments?|s)?$)", "ll"),
        (r"ence(s?)$", r"ense\1"),
        (r"ae|oe", "e"),
    ),
    "pt": _spellings(
        ("c(?=[tcç])", ""),
        ("p(?=[tç])", ""),
        ("ô", "ó"),
        ("ê", "é"),
        ("registr", "regist"),
        ("(?<=e)ç(?=[ãõ])", "cç"),
        ("ó", "ô"),
        ("é", "ê"),
    ),
}


# Endings of forms, each with those of words in the list that show the form to be right. The Spanish list lacks many
# forms of verbs.
_SPANISH_ENDINGS = (
    ("o as a amos an é aste ó aron e es emos en aba abas ábamos aban ara aras aran ase asen", "ar"),
    ("aré arás ará aremos arán aría arías aríamos arían ando ado ada ados adas", "ar"),
    ("arse arlo arla arlos arlas arle arles arme arte arnos ándose ándolo ándola ándome ándote", "ar"),
    ("o es e emos en í iste ió imos ieron ía ías íamos ían a as amos an iera ieran", "er ir"),
    ("iendo ido ida idos idas", "er ir"),
    ("eré erá erán ería erían erse erlo erla erlos erlas", "er"),
    ("iré irá irán iría irían irse irlo irla irlos irlas", "ir"),
    ("que ques quen qué quemos", "car"),
    ("gue gues guen gué guemos", "gar"),
    ("ce ces cen cé cemos", "zar"),
    ("o a os as", "o a os as"),
    ("ado ada ados adas ando", "ado ada ados adas ando"),
    ("ido ida idos idas iendo", "ido ida idos idas iendo"),
    ("s es", " "),
    ("mente", "a  o"),
    ("ción ciones", "r do ción ciones"),
)
_ENDINGS = {"es": [(ending, others.split(" ")) for endings, others in _SPANISH_ENDINGS for ending in endings.split()]}
