"""The magics as IPython knows them. A magic parses, calls, returns."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import (
    line_cell_magic,
    line_magic,
    magics_class,
    needs_local_scope,
    no_var_expand,
    output_can_be_silenced,
)

from svc_nb.magics import commands
from svc_nb.magics.cell import translated
from svc_nb.magics.commands import cell_help, overview
from svc_nb.magics.defaults import Defaults
from svc_nb.magics.names import Names
from svc_nb.magics.slips import told_in_a_line


@magics_class
class SvcMagics(Defaults):
    """`%svc` and `%%translate`; what a line does not say is as it is set here."""

    @no_var_expand
    @output_can_be_silenced
    @needs_local_scope
    @line_magic
    def svc(self, line: str, local_ns: dict[str, Any] | None = None) -> Any:  # noqa: D102  # its help is made below
        with told_in_a_line():
            return commands.run(line.rstrip(" ;"), names=Names(self.shell, local_ns or {}), defaults=self)

    @no_var_expand
    @needs_local_scope
    @line_cell_magic
    def translate(self, line: str, cell: str | None = None, local_ns: dict[str, Any] | None = None) -> Any:  # noqa: D102
        with told_in_a_line():
            if line.strip() == "--help" or (cell is not None and "--help" in line.split()):
                return commands.Help(cell_help())
            return translated(line, cell, names=Names(self.shell, local_ns or {}), defaults=self)


SvcMagics.svc.__doc__ = overview()
SvcMagics.translate.__doc__ = cell_help()
