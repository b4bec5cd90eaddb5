"""A watermark for Word documents: light slanted words behind the text of every page, in the headers as Word does it."""

from __future__ import annotations

import itertools
import posixpath
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from . import Unreadable
from .safe_xml import parse, serialised

if TYPE_CHECKING:
    from lxml import etree

TEXT = "Machine translation"

_TRANSITIONAL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STRICT = "http://purl.oclc.org/ooxml/officeDocument/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_HEADER = "application/vnd.openxmlformats-officedocument.wordprocessingml.header+xml"
_VML = 'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"'

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
        place = (
            "position:absolute;margin-left:0;margin-top:0;width:500pt;height:62pt;rotation:315;z-index:-251658752;"
            "mso-position-horizontal:center;mso-position-horizontal-relative:margin;"
            "mso-position-vertical:center;mso-position-vertical-relative:margin"
        )
        return (
            f'<w:r xmlns:w="{self._w[1:-1]}" {_VML}><w:rPr><w:noProof/></w:rPr><w:pict>'
            '<v:shapetype id="_x0000_t136" coordsize="21600,21600" o:spt="136" adj="10800" '
            'path="m@7,l@8,m@5,21600l@6,21600e"><v:formulas>'
            '<v:f eqn="sum #0 0 10800"/><v:f eqn="prod #0 2 1"/><v:f eqn="sum 21600 0 @1"/>'
            '<v:f eqn="sum 0 0 @2"/><v:f eqn="sum 21600 0 @3"/><v:f eqn="if @0 @3 0"/>'
            '<v:f eqn="if @0 21600 @1"/><v:f eqn="if @0 0 @2"/><v:f eqn="if @0 @4 21600"/>'
            '</v:formulas><v:path textpathok="t" o:connecttype="rect"/><v:textpath on="t" fitshape="t"/>'
            f'</v:shapetype><v:shape id="PowerPlusWaterMarkObject{number}" o:spid="_x0000_s{4097 + number}" '
            f'type="#_x0000_t136" style="{place}" o:allowincell="f" fillcolor="#c0c0c0" stroked="f">'
            '<v:fill opacity=".4"/><v:textpath style="font-family:Arial;font-size:1pt" '
            f'string="{TEXT}"/></v:shape></w:pict></w:r>'
        )
