"""What a translation is asked to be, checked once for texts and documents alike, and its rendering by an engine."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from .catalogue import languages
from .catalogue.scripts import one_sided
from .detector import UNKNOWN
from .memories.shelf import Known
from .problems import bad_request
from .style_rules import ConfiguredRules, StyleRuleList
from .translation.pipeline import Rendering, remembered
from .translation.pipeline import translate as translate_by
from .translation.sentences import Split
from .translation.style import unapplied
from .translation.tags import Markup
from .translation.terms import Terms
from .translators import NoTranslator, TranslatorFailed
from .translators.pseudo import PSEUDO, adds_mark

if TYPE_CHECKING:
    from .core import Core

log = logging.getLogger("svc_nb.service")

UNCHANGED = "unchanged"
REMEMBERED = "translation_memory"
FROM_GLOSSARY = "glossary"
UNFOLLOWED = ("formality", "context", "model_type", "custom_instructions")
"""Options that are accepted, and that no translator here follows."""
LISTED = "GET /v3/languages?resource=translate_text lists them."


class Asked(Protocol):
    """What texts and documents are asked for with the same words."""

    @property
    def target_lang(self) -> str: ...  # noqa: D102

    @property
    def source_lang(self) -> str | None: ...  # noqa: D102

    @property
    def formality(self) -> str: ...  # noqa: D102

    @property
    def glossary_id(self) -> str | None: ...  # noqa: D102

    @property
    def glossary_ids(self) -> list[str]: ...  # noqa: D102

    @property
    def style_id(self) -> str | None: ...  # noqa: D102

    @property
    def translation_memory_id(self) -> str | None: ...  # noqa: D102

    @property
    def translation_memory_threshold(self) -> int: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Order:
    """A translation that may be done; *source* None is one whose language has to be detected.

    *ignored* names the options that were asked for and have no effect here.
    """

    target: str
    source: str | None = None
    terms: tuple[Terms, ...] = ()
    rules: ConfiguredRules = field(default_factory=dict)
    memory: Known | None = None
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Form:
    """How the texts of an order are written: their markup, where sentences end, what is kept of their form."""

    markup: Markup | None = None
    split: Split = "1"
    preserve_formatting: bool = False


@dataclass(frozen=True, slots=True)
class Rendered:
    """One text in the target language: the language it was in, and the engine that did it."""

    text: str
    source: str
    engine: str = UNCHANGED


def ordered(state: Core, asked: Asked) -> Order:
    """What is asked for as an order, or 400 or 404 that says what does not fit."""
    target = _target(asked)
    source = None if asked.source_lang is None else _source(asked.source_lang)
    style = _style(state, asked, target)
    return Order(
        target=target,
        source=source,
        terms=_terms(state, asked, source, target),
        rules=style.configured_rules if style else {},
        memory=_memory(state, asked, source, target),
        ignored=tuple(_ignored(asked, style, target)),
    )


def sources(state: Core, texts: Sequence[str], order: Order) -> list[str]:
    """Each text's language: the one given, or the best guess; where there is none, the target's own."""
    if order.source is not None:
        return [order.source] * len(texts)
    nothing = languages.base(order.target)
    guesses = [each.guess for each in state.detector.detect(texts)]
    return [nothing if guess == UNKNOWN else guess for guess in guesses]


def render(
    state: Core, texts: Sequence[str], order: Order, *, form: Form, known: Sequence[str] | None = None
) -> list[Rendered]:
    """The texts in the target language, same length and order; texts of one language go together.

    *known* are the languages of the texts where the caller has them already. Raises BadMarkup as the pipeline does,
    and 400 where no engine has the pair.
    """
    languages_of = sources(state, texts, order) if known is None else known
    groups: dict[str, list[int]] = defaultdict(list)
    for place, source in enumerate(languages_of):
        groups[source].append(place)
    done = [Rendered(text, source) for text, source in zip(texts, languages_of, strict=True)]
    for source, every in groups.items():
        places = [place for place in every if not _is_in(order.target, texts[place], source)]
        if not places:
            continue
        group = [texts[place] for place in places]
        for place, each in zip(
            places, _of_one_language(state, group, _rendering(order, form, source)), strict=True
        ):
            done[place] = each
    return done


def _is_in(target: str, text: str, source: str) -> bool:
    """Tell whether a text is in the target language already; Chinese may be written in the other script."""
    if languages.base(source) != languages.base(target):
        return False
    if languages.base(target) != "zh":
        return True
    hans, hant = one_sided(text)
    return hans == hant == 0 or (hans < hant if target == "zh-hant" else hans > hant)


def _rendering(order: Order, form: Form, source: str) -> Rendering:
    memory = order.memory
    fits = memory is not None and memory.source_lang == languages.base(source)
    return Rendering(
        source=source,
        target=order.target,
        terms=order.terms,
        markup=form.markup,
        split=form.split,
        rules=order.rules,
        preserve_formatting=form.preserve_formatting,
        memory=memory if fits else None,
    )


def _of_one_language(state: Core, texts: Sequence[str], rendering: Rendering) -> list[Rendered]:
    """What the memory has as it is, the others by the best translator; same length and order."""
    recalled = remembered(texts, rendering)
    left = [text for text, known in zip(texts, recalled, strict=True) if known is None]
    made, engine = _by_the_best(state, left, rendering) if left else ([], REMEMBERED)
    answers = iter(made)
    return [
        _made(text, next(answers), engine, rendering)
        if known is None
        else Rendered(known, rendering.source, REMEMBERED)
        for text, known in zip(texts, recalled, strict=True)
    ]


def _made(text: str, answer: str, engine: str, rendering: Rendering) -> Rendered:
    """What *engine* made of *text*; where it had nothing to mark, the memory or the glossary had all of it."""
    if engine != PSEUDO or adds_mark(text, answer, rendering.target):
        return Rendered(answer, rendering.source, engine)
    if answer == text:
        return Rendered(answer, rendering.source)
    return Rendered(answer, rendering.source, REMEMBERED if rendering.memory else FROM_GLOSSARY)


def _by_the_best(state: Core, texts: Sequence[str], rendering: Rendering) -> tuple[list[str], str]:
    """Texts of one language, by the best translator; one that breaks down is passed over for the next."""
    while True:
        try:
            engine = state.translators.choose(rendering.source, rendering.target)
            return translate_by(texts, rendering, engine), engine.name
        except NoTranslator as error:
            raise bad_request("Value for 'target_lang' not supported.", detail=str(error)) from None
        except TranslatorFailed:
            log.warning("a translator broke down for %s to %s", rendering.source, rendering.target)


def _source(code: str) -> str:
    source = languages.normalise(code)
    if not languages.is_source(source):
        raise bad_request(
            "Value for 'source_lang' not supported.", detail=f"No source language '{code}'. {LISTED}"
        )
    return source


def _target(asked: Asked) -> str:
    target = languages.normalise(asked.target_lang)
    if not languages.is_target(target):
        raise bad_request(
            "Value for 'target_lang' not supported.", detail=f"No target language '{asked.target_lang}'."
        )
    if asked.formality in ("more", "less") and not languages.supports_formality(target):
        raise bad_request(f"Target language '{languages.wire_v2(target)}' doesn't support formality.")
    return target


def _terms(state: Core, asked: Asked, source: str | None, target: str) -> tuple[Terms, ...]:
    if asked.glossary_id is not None and asked.glossary_ids:
        raise bad_request("Parameters 'glossary_id' and 'glossary_ids' cannot be combined.")
    glossary_ids = [asked.glossary_id] if asked.glossary_id is not None else asked.glossary_ids
    if not glossary_ids:
        return ()
    if source is None:
        raise bad_request("Use of a glossary requires the source_lang parameter to be specified")
    return state.glossaries.terms(glossary_ids, source, target)


def _style(state: Core, asked: Asked, target: str) -> StyleRuleList | None:
    if asked.style_id is None:
        return None
    known = state.style_rules.get(asked.style_id)
    if known.language != languages.base(target):
        raise bad_request("Style rule language does not match the translate request target language")
    return known


def _ignored(asked: Asked, style: StyleRuleList | None, target: str) -> Iterator[str]:
    for name in UNFOLLOWED:
        if getattr(asked, name, None) not in (None, "", "default", []):
            yield name
    if style is not None:
        for category, rule in unapplied(style.configured_rules, target):
            yield f"style_id.{category}.{rule}"
        if style.instructions:
            yield "style_id.custom_instructions"


def _memory(state: Core, asked: Asked, source: str | None, target: str) -> Known | None:
    if asked.translation_memory_id is None:
        return None
    return state.memories.known(
        asked.translation_memory_id,
        source=source,
        target=target,
        threshold=asked.translation_memory_threshold,
    )
