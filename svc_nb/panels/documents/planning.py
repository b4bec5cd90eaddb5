"""The first half of the documents panel: files and options come together and are planned; nothing is sent for that."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Self

import pandas as pd

from svc_nb import documents
from svc_nb.documents.files import KINDS, source_files
from svc_nb.documents.outputs import is_own_output
from svc_nb.panels.documents import board, speech
from svc_nb.panels.documents.inbox import Inbox
from svc_nb.panels.documents.layout import Layout
from svc_nb.panels.documents.offer import DocumentOffer
from svc_nb.panels.documents.order import Order
from svc_nb.panels.documents.papers import REFUSED, Papers, rows_of
from svc_nb.panels.panel import PATIENCE, Panel
from svc_nb.session import current
from svc_nb.tabular.report import Report

PAUSE = 0.15
OUT = "translated"
DROPPED = "dropped"
BUSY = "Files are on their way: wait for them, or cancel."
ANY = "EN"  # stands for a language where none is chosen yet
KEEP: Any = object()
PathOf = str | PathLike[str]


class Planning(Panel, ABC):
    """A panel to which files come and in which options are chosen, and which tells what that will do and cost.

    On every change it is planned anew in a thread, a moment later. The other half says whether files are on their way.
    """

    layout: Layout

    def __init__(self, order: Order, out: PathOf | None) -> None:
        super().__init__()
        self._order = order
        self._out = None if out is None else Path(out).absolute()
        self._home = Path.cwd() / OUT
        self._papers = Papers()
        self._offer = DocumentOffer()
        self._inbox = Inbox(Path(current().settings.documents_path).parent / DROPPED)
        self._plan: Report | None = None
        self._asked = 0
        self._closed = False
        self._trouble: Exception | None = None  # the service did not say what it has to offer

    # ---- what a person can do

    def add(self, files: PathOf | Sequence[PathOf]) -> int:
        """Add files: a folder with all below it, a file, or a list of them. How many are new.

        Translations that went to a folder are not taken for its documents.
        """
        with self._lock:
            found = source_files(files, target_lang=self._order.target or ANY, options={})
            own = self._out or self._home
            new = [
                self._papers.add(each.path, root=each.root)
                for each in found
                if not is_own_output(each, out=own)
            ]
            self._changed()
            return sum(each is not None for each in new)

    def remove(self, numbers: Sequence[int] | None = None) -> int:
        """Take files out of the list, by their numbers in `table`, or all; of those that were dropped the files go."""
        with self._lock:
            if self._going:
                raise ValueError(BUSY)
            gone = self._papers.drop([each.number for each in self._papers] if numbers is None else numbers)
            for each in gone:
                if each.dropped:
                    self._inbox.remove(each.path)
            self._changed()
            return len(gone)

    def choose(self, target_lang: Any = KEEP, **options: Any) -> Self:
        """Choose the language and options; what is not given stays, and an option that is None is taken back."""
        with self._lock:
            if self._going:
                raise ValueError(BUSY)
            order = self._order if target_lang is KEEP else self._order.with_target(target_lang)
            self._take_order(order.with_options(**options))
            return self

    def plan(self, timeout: float | None = PATIENCE) -> Report:
        """What would be done with each file, by its number; waits until that is known. Nothing is sent."""
        self._turns.wait(timeout)
        self._latest.wait(timeout)
        with self._lock:
            if self._plan is None:
                lacks = speech.lacking(self._papers, self._order.target)
                raise self.problem or ValueError(lacks or "The files are not checked yet.")
            return self._plan

    @property
    def table(self) -> pd.DataFrame:
        """The files by their numbers.

        Columns: `file, kind, size, status, translator, progress, left, characters, error, output, path`.
        """
        with self._lock:
            return self._papers.table

    @property
    def out(self) -> Path:
        """The folder that translations go to, on the kernel's machine."""
        return self._out or self._home / (self._order.target or "")

    # ---- files from the browser

    def _received(self, name: str, path: Path) -> None:
        with self._lock:
            self._papers.add(path, dropped=True)
            self._changed()

    def _refused(self, why: str) -> None:
        self.layout.drop.tell_also(why)

    # ---- what is chosen

    @property
    def _unfit(self) -> dict[str, str]:
        return self._offer.unfit(self._order.options, self._order.target, self._papers.kinds)

    def _wanted(self, papers: Sequence[Any]) -> tuple[pd.DataFrame, dict[str, Any]]:
        """*papers* as a table, and the options for all of them."""
        options = self._order.fitting(self._unfit)
        frame = self._papers.frame(papers, options)
        rest = {name: value for name, value in options.items() if name not in frame.columns}
        return frame, {**rest, "target_lang": self._order.target, "out": self.out}

    def _chosen(self) -> None:
        self._take_order(self.layout.controls.order(self._order))

    def _take_order(self, order: Order) -> None:
        self._order, self._trouble = order, None
        self._unsettle()
        self._changed()

    def _unsettle(self) -> None:
        with self._lock:
            for each in self._papers:
                each.settled = False

    def _offered(self, answer: DocumentOffer | Exception) -> None:
        """Offer what the service has, or say why that is not known."""
        if isinstance(answer, Exception):
            self._trouble = answer
            self._tell(answer)
            return
        self._offer, self._trouble = answer, None
        self._changed()

    # ---- the plan

    def _changed(self) -> None:
        self._show()
        self._replan()

    def _replan(self, *, quietly: bool = False) -> None:
        """Find out what would be done with the files, a moment later; the latest counts.

        *quietly*, the line goes on speaking of what it speaks of.
        """
        if self._going or self._closed:
            return
        self._asked += 1
        self._plan = None
        self.layout.question.drop()
        papers = [each for each in self._papers if not each.resumed]
        if not papers or not self._order.target:
            self._latest.drop()
            self._show_state()
            if not quietly:
                self._say_plan(speech.lacking(self._papers, self._order.target))
            return
        work = partial(self._planned, *self._wanted(papers), number=self._asked)
        self._find(work, partial(self._take_plan, quietly=quietly))

    def _planned(self, frame: pd.DataFrame, options: dict[str, Any], *, number: int) -> Report | None:
        time.sleep(PAUSE)  # whoever goes on choosing wants no plan of what was chosen on the way
        return documents.plan(frame, **options) if number == self._asked else None

    def _take_plan(self, plan: Report | None, *, quietly: bool) -> None:
        if plan is None or self._going:
            return
        if self._made_way(plan):
            self._replan(quietly=quietly)
            return
        self._plan = plan
        for label, row in rows_of(plan):
            if label in self._papers and not self._papers[label].settled:
                self._papers[label].plan(row)
        if not quietly:
            self._say_plan(speech.planned(self._papers, self.out))
        self._show()

    def _made_way(self, plan: Report) -> bool:
        """Give files that were dropped other names where something else has theirs in `out`; whether any got one."""
        refused = [
            label for label, row in rows_of(plan) if row["status"] == REFUSED and label in self._papers
        ]
        dropped = [self._papers[label] for label in refused if self._papers[label].dropped]
        taken = {each.stem.casefold() for each in self.out.iterdir()} if self.out.is_dir() else set()
        moved = [each for each in dropped if each.path.stem.casefold() in taken]
        for each in moved:
            self._papers.move(each, self._inbox.rename(each.path, taken))
        return bool(moved)

    def _say_plan(self, text: str) -> None:
        """Speak of the plan, unless there is something worse to tell."""
        if self._trouble is not None:
            self._tell(self._trouble)
        elif text:
            self._say(text)

    # ---- what is shown

    def _show(self) -> None:
        with self._quietly():
            self.layout.controls.show(self._order, self._offer, self._papers.kinds)
        self.layout.hint(speech.unfit(self._unfit) if self._offer.targets else "")
        self._show_files()

    def _show_files(self) -> None:
        board.show_files(self.layout.grid, self._papers, home=self._home.parent)
        self._show_state()
        self._settled()

    def _words(self, problem: Exception) -> str:
        return speech.problem(problem, self._papers)

    @property
    @abstractmethod
    def _going(self) -> bool:
        """Whether files are on their way."""

    @abstractmethod
    def _show_state(self) -> None:
        """Have the buttons follow what is known."""


def limit(suffix: str) -> int:
    """The bytes that a file may have on the plan of the current session's key."""
    key = current().settings.api_key
    free = key is not None and key.reveal().endswith(":fx")
    return KINDS[suffix.removeprefix(".")].largest(free=free)
