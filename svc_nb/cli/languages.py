"""`svc-nb languages`: what the service translates from and into, and which pairs it really has."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from svc_nb.cli.connection import connected
from svc_nb.cli.screen import show
from svc_nb.cli.words import connecting, listing


def add(commands: Any) -> None:
    """Add the command."""
    parser = listing(
        commands,
        "languages",
        run,
        help="list the languages of the service, or the pairs that it really translates",
        example="svc-nb languages\n  svc-nb languages --pairs",
    )
    parser.add_argument("--pairs", action="store_true", help="the pairs, each with its translator")
    connecting(parser)


def run(options: Namespace) -> int:
    """Show the languages or the pairs."""
    from svc_nb import supported

    with connected(options):
        show(supported.pairs() if options.pairs else supported.languages(), options.form)
    return 0
