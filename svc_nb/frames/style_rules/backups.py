"""Copies of style rule lists as they were before a push, one JSON file each, which `read` reads like any other."""

from __future__ import annotations

import contextlib
import os
import secrets
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pandas as pd

from svc_nb.errors import StoreError
from svc_nb.frames.column import text_array
from svc_nb.frames.report import Report, plural
from svc_nb.frames.style_rules.files import as_json, read
from svc_nb.frames.style_rules.style import Style

MOST_KEPT = 50
FORM = "%Y%m%dT%H%M%S%f"
COLUMNS = ("style_id", "name", "language", "version", "rules", "instructions", "made", "path")


def keep(style: Style, folder: Path) -> Path:
    """Write a copy that only its owner can read, on the disk when this returns; of one list the newest 50 are kept.

    Names sort by time. Raises StoreError where it cannot be written.
    """
    mark = _mark(style.style_id or "")
    path = folder / f"{datetime.now(UTC):{FORM}}-{mark}-{secrets.token_hex(2)}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(as_json(style))
            file.flush()
            os.fsync(file.fileno())
    except OSError as problem:
        with contextlib.suppress(OSError):
            path.unlink()
        raise StoreError(
            f"The list cannot be copied to {folder} ({problem.strerror}), and nothing is changed without a copy. Check "
            "the folder and its permissions, then push again"
        ) from None
    for old in _files(folder, mark)[:-MOST_KEPT]:
        with contextlib.suppress(OSError):
            old.unlink()
    return path


def history(folder: Path, style_id: str | None = None) -> Report:
    """The copies of one list or of all, the newest first; files that are no copies are passed over."""
    paths = _files(folder, "*" if style_id is None else _mark(style_id))
    rows = [row for path in reversed(paths) if (row := _row(path))]
    frame = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)
    columns: dict[str, Any] = {
        name: text_array(frame[name].tolist()) for name in ("style_id", "name", "language")
    }
    columns |= {name: frame[name].astype("Int64") for name in ("version", "rules", "instructions")}
    columns |= {
        "made": frame["made"].astype("datetime64[us, UTC]"),
        "path": text_array(frame["path"].tolist()),
    }
    back = "svc_nb.style_rules.undo() goes back to the newest, push(read(path)) to any"
    some = f"{plural(len(rows), 'copy', 'copies')}. Next: {back}."
    return Report(pd.DataFrame(columns), some if rows else "No copies: nothing was changed from here yet.")


def newest(folder: Path, style_id: str | None = None) -> Style:
    """The last copy of one list or of any; raises LookupError where there is none."""
    for path in reversed(_files(folder, "*" if style_id is None else _mark(style_id))):
        if _row(path):
            return read(path)
    raise LookupError("there is no copy to go back to: no push from here has changed a list that was there")


def _row(path: Path) -> tuple[Any, ...] | None:
    try:
        made = datetime.strptime(path.name.partition("-")[0], FORM).replace(tzinfo=UTC)
        style = read(path)
    except (OSError, ValueError):
        return None
    counts = len(style.rules), len(style.instructions)
    return style.style_id, style.name, style.language, style.version, *counts, made, str(path)


def _files(folder: Path, mark: str) -> list[Path]:
    return sorted(folder.glob(f"*-{mark}-*.json"))


def _mark(style_id: str) -> str:
    """What stands for an id in a name: it is whatever a service says, so it is no part of a path itself."""
    return blake2b(style_id.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
