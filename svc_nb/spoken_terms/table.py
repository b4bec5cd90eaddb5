"""The table of spoken terms that everything here takes and returns, with a `lang` and a `term` per row; and diffs.

A collection of many languages is one table. It may have more columns, which are never sent.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from svc_nb.language_codes import SOURCES, as_normal, normal
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import cell_texts, checked_table, text_array

COLUMNS = ("lang", "term")

Lists = dict[str, tuple[str, ...]]


def made(lang: str | Sequence[str], term: Sequence[str], index: Any = None) -> pd.DataFrame:
    """A table of spoken terms; a language given as a single text applies to all rows."""
    langs = list(map(as_normal, [lang] * len(term) if isinstance(lang, str) else lang))
    return pd.DataFrame({"lang": text_array(langs), "term": text_array(term)}).set_axis(
        pd.RangeIndex(len(term)) if index is None else index
    )


def is_spoken_terms(table: pd.DataFrame) -> bool:
    """Whether *table* has the columns of a table of spoken terms."""
    return set(COLUMNS) <= set(table.columns)


def checked(table: object) -> pd.DataFrame:
    """*table* itself, or a clear error if it is not a table of spoken terms."""
    return checked_table(table, COLUMNS, "spoken terms", advice=". Read files with svc_nb.spoken_terms.read()")


def rows_of(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Language and term of every row as written; a gap is empty, and a cell that is not text raises TypeError."""
    checked(table)
    return list(zip(*(cell_texts(table, name) for name in COLUMNS), strict=True))


def lang_of(written: str) -> str:
    """A language of spoken terms: the code alone, in its normal form; anything else stays as written.

    >>> lang_of("en-GB"), lang_of("tlh-x")
    ('EN', 'tlh-x')
    """
    base = normal(written).partition("-")[0]
    return base if base in SOURCES else written


def lists_of(rows: Iterable[tuple[str, str]]) -> Lists:
    """The distinct terms of each language, in order."""
    found: dict[str, dict[str, None]] = {}
    for lang, term in rows:
        found.setdefault(lang_of(lang), {})[term] = None
    return {lang: tuple(terms) for lang, terms in found.items()}


def table_of(lists: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """The table of all terms in *lists*."""
    pairs = [(lang, term) for lang, terms in lists.items() for term in terms]
    return made([lang for lang, _ in pairs], [term for _, term in pairs])


PUSH = "push(table, name)"


class SpokenDiff(Report):
    """The terms that differ, one row each: `change` is added or removed; order does not count, case does."""

    def __init__(self, rows: list[tuple[str, str, str]], left: str = "", *, push: str = PUSH) -> None:
        columns = {
            name: text_array([row[place] for row in rows]) for place, name in enumerate(("change", "lang", "term"))
        }
        counts = Counter(row[0] for row in rows)
        told = ", ".join(f"{counts[name]:,} {name}" for name in ("added", "removed") if counts[name])
        langs = plural(len({row[1] for row in rows}), "language")
        said = [f"{told} in {langs}.", left, f"Next: svc_nb.spoken_terms.{push}."]
        said = said if rows else ["No difference.", left]
        super().__init__(pd.DataFrame(columns), " ".join(filter(None, said)), marks="change")


def diff(old: pd.DataFrame, new: pd.DataFrame) -> SpokenDiff:
    """What *new* adds and removes compared with *old*; duplicate terms count once, and EN-GB is EN."""
    return SpokenDiff(differences(lists_of(rows_of(old)), lists_of(rows_of(new))))


def differences(old: Mapping[str, Sequence[str]], new: Mapping[str, Sequence[str]]) -> list[tuple[str, str, str]]:
    """The terms that only *new* has, in its order, then those that only *old* has."""
    before, after = ({(lang, term) for lang, terms in each.items() for term in terms} for each in (old, new))
    added = [("added", *key) for lang, terms in new.items() for term in terms if (key := (lang, term)) not in before]
    removed = [("removed", *key) for lang, terms in old.items() for term in terms if (key := (lang, term)) not in after]
    return [*added, *removed]
