"""Text improvement: what can be put right without a model of the language, and nothing that is in doubt.

`improved` puts right the words that are wrong beyond doubt, where there is a word list for the language, and then
spaces, doubled words and capitals. Nothing here can put a text into other words.
"""

from __future__ import annotations

from ..translation.tidy import tidy
from .spelling import spelled
from .word_list import LANGUAGES

SPELLER = "speller"
MECHANICAL = "mechanical"


def improved(text: str, language: str) -> str:
    """Return *text* with what is wrong beyond doubt put right; applied twice it changes nothing more.

    >>> improved("i think teh the parcel  is hear .", "en")
    'I think the parcel is hear.'
    """
    return tidy(spelled(text, language), language)


def corrector(language: str) -> str:
    """How texts in *language* are corrected: "speller" with a word list, "mechanical" without one."""
    return SPELLER if language.partition("-")[0] in LANGUAGES else MECHANICAL
