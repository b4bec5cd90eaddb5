"""Stretches of words that a corpus uses like terms and that are no terms yet.

Tokens are words, single Chinese characters, and stretches of katakana; hiragana and the marks of grammar end a stretch.
Stretches grow token by token, from those only that are frequent themselves. One that mostly stands within a longer
one is a fragment and is dropped. What is left is ranked by C-value, how often it stands on its own times how much it
says, and by how much more often its parts meet than by chance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.checks import codepoints
from svc_nb.checks.findings import MOST
from svc_nb.checks.stopwords import BREAKS, EDGES, PARTICLES, STOPWORDS, VERB_ENDS, WHOLE
from svc_nb.checks.term_search import TermIndex
from svc_nb.checks.text_array import Bools, Hashes, Places, TextArray, as_texts
from svc_nb.checks.text_pairs import base_of
from svc_nb.glossaries.table import is_terms
from svc_nb.tabular.column import TEXT
from svc_nb.tabular.report import Report, plural
from svc_nb.wire.languages import source

Ints = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]

MOST_WORDS = 5
MOST_LOOSE = 8
# A stretch that is this often part of one longer stretch is a fragment of it.
FRAGMENT = 0.75
# Characters that meet less often than this many times what chance would give make no word.
LEAST_LIFT = 4.0
LEAST_LETTERS = 3
JOINTS = " -‐'’\u00a0・·/"
HIRAGANA = (0x3041, 0x309F)
KATAKANA = (0x30A1, 0x30FF)
HAN = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF))
SURFACES = 25
COLUMNS = ("candidate", "count", "rows", "score", "example")


def term_candidates(
    column: pd.Series[Any],
    *,
    terms: pd.DataFrame | Iterable[str] | None = None,
    most: int = 100,
    lang: str | None = None,
    min_count: int = 3,
) -> Report:
    """What is said so often in a column that it may deserve a term.

    Parameters
    ----------
    column
        The texts; missing ones are left out.
    terms
        What is a term already and is not shown: a table of terms, or terms alone.
    most
        How many candidates to give at most.
    lang
        The language of the texts, for its stop words; by default the one whose stop words are met most.
    min_count
        How often a candidate must occur.

    Returns
    -------
    Report
        The best first: `candidate`, `count`, `rows` (texts that have it), `score` and `example` (a text, cut).
    """
    if most < 1 or min_count < 1:
        raise ValueError(f"most and min_count: expected at least 1, found {most} and {min_count}")
    texts = as_texts(column, "column")
    stream = Stream(TextArray(texts), lang and source(lang, field="lang"))
    found = _ranked(stream, min_count)
    known = _known(terms)
    rows = []
    for gram in found:
        surface = stream.surface(gram)
        if _plain(surface) not in known and surface not in WHOLE:
            touched = len(np.unique(stream.rows[gram.places]))
            rows.append((surface, len(gram.places), touched, round(gram.score, 2), stream.example(gram)))
        if len(rows) == most:
            break
    return Report(_table(rows), _said(rows, min_count))


def _known(terms: Any) -> set[str]:
    if terms is None:
        return set()
    listed = terms["source"].tolist() if is_terms(terms) else list(terms)
    return set(TermIndex([term for term in listed if isinstance(term, str)]).terms)


def _plain(surface: str) -> str:
    return TermIndex([surface]).terms[0]


def _table(rows: list[tuple[str, int, int, float, str]]) -> pd.DataFrame:
    columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
    types = (TEXT, "int64", "int64", "float64", TEXT)
    cells = {
        name: pd.array(list(values), dtype=dtype)
        for name, values, dtype in zip(COLUMNS, columns, types, strict=True)
    }
    return pd.DataFrame(cells)


def _said(rows: list[Any], min_count: int) -> str:
    if not rows:
        return (
            f"Nothing without a term occurs {min_count} times. Next: try more texts, or a smaller min_count=."
        )
    return f"{plural(len(rows), 'candidate')}. Next: give those that matter a row in your table of terms."


@dataclass
class Gram:
    """A stretch of tokens: how long, what it is worth, and the tokens where it starts."""

    size: int
    score: float
    places: Ints


@dataclass
class Level:
    """All frequent stretches of one size: `ids` has one for every token, -1 where none starts."""

    size: int
    ids: Ints
    counts: Ints
    free: Bools
    lift: Floats
    longer: Ints
    within: Floats
    kinds: Ints

    @staticmethod
    def of(size: int, ids: Ints, counts: Ints, free: Bools, lift: Floats) -> Level:
        """A level of which it is not known yet what is within longer stretches."""
        count = len(counts)
        none = np.zeros(count, dtype=np.intp)
        return Level(size, ids, counts, free, lift, none, np.zeros(count), none.copy())


class Stream:
    """The texts as a stream of tokens, and which of them may stand side by side or at an edge of a term."""

    def __init__(self, tape: TextArray, lang: str | None) -> None:
        self.tape = tape
        self._low = _lowered(tape)
        self._cut()
        self.numbers: Hashes = self._low.hashes(self.starts, self.ends)
        stops = _stop_numbers(self.numbers, lang)
        self.edge = ~(np.isin(self.numbers, stops) | self._seldom())
        self.loose = float(self.wide.mean()) > 0.5 if len(self.wide) else False

    def _cut(self) -> None:
        """Find the tokens, what they are, and whether each is joined to the next."""
        tape = self._low
        codes, word = tape.codes, (tape.kinds & codepoints.WORD) != 0
        han, kana, hiragana = _in(codes, HAN), _in(codes, (KATAKANA,)), _in(codes, (HIRAGANA,))
        word &= ~hiragana
        # Japanese uses the same characters within its words.
        self._chinese = bool(han.any()) and int(hiragana.sum()) * 20 < int(han.sum())
        if self._chinese:
            word &= ~np.isin(codes, [ord(letter) for letter in BREAKS])
        group = np.where(kana, 2, 1) * word
        before = np.concatenate(([0], group[:-1]))
        starting = word & ((group != before) | han | np.concatenate(([False], han[:-1])))
        starting &= ((tape.kinds & codepoints.MARK) == 0) | (before == 0)
        ending = (before > 0) & (~word | starting)
        self.starts: Places = np.flatnonzero(starting)
        ends: Places = np.flatnonzero(ending)
        self.wide: Bools = han[self.starts] | kana[self.starts]
        self._single: Bools = han[self.starts]
        self.ends, trimmed = _trimmed(tape, self.starts, ends)
        self.rows: Ints = tape.rows_of(self.starts)
        self.joined = _joined(codes, self.starts, ends) & ~trimmed[: max(len(ends) - 1, 0)]

    def _seldom(self) -> Bools:
        """Tokens that no term begins or ends with: numbers, single letters, and some characters."""
        first = self._low.codes[self.starts]
        digits = (self._low.kinds[self.starts] & codepoints.DIGIT) != 0
        short = (self.ends - self.starts == 1) & ~self.wide
        seldom = digits | short
        if self._chinese:
            seldom |= self._single & np.isin(first, [ord(letter) for letter in EDGES])
        seldom |= _ends_with(self._low.codes, self.starts, self.ends, VERB_ENDS)
        found: Bools = seldom
        return found

    def surface(self, gram: Gram) -> str:
        """How a stretch is mostly written."""
        places = gram.places[:SURFACES]
        text = self.tape.text
        first, last = self.starts[places].tolist(), self.ends[places + gram.size - 1].tolist()
        written = Counter(text[start:end] for start, end in zip(first, last, strict=True))
        # A capital that is there only half of the time is that of a sentence.
        return max(written, key=lambda text: (written[text], sum(map(str.islower, text))))

    def example(self, gram: Gram) -> str:
        """The text around the first occurrence."""
        place = int(gram.places[0])
        row = int(self.rows[place])
        text, start = self.tape[row], int(self.starts[place] - self.tape.starts[row])
        left = max(0, start - MOST)
        right = min(len(text), start + 2 * MOST)
        return (
            ("…" if left else "") + re.sub(r"\s+", " ", text[left:right]) + ("…" if right < len(text) else "")
        )

    def length(self, gram_size: int, places: Ints) -> Places:
        """How many characters each stretch has."""
        found: Places = self.ends[places + gram_size - 1] - self.starts[places]
        return found


def _lowered(tape: TextArray) -> TextArray:
    """The same texts in small letters, every character where it was."""
    low = tape.text.lower()
    if len(low) != len(tape.text):
        low = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in tape.text)
    return TextArray(low.split("\n")[:-1])


def _in(codes: npt.NDArray[np.uint32], ranges: Iterable[tuple[int, int]]) -> Bools:
    found = np.zeros(len(codes), dtype=np.bool_)
    if codes.max(initial=0) >= 0x3000:
        for first, last in ranges:
            found |= (codes >= first) & (codes <= last)
    return found


def _joined(codes: npt.NDArray[np.uint32], starts: Places, ends: Places) -> Bools:
    """For every token but the last whether the next one follows at once or after a joint."""
    gap = starts[1:] - ends[:-1]
    found: Bools = (gap == 0) | ((gap == 1) & np.isin(codes[ends[:-1]], [ord(letter) for letter in JOINTS]))
    return found


def _trimmed(tape: TextArray, starts: Places, ends: Places) -> tuple[Places, Bools]:
    """Where tokens end without Korean particles, and which of them had one."""
    codes = tape.codes
    cut = np.zeros(len(ends), dtype=np.int64)
    if ((codes >= 0xAC00) & (codes <= 0xD7A3)).any():
        for particle in PARTICLES:
            cut[(cut == 0) & _ends_with(codes, starts + 2, ends, (particle,))] = len(particle)
    return ends - cut, cut > 0


def _ends_with(codes: npt.NDArray[np.uint32], starts: Places, ends: Places, endings: Iterable[str]) -> Bools:
    """For every token whether it ends with one of *endings*."""
    found = np.zeros(len(ends), dtype=np.bool_)
    for ending in endings:
        fits = ends - starts >= len(ending)
        for offset, letter in enumerate(reversed(ending), 1):
            fits &= codes[np.maximum(ends - offset, 0)] == ord(letter)
        found |= fits
    return found


def _stop_numbers(numbers: Hashes, lang: str | None) -> Hashes:
    """The numbers of the stop words of *lang*, or of the language whose stop words are met most."""
    base = base_of(lang)
    if base is not None:
        return TextArray(sorted(STOPWORDS.get(base, ()))).text_hashes
    sample = numbers[:20_000]
    met = {code: TextArray(sorted(words)).text_hashes for code, words in STOPWORDS.items()}
    return max(met.values(), key=lambda stops: int(np.isin(sample, stops).sum()))


def _ranked(stream: Stream, min_count: int) -> list[Gram]:
    levels = _levels(stream, min_count)
    grams: list[Gram] = []
    for level in levels[: MOST_LOOSE if stream.loose else MOST_WORDS]:
        grams += _grams(stream, level, min_count)
    return sorted(grams, key=lambda gram: (-gram.score, -len(gram.places), int(gram.places[0])))


def _levels(stream: Stream, min_count: int) -> list[Level]:
    """All sizes of stretches, up to one more than is told, to know what the longest are part of."""
    ids, counts, _ = _counted(stream.numbers)
    edges = np.zeros(len(counts), dtype=np.bool_)
    edges[ids] = stream.edge
    levels = [Level.of(1, ids, counts, edges, np.ones(len(counts)))]
    size = MOST_LOOSE if stream.loose else MOST_WORDS
    while len(levels) <= size:
        grown = _grown(stream, levels, min_count)
        if grown is None:
            break
        levels.append(grown)
    return levels


def _counted(numbers: npt.NDArray[Any]) -> tuple[Ints, Ints, Ints]:
    """For every number which one it is, in the order of appearance; how often each occurs, and where first."""
    ids, found = pd.factorize(numbers)
    first = np.zeros(len(found), dtype=np.intp)
    first[ids[::-1]] = np.arange(len(ids))[::-1]
    return ids, np.bincount(ids, minlength=len(found)), first


def _grown(stream: Stream, levels: list[Level], min_count: int) -> Level | None:
    """The frequent stretches with one token more."""
    base, last = levels[0], levels[-1]
    size = last.size + 1
    frequent = (last.ids >= 0) & (last.counts[last.ids] >= min_count)
    # A stretch that starts at a token goes on if the one that starts at the next token is frequent as well.
    firsts = np.flatnonzero(frequent[:-1] & frequent[1:] & stream.joined[: len(frequent) - 1])
    firsts = firsts[firsts + size <= len(base.ids)]
    if not len(firsts):
        return None
    left, right = last.ids[firsts], last.ids[firsts + 1]
    found, counts, first = _counted(left * len(last.counts) + right)
    ids = np.full(len(base.ids), -1, dtype=np.intp)
    ids[firsts] = found
    head, tail = firsts[first], firsts[first] + size - 1
    free = stream.edge[head] & stream.edge[tail]
    parts = [
        last.counts[left[first]] * base.counts[base.ids[tail]],
        last.counts[right[first]] * base.counts[base.ids[head]],
    ]
    lift = counts * len(base.ids) / np.maximum(*parts)
    for shorter in levels:
        for offset in range(size - shorter.size + 1):
            _note(shorter, shorter.ids[head + offset], counts, free)
    return Level.of(size, ids, counts, free, lift)


def _note(level: Level, parts: Ints, counts: Ints, free: Bools) -> None:
    """Write down which stretches of *level* are part of longer ones that could be terms."""
    np.maximum.at(level.longer, parts[free], counts[free])
    np.add.at(level.within, parts[free], counts[free])
    np.add.at(level.kinds, parts[free], 1)


def _grams(stream: Stream, level: Level, min_count: int) -> list[Gram]:
    """The stretches of one size that are terms perhaps."""
    kept = level.free & (level.counts >= min_count) & (level.longer < FRAGMENT * level.counts)
    places = np.flatnonzero((level.ids >= 0) & kept[level.ids])
    if level.size > 1:
        places = places[~stream.wide[places] | (level.lift[level.ids[places]] >= LEAST_LIFT)]
    places = places[np.argsort(level.ids[places], kind="stable")]
    if not len(places):
        return []
    starts = np.flatnonzero(np.diff(level.ids[places], prepend=-1))
    ends = np.append(starts[1:], len(places))
    scores = _scores(stream, level, places[starts])
    return [
        Gram(level.size, score, places[start:end])
        for start, end, score in zip(starts.tolist(), ends.tolist(), scores.tolist(), strict=True)
        if score > 0
    ]


def _scores(stream: Stream, level: Level, firsts: Ints) -> Floats:
    """C-value, more for stretches whose parts belong together; 0 for what is too short."""
    ids = level.ids[firsts]
    alone = level.counts[ids] - level.within[ids] / np.maximum(level.kinds[ids], 1)
    letters = stream.length(level.size, firsts)
    wide = stream.wide[firsts]
    weight = np.log2(1 + np.where(wide, letters / 2, level.size))
    bond = np.log(level.lift[ids]) / np.log(len(stream.numbers) + 1) if level.size > 1 else np.zeros(len(ids))
    enough = np.where(wide, letters >= 2, letters >= LEAST_LETTERS)
    scores: Floats = weight * alone * (0.5 + np.clip(bond, 0, 1)) * enough
    return scores
