"""How an error looks in a notebook: a mistake that users can fix shows no lines of svc_nb; a bug shows all of them.

`%debug` still sees every frame, and so does `%tb` after `%xmode Verbose`. Outside IPython nothing changes.
"""

import functools
import linecache
import sys
import traceback
from collections.abc import Callable, MutableMapping
from types import FunctionType, TracebackType
from typing import Any, TypeVar, cast

Kind = TypeVar("Kind", bound=type)
Function = TypeVar("Function", bound=Callable[..., Any])
# If an error has this method, IPython calls it instead of showing the traceback itself.
RENDER = "_render_traceback_"


def verbs(kind: Kind) -> Kind:
    """Make `verb`s of the public methods of a class, and of its constructor."""
    for name, member in list(vars(kind).items()):
        if isinstance(member, FunctionType) and (name == "__init__" or not name.startswith("_")):
            setattr(kind, name, verb(member))
    return kind


def module_verbs(module: MutableMapping[str, Any]) -> None:
    """Make `verb`s of the public functions of a module, given as its `globals()`; Tab shows its public names alone."""
    module.setdefault("__dir__", lambda: sorted(module["__all__"]))
    for name in module["__all__"]:
        if isinstance(module.get(name), FunctionType):
            module[name] = verb(module[name])


def verb(function: Function) -> Function:
    """A function that people call: mistakes get a short traceback, and a missing argument names only the function."""

    @functools.wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except (Exception, KeyboardInterrupt) as error:
            # A traceback that ends here means that the arguments do not fit.
            ends_here = error.__traceback__ is not None and error.__traceback__.tb_next is None
            if "IPython" in sys.modules and not hasattr(error, RENDER) and (ends_here or on_purpose(error)):
                vars(error)[RENDER] = functools.partial(render, error)
            raise

    if function.__name__ != "__init__":
        function.__qualname__ = function.__name__  # Python's message for a missing argument begins with it
    return cast("Function", called)


def on_purpose(error: BaseException) -> bool:
    """Whether someone stopped it, a file cannot be used, or svc_nb raised it explicitly: anything else is a bug."""
    if isinstance(error, OSError | KeyboardInterrupt):
        return True
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    return _is_ours(frame) and linecache.getline(frame.f_code.co_filename, line).lstrip().startswith("raise ")


def render(error: BaseException) -> list[str]:
    """What IPython would show for *error*, without its cause and without anything after the first line of svc_nb."""
    from IPython.core.getipython import get_ipython

    shell = get_ipython()
    if shell is None:
        return traceback.format_exception(error)
    show = shell.InteractiveTB
    if show.mode == "Verbose":
        whole: list[str] = show.structured_traceback(type(error), error, error.__traceback__)
        return whole
    cause, suppressed = error.__cause__, error.__suppress_context__
    error.__cause__ = None  # which hides the context as well
    try:
        short: list[str] = show.structured_traceback(type(error), error, _before_ours(error.__traceback__))
        return short
    finally:
        error.__cause__, error.__suppress_context__ = cause, suppressed


def _before_ours(whole: TracebackType | None) -> TracebackType | None:
    """The traceback as far as the first line of svc_nb."""
    if whole is None or _is_ours(whole.tb_frame):
        return None
    return TracebackType(_before_ours(whole.tb_next), whole.tb_frame, whole.tb_lasti, whole.tb_lineno)


def _is_ours(frame: Any) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == "svc_nb"
