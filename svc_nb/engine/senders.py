"""The threads that wait: for answers, and for the store. They hand over what came of it, and decide nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue

from svc_nb.engine.gate import Ticket
from svc_nb.engine.outcome import Answer
from svc_nb.engine.plan import Batch, Part
from svc_nb.errors import BadReply

# Few enough that nobody waits long for the store meanwhile.
MOST_TOGETHER = 8

Came = Sequence[Answer] | BaseException
Answered = Sequence[tuple[Part, Answer]]
Event = tuple[Batch, Ticket, Came]
Kept = tuple[Answered, BaseException | None]


class Senders:
    """As many threads as batches were ever on their way at once, and one that keeps what they bring.

    *write* puts answers into the store; it gets all that have come meanwhile at once. The threads end with the run, or
    with the process. `flying` are batches on their way, `keeping` how often answers are still to be written.
    """

    def __init__(self, write: Callable[[Answered], None]) -> None:
        self.flying = 0
        self.keeping = 0
        self._write = write
        self._threads = 0
        self._tasks: SimpleQueue[tuple[Batch, Ticket] | None] = SimpleQueue()
        self._answered: SimpleQueue[Answered | None] = SimpleQueue()
        self._events: SimpleQueue[Event | Kept | None] = SimpleQueue()
        threading.Thread(target=self._keep, name="svc_nb-keep", daemon=True).start()

    def send(self, batch: Batch, ticket: Ticket) -> None:
        """Send *batch*; what came of it is one of the next events."""
        self.flying += 1
        if self.flying > self._threads:
            self._threads += 1
            threading.Thread(target=self._work, name="svc_nb-send", daemon=True).start()
        self._tasks.put((batch, ticket))

    def keep(self, answered: Answered) -> None:
        """Write *answered* to the store; that they are kept is one of the next events."""
        self.keeping += 1
        self._answered.put(answered)

    def wake(self) -> None:
        """Let `events` go on at once, from any thread."""
        self._events.put(None)

    def events(self, seconds: float) -> Iterator[Event | Kept]:
        """Wait for the next event, at most so long, and yield all that are there then."""
        try:
            event = self._events.get(timeout=seconds)
            while True:
                if event is not None:
                    self._count(event)
                    yield event
                event = self._events.get_nowait()
        except Empty:
            return

    def end(self) -> None:
        """Let the threads end when they are idle."""
        self._answered.put(None)
        for _ in range(self._threads):
            self._tasks.put(None)

    def _count(self, event: Event | Kept) -> None:
        if len(event) == 2:
            self.keeping -= 1
        else:
            self.flying -= 1

    def _work(self) -> None:
        while task := self._tasks.get():
            batch, ticket = task
            self._events.put((batch, ticket, _exchanged(batch)))

    def _keep(self) -> None:
        while came := self._answered.get():
            together = [came, *self._more()]
            error = self._written([pair for each in together for pair in each])
            for answered in together:
                self._events.put((answered, error))

    def _written(self, answered: Answered) -> BaseException | None:
        try:
            self._write(answered)
        except BaseException as problem:
            return problem
        return None

    def _more(self) -> Iterator[Answered]:
        try:
            for _ in range(MOST_TOGETHER - 1):
                came = self._answered.get_nowait()
                if came is None:
                    self._answered.put(None)
                    return
                yield came
        except Empty:
            return


def _exchanged(batch: Batch) -> Came:
    try:
        answers = batch.lane.send([part.text for part in batch.parts])
    except BaseException as problem:
        return problem
    if len(answers) != len(batch.parts):
        return BadReply(f"Expected {len(batch.parts)} answers, one per text, found {len(answers)}")
    return answers
