"""The codes of the checks, and their findings: collected check by check and shown as one table."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from importlib import resources
from typing import NamedTuple

import pandas as pd

from svc_nb.advice import nearest
from svc_nb.tabular.report import Report
from svc_nb.tabular.text_column import TEXT

# How many characters of a text, and how many items, a message shows.
MOST = 40
MOST_ITEMS = 4

# Every code of a check, with its severity and meaning.
CHECKS: dict[str, tuple[str, str]] = {
    code: (severity, meaning)
    for code, severity, meaning in (
        line.split("\t") for line in resources.files(__package__).joinpath("checks.tsv").read_text("utf-8").splitlines()
    )
}


def checks() -> Report:
    """All checks as a table: `code`, `severity` and `meaning`.

    `codes=` and `skip=` of `check` take these codes.
    """
    rows = [(code, severity, meaning) for code, (severity, meaning) in CHECKS.items()]
    table = pd.DataFrame(rows, columns=["code", "severity", "meaning"]).astype(TEXT)
    said = f"{len(CHECKS)} checks. Leave some out with check(..., skip=[code])."
    return Report(table, said, marks="severity")


def chosen(
    codes: Iterable[str] | str | None, skip: Iterable[str] | str | None = (), *, name: str = "codes"
) -> frozenset[str]:
    """*codes*, or all codes by default, without those to *skip*; an unknown code raises ValueError."""
    sets = []
    for field, given in ((name, codes), ("skip", skip or ())):
        if given is not None and not isinstance(given, Iterable):
            raise TypeError(f"{field}: expected a code such as 'numbers', or a list of them, found {given!r}")
        listed = [given] if isinstance(given, str) else list(CHECKS if given is None else given)
        for code in listed:
            if code not in CHECKS:
                near = nearest(str(code), CHECKS)
                hint = f" Did you mean {near!r}?" if near else ""
                raise ValueError(f"{field}: there is no check {code!r}.{hint} See svc_nb.checks().")
        sets.append(frozenset(listed))
    return sets[0] - sets[1]


# ---- findings


class Finding(NamedTuple):
    """What a check says about one row: `replacement` is a whole new text, `advice` a sentence."""

    row: int
    code: str
    message: str
    replacement: str = ""
    advice: str = ""


# ---- pieces of texts in messages and replacements

AGAIN = "translate this row again"


def put_back(text: str, missing: Counter[str], new: Counter[str]) -> str:
    """*text* with its only new item replaced by the only missing one; "" if there is not exactly one of each."""
    if missing.total() != 1 or new.total() != 1:
        return ""
    (lost,), (found,) = missing, new
    return text.replace(found, lost) if text.count(found) == 1 else ""


def excerpt(text: str, most: int = MOST) -> str:
    """*text* in quotation marks, cut to *most* characters, with invisible characters as code points."""
    cut = text if len(text) <= most else text[: most - 1].rstrip() + "…"
    if cut.isprintable():
        return f"“{cut}”"
    return f"“{''.join(letter if letter.isprintable() else point(letter) for letter in cut)}”"


def around(text: str, start: int, end: int) -> str:
    """The stretch of *text* with a little context."""
    left, right = max(0, start - 12), min(len(text), end + 12)
    piece = text[left:right]
    return excerpt(("…" if left else "") + piece + ("…" if right < len(text) else ""), MOST * 2)


def listing(items: Iterable[str]) -> str:
    """The first of *items*, as a list in words."""
    listed = list(items)
    shown = ", ".join(excerpt(item) for item in listed[:MOST_ITEMS])
    return shown + (f" and {len(listed) - MOST_ITEMS} more" if len(listed) > MOST_ITEMS else "")


def difference(wanted: Counter[str], found: Counter[str]) -> str:
    """What is missing and what is new, in words; "" if nothing is."""
    parts = (("missing", wanted - found), ("new", found - wanted))
    return "; ".join(f"{word} {listing(some)}" for word, some in parts if some)


def point(letter: str) -> str:
    """The code point of *letter*, as it is usually written."""
    return f"U+{ord(letter):04X}"


def named(letter: str) -> str:
    """The code point of *letter* with its name."""
    name = unicodedata.name(letter, "")
    return f"{point(letter)} {name}".rstrip()
