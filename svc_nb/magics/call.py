"""One use of a magic: what stands in its line, and what holds where the line says nothing."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from IPython.core.error import UsageError

from svc_nb.errors import UnknownLanguage
from svc_nb.language_codes import listed
from svc_nb.magics.defaults import Defaults
from svc_nb.magics.line import unquoted
from svc_nb.magics.names import Names
from svc_nb.magics.options import Options
from svc_nb.session import current
from svc_nb.wire.languages import target

NONE = ("none", "")


@dataclass(frozen=True)
class Call:
    """What a person has written: *head* stands before the options; *defaults* is what `%config SvcMagics` has."""

    head: str
    options: argparse.Namespace
    names: Names
    defaults: Defaults

    def value(self) -> Any:
        """What the head means in the notebook."""
        return self.names.value(self.head)

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
        """How to translate, by the names that `.svc.translate` has for it."""
        found = {
            **{
                name: self._chosen(name)
                for name in ("source_lang", "glossary", "style", "formality", "context", "reporting_tag")
            },
            "budget": (self.defaults.budget or None) if self.options.budget is None else self.options.budget,
        }
        return {name: value for name, value in found.items() if value is not None}

    def kept(self, work: Callable[[], Any]) -> Any:
        """What *work* gives; with `--as` it gets that name and is not shown. A bad name is refused before."""
        if self.options.name is None:
            return work()
        place = self.names.place(self.options.name)
        place(work())
        return None

    def _chosen(self, name: str) -> str | None:
        """An option, or what is set for it; "none" is nothing."""
        said = getattr(self.options, name)
        chosen = getattr(self.defaults, name, "") if said is None else said
        return None if chosen.lower() in NONE else chosen


@dataclass(frozen=True)
class Command:
    """Something that `%svc` does: *run* is given a Call."""

    options: Options
    run: Callable[[Call], Any]
    says: str
    example: str
