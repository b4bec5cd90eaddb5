"""The outcome of a text, and of all texts of a run: answers, reasons, counts."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field, replace

import msgspec

from svc_nb.errors import SvcError
from svc_nb.marked import PSEUDO
from svc_nb.signatures import hides

DONE = "done"
MARKED = "marked"
SKIPPED = "skipped"
FAILED = "failed"
UNSENT = "unsent"
ANSWERED = (DONE, MARKED)
# The translator of an answer that a person replaced with their own wording.
PERSON = "person"


# Structs, because a column makes hundreds of thousands of them, and these are made ten times as fast as dataclasses.
class TextAnswer(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The service's answer to one text; fields that an operation does not have are None."""

    text: str | None = None
    language: str | None = None
    billed: int | None = None
    model: str | None = None
    trace_id: str | None = None

    @property
    def marked(self) -> bool:
        """Whether the text was only marked with the target language, because no translator has the language pair."""
        return self.model == PSEUDO


# The store recognises it by its `detection_status`, which is therefore written even if it is None.
class DetectedLanguage(TextAnswer, frozen=True, gc=False, omit_defaults=False):
    """The language that the service detected for one text, and the confidence."""

    detection_status: str | None = None
    confidence: float | None = None
    best_guess: str | None = None
    second_guess: str | None = None
    second_confidence: float | None = None
    script: str | None = None


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """The outcome of one text: `status` is one of the words above, `billed` what this run was charged for it.

    `reason` says why in one word or line; for a finished text it says what differs from the request.
    """

    status: str
    answer: TextAnswer | None = None
    reason: str | None = None
    from_store: bool = False
    billed: int = 0
    http_status: int | None = None
    trace_id: str | None = None

    @property
    def answered(self) -> bool:
        """Whether there is an answer, translated or marked."""
        return self.status in ANSWERED

    @classmethod
    def of_error(cls, status: str, error: SvcError, reason: str | None = None) -> Outcome:
        """The outcome of a text that *error* kept from being answered."""
        said = ": ".join(part.rstrip(". ") for part in (error.message, error.detail) if part)
        why = said if reason is None else reason
        return cls(status, reason=why, http_status=error.status, trace_id=error.trace_id)


SUMMED = (
    *("rows", "unique", "done", "marked", "stored", "failed", "skipped", "unsent"),
    *("requests", "refused", "retried", "billed", "unclear"),
)


@hides("count", "left", "plus")
@dataclass(slots=True)
class RunReport:
    """The counts of a run, updated while it runs.

    Rows are rows of the table, so a text in five rows counts five times, except in `unique`, `requests` and `billed`.
    `marked` rows were not translated, because no translator has the language pair. `skipped` and `unsent` are by
    reason. `unclear` are characters that the service may have billed for answers that never came or were incomplete.
    `waiting` says what the run waits for and how long, if more than two seconds. `error` ended the run; `causes` has an
    error for each reason of a failed row.
    """

    stage: str = ""
    rows: int = 0
    unique: int = 0
    done: int = 0
    marked: int = 0
    stored: int = 0
    failed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    unsent: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    refused: int = 0
    retried: int = 0
    billed: int = 0
    unclear: int = 0
    in_flight: int = 0
    waiting: str = ""
    started: float = field(default_factory=time.monotonic, repr=False)
    ended: float | None = field(default=None, repr=False)
    stopped: str | None = None
    error: BaseException | None = field(default=None, repr=False)
    causes: dict[str, SvcError] = field(default_factory=dict, repr=False)

    @property
    def finished(self) -> int:
        """The rows whose outcome is known."""
        return self.done + self.marked + self.failed + self.unsent.total() + self.skipped.total()

    @property
    def answered(self) -> int:
        """The rows that have an answer: done, or only marked."""
        return self.done + self.marked

    @property
    def finished_well(self) -> bool:
        """Whether no row failed or was left unsent."""
        return not self.failed and not self.unsent.total()

    @property
    def wall_seconds(self) -> float:
        """The time from start to end, or to now."""
        return (self.ended or time.monotonic()) - self.started

    def count(self, outcome: Outcome, rows: int) -> None:
        """Count *rows* rows with this *outcome*."""
        if outcome.status in ANSWERED:
            self.done += rows if outcome.status == DONE else 0
            self.marked += rows if outcome.status == MARKED else 0
            self.stored += rows if outcome.from_store else 0
        elif outcome.status == FAILED:
            self.failed += rows
        else:
            by_reason = self.skipped if outcome.status == SKIPPED else self.unsent
            by_reason[outcome.reason or ""] += rows

    def left(self) -> Outcome:
        """The outcome of a text that was not sent before the run ended."""
        if isinstance(self.error, SvcError):
            return Outcome.of_error(UNSENT, self.error, self.stopped)
        return Outcome(UNSENT, reason=self.stopped)

    def plus(self, other: RunReport) -> RunReport:
        """The sum of this run and a later one; it is running, or ended, like the later one."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in SUMMED}
        return replace(
            other,
            **sums,
            started=self.started,
            stopped=self.stopped or other.stopped,
            error=self.error or other.error,
            causes={**other.causes, **self.causes},
        )
