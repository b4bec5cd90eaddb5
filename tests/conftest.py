"""The embedded service, running, for every test that asks for it; and which tests belong to which `make` command."""

from __future__ import annotations

import functools
import gc
import os
import shutil
import signal
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import hypothesis
import pytest
import requests

from svc_nb import service, session
from svc_nb.engine import database
from svc_nb.marked import MarkedOnly
from svc_nb.service import sample
from svc_nb.settings import Settings
from tests import served
from tests.sessions import current

# No test may fail because the machine is busy, or by chance: "quick" and "full" use the same examples every time. To
# look for new ones, run `HYPOTHESIS_PROFILE=search make test-long`. Slow tests set a lower max_examples of their own.
STEADY = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
hypothesis.settings.register_profile("quick", **STEADY, derandomize=True, max_examples=5)
hypothesis.settings.register_profile("full", **STEADY, derandomize=True, max_examples=20)
hypothesis.settings.register_profile("search", **STEADY, max_examples=200)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

# Tests kill processes but cut no power; to wait for the disk would be most of what a new store costs.
database.SETTINGS = tuple(setting.replace("NORMAL", "OFF") for setting in database.SETTINGS)
# The year of the sample is the same for all tests of a day.
sample.year = functools.cache(sample.year)

HERE = Path(__file__).parent
# Folders and files that need a package `make test` does not install: the part they belong to, and the package.
PLACES = {
    HERE / "browser": ("browser", "playwright"),
    HERE / "clusters" / "on_dask": ("clusters", "dask"),
    HERE / "clusters" / "on_spark": ("clusters", "pyspark"),
    HERE / "contract" / "test_fuzz.py": ("long", "schemathesis"),
    HERE / "packaging": ("packaging", "build"),
}
LEFT_OUT: list[str] = []
PARTS = ("browser", "clusters", "documents", "packaging", "long")
APERTIUM = "real translations: Apertium is not installed, so their tests were skipped (make translators)"
OLDEST = "oldest: most quick tests again, with the lowest versions allowed (make test-oldest)"


def pytest_configure() -> None:
    """Let tests interrupt processes even where a parent ignores signals, as the shell of a background job does."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Programs that tests start inherit SIG_IGN, but not a handler.
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import what `-m` leaves out, or, without `-m`, what lacks its package."""
    if collection_path not in PLACES:
        return None
    part, package = PLACES[collection_path]
    asked = config.option.markexpr
    if asked and not eval(asked, {}, defaultdict(bool, {part: True})):
        return True
    if find_spec(package):
        return None
    lacking = f"{collection_path.relative_to(HERE.parent)} needs {package}; make test-{part} installs it"
    if asked:
        raise pytest.UsageError(lacking)
    LEFT_OUT.append(f"left out: {lacking}")
    return True


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """Say which tests were left out because they lack a package."""
    return LEFT_OUT if _is_whole(config) else []


def _is_whole(config: pytest.Config) -> bool:
    """Whether no file or folder was named on the command line."""
    return config.args_source != config.ArgsSource.ARGS


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of each part; those of none are quick."""
    places = {f"{place}{os.sep}": part for place, (part, _) in PLACES.items()}
    for item in items:
        path = f"{item.path}{os.sep}"
        part = next((part for place, part in places.items() if path.startswith(place)), None)
        if part is None and "soffice" in getattr(item, "fixturenames", ()):
            part = "documents"
        by_hand = {marker.name for marker in item.iter_markers()} & {*PARTS, "quick"}
        if by_hand - {"long"}:
            raise pytest.UsageError(f"{item.nodeid}: only `long` is set by hand; see CONTRIBUTING.md")
        if part or not by_hand:
            item.add_marker(part or "quick")


def pytest_collection_finish() -> None:
    """Keep the collected tests out of garbage collection until the end, and run it less often."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_unconfigure() -> None:
    """Let go of what was collected."""
    gc.unfreeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """After `make test`, list what is left to `make test-all`, and why."""
    if config.option.markexpr == "quick" and _is_whole(config):
        terminalreporter.section("left to make test-all")
        for line in config.getini("markers"):
            if line.partition(":")[0] in PARTS:
                terminalreporter.line(line)
        terminalreporter.line(OLDEST)
        if not shutil.which("apertium"):
            terminalreporter.line(APERTIUM)


class Raw:
    """Plain HTTP against a service: what any client could send."""

    def __init__(self, running: service.Service) -> None:
        self.running = running
        self.session = requests.Session()
        self.session.trust_env = False

    def __call__(self, method: str, path: str, *, key: str | None = None, **rest) -> requests.Response:
        secret = self.running.api_key if key is None else key
        headers = {"Authorization": f"Service-Auth-Key {secret}", **rest.pop("headers", {})}
        return self.session.request(method, self.running.base_url + path, headers=headers, timeout=60, **rest)

    def admin(self, method: str, path: str, **rest) -> requests.Response:
        return self(method, path, key=self.running.admin_key, **rest)


running = served.fresh


@pytest.fixture
def raw(running: service.Service) -> Iterator[Raw]:
    """Plain HTTP against `running`."""
    caller = Raw(running)
    yield caller
    caller.session.close()


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch) -> None:
    """No test sees, or fills, the answers of the person who runs it."""
    monkeypatch.setenv("SVC_STORE", str(tmp_path / "answers.sqlite"))


@pytest.fixture
def connected(running: service.Service, tmp_path) -> Iterator[session.Session]:
    """The current session: with `running`, and with a store of its own."""
    settings = Settings(store=str(tmp_path / "answers.sqlite"), first_wait=0.01)
    with current(session.Session.embedded(running, settings)) as opened:
        yield opened


@pytest.fixture
def marking(tmp_path) -> Iterator[session.Session]:
    """The current session: with a service that has no translator, and so only marks texts."""
    with service.start(memory=True, translators=["pseudo"]) as started:
        settings = Settings(store=str(tmp_path / "answers.sqlite"), first_wait=0.01)
        with current(session.Session.embedded(started, settings)) as opened:
            yield opened


@pytest.fixture
def unwarned(recwarn) -> None:
    """Texts may be only marked: the pseudo translator is good enough for this test."""
    import warnings

    warnings.simplefilter("ignore", MarkedOnly)
