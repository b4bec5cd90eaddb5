"""Lines of prose in code, of comments or of a docstring, as the paragraphs that they form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from svc_nb.notebooks.code.spans import Span
from svc_nb.notebooks.code.words import is_dense, is_endless

LEAST_WIDTH = 40  # shorter lines say nothing about where a paragraph is broken
MOST_LINES_OF_CODE = 30

IsCode = Callable[[str], bool]

_BULLET = re.compile(
    r"(?:[-=*#~]{2,}|[-*+•‣]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|#\d+"
    r"|@?(?:TODO|FIXME|XXX|HACK|BUG|NOTE)\b(?:\([^)]*\))?:?)[ \t]+"
)
_FIELD_LIST = re.compile(r":[a-zA-Z][\w -]*(?:[ \t]+[^:\n]*)?:(?=[ \t]|$)[ \t]*")  # :param name: …
_ARGUMENT = re.compile(r"\*{0,2}[A-Za-z_][\w.]*(?:[ \t]*\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\))?:[ \t]+")
_PARAMETER = re.compile(r"[*\w.]+(?:, ?[*\w.]+)*[ \t]+:(?:[ \t]|$)")  # name : type
_NAMES = re.compile(r"[*\w.]+(?:, ?[*\w.]+)*")
_SECTION = re.compile(
    r"(?:Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments|Other Parameters|Attributes|Methods|Raises"
    r"|Returns?|Yields?|Receives|Warns|Examples?|Notes?|See Also|References|Todo|Warnings?):"
)
_RULE = re.compile(r"[^\w\s]+$|_{3,}$|[+|].*[+|]$")
_TAIL = re.compile(r"\s+(?:[-=*~]{3,}|#+)\s*$|\s*::$|\s+$")  # a rule after a heading
_TABLE = re.compile(r"\S {3,}\S|\S\t+\S")
_DIRECTIVE = re.compile(r"\.\. ")
_DOCTEST = re.compile(r">>>(?: |$)|In \[\d+\]:")
_FENCE = re.compile(r"```|~~~")


@dataclass(frozen=True)
class Line:
    """A line without its marker, and where each of its characters stands in the source."""

    text: str
    spans: Sequence[Span]
    loose: bool = False  # whether its indentation says nothing

    @property
    def body(self) -> str:
        """The line without the space around it."""
        return self.text.strip()

    @property
    def indent(self) -> int:
        """How far its text is from where it begins."""
        return len(self.text) - len(self.text.lstrip())


@dataclass(frozen=True)
class Stretch:
    """The characters *start* to *end* of a line."""

    line: Line
    start: int
    end: int

    @property
    def text(self) -> str:
        """Its characters."""
        return self.line.text[self.start : self.end]

    @property
    def span(self) -> Span:
        """Where it stands in the source."""
        return self.line.spans[self.start][0], self.line.spans[self.end - 1][1]


@dataclass
class _State:
    """What the lines so far say about the next one."""

    block: int | None = None  # lines that are further in than this are no prose
    doctest: bool = False
    fence: bool = False
    section: bool = False  # whether arguments follow, each with its name
    related: bool = False  # whether names follow, each with what it is


def joined(stretches: Sequence[Stretch]) -> str:
    """The text of a paragraph, on one line."""
    text = ""
    for stretch in stretches:
        gap = "" if not text or (is_dense(text[-1] * 2) and is_dense(stretch.text[0] * 2)) else " "
        text += gap + stretch.text
    return text


def paragraphs(
    lines: Sequence[Line], *, is_code: IsCode, documented: bool = False
) -> Iterator[list[Stretch]]:
    """The paragraphs of prose: what is code, a rule, a table, a name or a heading is left out.

    *documented* lines are those of a docstring, where sections, fields and names have a form.
    """
    code, width = _code_rows(lines, is_code), _width(lines)
    state, found = _State(), list[Stretch]()
    for row, line in enumerate(lines):
        following = lines[row + 1] if row + 1 < len(lines) else None
        if not line.body or _is_kept(line, following, state, documented=documented) or row in code:
            state.doctest = state.doctest and bool(line.body)
            if found:
                yield found
            found = []
            continue
        start = line.indent + _head(line.body, state, documented=documented)
        stretch = Stretch(line, start, max(start, len(_TAIL.sub("", line.text))))
        if found and (start > line.indent or not _goes_on(found, stretch, width)):
            yield found
            found = []
        if stretch.text:
            found.append(stretch)
        state.block = line.indent if line.body.endswith("::") else state.block
    if found:
        yield found


def _is_kept(line: Line, following: Line | None, state: _State, *, documented: bool) -> bool:
    """Whether a line, not empty, is to stay as it is; and note what it says about the next ones."""
    body = line.body
    if _FENCE.match(body):
        state.fence = not state.fence
        return True
    if state.fence or state.doctest:
        return True
    if state.block is not None and line.indent > state.block:
        return True
    state.block = None
    if _DIRECTIVE.match(body):
        state.block = line.indent
        return True
    state.doctest = bool(_DOCTEST.match(body))
    if state.doctest or _RULE.match(body) or _TABLE.search(body):
        return True
    return documented and _is_named(line, following, state)


def _is_named(line: Line, following: Line | None, state: _State) -> bool:
    """Whether a line of a docstring is a heading or a name with its type."""
    body = line.body
    if _SECTION.fullmatch(body):
        state.section = True
        return True
    if line.indent == 0 and not line.loose:
        state.section = False
    if following and re.fullmatch(r"([-=~^])\1{2,}", following.body):
        state.related = body.lower() == "see also"
        return True
    if _PARAMETER.match(body):
        return not state.related
    return bool(following and following.body and following.indent > line.indent and _NAMES.fullmatch(body))


def _head(body: str, state: _State, *, documented: bool) -> int:
    """How many characters stand before the prose of a line: a bullet, a field, an argument's name."""
    head = _BULLET.match(body) or (documented and _FIELD_LIST.match(body))
    head = head or (state.section and _ARGUMENT.match(body)) or (state.related and _PARAMETER.match(body))
    return len(head[0]) if head else 0


def _goes_on(found: Sequence[Stretch], new: Stretch, width: int) -> bool:
    """Whether a line belongs to the paragraph before it."""
    last = found[-1]
    if len(found) > 1 or found[0].start == found[0].line.indent:
        fits = last.line.loose or last.line.indent == new.line.indent
    else:
        fits = new.line.indent > last.line.indent  # under a bullet
    if not fits or last.line.body.endswith(":") or last.end < len(last.line.text.rstrip()):
        return False
    if is_dense(last.text):
        return not re.search(r"[。！？：!?.:]$", last.text)
    first = new.text.split(maxsplit=1)[0]
    full = last.end + 1 + len(first) > width
    return full or last.text[-1] in ",-–—(" or not (new.text[0].isupper() or new.text[0].isdigit())


def _width(lines: Sequence[Line]) -> int:
    return max([LEAST_WIDTH, *(len(line.text.rstrip()) for line in lines)])


def _code_rows(lines: Sequence[Line], is_code: IsCode) -> set[int]:
    """The rows that are code, also where a statement has several."""
    rows: set[int] = set()
    for row, line in enumerate(lines):
        if row in rows or not line.body:
            continue
        if is_endless(line.body) or is_code(line.body):
            rows.add(row)
        elif re.search(r"[(\[{:,\\=]$", line.body):
            rows.update(_statement(lines, row, is_code))
    return rows


def _statement(lines: Sequence[Line], row: int, is_code: IsCode) -> range:
    """The rows of a statement that begins at *row*; none where it is no code."""
    indent = lines[row].indent
    for end in range(min(len(lines), row + MOST_LINES_OF_CODE), row + 1, -1):
        texts = [
            line.text[indent:] if line.text[:indent].isspace() or not indent else ""
            for line in lines[row:end]
        ]
        if lines[end - 1].body and is_code("\n".join(texts)):
            return range(row, end)
    return range(0)
