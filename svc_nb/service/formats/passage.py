"""Passages: the words of a paragraph among pieces that stay, cut from a text and put back in their places.

The pieces are those of the source text itself, so what is not translated comes out as it was written. Whatever a
translator answers, no word is lost, every piece that stays is there once, and tags nest (see `tagged_text`).

`pieces` finds what stays inside plain text: placeholders of programs, ICU messages, addresses, code.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from xml.sax.saxutils import escape

from ..catalogue import read
from ..translation.tags import tokens
from . import Words
from .tagged_text import Fixed, Lone, Node, Span, TaggedText, attached, is_mark, untagged

Encode = Callable[[str], str]

CDATA, CDATA_END = "<![CDATA[", "]]>"
_BLANKS = re.compile(r"(?<!\s)[^\S\n]*+\n\s*+")
# What XML cannot carry goes out as a tag, like any other piece that stays.
_UNFIT = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]+"
_BRACED = r"\{\s?[\w.$\[\]@-]*(?:[:!][^{}\s]*+)?\s?\}"
_KEPT = re.compile(
    r"`[^`\n]++`"
    rf"|\{{{_BRACED}\}}|[$%#]?{_BRACED}"
    r"|\{%[^{}\n]*+%\}|\{\{[^{}\n]*+\}\}|\$\{[^{}\n]*+\}|\[\[[^\[\]\n]*+\]\]"
    r"|\{\\[^{}\n]*+\}"
    r"|%(?:\d+\$|\(\w+\))?[-+#0]*+\d*+(?:\.\d+)?(?:hh?|ll?|[Lzjt])?[diouxXeEfFgGcrs@](?!\w)|%\w+%|%%"
    r"|\$\w+\$|\$t\([^()\n]*+\)|(?<!\w)\$[A-Za-z_]\w*+(?!\w)|(?<![\w:]):[A-Za-z_]\w*+:?(?![\w:])|</?\d+\s?/?>"
    r"|(?<!\w)(?:https?://|ftp://|file://|www\.)[^\s<>\"'`]+(?<![.,;:!?)\]}])"
    r"|(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++|&#?\w{1,20};"
    r"|(?<!\S)\|(?!\S)"
    rf"|{_UNFIT}"
)
_KEPT_IN_CASE = re.compile(f"{_KEPT.pattern}|#")
_CODE = re.compile(r"[_\\@#=\d]|[a-z][A-Z]|^/|/.*/|:/|\w{2}\.\w{2}|^[a-z]{2,3}-[A-Z]{2}$")
_BREAKS = frozenset(read("elements.json")["html_breaks"].split())
_ARGUMENT = r"\{\s*[\w.]+\s*,\s*"
_MESSAGE = re.compile(rf"{_ARGUMENT}(?:plural|select|selectordinal|number|date|time|choice)\b")
_HEAD = rf"(?P<head>{_ARGUMENT}(?:plural|select|selectordinal)\s*,)"
_IN_MESSAGE = re.compile(r"\s*+(?:(?P<case>(?:offset:\d++\s*+)?(?:=\d++|[\w-]++)\s*+\{)|(?P<close>\}))")
_IN_CASE = re.compile(rf"{_HEAD}|(?P<argument>\{{[^{{}}]*\}})|(?P<close>\}})|(?P<strange>\{{)")
_LETTERS = re.compile(r"[^\W\d_]+")
_RAISED = re.compile(r"<su[bp]\b", re.IGNORECASE)
_BRACE = re.compile(r"[{}]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the source; *pair* is shared by two tags, and what *breaks* the line ends a sentence.

    What is *attached* belongs to the word before it, such as the number of a note.
    """

    raw: str
    text: str = ""
    role: Literal["text", "open", "close", "lone"] = "lone"
    pair: int = 0
    breaks: bool = False
    attached: bool = False


def plain(text: str) -> Piece:
    """Return a piece of text that is written as it reads."""
    return Piece(text, text, "text")


class Passage:
    """Pieces that are translated as one.

    White space and what stays at either end is left outside. *wrapped* takes line ends for the spaces they are in
    markup; *encode* writes each translated text, *finish* the whole passage. *raw* is what stands in the source, if
    that is not the pieces joined.
    """

    __slots__ = ("_after", "_before", "_core", "_encode", "_finish", "_line", "_raw", "sent")

    def __init__(
        self,
        pieces: Iterable[Piece],
        *,
        wrapped: bool = False,
        encode: Encode = str,
        finish: Encode = str,
        raw: str = "",
    ) -> None:
        self._encode, self._finish = encode, finish
        joined = list(_joined(pieces))
        self._raw = raw or "".join(piece.raw for piece in joined)
        self._before, self._core, self._after = _peeled(joined)
        self._line: TaggedText | None = None
        if len(self._core) == 1 and self._core[0].role == "text":  # most passages are words alone
            text = _BLANKS.sub(" ", self._core[0].text) if wrapped else self._core[0].text
            self.sent = escape(text) if any(map(str.isalpha, text)) else ""
            return
        # What stands between a pair of tags is inside their span.
        around: list[list[Node]] = [[]]
        for piece in self._core:
            if piece.role == "text":
                around[-1].append(_BLANKS.sub(" ", piece.text) if wrapped else piece.text)
            elif piece.role == "close":
                inside = around.pop()
                inside[:] = attached(inside)
            elif piece.role == "open":
                span = Span(piece, once=True)
                around[-1].append(span)
                around.append(span.inside)
            else:
                chain = "breaks" if piece.breaks else None
                around[-1].append(Lone(piece, piece.breaks, chain, attached=piece.attached))
        self._line = TaggedText(attached(around[0]))
        self.sent = self._line.text if self._line.worded else ""
        """What goes to the translator; empty if there is no word in it."""

    def put_back(self, answer: str) -> str:
        """Return the passage with the words of *answer*; as it stands in the source if they are its own."""
        if answer == self.sent:
            return self._raw
        if not self._line:
            return self._finish(self._before + self._encode(untagged(answer)) + self._after)
        ends = {piece.pair: piece.raw for piece in self._core if piece.role == "close"}
        out = [self._before]
        sections = self._before.count(CDATA) - self._before.count(CDATA_END)  # that are open
        waiting: list[Node | int] = [*reversed(self._line.read(answer))]
        while waiting:
            node = waiting.pop()
            if isinstance(node, int):
                out.append(ends[node])
                sections -= ends[node] == CDATA_END
            elif isinstance(node, str):
                out.append(node.replace(CDATA_END, "]]&gt;") if sections else self._encode(node))
            elif isinstance(node.thing, Fixed):
                waiting += reversed(node.thing.nodes())
                waiting += reversed(node.inside if isinstance(node, Span) else ())
            else:
                out.append(node.thing.raw)
                if isinstance(node, Span):
                    sections += node.thing.raw == CDATA
                    waiting += (node.thing.pair, *reversed(node.inside))
        return self._finish("".join((*out, self._after)))

    def __str__(self) -> str:
        return self._raw


Part = str | Passage


def translated(parts: Sequence[Part], words: Words) -> list[str]:
    """Return *parts*, the passages among them translated in one call of *words*; same length and order."""
    texts = [str(part) for part in parts]
    worded = [(at, part) for at, part in enumerate(parts) if isinstance(part, Passage) and part.sent]
    answers = words([passage.sent for _, passage in worded], tagged=True) if worded else []
    for (at, passage), answer in zip(worded, answers, strict=True):
        texts[at] = passage.put_back(answer)
    return texts


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Join pieces that stay and touch; tags with no text between them stay as one, too."""
    out: list[Piece | list[Piece]] = []
    for piece in pieces:
        run = [piece] if piece.role == "lone" else None
        if piece.role == "close":
            run = _around_nothing(out, piece) or _around_figure(out, piece)
        if run is None:
            out.append(piece)
        elif out and isinstance(last := out[-1], list):
            last += run
        else:
            out.append(run)
    joined = [
        Piece(
            "".join(piece.raw for piece in each),
            breaks=any(piece.breaks for piece in each),
            attached=any(piece.role == "text" for piece in each),
        )
        if isinstance(each, list)
        else each
        for each in out
        if each
    ]
    for at, piece in enumerate(joined):
        yield piece
        # A sentence ends where two elements touch but are no one word: Start and Programs.
        touching = piece.role == "close" and at + 2 < len(joined) and joined[at + 1].role == "open"
        if touching and joined[at - 1].text[-1:].islower() and joined[at + 2].text[:1].isupper():
            yield Piece("", breaks=True)


def _around_nothing(out: list[Piece | list[Piece]], piece: Piece) -> list[Piece] | None:
    """Take the opening tag of *piece* and what follows it off *out*, if there is no text in it."""
    count = 2 if len(out) > 1 and isinstance(out[-1], list) else 1
    if len(out) < count or not _are_partners(out[-count], piece):
        return None
    inside = out.pop() if count == 2 else []
    first = out.pop()
    return [first, *inside, piece] if isinstance(first, Piece) and isinstance(inside, list) else None


def _around_figure(out: list[Piece | list[Piece]], piece: Piece) -> list[Piece] | None:
    """Take a pair of tags and the figure in it off *out* if it is raised or touches a word: an index, a note."""
    first, inside = out[-2:] if len(out) > 1 else (None, None)
    around = [each for each in out[-2:-6:-1] if isinstance(each, Piece) and each.role == "open"]
    raised = any(_RAISED.match(each.raw) for each in around)
    passed = ("open", "close") if raised else ("open",)  # an index may follow the end of another element
    word = next((each for each in out[-3:-6:-1] if isinstance(each, list) or each.role not in passed), None)
    if not (isinstance(first, Piece) and isinstance(inside, Piece) and _are_partners(first, piece)):
        return None
    touches = isinstance(word, Piece) and word.text[-1:].strip()
    most = (2 if touches else 1) if raised else 0  # the letters of an ordinal number, or TM
    longest = max(map(len, _LETTERS.findall(inside.text)), default=0)
    if not inside.text.strip() or longest > most or (raised and not is_mark(inside.text)) or not (touches or raised):
        return None
    del out[-2:]
    return [first, inside, piece]


def _are_partners(first: Piece | list[Piece], last: Piece) -> bool:
    if isinstance(first, list):
        return False
    return first.role == "open" and last.role == "close" and first.pair == last.pair


def _peeled(pieces: Sequence[Piece]) -> tuple[str, list[Piece], str]:
    """Return what stands before the words, the pieces of the words, and what stands after them."""
    start, end = 0, len(pieces)
    while start < end:
        touches = pieces[start].attached and start + 1 < end and pieces[start + 1].text[:1].strip()
        if _is_outside(pieces[start]) and not touches:  # what touches a raised figure may be a symbol with it
            start += 1
        elif _is_outside(pieces[end - 1]):
            end -= 1
        elif _are_partners(pieces[start], pieces[end - 1]):
            start, end = start + 1, end - 1
        else:
            break
    core = list(pieces[start:end])
    before = "".join(piece.raw for piece in pieces[:start])
    after = "".join(piece.raw for piece in pieces[end:])
    if core and core[0].text == core[0].raw:
        text = core[0].text
        core[0] = plain(text.lstrip())
        before += text[: len(text) - len(core[0].text)]
    if core and core[-1].text == core[-1].raw:
        text = core[-1].text
        core[-1] = plain(text.rstrip())
        after = text[len(core[-1].text) :] + after
    return before, core, after


def _is_outside(piece: Piece) -> bool:
    return piece.role == "lone" or (piece.role == "text" and not piece.text.strip())


def pieces(text: str, *, tags: bool = False) -> Iterator[Piece]:
    """Yield the pieces of *text*; with *tags* what looks like HTML stays too; blocks in it end a sentence."""
    if not tags or "<" not in text:
        yield from _plain_pieces(text)
        return
    found = tokens(text, "html")
    for at, token in enumerate(found):
        if token.kind == "text":
            yield from _plain_pieces(token.raw)
        elif token.name in _BREAKS or token.partner is None or token.kind == "point":
            yield Piece(token.raw, breaks=token.name in _BREAKS)
        else:
            yield Piece(token.raw, "", token.kind, min(at, token.partner))


def cdata_pieces(raw: str, number: int) -> Iterator[Piece]:
    """Yield the pieces of a CDATA section, the *number*-th token of its document, with HTML in it or not."""
    own = -1_000_000 * (number + 1)  # other pairs are numbered upwards
    yield Piece(CDATA, "", "open", own)
    for piece in pieces(raw.removeprefix(CDATA).removesuffix(CDATA_END), tags=True):
        yield replace(piece, pair=own - 1 - piece.pair) if piece.role in ("open", "close") else piece
    yield Piece(CDATA_END, "", "close", own)


def is_code(text: str) -> bool:
    """Tell whether *text* is one word that only a program would write: an address, a path, a name with ``_`` in it."""
    word = text.strip()
    return len(word) < 500 and not any(map(str.isspace, word)) and _CODE.search(word) is not None


def _plain_pieces(text: str) -> Iterator[Piece]:
    at = 0
    for start, end, breaks in _spans(text):
        if start > at:
            yield plain(text[at:start])
        yield Piece(text[start:end], breaks=breaks)
        at = end
    if at < len(text):
        yield plain(text[at:])


def _spans(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield what stays, and whether it ends a sentence: the syntax of a message does, and a bar between two texts."""
    at = 0
    message, kept = _MESSAGE.search(text), _KEPT.search(text)
    while True:
        if kept and kept.start() < at:
            kept = _KEPT.search(text, at)
        if message and (not kept or message.start() <= kept.start()):
            syntax = _syntax(text, message.start())
            at = message.start()
            for start, end in syntax:  # what stays in the case before it, and the syntax itself
                for inside in _KEPT_IN_CASE.finditer(text, at, start):
                    yield *inside.span(), False
                yield start, end, len(syntax) > 1
                at = end
            message = _MESSAGE.search(text, at)
        elif kept:
            yield *kept.span(), kept[0].strip() == "|"
            at = kept.end()
            kept = _KEPT.search(text, at)
        else:
            return


def _syntax(text: str, start: int) -> list[tuple[int, int]]:
    """Return where the syntax of the ICU message at *start* stands; one that cannot be read is a single span."""
    head = _IN_CASE.match(text, start)
    within = ["message"] if head and head.lastgroup == "head" else []
    found: list[tuple[int, int]] = []
    begin, at = head.span() if head else (start, start)
    while within:
        in_message = within[-1] == "message"
        step = _IN_MESSAGE.match(text, at) if in_message else _IN_CASE.search(text, at)
        if not step or step.lastgroup == "strange":
            found = []
            break
        at = step.end()
        if in_message:
            found.append((begin, at))
        if step.lastgroup == "close":
            within.pop()
        elif step.lastgroup != "argument":
            within.append("case" if in_message else "message")
        if not in_message:
            begin = step.start()
    depth = 0
    for brace in _BRACE.finditer(text, start) if not found else ():
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return [(start, brace.end())]
    return found or [(start, len(text))]
