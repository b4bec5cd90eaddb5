"""Languages, and what the service can do in each."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from svc_nb.wire.models.base import Noun


@dataclass(frozen=True, slots=True)
class Language(Noun):
    """A language as /v2/languages lists it; `supports_formality` is told of target languages only."""

    language: str
    name: str
    supports_formality: bool | None = None


@dataclass(frozen=True, slots=True)
class FeatureSupport(Noun):
    """How well a language supports a feature; `external` when a partner provides it."""

    status: str | None = None
    external: bool = False


@dataclass(frozen=True, slots=True)
class LanguageSupport(Noun):
    """What one resource can do in a language, as /v3/languages lists it.

    The embedded service says besides which translator it has into the language from each other one (`translators`).
    """

    lang: str
    name: str
    usable_as_source: bool
    usable_as_target: bool
    status: str | None = None
    features: Mapping[str, FeatureSupport] = field(default_factory=dict)
    translators: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Feature(Noun):
    """A feature, and on which side of a pair the language must support it."""

    name: str
    needs_source_support: bool = False
    needs_target_support: bool = False


@dataclass(frozen=True, slots=True)
class Resource(Noun):
    """A part of the service whose languages can be asked for, and its features."""

    name: str
    features: tuple[Feature, ...] = ()
