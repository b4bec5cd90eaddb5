"""One run of a translation: its progress, its result as a table, and the findings."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb import glossaries
from svc_nb.checks.check import checked
from svc_nb.checks.findings import chosen
from svc_nb.checks.score import WEIGHTS, score_table
from svc_nb.columns import started
from svc_nb.columns.job import TextJob, TranslationJob
from svc_nb.columns.operations import GLOSSARY_LACKS_PAIR, LANGUAGE_UNKNOWN
from svc_nb.columns.protection import LOST
from svc_nb.columns.rewording import NOT_ASKED
from svc_nb.engine.outcome import ANSWERED, DONE, FAILED, MARKED, PERSON, SKIPPED, UNSENT, RunReport
from svc_nb.engine.plan import NO_TRANSLATOR
from svc_nb.errors import SvcError
from svc_nb.language_codes import base_code
from svc_nb.panels.parts.columns import cell_strings, label_text
from svc_nb.panels.parts.grid import LEAST, Field, cells_written
from svc_nb.panels.parts.job_panel import JobRun
from svc_nb.panels.parts.texts import written_text
from svc_nb.panels.translate.plan import Order
from svc_nb.tabular.report import plural
from svc_nb.tabular.text_column import text_array

ALL, PROBLEMS, FOUND, STORED, EDITED = "all", "problems", "findings", "stored", "edited"
SHOWN = (ALL, PROBLEMS, FOUND, DONE, STORED, EDITED, MARKED, SKIPPED, FAILED, UNSENT)
GRAVE = ("error", "warning")
BEST = 100.0  # of a score
NOTABLE = 3.0  # points of a score that are worth a remark
# Remarks for the parts of a score that lower it.
UNUSUAL = {
    "length": "unusual length",
    "script": "letters of another script",
    "translated": "words as in the source",
    "kept": "other numbers, codes or tags",
    "signs": "other punctuation",
}
CAPITALS = 20  # width in characters for NOT TRANSLATED, which is in capitals
MAY_BE_EMPTY = ("score", "reason", "findings")  # columns that are left out if they are empty
STATUS_WORDS = {"open": "waiting", MARKED: "NOT TRANSLATED", UNSENT: "not sent"}
SKIPPED_WORDS = {
    "missing": "empty",
    "blank": "empty",
    "no_letters": "without letters",
    "emoji": "emoji only",
    "url": "web address only",
    "email": "e-mail address only",
    "same_language": "in that language already",
    "protected": "with nothing to translate",
}
UNSENT_WORDS = {
    "budget": "over the budget",
    "interrupted": "cancelled",
    "quota": "quota exhausted",
    "error": "the run ended with an error",
    "store": "the store failed",
}
REASON_WORDS = {
    **SKIPPED_WORDS,
    **UNSENT_WORDS,
    LOST: "protected parts were lost",
    NO_TRANSLATOR: "there is no translator for the pair, so the text was only marked",
    GLOSSARY_LACKS_PAIR: "without the glossary: it has no terms for this pair",
    LANGUAGE_UNKNOWN: "without the glossary: the language of the text is unknown",
    EDITED: "edited by you",
}
NO_FINDINGS = pd.DataFrame(columns=["place", "position", "severity", "code", "message", "replacement", "advice"])
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Results:
    """`table` has the source, text, status, reason and cost for every column, target and row; its index is 0, 1, 2, …

    `found` has findings by row position; `scores` has the score of each row, or a missing value, and `unusual` what
    else lowers it most, by position.
    """

    table: pd.DataFrame
    found: pd.DataFrame = field(default_factory=lambda: NO_FINDINGS)
    scores: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    unusual: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not len(self.scores):
            object.__setattr__(self, "scores", np.full(len(self.table), np.nan))

    @classmethod
    def of(cls, job: TextJob, frame: pd.DataFrame, order: Order) -> Results:
        """The results so far of *job*, which was made from *frame* for *order*."""
        told = job.table().reset_index(drop=True)
        rows, targets = len(frame), len(order.targets)
        labels: Any = frame.index.to_numpy()
        if not pd.api.types.is_integer_dtype(frame.index.dtype) or isinstance(frame.index, pd.MultiIndex):
            labels = text_array([label_text(label) for label in frame.index])  # to be shown and sorted
        sources: list[Any] = []
        for label in order.columns:
            sources += cell_strings(frame[label]) * targets
        table = told.assign(
            row=labels.take(np.tile(np.arange(rows), len(order.columns) * targets)),
            column=np.repeat(np.array([label_text(label) for label in order.columns], dtype=object), rows * targets),
            source=text_array(sources),
            reason=told["reason"].mask(told["translator"].eq(PERSON).fillna(False), EDITED),
        )
        first = ["row", "column", "target_lang", "source", "text", "status", "reason"]
        return cls(table[[*first, *(name for name in told.columns if name not in first)]])

    @cached_property
    def shown(self) -> pd.DataFrame:
        """The table with the findings of each row in a few words, and its score."""
        words = np.full(len(self.table), "", dtype=object)
        codes: dict[int, dict[str, None]] = {}
        for place, code in zip(self.found["place"].tolist(), self.found["code"].tolist(), strict=True):
            codes.setdefault(place, {})[code.replace("_", " ")] = None
        for place, some in codes.items():
            words[place] = ", ".join(some)
        reasons = self.table["reason"].copy()
        for place, why in self.unusual.items():
            if not isinstance(reasons.iat[place], str):
                reasons.iat[place] = why
        return self.table.assign(reason=reasons, findings=words, score=self.scores)

    @property
    def findings(self) -> pd.DataFrame:
        """A line for each finding, with the row, column and target language that it is about."""
        told = self.found.drop(columns="place").reset_index(drop=True)
        if not len(told):
            return told
        where = self.table[["row", "column", "target_lang"]].iloc[self.found["place"].to_numpy(dtype=int)]
        return pd.concat([where.reset_index(drop=True), told], axis=1)

    def written(self, rows: int) -> list[tuple[str, ...]]:
        """The cells of the first *rows*, as shown."""
        some = self.shown.head(rows)
        return list(zip(*(cells_written(some[each.name], each) for each in self.fields), strict=True))

    def count(self, kind: str) -> int:
        """The number of rows of a kind."""
        return int(self._mask(kind).sum())

    def only(self, kind: str, at_most: float | None = None) -> pd.DataFrame:
        """The rows of a kind, one of `SHOWN`, with a score of *at_most*, once there are scores."""
        mask = self._mask(kind)
        if at_most is not None and not np.isnan(self.scores).all():
            mask &= self.scores <= at_most
        return self.shown if mask.all() else self.shown[mask]

    def without(self, places: Sequence[int], before: Results) -> Results:
        """This table with the findings of *before*, the same rows earlier, except those about *places*."""
        scores = before.scores.copy()
        scores[list(places)] = np.nan
        found = before.found[~before.found["place"].isin(places)]
        return replace(self, found=found, scores=scores, unusual=before.unusual)

    def _mask(self, kind: str) -> Mask:
        if kind == ALL:
            return np.ones(len(self.table), dtype=bool)
        if kind in (DONE, MARKED, SKIPPED, FAILED, UNSENT):
            return self._is(kind)
        if kind == STORED:
            return np.asarray(self.table["from_store"].fillna(False), dtype=bool) & self._is(*ANSWERED)
        if kind == EDITED:
            return np.asarray(self.table["reason"].eq(EDITED).fillna(False), dtype=bool)
        found = self.found if kind == FOUND else self.found[self.found["severity"].isin(GRAVE)]
        mask = np.zeros(len(self.table), dtype=bool)
        mask[found["place"].to_numpy(dtype=np.intp)] = True
        return mask

    def _is(self, *statuses: str) -> Mask:
        return np.asarray(self.table["status"].isin(statuses), dtype=bool)

    @cached_property
    def marks(self) -> dict[Any, str]:
        """The styles of rows, by position."""
        marks = dict.fromkeys(np.flatnonzero(self._is(SKIPPED)).tolist(), "faded")
        marks |= dict.fromkeys(np.flatnonzero(self._is(MARKED, UNSENT)).tolist(), "warning")
        for severity in ("warning", "error"):
            some = self.found["place"][self.found["severity"] == severity]
            marks |= dict.fromkeys(some.tolist(), severity)
        return marks | dict.fromkeys(np.flatnonzero(self._is(FAILED)).tolist(), "error")

    @cached_property
    def locked(self) -> dict[Any, str]:
        """Why rows have no translation that can be edited, by position."""
        reasons = self.table["reason"]
        return {
            place: f"{NOT_ASKED}{reason_of(_plain(reasons.iat[place]))}"
            for place in np.flatnonzero(self._is(SKIPPED)).tolist()
        }

    @cached_property
    def notes(self) -> dict[Any, str]:
        """Notes on rows in addition to their cells, by position."""
        notes: dict[Any, list[str]] = {}
        for place in np.flatnonzero(self._is(MARKED, FAILED, UNSENT)).tolist():
            status, reason = (_plain(self.table[name].iat[place]) for name in ("status", "reason"))
            notes[place] = [f"{status_of(status)}: {reason_of(reason)}"]
        for place, message in zip(self.found["place"].tolist(), self.found["message"].tolist(), strict=True):
            notes.setdefault(place, []).append(message)
        return {place: "; ".join(lines) for place, lines in notes.items()}

    @cached_property
    def every_field(self) -> list[Field]:
        """The columns that can be shown; those with the same value in every row are left out."""
        kind = "number" if pd.api.types.is_integer_dtype(self.table["row"].dtype) else "text"
        named = {"column": "Column", "target_lang": "Into"}
        told = [name for name in named if self.table[name].nunique() > 1]
        capitals = CAPITALS if self.count(MARKED) else 0  # or as wide as its words
        into = "" if "target_lang" in told or not len(self.table) else f" ({self.table['target_lang'].iat[0]})"
        return [
            Field("row", "Row", written_text, kind=kind),
            *(Field(name, named[name], written_text, kind="text") for name in told),
            Field("source", "Source", written_text, kind="text", wide=60, least=20),
            Field("text", f"Translation{into}", written_text, kind="text", editable=True, wide=60, least=20),
            Field("score", "Score", score_of, lowest_first=True),
            Field("status", "Status", status_of, kind="text", spare=2, wide=capitals, least=capitals or LEAST),
            Field("reason", "Reason", reason_of, kind="text", spare=1),
            Field("findings", "Findings", written_text, kind="text", least=10),
        ]

    @cached_property
    def fields(self) -> list[Field]:
        """The columns that have something to show."""
        shown = self.shown
        empty = {name for name in MAY_BE_EMPTY if not (shown[name].notna() & shown[name].ne("")).any()}
        return [each for each in self.every_field if each.name not in empty]

    def name(self, place: int) -> str:
        """A row in a few words; values that are the same in every row are left out."""
        if place not in self.table.index:
            raise ValueError(f"place: expected a row of panel.table, from 0 to {len(self.table) - 1}, found {place!r}")
        told = [
            f"{self.table[name].iat[place]}" for name in ("column", "target_lang") if self.table[name].nunique() > 1
        ]
        return ", ".join([f"row {self.table['row'].iat[place]}", *told])

    def detail(self, place: int) -> dict[str, Any]:
        """A row with its full texts, for display."""
        cells = {name: _plain(self.table[name].iat[place]) for name in self.table.columns}
        facts = [f"{status_of(cells['status'])}{', from the store' if cells['from_store'] else ''}"]
        if cells["reason"]:
            facts.append(reason_of(cells["reason"]))
        if cells["status"] in ANSWERED and not cells["from_store"]:
            facts.append(f"{plural(cells['billed_characters'], 'character')} billed")
        if cells["http_status"]:
            facts.append(f"HTTP {cells['http_status']}")
        if not np.isnan(self.scores[place]):
            unusual = f" ({self.unusual[place]})" if place in self.unusual else ""
            facts.append(f"score {score_of(self.scores[place])}{unusual}")
        if cells["trace_id"]:
            facts.append(f"trace {cells['trace_id']}")
        some = self.found[self.found["place"] == place]
        return {
            "place": place,
            "head": f"Row {cells['row']}, {cells['column']} into {cells['target_lang']}",
            "source": cells["source"],
            "text": cells["text"],
            "locked": place in self.locked,
            "languages": [str(cells[name] or "").lower() for name in ("detected_source_lang", "target_lang")],
            "facts": " · ".join(facts),
            "findings": some[["severity", "message", "replacement", "advice"]].to_dict("records"),
        }


def check_results(
    results: Results,
    order: Order,
    terms: pd.DataFrame | None = None,
    *,
    blocks: Iterable[int],
    stopped: Callable[[], bool] = lambda: False,
) -> Results:
    """*results* with the findings and scores of finished rows; failed and skipped rows are not checked.

    A block has the rows of one column and target. *terms* are the terms that the translations should follow.
    """
    rows = len(results.table) // max(1, len(order.columns) * len(order.targets))
    looked = sorted(blocks) if rows else []
    kept = ~(results.found["place"] // max(1, rows)).isin(looked)
    found, scores, unusual = [results.found[kept]], results.scores.copy(), dict(results.unusual)
    for block in looked:
        if stopped():
            break
        span = slice(block * rows, (block + 1) * rows)
        part = results.table.iloc[span]
        done = part["status"] == DONE
        named, seen = order.options.get("source_lang"), part["detected_source_lang"].dropna().unique()
        source_lang = str(seen[0]) if len(seen) == 1 else None  # the one detected for all, unless one was given
        if isinstance(named, str) and base_code(named):
            source_lang = named
        source, text, target_lang = (
            part["source"].where(done),
            part["text"].where(done),
            str(part["target_lang"].iat[0]),
        )
        glossary = terms if source_lang else None
        looked_at = checked(source, text, source_lang, target_lang, chosen(None, None), glossary=glossary)
        some_found = looked_at.table().rename(columns={"row": "place"})
        found.append(some_found)
        scored = score_table(source, text, source_lang=source_lang, target_lang=target_lang, found=looked_at.found)
        # A person's wording needs no review, unless there is a problem in it.
        problems = some_found.loc[some_found["severity"].isin(GRAVE), "place"]
        fine = part["reason"].eq(EDITED).fillna(False) & done & ~part.index.isin(problems)
        scores[span] = scored["score"].mask(fine.to_numpy(dtype=bool), BEST)
        unusual = {place: why for place, why in unusual.items() if place // rows != block}
        unusual |= {block * rows + at: why for at, why in unusual_parts(scored).items() if not fine.iat[at]}
    some = [table for table in found if len(table)]
    whole = pd.concat(some, ignore_index=True).sort_values("place", kind="stable") if some else NO_FINDINGS
    return replace(results, found=whole, scores=scores, unusual=unusual)


def unusual_parts(scored: pd.DataFrame) -> dict[int, str]:
    """What lowers the scores most besides findings, in words, by the positions of rows worth a remark."""
    lost = np.column_stack([(BEST - scored[name]) * WEIGHTS["part", name] for name in UNUSUAL]).astype(float)
    lost[np.isnan(lost)] = 0.0
    words = tuple(UNUSUAL.values())
    return {int(at): words[lost[at].argmax()] for at in np.flatnonzero(lost.max(axis=1) >= NOTABLE)}


def replied(report: RunReport) -> int:
    """The rows that the service has answered or refused in this run, because saved answers take no time."""
    return report.finished - report.unsent.total() - report.skipped.total() - report.stored


def settled(report: RunReport) -> int:
    """The rows that have an answer, failed or were skipped; rows not sent are not done."""
    return report.finished - report.unsent.total()


def status_of(cell: Any) -> str:
    """The status of a row, in a plain word."""
    return STATUS_WORDS.get(cell, written_text(cell))


def reason_of(cell: Any) -> str:
    """A reason in words; messages from the service stay as they are."""
    return REASON_WORDS.get(cell, written_text(cell))


def score_of(cell: Any) -> str:
    """A score with its decimal place."""
    return "" if cell is None or np.isnan(cell) else f"{cell:.1f}"


def _plain(cell: Any) -> Any:
    if pd.isna(cell):
        return None
    return cell.item() if isinstance(cell, np.generic) else cell


EVERY = 0.25
SELDOM = 3.0
SHARE = 10  # making tables may take a tenth of the time
SPAN = 10.0
FIRST = 0.5


class Pace:
    """The speed of a run, from the service's answers in the last seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()

    def note(self, answered: int, *, paused: bool = False) -> None:
        """*answered* rows have an answer by now; while *paused*, earlier measurements are dropped."""
        now = self._clock()
        if paused:
            self._seen.clear()
        self._seen.append((now, answered))
        while len(self._seen) > 2 and now - self._seen[0][0] > SPAN:
            self._seen.popleft()

    @property
    def rate(self) -> float | None:
        """Rows per second; None if it is too early to say."""
        if len(self._seen) < 2:
            return None
        (first, before), (last, after) = self._seen[0], self._seen[-1]
        return (after - before) / (last - first) if last - first >= FIRST else None

    def left(self, rows: int) -> float | None:
        """How many seconds another *rows* rows will take; None if not known."""
        return rows / self.rate if self.rate else None


class TranslateRun(JobRun):
    """A job for *order*, made from *frame* and planned, but not started before `start`.

    *told* is called with "progress", "table", "end" and "findings", which are then in `report`, `results` and
    `problem`. *spent* is the number of characters that earlier runs used from the budget, *billed_before* the number
    billed in the runs it continues.
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        order: Order,
        *,
        told: Callable[[Any, str], None],
        spent: int = 0,
        billed_before: int = 0,
    ) -> None:
        super().__init__(told)
        self.frame = frame
        self.order = order
        left = order.after(spent)
        self.job: TextJob = left.job(frame)
        self.plan = left.job(frame).plan(price=order.price)
        self.report: RunReport = self.job.progress
        self.pace = Pace()
        self.results: Results | None = None
        self.billed_before = billed_before
        self.paused = False
        self.over = False  # whether its final table was reported
        self._ended = False  # whether its final table is ready
        self._unchecked = set(range(len(order.columns) * len(order.targets)))
        self._swap = threading.Lock()  # held while the results are replaced

    def start(self) -> None:
        """Start; returns at once."""
        started(self.job)
        super().start()

    @property
    def going(self) -> bool:
        """Whether it is running, or its final table is still being made."""
        return super().going or not self._ended

    @property
    def cut_short(self) -> bool:
        """Whether a person cancelled it before everything was sent."""
        return self.cancelled and bool(self.report.unsent["interrupted"])

    @property
    def made_of(self) -> pd.DataFrame:
        """The columns it translates, as they were when it started."""
        return self.frame[list(self.order.columns)]

    @property
    def again(self) -> int:
        """How many rows can be retried: failed or not sent, except those over the budget or impossible to send."""
        report = self.report
        left = report.rows - report.answered - report.skipped.total()
        return max(0, left - self.plan.failed - report.unsent["budget"])

    @property
    def billed(self) -> int:
        """The characters billed so far, including those of the runs it continues."""
        return self.billed_before + self.report.billed

    @property
    def spent(self) -> int:
        """The characters it has used from the budget so far."""
        return self.report.billed + self.report.unclear

    def pause(self, wanted: bool) -> None:
        """Send nothing new, or continue."""
        self.paused = wanted
        (self.job.pause if wanted else self.job.resume)()

    def cancel(self) -> None:
        """Stop as soon as requests in progress are answered."""
        super().cancel()
        self.paused = False

    @property
    def state(self) -> str:
        """Its state for a meter: "running", "paused", "done", "stopped" by a person, or "failed"."""
        if self.going:
            return "paused" if self.paused else "running"
        report = self.report
        if report.error is not None or self.problem is not None or (report.failed and not report.answered):
            return "failed"
        return "stopped" if report.unsent.total() else "done"

    def follow(self) -> None:
        """Follow it to its end, and check the results."""
        due = time.monotonic() + SELDOM
        while not self.job.wait(EVERY):
            self._count()
            if time.monotonic() >= due and not self._leaving:
                begun = time.monotonic()
                self._tabled()
                if self.problem is None:
                    self._tell("table")
                due = time.monotonic() + max(SELDOM, SHARE * (time.monotonic() - begun))
        self._count()
        self._tabled()
        self._ended = True
        self._tell("end")
        if self.results is None or self.problem is not None or self._leaving:
            return
        self.over = True
        try:
            self.check()
        except Exception as problem:
            self.problem = problem
        self._tell("findings")

    @property
    def checked(self) -> bool:
        """Whether all results are checked."""
        return not self._unchecked

    def check(self) -> None:
        """Check rows that were not checked yet, or were edited since; in the calling thread."""
        while self.results is not None and not self._leaving:
            with self._swap:
                results, blocks = self.results, set(self._unchecked)
            if not blocks:
                return
            looked = check_results(results, self.order, self._terms, blocks=blocks, stopped=lambda: self._leaving)
            with self._swap:
                if self.results is results and not self._leaving:  # otherwise it was edited in the meantime
                    self.results = looked
                    self._unchecked -= blocks

    @cached_property
    def _terms(self) -> pd.DataFrame | None:
        """The terms that the translations should follow; an unreadable glossary is not checked."""
        glossary_id: Any = self.order.options.get("glossary_id")
        try:
            return glossaries.pull(glossary_id) if glossary_id else None
        except SvcError:
            return None

    def take_edits(self, places: Sequence[int]) -> None:
        """Update the results for edits in *places*; these are not checked yet."""
        made = Results.of(self.job, self.frame, self.order)
        rows = max(1, len(self.frame))
        with self._swap:
            self.report = self.job.progress
            self.results = made if self.results is None else made.without(places, self.results)
            self._unchecked |= {place // rows for place in places}

    def _count(self) -> None:
        self.report = self.job.progress
        self.pace.note(replied(self.report), paused=self.paused)
        self._tell("progress")

    def _tabled(self) -> None:
        try:
            self.results = Results.of(self.job, self.frame, self.order)
        except Exception as problem:
            self.problem = problem

    @property
    def marked(self) -> set[tuple[str, str]]:
        """The language pairs that have no translator, so that texts were only marked."""
        return self.job.marked if isinstance(self.job, TranslationJob) else set()

    @cached_property
    def without_effect(self) -> str:
        """A line about options that had no effect; each option is reported once per session."""
        return self.job.session.client.ignored_options.said()
