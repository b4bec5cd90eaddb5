"""Languages: their codes and names, which resource takes which, and what each can do there.

Inside the service a code is lower-case BCP 47 (`de`, `en-us`, `zh-hans`); `display` and `wire_v2` write it as
the two versions of the interface do.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from . import read

_TABLES: dict[str, dict[str, str]] = read("languages.json")
_STABLE, _VARIANTS, _BETA_VARIANTS, _BETA = (_TABLES[part] for part in ("stable", "variants", "beta_variants", "beta"))
_LISTS = {name: frozenset(codes.split()) for name, codes in _TABLES["lists"].items()}

NAMES: Mapping[str, str] = MappingProxyType(dict(sorted({**_STABLE, **_VARIANTS, **_BETA_VARIANTS, **_BETA}.items())))
SOURCES = frozenset(_STABLE) | frozenset(_BETA)
TARGETS = frozenset(NAMES)
BETA = frozenset(_BETA) | frozenset(_BETA_VARIANTS)

DETECTION = frozenset(_STABLE)
GLOSSARY = frozenset(_STABLE)
STYLE_LANGUAGES = _LISTS["style"]
FORMALITY_TARGETS = _LISTS["formality"]
WRITE_TARGETS = _LISTS["write"]
STYLE_AND_TONE_TARGETS = _LISTS["style_and_tone"]
MEMORY_SOURCES = STYLE_LANGUAGES
MEMORY_TARGETS = MEMORY_SOURCES | {"en-gb", "en-us", "es-419", "zh-hans"}


def _with_variants(languages: frozenset[str]) -> frozenset[str]:
    return languages | {code for code in _VARIANTS if code.partition("-")[0] in languages}


_STABLE_TARGETS = DETECTION | frozenset(_VARIANTS)
_VOICE_PARTNERS = _LISTS["voice_partners"]
_VOICE_SOURCES = DETECTION | _VOICE_PARTNERS
_VOICE_TARGETS = (_STABLE_TARGETS | _VOICE_PARTNERS) - {"es-419"}
_HEARD, _SPOKEN = _LISTS["heard"], _LISTS["spoken"]


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


_AUTO_DETECTION = Feature("auto_detection", "source", DETECTION)
_TAG_HANDLING = Feature("tag_handling", "both", TARGETS)
_GLOSSARY = Feature("glossary", "both", _STABLE_TARGETS)
_FORMALITY = Feature("formality", "target", FORMALITY_TARGETS, done=False)
_DOCUMENT_FEATURES = (_AUTO_DETECTION, _TAG_HANDLING, _GLOSSARY, _FORMALITY)
_TEXT_FEATURES = (
    *_DOCUMENT_FEATURES,
    Feature("style_rules", "target", _with_variants(STYLE_LANGUAGES)),
    Feature("translation_memory", "both", MEMORY_TARGETS),
)
_VOICE_FEATURES = (
    _AUTO_DETECTION._replace(languages=_HEARD, done=False),
    Feature("transcription", "source", _HEARD, done=False),
    Feature("spoken_terms", "source", _HEARD),  # which are kept, though nothing is heard
    _GLOSSARY._replace(done=False),
    _FORMALITY,
    Feature("translated_speech", "target", _with_variants(_SPOKEN), done=False),
)
_WRITE_FEATURES = (
    _AUTO_DETECTION,
    Feature("writing_style", "target", STYLE_AND_TONE_TARGETS, done=False),
    Feature("tone", "target", STYLE_AND_TONE_TARGETS, done=False),
)
_ALL = (
    Resource("translate_text", SOURCES, TARGETS, _TEXT_FEATURES, beta=BETA),
    Resource("translate_document", SOURCES, TARGETS, _DOCUMENT_FEATURES, beta=BETA),
    Resource("voice", _VOICE_SOURCES, _VOICE_TARGETS, _VOICE_FEATURES, external=_VOICE_PARTNERS),
    Resource("write", WRITE_TARGETS & DETECTION, WRITE_TARGETS, _WRITE_FEATURES),
    Resource("glossary", GLOSSARY, GLOSSARY),
    Resource("style_rules", STYLE_LANGUAGES, STYLE_LANGUAGES),
    Resource("translation_memory", MEMORY_SOURCES, MEMORY_TARGETS),
)
RESOURCES: Mapping[str, Resource] = MappingProxyType({resource.name: resource for resource in _ALL})


def normalise(code: str) -> str:
    """Return *code* as the service uses it inside; it need not be one that the service knows.

    >>> normalise(" EN_us ")
    'en-us'
    """
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
