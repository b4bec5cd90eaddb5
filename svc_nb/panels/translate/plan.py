"""What to translate, into which languages and how; a job is made from it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import pandas as pd

from svc_nb.columns import translation
from svc_nb.columns.job import TextJob, whole_budget
from svc_nb.columns.options import Fields, check_names
from svc_nb.columns.protection import items_of
from svc_nb.panels.parts.amounts import number
from svc_nb.session import current
from svc_nb.wire.languages import target


@dataclass(frozen=True)
class Order:
    """The *columns* by label, the *targets* by code, a *price* for a million characters, and other options.

    The options have the names that `df.svc.translate` uses, without those that are None; `protect` is a list, empty if
    nothing is protected.
    """

    columns: tuple[Hashable, ...] = ()
    targets: tuple[str, ...] = ()
    price: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_names(dict(self.options), Fields)
        context = self.options.get("context")
        if context is not None and not isinstance(context, str):
            raise TypeError(f"context: expected a text or the name of a column, found {type(context).__name__}")
        options = {**self.options, "budget": whole_budget(self.options.get("budget"))}
        if options.get("protect") is not None:
            options["protect"] = items_of(options["protect"])
        object.__setattr__(self, "options", {k: v for k, v in options.items() if v is not None})

    @property
    def whole(self) -> bool:
        """Whether a column and a target are chosen."""
        return bool(self.columns and self.targets)

    @property
    def unit(self) -> str:
        """What is counted: a row, or a cell if there are several columns or targets."""
        return "row" if len(self.columns) * len(self.targets) <= 1 else "cell"

    def gives_same(self, other: Order) -> bool:
        """Whether it gives the same translations as *other*, whatever they cost."""
        return replace(self.with_options(budget=None), price=None) == replace(
            other.with_options(budget=None), price=None
        )

    def with_options(self, **options: Any) -> Self:
        """The same order with other *options*; None removes one."""
        return replace(self, options={**self.options, **options})

    def after(self, spent: int) -> Self:
        """The same order with the rest of its budget when this many characters are *spent*."""
        budget = self.options.get("budget")
        return self if budget is None else self.with_options(budget=max(0, budget - spent))

    def job(self, frame: pd.DataFrame) -> TextJob:
        """A job for the columns of *frame*, not started; cells that cannot be sent are missing values, not errors."""
        fields: Any = {"errors": "coerce", **self.options}
        return translation(frame, list(self.columns), list(self.targets), False, fields)


def targets_of(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """The codes of one or several languages, each once."""
    if given is None:
        return ()
    said = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(each, str) and each.strip() for each in said):
        raise TypeError(f'targets: expected a language such as "DE", or a list of them, found {given!r}')
    client = current().client
    return tuple(dict.fromkeys(target(each, client, field="targets") for each in said))


def price_of(given: Any) -> float | None:
    """A price as a number of 0 or more, or None; raises ValueError for anything else.

    >>> price_of("20"), price_of("19,99"), price_of("2,500"), price_of(" "), price_of(None)
    (20.0, 19.99, 2500.0, None, None)
    """
    if given is None or (isinstance(given, str) and not given.strip()):
        return None
    if isinstance(given, str):
        amount = number(given, fraction="a price with a fraction")
        given = -1.0 if amount is None else amount
    try:
        price = float(given)
    except (TypeError, ValueError):
        price = -1.0
    if isinstance(given, bool) or not 0 <= price < float("inf"):
        raise ValueError("price: expected the price of a million characters, such as 20")
    return price
