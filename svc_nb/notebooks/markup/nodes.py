"""Inline tokens as a tree, in which HTML tags that belong together are pairs like emphasis."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from markdown_it.token import Token

NEVER_CLOSED = "area base br col embed hr img input link meta param source track wbr"
VOID = frozenset(NEVER_CLOSED.split())
# What is in these is no prose.
NO_PROSE = "code kbd math pre samp script style svg textarea tt var"
VERBATIM = frozenset(NO_PROSE.split())

DEEPEST = 50  # marks in marks; HTML tags further in stand alone

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


def is_deep(tokens: Sequence[Token]) -> bool:
    """Whether marks stand in marks further than anybody reads; such a paragraph is left alone."""
    return max(accumulate(token.nesting for token in tokens), default=0) > DEEPEST


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


def _paired(nodes: Sequence[Node], depth: int = 0) -> tuple[Node, ...]:
    return tuple(_pairs(nodes, depth)) if depth < DEEPEST else tuple(nodes)


def _pairs(nodes: Sequence[Node], depth: int) -> Iterator[Node]:
    ends = _ends(nodes)
    at = 0
    while at < len(nodes):
        end = ends.get(at)
        if end is None:
            yield nodes[at]
            at += 1
        else:
            yield Node(nodes[at].token, nodes[end].token, _paired(nodes[at + 1 : end], depth + 1))
            at = end + 1


def _ends(nodes: Sequence[Node]) -> dict[int, int]:
    """Where each HTML tag that opens among these siblings is closed among them."""
    opened: dict[str, list[int]] = {}
    ends: dict[int, int] = {}
    for number, node in enumerate(nodes):
        tag = _html_tag(node)
        if tag is None or tag[4] or tag[2].lower() in VOID:
            continue
        waiting = opened.setdefault(tag[2].lower(), [])
        if not tag[1]:
            waiting.append(number)
        elif waiting:
            ends[waiting.pop()] = number
    return ends


def _html_tag(node: Node) -> re.Match[str] | None:
    return HTML_TAG.match(node.token.content) if node.kind == "html_inline" and not node.close else None
