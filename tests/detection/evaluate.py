"""Measures detection on the catalogues of programs that the model for short texts has not seen.

    python -m tests.detection.evaluate FOLDER

FOLDER has a folder for each package, unpacked, with its .mo files. From each language and length, counted in words (in
English words for languages that write without spaces), 60 messages are drawn, evenly from the packages; English ones
are what was translated. Messages that equal the English one are left out; what is the same in several languages counts
in each, so that nobody can be right everywhere.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from svc_nb.service.catalogue.languages import DETECTION
from svc_nb.service.detector import Detector
from tests.detection.messages import catalogue

LENGTHS = ("1", "2-3", "4-10", "10+")
UNSPACED = ("ja", "zh", "th", "lo", "km", "my", "dz", "bo")
OUTSIDE = """
    af ast az be bn br bs ca cy eo eu fa ga gl gu hi hr hy is ka kk km kn lb mk ml mn mr ms my ne oc pa si sq sr sw ta
    te tl ug ur uz
"""


class Text(NamedTuple):
    """A text with its true language and its length, as one of LENGTHS."""

    language: str
    length: str
    text: str


def length(words: int) -> str:
    """Return how long a text of so many words is."""
    return LENGTHS[0 if words <= 1 else 1 if words <= 3 else 2 if words <= 10 else 3]


def sampled(folder: Path, *, each: int = 60) -> list[Text]:
    """Return the texts to measure on, the same ones every time."""
    found: defaultdict[tuple[str, str], defaultdict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    wanted = {*DETECTION, *OUTSIDE.split()}
    for path in sorted(folder.glob("**/*.mo")):
        locale = re.search(r"/([^/]+)/LC_MESSAGES/|/([^/]+)\.mo$", path.as_posix())
        if locale is None or (locale[1] or locale[2]).startswith(("en", "x-")):
            continue
        package = path.relative_to(folder).parts[0]
        with path.open("rb") as file:
            for language, text, english in catalogue(file, locale[1] or locale[2]):
                kept = language in wanted and "\n" not in text and len(text) <= 400
                if not kept or (language != "en" and text == english) or _letters(text) < 2:
                    continue
                counted = english if language in UNSPACED else text
                found[language, length(len(counted.split()))][package][text] = None
    chance = random.Random(1)
    return [
        Text(*key, text)
        for key in sorted(found)
        for text in _evenly([list(texts) for _, texts in sorted(found[key].items())], each, chance)
    ]


def _letters(text: str) -> int:
    bare = re.sub(r"%\([^)]*\)[a-z]|%[-\d.]*[a-zA-Z]|\{[^}]*\}|<[^>]*>|&\w+;", "", text)
    return sum(letter.isalpha() for letter in bare)


def _evenly(packages: Sequence[list[str]], count: int, chance: random.Random) -> Iterable[str]:
    for texts in packages:
        chance.shuffle(texts)
    taken = 0
    while taken < count and any(packages):
        for texts in packages:
            if texts and taken < count:
                taken += 1
                yield texts.pop()


def measured(texts: Sequence[Text]) -> dict[str, Counter[str]]:
    """Return what came of *texts*, counted by length: of those on the list, and as "outside" of all others."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    found = Detector().detect([each.text for each in texts])
    for each, one in zip(texts, found, strict=True):
        count = counts[each.length]
        if each.language in DETECTION:
            count["texts"] += 1
            count["right"] += one.language == each.language
            count["wrong"] += one.language not in (None, each.language)
            count["forced"] += one.guess == each.language
        else:
            count["outside"] += 1
            count["claimed"] += one.language is not None
    return counts


if __name__ == "__main__":
    counts = measured(sampled(Path(sys.argv[1])))
    print("words    texts  right  wrong  forced | outside  claimed")
    for name in LENGTHS:
        count = counts[name]
        kept = [100 * count[part] / count["texts"] for part in ("right", "wrong", "forced")]
        claimed = 100 * count["claimed"] / count["outside"]
        shown = "  ".join(f"{part:5.1f}" for part in kept)
        print(f"{name:6} {count['texts']:7}  {shown}  | {count['outside']:7}    {claimed:5.1f}")
