"""`svc-nb documents`: whole files and folders translated, safe against a lost connection and a killed process."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import svc_nb
from svc_nb.cli.failure import FAILED, NOT_TRANSLATED, Misuse, tell
from svc_nb.cli.options import Parser, connected, given
from svc_nb.cli.output import show_report
from svc_nb.wire.models.text import FORMALITIES

if TYPE_CHECKING:
    from svc_nb.tabular.report import Report

EXAMPLE = "svc-nb documents manuals/ --to DE --out german/\n  svc-nb documents --resume"
ARGUMENTS = ("target_lang", "source_lang", "formality", "glossary", "style")
SHOWN = ["path", "status", "translator", "billed_characters", "error", "output"]


def add(commands: Parser) -> None:
    """Add the command."""
    parser = commands.command("documents", run, "translate documents: docx, pptx, xlsx, pdf, html, …", EXAMPLE)
    add_option = parser.add_argument
    add_option("files", metavar="FILE", nargs="*", help="files, or a folder with all below it")
    add_option("--to", dest="target_lang", metavar="LANG", help="the language to translate into")
    source = "the language of the documents; needed with --glossary"
    add_option("--from", dest="source_lang", metavar="LANG", help=source)
    add_option("--out", metavar="FOLDER", help="where the translations go; beside each source if not given")
    add_option("--glossary", metavar="NAME", help="a glossary of the service, by its name or id")
    add_option("--style", metavar="NAME", help="a style rule list of the service, by its name or id")
    add_option("--formality", choices=FORMALITIES, metavar="HOW", help=", ".join(FORMALITIES))
    parser.flag("--plan", "only say what would be done with each file; nothing is sent")
    parser.flag("--again", "translate and pay again for what is done already")
    parser.flag("--pending", "list what was sent and not fetched yet")
    parser.flag("--resume", "go on with what was sent and not fetched yet")
    parser.add_table_options()


def run(options: Namespace) -> int:
    """Translate the files, or go on with those under way."""
    from svc_nb.documents import job as bars
    from svc_nb.documents.items import MARKED

    if options.pending:
        return show_report(options, svc_nb.documents.pending())
    if not options.resume and not (options.files and options.target_lang):
        raise Misuse("name the files and the language: svc-nb documents FILE --to DE")
    with connected(options):
        if options.resume and not options.plan:
            job = svc_nb.documents.start_resume(options.out)
        else:
            for name in options.files:
                if not Path(name).exists():
                    raise Misuse(f"there is no file or folder {name}")
            files = options.files[0] if len(options.files) == 1 else options.files
            asked = given(options, ARGUMENTS)
            if options.plan:
                return _show(options, svc_nb.documents.plan(files, out=options.out, **asked))
            job = svc_nb.documents.start(files, out=options.out, again=options.again, **asked)
        bars.follow(job, shown=not options.quiet)
        table = job.result(errors="coerce")
        if options.resume and not len(table):
            return show_report(options, svc_nb.documents.pending())
        _show(options, table, SHOWN)
        if job.untranslated and options.quiet:
            tell(f"{job.untranslated}.")
        if table["error"][table["status"] != MARKED].fillna("").ne("").any():
            return FAILED
        return NOT_TRANSLATED if job.untranslated else 0


def _show(options: Namespace, table: Report, columns: list[str] | None = None) -> int:
    """Show *table*; people see paths below this folder as they type them."""
    from svc_nb.tabular.report import Report

    here = Path.cwd()

    def typed(path: Any) -> Any:
        is_below = isinstance(path, str) and Path(path).is_relative_to(here)
        return str(Path(path).relative_to(here)) if is_below else path

    told = table if columns is None else table[columns]
    seen = told.assign(**{name: [typed(path) for path in told[name]] for name in ("path", "output")})
    return show_report(options, Report(told, table.said), seen=seen)
