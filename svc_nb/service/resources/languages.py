"""The language operations: what can be translated, written, and kept in glossaries."""

from typing import Literal

from msgspec import Struct, convert

from ..catalogue import languages
from ..operations import Call, Nothing, Operations
from ..problems import bad_request

operations = Operations()
SCOPE = "languages:read"


class TypeQuery(Struct):
    """Which side of a translation."""

    type: Literal["source", "target"] = "source"


class ResourceQuery(Struct):
    """Which resource, and what to show beside its stable languages."""

    resource: str
    include: list[Literal["beta", "external"]] = []


class LanguageV2(Struct, omit_defaults=True):
    """A language; whether formality can be asked is told of targets."""

    language: str
    name: str
    supports_formality: bool | None = None


class FeatureSupport(Struct, omit_defaults=True):
    """How well a language has a feature, and whether a partner provides it."""

    status: str
    external: bool = False


class LanguageV3(Struct, omit_defaults=True):
    """A language and what a resource can do with it.

    Of a language that texts can be translated into: the translator from each language that there is one for.
    """

    lang: str
    name: str
    usable_as_source: bool
    usable_as_target: bool
    status: str
    features: dict[str, FeatureSupport]
    translators: dict[str, str] | None = None


class Feature(Struct, omit_defaults=True):
    """A feature, and the sides of a translation whose language must have it."""

    name: str
    needs_source_support: bool = False
    needs_target_support: bool = False


class Resource(Struct):
    """A resource and its features."""

    name: str
    features: list[Feature]


@operations.add("GET", "/v2/languages", scope=SCOPE)
def index_v2(call: Call[Nothing, TypeQuery]) -> list[LanguageV2]:
    """List source or target languages (deprecated: GET /v3/languages)."""
    return convert(languages.listed_v2(call.query.type), list[LanguageV2])


@operations.add("GET", "/v3/languages", scope=SCOPE)
def index(call: Call[Nothing, ResourceQuery]) -> list[LanguageV3]:
    """List the languages of a resource with their features."""
    if call.query.resource not in languages.RESOURCES:
        allowed = ", ".join(f"'{name}'" for name in languages.RESOURCES)
        raise bad_request(f"Value for 'resource' not supported. Allowed: {allowed}.")
    listed = convert(languages.listed_v3(call.query.resource, call.query.include), list[LanguageV3])
    if call.query.resource == "translate_text":
        targets = {languages.normalise(each.lang): each for each in listed if each.usable_as_target}
        for target, sources in call.state.translators.sources(targets).items():
            targets[target].translators = {languages.display(code): name for code, name in sources.items()}
    return listed


@operations.add("GET", "/v3/languages/resources", scope=SCOPE)
def resources(call: Call[Nothing, Nothing]) -> list[Resource]:
    """List the resources and their features."""
    return convert(languages.listed_resources(), list[Resource])
