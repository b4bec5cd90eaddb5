"""What differs between two tables of spoken terms: terms are there or not, so they are added or removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from svc_nb.spoken_terms.table import lists_of, rows_of
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import text_array

PUSH = "push(table, name)"


class SpokenDiff(Report):
    """The terms that differ, a row each: `change` is added or removed; order does not count, case does."""

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
    """What *new* adds and removes against *old*; a term that stands twice counts once, and EN-GB is EN."""
    return SpokenDiff(differences(lists_of(rows_of(old)), lists_of(rows_of(new))))


def differences(old: Mapping[str, Sequence[str]], new: Mapping[str, Sequence[str]]) -> list[tuple[str, str, str]]:
    """The terms that only *new* has, in its order, then those that only *old* has."""
    before, after = ({(lang, term) for lang, terms in each.items() for term in terms} for each in (old, new))
    added = [("added", *key) for lang, terms in new.items() for term in terms if (key := (lang, term)) not in before]
    removed = [("removed", *key) for lang, terms in old.items() for term in terms if (key := (lang, term)) not in after]
    return [*added, *removed]
