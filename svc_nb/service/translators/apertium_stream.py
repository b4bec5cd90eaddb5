"""A sentence as Apertium's stream format writes it and back, with its capitals, spaces and placeholders.

`Sentence` sets aside what Apertium handles badly (white space around, capitals throughout, placeholders) and puts it
right in the result; `encode` and `decode` are the format itself, once for every pair a sentence passes through.

A placeholder that stands alone travels as an invented word, since sentences need their nouns: "⟨X⟩ es bueno" would
become "⟨X⟩ it is good". One that touches a word is a tag and travels as a superblank, which belongs to no word.

Pairs of tags travel as word-bound blanks, which move with the words that they are around. The n-th pair of a text is
U+F000 + n where it opens and U+F400 + n where it closes; in the stream each word of it carries the number:
``[[0]]red[[/]]``. In the answer the pair goes around the longest row of words that carry it; a pair whose words are
all gone is left out, for the caller to see.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

Part = tuple[str, frozenset[int]]
"""A piece of text, and the numbers of the pairs of tags that are bound to it."""

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
_OPEN, _CLOSE, _MOST = 0xF000, 0xF400, 0x400
_TOKEN = re.compile(r"\w+(?:['’.-]\w+)*|[!?.,;:…]")
_NONE: frozenset[int] = frozenset()

_ENGLISH_CAPITALS = re.compile(
    r"I(?:['’].+)?|.+(?:ese|ish|ian|ean|can)s?|French|German|Greek|Dutch|Swiss|Czech|Thai|Arab|Arabic|Europe|Internet"
    r"|Christmas|Easter|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
    r"|January|February|March|April|May|June|July|August|September|October|November|December"
)


class OutOfStep(Exception):
    """An answer that does not belong to the text it was given for."""


def encode(text: str, serial: int, *, bound: bool = False) -> bytes:
    """Return *text* in the stream format with *serial* at its end; *bound* pairs of tags move with their words."""
    sendable = text.translate(_UNSENDABLE)
    body = ""
    for part, pairs in bound_parts(sendable) if bound else [(sendable, _NONE)]:
        raw = _BLANK.sub(r"[\g<0>]", _RESERVED.sub(r"\\\g<0>", part))
        body += f"[[{'; '.join(map(str, sorted(pairs)))}]]{raw}[[/]]" if pairs else raw
    ended = _ENDED.search(body)
    return f"{body}{'' if ended else '.'}[][{'=' if ended else '+'}{serial}]".encode()


def bound_parts(text: str) -> Iterator[Part]:
    """Yield *text* in parts, each with the pairs that it belongs to; a pair without words stays in its place."""
    bound = set()  # the pairs that open before they close, once each, with a word between
    for mark in {each for each in text if _OPEN <= ord(each) < _CLOSE}:
        closing = chr(ord(mark) + _MOST)
        once = text.count(mark) == text.count(closing) == 1
        if once and re.search(r"\w", text[text.index(mark) : text.index(closing)]):
            bound.add(ord(mark) - _OPEN)
    clean: list[str] = []
    pairs: list[frozenset[int]] = []  # around each character of the text without these marks
    around = _NONE
    for character in text:
        code = ord(character) - _OPEN
        if 0 <= code < 2 * _MOST and code % _MOST in bound:
            around = around | {code} if code < _MOST else around - {code - _MOST}
        else:
            clean.append(character)
            pairs.append(around)
    unmarked, at = "".join(clean), 0
    for token in _TOKEN.finditer(unmarked):
        if numbers := _NONE.union(*pairs[token.start() : token.end()]):
            yield unmarked[at : token.start()], _NONE
            yield token[0], numbers
            at = token.end()
    yield unmarked[at:], _NONE


def decode(answer: bytes, serial: int) -> str:
    """Return the text of an answer; raise OutOfStep if it is the answer to another text."""
    stream = answer.decode("utf-8", "replace")
    trailer = _TRAILER.search(stream)
    if trailer is None or int(trailer[2]) != serial:
        raise OutOfStep
    parts, texts, pairs, at = list[Part](), list[str](), _NONE, 0
    for match in _STREAM.finditer(stream, 0, trailer.start()):
        texts.append(stream[at : match.start()])
        at = match.end()
        if match[1]:
            parts.append(("".join(texts), pairs))
            texts, pairs = [], frozenset(map(int, re.findall(r"\d{1,4}", match[1])))
        else:
            texts.append(match[2] or match[3] or "")
    parts.append(("".join((*texts, stream[at : trailer.start()])), pairs))
    text = joined(parts).rstrip()
    return text.removesuffix(".").rstrip() if trailer[1] == "+" else text


def joined(found: Iterable[Part]) -> str:
    """Return the text of the parts of an answer, with each pair that came back around its longest row of words."""
    parts = [part for part in found if part[0]]
    rows: dict[int, list[list[int]]] = defaultdict(list)
    words = 0  # met so far: a row goes on as long as none is between
    last_words: dict[int, int] = {}
    for at, (text, numbers) in enumerate(parts):
        is_word = re.search(r"\w", text) is not None
        words += is_word
        for number in numbers:
            if not rows[number] or last_words[number] < words - is_word:
                rows[number].append([])
            rows[number][-1].append(at)
            last_words[number] = words
    before: dict[int, str] = defaultdict(str)
    after: dict[int, str] = defaultdict(str)
    for number, some in sorted(rows.items()):
        longest = max(some, key=lambda row: sum(len(parts[at][0]) for at in row))
        before[longest[0]] += chr(_OPEN + number)
        after[longest[-1]] = chr(_CLOSE + number) + after[longest[-1]]
    return "".join(before[at] + text + after[at] for at, (text, _) in enumerate(parts))


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
        core = core.lower() if shouted else core
        words: dict[str, str] = {}

        def invented(match: re.Match[str]) -> str:
            """Return a word that no dictionary has and no rule takes apart, and remember what it stands for."""
            number, letters = len(words), ""
            while not letters or number:
                number, digit = divmod(number, len(_LETTERS))
                letters += _LETTERS[digit]
            words[f"Xqz{letters}"] = match[0]
            return f"Xqz{letters}"

        return cls(text, core if "xqz" in core.lower() else _ALONE.sub(invented, core), shouted, words)

    def finished(self, out: str, target: str) -> str:
        """Return the translation with the text's own surroundings; the text itself when nothing came out."""
        for word, placeholder in self.words.items():
            out = re.sub(rf"\b{word}\b", placeholder, out, flags=re.IGNORECASE)
        if not (out := out.strip()):
            return self.text
        core = self.text.strip()
        out = out.upper() if self.shouted else _capitals(core, out, target)
        # Words that were dropped leave spaces behind, which are taken away where the source has no such spaces.
        if "  " not in core:
            out = re.sub(" {2,}", " ", out)
        if not re.search(r" [.,;!?]", core):
            out = re.sub(r" +([.,;!?])", r"\1", out)
        before, _, after = self.text.partition(core)
        return before + unicodedata.normalize("NFC", out) + after


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
