"""Whether a translation uses the glossary's terms, in any inflected form.

A term in the source requires one of its translations in the target. Most appear literally, which is checked for all
rows at once. Otherwise a word counts as a form of the term's word if it begins with its stem or, in a compound,
contains it; scripts without spaces are searched without regard to spaces.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.checks.findings import Finding, excerpt
from svc_nb.checks.language_data import SCRIPTS
from svc_nb.checks.term_search import TermIndex
from svc_nb.checks.text_pairs import TextPairs, base_of
from svc_nb.tabular.terms import LanguagePairs, checked

WIDE = re.compile(f"[{''.join(SCRIPTS[name] for name in ('thai', 'kana', 'han', 'hangul'))}]")
KANA_END = re.compile("[\u3041-\u309f]{1,3}$")
WORD = re.compile(r"\w+")
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
SHORT = 3
PLURALS_IN_S = frozenset({"en", "es", "pt", "fr", None})
FIRST_TARGETS = 3


class WantedTerms:
    """The terms of one language pair: the translations of each source term, without missing and blank ones."""

    def __init__(self, entries: Iterable[tuple[Any, Any]], lang: str | None = None) -> None:
        self.entries: list[tuple[str, str]] = [
            pair for pair in entries if not any(pd.isna(cell) or not str(cell).strip() for cell in pair)
        ]
        known = {source for source, _ in self.entries}
        self.entries += [
            (several, target)
            for source, target in self.entries
            if (several := plural_of(source, lang)) and several not in known
        ]
        self.sources = TermIndex([source for source, _ in self.entries])
        self.targets = TermIndex([target for _, target in self.entries])
        self._rows: dict[int, list[int]] = {}
        for row, key in enumerate(self.sources.keys.tolist()):
            self._rows.setdefault(key, []).append(row)

        # For every source term the numbers of its first translations, -1 if there are no more.
        self._first_targets = np.full((FIRST_TARGETS, len(self._rows)), -1, dtype=np.intp)
        for key, rows in self._rows.items():
            for rank, row in enumerate(rows[:FIRST_TARGETS]):
                self._first_targets[rank, key] = self.targets.keys[row]

    def not_to_the_letter(self, pairs: TextPairs) -> Iterator[tuple[int, list[tuple[str, str]]]]:
        """The rows with a term none of whose translations is literally in the target, and the entries of that term."""
        hits = self.sources.hits(pairs.source.folded)
        if not len(hits.rows):
            return
        count = len(self.entries) + 1
        asked = np.unique(hits.rows * count + hits.terms)
        rows, keys = asked // count, asked % count
        there = self.targets.hits(pairs.target.folded, longest=False)
        exact = np.unique(there.rows * count + there.terms)
        found = np.zeros(len(asked), dtype=np.bool_)
        for targets in self._first_targets:
            found |= np.isin(rows * count + targets[keys], exact) & (targets[keys] >= 0)
        for row, key in zip(rows[~found].tolist(), keys[~found].tolist(), strict=True):
            yield row, [self.entries[place] for place in self._rows[key]]


def prepared(glossary: Any, source_lang: str | None, target_lang: str | None) -> WantedTerms:
    """The terms of *glossary* for a pair; it may be a table of terms or a mapping from term to translation."""
    if isinstance(glossary, Mapping):
        for cell in (cell for pair in glossary.items() for cell in pair):
            if not isinstance(cell, str) and not pd.isna(cell):
                raise TypeError(f"glossary: expected terms and translations as texts, found {cell!r}")
        return WantedTerms(glossary.items(), base_of(source_lang))
    table = checked(glossary)
    pairs = LanguagePairs(table)
    meant = [(base_of(source), base_of(target)) for source, target in pairs.written]
    wanted = (base_of(source_lang), base_of(target_lang))
    fitting = [
        number
        for number, pair in enumerate(meant)
        if all(want in (None, has) for has, want in zip(pair, wanted, strict=True))
    ]
    if len({meant[number] for number in fitting}) > 1:
        listed = ", ".join(sorted({f"{source}→{target}" for source, target in meant}))
        raise ValueError(
            f"glossary: it has several language pairs ({listed}). Choose one with source_lang= and target_lang="
        )
    some = table.iloc[np.flatnonzero(np.isin(pairs.codes, fitting))]
    lang = meant[fitting[0]][0] if fitting else None
    return WantedTerms(zip(some["source"].tolist(), some["target"].tolist(), strict=True), lang)


def glossary_terms(pairs: TextPairs, wanted: WantedTerms) -> Iterator[Finding]:
    """Code `glossary`."""
    for row, entries in wanted.not_to_the_letter(pairs):
        text = pairs.target[row]
        source, target = entries[0]
        # A word in a placeholder or a tag is not a term.
        prose = unicodedata.normalize("NFKC", pairs.bare(row)[0]).casefold()
        is_there = unicodedata.normalize("NFKC", source).casefold() in prose
        if is_there and not any(is_used(each, text) for _, each in entries):
            message = f"{excerpt(source)} should be {excerpt(target)}; found {excerpt(text, 60)}"
            yield Finding(row, "glossary", message, advice=f"use {excerpt(target)}")


def is_used(term: str, text: str) -> bool:
    """Whether a form of *term* is in *text*; in doubt, yes.

    >>> is_used("Lieferschein", "Die Lieferscheine liegen bei."), is_used("Haus", "alle Häuser")
    (True, True)
    >>> is_used("Rechnung", "Das Buch liegt bei.")
    False
    """
    if WIDE.search(term):
        core = KANA_END.sub("", _wide(term)) or _wide(term)
        return core in _wide(text)
    term = term.strip()
    if not term or not (term[0].isalnum() and term[-1].isalnum()):  # such as C++
        return term.casefold() in text.casefold()
    words = _words(text)
    parts = [word for word in _words(term) if len(word) > SHORT] or list(_words(term))
    # Arabic and Hebrew put articles and prepositions before a word without a space.
    least = SHORT - 1 if RIGHT_TO_LEFT.search(term) else SHORT
    return all(
        any(word.startswith(root) or (len(root) > least and root in word) for word in words)
        for root in map(stem, parts)
    )


def _wide(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return tuple(WORD.findall("".join(letter for letter in plain if not unicodedata.combining(letter))))


def plural_of(term: str, lang: str | None) -> str:
    """The regular plural of *term* in English, Spanish, Portuguese or French; "" for other languages.

    >>> plural_of("delivery note", "en"), plural_of("query", "en"), plural_of("box", None), plural_of("Haus", "de")
    ('delivery notes', 'queries', 'boxes', '')
    """
    if lang not in PLURALS_IN_S or not term[-1:].isalpha():
        return ""
    if lang in ("en", None) and re.search("[^aeiou]y$", term):
        return term[:-1] + "ies"
    es = re.search("(?:[sxz]|[cs]h)$", term) if lang in ("en", None) else lang != "fr" and term[-1] not in "aeiouáéíóú"
    return term + ("es" if es else "s")


def stem(word: str) -> str:
    """The part of *word* that most of its forms share.

    >>> stem("rechnung"), stem("haus"), stem("auf")
    ('rechnu', 'hau', 'auf')
    """
    return word[: len(word) - (len(word) > 3) - (len(word) > 5) - (len(word) > 8)]
