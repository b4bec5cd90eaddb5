"""What can be found in a translation: every code with how bad it is and what it means."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple

import pandas as pd

from svc_nb.tabular.column import TEXT
from svc_nb.tabular.report import Report


class Finding(NamedTuple):
    """What a check says about one row."""

    row: int
    code: str
    message: str
    suggestion: str = ""


CHECKS: dict[str, tuple[str, str]] = {
    "empty": ("error", "there is a source text, but no translation"),
    "marked": (
        "error",
        "NOT TRANSLATED: the source text, only marked with the target language, such as [DE]",
    ),
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
    return Report(
        table, f"{len(CHECKS)} checks. Leave some out with check(..., skip=[code]).", marks="severity"
    )


def chosen(codes: Iterable[str] | str | None, skip: Iterable[str] | str | None) -> frozenset[str]:
    """The codes to look for; a code that does not exist raises ValueError."""
    only = frozenset(CHECKS) if codes is None else _known("codes", codes)
    return only - (frozenset() if skip is None else _known("skip", skip))


def _known(name: str, codes: Iterable[str] | str) -> frozenset[str]:
    listed = [codes] if isinstance(codes, str) else list(codes)
    for code in listed:
        if code not in CHECKS:
            near = get_close_matches(str(code), CHECKS, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"{name}: there is no check {code!r}.{hint} See svc_nb.checks().")
    return frozenset(listed)
