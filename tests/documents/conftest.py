"""A service, a session with it, and folders of small documents."""

from __future__ import annotations

import pytest

from svc_nb import service, session
from svc_nb.documents.storage import Workspace
from svc_nb.secret import Secret
from svc_nb.service import Account
from svc_nb.settings import Settings
from tests.counters import quiet
from tests.toy import TOY

UPLOAD = "POST /v2/document"
STATUS = "POST /v2/document/{document_id}"
RESULT = "POST /v2/document/{document_id}/result"


class Office:
    """A service with a session of its own, and what it counted."""

    def __init__(self, running, store, **settings):
        self.running = running
        self.key = running.create_key()
        fast = {"first_wait": 0.01, "longest_wait": 0.05, **settings}
        self.session = session.Session(
            Settings(base_url=running.base_url, api_key=Secret(self.key), store=str(store), **fast)
        )

    def answered(self, operation, status=200):
        """How many requests were answered so, when nothing is under way any more."""
        quiet(self.running)
        return self.so_far(operation, status)

    def so_far(self, operation, status=200):
        """The same while others are at work."""
        return self.running.traffic.answered[operation, status]

    @property
    def billed(self):
        quiet(self.running)
        return self.session.client.account.usage().character_count

    @property
    def workspace(self):
        return Workspace.of(self.session)


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch):
    """No test touches the keyring of the person who runs it."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    import keyring
    from keyring.backends import null

    before = keyring.get_keyring()
    keyring.set_keyring(null.Keyring())
    yield
    keyring.set_keyring(before)


@pytest.fixture
def office(tmp_path):
    """Make an office the current one; *seconds* is how long a document takes at least."""
    made, before = [], session.make_current(None)

    def make(*, seconds=0.0, account=None, folder=None, translators=TOY, **settings):
        started = service.start(
            memory=folder is None,
            folder=folder,
            translators=translators,
            account=account or Account(document_seconds=seconds),
        )
        made.append(Office(started, tmp_path / "store" / "answers.sqlite", **settings))
        session.make_current(made[-1].session)
        return made[-1]

    yield make
    session.make_current(before)
    for each in made:
        each.running.faults.clear()
        each.session.close()
        each.running.stop()


@pytest.fixture
def folder(tmp_path):
    """Make a folder `in` of small documents by name and text."""

    def make(**texts):
        for name, text in (texts or {"a": "Guten Tag.", "b": "Gute Nacht."}).items():
            path = tmp_path / "in" / (name.replace("__", "/") + ".txt")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path / "in"

    return make
