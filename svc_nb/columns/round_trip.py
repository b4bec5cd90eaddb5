"""Translations, translated back by the cheapest translator there is, to compare them with the sources."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.checks.score import score_table
from svc_nb.checks.text_array import aligned
from svc_nb.columns import languages, translation
from svc_nb.columns.job import TranslationJob, whole_budget
from svc_nb.columns.selection import Selection
from svc_nb.engine.outcome import DONE
from svc_nb.errors import SvcError
from svc_nb.marked import MarkedOnly
from svc_nb.progress import follow
from svc_nb.session import Session, beside, current
from svc_nb.tabular.report import Report, plural


def scored(
    source: Any, translated: Any, *, detect: bool, round_trip: Any, budget: float | None, progress: bool, **how: Any
) -> Report:
    """`checks.score.score_table`, with the service asked for what needs one."""
    ours, theirs = aligned(source, translated, "source", "translated")
    if budget is not None and (round_trip is None or round_trip is False):
        raise ValueError("budget: nothing is paid for without round_trip=")
    back = None
    if round_trip is True or isinstance(round_trip, Session):
        given = {name: how.get(name) for name in ("source_lang", "target_lang")}
        by = round_trip if isinstance(round_trip, Session) else None
        back = translated_back(ours, theirs, by=by, budget=whole_budget(budget), progress=progress, **given)
    elif round_trip is not None and round_trip is not False:
        back = round_trip  # texts that were translated back already
    return score_table(ours, theirs, detect=languages if detect else None, back=back, **how)


def translated_back(
    source: pd.Series[Any],
    translated: pd.Series[Any],
    *,
    source_lang: Any,
    target_lang: Any,
    by: Session | None,
    budget: int | None,
    progress: bool,
) -> pd.Series[Any]:
    """*translated* in the language of *source*; gaps where there is no translator, or nothing was to be done.

    Without *by* it is done by the embedded service where that has the pair, else by the current session.
    """
    if source_lang is None:
        source_lang = languages([text if isinstance(text, str) else "" for text in source.tolist()])
    wanted = pd.Series([source_lang] * len(source) if isinstance(source_lang, str) else list(source_lang), dtype=object)
    codes = (
        target_lang if target_lang is None or isinstance(target_lang, str) else np.asarray(target_lang, dtype=object)
    )
    has_source = source.notna().to_numpy()
    jobs: list[tuple[Any, TranslationJob]] = []
    for code in wanted.dropna().unique():
        rows = np.flatnonzero((wanted == code).to_numpy() & has_source)
        own = codes[rows] if isinstance(codes, np.ndarray) else codes
        jobs.append((rows, _cheapest(Selection(translated.iloc[rows]), code, own, by)))
    if budget is None:
        _refuse_to_pay([job for _, job in jobs])
    back = pd.Series([None] * len(source), index=source.index, dtype=object)
    for rows, planned in jobs:
        job = planned.over(planned.selection, budget=budget)
        follow(job.start(), shown=progress)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MarkedOnly)  # these rows have no part `round_trip`
            job.result()
        table = job.table()
        done = (table["status"] == DONE).to_numpy()
        back.iloc[rows[done]] = table["text"].to_numpy(dtype=object)[done]
        if budget is not None:
            budget = max(0, budget - job.progress.billed)
        if job.session not in (by, current()):
            job.session.close()
    return back


def _cheapest(selection: Selection, into: str, own: Any, by: Session | None) -> TranslationJob:
    """The job, not started: on *by*, or on the embedded service if that can do all, or on the current session."""

    def job_on(session: Session) -> TranslationJob:
        return translation(selection, None, into, False, {"source_lang": own, "errors": "coerce"}, session)

    session = by or current()
    if by is None and not session.settings.is_loopback:
        free = beside()
        try:
            job = job_on(free)
            if not job.plan().untranslated:
                return job
        except SvcError:  # the embedded service does not know the language
            pass
        free.close()
    return job_on(session)


def _refuse_to_pay(jobs: list[TranslationJob]) -> None:
    """Raise ValueError if the *jobs* would cost something: nobody said how much they may."""
    plans = [job.plan() for job in jobs if not job.session.settings.is_loopback]
    if characters := sum(plan.characters for plan in plans):
        raise ValueError(
            f"round_trip: translating {plural(sum(plan.unique for plan in plans), 'text')} back would be billed with "
            f"up to {plural(characters, 'character')}. Pass budget={characters} to allow it, or another session as "
            "round_trip=; an embedded service is free, but has no translator for all of these languages"
        )
