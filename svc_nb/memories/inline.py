"""Inline tags of TMX in the cells of a table: a segment with tags stands there as XML, any other as plain text.

Which of the two a cell is, it tells by itself: it is XML if it is well formed and has at least one tag that TMX allows
there. A plain text that looks the same, or that looks like such a text with its `<` and `&` written as `&lt;` and
`&amp;`, is written so once more. So every segment has one cell, and every cell one segment.
"""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import escape, quoteattr, unescape

PIECES = frozenset({"bpt", "ept", "it", "ph", "hi", "ut"})
CODES = frozenset({"sub"})
# What may stand within an element, and the attributes it may have.
CONTENT = {
    "seg": PIECES,
    "hi": PIECES,
    "sub": PIECES,
    **dict.fromkeys(("bpt", "ept", "it", "ph", "ut"), CODES),
}
ATTRIBUTES = {
    "bpt": ("i", "x", "type"),
    "ept": ("i",),
    "it": ("pos", "x", "type"),
    "ph": ("x", "assoc", "type"),
    "hi": ("x", "type"),
    "sub": ("datatype", "type"),
    "ut": ("x",),
}
REQUIRED = {"bpt": ("i", "1"), "ept": ("i", "1"), "it": ("pos", "begin")}
POSITIONS = ("begin", "end")
SAFELY: Any = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
# As deep as a segment is in a file: what is too deep there is too deep for a cell.
IN_A_FILE = "<tmx><body><tu><tuv><seg>{}</seg></tuv></tu></body></tmx>"
# Most texts have no such thing, and need not be looked at any closer.
MAYBE_TAGGED = re.compile("<(?:bpt|ept|it|ph|hi|ut)[\\s/>]")
ESCAPED_BRACKET = re.compile("&((?:amp;)*)lt;")
AMP = "amp;"
MAYBE_ESCAPED = re.compile("&(?:amp;)*lt;(?:bpt|ept|it|ph|hi|ut)(?:\\s|/|&)")


def cell(segment: Any) -> str:
    """The text of a `seg` element as a table has it; what TMX does not allow in it is left out, its text kept."""
    if not len(segment):
        return _as_plain(segment.text or "")
    inner = _inner(segment, "seg")
    return inner if MAYBE_TAGGED.search(inner) else _as_plain(unescape(inner))


def markup(text: str) -> str:
    """What stands between `<seg>` and `</seg>` for a cell; `cell` makes the same cell of it.

    >>> markup("R&D"), markup('<ph x="1"/> R&amp;D')
    ('R&amp;D', '<ph x="1"/> R&amp;D')
    """
    tagged = _parsed(text)
    plain = unescape(text) if tagged is None and _is_escaped(text) else text
    inner = escape(plain) if tagged is None else _inner(tagged, "seg")
    return inner.replace("\r", "&#13;")


def is_tagged(text: str) -> bool:
    """Whether a cell is XML with tags, and no plain text."""
    return _parsed(text) is not None


def _as_plain(text: str) -> str:
    return escape(text) if is_tagged(text) or _is_escaped(text) else text


def _is_escaped(text: str) -> bool:
    """Whether *text* is a segment with tags, escaped once or more."""
    found = [len(match[1]) // len(AMP) for match in ESCAPED_BRACKET.finditer(text)]
    if not found or not MAYBE_ESCAPED.search(text):
        return False
    times = min(found)  # what was escaped least was a bracket of the segment itself
    inner = _unescaped(text, times)
    # Every & of the segment is so many times as long now, so a text too short for it is none.
    return inner.count("&") * times <= len(text) and _escaped(inner, times) == text and is_tagged(inner)


def _escaped(text: str, times: int) -> str:
    """*text* escaped so many *times* and once more, in one go."""
    more = AMP * times
    return text.replace("&", f"&{more}{AMP}").replace("<", f"&{more}lt;").replace(">", f"&{more}gt;")


def _unescaped(text: str, times: int) -> str:
    more = AMP * times
    return text.replace(f"&{more}lt;", "<").replace(f"&{more}gt;", ">").replace(f"&{more}{AMP}", "&")


def _parsed(text: str) -> Any:
    """The cell as an element `seg`, or None where it is plain text."""
    if not MAYBE_TAGGED.search(text):
        return None
    from lxml import etree

    written = IN_A_FILE.format(text.replace("\r", "&#13;"))
    try:
        segment, *others = etree.fromstring(written, etree.XMLParser(**SAFELY)).iter("seg")
    except (
        etree.XMLSyntaxError,
        ValueError,
    ):  # not well formed, too deep, or a character that XML cannot have
        return None
    return segment if not others and _is_sound(segment) else None


def _is_sound(element: Any) -> bool:
    """Whether everything within *element* is as TMX wants it."""
    for each in element:
        name = each.tag
        if name not in CONTENT[element.tag] or not set(each.attrib) <= set(ATTRIBUTES[name]):
            return False
        required = REQUIRED.get(name)
        if required and each.get(required[0]) is None:
            return False
        if name == "it" and each.get("pos") not in POSITIONS:
            return False
        if not _is_sound(each):
            return False
    return True


def _inner(element: Any, name: str) -> str:
    """What stands within *element*, which is taken for *name*, as XML that TMX allows."""
    parts = [escape(element.text or "")]
    for each in element:
        if not isinstance(each.tag, str):
            raise ValueError(
                "an entity that is declared elsewhere; replace it by the character it stands for"
            )
        inside = each.tag.rpartition("}")[2]
        if inside in CONTENT[name]:
            parts.append(_tag(each, inside))
        else:
            parts.append(_inner(each, name))
        parts.append(escape(each.tail or ""))
    return "".join(parts)


def _tag(element: Any, name: str) -> str:
    has = {key: element.get(key) for key in element.attrib if key in ATTRIBUTES[name]}
    if name in REQUIRED:
        key, usual = REQUIRED[name]
        has.setdefault(key, usual)
        if name == "it" and has["pos"] not in POSITIONS:
            has["pos"] = usual
    attributes = "".join(f" {key}={quoteattr(value)}" for key, value in has.items())
    inner = _inner(element, name)
    return f"<{name}{attributes}>{inner}</{name}>" if inner else f"<{name}{attributes}/>"
