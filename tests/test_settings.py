import dataclasses
import os
import sys
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend

from svc_nb.errors import SettingsError
from svc_nb.settings import ENVIRONMENT, KNOWN_VARIABLES, Secret, Settings, from_keyring
from tests import forked

PRO, FREE = "https://api.example.com", "https://free.example.com"
NOWHERE = Path("/nonexistent/config.toml")


@pytest.fixture
def load(tmp_path):
    """Load settings from what the test gives alone: no environment, file or keyring of the machine."""

    def load(profile=None, *, environ=None, toml=None, keyring=lambda profile: None, **arguments):
        config = tmp_path / "config.toml"
        config.write_text("" if toml is None else toml, encoding="utf-8")
        return Settings.load(profile, environ=environ or {}, config_file=config, keyring=keyring, **arguments)

    return load


# ---- where a setting comes from


def test_with_nothing_set_there_is_no_address_and_no_key(load):
    settings = load()
    assert settings.address is None
    assert settings.api_key is None


def test_an_argument_wins_over_the_environment_and_that_over_the_profile(load):
    toml = f'[default]\nbase_url = "{PRO}"\napi_key = "from-file"\ntries = 2\npool_size = 3'
    environ = {"SVC_API_KEY": "from-environ", "SVC_TRIES": "7"}
    settings = load(toml=toml, environ=environ, api_key="from-argument")
    assert settings.api_key == Secret("from-argument")
    assert (settings.tries, settings.pool_size, settings.address) == (7, 3, PRO)
    assert load(toml=toml, environ=environ).api_key == Secret("from-environ")
    assert load(toml=toml).api_key == Secret("from-file")


@pytest.mark.parametrize(("variable", "name"), ENVIRONMENT.items())
def test_every_setting_can_come_from_every_place(load, variable, name):
    values = {
        **dict.fromkeys(("base_url", "free_base_url"), PRO),
        "store": str(Path("some-file").absolute()),
        **dict.fromkeys(("tries", "pool_size"), 9),
        **dict.fromkeys(("strict", "image_documents"), True),
        **dict.fromkeys(
            (
                "connect_timeout",
                "read_timeout",
                "answer_timeout",
                "first_wait",
                "longest_wait",
                "longest_retry_after",
                "give_up_after",
            ),
            9.5,
        ),
    }
    value = values.get(name, "some_word" if name == "translators" else "some-word")
    basis = {"SVC_API_KEY": "k", "SVC_BASE_URL": PRO}
    without = {other: value for other, value in basis.items() if other != variable}
    written = f'"{value}"' if isinstance(value, str) else str(value).lower()
    expected = Secret(value) if name in ("api_key", "admin_key") else (value,) if name == "translators" else value
    for settings in (
        load(**{name: value}, environ=basis),
        load(environ={**basis, variable: str(value)}),
        load(toml=f"[default]\n{name} = {written}", environ=without),
    ):
        assert getattr(settings, name) == expected


def test_the_documented_variables_are_there():
    wanted = "API_KEY ADMIN_KEY BASE_URL FREE_BASE_URL AUTH_SCHEME TAG_HEADER TRIES POOL_SIZE ALLOW_HTTP"
    assert {f"SVC_{word}" for word in wanted.split()} <= set(ENVIRONMENT)


def test_the_time_to_answer_has_two_variables_and_the_short_one_counts(load):
    assert load(environ={"SVC_READ_TIMEOUT": "5"}).read_timeout == 5
    assert load(environ={"SVC_TIMEOUT": "6"}).read_timeout == 6
    assert load(environ={"SVC_TIMEOUT": "6", "SVC_READ_TIMEOUT": "5"}).read_timeout == 6


def test_an_empty_variable_counts_as_not_set(load):
    assert load(environ={"SVC_BASE_URL": "", "SVC_API_KEY": "", "SVC_PROFILE": ""}).address is None


def test_an_argument_of_none_counts_as_not_given(load):
    assert load(environ={"SVC_TRIES": "3"}, tries=None).tries == 3


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("SVC_BASEURL", "SVC_BASE_URL"),
        ("SVC_API_KYE", "SVC_API_KEY"),
        ("SVC_RETRIES", "SVC_TRIES"),
        ("SVC_PROFIL", "SVC_PROFILE"),
        ("SVC_MODELS_DIR", "SVC_MODEL_DIR"),
    ],
)
def test_a_variable_that_is_nearly_one_of_ours_is_warned_of_without_its_value(load, slip, meant):
    with pytest.warns(UserWarning, match=f"^{slip} is set but not read\\. Did you mean {meant}\\?$"):
        load(environ={slip: "value"})


def test_every_other_variable_is_left_alone(load):
    others = ["SVC_BASE_DIR", "SVC_HOME", "SVC_", "SVC_LOG_LEVEL", "XSVC_BASE_URL", "svc_base_url"]
    assert load(environ=dict.fromkeys(others, "value")).address is None
    assert load(environ={"SVC_BASEURL": "", "SVC_MODEL_DIR": "/models"}).address is None
    assert load(environ=dict.fromkeys(KNOWN_VARIABLES, "")).address is None


def test_a_profile_is_named_by_argument_or_environment(load):
    toml = f'[default]\nbase_url = "{PRO}"\napi_key = "a"\n[work]\nbase_url = "{FREE}"\napi_key = "b"'
    assert load(toml=toml).address == PRO
    assert load("work", toml=toml).address == FREE
    assert load(environ={"SVC_PROFILE": "work"}, toml=toml).address == FREE
    assert load("default", environ={"SVC_PROFILE": "work"}, toml=toml).address == PRO
    assert load("work", toml=toml).profile == "work"


def test_the_config_file_can_be_elsewhere(tmp_path):
    path = tmp_path / "other.toml"
    path.write_text(f'[default]\nbase_url = "{PRO}"\napi_key = "a"')
    assert Settings.load(environ={"SVC_CONFIG_FILE": str(path)}).address == PRO


def test_a_byte_order_mark_does_not_hide_the_first_profile(load):
    assert load(toml=f'\ufeff[default]\nbase_url = "{PRO}"\napi_key = "a"').address == PRO


# ---- what is wrong is named


@pytest.mark.parametrize(
    ("toml", "profile", "words"),
    [
        ("[default]\nbase_ulr = 'x'", None, r"config.toml, \[default\], base_ulr: there is no such setting"),
        ("[default\n", None, r"config.toml is not valid TOML \(at line 1\)"),
        ("tries = 3", None, r"config.toml: tries is outside a profile"),
        ("[a]\n[b]\n", "c", r"config.toml: there is no profile 'c'. Its profiles are: a, b"),
        ("[default]\ntries = 'many'", None, r"\[default\], tries: expected a whole number from 1 to 100"),
        ("[default]\ntries = true", None, r"tries: expected a whole number"),
        ("[default]\ntries = 2.5", None, r"tries: expected a whole number"),
        ("[default]\nread_timeout = nan", None, r"read_timeout: expected a number of seconds"),
        ("[default]\nread_timeout = [1]", None, r"read_timeout: expected a number of seconds"),
        ("[default]\napi_key = 5", None, r"\[default\], api_key: expected a key"),
        ("[default]\nbase_url = 5", None, r"\[default\], base_url: expected an address"),
    ],
)
def test_a_wrong_config_file_is_named_with_the_place(load, toml, profile, words):
    with pytest.raises(SettingsError, match=words):
        load(profile, toml=toml)


@pytest.mark.parametrize("toml", [None, "[work]\n"])
@pytest.mark.parametrize("key", ["2ff1a9c0:fx", "0123456789abcdef0123456789abcdef"])
def test_a_key_in_the_place_of_a_profile_is_refused_and_not_repeated(tmp_path, monkeypatch, key, toml):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    if toml:
        (tmp_path / "svc_nb").mkdir()
        (tmp_path / "svc_nb" / "config.toml").write_text(toml)
    with pytest.raises(SettingsError, match="looks like a key") as refused:
        Settings.load(key, environ={})
    assert key[:8] not in str(refused.value)


def test_a_profile_without_a_config_file_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="cannot be read: No such file"):
        Settings.load("work", environ={"SVC_CONFIG_FILE": str(NOWHERE)})
    with pytest.raises(SettingsError, match="cannot be read"):
        Settings.load(environ={}, config_file=tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("locked", ["folder", "file"])
def test_a_config_file_that_may_not_be_read_is_named(tmp_path, locked):
    path = tmp_path / "svc_nb" / "config.toml"
    path.parent.mkdir()
    path.write_text("[default]\ntries = 3")
    (path if locked == "file" else path.parent).chmod(0)
    # The administrator may read everything, so the attempt is made as nobody.
    code = """
import os
from svc_nb.settings import Settings, SettingsError
if os.getuid() == 0:
    os.setuid(65534)
try:
    Settings.load()
except SettingsError as error:
    print(error)
"""
    environ = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    ended = forked.run([sys.executable, "-c", code], capture_output=True, text=True, env=environ)
    path.parent.chmod(0o700)
    assert ended.stdout == f"{path} cannot be read: Permission denied\n", ended.stderr


def test_without_a_config_file_there_are_no_profiles(tmp_path, monkeypatch):
    for home in (tmp_path, tmp_path / "file"):
        (tmp_path / "file").touch()
        monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
        assert Settings.load(environ={}).address is None
        with pytest.raises(SettingsError, match=r"no profile 'work', because there is no file .*config\.toml"):
            Settings.load("work", environ={})


def test_a_config_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "config.toml"
    path.write_bytes(b"[default]\napi_key = '\xff'")
    with pytest.raises(SettingsError, match="is not UTF-8"):
        Settings.load(environ={}, config_file=path)


@pytest.mark.parametrize("value", ["0", "-1", "101", "x", "1.5", "1e400", "9" * 5000, "∞"])
def test_a_wrong_number_is_named_with_its_variable(load, value):
    with pytest.raises(SettingsError, match="SVC_TRIES: expected a whole number from 1 to 100"):
        load(environ={"SVC_TRIES": value})


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "1e9", "soon"])
@pytest.mark.parametrize("variable", ["SVC_TIMEOUT", "SVC_READ_TIMEOUT", "SVC_FIRST_WAIT"])
def test_a_wrong_time_is_named_with_its_variable(load, variable, value):
    with pytest.raises(SettingsError, match=f"^{variable}: expected a number of seconds"):
        load(environ={variable: value})


def test_an_unknown_argument_is_named(load):
    with pytest.raises(SettingsError, match=r"api_kye: there is no such setting\. Did you mean 'api_key'"):
        load(api_kye="secret")


@pytest.mark.parametrize("key", ["a b", "a\r\nX-Evil: 1", "a\n", "schlüssel", "ключ", "\x00", "a\ud800", b"bytes", 5])
@pytest.mark.parametrize("name", ["api_key", "admin_key"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(load, name, key):
    with pytest.raises(SettingsError, match=f"{name}: expected a key") as caught:
        load(**{name: key}, base_url=PRO)
    assert str(key) not in str(caught.value)


@pytest.mark.parametrize("name", ["auth_scheme", "tag_header"])
@pytest.mark.parametrize("word", ["two words", "a:b", "a\r\nb", "ü", " a"])
def test_a_word_that_no_header_can_carry_is_refused(load, name, word):
    with pytest.raises(SettingsError, match=f"{name}: expected one word"):
        load(**{name: word})


def test_settings_made_directly_are_checked_too():
    with pytest.raises(SettingsError, match="tries"):
        Settings(tries=0)
    with pytest.raises(SettingsError, match="api_key: expected a key"):
        Settings(api_key="plain", base_url=PRO)
    with pytest.raises(SettingsError, match="read_timeout"):
        dataclasses.replace(Settings(), read_timeout=-1)


# ---- the address


def test_a_free_key_chooses_the_free_host_by_itself(load):
    hosts = {"SVC_BASE_URL": PRO, "SVC_FREE_BASE_URL": FREE}
    assert load(environ=hosts, api_key="k:fx").address == FREE
    assert load(environ=hosts, api_key="k").address == PRO
    assert load(environ=hosts, admin_key="k:adm").address == PRO
    assert load(environ={"SVC_BASE_URL": PRO}, api_key="k:fx").address == PRO
    assert load(environ={"SVC_FREE_BASE_URL": FREE}, api_key="k:fx").address == FREE


def test_a_base_url_argument_wins_over_a_free_host_from_elsewhere(load):
    settings = load(environ={"SVC_FREE_BASE_URL": FREE}, api_key="k:fx", base_url=PRO)
    assert settings.address == PRO
    assert load(api_key="k:fx", base_url=PRO, free_base_url=FREE).address == FREE


@pytest.mark.parametrize("name", ["api_key", "admin_key"])
def test_a_key_without_an_address_says_what_to_set(load, name):
    with pytest.raises(SettingsError, match=r"SVC_BASE_URL.*embedded service needs base_url=session\.base_url"):
        load(**{name: "some-key"})


def test_a_pro_key_with_only_a_free_host_has_no_address(load):
    with pytest.raises(SettingsError, match="SVC_BASE_URL"):
        load(api_key="some-key", free_base_url=FREE)


def test_an_address_without_a_key_says_what_to_set(load):
    with pytest.raises(SettingsError, match=r"SVC_API_KEY.*keyring set svc_nb default"):
        load(base_url=PRO)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://api.example.com/", "https://api.example.com"),
        ("https://api.example.com/proxy/v9/", "https://api.example.com/proxy/v9"),
        ("https://api.example.com:8443/a%20b", "https://api.example.com:8443/a%20b"),
        ("http://127.0.0.1:5000", "http://127.0.0.1:5000"),
        ("http://127.9.9.9", "http://127.9.9.9"),
        ("http://[::1]:5000/", "http://[::1]:5000"),
        ("http://LocalHost:5000", "http://LocalHost:5000"),
    ],
)
def test_an_address_keeps_its_prefix_and_loses_the_slash_at_its_end(load, given, kept):
    assert load(base_url=given, api_key="k").address == kept


@pytest.mark.parametrize(
    "address",
    [
        "api.example.com",
        "ftp://api.example.com",
        "https://",
        "https:///path",
        "https://user:pw@api.example.com",
        "https://@api.example.com",
        "https://api.example.com?x=1",
        "https://api.example.com#x",
        "https://api.example.com/a/../b",
        "https://api.example.com:99999",
        "https://api.example.com:0",
        "https://api.example.com:abc",
        "https://api.example.com\\@evil.example",
        "https://api exam.example",
        "https://api.example.com\n",
        "https://exämple.com",
        "https://exa%6Dple.com",
        "http://[::1",
        5,
    ],
)
def test_a_wrong_address_is_refused(load, address):
    with pytest.raises(SettingsError, match="base_url: expected an address"):
        load(base_url=address, api_key="k")


@pytest.mark.parametrize(
    "address",
    [
        "http://api.example.com",
        "http://127.0.0.1.evil.example",
        "http://2130706433",
        "http://0.0.0.0",
        "http://10.0.0.1",
    ],
)
@pytest.mark.parametrize("name", ["base_url", "free_base_url"])
def test_plain_http_is_refused_unless_the_host_is_allowed_by_name(load, address, name):
    host = address.removeprefix("http://")
    with pytest.raises(SettingsError, match=rf"{name}: {host} would get the key over plain http.*allow_http"):
        load(**{name: address}, api_key="k:fx")
    with pytest.raises(SettingsError, match="plain http"):
        load(**{name: address}, api_key="k:fx", allow_http="other.example")
    assert load(**{name: address}, api_key="k:fx", allow_http=host.upper()).address == address
    assert load(environ={"SVC_ALLOW_HTTP": host}, **{name: address}, api_key="k:fx").address == address


def test_the_administrators_key_is_the_one_named_so_or_one_that_looks_like_it(load):
    assert load(base_url=PRO, api_key="k", admin_key="a").administrator == Secret("a")
    assert load(base_url=PRO, api_key="k:adm").administrator == Secret("k:adm")
    assert load(base_url=PRO, api_key="k").administrator is None


# ---- the keyring


class Keys(KeyringBackend):
    """A keyring in memory."""

    priority = 1

    def __init__(self, keys, problem=None):
        super().__init__()
        self.keys, self.problem = keys, problem

    def get_password(self, service, username):
        if self.problem:
            raise self.problem
        return self.keys.get((service, username))

    def set_password(self, service, username, password):
        self.keys[service, username] = password


@pytest.fixture
def use_keyring():
    before = keyring.get_keyring()
    yield keyring.set_keyring
    keyring.set_keyring(before)


def test_the_keyring_is_asked_by_profile_when_there_is_no_key_elsewhere(load, use_keyring):
    use_keyring(Keys({("svc_nb", "default"): "d", ("svc_nb", "work"): "w"}))
    work = f'[work]\nbase_url = "{PRO}"'
    assert load(keyring=None, base_url=PRO).api_key == Secret("d")
    assert load("work", toml=work, keyring=None).api_key == Secret("w")
    assert load(keyring=None, base_url=PRO, api_key="own").api_key == Secret("own")


def test_the_keyring_is_not_asked_without_an_address(load):
    def never(profile):
        raise AssertionError

    assert load(keyring=never).api_key is None
    assert load(keyring=never, base_url=PRO, admin_key="a").api_key is None


@pytest.mark.parametrize("problem", [keyring.errors.NoKeyringError(), keyring.errors.KeyringLocked(), OSError(), None])
def test_a_keyring_that_fails_has_no_key(use_keyring, problem):
    use_keyring(Keys({}, problem))
    assert from_keyring("default") is None


def test_a_key_in_the_keyring_that_no_header_can_carry_is_refused(load):
    with pytest.raises(SettingsError, match="the keyring's entry for 'default'"):
        load(base_url=PRO, keyring=lambda profile: Secret("a\nb"))


@pytest.mark.long
def test_without_the_keyring_package_there_is_no_key():
    code = (
        "import sys; sys.modules['keyring'] = None; from svc_nb.settings import from_keyring; "
        "sys.exit(from_keyring('x') is not None)"
    )
    assert forked.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_real_environment_is_read_when_no_other_is_given(monkeypatch, tmp_path):
    monkeypatch.setenv("SVC_CONFIG_FILE", str(tmp_path / "config.toml"))
    (tmp_path / "config.toml").write_text("[default]\ntries = 3")
    monkeypatch.setenv("SVC_BASE_URL", PRO)
    monkeypatch.setenv("SVC_API_KEY", "k")
    settings = Settings.load()
    assert (settings.address, settings.tries) == (PRO, 3)
