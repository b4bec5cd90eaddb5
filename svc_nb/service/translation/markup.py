"""XML and HTML cut into tags and texts, each tag with its partner.

Nothing is built as a tree and nothing is expanded: one pass cuts, a second one pairs tags with a stack. So depth costs
nothing, the entities of a document type stay as they are written, and the tokens joined are the text itself.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from xml.parsers import expat

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
_VOID_NAMES = "area base br col embed hr img input link meta param source track wbr"
_VOID = frozenset(_VOID_NAMES.split())
_RAW_END = {name: re.compile(rf"(?=</{name}[\s/>])|\Z", re.IGNORECASE) for name in ("script", "style")}
_PROLOG = re.compile(r"<\?xml\s|<!DOCTYPE", re.IGNORECASE)


class BadMarkup(ValueError):
    """The text is not well-formed XML; the message says why and where, without quoting it."""


@dataclass(slots=True)
class Token:
    """A run of text or one piece of markup: a tag, or (kind ``point``) what stands alone and has no inside.

    *name* is empty for what is no tag, lower-case in HTML; *partner* is the index of the matching tag, if there is one.
    """

    kind: Kind
    raw: str
    name: str = ""
    attributes: str = ""
    partner: int | None = None


def tokens(text: str, language: Language, *, strict: bool = False) -> list[Token]:
    """Return the tokens of *text*; *strict* raises BadMarkup for XML that is not well-formed."""
    found = list(_scanned(text, language == "html"))
    _pair(found)
    if strict and language == "xml":
        _check(found)
    return found


def _scanned(text: str, html: bool) -> Iterator[Token]:
    at = 0
    while tag := _TAG.search(text, at):
        if tag.start() > at:
            yield Token("text", text[at : tag.start()])
        token = _tag(tag, html)
        yield token
        at = tag.end()
        if html and token.kind == "open" and token.name in _RAW_END:
            end = _RAW_END[token.name].search(text, at)
            stop = end.start() if end else len(text)
            yield Token("point", text[at:stop])
            at = stop
    if at < len(text):
        yield Token("text", text[at:])


def _tag(tag: re.Match[str], html: bool) -> Token:
    name, attributes = tag["name"], tag["attributes"]
    if not name:
        return Token("point", tag[0])
    name = name.lower() if html else name
    kind: Kind = "open"
    if tag["slash"]:
        kind = "close"
    elif name in _VOID if html else attributes.endswith("/"):
        kind = "point"
    return Token(kind, tag[0], name, attributes)


def _pair(found: list[Token]) -> None:
    """Tell every tag its partner; a closing tag takes the nearest open one of its name and leaves out those between."""
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


def _check(found: list[Token]) -> None:
    """Raise BadMarkup unless the tokens would be well-formed inside an element.

    What a document type defines is not known here: with one, any entity may be named.
    """
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
        raise BadMarkup("The text is not well-formed XML: it holds half of a surrogate pair.") from None
