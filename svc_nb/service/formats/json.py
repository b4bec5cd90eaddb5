"""JSON: the strings that are values; keys, numbers, order, indentation and the way it is escaped stay."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from . import Unreadable, Wish, Words, encoding
from .defused import DEEPEST
from .passage import Part, Passage, translated
from .placeholders import is_code, pieces

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\Z)(?P<key>\s*+:)?|[\[{]|[\]}]', re.DOTALL)
_LETTER_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*+\\u[0-9a-fA-F]{4}")
_SLASH_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*+\\/")


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate a JSON file."""
    file = encoding.decode(source.read_bytes())
    _check(file.text)
    target.write_bytes(file.encode("".join(translated(list(_parts(file.text)), words))))


def _check(text: str) -> None:
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > DEEPEST:
            raise Unreadable(f"The file's values are nested more than {DEEPEST} deep.")
    try:
        json.loads(text, parse_int=str, parse_float=str, strict=False)
    except json.JSONDecodeError as error:
        raise Unreadable(f"The file is not JSON: {error.msg} (line {error.lineno}).") from None


def _parts(text: str) -> Iterator[Part]:
    """Yield the values with words in them, and what stands between them."""
    style = _Style(text)
    at = 0
    for token in _TOKEN.finditer(text):
        if token["key"] or token[0][0] != '"':
            continue
        value = str(json.loads(token[0], strict=False))
        if any(map(str.isalpha, value)) and not is_code(value):
            yield text[at : token.start()]
            yield Passage(pieces(value, tags=True), raw=token[0], finish=style.written)
            at = token.end()
    yield text[at:]


class _Style:
    """How a file writes its strings: other letters as escapes or as themselves, slashes escaped or not."""

    def __init__(self, text: str) -> None:
        self._ascii = text.isascii() and _LETTER_ESCAPE.search(text) is not None
        self._slashes = _SLASH_ESCAPE.search(text) is not None

    def written(self, text: str) -> str:
        """Return *text* as a JSON string; half surrogate pairs are always escaped."""
        raw = json.dumps(text, ensure_ascii=self._ascii or any("\ud800" <= each <= "\udfff" for each in text))
        return raw.replace("/", "\\/") if self._slashes else raw
