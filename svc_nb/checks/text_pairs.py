"""Texts and their translations, side by side, with their languages: the input of every check.

A side has views that are cheap because most characters are letters. A view is made once, when a check first needs it.
The sparse ones contain only the places that matter: signs (neither letters, digits nor spaces), digits, and invisible
characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.checks import markup
from svc_nb.checks.codepoints import CONTROL, DIGIT, FOREIGN, INVISIBLE, LETTER, LOWER, SPACE, UPPER, WORD
from svc_nb.checks.language_data import HEAD, SCRIPTS
from svc_nb.checks.term_search import Words
from svc_nb.checks.text_array import Bools, Hashes, Places, TextArray, as_texts
from svc_nb.language_codes import base_code

Ints = npt.NDArray[Any]

SLOTS = 1 << 16
BEYOND = 0x10000
TOP = np.uint64(48)
STIR = np.uint64(0x9FB21C651E98DF25)


@dataclass(frozen=True)
class Spots:
    """Some places of a side, with the row and the code point of each."""

    places: Places
    rows: Ints
    codes: Ints

    def where(self, which: Bools) -> Spots:
        """Some of them only."""
        some = np.flatnonzero(which)
        return Spots(self.places[some], self.rows[some], self.codes[some])

    def among(self, characters: str) -> Spots:
        """Those of *characters* only."""
        return self.where(one_of(self.codes, characters))


class Side(TextArray):
    """The source texts, or the translations; none of them is missing."""

    def once(self, made: Callable[..., Ints], *options: str | None) -> Ints:
        """The result of *made* for these texts, kept because several checks need it."""
        if (made, options) not in self._made:
            self._made[made, options] = made(self, *options)
        return self._made[made, options]

    @cached_property
    def _made(self) -> dict[tuple[Callable[..., Ints], tuple[str | None, ...]], Ints]:
        return {}

    def spots(self, which: Bools) -> Spots:
        """The places where *which* is true."""
        places = np.flatnonzero(which)
        return Spots(places, self.row_at[places], self.codes[places])

    @cached_property
    def signs(self) -> Spots:
        """Characters that are neither letters, digits, marks nor spaces."""
        return self.spots((self.kinds & (WORD | SPACE)) == 0)

    @cached_property
    def digits(self) -> Spots:
        """Decimal digits of any script."""
        return self.spots((self.kinds & DIGIT) != 0)

    @cached_property
    def hidden(self) -> Spots:
        """Controls, formats, unused code points and replacement characters; a newline in a text is a vertical tab."""
        which = (self.kinds & (CONTROL | INVISIBLE | FOREIGN)) != 0
        which[self.ends] = False
        return self.spots(which)

    @cached_property
    def spaces(self) -> Places:
        """Where spaces are, and the ends of texts."""
        return np.flatnonzero((self.kinds & SPACE) != 0)

    @cached_property
    def words(self) -> Words:
        """Stretches of letters, digits and marks."""
        return Words(self, split=False)

    @cached_property
    def _heads(self) -> Hashes:
        """A hash for the first letters of every word."""
        return self.hashes(self.words.starts, np.minimum(self.words.starts + HEAD, self.words.ends))

    def mentioning(self, words: frozenset[str]) -> Bools:
        """For every text whether one of *words* may be in it: no is certain, yes is almost certain."""
        return self._among(self.words.hashes, words)

    def beginning(self, heads: frozenset[str]) -> Bools:
        """For every text whether a word in it may begin with one of *heads*, the first letters of words."""
        return self._among(self._heads, heads)

    def _among(self, hashes: Hashes, words: frozenset[str]) -> Bools:
        table = np.zeros(SLOTS, dtype=np.bool_)
        table[_slots(words)] = True
        found = np.zeros(len(self), dtype=np.bool_)
        found[self.words.rows[table[(hashes >> TOP).astype(np.int64)]]] = True
        return found

    @cached_property
    def uppers(self) -> Places:
        """The number of upper-case letters of every text."""
        return self.sums((self.kinds & UPPER) != 0)

    @cached_property
    def latin(self) -> Places:
        """The number of letters of the English alphabet in every text."""
        return self.sums(((self.kinds & LETTER) != 0) & (self.codes < 0x80))

    @cached_property
    def letters(self) -> Places:
        """The number of letters of every text."""
        return self.sums((self.kinds & LETTER) != 0)

    @cached_property
    def lowers(self) -> Places:
        """The number of lower-case letters of every text."""
        return self.sums((self.kinds & LOWER) != 0)

    def counts(self, spots: Spots) -> Places:
        """The number of *spots* in every text."""
        return np.bincount(spots.rows, minlength=len(self))

    def in_scripts(self, names: Iterable[str]) -> Bools:
        """For every place whether its character is of one of these scripts, which do not include Latin."""
        inside = np.zeros(len(self.codes), dtype=np.bool_)
        for name in names:
            ends = SCRIPTS.get(name, "").replace("-", "")
            for first, last in zip(ends[::2], ends[1::2], strict=True):
                inside |= (self.codes >= ord(first)) & (self.codes <= ord(last))
        return inside

    def has_any(self, characters: str) -> Bools:
        """For every text whether one of the signs *characters* is in it."""
        return self.counts(self.signs.among(characters)) > 0

    def between(self, opening: str, closing: str) -> tuple[Ints, Hashes]:
        """The row and the hash of every stretch from the sign *opening* to the next *closing*."""
        opens, closes = self.signs.among(opening), self.signs.among(closing)
        nearest = np.searchsorted(closes.places, opens.places)
        last = np.append(closes.places, len(self.codes) - 1)[nearest]
        return opens.rows, self.hashes(opens.places, np.minimum(last + 1, self.ends[opens.rows]))

    def around(self, spots: Spots) -> tuple[Ints, Hashes]:
        """The row and the hash of the stretch without spaces around each of *spots*."""
        place = np.searchsorted(self.spaces, spots.places)
        starts = np.maximum(self.spaces[place - 1] + 1, self.starts[spots.rows])
        return spots.rows, self.hashes(starts, self.spaces[place])

    def bags(self, rows: Ints, items: Ints) -> Hashes:
        """For every text a hash of the bag of its *items*: equal bags have equal hashes, in any order."""
        mixed = (items.astype(np.uint64) + np.uint64(1)) * STIR
        mixed ^= mixed >> np.uint64(31)
        mixed *= STIR
        found = np.zeros(len(self), dtype=np.uint64)
        np.add.at(found, rows, mixed)
        return found

    def sequences(self, rows: Ints, items: Ints) -> Hashes:
        """Like `bags`, but the hash depends on the order; *items* are in the order of the texts."""
        if not len(rows):
            return self.bags(rows, items)
        first = np.flatnonzero(np.concatenate(([True], rows[1:] != rows[:-1])))
        rank = np.arange(len(rows)) - np.repeat(first, np.diff(np.append(first, len(rows))))
        return self.bags(rows, items.astype(np.uint64) ^ (rank.astype(np.uint64) * STIR))


class TextPairs:
    """*source* and *target*, row by row; no text is blank."""

    def __init__(
        self, source: Side, target: Side, *, source_lang: str | None = None, target_lang: str | None = None
    ) -> None:
        self.source, self.target = source, target
        self.source_lang, self.target_lang = base_of(source_lang), base_of(target_lang)
        self.target_locale = target_lang and target_lang.lower()

    def __len__(self) -> int:
        return len(self.target)

    def with_languages(self) -> tuple[tuple[Side, str | None], tuple[Side, str | None]]:
        """Both sides with their languages."""
        return (self.source, self.source_lang), (self.target, self.target_lang)

    def texts(self, row: int) -> tuple[str, str]:
        """Source and target of a row."""
        return self.source[row], self.target[row]

    def bare(self, row: int) -> tuple[str, str]:
        """Source and target of a row without placeholders, tags and addresses."""
        return markup.bare(self.source[row]), markup.bare(self.target[row])

    @cached_property
    def equal(self) -> Bools:
        """For every row whether both texts are the same, by hash."""
        same: Bools = self.source.text_hashes == self.target.text_hashes
        same &= self.source.lengths == self.target.lengths
        return same


@lru_cache(maxsize=128)
def _table(characters: str) -> Bools:
    found = np.zeros(BEYOND + 1, dtype=np.bool_)
    found[[ord(letter) for letter in characters]] = True
    return found


def one_of(codes: Ints, characters: str) -> Bools:
    """For every code point whether it is one of *characters*, which are all below `BEYOND`."""
    return _table(characters)[np.minimum(codes, BEYOND)]


@lru_cache(maxsize=64)
def _slots(words: frozenset[str]) -> Places:
    """Where *words*, in any case, are in a table of hashes."""
    written = {form for word in words for form in (word, word.capitalize(), word.upper())}
    return (TextArray(sorted(written)).text_hashes >> TOP).astype(np.int64)


def base_of(code: str | None) -> str | None:
    """A language code without region, in lower case.

    >>> base_of("EN-GB"), base_of("zh_Hant"), base_of("no"), base_of(None)
    ('en', 'zh', 'nb', None)
    """
    if code is None:
        return None
    known = base_code(code) or code.strip().replace("_", "-").partition("-")[0]
    return known.lower() or None


def rows_where(which: Bools) -> list[int]:
    """The numbers of the rows where *which* is true."""
    found: list[int] = np.flatnonzero(which).tolist()
    return found


def rows_by_language(
    texts: pd.Series[Any], source_lang: Any, target_lang: Any
) -> Iterator[tuple[str | None, str | None, Places]]:
    """Every language pair in the rows of *texts*, and the positions of these rows.

    Each language is one for all rows, or a column of languages, in which missing ones are unknown and case is ignored.
    """
    columns = {}
    for name, given in (("source_lang", source_lang), ("target_lang", target_lang)):
        if given is None or isinstance(given, str):
            columns[name] = pd.Series([given or ""] * len(texts), dtype=object)
            continue
        wanted = f"{name}: expected a language, or {len(texts):,} of them, one per row"
        if not isinstance(given, Iterable) or isinstance(given, pd.DataFrame):
            raise TypeError(f"{wanted}, found {type(given).__name__}")
        codes = as_texts(given, name)
        if len(codes) != len(texts):
            raise ValueError(f"{wanted}, found {len(codes):,}")
        if isinstance(given, pd.Series) and not given.index.equals(texts.index):
            raise ValueError(f"{name}: its row labels are not those of the texts. Pass .to_numpy() to go by position")
        columns[name] = codes.astype(object).fillna("").str.strip().str.upper().reset_index(drop=True)
    groups = pd.DataFrame(columns).groupby(list(columns), sort=False).indices
    for (own, other), rows in cast("dict[tuple[str, str], Places]", groups).items():
        yield own or None, other or None, np.sort(rows)
