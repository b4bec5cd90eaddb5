"""TMX read and written unit by unit, so the file may be far larger than memory.

Nothing is looked up: no DTD, no entity, no address. A file that declares entities is refused, and so is a file with a
unit larger than any real one. A segment with inline tags is XML in the cell of a table, any other is plain text. A cell
is XML if it is well-formed and has at least one tag that TMX allows there. A plain text that looks the same, or that
looks like such a text with its `<` and `&` escaped as `&lt;` and `&amp;`, is escaped once more. So every segment has
one cell, and every cell one segment.
"""

import re
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr, unescape

LANG = "{http://www.w3.org/XML/1998/namespace}lang"
ALL = "*all*"
PIECE = 1 << 16
# This much may be read before a unit, or the header, has ended.
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

# The value of each of TIMES, as TMX writes it; empty if there is none.
Times = tuple[str, ...]
NO_TIMES: Times = ("",) * len(TIMES)


class Variant(NamedTuple):
    """A text of a unit in one language, as a table has it."""

    language: str
    text: str
    times: Times = NO_TIMES


class Unit(NamedTuple):
    """Texts with the same meaning, their source language if it is given, and the line.

    `is_own` says whether the unit itself names that language; otherwise it comes from the file's header.
    """

    line: int
    source_lang: str
    variants: list[Variant]
    is_own: bool = False


# ---- reading


def units(stream: IO[bytes]) -> Iterator[Unit]:
    """The units of a TMX file in order; ValueError with advice if it is not TMX."""
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
                raise ValueError(f"after line {reader.line:,}: a unit is larger than {LARGEST_UNIT >> 20} MiB")
        root = parser.close()
        yield from reader.take(parser.read_events())
        reader.end(root)
    except etree.XMLSyntaxError as problem:
        for _ in reader.take(parser.read_events()):
            pass  # the part read before tells whether it is TMX at all
        fault = str(problem.msg or problem).partition("\n")[0][:200].rstrip(". ")
        raise ValueError(f"it is not well-formed XML: {fault}") from None


class _Reader:
    """Turns the parser's events into units and discards what was read."""

    def __init__(self) -> None:
        self.line = 1
        self._begun = False
        self._usual = ""

    def take(self, events: Iterable[tuple[str, Any]]) -> Iterator[Unit]:
        """The completed units."""
        for event, element in events:
            name = _local(element)
            if event == "start" and name == "header":
                self._usual = _said(element)
            elif event == "start" and name == "tmx" and element.getparent() is None:
                self._begun = True
                declared = element.getroottree().docinfo.internalDTD
                if declared is not None and any(True for _ in declared.iterentities()):
                    raise ValueError("it declares entities, which are not read for safety. Save it without them")
            elif event == "start":
                self.end(element.getroottree().getroot())
            elif name == "tu":
                self.line = element.sourceline or self.line
                own = _said(element)
                yield Unit(self.line, own or self._usual, _variants(element, self.line), bool(own))
                # Empty the unit, and remove everything before it.
                element.clear()
                parent = element.getparent()
                while parent is not None and element.getprevious() is not None:
                    del parent[0]
            elif name == "header":
                element.clear()

    def end(self, root: Any) -> None:
        """Raise ValueError if the file is not TMX."""
        if not self._begun:
            raise ValueError(f"expected TMX (<tmx>), found <{_local(root)[:40]}>")


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
            language = (each.get(LANG) or each.get("lang") or "").strip()
            found.append(Variant(language, cell(segment), own))
        except ValueError as problem:
            raise ValueError(f"line {line:,}: {problem}") from None
    return found


def _local(element: Any) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _said(element: Any) -> str:
    said: str = (element.get("srclang") or "").strip()
    return "" if said.lower() == ALL else said


def _times(element: Any) -> Times:
    return tuple(element.get(name) or "" for name in TIMES.values())


# ---- writing


def written(given: Iterable[Unit], source_lang: str = ALL) -> Iterator[str]:
    """A TMX file of units, piece by piece; their first variant is the source, in *source_lang* unless that is "all"."""
    yield HEAD.format(quoteattr(source_lang))
    for unit in given:
        own = f" srclang={quoteattr(unit.source_lang)}" if source_lang == ALL else ""
        yield f"<tu{own}>\n"
        for language, text, times in unit.variants:
            said = zip(TIMES.values(), times, strict=True)
            when = "".join(f" {name}={quoteattr(time)}" for name, time in said if time)
            yield f"<tuv xml:lang={quoteattr(language)}{when}><seg>{markup(text)}</seg></tuv>\n"
        yield "</tu>\n"
    yield TAIL


# ---- inline tags

PIECES = frozenset({"bpt", "ept", "it", "ph", "hi", "ut"})
CODES = frozenset({"sub"})
# The allowed children and attributes of each element.
CONTENT = {"seg": PIECES, "hi": PIECES, "sub": PIECES, **dict.fromkeys(("bpt", "ept", "it", "ph", "ut"), CODES)}
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
# As deep as a segment is in a file: too deep there is too deep for a cell.
IN_A_FILE = "<tmx><body><tu><tuv><seg>{}</seg></tuv></tu></body></tmx>"
# Most texts have none of these, and need no closer look.
MAYBE_TAGGED = re.compile("<(?:bpt|ept|it|ph|hi|ut)[\\s/>]")
ESCAPED_BRACKET = re.compile("&((?:amp;)*)lt;")
AMP = "amp;"
MAYBE_ESCAPED = re.compile("&(?:amp;)*lt;(?:bpt|ept|it|ph|hi|ut)(?:\\s|/|&)")


def cell(segment: Any) -> str:
    """The text of a `seg` element as in a table; elements that TMX does not allow are dropped, their text is kept."""
    if not len(segment):
        return _as_plain(segment.text or "")
    inner = _inner(segment, "seg")
    return inner if MAYBE_TAGGED.search(inner) else _as_plain(unescape(inner))


def markup(text: str) -> str:
    """The content between `<seg>` and `</seg>` for a cell; `cell` turns it into the same cell.

    >>> markup("R&D"), markup('<ph x="1"/> R&amp;D')
    ('R&amp;D', '<ph x="1"/> R&amp;D')
    """
    tagged = _parsed(text)
    plain = unescape(text) if tagged is None and _is_escaped(text) else text
    inner = escape(plain) if tagged is None else _inner(tagged, "seg")
    return inner.replace("\r", "&#13;")


def is_tagged(text: str) -> bool:
    """Whether a cell is XML with tags, not plain text."""
    return _parsed(text) is not None


def _as_plain(text: str) -> str:
    return escape(text) if is_tagged(text) or _is_escaped(text) else text


def _is_escaped(text: str) -> bool:
    """Whether *text* is a segment with tags, escaped once or more."""
    found = [len(match[1]) // len(AMP) for match in ESCAPED_BRACKET.finditer(text)]
    if not found or not MAYBE_ESCAPED.search(text):
        return False
    times = min(found)  # the least escaped one was a bracket of the segment itself
    amp, less, greater = f"&{AMP * times}{AMP}", f"&{AMP * times}lt;", f"&{AMP * times}gt;"
    inner = text.replace(less, "<").replace(greater, ">").replace(amp, "&")
    # Every & of the segment is now that many times as long, so a shorter text cannot be one.
    if inner.count("&") * times > len(text):
        return False
    again = inner.replace("&", amp).replace("<", less).replace(">", greater)
    return again == text and is_tagged(inner)


def _parsed(text: str) -> Any:
    """The cell as an element `seg`, or None if it is plain text."""
    if not MAYBE_TAGGED.search(text):
        return None
    from lxml import etree

    written = IN_A_FILE.format(text.replace("\r", "&#13;"))
    try:
        segment, *others = etree.fromstring(written, etree.XMLParser(**SAFELY)).iter("seg")
    except (etree.XMLSyntaxError, ValueError):  # not well-formed, too deep, or with characters that XML cannot hold
        return None
    return segment if not others and _is_sound(segment) else None


def _is_sound(element: Any) -> bool:
    """Whether everything within *element* is valid TMX."""
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
    """The content of *element*, treated as *name*, as XML that TMX allows."""
    parts = [escape(element.text or "")]
    for each in element:
        if not isinstance(each.tag, str):
            raise ValueError("an entity that is declared elsewhere. Replace it with the character that it stands for")
        inside = each.tag.rpartition("}")[2]
        if inside not in CONTENT[name]:
            parts.append(_inner(each, name))
        else:
            has = {key: each.get(key) for key in each.attrib if key in ATTRIBUTES[inside]}
            if inside in REQUIRED:
                key, usual = REQUIRED[inside]
                has.setdefault(key, usual)
                if inside == "it" and has["pos"] not in POSITIONS:
                    has["pos"] = usual
            tag = "".join([inside, *(f" {key}={quoteattr(value)}" for key, value in has.items())])
            inner = _inner(each, inside)
            parts.append(f"<{tag}>{inner}</{inside}>" if inner else f"<{tag}/>")
        parts.append(escape(each.tail or ""))
    return "".join(parts)
