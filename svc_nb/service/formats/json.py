"""JSON: the strings that are values; keys, numbers, order, indentation and the way it is escaped stay."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from . import Unreadable, Wish, Words, encoding
from .passage import Part, Passage, is_code, pieces, translated
from .safe_xml import DEEPEST

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\Z)(?P<key>\s*+:)?|[\[{]|[\]}]', re.DOTALL)
_LETTER_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*+\\u[0-9a-fA-F]{4}")
_SLASH_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*+\\/")


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate a JSON file."""
    file = encoding.decode(source.read_bytes())
    depth = 0
    for token in _TOKEN.finditer(file.text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > DEEPEST:
            raise Unreadable(f"The file's values are nested more than {DEEPEST} deep.")
    try:
        json.loads(file.text, parse_int=str, parse_float=str, strict=False)
    except json.JSONDecodeError as error:
        raise Unreadable(f"The file is not JSON: {error.msg} (line {error.lineno}).") from None
    target.write_bytes(file.encode("".join(translated(list(_parts(file.text)), words))))


def _parts(text: str) -> Iterator[Part]:
    """Yield the values with words in them, and what stands between them."""
    only_ascii = text.isascii() and _LETTER_ESCAPE.search(text) is not None
    escaped_slashes = _SLASH_ESCAPE.search(text) is not None

    def written(value: str) -> str:
        """Return *value* as the file writes its strings; half surrogate pairs are always escaped."""
        raw = json.dumps(
            value, ensure_ascii=only_ascii or any("\ud800" <= each <= "\udfff" for each in value)
        )
        return raw.replace("/", "\\/") if escaped_slashes else raw

    at = 0
    for token in _TOKEN.finditer(text):
        if token["key"] or token[0][0] != '"':
            continue
        value = str(json.loads(token[0], strict=False))
        if any(map(str.isalpha, value)) and not is_code(value):
            yield text[at : token.start()]
            yield Passage(pieces(value, tags=True), raw=token[0], finish=written)
            at = token.end()
    yield text[at:]
