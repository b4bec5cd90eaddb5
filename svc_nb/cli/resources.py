"""`svc-nb glossary` and `svc-nb style`: glossaries and style rule lists of the service, and their files."""

from argparse import Action, ArgumentError, BooleanOptionalAction, Namespace
from pathlib import Path
from typing import Any

import svc_nb
from svc_nb.cli.failure import FAILED, Misuse, tell
from svc_nb.cli.options import FORMULA_SAFE, Parser, agree, connected, given, is_file
from svc_nb.cli.output import show_diff, show_lint, show_report
from svc_nb.cli.output_file import check_free
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.terms import COLUMNS, LINE

READING = ("source_lang", "target_lang", "columns", "sheet", "encoding", "header")
NAMED = "the glossary, by its name or id"
FORMS = ".tsv, .csv, .xlsx, .tbx or .tmx"
READ_FORMS = ".tsv, .tab, .csv, .xlsx, .ods, .json, .jsonl, .tbx or .tmx"
STYLES = ".json, .csv, .tsv or .xlsx"
REPLACE = "put it in the place of a file that is there"
DRY_RUN = "only say what would be done"


def add(commands: Parser) -> None:
    """Add the commands, in the order in which help lists them."""
    add_glossary_commands(commands)
    add_style_commands(commands)


def add_glossary_commands(commands: Parser) -> None:
    """Add what is done with glossaries and files of terms."""
    about = "list, pull, push, check, fix, compare and delete glossaries"
    group = commands.command("glossary", None, about)
    group.set_defaults(home="glossaries")
    group.command("list", run_list, "list the glossaries of the service", "svc-nb glossary list", table=True)

    about = "write the terms of a glossary to a file, or show them"
    parser = group.command("pull", run_pull, about, "svc-nb glossary pull Products products.xlsx", table=True)
    parser.add_argument("name", metavar="NAME", help=NAMED)
    parser.add_argument("file", metavar="FILE", nargs="?", help=FORMS)
    parser.flag("--replace", REPLACE)
    parser.flag("--formula-safe", FORMULA_SAFE)
    add_tbx_version(parser)

    about = "make a glossary have the terms of a file"
    parser = group.command("push", run_push, about, "svc-nb glossary push terms.xlsx Products", table=True)
    add_terms_options(parser)
    parser.add_argument("name", metavar="NAME", nargs="?", help="the glossary's name; a new one where there is none")
    parser.add_argument("--id", metavar="ID", help="the glossary's id; with NAME it is renamed")
    parser.flag("--dry-run", DRY_RUN)
    parser.flag("--prune", "delete language pairs that are not in FILE")

    add_file_commands(group)

    about = "delete a glossary; undo makes it again, under a new id"
    parser = group.command("delete", run_delete, about, "svc-nb glossary delete Products --yes")
    parser.add_argument("name", metavar="NAME", help=NAMED)
    parser.flag("--yes", "do not ask")

    about = "undo the last change made to a glossary from this machine"
    parser = group.command("undo", run_undo, about, "svc-nb glossary undo Products")
    parser.add_argument("name", metavar="NAME", help="the glossary, by its id or a name that it had")
    parser.flag("--dry-run", DRY_RUN)


def add_file_commands(group: Parser) -> None:
    """Add the commands that are about a file of terms: lint, fix and diff."""
    about = "say what is wrong in a file of terms; exits with 1 when something is"
    example = "svc-nb glossary lint terms.csv --from EN --to DE"
    add_terms_options(group.command("lint", run_lint, about, example, table=True))

    about = "write the terms of a file with the safe fixes; OUT gets a header where FILE has further columns"
    parser = group.command("fix", run_fix, about, "svc-nb glossary fix terms.xlsx clean.xlsx")
    add_terms_options(parser)
    parser.add_argument("out", metavar="OUT", help=f"the file to write: {FORMS}")
    parser.add_argument("--keep", choices=("first", "last"), help="which of several targets of one term stays")
    parser.flag("--replace", REPLACE)
    parser.flag("--formula-safe", FORMULA_SAFE)
    add_tbx_version(parser)

    about = "compare a file of terms with a glossary or an older file; exits with 1 when they differ"
    parser = group.command("diff", run_diff, about, "svc-nb glossary diff terms.csv Products", table=True)
    add_terms_options(parser)
    parser.add_argument("other", metavar="OTHER", help="a glossary, by its name or id, or an older file")
    parser.flag("--prune", "count language pairs that are not in FILE as removed")


def add_style_commands(commands: Parser) -> None:
    """Add what is done with style rule lists and their files."""
    group = commands.command("style", None, "list, pull, push, check and compare style rule lists")
    group.set_defaults(home="style_rules")
    group.command("list", run_list, "list the style rule lists of the service", "svc-nb style list", table=True)

    about = "write a style rule list to a file"
    parser = group.command("pull", run_style_pull, about, "svc-nb style pull House house.json")
    parser.add_argument("name", metavar="NAME", help="the list, by its name or id")
    parser.add_argument("file", metavar="FILE", help=STYLES)
    parser.flag("--replace", REPLACE)
    parser.flag("--formula-safe", FORMULA_SAFE)

    about = "update a style rule list from a file"
    parser = group.command("push", run_style_push, about, "svc-nb style push house.json --name House", table=True)
    add = parser.add_argument
    add("file", metavar="FILE", help=STYLES)
    add("--name", metavar="NAME", help="the list's name; without an id the list of this name is meant")
    add("--id", metavar="ID", help="the list's id; that in the file if not given")
    add("--language", metavar="LANG", help="the list's language, if the file does not say")
    parser.flag("--dry-run", DRY_RUN)
    parser.flag("--allow-unknown", "also push rules that are not in the catalogue")

    about = "say what is wrong in a file; exits with 1 when something is"
    parser = group.command("lint", run_lint, about, "svc-nb style lint house.json", table=True)
    parser.add_argument("file", metavar="FILE", help=STYLES)

    about = "compare a file with a list or an older file; exits with 1 when they differ"
    parser = group.command("diff", run_diff, about, "svc-nb style diff house.json House", table=True)
    parser.add_argument("file", metavar="FILE", help=STYLES)
    parser.add_argument("other", metavar="OTHER", help="a list, by its name or id, or an older file")


def add_terms_options(parser: Parser) -> None:
    """Add a file of terms, and how it is read."""
    add = parser.add_argument
    add("file", metavar="FILE", help=f"terms: {READ_FORMS}")
    add(
        "--from", dest="source_lang", metavar="LANG", help="the language of the terms; it wins over the file's headings"
    )
    add("--to", dest="target_lang", metavar="LANG", help="the language of their translations")
    columns = "what a column is, by its heading: a language, source or target; may be given several times"
    add("--columns", metavar="HEADING=LANG", action=Columns, help=columns)
    add("--sheet", metavar="NAME", help="the sheet of a workbook")
    add("--encoding", metavar="NAME", help="of a text file that is not UTF-8, such as cp1252")
    header = "whether the first row of FILE has the names of the columns; looked at if not said"
    add("--header", action=BooleanOptionalAction, help=header)


class Columns(Action):
    """Gathers HEADING=LANG into a dictionary."""

    def __call__(self, parser: Any, namespace: Namespace, values: Any, option_string: str | None = None) -> None:
        """Take up one of them."""
        heading, found, meaning = values.rpartition("=")
        if not found:
            raise ArgumentError(self, f"expected HEADING=LANG, such as Wort=de, found {values!r}")
        setattr(namespace, self.dest, {**(getattr(namespace, self.dest) or {}), heading: meaning or None})


def write_terms(terms: Any, path: str, options: Namespace) -> None:
    """Write terms to a file, with a header where there are further columns, and say where and what."""
    header = not {*COLUMNS, LINE}.issuperset(terms.columns)
    how = {"tbx_version": options.tbx_version, "formula_safe": options.formula_safe}
    written = svc_nb.glossaries.write(terms, path, header=header, **how)
    print(f"{written}: {terms.said.partition(' Next: ')[0]}")


def add_tbx_version(parser: Parser) -> None:
    """Add which version of TBX is written."""
    about = "the version of TBX-Basic to write: 2 for tools that do not know 3 yet"
    parser.add_argument("--tbx-version", type=int, choices=(2, 3), default=3, help=about)


def _home(options: Namespace) -> Any:
    """The part of the package that a command is about."""
    return getattr(svc_nb, options.home)


def _read(options: Namespace, path: str) -> Any:
    """The table in a file; for terms, stderr says what reading left out."""
    found = _home(options).read(path, **given(options, READING))
    if isinstance(found, Report) and not options.quiet:
        tell(found.said.partition(" Next: ")[0])
    return found


def run_list(options: Namespace) -> int:
    """List what the service has."""
    with connected(options):
        return show_report(options, _home(options).list())


def run_lint(options: Namespace) -> int:
    """Check a file; nothing is connected."""
    return show_lint(options, _home(options).lint(_read(options, options.file)))


def run_diff(options: Namespace) -> int:
    """Compare a file with what the service has under a name, or with a file."""
    own = _read(options, options.file)
    if is_file(options.other):
        return show_diff(options, _home(options).diff(own, _read(options, options.other)))
    with connected(options):
        return show_diff(options, _home(options).diff(own, options.other, **given(options, ["prune"])))


# ---- glossaries


def run_pull(options: Namespace) -> int:
    """Write the terms to a file, or show them."""
    if options.file:
        check_free(Path(options.file), replace=options.replace)
    with connected(options):
        terms = svc_nb.glossaries.pull(options.name)
    if not options.file:
        return show_report(options, terms)
    write_terms(terms, options.file, options)
    return 0


def run_push(options: Namespace) -> int:
    """Push a file."""
    if not options.name and not options.id:
        raise Misuse(f"name the glossary: svc-nb glossary push {options.file} NAME")
    terms = _read(options, options.file)
    with connected(options):
        made = svc_nb.glossaries.push(
            terms, options.name, glossary_id=options.id, dry_run=options.dry_run, prune=options.prune
        )
    return show_report(options, made)


def run_fix(options: Namespace) -> int:
    """Fix a file, without connecting. Return 1 if errors are left that only a person can fix."""
    check_free(Path(options.out), replace=options.replace)
    terms = svc_nb.glossaries.fix(_read(options, options.file), keep=options.keep)
    write_terms(terms, options.out, options)
    return FAILED if svc_nb.glossaries.lint(terms)["severity"].eq("error").any() else 0


def run_delete(options: Namespace) -> int:
    """Delete a glossary; without --yes only where someone can answer, and the answer is yes."""
    agree(options, f"Delete the glossary {options.name!r}?", "nothing was deleted")
    with connected(options):
        return show_report(options, svc_nb.glossaries.delete(options.name))


def run_undo(options: Namespace) -> int:
    """Undo the last change."""
    with connected(options):
        return show_report(options, svc_nb.glossaries.undo(options.name, dry_run=options.dry_run))


# ---- style rule lists


def run_style_pull(options: Namespace) -> int:
    """Write a list to a file."""
    check_free(Path(options.file), replace=options.replace)
    with connected(options):
        style = svc_nb.style_rules.pull(options.name)
    path = svc_nb.style_rules.write(style, options.file, formula_safe=options.formula_safe)
    counts = plural(len(style.rules), "rule"), plural(len(style.instructions), "instruction")
    print(f"{path}: {' and '.join(counts)} of {style.name!r}.")
    return 0


def run_style_push(options: Namespace) -> int:
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
