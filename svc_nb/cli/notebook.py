"""`svc-nb notebook`: a notebook or a Markdown file in other languages, with its structure as it was."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svc_nb.cli import choices
from svc_nb.cli.connection import connected
from svc_nb.cli.failure import NOT_TRANSLATED, Misuse, tell
from svc_nb.cli.files.source import refuse_absent
from svc_nb.cli.place import check_folder
from svc_nb.cli.reports import plan_facts
from svc_nb.cli.screen import lines, show_facts, terminal_width
from svc_nb.cli.words import connecting, leaf

if TYPE_CHECKING:
    from svc_nb.notebooks import TranslatedNotebook

EXAMPLE = (
    "svc-nb notebook analysis.ipynb --to DE --code comments\n  svc-nb notebook README.md --to DE FR --plan"
)
COUNTS = ("target_lang", "segments", "marked", "sent", "stored", "billed_characters")


def add(commands: Any) -> None:
    """Add the command."""
    parser = leaf(commands, "notebook", run, help="translate a notebook or a Markdown file", example=EXAMPLE)
    add_option = parser.add_argument
    add_option("file", metavar="FILE", help=".ipynb, .md or .markdown")
    choices.languages(parser, column=False)
    add_option(
        "--out", metavar="FILE", help="where the result goes. If not given, beside FILE: analysis.de.ipynb"
    )
    add_option("--replace", action="store_true", help="put the result in the place of a file that is there")
    add_option(
        "--code", metavar="WHAT", nargs="+", choices=("comments", "strings"), default=[],
        help="translate these in code cells, too: comments, strings",
    )  # fmt: skip
    add_option(
        "--front-matter",
        metavar="KEY",
        nargs="+",
        default=[],
        help="translate these keys of the front matter",
    )
    add_option("--json", dest="form", action="store_const", const="json", help="the counts as JSON, a list")
    choices.shaping(parser)
    connecting(parser)


def run(options: Namespace) -> int:
    """Translate, or say what that would cost."""
    path = Path(options.file)
    refuse_absent(path)
    codes = choices.targets(options)
    _check_out(options, path, codes)
    with connected(options):
        shape = choices.fields(options)
        how = {**shape, "code": tuple(options.code), "front_matter": tuple(options.front_matter)}
        each = _plan if options.plan else _translate
        facts = [each(options, path, code, how) for code in codes]
    if options.form:
        show_facts(facts)
    return NOT_TRANSLATED if any(each.get("marked") for each in facts) else 0


def _check_out(options: Namespace, path: Path, codes: Sequence[str]) -> None:
    """Raise where the results have no place; a plan needs none."""
    out = Path(options.out) if options.out else path
    if len(codes) > 1 and options.out and not out.is_dir():
        raise Misuse("--out: for several languages name a folder that is there")
    if not options.plan:
        check_folder(out if out.is_dir() else out.parent)


def _plan(options: Namespace, path: Path, code: str, how: dict[str, Any]) -> dict[str, Any]:
    """The plan for one language, shown to people and given for programs."""
    from svc_nb.notebooks import plan_notebook

    plan = plan_notebook(path, code, price=options.price, **how)
    if not options.form:
        print(plan)
    return {"target_lang": code, **plan_facts(plan)}


def _translate(options: Namespace, path: Path, code: str, how: dict[str, Any]) -> dict[str, Any]:
    """Translate into one language; the counts are shown to people and given for programs."""
    from svc_nb.notebooks import translate_notebook

    made = translate_notebook(
        path, code, out=options.out, replace=options.replace, progress=not options.quiet, **how
    )
    if not options.form:
        print(f"{made.path}: {made.said}.")
    elif made.marked:
        tell(f"{made.path}: {made.said}")
    if not options.quiet:
        _tell_left(made)
    counts = {name: getattr(made, name) for name in COUNTS}
    return {"path": str(made.path), **counts, "left": len(made.left)}


def _tell_left(made: TranslatedNotebook) -> None:
    """Say where texts stayed as they were, and why."""
    for line in lines(made.left, width=terminal_width()) if len(made.left) else []:
        tell(line)
