"""What a person wants translated, into what and how, from which a job is made; and what the service has to offer."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from svc_nb.columns import translation
from svc_nb.columns.job import whole_budget
from svc_nb.columns.options import Fields, check_names
from svc_nb.session import current
from svc_nb.wire.languages import target
from svc_nb.wire.models import LanguageSupport

if TYPE_CHECKING:
    from svc_nb.columns.job import TextJob

MOST_NAMED = 6


@dataclass(frozen=True)
class Order:
    """The *columns* by label, the *targets* by code, a *price* for a million characters, and what else was asked for.

    The options have the names that `df.svc.translate` knows them by; what is None stands for itself nowhere.
    """

    columns: tuple[Hashable, ...] = ()
    targets: tuple[str, ...] = ()
    price: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_names(dict(self.options), Fields)
        context = self.options.get("context")
        if context is not None and not isinstance(context, str):
            raise TypeError(f"context: expected a text or the name of a column, found {type(context).__name__}")
        options = {**self.options, "budget": whole_budget(self.options.get("budget"))}
        object.__setattr__(self, "options", {k: v for k, v in options.items() if v is not None})

    @property
    def whole(self) -> bool:
        """Whether there is something to plan: a column and a target."""
        return bool(self.columns and self.targets)

    def with_options(self, **options: Any) -> Self:
        """The same order with other *options*; None takes one out."""
        return replace(self, options={**self.options, **options})

    def job(self, frame: pd.DataFrame) -> TextJob:
        """A job for the columns of *frame*, not started; a cell that cannot be sent is a gap, not an error."""
        fields: Any = {"errors": "coerce", **self.options}
        return translation(frame, list(self.columns), list(self.targets), False, fields)


def targets_of(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """The codes of one or several languages, each once."""
    if given is None:
        return ()
    said = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(each, str) and each.strip() for each in said):
        raise TypeError(f'targets: expected a language such as "DE", or a list of them, found {given!r}')
    client = current().client
    return tuple(dict.fromkeys(target(each, client, field="targets") for each in said))


def price_of(given: Any) -> float | None:
    """A price as a number that is 0 or more, or None; raises ValueError for anything else.

    >>> price_of("20"), price_of("19,99"), price_of(" "), price_of(None)
    (20.0, 19.99, None, None)
    """
    if given is None or (isinstance(given, str) and not given.strip()):
        return None
    try:
        price = float(given.strip().replace(",", ".") if isinstance(given, str) else given)
    except (TypeError, ValueError):
        price = -1.0
    if isinstance(given, bool) or not 0 <= price < float("inf"):
        raise ValueError("price: expected what a million characters cost, such as 20")
    return price


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
        """The name of a language, or its code where the service did not tell."""
        return self.targets.get(code) or self.sources.get(code) or code

    def supports(self, target: str, feature: str) -> bool:
        """Whether a target has a feature; what is not known is not denied."""
        return target not in self.features or feature in self.features[target]

    def fitting_styles(self, targets: Sequence[str]) -> list[StyleOffer]:
        """The style lists that serve all *targets*."""
        bases = {base(target) for target in targets}
        return [style for style in self.styles if bases <= {style.language}]

    def misfits(self, targets: Sequence[str], options: Mapping[str, object]) -> Iterator[str]:
        """What of *options* does nothing for some of *targets*, and languages that there are not, in sentences."""
        if unknown := [target for target in targets if self.targets and target not in self.targets]:
            yield f"Not stable on this service: {_listed(unknown)}."
        formality = options.get("formality")
        informal = [target for target in targets if not self.supports(target, "formality")]
        if informal and formality not in (None, "default"):
            if str(formality).startswith("prefer"):
                yield f"Formality is left as it is in {_listed(informal)}."
            else:
                yield f"{_listed(informal)} has no formality: the service refuses that, or it has no effect."
        for glossary in self.glossaries:
            into = {target for _, target in glossary.pairs}
            lacking = [target for target in targets if base(target) not in into]
            if lacking and glossary.id == options.get("glossary_id"):
                known = options.get("source_lang") not in (None, "detect")
                what = "the service will refuse that" if known else "texts go there without it"
                yield f"{glossary.name} has no terms into {_listed(lacking)}: {what}."
        for style in self.styles:
            if style.id == options.get("style_id") and style not in self.fitting_styles(targets):
                language = style.language.upper()
                yield f"{style.name} is a style list for {language} only: the service will refuse others."


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
