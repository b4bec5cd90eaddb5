"""A path that a person types: its completions, and the kinds of documents that a folder contains, before adding any."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

from svc_nb.advice import Call
from svc_nb.documents.files import IMAGES, KINDS, SourceFile, readable, walked
from svc_nb.documents.outputs import is_own_output
from svc_nb.panels.parts.widgets import Heard, MessageWidget
from svc_nb.session import current
from svc_nb.tabular.report import plural
from svc_nb.wire.models import DocumentOptions

MOST_FILES = 5_000  # no more are counted while someone is typing
MOST_OFFERED = 50
LABEL = "Folder or file on the notebook's machine"


@dataclass
class PathContents:
    """How many documents of each kind a path contains, how many cannot be sent, and how many files are left out. The
    last two are by reason.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    problem: str = ""
    more: bool = False

    def __str__(self) -> str:
        if self.problem:
            return self.problem
        found = self.kinds.total()
        named = ", ".join(f"{count:,} {kind}" for kind, count in self.kinds.most_common())
        said = f"{'More than ' if self.more else ''}{plural(found, 'document')}"
        said += f": {named}." if found else " here."
        return f"{said} {without(self.refused, self.left_out)}".strip()


def without(refused: Counter[str], left_out: Counter[str]) -> str:
    """How many documents cannot be sent, and how many files are left out, by reason; "" if there are none.

    >>> without(Counter({"empty": 1}), Counter({".mp3 (not a document)": 2, "linked from elsewhere": 1}))
    '1 cannot be sent: empty. 3 left out: 2 .mp3 (not a document); 1 linked from elsewhere.'
    """
    said = []
    for what, found in {"cannot be sent": refused, "left out": left_out}.items():
        reasons = "; ".join(f"{count:,} {why}" for why, count in found.most_common())
        if len(found) == 1:
            said.append(f"{found.total():,} {what}: {next(iter(found))}.")
        elif found:
            said.append(f"{found.total():,} {what}: {reasons}.")
    return " ".join(said)


NOTEBOOKS = {"md": "Markdown", "ipynb": "notebook"}  # which another call translates
NOT_EMBEDDED = ("doc", *IMAGES)  # what the embedded service cannot read


def kinds_here() -> list[str]:
    """The kinds of documents that the current session's service accepts."""
    return [kind for kind in KINDS if not (current().service and kind in NOT_EMBEDDED)]


def limit(suffix: str) -> int:
    """The maximum file size, in bytes, on the plan of the current session's key."""
    key = current().settings.api_key
    free = key is not None and key.reveal().endswith(":fx")
    return KINDS[suffix.removeprefix(".")].largest(free=free)


def path_of(written: str | PathLike[str]) -> Path:
    """The path *written*, with the home folder for "~"; "~name" stays as it is if there is no such user."""
    try:
        return Path(written).expanduser()
    except RuntimeError:
        return Path(written)


def contents_of(written: str, *, out: Path, target: str, largest: Callable[[str], int] = limit) -> PathContents:
    """What the file or folder *written* contains; *largest* gives the maximum size in bytes for a suffix."""
    path, found = path_of(written), PathContents()
    try:
        if not path.exists():
            found.problem = f"There is no file or folder {path.absolute()}."
            return found
        files = list(islice(walked(path), MOST_FILES + 1))
        found.more = len(files) > MOST_FILES
        for each, root, left_out in files[:MOST_FILES]:
            source = SourceFile(each, target, DocumentOptions(), root, walked=root is not None, left_out=left_out)
            if why := why_not(source, out=out):
                found.left_out[why] += 1
                continue
            found.kinds[source.ending] += 1
            if why := why_refused(each, largest=largest):
                found.refused[why] += 1
    except OSError as error:
        found.problem = f"This cannot be read: {error.strerror or error}."
    return found


def why_not(source: SourceFile, *, out: Path) -> str:
    """Why a file is left out, in a word or two; "" if it is a document."""
    if source.left_out:
        return "linked from elsewhere"
    if is_own_output(source, out=out):
        return "translated before"
    if source.ending in NOTEBOOKS:
        return f"{NOTEBOOKS[source.ending]} (use {Call('translate_notebook')})"
    if source.ending not in KINDS:
        return f".{source.ending} (not a document)" if source.ending else "no file extension"
    return ""


def why_refused(path: Path, *, largest: Callable[[str], int] = limit) -> str:
    """Why a document cannot be sent because of its kind or size, in a word or two; "" if it can."""
    if path.suffix[1:].lower() not in kinds_here():
        return f".{path.suffix[1:].lower()}, not accepted by this service"
    size, suffix = path.stat().st_size, path.suffix.lower()
    if size > largest(suffix):
        return f"{suffix[1:]} over {readable(largest(suffix))}"
    return "" if size else "empty"


def completions(written: str) -> list[str]:
    """The folders and documents whose paths begin with *written*, folders with a slash at the end."""
    folder, slash, begun = written.rpartition(os.sep)
    try:
        names = sorted(os.scandir(path_of(folder + slash or ".")), key=lambda entry: entry.name)
    except OSError:
        return []
    found = []
    for each in names:
        hidden = each.name.startswith(".") and not begun.startswith(".")
        if hidden or not each.name.casefold().startswith(begun.casefold()):
            continue
        if each.is_dir() or Path(each.name).suffix[1:].lower() in KINDS:
            found.append(folder + slash + each.name + (os.sep if each.is_dir() else ""))
    return found[:MOST_OFFERED]


class PathField(MessageWidget):
    """A field for a path with completions, and a button that says how many documents it adds. What is typed and found
    is sent in messages only, so a saved notebook keeps no path.
    """

    front = "path"

    def __init__(self, heard: Heard) -> None:
        super().__init__(heard)
        self.show(label=LABEL, text="", said="", severity="", offered=[], count=0)

    def found(self, text: str, contents: PathContents, offered: list[str]) -> None:
        """Show what the path *text* contains, and its completions."""
        severity = "error" if contents.problem else ""
        self.show(text=text, said=str(contents), severity=severity, offered=offered, count=contents.kinds.total())

    def clear(self, said: str = "") -> None:
        """Clear the field, and show *said* below it."""
        self.show(text="", said=said, severity="", offered=[], count=0)


class FileDetail(MessageWidget):
    """One file with its full reason and path, and a button to send it again."""

    front = "file_detail"

    def display(self, number: int | None, facts: list[tuple[str, str]], can: list[str]) -> None:
        """Show *facts*, titles with texts, about the file with this number, and the buttons for what *can* be done."""
        shown: dict[str, Any] = {"number": number, "facts": [list(each) for each in facts], "can": can}
        self.show(**shown)
