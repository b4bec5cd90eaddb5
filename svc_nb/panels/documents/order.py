"""What is chosen in the documents panel: a language and options, checked when they are chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from svc_nb.documents.options import check_pair, checked_options, target_code
from svc_nb.session import current


@dataclass(frozen=True)
class Order:
    """The language to translate into, "" where none is chosen, and the options by name; None is never among them."""

    target: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    def with_target(self, code: str | None) -> Order:
        """The same into another language."""
        return replace(self, target=target_code(code, current().client) if code else "")

    def with_options(self, **given: Any) -> Order:
        """The same with other options; None takes one back. Raises TypeError or ValueError for what cannot be."""
        if given.get("glossary_id"):
            if given.get("glossary_ids"):
                raise ValueError("glossary_id and glossary_ids exclude each other: name all in glossary_ids")
            given["glossary_ids"] = [given["glossary_id"]]
        given.pop("glossary_id", None)
        merged = {**self.options, **given}
        options = {name: value for name, value in merged.items() if value not in (None, "", [], ())}
        if "glossary_ids" in options:
            options["glossary_ids"] = tuple(options["glossary_ids"])
        checked = dict(options)
        if not checked.get("source_lang"):
            checked.pop("glossary_ids", None)  # that one is missing is told, and it may be chosen yet
        found = checked_options(checked, current().client)
        if found.source_lang:
            options["source_lang"] = found.source_lang
        if self.target:
            check_pair(found, self.target)
        return replace(self, options=options)

    def fitting(self, unfit: Mapping[str, str]) -> dict[str, Any]:
        """The options without those that are *unfit*."""
        return {name: value for name, value in self.options.items() if name not in unfit}
