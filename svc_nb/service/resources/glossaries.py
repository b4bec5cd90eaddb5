"""What is asked of glossaries: v3 shows all language pairs of one, v2 the first."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, structs

from ..answers import TSV, PlainText
from ..catalogue import languages
from ..glossaries import (
    Dictionary,
    Glossary,
    Pair,
    check_name,
    code_of,
    dictionary_of,
    from_tsv,
    glossary_of,
    pair_of,
    parse,
    store,
)
from ..operations import JSON_OR_FORM, MIB, Call, Nothing, Operations
from ..problems import Problem, bad_request, not_found

operations = Operations()
READ, WRITE = "glossaries:read", "glossaries:write"
ONE = "/v3/glossaries/{glossary_id}"
ONE_V2 = "/v2/glossaries/{glossary_id}"
# So many bytes of entries may take up to six times as many in JSON, where a character can be written \uXXXX.
BODY_LIMIT = 61 * MIB


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
        own_id = glossary_of(connection, call.path["glossary_id"]).glossary_id
        if name is not None:
            check_name(name)
            connection.change("glossaries", {"glossary_id": own_id}, name=name, edited=1)
        for pair, terms in dictionaries.items():  # a source that is there gets the new target
            row = dictionary_of(connection, own_id, pair)
            known = {} if row is None else from_tsv(row["entries"])
            store(connection, own_id, pair, {**known, **terms}, edited=1)
        return glossary_of(connection, own_id)


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
        store(connection, glossary_of(connection, call.path["glossary_id"]).glossary_id, pair, terms, edited=1)
    return Dictionary(*pair, len(terms))


@operations.add("DELETE", ONE + "/dictionaries", scope=WRITE, status=204)
def delete_dictionary(call: Call[Nothing, LanguagePair]) -> None:
    """Delete the dictionary of one pair."""
    pair = pair_of(call.query.source_lang, call.query.target_lang)
    with call.state.database.write() as connection:
        own_id = glossary_of(connection, call.path["glossary_id"]).glossary_id
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
