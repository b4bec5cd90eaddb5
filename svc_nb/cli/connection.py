"""The session of one command: opened with the settings that are there, and closed at its end."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from svc_nb.cli.failure import tell

if TYPE_CHECKING:
    from svc_nb.session import Session

EMBEDDED = "no address is set, so this is the embedded service on this machine; `svc-nb doctor` tells more."


@contextmanager
def connected(options: Namespace) -> Iterator[Session]:
    """The session that *options* name, current within the block; that it is the embedded service is said."""
    from svc_nb.session import connect, make_current

    before = make_current(None)
    try:
        sample = getattr(options, "sample", False)
        given: dict[str, Any] = {"strict": True} if options.strict else {}
        session = connect(profile=options.profile, base_url=options.base_url, sample=sample, **given)
        if session.service and not sample and not options.quiet:
            tell(EMBEDDED)
        try:
            yield session
        finally:
            session.close()
    finally:
        make_current(before)
