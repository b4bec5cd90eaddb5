"""`svc-nb glossary`: glossaries of the service and files of terms, kept in step."""

from __future__ import annotations

import sys
from argparse import BooleanOptionalAction, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svc_nb.cli.connection import connected
from svc_nb.cli.failure import FAILED, Failure, Misuse
from svc_nb.cli.place import check, is_file
from svc_nb.cli.reports import compared, linted, shown
from svc_nb.cli.wording import without_next
from svc_nb.cli.words import Parser, connecting, group, leaf, listing

if TYPE_CHECKING:
    from svc_nb.tabular.report import Report

NAMED = "the glossary, by its name or id"
FORMS = ".tsv, .csv, .xlsx, .tbx or .tmx"
REPLACE = "put it in the place of a file that is there"
DRY_RUN = "only say what would be done"


def add(commands: Any) -> None:
    """Add the commands."""
    below = group(commands, "glossary", help="list, pull, push, check, mend, compare and delete glossaries")
    for each in (_add_list, _add_pull, _add_push, _add_lint, _add_fix, _add_diff, _add_delete, _add_undo):
        connecting(each(below))


def _add_list(below: Any) -> Parser:
    about = "list the glossaries of the service"
    return listing(below, "list", run_list, help=about, example="svc-nb glossary list")


def _add_pull(below: Any) -> Parser:
    about = "write the terms of a glossary to a file, or show them"
    parser = listing(
        below, "pull", run_pull, help=about, example="svc-nb glossary pull Products products.xlsx"
    )
    parser.add_argument("name", metavar="NAME", help=NAMED)
    parser.add_argument("file", metavar="FILE", nargs="?", help=FORMS)
    parser.add_argument("--replace", action="store_true", help=REPLACE)
    return parser


def _add_push(below: Any) -> Parser:
    about = "make a glossary have the terms of a file"
    parser = listing(below, "push", run_push, help=about, example="svc-nb glossary push terms.xlsx Products")
    _reading_terms(parser)
    add_option = parser.add_argument
    add_option("name", metavar="NAME", nargs="?", help="the glossary's name; a new one where there is none")
    add_option("--id", metavar="ID", help="the glossary's id; with NAME it is renamed")
    add_option("--dry-run", action="store_true", help=DRY_RUN)
    add_option("--prune", action="store_true", help="delete language pairs that FILE lacks")
    return parser


def _add_lint(below: Any) -> Parser:
    about = "say what is wrong in a file of terms; exits with 1 when something is"
    example = "svc-nb glossary lint terms.csv --from EN --to DE"
    return _reading_terms(listing(below, "lint", run_lint, help=about, example=example))


def _add_fix(below: Any) -> Parser:
    about = "write the terms of a file with all mended that is safe to mend"
    parser = leaf(below, "fix", run_fix, help=about, example="svc-nb glossary fix terms.xlsx clean.xlsx")
    _reading_terms(parser)
    add_option = parser.add_argument
    add_option("out", metavar="OUT", help=f"the file to write: {FORMS}")
    add_option("--keep", choices=("first", "last"), help="which of several targets of one term stays")
    add_option("--replace", action="store_true", help=REPLACE)
    return parser


def _add_diff(below: Any) -> Parser:
    about = "compare a file of terms with a glossary or an older file; exits with 1 when they differ"
    parser = listing(below, "diff", run_diff, help=about, example="svc-nb glossary diff terms.csv Products")
    _reading_terms(parser)
    add_option = parser.add_argument
    add_option("other", metavar="OTHER", help="a glossary, by its name or id, or an older file")
    add_option("--prune", action="store_true", help="count language pairs that FILE lacks as removed")
    return parser


def _add_delete(below: Any) -> Parser:
    about = "delete a glossary; undo makes it again, under a new id"
    parser = leaf(below, "delete", run_delete, help=about, example="svc-nb glossary delete Products --yes")
    parser.add_argument("name", metavar="NAME", help=NAMED)
    parser.add_argument("--yes", action="store_true", help="do not ask")
    return parser


def _add_undo(below: Any) -> Parser:
    about = "take back the last change of a glossary that was made from here"
    parser = leaf(below, "undo", run_undo, help=about, example="svc-nb glossary undo Products")
    parser.add_argument("name", metavar="NAME", help="the glossary, by its id or a name that it had")
    parser.add_argument("--dry-run", action="store_true", help=DRY_RUN)
    return parser


def run_list(options: Namespace) -> int:
    """List the glossaries."""
    from svc_nb import glossaries

    with connected(options):
        return shown(options, glossaries.list())


def run_pull(options: Namespace) -> int:
    """Write the terms to a file, or show them."""
    from svc_nb import glossaries

    if options.file:
        check(Path(options.file), replace=options.replace)
    with connected(options):
        terms = glossaries.pull(options.name)
    if not options.file:
        return shown(options, terms)
    print(f"{glossaries.write(terms, options.file)}: {without_next(terms.said)}")
    return 0


def run_push(options: Namespace) -> int:
    """Push a file."""
    from svc_nb import glossaries

    if not options.name and not options.id:
        raise Misuse(f"name the glossary: svc-nb glossary push {options.file} NAME")
    terms = _terms(options)
    with connected(options):
        made = glossaries.push(
            terms, options.name, glossary_id=options.id, dry_run=options.dry_run, prune=options.prune
        )
    return shown(options, made)


def run_lint(options: Namespace) -> int:
    """Check a file; nothing is connected."""
    from svc_nb import glossaries

    return linted(options, glossaries.lint(_terms(options)))


def run_fix(options: Namespace) -> int:
    """Mend a file; nothing is connected. 1 where errors are left that only a person can mend."""
    from svc_nb import glossaries

    check(Path(options.out), replace=options.replace)
    terms = glossaries.fix(_terms(options), keep=options.keep)
    print(f"{glossaries.write(terms, options.out)}: {without_next(terms.said)}")
    return FAILED if glossaries.lint(terms)["severity"].eq("error").any() else 0


def run_diff(options: Namespace) -> int:
    """Compare a file with a glossary or a file."""
    from svc_nb import glossaries

    terms = _terms(options)
    if is_file(options.other):
        return compared(options, glossaries.diff(terms, _terms(options, options.other)))
    with connected(options):
        return compared(options, glossaries.diff(terms, options.other, prune=options.prune))


def run_delete(options: Namespace) -> int:
    """Delete a glossary, if that is meant."""
    from svc_nb import glossaries

    confirm(options, f"Delete the glossary {options.name!r}?")
    with connected(options):
        return shown(options, glossaries.delete(options.name))


def run_undo(options: Namespace) -> int:
    """Take back the last change."""
    from svc_nb import glossaries

    with connected(options):
        return shown(options, glossaries.undo(options.name, dry_run=options.dry_run))


def confirm(options: Namespace, question: str) -> None:
    """Ask where somebody can answer; raise where nobody can, or the answer is no."""
    if options.yes:
        return
    if not sys.stdin.isatty():
        raise Misuse(f"{question} Say --yes where nobody can be asked")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Failure("nothing was deleted")


def _reading_terms(parser: Parser) -> Parser:
    parser.add_argument("file", metavar="FILE", help=f"terms: {FORMS}")
    parser.add_argument(
        "--from", dest="source", metavar="LANG", help="the language of terms that the file does not tell"
    )
    parser.add_argument("--to", dest="target", metavar="LANG", help="the language of their translations")
    parser.add_argument("--sheet", metavar="NAME", help="the sheet of a workbook")
    parser.add_argument("--encoding", metavar="NAME", help="of a text file that is not UTF-8, such as cp1252")
    about = "whether the first row has the names of the columns; looked at if not said"
    parser.add_argument("--header", action=BooleanOptionalAction, help=about)
    return parser


def _terms(options: Namespace, path: str | None = None) -> Report:
    from svc_nb import glossaries

    return glossaries.read(
        path or options.file,
        source_lang=options.source,
        target_lang=options.target,
        sheet=options.sheet,
        encoding=options.encoding,
        header=options.header,
    )
