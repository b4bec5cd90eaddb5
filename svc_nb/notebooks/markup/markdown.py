"""Markdown as segments: every paragraph, heading and cell is one text, edited where it stands; front matter too.

The structure must stay: the same tokens except for the words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from svc_nb.notebooks.markup import html, templates
from svc_nb.notebooks.markup.inline import PUNCTUATION, InlineContent, full, light, line_start, without_space
from svc_nb.notebooks.markup.parser import (
    AT,
    LABEL_END,
    OPTIONS,
    READ_OPTION,
    Labels,
    Node,
    code_language,
    directive_in,
    inline_tokens,
    is_deep,
    labels,
    nested,
    read,
    unknown_directive,
    without_tag_bars,
)
from svc_nb.notebooks.segments import UNPLACED, Left, Part, Segment, SourceLines, Span, has_letters

KINDS = {
    "heading_open": "heading",
    "heading_open=": "underlined heading",
    "heading_open-": "underlined heading",
    "th_open": "cell",
    "td_open": "cell",
    "dt_open": "term",
}
# What may precede the words of a paragraph: a checkbox, the kind of a note.
BEFORE = re.compile(r"\[[ xX]\][ \t]+|(?P<note>\[![A-Za-z-]+\][-+]?[ \t]*)(?:\n|$)?")
# Paragraphs whose lines are one entry each: Python-Markdown's abbreviations, fields (a name without signs that the
# name of an emoji cannot have is taken for one).
STAYS = {
    re.compile(r"\*\[[^\]\n]+\]:"): "abbreviations stay",
    re.compile(r":(?=[^:\n]*[A-Z \t])[A-Za-z][\w \t.-]*:(?=\s|$)"): "field lists stay",
}
# A table may be in a list or a quotation, with their markers before its first line.
BEFORE_TABLE = (re.compile(r""), re.compile(r"[\s>]*"), re.compile(r"(?:[\s>]|[-+*:]\s|\d+[.)]\s)*"))
BAR = re.compile(r"(?<!\\)\|")
# A formula or code that contains a bar, meant as one piece, although the bar ends a cell in Markdown.
FORMULA = re.compile(r"(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)|(?<!\\)\$(?![\s\d])[^$]*(?<![\s\\])\$(?!\d)")


def segments(source: str, *, front_matter: Sequence[str] = ()) -> list[Segment]:
    """The paragraphs, headings, cells and HTML texts of a Markdown text, in order; they do not overlap."""
    return Reader(attributes=False, front_matter=front_matter).segments(SourceLines.of(source))


def attribute_segments(source: str) -> list[Segment]:
    """The texts within links, pictures and HTML tags: they are within other segments, and are put back first."""
    return Reader(attributes=True).segments(SourceLines.of(source))


def unplaced(source: str, *, front_matter: Sequence[str] = ()) -> list[Left]:
    """Readable texts that are not segments because their position cannot be determined."""
    readers = Reader(attributes=True), Reader(attributes=False, front_matter=front_matter)
    for reader in readers:
        reader.segments(SourceLines.of(source))
    return [left for reader in readers for left in reader.left]


def code_places(source: str) -> list[tuple[SourceLines, str]]:
    """The positions of code in fences, and its language, last first; only code that is verbatim in the source."""
    view = SourceLines.of(source)
    found: list[tuple[SourceLines, str]] = []
    for token in read(view.text)[0]:
        language = code_language(token)
        if language and token.map and token.content.strip():
            lines = token.content.removesuffix("\n").split("\n")
            place = view.within(token.map[0] + 1, lines, exact=True)
            if place and source[place.start : place.end] == "\n".join(lines):
                found.insert(0, (place, language))
    return found


class Reader:
    """One walk over the tokens of a text, and of the texts within it: for those in attributes, or for all others."""

    def __init__(self, *, attributes: bool, front_matter: Sequence[str] = ()) -> None:
        self.attributes = attributes
        self.front_matter = front_matter
        self.left: list[Left] = []

    def segments(self, view: SourceLines, around: Labels = ()) -> list[Segment]:
        """The segments of a text, or of one *around* which references are known; what has no place goes to `left`."""
        tokens, env = read(view.text, around)
        known = {"references": env.get("references", {})}
        inherited = {label for label, _, _ in around}
        found: list[Found] = []
        column = 0
        for before, token in zip([None, *tokens], tokens, strict=False):
            if token.type == "tr_open":
                column = 0
            if token.type == "inline" and before and token.map:
                kind = KINDS.get(before.type + before.markup, KINDS.get(before.type, "paragraph"))
                place = _place(view, token, kind, column)
                column += kind == "cell"
                if has_letters(token.content):
                    found += self._inline(place, token, kind, known) if place else self._lost(view, token, kind)
            elif token.map:
                found += self._block(view, token, token.map[0], labels(env))
        if self.attributes:
            own = {label: each for label, each in known["references"].items() if label not in inherited}
            found += definition_titles(view, own)
        self.left += [each for each in found if isinstance(each, Left)]
        return [each for each in found if isinstance(each, Segment)]

    def _lost(self, view: SourceLines, token: Token, kind: str) -> list[Left]:
        """Note a text with an unknown position, once."""
        line = view.number((token.map or [0])[0])
        return [] if self.attributes else [Left(kind, line, UNPLACED, token.content.strip())]

    def _block(self, view: SourceLines, token: Token, line: int, around: Labels) -> Iterator[Found]:
        """The texts of a block other than a paragraph, which begins on a *line*."""
        directive = directive_in(token)
        if token.type == "html_block" and directive is None:
            place = view.within(line, token.content.rstrip("\n").split("\n"))
            if place:
                yield from html.attribute_segments(place) if self.attributes else html.segments(place)
            elif html.said(token.content):
                yield from self._lost(view, token, "html")
        if token.type == "front_matter" and not self.attributes:
            yield from front_matter_values(view, token, self.front_matter)
        unknown = unknown_directive(token)
        if unknown and not self.attributes and has_letters(OPTIONS.sub("", token.content, count=1)):
            yield Left(
                "directive", view.number(line), f"the directive {unknown} is not translated", token.content.strip()
            )
        if directive is None:
            return
        title = directive.title
        at = view.line(line).rfind(title)
        if title and at >= 0:
            place = view.in_line(line, at, at + len(title))
            yield from self._content(place, title, inline_tokens(title, {}), kind="title", known={})
        for number, option in enumerate(directive.head.splitlines() if self.attributes else [], line + 1):
            found = READ_OPTION.match(option)
            if found and has_letters(found[2]):
                at = view.line(number).rfind(found[2])
                yield value(view.in_line(number, at, at + len(found[2])), "option", found[2])
        lines = directive.text.removesuffix("\n").split("\n")
        body = view.within(line + 1 + directive.head.count("\n"), lines, exact=True)
        if body and directive.text.strip():
            yield from self.segments(body, around)
        elif has_letters(directive.text):
            yield from self._lost(view, token, "directive")

    def _inline(self, place: SourceLines, token: Token, kind: str, known: dict[str, Any]) -> Iterator[Found]:
        content, children = token.content, token.children or []
        for pattern, reason in STAYS.items():
            if pattern.match(content) and kind == "paragraph":
                if not self.attributes:
                    yield Left(kind, place.number(0), reason, content)
                return
        before = BEFORE.match(content) if kind == "paragraph" else None
        if not before:
            yield from self._content(place, content, children, kind=kind, known=known)
            return
        start, end = before.end(), len(content)
        if before["note"] and "\n" in content[start:] and not before.group().endswith("\n"):  # it has a title
            end = content.index("\n", start)
        there = character_places(place.text, content)  # lines may have space at their ends, which is not in the place
        for first, last in ((start, end), (end + 1, len(content))):
            part = content[first:last].rstrip()
            if has_letters(part) and there:
                lines = place.part(there[first], there[last])
                yield from self._content(lines, part, inline_tokens(part, known), kind=kind, known=known)
            elif has_letters(part) and not self.attributes:
                yield Left(kind, place.number(0), UNPLACED, part)

    def _content(
        self, place: SourceLines, content: str, children: Sequence[Token], *, kind: str, known: dict[str, Any]
    ) -> Iterator[Found]:
        if self.attributes:
            yield from [] if is_deep(children) else inner_texts(place, content, children, known)
        elif is_deep(children):
            yield Left(kind, place.number(0), "marks are nested too deep", content)
        else:
            yield paragraph(place, content, children, kind=kind, known=known)


# ---- the position of a block's content


def _place(view: SourceLines, token: Token, kind: str, column: int) -> SourceLines | None:
    """The position of a block's content; None if it cannot be determined."""
    line = (token.map or [0])[0]
    text, content = view.line(line), token.content
    if kind == "heading":
        at = text.find(content)
        return view.in_line(line, at, at + len(content)) if at >= 0 else None
    if kind != "cell":
        return view.within(line, content.split("\n"))
    for before in BEFORE_TABLE:
        found = before.match(text)
        cells = table_cells(text, found.end() if found else 0)
        span = cells[column] if column < len(cells) else None
        if span and text[slice(*span)].replace("\\|", "|") == content:
            return view.in_line(line, *span)
    return None


@lru_cache(maxsize=4)
def table_cells(text: str, start: int) -> list[Span | None]:
    """From where to where each cell of a line goes, without the space in it; None where it cuts a formula.

    >>> table_cells("| one | two |", 0)
    [(2, 5), (8, 11)]
    """
    text = without_tag_bars(text)
    end = len(text.rstrip())
    start += len(text[start:]) - len(text[start:].lstrip())
    bars = [found.start() for found in BAR.finditer(text)]
    formulas = [found.span() for found in FORMULA.finditer(text) if BAR.search(found.group())]
    bounds = [start - 1, *(at for at in bars if start <= at < end), end]
    cells: list[Span | None] = []
    for left, right in pairwise(bounds):
        cell = text[left + 1 : right]
        first, last = left + 1 + len(cell) - len(cell.lstrip()), right - len(cell) + len(cell.rstrip())
        is_cut = any(one < first < other or one < last < other for one, other in formulas)
        cells.append(None if is_cut else (first, last))
    if text[start : start + 1] == "|":
        cells = cells[1:]
    if text[end - 1 : end] == "|" and bounds[-2] == end - 1:
        cells = cells[:-1]
    return cells


# ---- the content of one block: its words, and the texts within it that people read

ON_ONE_LINE = ("heading", "cell", "title", "footnote", "alt")  # their words begin no line
IN_BRACKETS = ("alt", "footnote")

TITLE = r"""\s("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\))\s*"""
IN_LINK = re.compile(TITLE + r"\)\Z", re.DOTALL)
IN_DEFINITION = re.compile(TITLE + r"\Z", re.DOTALL)

Found = Segment | Left | None


def paragraph(
    place: SourceLines, content: str, children: Sequence[Token], *, kind: str, known: dict[str, Any]
) -> Segment | None:
    """A segment for the content of one block, None if there is nothing to translate."""
    made = InlineContent.of(nested(children), content)
    if not made.has_words:
        return None
    before = inline_structure(children)
    write = partial(made.lines, start=str if kind in ON_ONE_LINE else line_start)
    ways = [
        partial(write, words=light, exact=True),
        partial(write, words=light),
        partial(write, words=full),
        partial(write, words=full, spelled=False),
        partial(write, words=full, spelled=False, apart=True),
    ]

    def is_right(text: str, parts: Sequence[Part]) -> bool:
        read = inline_tokens(text, known)
        said = without_space("".join(node.said for node in nested(read)))
        if said != made.said(parts) or inline_structure(read) != before:
            return False
        if kind not in IN_BRACKETS:
            return True
        # The words must end where the brackets do.
        return [token.type for token in inline_tokens(f"![{text}](a)", known)] == ["image"]

    def finish(line: str) -> str:
        if kind == "heading":
            return re.sub(r"(^| )(#+)$", r"\1\\\2", line)
        return without_tag_bars(line).replace("|", "\\|").replace("\0", "|") if kind == "cell" else line

    return made.segment(place, kind, ways=ways, is_right=is_right, finish=finish)


def inner_texts(place: SourceLines, content: str, children: Sequence[Token], known: dict[str, Any]) -> Iterator[Found]:
    """The texts within the content of one block: of pictures, titles of links, footnotes in a line, HTML tags."""
    there = character_places(place.text, content)

    def part(start: int, end: int) -> SourceLines:
        return place.part(there[start], there[end])

    for token in children:
        if not there:
            if token.type == "image" or token.meta.get(LABEL_END):
                yield Left("attribute", place.number(0), UNPLACED, content)
            continue
        start, end = token.meta.get(AT, (0, 0))
        if token.type == "html_inline":
            yield from html.tag_segments(part(start, end))
        if token.type in ("image", "link_close") and token.markup != "autolink":
            tail = token.meta[LABEL_END]
            title = IN_LINK.search(content[tail:end])
            if title and has_letters(title[1]):
                yield _title(part(tail + title.start(1) + 1, tail + title.end(1) - 1), title[1][-1])
        if token.type == "image":
            start, tail = start + 2, token.meta[LABEL_END]
            yield _alt(part(start, tail), part(start, end).end, content[start:tail], content[tail:end], known)
        if token.type == "footnote_ref" and token.children:
            text = content[start + 2 : end - 1]
            note, inside = part(start + 2, end - 1), inline_tokens(text, known)
            yield paragraph(note, text, inside, kind="footnote", known=known)
            if any(inner_texts(note, text, inside, known)):
                yield Left("attribute", note.number(0), "it is within a footnote", text)


def character_places(text: str, content: str) -> list[int]:
    r"""For each character of the content of a block, where it is in the *text* of its lines; none where they differ.

    The lines have no space at their ends, and the bars in a cell are escaped there.

    >>> character_places(r"a\|b", "a|b")
    [0, 2, 3, 4]
    """
    found, at = [], 0
    for sign in content:
        if text.startswith("\\|", at) and sign == "|":
            at += 1
        found.append(at)
        if text[at : at + 1] == sign:
            at += 1
        elif not sign.isspace():
            return []
    return [*found, at] if at == len(text) else []


def _alt(place: SourceLines, end: int, alt: str, tail: str, known: dict[str, Any]) -> Segment | None:
    """The words of a picture; if they are also its label, the label is written after them."""
    found = paragraph(place, alt, inline_tokens(alt, known), kind="alt", known=known)
    if not found or tail not in ("]", "][]"):
        return found
    label, put, put_runs = f"][{' '.join(alt.split())}]", found.put, found.put_runs
    return replace(
        found,
        end=end,
        put=lambda answer: put(answer) + label,
        put_runs=put_runs and (lambda answers: put_runs(answers) + label),
    )


def definition_titles(view: SourceLines, references: Mapping[str, Any]) -> Iterator[Found]:
    """The titles in the definitions of references, as in `[label]: /address "title"`."""
    for known in references.values():
        if not has_letters(known["title"]):
            continue
        first, last = known["map"]
        place = SourceLines(view.source, view.spans[first:last])
        found = IN_DEFINITION.search(place.text)
        if found and unescapeAll(found[1][1:-1]) == known["title"]:
            yield _title(place.part(found.start(1) + 1, found.end(1) - 1), found[1][-1])
        else:
            yield Left("title", place.number(0), UNPLACED, known["title"])


def _title(place: SourceLines, quote: str) -> Segment:
    """The title of a link or of the definition of one, which a *quote* or bracket closes."""
    special = r'[\\&<|"]' if quote == '"' else rf"[\\&<|{quote}(]"
    text = " ".join(re.sub(rf"\\([{PUNCTUATION}])", r"\1", place.text).split())
    return value(place, "title", text, words=lambda answer: re.sub(special, r"\\\g<0>", answer))


def value(
    place: SourceLines, kind: str, text: str, *, words: Callable[[str], str] = str, finish: Callable[[str], str] = str
) -> Segment:
    """A segment for a text without Markdown but with template tags; *words* escapes all but them, *finish* all."""
    kept = templates.kept(text)
    if not any(kept):
        return place.segment(kind, text, lambda answer: finish(words(answer)))
    tokens, at = list[Token](), 0
    for tag in templates.TAG.finditer(text):
        tokens += [
            Token("text", "", 0, content=text[at : tag.start()]),
            Token("template", "", 0, meta={AT: tag.span()}),
        ]
        at = tag.end()
    content = InlineContent.of(nested([*tokens, Token("text", "", 0, content=text[at:])]), text)
    return content.segment(
        place,
        kind,
        ways=[partial(content.lines, words=words)],
        is_right=lambda made, _: templates.kept(made) == kept,
        finish=finish,
    )


# ---- front matter: YAML before a text, in which some values are texts

# A key, its value, and a comment behind it.
LINE = re.compile(r"""([\w-]+)[ \t]*:[ \t]+("(?:\\.|[^"\\])*"|'(?:''|[^'])*'|[^\s"'][^\n]*?)[ \t]*(?:[ \t]\#.*)?$""")
OTHER = "|>[{&*!%@`#"  # what begins a value that is not a single-line text
# What YAML takes for a text without quotation marks.
PLAIN = re.compile(r"(?!(?:y|n|yes|no|on|off|true|false|null)\Z)[^\W\d_][^:#\r\n]*", re.IGNORECASE)


def front_matter_values(view: SourceLines, token: Token, keys: Sequence[str]) -> Iterator[Segment | Left]:
    """The values of some keys; those that are not single-line texts are reported as left."""
    for number in range(*(token.map or (0, 0))):
        line = view.line(number)
        key = re.match(r"""[ \t]*["']?([\w-]+)["']?[ \t]*[:=]""" if token.markup in "+{" else r"([\w-]+)[ \t]*:", line)
        if not key or key[1] not in keys:
            continue
        if token.markup in "+{":
            yield Left("front matter", view.number(number), "only front matter in YAML is translated", line)
            continue
        found = LINE.match(line)
        if not found or found[2][0] in OTHER:
            yield Left("front matter", view.number(number), "it is not a single-line text", line)
        elif has_letters(found[2]):
            place = view.in_line(number, *found.span(2))
            quote = place.text[0] if place.text[0] in "\"'" else ""
            text = place.text[1:-1].replace("''", "'") if quote == "'" else place.text
            if quote == '"':
                try:
                    text = str(json.loads(text))
                except ValueError:  # an escape that only YAML has
                    text = text[1:-1].replace('\\"', '"')

            def write(text: str, quote: str = quote) -> str:
                if quote == '"':
                    return json.dumps(text, ensure_ascii=False)
                return text if not quote and PLAIN.fullmatch(text) else "'" + text.replace("'", "''") + "'"

            yield value(place, "front matter", text, finish=write)


# ---- whether two texts have the same structure: the same tokens except for the words

WORDS = ("alt", "title")  # attributes that are texts


def same_structure(source: str, result: str, *, front_matter: Sequence[str] = ()) -> bool:
    """Whether two Markdown texts differ only in their words.

    Blocks are the same in the same order, with the same code, formulas, addresses and HTML. The marks within a
    paragraph (emphasis, links, code, …) are the same, each within the same others as before; their order is free, as
    other languages have another order of words. A line end within a paragraph counts as a space.
    """
    return structure(source, front_matter=front_matter) == structure(result, front_matter=front_matter)


def structure(text: str, *, front_matter: Sequence[str] = (), code: bool = True, around: Labels = ()) -> list[Any]:
    """Everything in a Markdown text that must stay; without *code*, except the lines of code in fences."""
    tokens, env = read(text, around)
    blocks = [
        _block(token, front_matter, labels(env))
        if code or not code_language(token)
        else (token.type, token.info, token.markup)
        for token in tokens
    ]
    known = env.get("references", {})
    references = {label: (each["href"], bool(each["title"])) for label, each in known.items()}
    return [*blocks, references, sorted(env.get("footnotes", {}).get("refs", {}))]


def _block(token: Token, front_matter: Sequence[str], around: Labels) -> Any:
    head = (token.type, token.tag, token.nesting, token.level, token.markup, token.hidden, _attributes(token))
    if token.type == "inline":
        return (*head, inline_structure(token.children or []))
    inner = directive_in(token)
    if token.type == "html_block" and inner is None:
        return (*head, html.structure(token.content), templates.kept(token.content))
    if token.type == "front_matter":
        content = token.content
        for key in front_matter:
            content = re.sub(rf"(?m)^({re.escape(key)}[ \t]*:).*$", r"\1", content)
        return (*head, content)
    if inner is None:
        return (*head, token.info, token.content, token.meta.get("label"))
    info = inner.name if inner.title or token.type == "html_block" else token.info
    title = bool(inner.title) and inline_structure(inline_tokens(inner.title, {}))
    options = READ_OPTION.sub(r"\1", inner.head)  # without what people read in them
    return (*head, info, options, structure(inner.text, around=around), title)


def inline_structure(children: Sequence[Token]) -> list[Any]:
    """Everything in a paragraph's content that must stay; all of it if the paragraph is left alone."""
    if is_deep(children):
        return [(token.type, token.content) for token in children]
    return _siblings(nested(children))


def _siblings(nodes: Sequence[Node]) -> list[Any]:
    """The nodes without their texts; their order is free, except for that of single HTML tags."""
    found: list[Any] = []
    for node in nodes:
        token, meta = node.token, node.token.meta
        names = meta.get("label"), meta.get("name")
        head = (token.type, token.tag, token.markup, token.info, *names, _attributes(token))
        if node.kind == "html_inline":
            close = node.close and node.close.content
            found.append((*head, html.structure(token.content), close, _siblings(node.inside)))
        elif token.children:  # a picture, a footnote in its line
            found.append((*head, inline_structure(token.children)))
        elif node.kind not in ("text", "softbreak"):
            found.append((*head, token.content.replace("\n", " "), _siblings(node.inside)))
    tags = [node.token.content for node in nodes if node.kind in ("html_inline", "template") and not node.close]
    return [sorted(found, key=repr), [html.structure(tag) for tag in tags if not templates.is_value(tag)]]


def _attributes(token: Token) -> list[tuple[str, Any]]:
    """The attributes with their values; of those that are texts, only that they are there."""
    return [(name, "" if name in WORDS else value) for name, value in token.attrs.items()]
