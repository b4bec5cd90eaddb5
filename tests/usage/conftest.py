"""A service whose administrator asks, and use that is booked on days of the past."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from svc_nb.session import Session
from svc_nb.settings import Settings
from tests import served

lasting, running, reached, counters = served.lasting, served.running, served.reached, served.counters

TODAY = date(2026, 11, 15)
FIRST = date(2024, 1, 1)


class Books:
    """Books use in the running service, and asks it by plain HTTP and as an administrator."""

    def __init__(self, running, asked):
        self.running, self.asked = running, asked
        self.keys = [running.create_key(label) for label in ("team", "team", " ", "$x_1$ <b>", "shop")]

    def book(self, key, product, units, day, *, second=0, tag=None):
        """Book *units* for a key by its number, so many days after `FIRST`."""
        moment = datetime(FIRST.year, FIRST.month, FIRST.day, tzinfo=UTC) + timedelta(days=day, seconds=second)
        self.running.record_usage(self.keys[key], product, units, moment=moment, tag=tag)


@pytest.fixture(scope="module")
def admin(lasting):
    opened = Session.embedded(lasting, Settings(first_wait=0.01))
    yield opened.admin
    opened.close()


@pytest.fixture(scope="module")
def books(lasting, admin):
    return Books(lasting, admin)
