"""What goes wrong in a magic, told in one line; a bug keeps its traceback."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
from typing import Any

from IPython.core.error import UsageError

from svc_nb.errors import SvcError
from svc_nb.tracebacks import RENDER, on_purpose

SIMILAR = 0.6
MOST_SHOWN = 12
STOPPED = "What is done is kept; run it again to go on."


@contextmanager
def told_in_a_line() -> Iterator[None]:
    """Show an error that svc_nb has raised on purpose, Ctrl-C, and every warning of svc_nb, as one line.

    The error stays what it is, so that code can catch it by its class.
    """
    before = warnings.showwarning
    warnings.showwarning = partial(_warned, before)
    try:
        yield
    except UsageError:
        raise
    except (Exception, KeyboardInterrupt) as error:
        if isinstance(error, SvcError) or on_purpose(error):
            vars(error)[RENDER] = partial(_line, error)
        raise
    finally:
        warnings.showwarning = before


def instead(given: str, known: Iterable[str]) -> str:
    """What is nearest to *given* among *known*, as the end of a sentence; all of them where nothing is near.

    >>> instead("statsu", ["status", "style"]), instead("x", ["status", "style"]), instead("x", [])
    (': is status meant?', '; there are status, style', '')
    """
    names = {_plain(name): name for name in known}
    near = get_close_matches(_plain(given), names, n=1, cutoff=SIMILAR)
    if near:
        return f": is {names[near[0]]} meant?"
    shown = list(names.values())[:MOST_SHOWN]
    more = ", …" if len(names) > MOST_SHOWN else ""
    return f"; there are {', '.join(shown)}{more}" if shown else ""


def _plain(name: str) -> str:
    """What counts in comparing names: all options begin with the same dashes."""
    return name.casefold().lstrip("-")


def _line(error: BaseException) -> list[str]:
    told = error.args[0] if isinstance(error, KeyError) and error.args else error
    if isinstance(error, KeyboardInterrupt) and not error.args:
        told = STOPPED
    return [f"{type(error).__name__}: {told}"]


def _warned(before: Any, message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
    if category.__module__.startswith("svc_nb."):
        sys.stderr.write(f"{category.__name__}: {message}\n")
    else:
        before(message, category, *place, **more)
