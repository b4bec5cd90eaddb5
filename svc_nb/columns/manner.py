"""How a job treats its rows: what it skips, what it may cost, what a failure does."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from numbers import Real
from typing import Any

from svc_nb.engine.skip_rules import RULES


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
        object.__setattr__(self, "budget", whole_budget(self.budget))

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


def whole_budget(budget: float | None) -> int | None:
    """A budget as an int: 1e6 and numpy's numbers are taken as well.

    >>> whole_budget(1e6)
    1000000
    """
    if budget is None:
        return None
    if isinstance(budget, bool) or not isinstance(budget, Real):
        raise TypeError(f"budget: expected a whole number of characters, found {type(budget).__name__}")
    if not 0 <= budget < float("inf") or budget != int(budget):
        raise ValueError(f"budget: expected a whole number of characters, 0 or more, found {budget}")
    return int(budget)
