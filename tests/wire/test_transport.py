import logging
import signal
import socket
import ssl
import threading
from importlib.metadata import version

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

from svc_nb import errors
from svc_nb.settings import Secret, Settings
from svc_nb.wire.transport import Transport

RETRIED = [429, 500, 502, 503, 504, 529]
NEVER_RETRIED = [400, 401, 403, 404, 409, 413, 415, 456]


# ---- what is sent


def test_a_request_carries_key_agent_and_utf8_json(scripted, transport):
    reply = transport().request("POST", "/v2/translate", json={"text": ["Grüße, 世界 🙂"], "n": 1})
    (asked,) = scripted.asked
    assert (asked.method, asked.target) == ("POST", "/v2/translate")
    assert asked.body == '{"text":["Grüße, 世界 🙂"],"n":1}'.encode()
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["authorization"] == f"Service-Auth-Key {scripted.KEY}"
    assert asked.headers["user-agent"] == f"svc-nb/{version('svc-nb')}"
    assert asked.headers["accept"] == "application/json"
    assert (reply.status, reply.trace_id, reply.json()) == (200, "trace-1", {})


def test_the_scheme_word_and_the_path_prefix_are_settings(scripted, transport):
    transport(base_url=f"{scripted.base_url}/a/b/", auth_scheme="Other-Word").request("GET", "/v2/usage")
    assert scripted.asked[0].target == "/a/b/v2/usage"
    assert scripted.asked[0].headers["authorization"] == f"Other-Word {scripted.KEY}"


def test_a_request_without_a_body_has_no_content_type(scripted, transport):
    transport().request("GET", "/v2/usage")
    assert "content-type" not in scripted.asked[0].headers


def test_a_query_and_a_form_are_encoded(scripted, transport):
    query = {"a": "ä &", "b": None, "c": ["x", "y"], "d": 3, "e": True}
    transport().request("GET", "/x", params=query)
    transport().request("POST", "/x", form=query)
    assert scripted.asked[0].target == "/x?a=%C3%A4+%26&c=x&c=y&d=3&e=true"
    assert scripted.asked[1].body == b"a=%C3%A4+%26&c=x&c=y&d=3&e=true"
    assert scripted.asked[1].headers["content-type"] == "application/x-www-form-urlencoded"


def test_administration_is_signed_with_the_administrators_key(scripted, transport):
    transport().request("GET", "/v2/admin/developer-keys", admin=True)
    assert scripted.asked[0].headers["authorization"] == f"Service-Auth-Key {scripted.ADMIN_KEY}"


def test_a_missing_key_is_told_before_anything_is_sent(scripted, transport):
    with pytest.raises(errors.SettingsError, match="SVC_ADMIN_KEY"):
        transport(admin_key=None).request("GET", "/v2/admin/developer-keys", admin=True)
    with pytest.raises(errors.SettingsError, match="SVC_API_KEY"):
        transport(api_key=None).request("GET", "/v2/usage")
    assert scripted.asked == []


def test_a_transport_needs_an_address():
    with pytest.raises(errors.SettingsError, match="SVC_BASE_URL"):
        Transport(Settings())


@pytest.mark.parametrize("kind", ["json", "form", "params"])
def test_half_a_surrogate_pair_is_refused_before_anything_is_sent(scripted, transport, kind):
    with pytest.raises(errors.Unsendable, match="surrogate") as caught:
        transport().request("POST", "/v2/translate", **{kind: {"text": ["fine", "bad \ud800"]}})
    assert isinstance(caught.value, ValueError)
    assert caught.value.__context__ is None
    assert scripted.asked == []


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_json_cannot_express_are_refused_before_anything_is_sent(scripted, transport, value):
    with pytest.raises(ValueError, match="JSON"):
        transport().request("POST", "/v2/translate", json={"n": value})
    assert scripted.asked == []


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "日本", "a\x00", " a", "\ud800"])
def test_a_header_cannot_smuggle_another(scripted, transport, value):
    with pytest.raises(errors.Unsendable, match="X-Tag"):
        transport().request("GET", "/x", headers={"X-Tag": value})
    assert scripted.asked == []


def test_every_text_arrives_as_it_is(scripted, transport):
    one = transport()

    @given(st.text(max_size=30))
    def arrives(text):
        one.request("POST", "/x", json={"text": [text]})
        assert scripted.asked[-1].json == {"text": [text]}

    arrives()


def test_cookies_are_not_kept(scripted, transport):
    scripted.answers = [scripted.answer(Set_Cookie="a=b")]
    one = transport()
    one.request("GET", "/x")
    one.request("GET", "/x")
    assert "cookie" not in scripted.asked[1].headers


def test_no_netrc_replaces_the_key(scripted, transport, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("default login someone password else\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    # 0.0.0.0 is this machine but no loopback address, so the environment is trusted.
    transport(base_url=f"http://0.0.0.0:{scripted.port}", allow_http="0.0.0.0").request("GET", "/x")
    assert scripted.asked[0].headers["authorization"] == f"Service-Auth-Key {scripted.KEY}"


def test_loopback_is_never_asked_through_a_proxy(scripted, transport, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert transport(tries=1).request("GET", "/x").status == 200


def test_another_host_is_asked_through_the_proxy_of_the_environment(scripted, transport, monkeypatch):
    monkeypatch.setenv("http_proxy", scripted.base_url)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    transport(base_url="http://some.example", allow_http="some.example").request("GET", "/x")
    assert scripted.asked[0].target == "http://some.example/x"


# ---- what comes back


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_every_success_is_a_reply(scripted, transport, status):
    scripted.answers = [scripted.answer(status, b"" if status == 204 else b"[1]")]
    assert transport().request("GET", "/x").status == status


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"", "an empty answer"),
        (b"  <html>", "a web page"),
        (b'{"translations": [', "broken JSON"),
        (b"\xff\xfe", "something else"),
        (b"[" * 100_000, "broken JSON"),
    ],
)
def test_a_success_that_is_not_json_is_a_bad_reply(scripted, transport, body, found):
    scripted.answers = [scripted.answer(200, body)]
    reply = transport().request("GET", "/x")
    with pytest.raises(errors.BadReply, match=f"Expected JSON, found {found}") as caught:
        reply.json()
    assert (caught.value.status, caught.value.trace_id) == (200, "trace-1")
    assert caught.value.__context__ is None


def test_text_is_utf8_or_a_bad_reply(scripted, transport):
    scripted.answers = [scripted.answer(200, "Ä\tB".encode()), scripted.answer(200, b"\xff")]
    assert transport().request("GET", "/x").text() == "Ä\tB"
    with pytest.raises(errors.BadReply, match="UTF-8"):
        transport().request("GET", "/x").text()


def test_a_reply_shows_neither_body_nor_headers(scripted, transport):
    scripted.answers = [scripted.answer(200, b"private")]
    assert repr(transport().request("GET", "/x")) == "Reply(status=200, trace_id='trace-1')"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_refused_and_the_key_stays_here(scripted, transport, status):
    scripted.answers = [scripted.answer(status, b"", Location=f"http://localhost:{scripted.port}/stolen")]
    with pytest.raises(errors.Redirected, match="redirect to localhost"):
        transport().request("POST", "/x", json={})
    assert len(scripted.asked) == 1


# ---- trying again


@pytest.mark.parametrize("status", RETRIED)
def test_a_refusal_that_passes_is_waited_out(scripted, transport, waits, status):
    scripted.answers = [
        scripted.answer(status, b""),
        scripted.answer(status, b""),
        scripted.answer(200, b"[1]"),
    ]
    assert transport().request("POST", "/x", json={"a": 1}).json() == [1]
    assert [asked.body for asked in scripted.asked] == [b'{"a":1}'] * 3
    assert len(waits) == 2


@pytest.mark.parametrize("status", NEVER_RETRIED)
def test_a_refusal_that_stays_is_raised_at_once(scripted, transport, waits, status):
    scripted.answers = [scripted.answer(status, {"message": "No", "detail": "really"})]
    with pytest.raises(errors.ApiError) as caught:
        transport().request("POST", "/x", json={})
    error = caught.value
    assert (error.status, error.message, error.detail, error.trace_id) == (status, "No", "really", "trace-1")
    assert (len(scripted.asked), waits) == (1, [])


@pytest.mark.parametrize("problem", ["reset", "cut"])
def test_a_broken_connection_is_waited_out(scripted, transport, waits, problem):
    scripted.answers = [getattr(scripted, problem), scripted.answer(200, b"[1]")]
    assert transport().request("POST", "/x", json={}).json() == [1]
    assert len(waits) == 1


@pytest.mark.parametrize("problem", ["hang", "stall"])
def test_a_silent_service_is_timed_out_and_asked_again(scripted, transport, waits, problem):
    scripted.answers = [getattr(scripted, problem), scripted.answer(200, b"[1]")]
    one = transport(read_timeout=0.1)
    assert one.request("POST", "/x", json={}).json() == [1]
    scripted.answers = [getattr(scripted, problem)]
    with pytest.raises(
        errors.TimedOut, match=r"No answer from 127.0.0.1:\d+ within 10 s to connect and 0.1 s to answer"
    ):
        one.request("POST", "/x", json={}, tries=1)
    assert len(waits) == 1


def test_a_connection_that_nothing_accepts_times_out(transport):
    # The queue of this listener is full, so the system answers no further connection.
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        address = listener.getsockname()
        fillers = [socket.socket() for _ in range(4)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(address)
        one = transport(base_url=f"http://127.0.0.1:{address[1]}", connect_timeout=0.2, read_timeout=20)
        with pytest.raises(errors.TimedOut, match=r"within 0.2 s to connect"):
            one.request("GET", "/x", tries=1)
        for filler in fillers:
            filler.close()


def test_a_refused_connection_is_unreachable(transport, waits):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(errors.Unreachable, match=rf"No answer from 127.0.0.1:{port}: Connection refused") as caught:
        transport(base_url=f"http://127.0.0.1:{port}", tries=3).request("GET", "/x")
    assert len(waits) == 2
    assert caught.value.status is None


def test_an_unknown_host_is_unreachable(transport, waits):
    with pytest.raises(errors.Unreachable, match=r"nowhere\.invalid"):
        transport(base_url="https://nowhere.invalid", tries=1).request("GET", "/x")


def test_a_host_that_speaks_no_tls_is_unreachable(transport):
    def serve():
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            connection.recv(1)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(errors.Unreachable):
            transport(base_url=f"https://127.0.0.1:{listener.getsockname()[1]}", tries=1).request("GET", "/x")
        thread.join()


def test_a_host_that_cannot_prove_who_it_is_gets_nothing(transport, waits):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        received = []

        def serve():
            connection, _ = listener.accept()
            with (
                connection,
                pytest.raises(ssl.SSLError),
                context.wrap_socket(connection, server_side=True) as tls,
            ):
                received.append(tls.recv(1))

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(errors.Untrusted, match=r"no certificate that this machine trusts"):
            transport(base_url=f"https://127.0.0.1:{listener.getsockname()[1]}").request("GET", "/x")
        thread.join()
    assert (received, waits) == ([], [])


def test_an_answer_that_is_no_http_is_unreachable(scripted, transport):
    scripted.answers = [b"220 mail.example ESMTP\r\n"]
    with pytest.raises(errors.Unreachable):
        transport(tries=1).request("GET", "/x")


def test_tries_are_counted_and_the_last_error_is_raised(scripted, transport, waits):
    scripted.answers = [*(scripted.answer(429, {"message": f"try {n}"}) for n in range(1, 10))]
    with pytest.raises(errors.TooManyRequests, match="try 5"):
        transport().request("GET", "/x")
    assert (len(scripted.asked), len(waits)) == (5, 4)
    with pytest.raises(errors.TooManyRequests, match="try 8"):
        transport(tries=3).request("GET", "/x")


def test_an_error_after_several_tries_says_so_and_carries_them(scripted, transport):
    scripted.answers = [scripted.answer(503, b""), scripted.reset, scripted.answer(404, b"")]
    with pytest.raises(errors.NotFound, match=r"^404 Not Found after 3 tries \(trace") as caught:
        transport().request("GET", "/x")
    assert caught.value.tries == 3
    with pytest.raises(errors.NotFound, match=r"^404 Not Found \(trace") as caught:
        transport().request("GET", "/x")
    assert caught.value.tries == 1


@pytest.mark.parametrize(
    ("tries", "kind", "found"),
    [("a", TypeError, "str"), (2.0, TypeError, "float"), (True, TypeError, "bool"), (0, ValueError, "0")],
)
def test_tries_that_are_no_count_are_refused_before_anything_is_sent(scripted, transport, tries, kind, found):
    with pytest.raises(kind, match=f"^tries: expected .* found {found}$"):
        transport().request("GET", "/x", tries=tries)
    assert scripted.asked == []


def test_one_try_raises_every_refusal(scripted, transport, waits):
    scripted.answers = [scripted.answer(529, b"", Retry_After=1)]
    with pytest.raises(errors.Overloaded) as caught:
        transport().request("GET", "/x", tries=1)
    assert caught.value.retry_after == 1
    assert (len(scripted.asked), waits) == (1, [])


@pytest.mark.parametrize(("dice", "first", "most"), [(0.0, 0.04, 1.6), (1.0, 0.2, 8.0)])
def test_the_own_wait_doubles_up_to_a_cap_and_is_random(scripted, transport, waits, dice, first, most):
    scripted.answers = [scripted.answer(503, b"")]
    with pytest.raises(errors.Unavailable):
        transport(tries=100, random=lambda: dice).request("GET", "/x")
    assert waits[:4] == pytest.approx([first, 2 * first, 4 * first, 8 * first])
    assert max(waits) == waits[-1] == pytest.approx(most)


@pytest.mark.parametrize("status", [429, 503, 529])
@pytest.mark.parametrize("seconds", [0, 3, 30])
def test_retry_after_wins_over_the_own_wait(scripted, transport, waits, status, seconds):
    scripted.answers = [scripted.answer(status, b"", Retry_After=seconds), scripted.answer()]
    transport().request("GET", "/x")
    assert waits == [seconds]


def test_a_retry_after_that_is_a_date_counts_from_the_services_clock(scripted, transport, waits):
    dates = {"Retry_After": "Sun, 01 Nov 2026 00:00:07 GMT", "Date": "Sun, 01 Nov 2026 00:00:00 GMT"}
    scripted.answers = [scripted.answer(429, b"", **dates), scripted.answer()]
    transport().request("GET", "/x")
    assert waits == [7]


def test_a_retry_after_that_is_nonsense_leaves_the_own_wait(scripted, transport, waits):
    scripted.answers = [scripted.answer(429, b"", Retry_After="soon"), scripted.answer()]
    transport().request("GET", "/x")
    assert waits == [pytest.approx(0.12)]


def test_a_retry_after_beyond_the_limit_is_raised_and_reported(scripted, transport, waits):
    scripted.answers = [scripted.answer(429, b"", Retry_After=3600)]
    with pytest.raises(errors.TooManyRequests, match="asked to wait 3600 s") as caught:
        transport().request("GET", "/x")
    assert caught.value.retry_after == 3600
    assert waits == []


def test_every_wait_is_logged_for_who_wants_to_see_it_and_nothing_else(scripted, transport, caplog):
    caplog.set_level(logging.INFO, "svc_nb.wire.transport")
    refusal = scripted.answer(429, {"message": "Not this: private text"}, Retry_After=2)
    scripted.answers = [refusal, scripted.reset, scripted.answer()]
    transport(random=lambda: 1.0).request("POST", "/x", json={"text": ["private text"]})
    assert caplog.record_tuples == [
        ("svc_nb.wire.transport", logging.INFO, "Try 1 failed (TooManyRequests, status 429); next in 2.00 s"),
        ("svc_nb.wire.transport", logging.INFO, "Try 2 failed (Unreachable, status none); next in 0.40 s"),
    ]
    assert "private" not in repr([vars(record) for record in caplog.records])


def test_an_interrupt_passes_at_once(scripted, transport, waits):
    scripted.answers = [scripted.signal(signal.SIGINT)]
    with pytest.raises(KeyboardInterrupt):
        transport(read_timeout=600).request("GET", "/x")  # longer than a test may take
    assert waits == []


def test_an_interrupt_ends_the_wait(scripted, transport):
    def sleep(seconds):
        raise KeyboardInterrupt

    scripted.answers = [scripted.answer(503, b"")]
    with pytest.raises(KeyboardInterrupt):
        transport(sleep=sleep).request("GET", "/x")


# ---- connections


def test_connections_are_kept_and_bounded(scripted, transport):
    together = threading.Barrier(4)

    def slow(connection):
        together.wait(5)
        connection.sendall(scripted.answer(200, b"[1]"))
        return True

    scripted.answers = [slow]
    one = transport(pool_size=4)
    replies = []
    threads = [threading.Thread(target=lambda: replies.append(one.request("GET", "/x"))) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(replies) == 32
    assert scripted.connections == 4


def test_a_transport_closes_its_connections_and_shows_only_its_address(scripted, transport):
    with transport() as one:
        one.request("GET", "/x")
        assert repr(one) == f"Transport('{scripted.base_url}')"


def test_a_closed_transport_sends_nothing_and_says_so_at_once(scripted, transport, waits):
    one = transport()
    one.close()
    one.close()
    with pytest.raises(errors.Closed, match=r"^This session is closed\. Call svc_nb\.connect\(\)$"):
        one.request("GET", "/x")
    assert (scripted.asked, waits) == ([], [])


def test_a_transport_that_is_closed_during_a_wait_sends_nothing_more(scripted, transport):
    scripted.answers = [scripted.answer(503, b"")]
    one = transport(sleep=lambda seconds: one.close())
    with pytest.raises(errors.Closed) as caught:
        one.request("GET", "/x")
    assert len(scripted.asked) == 1
    assert caught.value.tries is None


def test_what_is_being_answered_when_a_transport_is_closed_is_answered(scripted, transport):
    def close_first(connection):
        one.close()
        connection.sendall(scripted.answer(200, b"[1]"))
        return True

    scripted.answers = [close_first]
    one = transport()
    assert one.request("GET", "/x").json() == [1]


def test_keys_of_other_transports_do_not_mix(scripted, transport):
    transport(api_key=Secret("first")).request("GET", "/x")
    transport(api_key=Secret("second")).request("GET", "/x")
    assert [asked.headers["authorization"][-6:] for asked in scripted.asked] == [" first", "second"]
