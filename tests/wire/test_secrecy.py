"""The key leaves the process in one header only; nothing that can be read, kept or sent shows it."""

import logging
import pickle
import signal
import socket
import traceback
from pathlib import Path

import pytest
from IPython.core.ultratb import VerboseTB

import svc_nb
from svc_nb import errors
from svc_nb.settings import Secret, Settings
from svc_nb.wire.client import Client

PACKAGE = str(Path(svc_nb.__file__).parent)
NEW_KEY = "brand-new-key-of-somebody"


def renderings(problem):
    """Everything that a person or a tool could see of *problem*, from the first frame of svc_nb downwards."""
    frames = problem.__traceback__
    while frames and not frames.tb_frame.f_code.co_filename.startswith(PACKAGE):
        frames = frames.tb_next
    problem = problem.with_traceback(frames)
    plain = traceback.TracebackException.from_exception(problem, capture_locals=True)
    verbose = VerboseTB().text(type(problem), problem, frames)
    return "\n".join([*plain.format(), str(verbose), str(problem), repr(problem), repr(vars(problem))])


def caught(act, kind=BaseException):
    with pytest.raises(kind) as raised:
        act()
    return raised.value


@pytest.fixture
def shows_no_key(scripted):
    """Fail when a problem shows a key, or drags along what does."""

    def check(problem, *keys):
        shown = renderings(problem)
        assert PACKAGE in shown
        for key in (scripted.KEY, scripted.ADMIN_KEY, *keys):
            assert key.lower() not in shown.lower()
            assert key not in str(pickle.dumps(problem))
        assert problem.__context__ is None
        assert problem.__cause__ is None

    return check


def test_the_rendering_would_show_a_key_that_stood_in_a_frame(scripted, transport):
    def act():
        transport().request("GET", "/x", headers={"X-Other": f"{scripted.KEY}\n"})

    assert scripted.KEY in renderings(caught(act, errors.Unsendable))


@pytest.mark.parametrize("status", [400, 403, 429, 500, 502, 302])
def test_a_key_that_is_echoed_back_is_scrubbed(scripted, transport, shows_no_key, status):
    header = f"Authorization: Service-Auth-Key {scripted.KEY}"
    bodies = [
        {"message": header, "detail": f"{header} {scripted.ADMIN_KEY}", "code": scripted.KEY},
        f"<title>Bad request: {header.replace(':', '&#58;')}</title>".encode(),
        f"bad request {header.upper()}".encode(),
        f"GET /?key={scripted.KEY.replace(':', '%3A')}".encode(),
        {"message": {"headers": [header]}},
    ]
    for body in bodies:
        headers = {"X_Trace_ID": scripted.KEY, "Location": f"https://other.example/{scripted.KEY}"}
        scripted.answers = [scripted.answer(status, body, **headers)]
        problem = caught(lambda: transport(tries=2).request("GET", "/x"), errors.SvcError)
        assert problem.status == status
        assert ("****" if status != 302 else "other.example") in problem.message
        assert problem.trace_id == "****"
        shows_no_key(problem)


def test_a_success_that_echoes_the_key_shows_it_nowhere(scripted, told, shows_no_key):
    client = told({"translations": scripted.KEY, "echo": scripted.KEY}, {"message": scripted.KEY})
    for _ in range(2):
        shows_no_key(caught(lambda: client.text.translate(["a"], "DE"), errors.BadReply))
    scripted.answers = [scripted.answer(200, f"<title>{scripted.KEY}</title>".encode(), X_Trace_ID=scripted.KEY)]
    shows_no_key(caught(lambda: client.text.translate(["a"], "DE"), errors.BadReply))


def test_a_new_keys_secret_in_a_bad_reply_shows_nowhere(told, shows_no_key):
    client = told({"key_id": "a:b", "api_key": NEW_KEY})
    problem = caught(lambda: client.admin.create_key("mine"), errors.BadReply)
    assert "`creation_time`" in problem.message
    shows_no_key(problem, NEW_KEY)


@pytest.mark.parametrize("way", ["reset", "cut", "hang", "stall"])
def test_a_broken_exchange_drags_no_frame_of_the_network_along(scripted, transport, shows_no_key, way):
    scripted.answers = [getattr(scripted, way)]
    problem = caught(lambda: transport(tries=2, read_timeout=0.05).request("POST", "/x", json={}), errors.SvcError)
    shows_no_key(problem)
    assert "urllib3" not in renderings(problem)


def test_a_refused_connection_drags_no_frame_of_the_network_along(transport, shows_no_key):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    one = transport(base_url=f"http://127.0.0.1:{port}", tries=2)
    shows_no_key(caught(lambda: one.request("GET", "/x"), errors.Unreachable))


def test_an_interrupt_drags_no_frame_of_the_network_along(scripted, transport, shows_no_key):
    scripted.answers = [scripted.signal(signal.SIGINT)]
    shows_no_key(caught(lambda: transport().request("GET", "/x"), KeyboardInterrupt))


def test_any_other_failure_drags_no_frame_of_the_network_along(scripted, transport, shows_no_key):
    def fail(number, frame):
        raise LookupError("something nobody thought of")

    before = signal.signal(signal.SIGUSR1, fail)
    scripted.answers = [scripted.signal(signal.SIGUSR1)]
    shows_no_key(caught(lambda: transport().request("GET", "/x"), LookupError))
    signal.signal(signal.SIGUSR1, before)


def test_a_closed_transport_shows_no_key(scripted, transport, shows_no_key):
    scripted.answers = [scripted.answer(503, b"")]
    one = transport(sleep=lambda seconds: one.close())
    for _ in ("during a wait", "before"):
        shows_no_key(caught(lambda: one.request("GET", "/x"), errors.Closed))


def test_a_variable_that_is_nearly_ours_is_warned_about_without_its_key(scripted, tmp_path):
    (tmp_path / "config.toml").touch()
    environ = {"SVC_APIKEY": scripted.KEY, "SVC_ADMIN_KEY": scripted.ADMIN_KEY}

    def act():
        Settings.load(environ=environ, config_file=tmp_path / "config.toml")

    shown = renderings(caught(act, UserWarning))
    assert PACKAGE in shown
    assert not any(key in shown for key in environ.values())


def test_no_log_record_shows_the_key(scripted, transport, caplog):
    caplog.set_level(logging.DEBUG)
    scripted.answers = [scripted.answer(429, b""), scripted.reset, scripted.answer()]
    one = transport()
    one.request("POST", "/x", json={})
    one.request("GET", "/x", admin=True)
    assert any(record.name.startswith("urllib3") for record in caplog.records)
    logged = caplog.text + "".join(repr(vars(record)) for record in caplog.records)
    assert scripted.KEY not in logged
    assert scripted.ADMIN_KEY not in logged


def test_nothing_that_holds_the_key_shows_or_pickles_it(scripted, transport):
    one = transport()
    one.request("GET", "/x")
    client = Client(one)
    things = [one, client, client.text, one.settings]
    shown = "".join(repr(thing) + str(thing) + repr(vars(thing)) for thing in things)
    assert scripted.KEY not in shown + repr(vars(one._session)) + repr(one._session.headers)
    for thing in things:
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(thing)


@pytest.mark.parametrize(
    "wrong",
    [
        {"arguments": {"tries": 0}},
        {"arguments": {"base_url": "nonsense"}},
        {"arguments": {"base_url": "http://open.example"}},
        {"arguments": {"base_url": None}},
        {"arguments": {"api_key": "{key} "}},
        {"arguments": {"api_key": b"{key}"}},
        {"arguments": {"api_kye": "{key}"}},
        {"arguments": {"profile": "unknown"}},
        {"environ": {"SVC_TRIES": "x"}},
        {"environ": {"SVC_ADMIN_KEY": "{key}\n"}},
        {"toml": "[default]\napi_key = '{key}'\ntries = 0"},
        {"toml": "[default]\napi_kye = '{key}'"},
        {"toml": "[default]\napi_key = ['{key}']"},
        {"toml": "[default]\napi_key = '{key}' '{key}'"},
        {"toml": "[default]\napi_key = '{key}"},
        {"toml": "api_key = '{key}'"},
        {"keyring": "{key}\n"},
    ],
    ids=str,
)
def test_wrong_settings_are_told_without_the_key(scripted, shows_no_key, tmp_path, wrong):
    key = scripted.KEY

    def filled(value):
        return value.replace("{key}", key) if isinstance(value, str) else b"%s" % key.encode() if value else value

    path = tmp_path / "config.toml"
    path.write_text(filled(wrong.get("toml", "")))
    environ = {
        "SVC_API_KEY": key,
        **{name: filled(value) for name, value in wrong.get("environ", {}).items()},
    }
    arguments = {"api_key": key, "base_url": "https://api.example.com"}
    arguments |= {name: filled(value) for name, value in wrong.get("arguments", {}).items() if name != "tries"}
    arguments |= {"tries": 0} if "tries" in wrong.get("arguments", {}) else {}
    if "keyring" in wrong:
        arguments, environ = {"base_url": "https://api.example.com"}, {}

    def keyring(profile):
        return Secret(filled(wrong["keyring"]))

    def act():
        Settings.load(environ=environ, config_file=path, keyring=keyring, **arguments)

    problem = caught(act, errors.SettingsError)
    shows_no_key(problem)
