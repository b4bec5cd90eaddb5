"""The glossaries of the account: one memory that the v2 and the v3 operations both show.

A dictionary's text is kept as TSV with a revision, so that compiled terms can be kept until it changes.
"""

from __future__ import annotations

import functools
import re
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from .catalogue import languages
from .clock import now, stamp
from .database import Database
from .entries import from_tsv, refuse_size, to_tsv
from .problems import Problem, bad_request, not_found
from .translation.terms import Terms

MAX_GLOSSARIES = 1000
MAX_NAME_BYTES = 1024
UUID_FORM = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class DictionaryInfo:
    """One language pair of a glossary."""

    source_lang: str
    target_lang: str
    entry_count: int


@dataclass(frozen=True, slots=True)
class Glossary:
    """A glossary without its entries; *edited* tells that a v3 operation changed it."""

    glossary_id: str
    name: str
    creation_time: str
    edited: bool
    dictionaries: tuple[DictionaryInfo, ...]


class Glossaries:
    """The shelf of glossaries; a new one is ready after *delay* seconds."""

    def __init__(
        self, database: Database, *, clock: Callable[[], datetime] = now, delay: float = 0.0
    ) -> None:
        self._database = database
        self._clock = clock
        self._delay = timedelta(seconds=delay)

    def create(self, name: str, dictionaries: Mapping[Pair, Mapping[str, str]]) -> Glossary:
        """Put a glossary on the shelf, or raise and leave it as it was."""
        check_name(name)
        glossary_id = str(uuid.uuid4())
        with self._database.write() as connection:
            count = connection.execute("SELECT COUNT(*) FROM glossaries").fetchone()[0]
            if count >= MAX_GLOSSARIES:
                raise Problem(456, f"The account holds the most glossaries it may have, {MAX_GLOSSARIES}.")
            connection.execute(
                "INSERT INTO glossaries (glossary_id, name, creation_time) VALUES (?, ?, ?)",
                (glossary_id, name, stamp(self._clock())),
            )
            for pair, entries in dictionaries.items():
                _keep(connection, glossary_id, pair, entries)
            _refuse_growth(connection, glossary_id)
            return _glossary(connection, glossary_id)

    def all(self) -> list[Glossary]:
        """Every glossary, in the order of creation."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT glossary_id FROM glossaries ORDER BY rowid").fetchall()
            return [_glossary(connection, row["glossary_id"]) for row in rows]

    def get(self, glossary_id: str) -> Glossary:
        """One glossary; 400 for what is no id, 404 for an unknown one."""
        with self._database.read() as connection:
            return _glossary(connection, glossary_id)

    def entries(self, glossary_id: str) -> dict[Pair, str]:
        """The TSV text of every dictionary."""
        with self._database.read() as connection:
            glossary_id = _glossary(connection, glossary_id).glossary_id
            rows = connection.execute(
                "SELECT * FROM dictionaries WHERE glossary_id = ? ORDER BY rowid", (glossary_id,)
            )
            return {(row["source_lang"], row["target_lang"]): row["entries"] for row in rows}

    def edit(
        self, glossary_id: str, name: str | None, dictionaries: Mapping[Pair, Mapping[str, str]]
    ) -> Glossary:
        """Rename, and merge entries into the dictionaries: a source that is there gets the new target."""
        with self._database.write() as connection:
            glossary_id = _glossary(connection, glossary_id).glossary_id
            if name is not None:
                check_name(name)
                connection.execute(
                    "UPDATE glossaries SET name = ? WHERE glossary_id = ?", (name, glossary_id)
                )
            for pair, entries in dictionaries.items():
                _keep(connection, glossary_id, pair, {**_kept(connection, glossary_id, pair), **entries})
            if name is not None or dictionaries:
                _mark_edited(connection, glossary_id)
            return _glossary(connection, glossary_id)

    def replace(self, glossary_id: str, pair: Pair, entries: Mapping[str, str]) -> DictionaryInfo:
        """Make *entries* the whole dictionary of *pair*."""
        with self._database.write() as connection:
            glossary_id = _glossary(connection, glossary_id).glossary_id
            _keep(connection, glossary_id, pair, entries)
            _mark_edited(connection, glossary_id)
        return DictionaryInfo(*pair, len(entries))

    def delete(self, glossary_id: str, *, legacy: bool = False) -> None:
        """Take a glossary away with all its dictionaries; a *legacy* caller not one that was edited."""
        with self._database.write() as connection:
            found = _glossary(connection, glossary_id)
            if legacy and found.edited:
                raise bad_request(
                    "This glossary was edited by a v3 operation; delete it with DELETE /v3/glossaries."
                )
            glossary_id = found.glossary_id
            connection.execute("DELETE FROM glossaries WHERE glossary_id = ?", (glossary_id,))

    def delete_dictionary(self, glossary_id: str, pair: Pair) -> None:
        """Take one pair away, or 404."""
        with self._database.write() as connection:
            glossary_id = _glossary(connection, glossary_id).glossary_id
            gone = connection.execute(
                "DELETE FROM dictionaries WHERE glossary_id = ? AND source_lang = ? AND target_lang = ?",
                (glossary_id, *pair),
            )
            if not gone.rowcount:
                raise not_found("The glossary has no dictionary for this language pair.")
            _mark_edited(connection, glossary_id)

    def is_ready(self, glossary: Glossary) -> bool:
        """Whether translations can use it already."""
        return self._clock() >= datetime.fromisoformat(glossary.creation_time) + self._delay

    def terms(self, glossary_ids: Iterable[str], source: str, target: str) -> tuple[Terms, ...]:
        """The terms of one pair, compiled, of each glossary; 400 where one is not ready or lacks the pair."""
        pair = (languages.base(source), languages.base(target))
        with self._database.read() as connection:
            revisions = [self._revision(connection, glossary_id, pair) for glossary_id in glossary_ids]
        return tuple(_compiled(revision, *pair) for revision in revisions)

    def _revision(self, connection: sqlite3.Connection, glossary_id: str, pair: Pair) -> _Revision:
        found = _glossary(connection, glossary_id)
        if not self.is_ready(found):
            raise bad_request(f"Glossary {found.glossary_id} is not ready yet.")
        row = _dictionary(connection, found.glossary_id, pair)
        if row is None:
            raise bad_request(
                "Unsupported glossary source and target language pair",
                detail=f"Glossary {found.glossary_id} has no dictionary for {pair[0]} to {pair[1]}.",
            )
        return _Revision(row["revision"], row["entries"])


class _Revision(str):
    """A dictionary's revision that brings its text along: equal by revision alone."""

    text: str

    def __new__(cls, revision: str, text: str) -> _Revision:
        made = super().__new__(cls, revision)
        made.text = text
        return made


@functools.lru_cache(maxsize=32)
def _compiled(revision: _Revision, source: str, target: str) -> Terms:
    return Terms(from_tsv(revision.text), source, target)


def check_name(name: str) -> None:
    """Raise 400 for a name the contract does not allow."""
    if not name.strip():
        raise bad_request("Missing or invalid argument: name")
    if len(name.encode()) > MAX_NAME_BYTES:
        raise bad_request(
            "Missing or invalid argument: name", detail=f"A name has at most {MAX_NAME_BYTES} bytes."
        )


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
        raise bad_request(
            "Unsupported glossary source and target language pair", detail=f"No language '{code}'."
        )
    return known


def _glossary(connection: sqlite3.Connection, glossary_id: str) -> Glossary:
    if not UUID_FORM.fullmatch(glossary_id):
        raise bad_request("Value for 'glossary_id' not supported.", detail="An id is a UUID.")
    row = connection.execute(
        "SELECT * FROM glossaries WHERE glossary_id = ?", (glossary_id.lower(),)
    ).fetchone()
    if row is None:
        raise not_found("Glossary not found.")
    pairs = connection.execute(
        "SELECT source_lang, target_lang, entry_count FROM dictionaries WHERE glossary_id = ? ORDER BY rowid",
        (row["glossary_id"],),
    )
    infos = tuple(DictionaryInfo(*pair) for pair in pairs)
    return Glossary(row["glossary_id"], row["name"], row["creation_time"], bool(row["edited"]), infos)


def _dictionary(connection: sqlite3.Connection, glossary_id: str, pair: Pair) -> sqlite3.Row | None:
    row: sqlite3.Row | None = connection.execute(
        "SELECT revision, entries FROM dictionaries WHERE glossary_id = ? AND source_lang = ? AND target_lang = ?",
        (glossary_id, *pair),
    ).fetchone()
    return row


def _kept(connection: sqlite3.Connection, glossary_id: str, pair: Pair) -> dict[str, str]:
    row = _dictionary(connection, glossary_id, pair)
    return {} if row is None else from_tsv(row["entries"])


def _keep(connection: sqlite3.Connection, glossary_id: str, pair: Pair, entries: Mapping[str, str]) -> None:
    text = to_tsv(entries)
    connection.execute(
        "INSERT INTO dictionaries (glossary_id, source_lang, target_lang, revision, entries, entry_count, size) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET revision = excluded.revision, "
        "entries = excluded.entries, entry_count = excluded.entry_count, size = excluded.size",
        (glossary_id, *pair, uuid.uuid4().hex, text, len(entries), len(text.encode())),
    )


def _refuse_growth(connection: sqlite3.Connection, glossary_id: str) -> None:
    row = connection.execute(
        "SELECT SUM(size) FROM dictionaries WHERE glossary_id = ?", (glossary_id,)
    ).fetchone()
    refuse_size(row[0] or 0)


def _mark_edited(connection: sqlite3.Connection, glossary_id: str) -> None:
    _refuse_growth(connection, glossary_id)
    connection.execute("UPDATE glossaries SET edited = 1 WHERE glossary_id = ?", (glossary_id,))
