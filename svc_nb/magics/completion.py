"""Completion of `%svc` and `%%translate`: commands, options, languages, names on the service, columns.

Nothing is evaluated and nothing connected to complete a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
from IPython.core.completer import SimpleCompletion

from svc_nb.magics.cell import OPTIONS as CELL_OPTIONS
from svc_nb.magics.commands import COMMANDS, HELP
from svc_nb.magics.line import quoted, words
from svc_nb.magics.lists import LINT
from svc_nb.magics.names import Names
from svc_nb.magics.offer import Offer

if TYPE_CHECKING:
    from argparse import Action

    from IPython.core.completer import CompletionContext, SimpleMatcherResult

    from svc_nb.magics.options import Options

MAGIC = re.compile(r"\s*(?:[\w.]+(?:\[[^\]]*\])?\s*=\s*)?(?P<name>%?svc|%%?translate)\s+(?P<rest>.*)")
NO_BREAK = "\N{NO-BREAK SPACE}"  # JupyterLab has one line for each
PERIODS = ("7 days", "30 days", "90 days", "this month", "last month")
COLUMN = re.compile(r"""(?P<table>\w+)(?P<how>\.|\[["'])(?P<begun>[^"']*)""")

Choices = Mapping[str, str]


class Completion:
    """What IPython asks with every press of the tab key."""

    matcher_api_version = 2
    matcher_identifier = "svc_nb"
    matcher_priority = 50

    def __init__(self, shell: Any, offer: Offer | None = None) -> None:
        self.__qualname__ = self.matcher_identifier  # IPython asks every matcher for it
        self._shell = shell
        self._offer = offer or Offer()

    def __call__(self, context: CompletionContext) -> SimpleMatcherResult:
        """The ways in which the line before the cursor can go on."""
        before = context.text_until_cursor
        magic = MAGIC.fullmatch(before)
        if magic is None or (magic["name"] == "%%translate" and context.cursor_line):
            return {"completions": []}
        done, begun = _last(magic["rest"])
        choices = self._cell(done, begun) if "translate" in magic["name"] else self._svc(done, begun)
        found = [
            SimpleCompletion(text, type=about.replace(" ", NO_BREAK))
            for text, about in _fitting(choices, begun)
        ]
        return {"completions": found, "matched_fragment": begun, "suppress": bool(found), "ordered": True}

    def _svc(self, done: list[str], begun: str) -> Choices:
        if not done:
            return dict.fromkeys([*COMMANDS, HELP], "command")
        if done[0] == HELP:
            return dict.fromkeys(COMMANDS, "command")
        if done[0] not in COMMANDS:
            return {}
        options = COMMANDS[done[0]].options
        action = _waiting(options, done, begun)
        if action is not None:
            return self._value(action, done[1:])
        return self._head(done, begun) or _options(options, done)

    def _cell(self, done: list[str], begun: str) -> Choices:
        action = _waiting(CELL_OPTIONS, done, begun)
        if action is not None:
            return self._value(action, done)
        return {**({} if done else self._offer.targets()), **_options(CELL_OPTIONS, done)}

    def _value(self, action: Action, done: list[str]) -> Choices:
        """What an option can be."""
        if action.dest == "columns":
            return self._columns(done[0])
        offered = {
            "to": self._offer.targets,
            "source_lang": self._offer.sources,
            "glossary": self._offer.glossaries,
            "style": self._offer.styles,
        }
        if action.dest in offered:
            return _quoted(offered[action.dest]())
        return dict.fromkeys(getattr(action.type, "known", ()), action.dest)

    def _head(self, done: list[str], begun: str) -> Choices:
        """What can stand before the options."""
        if begun.startswith("-") or any(word.startswith("--") for word in done):
            return {}
        match done:
            case ["usage"]:
                return dict.fromkeys(PERIODS, "days")
            case ["glossary"]:
                return {**_quoted(self._offer.glossaries()), LINT: "command"}
            case ["style"]:
                return {**_quoted(self._offer.styles()), LINT: "command"}
            case ["translate" | "plan" | "detect"]:
                return self._texts(begun)
            case ["glossary" | "style", "lint"]:
                return self._named(pd.DataFrame)
        return {}

    def _texts(self, begun: str) -> Choices:
        """The tables, columns and texts of the notebook; `df.` and `df["` go on with the columns of df."""
        inner = COLUMN.fullmatch(begun)
        if inner is None:
            return self._named()
        frame = self._shell.user_ns.get(inner["table"])
        if not isinstance(frame, pd.DataFrame):
            return {}
        names = [name for name in frame.columns if isinstance(name, str)]
        if inner["how"] == ".":
            return {f"{inner['table']}.{name}": "column" for name in names if name.isidentifier()}
        quote = inner["how"][1]
        return {f"{inner['table']}[{quote}{name}{quote}]": "column" for name in names if quote not in name}

    def _named(self, *kinds: type) -> Choices:
        return {name: type(value).__name__ for name, value in Names(self._shell).texts(*kinds).items()}

    def _columns(self, table: str) -> Choices:
        frame = self._shell.user_ns.get(table)
        names = map(str, frame.columns) if isinstance(frame, pd.DataFrame) else ()
        return _quoted(dict.fromkeys(names, "column"))


def _last(rest: str) -> tuple[list[str], str]:
    """The words that are complete, and the one that is begun: nothing after a blank."""
    found = words(rest)
    begun = found.pop().text if found and found[-1].start + len(found[-1].text) == len(rest) else ""
    return [word.text for word in found], begun


def _waiting(options: Options, done: list[str], begun: str) -> Action | None:
    """The last option, if a value stands behind it or several can; None where an option is begun."""
    places = [place for place, word in enumerate(done) if word in options]
    action = options.action(done[places[-1]]) if places and not begun.startswith("--") else None
    if action is None or action.nargs == 0 or (places[-1] + 1 < len(done) and action.nargs != "+"):
        return None
    return action


def _options(options: Options, done: list[str]) -> Choices:
    """The options that are not there yet."""
    return {
        name: str(action.metavar or "yes").lower()
        for name, action in options.actions.items()
        if name not in done
    }


def _quoted(choices: Choices) -> Choices:
    return {quoted(name): about for name, about in choices.items()}


def _fitting(choices: Choices, begun: str) -> Iterable[tuple[str, str]]:
    """The choices that *begun* begins; a language also by its name: `Ger` is DE."""
    start = begun.lstrip("\"'").casefold()
    for text, about in choices.items():
        if text.lstrip("\"'").casefold().startswith(start) or (
            text.isupper() and about.casefold().startswith(start)
        ):
            yield text, about
