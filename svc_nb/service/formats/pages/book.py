"""The file itself, by pypdf: old texts taken out of the pages, new pages laid over them, titles replaced."""

import io
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import content
from .blocks import Block
from .glyphs import DEEPEST_FORM, Box, Layer, Sheet

MOST_PAGES = 5_000
_OVER = "/SvcOver"
_NOWHERE = (0.0, 0.0, 0.0, 0.0)


class Book:
    """A PDF that is written again."""

    def __init__(self, data: bytes) -> None:
        from pypdf import PdfReader, PdfWriter

        reader = PdfReader(io.BytesIO(data), strict=False)
        self._writer = PdfWriter(clone_from=reader)
        self._root: Any = self._writer._root_object
        for key in ("/StructTreeRoot", "/MarkInfo", "/Metadata", "/Perms"):
            self._root.pop(key, None)

    def rotation(self, number: int) -> int:
        """Return by how much a page is turned to be looked at."""
        return int(self._writer.pages[number].rotation)

    def clear(self, number: int, sheet: Sheet, blocks: Sequence[Block]) -> list[Block]:
        """Take *blocks* out of a page, and return them with those that had to go with them."""
        page: Any = self._writer.pages[number]
        page.pop("/StructParents", None)
        data = content.parsed(_contents(page))
        streams = _Streams(page, data, sheet.layer)
        gone = streams.removed(sheet, blocks)
        page[_name("/Contents")] = self._stream(streams.cleared())
        page[_name("/Resources")] = streams.resources
        return gone

    def relink(self, number: int, links: Sequence[Sequence[Box]], places: Mapping[int, Sequence[Box]]) -> None:
        """Move the links of a page, once at *links*, to the *places* of the words that they stood on."""
        page: Any = self._writer.pages[number]
        notes = _direct(page.get("/Annots"))
        if not places or not isinstance(notes, list):
            return
        held = [_direct(note) for note in notes]
        for link, boxes in places.items():
            ours = [note for note in held if any(_is_at(note, box) for box in links[link])]
            for note, box in itertools.zip_longest(ours, boxes) if ours else ():
                if note is None:  # it has more lines than it had
                    note = type(ours[0])(ours[0])
                    notes.append(self._writer._add_object(note))
                _move(note, box or _NOWHERE)

    def lay_over(self, new: bytes) -> None:
        """Lay the pages of another PDF over the pages."""
        from pypdf import PdfReader
        from pypdf.generic import ArrayObject, DictionaryObject, NumberObject

        for page, over in zip(self._writer.pages, PdfReader(io.BytesIO(new)).pages, strict=True):
            form: Any = self._form(over)
            resources = DictionaryObject(_resources(page))
            drawn = DictionaryObject(_direct(resources.get("/XObject")) or {})
            drawn[_name(_OVER)] = self._writer._add_object(form)
            resources[_name("/XObject")] = drawn
            page[_name("/Resources")] = resources
            box = [NumberObject(edge) for edge in (-20000, -20000, 20000, 20000)]
            form[_name("/BBox")] = ArrayObject(box)
            before, after = self._stream(b"q\n"), self._stream(b"\nQ\nq " + _OVER.encode() + b" Do Q\n")
            page[_name("/Contents")] = ArrayObject([before, *_parts(page), after])

    def titles(self) -> list[str]:
        """Return the titles that stand outside the pages: the document's own and its bookmarks."""
        return [str(holder[key]) for holder, key in self._titled()]

    def retitle(self, titles: Sequence[str]) -> None:
        """Replace the titles, in the order of `titles`."""
        from pypdf.generic import TextStringObject

        for (holder, key), title in zip(list(self._titled()), titles, strict=True):
            holder[_name(key)] = TextStringObject(title)

    def _titled(self) -> Iterator[tuple[Any, str]]:
        info: Any = _direct(getattr(self._writer, "_info", None)) or {}
        for key in ("/Title", "/Subject"):
            if isinstance(info.get(key), str) and any(map(str.isalpha, info[key])):
                yield info, key
        waiting, seen = [_direct(self._root.get("/Outlines"))], 0
        while waiting and (seen := seen + 1) < 10_000:
            entry = waiting.pop()
            if not isinstance(entry, dict):
                continue
            if isinstance(entry.get("/Title"), str) and any(map(str.isalpha, entry["/Title"])):
                yield entry, "/Title"
            waiting += [_direct(entry.get("/Next")), _direct(entry.get("/First"))]

    def save(self) -> bytes:
        """Return the file."""
        into = io.BytesIO()
        self._writer.write(into)
        return into.getvalue()

    def _stream(self, data: bytes) -> Any:
        return self._writer._add_object(packed(data))

    def _form(self, over: Any) -> Any:
        form = packed(_contents(over))
        form[_name("/Type")], form[_name("/Subtype")] = _name("/XObject"), _name("/Form")
        form[_name("/Resources")] = over["/Resources"].clone(self._writer)
        return form


class _Streams:
    """The content of a page and of the forms on it, beside what PDFium made of them."""

    def __init__(self, holder: Any, stream: content.Stream, layer: Layer, depth: int = 0) -> None:
        from pypdf.generic import DictionaryObject

        self.stream = stream
        self.layer = layer
        self.resources: Any = DictionaryObject(_resources(holder))
        self.drawn: Any = DictionaryObject(_direct(self.resources.get("/XObject")) or {})
        self.forms: list[tuple[int, Any, _Streams]] = []
        self.known = len(stream.shows) == len(layer.texts)
        self.ruled = len(stream.paints) == len(layer.paths)
        self.gone: set[int] = set()
        self.unruled: set[int] = set()
        self._add_forms(depth)

    def _add_forms(self, depth: int) -> None:
        found = [(number, self._drawn(number)) for number in range(len(self.stream.draws))]
        forms = [(number, form) for number, form in found if form is not None]
        if len(forms) != len(self.layer.forms) or depth > DEEPEST_FORM:
            self.known = False
        for at, (number, form) in enumerate(forms if depth <= DEEPEST_FORM else ()):
            layer = self.layer.forms[at] if len(forms) == len(self.layer.forms) else Layer()
            inner = _Streams(form, content.parsed(form.get_data()), layer, depth + 1)
            self.known = self.known and inner.known
            self.forms.append((number, form, inner))

    def _drawn(self, number: int) -> Any:
        item = _direct(self.drawn.get(self.stream.name(self.stream.draws[number])))
        return item if isinstance(item, dict) and item.get("/Subtype") == "/Form" else None

    def removed(self, sheet: Sheet, blocks: Sequence[Block]) -> list[Block]:
        """Mark what has to go for the texts of *blocks* to go; return *blocks* and those that go with them."""
        texts = {number for block in blocks if block.worded or block.leads for number in block.drawn}
        if texts and not self.known:
            texts |= {number for block in blocks for number in block.drawn}
            self._drop_all()
        while True:
            before = len(texts)
            texts |= {number for chain in self._chains() if not texts.isdisjoint(chain) for number in chain}
            texts |= {number for block in blocks if not texts.isdisjoint(block.drawn) for number in block.drawn}
            if len(texts) == before:
                break
        gone = [block for block in blocks if not texts.isdisjoint(block.drawn)]
        self._drop(texts, {number for block in gone for number in block.ruled})
        return gone

    def _chains(self) -> Iterator[list[int]]:
        if self.known:
            for chain in self.stream.chains:
                yield [self.layer.texts[at] for at in chain]
        for _, _, inner in self.forms:
            yield from inner._chains()

    def _drop(self, texts: set[int], rules: set[int]) -> None:
        if self.known:
            self.gone |= {at for at, number in enumerate(self.layer.texts) if number in texts}
        if self.ruled:
            self.unruled |= {at for at, number in enumerate(self.layer.paths) if number in rules}
        for _, _, inner in self.forms:
            inner._drop(texts, rules)

    def _drop_all(self) -> None:
        self.gone = set(range(len(self.stream.shows)))
        for _, _, inner in self.forms:
            inner._drop_all()

    def cleared(self) -> bytes:
        """Return the content without what goes; forms are copied for each place they are drawn at."""
        names: dict[int, str] = {}
        for number, form, inner in self.forms:
            data = inner.cleared()
            if inner.touched:
                names[number] = f"/SvcForm{number}"
                copy = packed(data, form)
                copy[_name("/Resources")] = inner.resources
                self.drawn[_name(names[number])] = form.indirect_reference.pdf._add_object(copy)
        if names:
            self.resources[_name("/XObject")] = self.drawn
        return content.edited(self.stream, shows=self.gone, paints=self.unruled, renamed=names.get)

    @property
    def touched(self) -> bool:
        """Whether anything is taken out of it."""
        return bool(self.gone or self.unruled or self.stream.marks) or any(inner.touched for _, _, inner in self.forms)


def packed(data: bytes, like: Any = None) -> Any:
    """Return a compressed stream of *data*, with the entries of the stream *like*."""
    from pypdf.generic import DecodedStreamObject

    stream: Any = DecodedStreamObject()
    for key, value in (like or {}).items():
        if key not in ("/Filter", "/DecodeParms", "/Length", "/StructParent", "/StructParents", "/F"):
            stream[key] = value
    stream.set_data(data)
    return stream.flate_encode()


def _is_at(note: Any, box: Box) -> bool:
    """Whether *note* is a link that stands at *box*."""
    if not isinstance(note, dict) or note.get("/Subtype") != "/Link":
        return False
    edges = [float(edge) for edge in _direct(note.get("/Rect")) or ()]
    if len(edges) != 4:
        return False
    x0, y0, x1, y1 = edges
    place = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
    return all(abs(one - other) < 0.05 for one, other in zip(place, box, strict=True))


def _move(note: Any, box: Box) -> None:
    from pypdf.generic import ArrayObject, FloatObject

    note[_name("/Rect")] = ArrayObject(FloatObject(round(edge, 2)) for edge in box)
    note.pop("/QuadPoints", None)


def _name(name: str) -> Any:
    from pypdf.generic import NameObject

    return NameObject(name)


def _direct(value: Any) -> Any:
    return value.get_object() if hasattr(value, "get_object") else value


def _parts(page: Any) -> list[Any]:
    """Return the streams of a page's content, by reference."""
    found = page.raw_get("/Contents") if "/Contents" in page else []
    inside = _direct(found)
    return list(inside) if isinstance(inside, list) else [found]


def _contents(page: Any) -> bytes:
    streams = [_direct(part) for part in _parts(page)]
    return b"\n".join(stream.get_data() for stream in streams if hasattr(stream, "get_data"))


def _resources(holder: Any) -> Any:
    """Return the resources of a page, perhaps those of its parents, or of a form."""
    for _ in range(50):
        if not isinstance(holder, dict):
            break
        if "/Resources" in holder:
            return _direct(holder["/Resources"])
        holder = _direct(holder.get("/Parent"))
    return {}
