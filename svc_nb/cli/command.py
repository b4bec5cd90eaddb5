"""All commands together: the words are parsed, the command is run, and how it ends is the exit code."""

import os
import shlex
import shutil
import sys
import warnings
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from svc_nb.advice import worded_by
from svc_nb.cli import doctor, documents, file_commands, mcp, models, resources, usage
from svc_nb.cli.failure import BY_SIGNAL, INTERRUPTED, MISUSED, exit_code, interrupting, shell, tell
from svc_nb.cli.options import Parser, connected
from svc_nb.cli.output import show_table

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

# What `svc-nb` alone shows: every line works when it is pasted, in this order, without an account.
FIRST_STEPS = """\
svc-nb translates tables, documents and notebooks, keeps glossaries in step and
shows usage. To begin, paste these; they work without an account:

  {svc_nb} demo           # see the main jobs, on a service on this machine
  {svc_nb} samples        # get files to try: reviews, a glossary, documents

  # what a translation costs, before you pay; then the translation
  {svc_nb} translate samples/reviews.csv --columns review --to EN-US --plan
  {svc_nb} translate samples/reviews.csv --columns review --to EN-US

  {svc_nb} doctor         # check the installation, the connection and the key

`{svc_nb} --help` lists all commands, and `{svc_nb} translate --help` explains one.
"""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command in *words*, or in those of the process, and give the code to exit with."""
    given = list(sys.argv[1:] if words is None else words)
    # Both streams take any letter, and are there at all: a shell can close them.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  # as long as the process
        elif hasattr(getattr(sys, name), "reconfigure"):
            getattr(sys, name).reconfigure(errors="replace")
    quiet = "-q" in given or "--quiet" in given
    with warnings.catch_warnings(), worded_by(shell), interrupting() as signals:
        # Warnings are lines on stderr, without the place in the code that they come from.
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *where, **rest: None if quiet else tell(str(message))
        try:
            code = exit_code(lambda: run(given), traceback="--traceback" in given)
        except SystemExit as end:  # of --help and --version
            return end.code if isinstance(end.code, int) else 0
    # An interrupted command names its signal, as shells do.
    return BY_SIGNAL + signals[0] if signals and code == INTERRUPTED else code


def run(words: Sequence[str]) -> int:
    """Run the command in *words*; raises what goes wrong."""
    if words[:1] == ["serve"]:  # it has a parser of its own
        return serve(words[1:])
    parser = build_parser()
    if not words:
        sys.stderr.write(FIRST_STEPS.format(svc_nb=_as_called()))
        return MISUSED
    command = parser.find(words)
    if command.commands and not any(word.startswith("-") for word in words):
        command.print_help(sys.stderr)
        return MISUSED
    options = parser.parse(words)
    code: int = options.run(options)
    return code


def _as_called() -> str:
    """This program as it can be called again: it may have been found by its path, or run as a module."""
    if shutil.which("svc-nb"):
        return "svc-nb"
    called = sys.argv[0]
    return shlex.quote(called) if Path(called).stem == "svc-nb" else f"{shlex.quote(sys.executable)} -m svc_nb"


def build_parser() -> Parser:
    """The parser of all commands."""
    parser = Parser(prog="svc-nb", description=ABOUT, epilog=MORE)
    parser.add_argument("-V", "--version", action="version", version=f"svc-nb {doctor.version('svc-nb') or 'unknown'}")
    parser.command("demo", demo, "show the main jobs on the embedded service", "svc-nb demo")
    about = "write small files to try things on: reviews, a glossary and documents"
    command = parser.command("samples", samples, about, "svc-nb samples\n  svc-nb samples elsewhere")
    command.add_argument(
        "folder", metavar="FOLDER", nargs="?", default="samples", help="where to; samples if not given"
    )
    file_commands.add_translate(parser)
    file_commands.add_detect(parser)
    about = "list the languages of the service, or the pairs that it really translates"
    command = parser.command("languages", languages, about, "svc-nb languages\n  svc-nb languages --pairs", table=True)
    command.flag("--pairs", "the pairs, each with its translator")
    documents.add_notebook(parser)
    documents.add_documents(parser)
    resources.add(parser)
    usage.add(parser)
    models.add(parser)
    mcp.add(parser)
    about = "run the embedded service until Ctrl-C"
    parser.command("serve", lambda options: serve([]), about, "svc-nb serve --port 8765")
    doctor.add(parser)
    for name, command in parser.commands.items():
        if name not in ("demo", "samples", "serve", "models"):
            for below in command.commands.values() or [command]:
                below.add_connection_options()
    return parser


def demo(options: Namespace) -> int:
    """Show the main jobs."""
    from svc_nb import demo

    demo.main()
    return 0


def samples(options: Namespace) -> int:
    """Write the samples that are not there yet, and show their paths."""
    from svc_nb import samples

    folder = Path(options.folder)
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    texts = samples.reviews().to_csv(index=False).encode()
    files = {"reviews.csv": texts, "terms.xlsx": samples.terms_file().read_bytes()}
    files |= {f"documents/{path.name}": path.read_bytes() for path in sorted(samples.documents().iterdir())}
    for name, content in files.items():
        path = folder / name
        if not path.exists():  # it may have been edited
            path.write_bytes(content)
        print(path)
    return 0


def languages(options: Namespace) -> int:
    """Show the languages or the pairs."""
    import svc_nb

    with connected(options):
        show_table(svc_nb.pairs() if options.pairs else svc_nb.languages(), options.form)
    return 0


def serve(words: Sequence[str]) -> int:
    """Run the embedded service."""
    from svc_nb.service.__main__ import main as run_service

    return run_service(words, prog="svc-nb serve")
