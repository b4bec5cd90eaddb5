"""Capital letters, the way the language writes them."""


def upper(text: str, language: str) -> str:
    """Return *text* in capitals.

    >>> upper("istanbul", "tr")
    'İSTANBUL'
    """
    return (text.replace("i", "İ") if language.partition("-")[0] == "tr" else text).upper()


def with_capital(text: str, language: str) -> str:
    """Return *text* with its first letter a capital; Dutch ``ij`` is one letter."""
    letter = 2 if text[:2] == "ij" and language.partition("-")[0] == "nl" else 1
    return upper(text[:letter], language) + text[letter:]
