"""Glossaries in both forms, and the dictionaries that they hold."""

from dataclasses import dataclass
from datetime import datetime

from svc_nb.wire.models.base import Noun, Timed


@dataclass(frozen=True, slots=True)
class LanguagePair(Noun):
    """A pair of languages that a glossary can serve."""

    source_lang: str
    target_lang: str


@dataclass(frozen=True, slots=True)
class Glossary(Timed):
    """A glossary of the v2 form: one language pair; translations can use it once `ready` is true."""

    glossary_id: str
    name: str
    ready: bool
    source_lang: str
    target_lang: str
    creation_time: datetime
    entry_count: int


@dataclass(frozen=True, slots=True)
class DictionaryInfo(Noun):
    """What a glossary tells of a dictionary without its entries."""

    source_lang: str
    target_lang: str
    entry_count: int


@dataclass(frozen=True, slots=True)
class Dictionary(Noun):
    """The terms of one language pair; `entries` is text in `entries_format`, "tsv" or "csv"."""

    source_lang: str
    target_lang: str
    entries: str
    entries_format: str = "tsv"


@dataclass(frozen=True, slots=True)
class MultilingualGlossary(Timed):
    """A glossary of the v3 form: any number of dictionaries."""

    glossary_id: str
    name: str
    dictionaries: tuple[DictionaryInfo, ...]
    creation_time: datetime
