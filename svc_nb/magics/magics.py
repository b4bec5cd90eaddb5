"""The magics for IPython. A magic parses, calls, and returns; errors are shown in one line."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import (
    line_cell_magic,
    line_magic,
    magics_class,
    needs_local_scope,
    no_var_expand,
    output_can_be_silenced,
)

from svc_nb.errors import SvcError
from svc_nb.magics import cell as cells
from svc_nb.magics import commands
from svc_nb.magics.line import Defaults, UserNamespace
from svc_nb.tracebacks import RENDER, on_purpose

STOPPED = "Finished rows are kept; run it again to continue."


@magics_class
class SvcMagics(Defaults):
    """`%svc` and `%%translate`; the settings here are the defaults of every line."""

    @no_var_expand
    @output_can_be_silenced
    @needs_local_scope
    @line_magic
    def svc(self, line: str, local_ns: dict[str, Any] | None = None) -> Any:  # noqa: D102  # its help is made below
        with errors_in_one_line():
            return commands.run(line.rstrip(" ;"), names=UserNamespace(self.shell, local_ns or {}), defaults=self)

    @no_var_expand
    @needs_local_scope
    @line_cell_magic
    def translate(self, line: str, cell: str | None = None, local_ns: dict[str, Any] | None = None) -> Any:  # noqa: D102
        with errors_in_one_line():
            if line.strip() == "--help" or (cell is not None and "--help" in line.split()):
                return commands.Help(cells.cell_help())
            return cells.translate(line, cell, names=UserNamespace(self.shell, local_ns or {}), defaults=self)


SvcMagics.svc.__doc__ = commands.overview()
SvcMagics.translate.__doc__ = cells.cell_help()


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Show an error raised on purpose, Ctrl-C and every warning of svc_nb as one line; a bug keeps its traceback."""
    before = warnings.showwarning

    def warned(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
        if category.__module__.startswith("svc_nb."):
            sys.stderr.write(f"{category.__name__}: {message}\n")
        else:
            before(message, category, *place, **more)

    warnings.showwarning = warned
    try:
        yield
    except UsageError:
        raise
    except (Exception, KeyboardInterrupt) as error:
        if isinstance(error, SvcError) or on_purpose(error):
            told = error.args[0] if isinstance(error, KeyError) and error.args else error
            if isinstance(error, KeyboardInterrupt) and not error.args:
                told = STOPPED
            line = f"{type(error).__name__}: {told}"
            vars(error)[RENDER] = lambda: [line]
        raise
    finally:
        warnings.showwarning = before
