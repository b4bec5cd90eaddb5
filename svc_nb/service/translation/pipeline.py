"""A translation from text to text: memory, tags, terms, sentences and style around any translator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from . import style, tidy
from .protection import (
    Sentence,
    Translate,
    has_placeholder,
    once,
    translate_protected,
    without_placeholders,
)
from .segments import segments
from .sentences import Split, split
from .tags import Block, Markup, blocks
from .terms import Terms, find

_UNSPACED = frozenset({"ja", "th", "zh"})


class Translator(Protocol):
    """What turns sentences of one language into another."""

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Return the translations of *texts*, same length and order."""
        ...


class Remembering(Protocol):
    """What has translations of texts already."""

    def find(self, text: str) -> str | None:
        """Return the translation of *text*, or None where there is none that is good enough."""
        ...


@dataclass(frozen=True, slots=True)
class Rendering:
    """How texts are to be rendered in another language: everything of a request but its texts.

    Of *terms* the first glossary that has a term counts. *rules* are configured style rules by category and name.
    *preserve_formatting* keeps the case of each sentence's first letter and the mark at its end as in the source.
    What *memory* has is taken as it is, for whole texts by `remembered` and for sentences without tags and terms.
    """

    source: str
    target: str
    terms: tuple[Terms, ...] = ()
    markup: Markup | None = None
    split: Split = "1"
    rules: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    preserve_formatting: bool = False
    memory: Remembering | None = None


def remembered(texts: Sequence[str], rendering: Rendering) -> list[str | None]:
    """Return what the memory has for each whole text, None where it has nothing, or lacks the target of a term there.

    Texts with markup are not looked for as a whole.
    """
    if rendering.memory is None or rendering.markup is not None:
        return [None] * len(texts)
    found = {text: rendering.memory.find(text) for text in set(texts)}
    return [
        answer if (answer := found[text]) and _has_terms(text, answer, rendering.terms) else None
        for text in texts
    ]


def _has_terms(text: str, answer: str, terms: Sequence[Terms]) -> bool:
    folded = answer.casefold()
    return all(match.target.casefold() in folded for match in find(text, terms))


def translate(texts: Sequence[str], rendering: Rendering, translator: Translator) -> list[str]:
    """Return the translations of *texts*, same length and order.

    White space around and between sentences, tags and kept spans come out as they went in; the target of every term
    found is in the result. Each distinct sentence is sent once, all in one call, and in a second call only the pieces
    of those that the translator did not keep whole. Raises BadMarkup as `blocks` does.
    """
    finished = _finished(rendering, translator)
    if not rendering.markup and not rendering.terms and not any(map(has_placeholder, texts)):
        return _translate_plain(texts, rendering, finished)
    layouts = [_layout(text, rendering) for text in texts]
    sentences = [part for layout in layouts for part in layout if isinstance(part, Sentence)]
    spaced = rendering.target.partition("-")[0] not in _UNSPACED
    translated = iter(translate_protected(sentences, finished, spaced=spaced))
    return [
        "".join(part if isinstance(part, str) else next(translated) for part in layout) for layout in layouts
    ]


def _translate_plain(texts: Sequence[str], rendering: Rendering, finished: Translate) -> list[str]:
    """Do the same where there is nothing to keep, many times faster."""
    layouts = [split(text, rendering.split, rendering.source) for text in texts]
    answers = once((sentence for layout in layouts for sentence in layout), finished)
    return [without_placeholders("".join([answers[sentence] for sentence in layout])) for layout in layouts]


def _layout(text: str, rendering: Rendering) -> list[str | Sentence]:
    parts = blocks(text, rendering.markup) if rendering.markup else [Block(text)]
    layout: list[str | Sentence] = []
    for part in parts:
        if isinstance(part, str):
            layout.append(part)
        else:
            layout += segments(part, source=rendering.source, terms=rendering.terms, split=rendering.split)
    return layout


def _finished(rendering: Rendering, translator: Translator) -> Translate:
    """Return *translator* with style and formatting applied to its answers, while spans are still placeholders.

    Texts without a letter are not sent: there is nothing to translate, and neural translators invent something.
    """
    restyled = style.rewriter(rendering.rules, rendering.target)

    def translated(texts: Sequence[str]) -> list[str]:
        recalled = _recalled(texts, rendering.memory)
        worded = [text for text in texts if text not in recalled and any(map(str.isalpha, text))]
        answers = translator.translate(worded, rendering.source, rendering.target) if worded else []
        known = dict(zip(worded, answers, strict=True))
        if rendering.preserve_formatting:
            known = {
                text: tidy.formatted_as(text, answer, rendering.target) for text, answer in known.items()
            }
        return [recalled[text] if text in recalled else restyled(known.get(text, text)) for text in texts]

    return translated


def _recalled(texts: Sequence[str], memory: Remembering | None) -> dict[str, str]:
    """Return what the memory has for sentences; one with a placeholder is none that it could know."""
    if memory is None:
        return {}
    found = ((text, memory.find(text)) for text in texts if not has_placeholder(text))
    return {text: answer for text, answer in found if answer}
