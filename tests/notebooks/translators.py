"""Translators for tests: honest ones that keep every tag, and one that does all that a translator may do wrong."""

from __future__ import annotations

import random
from html.parser import HTMLParser

from markdown_it import MarkdownIt

from svc_nb.notebooks import segments

SYNTAX = [
    *(
        "*",
        "_",
        "**",
        "`",
        "```",
        "$",
        "$$",
        "|",
        "[",
        "]",
        "](x)",
        "<",
        "<b>",
        "<!--",
        "-->",
        "&amp;amp;",
        "\\",
        "~~",
    ),
    *(
        "\n",
        "\n\n",
        "\n- ",
        "\n# ",
        "\n1. ",
        "\n> ",
        "\n    ",
        "\n---\n",
        "\n===\n",
        "- ",
        "# ",
        "1. ",
        "> ",
        "+ ",
    ),
    *(
        ": ",
        "| a | b |\n|---|---|\n",
        "[^1]: ",
        "[a]: /u",
        ":::",
        "{{",
        "}}",
        "{%",
        "%",
        "(a)=",
        "\\begin{a}",
    ),
    *("<div>", "!", ""),
]


def louder(text: str) -> str:
    """An honest answer: the same words in capitals, every tag in its place."""
    return segments.xml([part.upper() if isinstance(part, str) else part for part in segments.parts_of(text)])


def marked(text: str) -> str:
    """An honest answer, as the embedded service gives it where it has no translator."""
    return f"[DE] {text}"


def longer(text: str) -> str:
    """An honest answer with three words for each."""
    words = [
        " ".join(f"{word} {word}x {word}y" for word in part.split()) + " " if isinstance(part, str) else part
        for part in segments.parts_of(text)
    ]
    return segments.xml(words)


def nasty(dice: random.Random):
    """A translator that loses, doubles, crosses and makes up tags, and answers with syntax."""

    def answer(text: str) -> str:
        parts = [part if isinstance(part, str) else str(part) for part in segments.parts_of(text)]
        for _ in range(dice.randrange(4)):
            at = dice.randrange(len(parts) + 1)
            parts[at:at] = [dice.choice([*SYNTAX, "<b1>", "</b1>", "<x1/>", "<b99>", *parts])]
        for _ in range(dice.randrange(3)):
            if parts:
                parts.pop(dice.randrange(len(parts)))
        if dice.random() < 0.3:
            dice.shuffle(parts)
        return "".join(parts)

    return answer


def answered(document, translate):
    """The document after all its texts were translated, those that were refused a second time in pieces."""
    answers = {text: translate(text) for text in document.texts()}
    edited = document.edited(answers)
    answers.update({text: translate(text) for text in edited.again})
    return document.edited(answers)


class Tags(HTMLParser):
    """The tags of an HTML page with their attributes, but for those that are words."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[object] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, [(name, None if name in ("alt", "title") else value) for name, value in attrs]))

    def handle_endtag(self, tag):
        self.found.append(f"/{tag}")


def rendered_tags(markdown: str) -> list[object]:
    """What another parser, which knows nothing of ours, makes of a Markdown text: the tags of its page."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return Tags(parser.render(markdown)).found
