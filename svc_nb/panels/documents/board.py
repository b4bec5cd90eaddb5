"""What the documents panel shows of its files, and of those that are under way from before: rows for the grid."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from svc_nb.documents.items import MARKED, WRITTEN
from svc_nb.panels.documents import speech
from svc_nb.panels.documents.papers import BAD, Paper, Papers, rows_of
from svc_nb.panels.grid import Field, Grid
from svc_nb.panels.rows import written_text


def _percent(share: Any) -> str:
    return "" if share is None else f"{share} %"


FILES = (
    Field("file", "File", written_text, kind="text"),
    Field("kind", "Kind", written_text, kind="text", spare=5, wide=6),
    Field("size", "Size", speech.size, spare=4, wide=8),
    Field("status", "Status", written_text, kind="text", wide=15),
    Field("progress", "Progress", _percent, kind="share", wide=18),
    Field("left", "Left", speech.left, spare=2, wide=7),
    Field("billed", "Characters", written_text, kind="text", spare=1, wide=18),
    Field("error", "Remarks", written_text, kind="text", wide=26),
    Field("output", "Translation", written_text, kind="text", spare=3, wide=26),
)
WAITING = (
    Field("file", "File", written_text, kind="text"),
    Field("target_lang", "Into", written_text, kind="text", wide=6),
    Field("status", "Last heard", written_text, kind="text", wide=13),
    Field("at_work", "At work", written_text, kind="text", wide=15),
    Field("sent", "Sent", written_text, kind="text", spare=1, wide=16),
    Field("error", "Remarks", written_text, kind="text", spare=2, wide=22),
    Field("output", "Translation goes to", written_text, kind="text", spare=3, wide=26),
)
A_NOTEBOOK, NOBODY, ANOTHER = "a notebook", "nobody", "another service"


def show_files(grid: Grid, papers: Papers, *, home: Path) -> None:
    """The files, each as it stands; nothing moves but what has changed. Paths below *home* are told from there."""
    table = papers.table
    table["status"] = [speech.standing(each) for each in papers]
    table["billed"] = [speech.characters(each) for each in papers]
    table["output"] = [_place(each, home) for each in papers]
    marks = {each.number: _mark(each) for each in papers if _mark(each)}
    notes = {each.number: _note(each) for each in papers if _note(each)}
    grid.show(table, FILES, marks=marks, notes=notes)


def show_waiting(grid: Grid, pending: pd.DataFrame, *, address: str, home: Path) -> None:
    """The documents that are under way; those that a notebook or another service than *address* is at are faded.

    Paths below *home* are told from there.
    """
    rows = dict(rows_of(pending))
    table = pd.DataFrame(
        {
            "file": [Path(row["path"]).name for row in rows.values()],
            "target_lang": [row["target_lang"] for row in rows.values()],
            "status": [speech.status(row["status"] or "queued") for row in rows.values()],
            "at_work": [_who(row, address) for row in rows.values()],
            "sent": [_when(row["sent"]) for row in rows.values()],
            "error": [row["error"] for row in rows.values()],
            "output": [_told(Path(row["output"] or ""), home) for row in rows.values()],
        },
        index=pd.Index([row["document_id"] for row in rows.values()], dtype=object),
        dtype=object,
    )
    marks = {row["document_id"]: "faded" for row in rows.values() if _who(row, address) != NOBODY}
    notes = {row["document_id"]: f"Sent to {row['address']}" for row in rows.values()}
    grid.show(table, WAITING, marks=marks, notes=notes)


def _who(row: Mapping[str, Any], address: str) -> str:
    if row["address"] != address:
        return ANOTHER
    return A_NOTEBOOK if row["at_work"] else NOBODY


def _when(sent: pd.Timestamp | None) -> str:
    """A time as the clock of the kernel's machine has it."""
    return f"{sent.to_pydatetime().astimezone():%Y-%m-%d %H:%M}" if sent else ""


def _place(paper: Paper, home: Path) -> str | None:
    if paper.output is None or paper.status not in WRITTEN:
        return None
    return _told(paper.output, home)


def _told(path: Path, home: Path) -> str:
    return str(path.relative_to(home) if path.is_relative_to(home) else path)


def _mark(paper: Paper) -> str:
    if paper.status in BAD or (paper.error and paper.status == "waiting"):
        return "error"
    if paper.status == MARKED:
        return "warning"
    return "faded" if paper.status == "skipped" else ""


def _note(paper: Paper) -> str:
    source = "" if paper.dropped else str(paper.path)
    what = "Not translated" if paper.status == MARKED else "Translation"
    made = f"{what}: {paper.output}" if paper.output and paper.status in WRITTEN else ""
    return "\n".join(part for part in (paper.error, source, made) if part)
