"""What a memory knows about a text: its translation where it has the same one, or that of the most similar.

How similar two texts are is the smaller of two numbers, each 100 for equal texts: by the edit distance between their
characters, and by that between their words. So one other letter counts as a whole other word. Numbers are left out of
this: those of the text are put in the place of the memory's, and where that is not safe the segment is not used. Nor is
one that says no where the text does not, or the other way round.

A segment that is similar enough shares words with the text: at least one of its rarest few. Only segments that do are
looked at, so that a hundred thousand of them cost no more than a few.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from math import ceil

import numpy as np
import numpy.typing as npt

_UNSPACED_LETTERS = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = re.compile(f"[{_UNSPACED_LETTERS}]")
# One character of a script that writes no spaces, or a run of letters and digits.
_WORD = re.compile(rf"[{_UNSPACED_LETTERS}]|[^\W{_UNSPACED_LETTERS}]+")
_MARKS = ".!?…。！？"
_FULL_WIDTH = str.maketrans(".!?", "。！？")
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_MASK = "#0#"
_PLAIN_NUMBER = re.compile("[0-9]+")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|without|cannot|nicht|kein\w*|nie|niemals|ohne|pas|jamais|sans|aucun\w*|nunca|sin"
    r"|non|mai|senza|nessun\w*)\b|n['’]t\b|ない|ませ|[不没未無无非않없못]",
    re.IGNORECASE,
)
# Words around these are written otherwise than around other numbers.
_SINGULAR = frozenset({"0", "1"})
# Of the segments that share a rare word with a text so many are looked at, those that share the most.
_MOST_LOOKED_AT = 1000
_MOST_SCORED = 50
_MOST_ALIKE = 8
# What fractions may be off by; and rapidfuzz, which loses some of those that are just similar enough.
_ROUNDING = 1e-9
_SLACK = 1e-3
# A text longer than this is only looked for as it is: its edit distance costs the square of its length.
_LONGEST = 5000


class FuzzyIndex:
    """The segments of one language pair, ready to be found; built once, then never changed."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._targets = {_normal(source): target for source, target in pairs}
        # The segments that differ in their numbers alone, by what they have in common; a few of each.
        self._alike: dict[str, list[str]] = {}
        for source in self._targets:
            group = self._alike.setdefault(_NUMBER.sub(_MASK, source), [])
            if len(group) < _MOST_ALIKE:
                group.append(source)
        self._masked = list(self._alike)
        self._numbers = numbers = dict[str, int]()
        self._words = [
            tuple([numbers.setdefault(word, len(numbers)) for word in _words(masked)]) for masked in self._masked
        ]
        self._lengths = np.fromiter(map(len, self._words), dtype=np.intp, count=len(self._words))
        # For every word the places of the segments that have it.
        flat = np.fromiter(chain.from_iterable(self._words), dtype=np.intp, count=int(self._lengths.sum()))
        order = np.argsort(flat, kind="stable")
        bounds = np.searchsorted(flat[order], np.arange(1, len(numbers)))
        places = np.repeat(np.arange(len(self._words)), self._lengths)[order]
        self._postings: list[npt.NDArray[np.intp]] = np.split(places, bounds) if numbers else []

    def __len__(self) -> int:
        return len(self._targets)

    def find(self, text: str, threshold: int) -> str | None:
        """The translation of the segment that is most like *text*, if that is *threshold* per cent or more."""
        source = _normal(text)
        known = self._targets.get(source)
        if known is not None or threshold >= 100 or len(source) > _LONGEST or not source:
            return known
        from rapidfuzz import process
        from rapidfuzz.distance import Levenshtein

        masked, denied = _NUMBER.sub(_MASK, source), _denials(source)
        words = [self._numbers.get(word, -1) for word in _words(masked)]
        best, answer = max(threshold, 1) / 100 - _ROUNDING, None
        places = self._candidates(words, best)
        similar = process.extract(  # by their letters, the most similar first
            masked,
            [self._masked[place] for place in places],
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=max(0.0, best - _SLACK),
            limit=_MOST_SCORED,
        )
        for segment, by_letters, at in similar:
            if by_letters < best:
                break
            by_words = float(Levenshtein.normalized_similarity(words, self._words[places[at]]))
            score = min(by_letters, by_words)
            if score < best or (answer is not None and score == best):
                continue
            # The first of those alike that can have the numbers of the text, with them and its end.
            for alike in self._alike[segment]:
                if _denials(alike) != denied:
                    break
                target = renumbered(self._targets[alike], alike, source)
                if target is not None:
                    best, answer = score, with_ending(target, alike, source)
                    break
        return answer

    def _candidates(self, words: Sequence[int], least: float) -> list[int]:
        """The places of all segments that can be similar enough, or of the likeliest where those are too many."""
        if not words:
            return []
        # At least so many words are shared, so among any others and one more there is one that is.
        shared = max(1, ceil(least * len(words) - 1e-9))
        rarest = sorted(words, key=lambda word: len(self._postings[word]) if word >= 0 else 0)
        rarest = rarest[: len(words) - shared + 1]
        found = [self._postings[word] for word in set(rarest) if word >= 0]
        if not found:
            return []
        marked = np.zeros(len(self._masked), dtype=np.bool_)
        for each in found:
            marked[each] = True
        places = np.flatnonzero(marked)
        lengths = self._lengths[places]
        longest, shortest = len(words) / least, least * len(words)
        places = places[(lengths <= longest + 1e-9) & (lengths >= shortest - 1e-9)]
        if len(places) > _MOST_LOOKED_AT:  # those that share the most words with the text
            counts = np.zeros(len(self._masked), dtype=np.int32)
            for word in set(words) - {-1}:
                counts[self._postings[word]] += 1
            places = np.sort(places[np.argpartition(-counts[places], _MOST_LOOKED_AT)[:_MOST_LOOKED_AT]])
        listed: list[int] = places.tolist()
        return listed


def _normal(text: str) -> str:
    """*text* as it is compared: letters composed, white space as single blanks."""
    text = " ".join(text.split())
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _denials(text: str) -> list[str]:
    """The words that turn what *text* says into its opposite."""
    return sorted(word.casefold() for word in _NEGATION.findall(text))


def _words(text: str) -> list[str]:
    found: list[str] = _WORD.findall(text.casefold())
    return found


def renumbered(target: str, had: str, has: str) -> str | None:
    """*target*, the translation of *had*, with the numbers of *has*; None where that is not safe.

    >>> renumbered("Seite 12 von 40", "Page 12 of 40", "Page 13 of 40")
    'Seite 13 von 40'
    """
    before, after = _NUMBER.findall(had), _NUMBER.findall(has)
    if before == after:
        return target
    if len(before) != len(after):
        return None
    changed = {old: new for old, new in zip(before, after, strict=True) if old != new}
    written = Counter(_NUMBER.findall(target))
    kept = Counter(before)
    for old, new in changed.items():
        plain = _PLAIN_NUMBER.fullmatch(old) and _PLAIN_NUMBER.fullmatch(new)
        if not plain or {old, new} & _SINGULAR or kept[old] != 1 or written[old] != 1:
            return None
    return _NUMBER.sub(lambda found: changed.get(found[0], found[0]), target)


def with_ending(target: str, had: str, has: str) -> str:
    """*target*, the translation of *had*, with the mark that *has* ends with.

    >>> with_ending("Guten Morgen", "Good morning", "Good morning!"), with_ending("Ja.", "Yes.", "Yes")
    ('Guten Morgen!', 'Ja')
    """
    old, new, written = (text[len(text.rstrip(_MARKS)) :] for text in (had, has, target))
    if old == new or bool(old) != bool(written):
        return target
    bare = target.removesuffix(written)
    return bare + (new.translate(_FULL_WIDTH) if _UNSPACED.search(bare[-1:]) else new)
