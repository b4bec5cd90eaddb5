"""Requests to the service and its answers: texts, documents, voice sessions, languages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

from svc_nb.secret import Secret
from svc_nb.wire.models.base import Noun, RequestOptions, read_noun

FORMALITIES = ("default", "more", "less", "prefer_more", "prefer_less")


@dataclass(frozen=True, slots=True)
class Translation(Noun):
    """One text in the target language, as answered.

    `model_type_used` is None if the service does not report it. `ignored_options` are options that the service
    accepted but could not follow, such as "formality".
    """

    text: str
    detected_source_language: str
    billed_characters: int | None = None
    model_type_used: str | None = None
    tag_handling_version: str | None = None
    trace_id: str | None = None
    ignored_options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslateOptions(RequestOptions):
    """The options of a translation, other than the texts and the target language; None leaves them to the service.

    Sequences may be given as lists; they are kept as tuples, so that options can be compared and hashed.
    """

    source_lang: str | None = None
    context: str | None = None
    split_sentences: str | None = None
    preserve_formatting: bool | None = None
    formality: str | None = None
    model_type: str | None = None
    glossary_id: str | None = None
    glossary_ids: Sequence[str] | None = None
    style_id: str | None = None
    custom_instructions: Sequence[str] | None = None
    translation_memory_id: str | None = None
    translation_memory_threshold: int | None = None
    tag_handling: str | None = None
    tag_handling_version: str | None = None
    outline_detection: bool | None = None
    non_splitting_tags: Sequence[str] | None = None
    splitting_tags: Sequence[str] | None = None
    ignore_tags: Sequence[str] | None = None
    enable_beta_languages: bool | None = None


@dataclass(frozen=True, slots=True)
class Improvement(Noun):
    """One rephrased or corrected text, as answered.

    `model_type_used` is None if the service does not report it; the embedded service has "speller" or "mechanical".
    `ignored_options` are options that the service accepted but could not follow, such as "tone".
    """

    text: str
    detected_source_language: str
    target_language: str | None = None
    trace_id: str | None = None
    model_type_used: str | None = None
    ignored_options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Detection(Noun):
    """The answer for one text; `detected_language` is None unless `detection_status` is "success".

    The other fields are None if the service does not report them: `confidence` (0 to 1) is that of `best_guess`, a code
    that is given even if the service does not support the language; `script` is an ISO 15924 code.
    """

    detection_status: str
    detected_language: str | None = None
    confidence: float | None = None
    best_guess: str | None = None
    second_guess: str | None = None
    second_confidence: float | None = None
    script: str | None = None
    trace_id: str | None = None


# ---- documents

# Services have been seen to estimate more than four years.
LONGEST_BELIEVED = 86_400


@dataclass(frozen=True, slots=True)
class DocumentHandle(Noun):
    """The answer to an upload; without its key the document is no longer accessible."""

    document_id: str
    document_key: Secret = field(repr=False)

    def to_wire(self) -> dict[str, Any]:
        """Write the handle with its key in plain text."""
        return {"document_id": self.document_id, "document_key": self.document_key.reveal()}


@dataclass(frozen=True, slots=True)
class DocumentStatus(Noun):
    """The progress of a document: `status` is "queued", "translating", "done" or "error".

    `billed_characters` are what the download costs or has cost. The embedded service also reports its translator
    (`model_type_used`), the source language, the number of characters that were only marked because no translator has
    them, the number of texts in a PDF that are too small to read for lack of room, the number of texts in a workbook
    that stayed unchanged because the result of a formula would have changed, and the number of formulas that may have
    other results, with the first of their cells.
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
    small_texts: int | None = None
    kept_texts: int | None = None
    risky_formulas: int | None = None
    risky_cells: str | None = None

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
        """The remaining seconds, if the service reports them and they are plausible."""
        said = self.seconds_remaining
        return said if said is not None and 0 <= said <= LONGEST_BELIEVED else None

    @property
    def error(self) -> str | None:
        """Why there is no translation: the service's message."""
        return self.error_message or self.message


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOptions(RequestOptions):
    """The options of a document's translation, other than the target language; None leaves them to the service.

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


# ---- voice sessions

MOST_TARGETS = 5
MOST_SPOKEN = 1
# Glossaries, of other requests as well.
MOST_PER_REQUEST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceRequest(RequestOptions):
    """The audio of a session and what to do with it; None leaves it to the service.

    `source_media_content_type` is the format of the audio, such as "audio/auto" or
    "audio/pcm;encoding=s16le;rate=16000". Sequences may be given as lists; they are kept as tuples.
    """

    source_media_content_type: str
    message_format: str | None = None
    source_language: str | None = None
    source_language_mode: str | None = None
    target_languages: Sequence[str] | None = None
    target_media_languages: Sequence[str] | None = None
    target_media_content_type: str | None = None
    target_media_voice: str | None = None
    spoken_terms_id: str | None = None
    glossary_id: str | None = None
    glossary_ids: Sequence[str] | None = None
    formality: str | None = None

    def checked(self) -> Self:
        """The request itself, or an error for what no service accepts: not text, too many, or contradictory values."""
        for name, given in ((each.name, getattr(self, each.name)) for each in fields(self)):
            for text in given if isinstance(given, tuple) else (given,):
                if not isinstance(text, str | None):
                    raise TypeError(f"{name}: expected text, found {type(text).__name__}")
        for name, most in (
            ("target_languages", MOST_TARGETS),
            ("target_media_languages", MOST_SPOKEN),
            ("glossary_ids", MOST_PER_REQUEST),
        ):
            count = len(getattr(self, name) or ())
            if count > most:
                raise ValueError(f"{name}: expected at most {most}, found {count}")
        if self.glossary_id is not None and self.glossary_ids:
            raise ValueError("glossary_id and glossary_ids: expected only one of them, found both")
        if self.source_language_mode == "fixed" and not self.source_language:
            raise ValueError('source_language_mode="fixed": expected a source_language with it, found none')
        return self


@dataclass(frozen=True, slots=True)
class VoiceSession:
    """The address of a session's stream; `token` opens it only once and for a short time: `{streaming_url}?token=...`.

    It is read from the service's answer and never written, because anyone with the token has the session.
    """

    streaming_url: str
    token: Secret
    session_id: str | None = None

    @classmethod
    def from_wire(cls, wire: object) -> Self:
        """Read the session, or raise WireError naming the member that is missing or wrong."""
        return read_noun(cls, wire)


# ---- languages, and what the service can do in each


@dataclass(frozen=True, slots=True)
class Language(Noun):
    """A language as listed by /v2/languages; only target languages have `supports_formality`."""

    language: str
    name: str
    supports_formality: bool | None = None


@dataclass(frozen=True, slots=True)
class FeatureSupport(Noun):
    """How well a language supports a feature; `external` when a partner provides it."""

    status: str | None = None
    external: bool = False


@dataclass(frozen=True, slots=True)
class LanguageSupport(Noun):
    """What one resource can do in a language, as listed by /v3/languages.

    The embedded service also reports its translator into the language from each other one (`translators`).
    """

    lang: str
    name: str
    usable_as_source: bool
    usable_as_target: bool
    status: str | None = None
    features: Mapping[str, FeatureSupport] = field(default_factory=dict)
    translators: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Feature(Noun):
    """A feature, and on which side of a pair the language must support it."""

    name: str
    needs_source_support: bool = False
    needs_target_support: bool = False


@dataclass(frozen=True, slots=True)
class Resource(Noun):
    """A part of the service whose languages can be listed, and its features."""

    name: str
    features: tuple[Feature, ...] = ()
