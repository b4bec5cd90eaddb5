"""What the service says when it cannot do what was asked: a status and a JSON body, never a traceback."""

import re
from collections.abc import Mapping

import msgspec

UUID_FORM = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
STATUS_PHRASES = {
    400: "Bad request",
    401: "Not authenticated",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    413: "Request too large",
    415: "Unsupported media type",
    429: "Too many requests",
    456: "Quota for this billing period has been exceeded.",
    500: "Internal server error.",
    501: "Not implemented",
    503: "Service unavailable",
    529: "Service overloaded",
}


class ProblemBody(msgspec.Struct, omit_defaults=True):
    """The body of every error answer."""

    message: str
    code: str | None = None
    detail: str | None = None


class Problem(Exception):
    """Raised anywhere below an operation; becomes the answer."""

    def __init__(
        self,
        status: int,
        message: str | None = None,
        *,
        code: str | None = None,
        detail: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status = status
        self.headers = headers
        self.body = ProblemBody(message or STATUS_PHRASES[status], code, detail)
        super().__init__(status, self.body.message)


def bad_request(message: str, *, detail: str | None = None) -> Problem:
    """A 400: the caller has to change something."""
    return Problem(400, message, detail=detail)


def unsupported(name: str, detail: str | None = None) -> Problem:
    """A 400: the parameter *name* has a value that is not taken."""
    return bad_request(f"Value for '{name}' not supported.", detail=detail)


def check_id(name: str, value: str) -> None:
    """Raise 400 if it is not an id."""
    if not UUID_FORM.fullmatch(value):
        raise unsupported(name, "An id is a UUID.")


def not_found(message: str) -> Problem:
    """A 404: nothing here has that id."""
    return Problem(404, message)
