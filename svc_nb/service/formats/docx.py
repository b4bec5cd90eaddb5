"""Word documents: body, tables, headers, footers, notes, comments, text boxes, diagrams and charts.

Paragraphs become texts with tags, and back: runs, links, fields, tracked changes. Text stays where it is unless it has
letters. What is not text (images, breaks, notes, formulas, fields but for links, deleted text) is moved as it is;
links, insertions and content controls go around the words they were around.
"""

import itertools
import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lxml import etree

from ..catalogue import read
from . import Unreadable, Wish, Words, office, xlsx
from .office import SPACE, Unit, child_of, short, sibling
from .safe_xml import parse, serialised
from .tagged_text import Fixed, Lone, Node, Piece, Run, Span, Style, base, joined
from .zip_package import Package

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_MAIN = tuple(f"{_WORD}{name}.main+xml" for name in ("document", "template"))
_PARTS = frozenset(
    (*_MAIN, *(f"{_WORD}{name}+xml" for name in ("header", "footer", "footnotes", "endnotes", "comments")))
)
_DEEPEST = 30  # a container in so many others is left as it is
_CONTAINERS = frozenset({"w:hyperlink", "w:ins", "w:moveTo", "w:smartTag", "w:customXml", "w:dir", "w:bdo", "w:sdt"})
_DROPPED = frozenset({"w:proofErr", "w:softHyphen", "w:lastRenderedPageBreak", "w:rPr", "w:pPr", ""})
_BREAKS = frozenset({"w:br", "w:cr", "w:tab", "w:ptab"})
_ABOUT_TABLES = frozenset({"w:tblCaption", "w:tblDescription"})
_NOTES = frozenset({"w:footnoteReference", "w:endnoteReference"})
_CHOICES = frozenset({"w:dropDownList", "w:comboBox", "w:date", "w14:checkbox", "w:picture", "w:docPartList"})
_INVISIBLE = frozenset({"lang", "noProof", "rPrChange", "spacing", "w", "kern", "rtl"})
_AFTER_BIDI, _AFTER_RTL = (
    frozenset(f"w:{name}" for name in read("elements.json")[key].split())
    for key in ("word_after_bidi", "word_after_rtl")
)


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


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate the Word document *source* into *target*; parts without words keep their bytes."""
    with Package(source) as package:

        def read_part(root: etree._Element) -> Iterator[Unit]:
            """Yield the paragraphs that have words, those of text boxes, tables and notes too, and descriptions."""
            yield from office.units(
                (office.unit(_pieces(paragraph, 0), partial(_write, paragraph, wish.right_to_left)), is_copy)
                for paragraph, is_copy in office.paragraphs(root, "w:p")
            )
            yield from office.described(root)
            about = (each for each in root.iter() if short(each.tag) in _ABOUT_TABLES)
            yield from office.units((office.attribute(each, str(name)), True) for each in about for name in each.attrib)

        readers: dict[str, office.Reader] = {}
        for name, kind in office.kinds(package, _MAIN, "a Word document (.docx)").items():
            if kind in _PARTS:
                readers[name] = read_part
            elif kind in office.DRAWINGS:
                readers[name] = partial(office.read_drawing, right_to_left=wish.right_to_left)
            elif kind == office.PROPERTIES:
                readers[name] = office.read_title
        changed = xlsx.translated_with_charts(package, readers, words, wish)

        def written(name: str) -> bytes | None:
            made = changed[name]() if name in changed else None
            return made if made is not None or name not in package else package.read(name)

        if wish.watermark:
            marked = Watermark(written).parts()
            changed |= {name: partial(bytes, part) for name, part in marked.items()}
        package.write(target, changed)


def _pieces(parent: etree._Element, depth: int) -> list[Piece]:
    pieces: list[Piece] = []
    for child in parent:
        name = short(child.tag)
        if name == "w:r":
            pieces += _run(child)
        elif name in _CONTAINERS:
            # A span; one without text, or with a choice that must stay as it is, stands alone.
            holder = child_of(child, "w:sdtContent") if name == "w:sdt" else child
            offered = {short(each.tag) for some in child if short(some.tag) == "w:sdtPr" for each in some}
            kept = holder is None or depth >= _DEEPEST or offered & _CHOICES
            inside = [] if holder is None or kept else _pieces(holder, depth + 1)
            plain = base(inside)
            worded = any(isinstance(piece, Run | Span) for piece in inside)
            container = Span(_Container(child, holder, plain), joined(inside, plain), once=True)
            pieces.append(container if worded else Lone(child))
        elif name not in _DROPPED and not name.endswith("Pr"):
            # A start and its end have the name up to Start or End in common, and the id.
            tag = str(child.tag)
            stem = tag.removesuffix("Start").removesuffix("End")
            ids = (value for key, value in child.attrib.items() if str(key).endswith("}id"))
            pieces.append(Lone(child, chain=(stem, next(ids, "")) if stem != tag else None))
    return _with_fields(pieces)


def _run(run: etree._Element) -> Iterator[Piece]:
    properties = child_of(run, "w:rPr")
    style = office.style(properties, _INVISIBLE)
    for child in run:
        name = short(child.tag)
        if name == "w:t":
            text = child.text or ""
            spaces = (each.get(SPACE) for each in child.iterancestors())
            preserved = child.get(SPACE) == "preserve" or text == text.strip()
            preserved = preserved or next(filter(None, spaces), "") == "preserve"
            yield Run(text if preserved else text.strip(), style)
        elif name == "w:noBreakHyphen":
            yield Run("\u2011", style)
        elif name not in _DROPPED:
            chain = "field" if name in ("w:fldChar", "w:instrText") else None
            yield Lone(_Mark(properties, child), name in _BREAKS, chain, attached=name in _NOTES)


def _with_fields(pieces: list[Piece]) -> list[Piece]:
    """Return *pieces* with each whole field as one: a link around its words, any other left alone."""
    done: list[Piece] = []
    starts: list[int] = []
    for piece in pieces:
        kind = _field_mark(piece)
        if kind == "begin":
            starts.append(len(done))
        done.append(piece)
        if kind != "end" or not starts:
            continue
        start = starts.pop()
        field = done[start:]
        middle = next((at for at, each in enumerate(field) if _field_mark(each) == "separate"), 0)
        things = (each.thing for each in field[:middle] if isinstance(each, Lone))
        marks = (thing.element for thing in things if isinstance(thing, _Mark))
        code = "".join(mark.text or "" for mark in marks if short(mark.tag) == "w:instrText").strip()
        inside = field[middle + 1 : -1]
        plain = base(inside)
        if plain is None or not code.upper().startswith("HYPERLINK"):
            done[start:] = [Lone(_Field(tuple(field)))]
        else:
            link = _Field(tuple(field[: middle + 1]), tuple(field[-1:]), plain)
            done[start:] = [Span(link, joined(inside, plain), once=True)]
    return done


def _field_mark(piece: Piece) -> str:
    """Return which end of a field a piece is: begin, separate, end or nothing."""
    element = piece.thing.element if isinstance(piece, Lone) and isinstance(piece.thing, _Mark) else None
    if element is None or short(element.tag) != "w:fldChar":
        return ""
    return next((value for name, value in element.attrib.items() if str(name).endswith("fldCharType")), "")


def _write(paragraph: etree._Element, right_to_left: bool, plain: Style | None, nodes: list[Node]) -> None:
    for around in paragraph.iterancestors():
        _unbind(around)
    properties = child_of(paragraph, "w:pPr")
    if properties is None and right_to_left:
        properties = sibling(paragraph, "pPr")
        paragraph.insert(0, properties)
    if properties is not None:
        _remove(properties, "w:bidi")
    if properties is not None and right_to_left:
        _insert(properties, sibling(properties, "bidi"), _AFTER_BIDI)
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
            _remove(properties, "w:dataBinding")


@dataclass(frozen=True, slots=True)
class _Writing:
    """Makes elements of nodes, in the namespace of a paragraph."""

    paragraph: Any
    right_to_left: bool

    def written(self, nodes: Iterable[Node | Piece], style: Style | None) -> Iterator[etree._Element]:
        for node in nodes:
            if isinstance(node, str):
                yield self._run(node, style)
            elif isinstance(node, Run):
                yield self._run(node.text, node.style)
            elif isinstance(node.thing, Fixed):
                yield from self.written(node.inside if isinstance(node, Span) else (), style)
                yield from self.written(node.thing.pieces, None)
            elif isinstance(node.thing, _Field):
                yield from self.written(node.thing.before, None)
                if isinstance(node, Span):
                    yield from self.written(node.inside, node.thing.plain)
                    yield from self.written(node.thing.after, None)
            elif isinstance(node.thing, _Mark):
                run = office.run_of(self.paragraph, node.thing.properties)
                run.append(node.thing.element)
                node.thing.element.tail = None
                yield run
            elif isinstance(node, Lone):
                yield node.thing
            elif isinstance(node.thing, Style):
                yield from self.written(node.inside, node.thing)
            else:
                _unbind(node.thing.element)
                _fill(node.thing.holder, self.written(node.inside, node.thing.plain))
                yield node.thing.element

    def _run(self, text: str, style: Style | None) -> etree._Element:
        run = office.run_of(self.paragraph, style.thing if style else None)
        for properties in run:  # which name the language that the run was in, and its direction
            _remove(properties, "w:rtl", "w:lang")
        if self.right_to_left:
            if not len(run):
                run.append(sibling(run, "rPr"))
            _insert(run[0], sibling(run, "rtl"), _AFTER_RTL)
        element = sibling(self.paragraph, "t")
        element.text = text
        element.set(SPACE, "preserve")
        run.append(element)
        return run


def _remove(parent: etree._Element, *names: str) -> None:
    for child in list(parent):
        if short(child.tag) in names:
            parent.remove(child)


def _insert(parent: etree._Element, child: etree._Element, before: frozenset[str]) -> None:
    """Insert *child* where the order of the schema wants it: before the first of the names *before*."""
    at = next((at for at, each in enumerate(parent) if short(each.tag) in before), len(parent))
    parent.insert(at, child)


# ---- the watermark: light slanted words behind the text of every page, in the headers as Word does it

TEXT = "Machine translation"

_TRANSITIONAL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STRICT = "http://purl.oclc.org/ooxml/officeDocument/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_HEADER = "application/vnd.openxmlformats-officedocument.wordprocessingml.header+xml"

Read = Callable[[str], bytes | None]


class Watermark:
    """The parts of one document that a watermark touches; *read* gives a member as it will be written, or None."""

    def __init__(self, read: Read) -> None:
        self._read = read
        links = self._parsed("_rels/.rels").iter(f"{{{_PACKAGE}}}Relationship")
        main = next((each for each in links if each.get("Type", "").endswith("/officeDocument")), None)
        if main is None:
            raise Unreadable("The document is not a Word document (.docx).")
        self._name = posixpath.normpath(main.get("Target", "").lstrip("/"))
        self._folder, name = posixpath.split(self._name)
        self._links_name = posixpath.join(self._folder, "_rels", f"{name}.rels")
        self._document = self._parsed(self._name)
        self._w = self._document.tag.partition("}")[0] + "}"
        self._r = _STRICT if "purl.oclc.org" in self._w else _TRANSITIONAL
        self._links = self._parsed(self._links_name, f'<Relationships xmlns="{_PACKAGE}"/>')
        self._changed: dict[str, bytes] = {}

    def parts(self) -> dict[str, bytes]:
        """Return the members of a docx to add or to replace so that every page carries the watermark."""
        headers = {  # the names of the header parts by the ids they are referred to with
            link.get("Id", ""): posixpath.normpath(posixpath.join("/", self._folder, link.get("Target", "")))
            for link in self._links
            if link.get("Type", "").endswith("/header")
        }
        ids = {link.get("Id") for link in self._links}
        new_id = next(free for number in itertools.count(1) if (free := f"rIdMark{number}") not in ids)
        settings = self._read(posixpath.join(self._folder, "settings.xml")) or b""
        has_even = b"evenAndOddHeaders" in settings
        new: set[str] = set()
        had: set[str] = set()
        for section in self._sections():
            held = {each.get(f"{self._w}type"): each for each in section.findall(f"{self._w}headerReference")}
            for each in held.values():
                self._mark(headers.get(each.get(f"{{{self._r}}}id", ""), "")[1:])
            first = section.find(f"{self._w}titlePg")
            has_first = first is not None and first.get(f"{self._w}val", "true") not in ("0", "false", "off")
            wanted = {"default", *(["first"] if has_first else []), *(["even"] if has_even else [])}
            missing = wanted - had - held.keys()
            for kind in sorted(missing):
                reference = section.makeelement(f"{self._w}headerReference")
                reference.set(f"{self._w}type", kind)
                reference.set(f"{{{self._r}}}id", new_id)
                section.insert(0, reference)
            new |= missing
            had |= missing | {kind for kind in held if kind}
        if new:
            self._add_header(new_id)
        return self._changed

    def _parsed(self, name: str, otherwise: str = "") -> etree._Element:
        data = self._read(name)
        data = otherwise.encode() if data is None else data
        if not data:
            raise Unreadable("The document lacks one of its parts.")
        return parse(data)

    def _sections(self) -> Iterator[etree._Element]:
        """Yield the sections' properties; a document without any gets those of its last section."""
        body = self._document.find(f"{self._w}body")
        if body is None:
            return
        if body.find(f"{self._w}sectPr") is None:
            body.append(body.makeelement(f"{self._w}sectPr"))
        for section in self._document.iter(f"{self._w}sectPr"):
            parent = section.getparent()
            if parent is not None and parent.tag in (f"{self._w}body", f"{self._w}pPr"):
                yield section

    def _mark(self, name: str) -> None:
        if not name or name in self._changed or self._read(name) is None:
            return
        header = self._parsed(name)
        paragraph = header.find(f"{self._w}p")
        if paragraph is None:
            paragraph = header.makeelement(f"{self._w}p")
            header.append(paragraph)
        paragraph.append(parse(self._words(len(self._changed)).encode()))
        self._changed[name] = serialised(header)

    def _add_header(self, new_id: str) -> None:
        """Add a header part of our own, and make the document refer to it."""
        names = (posixpath.join(self._folder, f"headerMark{number}.xml") for number in itertools.count(1))
        name = next(each for each in names if self._read(each) is None)
        paragraph = f"<w:p>{self._words(len(self._changed))}</w:p>"
        self._changed[name] = (
            '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
            f'<w:hdr xmlns:w="{self._w[1:-1]}" xmlns:r="{self._r}">{paragraph}</w:hdr>'
        ).encode()
        link = {"Id": new_id, "Type": f"{self._r}/header", "Target": f"/{name}"}
        self._links.append(self._links.makeelement(f"{{{_PACKAGE}}}Relationship", link))
        types = self._parsed("[Content_Types].xml")
        entry = {"PartName": f"/{name}", "ContentType": _HEADER}
        types.append(types.makeelement(f"{{{_TYPES}}}Override", entry))
        self._changed[self._name] = serialised(self._document)
        self._changed[self._links_name] = serialised(self._links)
        self._changed["[Content_Types].xml"] = serialised(types)

    def _words(self, number: int) -> str:
        """Return a run that draws the words behind the page."""
        ids = {"number": number, "shape": 4097 + number}
        return str(read("docx.json")["watermark"].format(w=self._w[1:-1], text=TEXT, **ids))
