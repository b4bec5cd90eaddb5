"""One request, tried until it is answered: headers, pooling, status to error, retry. Only here is slept.

A request goes like this. The body is encoded once. Each try is one exchange, which *returns* what came of it:
a Reply, or an error that is not raised yet. An error that sending again can help is waited out, by the
service's Retry-After if it gave one, else by a growing random wait. What came of the last try is returned
or raised at the very end, where no frame of the network libraries, which hold the key in their locals,
hangs on it any more.
"""

import logging
import random as randomness
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any, Self

import requests
import tenacity
from urllib3 import Timeout
from urllib3.exceptions import HTTPError

from svc_nb.errors import BadReply, Closed, SettingsError, SvcError
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from svc_nb.wire.bodies import Count, FileBody, Query, Sink, multipart, urlencoded
from svc_nb.wire.exchange import (
    Call,
    Line,
    Payload,
    Reply,
    Signature,
    bare,
    described,
    encoded,
    failure,
    is_safe,
    new_session,
    outcome_of,
    secrets_of,
    sendable,
    signs,
    version,
)

__all__ = ["Query", "Reply", "Retry", "Transport", "version"]

# The part of its ceiling that every own wait takes at least, so that two tries never fall together.
LEAST_OF_WAIT = 0.2

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Retry:
    """What an observer is told before a request is sent again: which try failed and how, and the wait."""

    tried: int
    wait: float
    error: SvcError


class Transport:
    """Sends requests to the one address of *settings*; many threads may use it at once.

    *sleep* and *random* replace the clock and the dice. *on_retry* is called before every wait, in the
    thread that sent the request; what it raises ends the request. Every wait is also logged, at level INFO
    and without texts and keys.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        sleep: Callable[[float], None] = time.sleep,
        random: Callable[[], float] = randomness.random,
        on_retry: Callable[[Retry], None] | None = None,
    ) -> None:
        if settings.address is None:
            raise SettingsError("There is no address to send to: set base_url= or SVC_BASE_URL.")
        self.settings = settings
        self.sleep = sleep
        self._random = random
        self._on_retry = on_retry
        self._address = settings.address
        self._timeout = Timeout(connect=settings.connect_timeout, read=settings.read_timeout)
        self._session = new_session(settings)
        self._line: Line | None = None
        self._elsewhere: dict[str, Line] = {}
        self._opening = threading.Lock()
        self._closed = False

    def request(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        form: Query | None = None,
        params: Query | None = None,
        headers: Mapping[str, str] | None = None,
        accept: str = "application/json",
        tries: int | None = None,
        admin: bool = False,
    ) -> Reply:
        """Send one request and return its answer of success, or raise the error that its last try ended with.

        *path* must be percent-encoded already. *tries* replaces the setting; 1 means that every refusal is
        raised. *admin* signs with the administrator's key. Raises Closed when the transport was closed.
        """
        call = self._call(
            method,
            path,
            signature=self._signature(admin),
            payload=encoded(json, form),
            params=params,
            headers={"Accept": accept, **(headers or {})},
            secrets=secrets_of(form),
        )
        return self._concluded(call, tries)

    def post_file(
        self,
        path: str,
        file: Path,
        *,
        name: str,
        fields: Query,
        headers: Mapping[str, str] | None = None,
        tries: int | None = None,
        digest: str | None = None,
        on_bytes: Count | None = None,
    ) -> Reply:
        """Send a form of *fields* and of *file*, which goes by the name *name* and is streamed, anew for each try.

        A file that changes while it is sent, or whose SHA-256 is not *digest*, is not sent to its end: Unsendable.
        *on_bytes* is told how many bytes of it are on their way; what it raises ends the request.
        """
        body, boundary = multipart(fields, file, name=name, digest=digest, on_bytes=on_bytes)
        call = self._call(
            "POST",
            path,
            signature=self._signature(False),
            payload=(body, f"multipart/form-data; boundary={boundary}"),
            headers={"Accept": "application/json", **(headers or {})},
        )
        return self._concluded(call, tries)

    def put_file(
        self,
        url: Secret,
        file: Path,
        *,
        media: str = "application/octet-stream",
        tries: int | None = None,
        on_bytes: Count | None = None,
    ) -> Reply:
        """Stream *file* to a signed address, without the key: who knows the address may write there.

        The address is taken from the service's answer; it must be https, or on the service's own host.
        """
        body = FileBody(file, on_bytes=on_bytes)
        return self._concluded(self._signed("PUT", url, payload=(body, media)), tries)

    def fetch(
        self,
        method: str,
        path: str,
        into: Path,
        *,
        form: Query | None = None,
        params: Query | None = None,
        accept: str = "*/*",
        tries: int | None = None,
        page: bool = True,
        begun: Callable[[int | None], None] | None = None,
        on_bytes: Count | None = None,
    ) -> int:
        """Stream the answer of success into the file *into*, to the disk, and return how many bytes it has.

        The file is begun anew for each try, and is left as it is when the last one fails. Where it cannot be a web
        *page*, one is a BadReply: a proxy has answered. *begun* is told the whole length, None where the answer does
        not say, before a byte is written; *on_bytes* how many were.
        """
        call = self._call(
            method,
            path,
            signature=self._signature(False),
            payload=encoded(None, form),
            params=params,
            headers={"Accept": accept, "Accept-Encoding": "identity"},
            secrets=secrets_of(form),
            sink=Sink(into, begun=begun, on_bytes=on_bytes, page=page),
        )
        return int(self._concluded(call, tries).content)

    def fetch_signed(
        self,
        url: Secret,
        into: Path,
        *,
        tries: int | None = None,
        begun: Callable[[int | None], None] | None = None,
        on_bytes: Count | None = None,
    ) -> int:
        """As `fetch`, from a signed address and without the key; see `put_file`."""
        sink = Sink(into, begun=begun, on_bytes=on_bytes)
        return int(self._concluded(self._signed("GET", url, sink=sink), tries).content)

    def close(self) -> None:
        """Close all connections; what is being answered is answered, but nothing is sent any more."""
        self._closed = True
        for line in filter(None, [self._line, *list(self._elsewhere.values())]):
            line.close()
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Transport({self._address!r})"

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise Closed("This session was closed; call svc_nb.connect().")

    def _signature(self, admin: bool) -> Signature:
        key = self.settings.administrator if admin else self.settings.api_key
        if key is None and admin:
            raise SettingsError("Administration needs an administrator key: set admin_key= or SVC_ADMIN_KEY.")
        if key is None:
            raise SettingsError("This operation needs a developer key: set api_key= or SVC_API_KEY.")
        return Signature(self.settings.auth_scheme, key)

    def _call(
        self,
        method: str,
        path: str,
        *,
        signature: Signature,
        payload: Payload,
        headers: Mapping[str, str],
        params: Query | None = None,
        secrets: tuple[Secret, ...] = (),
        sink: Sink | None = None,
    ) -> Call:
        query = f"?{urlencoded(params)}" if params else ""
        sent = sendable({**described(payload), **headers})
        keys = tuple(filter(None, (self.settings.api_key, self.settings.admin_key)))
        return Call(
            method, self._address + path + query, sent, payload[0], signature, sink, (*keys, *secrets)
        )

    def _signed(
        self, method: str, url: Secret, *, payload: Payload = (None, None), sink: Sink | None = None
    ) -> Call:
        if not is_safe(url, self._address):
            raise BadReply("The service named an address for the file that is neither https nor its own")
        sent = sendable({**described(payload), "Accept": "*/*", "Accept-Encoding": "identity"})
        return Call(method, url.reveal(), sent, payload[0], None, sink, signs(url))

    def _concluded(self, call: Call, tries: int | None) -> Reply:
        self._refuse_if_closed()
        outcome = self._tried(call, self.settings.tries if tries is None else _counted(tries))
        if isinstance(outcome, Reply):
            return outcome
        raise outcome

    def _tried(self, call: Call, tries: int) -> Reply | BaseException:
        if tries == 1:
            return self._once(call)
        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(tries),
            retry=tenacity.retry_if_result(self._worth_retrying),
            wait=self._wait,
            sleep=self._sleep,
            before_sleep=self._tell,
            retry_error_callback=_last_outcome,
        )
        outcome: Reply | BaseException = retrying(self._exchange, call)
        if isinstance(outcome, SvcError):
            outcome.tries = retrying.statistics["attempt_number"]
        return outcome

    def _once(self, call: Call) -> Reply | BaseException:
        outcome = self._exchange(call)
        if isinstance(outcome, SvcError):
            outcome.tries = 1
        return outcome

    def _sleep(self, seconds: float) -> None:
        self.sleep(seconds)
        self._refuse_if_closed()

    def _worth_retrying(self, outcome: Reply | BaseException) -> bool:
        if not isinstance(outcome, SvcError) or not outcome.retryable:
            return False
        return (outcome.retry_after or 0) <= self.settings.longest_retry_after

    def _wait(self, state: tenacity.RetryCallState) -> float:
        asked = getattr(_last_outcome(state), "retry_after", None)
        if asked is not None:
            return float(asked)
        # The exponent is bounded because 2.0 ** 1024 is no float any more.
        ceiling = self.settings.first_wait * 2.0 ** min(state.attempt_number - 1, 64)
        return min(ceiling, self.settings.longest_wait) * (
            LEAST_OF_WAIT + (1 - LEAST_OF_WAIT) * self._random()
        )

    def _tell(self, state: tenacity.RetryCallState) -> None:
        error = _last_outcome(state)
        wait = state.next_action.sleep if state.next_action else 0.0
        # The class and the status alone: the message may quote a text.
        kind, status = type(error).__name__, error.status or "none"
        LOG.info("Try %d failed (%s, status %s); next in %.2f s", state.attempt_number, kind, status, wait)
        if self._on_retry:
            self._on_retry(Retry(state.attempt_number, wait, error))

    def _exchange(self, call: Call) -> Reply | BaseException:
        """Send *call* once and return what came of it; raises nothing, not even an interrupt."""
        try:
            line = (self._line or self._opened()) if call.signature else self._line_to(call.origin)
            return outcome_of(call, line.send(call, self._timeout))
        except (requests.RequestException, HTTPError) as problem:
            connect, read = self.settings.connect_timeout, self.settings.read_timeout
            return failure(problem, call.host, connect=connect, read=read)
        except BaseException as problem:
            return bare(problem)

    def _opened(self) -> Line:
        with self._opening:
            self._line = self._line or Line(self._session, self._address)
        return self._line

    def _line_to(self, origin: str) -> Line:
        """The way to a signed address, with connections of its own."""
        with self._opening:
            if origin not in self._elsewhere:
                self._elsewhere[origin] = Line(new_session(self.settings), origin)
            return self._elsewhere[origin]


def _counted(tries: int) -> int:
    if isinstance(tries, bool) or not isinstance(tries, Integral):
        raise TypeError(f"tries: expected a whole number, found {type(tries).__name__}")
    if tries < 1:
        raise ValueError(f"tries: expected 1 or more, found {tries}")
    return tries


def _last_outcome(state: tenacity.RetryCallState) -> Any:
    return state.outcome.result() if state.outcome else None
