"""The translate panel itself: choose, see what it costs, run it, look at what came of it, and take it over.

1. What is chosen is an `Order`. On every change it is planned anew in a thread, a moment later; nothing is paid.
2. A run takes a copy of the columns and plans it once more. If that costs more than was shown, it does not begin.
3. The run is followed in a thread of its own: the meter often, the table seldom, the checks at the end.
4. What is done is in the store whatever happens; the panel adds it to the frame only when it is told to.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from svc_nb.columns.options import Fields
from svc_nb.panels import files
from svc_nb.panels.additions import Additions
from svc_nb.panels.columns import written
from svc_nb.panels.panel import PATIENCE
from svc_nb.panels.translate import saved, speech
from svc_nb.panels.translate.layout import Layout, State
from svc_nb.panels.translate.order import Order
from svc_nb.panels.translate.planning import Planning
from svc_nb.panels.translate.results import NO_FINDINGS
from svc_nb.panels.translate.run import Run
from svc_nb.signatures import hides, shows
from svc_nb.tabular.disk import replace_file
from svc_nb.tabular.report import plural
from svc_nb.tracebacks import verbs

if TYPE_CHECKING:
    from svc_nb.columns.job import TextJob
    from svc_nb.columns.summary import PlanSummary


ADVICE = "Translate again, which pays only for what is new, or take panel.result."


@dataclass(frozen=True)
class Prepared:
    """A job that can begin, the columns that it was made of, what it will cost, and what it cost already."""

    job: TextJob
    frame: pd.DataFrame
    order: Order
    plan: PlanSummary
    spent: int = 0


@hides("layout", "listing", "order", "texts")
@verbs
class Translate(Planning):
    """A panel that translates columns of a frame: see what it costs, run it, look at the result, take it over.

    Whatever a click does, a method does too. Nothing is paid for before `run`; what is done is kept in the store, so
    that it is not paid for again. `wait` waits until a run has ended and was checked; the notebook is free meanwhile.

    Parameters
    ----------
    df
        A frame, or a column. A frame is not changed before `add_columns`.
    columns, target_lang
        What to begin with, one or several of each; both can be chosen in the panel.
    price
        What a million characters cost, to see the cost.
    keep_texts
        Whether a saved notebook keeps the first rows of the result; without, it keeps counts only.
    options
        What `df.svc.translate` takes: source_lang, formality, protect, budget, reporting_tag, context, model_type, …;
        and `glossary` and `style`, by name or id.
    """

    @shows(Fields.__annotations__)
    def __init__(
        self,
        df: Any,
        columns: Any = None,
        target_lang: Any = None,
        *,
        price: float | None = None,
        keep_texts: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(df)
        self.keep_texts = keep_texts
        self.layout = Layout(self)
        self.controls, self.listing = self.layout.controls, self.layout.listing
        self.box = self.layout.box
        self._run: Run | None = None
        self._starting = self._replacing = self._closing = False
        self._last_words = ""
        self._added = Additions(self.texts.frame, advice=ADVICE)
        self.refresh()
        if columns is None and len(self.texts.columns) == 1:
            columns = [self.texts.columns[0].label]
        self.choose(columns, target_lang, price=price, **options)
        self._listen()
        self.listing.kinds.observe(lambda change: self._clicked(self.show_problems, change.new), "value")

    # ---- what a person can do

    def run(self) -> Translate:
        """Translate what is chosen, in the background. If it costs more than the plan said, it does not begin."""
        with self._lock:
            self._free()
            order, promised = self._order, self._plan
            if not order.whole:
                raise ValueError("choose at least one column and one language first")
            self._starting = True
            self._show_state()
            self._do(lambda: self._prepared(order), lambda made: self._begin(made, promised))
        return self

    def pause(self) -> Translate:
        """Send nothing new; what is on its way is answered and kept."""
        return self._steer(lambda run: run.pause(True))

    def resume(self) -> Translate:
        """Go on after `pause`."""
        return self._steer(lambda run: run.pause(False))

    def cancel(self) -> Translate:
        """End the run as soon as what is on its way has been answered; what is done is kept."""
        return self._steer(lambda run: run.cancel())

    def retry_failed(self) -> Translate:
        """Try the rows again that failed or were not sent; what is done is not paid for again.

        The budget holds for the run and its retries together.
        """
        with self._lock:
            self._free()
            run = self._ended()
            if not run.again:
                raise ValueError("no row failed that could be sent: there is nothing to try again")
            self._starting = True
            self._show_state()
            self._do(lambda: _again(run), lambda made: self._begin(made, None))
        return self

    def show_problems(self, kind: str = "problems") -> Translate:
        """Show only the rows of a kind: "problems", "failed", "unsent" or "findings"; "all" shows all of them."""
        with self._lock, self._quietly():
            if self.listing.results is None:
                raise ValueError("there is no result yet: run() makes one")
            self.listing.show(self.listing.results, kind)
        return self

    def add_columns(self, *, replace: bool = False) -> list[Hashable]:
        """Add the translations to the frame, in columns such as "title_DE"; gives their names.

        Raises ValueError where the frame has such a column already, or one that was changed since it was added, unless
        *replace* is said; and where its rows and texts are no more those that were translated.
        """
        with self._lock:
            if not self.texts.is_frame:
                raise ValueError("a column has no place for more columns: take panel.result")
            run = self._ended()
            made_of = run.frame[list(run.order.columns)]
            names = self._added.put(run.job.partial(), made_of=made_of, replace=replace)
            self._replacing = False
            self._say(f"Added to the frame: {_named(names)}.{self._gaps(run)}")
            self._frame_changed()
        return names

    def remove_columns(self) -> list[Hashable]:
        """Take the columns out of the frame that were added last, and bring back what they replaced."""
        with self._lock:
            names = self._added.take_out()
            self._say(f"Taken out of the frame again: {_named(names)}.")
            self._frame_changed()
        return names

    def export(self, path: str | PathLike[str]) -> Path:
        """Write the rows that are shown to a file, .csv or .xlsx; a file that is there is replaced."""
        place = Path(path)
        replace_file(place, self._bytes(place.suffix.lower().removeprefix(".")))
        return place

    def download(self, form: str) -> None:
        """Have the browser save the rows that are shown, as "csv" or "xlsx"."""
        self.line.download(f"translations.{form}", self._bytes(form), kind=files.KINDS[form])

    def wait(self, timeout: float | None = PATIENCE) -> bool:
        """Wait until all is done and shown: a plan, and a run with its checks; False where *timeout* is too short."""
        end = None if timeout is None else time.monotonic() + timeout

        def left() -> float | None:
            return None if end is None else max(0.0, end - time.monotonic())

        ready = self._turns.wait(left())
        run = self._run
        return ready and (run is None or run.wait(left())) and self._latest.wait(left())

    def close(self) -> None:
        """End the panel. A run is cancelled and what is on its way waited for; nothing that was paid for is lost."""
        with self._lock:
            self._closing, run = True, self._run
        if run is not None:
            run.leave(PATIENCE)
        super().close()

    # ---- what came of it

    @property
    def job(self) -> TextJob | None:
        """The job of the last run."""
        return self._run.job if self._run else None

    @property
    def table(self) -> pd.DataFrame:
        """What came of every cell so far: row, column, target, source, text, status, reason, findings, …"""
        results = self.listing.results
        return pd.DataFrame() if results is None else results.shown

    @property
    def findings(self) -> pd.DataFrame:
        """What looks wrong: a line for each finding, with row, column and target."""
        results = self.listing.results
        found = NO_FINDINGS if results is None else results.found
        where = (
            self.table[["row", "column", "target_lang"]].iloc[found["place"].to_numpy(dtype=int)]
            if len(found)
            else None
        )
        rest = found.drop(columns="place").reset_index(drop=True)
        return rest if where is None else pd.concat([where.reset_index(drop=True), rest], axis=1)

    @property
    def result(self) -> pd.DataFrame:
        """The translations so far, row by row, in columns such as "title_DE"; gaps where nothing is done."""
        if self._run is None:
            raise ValueError("there is no result yet: run() makes one")
        made: pd.DataFrame = self._run.job.partial()
        return made

    # ---- the run

    def _prepared(self, order: Order) -> Prepared:
        frame = self.texts.taken(order.columns, *map(order.options.get, ("source_lang", "context")))
        return Prepared(order.job(frame), frame, order, order.job(frame).plan(price=order.price))

    def _begin(self, made: Prepared, promised: PlanSummary | None) -> None:
        """Begin, unless it costs more by now than was *promised*."""
        self._starting = False
        if self._closing:
            return
        if promised is not None and made.plan.characters > promised.characters:
            self._show_plan(made.plan)
            self._say(speech.dearer(made.plan, promised), "change")
            return
        counts = {"hopeless": made.plan.failed, "spent": made.spent}
        self._run = Run(made.job, made.frame, made.order, told=self._heard, **counts)
        self._replacing = False
        self.listing.choose(None)
        self._say("Translating … The notebook is free meanwhile, and what is done is kept.")
        self._run.start()
        self._show_state()

    def _heard(self, run: Run, what: str) -> None:
        """Show what is new about a run; called in its thread."""
        with self._lock:
            if run is not self._run:
                return
            try:
                {"progress": self._show_progress, "end": self._show_end}.get(what, self._show_results)(run)
            except Exception as problem:
                self._tell(problem)

    def _show_progress(self, run: Run) -> None:
        self.layout.show_run(run)
        self._show_state()

    def _show_results(self, run: Run) -> None:
        if run.results is not None:
            with self._quietly():
                self.listing.show(run.results)
        self._show_state()
        if not run.going:
            self._say_end(run)
            self._settled()

    def _show_end(self, run: Run) -> None:
        self._show_results(run)
        self._replan()

    def _say_end(self, run: Run) -> None:
        """Say how it ended; what a person did since then is not talked over by the checks."""
        if run.problem is not None:
            self._tell(run.problem)
        elif not run.reviewed or self.line.text == self._last_words:
            self._say_how(run)
            self._last_words = self.line.text

    def _say_how(self, run: Run) -> None:
        error = run.report.error
        said = [speech.ended(run.report, cancelled=run.cancelled, again=run.again), speech.marked(run.marked)]
        said.append(run.without_effect)
        said.append(
            speech.found(run.results.found) if run.reviewed and run.results else "Looking for what is wrong …"
        )
        self._say(" ".join(filter(None, said)), "error" if error is not None else "info")
        self.problem = error if isinstance(error, Exception) else None

    def _steer(self, deed: Callable[[Run], None]) -> Translate:
        with self._lock:
            if self._run is None or not self._run.going:
                raise ValueError("no run is under way")
            deed(self._run)
            self._show_progress(self._run)
        return self

    def _free(self) -> None:
        if self._closing:
            raise ValueError("this panel is closed: make another one")
        if self._starting or (self._run is not None and self._run.going):
            raise ValueError("a run is under way: wait for it, or cancel it")

    def _ended(self) -> Run:
        if self._run is None:
            raise ValueError("there is no result yet: run() makes one")
        return self._run

    def _failed(self, problem: Exception) -> None:
        self._starting = False
        self._tell(problem)
        self._show_state()

    # ---- the frame, the buttons, and what stays

    def _go_clicked(self) -> None:
        """Begin, if what it costs stands there: a click may come while that is worked out anew."""
        if self._plan is not None:
            self.run()
        elif self.layout.figures.busy:
            self._say(
                "Nothing was sent: what it costs is worked out anew. Look at it and press again.", "change"
            )
            self._about_plan = True

    def _keep_clicked(self) -> None:
        """Leave the columns that are there as they are."""
        self._replacing = False
        self._say("Nothing was replaced.")
        self._show_state()

    def _add_clicked(self) -> None:
        """Add the columns; where some are there already, ask first."""
        there = self._added.there(list(self.result.columns))
        if there and not self._replacing:
            self._replacing = True
            self._say(f"The frame has {_named(there)} already. Really replace what stands there?", "change")
            self._show_state()
            return
        self.add_columns(replace=bool(there))

    def _gaps(self, run: Run) -> str:
        report = run.report
        left = report.rows - report.done - report.marked - report.skipped.total()
        return f" {plural(left, 'cell')} are empty: they failed or are not done." if left > 0 else ""

    def _frame_changed(self) -> None:
        self.texts.look()
        self._show_controls()
        self._show_state()
        self._settled()

    def _show_state(self) -> None:
        state = State(
            plan=self._plan,
            run=self._run,
            starting=self._starting,
            replacing=self._replacing,
            can_add=self.texts.is_frame,
            added=bool(self._added),
            current=self._run is not None and self._run.order is self._order,
        )
        self.layout.show_state(state)

    def _bytes(self, form: str) -> bytes:
        if form not in ("csv", "xlsx"):
            raise ValueError(f"expected a file that ends in .csv or .xlsx, found {form[:20]!r}")
        rows = self.listing.rows
        if not rows.shape[1]:
            raise ValueError("there is no result yet: run() makes one")
        return files.csv(rows) if form == "csv" else files.xlsx(rows, "Translations")

    def _ready(self) -> None:
        """What is waited for before it is shown: the plan, not the run."""
        self._turns.wait(PATIENCE)
        self._latest.wait(PATIENCE)

    def _stays(self) -> dict[str, Any]:
        results = self.listing.results if self.keep_texts else None
        page = saved.page(self.line, figures=self.layout.figures.figures, results=results)
        return {"text/plain": repr(self), "text/html": page}


def _again(run: Run) -> Prepared:
    """The job of a run once more, with what is left of its budget, and with the session that is current now."""
    run.job.again()  # puts what is done into the store
    order, budget = run.order, run.order.options.get("budget")
    if budget is not None:
        order = order.with_options(budget=max(0, budget - run.spent))
    plan = order.job(run.frame).plan(price=order.price)
    return Prepared(order.job(run.frame), run.frame, run.order, plan, run.spent)


def _named(names: list[Hashable]) -> str:
    shown = ", ".join(map(written, names[:8]))
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"
