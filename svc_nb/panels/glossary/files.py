"""Import and export: show what a file would change before importing it, and save the terms as a file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.glossaries import files
from svc_nb.glossaries.cell_table import is_comment
from svc_nb.glossaries.headings import Heads, fits, head_place
from svc_nb.glossaries.sync import meant
from svc_nb.panels.glossary.edits import Edits, adding, cells_of, filled, key_of, toward
from svc_nb.panels.glossary.pairs import arrow
from svc_nb.panels.glossary.terms_panel import TermsPanel
from svc_nb.panels.parts import controls as widgets
from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.panels.parts.files import CSV, XLSX
from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.texts import error_line, written_text
from svc_nb.panels.parts.upload import UploadArea
from svc_nb.panels.parts.widgets import Notice, button, classed, row, show
from svc_nb.panels.parts.worker import tried
from svc_nb.tabular import ods, sheets
from svc_nb.tabular.cells import LEFT_OUT
from svc_nb.tabular.delimited import SEPARATORS
from svc_nb.tabular.files import ODS, SHEET, content, grid
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.terms import COLUMNS, HEADINGS, LINE, Pair
from svc_nb.tabular.text_column import TEXT

KINDS = {
    "csv": CSV,
    "tsv": "text/tab-separated-values;charset=utf-8",
    "xlsx": XLSX,
    "tbx": "application/xml",
    "tmx": "application/xml",
}
HOWS = {"add": adding, "replace": toward}
SIDES = ("term", "translation")
TABULAR = (*SEPARATORS, SHEET, ODS)

LEFT_OUT_FIELDS = (
    Field("line", "Line", lambda number: "" if number is None else f"{number:,}", lowest_first=True),
    Field("text", "Text", written_text, kind="text"),
    Field("reason", "Reason", written_text, kind="text", wide=34),
)
LIST_HEIGHT = 180
SHEET_LEFT = "Sheet is not read"
COLUMN_LEFT = "Column is not imported: a glossary only has terms and translations"
NUMBERS_LEFT = "Column is not imported: it has numbers, so it is not a language"
OTHER_TRANSLATION = "In the glossary with another translation"
SECOND_TRANSLATION = "Second translation of the same term"
NOT_LINES = {SHEET_LEFT: "sheet", COLUMN_LEFT: "column", NUMBERS_LEFT: "column"}
MOST_PAIRS = 6  # that are listed by name
HEADING, READ_AS_TERM = "Heading", "Read as a term"
IS_HEADING, IS_TERM = "The first row is a heading", "The first row is a term"


@dataclass(frozen=True)
class Arrived:
    """The terms of a file called *name*, what each way of importing them would do, and notes on the file.

    `left_out` has the lines that are not imported, `replaced` the terms that have another translation here, and
    `doubled` those that get a second one: a row each, with the line. `trimmed` counts terms that had spaces around
    them. `pair` is used for a file that does not name its own, and `first` has the first row if it may be a heading,
    with the reason. `lacking` has the number of terms here for each pair missing from the file, which "replace"
    removes.
    """

    name: str
    table: pd.DataFrame
    edits: dict[str, Edits]
    left_out: pd.DataFrame
    replaced: pd.DataFrame
    doubled: pd.DataFrame
    first: pd.DataFrame
    trimmed: int
    pair: Pair | None
    lacking: Counter[Pair]

    @property
    def told(self) -> str:
        """What the file contains, and what importing it would do."""
        count = Counter(meant(*cells[:2]) for cells in cells_of(self.table))
        which = f" ({arrow(next(iter(count)))})" if len(count) == 1 else f": {_named(count)}" if count else ""
        lines = [f"{self.name} has {plural(len(self.table), 'term')} in {plural(len(count), 'language pair')}{which}."]
        if self.pair is not None:
            lines.append(
                f"The file does not name its languages, so it was read as {arrow(self.pair)}. To use another "
                "pair, choose it under Languages, then import the file again."
            )
        if READ_AS_TERM in self.first["reason"].tolist():
            lines.append("The first row was read as a term. Is it a heading?")
        lines += [f"{how.title()}: {counted(edits)}." for how, edits in self.edits.items()]
        if self.lacking:
            lines.append(f"The file has no {_named(self.lacking)}: “Replace all terms” removes all of them here.")
        if len(self.replaced):
            terms, them = plural(len(self.replaced), "term already has", "terms already have"), len(self.replaced) > 1
            lines.append(f"{terms} another translation; the file's will replace {'them' if them else 'it'}.")
        if len(self.doubled):
            terms = plural(len(self.doubled), "term gets", "terms get")
            lines.append(f"{terms} a second translation, which the service does not accept.")
        if self.trimmed:
            lines.append(f"Removed spaces around {plural(self.trimmed, 'term')}.")
        if len(self.left_out):
            kinds = Counter(NOT_LINES.get(reason, "line") for reason in self.left_out["reason"].tolist())
            lines.append(f"Left out: {', '.join(plural(count, kind) for kind, count in kinds.items())}.")
        return "\n".join(lines)


class Files:
    """An area to drop files on, the question what to do with one, and buttons to save the terms as a file."""

    def __init__(self, panel: TermsPanel) -> None:
        self._panel = panel
        # One in the tab, and one below an empty grid.
        self.drop, self.first = (
            UploadArea(
                lambda name, data: panel._clicked(self.received, name, data),
                refused=lambda why: panel._clicked(panel._tell, ValueError(why)),
                suffixes=files.READABLE,
                title=title,
            )
            for title in ("Drop a glossary file here, or choose one", "Or drop a glossary file here, or choose one")
        )
        self.add = button("Add to the glossary", style="primary")
        self.replace = button("Replace all terms")
        self.leave_it = button("Cancel")
        self.heading = button(IS_HEADING)
        self.left_out = Grid("Left out and replaced", tall=True)
        self.left_out.height = LIST_HEIGHT
        self.question = Notice(self.add, self.replace, self.heading, self.leave_it, shown=(self.left_out,))
        self.saves = {form: button(form.upper(), help=f"Save all terms as {form.upper()}") for form in KINDS}
        self.save_as = widgets.Label("Save as")
        saving = classed(row(self.save_as, *self.saves.values()), "svc-exports")
        self.box = widgets.VBox([self.drop, saving])
        self.arrived: Arrived | None = None
        self._work: Callable[..., Arrived] | None = None  # reads the file again, with or without a heading
        for each, how in ((self.add, "add"), (self.replace, "replace")):
            panel._on(each, panel.bring_in, how)
        panel._on(self.leave_it, self.leave)
        panel._on(self.heading, self.turn_heading)
        for form, save in self.saves.items():
            panel._on(save, panel.download, form)

    def read(self, path: Path, *, header: bool = False) -> None:
        """Read a file and ask what to do with it; with *header*, its first row is a heading, whatever its words."""
        self._read(partial(arrived, path.name, path), header=header)

    def received(self, name: str, data: bytes) -> None:
        """Read an uploaded file, and ask what to do with it."""
        self._read(partial(arrived_bytes, name, data))

    def turn_heading(self) -> None:
        """Read the file again, with its first row as a heading or, the next time, as a term."""
        if self._work is not None:
            self._read(self._work, header=self.heading.description == IS_HEADING)

    @property
    def _pair(self) -> Pair | None:
        """The pair for a file that does not name its own: the one shown, or the one with the most terms."""
        return self._panel.pair or self._panel.opened.pairs.main()

    def _read(self, work: Callable[..., Arrived], *, header: bool = False) -> None:
        """Read a file, in a thread, and ask what to do with it; the line does not quote the file. If a glossary is
        being opened, the file is for that one.
        """
        panel = self._panel

        def find() -> tuple[EditTable, Any]:
            book, pair = panel.book, self._pair
            return book, tried(lambda: work(book.table, pair, header=header))

        def read(answer: tuple[EditTable, Any]) -> None:
            book, found = answer
            if book is not panel.book:  # another glossary was opened since
                return
            if isinstance(found, Exception):
                panel.problem = found
                self.drop.tell(error_line(found))
                panel.line.say("This file could not be read. See the Files tab for the reason.", "error")
            else:
                self._work = work
                self.ask(found)
                panel._sum_up()

        self.leave()
        panel.turn_to("Files")
        panel._say("Reading the file …")
        panel._do(find, read)

    def bring_in(self, how: str) -> None:
        """Import the file that was read, as one step."""
        found, book = self.arrived, self._panel.book
        if found is None:
            raise ValueError("no file was read: drop one, choose one, or read(path)")
        if how not in HOWS:
            raise ValueError(f'how: expected "add" or "replace", found {how!r}')
        edits = HOWS[how](filled(book.table), found.table)  # it may have been edited since
        edits.apply(book, f"Import {found.name}")
        self.leave()
        with self._panel._quietly():
            self._panel.view.show_pair(self._panel.opened.pairs)  # sorted as before
        self._panel._sum_up(f"Imported {found.name} (one undo step): {counted(edits)}.")

    def download(self, form: str) -> None:
        """Have the browser save all terms."""
        panel, table, name = self._panel, self._panel.book.table, file_name(self._panel.name, form)

        def save(data: bytes) -> None:
            panel.line.download(name, data, kind=KINDS[form])
            panel._sum_up(f"Saved {plural(len(filled(table)), 'term')} as {name}.")

        panel._do(lambda: written(table, form), save)

    def ask(self, arrived: Arrived) -> None:
        """Ask what to do with a file."""
        self.arrived = arrived
        self.add.disabled = not arrived.edits["add"]
        self.replace.disabled = not arrived.edits["replace"]
        found = [arrived.first, arrived.left_out, arrived.replaced, arrived.doubled]
        listed = pd.concat(found, ignore_index=True)
        self.left_out.show(listed, LEFT_OUT_FIELDS)
        show(self.left_out, bool(len(listed)))
        show(self.heading, bool(len(arrived.first)))
        self.heading.description = IS_TERM if HEADING in arrived.first["reason"].tolist() else IS_HEADING
        self.question.ask(arrived.told)

    def tell_size(self, terms: int, pairs: int) -> None:
        """Say how much is saved: all pairs, even if only one of them is shown."""
        self.save_as.value = (
            f"Save all {plural(terms, 'term')} of {plural(pairs, 'pair')} as" if pairs > 1 else "Save as"
        )

    def leave(self) -> None:
        """Forget the file."""
        self.arrived = self._work = None
        self.drop.tell("")
        self.question.drop()


def arrived(name: str, path: Path, mine: pd.DataFrame, pair: Pair | None, *, header: bool = False) -> Arrived:
    """Read a file and work out what it would change in *mine*; *pair* is used if the file does not name its own.

    If the first row has no known heading, it is a term, or with *header* a heading.
    """
    try:
        read, said = files.read(path), None
    except ValueError:
        if pair is None:
            raise
        read, said = files.read(path, source_lang=pair[0], target_lang=pair[1]), pair
    is_open = said is not None and path.suffix.lower() in TABULAR and not read.attrs[HEADINGS]
    rows = list(zip(read[LINE].tolist(), read["source"].tolist(), read["target"].tolist(), strict=True))
    first = [
        (line, " · ".join(filter(None, cells)), HEADING if header else READ_AS_TERM)
        for line, *cells in rows[: 1 if is_open else 0]
    ]
    if header and is_open:
        read = read.iloc[1:]
    sides = read[["source", "target"]]
    bare = sides.apply(lambda column: column.str.strip())  # the service rejects spaces around a term
    table = read.assign(source=bare["source"], target=bare["target"])
    left_out = _listed([*_lines_left_out(path, table), *_parts_left_out(path, read)])
    again = table[LINE].isin(left_out["line"].dropna().tolist()).to_numpy(dtype=bool) & repeated(table)
    kept = table[~again & ((table["source"] != "") & (table["target"] != "")).to_numpy(dtype=bool)]
    terms, here = kept[list(COLUMNS)], filled(mine)
    edits = {how: work(here, terms) for how, work in HOWS.items()}
    there = {meant(*cells[:2]) for cells in cells_of(terms)}
    return Arrived(
        name,
        terms,
        edits,
        left_out,
        _replaced(here, kept, edits["add"]),
        _doubled(here, kept, edits["add"]),
        _listed(first),
        int((bare != sides).any(axis=1).sum()),
        said,
        Counter(each for cells in cells_of(here) if (each := meant(*cells[:2])) not in there),
    )


def _named(pairs: Counter[Pair]) -> str:
    """The pairs with their numbers of terms, largest first."""
    named = [f"{arrow(pair)} ({plural(terms, 'term')})" for pair, terms in pairs.most_common(MOST_PAIRS)]
    named += [f"{len(pairs) - MOST_PAIRS:,} more"] if len(pairs) > MOST_PAIRS else []
    return ", ".join(named)


def repeated(table: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Which rows repeat an earlier one."""
    same: npt.NDArray[np.bool_] = table[list(COLUMNS)].duplicated().to_numpy()
    return same


Told = tuple[int | None, str, str]  # the line, None if it is not a line, the text, and the reason


def _listed(found: list[Told]) -> pd.DataFrame:
    """*found* as a table, in the order of the lines; entries that are not lines come first."""
    found.sort(key=lambda told: told[0] or 0)
    return pd.DataFrame(found, columns=["line", "text", "reason"]).astype(
        {"line": "Int64", "text": TEXT, "reason": TEXT}
    )


def _lines_left_out(path: Path, table: pd.DataFrame) -> Iterator[Told]:
    """The lines of a file that add no term to *table*, or one it has already, with the reason."""
    if path.suffix.lower() in TABULAR:
        cells = grid(content(path), path.suffix.lower(), fits=partial(fits, columns={}))
        lines, rows = set(table[LINE].tolist()), list(zip(cells.lines, cells.rows, strict=True))
        first = min(lines, default=0)
        written = [(line, row) for line, row in rows if not is_comment(row)]
        head = head_place([row for _, row in written], {}) or 0
        titles = [line for line, _ in written[:head]]
        heads = Heads(written[head][1])
        term = heads.source if heads.source is not None else heads.first if heads.languages else 0
        for line, row in rows:
            comment = path.suffix.lower() in SEPARATORS and is_comment(row)
            if line in lines or (line < first and not comment and line not in titles):  # the rest is the header
                continue
            lacks = "translation" if term < len(row) and row[term].strip() else "term"
            reason = "Comment" if comment else "Above the header" if line in titles else f"No {lacks}"
            yield line, " · ".join(filter(None, row)), reason
    columns = (table[name].tolist() for name in (LINE, *COLUMNS))
    seen: dict[tuple[str, ...], int] = {}
    for line, *each in zip(*columns, strict=True):
        if not all(each[2:]):
            lacks = " and ".join(f"no {what}" for what, text in zip(SIDES, each[2:], strict=True) if not text)
            text = " ".join(filter(None, each[2:])) or arrow((each[0], each[1]))
            yield line, text, lacks.capitalize()
        elif (earlier := seen.setdefault(tuple(each), line)) != line:
            yield line, f"{each[2]} · {each[3]}", f"Same as line {earlier:,}"


def _parts_left_out(path: Path, read: Report) -> Iterator[Told]:
    """What else of a file is not imported: other sheets, more columns, and parts that only the reader knows about."""
    suffix = path.suffix.lower()
    if suffix in (SHEET, ODS):
        form = sheets if suffix == SHEET else ods
        used = grid(content(path), suffix, fits=partial(fits, columns={})).sheet
        for title, is_hidden in form.titles(content(path)).items():
            if title != used:
                yield None, f"{title} (hidden)" if is_hidden else title, SHEET_LEFT
    for column in read.columns[len(COLUMNS) + 1 :]:  # after the line
        yield None, str(column), NUMBERS_LEFT if Heads([column]).languages else COLUMN_LEFT
    if suffix not in TABULAR and (left := read.said.partition(LEFT_OUT)[2].rpartition(". Next: ")[0]):
        yield None, left, "Not read"


def _replaced(here: pd.DataFrame, kept: pd.DataFrame, edits: Edits) -> pd.DataFrame:
    """The terms that have a different translation *here* than in the file, with the file's and the line."""
    lines = dict(zip(map(key_of, cells_of(kept)), kept[LINE].tolist(), strict=True))
    cells = dict(zip(here.index.tolist(), cells_of(here), strict=True))
    found = [(cells[row], target) for (row, column), target in edits.writes.items() if column == "target"]
    return _listed(
        [(lines.get(key_of(each)), f"{each[2]}: {each[3]} → {target}", OTHER_TRANSLATION) for each, target in found]
    )


def _doubled(here: pd.DataFrame, kept: pd.DataFrame, edits: Edits) -> pd.DataFrame:
    """The terms that would get another translation besides the one *here* or in the same file, with the line."""
    lines = {(key_of(cells), cells[3]): line for cells, line in zip(cells_of(kept), kept[LINE].tolist(), strict=True)}
    known, found = set(map(key_of, cells_of(here))), []
    for cells in edits.added:
        key = key_of(cells)
        if key in known:
            found.append((lines.get((key, cells[3])), f"{cells[2]} → {cells[3]}", SECOND_TRANSLATION))
        known.add(key)
    return _listed(found)


def arrived_bytes(name: str, data: bytes, mine: pd.DataFrame, pair: Pair | None, *, header: bool = False) -> Arrived:
    """As `arrived`, for an uploaded file; only the letters of its name are used."""
    given = Path(name)
    with TemporaryDirectory(prefix="svc_nb-") as folder:
        path = Path(folder) / file_name(given.stem, given.suffix.lower().lstrip("."))
        path.write_bytes(data)
        return arrived(name, path, mine, pair, header=header)


def write(table: pd.DataFrame, path: Path) -> Path:
    """Write the terms to a file; a CSV gets a header, and no cell that a spreadsheet would run as a formula."""
    text = path.suffix.lower() == ".csv"
    return files.write(filled(table), path, header=text, formula_safe=text)


def written(table: pd.DataFrame, form: str) -> bytes:
    """The terms as the bytes of a file."""
    if form not in KINDS:
        raise ValueError(f"expected one of {', '.join(KINDS)}, found {form!r}")
    with TemporaryDirectory(prefix="svc_nb-") as folder:
        return write(table, Path(folder) / f"terms.{form}").read_bytes()


def file_name(name: str, form: str) -> str:
    """The name of a file with the terms of a glossary.

    >>> file_name("Products / 2026", "csv"), file_name("", "tbx")
    ('Products-2026.csv', 'glossary.tbx')
    """
    plain = re.sub(r"\W+", "-", name).strip("-")[:60]
    return f"{plain or 'glossary'}.{form}"


def counted(edits: Edits) -> str:
    """How many terms are added, changed and removed, in words."""
    counts = {"new": len(edits.added), "changed": len(edits.writes), "removed": len(edits.dropped)}
    return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or "changes nothing"
