"""A translated text, and what one can ask of a translation."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from svc_nb.wire.models.noun import Noun

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
class TranslateOptions(Noun):
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

    def __post_init__(self) -> None:
        for name in SEQUENCES:
            given = getattr(self, name)
            if isinstance(given, str):
                raise TypeError(f"{name}: expected a list of strings, found one string; put it in a list")
            if given is not None:
                object.__setattr__(self, name, tuple(given))


SEQUENCES = tuple(field.name for field in fields(TranslateOptions) if field.type == Sequence[str] | None)
