"""InDesign documents as IDML packages: the paragraphs of their stories, with character styles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

from lxml import etree

from . import Unreadable, Wish, Words
from .inline import Line, Lone, Node, Piece, Run, Span, Style, base, joined
from .office import Reader, Unit, collect, makers, translated, units
from .package import Package

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
        readers: dict[str, Reader] = dict.fromkeys(stories, _read)
        answers = translated(collect(package, readers), words)
        package.write(target, makers(package, readers, answers))


def _read(root: etree._Element) -> Iterator[Unit]:
    holders = dict.fromkeys(each.getparent() for each in root.iter(_RANGE))
    sequences = [sequence for holder in holders if holder is not None for sequence in _sequences(holder)]
    return units((_unit(sequence), False) for sequence in sequences)


def _sequences(holder: etree._Element) -> Iterator[_Sequence]:
    """Yield the ranges of each paragraph; a range that holds ends of paragraphs is cut in several first."""
    sequence: _Sequence = []
    for child in list(holder):
        if child.tag != _RANGE:
            yield sequence
            sequence = []
            continue
        for part in _cut(child):
            sequence.append(part)
            if len(part) and part[-1].tag == "Br":
                yield sequence
                sequence = []
    yield sequence


def _cut(range_: etree._Element) -> list[etree._Element]:
    """Return *range_* as ranges that have the end of a paragraph at their end only."""
    parts = [range_]
    ended = False
    for child in list(range_):
        if ended:
            parts.append(_bare(parts[-1]))
            parts[-2].addnext(parts[-1])
        if len(parts) > 1:
            parts[-1].append(child)
        ended = child.tag == "Br"
    return parts


def _bare(range_: etree._Element) -> etree._Element:
    """Return a copy of *range_* with its properties and without its words."""
    bare = etree.Element(_RANGE)
    for name, value in range_.attrib.items():
        bare.set(name, value)
    bare.extend(copy(child) for child in range_ if child.tag == "Properties")
    return bare


def _unit(sequence: _Sequence) -> Unit:
    pieces = [piece for each in sequence for piece in _pieces(each)]
    most = base(pieces)
    return Unit(Line(joined(pieces, most)), partial(_write, sequence, most))


def _pieces(range_: etree._Element) -> Iterator[Piece]:
    properties = b"".join(etree.tostring(child) for child in range_ if child.tag == "Properties")
    style = Style((*sorted(range_.attrib.items()), properties), range_)
    for child in range_:
        if child.tag == "Content":
            yield from _content(child, style)
        elif child.tag == "HyperlinkTextSource" and all(each.tag == "Content" for each in child):
            text = "".join(each.text or "" for each in child)
            yield Span((style, child), [text], once=True)
        elif child.tag != "Properties":
            yield Lone((style, child))


def _content(content: etree._Element, style: Style) -> Iterator[Piece]:
    """Yield the words of *content*; its tabs, breaks and instructions (markers of all kinds) stand alone."""
    yield from _text(content.text or "", style)
    for child in content:
        yield Lone((style, child))
        yield from _text(child.tail or "", style)


def _text(text: str, style: Style) -> Iterator[Piece]:
    for at, part in enumerate(_SPECIAL.split(text)):
        if at % 2:
            yield Lone((style, part), breaks=True)
        elif part:
            yield Run(part, style)


def _write(sequence: _Sequence, most: Style | None, nodes: Iterable[Node]) -> None:
    """Put new ranges in the place of those of *sequence*."""
    made: list[tuple[Style | None, etree._Element]] = []
    for style, thing in _things(nodes, most):
        if not made or made[-1][0] != style:
            model = style.thing if style else sequence[0]
            made.append((style, _bare(model)))
        _append(made[-1][1], thing)
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
            yield own, _linked(source, node.inside)
            yield from ((own, each.thing[1]) for each in node.inside if isinstance(each, Lone))


def _linked(source: etree._Element, nodes: Iterable[Node]) -> etree._Element:
    """Return the source of a link with new words."""
    for child in list(source):
        source.remove(child)
    etree.SubElement(source, "Content").text = "".join(_words(nodes))
    return source


def _words(nodes: Iterable[Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield node
        elif isinstance(node, Span):
            yield from _words(node.inside)


def _append(range_: etree._Element, thing: Any) -> None:
    """Append words, or an element that stands alone, to a range; instructions stay within its words."""
    if not isinstance(thing, str) and isinstance(thing.tag, str):
        thing.tail = None
        range_.append(thing)
        return
    content = (
        range_[-1] if len(range_) and range_[-1].tag == "Content" else etree.SubElement(range_, "Content")
    )
    if not isinstance(thing, str):
        content.append(thing)
        thing.tail = None
    elif len(content):
        content[-1].tail = (content[-1].tail or "") + thing
    else:
        content.text = (content.text or "") + thing
