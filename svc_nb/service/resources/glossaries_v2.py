"""The legacy v2 glossary operations: the same glossaries, seen as one language pair each."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from ..catalogue import languages
from ..entries import parse
from ..glossaries import Glossary, pair_of
from ..operations import Call, Nothing, Operations
from ..problems import Problem, not_found
from ..state import State
from ..wire import FORM, JSON, TSV, Plain
from .glossaries_v3 import BODY_LIMIT, READ, WRITE

operations = Operations()


class GlossaryBody(Struct):
    """A new glossary of one pair."""

    name: str
    source_lang: str
    target_lang: str
    entries: str
    entries_format: Literal["tsv", "csv"] = "tsv"


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


class LanguagePair(Struct):
    """A pair a glossary can have."""

    source_lang: str
    target_lang: str


class LanguagePairs(Struct):
    """All such pairs."""

    supported_languages: list[LanguagePair]


@operations.add(
    "POST",
    "/v2/glossaries",
    scope=WRITE,
    body=GlossaryBody,
    answer=PairGlossary,
    media=(JSON, FORM),
    limit=BODY_LIMIT,
    status=201,
)
def create(call: Call[GlossaryBody, Nothing]) -> PairGlossary:
    """Create a glossary of one language pair."""
    pair = pair_of(call.body.source_lang, call.body.target_lang)
    terms = parse(
        call.body.entries, entries_format=call.body.entries_format, source_lang=pair[0], target_lang=pair[1]
    )
    made = call.state.glossaries.create(call.body.name, {pair: terms})
    return _answer(call.state, made)


@operations.add("GET", "/v2/glossaries", scope=READ, answer=PairGlossaries)
def index(call: Call[Nothing, Nothing]) -> PairGlossaries:
    """List all glossaries; one of several pairs is shown by its first."""
    shown = [each for each in call.state.glossaries.all() if each.dictionaries]
    return PairGlossaries([_answer(call.state, each) for each in shown])


@operations.add("GET", "/v2/glossaries/{glossary_id}", scope=READ, answer=PairGlossary)
def show(call: Call[Nothing, Nothing]) -> PairGlossary:
    """Show one glossary, without entries."""
    return _answer(call.state, call.state.glossaries.get(call.path["glossary_id"]))


@operations.add("DELETE", "/v2/glossaries/{glossary_id}", scope=WRITE, status=204)
def delete(call: Call[Nothing, Nothing]) -> None:
    """Delete a glossary that no v3 operation has edited."""
    call.state.glossaries.delete(call.path["glossary_id"], legacy=True)


@operations.add("GET", "/v2/glossaries/{glossary_id}/entries", scope=READ, answer=Plain)
def entries(call: Call[Nothing, Nothing]) -> Plain:
    """Show the entries of the first pair, as TSV."""
    accepted = {part.partition(";")[0].strip() for part in call.headers.get("accept", "*/*").split(",")}
    if not accepted & {TSV, "text/*", "*/*"}:
        raise Problem(415, f"The entries are given as {TSV} only.", code="invalid_content_type")
    dictionaries = call.state.glossaries.entries(call.path["glossary_id"])
    if not dictionaries:
        raise not_found("The glossary has no dictionary.")
    return Plain(next(iter(dictionaries.values())), TSV)


@operations.add("GET", "/v2/glossary-language-pairs", scope=READ, answer=LanguagePairs)
def language_pairs(call: Call[Nothing, Nothing]) -> LanguagePairs:
    """List the pairs a glossary can have (deprecated: GET /v3/languages?resource=glossary)."""
    codes = sorted(languages.GLOSSARY)
    return LanguagePairs([LanguagePair(a, b) for a in codes for b in codes if a != b])


def _answer(state: State, glossary: Glossary) -> PairGlossary:
    if not glossary.dictionaries:
        raise not_found("The glossary has no dictionary.")
    first = glossary.dictionaries[0]
    return PairGlossary(
        glossary_id=glossary.glossary_id,
        ready=state.glossaries.is_ready(glossary),
        name=glossary.name,
        source_lang=first.source_lang,
        target_lang=first.target_lang,
        creation_time=glossary.creation_time,
        entry_count=first.entry_count,
    )
