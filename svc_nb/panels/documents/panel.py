"""The documents panel: files come in, are checked, sent when a person agrees, watched, and saved.

1. Files that are dropped go piece by piece into a private folder; files that are named stay where they are.
2. On every change a plan is made in a thread: what can be sent, why not, what it costs at least. Nothing is sent.
3. A run is a `DocumentJob`, followed in a thread. What was sent is written down, and survives this kernel.
4. What is under way from before, or from another notebook, stands below, to be resumed or forgotten.
"""

import os
from collections import Counter
from collections.abc import Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Self

import pandas as pd

from svc_nb import documents
from svc_nb.documents.files import KINDS, source_files
from svc_nb.documents.items import MARKED, WRITTEN
from svc_nb.documents.outputs import is_own_output
from svc_nb.documents.storage import address_of
from svc_nb.errors import SvcError
from svc_nb.panels.documents import messages
from svc_nb.panels.documents.files import UploadFolder, archive
from svc_nb.panels.documents.job import DocumentOffer, DocumentOrder, DocumentRun
from svc_nb.panels.documents.table import LOST, REFUSED, TO_FETCH, TO_SEND, DocumentFile, DocumentTable, rows_of
from svc_nb.panels.documents.view import DocumentsView
from svc_nb.panels.parts.job_panel import KEEP, JobPanel
from svc_nb.panels.parts.panel import PATIENCE
from svc_nb.panels.parts.upload import UploadArea
from svc_nb.panels.parts.worker import tried
from svc_nb.session import current
from svc_nb.signatures import hides, shows
from svc_nb.tabular.report import Report, plural
from svc_nb.tracebacks import verbs
from svc_nb.wire.models.text import DOCUMENT_OPTIONS

OUT = "translated"
DROPPED = "dropped"
TITLE = "Drop documents here, or choose them"
BEGUN = "Sending, and waiting for the translations. You can go on working in the notebook."
BUSY = "Files are on their way: wait for them, or cancel."
ANY = "EN"  # stands for a language where none is chosen yet
SENDABLE = (TO_SEND, TO_FETCH)
PathOf = str | PathLike[str]


@hides("layout")
@verbs
class Documents(JobPanel):
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

    _run: DocumentRun | None = None

    @shows(DOCUMENT_OPTIONS)
    def __init__(
        self,
        files: PathOf | Sequence[PathOf] | None = None,
        *,
        target_lang: str | None = None,
        out: PathOf | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self._order = DocumentOrder().with_target(target_lang).with_options(**options)
        self._out = None if out is None else Path(out).absolute()
        self._home = Path.cwd() / OUT
        self._documents = DocumentTable()
        self._offer = DocumentOffer()
        self._uploads = UploadFolder(Path(current().settings.documents_path).parent / DROPPED)
        self._plan: Report | None = None
        self._trouble: Exception | None = None  # the service did not say what it has to offer
        self._meant: tuple[str, ...] = SENDABLE  # what is asked about
        drop = UploadArea(
            self._received,
            refused=lambda why: self.layout.drop.tell_also(why),
            suffixes=[f".{kind}" for kind in KINDS],
            title=TITLE,
            most=max(kind.pro for kind in KINDS.values()),
            several=True,
            keep=self._uploads.receive,
            limit=limit,
        )
        drop.advice = "the service takes no larger one of this kind."
        self.layout = DocumentsView(self.line, drop)
        self.box = self.layout.box
        self._listen()
        if files is None:
            self._changed()
        else:
            self.add(files)
        self.refresh()

    def _listen(self) -> None:
        controls = self.layout.controls
        for control in controls.all:
            control.observe(
                lambda change: self._clicked(lambda: self._take_order(controls.order(self._order))), "value"
            )
        on, waiting = self.layout.buttons, self.layout.waiting
        self._on_each({on["go"]: self._ask, on["again"]: partial(self._ask, again=True), on["cancel"]: self.cancel})
        self._on_each({on["yes"]: self._agree, on["no"]: self._decline, on["save_all"]: self.save})
        self._on_each({on["refresh"]: self._refresh_clicked, waiting.look: self._refresh_clicked})
        self._on(on["save"], lambda: self.save(self._selected()))
        self._on(on["remove"], lambda: self.remove(self._selected()))
        self._on_each({waiting.resume_all: self.resume, waiting.forget: waiting.ask, waiting.no: waiting.keep})
        self._on(waiting.resume, lambda: self.resume_chosen(waiting.selected(waiting.resumable)))
        self._on(waiting.yes, lambda: self.forget_chosen(waiting.to_forget))

    # ---- files and options, and their plan

    def add(self, files: PathOf | Sequence[PathOf]) -> int:
        """Add files: a folder with all below it, a file, or a list of them. How many are new.

        Translations that went to a folder are not taken for its documents.
        """
        with self._lock:
            found = source_files(files, target_lang=self._order.target or ANY, options={})
            own = self._out or self._home
            new = [self._documents.add(each.path, root=each.root) for each in found if not is_own_output(each, out=own)]
            self._changed()
            return sum(each is not None for each in new)

    def remove(self, numbers: Sequence[int] | None = None) -> int:
        """Take files out of the list, by their numbers in `table`, or all; of those that were dropped the files go."""
        with self._lock:
            if self._going:
                raise ValueError(BUSY)
            every = [each.number for each in self._documents]
            gone = self._documents.drop(every if numbers is None else numbers)
            for each in gone:
                if each.dropped:
                    self._uploads.remove(each.path)
            self._changed()
            return len(gone)

    def choose(self, target_lang: Any = KEEP, **options: Any) -> Self:
        """Choose the language and options; what is not given stays, and an option that is None is taken back."""
        with self._lock:
            if self._going:
                raise ValueError(BUSY)
            order = self._order if target_lang is KEEP else self._order.with_target(target_lang)
            self._take_order(order.with_options(**options))
            return self

    def refresh(self) -> Self:
        """Look at the files again, also at those that failed, and ask the service anew for what it has to offer."""
        with self._lock:
            self._documents.unsettle()
        # An error is an answer here: it is told again with every plan, until the service answers.
        self._do(lambda: [tried(DocumentOffer.now)], lambda answers: self._offered(*answers))
        self._look_at_pending()
        return self

    def plan(self, timeout: float | None = PATIENCE) -> Report:
        """What would be done with each file, by its number; waits until that is known. Nothing is sent."""
        self._turns.wait(timeout)
        self._latest.wait(timeout)
        with self._lock:
            if self._plan is None:
                lacks = messages.lacking(self._documents, self._order.target)
                raise self.problem or ValueError(lacks or "The files are not checked yet.")
            return self._plan

    @property
    def table(self) -> pd.DataFrame:
        """The files by their numbers.

        Columns: `file, kind, size, status, translator, progress, left, characters, error, output, path`.
        """
        with self._lock:
            return self._documents.table

    @property
    def out(self) -> Path:
        """The folder that translations go to, on the kernel's machine."""
        return self._out or self._home / (self._order.target or "")

    def _received(self, name: str, path: Path) -> None:
        """A file has come from the browser."""
        with self._lock:
            self._documents.add(path, dropped=True)
            self._changed()

    def _take_order(self, order: DocumentOrder) -> None:
        self._order, self._trouble = order, None
        self._documents.unsettle()
        self._changed()

    def _offered(self, answer: DocumentOffer | Exception) -> None:
        """Offer what the service has, or say why that is not known."""
        if isinstance(answer, Exception):
            self._trouble = answer
            self._tell(answer)
        else:
            self._offer, self._trouble = answer, None
            self._changed()

    @property
    def _unfit(self) -> dict[str, str]:
        return self._offer.unfit(self._order.options, self._order.target, self._documents.kinds)

    def _wanted(self, chosen: Sequence[DocumentFile]) -> tuple[pd.DataFrame, dict[str, Any]]:
        """*chosen* as a table, and the options for all of them."""
        unfit = self._unfit
        options = {name: value for name, value in self._order.options.items() if name not in unfit}
        frame = self._documents.frame(chosen, options)
        rest = {name: value for name, value in options.items() if name not in frame.columns}
        return frame, {**rest, "target_lang": self._order.target, "out": self.out}

    def _changed(self) -> None:
        self._show()
        self._replan()

    def _replan(self, *, quietly: bool = False) -> None:
        """Find out what would be done with the files, a moment later; the latest counts."""
        if self._going or self._closed:
            return
        self._plan = None
        self.layout.question.drop()
        chosen = [each for each in self._documents if not each.resumed]
        if not chosen or not self._order.target:
            self._latest.drop()
            self._show_buttons()
            if not quietly:
                self._say_plan(messages.lacking(self._documents, self._order.target))
            return
        frame, options = self._wanted(chosen)
        then = partial(self._take_plan, quietly=quietly)
        self._plan_later(lambda: documents.plan(frame, **options), lambda answer: self._take(answer, then))

    def _take_plan(self, plan: Report | None, *, quietly: bool) -> None:
        if plan is None or self._going:
            return
        if self._make_way(plan):
            self._replan(quietly=quietly)
            return
        self._plan = plan
        for label, row in rows_of(plan):
            if label in self._documents and not self._documents[label].settled:
                self._documents[label].plan(row)
        if not quietly:
            self._say_plan(messages.planned(self._documents, self.out))
        self._show()

    def _make_way(self, plan: Report) -> bool:
        """Give files that were dropped other names where something else has theirs in `out`; whether any got one."""
        refused = [
            self._documents[label]
            for label, row in rows_of(plan)
            if row["status"] == REFUSED and label in self._documents
        ]
        taken = {each.stem.casefold() for each in self.out.iterdir()} if self.out.is_dir() else set()
        moved = [each for each in refused if each.dropped and each.path.stem.casefold() in taken]
        for each in moved:
            self._documents.move(each, self._uploads.rename(each.path, taken))
        return bool(moved)

    def _say_plan(self, text: str) -> None:
        """Speak of the plan, unless there is something worse to tell."""
        if self._trouble is not None:
            self._tell(self._trouble)
        elif text:
            self._say(text)

    # ---- the run

    def translate(self, *, again: bool = False) -> Self:
        """Send what can be sent, and fetch it, in threads; with *again* also that whose translation is gone.

        This is what is paid for, and nothing is asked before. Raises ValueError where there is nothing to send.
        """
        self._check_free(BUSY)
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
                self._show_buttons()

    def resume(self, document_ids: Sequence[str] | None = None) -> Self:
        """Go on with documents that are under way from before: those that nobody is at, or some of them."""
        with self._lock:
            self._check_free(BUSY)
            ids = self.layout.waiting.resumable if document_ids is None else list(document_ids)
            job = documents.start_resume(document_ids=ids)
            numbers = []
            for _, row in rows_of(job.table()):
                known = [each for each in self._documents if each.document_id == row["document_id"]]
                document = known[0] if known else self._documents.put(Path(row["path"]), resumed=True)
                document.document_id = row["document_id"]
                numbers.append(document.number)
            if not numbers:
                raise ValueError("There is nothing to resume with this service: it was sent elsewhere.")
            self._follow(DocumentRun(job, numbers, told=self._heard))
            return self

    def forget(self, document_ids: Sequence[str]) -> Self:
        """Forget documents for good: their translations cannot be fetched any more."""
        for each in document_ids:
            documents.forget(each)
        with self._lock:
            self.layout.waiting.keep()
            self._say(f"Forgot {plural(len(document_ids), 'document')}.")
            self._look_at_pending()
            self._replan(quietly=True)
        return self

    @property
    def pending(self) -> pd.DataFrame:
        """What is under way from before, or from another notebook, as it is shown."""
        return self.layout.waiting.table

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until a run has ended and all is shown; False where *timeout* seconds are too few."""
        return self._wait_for_all(timeout)

    def close(self) -> None:
        """End the panel: what was sent can be resumed elsewhere, files that were dropped are deleted."""
        super().close()
        self.layout.drop.forget()
        self._uploads.close()

    def _begin(self, *meant: str) -> None:
        """Send the files of which the plan, which has to be there, says one of *meant*."""
        self._check_free(BUSY)
        chosen = self._documents.with_status(*meant)
        if self._plan is None or not chosen:
            raise ValueError("There is no file that can be sent.")
        self.layout.question.drop()
        frame, options = self._wanted(chosen)
        job = documents.start(frame, again=LOST in meant, **options)
        self._follow(DocumentRun(job, job.table().index.tolist(), told=self._heard))

    def _follow(self, run: DocumentRun) -> None:
        self._latest.drop()
        self._run, self._plan, self._trouble = run, None, None
        run.start()
        self.layout.drop.tell("")
        self._say(BEGUN)
        self._show_run(run, "progress")
        self._show_files()
        self.layout.waiting.lock()

    def _show_run(self, run: DocumentRun, what: str) -> None:
        if what == "end":
            self._show_end(run)
            return
        progress = run.job.progress
        moved = [self._documents[number].move(now) for number, now in zip(run.numbers, progress.files, strict=True)]
        done, words = round(1000 * progress.fraction), messages.moving(progress)
        self.layout.meter.show(total=1000, done=done, failed=0, text=words, state="running")
        if any(moved):
            self._show_files()

    def _show_end(self, run: DocumentRun) -> None:
        ended = [self._documents[number] for number in run.numbers]
        if run.table is not None:
            for document, (_, row) in zip(ended, rows_of(run.table), strict=True):
                document.end(row)
        self.layout.meter.state = ""
        self._show()
        reason = messages.reason(ended)
        stopped = reason if all(each.error and each.status != MARKED for each in ended) else ""
        problem = self._words(run.problem) if run.problem else stopped
        folders = [str(each.output.parent) for each in ended if each.output and each.status in WRITTEN]
        said = messages.ended(
            ended,
            Path(os.path.commonpath(folders)) if folders else self.out,
            cancelled=run.job.cancelled,
            problem=problem,
            untranslated=run.job.untranslated,
        )
        bad = any(each.error for each in ended if each.status != "skipped")
        self._say(said, "error" if bad or problem else "info")
        self.problem = run.problem or (SvcError(reason) if reason else None)
        self._look_at_pending()
        self._replan(quietly=True)
        self._settled()

    def _look_at_pending(self) -> None:
        self._do(documents.pending, self._show_pending)

    def _show_pending(self, pending: Report) -> None:
        run = self._run if self._going else None
        own = [] if run is None else [row["document_id"] for _, row in rows_of(run.job.table())]
        self.layout.waiting.show(
            pd.DataFrame(pending), without=own, address=address_of(current()), busy=self._going, home=self._home.parent
        )

    # ---- what came of it

    def save(self, numbers: Sequence[int] | None = None) -> Self:
        """Have the browser save translations, by the numbers in `table`; without, all. Several become a zip."""
        paths = [
            each.output
            for each in self._documents.with_status(*WRITTEN)
            if each.output and (numbers is None or each.number in numbers)
        ]
        if not paths:
            raise ValueError("There is no translation to save.")
        name = f"{OUT}-{self._order.target or 'documents'}.zip"
        self._do(lambda: archive(paths, name=name), lambda made: self.line.download(*made[:2], kind=made[2]))
        return self

    # ---- clicks

    def resume_chosen(self, ids: list[str] | None) -> None:
        """The button to resume."""
        self.resume(ids)

    def forget_chosen(self, ids: list[str]) -> None:
        """The answer that documents shall be forgotten."""
        self.forget(ids)

    def _ask(self, *, again: bool = False) -> None:
        """Ask whether what costs something shall be sent; what costs nothing is just done."""
        self._meant = (LOST,) if again else SENDABLE
        send = self._documents.with_status(LOST if again else TO_SEND)
        if not send:
            self._begin(*self._meant)
            return
        name = self._offer.name(self._order.target)
        self.layout.question.ask(messages.question(send, name, again=again))

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
            raise ValueError("No file is selected: click on one, and drag or press Shift and an arrow for more.")
        return selected

    # ---- what is shown, and what stays

    def _show(self) -> None:
        with self._quietly():
            self.layout.controls.show(self._order, self._offer, self._documents.kinds)
        self.layout.show_hints(messages.unfit(self._unfit) if self._offer.targets else "")
        self._show_files()

    def _show_files(self) -> None:
        self.layout.show_files(self._documents, home=self._home.parent)
        self._show_buttons()
        self._settled()

    def _show_buttons(self) -> None:
        self.layout.show_buttons(
            self._documents,
            go=messages.pressed(self._documents) if self._order.target else "",
            busy=self._going,
            cancelled=self._going and self._run is not None and self._run.job.cancelled,
        )

    def _words(self, problem: Exception) -> str:
        return messages.problem(problem, self._documents)

    def _stays(self) -> dict[str, Any]:
        counts = Counter(messages.standing(each) for each in self._documents)
        return self._kept(("Status", "Files"), [[name, f"{count:,}"] for name, count in counts.items()])


def limit(suffix: str) -> int:
    """The bytes that a file may have on the plan of the current session's key."""
    key = current().settings.api_key
    free = key is not None and key.reveal().endswith(":fx")
    return KINDS[suffix.removeprefix(".")].largest(free=free)
