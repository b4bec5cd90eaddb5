"""A sentence as Apertium's stream format writes it and back, with its capitals, spaces and placeholders.

`Sentence` sets aside what Apertium handles badly (white space around, capitals throughout, placeholders) and puts it
right in the result; `encode` and `decode` are the format itself, once for every pair a sentence passes through.

A placeholder that stands alone travels as an invented word, since sentences need their nouns: "⟨X⟩ es bueno" would
become "⟨X⟩ it is good". One that touches a word is a tag and travels as a superblank, which belongs to no word; pairs
of tags are bound to their words (`bound`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from . import bound as bound_tags

_UNSENDABLE = {0: " ", **dict.fromkeys([*range(0xD800, 0xE000), 0xFFFF], "\ufffd")}
"""NUL and U+FFFF end a message, as the programs see it; half a surrogate pair has no UTF-8."""

_PRIVATE = "\ue000-\uf8ff"
_PAIR = "\uf000-\uf7ff"
_SINGLE = "\ue000-\uefff\uf800-\uf8ff"
_RESERVED = re.compile(r"[\\\[\]{}^$/<>@]")
_BLANK = re.compile(f"[~{_PRIVATE}]")  # the tilde wakes the post-generator up
_ENDED = re.compile(r"[.!?]$")
_TRAILER = re.compile(r"\[([=+])(\d+)\]\s*$")
_STREAM = re.compile(r"\[\[([\d; ]+|/)\]\]|\\(.)|\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)

_ALONE = re.compile(rf"(?<![\w{_SINGLE}])(?<!\w[{_PAIR}])[{_SINGLE}](?![\w{_SINGLE}]|[{_PAIR}]\w)")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_START = re.compile(rf"(?:^|[.!?:…]\s)[^\w{_SINGLE}]*$")
_LETTERS = "bcdfghjklmnpqrstvwxz"

_ENGLISH_CAPITALS = re.compile(
    r"I(?:['’].+)?|.+(?:ese|ish|ian|ean|can)s?|French|German|Greek|Dutch|Swiss|Czech|Thai|Arab|Arabic|Europe|Internet"
    r"|Christmas|Easter|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
    r"|January|February|March|April|May|June|July|August|September|October|November|December"
)


class OutOfStep(Exception):
    """An answer that does not belong to the text it was given for."""


def encode(text: str, serial: int, *, bound: bool = False) -> bytes:
    """Return *text* in the stream format, without NUL, with *serial* in a superblank at its end.

    Rules look for the end of a sentence, so one without its full stop gets one that `decode` takes away again.
    *bound* pairs of tags will move with their words.
    """
    sendable = text.translate(_UNSENDABLE)
    body = "".join(map(_part, bound_tags.parts(sendable))) if bound else _part((sendable, frozenset()))
    ended = _ENDED.search(body)
    return f"{body}{'' if ended else '.'}[][{'=' if ended else '+'}{serial}]".encode()


def _part(part: bound_tags.Part) -> str:
    text, pairs = part
    body = _BLANK.sub(r"[\g<0>]", _RESERVED.sub(r"\\\g<0>", text))
    return f"[[{'; '.join(map(str, sorted(pairs)))}]]{body}[[/]]" if pairs else body


def decode(answer: bytes, serial: int) -> str:
    """Return the text of an answer; raise OutOfStep if it is the answer to another text."""
    stream = answer.decode("utf-8", "replace")
    trailer = _TRAILER.search(stream)
    if trailer is None or int(trailer[2]) != serial:
        raise OutOfStep
    text = bound_tags.joined(_parts(stream[: trailer.start()])).rstrip()
    return text.removesuffix(".").rstrip() if trailer[1] == "+" else text


def _parts(stream: str) -> Iterator[bound_tags.Part]:
    """Yield the texts of *stream*, each with the pairs that are bound to it."""
    texts: list[str] = []
    pairs: frozenset[int] = frozenset()
    at = 0
    for match in _STREAM.finditer(stream):
        texts.append(stream[at : match.start()])
        at = match.end()
        if match[1]:
            yield "".join(texts), pairs
            texts, pairs = [], frozenset(map(int, re.findall(r"\d{1,4}", match[1])))
        else:
            texts.append(match[2] or match[3] or "")
    yield "".join((*texts, stream[at:])), pairs


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text made ready: `core` is what to translate, `finished` makes the result of it."""

    text: str
    core: str
    shouted: bool = False
    words: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> Sentence:
        """Take *text* apart; `core` is empty when it has no letters to translate."""
        core = unicodedata.normalize("NFC", text.strip().translate(_UNSENDABLE))
        if not any(map(str.isalpha, core)):
            return cls(text, "")
        shouted = core.isupper() and len(re.findall(r"[^\W\d_]{2,}", core)) > 1
        words: dict[str, str] = {}
        stand_ins = _ALONE.sub(lambda match: _invented(match[0], words), core.lower() if shouted else core)
        if "xqz" in core.lower():
            return cls(text, core.lower() if shouted else core, shouted)
        return cls(text, stand_ins, shouted, words)

    def finished(self, out: str, target: str) -> str:
        """Return the translation with the text's own surroundings; the text itself when nothing came out."""
        for word, placeholder in self.words.items():
            out = re.sub(rf"\b{word}\b", placeholder, out, flags=re.IGNORECASE)
        if not (out := out.strip()):
            return self.text
        core = self.text.strip()
        out = out.upper() if self.shouted else _capitals(core, out, target)
        out = unicodedata.normalize("NFC", _spaces(core, out))
        before, _, after = self.text.partition(core)
        return before + out + after


def _invented(placeholder: str, words: dict[str, str]) -> str:
    """Return a word that no dictionary has and no rule takes apart, and remember what it stands for."""
    number, letters = len(words), ""
    while not letters or number:
        number, digit = divmod(number, len(_LETTERS))
        letters += _LETTERS[digit]
    word = f"Xqz{letters}"
    words[word] = placeholder
    return word


def _capitals(source: str, out: str, target: str) -> str:
    """Lower the capitals that rules left in mid-sentence ("Thank you By the help"), if the source has none there."""
    first = _WORD.search(source)
    if first is None or any(match[0] != match[0].lower() for match in _WORD.finditer(source, first.end())):
        return out
    lower_start = first[0][0].islower() and not re.search(f"[{_SINGLE}]", source[: first.start()])
    fixed = _ENGLISH_CAPITALS if target.startswith("en") else None

    def lowered(match: re.Match[str]) -> str:
        word = match[0]
        starts = _START.search(out, 0, match.start()) and not (lower_start and match.start() == 0)
        if starts or word[1:] != word[1:].lower() or (fixed and fixed.fullmatch(word)):
            return word
        return word.lower()

    return _WORD.sub(lowered, out)


def _spaces(source: str, out: str) -> str:
    """Take away the spaces that dropped words left behind, where the source has no such spaces."""
    if "  " not in source:
        out = re.sub(" {2,}", " ", out)
    return out if re.search(r" [.,;!?]", source) else re.sub(r" +([.,;!?])", r"\1", out)
