"""XML from strangers: no entity is expanded, nothing is fetched, and depth, size and number of elements are bounded.

1. The prologue is read up to the first element; a document type is looked at and never followed.
2. The rest is read once, without the document type, and counted: what is too deep, too large or not well-formed ends
   here, before a tree is built and before any recursion.
3. Only what passed is handed to lxml (`parse`), or edited as text (`check`).
"""

from contextlib import suppress
from typing import Any
from xml.parsers import expat

from lxml import etree

from . import Unreadable

DEEPEST = 500
LARGEST = 128_000_000
MOST_ELEMENTS = 3_000_000


class _Body(Exception):
    """The prologue is over."""


def parse(data: bytes, *, deepest: int = DEEPEST, largest: int = LARGEST) -> etree._Element:
    """Return the root element of *data*; Unreadable for XML out of bounds, not well-formed, or with a document type."""
    if check(data, deepest=deepest, largest=largest):
        raise Unreadable("The file holds XML with a document type, which is not allowed there.")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, strip_cdata=False, huge_tree=True)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise Unreadable(f"The file holds XML that is not well-formed (line {error.lineno}).") from None


def serialised(root: etree._Element) -> bytes:
    """Return the document of *root* as bytes, with the XML declaration and in the encoding it came in."""
    tree = root.getroottree()
    encoding = tree.docinfo.encoding or "UTF-8"
    standalone: Any = tree.docinfo.standalone  # None leaves it out, which the stubs do not know
    data: Any = etree.tostring(tree, encoding=encoding, xml_declaration=True, standalone=standalone)
    return bytes(data)


def check(data: bytes, *, encoding: str | None = None, deepest: int = DEEPEST, largest: int = LARGEST) -> int:
    """Raise Unreadable unless *data* is well-formed and within bounds; return where its document type ends, or 0."""
    if len(data) > largest:
        raise Unreadable(f"The file holds XML of more than {largest // 1_000_000} MB.")
    start, end = _document_type(data, encoding)
    parser = expat.ParserCreate(encoding)
    parser.UseForeignDTD(bool(end))  # with a document type any entity may be named; none is known here
    depth = elements = 0

    def opened(name: str, attributes: object) -> None:
        nonlocal depth, elements
        depth += 1
        elements += 1
        if depth > deepest:
            raise Unreadable(f"The file's tags are nested more than {deepest} deep.")
        if elements > MOST_ELEMENTS:
            raise Unreadable(f"The file holds more than {MOST_ELEMENTS:,} XML elements.")

    def closed(name: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartElementHandler, parser.EndElementHandler = opened, closed
    _read(parser, data[:start] + data[end:] if end else data)
    return end


def _document_type(data: bytes, encoding: str | None) -> tuple[int, int]:
    """Return where the document type stands (its end is 0 if there is none); parameter entities are refused."""
    # How ASCII stands in the file, which may be UTF-16.
    codec = "ascii"
    if data[:2] == b"\xff\xfe" or data[:4] == b"<\0?\0":
        codec = "utf-16-le"
    elif data[:2] == b"\xfe\xff" or data[:4] == b"\0<\0?":
        codec = "utf-16-be"
    parser = expat.ParserCreate(encoding)
    start = end = 0

    def begin(*_: object) -> None:
        nonlocal start
        start = data.rfind("<!DOCTYPE".encode(codec), 0, parser.CurrentByteIndex + 1)

    def finish() -> None:
        nonlocal end
        end = parser.CurrentByteIndex + len(">".encode(codec))
        raise _Body

    def declare(_: str, parameter: int, value: str | None, *rest: object) -> None:
        if parameter and value is not None:
            raise Unreadable("The file's document type declares parameter entities, which are not read here.")

    def stop(*_: object) -> None:
        raise _Body

    parser.StartDoctypeDeclHandler, parser.EndDoctypeDeclHandler = begin, finish
    parser.EntityDeclHandler, parser.StartElementHandler = declare, stop
    with suppress(_Body):
        _read(parser, data)
    return start, end


def _read(parser: expat.XMLParserType, data: bytes) -> None:
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code) or "unknown error"
        raise Unreadable(f"The file is not well-formed XML: {reason} (line {error.lineno}).") from None
    except Unreadable:
        raise
    except (ValueError, LookupError):
        raise Unreadable("The file is XML in an encoding that is not read here; save it as UTF-8.") from None
