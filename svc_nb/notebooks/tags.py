"""Texts with numbered tags in them, as they travel: XML out, XML back, and whether every tag came back in its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape


class Refused(Exception):
    """An answer that cannot be put back; the text says why, in a few words."""


@dataclass(frozen=True)
class Tag:
    """A numbered tag: `<b1>` opens, `</b1>` closes, `<x2/>` stands alone."""

    number: int
    kind: str  # "open", "close" or "lone"

    def __str__(self) -> str:
        return {"open": "<b{}>", "close": "</b{}>", "lone": "<x{}/>"}[self.kind].format(self.number)


Part = str | Tag

# A translator may write a tag with a space in it, or a lone one as a pair.
TAG = re.compile(r"<b(\d+)\s*>|</b(\d+)\s*>|<x(\d+)\s*/>|<x(\d+)\s*>\s*</x\4\s*>")
KINDS = ("open", "close", "lone", "lone")


def escaped(text: str) -> str:
    """A text as XML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def xml(parts: Sequence[Part]) -> str:
    """Texts and tags as one text to send."""
    return "".join(escaped(part) if isinstance(part, str) else str(part) for part in parts)


def parts_of(answer: str) -> list[Part]:
    """The texts and tags of an answer; texts are not empty, and no two stand side by side."""
    parts: list[Part] = []
    at = 0
    for found in TAG.finditer(answer):
        if found.start() > at:
            parts.append(unescape(answer[at : found.start()]))
        number = next(group for group in found.groups() if group)
        parts.append(Tag(int(number), KINDS[found.lastindex - 1 if found.lastindex else 0]))
        at = found.end()
    return [*parts, unescape(answer[at:])] if at < len(answer) else parts


def returned(answer: str, sent: Sequence[Part]) -> list[Part]:
    """The texts and tags of an answer to what was *sent*, in the answer's own order.

    Raises Refused unless each tag came back once, within the same tags around it.
    """
    parts = parts_of(answer)
    if _nesting(parts) != _nesting(sent):
        back, gone = (sum(isinstance(part, Tag) for part in each) for each in (parts, sent))
        if back == gone:
            raise Refused("the translator moved a tag out of its place")
        raise Refused("the translator lost a tag" if back < gone else "the translator doubled a tag")
    return parts


def _nesting(parts: Sequence[Part]) -> dict[tuple[int, str], tuple[int, ...]] | None:
    """Each tag with the numbers of those it stands in; None where tags are doubled, crossed or not closed."""
    found: dict[tuple[int, str], tuple[int, ...]] = {}
    open_: list[int] = []
    for tag in (part for part in parts if isinstance(part, Tag)):
        if (tag.number, tag.kind) in found or (tag.kind == "close" and open_[-1:] != [tag.number]):
            return None
        if tag.kind == "close":
            open_.pop()
        found[tag.number, tag.kind] = tuple(open_)
        if tag.kind == "open":
            open_.append(tag.number)
    return None if open_ else found


def runs(parts: Sequence[Part]) -> list[str]:
    """The texts between tags that have letters, in order, without the space around them, to send one by one."""
    return [escaped(part.strip()) for part in parts if isinstance(part, str) and has_letters(part)]


def with_runs(parts: Sequence[Part], answers: Sequence[str]) -> list[Part]:
    """The parts with the answers in place of their runs; the space around each stays."""
    left = iter([plain(answer) for answer in answers])
    return [
        re.sub(r"(?s)\S(?:.*\S)?", lambda _: next(left), part, count=1)
        if isinstance(part, str) and has_letters(part)
        else part
        for part in parts
    ]


def plain(answer: str) -> str:
    """The text of an answer to a text without tags; raises Refused where there are any, or no text."""
    if TAG.search(answer):
        raise Refused("the translator made up a tag")
    text = re.sub(r"[ \t\r\n]+", " ", unescape(answer)).strip()
    if not text:
        raise Refused("the answer is empty")
    return text


def has_letters(text: str) -> bool:
    """Whether there is something to translate in a text."""
    return any(letter.isalpha() for letter in text)
