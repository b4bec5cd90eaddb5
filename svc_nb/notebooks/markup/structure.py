"""Whether two Markdown texts have the same structure: the same tokens but for the words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markdown_it.token import Token

from svc_nb.notebooks.markup import html
from svc_nb.notebooks.markup.parser import (
    READ_OPTION,
    Node,
    code_language,
    directive_in,
    inline_tokens,
    is_deep,
    nested,
    read,
)

WORDS = ("alt", "title")  # attributes that are texts


def same_structure(source: str, result: str, *, front_matter: Sequence[str] = ()) -> bool:
    """Whether nothing but the words differs between two Markdown texts.

    Blocks are the same in the same order, with the same code, formulas, addresses and HTML. The marks within a
    paragraph (emphasis, links, code, …) are the same, each within the same others as before; their order is free, as
    other languages have another order of words. A line end within a paragraph counts as a space.
    """
    return structure(source, front_matter=front_matter) == structure(result, front_matter=front_matter)


def structure(text: str, *, front_matter: Sequence[str] = (), code: bool = True) -> list[Any]:
    """All that must stay of a Markdown text; without *code*, all but the lines of code in fences."""
    tokens, env = read(text)
    blocks = [
        _block(token, front_matter) if code or not code_language(token) else (token.type, token.info, token.markup)
        for token in tokens
    ]
    known = env.get("references", {})
    references = {label: (each["href"], bool(each["title"])) for label, each in known.items()}
    return [*blocks, references, sorted(env.get("footnotes", {}).get("refs", {}))]


def _block(token: Token, front_matter: Sequence[str]) -> Any:
    head = (token.type, token.tag, token.nesting, token.level, token.markup, token.hidden, _attributes(token))
    if token.type == "inline":
        return (*head, inline_structure(token.children or []))
    if token.type == "html_block":
        return (*head, html.structure(token.content))
    if token.type == "front_matter":
        content = token.content
        for key in front_matter:
            content = re.sub(rf"(?m)^({re.escape(key)}[ \t]*:).*$", r"\1", content)
        return (*head, content)
    inner = directive_in(token)
    if inner is None:
        return (*head, token.info, token.content, token.meta.get("label"))
    info = inner.name if inner.title else token.info
    title = bool(inner.title) and inline_structure(inline_tokens(inner.title, {}))
    options = READ_OPTION.sub(r"\1", inner.head)  # without what people read in them
    return (*head, info, options, structure(inner.text), title)


def inline_structure(children: Sequence[Token]) -> list[Any]:
    """All that must stay of a paragraph's content: of one that is left alone, everything."""
    if is_deep(children):
        return [(token.type, token.content) for token in children]
    return _siblings(nested(children))


def _siblings(nodes: Sequence[Node]) -> list[Any]:
    """The nodes without their texts; their order is free, but not that of HTML tags that stand alone."""
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
    tags = [node.token.content for node in nodes if node.kind == "html_inline" and not node.close]
    return [sorted(found, key=repr), [html.structure(tag) for tag in tags]]


def _attributes(token: Token) -> list[tuple[str, Any]]:
    """The attributes with their values; of those that are texts, only that they are there."""
    return [(name, "" if name in WORDS else value) for name, value in token.attrs.items()]
