"""Scripts: which characters belong to each, and which of the detector's languages are written in it."""

from collections import Counter
from functools import cache
from typing import NamedTuple

from . import read


class Script(NamedTuple):
    """A script: its code in ISO 15924, its blocks, what a letter of it weighs, and its languages (none: all others).

    A letter weighs more than a Latin one because Latin names stand in texts of all languages and seldom the
    other way round, and a syllable or an ideograph more than a letter because it says more.
    """

    code: str
    blocks: str
    weight: int
    languages: tuple[str, ...]


SCRIPTS: dict[str, Script] = {
    name: Script(code, blocks, weight, tuple(languages))
    for name, (code, blocks, weight, languages) in read("scripts.json").items()
}


def dominant(text: str) -> str:
    """The name of the script that dominates *text*, empty if no language has it; a tenth of kana makes Han Japanese."""
    weights: Counter[str] = Counter()
    for letter, count in Counter(text).items():
        if letter.isalpha():
            name = _script(ord(letter) >> 4)
            weights[name] += count * (SCRIPTS[name].weight if name else 2)
    if 0 < weights["han"] <= weights["kana"] * 10:
        weights["kana"] += weights.pop("han")
    return max(weights, key=lambda name: (weights[name], name != "latin"), default="")


@cache
def _script(sixteen: int) -> str:
    """Return the script of the sixteen characters from ``sixteen * 16`` on, empty where there is none."""
    for name, script in SCRIPTS.items():
        for span in script.blocks.split():
            first, last = (int(edge, 16) >> 4 for edge in span.split("-"))
            if first <= sixteen <= last:
                return name
    return ""


def iso_15924(script: str, text: str) -> str:
    """Return the code of *script*; that of Chinese characters says which, if *text* has more of one kind."""
    if script != "han":
        return SCRIPTS[script].code
    hans, hant = one_sided(text)
    return SCRIPTS[script].code if hans == hant else "Hans" if hans > hant else "Hant"


def one_sided(text: str) -> tuple[int, int]:
    """Return how many characters of *text* only simplified Chinese has, and how many only traditional Chinese.

    >>> one_sided("这是"), one_sided("這是"), one_sided("国語"), one_sided("你好")
    ((1, 0), (0, 1), (1, 1), (0, 0))
    """
    letters = {letter for letter in text if _script(ord(letter) >> 4) == "han" and letter.isalpha()}
    simplified, traditional = (
        {letter for letter in letters if letter.encode(codec, "ignore")} for codec in ("gb2312", "big5")
    )
    return len(simplified - traditional), len(traditional - simplified)
