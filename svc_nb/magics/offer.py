"""What the service has to offer: languages, glossaries and style rule lists by name.

Who completes a line waits a moment at most: an answer that takes longer is there for the next time, and without a
session, or with one that does not answer, there are only the languages that everybody knows.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from svc_nb.language_codes import STABLE, as_normal, name_of
from svc_nb.session import known

if TYPE_CHECKING:
    from svc_nb.session import Session
    from svc_nb.wire.client import Client

MOMENT = 0.4
FRESH = 10.0
VARIANTS = ("EN-US", "EN-GB", "PT-BR", "PT-PT", "ES-419", "ZH-HANS", "ZH-HANT")


class Offer:
    """What can be completed, asked for in the background and remembered for a while."""

    def __init__(self, *, moment: float = MOMENT) -> None:
        self._moment = moment
        self._kept: weakref.WeakKeyDictionary[Session, dict[str, Answer]] = weakref.WeakKeyDictionary()

    def targets(self) -> Mapping[str, str]:
        """The languages to translate into: codes with their names."""
        return self._asked("targets", lambda client: _named(client.languages.target())) or common(*VARIANTS)

    def sources(self) -> Mapping[str, str]:
        """The languages to translate from."""
        return self._asked("sources", lambda client: _named(client.languages.source())) or common()

    def glossaries(self) -> Mapping[str, str]:
        """The names of the glossaries, with their language pairs."""
        return self._asked("glossaries", _glossaries) or {}

    def styles(self) -> Mapping[str, str]:
        """The names of the style rule lists, with their languages."""
        return (
            self._asked(
                "styles", lambda client: {s.name: as_normal(s.language) for s in client.style_rules.iterate()}
            )
            or {}
        )

    def _asked(self, what: str, ask: Callable[[Client], Mapping[str, str]]) -> Mapping[str, str] | None:
        session = known()
        if session is None:
            return None
        answers = self._kept.setdefault(session, {})
        answer = answers.setdefault(what, Answer())
        answer.renew(lambda: ask(session.client), self._moment)
        return answer.value


class Answer:
    """An answer that is asked for again when it is old; until the new one is there, the old one counts."""

    def __init__(self) -> None:
        self.value: Mapping[str, str] | None = None
        self._at = -FRESH
        self._asking: threading.Thread | None = None

    def renew(self, ask: Callable[[], Mapping[str, str]], moment: float) -> None:
        """Ask, unless the answer is fresh or on its way, and wait for it a moment."""
        if time.monotonic() - self._at < FRESH:
            return
        if self._asking is None or not self._asking.is_alive():
            self._asking = threading.Thread(
                target=self._take, args=[ask], daemon=True, name="svc_nb completion"
            )
            self._asking.start()
        self._asking.join(moment)

    def _take(self, ask: Callable[[], Mapping[str, str]]) -> None:
        with suppress(Exception):  # who completes a line is not told of what fails behind it
            self.value = ask()
        self._at = time.monotonic()


def common(*variants: str) -> dict[str, str]:
    """The languages that are known without asking."""
    return {code.upper(): name_of(code) for code in sorted([*STABLE, *(each.lower() for each in variants)])}


def _named(languages: list[Any]) -> dict[str, str]:
    return {each.language: each.name for each in languages}


def _glossaries(client: Client) -> dict[str, str]:
    return {
        each.name: ", ".join(
            f"{as_normal(pair.source_lang)} → {as_normal(pair.target_lang)}" for pair in each.dictionaries[:3]
        )
        for each in client.glossaries.list()
    }
