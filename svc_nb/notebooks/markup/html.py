"""HTML as tags and texts: which of them are prose, and what must stay."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import groupby

from markdown_it.token import Token

from svc_nb.notebooks.markup import templates
from svc_nb.notebooks.markup.inline import InlineContent, without_space
from svc_nb.notebooks.markup.parser import AT, HTML_TAG, SPELLED, VOID, is_verbatim, nested
from svc_nb.notebooks.segments import Part, Segment, SourceLines, escaped, has_letters

# In a tag a quote counts only behind "=": `<b don't>` is a tag that ends there.
PIECE = re.compile(
    r"<!--(?:.*?-->|.*+)|<!\[CDATA\[(?:.*?\]\]>|.*+)|<\?(?:.*?\?>|.*+)|<![A-Za-z][^>]{0,1000}+>"
    r"|</?[A-Za-z][A-Za-z0-9:-]*+(?:[^>=]{0,500}+=(?:\s*\"[^\"]*\"|\s*'[^']*'|(?!\s*[\"']))){0,100}+[^>=]{0,500}+>",
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
class HtmlPiece:
    """A tag, a comment, a text, or a whole element that is not prose."""

    start: int
    end: int
    source: str
    kind: str  # "tag", "text", "kept" or "kept inline"
    seen: str  # the source without template tags

    @property
    def name(self) -> str:
        """The name of a tag, in lower case."""
        found = HTML_TAG.match(self.seen)
        return found[2].lower() if found else ""

    @property
    def ends_sentence(self) -> bool:
        """Whether the texts before and after it are separate sentences."""
        return self.kind == "kept" or (self.kind == "tag" and self.name not in INLINE)

    @property
    def structure(self) -> str:
        """The part that must stay: everything but the readable text in a tag; any space counts as one."""
        stays, at = "", 0
        for value in READ.finditer(self.seen) if self.kind == "tag" else ():
            stays += self.source[at : value.start(2)] + '""'
            at = value.end(2)
        return re.sub(r"\s+", " ", stays + self.source[at:])

    def token(self) -> Token:
        """The piece as the parser of Markdown gives it."""
        if self.kind == "text":
            token = Token("text", "", 0, content=unescape(self.source))
            token.meta[SPELLED] = [(unescape(name), name) for name in ENTITY.findall(self.source)]
        else:
            token = Token("html_inline", "", 0, content=self.source)
        token.meta[AT] = (self.start, self.end)
        return token


def structure(source: str) -> list[str]:
    """Everything in an HTML text that must stay: its tags and comments, except for readable text in them."""
    return [piece.structure for piece in pieces(source) if piece.kind != "text"]


def same_structure(source: str, result: str) -> bool:
    """Whether two HTML texts have the same tags; the order within one sentence may differ."""
    return _by_sentence(source) == _by_sentence(result) and templates.kept(source) == templates.kept(result)


def _by_sentence(source: str) -> list[list[str]]:
    """The tags of each sentence in no order, and those between sentences."""
    cut: list[list[str]] = [[]]
    for piece in pieces(source):
        if piece.ends_sentence:
            cut += [[piece.structure], []]
        elif piece.kind != "text":
            cut[-1].append(piece.structure)
    return [sorted(tags) for tags in cut]


def said(source: str) -> str:
    """The words of an HTML text without space."""
    return without_space("".join(unescape(piece.source) for piece in pieces(source) if piece.kind == "text"))


def segments(view: SourceLines) -> list[Segment]:
    """The texts of an HTML text; tags in a sentence are part of it."""
    found: list[Segment | None] = []
    for ends, run in groupby(pieces(view.text), key=lambda piece: piece.ends_sentence):
        sentence = list(run)
        if not ends and any(each.kind == "text" and has_letters(unescape(each.source)) for each in sentence):
            found.append(_sentence(view, sentence))
    return [segment for segment in found if segment]


def _sentence(view: SourceLines, run: list[HtmlPiece]) -> Segment | None:
    """A text with the tags within it, without the space around it."""
    filled = [number for number, piece in enumerate(run) if piece.source.strip()]
    run = run[filled[0] : filled[-1] + 1]
    start, end = run[0].start, run[-1].end
    if run[0].kind == "text":
        start += len(run[0].source) - len(run[0].source.lstrip())
    if run[-1].kind == "text":
        end -= len(run[-1].source) - len(run[-1].source.rstrip())
    place = view.part(start, end).bare()
    content = InlineContent.of(nested([piece.token() for piece in pieces(place.text)]), place.text)
    if not content.has_words:
        return None
    return _segment(place, content, "html", words=escaped)


def _segment(place: SourceLines, content: InlineContent, kind: str, *, words: Callable[[str], str]) -> Segment:
    """A segment for a text with tags in it, whose words *words* escapes."""
    before = sorted(structure(place.text)), templates.kept(place.text)

    def way(parts: Sequence[Part], widths: Sequence[int]) -> list[str]:
        return content.lines(parts, widths, words=words)

    def is_right(made: str, parts: Sequence[Part]) -> bool:
        return (sorted(structure(made)), templates.kept(made)) == before and said(made) == content.said(parts)

    return content.segment(place, kind, ways=[way], is_right=is_right)


def attribute_segments(view: SourceLines) -> list[Segment]:
    """The texts in the tags of an HTML text: alternatives for pictures, and texts in fields."""
    return [
        segment
        for piece in pieces(view.text)
        if piece.kind == "tag"
        for segment in tag_segments(view.part(piece.start, piece.end))
    ]


def tag_segments(view: SourceLines) -> list[Segment]:
    """The texts in the attributes of one tag."""

    def segment(place: SourceLines, quote: str) -> Segment:
        def written(text: str) -> str:
            return escaped(text).replace(quote, "&quot;" if quote == '"' else "&#39;")

        if templates.tags(place.text):
            place = place.bare()
            content = InlineContent.of(nested([piece.token() for piece in pieces(place.text)]), place.text)
            return _segment(place, content, "attribute", words=written)
        return place.segment("attribute", " ".join(unescape(place.text).split()), written)

    return [
        segment(view.part(found.start(2) + 1, found.end(2) - 1), found[2][0])
        for found in READ.finditer(templates.blanked(view.text))
        if has_letters(unescape(found[2]))
    ]


def pieces(source: str) -> list[HtmlPiece]:
    """The pieces of an HTML text in order: tags and texts, with each element that is not prose as one piece."""
    cut = list(_cut(source))
    done: list[HtmlPiece] = []
    at = 0
    while at < len(cut):
        piece = cut[at]
        if piece.kind == "tag" and is_verbatim(piece.seen):
            depth = 0 if (piece.name in VOID or piece.source.endswith("/>") or piece.source.startswith("</")) else 1
            while depth and at + 1 < len(cut):
                at += 1
                other = cut[at]
                if other.kind == "tag" and other.name == piece.name and not other.source.endswith("/>"):
                    depth += -1 if other.source.startswith("</") else 1
            kind = "kept inline" if piece.name in INLINE else "kept"
            piece = HtmlPiece(piece.start, cut[at].end, source[piece.start : cut[at].end], kind, "")
        done.append(piece)
        at += 1
    return done


def _cut(source: str) -> Iterator[HtmlPiece]:
    """Every tag, comment and text; scripts and the like, whose content is not HTML, as a whole."""
    seen = templates.blanked(source)
    at, last = 0, seen.rfind(">") + 1  # no tag ends further on
    while found := PIECE.search(seen, at, last):
        start, end = found.span()
        yield from _texts(source, at, start)
        if raw := RAW.match(found.group()):
            closed = re.compile(rf"</{raw[1]}\s*>", re.IGNORECASE).search(seen, end)
            end = closed.end() if closed else len(source)
        is_tag = HTML_TAG.match(found.group()) and end == found.end()
        yield HtmlPiece(start, end, source[start:end], "tag" if is_tag else "kept", seen[start:end])
        at = end
    yield from _texts(source, at, len(source))


def _texts(source: str, start: int, end: int) -> Iterator[HtmlPiece]:
    """The texts in a part of the source without HTML tags, and the template tags between them."""
    at = start
    for found in templates.TAG.finditer(source, start, end):
        if found.start() > at:
            yield HtmlPiece(at, found.start(), source[at : found.start()], "text", "")
        kind = "kept inline" if templates.is_value(found.group()) else "kept"
        yield HtmlPiece(*found.span(), found.group(), kind, "")
        at = found.end()
    if end > at:
        yield HtmlPiece(at, end, source[at:end], "text", "")
