"""What `svc-nb doctor` looks at, one thing after the other; keys are never shown, only where they come from."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from svc_nb.cli import machine
from svc_nb.cli.finding import NOTE, OK, PROBLEM, Finding
from svc_nb.cli.wording import spoken
from svc_nb.errors import SvcError
from svc_nb.settings import APP, ENVIRONMENT, KEYS, Settings

if TYPE_CHECKING:
    from svc_nb.session import Session
    from svc_nb.wire.models import Usage

PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
LITTLE = 0.1
UNLIMITED = 10**11


def findings(*, profile: str | None, base_url: str | None, every_pair: bool) -> Iterator[Finding]:
    """Look at everything, in the order in which one thing needs the other."""
    yield machine.versions()
    yield from machine.jupyterlab()
    yield machine.keyring()
    yield from account(profile, base_url)
    yield machine.translators(every_pair=every_pair)
    yield machine.browser()


def account(profile: str | None, base_url: str | None) -> Iterator[Finding]:
    """The settings and, where they can be read, the service and the store that they name."""
    try:
        settings = Settings.load(profile, base_url=base_url)
    except SvcError as problem:
        where = f"settings come from SVC_… in the environment, then from a profile in {_config_file()}"
        yield Finding(PROBLEM, "settings", spoken(problem), where)
        return
    yield from settings_found(settings, base_url)
    yield from service(profile, base_url, embedded=settings.address is None)
    yield store(settings)


def settings_found(settings: Settings, base_url: str | None) -> Iterator[Finding]:
    """Which settings were found, and where; of a key only that it is set."""
    sources = {name: variable for variable, name in ENVIRONMENT.items() if os.environ.get(variable)}
    for name in ("base_url", "free_base_url", *KEYS):
        if getattr(settings, name) is not None and name not in sources:
            sources[name] = _elsewhere(name, settings.profile)
    if base_url is not None:
        sources["base_url"] = "--base-url"
    found = ", ".join(f"{name} from {source}" for name, source in sources.items())
    where = settings.address or "no address: the embedded service on this machine"
    said = f"profile {settings.profile!r}; {where}"
    yield Finding(OK, "settings", f"{said} ({found})" if found else said)
    proxies = [name for name in PROXIES if os.environ.get(name)]
    if proxies and settings.address and not settings.is_loopback:
        yield Finding(NOTE, "proxy", f"requests go through the one in {', '.join(proxies)}")


def _elsewhere(name: str, profile: str) -> str:
    """Where a setting came from that is not in the environment; the keyring is asked for the key at last."""
    file = _config_file()
    try:
        in_file = name in tomllib.loads(file.read_text("utf-8-sig")).get(profile, {})
    except (OSError, ValueError):
        in_file = False
    return "the keyring" if name in KEYS and not in_file else f"[{profile}] in {file}"


def _config_file() -> Path:
    import platformdirs

    return Path(os.environ.get("SVC_CONFIG_FILE") or platformdirs.user_config_path(APP) / "config.toml")


def service(profile: str | None, base_url: str | None, *, embedded: bool) -> Iterator[Finding]:
    """Whether the service answers to the key, and what may still be used."""
    from svc_nb.session import connect, make_current

    before = make_current(None)
    try:
        session = connect(profile=profile, base_url=base_url)
        try:
            yield from _answers(session)
        finally:
            session.close()
    except SvcError as problem:
        yield Finding(PROBLEM, "connection", spoken(problem), _advice(problem, embedded=embedded))
    finally:
        make_current(before)


def _answers(session: Session) -> Iterator[Finding]:
    began = perf_counter()
    if session.settings.api_key is None:
        session.admin.keys()
        yield Finding(NOTE, "key", "only an administrator's key is set", "to translate, set SVC_API_KEY")
    else:
        used = session.client.account.usage()
        milliseconds = 1000 * (perf_counter() - began)
        where = "the embedded service" if session.service else session.base_url
        yield Finding(OK, "connection", f"{where} took the key and answered in {milliseconds:,.0f} ms")
        yield quota(used)
    if session.settings.administrator is None:
        said = "none, so `svc-nb usage` and caps are not to be had"
        yield Finding(NOTE, "admin key", said, "an administrator of the account can set SVC_ADMIN_KEY")


def quota(used: Usage) -> Finding:
    """What is left of the account's quota, or of the key's cap where that is less."""
    limits = [(used.character_limit, used.character_count, "the account's quota")]
    if used.api_key_character_limit is not None:
        limits.append((used.api_key_character_limit, used.api_key_character_count or 0, "the key's cap"))
    limit, count, whose = min(limits, key=lambda each: each[0] - each[1])
    left = max(0, limit - count)
    if limit >= UNLIMITED:
        return Finding(OK, "quota", f"{count:,} characters used in this period, without a limit")
    said = f"{left:,} of {limit:,} characters left of {whose} in this period"
    if not left:
        advice = "raise it, or wait until the next period begins; what is stored still costs nothing"
        return Finding(PROBLEM, "quota", said, advice)
    return Finding(NOTE if left < LITTLE * limit else OK, "quota", said)


def _advice(problem: SvcError, *, embedded: bool) -> str:
    if embedded:
        return "set XDG_DATA_HOME to a folder that can be written, or SVC_BASE_URL to a service"
    if isinstance(problem.status, int) and problem.status in (401, 403):
        return "make a new key, or check that it belongs to this address"
    return "" if problem.advice else "check the address and the network"


def store(settings: Settings) -> Finding:
    """Whether the answers that are paid for can be kept."""
    from svc_nb.session import open_store

    elsewhere = "name another file by SVC_STORE"
    try:
        info = open_store(settings).info()
    except SvcError as problem:
        return Finding(PROBLEM, "store", spoken(problem), elsewhere)
    path = Path(info.path)
    if path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return Finding(PROBLEM, "store", f"{path} may not be written", elsewhere)
    size = f"{info.entries:,} answers, {info.billed:,} characters paid, {info.bytes / 1e6:,.1f} MB"
    return Finding(OK, "store", f"{path}: {size}")
