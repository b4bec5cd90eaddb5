"""The languages a style rule list can be for."""

from __future__ import annotations

from svc_nb.language_codes import meant_by

STYLE_LANGUAGES = ("DE", "EN", "ES", "FR", "IT", "JA", "KO", "ZH")


def style_language(written: str) -> str:
    """The language of a list that is meant by *written*, a code or a name; ValueError where there is none.

    >>> style_language("EN-GB"), style_language("German")
    ('EN', 'DE')
    """
    meant = meant_by(written)
    if meant not in STYLE_LANGUAGES:
        raise ValueError(
            f"language: expected one of {', '.join(STYLE_LANGUAGES)}, found {written!r}; there are style rules for "
            "these languages only"
        )
    return meant
