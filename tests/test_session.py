"""Connecting: with nothing, with an address, twice, and from a forked child."""

import os
import pickle
import subprocess
import sys
import traceback
from datetime import UTC, datetime, timedelta

import pytest

import svc_nb
from svc_nb import service, session
from tests import forked


def script(code, home, *, run=forked.run, **environ):
    """Run *code* in a process of its own with an empty home."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SVC_", "XDG_"))}
    ended = run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        env={**kept, "HOME": str(home), **environ},
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.split()


def test_with_no_address_the_embedded_service_starts_once(tmp_path):
    code = """
import svc_nb, sys
one = svc_nb.connect()
two = svc_nb.connect()
print(one.base_url, two.base_url, svc_nb.current() is two, one.service is two.service)
print(len(two.client.glossaries.list()), two.admin.keys()[0].label)
heavy = ("svc_nb.service.", "starlette.", "uvicorn.", "py3langid.")
print(*[name for name in sys.modules if f"{name}.".startswith(heavy)])
"""
    first, second, is_current, same, count, label, *loaded = script(code, tmp_path, run=subprocess.run)
    assert first == second
    assert first.startswith("http://127.0.0.1:")
    assert (is_current, same, count, label) == ("True", "True", "0", "Notebook")
    assert loaded == []


@pytest.mark.long
def test_the_account_is_there_again_in_the_next_process(tmp_path):
    make = """
import svc_nb
from svc_nb.wire.models import Dictionary
svc_nb.current().client.glossaries.create("kept", [Dictionary("de", "en", "a\\tb")])
"""
    script(make, tmp_path)
    look = "import svc_nb; print(*[each.name for each in svc_nb.connect().client.glossaries.list()])"
    assert script(look, tmp_path) == ["kept"]


@pytest.mark.long
def test_with_an_address_the_service_is_never_imported(tmp_path, running):
    code = """
import sys, svc_nb
session = svc_nb.connect()
assert session.service is None
print(session.client.account.usage().character_count)
heavy = ("svc_nb.service.", "starlette.", "uvicorn.", "py3langid.")
print(*[name for name in sys.modules if f"{name}.".startswith(heavy)])
"""
    environ = {"SVC_BASE_URL": running.base_url, "SVC_API_KEY": running.api_key}
    assert script(code, tmp_path, run=subprocess.run, **environ) == ["0"]


@pytest.mark.long
def test_what_a_forked_child_writes_survives_the_parents_end(tmp_path):
    code = """
import os, sys, svc_nb
from svc_nb.wire.models import Dictionary
mine = svc_nb.connect()
mine.client.glossaries.list()
reading, writing = os.pipe()
child = os.fork()
if child == 0:
    theirs = svc_nb.current()
    assert theirs.base_url != mine.base_url
    os.read(reading, 1)
    for number in range(5):
        theirs.client.glossaries.create(str(number), [Dictionary("de", "en", "a\\tb")])
    svc_nb.close()
    os._exit(0)
svc_nb.close()
os.write(writing, b"x")
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert script(code, tmp_path) == ["0"]
    look = "import svc_nb; print(len(svc_nb.connect().client.glossaries.list()))"
    assert script(look, tmp_path) == ["5"]


@pytest.mark.long
def test_a_spoiled_account_is_a_settings_error(tmp_path):
    code = """
import svc_nb, platformdirs
folder = platformdirs.user_data_path("svc_nb", appauthor=False) / "service"
folder.mkdir(parents=True)
(folder / "owner.json").write_text("")
try:
    svc_nb.connect()
except svc_nb.errors.SettingsError as error:
    print("owner.json" in str(error))
"""
    assert script(code, tmp_path) == ["True"]


@pytest.mark.long
def test_two_kernels_starting_at_once_share_one_account(tmp_path):
    code = "import svc_nb; session = svc_nb.connect(); print(session.service.api_key)"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SVC_", "XDG_"))}
    kernels = [
        forked.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env={**kept, "HOME": str(tmp_path)})
        for _ in range(4)
    ]
    assert len({kernel.communicate(timeout=120)[0] for kernel in kernels}) == 1


def test_a_session_shows_where_it_is_and_hides_its_key(running):
    session = svc_nb.connect(running.api_key, base_url=running.base_url, admin_key=running.admin_key)
    assert repr(session) == f"<Session: {running.base_url}>"
    for key in (running.api_key, running.admin_key):
        assert key not in repr(session) + repr(vars(session)) + repr(session.client.__dict__)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(session)
    assert svc_nb.current() is session
    svc_nb.close()


def test_without_an_administrator_key_administration_says_what_to_set(running):
    session = svc_nb.connect(running.api_key, base_url=running.base_url)
    with pytest.raises(svc_nb.errors.SettingsError, match="SVC_ADMIN_KEY"):
        session.admin.keys()
    svc_nb.close()


def test_a_traceback_with_variables_shows_no_key():
    with pytest.raises(svc_nb.errors.SettingsError) as caught:
        svc_nb.connect("hush-hush-key", admin_key="very-quiet-key", base_url="http://example.com")
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    frames = "".join(line for line in shown.format() if "test_session" not in line)
    assert "hush-hush-key" not in frames
    assert "very-quiet-key" not in frames


def test_a_key_without_an_address_is_a_clear_error():
    with pytest.raises(svc_nb.errors.SettingsError, match="base_url"):
        svc_nb.connect("some-key")


def test_closing_twice_is_fine():
    svc_nb.close()
    svc_nb.close()
    assert svc_nb.service is service
    with pytest.raises(AttributeError, match="nothing"):
        _ = svc_nb.nothing


def test_a_session_with_the_sample_has_a_year_of_use_and_nothing_of_it_is_kept():
    try:
        opened = svc_nb.connect(sample=True)
        assert opened.service.folder is None
        today = datetime.now(UTC).date()
        report = opened.admin.analytics(today - timedelta(days=365), today, group_by="key")
        assert len(report.key_usages) == 12
        assert svc_nb.connect(sample=True).service is opened.service
    finally:
        svc_nb.close()


@pytest.mark.parametrize("given", [{"api_key": "k" * 20}, {"base_url": "https://example.com"}])
def test_the_sample_takes_no_key_and_no_address(given):
    with pytest.raises(svc_nb.errors.SettingsError, match="sample=True"):
        svc_nb.connect(sample=True, **given)


def test_asking_which_session_is_known_connects_nothing(running):
    assert session.known() is None
    made = svc_nb.connect(running.api_key, base_url=running.base_url)
    assert session.known() is made
    svc_nb.close()
    assert session.known() is None
