"""Presentations: slides with their tables, notes, comments, diagrams and charts, and fixed words of their masters."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from . import Unreadable, Wish, Words, drawing
from .office import Reader, Unit, collect, is_right_to_left, kinds, makers, plain, short, translated, units
from .package import Package

if TYPE_CHECKING:
    from lxml import etree

_SHOW = "application/vnd.openxmlformats-officedocument.presentationml."
_MAIN = tuple(f"{_SHOW}{name}.main+xml" for name in ("presentation", "slideshow", "template"))
_PARTS = frozenset((f"{_SHOW}slide+xml", f"{_SHOW}notesSlide+xml", *drawing.TYPES))
_MODELS = frozenset((f"{_SHOW}slideLayout+xml", f"{_SHOW}slideMaster+xml"))
_COMMENTS = f"{_SHOW}comments+xml"
_NEW_COMMENTS = "application/vnd.ms-powerpoint.comments+xml"


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate the presentation *source* into *target*; parts without words keep their bytes."""
    with Package(source) as package:
        readers = _readers(package, right_to_left=is_right_to_left(wish.target_lang))
        answers = translated(collect(package, readers), words)
        package.write(target, makers(package, readers, answers))


def _readers(package: Package, *, right_to_left: bool) -> dict[str, Reader]:
    parts = kinds(package)
    if not any(kind in _MAIN for kind in parts.values()):
        raise Unreadable("The document is not a presentation (.pptx).")
    readers: dict[str, Reader] = {}
    for name, kind in parts.items():
        if kind in _PARTS or kind == _NEW_COMMENTS:
            readers[name] = partial(drawing.read, right_to_left=right_to_left)
        elif kind in _MODELS:
            readers[name] = partial(_fixed, right_to_left=right_to_left)
        elif kind == _COMMENTS:
            readers[name] = _comments
    return readers


def _fixed(root: etree._Element, *, right_to_left: bool) -> Iterator[Unit]:
    """Yield what a layout or a master shows on each slide: not the prompts of its placeholders."""
    placeholders: dict[etree._Element, bool] = {}

    def is_prompt(paragraph: etree._Element) -> bool:
        shape = next((each for each in paragraph.iterancestors() if short(each.tag) == "p:sp"), None)
        if shape is not None and shape not in placeholders:
            placeholders[shape] = any(short(each.tag) == "p:ph" for each in shape[0].iter())
        return shape is not None and placeholders[shape]

    return drawing.read(root, right_to_left=right_to_left, skipped=is_prompt)


def _comments(root: etree._Element) -> Iterator[Unit]:
    return units((plain(each), False) for each in root.iter() if short(each.tag) == "p:text")
