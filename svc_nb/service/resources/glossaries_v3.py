"""The v3 glossary operations: many language pairs in one glossary, editable."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ..entries import parse
from ..glossaries import Glossary, Pair, code_of, pair_of
from ..operations import MIB, Call, Nothing, Operations
from ..problems import bad_request
from ..wire import FORM, JSON

operations = Operations()
READ, WRITE = "glossaries:read", "glossaries:write"

# 10 MiB of entries may take up to six times as many bytes in JSON, where a character can be written \uXXXX.
BODY_LIMIT = 61 * MIB


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


class PairQuery(Struct):
    """One pair, both languages given."""

    source_lang: str
    target_lang: str


class EntriesQuery(Struct):
    """Which dictionaries to show; a language left out stands for any."""

    source_lang: str | None = None
    target_lang: str | None = None


class DictionaryAnswer(Struct):
    """A dictionary without its entries."""

    source_lang: str
    target_lang: str
    entry_count: int


class GlossaryAnswer(Struct):
    """A v3 glossary."""

    glossary_id: str
    name: str
    dictionaries: list[DictionaryAnswer]
    creation_time: str


class GlossariesAnswer(Struct):
    """All glossaries."""

    glossaries: list[GlossaryAnswer]


class EntriesDictionary(Struct):
    """A dictionary with its entries."""

    source_lang: str
    target_lang: str
    entries: str
    entries_format: str = "tsv"


class EntriesAnswer(Struct):
    """The dictionaries asked for."""

    dictionaries: list[EntriesDictionary]


@operations.add(
    "POST",
    "/v3/glossaries",
    scope=WRITE,
    body=GlossaryBody,
    answer=GlossaryAnswer,
    media=(JSON, FORM),
    limit=BODY_LIMIT,
    status=201,
)
def create(call: Call[GlossaryBody, Nothing]) -> GlossaryAnswer:
    """Create a glossary with its dictionaries."""
    shelf = call.state.glossaries
    made = shelf.create(call.body.name, _parsed(call.body.dictionaries))
    return _answer(made)


@operations.add("GET", "/v3/glossaries", scope=READ, answer=GlossariesAnswer)
def index(call: Call[Nothing, Nothing]) -> GlossariesAnswer:
    """List all glossaries, without entries."""
    return GlossariesAnswer([_answer(each) for each in call.state.glossaries.all()])


@operations.add("GET", "/v3/glossaries/{glossary_id}", scope=READ, answer=GlossaryAnswer)
def show(call: Call[Nothing, Nothing]) -> GlossaryAnswer:
    """Show one glossary, without entries."""
    return _answer(call.state.glossaries.get(call.path["glossary_id"]))


@operations.add(
    "PATCH",
    "/v3/glossaries/{glossary_id}",
    scope=WRITE,
    body=EditBody,
    answer=GlossaryAnswer,
    media=(JSON, FORM),
    limit=BODY_LIMIT,
)
def edit(call: Call[EditBody, Nothing]) -> GlossaryAnswer:
    """Rename a glossary, or merge entries into one of its dictionaries."""
    shelf = call.state.glossaries
    return _answer(shelf.edit(call.path["glossary_id"], call.body.name, _parsed(call.body.dictionaries)))


@operations.add("DELETE", "/v3/glossaries/{glossary_id}", scope=WRITE, status=204)
def delete(call: Call[Nothing, Nothing]) -> None:
    """Delete a glossary with all its dictionaries."""
    call.state.glossaries.delete(call.path["glossary_id"])


@operations.add(
    "GET", "/v3/glossaries/{glossary_id}/entries", scope=READ, query=EntriesQuery, answer=EntriesAnswer
)
def entries(call: Call[Nothing, EntriesQuery]) -> EntriesAnswer:
    """Show the entries of some or all dictionaries, as TSV."""
    dictionaries = call.state.glossaries.entries(call.path["glossary_id"])
    wanted = [code and code_of(code) for code in (call.query.source_lang, call.query.target_lang)]
    shown = [EntriesDictionary(*pair, text) for pair, text in dictionaries.items() if _matches(pair, wanted)]
    return EntriesAnswer(shown)


@operations.add(
    "PUT",
    "/v3/glossaries/{glossary_id}/dictionaries",
    scope=WRITE,
    body=DictionaryBody,
    answer=DictionaryAnswer,
    media=(JSON, FORM),
    limit=BODY_LIMIT,
)
def replace(call: Call[DictionaryBody, Nothing]) -> DictionaryAnswer:
    """Create or replace the dictionary of one pair."""
    ((pair, terms),) = _parsed([call.body]).items()
    info = call.state.glossaries.replace(call.path["glossary_id"], pair, terms)
    return DictionaryAnswer(info.source_lang, info.target_lang, info.entry_count)


@operations.add(
    "DELETE", "/v3/glossaries/{glossary_id}/dictionaries", scope=WRITE, query=PairQuery, status=204
)
def delete_dictionary(call: Call[Nothing, PairQuery]) -> None:
    """Delete the dictionary of one pair."""
    pair = pair_of(call.query.source_lang, call.query.target_lang)
    call.state.glossaries.delete_dictionary(call.path["glossary_id"], pair)


def _parsed(dictionaries: list[DictionaryBody]) -> dict[Pair, dict[str, str]]:
    parsed: dict[Pair, dict[str, str]] = {}
    for each in dictionaries:
        pair = pair_of(each.source_lang, each.target_lang)
        if pair in parsed:
            raise bad_request(f"The language pair {pair[0]} to {pair[1]} is given twice.")
        parsed[pair] = parse(
            each.entries, entries_format=each.entries_format, source_lang=pair[0], target_lang=pair[1]
        )
    return parsed


def _matches(pair: Pair, wanted: list[str | None]) -> bool:
    return all(want is None or want == have for have, want in zip(pair, wanted, strict=True))


def _answer(glossary: Glossary) -> GlossaryAnswer:
    dictionaries = [
        DictionaryAnswer(d.source_lang, d.target_lang, d.entry_count) for d in glossary.dictionaries
    ]
    return GlossaryAnswer(glossary.glossary_id, glossary.name, dictionaries, glossary.creation_time)
