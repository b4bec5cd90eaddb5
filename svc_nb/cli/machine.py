"""What is installed on this machine: versions, JupyterLab, a keyring, translators, a browser."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from importlib import metadata
from typing import Any

from svc_nb.cli.finding import NOTE, OK, PROBLEM, Finding
from svc_nb.extras import install

PARTS = ("pandas", "numpy", "requests", "matplotlib", "ipywidgets", "anywidget")
EXTENSIONS = {
    "svc-nb": "the launcher tiles and the sidebar",
    "anywidget": "grids and charts in panels",
    "@jupyter-widgets/jupyterlab-manager": "panels",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ONLY_TESTS = "only the project's own tests need one"


def version(name: str) -> str | None:
    """Which version of a package is installed; None where it is not."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def versions() -> Finding:
    """What runs here."""
    python = ".".join(map(str, sys.version_info[:3]))
    found = {name: version(name) for name in PARTS}
    missing = [name for name, number in found.items() if number is None]
    said = f"svc-nb {version('svc-nb') or 'unknown'}, Python {python}, " + ", ".join(
        f"{name} {number}" for name, number in found.items() if number
    )
    if missing:
        return Finding(PROBLEM, "versions", f"{said}; missing: {', '.join(missing)}", "install svc-nb again")
    return Finding(OK, "versions", said)


def jupyterlab() -> Iterator[Finding]:
    """Whether JupyterLab is here, and has what the panels and the launcher need."""
    lab = version("jupyterlab")
    if lab is None:
        said = "not in this environment; everything but panels works without"
        yield Finding(NOTE, "jupyterlab", said, "install svc-nb where JupyterLab is, or JupyterLab here")
        return
    from svc_nb.cli.labextensions import disabled, installed

    here, off = installed(), disabled()
    on = [name for name in EXTENSIONS if name in here and name not in off]
    yield Finding(OK, "jupyterlab", f"{lab}, with {', '.join(on) or 'none of the extensions'}")
    for name, needed_for in EXTENSIONS.items():
        if name not in here:
            said = f"its extension {name} is missing"
            yield Finding(NOTE, "jupyterlab", said, f"for {needed_for} install svc-nb again")
        elif name in off:
            said = f"its extension {name} is disabled"
            yield Finding(NOTE, "jupyterlab", said, f"jupyter labextension enable {name}")


def keyring() -> Finding:
    """Whether keys can be kept in the OS keyring; none is asked for, since that may ask the person."""
    if version("keyring") is None:
        said = "not installed; keys come from SVC_API_KEY or a profile"
        return Finding(NOTE, "keyring", said, install("keyring"))
    try:
        import keyring as ring

        backend = ring.get_keyring()
        works = float(backend.priority) > 0
    except Exception as problem:  # backends fail in their own ways
        return Finding(NOTE, "keyring", f"installed, but it does not work: {type(problem).__name__}")
    if not works:
        said = "installed, but this system has no keyring to use; set SVC_API_KEY or use a profile"
        return Finding(NOTE, "keyring", said)
    name = f"{type(backend).__module__.removeprefix('keyring.backends.')}.{type(backend).__name__}"
    return Finding(OK, "keyring", f"{name}; `python -m keyring set svc_nb default` keeps a key in it")


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
    said = f"the embedded service: {_named(offered)}"
    if failed:
        return Finding(PROBLEM, "translators", f"{said}; these failed their test: {', '.join(failed)}", how)
    all_of_them = "" if every_pair else " (--all tests every one)"
    return Finding(OK, "translators", f"{said}; {len(tested)} tested{all_of_them}")


def _named(offered: dict[tuple[str, str], str]) -> str:
    languages = sorted({code for pair in offered for code in pair})
    return f"{', '.join(sorted(set(offered.values())))}, {len(offered)} pairs of {', '.join(languages)}"


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
    return Finding(OK if found else NOTE, "browser", f"{found or 'no Chromium on PATH'}; {ONLY_TESTS}")
