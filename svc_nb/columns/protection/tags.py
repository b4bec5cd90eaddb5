"""Tags, entities, comments and declarations of HTML, XML and their kin."""

from __future__ import annotations

import re
from typing import NamedTuple

from svc_nb.columns.protection.spans import Span
from svc_nb.engine.split import closes_itself

HINTS = ("<", "&", "]]>")

# What runs to an end ends where its like begins again, at the latest: so no text is searched twice.
_TAG = re.compile(
    r"[<&\]](?:(?<=<)(?:"
    r"!--(?:(?!<!--|-->).)*+-->"  # a comment
    r"|!\[CDATA\["
    r"|![A-Za-z][^<>]*+>"  # <!DOCTYPE html>
    r"|%(?:(?!<%|%>).)*+%>"  # <%= x %>
    r"|\?\w(?:(?!<\?|\?>).)*+\?>"  # <?xml version="1.0"?>
    r"|/?\d{1,3}\s?/?>"  # <1>
    r"""|/?[A-Za-z][\w:.-]*+(?:\s(?:[^<>"']|"[^"]*+"|'[^']*+')*+)?/?>"""  # <b>, </b>, <a href="x">, <br/>
    r")|(?<=&)(?:nbsp|amp|lt|gt|quot|apos|\#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6});"
    r"|(?<=\])\]>)",
    re.DOTALL,
)
_NAME = re.compile(r"</?([\w:.-]+)")


class Mark(NamedTuple):
    """A tag that opens or closes what *name* says."""

    name: str
    opens: bool
    written: str


def tags(text: str) -> list[Span]:
    """Tags and entities, but no letters that are written as entities."""
    return [
        found.span() for found in _TAG.finditer(text) if not (found[0][1] == "#" and _is_letter(found[0]))
    ]


def marks(text: str) -> list[Mark]:
    """The tags that open or close something."""
    return [mark for tag in _TAG.findall(text) if (mark := _mark(tag))]


def _mark(tag: str) -> Mark | None:
    if tag in ("<![CDATA[", "]]>"):
        return Mark("]]>", tag != "]]>", tag)
    name = _NAME.match(tag)
    if not name or closes_itself(tag):
        return None
    return Mark(name[1].lower(), tag[1] != "/", tag)


def _is_letter(entity: str) -> bool:
    number = entity[2:-1]
    code = int(number[1:], 16) if number[0] in "xX" else int(number)
    return code <= 0x10FFFF and chr(code).isalpha()
