"""One use of a magic: what stands in its line, and what holds where the line says nothing."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics
from traitlets import Bool, Enum, Float, Integer, Unicode

from svc_nb.errors import UnknownLanguage
from svc_nb.language_codes import listed
from svc_nb.magics.line import unquoted
from svc_nb.magics.namespace import UserNamespace
from svc_nb.session import current
from svc_nb.wire.languages import target
from svc_nb.wire.models.text import FORMALITIES

NONE = ("none", "")
CHOSEN = ("source_lang", "glossary", "style", "formality", "context", "reporting_tag")


class Defaults(Magics):
    """The settings of the magics, which `%config SvcMagics` sets."""

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


@dataclass(frozen=True)
class Call:
    """What a person has written: *head* stands before the options; *defaults* is what `%config SvcMagics` has."""

    head: str
    options: argparse.Namespace
    names: UserNamespace
    defaults: Defaults

    @property
    def title(self) -> str:
        """The head as a name."""
        return unquoted(self.head)

    def targets(self) -> list[str]:
        """The languages to translate into, as codes."""
        said = self.options.to or [self.defaults.target_lang]
        try:
            found = [target(part, current().client, field="--to") for each in said for part in listed(each)]
        except UnknownLanguage as problem:
            raise UsageError(str(problem)) from None
        if not found:
            raise UsageError(
                'into which language? Write --to DE, or set one: %config SvcMagics.target_lang = "DE"'
            )
        return found

    def fields(self) -> dict[str, Any]:
        """How to translate, by the names that `.svc.translate` has for it; what is "none" is left out."""
        found: dict[str, Any] = {}
        for name in CHOSEN:
            said = getattr(self.options, name)
            chosen = getattr(self.defaults, name, "") if said is None else said
            if chosen.lower() not in NONE:
                found[name] = chosen
        budget = (self.defaults.budget or None) if self.options.budget is None else self.options.budget
        return found if budget is None else {**found, "budget": budget}

    def kept(self, work: Callable[[], Any]) -> Any:
        """What *work* gives; with `--as` it gets that name and is not shown. A bad name is refused before."""
        if self.options.name is None:
            return work()
        put = self.names.setter(self.options.name)
        put(work())
        return None
