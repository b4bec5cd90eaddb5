"""What the service would refuse in a table of spoken terms, and what it may refuse: each rule as one check."""

import re
from collections.abc import Callable

import numpy as np
import pandas as pd

from svc_nb.language_codes import SOURCES, meant_by
from svc_nb.spoken_terms.table import lang_of, rows_of
from svc_nb.tabular.cells import HALF_A_PAIR, cleaned
from svc_nb.tabular.findings import ERROR, WARNING, Findings, tally
from svc_nb.tabular.report import Report, plural, short

MOST_CHARACTERS = 300
# The languages that are known to have spoken terms.
LANGUAGES = frozenset(
    "CS DE EN ES FI FR ID IT JA KO NL PL PT RO RU SV TR UK ZH".split()  # noqa: SIM905 - codes read better so
)
ADVICE = "The error's .findings and .svc.lint() list what is wrong"
PUSH = "svc_nb.spoken_terms.push(table, name)"
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# What a term must not be: the code, the check, and the message.
TERM_RULES: tuple[tuple[str, Callable[[str], object], str], ...] = (
    ("empty", lambda term: not term, "the term is empty"),
    ("control", CONTROL.search, "the term has a control character or a line break"),
    ("edge_space", lambda term: term != term.strip(), "the term has spaces at its beginning or end"),
    ("surrogate", HALF_A_PAIR.search, "the term has half of a surrogate pair, which cannot be sent"),
)
CLEANABLE = ("control", "edge_space")

Row = tuple[str, str]


def lint(table: pd.DataFrame) -> Report:
    """What the service would refuse in a table of spoken terms (errors), and what it may refuse (warnings).

    There is one row for each. The columns are `row` (its label), `severity`, `code`, `message` and `suggestion`.
    """
    rows = rows_of(table)
    found = findings(rows)
    count, counts = plural(len(rows), "term"), found.counts()
    then = "fix the rows by hand, and lint again" if counts.get(ERROR) else PUSH
    said = f"{count}: {tally(counts)}. Next: {then}." if counts else f"{count}, no findings. Next: {PUSH}."
    if not rows:
        said = "No terms, so nothing to check. Next: svc_nb.spoken_terms.read(path)."
    return found.table(table.index, said)


def refuse(table: pd.DataFrame) -> None:
    """Raise InvalidRows with the findings if the service would refuse something."""
    found = findings(rows_of(table), warnings=False)
    if len(found):
        raise found.invalid(table.index, "Nothing was sent: the service would refuse {}", ADVICE)


def findings(rows: list[Row], *, warnings: bool = True) -> Findings:
    """Everything that is wrong with *rows*."""
    found = Findings()
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
    for code, is_wrong, told in TERM_RULES:
        wrong = [place for place, (_, term) in enumerate(rows) if is_wrong(term)]
        advice: str | list[str] = {"empty": "fill it in, or remove the row"}.get(code, "")
        if code in CLEANABLE:
            terms = [rows[place][1] for place in wrong]
            advice = ["" if HALF_A_PAIR.search(term) else cleaned(term) for term in terms]
        found.add(np.array(wrong), ERROR, code, told, advice)
    _duplicates(rows, found)
    _long(rows, found)
    return found


def _duplicates(rows: list[Row], found: Findings) -> None:
    """Terms that are already in the list of their language; case counts."""
    seen: set[Row] = set()
    again = []
    for place, (lang, term) in enumerate(rows):
        key = (lang_of(lang), term)
        if term and key in seen:
            again.append(place)
        seen.add(key)
    told = "the term is already in the list of its language"
    found.add(np.array(again), ERROR, "duplicate", told, "remove the row")


def _long(rows: list[Row], found: Findings) -> None:
    """The lists that are too long, each reported at the first row that no longer fits."""
    sizes: dict[str, int] = {}
    first: dict[str, int] = {}
    for place, (lang, term) in enumerate(rows):
        key = lang_of(lang)
        sizes[key] = sizes.get(key, -1) + len(term) + 1
        if sizes[key] > MOST_CHARACTERS:
            first.setdefault(key, place)
    told = [
        f"the list for {short(lang)!r} has {sizes[lang]:,} characters, including a line end between terms; the service "
        f"accepts {MOST_CHARACTERS}, and this term is the first beyond that"
        for lang in first
    ]
    advice = [f"remove {plural(sizes[lang] - MOST_CHARACTERS, 'character')}" for lang in first]
    found.add(np.array(list(first.values())), ERROR, "too_large", told, advice)
