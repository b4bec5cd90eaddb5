"""The options of a magic: read by argparse, refused in one line, and told as help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from math import isfinite
from typing import NoReturn

from IPython.core.error import UsageError

from svc_nb.magics.line import Word, unquoted
from svc_nb.magics.names import Names
from svc_nb.magics.slips import instead
from svc_nb.wire.models.translation import FORMALITIES

WIDTH = 100


class Formatter(argparse.HelpFormatter):
    """Help in lines that fit a notebook."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=WIDTH)

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        return f"{action.metavar} …" if action.nargs == "+" else super()._format_args(action, default_metavar)


class Options(argparse.ArgumentParser):
    """The options of one magic, `%svc translate` say.

    *alone* is what is said where a line has more than these options; that is not repeated, since it may be a key.
    """

    def __init__(self, name: str, takes: str = "", *, alone: str = "") -> None:
        super().__init__(
            prog=name,
            usage=argparse.SUPPRESS,
            add_help=False,
            allow_abbrev=False,
            formatter_class=Formatter,
        )
        self.color = False  # of Python 3.14 on: help is shown in a notebook, too
        self._optionals.title = "options"
        self.takes = f"%{name} {takes}".rstrip()
        self._alone = alone

    def __contains__(self, option: str) -> bool:
        return option in self.actions

    def action(self, option: str) -> argparse.Action | None:
        """What an option does, by its name such as `--to`; None where there is none."""
        return self.actions.get(option)

    @property
    def actions(self) -> Mapping[str, argparse.Action]:
        """All options there are, by name."""
        return self._option_string_actions

    def read(self, given: Sequence[Word], names: Names) -> tuple[argparse.Namespace, list[str]]:
        """The options among *given*, and what is left of it; `{expression}` stands for a value of the notebook."""
        written = [part for word in given for part in _parts(word, names)]
        found, left = self.parse_known_args(written)
        for unknown in left:
            if unknown.startswith("--"):
                raise UsageError(
                    self._alone
                    or f"%{self.prog}: there is no option {unknown}{instead(unknown, self.actions)}"
                )
        return found, left

    def subject(self, head: str, left: Sequence[str]) -> str:
        """What the line is about: *head*, before the options, or what is *left* behind them."""
        if self._alone and (head or left):
            raise UsageError(self._alone)
        if head and left:
            raise UsageError(
                f"%{self.prog}: what is {left[0]!r} meant to be? What has blanks in it stands in quotes"
            )
        return head or " ".join(left)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the line."""
        raise UsageError(f"%{self.prog}: {message.removeprefix('argument ')}")


def _parts(word: Word, names: Names) -> list[str]:
    name, is_pair, value = word.text.partition("=") if word.is_option else ("", "", word.text)
    if not is_pair and name:
        return [name]
    if value.startswith("{") and value.endswith("}"):
        meant = names.value(value[1:-1])
        values = list(map(str, meant)) if isinstance(meant, list | tuple) else [str(meant)]
    else:
        values = [unquoted(value)]
    return [name, *values] if name else values


def whole(said: str) -> int:
    """A whole number, with or without separators: 200_000, 200,000."""
    try:
        return int(said.replace(",", ""))
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number, found {said!r}") from None


def number(said: str) -> float:
    """A number of 0 or more."""
    with suppress(ValueError):
        found = float(said)
        if isfinite(found) and found >= 0:
            return found
    raise argparse.ArgumentTypeError(f"expected a number of 0 or more, found {said!r}")


def one_of(*known: str) -> Callable[[str], str]:
    """A check that something is one of *known*, in any case."""

    def check(said: str) -> str:
        if said.lower() not in known:
            raise argparse.ArgumentTypeError(
                f"expected one of {', '.join(known)}, found {said!r}{_near(said, known)}"
            )
        return said.lower()

    check.known = known  # type: ignore[attr-defined]  # for completion
    return check


def _near(said: str, known: Iterable[str]) -> str:
    meant = instead(said, known)
    return meant if meant.endswith("?") else ""


def add_language_options(options: Options) -> None:
    """How something is translated: what `translate` and `plan` of `%svc` have, and `%%translate`."""
    add = options.add_argument
    add(
        "--from", dest="source_lang", metavar="LANGUAGE", help="what the texts are in; found out if not given"
    )
    add("--glossary", metavar="NAME", help="a glossary of the service, by its name or id")
    add("--style", metavar="NAME", help="a style rule list of the service, by its name or id")
    add("--formality", type=one_of(*FORMALITIES), metavar="HOW", help=", ".join(FORMALITIES))
    add("--context", metavar="TEXT", help="what the texts are about, or a column of a table that has it")
    add("--budget", type=whole, metavar="N", help="the most characters to pay for: a hard stop")
    add("--tag", dest="reporting_tag", metavar="TAG", help="the tag to book the characters under")


def add_result_options(options: Options) -> None:
    """Where a result goes."""
    options.add_argument(
        "--as", dest="name", metavar="NAME", help='keep the result as NAME, or as df["column"]'
    )
