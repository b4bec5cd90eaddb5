"""What the service itself counted: the truth that reports and tables are held against."""

from __future__ import annotations

from collections import Counter

from svc_nb.service import Service
from svc_nb.session import Session
from tests.waiting import until

TRANSLATE = "POST /v2/translate"
DETECT = "POST /v3/detect/language"


def quiet(running: Service) -> int:
    """Wait until nothing is under way, and give the number of all requests so far.

    The service counts an answer just after it has sent it, so who reads at once may read too little.
    """
    until(lambda: not running.traffic.in_flight)
    return running.traffic.requests


class Counters:
    """Requests and characters since this was made, as the service counted them."""

    def __init__(self, running: Service, session: Session) -> None:
        self._running = running
        self._session = session
        quiet(running)
        self._answered = Counter(running.traffic.answered)
        self._characters = self._spent()

    def requests(self, status: int | None = None, *, operation: str = TRANSLATE) -> int:
        """How many requests there were, or how many of them ended with *status*; 0 is one without an answer.

        Waits until nothing is under way.
        """
        quiet(self._running)
        return self.so_far(status, operation=operation)

    def so_far(self, status: int | None = None, *, operation: str = TRANSLATE) -> int:
        """The same while others are at work, without waiting for them."""
        return sum(
            count - self._answered[name, code]
            for (name, code), count in self._running.traffic.answered.copy().items()
            if name == operation and status in (None, code)
        )

    @property
    def texts_requests(self) -> int:
        """How many requests carried texts, of whatever operation."""
        carriers = (TRANSLATE, DETECT, "POST /v2/write/rephrase", "POST /v2/write/correct")
        return sum(self.requests(operation=name) for name in carriers)

    @property
    def characters(self) -> int:
        """How many characters were billed."""
        return self._spent() - self._characters

    def _spent(self) -> int:
        return self._session.client.account.usage().character_count


def marked(texts, target_lang="DE"):
    """What the translator of last resort makes of texts of one sentence; gaps stay gaps."""
    return [f"[{target_lang}] {text}" if isinstance(text, str) else None for text in texts]


def listed(column):
    """The cells of a column, with None for every gap."""
    return [cell if isinstance(cell, str) else None for cell in column]
