"""The transfer of one document, step by step: claimed, sent, polled, fetched, put in its place, and billed.

A step is at most one request. Its effect on the service is recorded before the next step begins, so the process may end
between any two: the next job continues where this one was.
"""

import json
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from svc_nb.columns.ledger_context import context
from svc_nb.documents import items, outputs, storage
from svc_nb.documents.items import Item
from svc_nb.documents.storage import DocumentRecord, KeyGone, Output, Workspace
from svc_nb.engine.billing import Bill, Purpose
from svc_nb.engine.job import Control
from svc_nb.errors import ApiError, NotFound, ServerError, StoreError, Unavailable
from svc_nb.marked import no_translator
from svc_nb.wire.models import DocumentHandle, DocumentStatus

OPERATION = "document"
CLAIM, PLACE, END = "claim", "place", "end"
# Some services keep a document for a while after its only download.
DOWNLOADED = "downloaded"
LOOK_AGAIN = 0.3
# A translation may be larger than its source: another alphabet, fonts.
ROOM, LEAST_ROOM = 2, 256 * 1024
PAGES = (".html", ".htm")
INSTALL = "Install one, or connect to a service that translates"
FIRST_POLL, POLL_GROWTH, LONGEST_BLIND_POLL, LONGEST_POLL = 0.1, 1.6, 5.0, 30.0


class Bills:
    """The bills of one job, usable from several threads. A bill that cannot be stored now is stored with the next.

    `unwritten` is why the store is missing some of them, if it is.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._bills: dict[str | None, Bill] = {}
        self._lock = threading.Lock()
        self.unwritten: StoreError | None = None

    def _log(self, bill: Bill) -> None:
        try:
            self._workspace.store.log(bill)
            self.unwritten = None
        except StoreError as problem:
            self.unwritten = problem

    @contextmanager
    def booked(
        self, tag: str | None, target_lang: str, characters: int, *, marked: int = 0, sure: bool
    ) -> Iterator[None]:
        """Book *characters* during the block and when it succeeds, as possibly billed unless *sure*."""
        with self._lock:
            if tag not in self._bills:
                api_key = self._workspace.client.transport.settings.api_key
                self._bills[tag] = Bill(context(self._workspace.origin, api_key, (), tag))
            bill = self._bills[tag]
        sent = bill.send(Purpose(OPERATION, target_lang), characters)
        self._log(bill)
        try:
            yield
        except BaseException:
            bill.returned(sent)
            raise
        else:
            bill.answered(sent, characters, marked) if sure else bill.lost(sent)
        finally:
            self._log(bill)


class Cancelled(Exception):
    """The job was cancelled during an upload."""


@dataclass(slots=True, eq=False)
class Transfer:
    """One document for *job*; *others* are files with the same content that get a copy of its translation."""

    item: Item
    others: Sequence[Item]
    workspace: Workspace
    job: str
    bills: Bills
    control: Control
    again: bool
    reporting_tag: str | None
    stage: str = CLAIM
    failures: int = 0
    refusals: int = 0
    troubled_since: float | None = None
    asked_for: bool = False  # whether the service may count it as downloaded
    _from_before: bool = False
    _blind: float = FIRST_POLL
    _handle: DocumentHandle | None = None
    _part: Path = Path()

    @property
    def asks(self) -> bool:
        """Whether the next step is a request."""
        return self.stage in (storage.NEW, *storage.UNDER_WAY)

    @property
    def downloads(self) -> bool:
        """Whether the next step is the download."""
        return self.stage in (storage.READY, storage.FETCHING)

    @property
    def unsent(self) -> bool:
        """Whether nothing of it is on the service yet."""
        return self.stage in (CLAIM, storage.NEW)

    @property
    def whole(self) -> bool:
        """Whether it has arrived completely, and only its name is wrong."""
        return self.stage == PLACE

    def step(self) -> float | None:
        """Take the next step; returns the seconds to wait before the one after it, None at the end."""
        steps = {
            CLAIM: self._claim,
            storage.NEW: self._upload,
            storage.SENT: self._poll,
            storage.READY: self._fetch,
            storage.FETCHING: self._fetch,
            PLACE: self._place,
        }
        return steps[self.stage]()

    def leave(self) -> None:
        """Release the document: there is no next step."""
        self.workspace.storage.release(self.item.identity, self.job)

    # ---- before anything is sent

    def _claim(self) -> float | None:
        record = self.workspace.storage.claim(self._new(), self.job)
        if record is None:
            self.item.status = items.ELSEWHERE
            return LOOK_AGAIN
        just_marked = self.item.status == items.ELSEWHERE and record.stage == storage.MARKED
        self.item.take(record)
        self.item.status = items.WAITING
        if (record.stage == storage.FETCHED or just_marked) and not self.again:
            return self._fetched_before(record)
        if record.stage == storage.LOST and not self.again:
            return self._end(items.LOST, record.error or str(outputs.AGAIN))
        # Continue where an earlier job was.
        self.again = False  # what another job fetches in the meantime is not paid for again
        self._from_before = record.stage in storage.UNDER_WAY
        if not self._from_before:
            return self._start_over(is_new=record.stage == storage.NEW)
        if record.path != str(self.item.path):
            self.workspace.storage.note(self.item.identity, path=str(self.item.path))
        self.stage = record.stage
        self.reporting_tag = record.tag
        self._part = Path(record.temporary or "")
        self.asked_for = record.stage == storage.FETCHING
        if self.asked_for:
            return self._fetch_on(record)
        return self._refuse_marked() if self._is_refused else 0.0

    def _start_over(self, *, is_new: bool = False) -> float:
        """Send it, whatever its earlier result."""
        if not is_new:
            self._discard_part()
            self.workspace.storage.start_over(self.item.identity, output=str(self.item.output))
            self.item.take(self._new())
        self.stage = storage.NEW
        return 0.0

    def _fetch_on(self, record: DocumentRecord) -> float | None:
        """A job ended while it fetched the translation: check what has arrived."""
        if outputs.is_whole(record):
            self.stage = PLACE
        elif outputs.is_in_place(record):
            self._finished(Path(record.output or ""), record.output_digest or "")
            return self._fetched_before(record)
        else:
            self._discard_part()
        return 0.0

    def _fetched_before(self, record: DocumentRecord) -> float | None:
        if not outputs.has_translation(self.item, self.workspace.storage):
            made = outputs.intact_copy(self.item.identity, self.workspace.storage)
            if made is None:
                return self._end(items.LOST, outputs.gone(record))
            self._copy(made, self.item)
        return self._hand_out()

    def _new(self) -> DocumentRecord:
        item = self.item
        options = json.dumps(item.options.to_wire(), sort_keys=True)
        return DocumentRecord(
            item.identity,
            self.workspace.address,
            str(item.path),
            item.size,
            item.digest,
            item.target_lang,
            options,
            output=str(item.output),
        )

    # ---- on the service

    def _upload(self) -> float:
        item = self.item

        def sent(count: int) -> None:
            if self.control.cancelled:
                raise Cancelled
            item.move(items.UPLOADING, count, item.size)

        item.move(items.UPLOADING, 0, item.size)
        handle = self.workspace.client.documents.upload(
            item.path,
            item.target_lang,
            filename=item.path.name,
            options=item.options,
            reporting_tag=self.reporting_tag,
            tries=1,
            digest=item.digest,
            on_bytes=sent,
            warn=False,
        )
        self.workspace.storage.keep_handle(item.identity, handle, tag=self.reporting_tag)
        self._handle = handle
        item.document_id = handle.document_id
        item.hear(items.QUEUED, None)
        self.stage = storage.SENT
        return FIRST_POLL

    def _poll(self) -> float | None:
        try:
            status = self.workspace.client.documents.status(self._known_handle(), tries=1)
        except NotFound as error:
            return self._lost() if self.asked_for else self._unknown(error)
        if status.failed:
            return self._fail(status.error or "the service could not translate it", status="error")
        if status.done:
            return self._ready(status)
        if status.status == DOWNLOADED:
            return self._lost()
        estimate = status.estimate
        told = items.QUEUED if status.status == "queued" else items.TRANSLATING
        self.workspace.storage.note(self.item.identity, status=told, seconds_remaining=estimate)
        self.item.hear(told, estimate)
        self._blind = min(self._blind * POLL_GROWTH, LONGEST_BLIND_POLL)
        return min(max(self._blind, (estimate or 0) / 2), LONGEST_POLL)

    def _ready(self, status: DocumentStatus) -> float | None:
        item = self.item
        item.billed_characters = status.billed_characters
        item.translator = status.model_type_used
        item.marked_characters = status.marked_characters or 0
        item.small_texts, item.kept_texts = status.small_texts or 0, status.kept_texts or 0
        item.risky_formulas, item.risky_cells = status.risky_formulas or 0, status.risky_cells or ""
        item.source_lang = status.detected_source_language
        if self._is_refused:
            return self._refuse_marked()
        item.move(items.READY, 0, None)
        self.workspace.storage.note(
            item.identity,
            stage=storage.FETCHING if self.asked_for else storage.READY,
            status=items.MARKED if item.marked_characters else items.DONE,
            billed_characters=item.billed_characters,
            seconds_remaining=None,
            translator=item.translator,
            marked_characters=item.marked_characters,
            small_texts=item.small_texts,
            kept_texts=item.kept_texts,
            risky_formulas=item.risky_formulas,
            risky_cells=item.risky_cells,
            detected_lang=item.source_lang,
        )
        self.stage = storage.READY
        return 0.0

    @property
    def _is_refused(self) -> bool:
        """Whether a missing translator is an error; a download that was requested may be billed, so it is fetched."""
        return self.workspace.strict and bool(self.item.marked_characters) and not self.asked_for

    def _refuse_marked(self) -> float | None:
        """Leave a document without a translator on the service, where it costs nothing."""
        said = f"N{no_translator([self.item.pair])[1:]}; it was not downloaded, and nothing was billed. {INSTALL}"
        return self._fail(said, status="error")

    def _fetch(self) -> float | None:
        def begun(length: int | None) -> None:
            self.item.length = length
            self.workspace.storage.note(self.item.identity, whole=length)

        def came(count: int) -> None:
            self.item.moved = count

        asked_before = self.asked_for
        try:
            with self._new_part() as part:
                self.item.move(items.DOWNLOADING, 0, None)
                self.workspace.storage.note(self.item.identity, stage=storage.FETCHING)
                self.stage = storage.FETCHING
                self.asked_for = True
                size = self.workspace.client.documents.download(
                    self._known_handle(),
                    self._part,
                    tries=1,
                    page=self.item.output.suffix.lower() in PAGES,
                    begun=begun,
                    on_bytes=came,
                    opener=lambda *_: os.dup(part.fileno()),
                )
                if self.item.length is None:  # the service did not report it
                    self.workspace.storage.note(self.item.identity, whole=size)
                if not os.path.samestat(os.fstat(part.fileno()), os.lstat(self._part)):
                    raise FileNotFoundError(f"{self._part} was replaced while it was being written")
        except NotFound as error:
            return self._lost() if asked_before else self._unknown(error)
        except Unavailable:
            self.stage = storage.SENT  # it is not done after all, or an earlier download has not ended yet
            raise
        except ApiError as error:
            if not asked_before and not isinstance(error, ServerError):
                # The service sent nothing, and counts nothing as downloaded.
                self.asked_for = False
                self.stage = storage.READY
                self.workspace.storage.note(self.item.identity, stage=storage.READY)
                self._discard_part()
            raise
        self.stage = PLACE
        return 0.0

    def _new_part(self) -> BinaryIO:
        """The file for a download, beside its output; no one can guess its name, but the next job can find it."""
        self._discard_part()
        output = self.item.output
        output.parent.mkdir(parents=True, exist_ok=True)
        self._part = output.with_name(f".{output.name[:40]}.{uuid4().hex}.part")
        changes = {"output": str(output), "temporary": str(self._part), "whole": None}
        self.workspace.storage.note(self.item.identity, **changes)
        return outputs.make_room(self._part, ROOM * self.item.size + LEAST_ROOM)

    def _discard_part(self) -> None:
        with suppress(OSError):  # there may be none
            self._part.unlink()

    def _unknown(self, error: NotFound) -> float | None:
        """The service has no such document, and its translation was never requested, so it was not billed."""
        if not self._from_before:
            raise error
        try:
            is_there = outputs.digest_of(self.item.path) == self.item.digest
        except OSError:
            is_there = False
        if not is_there:
            said = "the service has forgotten it (nothing was billed), and the file was removed or changed"
            return self._fail(said)
        self._from_before = self.asked_for = False
        self._handle = None
        return self._start_over()

    def _lost(self) -> float | None:
        said = (
            "the service counts its translation as downloaded, but the file did not arrive completely, or was "
            f"removed: {outputs.AGAIN}"
        )
        self._discard_part()
        with self._booked(sure=False):
            self.workspace.storage.close_handle(self.item.identity, stage=storage.LOST, temporary=None, error=said)
        return self._end(items.LOST, said)

    # ---- at the end

    def _place(self) -> float | None:
        """The file is complete: put it in its place."""
        digest = outputs.digest_of(self._part)
        size = self._part.stat().st_size
        place = self._place_for(self.item)
        self.workspace.storage.note(self.item.identity, output=str(place), output_digest=digest, whole=size)
        outputs.moved(self._part, place)
        self._finished(place, digest)
        self.item.output = place
        return self._hand_out()

    def _finished(self, place: Path, digest: str) -> None:
        self.item.paid = True
        self._keep_output(self.item, place, digest)
        with self._booked(sure=True):
            self.workspace.storage.close_handle(
                self.item.identity,
                stage=storage.MARKED if self.item.marked_characters else storage.FETCHED,
                output=str(place),
                temporary=None,
                error=None,
            )

    def _booked(self, *, sure: bool) -> AbstractContextManager[None]:
        item, billed = self.item, self.item.billed_characters or 0
        marked = min(item.marked_characters, billed)
        return self.bills.booked(self.reporting_tag, item.target_lang, billed, marked=marked, sure=sure)

    def _fail(self, said: str, **changes: str) -> float | None:
        self.workspace.storage.close_handle(self.item.identity, stage=storage.FAILED, error=said, **changes)
        return self._end(items.ERROR, said)

    def _end(self, status: str, error: str) -> float | None:
        for item in (self.item, *self.others):
            item.document_id = self.item.document_id
            item.fail(status, error)
        self.stage = END
        return None

    def _hand_out(self) -> float | None:
        """The file is in its place: give a copy to all files with the same content."""
        self.item.make(self.item)
        for other in self.others:
            if other.output != self.item.output:
                self._copy(self.item.output, other)
            other.make(self.item)
        self.stage = END
        return None

    def _copy(self, made: Path, item: Item) -> None:
        item.output = self._place_for(item)
        outputs.copied(made, item.output)
        self._keep_output(item, item.output, outputs.digest_of(item.output))

    def _keep_output(self, item: Item, place: Path, digest: str) -> None:
        identity, path = self.item.identity, str(item.path)
        self.workspace.storage.keep_output(Output(str(place), identity, path, item.target_lang, digest))

    def _place_for(self, item: Item) -> Path:
        """Where its translation goes: to its output, or beside it if a new file is there."""
        item.output.parent.mkdir(parents=True, exist_ok=True)
        return item.output if outputs.may_replace(item, self.workspace.storage) else outputs.free_name(item.output)

    def _known_handle(self) -> DocumentHandle:
        try:
            self._handle = self._handle or self.workspace.storage.handle(self.item.identity)
        except KeyGone as error:
            stage = storage.LOST if self.asked_for else storage.FAILED
            self.workspace.storage.close_handle(self.item.identity, stage=stage, error=str(error))
            raise
        return self._handle
