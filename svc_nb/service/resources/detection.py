"""The language detection operation (beta)."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ..operations import KIB, Call, Nothing, Operations
from ..problems import Problem, bad_request
from ..wire import FORM, JSON

operations = Operations()

MAX_TEXTS = 50


class DetectBody(Struct):
    """The texts; a missing list gets this operation's own words."""

    text: Annotated[list[str], Meta(max_length=MAX_TEXTS)] | None = None


class DetectionResult(Struct, omit_defaults=True):
    """What was found in one text; the contract's answer ends with the language, the rest says how sure that is."""

    detection_status: Literal[
        "success", "insufficient_confidence", "unsupported_language", "no_language_detected"
    ]
    detected_language: str | None = None
    confidence: float | None = None
    best_guess: str | None = None
    second_guess: str | None = None
    second_confidence: float | None = None
    script: str | None = None


class DetectAnswer(Struct):
    """One result per text, in the order of the request."""

    results: list[DetectionResult]


@operations.add(
    "POST",
    "/v3/detect/language",
    scope=None,
    body=DetectBody,
    answer=DetectAnswer,
    media=(JSON, FORM),
    limit=128 * KIB,
)
def detect(call: Call[DetectBody, Nothing]) -> DetectAnswer:
    """Detect the language of up to 50 texts."""
    if not call.state.account.detection:
        raise Problem(403, "Forbidden", detail="The account is not enrolled in the language detection beta.")
    if not call.body.text:
        raise bad_request("Missing parameter text.")
    found = call.state.detector.detect(call.body.text)
    return DetectAnswer(
        [
            DetectionResult(
                each.status,
                each.language,
                each.confidence,
                each.best,
                each.second,
                each.second_confidence,
                each.script,
            )
            for each in found
        ]
    )
