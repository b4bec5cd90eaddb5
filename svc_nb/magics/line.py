"""A magic line: split into words, its options parsed, and its defaults applied.

Text in quotes or brackets stays together; splitting a line evaluates nothing.
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
    """A word as written, and where it starts."""

    text: str
    start: int

    @property
    def is_option(self) -> bool:
        """Whether it is the name of an option, such as `--to`."""
        return self.text.startswith("--") and len(self.text) > 2


def words(line: str) -> list[Word]:
    """The words of *line*; an unclosed quote or bracket extends to the end.

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
    """*text* without the quotes around it, if any.

    >>> unquoted('"Our terms"'), unquoted("it's")
    ('Our terms', "it's")
    """
    is_quoted = len(text) >= 2 and text[0] in QUOTES and text[-1] == text[0]
    return text[1:-1] if is_quoted else text


def quoted(text: str) -> str:
    """*text* as one word: in quotes if it needs them.

    >>> quoted("Terms"), quoted("Our terms"), quoted("")
    ('Terms', '"Our terms"', '""')
    """
    found = words(text)
    if len(found) == 1 and found[0].text == text and unquoted(text) == text and not found[0].is_option:
        return text
    return f"'{text}'" if '"' in text else f'"{text}"'


def split_line(line: str) -> tuple[str, list[Word]]:
    """The text before the first option, as written, and the options with their values.

    >>> head, options = split_line('df[df.n > 1]["a"]  --to DE FR')
    >>> head, [word.text for word in options]
    ('df[df.n > 1]["a"]', ['--to', 'DE', 'FR'])
    """
    found = words(line)
    first = next((number for number, word in enumerate(found) if word.is_option), len(found))
    end = found[first].start if first < len(found) else len(line)
    return line[:end].strip(), found[first:]


# ---- evaluating expressions in the notebook, and naming results

KINDS = (pd.DataFrame, pd.Series, pd.Index, str, list, tuple)
HISTORY = "In"  # the inputs of IPython
EXAMPLE = 'a name such as out, or a column such as df["german"]'


@dataclass(frozen=True)
class UserNamespace:
    """The names in *shell*, and those in the function that a magic is used in."""

    shell: Any
    inner: Mapping[str, Any] = field(default_factory=dict)

    def value(self, expression: str) -> Any:
        """The value of *expression*: `df.review`, `df["review"]`, `df.review.head(10)`, or any other Python."""
        names = {**self.shell.user_global_ns, **self.shell.user_ns, **self.inner}
        try:
            code = compile(expression, "<svc>", "eval")
        except SyntaxError:
            raise UsageError(f"{expression!r} is not a Python expression: write a column such as df.review") from None
        try:
            return eval(code, names)  # noqa: S307
        except NameError as error:
            frame = error.__traceback__ and error.__traceback__.tb_next
            if frame is None or frame.tb_next:  # the error is inside a function that the line calls
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
            if not isinstance(owner, pd.DataFrame):  # the error is in the user's own code
                raise
            raise UsageError(
                f"there is no column {column!r}. {did_you_mean(str(column), map(str, owner.columns), shown=str)}"
            ) from None

    def setter(self, name: str) -> Callable[[Any], None]:
        """A function that stores a result as *name* or as a column such as `df["german"]`; rejects invalid names."""
        match _parsed(name):
            case ast.Name(id=plain) if not keyword.iskeyword(plain):
                return lambda value: self.shell.push({plain: value})
            case ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=column)):
                frame = self.value(table)
                if not isinstance(frame, pd.DataFrame):
                    raise UsageError(f"--as: {table} is not a table")

                # A result of another length, or with several columns, is in the store and only paid for once.
                def put(value: Any) -> None:
                    try:
                        frame[column] = value
                    except ValueError as error:
                        raise UsageError(f"--as: it cannot be the column {column!r}: {error}") from None

                return put
        raise UsageError(f"--as: expected {EXAMPLE}, found {name!r}")

    def texts(self, *kinds: type) -> dict[str, Any]:
        """The user's names for things that can be translated, or are of one of *kinds*."""
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
    """Help with lines that fit a notebook."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=WIDTH)

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        return f"{action.metavar} …" if action.nargs == "+" else super()._format_args(action, default_metavar)


class MagicParser(argparse.ArgumentParser):
    """The options of a magic; *alone* is the error for extra text, which is not repeated because it may be a key."""

    def __init__(self, name: str, takes: str = "", *, alone: str = "") -> None:
        super().__init__(
            prog=name, usage=argparse.SUPPRESS, add_help=False, allow_abbrev=False, formatter_class=Formatter
        )
        self.color = False  # since Python 3.14: help is shown in a notebook, too
        self._optionals.title = "options"
        self.takes = f"%{name} {takes}".rstrip()
        self._alone = alone

    @property
    def actions(self) -> Mapping[str, argparse.Action]:
        """All options, by name."""
        return self._option_string_actions

    def read(self, given: Sequence[Word], names: UserNamespace) -> tuple[argparse.Namespace, list[str]]:
        """The options in *given*, and the rest; `{expression}` inserts a value from the notebook."""
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
        """The subject of the line: *head*, before the options, or what is *left* after them."""
        if self._alone and (head or left):
            raise UsageError(self._alone)
        if head and left:
            raise UsageError(f"%{self.prog}: unexpected {left[0]!r}. Put names with spaces in quotes")
        return head or " ".join(left)

    def help(self) -> str:
        """The help on the options."""
        return f"{self.takes}\n\n{self.format_help()}".strip()

    def error(self, message: str) -> NoReturn:
        """Raise an error about the line."""
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
    """A check that something is one of *known*, ignoring case."""

    def check(said: str) -> str:
        if said.lower() not in known:
            near = nearest(said, known)
            meant = f". Did you mean {near}?" if near else ""
            raise argparse.ArgumentTypeError(f"expected one of {', '.join(known)}, found {said!r}{meant}")
        return said.lower()

    check.known = known  # type: ignore[attr-defined]  # for completion
    return check


def add_translation_options(options: MagicParser) -> None:
    """Add the options for translating, shared by `translate` and `plan` of `%svc`, and `%%translate`."""
    add = options.add_argument
    add("--from", dest="source_lang", metavar="LANGUAGE", help="the source language; detected by default")
    add("--glossary", metavar="NAME", help="a glossary of the service, by its name or id")
    add("--style", metavar="NAME", help="a style rule list of the service, by its name or id")
    add("--formality", type=one_of(*FORMALITIES), metavar="HOW", help=", ".join(FORMALITIES))
    add("--context", metavar="TEXT", help="what the texts are about, or a column with that information")
    add("--budget", type=whole, metavar="N", help="the maximum number of characters to pay for")
    add("--tag", dest="reporting_tag", metavar="TAG", help="the tag to report the characters under")


def add_result_options(options: MagicParser) -> None:
    """Add the option for naming the result."""
    options.add_argument("--as", dest="name", metavar="NAME", help='keep the result as NAME, or as df["column"]')


# ---- one call of a magic


class Defaults(Magics):
    """The settings of the magics, which `%config SvcMagics` sets."""

    target_lang = Unicode("", help="The language to translate into: DE, EN-US, German.").tag(config=True)
    source_lang = Unicode("", help="The source language; detected if not set.").tag(config=True)
    glossary = Unicode("", help="The name or id of a glossary to use.").tag(config=True)
    style = Unicode("", help="The name or id of a style rule list to use.").tag(config=True)
    formality = Enum(("", *FORMALITIES), "", help="How formal to be.").tag(config=True)
    reporting_tag = Unicode("", help="The tag to report characters under.").tag(config=True)
    profile = Unicode("", help="The profile of the config file that %svc connect takes.").tag(config=True)
    price = Float(0.0, min=0, help="The price of a million characters, for %svc plan.").tag(config=True)
    budget = Integer(0, min=0, help="The maximum characters that one line may cost; 0 is no limit.").tag(config=True)
    progress = Bool(True, help="Whether to show a progress bar.").tag(config=True)

    @property
    def set_by_hand(self) -> dict[str, Any]:
        """The settings that differ from their defaults."""
        now = self.trait_values(config=True)
        return {name: value for name, value in now.items() if value != self.traits()[name].default_value}


@dataclass(frozen=True)
class MagicCall:
    """A magic call: *head* is the text before the options; *defaults* has the values of `%config SvcMagics`."""

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
            raise UsageError('no target language: write --to DE, or set one with %config SvcMagics.target_lang = "DE"')
        return found

    def fields(self) -> dict[str, Any]:
        """The options for `.svc.translate`, by its names; those that are "none" are left out."""
        found: dict[str, Any] = {}
        for name in CHOSEN:
            said = getattr(self.options, name)
            chosen = getattr(self.defaults, name, "") if said is None else said
            if chosen.lower() not in NONE:
                found[name] = chosen
        budget = (self.defaults.budget or None) if self.options.budget is None else self.options.budget
        return found if budget is None else {**found, "budget": budget}

    def kept(self, work: Callable[[], Any]) -> Any:
        """The result of *work*; with `--as` it gets that name and is not shown. Invalid names are rejected first."""
        if self.options.name is None:
            return work()
        put = self.names.setter(self.options.name)
        put(work())
        return None
