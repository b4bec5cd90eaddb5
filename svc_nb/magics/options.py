"""The options of a magic: read by argparse, refused in one line, and told as help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import isfinite
from typing import NoReturn

from IPython.core.error import UsageError

from svc_nb.magics.line import Word, instead, unquoted
from svc_nb.magics.namespace import UserNamespace
from svc_nb.wire.models.text import FORMALITIES

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

    @property
    def actions(self) -> Mapping[str, argparse.Action]:
        """All options there are, by name."""
        return self._option_string_actions

    def read(self, given: Sequence[Word], names: UserNamespace) -> tuple[argparse.Namespace, list[str]]:
        """The options among *given*, and what is left of it; `{expression}` stands for a value of the notebook."""
        written: list[str] = []
        for word in given:
            name, is_pair, value = word.text.partition("=") if word.is_option else ("", "", word.text)
            if name:
                written.append(name)
            if name and not is_pair:
                continue
            if value.startswith("{") and value.endswith("}"):
                meant = names.value(value[1:-1])
                written += map(str, meant if isinstance(meant, list | tuple) else [meant])
            else:
                written.append(unquoted(value))
        found, left = self.parse_known_args(written)
        for unknown in left:
            if unknown.startswith("--"):
                near = instead(unknown, self.actions)
                raise UsageError(self._alone or f"%{self.prog}: there is no option {unknown}{near}")
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

    def help(self) -> str:
        """The options, as they are written."""
        return f"{self.takes}\n\n{self.format_help()}".strip()

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the line."""
        raise UsageError(f"%{self.prog}: {message.removeprefix('argument ')}")


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
            meant = instead(said, known)
            near = meant if meant.endswith("?") else ""
            raise argparse.ArgumentTypeError(f"expected one of {', '.join(known)}, found {said!r}{near}")
        return said.lower()

    check.known = known  # type: ignore[attr-defined]  # for completion
    return check


def add_translation_options(options: Options) -> None:
    """How something is translated: what `translate` and `plan` of `%svc` have, and `%%translate`."""
    add = options.add_argument
    source = "what the texts are in; found out if not given"
    add("--from", dest="source_lang", metavar="LANGUAGE", help=source)
    add("--glossary", metavar="NAME", help="a glossary of the service, by its name or id")
    add("--style", metavar="NAME", help="a style rule list of the service, by its name or id")
    add("--formality", type=one_of(*FORMALITIES), metavar="HOW", help=", ".join(FORMALITIES))
    add("--context", metavar="TEXT", help="what the texts are about, or a column of a table that has it")
    add("--budget", type=whole, metavar="N", help="the most characters to pay for: a hard stop")
    add("--tag", dest="reporting_tag", metavar="TAG", help="the tag to book the characters under")


def add_result_options(options: Options) -> None:
    """Where a result goes."""
    about = 'keep the result as NAME, or as df["column"]'
    options.add_argument("--as", dest="name", metavar="NAME", help=about)
