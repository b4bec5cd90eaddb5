"""A session that is the current one for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from svc_nb import session


@contextmanager
def current(opened: session.Session) -> Iterator[session.Session]:
    """Within it *opened* is the current session; afterwards the one before is again, and *opened* is closed."""
    before = session.make_current(opened)
    try:
        yield opened
    finally:
        session.make_current(before)
        opened.close()
        opened.store.close()
