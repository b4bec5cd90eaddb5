"""The panel for languages: choose a column, see its languages, look at rows, and say what is right."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from svc_nb.columns.sheet import named
from svc_nb.panels import files, still
from svc_nb.panels.columns import NO_COLUMN
from svc_nb.panels.columns import written as label_text
from svc_nb.panels.detect import board, speech
from svc_nb.panels.detect.adding import Adding
from svc_nb.panels.detect.controls import FORMS, Controls, offer, show
from svc_nb.panels.detect.findings import NONE, Findings
from svc_nb.panels.detect.labels import offered, read, written
from svc_nb.panels.detect.run import Run
from svc_nb.panels.detect.sight import FEW, LOOK_AT, RELABELLED, Sight, sights
from svc_nb.panels.grid import Grid
from svc_nb.panels.picture import Picture, in_the_dark
from svc_nb.tabular.column import text_array
from svc_nb.tabular.disk import replace_file
from svc_nb.tabular.report import plural
from svc_nb.tracebacks import verbs

ROWS_HEIGHT = 340


@verbs
class Detect(Adding):
    """A panel for the languages of a column: their mix, samples, rows to look at, and labels by hand.

    Nothing is sent before `detect`, which costs nothing. Whatever a click does, a method does too; `wait` waits for the
    service, `close` ends it. In a saved notebook the picture and the counts stay, and no text.

    Parameters
    ----------
    table
        A frame, or a column. A frame is not changed before `add_column`.
    column
        The column to begin with; without, the first one that holds texts.
    keep_texts
        Whether a saved notebook may keep the first rows that are shown.
    """

    def __init__(self, table: Any, column: Hashable = None, *, keep_texts: bool = False) -> None:
        super().__init__(table)
        self._keep_texts = keep_texts
        self._known: dict[int, Findings] = {}
        self._place: int | None = None
        self._run: Run | None = None
        self._closed = False
        self._sight, self._places = Sight(), NONE
        self.controls = Controls(self._press)
        self.picture = Picture(pairs=in_the_dark())
        self.grid = Grid("Languages", chosen=lambda code: self._clicked(self._chosen, code))
        self.rows = Grid("Rows", edited=lambda *cell: self._clicked(self._written, *cell), searchable=True)
        self.rows.height = ROWS_HEIGHT
        self.box = self.controls.laid_out(self.line, self.picture, self.grid, self.rows)
        self._listen()
        self._begin(column)

    # ---- what a person can do

    def choose(self, column: Hashable) -> Detect:
        """Turn to another column; what is known of this one stays known."""
        self._offer_columns()
        self._turn_to(self._source.place(column))
        return self

    def detect(self) -> Detect:
        """Ask the service for the languages, in a thread; what the store knows is not asked, and labels stay."""
        with self._lock:
            place = self._chosen_place()
            if self._closed:
                raise ValueError("this panel is closed: make another one")
            texts = self._source.column(place)
            self.stop()
            self._offer_columns()
            run = self._run = Run(texts, told=self._heard)
            self._say("Detecting languages …")
            self._show_progress(run)
            self._find(run.go, lambda _: self._found(place, run))
        return self

    def stop(self) -> None:
        """End a detection; what is done is kept."""
        if self._run is not None:
            self._run.cancel()

    def show_language(self, language: str, count: int | None = None) -> Detect:
        """Show samples of the texts in a language, given as "de" or "German": at first 20, or *count*."""
        self._look(Sight(read(language) or LOOK_AT, FEW if count is None else max(1, count)))
        return self

    def more(self) -> Detect:
        """Show more samples of the language that is shown."""
        self._look(self._sight.more())
        return self

    def rows_to_look_at(self) -> pd.DataFrame:
        """Show the rows to look at, and return them: `row, text, language, confidence, why` by place."""
        self._look(Sight(LOOK_AT))
        return self._findings.shown(self._findings.to_look_at)

    def show_relabelled(self) -> Detect:
        """Show the rows that have a label by hand."""
        self._look(Sight(RELABELLED))
        return self

    def relabel(self, wanted: Mapping[Any, str | None], *, by: str = "label") -> int:
        """Say the languages of rows, {row: "de"}, as one step; None is not known. How many rows this changed.

        Rows are named by their labels in the index; with `by="position"` by their places, from 0.
        """
        with self._lock:
            findings = self._findings
            rows = {findings.place(row, by=by): read(code) for row, code in wanted.items()}
            changed = findings.labels.write(rows)
            self._show()
            self._say(f"Relabelled {plural(changed, 'row')}. {speech.found(findings)}")
            return changed

    def undo(self) -> int:
        """Take back the last relabelling; how many rows that was."""
        with self._lock:
            count = self._findings.labels.undo()
            self._show()
            said = f"Taken back for {plural(count, 'row')}." if count else "There is nothing to take back."
            self._say(f"{said} {speech.found(self._findings)}")
            return count

    @property
    def languages(self) -> pd.Series[Any]:
        """The language of every row, NA where it is not known: same index and length as the table."""
        findings = self._findings
        label = self._source.names[self._chosen_place()]
        name = named("text" if label is None else label, "lang")
        codes = text_array(findings.labels.codes.tolist())
        return pd.Series(codes, index=findings.texts.index, name=name)

    @property
    def mix(self) -> pd.DataFrame:
        """The languages, the commonest first: `language, name, rows, share, relabelled`."""
        return self._findings.mix

    @property
    def table(self) -> pd.DataFrame:
        """Every row with its text, its language, what was detected, and why to look at it; exports have this."""
        return self._findings.table

    def export(self, path: str | PathLike[str]) -> Path:
        """Write `table` to a .csv or .xlsx file, which is replaced."""
        place = Path(path)
        self.wait()
        replace_file(place, self._bytes(place.suffix.lower().removeprefix(".")))
        return place

    def download(self, form: str) -> None:
        """Have the browser save `table` as "csv" or "xlsx"."""
        self.line.download(f"languages.{form}", self._bytes(form), kind=files.KINDS[form])

    def close(self) -> None:
        """End the panel: a detection is stopped, its widgets go, and no thread stays."""
        self._closed = True
        self.stop()
        super().close()

    # ---- clicks

    def _press(self, deed: str) -> Callable[[], None]:
        deeds: dict[str, Callable[[], Any]] = {
            "detect": self.detect,
            "stop": self.stop,
            "more": self.more,
            "relabel": self._relabel_selected,
            "undo": self.undo,
            "add": self._add,
            "replace": lambda: self._add(replace=True),
            "keep": lambda: self._ask_to_replace(False),
            "remove": self.remove_column,
            **{form: partial(self.download, form) for form in FORMS},
        }
        return lambda: self._clicked(deeds[deed])

    def _listen(self) -> None:
        on = self.controls
        on.column.observe(lambda change: self._clicked(self._turn_to, change.new), "value")
        on.view.observe(lambda change: self._clicked(self._chosen, change.new), "value")
        on.name.observe(lambda change: self._clicked(self._ask_to_replace, False), "value")
        self.picture.observe(lambda change: self._clicked(self._redraw), "width")

    def _chosen(self, code: str) -> None:
        self._look(Sight(code or LOOK_AT))

    def _written(self, place: int, column: str, text: str) -> None:
        self.relabel({int(place): text}, by="position")

    def _relabel_selected(self) -> None:
        selected = self.rows.selected
        if not selected:
            raise ValueError(
                "No rows are selected: click on one, and drag or press Shift and an arrow for more."
            )
        if self.controls.label.value is None:
            raise ValueError("Choose the right language first.")
        self.relabel({int(place): self.controls.label.value for place in selected}, by="position")

    # ---- columns

    def _begin(self, column: Hashable) -> None:
        titles = self._offer_columns()
        show(self.controls.column, self._source.frame is not None)
        self._ask_to_replace(False)
        if column is not None:
            self.choose(column)
        elif titles:
            self._turn_to(next(iter(titles)))
        else:
            self._show()
            self._say(NO_COLUMN)

    def _offer_columns(self) -> dict[int, str]:
        """Offer the columns that hold texts now, and the one that is chosen."""
        titles = self._source.look()
        if self._place is not None:
            titles.setdefault(self._place, self._source.title(self._place))
        with self._quietly():
            offer(self.controls.column, [(title, place) for place, title in titles.items()])
        return titles

    def _turn_to(self, place: int) -> None:
        with self._lock:
            if place not in self._known:
                self._known[place] = Findings(self._source.column(place).copy())
            self.stop()
            self._latest.drop()
            self._place, self._run = place, None
            with self._quietly():
                self.controls.column.value = place
                self.controls.name.value = label_text(self.languages.name)
            self._look(Sight())
            known = self._findings.detected is not None
            title = self._source.title(place)
            self._say(speech.found(self._findings) if known else speech.before(title, len(self._source)))

    def _chosen_place(self) -> int:
        if self._place is None:
            raise ValueError(NO_COLUMN)
        return self._place

    @property
    def _findings(self) -> Findings:
        return self._known[self._chosen_place()]

    def _bytes(self, form: str) -> bytes:
        if form not in FORMS:
            raise ValueError(f"expected a .csv or .xlsx file, found {form!r}")
        return self._findings.file(form)

    # ---- the service

    def _heard(self, run: Run) -> None:
        with self._lock:
            if run is self._run:
                self._show_progress(run)

    def _found(self, place: int, run: Run) -> None:
        if run is not self._run:
            return
        self._run = None
        trouble, error = speech.trouble(run)
        findings = self._known[place]
        if run.report.done or (len(run.table.columns) and not trouble):
            findings.take(run.texts, run.table)
        self._look(self._sight.or_first(findings))
        self.problem = error
        known = speech.found(findings) if findings.detected is not None else ""
        self.line.say(" ".join(part for part in (trouble, known) if part), "error" if error else "info")

    def _failed(self, problem: Exception) -> None:
        self._run = None
        self._show()
        super()._failed(problem)

    def _show_progress(self, run: Run) -> None:
        report = run.report
        counts = {"total": report.rows, "done": report.finished - report.failed, "failed": report.failed}
        text = speech.progress(report) if report.rows else "Looking what is known …"
        self.controls.meter.show(**counts, text=text, state="running")
        self._show_buttons()

    # ---- what is shown

    def _look(self, sight: Sight) -> None:
        """Show other rows; they stay the same while they are relabelled."""
        with self._lock:
            self._sight, self._places = sight, sight.places(self._findings)
            self._show()

    def _show(self) -> None:
        """Show what is known of the column."""
        known = self._place is not None and self._findings.detected is not None
        show(self.controls.found, known)
        if known:
            self._offer()
            board.show_mix(self.grid, self._findings)
            self._show_rows()
            self._redraw()
        self._show_buttons()
        self._settled()

    def _offer(self) -> None:
        """Offer the rows to look at, and the languages to choose from."""
        names = sights(self._findings)
        codes = names.keys() - {LOOK_AT, RELABELLED}
        names.setdefault(self._sight.name, f"{written(self._sight.name)} (0)")
        with self._quietly():
            offer(self.controls.view, names)
            self.controls.view.value = self._sight.name
            offer(self.controls.label, {text: text for text in offered(codes)})

    def _show_rows(self) -> None:
        every = self._sight.every(self._findings)
        said = self._sight.told(self._findings, self._places)
        board.show_rows(self.rows, self._findings, self._places, said=said)
        show(self.controls.more, self._sight.is_language and len(self._places) < every)

    def _redraw(self) -> None:
        if self._place is not None and self._findings.detected is not None:
            board.draw_mix(self.picture, self._findings)

    def _show_buttons(self) -> None:
        on, running = self.controls, self._run is not None
        known = self._place is not None
        if not running:
            on.meter.state = ""
        rest = self._findings.rest if known else 0
        on.detect.description = f"Go on with {plural(rest, 'row')}" if rest else "Detect languages"
        on.detect.disabled = running or not known
        show(on.stop, running)
        on.undo.disabled = not (known and self._findings.labels.undoable)
        show(on.adding, self._additions is not None)
        show(on.remove, bool(self._additions))

    # ---- how notebooks show it

    def _stays(self) -> dict[str, Any]:
        if self._place is None or self._findings.detected is None:
            return super()._stays()
        png = self.picture.png()
        page = (self.rows if self._keep_texts else self.grid).page
        return {
            "text/plain": repr(self),
            "image/png": still.encoded(png),
            "text/html": still.page(
                name=self.line.still,
                png=png,
                alt=self.picture.alt,
                heading=[column["title"] for column in page["columns"]],
                rows=[row["cells"] for row in page["rows"][: still.MOST_ROWS]],
                said=self.line.text,
            ),
        }
