"""Glossaries, checked, stored as TSV and compiled into terms: v3 shows all language pairs of one, v2 the first."""

import csv
import functools
import re
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Self

from msgspec import Meta, Struct, structs

from ..answers import TSV, PlainText
from ..catalogue import languages
from ..database import Connection, Database, now, stamp
from ..operations import JSON_OR_FORM, MIB, Call, Nothing, Operations
from ..problems import Problem, bad_request, check_id, not_found
from ..translation.terms import Terms

operations = Operations()
READ, WRITE = "glossaries:read", "glossaries:write"
ONE = "/v3/glossaries/{glossary_id}"
ONE_V2 = "/v2/glossaries/{glossary_id}"
MAX_GLOSSARIES = 1000
MAX_NAME_BYTES = 1024
MAX_TERM_BYTES = 1024
MAX_GLOSSARY_BYTES = 10 * MIB
# So many bytes of entries may take up to six times as many in JSON, where a character can be written \uXXXX.
BODY_LIMIT = 61 * MIB
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
                _store(connection, glossary_id, pair, entries)
            return _glossary(connection, glossary_id)

    def all(self) -> list[Glossary]:
        """Every glossary, in the order of creation."""
        with self._database.read() as connection:
            return [_glossary(connection, row["glossary_id"]) for row in connection.rows("glossaries")]

    def get(self, glossary_id: str) -> Glossary:
        """One glossary; 400 for what is no id, 404 for an unknown one."""
        with self._database.read() as connection:
            return _glossary(connection, glossary_id)

    def entries(self, glossary_id: str) -> dict[Pair, str]:
        """The TSV text of every dictionary."""
        with self._database.read() as connection:
            rows = connection.rows("dictionaries", glossary_id=_glossary(connection, glossary_id).glossary_id)
            return {(row["source_lang"], row["target_lang"]): row["entries"] for row in rows}

    def delete(self, glossary_id: str, *, legacy: bool = False) -> None:
        """Take a glossary away with all its dictionaries; a *legacy* caller not one that was edited."""
        with self._database.write() as connection:
            glossary_id = _glossary(connection, glossary_id).glossary_id
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
                found = _glossary(connection, glossary_id)
                if not self.is_ready(found):
                    raise bad_request(f"Glossary {found.glossary_id} is not ready yet.")
                row = _dictionary(connection, found.glossary_id, pair)
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


def _glossary(connection: Connection, glossary_id: str) -> Glossary:
    check_id("glossary_id", glossary_id)
    row = connection.find("glossaries", glossary_id=glossary_id.lower())
    if row is None:
        raise not_found("Glossary not found.")
    columns = "source_lang, target_lang, entry_count"  # and not the entries, which may be long
    pairs = connection.rows("dictionaries", columns, glossary_id=row["glossary_id"])
    dictionaries = tuple(Dictionary(*pair) for pair in pairs)
    return Glossary(row["glossary_id"], row["name"], dictionaries, row["creation_time"])


def _dictionary(connection: Connection, glossary_id: str, pair: Pair) -> sqlite3.Row | None:
    return connection.find("dictionaries", glossary_id=glossary_id, source_lang=pair[0], target_lang=pair[1])


def _store(connection: Connection, glossary_id: str, pair: Pair, entries: Entries, *, edited: int = 0) -> None:
    """Store a dictionary, or 413 where its glossary becomes too large."""
    text, key = to_tsv(entries), {"glossary_id": glossary_id, "source_lang": pair[0], "target_lang": pair[1]}
    counts = {"entry_count": len(entries), "size": len(text.encode())}
    connection.put("dictionaries", **key, revision=uuid.uuid4().hex, entries=text, **counts)
    refuse_size(sum(row["size"] for row in connection.rows("dictionaries", "size", glossary_id=glossary_id)))
    if edited:
        connection.change("glossaries", {"glossary_id": glossary_id}, edited=1)


# ---- v3


class DictionaryBody(Struct):
    """A dictionary as it is sent."""

    source_lang: str
    target_lang: str
    entries: str
    entries_format: Literal["tsv", "csv"] = "tsv"


class GlossaryBody(Struct):
    """A new glossary."""

    name: str
    dictionaries: Annotated[list[DictionaryBody], Meta(min_length=1)]


class EditBody(Struct):
    """A change: a new name, entries to merge, or both."""

    name: str | None = None
    dictionaries: Annotated[list[DictionaryBody], Meta(max_length=1)] = []


class LanguagePair(Struct):
    """A pair a glossary can have."""

    source_lang: str
    target_lang: str


class EntriesQuery(Struct):
    """Which dictionaries to show; a language left out stands for any."""

    source_lang: str | None = None
    target_lang: str | None = None


class GlossariesAnswer(Struct):
    """All glossaries."""

    glossaries: list[Glossary]


class EntriesDictionary(Struct):
    """A dictionary with its entries."""

    source_lang: str
    target_lang: str
    entries: str
    entries_format: str = "tsv"


class EntriesAnswer(Struct):
    """The dictionaries asked for."""

    dictionaries: list[EntriesDictionary]


@operations.add("POST", "/v3/glossaries", scope=WRITE, media=JSON_OR_FORM, limit=BODY_LIMIT, status=201)
def create(call: Call[GlossaryBody, Nothing]) -> Glossary:
    """Create a glossary with its dictionaries."""
    return call.state.glossaries.create(call.body.name, _parsed(call.body.dictionaries))


@operations.add("GET", "/v3/glossaries", scope=READ)
def index(call: Call[Nothing, Nothing]) -> GlossariesAnswer:
    """List all glossaries, without entries."""
    return GlossariesAnswer(call.state.glossaries.all())


@operations.add("GET", ONE, scope=READ)
def show(call: Call[Nothing, Nothing]) -> Glossary:
    """Show one glossary, without entries."""
    return call.state.glossaries.get(call.path["glossary_id"])


@operations.add("PATCH", ONE, scope=WRITE, media=JSON_OR_FORM, limit=BODY_LIMIT)
def edit(call: Call[EditBody, Nothing]) -> Glossary:
    """Rename a glossary, or merge entries into one of its dictionaries."""
    name, dictionaries = call.body.name, _parsed(call.body.dictionaries)
    with call.state.database.write() as connection:
        own_id = _glossary(connection, call.path["glossary_id"]).glossary_id
        if name is not None:
            check_name(name)
            connection.change("glossaries", {"glossary_id": own_id}, name=name, edited=1)
        for pair, terms in dictionaries.items():  # a source that is there gets the new target
            row = _dictionary(connection, own_id, pair)
            known = {} if row is None else from_tsv(row["entries"])
            _store(connection, own_id, pair, {**known, **terms}, edited=1)
        return _glossary(connection, own_id)


@operations.add("DELETE", ONE, scope=WRITE, status=204)
def delete(call: Call[Nothing, Nothing]) -> None:
    """Delete a glossary with all its dictionaries."""
    call.state.glossaries.delete(call.path["glossary_id"])


@operations.add("GET", ONE + "/entries", scope=READ)
def entries(call: Call[Nothing, EntriesQuery]) -> EntriesAnswer:
    """Show the entries of some or all dictionaries, as TSV."""
    dictionaries = call.state.glossaries.entries(call.path["glossary_id"])
    source, target = (code and code_of(code) for code in (call.query.source_lang, call.query.target_lang))
    return EntriesAnswer(
        [
            EntriesDictionary(*pair, text)
            for pair, text in dictionaries.items()
            if source in (None, pair[0]) and target in (None, pair[1])
        ]
    )


@operations.add("PUT", ONE + "/dictionaries", scope=WRITE, media=JSON_OR_FORM, limit=BODY_LIMIT)
def replace(call: Call[DictionaryBody, Nothing]) -> Dictionary:
    """Create or replace the dictionary of one pair."""
    ((pair, terms),) = _parsed([call.body]).items()
    with call.state.database.write() as connection:
        _store(connection, _glossary(connection, call.path["glossary_id"]).glossary_id, pair, terms, edited=1)
    return Dictionary(*pair, len(terms))


@operations.add("DELETE", ONE + "/dictionaries", scope=WRITE, status=204)
def delete_dictionary(call: Call[Nothing, LanguagePair]) -> None:
    """Delete the dictionary of one pair."""
    pair = pair_of(call.query.source_lang, call.query.target_lang)
    with call.state.database.write() as connection:
        own_id = _glossary(connection, call.path["glossary_id"]).glossary_id
        if not connection.remove("dictionaries", glossary_id=own_id, source_lang=pair[0], target_lang=pair[1]):
            raise not_found("The glossary has no dictionary for this language pair.")
        connection.change("glossaries", {"glossary_id": own_id}, edited=1)


def _parsed(dictionaries: Iterable[DictionaryBody]) -> dict[Pair, dict[str, str]]:
    parsed: dict[Pair, dict[str, str]] = {}
    for each in dictionaries:
        pair = pair_of(each.source_lang, each.target_lang)
        if pair in parsed:
            raise bad_request(f"The language pair {pair[0]} to {pair[1]} is given twice.")
        parsed[pair] = parse(each.entries, entries_format=each.entries_format, source_lang=pair[0], target_lang=pair[1])
    return parsed


# ---- v2


class PairGlossaryBody(DictionaryBody, kw_only=True):
    """A new glossary of one pair."""

    name: str


class PairGlossary(Struct):
    """A v2 glossary."""

    glossary_id: str
    ready: bool
    name: str
    source_lang: str
    target_lang: str
    creation_time: str
    entry_count: int


class PairGlossaries(Struct):
    """All glossaries that have a pair to show."""

    glossaries: list[PairGlossary]


class LanguagePairs(Struct):
    """All such pairs."""

    supported_languages: list[LanguagePair]


@operations.add("POST", "/v2/glossaries", scope=WRITE, media=JSON_OR_FORM, limit=BODY_LIMIT, status=201)
def create_v2(call: Call[PairGlossaryBody, Nothing]) -> PairGlossary:
    """Create a glossary of one language pair."""
    return _first_pair(call, call.state.glossaries.create(call.body.name, _parsed([call.body])))


@operations.add("GET", "/v2/glossaries", scope=READ)
def index_v2(call: Call[Nothing, Nothing]) -> PairGlossaries:
    """List all glossaries; one of several pairs is shown by its first."""
    shown = [each for each in call.state.glossaries.all() if each.dictionaries]
    return PairGlossaries([_first_pair(call, each) for each in shown])


@operations.add("GET", ONE_V2, scope=READ)
def show_v2(call: Call[Nothing, Nothing]) -> PairGlossary:
    """Show one glossary, without entries."""
    return _first_pair(call, call.state.glossaries.get(call.path["glossary_id"]))


@operations.add("DELETE", ONE_V2, scope=WRITE, status=204)
def delete_v2(call: Call[Nothing, Nothing]) -> None:
    """Delete a glossary that no v3 operation has edited."""
    call.state.glossaries.delete(call.path["glossary_id"], legacy=True)


@operations.add("GET", ONE_V2 + "/entries", scope=READ)
def entries_v2(call: Call[Nothing, Nothing]) -> PlainText:
    """Show the entries of the first pair, as TSV."""
    accepted = {part.partition(";")[0].strip() for part in call.headers.get("accept", "*/*").split(",")}
    if not accepted & {TSV, "text/*", "*/*"}:
        raise Problem(415, f"The entries are given as {TSV} only.", code="invalid_content_type")
    dictionaries = call.state.glossaries.entries(call.path["glossary_id"])
    if not dictionaries:
        raise not_found("The glossary has no dictionary.")
    return PlainText(next(iter(dictionaries.values())), TSV)


@operations.add("GET", "/v2/glossary-language-pairs", scope=READ)
def language_pairs(call: Call[Nothing, Nothing]) -> LanguagePairs:
    """List the pairs a glossary can have (deprecated: GET /v3/languages?resource=glossary)."""
    codes = sorted(languages.GLOSSARY)
    return LanguagePairs([LanguagePair(a, b) for a in codes for b in codes if a != b])


def _first_pair(call: Call[Any, Nothing], glossary: Glossary) -> PairGlossary:
    if not glossary.dictionaries:
        raise not_found("The glossary has no dictionary.")
    first = glossary.dictionaries[0]
    return PairGlossary(
        glossary_id=glossary.glossary_id,
        ready=call.state.glossaries.is_ready(glossary),
        name=glossary.name,
        creation_time=glossary.creation_time,
        **structs.asdict(first),
    )
