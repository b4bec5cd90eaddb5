"""Right words that a list lacks: other forms of words it has, other countries' spellings, words made of two."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

Has = Callable[[str], bool]


def is_form(word: str, language: str, has: Has) -> bool:
    """Whether *word* is a regular form or another spelling of one that the list *has*."""
    return any(has(other) for other in _others(word, language) if other != word) or (
        language == "de" and _is_compound(word, has)
    )


def _others(word: str, language: str) -> Iterator[str]:
    """What the list may have in place of *word*."""
    for pattern, spelling in _SPELLINGS.get(language, ()):
        yield pattern.sub(spelling, word)
    for prefix in _PREFIXES:
        if word.startswith(prefix) and len(word) >= len(prefix) + 4:
            yield word.removeprefix(prefix)
    for ending, others in _ENDINGS.get(language, ()):
        if word.endswith(ending) and len(word) >= len(ending) + 3:
            stem = word[: len(word) - len(ending)]
            yield from (stem + other for other in others)


def _is_compound(word: str, has: Has) -> bool:
    """Whether it is made of two words, with or without an s between them."""
    return any(
        has(word[:cut]) and (has(word[cut:]) or (word[cut] == "s" and has(word[cut + 1 :])))
        for cut in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
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


def _endings(*rows: tuple[str, str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Endings of forms, each with those of words in the list that show the form to be right."""
    return tuple((ending, tuple(others.split(" "))) for endings, others in rows for ending in endings.split())


_ENDINGS = {
    # The Spanish list lacks many forms of verbs.
    "es": _endings(
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
    ),
}
