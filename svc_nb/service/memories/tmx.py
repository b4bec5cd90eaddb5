"""TMX 1.4 read and written unit by unit, so that a file of a gigabyte needs little memory.

No DTD is loaded and no entity resolved; a file that declares entities is refused, and so is a unit that does not end.
"""

import functools
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import IO, Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from ..catalogue import read
from ..database import stamp

LANG = "{http://www.w3.org/XML/1998/namespace}lang"
ALL = "*all*"
DATE = "%Y%m%dT%H%M%SZ"
PIECE = 1 << 16
LARGEST_UNIT = 1 << 22
SEEN = ("{*}tmx", "{*}header", "{*}tu")
SAFELY: Any = {
    **dict.fromkeys(("resolve_entities", "load_dtd", "huge_tree"), False),
    **dict.fromkeys(("no_network", "remove_comments", "remove_pis"), True),
}
DATES = ("creationdate", "changedate", "lastusagedate")
PIECES = frozenset({"bpt", "ept", "it", "ph", "hi", "ut"})
# What may stand within an element, and the attributes it may have, the first one as a must for some.
CONTENT = {
    "seg": PIECES,
    "hi": PIECES,
    "sub": PIECES,
    **dict.fromkeys(("bpt", "ept", "it", "ph", "ut"), frozenset({"sub"})),
}
ATTRIBUTES: dict[str, str] = read("elements.json")["tmx_attributes"]
REQUIRED = {"bpt": ("i", "1"), "ept": ("i", "1"), "it": ("pos", "begin")}

_DOUBLE_SPACE = re.compile(" {2,}")

Times = tuple[str | None, str | None, str | None]


class BadTmx(ValueError):
    """The file is not a TMX file that can be read; the text says why."""


class Text(NamedTuple):
    """A text of a unit: what it says, the same with its inline tags where it has any, and its times."""

    language: str
    plain: str
    markup: str | None = None
    times: Times = (None, None, None)

    @property
    def shown(self) -> str:
        """The text with its tags, or as it is where it has none."""
        return self.plain if self.markup is None else self.markup


class Unit(NamedTuple):
    """Texts that say the same, and the language that the others were translated from, where that is said."""

    source_lang: str
    texts: list[Text]


# ---- reading


def units(stream: IO[bytes]) -> Iterator[Unit]:
    """The units of a file, in their order; BadTmx where it cannot be read."""
    from lxml import etree

    parser = etree.XMLPullParser(events=("start", "end"), tag=SEEN, **SAFELY)
    reader, waited = _Reader(), 0
    try:
        while data := stream.read(PIECE):
            parser.feed(data)
            waited += len(data)
            for unit in reader.take(parser.read_events()):
                yield unit
                waited = 0
            if waited > LARGEST_UNIT:
                raise BadTmx(f"A unit is larger than {LARGEST_UNIT} bytes.")
        parser.close()
        yield from reader.take(parser.read_events())
        if not reader.begun:
            raise BadTmx("The file is not TMX: its root is not <tmx>.")
    except etree.XMLSyntaxError as error:
        said = str(error.msg or error).partition("\n")[0][:200]
        raise BadTmx(f"The file is no well-formed XML: {said}") from None


class _Reader:
    """Makes units of the parser's events, and lets go of what was read."""

    def __init__(self) -> None:
        self.begun = False
        self._usual = ""

    def take(self, events: Iterable[tuple[str, Any]]) -> Iterator[Unit]:
        """The units that have ended."""
        for event, element in events:
            name = _local(element)
            if event == "start" and name == "header":
                self._usual = _said(element)
            elif event == "start" and name == "tmx" and element.getparent() is None:
                self.begun = True
                declared = element.getroottree().docinfo.internalDTD
                if declared is not None and any(True for _ in declared.iterentities()):
                    raise BadTmx("The file declares entities, which are not read.")
            elif event == "start":
                if not self.begun:
                    raise BadTmx("The file is not TMX: its root is not <tmx>.")
            elif name == "tu":
                yield Unit(_said(element) or self._usual, _texts(element))
                element.clear()
                parent = element.getparent()
                while parent is not None and element.getprevious() is not None:
                    del parent[0]
            elif name == "header":
                element.clear()


def _texts(unit: Any) -> list[Text]:
    times = _times(unit)
    found = []
    for variant in unit:
        segment = next((each for each in variant if _local(each) == "seg"), None)
        if _local(variant) == "tuv" and segment is not None:
            own = _times(variant)
            merged = (own[0] or times[0], own[1] or times[1], own[2] or times[2])
            language = (variant.get(LANG) or variant.get("lang") or "").strip()
            markup = _inner(segment, "seg") if len(segment) else None
            plain = _plain(segment)
            plain = plain if markup is None else _DOUBLE_SPACE.sub(" ", plain)  # where a code was
            found.append(Text(language, plain, markup, merged))
    return found


def _local(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _said(element: Any) -> str:
    said: str = (element.get("srclang") or "").strip()
    return "" if said.lower() == ALL else said


def _times(element: Any) -> Times:
    creation, change, usage = (_moment(element.get(name)) for name in DATES)
    return creation, change, usage


@functools.lru_cache(maxsize=4096)
def _moment(said: str | None) -> str | None:
    try:
        return stamp(datetime.strptime(said, DATE).replace(tzinfo=UTC)) if said else None
    except (ValueError, OverflowError):
        return None


def _plain(element: Any) -> str:
    """What a segment says, without the codes of the document it came from."""
    parts = [element.text or ""]
    for each in element:
        if not isinstance(each.tag, str):
            raise BadTmx("The file has an entity that it does not declare.")
        name = _local(each)
        if name in ("hi", "sub") or name not in PIECES:
            parts.append(_plain(each))
        parts.append(each.tail or "")
    return "".join(parts)


def _inner(element: Any, name: str) -> str:
    """What stands in an element that is taken for *name*, as XML that TMX allows there."""
    parts = [escape(element.text or "")]
    for each in element:
        inside = _local(each)
        if inside in CONTENT[name]:
            has = {key: each.get(key) for key in each.attrib if key in ATTRIBUTES[inside].split()}
            if inside in REQUIRED:
                has.setdefault(*REQUIRED[inside])
            if inside == "it" and has["pos"] not in ("begin", "end"):
                has["pos"] = "begin"
            tag = inside + "".join(f" {key}={quoteattr(value)}" for key, value in has.items())
            inner = _inner(each, inside)
            parts.append(f"<{tag}>{inner}</{inside}>" if inner else f"<{tag}/>")
        else:
            parts.append(_inner(each, name))
        parts.append(escape(each.tail or ""))
    return "".join(parts)


# ---- writing


def head(source_lang: str) -> str:
    """The beginning of a file, up to its first unit."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
        '<header creationtool="translation service" creationtoolversion="1" segtype="sentence" o-tmf="translation '
        f'memory" adminlang="en" srclang={quoteattr(source_lang)} datatype="plaintext"/>\n<body>\n'
    )


TAIL = "</body>\n</tmx>\n"


def written(unit: Unit) -> str:
    """A unit as it stands in a file."""
    variants = []
    for text in unit.texts:
        said = [(name, time[:19]) for name, time in zip(DATES, text.times, strict=True) if time]
        dates = "".join(f' {name}="{time.replace("-", "").replace(":", "")}Z"' for name, time in said)
        inner = (escape(text.plain) if text.markup is None else text.markup).replace("\r", "&#13;")
        variants.append(f"<tuv xml:lang={quoteattr(text.language)}{dates}><seg>{inner}</seg></tuv>\n")
    return f"<tu>\n{''.join(variants)}</tu>\n"
