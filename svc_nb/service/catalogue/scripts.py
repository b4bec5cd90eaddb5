"""Scripts: which characters belong to each, and which of the detector's languages are written in it."""

from collections import Counter
from functools import cache
from typing import NamedTuple


class Script(NamedTuple):
    """A script: its code in ISO 15924, its blocks, what a letter of it weighs, and its languages (none: all others).

    A letter weighs more than a Latin one because Latin names stand in texts of all languages and seldom the
    other way round, and a syllable or an ideograph more than a letter because it says more.
    """

    code: str
    blocks: str
    weight: int
    languages: tuple[str, ...]


SCRIPTS = {
    "latin": Script("Latn", "0041-02ff 1e00-1eff 2c60-2c7f a720-a7ff ab30-ab6f", 1, ()),
    "greek": Script("Grek", "0370-03ff 1f00-1fff", 2, ("el", "grc")),
    "cyrillic": Script(
        "Cyrl",
        "0400-052f 1c80-1c8f a640-a69f",
        2,
        ("ba", "be", "bg", "kk", "ky", "mk", "mn", "ru", "sr", "tg", "tt", "uk", "uz"),
    ),
    "armenian": Script("Armn", "0530-058f", 2, ("hy",)),
    "hebrew": Script("Hebr", "0590-05ff", 2, ("hbo", "he")),
    "arabic": Script(
        "Arab", "0600-06ff 0750-077f 0870-08ff", 2, ("ar", "ary", "arz", "fa", "ps", "sdh", "ug", "ur", "uzs")
    ),
    "devanagari": Script("Deva", "0900-097f a8e0-a8ff", 2, ("gom", "hi", "mr", "ne", "sa")),
    "bengali": Script("Beng", "0980-09ff", 2, ("as", "bn")),
    "gurmukhi": Script("Guru", "0a00-0a7f", 2, ("pa",)),
    "gujarati": Script("Gujr", "0a80-0aff", 2, ("gu",)),
    "odia": Script("Orya", "0b00-0b7f", 2, ("or",)),
    "tamil": Script("Taml", "0b80-0bff", 2, ("ta",)),
    "telugu": Script("Telu", "0c00-0c7f", 2, ("te",)),
    "kannada": Script("Knda", "0c80-0cff", 2, ("kn",)),
    "malayalam": Script("Mlym", "0d00-0d7f", 2, ("ml",)),
    "sinhala": Script("Sinh", "0d80-0dff", 2, ("si",)),
    "thai": Script("Thai", "0e00-0e7f", 2, ("th",)),
    "lao": Script("Laoo", "0e80-0eff", 2, ("lo",)),
    "tibetan": Script("Tibt", "0f00-0fff", 2, ("dz",)),
    "burmese": Script("Mymr", "1000-109f a9e0-a9ff aa60-aa7f", 2, ("my",)),
    "georgian": Script("Geor", "10a0-10ff 1c90-1cbf 2d00-2d2f", 2, ("ka",)),
    "ethiopic": Script("Ethi", "1200-139f 2d80-2ddf", 2, ("am",)),
    "khmer": Script("Khmr", "1780-17ff", 2, ("km",)),
    "hangul": Script("Hang", "1100-11ff 3130-318f a960-a97f ac00-d7ff", 3, ("ko",)),
    "kana": Script("Jpan", "3040-30ff 31f0-31ff", 3, ("ja",)),
    "han": Script("Hani", "2e80-303f 3100-312f 3400-9fff f900-faff 20000-3ffff", 4, ("ja", "wuu", "yue", "zh")),
}


def dominant(text: str) -> str:
    """Return the name of the script that dominates *text*; empty where no language here is written in it.

    Kana tells Japanese from Chinese: with a tenth of it beside them, ideographs count as Japanese.
    """
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
