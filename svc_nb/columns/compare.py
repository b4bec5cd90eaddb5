"""Two translations of the same rows side by side: what differs word by word, their scores, and what each was billed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.checks.score import ORDER_NOT_MARK, score_table
from svc_nb.checks.text_array import aligned, as_texts
from svc_nb.columns import tabled, translation
from svc_nb.columns.changes import CELL, edits, marked, plain, visible
from svc_nb.columns.job import TranslationJob, check_price
from svc_nb.columns.options import Fields, check_names
from svc_nb.session import Session
from svc_nb.tabular.report import Report, plural
from svc_nb.tracebacks import module_verbs

__all__ = ["Comparison", "compare", "compare_options"]

SIDES = ("a", "b")
# Scores that are closer than this are counted as equal.
CLOSE = 1.0
MOST_SHOWN = 40
LONGEST_SOURCE = 300


class Comparison(Report):
    """Two translations of the same rows; it shows the rows that differ, with text that only *a* has struck out.

    In all other respects it is a DataFrame. In plain text, words only in *a* are in [-…-], words only in *b* in {+…+}.
    """

    def _shown(self) -> pd.DataFrame:
        """The rows that differ, those with the largest difference in score first."""
        different = pd.DataFrame(self[~self["same"]])
        apart = (different["score_a"] - different["score_b"]).abs().fillna(0).to_numpy()
        shown = different.iloc[np.argsort(-apart, kind="stable")[:MOST_SHOWN]]
        return shown.assign(**{name: shown[name].astype(object).fillna("") for name in ("source", *SIDES)})

    def __repr__(self) -> str:
        lines = [
            f"{visible(str(label))}: {plain(edits(row['a'], row['b']))}  ({_points(row['score_a'])} → "
            f"{_points(row['score_b'])})"
            for label, row in self._shown().iterrows()
        ]
        return "\n".join([*lines, *[""] * bool(lines), self.said])

    def _table(self) -> str:
        body = ""
        for label, row in self._shown().iterrows():
            told = [str(label), str(row["source"])[:LONGEST_SOURCE]]
            cells = "".join(f"<td dir='auto' style='{CELL}'>{escape(visible(text))}</td>" for text in told)
            cells += f"<td dir='auto' style='{CELL}'>{marked(edits(row['a'], row['b']))}</td>"
            points = "".join(f"<td>{_points(row['score_' + side])}</td>" for side in SIDES)
            body += f"<tr>{cells}{points}</tr>"
        names = ["", "source", "a → b", *(f"score_{side}" for side in SIDES)]
        head = "".join(f"<th style='{CELL}'>{name}</th>" for name in names)
        return f"<table class='dataframe'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _points(score: float) -> str:
    return "" if np.isnan(score) else f"{score:.1f}"


@dataclass(frozen=True)
class _Side:
    """One of the two: the translations, and what is known about their rows."""

    texts: pd.Series[Any]
    source: pd.Series[Any] | None = None
    billed: pd.Series[Any] | None = None
    source_lang: Any = None
    target_lang: Any = None

    @classmethod
    def of(cls, given: Any, name: str) -> _Side:
        """From user input: a run, the table of a run, or a column of translations."""
        if isinstance(given, TranslationJob):
            given.wait()
            table = given.table()
            source = pd.Series(given.sources(), index=table.index, dtype=object)
            targets = given.operation.targets
            side = cls.of(table, name)
            target_lang = targets[0] if len(targets) == 1 else side.target_lang
            return cls(side.texts, source, side.billed, side.source_lang, target_lang)
        if isinstance(given, pd.DataFrame):
            if "text" not in given.columns:
                raise KeyError(f"{name}: expected a table with a column 'text', as from .svc.translate_table()")
            rest = [
                given.get(column) for column in ("source", "billed_characters", "detected_source_lang", "target_lang")
            ]
            return cls(as_texts(given["text"], name), *rest)
        if isinstance(given, pd.Series):
            return cls(as_texts(given, name))
        raise TypeError(
            f"{name}: expected a run (svc_nb.last_run()), its table (.svc.translate_table()), or a column of "
            f"translations, found {type(given).__name__}"
        )


def compare(
    a: Any,
    b: Any,
    *,
    source: pd.Series[Any] | None = None,
    source_lang: Any = None,
    target_lang: Any = None,
    glossary: Any = None,
    price: float | None = None,
) -> Comparison:
    """Two translations of the same rows side by side.

    Parameters
    ----------
    a, b
        Each a run (`svc_nb.last_run()` or from `start_translate`), a table from `translate_table`, or a column of
        translations.
    source
        The texts that were translated; not needed if *a* or *b* is a run.
    source_lang, target_lang, glossary
        As for `.svc.score`; a run knows its languages.
    price
        The price of a million characters, to see the cost of each.

    Returns
    -------
    Comparison
        A row for each text, with its label: `source`, `a`, `b`, `same`, `score_a`, `score_b`, and `billed_a` and
        `billed_b` if known. It shows the differences word by word.
    """
    sides = _Side.of(a, "a"), _Side.of(b, "b")
    if source is None:
        source = next((side.source for side in sides if side.source is not None), None)
    if source is None:
        raise ValueError("source: the source texts are not known. Pass source=, or compare runs, which know them")
    check_price(price)
    texts: Any = source
    scores = {}
    for name, side in zip(SIDES, sides, strict=True):
        texts, _ = aligned(texts, side.texts, "source", name)
        known = {
            "source_lang": side.source_lang if source_lang is None else source_lang,
            "target_lang": side.target_lang if target_lang is None else target_lang,
        }
        scores[f"score_{name}"] = score_table(texts, side.texts, glossary=glossary, **known)["score"].array
    both = [side.texts.astype(object).where(side.texts.notna(), None).to_numpy() for side in sides]
    frame = {"source": texts.array, "a": sides[0].texts.array, "b": sides[1].texts.array, "same": both[0] == both[1]}
    frame |= scores
    for name, side in zip(SIDES, sides, strict=True):
        if side.billed is not None:
            frame[f"billed_{name}"] = side.billed.array
    table = pd.DataFrame(frame, index=texts.index)
    return Comparison(table, _said(table, price))


def compare_options(texts: Any, target_lang: str, a: Any, b: Any, progress: bool, price: float | None) -> Comparison:
    """Translate *texts* in two ways, each a mapping of options or a session, and compare the results.

    All arguments are checked before anything is sent.
    """
    check_price(price)
    jobs = []
    for name, given in zip(SIDES, (a, b), strict=True):
        if not isinstance(given, Session | Mapping):
            raise TypeError(f"{name}: expected a dict of options or a Session, found {type(given).__name__}")
        options = {"session": given} if isinstance(given, Session) else dict(given)
        session = options.pop("session", None)
        if not isinstance(session, Session | None):
            raise TypeError(f"{name}: session: expected a Session, found {type(session).__name__}")
        if shared := {"target_lang", "progress", "price"}.intersection(options):
            raise TypeError(f"{name}: {min(shared)} is given for both. Pass it to compare() itself")
        try:
            check_names(options, Fields)
        except TypeError as problem:
            raise TypeError(f"{name}: {problem}") from None
        job = translation(texts, None, target_lang, progress, options, session)  # type: ignore[arg-type]
        if len(job.operation.targets) != 1:
            raise ValueError(f"target_lang: expected one language, found {len(job.operation.targets)}")
        jobs.append(job)
    tables = [tabled(job).assign(target_lang=job.operation.targets[0]) for job in jobs]
    return compare(*tables, source=pd.Series(texts), price=price)


def _said(table: pd.DataFrame, price: float | None) -> str:
    different = table[~table["same"]]
    apart = (different["score_b"] - different["score_a"]).fillna(0)
    better = {"a": int((apart < -CLOSE).sum()), "b": int((apart > CLOSE).sum())}
    differ = "differs" if len(different) == 1 else "differ"
    told = [f"{len(different):,} of {plural(len(table), 'text')} {differ}."]
    means = [table[f"score_{side}"].mean() for side in SIDES]
    if not np.isnan(means).any():
        told.append(
            f"Mean score {means[0]:.1f} (a) and {means[1]:.1f} (b); a has the higher one in "
            f"{plural(better['a'], 'row')}, b in {better['b']:,}."
        )
    billed = {side: int(table[f"billed_{side}"].sum()) for side in SIDES if f"billed_{side}" in table}
    for side, characters in billed.items():
        cost = "" if price is None else f" ({characters / 1_000_000 * price:,.2f})"
        told.append(f"{side} was billed {plural(characters, 'character')}{cost}.")
    return " ".join([*told, ORDER_NOT_MARK])


module_verbs(globals())
