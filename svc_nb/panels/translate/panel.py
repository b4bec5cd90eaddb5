"""The translate panel: choose columns, see the cost, run it, check the results, and add them to the frame.

1. The choices are an `Order`. After every change a new plan is made in a thread, a moment later; nothing is billed.
2. A run copies the columns and plans again. If that costs more than shown, it does not start.
3. A separate thread follows the run: it updates the meter often, the table rarely, and checks and scores at the end.
4. An edited translation is in the result and in the store at once; it is checked in a thread.
5. Finished translations are in the store whatever happens; the panel adds them to the frame only when asked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from svc_nb.columns.options import Fields
from svc_nb.columns.protection import BY_DEFAULT
from svc_nb.columns.selection import source_code
from svc_nb.errors import NotAuthenticated
from svc_nb.panels.parts import files
from svc_nb.panels.parts.columns import (
    AddedColumns,
    TextsByLabel,
    label_list,
    likely,
    remove_question,
)
from svc_nb.panels.parts.job_panel import KEEP
from svc_nb.panels.parts.offer import Offer
from svc_nb.panels.parts.panel import MOST_KEPT, PATIENCE
from svc_nb.panels.translate import messages
from svc_nb.panels.translate.edits import Edits, EditsRows
from svc_nb.panels.translate.plan import Order, price_of, targets_of
from svc_nb.panels.translate.run import FOUND, NO_FINDINGS, PROBLEMS, TranslateRun
from svc_nb.panels.translate.view import TranslateView, score_limit
from svc_nb.session import Session, current, known
from svc_nb.signatures import hides, shows
from svc_nb.sync.resources import GLOSSARY, STYLE
from svc_nb.tabular.report import plural
from svc_nb.tracebacks import verbs

if TYPE_CHECKING:
    from svc_nb.columns.job import TextJob
    from svc_nb.columns.summary import PlanSummary

ADVICE = "Translate again, which only bills new texts, or take panel.result."
READY = "Nothing leaves this machine, and nothing is billed, before you press the button."
RUNNING = "You can keep working in the notebook. Results are saved as they arrive."
CANCELLING = "Cancelling … Waiting for requests in progress; their results are kept."
BUSY = "a run is in progress: wait for it, or cancel it"
COUNTS = ("name", "value", "note")  # of a figure
NO_RESULT = "there is no result yet: run() makes one"


@hides("layout", "listing", "order", "texts")
@verbs
class Translate(EditsRows):
    """A panel that translates columns of a frame: see the cost, run it, check the result, add it to the frame.

    Everything a click does is also a method. Nothing is billed before `run`; finished translations are kept in the
    store, so they are not billed again. `wait` waits until a run has ended and is checked; you can keep working in the
    meantime.

    Parameters
    ----------
    df
        A frame, or a column. A frame is not changed before `add_columns`.
    columns, target_lang
        The initial choice, one or several of each; both can be changed in the panel. By default, the column with the
        longest texts.
    price
        The price of a million characters, to show the cost.
    keep_texts
        Whether a saved notebook keeps the first rows of the result; otherwise it only keeps counts.
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
        self.layout = TranslateView(self.line, clicked=self._clicked, edit=self._edit_clicked, turn=self._turn_clicked)
        self.controls, self.listing = self.layout.controls, self.layout.listing
        self.box = self.layout.box
        self._offer = Offer()
        self._order = Order()
        self._plan: PlanSummary | None = None
        self._about_plan = True  # whether the line is about the plan
        self._starting = False
        self._last_words = ""
        self._spent = 0  # of the budget, by the runs since it was set
        self._offered_by: Session | None = None
        self._refused: Session | None = None  # its key is wrong
        self._added = AddedColumns(self.texts.frame, advice=ADVICE)
        self._meant: Callable[[], Any] = self.add_columns  # what answering yes to the question does
        self.refresh()
        if columns is None and (first := likely(self.texts.columns)):
            columns = [first.label]
        self.choose(columns, target_lang, price=price, **options)
        self._listen()

    def _listen(self) -> None:
        self.box.on_msg(lambda part, message, buffers: self._clicked(self._turn, message["kind"]))
        for control in self.controls.all:
            control.observe(lambda change: self._clicked(self._read_controls), "value")
        self.layout.figures.on_msg(lambda part, message, buffers: self._clicked(self._keep_kind, message["does"]))
        self.listing.facts.observe(lambda change: self._clicked(self.show_problems, change.new), "pressed")
        self.listing.at_most.observe(
            lambda change: self._clicked(partial(self.show_problems, self.listing.kind, at_most=change.new)), "value"
        )
        buttons = self.layout.buttons
        for name in ("refresh", "pause", "resume", "cancel"):
            self._on(buttons[name], getattr(self, name))
        self._on_each({buttons["go"]: self._go_clicked, buttons["retry"]: self.retry_failed})
        self._on_each({buttons["add"]: self._add_clicked, buttons["remove"]: self._remove_clicked})
        self._on_each({buttons["replace"]: lambda: self._meant(), buttons["keep"]: self._keep_clicked})
        for form in ("csv", "xlsx"):
            self._on(buttons[form], self.download, form)

    # ---- choices and plan

    def choose(self, columns: Any = KEEP, targets: Any = KEEP, *, price: Any = KEEP, **options: Any) -> Self:
        """Change several choices at once; whatever is not given stays as it is, and an option that is None is removed.

        Parameters
        ----------
        columns, targets
            One or several of each: labels of columns, codes of languages.
        price
            The price of a million characters.
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
                    self._turns.wait(PATIENCE)  # until the service has answered
                    offered = self._offer.glossaries if kind is GLOSSARY else self._offer.styles
                    wanted = kind.find(wanted, [(each.id, each.name) for each in offered])
                options[f"{name}_id"] = wanted
        self._take_order(order.with_options(**options))
        return self

    def refresh(self) -> Self:
        """Look at the frame again, and ask the service again for its languages, glossaries and style rule lists.

        Columns that no longer exist are deselected.
        """
        with self._lock:
            self.texts.look()
            there = tuple(label for label in self._order.columns if label in self.texts.frame.columns)
            self._order = replace(self._order, columns=there)
        beta = "enable_beta_languages"
        self._do(lambda: Offer.asked(beta=bool(self._order.options.get(beta))), self._offered, again=self.refresh)
        return self

    @property
    def order(self) -> Order:
        """The current choices."""
        return self._order

    def retry(self) -> None:
        """Retry what the service could not answer; the cost is shown after that."""
        with self._lock:
            super().retry()
            self._about_plan = True

    def plan(self, timeout: float | None = PATIENCE) -> PlanSummary:
        """What a run would do and cost; waits until that is known. No text is sent."""
        self._latest.wait(timeout)
        with self._lock:
            if self._plan is None:
                raise self.problem or ValueError(messages.lacking(self._order, len(self.texts.columns)))
            return self._plan

    def _read_controls(self) -> None:
        """Read the controls; if they are invalid, there is no plan."""
        try:
            self._take_order(self.controls.order(self._order))
        except ValueError as problem:
            self._latest.drop()  # a plan in progress no longer matches the controls
            self._take_plan(problem)

    def _keep_kind(self, kind: str) -> None:
        """Protect another kind of text, in addition to those protected already."""
        self.choose(protect=[*self._order.options.get("protect", BY_DEFAULT), kind])

    def _take_order(self, order: Order) -> None:
        with self._lock:
            # Messages about a retry or a spent budget no longer apply.
            run = self._run
            if run is not None and order != run.order and (run.again or run.report.unsent["budget"]):
                self._about_plan = True
            self._order = order
            if order.options.get("budget") is None:
                self._spent = 0
            self._show_controls()
            self._replan()

    def _offered(self, offer: Offer) -> None:
        self._offer, self._offered_by, self._refused = offer, known(), None
        self._about_plan |= self.problem is not None
        self._show_controls()
        self._replan()

    def _replan(self) -> None:
        """Plan what a run will do and cost, a moment later; only the latest plan counts."""
        order, spent = self._order, self._spent
        planned, self._plan = self._plan is not None, None
        if not order.whole:
            self._latest.drop()
            self._show_plan(None)
            return
        self.layout.figures.busy = True
        if self._about_plan and not planned:  # the line still says what is missing
            self._say(messages.lacking(order, len(self.texts.columns)))
            self._about_plan = True
        self._show_buttons()
        self._plan_later(
            lambda: order.after(spent).job(self.texts.taken(order.columns, order.options)).plan(price=order.price),
            self._take_plan,
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
        order, spent = self._order, self._spent
        left: Any = {"budget": order.options.get("budget"), "spent": spent}
        self.layout.figures.busy = False
        self._show_hints()
        self._show_buttons()  # before a hint that has the focus disappears, because the button is next to it
        self.layout.figures.show([] if plan is None else messages.figures(plan, order.unit, **left))
        if self._about_plan:
            if plan is None:
                self._say(messages.lacking(order, len(self.texts.columns)))
            else:
                can = messages.to_send(plan) or (messages.pressed(plan) and not (plan.over_budget and spent))
                self._say(READY if can else messages.nothing(plan, spent))
            self._about_plan = True

    # ---- the run

    def run(self) -> Translate:
        """Translate the chosen columns, in the background. If that costs more than the plan said, it does not start.

        A budget applies to all runs since it was set. Raise or remove it to continue.
        """
        with self._lock:
            self._check_free(BUSY)
            order, promised, spent, last = self._order, self._plan, self._spent, self._run
            if not order.whole:
                raise ValueError("choose at least one column and one language first")
            goes_on = last is not None and last.order.gives_same(order) and not last.report.finished_well
            billed: Any = {"spent": spent, "billed_before": last.billed if last is not None and goes_on else 0}
            self._prepare(
                lambda: TranslateRun(self.texts.taken(order.columns, order.options), order, told=self._heard, **billed),
                promised=promised,
            )
        return self

    def pause(self) -> Translate:
        """Send nothing new; requests in progress are finished and kept."""
        return self._steer(lambda run: run.pause(True), messages.PAUSED)

    def resume(self) -> Translate:
        """Continue after `pause`."""
        return self._steer(lambda run: run.pause(False), RUNNING)

    def cancel(self) -> Translate:
        """Stop the run as soon as requests in progress are answered; finished rows are kept."""
        return self._steer(lambda run: run.cancel(), CANCELLING)

    def retry_failed(self) -> Translate:
        """Retry rows that failed or were not sent; finished rows are not billed again.

        The current budget applies to the run and its retries together.
        """

        def again() -> TranslateRun:
            run.job.again()  # saves finished translations in the store
            return TranslateRun(run.frame, order, told=self._heard, spent=self._spent, billed_before=run.billed)

        with self._lock:
            self._check_free(BUSY)
            run = self._last_run()
            order = run.order.with_options(budget=self._order.options.get("budget"))
            if not run.again:
                raise ValueError("there is nothing to retry: no row failed that could be sent")
            self._prepare(again, is_retry=True)
        return self

    def _prepare(
        self, made: Callable[[], TranslateRun], *, promised: PlanSummary | None = None, is_retry: bool = False
    ) -> None:
        """Have a run *made* in a thread, and start it unless it costs more by then than *promised*."""
        self._starting = True
        self.layout.show_start()
        self._show_buttons()
        self._do(made, lambda run: self._begin(run, promised, is_retry=is_retry))
        if known() is not self._offered_by:  # another session, maybe with another key: ask what it offers
            self.refresh()

    def _end_start(self) -> None:
        """No run is about to start any more; show the state of the last one again."""
        self._starting = False
        if self._run is None:
            self.layout.meter.state = ""
        else:
            self.layout.show_progress(self._run)

    def wait(self, timeout: float | None = PATIENCE) -> bool:
        """Wait until a plan, and a run with its checks, are done and shown; False if *timeout* is too short."""
        return self._wait_for_all(timeout) and self._checks.wait(timeout)

    @property
    def _going(self) -> bool:
        return self._starting or super()._going

    def _last_run(self) -> TranslateRun:
        if self._run is None:
            raise ValueError(NO_RESULT)
        return self._run

    def _begin(self, run: TranslateRun, promised: PlanSummary | None, *, is_retry: bool) -> None:
        """Start, unless it costs more by now than *promised*."""
        if self._closed:
            return
        self._end_start()
        if promised is not None and run.plan.characters > promised.characters:
            self._show_plan(run.plan)
            self._say(messages.dearer(run.plan, promised), "change")
            return
        if self._run is not None and self._run.job.session is not run.job.session:
            self._edits = Edits()  # they are in another session's store
        self._run = run
        self.layout.question.drop()
        self.listing.choose(None)
        if not is_retry:  # which continues with the rows shown
            with self._quietly():
                self.listing.clear()
            self.controls.more.value = False  # so that the result is in view
        self._say(RUNNING)
        run.start()
        self._show_buttons()

    def _steer(self, deed: Callable[[TranslateRun], None], said: str) -> Translate:
        with self._lock:
            if self._run is None or not self._run.going:
                raise ValueError("no run is in progress")
            deed(self._run)
            self._say(said)
            self._show_run(self._run, "progress")
        return self

    def _show_run(self, run: TranslateRun, what: str) -> None:
        if what == "end":
            self._spent += run.spent if "budget" in run.order.options else 0
            self._plan = None  # it was made before the run
            if run.results is not None:
                self._compare_frame(run)
        if what in ("progress", "end"):
            self.layout.show_progress(run)
        if what == "progress":
            self._tell_host()
        elif run.results is not None:
            steady = what == "findings" and self.listing.limit is None  # otherwise a cell being edited is lost
            turns = self._edits.turns(run.job)
            with self._quietly():
                if steady:
                    self.listing.show_edits(run, turns)
                else:
                    self.listing.show(run, turns=turns)
        self._show_buttons()
        if what != "progress" and not run.going:
            self._say_end(run)
            self._settled()
        if what == "end":
            self._replan()

    def _say_end(self, run: TranslateRun) -> None:
        """Show how it ended; the checks do not overwrite messages about later user actions."""
        self._again = None  # a separate button retries rows
        if run.problem is not None:
            self._tell(run.problem)
        elif not run.checked or self.line.text == self._last_words:
            error, unit = run.report.error, run.order.unit
            said = [messages.ended(run.report, cancelled=run.cut_short, again=run.again, unit=unit), run.without_effect]
            if run.results is not None and run.report.answered and error is None:
                problems, found = (run.results.count(kind) for kind in (PROBLEMS, FOUND))
                said.append(messages.checked(problems, found, unit) if run.checked else "Checking …")
            self._say(" ".join(filter(None, said)), "error" if error is not None else "info")
            self.problem = error if isinstance(error, Exception) else None
            self._last_words = self.line.text

    def _failed(self, problem: Exception) -> None:
        if self._starting:
            self._end_start()
        if isinstance(problem, NotAuthenticated):
            self._refused = known()
        super()._failed(problem)
        self._show_buttons()

    # ---- the results

    @property
    def job(self) -> TextJob | None:
        """The job of the last run."""
        return self._run.job if self._run else None

    @property
    def table(self) -> pd.DataFrame:
        """The results so far for every cell: row, column, target, source, text, status, reason, findings, score, …"""
        results = self.listing.results
        return pd.DataFrame() if results is None else results.shown

    @property
    def findings(self) -> pd.DataFrame:
        """The findings: a line for each, with row, column and target."""
        results = self.listing.results
        return NO_FINDINGS.drop(columns="place") if results is None else results.findings

    @property
    def result(self) -> pd.DataFrame:
        """The translations so far, row by row, in columns such as "title_DE"; missing values for rows not done."""
        made: pd.DataFrame = self._last_run().job.partial()
        return made

    def show_problems(self, kind: str = "problems", *, at_most: Any = KEEP) -> Translate:
        """Show only some rows, until you ask for others.

        Parameters
        ----------
        kind
            "problems", "findings", "done", "stored", "edited", "marked", "skipped", "failed" or "unsent"; "all" shows
            all of them.
        at_most
            Show only rows with at most this score; None shows rows with any score or none.
        """
        with self._lock, self._quietly():
            run = self._last_run()
            if run.results is None:
                raise ValueError(NO_RESULT)
            if at_most is not KEEP:
                self.listing.at_most.value = "" if (limit := score_limit(at_most)) is None else f"{limit:g}"
            self.listing.show(run, kind)
        return self

    def worst_first(self) -> Translate:
        """Sort the rows shown by their score, the lowest first; rows without a score are last."""
        with self._lock:
            if self.listing.results is None:
                raise ValueError(NO_RESULT)
            self.listing.worst_first()
        return self

    def add_columns(self, *, replace: bool = False) -> list[Hashable]:
        """Add the translations to the frame, in columns such as "title_DE", and return their names.

        Raises ValueError if the frame already has a column of that name, or one that was changed since it was added,
        unless *replace* is true, and if its rows and texts have changed since the run.
        """
        with self._lock:
            if not self.texts.is_frame:
                raise ValueError("the panel was given a Series, which has no place for columns: take panel.result")
            run = self._last_run()
            self.layout.question.drop()
            names = self._added.put(run.job.partial(), made_of=run.made_of, replace=replace)
            self._say(messages.added(names, run.report, self.listing.refused))
            self._frame_changed()
        return names

    def remove_columns(self, *, force: bool = False) -> list[Hashable]:
        """Remove the columns that were added last from the frame, and restore those they replaced.

        Raises ValueError if one was changed since it was added, unless *force* is true, and if the rows have changed so
        that a replaced column cannot be restored.
        """
        with self._lock:
            self.layout.question.drop()
            word = "Restored in" if self._added.restores else "Removed from"
            names = self._added.take_out(force=force)
            self._say(f"{word} the frame: {label_list(names)}.")
            self._frame_changed()
        return names

    def export(self, path: str | PathLike[str]) -> Path:
        """Write the rows shown to a .csv or .xlsx file; an existing file is replaced."""
        return files.export(path, self._bytes)

    def download(self, form: str) -> None:
        """Have the browser save the rows shown, as "csv" or "xlsx"."""
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
        """Start, if the cost is shown: a click may arrive while it is being calculated again."""
        if self._plan is not None:
            self.run()
        elif self.layout.figures.busy:
            self._say("Nothing was sent: the cost is being calculated again. Check it, then press again.", "change")
            self._about_plan = True

    def _add_clicked(self) -> None:
        """Add the columns; if some already exist and can be replaced, ask first."""
        self.layout.question.drop()
        made = self.result
        self._added.check(made, made_of=self._last_run().made_of)
        if there := self._added.there(list(made.columns)):
            columns = plural(len(there), "column")
            self._ask(
                self._added.replace_question(there), f"Replace {columns}", partial(self.add_columns, replace=True)
            )
        else:
            self.add_columns()

    def _remove_clicked(self) -> None:
        """Remove the columns; if one was changed since it was added, ask first."""
        if changed := self._added.changed:
            answer = f"{'Restore' if self._added.restores else 'Remove'} {plural(len(self._added.last), 'column')}"
            self._ask(remove_question(changed), answer, partial(self.remove_columns, force=True))
        else:
            self.remove_columns()

    def _ask(self, question: str, answer: str, meant: Callable[[], Any]) -> None:
        self._meant = meant
        self.layout.buttons["replace"].description = answer
        self.layout.question.ask(question)

    def _keep_clicked(self) -> None:
        """Leave the existing columns as they are."""
        self.layout.question.drop()
        self._say("Nothing was changed.")

    # ---- what is shown, and what is saved

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
        """Show which options do not apply."""
        misfits = self._offer.misfits(self._order.targets, self._order.options)
        self.layout.show_hints("\n".join(misfits))

    def _frame_changed(self) -> None:
        self.texts.look()
        if self._run is not None and self._run.over:
            self._compare_frame(self._run)
        self._show_controls()
        self._show_buttons()
        self._settled()

    def _show_buttons(self) -> None:
        run, order = self._run, self._order
        current = run is not None and run.order == order
        same = run is not None and run.order.gives_same(order)
        refused = self._refused is not None and self._refused is known()
        self.layout.show_go(
            self._plan,
            run,
            busy=self._going,
            current=current,
            same=same,
            unit=order.unit,
            refused=refused,
            lacking=bool(order.columns) and not order.targets,
        )
        again = run.again if run is not None and current and not self._going else 0
        self.layout.show_buttons(
            run,
            self._plan,
            again=again,
            can_add=self.texts.is_frame,
            added=self._added.last,
            restores=self._added.restores,
            missing=self._missing,
            stale=self._stale,
        )

    @property
    def _survives(self) -> str:
        return "" if self._run is None else messages.survives(self._run.report.answered)

    def _stays(self) -> dict[str, Any]:
        results = self.listing.results
        if not self.keep_texts or results is None or not len(results.table):
            counts = self.layout.figures.figures if results is None else self.listing.facts.figures
            return self._kept((), [[each[name] for name in COUNTS] for each in counts])
        return self._kept([each.title for each in results.fields], results.written(MOST_KEPT))
