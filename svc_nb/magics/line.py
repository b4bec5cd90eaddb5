"""A line of magic: taken apart into words, its options read, and what holds where it says nothing.

What stands in quotes or brackets keeps together; taking a line apart evaluates nothing.
"""

import argparse
import ast
import keyword
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NoReturn

import pandas as pd
from IPython.core.error import UsageError
from IPython.core.magic import Magics
from traitlets import Bool, Enum, Float, Integer, Unicode

from svc_nb.advice import did_you_mean, nearest
from svc_nb.errors import UnknownLanguage
from svc_nb.language_codes import listed
from svc_nb.session import current
from svc_nb.wire.languages import target
from svc_nb.wire.models.text import FORMALITIES

OPENING, CLOSING, QUOTES = "([{", ")]}", "\"'"
WIDTH = 100
NONE = ("none", "")
CHOSEN = ("source_lang", "glossary", "style", "formality", "context", "reporting_tag")


# ---- words


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is written, and where it begins."""

    text: str
    start: int

    @property
    def is_option(self) -> bool:
        """Whether it is the name of an option, such as `--to`."""
        return self.text.startswith("--") and len(self.text) > 2


def words(line: str) -> list[Word]:
    """The words of *line*; a quote or bracket that is never closed goes on to the end.

    >>> [word.text for word in words('df["my column"] --to DE --glossary "Our terms"')]
    ['df["my column"]', '--to', 'DE', '--glossary', '"Our terms"']
    >>> [word.text for word in words("It's x['a  b")]
    ["It's", "x['a  b"]
    """
    found: list[Word] = []
    start, depth, quote = -1, 0, ""
    for place, letter in enumerate(line):
        if start < 0:
            if letter.isspace():
                continue
            start = place
        if quote:
            quote = "" if letter == quote else quote
        elif letter in QUOTES and (depth or place == start or line[place - 1] == "="):
            quote = letter  # elsewhere it is an apostrophe
        elif letter in OPENING:
            depth += 1
        elif letter in CLOSING:
            depth = max(depth - 1, 0)
        elif letter.isspace() and not depth:
            found.append(Word(line[start:place], start))
            start = -1
    return found if start < 0 else [*found, Word(line[start:], start)]


def unquoted(text: str) -> str:
    """*text* without the quotes around it, if there are some.

    >>> unquoted('"Our terms"'), unquoted("it's")
    ('Our terms', "it's")
    """
    is_quoted = len(text) >= 2 and text[0] in QUOTES and text[-1] == text[0]
    return text[1:-1] if is_quoted else text


def quoted(text: str) -> str:
    """*text* so that it is one word: in quotes where it needs some.

    >>> quoted("Terms"), quoted("Our terms"), quoted("")
    ('Terms', '"Our terms"', '""')
    """
    found = words(text)
    if len(found) == 1 and found[0].text == text and unquoted(text) == text and not found[0].is_option:
        return text
    return f"'{text}'" if '"' in text else f'"{text}"'


def split_line(line: str) -> tuple[str, list[Word]]:
    """What stands before the first option, as it is written, and the options with their values.

    >>> head, options = split_line('df[df.n > 1]["a"]  --to DE FR')
    >>> head, [word.text for word in options]
    ('df[df.n > 1]["a"]', ['--to', 'DE', 'FR'])
    """
    found = words(line)
    first = next((number for number, word in enumerate(found) if word.is_option), len(found))
    end = found[first].start if first < len(found) else len(line)
    return line[:end].strip(), found[first:]


# ---- what a person's expressions mean in their notebook, and the names that results get there

KINDS = (pd.DataFrame, pd.Series, pd.Index, str, list, tuple)
HISTORY = "In"  # the inputs of IPython
EXAMPLE = 'a name such as out, or a column such as df["german"]'


@dataclass(frozen=True)
class UserNamespace:
    """The names of *shell*, and those of the function that a magic is used in."""

    shell: Any
    inner: Mapping[str, Any] = field(default_factory=dict)

    def value(self, expression: str) -> Any:
        """What *expression* is: `df.review`, `df["review"]`, `df.review.head(10)`, or any other in Python."""
        names = {**self.shell.user_global_ns, **self.shell.user_ns, **self.inner}
        try:
            code = compile(expression, "<svc>", "eval")
        except SyntaxError:
            raise UsageError(f"{expression!r} is no Python expression: write a column such as df.review") from None
        try:
            return eval(code, names)  # noqa: S307
        except NameError as error:
            frame = error.__traceback__ and error.__traceback__.tb_next
            if frame is None or frame.tb_next:  # it is in a function that the line calls
                raise
            meant = did_you_mean(error.name or "", self.texts(), shown=str)
            raise UsageError(f"there is no {error.name}. {meant}") from None
        except (AttributeError, KeyError) as error:
            if isinstance(error, AttributeError):
                owner, column = error.obj, error.name
            else:
                owner, column = None, error.args[0] if error.args else None
                match _parsed(expression):
                    case ast.Subscript(value=ast.Name(id=name)):
                        owner = names.get(name)
            if not isinstance(owner, pd.DataFrame):  # the error is the person's own
                raise
            raise UsageError(
                f"there is no column {column!r}. {did_you_mean(str(column), map(str, owner.columns), shown=str)}"
            ) from None

    def setter(self, name: str) -> Callable[[Any], None]:
        """What puts a result under *name*, or makes it a column such as `df["german"]`; a bad name is refused here."""
        match _parsed(name):
            case ast.Name(id=plain) if not keyword.iskeyword(plain):
                return lambda value: self.shell.push({plain: value})
            case ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=column)):
                frame = self.value(table)
                if not isinstance(frame, pd.DataFrame):
                    raise UsageError(f"--as: {table} is no table")

                # What has another length, or several columns, is kept by the store and paid for once.
                def put(value: Any) -> None:
                    try:
                        frame[column] = value
                    except ValueError as error:
                        raise UsageError(f"--as: it cannot be the column {column!r}: {error}") from None

                return put
        raise UsageError(f"--as: expected {EXAMPLE}, found {name!r}")

    def texts(self, *kinds: type) -> dict[str, Any]:
        """What the person has named and can be translated, or is of one of *kinds*."""
        known = {**self.shell.user_ns, **self.inner}
        return {
            name: value
            for name, value in known.items()
            if isinstance(value, kinds or KINDS) and not name.startswith("_") and name != HISTORY
        }


def _parsed(expression: str) -> ast.expr | None:
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except SyntaxError:
        return None


# ---- options


class Formatter(argparse.HelpFormatter):
    """Help in lines that fit a notebook."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=WIDTH)

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        return f"{action.metavar} …" if action.nargs == "+" else super()._format_args(action, default_metavar)


class MagicParser(argparse.ArgumentParser):
    """The options of a magic; *alone* is said where a line has more, which is not repeated, since it may be a key."""

    def __init__(self, name: str, takes: str = "", *, alone: str = "") -> None:
        super().__init__(
            prog=name, usage=argparse.SUPPRESS, add_help=False, allow_abbrev=False, formatter_class=Formatter
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
                near = did_you_mean(unknown, self.actions, shown=str)
                raise UsageError(self._alone or f"%{self.prog}: there is no option {unknown}. {near}")
        return found, left

    def subject(self, head: str, left: Sequence[str]) -> str:
        """What the line is about: *head*, before the options, or what is *left* behind them."""
        if self._alone and (head or left):
            raise UsageError(self._alone)
        if head and left:
            raise UsageError(f"%{self.prog}: what is {left[0]!r} meant to be? What has blanks in it stands in quotes")
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
            near = nearest(said, known)
            meant = f". Did you mean {near}?" if near else ""
            raise argparse.ArgumentTypeError(f"expected one of {', '.join(known)}, found {said!r}{meant}")
        return said.lower()

    check.known = known  # type: ignore[attr-defined]  # for completion
    return check


def add_translation_options(options: MagicParser) -> None:
    """How something is translated: what `translate` and `plan` of `%svc` have, and `%%translate`."""
    add = options.add_argument
    add("--from", dest="source_lang", metavar="LANGUAGE", help="what the texts are in; found out if not given")
    add("--glossary", metavar="NAME", help="a glossary of the service, by its name or id")
    add("--style", metavar="NAME", help="a style rule list of the service, by its name or id")
    add("--formality", type=one_of(*FORMALITIES), metavar="HOW", help=", ".join(FORMALITIES))
    add("--context", metavar="TEXT", help="what the texts are about, or a column of a table that has it")
    add("--budget", type=whole, metavar="N", help="the most characters to pay for: a hard stop")
    add("--tag", dest="reporting_tag", metavar="TAG", help="the tag to book the characters under")


def add_result_options(options: MagicParser) -> None:
    """Where a result goes."""
    options.add_argument("--as", dest="name", metavar="NAME", help='keep the result as NAME, or as df["column"]')


# ---- one use of a magic


class Defaults(Magics):
    """The settings of the magics, which `%config SvcMagics` sets."""

    target_lang = Unicode("", help="The language to translate into: DE, EN-US, German.").tag(config=True)
    source_lang = Unicode("", help="What texts are in; found out where it is not set.").tag(config=True)
    glossary = Unicode("", help="The name or id of a glossary to use.").tag(config=True)
    style = Unicode("", help="The name or id of a style rule list to use.").tag(config=True)
    formality = Enum(("", *FORMALITIES), "", help="How formal to be.").tag(config=True)
    reporting_tag = Unicode("", help="The tag to book characters under.").tag(config=True)
    profile = Unicode("", help="The profile of the config file that %svc connect takes.").tag(config=True)
    price = Float(0.0, min=0, help="What a million characters cost, for %svc plan.").tag(config=True)
    budget = Integer(0, min=0, help="The most characters that one line may cost; 0 is no bound.").tag(config=True)
    progress = Bool(True, help="Whether to paint a bar.").tag(config=True)

    @property
    def set_by_hand(self) -> dict[str, Any]:
        """What is not as it was at first."""
        now = self.trait_values(config=True)
        return {name: value for name, value in now.items() if value != self.traits()[name].default_value}


@dataclass(frozen=True)
class MagicCall:
    """What a person has written: *head* stands before the options; *defaults* is what `%config SvcMagics` has."""

    head: str
    options: argparse.Namespace
    names: UserNamespace
    defaults: Defaults

    @property
    def title(self) -> str:
        """The head as a name."""
        return unquoted(self.head)

    def targets(self) -> list[str]:
        """The languages to translate into, as codes."""
        said = self.options.to or [self.defaults.target_lang]
        try:
            found = [target(part, current().client, field="--to") for each in said for part in listed(each)]
        except UnknownLanguage as problem:
            raise UsageError(str(problem)) from None
        if not found:
            raise UsageError('into which language? Write --to DE, or set one: %config SvcMagics.target_lang = "DE"')
        return found

    def fields(self) -> dict[str, Any]:
        """How to translate, by the names that `.svc.translate` has for it; what is "none" is left out."""
        found: dict[str, Any] = {}
        for name in CHOSEN:
            said = getattr(self.options, name)
            chosen = getattr(self.defaults, name, "") if said is None else said
            if chosen.lower() not in NONE:
                found[name] = chosen
        budget = (self.defaults.budget or None) if self.options.budget is None else self.options.budget
        return found if budget is None else {**found, "budget": budget}

    def kept(self, work: Callable[[], Any]) -> Any:
        """What *work* gives; with `--as` it gets that name and is not shown. A bad name is refused before."""
        if self.options.name is None:
            return work()
        put = self.names.setter(self.options.name)
        put(work())
        return None
