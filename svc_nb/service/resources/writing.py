"""Text improvement: rephrasing and correction.

`correct` puts right what an offline speller can. No engine that rephrases ships with the service: `rephrase` does no
more than `correct`, whatever style or tone is asked for. Whoever asks for `model_type_used` is told so: "mechanical".
"""

from __future__ import annotations

import itertools
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from ..catalogue import languages
from ..detector import Detection
from ..improvement import MECHANICAL, corrector, improved
from ..ledger import IMPROVEMENT
from ..operations import KIB, Call, Nothing, Operations
from ..problems import bad_request
from ..wire import FORM, JSON, Stated
from .plan import refuse_free
from .texts import prefers_model, reporting_tag, with_ignored

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


DEMANDED = frozenset((*get_args(Style), *get_args(Tone)))
# How likely a language must be before a text is refused because of it: mistakes make a text look like another one.
SURE = 0.8
VARIANTS = {"en": "en-us", "pt": "pt-pt"}  # a text is improved in a variant where its language has several


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


class Improvement(Struct, omit_defaults=True):
    """One improved text.

    `model_type_used` is there with the header `Prefer: model_type_used`. It is "speller" where words were looked up in
    a list of the language, and "mechanical" where no more was done than the rules for spaces, doubled words and
    capitals allow, or than `correct` does.
    """

    text: str
    detected_source_language: str
    target_language: str
    model_type_used: str | None = None


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
def correct(call: Call[CorrectBody, Nothing]) -> Stated:
    """Correct texts without rephrasing them: spelling, spaces, doubled words and capitals, where there is no doubt."""
    return _improved(call, {})


@operations.add(
    "POST",
    "/v2/write/rephrase",
    scope=SCOPE,
    body=RephraseBody,
    answer=ImprovementsAnswer,
    media=(JSON, FORM),
    limit=LIMIT,
)
def rephrase(call: Call[RephraseBody, Nothing]) -> Stated:
    """Rephrase texts, in a style or a tone.

    No engine for that ships with this service: texts are only corrected, and a header says that style and tone had no
    effect.
    """
    body = call.body
    if body.writing_style != "default" and body.tone != "default":
        raise bad_request("Bad request. Reason: Both writing_style and tone defined. Choose one of them.")
    return _improved(call, {"writing_style": body.writing_style, "tone": body.tone}, by=MECHANICAL)


def _improved(
    call: Call[CorrectBody, Nothing] | Call[RephraseBody, Nothing],
    styles: dict[str, str],
    by: str | None = None,
) -> Stated:
    """The texts, corrected; *by* is who is told to have done it, where that is not the corrector of the language."""
    refuse_free(call.state.account)
    texts, target_lang = call.body.text, call.body.target_lang
    characters = sum(map(len, texts))
    call.state.ledger.check(call.key, characters)
    pairs = [_languages(found, target_lang) for found in call.state.detector.detect(texts)]
    demanded = [name for name, value in styles.items() if value in DEMANDED]
    for (_, target), name in itertools.product(pairs, demanded):
        if not languages.supports_style_and_tone(target):
            raise bad_request(f"Target language '{languages.display(target)}' doesn't support {name}.")
    named = prefers_model(call.headers)
    improvements = [
        Improvement(
            improved(text, source),
            source,
            languages.display(target),
            (by or corrector(source)) if named else None,
        )
        for text, (source, target) in zip(texts, pairs, strict=True)
    ]
    call.state.ledger.charge(call.key, IMPROVEMENT, characters, tag=reporting_tag(call.headers))
    ignored = (name for name, value in styles.items() if value != "default")
    return with_ignored(ImprovementsAnswer(improvements), ignored)


def _languages(found: Detection, target_lang: str | None) -> tuple[str, str]:
    """A text's language and the one it is improved in, which must be the same, or 400.

    A text whose language is not sure is taken to be in the one asked for, otherwise in the one that it looks most
    like, or in English.
    """
    asked = None if target_lang is None else languages.normalise(target_lang)
    own = found.guess
    if (found.confidence or 0.0) < SURE:
        own = languages.base(asked) if asked else own if own in languages.WRITE_TARGETS else "en"
    target = asked or own
    if target not in languages.WRITE_TARGETS:
        if asked is None:
            raise bad_request(f"The text is in '{own}', and texts in that language cannot be improved.")
        raise bad_request("Value for 'target_lang' not supported.", detail=f"No improvement for '{target}'.")
    if languages.base(target) != own:
        raise bad_request(f"The text is in '{own}' and cannot be improved in '{languages.display(target)}'.")
    return own, VARIANTS.get(target, target)
