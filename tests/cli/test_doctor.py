"""`svc-nb doctor`: finds what is wrong, says what to do, and shows no key."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import pytest

from svc_nb.cli import doctor
from svc_nb.cli.doctor import NOTE, OK, PROBLEM, Diagnosis
from svc_nb.wire.models import Usage


def looked(shell, *words) -> dict[str, dict[str, str]]:
    ended = shell("doctor", "--json", *words)
    found = {each["what"]: each for each in json.loads(ended.out)}
    assert ended.code == (1 if PROBLEM in {each["state"] for each in found.values()} else 0)
    return found


def test_all_is_well_with_a_good_key_and_no_key_is_shown(shell, running):
    ended = shell("doctor")
    assert ended.code == 0
    assert "problem" not in ended.out
    assert f"{running.base_url} took the key and answered" in ended.out
    assert "api_key from SVC_API_KEY, admin_key from SVC_ADMIN_KEY, base_url from SVC_BASE_URL" in ended.out
    assert running.api_key not in ended.out + ended.err
    assert running.admin_key not in ended.out + ended.err


def test_a_revoked_key_is_a_problem_with_what_to_do(shell, revoked, environ):
    environ.setenv("SVC_API_KEY", revoked)
    found = looked(shell)
    assert found["connection"]["state"] == PROBLEM
    assert "403" in found["connection"]["said"]
    assert "make a new key" in found["connection"]["advice"]
    assert revoked not in json.dumps(found)


def test_an_address_that_is_dead_or_another_is_a_problem(shell, environ, page):
    environ.setenv("SVC_TRIES", "1")
    environ.setenv("SVC_BASE_URL", "http://127.0.0.1:9")
    assert looked(shell)["connection"]["state"] == PROBLEM
    environ.setenv("SVC_BASE_URL", page)
    assert "web page" in looked(shell)["connection"]["said"]


def test_settings_that_do_not_fit_are_a_problem_and_the_rest_is_looked_at(shell, environ):
    environ.setenv("SVC_TRIES", "often")
    found = looked(shell)
    assert found["settings"]["state"] == PROBLEM
    assert "SVC_TRIES" in found["settings"]["said"]
    assert {"versions", "translators", "browser"} <= set(found)


def test_a_key_without_an_address_is_one_problem_and_not_two(shell, environ):
    environ.delenv("SVC_BASE_URL")
    found = looked(shell)
    assert [what for what, each in found.items() if each["state"] == PROBLEM] == ["settings"]
    assert found["settings"]["said"].endswith("for keys that end in :fx)")
    assert "base_url" not in found["settings"]["said"]


def test_an_address_on_the_command_line_wins_and_is_told_once(shell, environ, running):
    environ.setenv("SVC_BASE_URL", "https://service.invalid")
    said = looked(shell, "--base-url", running.base_url)["settings"]["said"]
    assert running.base_url in said
    assert said.count("base_url from") == said.count("base_url from --base-url") == 1


def test_the_embedded_service_with_nowhere_to_keep_its_account_is_a_problem_with_what_to_do(bare, nothing):
    from svc_nb import close

    close()
    nothing.delenv("SVC_BASE_URL")
    Path("data").write_text("no folder")
    nothing.setenv("XDG_DATA_HOME", str(Path("data").absolute()))
    found = looked(bare)
    assert "The embedded service cannot start" in found["connection"]["said"]
    assert "set XDG_DATA_HOME to a folder that can be written" in found["connection"]["advice"]


def test_where_a_key_comes_from_is_told_for_a_profile_too(shell, environ, running):
    environ.delenv("SVC_API_KEY")
    environ.delenv("SVC_BASE_URL")
    folder = Path(os.environ["XDG_CONFIG_HOME"]) / "svc_nb"
    folder.mkdir(parents=True)
    text = f'[work]\nbase_url = "{running.base_url}"\napi_key="{running.api_key}"\n'
    (folder / "config.toml").write_text(text)
    said = looked(shell, "--profile", "work")["settings"]["said"]
    assert f"base_url from [work] in {folder / 'config.toml'}" in said
    assert f"api_key from [work] in {folder / 'config.toml'}" in said
    assert running.api_key not in said


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
@pytest.mark.parametrize(
    ("mode", "folder", "readers"),
    [(0o644, 0o755, "everyone on this machine"), (0o640, 0o755, "its group"), (0o600, 0o755, ""), (0o644, 0o700, "")],
)
def test_a_config_file_whose_key_others_can_read_is_a_problem(shell, environ, running, mode, folder, readers):
    with tempfile.TemporaryDirectory() as place:  # not below `tmp_path`, which only its owner can enter
        file = Path(place, "svc nb.toml")
        file.write_text(f'[work]\nbase_url = "{running.base_url}"\napi_key = "{running.api_key}"\n')
        file.chmod(mode)
        Path(place).chmod(folder)
        environ.setenv("SVC_CONFIG_FILE", str(file))
        found = looked(shell)
        assert running.api_key not in json.dumps(found)
        assert ("config file" in found) == bool(readers)
        if readers:
            assert found["config file"]["state"] == PROBLEM
            assert found["config file"]["said"].endswith(f"holds a key, and {readers} can read it")
            assert found["config file"]["advice"].startswith(f"run: chmod 600 '{file}'")
        file.write_text(f'[work]\nbase_url = "{running.base_url}"\n')
        assert "config file" not in looked(shell)


def test_a_store_that_cannot_be_written_is_a_problem(shell, environ, tmp_path):
    environ.setenv("SVC_STORE", str(tmp_path))
    found = looked(shell)
    assert found["store"]["state"] == PROBLEM
    assert "SVC_STORE" in found["store"]["advice"]


def test_without_an_administrators_key_there_is_a_note(shell, environ):
    environ.delenv("SVC_ADMIN_KEY")
    assert looked(shell)["admin key"]["state"] == NOTE


@pytest.mark.parametrize(
    ("used", "state", "said"),
    [
        (Usage(100, 1000), OK, "900 of 1,000 characters left of the account's quota"),
        (Usage(950, 1000), NOTE, "50 of 1,000"),
        (Usage(1000, 1000), PROBLEM, "0 of 1,000"),
        (Usage(1200, 1000), PROBLEM, "0 of 1,000"),
        (Usage(0, 10**12), OK, "without a limit"),
        (
            Usage(0, 10**12, api_key_character_count=5, api_key_character_limit=5),
            PROBLEM,
            "0 of 5 characters left of the key's cap",
        ),
    ],
)
def test_the_quota_is_told_by_what_ends_first(used, state, said):
    found = doctor.quota(used)
    assert found.state == state
    assert said in found.said


def test_lines_are_wrapped_under_their_heading():
    found = Diagnosis(NOTE, "keyring", "one two three four five six", "do this")
    assert found.lines(45) == [
        "note     keyring      one two three four five",
        "                      six",
        "                      -> do this",
    ]
    assert found.lines(None)[0] == "note     keyring      one two three four five six"
