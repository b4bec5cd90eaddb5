"""A documents panel that is closed in the end, and files that a browser sends it."""

from __future__ import annotations

import pytest

from svc_nb import panels
from svc_nb.panels.documents import Documents


@pytest.fixture
def documents_panel(connected, tmp_path, monkeypatch, unwarned):
    """Open a panel that is closed when the test ends; it works in a folder of its own."""
    (tmp_path / "desk").mkdir()
    monkeypatch.chdir(tmp_path / "desk")
    opened = []

    def make(*args, **options) -> Documents:
        opened.append(panels.Documents(*args, **options))
        assert opened[-1].wait(60)
        return opened[-1]

    yield make
    for each in opened:
        each.close()


@pytest.fixture
def dropped():
    """Have a browser drop a file on a panel, in pieces: `dropped(panel, "a.txt", b"...")`."""
    numbers = iter(range(1000))

    def drop(panel: Documents, name: str, data: bytes, *, size: int | None = None, piece: int = 1000) -> None:
        number = str(next(numbers))
        whole = len(data) if size is None else size
        for at in range(0, max(1, len(data)), piece):
            message = {"kind": "piece", "number": number, "name": name, "size": whole, "at": at}
            panel.layout.drop.hear(message, [data[at : at + piece]])
        assert panel.wait(60)

    return drop
