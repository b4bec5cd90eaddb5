"""A service that someone runs as an engine: asked from a few threads of its own, so that it never blocks the others.

1. Each distinct text is asked for once; texts that wait go together, as many as the service takes at once.
2. Whoever wants them waits a little. What is not there by then is TranslatorBusy, and the work continues: asked again,
   the caller finds what is done by then. So a slow model needs no long request, and a service that hangs holds no
   thread but the few that ask it.
3. Answers are kept for some minutes: a request that is sent again, whole or in parts, costs nothing twice.
4. A service that fails is left alone for some seconds, in which every request fails at once.
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from typing import Protocol

from . import EveryPair, TextFailed, TranslatorBusy, TranslatorFailed, marks
from .address import Address

PARALLEL = 4
CALLERS = 8
"""Who may wait at once; the embedded service has 40 threads for all requests."""

WAIT_SECONDS = 10.0
"""A request waits so long up to four times, and clients give up after a minute."""

CHECK_SECONDS = 2.0
REST_SECONDS = 15.0
KEPT_SECONDS = 600.0
REFUSED_SECONDS = 60.0
MOST_KEPT = 10_000
LANGUAGES_SECONDS = 300.0

_Pair = tuple[str, str]
_log = logging.getLogger(__name__)


class Api(Protocol):
    """What a kind of service takes, and the texts that go into one of its requests at most."""

    address: Address
    name: str
    most_texts: int
    most_characters: int

    def pairs(self) -> Mapping[_Pair, _Pair]:
        """What it has, by the codes of this service, with its own codes or names. Raises TranslatorFailed."""

    def ask(self, texts: Sequence[str], source: str, target: str) -> list[str | TextFailed]:
        """Translate between two languages as it calls them. Raises TranslatorFailed, or TranslatorBusy."""

    def close(self) -> None:
        """Let its connections go."""


@dataclass(slots=True, eq=False)
class _Text:
    """A text on its way between two languages, as the service asked calls them, and the outcome of it."""

    text: str
    pair: _Pair
    since: float
    came: "Future[str]" = field(default_factory=Future)

    def is_stale(self, now: float) -> bool:
        """Whether it must be asked for once more."""
        if not self.came.done():
            return False
        return now - self.since > (REFUSED_SECONDS if self.came.exception() else KEPT_SECONDS)


class Remote:
    """The engine of one service: a request waits *wait* seconds for its answers, a failure lets it rest for *rest*."""

    def __init__(self, api: Api, *, wait: float = WAIT_SECONDS, rest: float = REST_SECONDS) -> None:
        self.name = api.name
        self._api = api
        self._wait = wait
        self._rest = rest
        self._lock = threading.Lock()
        self._asking = threading.Lock()
        self._callers = threading.BoundedSemaphore(CALLERS)
        self._pairs: Mapping[_Pair, _Pair] = {}
        self._known_until = 0.0
        self._failed: tuple[float, str] = (0.0, "")  # until when it is left alone, and why
        self._texts: OrderedDict[tuple[str, _Pair], _Text] = OrderedDict()
        self._waiting: SimpleQueue[list[_Text] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def __repr__(self) -> str:
        return f"<Remote {self.title}>"

    @property
    def title(self) -> str:
        """What people see of it: its name, where it is, and whether texts leave this machine."""
        elsewhere = "" if self._api.address.is_loopback else ", not on this machine"
        return f"{self.name} at {self._api.address}{elsewhere}"

    def pairs(self) -> Collection[_Pair]:
        """Return the pairs that the service has; as long as it did not say so, any may be one."""
        with suppress(TranslatorFailed, TranslatorBusy):
            self.check()
        return self._pairs.keys() if self._pairs else EveryPair()

    def ready(self, source: str, target: str) -> bool:
        """Whether the service has the pair; raises TranslatorFailed while it is left alone."""
        self.check()
        return (source, target) in self._pairs

    def check(self) -> None:
        """Ask the service what it has, unless that is known; TranslatorFailed says why it cannot be used."""
        self._raise_failure()
        if time.monotonic() < self._known_until:
            return
        if not self._asking.acquire(timeout=CHECK_SECONDS):
            raise TranslatorBusy(f"{self.title} is being asked for its languages. Ask again a little later.")
        try:
            self._raise_failure()
            if time.monotonic() >= self._known_until:  # or another thread was faster
                self._pairs = self._api.pairs()
                self._known_until = time.monotonic() + LANGUAGES_SECONDS
        except (TranslatorFailed, TranslatorBusy) as error:
            raise self._leave_alone(str(error)) from None
        finally:
            self._asking.release()

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Translate each text. Raises TranslatorFailed, TranslatorBusy or TextFailed."""
        self.check()
        if (own := self._pairs.get((source, target))) is None:
            raise self._leave_alone(f"{self.title} has no {source} to {target} any more.")
        if not self._callers.acquire(blocking=False):
            raise self._busy()
        try:
            return marks.around(texts, partial(self._answers, pair=own))
        finally:
            self._callers.release()

    def close(self) -> None:
        """End the threads as soon as their questions are answered; the engine cannot be used afterwards."""
        self._failed = (float("inf"), f"{self.title} is closed.")
        for _ in self._threads:
            self._waiting.put(None)
        self._api.close()

    # ---- in the thread of whoever wants texts

    def _answers(self, texts: Sequence[str], pair: _Pair) -> list[str]:
        """Return the outcome of each text, waiting for a while."""
        due = time.monotonic() + self._wait
        on_the_way = self._ask_for(texts, pair)
        answers: list[str] = []
        refused = ""
        for each in on_the_way:
            try:
                answers.append(each.came.result(max(0.0, due - time.monotonic())))
            except NotYet:
                raise self._busy() from None
            except TextFailed as error:
                refused = refused or str(error)
            except (TranslatorFailed, TranslatorBusy) as error:
                raise type(error)(str(error)) from None  # that one is of many who wait
        if refused:  # not before the others are done, so that their answers are there for who asks again without it
            raise TextFailed(refused)
        return answers

    def _ask_for(self, texts: Sequence[str], pair: _Pair) -> list[_Text]:
        """Return the texts on their way, or done; what is neither is put in line."""
        with self._lock:
            self._raise_failure()
            now = time.monotonic()
            while self._texts:
                oldest = next(iter(self._texts.values()))
                if not (oldest.is_stale(now) or (len(self._texts) > MOST_KEPT and oldest.came.done())):
                    break
                self._texts.popitem(last=False)
            known = {text: self._texts.get((text, pair)) for text in texts}
            new = [_Text(text, pair, now) for text, found in known.items() if found is None or found.is_stale(now)]
            if new and self._waiting.qsize() >= PARALLEL:
                raise self._busy()  # what waits already is to be done first
            for each in new:
                known[each.text] = self._texts[each.text, pair] = each
                self._texts.move_to_end((each.text, pair))
            for some in self._together(new):
                self._waiting.put(some)
                if len(self._threads) < PARALLEL:
                    thread = threading.Thread(target=self._work, name=f"svc_nb-{self._api.address.kind}", daemon=True)
                    self._threads.append(thread)
                    thread.start()
            return [found for text in texts if (found := known[text])]

    def _together(self, texts: Sequence[_Text]) -> Iterator[list[_Text]]:
        """Yield what goes into one request each; a text that is longer goes alone."""
        some: list[_Text] = []
        characters = 0
        for each in texts:
            characters += len(each.text)
            if some and (len(some) == self._api.most_texts or characters > self._api.most_characters):
                yield some
                some, characters = [], len(each.text)
            some.append(each)
        if some:
            yield some

    def _busy(self) -> TranslatorBusy:
        return TranslatorBusy(f"{self.title} is still working on the texts that it has. Ask again a little later.")

    def _raise_failure(self) -> None:
        until, why = self._failed
        if time.monotonic() < until:
            raise TranslatorFailed(why)

    def _leave_alone(self, why: str) -> TranslatorFailed:
        """Send nothing more for a while, and then ask again what the service has."""
        if self._failed[0] != float("inf"):
            self._failed = (time.monotonic() + self._rest, why)
        self._known_until = 0.0
        return TranslatorFailed(why)

    # ---- in the threads that ask the service

    def _work(self) -> None:
        while some := self._waiting.get():
            try:
                self._raise_failure()
                answers = self._api.ask([each.text for each in some], *some[0].pair)
                if len(answers) != len(some):
                    raise TranslatorFailed(f"{self.title} answered {len(answers)} of {len(some)} texts.")
            except TranslatorBusy as busy:
                self._end(some, busy)
            except TranslatorFailed as failed:
                self._end(some, self._leave_alone(str(failed)))
            except Exception as error:  # a mistake of ours must not leave anyone waiting
                _log.exception("%s cannot be asked", self.name)
                self._end(some, self._leave_alone(f"{self.title} cannot be asked: {type(error).__name__}."))
            else:
                for each, answer in zip(some, answers, strict=True):
                    if isinstance(answer, str):
                        each.came.set_result(answer)
                    else:
                        each.came.set_exception(answer)

    def _end(self, texts: Sequence[_Text], error: Exception) -> None:
        """Tell who waits that there are no answers; the texts are sent again when someone wants them."""
        with self._lock:
            for each in texts:
                self._texts.pop((each.text, each.pair), None)
        for each in texts:
            each.came.set_exception(error)
