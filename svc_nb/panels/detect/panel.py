"""The detect panel: choose a column, see its languages, look at rows, and say what is right."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from svc_nb.columns.selection import named
from svc_nb.panels.detect import view
from svc_nb.panels.detect.results import (
    FEW,
    LOOK_AT,
    NONE,
    NOTHING_YET,
    RELABELLED,
    DetectResults,
    RowChoice,
    language_code,
    language_title,
    language_titles,
    row_choices,
)
from svc_nb.panels.detect.run import DetectRun, told_results, told_trouble
from svc_nb.panels.detect.view import FORMS, DetectControls
from svc_nb.panels.parts import files
from svc_nb.panels.parts.columns import NO_COLUMN, AddedColumns, TextsByPlace, label_list, label_text
from svc_nb.panels.parts.grid import Grid
from svc_nb.panels.parts.job_panel import JobPanel
from svc_nb.panels.parts.picture import Picture, in_the_dark, kept_of
from svc_nb.panels.parts.widgets import offer_titles, show
from svc_nb.tabular.report import plural
from svc_nb.tabular.text_column import text_array
from svc_nb.tracebacks import verbs

ROWS_HEIGHT = 340
ADVICE = "Detect again, or take panel.languages."


@verbs
class Detect(JobPanel):
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

    _run: DetectRun | None = None

    def __init__(self, table: Any, column: Hashable = None, *, keep_texts: bool = False) -> None:
        super().__init__()
        self._source = TextsByPlace(table)
        frame = self._source.frame
        self._added = None if frame is None else AddedColumns(frame, advice=ADVICE)
        self._keep_texts = keep_texts
        self._known: dict[int, DetectResults] = {}
        self._place: int | None = None
        self._choice, self._places = RowChoice(), NONE
        self.picture = Picture(pairs=in_the_dark())
        self.grid = Grid("Languages", chosen=lambda code: self._clicked(self._look, RowChoice(code or LOOK_AT)))
        self.rows = Grid(
            "Rows", edited=lambda place, _, text: self._clicked(self._relabel_places, [place], text), searchable=True
        )
        self.rows.height = ROWS_HEIGHT
        self.controls = DetectControls(self.line, self.picture, self.grid, self.rows)
        self.box = self.controls.box
        self._listen()
        titles = self._offer_columns()
        show(self.controls.column, frame is not None)
        self.controls.ask_to_replace(False)
        if column is not None:
            self.choose(column)
        elif titles:
            self._turn_to(next(iter(titles)))
        else:
            self._show()
            self._say(NO_COLUMN)

    def _listen(self) -> None:
        on = self.controls
        on.column.observe(lambda change: self._clicked(self._turn_to, change.new), "value")
        on.view.observe(lambda change: self._clicked(self._look, RowChoice(change.new or LOOK_AT)), "value")
        on.name.observe(lambda change: self._clicked(self._ask_no_more), "value")
        self.picture.observe(lambda change: self._clicked(self._redraw), "width")
        self._on_each({on.detect: self.detect, on.stop: self.stop, on.more: self.more, on.undo: self.undo})
        self._on_each({on.relabel: self._relabel_selected, on.add: self._add, on.keep: self._ask_no_more})
        self._on_each({on.replace: partial(self._add, replace=True), on.remove: self.remove_column})
        for form, button in on.saves.items():
            self._on(button, self.download, form)

    # ---- the column

    def choose(self, column: Hashable) -> Detect:
        """Turn to another column; what is known of this one stays known."""
        self._offer_columns()
        self._turn_to(self._source.place(column))
        return self

    def _offer_columns(self) -> dict[int, str]:
        """Offer the columns that hold texts now, and the one that is chosen."""
        titles = self._source.look()
        if self._place is not None:
            titles.setdefault(self._place, self._source.title(self._place))
        with self._quietly():
            offer_titles(self.controls.column, titles)
        return titles

    def _turn_to(self, place: int) -> None:
        with self._lock:
            if place not in self._known:
                self._known[place] = DetectResults(self._source.column(place).copy())
            self.stop()
            self._latest.drop()
            self._place, self._run = place, None
            with self._quietly():
                self.controls.column.value = place
                self.controls.name.value = label_text(self.languages.name)
            self._look(RowChoice())
            if self._results.detected is not None:
                self._say(told_results(self._results))
            else:
                rows, title = plural(len(self._source), "row"), self._source.title(place)
                self._say(f"{rows} in {title}. Detecting languages costs nothing; what is known is not asked again.")

    def _chosen_place(self) -> int:
        if self._place is None:
            raise ValueError(NO_COLUMN)
        return self._place

    @property
    def _results(self) -> DetectResults:
        return self._known[self._chosen_place()]

    # ---- the run

    def detect(self) -> Detect:
        """Ask the service for the languages, in a thread; what the store knows is not asked, and labels stay."""
        with self._lock:
            place = self._chosen_place()
            self._check_free()
            texts = self._source.column(place)
            self.stop()
            self._offer_columns()
            run = self._run = DetectRun(texts, told=self._heard)
            self._say("Detecting languages …")
            self._show_run(run, "progress")
            self._find(run.follow, lambda _: self._show_end(place, run))
        return self

    def stop(self) -> None:
        """End a detection; what is done is kept."""
        if self._run is not None:
            self._run.cancel()

    def close(self) -> None:
        """End the panel: a detection is stopped, its widgets go, and no thread stays."""
        super().close()

    def _show_run(self, run: DetectRun, what: str) -> None:
        report = run.report
        counts = {"total": report.rows, "done": report.finished - report.failed, "failed": report.failed}
        known = f", {report.stored:,} of them known before" if report.stored else ""
        failed = f"; {report.failed:,} failed" if report.failed else ""
        text = f"{report.finished:,} of {plural(report.rows, 'row')}{known}{failed}"
        text = text if report.rows else "Looking what is known …"
        self.controls.meter.show(**counts, text=text, state="running")
        self._show_buttons()

    def _show_end(self, place: int, run: DetectRun) -> None:
        if run is not self._run:
            return
        self._run = None
        trouble, error = told_trouble(run)
        results = self._known[place]
        if run.report.done or (len(run.table.columns) and not trouble):
            results.take(run.texts, run.table)
        self._look(self._choice.or_first(results))
        self.problem = error
        known = told_results(results) if results.detected is not None else ""
        self.line.say(" ".join(part for part in (trouble, known) if part), "error" if error else "info")

    def _failed(self, problem: Exception) -> None:
        self._run = None
        self._show()
        super()._failed(problem)

    # ---- which rows are shown

    def show_language(self, language: str, count: int | None = None) -> Detect:
        """Show samples of the texts in a language, given as "de" or "German": at first 20, or *count*."""
        self._look(RowChoice(language_code(language) or LOOK_AT, FEW if count is None else max(1, count)))
        return self

    def more(self) -> Detect:
        """Show more samples of the language that is shown."""
        self._look(self._choice.more())
        return self

    def rows_to_look_at(self) -> pd.DataFrame:
        """Show the rows to look at, and return them: `row, text, language, confidence, why` by place."""
        self._look(RowChoice(LOOK_AT))
        return self._results.shown(self._results.to_look_at)

    def show_relabelled(self) -> Detect:
        """Show the rows that have a label by hand."""
        self._look(RowChoice(RELABELLED))
        return self

    def _look(self, choice: RowChoice) -> None:
        """Show other rows; they stay the same while they are relabelled."""
        with self._lock:
            self._choice, self._places = choice, choice.places(self._results)
            self._show()

    # ---- labels by hand

    def relabel(self, wanted: Mapping[Any, str | None], *, by: str = "label") -> int:
        """Say the languages of rows, {row: "de"}, as one step; None is not known. How many rows this changed.

        Rows are named by their labels in the index; with `by="position"` by their places, from 0.
        """
        with self._lock:
            results = self._results
            rows = {results.place(row, by=by): language_code(code) for row, code in wanted.items()}
            changed = results.labels.write(rows)
            self._show()
            self._say(f"Relabelled {plural(changed, 'row')}. {told_results(results)}")
            return changed

    def undo(self) -> int:
        """Take back the last relabelling; how many rows that was."""
        with self._lock:
            count = self._results.labels.undo()
            self._show()
            said = f"Taken back for {plural(count, 'row')}." if count else "There is nothing to take back."
            self._say(f"{said} {told_results(self._results)}")
            return count

    def _relabel_places(self, places: Sequence[Any], language: str) -> None:
        self.relabel({int(place): language for place in places}, by="position")

    def _relabel_selected(self) -> None:
        selected = self.rows.selected
        if not selected:
            raise ValueError("No rows are selected: click on one, and drag or press Shift and an arrow for more.")
        if self.controls.label.value is None:
            raise ValueError("Choose the right language first.")
        self._relabel_places(selected, self.controls.label.value)

    # ---- what came of it

    @property
    def languages(self) -> pd.Series[Any]:
        """The language of every row, NA where it is not known: same index and length as the table."""
        results = self._results
        label = self._source.names[self._chosen_place()]
        name = named("text" if label is None else label, "lang")
        codes = text_array(results.labels.codes.tolist())
        return pd.Series(codes, index=results.texts.index, name=name)

    @property
    def mix(self) -> pd.DataFrame:
        """The languages, the commonest first: `language, name, rows, share, relabelled`."""
        return self._results.mix

    @property
    def table(self) -> pd.DataFrame:
        """Every row with its text, its language, what was detected, and why to look at it; exports have this."""
        return self._results.table

    def export(self, path: str | PathLike[str]) -> Path:
        """Write `table` to a .csv or .xlsx file, which is replaced."""
        self.wait()
        return files.export(path, self._bytes)

    def download(self, form: str) -> None:
        """Have the browser save `table` as "csv" or "xlsx"."""
        self.line.download(f"languages.{form}", self._bytes(form), kind=files.KINDS[form])

    def _bytes(self, form: str) -> bytes:
        if form not in FORMS:
            raise ValueError(f"expected a .csv or .xlsx file, found {form!r}")
        return self._results.file(form)

    def add_column(self, name: Hashable = None, *, replace: bool = False) -> Hashable:
        """Put `languages` into the frame, under *name* or one such as "text_lang", which is returned.

        Raises ValueError where the frame has such a column already, or one that was changed since it was added, unless
        *replace* is said; where its rows and texts are no more those that were detected, or nothing was detected yet;
        and for the column of the texts themselves.
        """
        with self._lock:
            added, own, texts = self._addable(), self.languages, self._results.texts
            wanted = added.label(own.name if name is None else name)
            source = self._source.names[self._chosen_place()]
            if self._results.detected is None:
                raise ValueError(NOTHING_YET)
            if wanted == source:
                raise ValueError(f"{label_text(wanted)} holds the texts themselves: choose another name")
            label = pd.MultiIndex.from_tuples([wanted]) if isinstance(wanted, tuple) else pd.Index([wanted])
            column = own.to_frame().set_axis(label, axis=1)
            added.put(column, made_of=texts.to_frame(source), replace=replace)
            self._show_buttons()
            how = f" translate(source_lang={wanted!r}) takes it." if isinstance(wanted, str) else ""
            self._say(f"Added to the frame: {label_text(wanted)}.{how}")
            return wanted

    def remove_column(self) -> list[Hashable]:
        """Take the last column that was added out of the frame; what stood there before is there again."""
        with self._lock:
            names = self._addable().take_out()
            self._show_buttons()
            self._say(f"Taken out of the frame again: {label_list(names)}.")
            return names

    def _addable(self) -> AddedColumns:
        if self._added is None:
            raise ValueError("there is no frame to add a column to, but a Series: take panel.languages")
        return self._added

    def _add(self, *, replace: bool = False) -> None:
        """Add the column under the name that stands in its field; where there is such a column, ask first."""
        proposed, name = self.languages.name, self.controls.name.value.strip()
        wanted = self._addable().label(proposed if name in ("", label_text(proposed)) else name)
        texts = self._source.names[self._chosen_place()]
        if not replace and wanted != texts and self._addable().there([wanted]):
            self.controls.ask_to_replace(True)
            self.line.say(f"The frame has {label_text(wanted)} already. Really replace what stands there?", "change")
            return
        self.add_column(wanted, replace=replace)
        self._ask_no_more()

    def _ask_no_more(self) -> None:
        if self.controls.asking and self.line.kind == "change":
            self._say(told_results(self._results))
        self.controls.ask_to_replace(False)

    # ---- what is shown, and what stays

    def _show(self) -> None:
        """Show what is known of the column."""
        known = self._place is not None and self._results.detected is not None
        show(self.controls.found, known)
        if known:
            names = row_choices(self._results)
            codes = names.keys() - {LOOK_AT, RELABELLED}
            names.setdefault(self._choice.name, f"{language_title(self._choice.name)} (0)")
            with self._quietly():
                offer_titles(self.controls.view, names)
                self.controls.view.value = self._choice.name
                offer_titles(self.controls.label, {text: text for text in language_titles(codes)})
            view.show_mix(self.grid, self._results)
            said = self._choice.told(self._results, self._places)
            view.show_rows(self.rows, self._results, self._places, said=said)
            every = self._choice.every(self._results)
            show(self.controls.more, self._choice.is_language and len(self._places) < every)
            self._redraw()
        self._show_buttons()
        self._settled()

    def _redraw(self) -> None:
        if self._place is not None and self._results.detected is not None:
            view.draw_mix(self.picture, self._results)

    def _show_buttons(self) -> None:
        on, running = self.controls, self._run is not None
        known = self._place is not None
        if not running:
            on.meter.state = ""
        rest = self._results.rest if known else 0
        on.detect.description = f"Go on with {plural(rest, 'row')}" if rest else "Detect languages"
        on.detect.disabled = running or not known
        show(on.stop, running)
        on.undo.disabled = not (known and self._results.labels.undoable)
        show(on.adding, self._added is not None)
        show(on.remove, bool(self._added))

    def _stays(self) -> dict[str, Any]:
        if self._place is None or self._results.detected is None:
            return super()._stays()
        grid = self.rows if self._keep_texts else self.grid
        return self._kept(**kept_of(self.picture, grid))
