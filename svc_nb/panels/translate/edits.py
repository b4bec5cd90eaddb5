"""What a person wrote in place of translations: each in the job of a run and in the store, with undo and redo."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from svc_nb.columns.job import TextJob
from svc_nb.columns.rewording import Rewording

MOST_STEPS = 1000


@dataclass(frozen=True)
class Edit:
    """A *wording* of the row called *name*."""

    name: str
    wording: Rewording


class Edits:
    """The edits that can be undone and redone, also after another run: an edit is of a question, not of a row.

    Methods give the places in the job's table that show another text now; other rows with the same question have the
    same answer. Where another kernel wrote to the store meanwhile, the last one to write wins.
    """

    def __init__(self) -> None:
        self._undo: deque[Edit] = deque(maxlen=MOST_STEPS)
        self._redo: deque[Edit] = deque(maxlen=MOST_STEPS)

    @property
    def turns(self) -> dict[str, str]:
        """The names of what `undo` and `redo` would turn back; "" where there is nothing."""
        steps = {"undo": self._undo, "redo": self._redo}
        return {word: f"Edit of {some[-1].name}" if some else "" for word, some in steps.items()}

    def write(self, job: TextJob, place: int, text: str, *, name: str) -> list[int]:
        """Use *text* for the row at *place*, which is called *name*; nothing happens where that is its text already."""
        wording = job.rewordings().write(place, text)
        if wording is None:
            return []
        self._undo.append(Edit(name, wording))
        self._redo.clear()
        return _places(job, wording)

    def undo(self, job: TextJob) -> list[int]:
        """Bring back what was there before the last edit, in *job* and in the store."""
        if not self._undo:
            raise ValueError("nothing was edited that could be undone")
        edit = self._undo[-1]
        job.rewordings().take_back(edit.wording)
        self._redo.append(self._undo.pop())
        return _places(job, edit.wording)

    def redo(self, job: TextJob) -> list[int]:
        """Do again what was undone last."""
        if not self._redo:
            raise ValueError("nothing was undone that could be redone")
        edit = self._redo[-1]
        job.rewordings().repeat(edit.wording)
        self._undo.append(self._redo.pop())
        return _places(job, edit.wording)


def _places(job: TextJob, wording: Rewording) -> list[int]:
    return [place for place, key in enumerate(job.questions()) if key == wording.stored.key]
