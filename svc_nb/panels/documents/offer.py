"""What the service has to offer for documents, and which of the options fit the files and the languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from svc_nb.errors import Forbidden, NotFound
from svc_nb.panels.documents.papers import CAN_HAVE_WATERMARK
from svc_nb.panels.translate.offer import GlossaryOffer, Offer, StyleOffer, base
from svc_nb.session import current
from svc_nb.wire.models import TranslationMemory

RESOURCE = "translate_document"


@dataclass(frozen=True)
class MemoryOffer:
    """A memory by id, its name, the base language of its texts and those of their translations."""

    id: str
    name: str
    source: str
    targets: frozenset[str]


@dataclass(frozen=True)
class DocumentOffer(Offer):
    """The languages for documents, the glossaries, the style lists and the translation memories."""

    memories: Sequence[MemoryOffer] = ()

    @classmethod
    def now(cls) -> DocumentOffer:
        """What the service of the current session says now; a key that may not see memories is offered none."""
        offer = cls.asked(resource=RESOURCE)
        try:
            found = current().client.memories.list()
        except (Forbidden, NotFound):
            found = []
        return replace(offer, memories=[_memory_of(each) for each in found])

    def glossaries_for(self, source: str | None, target: str) -> list[GlossaryOffer]:
        """The glossaries with terms from *source* into *target*; without a source none can be used."""
        pair = (base(source or ""), base(target))
        return [each for each in self.glossaries if pair in each.pairs] if source else []

    def styles_for(self, target: str) -> list[StyleOffer]:
        """The style lists for *target*."""
        return self.fitting_styles([target]) if target else []

    def memories_for(self, source: str | None, target: str) -> list[MemoryOffer]:
        """The memories with translations into *target*, from *source* where that is known."""
        return [
            each
            for each in self.memories
            if base(target) in each.targets and (not source or each.source == base(source))
        ]

    def unfit(self, options: Mapping[str, Any], target: str, kinds: Iterable[str]) -> dict[str, str]:
        """The names of *options* that would do nothing, or be refused, each with the reason."""
        there = set(kinds)
        found = {**self._unfit_terms(options, target), **self._unfit_lists(options, target)}
        if options.get("formality") and not self.supports(target, "formality"):
            found["formality"] = f"there is no formality in {self.name(target)}"
        if options.get("output_format") and "pdf" not in there:
            found["output_format"] = "there is no pdf"
        if options.get("enable_watermark") and not there & CAN_HAVE_WATERMARK:
            found["enable_watermark"] = "only docx and pdf have one"
        return found

    def _unfit_terms(self, options: Mapping[str, Any], target: str) -> dict[str, str]:
        source, ids = options.get("source_lang"), options.get("glossary_ids") or ()
        known = {each.id for each in self.glossaries}
        fit = {each.id for each in self.glossaries_for(source, target)}
        if ids and not source:
            return {"glossary_ids": "a glossary needs the language of the documents"}
        if [each for each in ids if each in known and each not in fit]:
            return {"glossary_ids": f"not all have terms from {source} into {target}"}
        return {}

    def _unfit_lists(self, options: Mapping[str, Any], target: str) -> dict[str, str]:
        source, found = options.get("source_lang"), {}
        for name, known, fit in (
            ("style_id", self.styles, self.styles_for(target)),
            ("translation_memory_id", self.memories, self.memories_for(source, target)),
        ):
            wanted = options.get(name)
            if wanted in {each.id for each in known} - {each.id for each in fit}:
                found[name] = f"it is not for {self.name(target)}"
        if options.get("translation_memory_threshold") is not None and (
            not options.get("translation_memory_id") or "translation_memory_id" in found
        ):
            found["translation_memory_threshold"] = "there is no translation memory"
        return found


def _memory_of(found: TranslationMemory) -> MemoryOffer:
    targets = frozenset(base(each) for each in found.target_languages)
    return MemoryOffer(found.translation_memory_id, found.name, base(found.source_language), targets)
