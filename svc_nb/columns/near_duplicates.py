"""Texts that are almost the same: groups of them, how they differ, and what paying for one of each would save.

1. Every different text gets a key: the text without the differences that do not count. Texts with equal keys are a
   group.
2. Texts that differ by a few letters share a long beginning or a long end, about half of the text. Texts are sorted by
   each, and neighbours are compared. So the time for a column does not depend on how many of its texts are similar,
   but if very many have the same beginning and end, some pairs are not found.
3. Every text of a group is compared with the text that is kept, so no two texts are grouped only because both resemble
   a third. Of texts with equal keys the most frequent is kept.
"""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.checks import codepoints
from svc_nb.checks.text_array import END, Hashes, Places, TextArray, as_texts, chunks
from svc_nb.columns.cleaning import chosen
from svc_nb.signatures import hides
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import text_array

KINDS = ("white_space", "case", "punctuation", "signs", "digits", "letters")
WHITE_SPACE, CASE, PUNCTUATION, SIGNS, DIGITS, LETTERS = KINDS
SAME_MEANING = (WHITE_SPACE, CASE, PUNCTUATION)
"""If texts differ only in these, a translation of one of them serves for the others."""
NOT_LETTERS = KINDS[:-1]

DIFFERENCES = tuple(
    ", ".join(kind for place, kind in enumerate(KINDS) if bits >> place & 1) for bits in range(1 << len(KINDS))
)
"""The name of each set of kinds of difference; a set is a number with a bit for each of `KINDS`."""

LONGEST = 4_000
"""Longer texts are not compared letter by letter."""
SHORTEST = 4
NEIGHBOURS = 4
PAIRS_AT_ONCE = 50_000
ROWS_AT_ONCE = 2_048
OTHER_BITS = np.uint64((1 << 20) - 1)
STEP = 1.25
"""The lengths of the beginnings and ends that are compared grow by this factor."""

# The kinds of characters in a key.
OTHER, SPACE, MARK, UNSEEN, DIGIT, APOSTROPHE, SIGN = range(1, 8)
# Punctuation that does more than end a sentence: like symbols, it may change the meaning.
MEANINGFUL = frozenset("#%&*/@\\?¿؟？")
Numbers = npt.NDArray[np.signedinteger[Any]]


def _kind(letter: str) -> int:
    category = unicodedata.category(letter)
    if letter.isspace():
        return SPACE
    if category in ("Cc", "Cf", "Cn"):
        return UNSEEN
    if category == "Nd":
        return DIGIT
    if letter in "'’‘":
        return APOSTROPHE
    if category[0] == "S" or letter in MEANINGFUL:
        return SIGN
    return MARK if category[0] == "P" else OTHER


_kinds = codepoints.Lookup(np.uint8, _kind)


# ---- keys


def _keys(array: TextArray, ignored: Iterable[str]) -> TextArray:
    """The texts of *array* without differences of the kinds *ignored*."""
    ignored = frozenset(ignored)
    codes = (array.folded if CASE in ignored else array).codes
    kinds = _kinds(codes)
    ends = codes == ord(END)
    kinds[ends] = OTHER
    # A sign before a digit is part of a number: "1.5" is not "15", and "-5" is not "5".
    numeric = np.zeros(len(codes), dtype=np.bool_)
    numeric[:-1] = (kinds[:-1] == MARK) & (kinds[1:] == DIGIT)
    apart = np.zeros(len(codes), dtype=np.bool_)
    dropped = np.zeros(len(codes), dtype=np.bool_)
    if WHITE_SPACE in ignored:
        apart |= kinds == SPACE
        dropped |= kinds == UNSEEN
    if PUNCTUATION in ignored:
        dropped |= kinds == APOSTROPHE
    marks = (kinds == MARK) & ~numeric if PUNCTUATION in ignored else np.zeros(len(codes), dtype=np.bool_)
    if SIGNS in ignored:
        marks |= kinds == SIGN
    if WHITE_SPACE in ignored:
        apart |= marks
    else:
        dropped |= marks
    digits = (kinds == DIGIT) | numeric if DIGITS in ignored else np.zeros(len(codes), dtype=np.bool_)
    codes = np.where(apart, np.uint32(ord(" ")), np.where(digits, np.uint32(ord("0")), codes))
    kept = ~dropped
    codes, apart, digits, ends = codes[kept], apart[kept], digits[kept], ends[kept]
    # Keep one character of a run, and no spaces at either end of a text.
    again = np.zeros(len(codes), dtype=np.bool_)
    again[1:] = (apart[1:] & apart[:-1]) | (digits[1:] & digits[:-1])
    codes, apart, ends = codes[~again], apart[~again], ends[~again]
    outer = np.zeros(len(codes), dtype=np.bool_)
    outer[:-1] = ends[1:]
    outer[1:] |= ends[:-1]
    outer[:1] = True
    codes = codes[~(outer & apart)]
    return TextArray.of_codes(codes, array.missing)


class _Hasher:
    """Hashes of texts that no one can make collide on purpose: every position has its own secret number."""

    def __init__(self) -> None:
        self._seed = secrets.randbits(128)
        self._weights: Hashes = np.zeros(0, dtype=np.uint64)

    def __call__(self, array: TextArray) -> Hashes:
        """A hash for every text."""
        if not len(array):
            return np.zeros(0, dtype=np.uint64)
        longest = int(array.lengths.max()) + 1
        if len(self._weights) < longest:
            dice = np.random.default_rng(self._seed)
            self._weights = dice.integers(0, 2**64, size=max(1024, longest), dtype=np.uint64) | np.uint64(1)
        places = np.arange(len(array.codes)) - np.repeat(array.starts, array.lengths + 1)
        terms = self._weights[places]
        terms *= array.codes.astype(np.uint64) + np.uint64(1)
        found: Hashes = np.add.reduceat(terms, array.starts)
        return found


def _parts(texts: pd.Series[Any]) -> Iterator[tuple[slice, TextArray]]:
    """*texts* in small parts, to save memory, each with its position."""
    for first, part in chunks(texts):
        for start in range(0, len(part), ROWS_AT_ONCE):
            some = part.iloc[start : start + ROWS_AT_ONCE]
            yield slice(first + start, first + start + len(some)), TextArray(some)


def _hashed_keys(texts: pd.Series[Any], ignored: Iterable[str], hasher: _Hasher) -> Hashes:
    """A hash for the key of every text."""
    ignored = frozenset(ignored)
    found = np.zeros(len(texts), dtype=np.uint64)
    for place, array in _parts(texts):
        found[place] = hasher(_keys(array, ignored))
    return found


def _most_frequent(hashes: Hashes, rows: Numbers) -> tuple[Numbers, Numbers]:
    """The number of the (first) text with the most *rows*, for every hash and for every text."""
    order = np.lexsort((-rows, hashes))
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = hashes[order[1:]] != hashes[order[:-1]]
    heads = order[begins].astype(np.int32)
    found = np.empty(len(order), dtype=np.int32)
    found[order] = heads[np.cumsum(begins) - 1]
    return heads, found


def distinct(texts: Sequence[str]) -> int:
    """How many of *texts* differ in more than white space, case and punctuation."""
    return len(np.unique(_hashed_keys(pd.Series(texts, dtype=object), SAME_MEANING, _Hasher())))


# ---- a few letters


class _Beginnings:
    """For every key the hashes of two beginnings and two ends, about half as long as the key, and its length."""

    def __init__(self, count: int) -> None:
        self.heads, self.tails = (np.zeros((2, count), dtype=np.uint64) for _ in range(2))
        self.lengths = np.zeros(count, dtype=np.int32)

    def put(self, part: slice, keys: TextArray) -> None:
        """Compute them for *keys*, which have the numbers *part*."""
        lengths, starts, ends = keys.lengths, keys.starts, keys.ends
        self.lengths[part] = np.minimum(lengths, np.iinfo(np.int32).max)
        step = np.floor(np.log(np.maximum(lengths, 2) / 2) / np.log(STEP) + 1e-9)
        for level in range(2):
            size = np.maximum(1, np.floor(STEP ** np.maximum(step - level, 0))).astype(np.int64)
            size = np.minimum(size, lengths)
            self.heads[level, part] = keys.hashes(starts, starts + size)
            self.tails[level, part] = keys.hashes(ends - size, ends)

    def pairs(self, among: Places) -> Iterator[tuple[Numbers, Numbers]]:
        """The numbers of texts that may be similar, in batches; only of those *among* them."""
        lengths = self.lengths[among]
        among = among[(lengths >= SHORTEST) & (lengths <= LONGEST)].astype(np.int32)
        for ours, others in ((self.heads, self.tails), (self.tails, self.heads)):
            # Sorted by the high bits of one, then of the other, so that neighbours share both ends if possible.
            hashes = np.concatenate([ours[0, among], ours[1, among]])
            hashes &= ~OTHER_BITS
            hashes.reshape(2, -1)[:] |= others[0, among] >> np.uint64(44)
            order = np.argsort(hashes).astype(np.int32)
            hashes = hashes[order]
            hashes &= ~OTHER_BITS
            sorted_texts = among[order % max(1, len(among))]
            del order
            for start in range(0, len(hashes), PAIRS_AT_ONCE):
                for further in range(1, NEIGHBOURS + 1):
                    one = slice(start, min(start + PAIRS_AT_ONCE, len(hashes) - further))
                    other = slice(one.start + further, one.stop + further)
                    first, second = sorted_texts[one], sorted_texts[other]
                    alike = (hashes[one] == hashes[other]) & (first != second)
                    if alike.any():
                        yield first[alike].astype(np.int64), second[alike].astype(np.int64)


def _similar(first: Sequence[str], second: Sequence[str], least: float) -> npt.NDArray[np.float32]:
    """How similar texts are, pair by pair: the share of letters that need no change, or 0 if that is below *least*."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    found: npt.NDArray[np.float32] = cpdist(
        first, second, scorer=Levenshtein.normalized_similarity, score_cutoff=least, dtype=np.float32
    )
    return found


# ---- groups


@hides("source", "least_similarity", "kinds")
class NearDuplicates(Report):
    """The rows whose texts are almost the same as others: `group, position, text, keep, difference, similarity`.

    In all other respects it is a DataFrame. `merged()` is the column with one text of each group instead of the others.
    """

    _metadata = [*Report._metadata, "source", "least_similarity", "kinds"]
    source: Any
    least_similarity: float
    kinds: Sequence[str]

    def __init__(self, frame: Any, said: str, source: Any, least_similarity: float, kinds: Sequence[str]) -> None:
        super().__init__(frame, said)
        for name, value in (("source", source), ("least_similarity", least_similarity), ("kinds", kinds)):
            object.__setattr__(self, name, value)

    def merged(self, kinds: Iterable[str] | str | None = None) -> Any:
        """The column with the kept text instead of those that differ from it only in *kinds*.

        It has the same index, name, length, type and missing values, so that its translations are already in the right
        rows, and each kept text is paid for once.

        Parameters
        ----------
        kinds
            One or a list of the kinds that this table was made with, or "all"; by default "white_space", "case" and
            "punctuation". "signs", "digits" and "letters" also merge texts with different meanings, such as "Ready" and
            "Ready?", or "Order 12" and "Order 13".
        """
        asked = chosen(self.kinds, _same_meaning(self.kinds), kinds=kinds)
        found = near_duplicates(self.source, kinds=asked, similarity=self.least_similarity)
        source = self.source
        # If cells of an Arrow dictionary with missing values are set, pandas mixes up the rows.
        is_arrow = isinstance(source.dtype, pd.ArrowDtype)
        cells: Any = np.array(source, dtype=object) if is_arrow else source.array.copy()
        changed = found[found["difference"] != ""]
        cells[changed["position"].to_numpy()] = changed["keep"].to_numpy(dtype=object)
        if isinstance(source, pd.Index):
            return pd.Index(cells, name=source.name, dtype=source.dtype)
        return pd.Series(cells, index=source.index, name=source.name, dtype=source.dtype)


def near_duplicates(
    values: pd.Series[Any] | pd.Index[Any],
    *,
    similarity: float = 0.9,
    kinds: Iterable[str] | str | None = None,
    skip: Iterable[str] | str | None = None,
) -> NearDuplicates:
    """The rows of *values* whose texts are almost the same as others."""
    on = chosen(KINDS, KINDS, kinds=kinds, skip=skip)
    if not isinstance(similarity, int | float) or isinstance(similarity, bool) or not 0.5 <= similarity <= 1:
        raise ValueError(f"similarity: expected a number from 0.5 to 1, found {similarity!r}")
    as_texts(pd.Series(values), "texts" if values.name is None else f"column {values.name!r}")
    cells = pd.Series(values.astype(object) if isinstance(values.dtype, pd.CategoricalDtype) else values)
    codes, first = _different(cells)
    texts = cells if len(first) == len(cells) else cells.iloc[first]
    rows = np.bincount(codes[codes >= 0], minlength=len(texts))
    groups = _Groups(texts, rows, [kind for kind in on if kind != LETTERS])
    if LETTERS in on:
        groups.join(similarity, [kind for kind in KINDS if kind not in on])
    keep, members = groups.kept()
    found = texts.iloc[members]
    difference = groups.differences(found, members, keep)
    replaced = np.ones(len(members), dtype=np.bool_)
    replaced[_most_frequent(_hashed_keys(found, _same_meaning(on), _Hasher()), rows[members])[0]] = False
    del groups, found  # free large arrays
    frame, lengths = _table(values, codes, texts, keep, members, difference)
    return NearDuplicates(frame, _said(len(texts), lengths, difference, replaced), values, similarity, on)


def _same_meaning(kinds: Iterable[str]) -> list[str]:
    return [kind for kind in kinds if kind in SAME_MEANING]


def _different(cells: pd.Series[Any]) -> tuple[Numbers, Numbers]:
    """For every row the number of its text, -1 if missing, and the first row of each text.

    Like `pandas.factorize`, which needs several times the memory of the column.
    """
    hasher = _Hasher()
    hashes = np.zeros(len(cells), dtype=np.uint64)
    for place, array in _parts(cells):
        hashes[place] = hasher(array)
    present = np.flatnonzero(cells.notna().to_numpy())
    _, first, inverse = np.unique(hashes[present], return_index=True, return_inverse=True)
    order = np.argsort(first)
    numbers = np.empty(len(order), dtype=np.int32)
    numbers[order] = np.arange(len(order), dtype=np.int32)
    codes = np.full(len(cells), -1, dtype=np.int32)
    codes[present] = numbers[inverse]
    return codes, present[first[order]]


class _Groups:
    """The different *texts* of a column by their keys; *rows* is the number of rows of each text."""

    def __init__(self, texts: pd.Series[Any], rows: Numbers, ignored: Sequence[str]) -> None:
        self._texts, self._rows, self._ignored = texts, rows, ignored
        self._hasher = _Hasher()
        hashes = np.zeros(len(texts), dtype=np.uint64)
        self._pieces = _Beginnings(len(texts))
        for place, array in _parts(texts):
            keys = _keys(array, ignored)
            hashes[place] = self._hasher(keys)
            self._pieces.put(place, keys)
            worded = keys.holding((keys.kinds & codepoints.LETTER) != 0)
            self._pieces.lengths[place][~worded] = 0
        # Texts without letters are not sent, so they are in no group: each has its own key.
        alone = self._pieces.lengths == 0
        hashes[alone] = np.arange(int(alone.sum()))
        self._key = hashes
        self._heads, self._root = _most_frequent(hashes, rows)

    def join(self, least: float, off: Sequence[str]) -> None:
        """Merge the groups whose most frequent texts differ by a few letters, not in the kinds *off*; called once."""
        fold = str.casefold if CASE in self._ignored else str
        lengths = self._pieces.lengths
        weights = np.bincount(self._root, weights=self._rows, minlength=len(self._rows))
        roots: Numbers = np.arange(len(self._root), dtype=np.int32)
        has_members = np.zeros(len(roots), dtype=np.bool_)
        for first, second in self._pieces.pairs(self._heads):
            free = (roots[first] == first) & (roots[second] == second) & ~(has_members[first] & has_members[second])
            short, long = np.minimum(lengths[first], lengths[second]), np.maximum(lengths[first], lengths[second])
            free &= short >= least * long - 1
            first, second = first[free], second[free]
            if not len(first):
                continue
            sides = [[fold(text) for text in self._texts.iloc[numbers].tolist()] for numbers in (first, second)]
            alike = _similar(sides[0], sides[1], least) > 0
            if off:  # texts with the same letters differ in these kinds
                keys = [_keys(TextArray(side), NOT_LETTERS).texts() for side in sides]
                alike &= np.array(keys[0], dtype=object) != np.array(keys[1], dtype=object)
            for place in np.flatnonzero(alike).tolist():
                if DIGITS in off and _digits(sides[0][place]) != _digits(sides[1][place]):
                    continue
                head, other = first.item(place), second.item(place)
                before = (weights[other], -other) > (weights[head], -head)
                if has_members[other] or (before and not has_members[head]):
                    head, other = other, head
                # A group with members stays: they are not necessarily similar to the other text.
                if roots[head] == head and roots[other] == other and not has_members[other]:
                    roots[other] = head
                    has_members[head] = True
        self._root = roots[self._root]
        del self._pieces  # free a large array

    def kept(self) -> tuple[Numbers, Numbers]:
        """For every text the number of the one kept in its place, and the texts that are in groups."""
        sizes = np.bincount(self._root, minlength=len(self._root))
        return self._root, np.flatnonzero(sizes[self._root] > 1)

    def differences(self, texts: pd.Series[Any], members: Numbers, keep: Numbers) -> npt.NDArray[np.uint8]:
        """For each of *members* how its text differs from the one that is kept, as an index into `DIFFERENCES`."""
        same_key = self._key[members] == self._key[keep[members]]
        numbers = np.full(len(keep), -1, dtype=np.int32)
        numbers[members] = np.arange(len(members), dtype=np.int32)
        kept = numbers[keep[members]]
        found = np.where(same_key, 0, 1 << KINDS.index(LETTERS)).astype(np.uint8)
        for kind in self._ignored:
            hashes = _hashed_keys(texts, [other for other in self._ignored if other != kind], self._hasher)
            found[same_key & (hashes != hashes[kept])] |= 1 << KINDS.index(kind)
        letters = np.flatnonzero(~same_key)
        for start in range(0, len(letters), PAIRS_AT_ONCE):
            some = letters[start : start + PAIRS_AT_ONCE]
            pairs = zip(texts.iloc[some].tolist(), texts.iloc[kept[some]].tolist(), strict=True)
            other_digits = np.array([_digits(text) != _digits(other) for text, other in pairs], dtype=np.bool_)
            found[some[other_digits]] |= 1 << KINDS.index(DIGITS)
        return found


def _digits(text: str) -> str:
    return re.sub(r"\D+", " ", text).strip()


def _table(
    values: pd.Series[Any] | pd.Index[Any],
    codes: Numbers,
    texts: pd.Series[Any],
    keep: Numbers,
    members: Numbers,
    difference: npt.NDArray[np.uint8],
) -> tuple[pd.DataFrame, Numbers]:
    """A row for every row of *values* whose text is one of *members*, group by group; and the lengths of *members*."""
    number = np.full(len(texts) + 1, -1, dtype=np.int32)
    number[members] = np.arange(len(members), dtype=np.int32)
    places = np.flatnonzero(number[codes] >= 0)
    _, group = np.unique(keep[members], return_inverse=True)
    places = places[np.argsort(group[number[codes[places]]], kind="stable")]
    which = number[codes[places]]
    lengths: Numbers = np.zeros(len(members), dtype=np.int64)
    alike = np.full(len(members), np.nan, dtype=np.float32)
    for start in range(0, len(members), PAIRS_AT_ONCE):
        some = np.arange(start, min(start + PAIRS_AT_ONCE, len(members)))
        lengths[some] = texts.iloc[members[some]].map(len)
        some = some[lengths[some] <= LONGEST]
        alike[some] = _similar(texts.iloc[members[some]].tolist(), texts.iloc[keep[members[some]]].tolist(), 0)
    index = values.index if isinstance(values, pd.Series) else pd.RangeIndex(len(values))
    frame = pd.DataFrame(
        {
            "group": group[which] + 1,
            "position": places,
            "text": texts.iloc[members[which]].array,
            "keep": texts.iloc[keep[members[which]]].array,
            "difference": text_array(np.array(DIFFERENCES, dtype=object)[difference[which]]),
            "similarity": np.round(alike[which].astype(float), 3),
        },
        index=index.take(places),
    )
    return frame, lengths


def _said(count: int, lengths: Numbers, difference: npt.NDArray[np.uint8], replaced: npt.NDArray[np.bool_]) -> str:
    """What merging *count* texts saves: by default, which leaves out those *replaced*, and with all kinds."""
    others = difference > 0
    if not others.any():
        return f"None of {plural(count, 'different text')} is almost the same as another."
    default, every = (
        f"{plural(int(some.sum()), 'text')}, {plural(int(lengths[some].sum()), 'character')}"
        for some in (replaced, others)
    )
    said = (
        f"{len(difference):,} of {plural(count, 'text')} in {plural(int((~others).sum()), 'group')} of near "
        f"duplicates. merged() saves {default if replaced.any() else 'nothing'}."
    )
    risky = {kind: np.count_nonzero(difference >> KINDS.index(kind) & 1) for kind in (SIGNS, DIGITS, LETTERS)}
    if named := ", ".join(f"{kind} ({times:,})" for kind, times in risky.items() if times):
        named = " and ".join(named.rsplit(", ", 1))
        said += f' merged("all") saves {every}, but differences in {named} may change the meaning.'
    return f"{said} Next: .merged(), then .svc.translate(...)." if replaced.any() else said
