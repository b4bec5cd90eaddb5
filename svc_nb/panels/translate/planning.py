"""The first half of the translate panel: an order is put together and planned, and nothing is paid for that."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from svc_nb.columns.sheet import source_code
from svc_nb.panels.columns import holds_texts, written
from svc_nb.panels.panel import PATIENCE, Panel
from svc_nb.panels.translate import speech
from svc_nb.panels.translate.layout import Layout
from svc_nb.panels.translate.offer import Offer
from svc_nb.panels.translate.order import Order, price_of, targets_of
from svc_nb.panels.translate.texts import Texts
from svc_nb.session import current
from svc_nb.sync.kinds import GLOSSARY, STYLE

if TYPE_CHECKING:
    from svc_nb.columns.summary import PlanSummary

PAUSE = 0.2
READY = "Nothing leaves this machine, and nothing is paid, before you press the button."
KEEP: Any = object()


class Planning(Panel, ABC):
    """A panel in which columns, targets and options are chosen, and which tells what that will do and cost.

    On every change it is planned anew in a thread, a moment later. `_show_state` is what the other half fills in.
    """

    layout: Layout

    def __init__(self, table: Any) -> None:
        super().__init__()
        self.texts = Texts(table)
        self._offer = Offer()
        self._order = Order()
        self._plan: PlanSummary | None = None
        self._asked = 0
        self._about_plan = True  # whether it is the plan that the line speaks of

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
            order = replace(order, columns=self._columns(columns))
        if targets is not KEEP:
            order = replace(order, targets=targets_of(targets))
        if price is not KEEP:
            order = replace(order, price=price_of(price))
        self._take_order(order.with_options(**self._by_id(options)))
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
                raise self.problem or ValueError(speech.lacking(self._order, len(self.texts.columns)))
            return self._plan

    # ---- the order and its plan

    def _columns(self, given: Any) -> tuple[Hashable, ...]:
        labels = self.texts.labels_of(given)
        if not {column.label for column in self.texts.columns}.issuperset(labels):
            self.texts.look()  # it may be new
        for label in labels:
            if not isinstance(self.texts.frame[label], pd.Series) or not holds_texts(self.texts.frame[label]):
                raise ValueError(f"columns: {written(label)} holds no texts, or stands there twice")
        return tuple(labels)

    def _by_id(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """*options* with the ids of what was given by name."""
        found = dict(options)
        for name, kind in (("glossary", GLOSSARY), ("style", STYLE)):
            if name not in found:
                continue
            wanted = found.pop(name)
            if wanted is not None:
                self._turns.wait(PATIENCE)  # until the service has told what there is
                offered = self._offer.glossaries if kind is GLOSSARY else self._offer.styles
                wanted = kind.find(wanted, [(each.id, each.name) for each in offered])
            found[f"{name}_id"] = wanted
        return found

    def _listen(self) -> None:
        for control in self.layout.controls.all:
            control.observe(lambda change: self._clicked(self._chosen), "value")

    def _chosen(self) -> None:
        """Take what the controls say; where that makes no sense, there is no plan either."""
        try:
            order = self.layout.controls.order(self._order)
        except ValueError as problem:
            self._latest.drop()  # a plan on its way is not of what stands there now
            self._take_plan(problem)
            return
        self._take_order(order)

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

    def _show_controls(self) -> None:
        with self._quietly():
            self.layout.controls.show(self._order, self.texts, self._offer)
        misfits = self._offer.misfits(self._order.targets, self._order.options)
        self.layout.hints.say("\n".join(misfits), "change" if misfits else "info")
        self.layout.hints.layout.display = None if misfits else "none"

    def _replan(self) -> None:
        """Work out what the chosen will do and cost, a moment later; the latest counts."""
        order = self._order
        self._asked += 1
        self._plan = None
        if not order.whole:
            self._latest.drop()
            self._show_plan(None)
            return
        number = self._asked
        self.layout.figures.busy = True
        self._show_state()
        self._latest.ask(lambda: self._planned(order, number), self._take_plan)

    def _planned(self, order: Order, number: int) -> PlanSummary | None:
        time.sleep(PAUSE)  # whoever goes on choosing wants no plan of what was chosen on the way
        if number != self._asked:
            return None
        frame = self.texts.taken(order.columns, *map(order.options.get, ("source_lang", "context")))
        return order.job(frame).plan(price=order.price)

    def _take_plan(self, answer: Any) -> None:
        """Show a plan, or why there is none."""
        with self._lock:
            problem = answer if isinstance(answer, Exception) else None
            self._show_plan(None if problem else answer)
            if problem:
                self._tell(problem)
                self._about_plan = True
            self._settled()

    def _show_plan(self, plan: PlanSummary | None) -> None:
        self._plan = plan
        self.layout.figures.show([] if plan is None else speech.figures(plan))
        self._show_state()
        if self._about_plan:
            self._say(self._plan_words(plan))
            self._about_plan = True

    def _plan_words(self, plan: PlanSummary | None) -> str:
        if plan is None:
            return speech.lacking(self._order, len(self.texts.columns))
        return READY if speech.pressed(plan) else speech.nothing(plan)

    def _say(self, text: str, kind: str = "info") -> None:
        super()._say(text, kind)
        self._about_plan = False

    def _tell(self, problem: Exception) -> None:
        super()._tell(problem)
        self._about_plan = False

    @abstractmethod
    def _show_state(self) -> None:
        """Have the buttons follow what is known."""
