"""Where the comments are in R, Julia, JavaScript and TypeScript; what is unsure is left alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from svc_nb.notebooks.code.spans import Span, Unreadable

# One scanner eats one token at a place and says where it ends, and whether it is a comment.
_Eater = Callable[[str, int], tuple[int, bool]]

_R = re.compile(
    r"""(?P<comment>\#[^\r\n]*)
    |[rR]["'](?P<dashes>-*)(?:\(.*?\)|\[.*?\]|\{.*?\})(?P=dashes)["']
    |"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`
    |%[^%\s]*%
    |(?P<open>["'`])
    |\w+|.""",
    re.VERBOSE | re.DOTALL,
)
_JULIA = re.compile(
    r"""(?P<block>\#=)|(?P<comment>\#[^\r\n]*)
    |(?P<string>[A-Za-z_]\w*\"|\"|[A-Za-z_]\w*`|`)
    |(?<![\w)\]}'.])'(?:\\[^'\r\n]+|[^\\'\r\n]|\\')'
    |\w+|.""",
    re.VERBOSE | re.DOTALL,
)
_SCRIPT = re.compile(
    r"""(?P<comment>//[^\r\n]*)|/\*.*?\*/
    |"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'|(?P<template>`)
    |(?P<slash>/)|(?P<open>["'])|(?P<markup></|<!--)
    |[\w$]+|\s+|.""",
    re.VERBOSE | re.DOTALL,
)
_PATTERN = re.compile(r"/(?![*/])(?:[^\\/\[\r\n]|\\.|\[(?:[^\]\\\r\n]|\\.)*\])+/[a-z]*")
_BEFORE_PATTERN = re.compile(
    r"(?:^|[(\[{,;=:?!&|+\-*%<>~^]|\b(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield))\s*$"
)


def comments(source: str, language: str) -> list[Span]:
    """Where the comments to the end of a line are. Raises Unreadable where that is unsure."""
    if re.match(r"\s*%%", source) or (language == "julia" and re.match(r"\s*[;\]?]", source)):
        raise Unreadable("a cell of another language")
    try:
        return _comments(source, _EATERS[language])
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None


def _comments(source: str, eat: _Eater) -> list[Span]:
    found, at = list[Span](), 0
    while at < len(source):
        end, is_comment = eat(source, at)
        if is_comment:
            found.append((at, end))
        at = end
    return found


def _eat_r(source: str, at: int) -> tuple[int, bool]:
    token = _matched(_R, source, at)
    if token["open"]:
        raise Unreadable("a string that does not end")
    return token.end(), bool(token["comment"])


def _eat_julia(source: str, at: int) -> tuple[int, bool]:
    token = _matched(_JULIA, source, at)
    if token["block"]:
        return _block_end(source, at), False
    if token["string"]:
        return _julia_string_end(source, at, token["string"]), False
    return token.end(), bool(token["comment"])


def _block_end(source: str, at: int) -> int:
    depth = 0
    for mark in re.compile(r"#=|=#").finditer(source, at):
        depth += 1 if mark[0] == "#=" else -1
        if not depth:
            return mark.end()
    raise Unreadable("a comment that does not end")


def _julia_string_end(source: str, at: int, opening: str) -> int:
    mark = opening[-1]
    at += len(opening) - 1
    quote = mark * 3 if source.startswith(mark * 3, at) else mark
    at += len(quote)
    while at < len(source):
        if source.startswith(quote, at):
            return at + len(quote)
        if source.startswith("$(", at) and len(opening) == 1:
            at = _closed(source, at + 2, _eat_julia, "()")
        else:
            at += 2 if source[at] == "\\" else 1
    raise Unreadable("a string that does not end")


def _eat_script(source: str, at: int) -> tuple[int, bool]:
    token = _matched(_SCRIPT, source, at)
    if token["markup"] or token["open"]:
        raise Unreadable("a string that does not end" if token["open"] else "markup within the code")
    if token["template"]:
        return _template_end(source, at + 1), False
    if token["slash"]:
        return _slash_end(source, at), False
    if token["comment"] and re.search(r"</\w", token["comment"]):
        raise Unreadable("markup within the code")
    return token.end(), bool(token["comment"])


def _template_end(source: str, at: int) -> int:
    while at < len(source):
        if source[at] == "`":
            return at + 1
        if source.startswith("${", at):
            at = _closed(source, at + 2, _eat_script, "{}")
        else:
            at += 2 if source[at] == "\\" else 1
    raise Unreadable("a string that does not end")


def _slash_end(source: str, at: int) -> int:
    """Where a division or a regular expression ends."""
    if source.startswith("/>", at):
        raise Unreadable("markup within the code")
    before = source[max(0, at - 200) : at].rstrip()
    pattern = _PATTERN.match(source, at)
    if before.endswith("}") or (before.endswith(")") and pattern and re.search(r"[\"'`]", pattern[0])):
        raise Unreadable("a slash that may begin a regular expression")
    if not _BEFORE_PATTERN.search(before):
        return at + 1
    if not pattern:
        raise Unreadable("a slash that may begin a regular expression")
    return pattern.end()


def _closed(source: str, at: int, eat: _Eater, brackets: str) -> int:
    """Where the bracket ends that was opened just before *at*."""
    depth = 1
    while at < len(source):
        depth += (source[at] == brackets[0]) - (source[at] == brackets[1])
        if not depth:
            return at + 1
        at = eat(source, at)[0]
    raise Unreadable("a string that does not end")


def _matched(pattern: re.Pattern[str], source: str, at: int) -> re.Match[str]:
    token = pattern.match(source, at)
    if not token:
        raise Unreadable("a character that cannot be read")
    return token


_EATERS: Mapping[str, _Eater] = {"r": _eat_r, "julia": _eat_julia, "javascript": _eat_script}
