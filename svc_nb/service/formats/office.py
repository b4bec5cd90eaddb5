"""What packages of XML parts have in common: all texts are taken out, then each part is written again in its turn.

DrawingML is here as well, which all office documents hold: slides, text boxes, diagrams, titles of charts.

A part is read twice, once to take its texts out and once to put their translations in, so that only one part at a time
is in memory as a tree.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from lxml import etree

from ..catalogue import read
from . import MOST_CHARACTERS, Unreadable, Words
from .passage import is_code
from .safe_xml import parse, serialised
from .tagged_text import Lone, Node, Piece, Run, Style, TaggedText, base, flat, joined, untagged
from .zip_package import MAX_PART, Maker, Package

TYPES = "[Content_Types].xml"
SPACE = "{http://www.w3.org/XML/1998/namespace}space"

MOST_TEXT = 20_000_000
_NEAR = 1_000  # paragraphs within which a copy is looked for; all of them would fill the memory
_SHORT: dict[str, str] = read("namespaces.json")  # the usual prefix of each

DRAWINGS = (
    "application/vnd.openxmlformats-officedocument.drawingml.chart+xml",
    "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml",
    "application/vnd.ms-office.drawingml.diagramDrawing+xml",
)
"""The kinds of parts that any office document may have and that hold nothing but drawings."""

PROPERTIES = "application/vnd.openxmlformats-package.core-properties+xml"

_INVISIBLE = frozenset({"lang", "altLang", "dirty", "err", "smtClean", "noProof", "bmk", "kumimoji"})
_OF_THE_SOURCE = frozenset({"lang", "altLang", "dirty", "err"})
_DESCRIBING = ("descr", "title", "alt")  # the last one in documents of older programs
_CACHES = frozenset({"c:strCache", "c:strLit", "c:multiLvlStrCache"})
_RAISED = frozenset({"w:vertAlign", "s:vertAlign"})
_PROPERTIES = frozenset({"a:pPr", "a:endParaRPr"})
_SWAPPED = {"l": "r", "r": "l"}
_CENTRED = frozenset({"title", "ctrTitle", "subTitle"})


@dataclass(eq=False, slots=True)
class Unit:
    """A paragraph or string of a part, and what writes it; *copies* are the same text again, for older programs."""

    line: TaggedText
    write: Callable[[list[Node]], None]
    copies: "list[Unit]" = field(default_factory=list)


Reader = Callable[["etree._Element"], Iterator[Unit]]


def unit(pieces: Iterable[Piece], write: Callable[[Style | None, list[Node]], None]) -> Unit:
    """Return the unit of *pieces*; *write* gets the style that most of the text has, and the translated nodes."""
    match found := list(pieces):
        case [Run(text, style)] if not style.raised:  # as in most cells: there is nothing to join
            return Unit(TaggedText([text]), partial(write, style))
    most = base(found)
    return Unit(TaggedText(joined(found, most)), partial(write, most))


def kinds(package: Package, main: Collection[str], what: str) -> dict[str, str]:
    """Return the content type of each part; Unreadable unless one is in *main*, as in a document of kind *what*."""
    if TYPES not in package:
        raise Unreadable("The document is damaged: it is a zip file, but not of an office program.")
    own: dict[str, str] = {}
    usual: dict[str, str] = {}
    for entry in parse(package.read(TYPES), largest=MAX_PART).iterchildren("{*}*"):
        kind = entry.get("ContentType", "")
        own[entry.get("PartName", "").lstrip("/").casefold()] = kind  # names of parts count in any case
        usual[entry.get("Extension", "").casefold()] = kind
    found = {
        name: own.get(name.casefold()) or usual.get(name.rpartition(".")[2].casefold(), "") for name in package.names
    }
    if not any(kind in main for kind in found.values()):
        raise Unreadable(f"The document is not {what}.")
    return {name: kind for name, kind in found.items() if kind}


def collect(package: Package, readers: Mapping[str, Reader]) -> dict[str, list[str]]:
    """Return the texts of each part, in their order; Unreadable when they are longer than any document's."""
    texts: dict[str, list[str]] = {}
    characters = length = 0
    for name, reader in readers.items():
        texts[name] = []
        for unit in reader(parse(package.read(name))):
            texts[name].append(unit.line.text)
            characters += len(untagged(unit.line.text))
            length += len(unit.line.text)
            if characters > MOST_CHARACTERS:
                raise Unreadable(f"The document has more than {MOST_CHARACTERS:,} characters.")
            if length > MOST_TEXT:
                raise Unreadable(f"The document has more than {MOST_TEXT:,} characters of text and formatting.")
    return texts


def translated(texts: Mapping[str, Sequence[str]], words: Words) -> dict[str, list[str]]:
    """Return the translations of all *texts*, asked for in one call."""
    together = [text for some in texts.values() for text in some]
    answers = iter(words(together, tagged=True) if together else ())
    return {name: [next(answers) for _ in some] for name, some in texts.items()}


def makers(package: Package, readers: Mapping[str, Reader], answers: Mapping[str, Sequence[str]]) -> dict[str, Maker]:
    """Return what makes each part with its translations; a part in which nothing changes is left as it is."""

    def made(name: str) -> bytes | None:
        root = parse(package.read(name))
        changed = False
        for unit, answer in zip(list(readers[name](root)), answers[name], strict=True):
            if answer != unit.line.text:
                for each in (unit, *unit.copies):
                    each.write(each.line.read(answer))
                changed = True
        return serialised(root) if changed else None

    return {name: partial(made, name) for name in readers if answers[name]}


def translated_parts(package: Package, readers: Mapping[str, Reader], words: Words) -> dict[str, Maker]:
    """Return what makes each part with its texts translated."""
    return makers(package, readers, translated(collect(package, readers), words))


@lru_cache(maxsize=4096)
def short(tag: object) -> str:
    """Return the name of a tag with its usual prefix, such as w:p; empty for comments and the like."""
    if not isinstance(tag, str):
        return ""
    namespace, brace, name = tag[1:].partition("}")
    return f"{_SHORT.get(namespace, '?')}:{name}" if brace else tag


def sibling(element: etree._Element, name: str) -> etree._Element:
    """Return a new element *name* of the namespace that *element* has."""
    namespace = str(element.tag)[1:].partition("}")[0]
    prefixes: Any = {element.prefix: namespace}  # a prefix may be None, which the stubs do not know
    return etree.Element(f"{{{namespace}}}{name}", nsmap=prefixes)


def run_of(parent: etree._Element, properties: etree._Element | None) -> etree._Element:
    """Return a new run for *parent*, with a copy of the *properties*."""
    run = sibling(parent, "r")
    if properties is not None:
        run.append(deepcopy(properties))
        run[0].tail = None
    return run


def paragraphs(root: etree._Element, name: str) -> Iterator[tuple[etree._Element, bool]]:
    """Yield the elements with the short name *name*, each with whether it is a copy for older programs."""
    older = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        found = short(element.tag)
        if found == "mc:Fallback":
            older += 1 if event == "start" else -1
        elif found == name and event == "start":
            yield element, older > 0


def units(found: Iterator[tuple[Unit, bool]]) -> Iterator[Unit]:
    """Yield the units that have words; a copy of one shortly before it goes along with that."""
    known: dict[str, Unit] = {}
    for unit, is_copy in found:
        if not unit.line.worded:
            continue
        if len(known) > _NEAR:
            known.clear()
        if is_copy and unit.line.text in known:
            known[unit.line.text].copies.append(unit)
        else:
            known[unit.line.text] = unit
            yield unit


def read_texts(root: etree._Element, name: str) -> Iterator[Unit]:
    """Yield the elements with the short name *name*, which hold text only."""
    return units((_plain(each), False) for each in root.iter() if short(each.tag) == name)


def _plain(element: etree._Element) -> Unit:
    def write(nodes: list[Node]) -> None:
        element.text = "".join(node for node in nodes if isinstance(node, str))

    return Unit(TaggedText([element.text or ""]), write)


def attribute(element: etree._Element, name: str, *, longest: int = MOST_TEXT) -> Unit:
    """Return the unit of an attribute; a translation of more than *longest* characters is not written."""

    def write(nodes: list[Node]) -> None:
        text = "".join(node for node in nodes if isinstance(node, str))
        if len(text) <= longest:
            element.set(name, text)

    return Unit(TaggedText([element.get(name, "")]), write)


def looks(properties: etree._Element | None, ignored: frozenset[str]) -> tuple[object, ...]:
    """Return what tells the formatting of two runs apart: attributes and elements, but for the names *ignored*."""
    if properties is None:
        return ()
    attributes = [item for item in sorted(properties.attrib.items()) if item[0] not in ignored]
    children = [
        (child.tag, *sorted(child.attrib.items()), etree.tostring(child) if len(child) else b"")
        for child in properties
        if short(child.tag).partition(":")[2] not in ignored
    ]
    return (*attributes, *children)


def style(properties: etree._Element | None, ignored: frozenset[str] = frozenset()) -> Style:
    """Return the style of a run; the names *ignored* make no difference."""
    if properties is None:
        return Style(())
    baseline = properties.get("baseline", "0").strip("%")
    marks = {"superscript", "subscript"}
    said = (str(value) for child in properties if short(child.tag) in _RAISED for value in child.attrib.values())
    raised: Any = next((value for value in said if value in marks), "")
    if not raised and baseline.strip("-0"):
        raised = "subscript" if baseline.startswith("-") else "superscript"
    return Style(looks(properties, ignored), properties, raised)


def child_of(parent: etree._Element, name: str) -> etree._Element | None:
    """Return the first child with the short name *name*, or None."""
    return next((child for child in parent if short(child.tag) == name), None)


def read_drawing(
    root: etree._Element, *, right_to_left: bool, skipped: Callable[[etree._Element], bool] | None = None
) -> Iterator[Unit]:
    """Yield the paragraphs that have words and are not *skipped*, the categories and series of charts, and what
    describes pictures and shapes."""
    yield from units(
        (unit(_drawing_pieces(paragraph), partial(_write_drawing, paragraph, right_to_left)), is_copy)
        for paragraph, is_copy in paragraphs(root, "a:p")
        if skipped is None or not skipped(paragraph)
    )
    points = (each for each in root.iter() if short(each.tag) == "c:pt")
    worded = (each for each in points if any(short(around.tag) in _CACHES for around in each.iterancestors()))
    yield from units((_plain(value), False) for each in worded for value in each if short(value.tag) == "c:v")
    yield from described(root)


def described(root: etree._Element) -> Iterator[Unit]:
    """Yield what is said about pictures and shapes for those who do not see them; not the names of files."""
    shapes = (each for each in root.iter() if short(each.tag).partition(":")[2] in ("docPr", "cNvPr", "shape"))
    found = ((shape, name) for shape in shapes for name in _DESCRIBING if not is_code(shape.get(name, "")))
    yield from units((attribute(shape, name), True) for shape, name in found)


def read_title(root: etree._Element) -> Iterator[Unit]:
    """Yield the title of a document, unless it is the name of a file."""
    return (unit for unit in read_texts(root, "dc:title") if not is_code(unit.line.text))


def _drawing_pieces(paragraph: etree._Element) -> Iterator[Piece]:
    for child in paragraph:
        name = short(child.tag)
        if name == "a:r":
            properties = child_of(child, "a:rPr")
            text = "".join(each.text or "" for each in child if short(each.tag) == "a:t")
            yield Run(text, style(properties, _INVISIBLE))
        elif name and name not in _PROPERTIES:
            yield Lone(child, breaks=name == "a:br")


def _write_drawing(paragraph: etree._Element, right_to_left: bool, most: Style | None, nodes: list[Node]) -> None:
    made: list[Any] = []
    for node, style in flat(nodes, most):
        if isinstance(node, Lone):
            made.append(node.thing)
            continue
        run, element = run_of(paragraph, style.thing if style else None), sibling(paragraph, "t")
        for properties in run:
            for name in _OF_THE_SOURCE & set(properties.attrib):
                del properties.attrib[name]
        element.text = node
        run.append(element)
        made.append(run)
    for child in list(paragraph):
        if short(child.tag) not in _PROPERTIES:
            paragraph.remove(child)
    start = 1 if len(paragraph) and short(paragraph[0].tag) == "a:pPr" else 0
    for child in made:
        child.tail = None
    paragraph[start:start] = made
    _turn(paragraph, right_to_left)


def _turn(paragraph: etree._Element, right_to_left: bool) -> None:
    """Say in which direction a paragraph is written, and change the side it stands on with it."""
    properties = child_of(paragraph, "a:pPr")
    was = properties is not None and properties.get("rtl") in ("1", "true")
    if was == right_to_left:
        return
    if properties is None:
        properties = sibling(paragraph, "pPr")
        paragraph.insert(0, properties)
    properties.set("rtl", "1" if right_to_left else "0")
    side = properties.get("algn")
    if side in _SWAPPED:
        properties.set("algn", _SWAPPED[side])
    elif side is None and right_to_left:
        # One that does not say so stands on the left, but for titles and what is in a chart.
        shapes = (each for each in paragraph.iterancestors() if short(each.tag) in ("p:sp", "a:tc"))
        shape = next(shapes, None)
        if shape is not None and len(shape):
            kinds = (each.get("type") for each in shape[0].iter() if short(each.tag) == "p:ph")
            if next(kinds, "") not in _CENTRED:
                properties.set("algn", "r")
