"""Fences that hold prose: MyST's notes, warnings and the like."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it.token import Token

DIRECTIVES = (
    "admonition attention caution danger dropdown epigraph error hint important margin note pull-quote "
    "seealso sidebar tab-item tip topic versionadded versionchanged deprecated warning card grid-item "
    "grid-item-card aside figure tab-set grid div exercise solution proof theorem example definition "
    "remark list-table image info details"
)
PROSE = frozenset((*DIRECTIVES.split(), ""))
# What stands after these on the first line is a title that people read.
WITH_TITLE = (
    "admonition aside attention card caution danger definition dropdown error example exercise grid-item-card hint "
    "important list-table margin note seealso sidebar tab-item theorem tip topic warning info details"
)
TITLED = frozenset(WITH_TITLE.split())
NAME = re.compile(r"\s*\{([\w:-]+)\}")
# As others have them: `:::tip A title`, `::: {.callout-tip}`.
CONTAINER = re.compile(r"\s*([a-z]*)(?![\w{-])(?:\s*\{[.#][^{}]*\}\s*$)?")
OPTIONS = re.compile(r"(?:[ \t]*:[\w-]+:[^\n]*\n)+|---[ \t]*\n.*?\n---[ \t]*\n", re.DOTALL)
# Options whose values people read.
READ = re.compile(r"(?m)^([ \t]*:(?:alt|caption):[ \t]+)(\S.*?)[ \t]*$")

CODE_CELL = re.compile(r"\s*\{code(?:-cell|-block)?\}(.*)")


@dataclass(frozen=True)
class Inner:
    """What is in a directive: its title, if people read it, its options, and the Markdown after them."""

    name: str
    title: str
    head: str
    text: str

    @property
    def kept_head(self) -> str:
        """The options without what people read in them."""
        return READ.sub(r"\1", self.head)

    @property
    def first(self) -> int:
        """The line that the Markdown begins on, counted from the fence."""
        return 1 + self.head.count("\n")


def prose_in(token: Token) -> Inner | None:
    """The Markdown in a fence; None where it holds something else."""
    if token.type not in ("fence", "colon_fence"):
        return None
    name = NAME.match(token.info)
    if not name and token.type == "colon_fence":
        name = CONTAINER.match(token.info)
    if not name or name[1] not in PROSE:
        return None
    options = OPTIONS.match(token.content)
    head = options.group() if options else ""
    title = token.info[name.end() :].strip() if name[1] in TITLED else ""
    return Inner(name[1], title, head, token.content[len(head) :])


def code_language(token: Token) -> str | None:
    """The language of the code in a fence, MyST's code cells too; None where there is none."""
    if token.type not in ("fence", "colon_fence"):
        return None
    cell = CODE_CELL.match(token.info)
    words = (cell[1] if cell else token.info).split()
    return words[0] if words and not words[0].startswith("{") else None
