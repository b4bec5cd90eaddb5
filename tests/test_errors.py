import copy
import inspect
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb import errors

ALL = [each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, errors.SvcError)]
BY_STATUS = {
    400: errors.BadRequest,
    401: errors.NotAuthenticated,
    402: errors.ApiError,
    403: errors.Forbidden,
    404: errors.NotFound,
    409: errors.ApiError,
    413: errors.TooLarge,
    414: errors.ApiError,
    415: errors.UnsupportedMedia,
    429: errors.TooManyRequests,
    456: errors.QuotaExceeded,
    500: errors.ServerError,
    502: errors.ServerError,
    503: errors.Unavailable,
    504: errors.ServerError,
    529: errors.Overloaded,
    599: errors.ServerError,
}
BODIES = {
    "empty": b"",
    "a page": b"<html><head><title>Bad\n Gateway &amp; more</title></head><body>" + b"x" * 100_000,
    "a page without a title": b"<!doctype html><p>no",
    "a list": b"[1, 2]",
    "a string": b'"no"',
    "null": b"null",
    "other members": b'{"error": 1}',
    "wrong types": b'{"message": [1], "detail": {"a": 1}, "code": 7}',
    "cut": b'{"message": "Quo',
    "no UTF-8": b"\xff\xfe\x00caf\xe9",
    "deeply nested": b"[" * 100_000,
    "a huge number": b"1" * 10_000,
}


def full(kind=errors.Forbidden):
    return kind("No", status=403, code="c", detail="Missing scope", trace_id="t-1", retry_after=2.0, tries=1)


@pytest.mark.parametrize("status", BY_STATUS)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_every_status_has_its_class_whatever_the_body(status, body):
    error = errors.from_reply(status, body, {"X-Trace-ID": "t-1"})
    assert type(error) is BY_STATUS[status]
    assert (error.status, error.trace_id) == (status, "t-1")
    assert error.message
    assert len(error.message) <= 200
    assert "\n" not in str(error)


def test_only_refusals_that_pass_are_retryable():
    retryable = {status for status in BY_STATUS if errors.from_reply(status, b"", {}).retryable}
    assert retryable == {429, 500, 502, 503, 504, 529, 599}
    assert errors.Unreachable.retryable
    assert errors.NotConnected.retryable
    assert errors.TimedOut.retryable
    nothing_sent = [errors.SettingsError, errors.Closed, errors.Unsendable, errors.Untrusted]
    assert not any(kind.retryable for kind in [*nothing_sent, errors.Redirected, errors.BadReply])


def test_the_contracts_body_is_taken_apart():
    body = {
        "message": "Invalid glossary entries provided",
        "detail": "Key with the index 1",
        "code": "bad_entries",
    }
    error = errors.from_reply(400, json.dumps(body).encode(), {"x-trace-id": "abc"})
    assert (error.message, error.detail, error.code) == (body["message"], body["detail"], body["code"])
    assert error.trace_id == "abc"


def test_a_proxys_page_gives_its_title_as_plain_text():
    error = errors.from_reply(502, BODIES["a page"], {})
    assert error.message == "Bad Gateway & more"


@pytest.mark.parametrize("body", [b"", b"<p>hello", b"[]", b'{"message": ""}', b'{"message": "Quo', b"\xff"])
def test_a_body_that_says_nothing_leaves_the_statuss_own_words(body):
    assert errors.from_reply(404, body, {}).message == "Not Found"
    assert errors.from_reply(456, body, {}).message == "Quota exceeded"
    assert errors.from_reply(529, body, {}).message == "Overloaded"
    assert errors.from_reply(499, body, {}).message == "Refused"


def test_a_plain_text_body_is_the_message():
    assert errors.from_reply(400, b"Das ist\r\nfalsch", {}).message == "Das ist falsch"


def test_the_text_is_one_helpful_line():
    assert str(full()) == (
        "403 No: Missing scope [c] (asked to wait 2 s) (trace t-1). Use a key whose scopes and plan cover "
        "this operation, on the host that belongs to the key."
    )
    assert str(errors.SettingsError("Set it.")) == "Set it"


def test_several_tries_are_told_and_one_is_not():
    assert str(errors.Overloaded("No", status=529, code="c", trace_id="t", tries=5)).startswith(
        "529 No [c] after 5 tries (trace t). Try again later"
    )
    assert str(errors.Overloaded("No", tries=1)) == str(errors.Overloaded("No"))


def test_control_characters_of_a_reply_do_not_reach_the_screen():
    error = errors.from_reply(400, json.dumps({"message": "a\x1b[31mb\u202ec\ud800"}).encode(), {})
    assert error.message == "a [31mb c"


@pytest.mark.parametrize("kind", ALL)
def test_every_error_carries_everything_and_survives_pickle_and_copy(kind):
    for same in (pickle.loads(pickle.dumps(full(kind))), copy.copy(full(kind)), copy.deepcopy(full(kind))):
        assert type(same) is kind
        assert (same.status, same.message, same.code) == (403, "No", "c")
        assert (same.detail, same.trace_id) == ("Missing scope", "t-1")
        assert (same.retry_after, same.tries) == (2.0, 1)
        assert str(same) == str(full(kind))
    bare = kind("No")
    assert {name for name, value in vars(bare).items() if value not in (None, [])} == {"message"}


def test_every_class_of_the_tree_is_drawn_in_the_docstring():
    assert all(kind.__name__ in errors.__doc__ for kind in ALL)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_names_the_host_it_points_to_and_nothing_more(status):
    error = errors.from_reply(status, b"", {"Location": "https://user:pw@evil.example/path?key=1"})
    assert type(error) is errors.Redirected
    assert error.message == "The answer is a redirect to evil.example"


@pytest.mark.parametrize("location", ["", "/v2/other", "http://[", "//"])
def test_a_redirect_to_nowhere_is_one_all_the_same(location):
    assert type(errors.from_reply(302, b"", {"Location": location})) is errors.Redirected


def test_a_status_outside_of_http_is_a_bad_reply():
    assert type(errors.from_reply(199, b"", {})) is errors.BadReply
    assert type(errors.from_reply(999, b"", {})) is errors.BadReply


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("3", 3.0),
        (" 3 ", 3.0),
        ("0", 0.0),
        ("1.5", 1.5),
        ("Sun, 01 Nov 2026 00:00:30 GMT", 30.0),
        ("Sun, 01 Nov 2026 00:00:30 -0000", 30.0),
        ("Sat, 31 Oct 2026 00:00:00 GMT", 0.0),
        ("-3", None),
        ("soon", None),
        ("", None),
        ("9" * 5000, None),
        ("٣", None),
        ("nan", None),
        ("1e9", None),
    ],
)
def test_retry_after_is_read_as_a_number_or_a_date(said, seconds):
    headers = {"Retry-After": said, "Date": "Sun, 01 Nov 2026 00:00:00 GMT"}
    assert errors.from_reply(429, b"", headers).retry_after == seconds


def test_a_date_is_taken_by_the_own_clock_when_the_reply_has_none():
    far = errors.from_reply(429, b"", {"Retry-After": "Sun, 01 Nov 2099 00:00:00 GMT"})
    assert far.retry_after > 1_000_000


def test_what_is_to_be_hidden_is_hidden_before_anything_is_cut():
    key = "k" * 40
    for body in (f"{'x ' * 85}{key}", f"<title>{'x ' * 85}{key}", json.dumps({"message": "x " * 85 + key})):
        error = errors.from_reply(400, body.encode(), {}, hide=lambda text: text.replace(key, "****"))
        assert "kk" not in error.message
    late = f"{' ' * (errors.LOOK_INTO - 20)}{key}"
    assert "kk" not in errors.from_reply(400, late.encode(), {}, hide=lambda text: text.replace(key, "*")).message


@given(st.integers(100, 999), st.binary(max_size=300), st.text(max_size=50))
def test_no_reply_breaks_the_reading_of_errors(status, body, header):
    headers = {"Retry-After": header, "Location": header, "X-Trace-ID": header, "Date": header}
    error = errors.from_reply(status, body, headers)
    assert "\n" not in str(error)
    assert error.retry_after is None or error.retry_after >= 0
