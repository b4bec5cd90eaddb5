"""Where terms stand in texts: whole words in any case, and anywhere in scripts without spaces.

Texts and terms are folded and cut into tokens: words, or single characters where words are not told apart. A term of
k tokens is looked for among all stretches of k tokens by number, but only where its first two tokens are, so that the
work hardly grows with the number of terms. What was found by number is compared before it is told.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from svc_nb.checks import alphabet
from svc_nb.checks.tape import END, Bools, Places, Tape
from svc_nb.checks.words import Directory

Ints = npt.NDArray[np.intp]

HANGUL = (0x1100, 0xAC00, 0xD7A4)


def folded(tape: Tape) -> Tape:
    """The same texts, so that case, width and composition do not count."""
    text = tape.text
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return Tape(text.casefold().split(END)[:-1])


@dataclass(frozen=True)
class Tokens:
    """Where every token of a tape starts and ends."""

    starts: Places
    ends: Places

    @staticmethod
    def of(tape: Tape) -> Tokens:
        """The tokens of *tape*."""
        kinds = tape.kinds
        word = (kinds & alphabet.WORD) != 0
        before = np.concatenate(([False], word[:-1]))
        starting = word & ~before
        loose = _loose(tape)
        if loose is not None:
            near = loose | np.concatenate(([False], loose[:-1]))
            starting |= word & near & ((kinds & alphabet.MARK) == 0)
        ending = before & (~word | starting)
        return Tokens(np.flatnonzero(starting), np.flatnonzero(ending))


def _loose(tape: Tape) -> Bools | None:
    """Where characters are that no spaces tell words apart for; None where there are none."""
    codes = tape.codes
    if codes.max(initial=0) < 0x0E00:
        return None
    hangul = (codes >= HANGUL[1]) & (codes < HANGUL[2])
    found: Bools = ((tape.kinds & alphabet.UNSPACED) != 0) | hangul
    return found


@dataclass(frozen=True)
class Hits:
    """Where terms were found: the row in the texts and the number of the term."""

    rows: Ints
    terms: Ints


class Lexicon:
    """*terms* to be found in texts; blank ones are found nowhere."""

    def __init__(self, terms: Sequence[str]) -> None:
        tape = folded(Tape([term.strip() for term in terms]))
        self.terms: list[str] = tape.texts()
        numbers: dict[str, int] = {}
        self.keys: Ints = np.array(
            [numbers.setdefault(term, len(numbers)) for term in self.terms], dtype=np.intp
        )
        self._distinct = list(numbers)
        self._tape = Tape(self._distinct)
        self._index()

    def _index(self) -> None:
        """Sort the different terms by how many tokens they have."""
        tape = self._tape
        tokens = Tokens.of(tape)
        rows = tape.rows_of(tokens.starts)
        counts = np.bincount(rows, minlength=len(tape))
        first = np.searchsorted(rows, np.arange(len(tape)))
        self._plain: dict[int, tuple[Directory, Ints]] = {}
        leads = []
        for count in np.unique(counts[counts > 0]).tolist():
            some = np.flatnonzero(counts == count)
            starts, ends = tokens.starts[first[some]], tokens.ends[first[some] + count - 1]
            self._plain[count] = (Directory(tape.numbers(starts, ends)), some)
            if count > 1:
                leads.append(tape.numbers(starts, tokens.ends[first[some] + 1]))
        self._leads = Directory(np.concatenate(leads)) if leads else None
        self._spans: dict[int, tuple[int, int]] = {}
        for key in np.flatnonzero(counts > 0).tolist():
            start, end = tokens.starts[first[key]], tokens.ends[first[key] + counts[key] - 1]
            self._spans[key] = int(start - tape.starts[key]), int(end - tape.starts[key])
        self._group()

    def _group(self) -> None:
        """For every different core of a term, the terms that have it, with what stands around it."""
        tape = self._tape
        self._with_core: dict[str, list[int]] = {}
        for key, (start, end) in self._spans.items():
            self._with_core.setdefault(self._distinct[key][start:end], []).append(key)
        self._cores = tape.starts.copy()
        self._lengths = np.zeros(len(tape), dtype=np.int64)
        self._simple = np.zeros(len(tape), dtype=np.bool_)
        for key, (start, end) in self._spans.items():
            self._cores[key] += start
            self._lengths[key] = end - start
            core = self._distinct[key][start:end]
            self._simple[key] = core == self._distinct[key] and len(self._with_core[core]) == 1
        self._wordless = [
            (term, key) for key, term in enumerate(self._distinct) if term and key not in self._spans
        ]

    def hits(self, tape: Tape, *, longest: bool = True) -> Hits:
        """All occurrences in the texts of *tape*, which is `folded`; with *longest*, none within a longer one."""
        tokens = Tokens.of(tape)
        taken = np.zeros(len(tokens.starts) + 1, dtype=np.bool_)
        rows: list[Ints] = []
        found: list[Ints] = []
        leads = self._leading(tape, tokens)
        for count in sorted(self._plain, reverse=True):
            places, keys = self._of_length(tape, tokens, count, leads)
            if longest and len(places):
                free = ~_any(taken, places, count)
                places, keys = places[free], keys[free]
                for offset in range(count):
                    taken[places + offset] = True
            rows.append(tape.rows_of(tokens.starts[places]))
            found.append(keys)
        for row, key in self._signs(tape):
            rows.append(np.array([row]))
            found.append(np.array([key]))
        none = np.zeros(0, dtype=np.intp)
        return Hits(np.concatenate([none, *rows]), np.concatenate([none, *found]))

    def _leading(self, tape: Tape, tokens: Tokens) -> Ints:
        if self._leads is None or len(tokens.starts) < 2:
            return np.zeros(0, dtype=np.intp)
        return np.sort(self._leads.find(tape.numbers(tokens.starts[:-1], tokens.ends[1:]))[0])

    def _of_length(self, tape: Tape, tokens: Tokens, count: int, leads: Ints) -> tuple[Ints, Ints]:
        """Where terms of *count* tokens start, as the numbers of tokens, and which they are."""
        table, keys = self._plain[count]
        firsts = np.arange(len(tokens.starts)) if count == 1 else leads[leads + count <= len(tokens.starts)]
        starts, ends = tokens.starts[firsts], tokens.ends[firsts + count - 1]
        places, spots = table.find(tape.numbers(starts, ends))
        return self._compared(tape, firsts[places], starts[places], ends[places], keys[spots])

    def _compared(
        self, tape: Tape, firsts: Ints, starts: Places, ends: Places, keys: Ints
    ) -> tuple[Ints, Ints]:
        """What is left when texts are compared, not numbers; and which of the terms with the same core are meant."""
        same = self._same(tape, starts, ends, keys)
        firsts, starts, keys = firsts[same], starts[same], keys[same]
        for place in np.flatnonzero(~self._simple[keys]).tolist():
            start, end = self._spans[int(keys[place])]
            core = self._distinct[keys[place]][start:end]
            keys[place] = self._meant(tape.text, int(starts[place]), self._with_core[core])
        return firsts[keys >= 0], keys[keys >= 0]

    def _same(self, tape: Tape, starts: Places, ends: Places, keys: Ints) -> Bools:
        """For every stretch whether it is the core of the term, character by character."""
        others, lengths = self._cores[keys], ends - starts
        same: Bools = lengths == self._lengths[keys]
        places = np.flatnonzero(same)
        for offset in range(int(lengths[places].max(initial=0))):
            places = places[offset < lengths[places]]
            wrong = tape.codes[starts[places] + offset] != self._tape.codes[others[places] + offset]
            same[places[wrong]] = False
        return same

    def _meant(self, text: str, start: int, several: list[int]) -> int:
        """The longest of the terms with one core that stands at *start* with all that is around it; -1 for none."""
        fitting = [
            key for key in several if text.startswith(self._distinct[key], start - self._spans[key][0])
        ]
        return max(fitting, key=lambda key: len(self._distinct[key]), default=-1)

    def _signs(self, tape: Tape) -> Iterator[tuple[int, int]]:
        """Terms without a letter or digit, wherever they are."""
        for term, key in self._wordless:
            place = tape.text.find(term)
            while place >= 0:
                yield int(tape.rows_of(np.array([place]))[0]), key
                place = tape.text.find(term, place + len(term))


def _any(taken: Bools, places: Ints, count: int) -> Bools:
    found = taken[places].copy()
    for offset in range(1, count):
        found |= taken[places + offset]
    return found
