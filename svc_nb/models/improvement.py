"""A rephrased or corrected text."""

from dataclasses import dataclass

from svc_nb.models.noun import Noun


@dataclass(frozen=True, slots=True)
class Improvement(Noun):
    """One text in better words, as it was answered."""

    text: str
    detected_source_language: str
    target_language: str | None = None
    trace_id: str | None = None
