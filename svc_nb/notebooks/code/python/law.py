"""Whether Python says the same before and after: the same tree but for the texts of some strings."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeGuard

from svc_nb.notebooks.code.spans import Unreadable

FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

TextNode = ast.Constant | ast.JoinedStr


@contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings that Python gives about a user's code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def tree_of(masked: str) -> ast.Module:
    """The syntax tree of a cell. Raises Unreadable where there is none."""
    with quiet():
        try:
            return ast.parse(masked)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise Unreadable("it is not valid Python") from None


def is_python(source: str) -> bool:
    """Whether a cell is Python as it is, without any magic."""
    try:
        tree_of(source)
    except Unreadable:
        return False
    return True


def compiles(masked: str) -> bool:
    """Whether a notebook could run a cell."""
    with quiet():
        try:
            compile(masked, "<cell>", "exec", flags=FLAGS, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def is_text(node: ast.AST) -> TypeGuard[TextNode]:
    """Whether a node is a string, with or without fields."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def text_nodes(tree: ast.AST) -> list[TextNode]:
    """The strings of a tree, in the order of the source's walk; those within f-strings are not among them."""
    found: list[TextNode] = []
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and isinstance(node.value, str)
        ):
            found.append(node)
        else:
            stack.extend(reversed(list(ast.iter_child_nodes(node))))
    return found


def outline(tree: ast.Module, free: frozenset[int]) -> str:
    """The tree as a text, without the texts of the strings whose numbers are in *free*; it changes the tree."""
    for number, node in enumerate(text_nodes(tree)):
        if number not in free:
            continue
        if isinstance(node, ast.Constant):
            node.value = ""
        else:
            node.values = [value for value in node.values if not isinstance(value, ast.Constant)]
    return ast.dump(tree)
