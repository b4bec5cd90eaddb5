"""The languages a glossary can have, and the code that is meant by what people write at the head of a column.

Tables have codes in their normal form, in capitals; the service and files have them in small letters.
"""

from __future__ import annotations

import re
from functools import cache

from svc_nb.language_codes import COUNTRIES, LONGEST, STABLE, WITH_MORE, tag_of

__all__ = ["LANGUAGES", "LONGEST", "code_of", "language_of", "variant_of"]

LANGUAGES = frozenset(map(str.upper, STABLE))
# Countries that stand for their language at the head of a column.
HEADS = ("jp", "cn", "cz", "dk", "gr")
# Heads that are no languages though they have the form of a locale: "est_id", "fin-no".
THREE_LETTERS = re.compile("[a-z]{3}[-_].*", re.I)


@cache
def code_of(written: str) -> str | None:
    """The code that is meant by one in any case, with or without a region; None where there is no such language.

    >>> code_of("EN-GB"), code_of(" de_AT "), code_of("tlh")
    ('EN', 'DE', None)
    """
    base = written.strip().upper().replace("_", "-").partition("-")[0]
    return base if base in LANGUAGES else None


@cache
def language_of(written: str) -> str | None:
    """As `code_of`, but also by name or by another code for it, as at the head of a spreadsheet's column.

    >>> language_of("Deutsch"), language_of("French (fr-FR)"), language_of("no"), language_of("notes")
    ('DE', 'FR', 'NB', None)
    """
    return code_of(written) or code_of(variant_of(written) or "")


@cache
def variant_of(written: str) -> str | None:
    """As `language_of`, with the region or script that is said with it.

    >>> variant_of("Brazilian Portuguese"), variant_of("French (fr-FR)"), variant_of("en_GB"), variant_of("id_number")
    ('PT-BR', 'FR-FR', 'EN-GB', None)
    """
    said = written.strip()
    if len(said) > LONGEST or THREE_LETTERS.fullmatch(said):
        return None
    base = said.lower().replace("_", "-").partition("-")[0]
    if base in HEADS:
        said = COUNTRIES[base].partition("-")[0] + said[len(base) :]
    tag = tag_of(said)
    if tag is None and (more := WITH_MORE.fullmatch(said)) and len(more[1]) > 2:
        tag = tag_of(more[1])  # what stands in brackets is a remark
    return tag.upper() if tag and code_of(tag) else None
