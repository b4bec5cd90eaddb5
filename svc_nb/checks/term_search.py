"""Where terms are in texts: whole words in any case, and anywhere in scripts without spaces.

Texts and terms are folded and split into words. A term of k words is searched by hash among all sequences of k words,
but only where its first two words are, so that the time hardly grows with the number of terms. Matches by hash are
compared before they count.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from svc_nb.checks import codepoints
from svc_nb.checks.text_array import Bools, Hashes, Places, TextArray

Ints = npt.NDArray[np.intp]

FIRST_UNSPACED = 0x0E00
HANGUL = (0xAC00, 0xD7A4)
# The number of slots: several for every hash, so that there are few collisions.
SPARE_BITS = 3
MOST_BITS = 22


class Words:
    """The places (`starts`, `ends`) and `rows` of all words of *texts*: stretches of letters, digits and marks.

    In scripts without spaces, and with *syllables* in Korean, every character is a word, unless *split* is false.
    """

    def __init__(self, texts: TextArray, *, split: bool = True, syllables: bool = False) -> None:
        self.texts = texts
        kinds, codes = texts.kinds, texts.codes
        inside = (kinds & codepoints.WORD) != 0
        before = np.concatenate(([False], inside[:-1]))
        alone: Bools = np.zeros(0, dtype=np.bool_)
        if split and texts.widest >= FIRST_UNSPACED:
            alone = (kinds & codepoints.UNSPACED) != 0
            if syllables:
                alone |= (codes >= HANGUL[0]) & (codes < HANGUL[1])
        if alone.any():
            near = alone | np.concatenate(([False], alone[:-1]))
            starting = inside & (~before | (near & ((kinds & codepoints.MARK) == 0)))
            self.starts: Places = np.flatnonzero(starting)
            self.ends: Places = np.flatnonzero(before & (~inside | starting))
        else:  # an END follows the last text, so that every start has its end
            changes = np.flatnonzero(inside != before)
            self.starts, self.ends = changes[::2], changes[1::2]
        self.rows = texts.rows_of(self.starts)

    @cached_property
    def hashes(self) -> Hashes:
        """A hash for every word; equal words share it."""
        return self.texts.hashes(self.starts, self.ends)

    def runs(self, length: int, among: Bools | None = None) -> tuple[Places, Places, Places]:
        """Start, end and row of every run of *length* words in one text; if given, only in the rows *among*."""
        last = self.rows[length - 1 :]
        first = self.rows[: len(last)]
        whole = first == last
        if among is not None:
            whole &= among[first]
        places = np.flatnonzero(whole)
        return self.starts[places], self.ends[places + length - 1], first[places]


class HashIndex:
    """Where hashes are in an array, for many at once: by a table of slots, and for the few others in order."""

    def __init__(self, hashes: Hashes) -> None:
        self._hashes = hashes
        self._bits = min(len(hashes).bit_length() + SPARE_BITS, MOST_BITS)
        places = np.arange(len(hashes))
        slots = self._slots(hashes)
        self._table = np.full(1 << self._bits, -1, dtype=np.int64)
        self._table[slots[::-1]] = places[::-1]
        self._slotted = self._table[slots]
        late = np.flatnonzero(hashes[self._slotted] != hashes)
        self._late = late[np.argsort(hashes[late], kind="stable")]

    def _slots(self, hashes: Hashes) -> Places:
        return (hashes >> np.uint64(64 - self._bits)).astype(np.int64)

    def repeated(self) -> tuple[Places, Places]:
        """The places of the hashes that also appear earlier, and the first place of each."""
        first = self._slotted.copy()
        late = self._hashes[self._late]
        heads = np.flatnonzero(np.append(late[:1] == late[:1], late[1:] != late[:-1]))
        first[self._late] = np.repeat(self._late[heads], np.diff(heads, append=len(late)))
        places = np.flatnonzero(first != np.arange(len(first)))
        return places, first[places]

    def find(self, hashes: Hashes) -> tuple[Places, Places]:
        """The places in *hashes* of those that are in the array, and the first place in the array of each."""
        slotted = self._table[self._slots(hashes)]
        taken = np.flatnonzero(slotted >= 0)
        slotted = slotted[taken]
        is_first = self._hashes[slotted] == hashes[taken]

        others, late = taken[~is_first], self._hashes[self._late]
        near = np.searchsorted(late, hashes[others])
        others, near = others[near < len(late)], near[near < len(late)]
        same = late[near] == hashes[others]
        places = np.concatenate((taken[is_first], others[same]))
        return places, np.concatenate((slotted[is_first], self._late[near[same]]))


@dataclass(frozen=True)
class Hits:
    """Where terms were found: the row in the texts and the number of the term."""

    rows: Ints
    terms: Ints


class TermIndex:
    """*terms* to be found in texts; blank ones are never found.

    `terms` are the terms as they are compared, and `keys` has the number of each; equal terms share it. The core of a
    term extends from its first word to its last: "C++" and "C" have the same core.
    """

    def __init__(self, terms: Sequence[str]) -> None:
        self.terms: list[str] = TextArray([term.strip() for term in terms]).folded.texts()
        numbers: dict[str, int] = {}
        self.keys: Ints = np.array([numbers.setdefault(term, len(numbers)) for term in self.terms], dtype=np.intp)
        self._distinct = list(numbers)
        self._texts = TextArray(self._distinct)
        words = Words(self._texts, syllables=True)
        counts = np.bincount(words.rows, minlength=len(numbers))
        first = np.searchsorted(words.rows, np.arange(len(numbers)))
        self._index_cores(words, counts, first)

        self._with_core: dict[str, list[int]] = {}
        for key in np.flatnonzero(counts).tolist():
            self._with_core.setdefault(self._core(key), []).append(key)
        self._simple = np.array(
            [self._core(key) == term and len(self._with_core.get(term, ())) == 1 for term, key in numbers.items()]
            or np.zeros(0),
            dtype=np.bool_,
        )
        self._wordless = [(term, key) for term, key in numbers.items() if term and not counts[key]]

    def _index_cores(self, words: Words, counts: Ints, first: Ints) -> None:
        """Sort the different terms by their numbers of words, *counts*; *first* is the first word of each."""
        self._starts, self._ends = self._texts.starts.copy(), self._texts.starts.copy()
        self._by_count: dict[int, tuple[HashIndex, Ints]] = {}
        leads = []
        for count in np.unique(counts[counts > 0]).tolist():
            keys = np.flatnonzero(counts == count)
            starts, ends = words.starts[first[keys]], words.ends[first[keys] + count - 1]
            self._starts[keys], self._ends[keys] = starts, ends
            self._by_count[count] = (HashIndex(self._texts.hashes(starts, ends)), keys)
            if count > 1:
                leads.append(self._texts.hashes(starts, words.ends[first[keys] + 1]))
        self._leads = HashIndex(np.concatenate(leads)) if leads else None

    def _core(self, key: int) -> str:
        return self._texts.text[self._starts.item(key) : self._ends.item(key)]

    def hits(self, texts: TextArray, *, longest: bool = True) -> Hits:
        """All occurrences in *texts*, which are folded; with *longest*, none within a longer one."""
        words = Words(texts, syllables=True)
        taken = np.zeros(len(words.starts) + 1, dtype=np.bool_)
        leads: Ints = np.zeros(0, dtype=np.intp)
        if self._leads is not None and len(words.starts) > 1:
            leads = np.sort(self._leads.find(texts.hashes(words.starts[:-1], words.ends[1:]))[0])
        rows, found = [leads[:0]], [leads[:0]]
        for count in sorted(self._by_count, reverse=True):
            places, keys = self._hits_of_length(words, count, leads)
            if longest and len(places):
                free = ~np.logical_or.reduce([taken[places + offset] for offset in range(count)])
                places, keys = places[free], keys[free]
                for offset in range(count):
                    taken[places + offset] = True
            rows.append(words.rows[places])
            found.append(keys)
        for term, key in self._wordless:  # without letters and digits: anywhere
            signs = [match.start() for match in re.finditer(re.escape(term), texts.text)]
            rows.append(texts.rows_of(np.array(signs, dtype=np.intp)))
            found.append(np.full(len(signs), key))
        return Hits(np.concatenate(rows), np.concatenate(found))

    def _hits_of_length(self, words: Words, count: int, leads: Ints) -> tuple[Ints, Ints]:
        """Where terms of *count* words start, as numbers of words, and which terms they are."""
        index, keys = self._by_count[count]
        firsts = np.arange(len(words.starts)) if count == 1 else leads[leads + count <= len(words.starts)]
        places, spots = index.find(words.texts.hashes(words.starts[firsts], words.ends[firsts + count - 1]))
        firsts, keys = firsts[places], keys[spots]
        same = self._is_same(words.texts, words.starts[firsts], words.ends[firsts + count - 1], keys)
        firsts, keys = firsts[same], keys[same]
        # Of several terms with one core, choose the longest that matches there with everything around the core.
        for place in np.flatnonzero(~self._simple[keys]).tolist():
            start = int(words.starts[firsts[place]])
            fitting = [
                key
                for key in self._with_core[self._core(int(keys[place]))]
                if words.texts.text.startswith(
                    self._distinct[key], start - int(self._starts[key] - self._texts.starts[key])
                )
            ]
            keys[place] = max(fitting, key=lambda key: len(self._distinct[key]), default=-1)
        return firsts[keys >= 0], keys[keys >= 0]

    def _is_same(self, texts: TextArray, starts: Places, ends: Places, keys: Ints) -> Bools:
        """For every stretch whether it is the core of the term, character by character."""
        lengths = ends - starts
        same: Bools = lengths == (self._ends - self._starts)[keys]
        places = np.flatnonzero(same)
        for offset in range(int(lengths[places].max(initial=0))):
            places = places[offset < lengths[places]]
            cores = self._texts.codes[self._starts[keys[places]] + offset]
            same[places[texts.codes[starts[places] + offset] != cores]] = False
        return same
