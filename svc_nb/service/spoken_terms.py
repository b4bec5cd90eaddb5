"""The spoken terms of the account: collections of term lists, one list a language, that help voice transcription."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime

from msgspec import Struct

from .catalogue import languages
from .database import Database, now, stamp
from .glossaries import FORBIDDEN, check_name
from .problems import UUID_FORM, Problem, bad_request, not_found

MAX_COLLECTIONS = 1000
MAX_LIST_CHARACTERS = 300
LANGUAGES = next(
    each.languages for each in languages.RESOURCES["voice"].features if each.name == "spoken_terms"
)

Terms = tuple[str, ...]


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


class SpokenTerms:
    """The collections of an account."""

    def __init__(self, database: Database, *, clock: Callable[[], datetime] = now) -> None:
        self._database = database
        self._clock = clock

    def create(self, name: str, lists: Mapping[str, Terms]) -> TermCollection:
        """Store a collection, or raise and store nothing."""
        check_name(name)
        spoken_terms_id = str(uuid.uuid4())
        with self._database.write() as connection:
            count = connection.execute("SELECT COUNT(*) FROM spoken_terms").fetchone()[0]
            if count >= MAX_COLLECTIONS:
                held = f"The account holds the most collections it may have, {MAX_COLLECTIONS}."
                raise Problem(456, "Spoken Terms quota exhausted", detail=held)
            connection.execute(
                "INSERT INTO spoken_terms VALUES (?, ?, ?)", (spoken_terms_id, name, stamp(self._clock()))
            )
            for lang, terms in lists.items():
                _store(connection, spoken_terms_id, lang, terms)
            return _collection(connection, spoken_terms_id)

    def all(self) -> list[TermCollection]:
        """Every collection, in the order of creation."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT spoken_terms_id FROM spoken_terms ORDER BY rowid").fetchall()
            return [_collection(connection, row["spoken_terms_id"]) for row in rows]

    def get(self, spoken_terms_id: str) -> TermCollection:
        """One collection; 400 for what is no id, 404 for an unknown one."""
        with self._database.read() as connection:
            return _collection(connection, spoken_terms_id)

    def terms(self, spoken_terms_id: str, lang: str) -> Terms:
        """The terms of one language, or 404."""
        with self._database.read() as connection:
            found = _collection(connection, spoken_terms_id)
            terms = _terms(connection, found.spoken_terms_id, lang)
        if not terms:
            raise _no_list(lang)
        return terms

    def edit(self, spoken_terms_id: str, name: str | None, lists: Mapping[str, Terms]) -> TermCollection:
        """Rename, and merge terms into the lists: what is there stays, what is new comes behind it."""
        with self._database.write() as connection:
            spoken_terms_id = _collection(connection, spoken_terms_id).spoken_terms_id
            if name is not None:
                check_name(name)
                change = "UPDATE spoken_terms SET name = ? WHERE spoken_terms_id = ?"
                connection.execute(change, (name, spoken_terms_id))
            for lang, terms in lists.items():
                merged = tuple(dict.fromkeys([*_terms(connection, spoken_terms_id, lang), *terms]))
                _store(connection, spoken_terms_id, lang, merged)
            return _collection(connection, spoken_terms_id)

    def replace(self, spoken_terms_id: str, lang: str, terms: Terms) -> TermList:
        """Make *terms* the whole list of *lang*."""
        with self._database.write() as connection:
            spoken_terms_id = _collection(connection, spoken_terms_id).spoken_terms_id
            _store(connection, spoken_terms_id, lang, terms)
        return TermList(lang, len(terms))

    def delete(self, spoken_terms_id: str) -> None:
        """Take a collection away with all its lists."""
        with self._database.write() as connection:
            spoken_terms_id = _collection(connection, spoken_terms_id).spoken_terms_id
            connection.execute("DELETE FROM spoken_terms WHERE spoken_terms_id = ?", (spoken_terms_id,))

    def delete_list(self, spoken_terms_id: str, lang: str) -> None:
        """Take one language away, or 404."""
        with self._database.write() as connection:
            spoken_terms_id = _collection(connection, spoken_terms_id).spoken_terms_id
            gone = connection.execute(
                "DELETE FROM term_lists WHERE spoken_terms_id = ? AND lang = ?", (spoken_terms_id, lang)
            )
            if not gone.rowcount:
                raise _no_list(lang)


def lang_of(code: str) -> str:
    """A language as spoken terms have it, lower case and without a variant, or 400."""
    known = languages.base(code) if languages.normalise(code) in languages.NAMES else ""
    if known not in LANGUAGES:
        raise _invalid(f"Value for 'lang' not supported: there are no spoken terms for '{code}'.")
    return known


def parse(text: str) -> Terms:
    """The terms in *text*, one a line, in their order, or 400 with the reason.

    >>> parse("Kubernetes\\nBrötchen\\n")
    ('Kubernetes', 'Brötchen')
    """
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


def _collection(connection: sqlite3.Connection, spoken_terms_id: str) -> TermCollection:
    if not UUID_FORM.fullmatch(spoken_terms_id):
        raise bad_request("Bad request", detail="Value for 'spoken_terms_id' not supported: an id is a UUID.")
    row = connection.execute(
        "SELECT * FROM spoken_terms WHERE spoken_terms_id = ?", (spoken_terms_id.lower(),)
    ).fetchone()
    if row is None:
        raise not_found("Spoken terms not found.")
    lists = connection.execute(
        "SELECT lang, entry_count FROM term_lists WHERE spoken_terms_id = ? ORDER BY rowid",
        (row["spoken_terms_id"],),
    )
    infos = tuple(TermList(*each) for each in lists)
    return TermCollection(row["spoken_terms_id"], row["name"], infos, row["creation_time"])


def _terms(connection: sqlite3.Connection, spoken_terms_id: str, lang: str) -> Terms:
    row = connection.execute(
        "SELECT entries FROM term_lists WHERE spoken_terms_id = ? AND lang = ?", (spoken_terms_id, lang)
    ).fetchone()
    return () if row is None else tuple(row["entries"].split("\n"))


def _store(connection: sqlite3.Connection, spoken_terms_id: str, lang: str, terms: Terms) -> None:
    text = "\n".join(terms)
    if len(text) > MAX_LIST_CHARACTERS:
        raise _invalid(
            f"The list for {lang} has {len(text)} characters; it may have {MAX_LIST_CHARACTERS}, line breaks included."
        )
    connection.execute(
        "INSERT INTO term_lists (spoken_terms_id, lang, entries, entry_count) VALUES (?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET entries = excluded.entries, entry_count = excluded.entry_count",
        (spoken_terms_id, lang, text, len(terms)),
    )
