"""A cell of Python: the texts in its comments, docstrings and strings, and whether an edited cell is the same code."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

from svc_nb.notebooks.code.comments import comment_segments, directives
from svc_nb.notebooks.code.python_prose import (
    DOCSTRING,
    KEPT,
    TEXT,
    StringInTree,
    compiled,
    is_code,
    is_prose,
    strings_in,
)
from svc_nb.notebooks.code.python_strings import string_segments
from svc_nb.notebooks.code.python_tokens import Literal, tokens_of
from svc_nb.notebooks.segments import Segment, Unreadable, line_starts

COMMENTS, STRINGS = "comments", "strings"


class PythonCell:
    """A cell of Python as IPython takes it. Raises Unreadable where it cannot be read."""

    def __init__(self, source: str) -> None:
        self.source = source
        try:
            self._tokens = tokens_of(source, magics=compiled(source) is None)
            self._tree = compiled(self._tokens.masked)
            if self._tree is None:
                raise Unreadable("it is not valid Python")
            self._strings = list(strings_in(self._tree))
        except RecursionError:
            raise Unreadable("it is nested too deeply") from None

    def segments(self, what: frozenset[str], keys: frozenset[str]) -> list[Segment]:
        """The texts, in order; those in *keys* are names of something, wherever they stand."""
        found: list[Segment] = []
        if COMMENTS in what:
            found += comment_segments(self.source, self._tokens.comments, is_code=is_code)
        for _, string, literals in self._texts(what, keys | self.keys):
            found += string_segments(self.source, literals, role=string.role, percent=string.percent)
        return sorted(found, key=lambda segment: segment.start)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The strings that are names of something: keys, subscripts, what is compared."""
        return frozenset(string.value for string in self._strings if string.role == KEPT)

    def becomes(self, result: str, what: frozenset[str]) -> bool:
        """Whether a result says the same as this cell, but for the texts that may change."""
        try:
            other = PythonCell(result)
        except Unreadable:
            return False
        free = frozenset(number for number, _, _ in self._texts(what, self.keys))
        mine, its = self._tokens, other._tokens
        runs = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        return (
            mine.magics == its.magics
            and directives(self.source, mine.comments) == directives(other.source, its.comments)
            and _outline(compiled(mine.masked), free) == _outline(other._tree, free)
            and (compiled(its.masked, runs) is not None or compiled(mine.masked, runs) is None)
        )

    def _texts(
        self, what: frozenset[str], keys: frozenset[str]
    ) -> Iterator[tuple[int, StringInTree, list[Literal]]]:
        """The strings that may change, each with its number and the literals that it is written as."""
        for number, string in enumerate(self._strings):
            is_asked = {DOCSTRING: COMMENTS, TEXT: STRINGS}.get(string.role) in what
            if not is_asked or (string.role == TEXT and (string.value in keys or not is_prose(string.value))):
                continue
            node, every = string.node, self._tokens.literals
            start = self._offset(node.lineno, node.col_offset)
            end = self._offset(node.end_lineno or 0, node.end_col_offset or 0)
            first = bisect_left(every, start, key=lambda each: each.start)
            last = bisect_left(every, end, key=lambda each: each.start)
            literals = every[first:last]
            # They must say what Python says that the string is.
            if literals and "".join(each.text for each in literals) == string.value:
                yield number, string, literals

    def _offset(self, line: int, column: int) -> int:
        """Where a place of the tree, which counts bytes of UTF-8, is in the source."""
        begin = line_starts(self.source)[line - 1]
        text = self._tokens.masked[begin : begin + column]
        return begin + len(text.encode()[:column].decode(errors="ignore"))


def _outline(tree: ast.Module, free: frozenset[int]) -> str:
    """The tree as a text, without the texts of the strings whose numbers are in *free*; it changes the tree."""
    for number, string in enumerate(list(strings_in(tree))):
        if number not in free:
            continue
        if isinstance(string.node, ast.Constant):
            string.node.value = ""
        else:
            string.node.values = [each for each in string.node.values if not isinstance(each, ast.Constant)]
    return ast.dump(tree)
