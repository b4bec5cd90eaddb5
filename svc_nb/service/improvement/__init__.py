"""Text improvement: what can be put right without a model of the language, and nothing that is in doubt.

`improved` puts right the words that are wrong beyond doubt, where there is a word list for the language, and then
spaces, doubled words and capitals. Nothing here can put a text into other words.
"""

from __future__ import annotations

import re

from ..catalogue import read
from ..translation.sentences import ABBREVIATIONS
from ..translation.terms import with_capital
from .spelling import spelled
from .word_list import LANGUAGES

SPELLER = "speller"
MECHANICAL = "mechanical"

_DOUBLE_SPACE = re.compile(r"(?<=\S) {2,}+(?=\S)")
_LOOSE_MARK = {
    "": re.compile(r"(?<=[\w)\]”»]) ++(?=[,;!?]++(?:\s|$)|\.(?:\s|$))"),
    "fr": re.compile(r"(?<=[\w)\]”»]) ++(?=[,.](?:\s|$))"),
}
_WORDS = read("spelling.json")
_NEVER_TWICE: dict[str, str] = _WORDS["never_twice"]
_STARTERS: dict[str, str] = _WORDS["starters"]
_NO_END = frozenset(_WORDS["open_abbreviations"].split())
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
    """Return *text* with what is wrong beyond doubt corrected; applied twice it changes nothing more.

    Corrected are double spaces, spaces before punctuation, short words written twice, and capitals that are missing at
    the start of a sentence.

    >>> tidy("the the shoes  are nice , really. it is true.", "en")
    'The shoes are nice, really. It is true.'
    """
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
