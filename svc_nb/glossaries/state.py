"""A glossary on the service as it is at one time: its name and all its dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from svc_nb.errors import BadRequest, NotFound, QuotaExceeded, TooManyRequests
from svc_nb.glossaries.dictionaries import from_dictionaries
from svc_nb.glossaries.diff import diff
from svc_nb.glossaries.languages import code_of
from svc_nb.glossaries.table import Pair
from svc_nb.sync.kinds import GLOSSARY
from svc_nb.wire.client import Client
from svc_nb.wire.models import Dictionary


@dataclass(frozen=True)
class State:
    """All of a glossary but its id."""

    name: str
    dictionaries: Mapping[Pair, Dictionary]

    @classmethod
    def of(cls, name: str, dictionaries: Iterable[Dictionary]) -> State:
        """The state with these dictionaries; of two for one pair the later one counts."""
        return cls(name, {meant(each.source_lang, each.target_lang): each for each in dictionaries})

    @cached_property
    def table(self) -> pd.DataFrame:
        """The terms as a tidy table."""
        return from_dictionaries(self.dictionaries.values())

    @cached_property
    def sizes(self) -> dict[Pair, int]:
        """The bytes of each dictionary as they are sent."""
        return {pair: len(each.entries.encode()) for pair, each in self.dictionaries.items()}

    @cached_property
    def counts(self) -> dict[Pair, int]:
        """How many terms each dictionary has."""
        sizes = self.table.groupby(["source_lang", "target_lang"], sort=False).size()
        found = {meant(*pair): int(size) for pair, size in sizes.items()}  # type: ignore[misc]
        return {pair: found.get(pair, 0) for pair in self.dictionaries}


NOTHING = State("", {})


def meant(source_lang: str, target_lang: str) -> Pair:
    """A pair as it is meant, without regions."""
    return code_of(source_lang) or source_lang.upper(), code_of(target_lang) or target_lang.upper()


def differing(one: State, other: State) -> set[Pair]:
    """The pairs whose terms differ, in whatever order they stand."""
    only_one = set(one.dictionaries) ^ set(other.dictionaries)
    return only_one | set(diff(one.table, other.table).counts())


def read(client: Client, glossary_id: str) -> tuple[str, State]:
    """The id as the service writes it and the state now of a glossary, which may also be given by its name."""
    glossary = None
    with suppress(NotFound, BadRequest):  # what does not look like an id is a bad request
        glossary = client.glossaries.get(glossary_id)
    if glossary is None:
        glossary_id = GLOSSARY.id_of(glossary_id, client)
        glossary = client.glossaries.get(glossary_id)
    try:
        found = client.glossaries.entries(glossary_id)
    except BadRequest:  # some services of this family give one pair at a time
        found = [
            each
            for pair in glossary.dictionaries
            for each in client.glossaries.entries(
                glossary_id, source_lang=pair.source_lang, target_lang=pair.target_lang
            )
        ]
    return glossary.glossary_id, State.of(glossary.name, found)


@contextmanager
def explained() -> Iterator[None]:
    """On glossaries 456 does not speak of characters: say what it means."""
    try:
        yield
    except QuotaExceeded as error:
        problem = TooManyRequests(
            f"There were too many glossary requests of late, and the service takes no more for now ({error.message}). "
            "Run the same again later: only what is left is done",
            status=error.status,
            trace_id=error.trace_id,
            retry_after=error.retry_after,
        )
        for note in getattr(error, "__notes__", []):
            problem.add_note(note)
        raise problem from error
