"""Spelling in running text: which words may be looked at, and the right one in the case of the wrong one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..translation.case import with_capital
from ..translation.sentences import split
from .speller import is_word, meant
from .word_list import LANGUAGES

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
_ARTICLES = (
    "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines mein meine meinen "
    "meinem meiner meines dein deine deinen deinem deiner sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer "
    "unser unsere unseren unserem unserer dieser diese dieses diesen diesem jeder jede jedes jeden jedem zur zum im am "
    "beim vom ins welche welcher welches gute guter gutes guten schnelle schneller schlechte schlechter"
)
_BEFORE_NOUNS = frozenset(_ARTICLES.split())
FIRST_WORD = 50.0
"""How often in a million a word must stand to be seen in one that begins a sentence, which may be a name."""
RIGHT = 0.3
"""The part of its words that a text must have right to be taken for prose of its language."""
KNOWN = 0.7
"""The part of its words that must be right or be put right."""


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
    """The right words for those that are wrong."""
    firsts = _first_words(text, language)
    found: dict[re.Match[str], str] = {}
    end, last = 0, ""
    for word in words:
        is_noun = language == "de" and last in _BEFORE_NOUNS and not text[end : word.start()].strip(" ")
        better = _better(word[0], language, first=word.start() in firsts, noun=is_noun)
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
            if _stands_alone(prose, word):
                yield word


def _stands_alone(text: str, word: re.Match[str]) -> bool:
    start, end = word.span()
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if (after and after in _JOINED and text[end + 1 : end + 2].isalpha()) or (after and after in _HYPHENS):
        return False
    if not before or before not in _JOINED or not text[max(0, start - 2) : start - 1].isalpha():
        return not before or before not in _HYPHENS
    return before in _APOSTROPHES and _ELIDED.search(text, max(0, start - 9), start - 1) is not None


def _better(word: str, language: str, *, first: bool, noun: bool) -> str | None:
    """The right word in the case of *word*, or None; *first* in its sentence, or a *noun*, may have a capital."""
    if word.islower():
        return meant(word, language)
    if not word[1:].islower() or not (first or noun):
        return None
    better = meant(word.lower(), language, least=0.0 if noun else FIRST_WORD, noun=noun)
    return None if better is None else with_capital(better, language)


def _first_words(text: str, language: str) -> set[int]:
    """Where the first word of each sentence begins."""
    starts, at = set(), 0
    for sentence in split(text, "1", language):
        if word := _WORD.search(sentence):
            starts.add(at + word.start())
        at += len(sentence)
    return starts
