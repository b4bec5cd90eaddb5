"""`python -m svc_nb.service`: the embedded service alone, until it is told to end."""

import argparse
import logging
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from . import faults
from .app import SCHEME
from .faults import Fault
from .server import Service, StartError
from .state import Account


def main(arguments: Sequence[str] | None = None, *, prog: str = "python -m svc_nb.service") -> int:
    """Serve until SIGTERM or Ctrl-C; *prog* is what the command calls itself."""
    options = _parser(prog).parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    account = Account(
        quota=options.quota,
        detection=not options.no_detection,
        glossary_seconds=options.glossary_seconds,
        document_seconds=options.document_seconds,
        free=options.free,
    )
    try:
        service = Service(
            memory=options.memory,
            folder=options.folder,
            port=options.port,
            schemes=(SCHEME, *options.also_scheme),
            account=account,
            translators=options.translators,
            model_dir=options.model_dir,
            faults=options.fault,
            sample=options.sample,
        )
    except StartError as error:
        print(f"The service cannot start: {error}", file=sys.stderr)
        return 1
    keys = f"Its keys are in {service.keys_file}"
    if service.keys_file is None:
        keys = f"Key of this run: {service.api_key}"
        keys += "" if account.free else f" and, for administration, {service.admin_key}"
    for number in (signal.SIGTERM, signal.SIGINT):
        # At any time; while it serves, the server's own handlers do the same.
        signal.signal(number, lambda number, frame: service.end())
    service.serve(lambda: print(f"Serving on {service.base_url}", keys, sep="\n", flush=True))
    return 0


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog,
        description="Run the embedded translation service on loopback.",
        epilog=faults.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--port", type=int, default=0, help="the port; 0 (the default) takes a free one")
    add("--memory", action="store_true", help="keep nothing: a new account that ends with the process")
    add("--sample", action="store_true", help="begin with a year of use by twelve keys of an invented shop")
    add("--folder", type=Path, help="where the account is kept (default: the user's data folder)")
    add("--also-scheme", action="append", default=[], help="a second word to take before a key")
    add("--quota", type=int, help="characters the account may use in a month")
    add("--no-detection", action="store_true", help="an account without the detection beta")
    add("--glossary-seconds", type=float, default=0.0, help="how long a new glossary is not ready")
    add("--document-seconds", type=float, default=0.0, help="how long a document takes at least")
    add("--free", action="store_true", help="a free account: 500,000 characters a month, no administration")
    names = (
        "which to use, in this order: ctranslate,firefox,apertium,pseudo, or a service that you run: "
        "libretranslate:http://localhost:5000, openai:http://localhost:11434/v1#llama3"
    )
    add("--translators", type=lambda text: [*filter(None, map(str.strip, text.split(",")))], help=names)
    add("--model-dir", type=Path, help="a folder of models (default: SVC_MODEL_DIR, and those of `svc-nb models`)")
    fault_help = 'misbehave: --fault "status status=503"; see below'
    add("--fault", action="append", default=[], type=_fault, help=fault_help)
    return parser


def _fault(text: str) -> Fault:
    try:
        return Fault.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


if __name__ == "__main__":
    sys.exit(main())
