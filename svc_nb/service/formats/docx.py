"""Word documents: body, tables, headers, footers, notes, comments, text boxes, diagrams and charts."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from . import Unreadable, Wish, Words, drawing, word
from .office import Reader, collect, is_right_to_left, kinds, makers, translated
from .package import Maker, Package

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_MAIN = tuple(f"{_WORD}{name}.main+xml" for name in ("document", "template"))
_PARTS = frozenset(
    (*_MAIN, *(f"{_WORD}{name}+xml" for name in ("header", "footer", "footnotes", "endnotes", "comments")))
)


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate the Word document *source* into *target*; parts without words keep their bytes."""
    with Package(source) as package:
        readers = _readers(package, right_to_left=is_right_to_left(wish.target_lang))
        answers = translated(collect(package, readers), words)
        changed = makers(package, readers, answers)
        if wish.watermark:
            changed |= _marked(package, changed)
        package.write(target, changed)


def _readers(package: Package, *, right_to_left: bool) -> dict[str, Reader]:
    parts = kinds(package)
    if not any(kind in _MAIN for kind in parts.values()):
        raise Unreadable("The document is not a Word document (.docx).")
    readers: dict[str, Reader] = {}
    for name, kind in parts.items():
        if kind in _PARTS:
            readers[name] = partial(word.read, right_to_left=right_to_left)
        elif kind in drawing.TYPES:
            readers[name] = partial(drawing.read, right_to_left=right_to_left)
    return readers


def _marked(package: Package, changed: dict[str, Maker]) -> dict[str, Maker]:
    """Return the parts that a watermark adds or changes, on top of the translation."""
    from .watermark import parts as watermarked

    def read(name: str) -> bytes | None:
        made = changed[name]() if name in changed else None
        return made if made is not None or name not in package else package.read(name)

    return {name: partial(bytes, part) for name, part in watermarked(read).items()}
