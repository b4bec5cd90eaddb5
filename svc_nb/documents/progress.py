"""Bars that follow documents to their end: one for all, and one for each file that is on its way."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

from svc_nb.engine.interrupt import AGAIN, EVERY, stopping

if TYPE_CHECKING:
    from svc_nb.documents.job import DocumentJob, FileProgress, Progress

# So many files get a bar of their own at once.
MOST_BARS = 8
LONGEST_NAME = 32
ON_THE_WAY = ("uploading", "queued", "translating", "ready", "downloading", "elsewhere")
SENT = ("queued", "translating", "ready", "downloading")
# What the service alone can end has no time of its own to show: so it is said that it is waited for, and how long.
WAITS_FOR = {"queued": "the service", "translating": "the service", "elsewhere": "another kernel"}
PERCENT = "{desc}: {percentage:3.0f}%|{bar}| {unit} [{elapsed}]"  # a postfix would begin with a comma


def follow(job: DocumentJob, *, shown: bool = True) -> None:
    """Wait until *job* has ended, painting bars unless told not to.

    Ctrl-C ends the job once downloads under way are finished, and raises KeyboardInterrupt, which says what is done;
    see `stopping`. Where nobody watches (no terminal, no notebook) there are no bars; when all is done only the one
    for all stays.
    """
    bars = None
    try:
        with stopping(job, lambda: _so_far(job.progress)):
            bars = Bars(job.progress) if shown else None
            while not job.wait(EVERY):
                if bars:
                    bars.paint(job.progress)
    finally:
        if bars:
            bars.close(job.progress)


class Bars:
    """The bars of one job; a file that has ended gives its bar to the next."""

    def __init__(self, progress: Progress) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # tqdm tells of widgets that are not installed
            from tqdm.auto import tqdm
        in_notebook = any(base.__module__ == "tqdm.notebook" for base in tqdm.__mro__)
        self._tqdm: Any = tqdm
        self._watched = in_notebook or sys.stderr.isatty()
        self._all = self._made(0, total=max(1, len(progress.files)), desc="documents", unit=" files")
        self._bars: dict[int, Any] = {}

    def paint(self, progress: Progress) -> None:
        """Show how far everything is."""
        if not self._watched:
            return
        self._all.n = progress.ended
        self._all.set_postfix_str(f"{progress.fraction:.0%} of all")
        for number in [each for each in self._bars if progress.files[each].status not in ON_THE_WAY]:
            self._bars.pop(number).close()
        for number, file in enumerate(progress.files):
            if file.status in ON_THE_WAY and (number in self._bars or len(self._bars) < MOST_BARS):
                self._paint_file(number, file)

    def close(self, progress: Progress) -> None:
        """Show the end, and leave only the bar for all, if anything was done at all."""
        self.paint(progress)
        for bar in self._bars.values():
            bar.close()
        self._bars.clear()
        self._all.leave = progress.ended > 0
        self._all.close()

    def _paint_file(self, number: int, file: FileProgress) -> None:
        if number not in self._bars:
            taken = {-bar.pos for bar in self._bars.values()} | {bar.pos for bar in self._bars.values()}
            place = next(each for each in range(1, MOST_BARS + 2) if each not in taken)
            name = "".join(letter if letter.isprintable() else "?" for letter in file.path.name)
            self._bars[number] = self._made(
                place, total=1000, desc=name[:LONGEST_NAME], unit=_said(file), leave=False, bar_format=PERCENT
            )
        bar = self._bars[number]
        bar.n = round(file.fraction * 1000)
        bar.unit = _said(file)
        bar.refresh()

    def _made(self, place: int, **how: Any) -> Any:
        return self._tqdm(position=place, disable=not self._watched, dynamic_ncols=True, mininterval=0, **how)


def _so_far(progress: Progress) -> str:
    """What an interrupted job has done, in one line that ends with what to do."""
    statuses = [file.status for file in progress.files]
    sent = sum(status in SENT for status in statuses)
    return (
        f"{statuses.count('done'):,} of {len(statuses):,} documents are done, {sent:,} are with the service; "
        f"{AGAIN} (svc_nb.documents.resume() only fetches what was sent)"
    )


def _said(file: FileProgress) -> str:
    if file.seconds_remaining:
        return f"{file.status}, {file.seconds_remaining} s left"
    waits = WAITS_FOR.get(file.status)
    return f"{file.status}, waiting for {waits}" if waits else file.status
