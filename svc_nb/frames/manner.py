"""How a job treats its rows: what it skips, what it may cost, what a failure does."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from svc_nb.batch.rules import RULES


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """`skip` names the rules that keep a text from being sent, `budget` is the most characters to pay for.

    `errors` is "raise" or "coerce": what fails raises at the end, or leaves a gap. `again` says which rows the service
    is asked for even if the store has an answer: True for all of them, or a label or a truth value for each.
    """

    errors: str = "raise"
    skip: Collection[str] = RULES
    budget: int | None = None
    again: Any = False

    def __post_init__(self) -> None:
        if self.errors not in ("raise", "coerce"):
            raise ValueError(f'errors: expected "raise" or "coerce", found {self.errors!r}')
        _check_skip(self.skip)
        _check_budget(self.budget)

    @property
    def coerce(self) -> bool:
        """Whether what fails leaves a gap."""
        return self.errors == "coerce"


def _check_skip(skip: Collection[str]) -> None:
    known = ", ".join(sorted(RULES))
    if isinstance(skip, str) or not isinstance(skip, Collection):
        raise TypeError(f"skip: expected a list of rules, found {skip!r}; there are {known}")
    if unknown := sorted(str(rule) for rule in skip if not isinstance(rule, str) or rule not in RULES):
        raise ValueError(f"skip: there is no rule {unknown[0]!r}; there are {known}")


def _check_budget(budget: int | None) -> None:
    if budget is None:
        return
    if isinstance(budget, bool) or not isinstance(budget, Integral):
        raise TypeError(f"budget: expected a whole number of characters, found {type(budget).__name__}")
    if budget < 0:
        raise ValueError(f"budget: expected 0 or more characters, found {budget}")
