"""The command line: parsed, a typo answered with what was probably meant, and the options that commands share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from svc_nb.advice import nearest
from svc_nb.cli.failure import Failure, Misuse, tell
from svc_nb.language_codes import base_code, listed
from svc_nb.wire.models.text import FORMALITIES

if TYPE_CHECKING:
    from svc_nb.session import Session

ON_THE_COMMAND_LINE = (
    "a key is not taken from the command line, where the history and other users see it: set SVC_API_KEY, put it into "
    "a profile, or store it with `python -m keyring set svc_nb default`. If the key was a real one, make a new one"
)
KEYS = ("--api-key", "--key", "--auth-key", "--admin-key", "--token", "--password")
EMBEDDED = "no address is set, so this is the embedded service on this machine; `svc-nb doctor` tells more."
TABLES = (".tsv", ".csv", ".xlsx", ".tbx", ".tmx", ".json")
ARGUMENTS = (
    "source_lang", "formality", "context", "tag_handling", "protect", "names", "reporting_tag", "budget", "glossary",
    "style",
)  # fmt: skip
FORMULA_SAFE = "put an apostrophe before what a spreadsheet would run as a formula"
REPLACE = "replace an existing file"
Run = Callable[[argparse.Namespace], int]


class NoKey(argparse.Action):
    """An option that people try, and that is refused without being looked at."""

    def __call__(self, *ignored: Any) -> NoReturn:
        """Refuse."""
        raise Misuse(ON_THE_COMMAND_LINE)


class Kept(argparse.Action):
    """An option that says what is protected; refused at once where that can be no kind."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        """Take one word, or a list of several: alone, a word must be a kind."""
        from svc_nb.columns.protection import Protection

        kept = values[0] if len(values) == 1 else values
        try:
            Protection(kept)
        except (ValueError, ImportError) as problem:
            raise argparse.ArgumentError(self, str(problem).removeprefix("protect: ")) from None
        setattr(namespace, self.dest, kept)


class Parser(argparse.ArgumentParser):
    """A parser that raises Misuse, with one line, in place of printing how it is used."""

    def __init__(self, **how: Any) -> None:
        # The names of all commands fit into one column.
        formatter = partial(argparse.RawDescriptionHelpFormatter, max_help_position=26)
        super().__init__(allow_abbrev=False, formatter_class=formatter, **how)
        self.commands: dict[str, Parser] = {}
        self._below: Any = None

    def command(self, name: str, run: Run | None, about: str, example: str = "", *, table: bool = False) -> Parser:
        """Add a command: *run* is called with its options and gives the exit code; with *table* it shows a table."""
        if self._below is None:
            self._below = self.add_subparsers(metavar="COMMAND", required=True)
        parser: Parser = self._below.add_parser(
            name,
            help=about,
            description=f"{about[0].upper()}{about[1:]}.",
            epilog=f"example:\n  {example}" if example else "",
        )
        if run is not None:
            parser.set_defaults(run=run)
        if table:
            parser.add_table_options()
        self.commands[name] = parser
        return parser

    def flag(self, name: str, about: str) -> None:
        """Add an option without a value."""
        self.add_argument(name, action="store_true", help=about)

    def add_table_options(self) -> None:
        """Add the options of a command that shows a table."""
        add = self.add_mutually_exclusive_group().add_argument
        add("--json", dest="form", action="store_const", const="json", help="the table as JSON")
        add("--csv", dest="form", action="store_const", const="csv", help="the table as CSV")

    def add_json_option(self, about: str) -> None:
        """Add the option of a command that shows lines."""
        self.add_argument("--json", dest="form", action="store_const", const="json", help=about)

    def add_language_options(self, *, column: bool = True) -> None:
        """Add the languages, from and into; with *column* the first may stand in a column."""
        into = "the languages to translate into: DE, EN-US, German"
        self.add_argument("--to", metavar="LANG", nargs="+", required=True, help=into)
        texts = "the language of the texts"
        about = f"{texts}, a column that has it, or detect" if column else texts
        self.add_argument("--from", dest="source_lang", metavar="LANG", help=about)

    def add_translation_options(self, *, table: bool = False) -> None:
        """Add the options of the service that people use; of a *table* also those that only cells can have."""
        add = self.add_argument_group("translation").add_argument
        add("--glossary", metavar="NAME", help="a glossary of the service, by its name or id, or a file of terms")
        add("--style", metavar="NAME", help="a style rule list of the service, by its name or id")
        add("--formality", choices=FORMALITIES, metavar="HOW", help=f"one of {', '.join(FORMALITIES)}")
        about = "what the texts are about; it is not translated and not billed"
        add("--context", metavar="TEXT", help=f"{about}; or a column that has it" if table else about)
        if table:
            add("--tag-handling", choices=("xml", "html"), help="how tags in the texts are kept by the service")
        kept = (
            "what must come out as it is: placeholders, tags, urls, emails, paths, code, all, personal, names, or none"
        )
        add("--protect", metavar="WHAT", nargs="+", action=Kept, help=kept)
        people = "a file with the name of a person in each line; their names and parts of them are not sent"
        add("--names", metavar="FILE", type=lines_of, help=people)
        add("--tag", dest="reporting_tag", metavar="TAG", help="the reporting tag to book the characters under")
        add("--budget", metavar="N", type=characters, help="the most characters to pay for: a hard stop")
        add("--plan", action="store_true", help="only say what would be done and what it costs; nothing is paid")
        add("--price", metavar="AMOUNT", type=float, help="what a million characters cost, to see the cost in the plan")

    def add_connection_options(self) -> None:
        """Add the options of a command that may talk to the service."""
        add = self.add_argument_group("connection").add_argument
        add("--profile", metavar="NAME", help="a profile of the config file")
        address = "the address of the service; its key comes from SVC_API_KEY or the keyring"
        add("--base-url", metavar="URL", help=address)
        add("--strict", action="store_true", help="fail if there is no translator for a text, instead of marking it")
        add("-q", "--quiet", action="store_true", help="say nothing on stderr but errors")
        add("--traceback", action="store_true", help="show where an error came from")
        add(*KEYS, action=NoKey, nargs="?", dest="no_key", help=argparse.SUPPRESS)

    def error(self, message: str) -> NoReturn:
        """Refuse what cannot be understood."""
        told = message.removeprefix("argument ")
        told = told.replace("the following arguments are required:", "expected also")
        hint = " (before --to and --columns)" if "required: FILE" in message else ""
        raise Misuse(f"{told}{hint}. See {self.prog} --help")

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """The options in *words*; raises Misuse, with a suggestion, for a word that there is not."""
        command = self.find(words)
        options, unknown = self.parse_known_args(words)
        if not unknown:
            return options
        # A value is not repeated, for it may be a key, unless there is a file of that name.
        word, help_on = unknown[0], f"See {command.prog} --help"
        if Path(word).exists():
            raise Misuse(f"{word} is one file too many: {command.prog} takes one at a time. {help_on}")
        if not word.startswith("-"):
            raise Misuse(f"there is a word too many. {help_on}")
        name = word.partition("=")[0]
        known = [each for action in command._actions for each in action.option_strings if each[:2] == "--"]
        near = nearest(name, [each for each in known if each not in KEYS])
        meant = f"Did you mean {near}? " if near else ""
        raise Misuse(f"there is no option {name}. {meant}{help_on}")

    def find(self, words: Sequence[str]) -> Parser:
        """The parser of the command in *words*; raises Misuse where there is no such command."""
        first = next((word for word in words if not word.startswith("-")), None)
        if not self.commands or first is None:
            return self
        if first not in self.commands:
            near = nearest(first, self.commands)
            meant = f"Did you mean {near}? " if near else ""
            raise Misuse(f"there is no command {first!r}. {meant}See {self.prog} --help")
        return self.commands[first].find(words[list(words).index(first) + 1 :])


def check_askable(options: argparse.Namespace, question: str) -> None:
    """Raise Misuse where *question* would have to be asked, and there is no one to answer."""
    if not options.yes and not sys.stdin.isatty():
        raise Misuse(f"{question} Use --yes if no one can answer")


def agree(options: argparse.Namespace, question: str, otherwise: str) -> None:
    """Continue with --yes, or where the person at the terminal says yes; else raise Failure, which says *otherwise*."""
    check_askable(options, question)
    if not options.yes:
        print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise Failure(otherwise)


@contextmanager
def connected(options: argparse.Namespace) -> Iterator[Session]:
    """The session that *options* name, current within the block; that it is the embedded service is said."""
    from svc_nb.session import connect, make_current

    before = make_current(None)
    try:
        sample = getattr(options, "sample", False)
        given: dict[str, Any] = {"strict": True} if options.strict else {}
        session = connect(profile=options.profile, base_url=options.base_url, sample=sample, **given)
        if session.service and not sample and not options.quiet:
            tell(EMBEDDED)
        try:
            yield session
        finally:
            session.close()
    finally:
        make_current(before)


# ---- how texts are translated


def characters(text: str) -> int:
    """A number of characters, with or without separators."""
    plain = text.replace(",", "").replace("_", "")
    if not plain.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number of characters, found {text!r}")
    return int(plain)


def lines_of(name: str) -> list[str]:
    """The lines of a text file."""
    try:
        return Path(name).read_text("utf-8-sig").splitlines()
    except FileNotFoundError:
        problem = f"there is no file {name}; expected a text file with the name of a person in each line"
    except UnicodeDecodeError:
        problem = f"{name} is not valid UTF-8; save it as UTF-8"
    except OSError as error:
        problem = f"{name} cannot be read: {error.strerror}"
    raise argparse.ArgumentTypeError(problem)


def target_codes(options: argparse.Namespace) -> list[str]:
    """The codes of the languages to translate into; "DE,FR" counts as two. No one is asked yet."""
    from svc_nb.wire.languages import target

    return list(dict.fromkeys(target(part) for each in options.to for part in listed(each)))


def given(options: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    """Those of the options *names* that were given."""
    found = {name: getattr(options, name, None) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def translation_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """What `.svc.translate` is called with; where --glossary names a file, the terms in it."""
    arguments = given(options, ARGUMENTS)
    if options.glossary:
        from svc_nb.glossaries.files import READABLE

        if Path(options.glossary).suffix.lower() in READABLE and is_file(options.glossary):
            source, to = options.source_lang, target_codes(options)
            wanted = (source if base_code(source or "") else None, to[0] if len(to) == 1 else None)
            arguments["glossary"] = _terms(options.glossary, *wanted)
    return arguments


def _terms(path: str, source_lang: str | None, target_lang: str | None) -> Any:
    """The terms of a file from and into these languages; it is not relabelled where it says that it has others."""
    from svc_nb import glossaries

    wanted = {base_code(each) for each in (source_lang, target_lang) if each}
    try:
        terms = glossaries.read(path)
    except ValueError:  # it does not say its languages
        return glossaries.read(path, source_lang=source_lang, target_lang=target_lang)
    own = {base_code(code) for name in ("source_lang", "target_lang") for code in terms[name].unique().tolist()}
    return glossaries.read(path, source_lang=source_lang, target_lang=target_lang) if wanted <= own else terms


def is_file(name: str) -> bool:
    """Whether *name* is that of a file; what looks like one and is not there raises Failure."""
    if Path(name).suffix.lower() in TABLES and not Path(name).exists():
        raise Failure(f"there is no file {name}")
    return Path(name).is_file()
