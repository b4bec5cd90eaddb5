"""`svc-nb mcp`: the tools of svc_nb for an agent, over stdin and stdout."""

import sys
from argparse import Namespace

from svc_nb.advice import install
from svc_nb.cli.failure import Failure, tell
from svc_nb.cli.options import Parser, characters, connected


def add(commands: Parser) -> None:
    """Add the command."""
    about = "serve an agent: a server of the Model Context Protocol on stdin and stdout, which a client starts"
    parser = commands.command("mcp", run, about, "svc-nb mcp --profile work --budget 100000")
    spent = "the most characters that the agent may spend until the server ends; else each call has its own budget only"
    parser.add_argument("--budget", metavar="N", type=characters, help=spent)


def run(options: Namespace) -> int:
    """Serve until the client ends."""
    try:
        from svc_nb.agents.server import serve
    except ModuleNotFoundError as lacking:
        if (lacking.name or "").partition(".")[0] != "mcp":
            raise
        raise Failure(f"the package mcp is not installed, or too old: {install('agents')}") from None
    if sys.stdin.isatty():
        tell("waiting for a client, which would start this itself; Ctrl-C ends it")
    with connected(options) as session:
        serve(session, options.budget)
    return 0
