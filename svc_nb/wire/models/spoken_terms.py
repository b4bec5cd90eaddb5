"""Spoken terms: collections of term lists that help the service to hear names and jargon right."""

from dataclasses import dataclass
from datetime import datetime

from svc_nb.wire.models.noun import Noun, settle_times


@dataclass(frozen=True, slots=True)
class TermListInfo(Noun):
    """What a collection tells of a term list without its terms."""

    lang: str
    entry_count: int


@dataclass(frozen=True, slots=True)
class TermList(Noun):
    """The terms of one language; `entries` is text, one term a line."""

    lang: str
    entries: str


@dataclass(frozen=True, slots=True)
class SpokenTerms(Noun):
    """A collection: any number of term lists, one a language."""

    spoken_terms_id: str
    name: str
    term_lists: tuple[TermListInfo, ...]
    creation_time: datetime

    def __post_init__(self) -> None:
        settle_times(self, "creation_time")
