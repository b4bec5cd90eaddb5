"""Services for tests, as fixtures: a fresh one for each test, or one for all tests of a file, with its counters."""

from __future__ import annotations

import pytest

from svc_nb import service, session
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from tests.counters import Counters
from tests.toy import TRANSLATORS


@pytest.fixture
def fresh():
    """A service of its own for one test, in memory."""
    with service.start(memory=True, translators=TRANSLATORS) as started:
        yield started


@pytest.fixture(scope="module")
def lasting():
    with service.start(memory=True, translators=TRANSLATORS) as started:
        yield started


@pytest.fixture
def running(lasting):
    """The service of this file; it behaves again when the test is over."""
    lasting.traffic.peak = 0
    yield lasting
    lasting.faults.clear()


@pytest.fixture
def reached(running, tmp_path):
    """Makes a session current that reaches the service by its address, with a key and so a gate of its own."""
    opened = []
    before = session.make_current(None)

    def reach(**settings):
        given = {
            "store": str(tmp_path / "answers.sqlite"),
            "first_wait": 0.01,
            "longest_wait": 0.05,
            "base_url": running.base_url,
            **settings,
        }
        opened.append(session.Session(Settings(api_key=Secret(running.create_key()), **given)))
        session.make_current(opened[-1])
        return opened[-1]

    yield reach
    session.make_current(before)
    for each in opened:
        each.close()
        each.store.close()


@pytest.fixture
def counters(running, connected) -> Counters:
    """What `running` counts from here on."""
    return Counters(running, connected)
