"""Presentations: slides with their tables, notes, comments, diagrams and charts, and fixed words of their masters."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from . import Wish, Words
from .office import DRAWINGS, Reader, Unit, kinds, read_drawing, read_texts, short, translated_parts
from .zip_package import Package

if TYPE_CHECKING:
    from lxml import etree

_SHOW = "application/vnd.openxmlformats-officedocument.presentationml."
_MAIN = tuple(f"{_SHOW}{name}.main+xml" for name in ("presentation", "slideshow", "template"))
_NEW_COMMENTS = "application/vnd.ms-powerpoint.comments+xml"
_PARTS = frozenset((f"{_SHOW}slide+xml", f"{_SHOW}notesSlide+xml", _NEW_COMMENTS, *DRAWINGS))
_MODELS = frozenset((f"{_SHOW}slideLayout+xml", f"{_SHOW}slideMaster+xml"))
_COMMENTS = f"{_SHOW}comments+xml"


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate the presentation *source* into *target*; parts without words keep their bytes."""
    with Package(source) as package:
        readers: dict[str, Reader] = {}
        for name, kind in kinds(package, _MAIN, "a presentation (.pptx)").items():
            if kind in _PARTS:
                readers[name] = partial(read_drawing, right_to_left=wish.right_to_left)
            elif kind in _MODELS:
                readers[name] = partial(_fixed, right_to_left=wish.right_to_left)
            elif kind == _COMMENTS:
                readers[name] = partial(read_texts, name="p:text")
        package.write(target, translated_parts(package, readers, words))


def _fixed(root: etree._Element, *, right_to_left: bool) -> Iterator[Unit]:
    """Yield what a layout or a master shows on each slide: not the prompts of its placeholders."""
    placeholders: dict[etree._Element, bool] = {}

    def is_prompt(paragraph: etree._Element) -> bool:
        shape = next((each for each in paragraph.iterancestors() if short(each.tag) == "p:sp"), None)
        if shape is not None and shape not in placeholders:
            placeholders[shape] = any(short(each.tag) == "p:ph" for each in shape[0].iter())
        return shape is not None and placeholders[shape]

    return read_drawing(root, right_to_left=right_to_left, skipped=is_prompt)
