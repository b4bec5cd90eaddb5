"""What help and completion show: every option that a function takes with `**`, and no names that only svc_nb uses."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound=type)
# Defaults of options taken with `**`; all others default to None.
DEFAULTS = {"errors": "raise", "progress": True, "detect": False, "round_trip": False}


def shows(names: Iterable[str]) -> Callable[[Function], Function]:
    """Put *names*, with their defaults, into the signature of a function instead of its `**`.

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
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=DEFAULTS.get(name))
            for name in names
            if name not in there
        ]
        function.__signature__ = signature.replace(parameters=[*kept, *named])  # type: ignore[attr-defined]
        return function

    return show


def hides(*names: str) -> Callable[[Kind], Kind]:
    """Hide *names* from `dir` and completion of a class and its subclasses."""

    def hide(kind: Kind) -> Kind:
        whole: Callable[[object], Iterable[str]] = kind.__dir__  # type: ignore[assignment]

        def shown(self: object) -> list[str]:
            return [name for name in whole(self) if name not in names]

        kind.__dir__ = shown  # type: ignore[assignment]
        return kind

    return hide
