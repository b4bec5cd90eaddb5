"""A sign of life while a large file is looked at, for who sits at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from svc_nb.cli.screen import breadth
from svc_nb.errors import one_line

if TYPE_CHECKING:
    from svc_nb.cli.files.source import Source

# After how long something is said, in seconds, and how often.
EVERY = 0.5
LONGEST = 40


@contextmanager
def watched(source: Source, *, shown: bool = True) -> Iterator[None]:
    """Say how much of *source* was read, on one line of a terminal that is empty again at the end of the block.

    Nothing is said of what takes no time, nor where stderr is no terminal.
    """
    if not (shown and sys.stderr.isatty()):
        yield
        return
    said, due = "", monotonic() + EVERY

    def read(place: int) -> None:
        nonlocal said, due
        if monotonic() < due or not source.size:
            return
        due = monotonic() + EVERY
        said = f"checking {one_line(source.called, limit=LONGEST)}: {place / source.size:.0%}"
        print(f"\r{said}", end="", file=sys.stderr, flush=True)

    before, source.read = source.read, read
    try:
        yield
    finally:
        source.read = before
        if said:
            print(f"\r{' ' * breadth(said)}\r", end="", file=sys.stderr, flush=True)
