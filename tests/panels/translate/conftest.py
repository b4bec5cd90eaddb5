"""Translate panels that are closed in the end, on one service for all tests of a file."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd
import pytest

from svc_nb import panels, service, session
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from tests.counters import Counters
from tests.toy import Toy

OPERATION = "POST /v2/translate"
SPANISH = {
    "Garden": "El jardín",
    "Order": "El pedido",
    "The garden": "El jardín",
    "The house": "La casa",
    "has": "contiene",
    "is": "es",
    "large": "grande",
    "number": "número",
    "pieces": "piezas",
    "red": "roja",
}
TEXTS = [f"The house number {number} is red." for number in range(1000)]


class Spanish(Toy):
    """Knows the words of these tests in Spanish, on every machine alike; for other languages it is a toy."""

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        if (source, target) != ("en", "es"):
            return super().translate(texts, source, target)
        words = re.compile(rf"\b({'|'.join(sorted(SPANISH, reverse=True))})\b")
        return [words.sub(lambda match: SPANISH[match[0]], text) for text in texts]


@pytest.fixture(scope="module")
def lasting():
    with service.start(memory=True, translators=(Spanish(),)) as started:
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
        given["base_url"] = running.base_url
        key = Secret(settings.pop("api_key", None) or running.create_key())
        made = Settings(api_key=key, **{**given, **settings})
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
