"""A job for documents: what is chosen, what the service offers for it, and the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakSet

from svc_nb.documents.files import check_pair, checked_options, target_code
from svc_nb.documents.job import DocumentJob
from svc_nb.errors import Forbidden, NotFound
from svc_nb.panels.documents.table import CAN_HAVE_WATERMARK, DocumentFile
from svc_nb.panels.parts.job_panel import JobRun
from svc_nb.panels.parts.offer import GlossaryOffer, Offer, base
from svc_nb.session import current
from svc_nb.tabular.report import Report


@dataclass(frozen=True)
class DocumentOrder:
    """The language to translate into, "" if none is chosen, and the options by name, without those that are None."""

    target: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    def with_target(self, code: str | None) -> DocumentOrder:
        """The same order into another language."""
        return replace(self, target=target_code(code, current().client) if code else "")

    def with_options(self, **given: Any) -> DocumentOrder:
        """The same order with other options; None removes one. Raises TypeError or ValueError for invalid options."""
        if given.get("glossary_id"):
            if given.get("glossary_ids"):
                raise ValueError("glossary_id and glossary_ids cannot be combined: list all of them in glossary_ids")
            given["glossary_ids"] = [given["glossary_id"]]
        given.pop("glossary_id", None)
        merged = {**self.options, **given}
        options = {name: value for name, value in merged.items() if value not in (None, "", [], ())}
        if "glossary_ids" in options:
            options["glossary_ids"] = tuple(options["glossary_ids"])
        checked = dict(options)
        if not checked.get("source_lang"):
            checked.pop("glossary_ids", None)  # a missing language is reported later, and may still be chosen
        found = checked_options(checked, current().client)
        if found.source_lang:
            options["source_lang"] = found.source_lang
        if self.target:
            check_pair(found, self.target)
        return replace(self, options=options)


@dataclass(frozen=True)
class MemoryOffer:
    """A translation memory: its id and name, the base language of its texts, and those of their translations."""

    id: str
    name: str
    source: str
    targets: frozenset[str]


@dataclass(frozen=True)
class DocumentOffer(Offer):
    """The languages for documents, the glossaries, the style rule lists and the translation memories.

    *translators* has the base languages that can be translated into each target; only the embedded service reports
    them.
    """

    memories: Sequence[MemoryOffer] = ()
    translators: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def now(cls) -> DocumentOffer:
        """What the current session's service offers now; no memories for a key that may not see them."""
        offer = cls.asked(resource="translate_document")
        client = current().client
        embedded = client.transport.settings.is_loopback
        texts = client.languages.support("translate_text", include=("beta",)) if embedded else ()
        translators = {
            each.lang.upper(): frozenset(map(base, each.translators)) for each in texts if each.translators is not None
        }
        try:
            found = client.memories.list()
        except (Forbidden, NotFound):
            found = []
        memories = [
            MemoryOffer(
                each.translation_memory_id,
                each.name,
                base(each.source_language),
                frozenset(map(base, each.target_languages)),
            )
            for each in found
        ]
        return replace(offer, memories=memories, translators=translators)

    def lacking(self, source: str, target: str) -> str:
        """Which translator is missing, if the service reports that; *source* is "" if no language is chosen."""
        known, spoken, into = self.translators.get(target), base(source), base(target)
        if known is None or spoken in known or (spoken == into != "zh"):
            return ""
        if source:
            return f"no translator from {self.name(source)} into {self.name(target)}"
        return "" if known - {into} else f"no translator into {self.name(target)}"

    def glossaries_for(self, source: str | None, target: str) -> list[GlossaryOffer]:
        """The glossaries with terms from *source* into *target*; none without a source."""
        pair = (base(source or ""), base(target))
        return [each for each in self.glossaries if pair in each.pairs] if source else []

    def memories_for(self, source: str | None, target: str) -> list[MemoryOffer]:
        """The memories with translations into *target*, from *source* if that is known."""
        into, spoken = base(target), base(source or "")
        return [each for each in self.memories if into in each.targets and spoken in ("", each.source)]

    def unfit(self, options: Mapping[str, Any], target: str, kinds: Iterable[str]) -> dict[str, str]:
        """The names of *options* that would have no effect or be rejected, each with the reason."""
        there, source, found = set(kinds), options.get("source_lang"), {}
        ids = options.get("glossary_ids") or ()
        strange = {each.id for each in self.glossaries} - {each.id for each in self.glossaries_for(source, target)}
        if ids and not source:
            found["glossary_ids"] = "a glossary needs the language of the documents"
        elif strange.intersection(ids):
            found["glossary_ids"] = f"not all of them have terms from {source} into {target}"
        for name, known, fit in (
            ("style_id", self.styles, self.fitting_styles([target])),
            ("translation_memory_id", self.memories, self.memories_for(source, target)),
        ):
            if options.get(name) in {each.id for each in known} - {each.id for each in fit}:
                found[name] = f"it is not for {self.name(target)}"
        without = not options.get("translation_memory_id") or "translation_memory_id" in found
        if without and options.get("translation_memory_threshold") is not None:
            found["translation_memory_threshold"] = "there is no translation memory"
        if options.get("formality") and not self.supports(target, "formality"):
            found["formality"] = f"formality is not available in {self.name(target)}"
        if options.get("output_format") and "pdf" not in there:
            found["output_format"] = "there is no PDF in the list"
        if options.get("enable_watermark") and not there & CAN_HAVE_WATERMARK:
            found["enable_watermark"] = "only for DOCX and PDF"
        return found


EVERY = 0.25
_runs: WeakSet[DocumentRun] = WeakSet()


def running() -> list[DocumentRun]:
    """The runs in progress of all panels of this kernel."""
    return [each for each in _runs if each.going]


class DocumentRun(JobRun):
    """Follows *job*, whose files are *files* of the panel; *told* is called with "progress" and "end". Several panels
    may follow one job, each with a run of its own.
    """

    def __init__(self, job: DocumentJob, files: Sequence[DocumentFile], *, told: Callable[[Any, str], None]) -> None:
        super().__init__(told)
        self.job: DocumentJob = job
        self.files = list(files)
        _runs.add(self)
        self.table: Report | None = None
        self._over = False

    @property
    def going(self) -> bool:
        """Whether the job is running."""
        return not self._over

    def follow(self) -> None:
        """Follow the job to its end, and collect the result of each file."""
        while not self.job.wait(EVERY):
            self._tell("progress")
        try:
            self.table = self.job.result(errors="coerce", warn=False)
        except Exception as problem:
            self.problem = problem
            self.table = self.job.table()
        self._over = True
        self._tell("end")
