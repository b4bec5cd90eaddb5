"""Markup cut into passages: what a page or an XML document says, in its order, and all the rest as it is written."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from xml.sax.saxutils import escape

from .. import catalogue
from ..translation.tags import (
    HTML_BLOCKS,
    Entities,
    Token,
    attributes,
    decoded,
    is_marked_untranslated,
    parents,
    tokens,
    value_of,
    with_value,
)
from . import Unreadable, Wish, Words, encoding
from .passage import CDATA, CDATA_END, Encode, Part, Passage, Piece, cdata_pieces, pieces, translated
from .safe_xml import DEEPEST, check
from .templates import BORDER, Hidden, pieces_around

_ESCAPED_TAG = re.compile(r"&lt;/?[A-Za-z](?:[^<>&]|&(?!lt;|gt;)){0,300}+(?:&gt;|>)")
MOST_TAGS = 400_000
_SLOT = re.compile(r"\0(\d+)\0")
_QUOTED: dict[str, Encode] = {
    '"': partial(escape, entities={'"': "&quot;"}),
    "'": partial(escape, entities={"'": "&#39;"}),
}


@dataclass(frozen=True, slots=True)
class Rules:
    """How the tags of a document are taken; each is asked with the index of a token."""

    is_border: Callable[[int], bool]  # ends a passage
    is_kept: Callable[[int], bool]  # an element that stays as it is
    is_break: Callable[[int], bool] = lambda at: False
    is_aside: Callable[[int], bool] = lambda at: False  # interrupts a passage and is translated for itself
    is_spaced: Callable[[int], bool] = lambda at: False  # line ends are kept there
    words_in: Callable[[Token], frozenset[str]] = lambda token: frozenset()  # the attributes that hold words
    html: bool = False


def checked(text: str) -> str:
    """Return *text*; raises Unreadable if there are too many tags in it to be read in reasonable time and memory."""
    if text.count("<") > MOST_TAGS:
        raise Unreadable(f"The file holds more than {MOST_TAGS:,} tags; send it in parts.")
    return text


def text_of(found: Sequence[Token], rules: Rules, words: Words) -> str:
    """Return the tokens' text with the words in it translated, in one call of *words*; in XML those of CDATA too."""
    depth = 0
    for token in found:
        if token.partner is not None:
            depth += 1 if token.kind == "open" else -1
            if depth > DEEPEST:
                raise Unreadable(f"The file's tags are nested more than {DEEPEST} deep.")
    cutter = _Cutter(found, rules, encoder(found, html=rules.html))
    cutter.cut(0, len(found))
    parts = cutter.parts if rules.html else [each for part in cutter.parts for each in cdata_parts(part)]
    texts = translated([*parts, *cutter.hidden], words)
    within: list[str] = []

    def filled(text: str) -> str:
        return _SLOT.sub(lambda slot: within[int(slot[1])], text) if "\0" in text else text

    for text in texts[len(parts) :]:  # a slot in a hidden part is for one before it
        within.append(filled(text))
    return filled("".join(texts[: len(parts)]))


def cdata_parts(part: Part) -> tuple[Part, ...]:
    """Return a CDATA section that stands alone as its own words, with HTML in it or not."""
    raw = str(part)
    core = raw.strip()
    if not core.startswith(CDATA) or core.find(CDATA_END) != len(core) - len(CDATA_END):
        return (part,)
    before, _, rest = raw.partition(CDATA)
    inside, _, after = rest.rpartition(CDATA_END)
    passage = Passage(
        pieces(inside, tags=True), wrapped="<" in inside, encode=lambda text: text.replace(CDATA_END, "]]&gt;")
    )
    return before + CDATA, passage, CDATA_END + after


def encoder(found: Sequence[Token], *, html: bool = False) -> Encode:
    """Return what writes texts between the tags of a document, in the document's own way."""
    texts = Entities((token.raw for token in found if token.kind == "text"), html=html)
    return lambda text: texts.encode(text).replace("]]>", "]]&gt;")


@dataclass(slots=True)
class _Cutter:
    """Cuts tokens into *parts*, and those *hidden* in slots of the others."""

    found: Sequence[Token]
    rules: Rules
    encode: Encode
    parts: list[Part] = field(default_factory=list)
    hidden: list[Part] = field(default_factory=list)
    _pieces: list[Piece] = field(default_factory=list)
    _spaced: int = 0
    _level: int = 0

    def cut(self, at: int, stop: int) -> None:
        while at < stop:
            token = self.found[at]
            if token.kind == "open" and self.rules.is_kept(at):
                at = self._keep(at)
                continue
            if token.kind == "text":
                self._text(token.raw)
            elif self.rules.is_border(at):
                self._flush()
                self.parts.append(self._slotted(token))
            elif token.kind == "open" and self.rules.is_aside(at):
                at = self._aside(at)
                continue
            elif token.raw.startswith(CDATA) and not self.rules.html:
                self._pieces += cdata_pieces(token.raw, at)
            else:
                self._pieces.append(self._tag(at))
            if token.partner is not None and self.rules.is_spaced(min(at, token.partner)):
                self._spaced += 1 if token.kind == "open" else -1
            at += 1
        self._flush()

    def _text(self, raw: str) -> None:
        """Add a text; template tags that are no values in it end a passage."""
        for number, part in enumerate(BORDER.split(raw)):
            if number % 2:
                self._flush()
                self.parts.append(part)
            else:
                self._pieces += raw_pieces(part, html=self.rules.html)

    def _tag(self, at: int) -> Piece:
        token = self.found[at]
        raw = self._slotted(token)
        if token.partner is None or token.kind == "point":
            return Piece(raw, breaks=self.rules.is_break(at))
        return Piece(raw, "", "open" if token.kind == "open" else "close", min(at, token.partner))

    def _keep(self, at: int) -> int:
        """Leave an element as it is; one that is never closed ends before the next border."""
        end = self.found[at].partner
        if end is None:
            end = at
            while end + 1 < len(self.found) and not self.rules.is_border(end + 1):
                end += 1
        raw = "".join(each.raw for each in self.found[at : end + 1])
        if self.rules.is_border(at):
            self._flush()
            self.parts.append(raw)
        else:
            self._pieces.append(Piece(raw))
        return end + 1

    def _aside(self, at: int) -> int:
        """Put a slot for an element where it stands; its own passages are hidden parts."""
        end = self.found[at].partner
        if end is None or self._level > 9:
            self._pieces.append(self._tag(at))
            return at + 1
        inner = _Cutter(self.found, self.rules, self.encode, hidden=self.hidden, _level=self._level + 1)
        inner.cut(at + 1, end)
        slots = "".join(_slot(self.hidden, part) for part in inner.parts)
        self._pieces.append(Piece(self._slotted(self.found[at]) + slots + self.found[end].raw))
        return end + 1

    def _flush(self) -> None:
        if self._pieces:
            ends = Counter(piece.pair for piece in self._pieces if piece.role in ("open", "close"))
            together = (  # a tag whose partner is elsewhere stands alone
                replace(piece, role="lone", pair=0)
                if piece.role in ("open", "close") and ends[piece.pair] == 1
                else piece
                for piece in self._pieces
            )
            self.parts.append(Passage(together, wrapped=not self._spaced, encode=self.encode))
            self._pieces = []

    def _slotted(self, token: Token) -> str:
        """Return a tag with slots for the attributes that hold words."""
        names = self.rules.words_in(token) if token.kind != "close" else frozenset()
        if not names:
            return token.raw
        raw: list[str] = []
        at = 0
        for each in attributes(token.raw):
            if each.name.rpartition("\0")[2].lower() in names:  # behind a template tag, too
                quote = "'" if token.raw[each.start] == "'" else '"'
                values = raw_pieces(each.value, html=self.rules.html)
                passage = Passage(values, wrapped=True, encode=_QUOTED[quote])
                raw += (token.raw[at : each.start], quote, _slot(self.hidden, passage), quote)
                at = each.end
        return "".join((*raw, token.raw[at:]))


def _slot(hidden: list[Part], part: Part) -> str:
    hidden.append(part)
    return f"\0{len(hidden) - 1}\0"


def raw_pieces(raw: str, *, html: bool = False) -> Iterator[Piece]:
    """Yield the pieces of a text in markup: references read as characters; unknown ones and escaped tags are kept."""
    if "\0" in raw:
        yield from pieces_around(raw, partial(raw_pieces, html=html))
        return
    at = 0
    for tag in (*_ESCAPED_TAG.finditer(raw), None):
        for characters, reference in decoded(raw[at : tag.start() if tag else len(raw)], html=html):
            if not reference:
                yield from pieces(characters)
            else:
                yield Piece(reference, characters, "text") if characters else Piece(reference)
        if tag:
            yield Piece(tag[0])
            at = tag.end()


# ---- HTML pages

_BLOCKS = HTML_BLOCKS - {"br"} | {"svg"}
_KEPT_ELEMENTS = frozenset({"code", "kbd", "math", "pre", "rp", "rt", "samp", "script", "style", "svg", "tt", "var"})
_WORDED = frozenset({"alt", "title", "placeholder", "aria-label", "aria-description"})
_LABELLED = frozenset({"optgroup", "option", "track"})
_BUTTONS = frozenset({"button", "reset", "submit"})
_META = frozenset({"description", "og:title", "og:description", "twitter:title", "twitter:description"})
_CHARSET = re.compile(rb"<meta[^>]{1,500}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)


def translate_html(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate an HTML page block by block, inline tags among the words; scripts, code and what is marked so stay.

    The page may be a template: its tags stay, wherever they stand.
    """
    data = source.read_bytes()
    charset = _CHARSET.search(data[:4096])
    file = encoding.decode(data, charset[1].decode() if charset else "")
    page = Hidden(file.text)
    found = tokens(checked(page.text), "html")
    root = next((token for token in found if token.kind == "open" and token.name == "html"), None)
    if root:
        for name in ("lang", "xml:lang"):
            if "\0" not in (value_of(root.raw, name) or "\0"):
                root.raw = with_value(root.raw, name, wish.language_tag)
        if wish.right_to_left and "\0" not in root.raw:
            root.raw = with_value(root.raw, "dir", "rtl")
        elif value_of(root.raw, "dir").lower() == "rtl":
            root.raw = with_value(root.raw, "dir", "ltr")

    def is_kept(token: Token) -> bool:
        return token.name in _KEPT_ELEMENTS or is_marked_untranslated(token)

    def words_in(token: Token) -> frozenset[str]:
        """Return which attributes of a tag hold words."""
        if "=" not in token.attributes or (token.kind == "point" and is_kept(token)):
            return frozenset()
        if token.name == "meta":
            kind = value_of(token.raw, "name") or value_of(token.raw, "property")
            return frozenset({"content"}) if kind.lower() in _META else frozenset()
        if token.name in _LABELLED:
            return _WORDED | {"label"}
        if token.name == "input" and value_of(token.raw, "type").lower() in _BUTTONS:
            return _WORDED | {"value"}
        return _WORDED

    rules = Rules(
        is_border=lambda at: found[at].name in _BLOCKS,
        is_kept=lambda at: is_kept(found[at]),
        is_break=lambda at: found[at].name == "br",
        is_spaced=lambda at: found[at].name == "textarea",
        words_in=words_in,
        html=True,
    )
    target.write_bytes(file.encode_markup(page.shown(text_of(found, rules, words))))


# ---- XML of any kind: attributes, code and what is marked so stay. Where an element holds words of its own, the
# elements in it are taken for inline ones, unless one holds nothing but several elements with words in them: a list or
# a table inside a paragraph. The elements of DITA topics and maps are known.

_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{1,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']""")
_CODE = frozenset({"code", "codeblock", "pre", "programlisting", "screen", "script", "style"})

_ELEMENTS: dict[str, str] = catalogue.read("elements.json")
_DITA_KEPT, _DITA_INLINE, _DITA_BLOCKS = (
    frozenset(_ELEMENTS[name].split()) for name in ("dita_kept", "dita_inline", "dita_blocks")
)
_DITA_ASIDE = frozenset({"fn", "image", "indexterm"})
_DITA_SPACED = frozenset({"lines", "msgblock", "pre"})
_DITA_WORDED = frozenset({"alt", "navtitle"})


def translate_xml(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate an XML file."""
    file, found = read_xml(source, wish)
    outline = _outline(found)
    rules = Rules(
        is_border=outline.__getitem__,
        is_kept=lambda at: found[at].name.rpartition(":")[2] in _CODE or is_untranslated(found[at]),
        is_spaced=lambda at: _is_spaced(found[at]),
    )
    target.write_bytes(file.encode_markup(text_of(found, rules, words)))


def translate_dita(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate a DITA topic or map."""
    file, found = read_xml(source, wish)
    outline = _outline(found)

    def is_border(at: int) -> bool:
        name = found[at].name
        return name in _DITA_BLOCKS or (outline[at] and name not in _DITA_INLINE and name not in _DITA_ASIDE)

    def is_kept(at: int) -> bool:
        token = found[at]
        if token.name in _DITA_KEPT or is_untranslated(token):
            return True
        return "con" in token.attributes and any(value_of(token.raw, name) for name in ("conref", "conkeyref"))

    rules = Rules(
        is_border=is_border,
        is_kept=is_kept,
        is_aside=lambda at: found[at].name in _DITA_ASIDE,
        is_spaced=lambda at: found[at].name in _DITA_SPACED or _is_spaced(found[at]),
        words_in=lambda token: _DITA_WORDED,
    )
    target.write_bytes(file.encode_markup(text_of(found, rules, words)))


def read_xml(source: Path, wish: Wish | None = None) -> tuple[encoding.Decoded, list[Token]]:
    """Return an XML file and its tokens, its root in the language wished for; Unreadable unless it is sound."""
    data = source.read_bytes()
    declared = _DECLARED.match(data[:400])
    file = encoding.decode(data, declared[1].decode() if declared else "utf-8")
    body = checked(file.text).encode()
    head = body[: check(body, encoding="utf-8")].decode()
    found = tokens("<?x?>" + file.text[len(head) :], "xml")
    found[0].raw = head  # nothing in a document type is a tag or a text
    root = next((token for token in found if token.name), None)
    if wish and root and value_of(root.raw, "xml:lang"):
        root.raw = with_value(root.raw, "xml:lang", wish.language_tag)
    return file, found


def _is_spaced(token: Token) -> bool:
    """Tell whether white space counts in an element."""
    return "xml:space" in token.attributes and value_of(token.raw, "xml:space") == "preserve"


def is_untranslated(token: Token) -> bool:
    """Tell whether an element says of itself that it is not to be translated."""
    if "transl" not in token.attributes:
        return False
    values = {each.name.rpartition(":")[2]: each.value for each in attributes(token.raw)}
    return values.get("translate") == "no" or values.get("translatable") == "false"


def _outline(found: Sequence[Token]) -> list[bool]:
    """Tell of each token whether it is a tag of the structure, which ends a passage."""
    around = parents(found)
    mixed = {
        parent for token, parent in zip(found, around, strict=True) if token.kind == "text" and not token.raw.isspace()
    }
    worded: Counter[int] = Counter()  # how many elements with words each element holds
    for at in range(len(found) - 1, -1, -1):
        parent = around[at]
        if found[at].kind == "open" and parent is not None and (at in mixed or at in worded):
            worded[parent] += 1
    lists = {at for at, count in worded.items() if count > 1 and at not in mixed}
    borders: list[bool] = []
    for at, (token, parent) in enumerate(zip(found, around, strict=True)):
        if token.kind == "close" and token.partner is not None:
            borders.append(borders[token.partner])
        else:
            bare = parent is None or (borders[parent] and parent not in mixed)
            borders.append(bool(token.name) and (bare or at in lists))
    return borders
