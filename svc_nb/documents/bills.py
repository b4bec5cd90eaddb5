"""What documents were billed, written into the ledger beside the runs: a bill for each tag of a job."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from svc_nb.columns.context import context
from svc_nb.documents.desk import Desk
from svc_nb.engine.bill import Bill
from svc_nb.errors import StoreError

OPERATION = "document"


@dataclass(frozen=True, slots=True)
class Entry:
    """What a line of the bill is for."""

    target_lang: str
    operation: str = OPERATION


class Bills:
    """The bills of one job; threads may use it at once. What the store cannot take now it takes with the next."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._bills: dict[str | None, Bill] = {}
        self._lock = threading.Lock()

    @contextmanager
    def booked(
        self, tag: str | None, target_lang: str, characters: int, *, marked: int = 0, sure: bool
    ) -> Iterator[None]:
        """Book *characters* as billed, or as perhaps billed unless *sure*, when the block has ended well.

        *marked* of them were not translated but only marked.
        While it goes on they count as perhaps billed, so that a process that is killed in it books nothing twice.
        """
        bill = self._bill(tag)
        sent = bill.send(Entry(target_lang), characters)
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

    def _bill(self, tag: str | None) -> Bill:
        with self._lock:
            if tag not in self._bills:
                self._bills[tag] = Bill(context(self._desk, (), tag))
            return self._bills[tag]

    def _log(self, bill: Bill) -> None:
        with suppress(StoreError):
            self._desk.store.log(bill)
