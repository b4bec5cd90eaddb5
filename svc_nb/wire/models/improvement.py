"""A rephrased or corrected text."""

from dataclasses import dataclass

from svc_nb.wire.models.noun import Noun


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
