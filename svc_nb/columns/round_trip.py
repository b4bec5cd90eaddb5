"""Translations that are translated back by the cheapest available translator, to compare them with the sources."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from contextlib import ExitStack, closing, suppress
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.checks.score import score_table
from svc_nb.checks.text_array import Places, aligned
from svc_nb.checks.text_pairs import rows_by_language
from svc_nb.columns import languages, translation
from svc_nb.columns.job import TranslationJob, whole_budget
from svc_nb.columns.options import Fields, ScoreFields, check_names
from svc_nb.columns.selection import Selection
from svc_nb.engine.outcome import DONE, MARKED
from svc_nb.errors import SvcError, warn
from svc_nb.marked import MarkedOnly
from svc_nb.progress import follow
from svc_nb.session import Session, beside, current
from svc_nb.tabular.report import Report, plural, short


def scored(source: Any, translated: Any, progress: bool, fields: ScoreFields) -> Report:
    """`checks.score.score_table`, with requests to the service if needed, after all arguments have been checked."""
    given: dict[str, Any] = dict(fields)
    check_names(given, ScoreFields)
    detect, round_trip, budget = (given.pop(name, None) for name in ("detect", "round_trip", "budget"))
    kept: Fields = {name: given.pop(name) for name in ("protect", "names") if name in given}  # type: ignore[assignment]
    ours, theirs = aligned(source, translated, "source", "translated")
    is_flag = round_trip is None or isinstance(round_trip, bool | np.bool_)
    asked = isinstance(round_trip, Session) or (is_flag and bool(round_trip))
    if not (is_flag or asked) and (isinstance(round_trip, str) or not isinstance(round_trip, Iterable)):
        raise TypeError(
            "round_trip: expected True, False, a session, or a column of texts that are already translated back, "
            f"found {short(repr(round_trip))}"
        )
    back: Any = None
    if asked:
        back = partial(
            translated_back,
            ours,
            theirs,
            source_lang=given.get("source_lang"),
            target_lang=given.get("target_lang"),
            by=None if is_flag else round_trip,
            budget=whole_budget(budget),
            progress=progress,
            kept=kept,
        )
    elif budget is not None or kept:
        name = "budget" if budget is not None else min(kept)
        raise ValueError(f"{name}: it has no effect without round_trip=True or a session, because nothing is sent")
    elif not is_flag:
        _, back = aligned(ours, round_trip, "source", "round_trip")
    return score_table(ours, theirs, detect=languages if detect else None, back=back, **given)


def translated_back(
    source: pd.Series[Any],
    translated: pd.Series[Any],
    *,
    source_lang: Any,
    target_lang: Any,
    by: Session | None,
    budget: int | None,
    progress: bool,
    kept: Fields,
) -> pd.Series[Any]:
    """*translated* in the language of *source*; missing if there is no translator, or nothing to translate.

    Without *by*, the embedded service is used if it has the language pair, else the current session. *kept* has the
    options that keep texts from being sent.
    """
    if source_lang is None:
        if kept:
            raise ValueError(
                f"{min(kept)}: pass source_lang= too. Otherwise these texts would be sent to detect their language"
            )
        source_lang = languages([text if isinstance(text, str) else "" for text in source.tolist()])
    back = pd.Series([None] * len(source), index=source.index, dtype=object)
    has_source = source.notna().to_numpy()
    how: Fields = {"errors": "coerce", **kept}
    lacking = 0
    with ExitStack() as opened:
        session, free = by or current(), None
        if by is None and not session.settings.is_loopback:
            free = opened.enter_context(closing(beside()))
        jobs: list[tuple[Places, TranslationJob]] = []
        for into, own, rows in rows_by_language(source, source_lang, target_lang):
            rows = rows[has_source[rows]]
            if into is not None and len(rows):
                some = Selection(translated.iloc[rows])
                jobs.append((rows, _cheapest(some, into, {**how, "source_lang": own}, free, session)))
        if budget is None:
            _refuse_to_pay([job for _, job in jobs])
        for rows, planned in jobs:
            paid = not planned.session.settings.is_loopback
            job = planned.over(planned.selection, budget=budget if paid else None)
            follow(job.start(), shown=progress)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MarkedOnly)  # these rows have no part `round_trip`
                job.result()
            table = job.table()
            done = (table["status"] == DONE).to_numpy()
            back.iloc[rows[done]] = table["text"].to_numpy(dtype=object)[done]
            lacking += int((table["status"] == MARKED).sum())
            if budget is not None and paid:
                budget = max(0, budget - job.progress.billed)
    if lacking:
        told = f"round_trip: {lacking:,} of {plural(len(source), 'text')} could not be translated back, because no"
        warn(MarkedOnly(f"{told} translator has the language pair; their scores have no part round_trip"))
    return back


def _cheapest(selection: Selection, into: str, how: Fields, free: Session | None, other: Session) -> TranslationJob:
    """The job, not started: on the *free* session if it can do all of it, else on the *other* session."""
    if free is not None:
        with suppress(SvcError):  # the embedded service does not know the language
            job = translation(selection, None, into, False, how, free)
            if not job.plan().untranslated:
                return job
    return translation(selection, None, into, False, how, other)


def _refuse_to_pay(jobs: list[TranslationJob]) -> None:
    """Raise ValueError if the *jobs* would cost something, because no budget was given."""
    plans = [job.plan() for job in jobs if not job.session.settings.is_loopback]
    if characters := sum(plan.characters for plan in plans):
        raise ValueError(
            f"round_trip: translating {plural(sum(plan.unique for plan in plans), 'text')} back would be billed with "
            f"up to {plural(characters, 'character')}. Pass budget={characters} to allow it, or another session as "
            "round_trip=; an embedded service is free, but has no translator for all of these languages"
        )
