"""FrameMaker's MIF: the strings of each paragraph together, over its lines; all other statements stay.

What stands between two strings of a paragraph goes along as one piece: changes of font in pairs where one is taken
back, the rest alone. Line ends and soft hyphens, which FrameMaker sets anew, are dropped from what is translated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

from . import Unreadable, Wish, Words, encoding
from .passage import Part, Passage, Piece, translated
from .passage import pieces as text_pieces
from .safe_xml import DEEPEST

_TOKEN = re.compile(
    r"`(?P<string>(?:[^'\\]++|\\.)*+)(?P<end>'?)|^[&=][^\r\n]*|#[^\r\n]*|(?P<open><)\s*(?P<name>\w*)|(?P<close>>)",
    re.DOTALL | re.MULTILINE,
)
_VERSION = re.compile(r"(?:\s|#[^\r\n]*)*<MIFFile\s+(\d+)")
_ESCAPE = re.compile(r"\\x([0-9a-fA-F]{1,2}) ?|\\(.)", re.DOTALL)
_ESCAPED = {"\\": "\\\\", ">": "\\>", "'": "\\q", "`": "\\Q", "\t": "\\t", "\n": " ", "\r": " "}
_READ = {"t": "\t", "q": "'", "Q": "`", ">": ">", "\\": "\\"}
_SOFT = re.compile(r"\s*'>|<\s*String\s*`|<\s*ParaLine|<\s*Char\s+(?:Soft|Disc)Hyphen\s*>|>|#[^\r\n]*|\s+")
_FONT = re.compile(r"<\s*Font\b(?P<inside>(?:[^<>]|<[^<>]*>)*+)>")
_PLAIN_FONT = re.compile(r"(?:\s|#[^\r\n]*|<\s*FTag\s*`'\s*>|<\s*FLocked\s+\w+\s*>|<\s*FLanguage\s+\w+\s*>)*")
_LONGEST = 240
_MOST_STRINGS = 300_000


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate a MIF file."""
    file = encoding.decode(source.read_bytes())
    version = _VERSION.match(file.text)
    if not version:
        raise Unreadable("The file is not MIF: it does not begin with <MIFFile>.")
    parts = _parts(file.text, roman=int(version[1]) < 8)
    target.write_bytes(file.encode("".join(translated(list(parts), words))))


def _parts(text: str, *, roman: bool) -> Iterator[Part]:
    """Yield what stays and the paragraphs, in order; raises Unreadable if the file was cut off."""
    around: list[str] = []
    strings: list[tuple[int, int]] = []
    reference, count, at = False, 0, 0
    for token in _TOKEN.finditer(text):
        if token["open"]:
            around.append(token["name"])
            if len(around) > DEEPEST:
                raise Unreadable(f"The file's statements are nested more than {DEEPEST} deep.")
            if token["name"] in ("XRef", "XRefEnd"):
                reference = token["name"] == "XRef"
        elif token["string"] is not None:
            if not token["end"]:
                raise Unreadable("The file ends in the middle of a string: it was cut off.")
            if around[-3:] == ["Para", "ParaLine", "String"] and not reference:
                strings.append(token.span("string"))
                count += 1
                if count > _MOST_STRINGS:
                    raise Unreadable(f"The file holds more than {_MOST_STRINGS:,} strings; send it in parts.")
        elif token["close"]:
            if not around:
                raise Unreadable("The file is not MIF: a statement ends that never began.")
            if around.pop() == "Para":
                reference = False
                if strings:
                    yield text[at : strings[0][0]]
                    yield _passage(text, strings, roman)
                    at, strings = strings[-1][1], []
    if around:
        raise Unreadable("The file ends in the middle of a statement: it was cut off.")
    yield text[at:]


def _passage(text: str, strings: Sequence[tuple[int, int]], roman: bool) -> Passage:
    """Return the strings of a paragraph; what is between two says nothing if it is only about lines."""
    found: list[Piece] = []
    before = strings[0][0]
    for start, end in strings:
        between = text[before:start]
        font = _FONT.search(between)
        if not _SOFT.sub("", between):
            found += [Piece(between, "", "text")] if between else []
        elif font:
            closes = _PLAIN_FONT.fullmatch(font["inside"])
            found.append(Piece(between, role="close" if closes else "open"))
        else:
            found.append(Piece(between, breaks="HardReturn" in between))
        at = start
        for escape in _ESCAPE.finditer(text, start, end):
            found += text_pieces(text[at : escape.start()])
            said = _READ.get(escape[2] or "", "")
            if escape[1] and roman and int(escape[1], 16) > 0x7F:
                said = bytes.fromhex(escape[1].zfill(2)).decode("mac_roman")
            found.append(Piece(escape[0], said, "text") if said else Piece(escape[0]))
            at = escape.end()
        found += text_pieces(text[at:end])
        before = end
    # A change of font is in a pair with the next one if that takes it back; else it stands alone.
    fonts = [at for at, piece in enumerate(found) if piece.role in ("open", "close")]
    pairs: dict[int, int] = {}
    for first, last in pairwise(fonts):
        if found[first].role == "open" and found[last].role == "close":
            pairs[first] = pairs[last] = first + 1
    for at in fonts:
        found[at] = replace(found[at], pair=pairs[at]) if at in pairs else replace(found[at], role="lone")
    return Passage(found, encode=partial(_written, roman=roman))


def _written(text: str, *, roman: bool) -> str:
    """Return *text* as the inside of a string, or of several: one may hold 255 characters only."""
    lines, length = [""], 0
    for character in text:
        raw = _ESCAPED.get(character, character)
        if roman and not raw.isascii():
            try:
                raw = f"\\x{raw.encode('mac_roman').hex()} "
            except UnicodeEncodeError:
                raise Unreadable(
                    "MIF of FrameMaker before version 8 cannot hold the letters of this language; "
                    "save it as a newer MIF."
                ) from None
        length += len(raw.encode())
        if length > _LONGEST:
            lines.append("")
            length = 0
        lines[-1] += raw
    return "'>\n   <String `".join(lines)
