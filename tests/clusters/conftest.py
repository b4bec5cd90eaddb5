"""One service for all tests of a file, with its own counters; every test gets a store of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from svc_nb import service
from tests.counters import Counters
from tests.toy import TRANSLATORS


@pytest.fixture(scope="module")
def lasting() -> Iterator[service.Service]:
    """The service of this file, in memory."""
    with service.start(memory=True, translators=TRANSLATORS) as started:
        yield started


@pytest.fixture
def running(lasting: service.Service) -> Iterator[service.Service]:
    """The service of this file; it behaves again when the test is over."""
    lasting.traffic.peak = 0
    yield lasting
    lasting.faults.clear()


@pytest.fixture
def counters(running, connected) -> Counters:
    """What `running` counts from here on, while `connected` is the current session."""
    return Counters(running, connected)


@pytest.fixture(autouse=True)
def plain(unwarned) -> None:
    """The pseudo translator is good enough for every test here."""
