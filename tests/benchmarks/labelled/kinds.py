"""What a kind of fault is: its name, the severity that it deserves, and how it breaks a right translation."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.benchmarks.labelled.pairs import Pair

PLACEHOLDER = re.compile(r"%\(\w+\)[sdif]|%\d\$[sd]|%[sd](?!\w)|\{\w*\}|(?<!\w):[a-z]+\b|(?<!\w)@[a-z]+\b")
URL = re.compile(r"https?://[^\s\"'<>()]+[\w/]")
EMAIL = re.compile(r"\b[\w.]+@[\w.]+\w")
TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)\b([^<>]*)>")
PROTECTED = re.compile(
    "|".join(one.pattern for one in (TAG, URL, EMAIL, PLACEHOLDER)) + r"|&#?\w+;|\{\{.*?\}\}|``.*?``"
)
NEGATED = re.compile(r"\b(not|no|never|none|cannot|without|nothing|unable|invalid|only|fail\w*|un\w+)\b|n['’]t\b", re.I)


class Case(NamedTuple):
    """A pair to break, with what is around it."""

    pair: Pair
    column: list[Pair]
    elsewhere: dict[str, str]
    words: dict[str, Any]
    terms: dict[str, str]
    random: random.Random

    @property
    def source(self) -> str:
        """The text."""
        return self.pair.source

    @property
    def target(self) -> str:
        """Its right translation."""
        return self.pair.target

    @property
    def lang(self) -> str:
        """The language of the translation."""
        return self.pair.lang

    def one(self, pattern: str | re.Pattern[str], *, shared: bool = False, free: bool = False) -> re.Match[str] | None:
        """Some match in the translation: with *shared* one that the source has too, with *free* in no markup."""
        taken = [match.span() for match in PROTECTED.finditer(self.target)] if free else []
        found = [
            match
            for match in re.finditer(pattern, self.target)
            if not (shared and match[0] not in self.source)
            and not any(start < match.end() and match.start() < end for start, end in taken)
        ]
        return self.random.choice(found) if found else None

    def put(self, match: re.Match[str], text: str) -> str:
        """The translation with *text* instead of what matched."""
        return self.target[: match.start()] + text + self.target[match.end() :]


Break = Callable[[Case], str | None]


class Kind(NamedTuple):
    """A kind of fault."""

    name: str
    severity: str
    make: Break


KINDS: dict[str, Kind] = {}


def warning(make: Break) -> Break:
    """A kind that a reviewer has to see."""
    KINDS[make.__name__] = Kind(make.__name__, "warning", make)
    return make


def note(make: Break) -> Break:
    """A kind that is worth no more than a note."""
    KINDS[make.__name__] = Kind(make.__name__, "note", make)
    return make


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with the spaces behind it."""
    return [
        one
        for one in re.split(r"(?<=\w[.!?])(?=\s+[^\Wa-z])|(?<=[。！？।؟])(?=.)|(?<=\))(?=\n\n)", text)
        if one.strip()
    ]


def letters(text: str) -> int:
    """How many letters a text has."""
    return sum(map(str.isalpha, PROTECTED.sub("", text)))
