"""Where a translation is written: under the source's own name, never under one that came from the service."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from os import PathLike
from pathlib import Path

from svc_nb.documents.files import Wanted
from svc_nb.documents.kinds import KINDS


def out_folder(out: object) -> Path | None:
    """The folder that *out* names; None means beside each source."""
    if out is None:
        return None
    if not isinstance(out, str | PathLike):
        raise TypeError(f"out: expected the path of a folder, found {type(out).__name__}")
    return Path(out).expanduser().absolute()


def own_products(each: Wanted, *, out: Path | None) -> bool:
    """Whether a file of a folder looks like a translation that went there: not to be translated itself."""
    if each.root is None or not each.walked:
        return False
    if out is not None and out != each.root and out.is_relative_to(each.root):
        return each.path.is_relative_to(out)
    stem, _, language = each.path.stem.rpartition(".")
    return bool(stem) and language == each.target_lang.upper() and _has_source(each, stem)


def outputs(asked: Sequence[Wanted], *, out: Path | None) -> list[Path]:
    """The path for the translation of each: the source's name, with the language in it where it could be mistaken."""
    languages = {each.target_lang.upper() for each in asked}
    return [_output(each, out=out, marked=len(languages) > 1) for each in asked]


def free_name(path: Path) -> Path:
    """*path*, or the next name that nothing has yet.

    >>> free_name(Path("/nowhere/a.docx")).name
    'a.docx'
    """
    if not path.exists():
        return path
    numbered = (path.with_name(f"{path.stem} ({number}){path.suffix}") for number in count(2))
    return next(each for each in numbered if not each.exists())


def _output(each: Wanted, *, out: Path | None, marked: bool) -> Path:
    source = each.path.parent
    folder = source if out is None else out
    if out is not None and each.root is not None:
        folder = out / each.path.parent.relative_to(each.root)
    inside = out is None or folder == source or (each.root is not None and out.is_relative_to(each.root))
    name = each.path.stem
    return (
        folder / f"{name}.{each.target_lang.upper()}{_ending(each)}"
        if inside or marked
        else (folder / f"{name}{_ending(each)}")
    )


def _ending(each: Wanted) -> str:
    """The ending of what comes back: the source's own, as it is written, unless another kind does."""
    kind = KINDS.get(each.ending)
    back = each.options.output_format or (kind.comes_back if kind else each.ending)
    return each.path.suffix if back.lower() == each.ending else f".{back.lower()}"


def _has_source(each: Wanted, stem: str) -> bool:
    return any(
        (each.path.parent / f"{stem}.{ending}").exists() for ending in (each.path.suffix[1:], "pdf", "doc")
    )
