"""The detect panel: choose a column, see its languages, check rows, and correct their labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from os import PathLike
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import pandas as pd

from svc_nb.columns.selection import named
from svc_nb.panels.detect import view
from svc_nb.panels.detect.results import (
    LOOK_AT,
    NO_LANGUAGE,
    NONE,
    NOT_KNOWN,
    NOTHING_YET,
    RELABELLED,
    UNKNOWN,
    DetectResults,
    RowChoice,
    language_code,
    language_title,
    language_titles,
    same_rows,
)
from svc_nb.panels.detect.run import DetectRun, told_results, told_trouble
from svc_nb.panels.detect.view import FORMS, DetectControls
from svc_nb.panels.parts import files
from svc_nb.panels.parts.columns import (
    NO_COLUMN,
    AddedColumns,
    TextColumn,
    TextsByPlace,
    label_list,
    label_text,
    remove_question,
)
from svc_nb.panels.parts.grid import Grid
from svc_nb.panels.parts.job_panel import JobPanel
from svc_nb.panels.parts.widgets import offer_titles, show
from svc_nb.tabular.report import plural
from svc_nb.tabular.text_column import text_array
from svc_nb.tracebacks import verbs

ADVICE = "Detect again, or take panel.languages."
OUT_OF_DATE = " The column in the frame is out of date: press “Update the frame”."
NO_ROWS = "This table has no rows."
READY = "Press the button to detect the languages of this column. That costs nothing."
NO_EARLIER = "No earlier panel that is still open has labels set by hand for these texts."
_numbers = count(1)


@verbs
class Detect(JobPanel):
    """A panel for the languages of a column: the share of each, its rows, rows to check, and labels set by hand.

    Nothing is sent before `detect`, which costs nothing. Everything a click does is also a method; `wait` waits for the
    service, and `close` ends the panel. A saved notebook keeps the counts, but no text.

    Parameters
    ----------
    table
        A frame, or a column. A frame is not changed before `add_column`.
    column
        The column to begin with; by default the one with the longest texts.
    keep_texts
        Whether a saved notebook may keep the first rows shown.
    """

    _run: DetectRun | None = None

    def __init__(self, table: Any, column: Hashable = None, *, keep_texts: bool = False) -> None:
        super().__init__()
        self._source = TextsByPlace(table)
        frame = self._source.frame
        self._added = None if frame is None else AddedColumns(frame, advice=ADVICE)
        self._meant: Callable[[], Any] = self._add  # what answering yes to the question does
        self._keep_texts = keep_texts
        self._number = next(_numbers)
        _open[self._number] = self
        self._known: dict[int, DetectResults] = {}
        self._names: dict[int, str] = {}  # what their columns in the frame are called
        self._place: int | None = None
        self._choice, self._places = RowChoice(), NONE
        self.grid = Grid("Languages", chosen=lambda code: self._clicked(self._look, RowChoice(code)))
        self.rows = Grid(
            "Rows",
            edited=lambda place, _, text: self._clicked(self._relabel_written, place, text),
            turned=lambda word: self._clicked(self.undo if word == "undo" else self.redo),
            searchable=True,
            tall=True,
        )
        self.controls = DetectControls(self.line, self.grid, self.rows)
        self.box = self.controls.box
        self._listen()
        columns = self._offer_columns()
        show(self.controls.column, frame is not None)
        if column is not None:
            self.choose(column)
        elif columns:
            self._turn_to(columns[0].label)
        else:
            self._show()
            self._say(NO_COLUMN if len(self._source) else NO_ROWS)

    def _listen(self) -> None:
        on = self.controls
        on.column.observe(lambda change: self._clicked(self._turn_to, *on.column.labels), "value")
        on.box.on_msg(lambda part, message, buffers: self._clicked(self._turn, message["kind"]))
        on.facts.observe(lambda change: self._clicked(self._look, RowChoice(change.new)), "pressed")
        on.name.observe(lambda change: self._clicked(self._renamed), "value")
        self._on_each({on.detect: self.detect, on.stop: self.stop})
        self._on_each({on.relabel: self._relabel_selected, on.confirm: self._confirm_selected})
        self._on_each({on.add: self._add, on.keep: self._keep_clicked})
        self._on_each({on.replace: lambda: self._meant(), on.remove: self._remove})
        for form, button in on.saves.items():
            self._on(button, self.download, form)

    # ---- the column

    def choose(self, column: Hashable) -> Detect:
        """Switch to another column; the results for this one are kept."""
        self._offer_columns()
        self._turn_to(self._source.place(column))
        return self

    def _offer_columns(self) -> list[TextColumn]:
        """Offer the columns that hold texts now, with the current one chosen."""
        columns, place = self._source.look(), self._place
        if place is not None and place not in [each.label for each in columns]:
            columns.append(TextColumn(place, self._source.title(place), 0))
        with self._quietly():
            self.controls.column.offer_columns(columns, [] if place is None else [place])
        return columns

    def _turn_to(self, place: Any) -> None:
        with self._lock:
            self.controls.question.drop()
            if is_new := place not in self._known:
                self._known[place] = DetectResults(self._source.column(place).copy())
            self.stop()
            self._latest.drop()
            self._place, self._run = place, None
            self._offer_columns()
            with self._quietly():
                self.controls.name.value = self._names.get(place, label_text(self.languages.name))
            self._look(RowChoice().or_first(self._results))
            if self._results.detected is not None:
                self._say(self._told())
            else:
                self._say(READY if len(self._source) else NO_ROWS)
            if is_new and (own := self._earlier_labels()):
                asked = f"An earlier panel has labels set by hand for {len(own):,} of these rows."
                answer = f"Use {plural(len(own), 'label')}"
                self._ask(f"{asked} Use them here?", answer, self.use_earlier_labels, keep="Not now")

    def _chosen_place(self) -> int:
        if self._place is None:
            raise ValueError(NO_COLUMN)
        return self._place

    @property
    def _results(self) -> DetectResults:
        return self._known[self._chosen_place()]

    # ---- the run

    def detect(self) -> Detect:
        """Ask the service for the languages, in a thread; saved answers are reused, and labels set by hand stay."""
        with self._lock:
            place = self._chosen_place()
            self._check_free()
            texts = self._source.column(place)
            self.stop()
            self._offer_columns()
            run = self._run = DetectRun(texts, told=self._heard)
            self._say("You can keep working in the notebook. Results are saved as they arrive.")
            self._show_run(run, "progress")
            self._find(run.follow, lambda _: self._show_end(place, run))
        return self

    def stop(self) -> None:
        """Cancel a detection; finished rows are kept."""
        if self._run is not None:
            self._run.cancel()

    def _ready(self) -> None:
        """Show it at once, even while a detection is running."""

    def _show_run(self, run: DetectRun, what: str) -> None:
        report = run.report
        counts = {"total": report.rows, "done": report.finished - report.failed, "failed": report.failed}
        known = f", {report.stored:,} of them saved answers" if report.stored else ""
        failed = f"; {report.failed:,} failed" if report.failed else ""
        text = f"{report.finished:,} of {plural(report.rows, 'row')}{known}{failed}"
        text = text if report.rows else "Looking up saved answers …"
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
        known = self._told() if results.detected is not None else ""
        self.line.say(" ".join(part for part in (trouble, known) if part), "error" if error else "info")

    def _failed(self, problem: Exception) -> None:
        self._run = None
        self._show()
        super()._failed(problem)

    # ---- which rows are shown

    def show_language(self, language: str | None) -> Detect:
        """Show the rows in a language, given as "de" or "German"; None shows those whose language is not known. "No
        language" shows rows with nothing to detect, or that a person labelled so.
        """
        code = language if language == NO_LANGUAGE else language_code(language, self._results.known)
        self._look(RowChoice(code or UNKNOWN))
        return self

    def rows_to_look_at(self) -> pd.DataFrame:
        """Show the rows to check, and return them: `row, text, language, confidence, why` by position."""
        self._look(RowChoice(LOOK_AT))
        return self._results.shown(self._results.to_look_at)

    def show_relabelled(self) -> Detect:
        """Show the rows with a label set by hand."""
        self._look(RowChoice(RELABELLED))
        return self

    def _look(self, choice: RowChoice) -> None:
        """Show other rows; they stay in view while they are relabelled."""
        with self._lock:
            self._choice, self._places = choice, choice.places(self._results)
            self._show()

    # ---- labels by hand

    def relabel(self, wanted: Mapping[Any, str | None], *, by: str = "label") -> int:
        """Set the languages of rows, {row: "de"}, as one step; None is no language. Returns how many rows changed.

        Rows are given by their index labels or, with `by="position"`, by their positions from 0. Setting the detected
        language confirms it, so the row no longer needs checking.
        """
        with self._lock:
            results = self._results
            known = results.known
            codes = {code: language_code(code, known) for code in dict.fromkeys(wanted.values())}
            rows = {results.place(row, by=by): codes[code] for row, code in wanted.items()}
            changed = results.labels.write(rows)
            self._show(steady=True)
            many = plural(changed, "row")
            said = f"Relabelled {many}"
            if changed and {results.labels.word(row) for row in rows} == {"Confirmed"}:
                languages = dict.fromkeys(language_title(code or NO_LANGUAGE) for code in rows.values())
                said = f"Confirmed {many} as {label_list([*languages])}"
            self._say(f"{said}. {self._told()}")
            return changed

    def confirm(self, rows: Iterable[Any], *, by: str = "label") -> int:
        """Confirm the languages of *rows* as they are, or the best guess if one is shown.

        Raises ValueError if a row has neither.
        """
        with self._lock:
            results = self._results
            return self.relabel(results.confirmed([results.place(row, by=by) for row in rows]), by="position")

    def use_earlier_labels(self) -> int:
        """Copy the labels set by hand in an earlier panel that is still open; returns how many rows changed.

        It is the latest panel with a column of this name; labels are copied to rows with the same text.
        """
        with self._lock:
            own = self._earlier_labels()
            if not own:
                raise ValueError(NO_EARLIER)
            self.controls.question.drop()
            changed = self._results.labels.write(own)
            self._show(steady=True)
            self._say(f"Copied {plural(changed, 'label')} set by hand.")
            return changed

    def _earlier_labels(self) -> dict[int, str | None]:
        texts = self._results.texts
        name = self._source.names[self._chosen_place()]
        for panel in reversed([panel for number, panel in _open.items() if number < self._number]):
            for place, results in list(panel._known.items()):
                alike = panel._source.names[place] == name
                if alike and (own := same_rows(results.labels.own, results.texts, texts)):
                    return own
        return {}

    def undo(self) -> int:
        """Undo the last relabelling; returns how many rows it changed."""
        return self._turn("undo")

    def redo(self) -> int:
        """Redo the last step that was undone; returns how many rows it changed."""
        return self._turn("redo")

    def _turn(self, word: str) -> int:
        with self._lock:
            labels = self._results.labels
            count = labels.undo() if word == "undo" else labels.redo()
            self._show(steady=True)
            done = "Undone" if word == "undo" else "Redone"
            said = f"{done} for {plural(count, 'row')}." if count else f"There is nothing to {word}."
            self._say(f"{said} {self._told()}")
            return count

    def _relabel_places(self, places: Sequence[Any], language: str) -> None:
        self.relabel({int(place): language for place in places}, by="position")

    def _relabel_written(self, place: Any, language: str) -> None:
        """Apply a language chosen in one of several selected rows to all of them."""
        selected = self.rows.selected
        places = selected if place in selected else [place]
        if language == NOT_KNOWN:  # Enter confirms the best guess
            self.confirm(places, by="position")
        else:
            self._relabel_places(places, language)

    def _selected(self) -> list[Any]:
        if not (selected := self.rows.selected):
            raise ValueError("No rows are selected: click on one, and drag or press Shift and an arrow for more.")
        return selected

    def _relabel_selected(self) -> None:
        selected = self._selected()
        if self.controls.label.value is None:
            raise ValueError("Choose the correct language first.")
        self._relabel_places(selected, self.controls.label.value)
        with self._quietly():
            self.controls.label.value = None  # the choice was for these rows

    def _confirm_selected(self) -> None:
        self.confirm(self._selected(), by="position")

    # ---- the result

    @property
    def languages(self) -> pd.Series[Any]:
        """The language of every row, NA if not known: same index and length as the table."""
        results = self._results
        label = self._source.names[self._chosen_place()]
        name = named("text" if label is None else label, "lang")
        codes = text_array(results.labels.codes.tolist())
        return pd.Series(codes, index=results.texts.index, name=name)

    @property
    def mix(self) -> pd.DataFrame:
        """The languages, most frequent first: `language, name, rows, share, relabelled`."""
        return self._results.mix

    @property
    def table(self) -> pd.DataFrame:
        """Every row with its text, language, detected language, and why to check it; this is what exports contain."""
        return self._results.table

    def export(self, path: str | PathLike[str]) -> Path:
        """Write `table` to a .csv or .xlsx file, replacing an existing one."""
        self.wait()
        saved = files.export(path, self._bytes)
        self._say_saved(saved.name)
        return saved

    def download(self, form: str) -> None:
        """Have the browser save `table` as "csv" or "xlsx"."""
        self.line.download(f"languages.{form}", self._bytes(form), kind=files.KINDS[form])
        self._say_saved(f"languages.{form}")

    def _say_saved(self, name: str) -> None:
        texts = self._results.texts
        long = sum(isinstance(text, str) and len(text) > files.LONGEST_XLSX for text in texts.tolist())
        cut = ""
        if long and name.lower().endswith("xlsx"):
            holds = f"an Excel cell holds at most {plural(files.LONGEST_XLSX, 'character')}"
            cut = f" {plural(long, 'text was', 'texts were')} cut: {holds}."
        self._say(f"Saved {plural(len(texts), 'row')} as {name}.{cut}")

    def _bytes(self, form: str) -> bytes:
        if form not in FORMS:
            raise ValueError(f"expected a .csv or .xlsx file, found {form!r}")
        return self._results.file(form)

    def add_column(self, name: Hashable = None, *, replace: bool = False) -> Hashable:
        """Add `languages` to the frame as *name*, or a name such as "text_lang", which is returned.

        Raises ValueError if the frame already has a column of that name, or one that was changed since it was added,
        unless *replace* is true; if its rows and texts have changed since the detection, or nothing was detected yet;
        and for the column of the texts themselves.
        """
        with self._lock:
            added, own, texts = self._addable(), self.languages, self._results.texts
            wanted = added.label(own.name if name is None else name)
            source = self._source.names[self._chosen_place()]
            if self._results.detected is None:
                raise ValueError(NOTHING_YET)
            if wanted == source:
                raise ValueError(f"“{label_text(wanted)}” is the column with the texts. Choose another name.")
            label = pd.MultiIndex.from_tuples([wanted]) if isinstance(wanted, tuple) else pd.Index([wanted])
            column = own.to_frame().set_axis(label, axis=1)
            word = "Updated in" if added.outdated(wanted, own) else "Added to"
            added.put(column, made_of=texts.to_frame(source), replace=replace)
            if isinstance(wanted, str):
                with self._quietly():
                    self._names[self._chosen_place()] = self.controls.name.value = wanted
            self._show_buttons()
            how = f" Use it with translate(source_lang={wanted!r})." if isinstance(wanted, str) else ""
            self._say(f"{word} the frame: {label_text(wanted)}.{how}")
            return wanted

    def remove_column(self, *, force: bool = False) -> list[Hashable]:
        """Remove the column that was added last, and restore the one it replaced.

        Raises ValueError if it was changed since it was added, unless *force* is true, and if the rows have changed so
        that the column it replaced cannot be restored.
        """
        with self._lock:
            word = "Restored in" if self._addable().restores else "Removed from"
            names = self._addable().take_out(force=force)
            self.controls.question.drop()
            self._show_buttons()
            self._say(f"{word} the frame: {label_list(names)}.")
            return names

    def _addable(self) -> AddedColumns:
        if self._added is None:
            raise ValueError("the panel was given a Series, which has no place for a column: take panel.languages")
        return self._added

    @property
    def _wanted(self) -> Hashable:
        """The name in its field, as the frame will have it."""
        proposed, name = self.languages.name, self.controls.name.value.strip()
        return self._addable().label(proposed if name in ("", label_text(proposed)) else name)

    @property
    def _stale(self) -> bool:
        """Whether rows were relabelled or detected since the column was added."""
        return bool(self._added) and self._addable().outdated(self._wanted, self.languages)

    def _told(self) -> str:
        """What to do now, without the counts that the panel shows."""
        return f"{told_results(self._results)}{OUT_OF_DATE if self._stale else ''}"

    def _renamed(self) -> None:
        self.controls.question.drop()
        self._show_buttons()

    def _add(self, *, replace: bool = False) -> None:
        """Add the column under the name in its field; if there is such a column already, ask first."""
        wanted = self._wanted
        texts = self._source.names[self._chosen_place()]
        if not replace and wanted != texts and self._addable().there([wanted]):
            self._ask(self._addable().replace_question([wanted]), "Replace 1 column", partial(self._add, replace=True))
            return
        self.add_column(wanted, replace=replace)
        self.controls.question.drop()

    def _remove(self) -> None:
        """Remove the column; if it was changed since it was added, ask first."""
        if changed := self._addable().changed:
            answer = "Restore 1 column" if self._addable().restores else "Remove 1 column"
            self._ask(remove_question(changed), answer, partial(self.remove_column, force=True))
        else:
            self.remove_column()

    def _ask(self, question: str, answer: str, meant: Callable[[], Any], *, keep: str = "Cancel") -> None:
        self._meant, self.controls.replace.description, self.controls.keep.description = meant, answer, keep
        self._say(self._told() if self._results.detected is not None else self.line.text)  # no earlier error
        self.controls.question.ask(question)

    def _keep_clicked(self) -> None:
        self.controls.question.drop()
        self._say("Nothing was changed.")

    # ---- what is shown, and what is saved

    def _show(self, *, steady: bool = False) -> None:
        """Show the results for the column; *steady* leaves the rows where they are and updates their labels."""
        known = self._place is not None and self._results.detected is not None
        show(self.controls.found, known)
        if known:
            results, controls = self._results, self.controls
            with self._quietly():
                controls.facts.show(view.facts(results), pressed=self._choice.name)
                offer_titles(controls.label, {text: text for text in language_titles(results.codes)})
            controls.shown.value = self._choice.title
            view.show_mix(self.grid, results, self._choice, steady=steady)
            said = self._choice.told(results, self._places)
            view.show_rows(self.rows, results, self._places, said=said, steady=steady)
        self._show_buttons()
        self._settled()

    def _show_buttons(self) -> None:
        on, running = self.controls, self._run is not None
        known = self._place is not None
        if not running:
            on.meter.state = ""
        rest, found = (self._results.rest, self._results.detected is not None) if known else (0, False)
        rows = plural(len(self._source), "row")
        again = f"Continue with {plural(rest, 'row')}" if rest else "Detect again"
        on.detect.description = "Detecting …" if running else again if found else f"Detect languages in {rows}"
        on.detect.button_style = "" if running or (found and not rest) else "primary"
        on.detect.disabled = running or not known or not len(self._source)
        show(on.stop, running)
        show(on.adding, self._added is not None and found and not running)
        stale = found and not running and self._stale
        on.add.description = "Update the frame" if stale else "Add to the frame"
        on.add.button_style = "" if rest or (self._added and not stale) else "primary"
        show(on.remove, bool(self._added))
        restores = self._added is not None and self._added.restores
        on.remove.description = "Undo: restore the column" if restores else "Undo: remove the column"

    @property
    def _survives(self) -> str:
        own = sum(len(results.labels.own) for results in self._known.values())
        return f"Lost unless saved: {plural(own, 'label')} set by hand." if own else ""

    def close(self) -> None:
        """Close the panel: a run is cancelled, its widgets go, and its labels are not offered to other panels."""
        _open.pop(self._number, None)
        super().close()

    def _stays(self) -> dict[str, Any]:
        if self._place is None or self._results.detected is None:
            return super()._stays()
        page = (self.rows if self._keep_texts else self.grid).page
        return self._kept([each["title"] for each in page["columns"]], [each["cells"] for each in page["rows"]])


_open: WeakValueDictionary[int, Detect] = WeakValueDictionary()  # by number, so that the oldest is first
