"""The languages a style rule list can be for, and those an instruction can be about."""

from __future__ import annotations

from svc_nb.frames.glossaries.languages import language_of

STYLE_LANGUAGES = ("de", "en", "es", "fr", "it", "ja", "ko", "zh")
# Everything that can be translated from, in beta too; variants such as en-us are targets only.
SOURCES = frozenset(
    """
    ace af an ar as ay az ba be bg bho bn br bs ca ceb ckb cs cy da de el en eo es et eu fa fi fr ga gl gn gom gu ha he
    hi hr ht hu hy id ig is it ja jv ka kk kmr ko ky la lb lmo ln lt lv mai mg mi mk ml mn mr ms mt my nb ne nl oc om pa
    pag pam pl prs ps pt qu ro ru sa scn sk sl sq sr st su sv sw ta te tg th tk tl tn tr ts tt uk ur uz vi wo xh yi yue
    zh zu
    """.split()  # noqa: SIM905 - a list of a hundred quoted codes is no better
)


def normal(written: str) -> str:
    """A code as the service compares it; it need not be one it knows.

    >>> normal(" EN_us ")
    'en-us'
    """
    return written.strip().replace("_", "-").lower()


def style_language(written: str) -> str:
    """The language of a list that is meant by *written*, a code or a name; ValueError where there is none.

    >>> style_language("EN-GB"), style_language("German")
    ('en', 'de')
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
    return base if base in SOURCES else language_of(written) or ""
