"""Everything that can go wrong, as one tree; an asterisk marks the classes for which a retry can help.

    SvcError
    ├── SettingsError             nothing was sent: a setting is missing or wrong
    ├── Closed                    nothing was sent: the session is closed
    ├── Unsendable                nothing was sent: a text or header cannot be encoded in a request; a ValueError
    ├── UnknownLanguage           nothing was sent: the service has no such language; a ValueError
    ├── NoSuchColumn              nothing was sent: a table has no column, or several, with a name; a KeyError
    ├── InvalidRows               nothing was sent: rows of a table break the service's rules; a ValueError
    ├── StoreError                the local store of answers could not be read or written
    ├── RowsFailed                some rows of a column failed; the others are done and kept
    │   └── DocumentsFailed       some documents were not translated; the others were
    ├── Unreachable           *   no connection, or it broke before the answer was complete
    │   ├── NotConnected      *   the request was not sent: nothing accepted the connection
    │   └── Untrusted             nothing was sent: the host could not prove who it is
    ├── TimedOut              *   no answer within the time allowed
    ├── Redirected                3xx: refused, never followed, so that the key stays with its host
    ├── BadReply                  answered with success, but not as the contract says
    └── ApiError                  the service refused: any 4xx without a class of its own
        ├── BadRequest            400
        ├── NotAuthenticated      401
        ├── Forbidden             403
        ├── NotFound              404
        ├── TooLarge              413
        ├── UnsupportedMedia      415
        ├── TooManyRequests   *   429
        ├── QuotaExceeded         456
        └── ServerError       *   500 and any 5xx without a class of its own
            ├── Unavailable   *   503
            └── Overloaded    *   529

Every error has `status`, `message`, `code`, `detail`, `trace_id`, `retry_after`, `retry_at` (when that time is over)
and `tries` (how often the request was sent), each None if unknown. It can be pickled and copied. Its text is one line.
"""

import json
import re
import sys
import unicodedata
import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from html import unescape
from http import HTTPStatus
from typing import Any, ClassVar
from urllib.parse import urlsplit

from svc_nb.advice import Advice, Call, InPython, Setting, did_you_mean
from svc_nb.tracebacks import render

LONGEST_LINE = 200
MINUTE = 60.0
# A page's title is near its top; searching further only costs time.
LOOK_INTO = 8192


class SvcError(Exception):
    """Something that svc_nb could not do."""

    retryable: ClassVar[bool] = False
    advice: ClassVar[str | Advice | InPython] = ""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        detail: str | None = None,
        trace_id: str | None = None,
        retry_after: float | None = None,
        tries: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.detail = detail
        self.trace_id = trace_id
        self.retry_after = retry_after
        self.retry_at = None if retry_after is None else _from_now(retry_after)
        self.tries = tries

    def __str__(self) -> str:
        said = [str(part).rstrip(".: ") for part in (self.message, self.detail) if part]
        line = " ".join(filter(None, [str(self.status or ""), ": ".join(said)]))
        if self.code:
            line += f" [{self.code}]"
        if self.tries is not None and self.tries > 1:
            line += f" after {self.tries} tries"
        if self.retry_after is not None:
            until = f", until {self.retry_at:%Y-%m-%d %H:%M} UTC" if self.retry_at and self.retry_after > MINUTE else ""
            line += f" (asked to wait {self.retry_after:g} s{until})"
        if self.trace_id:
            line += f" (trace {self.trace_id})"
        advice = str(self.advice)
        return one_line(f"{line}. {advice}" if advice else line, limit=1000)

    def _render_traceback_(self) -> list[str]:
        """What IPython shows instead of a traceback."""
        return render(self)


class SettingsError(SvcError):
    """Nothing was sent: a setting is missing or wrong. The text says which one, and what to do."""


class Closed(SvcError):
    """Nothing was sent: the session is closed, or its embedded service has ended and cannot be restarted."""


class Unsendable(SvcError, ValueError):
    """Nothing was sent: a text or a header contains characters that cannot be sent in a request."""

    advice = "Clean it and send it again."


class UnknownLanguage(SvcError, ValueError):
    """Nothing was sent: the given language does not exist, or the service does not have it.

    `field` is the parameter, `given` its value, and `meant` the codes that may be meant, best first.
    """

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        given: str | None = None,
        meant: Sequence[str] = (),
        **rest: Any,
    ) -> None:
        super().__init__(message, **rest)
        self.field = field
        self.given = given
        self.meant = list(meant)

    @property
    def advice(self) -> str:  # type: ignore[override]
        """What to do: use one of the codes that may be meant, or look at the whole list."""
        *others, last = self.meant or [f"{Call('languages')} lists the codes."]
        codes = f"{', '.join(others)} or {last}" if others else last
        return f"Did you mean {codes}?" if self.meant else last


class NoSuchColumn(SvcError, KeyError):
    """Nothing was sent: a table has no column, or several, with the given name; a KeyError."""


class InvalidRows(SvcError, ValueError):
    """Nothing was changed: rows of a table break a rule of the service, or cannot be written to a file.

    `rows` are their labels. `findings`, if present, is a table that says what is wrong with each row.
    """

    def __init__(self, message: str, *, rows: Sequence[Any] = (), findings: Any = None, **rest: Any) -> None:
        super().__init__(message, **rest)
        self.rows = list(rows)
        self.findings = findings


class StoreError(SvcError):
    """The local store of answers could not be read or written; the text names the file and says what to do."""


class RowsFailed(SvcError):
    """Some rows of a column failed. All others are done, and every paid answer is kept."""

    advice = InPython('See svc_nb.last_run().table(), or pass errors="coerce" to get missing values in their place.')


class DocumentsFailed(RowsFailed):
    """Some documents were not translated; all others were. `table` has the outcome of each."""

    advice = InPython('See the error\'s .table, or pass errors="coerce" to get that table instead of this error.')

    def __init__(self, message: str, *, table: Any = None, **rest: Any) -> None:
        super().__init__(message, **rest)
        self.table = table


class Unfinished(UserWarning):
    """A run ended before all rows were sent: the budget was spent, or it was cancelled. Finished rows are kept."""


class NotInLedger(UserWarning):
    """Some billed characters are missing from the ledger, because the store could not be written."""


class NoLocks(UserWarning):
    """The store is on a file system without locks, so only one process at a time can use it."""


class NotStored(UserWarning):
    """Paid answers could not be written to the store, and will be paid for again."""


class LeftBehind(UserWarning):
    """Something that was created on the service for a single run could not be removed from it."""


def warn(warning: Warning) -> None:
    """Warn, pointing to the caller's line outside this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "svc_nb":
        frame, level = frame.f_back, level + 1
    warnings.warn(warning, stacklevel=level)


class Unreachable(SvcError):
    """There was no connection, or it broke before the answer was complete."""

    retryable = True
    advice = "Check the address, the network and the proxy settings."


class NotConnected(Unreachable):
    """Nothing accepted the connection, so the request was not sent."""

    advice = "This request was not sent. Check the address, the network and the proxy settings."


class Untrusted(Unreachable):
    """The host could not prove that it is the one named in the address."""

    retryable = False
    advice = "Nothing was sent. Check the address and the machine's certificates."


class TimedOut(SvcError):
    """No answer came within the time allowed."""

    retryable = True
    advice = Advice("Try again, or allow more time ({}).", Setting("read_timeout", "SVC_TIMEOUT"))


class Redirected(SvcError):
    """The address redirects elsewhere; a redirect is never followed, so that the key stays with its host."""

    advice = Advice("Set {} to an address that answers without a redirect.", Setting("base_url"))


class BadReply(SvcError):
    """The service answered with success, but not as the contract says."""

    advice = Advice("Check the address ({}): a proxy or another service may be answering.", Setting("base_url"))


class ApiError(SvcError):
    """The service refused the request."""

    advice: ClassVar[str | Advice | InPython] = "Correct the request; a retry cannot help."


class BadRequest(ApiError):
    """400: the request is invalid or malformed."""


class NotAuthenticated(ApiError):
    """401: the key was not accepted."""

    advice = Advice("Check the key ({}) and the scheme word ({}).", Setting("api_key"), Setting("auth_scheme"))


class Forbidden(ApiError):
    """403: the key is unknown, or its scopes or its plan do not cover the operation."""

    advice = "Use a key whose scopes and plan cover this operation, on the host that belongs to the key."


class NotFound(ApiError):
    """404: there is no resource with this id or address."""

    advice = "Check the id and the address."


class TooLarge(ApiError):
    """413: the request is larger than the service accepts."""

    advice = "Send fewer or shorter texts per request."


class UnsupportedMedia(ApiError):
    """415: the service does not accept or produce this content type."""


class TooManyRequests(ApiError):
    """429: too many requests at once."""

    retryable = True
    advice = "Wait a little, then try again with fewer requests at once."


class QuotaExceeded(ApiError):
    """456: the account's quota or the key's cap is spent."""

    advice = "Raise the quota or the key's cap, or wait for the next period."


class ServerError(ApiError):
    """500, 504 and the like: the service failed."""

    retryable = True
    advice = "Try again later; if it keeps failing, tell the provider the trace id."


class Unavailable(ServerError):
    """503: the service is temporarily unavailable."""


class Overloaded(ServerError):
    """529: the service is overloaded."""


BY_STATUS: Mapping[int, type[ApiError]] = {
    400: BadRequest,
    401: NotAuthenticated,
    403: Forbidden,
    404: NotFound,
    413: TooLarge,
    415: UnsupportedMedia,
    429: TooManyRequests,
    456: QuotaExceeded,
    503: Unavailable,
    529: Overloaded,
}


def from_reply(status: int, body: bytes, headers: Mapping[str, str], *, hide: Callable[[str], str] = str) -> SvcError:
    """Return, but do not raise, the error for a reply outside 2xx."""
    names = {name.lower(): value for name, value in headers.items()}

    def clean(value: object) -> str | None:
        # Hidden before it is shortened, so that no part of an echoed key gets through.
        text = value if isinstance(value, str) else json.dumps(value) if value else ""
        return one_line(hide(text)) or None

    trace_id = clean(names.get("x-trace-id"))
    if not 400 <= status <= 599:
        known: dict[str, Any] = {"status": status, "trace_id": trace_id}
        if not 300 <= status <= 399:
            return BadReply("The answer has an unknown status", **known)
        host = clean(_host(names.get("location")))
        return Redirected(f"The answer is a redirect to {host or 'nowhere'}", **known)
    said = _said(body, hide)
    kind = BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
    return kind(
        clean(said.get("message")) or _phrase(status),
        status=status,
        code=clean(said.get("code")),
        detail=clean(said.get("detail")),
        trace_id=trace_id,
        retry_after=_retry_after(names),
    )


def one_line(text: str, *, limit: int = LONGEST_LINE) -> str:
    """*text* as one printable line of at most *limit* characters."""
    if not (text.isascii() and text.isprintable()):  # the usual case
        text = "".join(" " if unicodedata.category(letter)[0] == "C" else letter for letter in text)
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def column_error(name: object, columns: Sequence[object]) -> NoSuchColumn:
    """The error for a *name* that none of *columns* has, or several."""
    found = sum(other is name or other == name for other in columns)
    if found:
        return NoSuchColumn(f"{found} columns are called {name!r}. Rename them first, so that each name is unique.")
    return NoSuchColumn(f"there is no column {name!r}. {did_you_mean(name, columns)}")


def _phrase(status: int) -> str:
    own = {456: "Quota exceeded", 529: "Overloaded"}
    try:
        return own.get(status) or HTTPStatus(status).phrase
    except ValueError:
        return "Refused"


def _host(location: str | None) -> str | None:
    try:
        return urlsplit(location).hostname or "another path of the same host" if location else None
    except ValueError:
        return None


def _said(body: bytes, hide: Callable[[str], str]) -> dict[str, Any]:
    """The parts of an error's body, named as in the contract: message, code, detail."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        # Hidden before it is cut, or half a key could remain at the end.
        return {"message": _plain(hide(body.decode("utf-8", "replace"))[:LOOK_INTO])}
    return said if isinstance(said, dict) else {}


def _plain(text: str) -> str:
    """The title of a page, or the text itself if it is neither a page nor broken JSON."""
    title = re.search(r"<title[^<>]*>([^<]*)", text, re.IGNORECASE)
    if title:
        return unescape(title[1])
    return "" if text.lstrip()[:1] in {"<", "{", "["} or "\N{REPLACEMENT CHARACTER}" in text else text


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from the header's number or date; None if it has no usable value."""
    said = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", said, re.ASCII):
        return float(said)
    then, now = _moment(said), _moment(headers.get("date", "")) or datetime.now(UTC)
    return max(0.0, (then - now).total_seconds()) if then else None


def _from_now(seconds: float) -> datetime | None:
    try:
        return datetime.now(UTC) + timedelta(seconds=seconds)
    except OverflowError:
        return None


def _moment(said: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(said)
    except (ValueError, TypeError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
