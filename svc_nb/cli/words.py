"""The words of a command line: parsed, and a slip of the fingers answered with what was meant."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from svc_nb.cli.failure import Misuse

ON_THE_COMMAND_LINE = (
    "a key is not taken from the command line, where the history and other users see it: set SVC_API_KEY, put it into "
    "a profile, or store it with `python -m keyring set svc_nb default`. If the key was a real one, make a new one"
)
KEYS = ("--api-key", "--key", "--auth-key", "--admin-key", "--token", "--password")


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help with the names of all commands in one column."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26)


class Parser(argparse.ArgumentParser):
    """A parser that raises Misuse, with one line, in place of printing how it is used."""

    def __init__(self, **how: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=_Help, **how)
        self.commands: dict[str, Parser] = {}

    def error(self, message: str) -> NoReturn:
        """Refuse what cannot be understood."""
        told = message.removeprefix("argument ").replace(
            "the following arguments are required:", "expected also"
        )
        hint = " (before --to and --columns)" if "required: FILE" in message else ""
        raise Misuse(f"{told}{hint}. See {self.prog} --help")

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """The options in *words*; raises Misuse, with a suggestion, for a word that there is not."""
        command = self.meant(words)
        options, unknown = self.parse_known_args(words)
        if unknown:
            raise Misuse(_unknown(unknown[0], command))
        return options

    def meant(self, words: Sequence[str]) -> Parser:
        """The parser of the command in *words*; raises Misuse where there is no such command."""
        first = next((word for word in words if not word.startswith("-")), None)
        if not self.commands or first is None:
            return self
        if first not in self.commands:
            raise Misuse(
                f"there is no command {first!r}{close(first, self.commands)}. See {self.prog} --help"
            )
        return self.commands[first].meant(words[list(words).index(first) + 1 :])

    def named_options(self) -> list[str]:
        """The long options, as they are written."""
        found = [name for action in self._actions for name in action.option_strings]
        return [name for name in found if name.startswith("--") and name not in KEYS]


def close(word: str, known: Sequence[str] | dict[str, Any]) -> str:
    """What was probably meant, to be said after what is wrong, or nothing.

    >>> close("transalte", ["translate", "usage"]), close("x", ["translate"])
    ('; probably translate is meant', '')
    """
    found = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; probably {found[0]} is meant" if found else ""


def _unknown(word: str, command: Parser) -> str:
    """What is wrong with a word; a value is not repeated, for it may be a key, unless there is a file of that name."""
    name = word.partition("=")[0]
    if Path(word).exists():
        return f"{word} is one file too many: {command.prog} takes one at a time. See {command.prog} --help"
    if not word.startswith("-"):
        return f"there is a word too many. See {command.prog} --help"
    return f"there is no option {name}{close(name, command.named_options())}. See {command.prog} --help"


class NoKey(argparse.Action):
    """An option that people try, and that is refused without being looked at."""

    def __call__(self, *ignored: Any) -> NoReturn:
        """Refuse."""
        raise Misuse(ON_THE_COMMAND_LINE)


Run = Callable[[argparse.Namespace], int]


def group(commands: Any, name: str, *, help: str) -> Any:
    """Add a command that has commands of its own, and give what they are added to."""
    parser = _added(commands, name, help, "")
    below = parser.add_subparsers(metavar="COMMAND", required=True)
    below.owner = parser  # type: ignore[attr-defined]
    return below


def leaf(commands: Any, name: str, run: Run, *, help: str, example: str) -> Parser:
    """Add a command that does something: *run* is called with its options and gives the code to exit with."""
    parser = _added(commands, name, help, f"example:\n  {example}")
    parser.set_defaults(run=run)
    return parser


def listing(commands: Any, name: str, run: Run, *, help: str, example: str) -> Parser:
    """Add a command that does something and shows a table."""
    parser = leaf(commands, name, run, help=help, example=example)
    tabled(parser)
    return parser


def connecting(parser: Parser) -> None:
    """Add the options of a command that may talk to the service."""
    add = parser.add_argument_group("connection").add_argument
    add("--profile", metavar="NAME", help="a profile of the config file")
    add(
        "--base-url",
        metavar="URL",
        help="the address of the service; its key comes from SVC_API_KEY or the keyring",
    )
    add("--strict", action="store_true", help="fail where no translator has a text, instead of marking it")
    add("-q", "--quiet", action="store_true", help="say nothing on stderr but errors")
    add("--traceback", action="store_true", help="show where an error came from")
    add(*KEYS, action=NoKey, nargs="?", dest="no_key", help=argparse.SUPPRESS)


def tabled(parser: Parser) -> None:
    """Add the options of a command that shows a table."""
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", dest="form", action="store_const", const="json", help="the table as JSON")
    forms.add_argument("--csv", dest="form", action="store_const", const="csv", help="the table as CSV")


def _added(commands: Any, name: str, help: str, epilog: str) -> Parser:
    about = f"{help[0].upper()}{help[1:]}."
    parser: Parser = commands.add_parser(name, help=help, description=about, epilog=epilog)
    commands.owner.commands[name] = parser
    return parser
