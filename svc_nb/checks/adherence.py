"""Whether a translation uses the glossary's terms, in whatever form grammar gives them.

A term in the source asks for one of its translations in the target. Most are there to the letter, which is found for
all rows at once. For the rest a word is taken for a form of the term's word when it begins with its stem or, in a
compound, has it inside; scripts without spaces are searched through without them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.checks.catalogue import Finding
from svc_nb.checks.couple import Couple, base_of
from svc_nb.checks.excerpt import excerpt
from svc_nb.checks.matcher import Hits, Lexicon, folded
from svc_nb.glossaries.table import Pairs, checked

WIDE = re.compile("[\u0e00-\u0eff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
KANA_END = re.compile("[\u3041-\u309f]{1,3}$")
WORD = re.compile(r"\w+")
SHORT = 3
FIRST_TARGETS = 3


class Glossary:
    """The terms of one language pair: what each source term may become."""

    def __init__(self, entries: list[tuple[str, str]]) -> None:
        self.sources = Lexicon([source for source, _ in entries])
        self.targets = Lexicon([target for _, target in entries])
        self.written = [target for _, target in entries]
        self.names = [source for source, _ in entries]
        self._rows: dict[int, list[int]] = {}
        for row, key in enumerate(self.sources.keys.tolist()):
            self._rows.setdefault(key, []).append(row)

        # For every source term the numbers of its first translations, -1 where there are no more.
        self.first_targets = np.full((FIRST_TARGETS, len(self._rows)), -1, dtype=np.intp)
        for key, rows in self._rows.items():
            for rank, row in enumerate(rows[:FIRST_TARGETS]):
                self.first_targets[rank, key] = self.targets.keys[row]

    def rows(self, key: int) -> list[int]:
        """The entries with this source term."""
        return self._rows[key]


def prepared(glossary: Any, source_lang: str | None, target_lang: str | None) -> Glossary:
    """The terms of *glossary* for a pair; it may be a table of terms or a mapping from term to translation."""
    if isinstance(glossary, Mapping):
        return Glossary(
            [(source, target) for source, target in glossary.items() if _is_text(source) and _is_text(target)]
        )
    table = checked(glossary)
    meant = [(base_of(source), base_of(target)) for source, target in Pairs(table).written]
    wanted = (base_of(source_lang), base_of(target_lang))
    fitting = [number for number, pair in enumerate(meant) if _fits(pair, wanted)]
    if len({meant[number] for number in fitting}) > 1:
        listed = ", ".join(sorted({f"{source}→{target}" for source, target in meant}))
        raise ValueError(
            f"glossary: it has several pairs ({listed}); say which with source_lang= and target_lang="
        )
    some = table.iloc[np.flatnonzero(np.isin(Pairs(table).codes, fitting))]
    both = zip(some["source"].tolist(), some["target"].tolist(), strict=True)
    return Glossary([(source, target) for source, target in both if _is_text(source) and _is_text(target)])


def _fits(pair: tuple[str | None, str | None], wanted: tuple[str | None, str | None]) -> bool:
    return all(want is None or want == has for has, want in zip(pair, wanted, strict=True))


def _is_text(cell: Any) -> bool:
    return not pd.isna(cell) and bool(str(cell).strip())


def terms(couple: Couple, glossary: Glossary) -> Iterator[Finding]:
    """Code `glossary`."""
    hits = glossary.sources.hits(folded(couple.source.tape))
    for row, key in _not_to_the_letter(couple, glossary, hits):
        entries = glossary.rows(key)
        text = couple.target[row]
        if not any(is_used(glossary.written[entry], text) for entry in entries):
            wanted = glossary.written[entries[0]]
            message = f"{excerpt(glossary.names[entries[0]])} should be {excerpt(wanted)}; found {excerpt(text, 60)}"
            yield Finding(row, "glossary", message, wanted)


def _not_to_the_letter(couple: Couple, glossary: Glossary, hits: Hits) -> list[tuple[int, int]]:
    """The rows and terms of *hits*, each once, for which no translation stands in the target as it is."""
    if not len(hits.rows):
        return []
    count = len(glossary.written) + 1
    asked = np.unique(hits.rows * count + hits.terms)
    rows, keys = asked // count, asked % count
    there = glossary.targets.hits(folded(couple.target.tape), longest=False)
    exact = np.unique(there.rows * count + there.terms)
    found = np.zeros(len(asked), dtype=np.bool_)
    for targets in glossary.first_targets:
        found |= np.isin(rows * count + targets[keys], exact) & (targets[keys] >= 0)
    return list(zip(rows[~found].tolist(), keys[~found].tolist(), strict=True))


def is_used(term: str, text: str) -> bool:
    """Whether a form of *term* is in *text*; rather yes than no.

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
    return all(any(_is_form(stem(part), word) for word in words) for part in parts)


def _wide(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _is_form(root: str, word: str) -> bool:
    return word.startswith(root) or (len(root) > SHORT and root in word)


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return tuple(WORD.findall("".join(letter for letter in plain if not unicodedata.combining(letter))))


def stem(word: str) -> str:
    """What is left of *word* in most of its forms.

    >>> stem("rechnung"), stem("haus"), stem("auf")
    ('rechnu', 'hau', 'auf')
    """
    return word[: len(word) - (len(word) > 3) - (len(word) > 5) - (len(word) > 8)]
