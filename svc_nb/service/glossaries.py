"""Glossaries, checked, stored as TSV and compiled into terms."""

import csv
import functools
import re
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Self

from msgspec import Struct

from .catalogue import languages
from .database import Connection, Database, now, stamp
from .problems import Problem, bad_request, check_id, not_found
from .translation.terms import Terms

MAX_GLOSSARIES = 1000
MAX_NAME_BYTES = 1024
MAX_TERM_BYTES = 1024
MAX_GLOSSARY_BYTES = 10 * 2**20
# Neither terms of glossaries nor spoken terms may have them.
FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")

Pair = tuple[str, str]
Entries = Mapping[str, str]


class Dictionary(Struct, frozen=True):
    """A dictionary without its entries: one language pair of a glossary."""

    source_lang: str
    target_lang: str
    entry_count: int


class Glossary(Struct, frozen=True):
    """A glossary without its entries."""

    glossary_id: str
    name: str
    dictionaries: tuple[Dictionary, ...]
    creation_time: str


class Glossaries:
    """The glossaries of an account; a new one is ready after *delay* seconds."""

    def __init__(self, database: Database, *, clock: Callable[[], datetime] = now, delay: float = 0.0) -> None:
        self._database = database
        self._clock = clock
        self._delay = timedelta(seconds=delay)

    def create(self, name: str, dictionaries: Mapping[Pair, Entries]) -> Glossary:
        """Store a glossary, or raise and store nothing."""
        check_name(name)
        glossary_id = str(uuid.uuid4())
        with self._database.write() as connection:
            if connection.count("glossaries") >= MAX_GLOSSARIES:
                raise Problem(456, f"The account holds the most glossaries it may have, {MAX_GLOSSARIES}.")
            connection.add("glossaries", glossary_id=glossary_id, name=name, creation_time=stamp(self._clock()))
            for pair, entries in dictionaries.items():
                store(connection, glossary_id, pair, entries)
            return glossary_of(connection, glossary_id)

    def all(self) -> list[Glossary]:
        """Every glossary, in the order of creation."""
        with self._database.read() as connection:
            return [glossary_of(connection, row["glossary_id"]) for row in connection.rows("glossaries")]

    def get(self, glossary_id: str) -> Glossary:
        """One glossary; 400 if it is not an id, 404 for an unknown one."""
        with self._database.read() as connection:
            return glossary_of(connection, glossary_id)

    def entries(self, glossary_id: str) -> dict[Pair, str]:
        """The TSV text of every dictionary."""
        with self._database.read() as connection:
            rows = connection.rows("dictionaries", glossary_id=glossary_of(connection, glossary_id).glossary_id)
            return {(row["source_lang"], row["target_lang"]): row["entries"] for row in rows}

    def delete(self, glossary_id: str, *, legacy: bool = False) -> None:
        """Take a glossary away with all its dictionaries; a *legacy* caller not one that was edited."""
        with self._database.write() as connection:
            glossary_id = glossary_of(connection, glossary_id).glossary_id
            if legacy and connection.count("glossaries", glossary_id=glossary_id, edited=1):
                raise bad_request("This glossary was edited by a v3 operation; delete it with DELETE /v3/glossaries.")
            connection.remove("glossaries", glossary_id=glossary_id)

    def is_ready(self, glossary: Glossary) -> bool:
        """Whether translations can use it already."""
        return self._clock() >= datetime.fromisoformat(glossary.creation_time) + self._delay

    def terms(self, glossary_ids: Iterable[str], source: str, target: str) -> tuple[Terms, ...]:
        """The terms of one pair, compiled, of each glossary; 400 where one is not ready or lacks the pair."""
        pair = (languages.base(source), languages.base(target))
        revisions = []
        with self._database.read() as connection:
            for glossary_id in glossary_ids:
                found = glossary_of(connection, glossary_id)
                if not self.is_ready(found):
                    raise bad_request(f"Glossary {found.glossary_id} is not ready yet.")
                row = dictionary_of(connection, found.glossary_id, pair)
                if row is None:
                    raise bad_request(
                        "Unsupported glossary source and target language pair",
                        detail=f"Glossary {found.glossary_id} has no dictionary for {pair[0]} to {pair[1]}.",
                    )
                revisions.append(_Revision(row["revision"], row["entries"]))
        return tuple(_compiled(revision, *pair) for revision in revisions)


class _Revision(str):
    """A dictionary's revision that brings its text along: equal by revision alone."""

    text: str

    def __new__(cls, revision: str, text: str) -> Self:
        made = super().__new__(cls, revision)
        made.text = text
        return made


@functools.lru_cache(maxsize=32)
def _compiled(revision: _Revision, source: str, target: str) -> Terms:
    return Terms(from_tsv(revision.text), source, target)


def parse(text: str, *, entries_format: str, source_lang: str, target_lang: str) -> dict[str, str]:
    """The entries of one pair in their order, or 400 (413 when *text* is too large) with the reason."""
    refuse_size(len(text.encode()))
    rows = _rows(text, entries_format, (source_lang, target_lang))
    entries: dict[str, str] = {}
    first: dict[str, tuple[int, int]] = {}
    for index, (position, source, target) in enumerate(rows):
        place = f"Key with the index {index} (starting at position {position})"
        _check(source, place, "source")
        _check(target, place, "target")
        if source in entries:
            earlier, at = first[source]
            raise _invalid(f"{place} duplicates key with the index {earlier} (starting at position {at})")
        entries[source] = target
        first[source] = (index, position)
    if not entries:
        raise _invalid("There are no entries")
    return entries


def to_tsv(entries: Entries) -> str:
    """One `source<TAB>target` a line."""
    return "\n".join(f"{source}\t{target}" for source, target in entries.items())


def from_tsv(text: str) -> dict[str, str]:
    """The entries of a text that `to_tsv` wrote."""
    return dict(line.split("\t") for line in text.split("\n"))


def refuse_size(size: int) -> None:
    """Raise 413 when a glossary would be larger than the contract allows."""
    if size > MAX_GLOSSARY_BYTES:
        raise Problem(413, detail=f"A glossary holds at most {MAX_GLOSSARY_BYTES} bytes.")


def _rows(text: str, entries_format: str, pair: Pair) -> Iterator[tuple[int, str, str]]:
    """The position of each line and its two terms; of CSV, which may name languages, only lines for *pair*."""
    is_tsv = entries_format == "tsv"
    index = position = 0
    for line in text.split("\n"):
        if bare := line.removesuffix("\r"):
            place = f"Key with the index {index} (starting at position {position})"
            try:
                fields = bare.split("\t") if is_tsv else next(csv.reader([bare], strict=True))
            except (csv.Error, StopIteration):
                raise _invalid(f"{place} is not valid CSV: quotes are not closed or not doubled") from None
            if len(fields) < 2:
                raise _invalid(f"{place} misses {'tab' if is_tsv else 'comma'} separator")
            if len(fields) > (2 if is_tsv else 4):
                raise _invalid(f"{place} has more than {'one tab separator' if is_tsv else 'four columns'}")
            columns = map(languages.glossary_code, fields[2:])
            if all(column == wanted for column, wanted in zip(columns, pair, strict=False)):
                yield position, fields[0], fields[1]
            index += 1
        position += len(line) + 1


def _check(term: str, place: str, side: str) -> None:
    if not term:
        raise _invalid(f"{place} has an empty {side}")
    if FORBIDDEN.search(term):
        raise _invalid(f"{place} has a control character or line break in its {side}")
    if term != term.strip():
        raise _invalid(f"{place} has leading or trailing whitespace in its {side}")
    if len(term) * 4 > MAX_TERM_BYTES and len(term.encode()) > MAX_TERM_BYTES:
        raise _invalid(f"{place} has a {side} of more than {MAX_TERM_BYTES} bytes")


def _invalid(detail: str) -> Problem:
    return bad_request("Invalid glossary entries provided", detail=detail)


def check_name(name: str) -> None:
    """Raise 400 for a name the contract does not allow."""
    if not name.strip():
        raise bad_request("Missing or invalid argument: name")
    if len(name.encode()) > MAX_NAME_BYTES:
        raise bad_request("Missing or invalid argument: name", detail=f"A name has at most {MAX_NAME_BYTES} bytes.")


def pair_of(source_lang: str, target_lang: str) -> Pair:
    """A language pair as glossaries have it: lower case, no variant; 400 where there is no such pair."""
    source, target = code_of(source_lang), code_of(target_lang)
    if source == target:
        raise bad_request("Unsupported glossary source and target language pair")
    return source, target


def code_of(code: str) -> str:
    """A language as glossaries have it, or 400."""
    known = languages.glossary_code(code)
    if known is None:
        raise bad_request("Unsupported glossary source and target language pair", detail=f"No language '{code}'.")
    return known


def glossary_of(connection: Connection, glossary_id: str) -> Glossary:
    """One glossary, or 404."""
    check_id("glossary_id", glossary_id)
    row = connection.find("glossaries", glossary_id=glossary_id.lower())
    if row is None:
        raise not_found("Glossary not found.")
    columns = "source_lang, target_lang, entry_count"  # and not the entries, which may be long
    pairs = connection.rows("dictionaries", columns, glossary_id=row["glossary_id"])
    dictionaries = tuple(Dictionary(*pair) for pair in pairs)
    return Glossary(row["glossary_id"], row["name"], dictionaries, row["creation_time"])


def dictionary_of(connection: Connection, glossary_id: str, pair: Pair) -> sqlite3.Row | None:
    """The dictionary of one pair, if there is one."""
    return connection.find("dictionaries", glossary_id=glossary_id, source_lang=pair[0], target_lang=pair[1])


def store(connection: Connection, glossary_id: str, pair: Pair, entries: Entries, *, edited: int = 0) -> None:
    """Store a dictionary, or 413 where its glossary becomes too large."""
    text, key = to_tsv(entries), {"glossary_id": glossary_id, "source_lang": pair[0], "target_lang": pair[1]}
    counts = {"entry_count": len(entries), "size": len(text.encode())}
    connection.put("dictionaries", **key, revision=uuid.uuid4().hex, entries=text, **counts)
    refuse_size(sum(row["size"] for row in connection.rows("dictionaries", "size", glossary_id=glossary_id)))
    if edited:
        connection.change("glossaries", {"glossary_id": glossary_id}, edited=1)
