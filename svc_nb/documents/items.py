"""One file on its way through a job: its known state for display, and the tables of many files."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.advice import Call, Option
from svc_nb.documents.files import billed, readable
from svc_nb.documents.storage import FETCHED, UNDER_WAY, DocumentRecord, Storage
from svc_nb.marked import PSEUDO, no_translator
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import text_array
from svc_nb.wire.models import DocumentOptions

# The statuses of a document in a table; "queued", "translating" and "error" are the service's words.
WAITING, UPLOADING, QUEUED, TRANSLATING = "waiting", "uploading", "queued", "translating"
READY, DOWNLOADING, DONE, MARKED = "ready", "downloading", "done", "marked"
ERROR, REFUSED, SKIPPED, LOST, ELSEWHERE = "error", "refused", "skipped", "lost", "elsewhere"
ENDED = frozenset((DONE, MARKED, ERROR, REFUSED, SKIPPED, LOST))
# There is an output file: a translation, or texts that were only marked.
WRITTEN = frozenset((DONE, MARKED))
BAD = frozenset((ERROR, REFUSED, LOST))

COLUMNS = (
    *("path", "document_id", "status", "translator", "seconds_remaining", "billed_characters"),
    *("error", "output"),
)
PLAN_COLUMNS = (
    *("path", "target_lang", "kind", "size", "status", "characters", "billed_before"),
    *("error", "output"),
)
PENDING_COLUMNS = (
    *("path", "target_lang", "document_id", "status", "translator", "seconds_remaining", "billed_characters"),
    *("error", "output", "sent", "at_work", "address"),
)
WHOLE_NUMBERS = ("seconds_remaining", "billed_characters", "size", "characters", "billed_before")
# The statuses in a plan, where nothing is sent yet.
PLANNED = {WAITING: "to send"}
TO_FETCH = "to fetch"

# The shares of upload, translation and download in a document's progress.
UPLOAD, TRANSLATION = 0.15, 0.75


@dataclass(eq=False, slots=True)
class Item:
    """A file with its state so far; one thread writes, others may read at any time.

    `walked`: the file was found in a folder. `identity` is empty if there is nothing to send. `paid`: this job has
    fetched it.
    """

    path: Path
    target_lang: str
    options: DocumentOptions
    output: Path
    label: Hashable = None
    walked: bool = False
    size: int = 0
    digest: str = ""
    identity: str = ""
    status: str = WAITING
    error: str | None = None
    document_id: str | None = None
    seconds_remaining: int | None = None
    billed_characters: int | None = None
    translator: str | None = None
    marked_characters: int = 0
    small_texts: int = 0
    kept_texts: int = 0
    risky_formulas: int = 0
    risky_cells: str = ""
    source_lang: str | None = None
    paid: bool = False
    moved: int = 0
    length: int | None = None
    _since: float | None = None
    _heard: float = field(default=0.0)

    @classmethod
    def of_record(cls, record: DocumentRecord, output: Path) -> Item:
        """A document that is in progress, wherever its source is now."""
        item = cls(Path(record.path), record.target_lang, record.asked_options, output)
        item.size, item.digest, item.identity = record.size, record.digest, record.identity
        item.take(record)
        return item

    def take(self, record: DocumentRecord) -> None:
        """Take the state of the document from its record."""
        self.document_id = record.document_id
        self.billed_characters = record.billed_characters
        self.seconds_remaining = record.seconds_remaining
        self.translator = record.translator
        self.marked_characters = record.marked_characters or 0
        self.small_texts, self.kept_texts = record.small_texts or 0, record.kept_texts or 0
        self.risky_formulas, self.risky_cells = record.risky_formulas or 0, record.risky_cells or ""
        self.source_lang = record.detected_lang

    def make(self, other: Item) -> None:
        """Its translation is done, like that of *other*, which has the same content."""
        self.document_id, self.seconds_remaining = other.document_id, None
        self.translator, self.source_lang = other.translator, other.source_lang
        self.marked_characters = other.marked_characters
        self.small_texts, self.kept_texts = other.small_texts, other.kept_texts
        self.risky_formulas, self.risky_cells = other.risky_formulas, other.risky_cells
        self.status = MARKED if self.marked_characters else DONE
        self.error = "; ".join(filter(None, (self.untranslated, self.too_small, self.unchanged, self.risky))) or None

    @property
    def billed(self) -> int | None:
        """The characters that this job was billed for it; None if it has no result."""
        if self.paid:
            return self.billed_characters
        return 0 if self.status in (DONE, MARKED, ERROR) else None

    @property
    def ending(self) -> str:
        """The ending in small letters, without the dot: what kind of document it is."""
        return self.path.suffix[1:].lower()

    @property
    def pair(self) -> tuple[str, str]:
        """The source and target language; the first is empty if unknown."""
        return (self.source_lang or self.options.source_lang or "").upper(), self.target_lang.upper()

    @property
    def untranslated(self) -> str | None:
        """Says that the document or a part of it was not translated; None if all of it was."""
        if not self.marked_characters:
            return None
        part = "" if self.translator == PSEUDO else f"{plural(self.marked_characters, 'character')} "
        return f"{part}NOT TRANSLATED: {no_translator([self.pair])}"

    @property
    def too_small(self) -> str | None:
        """Says which texts of a pdf did not fit at a readable size; None if all do."""
        if not self.small_texts:
            return None
        many = f"{plural(self.small_texts, 'text')} did not fit and {'are' if self.small_texts > 1 else 'is'}"
        return f"{many} too small to read; {Option('output_format', 'docx')} has room for every text"

    @property
    def unchanged(self) -> str | None:
        """Says how many texts of a workbook were left unchanged because formulas use them; None if none were."""
        if not self.kept_texts:
            return None
        return f"{plural(self.kept_texts, 'text')} not translated, so that formulas give the same results"

    @property
    def risky(self) -> str | None:
        """Says which formulas of a workbook may now give other results; None if none do."""
        if not self.risky_formulas:
            return None
        shown = self.risky_cells + (" …" if self.risky_formulas > self.risky_cells.count(", ") + 1 else "")
        what = ("formula compares translated texts", "formulas compare translated texts")
        return f"{plural(self.risky_formulas, *what)} in ways that may give other results ({shown})"

    def fail(self, status: str, error: str) -> None:
        """Record why there is no translation."""
        self.status, self.error, self.seconds_remaining = status, error, None

    def hear(self, status: str, seconds_remaining: int | None) -> None:
        """Record the status that the service reported."""
        now = time.monotonic()
        self._since = self._since or now
        self._heard = now
        self.status, self.seconds_remaining = status, seconds_remaining

    def move(self, status: str, count: int, length: int | None) -> None:
        """Record that this many bytes of *length* were sent or received."""
        self.status, self.moved, self.length = status, count, length

    @property
    def fraction(self) -> float:
        """The progress, from 0 to 1; 1 once it has ended."""
        if self.status in ENDED:
            return 1.0
        moved = min(1.0, self.moved / self.length) if self.length else 0.0
        if self.status == UPLOADING:
            return UPLOAD * moved
        if self.status in (READY, DOWNLOADING):
            return UPLOAD + TRANSLATION + (1 - UPLOAD - TRANSLATION) * moved
        if not self._since:
            return 0.0
        if self.status != TRANSLATING or self.seconds_remaining is None:
            return UPLOAD
        # The share of the time that has passed, by the service's own estimate.
        now = time.monotonic()
        passed, left = now - self._since, max(0.0, self.seconds_remaining - (now - self._heard))
        return UPLOAD + TRANSLATION * (min(0.99, passed / (passed + left)) if passed else 0.0)


def untranslated(found: Iterable[Item]) -> str:
    """How many of *found* had no translator, and for which languages, in one line; "" if there are none."""
    marked = [each for each in found if each.status == MARKED]
    whole = sum(each.translator == PSEUDO for each in marked)
    parts = [f"{whole:,} NOT TRANSLATED"] if whole else []
    parts += [f"{len(marked) - whole:,} NOT TRANSLATED in part"] if len(marked) > whole else []
    return f"{', '.join(parts)}: {no_translator(each.pair for each in marked)}" if marked else ""


def results_table(found: Sequence[Item]) -> Report:
    """A row for each file, in order, with its result."""
    rows = []
    for each in found:
        place = str(each.output) if each.status in WRITTEN else None
        heard = (each.translator, each.seconds_remaining, each.billed)
        rows.append((str(each.path), each.document_id, each.status, *heard, each.error, place))
    counts = Counter(each.status for each in found)
    billed = sum(each.billed or 0 for each in found)
    said = ", ".join(f"{count:,} {status}" for status, count in counts.items())
    left = untranslated(found)
    remarks = sum(bool(each.too_small or each.unchanged or each.risky) for each in found)
    said = f"{said}; {plural(billed, 'character')} billed.{left and f' {left}.'}" if said else "There are no files."
    said += f" The column error has a remark on {plural(remarks, 'document')}." if remarks else ""
    return Report(_table(rows, COLUMNS, [each.label for each in found]), said)


def plan_table(found: Sequence[Item], storage: Storage) -> Report:
    """A row for each file: what would be done with it."""
    rows, counted = [], set[str]()
    for each in found:
        status = PLANNED.get(each.status, each.status)
        before = storage.find(each.identity) if each.identity else None
        record = before if each.status == WAITING and each.document_id else None
        if before is not None and each.status == WAITING and storage.is_held(each.identity):
            status = ELSEWHERE
        elif record is not None and record.stage in (*UNDER_WAY, FETCHED):
            status = TO_FETCH  # it is in progress, or translated and only copied
        place = None if status in BAD | {SKIPPED} else str(each.output)
        kind, cost, paid = each.ending or None, None, None
        if before is not None and status in (PLANNED[WAITING], DONE, MARKED, LOST):
            paid = 0 if each.identity in counted else before.billed_characters
        if status == DONE:
            counted.add(each.identity)
        if status in (PLANNED[WAITING], TO_FETCH, LOST, ELSEWHERE):
            copied = each.identity in counted or (record is not None and record.stage == FETCHED)
            cost = 0 if copied else (status == TO_FETCH and each.billed_characters) or billed(each.path)
            counted.add(each.identity)
        rows.append((str(each.path), each.target_lang, kind, each.size, status, cost, paid, each.error, place))
    table = _table(rows, PLAN_COLUMNS, [each.label for each in found])
    counts = Counter(table["status"])
    size = sum(row[3] for row in rows if row[4] == PLANNED[WAITING])
    said = ", ".join(f"{count:,} {status}" for status, count in counts.items())
    return Report(table, f"{said or 'Nothing'}; {readable(size)} would be sent.")


def pending_table(records: Sequence[DocumentRecord], storage: Storage) -> Report:
    """A row for each document that is running or not fetched yet."""
    rows = []
    for each in records:
        heard = (each.status, each.translator, each.seconds_remaining, each.billed_characters)
        sent, at_work = datetime.fromtimestamp(each.created, UTC), storage.is_held(each.identity)
        names = (each.path, each.target_lang, each.document_id)
        rows.append((*names, *heard, each.error, each.output, sent, at_work, each.address))
    table = _table(rows, PENDING_COLUMNS, list(range(len(rows))))
    said = f"{plural(len(rows), 'document')} not fetched yet; {Call('documents.resume')} continues with them."
    return Report(table, said if rows else "No documents are in progress.")


def _table(rows: Sequence[tuple[Any, ...]], columns: Sequence[str], labels: Sequence[Any]) -> pd.DataFrame:
    cells: dict[str, Any] = {name: [row[place] for row in rows] for place, name in enumerate(columns)}
    for name, values in cells.items():
        if name in WHOLE_NUMBERS:
            cells[name] = pd.array(values, dtype="Int64")
        elif name == "sent":
            cells[name] = pd.to_datetime(pd.Series(values, dtype=object), utc=True).array
        else:
            cells[name] = np.array(values, dtype=bool) if name == "at_work" else text_array(values)
    return pd.DataFrame(cells).set_axis(pd.Index(labels) if labels else pd.RangeIndex(0), axis=0)


def without_translation(found: Sequence[Item]) -> list[Item]:
    """The documents that failed for a reason other than a missing translator."""
    return [each for each in found if each.error and each.status not in (SKIPPED, *WRITTEN)]
