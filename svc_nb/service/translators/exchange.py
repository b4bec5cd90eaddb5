"""One question to a service that someone runs, and its answer in JSON: bounded in time and size, tried again.

What passes (429, 5xx, a broken connection) is tried again for some seconds. What concerns the texts of a question is
`Rejected`, what concerns the service TranslatorFailed; both have a message for people, without keys. No redirect is
followed, no cookie kept; netrc has no say, and a proxy only where the service is on another machine.
"""

import json
import os
import re
import threading
import time
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import urlsplit

import requests
import tenacity
import urllib3
from requests.adapters import HTTPAdapter

from . import TranslatorBusy, TranslatorFailed
from .address import Address

CONNECT_SECONDS = 5.0
TRIES = 4
RETRY_SECONDS = 20.0  # no try begins much later
LONGEST_WAIT = 8.0
LARGEST = 8 << 20
PIECE = 1 << 16
ABOUT_THE_TEXTS = (400, 413, 422)
PASSING = (429, 500, 502, 503, 504, 529)
LONGEST_QUOTE = 200


class Rejected(Exception):
    """The service refused this question, and may take others; the message says why."""


class _Passing(Exception):
    """What may have passed at the next try: *problem* is for people, *after* how long the service wants to be left."""

    def __init__(self, problem: str, *, status: int = 0, after: float = 0.0) -> None:
        super().__init__(problem)
        self.status = status
        self.after = after


class Exchange:
    """What asks the service at *address*, which people know as *title*; all methods may be called from any thread."""

    def __init__(self, address: Address, title: str, auth: requests.auth.AuthBase | None, *, connections: int) -> None:
        self._address = address
        self._title = title
        self._auth = auth
        self._closed = threading.Event()
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        adapter = HTTPAdapter(pool_maxsize=connections, max_retries=0)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)
        self._session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True
        if not address.is_loopback:
            self._session.proxies.update(requests.utils.get_environ_proxies(address.url))

    def get(self, path: str, *, timeout: float) -> Any:
        """The answer to a GET."""
        return self._ask("GET", path, None, timeout)

    def post(self, path: str, body: Any) -> Any:
        """The answer to a POST of *body* as JSON."""
        return self._ask("POST", path, json.dumps(body, ensure_ascii=False).encode(), self._address.timeout)

    def close(self) -> None:
        """Try nothing again, and close the connections that are free."""
        self._closed.set()
        self._session.close()

    def _ask(self, method: str, path: str, body: bytes | None, timeout: float) -> Any:
        retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(TRIES)
            | tenacity.stop_after_delay(RETRY_SECONDS)
            | tenacity.stop_when_event_set(self._closed),
            wait=_wait,
            retry=tenacity.retry_if_exception_type(_Passing),
            sleep=tenacity.sleep_using_event(self._closed),
            reraise=True,
        )
        try:
            return retrying(self._try, method, path, body, timeout)
        except _Passing as passing:
            if passing.status == HTTPStatus.TOO_MANY_REQUESTS:
                raise TranslatorBusy(f"{self._title} takes no more requests at the moment.") from None
            raise TranslatorFailed(f"{self._title} {passing}") from None

    def _try(self, method: str, path: str, body: bytes | None, timeout: float) -> Any:
        due = time.monotonic() + timeout
        try:
            with self._session.request(
                method,
                f"{self._address.url}{path}",
                data=body,
                headers={"Accept": "application/json", "Content-Type": "application/json"},
                auth=self._auth,
                timeout=(CONNECT_SECONDS, timeout),
                allow_redirects=False,
                stream=True,
            ) as response:
                content = self._read(response, due)
        except requests.exceptions.ConnectTimeout:
            raise _Passing(
                f"took no connection within {CONNECT_SECONDS:g} s. Start it, or check its address."
            ) from None
        except (requests.exceptions.Timeout, urllib3.exceptions.ReadTimeoutError):
            raise self._failed(
                f"did not answer within {timeout:g} s. Check that it works, or allow more time: ?timeout=300."
            ) from None
        except requests.exceptions.SSLError:
            raise self._failed("could not prove that it is the host of its address. Check its certificate.") from None
        except requests.exceptions.ProxyError:
            raise self._failed("cannot be reached through the proxy. Check the proxy settings.") from None
        except requests.exceptions.ConnectionError as error:
            refused = isinstance(
                getattr(next(iter(error.args), None), "reason", None), urllib3.exceptions.NewConnectionError
            )
            problem = "cannot be reached" if refused else "broke the connection off before it had answered"
            raise _Passing(f"{problem}. Start it, or check its address.") from None
        except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, OSError):
            raise _Passing("broke off before it had answered. Check that it works.") from None
        return self._answer(response, content)

    def _read(self, response: requests.Response, due: float) -> bytes:
        content = bytearray()
        while piece := response.raw.read1(PIECE, decode_content=True):
            content += piece
            if len(content) > LARGEST:
                raise self._failed(f"sent an answer of more than {LARGEST >> 20} MiB. Check its address.")
            if time.monotonic() > due:
                raise requests.exceptions.ReadTimeout
        return bytes(content)

    def _answer(self, response: requests.Response, content: bytes) -> Any:
        status = response.status_code
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            answer = None
        said = self._quoted(answer)
        if 200 <= status < 300:
            if answer is not None:
                return answer
            if content.lstrip()[:1] == b"<":
                raise self._failed(
                    "answered with a web page, not with JSON. Check its address, and any proxy before it."
                )
            raise self._failed("answered with something that is not JSON. Check its address.")
        if 300 <= status < 400:
            host = urlsplit(response.headers.get("location", "")).hostname or "another path"
            raise self._failed(f"redirects to {self._hidden(host)}. Name the address that answers itself.")
        if status in (401, 403):
            advice = (
                "Check the key." if self._address.key else "If it wants a key, name the variable with it: ?key=NAME."
            )
            raise self._failed(f"did not accept the request ({status}{said}). {advice}")
        if status in PASSING:
            after = _seconds(response.headers.get("retry-after", ""))
            raise _Passing(
                f"cannot translate at the moment ({status}{said}). Check that it works.", status=status, after=after
            )
        if status in ABOUT_THE_TEXTS:
            raise Rejected(f"refused the request ({status}{said})")
        raise self._failed(f"does not know the request ({status}{said}). Check its address.")

    def _failed(self, problem: str) -> TranslatorFailed:
        return TranslatorFailed(f"{self._title} {problem}")

    def _quoted(self, answer: Any) -> str:
        """What an error's body says, in one line; the two kinds of service put it into `error`."""
        error = answer.get("error") if isinstance(answer, dict) else None
        said = error.get("message") if isinstance(error, dict) else error
        if not isinstance(said, str):
            return ""
        # Hidden before it is cut, so that no part of an echoed key is left.
        line = " ".join("".join(each if each.isprintable() else " " for each in self._hidden(said)).split()).rstrip(".")
        return f": {line[:LONGEST_QUOTE]}" if line else ""

    def _hidden(self, text: str) -> str:
        return self._address.key.hide(text) if self._address.key else text


class Bearer(requests.auth.AuthBase):
    """Signs requests with the key of an address, as a chat service wants it."""

    def __init__(self, address: Address) -> None:
        self._key = address.key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Add the header."""
        if self._key is not None:
            request.headers["Authorization"] = f"Bearer {self._key.reveal()}"
        return request


class KeyInBody(requests.auth.AuthBase):
    """Signs requests with the key of an address, as LibreTranslate wants it: in the body."""

    def __init__(self, address: Address) -> None:
        self._key = address.key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Add `api_key` to the body."""
        if self._key is not None and isinstance(request.body, bytes):
            request.body = json.dumps({**json.loads(request.body), "api_key": self._key.reveal()}).encode()
        return request


def _wait(state: tenacity.RetryCallState) -> float:
    """A wait that doubles, or as long as the service asks, within bounds."""
    problem = state.outcome.exception() if state.outcome else None
    asked = problem.after if isinstance(problem, _Passing) else 0.0
    return min(LONGEST_WAIT, max(asked, tenacity.wait_random_exponential(0.5, max=LONGEST_WAIT)(state)))


def _seconds(header: str) -> float:
    """What a Retry-After asks for; 0 where it says nothing that can be read."""
    if re.fullmatch(r"\d{1,6}", header.strip()):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return 0.0
