"""The translate panel: choose, see what it costs, run it, look at what came of it, and take it over.

1. What is chosen is an `Order`. On every change it is planned anew in a thread, a moment later; nothing is paid.
2. A run takes a copy of the columns and plans it once more. If that costs more than was shown, it does not begin.
3. The run is followed in a thread of its own: the meter often, the table seldom, the checks and scores at the end.
4. What a person writes in place of a translation is in the result and in the store at once; it is checked in a thread.
5. What is done is in the store whatever happens; the panel adds it to the frame only when it is told to.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from svc_nb.columns.options import Fields
from svc_nb.columns.selection import source_code
from svc_nb.panels.parts import files
from svc_nb.panels.parts.columns import AddedColumns, TextsByLabel, label_list
from svc_nb.panels.parts.job_panel import KEEP, JobPanel
from svc_nb.panels.parts.offer import Offer
from svc_nb.panels.parts.panel import MOST_KEPT, PATIENCE
from svc_nb.panels.parts.texts import text_of
from svc_nb.panels.parts.worker import Latest
from svc_nb.panels.translate import messages
from svc_nb.panels.translate.edits import Edits
from svc_nb.panels.translate.plan import Order, price_of, targets_of
from svc_nb.panels.translate.run import NO_FINDINGS, TranslateRun
from svc_nb.panels.translate.view import TranslateView, score_limit
from svc_nb.session import current
from svc_nb.signatures import hides, shows
from svc_nb.sync.resources import GLOSSARY, STYLE
from svc_nb.tracebacks import verbs

if TYPE_CHECKING:
    from svc_nb.columns.job import TextJob
    from svc_nb.columns.summary import PlanSummary

ADVICE = "Translate again, which pays only for what is new, or take panel.result."
READY = "Nothing leaves this machine, and nothing is paid, before you press the button."
BUSY = "a run is under way: wait for it, or cancel it"
COUNTS = ("name", "value", "note")  # of a figure
MAY_CHANGE = "this row may still change: edit it when the run is over, or cancel the run"
NO_RESULT = "there is no result yet: run() makes one"


@hides("layout", "listing", "order", "texts")
@verbs
class Translate(JobPanel):
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

    _run: TranslateRun | None = None

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
        super().__init__()
        self.texts = TextsByLabel(df)
        self.keep_texts = keep_texts
        self.layout = TranslateView(self.line, clicked=self._clicked, edit=self.edit, turn=self._turn)
        self.controls, self.listing = self.layout.controls, self.layout.listing
        self.box = self.layout.box
        self._offer = Offer()
        self._order = Order()
        self._plan: PlanSummary | None = None
        self._about_plan = True  # whether it is the plan that the line speaks of
        self._starting = self._replacing = False
        self._last_words = ""
        self._edits = Edits()
        self._checks = Latest()
        self._workers.append(self._checks)
        self._added = AddedColumns(self.texts.frame, advice=ADVICE)
        self.refresh()
        if columns is None and len(self.texts.columns) == 1:
            columns = [self.texts.columns[0].label]
        self.choose(columns, target_lang, price=price, **options)
        self._listen()

    def _listen(self) -> None:
        for control in self.controls.all:
            control.observe(lambda change: self._clicked(self._read_controls), "value")
        self.listing.kinds.observe(lambda change: self._clicked(self.show_problems, change.new), "value")
        self.listing.at_most.observe(lambda change: self._clicked(self.show_problems, self.listing.kind), "value")
        buttons = self.layout.buttons
        for name in ("refresh", "pause", "resume", "cancel"):
            self._on(buttons[name], getattr(self, name))
        self._on_each({buttons["go"]: self._go_clicked, buttons["retry"]: self.retry_failed})
        self._on_each({buttons["add"]: self._add_clicked, buttons["keep"]: self._keep_clicked})
        self._on(buttons["remove"], self.remove_columns)
        for form in ("csv", "xlsx"):
            self._on(buttons[form], self.download, form)

    # ---- what is chosen, and its plan

    def choose(self, columns: Any = KEEP, targets: Any = KEEP, *, price: Any = KEEP, **options: Any) -> Self:
        """Choose in one go; what is not given stays as it is, and an option that is None is taken back.

        Parameters
        ----------
        columns, targets
            One or several of each: labels of columns, codes of languages.
        price
            What a million characters cost.
        options
            As for the panel itself; `glossary` and `style` are names or ids.
        """
        order, spoken = self._order, options.get("source_lang")
        if isinstance(spoken, str) and spoken not in self.texts.frame.columns:
            options["source_lang"] = source_code(spoken, current().client)
        if columns is not KEEP:
            order = replace(order, columns=self.texts.chosen(columns))
        if targets is not KEEP:
            order = replace(order, targets=targets_of(targets))
        if price is not KEEP:
            order = replace(order, price=price_of(price))
        for name, kind in (("glossary", GLOSSARY), ("style", STYLE)):
            if name in options:
                wanted = options.pop(name)
                if wanted is not None:
                    self._turns.wait(PATIENCE)  # until the service has told what there is
                    offered = self._offer.glossaries if kind is GLOSSARY else self._offer.styles
                    wanted = kind.find(wanted, [(each.id, each.name) for each in offered])
                options[f"{name}_id"] = wanted
        self._take_order(order.with_options(**options))
        return self

    def refresh(self) -> Self:
        """Look at the frame again, and ask the service anew for its languages, glossaries and style lists.

        Columns that are gone are no longer chosen.
        """
        with self._lock:
            self.texts.look()
            there = tuple(label for label in self._order.columns if label in self.texts.frame.columns)
            self._order = replace(self._order, columns=there)
        beta = "enable_beta_languages"
        self._do(lambda: Offer.asked(beta=bool(self._order.options.get(beta))), self._offered)
        return self

    @property
    def order(self) -> Order:
        """What is chosen now."""
        return self._order

    def plan(self, timeout: float | None = PATIENCE) -> PlanSummary:
        """What the chosen would do and cost; waits until that is worked out. No text is sent."""
        self._latest.wait(timeout)
        with self._lock:
            if self._plan is None:
                raise self.problem or ValueError(messages.lacking(self._order, len(self.texts.columns)))
            return self._plan

    def _read_controls(self) -> None:
        """Take what the controls say; where that makes no sense, there is no plan either."""
        try:
            self._take_order(self.controls.order(self._order))
        except ValueError as problem:
            self._latest.drop()  # a plan on its way is not of what stands there now
            self._take_plan(problem)

    def _take_order(self, order: Order) -> None:
        with self._lock:
            self._order = order
            self._show_controls()
            self._replan()

    def _offered(self, offer: Offer) -> None:
        self._offer = offer
        self._about_plan |= self.problem is not None
        self._show_controls()
        self._replan()

    def _replan(self) -> None:
        """Work out what the chosen will do and cost, a moment later; the latest counts."""
        order = self._order
        self._plan = None
        if not order.whole:
            self._latest.drop()
            self._show_plan(None)
            return
        self.layout.figures.busy = True
        self._show_buttons()
        self._plan_later(
            lambda: order.job(self.texts.taken(order.columns, order.options)).plan(price=order.price), self._take_plan
        )

    def _take_plan(self, answer: PlanSummary | Exception | None) -> None:
        """Show a plan, or why there is none."""
        with self._lock:
            if isinstance(answer, Exception):
                self._show_plan(None)
                self._tell(answer)
                self._about_plan = True
            else:
                self._show_plan(answer)
            self._settled()

    def _show_plan(self, plan: PlanSummary | None) -> None:
        self._plan = plan
        self.layout.figures.show([] if plan is None else messages.figures(plan))
        self._show_hints()
        self._show_buttons()
        if self._about_plan:
            if plan is None:
                self._say(messages.lacking(self._order, len(self.texts.columns)))
            else:
                self._say(READY if messages.pressed(plan) else messages.nothing(plan))
            self._about_plan = True

    # ---- the run

    def run(self) -> Translate:
        """Translate what is chosen, in the background. If it costs more than the plan said, it does not begin."""
        with self._lock:
            self._check_free(BUSY)
            order, promised = self._order, self._plan
            if not order.whole:
                raise ValueError("choose at least one column and one language first")
            self._starting = True
            self._show_buttons()
            self._do(
                lambda: TranslateRun(self.texts.taken(order.columns, order.options), order, told=self._heard),
                lambda run: self._begin(run, promised),
            )
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

        def again() -> TranslateRun:
            run.job.again()  # puts what is done into the store
            return TranslateRun(run.frame, run.order, told=self._heard, spent=run.spent)

        with self._lock:
            self._check_free(BUSY)
            run = self._last_run()
            if not run.again:
                raise ValueError("no row failed that could be sent: there is nothing to try again")
            self._starting = True
            self._show_buttons()
            self._do(again, lambda run: self._begin(run, None))
        return self

    def wait(self, timeout: float | None = PATIENCE) -> bool:
        """Wait until all is done and shown: a plan, and a run with its checks; False where *timeout* is too short."""
        return self._wait_for_all(timeout) and self._checks.wait(timeout)

    def close(self) -> None:
        """End the panel. A run is cancelled and what is on its way waited for; nothing that was paid for is lost."""
        super().close()

    @property
    def _going(self) -> bool:
        return self._starting or super()._going

    def _last_run(self) -> TranslateRun:
        if self._run is None:
            raise ValueError(NO_RESULT)
        return self._run

    def _begin(self, run: TranslateRun, promised: PlanSummary | None) -> None:
        """Begin, unless it costs more by now than was *promised*."""
        self._starting = False
        if self._closed:
            return
        if promised is not None and run.plan.characters > promised.characters:
            self._show_plan(run.plan)
            self._say(messages.dearer(run.plan, promised), "change")
            return
        if self._run is not None and self._run.job.session is not run.job.session:
            self._edits = Edits()  # they are in the store of another session
        self._run = run
        self._replacing = False
        self.listing.choose(None)
        self._say("Translating … The notebook is free meanwhile, and what is done is kept.")
        run.start()
        self._show_buttons()

    def _steer(self, deed: Callable[[TranslateRun], None]) -> Translate:
        with self._lock:
            if self._run is None or not self._run.going:
                raise ValueError("no run is under way")
            deed(self._run)
            self._show_run(self._run, "progress")
        return self

    def _show_run(self, run: TranslateRun, what: str) -> None:
        if what == "progress":
            self.layout.show_progress(run)
        elif run.results is not None:
            with self._quietly():
                self.listing.show(run.results, turns=self._edits.turns)
        self._show_buttons()
        if what != "progress" and not run.going:
            self._say_end(run)
            self._settled()
        if what == "end":
            self._replan()

    def _say_end(self, run: TranslateRun) -> None:
        """Say how it ended; what a person did since then is not talked over by the checks."""
        if run.problem is not None:
            self._tell(run.problem)
        elif not run.checked or self.line.text == self._last_words:
            error = run.report.error
            said = [
                messages.ended(run.report, cancelled=run.cancelled, again=run.again),
                messages.marked(run.marked),
                run.without_effect,
                messages.found(run.results.found) if run.checked and run.results else "Looking for what is wrong …",
            ]
            self._say(" ".join(filter(None, said)), "error" if error is not None else "info")
            self.problem = error if isinstance(error, Exception) else None
            self._last_words = self.line.text

    def _failed(self, problem: Exception) -> None:
        self._starting = False
        super()._failed(problem)
        self._show_buttons()

    # ---- what came of it

    @property
    def job(self) -> TextJob | None:
        """The job of the last run."""
        return self._run.job if self._run else None

    @property
    def table(self) -> pd.DataFrame:
        """What came of every cell so far: row, column, target, source, text, status, reason, findings, score, …"""
        results = self.listing.results
        return pd.DataFrame() if results is None else results.shown

    @property
    def findings(self) -> pd.DataFrame:
        """What looks wrong: a line for each finding, with row, column and target."""
        results = self.listing.results
        return NO_FINDINGS.drop(columns="place") if results is None else results.findings

    @property
    def result(self) -> pd.DataFrame:
        """The translations so far, row by row, in columns such as "title_DE"; gaps where nothing is done."""
        made: pd.DataFrame = self._last_run().job.partial()
        return made

    def show_problems(self, kind: str = "problems", *, at_most: Any = KEEP) -> Translate:
        """Show only some rows, until others are asked for.

        Parameters
        ----------
        kind
            "problems", "marked", "failed", "unsent" or "findings"; "all" shows all of them.
        at_most
            Show only rows with this score or a lower one; None shows those with any score, and without one.
        """
        with self._lock, self._quietly():
            if self.listing.results is None:
                raise ValueError(NO_RESULT)
            if at_most is not KEEP:
                self.listing.at_most.value = "" if (limit := score_limit(at_most)) is None else f"{limit:g}"
            self.listing.show(self.listing.results, kind)
        return self

    # ---- edits

    def edit(self, place: int, text: str) -> Translate:
        """Use your own wording for a translation, from now on and wherever the same is asked for.

        All rows with the same text, language and options show it, and the store has it; nothing is sent or paid. Raises
        ValueError while a run is going on, where the row was skipped, and where *text* is empty or lacks what is
        protected in the source.

        Parameters
        ----------
        place
            The row of `table`, by its index: that has a row for each row, column and target language.
        text
            Your wording. White space around it follows the source.
        """
        if not isinstance(text, str):
            raise TypeError(f"text: expected a text, found {type(text).__name__}")
        with self._lock:
            run = self._editable()
            name = "" if run.results is None else run.results.name(place)
            if places := self._edits.write(run.job, place, text_of(text), name=name):
                self._show_edit(run, places, messages.edited(len(places)))
        return self

    def undo(self) -> Translate:
        """Take the last edit back: the result and the store have again what they had before it."""
        return self._turn("undo")

    def redo(self) -> Translate:
        """Do again what `undo` took back."""
        return self._turn("redo")

    def _turn(self, word: str) -> Translate:
        with self._lock:
            run = self._editable()
            places = (self._edits.undo if word == "undo" else self._edits.redo)(run.job)
            self._show_edit(run, places, messages.turned(word, len(places)))
        return self

    def _editable(self) -> TranslateRun:
        run = self._last_run()
        self._check_free()
        if self._going or not run.over:  # or its last table is not shown yet
            raise ValueError(MAY_CHANGE)
        return run

    def _show_edit(self, run: TranslateRun, places: list[int], said: str) -> None:
        """Show what was edited at once, and what the checks say of it a moment later."""
        again = run.again
        run.take_edits(places)
        self._show_edits(run)
        if run.again != again:  # there is less to pay, or more
            self._replan()
        self.layout.show_progress(run)
        self._show_buttons()
        self._say(f"{said}{messages.STALE_COLUMNS if self._added else ''}")
        self._find(run.check, lambda _: self._show_edits(run), self._checks)
        self._settled()

    def _show_edits(self, run: TranslateRun) -> None:
        if run is self._run and run.results is not None:
            with self._quietly():
                self.listing.show_edits(run.results, self._edits.turns)

    def add_columns(self, *, replace: bool = False) -> list[Hashable]:
        """Add the translations to the frame, in columns such as "title_DE"; gives their names.

        Raises ValueError where the frame has such a column already, or one that was changed since it was added, unless
        *replace* is said; and where its rows and texts are no more those that were translated.
        """
        with self._lock:
            if not self.texts.is_frame:
                raise ValueError("a column has no place for more columns: take panel.result")
            run = self._last_run()
            made_of = run.frame[list(run.order.columns)]
            names = self._added.put(run.job.partial(), made_of=made_of, replace=replace)
            self._replacing = False
            self._say(messages.added(names, run.report))
            self._frame_changed()
        return names

    def remove_columns(self) -> list[Hashable]:
        """Take the columns out of the frame that were added last, and bring back what they replaced."""
        with self._lock:
            names = self._added.take_out()
            self._say(f"Taken out of the frame again: {label_list(names)}.")
            self._frame_changed()
        return names

    def export(self, path: str | PathLike[str]) -> Path:
        """Write the rows that are shown to a file, .csv or .xlsx; a file that is there is replaced."""
        return files.export(path, self._bytes)

    def download(self, form: str) -> None:
        """Have the browser save the rows that are shown, as "csv" or "xlsx"."""
        self.line.download(f"translations.{form}", self._bytes(form), kind=files.KINDS[form])

    def _bytes(self, form: str) -> bytes:
        if form not in ("csv", "xlsx"):
            raise ValueError(f"expected a file that ends in .csv or .xlsx, found {form[:20]!r}")
        rows = self.listing.rows
        if not rows.shape[1]:
            raise ValueError(NO_RESULT)
        return files.spreadsheet(form, rows, "Translations")

    # ---- clicks

    def _go_clicked(self) -> None:
        """Begin, if what it costs stands there: a click may come while that is worked out anew."""
        if self._plan is not None:
            self.run()
        elif self.layout.figures.busy:
            self._say("Nothing was sent: what it costs is worked out anew. Look at it and press again.", "change")
            self._about_plan = True

    def _add_clicked(self) -> None:
        """Add the columns; where some are there already, ask first."""
        there = self._added.there(list(self.result.columns))
        if there and not self._replacing:
            self._replacing = True
            self._say(f"The frame has {label_list(there)} already. Really replace what stands there?", "change")
            self._show_buttons()
            return
        self.add_columns(replace=bool(there))

    def _keep_clicked(self) -> None:
        """Leave the columns that are there as they are."""
        self._replacing = False
        self._say("Nothing was replaced.")
        self._show_buttons()

    # ---- what is shown, and what stays

    def _say(self, text: str, kind: str = "info") -> None:
        super()._say(text, kind)
        self._about_plan = False

    def _tell(self, problem: Exception) -> None:
        super()._tell(problem)
        self._about_plan = False

    def _show_controls(self) -> None:
        with self._quietly():
            self.controls.show(self._order, self.texts, self._offer)
        self._show_hints()

    def _show_hints(self) -> None:
        """Say what does not fit."""
        misfits = self._offer.misfits(self._order.targets, self._order.options)
        self.layout.show_hints("\n".join(misfits))

    def _frame_changed(self) -> None:
        self.texts.look()
        self._show_controls()
        self._show_buttons()
        self._settled()

    def _show_buttons(self) -> None:
        current = self._run is not None and self._run.order is self._order
        self.layout.show_go(self._plan, busy=self._going, current=current)
        self.layout.show_buttons(
            self._run,
            starting=self._starting,
            replacing=self._replacing,
            can_add=self.texts.is_frame,
            added=bool(self._added),
        )

    def _ready(self) -> None:
        """What is waited for before it is shown: the plan, not the run."""
        self._turns.wait(PATIENCE)
        self._latest.wait(PATIENCE)

    def _stays(self) -> dict[str, Any]:
        results = self.listing.results
        if not self.keep_texts or results is None or not len(results.table):
            return self._kept((), [[each[name] for name in COUNTS] for each in self.layout.figures.figures])
        return self._kept([each.title for each in results.fields], results.written(MOST_KEPT))
