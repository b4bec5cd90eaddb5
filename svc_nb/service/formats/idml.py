"""InDesign documents as IDML packages: the paragraphs of their stories, with character styles."""

import re
from collections.abc import Iterable, Iterator
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

from lxml import etree

from . import Unreadable, Wish, Words
from .office import Unit, translated_parts, unit, units
from .tagged_text import Lone, Node, Piece, Run, Span, Style, flat
from .zip_package import Package

_MEDIA = b"application/vnd.adobe.indesign-idml-package"
_RANGE = "CharacterStyleRange"
_SPECIAL = re.compile("([\t\u2028\u2029\n])")
_Sequence = list[Any]


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate the stories of the package *source* into *target*; parts without words keep their bytes."""
    with Package(source) as package:
        if "mimetype" not in package or package.read("mimetype").strip() != _MEDIA:
            raise Unreadable("The document is not an InDesign package (.idml).")
        stories = [name for name in package.names if name.startswith("Stories/") and name.endswith(".xml")]

        def read(root: etree._Element) -> Iterator[Unit]:
            holders = dict.fromkeys(each.getparent() for each in root.iter(_RANGE))
            sequences = [each for holder in holders if holder is not None for each in _sequences(holder)]
            return units(
                (unit((piece for each in sequence for piece in _pieces(each)), partial(_write, sequence)), False)
                for sequence in sequences
            )

        package.write(target, translated_parts(package, dict.fromkeys(stories, read), words))


def _sequences(holder: etree._Element) -> Iterator[_Sequence]:
    """Yield the ranges of each paragraph; a range that holds ends of paragraphs is cut in several first."""
    sequence: _Sequence = []
    for child in list(holder):
        if child.tag != _RANGE:
            yield sequence
            sequence = []
            continue
        parts, ended = [child], False
        for each in list(child):
            if ended:
                parts.append(_bare(parts[-1]))
                parts[-2].addnext(parts[-1])
            if len(parts) > 1:
                parts[-1].append(each)
            ended = each.tag == "Br"
        for part in parts:
            sequence.append(part)
            if len(part) and part[-1].tag == "Br":
                yield sequence
                sequence = []
    yield sequence


def _bare(range_: etree._Element) -> etree._Element:
    """Return a copy of *range_* with its properties and without its words."""
    bare = etree.Element(_RANGE, {str(name): str(value) for name, value in range_.attrib.items()})
    bare.extend(copy(child) for child in range_ if child.tag == "Properties")
    return bare


def _pieces(range_: etree._Element) -> Iterator[Piece]:
    properties = b"".join(etree.tostring(child) for child in range_ if child.tag == "Properties")
    style = Style((*sorted(range_.attrib.items()), properties), range_)
    for child in range_:
        if child.tag == "Content":  # tabs, breaks and instructions (markers of all kinds) stand alone in it
            yield from _text(child.text or "", style)
            for instruction in child:
                yield Lone((style, instruction))
                yield from _text(instruction.tail or "", style)
        elif child.tag == "HyperlinkTextSource" and all(each.tag == "Content" for each in child):
            text = "".join(each.text or "" for each in child)
            yield Span((style, child), [text], once=True)
        elif child.tag != "Properties":
            yield Lone((style, child))


def _text(text: str, style: Style) -> Iterator[Piece]:
    for at, part in enumerate(_SPECIAL.split(text)):
        if at % 2:
            yield Lone((style, part), breaks=True)
        elif part:
            yield Run(part, style)


def _write(sequence: _Sequence, most: Style | None, nodes: list[Node]) -> None:
    """Put new ranges in the place of those of *sequence*."""
    made: list[tuple[Style | None, etree._Element]] = []
    for style, thing in _things(nodes, most):
        if not made or made[-1][0] != style:
            made.append((style, _bare(style.thing if style else sequence[0])))
        range_ = made[-1][1]
        if not isinstance(thing, str) and isinstance(thing.tag, str):
            thing.tail = None
            range_.append(thing)
            continue
        # Words, and instructions among them.
        last = range_[-1] if len(range_) else None
        content = last if last is not None and last.tag == "Content" else etree.SubElement(range_, "Content")
        if not isinstance(thing, str):
            content.append(thing)
            thing.tail = None
        elif len(content):
            content[-1].tail = (content[-1].tail or "") + thing
        else:
            content.text = (content.text or "") + thing
    for _, element in made:
        sequence[0].addprevious(element)
    for old in sequence:
        old.getparent().remove(old)


def _things(nodes: Iterable[Node], style: Style | None) -> Iterator[tuple[Style | None, Any]]:
    for node in nodes:
        if isinstance(node, str):
            yield style, node
        elif isinstance(node, Lone):
            yield node.thing
        elif isinstance(node.thing, Style):
            yield from _things(node.inside, node.thing)
        else:
            own, source = node.thing
            for child in list(source):
                source.remove(child)
            texts = (each for each, _ in flat(node.inside, None) if isinstance(each, str))
            etree.SubElement(source, "Content").text = "".join(texts)
            yield own, source
            yield from ((own, each.thing[1]) for each in node.inside if isinstance(each, Lone))
