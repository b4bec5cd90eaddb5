"""What a dropdown of a panel offers, by value; what was given in code and has no title is there all the same."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import ipywidgets as widgets

GIVEN = object()  # what was given in code and has no name to choose it by
AS_GIVEN = "as given in code"


def called(things: Sequence[Any]) -> dict[Any, str]:
    """Each thing's name by its id; where two have one name, a piece of the id stands with it."""
    names = [thing.name for thing in things]
    return {
        thing.id: thing.name if names.count(thing.name) == 1 else f"{thing.name} ({thing.id[:8]})"
        for thing in things
    }


def offer_choices(control: widgets.Dropdown, titles: Mapping[Any, str], chosen: Any) -> None:
    """Offer *titles* by value with *chosen* chosen, "" for None; what has no title is there as given in code."""
    chosen = "" if chosen is None else chosen
    options = [(title, value) for value, title in titles.items()]
    value = chosen if isinstance(chosen, Hashable) and chosen in titles else GIVEN
    if isinstance(chosen, str) and value is GIVEN:
        value = next(
            (each for each in titles if isinstance(each, str) and each.upper() == chosen.upper()), GIVEN
        )
    if value is GIVEN:
        options.append((AS_GIVEN, GIVEN))
    if list(control.options) != options:
        control.options = options  # this chooses the first one
    if control.value != value:
        control.value = value
