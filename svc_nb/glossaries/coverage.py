"""How much of a corpus the terms of a glossary touch, and which of them nobody ever meets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.checks.term_search import Ints, TermIndex
from svc_nb.checks.text_array import TextArray, as_texts, chunks
from svc_nb.checks.text_pairs import base_of
from svc_nb.glossaries.table import is_terms
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.languages import source


def coverage(
    terms: pd.DataFrame | Iterable[str],
    column: pd.Series[Any],
    *,
    source_lang: str | None = None,
    longest: bool = True,
) -> Report:
    """How often each term stands in the texts of a column.

    Whole words are compared, in any case; in scripts without spaces, any stretch of characters.

    Parameters
    ----------
    terms
        A table of terms (its `source` side is looked for), or terms alone.
    column
        The texts; missing ones are left out.
    source_lang
        Only the terms of this source language; by default all of the table.
    longest
        Whether a term within a longer one that was found, such as `note` within `delivery note`, does not count.

    Returns
    -------
    Report
        The terms as they were, with `hits` (occurrences), `rows` (texts with one) and `dead` (no hits), in the same
        order and with the same labels; `said` has the share of texts that are touched.
    """
    table = _terms(terms, source_lang and source(source_lang))
    texts = as_texts(column, "column")
    lexicon = TermIndex(["" if pd.isna(term) else term for term in table[_name(table)].tolist()])
    hits, rows, touched = _counted(lexicon, texts, longest)
    counted = table.assign(hits=hits[lexicon.keys], rows=rows[lexicon.keys])
    counted["dead"] = counted["hits"] == 0
    return Report(counted, _said(counted, touched, int(texts.notna().sum())))


def _terms(terms: Any, source_lang: str | None) -> pd.DataFrame:
    if is_terms(terms):
        table: pd.DataFrame = pd.DataFrame(terms)
        if source_lang is None:
            return table
        codes, found = pd.factorize(table["source_lang"])
        meant = np.array([base_of(str(code)) == base_of(source_lang) for code in found] + [False])
        return table[meant[codes]]
    if isinstance(terms, pd.DataFrame):
        has = ", ".join(map(repr, terms.columns))
        raise ValueError(f"terms: expected the columns source_lang, target_lang, source, target, found {has}")
    if isinstance(terms, str):
        raise TypeError(
            "terms: expected a table of terms or several texts, found one text; put it into a list"
        )
    series = as_texts(
        terms if isinstance(terms, pd.Series) else pd.Series(list(terms), dtype=object), "terms"
    )
    return series.rename("term").to_frame()


def _name(table: pd.DataFrame) -> str:
    return "source" if is_terms(table) else "term"


def _counted(lexicon: TermIndex, texts: pd.Series[Any], longest: bool) -> tuple[Ints, Ints, int]:
    count = int(lexicon.keys.max(initial=-1)) + 1
    hits, rows = np.zeros(count, dtype=np.intp), np.zeros(count, dtype=np.intp)
    touched = 0
    for _, piece in chunks(texts):
        found = lexicon.hits(TextArray(piece).folded, longest=longest)
        hits += np.bincount(found.terms, minlength=count)
        pairs = np.unique(found.rows * max(count, 1) + found.terms)
        rows += np.bincount(pairs % max(count, 1), minlength=count)
        touched += len(np.unique(found.rows))
    return hits, rows, touched


def _said(counted: pd.DataFrame, touched: int, texts: int) -> str:
    if not len(counted):
        return "There are no terms to look for. Next: svc_nb.glossaries.read(), or another source_lang=."
    dead = int(counted["dead"].sum())
    share = f"{touched / texts:.0%}" if texts else "none"
    used = f"{len(counted) - dead:,} of {plural(len(counted), 'term')} found, "
    used += f"in {touched:,} of {plural(texts, 'text')} ({share})."
    if dead:
        return f'{used} {plural(dead, "term")} dead. Next: look at them with coverage.query("dead").'
    return f"{used} Next: find what has no term yet with column.svc.term_candidates(terms=...)."
