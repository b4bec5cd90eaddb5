"""Texts that were not translated but only marked with the target language: how they are recognised and reported."""

from collections import defaultdict
from collections.abc import Iterable

from svc_nb.errors import warn

PSEUDO = "pseudo"
"""The model that only marks a text with the target language, if no translator has the language pair."""

ONLY_MARKED = (
    "{0} NOT TRANSLATED, only marked with the target language: {1}. Get a model with `svc-nb models add`, install "
    "Apertium with the language pair, or connect to a service that translates."
)


class MarkedOnly(UserWarning):
    """Texts were only marked with the target language, because no translator has the language pair."""


def no_translator(pairs: Iterable[tuple[str | None, str | None]]) -> str:
    """The missing translators, in words.

    >>> no_translator([("de", "JA"), ("fr", "JA"), ("DE", "JA"), ("DE", "KO")])
    'no translator for DE, FR → JA; DE → KO'
    """
    into: defaultdict[str, set[str]] = defaultdict(set)
    for source, target in pairs:
        into[(target or "?").upper()].add((source or "?").upper())
    told = (f"{', '.join(sorted(sources))} → {target}" for target, sources in sorted(into.items()))
    return f"no translator for {'; '.join(told)}"


def warn_of_marks(pairs: Iterable[tuple[str, str]], many: str) -> None:
    """Warn with MarkedOnly that texts in these language *pairs* were only marked; *many* is their number, in words."""
    if marked := [*pairs]:
        warn(MarkedOnly(ONLY_MARKED.format(many, no_translator(marked))))
