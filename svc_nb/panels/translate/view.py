"""The view of the translate panel: its controls, plan, the meter of a run, its result, and its buttons."""

from __future__ import annotations

import csv
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from svc_nb.checks.score import ORDER_NOT_MARK
from svc_nb.columns.protection import ALL as ALL_KINDS
from svc_nb.columns.protection import BY_DEFAULT, KINDS, OF_TEXT
from svc_nb.columns.summary import PlanSummary
from svc_nb.panels.parts import controls as widgets
from svc_nb.panels.parts.amounts import number, written
from svc_nb.panels.parts.column_select import ColumnSelect
from svc_nb.panels.parts.columns import TextsByLabel, label_text
from svc_nb.panels.parts.figures import Figures
from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.job_panel import JobView
from svc_nb.panels.parts.offer import Offer
from svc_nb.panels.parts.widgets import (
    FORMALITIES,
    GIVEN,
    Line,
    MessageWidget,
    MultiSelect,
    Notice,
    button,
    classed,
    field,
    names_by_id,
    offer_choices,
    row,
    show,
)
from svc_nb.panels.translate import messages
from svc_nb.panels.translate.plan import Order, price_of
from svc_nb.panels.translate.run import ALL, SHOWN, Results, TranslateRun
from svc_nb.tabular.report import plural

CONTEXT = "Context: what the texts are about, or a column with that information (not translated, not billed)"
MORE = "Show or hide more options"
MODELS = {
    "quality_optimized": "Best quality",
    "prefer_quality_optimized": "Best quality if available",
    "latency_optimized": "Fastest",
}
BY_NAME = ("source_lang", "formality", "glossary_id", "style_id", "model_type")
TYPED = ("reporting_tag", "context")


class TranslateControls:
    """The widgets by name; `order` reads them, and `show` sets them."""

    def __init__(self) -> None:
        self.columns = ColumnSelect("Columns", adds="Add a column …")
        self.targets = MultiSelect("Into", adds="Add a language …")
        self.source_lang = field(widgets.Dropdown(description="From"), "180px")
        self.formality = field(widgets.Dropdown(description="Formality"), "140px")
        self.glossary_id = field(widgets.Dropdown(description="Glossary"), "170px")
        self.style_id = field(widgets.Dropdown(description="Style rule list"), "200px")
        self.price = field(_text("Price per million", "none"), "120px")
        self.budget = field(_text("Budget (characters)", "no limit"), "140px")
        self.protect = MultiSelect("Keep as it is", adds="Add …")
        self.names = field(_text("Names to keep, separated by commas", "none"), "260px")
        self.reporting_tag = field(_text("Reporting tag", "none"), "170px")
        self.model_type = field(widgets.Dropdown(description="Model"), "220px")
        self.context = field(widgets.Textarea(description=CONTEXT, continuous_update=False), "100%")
        self.more = widgets.ToggleButton(description="More options", tooltip=MORE, layout={"width": "auto"})
        first = (self.source_lang, self.formality, self.glossary_id, self.style_id, self.price, self.budget)
        picking, protecting = row(self.columns, self.targets), row(self.protect, self.names)
        rest = [classed(protecting, "svc-picking"), row(self.reporting_tag, self.model_type), self.context]
        hidden = classed(widgets.VBox(rest), "svc-controls")
        parts = [classed(picking, "svc-picking"), row(*first, self.more), hidden]
        self.box = classed(widgets.VBox(parts), "svc-controls")
        self.more.observe(lambda change: show(hidden, change.new), "value")
        show(hidden, False)

    @property
    def all(self) -> tuple[widgets.Part, ...]:
        """The widgets whose values are part of an order."""
        picked = (self.columns, self.targets, self.protect, self.names, self.budget, self.price)
        return (*picked, *(getattr(self, name) for name in (*BY_NAME, *TYPED)))

    def order(self, before: Order) -> Order:
        """The current choices; options given in code that are not shown here stay as they were in *before*."""
        options = dict(before.options)
        for name in BY_NAME:
            value = getattr(self, name).value
            if value is not GIVEN:
                options[name] = value or None
        options |= {name: getattr(self, name).value.strip() or None for name in TYPED}
        protect = [*self.protect.value, *names_in(self.names.value), *protected_of(before.options)[2]]
        same = protect == [*before.options.get("protect", BY_DEFAULT)]
        options |= {"budget": budget_of(self.budget.value)} | ({} if same else {"protect": protect})
        return replace(
            before,
            columns=self.columns.labels,
            targets=tuple(self.targets.value),
            price=price_of(self.price.value),
            options=options,
        )

    def show(self, order: Order, texts: TextsByLabel, offer: Offer) -> None:
        """Offer the available options, with *order* chosen."""
        self.columns.offer_columns(texts.columns, order.columns)
        # A target given by its code is offered even if the service does not list it.
        codes = dict.fromkeys([*offer.targets, *order.targets])
        named = [(code, offer.name(code)) for code in codes]
        self.targets.offer([(code, name, code if name != code else "") for code, name in named], order.targets)
        self._show_dropdowns(order, texts, offer)
        kinds, names, _ = protected_of(order.options)
        self.protect.offer([(kind, kind, KINDS[kind].example) for kind in KINDS], kinds)
        _write(self.names, written_names(names))
        budget, price = order.options.get("budget"), order.price
        _write_amount(self.budget, budget, budget_of, "" if budget is None else f"{budget:,}")
        _write_amount(self.price, price, price_of, "" if price is None else written(price))
        for name in TYPED:
            _write(getattr(self, name), order.options.get(name) or "")

    def _show_dropdowns(self, order: Order, texts: TextsByLabel, offer: Offer) -> None:
        targets, options = order.targets, order.options
        sources: dict[Any, str] = {"": "Any language", "detect": "Detect first"}
        spoken = [each.label for each in texts.columns if each.languages and isinstance(each.label, str)]
        sources |= {label: f"Column {label_text(label)}" for label in spoken}
        others = {code: f"{name} ({code})" for code, name in offer.sources.items() if code not in sources}
        offer_choices(self.source_lang, sources | others, options.get("source_lang"))
        formal = any(offer.supports(target, "formality") for target in targets)
        self.formality.disabled = bool(targets) and not formal and "formality" not in options
        nothing = "Not available" if self.formality.disabled else "Default"
        offer_choices(self.formality, {"": nothing, **FORMALITIES}, options.get("formality"))
        offer_choices(self.glossary_id, {"": "None", **names_by_id(offer.glossaries)}, options.get("glossary_id"))
        styles, chosen = offer.fitting_styles(targets), options.get("style_id")
        self.style_id.disabled = not styles and "style_id" not in options
        no_style = "None for these languages" if offer.styles and not styles else "None"
        known = [style for style in offer.styles if style in styles or style.id == chosen]
        offer_choices(self.style_id, {"": no_style, **names_by_id(known)}, chosen)
        offer_choices(self.model_type, {"": "Default", **MODELS}, options.get("model_type"))


def protected_of(options: Mapping[str, Any]) -> tuple[list[str], list[str], list[Any]]:
    """What an order protects: kinds, names, and anything else given in code."""
    items = options.get("protect", BY_DEFAULT)
    texts = [item for item in items if isinstance(item, str)]
    kinds = (
        [kind for kind in OF_TEXT if kind != "tags" or not options.get("tag_handling")] if ALL_KINDS in texts else []
    )
    kinds += [text for text in texts if text in KINDS and text not in kinds]
    names = [text for text in texts if text not in KINDS and text != ALL_KINDS]
    return kinds, names, [item for item in items if not isinstance(item, str)]


def names_in(text: str) -> list[str]:
    """The names in a comma-separated text; a name with a comma in it is in quotes.

    >>> names_in('Acme, "Lee, Ann",')
    ['Acme', 'Lee, Ann']
    """
    [row] = csv.reader([" ".join(text.split())], skipinitialspace=True)
    return [name.strip() for name in row if name.strip()]


def written_names(names: Iterable[str]) -> str:
    """*names* as `names_in` reads them."""
    quoted = ('"{}"'.format(name.replace('"', '""')) if "," in name or name[:1] == '"' else name for name in names)
    return ", ".join(quoted)


def budget_of(text: str) -> int | None:
    """The budget in characters that a person wrote; None is no limit.

    >>> budget_of("500,000"), budget_of("1.5 M"), budget_of("20k"), budget_of(" ")
    (500000, 1500000, 20000, None)
    """
    if text.strip().lower() in ("", "none", "no limit"):
        return None
    amount = number(text)
    if amount is None or amount != int(amount):
        raise ValueError("budget: expected a number of characters, such as 500,000 or 1.5 M")
    return int(amount)


def _write_amount(control: widgets.Text, amount: float | None, read: Callable[[str], float | None], text: str) -> None:
    """Write an amount as *text*, unless the field already has it, in whatever way a person wrote it."""
    try:
        there = read(control.value)
    except ValueError:
        there = -1
    if there != amount:
        _write(control, text)


def _write(control: widgets.Text | widgets.Textarea, text: str) -> None:
    if control.value != text:
        control.value = text


def _text(name: str, nothing: str) -> widgets.Text:
    return widgets.Text(description=name, placeholder=nothing, continuous_update=False)


OVER = "Translate again, no cost"
WORST = "Sort the rows by their score, the lowest first"


class Detail(MessageWidget):
    """One row of the result with its full texts, from `Results.detail`, or None for nothing.

    A person can edit the translation there; then it sends the position of the row, and the text.
    """

    front = "detail"


class Listing:
    """The result: `grid` shows the rows of a kind with a score of `at_most`, and `detail` the row active in the grid.

    Edited rows stay in view, and where they are, until other rows are requested.
    """

    def __init__(
        self, *, clicked: Callable[..., None], edit: Callable[[int, str], str | None], turn: Callable[[str], int | None]
    ) -> None:
        """*clicked* handles a click; *turn* undoes or redoes, and returns the position of the row.

        *edit* is called with a text for a position; if it rejects the text, it returns why.
        """
        self.facts = Figures(name="Result")
        self.worst = button("Worst first", lambda: clicked(self.worst_first), help=WORST)
        self.at_most = field(_text("Score at most", "any"), "110px")
        self.at_most.tooltip = ORDER_NOT_MARK
        self.grid = Grid(
            "Translations",
            chosen=lambda label: clicked(self.choose, int(label)),
            edited=lambda label, _, text: self._write(int(label), text),
            turned=turn,
            searchable=True,
        )
        self.grid.height = 380
        self.grid.on_msg(lambda grid, message, buffers: clicked(self._follow, message))
        self.detail = Detail(self._hear_detail)
        self._edit = edit
        self._refused_below: set[int] = set()  # positions where the detail has a rejected text
        self.results: Results | None = None
        self.rows = pd.DataFrame()  # the rows shown, with all columns
        self.place: int | None = None
        self._columns: set[str] = set()  # columns that had something to show since the last run started
        self.scored = classed(row(self.worst, self.at_most), "svc-filters")
        self.box = classed(widgets.VBox([self.facts, self.scored, self.grid, self.detail]), "svc-listing")

    @property
    def kind(self) -> str:
        """The kind of rows shown."""
        return self.facts.pressed or ALL

    def clear(self) -> None:
        """Show nothing, because another run starts."""
        self._refused_below = set()
        self.results, self.rows, self._columns = None, pd.DataFrame(), set()
        self.at_most.value = ""
        self.facts.show([], pressed=ALL)
        self.grid.look_for("")
        self.choose(None)

    def show(self, run: TranslateRun, kind: str | None = None, *, turns: dict[str, str] | None = None) -> None:
        """Show the results of *run*: the rows of a *kind*, or of the kind shown before, while there are any."""
        assert run.results is not None  # noqa: S101
        results = run.results
        kind = kind or (self.kind if results.count(self.kind) else ALL)
        if kind not in SHOWN:
            raise ValueError(f"kind: expected one of {', '.join(SHOWN)}, found {kind!r}")
        self._show_facts(run, kind)
        self.rows = results.only(kind, self.limit)
        self._show_rows(turns)

    @property
    def limit(self) -> float | None:
        """The highest score of the rows shown; None for any score, or if the field is not a score."""
        try:
            return score_limit(self.at_most.value)
        except ValueError:
            return None

    def show_edits(self, run: TranslateRun, turns: dict[str, str]) -> None:
        """Show the same rows with new edits and findings; *turns* are the steps to undo and redo."""
        assert run.results is not None  # noqa: S101
        self._show_facts(run, self.kind)
        self.rows = run.results.shown.loc[self.rows.index]
        self._show_rows(turns, steady=True)

    def worst_first(self) -> None:
        """Sort the rows by their score, the lowest first; call it again after edits to sort them again."""
        self.grid.sort_by("score")
        while self.grid.sort != ("score", False):  # pressing a heading again reverses the order
            self.grid.sort_by("score")

    def _show_facts(self, run: TranslateRun, kind: str) -> None:
        assert run.results is not None  # noqa: S101
        self.results = run.results
        # During a run the meter counts, because it is updated more often than the table.
        marked, unit = run.marked, run.order.unit
        facts = (
            []
            if run.going
            else messages.facts(run.results, run.report, marked, billed=run.billed, pressed=kind, unit=unit)
        )
        self.facts.show(facts, pressed=kind)

    def _fields(self) -> list[Field]:
        """The columns to show; one that had content stays, so that nothing moves while rows are edited."""
        assert self.results is not None  # noqa: S101
        fields = self.results.fields
        self._columns |= {each.name for each in fields}
        return [each for each in self.results.every_field if each.name in self._columns]

    def _show_rows(self, turns: dict[str, str] | None, *, steady: bool = False) -> None:
        assert self.results is not None  # noqa: S101
        results, rows, fields = self.results, self.rows, self._fields()
        some = len(rows) < len(results.table)  # the figure above has the count of all rows
        scored = any(each.name == "score" for each in fields)
        show(self.scored, scored)
        said = [f"{len(rows):,} of {plural(len(results.table), 'row')}."] if some else []
        said += [ORDER_NOT_MARK] if scored else []
        looks: Any = {"marks": results.marks, "notes": results.notes, "turns": turns, "steady": steady}
        self.grid.show(rows, fields, locked=results.locked, said=" ".join(said), **looks)
        self.choose(self.place if self.place in rows.index else None)

    def _follow(self, message: dict[str, Any]) -> None:
        """Show the row of the active cell, wherever the cell moves."""
        if message.get("kind") == "select" and len(selected := self.grid.selected) == 1:
            self.choose(int(selected[0]))

    def _hear_detail(self, message: dict[str, Any]) -> None:
        place = int(message["place"])
        if message["kind"] == "dismiss":
            self._refused_below.discard(place)
        elif why := self._write(place, str(message["text"])):
            self._refused_below.add(place)
            self.detail.send({"kind": "refused", "place": place, "why": why})
        else:
            self.detail.send({"kind": "saved", "place": place})

    def _write(self, place: int, text: str) -> str | None:
        why = self._edit(place, text)
        if not why:
            self._refused_below.discard(place)
        return why

    @property
    def refused(self) -> list[str]:
        """The names of the rows with rejected edits."""
        places = sorted(self._refused_below.union(self.grid.refused_rows))
        return [] if self.results is None else [self.results.name(place) for place in places]

    def choose(self, place: int | None) -> None:
        """Show a row of the table, by its position, with its full texts; None shows none."""
        self.place = place
        self.detail.show(shown=None if place is None or self.results is None else self.results.detail(place))


def score_limit(given: Any) -> float | None:
    """The highest score of the rows shown; None for any score.

    >>> score_limit("50"), score_limit(" "), score_limit(None)
    (50.0, None, None)
    """
    if given is None or (isinstance(given, str) and given.strip().lower() in ("", "any")):
        return None
    try:
        limit = -1.0 if isinstance(given, bool) else float(given)
    except (TypeError, ValueError):
        limit = -1.0
    if not 0 <= limit <= 100:
        raise ValueError("score: expected a number from 0 to 100")
    return limit


class TranslateView(JobView):
    """The widgets by name, and `box` with all of them around *line*."""

    def __init__(
        self,
        line: Line,
        *,
        clicked: Callable[..., None],
        edit: Callable[[int, str], str | None],
        turn: Callable[[str], int | None],
    ) -> None:
        super().__init__(line, "Translation")
        self.controls = TranslateControls()
        self.figures = Figures(name="Plan")
        self.listing = Listing(clicked=clicked, edit=edit, turn=turn)
        buttons = self.buttons
        buttons.add("go", "Translate", style="primary", help="Translate the chosen columns")
        buttons.add("pause", "Pause", help="Send nothing new for now")
        buttons.add("resume", "Continue", help="Continue the run", style="primary")
        buttons.add("cancel", "Cancel", help="Stop the run; finished rows are kept")
        buttons.add("retry", "Retry", help="Finished rows are not billed again", style="primary")
        buttons.add("add", "Add to the frame", style="primary", help="Add the translations to the frame as columns")
        buttons.add("remove", "Undo", help="Restore the frame as it was before the last columns were added")
        buttons.add("refresh", "Refresh", help="Look at the frame and ask the service again")
        buttons.add("replace", "Replace", style="warning")
        buttons.add("keep", "Cancel", help="Leave the columns unchanged")
        buttons.add("csv", "CSV", help="Save the rows as CSV")
        buttons.add("xlsx", "XLSX", help="Save the rows as XLSX")
        self.question = Notice(buttons["replace"], buttons["keep"])
        saving = classed(row(widgets.Label("Save the rows as"), buttons["csv"], buttons["xlsx"]), "svc-exports")
        self.output = widgets.VBox([self.listing.box, saving], layout={"display": "none"})
        toolbar = buttons.row("go", "pause", "resume", "cancel", "retry", "add", "refresh", "remove")
        parts = [self.controls.box, self.hints, self.figures, toolbar, self.question.box, self.meter, line, self.output]
        self.box = classed(widgets.UndoBox(parts), "svc-panel", "svc-translate")

    def show_start(self) -> None:
        """Show that a run is about to start, instead of the outcome of the previous one."""
        self.meter.show(total=0, done=0, failed=0, text="Starting …", state="running")

    def show_progress(self, run: TranslateRun) -> None:
        """Show the progress of *run*, and whether it is paused or ended early."""
        report, state = run.report, run.state
        if run.going:
            how = {"paused": run.paused, "cancelled": run.cancelled}
            words = messages.moving(report, run.pace, before=run.billed_before, **how, unit=run.order.unit)
        else:
            words = messages.over(report, run.order.targets, state, cancelled=run.cut_short, unit=run.order.unit)
        self.meter.show(
            total=report.rows,
            done=report.done + report.skipped.total(),
            failed=report.failed + report.marked,
            text=words,
            state=state,
        )

    def show_buttons(
        self,
        run: TranslateRun | None,
        plan: PlanSummary | None,
        *,
        again: int,
        can_add: bool,
        added: Sequence[Hashable],
        restores: bool,
        missing: bool,
        stale: bool,
    ) -> None:
        """Show the buttons that can be used, with labels that say what they do; one is the primary one.

        *again* is the number of rows to retry, at the cost of *plan*. *added* counts columns in the frame: those of
        this result may be *missing*, or *stale* if rows were edited since. With *restores*, removing the last ones
        restores what they replaced.
        """
        live = run if run is not None and run.going else None
        result = self.listing.results is not None and live is None
        if run is not None and again:
            retried = messages.retried(again, cancelled=run.cut_short, unit=run.order.unit)
            self.buttons["retry"].description = f"{retried}, {messages.costs(plan)}" if plan else retried
        if added:
            some = label_text(added[0]) if len(added) == 1 else plural(len(added), "column")
            self.buttons["remove"].description = f"Undo: {'restore' if restores else 'remove'} {some}"
        add, busy = self.buttons["add"], again or not (missing or stale) or self.buttons["go"].button_style
        add.description, add.button_style = (
            "Update the frame" if stale else "Add to the frame",
            "" if busy else "primary",
        )
        self.buttons["cancel"].disabled = live is not None and live.cancelled
        self.buttons.show(
            pause=live is not None and not live.paused and not live.cancelled,
            resume=live is not None and live.paused,
            cancel=live is not None,
            retry=bool(again),
            add=can_add and result,
            remove=bool(added) and live is None,
            refresh=live is None,
        )
        show(self.output, self.listing.results is not None)

    def show_go(
        self,
        plan: PlanSummary | None,
        run: TranslateRun | None,
        *,
        busy: bool,
        current: bool,
        same: bool,
        unit: str,
        refused: bool,
        lacking: bool,
    ) -> None:
        """The start button says what it does and costs; the plan is not shown beside its result.

        *current* is whether the choices are those of *run*, *same* whether they would give the same result. If the
        service *refused* the key, or a target language is *lacking*, the button is disabled.
        """
        go = self.buttons["go"]
        over = same and plan is not None and not messages.to_send(plan) and bool(plan.stored)
        spent = over and plan is not None and bool(plan.over_budget)
        again = current and run is not None and not busy and bool(run.again)
        go.button_style = "" if over or busy or again or refused else "primary"
        go.disabled = busy or refused or spent or plan is None or not messages.pressed(plan)
        show(self.figures, not (busy or over or again))
        show(go, not again)  # another button does the same for the remaining rows
        if busy:
            go.description = "Paused" if run is not None and run.paused else "Translating …"
        elif plan is None:
            go.description = (
                "Planning …" if self.figures.busy else "Choose a target language" if lacking else "Translate"
            )
        else:
            told = messages.pressed(plan, unit) or (messages.SPENT if plan.over_budget else "Nothing to translate")
            go.description = messages.SPENT if spent else OVER if over else told
