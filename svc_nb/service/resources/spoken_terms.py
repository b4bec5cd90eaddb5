"""The spoken terms operations: collections of term lists, one list a language, editable. No scope covers them."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from ..operations import JSON_OR_FORM, KIB, Call, Nothing, Operations
from ..problems import bad_request
from ..spoken_terms import SpokenTerms, TermCollection, TermList, Terms, lang_of, parse

operations = Operations()

# A list of 300 characters for every language, each written \uXXXX\uXXXX, and a name.
BODY: dict[str, Any] = {
    "media": JSON_OR_FORM,
    "limit": 128 * KIB,
    "wrong_media": "Unsupported Content-Type",
}
ONE = "/v3/spoken-terms/{spoken_terms_id}"


class TermListBody(Struct):
    """A term list as it is sent: one term a line."""

    lang: str
    entries: str


class SpokenTermsBody(Struct):
    """A new collection."""

    name: str
    term_lists: Annotated[list[TermListBody], Meta(min_length=1)]


class SpokenTermsEditBody(Struct):
    """A change: a new name, terms to merge, or both."""

    name: str | None = None
    term_lists: list[TermListBody] = []


class TermListQuery(Struct):
    """One language."""

    lang: str


class SpokenTermsListAnswer(Struct):
    """All collections."""

    spoken_terms: list[TermCollection]


class TermListEntriesAnswer(Struct):
    """A term list with its terms."""

    lang: str
    entries: str


@operations.add("POST", "/v3/spoken-terms", scope=None, status=201, **BODY)
def create(call: Call[SpokenTermsBody, Nothing]) -> TermCollection:
    """Create a collection with its term lists."""
    return _store(call).create(call.body.name, _parsed(call.body.term_lists))


@operations.add("GET", "/v3/spoken-terms", scope=None)
def index(call: Call[Nothing, Nothing]) -> SpokenTermsListAnswer:
    """List all collections, without terms."""
    return SpokenTermsListAnswer(_store(call).all())


@operations.add("GET", ONE, scope=None)
def show(call: Call[Nothing, Nothing]) -> TermCollection:
    """Show one collection, without terms."""
    return _store(call).get(call.path["spoken_terms_id"])


@operations.add("PATCH", ONE, scope=None, **BODY)
def edit(call: Call[SpokenTermsEditBody, Nothing]) -> TermCollection:
    """Rename a collection, or merge terms into its lists."""
    store, lists = _store(call), _parsed(call.body.term_lists)
    return store.edit(call.path["spoken_terms_id"], call.body.name, lists)


@operations.add("DELETE", ONE, scope=None, status=204)
def delete(call: Call[Nothing, Nothing]) -> None:
    """Delete a collection with all its term lists."""
    _store(call).delete(call.path["spoken_terms_id"])


@operations.add("GET", f"{ONE}/entries", scope=None)
def entries(call: Call[Nothing, TermListQuery]) -> TermListEntriesAnswer:
    """Show the terms of one language, one a line."""
    lang = lang_of(call.query.lang)
    return TermListEntriesAnswer(lang, "\n".join(_store(call).terms(call.path["spoken_terms_id"], lang)))


@operations.add("PUT", f"{ONE}/term-lists", scope=None, **BODY)
def replace(call: Call[TermListBody, Nothing]) -> TermList:
    """Create or replace the term list of one language."""
    ((lang, terms),) = _parsed([call.body]).items()
    return _store(call).replace(call.path["spoken_terms_id"], lang, terms)


@operations.add("DELETE", f"{ONE}/term-lists", scope=None, status=204)
def delete_list(call: Call[Nothing, TermListQuery]) -> None:
    """Delete the term list of one language."""
    _store(call).delete_list(call.path["spoken_terms_id"], lang_of(call.query.lang))


def _store(call: Call[Any, Any]) -> SpokenTerms:
    """The collections of an account whose plan has them, or 403."""
    call.refuse_free()
    return call.state.spoken_terms


def _parsed(lists: list[TermListBody]) -> dict[str, Terms]:
    parsed: dict[str, Terms] = {}
    for each in lists:
        lang = lang_of(each.lang)
        if lang in parsed:
            raise bad_request("Bad request", detail=f"The language {lang} is given twice.")
        parsed[lang] = parse(each.entries)
    return parsed
