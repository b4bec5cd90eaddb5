"""`svc-nb doctor`: everything that must be right for the rest to work, looked at, and what to do where it is not.

Keys are never shown, only where they come from.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import sys
import tomllib
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from textwrap import wrap
from time import perf_counter
from typing import TYPE_CHECKING

from svc_nb.advice import install
from svc_nb.cli.failure import FAILED, spoken
from svc_nb.cli.options import Parser
from svc_nb.cli.output import show_table, terminal_width
from svc_nb.errors import SvcError, one_line
from svc_nb.settings import APP, ENVIRONMENT, KEYS, Settings
from svc_nb.tabular.report import plural

if TYPE_CHECKING:
    from svc_nb.session import Session
    from svc_nb.wire.models import Usage

EXAMPLE = "svc-nb doctor\n  svc-nb doctor --all --json"
OK, NOTE, PROBLEM = "ok", "note", "problem"
LONGEST = 600
MOST_CODES = 50
PACKAGES = ("pandas", "numpy", "requests", "matplotlib", "ipywidgets", "anywidget")
EXTENSIONS = {
    "svc-nb": "the launcher tiles and the sidebar",
    "anywidget": "grids and charts in panels",
    "@jupyter-widgets/jupyterlab-manager": "panels",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ONLY_TESTS = "only the project's own tests need one"
PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
LITTLE = 0.1


def add(commands: Parser) -> None:
    """Add the command."""
    about = "check versions, settings, connection, key, store and translators"
    parser = commands.command("doctor", run, about, EXAMPLE)
    parser.flag("--all", "test every language pair of the translators: some seconds")
    parser.add_json_option("the findings as JSON")


def run(options: Namespace) -> int:
    """Show a line for each finding; 1 when one of them is a problem."""
    import pandas as pd

    found = []
    for each in findings(options.profile, options.base_url, every_pair=options.all):
        found.append(each)
        if not options.form:
            print("\n".join(each.lines(terminal_width())), flush=True)
    if options.form:
        show_table(pd.DataFrame(found), options.form)
    return FAILED if any(each.state == PROBLEM for each in found) else 0


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was looked at: how it is, and what to do where it is not well."""

    state: str
    what: str
    said: str
    advice: str = ""

    def lines(self, width: int | None) -> list[str]:
        """The finding to be read, in lines of *width*, or one for each part of it."""
        first = f"{self.state:<8} {self.what:<12} "
        parts = [(first, self.said)] + ([(" " * len(first) + "-> ", self.advice)] if self.advice else [])
        found: list[str] = []
        for head, text in parts:
            text = one_line(text, limit=LONGEST)
            if width is None or width < 2 * len(head):
                found.append(head + text)
            else:
                rest = " " * len(head)
                found += wrap(text, width, initial_indent=head, subsequent_indent=rest, break_on_hyphens=False)
        return found


def findings(profile: str | None, base_url: str | None, *, every_pair: bool) -> Iterator[Diagnosis]:
    """Look at everything, in the order in which one thing needs the other."""
    yield versions()
    yield from jupyterlab()
    yield keyring()
    yield from config_file()
    try:
        settings = Settings.load(profile, base_url=base_url)
    except SvcError as problem:
        where = f"settings come from SVC_… in the environment, then from a profile in {_config_file()}"
        yield Diagnosis(PROBLEM, "settings", spoken(problem), where)
        yield from translators(None, every_pair=every_pair)
    else:
        yield from settings_found(settings, base_url)
        yield from service(profile, base_url, embedded=settings.address is None)
        yield store(settings)
        yield models()
        yield from translators(settings.translators, every_pair=every_pair)
    named = os.environ.get("SVC_CHROMIUM")
    browser = shutil.which(named) if named else next(filter(None, map(shutil.which, BROWSERS)), None)
    yield Diagnosis(OK if browser else NOTE, "browser", f"{browser or 'no Chromium on PATH'}; {ONLY_TESTS}")


# ---- what is installed on this machine


def version(name: str) -> str | None:
    """Which version of a package is installed; None if it is not."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def versions() -> Diagnosis:
    """What runs here."""
    python = ".".join(map(str, sys.version_info[:3]))
    found = {name: version(name) for name in PACKAGES}
    missing = [name for name, number in found.items() if number is None]
    said = f"svc-nb {version('svc-nb') or 'unknown'}, Python {python}, " + ", ".join(
        f"{name} {number}" for name, number in found.items() if number
    )
    if missing:
        return Diagnosis(PROBLEM, "versions", f"{said}; missing: {', '.join(missing)}", "install svc-nb again")
    return Diagnosis(OK, "versions", said)


def jupyterlab() -> Iterator[Diagnosis]:
    """Whether JupyterLab is here, and has what the panels and the launcher need."""
    lab = version("jupyterlab")
    if lab is None:
        said = "not in this environment; everything but panels works without"
        yield Diagnosis(NOTE, "jupyterlab", said, "install svc-nb in the environment of JupyterLab, or JupyterLab here")
        return
    here, off = installed_extensions(), disabled_extensions()
    on = [name for name in EXTENSIONS if name in here and name not in off]
    yield Diagnosis(OK, "jupyterlab", f"{lab}, with {', '.join(on) or 'none of the extensions'}")
    for name, needed_for in EXTENSIONS.items():
        if name not in here:
            said = f"its extension {name} is missing"
            yield Diagnosis(NOTE, "jupyterlab", said, f"for {needed_for} install svc-nb again")
        elif name in off:
            said = f"its extension {name} is disabled"
            yield Diagnosis(NOTE, "jupyterlab", said, f"jupyter labextension enable {name}")


def installed_extensions() -> set[str]:
    """The names of the prebuilt JupyterLab extensions in Jupyter's data folders."""
    from jupyter_core.paths import jupyter_path

    return {
        manifest.parent.relative_to(folder).as_posix()
        for folder in map(Path, jupyter_path("labextensions"))
        for manifest in (*folder.glob("*/package.json"), *folder.glob("@*/*/package.json"))
    }


def disabled_extensions() -> set[str]:
    """The names of JupyterLab extensions, or of their plugins, that a page_config.json switches off."""
    from jupyter_core.paths import jupyter_config_path

    found: set[str] = set()
    for folder in map(Path, jupyter_config_path()):
        try:
            config = json.loads((folder / "labconfig" / "page_config.json").read_text("utf-8"))
        except (OSError, ValueError):
            continue
        said = config.get("disabledExtensions", {}) if isinstance(config, dict) else {}
        names = said if isinstance(said, list) else [name for name, off in said.items() if off]
        found |= {str(name).partition(":")[0] for name in names}
    return found


def keyring() -> Diagnosis:
    """Whether keys can be kept in the OS keyring; none is asked for, since that may ask the person."""
    if version("keyring") is None:
        said = "not installed; keys come from SVC_API_KEY or a profile"
        return Diagnosis(NOTE, "keyring", said, install("keyring"))
    try:
        import keyring as ring

        backend = ring.get_keyring()
        works = float(backend.priority) > 0
    except Exception as problem:  # backends fail in their own ways
        return Diagnosis(NOTE, "keyring", f"installed, but it does not work: {type(problem).__name__}")
    if not works:
        said = "installed, but this system has no keyring to use; set SVC_API_KEY or use a profile"
        return Diagnosis(NOTE, "keyring", said)
    name = f"{type(backend).__module__.removeprefix('keyring.backends.')}.{type(backend).__name__}"
    return Diagnosis(OK, "keyring", f"{name}; `python -m keyring set svc_nb default` keeps a key in it")


def models() -> Diagnosis:
    """Which models the embedded service has to translate with."""
    from svc_nb.service.models import folders, library

    found = list(library.listed(folders()))
    if not found:
        return Diagnosis(NOTE, "models", "none", "`svc-nb models add de-en` gets one, for any pair of languages")
    engines = sorted({model.engine for model in found if model.engine})
    places = ", ".join(sorted({str(model.place.parent) for model in found}))
    size = f"{max(sum(model.size for model in found) / 1e6, 0.1):,.1f} MB"
    said = f"{plural(len(found), 'model')} of {' and '.join(engines)}, {size}, in {places}"
    broken = [model for model in found if model.test not in (library.PASSED, library.UNTESTED)]
    if broken:
        name, test = broken[0].name, broken[0].test
        return Diagnosis(PROBLEM, "models", f"{name}: {test}", f"svc-nb models remove {name}, and add it again")
    for engine in engines:
        if library.missing(engine):
            return Diagnosis(NOTE, "models", f"{said}; those of {engine} are not used", install(library.EXTRAS[engine]))
    return Diagnosis(OK, "models", said)


def translators(named: Sequence[str] | None, *, every_pair: bool) -> Iterator[Diagnosis]:
    """Which languages the embedded service really translates with the translators *named*, else with all installed."""
    from svc_nb.service.translators import NoTranslator, installed
    from svc_nb.service.translators.apertium import packages_here

    try:
        engines = installed(named)
    except ValueError as problem:
        yield Diagnosis(PROBLEM, "translators", str(problem), "correct SVC_TRANSLATORS, or translators in the profile")
        return
    failed = []
    try:
        services = engines.services()
        for title, trouble in services.items():
            said = f"texts to be translated are sent to {title}, which answers"
            yield Diagnosis(PROBLEM, "translators", trouble) if trouble else Diagnosis(OK, "translators", said)
        offered = engines.pairs()
        tested = list(offered) if every_pair else list(offered)[:1]
        for source, target in tested:
            try:
                works = engines.choose(source, target).name != "pseudo"
            except NoTranslator:
                works = False
            if not works:
                failed.append(f"{source} to {target}")
    finally:
        engines.close()
    how = f"svc-nb models add de-en, or on Debian or Ubuntu: sudo apt-get install {' '.join(packages_here())}"
    if not offered:
        if not services:
            yield Diagnosis(NOTE, "translators", "the embedded service has none, and only marks texts", how)
        return
    codes = sorted({code for pair in offered for code in pair})
    languages = ", ".join(codes) if len(codes) <= MOST_CODES else plural(len(codes), "language")
    names = ", ".join(sorted({name.partition(" (")[0] for name in offered.values()}))
    said = f"the embedded service: {names}, {plural(len(offered), 'pair')} of {languages}"
    if failed:
        yield Diagnosis(PROBLEM, "translators", f"{said}; these failed their test: {', '.join(failed)}", how)
        return
    all_of_them = "" if every_pair else " (--all tests every one)"
    yield Diagnosis(OK, "translators", f"{said}; {len(tested)} tested{all_of_them}")


# ---- the settings, and the service and the store that they name


def config_file() -> Iterator[Diagnosis]:
    """Whether others can read a key in the config file; nothing where there is no key, or only its owner can."""
    file = _config_file()
    try:
        tables = tomllib.loads(file.read_text("utf-8-sig"))
        mode, folders = file.stat().st_mode, [each.stat().st_mode for each in file.resolve().parents]
    except (OSError, ValueError):
        return
    has_key = any(name in table for table in tables.values() if isinstance(table, dict) for name in KEYS)
    # Who cannot enter a folder above it cannot read it.
    reading = {
        "everyone on this machine": mode & stat.S_IROTH and all(each & stat.S_IXOTH for each in folders),
        "its group": mode & stat.S_IRGRP and all(each & (stat.S_IXGRP | stat.S_IXOTH) for each in folders),
    }
    readers = next((who for who, may in reading.items() if may), None)
    if has_key and readers and os.name != "nt":
        advice = f"run: chmod 600 {shlex.quote(str(file))}; if others use this machine, also make a new key"
        yield Diagnosis(PROBLEM, "config file", f"{file} holds a key, and {readers} can read it", advice)


def settings_found(settings: Settings, base_url: str | None) -> Iterator[Diagnosis]:
    """Which settings were found, and where; of a key only that it is set."""
    file = _config_file()
    try:
        in_file = tomllib.loads(file.read_text("utf-8-sig")).get(settings.profile, {})
    except (OSError, ValueError):
        in_file = {}
    sources = {name: variable for variable, name in ENVIRONMENT.items() if os.environ.get(variable)}
    for name in ("base_url", "free_base_url", *KEYS):
        if getattr(settings, name) is not None and name not in sources:
            is_in_keyring = name in KEYS and name not in in_file
            sources[name] = "the keyring" if is_in_keyring else f"[{settings.profile}] in {file}"
    if base_url is not None:
        sources["base_url"] = "--base-url"
    found = ", ".join(f"{name} from {source}" for name, source in sources.items())
    where = settings.address or "no address: the embedded service on this machine"
    said = f"profile {settings.profile!r}; {where}"
    yield Diagnosis(OK, "settings", f"{said} ({found})" if found else said)
    proxies = [name for name in PROXIES if os.environ.get(name)]
    if proxies and settings.address and not settings.is_loopback:
        yield Diagnosis(NOTE, "proxy", f"requests go through the one in {', '.join(proxies)}")


def _config_file() -> Path:
    import platformdirs

    return Path(os.environ.get("SVC_CONFIG_FILE") or platformdirs.user_config_path(APP) / "config.toml")


def service(profile: str | None, base_url: str | None, *, embedded: bool) -> Iterator[Diagnosis]:
    """Whether the service answers to the key, and what may still be used."""
    from svc_nb.session import connect, make_current

    before = make_current(None)
    try:
        session = connect(profile=profile, base_url=base_url)
        try:
            yield from answers(session)
        finally:
            session.close()
    except SvcError as problem:
        if embedded:
            advice = "set XDG_DATA_HOME to a folder that can be written, or SVC_BASE_URL to a service"
        elif isinstance(problem.status, int) and problem.status in (401, 403):
            advice = "make a new key, or check that it belongs to this address"
        else:
            advice = "" if problem.advice else "check the address and the network"
        yield Diagnosis(PROBLEM, "connection", spoken(problem), advice)
    finally:
        make_current(before)


def answers(session: Session) -> Iterator[Diagnosis]:
    """What the service answers to the keys of *session*; raises SvcError if it refuses them."""
    began = perf_counter()
    if session.settings.api_key is None:
        session.admin.keys()
        yield Diagnosis(NOTE, "key", "only an administrator's key is set", "to translate, set SVC_API_KEY")
    else:
        used = session.client.account.usage()
        milliseconds = 1000 * (perf_counter() - began)
        where = "the embedded service" if session.service else session.base_url
        yield Diagnosis(OK, "connection", f"{where} took the key and answered in {milliseconds:,.0f} ms")
        yield quota(used)
    if session.settings.administrator is None:
        said = "none, so `svc-nb usage` and caps are not to be had"
        yield Diagnosis(NOTE, "admin key", said, "an administrator of the account can set SVC_ADMIN_KEY")


def quota(used: Usage) -> Diagnosis:
    """What is left of the account's quota, or of the key's cap where that is less."""
    of, count, limit = used.nearest_limit()
    if limit is None:
        return Diagnosis(OK, "quota", f"{plural(count, 'character')} used in this period, without a limit")
    left = max(0, limit - count)
    whose = "the key's cap" if of == "key" else "the account's quota"
    said = f"{left:,} of {plural(limit, 'character')} left of {whose} in this period"
    if not left:
        advice = "raise it, or wait until the next period begins; what is stored still costs nothing"
        return Diagnosis(PROBLEM, "quota", said, advice)
    return Diagnosis(NOTE if left < LITTLE * limit else OK, "quota", said)


def store(settings: Settings) -> Diagnosis:
    """Whether the answers that are paid for can be kept."""
    from svc_nb.session import open_store

    elsewhere = "name another file by SVC_STORE"
    try:
        info = open_store(settings).info()
    except SvcError as problem:
        return Diagnosis(PROBLEM, "store", spoken(problem), elsewhere)
    path = Path(info.path)
    if path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return Diagnosis(PROBLEM, "store", f"{path} may not be written", elsewhere)
    size = f"{plural(info.entries, 'answer')}, {plural(info.billed, 'character')} paid, {info.bytes / 1e6:,.1f} MB"
    return Diagnosis(OK, "store", f"{path}: {size}")
