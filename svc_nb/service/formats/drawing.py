"""Paragraphs of DrawingML as lines with tags, and back: slides, text boxes of sheets, diagrams, titles of charts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

from .inline import Line, Lone, Node, Piece, Run, Span, Style, base, joined
from .office import Unit, looks, paragraphs, plain, short, sibling, units

if TYPE_CHECKING:
    from lxml import etree

TYPES = (
    "application/vnd.openxmlformats-officedocument.drawingml.chart+xml",
    "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml",
    "application/vnd.ms-office.drawingml.diagramDrawing+xml",
)
"""The kinds of parts that any office document may have and that hold nothing but drawings."""

_INVISIBLE = frozenset({"lang", "altLang", "dirty", "err", "smtClean", "noProof", "bmk", "kumimoji"})
_OF_THE_SOURCE = frozenset({"lang", "altLang", "dirty", "err"})
_PROPERTIES = frozenset({"a:pPr", "a:endParaRPr"})
_SWAPPED = {"l": "r", "r": "l"}
_CENTRED = frozenset({"title", "ctrTitle", "subTitle"})


def read(
    root: etree._Element, *, right_to_left: bool, skipped: Callable[[etree._Element], bool] | None = None
) -> Iterator[Unit]:
    """Yield the paragraphs that have words and are not *skipped*, and the names of a chart's categories and series."""
    yield from units(
        (_unit(paragraph, right_to_left), is_copy)
        for paragraph, is_copy in paragraphs(root, "a:p")
        if skipped is None or not skipped(paragraph)
    )
    yield from units((plain(value), False) for value in _cached(root))


def _cached(root: etree._Element) -> Iterator[etree._Element]:
    for element in root.iter():
        if short(element.tag) in ("c:strCache", "c:strLit"):
            yield from (value for point in element for value in point if short(value.tag) == "c:v")


def _unit(paragraph: etree._Element, right_to_left: bool) -> Unit:
    pieces = list(_pieces(paragraph))
    most = base(pieces)
    return Unit(Line(joined(pieces, most)), partial(_write, paragraph, most, right_to_left))


def _pieces(paragraph: etree._Element) -> Iterator[Piece]:
    for child in paragraph:
        name = short(child.tag)
        if name == "a:r":
            properties = next((each for each in child if short(each.tag) == "a:rPr"), None)
            text = "".join(each.text or "" for each in child if short(each.tag) == "a:t")
            yield Run(text, Style(looks(properties, _INVISIBLE), properties))
        elif name and name not in _PROPERTIES:
            yield Lone(child, breaks=name == "a:br")


def _write(paragraph: etree._Element, most: Style | None, right_to_left: bool, nodes: list[Node]) -> None:
    made = list(_written(paragraph, nodes, most))
    for child in list(paragraph):
        if short(child.tag) not in _PROPERTIES:
            paragraph.remove(child)
    start = 1 if len(paragraph) and short(paragraph[0].tag) == "a:pPr" else 0
    for child in made:
        child.tail = None
    paragraph[start:start] = made
    _turn(paragraph, right_to_left)


def _written(paragraph: etree._Element, nodes: Iterable[Node], style: Style | None) -> Iterator[Any]:
    for node in nodes:
        if isinstance(node, Lone):
            yield node.thing
        elif isinstance(node, Span):
            yield from _written(paragraph, node.inside, node.thing)
        else:
            yield _run(paragraph, node, style.thing if style else None)


def _run(paragraph: etree._Element, text: str, properties: etree._Element | None) -> etree._Element:
    run, element = sibling(paragraph, "r"), sibling(paragraph, "t")
    if properties is not None:
        run.append(deepcopy(properties))
        run[0].tail = None
        for name in _OF_THE_SOURCE & set(run[0].attrib):
            del run[0].attrib[name]
    element.text = text
    run.append(element)
    return run


def _turn(paragraph: etree._Element, right_to_left: bool) -> None:
    """Say in which direction a paragraph is written, and change the side it stands on with it."""
    properties = next((child for child in paragraph if short(child.tag) == "a:pPr"), None)
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
    elif side is None and right_to_left and _is_ragged(paragraph):
        properties.set("algn", "r")


def _is_ragged(paragraph: etree._Element) -> bool:
    """Tell whether a paragraph that does not say so stands on the left: not titles, nor what is in a chart."""
    around = next((each for each in paragraph.iterancestors() if short(each.tag) in ("p:sp", "a:tc")), None)
    if around is None or not len(around):
        return False
    kinds = (each.get("type") for each in around[0].iter() if short(each.tag) == "p:ph")
    return next(kinds, "") not in _CENTRED
