"""Notebooks, Markdown, HTML and code as documents: their texts, and the document with translations in their place."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Protocol

from svc_nb.notebooks import code
from svc_nb.notebooks.markup import anchors, html, markdown
from svc_nb.notebooks.segments import CHANGED, Edited, Layer, Left, Segment, SourceLines, with_answers

MARK = "\\u001f"  # a JSON token, around a number with a point or an exponent, so that its digits stay
NUMBER = re.compile(r'"\\u001f([-+.0-9eE]+)\\u001f"')


class SourceDocument(Protocol):
    """A document that provides its texts, and can be written with translations in their place."""

    def texts(self) -> list[str]:
        """The texts to send, in order; a text in several places occurs several times."""
        ...

    def edited(self, answers: Mapping[str, str]) -> Edited:
        """The document with the translations of its texts; its structure is the same in any case."""
        ...


@dataclass(frozen=True)
class Markdown:
    """A Markdown text; only the named parts of its front matter and of code in fences are translated."""

    source: str
    front_matter: Sequence[str] = ()
    code: frozenset[str] = frozenset()
    linked: Sequence[str] = ()  # names of headings that other files link to

    def texts(self) -> list[str]:
        """The texts to send: those in pictures and links first, those in code last."""
        prose = [segment.text for layer in self._layers for segment in layer(self.source)]
        return prose + [text for _, fence in self._fences(self.source) for text in fence.texts()]

    def edited(self, answers: Mapping[str, str]) -> Edited:
        """The Markdown text with the translations, and with anchors for links to headings."""
        edited = self.without_anchors(answers)
        (text,), dead = anchors.anchored([self.source], [edited.text], linked=self.linked)
        return replace(edited, text=text, left=[*edited.left, *(left for _, left in dead)])

    def without_anchors(self, answers: Mapping[str, str]) -> Edited:
        """The Markdown text with the translations."""
        structure_of = partial(markdown.structure, front_matter=self.front_matter)
        before = structure_of(self.source)
        edited = with_answers(self.source, self._layers, answers, lambda result: structure_of(result) == before)
        edited = replace(edited, left=[*markdown.unplaced(self.source, front_matter=self.front_matter), *edited.left])
        for place, code_in_fence in self._fences(edited.text):
            fence, line = code_in_fence.edited(answers), place.number(0)
            text = edited.text[: place.start] + fence.text + edited.text[place.end :]
            left = [replace(each, line=each.line + line - 1) for each in fence.left]
            if markdown.structure(text, code=False) != markdown.structure(edited.text, code=False):
                text, left = edited.text, [Left("code", line, CHANGED, fence.text)]
            count, again = edited.segments + fence.segments, [*edited.again, *fence.again]
            edited = Edited(text, count, [*edited.left, *left], again)
        return edited

    @property
    def _layers(self) -> Sequence[Layer]:
        return markdown.attribute_segments, partial(markdown.segments, front_matter=self.front_matter)

    def _fences(self, source: str) -> list[tuple[SourceLines, Code]]:
        """The code in fences, last first, so that replacing one does not move the others."""
        if not self.code:
            return []
        found = [
            (place, Code(source[place.start : place.end], language, self.code))
            for place, language in markdown.code_places(source)
        ]
        return [(place, fence) for place, fence in found if fence.texts()]


@dataclass(frozen=True)
class Html:
    """An HTML text: a whole page, or part of one."""

    source: str

    def texts(self) -> list[str]:
        """The texts to send: those in tags first."""
        return [segment.text for layer in HTML_LAYERS for segment in layer(self.source)]

    def edited(self, answers: Mapping[str, str]) -> Edited:
        """The HTML text with the translations."""
        return with_answers(self.source, HTML_LAYERS, answers, lambda result: html.same_structure(self.source, result))


HTML_LAYERS: Sequence[Layer] = (
    lambda source: html.attribute_segments(SourceLines.of(source)),
    lambda source: html.segments(SourceLines.of(source)),
)


@dataclass(frozen=True)
class Code:
    """A program: its comments and, on request, strings that are prose and not among the *keys*."""

    source: str
    language: str
    what: frozenset[str]
    keys: frozenset[str] = frozenset()

    def texts(self) -> list[str]:
        """The texts to send."""
        return [segment.text for segment in self._segments(self.source)]

    def edited(self, answers: Mapping[str, str]) -> Edited:
        """The program with the translations; it behaves as before."""
        edited = with_answers(
            self.source,
            [self._segments],
            answers,
            lambda result: code.same_code(self.source, result, language=self.language),
        )
        unread = code.unread(self.source, language=self.language) if self.what and self.language else None
        return replace(edited, left=[Left("code", 1, unread, "")]) if unread else edited

    def _segments(self, source: str) -> list[Segment]:
        return code.segments(source, language=self.language, what=self.what, keys=self.keys)


@dataclass(frozen=True)
class Notebook:
    """A notebook of format 4, as its JSON; *code* names what is translated in code cells."""

    content: dict[str, Any] = field(repr=False)
    code: Collection[str] = ()
    front_matter: Sequence[str] = ()
    linked: Sequence[str] = ()  # names of headings that other files link to
    ending: str = ""  # of names of headings, where there are several languages in a file

    @classmethod
    def read(cls, text: str, *, code: Collection[str] = (), front_matter: Sequence[str] = ()) -> Notebook:
        """Read a notebook from its text; raises a one-line ValueError if it is not in format 4."""
        as_written = None if MARK in text.lower() else lambda number: f"\x1f{number}\x1f"
        try:
            content = json.loads(text, parse_float=as_written)
        except ValueError as problem:
            raise ValueError(f"not a notebook: it is not valid JSON ({problem})") from None
        if not isinstance(content, dict) or not isinstance(content.get("nbformat", None), int):
            raise ValueError("not a notebook: it has no nbformat")
        if content["nbformat"] != 4:
            raise ValueError(
                f"a notebook of format {content['nbformat']}, not 4. Convert it with `jupyter nbconvert --to notebook`"
            )
        cells = content.get("cells")
        for cell in cells if isinstance(cells, list) else [None]:
            kind, source = (cell.get("cell_type"), cell.get("source")) if isinstance(cell, dict) else (None, None)
            lines = source if isinstance(source, list) else [source]
            if not all(isinstance(each, str) for each in (kind, *lines)):
                raise ValueError("not a notebook: its cells do not follow nbformat 4")
        return cls(content, code, front_matter)

    def texts(self) -> list[str]:
        """The texts to send, cell by cell."""
        return [text for _, document in self._cells() for text in document.texts()]

    def edited(self, answers: Mapping[str, str]) -> Edited:
        """The notebook, as a file, with the translations."""
        content = deepcopy(self.content)
        segments, left, again = 0, list[Left](), list[str]()
        prose: dict[int, tuple[str, str]] = {}  # the source and the result of Markdown cells
        for number, document in self._cells():
            if isinstance(document, Markdown):
                edited = document.without_anchors(answers)
                prose[number] = document.source, edited.text
            else:
                edited = document.edited(answers)
                write_source(content["cells"][number], edited.text)
            segments += edited.segments
            left += [replace(each, cell=number) for each in edited.left]
            again += edited.again
        numbers, pairs = list(prose), list(prose.values())
        results, dead = anchors.anchored(
            [source for source, _ in pairs], [result for _, result in pairs], linked=self.linked, ending=self.ending
        )
        for number, result in zip(numbers, results, strict=True):
            write_source(content["cells"][number], result)
        left += [replace(each, cell=numbers[part]) for part, each in dead]
        return Edited(notebook_file(content), segments, left, again)

    @property
    def language(self) -> str:
        """The programming language according to the notebook; Python by default."""
        metadata = self.content.get("metadata") or {}
        info, kernel = metadata.get("language_info") or {}, metadata.get("kernelspec") or {}
        return str(info.get("name") or kernel.get("language") or "python")

    def _cells(self) -> Iterator[tuple[int, Markdown | Code]]:
        """The cells with prose, and their positions."""
        for number, cell in enumerate(self.content["cells"]):
            source = "".join(cell["source"])  # one string or a list of lines
            if cell["cell_type"] == "markdown":
                yield number, Markdown(source, self.front_matter if number == 0 else ())
            elif cell["cell_type"] == "code" and self.code:
                yield number, Code(source, self.language, frozenset(self.code), self.keys)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The strings that the code uses as names anywhere: none is translated in one cell and kept in another."""
        sources = ("".join(cell["source"]) for cell in self.content["cells"] if cell["cell_type"] == "code")
        return frozenset().union(*(code.keys(source, language=self.language) for source in sources))


def write_source(cell: dict[str, Any], text: str) -> None:
    """Set the source of a cell, which is one string or a list of lines."""
    cell["source"] = text if isinstance(cell["source"], str) else text.splitlines(keepends=True)


def notebook_file(content: dict[str, Any]) -> str:
    """The text of the file of a notebook that `Notebook.read` has read, as Jupyter writes it."""
    text = json.dumps(content, ensure_ascii=False, indent=1)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a character in an output: it can only be written as an escape
        text = json.dumps(content, indent=1)
    return NUMBER.sub(r"\1", text) + "\n"
