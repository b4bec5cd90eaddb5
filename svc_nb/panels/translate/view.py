"""What the translate panel shows: its controls, its plan, the meter of a run, its result, and its buttons."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import anywidget
import ipywidgets as widgets
import pandas as pd
from traitlets import Bool, Dict, List, Unicode

from svc_nb.checks.score import ORDER_NOT_MARK
from svc_nb.columns.protection import ALL as ALL_KINDS
from svc_nb.columns.protection import KINDS, OF_TEXT
from svc_nb.columns.summary import PlanSummary
from svc_nb.panels.parts.columns import TextsByLabel, label_text
from svc_nb.panels.parts.grid import Grid
from svc_nb.panels.parts.job_panel import JobView
from svc_nb.panels.parts.offer import Offer
from svc_nb.panels.parts.widgets import (
    FORMALITIES,
    FRONT,
    GIVEN,
    Line,
    MessageWidget,
    MultiSelect,
    classed,
    field,
    names_by_id,
    offer_choices,
    row,
    show,
)
from svc_nb.panels.translate import messages
from svc_nb.panels.translate.plan import Order, price_of
from svc_nb.panels.translate.run import ALL, FOUND, PROBLEMS, SHOWN, Results, TranslateRun
from svc_nb.tabular.report import plural

CONTEXT = "Context: what the texts are about, or a column that has it (not translated, not billed)"
MORE = "Show or hide further options"
MODELS = {
    "quality_optimized": "Best quality",
    "prefer_quality_optimized": "Best quality where there is one",
    "latency_optimized": "Fastest",
}
BY_NAME = ("source_lang", "formality", "glossary_id", "style_id", "model_type")
TYPED = ("reporting_tag", "context")
# A dot is decimal, and only before k or M, so that 1.500 is never taken for one and a half.
AMOUNT = re.compile(
    r"(?P<whole>\d{1,15}|\d{1,3}(?:[,_ \u00a0\u202f]\d{3}){1,4})(?:(?:\.(?P<part>\d{1,6}))?\s*(?P<size>k|m))?"
)
SIZES = {"": 1, "k": 1000, "m": 1_000_000}


class TranslateControls:
    """The widgets by name; `order` reads them, `show` sets them."""

    def __init__(self) -> None:
        self.columns = MultiSelect("Columns", adds="Add a column …")
        self.targets = MultiSelect("Into", adds="Add a language …")
        self.source_lang = field(widgets.Dropdown(description="From"), "180px")
        self.formality = field(widgets.Dropdown(description="Formality"), "130px")
        self.glossary_id = field(widgets.Dropdown(description="Glossary"), "170px")
        self.style_id = field(widgets.Dropdown(description="Style list"), "170px")
        self.price = field(_text("Price per million", "none"), "120px")
        self.budget = field(_text("Budget (characters)", "no limit"), "140px")
        self.protect = MultiSelect("Keep as it is", adds="Add …")
        self.names = field(_text("Names to keep, with commas", "none"), "260px")
        self.reporting_tag = field(_text("Reporting tag", "none"), "170px")
        self.model_type = field(widgets.Dropdown(description="Model"), "220px")
        self.context = field(widgets.Textarea(description=CONTEXT, continuous_update=False), "100%")
        self.more = widgets.ToggleButton(description="More options", tooltip=MORE, layout={"width": "auto"})
        self._labels: dict[str, Hashable] = {}
        first = (self.source_lang, self.formality, self.glossary_id, self.style_id, self.price, self.budget)
        picking, protecting = row(self.columns, self.targets), row(self.protect, self.names)
        rest = [classed(protecting, "svc-picking"), row(self.reporting_tag, self.model_type), self.context]
        hidden = classed(widgets.VBox(rest, layout={"overflow": "visible"}), "svc-controls")
        parts = [classed(picking, "svc-picking"), row(*first, self.more), hidden]
        self.box = classed(widgets.VBox(parts, layout={"overflow": "visible"}), "svc-controls")
        self.more.observe(lambda change: show(hidden, change.new), "value")
        show(hidden, False)

    @property
    def all(self) -> tuple[widgets.Widget, ...]:
        """The widgets whose value is part of an order."""
        picked = (self.columns, self.targets, self.protect, self.names, self.budget, self.price)
        return (*picked, *(getattr(self, name) for name in (*BY_NAME, *TYPED)))

    def order(self, before: Order) -> Order:
        """What is chosen now; what was given in code and cannot be seen here stays as it is *before*."""
        options = dict(before.options)
        for name in BY_NAME:
            value = getattr(self, name).value
            if value is not GIVEN:
                options[name] = value or None
        options |= {name: getattr(self, name).value.strip() or None for name in TYPED}
        protect = [*self.protect.value, *names_in(self.names.value), *protected_of(before.options)[2]]
        is_off = before.options.get("protect") == []
        options |= {"budget": budget_of(self.budget.value), "protect": protect if protect or is_off else None}
        return replace(
            before,
            columns=tuple(self._labels[key] for key in self.columns.value),
            targets=tuple(self.targets.value),
            price=price_of(self.price.value),
            options=options,
        )

    def show(self, order: Order, texts: TextsByLabel, offer: Offer) -> None:
        """Offer what there is, with *order* chosen."""
        found = texts.columns
        self._labels = {str(number): column.label for number, column in enumerate(found)}
        keys = {label: key for key, label in self._labels.items()}
        self.columns.offer(
            [(keys[column.label], column.title, plural(column.count, "text")) for column in found],
            [keys[label] for label in order.columns if label in keys],
        )
        # A target that was asked for by its code is there even if the service does not list it.
        codes = dict.fromkeys([*offer.targets, *order.targets])
        self.targets.offer([(code, offer.name(code), code) for code in codes], order.targets)
        self._show_dropdowns(order, texts, offer)
        kinds, names, _ = protected_of(order.options)
        self.protect.offer([(kind, kind, KINDS[kind].example) for kind in KINDS], kinds)
        _write(self.names, written_names(names))
        budget, price = order.options.get("budget"), order.price
        _write_amount(self.budget, budget, budget_of, "" if budget is None else f"{budget:,}")
        _write_amount(self.price, price, price_of, "" if price is None else f"{price:g}")
        for name in TYPED:
            _write(getattr(self, name), order.options.get(name) or "")

    def _show_dropdowns(self, order: Order, texts: TextsByLabel, offer: Offer) -> None:
        targets, options = order.targets, order.options
        sources: dict[Any, str] = {"": "Any language", "detect": "Detect first"}
        sources |= {label: f"Column {label_text(label)}" for label in texts.language_columns if isinstance(label, str)}
        others = {code: f"{name} ({code})" for code, name in offer.sources.items() if code not in sources}
        offer_choices(self.source_lang, sources | others, options.get("source_lang"))
        formal = any(offer.supports(target, "formality") for target in targets)
        self.formality.disabled = bool(targets) and not formal and "formality" not in options
        nothing = "Not in these languages" if self.formality.disabled else "As usual"
        offer_choices(self.formality, {"": nothing, **FORMALITIES}, options.get("formality"))
        offer_choices(self.glossary_id, {"": "None", **names_by_id(offer.glossaries)}, options.get("glossary_id"))
        styles, chosen = offer.fitting_styles(targets), options.get("style_id")
        self.style_id.disabled = not styles and "style_id" not in options
        no_style = "None for these languages" if offer.styles and not styles else "None"
        known = [style for style in offer.styles if style in styles or style.id == chosen]
        offer_choices(self.style_id, {"": no_style, **names_by_id(known)}, chosen)
        offer_choices(self.model_type, {"": "As usual", **MODELS}, options.get("model_type"))


def protected_of(options: Mapping[str, Any]) -> tuple[list[str], list[str], list[Any]]:
    """What an order is to keep as it is: kinds, names, and what else was given in code."""
    items = options.get("protect", [])
    texts = [item for item in items if isinstance(item, str)]
    kinds = (
        [kind for kind in OF_TEXT if kind != "tags" or not options.get("tag_handling")] if ALL_KINDS in texts else []
    )
    kinds += [text for text in texts if text in KINDS and text not in kinds]
    names = [text for text in texts if text not in KINDS and text != ALL_KINDS]
    return kinds, names, [item for item in items if not isinstance(item, str)]


def names_in(text: str) -> list[str]:
    """The names that a person wrote with commas; one with a comma in it is in quotes.

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
    """The characters that a person wrote as a budget; None is no limit.

    >>> budget_of("500,000"), budget_of("1.5 M"), budget_of("20k"), budget_of(" ")
    (500000, 1500000, 20000, None)
    """
    plain = text.strip().lower()
    if plain in ("", "none", "no limit"):
        return None
    found = AMOUNT.fullmatch(plain)
    if found is None:
        raise ValueError("budget: expected a number of characters, such as 500,000 or 1.5 M")
    whole, part, size = re.sub(r"\D", "", found["whole"]), found["part"] or "", found["size"]
    return int(Decimal(f"{whole}.{part or 0}") * SIZES[size or ""])


def _write_amount(control: widgets.Text, amount: float | None, read: Callable[[str], float | None], text: str) -> None:
    """Write an amount as *text*, unless it stands there already, in whatever way a person wrote it."""
    try:
        there = read(control.value)
    except ValueError:
        there = -1
    if there != amount:
        _write(control, text)


def _write(control: widgets.Widget, text: str) -> None:
    if control.value != text:
        control.value = text


def _text(name: str, nothing: str) -> widgets.Text:
    return widgets.Text(description=name, placeholder=nothing, continuous_update=False)


OVER = "Translate again, nothing to pay"
TITLES = {
    ALL: "All",
    PROBLEMS: "Problems",
    "marked": "Not translated",
    "failed": "Failed",
    "unsent": "Not sent",
    FOUND: "Findings",
}


class Figures(anywidget.AnyWidget):
    """`figures` are counts: each has a name, a value, a note, and a key that says how it looks; `busy` fades them."""

    _esm = FRONT / "figures.js"
    name = Unicode().tag(sync=True)
    figures: List[dict[str, str]] = List(Dict()).tag(sync=True)
    busy = Bool(False).tag(sync=True)

    def show(self, figures: Sequence[dict[str, str]]) -> None:
        """Show these and no others."""
        with self.hold_sync():
            self.figures, self.busy = list(figures), False


class Detail(MessageWidget):
    """One row of the result with its whole texts, as `Results.detail` has it, or None for nothing.

    A person can write another translation there: then it says the place of the row, and the text.
    """

    _esm = FRONT / "detail.js"


class Listing:
    """The result: `grid` shows the rows of a kind with a score `at_most`, and `detail` the row chosen in the grid.

    Rows that are edited stay in sight, and where they are, until other rows are asked for.
    """

    def __init__(
        self, *, clicked: Callable[..., None], edit: Callable[[int, str], Any], turn: Callable[[str], Any]
    ) -> None:
        """*clicked* does what a click asks for; *edit* is what to do with a text for a place, *turn* is for undo."""
        self.kinds = classed(widgets.ToggleButtons(options=[("All", ALL)], tooltips=["All rows"]), "svc-presets")
        self.kinds.style.button_width = "auto"
        self.at_most = field(_text("Score at most", "any"), "110px")
        self.at_most.tooltip = ORDER_NOT_MARK
        self.grid = Grid(
            "Translations",
            chosen=lambda label: clicked(self.choose, int(label)),
            edited=lambda label, _, text: clicked(edit, int(label), text),
            turned=lambda word: clicked(turn, word),
            searchable=True,
        )
        self.grid.height = 380
        self.detail = Detail(lambda message: clicked(edit, int(message["place"]), str(message["text"])))
        self.results: Results | None = None
        self.rows = pd.DataFrame()  # that are shown, with all columns
        self.place: int | None = None
        filters = classed(row(self.kinds, self.at_most), "svc-filters")
        self.box = classed(widgets.VBox([filters, self.grid, self.detail]), "svc-listing")

    @property
    def kind(self) -> str:
        """Which rows are shown."""
        return str(self.kinds.value)

    def show(self, results: Results, kind: str | None = None, *, turns: dict[str, str] | None = None) -> None:
        """Show *results*: the rows of a *kind*, or of the one that was shown before, while there are any."""
        at_most = score_limit(self.at_most.value)
        kind = kind or (self.kind if results.count(self.kind) else ALL)
        if kind not in SHOWN:
            raise ValueError(f"kind: expected one of {', '.join(SHOWN)}, found {kind!r}")
        self.results = results
        self._show_kinds(kind)
        self.rows = results.only(kind, at_most)
        self._show_rows(turns)

    def show_edits(self, results: Results, turns: dict[str, str]) -> None:
        """Show the same rows with what was edited, or found, in them since; *turns* can be undone and redone."""
        self.results = results
        self._show_kinds(self.kind)
        self.rows = results.shown.loc[self.rows.index]
        self._show_rows(turns, steady=True)

    def _show_kinds(self, kind: str) -> None:
        assert self.results is not None  # noqa: S101
        counts = {each: self.results.count(each) for each in SHOWN}
        wanted = [each for each in SHOWN if counts[each] or each in (ALL, PROBLEMS, kind)]
        options: list[tuple[str, Any]] = [(f"{TITLES[each]} {counts[each]:,}", each) for each in wanted]
        if list(self.kinds.options) != options:
            self.kinds.options = options  # this chooses the first one
        if self.kinds.value != kind:
            self.kinds.value = kind

    def _show_rows(self, turns: dict[str, str] | None, *, steady: bool = False) -> None:
        assert self.results is not None  # noqa: S101
        results, rows, total = self.results, self.rows, plural(len(self.results.table), "row")
        said = total if len(rows) == len(results.table) else f"{len(rows):,} of {total}"
        if not results.shown["score"].isna().all():
            said = f"{said}. {ORDER_NOT_MARK}"
        self.grid.show(
            rows, results.fields, said=said, marks=results.marks, notes=results.notes, turns=turns, steady=steady
        )
        self.choose(self.place if self.place in rows.index else None)

    def choose(self, place: int | None) -> None:
        """Show a row of the table, by its place, with its whole texts; None shows none."""
        self.place = place
        self.detail.show(shown=None if place is None or self.results is None else self.results.detail(place))


def score_limit(given: Any) -> float | None:
    """The score up to which rows are shown; None is any.

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
        edit: Callable[[int, str], Any],
        turn: Callable[[str], Any],
    ) -> None:
        super().__init__(line, "Translation")
        self.controls = TranslateControls()
        self.figures = Figures(name="Plan")
        self.listing = Listing(clicked=clicked, edit=edit, turn=turn)
        buttons = self.buttons
        buttons.add("go", "Translate", style="primary", help="Translate what is chosen")
        buttons.add("refresh", "Refresh", help="Look at the frame and ask the service again")
        buttons.add("pause", "Pause", help="Send nothing new for now")
        buttons.add("resume", "Resume", help="Go on", style="primary")
        buttons.add("cancel", "Cancel", help="End it; what is done is kept")
        buttons.add("retry", "Try again", help="What is done is not paid for again")
        buttons.add("add", "Add to the frame", style="primary")
        buttons.add("keep", "Leave them")
        buttons.add("remove", "Take out again", help="Take out what was added")
        buttons.add("csv", "CSV", help="Save the rows as CSV")
        buttons.add("xlsx", "XLSX", help="Save the rows as XLSX")
        buttons["go"].add_class("svc-go")
        below = buttons.row("retry", "add", "keep", "remove", "csv", "xlsx")
        self.output = widgets.VBox([self.listing.box, below], layout={"display": "none"})
        going = buttons.row("go", "pause", "resume", "cancel", "refresh")
        parts = [self.controls.box, self.hints, self.figures, going, self.meter, line, self.output]
        self.box = classed(widgets.VBox(parts), "svc-panel", "svc-translate")

    def show_progress(self, run: TranslateRun) -> None:
        """Show how far *run* has come."""
        report = run.report
        words = messages.moving(report, run.pace, paused=run.paused) if run.going else messages.over(report)
        self.meter.show(
            total=report.rows,
            done=report.done + report.skipped.total(),
            failed=report.failed + report.marked,
            text=words,
            state=("paused" if run.paused else "running") if run.going else "ended",
        )

    def show_buttons(
        self, run: TranslateRun | None, *, starting: bool, replacing: bool, can_add: bool, added: bool
    ) -> None:
        """Show the buttons that have something to do, with what they will do."""
        live = run if run is not None and run.going else None
        again = run.again if run is not None and live is None and not starting else 0
        self.buttons["retry"].description = f"Try {plural(again, 'row')} again"
        self.buttons["add"].description = "Yes, replace them" if replacing else "Add to the frame"
        self.buttons["add"].button_style = "warning" if replacing else "primary"
        self.buttons["cancel"].disabled = live is not None and live.cancelled
        self.buttons.show(
            pause=live is not None and not live.paused and not live.cancelled,
            resume=live is not None and live.paused,
            cancel=live is not None,
            retry=bool(again),
            add=can_add and live is None,
            keep=replacing and live is None,
            remove=added and live is None,
        )
        show(self.output, self.listing.results is not None)

    def show_go(self, plan: PlanSummary | None, *, busy: bool, current: bool) -> None:
        """The button that begins says what it costs, and stands back where nothing is left to do."""
        go = self.buttons["go"]
        over = current and plan is not None and not messages.to_send(plan) and bool(plan.stored)
        go.button_style = "" if over else "primary"
        go.disabled = busy or plan is None or not messages.pressed(plan)
        if busy:
            go.description = "Translating …"
        elif plan is None:
            go.description = "Planning …" if self.figures.busy else "Translate"
        else:
            go.description = OVER if over else messages.pressed(plan) or "Nothing to translate"
