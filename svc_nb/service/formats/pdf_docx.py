"""A docx of what a PDF holds: headings, paragraphs, lists, tables, pictures, headers and footers with page fields."""

import base64
import io
import itertools
import re
import zipfile
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from . import Wish
from .docx import Watermark
from .scripts import Runs
from .tagged_text import FORBIDDEN

_FAMILIES = {"sans": "Arial", "serif": "Times New Roman", "mono": "Courier New"}
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_NUMBERED = re.compile(r"(\d{1,4})\.")
_LINKS = ("http://", "https://", "mailto:")
_BULLETS = ("List Bullet", "List Bullet 2", "List Bullet 3")
_HALF = 0.5
_MOST_INDENT = 72.0
_OTHER_FONT, _LONGEST_WORD, _LONGEST_LINE = 1.2, 15, 1_000
_WHITE, _LEAST_CONTRAST = (255, 255, 255), 45

Item = dict[str, Any]


def write_docx(
    target: Path, said: dict[str, Any], answers: Sequence[Runs], figures: Sequence[tuple[str, float, float]], wish: Wish
) -> None:
    """Write a docx to the file *target*: what a PDF's process *said*, with *answers* for its texts, and its *figures*.

    A figure is a picture as base64, and how wide and high it is.
    """
    into = io.BytesIO()
    _Writer(said, answers, figures, wish).document.save(into)
    with zipfile.ZipFile(into) as made:
        parts = {name: made.read(name) for name in made.namelist()}
    if wish.watermark:
        parts |= Watermark(parts.get).parts()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name, data)


class _Writer:
    """Writes one document."""

    def __init__(
        self, said: dict[str, Any], answers: Sequence[Runs], figures: Sequence[tuple[str, float, float]], wish: Wish
    ) -> None:
        import docx
        from docx.shared import Pt

        self.pt = Pt
        self.wish = wish
        self.answers, self.figures = answers, figures
        self.looks: list[Item] = said["looks"]
        flow = said["flow"]
        self.addresses: list[str] = flow["addresses"]
        self.document = docx.Document()
        self.source_turned: bool = flow["right_to_left"]
        self.page: float = flow["page"][0]
        self.left: float = flow["margins"][0]
        self.height: float = max(72.0, flow["page"][1] - flow["margins"][1] - flow["margins"][3] - 12)
        self.width = self._set_page(flow["page"], flow["margins"])
        self.styled: dict[tuple[int, float, bool, bool], Any] = {}
        self.number: tuple[int, Any] = (0, None)  # the last of a numbered list, and the list
        self._add_items(self.document, flow["items"], self.width)
        self._add_running(flow)

    def _set_page(self, page: Sequence[float], margins: Sequence[float]) -> float:
        """Set up pages and styles; return how wide the text is."""
        from docx.oxml.ns import qn

        document, section = self.document, self.document.sections[0]
        wide, high = (max(72.0, min(1584.0, edge)) for edge in page)
        left, top, right, bottom = margins
        section.page_width, section.page_height = self.pt(wide), self.pt(high)
        section.left_margin, section.right_margin = self.pt(left), self.pt(right)
        section.top_margin, section.bottom_margin = self.pt(top), self.pt(bottom)
        for name in ("Normal", "Heading 1", "Heading 2", "Heading 3", *_BULLETS, "List Number"):
            spacing = document.styles[name].paragraph_format
            spacing.space_before = spacing.space_after = self.pt(0)
            spacing.line_spacing = 1.0
            for close in document.styles[name].element.xpath(".//w:contextualSpacing"):
                close.getparent().remove(close)
        for language in document.styles.element.iter(qn("w:lang")):
            language.set(qn("w:val"), self.wish.language_tag)
        package = document.part.package
        for key in [key for key, part in package.rels.items() if part.reltype.endswith("/thumbnail")]:
            del package.rels[key]
        properties = document.core_properties
        properties.author = properties.title = properties.comments = ""
        return wide - left - right

    # ---- what is in the body, or in a cell

    def _add_items(self, into: Any, items: Sequence[Item], width: float) -> None:
        from docx.enum.text import WD_ALIGN_PARAGRAPH

        breaks = False
        before: Item | None = None
        beside: Any = None
        last: Any = None
        for is_list, group in itertools.groupby(items, key=lambda each: bool(each.get("marker"))):
            together = list(group)
            depths = sorted({round(each["indent"] / 9) for each in together}) if is_list else []
            for item in together:
                if "break" in item:
                    breaks = True
                    continue
                if breaks and "texts" not in item:
                    into.add_page_break()
                if "rows" in item:
                    if last is not None:
                        last.paragraph_format.space_after = self.pt(item["gap"])
                    last = self._add_table(into, item, width)
                elif "image" in item:
                    if not (before and "image" in before and _is_beside(before, item)):
                        last = beside = _new_paragraph(into)
                        beside.paragraph_format.space_before = self.pt(item["gap"])
                        beside.paragraph_format.left_indent = self._indent(item, width)
                    self._add_image(beside, item, width)
                    if self._is_central(item):
                        beside.alignment, beside.paragraph_format.left_indent = WD_ALIGN_PARAGRAPH.CENTER, None
                else:
                    depth = depths.index(round(item["indent"] / 9)) if is_list else 0
                    last = self._add_paragraph(into, item, depth)
                    last.paragraph_format.page_break_before = breaks or None
                breaks = False
                before = item

    def _add_paragraph(self, into: Any, item: Item, depth: int) -> Any:
        from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_LINE_SPACING, WD_TAB_ALIGNMENT, WD_TAB_LEADER

        paragraph = _new_paragraph(into)
        layout = paragraph.paragraph_format
        if item["level"]:
            paragraph.style = f"Heading {item['level']}"
        elif item["marker"]:
            self._mark(paragraph, item["marker"], depth)
        layout.space_before = self.pt(item["gap"])
        if item["leading"]:
            layout.line_spacing, layout.line_spacing_rule = self.pt(item["leading"]), WD_LINE_SPACING.AT_LEAST
        if item["first_indent"] > 1:
            layout.first_line_indent = self.pt(min(72.0, item["first_indent"]))
        aligns = {"centre": WD_ALIGN_PARAGRAPH.CENTER, "justify": WD_ALIGN_PARAGRAPH.JUSTIFY}
        if not self.source_turned:  # else the right is where lines begin
            aligns["right"] = WD_ALIGN_PARAGRAPH.RIGHT
        if not item["led"] and not item["marker"]:
            paragraph.alignment = aligns.get(item["align"])
        if item["led"]:
            layout.tab_stops.add_tab_stop(self.pt(self.width), WD_TAB_ALIGNMENT.RIGHT, WD_TAB_LEADER.DOTS)
            layout.left_indent = self.pt(max(0.0, min(_MOST_INDENT, item["indent"] - self.left)))
        if item["shade"] and not hasattr(into, "merge"):  # else its cell has the colour
            _insert(paragraph._p.get_or_add_pPr(), _shading(item["shade"]), _AFTER_SHADING)
        for number, text in enumerate(item["texts"]):
            if number:
                paragraph.add_run("\t")
            self._add_runs(paragraph, self._runs(text), item["shade"])
        _turn(paragraph)
        return paragraph

    def _mark(self, paragraph: Any, marker: str, depth: int) -> None:
        """Make a paragraph an item of a list: one with bullets, one that counts, or one with its mark as it is."""
        number = _NUMBERED.fullmatch(marker)
        if number is None and not any(map(str.isalnum, marker)):
            paragraph.style = _BULLETS[min(depth, len(_BULLETS) - 1)]
        elif number is None:
            layout = paragraph.paragraph_format
            layout.left_indent, layout.first_line_indent = self.pt(24 + 18 * depth), self.pt(-24)
            layout.tab_stops.add_tab_stop(self.pt(24 + 18 * depth))
            paragraph.add_run(f"{marker}\t")
        else:
            paragraph.style = "List Number"
            before, counted = self.number
            if counted is None or int(number[1]) != before + 1:
                numbering = self.document.part.numbering_part.element
                style = self.document.styles["List Number"].element.pPr.numPr.numId.val
                counted = numbering.add_num(numbering.num_having_numId(style).abstractNumId.val)
                counted.add_lvlOverride(ilvl=0).add_startOverride(int(number[1]))
            paragraph._p.get_or_add_pPr().get_or_add_numPr().get_or_add_numId().val = counted.numId
            self.number = (int(number[1]), counted)

    def _add_table(self, into: Any, item: Item, width: float) -> Any:
        """Add a table, and return the paragraph after it."""
        widths = [self.pt(each) for each in self._widths(item, width)]
        table = into.add_table(len(item["rows"]), len(widths))
        self._place_table(table, item, sum(each.pt for each in widths), width)
        for column, each in zip(table.columns, widths, strict=True):
            column.width = each
        for row, cells, height in zip(table.rows, item["rows"], item["heights"], strict=True):
            row.height = self.pt(min(height, self.height / 2)) if height > 1 else None
            held, at = list(row.cells), 0
            for items, span in cells:
                cell = held[at].merge(held[at + span - 1]) if span > 1 else held[at]
                cell.width = sum(widths[at : at + span])
                at += span
                if shade := next((each["shade"] for each in items if each.get("shade")), None):
                    _insert(cell._tc.get_or_add_tcPr(), _shading(shade), ("noWrap", "tcMar", "vAlign"))
                self._add_items(cell, items, cell.width.pt - sum(item["padding"]))
        after = into.add_paragraph()  # two tables that touch would be one
        after.paragraph_format.line_spacing = self.pt(1)
        return after

    def _place_table(self, table: Any, item: Item, wide: float, width: float) -> None:
        """Set where a table of a width is, the space in its cells and whether it has lines."""
        from docx.enum.table import WD_TABLE_ALIGNMENT, WD_TABLE_DIRECTION

        properties = table._tbl.tblPr
        if self._is_central({**item, "width": sum(item["widths"])}):
            table.alignment = WD_TABLE_ALIGNMENT.CENTER
        elif (indent := self._indent({**item, "width": wide}, width)) is not None:
            _insert(properties, _measured("w:tblInd", indent.pt + item["padding"][0]), _AFTER_INDENT)
        if item["ruled"]:
            table.style = "Table Grid"
        if self.wish.right_to_left:
            table.table_direction = WD_TABLE_DIRECTION.RTL
        left, right = item["padding"]
        margins = _measured("w:tblCellMar")
        margins.extend([_measured("w:left", left), _measured("w:right", right)])
        _insert(properties, margins, ("tblLook",))

    def _widths(self, item: Item, width: float) -> list[float]:
        """Return the widths of a table's columns: as they were, or wider where a word would be broken.

        Where there are no lines between columns, what was one line stays one if it can. Columns with room to spare give
        some of it if the page has none.
        """
        wanted, least = list(item["widths"]), [0.0] * len(item["widths"])
        for row in item["rows"]:
            at = 0
            for items, span in row:
                word, line = (each + sum(item["padding"]) + 1 for each in self._lengths(items))
                if span == 1:
                    least[at] = max(least[at], word)
                    wanted[at] = max(wanted[at], word if item["ruled"] else line)
                at += span
        spare = [each - need for each, need in zip(wanted, least, strict=True)]
        share = min(1.0, max(0.0, sum(wanted) - width) / max(1.0, sum(spare)))
        given = [each - share * free for each, free in zip(wanted, spare, strict=True)]
        scale = min(1.0, width / sum(given))
        return [scale * each for each in given]

    def _lengths(self, items: Sequence[Item]) -> tuple[float, float]:
        """Return about how long the longest word is, and the longest text of one line: other fonts may show them."""
        from reportlab.pdfbase.pdfmetrics import stringWidth

        longest = whole = 0.0
        for item in items:
            length = 0.0
            for text, look in (run for number in item.get("texts", ()) for run in self._runs(number)):
                size, font = self.looks[look]["size"], "Helvetica-Bold" if self.looks[look]["bold"] else "Helvetica"
                for word in text[:_LONGEST_LINE].split():
                    wide = stringWidth(word, font, size) if word.isascii() else 0.6 * size * len(word)
                    longest = max(longest, min(wide, _LONGEST_WORD * size))
                    length += wide + 0.3 * size
            whole = max(whole, 0.0 if item.get("leading") else length)
        return _OTHER_FONT * longest, _OTHER_FONT * max(longest, whole)

    def _add_image(self, paragraph: Any, item: Item, width: float) -> None:
        image, wide, high = item["image"], item["width"], item["height"]
        if isinstance(image, int):
            image, wide, high = self.figures[image]
        shown = max(1.0, min(wide, width, wide * self.height / max(1.0, high)))
        height = self.pt(max(1.0, high * shown / max(1.0, wide)))
        paragraph.add_run().add_picture(io.BytesIO(base64.b64decode(image)), width=self.pt(shown), height=height)

    def _indent(self, item: Item, width: float) -> Any:
        """Return how far from the left something of a width is; nothing leaves the page."""
        free = max(0.0, width - item["width"])
        return self.pt(max(0.0, min(item["left"] - self.left, free))) if width == self.width else None

    def _is_central(self, item: Item) -> bool:
        """Whether something narrower than the text is in the middle of the page."""
        middle = item["left"] + item["width"] / 2
        return bool(abs(middle - self.page / 2) < 0.01 * self.page and item["width"] < 0.9 * self.width)

    # ---- texts

    def _runs(self, text: Any) -> Runs:
        return self.answers[text] if isinstance(text, int) else [(letters, look) for letters, look in text]

    def _add_runs(self, paragraph: Any, runs: Runs, ground: Sequence[int] | None = None) -> None:
        from docx.opc.constants import RELATIONSHIP_TYPE
        from docx.oxml import OxmlElement
        from docx.oxml.ns import qn

        main = max((self.looks[look]["size"] for text, look in runs if text.strip()), default=12.0)
        for text, look in runs:
            run = paragraph.add_run(FORBIDDEN.sub("", text))
            is_seen = _is_seen(self.looks[look]["colour"][:3], ground or _WHITE)
            key = (look, main, bool(_RIGHT_TO_LEFT.search(text)), is_seen)
            if key in self.styled:  # to copy is far quicker than to build
                run._r.insert(0, deepcopy(self.styled[key]))
            else:
                self._style(run, self.looks[look], main, is_seen=is_seen)
                self.styled[key] = run._r.rPr
            link = self.looks[look]["link"]
            address = self.addresses[link] if link >= 0 else ""
            if address.lower().startswith(_LINKS):
                around = OxmlElement("w:hyperlink")
                around.set(qn("r:id"), paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))
                run._r.addprevious(around)
                around.append(run._r)

    def _style(self, run: Any, look: Item, main: float, *, is_seen: bool) -> None:
        from docx.oxml import OxmlElement
        from docx.oxml.ns import qn
        from docx.shared import RGBColor

        font, family = run.font, _FAMILIES[look["family"]]
        font.name = family
        font.bold, font.italic = look["bold"], look["italic"]
        font.underline = look["underline"] or None
        size = main if look["rise"] else look["size"]  # Word makes raised letters smaller itself
        font.size = self.pt(max(1.0, min(200.0, round(2 * size) / 2)))
        if look["rise"]:
            setattr(font, "superscript" if look["rise"] > 0 else "subscript", True)
        if is_seen:  # else there was something behind them that is not in the docx
            font.color.rgb = RGBColor(*look["colour"][:3])
        if _RIGHT_TO_LEFT.search(run.text):  # such letters have a font, a size and a weight of their own
            font.rtl, font.cs_bold, font.cs_italic = True, look["bold"], look["italic"]
            run._r.rPr.rFonts.set(qn("w:cs"), family)
            own = OxmlElement("w:szCs")
            own.set(qn("w:val"), str(round(2 * font.size.pt)))
            run._r.rPr.sz.addnext(own)

    # ---- headers and footers

    def _add_running(self, flow: Item) -> None:
        """Write what most pages have at their top and bottom, for first, even and other pages where they differ."""
        from docx.oxml import OxmlElement
        from docx.oxml.ns import qn

        found, section = flow["running"], self.document.sections[0]
        pages = {page for each in found for page in each["pages"]}
        last = max(pages, default=0)
        groups = {"first": [0], "even": list(range(1, last + 1, 2)), "odd": list(range(2, last + 1, 2)) or [0]}
        chosen = {
            name: [each for each in found if len(set(group).intersection(each["pages"])) > _HALF * len(group)]
            for name, group in groups.items()
        }
        shown = [each for some in chosen.values() for each in some]
        chosen["odd"] += [each for each in found if each not in shown]
        has_even = bool(groups["even"]) and chosen["even"] != chosen["odd"]
        has_first = last > 0 and chosen["first"] != chosen["odd"]
        self.document.settings.odd_and_even_pages_header_footer = has_even
        section.different_first_page_header_footer = has_first
        self._fill(section.header, section.footer, chosen["odd"], flow)
        if has_even:
            self._fill(section.even_page_header, section.even_page_footer, chosen["even"], flow)
        if has_first:
            self._fill(section.first_page_header, section.first_page_footer, chosen["first"], flow)
        offset = next((each["offset"] for each in found if each["number"]), 0)
        if offset > 0:
            start = OxmlElement("w:pgNumType")
            start.set(qn("w:start"), str(1 + offset))
            section._sectPr.xpath("./w:pgMar")[0].addnext(start)

    def _fill(self, header: Any, footer: Any, found: Sequence[Item], flow: Item) -> None:
        from docx.enum.text import WD_TAB_ALIGNMENT

        wide, left = flow["page"][0], flow["margins"][0]
        for zone, part in (("header", header), ("footer", footer)):
            ours = [each for each in found if each["zone"] == zone]
            images = flow["images"] if zone == "header" else []
            if not ours and not images:
                continue
            part.is_linked_to_previous = False
            paragraph = part.paragraphs[0]
            for image in images:
                self._add_image(paragraph, image, self.width)
            for number, (_, row) in enumerate(itertools.groupby(ours, key=lambda each: round(each["at"][2] / 4))):
                paragraph = part.add_paragraph() if number or images else paragraph
                stops = paragraph.paragraph_format.tab_stops
                paragraph.style = self.document.styles["Normal"]
                stops.add_tab_stop(self.pt(self.width / 2), WD_TAB_ALIGNMENT.CENTER)
                stops.add_tab_stop(self.pt(self.width), WD_TAB_ALIGNMENT.RIGHT)
                column = 0
                for each in row:
                    u0, u1, _ = each["at"]
                    place = 0 if u0 - left < 0.2 * self.width else 2 if u1 - left > 0.8 * self.width else 1
                    place = 1 if abs((u0 + u1) / 2 - wide / 2) < 0.03 * wide else place
                    paragraph.add_run("\t" * (place - column) or (" " if paragraph.text else ""))
                    column = max(column, place)
                    self._add_fields(paragraph, self._runs(each["text"]), each)
                _turn(paragraph)

    def _add_fields(self, paragraph: Any, runs: Runs, each: Item) -> None:
        """Add runs with fields for the number of the page and the number of pages."""
        from docx.oxml import OxmlElement
        from docx.oxml.ns import qn

        waiting = {each["number"]: "PAGE", each["total"]: "NUMPAGES"}
        waiting.pop("", None)
        for text, look in runs:
            for part in re.split(r"(\d+)", text):
                field = waiting.pop(part, None)
                before = len(paragraph._p)
                self._add_runs(paragraph, [(part, look)] if part else [])
                if field:
                    around = OxmlElement("w:fldSimple")
                    around.set(qn("w:instr"), field)
                    run = paragraph._p[before]
                    run.addprevious(around)
                    around.append(run)


def _new_paragraph(into: Any) -> Any:
    """Return a new paragraph of a document or a cell; a cell begins with one."""
    paragraphs = into.paragraphs[-1:] if hasattr(into, "merge") else []
    is_new = bool(paragraphs) and len(into._element.xpath("./w:p|./w:tbl")) == 1 and not len(paragraphs[0]._p)
    return paragraphs[0] if is_new else into.add_paragraph()


def _is_beside(before: Item, image: Item) -> bool:
    """Whether two pictures are side by side."""
    low = max(before["bottom"], image["bottom"])
    high = min(before["bottom"] + before["height"], image["bottom"] + image["height"])
    return bool(high - low > 0.5 * min(before["height"], image["height"]))


def _turn(paragraph: Any) -> None:
    """Let a paragraph run from right to left if its text does."""
    from docx.oxml import OxmlElement

    if _RIGHT_TO_LEFT.search(paragraph.text):
        properties = paragraph._p.get_or_add_pPr()
        _insert(properties, OxmlElement("w:bidi"), _AFTER_BIDI)


_AFTER_BIDI = ("adjustRightInd", "snapToGrid", "spacing", "ind", "contextualSpacing", "mirrorIndents", "jc", "rPr")
_AFTER_INDENT = ("tblBorders", "shd", "tblLayout", "tblCellMar", "tblLook")
_AFTER_SHADING = ("tabs", "bidi", *_AFTER_BIDI)


def _insert(properties: Any, element: Any, after: Sequence[str]) -> None:
    """Put an element before those that have to come *after* it."""
    later = [each for each in properties if each.tag.rpartition("}")[2] in after]
    later[0].addprevious(element) if later else properties.append(element)


def _measured(name: str, points: float | None = None) -> Any:
    """Return an element of a table's properties that holds a width."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    element = OxmlElement(name)
    if points is not None:
        element.set(qn("w:w"), str(round(20 * points)))
        element.set(qn("w:type"), "dxa")
    return element


def _shading(colour: Sequence[int]) -> Any:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    shading = OxmlElement("w:shd")
    shading.set(qn("w:val"), "clear")
    shading.set(qn("w:color"), "auto")
    shading.set(qn("w:fill"), bytes(colour).hex().upper())
    return shading


def _is_seen(colour: Sequence[int], ground: Sequence[int]) -> bool:
    """Whether letters of a *colour* can be read on the *ground*."""
    return sum(abs(one - other) for one, other in zip(colour, ground, strict=True)) > _LEAST_CONTRAST
