"""The languages a style rule list can be for, and those an instruction can be about."""

from __future__ import annotations

from svc_nb.language_codes import NAMES, base_code

STYLE_LANGUAGES = ("DE", "EN", "ES", "FR", "IT", "JA", "KO", "ZH")
# Everything that can be translated from, in beta too; variants such as en-us are targets only.
SOURCES = frozenset(map(str.upper, NAMES))


def normal(written: str) -> str:
    """A code as it is compared, in capitals; it need not be one that the service knows.

    >>> normal(" en_US ")
    'EN-US'
    """
    return written.strip().replace("_", "-").upper()


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


def meant_by(written: str) -> str:
    """The code of a language that is meant by a code with a region or by a name; "" where that is unclear."""
    base = normal(written).partition("-")[0]
    return base if base in SOURCES else base_code(written) or ""
