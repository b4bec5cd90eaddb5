"""A text too large for one request: cut at the best available borders, and joined again. Nothing is lost or changed.

A piece ends at the last good border within the limit: a blank line, a newline or the end of a sentence that leaves the
piece full enough, else the last of them before; then white space, then a clause. In a text with none of these it ends
between two visible characters (graphemes), preferably beside a word, a number or a bracket, not within one. White space
at a cut is kept here and not sent. In a text with tags, no tag, element, comment or entity is ever cut.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from operator import attrgetter
from typing import NamedTuple

import msgspec

from svc_nb.engine.skip_rules import BLANK, UNSPACED


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split())


_end_of = attrgetter("end")
_start_of = attrgetter("start")

_QUOTES = 2
_FULL_ENOUGH = 2 / 3

_BLANK_LINE, _NEWLINE, _SENTENCE, _SPACE, _CLAUSE = range(5)
# The order of the ranks: if the piece is full enough, and if it is not.
_WHEN_LATE = (0, 1, 2, 4, 5)
_WHEN_EARLY = (3, 3, 3, 6, 6)

_SPACE_MARKS = r"\s\u200b"
_GAP = rf"[{_SPACE_MARKS}][{BLANK}]*+"
_LINE_ENDS = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_STOPS = ".!?…‼⁇⁈⁉؟۔।॥።։"
_WIDE_STOPS = "。！？｡။។"  # the next sentence follows them without a space
_CLOSERS = r"""(?:["'”’»›)\]}」』）】〕》〉]|</\w[^<>]*+>)*+"""
# The search is for the first character, then the text before it is checked: this is fast, and no run of stops or spaces
# is entered twice. A point after one or two letters belongs to an abbreviation.
_STRONG = re.compile(
    rf"[{_SPACE_MARKS}{_STOPS}{_WIDE_STOPS}](?:"
    rf"(?P<sentence>(?<=[{_WIDE_STOPS}])[{_WIDE_STOPS}{_STOPS}]*+{_CLOSERS}"
    rf"|(?<=[{_STOPS}])(?<![{_STOPS}].)(?<!\b\w\.)(?<!\b\w\w\.)[{_STOPS}]*+{_CLOSERS}(?=[{_SPACE_MARKS}]))(?:{_GAP})?+"
    rf"|(?<=[{_SPACE_MARKS}])(?<![{_SPACE_MARKS}].)(?:(?<=[{_LINE_ENDS}])|[^\S{_LINE_ENDS}]*+[{_LINE_ENDS}])[{BLANK}]*+)",
    re.DOTALL,
)
_WEAK = re.compile(rf"(?P<clause>[,;:，、；：،؛—])(?!\d)(?:{_GAP})?+|{_GAP}")
_LEADING = re.compile(rf"[{BLANK}]*+")

# Where a cut between two characters is best avoided. In scripts without spaces, words are unknown.
_NEAR = 256
_OF_WORD = rf"[^\W{UNSPACED}]"
_LETTER = rf"[^\W\d_{UNSPACED}]"
_WHOLE = (
    re.compile(  # a word, a number, a stretch in brackets: "ab|[[12]]|cd"
        rf"(?<=[\[({{])(?:{_OF_WORD}|[\[({{\])}}])|(?<={_OF_WORD})(?:{_OF_WORD}|[\])}}])|(?<=[\])}}])[\])}}]"
        r"|(?<=\d)[.,](?=\d)|(?<=\d[.,])\d"
    ),
    re.compile(rf"(?<!{_LETTER})|(?!{_LETTER}{{2}})"),  # digits and the letters around them: "a|bc|XK1T|de"
)

# Unclosed constructs continue to the end, as in browsers, so each character is examined a few times at most.
_MARKUP = re.compile(
    r"<!--(?:.*?-->|.*+)"
    r"|<!\[CDATA\[(?:.*?\]\]>|.*+)"
    r"|<\?(?:.*?\?>|.*+)"
    r"|<![^>]*+(?:>|\Z)"
    r"|<(?P<raw>script|style)\b(?:.*?</(?P=raw)\s*+>|.*+)"
    r"|<(?P<close>/?)(?P<name>[^\W\d][\w.:-]*+)"
    r"""(?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+(?:>|\Z)"""
    r"|&\#?\w{1,32};",
    re.DOTALL | re.IGNORECASE,
)
VOID = _names("area base br col embed hr img input link meta param source track wbr")
_BREAKS = _names("br hr")
_INLINE = _names(
    "a abbr acronym b bdi bdo big cite code data del dfn em embed font i img input ins kbd label link mark meta param "
    "q s samp small source span strike strong sub sup time track tt u var wbr"
)

_VIRAMA = 9
_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
# Characters that belong to the one before, although Unicode does not count them as marks.
_ATTACHED = re.compile(
    rf"[{BLANK}\u0e33\u0eb3\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
# Characters that belong to the one after: joiners, signs that enclose digits, the first letters of Hangul syllables.
_ATTACHING = re.compile(r"[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\u1100-\u115f\u200d\ua960-\ua97f]")


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A part of a text that can be sent, and the white space around it that is not sent."""

    before: str
    text: str
    after: str


class _Border(NamedTuple):
    """A piece may end at *end*; the next one begins at *start*, after the white space."""

    end: int
    start: int
    rank: int


class _Span(NamedTuple):
    """A stretch that must stay whole, from *start* to *end*; the name is that of an element, or empty."""

    start: int
    end: int
    name: str


def wire_size(text: str) -> int:
    """Return how many bytes *text* takes in a JSON document in UTF-8, its quotes included.

    Raises UnicodeEncodeError for half of a surrogate pair, which cannot be sent.

    >>> wire_size("né\\n")
    7
    """
    # msgspec is faster, but leaves a copy in UTF-8 inside every string that is not ASCII.
    return len(msgspec.json.encode(text)) if text.isascii() else len(encode_basestring(text).encode())


def cut(text: str, most: int, *, tags: bool = False) -> list[TextPiece] | None:
    """Cut *text* into pieces of at most *most* bytes on the wire; joined they are *text*.

    No piece is blank, except that a blank text has one piece with nothing to send. With *tags*, the text is HTML or
    XML, and is cut only where no tag is open. None if the limit cannot be kept.

    >>> [piece.text for piece in cut("Come in. Sit down.", 12)]
    ['Come in.', 'Sit down.']
    """
    start = _after_blanks(text, 0)
    if start == len(text):
        return [TextPiece(text, "", "")]
    places = _Places(text, tags=tags)
    before, pieces = text[:start], []
    while start < len(text):
        border = places.best(start, most - _QUOTES)
        if border is None:
            return None
        pieces.append(TextPiece(before, text[start : border.end], text[border.end : border.start]))
        before, start = "", border.start
    return pieces


def join(pieces: Sequence[TextPiece], texts: Sequence[str]) -> str:
    """Return the whole text: *texts*, one for each of *pieces*, with the white space around the pieces."""
    return "".join(piece.before + text + piece.after for piece, text in zip(pieces, texts, strict=True))


class _Places:
    """Where a text may be cut."""

    def __init__(self, text: str, *, tags: bool) -> None:
        self._text = text
        self._end = _before_blanks(text, len(text))
        self._spans = _spans(text) if tags else []
        strong = set(self._kept(_borders(_STRONG, text, 0, len(text))))
        for span in self._spans:  # before and after each block element
            if span.name and span.name not in _INLINE:
                strong.add(_Border(_before_blanks(text, span.start), span.start, _NEWLINE))
                behind = _after_blanks(text, span.end)
                if behind > span.end or behind == len(text) or _parted(text, behind - 1, behind):
                    strong.add(_Border(span.end, behind, _NEWLINE))
        self._strong = sorted(strong)

    def best(self, start: int, room: int) -> _Border | None:
        """The border at which a piece from *start* with *room* bytes should end, if there is one."""
        reach = _reach(self._text, start, room)
        if reach >= self._end:
            return _Border(self._end, len(self._text), _BLANK_LINE)
        late = _reach(self._text, start, int(room * _FULL_ENOUGH))

        def order(border: _Border) -> tuple[int, int]:
            return (_WHEN_LATE if border.end >= late else _WHEN_EARLY)[border.rank], -border.end

        first, beyond = (bisect_right(self._strong, place, key=_end_of) for place in (start, reach))
        fitting = self._strong[first:beyond]
        if not fitting:
            weak = self._kept(_borders(_WEAK, self._text, start, reach + 1))
            fitting = [border for border in weak if border.end <= reach]
        return min(fitting, key=order) if fitting else self._between_characters(start, late, reach)

    def _between_characters(self, start: int, late: int, reach: int) -> _Border | None:
        """The last place that cuts nothing apart, if it is near and the piece is full enough; else the last of all."""
        near = range(reach, max(start, late, reach - _NEAR), -1)
        for whole in _WHOLE:
            for place in near:
                is_open = not whole.match(self._text, place) and self._outside(place) == place
                if is_open and _parted(self._text, start, place):
                    return _Border(place, place, _CLAUSE)
        end = self._outside(reach)
        while end > start and not _parted(self._text, start, end):
            end = self._outside(end - 1)
        return _Border(end, end, _CLAUSE) if end > start else None

    def _kept(self, borders: Iterable[_Border]) -> Iterable[_Border]:
        """Those of *borders* outside of all spans."""
        if not self._spans:
            return borders
        return (border for border in borders if self._outside(border.end) == border.end)

    def _outside(self, place: int) -> int:
        """*place* itself, or the beginning of the span that contains it."""
        before = bisect_left(self._spans, place, key=_start_of) - 1
        return self._spans[before].start if before >= 0 and place < self._spans[before].end else place


def _after_blanks(text: str, place: int) -> int:
    found = _LEADING.match(text, place)
    return found.end() if found else place


def _before_blanks(text: str, place: int) -> int:
    while place and (text[place - 1].isspace() or text[place - 1] == "\u200b"):
        place -= 1
    return place


def _reach(text: str, start: int, room: int) -> int:
    """How far *room* bytes reach from *start*: in long strides first, then in shorter and shorter ones."""
    stride = room
    while stride > 0 and start < len(text):
        size = wire_size(text[start : start + stride]) - _QUOTES
        if size > room:
            stride //= 2
        else:
            start, room = start + stride, room - size
    return min(start, len(text))


def _borders(kind: re.Pattern[str], text: str, start: int, stop: int) -> Iterator[_Border]:
    for found in kind.finditer(text, start, stop):
        mark = found.lastgroup
        end = found.end(mark) if mark else found.start()
        wide = found.end() > end
        behind = _after_blanks(text, found.end()) if wide else end  # white space may continue beyond the stop
        if not (wide or end == len(text) or _parted(text, end - 1, end)):
            continue
        gap = text[end:behind]
        lines = len(f"{gap}.".splitlines()) - 1 if gap not in ("", " ") else 0
        if lines:
            rank = _NEWLINE if lines == 1 else _BLANK_LINE
        elif mark == "sentence":
            rank = _SENTENCE
        else:
            rank = _SPACE if gap else _CLAUSE
        yield _Border(end, behind, rank)


def _parted(text: str, start: int, place: int) -> bool:
    """Whether a new visible character (grapheme) begins at *place*; one is known to begin at *start*."""
    last, following = text[place - 1], text[place]
    if _ATTACHED.match(following) or unicodedata.category(following).startswith("M"):
        return False
    if _ATTACHING.match(last) or unicodedata.combining(last) == _VIRAMA:
        return False
    if following not in _FLAG_LETTERS:
        return True
    run = text[start:place]
    return (len(run) - len(run.rstrip(_FLAG_LETTERS))) % 2 == 0


def _spans(text: str) -> list[_Span]:
    """The stretches that must stay whole, in order and without overlaps."""
    closed, unclosed = _elements(text)
    spans: list[_Span] = []
    for span in sorted(closed, key=lambda span: (span.start, -span.end)):
        if not spans or span.start >= spans[-1].end:
            spans.append(span)
        else:  # overlapping ones become one
            spans[-1] = spans[-1]._replace(end=max(spans[-1].end, span.end))
    # A tag left open inside a closed element ends with it; elsewhere nothing ends it.
    tops = {span.start for span in spans}
    first = min((span for span in unclosed if span.start in tops), default=None)
    if first is None:
        return spans
    return [*(span for span in spans if span.start < first.start), first]


def _elements(text: str) -> tuple[list[_Span], list[_Span]]:
    """Tags, comments, entities and closed elements; and the elements that are not closed."""
    closed: list[_Span] = []
    opened: defaultdict[str, list[int]] = defaultdict(list)
    for found in _MARKUP.finditer(text):
        start, end = found.span()
        name = (found["name"] or found["raw"] or "").lower()
        closed.append(_Span(start, end, name if name in _BREAKS else ""))
        if found["close"] and opened[name]:
            closed.append(_Span(opened[name].pop(), end, name))
        elif found["name"] and not found["close"] and not closes_itself(found[0]):
            opened[name].append(start)
    lasting = ((name, start) for name, starts in opened.items() if name not in VOID for start in starts)
    return closed, [_Span(start, len(text), name) for name, start in lasting]


def closes_itself(tag: str) -> bool:
    """Return whether *tag* opens nothing because it ends with its own slash."""
    last = tag.removesuffix("/>").rsplit(None, 1)[-1]
    return tag.endswith("/>") and ("=" not in last or last.endswith(("'", '"')))  # <a href=/x/> is open
