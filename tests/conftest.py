"""The embedded service, running, for every test that asks for it; and which tests belong to which `make` command."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
import requests

from svc_nb import service, session
from svc_nb.batch import database
from svc_nb.client.text import MarkedOnly
from svc_nb.settings import Settings
from tests.sessions import current

# A busy machine is no reason to fail, and CI must not depend on random examples; a full run elsewhere keeps searching.
STEADY = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
hypothesis.settings.register_profile("full", **STEADY, derandomize="CI" in os.environ)
hypothesis.settings.register_profile("quick", **STEADY, derandomize=True, max_examples=10)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

# Tests kill processes but cut no power; to wait for the disk would be most of what a new store costs.
database.SETTINGS = tuple(setting.replace("NORMAL", "OFF") for setting in database.SETTINGS)

HERE = Path(__file__).parent
# Folders and files that need packages `make test` does not install, and the part they belong to.
PLACES = {
    HERE / "browser": "browser",
    HERE / "clusters" / "on_dask": "clusters",
    HERE / "clusters" / "on_spark": "clusters",
    HERE / "contract" / "test_fuzz.py": "long",
    HERE / "packaging": "packaging",
}
PARTS = ("browser", "clusters", "documents", "packaging", "long")
LEFT_OUT = pytest.StashKey[Counter[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Let tests interrupt processes even where a parent ignores signals, as the shell of a background job does."""
    config.stash[LEFT_OUT] = Counter()
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Programs that tests start inherit SIG_IGN, but not a handler.
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import what `-m` leaves out: its packages may not be installed."""
    part = PLACES.get(collection_path)
    return True if part and config.option.markexpr and not _chosen(config.option.markexpr, part) else None


def _chosen(expression: str, part: str) -> bool:
    return bool(eval(expression, {}, defaultdict(bool, {part: True})))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of each part; those of none are quick."""
    places = {f"{place}{os.sep}": part for place, part in PLACES.items()}
    for item in items:
        path = f"{item.path}{os.sep}"
        part = next((part for place, part in places.items() if path.startswith(place)), None)
        if part is None and "soffice" in getattr(item, "fixturenames", ()):
            part = "documents"
        if part or not any(marker.name in PARTS for marker in item.iter_markers()):
            item.add_marker(part or "quick")


def pytest_collection_finish() -> None:
    """Leave what was collected out of every search for garbage until the end."""
    gc.freeze()


def pytest_unconfigure() -> None:
    """Let go of what was collected."""
    gc.unfreeze()


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count what is left out, by part."""
    for item in items:
        parts = [part for part in PARTS if item.get_closest_marker(part)]
        item.config.stash[LEFT_OUT].update(parts[:1])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that started this worker, if it is one, what was left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.stash[LEFT_OUT])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    """Note what a worker left out; all leave out the same."""
    node.config.stash[LEFT_OUT] = Counter(getattr(node, "workeroutput", {}).get("left_out"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """After `make test`, say what is left to `make test-all`, and why."""
    if config.option.markexpr != "quick":
        return
    files: Counter[str] = Counter()
    for place, part in PLACES.items():
        files[part] += len(list(place.glob("test_*.py"))) if place.is_dir() else 1
    tests = config.stash[LEFT_OUT]
    reasons = dict(line.split(": ", 1) for line in config.getini("markers"))
    terminalreporter.section("left to make test-all")
    for part in PARTS:
        if not files[part] + tests[part]:
            continue
        counts = f"{files[part]} files" * bool(files[part]), f"{tests[part]} tests" * bool(tests[part])
        terminalreporter.line(f"{part} ({' and '.join(filter(None, counts))}): {reasons[part]}")


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


@pytest.fixture
def running() -> Iterator[service.Service]:
    """A service of its own for one test, in memory."""
    with service.start(memory=True) as started:
        yield started


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
def unwarned(recwarn) -> None:
    """Texts may be only marked: the pseudo translator is good enough for this test."""
    import warnings

    warnings.simplefilter("ignore", MarkedOnly)
