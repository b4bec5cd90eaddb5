"""A Markdown parser that also says where in the source each inline token stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

AT = "at"  # in a token's meta: where it stands in the inline content
LABEL_END = "label_end"  # in that of a link: where its text ends

Rule = Callable[[StateInline, bool], bool]

# As JupyterLab has them: a formula between two backslashes and a bracket.
BRACKET_MATH = re.compile(r"\\\\\((.+?)\\\\\)|\\\\\[(.+?)\\\\\]", re.DOTALL)
# Templates, substitutions and short codes: theirs is another language.
TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{[#.:][^{}\n]*\}", re.DOTALL)


@lru_cache(maxsize=4)
def read(text: str) -> tuple[list[Token], dict[str, Any]]:
    """The tokens of a Markdown text, and its references and footnotes; neither is to be changed."""
    env: dict[str, Any] = {}
    return parser().parse(text, env), env


def inline_tokens(content: str, env: dict[str, Any]) -> list[Token]:
    """The tokens of one paragraph's content, where the references in *env* are known."""
    (token,) = parser().parseInline(content, dict(env))
    return token.children or []


@cache
def parser() -> MarkdownIt:
    """CommonMark with what notebooks and MyST add to it."""
    made = MarkdownIt("commonmark", {"maxNesting": 100, "store_labels": True})
    made.enable(["table", "strikethrough"])
    _extend(made)
    made.inline.ruler.before("escape", "bracket_math", _matching("math_inline", BRACKET_MATH, "\\"))
    made.inline.ruler.before("escape", "template", _matching("template", TEMPLATE, "{"))
    for rule in list(made.inline.ruler.__rules__):
        made.inline.ruler.at(rule.name, _recorded(rule.fn), {"alt": rule.alt})
    return made


def _extend(made: MarkdownIt) -> None:
    from mdit_py_plugins.amsmath import amsmath_plugin
    from mdit_py_plugins.colon_fence import colon_fence_plugin
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin
    from mdit_py_plugins.myst_blocks import myst_block_plugin
    from mdit_py_plugins.myst_role import myst_role_plugin

    made.use(front_matter_plugin).use(myst_block_plugin).use(myst_role_plugin).use(colon_fence_plugin)
    made.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    made.use(amsmath_plugin).use(deflist_plugin)
    made.use(footnote_plugin, move_to_end=False, always_match_refs=True)


def _recorded(rule: Rule) -> Rule:
    """The rule, with each token that it makes told where it stands."""

    def recorded(state: StateInline, silent: bool) -> bool:
        start, before, nested = state.pos, len(state.tokens), state.posMax
        if not rule(state, silent):
            return False
        if not silent:
            new = state.tokens[before:]
            for token in new:
                token.meta.setdefault(AT, (start, state.pos))
            if new and new[-1].type in ("link_close", "image") and new[-1].markup != "autolink":
                end = state.pos, state.posMax
                state.posMax = nested
                new[-1].meta[LABEL_END] = _label_end(state, start)
                state.pos, state.posMax = end
        return True

    return recorded


def _matching(kind: str, pattern: re.Pattern[str], first: str) -> Rule:
    """A rule that takes what a pattern matches for one token."""

    def rule(state: StateInline, silent: bool) -> bool:
        if state.src[state.pos] != first:
            return False
        found = pattern.match(state.src, state.pos, state.posMax)
        if not found:
            return False
        if not silent:
            state.push(kind, "", 0).content = found.group()
        state.pos = found.end()
        return True

    return rule


def _label_end(state: StateInline, start: int) -> int:
    """Where the words of the link or picture that begins at *start* end."""
    picture = state.src[start] == "!"
    found: int = state.md.helpers.parseLinkLabel(state, start + picture, not picture)
    return found
