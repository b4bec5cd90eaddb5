"""One notebook in several languages: each cell with words is followed by its translations, one cell per language.

A cell says its language in its metadata, `"svc_nb": {"lang": "DE"}`, and by a tag, `lang-DE`, so that nbconvert can
leave out the other languages. Each run replaces the translations, except edited ones whose source cell has not changed.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace as replaced
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from svc_nb.advice import Option
from svc_nb.notebooks import run
from svc_nb.notebooks.documents import Notebook, notebook_file, write_source
from svc_nb.notebooks.segments import Edited, Left
from svc_nb.tabular.report import Report, plural

if TYPE_CHECKING:
    from svc_nb.columns.summary import PlanSummary

OWN = "svc_nb"  # in a cell's metadata
TAG = "lang-"
LOST_EDIT = "its source cell was changed or removed, or its language was left out"
Cell = dict[str, Any]


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
    """Translate a notebook into several languages, in one file; an existing file of this kind is updated."""
    codes = language_codes(source, target_langs, source_lang)
    raw = run.read(source)
    given = run.notebook_in(source, raw)
    is_own = out is None and any(map(is_translation, given["cells"]))
    written = source if is_own else run.output_path(source, "-".join(codes), out)
    run.written_files().check(written, replace=replace)
    before = run.notebook_in(written, written.read_bytes()) if written.exists() else given
    missing = sorted({str(_own(cell)["lang"]) for cell in before["cells"] if is_translation(cell)} - {*codes})
    if written.exists() and missing and not replace:
        raise FileExistsError(
            f"{written} also has translations into {', '.join(missing)}. Name all of its languages, or drop these with "
            f"{Option('replace', True)}"
        )
    base = source_cells(given)
    made: dict[str, run.Translated] = {}
    for code in codes:
        left = None if budget is None else max(budget - sum(each.billed_characters for each in made.values()), 0)
        page = Notebook(base, front_matter=front_matter, ending=f"-{code.lower()}")
        made[code] = run.translate(page, code, source_lang=source_lang, budget=left, **options)
    texts = {code: each.text for code, each in made.items()}
    text, dropped = merged(base, source_lang.upper() if source_lang else "source", texts, before)
    run.write(written, text, like=raw, replace=replace)
    names = ("segments", "sent", "stored", "billed_characters", "marked")
    counts = {name: sum(getattr(each, name) for each in made.values()) for name in names}
    lost = run.left_table(Edited(text, left=dropped), {})
    tables = [table for table in (*(each.left for each in made.values()), lost) if len(table)] or [lost]
    table = pd.concat(tables, ignore_index=True).drop_duplicates(ignore_index=True)
    said = plural(len(table), "text stayed as it was", "texts stayed as they were") if len(table) else run.NOTHING_LEFT
    told = Report(table, said)
    return run.TranslatedNotebook(text, ", ".join(codes), **counts, left=told, path=written, source=source)


def language_codes(source: Path, target_langs: Sequence[str], source_lang: str | None) -> list[str]:
    """The codes of the languages to translate a notebook into; raises ValueError if that is impossible."""
    codes = list(dict.fromkeys(map(run.language_code, target_langs)))
    if not codes or source.suffix.lower() not in run.NOTEBOOKS:
        raise ValueError(f"{source}: expected a notebook and at least one language; a Markdown file takes one language")
    own = source_lang.upper().split("-")[0] if source_lang else None
    for code in codes:
        if code.split("-")[0] == own:
            raise ValueError(f"target_lang: {code} is the language of the notebook itself (source_lang). Leave it out")
    return codes


def plan(source: Path, target_langs: Sequence[str], *, budget: int | None, **options: Any) -> PlanSummary:
    """The plans for all languages as one, with sums of all numbers, including rows."""
    plans: list[PlanSummary] = []
    for code in language_codes(source, target_langs, options.get("source_lang")):
        left = None if budget is None else max(budget - sum(each.characters for each in plans), 0)
        plans.append(run.plan(source, code, budget=left, **options))
    counts = ("rows", "unique", "stored", "characters", "requests", "undetected", "failed", "over_budget", "contexts")
    return replaced(
        plans[0],
        **{name: sum(getattr(each, name) for each in plans) for name in counts},
        skipped=dict(sum((Counter(each.skipped) for each in plans), Counter())),
        untranslated=dict(sum((Counter(each.untranslated) for each in plans), Counter())),
        cost=None if plans[0].cost is None else sum(each.cost or 0 for each in plans),
        noticed=tuple(dict.fromkeys(notice for each in plans for notice in each.noticed)),
    )


def source_cells(content: dict[str, Any]) -> dict[str, Any]:
    """The notebook without translations, and without the metadata about them."""
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
    """Whether a cell is a translation of another one."""
    return "source" in _own(cell)


def merged(
    base: dict[str, Any], source_lang: str, translations: Mapping[str, str], before: dict[str, Any]
) -> tuple[str, list[Left]]:
    """The notebook with all languages, as a file, and the edits that no longer have a place in it.

    *translations* are whole notebooks. Edits in the notebook as it was *before* are kept: in the translation of the
    cell with the same id, otherwise of the next cell with the same source.
    """
    done = deepcopy(base)
    others = {lang: Notebook.read(text).content["cells"] for lang, text in translations.items()}
    cells: list[Cell] = []
    for number, cell in enumerate(done["cells"]):
        made = {lang: "".join(each[number]["source"]) for lang, each in others.items()}
        source = "".join(cell["source"])
        if cell["cell_type"] != "markdown" or all(text == source for text in made.values()):
            cells.append(cell)
            continue
        for lang, text in made.items():
            other = deepcopy(cell)
            write_source(other, text)
            _say(other, lang, source=fingerprint(source), text=fingerprint(text))
            if "id" in cell:
                ending = f"-{lang.lower()}"
                other["id"] = cell["id"][: 64 - len(ending)] + ending
            cells.append(other)
        _say(cell, source_lang)
        cells.insert(len(cells) - len(made), cell)
    done["cells"] = cells
    dropped = _keep_edits(filter(is_translation, before["cells"]), list(filter(is_translation, cells)))
    return notebook_file(done), dropped


def _keep_edits(before: Iterable[Cell], after: Sequence[Cell]) -> list[Left]:
    """Copy the edits in the translations *before* to those *after*; return the edits that fit none."""

    def made_from(cell: Cell) -> tuple[str, str]:
        return str(_own(cell).get("lang")), str(_own(cell)["source"])

    by_id = {(cell["id"], *made_from(cell)): cell for cell in after if "id" in cell}
    same, others = list[tuple[Cell, Cell | None]](), list[Cell]()
    for cell in before:
        found = by_id.pop((cell.get("id", ""), *made_from(cell)), None)
        if found:
            same.append((cell, found))
        else:
            others.append(cell)
    taken = {id(found) for _, found in same}
    free: dict[tuple[str, str], deque[Cell]] = {}
    for cell in after:
        if id(cell) not in taken:
            free.setdefault(made_from(cell), deque()).append(cell)
    for cell in others:
        waiting = free.get(made_from(cell))
        same.append((cell, waiting.popleft() if waiting else None))
    dropped: list[Left] = []
    for cell, target in same:
        text = "".join(cell["source"])
        if _own(cell).get("text") == fingerprint(text):
            continue
        if target is None:
            dropped.append(Left("edit", 1, LOST_EDIT, text))
        else:
            write_source(target, text)
    return dropped


def fingerprint(text: str) -> str:
    """A fingerprint of a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _own(cell: Cell) -> dict[str, Any]:
    own = cell.get("metadata", {}).get(OWN)
    return own if isinstance(own, dict) else {}


def _say(cell: Cell, lang: str, **more: str) -> None:
    """Set the language of a cell."""
    metadata = cell.setdefault("metadata", {})
    metadata[OWN] = {"lang": lang, **more}
    metadata["tags"] = [*metadata.get("tags", []), f"{TAG}{lang}"]
