"""The rows of a file, block after block through one run, in which every different text is asked for once."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from svc_nb.columns.chunked import ChunkedRun
from svc_nb.columns.job import ChunkJob
from svc_nb.columns.selection import CountedTexts
from svc_nb.columns.summary import PlanSummary, together
from svc_nb.engine.outcome import ANSWERED, FAILED, MARKED, SKIPPED, Outcome, RunReport
from svc_nb.tabular.streaming.table import Block, CodedCells, Table, Write
from svc_nb.tabular.text_column import Codes

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.columns.job import TextJob

# How a text came to its results: for each of them its status, the reason for it, and whether it was stored.
Kind = tuple[tuple[str | None, str | None, bool], ...]
MOST_FAILED = 5
TOO_LONG = (FAILED, "too_long", False)
# What would come of it again.
LASTING = (*ANSWERED, SKIPPED, FAILED)
# What a cached result weighs besides its texts, and what all of them may weigh together, in bytes, about.
ENTRY = 500
MOST = 1 << 26


@dataclass(frozen=True, slots=True)
class NewColumns:
    """The columns that are `added` to a table, for each of the `columns` that they are made from.

    `added` has a name for each result of a text, and then for each of `told`, which the job tells besides, for every
    column. `options` are the columns with each row's own options, by the name of the option.
    """

    columns: Sequence[str]
    added: Sequence[Sequence[str]]
    options: Mapping[str, str] = field(default_factory=dict)
    told: Sequence[str] = ()

    @property
    def results(self) -> int:
        """How many results a text has."""
        return len(self.added[0]) - len(self.told)

    @property
    def made_from(self) -> dict[str, str]:
        """The columns that are added, each with the one that it is made from."""
        pairs = zip(self.columns, self.added, strict=True)
        return {name: column for column, names in pairs for name in names}

    @property
    def read(self) -> list[str]:
        """The columns that must be read."""
        return list(dict.fromkeys((*self.columns, *self.options.values())))


class BlockTexts:
    """The different texts of a block, each with its options where rows have their own, and in how many cells each is.

    `keys` are the texts, or each with its options; `codes` has, for each column of *new*, the number of every row's
    text, or -1. `results` are those that *cache* has by now; the others are `asked` for.
    """

    def __init__(self, block: Block, new: NewColumns, cache: ResultCache) -> None:
        self.block = block
        self._new = new
        numbers: dict[Hashable, int] = {}
        own = [block.column(name) for name in new.options.values()]
        self.codes = [_numbered(block.column(name), own, numbers) for name in new.columns]
        self.keys = list(numbers)
        all_codes = np.concatenate(self.codes)
        self.missing = int((all_codes < 0).sum())
        self.rows: list[int] = np.bincount(all_codes[all_codes >= 0], minlength=len(self.keys)).tolist()
        self.results = [cache.get(key) for key in self.keys]
        self.asked = [unit for unit, result in enumerate(self.results) if result is None]

    def tally(self) -> CountedTexts:
        """What is asked for; every text comes with its options."""
        keys: list[Any] = [self.keys[unit] for unit in self.asked]
        rows = [self.rows[unit] for unit in self.asked]
        name = ", ".join(self._new.columns)
        if not self._new.options:
            return CountedTexts(keys, rows, name=name)
        texts, *own = zip(*keys, strict=True)
        return CountedTexts(texts, rows, dict(zip(self._new.options, own, strict=True)), name=name)


class FileJob:
    """The rows of *table* through jobs like *job*; *take* gets every block with the cells that are added to it.

    Only *whole* blocks can be written. What was asked for in an earlier block is not asked for again, and is told as
    what it was then. `failed` says where the first cells stand that failed, and why.
    """

    def __init__(
        self, table: Table, new: NewColumns, job: TextJob, take: Write | None = None, *, whole: bool = True
    ) -> None:
        self.table = table
        self._new = new
        self._job = job
        self._take = take
        self._whole = whole
        self._cache = ResultCache()
        self._seen = TextSet()
        self._kinds: list[list[Outcome]] = []
        self._numbers: dict[Kind, int] = {}
        self._cells = table.rows * len(new.columns) * new.results
        self.failed: list[tuple[int, str]] = []
        self.run = ChunkedRun(self._blocks(), self._block_job, self._finish, job.options, rows=self._cells)

    def plan(self, price: float | None) -> PlanSummary:
        """What it will do and cost; nothing is paid."""
        left = self._job.options.budget
        none = self._job.over(CountedTexts([], []), budget=left).plan(price=price)
        plans = [none]
        for block in self._blocks():
            settled = self._settled(block)
            plans.append(replace(none, skipped=dict(settled.skipped), failed=settled.failed))
            again = self._seen.has([block.keys[unit] for unit in block.asked])
            block.asked = [unit for unit, seen in zip(block.asked, again, strict=True) if not seen]
            job = self._block_job(block, left)
            if job is None:
                continue
            plans.append(job.plan(price=price))
            left = None if left is None else left - plans[-1].characters
            self._learn(block, job)
            # All but the texts that a rule keeps from being sent, or that cannot be.
            unsent = {
                kind
                for kind, outcomes in enumerate(self._kinds)
                if all(each.status in (SKIPPED, FAILED) for each in outcomes)
            }
            results = [(block.keys[unit], block.results[unit]) for unit in block.asked]
            self._seen.add([key for key, result in results if result is None or result.kind not in unsent])
        return replace(together(plans), rows=self._cells)

    # ---- the run

    def _blocks(self) -> Iterator[BlockTexts]:
        """The blocks, taken apart, with what is known of them; none is held here while the next one is read."""
        blocks = self.table.blocks(self._new.read, whole=self._whole)
        return map(partial(BlockTexts, new=self._new, cache=self._cache), blocks)

    def _block_job(self, block: BlockTexts, left: int | None) -> TextJob | None:
        """The job for what is asked for, with *left* of the budget; None if that is nothing."""
        return self._job.over(block.tally(), budget=left) if block.asked else None

    def _finish(self, block: BlockTexts, job: ChunkJob | None) -> None:
        """Count the outcome of a block, and hand it on; raise where there is no hope for the others."""
        self.run.count(self._settled(block))
        if job is not None:
            self.run.count(self._learn(block, job))
            counts = self.run.progress
            # Nothing was done yet, and all that failed did so for one reason.
            if counts.failed and not counts.answered and len(counts.causes) == 1 and not self._job.options.coerce:
                raise next(iter(counts.causes.values()))
        self._note_failed(block)
        if self._take is None:
            return
        came = cast("list[TextResult]", block.results)  # by now something came of all of them
        results = [[each.texts[place] for each in came] for place in range(len(self._new.added[0]))]
        added = {
            name: CodedCells(codes, texts)
            for codes, names in zip(block.codes, self._new.added, strict=True)
            for name, texts in zip(names, results, strict=True)
        }
        self._take(block.block, added)

    def _settled(self, block: BlockTexts) -> RunReport:
        """The counts of the cells that nothing is asked for."""
        counts = RunReport()
        counts.skipped["missing"] = block.missing * self._new.results
        kinds = np.array([-1 if came is None else came.kind for came in block.results], dtype=np.intp)
        known = kinds >= 0
        for kind, rows in enumerate(np.bincount(kinds[known], np.array(block.rows)[known]).tolist()):
            for outcome in self._kinds[kind]:
                counts.count(outcome, int(rows))
        return counts

    def _learn(self, block: BlockTexts, job: ChunkJob) -> RunReport:
        """Take the outcome of the texts that were asked for, and remember it; gives what corrects the job's counts."""
        keys = [block.keys[unit] for unit in block.asked]
        paid: list[Hashable] = []
        counts = RunReport()
        results = _results(job.table(), self._new)
        for unit, key, mine, (texts, outcomes) in zip(block.asked, keys, self._seen.has(keys), results, strict=True):
            if mine:  # what this very run has paid for is in the store by now
                counts.stored -= block.rows[unit] * sum(stored for _, _, stored in outcomes)
                outcomes = tuple((status, reason, False) for status, reason, _ in outcomes)
            elif any(status in ANSWERED and not stored for status, _, stored in outcomes):
                paid.append(key)
            texts, outcomes = self._without_too_long(texts, outcomes, block.rows[unit], counts)
            kind = self._numbers.setdefault(outcomes, len(self._kinds))
            if kind == len(self._kinds):
                self._kinds.append([Outcome(how or "", None, reason, stored) for how, reason, stored in outcomes])
            block.results[unit] = came = TextResult(texts, kind)
            if all(status in LASTING for status, _, _ in outcomes):
                self._cache.put(key, came)
        self._seen.add(paid)
        return counts

    def _without_too_long(
        self, texts: tuple[str | None, ...], outcomes: Kind, rows: int, counts: RunReport
    ) -> tuple[tuple[str | None, ...], Kind]:
        """The results of a text without those that no cell can hold: they have failed, which *counts* is told."""
        longest = self.table.longest
        if longest is None:
            return texts, outcomes
        held: list[tuple[str | None, Any]] = []
        for text, outcome in zip(texts, outcomes, strict=False):
            if text is None or len(text) <= longest:
                held.append((text, outcome))
                continue
            held.append((None, TOO_LONG))
            if outcome[0] == MARKED:
                counts.marked -= rows
            else:
                counts.done -= rows
            counts.failed += rows
            counts.stored -= rows * outcome[2]
        return (*(text for text, _ in held), *texts[len(outcomes) :]), tuple(outcome for _, outcome in held)

    def _note_failed(self, block: BlockTexts) -> None:
        """Remember where the first cells stand that failed, and why."""
        reasons = {
            kind: outcome.reason or ""
            for kind, outcomes in enumerate(self._kinds)
            for outcome in outcomes
            if outcome.status == FAILED
        }
        if not reasons or len(self.failed) == MOST_FAILED:
            return
        results = enumerate(block.results)
        failed = {unit: reasons[each.kind] for unit, each in results if each and each.kind in reasons}
        for codes in block.codes:
            rows = np.flatnonzero(np.isin(codes, list(failed)))[: MOST_FAILED - len(self.failed)]
            self.failed += [(block.block.places[row], failed[codes[row]]) for row in rows.tolist()]


def _numbered(cells: CodedCells, options: Sequence[CodedCells], numbers: dict[Hashable, int]) -> Codes:
    """The number of every row's text, or of text and options; those that are new get one in *numbers*."""
    present = cells.codes >= 0
    units, keys = cells.codes[present], [*cells.texts] if not options else [(text,) for text in cells.texts]
    for option in options:
        many, values = len(option.texts) + 1, [None, *option.texts]
        pairs, units = np.unique(units * many + option.codes[present] + 1, return_inverse=True)
        keys = [(*keys[pair // many], values[pair % many]) for pair in pairs.tolist()]
    known = [numbers.setdefault(key, len(numbers)) for key in keys]
    codes = np.full(len(cells.codes), -1, dtype=np.intp)
    codes[present] = np.array(known, dtype=np.intp)[units]
    return codes


def _results(table: pd.DataFrame, new: NewColumns) -> Iterator[tuple[tuple[str | None, ...], Kind]]:
    """The results of every text with what is told besides, and how it came to them."""
    values = _listed(table["text" if "text" in table else "language"])
    told = [
        [str(cell) if isinstance(cell, float) and cell == cell else None for cell in table[name].tolist()]
        for name in new.told
    ]
    outcomes = list(zip(_listed(table["status"]), _listed(table["reason"]), table["from_store"].tolist(), strict=True))
    texts = len(table) // new.results
    for place in range(texts):
        yield (*values[place::texts], *(cells[place] for cells in told)), tuple(outcomes[place::texts])


def _listed(column: pd.Series[Any]) -> list[str | None]:
    return [cell if isinstance(cell, str) else None for cell in column.tolist()]


# ---- what is known of texts that stood in earlier blocks, without keeping all of them in memory


class TextResult(NamedTuple):
    """The outcome of a text: a result for each language that it goes into, and the number of how it came to these."""

    texts: tuple[str | None, ...]
    kind: int


class ResultCache:
    """The outcome of texts; of too many of them, those that were not asked for in a long time are forgotten."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most // 2
        self._young: dict[Hashable, TextResult] = {}
        self._old: dict[Hashable, TextResult] = {}
        self._weight = 0

    def get(self, key: Hashable) -> TextResult | None:
        """The outcome of a text, if that is known."""
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: Hashable, came: TextResult) -> None:
        """Remember the outcome of a text."""
        self._young[key] = came
        # What the entry takes in memory, in bytes, about: the text, and all that came of it.
        texts = (*key, *came.texts) if isinstance(key, tuple) else (key, *came.texts)
        self._weight += ENTRY + sum(map(sys.getsizeof, texts))
        if self._weight > self._most:
            self._old, self._young, self._weight = self._young, {}, 0


class TextSet:
    """A set of texts of which only eight bytes each are kept."""

    def __init__(self) -> None:
        self._parts: list[npt.NDArray[np.int64]] = []

    def add(self, keys: Sequence[Hashable]) -> None:
        """Add texts; those that are there already do no harm."""
        if not keys:
            return
        part = np.unique(_hashes(keys))
        # Each part is more than twice as long as the next, so that there are few of them.
        while self._parts and len(self._parts[-1]) <= 2 * len(part):
            part = np.union1d(self._parts.pop(), part)
        self._parts.append(part)

    def has(self, keys: Sequence[Hashable]) -> list[bool]:
        """Whether each of the texts is there.

        >>> seen = TextSet()
        >>> seen.add(["a", "b"])
        >>> seen.has(["b", "c"])
        [True, False]
        """
        asked = _hashes(keys)
        found = np.zeros(len(asked), dtype=bool)
        for part in self._parts:
            places = np.minimum(np.searchsorted(part, asked), len(part) - 1)
            found |= part[places] == asked
        listed: list[bool] = found.tolist()
        return listed


def _hashes(keys: Sequence[Hashable]) -> npt.NDArray[np.int64]:
    return np.fromiter(map(hash, keys), dtype=np.int64, count=len(keys))
