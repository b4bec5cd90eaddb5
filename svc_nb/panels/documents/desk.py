"""The documents panel itself: files come in, are checked, sent when a person agrees, watched, and saved.

1. Files that are dropped go piece by piece into a private folder; files that are named stay where they are.
2. On every change a plan is made in a thread: what can be sent, why not, what it costs at least. Nothing is sent.
3. A run is a `DocumentJob`, followed in a thread. What was sent is written down, and survives this kernel.
4. What is under way from before, or from another notebook, stands below, to be resumed or forgotten.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

import pandas as pd

from svc_nb import documents
from svc_nb.documents.items import MARKED, WRITTEN
from svc_nb.documents.storage import address_of
from svc_nb.errors import SvcError
from svc_nb.panels import still
from svc_nb.panels.documents import parcel, speech
from svc_nb.panels.documents.layout import Layout, State
from svc_nb.panels.documents.offer import DocumentOffer
from svc_nb.panels.documents.order import Order
from svc_nb.panels.documents.papers import LOST, TO_FETCH, TO_SEND, Paper, rows_of
from svc_nb.panels.documents.planning import BUSY, OUT, PathOf, Planning, limit
from svc_nb.panels.documents.run import Run
from svc_nb.panels.latest import tried
from svc_nb.panels.panel import PATIENCE
from svc_nb.session import current
from svc_nb.signatures import hides, shows
from svc_nb.tabular.report import Report, plural
from svc_nb.tracebacks import verbs
from svc_nb.wire.models.documents import DOCUMENT_OPTIONS

SENDABLE = (TO_SEND, TO_FETCH)
BEGUN = "Sending, and waiting for the translations. You can go on working in the notebook."


@hides("layout", "click")
@verbs
class Documents(Planning):
    """A panel that translates whole files: drop or name them, see what they cost at least, watch them, save them.

    Whatever a click does, a method does too. Nothing is sent before `translate`. What was sent is written down, so that
    it is neither sent nor paid for twice, also when this kernel ends: then it stands below in the next panel. Files
    that are dropped are kept in a private folder as long as the panel is open. `wait` waits until a run has ended.

    Parameters
    ----------
    files
        A folder, a file, or a list of them, to begin with; `add` takes more.
    target_lang
        The language to translate into; it can be chosen in the panel.
    out
        The folder for the translations on the kernel's machine. By default `translated` in the working directory, with
        a folder for each language in it.
    options
        What `svc_nb.documents.translate` takes: source_lang, formality, glossary_ids, style_id, translation_memory_id,
        translation_memory_threshold, output_format, enable_watermark. What does not fit is left out, and told.
    """

    @shows(DOCUMENT_OPTIONS)
    def __init__(
        self,
        files: PathOf | Sequence[PathOf] | None = None,
        *,
        target_lang: str | None = None,
        out: PathOf | None = None,
        **options: Any,
    ) -> None:
        super().__init__(Order().with_target(target_lang).with_options(**options), out)
        self._run: Run | None = None
        self._meant: tuple[str, ...] = SENDABLE  # what is asked about
        self.layout = Layout(
            self, received=self._received, refused=self._refused, keep=self._inbox.receive, limit=limit
        )
        self.box = self.layout.box
        for control in self.layout.controls.all:
            control.observe(lambda change: self._clicked(self._chosen), "value")
        if files is None:
            self._changed()
        else:
            self.add(files)
        self.refresh()

    # ---- what a person can do

    def translate(self, *, again: bool = False) -> Self:
        """Send what can be sent, and fetch it, in threads; with *again* also that whose translation is gone.

        This is what is paid for, and nothing is asked before. Raises ValueError where there is nothing to send.
        """
        self._check_free()
        self.plan()
        with self._lock:
            self._begin(*SENDABLE, *([LOST] if again else []))
            return self

    def cancel(self) -> None:
        """Send nothing more. What was sent stays under way, and can be fetched later."""
        with self._lock:
            if self._run is not None and self._run.going:
                self._run.cancel()
                self._say("Cancelling: what is being fetched is finished …")
                self._show_state()

    def resume(self, document_ids: Sequence[str] | None = None) -> Self:
        """Go on with documents that are under way from before: those that nobody is at, or some of them."""
        with self._lock:
            self._check_free()
            ids = self.layout.waiting.resumable if document_ids is None else list(document_ids)
            job = documents.start_resume(document_ids=ids)
            found = [row for _, row in rows_of(job.table())]
            if not found:
                raise ValueError("There is nothing to resume with this service: it was sent elsewhere.")
            self._follow(Run(job, [self._resumed(row) for row in found], told=self._heard))
            return self

    def forget(self, document_ids: Sequence[str]) -> Self:
        """Forget documents for good: their translations cannot be fetched any more."""
        for each in document_ids:
            documents.forget(each)
        with self._lock:
            self.layout.waiting.keep()
            self._say(f"Forgot {plural(len(document_ids), 'document')}.")
            self._look_at_waiting()
            self._replan(quietly=True)
        return self

    def refresh(self) -> Self:
        """Look at the files again, also at those that failed, and ask the service anew for what it has to offer."""
        self._unsettle()
        self._do(lambda: _wrapped(tried(DocumentOffer.now)), lambda answer: self._offered(answer[0]))
        self._look_at_waiting()
        return self

    def save(self, numbers: Sequence[int] | None = None) -> Self:
        """Have the browser save translations, by the numbers in `table`; without, all. Several become a zip."""
        papers = [
            each for each in self._papers.with_status(*WRITTEN) if numbers is None or each.number in numbers
        ]
        paths = [each.output for each in papers if each.output]
        if not paths:
            raise ValueError("There is no translation to save.")
        name = f"{OUT}-{self._order.target or 'documents'}.zip"
        self._do(lambda: parcel.parcel(paths, name=name), self._saved)
        return self

    @property
    def pending(self) -> pd.DataFrame:
        """What is under way from before, or from another notebook, as it is shown."""
        return self.layout.waiting.table

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until a run has ended and all is shown; False where *timeout* seconds are too few."""
        run = self._run
        if run is not None and not run.wait(timeout):
            return False
        return super().wait(PATIENCE if timeout is None else timeout)

    def close(self) -> None:
        """End the panel: what was sent can be resumed elsewhere, files that were dropped are deleted."""
        self._closed = True
        if self._run is not None:
            self._run.leave(PATIENCE)
        super().close()
        self.layout.drop.forget()
        self._inbox.close()

    # ---- clicks

    def click(self, deed: str, *rest: Any) -> Callable[[], None]:
        """What a button calls for a *deed*."""
        deeds: dict[str, Callable[..., Any]] = {
            "ask": partial(self._ask, again=False),
            "ask_again": partial(self._ask, again=True),
            "agree": self._agree,
            "decline": self._decline,
            "cancel": self.cancel,
            "save": self.save,
            "save_selected": lambda: self.save(self._selected()),
            "remove_selected": lambda: self.remove(self._selected()),
            "refresh": self._refresh_clicked,
            "deed": lambda deed: deed(),
        }
        return lambda: self._clicked(deeds[deed], *rest)

    def resume_chosen(self, ids: list[str] | None) -> None:
        """The button to resume."""
        self.resume(ids)

    def forget_chosen(self, ids: list[str]) -> None:
        """The answer that documents shall be forgotten."""
        self.forget(ids)

    def _ask(self, *, again: bool) -> None:
        """Ask whether what costs something shall be sent; what costs nothing is just done."""
        self._meant = (LOST,) if again else SENDABLE
        send = self._papers.with_status(LOST if again else TO_SEND)
        if not send:
            self._begin(*self._meant)
            return
        name = self._offer.name(self._order.target)
        self.layout.question.ask(speech.question(send, name, again=again))

    def _agree(self) -> None:
        self._begin(*self._meant)
        self.layout.buttons["cancel"].focus()  # what was pressed is gone, and the keyboard goes on here

    def _decline(self) -> None:
        self.layout.question.drop()
        self.layout.buttons["go"].focus()

    def _refresh_clicked(self) -> None:
        if not self._going:
            self._say("Asking the service …")
        self.refresh()

    def _selected(self) -> list[int]:
        selected = [int(each) for each in self.layout.grid.selected]
        if not selected:
            raise ValueError(
                "No file is selected: click on one, and drag or press Shift and an arrow for more."
            )
        return selected

    # ---- a run

    @property
    def _going(self) -> bool:
        return self._run is not None and self._run.going

    def _check_free(self) -> None:
        if self._closed:
            raise ValueError("this panel is closed: make another one")
        if self._going:
            raise ValueError(BUSY)

    def _begin(self, *meant: str) -> None:
        """Send the files of which the plan, which has to be there, says one of *meant*."""
        self._check_free()
        papers = self._papers.with_status(*meant)
        if self._plan is None or not papers:
            raise ValueError("There is no file that can be sent.")
        self.layout.question.drop()
        frame, options = self._wanted(papers)
        job = documents.start(frame, again=LOST in meant, **options)
        self._follow(Run(job, job.table().index.tolist(), told=self._heard))

    def _resumed(self, row: dict[str, Any]) -> int:
        """The number of a document that is resumed: that of the file in the list that it is of, or a new one."""
        known = [each for each in self._papers if each.document_id == row["document_id"]]
        paper = known[0] if known else self._papers.put(Path(row["path"]), resumed=True)
        paper.document_id = row["document_id"]
        return paper.number

    def _follow(self, run: Run) -> None:
        self._latest.drop()
        self._run, self._plan, self._trouble = run, None, None
        run.start()
        self.layout.drop.tell("")
        self._say(BEGUN)
        self._moved(run)
        self._show_files()
        self.layout.waiting.lock()

    def _heard(self, run: Run, what: str) -> None:
        with self._lock:
            try:
                self._moved(run) if what == "progress" else self._ended(run)
            except Exception as problem:
                self._tell(problem)

    def _moved(self, run: Run) -> None:
        moves = zip(run.numbers, run.progress.files, strict=True)
        moved = [self._papers[number].move(now) for number, now in moves]
        done, words = round(1000 * run.progress.fraction), speech.moving(run.progress)
        self.layout.meter.show(total=1000, done=done, failed=0, text=words, state="running")
        if any(moved):
            self._show_files()

    def _ended(self, run: Run) -> None:
        papers = [self._papers[number] for number in run.numbers]
        if run.table is not None:
            for paper, (_, row) in zip(papers, rows_of(run.table), strict=True):
                paper.end(row)
        self.layout.meter.state = ""
        self._show()
        self._tell_end(run, papers)
        self._look_at_waiting()
        self._replan(quietly=True)
        self._settled()

    def _tell_end(self, run: Run, papers: Sequence[Paper]) -> None:
        reason = speech.reason(papers)
        stopped = reason if all(each.error and each.status != MARKED for each in papers) else ""
        problem = self._words(run.problem) if run.problem else stopped
        said = speech.ended(
            papers,
            _home(papers) or self.out,
            cancelled=run.job.cancelled,
            problem=problem,
            untranslated=run.job.untranslated,
        )
        bad = any(each.error for each in papers if each.status != "skipped")
        self._say(said, "error" if bad or problem else "info")
        self.problem = run.problem or (SvcError(reason) if reason else None)

    # ---- what is under way from before

    def _look_at_waiting(self) -> None:
        self._do(documents.pending, self._show_waiting)

    def _show_waiting(self, pending: Report) -> None:
        run = self._run if self._going else None
        own = [] if run is None else [row["document_id"] for _, row in rows_of(run.job.table())]
        self.layout.waiting.show(
            pd.DataFrame(pending),
            without=own,
            address=address_of(current()),
            busy=self._going,
            home=self._home.parent,
        )

    def _saved(self, made: tuple[str, bytes, str]) -> None:
        name, data, kind = made
        self.line.download(name, data, kind=kind)

    # ---- what is shown

    def _show_state(self) -> None:
        going = self._going
        self.layout.show_state(
            State(
                go=speech.pressed(self._papers) if self._order.target else "",
                busy=going,
                cancelled=going and self._run is not None and self._run.job.cancelled,
                files=len(self._papers),
                written=len(self._papers.with_status(*WRITTEN)),
                lost=len(self._papers.with_status(LOST)),
            )
        )

    def _stays(self) -> dict[str, Any]:
        counts = Counter(speech.standing(each) for each in self._papers)
        rows = [[name, f"{count:,}"] for name, count in counts.items()]
        heading = ("Status", "Files") if rows else ()
        page = still.page(name=self.line.still, said=self.line.text, heading=heading, rows=rows)
        return {"text/plain": repr(self), "text/html": page}


def _home(papers: Sequence[Paper]) -> Path | None:
    """The folder that all translations lie in, however deep."""
    folders = [str(each.output.parent) for each in papers if each.output and each.status in WRITTEN]
    return Path(os.path.commonpath(folders)) if folders else None


def _wrapped(answer: Any) -> tuple[Any]:
    """An answer of which also an error is one."""
    return (answer,)
