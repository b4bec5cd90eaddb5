"""Inline tokens as a tree, in which HTML tags that belong together are pairs like emphasis."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

NEVER_CLOSED = "area base br col embed hr img input link meta param source track wbr"
VOID = frozenset(NEVER_CLOSED.split())
# What is in these is no prose.
NO_PROSE = "code kbd math pre samp script style svg textarea tt var"
VERBATIM = frozenset(NO_PROSE.split())

HTML_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:-]*)([^>]*?)(/?)>\Z", re.DOTALL)
NOT_TRANSLATED = re.compile(
    r"""\stranslate\s*=\s*["']?no\b|\sclass\s*=\s*["'][^"']*\bnotranslate\b""", re.IGNORECASE
)


@dataclass(frozen=True)
class Node:
    """A token alone, or an opening one with its closing one and what is between them."""

    token: Token
    close: Token | None = None
    inside: tuple[Node, ...] = ()

    @property
    def kind(self) -> str:
        """The type of the token, "link" for both ends of a link."""
        return self.token.type.removesuffix("_open")

    @property
    def said(self) -> str:
        """The text in it, without line ends."""
        own = self.token.content if self.kind == "text" else ""
        return own + "".join(node.said for node in self.inside)


def nested(tokens: Sequence[Token]) -> tuple[Node, ...]:
    """The tree of the inline tokens of one paragraph; empty texts are left out."""
    stack: list[tuple[Token | None, list[Node]]] = [(None, [])]
    for token in tokens:
        if token.nesting > 0:
            stack.append((token, []))
        elif token.nesting < 0 and stack[-1][0] is not None:
            opened, inside = stack.pop()
            assert opened is not None  # noqa: S101 - for the type checker
            stack[-1][1].append(Node(opened, token, _paired(inside)))
        elif token.type != "text" or token.content:
            stack[-1][1].append(Node(token))
    while len(stack) > 1:  # an opening token without its end stands alone
        opened, inside = stack.pop()
        assert opened is not None  # noqa: S101 - for the type checker
        stack[-1][1] += [Node(opened), *inside]
    return _paired(stack[0][1])


def is_verbatim(tag: str) -> bool:
    """Whether what an HTML tag opens is no prose."""
    found = HTML_TAG.match(tag)
    return bool(found and (found[2].lower() in VERBATIM or NOT_TRANSLATED.search(tag)))


def _paired(nodes: Sequence[Node]) -> tuple[Node, ...]:
    return tuple(_pairs(list(nodes)))


def _pairs(nodes: list[Node]) -> Iterator[Node]:
    at = 0
    while at < len(nodes):
        end = _end(nodes, at)
        if end is None:
            yield nodes[at]
            at += 1
        else:
            yield Node(nodes[at].token, nodes[end].token, _paired(nodes[at + 1 : end]))
            at = end + 1


def _end(nodes: Sequence[Node], start: int) -> int | None:
    """Where the HTML tag that opens at *start* is closed among its siblings."""
    opened = _html_tag(nodes[start])
    if opened is None or opened[1] or opened[4] or opened[2].lower() in VOID:
        return None
    depth = 0
    for number in range(start, len(nodes)):
        tag = _html_tag(nodes[number])
        if tag and tag[2].lower() == opened[2].lower() and not tag[4]:
            depth += -1 if tag[1] else 1
            if depth == 0:
                return number
    return None


def _html_tag(node: Node) -> re.Match[str] | None:
    return HTML_TAG.match(node.token.content) if node.kind == "html_inline" and not node.close else None
