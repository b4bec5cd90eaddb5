"""Character references: decoded for the translator, written back the way the text itself writes them."""

import re
from collections.abc import Iterable, Iterator
from html.entities import html5

_REFERENCE = re.compile(r"&(?:#(?P<decimal>[0-9]{1,8})|#[xX](?P<hex>[0-9a-fA-F]{1,6})|(?P<name>\w{1,40}));")
# Private-use characters stand for spans, so a reference to one is kept as it is, like one to no character at all.
_READABLE = ((0x9, 0xA), (0x20, 0x7E), (0xA0, 0xD7FF), (0xF900, 0xFFFD), (0x10000, 0x10FFFF))
_XML = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def decoded(text: str, *, html: bool = True) -> Iterator[tuple[str, str]]:
    """Yield (characters, reference) parts of *text*: plain text has no reference, an unknown reference no characters.

    >>> list(decoded("R&amp;D &x;"))
    [('R', ''), ('&', '&amp;'), ('D ', ''), ('', '&x;')]
    """
    at = 0
    for reference in _REFERENCE.finditer(text):
        if reference.start() > at:
            yield text[at : reference.start()], ""
        yield _characters(reference, html), reference[0]
        at = reference.end()
    if at < len(text):
        yield text[at:], ""


def _characters(reference: re.Match[str], html: bool) -> str:
    if name := reference["name"]:
        return _XML.get(name) or (html5.get(f"{name};", "") if html else "")
    number = int(reference["decimal"] or reference["hex"], 10 if reference["decimal"] else 16)
    return chr(number) if any(first <= number <= last for first, last in _READABLE) else ""


class Entities:
    """How the texts of one document write what cannot, or need not, stand there as itself."""

    __slots__ = ("_table",)

    def __init__(self, texts: Iterable[str], *, html: bool = True) -> None:
        plain: set[str] = set()
        spelled: dict[str, str] = {}
        for text in texts:
            for characters, reference in decoded(text, html=html):
                if not reference:
                    plain.update(characters)
                elif len(characters) == 1:
                    spelled.setdefault(characters, reference)
        spelled = {
            character: reference for character, reference in spelled.items() if _stays(character, plain)
        }
        table = {"&": "&amp;", "<": "&lt;", ">": "&gt;"} | spelled
        if ">" in plain:
            del table[">"]
        self._table = str.maketrans(table)

    def encode(self, text: str) -> str:
        """Return *text* safe to stand between tags."""
        return text.translate(self._table)


def _stays(character: str, plain: set[str]) -> bool:
    """Tell whether a character is always written as a reference and so should be again."""
    return character in "&<" or (character not in plain and not (character.isascii() and character.isalnum()))
