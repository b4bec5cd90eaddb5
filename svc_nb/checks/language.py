"""The check of the language that a translation is really in; who detects it is the caller's choice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from svc_nb.checks import marks
from svc_nb.checks.catalogue import Finding
from svc_nb.checks.couple import Couple, base_of
from svc_nb.checks.excerpt import excerpt
from svc_nb.checks.wording import RELATIVES

Detect = Callable[[list[str]], Sequence[str | None]]

# Less than this says too little about its language.
LEAST_LETTERS = 20
LEAST_WIDE = 6
WIDE = 0x2E80


def languages(couple: Couple, detect: Detect) -> Iterator[Finding]:
    """Code `wrong_language`; every different text is given to *detect* once."""
    wanted = couple.target_lang
    asked: dict[str, list[int]] = {}
    for row in range(len(couple)):
        text = marks.bare(couple.target[row])
        if not couple.equal[row] and _says_enough(text):
            asked.setdefault(text, []).append(row)
    found = list(detect(list(asked))) if asked else []
    if len(found) != len(asked):
        raise ValueError(f"detect: expected {len(asked):,} codes, one for each text, found {len(found):,}")
    for (text, rows), code in zip(asked.items(), found, strict=True):
        base = None if code is None else base_of(str(code))
        if base and base != wanted and not any({base, wanted} <= family for family in RELATIVES):
            told = "the source language" if base == couple.source_lang else f"not {str(wanted).upper()}"
            for row in rows:
                yield Finding(row, "wrong_language", f"{excerpt(text)} seems to be {base.upper()}, {told}")


def _says_enough(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return len(letters) >= LEAST_LETTERS or sum(ord(letter) >= WIDE for letter in letters) >= LEAST_WIDE
