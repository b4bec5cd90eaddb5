"""Languages: codes (inside the service lower-case BCP 47), names, which resource takes which, and what for."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from . import read

_TABLES: dict[str, dict[str, Any]] = read("languages.json")
_STABLE, _VARIANTS, _BETA_VARIANTS, _BETA = (_TABLES[part] for part in ("stable", "variants", "beta_variants", "beta"))

NAMES: Mapping[str, str] = MappingProxyType(dict(sorted({**_STABLE, **_VARIANTS, **_BETA_VARIANTS, **_BETA}.items())))
SOURCES = frozenset(_STABLE) | frozenset(_BETA)
TARGETS = frozenset(NAMES)
BETA = frozenset(_BETA) | frozenset(_BETA_VARIANTS)

DETECTION = GLOSSARY = frozenset(_STABLE)

_LISTS = {
    **{name: frozenset(codes.split()) for name, codes in _TABLES["lists"].items()},
    "": frozenset(),
    "stable": DETECTION,
    "stable_targets": DETECTION | frozenset(_VARIANTS),
    "sources": SOURCES,
    "targets": TARGETS,
    "beta": BETA,
}
STYLE_LANGUAGES = MEMORY_SOURCES = _LISTS["style"]
FORMALITY_TARGETS = _LISTS["formality"]
WRITE_TARGETS = _LISTS["write"]
STYLE_AND_TONE_TARGETS = _LISTS["style_and_tone"]
MEMORY_TARGETS = _LISTS["memory_targets"]


class Feature(NamedTuple):
    """What a resource can do, and on which sides; what is not *done* can be asked for, but no language claims it."""

    name: str
    sides: str
    languages: frozenset[str]
    done: bool = True


class Resource(NamedTuple):
    """A part of the interface, the languages it takes on either side, and what it can do with them."""

    name: str
    sources: frozenset[str]
    targets: frozenset[str]
    features: tuple[Feature, ...] = ()
    beta: frozenset[str] = frozenset()
    external: frozenset[str] = frozenset()


RESOURCES: Mapping[str, Resource] = MappingProxyType(
    {
        name: Resource(
            name,
            features=tuple(Feature(each, side, _LISTS[codes], done) for each, side, codes, done in part["features"]),
            **{role: _LISTS[part.get(role, "")] for role in ("sources", "targets", "beta", "external")},
        )
        for name, part in _TABLES["resources"].items()
    }
)


def normalise(code: str) -> str:
    """Return *code* as the service uses it inside (`en-us`); it need not be one that the service knows."""
    return code.strip().replace("_", "-").lower()


def base(code: str) -> str:
    """Return the language of a variant: ``base("en-us") == "en"``."""
    return normalise(code).partition("-")[0]


def glossary_code(code: str) -> str | None:
    """Return the language under which glossaries keep *code*: itself or, of a variant, its base; None if neither.

    >>> glossary_code("EN-us"), glossary_code("en-klingon")
    ('en', None)
    """
    known = normalise(code)
    if known in NAMES:
        known = known.partition("-")[0]
    return known if known in GLOSSARY else None


def display(code: str) -> str:
    """Return *code* in the letters of BCP 47: `en-US`, `zh-Hans`, `es-419`."""
    language, *rest = normalise(code).split("-")
    return "-".join([language, *(part.title() if len(part) == 4 else part.upper() for part in rest)])


def wire_v2(code: str) -> str:
    """Return *code* as version 2 of the interface writes it: `EN-US`, `ZH-HANS`."""
    return normalise(code).upper()


def listed_v2(type_: str = "source") -> list[dict[str, Any]]:
    """The answer of version 2: stable languages, English and Portuguese as targets by variant only; else ValueError."""
    if type_ not in ("source", "target"):
        raise ValueError("type is 'source' or 'target'")
    if type_ == "source":
        return [{"language": wire_v2(code), "name": NAMES[code]} for code in sorted(SOURCES - BETA)]
    names = {**NAMES, "zh": NAMES["zh-hans"]}
    return [
        {"language": wire_v2(code), "name": names[code], "supports_formality": False}
        for code in sorted(TARGETS - BETA - {"en", "pt"})
    ]


def listed_v3(resource: str, include: Collection[str] = ()) -> list[dict[str, Any]]:
    """The answer of version 3 for *resource*, by code; *include* adds `beta` and `external` languages. Or KeyError."""
    part = RESOURCES[resource]
    codes = part.sources | part.targets
    if "beta" not in include:
        codes -= part.beta
    if "external" not in include:
        codes -= part.external
    return [
        {
            "lang": display(code),
            "name": NAMES[code],
            "usable_as_source": code in part.sources,
            "usable_as_target": code in part.targets,
            "status": "beta" if code in part.beta else "stable",
            "features": {
                feature.name: {"status": "stable"}
                for feature in part.features
                if feature.done and code in feature.languages
                if feature.sides != "source" or code in part.sources
            },
        }
        for code in sorted(codes)
    ]


def listed_resources() -> list[dict[str, Any]]:
    """Return the resources and their features, done or not, and on which side one must hold (absent means no)."""
    sides = ("source", "target")
    return [
        {
            "name": part.name,
            "features": [
                {"name": each.name} | {f"needs_{side}_support": True for side in sides if each.sides in (side, "both")}
                for each in part.features
            ],
        }
        for part in RESOURCES.values()
    ]
