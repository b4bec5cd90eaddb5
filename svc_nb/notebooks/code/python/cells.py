"""A cell of Python: the texts in its comments, docstrings and strings, and the law that an edited cell obeys."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

from svc_nb.notebooks.code.comments import comment_segments, directives
from svc_nb.notebooks.code.python.law import TextNode, compiles, is_python, outline, tree_of
from svc_nb.notebooks.code.python.looks import is_code, is_prose
from svc_nb.notebooks.code.python.places import DOCSTRING, KEPT, TEXT, Place, places
from svc_nb.notebooks.code.python.scan import Literal, scan
from svc_nb.notebooks.code.python.strings import string_segments
from svc_nb.notebooks.code.spans import FIELD, Unreadable
from svc_nb.notebooks.segment import Segment


class Cell:
    """A cell of Python as IPython takes it. Raises Unreadable where it cannot be read."""

    def __init__(self, source: str) -> None:
        self.source = source
        try:
            self._scan = scan(source, magics=not is_python(source))
            self._tree = tree_of(self._scan.masked)
            self._places = places(self._tree)
        except RecursionError:
            raise Unreadable("it is nested too deeply") from None

    def segments(self, what: frozenset[str], keys: frozenset[str]) -> list[Segment]:
        """The texts, in order; those in *keys* are names of something, wherever they stand."""
        found: list[Segment] = []
        if "comments" in what:
            found += comment_segments(self.source, self._scan.comments, is_code=is_code)
        for place, literals in self._texts(what, keys | self.keys):
            found += string_segments(self.source, literals, role=place.role, percent=place.percent)
        return sorted(found, key=lambda segment: segment.start)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The strings that are names of something: keys, subscripts, what is compared."""
        return frozenset(value_of(place.node) for place in self._places if place.role == KEPT)

    def becomes(self, result: str, what: frozenset[str]) -> bool:
        """Whether a result says the same as this cell, but for the texts that may change."""
        try:
            other = Cell(result)
        except Unreadable:
            return False
        free = frozenset(place.number for place, _ in self._texts(what, self.keys))
        return (
            self._scan.magics == other._scan.magics
            and self._directives == other._directives
            and outline(tree_of(self._scan.masked), free) == outline(other._tree, free)
            and (compiles(other._scan.masked) or not compiles(self._scan.masked))
        )

    @property
    def _directives(self) -> list[str]:
        return directives(self.source, self._scan.comments)

    def _texts(self, what: frozenset[str], keys: frozenset[str]) -> Iterator[tuple[Place, list[Literal]]]:
        """The strings that may change, and the literals that they are written as."""
        for place in self._places:
            asked = {DOCSTRING: "comments", TEXT: "strings"}.get(place.role) in what
            if not asked or (place.role == TEXT and not _is_text(value_of(place.node), keys)):
                continue
            if literals := self._literals(place.node):
                yield place, literals

    def _literals(self, node: TextNode) -> list[Literal]:
        """The literals of a string; none where they do not say what Python says that it is."""
        start = self._offset(node.lineno, node.col_offset)
        end = self._offset(node.end_lineno or 0, node.end_col_offset or 0)
        every = self._scan.literals
        first = bisect_left(every, start, key=lambda each: each.start)
        last = bisect_left(every, end, key=lambda each: each.start)
        found = every[first:last]
        return found if "".join(each.text for each in found) == value_of(node) else []

    def _offset(self, line: int, column: int) -> int:
        """Where a place of the tree, which counts bytes of UTF-8, is in the source."""
        begin = self._line_starts[line - 1]
        return begin + len(
            self._scan.masked[begin : begin + column].encode()[:column].decode(errors="ignore")
        )

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer(r"\r\n|[\r\n]", self.source)), len(self.source)]


def value_of(node: TextNode) -> str:
    """What a string says, with FIELD for each of its replacement fields."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(str(each.value) if isinstance(each, ast.Constant) else FIELD for each in node.values)


def _is_text(value: str, keys: frozenset[str]) -> bool:
    return value not in keys and is_prose(value)
