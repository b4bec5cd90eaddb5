"""The embedded service, running, for every test that asks for it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import hypothesis
import pytest
import requests

from svc_nb import service, session
from svc_nb.client.text import MarkedOnly
from svc_nb.settings import Settings

# A busy machine is no reason to fail, and what lands must not depend on the dice; people's own runs keep searching.
hypothesis.settings.register_profile("steady", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("steady")


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
    opened = session.Session.embedded(running, settings)
    before = session.make_current(opened)
    yield opened
    session.make_current(before)
    opened.close()
    opened.store.close()


@pytest.fixture
def unwarned(recwarn) -> None:
    """Texts may be only marked: the pseudo translator is good enough for this test."""
    import warnings

    warnings.simplefilter("ignore", MarkedOnly)
