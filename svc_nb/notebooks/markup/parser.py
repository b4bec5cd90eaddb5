"""Markdown as tokens: the position of each inline token in the source, pairs as a tree, and the content of fences."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, groupby
from types import FunctionType, SimpleNamespace
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference, unescapeAll
from markdown_it.helpers import parseLinkDestination, parseLinkLabel, parseLinkTitle
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_block.table import escapedSplit
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from svc_nb.notebooks.markup import templates

AT = "at"  # in a token's meta: where it stands in the inline content
LABEL_END = "label_end"  # in that of a link: where its text ends
SPELLED = "spelled"  # in that of a text: the signs in it that were written as an escape or by name

Rule = Callable[[StateInline, bool], bool]

# Formulas as in JupyterLab: between two backslashes and a bracket, and inline environments.
BRACKET_MATH = re.compile(
    r"\\\\\((?:(?!\\\\[()]).)++\\\\\)|\\\\\[(?:(?!\\\\[\[\]]).)++\\\\\]"
    r"|\\begin\{(?P<name>\w{1,100}+\*?)\}(?:(?:(?!\\(?:begin|end)\{(?P=name)\}).){0,5000}+\\begin\{(?P=name)\}){0,3}+"
    r"(?:(?!\\(?:begin|end)\{(?P=name)\}).){0,5000}+\\end\{(?P=name)\}",
    re.DOTALL,
)
# Others have one backslash, which may as well be a bracket escaped: what is in it must look like a formula.
ONE_BACKSLASH = re.compile(
    r"\\\((?!\s*\\\))(?:\w{1,2}|(?=(?:(?!\\\)).)*?(?!\\\))[\\^_={}+*/<>])(?:(?!\\[()]|(?<![\\\w{])[A-Za-z]{4,}+|[$`]|<[A-Za-z/!]|\]\(|\\[*_\[<~&^:!]).)++)\\\)"
    r"|\\\[(?=(?:(?!\\\]).)*?(?!\\\])[\\^_={}+*/<>])(?:(?!\\\]|(?<![\\\w{])[A-Za-z]{4,}+|[$`]|<[A-Za-z/!]|\]\(|\\[*_\[<~&^:!]).)++\\\]"
)
INTERRUPTS = ["paragraph", "reference", "blockquote", "list"]  # a block that may begin behind their lines
ADMONITION = re.compile(
    r"""(!!!|\?\?\?\+?|===[+!]{0,2}(?=[ \t]+"))[ \t]*(?:(?P<kind>[\w-]+(?:[ ]+[\w-]+)*)[ \t]*)?"""
    r"""(?(kind)|(?="))(?:"(?P<title>.*)")?[ \t]*$""",
    re.MULTILINE,
)
WIKI_LINK = re.compile(r"(!?\[\[)([^\[\]|\n]+)(?:\|([^\[\]|\n]+))?\]\](?![(\[])")
BAR_IN_TAG = re.compile(r"(?<!`)(`++).{0,2000}?(?<!`)\1(?!`)|\{\{[^{}`]*\}\}|\{%[^{}`]*%\}|<%[^%`]*%>")  # or code
# Text that is marked, inserted, removed or commented: `==so==`, `{++so++}`.
MARKED = re.compile(
    r"(?P<open>==|\{(?P<sign>\+\+|--|==)|(?P<note>\{>>))(?![\s=])(?P<text>(?:(?!==|\{\+\+|\{--|\{>>).)+?)(?<![\s=])"
    r"(?P<close>(?(note)<<\}|(?(sign)(?P=sign)\}|==(?!=))))",
    re.DOTALL,
)
# A block of PyMdown: `/// details | A title`, its options, which are indented, and `///`.
SLASHES = re.compile(
    r"/{3,}+[ \t]*+(?:(?P<kind>[\w-]++)[ \t]*+(?:\|[ \t]*+(?P<title>\S(?:.*[^ \t\n])?)?)?)?[ \t]*+$", re.MULTILINE
)
NO_TITLE = ("html", "define", "caption", "figure-caption", "table-caption")  # blocks with a selector or a number there
MARKDOWN_IN_HTML = re.compile(
    r"(?P<first>[ \t]*<[a-zA-Z][\w-]*(?=[ \t])[^<>\n]*[ \t]markdown(?=[ \t=>])[^<>\n]*>[ \t]*)\n(?P<text>.*?)"
    r"(?P<last>\n[ \t]*(?:</[\w-]+>[ \t]*)+)?\n?",
    re.DOTALL,
)
WORD = re.compile(r"[^\s{<$#()]*+")  # up to what may begin a template tag, or a bracket
MOST_SIGNS = 100  # in an address, of those that end a word and are no template tag
ATTRIBUTE = r"""(?:[#.][\w:-]+|[\w:@-]+=(?:"[^"\n]*"|'[^'\n]*'|[^\s{}"']+))"""
ATTRIBUTES = re.compile(rf"\{{[#.:][^{{}}\n]*\}}|\{{:?[ \t]*{ATTRIBUTE}(?:[ \t]+{ATTRIBUTE})*+[ \t]*\}}")
ALONE = re.compile(rf"{ATTRIBUTES.pattern}|\^\^\^(?!\^)")  # or where MyST ends the head of a card
# Before a page, as Hugo has it; that in YAML is known to a plugin.
TOML = re.compile(r"\+\+\+[ \t]*\n(?=\s*(?:[\w\"'.-]+[ \t]*=|\[|#))(?:.*?\n)?\+\+\+[ \t]*(?=\n|\Z)", re.DOTALL)
JSON = re.compile(r"\{[ \t]*\n.*?\n\}[ \t]*(?=\n|\Z)", re.DOTALL)


Labels = tuple[tuple[str, str, str], ...]  # of references: each label, its address and its title


@lru_cache(maxsize=4)
def read(text: str, around: Labels = ()) -> tuple[list[Token], dict[str, Any]]:
    """The tokens of a Markdown text, and its references and footnotes; neither is to be changed.

    *around* are the references of the text that this one is in.
    """
    known = {label: {"href": href, "title": title, "map": [0, 0]} for label, href, title in around}
    env: dict[str, Any] = {"references": known} if known else {}
    return parser().parse(text, env), env


def labels(env: dict[str, Any]) -> Labels:
    """The references of a text, for those within it."""
    return tuple((label, each["href"], each["title"]) for label, each in env.get("references", {}).items())


def inline_tokens(content: str, env: dict[str, Any]) -> list[Token]:
    """The tokens of one paragraph's content, where the references in *env* are known."""
    (token,) = parser().parseInline(content, dict(env))
    return token.children or []


@cache
def parser() -> MarkdownIt:
    """CommonMark with what notebooks and MyST add to it."""
    made = MarkdownIt("commonmark", {"maxNesting": 100, "store_labels": True})
    made.enable(["table", "strikethrough"])
    made.use(front_matter_plugin).use(myst_block_plugin).use(myst_role_plugin).use(colon_fence_plugin)
    made.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    made.use(amsmath_plugin).use(deflist_plugin)
    made.use(footnote_plugin, move_to_end=False, always_match_refs=True)
    made.inline.ruler.before("escape", "bracket_math", _matching("math_inline", BRACKET_MATH, "\\"))
    made.inline.ruler.before("escape", "one_backslash", _matching("math_inline", ONE_BACKSLASH, "\\"))
    made.inline.ruler.before("escape", "template", _matching("template", templates.TAG, "{<$#@"))
    made.inline.ruler.before("escape", "attributes", _matching("template", ATTRIBUTES, "{"))
    made.inline.ruler.before("link", "wiki_link", wiki_link)
    made.inline.ruler.before("link", "template_reference", template_reference)
    helpers: Any = SimpleNamespace(
        parseLinkLabel=parseLinkLabel, parseLinkTitle=parseLinkTitle, parseLinkDestination=link_destination
    )
    made.helpers = helpers
    made.block.ruler.before("hr", "template_block", template_block, {"alt": INTERRUPTS})
    split_at_bars = {**table.__globals__, "escapedSplit": table_row}  # the rule has no parameter for it
    made.block.ruler.at("table", FunctionType(table.__code__, split_at_bars), {"alt": ["paragraph", "reference"]})
    made.block.ruler.before("table", "other_front_matter", other_front_matter)
    made.inline.ruler.before("link", "marked", marked)
    made.block.ruler.before("hr", "slash_block", slash_block, {"alt": INTERRUPTS})
    made.block.ruler.before("hr", "admonition", admonition, {"alt": INTERRUPTS})
    for rule in list(made.inline.ruler.__rules__):
        made.inline.ruler.at(rule.name, _recorded(rule.fn), {"alt": rule.alt})

    def join_texts(state: StateCore) -> None:
        for token in state.tokens:
            if token.type == "inline":
                token.children = _joined(token.children or [])

    made.core.ruler.at("text_join", join_texts)
    return made


def template_block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A rule that takes lines with nothing but template tags, lists of attributes or `^^^` in them for a block."""
    if state.is_code_block(first):
        return False
    start = at = state.bMarks[first] + state.tShift[first]
    while found := templates.TAG.match(state.src, at) or ALONE.match(state.src, at):
        at = found.end()
        while state.src[at : at + 1] in (" ", "\t"):
            at += 1
    line = bisect_left(state.eMarks, at, first, last)
    if at == start or line == last or state.eMarks[line] != at:
        return False
    if not silent:
        token = state.push("template_block", "", 0)
        token.content, token.map = state.src[start:at], [first, line + 1]
        state.line = line + 1
    return True


def other_front_matter(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A rule for front matter in TOML or JSON."""
    found = None if first or state.level else TOML.match(state.src) or JSON.match(state.src)
    if found and found.group().startswith("{"):
        try:
            json.loads(found.group())
        except ValueError:
            return False
    if found and not silent:
        token = state.push("front_matter", "", 0)
        token.markup, token.content, token.map = found.group()[0], found.group(), [0, found.group().count("\n") + 1]
        state.line = token.map[1]
    return found is not None


def admonition(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A rule for notes and tabs of MkDocs: `!!! note "Title"`, `??? note`, `=== "Tab"`, and what is indented below."""
    found = ADMONITION.match(state.src, state.bMarks[first] + state.tShift[first], state.eMarks[first])
    if not found or state.is_code_block(first):
        return False
    if silent:
        return True
    end = following = first + 1
    indent = state.sCount[first] + 4
    while following < last and (state.isEmpty(following) or state.sCount[following] >= indent):
        following += 1
        end = end if state.isEmpty(following - 1) else following
    token = state.push("admonition", "", 0)
    token.markup, token.info, token.map = found[1], found.group().rstrip(), [first, end]
    token.content = state.getLines(first + 1, end, indent, True)
    state.line = end
    return True


def slash_block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    """A rule for the lines with which a block of PyMdown begins and ends; what is between them is Markdown."""
    found = SLASHES.match(state.src, state.bMarks[first] + state.tShift[first], state.eMarks[first])
    if not found or state.is_code_block(first):
        return False
    end = first + 1
    while found["kind"] and end < last and not state.isEmpty(end) and state.sCount[end] >= state.sCount[first] + 4:
        end += 1
    if not silent:
        token = state.push("slash_block", "", 0)
        token.info, token.map = found.group(), [first, end]
        token.content = state.getLines(first + 1, end, 0, True)
        state.line = end
    return True


def marked(state: StateInline, silent: bool) -> bool:
    """A rule for text between two marks, `==so==`, and for the marks of an editor (CriticMarkup)."""
    if state.src[state.pos] not in "={":
        return False
    found = MARKED.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        most = state.posMax
        state.push("mark_open", "", 1).markup = found["open"]
        state.pos, state.posMax = found.span("text")
        state.md.inline.tokenize(state)
        state.push("mark_close", "", -1).markup = found["close"]
        state.posMax = most
    state.pos = found.end()
    return True


def wiki_link(state: StateInline, silent: bool) -> bool:
    """A rule for `[[target]]` and `[[target|label]]`, where only the label is a text."""
    found = WIKI_LINK.match(state.src, state.pos, state.posMax)
    if not found or normalizeReference(found[2]) in state.env.get("references", {}):
        return False
    if not silent and found[3]:
        state.push("wiki_open", "", 1).markup = found[1] + found[2] + "|"
        state.push("text", "", 0).content = found[3]
        state.push("wiki_close", "", -1).markup = "]]"
    elif not silent:
        state.push("wiki", "", 0).content = found.group()
    state.pos = found.end()
    return True


def template_reference(state: StateInline, silent: bool) -> bool:
    """A rule for a link whose label is a template tag: `[text][{{ label }}]`."""
    if state.src[state.pos] != "[" or "][" not in state.src:
        return False
    end = parseLinkLabel(state, state.pos, True)
    label = templates.TAG.match(state.src, end + 2, state.posMax) if state.src.startswith("][", end) else None
    if end < 0 or not label or not state.src.startswith("]", label.end()):
        return False
    if not silent:
        most, state.pos, state.posMax = state.posMax, state.pos + 1, end
        state.push("link_open", "a", 1).attrs = {"href": label.group()}
        state.linkLevel += 1
        state.md.inline.tokenize(state)
        state.linkLevel -= 1
        state.push("link_close", "a", -1)
        state.posMax = most
    state.pos = label.end() + 1
    return True


def without_tag_bars(line: str) -> str:
    """A line as long as it was, without the bars in its template tags: they end no cell of a table."""
    return BAR_IN_TAG.sub(lambda found: found[0] if found[1] else found[0].replace("|", "\0"), line)


def table_row(line: str) -> list[str]:
    """The cells of a line of a table."""
    return [cell.replace("\0", "|") for cell in escapedSplit(without_tag_bars(line))]


def link_destination(source: str, start: int, end: int) -> Any:
    """The address of a link as CommonMark reads it, where a template tag counts as a word whatever is in it."""
    hidden, at, signs = "", start, 0
    while at < end and signs < MOST_SIGNS and (word := WORD.match(source, at, end)):
        tag = templates.TAG.match(source, word.end(), end)
        hidden += word.group() + ("x" * len(tag.group()) if tag else source[word.end() : word.end() + 1])
        at = tag.end() if tag else word.end() + 1
        signs += not tag
        if not tag and source[word.end() : at].isspace():
            break
    if source.startswith(hidden, start) or hidden.startswith("<"):
        return parseLinkDestination(source, start, end)
    found = parseLinkDestination(hidden, 0, len(hidden))
    if found.ok:
        found.pos += start
        found.str = unescapeAll(source[start : found.pos])
    return found


def _matching(kind: str, pattern: re.Pattern[str], first: str) -> Rule:
    """A rule that takes what a pattern matches, which begins with one of the signs in *first*, for one token."""

    def rule(state: StateInline, silent: bool) -> bool:
        if state.src[state.pos] not in first:
            return False
        found = pattern.match(state.src, state.pos, state.posMax)
        if not found:
            return False
        if not silent:
            state.push(kind, "", 0).content = found.group()
        state.pos = found.end()
        return True

    return rule


def _recorded(rule: Rule) -> Rule:
    """The rule, with the position recorded in each token that it creates."""

    def recorded(state: StateInline, silent: bool) -> bool:
        start, before, most = state.pos, len(state.tokens), state.posMax
        if not rule(state, silent):
            return False
        new = [] if silent else state.tokens[before:]
        for token in new:
            token.meta.setdefault(AT, (start, state.pos))
        if new and new[-1].type == "footnote_ref" and state.src.startswith("^[", start):
            new[-1].children = state.env["footnotes"]["list"][new[-1].meta["id"]]["tokens"]
        if new and new[-1].type in ("link_close", "image") and new[-1].markup != "autolink":
            end = state.pos, state.posMax
            state.posMax = most
            picture = state.src[start] == "!"
            new[-1].meta[LABEL_END] = state.md.helpers.parseLinkLabel(state, start + picture, not picture)
            state.pos, state.posMax = end
        return True

    return recorded


def _joined(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with texts side by side as one, which knows what of it was an escape or the name of a sign."""
    done: list[Token] = []
    for token in tokens:
        if token.children:
            token.children = _joined(token.children)
        if token.type == "text_special":
            token.type = "text"
            token.meta[SPELLED] = [(token.content, token.markup)]
    for kind, run in groupby(tokens, key=lambda token: token.type):
        first, *more = run
        if kind == "text" and more:
            first.meta[SPELLED] = [mark for each in (first, *more) for mark in each.meta.get(SPELLED, [])]
            first.content += "".join(each.content for each in more)
            more = []
        done += (first, *more)
    return done


# ---- inline tokens as a tree

NEVER_CLOSED = "area base br col embed hr img input link meta param source track wbr"
VOID = frozenset(NEVER_CLOSED.split())
# The content of these is not prose.
NO_PROSE = "code kbd math pre samp script style svg textarea tt var"
VERBATIM = frozenset(NO_PROSE.split())

DEEPEST = 50  # marks in marks; HTML tags further in stand alone

HTML_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:-]*+)([^>]*?)(/?)>\Z", re.DOTALL)
NOT_TRANSLATED = re.compile(r"""\stranslate\s*=\s*["']?no\b|\sclass\s*=\s*["'][^"']*\bnotranslate\b""", re.IGNORECASE)


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

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands in the content, with what is between its tokens."""
        start, end = self.token.meta[AT]
        return start, self.close.meta[AT][1] if self.close else end


def is_deep(tokens: Sequence[Token]) -> bool:
    """Whether marks are nested deeper than in any real text; such a paragraph is left alone."""
    return max(accumulate(token.nesting for token in tokens), default=0) > DEEPEST


def nested(tokens: Sequence[Token]) -> tuple[Node, ...]:
    """The tree of the inline tokens of one paragraph; empty texts are left out."""
    opened: list[Token] = []
    siblings: list[list[Node]] = [[]]
    for token in tokens:
        if token.nesting > 0:
            opened.append(token)
            siblings.append([])
        elif token.nesting < 0 and opened:
            inside = _paired(siblings.pop())
            siblings[-1].append(Node(opened.pop(), token, inside))
        elif token.type != "text" or token.content:
            siblings[-1].append(Node(token))
    while opened:  # one without its end stands alone
        inner = siblings.pop()
        siblings[-1] += [Node(opened.pop()), *inner]
    return _paired(siblings[0])


def is_verbatim(tag: str) -> bool:
    """Whether the content of an HTML tag is not prose."""
    found = HTML_TAG.match(tag)
    return bool(found and (found[2].lower() in VERBATIM or NOT_TRANSLATED.search(tag)))


def _paired(nodes: Sequence[Node], depth: int = 0) -> tuple[Node, ...]:
    """The siblings with each HTML tag that is closed among them as a pair like emphasis."""
    if depth >= DEEPEST:
        return tuple(nodes)
    opened: dict[str, list[int]] = {}
    ends: dict[int, int] = {}
    for number, node in enumerate(nodes):
        is_tag = node.kind == "html_inline" and not node.close
        tag = HTML_TAG.match(node.token.content) if is_tag else None
        if tag is None or tag[4] or tag[2].lower() in VOID:
            continue
        waiting = opened.setdefault(tag[2].lower(), [])
        if not tag[1]:
            waiting.append(number)
        elif waiting:
            ends[waiting.pop()] = number
    done: list[Node] = []
    at = 0
    while at < len(nodes):
        end = ends.get(at, at)
        inside = _paired(nodes[at + 1 : end], depth + 1)
        done.append(Node(nodes[at].token, nodes[end].token, inside) if end > at else nodes[at])
        at = end + 1
    return tuple(done)


# ---- fences

DIRECTIVES = (
    "admonition attention caution danger dropdown epigraph error hint important margin note pull-quote "
    "seealso sidebar tab-item tip topic versionadded versionchanged deprecated warning card grid-item "
    "grid-item-card aside figure tab-set grid div exercise solution proof theorem example definition "
    "remark list-table image info details table tab figure-md only prf:proof prf:theorem prf:lemma prf:definition "
    "prf:example prf:remark prf:corollary prf:proposition"
)
PROSE = frozenset((*DIRECTIVES.split(), ""))
# The text after these on the first line is a readable title.
WITH_TITLE = (
    "admonition aside attention card caution danger definition dropdown error example exercise grid-item-card hint "
    "important list-table margin note seealso sidebar tab-item theorem tip topic warning info details table tab "
    "prf:proof prf:theorem prf:lemma prf:definition prf:example prf:remark prf:corollary prf:proposition"
)
TITLED = frozenset(WITH_TITLE.split())
NAME = re.compile(r"\s*\{([\w:-]+)\}")
# Directives without prose, which stay without a remark.
FOR_PROGRAMS = (
    "autoclass autofunction automodule autosummary bibliography code code-block code-cell contents doctest eval-rst "
    "graphviz include index literalinclude math mermaid plantuml raw sourcecode tableofcontents testcode toc toctree"
)
NO_DIRECTIVE_PROSE = frozenset(FOR_PROGRAMS.split())
# As others have them: `:::tip A title`, `::: {.callout-tip}`.
CONTAINER = re.compile(r"\s*([a-z]*)(?![\w{-])(?:\s*\{[.#][^{}]*\}\s*$)?")
OPTIONS = re.compile(r"(?:(?<![^\n])[ \t]*+:[\w-]+:[^\n]*\n)+|\A---[ \t]*\n.*?\n---[ \t]*\n", re.DOTALL)
# Options whose values people read.
READ_OPTION = re.compile(r"(?m)^([ \t]*:(?:alt|caption):[ \t]+)(\S(?:.*[^ \t\n])?)[ \t]*+$")

CODE_CELL = re.compile(r"\s*\{code(?:-cell|-block)?\}(.*)")


@dataclass(frozen=True)
class Directive:
    """What is in a directive: its title, if people read it, its options, and the Markdown after them."""

    name: str
    title: str
    head: str
    text: str


def directive_in(token: Token) -> Directive | None:
    """The Markdown in a fence or below an admonition; None where it holds something else."""
    note = ADMONITION.match(token.info) if token.type == "admonition" else None
    if note:
        return Directive(token.info[: note.start("title")], note["title"] or "", "", token.content)
    block = SLASHES.match(token.info) if token.type == "slash_block" else None
    if block:
        is_text = block["kind"] not in NO_TITLE
        title = (is_text and block["title"]) or ""
        return Directive(token.info.removesuffix(title) if title else token.info, title, token.content, "")
    page = MARKDOWN_IN_HTML.fullmatch(token.content) if token.type == "html_block" else None
    if page:
        return Directive(page["first"] + (page["last"] or ""), "", "", page["text"])
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
    return Directive(name[1], title, head, token.content[len(head) :])


def unknown_directive(token: Token) -> str | None:
    """The name of the directive in a fence that is not translated, although there may be prose in it."""
    name = NAME.match(token.info) if token.type in ("fence", "colon_fence") else None
    return name[1] if name and name[1] not in PROSE | NO_DIRECTIVE_PROSE else None


def code_language(token: Token) -> str | None:
    """The language of the code in a fence, MyST's code cells too; None where there is none."""
    if token.type not in ("fence", "colon_fence"):
        return None
    cell = CODE_CELL.match(token.info)
    words = (cell[1] if cell else token.info).split()
    return words[0] if words and not words[0].startswith("{") else None
