"""One request, tried until it is answered: headers, pooling, status to error, retry. Only here is slept.

A request goes like this. The body is encoded once. Each try is one exchange, which *returns* what came of it:
a Reply, or an error that is not raised yet. An error that sending again can help is waited out, by the
service's Retry-After if it gave one, else by a growing random wait. What came of the last try is returned
or raised at the very end, where no frame of the network libraries, which hold the key in their locals,
hangs on it any more.
"""

import json as json_format
import logging
import random as randomness
import ssl
import threading
import time
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from numbers import Integral
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

import msgspec
import requests
import tenacity
from requests.adapters import HTTPAdapter
from urllib3 import BaseHTTPResponse, Timeout
from urllib3.exceptions import HTTPError, NewConnectionError, ProxyError
from urllib3.exceptions import TimeoutError as TimeoutError_

from svc_nb.errors import (
    BadReply,
    Closed,
    SettingsError,
    SvcError,
    TimedOut,
    Unreachable,
    Unsendable,
    Untrusted,
    from_reply,
    one_line,
)
from svc_nb.secret import Secret
from svc_nb.settings import Settings

# The part of its ceiling that every own wait takes at least, so that two tries never fall together.
LEAST_OF_WAIT = 0.2
HALF_A_PAIR = "A text holds half of a surrogate pair (U+D800 to U+DFFF), which UTF-8 cannot carry"

LOG = logging.getLogger(__name__)

Query = Mapping[str, str | int | Sequence[str] | None]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with a status of success; its repr shows neither texts nor headers."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)
    trace_id: str | None = None

    def json(self, decode: Callable[[bytes], Any] = msgspec.json.decode) -> Any:
        """Decode the body, or raise BadReply, also for half a surrogate pair, which nothing could keep."""
        try:
            return decode(self.content.removeprefix(BOM_UTF8))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
        raise self.bad(f"Expected JSON, found {self._nature()}")

    def text(self) -> str:
        """Decode the body as UTF-8 text, or raise BadReply."""
        try:
            return self.content.decode("utf-8")
        except UnicodeDecodeError:
            pass
        raise self.bad("Expected UTF-8 text, found other bytes")

    def bad(self, message: str) -> BadReply:
        """Return the error that says what is wrong with this answer."""
        return BadReply(message, status=self.status, trace_id=self.trace_id)

    def _nature(self) -> str:
        start = self.content.lstrip()[:1]
        if not start:
            return "an empty answer"
        return {b"<": "a web page", b"{": "broken JSON", b"[": "broken JSON"}.get(start, "something else")


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
        self._host = urlsplit(settings.address).netloc
        self._timeout = Timeout(connect=settings.connect_timeout, read=settings.read_timeout)
        self._session = _session(settings)
        self._line: _Line | None = None
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
        self._refuse_if_closed()
        body, content_type = _encoded(json, form)
        sent = {
            "Accept": accept,
            **({"Content-Type": content_type} if content_type else {}),
            **(headers or {}),
        }
        query = f"?{_urlencoded(params)}" if params else ""
        call = _Call(method, self._address + path + query, _sendable(sent), body, self._signature(admin))
        outcome = self._tried(call, self.settings.tries if tries is None else _counted(tries))
        if isinstance(outcome, Reply):
            return outcome
        raise outcome

    def close(self) -> None:
        """Close all connections; what is being answered is answered, but nothing is sent any more."""
        self._closed = True
        if self._line:
            self._line.close()
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

    def _signature(self, admin: bool) -> "_Signature":
        key = self.settings.administrator if admin else self.settings.api_key
        if key is None and admin:
            raise SettingsError("Administration needs an administrator key: set admin_key= or SVC_ADMIN_KEY.")
        if key is None:
            raise SettingsError("This operation needs a developer key: set api_key= or SVC_API_KEY.")
        return _Signature(self.settings.auth_scheme, key)

    def _tried(self, call: "_Call", tries: int) -> "Reply | BaseException":
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

    def _once(self, call: "_Call") -> "Reply | BaseException":
        outcome = self._exchange(call)
        if isinstance(outcome, SvcError):
            outcome.tries = 1
        return outcome

    def _sleep(self, seconds: float) -> None:
        self.sleep(seconds)
        self._refuse_if_closed()

    def _worth_retrying(self, outcome: "Reply | BaseException") -> bool:
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

    def _exchange(self, call: "_Call") -> "Reply | BaseException":
        """Send *call* once and return what came of it; raises nothing, not even an interrupt."""
        try:
            return self._outcome((self._line or self._opened()).send(call, self._timeout))
        except (requests.RequestException, HTTPError) as problem:
            return self._failure(problem)
        except BaseException as problem:
            return _bare(problem)

    def _opened(self) -> "_Line":
        with self._opening:
            self._line = self._line or _Line(self._session, self._address)
        return self._line

    def _outcome(self, response: BaseHTTPResponse) -> Reply | SvcError:
        if 200 <= response.status <= 299:
            trace_id = one_line(self._hide(response.headers.get("X-Trace-ID", ""))) or None
            return Reply(response.status, response.headers, response.data, trace_id)
        return from_reply(response.status, response.data, response.headers, hide=self._hide)

    def _failure(self, problem: Exception) -> SvcError:
        causes = list(_causes(problem))
        if any(_is_timeout(cause) for cause in causes):
            connect, read = self.settings.connect_timeout, self.settings.read_timeout
            return TimedOut(
                f"No answer from {self._host} within {connect:g} s to connect and {read:g} s to answer"
            )
        if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
            return Untrusted(f"{self._host} has no certificate that this machine trusts for it")
        if any(isinstance(cause, requests.exceptions.ProxyError | ProxyError) for cause in causes):
            return Unreachable(f"The proxy let nothing through to {self._host}")
        reasons = [cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror]
        return Unreachable(
            f"No answer from {self._host}", detail=reasons[-1] if reasons else "the connection broke"
        )

    def _hide(self, text: str) -> str:
        for key in (self.settings.api_key, self.settings.admin_key):
            text = key.hide(text) if key else text
        return text


class _Signature:
    """Puts the key on a request at the moment of sending."""

    def __init__(self, scheme: str, key: Secret) -> None:
        self._scheme = scheme
        self._key = key

    def sign(self, headers: Mapping[str, str]) -> dict[str, str]:
        """Return *headers* with the key among them."""
        return {**headers, "Authorization": f"{self._scheme} {self._key.reveal()}"}


@dataclass(frozen=True, slots=True)
class _Call:
    """One request, encoded and ready to be sent any number of times."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = field(repr=False)
    signature: _Signature = field(repr=False)


class _Line:
    """The way to one address: `requests` finds out the proxy and the certificates, its connections do the rest.

    Handing every request to `requests` itself would double what sending it costs. So there are no cookies, no
    redirects and no ~/.netrc either.
    """

    def __init__(self, session: requests.Session, address: str) -> None:
        asked = requests.Request("POST", address).prepare()
        means = session.merge_environment_settings(address, {}, False, None, None)
        adapter = session.get_adapter(address)
        if not isinstance(adapter, HTTPAdapter):
            raise TypeError("expected an HTTPAdapter")
        self._pool: Any = adapter.get_connection_with_tls_context(
            asked, verify=means["verify"], proxies=means["proxies"], cert=means["cert"]
        )
        # Through a proxy and without TLS, the proxy needs to be told the host.
        whole = adapter.request_url(asked, means["proxies"]).startswith("http")
        parts = urlsplit(address)
        self._skip = 0 if whole else len(f"{parts.scheme}://{parts.netloc}")
        self._headers = {"User-Agent": f"svc-nb/{version()}", "Accept-Encoding": "gzip, deflate"}

    def send(self, call: "_Call", timeout: Timeout) -> BaseHTTPResponse:
        """Send *call* once and return its answer, read to the end."""
        answer: BaseHTTPResponse = self._pool.urlopen(
            call.method,
            call.url[self._skip :],
            body=call.body,
            headers=call.signature.sign({**self._headers, **call.headers}),
            retries=False,
            redirect=False,
            assert_same_host=False,
            timeout=timeout,
        )
        return answer

    def close(self) -> None:
        """Close the connections that are idle; the others close when they are answered."""
        self._pool.close()


def _session(settings: Settings) -> requests.Session:
    session = requests.Session()
    adapter = HTTPAdapter(pool_connections=1, pool_maxsize=settings.pool_size, pool_block=True, max_retries=0)
    for scheme in ("http://", "https://"):
        session.mount(scheme, adapter)
    # A proxy cannot reach this machine's own loopback.
    session.trust_env = not settings.is_loopback
    return session


def version() -> str:
    """The version of this package that is installed."""
    try:
        return metadata.version("svc-nb")
    except metadata.PackageNotFoundError:
        return "unknown"


def _counted(tries: int) -> int:
    if isinstance(tries, bool) or not isinstance(tries, Integral):
        raise TypeError(f"tries: expected a whole number, found {type(tries).__name__}")
    if tries < 1:
        raise ValueError(f"tries: expected 1 or more, found {tries}")
    return tries


def _encoded(json: object, form: Query | None) -> tuple[bytes | None, str | None]:
    """The body as it is sent, with its content type; not ASCII-escaped, because the limits are in bytes."""
    if form is not None:
        return _urlencoded(form).encode("ascii"), "application/x-www-form-urlencoded"
    if json is None:
        return None, None
    text = json_format.dumps(json, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode("utf-8"), "application/json"
    except UnicodeEncodeError:
        pass
    raise Unsendable(HALF_A_PAIR)


def _urlencoded(query: Query) -> str:
    try:
        return urlencode(list(_pairs(query)))
    except UnicodeEncodeError:
        pass
    raise Unsendable(HALF_A_PAIR)


def _pairs(query: Query) -> Iterator[tuple[str, str | int]]:
    for name, value in query.items():
        if isinstance(value, bool):
            yield name, str(value).lower()
        elif isinstance(value, str | int):
            yield name, value
        else:
            yield from ((name, each) for each in value or ())


def _sendable(headers: Mapping[str, str]) -> Mapping[str, str]:
    for name, value in headers.items():
        if not (value.isprintable() and value.isascii() and value == value.strip()):
            raise Unsendable(f"The header {name} can only hold printable ASCII characters")
    return headers


def _last_outcome(state: tenacity.RetryCallState) -> Any:
    return state.outcome.result() if state.outcome else None


def _causes(problem: BaseException) -> Iterator[BaseException]:
    """Yield *problem* and what it was made from, outermost first; requests hides causes in its arguments."""
    seen: set[int] = set()
    waiting: list[Any] = [problem]
    while waiting:
        cause = waiting.pop(0)
        if isinstance(cause, BaseException) and id(cause) not in seen:
            seen.add(id(cause))
            yield cause
            waiting += [*cause.args, getattr(cause, "reason", None), cause.__cause__, cause.__context__]


def _is_timeout(cause: BaseException) -> bool:
    # A connection that could not be made counts among urllib3's time-outs, whatever kept it from being made.
    timed_out = isinstance(cause, requests.Timeout | TimeoutError_)
    return timed_out and not isinstance(cause, NewConnectionError)


def _bare(problem: BaseException) -> BaseException:
    """Return *problem* without the frames and causes it comes from, because their locals hold the key."""
    problem.__cause__ = problem.__context__ = None
    return problem.with_traceback(None)
