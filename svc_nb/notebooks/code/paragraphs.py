"""Lines of prose in comments or a docstring: the paragraphs that they form, each one segment.

A translation is wrapped again at the width of its paragraph.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from svc_nb.notebooks.segments import (
    LINE_END,
    Part,
    Refused,
    Segment,
    Span,
    Tag,
    has_letters,
    line_number,
    line_start,
    returned,
    runs,
    with_runs,
    xml,
)

USUAL_WIDTH = 79
LEAST_WIDTH = 40  # shorter lines do not show where a paragraph is wrapped
MOST_LINES_OF_CODE = 30

IsCode = Callable[[str], bool]
Encode = Callable[[Sequence[str]], Sequence[str]]  # turns the lines of a translation into source

_BULLET = re.compile(
    r"(?:[-=*#~]{2,}|[-*+•‣]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|#\d+"
    r"|@?(?:TODO|FIXME|XXX|HACK|BUG|NOTE)\b(?:\([^)]*\))?:?)[ \t]+"
)
_FIELD_LIST = re.compile(r":[a-zA-Z][\w-]*+(?:[ \t][^:\n]*+)?:(?=[ \t]|$)[ \t]*")  # :param name: …
_ARGUMENT = re.compile(r"\*{0,2}[A-Za-z_][\w.]*(?:[ \t]*\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\))?:[ \t]+")
_PARAMETER = re.compile(r"[*\w.]+(?:, ?[*\w.]+)*[ \t]+:(?:[ \t]|$)")  # name : type
_NAMES = re.compile(r"[*\w.]+(?:, ?[*\w.]+)*")
_SECTION = re.compile(
    r"(?:Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments|Other Parameters|Attributes|Methods|Raises"
    r"|Returns?|Yields?|Receives|Warns|Examples?|Notes?|See Also|References|Todo|Warnings?):"
)
_RULE = re.compile(r"[^\w\s]+$|_{3,}$|[+|].*[+|]$")
_TAIL = re.compile(r"(?<!\s)(?:\s++(?:(?:[-=*~]{3,}+|#++)\s*+)?|\s*+::)$")  # a rule after a heading
_TABLE = re.compile(r"\S {3,}\S|\S\t+\S")
_DIRECTIVE = re.compile(r"\.\. ")
_DOCTEST = re.compile(r">>>(?: |$)|In \[\d+\]:")
_FENCE = re.compile(r"```|~~~")
# A character of a script without spaces, or everything between two of them.
_PIECE = re.compile(r"[\u3000-\u9fff\uff00-\uffef]|[^\u3000-\u9fff\uff00-\uffef]+")
# These must not begin a line.
_CLOSING = set("、。，．：；！？）］｝」』】〉》・ー々〜")


@dataclass(frozen=True)
class ProseLine:
    """A line without its marker, and the position of each of its characters in the source."""

    text: str
    spans: Sequence[Span]
    loose: bool = False  # whether its indentation has no meaning

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

    line: ProseLine
    start: int
    end: int

    @property
    def text(self) -> str:
        """Its characters."""
        return self.line.text[self.start : self.end]

    @property
    def span(self) -> Span:
        """Its position in the source."""
        return self.line.spans[self.start][0], self.line.spans[self.end - 1][1]

    @property
    def blank_head(self) -> str:
        """The text before it on its line, as spaces."""
        return re.sub(r"\S", " ", self.line.text[: self.start])


def paragraphs(lines: Sequence[ProseLine], *, is_code: IsCode, documented: bool = False) -> Iterator[list[Stretch]]:
    """The paragraphs of prose, without code, rules, tables and headings; *documented* lines come from a docstring."""
    code = _code_rows(lines, is_code)
    width = max([LEAST_WIDTH, *(len(line.text.rstrip()) for line in lines)])
    form, found = _Form(documented), list[Stretch]()
    for row, line in enumerate(lines):
        following = lines[row + 1] if row + 1 < len(lines) else None
        if not line.body or form.keeps(line, following) or row in code:
            form.doctest = form.doctest and bool(line.body)
            if found:
                yield found
            found = []
            continue
        start = line.indent + form.head(line.body)
        stretch = Stretch(line, start, max(start, len(_TAIL.sub("", line.text))))
        if found and (start > line.indent or not _goes_on(found, stretch, width)):
            yield found
            found = []
        if stretch.text:
            found.append(stretch)
        form.block = line.indent if line.body.endswith("::") else form.block
    if found:
        yield found


@dataclass
class _Form:
    """The state that previous lines imply for the next one."""

    documented: bool
    block: int | None = None  # lines that are indented more than this are not prose
    doctest: bool = False
    fence: bool = False
    section: bool = False  # whether arguments follow, each with its name
    related: bool = False  # whether names follow, each with its type

    def keeps(self, line: ProseLine, following: ProseLine | None) -> bool:
        """Whether a non-empty line stays as it is; also notes what it implies for the next lines."""
        body = line.body
        if _FENCE.match(body):
            self.fence = not self.fence
            return True
        if self.fence or self.doctest:
            return True
        if self.block is not None and line.indent > self.block:
            return True
        self.block = None
        if _DIRECTIVE.match(body):
            self.block = line.indent
            return True
        self.doctest = bool(_DOCTEST.match(body))
        if self.doctest or _RULE.match(body) or _TABLE.search(body):
            return True
        return self.documented and self.is_name(line, following)

    def is_name(self, line: ProseLine, following: ProseLine | None) -> bool:
        """Whether a line of a docstring is a heading or a name with its type."""
        body = line.body
        if _SECTION.fullmatch(body):
            self.section = True
            return True
        if line.indent == 0 and not line.loose:
            self.section = False
        if following and re.fullmatch(r"([-=~^])\1{2,}", following.body):
            self.related = body.lower() == "see also"
            return True
        if _PARAMETER.match(body):
            return not self.related
        return bool(following and following.body and following.indent > line.indent and _NAMES.fullmatch(body))

    def head(self, body: str) -> int:
        """How many characters come before the prose of a line: a bullet, a field, an argument's name."""
        head = _BULLET.match(body) or (self.documented and _FIELD_LIST.match(body))
        head = head or (self.section and _ARGUMENT.match(body)) or (self.related and _PARAMETER.match(body))
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
    full = last.end + 1 + len(new.text.split(maxsplit=1)[0]) > width
    return full or last.text[-1] in ",-–—(" or not (new.text[0].isupper() or new.text[0].isdigit())


def _code_rows(lines: Sequence[ProseLine], is_code: IsCode) -> set[int]:
    """The rows that are code, including statements that span several rows."""
    rows: set[int] = set()
    for row, line in enumerate(lines):
        if row in rows or not line.body:
            continue
        if is_endless(line.body) or is_code(line.body):
            rows.add(row)
            continue
        if not re.search(r"[(\[{:,\\=]$", line.body):
            continue
        most = min(len(lines), row + MOST_LINES_OF_CODE)
        texts = [
            each.text[line.indent :] if each.text[: line.indent].isspace() or not line.indent else ""
            for each in lines[row:most]
        ]
        for end in range(most, row + 1, -1):
            if lines[end - 1].body and is_code("\n".join(texts[: end - row])):
                rows.update(range(row, end))
                break
    return rows


# ---- a paragraph as a segment


def paragraph(
    source: str, stretches: Sequence[Stretch], *, kind: str, prefix: str | None, encode: Encode
) -> Segment | None:
    """The paragraph as a segment, or None; *prefix* begins further lines of a translation, None allows only one."""
    text = ""
    for stretch in stretches:
        gap = "" if not text or (is_dense(text[-1] * 2) and is_dense(stretch.text[0] * 2)) else " "
        text += gap + stretch.text
    tagged = TaggedText.of(text)
    if not tagged.has_words or not is_clean(text):
        return None
    start, end = stretches[0].span[0], stretches[-1].span[1]
    begin = line_start(source, start)
    before = source[line_start(source, stretches[1].span[0]) : stretches[1].span[0]] if stretches[1:] else prefix
    widths = [columns(source[line_start(source, each.span[0]) : each.span[1]]) for each in stretches]
    width = max(widths) if stretches[1:] else max(*widths, USUAL_WIDTH)

    def write(answer: str) -> str:
        if before is None:
            return encode([answer.replace(HELD, " ")])[0]
        lines = filled(answer, first=columns(source[begin:start]), rest=columns(before), width=width)
        line_end = LINE_END.search(source)
        return ((line_end[0] if line_end else "\n") + before).join(encode(lines))

    return tagged.segment(start, end, kind=kind, line=line_number(source, start), write=write)


def columns(text: str) -> int:
    """The width of a text in an editor."""
    marks = [mark for mark in text if unicodedata.category(mark) not in ("Mn", "Me", "Cf")]
    return len(marks) + sum(unicodedata.east_asian_width(mark) in "WF" for mark in marks)


def filled(text: str, *, first: int, rest: int, width: int) -> list[str]:
    """The text on lines that end before column *width*; the first begins at column *first*, the others at *rest*."""
    words: list[tuple[str, str]] = []  # each with its preceding space
    for word in re.split(" +", text.strip(" ")):
        for number, piece in enumerate(_PIECE.findall(word) if is_dense(word) else [word]):
            if number and piece[0] in _CLOSING:
                space, before = words.pop()
                words.append((space, before + piece))
            else:
                words.append(("" if number or not words else " ", piece))
    lines, line, at = [], "", first
    for space, word in words:
        size = columns(word)
        if line and at + len(space) + size > width:
            lines.append(line)
            line, at = word, rest + size
        else:
            line += (space if line else "") + word
            at += (len(space) if line != word else 0) + size
    return [each.replace(HELD, " ") for each in [*lines, line]]


# ---- what is sent: the words, with numbered tags for names, placeholders and addresses

FIELD = "\uf8ff"  # stands for a replacement field of an f-string
HELD = "\ue000"  # a space without a line break

_PERCENT = r"%(?:\(\w+\))?[-+#0]{0,3}(?:\d{1,4}|\*)?(?:\.\d{1,3})?[diouxXeEfFgGcrsa](?![^\W\d_])|%%"
_BRACES = r"\$?\{[^{}\s]*\}|\{\{|\}\}"
_MARKUP = r"</?[A-Za-z][^<>]*>|&(?:#\d+|#x[0-9A-Fa-f]+|[A-Za-z]{2,8});"
_ADDRESS = r"\b[a-z][a-z0-9+.-]{0,20}://[^\s<>\"']*[^\s<>\"'.,;:!?)\]}]|\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"
_QUOTED = r"``[^`\n]+``|(?::[\w:+-]{1,100}:)?`[^`\n]+`_{0,2}|\$(?=\S)[^$\n]{1,300}(?<=\S)\$"
_NAME = (
    r"(?<![\w.])(?:[A-Za-z]\w*\.)*\w+\(\)"  # f(), df.head()
    r"|(?<![\w.])[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+(?:\([^()\n]*\))?"  # np.array, os.path.join(a, b)
    r"|(?<!\w)(?:__\w+__|_*[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+_*)(?:\([^()\n]*\))?(?!\w)"  # read_csv
    r"|(?<![\w-])--[a-z][\w-]+|(?<![\w-])-[A-Za-z](?![\w-])"  # --verbose, -v
    r"|(?<![\w/.])(?:~|\.{1,2})?/?(?:[\w.-]{1,100}/){1,20}[\w-]{1,100}\.\w{1,5}(?!\w)"  # data/in.csv
    r"|(?<![\w/.])[\w-]{1,200}\.(?:py|ipynb|csv|tsv|txt|md|json|ya?ml|toml|xlsx?|parquet|html?|png|jpe?g|pdf|zip|db|sql)\b"
)
_ORDERED = re.compile(rf"{FIELD}|{_MARKUP}|%[^(%].*|%%|\{{(?:[:!].*)?\}}|\{{\{{|\}}\}}")
_KEPT = re.compile("|".join([FIELD, _ADDRESS, _QUOTED, _MARKUP, _BRACES, _PERCENT, _NAME]))
_BLANK = re.compile(r"[\t\n\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]+")
_ENDLESS = re.compile(r"[!-~]{200}")
_RESERVED = re.compile(f"[{HELD}\0\ud800-\udfff]")
_DENSE = re.compile("[\u3040-\u9fff\u0e00-\u0eff\U00020000-\U0010ffff]")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class TaggedText:
    """A text as it is sent, and what its tags stand for."""

    sent: Sequence[Part]
    kept: Sequence[str]
    unknown: str = ""  # characters that a translation must not add

    @classmethod
    def of(cls, text: str, *, unknown: str = "") -> TaggedText:
        """Replace everything that must stay with tags; a character of *unknown* that occurs in the words is allowed."""
        sent, kept, at = list[Part](), list[str](), 0
        for found in _KEPT.finditer(text):
            sent += [text[at : found.start()], Tag(len(kept) + 1, "lone")]
            kept.append(found[0])
            at = found.end()
        sent = [part for part in [*sent, text[at:]] if part]
        words = "".join(part for part in sent if isinstance(part, str))
        return cls(sent, kept, "".join(mark for mark in unknown if mark not in words))

    @property
    def has_words(self) -> bool:
        """Whether there is something to translate."""
        return any(isinstance(part, str) and (_WORD.search(part) or is_dense(part)) for part in self.sent)

    def segment(self, start: int, end: int, *, kind: str, line: int, write: Callable[[str], str]) -> Segment:
        """The segment; *write* turns its translations into source, from texts that contain HELD and FIELD."""

        def put(parts: Sequence[Part]) -> str:
            numbers = [part.number for part in parts if isinstance(part, Tag)]
            order = [number for number in numbers if _ORDERED.fullmatch(self.kept[number - 1])]
            if order != sorted(order):
                raise Refused("placeholders changed places")
            text, words = "", ""
            for part in parts:
                if isinstance(part, Tag):
                    text += self.kept[part.number - 1].replace(" ", HELD)
                    continue
                if not is_clean(part) or FIELD in part:
                    raise Refused("the translation has characters that cannot be written")
                if any(mark in self.unknown for mark in part):
                    raise Refused("the translation has a sign that could be read as a placeholder")
                text += _BLANK.sub(" ", part)
                words += part
            if not has_letters(words):
                raise Refused("the translation is empty")
            return write(text.strip())

        def put_whole(answer: str) -> str:
            return put(returned(answer, self.sent))

        segment = Segment(start, end, xml(self.sent), kind, line, put_whole)
        if not self.kept:
            return segment
        return replace(segment, runs=runs(self.sent), put_runs=lambda answers: put(with_runs(self.sent, answers)))


def is_endless(text: str) -> bool:
    """Whether a text has a word so long that it must be data, which would be slow to analyse."""
    return bool(_ENDLESS.search(text))


def is_dense(text: str) -> bool:
    """Whether a text has at least two letters of a script without spaces between words."""
    return len([mark for mark in _DENSE.findall(text) if mark.isalpha()]) > 1


def is_clean(text: str) -> bool:
    """Whether a text has none of the characters with a special meaning here."""
    return not _RESERVED.search(text)
