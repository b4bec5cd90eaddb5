"""The rows of a file, block after block through one run, in which every different text is asked for once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from svc_nb.cli.files.coded import Coded
from svc_nb.cli.known import Came, Known, Seen
from svc_nb.columns.relay import Leg, Relay
from svc_nb.columns.summary import PlanSummary, together
from svc_nb.columns.tally import Tally
from svc_nb.engine.outcome import ANSWERED, FAILED, MARKED, SKIPPED, Outcome, Report
from svc_nb.tabular.column import Codes

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.cli.files.table import Block, Table
    from svc_nb.columns.job import TextJob

# How a text came to its results: for each of them its status, the reason for it, and whether it was stored.
Kind = tuple[tuple[str | None, str | None, bool], ...]
MOST_FAILED = 5
TOO_LONG = (FAILED, "too_long", False)
# What would come of it again.
LASTING = (*ANSWERED, SKIPPED, FAILED)
Take = Callable[["Block", Mapping[str, Coded]], None]


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted of a table: `columns` to work on, and what is `added` for each of them.

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


class Piece:
    """The different texts of a block, each with its options where rows have their own, and in how many cells each is.

    `keys` are the texts, or each with its options; `codes` has, for each column of *wish*, the number of every row's
    text, or -1.
    """

    def __init__(self, block: Block, wish: Wish) -> None:
        self.block = block
        numbers: dict[Hashable, int] = {}
        self._options = list(wish.options)
        own = [block.column(name) for name in wish.options.values()]
        self.codes = [_numbered(block.column(name), own, numbers) for name in wish.columns]
        self.keys = list(numbers)
        all_codes = np.concatenate(self.codes)
        self.missing = int((all_codes < 0).sum())
        self.rows: list[int] = np.bincount(all_codes[all_codes >= 0], minlength=len(self.keys)).tolist()
        self.came: list[Came | None] = [None] * len(self.keys)
        self.asked: list[int] = []

    def tally(self, name: str) -> Tally:
        """What is asked for; every text comes with its options."""
        keys: list[Any] = [self.keys[unit] for unit in self.asked]
        rows = [self.rows[unit] for unit in self.asked]
        if not self._options:
            return Tally(keys, rows, name=name)
        texts, *own = zip(*keys, strict=True)
        return Tally(texts, rows, dict(zip(self._options, own, strict=True)), name=name)

    def cells_of(self, units: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The rows in which one of *units* stands, and which it is, column by column."""
        for codes in self.codes:
            for row in np.flatnonzero(np.isin(codes, units)).tolist():
                yield row, int(codes[row])


def _let_go(block: Block, added: Mapping[str, Coded]) -> None:
    """Do nothing with a block."""


class Passage:
    """The rows of *table* through jobs like *job*; *take* gets every block with the cells that are added to it.

    Only *whole* blocks can be written. What was asked for in an earlier block is not asked for again, and is told as
    what it was then. `failed` says where the first cells stand that failed, and why.
    """

    def __init__(
        self, table: Table, wish: Wish, job: TextJob, take: Take = _let_go, *, whole: bool = True
    ) -> None:
        self._table = table
        self._wish = wish
        self._job = job
        self._take = take
        self._whole = whole
        self._known = Known()
        self._seen = Seen()
        self._kinds: list[list[Outcome]] = []
        self._numbers: dict[Kind, int] = {}
        self._cells = table.rows * len(wish.columns) * wish.results
        self.failed: list[tuple[int, str]] = []
        self.run = Relay(self._pieces(), self._leg, self._taken, job.manner, rows=self._cells)

    def plan(self, price: float | None) -> PlanSummary:
        """What it will do and cost; nothing is paid."""
        left = self._job.manner.budget
        none = self._over(Tally([], []), left).plan(price=price)
        plans = [none]
        for piece in self._pieces():
            settled = self._settled(piece)
            plans.append(replace(none, skipped=dict(settled.skipped), failed=settled.failed))
            again = self._seen.has([piece.keys[unit] for unit in piece.asked])
            piece.asked = [unit for unit, seen in zip(piece.asked, again, strict=True) if not seen]
            if not piece.asked:
                continue
            job = self._over(piece.tally(self._name), left)
            plans.append(job.plan(price=price))
            left = None if left is None else left - plans[-1].characters
            self._learn(piece, job)
            self._seen.add(
                [piece.keys[unit] for unit in piece.asked if not self._is_settled(piece.came[unit])]
            )
        return replace(together(plans), rows=self._cells)

    def _is_settled(self, came: Came | None) -> bool:
        """Whether a rule keeps a text from being sent, or it cannot be."""
        return came is not None and all(each.status in (SKIPPED, FAILED) for each in self._kinds[came.kind])

    # ---- the run

    def _pieces(self) -> Iterator[Piece]:
        """The blocks, taken apart, with what is known of them; none is held here while the next one is read."""
        return map(self._piece, self._table.blocks(self._wish.read, whole=self._whole))

    def _piece(self, block: Block) -> Piece:
        piece = Piece(block, self._wish)
        piece.came = [self._known.get(key) for key in piece.keys]
        piece.asked = [unit for unit, came in enumerate(piece.came) if came is None]
        return piece

    def _leg(self, piece: Piece, left: int | None) -> TextJob | None:
        return self._over(piece.tally(self._name), left) if piece.asked else None

    def _taken(self, piece: Piece, job: Leg | None) -> None:
        self.run.count(self._settled(piece))
        if job is not None:
            self.run.count(self._learn(piece, job))
            self._refuse_hopeless()
        self._note_failed(piece)
        self._take(piece.block, self._added(piece))

    def _over(self, tally: Tally, left: int | None) -> TextJob:
        return self._job.over(tally, budget=left)

    @property
    def _name(self) -> str:
        return ", ".join(self._wish.columns)

    def _settled(self, piece: Piece) -> Report:
        """The counts of the cells that nothing is asked for."""
        counts = Report()
        counts.skipped["missing"] = piece.missing * self._wish.results
        kinds = np.array([-1 if came is None else came.kind for came in piece.came], dtype=np.intp)
        known = kinds >= 0
        for kind, rows in enumerate(np.bincount(kinds[known], np.array(piece.rows)[known]).tolist()):
            for outcome in self._kinds[kind]:
                counts.count(outcome, int(rows))
        return counts

    def _learn(self, piece: Piece, job: Leg) -> Report:
        """Take what came of the texts that were asked for, and remember it unless that may change.

        Gives what is to be added to the counts of the job, to which cells are stored that this very run has paid for,
        and done that cannot be written.
        """
        keys = [piece.keys[unit] for unit in piece.asked]
        paid: list[Hashable] = []
        counts = Report()
        results = _results(job.table(), self._wish)
        for unit, key, mine, (texts, outcomes) in zip(
            piece.asked, keys, self._seen.has(keys), results, strict=True
        ):
            if mine:  # what this very run has paid for is in the store by now
                counts.stored -= piece.rows[unit] * sum(stored for _, _, stored in outcomes)
                outcomes = tuple((status, reason, False) for status, reason, _ in outcomes)
            elif any(status in ANSWERED and not stored for status, _, stored in outcomes):
                paid.append(key)
            texts, outcomes = self._held(texts, outcomes, piece.rows[unit], counts)
            piece.came[unit] = came = Came(texts, self._kind(outcomes))
            if all(status in LASTING for status, _, _ in outcomes):
                self._known.put(key, came)
        self._seen.add(paid)
        return counts

    def _held(
        self, texts: tuple[str | None, ...], outcomes: Kind, rows: int, counts: Report
    ) -> tuple[tuple[str | None, ...], Kind]:
        """The results of a text without those that no cell can hold: they have failed, which *counts* is told."""
        longest = self._table.longest
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
        told = texts[len(outcomes) :]
        return (*(text for text, _ in held), *told), tuple(outcome for _, outcome in held)

    def _kind(self, outcomes: Kind) -> int:
        """The number of how texts came to their results."""
        number = self._numbers.setdefault(outcomes, len(self._kinds))
        if number == len(self._kinds):
            self._kinds.append(
                [Outcome(status or "", None, reason, stored) for status, reason, stored in outcomes]
            )
        return number

    def _refuse_hopeless(self) -> None:
        """Raise what is the matter where nothing was done yet and all that failed did so for one reason."""
        counts = self.run.progress
        if counts.failed and not counts.answered and len(counts.causes) == 1 and not self._job.manner.coerce:
            raise next(iter(counts.causes.values()))

    def _note_failed(self, piece: Piece) -> None:
        reasons = {
            kind: outcome.reason or ""
            for kind, outcomes in enumerate(self._kinds)
            for outcome in outcomes
            if outcome.status == FAILED
        }
        if not reasons or len(self.failed) == MOST_FAILED:
            return
        failed = {
            unit: reasons[came.kind] for unit, came in enumerate(piece.came) if came and came.kind in reasons
        }
        found = islice(piece.cells_of(list(failed)), MOST_FAILED - len(self.failed))
        self.failed += [(piece.block.place(row), failed[unit]) for row, unit in found]

    def _added(self, piece: Piece) -> dict[str, Coded]:
        """The cells of the columns that are added."""
        came = cast("list[Came]", piece.came)  # by now something came of all of them
        results = [[each.texts[place] for each in came] for place in range(len(self._wish.added[0]))]
        return {
            name: Coded(codes, texts)
            for codes, names in zip(piece.codes, self._wish.added, strict=True)
            for name, texts in zip(names, results, strict=True)
        }


def _numbered(cells: Coded, options: Sequence[Coded], numbers: dict[Hashable, int]) -> Codes:
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


def _results(table: pd.DataFrame, wish: Wish) -> Iterator[tuple[tuple[str | None, ...], Kind]]:
    """The results of every text with what is told besides, and how it came to them."""
    values = _listed(table["text" if "text" in table else "language"])
    told = [
        [str(cell) if isinstance(cell, float) and cell == cell else None for cell in table[name].tolist()]
        for name in wish.told
    ]
    outcomes = list(
        zip(_listed(table["status"]), _listed(table["reason"]), table["from_store"].tolist(), strict=True)
    )
    texts = len(table) // wish.results
    for place in range(texts):
        yield (*values[place::texts], *(cells[place] for cells in told)), tuple(outcomes[place::texts])


def _listed(column: pd.Series[Any]) -> list[str | None]:
    return [cell if isinstance(cell, str) else None for cell in column.tolist()]
