"""Texts with tags: cut into tags and texts, what is translated, what is kept, and which tags end a sentence.

Nothing is built as a tree and nothing is expanded: one pass cuts XML or HTML into tokens, a second one pairs tags with
a stack. So depth costs nothing, the entities of a document type stay as they are written, and the tokens joined are
the text itself.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html.entities import html5
from typing import Literal
from xml.parsers import expat

from ..catalogue import read
from .protection import Kept, Role

Language = Literal["xml", "html"]
Kind = Literal["text", "open", "close", "point"]

_QUOTED = r"""(?:[^<>"']++|"[^"]*+"|'[^']*+')*+"""
_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<!\[CDATA\[.*?(?:\]\]>|\Z)"
    r"|<\?.*?(?:\?>|\Z)"
    r"|<![A-Za-z][^\[<>]*+(?:\[.*?(?:\]\s*>|\Z)|>)"
    rf"|<(?P<slash>/?)(?P<name>[^\W\d][\w:.-]*+)(?=[\s/>])(?P<attributes>{_QUOTED}(?=>)|[^<>]*+)>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""(?<=[\s"'/])([^\s=/>"']++)(\s*+=\s*+)("[^"]*+"|'[^']*+'|[^\s"'>]++)""")
_ELEMENTS: dict[str, str] = read("elements.json")
_VOID = frozenset(_ELEMENTS["html_void"].split())
_RAW_END = {name: re.compile(rf"(?=</{name}[\s/>])|\Z", re.IGNORECASE) for name in ("script", "style")}
_PROLOG = re.compile(r"<\?xml\s|<!DOCTYPE", re.IGNORECASE)
_REFERENCE = re.compile(r"&(?:#(?P<decimal>[0-9]{1,8})|#[xX](?P<hex>[0-9a-fA-F]{1,6})|(?P<name>\w{1,40}));")
# Private-use characters stand for spans, so a reference to one is kept as it is, like one to no character at all.
_READABLE = ((0x9, 0xA), (0x20, 0x7E), (0xA0, 0xD7FF), (0xF900, 0xFFFD), (0x10000, 0x10FFFF))
_XML = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_CODE = frozenset({"code", "kbd", "samp", "script", "style", "var"})
HTML_BLOCKS = frozenset(_ELEMENTS["html_blocks"].split())  # the elements of HTML that end a sentence


class BadMarkup(ValueError):
    """The text is not well-formed XML; the message says why and where, without quoting it."""


@dataclass(slots=True)
class Token:
    """Text, a tag, or (kind ``point``) what stands alone; *name* is empty for no tag, *partner* the matching index."""

    kind: Kind
    raw: str
    name: str = ""
    attributes: str = ""
    partner: int | None = None


def tokens(text: str, language: Language, *, strict: bool = False) -> list[Token]:
    """Return the tokens of *text*; *strict* raises BadMarkup for XML that is not well-formed."""
    found = list(_scanned(text, language == "html"))
    # A closing tag takes the nearest open one of its name and leaves out those between.
    opened: list[int] = []
    depth: Counter[str] = Counter()
    for at, token in enumerate(found):
        if token.kind == "open":
            opened.append(at)
            depth[token.name] += 1
        elif token.kind == "close" and depth[token.name]:
            while token.partner is None:
                last = opened.pop()
                depth[found[last].name] -= 1
                if found[last].name == token.name:
                    token.partner, found[last].partner = last, at
    if not strict or language != "xml":
        return found
    # They must be well-formed inside an element. What a document type defines is not known here: with one, any entity
    # may be named.
    if any(token.partner is None for token in found if token.kind in ("open", "close")):
        raise BadMarkup("The text is not well-formed XML: a tag has no partner.")
    prolog = [bool(_PROLOG.match(token.raw)) and token.kind == "point" for token in found]
    body = "".join(token.raw for token, skipped in zip(found, prolog, strict=True) if not skipped)
    parser = expat.ParserCreate()
    parser.UseForeignDTD(any(prolog))
    try:
        parser.Parse(f"<x>{body}</x>".encode(), True)
    except expat.ExpatError as error:
        raise BadMarkup(f"The text is not well-formed XML: {expat.ErrorString(error.code)}.") from None
    except UnicodeEncodeError:
        raise BadMarkup("The text is not well-formed XML: it contains half of a surrogate pair.") from None
    return found


def _scanned(text: str, html: bool) -> Iterator[Token]:
    at = 0
    while tag := _TAG.search(text, at):
        if tag.start() > at:
            yield Token("text", text[at : tag.start()])
        at = tag.end()
        if not tag["name"]:
            yield Token("point", tag[0])
            continue
        name = tag["name"].lower() if html else tag["name"]
        alone = name in _VOID if html else tag["attributes"].endswith("/")
        kind: Kind = "close" if tag["slash"] else "point" if alone else "open"
        yield Token(kind, tag[0], name, tag["attributes"])
        if html and kind == "open" and name in _RAW_END:
            end = _RAW_END[name].search(text, at)
            stop = end.start() if end else len(text)
            yield Token("point", text[at:stop])
            at = stop
    if at < len(text):
        yield Token("text", text[at:])


def parents(found: Sequence[Token]) -> list[int | None]:
    """Return for each token the index of the tag that opens the element around it."""
    indexes: list[int | None] = []
    around: list[int] = []
    for at, token in enumerate(found):
        if token.kind == "close" and token.partner is not None:
            around.pop()
        indexes.append(around[-1] if around else None)
        if token.kind == "open" and token.partner is not None:
            around.append(at)
    return indexes


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute: its name as written, its value without quotes, and the span of the quoted value in the tag."""

    name: str
    value: str
    start: int
    end: int


def attributes(tag: str) -> Iterator[Attribute]:
    """Yield the attributes of *tag* that have a value, in order."""
    for found in _ATTRIBUTE.finditer(tag):
        raw = found[3]
        yield Attribute(found[1], raw[1:-1] if raw[0] in "\"'" else raw, found.start(3), found.end(3))


def value_of(tag: str, name: str) -> str:
    """Return the value of the attribute *name*, in any case, or nothing."""
    return next((each.value for each in attributes(tag) if each.name.lower() == name.lower()), "")


def with_value(tag: str, name: str, value: str) -> str:
    """Return *tag* with the attribute *name* set to *value*, at its place or at the end."""
    for each in attributes(tag):
        if each.name.lower() == name.lower():
            return f'{tag[: each.start]}"{value}"{tag[each.end :]}'
    body = tag[:-1].rstrip("/ ")
    return f'{body} {name}="{value}"{tag[len(body) :].lstrip()}'


def is_marked_untranslated(token: Token) -> bool:
    """Tell whether an element of HTML says of itself that it is not to be translated."""
    if "no" not in token.attributes.lower():
        return False
    values = {each.name.lower(): each.value.lower() for each in attributes(token.raw)}
    return values.get("translate") == "no" or "notranslate" in values.get("class", "").split()


def decoded(text: str, *, html: bool = True) -> Iterator[tuple[str, str]]:
    """Yield (characters, reference) parts of *text*: plain text has no reference, an unknown reference no characters.

    >>> list(decoded("R&amp;D &x;"))
    [('R', ''), ('&', '&amp;'), ('D ', ''), ('', '&x;')]
    """
    at = 0
    for reference in _REFERENCE.finditer(text):
        if reference.start() > at:
            yield text[at : reference.start()], ""
        if name := reference["name"]:
            characters = _XML.get(name) or (html5.get(f"{name};", "") if html else "")
        else:
            number = int(reference["decimal"] or reference["hex"], 10 if reference["decimal"] else 16)
            characters = chr(number) if any(first <= number <= last for first, last in _READABLE) else ""
        yield characters, reference[0]
        at = reference.end()
    if at < len(text):
        yield text[at:], ""


class Entities:
    """How the texts of one document write what cannot, or need not, be written as itself."""

    __slots__ = ("_table",)

    def __init__(self, texts: Iterable[str], *, html: bool = True) -> None:
        plain: set[str] = set()
        references: dict[str, str] = {}
        for text in texts:
            for characters, reference in decoded(text, html=html):
                if not reference:
                    plain.update(characters)
                elif len(characters) == 1:
                    references.setdefault(characters, reference)
        table = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
        for character, reference in references.items():
            always = character not in plain and not (character.isascii() and character.isalnum())
            if character in "&<" or always:
                table[character] = reference
        if ">" in plain:
            del table[">"]
        self._table = str.maketrans(table)

    def encode(self, text: str) -> str:
        """Return *text* safe to stand between tags."""
        return text.translate(self._table)


@dataclass(frozen=True, slots=True)
class Markup:
    """How tags are treated; their names count exactly in XML and in any case in HTML."""

    language: Language
    strict: bool = False  # refuses XML that is not well-formed
    outline: bool = True  # XML elements end sentences as far down as their parents hold no text of their own
    splitting: frozenset[str] = frozenset()
    non_splitting: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()  # besides code, scripts and what says translate="no" in HTML

    def __post_init__(self) -> None:
        if self.language == "html":
            for names in ("splitting", "non_splitting", "ignored"):
                object.__setattr__(self, names, frozenset(name.lower() for name in getattr(self, names)))


@dataclass(frozen=True, slots=True)
class Block:
    """Text between two sentence borders, its entities decoded, and the spans kept at its offsets, in order."""

    text: str
    marks: Sequence[tuple[int, Kept]] = ()
    encode: Callable[[str], str] = str


def billable(text: str, markup: Markup) -> int:
    """Return the number of code points of *text* outside tags; raises as `blocks` does."""
    return sum(len(token.raw) for token in tokens(text, markup.language, strict=markup.strict) if token.kind == "text")


def blocks(text: str, markup: Markup) -> list[str | Block]:
    """Cut *text* into markup that stays (strings) and text to translate (blocks), in order; may raise BadMarkup."""
    found = tokens(text, markup.language, strict=markup.strict)
    borders = _borders(found, markup)
    layout = _Layout(found, html=markup.language == "html" or not markup.strict)
    at = 0
    while at < len(found):
        token, end = found[at], at + 1
        code = markup.language == "html" and (token.name in _CODE or is_marked_untranslated(token))
        if token.kind == "open" and (token.name in markup.ignored or code):
            # One that is never closed reaches to the end: what should stay is never translated.
            end = len(found) if token.partner is None else token.partner + 1
        raw = "".join(each.raw for each in found[at:end])
        if token.kind == "text":
            layout.add_text(raw)
        elif borders[at]:
            layout.flush()
            layout.done.append(raw)
        elif end > at + 1:
            layout.add_span(Kept(raw, Role.WORD))
        elif token.partner is None:
            layout.add_span(Kept(raw))
        else:
            role = Role.OPEN if token.kind == "open" else Role.CLOSE
            layout.add_span(Kept(raw, role, min(at, token.partner)))
        at = end
    layout.flush()
    return layout.done


def _borders(found: Sequence[Token], markup: Markup) -> list[bool]:
    """Tell of each token whether it is a tag that ends a sentence."""
    structure: list[bool] = []
    if markup.language == "html":
        structure = [token.name in HTML_BLOCKS for token in found]
    elif markup.outline:  # no element around it holds text of its own
        around = parents(found)
        mixed = set()
        for token, parent in zip(found, around, strict=True):
            unpaired = token.kind in ("open", "close") and token.partner is None
            worded = token.kind == "text" and not token.raw.isspace()
            if worded or unpaired or token.raw.startswith("<![CDATA["):
                mixed.add(parent)
        for token, parent in zip(found, around, strict=True):
            inside = parent is None or structure[parent]
            structure.append(bool(token.name) and inside and parent not in mixed)
    else:
        structure = [False] * len(found)
    return [
        token.name in markup.splitting or (border and token.name not in markup.non_splitting)
        for token, border in zip(found, structure, strict=True)
    ]


class _Layout:
    """Collects tokens into blocks."""

    def __init__(self, found: Sequence[Token], *, html: bool) -> None:
        self._html = html
        self._entities = Entities((token.raw for token in found if token.kind == "text"), html=html)
        self.done: list[str | Block] = []
        self._text: list[str] = []
        self._marks: list[tuple[int, Kept]] = []
        self._length = 0

    def add_text(self, raw: str) -> None:
        for characters, reference in decoded(raw, html=self._html):
            if characters:
                self._text.append(characters)
                self._length += len(characters)
            else:
                self.add_span(Kept(reference))

    def add_span(self, kept: Kept) -> None:
        self._marks.append((self._length, kept))

    def flush(self) -> None:
        if self._text or self._marks:
            self.done.append(Block("".join(self._text), self._marks, self._entities.encode))
        self._text, self._marks, self._length = [], [], 0
