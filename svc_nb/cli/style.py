"""`svc-nb style`: style rule lists of the service and their files, kept in step."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import svc_nb
from svc_nb.cli.glossary import DRY_RUN, REPLACE
from svc_nb.cli.options import Parser, connected, is_file
from svc_nb.cli.output import show_diff, show_lint, show_report
from svc_nb.cli.output_file import check_free

FORMS = ".json, .csv, .tsv or .xlsx"


def add(commands: Parser) -> None:
    """Add the commands, in the order in which help lists them."""
    group = commands.command("style", None, "list, pull, push, check and compare style rule lists")
    group.command("list", run_list, "list the style rule lists of the service", "svc-nb style list", table=True)

    about = "write a style rule list to a file"
    parser = group.command("pull", run_pull, about, "svc-nb style pull House house.json")
    parser.add_argument("name", metavar="NAME", help="the list, by its name or id")
    parser.add_argument("file", metavar="FILE", help=FORMS)
    parser.flag("--replace", REPLACE)

    about = "make a style rule list what a file says"
    parser = group.command("push", run_push, about, "svc-nb style push house.json --name House", table=True)
    add = parser.add_argument
    add("file", metavar="FILE", help=FORMS)
    add("--name", metavar="NAME", help="the list's name; without an id the list of this name is meant")
    add("--id", metavar="ID", help="the list's id; that in the file if not given")
    add("--language", metavar="LANG", help="the list's language, where the file does not tell")
    parser.flag("--dry-run", DRY_RUN)
    parser.flag("--allow-unknown", "push rules that the catalogue lacks, too")

    about = "say what is wrong in a file; exits with 1 when something is"
    parser = group.command("lint", run_lint, about, "svc-nb style lint house.json", table=True)
    parser.add_argument("file", metavar="FILE", help=FORMS)

    about = "compare a file with a list or an older file; exits with 1 when they differ"
    parser = group.command("diff", run_diff, about, "svc-nb style diff house.json House", table=True)
    parser.add_argument("file", metavar="FILE", help=FORMS)
    parser.add_argument("other", metavar="OTHER", help="a list, by its name or id, or an older file")


def run_list(options: Namespace) -> int:
    """List the style rule lists."""
    with connected(options):
        return show_report(options, svc_nb.style_rules.list())


def run_pull(options: Namespace) -> int:
    """Write a list to a file."""
    check_free(Path(options.file), replace=options.replace)
    with connected(options):
        style = svc_nb.style_rules.pull(options.name)
    path = svc_nb.style_rules.write(style, options.file)
    print(f"{path}: {len(style.rules)} rules and {len(style.instructions)} instructions of {style.name!r}.")
    return 0


def run_push(options: Namespace) -> int:
    """Push a file."""
    style = svc_nb.style_rules.read(options.file)
    with connected(options):
        made = svc_nb.style_rules.push(
            style,
            name=options.name,
            language=options.language,
            style_id=options.id,
            dry_run=options.dry_run,
            allow_unknown=options.allow_unknown,
        )
    return show_report(options, made)


def run_lint(options: Namespace) -> int:
    """Check a file; nothing is connected."""
    return show_lint(options, svc_nb.style_rules.lint(svc_nb.style_rules.read(options.file)))


def run_diff(options: Namespace) -> int:
    """Compare a file with a list or a file."""
    style = svc_nb.style_rules.read(options.file)
    if is_file(options.other):
        return show_diff(options, svc_nb.style_rules.diff(style, svc_nb.style_rules.read(options.other)))
    with connected(options):
        return show_diff(options, svc_nb.style_rules.diff(style, options.other))
