"""The masks that stand for protected stretches: how they are written and read, and texts with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from svc_nb.columns.protection import nesting
from svc_nb.columns.protection.spans import Span


class _Form(NamedTuple):
    """A kind of mask: how it is written, and what of it translators were seen or are likely to make."""

    written: str
    read: re.Pattern[str]


# Chosen by experiment: of 191 sentences in 15 language pairs of Apertium all came back whole with "[[0]]", and with
# "XK0T" if its case does not count; 182 with "{0}", 179 with "⟦0⟧" or "__0__". No neural service was at hand. The first
# form is no word: words that touch it are still translated, and a sentence that begins with it keeps its case. Spaces,
# wide brackets and look-alikes from other alphabets do no harm. No mask is mistaken for another beside other text.
FORMS = (
    _Form("[[%d]]", re.compile(r"([\[［【]{2}\s?(\d{1,6})\s?[\]］】]{2})")),
    _Form("XK%dT", re.compile(r"([XxХхΧχ][KkКкΚκ](\d{1,6})[TtТтΤτ])")),
)
FIRST, SECOND = range(len(FORMS))
_OPENING, _CLOSING = FORMS[FIRST].written.split("%d")
_OTHER_OPENINGS = "［【"
_MASK_LIKE = re.compile(r"[\[［【XxХхΧχ](?:(?<=[\[［【])[\[［【]\s?|(?<=[XxХхΧχ])[KkКкΚκ])(\d{1,6})")
_NO_NUMBERS: frozenset[int] = frozenset()


class Masked:
    """A text with protected stretches: `stretches` and what stands around them, `texts`, in turns."""

    __slots__ = ("_first", "_taken", "stretches", "texts")

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self.stretches: list[str] = []
        self.texts: list[str] = []
        at = 0
        for start, end in spans:
            self.texts.append(text[at:start])
            self.stretches.append(text[start:end])
            at = end
        self.texts.append(text[at:])
        self._taken = self._numbers() if _may_look_masked(text) else _NO_NUMBERS
        self._first = self._first_free() if self._taken else 0

    @property
    def wording(self) -> str:
        """What is there to translate: the text without its stretches."""
        return " ".join(self.texts)

    @property
    def idle(self) -> bool:
        """Whether there is not a letter to translate."""
        return not any(any(map(str.isalpha, text)) for text in self.texts)

    def asked(self, form: int) -> str:
        """The text with masks, as it is sent."""
        written, first = FORMS[form].written, self._first
        masks = [written % number for number in range(first, first + len(self.stretches))]
        return _in_turns(self.texts, masks)

    def restored(self, answer: str, form: int) -> str | None:
        """The *answer* with the stretches in place of their masks.

        None where masks were lost, doubled or invented, or have come apart from what they belong together with.
        """
        if form == FIRST and (whole := self._unchanged(answer)) is not None:
            return whole
        first, count = self._first, len(self.stretches)
        texts = FORMS[form].read.split(answer)
        numbers = [int(number) - first for number in texts[2::3]]
        own = [number for number in numbers if 0 <= number < count]
        others = {number + first for number in numbers if not 0 <= number < count}
        each_once = len(own) == count == len(set(own))
        if not each_once or not others <= self._taken or not self._holds_together(own):
            return None
        put = [
            self.stretches[number] if 0 <= number < count else mark
            for number, mark in zip(numbers, texts[1::3], strict=True)
        ]
        return _in_turns(texts[::3], put)

    def _unchanged(self, answer: str) -> str | None:
        """The same where the masks came back in order and as they were written, as they mostly do; else None."""
        texts = answer.split(_OPENING)
        if len(texts) != len(self.stretches) + 1 or any(mark in answer for mark in _OTHER_OPENINGS):
            return None
        for place in range(1, len(texts)):
            number = f"{self._first + place - 1}{_CLOSING}"
            if not texts[place].startswith(number):
                return None
            texts[place] = texts[place][len(number) :]
        return _in_turns(texts, self.stretches)

    def _numbers(self) -> frozenset[int]:
        """The numbers of what looks like a mask, of any form, outside of the stretches."""
        return frozenset(int(number) for text in self.texts for number in _MASK_LIKE.findall(text))

    def _first_free(self) -> int:
        """The first of as many numbers in a row as there are stretches, none of which is taken."""
        first = 0
        for number in sorted(self._taken):
            if number >= first + len(self.stretches):
                break
            first = number + 1
        return first

    def _holds_together(self, order: Sequence[int]) -> bool:
        """Whether the stretches may stand in this order."""
        if order == [*range(len(order))]:
            return True
        if not nesting.alike(self.stretches, [self.stretches[number] for number in order]):
            return False
        return nesting.in_their_arms(_in_turns(self.texts, self.stretches), self._spans(), order)

    def _spans(self) -> list[Span]:
        """Where the stretches stand."""
        spans: list[Span] = []
        at = 0
        for text, stretch in zip(self.texts, self.stretches, strict=False):
            start = at + len(text)
            at = start + len(stretch)
            spans.append((start, at))
        return spans


def _may_look_masked(text: str) -> bool:
    """A quick look for what might be taken for a mask."""
    return not text.isascii() or _OPENING in text or "XK" in text.upper()


def _in_turns(texts: Sequence[str], between: Sequence[str]) -> str:
    """The first of *texts*, the first of *between*, the second text, and so on."""
    whole = [""] * (len(texts) + len(between))
    whole[::2], whole[1::2] = texts, between
    return "".join(whole)
