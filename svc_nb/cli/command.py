"""All commands together: the words are parsed, the command is run, and how it ends is the exit code."""

from __future__ import annotations

import os
import sys
import warnings
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from svc_nb.cli import detect, doctor, documents, glossary, languages, notebook, style, translate, usage
from svc_nb.cli.failure import MISUSED, ended, tell
from svc_nb.cli.signals import interrupting
from svc_nb.cli.words import Parser, leaf

ABOUT = "Translate files, keep glossaries in step, see usage, and find out what is wrong."
MORE = """\
Keys are never given here: they come from SVC_API_KEY and SVC_ADMIN_KEY, a
profile, or the keyring. With no address set the embedded service on this
machine is used. Exit codes: 0 all is well, 1 something failed, or lint and
diff found something, 2 called wrongly, 3 not translated: for some texts there
is no translator, so they were only marked, 130 interrupted (143 by SIGTERM,
129 by SIGHUP).

example:
  svc-nb translate reviews.csv --columns review --to DE"""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command in *words*, or in those of the process, and give the code to exit with."""
    given = list(sys.argv[1:] if words is None else words)
    _open_streams()
    with _told_plainly(quiet="-q" in given or "--quiet" in given), interrupting() as asked:
        try:
            return asked.code(ended(lambda: _run(given), traceback="--traceback" in given))
        except SystemExit as end:  # of --help and --version
            return end.code if isinstance(end.code, int) else 0


def _open_streams() -> None:
    """Make both streams take any letter, and be there at all: a shell can close them."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # as long as the process
        elif hasattr(getattr(sys, name), "reconfigure"):
            getattr(sys, name).reconfigure(errors="replace")


def _run(words: Sequence[str]) -> int:
    if words[:1] == ["serve"]:
        from svc_nb.service.__main__ import main as serve

        return serve(words[1:], prog="svc-nb serve")
    parser = _parser()
    command = parser.meant(words)
    if command.commands and not any(word.startswith("-") for word in words):
        command.print_help(sys.stderr)
        return MISUSED
    options = parser.parse(words)
    code: int = options.run(options)
    return code


def _parser() -> Parser:
    parser = Parser(prog="svc-nb", description=ABOUT, epilog=MORE)
    parser.add_argument("-V", "--version", action="version", version=f"svc-nb {_version()}")
    commands: Any = parser.add_subparsers(metavar="COMMAND", required=True)
    commands.owner = parser
    leaf(commands, "demo", _demo, help="show the main jobs on the embedded service", example="svc-nb demo")
    for each in (translate, detect, languages, notebook, documents, glossary, style, usage):
        each.add(commands)
    leaf(
        commands,
        "serve",
        _serve,
        help="run the embedded service until Ctrl-C",
        example="svc-nb serve --port 8765",
    )
    doctor.add(commands)
    return parser


def _demo(options: Namespace) -> int:
    from svc_nb import demo

    demo.main()
    return 0


def _serve(options: Namespace) -> int:
    """Run the service with no options: those that have any are passed on before this parser sees them."""
    from svc_nb.service.__main__ import main as serve

    return serve([], prog="svc-nb serve")


def _version() -> str:
    from importlib import metadata

    try:
        return metadata.version("svc-nb")
    except metadata.PackageNotFoundError:
        return "unknown"


@contextmanager
def _told_plainly(*, quiet: bool) -> Iterator[None]:
    """Warnings as lines on stderr, without the place in the code that they come from."""

    def told(message: Warning | str, *where: Any, **rest: Any) -> None:
        if not quiet:
            tell(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = told
        yield
