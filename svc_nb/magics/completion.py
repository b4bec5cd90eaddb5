"""Completion of `%svc` and `%%translate`: commands, options, languages, names on the service, columns.

Completion never evaluates anything and never connects. It waits only a moment for the service: a later answer is used
the next time, and without a session, or without an answer, only the built-in languages are offered.
"""

from __future__ import annotations

import re
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pandas as pd
from IPython.core.completer import SimpleCompletion

from svc_nb.language_codes import STABLE, as_normal, name_of
from svc_nb.magics.cell import OPTIONS as CELL_OPTIONS
from svc_nb.magics.commands import COMMANDS, HELP, LINT
from svc_nb.magics.line import UserNamespace, quoted, words
from svc_nb.session import known

if TYPE_CHECKING:
    from argparse import Action

    from IPython.core.completer import CompletionContext, SimpleMatcherResult

    from svc_nb.session import Session
    from svc_nb.wire.client import Client

MAGIC = re.compile(r"\s*(?:[\w.]+(?:\[[^\]]*\])?\s*=\s*)?(?P<name>%?svc|%%?translate)\s+(?P<rest>.*)")
NO_BREAK = "\N{NO-BREAK SPACE}"  # JupyterLab shows one line for each
PERIODS = ("7 days", "30 days", "90 days", "this month", "last month")
COLUMN = re.compile(r"""(?P<table>\w+)(?P<how>\.|\[["'])(?P<begun>[^"']*)""")
MOMENT = 0.4
FRESH = 10.0
VARIANTS = ("EN-US", "EN-GB", "PT-BR", "PT-PT", "ES-419", "ZH-HANS", "ZH-HANT")

Choices = Mapping[str, str]


class Completion:
    """The matcher that IPython calls when you press Tab."""

    matcher_api_version = 2
    matcher_identifier = "svc_nb"
    matcher_priority = 50

    def __init__(self, shell: Any) -> None:
        self.__qualname__ = self.matcher_identifier  # IPython expects this of every matcher
        self._shell = shell
        self._service = ServiceNames()

    def __call__(self, context: CompletionContext) -> SimpleMatcherResult:
        """The possible completions of the line before the cursor."""
        magic = MAGIC.fullmatch(context.text_until_cursor)
        if magic is None or (magic["name"] == "%%translate" and context.cursor_line):
            return {"completions": []}
        # The complete words, and the one being typed: empty after a space.
        rest, parts = magic["rest"], words(magic["rest"])
        begun = parts.pop().text if parts and parts[-1].start + len(parts[-1].text) == len(rest) else ""
        choices = self._choices([part.text for part in parts], begun, is_cell="translate" in magic["name"])
        start = begun.lstrip("\"'").casefold()
        found = [
            SimpleCompletion(text, type=about.replace(" ", NO_BREAK))
            for text, about in choices.items()
            # A language can also be given by name: `Ger` is DE.
            if text.lstrip("\"'").casefold().startswith(start)
            or (text.isupper() and about.casefold().startswith(start))
        ]
        return {"completions": found, "matched_fragment": begun, "suppress": bool(found), "ordered": True}

    def _choices(self, done: list[str], begun: str, *, is_cell: bool) -> Choices:
        """What can follow the complete words *done*."""
        if is_cell:
            options = CELL_OPTIONS
        elif not done or done[0] == HELP:
            return dict.fromkeys(COMMANDS if done else [*COMMANDS, HELP], "command")
        elif done[0] not in COMMANDS:
            return {}
        else:
            options = COMMANDS[done[0]].options
        # The last option, if it has no value yet or takes several; none while an option is being typed.
        places = [place for place, word in enumerate(done) if word in options.actions]
        if places and not begun.startswith("--"):
            action = options.actions[done[places[-1]]]
            if action.nargs == "+" or (action.nargs != 0 and places[-1] + 1 == len(done)):
                return self._values(action, done if is_cell else done[1:])
        others = {
            name: str(action.metavar or "yes").lower() for name, action in options.actions.items() if name not in done
        }
        if is_cell:
            return others if done else {**self._service.targets(), **others}
        return self._heads(done, begun) or others

    def _values(self, action: Action, done: list[str]) -> Choices:
        """The possible values of an option."""
        if action.dest == "columns":
            frame = self._shell.user_ns.get(done[0])
            names = map(str, frame.columns) if isinstance(frame, pd.DataFrame) else ()
            return _quoted(dict.fromkeys(names, "column"))
        offered = {
            "to": self._service.targets,
            "source_lang": self._service.sources,
            "glossary": self._service.glossaries,
            "style": self._service.styles,
        }
        if action.dest in offered:
            return _quoted(offered[action.dest]())
        return dict.fromkeys(getattr(action.type, "known", ()), action.dest)

    def _heads(self, done: list[str], begun: str) -> Choices:
        """What can come before the options."""
        if begun.startswith("-") or any(word.startswith("--") for word in done):
            return {}
        match done:
            case ["usage"]:
                return dict.fromkeys(PERIODS, "days")
            case ["glossary"]:
                return {**_quoted(self._service.glossaries()), LINT: "command"}
            case ["style"]:
                return {**_quoted(self._service.styles()), LINT: "command"}
            case ["translate" | "plan" | "detect"] if inner := COLUMN.fullmatch(begun):
                # `df.` and `df["` are completed with the columns of df.
                table, quote = inner["table"], inner["how"][1:]
                frame = self._shell.user_ns.get(table)
                names = frame.columns if isinstance(frame, pd.DataFrame) else ()
                texts = [name for name in names if isinstance(name, str)]
                if not quote:
                    return {f"{table}.{name}": "column" for name in texts if name.isidentifier()}
                return {f"{table}[{quote}{name}{quote}]": "column" for name in texts if quote not in name}
            case ["translate" | "plan" | "detect"]:
                return self._named()
            case ["glossary" | "style", "lint"]:
                return self._named(pd.DataFrame)
        return {}

    def _named(self, *kinds: type) -> Choices:
        names = UserNamespace(self._shell).texts(*kinds)
        return {name: type(value).__name__ for name, value in names.items()}


def _quoted(choices: Choices) -> Choices:
    return {quoted(name): about for name, about in choices.items()}


class ServiceNames:
    """The languages, glossaries and style rule lists of the service, loaded in the background and cached."""

    def __init__(self) -> None:
        self._kept: weakref.WeakKeyDictionary[Session, dict[str, Answer]] = weakref.WeakKeyDictionary()

    def targets(self) -> Choices:
        """The languages to translate into: codes with their names."""
        found = self._asked("targets", lambda client: {x.language: x.name for x in client.languages.target()})
        return found or common(*VARIANTS)

    def sources(self) -> Choices:
        """The languages to translate from."""
        found = self._asked("sources", lambda client: {x.language: x.name for x in client.languages.source()})
        return found or common()

    def glossaries(self) -> Choices:
        """The names of the glossaries, with their language pairs."""

        def ask(client: Client) -> Choices:
            found = {}
            for each in client.glossaries.list():
                pairs = [(as_normal(x.source_lang), as_normal(x.target_lang)) for x in each.dictionaries[:3]]
                found[each.name] = ", ".join(f"{source} → {target}" for source, target in pairs)
            return found

        return self._asked("glossaries", ask)

    def styles(self) -> Choices:
        """The names of the style rule lists, with their languages."""
        return self._asked(
            "styles", lambda client: {x.name: as_normal(x.language) for x in client.style_rules.iterate()}
        )

    def _asked(self, what: str, ask: Callable[[Client], Choices]) -> Choices:
        session = known()
        if session is None:
            return {}
        answer = self._kept.setdefault(session, {}).setdefault(what, Answer())
        answer.renew(lambda: ask(session.client), MOMENT)
        return answer.value


class Answer:
    """An answer that is requested again when it is old; until the new one arrives, the old one is used."""

    def __init__(self) -> None:
        self.value: Choices = {}
        self._at = -FRESH
        self._asking: threading.Thread | None = None

    def renew(self, ask: Callable[[], Choices], moment: float) -> None:
        """Ask, unless the answer is fresh or already requested, and wait for it a moment."""
        if time.monotonic() - self._at < FRESH:
            return

        def take() -> None:
            with suppress(Exception):  # a failure here must not disturb someone completing a line
                self.value = ask()
            self._at = time.monotonic()

        if self._asking is None or not self._asking.is_alive():
            self._asking = threading.Thread(target=take, daemon=True, name="svc_nb completion")
            self._asking.start()
        self._asking.join(moment)


def common(*variants: str) -> dict[str, str]:
    """The built-in languages."""
    return {code.upper(): name_of(code) for code in sorted([*STABLE, *(each.lower() for each in variants)])}
