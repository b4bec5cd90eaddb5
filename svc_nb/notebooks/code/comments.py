"""Comments that run to the end of a line: where they are, which of them are prose, and their segments."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from svc_nb.notebooks.code.paragraphs import IsCode, ProseLine, paragraph, paragraphs
from svc_nb.notebooks.segments import Refused, Segment, Span, Unreadable, line_start

_MARKER = re.compile(r"#+|//+")
# Comments for tools; words that could also begin a sentence need a colon.
_DIRECTIVE = re.compile(
    r"\s*(?:(?:noqa|nosec|nolint|nocov|noinspection|nopep8|nosonar)\b"
    r"|(?:type|mypy|pyright|pylint|flake8|isort|fmt|yapf|autopep8|black|ruff|pragma|cython|distutils|doctest|coverage"
    r"|codespell|cspell|spell-?checker|lint|pytype|bandit|vulture|jupytext|vim?|ex|tslint|jshint|jslint)\s?:"
    r"|pyre-\w|pragma\s|(?:istanbul|c8|v8)\s+ignore|@ts-|@flow|@jsx|@(?:param|title|markdown)\b|eslint-|prettier-|biome-|deno-(?:lint|fmt)-|SPDX-"
    r"|-\*-|[#@]__PURE__|sourceMappingURL=|endregion\b|%%|///|<[/\w]+>$|[-+]\s*$|In\s*\[[\d ]*\]:)"
    r"|[!|?:'@%]|region\b",
    re.IGNORECASE,
)
_CODING = re.compile(r".*?coding[:=]\s*[-\w.]+")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")  # these make code look different from what it is
_LATER = re.compile(
    r"(?<!\s)\s*+#\s*+(?=noqa|nosec|type:|pragma|pylint:|fmt:|ruff:|mypy:|pyright:|isort:)", re.IGNORECASE
)


def is_directive(text: str) -> bool:
    """Whether a comment, without its marker, is for a tool."""
    return bool(_DIRECTIVE.match(text))


def directives(source: str, comments: Sequence[Span]) -> list[str]:
    """The comments for tools, in order; only the end of a comment that begins with prose."""
    found: list[str] = []
    for start, end in comments:
        body = _MARKER.sub("", source[start:end], count=1)
        later = _LATER.search(body)
        if is_directive(body):
            found.append(body)
        elif later:
            found.append(body[later.start() :])
    return found


def comment_segments(source: str, comments: Sequence[Span], *, is_code: IsCode) -> Iterator[Segment]:
    """The texts in comments, each paragraph as one; *is_code* detects commented-out code."""
    for run in _runs(source, comments):
        # A metadata block goes from `# /// script` to `# ///`.
        if any(re.match(r"#\s*///", source[start:end]) for start, end in run):
            continue
        alone = not source[line_start(source, run[0][0]) : run[0][0]].strip()
        for stretches in paragraphs([_line(source, *span) for span in run], is_code=is_code):
            first = stretches[0]
            start = first.line.spans[0][0]
            prefix = source[line_start(source, start) : start] + first.blank_head if alone else None
            lead, early = " " if first.start else "", _is_early(source, start)

            def encode(lines: Sequence[str], lead: str = lead, early: bool = early) -> list[str]:
                done = [_BIDI.sub("", line).strip(" ") for line in lines]
                for line in done:
                    if is_directive(lead + line) or _LATER.search(line) or (early and _CODING.match(line)):
                        raise Refused("the translation looks like a comment for a tool")
                return done

            found = paragraph(source, stretches, kind="comment", prefix=prefix, encode=encode)
            if found:
                yield found


def _runs(source: str, comments: Sequence[Span]) -> Iterator[list[Span]]:
    """Consecutive comments, alone on their lines, with the same marker at the same column."""
    run: list[Span] = []
    head_before = ""
    for start, end in comments:
        marker, begin = _MARKER.match(source, start, end), line_start(source, start)
        head = source[begin : marker.end() if marker else start]
        alike = head == head_before and not head.strip("#/ \t")
        if run and not (alike and source[run[-1][1] : begin] in ("\n", "\r", "\r\n")):
            yield run
            run = []
        run.append((start, end))
        head_before = head
    if run:
        yield run


def _line(source: str, start: int, end: int) -> ProseLine:
    """A comment as a line; a comment for a tool has no text, and a directive after a text is cut off."""
    marker = _MARKER.match(source, start, end)
    begin = marker.end() if marker else start
    text = source[begin:end]
    if is_directive(text) or (_is_early(source, start) and _CODING.match(text)):
        text = ""
    if later := _LATER.search(text):
        text = text[: later.start()]
    return ProseLine(text, [(begin + i, begin + i + 1) for i in range(len(text))])


def _is_early(source: str, at: int) -> bool:
    """Whether a place is in the first two lines, where a comment can declare the encoding of a file."""
    second = source.find("\n", source.find("\n") + 1)
    return second < 0 or at <= second


# ---- where the comments are in R, Julia, JavaScript and TypeScript; unclear code is left alone

# A scanner reads one token at a place and says where it ends, and whether it is a comment.
_Scanner = Callable[[str, int], tuple[int, bool]]

_R = re.compile(
    r"""(?P<comment>\#[^\r\n]*)
    |[rR]["'](?P<dashes>-*)(?:\(.*?\)|\[.*?\]|\{.*?\})(?P=dashes)["']
    |"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|`(?:[^`\\]|\\.)*+`
    |%[^%\s]*%
    |(?P<open>["'`]|[rR]["']-*[(\[{])
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
    |"(?:[^"\\\r\n]|\\.)*+"|'(?:[^'\\\r\n]|\\.)*+'|(?P<template>`)
    |(?P<open>["']|/\*)|(?P<slash>/)|(?P<markup></|<!--)
    |[\w$]+|\s+|.""",
    re.VERBOSE | re.DOTALL,
)
_PATTERN = re.compile(r"/(?![*/])(?:[^\\/\[\r\n]|\\.|\[(?:[^\]\\\r\n]|\\.){0,500}+\]){1,2000}+/[a-z]*")
_BEFORE_PATTERN = re.compile(
    r"(?:^|[(\[{,;=:?!&|+\-*%<>~^]|\b(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield))\s*$"
)


def comments_in(source: str, language: str) -> list[Span]:
    """The places of comments to the end of a line. Raises Unreadable if that is unclear."""
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
        code = "$(" if len(opening) == 1 else None  # with a prefix, as in r"…", there is none
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
    """Where the string that a *quote* closes ends; it may contain code, which begins with *code*."""
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
