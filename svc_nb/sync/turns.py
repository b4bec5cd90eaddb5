"""Things to do one after another, of which an error tells how many were done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from svc_nb.errors import SvcError

T = TypeVar("T")
Progress = Callable[[int, int], None]


def in_turn(steps: Sequence[T], do: Callable[[T], None], *, done: Progress) -> None:
    """Do *steps*; after each, *done* hears how many of how many are done. An error stops and tells it too."""
    for number, step in enumerate(steps):
        try:
            do(step)
        except SvcError as error:
            error.add_note(
                f"{number} of {len(steps)} steps were done; run it again, and only the rest is done."
            )
            raise
        done(number + 1, len(steps))
