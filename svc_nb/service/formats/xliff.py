"""XLIFF 1.2, 2.0 and 2.1: targets filled from their sources; those that are translated already stay.

Among the words of a segment are codes in pairs or alone, native code and marks, which are kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..translation.tags import Token, attributes, value_of, with_value
from . import Unreadable, Wish, Words
from .markup import cdata_parts, encoder, is_untranslated, raw_pieces, read_xml
from .passage import CDATA, Encode, Part, Passage, Piece, cdata_pieces, translated

Span = tuple[int, int]

_OPEN_STATES = frozenset({"new", "initial", "needs-translation", "needs-l10n", "needs-adaptation"})
_UNITS = {"1": "trans-unit", "2": "segment"}
_NATIVE = frozenset({"bpt", "ept", "it", "ph"})
_FARTHEST = 100
_STARTS = frozenset({"bpt", "bx", "sc"})
_ENDS = frozenset({"ept", "ex", "ec"})


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate an XLIFF file, which then says which language its targets are in."""
    file, found = read_xml(source)
    root = next(token for token in found if token.name)
    version = value_of(root.raw, "version")
    if _local(root) != "xliff" or version[:2] not in ("1.", "2."):
        raise Unreadable("The file is not XLIFF 1.2, 2.0 or 2.1.")
    holder, name = ("xliff", "trgLang") if version[0] == "2" else ("file", "target-language")
    for token in found:
        if token.kind == "open" and _local(token) == holder:
            token.raw = with_value(token.raw, name, wish.language_tag)
    encode, parts = encoder(found), list[Part]()
    around = [_Around()]
    at = 0
    while at < len(found):
        token = found[at]
        if token.kind == "open":
            around.append(around[-1].within(token))
        elif token.kind == "close":
            around.pop()
        unit = _unit(found, at) if _local(token) == _UNITS[version[0]] and token.kind == "open" else None
        if unit and around[-1].translated and unit.is_open():
            if version[0] == "2":
                token.raw = with_value(token.raw, "state", "translated")
            parts += unit.filled(spaced=around[-1].spaced, encode=encode)
            at = unit.end
        else:
            parts.append(token.raw)
            at += 1
    target.write_bytes(file.encode_markup("".join(translated(parts, words))))


def _local(token: Token) -> str:
    """Return a tag's name without its prefix."""
    return token.name.rpartition(":")[2]


def _raw(found: Sequence[Token], start: int, stop: int) -> str:
    return "".join(token.raw for token in found[start:stop])


@dataclass(frozen=True, slots=True)
class _Around:
    """What holds inside an element unless one further in says otherwise."""

    translated: bool = True
    spaced: bool = False

    def within(self, token: Token) -> "_Around":
        """Return what holds inside *token*."""
        if not any(name in token.attributes for name in ("translate", "xml:space", "locked")):
            return self
        translated, space = value_of(token.raw, "translate"), value_of(token.raw, "xml:space")
        locked = any(  # by a tool, each in its own namespace
            each.name.endswith(":locked") and each.value.lower() in ("true", "yes", "locked")
            for each in attributes(token.raw)
        )
        return _Around(
            (translated != "no" if translated else self.translated) and not locked,
            space == "preserve" if space else self.spaced,
        )


def _unit(found: Sequence[Token], at: int) -> "_Unit | None":
    """Return the unit that starts *at*, if there is anything in its source."""
    children: dict[str, Span] = {}
    inside, end = at + 1, found[at].partner or at
    while inside < end:
        token = found[inside]
        last = token.partner if token.kind == "open" and token.partner is not None else inside
        if token.name:
            children.setdefault(_local(token), (inside, last))
        inside = last + 1
    source = children.get("source")
    if not source or source[0] == source[1]:
        return None
    return _Unit(found, at, end, source, children.get("seg-source"), children.get("target"))


@dataclass(frozen=True, slots=True)
class _Unit:
    """A unit: where it, its source, the same cut into sentences, and its target begin and end."""

    found: Sequence[Token]
    start: int
    end: int
    source: Span
    sentences: Span | None
    target: Span | None

    def is_open(self) -> bool:
        """Tell whether the unit has no translation yet, or one that says it is none."""
        found, at = self.found, self.start
        if not self.target or self._is_blank(self.target):
            return True
        state = value_of(found[self.target[0]].raw, "state") or value_of(found[at].raw, "state")
        if state or value_of(found[at].raw, "approved") == "yes":
            return state in _OPEN_STATES
        copied = self._inside(self.target) in (self._inside(self.source), self._inside(self.sentences))
        return copied or bool(self.sentences and any(map(self._is_blank, self._marks(self.target))))

    def filled(self, *, spaced: bool, encode: Encode) -> Iterator[Part]:
        """Yield the parts of the unit, its target filled; the closing tag of the unit is not among them."""
        found, model = self.found, self.sentences or self.source
        name = found[self.source[0]].name.replace("source", "target")
        if self.target:
            start, stop = self.target
            before, opening = "", found[start].raw
        else:
            start, stop = model[1] + 1, model[1]
            blank = found[self.source[0] - 1]
            before = blank.raw if blank.kind == "text" and blank.raw.isspace() else ""
            opening = f"<{name}>"
        yield _raw(found, self.start, start) + before
        opening = opening.rstrip("/> \n") + ">"
        is_first_version = found[self.start].name.endswith("trans-unit")
        yield with_value(opening, "state", "translated") if is_first_version else opening
        if self.sentences:
            yield from self._by_sentences(self.sentences, spaced=spaced, encode=encode)
        else:
            yield from cdata_parts(Passage(_pieces(found, model[0] + 1, model[1]), wrapped=not spaced, encode=encode))
        yield f"</{name}>" + _raw(found, stop + 1, self.end)

    def _by_sentences(self, sentences: Span, *, spaced: bool, encode: Encode) -> Iterator[Part]:
        """Yield the sentences; those that the target has translated stay as they are, by their numbers."""
        found, kept = self.found, dict[str, str]()
        if self.target and value_of(found[self.target[0]].raw, "state") not in _OPEN_STATES:
            sources = {self._number(each): self._inside(each) for each in self._marks(sentences)}
            targets = [each for each in self._marks(self.target) if not self._is_blank(each)]
            kept = {self._number(each): self._inside(each) for each in targets}
            kept = {number: text for number, text in kept.items() if text != sources.get(number)}
        at = sentences[0] + 1
        for first, last in self._marks(sentences):
            yield _raw(found, at, first + 1)
            number = self._number((first, last))
            if number in kept:
                yield kept[number]
            else:
                yield from cdata_parts(Passage(_pieces(found, first + 1, last), wrapped=not spaced, encode=encode))
            at = last
        yield _raw(found, at, sentences[1])

    def _marks(self, span: Span) -> Iterator[Span]:
        """Yield where the outermost elements inside *span* begin and end: the sentences of a segmented text."""
        at = span[0] + 1
        while at < span[1]:
            partner = self.found[at].partner
            if self.found[at].kind == "open" and partner is not None:
                yield at, partner
                at = partner
            at += 1

    def _is_blank(self, span: Span) -> bool:
        """Tell whether there are but tags and white space inside *span*."""
        inside = self.found[span[0] + 1 : span[1]]
        return not any(token.raw.strip() for token in inside if token.kind == "text" or token.raw.startswith(CDATA))

    def _inside(self, span: Span | None) -> str:
        return _raw(self.found, span[0] + 1, span[1]) if span else ""

    def _number(self, span: Span) -> str:
        return value_of(self.found[span[0]].raw, "mid")


def _pieces(found: Sequence[Token], at: int, end: int) -> list[Piece]:
    """Return the pieces of the tokens from *at* to *end*, pairs told of each other; codes that cross stay alone."""
    out: list[Piece] = []
    opened: list[tuple[str, int]] = []
    pairs: list[tuple[int, int]] = []
    while at < end:
        token = found[at]
        if token.kind == "text":
            out += raw_pieces(token.raw)
            at += 1
            continue
        if token.raw.startswith(CDATA):
            out += cdata_pieces(token.raw, at)
            at += 1
            continue
        last = at
        protected = is_untranslated(token) or value_of(token.raw, "mtype") == "protected"
        if _local(token) in _NATIVE or protected:
            last = token.partner if token.kind == "open" and token.partner is not None else at
            last = _mark_end(found, at, end) if _local(token) == "sm" else last
            kind, key = _code(token)
        elif token.kind == "point" or token.partner is None:
            kind, key = _code(token)
        else:
            kind, key = token.kind, str(min(at, token.partner))
        if kind == "open":
            opened.append((key, len(out)))
        elif kind == "close":
            while opened and opened[-1][0] != key and not key.startswith("code "):
                opened.pop()
            if opened and opened[-1][0] == key:
                pairs.append((opened.pop()[1], len(out)))
        out.append(Piece(_raw(found, at, last + 1)))
        at = last + 1
    for number, (first, last) in enumerate(pairs, 1):
        out[first] = Piece(out[first].raw, "", "open", number)
        out[last] = Piece(out[last].raw, "", "close", number)
    return out


def _mark_end(found: Sequence[Token], at: int, end: int) -> int:
    """Return where the mark ends that starts *at*: its own place if that is far away, or elements cross it."""
    number = value_of(found[at].raw, "id")
    for last in range(at + 1, min(end, at + _FARTHEST)):
        if _local(found[last]) == "em" and value_of(found[last].raw, "startRef") == number:
            crossed = any(not at < (token.partner or last - 1) < last for token in found[at + 1 : last])
            return at if crossed else last
    return at


def _code(token: Token) -> tuple[str, str]:
    """Return whether a code starts or ends something, and what."""
    name = _local(token)
    if name in _STARTS:
        return "open", "code " + (value_of(token.raw, "rid") or value_of(token.raw, "id"))
    if name in _ENDS:
        of = value_of(token.raw, "startRef") or value_of(token.raw, "rid") or value_of(token.raw, "id")
        return "close", f"code {of}"
    return "", ""
