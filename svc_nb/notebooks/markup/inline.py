"""The content of a paragraph as one text with numbered tags, and its translation as the content of a paragraph."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, takewhile

from markdown_it.token import Token

from svc_nb.notebooks.markup.parser import AT, LABEL_END, SPELLED, Node, is_verbatim
from svc_nb.notebooks.segments import (
    Part,
    Refused,
    Segment,
    SourceLines,
    Tag,
    has_letters,
    returned,
    runs,
    with_runs,
    xml,
)

# Parts within words that are not words: they are sent as tags and come back unchanged.
NO_WORDS = re.compile(
    r"(?:https?|ftp)://(?:[^\s<>()]|\([^\s<>()]*\))+(?<![.,;:!?\]'\"”’*_])|\bwww\.[^\s<>]*[^\s<>.,;:!?)\]'\"”’]"
    r"|(?<!\w)\xa0+|\xa0+(?!\w)"
    r"|(?<![\w.+-])[\w.+-]++@[\w-]+\.[\w.-]*\w"
    r"|(?<![\w@])@[A-Za-z][\w:-]*\w"
    r"|(?<![\w:]):[a-z][a-z0-9_+-]*:(?![\w:])"
    r"|\$?\{[^{}\s]*\}|%\(\w+\)[sdif]"
    r"|\[\[?_?TOC_?\]?\]|(?<=\s)\^[A-Za-z0-9-]+\Z|(?<=\w)~>(?=\w)"
    r"|(?<![\w./-])[\w./-]*[\w-]\.(?:py|md|ipynb|csv|tsv|json|ya?ml|toml|txt|html?|xlsx|docx|pptx|pdf)\b"
    r"|(?<![\w/.-])[\w.-]++/(?![\w/])|(?<!\S)(?:~|\.{1,2})?/[\w./-]*\w"
    r"|(?<![\w.])\w+(?:\.\w+)*\(\)|(?<![\w.])[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+(?!\w)"
)


Way = Callable[[Sequence[Part], Sequence[int]], list[str]]


@dataclass(frozen=True)
class TagSource:
    """What a tag stands for: its opening and closing source, and the words in it that are not sent."""

    open: str
    close: str = ""
    said: str = ""
    hard: bool = False
    words: bool = False  # it is written like words, with escapes


@dataclass
class InlineContent:
    """The parts of a paragraph's content: words and tags, and what each tag stands for."""

    source: str
    parts: list[Part] = field(default_factory=list)
    tags: dict[int, TagSource] = field(default_factory=dict)
    spelled: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, nodes: Sequence[Node], source: str) -> InlineContent:
        """The content that was read as *nodes*."""
        made = cls(source)
        for node in nodes:
            made._add(node)
        runs = groupby(made.parts, key=lambda part: isinstance(part, str))
        joined = (["".join(map(str, run))] if is_text else list(run) for is_text, run in runs)
        made.parts = [part for run in joined for part in run if part]
        return made

    def _add(self, node: Node) -> None:
        if node.kind == "text":
            at, text = 0, node.token.content
            for found in NO_WORDS.finditer(text):
                self.parts.append(text[at : found.start()])
                self._add_tag(TagSource(found.group(), said=found.group(), words=True))
                at = found.end()
            self.parts.append(text[at:])
            self.spelled += node.token.meta.get(SPELLED, [])
        elif node.kind == "softbreak":
            self.parts.append(" ")
        elif node.kind == "hardbreak":
            start = node.span[0]
            line = self.source[self.source.rfind("\n", 0, start) + 1 : start]
            signs = "\\" if self.source[start] == "\\" else line[len(line.rstrip(" ")) :]
            self._add_tag(TagSource(signs, hard=True))
        elif node.close is None or self._stays(node):
            written = self.source[slice(*node.span)]
            if node.kind not in ("html_inline", "template"):
                written = written.replace("\n", " ")  # as in code it is one
            self._add_tag(TagSource(written, said=node.said))
        else:
            number = self._add_tag(self._pair(node, node.close), "open")
            for inner in node.inside:
                self._add(inner)
            self.parts.append(Tag(number, "close"))

    def _add_tag(self, source: TagSource, kind: str = "lone") -> int:
        number = len(self.tags) + 1
        self.tags[number] = source
        self.parts.append(Tag(number, kind))
        return number

    def _stays(self, node: Node) -> bool:
        """Whether a pair is kept as a whole: it has no words, or they must not be translated."""
        if node.kind == "html_inline":
            return is_verbatim(node.token.content) or not has_letters(node.said)
        if node.kind in ("em", "strong") and not has_letters(node.said):
            start, end = node.span
            return bool(re.match(r"\w", self.source[start - 1 : start]) and re.match(r"\w", self.source[end : end + 1]))
        return node.kind == "link" and (
            node.token.markup == "autolink" or not InlineContent.of(node.inside, self.source).has_words
        )

    def _pair(self, node: Node, close: Token) -> TagSource:
        """The opening and closing source of a pair; a link whose words are its label gets the label after them."""
        if node.kind == "html_inline":
            return TagSource(node.token.content, close.content)
        if node.kind != "link":
            return TagSource(node.token.markup, close.markup)
        start, end = node.token.meta[AT]
        tail = self.source[close.meta[LABEL_END] : end]
        if tail in ("]", "][]"):
            tail = f"][{self.source[start + 1 : close.meta[LABEL_END]]}]"
        return TagSource("[", re.sub(r"(?:(?<![ \t])[ \t]++)?+\n[ \t]*+", " ", tail))

    @property
    def has_words(self) -> bool:
        """Whether there is something to translate in it."""
        return any(isinstance(part, str) and has_letters(part) for part in self.parts)

    @cached_property
    def spelling(self) -> dict[str, str]:
        """The characters that are never written plainly here, and their spelling: `\\*`, `&nbsp;`."""
        forms = dict(reversed(self.spelled))
        plain = Counter("".join(part for part in self.parts if isinstance(part, str)))
        plain.update("".join(tag.open for tag in self.tags.values() if tag.words))
        often = Counter(sign for sign, _ in self.spelled)
        return {
            sign: form
            for sign, form in forms.items()
            if len(sign) == 1 and not sign.isalnum() and plain[sign] == often[sign]
        }

    def said(self, parts: Sequence[Part]) -> str:
        """All words of *parts*, including those in tags, without spaces: what a reader of the result must find."""
        return without_space(
            "".join(
                part if isinstance(part, str) else self.tags[part.number].said if part.kind == "lone" else ""
                for part in parts
            )
        )

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
        signs = self.spelling if spelled else {}
        around: list[Atom] = [SPACE] if apart else []
        atoms: list[Atom] = []
        for part in space_outside(parts):
            if isinstance(part, str):
                for number, word in enumerate(re.split(r"[ \t\r\n]+", _spelled(part, signs, words))):
                    atoms += ([SPACE] if number else []) + ([word] if word else [])
                continue
            tag = self.tags[part.number]
            first, *more = tag.open.split("\n")  # an HTML tag is on as many lines as it has
            opened: list[Atom] = [first, *(atom for line in more for atom in (Hard(""), line.strip()))]
            if tag.hard:
                atoms.append(Hard(tag.open))
            elif tag.words:
                atoms.append(_spelled(tag.open, signs, str if exact else words))
            elif part.kind == "close":
                atoms += [tag.close, *around]
            else:
                atoms += [*around, *opened] if part.kind == "open" else opened
        return lines(atoms, widths, start)

    def segment(
        self,
        place: SourceLines,
        kind: str,
        *,
        ways: Sequence[Way],
        is_right: Callable[[str, Sequence[Part]], bool],
        finish: Callable[[str], str] = str,
    ) -> Segment:
        """A segment for the content, which fills *place*."""
        widths = [end - start for start, end in place.spans]

        def written(parts: Sequence[Part]) -> str:
            if not self.said(parts):
                raise Refused("the answer is empty")
            for way in ways:
                found = way(parts, widths)
                if all(found) and len(found) <= len(widths) and is_right("\n".join(found), parts):
                    return place.replaced_by([finish(line) for line in found])
            raise Refused("the answer would be read as syntax")

        return Segment(
            place.start,
            place.end,
            xml(self.parts),
            kind,
            place.number(0),
            put=lambda answer: written(returned(answer, self.parts)),
            runs=runs(self.parts),
            put_runs=lambda answers: written(with_runs(self.parts, answers)),
        )


def without_space(text: str) -> str:
    """A text without any space."""
    return "".join(text.split())


def _spelled(text: str, signs: Mapping[str, str], words: Callable[[str], str]) -> str:
    """The words escaped, except for characters with their own spelling."""
    if not signs:
        return words(text)
    cut = re.split(f"([{re.escape(''.join(signs))}])", text)
    return "".join(signs[part] if number % 2 else words(part) for number, part in enumerate(cut))


def space_outside(parts: Sequence[Part]) -> list[Part]:
    """The parts with the space at the inner ends of pairs moved out of them: `**so **` would be no emphasis.

    >>> xml(space_outside([Tag(1, "open"), "so ", Tag(1, "close"), "it is"]))
    '<b1>so</b1> it is'
    """
    moved = list(parts)
    for number, tag in enumerate(parts):
        if isinstance(tag, str) or tag.kind == "lone":
            continue
        step = 1 if tag.kind == "open" else -1
        inner, outer = number + step, number - step
        text = moved[inner] if 0 <= inner < len(moved) else None
        if not isinstance(text, str):
            continue
        kept = text.lstrip(" \t\r\n") if step > 0 else text.rstrip(" \t\r\n")
        if kept in ("", text):
            continue
        moved[inner] = kept
        if 0 <= outer < len(moved) and isinstance(moved[outer], str):
            moved[outer] = f"{moved[outer]} " if step > 0 else f" {moved[outer]}"
        else:
            moved.insert(number if step > 0 else number + 1, " ")
    return [part for part in moved if part != ""]


# ---- words as Markdown: escaped if they would be read as syntax, and on as many lines as in the source

PUNCTUATION = r"!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~"

# Characters that are nearly always syntax; the rest is escaped only if this was not enough.
LIGHT = re.compile(
    rf"\\(?=[{PUNCTUATION}]|$)|`|(?<![\s])\*|\*(?!\s|$)|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)"
    r"|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=[\[(:])"
)
FULL = re.compile(r"[\\`*_{}\[\]<>$~|&^:!=]")

BLOCK_START = re.compile(
    r"(?P<before>\d{1,9}(?=[.)](?:\s|$)))"
    r"|(?=[-+*](?:\s|$))|(?=\#{1,6}(?:\s|$))|(?=>)|(?=[-=]+\s*$)|(?=[-_*](?:\s*[-_*]){2,}\s*$)|(?=---)|(?=~{3})|(?=:{3})|(?=`{3})"
    r"|(?=[:~]\s)|(?=\+\+\+)|(?=%)|(?=\([^()\s]*\)=)|(?=\|)|(?=\$\$)|(?=\[[^\]]*\]:)|(?=!!!|\?\?\?)"
)


def light(text: str) -> str:
    """The words with a backslash before what would most likely be read as Markdown."""
    return LIGHT.sub(r"\\\g<0>", text)


def full(text: str) -> str:
    """The words with a backslash before all that could be read as Markdown."""
    return FULL.sub(r"\\\g<0>", text)


def line_start(text: str) -> str:
    """The words at the start of a line, with a backslash if they would begin a list, a heading or another block.

    >>> line_start("1. one"), line_start("- two"), line_start("three")
    ('1\\\\. one', '\\\\- two', 'three')
    """
    found = BLOCK_START.match(text)
    return text[: found.end()] + "\\" + text[found.end() :] if found else text


@dataclass(frozen=True)
class Hard:
    """A visible line break, with the characters before the line's end that make it one."""

    signs: str


class Space:
    """A space, at which a line may end."""


SPACE = Space()
Atom = str | Space | Hard


def lines(atoms: Sequence[Atom], widths: Sequence[int], start: Callable[[str], str]) -> list[str]:
    """The atoms as lines, at most as many as there are *widths*, each about as long in proportion."""
    tidy: list[Atom] = []  # without space at either end, at a shown break, or after other space
    for atom in atoms:
        if isinstance(atom, Space) and (not tidy or not isinstance(tidy[-1], str)):
            continue
        if isinstance(atom, Hard) and tidy and isinstance(tidy[-1], Space):
            tidy.pop()
        tidy.append(atom)
    while tidy and isinstance(tidy[-1], Space):
        tidy.pop()
    breaks = line_breaks(tidy, widths)
    done = [""]
    for number, atom in enumerate(tidy):
        if isinstance(atom, Hard):
            done[-1] = done[-1].rstrip(" ") + atom.signs
            done.append("")
        elif isinstance(atom, Space):
            done = [*done, ""] if number in breaks else [*done[:-1], done[-1] + " "]
        else:
            done[-1] += atom
    return [start(line) for line in done]


def line_breaks(atoms: Sequence[Atom], widths: Sequence[int]) -> set[int]:
    """The spaces at which to break: where the lines of the source would end if it were as long.

    >>> line_breaks(["one", SPACE, "two", SPACE, "three"], [8, 5])
    {3}
    """
    wanted = len(widths) - 1 - sum(isinstance(atom, Hard) for atom in atoms)
    if wanted <= 0:
        return set()
    spaces: dict[int, int] = {}  # at which a line may end, and how many characters come before each
    length = 0
    for number, atom in enumerate(atoms):
        if isinstance(atom, Space):
            after = list(takewhile(lambda each: isinstance(each, str), atoms[number + 1 :]))
            is_last = number + 1 + len(after) == len(atoms)
            if not BLOCK_START.match("".join(map(str, after)) + ("" if is_last else " ")):
                spaces[number] = length
        length += len(atom) if isinstance(atom, str) else 1
    numbers, lengths = list(spaces), list(spaces.values())
    chosen: set[int] = set()
    passed = free = 0  # characters of the source, and the first space that is left
    for width in widths[:-1]:
        if len(chosen) == wanted or free == len(numbers):
            break
        passed += width
        goal = passed * length / max(sum(widths), 1)
        later = min(bisect_left(lengths, goal, free), len(lengths) - 1)
        earlier = max(later - 1, free)
        nearest = earlier if goal - lengths[earlier] <= lengths[later] - goal else later
        chosen.add(numbers[nearest])
        free = nearest + 1
    return chosen
