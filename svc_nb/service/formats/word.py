"""Paragraphs of a Word document as lines with tags, and back: runs, links, fields, tracked changes.

Text stays where it is unless it has letters. What is not text (images, breaks, notes, formulas, fields but for links,
deleted text) is moved as it is; links, insertions and content controls go around the words they were around.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from .inline import Line, Lone, Node, Piece, Run, Span, Style, base, joined
from .office import SPACE, Unit, looks, paragraphs, short, sibling, units

if TYPE_CHECKING:
    from lxml import etree

_DEEPEST = 30  # a container in so many others is left as it is
_CONTAINERS = frozenset(
    {"w:hyperlink", "w:ins", "w:moveTo", "w:smartTag", "w:customXml", "w:dir", "w:bdo", "w:sdt"}
)
_DROPPED = frozenset({"w:proofErr", "w:softHyphen", "w:lastRenderedPageBreak", "w:rPr", "w:pPr", ""})
_BREAKS = frozenset({"w:br", "w:cr", "w:tab", "w:ptab"})
_CHOICES = frozenset({"w:dropDownList", "w:comboBox", "w:date", "w14:checkbox", "w:picture", "w:docPartList"})
_INVISIBLE = frozenset({"lang", "noProof", "rPrChange", "spacing", "w", "kern", "rtl"})
_AFTER_BIDI_NAMES = (
    "adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection "
    "textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange"
)
_AFTER_RTL_NAMES = "cs em lang eastAsianLayout specVanish oMath rPrChange"
_AFTER_BIDI = frozenset(f"w:{name}" for name in _AFTER_BIDI_NAMES.split())
_AFTER_RTL = frozenset(f"w:{name}" for name in _AFTER_RTL_NAMES.split())


@dataclass(frozen=True, slots=True)
class _Mark:
    """What stands in a run and is not text, with the run's properties."""

    properties: Any
    element: Any


@dataclass(frozen=True, slots=True)
class _Container:
    """An element around runs: *holder* holds them; text in it that has no tags of its own has the style *plain*."""

    element: Any
    holder: Any
    plain: Style | None


@dataclass(frozen=True, slots=True)
class _Field:
    """A field: what stands before and after its result; a field that is left alone has its result in *before*."""

    before: tuple[Piece, ...]
    after: tuple[Piece, ...] = ()
    plain: Style | None = None


def read(root: etree._Element, *, right_to_left: bool) -> Iterator[Unit]:
    """Yield the paragraphs that have words, those of text boxes, tables and notes too."""
    return units((_unit(paragraph, right_to_left), is_copy) for paragraph, is_copy in paragraphs(root, "w:p"))


def _unit(paragraph: etree._Element, right_to_left: bool) -> Unit:
    pieces = _pieces(paragraph, 0)
    plain = base(pieces)
    return Unit(Line(joined(pieces, plain)), partial(_write, paragraph, plain, right_to_left))


def _pieces(parent: etree._Element, depth: int) -> list[Piece]:
    pieces: list[Piece] = []
    for child in parent:
        name = short(child.tag)
        if name == "w:r":
            pieces += _run(child)
        elif name in _CONTAINERS:
            pieces.append(_contained(child, depth))
        elif name not in _DROPPED and not name.endswith("Pr"):
            pieces.append(Lone(child, chain=_chain(child)))
    return _with_fields(pieces)


def _chain(element: etree._Element) -> object:
    """Return what a start and its end have in common: the name up to Start or End, and the id."""
    tag = str(element.tag)
    stem = tag.removesuffix("Start").removesuffix("End")
    if stem == tag:
        return None
    return stem, next((value for name, value in element.attrib.items() if str(name).endswith("}id")), "")


def _run(run: etree._Element) -> Iterator[Piece]:
    properties = next((child for child in run if short(child.tag) == "w:rPr"), None)
    style = Style(looks(properties, _INVISIBLE), properties)
    for child in run:
        name = short(child.tag)
        if name == "w:t":
            yield Run(_text(child), style)
        elif name == "w:noBreakHyphen":
            yield Run("\u2011", style)
        elif name not in _DROPPED:
            chain = "field" if name in ("w:fldChar", "w:instrText") else None
            yield Lone(_Mark(properties, child), breaks=name in _BREAKS, chain=chain)


def _text(element: etree._Element) -> str:
    text = element.text or ""
    if text == text.strip() or element.get(SPACE) == "preserve":
        return text
    spaces = (each.get(SPACE) for each in element.iterancestors())
    return text if next(filter(None, spaces), "") == "preserve" else text.strip()


def _contained(element: etree._Element, depth: int) -> Piece:
    """Return a container as a span; one without text, or with a choice that must stay as it is, stands alone."""
    holder: etree._Element | None = element
    if short(element.tag) == "w:sdt":
        holder = next((child for child in element if short(child.tag) == "w:sdtContent"), None)
    if holder is None or depth >= _DEEPEST or _is_choice(element):
        return Lone(element)
    pieces = _pieces(holder, depth + 1)
    if not any(isinstance(piece, Run | Span) for piece in pieces):
        return Lone(element)
    plain = base(pieces)
    return Span(_Container(element, holder, plain), joined(pieces, plain), once=True)


def _is_choice(control: etree._Element) -> bool:
    """Tell whether a content control offers what must stay as it is: a list, a date, a box to tick."""
    properties = (child for child in control if short(child.tag) == "w:sdtPr")
    return any(short(each.tag) in _CHOICES for some in properties for each in some)


def _with_fields(pieces: list[Piece]) -> list[Piece]:
    """Return *pieces* with each whole field as one: a link around its words, any other left alone."""
    done: list[Piece] = []
    starts: list[int] = []
    for piece in pieces:
        kind = _field_mark(piece)
        if kind == "begin":
            starts.append(len(done))
        done.append(piece)
        if kind == "end" and starts:
            start = starts.pop()
            done[start:] = [_field(done[start:])]
    return done


def _field_mark(piece: Piece) -> str:
    if not isinstance(piece, Lone) or not isinstance(piece.thing, _Mark):
        return ""
    element = piece.thing.element
    if short(element.tag) != "w:fldChar":
        return ""
    return next((value for name, value in element.attrib.items() if str(name).endswith("fldCharType")), "")


def _field(pieces: list[Piece]) -> Piece:
    middle = next((at for at, piece in enumerate(pieces) if _field_mark(piece) == "separate"), None)
    if middle is None or not _code(pieces[:middle]).upper().startswith("HYPERLINK"):
        return Lone(_Field(tuple(pieces)))
    inside = pieces[middle + 1 : -1]
    plain = base(inside)
    if plain is None:
        return Lone(_Field(tuple(pieces)))
    field = _Field(tuple(pieces[: middle + 1]), tuple(pieces[-1:]), plain)
    return Span(field, joined(inside, plain), once=True)


def _code(pieces: Iterable[Piece]) -> str:
    marks = [
        piece.thing.element for piece in pieces if isinstance(piece, Lone) and isinstance(piece.thing, _Mark)
    ]
    return "".join(mark.text or "" for mark in marks if short(mark.tag) == "w:instrText").strip()


def _write(paragraph: etree._Element, plain: Style | None, right_to_left: bool, nodes: list[Node]) -> None:
    for around in paragraph.iterancestors():
        _unbind(around)
    _turn(paragraph, right_to_left)
    _fill(paragraph, _Writing(paragraph, right_to_left).written(nodes, plain))


def _fill(parent: etree._Element, children: Iterable[etree._Element]) -> None:
    """Replace what *parent* holds, but for its properties."""
    made = list(children)
    for child in list(parent):
        if not short(child.tag).endswith("Pr"):
            parent.remove(child)
    for child in made:
        child.tail = None
    parent.extend(made)


def _unbind(control: etree._Element) -> None:
    """Cut a content control off the data it shows, which would take the place of its translation."""
    if short(control.tag) == "w:sdt":
        for properties in (child for child in control if short(child.tag) == "w:sdtPr"):
            for child in [each for each in properties if short(each.tag) == "w:dataBinding"]:
                properties.remove(child)


class _Writing:
    """Makes elements of nodes, in the namespace of a paragraph."""

    def __init__(self, paragraph: etree._Element, right_to_left: bool) -> None:
        self._paragraph = paragraph
        self._right_to_left = right_to_left

    def written(self, nodes: Iterable[Node | Piece], style: Style | None) -> Iterator[etree._Element]:
        for node in nodes:
            if isinstance(node, str):
                yield self._run(node, style)
            elif isinstance(node, Run):
                yield self._run(node.text, node.style)
            elif isinstance(node, Lone):
                yield from self._lone(node.thing)
            elif isinstance(node.thing, Style):
                yield from self.written(node.inside, node.thing)
            elif isinstance(node.thing, _Container):
                _unbind(node.thing.element)
                _fill(node.thing.holder, self.written(node.inside, node.thing.plain))
                yield node.thing.element
            else:
                field = node.thing
                yield from self.written(field.before, None)
                yield from self.written(node.inside, field.plain)
                yield from self.written(field.after, None)

    def _lone(self, thing: Any) -> Iterator[etree._Element]:
        if isinstance(thing, _Field):
            yield from self.written(thing.before, None)
        elif isinstance(thing, _Mark):
            run = self._around(thing.properties)
            run.append(thing.element)
            thing.element.tail = None
            yield run
        else:
            yield thing

    def _around(self, properties: etree._Element | None) -> etree._Element:
        run = sibling(self._paragraph, "r")
        if properties is not None:
            run.append(deepcopy(properties))
            run[0].tail = None
        return run

    def _run(self, text: str, style: Style | None) -> etree._Element:
        run = self._around(style.thing if style else None)
        self._turn(run)
        element = sibling(self._paragraph, "t")
        element.text = text
        element.set(SPACE, "preserve")
        run.append(element)
        return run

    def _turn(self, run: etree._Element) -> None:
        """Say in which direction a run is written, and forget the language that it was in."""
        for properties in run:
            for child in list(properties):
                if short(child.tag) in ("w:rtl", "w:lang"):
                    properties.remove(child)
        if self._right_to_left:
            if not len(run):
                run.append(sibling(run, "rPr"))
            _insert(run[0], sibling(run, "rtl"), _AFTER_RTL)


def _turn(paragraph: etree._Element, right_to_left: bool) -> None:
    """Say in which direction a paragraph is written."""
    properties = next((child for child in paragraph if short(child.tag) == "w:pPr"), None)
    if properties is None:
        if not right_to_left:
            return
        properties = sibling(paragraph, "pPr")
        paragraph.insert(0, properties)
    for child in list(properties):
        if short(child.tag) == "w:bidi":
            properties.remove(child)
    if right_to_left:
        _insert(properties, sibling(properties, "bidi"), _AFTER_BIDI)


def _insert(parent: etree._Element, child: etree._Element, before: frozenset[str]) -> None:
    """Insert *child* where the order of the schema wants it: before the first of the names *before*."""
    at = next((at for at, each in enumerate(parent) if short(each.tag) in before), len(parent))
    parent.insert(at, child)
