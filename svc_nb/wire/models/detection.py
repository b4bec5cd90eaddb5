"""The language that a text was found to be in."""

from dataclasses import dataclass

from svc_nb.wire.models.noun import Noun


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
