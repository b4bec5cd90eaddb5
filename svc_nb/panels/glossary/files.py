"""Files in and out: what a file would change is told before it is brought in, and what is there is saved as a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ipywidgets as widgets
import pandas as pd

from svc_nb.glossaries import files
from svc_nb.panels.glossary.edits import Edits, adding, filled, toward
from svc_nb.panels.glossary.terms_panel import TermsPanel
from svc_nb.panels.parts.texts import error_line
from svc_nb.panels.parts.upload import UploadArea
from svc_nb.panels.parts.widgets import Notice, button, classed, row
from svc_nb.panels.parts.worker import tried
from svc_nb.tabular.report import plural
from svc_nb.tabular.terms import COLUMNS, Pair

KINDS = {
    "csv": "text/csv;charset=utf-8",
    "tsv": "text/tab-separated-values;charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "tbx": "application/xml",
    "tmx": "application/xml",
}
HOWS = {"add": adding, "replace": toward}


@dataclass(frozen=True)
class Arrived:
    """The terms of a file called *name*, and what each way to bring them in would do."""

    name: str
    table: pd.DataFrame
    edits: dict[str, Edits]

    @property
    def told(self) -> str:
        """What the file has, and what would come of it."""
        pairs = len(self.table[["source_lang", "target_lang"]].drop_duplicates())
        lines = [f"{self.name} has {plural(len(self.table), 'term')} in {plural(pairs, 'language pair')}."]
        for how, edits in (("Adding", self.edits["add"]), ("Replacing", self.edits["replace"])):
            lines.append(f"{how} it: {counted(edits)}." if edits else f"{how} it changes nothing.")
        return "\n".join(lines)


class Files:
    """A place to drop files on, the question what to do with one, and buttons to save the terms as a file."""

    def __init__(self, panel: TermsPanel) -> None:
        self._panel = panel
        self.drop = UploadArea(
            lambda name, data: panel._clicked(self.received, name, data),
            refused=lambda why: panel._clicked(panel._tell, ValueError(why)),
            suffixes=files.READABLE,
            title="Drop a glossary file here, or choose one",
        )
        self.add = button("Add to the table", style="primary")
        self.replace = button("Replace the table")
        self.leave_it = button("Leave it")
        self.question = Notice(self.add, self.replace, self.leave_it)
        self.saves = {form: button(form.upper(), help=f"Save all terms as {form.upper()}") for form in KINDS}
        saving = classed(row(widgets.Label("Save as"), *self.saves.values()), "svc-exports")
        self.box = widgets.VBox([self.drop, self.question.box, saving])
        self.arrived: Arrived | None = None
        for each, how in ((self.add, "add"), (self.replace, "replace")):
            panel._on(each, panel.bring_in, how)
        panel._on(self.leave_it, self.leave)
        for form, save in self.saves.items():
            panel._on(save, panel.download, form)

    def read(self, path: Path) -> None:
        """Read a file and ask what to do with it."""
        mine, pair = self._panel.book.table, self._panel.pair
        self._read(lambda: arrived(path.name, path, mine, pair))

    def received(self, name: str, data: bytes) -> None:
        """Read a file that came through the browser, and ask what to do with it."""
        mine, pair = self._panel.book.table, self._panel.pair
        self._read(lambda: arrived_bytes(name, data, mine, pair))

    def _read(self, work: Callable[[], Arrived]) -> None:
        """Read a file, in a thread, and ask what to do with it; what may quote it is not said in the line."""
        panel = self._panel

        def read(answer: tuple[Any]) -> None:
            (found,) = answer
            if isinstance(found, Exception):
                panel.problem = found
                self.drop.tell(error_line(found))
                panel.line.say("The file cannot be read: Files says why.", "error")
            else:
                self.ask(found)
                panel._sum_up()

        self.leave()
        panel.turn_to("Files")
        panel._say("Reading the file …")
        panel._do(lambda: (tried(work),), read)

    def bring_in(self, how: str) -> None:
        """Bring in the file that was read, as one step."""
        found, book = self.arrived, self._panel.book
        if found is None:
            raise ValueError("no file was read: drop one, choose one, or read(path)")
        if how not in HOWS:
            raise ValueError(f'how: expected "add" or "replace", found {how!r}')
        edits = HOWS[how](filled(book.table), found.table)  # it may have been edited meanwhile
        edits.apply(book, f"Import {found.name}")
        self.leave()
        self._panel._sum_up(f"{found.name} was brought in, as one step: {counted(edits)}.")

    def download(self, form: str) -> None:
        """Have the browser save all terms."""
        panel, table, name = self._panel, self._panel.book.table, file_name(self._panel.name, form)
        panel._do(lambda: written(table, form), lambda data: panel.line.download(name, data, kind=KINDS[form]))

    def ask(self, arrived: Arrived) -> None:
        """Ask what to do with a file."""
        self.arrived = arrived
        self.add.disabled = not arrived.edits["add"]
        self.replace.disabled = not arrived.edits["replace"]
        self.question.ask(arrived.told)

    def leave(self) -> None:
        """Forget the file."""
        self.arrived = None
        self.drop.tell("")
        self.question.drop()


def arrived(name: str, path: Path, mine: pd.DataFrame, pair: Pair | None) -> Arrived:
    """Read a file and work out what it would change in *mine*; *pair* is that of a file that does not say its own."""
    try:
        table = files.read(path)
    except ValueError:
        if pair is None:
            raise
        table = files.read(path, source_lang=pair[0], target_lang=pair[1])
    terms = table[list(COLUMNS)]
    return Arrived(name, terms, {how: edits(filled(mine), terms) for how, edits in HOWS.items()})


def arrived_bytes(name: str, data: bytes, mine: pd.DataFrame, pair: Pair | None) -> Arrived:
    """As `arrived`, of a file that came through the browser; only the letters of its name are used."""
    given = Path(name)
    with TemporaryDirectory(prefix="svc_nb-") as folder:
        path = Path(folder) / file_name(given.stem, given.suffix.lower().lstrip("."))
        path.write_bytes(data)
        return arrived(name, path, mine, pair)


def write(table: pd.DataFrame, path: Path) -> Path:
    """Write the terms to a file; a CSV, which spreadsheets open, gets a header and cells that none of them runs."""
    text = path.suffix.lower() == ".csv"
    return files.write(filled(table), path, header=text, formula_safe=text)


def written(table: pd.DataFrame, form: str) -> bytes:
    """The terms as the bytes of a file."""
    if form not in KINDS:
        raise ValueError(f"expected one of {', '.join(KINDS)}, found {form!r}")
    with TemporaryDirectory(prefix="svc_nb-") as folder:
        return write(table, Path(folder) / f"terms.{form}").read_bytes()


def file_name(name: str, form: str) -> str:
    """What a file with the terms of a glossary is called.

    >>> file_name("Products / 2026", "csv"), file_name("", "tbx")
    ('Products-2026.csv', 'glossary.tbx')
    """
    plain = re.sub(r"\W+", "-", name).strip("-")[:60]
    return f"{plain or 'glossary'}.{form}"


def counted(edits: Edits) -> str:
    """How many terms are new, others and gone, in words."""
    parts = [(len(edits.added), "new"), (len(edits.writes), "with another target"), (len(edits.dropped), "removed")]
    return ", ".join(f"{count:,} {what}" for count, what in parts if count) or "nothing changed"
