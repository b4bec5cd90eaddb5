"""`svc-nb notebook`: a notebook or a Markdown file in other languages, with its structure as it was."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import svc_nb
from svc_nb.cli.failure import NOT_TRANSLATED, Misuse, tell
from svc_nb.cli.options import REPLACE, Parser, connected, target_codes, translation_arguments
from svc_nb.cli.output import lines, plan_facts, show_json, terminal_width
from svc_nb.cli.output_file import check_folder
from svc_nb.tabular.streaming.source import refuse_absent

EXAMPLE = "svc-nb notebook analysis.ipynb --to DE --code comments\n  svc-nb notebook README.md --to DE FR --plan"
COUNTS = ("target_lang", "segments", "marked", "sent", "stored", "billed_characters")


def add(commands: Parser) -> None:
    """Add the command."""
    parser = commands.command("notebook", run, "translate a notebook or a Markdown file", EXAMPLE)
    add_option = parser.add_argument
    add_option("file", metavar="FILE", help=".ipynb, .md or .markdown")
    parser.add_language_options(column=False)
    add_option("--out", metavar="FILE", help="where the result goes. If not given, beside FILE: analysis.de.ipynb")
    parser.flag("--replace", REPLACE)
    kinds = ("comments", "strings")
    code = "translate these in code cells, too: comments, strings"
    add_option("--code", metavar="WHAT", nargs="+", choices=kinds, default=[], help=code)
    add_option("--front-matter", metavar="KEY", nargs="+", default=[], help="translate these keys of the front matter")
    parser.add_json_option("the counts as JSON, a list")
    parser.add_translation_options()


def run(options: Namespace) -> int:
    """Translate, or say what that would cost."""
    path = Path(options.file)
    refuse_absent(path)
    codes = target_codes(options)
    out = Path(options.out) if options.out else path
    if len(codes) > 1 and options.out and not out.is_dir():
        raise Misuse("--out: for several languages name a folder that is there")
    if not options.plan:
        check_folder(out if out.is_dir() else out.parent)
    with connected(options):
        how = {
            **translation_arguments(options),
            "code": tuple(options.code),
            "front_matter": tuple(options.front_matter),
        }
        each = plan if options.plan else translate
        facts = [each(options, path, code, how) for code in codes]
    if options.form:
        show_json(facts)
    return NOT_TRANSLATED if any(each.get("marked") for each in facts) else 0


def plan(options: Namespace, path: Path, code: str, how: dict[str, Any]) -> dict[str, Any]:
    """The plan for one language, shown to people and given for programs."""
    plan = svc_nb.plan_notebook(path, code, price=options.price, **how)
    if not options.form:
        print(plan)
    return {"target_lang": code, **plan_facts(plan)}


def translate(options: Namespace, path: Path, code: str, how: dict[str, Any]) -> dict[str, Any]:
    """Translate into one language; the counts are shown to people and given for programs."""
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
    counts = {name: getattr(made, name) for name in COUNTS}
    return {"path": str(made.path), **counts, "left": len(made.left)}
