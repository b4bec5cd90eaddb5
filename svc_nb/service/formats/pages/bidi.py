"""Scripts that run from right to left: letters joined, and a line put into the order in which it is drawn.

A small part of the Unicode rules: letters, numbers and what stands between them; no embedded directions.
"""

import re
import unicodedata
from functools import cache
from typing import TypeVar

_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LAM = "\u0644"
_TATWEEL = "\u0640"
_MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")

Letter = TypeVar("Letter")


def has_right_to_left(text: str) -> bool:
    """Whether any of *text* runs from right to left."""
    return _RIGHT.search(text) is not None


def runs_right_to_left(text: str) -> bool:
    """Whether *text* as a whole does: its first letter says."""
    first = next((char for char in text if char.isalpha()), "")
    return has_right_to_left(first)


@cache
def _forms() -> dict[str, dict[str, str]]:
    """Return the joined forms of Arabic letters and of lam with alef, from the Unicode database."""
    forms: dict[str, dict[str, str]] = {}
    for code in (*range(0xFB50, 0xFBB2), *range(0xFBD3, 0xFBFF), *range(0xFE80, 0xFEFD)):
        kind, *letters = unicodedata.decomposition(chr(code)).split()[:4] or [""]
        if kind in ("<isolated>", "<initial>", "<medial>", "<final>"):
            plain = "".join(chr(int(letter, 16)) for letter in letters)
            forms.setdefault(plain, {}).setdefault(kind[1:-1], chr(code))
    return forms


def joined(word: str) -> str:
    """Return *word* with its Arabic letters in the forms that join them; other letters as they are."""
    if not re.search("[\u0620-\u06ff]", word):
        return word
    units = _units(word)
    done = []
    for at, unit in enumerate(units):
        forms = _forms().get(unit)
        if forms is None:
            done.append(unit)
            continue
        before = _joins_on(_beside(units, at, -1)) and "final" in forms
        after = "initial" in forms and "final" in _forms().get(_beside(units, at, 1), _joining(_beside(units, at, 1)))
        name = ("medial" if after else "final") if before else ("initial" if after else "isolated")
        done.append(forms.get(name) or forms.get("isolated") or unit)
    return "".join(done)


def _units(word: str) -> list[str]:
    """Return the letters of *word*, lam and the alef after it as one."""
    units: list[str] = []
    for char in word:
        if units and units[-1] == _LAM and _LAM + char in _forms():
            units[-1] += char
        else:
            units.append(char)
    return units


def _beside(units: list[str], at: int, step: int) -> str:
    """Return the letter before or after, marks passed over."""
    at += step
    while 0 <= at < len(units) and unicodedata.combining(units[at][0]):
        at += step
    return units[at] if 0 <= at < len(units) else ""


def _joins_on(unit: str) -> bool:
    return unit == _TATWEEL or "initial" in _forms().get(unit, {})


def _joining(unit: str) -> dict[str, str]:
    return {"final": unit} if unit == _TATWEEL else {}


def drawn_order(letters: list[tuple[str, Letter]], *, right_to_left: bool) -> list[tuple[str, Letter]]:
    """Return the letters of a line, with whatever goes with each, from left to right as they are drawn."""
    levels = _levels([char for char, _ in letters], int(right_to_left))
    order = list(range(len(letters)))
    for level in range(max(levels, default=0), 0, -1):
        start = None
        for at in range(len(order) + 1):
            inside = at < len(order) and levels[order[at]] >= level
            if inside and start is None:
                start = at
            elif not inside and start is not None:
                order[start:at] = order[start:at][::-1]
                start = None
    return [(letters[at][0].translate(_MIRRORED) if levels[at] % 2 else letters[at][0], letters[at][1]) for at in order]


def _levels(chars: list[str], base: int) -> list[int]:
    """Return how deep each letter lies: even from left to right, odd from right to left."""
    kinds = _kinds(chars)
    left = 2 if base else 0
    levels: list[int] = []
    before = base
    for at, kind in enumerate(kinds):
        if kind == "L":
            levels.append(left)
        elif kind:
            levels.append(1 if kind == "R" else 2)
        else:
            after = next((_side(each) for each in kinds[at:] if each), base)
            levels.append((1 if before else left) if before == after else base)
            continue
        before = _side(kind)
    return levels


def _side(kind: str) -> int:
    return 0 if kind == "L" else 1


def _kinds(chars: list[str]) -> list[str]:
    """Return L or R for letters, N for numbers that do not follow L, "" for what is neutral."""
    kinds: list[str] = []
    strong = ""
    for at, char in enumerate(chars):
        if _RIGHT.match(char) and not char.isdigit():
            strong = "R"
            kinds.append(strong)
        elif char.isdigit():
            kinds.append("L" if strong == "L" else "N")
        elif char.isalpha():
            strong = "L"
            kinds.append(strong)
        else:
            inside = char in ".,:/-" and 0 < at < len(chars) - 1 and chars[at - 1].isdigit() and chars[at + 1].isdigit()
            kinds.append(kinds[-1] if inside else "")
    return kinds
