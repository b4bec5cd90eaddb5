"""The controls of the translate panel: what there is to choose, and how it becomes an order."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import ipywidgets as widgets

from svc_nb.columns.protection import ALL, KINDS
from svc_nb.panels.parts.choices import FORMALITIES, GIVEN, Picks, names_by_id, offer_choices, show
from svc_nb.panels.parts.columns import TextsByLabel, label_text
from svc_nb.panels.parts.panel import field, row
from svc_nb.panels.translate.plan import Offer, Order, price_of
from svc_nb.tabular.report import plural

CONTEXT = "Context: what the texts are about, or a column that has it (not translated, not billed)"
MORE = "Show or hide further options"
MODELS = {
    "quality_optimized": "Best quality",
    "prefer_quality_optimized": "Best quality where there is one",
    "latency_optimized": "Fastest",
}
PROTECTED = {"placeholders": "{x}, %s, ICU", "tags": "<b>, </b>", "urls": "https://…", "emails": "a@b.com"}
BY_NAME = ("source_lang", "formality", "glossary_id", "style_id", "model_type")
TYPED = ("reporting_tag", "context")
# A dot is decimal, and only before k or M, so that 1.500 is never taken for one and a half.
AMOUNT = re.compile(
    r"(?P<whole>\d{1,15}|\d{1,3}(?:[,_ \u00a0\u202f]\d{3}){1,4})(?:(?:\.(?P<part>\d{1,6}))?\s*(?P<size>k|m))?"
)
SIZES = {"": 1, "k": 1000, "m": 1_000_000}


class Controls:
    """The widgets by name; `order` reads them, `show` sets them."""

    def __init__(self) -> None:
        self.columns = Picks("Columns", adds="Add a column …")
        self.targets = Picks("Into", adds="Add a language …")
        self.source_lang = field(widgets.Dropdown(description="From"), "180px")
        self.formality = field(widgets.Dropdown(description="Formality"), "130px")
        self.glossary_id = field(widgets.Dropdown(description="Glossary"), "170px")
        self.style_id = field(widgets.Dropdown(description="Style list"), "170px")
        self.price = field(_text("Price per million", "none"), "120px")
        self.budget = field(_text("Budget (characters)", "no limit"), "140px")
        self.protect = Picks("Keep as it is", adds="Add …")
        self.names = field(_text("Names to keep, with commas", "none"), "260px")
        self.reporting_tag = field(_text("Reporting tag", "none"), "170px")
        self.model_type = field(widgets.Dropdown(description="Model"), "220px")
        self.context = field(widgets.Textarea(description=CONTEXT, continuous_update=False), "100%")
        self.more = widgets.ToggleButton(description="More options", tooltip=MORE, layout={"width": "auto"})
        self._labels: dict[str, Hashable] = {}
        first = (self.source_lang, self.formality, self.glossary_id, self.style_id, self.price, self.budget)
        picking, protecting = row(self.columns, self.targets), row(self.protect, self.names)
        for grows_downwards in (picking, protecting):
            grows_downwards.add_class("svc-picking")
        rest = widgets.VBox([protecting, row(self.reporting_tag, self.model_type), self.context])
        self.box = widgets.VBox([picking, row(*first, self.more), rest])
        for box in (self.box, rest):
            box.layout.overflow = "visible"
            box.add_class("svc-controls")
        self.more.observe(lambda change: show(rest, change.new), "value")
        show(rest, False)

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
        names = filter(None, (name.strip() for name in self.names.value.split(",")))
        protect = [*self.protect.value, *names, *protected_of(before.options)[2]]
        options |= {"budget": budget_of(self.budget.value), "protect": protect or None}
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
        self.protect.offer([(kind, kind, PROTECTED[kind]) for kind in KINDS], kinds)
        _write(self.names, ", ".join(names))
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
    """What is to be kept as it is: kinds, names, and what else was given in code."""
    given = options.get("protect")
    items = [] if given is None else list(given) if isinstance(given, list | tuple | set) else [given]
    if ALL in items:
        kinds = [kind for kind in KINDS if kind != "tags" or not options.get("tag_handling")]
        items = [*kinds, *(item for item in items if item != ALL)]
    kinds = [item for item in items if isinstance(item, str) and item in KINDS]
    names = [item for item in items if isinstance(item, str) and item not in KINDS]
    return kinds, names, [item for item in items if not isinstance(item, str)]


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
