"""What help and completion show of a function that takes its options by `**`: each of them, by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def shows(names: Iterable[str]) -> Callable[[Function], Function]:
    """Put *names* into the signature of a function, in the place of its `**`; their defaults are shown as None.

    >>> @shows(["formality"])
    ... def translate(text, **options): ...
    >>> inspect.signature(translate)
    <Signature (text, *, formality=None)>
    """

    def show(function: Function) -> Function:
        signature = inspect.signature(function)
        *kept, _ = signature.parameters.values()
        there = {each.name for each in kept}
        named = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default="raise" if name == "errors" else None
            )
            for name in names
            if name not in there
        ]
        function.__signature__ = signature.replace(parameters=[*kept, *named])  # type: ignore[attr-defined]
        return function

    return show
