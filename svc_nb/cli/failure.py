"""How a command ends when it does not end well: one line on stderr, in the words of a shell, and an exit code."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from svc_nb.advice import Call, InPython, Option, Part, Setting, python
from svc_nb.errors import SvcError, UnknownLanguage, one_line

FAILED, MISUSED, NOT_TRANSLATED, INTERRUPTED = 1, 2, 3, 130
BY_SIGNAL = 128
SIGNALS = ("SIGTERM", "SIGHUP")  # Windows has no second one
LONGEST = 1000
# Where an option is not called like the parameter.
OPTIONS = {"target_lang": "--to", "source_lang": "--from", "glossary_id": "--id", "style_id": "--id"}
# Settings that the command line takes; all others come from the environment, and keys are never typed.
SETTINGS = {"base_url": "--base-url"}
COMMANDS = {
    "languages": "languages",
    "glossaries.list": "glossary list",
    "style_rules.list": "style list",
    "documents.resume": "documents --resume",
    "translate_notebook": "notebook",
    ".svc.lint": "glossary lint",
    ".svc.fix": "glossary fix",
}


class Failure(Exception):
    """A command cannot do what it was asked; the text is one line that says what to do."""

    code = FAILED


class Misuse(Failure):
    """A command was called with what it cannot take."""

    code = MISUSED


def tell(text: str) -> None:
    """Say *text* as one line on stderr."""
    print(f"svc-nb: {one_line(text, limit=LONGEST)}", file=sys.stderr, flush=True)


def exit_code(work: Callable[[], int], *, traceback: bool = False) -> int:
    """Do *work*, and give the exit code: a mistake is one line, a bug a traceback; with *traceback* both are raised."""
    try:
        code = work()
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as problem:  # of a full disk
            let_go_of_stdout()
            tell(f"the output could not be written: {problem.strerror}")
            return FAILED
        return code
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
        from svc_nb.tabular.streaming.source import InvalidOption

        if isinstance(problem, UnknownLanguage | InvalidOption):
            return MISUSED
        return problem.code if isinstance(problem, Failure) else FAILED


def let_go_of_stdout() -> None:
    """No one reads any more: what is left to flush goes nowhere, so that Python says nothing of it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


@contextmanager
def interrupting() -> Iterator[list[int]]:
    """Within the block SIGTERM and SIGHUP interrupt the main thread as Ctrl-C does, so that what was paid for is kept.

    Gives a list in which the first of them stands once it has come. Only those do that would kill the process: what is
    ignored, as under `nohup`, or taken already stays so.
    """
    signals: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        if not signals:  # `timeout` and terminals that are closed ask twice in a row
            signals.append(number)
            raise KeyboardInterrupt

    is_main = threading.current_thread() is threading.main_thread()
    known = [getattr(signal, name) for name in SIGNALS if is_main and hasattr(signal, name)]
    taken = [number for number in known if signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in taken:
            signal.signal(number, interrupt)
        yield signals
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


# ---- errors and advice in the words of a shell


def shell(part: Part) -> str:
    """*part* in the words of a shell.

    >>> [shell(each) for each in (Option("header", False), Option("encoding", "cp1252"), Setting("api_key"))]
    ['--no-header', '--encoding cp1252', 'SVC_API_KEY']
    """
    match part:
        case Option(name, value):
            option = OPTIONS.get(name, f"--{name.replace('_', '-')}")
            if value is False:
                return option.replace("--", "--no-", 1)
            return option if value in (None, True) else f"{option} {value}"
        case Setting(name):
            return f"{SETTINGS[name]} or {part.variable}" if name in SETTINGS else part.variable
        case Call(name):
            return f"`svc-nb {COMMANDS[name]}`" if name in COMMANDS else f"{python(part)} in Python"
        case InPython():
            return part.elsewhere


def spoken(problem: BaseException) -> str:
    """What *problem* says, for who sits at a shell."""
    if isinstance(problem, UnknownLanguage):
        field = problem.field or ""
        return str(problem).replace(field, OPTIONS.get(field, field), 1)
    if isinstance(problem, SvcError):
        return str(problem)
    if isinstance(problem, KeyError) and problem.args:
        return str(problem.args[0])
    if isinstance(problem, OSError) and problem.strerror:
        return f"{problem.filename}: {problem.strerror}" if problem.filename else problem.strerror
    return str(problem) or type(problem).__name__
