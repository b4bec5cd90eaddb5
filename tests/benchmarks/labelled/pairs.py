"""The real pairs of texts and translations, their glossary and the words of their languages, read from files."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent
HALVES = ("tuned", "held_back")
SALT = "49816"  # with it the few pairs that were written for a kind are spread over both halves
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class Pair(NamedTuple):
    """A text and its right translation; `other` is another right translation, from another catalogue, or ""."""

    number: int
    package: str
    lang: str
    source: str
    target: str
    other: str
    half: str


def _fields(name: str) -> list[list[str]]:
    lines = (FOLDER / name).read_text(encoding="utf-8").split("\n")[:-1]
    return [[re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), one) for one in line.split("\t")] for line in lines]


@cache
def pairs() -> list[Pair]:
    """All pairs, in the order of the file."""
    made = []
    for number, (package, lang, source, target, *other) in enumerate(_fields("pairs.tsv")):
        # All translations of a source text are in one half.
        half = HALVES[hashlib.sha256(f"{SALT} {source}".encode()).digest()[0] % 2]
        made.append(Pair(number, package, lang, source, target, *(other or [""]), half))
    return made


@cache
def words() -> dict[str, dict[str, Any]]:
    """Names of months and weekdays, number words and the word for "not", by language."""
    loaded: dict[str, dict[str, Any]] = json.loads((FOLDER / "words.json").read_text(encoding="utf-8"))
    return loaded


@cache
def _inflected(term: str) -> re.Pattern[str]:
    if term.lower() == term.upper():  # a script without capitals: words are not set apart, or have other ends
        return re.compile(re.escape(term))
    stem = term if len(term) < 4 else term[: max(3, len(term) - 2)]
    return re.compile(rf"(?<![^\W_]){re.escape(stem)}[^\W\d_]*", re.IGNORECASE)


def uses(text: str, term: str) -> re.Match[str] | None:
    """Where a translation uses a term, in any inflection: a word that starts like it."""
    return _inflected(term).search(text)


def names(text: str, term: str) -> re.Match[str] | None:
    """Where an English text has a term, in the singular or the plural."""
    if term[:3] not in text.lower():
        return None
    forms = f"{term}|{term[:-1]}ies|{term}e?s"
    return re.search(rf"(?<![\w%({{])(?:{forms})(?![\w)}}=])", text, re.IGNORECASE)


@cache
def glossary(lang: str) -> dict[str, str]:
    """The terms that all pairs of a language follow: catalogues of several people do not agree on every term."""
    column = [pair for pair in pairs() if pair.lang == lang]
    terms = {source: target for code, source, target in _fields("glossary.tsv") if code == lang}
    kept = {}
    for source, target in terms.items():
        with_term = [pair for pair in column if names(pair.source, source)]
        if with_term and all(uses(pair.target, target) for pair in with_term):
            kept[source] = target
    return kept
