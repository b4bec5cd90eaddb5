"""A person's edits of translations: each is in the job of a run and in the store, with undo and redo."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from svc_nb.columns.job import TextJob
from svc_nb.columns.rewording import Rewording
from svc_nb.panels.parts.columns import AddedColumns, TextsByLabel
from svc_nb.panels.parts.job_panel import JobPanel
from svc_nb.panels.parts.texts import error_line, sentence, text_of
from svc_nb.panels.parts.worker import Latest
from svc_nb.panels.translate import messages
from svc_nb.panels.translate.run import TranslateRun
from svc_nb.panels.translate.view import TranslateView
from svc_nb.tracebacks import verbs

MAY_CHANGE = "this row may still change. Edit it when the run has ended, or cancel the run"
MOST_STEPS = 1000


@dataclass(frozen=True, eq=False)
class Edit:
    """A *wording* for the row at *place*, with the title *name*."""

    place: int
    name: str
    wording: Rewording


class Edits:
    """The edits that can be undone and redone, even after another run: an edit belongs to a question, not a row.

    Undo and redo apply to the last edit of a question that *job* asks; if it asks none of them, as for another
    language, there is nothing to undo. Methods return the positions in the job's table with a new text, the edited row
    first; other rows with the same question have the same answer. If another kernel wrote to the store in the meantime,
    the last write wins.
    """

    def __init__(self) -> None:
        self._undo: deque[Edit] = deque(maxlen=MOST_STEPS)
        self._redo: deque[Edit] = deque(maxlen=MOST_STEPS)

    def turns(self, job: TextJob) -> dict[str, str]:
        """The names of the steps for `undo` and `redo` in *job*; "" if there is none."""
        found = {"undo": _last(self._undo, job), "redo": _last(self._redo, job)}
        return {word: f"Edit of {edit.name}" if edit else "" for word, edit in found.items()}

    def write(self, job: TextJob, place: int, text: str, *, name: str) -> list[int]:
        """Use *text* for the row at *place*, with the title *name*; does nothing if it already has this text."""
        wording = job.rewordings().write(place, text)
        if wording is None:
            return []
        self._undo.append(Edit(place, name, wording))
        self._redo.clear()
        return _places(job, self._undo[-1])

    def undo(self, job: TextJob) -> list[int]:
        """Restore what was there before the last edit, in *job* and in the store."""
        edit = _last(self._undo, job)
        if edit is None:
            raise ValueError("there is no edit to undo in this result")
        job.rewordings().take_back(edit.wording)
        self._undo.remove(edit)
        self._redo.append(edit)
        return _places(job, edit)

    def redo(self, job: TextJob) -> list[int]:
        """Redo the edit undone last."""
        edit = _last(self._redo, job)
        if edit is None:
            raise ValueError("there is no edit to redo in this result")
        job.rewordings().repeat(edit.wording)
        self._redo.remove(edit)
        self._undo.append(edit)
        return _places(job, edit)


def _last(steps: Sequence[Edit], job: TextJob) -> Edit | None:
    """The last of *steps* that *job* has a row for."""
    asked = set(job.questions()) if steps else set()
    return next((edit for edit in reversed(steps) if edit.wording.stored.key in asked), None)


def _places(job: TextJob, edit: Edit) -> list[int]:
    places = [place for place, key in enumerate(job.questions()) if key == edit.wording.stored.key]
    return sorted(places, key=lambda place: place != edit.place)


@verbs
class EditsRows(JobPanel):
    """A panel with editable translations: edits are shown and stored at once, and checked a moment later."""

    layout: TranslateView
    texts: TextsByLabel
    _run: TranslateRun | None = None
    _added: AddedColumns

    def __init__(self) -> None:
        super().__init__()
        self._edits = Edits()
        self._stale = False  # whether the frame has columns of this result without the latest edits
        self._missing = True  # whether columns of this result are missing from the frame
        self._checks = Latest()
        self._workers.append(self._checks)

    def edit(self, place: int, text: str) -> Self:
        """Use your own wording for a translation, from now on and wherever the same translation is requested.

        All rows with the same text, language and options show it, and it is a saved answer; nothing is sent or billed.
        Raises ValueError during a run, if the row was skipped, and if *text* is empty or is missing protected text of
        the source.

        Parameters
        ----------
        place
            The row of `table`, by its index; there is one for each row, column and target language.
        text
            Your wording. Leading and trailing white space follows the source.
        """
        if not isinstance(text, str):
            raise TypeError(f"text: expected a text, found {type(text).__name__}")
        with self._lock:
            run = self._editable()
            name = "" if run.results is None else run.results.name(place)
            if run.results is not None and place in run.results.locked:
                raise ValueError(run.results.locked[place])
            if places := self._edits.write(run.job, place, text_of(text), name=name):
                self._show_edit(run, places, messages.edited(len(places)))
        return self

    def _edit_clicked(self, place: int, text: str) -> str | None:
        """Edit as a user does. If the edit is rejected, the line names the row, and the return value says why.

        The reason may quote texts, so it is shown beside the editor and never saved in a notebook.
        """
        with self._lock:
            try:
                self.edit(place, text)
            except ValueError as problem:
                results = self.layout.listing.results
                told = ValueError(f"{'' if results is None else f'{results.name(place)}: '}{problem}")
                told.__cause__ = problem
                self._tell(told)
                return messages.refused(problem)
            except Exception as problem:  # the text is not lost: it stays in the editor
                self._tell(problem)
                return sentence(error_line(problem))
            self._tell_host()
        return None

    def undo(self) -> Self:
        """Undo the last edit: the result and the store are as before."""
        self._turn("undo")
        return self

    def redo(self) -> Self:
        """Redo the last edit that was undone."""
        self._turn("redo")
        return self

    def _turn(self, word: str) -> list[int]:
        with self._lock:
            run = self._editable()
            step = self._edits.turns(run.job)[word]
            places = (self._edits.undo if word == "undo" else self._edits.redo)(run.job)
            self._show_edit(run, places, messages.turned(word, step, len(places)))
        return places

    def _turn_clicked(self, word: str) -> int | None:
        """Undo or redo as a user does; returns the position of the edited row, if it is still there."""
        places: list[int] = []
        self._clicked(lambda: places.extend(self._turn(word)))
        return places[0] if places else None

    def _editable(self) -> TranslateRun:
        run = self._last_run()
        self._check_free()
        if self._going or not run.over:  # or its final table is not shown yet
            raise ValueError(MAY_CHANGE)
        return run

    def _show_edit(self, run: TranslateRun, places: list[int], said: str) -> None:
        """Show edits at once, and their checks a moment later."""
        again = run.again
        run.take_edits(places)
        self._show_edits(run)
        if run.again != again:  # the cost has changed
            self._replan()
        self.layout.show_progress(run)
        self._compare_frame(run)
        self._show_buttons()
        self._say(f"{said}{messages.STALE_COLUMNS if self._stale else ''}")
        self._find(run.check, lambda _: self._show_edits(run), self._checks)
        self._settled()

    def _show_edits(self, run: TranslateRun) -> None:
        if run is self._run and run.results is not None:
            with self._quietly():
                self.layout.listing.show_edits(run, self._edits.turns(run.job))

    def _compare_frame(self, run: TranslateRun) -> None:
        """Check which columns of the result of *run* the frame has."""
        made = run.job.partial()
        self._missing = not self._added or any(name not in self.texts.frame.columns for name in made.columns)
        self._stale = not self._missing and any(self._added.outdated(name, cells) for name, cells in made.items())

    @abstractmethod
    def _last_run(self) -> TranslateRun:
        """The run whose rows are shown; raises ValueError if there is none."""

    @abstractmethod
    def _replan(self) -> None:
        """Calculate the cost again."""

    @abstractmethod
    def _show_buttons(self) -> None:
        """Update the controls."""
