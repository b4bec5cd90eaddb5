"""How a command ends when it does not end well: one line on stderr, and a code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from svc_nb.cli.wording import spoken
from svc_nb.errors import SvcError, UnknownLanguage, one_line

FAILED, MISUSED, NOT_TRANSLATED, INTERRUPTED = 1, 2, 3, 130
LONGEST = 1000


class Failure(Exception):
    """A command cannot do what it was asked; the text is one line that says what to do."""

    code = FAILED


class Misuse(Failure):
    """A command was called with what it cannot take."""

    code = MISUSED


def tell(text: str) -> None:
    """Say *text* as one line on stderr."""
    print(f"svc-nb: {one_line(text, limit=LONGEST)}", file=sys.stderr, flush=True)


def ended(work: Callable[[], int], *, traceback: bool = False) -> int:
    """Do *work*, and give the code to exit with; what a person can mend is one line, and a bug keeps its traceback.

    With *traceback* nothing is caught but an interrupt and a reader who has left.
    """
    try:
        code = work()
        return code if _flushed() else FAILED
    except KeyboardInterrupt as end:
        tell(f"interrupted: {spoken(end)}" if end.args else "interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        let_go_of_stdout()
        return 0
    except (Failure, SvcError, OSError, ValueError, LookupError) as problem:
        if traceback:
            raise
        tell(spoken(problem))
        if isinstance(problem, UnknownLanguage):
            return MISUSED
        return problem.code if isinstance(problem, Failure) else FAILED


def _flushed() -> bool:
    """Whether all that was said has arrived, which a full disk can prevent; who has left raises BrokenPipeError."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as problem:
        let_go_of_stdout()
        tell(f"the output could not be written: {problem.strerror}")
        return False
    return True


def let_go_of_stdout() -> None:
    """Nobody reads any more: what is left to flush goes nowhere, so that Python says nothing of it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
