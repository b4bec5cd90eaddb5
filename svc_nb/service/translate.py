"""Translation of texts: what is asked for, checked once for texts and documents alike, and done by the best engine."""

import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from . import style_rules
from .bodies import TranslationOptions
from .catalogue import languages
from .database import Database
from .detector import UNKNOWN, Detector, one_sided
from .glossaries import Glossaries
from .memories.storage import Memories, OpenMemory
from .problems import Problem, bad_request, unsupported
from .style_rules import ConfiguredRules, StyleRuleList
from .translation.pipeline import Rendering, remembered
from .translation.pipeline import translate as translate_by
from .translation.sentences import Split
from .translation.style import unapplied
from .translation.tags import Markup
from .translation.terms import Terms
from .translators import (
    PSEUDO,
    NoneAtTheMoment,
    NoTranslator,
    TextFailed,
    TranslatorFailed,
    Translators,
    adds_mark,
)

log = logging.getLogger("svc_nb.service")

UNCHANGED = "unchanged"
FROM_MEMORY = "translation_memory"
FROM_GLOSSARY = "glossary"
# Options that are accepted, and that no translator here follows.
NOT_FOLLOWED = ("formality", "context", "model_type", "custom_instructions")


class Engines(Protocol):
    """What a translation is made with."""

    detector: Detector
    glossaries: Glossaries
    memories: Memories
    database: Database
    translators: Translators


@dataclass(frozen=True, slots=True)
class CheckedOptions:
    """A translation that may be done; *source* None is to be detected, *ignored* are options without effect here."""

    target: str
    source: str | None = None
    terms: tuple[Terms, ...] = ()
    rules: ConfiguredRules = field(default_factory=dict)
    memory: OpenMemory | None = None
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextFormat:
    """How texts are written: their markup, where sentences end, what is kept of their form."""

    markup: Markup | None = None
    split: Split = "1"
    preserve_formatting: bool = False


@dataclass(frozen=True, slots=True)
class Translated:
    """One text in the target language: the language it was in, and the engine that did it."""

    text: str
    source: str
    engine: str = UNCHANGED


def check_options(engines: Engines, target_lang: str, options: TranslationOptions) -> CheckedOptions:
    """A translation into *target_lang* as *options* ask for it, or 400 or 404 that says what does not fit."""
    target, source = languages.normalise(target_lang), None
    if target not in languages.TARGETS:
        raise unsupported("target_lang", f"No target language '{target_lang}'.")
    if options.formality in ("more", "less") and target not in languages.FORMALITY_TARGETS:
        raise bad_request(f"Target language '{languages.wire_v2(target)}' doesn't support formality.")
    if options.source_lang is not None:
        source = languages.normalise(options.source_lang)
        if source not in languages.SOURCES:
            listed = "GET /v3/languages?resource=translate_text lists them."
            raise unsupported("source_lang", f"No source language '{options.source_lang}'. {listed}")
    style = None if options.style_id is None else style_rules.find(engines.database, options.style_id)
    if style is not None and style.language != languages.base(target):
        raise bad_request("Style rule language does not match the translate request target language")
    terms = _terms(engines, options, source, target)
    memory_id, threshold = options.translation_memory_id, options.translation_memory_threshold
    memory = None
    if memory_id is not None:
        memory = engines.memories.open(memory_id, source=source, target=target, threshold=threshold)
    rules = style.configured_rules if style else {}
    return CheckedOptions(target, source, terms, rules, memory, tuple(_ignored(options, style, target)))


def _terms(engines: Engines, options: TranslationOptions, source: str | None, target: str) -> tuple[Terms, ...]:
    if options.glossary_id is not None and options.glossary_ids:
        raise bad_request("Parameters 'glossary_id' and 'glossary_ids' cannot be combined.")
    glossary_ids = [options.glossary_id] if options.glossary_id is not None else options.glossary_ids
    if not glossary_ids:
        return ()
    if source is None:
        raise bad_request("Use of a glossary requires the source_lang parameter to be specified")
    return engines.glossaries.terms(glossary_ids, source, target)


def _ignored(options: TranslationOptions, style: StyleRuleList | None, target: str) -> Iterator[str]:
    for name in NOT_FOLLOWED:
        if getattr(options, name, None) not in (None, "", "default", []):
            yield name
    if style is not None:
        for category, rule in unapplied(style.configured_rules, target):
            yield f"style_id.{category}.{rule}"
        if style.custom_instructions:
            yield "style_id.custom_instructions"


def translate_texts(
    engines: Engines,
    texts: Sequence[str],
    options: CheckedOptions,
    *,
    form: TextFormat,
    known: Sequence[str] | None = None,
) -> list[Translated]:
    """The texts in the target language, same length and order; *known* are their languages, None to detect them.

    Raises TranslatorBusy where a translator needs longer: asked again, it continues from where it is.
    """
    if known is None and options.source is not None:
        known = [options.source] * len(texts)
    elif known is None:
        guesses = [each.guess for each in engines.detector.detect(texts)]
        known = [languages.base(options.target) if guess == UNKNOWN else guess for guess in guesses]
    done = [Translated(text, source) for text, source in zip(texts, known, strict=True)]
    places: dict[str, list[int]] = defaultdict(list)
    for place, each in enumerate(done):
        if not _is_in(options.target, each):
            places[each.source].append(place)
    for source, group in places.items():
        memory = options.memory
        rendering = Rendering(
            source=source,
            target=options.target,
            terms=options.terms,
            markup=form.markup,
            split=form.split,
            rules=options.rules,
            preserve_formatting=form.preserve_formatting,
            memory=memory if memory and memory.source_lang == languages.base(source) else None,
        )
        made = _translate_group(engines, [texts[place] for place in group], rendering)
        for place, translated in zip(group, made, strict=True):
            done[place] = translated
    return done


def _is_in(target: str, given: Translated) -> bool:
    """Tell whether a text is in the target language already; Chinese may be written in the other script."""
    if languages.base(given.source) != languages.base(target):
        return False
    if languages.base(target) != "zh":
        return True
    hans, hant = one_sided(given.text)
    return hans == hant == 0 or (hans < hant if target == "zh-hant" else hans > hant)


def _translate_group(engines: Engines, texts: Sequence[str], rendering: Rendering) -> list[Translated]:
    """Texts of one language: what the memory has as it is, the others by the best translator."""
    source = rendering.source
    recalled = remembered(texts, rendering)
    left = [text for text, known in zip(texts, recalled, strict=True) if known is None]
    answers: Iterator[str] = iter(())
    engine = ""
    while left and not engine:  # a translator that breaks down is passed over for the next
        try:
            best = engines.translators.choose(source, rendering.target)
            answers, engine = iter(translate_by(left, rendering, best)), best.name
        except NoneAtTheMoment as error:
            raise Problem(503, str(error)) from None
        except TextFailed as error:
            raise bad_request(str(error)) from None
        except NoTranslator as error:
            raise unsupported("target_lang", str(error)) from None
        except TranslatorFailed:
            log.warning("a translator broke down for %s to %s", source, rendering.target)
    done = []
    for text, known in zip(texts, recalled, strict=True):
        if known is not None:
            done.append(Translated(known, source, FROM_MEMORY))
            continue
        answer = next(answers)
        by = engine
        if engine == PSEUDO and not adds_mark(text, answer, rendering.target):
            # There was nothing to mark: the memory or the glossary had all of it.
            by = UNCHANGED if answer == text else FROM_MEMORY if rendering.memory else FROM_GLOSSARY
        done.append(Translated(answer, source, by))
    return done
