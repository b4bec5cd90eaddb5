"""Translate panels that are closed in the end, on one service for all tests of a file."""

from __future__ import annotations

import pandas as pd
import pytest

from svc_nb import panels, service, session
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from tests.counters import Counters
from tests.toy import TRANSLATORS

OPERATION = "POST /v2/translate"
TEXTS = [f"The house number {number} is red." for number in range(1000)]


@pytest.fixture(scope="module")
def lasting():
    with service.start(memory=True, translators=TRANSLATORS) as started:
        yield started


@pytest.fixture
def running(lasting):
    """The service of this file; it behaves again when the test is over."""
    yield lasting
    lasting.faults.clear()


@pytest.fixture
def reach(running, tmp_path):
    """Makes a session current with a key, and so a gate, of its own: `reach(api_key=…)`."""
    opened = []
    before = session.make_current(None)

    def reached(**settings):
        given = {"store": str(tmp_path / "answers.sqlite"), "first_wait": 0.01, "longest_wait": 0.05}
        key = Secret(settings.pop("api_key", None) or running.create_key())
        made = Settings(base_url=running.base_url, api_key=key, **{**given, **settings})
        opened.append(session.Session(made))
        session.make_current(opened[-1])
        return opened[-1]

    yield reached
    session.make_current(before)
    for each in opened:
        each.close()
        each.store.close()


@pytest.fixture
def counters(running, reach) -> Counters:
    """What the service counts from here on; a session is current."""
    return Counters(running, reach())


@pytest.fixture
def panel(counters):
    """Open a panel that is closed when the test ends; its plan is there."""
    opened = []

    def make(table, *args, **options) -> panels.Translate:
        opened.append(panels.Translate(table, *args, **options))
        assert opened[-1].wait(60)
        return opened[-1]

    yield make
    for each in opened:
        each.close()


@pytest.fixture
def frame() -> pd.DataFrame:
    """A small frame with all that can stand in a column."""
    titles = [
        "The house is red.",
        "Order {name} has 12 pieces.",
        None,
        "https://a.example/b",
        "The house is red.",
    ]
    return pd.DataFrame({"title": titles, "body": [f"Garden {n} is large." for n in range(5)], "n": range(5)})


def done(panel, timeout=60):
    """Run what is chosen to its end, checks included."""
    panel.run()
    assert panel.wait(timeout)
    return panel
