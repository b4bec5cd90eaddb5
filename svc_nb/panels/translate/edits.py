"""What a person wrote in place of translations: each in the job of a run and in the store, with undo and redo."""

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

MAY_CHANGE = "this row may still change: edit it when the run is over, or cancel the run"
MOST_STEPS = 1000


@dataclass(frozen=True, eq=False)
class Edit:
    """A *wording* of the row at *place*, which is called *name*."""

    place: int
    name: str
    wording: Rewording


class Edits:
    """The edits that can be undone and redone, also after another run: an edit is of a question, not of a row.

    What is turned is the last edit of a question that *job* asks: where it asks none of them, as for another language,
    there is nothing to turn. Methods give the places in the job's table that show another text now, the one that was
    edited first; other rows with the same question have the same answer. Where another kernel wrote to the store
    meanwhile, the last one to write wins.
    """

    def __init__(self) -> None:
        self._undo: deque[Edit] = deque(maxlen=MOST_STEPS)
        self._redo: deque[Edit] = deque(maxlen=MOST_STEPS)

    def turns(self, job: TextJob) -> dict[str, str]:
        """The names of what `undo` and `redo` would turn back in *job*; "" where there is nothing."""
        found = {"undo": _last(self._undo, job), "redo": _last(self._redo, job)}
        return {word: f"Edit of {edit.name}" if edit else "" for word, edit in found.items()}

    def write(self, job: TextJob, place: int, text: str, *, name: str) -> list[int]:
        """Use *text* for the row at *place*, which is called *name*; nothing happens where that is its text already."""
        wording = job.rewordings().write(place, text)
        if wording is None:
            return []
        self._undo.append(Edit(place, name, wording))
        self._redo.clear()
        return _places(job, self._undo[-1])

    def undo(self, job: TextJob) -> list[int]:
        """Bring back what was there before the last edit, in *job* and in the store."""
        edit = _last(self._undo, job)
        if edit is None:
            raise ValueError("nothing was edited that could be undone in this result")
        job.rewordings().take_back(edit.wording)
        self._undo.remove(edit)
        self._redo.append(edit)
        return _places(job, edit)

    def redo(self, job: TextJob) -> list[int]:
        """Do again what was undone last."""
        edit = _last(self._redo, job)
        if edit is None:
            raise ValueError("nothing was undone that could be redone in this result")
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
    """A panel whose translations a person edits: shown and stored at once, and checked a moment later in a thread."""

    layout: TranslateView
    texts: TextsByLabel
    _run: TranslateRun | None = None
    _added: AddedColumns

    def __init__(self) -> None:
        super().__init__()
        self._edits = Edits()
        self._stale = False  # whether the frame has columns of this result that lack what was edited since
        self._missing = True  # whether the frame lacks columns of this result
        self._checks = Latest()
        self._workers.append(self._checks)

    def edit(self, place: int, text: str) -> Self:
        """Use your own wording for a translation, from now on and wherever the same is asked for.

        All rows with the same text, language and options show it, and the store has it; nothing is sent or paid. Raises
        ValueError while a run is going on, where the row was skipped, and where *text* is empty or lacks what is
        protected in the source.

        Parameters
        ----------
        place
            The row of `table`, by its index: that has a row for each row, column and target language.
        text
            Your wording. White space around it follows the source.
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
        """Edit as a person does. Where that is refused, the line names the row, and what is returned says why.

        That may quote the texts: it is shown beside the editor, and never kept in a saved notebook.
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
            except Exception as problem:  # what was written is not lost: it stays in the editor
                self._tell(problem)
                return sentence(error_line(problem))
            self._tell_host()
        return None

    def undo(self) -> Self:
        """Take the last edit back: the result and the store have again what they had before it."""
        self._turn("undo")
        return self

    def redo(self) -> Self:
        """Do again what `undo` took back."""
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
        """Undo or redo as a person does; the place of the row that was edited, if it is still there."""
        places: list[int] = []
        self._clicked(lambda: places.extend(self._turn(word)))
        return places[0] if places else None

    def _editable(self) -> TranslateRun:
        run = self._last_run()
        self._check_free()
        if self._going or not run.over:  # or its last table is not shown yet
            raise ValueError(MAY_CHANGE)
        return run

    def _show_edit(self, run: TranslateRun, places: list[int], said: str) -> None:
        """Show what was edited at once, and what the checks say of it a moment later."""
        again = run.again
        run.take_edits(places)
        self._show_edits(run)
        if run.again != again:  # there is less to pay, or more
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
        """See what the frame has of the result of *run*."""
        made = run.job.partial()
        self._missing = not self._added or any(name not in self.texts.frame.columns for name in made.columns)
        self._stale = not self._missing and any(self._added.outdated(name, cells) for name, cells in made.items())

    @abstractmethod
    def _last_run(self) -> TranslateRun:
        """The run whose rows are shown; raises ValueError where there was none."""

    @abstractmethod
    def _replan(self) -> None:
        """Work out anew what there is to pay."""

    @abstractmethod
    def _show_buttons(self) -> None:
        """Show what can be done now."""
