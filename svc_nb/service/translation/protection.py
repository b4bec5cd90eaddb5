"""Spans that no translator may change: placeholders go out, the spans come back, and each is counted.

1. Every span of a sentence becomes one private-use character, numbered afresh in each sentence, so that sentences
   which differ in their spans alone are translated once. An opening and its closing tag have characters of their own,
   U+F000 and U+F400 plus the number of the pair: a translator that moves words can take their tags along.
2. All distinct sentences go to the translator in one call.
3. A result is taken only if each placeholder came back exactly once and tags still nest as they did.
4. For the others the pieces between the spans are translated, in one more call, and joined in the source's order.

So a span is never lost, doubled or altered, whatever the translator does.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

Translate = Callable[[Sequence[str]], Sequence[str]]

_SINGLE, _OPEN = range(0xE000, 0xF000), range(0xF000, 0xF400)
_PRIVATE = re.compile("([\ue000-\uf8ff])")
_WORD_CHARACTER = re.compile(r"\w")
_WIDE = "\u0e00-\u0eff\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uff01-\uff60\U00020000-\U0003ffff"
_UNSPACED = re.compile(f"[{_WIDE}]")  # scripts that put no space there, or none that we should add
_SPACED = re.compile(rf"[^\W{_WIDE}]")


class Role(Enum):
    """What a protected span is to the words around it."""

    WORD = "word"
    OPEN = "open"
    CLOSE = "close"
    POINT = "point"


@dataclass(frozen=True, slots=True)
class Kept:
    """A span that comes out as *text*, or *initial* at the start of a sentence; *pair* is shared by two tags."""

    text: str
    role: Role = Role.POINT
    pair: int | None = None
    initial: str = ""

    def is_partner_of(self, closing: "Kept") -> bool:
        """Tell whether this is the opening tag of *closing*."""
        return self.role is Role.OPEN and closing.role is Role.CLOSE and self.pair == closing.pair


Piece = str | Kept


@dataclass(frozen=True, slots=True)
class Sentence:
    """Pieces to be translated as one; *encode* is applied to the translated text, never to what is kept."""

    pieces: tuple[Piece, ...]
    encode: Callable[[str], str] = str


def translate_protected(sentences: Sequence[Sentence], translate: Translate, *, spaced: bool = True) -> list[str]:
    """Translate each sentence with every kept span exactly once, in at most two calls with distinct texts."""
    drafts = [_Draft(sentence) for sentence in sentences]
    answers = once((draft.skeleton for draft in drafts), translate)
    broken = [draft for draft in drafts if not draft.take(answers[draft.skeleton])]
    if broken:
        answers = once((text for draft in broken for text in draft.texts), translate)
        for draft in broken:
            draft.take_apart(answers)
    return [draft.written(spaced) for draft in drafts]


def once(texts: Iterable[str], translate: Translate) -> dict[str, str]:
    """Return each text's translation inside the text's own white space; equal texts are translated once."""
    cores = {text: text.strip() for text in texts}
    sent = [core for core in dict.fromkeys(cores.values()) if core]
    answers = dict(zip(sent, translate(sent), strict=True)) if sent else {}
    return {text: text.replace(core, answers[core].strip(), 1) if core else text for text, core in cores.items()}


def has_placeholder(text: str) -> bool:
    """Tell whether *text* holds a character that stands for a span, or might be taken for one."""
    return _PRIVATE.search(text) is not None


def without_placeholders(text: str) -> str:
    """Return *text* without the characters that stand for spans."""
    return _PRIVATE.sub("", text)


class _Draft:
    """A sentence on its way: the texts around its kept spans, then the same of its translation."""

    __slots__ = ("_encode", "_numbers", "_out", "kept", "marks", "skeleton", "texts")

    def __init__(self, sentence: Sentence) -> None:
        self.texts: list[str] = [""]
        self.kept: list[Kept] = []
        for piece in sentence.pieces:
            if isinstance(piece, Kept):
                self.kept.append(piece)
                self.texts.append("")
            else:  # private-use characters of the source are kept too
                own, *others = _PRIVATE.split(piece)
                self.texts[-1] += own
                self.kept += [Kept(character) for character in others[::2]]
                self.texts += others[1::2]
        # The character that stands for each span; fewer than there are spans if there are too many of a kind.
        self.marks: list[str] = []
        both = Counter[int | None](span.pair for span in self.kept if span.pair is not None)
        single, pairs, opened = iter(_SINGLE), iter(_OPEN), dict[int | None, int]()
        for span in self.kept:
            if both[span.pair] == 2 and span.role is Role.OPEN:
                mark = opened[span.pair] = next(pairs, 0)
            elif both[span.pair] == 2 and span.role is Role.CLOSE and span.pair in opened:
                mark = opened[span.pair] + len(_OPEN)
            else:
                mark = next(single, 0)
            if mark < _SINGLE.start:
                break
            self.marks.append(chr(mark))
        self.skeleton = ""  # nothing to send where spans have no mark: it will be translated piece by piece
        if len(self.marks) == len(self.kept):
            self.skeleton = "".join(map(str.__add__, self.texts, self.marks)) + self.texts[-1]
        self._encode = sentence.encode
        self._out = self.texts
        self._numbers = list(range(len(self.kept)))

    def take(self, answer: str) -> bool:
        """Take the translated skeleton if it kept its promise; a sentence with nothing to keep takes anything."""
        if not self.kept:
            self._out = [without_placeholders(answer)]
            return True
        out = _PRIVATE.split(answer)
        known = {mark: number for number, mark in enumerate(self.marks)}
        numbers = [known.get(mark, -1) for mark in out[1::2]]
        if sorted(numbers) != self._numbers:
            return False
        if _open_ends(self.kept[number] for number in numbers) != _open_ends(self.kept):
            return False
        self._out, self._numbers = out[::2], numbers
        return True

    def take_apart(self, answers: Mapping[str, str]) -> None:
        """Take the translations of the texts one by one, in the source's order."""
        self._out = [without_placeholders(answers[text]) for text in self.texts]

    def written(self, spaced: bool) -> str:
        """Put the kept spans back."""
        texts = list(self._out)
        # Each span gets the white space it had beside it, where the translator glued or parted words.
        for at, number in enumerate(self._numbers):
            role = self.kept[number].role
            before, after = self.texts[number][-1:], self.texts[number + 1][:1]
            left, right = texts[at], texts[at + 1][::-1]  # both end at the span
            if role is Role.OPEN:
                right, left = _outward(right, left, after)
            elif role is Role.CLOSE:
                left, right = _outward(left, right, before)
            left, right = _fitted(left, before, role, spaced), _fitted(right, after, role, spaced)
            if left.endswith(" ") and right.endswith(" "):  # one of them is new, unless the source has both
                right = right if after.isspace() or not before.isspace() else right[:-1]
                left = left if before.isspace() or not after.isspace() else left[:-1]
            texts[at], texts[at + 1] = left, right[::-1]
        out, started = [self._encode(texts[0])], False
        for bare, number, text in zip(self._out, self._numbers, texts[1:], strict=False):
            kept = self.kept[number]
            started = started or bool(_WORD_CHARACTER.search(bare))
            out += (kept.text if started or not kept.initial else kept.initial, self._encode(text))
            started = started or kept.role is Role.WORD
        return "".join(out)


def _outward(inner: str, outer: str, neighbour: str) -> tuple[str, str]:
    """Move a space between a tag and the words it encloses to its other side, if the source has none there."""
    if not inner.endswith(" ") or not neighbour or neighbour.isspace():
        return inner, outer
    return inner.rstrip(" "), outer + " " if _SPACED.match(outer[-1:]) else outer


def _fitted(text: str, neighbour: str, role: Role, spaced: bool) -> str:
    """Return *text*, which ends at a span, with or without a space there, as the source's *neighbour* suggests."""
    if not spaced:
        glued = role is Role.WORD and text[-1:] == " " and _UNSPACED.match(text[-2:-1])
        return text[:-1] if glued else text
    apart = neighbour.isspace() or (role is Role.WORD and _UNSPACED.match(neighbour))
    return text + " " if apart and _SPACED.match(text[-1:]) else text


def _open_ends(kept: Iterable[Kept]) -> list[Kept]:
    """Return the tags whose partner does not follow at the same depth: what must stay in order."""
    ends: list[Kept] = []
    for span in kept:
        if ends and ends[-1].is_partner_of(span):
            ends.pop()
        elif span.role in (Role.OPEN, Role.CLOSE):
            ends.append(span)
    return ends
