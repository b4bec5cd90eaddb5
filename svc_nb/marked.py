"""Texts that were not translated but only marked with the target language: how that is known, and said."""

from collections import defaultdict
from collections.abc import Iterable

from svc_nb.errors import warn

PSEUDO = "pseudo"
"""The model that only marks a text with the target language, where no translator has the pair."""

ONLY_MARKED = (
    "{0} NOT TRANSLATED, only marked with the language: {1}. Get a model with "
    "`svc-nb models add`, or install Apertium with the pair, or connect to a service that translates."
)


class MarkedOnly(UserWarning):
    """Texts were not translated but only marked with the target language, for want of a translator."""


def no_translator(pairs: Iterable[tuple[str | None, str | None]]) -> str:
    """Which translators are missing.

    >>> no_translator([("de", "JA"), ("fr", "JA"), ("DE", "JA"), ("DE", "KO")])
    'no translator for DE, FR → JA; DE → KO'
    """
    into: defaultdict[str, set[str]] = defaultdict(set)
    for source, target in pairs:
        into[(target or "?").upper()].add((source or "?").upper())
    told = (f"{', '.join(sorted(sources))} → {target}" for target, sources in sorted(into.items()))
    return f"no translator for {'; '.join(told)}"


def warn_of_marks(pairs: Iterable[tuple[str, str]], many: str) -> None:
    """Warn with MarkedOnly that so *many* texts in these *pairs* of languages were only marked, if there are any."""
    if marked := [*pairs]:
        warn(MarkedOnly(ONLY_MARKED.format(many, no_translator(marked))))
