"""The language that a text was found to be in."""

from dataclasses import dataclass

from svc_nb.models.noun import Noun


@dataclass(frozen=True, slots=True)
class Detection(Noun):
    """The answer for one text; `detected_language` is None unless `detection_status` is "success"."""

    detection_status: str
    detected_language: str | None = None
    trace_id: str | None = None
