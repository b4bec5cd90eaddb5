"""TMX read unit by unit and written so: the file may be far larger than memory.

Nothing is looked up: no DTD, no entity, no address. A file that declares entities is refused, and so is one with a
unit larger than any real one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple
from xml.sax.saxutils import quoteattr

from svc_nb.memories.inline import SAFELY, cell, markup

LANG = "{http://www.w3.org/XML/1998/namespace}lang"
ALL = "*all*"
PIECE = 1 << 16
# So much may be read before a unit, or the header, has ended.
LARGEST_UNIT = 1 << 22
SEEN = ("{*}tmx", "{*}header", "{*}tu", "{*}html")
# The columns of a table, and the attributes of TMX that they are read from.
TIMES = {"creation_time": "creationdate", "updated_time": "changedate", "last_used_time": "lastusagedate"}
ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
    '<header creationtool="svc_nb" creationtoolversion="1" segtype="sentence" o-tmf="svc_nb" adminlang="en" '
    'srclang={} datatype="plaintext"/>\n<body>\n'
)
TAIL = "</body>\n</tmx>\n"

# For each of TIMES what is said of it, as TMX writes it; nothing where it says none.
Times = tuple[str, ...]
NO_TIMES: Times = ("",) * len(TIMES)


class Variant(NamedTuple):
    """A text of a unit in one language, as a table has it."""

    language: str
    text: str
    times: Times = NO_TIMES


class Unit(NamedTuple):
    """Texts that say the same, the language that they were translated from if that is said, and the line."""

    line: int
    source_lang: str
    variants: list[Variant]


# ---- reading


def units(stream: IO[bytes]) -> Iterator[Unit]:
    """The units of a TMX file in their order; ValueError where it is none, with what to do."""
    from lxml import etree

    parser = etree.XMLPullParser(events=("start", "end"), tag=SEEN, **SAFELY)
    reader = _Reader()
    waited = 0
    try:
        while data := stream.read(PIECE):
            parser.feed(data)
            waited += len(data)
            for unit in reader.take(parser.read_events()):
                yield unit
                waited = 0
            if waited > LARGEST_UNIT:
                raise ValueError(
                    f"after line {reader.line:,}: a unit is larger than {LARGEST_UNIT >> 20} MiB"
                )
        root = parser.close()
        yield from reader.take(parser.read_events())
        reader.end(root)
    except etree.XMLSyntaxError as problem:
        for _ in reader.take(parser.read_events()):
            pass  # what was read before tells whether it is TMX at all
        raise ValueError(f"it is no well-formed XML: {_fault(problem)}") from None


def _fault(problem: Exception) -> str:
    said = str(getattr(problem, "msg", None) or problem)
    return said.partition("\n")[0][:200].rstrip(". ")


class _Reader:
    """Makes units of the parser's events and throws away what was read."""

    def __init__(self) -> None:
        self.line = 1
        self._begun = False
        self._usual = ""

    def take(self, events: Iterable[tuple[str, Any]]) -> Iterator[Unit]:
        """The units that have ended."""
        for event, element in events:
            name = _local(element)
            if event == "start":
                self._begin(element, name)
            elif name == "tu":
                self.line = element.sourceline or self.line
                yield Unit(self.line, _said(element) or self._usual, _variants(element, self.line))
                _discard(element)
            elif name == "header":
                element.clear()

    def _begin(self, element: Any, name: str) -> None:
        if name == "header":
            self._usual = _said(element)
        elif name == "tmx" and element.getparent() is None:
            self._begun = True
            declared = element.getroottree().docinfo.internalDTD
            if declared is not None and any(True for _ in declared.iterentities()):
                raise ValueError("it declares entities, which are not read for safety; save it without them")
        elif not self._begun:
            self.end(element.getroottree().getroot())

    def end(self, root: Any) -> None:
        """Raise ValueError where the whole was no TMX."""
        if not self._begun:
            raise ValueError(f"expected TMX (<tmx>), found <{_local(root)[:40]}>")


def _discard(element: Any) -> None:
    """Empty *element*, and take away what stands before it."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _variants(unit: Any, line: int) -> list[Variant]:
    times = _times(unit)
    found = []
    for each in unit:
        if _local(each) != "tuv":
            continue
        segment = next((part for part in each if _local(part) == "seg"), None)
        if segment is None:
            continue
        own = tuple(mine or its for mine, its in zip(_times(each), times, strict=True))
        try:
            found.append(Variant(_language(each), cell(segment), own))
        except ValueError as problem:
            raise ValueError(f"line {line:,}: {problem}") from None
    return found


def _local(element: Any) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _said(element: Any) -> str:
    said: str = (element.get("srclang") or "").strip()
    return "" if said.lower() == ALL else said


def _language(element: Any) -> str:
    said: str = element.get(LANG) or element.get("lang") or ""
    return said.strip()


def _times(element: Any) -> Times:
    return tuple(element.get(name) or "" for name in TIMES.values())


# ---- writing


def written(given: Iterable[Unit], source_lang: str = ALL) -> Iterator[str]:
    """A TMX file of units, piece by piece; their first variant is the source, in *source_lang* unless that is all."""
    yield HEAD.format(quoteattr(source_lang))
    for unit in given:
        own = f" srclang={quoteattr(unit.source_lang)}" if source_lang == ALL else ""
        yield f"<tu{own}>\n" + "".join(map(_variant, unit.variants)) + "</tu>\n"
    yield TAIL


def _variant(variant: Variant) -> str:
    said = zip(TIMES.values(), variant.times, strict=True)
    times = "".join(f" {name}={quoteattr(time)}" for name, time in said if time)
    return f"<tuv xml:lang={quoteattr(variant.language)}{times}><seg>{markup(variant.text)}</seg></tuv>\n"
