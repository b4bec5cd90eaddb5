"""The glossaries of a translation, and their entries for a text, which is sent again only if these change."""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from typing import Any, Self

import pandas as pd

from svc_nb.checks.service_terms import to_dictionaries
from svc_nb.errors import LeftBehind, warn
from svc_nb.language_codes import base_of
from svc_nb.sync.resources import GLOSSARY, quota_explained
from svc_nb.sync.tryout import Temporary
from svc_nb.tabular.terms import COLUMNS, checked
from svc_nb.wire.client import Client
from svc_nb.wire.models import Dictionary, DictionaryInfo
from svc_nb.wire.models.text import MOST_PER_REQUEST

# A term is looked up by this many of its first characters.
LEAD = 3
DIGEST_BYTES = 16
LEFT_BEHIND = (
    "The glossary {!r} was created for this run and could not be removed from the service. The next run with a table "
    "of terms removes it, or remove it now with svc_nb.glossaries.delete(name)"
)

# A name or an id, or a table of terms in the form of the service.
Given = str | tuple[Dictionary, ...]


class Terms:
    """The entries of one glossary for one language pair; a term applies to all texts that contain it, in any case."""

    def __init__(self, entries: Iterable[tuple[str, str]] = ()) -> None:
        self._leads: defaultdict[str, list[tuple[str, bytes]]] = defaultdict(list)
        for source, target in entries:
            folded = _folded(source)
            self._leads[folded[:LEAD]].append((folded, f"{source}\t{target}\n".encode()))
        self._lengths = sorted({len(lead) for lead in self._leads})

    def __call__(self, text: str) -> bytes:
        """A digest of the entries that apply to *text*; empty if none does."""
        folded = _folded(text)
        leads = {
            folded[place : place + length] for length in self._lengths for place in range(len(folded) - length + 1)
        }
        found = sorted(
            entry for lead in leads & self._leads.keys() for term, entry in self._leads[lead] if term in folded
        )
        return blake2b(b"".join(found), digest_size=DIGEST_BYTES).digest() if found else b""


class UsedGlossary:
    """A glossary on the service, by its id."""

    def __init__(self, client: Client, glossary_id: str, dictionaries: Iterable[DictionaryInfo | Dictionary]) -> None:
        self.id = glossary_id
        self._client = client
        self._pairs = [(each.source_lang, each.target_lang) for each in dictionaries]

    def pair(self, source_lang: str, target_lang: str) -> tuple[str, str] | None:
        """The glossary's pair for texts from *source_lang* to *target_lang*."""
        wanted = base_of(source_lang), base_of(target_lang)
        return next((pair for pair in self._pairs if (base_of(pair[0]), base_of(pair[1])) == wanted), None)

    def entries(self, source_lang: str, target_lang: str) -> Sequence[Dictionary]:
        """What it has for one of its pairs."""
        return self._client.glossaries.entries(self.id, source_lang=source_lang, target_lang=target_lang)


class TermTable(UsedGlossary):
    """A table of terms as a glossary, which is on the service, and has an id, only while texts are sent with it."""

    def __init__(self, client: Client, dictionaries: Sequence[Dictionary]) -> None:
        super().__init__(client, "", dictionaries)
        self._dictionaries = dictionaries
        self._made: Temporary | None = None
        self._removing = ExitStack()

    def entries(self, source_lang: str, target_lang: str) -> Sequence[Dictionary]:
        """What it has for one of its pairs."""
        wanted = (source_lang, target_lang)
        return [each for each in self._dictionaries if (each.source_lang, each.target_lang) == wanted]

    def put(self) -> None:
        """Put it on the service for this run only, if it is not there yet."""
        if self._made is None:
            folder = self._client.transport.settings.drafts_path
            made = Temporary(
                GLOSSARY,
                self._client,
                lambda name: self._client.glossaries.create(name, self._dictionaries).glossary_id,
                folder=folder,
            )
            with quota_explained():
                self.id = self._removing.enter_context(made).id
            self._made = made

    def remove(self) -> None:
        """Remove it from the service, if it is there; warns with LeftBehind if that fails."""
        made, self._made, self.id = self._made, None, ""
        self._removing.close()
        if made and made.left_behind:
            warn(LeftBehind(LEFT_BEHIND.format(made.left_behind)))


class UsedGlossaries:
    """The glossaries of a translation, and which of them have a language pair; entries are read once."""

    def __init__(self, each: Iterable[UsedGlossary]) -> None:
        self.all = tuple(each)
        self._terms: dict[tuple[str, str], Callable[[str], bytes]] = {}

    @classmethod
    def by_id(cls, client: Client, glossary_ids: Iterable[str]) -> Self:
        """Those with these ids."""
        return cls(UsedGlossary(client, each, client.glossaries.get(each).dictionaries) for each in glossary_ids)

    @classmethod
    def of(cls, client: Client, given: Sequence[Given]) -> Self:
        """Those given by the user: by name, by id or as tables of terms."""
        known = client.glossaries.list() if any(isinstance(each, str) for each in given) else []
        names = [(each.glossary_id, each.name) for each in known]
        by_id = {each.glossary_id: UsedGlossary(client, each.glossary_id, each.dictionaries) for each in known}
        return cls(
            by_id[GLOSSARY.find(each, names)] if isinstance(each, str) else TermTable(client, each) for each in given
        )

    def serving(self, source_lang: str, target_lang: str) -> tuple[UsedGlossary, ...]:
        """The glossaries that have a dictionary from *source_lang* to *target_lang*."""
        return tuple(each for each in self.all if each.pair(source_lang, target_lang))

    def terms(self, source_lang: str, target_lang: str) -> Callable[[str], bytes]:
        """Their entries for a text from *source_lang* to *target_lang*; in order, because the first one wins."""
        if (source_lang, target_lang) not in self._terms:
            each = [
                Terms(
                    (source, target)
                    for dictionary in one.entries(*pair)
                    for source, _, target in (line.partition("\t") for line in dictionary.entries.split("\n"))
                    if source
                )
                for one in self.all
                if (pair := one.pair(source_lang, target_lang))
            ]
            self._terms[source_lang, target_lang] = lambda text: blake2b(
                b"".join(terms(text) for terms in each), digest_size=DIGEST_BYTES
            ).digest()
        return self._terms[source_lang, target_lang]


def given_glossaries(glossary: Any) -> tuple[Given, ...]:
    """The glossaries given as *glossary*: names and ids unchanged, tables in the form of the service; else an error."""
    several = glossary if isinstance(glossary, list | tuple) else [glossary]
    if not 1 <= len(several) <= MOST_PER_REQUEST:
        raise ValueError(f"glossary: expected 1 to {MOST_PER_REQUEST} glossaries, found {len(several)}")
    taken: list[Given] = []
    for each in several:
        if isinstance(each, pd.DataFrame):
            if not len(checked(each)):
                raise ValueError("glossary: the table has no terms. Leave out glossary= to translate without one")
            taken.append(tuple(to_dictionaries(each)))
        elif (isinstance(each, str) and each.strip()) or (
            isinstance(each, tuple) and each and all(isinstance(one, Dictionary) for one in each)
        ):
            taken.append(each)
        else:
            found = "an empty text" if isinstance(each, str) else type(each).__name__
            raise TypeError(
                "glossary: expected the name or id of a glossary, or a table of terms with the columns "
                f"{', '.join(COLUMNS)}, found {found}"
            )
    return tuple(taken)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()
