"""A document on the service: how one finds it again, how far it is, and what one can ask of its translation."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from svc_nb.secret import Secret
from svc_nb.wire.models.base import Noun, RequestOptions

# The service was seen to estimate more than four years.
LONGEST_BELIEVED = 86_400


@dataclass(frozen=True, slots=True)
class DocumentHandle(Noun):
    """What the upload answered with; without the key nobody gets at the document any more."""

    document_id: str
    document_key: Secret = field(repr=False)

    def to_wire(self) -> dict[str, Any]:
        """Write the handle with its key in the clear."""
        return {"document_id": self.document_id, "document_key": self.document_key.reveal()}


@dataclass(frozen=True, slots=True)
class DocumentStatus(Noun):
    """How far a document is: `status` is "queued", "translating", "done" or "error".

    `billed_characters` are what the download costs or has cost. The embedded service also says who translated it
    (`model_type_used`), from which language, and how many characters no translator has: those were only marked.
    """

    document_id: str
    status: str
    seconds_remaining: int | None = None
    billed_characters: int | None = None
    error_message: str | None = None
    message: str | None = None
    model_type_used: str | None = None
    marked_characters: int | None = None
    detected_source_language: str | None = None

    @property
    def done(self) -> bool:
        """Whether the translation can be downloaded."""
        return self.status == "done"

    @property
    def marked(self) -> bool:
        """Whether the document, or a part of it, was not translated but only marked with the target language."""
        return bool(self.marked_characters)

    @property
    def failed(self) -> bool:
        """Whether there will be no translation."""
        return self.status == "error"

    @property
    def estimate(self) -> int | None:
        """The seconds that remain, if the service says so and it can be believed."""
        said = self.seconds_remaining
        return said if said is not None and 0 <= said <= LONGEST_BELIEVED else None

    @property
    def error(self) -> str | None:
        """Why there is no translation, in the service's words."""
        return self.error_message or self.message


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOptions(RequestOptions):
    """What shapes the translation of a document besides the target language; None leaves it to the service.

    `glossary_ids` may be given as a list; it is kept as a tuple, so that options can be compared and hashed.
    """

    source_lang: str | None = None
    formality: str | None = None
    glossary_id: str | None = None
    glossary_ids: Sequence[str] | None = None
    style_id: str | None = None
    translation_memory_id: str | None = None
    translation_memory_threshold: int | None = None
    output_format: str | None = None
    enable_watermark: bool | None = None


DOCUMENT_OPTIONS = tuple(each.name for each in fields(DocumentOptions))
