"""The resources on the service: glossaries, style rules, spoken terms, translation memories."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from svc_nb.secret import Secret
from svc_nb.wire.models.base import Noun, Timed

# ---- glossaries in both forms, and the dictionaries in them


@dataclass(frozen=True, slots=True)
class LanguagePair(Noun):
    """A language pair that a glossary can have."""

    source_lang: str
    target_lang: str


@dataclass(frozen=True, slots=True)
class Glossary(Timed):
    """A glossary of the v2 form: one language pair; translations can use it once `ready` is true."""

    glossary_id: str
    name: str
    ready: bool
    source_lang: str
    target_lang: str
    creation_time: datetime
    entry_count: int


@dataclass(frozen=True, slots=True)
class DictionaryInfo(Noun):
    """The description of a dictionary in a glossary, without its entries."""

    source_lang: str
    target_lang: str
    entry_count: int


@dataclass(frozen=True, slots=True)
class Dictionary(Noun):
    """The terms of one language pair; `entries` is text in `entries_format`, "tsv" or "csv"."""

    source_lang: str
    target_lang: str
    entries: str
    entries_format: str = "tsv"


@dataclass(frozen=True, slots=True)
class MultilingualGlossary(Timed):
    """A glossary of the v3 form: any number of dictionaries."""

    glossary_id: str
    name: str
    dictionaries: tuple[DictionaryInfo, ...]
    creation_time: datetime


# ---- style rule lists


@dataclass(frozen=True, slots=True)
class CustomInstruction(Noun):
    """One instruction in plain language; `id` is None until the service has stored it."""

    label: str
    prompt: str
    source_language: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class StyleRuleList(Timed):
    """A named set of style rules for one language; `version` grows with every change.

    `configured_rules` maps category to rule to option. It and `custom_instructions` are None if a listing left them
    out, which is not the same as empty.
    """

    style_id: str
    name: str
    creation_time: datetime
    updated_time: datetime
    language: str
    version: int
    configured_rules: Mapping[str, Mapping[str, str]] | None = None
    custom_instructions: tuple[CustomInstruction, ...] | None = None


# ---- spoken terms


@dataclass(frozen=True, slots=True)
class TermListInfo(Noun):
    """The description of a term list in a collection, without its terms."""

    lang: str
    entry_count: int


@dataclass(frozen=True, slots=True)
class TermList(Noun):
    """The terms of one language; `entries` is text, one term per line."""

    lang: str
    entries: str


@dataclass(frozen=True, slots=True)
class SpokenTerms(Timed):
    """A collection: any number of term lists, one per language."""

    spoken_terms_id: str
    name: str
    term_lists: tuple[TermListInfo, ...]
    creation_time: datetime


# ---- translation memories, and the jobs that import and export them


@dataclass(frozen=True, slots=True)
class TranslationMemory(Timed):
    """A memory without its segments: texts in one language, each with translations into some of the others."""

    translation_memory_id: str
    name: str
    source_language: str
    target_languages: tuple[str, ...]
    segment_count: int
    creation_time: datetime | None = None
    updated_time: datetime | None = None


@dataclass(frozen=True, slots=True)
class MemoryPage(Noun):
    """Some of the memories; `total_count` is the number of all."""

    translation_memories: tuple[TranslationMemory, ...]
    total_count: int


@dataclass(frozen=True, slots=True)
class MemoryTarget(Timed):
    """A translation of a segment."""

    target_segment_id: str
    target_language: str
    target_text: str
    creation_time: datetime | None = None
    updated_time: datetime | None = None
    last_used_time: datetime | None = None


@dataclass(frozen=True, slots=True)
class MemorySegment(Timed):
    """A text of a memory with its translations."""

    source_segment_id: str
    source_text: str
    targets: tuple[MemoryTarget, ...]
    creation_time: datetime | None = None
    updated_time: datetime | None = None
    last_used_time: datetime | None = None


@dataclass(frozen=True, slots=True)
class SegmentPage(Noun):
    """Some segments of a memory; `segment_count` is that of the whole memory, whatever the filter.

    `next_page_cursor` requests the next page, and is None on the last.
    """

    segments: tuple[MemorySegment, ...]
    segment_count: int
    next_page_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryUpload(Timed):
    """An import that waits for its file: anyone with the address may write there until it expires."""

    job_id: str
    upload_url: Secret = field(repr=False)
    expires_at: datetime

    def to_wire(self) -> dict[str, Any]:
        """Write the upload with its address in plain text."""
        return {
            "job_id": self.job_id,
            "upload_url": self.upload_url.reveal(),
            "expires_at": self.expires_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class MemoryJobParameters(Noun):
    """The subject of a job: the name of the memory that an import creates, or the id of the one that is exported."""

    display_name: str | None = None
    translation_memory_id: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryExport(Noun):
    """An export that has begun, or already existed."""

    job_id: str
    parameters: MemoryJobParameters = MemoryJobParameters()


@dataclass(frozen=True, slots=True)
class MemoryJobError(Noun):
    """Why a job failed."""

    message: str


@dataclass(frozen=True, slots=True)
class MemoryJobFile(Noun):
    """The file of an import, as announced; `content_length` is in bytes."""

    content_type: str | None = None
    content_length: int | None = None


@dataclass(frozen=True, slots=True)
class MemoryJobStatusMetadata(Noun):
    """What the caller has to do before the job continues, such as "upload_file"."""

    required_action: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryJobResult(Timed):
    """The status of a job: "awaiting_input", "processing", "completed", "downloaded", "failed" or "expired"."""

    status: str
    download_url: Secret | None = field(default=None, repr=False, compare=False)
    expires_at: datetime | None = None
    error: MemoryJobError | None = None
    translation_memory_id: str | None = None
    skipped_segment_count: int | None = None
    status_metadata: MemoryJobStatusMetadata | None = None

    def to_wire(self) -> dict[str, Any]:
        """Write the result, never the address of its file."""
        return super(MemoryJobResult, replace(self, download_url=None)).to_wire()


@dataclass(frozen=True, slots=True)
class MemoryJob(Timed):
    """An import or an export; `results` has one item, and only an import has a `source_file`."""

    job_id: str
    operation: str
    results: tuple[MemoryJobResult, ...]
    creation_time: datetime | None = None
    updated_time: datetime | None = None
    product: str | None = None
    parameters: MemoryJobParameters = MemoryJobParameters()
    source_file: MemoryJobFile | None = None

    def to_wire(self) -> dict[str, Any]:
        """Write the job, never the address of its file."""
        bare = replace(self, results=())
        return {**super(MemoryJob, bare).to_wire(), "results": [each.to_wire() for each in self.results]}
