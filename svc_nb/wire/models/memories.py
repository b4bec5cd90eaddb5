"""Translation memories, their segments, and the jobs that fill and fetch them."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from svc_nb.secret import Secret
from svc_nb.wire.models.base import Noun, Timed


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
    """Some of the memories; `total_count` is that of all."""

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
    """Some segments of a memory; `segment_count` is that of the whole memory, whatever was looked for.

    `next_page_cursor` asks for the page behind this one, and is None on the last.
    """

    segments: tuple[MemorySegment, ...]
    segment_count: int
    next_page_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryUpload(Timed):
    """An import that waits for its file: who has the address may write there until it expires."""

    job_id: str
    upload_url: Secret = field(repr=False)
    expires_at: datetime

    def to_wire(self) -> dict[str, Any]:
        """Write the upload with its address in the clear."""
        return {
            "job_id": self.job_id,
            "upload_url": self.upload_url.reveal(),
            "expires_at": self.expires_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class MemoryJobParameters(Noun):
    """What a job is about: the name of the memory that an import makes, the id of the one that an export writes."""

    display_name: str | None = None
    translation_memory_id: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryExport(Noun):
    """An export that has begun, or was there already."""

    job_id: str
    parameters: MemoryJobParameters = MemoryJobParameters()


@dataclass(frozen=True, slots=True)
class MemoryJobError(Noun):
    """Why a job failed."""

    message: str


@dataclass(frozen=True, slots=True)
class MemoryJobFile(Noun):
    """The file of an import, as it was announced; `content_length` is in bytes."""

    content_type: str | None = None
    content_length: int | None = None


@dataclass(frozen=True, slots=True)
class MemoryJobStatusMetadata(Noun):
    """What the caller has to do before the job goes on, such as "upload_file"."""

    required_action: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryJobResult(Timed):
    """How a job stands: "awaiting_input", "processing", "completed", "downloaded", "failed" or "expired"."""

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
