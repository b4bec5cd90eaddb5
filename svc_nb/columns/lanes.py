"""The service's operations on texts as lanes: how a request is sent, and what its answers depend on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from svc_nb.columns.desk import Desk
from svc_nb.columns.terms import Glossary
from svc_nb.engine.outcome import TextAnswer
from svc_nb.engine.plan import RequestKind, lacks_nothing, no_terms
from svc_nb.language_codes import normal
from svc_nb.wire.client.text import improve_body, translate_body
from svc_nb.wire.languages import sent_source
from svc_nb.wire.models import Improvement, TranslateOptions, Translation

MOST_BYTES_TO_IMPROVE = 10 * 1024
MOST_BELIEVED = 2**40
# What the id of a glossary adds to a request, with its name.
MOST_ID_BYTES = 100
# More does not make detection better, and would fill requests.
MOST_CHARACTERS_TO_DETECT = 2000
# What the service does when nothing is said.
DEFAULTS = {"formality": "default", "preserve_formatting": False, "outline_detection": True}


def translation(
    desk: Desk,
    target_lang: str,
    options: TranslateOptions,
    *,
    reporting_tag: str | None = None,
    style_version: int | None = None,
    glossaries: Sequence[Glossary] = (),
    terms: Callable[[str], bytes] = no_terms,
    note: str | None = None,
    untranslated: Callable[[str | None], bool] = lacks_nothing,
) -> RequestKind:
    """The lane into *target_lang* with *options* and *glossaries*; *terms* are what these say about a text.

    *untranslated* says whether the service has no translator from a language.
    """
    spoken = options.source_lang
    options = replace(options, source_lang=spoken and sent_source(spoken))

    def send(texts: list[str]) -> list[TextAnswer]:
        # Read now: a table of terms has an id only while texts are sent.
        ids = [each.id for each in glossaries]
        used: dict[str, Any] = {"glossary_id": ids[0]} if len(ids) == 1 else {"glossary_ids": ids or None}
        made = desk.client.text.translate(
            texts, target_lang, options=options, reporting_tag=reporting_tag, tries=1, warn=False, **used
        )
        desk.client.ignored_options.hear(made[0].ignored_options)
        return [_translated(each) for each in made]

    return RequestKind(
        "translate",
        send,
        _identity(desk, target_lang, options, style_version, has_glossary=bool(glossaries)),
        desk.origin,
        spoken,
        target_lang,
        envelope=_weight(translate_body([], target_lang, options)) + len(glossaries) * MOST_ID_BYTES,
        tags=options.tag_handling is not None,
        note=note,
        terms=terms,
        untranslated=untranslated,
        strict=desk.client.transport.settings.strict,
        helps=bool(glossaries or options.translation_memory_id),
    )


def detection(desk: Desk) -> RequestKind:
    """The lane that finds out languages; it costs nothing."""

    def send(texts: list[str]) -> list[TextAnswer]:
        found = desk.client.detection.detect(texts, tries=1)
        return [
            TextAnswer(
                language=each.detected_language,
                detection_status=each.detection_status,
                trace_id=each.trace_id,
                confidence=each.confidence,
                best_guess=each.best_guess,
                second_guess=each.second_guess,
                second_confidence=each.second_confidence,
                script=each.script,
            )
            for each in found
        ]

    # The number sets them apart from stored answers without a confidence.
    identity = _written([desk.origin, "detect", 2])
    return RequestKind("detect", send, identity, desk.origin, envelope=_weight({"text": []}), billed=False)


def improvement(
    desk: Desk, operation: str, styles: Mapping[str, str | None], *, reporting_tag: str | None = None
) -> RequestKind:
    """The lane that rephrases or corrects."""
    improve: Callable[..., list[Improvement]] = getattr(desk.client.text, operation)

    def send(texts: list[str]) -> list[TextAnswer]:
        made = improve(texts, **styles, reporting_tag=reporting_tag, tries=1, warn=False)
        desk.client.ignored_options.hear(made[0].ignored_options)
        return [
            TextAnswer(
                each.text, each.detected_source_language, model=each.model_type_used, trace_id=each.trace_id
            )
            for each in made
        ]

    asked = {name: value for name, value in styles.items() if value not in (None, "", "default")}
    if language := asked.get("target_lang"):
        asked["target_lang"] = normal(language)
    return RequestKind(
        operation,
        send,
        _written([desk.origin, operation, asked]),
        desk.origin,
        target_lang=styles.get("target_lang"),
        envelope=_weight(improve_body([], styles)),
        most_bytes=MOST_BYTES_TO_IMPROVE,
    )


def _translated(each: Translation) -> TextAnswer:
    return TextAnswer(
        each.text,
        each.detected_source_language,
        _sane(each.billed_characters),
        each.model_type_used,
        trace_id=each.trace_id,
    )


def _sane(billed: int | None) -> int | None:
    """A number of characters that can be believed, or None."""
    return billed if billed is not None and 0 <= billed < MOST_BELIEVED else None


def _identity(
    desk: Desk,
    target_lang: str,
    options: TranslateOptions,
    style_version: int | None,
    *,
    has_glossary: bool,
) -> bytes:
    """All that can change an answer, each in its normal form: two ways to write the same wish share an answer.

    What is left to the service and what is asked for as it is by default are the same. Glossaries count by what they
    say about a text, not by their name.
    A translation memory counts by its id alone: the service does not tell when its content changed.
    """
    asked = {name: value for name, value in options.to_wire().items() if value not in ("", [], ())}
    for name, default in DEFAULTS.items():
        if asked.get(name) == default:
            del asked[name]
    if asked.get("split_sentences") == ("nonewlines" if options.tag_handling == "html" else "1"):
        del asked["split_sentences"]
    for name in ("ignore_tags", "non_splitting_tags", "splitting_tags"):
        if name in asked:
            asked[name] = sorted(set(asked[name]))
    if has_glossary:
        asked["glossary"] = True
    if options.source_lang:
        asked["source_lang"] = normal(options.source_lang)
    return _written([desk.origin, "translate", normal(target_lang), asked, style_version])


def _written(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def _weight(body: Mapping[str, Any]) -> int:
    return len(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))
