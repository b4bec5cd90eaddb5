"""`svc-nb documents` and `svc-nb notebook`: whole files translated, with their structure as it was.

Documents are safe against a lost connection and a killed process.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import svc_nb
from svc_nb.cli.failure import FAILED, NOT_TRANSLATED, Misuse, tell
from svc_nb.cli.options import REPLACE, Parser, connected, given, target_codes, translation_arguments
from svc_nb.cli.output import lines, plan_facts, show_json, show_report, terminal_width
from svc_nb.cli.output_file import check_folder
from svc_nb.tabular.streaming.source import refuse_absent
from svc_nb.wire.models.text import FORMALITIES

if TYPE_CHECKING:
    from svc_nb.tabular.report import Report

DOCUMENTS = "svc-nb documents manuals/ --to DE --out german/\n  svc-nb documents --resume"
NOTEBOOK = "svc-nb notebook analysis.ipynb --to DE --code comments\n  svc-nb notebook README.md --to DE FR --plan"
ARGUMENTS = ("target_lang", "source_lang", "formality", "glossary", "style", "output_format")
COUNTS = ("target_lang", "segments", "marked", "sent", "stored", "billed_characters")
SHOWN = ["path", "status", "translator", "billed_characters", "error", "output"]


def add_documents(commands: Parser) -> None:
    """Add the command."""
    parser = commands.command(
        "documents", run_documents, "translate documents: docx, pptx, xlsx, pdf, html, …", DOCUMENTS
    )
    add_option = parser.add_argument
    add_option("files", metavar="FILE", nargs="*", help="files, or a folder with all below it")
    add_option("--to", dest="target_lang", metavar="LANG", help="the language to translate into")
    source = "the language of the documents; needed with --glossary"
    add_option("--from", dest="source_lang", metavar="LANG", help=source)
    add_option("--out", metavar="FOLDER", help="where the translations go; beside each source if not given")
    add_option("--glossary", metavar="NAME", help="a glossary of the service, by its name or id")
    add_option("--style", metavar="NAME", help="a style rule list of the service, by its name or id")
    add_option("--formality", choices=FORMALITIES, metavar="HOW", help=", ".join(FORMALITIES))
    add_option("--output-format", metavar="KIND", help="docx for a pdf; otherwise the kind stays as it is")
    parser.flag("--plan", "only say what would be done with each file; nothing is sent")
    parser.flag("--again", "translate finished files again, and pay again")
    parser.flag("--pending", "list what was sent and not fetched yet")
    parser.flag("--resume", "continue with documents that were sent but not fetched yet")
    parser.add_table_options()


def run_documents(options: Namespace) -> int:
    """Translate the files, or continue with those in progress."""
    from svc_nb.documents import job as bars
    from svc_nb.documents.items import SKIPPED, WRITTEN

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
        if table["error"][~table["status"].isin([*WRITTEN, SKIPPED])].fillna("").ne("").any():
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


# ---- notebooks and Markdown


def add_notebook(commands: Parser) -> None:
    """Add the command."""
    parser = commands.command("notebook", run_notebook, "translate a notebook or a Markdown file", NOTEBOOK)
    add_option = parser.add_argument
    add_option("file", metavar="FILE", help=".ipynb, .md or .markdown")
    parser.add_language_options(column=False)
    add_option("--out", metavar="FILE", help="where the result goes. If not given, beside FILE: analysis.de.ipynb")
    parser.flag("--replace", REPLACE)
    parser.flag("--one-file", "one notebook with all languages of --to, instead of one file for each")
    kinds = ("comments", "strings")
    code = "translate these in code cells, too: comments, strings"
    add_option("--code", metavar="WHAT", nargs="+", choices=kinds, default=[], help=code)
    add_option("--front-matter", metavar="KEY", nargs="+", default=[], help="translate these keys of the front matter")
    parser.add_json_option("the counts as JSON, a list")
    parser.add_translation_options()


def run_notebook(options: Namespace) -> int:
    """Translate, or say what that would cost."""
    path = Path(options.file)
    refuse_absent(path)
    codes = target_codes(options)
    out = Path(options.out) if options.out else path
    if len(codes) > 1 and options.out and not options.one_file and not out.is_dir():
        raise Misuse("--out: for several languages, name an existing folder")
    if not options.plan:
        check_folder(out if out.is_dir() else out.parent)
    with connected(options):
        how = {
            **translation_arguments(options),
            "code": tuple(options.code),
            "front_matter": tuple(options.front_matter),
        }
        if options.plan:
            facts = [plan_notebook(options, path, code, how) for code in codes]
        else:
            facts = [translate_notebook(options, path, each, how) for each in ([codes] if options.one_file else codes)]
    if options.form:
        show_json(facts)
    return NOT_TRANSLATED if any(each.get("marked") for each in facts) else 0


def plan_notebook(options: Namespace, path: Path, code: str, how: dict[str, Any]) -> dict[str, Any]:
    """The plan for one language, shown to people and given for programs."""
    plan = svc_nb.plan_notebook(path, code, price=options.price, **how)
    if not options.form:
        print(plan)
    return {"target_lang": code, **plan_facts(plan)}


def translate_notebook(options: Namespace, path: Path, code: str | list[str], how: dict[str, Any]) -> dict[str, Any]:
    """Translate into one language, or several in one file; the counts are shown to people and given for programs."""
    made = svc_nb.translate_notebook(
        path, code, out=options.out, replace=options.replace, progress=not options.quiet, **how
    )
    if not options.form:
        print(f"{made.path}: {made.said}.")
    elif made.marked:
        tell(f"{made.path}: {made.said}")
    if len(made.left) and not options.quiet:
        # Where texts stayed as they were, and why.
        for line in lines(made.left, width=terminal_width()):
            tell(line)
    return {"path": str(made.path), **{name: getattr(made, name) for name in COUNTS}, "left": len(made.left)}
