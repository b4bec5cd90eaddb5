"""A Markdown parser that also says where in the source each inline token stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

AT = "at"  # in a token's meta: where it stands in the inline content
LABEL_END = "label_end"  # in that of a link: where its text ends
SPELLED = "spelled"  # in that of a text: the signs in it that were written as an escape or by name

Rule = Callable[[StateInline, bool], bool]

# Formulas as JupyterLab has them: between two backslashes and a bracket, and environments in a line.
BRACKET_MATH = re.compile(
    r"\\\\\(.+?\\\\\)|\\\\\[.+?\\\\\]|\\begin\{(?P<name>\w+\*?)\}.*?\\end\{(?P=name)\}", re.DOTALL
)
# Others have one backslash, which may as well be a bracket escaped: what is in it must look like a formula.
ONE_BACKSLASH = re.compile(
    r"\\\((?!\s*\\\))(?:\w{1,2}|(?=(?:(?!\\\)).)*?(?!\\\))[\\^_={}+*/<>])(?:(?!\\\)|(?<![\\\w{])[A-Za-z]{4,}|[$`]|<[A-Za-z/!]|\]\(|\\[*_\[<~&^:!]).)+)\\\)"
    r"|\\\[(?=(?:(?!\\\]).)*?(?!\\\])[\\^_={}+*/<>])(?:(?!\\\]|(?<![\\\w{])[A-Za-z]{4,}|[$`]|<[A-Za-z/!]|\]\(|\\[*_\[<~&^:!]).)+\\\]"
)
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
    made.inline.ruler.before("escape", "one_backslash", _matching("math_inline", ONE_BACKSLASH, "\\"))
    made.inline.ruler.before("escape", "template", _matching("template", TEMPLATE, "{"))
    for rule in list(made.inline.ruler.__rules__):
        made.inline.ruler.at(rule.name, _recorded(rule.fn), {"alt": rule.alt})
    made.core.ruler.at("text_join", _texts_joined)
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
            if new and new[-1].type == "footnote_ref" and state.src.startswith("^[", start):
                new[-1].children = state.env["footnotes"]["list"][new[-1].meta["id"]]["tokens"]
            if new and new[-1].type in ("link_close", "image") and new[-1].markup != "autolink":
                end = state.pos, state.posMax
                state.posMax = nested
                new[-1].meta[LABEL_END] = _label_end(state, start)
                state.pos, state.posMax = end
        return True

    return recorded


def _texts_joined(state: StateCore) -> None:
    for token in state.tokens:
        if token.type == "inline":
            token.children = _joined(token.children or [])


def _joined(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with texts side by side as one, which knows what of it was an escape or the name of a sign."""
    done: list[Token] = []
    for token in tokens:
        if token.children:
            token.children = _joined(token.children)
        if token.type == "text_special":
            token.type = "text"
            token.meta[SPELLED] = [(token.content, token.markup)]
        if token.type == "text" and done and done[-1].type == "text":
            done[-1].content += token.content
            done[-1].meta[SPELLED] = [*done[-1].meta.get(SPELLED, []), *token.meta.get(SPELLED, [])]
        else:
            done.append(token)
    return done


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
