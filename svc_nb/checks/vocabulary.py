"""Checks of words whose meaning is known in many languages: months, weekdays, small numbers, and negation.

Rows are selected by the words of the texts, for all rows at once; then both texts of those rows are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from svc_nb.checks.findings import Finding, excerpt
from svc_nb.checks.language_data import (
    MONTH_NAMES,
    NUMBER_WORDS,
    QUESTIONS,
    UNSPACED,
    WEEKDAY_NAMES,
    WORDS_OF,
    negation_in,
)
from svc_nb.checks.text_pairs import TextPairs, rows_where

ENGLISH = "en"
SMALLEST = 2
DIGITS = re.compile(r"\d+")

# These negate nothing, or not the sentence.
NO_NEGATION = re.compile(
    r"\b(?:or not|not only|why not|if not|not (?:just|yet|bad|un\w+)|(?:ca(?:n['’]|nno)t (?:wait|help|miss))"
    r"|(?:don['’]t|do not) (?:forget|worry|hesitate)"
    r"|\w*n['o’]t (?:be )?(?:match|equal|identical|the same|agree))\b"
    r"|\b\w+n['’]t (?:it|he|she|we|you|they|i)\?\s*$",  # isn't it?
    re.IGNORECASE,
)
NOT_ONLY = re.compile(
    r"\b(?:nicht nur|n(?:on|e) \w* ?(?:pas )?seulement|pas seulement|no s[oó]lo|no solamente|non solo|não (?:só|apenas)"
    r"|niet alleen|не только|не лише|не само|nie tylko|nejen|nielen|ne samo|ikke (?:kun|bare)|inte bara|nu doar)\b",
    re.IGNORECASE,
)
# "Half past six" is half on the way to seven in many languages.
CLOCK = re.compile(r"\b(?:half past|quarter (?:past|to|of))\b", re.IGNORECASE)
LONGEST_NEGATED = 200


def calendar(pairs: TextPairs) -> Iterator[Finding]:
    """Code `calendar`."""
    for kind, names in (("months", MONTH_NAMES), ("weekdays", WEEKDAY_NAMES)):
        for row, meant, found in _compared(pairs, kind, names):
            if meant.keys() - found and found.keys() - meant:
                wrong = excerpt(found[min(found.keys() - meant)])
                yield Finding(row, "calendar", f"{wrong} for {excerpt(meant[min(meant.keys() - found)])}")


def number_words(pairs: TextPairs) -> Iterator[Finding]:
    """Code `numbers`, for numbers that both sides write as words."""
    for row, meant, found in _compared(pairs, "numbers", NUMBER_WORDS):
        written = {int(digits) for text in pairs.bare(row) for digits in DIGITS.findall(text) if len(digits) < 4}
        lost = {number for number in meant.keys() - found if number >= SMALLEST} - written
        new = {number for number in found.keys() - meant if number >= SMALLEST} - written
        if lost and new and not any(map(CLOCK.search, pairs.texts(row))):
            yield Finding(row, "numbers", f"{excerpt(found[min(new)])} for {excerpt(meant[min(lost)])}")


def _compared(
    pairs: TextPairs, kind: str, words: dict[str, list[str]]
) -> Iterator[tuple[int, dict[int, str], dict[int, str]]]:
    """The rows whose source has some of *words*, and the words that each side has."""
    lang = pairs.source_lang or ENGLISH
    ours, theirs = words.get(lang), words.get(pairs.target_lang or "")
    if not ours or not theirs:
        return
    mentioned = np.ones(len(pairs), dtype=np.bool_)
    if lang not in UNSPACED:
        mentioned = pairs.source.beginning(WORDS_OF[kind][lang])
    for row in rows_where(mentioned & ~pairs.equal):
        source, target = pairs.bare(row)
        # English months have capitals: march and may are other words.
        flags = 0 if lang == ENGLISH and kind != "numbers" else re.IGNORECASE
        yield row, _meant(ours, source, flags), _meant(theirs, target, re.IGNORECASE)


def _meant(patterns: Sequence[str], text: str, flags: int) -> dict[int, str]:
    """The *patterns* that match *text*, by their number, and their matches."""
    found = ((number, re.search(rf"(?<!\d)(?:{pattern})", text, flags)) for number, pattern in enumerate(patterns))
    return {number: match[0] for number, match in found if match}


def negation(pairs: TextPairs) -> Iterator[Finding]:
    """Code `negation`."""
    ours, theirs = negation_in(pairs.source_lang or ENGLISH), negation_in(pairs.target_lang)
    if not ours or not theirs or ours is theirs:
        return
    negated = pairs.source.mentioning(ours.words)
    answered = pairs.target.mentioning(theirs.words)
    short = np.maximum(pairs.source.lengths, pairs.target.lengths) <= LONGEST_NEGATED
    for row in rows_where(short & (negated != answered) & ~pairs.equal):
        source, target = pairs.bare(row)
        source, target = (NOT_ONLY.sub(" ", NO_NEGATION.sub(" ", text)) for text in (source, target))
        said, heard = ours.clear.search(source), theirs.clear.search(target)
        if said and not theirs.any.search(target):
            yield Finding(row, "negation", f"the source has {excerpt(said[0])}, the translation no negation")
        elif heard and not ours.any.search(source) and not target.rstrip().endswith(QUESTIONS):
            yield Finding(row, "negation", f"{excerpt(heard[0])} where the source has no negation")
