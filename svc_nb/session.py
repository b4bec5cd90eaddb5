"""The composition root: `connect` builds everything from the settings, and starts the embedded service by default.

A process has one current session at a time, and one embedded service, which runs in a separate process.
"""

from __future__ import annotations

import atexit
import os
import threading
from contextlib import suppress
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from urllib.parse import urlsplit

from svc_nb.advice import Option
from svc_nb.engine.gate import Gate
from svc_nb.engine.store import Store
from svc_nb.errors import Closed, SettingsError
from svc_nb.secret import Secret
from svc_nb.service_process import ServiceProcess, translator_keys
from svc_nb.settings import DEFAULT_PROFILE, MEMORY, Settings, veiled
from svc_nb.signatures import hides, shows
from svc_nb.wire.client import Client
from svc_nb.wire.client.admin import Admin
from svc_nb.wire.transport import Transport

if TYPE_CHECKING:
    from svc_nb.service import Service

__all__ = ["Session", "close", "connect", "current"]

SLOWEST_TRANSLATOR = 3600.0  # seconds for the first answer of a model that somebody runs at home
WHERE = ("api_key", "admin_key", "base_url", "free_base_url")


@hides("gate", "patience", "origin", "title", "has_sample", "account", "embedded")
class Session:
    """A connection to one service with one key.

    `client` has the operations by resource, `admin` those that need an administrator key. `service` is the embedded
    service if the session uses it, else None. `gate` limits the parallel requests of all sessions with the same address
    and key. `store` keeps every answer, for all sessions with the same file.
    """

    def __init__(self, settings: Settings, service: Service | ServiceProcess | None = None) -> None:
        self.settings = settings
        self.service = service
        self.base_url = settings.address
        before = service.ensure if isinstance(service, ServiceProcess) else None
        self.client = Client(Transport(settings, before_each=before))
        self.admin: Admin = self.client.admin
        with _lock:
            self.gate = _gates.setdefault((settings.address, settings.api_key), Gate(settings.pool_size))
        self.gate.ceiling = settings.pool_size  # the latest session's settings apply
        self.patience = settings.patience

    @cached_property
    def store(self) -> Store:
        """The answers that were paid for; raises StoreError if the file cannot be used."""
        return open_store(self.settings)

    @property
    def origin(self) -> str:
        """The owner of the answers in the store: the address, but not the embedded service's, which changes."""
        return "embedded" if self.service else self.base_url or ""

    @property
    def title(self) -> str:
        """The name of the service for people: its host, and the profile that leads to it."""
        sample = " · sample data" if self.has_sample else ""
        where = f"Embedded service{sample}" if self.service else urlsplit(self.base_url or "").netloc
        profile = self.settings.profile
        return where if profile == DEFAULT_PROFILE else f"{where} (profile {profile})"

    @property
    def has_sample(self) -> bool:
        """Whether the service is the one that `connect(sample=True)` starts."""
        return any(wanted.sample and service is self.service for wanted, service in list(_services.items()))

    @property
    def account(self) -> str:
        """The owner of backups and drafts: the address, but not the embedded service's, which changes."""
        return self.origin

    @classmethod
    def embedded(cls, service: Service | ServiceProcess, settings: Settings | None = None) -> Session:
        """A session with an embedded service; *settings* apply except for the address and the keys."""
        settings = settings or Settings()
        if settings.has_remote_translators and settings.give_up_after == Settings.give_up_after:
            settings = replace(settings, give_up_after=SLOWEST_TRANSLATOR)
        own = replace(
            settings,
            base_url=service.base_url,
            api_key=Secret(service.api_key),
            admin_key=Secret(service.admin_key),
            auth_scheme=Settings.auth_scheme,
            tag_header=Settings.tag_header,
        )
        return cls(own, service)

    def close(self) -> None:
        """Close the connections; an embedded service keeps running."""
        self.client.close()

    def __repr__(self) -> str:
        """Where it is connected: what a cell that ends with `connect()` shows."""
        where = [self.base_url or ""]
        if self.service:
            folder = _short(self.service.folder) if self.service.folder else "memory"
            sample = " with sample data" if self.has_sample else ""
            where = [f"embedded service{sample} at {self.base_url}", f"account in {folder}"]
        if self.settings.profile != DEFAULT_PROFILE:
            where.append(f"profile {self.settings.profile}")
        return f"<Session: {', '.join(where)}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A Session cannot be pickled. Call svc_nb.connect() where it is needed.")


@shows(each.name for each in fields(Settings))
def connect(
    api_key: str | Secret | None = None, *, profile: str | None = None, sample: bool = False, **settings: Any
) -> Session:
    """Connect, and make this the current session. Earlier sessions can still be used.

    If no address is given or configured, the embedded service is started in a separate process, which ends with this
    one. It needs no account, keeps its data in the user's data folder, and is used by all further calls too.

    Parameters
    ----------
    api_key
        The key; by default from `SVC_API_KEY`, the profile, or the OS keyring. A key that ends in `:fx` is used with
        the free host.
    profile
        A table of the config file; see `svc_nb.settings`.
    sample
        Connect to an embedded service with a year of usage by twelve keys of an invented shop, to try or teach usage,
        plots and caps. It ends with the process.
    settings
        Any setting by name: `base_url`, `free_base_url`, `auth_scheme`, `admin_key`, `tries`, `read_timeout`, …

    Raises
    ------
    SettingsError
        If a setting is missing or wrong; the text says where to set it. Nothing is sent.
    """
    given = veiled({"api_key": api_key, **settings})
    del api_key, settings  # so that a traceback with variables does not show a key
    if sample and not given.keys().isdisjoint(WHERE):
        raise SettingsError(f"{Option('sample', True)} starts its own service: leave out the key and the address")
    found = Settings.load(profile, **given)
    own = sample or not found.address
    service = _embedded_service(sample=sample, translators=found.translators) if own else None
    session = Session.embedded(service, found) if service else Session(found)
    make_current(session)
    return session


def beside() -> Session:
    """A session with the embedded service that does not become the current one; the caller closes it."""
    settings = current_settings()
    service = _embedded_service(sample=False, translators=settings.translators)
    return Session.embedded(service, replace(settings, strict=False))


def make_current(session: Session | None) -> Session | None:
    """Make *session* (or None) the current one, and return the previous one."""
    global _session
    with _lock:
        before, _session = _session, session
    return before


def current() -> Session:
    """The session that `connect` made last; if there is none, connect with the configured settings."""
    session = _session
    return connect() if session is None else session


def known() -> Session | None:
    """The current session, or None; never connects."""
    return _session


def current_settings() -> Settings:
    """The current session's settings; without a session, the configured ones, without asking the keyring."""
    session = _session
    return Settings.load(keyring=lambda profile: None) if session is None else session.settings


def current_store() -> Store:
    """The current session's store; without a session, the one that the settings name. Never connects."""
    session = _session
    return open_store(current_settings()) if session is None else session.store


def close() -> None:
    """Close the current session and stop the embedded service; its data is kept for the next time."""
    session = make_current(None)
    if session is not None:
        session.close()
    with _lock:
        ended = list(_services.values())
        _services.clear()
    for service in ended:
        service.stop()


def open_store(settings: Settings) -> Store:
    """The store that *settings* name; a process has one per file."""
    path = settings.store_path
    if path == MEMORY:
        return Store(MEMORY)
    with _lock:
        if path not in _stores:
            _stores[path] = Store(path)
        return _stores[path]


_lock = threading.Lock()
_gates: dict[tuple[str | None, Secret | None], Gate] = {}
_stores: dict[str, Store] = {}
_session: Session | None = None


class _Wanted(NamedTuple):
    """What an embedded service is like: of two that differ, each has a process of its own."""

    sample: bool
    translators: tuple[str, ...] | None
    keys: tuple[tuple[str, Secret], ...]


_services: dict[_Wanted, ServiceProcess] = {}


def _embedded_service(*, sample: bool, translators: tuple[str, ...] | None) -> ServiceProcess:
    """The embedded service, or the one with sample data, started when it is first needed."""
    keys = translator_keys(translators)
    wanted = _Wanted(sample, translators, tuple(keys.items()))
    with _lock:
        if not _services:
            atexit.register(close)
        found = _services.get(wanted)
        if found is not None:
            with suppress(Closed):
                found.ensure()
        if found is None or found.lost:
            found = _services[wanted] = ServiceProcess(sample=sample, translators=translators, keys=keys)
        return found


def _short(folder: Path) -> str:
    """A folder as people write it: `~` stands for the home."""
    with suppress(ValueError, RuntimeError):  # it is elsewhere, or there is no home
        return str(Path("~") / folder.relative_to(Path.home()))
    return str(folder)


def _forget() -> None:
    """In a forked child: the service, files and connections belong to the parent."""
    global _lock, _session
    _gates.clear()
    _stores.clear()
    inherited, _lock, _session = list(_services.values()), threading.Lock(), None
    _services.clear()
    for service in inherited:
        service.abandon()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
