"""A collection of spoken terms on the service as it is at one time: its name and all its lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from svc_nb.errors import ApiError, BadRequest, NotFound, QuotaExceeded
from svc_nb.language_codes import as_bcp47
from svc_nb.spoken_terms.diff import differences
from svc_nb.spoken_terms.table import Lists, lang_of, table_of
from svc_nb.sync.kinds import SPOKEN_TERMS
from svc_nb.wire.client import Client
from svc_nb.wire.models import SpokenTerms, TermList


@dataclass(frozen=True)
class State:
    """All of a collection but its id."""

    name: str
    lists: Lists

    @classmethod
    def from_wire(cls, wire: Any) -> State:
        """Read it from a backup."""
        return cls(wire["name"], {lang_of(lang): tuple(terms) for lang, terms in wire["lists"].items()})

    def to_wire(self) -> dict[str, Any]:
        """Write it for a backup."""
        return {
            "name": self.name,
            "lists": {as_bcp47(lang): list(terms) for lang, terms in self.lists.items()},
        }

    @cached_property
    def table(self) -> pd.DataFrame:
        """The terms as a table."""
        return table_of(self.lists)

    def nouns(self) -> list[TermList]:
        """The lists as the service takes them."""
        return [TermList(as_bcp47(lang), "\n".join(terms)) for lang, terms in self.lists.items()]

    def differing(self, other: State) -> set[str]:
        """The languages whose terms differ, in whatever order they stand."""
        only_one = set(self.lists) ^ set(other.lists)
        return only_one | {lang for _, lang, _ in differences(self.lists, other.lists)}

    def is_same(self, other: State) -> bool:
        """Whether both have the same name and the same terms."""
        return self.name == other.name and not self.differing(other)


NOTHING = State("", {})


def found(client: Client, given: str) -> SpokenTerms:
    """A collection, by its id or its name; NotFound where there is none, ValueError where several have the name."""
    with suppress(NotFound, BadRequest):  # what does not look like an id is a bad request
        return client.spoken_terms.get(given)
    return client.spoken_terms.get(SPOKEN_TERMS.id_of(given, client))


def read(client: Client, given: str) -> tuple[str, State]:
    """The id as the service writes it, and the state now, of a collection, which may also be given by its name."""
    collection = found(client, given)
    lists = [
        client.spoken_terms.entries(collection.spoken_terms_id, each.lang) for each in collection.term_lists
    ]
    terms = {lang_of(each.lang): terms_of(each.entries) for each in lists}
    return collection.spoken_terms_id, State(collection.name, terms)


def terms_of(entries: str) -> tuple[str, ...]:
    """The terms in a list as the service gives it, one a line."""
    return tuple(filter(None, entries.replace("\r\n", "\n").split("\n")))


def named(known: Sequence[SpokenTerms], name: str | None) -> str | None:
    """The id of the one collection of that name; None where there is none."""
    if any(each.spoken_terms_id == name for each in known):
        raise ValueError(f"{name!r} is the id of a collection, not a name: pass it as spoken_terms_id=")
    return SPOKEN_TERMS.named(name, [(each.spoken_terms_id, each.name) for each in known])


def is_between(state: State, before: State, after: State) -> bool:
    """Whether a change from *before* to *after* that breaks off can leave *state*: each list is as in one of them."""
    return state.name in (before.name, after.name) and not (state.differing(before) & state.differing(after))


def is_like(collection: SpokenTerms, wanted: State) -> bool:
    """Whether a collection has the name, the languages and the numbers of terms of a state."""
    counts = {lang_of(each.lang): each.entry_count for each in collection.term_lists}
    return collection.name == wanted.name and counts == {
        lang: len(terms) for lang, terms in wanted.lists.items()
    }


@contextmanager
def explained() -> Iterator[None]:
    """On spoken terms 456 does not speak of characters: say what it means."""
    try:
        yield
    except QuotaExceeded as error:
        raise ApiError(
            f"The plan has room for no more collections of spoken terms ({error.message}). Delete one first, or change "
            "one that is there: push(table, spoken_terms_id=...)",
            status=error.status,
            trace_id=error.trace_id,
        ) from error
