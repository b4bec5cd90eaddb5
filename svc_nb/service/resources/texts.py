"""Text translation: what is allowed, what it costs, who does it."""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal

from msgspec import Meta, Struct

from ..catalogue import languages
from ..detector import UNKNOWN
from ..ledger import TRANSLATION
from ..operations import KIB, Call, Nothing, Operations
from ..problems import bad_request, not_found
from ..state import State
from ..style_rules import ConfiguredRules
from ..translation.pipeline import Rendering
from ..translation.pipeline import translate as render
from ..translation.tags import BadMarkup, Markup, billable
from ..translation.terms import Terms
from ..translators import NoTranslator, TranslatorFailed
from ..wire import FORM, JSON

operations = Operations()
log = logging.getLogger("svc_nb.service")

MAX_TEXTS = 50
MAX_GLOSSARIES = 5
MAX_INSTRUCTIONS = 10
MAX_INSTRUCTION = 300
TAG_HEADER = "reporting-tag"
UNCHANGED = "unchanged"
LISTED = "GET /v3/languages?resource=translate_text lists them."

_REPORTING_TAG = re.compile(r"[\x21-\x7e]{1,100}")


class TranslateBody(Struct):
    """Texts and everything that can be asked for them."""

    text: Annotated[list[str], Meta(min_length=1, max_length=MAX_TEXTS)]
    target_lang: str
    source_lang: str | None = None
    context: str | None = None
    show_billed_characters: bool = False
    split_sentences: Literal["0", "1", "nonewlines"] | None = None
    preserve_formatting: bool = False
    formality: Literal["default", "more", "less", "prefer_more", "prefer_less"] = "default"
    model_type: Literal["quality_optimized", "prefer_quality_optimized", "latency_optimized"] | None = None
    glossary_id: str | None = None
    glossary_ids: Annotated[list[str], Meta(max_length=MAX_GLOSSARIES)] = []
    style_id: str | None = None
    custom_instructions: Annotated[
        list[Annotated[str, Meta(max_length=MAX_INSTRUCTION)]], Meta(max_length=MAX_INSTRUCTIONS)
    ] = []
    translation_memory_id: str | None = None
    translation_memory_threshold: Annotated[int, Meta(ge=0, le=100)] = 75
    tag_handling: Literal["xml", "html"] | None = None
    tag_handling_version: Literal["v1", "v2"] = "v1"
    outline_detection: bool = True
    non_splitting_tags: list[str] = []
    splitting_tags: list[str] = []
    ignore_tags: list[str] = []
    enable_beta_languages: bool = False


class TranslationAnswer(Struct, omit_defaults=True):
    """One translated text."""

    text: str
    detected_source_language: str
    billed_characters: int | None = None
    model_type_used: str | None = None
    tag_handling_version: str | None = None


class TranslationsAnswer(Struct):
    """One translation per text, in the order of the request."""

    translations: list[TranslationAnswer]


@operations.add(
    "POST",
    "/v2/translate",
    scope="translate:text",
    body=TranslateBody,
    answer=TranslationsAnswer,
    media=(JSON, FORM),
    limit=128 * KIB,
)
def translate(call: Call[TranslateBody, Nothing]) -> TranslationsAnswer:
    """Translate up to 50 texts."""
    body, state = call.body, call.state
    tag = reporting_tag(call.headers)
    rendering = _rendering(state, body)
    markup = rendering.markup
    counts = [len(text) if markup is None else _billable(text, markup) for text in body.text]
    state.ledger.check(call.key, sum(counts))
    sources = _sources(state, body)
    texts, engines = _translated(state, body.text, sources, rendering)
    state.ledger.charge(call.key, TRANSLATION, sum(counts), tag=tag)
    answers = [TranslationAnswer(*pair) for pair in zip(texts, map(languages.wire_v2, sources), strict=True)]
    for answer, count, engine in zip(answers, counts, engines, strict=True):
        answer.billed_characters = count if body.show_billed_characters else None
        answer.model_type_used = engine
        answer.tag_handling_version = body.tag_handling_version if body.tag_handling else None
    return TranslationsAnswer(answers)


def reporting_tag(headers: Mapping[str, str]) -> str | None:
    """The tag under which usage is booked, trimmed and in lower case, or 400; its header is named by any provider."""
    given = next((value for name, value in headers.items() if name.lower().endswith(TAG_HEADER)), None)
    if given is None:
        return None
    tag = given.strip().lower()
    if not _REPORTING_TAG.fullmatch(tag):
        raise bad_request("The reporting tag has 1 to 100 ASCII characters and no white space.")
    return tag


def _rendering(state: State, body: TranslateBody) -> Rendering:
    """What is asked for, checked: everything but the texts and their own languages."""
    target = _target(body)
    source = None if body.source_lang is None else _source(body.source_lang)
    if body.translation_memory_id is not None:
        raise not_found("Translation memory not found.")
    return Rendering(
        source=source or "",
        target=target,
        terms=_terms(state, body, source, target),
        markup=_markup(body),
        split=body.split_sentences or ("nonewlines" if body.tag_handling == "html" else "1"),
        rules=_rules(state, body, target),
        preserve_formatting=body.preserve_formatting,
    )


def _source(code: str) -> str:
    source = languages.normalise(code)
    if not languages.is_source(source):
        raise bad_request(
            "Value for 'source_lang' not supported.", detail=f"No source language '{code}'. {LISTED}"
        )
    return source


def _target(body: TranslateBody) -> str:
    target = languages.normalise(body.target_lang)
    if not languages.is_target(target):
        raise bad_request(
            "Value for 'target_lang' not supported.", detail=f"No target language '{body.target_lang}'."
        )
    if body.formality in ("more", "less") and not languages.supports_formality(target):
        raise bad_request(f"Target language '{languages.wire_v2(target)}' doesn't support formality.")
    if body.custom_instructions and languages.base(target) not in languages.STYLE_LANGUAGES:
        raise bad_request(
            f"Target language '{languages.wire_v2(target)}' doesn't support custom instructions."
        )
    return target


def _terms(state: State, body: TranslateBody, source: str | None, target: str) -> tuple[Terms, ...]:
    if body.glossary_id is not None and body.glossary_ids:
        raise bad_request("Parameters 'glossary_id' and 'glossary_ids' cannot be combined.")
    glossary_ids = [body.glossary_id] if body.glossary_id is not None else body.glossary_ids
    if not glossary_ids:
        return ()
    if source is None:
        raise bad_request("Use of a glossary requires the source_lang parameter to be specified")
    return state.glossaries.terms(glossary_ids, source, target)


def _rules(state: State, body: TranslateBody, target: str) -> ConfiguredRules:
    if body.style_id is None:
        return {}
    known = state.style_rules.get(body.style_id)
    if known.language != languages.base(target):
        raise bad_request("Style rule language does not match the translate request target language")
    return known.configured_rules


def _markup(body: TranslateBody) -> Markup | None:
    if body.tag_handling is None:
        return None
    return Markup(
        language=body.tag_handling,
        strict=body.tag_handling_version == "v2",
        outline=body.outline_detection,
        splitting=frozenset(body.splitting_tags),
        non_splitting=frozenset(body.non_splitting_tags),
        ignored=frozenset(body.ignore_tags),
    )


def _billable(text: str, markup: Markup) -> int:
    try:
        return billable(text, markup)
    except BadMarkup as error:
        raise bad_request("Tag handling parsing failed, please check input.", detail=str(error)) from None


def _sources(state: State, body: TranslateBody) -> list[str]:
    """Each text's language: the one given, or the best guess; where there is none, the target's own."""
    if body.source_lang is not None:
        return [_source(body.source_lang)] * len(body.text)
    nothing = languages.base(body.target_lang)
    guesses = [each.guess for each in state.detector.detect(body.text)]
    return [nothing if guess == UNKNOWN else guess for guess in guesses]


def _translated(
    state: State, texts: Sequence[str], sources: Sequence[str], rendering: Rendering
) -> tuple[list[str], list[str]]:
    """The texts in the target language, and the engine that did each; texts of one language go together."""
    groups: dict[str, list[int]] = defaultdict(list)
    for place, source in enumerate(sources):
        groups[source].append(place)
    done, engines = list(texts), [UNCHANGED] * len(texts)
    for source, places in groups.items():
        if languages.base(source) == languages.base(rendering.target):
            continue
        made, name = _rendered(state, [texts[place] for place in places], replace(rendering, source=source))
        for place, text in zip(places, made, strict=True):
            done[place], engines[place] = text, name
    return done, engines


def _rendered(state: State, texts: Sequence[str], rendering: Rendering) -> tuple[list[str], str]:
    """Texts of one language, by the best translator; one that breaks down is passed over for the next."""
    while True:
        try:
            engine = state.translators.choose(rendering.source, rendering.target)
            return render(texts, rendering, engine), engine.name
        except NoTranslator as error:
            raise bad_request("Value for 'target_lang' not supported.", detail=str(error)) from None
        except TranslatorFailed:
            log.warning("a translator broke down for %s to %s", rendering.source, rendering.target)
