"""Glossaries: the multilingual form (v3) under plain names, the form with one language pair under `v2`."""

import warnings
from collections.abc import Iterable
from typing import Any

from svc_nb.wire.client.resource import CollectionClient, check, listing, member, segment, several
from svc_nb.wire.models import Dictionary, DictionaryInfo, Glossary, LanguagePair, MultilingualGlossary
from svc_nb.wire.transport import Transport

A_DICTIONARY = "a Dictionary"
ENTRIES = r'text in TSV or CSV, a pair of terms per line, such as "Haus\thouse"'


class Glossaries(CollectionClient[MultilingualGlossary]):
    """Multilingual glossaries, and under `v2` the older form; both see the same glossaries."""

    _path, _noun, _member = "/v3/glossaries", MultilingualGlossary, "glossaries"

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self.v2 = GlossariesV2(transport)

    def get(self, glossary_id: str) -> MultilingualGlossary:
        """Return one glossary, without its entries."""
        return self._get(glossary_id)

    def delete(self, glossary_id: str) -> None:
        """Delete a glossary with all its dictionaries, for good."""
        self._delete(glossary_id)

    def create(
        self, name: str, dictionaries: Iterable[Dictionary], *, tries: int | None = None
    ) -> MultilingualGlossary:
        """Create a glossary with a dictionary for each of its language pairs.

        *tries* is how often to send the request at most; if an answer is lost, a retry creates a second glossary.
        """
        listed = several("dictionaries", dictionaries, Dictionary, A_DICTIONARY)
        body = {"name": name, "dictionaries": [_written(dictionary) for dictionary in listed]}
        return self._one("POST", "", body, tries=tries)

    def rename(self, glossary_id: str, name: str) -> MultilingualGlossary:
        """Give a glossary another name."""
        return self.update(glossary_id, name=name)

    def update(
        self, glossary_id: str, *, name: str | None = None, dictionary: Dictionary | None = None
    ) -> MultilingualGlossary:
        """Rename a glossary, merge *dictionary* into it, or both.

        Merging adds new terms and replaces the targets of existing ones; the other terms stay.
        """
        named = {} if name is None else {"name": name}
        merged = {} if dictionary is None else {"dictionaries": [_written(dictionary)]}
        return self._one("PATCH", f"/{segment(glossary_id)}", {**named, **merged})

    def entries(
        self, glossary_id: str, *, source_lang: str | None = None, target_lang: str | None = None
    ) -> list[Dictionary]:
        """Return the dictionaries with their entries as TSV, all of them or only those of the given languages."""
        path = f"/v3/glossaries/{segment(glossary_id)}/entries"
        pair = {"source_lang": source_lang, "target_lang": target_lang}
        return self._ask(member("dictionaries", listing(Dictionary.from_wire)), "GET", path, params=pair)

    def replace_dictionary(self, glossary_id: str, dictionary: Dictionary) -> DictionaryInfo:
        """Replace the dictionary of the language pair with *dictionary*, or add it."""
        path = f"/v3/glossaries/{segment(glossary_id)}/dictionaries"
        return self._ask(DictionaryInfo.from_wire, "PUT", path, json=_written(dictionary))

    def delete_dictionary(self, glossary_id: str, *, source_lang: str, target_lang: str) -> None:
        """Delete the dictionary of one language pair, for good."""
        self._transport.request(
            "DELETE",
            f"/v3/glossaries/{segment(glossary_id)}/dictionaries",
            params={"source_lang": source_lang, "target_lang": target_lang},
        )


class GlossariesV2(CollectionClient[Glossary]):
    """Glossaries of one language pair each, which cannot be edited."""

    _path, _noun, _member = "/v2/glossaries", Glossary, "glossaries"

    def get(self, glossary_id: str) -> Glossary:
        """Return one glossary, without its entries."""
        return self._get(glossary_id)

    def delete(self, glossary_id: str) -> None:
        """Delete a glossary, for good."""
        self._delete(glossary_id)

    def create(
        self, name: str, source_lang: str, target_lang: str, entries: str, *, entries_format: str = "tsv"
    ) -> Glossary:
        """Create a glossary from *entries* in TSV or CSV; translations can use it when it is `ready`."""
        body = {"name": name, **_written(Dictionary(source_lang, target_lang, entries, entries_format))}
        return self._one("POST", "", body)

    def wait_until_ready(self, glossary_id: str, *, timeout: float = 60.0) -> Glossary:
        """Ask for a glossary until it is ready and return it; raise TimedOut after *timeout* seconds."""

        def ready() -> Glossary | None:
            found = self.get(glossary_id)
            return found if found.ready else None

        return self._poll(ready, timeout=timeout, late=f"The glossary {glossary_id} was not ready")

    def entries(self, glossary_id: str) -> str:
        """Return the entries as TSV: a source and a target term per line."""
        path = f"/v2/glossaries/{segment(glossary_id)}/entries"
        return self._transport.request("GET", path, accept="text/tab-separated-values").text()

    def language_pairs(self) -> list[LanguagePair]:
        """Return the language pairs that a glossary can have. Deprecated: use `languages.support("glossary")`."""
        warnings.warn(
            'language_pairs is deprecated by the service: use languages.support("glossary")',
            DeprecationWarning,
            stacklevel=2,
        )
        parse = member("supported_languages", listing(LanguagePair.from_wire))
        return self._ask(parse, "GET", "/v2/glossary-language-pairs")


def _written(dictionary: Dictionary) -> dict[str, Any]:
    check("dictionary", dictionary, Dictionary, A_DICTIONARY)
    check("entries", dictionary.entries, str, ENTRIES)
    return dictionary.to_wire()
