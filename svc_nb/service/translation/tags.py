"""Texts with tags: what is translated, what is kept, and which tags end a sentence."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .entities import Entities, decoded
from .markup import BadMarkup, Language, Token, tokens
from .protection import Kept, Role

__all__ = ["BadMarkup", "Block", "Markup", "billable", "blocks"]

_CODE = frozenset({"code", "kbd", "samp", "script", "style", "var"})
_BLOCK_NAMES = (
    "address article aside base blockquote body br button canvas caption center col colgroup dd details "
    "dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head "
    "header hgroup hr html iframe legend li link main menu meta nav noframes noscript object ol optgroup "
    "option p pre script search section select style summary table tbody td template textarea tfoot th "
    "thead title tr ul video"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_ATTRIBUTE = re.compile(r"""(?<![^\s"'/])([^\s=/>"']++)\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s"'>]++)""")
_ROLES = {"open": Role.OPEN, "close": Role.CLOSE}


@dataclass(frozen=True, slots=True)
class Markup:
    """How tags are treated; their names count exactly in XML and in any case in HTML.

    *strict* refuses XML that is not well-formed. *outline* takes XML elements for sentence borders as far down as
    their parents hold no text of their own; in HTML the block elements are. The three sets come before that. In HTML
    ``translate="no"``, ``class="notranslate"``, scripts, styles and code are ignored too.
    """

    language: Language
    strict: bool = False
    outline: bool = True
    splitting: frozenset[str] = frozenset()
    non_splitting: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.language == "html":
            for names in ("splitting", "non_splitting", "ignored"):
                object.__setattr__(self, names, frozenset(name.lower() for name in getattr(self, names)))


@dataclass(frozen=True, slots=True)
class Block:
    """Text between two sentence borders, its entities decoded, and the spans kept at its offsets, in order."""

    text: str
    marks: Sequence[tuple[int, Kept]] = ()
    encode: Callable[[str], str] | None = None


def billable(text: str, markup: Markup) -> int:
    """Return the number of code points of *text* outside tags; raises as `blocks` does."""
    return sum(
        len(token.raw)
        for token in tokens(text, markup.language, strict=markup.strict)
        if token.kind == "text"
    )


def blocks(text: str, markup: Markup) -> list[str | Block]:
    """Cut *text* into markup that stays (strings) and text to translate (blocks), in order.

    Raises BadMarkup for XML that is not well-formed, if *markup* is strict.
    """
    found = tokens(text, markup.language, strict=markup.strict)
    borders = _borders(found, markup)
    layout = _Layout(found, html=markup.language == "html" or not markup.strict)
    at = 0
    while at < len(found):
        token = found[at]
        end = _end_of_ignored(found, at, markup) + 1
        if token.kind == "text":
            layout.add_text(token.raw)
        elif borders[at]:
            layout.add_border("".join(each.raw for each in found[at:end]))
        elif end > at + 1:
            layout.add_span(Kept("".join(each.raw for each in found[at:end]), Role.WORD))
        else:
            layout.add_span(_kept(token, at))
        at = end
    return layout.finished()


def _kept(token: Token, at: int) -> Kept:
    if token.partner is None:
        return Kept(token.raw)
    return Kept(token.raw, _ROLES[token.kind], min(at, token.partner))


def _end_of_ignored(found: list[Token], at: int, markup: Markup) -> int:
    """Return the index of the last token of the ignored element that begins at *at*; else *at* itself.

    An ignored element that is never closed reaches to the end: what should stay is never translated.
    """
    token = found[at]
    if token.kind != "open" or not _is_ignored(token, markup):
        return at
    return token.partner if token.partner is not None else len(found) - 1


def _is_ignored(token: Token, markup: Markup) -> bool:
    if token.name in markup.ignored:
        return True
    return markup.language == "html" and (token.name in _CODE or _is_untranslated(token.attributes))


def _is_untranslated(attributes: str) -> bool:
    if "no" not in attributes.lower():
        return False
    values = {name.lower(): value.strip("\"'").lower() for name, value in _ATTRIBUTE.findall(attributes)}
    return values.get("translate") == "no" or "notranslate" in values.get("class", "").split()


def _borders(found: list[Token], markup: Markup) -> list[bool]:
    """Tell of each token whether it is a tag that ends a sentence."""
    if markup.language == "html":
        structure = [token.name in _BLOCKS for token in found]
    elif markup.outline:
        structure = _outline(found)
    else:
        structure = [False] * len(found)
    return [
        token.name in markup.splitting or (border and token.name not in markup.non_splitting)
        for token, border in zip(found, structure, strict=True)
    ]


def _outline(found: list[Token]) -> list[bool]:
    """Tell of each token whether it is a tag of the structure: no element around it holds text of its own."""
    parents = _parents(found)
    mixed = {parent for token, parent in zip(found, parents, strict=True) if _is_words(token)}
    structure: list[bool] = []
    for token, parent in zip(found, parents, strict=True):
        inside = parent is None or structure[parent]
        structure.append(bool(token.name) and inside and parent not in mixed)
    return structure


def _is_words(token: Token) -> bool:
    if token.kind == "text":
        return not token.raw.isspace()
    return token.raw.startswith("<![CDATA[") or (token.kind != "point" and token.partner is None)


def _parents(found: list[Token]) -> list[int | None]:
    """Return for each token the index of the tag that opens the element around it."""
    parents: list[int | None] = []
    around: list[int] = []
    for at, token in enumerate(found):
        if token.kind == "close" and token.partner is not None:
            around.pop()
        parents.append(around[-1] if around else None)
        if token.kind == "open" and token.partner is not None:
            around.append(at)
    return parents


class _Layout:
    """Collects tokens into blocks."""

    def __init__(self, found: list[Token], *, html: bool) -> None:
        self._html = html
        self._entities = Entities((token.raw for token in found if token.kind == "text"), html=html)
        self._done: list[str | Block] = []
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

    def add_border(self, raw: str) -> None:
        self._flush()
        self._done.append(raw)

    def finished(self) -> list[str | Block]:
        self._flush()
        return self._done

    def _flush(self) -> None:
        if self._text or self._marks:
            self._done.append(Block("".join(self._text), self._marks, self._entities.encode))
        self._text, self._marks, self._length = [], [], 0
