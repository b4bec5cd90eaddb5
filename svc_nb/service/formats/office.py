"""What packages of XML parts have in common: all texts are taken out, then each part is made anew in its turn.

A part is read twice, once to take its texts out and once to put their translations in, so that only one part at a time
is in memory as a tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from lxml import etree

from . import Unreadable, Words
from .defused import parse, serialised
from .inline import Line, Node
from .package import MAX_PART, Maker, Package

TYPES = "[Content_Types].xml"
SPACE = "{http://www.w3.org/XML/1998/namespace}space"
RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur", "yi", "ps", "ckb", "sd", "ug"})

MOST_TEXT = 20_000_000
_NEAR = 1_000  # paragraphs within which a copy is looked for; all of them would fill the memory
_OPEN, _STRICT = "http://schemas.openxmlformats.org/", "http://purl.oclc.org/ooxml/"
_SHORT = {
    **{f"{start}{path}": short for start in (_OPEN, _STRICT) for path, short in {
        "wordprocessingml/2006/main": "w", "wordprocessingml/main": "w",
        "drawingml/2006/main": "a", "drawingml/main": "a",
        "drawingml/2006/chart": "c", "drawingml/chart": "c",
        "spreadsheetml/2006/main": "s", "spreadsheetml/main": "s",
        "presentationml/2006/main": "p", "presentationml/main": "p",
        "markup-compatibility/2006": "mc",
    }.items()},
    "http://schemas.microsoft.com/office/word/2010/wordml": "w14",
    "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments": "tc",
}  # fmt: skip


@dataclass(eq=False, slots=True)
class Unit:
    """A paragraph or a string of a part: its *line*, and what writes the translated nodes where it came from.

    *copies* are the same text once more, for older programs; they are not sent and get the same translation.
    """

    line: Line
    write: Callable[[list[Node]], None]
    copies: list[Unit] = field(default_factory=list)

    def put(self, translation: str) -> None:
        """Put the translation in, here and in the copies."""
        for unit in (self, *self.copies):
            unit.write(unit.line.read(translation))


Reader = Callable[["etree._Element"], Iterator[Unit]]


def kinds(package: Package) -> dict[str, str]:
    """Return the content type of each part that has one, in the order of the package."""
    if TYPES not in package:
        raise Unreadable("The document is damaged: it is a zip file, but not of an office program.")
    own: dict[str, str] = {}
    usual: dict[str, str] = {}
    for entry in parse(package.read(TYPES), largest=MAX_PART).iterchildren("{*}*"):
        kind = entry.get("ContentType", "")
        own[entry.get("PartName", "").lstrip("/").casefold()] = kind  # names of parts count in any case
        usual[entry.get("Extension", "").casefold()] = kind
    found = {
        name: own.get(name.casefold()) or usual.get(name.rpartition(".")[2].casefold(), "")
        for name in package.names
    }
    return {name: kind for name, kind in found.items() if kind}


def collect(package: Package, readers: Mapping[str, Reader]) -> dict[str, list[str]]:
    """Return the texts of each part, in their order; Unreadable when they are longer than any document's."""
    texts: dict[str, list[str]] = {}
    length = 0
    for name, reader in readers.items():
        texts[name] = []
        for unit in reader(parse(package.read(name))):
            texts[name].append(unit.line.text)
            length += len(unit.line.text)
            if length > MOST_TEXT:
                raise Unreadable(
                    f"The document has more than {MOST_TEXT:,} characters of text and formatting."
                )
    return texts


def translated(texts: Mapping[str, Sequence[str]], words: Words) -> dict[str, list[str]]:
    """Return the translations of all *texts*, asked for in one call."""
    together = [text for some in texts.values() for text in some]
    answers = iter(words(together, tagged=True) if together else ())
    return {name: [next(answers) for _ in some] for name, some in texts.items()}


def makers(
    package: Package, readers: Mapping[str, Reader], answers: Mapping[str, Sequence[str]]
) -> dict[str, Maker]:
    """Return what makes each part with its translations; a part in which nothing changes is left as it is."""

    def maker(name: str) -> Maker:
        return lambda: _made(package.read(name), readers[name], answers[name])

    return {name: maker(name) for name in readers if answers[name]}


def _made(data: bytes, reader: Reader, answers: Sequence[str]) -> bytes | None:
    root = parse(data)
    changed = False
    for unit, answer in zip(list(reader(root)), answers, strict=True):
        if answer != unit.line.text:
            unit.put(answer)
            changed = True
    return serialised(root) if changed else None


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


def plain(element: etree._Element) -> Unit:
    """Return the unit of an element that holds text only."""

    def write(nodes: list[Node]) -> None:
        element.text = "".join(node for node in nodes if isinstance(node, str))

    return Unit(Line([element.text or ""]), write)


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


def is_right_to_left(target_lang: str) -> bool:
    """Tell whether the language is written from right to left."""
    return target_lang.partition("-")[0].lower() in RIGHT_TO_LEFT
