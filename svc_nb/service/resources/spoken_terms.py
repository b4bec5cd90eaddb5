"""Spoken terms: collections of term lists, one list a language, that help voice transcription. No scope covers them."""

import uuid
from typing import Annotated, Any

from msgspec import Meta, Struct

from ..catalogue import languages
from ..database import Connection, Database, stamp
from ..glossaries import FORBIDDEN, check_name
from ..operations import JSON_OR_FORM, KIB, Call, Nothing, Operations
from ..problems import UUID_FORM, Problem, bad_request, not_found

operations = Operations()

MAX_COLLECTIONS = 1000
MAX_LIST_CHARACTERS = 300
LANGUAGES = next(each.languages for each in languages.RESOURCES["voice"].features if each.name == "spoken_terms")
# A list of 300 characters for every language, each written \uXXXX\uXXXX, and a name.
BODY: dict[str, Any] = {"media": JSON_OR_FORM, "limit": 128 * KIB, "wrong_media": "Unsupported Content-Type"}
ONE = "/v3/spoken-terms/{spoken_terms_id}"

Terms = tuple[str, ...]


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


class TermList(Struct, frozen=True):
    """A term list without its terms: one language of a collection."""

    lang: str
    entry_count: int


class TermCollection(Struct, frozen=True):
    """A collection without its terms."""

    spoken_terms_id: str
    name: str
    term_lists: tuple[TermList, ...]
    creation_time: str


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
    call.refuse_free()
    lists = _parsed(call.body.term_lists)
    check_name(call.body.name)
    own_id, moment = str(uuid.uuid4()), stamp(call.state.clock())
    with call.state.database.write() as connection:
        if connection.count("spoken_terms") >= MAX_COLLECTIONS:
            held = f"The account holds the most collections it may have, {MAX_COLLECTIONS}."
            raise Problem(456, "Spoken Terms quota exhausted", detail=held)
        connection.add("spoken_terms", spoken_terms_id=own_id, name=call.body.name, creation_time=moment)
        for lang, terms in lists.items():
            _store(connection, own_id, lang, terms)
        return _collection(connection, own_id)


@operations.add("GET", "/v3/spoken-terms", scope=None)
def index(call: Call[Nothing, Nothing]) -> SpokenTermsListAnswer:
    """List all collections, without terms."""
    call.refuse_free()
    with call.state.database.read() as connection:
        return SpokenTermsListAnswer([_collection(connection, row[0]) for row in connection.rows("spoken_terms")])


@operations.add("GET", ONE, scope=None)
def show(call: Call[Nothing, Nothing]) -> TermCollection:
    """Show one collection, without terms."""
    call.refuse_free()
    return find(call.state.database, call.path["spoken_terms_id"])


@operations.add("PATCH", ONE, scope=None, **BODY)
def edit(call: Call[SpokenTermsEditBody, Nothing]) -> TermCollection:
    """Rename a collection, or merge terms into its lists."""
    call.refuse_free()
    name, lists = call.body.name, _parsed(call.body.term_lists)
    with call.state.database.write() as connection:
        own_id = _collection(connection, call.path["spoken_terms_id"]).spoken_terms_id
        if name is not None:
            check_name(name)
            connection.change("spoken_terms", {"spoken_terms_id": own_id}, name=name)
        for lang, terms in lists.items():  # what is there stays, what is new comes behind it
            merged = tuple(dict.fromkeys([*_terms(connection, own_id, lang), *terms]))
            _store(connection, own_id, lang, merged)
        return _collection(connection, own_id)


@operations.add("DELETE", ONE, scope=None, status=204)
def delete(call: Call[Nothing, Nothing]) -> None:
    """Delete a collection with all its term lists."""
    call.refuse_free()
    with call.state.database.write() as connection:
        own_id = _collection(connection, call.path["spoken_terms_id"]).spoken_terms_id
        connection.remove("spoken_terms", spoken_terms_id=own_id)


@operations.add("GET", f"{ONE}/entries", scope=None)
def entries(call: Call[Nothing, TermListQuery]) -> TermListEntriesAnswer:
    """Show the terms of one language, one a line."""
    lang = lang_of(call.query.lang)
    call.refuse_free()
    with call.state.database.read() as connection:
        own_id = _collection(connection, call.path["spoken_terms_id"]).spoken_terms_id
        terms = _terms(connection, own_id, lang)
    if not terms:
        raise _no_list(lang)
    return TermListEntriesAnswer(lang, "\n".join(terms))


@operations.add("PUT", f"{ONE}/term-lists", scope=None, **BODY)
def replace(call: Call[TermListBody, Nothing]) -> TermList:
    """Create or replace the term list of one language."""
    ((lang, terms),) = _parsed([call.body]).items()
    call.refuse_free()
    with call.state.database.write() as connection:
        own_id = _collection(connection, call.path["spoken_terms_id"]).spoken_terms_id
        _store(connection, own_id, lang, terms)
    return TermList(lang, len(terms))


@operations.add("DELETE", f"{ONE}/term-lists", scope=None, status=204)
def delete_list(call: Call[Nothing, TermListQuery]) -> None:
    """Delete the term list of one language."""
    call.refuse_free()
    lang = lang_of(call.query.lang)
    with call.state.database.write() as connection:
        own_id = _collection(connection, call.path["spoken_terms_id"]).spoken_terms_id
        if not connection.remove("term_lists", spoken_terms_id=own_id, lang=lang):
            raise _no_list(lang)


def find(database: Database, spoken_terms_id: str) -> TermCollection:
    """One collection; 400 if it is not an id, 404 for an unknown one."""
    with database.read() as connection:
        return _collection(connection, spoken_terms_id)


def _collection(connection: Connection, spoken_terms_id: str) -> TermCollection:
    if not UUID_FORM.fullmatch(spoken_terms_id):
        raise bad_request("Bad request", detail="Value for 'spoken_terms_id' not supported: an id is a UUID.")
    row = connection.find("spoken_terms", spoken_terms_id=spoken_terms_id.lower())
    if row is None:
        raise not_found("Spoken terms not found.")
    lists = connection.rows("term_lists", "lang, entry_count", spoken_terms_id=row["spoken_terms_id"])
    return TermCollection(
        row["spoken_terms_id"], row["name"], tuple(TermList(*each) for each in lists), row["creation_time"]
    )


def _terms(connection: Connection, spoken_terms_id: str, lang: str) -> Terms:
    row = connection.find("term_lists", spoken_terms_id=spoken_terms_id, lang=lang)
    return () if row is None else tuple(row["entries"].split("\n"))


def _store(connection: Connection, spoken_terms_id: str, lang: str, terms: Terms) -> None:
    text = "\n".join(terms)
    if len(text) > MAX_LIST_CHARACTERS:
        raise _invalid(
            f"The list for {lang} has {len(text)} characters; it may have {MAX_LIST_CHARACTERS}, line breaks included."
        )
    row = {"spoken_terms_id": spoken_terms_id, "lang": lang, "entries": text, "entry_count": len(terms)}
    connection.put("term_lists", **row)


def lang_of(code: str) -> str:
    """A language as spoken terms have it, lower case and without a variant, or 400."""
    known = languages.base(code) if languages.normalise(code) in languages.NAMES else ""
    if known not in LANGUAGES:
        raise _invalid(f"Value for 'lang' not supported: there are no spoken terms for '{code}'.")
    return known


def _parsed(lists: list[TermListBody]) -> dict[str, Terms]:
    parsed: dict[str, Terms] = {}
    for each in lists:
        lang = lang_of(each.lang)
        if lang in parsed:
            raise _invalid(f"The language {lang} is given twice.")
        parsed[lang] = parse(each.entries)
    return parsed


def parse(text: str) -> Terms:
    """The terms in *text*, one a line, in their order, or 400 with the reason."""
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    if lines == [""]:
        raise _invalid("There are no terms.")
    first: dict[str, int] = {}
    for index, term in enumerate(lines):
        place = f"The term with the index {index}"
        if not term:
            raise _invalid(f"{place} is empty")
        if FORBIDDEN.search(term):
            raise _invalid(f"{place} has a control character or line break")
        if term != term.strip():
            raise _invalid(f"{place} has leading or trailing whitespace")
        if first.setdefault(term, index) != index:
            raise _invalid(f"{place} duplicates the one with the index {first[term]}")
    return tuple(lines)


def _invalid(detail: str) -> Problem:
    return bad_request("Bad request", detail=detail)


def _no_list(lang: str) -> Problem:
    return not_found(f"The collection has no terms for the language {lang}.")
