"""What `svc-nb doctor` looks at, one thing after the other; keys are never shown, only where they come from."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from textwrap import TextWrapper
from time import perf_counter
from typing import TYPE_CHECKING, Any

from svc_nb.cli.wording import spoken
from svc_nb.errors import SvcError, one_line
from svc_nb.settings import APP, ENVIRONMENT, KEYS, Settings

if TYPE_CHECKING:
    from svc_nb.models import Usage
    from svc_nb.session import Session

OK, NOTE, PROBLEM = "ok", "note", "problem"
PARTS = ("pandas", "numpy", "requests", "matplotlib", "ipywidgets", "anywidget")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
LITTLE = 0.1
LONGEST = 600
UNLIMITED = 10**11


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: how it is, and what to do where it is not well."""

    state: str
    what: str
    said: str
    advice: str = ""

    def lines(self, width: int | None) -> list[str]:
        """The finding to be read, in lines of *width*, or one for each part of it."""
        first = f"{self.state:<8} {self.what:<12} "
        told = [(first, self.said)] + ([(" " * len(first) + "-> ", self.advice)] if self.advice else [])
        return [line for head, text in told for line in _wrapped(head, one_line(text, limit=LONGEST), width)]

    def record(self) -> dict[str, Any]:
        """The finding as plain values."""
        return asdict(self)


def _wrapped(head: str, text: str, width: int | None) -> list[str]:
    if width is None or width < 2 * len(head):
        return [head + text]
    wrap = TextWrapper(width, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False)
    return wrap.wrap(text)


def findings(*, profile: str | None, base_url: str | None, every_pair: bool) -> Iterator[Finding]:
    """Look at everything, in the order in which one thing needs the other."""
    yield versions()
    yield from notebook()
    yield keyring()
    settings = _settings(profile, base_url)
    if isinstance(settings, Finding):
        yield settings
    else:
        yield from settings_found(settings, base_url)
        yield from service(profile, base_url)
    yield store(settings if isinstance(settings, Settings) else None)
    yield translators(every_pair=every_pair)
    yield browser()


def versions() -> Finding:
    """What runs here."""
    python = ".".join(map(str, sys.version_info[:3]))
    found = {name: _version(name) for name in PARTS}
    missing = [name for name, version in found.items() if version is None]
    said = f"svc-nb {_version('svc-nb') or 'unknown'}, Python {python}, " + ", ".join(
        f"{name} {version}" for name, version in found.items() if version
    )
    if missing:
        return Finding(PROBLEM, "versions", f"{said}; missing: {', '.join(missing)}", "install svc-nb again")
    return Finding(OK, "versions", said)


def notebook() -> Iterator[Finding]:
    """Whether JupyterLab is here, and has what the panels and the launcher need."""
    lab = _version("jupyterlab")
    if lab is None:
        yield Finding(
            NOTE, "jupyterlab", "not in this environment; everything but panels works without",
            "pip install 'svc-nb[lab]', or install svc-nb where JupyterLab is",
        )  # fmt: skip
        return
    from svc_nb.cli.labextensions import disabled, installed

    here, off = installed(), disabled()
    for name, needed_for in EXTENSIONS.items():
        if name not in here:
            yield Finding(
                NOTE,
                "jupyterlab",
                f"{lab}, without its extension {name}",
                f"for {needed_for} install svc-nb again",
            )
        elif name in off:
            yield Finding(
                NOTE, "jupyterlab", f"the extension {name} is disabled", f"jupyter labextension enable {name}"
            )
    on = [name for name in EXTENSIONS if name in here and name not in off]
    yield Finding(OK, "jupyterlab", f"{lab}, with {', '.join(on) or 'none of the extensions'}")


EXTENSIONS = {
    "svc-nb": "the launcher tiles and the sidebar",
    "anywidget": "grids and charts in panels",
    "@jupyter-widgets/jupyterlab-manager": "panels",
}


def keyring() -> Finding:
    """Whether keys can be kept in the OS keyring; none is asked for, since that may ask the person."""
    if _version("keyring") is None:
        return Finding(
            NOTE,
            "keyring",
            "not installed; keys come from SVC_API_KEY or a profile",
            "pip install 'svc-nb[keyring]'",
        )
    try:
        import keyring as ring

        backend = ring.get_keyring()
        works = float(backend.priority) > 0
    except Exception as problem:  # backends fail in their own ways
        return Finding(NOTE, "keyring", f"installed, but it does not work: {type(problem).__name__}")
    name = f"{type(backend).__module__.removeprefix('keyring.backends.')}.{type(backend).__name__}"
    if not works:
        return Finding(
            NOTE,
            "keyring",
            "installed, but this system has no keyring to use; set SVC_API_KEY or use a profile",
        )
    return Finding(OK, "keyring", f"{name}; `python -m keyring set svc_nb default` keeps a key in it")


def _settings(profile: str | None, base_url: str | None) -> Settings | Finding:
    try:
        return Settings.load(profile, base_url=base_url)
    except SvcError as problem:
        return Finding(
            PROBLEM, "settings", spoken(problem), "see docs/settings.md for where settings come from"
        )


def settings_found(settings: Settings, base_url: str | None) -> Iterator[Finding]:
    """Which settings were found, and where; of a key only that it is set."""
    named = [f"{name} from {variable}" for variable, name in ENVIRONMENT.items() if os.environ.get(variable)]
    from_elsewhere = [
        f"{name} from {_elsewhere(name, settings)}"
        for name in ("base_url", "free_base_url", *KEYS)
        if getattr(settings, name) is not None and not any(each.startswith(f"{name} from") for each in named)
    ]
    if base_url is not None:
        from_elsewhere = [
            "base_url from --base-url",
            *(each for each in from_elsewhere if not each.startswith("base_url ")),
        ]
    found = [*named, *from_elsewhere]
    where = settings.address or "no address: the embedded service on this machine"
    said = f"{where} ({', '.join(found)})" if found else where
    yield Finding(OK, "settings", f"profile {settings.profile!r}; {said}")
    proxies = [name for name in PROXIES if os.environ.get(name)]
    if proxies and settings.address and not settings.is_loopback:
        yield Finding(NOTE, "proxy", f"requests go through the one in {', '.join(proxies)}")


def _elsewhere(name: str, settings: Settings) -> str:
    """Where a setting came from that is not in the environment; the keyring is asked for the key at last."""
    import platformdirs

    file = Path(os.environ.get("SVC_CONFIG_FILE") or platformdirs.user_config_path(APP) / "config.toml")
    try:
        in_file = f"{name} " in file.read_text("utf-8-sig").replace("=", " =")
    except (OSError, ValueError):
        in_file = False
    if name in KEYS and not in_file:
        return "the keyring"
    return f"[{settings.profile}] in {file}"


def service(profile: str | None, base_url: str | None) -> Iterator[Finding]:
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
        yield Finding(PROBLEM, "connection", spoken(problem), _advice(problem))
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
        yield Finding(
            NOTE, "admin key", "none, so `svc-nb usage` and caps are not to be had",
            "an administrator of the account can set SVC_ADMIN_KEY",
        )  # fmt: skip


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
        return Finding(
            PROBLEM,
            "quota",
            said,
            "raise it, or wait until the next period begins; what is stored still costs nothing",
        )
    return Finding(NOTE if left < LITTLE * limit else OK, "quota", said)


def _advice(problem: SvcError) -> str:
    if isinstance(problem.status, int) and problem.status in (401, 403):
        return "make a new key, or check that it belongs to this address"
    return "" if problem.advice else "check the address and the network"


def store(settings: Settings | None) -> Finding:
    """Whether the answers that are paid for can be kept."""
    from svc_nb.session import current_store, open_store

    try:
        kept = open_store(settings) if settings else current_store()
        info = kept.info()
    except SvcError as problem:
        return Finding(PROBLEM, "store", spoken(problem), "name another file by SVC_STORE")
    folder = Path(info.path).parent
    if Path(info.path).exists() and not (os.access(info.path, os.W_OK) and os.access(folder, os.W_OK)):
        return Finding(PROBLEM, "store", f"{info.path} may not be written", "name another file by SVC_STORE")
    size = f"{info.entries:,} answers, {info.billed:,} characters paid, {info.bytes / 1e6:,.1f} MB"
    return Finding(OK, "store", f"{info.path}: {size}")


def translators(*, every_pair: bool) -> Finding:
    """Which languages the embedded service really translates."""
    from svc_nb.service.translators import installed

    engines = installed()
    try:
        offered = engines.pairs()
        tested = list(offered) if every_pair else list(offered)[:1]
        failed = [
            f"{source} to {target}" for source, target in tested if _marks_only(engines, source, target)
        ]
    finally:
        engines.close()
    how = f"on Debian or Ubuntu: sudo apt-get install {' '.join(_packages())}"
    if not offered:
        return Finding(NOTE, "translators", "the embedded service has none, and only marks texts", how)
    languages = sorted({code for pair in offered for code in pair})
    names = ", ".join(sorted(set(offered.values())))
    said = f"the embedded service: {names}, {len(offered)} pairs of {', '.join(languages)}"
    if failed:
        return Finding(PROBLEM, "translators", f"{said}; these failed their test: {', '.join(failed)}", how)
    return Finding(
        OK, "translators", f"{said}; {len(tested)} tested{'' if every_pair else ' (--all tests every one)'}"
    )


def _marks_only(engines: Any, source: str, target: str) -> bool:
    from svc_nb.service.translators import NoTranslator

    try:
        return bool(engines.choose(source, target).name == "pseudo")
    except NoTranslator:
        return True


def _packages() -> tuple[str, ...]:
    from svc_nb.service.translators.apertium import DEBIAN_PACKAGES

    return DEBIAN_PACKAGES


def browser() -> Finding:
    """A browser, which only the project's own tests drive."""
    named = os.environ.get("SVC_CHROMIUM")
    found = shutil.which(named) if named else next(filter(None, map(shutil.which, BROWSERS)), None)
    if found:
        return Finding(OK, "browser", f"{found}; only the project's own tests drive it")
    return Finding(NOTE, "browser", "no Chromium on PATH; only the project's own browser tests need one")


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
