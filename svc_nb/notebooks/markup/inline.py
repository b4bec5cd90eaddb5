"""The content of a paragraph as one text with numbered tags, and an answer to it as the content of a paragraph."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

from svc_nb.notebooks.markup.layout import SPACE, Atom, Hard, lines
from svc_nb.notebooks.markup.nodes import Node, is_verbatim
from svc_nb.notebooks.markup.parser import AT, LABEL_END, SPELLED
from svc_nb.notebooks.tags import Part, Tag, has_letters

# Within words, what is no word: it travels as a tag and comes back as it was.
NO_WORDS = re.compile(
    r"(?:https?|ftp)://(?:[^\s<>()]|\([^\s<>()]*\))+(?<![.,;:!?\]'\"”’*_])|\bwww\.[^\s<>]*[^\s<>.,;:!?)\]'\"”’]"
    r"|(?<!\w)\xa0+|\xa0+(?!\w)"
    r"|[\w.+-]+@[\w-]+\.[\w.-]*\w"
    r"|(?<![\w@])@[A-Za-z][\w:-]*\w"
    r"|(?<![\w:]):[a-z][a-z0-9_+-]*:(?![\w:])"
    r"|\$?\{[^{}\s]*\}|%\(\w+\)[sdif]"
    r"|\[\[?_?TOC_?\]?\]"
    r"|(?<![\w./-])[\w./-]*[\w-]\.(?:py|md|ipynb|csv|tsv|json|ya?ml|toml|txt|html?|xlsx|docx|pptx|pdf)\b"
    r"|(?<![\w/])[\w.-]+/(?![\w/])|(?<!\S)(?:~|\.{1,2})?/[\w./-]*\w"
    r"|(?<![\w.])\w+(?:\.\w+)*\(\)|(?<![\w.])[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+(?!\w)"
)


@dataclass(frozen=True)
class Mark:
    """What a tag stands for: what opens and what closes it in the source, and the words in it that are not sent."""

    open: str
    close: str = ""
    said: str = ""
    hard: bool = False
    words: bool = False  # it is written as words are, with their escapes


@dataclass
class Content:
    """The parts of a paragraph's content: words and tags, and what each tag stands for."""

    source: str
    parts: list[Part] = field(default_factory=list)
    marks: dict[int, Mark] = field(default_factory=dict)
    spelled: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, nodes: Sequence[Node], source: str) -> Content:
        """The content that was read as *nodes*."""
        made = cls(source)
        for node in nodes:
            made._add(node)
        return made

    @property
    def has_words(self) -> bool:
        """Whether there is something to translate in it."""
        return any(isinstance(part, str) and has_letters(part) for part in self.parts)

    @cached_property
    def spelling(self) -> dict[str, str]:
        """The signs that are never written plainly here, and how they are: `\\*`, `&nbsp;`."""
        forms = dict(reversed(self.spelled))
        plain = Counter("".join(part for part in self.parts if isinstance(part, str)))
        plain.update("".join(mark.open for mark in self.marks.values() if mark.words))
        often = Counter(sign for sign, _ in self.spelled)
        return {
            sign: form
            for sign, form in forms.items()
            if len(sign) == 1 and not sign.isalnum() and plain[sign] == often[sign]
        }

    def said(self, parts: Sequence[Part]) -> str:
        """All words of *parts*, those in tags too, without space: what a reader of the result must find."""
        words = (part if isinstance(part, str) else self._said(part) for part in parts)
        return bare("".join(words))

    def lines(
        self,
        parts: Sequence[Part],
        widths: Sequence[int],
        *,
        words: Callable[[str], str],
        start: Callable[[str], str] = str,
        apart: bool = False,
        spelled: bool = True,
        exact: bool = False,
    ) -> list[str]:
        """The parts as lines of source, at most as many as there are widths.

        *words* and *start* escape texts, and texts at the start of a line; *apart* puts space around pairs, as
        emphasis needs it where letters stand at both of its sides; *spelled* writes signs as the source does, and
        *exact* names and addresses without escapes of ours.
        """
        atoms: list[Atom] = []
        signs = self.spelling if spelled else {}
        written = partial(_spelled, signs=signs, words=words)
        names = partial(_spelled, signs=signs, words=str) if exact else written
        for part in _outward(parts):
            atoms += _split(part, written) if isinstance(part, str) else self._atoms(part, names, apart)
        return lines(atoms, widths, start)

    def _atoms(self, tag: Tag, words: Callable[[str], str], apart: bool) -> list[Atom]:
        mark = self.marks[tag.number]
        if mark.hard:
            return [Hard(mark.open)]
        if mark.words:
            return [words(mark.open)]
        around: list[Atom] = [SPACE] if apart else []
        opened = _on_lines(mark.open)
        return {"open": [*around, *opened], "close": [mark.close, *around]}.get(tag.kind, opened)

    def _said(self, tag: Tag) -> str:
        return self.marks[tag.number].said if tag.kind == "lone" else ""

    def _add(self, node: Node) -> None:
        if node.kind == "text":
            self._words(node.token.content)
            self.spelled += node.token.meta.get(SPELLED, [])
        elif node.kind == "softbreak":
            self._text(" ")
        elif node.kind == "hardbreak":
            self._lone(Mark(self._hard_break(node), hard=True))
        elif node.close is None or self._stays(node):
            self._lone(Mark(self._written(node), said=node.said))
        else:
            self._pair(node)

    def _pair(self, node: Node) -> None:
        number = len(self.marks) + 1
        self.marks[number] = self._mark(node)
        self.parts.append(Tag(number, "open"))
        for inner in node.inside:
            self._add(inner)
        self.parts.append(Tag(number, "close"))

    def _mark(self, node: Node) -> Mark:
        if node.kind == "link":
            return Mark("[", _link_end(node, self.source))
        if node.kind == "html_inline" and node.close:
            return Mark(node.token.content, node.close.content)
        return Mark(node.token.markup, node.close.markup if node.close else "")

    def _stays(self, node: Node) -> bool:
        """Whether a pair is kept as a whole: it has no words, or they are not to be translated."""
        if node.kind == "html_inline":
            return is_verbatim(node.token.content) or not has_letters(node.said)
        return node.kind == "link" and (
            node.token.markup == "autolink" or not Content.of(node.inside, self.source).has_words
        )

    def _written(self, node: Node) -> str:
        start, end = node.token.meta[AT]
        if node.close:
            end = node.close.meta[AT][1]
        written = self.source[start:end]
        return written if node.kind == "html_inline" else written.replace("\n", " ")  # as in code it is one

    def _hard_break(self, node: Node) -> str:
        start, _ = node.token.meta[AT]
        if self.source[start] == "\\":
            return "\\"
        before = self.source[:start]
        return before[len(before.rstrip(" ")) :]

    def _words(self, text: str) -> None:
        at = 0
        for found in NO_WORDS.finditer(text):
            self._text(text[at : found.start()])
            self._lone(Mark(found.group(), said=found.group(), words=True))
            at = found.end()
        self._text(text[at:])

    def _text(self, text: str) -> None:
        if self.parts and isinstance(self.parts[-1], str):
            self.parts[-1] += text
        elif text:
            self.parts.append(text)

    def _lone(self, mark: Mark) -> None:
        number = len(self.marks) + 1
        self.marks[number] = mark
        self.parts.append(Tag(number, "lone"))


def _spelled(text: str, *, signs: Mapping[str, str], words: Callable[[str], str]) -> str:
    """The words escaped, but for the signs that have a spelling of their own."""
    if not signs:
        return words(text)
    cut = re.split(f"([{re.escape(''.join(signs))}])", text)
    return "".join(signs[part] if number % 2 else words(part) for number, part in enumerate(cut))


def bare(text: str) -> str:
    """A text without any space."""
    return "".join(text.split())


def _link_end(node: Node, source: str) -> str:
    """What closes a link; one whose words are its label gets the label after them, as the words change."""
    assert node.close is not None  # noqa: S101 - for the type checker
    start, end = node.token.meta[AT]
    label_end = node.close.meta[LABEL_END]
    tail = source[label_end:end]
    if tail in ("]", "][]"):
        tail = f"][{source[start + 1 : label_end]}]"
    return re.sub(r"[ \t]*\n[ \t]*", " ", tail)


def _on_lines(source: str) -> list[Atom]:
    """An HTML tag on as many lines as it has."""
    first, *more = source.split("\n")
    return [first, *(atom for line in more for atom in (Hard(""), line.strip()))]


def _split(text: str, words: Callable[[str], str]) -> list[Atom]:
    atoms: list[Atom] = []
    for number, word in enumerate(re.split(r"[ \t\r\n]+", words(text))):
        atoms += ([SPACE] if number else []) + ([word] if word else [])
    return atoms


def _outward(parts: Sequence[Part]) -> list[Part]:
    """The parts with the space at the inner ends of pairs moved out of them: `**so **` would be no emphasis."""
    moved = list(parts)
    for number, tag in enumerate(parts):
        if isinstance(tag, Tag) and tag.kind != "lone":
            _move(moved, number, 1 if tag.kind == "open" else -1)
    return [part for part in moved if part != ""]


def _move(parts: list[Part], number: int, step: int) -> None:
    inner = number + step
    if not 0 <= inner < len(parts):
        return
    text = parts[inner]
    if not isinstance(text, str):
        return
    kept = text.lstrip(" \t\r\n") if step > 0 else text.rstrip(" \t\r\n")
    if kept != text and kept:
        parts[inner] = kept
        outer = number - step
        if 0 <= outer < len(parts) and isinstance(parts[outer], str):
            parts[outer] = f"{parts[outer]} " if step > 0 else f" {parts[outer]}"
        else:
            parts.insert(number if step > 0 else number + 1, " ")
