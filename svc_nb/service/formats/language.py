"""Language codes as documents write them."""

from __future__ import annotations

_RIGHT_TO_LEFT = frozenset({"ar", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"})


def tag_of(code: str) -> str:
    """Return *code* in the usual case.

    >>> tag_of("PT-BR"), tag_of("zh-hant"), tag_of("ES-419")
    ('pt-BR', 'zh-Hant', 'es-419')
    """
    first, *rest = code.replace("_", "-").split("-")
    return "-".join([first.lower(), *(part.title() if len(part) == 4 else part.upper() for part in rest)])


def is_right_to_left(code: str) -> bool:
    """Tell whether the language is written from right to left."""
    return code.lower().partition("-")[0] in _RIGHT_TO_LEFT
