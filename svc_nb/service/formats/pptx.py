"""Presentations: slides, notes, comments, diagrams, charts and the fixed words of their masters."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from lxml import etree

from . import Wish, Words, office, xlsx
from .office import Unit, short
from .zip_package import Package

_SHOW = "application/vnd.openxmlformats-officedocument.presentationml."
_SHOWS = tuple(f"{_SHOW}{name}.main+xml" for name in ("presentation", "slideshow", "template"))
_NEW_COMMENTS = "application/vnd.ms-powerpoint.comments+xml"
_SLIDES = frozenset((f"{_SHOW}slide+xml", f"{_SHOW}notesSlide+xml", _NEW_COMMENTS, *office.DRAWINGS))
_MODELS = frozenset((f"{_SHOW}slideLayout+xml", f"{_SHOW}slideMaster+xml"))


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate the presentation *source* into *target*; parts without words keep their bytes."""
    with Package(source) as package:
        readers: dict[str, office.Reader] = {}
        for name, kind in office.kinds(package, _SHOWS, "a presentation (.pptx)").items():
            if kind in _SLIDES:
                readers[name] = partial(office.read_drawing, right_to_left=wish.right_to_left)
            elif kind in _MODELS:
                readers[name] = partial(_fixed, right_to_left=wish.right_to_left)
            elif kind == f"{_SHOW}comments+xml":
                readers[name] = partial(office.read_texts, name="p:text")
            elif kind == office.PROPERTIES:
                readers[name] = office.read_title
        package.write(target, xlsx.translated_with_charts(package, readers, words, wish))


def _fixed(root: etree._Element, *, right_to_left: bool) -> Iterator[Unit]:
    """Yield what a layout or a master shows on each slide: not the prompts of its placeholders."""
    placeholders: dict[etree._Element, bool] = {}

    def is_prompt(paragraph: etree._Element) -> bool:
        shape = next((each for each in paragraph.iterancestors() if short(each.tag) == "p:sp"), None)
        if shape is not None and shape not in placeholders:
            placeholders[shape] = any(short(each.tag) == "p:ph" for each in shape[0].iter())
        return shape is not None and placeholders[shape]

    return office.read_drawing(root, right_to_left=right_to_left, skipped=is_prompt)
