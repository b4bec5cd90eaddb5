"""What is wrong, or may be, with a table of translations before it becomes a memory.

Errors are rows that a memory cannot hold, so push refuses them. Everything else is a warning or a note: rows that the
service leaves out, duplicates, and findings of the translation checks.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.checks.check import check
from svc_nb.language_codes import WELL_FORMED, as_normal, base_code, base_of, target_code
from svc_nb.memories.files import broken, cells_of, checked
from svc_nb.tabular.findings import ERROR, INFO, WARNING, Findings, tally
from svc_nb.tabular.report import Report, plural, short

# The languages that memories are known to have.
SOURCES = frozenset(
    "DE EN ES FR IT JA KO ZH".split()  # noqa: SIM905 - codes read better so
)
TARGETS = SOURCES | {"EN-GB", "EN-US", "ES-419", "ZH-HANS"}
# The translation checks that apply: those for mistakes that make a translation wrong wherever it is reused.
CODES = """
    marked untranslated untranslated_word partly_untranslated wrong_language wrong_script numbers dates units
    placeholders icu urls emails tags tag_attributes entities edge_spaces double_spaces newlines doubled_words
    repeated_words preamble sentences length shifted lost_letters mojibake invisible bidi control mask
""".split()  # noqa: SIM905
PUSH = "svc_nb.memories.push(table, name)"


def lint(table: pd.DataFrame) -> Report:
    """What a translation memory cannot hold (errors), and what looks wrong (warnings), one row each.

    Finds empty sides, duplicate pairs, several translations of one source, languages that memories do not have, and
    problems listed by `svc_nb.checks()`: placeholders, tags or numbers that differ from the source, texts that were not
    translated, spaces, control characters and lengths. Nothing is sent. The columns are `row` (its label), `severity`,
    `code`, `message` and `suggestion`.
    """
    cells = cells_of(checked(table))
    found = broken(cells)
    refused = set(found.rows.tolist())
    _languages(cells, found)
    _repeated(cells, table.index, found)
    _checks(cells, refused, found)
    counts, count = found.counts(), plural(len(table), "translation")
    if not len(table):
        said = "No translations, so nothing to check. Next: svc_nb.memories.read(path)."
    elif not counts:
        said = f"{count}, no findings. Next: {PUSH}."
    elif counts[ERROR]:
        said = f"{count}: {tally(counts)}. A memory cannot hold rows with errors. Next: fix them, and lint again."
    else:
        said = f"{count}: {tally(counts)}. A memory can hold all of it. Next: {PUSH}."
    return found.table(table.index, said)


@lru_cache(1024)
def kept_as(code: str, among: frozenset[str] = TARGETS) -> str | None:
    """The language of a memory in which texts in *code* are kept; None if they are skipped.

    >>> kept_as("fr-CA"), kept_as("es_MX"), kept_as("zh-CN"), kept_as("zh-TW"), kept_as("pt")
    ('FR', 'ES-419', 'ZH-HANS', None, None)
    """
    own, meant = as_normal(code), target_code(code)
    if own in among:
        return own
    if meant in among:
        return meant
    return base_of(own) if base_of(own) in among and meant != "ZH-HANT" else None


def _languages(cells: list[list[str]], found: Findings) -> None:
    """Languages that memories do not have, and regions that are not kept."""
    for name, codes, known in (("source_lang", cells[0], SOURCES), ("target_lang", cells[1], TARGETS)):
        places, distinct = pd.factorize(np.array(codes, dtype=object))
        rows_of = np.split(np.argsort(places, kind="stable"), np.cumsum(np.bincount(places))[:-1])
        for code, rows in zip(distinct, rows_of, strict=False):
            kept, said = kept_as(code, known), short(as_normal(code))
            if kept is None and WELL_FORMED.fullmatch(code):  # otherwise it is already an error
                told = f"{name}: memories are not known to support {said!r}; the service may skip the row"
                found.add(rows, WARNING, "language", told)
            elif kept and kept != as_normal(code):
                why = "memories have no such region;  " if base_of(code) == base_of(kept) else ""
                found.add(rows, INFO, "region", f"{name}: {why}{said!r} is kept as {kept!r}", kept)


def _repeated(cells: list[list[str]], index: Any, found: Findings) -> None:
    """Duplicate pairs, and sources with another translation in the same language."""
    first: dict[tuple[str, ...], int] = {}
    pairs: dict[tuple[str, ...], int] = {}
    for row, (source_lang, target_lang, source, target) in enumerate(zip(*cells, strict=True)):
        if not source.strip() or not target.strip():
            continue
        key = (source_lang, target_lang, source)
        at, twin = first.setdefault(key, row), pairs.setdefault((*key, target), row)
        if twin != row:
            told = f"the same translation is already in row {short(str(index[twin]))}"
            found.add(np.array([row]), WARNING, "duplicate", told, "remove the row")
        elif at != row:
            told = f"row {short(str(index[at]))} has another translation of the source: {short(cells[3][at])!r}"
            found.add(np.array([row]), WARNING, "conflict", told, "keep one of the two, or both if that is intended")


def _checks(cells: list[list[str]], refused: set[int], found: Findings) -> None:
    """The findings of the translation checks in the rows that are not *refused*."""
    columns = [pd.Series(texts, dtype=object) for texts in (*cells[2:], *(map(base_code, each) for each in cells[:2]))]
    source, target, source_lang, target_lang = columns
    report = check(source, target, source_lang=source_lang, target_lang=target_lang, codes=CODES)
    for place, severity, code, message, replacement, advice in zip(
        *(report[name] for name in ("position", "severity", "code", "message", "replacement", "advice")), strict=True
    ):
        if place not in refused:
            least = WARNING if severity == ERROR else severity
            found.add(np.array([place]), least, code, message, [replacement or advice])
