"""`svc-nb documents`: whole files and folders translated, safe against a lost connection and a killed process."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svc_nb.cli.connection import connected
from svc_nb.cli.failure import FAILED, NOT_TRANSLATED, Misuse, tell
from svc_nb.cli.reports import shown
from svc_nb.cli.wording import in_a_shell
from svc_nb.cli.words import Parser, connecting, leaf, tabled
from svc_nb.wire.models.translation import FORMALITIES

if TYPE_CHECKING:
    import pandas as pd

    from svc_nb.tabular.report import Report

EXAMPLE = "svc-nb documents manuals/ --to DE --out german/\n  svc-nb documents --resume"
SHOWN = ["path", "status", "translator", "billed_characters", "error", "output"]


def add(commands: Any) -> None:
    """Add the command."""
    parser = leaf(
        commands,
        "documents",
        run,
        help="translate documents: docx, pptx, xlsx, pdf, html, …",
        example=EXAMPLE,
    )
    add_option = parser.add_argument
    add_option("files", metavar="FILE", nargs="*", help="files, or a folder with all below it")
    add_option("--to", metavar="LANG", help="the language to translate into")
    add_option(
        "--from", dest="source", metavar="LANG", help="the language of the documents; needed with --glossary"
    )
    add_option("--out", metavar="FOLDER", help="where the translations go; beside each source if not given")
    add_option("--glossary", metavar="NAME", help="a glossary of the service, by its name or id")
    add_option("--style", metavar="NAME", help="a style rule list of the service, by its name or id")
    add_option("--formality", choices=FORMALITIES, metavar="HOW", help=", ".join(FORMALITIES))
    _add_ways(parser)
    tabled(parser)
    connecting(parser)


def _add_ways(parser: Parser) -> None:
    """Add what else can be done with files than to translate those that are not done yet."""
    add_option = parser.add_argument
    add_option(
        "--plan", action="store_true", help="only say what would be done with each file; nothing is sent"
    )
    add_option("--again", action="store_true", help="translate and pay again for what is done already")
    add_option("--pending", action="store_true", help="list what was sent and not fetched yet")
    add_option("--resume", action="store_true", help="go on with what was sent and not fetched yet")


def run(options: Namespace) -> int:
    """Translate the files, or go on with those under way."""
    from svc_nb import documents

    if options.pending:
        return shown(options, documents.pending())
    if not options.resume and not (options.files and options.to):
        raise Misuse("name the files and the language: svc-nb documents FILE --to DE")
    with connected(options):
        if options.plan:
            table = _told(documents.plan(_files(options), out=options.out, **_asked(options)))
            return shown(options, table, seen=_near(table))
        return _followed(options)


def _followed(options: Namespace) -> int:
    from svc_nb import documents
    from svc_nb.documents import progress as bars
    from svc_nb.documents.items import MARKED
    from svc_nb.tabular.report import Report

    if options.resume:
        job = documents.start_resume(options.out)
    else:
        asked = _asked(options)
        job = documents.start(_files(options), out=options.out, again=options.again, **asked)
    bars.follow(job, shown=not options.quiet)
    table = job.result(errors="coerce")
    if options.resume and not len(table):
        return shown(options, documents.pending())
    told = _told(table)
    shown(options, Report(told[SHOWN], table.said), seen=_near(told[SHOWN]))
    if job.untranslated and options.quiet:
        tell(f"{job.untranslated}.")
    if told["error"][told["status"] != MARKED].fillna("").ne("").any():
        return FAILED
    return NOT_TRANSLATED if job.untranslated else 0


def _told(table: Report) -> Report:
    """*table* with its errors in the words of a shell."""
    from svc_nb.tabular.report import Report

    errors = [in_a_shell(each) if isinstance(each, str) else each for each in table["error"]]
    return Report(table.assign(error=errors), table.said)


def _near(table: pd.DataFrame) -> pd.DataFrame:
    """*table* with the paths below this folder as a person types them."""
    return table.assign(**{name: [_typed(path) for path in table[name]] for name in ("path", "output")})


def _typed(path: Any) -> Any:
    here = Path.cwd()
    if not isinstance(path, str) or not Path(path).is_relative_to(here):
        return path
    return str(Path(path).relative_to(here))


def _files(options: Namespace) -> Any:
    for name in options.files:
        if not Path(name).exists():
            raise Misuse(f"there is no file or folder {name}")
    return options.files[0] if len(options.files) == 1 else options.files


def _asked(options: Namespace) -> dict[str, Any]:
    given = {
        "target_lang": options.to,
        "source_lang": options.source,
        "formality": options.formality,
        "glossary": options.glossary,
        "style": options.style,
    }
    return {name: value for name, value in given.items() if value is not None}
