"""Spoken terms: collections of term lists, one list a language."""

from collections.abc import Iterable
from typing import Any

from svc_nb.wire.client.wire import check, listing, member, read, segment, several
from svc_nb.wire.models import SpokenTerms as Collection
from svc_nb.wire.models import TermList, TermListInfo
from svc_nb.wire.transport import Transport

PATH = "/v3/spoken-terms"
A_LIST = "a TermList"
ENTRIES = r'text, one term a line, such as "Kubernetes\nBrötchen"'


class SpokenTerms:
    """Collections of spoken terms, which a voice session names by their id."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, name: str, term_lists: Iterable[TermList], *, tries: int | None = None) -> Collection:
        """Create a collection with a list for each of its languages.

        *tries* is how often to send the request at most; where an answer is lost, a second one makes a second
        collection.
        """
        listed = several("term_lists", term_lists, TermList, A_LIST)
        body = {"name": name, "term_lists": [_written(each) for each in listed]}
        return self._collection("POST", PATH, body, tries=tries)

    def get(self, spoken_terms_id: str) -> Collection:
        """Return one collection, without its terms."""
        return self._collection("GET", _path(spoken_terms_id))

    def update(
        self, spoken_terms_id: str, *, name: str | None = None, term_lists: Iterable[TermList] = ()
    ) -> Collection:
        """Rename a collection, merge terms into its lists, or both; terms that are there stay."""
        listed = several("term_lists", term_lists, TermList, A_LIST)
        named = {} if name is None else {"name": name}
        merged = {"term_lists": [_written(each) for each in listed]} if listed else {}
        return self._collection("PATCH", _path(spoken_terms_id), {**named, **merged})

    def delete(self, spoken_terms_id: str) -> None:
        """Delete a collection with all its lists, for good."""
        self._transport.request("DELETE", _path(spoken_terms_id))

    def entries(self, spoken_terms_id: str, lang: str) -> TermList:
        """Return the terms of one language."""
        path = f"{_path(spoken_terms_id)}/entries"
        return read(self._transport.request("GET", path, params={"lang": lang}), TermList.from_wire)

    def replace_list(self, spoken_terms_id: str, term_list: TermList) -> TermListInfo:
        """Put *term_list* in the place of the one for its language, or add it."""
        path = f"{_path(spoken_terms_id)}/term-lists"
        return read(self._transport.request("PUT", path, json=_written(term_list)), TermListInfo.from_wire)

    def delete_list(self, spoken_terms_id: str, lang: str) -> None:
        """Delete the list of one language, for good."""
        self._transport.request("DELETE", f"{_path(spoken_terms_id)}/term-lists", params={"lang": lang})

    def list(self) -> list[Collection]:
        """Return all collections, without their terms."""
        reply = self._transport.request("GET", PATH)
        return read(reply, member("spoken_terms", listing(Collection.from_wire)))

    def _collection(
        self, method: str, path: str, body: object = None, *, tries: int | None = None
    ) -> Collection:
        return read(self._transport.request(method, path, json=body, tries=tries), Collection.from_wire)


def _path(spoken_terms_id: str) -> str:
    return f"{PATH}/{segment(spoken_terms_id)}"


def _written(term_list: TermList) -> dict[str, Any]:
    check("term_list", term_list, TermList, A_LIST)
    check("entries", term_list.entries, str, ENTRIES)
    return term_list.to_wire()
