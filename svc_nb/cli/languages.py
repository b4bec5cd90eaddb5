"""`svc-nb languages`: what the service translates from and into, and which pairs it really has."""

from __future__ import annotations

from argparse import Namespace

import svc_nb
from svc_nb.cli.options import Parser, connected
from svc_nb.cli.output import show_table


def add(commands: Parser) -> None:
    """Add the command."""
    about = "list the languages of the service, or the pairs that it really translates"
    example = "svc-nb languages\n  svc-nb languages --pairs"
    parser = commands.command("languages", run, about, example, table=True)
    parser.flag("--pairs", "the pairs, each with its translator")


def run(options: Namespace) -> int:
    """Show the languages or the pairs."""
    with connected(options):
        show_table(svc_nb.pairs() if options.pairs else svc_nb.languages(), options.form)
    return 0
