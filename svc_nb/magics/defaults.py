"""What `%config SvcMagics` sets: what holds where a line says nothing."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import Magics
from traitlets import Bool, Enum, Float, Integer, Unicode

from svc_nb.wire.models.translation import FORMALITIES


class Defaults(Magics):
    """The settings of the magics."""

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
