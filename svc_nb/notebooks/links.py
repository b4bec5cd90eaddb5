"""Links between files: the headings of a file that other files of its folder or project link to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from urllib.parse import unquote

# A folder with one of these is the root of a project.
PROJECT = ("mkdocs.yml", "conf.py", "_config.yml", "_toc.yml", "myst.yml", "book.toml", "docusaurus.config.js", ".git")
ENDINGS = (".md", ".markdown", ".mdown", ".myst", ".ipynb", ".html")
MOST_FOLDERS, MOST_FILES, LARGEST = 2_000, 5_000, 2_000_000


def linked_from_outside(source: Path) -> list[str]:
    """The heading names and ids of *source* that files beside it, below it or in its project link to."""
    path = source.resolve()
    at_home = Path.home().resolve().parents
    folders = [folder for folder in path.parents if folder not in at_home]
    root = next((each for each in folders if any((each / name).exists() for name in PROJECT)), path.parent)
    address = re.compile(rf"(?<![\w.-]){re.escape(path.stem)}(?:\.\w+|/)?#([^\s()\"'<>\\\]]+)")
    found: dict[str, None] = {}
    for file in _files(root):
        if file != path and (text := _text(file)) and path.stem in text:
            found.update(dict.fromkeys(unquote(name) for name in address.findall(text)))
    return list(found)


def _files(root: Path) -> Iterator[Path]:
    """The pages in and below a folder, limited to as many folders and files as can be read quickly."""
    count = 0
    for folder, below, names in islice(os.walk(root), MOST_FOLDERS):
        below[:] = sorted(name for name in below if not name.startswith(".") and name != "node_modules")
        for name in sorted(names):
            if name.lower().endswith(ENDINGS):
                yield Path(folder, name)
                count += 1
                if count == MOST_FILES:
                    return


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace") if file.stat().st_size <= LARGEST else ""
    except OSError:
        return ""
