"""The spoken terms operations: collections of term lists, one list a language, editable. No scope covers them."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from ..operations import KIB, Call, Nothing, Operations
from ..problems import bad_request
from ..spoken_terms import Collection, SpokenTerms, Terms, lang_of, parse
from ..wire import FORM, JSON
from .plan import refuse_free

operations = Operations()

# A list of 300 characters for every language, each written \uXXXX\uXXXX, and a name.
BODY_LIMIT = 128 * KIB
BODY: dict[str, Any] = {
    "media": (JSON, FORM),
    "limit": BODY_LIMIT,
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


class TermListAnswer(Struct):
    """A term list without its terms."""

    lang: str
    entry_count: int


class SpokenTermsAnswer(Struct):
    """A collection."""

    spoken_terms_id: str
    name: str
    term_lists: list[TermListAnswer]
    creation_time: str


class SpokenTermsListAnswer(Struct):
    """All collections."""

    spoken_terms: list[SpokenTermsAnswer]


class TermListEntriesAnswer(Struct):
    """A term list with its terms."""

    lang: str
    entries: str


@operations.add(
    "POST",
    "/v3/spoken-terms",
    scope=None,
    body=SpokenTermsBody,
    answer=SpokenTermsAnswer,
    status=201,
    **BODY,
)
def create(call: Call[SpokenTermsBody, Nothing]) -> SpokenTermsAnswer:
    """Create a collection with its term lists."""
    return _answer(_shelf(call).create(call.body.name, _parsed(call.body.term_lists)))


@operations.add("GET", "/v3/spoken-terms", scope=None, answer=SpokenTermsListAnswer)
def index(call: Call[Nothing, Nothing]) -> SpokenTermsListAnswer:
    """List all collections, without terms."""
    return SpokenTermsListAnswer([_answer(each) for each in _shelf(call).all()])


@operations.add("GET", ONE, scope=None, answer=SpokenTermsAnswer)
def show(call: Call[Nothing, Nothing]) -> SpokenTermsAnswer:
    """Show one collection, without terms."""
    return _answer(_shelf(call).get(call.path["spoken_terms_id"]))


@operations.add("PATCH", ONE, scope=None, body=SpokenTermsEditBody, answer=SpokenTermsAnswer, **BODY)
def edit(call: Call[SpokenTermsEditBody, Nothing]) -> SpokenTermsAnswer:
    """Rename a collection, or merge terms into its lists."""
    shelf, lists = _shelf(call), _parsed(call.body.term_lists)
    return _answer(shelf.edit(call.path["spoken_terms_id"], call.body.name, lists))


@operations.add("DELETE", ONE, scope=None, status=204)
def delete(call: Call[Nothing, Nothing]) -> None:
    """Delete a collection with all its term lists."""
    _shelf(call).delete(call.path["spoken_terms_id"])


@operations.add("GET", f"{ONE}/entries", scope=None, query=TermListQuery, answer=TermListEntriesAnswer)
def entries(call: Call[Nothing, TermListQuery]) -> TermListEntriesAnswer:
    """Show the terms of one language, one a line."""
    lang = lang_of(call.query.lang)
    return TermListEntriesAnswer(lang, "\n".join(_shelf(call).terms(call.path["spoken_terms_id"], lang)))


@operations.add("PUT", f"{ONE}/term-lists", scope=None, body=TermListBody, answer=TermListAnswer, **BODY)
def replace(call: Call[TermListBody, Nothing]) -> TermListAnswer:
    """Create or replace the term list of one language."""
    ((lang, terms),) = _parsed([call.body]).items()
    info = _shelf(call).replace(call.path["spoken_terms_id"], lang, terms)
    return TermListAnswer(info.lang, info.entry_count)


@operations.add("DELETE", f"{ONE}/term-lists", scope=None, query=TermListQuery, status=204)
def delete_list(call: Call[Nothing, TermListQuery]) -> None:
    """Delete the term list of one language."""
    _shelf(call).delete_list(call.path["spoken_terms_id"], lang_of(call.query.lang))


def _shelf(call: Call[Any, Any]) -> SpokenTerms:
    """The collections of an account whose plan has them, or 403."""
    refuse_free(call.state.account)
    return call.state.spoken_terms


def _parsed(lists: list[TermListBody]) -> dict[str, Terms]:
    parsed: dict[str, Terms] = {}
    for each in lists:
        lang = lang_of(each.lang)
        if lang in parsed:
            raise bad_request("Bad request", detail=f"The language {lang} is given twice.")
        parsed[lang] = parse(each.entries)
    return parsed


def _answer(collection: Collection) -> SpokenTermsAnswer:
    lists = [TermListAnswer(each.lang, each.entry_count) for each in collection.term_lists]
    return SpokenTermsAnswer(collection.spoken_terms_id, collection.name, lists, collection.creation_time)
