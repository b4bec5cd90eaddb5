"""Text improvement: rephrasing and correction.

No engine for it ships with the service: both put a text in order mechanically (spaces, doubled words, capitals)
and leave its words alone.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ..catalogue import languages
from ..ledger import IMPROVEMENT
from ..operations import KIB, Call, Nothing, Operations
from ..problems import bad_request
from ..translation.tidy import tidy
from ..wire import FORM, JSON
from .texts import reporting_tag

operations = Operations()

MAX_TEXTS = 50
SCOPE = "write:improve"
LIMIT = 10 * KIB

Texts = Annotated[list[str], Meta(min_length=1, max_length=MAX_TEXTS)]
Style = Literal["academic", "business", "casual", "simple"]
PreferredStyle = Literal["default", "prefer_academic", "prefer_business", "prefer_casual", "prefer_simple"]
Tone = Literal["confident", "diplomatic", "enthusiastic", "friendly"]
PreferredTone = Literal[
    "default", "prefer_confident", "prefer_diplomatic", "prefer_enthusiastic", "prefer_friendly"
]


class CorrectBody(Struct):
    """Texts to correct."""

    text: Texts
    target_lang: str | None = None


class RephraseBody(Struct):
    """Texts to rephrase, with a style or a tone."""

    text: Texts
    target_lang: str | None = None
    writing_style: Style | PreferredStyle = "default"
    tone: Tone | PreferredTone = "default"


class Improvement(Struct):
    """One improved text."""

    text: str
    detected_source_language: str
    target_language: str


class ImprovementsAnswer(Struct):
    """One improvement per text, in the order of the request."""

    improvements: list[Improvement]


@operations.add(
    "POST",
    "/v2/write/correct",
    scope=SCOPE,
    body=CorrectBody,
    answer=ImprovementsAnswer,
    media=(JSON, FORM),
    limit=LIMIT,
)
def correct(call: Call[CorrectBody, Nothing]) -> ImprovementsAnswer:
    """Correct texts without rephrasing them."""
    return _improved(call, call.body.text, call.body.target_lang)


@operations.add(
    "POST",
    "/v2/write/rephrase",
    scope=SCOPE,
    body=RephraseBody,
    answer=ImprovementsAnswer,
    media=(JSON, FORM),
    limit=LIMIT,
)
def rephrase(call: Call[RephraseBody, Nothing]) -> ImprovementsAnswer:
    """Rephrase texts, in a style or a tone."""
    body = call.body
    if body.writing_style != "default" and body.tone != "default":
        raise bad_request("Bad request. Reason: Both writing_style and tone defined. Choose one of them.")
    for name, value in (("writing_style", body.writing_style), ("tone", body.tone)):
        _check_support(name, value, body.target_lang)
    return _improved(call, body.text, body.target_lang)


def _improved(
    call: Call[CorrectBody, Nothing] | Call[RephraseBody, Nothing], texts: list[str], target_lang: str | None
) -> ImprovementsAnswer:
    target = None if target_lang is None else _target(target_lang)
    characters = sum(map(len, texts))
    call.state.ledger.check(call.key, characters)
    found = [each.guess for each in call.state.detector.detect(texts)]
    improvements = [
        Improvement(tidy(text, language), language, languages.display(target or _written(language)))
        for text, language in zip(texts, found, strict=True)
    ]
    call.state.ledger.charge(call.key, IMPROVEMENT, characters, tag=reporting_tag(call.headers))
    return ImprovementsAnswer(improvements)


def _target(target_lang: str) -> str:
    target = languages.normalise(target_lang)
    if target not in languages.WRITE_TARGETS:
        raise bad_request(
            "Value for 'target_lang' not supported.", detail=f"No improvement for '{target_lang}'."
        )
    return _written(target)


def _written(language: str) -> str:
    """A text is improved in a variant where its language has several."""
    return {"en": "en-us", "pt": "pt-pt"}.get(language, language)


def _check_support(name: str, value: str, target_lang: str | None) -> None:
    if target_lang is None or value == "default" or value.startswith("prefer_"):
        return
    target = _target(target_lang)
    if not languages.supports_style_and_tone(target):
        raise bad_request(f"Target language '{languages.display(target)}' doesn't support {name}.")
