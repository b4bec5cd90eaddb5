"""`svc-nb style`: style rule lists of the service and their files, kept in step."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from svc_nb.cli.connection import connected
from svc_nb.cli.glossary import DRY_RUN, REPLACE
from svc_nb.cli.place import check, is_file
from svc_nb.cli.reports import compared, linted, shown
from svc_nb.cli.words import Parser, connecting, group, leaf, listing

FORMS = ".json, .csv, .tsv or .xlsx"


def add(commands: Any) -> None:
    """Add the commands."""
    below = group(commands, "style", help="list, pull, push, check and compare style rule lists")
    for each in (_add_list, _add_pull, _add_push, _add_lint, _add_diff):
        connecting(each(below))


def _add_list(below: Any) -> Parser:
    about = "list the style rule lists of the service"
    return listing(below, "list", run_list, help=about, example="svc-nb style list")


def _add_pull(below: Any) -> Parser:
    about = "write a style rule list to a file"
    parser = leaf(below, "pull", run_pull, help=about, example="svc-nb style pull House house.json")
    parser.add_argument("name", metavar="NAME", help="the list, by its name or id")
    parser.add_argument("file", metavar="FILE", help=FORMS)
    parser.add_argument("--replace", action="store_true", help=REPLACE)
    return parser


def _add_push(below: Any) -> Parser:
    about = "make a style rule list what a file says"
    parser = listing(below, "push", run_push, help=about, example="svc-nb style push house.json --name House")
    add_option = parser.add_argument
    add_option("file", metavar="FILE", help=FORMS)
    add_option("--name", metavar="NAME", help="the list's name; without an id the list of this name is meant")
    add_option("--id", metavar="ID", help="the list's id; that in the file if not given")
    add_option("--language", metavar="LANG", help="the list's language, where the file does not tell")
    add_option("--dry-run", action="store_true", help=DRY_RUN)
    add_option("--allow-unknown", action="store_true", help="push rules that the catalogue lacks, too")
    return parser


def _add_lint(below: Any) -> Parser:
    about = "say what is wrong in a file; exits with 1 when something is"
    parser = listing(below, "lint", run_lint, help=about, example="svc-nb style lint house.json")
    parser.add_argument("file", metavar="FILE", help=FORMS)
    return parser


def _add_diff(below: Any) -> Parser:
    about = "compare a file with a list or an older file; exits with 1 when they differ"
    parser = listing(below, "diff", run_diff, help=about, example="svc-nb style diff house.json House")
    parser.add_argument("file", metavar="FILE", help=FORMS)
    parser.add_argument("other", metavar="OTHER", help="a list, by its name or id, or an older file")
    return parser


def run_list(options: Namespace) -> int:
    """List the style rule lists."""
    from svc_nb import style_rules

    with connected(options):
        return shown(options, style_rules.list())


def run_pull(options: Namespace) -> int:
    """Write a list to a file."""
    from svc_nb import style_rules

    check(Path(options.file), replace=options.replace)
    with connected(options):
        style = style_rules.pull(options.name)
    path = style_rules.write(style, options.file)
    print(f"{path}: {len(style.rules)} rules and {len(style.instructions)} instructions of {style.name!r}.")
    return 0


def run_push(options: Namespace) -> int:
    """Push a file."""
    from svc_nb import style_rules

    style = style_rules.read(options.file)
    with connected(options):
        made = style_rules.push(
            style,
            name=options.name,
            language=options.language,
            style_id=options.id,
            dry_run=options.dry_run,
            allow_unknown=options.allow_unknown,
        )
    return shown(options, made)


def run_lint(options: Namespace) -> int:
    """Check a file; nothing is connected."""
    from svc_nb import style_rules

    return linted(options, style_rules.lint(style_rules.read(options.file)))


def run_diff(options: Namespace) -> int:
    """Compare a file with a list or a file."""
    from svc_nb import style_rules

    style = style_rules.read(options.file)
    if is_file(options.other):
        return compared(options, style_rules.diff(style, style_rules.read(options.other)))
    with connected(options):
        return compared(options, style_rules.diff(style, options.other))
