"""What can be found in texts and translations, and the findings: gathered check by check and told as one table."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from svc_nb.advice import nearest
from svc_nb.tabular.report import Report
from svc_nb.tabular.text_column import TEXT

# How much of a text, and how many items, a message shows.
MOST = 40
MOST_ITEMS = 4

# What is looked for in translations: every code with how bad it is and what it means.
CHECKS: dict[str, tuple[str, str]] = {
    "empty": ("error", "there is a source text, but no translation"),
    "marked": ("error", "NOT TRANSLATED: the source text, only marked with the target language, such as [DE]"),
    "untranslated": ("warning", "the translation is the source text"),
    "untranslated_word": ("info", "one word or name was left as it is"),
    "partly_untranslated": ("warning", "a long stretch of the source text stands in the translation"),
    "wrong_language": ("warning", "the translation was detected to be in another language"),
    "wrong_script": ("warning", "letters of a script that the target language does not use"),
    "numbers": ("warning", "other numbers than in the source, however they are written"),
    "number_words": ("info", "a number is written as a word on one side only"),
    "placeholders": ("error", "placeholders are missing, new or in an order that changes their meaning"),
    "icu": ("error", "a plural or select message lost arms that it needs, or has arms nobody asked for"),
    "urls": ("warning", "web addresses differ from those of the source"),
    "emails": ("warning", "e-mail addresses differ from those of the source"),
    "tags": ("error", "tags are missing, new or wrongly nested"),
    "tag_attributes": ("warning", "a tag has other attributes than in the source"),
    "entities": ("warning", "characters became HTML entities"),
    "brackets": ("warning", "brackets are missing, new or not closed"),
    "quotes": ("warning", "quotation marks are missing, new or not closed"),
    "end_punctuation": ("warning", "ends with another mark than the source"),
    "inverted_mark": ("info", "a Spanish question or exclamation without its opening mark"),
    "edge_spaces": ("warning", "spaces at the start or the end are missing or new"),
    "double_spaces": ("warning", "several spaces in a row that the source does not have"),
    "space_before_mark": ("warning", "a space before a punctuation mark that the source does not have"),
    "newlines": ("warning", "another number of lines than in the source"),
    "doubled_words": ("warning", "a word stands there twice in a row"),
    "repeated_words": ("error", "the same words again and again, as translators do that lost the thread"),
    "repeated_characters": ("warning", "one character many times in a row"),
    "length": ("warning", "much shorter or longer than usual for this pair of languages"),
    "first_letter": ("info", "starts with a small letter instead of a capital one, or the other way round"),
    "all_caps": ("warning", "all in capitals on one side only"),
    "emoji": ("info", "emoji differ from those of the source"),
    "glossary": ("warning", "the glossary has another translation of a term"),
    "inconsistent": ("warning", "the same source text is mostly translated in another way"),
    "same_target": ("info", "another source text has this very translation"),
    "mojibake": ("error", "characters that were decoded wrongly"),
    "invisible": ("warning", "characters that nobody sees"),
    "bidi": ("warning", "direction controls that are not closed, or that turn text around"),
    "control": ("error", "control characters"),
    "mask": ("error", "a mark that stood for a protected stretch was left in the text"),
}


def checks() -> Report:
    """All checks as a table: `code`, `severity` and `meaning`.

    The codes are what `codes=` and `skip=` of `check` take.
    """
    rows = [(code, severity, meaning) for code, (severity, meaning) in CHECKS.items()]
    table = pd.DataFrame(rows, columns=["code", "severity", "meaning"]).astype(TEXT)
    said = f"{len(CHECKS)} checks. Leave some out with check(..., skip=[code])."
    return Report(table, said, marks="severity")


def chosen(codes: Iterable[str] | str | None, skip: Iterable[str] | str | None) -> frozenset[str]:
    """The codes to look for; a code that does not exist raises ValueError."""
    found = {"codes": frozenset(CHECKS), "skip": frozenset[str]()}
    for name, given in (("codes", codes), ("skip", skip)):
        if given is None:
            continue
        listed = [given] if isinstance(given, str) else list(given)
        for code in listed:
            if code not in CHECKS:
                near = nearest(str(code), CHECKS)
                hint = f" Did you mean {near!r}?" if near else ""
                raise ValueError(f"{name}: there is no check {code!r}.{hint} See svc_nb.checks().")
        found[name] = frozenset(listed)
    return found["codes"] - found["skip"]


# ---- findings


class Finding(NamedTuple):
    """What a check says about one row."""

    row: int
    code: str
    message: str
    suggestion: str = ""


# ---- pieces of texts in messages


def excerpt(text: str, most: int = MOST) -> str:
    """*text* between quotation marks, cut to *most* characters, unseen characters by their code point."""
    cut = text if len(text) <= most else text[: most - 1].rstrip() + "…"
    if cut.isprintable():
        return f"“{cut}”"
    return f"“{''.join(letter if letter.isprintable() else point(letter) for letter in cut)}”"


def around(text: str, start: int, end: int) -> str:
    """The stretch of *text* with a little of what is around it."""
    left, right = max(0, start - 12), min(len(text), end + 12)
    piece = text[left:right]
    return excerpt(("…" if left else "") + piece + ("…" if right < len(text) else ""), MOST * 2)


def listing(items: Iterable[str]) -> str:
    """Some of *items*, one after the other."""
    listed = list(items)
    shown = ", ".join(excerpt(item) for item in listed[:MOST_ITEMS])
    return shown + (f" and {len(listed) - MOST_ITEMS} more" if len(listed) > MOST_ITEMS else "")


def difference(wanted: Counter[str], found: Counter[str]) -> str:
    """What is missing and what is new, in words; "" where nothing is."""
    parts = (("missing", wanted - found), ("new", found - wanted))
    return "; ".join(f"{word} {listing(some)}" for word, some in parts if some)


def point(letter: str) -> str:
    """The code point of *letter*, as people write it."""
    return f"U+{ord(letter):04X}"


def named(letter: str) -> str:
    """The code point of *letter* with its name."""
    name = unicodedata.name(letter, "")
    return f"{point(letter)} {name}".rstrip()
