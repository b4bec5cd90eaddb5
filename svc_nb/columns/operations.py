"""The service's operations on texts as values: how a text is sent, what its answer depends on, and what a row gets."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from numbers import Real
from sys import intern
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pandas as pd

from svc_nb.columns.protection import Protection
from svc_nb.columns.results import Field, Reason, RowOptions
from svc_nb.engine.outcome import SKIPPED, DetectedLanguage, Outcome, TextAnswer
from svc_nb.engine.plan import RequestKind, no_terms
from svc_nb.errors import SvcError
from svc_nb.language_codes import normal
from svc_nb.session import Session
from svc_nb.wire import languages
from svc_nb.wire.client import Client
from svc_nb.wire.client.text import NO_OPTIONS, improve_body, translate_body
from svc_nb.wire.models import Improvement, TranslateOptions

if TYPE_CHECKING:
    from svc_nb.columns.terms import Given, TermTable, UsedGlossaries, UsedGlossary

MIN_CONFIDENCE = "min_confidence"
LANGUAGE_UNKNOWN = "language_unknown"
GLOSSARY_LACKS_PAIR = "glossary_lacks_pair"

MOST_BYTES_TO_IMPROVE = 10 * 1024
# The service's figure for what was billed is believed only if it can be true.
MOST_BELIEVED = 2**40
# How much the id of a glossary, with its field name, adds to a request.
MOST_ID_BYTES = 100
# More text does not improve detection, and would fill requests.
MOST_CHARACTERS_TO_DETECT = 2000
# The defaults of the service.
DEFAULTS = {"formality": "default", "preserve_formatting": False, "outline_detection": True}
DETECTED = ("confidence", "best_guess", "second_guess", "second_confidence", "script")


def result_text(outcome: Outcome, text: str | None) -> str | None:
    """The result for a text; skipped texts pass through."""
    if outcome.status == SKIPPED:
        return text
    return outcome.answer.text if outcome.answer else None


def answered_language(outcome: Outcome, text: str | None) -> str | None:
    """The code of the language that the service found."""
    found = outcome.answer.language if outcome.answer else None
    return found and normal(found)


TEXT_FIELDS: Mapping[str, Field] = MappingProxyType({"text": result_text, "detected_source_lang": answered_language})


@dataclass(frozen=True, kw_only=True, eq=False)
class Operation:
    """What is done with texts. An operation that treats all texts the same has one `kind` of request for all of them.

    `fields` are the columns of a table that come from an outcome and its text; the first is the result of a row. There
    is a result for each of `targets`; `alone` says that a single target was requested, not a list. `source_lang` and
    `context` are as the user gave them. At most `most_characters` of a text are sent.
    """

    title: str
    stage: str
    fields: Mapping[str, Field] = field(default_factory=lambda: TEXT_FIELDS)
    reason: Reason = lambda outcome: outcome.reason
    kind: RequestKind | None = None
    targets: tuple[str | None, ...] = (None,)
    alone: bool = True
    reporting_tag: str | None = None
    source_lang: Any = None
    context: Any = None
    protection: Protection | None = None
    most_characters: int | None = None

    def request_kind(self, target: str | None, own: RowOptions, *, one_language: bool) -> RequestKind:
        """The kind of request for texts into *target*; *one_language*: one source language was given for all."""
        if self.kind is None:
            raise NotImplementedError
        return self.kind


@dataclass(frozen=True, kw_only=True, eq=False)
class TranslateOperation(Operation):
    """Texts into one or several languages; glossaries and style are looked up once, when they are needed."""

    session: Session
    options: TranslateOptions
    has_glossaries: bool
    has_style: bool
    given_glossaries: tuple[Given, ...]
    given_style: str | None
    given_tag: str | None

    def request_kind(self, target: str | None, own: RowOptions, *, one_language: bool) -> RequestKind:
        """The kind of request into *target*, with the glossaries that have the language pair."""
        target = target or ""
        style_id, style_version = self.style if self.has_style else (None, None)
        options = replace(self.options, **own._asdict(), style_id=style_id, glossary_id=None, glossary_ids=None)
        serving: Sequence[UsedGlossary] = ()
        terms: Callable[[str], bytes] = no_terms
        note = None
        if self.has_glossaries:
            serving = self._serving(own.source_lang, target, one_language)
            if own.source_lang and serving:
                terms = self.glossaries.terms(own.source_lang, target)
            else:
                note = GLOSSARY_LACKS_PAIR if own.source_lang else LANGUAGE_UNKNOWN
        sent = replace(options, source_lang=own.source_lang and languages.sent_source(own.source_lang))
        envelope = encoded_size(translate_body([], target, sent)) + len(serving) * MOST_ID_BYTES
        return RequestKind(
            "translate",
            partial(self._send, target, sent, serving),
            self._identity(target, sent, style_version, has_glossary=bool(serving)),
            self.session.origin,
            own.source_lang,
            target,
            envelope=envelope,
            tags=options.tag_handling is not None,
            note=note,
            terms=terms,
            untranslated=cache(partial(self._lacks_translator, target)),
            strict=self.session.client.transport.settings.strict,
            helps=bool(serving or options.translation_memory_id),
        )

    def term_tables(self, kind: RequestKind, *, one_language: bool) -> list[TermTable]:
        """The term tables that must be on the service while requests of *kind* are sent."""
        from svc_nb.columns.terms import TermTable

        serving = self._serving(kind.source_lang, kind.target_lang or "", one_language)
        return [each for each in serving if isinstance(each, TermTable)]

    def _serving(self, source_lang: str | None, target_lang: str, one_language: bool) -> Sequence[UsedGlossary]:
        """The glossaries to use; if one language was given for all texts, the service judges the others."""
        if source_lang is None:
            return ()
        return self.glossaries.all if one_language else self.glossaries.serving(source_lang, target_lang)

    @cached_property
    def glossaries(self) -> UsedGlossaries:
        """The given glossaries, by name, by id or as tables."""
        from svc_nb.columns.terms import UsedGlossaries

        client, options = self.session.client, self.options
        if self.given_glossaries:
            return UsedGlossaries.of(client, self.given_glossaries)
        return UsedGlossaries.by_id(client, options.glossary_ids or filter(None, [options.glossary_id]))

    @cached_property
    def style(self) -> tuple[str | None, int | None]:
        """The id of the style rule list, and its version."""
        from svc_nb.sync.resources import STYLE

        client, given = self.session.client, self.given_style
        style_id = self.options.style_id if given is None else STYLE.id_of(given, client)
        return style_id, client.style_rules.get(style_id).version if style_id else None

    @cached_property
    def translators(self) -> Mapping[str, Collection[str]]:
        """The source languages that the service translates into each target; only the embedded service tells."""
        client = self.session.client
        if not client.transport.settings.is_loopback:
            return {}
        try:
            listed = client.languages.support("translate_text", include=("beta",), tries=1)
        except SvcError:
            return {}
        return {
            each.lang.lower(): {source.lower() for source in each.translators}
            for each in listed
            if each.translators is not None
        }

    def _send(
        self, target: str, options: TranslateOptions, glossaries: Sequence[UsedGlossary], texts: list[str]
    ) -> list[TextAnswer]:
        # Read only now: a term table has an id only while texts are sent.
        ids = [each.id for each in glossaries]
        if ids:
            used: dict[str, Any] = {"glossary_id": ids[0]} if len(ids) == 1 else {"glossary_ids": ids}
            options = replace(options, **used)
        client = self.session.client
        made, trace_id, ignored = client.text.translated_rows(
            texts, target, options=options, reporting_tag=self.given_tag
        )
        if ignored:
            client.ignored_options.hear(ignored)
        # Kept once for the many texts that share it.
        return [
            TextAnswer(
                each.text,
                intern(each.detected_source_language),
                billed if (billed := each.billed_characters) is not None and 0 <= billed < MOST_BELIEVED else None,
                each.model_type_used and intern(each.model_type_used),
                trace_id,
            )
            for each in made
        ]

    def _identity(
        self, target_lang: str, options: TranslateOptions, style_version: int | None, *, has_glossary: bool
    ) -> bytes:
        """Everything that can change an answer, in normal form, so that equivalent requests share an answer.

        A glossary counts by its entries for a text, a memory by its id, because the service does not tell when it
        changed.
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
        origin = self.session.origin
        return identity_of([origin, "translate", normal(target_lang), asked, style_version])

    def _lacks_translator(self, target: str, source: str | None) -> bool:
        """Whether the service says that it has no translator from *source*; texts already in *target* need none."""
        known = self.translators.get(target.lower())
        base, own = ((code or "").lower().partition("-")[0] for code in (source, target))
        needs_none = base == own and base != "zh"
        return known is not None and bool(base) and base not in known and not needs_none


def translate(
    session: Session,
    target_lang: str | Sequence[str],
    *,
    source_lang: Any = None,
    context: Any = None,
    glossary: Any = None,
    style: str | None = None,
    options: TranslateOptions = NO_OPTIONS,
    reporting_tag: str | None = None,
    protect: Any = None,
    names: Any = None,
) -> TranslateOperation:
    """The translation of columns into one or several languages; `options.TOLD` describes the options.

    Texts whose language is unknown, or has no dictionary in the glossary, are sent without it, and their reason says
    so.
    """
    targets = target_codes(target_lang, session.client)
    given: tuple[dict[str, object], ...] = (
        {"glossary": glossary, "glossary_id": options.glossary_id, "glossary_ids": options.glossary_ids},
        {"style": style, "style_id": options.style_id},
    )
    for each in given:
        both = [name for name, value in each.items() if value is not None]
        if len(both) > 1:
            raise ValueError(f"{' and '.join(both)} exclude each other. Give only one of them")
    if style is not None and (not isinstance(style, str) or not style.strip()):
        found = "an empty text" if isinstance(style, str) else type(style).__name__
        raise TypeError(f"style: expected the name or id of a style rule list, found {found}")
    glossaries: tuple[Given, ...] = ()
    if glossary is not None:
        from svc_nb.columns.terms import given_glossaries

        glossaries = given_glossaries(glossary)
    return TranslateOperation(
        title=f"translate into {', '.join(targets)}",
        stage="translating",
        fields={**TEXT_FIELDS, "translator": partial(_answered, "model")},
        targets=targets,
        alone=isinstance(target_lang, str),
        reporting_tag=session.settings.reporting_tag if reporting_tag is None else reporting_tag,
        source_lang=source_lang,
        context=context,
        protection=Protection.of(protect, names, tag_handling=options.tag_handling),
        session=session,
        options=options,
        has_glossaries=bool(glossaries or options.glossary_id or options.glossary_ids),
        has_style=bool(style or options.style_id),
        given_glossaries=glossaries,
        given_style=style,
        given_tag=reporting_tag,
    )


def target_codes(target_lang: str | Sequence[str] | None, client: Client | None = None) -> tuple[str, ...]:
    """The codes of the target languages; raises TypeError or ValueError for anything that is not a language."""
    if isinstance(target_lang, pd.Series):
        raise TypeError(
            "target_lang: expected a language, or a list of them, for all rows, found a column. Translate the rows of "
            "each language separately: texts[codes == 'DE'].svc.translate('DE')"
        )
    alone = isinstance(target_lang, str) or not isinstance(target_lang, Iterable)
    codes: tuple[Any, ...] = (target_lang,) if alone else tuple(target_lang or ())
    if not codes or not all(isinstance(code, str) and code for code in codes):
        raise TypeError(f'target_lang: expected a language such as "EN-US", or a list of them, found {target_lang!r}')
    meant = tuple(languages.target(code, client) for code in codes)
    if twice := [code for code in meant if meant.count(code) > 1]:
        raise ValueError(f"target_lang: duplicate language {twice[0]!r}. Name each language once.")
    return meant


def detection_kind(session: Session) -> RequestKind:
    """The request that detects languages; it is free."""

    def send(texts: list[str]) -> list[TextAnswer]:
        found = session.client.detection.detect(texts, tries=1)
        return [
            DetectedLanguage(
                language=each.detected_language,
                detection_status=each.detection_status,
                trace_id=each.trace_id,
                **{name: getattr(each, name) for name in DETECTED},
            )
            for each in found
        ]

    # The number distinguishes them from saved answers without a confidence.
    identity = identity_of([session.origin, "detect", 2])
    envelope = encoded_size({"text": []})
    return RequestKind("detect", send, identity, session.origin, envelope=envelope, billed=False)


def detect(session: Session, *, min_confidence: float | None = None) -> Operation:
    """The language of every text; missing if none was detected, or only below *min_confidence*."""
    if min_confidence is not None and (isinstance(min_confidence, bool) or not isinstance(min_confidence, Real)):
        raise TypeError(f"min_confidence: expected a number from 0 to 1, found {min_confidence!r}")
    if min_confidence is not None and not 0 <= min_confidence <= 1:
        raise ValueError(f"min_confidence: expected a number from 0 to 1, found {min_confidence!r}")

    def too_low(outcome: Outcome) -> bool:
        """Whether a language was detected, but with less than the required confidence, or with none reported."""
        if min_confidence is None or outcome.answer is None or outcome.answer.language is None:
            return False
        return outcome.answer.confidence is None or outcome.answer.confidence < min_confidence

    def language(outcome: Outcome, text: str | None) -> str | None:
        return None if too_low(outcome) else answered_language(outcome, text)

    def status(outcome: Outcome, text: str | None) -> str | None:
        return "insufficient_confidence" if too_low(outcome) else _answered("detection_status", outcome, text)

    return Operation(
        title="detect languages",
        stage="detecting",
        fields={
            "language": language,
            "detection_status": status,
            **{name: partial(_answered, name) for name in DETECTED},
        },
        reason=lambda outcome: MIN_CONFIDENCE if too_low(outcome) else outcome.reason,
        kind=detection_kind(session),
        most_characters=MOST_CHARACTERS_TO_DETECT,
    )


def improve(
    session: Session, operation: str, styles: Mapping[str, str | None], *, reporting_tag: str | None = None
) -> Operation:
    """Texts rephrased or corrected, in their own language; *styles* may have one of writing_style and tone."""
    for name, value in styles.items():
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name}: expected a string, found {type(value).__name__}")
    given = [name for name in ("writing_style", "tone") if styles.get(name) not in (None, "default")]
    if len(given) > 1:
        raise ValueError("writing_style and tone: the service accepts only one of them at a time. Leave out one")
    if target_lang := styles.get("target_lang"):
        styles = {**styles, "target_lang": languages.target(target_lang, session.client)}
    client = session.client
    improved: Callable[..., list[Improvement]] = getattr(client.text, operation)

    def send(texts: list[str]) -> list[TextAnswer]:
        made = improved(texts, **styles, reporting_tag=reporting_tag, tries=1, warn=False)
        client.ignored_options.hear(made[0].ignored_options)
        return [
            TextAnswer(each.text, each.detected_source_language, model=each.model_type_used, trace_id=each.trace_id)
            for each in made
        ]

    asked = {name: value for name, value in styles.items() if value not in (None, "", "default")}
    if language := asked.get("target_lang"):
        asked["target_lang"] = normal(language)
    return Operation(
        title=operation,
        stage={"rephrase": "rephrasing", "correct": "correcting"}[operation],
        kind=RequestKind(
            operation,
            send,
            identity_of([session.origin, operation, asked]),
            session.origin,
            target_lang=styles.get("target_lang"),
            envelope=encoded_size(improve_body([], styles)),
            most_bytes=MOST_BYTES_TO_IMPROVE,
        ),
        reporting_tag=session.settings.reporting_tag if reporting_tag is None else reporting_tag,
    )


def _answered(name: str, outcome: Outcome, text: str | None) -> Any:
    value = getattr(outcome.answer, name, None)
    return normal(value) if value and name.endswith("_guess") else value


def identity_of(value: Any) -> bytes:
    """What distinguishes answers in the store."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def encoded_size(body: Mapping[str, Any]) -> int:
    """How many bytes *body* takes up in a request."""
    return len(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))
