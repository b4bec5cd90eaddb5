"""The tokens of voice sessions: each is good once, and only for a while."""

import secrets
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from .database import now
from .problems import Problem

# A token opens its stream within a minute; for a reconnect it is good as long as a stream can last.
STREAM_LIFE = timedelta(seconds=60)
SESSION_LIFE = timedelta(hours=1)
MAX_TOKENS = 10_000


@dataclass(slots=True)
class _Token:
    """What is known of a token that was handed out."""

    session_id: str
    made: datetime
    streamed: bool = False


class VoiceSessions:
    """The tokens of this process: they do not outlive it, and the oldest make room for the newest."""

    def __init__(self, *, clock: Callable[[], datetime] = now) -> None:
        self._clock = clock
        self._tokens: dict[str, _Token] = {}
        self._lock = threading.Lock()

    def begin(self) -> tuple[str, str]:
        """A new session: its id, and a token for its stream."""
        return self._issued(str(uuid.uuid4()))

    def reconnect(self, token: str) -> tuple[str, str]:
        """The session of *token*, and a new token in its place, or 403."""
        with self._lock:
            known = self._known(token, SESSION_LIFE)
            del self._tokens[token]
        return self._issued(known.session_id)

    def enter(self, token: str) -> str:
        """The id of the session whose stream *token* opens, once and soon, or 403."""
        with self._lock:
            known = self._known(token, STREAM_LIFE)
            if known.streamed:
                raise _refusal()
            known.streamed = True
        return known.session_id

    def _known(self, token: str, life: timedelta) -> _Token:
        known = self._tokens.get(token)
        if known is None or self._clock() - known.made > life:
            raise _refusal()
        return known

    def _issued(self, session_id: str) -> tuple[str, str]:
        token = secrets.token_urlsafe(48)
        with self._lock:
            while len(self._tokens) >= MAX_TOKENS:
                del self._tokens[next(iter(self._tokens))]
            self._tokens[token] = _Token(session_id, self._clock())
        return session_id, token


def _refusal() -> Problem:
    return Problem(403, detail="The token is unknown, used or no longer good.")
