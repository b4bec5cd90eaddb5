"""A line of magic taken apart into words; what stands in quotes or brackets keeps together. Nothing is evaluated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

SIMILAR = 0.6
MOST_SHOWN = 12
OPENING, CLOSING, QUOTES = "([{", ")]}", "\"'"


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


def instead(given: str, known: Iterable[str]) -> str:
    """What is nearest to *given* among *known*, as the end of a sentence; all of them where nothing is near.

    >>> instead("statsu", ["status", "style"]), instead("x", ["status", "style"]), instead("x", [])
    (': is status meant?', '; there are status, style', '')
    """
    # All options begin with the same dashes, which do not count.
    names = {name.casefold().lstrip("-"): name for name in known}
    near = get_close_matches(given.casefold().lstrip("-"), names, n=1, cutoff=SIMILAR)
    if near:
        return f": is {names[near[0]]} meant?"
    shown = list(names.values())[:MOST_SHOWN]
    more = ", …" if len(names) > MOST_SHOWN else ""
    return f"; there are {', '.join(shown)}{more}" if shown else ""
