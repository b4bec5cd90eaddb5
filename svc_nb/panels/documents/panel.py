"""The documents panel: files are added, checked, sent when a person agrees, followed, and saved.

1. Dropped files go piece by piece into a private folder; files added by path stay where they are.
2. On every change a plan is made in a thread: what can be sent, why not, and the estimated cost. Nothing is sent.
3. A run is a `DocumentJob`, followed in a thread. Sent files are recorded on disk, and survive this kernel.
4. Documents in progress from earlier sessions or other notebooks are listed below, to be resumed or forgotten.
"""

import os
import time
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Self

import pandas as pd

from svc_nb import documents
from svc_nb.documents.files import KINDS, SourceFile, source_files
from svc_nb.documents.items import MARKED, WRITTEN
from svc_nb.documents.job import SENT
from svc_nb.documents.outputs import is_own_output
from svc_nb.documents.storage import DocumentRecord, address_of
from svc_nb.errors import SvcError
from svc_nb.panels.documents import messages
from svc_nb.panels.documents.files import UploadFolder, archive, name_in_zip
from svc_nb.panels.documents.job import DocumentOffer, DocumentOrder, DocumentRun, running
from svc_nb.panels.documents.paths import (
    FileDetail,
    PathContents,
    PathField,
    completions,
    contents_of,
    kinds_here,
    limit,
    path_of,
    why_not,
)
from svc_nb.panels.documents.table import (
    BAD,
    ELSEWHERE,
    LOST,
    REFUSED,
    SKIPPED,
    TO_FETCH,
    TO_SEND,
    DocumentFile,
    DocumentTable,
    pair_of,
    pending_files,
    rows_of,
    translated_before,
)
from svc_nb.panels.documents.view import DocumentsView
from svc_nb.panels.parts.grid import Grid
from svc_nb.panels.parts.job_panel import KEEP, JobPanel
from svc_nb.panels.parts.panel import PATIENCE, can_retry
from svc_nb.panels.parts.texts import sentence
from svc_nb.panels.parts.upload import UploadArea
from svc_nb.panels.parts.worker import Latest, tried
from svc_nb.session import current
from svc_nb.signatures import hides, shows
from svc_nb.tabular.report import Report, plural
from svc_nb.tracebacks import verbs
from svc_nb.wire.models.text import DOCUMENT_OPTIONS

OUT = "translated"
DROPPED = "dropped"
TITLE = "Drop documents here, or choose them"
BEGUN = "Sending, and waiting for the translations. You can keep working in the notebook."
JOINED = "Another panel of this notebook started this run. You can follow and cancel it here, too."
BUSY = "Files are being processed: wait for them, or cancel."
UNNAMED = "Type the path of a folder or file first."
ANY = "EN"  # stands for a language where none is chosen yet
SENDABLE = (TO_SEND, TO_FETCH)
LOOK_AGAIN = 1.0  # seconds
PathOf = str | PathLike[str]
# What would be done, what was translated before under the same labels, and what is in progress.
Planned = tuple[Report, dict[Any, DocumentRecord], pd.DataFrame]


def look_again() -> pd.DataFrame:
    """The documents in progress, a moment later."""
    time.sleep(LOOK_AGAIN)
    return pending_files()


@hides("layout")
@verbs
class Documents(JobPanel):
    """A panel that translates whole files: drop or name them, see what they will cost, follow progress, save the
    results.

    Everything a click does is also a method. Nothing is sent before `translate`. Sent files are recorded on disk, so
    they are neither sent nor billed twice, even if this kernel ends: the next panel then lists them below. Dropped
    files are kept in a private folder while the panel is open. `wait` waits until a run has ended.

    Parameters
    ----------
    files
        A folder, a file, or a list of them to begin with; `add` adds more.
    target_lang
        The language to translate into; you can also choose it in the panel.
    out
        The folder for the translations on the kernel's machine. By default `translated` in the working directory, with
        a folder for each language in it.
    options
        What `svc_nb.documents.translate` takes: source_lang, formality, glossary_ids, style_id, translation_memory_id,
        translation_memory_threshold, output_format, enable_watermark. Options that do not apply are left out, and the
        panel says so.
    """

    _run: DocumentRun | None = None

    @shows(DOCUMENT_OPTIONS)
    def __init__(
        self,
        files: PathOf | Sequence[PathOf] | None = None,
        target_lang: str | None = None,
        *,
        out: PathOf | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self._order = DocumentOrder().with_target(target_lang).with_options(**options)
        self._out = None if out is None else path_of(out).absolute()
        self._home = Path.cwd() / OUT
        self._documents = DocumentTable()
        self._offer = DocumentOffer()
        self._uploads = UploadFolder(Path(current().settings.documents_path).parent / DROPPED)
        self._plan: Report | None = None
        # Translators that a run found to be missing, by pair and file; the file is 0, for all, if a language is chosen.
        self._unmet: dict[tuple[str, int], str] = {}
        self._trouble: Exception | None = None  # the service did not say what it offers
        self._chosen = 0  # the file whose details are shown
        self._pending: pd.DataFrame | None = None  # what was in progress at the last look
        self._looking = Latest()
        self._watching = Latest()
        self._workers += [self._looking, self._watching]
        drop = UploadArea(
            self._received,
            refused=lambda why: self.layout.drop.tell_also(why),
            suffixes=[f".{kind}" for kind in kinds_here()],
            title=TITLE,
            most=max(kind.pro for kind in KINDS.values()),
            several=True,
            keep=self._uploads.receive,
            limit=limit,
        )
        drop.advice = "the service accepts no larger files of this kind."
        paths = PathField(lambda message: self._clicked(self._hear_path, message))
        detail = FileDetail(lambda message: self._clicked(self._hear_detail, message))
        grid = Grid("Files", chosen=lambda number: self._clicked(self._choose_file, int(number)), signed=True)
        grid.on_msg(lambda part, message, buffers: self._clicked(self._follow_cursor, message))
        self.layout = DocumentsView(self.line, drop, paths, grid, detail)
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
        controls.out.observe(lambda change: self._clicked(lambda: self.choose(out=change.new.strip() or None)), "value")
        on, waiting = self.layout.buttons, self.layout.waiting
        self._on_each({on["go"]: self._ask_to_send, on["again"]: partial(self._ask_to_send, again=True)})
        self._on_each({on["cancel"]: self.cancel, on["retry"]: self._ask_to_retry})
        self._on_each(
            {on["yes"]: self.layout.question.agree, on["no"]: self.layout.question.drop, on["save_all"]: self.save}
        )
        self._on_each({on["refresh"]: self._refresh_clicked, waiting.look: self._refresh_clicked})
        self._on(on["save"], lambda: self.save(self._selected()))
        self._on(on["remove"], lambda: self.remove(self._selected()))
        self._on(on["clear"], self.remove)
        self._on_each({waiting.resume_all: lambda: self._ask_to_resume(waiting.resumable)})
        self._on(waiting.resume, lambda: waiting.with_selected(waiting.resumable, self._ask_to_resume))
        self._on(waiting.forget, lambda: waiting.with_selected(waiting.free, self._ask_to_forget))

    # ---- files and options, and their plan

    def add(self, files: PathOf | Sequence[PathOf]) -> int:
        """Add files: a folder with everything below it, a file, or a list of them. Returns how many are new.

        Translations saved to a folder are not treated as documents in it.
        """
        return sum(is_new for _, is_new in self._take_in(files))

    def _take_in(self, files: PathOf | Sequence[PathOf]) -> list[tuple[SourceFile, bool]]:
        """Add files except our own translations; returns each file found, and whether it is new in the list."""
        with self._lock:
            found = source_files(files, target_lang=self._order.target or ANY, options={})
            own = self._own
            taken = [
                (each, not is_own_output(each, out=own) and self._documents.add(each.path, root=each.root) is not None)
                for each in found
            ]
            self._changed()
            return taken

    @property
    def _own(self) -> Path:
        """The folder with the translations, whose files are not to be translated."""
        return self._out or self._home

    def remove(self, numbers: Sequence[int] | None = None) -> int:
        """Remove files from the list, by their numbers in `table`, or all; dropped files are deleted."""
        with self._lock:
            if self._going:
                raise ValueError(BUSY)
            every = [each.number for each in self._documents]
            gone = self._documents.drop(every if numbers is None else numbers)
            for each in gone:
                if each.dropped:
                    self._uploads.remove(each.path)
            if not len(self._documents) and not self.layout.paths.content["text"]:
                self.layout.paths.clear()  # its message about them is no longer true
            self._changed()
            return len(gone)

    def choose(self, target_lang: Any = KEEP, *, out: Any = KEEP, **options: Any) -> Self:
        """Choose the language, the folder for the translations, and options. Whatever is not given stays as it is; an
        option that is None is removed.
        """
        with self._lock:
            if self._going:
                raise ValueError(BUSY)
            order = self._order if target_lang is KEEP else self._order.with_target(target_lang)
            order = order.with_options(**options)
            if out is not KEEP:
                self._out = None if out is None else self._home.parent / path_of(out)
            self._take_order(order)
            return self

    def refresh(self) -> Self:
        """Check the files again, including those that failed, and ask the service again for what it offers."""
        with self._lock:
            if not self._going:
                self._documents.unsettle()
        # An error is an answer here: it is reported with every plan until the service answers.
        self._do(lambda: [tried(DocumentOffer.now)], lambda answers: self._offered(*answers))
        self._look_at_pending()
        return self

    def plan(self, timeout: float | None = PATIENCE) -> Report:
        """What would be done with each file, by its number; waits until the plan is ready. Nothing is sent."""
        self._turns.wait(timeout)
        self._latest.wait(timeout)
        with self._lock:
            if self._going:
                raise ValueError(BUSY)
            if self._plan is None:
                lacks = messages.to_do_first(self._documents, self._order.target)
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
        """The folder for the translations, on the kernel's machine."""
        return self._out or self._home / (self._order.target or "")

    def _received(self, name: str, path: Path) -> None:
        """Add a file uploaded by the browser."""
        with self._lock:
            self._documents.add(path, dropped=True)
            self._changed()

    def _take_order(self, order: DocumentOrder) -> None:
        self._order, self._trouble = order, None
        self._documents.unsettle()
        self._changed()

    def _offered(self, answer: DocumentOffer | Exception) -> None:
        """Offer the service's options, or say why they are not known."""
        if isinstance(answer, Exception):
            self._trouble, self._again = answer, self.refresh if can_retry(answer) else None
            self._tell(answer)
        else:
            if answer.translators != self._offer.translators:
                self._unmet = {}
            self._offer, self._trouble = answer, None
            self._changed()

    @property
    def _unfit(self) -> dict[str, str]:
        return self._offer.unfit(self._order.options, self._order.target, self._documents.kinds)

    def _find_lacking(self) -> None:
        """Note which translator is missing for each file to be sent, as far as that is known."""
        source, target = self._source, self._order.target
        for_all = self._offer.lacking(source, target)
        for each in self._documents:
            unmet = self._unmet.get((pair_of(source, target), 0 if source else each.number), "")
            each.lacking = (for_all or unmet) if each.status == TO_SEND else ""

    @property
    def _source(self) -> str:
        """The language of the documents, as chosen; "" for any."""
        return str(self._order.options.get("source_lang") or "")

    def _wanted(self, chosen: Sequence[DocumentFile]) -> tuple[pd.DataFrame, dict[str, Any]]:
        """*chosen* as a table, and the options for all of them."""
        unfit = self._unfit
        options = {name: value for name, value in self._order.options.items() if name not in unfit}
        frame = self._documents.frame(chosen, options)
        rest = {name: value for name, value in options.items() if name not in frame.columns}
        return frame, {**rest, "target_lang": self._order.target, "out": self.out}

    def _changed(self) -> None:
        if not self._going and not any(each.settled for each in self._documents):
            self.layout.meter.state = ""  # the result of the last run no longer applies
        self._show()
        self._replan()

    def _replan(self, *, quietly: bool = False, retry: Collection[int] = ()) -> None:
        """Plan what to do with the files, a moment later; only the latest plan counts.

        The files with the numbers *retry* are then sent, by this plan and no later one.
        """
        if self._going or self._closed:
            return
        self._plan = None
        self.layout.question.drop()
        chosen = [each for each in self._documents if not each.resumed]
        if not chosen or not self._order.target:
            self._show_results(self._documents)
            self._latest.drop()
            self._show_buttons()
            if not quietly:
                self._say_plan(messages.to_do_first(self._documents, self._order.target))
            return
        frame, options = self._wanted(chosen)
        then = partial(self._take_plan, quietly=quietly, retry=retry)

        def planned() -> Planned:
            plan = documents.plan(frame, **options)
            return plan, translated_before(plan), pending_files()  # what other notebooks are doing, too

        self._plan_later(planned, lambda answer: self._take(answer, then))

    def _take_plan(self, found: Planned | None, *, quietly: bool, retry: Collection[int]) -> None:
        if found is None or self._going:
            return
        plan, before, pending = found
        if self._make_way(plan):
            self._replan(quietly=quietly, retry=retry)
            return
        self._plan = plan
        for label, row in rows_of(plan):
            if label in self._documents and not self._documents[label].settled:
                self._documents[label].plan(row, self._source, before.get(label))
        self._find_lacking()
        if self._join():
            return
        if not quietly:
            self._show_results(self._documents)
            lacking = any(each.lacking for each in self._documents)
            self._say_plan(messages.planned(self._documents, self.out), "change" if lacking else "info")
        self._show()
        self._show_pending(pending)  # except files found to be in the list
        if any(each.number in retry for each in self._documents.with_status(*SENDABLE)):
            self._begin(*SENDABLE, only=retry)

    def _make_way(self, plan: Report) -> bool:
        """Rename dropped files whose names are taken in `out`; returns whether any were renamed."""
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

    def _say_plan(self, text: str, kind: str = "info") -> None:
        """Show the plan's message, unless there is a problem to report."""
        if self._trouble is not None:
            self._tell(self._trouble)
        elif text:
            self._say(text, kind)

    # ---- the run

    def translate(self, *, again: bool = False) -> Self:
        """Send and fetch all files that can be sent, in threads; with *again* also those whose translations are gone.

        You are billed for this, and are not asked first. Raises ValueError if there is nothing to send.
        """
        self._check_free(BUSY)
        self.plan()
        with self._lock:
            self._begin(*SENDABLE, *([LOST] if again else []))
            return self

    def retry_files(self, numbers: Sequence[int] | None = None) -> Self:
        """Retry files that failed or were not sent, by their numbers in `table` or all, without asking first."""
        with self._lock:
            self._check_free(BUSY)
            failed = [each for each in self._documents if each.can_retry and (not numbers or each.number in numbers)]
            if not failed:
                raise ValueError("There is no failed file to retry.")
            for each in failed:
                each.settled = False
            self._replan(quietly=True, retry={each.number for each in failed})
            return self

    def cancel(self) -> None:
        """Send nothing more. Files already sent are still processed, and can be fetched later."""
        with self._lock:
            if self._run is not None and self._run.going:
                self._run.cancel()
                self._say("Cancelling: finishing downloads in progress …")
                self._show_buttons()

    def resume(self, document_ids: Sequence[str] | None = None) -> Self:
        """Resume documents from earlier sessions: all that no other notebook is processing, or some of them."""
        with self._lock:
            self._check_free(BUSY)
            ids = self.layout.waiting.resumable if document_ids is None else list(document_ids)
            job = documents.start_resume(document_ids=ids)
            files = []
            for _, row in rows_of(job.table()):
                known = [each for each in self._documents if each.document_id == row["document_id"]]
                document = known[0] if known else self._documents.put(Path(row["path"]), resumed=True)
                document.document_id = row["document_id"]
                document.target = document.target or self.layout.waiting.target_of(row["document_id"])
                document.characters = self.layout.waiting.characters_of(row["document_id"]) or document.characters
                files.append(document)
            if not files:
                raise ValueError("There is nothing to resume: these documents were sent to another service.")
            self._follow(DocumentRun(job, files, told=self._heard))
            return self

    def forget(self, document_ids: Sequence[str]) -> Self:
        """Forget documents for good: their translations can no longer be fetched."""
        for each in document_ids:
            documents.forget(each)
        with self._lock:
            if not self._going:
                gone = [each.number for each in self._documents if each.resumed and each.document_id in document_ids]
                self._documents.drop(gone)
                self._show_files()
            self._say(f"Forgot {plural(len(document_ids), 'document')}.")
            self._look_at_pending()
            self._replan(quietly=True)
        return self

    @property
    def pending(self) -> pd.DataFrame:
        """The documents in progress from earlier sessions or other notebooks, as shown."""
        return self.layout.waiting.table

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until a run has ended and everything is shown; False if that takes more than *timeout* seconds."""
        done = self._looking.wait(timeout) and self._wait_for_all(timeout)
        return done and (not self._going or self._wait_for_all(timeout))  # a retry starts after its plan

    def close(self) -> None:
        """Close the panel: sent files can be resumed elsewhere, dropped files are deleted."""
        super().close()
        self.layout.drop.forget()
        self._uploads.close()

    def _begin(self, *meant: str, only: Collection[int] | None = None) -> None:
        """Send the files that the plan, which must be ready, has as one of *meant*; *only* limits them to some."""
        self._check_free(BUSY)
        chosen = [each for each in self._documents.with_status(*meant) if only is None or each.number in only]
        if self._plan is None or not chosen:
            raise ValueError("There is no file that can be sent.")
        frame, options = self._wanted(chosen)
        job = documents.start(frame, again=LOST in meant, **options)
        files = [self._documents[number] for number in job.table().index]
        self._follow(DocumentRun(job, files, told=self._heard))

    def _join(self) -> bool:
        """Follow the run of another panel that is processing files of this list; returns whether there is one."""
        busy = {(each.path, each.target) for each in self._documents.with_status(ELSEWHERE)}
        for run in running():
            if any((each.path, each.target) in busy for each in run.files):
                files = [self._documents.matching(each) for each in run.files]
                self._follow(DocumentRun(run.job, files, told=self._heard), JOINED)
                return True
        return False

    def _follow(self, run: DocumentRun, said: str = BEGUN) -> None:
        self._latest.drop()
        self.layout.question.drop()
        self._run, self._plan, self._trouble = run, None, None
        run.start()
        self.layout.drop.tell("")
        self.layout.results.figures = []
        self._say(said)
        self._show_run(run, "progress")
        self._show_files()
        self.layout.waiting.lock()

    def _show_run(self, run: DocumentRun, what: str) -> None:
        if what == "end":
            self._show_end(run)
            return
        progress = run.job.progress
        moved = [each.move(now) for each, now in zip(run.files, progress.files, strict=True)]
        every = self._settled_with(run)
        before = [each for each in every if each not in run.files]
        failed = round(1000 * sum(each.mark == "error" for each in every) / max(1, len(every)))
        share = (progress.fraction * len(run.files) + len(before)) / max(1, len(every))
        done, words = max(0, round(1000 * share) - failed), messages.moving(progress, before=len(before))
        self.layout.meter.show(total=1000, done=done, failed=failed, text=words, state="running")
        self._tell_host()
        if any(moved):
            self._show_files()

    def _settled_with(self, run: DocumentRun) -> list[DocumentFile]:
        """The files of *run* and those finished before it, so that a retry of one file still shows them all."""
        ready = self._documents.with_status(*WRITTEN)
        return [each for each in self._documents if each.settled or each in run.files or each in ready]

    def _show_end(self, run: DocumentRun) -> None:
        if run.table is not None:
            for each, now, (_, row) in zip(run.files, run.job.progress.files, rows_of(run.table), strict=True):
                each.move(now)
                each.end(row)
        self._show()
        ended = self._settled_with(run)
        reason = messages.reason(ended)
        self._unmet |= {
            (pair_of(self._source, each.target), 0 if self._source else each.number): lack
            for each in ended
            if (lack := messages.lacking_of(each))
        }
        stopped = reason if all(each.error and each.status != MARKED for each in ended) else ""
        problem = self._words(run.problem) if run.problem else stopped
        cancelled = run.job.cancelled
        refused = sum(each.status == REFUSED and each not in ended for each in self._documents)
        untranslated = run.job.untranslated
        said = messages.ended(ended, cancelled, problem=problem, untranslated=untranslated, refused=refused)
        self._show_results(ended, always=True)
        self._show_meter_at_end(ended, cancelled=cancelled)
        bad = any(each.error for each in ended if each.status != "skipped")
        self._say(said, "error" if bad or problem else "info")
        self.problem = run.problem or (SvcError(reason) if reason else None)
        self._look_at_pending()
        self._replan(quietly=True)
        self._settled()

    def _show_results(self, listed: Iterable[DocumentFile], *, always: bool = False) -> None:
        """Show the results as figures; unless *always*, only if there are translations."""
        ended = [each for each in listed if always or each.status not in (REFUSED, SKIPPED)]
        folders = [str(each.output.parent) for each in ended if each.output and each.status in WRITTEN]
        folder = Path(os.path.commonpath(folders)) if folders else self.out
        refused = sum(each.status == REFUSED and each not in ended for each in self._documents)
        self.layout.results.figures = messages.results(ended, folder, refused=refused) if folders or always else []

    def _show_meter_at_end(self, ended: Sequence[DocumentFile], *, cancelled: bool) -> None:
        """Keep the bar if not everything was translated: orange if it can continue, red for failures."""
        done, bad = sum(each.status in WRITTEN for each in ended), sum(each.status in BAD for each in ended)
        paused, marked = any(each.paused for each in ended), any(each.status == MARKED for each in ended)
        state = "paused" if paused else "stopped" if cancelled else "done" if bad and done else "failed" if bad else ""
        state = "marked" if marked and not (paused or cancelled) else state
        how = {"paused": "Paused: ", "stopped": "Cancelled: "}.get(state, "")
        words = f"{how}{messages.counted(ended)}"
        self.layout.meter.show(total=len(ended), done=done, failed=bad, text=words, state=state)

    def _look_at_pending(self) -> None:
        self._do(pending_files, self._show_pending)

    def _show_pending(self, pending: pd.DataFrame) -> None:
        self._pending = pending
        self._show_waiting()
        if not self._going and pending["at_work"].any():
            self._watching.ask(look_again, self._seen_again)

    def _seen_again(self, pending: pd.DataFrame | Exception) -> None:
        """Follow other runs: when one has ended, its files are checked again."""
        with self._lock:
            if isinstance(pending, Exception) or self._closed or self._going:
                return
            ended = self._pending is not None and pending["at_work"].sum() < self._pending["at_work"].sum()
        self._take(pending, self._show_pending)
        if ended and self._documents.with_status(ELSEWHERE):
            self._replan()

    def _show_waiting(self) -> None:
        """Show the documents in progress, except files that can be fetched from the list above."""
        if self._pending is None:
            return
        here, busy = address_of(current()), self._going
        under_way = self._documents.with_status(TO_FETCH, ELSEWHERE, *SENT)
        listed = list(self._documents) if busy else under_way
        own = {each.document_id for each in [*listed, *self._documents.with_status(*WRITTEN)] if each.document_id}
        names = {(str(each.path), each.target, here) for each in listed}
        rows = [row for _, row in rows_of(self._pending)]
        own |= {row["document_id"] for row in rows if (row["path"], row["target_lang"], row["address"]) in names}
        if self._run is not None and busy:
            own |= {row["document_id"] for _, row in rows_of(self._run.job.table())}
        self.layout.waiting.show(self._pending, without=own, address=here, busy=busy, home=self._home.parent)

    # ---- the results

    def save(self, numbers: Sequence[int] | None = None) -> Self:
        """Have the browser save translations, by their numbers in `table`, or all of them. Several become a zip."""
        paths = {
            each.output: name_in_zip(each.target, each.output, out=self.out)
            for each in self._documents.with_status(*WRITTEN)
            if each.output and (numbers is None or each.number in numbers)
        }
        if not paths:
            raise ValueError("There is no translation to save.")
        name = f"{OUT}-{self._order.target or 'documents'}.zip"
        self._do(lambda: archive(paths, name=name), lambda made: self.line.download(*made[:2], kind=made[2]))
        return self

    # ---- clicks

    def _ask_to_send(self, *, again: bool = False) -> None:
        """Ask before sending anything that costs; do what is free without asking."""
        meant = (LOST,) if again else SENDABLE
        send = self._documents.with_status(LOST if again else TO_SEND)
        fetch = [] if again else self._documents.with_status(TO_FETCH)
        language = self._offer.name(self._order.target)
        if send:
            asked, answer = messages.question(send, language, fetch=fetch, again=again)
        elif messages.all_free(fetch):
            self._begin(*meant)
            return
        else:
            asked, answer = messages.fetch_question(fetch, f"Fetch {plural(len(fetch), 'file')}")
        self.layout.question.ask(asked, answer, partial(self._begin, *meant))

    def _ask_to_retry(self, numbers: Sequence[int] | None = None) -> None:
        """Ask whether to send or fetch failed files again, if that is billed."""
        planned = dict(rows_of(self._plan)) if self._plan is not None else {}
        meant = [each for each in self._documents if each.can_retry and (not numbers or each.number in numbers)]
        fetch = [each for each in meant if planned.get(each.number, {}).get("status") == TO_FETCH]
        send = [each for each in meant if each not in fetch]
        language = self._offer.name(self._order.target)
        retry = f"Retry {plural(len(meant), 'file')}"
        if send:
            asked, _ = messages.question(send, language, fetch=fetch)
        elif messages.all_free(fetch):
            self.retry_files(numbers)
            return
        else:
            asked, _ = messages.fetch_question(fetch, retry)
        self.layout.question.ask(asked, retry, partial(self.retry_files, numbers))

    def _ask_to_resume(self, ids: Sequence[str]) -> None:
        """Ask whether to fetch documents, because that is when they are billed."""
        asked, answer = messages.fetch_question(
            self.layout.waiting.files(ids), f"Resume {plural(len(ids), 'document')}"
        )
        self.layout.question.ask(asked, answer, partial(self.resume, ids))

    def _ask_to_forget(self, ids: Sequence[str]) -> None:
        many, it = plural(len(ids), "document"), "its translation" if len(ids) == 1 else "their translations"
        asked = f"Forget {many} for good? You will not be able to fetch {it} again. Nothing is billed."
        self.layout.question.ask(asked, f"Forget {many}", partial(self.forget, ids))

    def _hear_path(self, message: dict[str, Any]) -> None:
        """Say what the typed path contains, or add it."""
        text = str(message["text"])
        field = self.layout.paths
        field.content["text"] = text
        if message["kind"] == "add":
            if not text.strip():
                field.show(said=UNNAMED, severity="error")
                return
            place, found = path_of(text.strip()), self._contents(text)
            if found.problem or (place.is_file() and not found.kinds):
                field.show(said=str(found), severity="error")
                return
            taken = [(is_new, why_not(each, out=self._own)) for each, is_new in self._take_in(place)]
            new = sum(is_new for is_new, why in taken if not why)
            left_out = Counter(why for _, why in taken if why)
            field.clear(messages.added(new, len(taken) - new - left_out.total(), left_out))
            return
        if text.strip():
            self._find(
                lambda: (self._contents(text), completions(text)),
                lambda found: field.found(text, *found),
                self._looking,
            )
        else:
            field.clear()

    def _contents(self, text: str) -> PathContents:
        return contents_of(text.strip(), out=self._own, target=self._order.target or ANY)

    def _follow_cursor(self, message: dict[str, Any]) -> None:
        """Show the file of the active cell, wherever the cell moves."""
        if message.get("kind") == "select" and len(selected := self.layout.grid.selected) == 1:
            self._choose_file(int(selected[0]))

    def _choose_file(self, number: int) -> None:
        self._chosen = number
        self._show_detail()

    def _hear_detail(self, message: dict[str, Any]) -> None:
        if message["kind"] == "retry":
            self._ask_to_retry([int(message["number"])])

    def _show_detail(self) -> None:
        self.layout.show_detail(self._documents.get(self._chosen), home=self._home.parent, busy=self._going)

    def _refresh_clicked(self) -> None:
        if not self._going:
            self._say("Asking the service …")
        self.refresh()

    def _selected(self) -> list[int]:
        selected = [int(each) for each in self.layout.grid.selected]
        if not selected:
            raise ValueError("No file is selected: click on one, and drag or press Shift and an arrow for more.")
        return selected

    # ---- what is shown, and what is saved

    def _show(self) -> None:
        with self._quietly():
            self.layout.controls.show(self._order, self._offer, self._documents.kinds)
            self.layout.controls.show_out(self._out, self._home, self._order.target)
        self.layout.show_hints(messages.unfit(self._unfit) if self._offer.targets else "")
        self._show_files()

    def _show_files(self) -> None:
        self._find_lacking()
        self.layout.show_files(self._documents, home=self._home.parent, ran=self._run is not None, busy=self._going)
        self._show_detail()
        self._show_buttons()
        self._settled()

    def _show_buttons(self) -> None:
        self.layout.show_buttons(
            self._documents,
            go=messages.pressed(self._documents, self._offer.name(self._order.target)) if self._order.target else "",
            busy=self._going,
            cancelled=self._going and self._run is not None and self._run.job.cancelled,
        )

    def _words(self, problem: Exception) -> str:
        return sentence(messages.problem(problem, self._documents))

    @property
    def _survives(self) -> str:
        session = self._session
        in_memory = session is not None and session.service is not None and not session.service.folder
        return messages.survives(self._documents, lost=in_memory)

    def _stays(self) -> dict[str, Any]:
        counts = Counter(messages.standing(each) for each in self._documents)
        rows = [[name, f"{count:,}"] for name, count in counts.items()]
        rows += [[each["name"], each["value"]] for each in self.layout.results.figures if each["name"] not in counts]
        return self._kept(("State", "Files"), rows)
