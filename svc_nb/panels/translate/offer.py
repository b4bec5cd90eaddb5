"""What the service has to offer for a translation: languages, glossaries and style lists; and what does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from svc_nb.session import current
from svc_nb.wire.models import LanguageSupport, MultilingualGlossary, StyleRuleList

MOST_NAMED = 6


@dataclass(frozen=True)
class GlossaryOffer:
    """A glossary by id, its name, and the pairs of base languages that it has terms for."""

    id: str
    name: str
    pairs: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class StyleOffer:
    """A style list by id, its name and the base language that it is for."""

    id: str
    name: str
    language: str


@dataclass(frozen=True)
class Offer:
    """The languages by code in capitals, the glossaries and the style lists."""

    targets: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    features: Mapping[str, frozenset[str]] = field(default_factory=dict)
    glossaries: Sequence[GlossaryOffer] = ()
    styles: Sequence[StyleOffer] = ()

    @classmethod
    def asked(cls, *, beta: bool = False, resource: str = "translate_text") -> Self:
        """What the service of the current session says now, of the languages that *resource* takes."""
        client = current().client
        known = client.languages.support(resource, include=("beta",) if beta else ())
        return cls(
            targets=_named(each for each in known if each.usable_as_target),
            sources=_named(each for each in known if each.usable_as_source),
            features={each.lang.upper(): frozenset(each.features) for each in known},
            glossaries=[_glossary_of(each) for each in client.glossaries.list()],
            styles=[_style_of(each) for each in client.style_rules.iterate()],
        )

    def name(self, code: str) -> str:
        """The name of a language, or its code where the service did not tell."""
        return self.targets.get(code) or self.sources.get(code) or code

    def supports(self, target: str, feature: str) -> bool:
        """Whether a target has a feature; what is not known is not denied."""
        return target not in self.features or feature in self.features[target]

    def fitting_styles(self, targets: Sequence[str]) -> list[StyleOffer]:
        """The style lists that serve all *targets*."""
        bases = {base(target) for target in targets}
        return [style for style in self.styles if bases <= {style.language}]

    def misfits(self, targets: Sequence[str], options: Mapping[str, object]) -> list[str]:
        """What of *options* does nothing for some of *targets*, and languages that there are not, in sentences."""
        return [
            *self._unknown(targets),
            *self._formality(targets, options),
            *self._glossary(targets, options),
            *self._style(targets, options),
        ]

    def _unknown(self, targets: Sequence[str]) -> list[str]:
        lacking = [target for target in targets if self.targets and target not in self.targets]
        return [f"Not stable on this service: {_listed(lacking)}."] if lacking else []

    def _formality(self, targets: Sequence[str], options: Mapping[str, object]) -> list[str]:
        lacking = [target for target in targets if not self.supports(target, "formality")]
        if not lacking or options.get("formality") in (None, "default"):
            return []
        if str(options["formality"]).startswith("prefer"):
            return [f"Formality is left as it is in {_listed(lacking)}."]
        return [f"{_listed(lacking)} has no formality: the service refuses that, or it has no effect."]

    def _glossary(self, targets: Sequence[str], options: Mapping[str, object]) -> list[str]:
        found = [each for each in self.glossaries if each.id == options.get("glossary_id")]
        if not found:
            return []
        into = {target for _, target in found[0].pairs}
        lacking = [target for target in targets if base(target) not in into]
        known = options.get("source_lang") not in (None, "detect")
        what = "the service will refuse that" if known else "texts go there without it"
        return [f"{found[0].name} has no terms into {_listed(lacking)}: {what}."] if lacking else []

    def _style(self, targets: Sequence[str], options: Mapping[str, object]) -> list[str]:
        found = [each for each in self.styles if each.id == options.get("style_id")]
        if not found or found[0] in self.fitting_styles(targets):
            return []
        return [
            f"{found[0].name} is a style list for {found[0].language.upper()} only: the service will refuse others."
        ]


def base(code: str) -> str:
    """The language without its region.

    >>> base("EN-US"), base("de")
    ('en', 'de')
    """
    return code.replace("_", "-").partition("-")[0].lower()


def _named(languages: Iterable[LanguageSupport]) -> dict[str, str]:
    return {each.lang.upper(): each.name for each in sorted(languages, key=lambda each: each.name)}


def _glossary_of(found: MultilingualGlossary) -> GlossaryOffer:
    pairs = frozenset((base(each.source_lang), base(each.target_lang)) for each in found.dictionaries)
    return GlossaryOffer(found.glossary_id, found.name, pairs)


def _style_of(found: StyleRuleList) -> StyleOffer:
    return StyleOffer(found.style_id, found.name, base(found.language))


def _listed(codes: Sequence[str]) -> str:
    more = f" and {len(codes) - MOST_NAMED} more" if len(codes) > MOST_NAMED else ""
    return ", ".join(codes[:MOST_NAMED]) + more
