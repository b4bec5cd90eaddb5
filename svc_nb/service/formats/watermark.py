"""A watermark for Word documents: light slanted words behind the text of every page, in the headers as Word does it."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from . import Unreadable, defused

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


def parts(read: Read) -> dict[str, bytes]:
    """Return the members of a docx to add or to replace so that every page carries the watermark.

    *read* gives a member as it will be written, or None where there is none.
    """
    return _Marking(read).done()


class _Marking:
    """The parts of one document that a watermark touches."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._name = self._main()
        folder, name = posixpath.split(self._name)
        self._folder = folder
        self._links_name = posixpath.join(folder, "_rels", f"{name}.rels")
        self._document = self._parsed(self._name)
        self._w = self._document.tag.partition("}")[0] + "}"
        self._r = _STRICT if "purl.oclc.org" in self._w else _TRANSITIONAL
        self._links = self._parsed(self._links_name, f'<Relationships xmlns="{_PACKAGE}"/>')
        self._changed: dict[str, bytes] = {}

    def done(self) -> dict[str, bytes]:
        targets = self._targets()
        new: set[str] = set()
        had: set[str] = set()
        for section in self._sections():
            held = {each.get(f"{self._w}type"): each for each in section.findall(f"{self._w}headerReference")}
            for each in held.values():
                self._mark(targets.get(each.get(f"{{{self._r}}}id", ""), ""))
            missing = self._wanted(section) - had - held.keys()
            for kind in sorted(missing):
                self._refer(section, kind)
            new |= missing
            had |= missing | {kind for kind in held if kind}
        if new:
            self._add_header()
        return self._changed

    def _main(self) -> str:
        """Return the name of the document's main part."""
        for link in self._parsed("_rels/.rels").iter(f"{{{_PACKAGE}}}Relationship"):
            if link.get("Type", "").endswith("/officeDocument"):
                return posixpath.normpath(link.get("Target", "").lstrip("/"))
        raise Unreadable("The document is not a Word document (.docx).")

    def _parsed(self, name: str, otherwise: str = "") -> etree._Element:
        data = self._read(name)
        if data is None:
            data = otherwise.encode()
        if not data:
            raise Unreadable("The document lacks one of its parts.")
        return defused.parse(data)

    def _targets(self) -> dict[str, str]:
        """Return the names of the header parts by the ids they are referred to with."""
        return {
            link.get("Id", ""): posixpath.normpath(posixpath.join("/", self._folder, link.get("Target", "")))[
                1:
            ]
            for link in self._links
            if link.get("Type", "").endswith("/header")
        }

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

    def _wanted(self, section: etree._Element) -> set[str]:
        """Return the kinds of headers that pages of *section* show."""
        first = section.find(f"{self._w}titlePg")
        wanted = {"default"}
        if first is not None and first.get(f"{self._w}val", "true") not in ("0", "false", "off"):
            wanted.add("first")
        if b"evenAndOddHeaders" in (self._read(posixpath.join(self._folder, "settings.xml")) or b""):
            wanted.add("even")
        return wanted

    def _mark(self, name: str) -> None:
        if not name or name in self._changed or self._read(name) is None:
            return
        header = self._parsed(name)
        paragraph = header.find(f"{self._w}p")
        if paragraph is None:
            paragraph = header.makeelement(f"{self._w}p")
            header.append(paragraph)
        paragraph.append(defused.parse(self._words(len(self._changed)).encode()))
        self._changed[name] = defused.serialised(header)

    def _refer(self, section: etree._Element, kind: str) -> None:
        reference = section.makeelement(f"{self._w}headerReference")
        reference.set(f"{self._w}type", kind)
        reference.set(f"{{{self._r}}}id", self._new_id())
        section.insert(0, reference)

    def _new_id(self) -> str:
        ids = {link.get("Id") for link in self._links}
        number = 1
        while f"rIdMark{number}" in ids:
            number += 1
        return f"rIdMark{number}"

    def _add_header(self) -> None:
        """Add a header part of our own, and make the document refer to it."""
        name = self._free_name()
        paragraph = f"<w:p>{self._words(len(self._changed))}</w:p>"
        space = self._w[1:-1]
        self._changed[name] = (
            '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
            f'<w:hdr xmlns:w="{space}" xmlns:r="{self._r}">{paragraph}</w:hdr>'
        ).encode()
        link = self._links.makeelement(f"{{{_PACKAGE}}}Relationship")
        link.set("Id", self._new_id())
        link.set("Type", f"{self._r}/header")
        link.set("Target", f"/{name}")
        self._links.append(link)
        types = self._parsed("[Content_Types].xml")
        entry = types.makeelement(f"{{{_TYPES}}}Override")
        entry.set("PartName", f"/{name}")
        entry.set("ContentType", _HEADER)
        types.append(entry)
        self._changed[self._name] = defused.serialised(self._document)
        self._changed[self._links_name] = defused.serialised(self._links)
        self._changed["[Content_Types].xml"] = defused.serialised(types)

    def _free_name(self) -> str:
        number = 1
        while self._read(name := posixpath.join(self._folder, f"headerMark{number}.xml")) is not None:
            number += 1
        return name

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
