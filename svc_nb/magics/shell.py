"""The magics as IPython knows them, and what `%config SvcMagics` sets for them. A magic parses, calls, returns."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import (
    Magics,
    line_cell_magic,
    line_magic,
    magics_class,
    needs_local_scope,
    no_var_expand,
    output_can_be_silenced,
)
from traitlets import Bool, Enum, Float, Integer, Unicode

from svc_nb.magics import commands
from svc_nb.magics.cell import translated
from svc_nb.magics.commands import cell_help, overview
from svc_nb.magics.names import Names
from svc_nb.magics.slips import told_in_a_line
from svc_nb.models.translation import FORMALITIES


@magics_class
class SvcMagics(Magics):
    """`%svc` and `%%translate`; what a line does not say is as it is set here."""

    target_lang = Unicode("", help="The language to translate into: DE, EN-US, German.").tag(config=True)
    source_lang = Unicode("", help="What texts are in; found out where it is not set.").tag(config=True)
    glossary = Unicode("", help="The name or id of a glossary to use.").tag(config=True)
    style = Unicode("", help="The name or id of a style rule list to use.").tag(config=True)
    formality = Enum(("", *FORMALITIES), "", help="How formal to be.").tag(config=True)
    reporting_tag = Unicode("", help="The tag to book characters under.").tag(config=True)
    profile = Unicode("", help="The profile of the config file that %svc connect takes.").tag(config=True)
    price = Float(0.0, min=0, help="What a million characters cost, for %svc plan.").tag(config=True)
    budget = Integer(0, min=0, help="The most characters that one line may cost; 0 is no bound.").tag(
        config=True
    )
    progress = Bool(True, help="Whether to paint a bar.").tag(config=True)

    @property
    def set_by_hand(self) -> dict[str, Any]:
        """What is not as it was at first."""
        now = self.trait_values(config=True)
        return {name: value for name, value in now.items() if value != self.traits()[name].default_value}

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
