"""HTML as tags and texts: which of them are prose, and what must stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from markdown_it.token import Token

from svc_nb.notebooks.markup.inline import Content, bare
from svc_nb.notebooks.markup.nodes import HTML_TAG, VOID, is_verbatim, nested
from svc_nb.notebooks.markup.parser import AT, SPELLED
from svc_nb.notebooks.markup.passage import passage
from svc_nb.notebooks.markup.view import View
from svc_nb.notebooks.segment import Segment
from svc_nb.notebooks.tags import Part, escaped, has_letters, plain

PIECE = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<![A-Za-z][^>]*>"
    r"|</?[A-Za-z][A-Za-z0-9:-]*(?:\"[^\"]*\"|'[^']*'|[^>\"'])*>",
    re.DOTALL,
)
ENTITY = re.compile(r"&(?:\w+|#\w+);")
RAW = re.compile(r"<(script|style|textarea|pre)\b", re.IGNORECASE)
# Attributes whose values people read.
READ = re.compile(r"""(\s(?:alt|title|placeholder|aria-label)\s*=\s*)("[^"]*"|'[^']*')""", re.IGNORECASE)
IN_SENTENCES = (
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd mark math q rp rt ruby "
    "s samp small span strike strong sub sup svg time tt u var wbr"
)
INLINE = frozenset(IN_SENTENCES.split())


@dataclass(frozen=True)
class Piece:
    """A tag, a comment, a text, or a whole element that is no prose."""

    start: int
    end: int
    source: str
    kind: str  # "tag", "text", "kept" or "kept inline"


def shape(source: str) -> list[str]:
    """All that must stay of an HTML text: its tags and comments, but for what people read in them."""
    return [
        _plain(READ.sub(r'\1""', piece.source)) if piece.kind == "tag" else _plain(piece.source)
        for piece in pieces(source)
        if piece.kind != "text"
    ]


def said(source: str) -> str:
    """The words of an HTML text without space."""
    return bare("".join(unescape(piece.source) for piece in pieces(source) if piece.kind == "text"))


def same(source: str, result: str) -> bool:
    """Whether two HTML texts have the same tags; those within one sentence may come in another order."""
    return _by_sentence(source) == _by_sentence(result)


def texts(source: str) -> list[Segment]:
    """The segments of a whole HTML text."""
    return segments(View.of(source))


def attribute_texts(source: str) -> list[Segment]:
    """The segments in the tags of a whole HTML text."""
    return attribute_segments(View.of(source))


def _by_sentence(source: str) -> list[list[str]]:
    """The tags of each sentence in no order, and those between sentences."""
    cut: list[list[str]] = [[]]
    for piece in pieces(source):
        if _ends_sentence(piece):
            cut += [shape(piece.source), []]
        else:
            cut[-1] += shape(piece.source)
    return [sorted(tags) for tags in cut]


def segments(view: View) -> list[Segment]:
    """The texts of an HTML text; tags in a sentence are part of it."""
    found = (_segment(run, view) for run in _sentences(pieces(view.text)))
    return [segment for segment in found if segment]


def attribute_segments(view: View) -> list[Segment]:
    """The texts in the tags of an HTML text: what people read in place of a picture, or in a field."""
    return [
        segment
        for piece in pieces(view.text)
        if piece.kind == "tag"
        for segment in tag_segments(view.part(piece.start, piece.end))
    ]


def tag_segments(view: View) -> list[Segment]:
    """The texts in the attributes of one tag."""
    return [
        _attribute(view.part(found.start(2) + 1, found.end(2) - 1), found[2][0])
        for found in READ.finditer(view.text)
        if has_letters(unescape(found[2]))
    ]


def pieces(source: str) -> list[Piece]:
    """The tags and texts of an HTML text, in order; together they are the text."""
    return list(_kept_whole(list(_cut(source))))


def _cut(source: str) -> Iterator[Piece]:
    at = 0
    while found := PIECE.search(source, at):
        if found.start() > at:
            yield Piece(at, found.start(), source[at : found.start()], "text")
        tag = HTML_TAG.match(found.group())
        end = _raw_end(source, found) if RAW.match(found.group()) else found.end()
        kind = "tag" if tag and end == found.end() else "kept"
        yield Piece(found.start(), end, source[found.start() : end], kind)
        at = end
    if at < len(source):
        yield Piece(at, len(source), source[at:], "text")


def _raw_end(source: str, opened: re.Match[str]) -> int:
    name = RAW.match(opened.group())
    closed = re.compile(rf"</{name[1]}\s*>" if name else "$", re.IGNORECASE).search(source, opened.end())
    return closed.end() if closed else len(source)


def _kept_whole(cut: list[Piece]) -> Iterator[Piece]:
    """The pieces, with elements that are no prose as one piece each."""
    at = 0
    while at < len(cut):
        end = _element_end(cut, at) if cut[at].kind == "tag" and is_verbatim(cut[at].source) else at
        if end > at or (cut[at].kind == "tag" and is_verbatim(cut[at].source)):
            source = "".join(piece.source for piece in cut[at : end + 1])
            inline = _name(cut[at]) in INLINE
            yield Piece(cut[at].start, cut[end].end, source, "kept inline" if inline else "kept")
        else:
            yield cut[at]
        at = end + 1


def _element_end(cut: Sequence[Piece], start: int) -> int:
    name, depth = _name(cut[start]), 0
    if name in VOID or cut[start].source.endswith("/>") or cut[start].source.startswith("</"):
        return start
    for number in range(start, len(cut)):
        if cut[number].kind == "tag" and _name(cut[number]) == name and not cut[number].source.endswith("/>"):
            depth += -1 if cut[number].source.startswith("</") else 1
            if depth == 0:
                return number
    return len(cut) - 1


def _name(piece: Piece) -> str:
    found = HTML_TAG.match(piece.source)
    return found[2].lower() if found else ""


def _sentences(found: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Runs of texts with the tags within them, up to a tag that ends a sentence."""
    run: list[Piece] = []
    for piece in found:
        if _ends_sentence(piece):
            yield run
            run = []
        else:
            run.append(piece)
    yield run


def _ends_sentence(piece: Piece) -> bool:
    return piece.kind == "kept" or (piece.kind == "tag" and _name(piece) not in INLINE)


def _trimmed(run: list[Piece]) -> list[Piece]:
    """The run without space at its ends, and without pictures and comments before and after the words."""
    while run and not bare(run[0].source):
        run = run[1:]
    while run and not bare(run[-1].source):
        run = run[:-1]
    return run


def _segment(run: list[Piece], view: View) -> Segment | None:
    run = _trimmed(run)
    if not any(piece.kind == "text" and has_letters(unescape(piece.source)) for piece in run):
        return None
    first, last = run[0], run[-1]
    start, end = first.start, last.end
    if first.kind == "text":
        start += len(first.source) - len(first.source.lstrip())
    if last.kind == "text":
        end -= len(last.source) - len(last.source.rstrip())
    return _of(view.part(start, end).bare())


def _of(view: View) -> Segment | None:
    source = view.text
    content = Content.of(nested([_token(piece) for piece in pieces(source)]), source)
    if not content.has_words:
        return None
    tags = sorted(shape(source))

    def way(parts: Sequence[Part], widths: Sequence[int]) -> list[str]:
        return content.lines(parts, widths, words=escaped)

    def right(made: str, parts: Sequence[Part]) -> bool:
        return sorted(shape(made)) == tags and said(made) == content.said(parts)

    return passage(view, content, "html", ways=[way], right=right)


def _token(piece: Piece) -> Token:
    if piece.kind == "text":
        token = Token("text", "", 0, content=unescape(piece.source))
        token.meta[SPELLED] = [(unescape(name), name) for name in ENTITY.findall(piece.source)]
    else:
        token = Token("html_inline", "", 0, content=piece.source)
    token.meta[AT] = (piece.start, piece.end)
    return token


def _attribute(view: View, quote: str) -> Segment:
    text = " ".join(unescape(view.text).split())
    start, end = view.spans[0][0], view.spans[-1][1]

    def put(answer: str) -> str:
        said = plain(answer)
        return escaped(said).replace(quote, "&quot;" if quote == '"' else "&#39;")

    return Segment(start, end, text=escaped(text), kind="attribute", line=view.number(0), put=put)


def _plain(source: str) -> str:
    return re.sub(r"\s+", " ", source)
