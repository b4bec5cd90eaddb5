"""What the service offers for a translation: languages, glossaries and style rule lists, and which of them apply."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from svc_nb.session import current
from svc_nb.wire.models import LanguageSupport

MOST_NAMED = 6


@dataclass(frozen=True)
class GlossaryOffer:
    """A glossary: its id and name, and the pairs of base languages it has terms for."""

    id: str
    name: str
    pairs: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class StyleOffer:
    """A style rule list: its id, its name, and its base language."""

    id: str
    name: str
    language: str


@dataclass(frozen=True)
class Offer:
    """The languages by upper-case code, the glossaries and the style rule lists."""

    targets: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    features: Mapping[str, frozenset[str]] = field(default_factory=dict)
    glossaries: Sequence[GlossaryOffer] = ()
    styles: Sequence[StyleOffer] = ()

    @classmethod
    def asked(cls, *, beta: bool = False, resource: str = "translate_text") -> Self:
        """What the current session's service offers now, with the languages for *resource*."""
        client = current().client
        known = client.languages.support(resource, include=("beta",) if beta else ())
        glossaries = [
            GlossaryOffer(
                each.glossary_id,
                each.name,
                frozenset((base(pair.source_lang), base(pair.target_lang)) for pair in each.dictionaries),
            )
            for each in client.glossaries.list()
        ]
        return cls(
            targets=_named(each for each in known if each.usable_as_target),
            sources=_named(each for each in known if each.usable_as_source),
            features={each.lang.upper(): frozenset(each.features) for each in known},
            glossaries=glossaries,
            styles=[StyleOffer(each.style_id, each.name, base(each.language)) for each in client.style_rules.iterate()],
        )

    def name(self, code: str) -> str:
        """The name of a language, or its code if the service did not name it."""
        return self.targets.get(code) or self.sources.get(code) or code

    def supports(self, target: str, feature: str) -> bool:
        """Whether a target has a feature; True if that is not known."""
        return target not in self.features or feature in self.features[target]

    def fitting_styles(self, targets: Sequence[str]) -> list[StyleOffer]:
        """The style rule lists that apply to all *targets*."""
        bases = {base(target) for target in targets}
        return [style for style in self.styles if bases <= {style.language}]

    def misfits(self, targets: Sequence[str], options: Mapping[str, object]) -> Iterator[str]:
        """Sentences about *options* without effect for some of *targets*, and languages that are not available."""
        if unknown := [target for target in targets if self.targets and target not in self.targets]:
            yield f"Not available on this service: {_listed(unknown)}."
        formality = options.get("formality")
        informal = [target for target in targets if not self.supports(target, "formality")]
        if informal and formality not in (None, "default"):
            if str(formality).startswith("prefer"):
                yield f"Formality is ignored for {_listed(informal)}."
            else:
                yield f"Formality is not supported for {_listed(informal)}."
        for glossary in self.glossaries:
            into = {target for _, target in glossary.pairs}
            lacking = [target for target in targets if base(target) not in into]
            if lacking and glossary.id == options.get("glossary_id"):
                known = options.get("source_lang") not in (None, "detect")
                what = "the service will reject that" if known else "those texts are translated without it"
                yield f"{glossary.name} has no terms into {_listed(lacking)}: {what}."
        for style in self.styles:
            if style.id == options.get("style_id") and style not in self.fitting_styles(targets):
                language = style.language.upper()
                yield f"{style.name} is a style rule list for {language} only. The service will reject other languages."


def base(code: str) -> str:
    """The language without its region.

    >>> base("EN-US"), base("de")
    ('en', 'de')
    """
    return code.replace("_", "-").partition("-")[0].lower()


def _named(languages: Iterable[LanguageSupport]) -> dict[str, str]:
    return {each.lang.upper(): each.name for each in sorted(languages, key=lambda each: each.name)}


def _listed(codes: Sequence[str]) -> str:
    more = f" and {len(codes) - MOST_NAMED} more" if len(codes) > MOST_NAMED else ""
    return ", ".join(codes[:MOST_NAMED]) + more
