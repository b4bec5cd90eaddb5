"""One notebook in several languages: below each cell with words its translations, one cell for each language.

A cell says its language in its metadata, `"svc_nb": {"lang": "DE"}`, and by a tag, `lang-DE`, so that nbconvert can
leave out the other languages. Translations are made anew by each run, except those that somebody has edited, as long
as the cell that they were made from is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from svc_nb.notebooks import run
from svc_nb.notebooks.documents import Notebook, notebook_file, write_source
from svc_nb.tabular.report import Report, plural

OWN = "svc_nb"  # in a cell's metadata
TAG = "lang-"
Cell = dict[str, Any]
Edits = Mapping[tuple[str, str], str]  # texts that people wrote, by language and fingerprint of the source


def translate(
    source: Path,
    target_langs: Sequence[str],
    *,
    out: run.PathOf | None,
    replace: bool,
    front_matter: Sequence[str],
    budget: int | None,
    source_lang: str | None,
    **options: Any,
) -> run.TranslatedNotebook:
    """Translate a notebook into several languages, in one file; one that is such a file is brought up to date."""
    codes = list(dict.fromkeys(map(run.language_code, target_langs)))
    if not codes or source.suffix.lower() not in run.NOTEBOOKS:
        raise ValueError(f"{source}: expected a notebook and at least one language; a Markdown file takes one language")
    raw = run.read(source)
    given = run.notebook_in(source, raw)
    is_own = out is None and any(map(is_translation, given["cells"]))
    written = source if is_own else run.output_path(source, "-".join(codes), out)
    run.written_files().check(written, replace=replace)
    known = edits(run.notebook_in(written, written.read_bytes()) if written.exists() else given)
    base = source_cells(given)
    made: dict[str, run.Translated] = {}
    for code in codes:
        left = None if budget is None else max(budget - sum(each.billed_characters for each in made.values()), 0)
        page = Notebook(base, front_matter=front_matter, ending=f"-{code.lower()}")
        made[code] = run.translate(page, code, source_lang=source_lang, budget=left, **options)
    texts = {code: each.text for code, each in made.items()}
    text = merged(base, source_lang.upper() if source_lang else "source", texts, known)
    run.write(written, text, like=raw, replace=replace)
    names = ("segments", "sent", "stored", "billed_characters", "marked")
    counts = {name: sum(getattr(each, name) for each in made.values()) for name in names}
    table = pd.concat([each.left for each in made.values()], ignore_index=True).drop_duplicates(ignore_index=True)
    said = plural(len(table), "text stayed as it was", "texts stayed as they were") if len(table) else run.NOTHING_LEFT
    told = Report(table, said)
    return run.TranslatedNotebook(text, ", ".join(codes), **counts, left=told, path=written, source=source)


def source_cells(content: dict[str, Any]) -> dict[str, Any]:
    """The notebook without translations, and without what says which cells have some."""
    done = deepcopy(content)
    done["cells"] = [cell for cell in done["cells"] if not is_translation(cell)]
    for cell in done["cells"]:
        metadata = cell.get("metadata", {})
        if metadata.pop(OWN, None):
            metadata["tags"] = [tag for tag in metadata.get("tags", []) if not tag.startswith(TAG)]
            if not metadata["tags"]:
                del metadata["tags"]
    return done


def is_translation(cell: Cell) -> bool:
    """Whether a cell was made from another one."""
    return "source" in _own(cell)


def edits(content: dict[str, Any]) -> dict[tuple[str, str], str]:
    """The translations that somebody has changed since they were written."""
    found: dict[tuple[str, str], str] = {}
    for cell in content["cells"]:
        own, text = _own(cell), "".join(cell["source"])
        if is_translation(cell) and own.get("text") != fingerprint(text):
            found[str(own.get("lang")), str(own["source"])] = text
    return found


def merged(base: dict[str, Any], source_lang: str, translations: Mapping[str, str], known: Edits) -> str:
    """The notebook with all languages, as a file; *translations* are whole notebooks, *known* what people edited."""
    done = deepcopy(base)
    others = {lang: Notebook.read(text).content["cells"] for lang, text in translations.items()}
    cells: list[Cell] = []
    for number, cell in enumerate(done["cells"]):
        made = {lang: "".join(each[number]["source"]) for lang, each in others.items()}
        source = "".join(cell["source"])
        if cell["cell_type"] != "markdown" or all(text == source for text in made.values()):
            cells.append(cell)
            continue
        mark = fingerprint(source)
        for lang, text in made.items():
            other = deepcopy(cell)
            write_source(other, known.get((lang, mark), text))
            _say(other, lang, source=mark, text=fingerprint(text))
            if "id" in cell:
                ending = f"-{lang.lower()}"
                other["id"] = cell["id"][: 64 - len(ending)] + ending
            cells.append(other)
        _say(cell, source_lang)
        cells.insert(len(cells) - len(made), cell)
    done["cells"] = cells
    return notebook_file(done)


def fingerprint(text: str) -> str:
    """What tells one text from another."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _own(cell: Cell) -> dict[str, Any]:
    own = cell.get("metadata", {}).get(OWN)
    return own if isinstance(own, dict) else {}


def _say(cell: Cell, lang: str, **more: str) -> None:
    """Set the language of a cell."""
    metadata = cell.setdefault("metadata", {})
    metadata[OWN] = {"lang": lang, **more}
    metadata["tags"] = [*metadata.get("tags", []), f"{TAG}{lang}"]
