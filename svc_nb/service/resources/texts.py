"""Text translation: what is allowed, what it costs, who does it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from ..catalogue import languages
from ..ledger import TRANSLATION
from ..operations import KIB, Call, Nothing, Operations
from ..ordering import Form, Order, ordered, render
from ..problems import bad_request
from ..state import State
from ..translation.tags import BadMarkup, Markup, billable
from ..translators.pseudo import PSEUDO
from ..wire import FORM, JSON, Stated

operations = Operations()

MAX_TEXTS = 50
MAX_GLOSSARIES = 5
MAX_INSTRUCTIONS = 10
MAX_INSTRUCTION = 300
TAG_HEADER = "reporting-tag"
IGNORED_HEADER = "X-Service-Ignored-Options"
SHOW_MODEL = "model_type_used"

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


@operations.add(
    "POST",
    "/v2/translate",
    scope="translate:text",
    body=TranslateBody,
    answer=TranslationsAnswer,
    media=(JSON, FORM),
    limit=128 * KIB,
)
def translate(call: Call[TranslateBody, Nothing]) -> Stated:
    """Translate up to 50 texts; a header names the options that had no effect."""
    body, state = call.body, call.state
    tag = reporting_tag(call.headers)
    order, form = _order(state, body), _form(body)
    counts = [len(text) if form.markup is None else _billable(text, form.markup) for text in body.text]
    state.ledger.check(call.key, sum(counts))
    made = render(state, body.text, order, form=form)
    state.ledger.charge(call.key, TRANSLATION, sum(counts), tag=tag)
    answers, named = [], body.model_type is not None or prefers_model(call.headers)
    for each, count in zip(made, counts, strict=True):
        answer = TranslationAnswer(each.text, languages.wire_v2(each.source))
        answer.model_type_used = each.engine if named or each.engine == PSEUDO else None
        answer.billed_characters = count if body.show_billed_characters else None
        answer.tag_handling_version = body.tag_handling_version if body.tag_handling else None
        answers.append(answer)
    return with_ignored(TranslationsAnswer(answers), order.ignored)


def prefers_model(headers: Mapping[str, str]) -> bool:
    """Whether the caller wants to be told who made each text, by the header `Prefer: model_type_used`."""
    preferences = headers.get("prefer", "").lower().split(",")
    return SHOW_MODEL in (each.partition(";")[0].strip() for each in preferences)


def with_ignored(answer: Struct, options: Iterable[str]) -> Stated:
    """*answer* with a header that names the *options* without effect, if there are any."""
    named = ", ".join(options)
    return Stated(answer, headers={IGNORED_HEADER: named} if named else {})


def reporting_tag(headers: Mapping[str, str]) -> str | None:
    """The tag under which usage is booked, trimmed and in lower case, or 400; its header is named by any provider."""
    given = next((value for name, value in headers.items() if name.lower().endswith(TAG_HEADER)), None)
    if given is None:
        return None
    tag = given.strip().lower()
    if not _REPORTING_TAG.fullmatch(tag):
        raise bad_request("The reporting tag has 1 to 100 ASCII characters and no white space.")
    return tag


def _order(state: State, body: TranslateBody) -> Order:
    order = ordered(state, body)
    if body.custom_instructions and languages.base(order.target) not in languages.STYLE_LANGUAGES:
        raise bad_request(
            f"Target language '{languages.wire_v2(order.target)}' doesn't support custom instructions."
        )
    return order


def _form(body: TranslateBody) -> Form:
    return Form(
        markup=_markup(body),
        split=body.split_sentences or ("nonewlines" if body.tag_handling == "html" else "1"),
        preserve_formatting=body.preserve_formatting,
    )


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
