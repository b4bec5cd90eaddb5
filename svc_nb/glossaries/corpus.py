"""The terms of a glossary in a corpus: how much they cover, and which phrases may deserve a term.

For phrases, tokens are words, single Chinese characters, and runs of katakana; hiragana and grammatical marks end a
phrase. Phrases grow token by token, and only from frequent ones. A phrase that mostly occurs within a longer one is a
fragment and is dropped. The rest is ranked by C-value, which is the frequency outside longer phrases times a measure of
length, and by how much more often its parts occur together than by chance.
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
from svc_nb.checks.language_data import BREAKS, EDGES, PARTICLES, STOPWORDS, VERB_ENDS, WHOLE
from svc_nb.checks.term_search import TermIndex
from svc_nb.checks.text_array import Bools, Hashes, Places, TextArray, as_texts, chunks
from svc_nb.checks.text_pairs import base_of
from svc_nb.checks.wording import MOST_LOOKED_AT, language_model
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.terms import is_terms
from svc_nb.tabular.text_column import TEXT
from svc_nb.wire.languages import source

Ints = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]

MOST_WORDS = 5
MOST_LOOSE = 8
# A phrase that is this often part of one longer phrase is a fragment of it.
FRAGMENT = 0.75
# Characters that occur together less often than this many times the chance level do not form a word.
LEAST_LIFT = 4.0
LEAST_LETTERS = 3
JOINTS = " -‐'’\u00a0・·/"
HIRAGANA = (0x3041, 0x309F)
KATAKANA = (0x30A1, 0x30FF)
HAN = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF))
SURFACES = 25
# How many texts a model looks at to tell languages apart, and how many characters of each; from which share on it is
# sure, and from which part of the sure texts a language counts as one of the column.
MOST_GUESSED, SURE, LEAST_VOTES = 3000, 0.6, 0.02
UNLIKELY = 0.2  # of the share of the likeliest language: less means another language
COLUMNS = {"candidate": TEXT, "count": "int64", "rows": "int64", "score": "float64", "example": TEXT}


def coverage(
    terms: pd.DataFrame | Iterable[str], column: pd.Series[Any], *, source_lang: str | None = None, longest: bool = True
) -> Report:
    """How often each term occurs in the texts of a column.

    Whole words are compared, ignoring case; in scripts without spaces, any run of characters.

    Parameters
    ----------
    terms
        A table of terms (its `source` side is searched for), or a list of terms.
    column
        The texts; missing ones are left out.
    source_lang
        Only the terms of this source language; by default all terms of the table.
    longest
        Whether a term does not count within a longer one that was found, such as `note` within `delivery note`.

    Returns
    -------
    Report
        The terms as given, with `hits` (occurrences), `rows` (texts with one) and `dead` (no hits), in the same order
        and with the same labels; `said` has the share of texts with a hit.
    """
    table = _terms(terms, source_lang and source(source_lang))
    texts = as_texts(column, "column")
    name = "source" if is_terms(table) else "term"
    lexicon = TermIndex(["" if pd.isna(term) else term for term in table[name].tolist()])
    count = int(lexicon.keys.max(initial=-1)) + 1
    hits, rows, touched = np.zeros(count, dtype=np.intp), np.zeros(count, dtype=np.intp), 0
    for _, piece in chunks(texts):
        found = lexicon.hits(TextArray(piece).folded, longest=longest)
        hits += np.bincount(found.terms, minlength=count)
        pairs = np.unique(found.rows * max(count, 1) + found.terms)
        rows += np.bincount(pairs % max(count, 1), minlength=count)
        touched += len(np.unique(found.rows))
    counted = table.assign(hits=hits[lexicon.keys], rows=rows[lexicon.keys])
    counted["dead"] = counted["hits"] == 0
    dead, filled = int(counted["dead"].sum()), int(texts.notna().sum())
    share = f"{touched / filled:.0%}" if filled else "none"
    said = f"{len(counted) - dead:,} of {plural(len(counted), 'term')} found, "
    said += f"in {touched:,} of {plural(filled, 'text')} ({share})."
    if not len(counted):
        said = "There are no terms to search for. Next: svc_nb.glossaries.read(), or another source_lang=."
    elif dead:
        said += f' {plural(dead, "term")} dead. Next: list them with coverage.query("dead").'
    else:
        said += " Next: find what has no term yet with column.svc.term_candidates(terms=...)."
    return Report(counted, said)


def _terms(terms: Any, source_lang: str | None) -> pd.DataFrame:
    if is_terms(terms):
        table: pd.DataFrame = pd.DataFrame(terms)
        if source_lang is None:
            return table
        codes, found = pd.factorize(table["source_lang"])
        meant = np.array([base_of(str(code)) == base_of(source_lang) for code in found] + [False])
        return table[meant[codes]]
    if isinstance(terms, pd.DataFrame):
        has = ", ".join(map(repr, terms.columns))
        raise ValueError(f"terms: expected the columns source_lang, target_lang, source, target, found {has}")
    if isinstance(terms, str):
        raise TypeError("terms: expected a table of terms or several texts, found one text; put it into a list")
    series = as_texts(terms if isinstance(terms, pd.Series) else pd.Series(list(terms), dtype=object), "terms")
    return series.rename("term").to_frame()


def term_candidates(
    column: pd.Series[Any],
    *,
    terms: pd.DataFrame | Iterable[str] | None = None,
    most: int = 100,
    lang: str | None = None,
    min_count: int = 3,
) -> Report:
    """Phrases that are so frequent in a column that they may deserve a term.

    Parameters
    ----------
    column
        The texts; missing ones are left out.
    terms
        Existing terms, which are not shown: a table of terms, or a list of terms.
    most
        How many candidates to give at most.
    lang
        The language of the texts, for its stop words; by default the one whose stop words are most frequent.
    min_count
        How often a candidate must occur.

    Returns
    -------
    Report
        The best first: `candidate`, `count`, `rows` (texts that contain it), `score` and `example` (part of a text).
    """
    if most < 1 or min_count < 1:
        raise ValueError(f"most and min_count: expected at least 1, found {most} and {min_count}")
    stream = Stream(TextArray(as_texts(column, "column")), lang and source(lang, field="lang"))
    given: Any = () if terms is None else terms
    listed = given["source"].tolist() if is_terms(given) else list(given)
    known = set(TermIndex([term for term in listed if isinstance(term, str)]).terms)
    rows: list[tuple[str, int, int, float, str]] = []
    for gram in _ranked(stream, min_count):
        surface = stream.surface(gram)
        if TermIndex([surface]).terms[0] not in known and surface not in WHOLE:
            touched = len(np.unique(stream.rows[gram.places]))
            rows.append((surface, len(gram.places), touched, round(gram.score, 2), stream.example(gram)))
        if len(rows) == most:
            break
    said = f"{plural(len(rows), 'candidate')}. Next: add the useful ones to your table of terms."
    if not rows:
        said = (
            f"Nothing without a term occurs {plural(min_count, 'time')}. Next: try more texts, or a smaller min_count=."
        )
    return Report(pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS), said)


def in_language(column: pd.Series[Any], lang: str) -> pd.Series[Any]:
    """The texts of a column that are in a language, found by a model; the whole column if it has no other languages.

    In a long column in several languages, a few thousand texts are examined. Only languages of which some texts
    certainly are count, and each text is assigned to the likeliest of them: a short text alone says too little.
    """
    model, own = language_model(), base_of(lang) or ""
    texts = as_texts(column, "column").dropna().drop_duplicates()
    places = np.unique(np.linspace(0, max(len(texts) - 1, 0), min(len(texts), MOST_GUESSED), dtype=np.intp))
    texts = texts.iloc[places]
    ranks = [dict(model.rank(text[:MOST_LOOKED_AT])) for text in texts.tolist()]
    votes = Counter(best for rank in ranks if rank[best := max(rank, key=rank.__getitem__)] >= SURE)
    least = max(1.0, sum(votes.values()) * LEAST_VOTES)
    others = {code for code, count in votes.items() if count >= least and not _is_like(code, own)}
    if not others or not any(_is_like(code, own) for code in (ranks[0] if ranks else ())):
        return column
    mine = []
    for rank in ranks:
        share = max(share for code, share in rank.items() if _is_like(code, own))
        mine.append(share >= max(rank[code] for code in others) and share >= UNLIKELY * max(rank.values()))
    return column[column.isin(texts[mine].tolist())]


def _is_like(code: str, own: str) -> bool:
    """Whether a code of the model means the language *own*."""
    return base_of(code) == own or {code, own} <= {"nb", "no", "nn"}


@dataclass
class Gram:
    """A phrase: its number of tokens, its score, and the tokens where it starts."""

    size: int
    score: float
    places: Ints


@dataclass
class Level:
    """All frequent phrases of one size: `ids` has one for every token, -1 if none starts there."""

    size: int
    ids: Ints
    counts: Ints
    free: Bools
    lift: Floats

    def __post_init__(self) -> None:
        """Start without knowledge of longer phrases."""
        self.longer: Ints = np.zeros(len(self.counts), dtype=np.intp)
        self.within: Floats = np.zeros(len(self.counts))
        self.kinds: Ints = np.zeros(len(self.counts), dtype=np.intp)


class Stream:
    """The texts as a stream of tokens, and which of them may be adjacent or at the edge of a term."""

    def __init__(self, tape: TextArray, lang: str | None) -> None:
        self.tape = tape
        low = tape.text.lower()
        if len(low) != len(tape.text):  # every character keeps its position
            low = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in tape.text)
        self._low = TextArray(low.split("\n")[:-1])
        self._cut()
        self.numbers: Hashes = self._low.hashes(self.starts, self.ends)
        base = base_of(lang)
        words = STOPWORDS if base is None else {base: STOPWORDS.get(base, ())}
        stops = [TextArray(sorted(each)).text_hashes for each in words.values()]
        # Without a language, the one whose stop words are most frequent.
        met = max(stops, key=lambda each: int(np.isin(self.numbers[:20_000], each).sum()))
        self.edge = ~(np.isin(self.numbers, met) | self._seldom())
        self.loose = float(self.wide.mean()) > 0.5 if len(self.wide) else False

    def _cut(self) -> None:
        """Find the tokens, their kinds, and whether each is joined to the next."""
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
        self.rows: Ints = tape.rows_of(self.starts)
        # A token is joined to the next if it follows directly or after a joint, unless a Korean particle was cut off.
        particle = np.zeros(len(ends), dtype=np.int64)
        if ((codes >= 0xAC00) & (codes <= 0xD7A3)).any():
            for each in PARTICLES:
                particle[(particle == 0) & _ends_with(codes, self.starts + 2, ends, (each,))] = len(each)
        self.ends: Places = ends - particle
        gap = self.starts[1:] - ends[:-1]
        after_joint = (gap == 1) & np.isin(codes[ends[:-1]], [ord(letter) for letter in JOINTS])
        self.joined: Bools = ((gap == 0) | after_joint) & (particle[:-1] == 0)

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
        """The most frequent spelling of a phrase."""
        places = gram.places[:SURFACES]
        text = self.tape.text
        first, last = self.starts[places].tolist(), self.ends[places + gram.size - 1].tolist()
        written = Counter(text[start:end] for start, end in zip(first, last, strict=True))
        # A capital that occurs only half of the time comes from the beginning of sentences.
        return max(written, key=lambda text: (written[text], sum(map(str.islower, text))))

    def example(self, gram: Gram) -> str:
        """The text around the first occurrence."""
        place = int(gram.places[0])
        row = int(self.rows[place])
        text, start = self.tape[row], int(self.starts[place] - self.tape.starts[row])
        left = max(0, start - MOST)
        right = min(len(text), start + 2 * MOST)
        return ("…" if left else "") + re.sub(r"\s+", " ", text[left:right]) + ("…" if right < len(text) else "")


def _in(codes: npt.NDArray[np.uint32], ranges: Iterable[tuple[int, int]]) -> Bools:
    found = np.zeros(len(codes), dtype=np.bool_)
    if codes.max(initial=0) >= 0x3000:
        for first, last in ranges:
            found |= (codes >= first) & (codes <= last)
    return found


def _ends_with(codes: npt.NDArray[np.uint32], starts: Places, ends: Places, endings: Iterable[str]) -> Bools:
    """For every token whether it ends with one of *endings*."""
    found = np.zeros(len(ends), dtype=np.bool_)
    for ending in endings:
        fits = ends - starts >= len(ending)
        for offset, letter in enumerate(reversed(ending), 1):
            fits &= codes[np.maximum(ends - offset, 0)] == ord(letter)
        found |= fits
    return found


def _ranked(stream: Stream, min_count: int) -> list[Gram]:
    """The phrases that may be terms, the best first."""
    ids, counts, _ = _counted(stream.numbers)
    edges = np.zeros(len(counts), dtype=np.bool_)
    edges[ids] = stream.edge
    levels = [Level(1, ids, counts, edges, np.ones(len(counts)))]
    most = MOST_LOOSE if stream.loose else MOST_WORDS
    # Up to one size more than is shown, to know what the longest are part of.
    while len(levels) <= most and (grown := _grown(stream, levels, min_count)):
        levels.append(grown)
    grams = [gram for level in levels[:most] for gram in _grams(stream, level, min_count)]
    return sorted(grams, key=lambda gram: (-gram.score, -len(gram.places), int(gram.places[0])))


def _counted(numbers: npt.NDArray[Any]) -> tuple[Ints, Ints, Ints]:
    """For every number its rank in the order of appearance; how often each occurs, and where first."""
    ids, found = pd.factorize(numbers)
    first = np.zeros(len(found), dtype=np.intp)
    first[ids[::-1]] = np.arange(len(ids))[::-1]
    return ids, np.bincount(ids, minlength=len(found)), first


def _grown(stream: Stream, levels: list[Level], min_count: int) -> Level | None:
    """The frequent phrases with one token more."""
    base, last = levels[0], levels[-1]
    size = last.size + 1
    frequent = (last.ids >= 0) & (last.counts[last.ids] >= min_count)
    # A phrase that starts at a token can be extended if the one that starts at the next token is frequent too.
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
            # Which of the shorter phrases are part of longer ones that could be terms.
            within = shorter.ids[head + offset][free]
            np.maximum.at(shorter.longer, within, counts[free])
            np.add.at(shorter.within, within, counts[free])
            np.add.at(shorter.kinds, within, 1)
    return Level(size, ids, counts, free, lift)


def _grams(stream: Stream, level: Level, min_count: int) -> list[Gram]:
    """The phrases of one size that may be terms."""
    kept = level.free & (level.counts >= min_count) & (level.longer < FRAGMENT * level.counts)
    places = np.flatnonzero((level.ids >= 0) & kept[level.ids])
    if level.size > 1:
        places = places[~stream.wide[places] | (level.lift[level.ids[places]] >= LEAST_LIFT)]
    places = places[np.argsort(level.ids[places], kind="stable")]
    if not len(places):
        return []
    starts = np.flatnonzero(np.diff(level.ids[places], prepend=-1))
    ends = np.append(starts[1:], len(places))
    # C-value, higher for phrases whose parts belong together; 0 for phrases that are too short.
    firsts = places[starts]
    ids, wide = level.ids[firsts], stream.wide[firsts]
    alone = level.counts[ids] - level.within[ids] / np.maximum(level.kinds[ids], 1)
    letters = stream.ends[firsts + level.size - 1] - stream.starts[firsts]
    weight = np.log2(1 + np.where(wide, letters / 2, level.size))
    bond = np.log(level.lift[ids]) / np.log(len(stream.numbers) + 1) if level.size > 1 else np.zeros(len(ids))
    enough = np.where(wide, letters >= 2, letters >= LEAST_LETTERS)
    scores: Floats = weight * alone * (0.5 + np.clip(bond, 0, 1)) * enough
    return [
        Gram(level.size, score, places[start:end])
        for start, end, score in zip(starts.tolist(), ends.tolist(), scores.tolist(), strict=True)
        if score > 0
    ]
