"""Texts with numbered tags in them, as they travel: XML out, XML back, and whether every tag came back in its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape

from svc_nb.notebooks.segment import Refused


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
        parts += _text(answer[at : found.start()])
        number = next(group for group in found.groups() if group)
        parts.append(Tag(int(number), KINDS[found.lastindex - 1 if found.lastindex else 0]))
        at = found.end()
    return parts + _text(answer[at:])


def returned(answer: str, sent: Sequence[Part]) -> list[Part]:
    """The texts and tags of an answer to what was *sent*, in the answer's own order.

    Raises Refused unless each tag came back once, within the same tags around it.
    """
    parts = parts_of(answer)
    around, expected = _around(parts), _around(sent)
    if around != expected:
        raise Refused(_fault(parts, sent))
    return parts


def runs(parts: Sequence[Part]) -> list[str]:
    """The texts between tags that have letters, in order, without the space around them, to send one by one."""
    return [escaped(part.strip()) for part in parts if isinstance(part, str) and has_letters(part)]


def with_runs(parts: Sequence[Part], answers: Sequence[str]) -> list[Part]:
    """The parts with the answers in place of their runs; the space around each stays."""
    left = [plain(answer) for answer in answers]
    return [_with_run(part, left) if isinstance(part, str) and has_letters(part) else part for part in parts]


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


def _with_run(part: str, left: list[str]) -> str:
    head = part[: len(part) - len(part.lstrip())]
    tail = part[len(part.rstrip()) :]
    return head + left.pop(0).strip() + tail


def _text(raw: str) -> list[Part]:
    return [unescape(raw)] if raw else []


def _around(parts: Sequence[Part]) -> dict[tuple[int, str], tuple[int, ...]] | None:
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


def _fault(parts: Sequence[Part], sent: Sequence[Part]) -> str:
    back = [part for part in parts if isinstance(part, Tag)]
    gone = [part for part in sent if isinstance(part, Tag)]
    if len(back) < len(gone):
        return "the translator lost a tag"
    if len(back) > len(gone):
        return "the translator doubled a tag"
    return "the translator moved a tag out of its place"
