"""The law: two Markdown texts have the same structure when they have the same tokens but for the words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markdown_it.token import Token

from svc_nb.notebooks.markup import html
from svc_nb.notebooks.markup.directives import Inner, code_language, prose_in
from svc_nb.notebooks.markup.nodes import Node, is_deep, nested
from svc_nb.notebooks.markup.parser import inline_tokens, read

WORDS = ("alt", "title")  # attributes that are texts
BREAKS = ("text", "softbreak")


def same(source: str, result: str, *, front_matter: Sequence[str] = ()) -> bool:
    """Whether two Markdown texts obey the law: nothing but the words differs.

    Blocks are the same in the same order, with the same code, formulas, addresses and HTML. The marks within a
    paragraph (emphasis, links, code, …) are the same, each within the same others as before; their order is free, as
    other languages have another order of words. A line end within a paragraph counts as a space.
    """
    return shape(source, front_matter=front_matter) == shape(result, front_matter=front_matter)


def shape(text: str, *, front_matter: Sequence[str] = (), code: bool = True) -> list[Any]:
    """All that must stay of a Markdown text; without *code*, all but the lines of code in fences."""
    tokens, env = read(text)
    blocks = [
        _block(token, front_matter)
        if code or not code_language(token)
        else (token.type, token.info, token.markup)
        for token in tokens
    ]
    return [*blocks, _definitions(env)]


def inline_shape(children: Sequence[Token]) -> list[Any]:
    """All that must stay of a paragraph's content: of one that is left alone, everything."""
    if is_deep(children):
        return [(token.type, token.content) for token in children]
    return _siblings(nested(children))


def _block(token: Token, front_matter: Sequence[str]) -> Any:
    head = (token.type, token.tag, token.nesting, token.level, token.markup, token.hidden, _attributes(token))
    if token.type == "inline":
        return (*head, inline_shape(token.children or []))
    if token.type == "html_block":
        return (*head, html.shape(token.content))
    if token.type == "front_matter":
        return (*head, _without_values(token.content, front_matter))
    inner = prose_in(token)
    if inner is not None:
        info = inner.name if inner.title else token.info
        return (
            *head,
            info,
            inner.kept_head,
            shape(inner.text),
            bool(inner.title) and inline_shape(_title(inner)),
        )
    return (*head, token.info, token.content, token.meta.get("label"))


def _title(inner: Inner) -> list[Token]:
    return inline_tokens(inner.title, {})


def _siblings(nodes: Sequence[Node]) -> list[Any]:
    """The nodes without their texts; their order is free, but not that of HTML tags that stand alone."""
    shapes = [_node(node) for node in nodes if node.kind not in BREAKS]
    tags = [node.token.content for node in nodes if node.kind == "html_inline" and not node.close]
    return [sorted(shapes, key=repr), [html.shape(tag) for tag in tags]]


def _node(node: Node) -> Any:
    token, label = node.token, node.token.meta.get("label")
    head = (
        token.type,
        token.tag,
        token.markup,
        token.info,
        label,
        token.meta.get("name"),
        _attributes(token),
    )
    if node.kind == "html_inline":
        return (*head, html.shape(token.content), node.close and node.close.content, _siblings(node.inside))
    if token.children:  # a picture, a footnote in its line
        return (*head, inline_shape(token.children or []))
    return (*head, token.content.replace("\n", " "), _siblings(node.inside))


def _attributes(token: Token) -> list[tuple[str, Any]]:
    """The attributes with their values; of those that are texts, only that they are there."""
    return [(name, "" if name in WORDS else value) for name, value in token.attrs.items()]


def _definitions(env: dict[str, Any]) -> Any:
    references = {
        label: (known["href"], bool(known["title"])) for label, known in env.get("references", {}).items()
    }
    return references, sorted(env.get("footnotes", {}).get("refs", {}))


def _without_values(content: str, keys: Sequence[str]) -> str:
    for key in keys:
        content = re.sub(rf"(?m)^({re.escape(key)}[ \t]*:).*$", r"\1", content)
    return content
