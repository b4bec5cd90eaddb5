"""What a glossary says about a text, so that only the texts concerned are asked for again when it changes."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b

from svc_nb.client import Client
from svc_nb.models import Dictionary

# How many of a term's first characters lead to it.
LEAD = 3
DIGEST_BYTES = 16


class Terms:
    """The entries of one glossary for one language pair.

    A term concerns a text that contains it anywhere, in any case: rather one text too many than an old answer.
    """

    def __init__(self, entries: Iterable[tuple[str, str]] = ()) -> None:
        self._leads: defaultdict[str, list[tuple[str, bytes]]] = defaultdict(list)
        for source, target in entries:
            folded = _folded(source)
            self._leads[folded[:LEAD]].append((folded, f"{source}\t{target}\n".encode()))
        self._lengths = sorted({len(lead) for lead in self._leads})

    def __call__(self, text: str) -> bytes:
        """The entries that concern *text*, digested; nothing where none does."""
        folded = _folded(text)
        found = sorted(
            entry for lead in self._leads_in(folded) for term, entry in self._leads[lead] if term in folded
        )
        return blake2b(b"".join(found), digest_size=DIGEST_BYTES).digest() if found else b""

    def _leads_in(self, folded: str) -> set[str]:
        present = set()
        for length in self._lengths:
            present |= {folded[place : place + length] for place in range(len(folded) - length + 1)}
        return present & self._leads.keys()


class Glossaries:
    """The glossaries of a translation, and which of them serve a language pair; entries are read once."""

    def __init__(self, client: Client, glossary_ids: Sequence[str]) -> None:
        self.ids = tuple(glossary_ids)
        self._client = client
        self._pairs = {
            glossary_id: [
                (each.source_lang, each.target_lang)
                for each in client.glossaries.get(glossary_id).dictionaries
            ]
            for glossary_id in self.ids
        }

    def serving(self, source_lang: str, target_lang: str) -> tuple[str, ...]:
        """The glossaries that have a dictionary from *source_lang* to *target_lang*."""
        return tuple(each for each in self.ids if self._pair(each, source_lang, target_lang))

    def terms(self, source_lang: str, target_lang: str) -> Callable[[str], bytes]:
        """What they say about a text from *source_lang* to *target_lang*; in their order, for the first one wins."""
        each = [
            Terms(self._entries(one, source_lang, target_lang))
            for one in self.serving(source_lang, target_lang)
        ]
        return lambda text: blake2b(
            b"".join(terms(text) for terms in each), digest_size=DIGEST_BYTES
        ).digest()

    def _pair(self, glossary_id: str, source_lang: str, target_lang: str) -> tuple[str, str] | None:
        fits = (pair for pair in self._pairs[glossary_id] if _serves(pair, source_lang, target_lang))
        return next(fits, None)

    def _entries(self, glossary_id: str, source_lang: str, target_lang: str) -> Iterator[tuple[str, str]]:
        pair = self._pair(glossary_id, source_lang, target_lang)
        if pair:
            found = self._client.glossaries.entries(glossary_id, source_lang=pair[0], target_lang=pair[1])
            for dictionary in found:
                yield from _entries(dictionary)


def _serves(pair: tuple[str, str], source_lang: str, target_lang: str) -> bool:
    return all(
        _base(has) == _base(wanted) for has, wanted in zip(pair, (source_lang, target_lang), strict=True)
    )


def _base(code: str) -> str:
    return code.lower().partition("-")[0]


def _entries(dictionary: Dictionary) -> Iterable[tuple[str, str]]:
    for line in dictionary.entries.split("\n"):
        source, _, target = line.partition("\t")
        if source:
            yield source, target


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()
