"""What the service would refuse in a table of spoken terms, and what it may not take: each rule as one check."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pandas as pd

from svc_nb.errors import InvalidRows
from svc_nb.glossaries.cleaning import cleaned
from svc_nb.language_codes import SOURCES, meant_by
from svc_nb.spoken_terms.table import lang_of, rows_of
from svc_nb.tabular.findings import ERROR, WARNING, Findings, Rows, tally
from svc_nb.tabular.report import Report, named, plural, short

MOST_CHARACTERS = 300
# The languages that spoken terms are known to be for.
LANGUAGES = frozenset(
    "CS DE EN ES FI FR ID IT JA KO NL PL PT RO RU SV TR UK ZH".split()  # noqa: SIM905 - codes read better so
)
PUSH = "svc_nb.spoken_terms.push(table, name)"
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
HALF_A_PAIR = re.compile("[\ud800-\udfff]")

Row = tuple[str, str]


def lint(table: pd.DataFrame) -> Report:
    """What the service would refuse in *table* (errors), and what it may not take (warnings), a row each.

    The columns are `row` (its label), `severity`, `code`, `message` and `suggestion`.
    """
    rows = rows_of(table)
    found = findings(rows)
    return found.table(table.index, _said(found, len(rows)))


def refuse(table: pd.DataFrame) -> None:
    """Raise InvalidRows, with what is wrong, where the service would refuse something."""
    found = findings(rows_of(table), warnings=False)
    if len(found):
        raise invalid(
            found.table(table.index), found.rows, table, "Nothing was sent: the service would refuse"
        )


def invalid(listed: Report, places: Rows, table: pd.DataFrame, outcome: str) -> InvalidRows:
    """The error for the findings *listed* about the rows at *places*; *outcome* says what came of it."""
    rows = [table.index[place] for place in places.tolist()]
    return InvalidRows(
        f"{outcome} {plural(len(rows), 'row')} ({named(rows)}); row {short(str(listed['row'].iloc[0]))}: "
        f"{listed['message'].iloc[0]}. The error's .findings lists what is wrong, and so does .svc.lint()",
        rows=rows,
        findings=listed,
    )


def findings(rows: list[Row], *, warnings: bool = True) -> Findings:
    """All that is wrong with *rows*."""
    found = Findings()
    _languages(rows, found, warnings=warnings)
    _each(rows, found, "empty", lambda term: not term, "the term is empty", "fill it in, or remove the row")
    _cleanable(rows, found, "control", _has_controls, "the term has a control character or a line break")
    _cleanable(
        rows,
        found,
        "edge_space",
        lambda term: term != term.strip(),
        "the term has space at its beginning or end",
    )
    _each(
        rows, found, "surrogate", _is_half, "the term has half of a surrogate pair, which cannot be sent", ""
    )
    _duplicates(rows, found)
    _long(rows, found)
    return found


def _has_controls(term: str) -> bool:
    return bool(CONTROL.search(term))


def _is_half(term: str) -> bool:
    return bool(HALF_A_PAIR.search(term))


def _languages(rows: list[Row], found: Findings, *, warnings: bool) -> None:
    places: dict[str, list[int]] = {}
    for place, (lang, _) in enumerate(rows):
        places.setdefault(lang, []).append(place)
    for lang, here in places.items():
        meant = lang_of(lang)
        if meant not in SOURCES:
            told = f"there is no language {short(lang)!r}" if lang.strip() else "the language is empty"
            found.add(np.array(here), ERROR, "language", told, meant_by(lang))
        elif meant not in LANGUAGES and warnings:
            told = f"the service is not known to have spoken terms for {meant!r}, and may refuse them"
            found.add(np.array(here), WARNING, "language", told)


def _each(
    rows: list[Row], found: Findings, code: str, is_wrong: Callable[[str], bool], told: str, advice: str
) -> None:
    wrong = [place for place, (_, term) in enumerate(rows) if is_wrong(term)]
    found.add(np.array(wrong), ERROR, code, told, advice)


def _cleanable(
    rows: list[Row], found: Findings, code: str, is_wrong: Callable[[str], bool], told: str
) -> None:
    wrong = [place for place, (_, term) in enumerate(rows) if is_wrong(term)]
    found.add(np.array(wrong), ERROR, code, told, [_mended(rows[place][1]) for place in wrong])


def _mended(term: str) -> str:
    return "" if _is_half(term) else cleaned(term)


def _duplicates(rows: list[Row], found: Findings) -> None:
    """Terms that stand in the list of their language already; case counts."""
    seen: set[Row] = set()
    again = []
    for place, (lang, term) in enumerate(rows):
        key = (lang_of(lang), term)
        if term and key in seen:
            again.append(place)
        seen.add(key)
    told = "the term stands in the list of its language already"
    found.add(np.array(again), ERROR, "duplicate", told, "remove the row")


def _long(rows: list[Row], found: Findings) -> None:
    """The lists that are too long, each told at the first row that does not fit any more."""
    sizes: dict[str, int] = {}
    first: dict[str, int] = {}
    for place, (lang, term) in enumerate(rows):
        key = lang_of(lang)
        sizes[key] = sizes.get(key, -1) + len(term) + 1
        if sizes[key] > MOST_CHARACTERS:
            first.setdefault(key, place)
    told = [
        f"the list for {short(lang)!r} has {sizes[lang]:,} characters, a line end between terms counted; the service "
        f"takes {MOST_CHARACTERS}, and this term is the first beyond them"
        for lang in first
    ]
    advice = [f"leave out {plural(sizes[lang] - MOST_CHARACTERS, 'character')} of it" for lang in first]
    found.add(np.array(list(first.values())), ERROR, "too_large", told, advice)


def _said(found: Findings, count: int) -> str:
    if not count:
        return "No terms, nothing to find. Next: svc_nb.spoken_terms.read(path)."
    if not len(found):
        return f"{plural(count, 'term')}, nothing found. Next: {PUSH}."
    then = "mend the rows, and lint again" if found.counts().get(ERROR) else PUSH
    return f"{plural(count, 'term')}: {tally(found.counts())}. Next: {then}."
