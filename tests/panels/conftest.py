"""Panels that are closed in the end, and a service with a year of use."""

from __future__ import annotations

import pytest

from svc_nb import panels, service, session
from svc_nb.panels.parts import job_panel
from svc_nb.settings import Settings
from tests.sessions import current
from tests.toy import TRANSLATORS


@pytest.fixture(autouse=True)
def decided(monkeypatch) -> None:
    """Whoever chooses goes on no longer than a moment: plans are made nearly at once."""
    monkeypatch.setattr(job_panel, "PAUSE", 0.02)


@pytest.fixture
def panel():
    """Open a panel that is closed when the test ends: `panel(table=...)`; it has its answer."""
    opened = []

    def make(*args, **options) -> panels.Usage:
        opened.append(panels.Usage(*args, **options))
        assert opened[-1].wait(60)
        return opened[-1]

    yield make
    for each in opened:
        each.close()


@pytest.fixture
def year(tmp_path):
    """The current session: with a service that has a year of use by twelve keys."""
    with service.start(memory=True, translators=TRANSLATORS, sample=True) as running:
        settings = Settings(store=str(tmp_path / "answers.sqlite"), first_wait=0.01, tries=2)
        with current(session.Session.embedded(running, settings)) as opened:
            yield opened


class Asked:
    """Counts the requests that a session sends."""

    def __init__(self, opened: session.Session) -> None:
        self.paths: list[str] = []
        transport = opened.admin._transport
        send = transport.request

        def counted(method, path, **rest):
            days = [str((rest.get("params") or {}).get(name, "")) for name in ("start_date", "end_date")]
            self.paths.append(" ".join([method, path, *days]).strip())
            return send(method, path, **rest)

        transport.request = counted


@pytest.fixture
def asked(year) -> Asked:
    """What `year` was asked, from here on."""
    return Asked(year)
