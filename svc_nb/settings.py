"""What to connect to, and how: the only module that reads settings from the environment, config file and keyring.

A setting is taken from the first place that has it: the argument, the environment (`SVC_…`), the profile in the config
file, and finally, for the key, the OS keyring. No frame that can raise holds a key in plain text.
"""

import ipaddress
import math
import os
import re
import tomllib
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

import platformdirs

from svc_nb.advice import InPython, Setting, did_you_mean, nearest
from svc_nb.backoff import Patience
from svc_nb.errors import SettingsError
from svc_nb.secret import Secret

__all__ = ["Secret", "Settings", "veiled"]

APP = "svc_nb"
DEFAULT_PROFILE = "default"
FREE_SUFFIX = ":fx"
ADMIN_SUFFIX = ":adm"
KEYS = ("api_key", "admin_key")
MEMORY = ":memory:"
LONGEST_PROFILE = 30
TRANSLATORS = "apertium, libretranslate:http://localhost:5000 or openai:http://localhost:11434/v1#llama3"
TRANSLATOR_OPTION = r"(?:key=[A-Z_][A-Z0-9_]*|languages=[A-Za-z0-9_+-]+|timeout=\d+)"
TRANSLATOR = (
    rf"\w+|\w+:https?://[^@/?#\s]+(?:/[^?#\s]*)?(?:\?{TRANSLATOR_OPTION}(?:&{TRANSLATOR_OPTION})*)?(?:#[^?#\s]+)?"
)
FLAGS = {**dict.fromkeys(("true", "1", "yes", "on"), True), **dict.fromkeys(("false", "0", "no", "off"), False)}

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What to connect to, and how; checked when created.

    Parameters
    ----------
    api_key, admin_key
        The developer's and the administrator's key.
    base_url, free_base_url
        The addresses of the Pro host and the Free host; a path prefix is kept.
    auth_scheme, tag_header
        The word before the key in the Authorization header, and the name of the header for reporting tags.
    reporting_tag
        The tag under which translations are reported if a call does not name one.
    connect_timeout, read_timeout
        Seconds to wait for a connection, and for each part of the answer.
    answer_timeout
        Seconds to wait for a whole answer, however it arrives; a large one gets another second for every 16 KiB.
    tries
        How often a request is sent at most, including the first time. If the answer was lost, it may have been billed:
        then the request is sent only once more, with each of its texts alone.
    pool_size
        The most parallel requests; within that limit, svc_nb learns how many the service accepts.
    store
        The file that keeps every answer, so that nothing is paid for twice; ":memory:" keeps them until the process
        ends. By default a file in the user's data folder.
    first_wait, longest_wait
        The shortest and longest wait between tries, in seconds; the wait doubles each time.
    longest_retry_after
        The longest Retry-After to wait for, in seconds. Beyond it the error is raised at once, and says when to try
        again.
    give_up_after
        The number of seconds after which a run ends if the service had no room for any request.
    allow_http
        The name of one host that may be used without TLS. Loopback always may.
    strict
        Whether a text whose language pair no translator has is an error, instead of being only marked with the target
        language.
    image_documents
        Whether the account is enrolled in the beta for images (jpeg, jpg, png) as documents; if not, no images are
        sent.
    translators
        What the embedded service translates with, best first, as a list or a text with commas: "apertium",
        "ctranslate", "pseudo", or a service that you run: "libretranslate:http://localhost:5000",
        "openai:http://localhost:11434/v1#llama3". By default what is installed on this machine.
    """

    api_key: Secret | None = None
    admin_key: Secret | None = None
    base_url: str | None = None
    free_base_url: str | None = None
    auth_scheme: str = "Service-Auth-Key"
    tag_header: str = "X-Service-Reporting-Tag"
    reporting_tag: str | None = None
    connect_timeout: float = 10.0
    read_timeout: float = 60.0
    answer_timeout: float = 300.0
    tries: int = 5
    pool_size: int = 64
    first_wait: float = 0.2
    longest_wait: float = 8.0
    longest_retry_after: float = 120.0
    give_up_after: float = 300.0
    allow_http: str | None = None
    store: str | None = None
    strict: bool = False
    image_documents: bool = False
    translators: tuple[str, ...] | None = None
    profile: str = field(default=DEFAULT_PROFILE, compare=False)

    def __post_init__(self) -> None:
        for name, check in CHECKS.items():
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _checked(name, check, value, where=""))
        for name in ("base_url", "free_base_url"):
            parts = urlsplit(getattr(self, name) or "")
            host = parts.hostname or ""
            if parts.scheme == "http" and not _is_loopback(host) and host != self.allow_http:
                in_python = InPython(f'allow_http="{host}" or ')
                raise SettingsError(
                    f"{name}: {host} would get the key over plain http, where anyone on the network can read it. "
                    f"Use https, or allow this host by name: {in_python}SVC_ALLOW_HTTP."
                )
        if self.address is None and self._main_key is not None:
            raise SettingsError(
                f"There is a key but no address to use it with: set {Setting('base_url')} "
                f"(and {Setting('free_base_url')} for keys that end in {FREE_SUFFIX})."
                f"{InPython(' A key created by the embedded service needs base_url=session.base_url.')}"
            )

    @property
    def address(self) -> str | None:
        """The address that belongs to the key, without a slash at its end; None for the embedded service."""
        free = self._main_key is not None and self._main_key.reveal().endswith(FREE_SUFFIX)
        return self.free_base_url if free and self.free_base_url else self.base_url

    @property
    def is_loopback(self) -> bool:
        """Whether the address is on this machine."""
        return self.address is not None and _is_loopback(urlsplit(self.address).hostname or "")

    @property
    def store_path(self) -> str:
        """Where the answers are kept; the folder may not exist yet."""
        return self.store or str(platformdirs.user_data_path(APP, appauthor=False) / "answers.sqlite")

    @property
    def backups_path(self) -> str:
        """The folder of backups: beside the store, even if that is in memory."""
        return str(self._beside_answers / "backups")

    @property
    def drafts_path(self) -> str:
        """The folder of drafts, the edits in panels that are not pushed yet: also beside the store."""
        return str(self._beside_answers / "drafts")

    @property
    def documents_path(self) -> str:
        """The file that records the documents under way, so that none is sent or paid for twice: beside the store."""
        return str(self._beside_answers / "documents.sqlite")

    @property
    def written_path(self) -> str:
        """The file that records which files svc_nb wrote, so that no other file is replaced: beside the store."""
        return str(self._beside_answers / "written.json")

    @property
    def _beside_answers(self) -> Path:
        kept = platformdirs.user_data_path(APP, appauthor=False)
        return kept if self.store in (None, MEMORY) else Path(self.store).parent

    @property
    def patience(self) -> Patience:
        """How often and for how long a request is retried."""
        return Patience(self.tries, self.first_wait, self.longest_wait, self.longest_retry_after, self.give_up_after)

    @property
    def has_remote_translators(self) -> bool:
        """Whether the embedded service translates with services that somebody runs, which may be slow."""
        return any("://" in each for each in self.translators or ())

    @property
    def administrator(self) -> Secret | None:
        """The key for administration, if there is one."""
        own = self.api_key if self.api_key and self.api_key.reveal().endswith(ADMIN_SUFFIX) else None
        return self.admin_key or own

    @property
    def _main_key(self) -> Secret | None:
        return self.api_key or self.admin_key

    @classmethod
    def load(
        cls,
        profile: str | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        config_file: Path | None = None,
        keyring: Callable[[str], Secret | None] | None = None,
        **arguments: Any,
    ) -> Self:
        """Gather the settings from arguments, environment, profile and keyring, in this order.

        An argument that is None counts as not given. A *base_url* argument takes precedence over any free host from
        elsewhere. *environ*, *config_file* and *keyring* replace the real ones. Raises SettingsError, which names the
        place and the setting, and never shows a key. Warns about a variable whose name is almost a known one.
        """
        given = _Place("", veiled(arguments))
        del arguments
        environment = _Environment(os.environ if environ is None else environ)
        del environ
        environment.warn_of_slips()
        name = profile or environment.profile
        table = _profile(name, *environment.config_file(config_file))
        values = _merged(given, environment.settings(), table)
        if "base_url" in given.values and "free_base_url" not in given.values:
            values["free_base_url"] = None
        _complete(values, name or DEFAULT_PROFILE, from_keyring if keyring is None else keyring)
        return cls(**values, profile=name or DEFAULT_PROFILE)


@dataclass(frozen=True)
class _Place:
    """Settings found in one place; *where* is its name in an error message."""

    where: str
    values: Mapping[str, Any]
    names: Mapping[str, str] = field(default_factory=dict)


class _Environment:
    """The environment, with a repr that shows nothing because it contains keys."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    @property
    def profile(self) -> str | None:
        return self._environ.get("SVC_PROFILE") or None

    def config_file(self, path: Path | None) -> tuple[Path, bool]:
        """The config file, and whether it was named explicitly, so that it must exist."""
        named = path or self._environ.get("SVC_CONFIG_FILE")
        return (Path(named), True) if named else (platformdirs.user_config_path(APP) / "config.toml", False)

    def settings(self) -> _Place:
        names = {setting: name for name, setting in ENVIRONMENT.items() if self._environ.get(name)}
        values = {setting: self._environ[name] for setting, name in names.items()}
        return _Place("", veiled(values), names)

    def warn_of_slips(self) -> None:
        """Warn about each variable that is set and whose name is almost one of ours."""
        for name in self._environ:
            if not name.startswith("SVC_") or name in KNOWN_VARIABLES or not self._environ[name]:
                continue
            if meant := nearest(name, KNOWN_VARIABLES, cutoff=NEARLY):
                # Past `load` and `connect`, to the line that called `connect`.
                warnings.warn(f"{name} is set but not read. Did you mean {meant}?", stacklevel=4)


def from_keyring(profile: str) -> Secret | None:
    """The key that the OS keyring holds for *profile*; None if it holds none or no keyring works."""
    # Backends fail in different ways (no desktop, locked, denied by the user); each means that there is no key.
    with suppress(Exception):
        import keyring

        found = keyring.get_password(APP, profile)
        return Secret(found) if found else None
    return None


def veiled(values: Mapping[str, Any]) -> dict[str, Any]:
    """*values* without missing ones and with keys as Secrets; of a possibly misplaced key only the type is kept."""

    def veil(name: str, value: object) -> object:
        if name in KEYS and not isinstance(value, Secret):
            return Secret(value) if isinstance(value, str) else type(value)
        return value if name in CHECKS else type(value)

    return {name: veil(name, value) for name, value in values.items() if value is not None}


def _merged(*places: _Place) -> dict[str, Any]:
    """Every setting from the first of *places* that has it, checked with that place named."""
    values: dict[str, Any] = {}
    for place in places:
        for name, value in place.values.items():
            if name not in CHECKS:
                raise SettingsError(f"{place.where}{name}: there is no such setting. {did_you_mean(name, CHECKS)}")
            checked = _checked(place.names.get(name, name), CHECKS[name], value, where=place.where)
            values.setdefault(name, checked)
    return values


def _complete(values: dict[str, Any], profile: str, keyring: Callable[[str], Secret | None]) -> None:
    """Ask the keyring for the key if an address has none yet."""
    has_address = values.get("base_url") or values.get("free_base_url")
    if not has_address or any(values.get(name) for name in KEYS):
        return
    values["api_key"] = keyring(profile)
    if values["api_key"] is None:
        raise SettingsError(
            f"There is an address but no key for it: set {Setting('api_key')}, "
            f"or store one with `python -m keyring set svc_nb {profile}`."
        )
    _checked("api_key", CHECKS["api_key"], values["api_key"], where=f"the keyring's entry for {profile!r}: ")


# ---- the config file


def _profile(name: str | None, path: Path, must_exist: bool) -> _Place:
    """The table of profile *name* in the file at *path*; empty if none is named and there is no default."""
    tables = _tables(path, must_exist)
    if isinstance(tables, SettingsError):
        raise tables
    if tables is None and name not in (None, DEFAULT_PROFILE):
        raise SettingsError(f"There is no profile {_repeated(name)}, because there is no file {path}.")
    if tables is None:
        return _Place("", {})
    if name not in tables and name not in (None, DEFAULT_PROFILE):
        raise SettingsError(
            f"{path}: there is no profile {_repeated(name)}. Its profiles are: {', '.join(tables) or 'none'}."
        )
    chosen = name or DEFAULT_PROFILE
    return _Place(f"{path}, [{chosen}], ", tables.get(chosen, {}))


def _repeated(name: str | None) -> str:
    """The name of a profile in quotes; a name that may be a misplaced key is not repeated."""
    may_be_key = name is not None and (":" in name or len(name) > LONGEST_PROFILE)
    return "of that name (it looks like a key, so it is not repeated)" if may_be_key else repr(name)


def _tables(path: Path, must_exist: bool) -> dict[str, dict[str, Any]] | SettingsError | None:
    """Every table of the file, or None. Errors are returned, because frames here hold the file's text with its keys."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as problem:
        if isinstance(problem, FileNotFoundError | NotADirectoryError) and not must_exist:
            return None
        return SettingsError(f"{path} cannot be read: {problem.strerror}.")
    except tomllib.TOMLDecodeError as problem:
        line = re.search(r"at line \d+", str(problem))
        return SettingsError(f"{path} is not valid TOML{f' ({line[0]})' if line else ''}.")
    except ValueError:
        return SettingsError(f"{path} is not UTF-8 text.")
    loose = [name for name, table in tables.items() if not isinstance(table, dict)]
    if loose:
        return SettingsError(f"{path}: {loose[0]} is outside a profile. Put it under [{DEFAULT_PROFILE}].")
    return {name: veiled(table) for name, table in tables.items()}


# ---- checks: each returns the value in its normal form, or raises _Wrong with what was expected


class _Wrong(ValueError):
    """An invalid value of a setting; the text says what was expected."""


def _checked(name: str, check: Callable[[Any], T], value: object, *, where: str) -> T:
    try:
        return check(value)
    except _Wrong as problem:
        expected = str(problem)
    raise SettingsError(f"{where}{name}: expected {expected}.")


def _key(value: object) -> Secret:
    if not isinstance(value, Secret):
        raise _Wrong("a key (a string, or a Secret if settings are created directly)")
    if not _is_key(value):
        raise _Wrong("a key of printable ASCII characters without spaces; copy it again")
    return value


def _is_key(secret: Secret) -> bool:
    # Separate from its caller, so that the frame that raises does not hold the key.
    return re.fullmatch(r"[!-~]+", secret.reveal()) is not None


def _address(value: object) -> str:
    form = "an address such as https://api.example.com"
    if not isinstance(value, str) or not re.fullmatch(r"[!-\[\]-~]+", value):
        raise _Wrong(f"{form}, in ASCII and without spaces")
    try:
        parts = urlsplit(value)
        is_whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole:
        raise _Wrong(form)
    if "@" in parts.netloc:
        raise _Wrong(f"{form}, without a user name or password in it")
    if not re.fullmatch(r"[A-Za-z0-9._:\[\]-]+", parts.netloc):
        raise _Wrong(form)
    if parts.query or parts.fragment or {".", ".."} & set(parts.path.split("/")):
        raise _Wrong(f"{form}, without a query, a fragment or dots as path")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _text(pattern: str, expected: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise _Wrong(expected)
        return value

    return check


_token = _text(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", "one word of letters, digits and hyphens")
_host = _text("[A-Za-z0-9.:_-]+", "a host name only, without scheme and port")


def _file(value: object) -> str:
    if not isinstance(value, str | os.PathLike) or not os.fspath(value) or "\0" in str(value):
        raise _Wrong('the path of a file, or ":memory:"')
    return str(value) if value == MEMORY else str(Path(value).expanduser().absolute())


def _flag(value: object) -> bool:
    found = FLAGS.get(str(value).lower()) if isinstance(value, bool | int | str) else None
    if found is None:
        raise _Wrong("true or false")
    return found


def _translators(value: object) -> tuple[str, ...]:
    """Names and addresses; what may be a secret in one is refused, and not repeated."""
    given = value.split(",") if isinstance(value, str) else value
    if not isinstance(given, list | tuple) or not given or not all(isinstance(each, str) for each in given):
        raise _Wrong(f"translators as a list, or with commas between them, such as {TRANSLATORS}")
    found = tuple(each.strip() for each in given)
    if not all(map(re.compile(TRANSLATOR).fullmatch, found)):
        raise _Wrong(
            f"translators such as {TRANSLATORS}, without a user name, password or key in them (a key stands in an "
            "environment variable, which ?key=NAME names)"
        )
    return found


def _seconds(value: object) -> float:
    number = _number(value, float)
    if number is None or not 0 < number <= 86_400:
        raise _Wrong("a number of seconds above 0 and up to 86400")
    return number


def _count(most: int) -> Callable[[object], int]:
    def check(value: object) -> int:
        number = _number(value, int)
        if number is None or not 1 <= number <= most:
            raise _Wrong(f"a whole number from 1 to {most}")
        return number

    return check


N = TypeVar("N", int, float)


def _number(value: object, kind: type[N]) -> N | None:
    """The number that *value* is or spells, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
        return kind(value) if math.isfinite(number) and (kind is float or number == int(number)) else None
    except (ValueError, OverflowError):
        return None


CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "api_key": _key,
    "admin_key": _key,
    "base_url": _address,
    "free_base_url": _address,
    "auth_scheme": _token,
    "tag_header": _token,
    "reporting_tag": _text("[ -~]+", "printable ASCII characters"),
    "connect_timeout": _seconds,
    "read_timeout": _seconds,
    "answer_timeout": _seconds,
    "tries": _count(100),
    "pool_size": _count(1024),
    "first_wait": _seconds,
    "longest_wait": _seconds,
    "longest_retry_after": _seconds,
    "give_up_after": _seconds,
    "allow_http": lambda value: _host(value).lower(),
    "store": _file,
    "strict": _flag,
    "image_documents": _flag,
    "translators": _translators,
}

# If two variables are for one setting, the later one counts.
ENVIRONMENT: Mapping[str, str] = {**{f"SVC_{name.upper()}": name for name in CHECKS}, "SVC_TIMEOUT": "read_timeout"}
KNOWN_VARIABLES = (*ENVIRONMENT, "SVC_PROFILE", "SVC_CONFIG_FILE", "SVC_MODEL_DIR", "SVC_MODEL_MIRROR")
# One or two typing mistakes: SVC_BASEURL, SVC_RETRIES; but not SVC_BASE_DIR.
NEARLY = 0.9


def _is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host.lower() == "localhost"
