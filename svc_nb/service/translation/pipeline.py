"""A translation from text to text: memory, tags, terms, sentences and style around any translator."""

import re
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

from . import addresses, protection, style
from .protection import Kept, Piece, Role, Sentence, has_placeholder
from .sentences import Split, borders, split
from .tags import Block, Markup, blocks
from .terms import Match, Terms, find, with_capital

_UNSPACED = frozenset({"ja", "th", "zh"})
_FINAL_MARK = re.compile(r"(?<![.!?…。！？])[.!?…。！？]++\Z")
_FULL_WIDTH = str.maketrans(".!?", "。！？")
_Part = str | Kept | Match


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
    """How texts are to be rendered in another language: everything of a request but its texts."""

    source: str
    target: str
    terms: tuple[Terms, ...] = ()  # the first glossary that has a term counts
    markup: Markup | None = None
    split: Split = "1"
    rules: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    preserve_formatting: bool = False  # the case of first letters and the marks at the end stay
    memory: Remembering | None = None  # what it has is taken as it is, for whole texts and for plain sentences


def remembered(texts: Sequence[str], rendering: Rendering) -> list[str | None]:
    """What the memory has for each whole text without markup; None if it has nothing, or lacks a term's target."""
    if rendering.memory is None or rendering.markup is not None:
        return [None] * len(texts)
    found = {text: rendering.memory.find(text) for text in set(texts)}

    def checked(text: str) -> str | None:
        answer = found[text]
        if not answer:
            return None
        targets = (match.target.casefold() for match in find(text, rendering.terms))
        return answer if all(target in answer.casefold() for target in targets) else None

    return [checked(text) for text in texts]


def translate(texts: Sequence[str], rendering: Rendering, translator: Translator) -> list[str]:
    """Return the translations of *texts*, same length and order.

    White space around and between sentences, tags and kept spans come out as they went in, addresses and paths too; the
    target of every term found is in the result. Each distinct sentence is sent once, all in one call, and in a second
    call only the pieces of those that the translator did not keep whole. Raises BadMarkup as `blocks` does.
    """
    finished = _finished(rendering, translator)
    plain = not rendering.markup and not rendering.terms and not any(map(has_placeholder, texts))
    if plain and not any(map(addresses.find, texts)):
        # The same where there is nothing to keep, many times faster.
        cuts = [split(text, rendering.split, rendering.source) for text in texts]
        answers = protection.once((sentence for cut in cuts for sentence in cut), finished)
        return [protection.without_placeholders("".join([answers[sentence] for sentence in cut])) for cut in cuts]
    layouts = []
    for text in texts:
        parts = blocks(text, rendering.markup) if rendering.markup else [Block(text)]
        cut = ([part] if isinstance(part, str) else _sentences(part, rendering) for part in parts)
        layouts.append([each for some in cut for each in some])
    sentences = [part for layout in layouts for part in layout if isinstance(part, Sentence)]
    spaced = rendering.target.partition("-")[0] not in _UNSPACED
    translated = iter(protection.translate_protected(sentences, finished, spaced=spaced))
    return ["".join(part if isinstance(part, str) else next(translated) for part in layout) for layout in layouts]


def _finished(rendering: Rendering, translator: Translator) -> protection.Translate:
    """Return *translator* with style and formatting applied to its answers, while spans are still placeholders."""
    restyled = style.rewriter(rendering.rules, rendering.target)

    def translated(texts: Sequence[str]) -> list[str]:
        recalled: dict[str, str] = {}
        if rendering.memory is not None:  # a sentence with a placeholder is none that it could know
            found = ((text, rendering.memory.find(text)) for text in texts if not has_placeholder(text))
            recalled = {text: answer for text, answer in found if answer}
        # What has no letter is not sent: neural translators would invent something.
        worded = [text for text in texts if text not in recalled and any(map(str.isalpha, text))]
        answers = translator.translate(worded, rendering.source, rendering.target) if worded else []
        known = dict(zip(worded, answers, strict=True))
        if rendering.preserve_formatting:
            known = {text: formatted_as(text, answer, rendering.target) for text, answer in known.items()}
        return [recalled[text] if text in recalled else restyled(known.get(text, text)) for text in texts]

    return translated


def formatted_as(source: str, answer: str, language: str) -> str:
    """Return *answer* with the case of its first letter and its final mark as *source* has them."""
    base = language.partition("-")[0]
    if source[:1].isupper() and answer[:1].islower():
        answer = with_capital(answer, base)
    elif source[:1].islower() and answer[:1].isupper() and answer[1:2].islower() and base != "de":
        answer = answer[:1].lower() + answer[1:]
    wanted, found = _FINAL_MARK.search(source), _FINAL_MARK.search(answer)
    if found and not wanted:
        return answer[: found.start()]
    if wanted and not found:
        return answer + (wanted[0].translate(_FULL_WIDTH) if base in ("ja", "zh") else wanted[0])
    return answer


def _sentences(block: Block, rendering: Rendering) -> Iterator[str | Sentence]:
    """Yield the sentences of *block* and, as strings, white space and tags around them; terms are never cut."""
    ends = borders(block.text, rendering.split, rendering.source)
    places = [at for at, _ in block.marks]
    kept = [
        (start + first, start + last)
        for start, end in pairwise(sorted({0, *places, len(block.text)}))
        for first, last in addresses.find(block.text[start:end])
    ]
    if not block.marks and not rendering.terms and not kept:
        for start, end in pairwise([0, *ends]):
            yield from _peeled(deque([block.text[start:end]]), block)
        return
    matches = find(block.text, rendering.terms, places)
    for parts in _cut(block, matches, kept, ends[:-1]):
        yield from _peeled(deque(_worded(parts, block)), block)


def _cut(
    block: Block, matches: Iterable[Match], kept: Sequence[tuple[int, int]], inner: Sequence[int]
) -> Iterator[list[_Part]]:
    """Yield the parts of each sentence; *kept* are addresses and paths, *inner* the borders but for the last."""
    spans: list[tuple[int, int, Kept | Match]] = [(at, at, mark) for at, mark in block.marks]
    spans += ((start, end, Kept(block.encode(block.text[start:end]), Role.WORD)) for start, end in kept)
    ends = [end for _, end in kept]
    for match in matches:  # none within an address
        following = bisect_right(ends, match.start)
        if following == len(kept) or kept[following][0] >= match.end:
            spans.append((match.start, match.end, match))
    # In their order, a tag before the term or the address that it touches.
    spans.sort(key=lambda span: (span[0], span[1] > span[0]))
    text, at, parts, ahead = block.text, 0, list[_Part](), deque(inner)
    for start, end, span in spans:
        is_closing = isinstance(span, Kept) and span.role is Role.CLOSE
        while ahead and (ahead[0] < start or (ahead[0] == start and not is_closing)):
            parts.append(text[at : ahead[0]])
            yield parts
            at, parts = ahead.popleft(), []
        parts += (text[at:start], span)
        at = end
        while ahead and ahead[0] < end:
            ahead.popleft()
    for border in (*ahead, len(text)):
        parts.append(text[at:border])
        yield parts
        at, parts = border, []


def _worded(parts: Iterable[_Part], block: Block) -> Iterator[Piece]:
    """Yield the pieces of a sentence, terms as they are written there; the first word's capital stays at the front."""
    started = capital = False
    for part in parts:
        if isinstance(part, Match):
            surface = block.text[part.start : part.end]
            capital = capital if started else surface[:1].isupper()
            initial = part.capital if capital and part.written == part.target else part.written
            text = part.target if not started and part.written == part.capital else part.written
            yield Kept(block.encode(text), Role.WORD, initial=block.encode(initial))
            started = True
            continue
        yield part
        if isinstance(part, str) and not started and (letter := next(filter(str.isalnum, part), "")):
            started, capital = True, letter.isupper()


def _peeled(pieces: deque[Piece], block: Block) -> Iterator[str | Sentence]:
    """Yield what stands before a sentence, the sentence if there is any, and what stands after it."""
    inside = Counter(piece.pair for piece in pieces if isinstance(piece, Kept))

    def is_outside(piece: Piece) -> bool:
        if isinstance(piece, str):
            return not piece.strip()
        return piece.role is Role.POINT if piece.pair is None else inside[piece.pair] == 1

    def raw(piece: Piece) -> str:
        return piece.text if isinstance(piece, Kept) else block.encode(piece)

    before: list[str] = []
    after: list[str] = []
    while pieces:
        first, last = pieces[0], pieces[-1]
        if is_outside(first):
            before.append(raw(pieces.popleft()))
        elif is_outside(last):
            after.append(raw(pieces.pop()))
        elif isinstance(first, Kept) and isinstance(last, Kept) and first.is_partner_of(last):
            before.append(raw(pieces.popleft()))
            after.append(raw(pieces.pop()))
        else:
            break
    yield "".join(before)
    if pieces:
        yield Sentence(tuple(pieces), block.encode)
    yield "".join(reversed(after))
