"""Where the comments are in R, Julia, JavaScript and TypeScript; what is unsure is left alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from svc_nb.notebooks.segments import Span, Unreadable

# A scanner reads one token at a place and says where it ends, and whether it is a comment.
_Scanner = Callable[[str, int], tuple[int, bool]]

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
    scan = _SCANNERS[language]
    found, at = list[Span](), 0
    try:
        while at < len(source):
            end, is_comment = scan(source, at)
            if is_comment:
                found.append((at, end))
            at = end
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None
    return found


def _scan_r(source: str, at: int) -> tuple[int, bool]:
    token = _matched(_R, source, at)
    if token["open"]:
        raise Unreadable("a string that does not end")
    return token.end(), bool(token["comment"])


def _scan_julia(source: str, at: int) -> tuple[int, bool]:
    token = _matched(_JULIA, source, at)
    if token["block"]:
        depth = 0
        for mark in re.compile(r"#=|=#").finditer(source, at):
            depth += 1 if mark[0] == "#=" else -1
            if not depth:
                return mark.end(), False
        raise Unreadable("a comment that does not end")
    if opening := token["string"]:
        at += len(opening) - 1
        quote = opening[-1] * 3 if source.startswith(opening[-1] * 3, at) else opening[-1]
        code = "$(" if len(opening) == 1 else None  # a prefix as in r"…" means that there is none
        return _string_end(source, at + len(quote), quote, code, _scan_julia), False
    return token.end(), bool(token["comment"])


def _scan_script(source: str, at: int) -> tuple[int, bool]:
    token = _matched(_SCRIPT, source, at)
    if token["open"]:
        raise Unreadable("a string that does not end")
    in_comment = token["comment"] and re.search(r"</\w", token["comment"])
    if token["markup"] or in_comment or (token["slash"] and source.startswith("/>", at)):
        raise Unreadable("markup within the code")
    if token["template"]:
        return _string_end(source, at + 1, "`", "${", _scan_script), False
    if not token["slash"]:
        return token.end(), bool(token["comment"])
    # A division or a regular expression.
    before = source[max(0, at - 200) : at].rstrip()
    pattern = _PATTERN.match(source, at)
    unsure = before.endswith("}") or (before.endswith(")") and pattern and re.search(r"[\"'`]", pattern[0]))
    if not unsure and not _BEFORE_PATTERN.search(before):
        return at + 1, False
    if unsure or not pattern:
        raise Unreadable("a slash that may begin a regular expression")
    return pattern.end(), False


_SCANNERS: Mapping[str, _Scanner] = {"r": _scan_r, "julia": _scan_julia, "javascript": _scan_script}


def _matched(pattern: re.Pattern[str], source: str, at: int) -> re.Match[str]:
    token = pattern.match(source, at)
    if not token:
        raise Unreadable("a character that cannot be read")
    return token


def _string_end(source: str, at: int, quote: str, code: str | None, scan: _Scanner) -> int:
    """Where the string ends that a *quote* closes; there may be code in it, which begins with *code*."""
    while at < len(source):
        if source.startswith(quote, at):
            return at + len(quote)
        if not code or not source.startswith(code, at):
            at += 2 if source[at] == "\\" else 1
            continue
        at, depth = at + len(code), 1
        while at < len(source) and depth:
            depth += (source[at] == code[-1]) - (source[at] == {"(": ")", "{": "}"}[code[-1]])
            at = scan(source, at)[0] if depth else at + 1
    raise Unreadable("a string that does not end")
