"""A voice session: what is asked for it, what opens its stream, and the terms that help it to hear right."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Self

from svc_nb.secret import Secret
from svc_nb.wire.models.base import Noun, RequestOptions, Timed

MOST_TARGETS = 5
MOST_SPOKEN = 1
MOST_GLOSSARIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceRequest(RequestOptions):
    """What is to be heard and what is to become of it; None leaves it to the service.

    `source_media_content_type` says in what form the audio comes, such as "audio/auto" or
    "audio/pcm;encoding=s16le;rate=16000". Sequences may be given as lists; they are kept as tuples.
    """

    source_media_content_type: str
    message_format: str | None = None
    source_language: str | None = None
    source_language_mode: str | None = None
    target_languages: Sequence[str] | None = None
    target_media_languages: Sequence[str] | None = None
    target_media_content_type: str | None = None
    target_media_voice: str | None = None
    spoken_terms_id: str | None = None
    glossary_id: str | None = None
    glossary_ids: Sequence[str] | None = None
    formality: str | None = None

    def checked(self) -> Self:
        """The request itself, or an error for what no service takes: no text, too many, or one thing said twice."""
        for field in fields(self):
            _check_texts(field.name, getattr(self, field.name))
        for name, most in (
            ("target_languages", MOST_TARGETS),
            ("target_media_languages", MOST_SPOKEN),
            ("glossary_ids", MOST_GLOSSARIES),
        ):
            count = len(getattr(self, name) or ())
            if count > most:
                raise ValueError(f"{name}: expected at most {most}, found {count}")
        if self.glossary_id is not None and self.glossary_ids:
            raise ValueError("glossary_id and glossary_ids: expected one of them, found both")
        if self.source_language_mode == "fixed" and not self.source_language:
            raise ValueError('source_language_mode="fixed": expected a source_language with it, found none')
        return self


def _check_texts(name: str, given: str | Sequence[str] | None) -> None:
    for each in given if isinstance(given, tuple) else (given,):
        if each is not None and not isinstance(each, str):
            raise TypeError(f"{name}: expected text, found {type(each).__name__}")


@dataclass(frozen=True, slots=True)
class VoiceSession:
    """Where the stream of a session is; `token` opens it once, and soon: `{streaming_url}?token=...`.

    It is read from the service's answer and never written: who has the token has the session.
    """

    streaming_url: str
    token: Secret
    session_id: str | None = None

    @classmethod
    def from_wire(cls, wire: object) -> Self:
        """Read the session, or raise WireError naming the member that is missing or wrong."""
        read = _Answer.from_wire(wire)
        return cls(read.streaming_url, read.token, read.session_id)


@dataclass(frozen=True, slots=True)
class _Answer(Noun):
    """The answer to a request for a session."""

    streaming_url: str
    token: Secret
    session_id: str | None = None


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
class SpokenTerms(Timed):
    """A collection: any number of term lists, one a language."""

    spoken_terms_id: str
    name: str
    term_lists: tuple[TermListInfo, ...]
    creation_time: datetime
