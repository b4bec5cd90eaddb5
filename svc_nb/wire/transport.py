"""One request, tried until it is answered: headers, pooling, status to error, retries and the waits between.

A request is processed as follows. The body is encoded once. Each try is one exchange, which *returns* its result: a
Reply, or an error that is not raised yet. After an error for which a retry can help, it waits for the service's
Retry-After if given, else for a growing random time. The result of the last try is returned or raised at the very end,
without any frames of the network libraries, which hold the key in their locals.
"""

import logging
import random as randomness
import threading
import time
from collections.abc import Callable, Mapping
from numbers import Integral
from pathlib import Path
from typing import Any, Self

import requests
import tenacity
from urllib3.exceptions import HTTPError

from svc_nb.advice import Advice, Setting
from svc_nb.backoff import backoff
from svc_nb.errors import BadReply, Closed, NotAuthenticated, SettingsError, SvcError
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from svc_nb.wire import connection
from svc_nb.wire.answer import Broken
from svc_nb.wire.connection import Count, FileBody, Payload, Query, Reply, Request, Sink, version
from svc_nb.wire.pool import Pool, failure, new_session

__all__ = ["Query", "Reply", "Transport", "version"]

CLOSED = "This session is closed. Call svc_nb.connect()."
WRONG_ADMINISTRATOR = Advice("Check the administrator key ({}).", Setting("admin_key"))
NO_BODY: Payload = (None, {})
LOG = logging.getLogger(__name__)


class Transport:
    """Sends requests to the address of *settings*, from many threads; *before_each* is called before every try."""

    def __init__(
        self,
        settings: Settings,
        *,
        before_each: Callable[[], None] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        random: Callable[[], float] = randomness.random,
    ) -> None:
        if settings.address is None:
            raise SettingsError(f"There is no address to send requests to: set {Setting('base_url')}.")
        self.settings = settings
        self.sleep = sleep
        self._before_each = before_each
        self._random = random
        self._address = settings.address
        self._session = new_session(settings)
        # The connections to the service, and those to the origins of signed addresses.
        self._pool: Pool | None = None
        self._elsewhere: dict[str, Pool] = {}
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
        """Send one request to *path*, percent-encoded; return the successful answer or raise the last try's error."""
        request = self._request(
            method,
            path,
            admin=admin,
            payload=connection.encoded(json, form),
            params=params,
            headers={"Accept": accept, **(headers or {})},
            form=form,
        )
        try:
            return self._send(request, tries)
        except NotAuthenticated as problem:
            if admin and self.settings.admin_key:
                problem.advice = WRONG_ADMINISTRATOR  # type: ignore[misc]
            raise

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
        """Stream a form of *fields* and *file*, for each try; Unsendable if it changes or its hash is not *digest*."""
        body, boundary = connection.multipart(fields, file, name=name, digest=digest, on_bytes=on_bytes)
        request = self._request(
            "POST",
            path,
            payload=connection.streamed(body, f"multipart/form-data; boundary={boundary}"),
            headers={"Accept": "application/json", **(headers or {})},
        )
        return self._send(request, tries)

    def put_file(
        self,
        url: Secret,
        file: Path,
        *,
        media: str = "application/octet-stream",
        tries: int | None = None,
        on_bytes: Count | None = None,
    ) -> Reply:
        """Stream *file* to a signed address from the service, without the key; the address must be safe (`is_safe`)."""
        payload = connection.streamed(FileBody(file, on_bytes=on_bytes), media)
        return self._send(self._signed_request("PUT", url, payload=payload), tries)

    def fetch(self, method: str, path: str, into: Sink, *, form: Query | None = None, tries: int | None = None) -> int:
        """Stream the successful answer into a file, and return its number of bytes."""
        headers = {"Accept": "*/*", "Accept-Encoding": "identity"}
        request = self._request(
            method, path, payload=connection.encoded(None, form), headers=headers, form=form, sink=into
        )
        return int(self._send(request, tries).content)

    def fetch_signed(self, url: Secret, into: Sink, *, tries: int | None = None) -> int:
        """Like `fetch`, from a signed address and without the key; see `put_file`."""
        return int(self._send(self._signed_request("GET", url, sink=into), tries).content)

    def close(self) -> None:
        """Close all connections; requests under way, or waiting for a place, are still answered."""
        self._closed = True
        for each in filter(None, [self._pool, *list(self._elsewhere.values())]):
            each.close()
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Transport({self._address!r})"

    def _request(
        self,
        method: str,
        path: str,
        *,
        payload: Payload,
        headers: Mapping[str, str],
        admin: bool = False,
        params: Query | None = None,
        form: Query | None = None,
        sink: Sink | None = None,
    ) -> Request:
        key = self.settings.administrator if admin else self.settings.api_key
        if key is None and admin:
            raise SettingsError(f"Administration needs an administrator key: set {Setting('admin_key')}.")
        if key is None:
            raise SettingsError(f"This operation needs a developer key: set {Setting('api_key')}.")
        authorization = Secret(f"{self.settings.auth_scheme} {key.reveal()}")
        query = f"?{connection.urlencoded(params)}" if params else ""
        sent = connection.checked_headers({**payload[1], **headers})
        keys = filter(None, (self.settings.api_key, self.settings.admin_key))
        hidden = (value for value in (form or {}).values() if isinstance(value, Secret))
        url = self._address + path + query
        return Request(method, url, sent, payload[0], authorization, sink, (*keys, *hidden))

    def _signed_request(
        self, method: str, url: Secret, *, payload: Payload = NO_BODY, sink: Sink | None = None
    ) -> Request:
        if not connection.is_safe(url, self._address):
            raise BadReply("The service returned an address for the file that is neither https nor its own")
        sent = connection.checked_headers({**payload[1], "Accept": "*/*", "Accept-Encoding": "identity"})
        return Request(method, url.reveal(), sent, payload[0], None, sink, connection.secrets_in(url))

    def _send(self, request: Request, tries: int | None) -> Reply:
        """Send *request* until it is answered, at most *tries* times, and return the answer or raise the error."""
        if self._closed:
            raise Closed(CLOSED)
        if type(tries) is not int and (isinstance(tries, bool) or not isinstance(tries, Integral | None)):
            raise TypeError(f"tries: expected a whole number, found {type(tries).__name__}")
        if tries is not None and tries < 1:
            raise ValueError(f"tries: expected 1 or more, found {tries}")
        most = self.settings.tries if tries is None else tries
        outcome: Reply | BaseException
        if most == 1:
            outcome, tried = self._exchange(request), 1
        else:
            retrying = tenacity.Retrying(
                stop=tenacity.stop_after_attempt(most),
                retry=tenacity.retry_if_result(self.is_worth_retrying),
                wait=lambda state: self.wait_after(_last_outcome(state), state.attempt_number),
                sleep=self._sleep,
                before_sleep=self._tell,
                retry_error_callback=_last_outcome,
            )
            outcome = retrying(self._exchange, request)
            tried = retrying.statistics["attempt_number"]
        if isinstance(outcome, Reply):
            return outcome
        if isinstance(outcome, SvcError):
            outcome.tries = tried
        raise outcome

    def _sleep(self, seconds: float) -> None:
        self.sleep(seconds)
        if self._closed:
            raise Closed(CLOSED)

    def is_worth_retrying(self, outcome: Reply | BaseException) -> bool:
        """Whether a retry can help, and soon enough."""
        if not isinstance(outcome, SvcError) or not outcome.retryable:
            return False
        return self.settings.patience.allows(outcome.retry_after)

    def wait_after(self, error: SvcError, tried: int) -> float:
        """How long to wait after this many failed tries: as long as the service asks for, else longer each time."""
        if error.retry_after is not None:
            return float(error.retry_after)
        first, longest = self.settings.first_wait, self.settings.longest_wait
        return backoff(first, tried, longest=longest, random=self._random)

    def _tell(self, state: tenacity.RetryCallState) -> None:
        error = _last_outcome(state)
        wait = state.next_action.sleep if state.next_action else 0.0
        # Only the class and the status: the message may quote a text.
        kind, status = type(error).__name__, error.status or "none"
        LOG.info("Try %d failed (%s, status %s); next in %.2f s", state.attempt_number, kind, status, wait)

    def _exchange(self, request: Request) -> Reply | BaseException:
        """Send *request* once and return its result; raises nothing, not even an interrupt."""
        try:
            if self._before_each is not None:
                self._before_each()
            known = self._pool if request.authorization else None
            return (known or self._pool_for(request)).send(request)
        except (Broken, requests.RequestException, HTTPError) as problem:
            connect, read = self.settings.connect_timeout, self.settings.read_timeout
            return failure(problem, request.host, connect=connect, read=read)
        except BaseException as problem:
            return connection.without_frames(problem)

    def _pool_for(self, request: Request) -> Pool:
        """The connections to the service, or to a signed address, which has its own pool."""
        with self._opening:
            if request.authorization:
                self._pool = self._pool or Pool(self._session, self.settings, self._address)
                return self._pool
            if request.origin not in self._elsewhere:
                self._elsewhere[request.origin] = Pool(new_session(self.settings), self.settings, request.origin)
            return self._elsewhere[request.origin]


def _last_outcome(state: tenacity.RetryCallState) -> Any:
    return state.outcome.result() if state.outcome else None
