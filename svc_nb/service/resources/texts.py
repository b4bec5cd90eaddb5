"""Texts: translated, improved (rephrasing does no more than correcting here), and their languages detected."""

import itertools
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args

from msgspec import Meta, Struct

from ..answers import FullAnswer
from ..bodies import TranslationOptions
from ..catalogue import languages
from ..detector import Detection, Status
from ..improvement import MECHANICAL, corrector, improved
from ..ledger import IMPROVEMENT, TRANSLATION
from ..operations import JSON_OR_FORM, KIB, Call, Nothing, Operations
from ..problems import Problem, bad_request, unsupported
from ..translate import TextFormat, check_options, translate_texts
from ..translation.tags import BadMarkup, Markup, billable
from ..translators import PSEUDO, TranslatorBusy

operations = Operations()

MAX_TEXTS = 50
MAX_INSTRUCTIONS = 10
MAX_INSTRUCTION = 300
TAG_HEADER = "reporting-tag"
IGNORED_HEADER = "X-Service-Ignored-Options"
SHOW_MODEL = "model_type_used"

_REPORTING_TAG = re.compile(r"[\x21-\x7e]{1,100}")

A = TypeVar("A", bound=Struct)
Texts = Annotated[list[str], Meta(min_length=1, max_length=MAX_TEXTS)]


class TranslateBody(TranslationOptions, kw_only=True):
    """Texts and everything that can be asked for them."""

    text: Texts
    target_lang: str
    context: str | None = None
    show_billed_characters: bool = False
    split_sentences: Literal["0", "1", "nonewlines"] | None = None
    preserve_formatting: bool = False
    model_type: Literal["quality_optimized", "prefer_quality_optimized", "latency_optimized"] | None = None
    custom_instructions: Annotated[
        list[Annotated[str, Meta(max_length=MAX_INSTRUCTION)]], Meta(max_length=MAX_INSTRUCTIONS)
    ] = []
    tag_handling: Literal["xml", "html"] | None = None
    tag_handling_version: Literal["v1", "v2"] = "v1"
    outline_detection: bool = True
    non_splitting_tags: list[str] = []
    splitting_tags: list[str] = []
    ignore_tags: list[str] = []
    enable_beta_languages: bool = False


class TranslationAnswer(Struct, omit_defaults=True):
    """One translated text.

    `model_type_used` is there where `model_type` was sent, or the header `Prefer: model_type_used`, and wherever a text
    was only marked.
    """

    text: str
    detected_source_language: str
    billed_characters: int | None = None
    model_type_used: str | None = None
    tag_handling_version: str | None = None


class TranslationsAnswer(Struct):
    """One translation per text, in the order of the request."""

    translations: list[TranslationAnswer]


@operations.add("POST", "/v2/translate", scope="translate:text", media=JSON_OR_FORM, limit=128 * KIB)
def translate(call: Call[TranslateBody, Nothing]) -> FullAnswer[TranslationsAnswer]:
    """Translate up to 50 texts; a header names the options that had no effect."""
    body, state = call.body, call.state
    tag = reporting_tag(call.headers)
    options = check_options(state, body.target_lang, body)
    if body.custom_instructions and languages.base(options.target) not in languages.STYLE_LANGUAGES:
        raise bad_request(f"Target language '{languages.wire_v2(options.target)}' doesn't support custom instructions.")
    markup = body.tag_handling and Markup(
        language=body.tag_handling,
        strict=body.tag_handling_version == "v2",
        outline=body.outline_detection,
        splitting=frozenset(body.splitting_tags),
        non_splitting=frozenset(body.non_splitting_tags),
        ignored=frozenset(body.ignore_tags),
    )
    split = body.split_sentences or ("nonewlines" if body.tag_handling == "html" else "1")
    form = TextFormat(markup, split, body.preserve_formatting)
    try:
        counts = [len(text) if form.markup is None else billable(text, form.markup) for text in body.text]
    except BadMarkup as error:
        raise bad_request("Tag handling parsing failed, please check input.", detail=str(error)) from None
    state.ledger.check(call.key, sum(counts))
    try:
        made = translate_texts(state, body.text, options, form=form)
    except TranslatorBusy as busy:
        raise Problem(529, str(busy)) from None
    state.ledger.charge(call.key, TRANSLATION, sum(counts), tag=tag)
    answers, named = [], body.model_type is not None or prefers_model(call.headers)
    for each, count in zip(made, counts, strict=True):
        answer = TranslationAnswer(each.text, languages.wire_v2(each.source))
        answer.model_type_used = each.engine if named or each.engine == PSEUDO else None
        answer.billed_characters = count if body.show_billed_characters else None
        answer.tag_handling_version = body.tag_handling_version if body.tag_handling else None
        answers.append(answer)
    return with_ignored(TranslationsAnswer(answers), options.ignored)


# ---- improvement

IMPROVE: dict[str, Any] = {"scope": "write:improve", "media": JSON_OR_FORM, "limit": 10 * KIB}
Style = Literal["academic", "business", "casual", "simple"]
PreferredStyle = Literal["default", "prefer_academic", "prefer_business", "prefer_casual", "prefer_simple"]
Tone = Literal["confident", "diplomatic", "enthusiastic", "friendly"]
PreferredTone = Literal["default", "prefer_confident", "prefer_diplomatic", "prefer_enthusiastic", "prefer_friendly"]
DEMANDED = frozenset((*get_args(Style), *get_args(Tone)))
# How likely a language must be before a text is refused because of it: mistakes make a text look like another one.
SURE = 0.8
VARIANTS = {"en": "en-us", "pt": "pt-pt"}  # a text is improved in a variant where its language has several


class CorrectBody(Struct):
    """Texts to correct."""

    text: Texts
    target_lang: str | None = None


class RephraseBody(CorrectBody):
    """Texts to rephrase, with a style or a tone."""

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


@operations.add("POST", "/v2/write/correct", **IMPROVE)
def correct(call: Call[CorrectBody, Nothing]) -> FullAnswer[ImprovementsAnswer]:
    """Correct texts without rephrasing them: spelling, spaces, doubled words and capitals, where there is no doubt."""
    return _improved(call, {})


@operations.add("POST", "/v2/write/rephrase", **IMPROVE)
def rephrase(call: Call[RephraseBody, Nothing]) -> FullAnswer[ImprovementsAnswer]:
    """Rephrase texts, in a style or a tone.

    No engine for that ships with this service: texts are only corrected, and a header says that style and tone had no
    effect.
    """
    body = call.body
    if body.writing_style != "default" and body.tone != "default":
        raise bad_request("Bad request. Reason: Both writing_style and tone defined. Choose one of them.")
    return _improved(call, {"writing_style": body.writing_style, "tone": body.tone}, by=MECHANICAL)


def _improved(
    call: Call[CorrectBody, Nothing] | Call[RephraseBody, Nothing], styles: dict[str, str], by: str | None = None
) -> FullAnswer[ImprovementsAnswer]:
    """The texts, corrected; *by* is who is told to have done it, where that is not the corrector of the language."""
    call.refuse_free()
    texts, target_lang = call.body.text, call.body.target_lang
    characters = sum(map(len, texts))
    call.state.ledger.check(call.key, characters)
    pairs = [_languages(found, target_lang) for found in call.state.detector.detect(texts)]
    demanded = [name for name, value in styles.items() if value in DEMANDED]
    for (_, target), name in itertools.product(pairs, demanded):
        if target not in languages.STYLE_AND_TONE_TARGETS:
            raise bad_request(f"Target language '{languages.display(target)}' doesn't support {name}.")
    named = prefers_model(call.headers)
    improvements = [
        Improvement(
            improved(text, source), source, languages.display(target), (by or corrector(source)) if named else None
        )
        for text, (source, target) in zip(texts, pairs, strict=True)
    ]
    call.state.ledger.charge(call.key, IMPROVEMENT, characters, tag=reporting_tag(call.headers))
    ignored = (name for name, value in styles.items() if value != "default")
    return with_ignored(ImprovementsAnswer(improvements), ignored)


def _languages(found: Detection, target_lang: str | None) -> tuple[str, str]:
    """A text's language, if not sure as asked, as it looks, or English; and the one it is improved in, or 400."""
    asked = None if target_lang is None else languages.normalise(target_lang)
    own = found.guess
    if (found.confidence or 0.0) < SURE:
        own = languages.base(asked) if asked else own if own in languages.WRITE_TARGETS else "en"
    target = asked or own
    if target not in languages.WRITE_TARGETS:
        if asked is None:
            raise bad_request(f"The text is in '{own}', and texts in that language cannot be improved.")
        raise unsupported("target_lang", f"No improvement for '{target}'.")
    if languages.base(target) != own:
        raise bad_request(f"The text is in '{own}' and cannot be improved in '{languages.display(target)}'.")
    return own, VARIANTS.get(target, target)


# ---- detection (beta)


class DetectBody(Struct):
    """The texts; a missing list gets this operation's own words."""

    text: Annotated[list[str], Meta(max_length=MAX_TEXTS)] | None = None


class DetectionResult(Struct, omit_defaults=True):
    """What was found in one text; the contract's answer ends with the language, the rest says how sure that is."""

    detection_status: Status
    detected_language: str | None = None
    confidence: float | None = None
    best_guess: str | None = None
    second_guess: str | None = None
    second_confidence: float | None = None
    script: str | None = None


class DetectAnswer(Struct):
    """One result per text, in the order of the request."""

    results: list[DetectionResult]


@operations.add("POST", "/v3/detect/language", scope=None, media=JSON_OR_FORM, limit=128 * KIB)
def detect(call: Call[DetectBody, Nothing]) -> DetectAnswer:
    """Detect the language of up to 50 texts."""
    if not call.state.account.detection:
        raise Problem(403, detail="The account is not enrolled in the language detection beta.")
    if not call.body.text:
        raise bad_request("Missing parameter text.")
    results = []
    for each in call.state.detector.detect(call.body.text):
        second = each.second, each.second_confidence
        results.append(DetectionResult(each.status, each.language, each.confidence, each.best, *second, each.script))
    return DetectAnswer(results)


# ---- what operations on texts and documents have in common


def prefers_model(headers: Mapping[str, str]) -> bool:
    """Whether the caller wants to be told who made each text, by the header `Prefer: model_type_used`."""
    preferences = headers.get("prefer", "").lower().split(",")
    return SHOW_MODEL in (each.partition(";")[0].strip() for each in preferences)


def with_ignored(answer: A, options: Iterable[str]) -> FullAnswer[A]:
    """*answer* with a header that names the *options* without effect, if there are any."""
    named = ", ".join(options)
    return FullAnswer(answer, headers={IGNORED_HEADER: named} if named else {})


def reporting_tag(headers: Mapping[str, str]) -> str | None:
    """The tag under which usage is booked, trimmed and in lower case, or 400; its header is named by any provider."""
    given = next((value for name, value in headers.items() if name.lower().endswith(TAG_HEADER)), None)
    if given is None:
        return None
    tag = given.strip().lower()
    if not _REPORTING_TAG.fullmatch(tag):
        raise bad_request("The reporting tag has 1 to 100 ASCII characters and no white space.")
    return tag
