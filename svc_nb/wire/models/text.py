"""Texts as they are answered: translated, rephrased or corrected, or with their language; and what one can ask."""

from collections.abc import Sequence
from dataclasses import dataclass

from svc_nb.wire.models.base import Noun, RequestOptions

FORMALITIES = ("default", "more", "less", "prefer_more", "prefer_less")


@dataclass(frozen=True, slots=True)
class Translation(Noun):
    """One text in the target language, as it was answered.

    `model_type_used` is None for a service that does not say it. `ignored_options` are options that the service
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
    """What shapes a translation besides the texts and the target language; None leaves it to the service.

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
    """One text in better words, as it was answered.

    `model_type_used` is None for a service that does not say it; the embedded one says "speller" or "mechanical".
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

    What says how sure that is, is None where the service does not tell: `confidence` (0 to 1) is that of `best_guess`,
    a code that is given even if the service does not support the language; `script` is a code of ISO 15924.
    """

    detection_status: str
    detected_language: str | None = None
    confidence: float | None = None
    best_guess: str | None = None
    second_guess: str | None = None
    second_confidence: float | None = None
    script: str | None = None
    trace_id: str | None = None
