"""FrameMaker's MIF: the strings of each paragraph together, over its lines; all other statements stay.

What stands between two strings of a paragraph goes along as one piece: changes of font in pairs where one is taken
back, the rest alone. Line ends and soft hyphens, which FrameMaker sets anew, are dropped from what is translated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path

from . import Unreadable, Wish, Words, encoding
from .defused import DEEPEST
from .passage import Part, Passage, Piece, translated
from .placeholders import pieces as text_pieces

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
    reader = _Reader(file.text, roman=int(version[1]) < 8)
    target.write_bytes(file.encode("".join(translated(list(reader.parts()), words))))


@dataclass(slots=True)
class _Reader:
    """Finds the paragraphs of a file."""

    text: str
    roman: bool
    _around: list[str] = field(default_factory=list)
    _strings: list[tuple[int, int]] = field(default_factory=list)
    _reference: bool = False
    _found: int = 0

    def parts(self) -> Iterator[Part]:
        """Yield what stays and the paragraphs, in order; raises Unreadable if the file was cut off."""
        at = 0
        for token in _TOKEN.finditer(self.text):
            if token["open"]:
                self._open(token["name"])
            elif token["string"] is not None:
                self._string(token)
            elif token["close"] and self._close() and self._strings:
                start, end = self._strings[0][0], self._strings[-1][1]
                yield self.text[at:start]
                yield self._passage()
                at = end
                self._strings = []
        if self._around:
            raise Unreadable("The file ends in the middle of a statement: it was cut off.")
        yield self.text[at:]

    def _open(self, name: str) -> None:
        self._around.append(name)
        if len(self._around) > DEEPEST:
            raise Unreadable(f"The file's statements are nested more than {DEEPEST} deep.")
        if name in ("XRef", "XRefEnd"):
            self._reference = name == "XRef"

    def _close(self) -> bool:
        """Leave a statement; tell whether it was a paragraph."""
        if not self._around:
            raise Unreadable("The file is not MIF: a statement ends that never began.")
        name = self._around.pop()
        self._reference = self._reference and name != "Para"
        return name == "Para"

    def _string(self, token: re.Match[str]) -> None:
        if not token["end"]:
            raise Unreadable("The file ends in the middle of a string: it was cut off.")
        if self._around[-3:] == ["Para", "ParaLine", "String"] and not self._reference:
            self._strings.append(token.span("string"))
            self._found += 1
            if self._found > _MOST_STRINGS:
                raise Unreadable(f"The file holds more than {_MOST_STRINGS:,} strings; send it in parts.")

    def _passage(self) -> Passage:
        found: list[Piece] = []
        before = self._strings[0][0]
        for start, end in self._strings:
            if between := self.text[before:start]:
                found.append(_between(between))
            found += _string_pieces(self.text[start:end], self.roman)
            before = end
        return Passage(_paired(found), encode=partial(_written, roman=self.roman))


def _between(raw: str) -> Piece:
    """Return what stands between two strings: as text that says nothing if it is only about lines."""
    if not _SOFT.sub("", raw):
        return Piece(raw, "", "text")
    font = _FONT.search(raw)
    if not font:
        return Piece(raw, breaks="HardReturn" in raw)
    return Piece(raw, role="close" if _PLAIN_FONT.fullmatch(font["inside"]) else "open")


def _paired(found: Sequence[Piece]) -> Iterator[Piece]:
    """Yield the pieces, a change of font in a pair with the next one if that takes it back."""
    fonts = [at for at, piece in enumerate(found) if piece.role in ("open", "close")]
    pairs: dict[int, int] = {}
    for first, last in pairwise(fonts):
        if found[first].role == "open" and found[last].role == "close":
            pairs[first] = pairs[last] = first + 1
    for at, piece in enumerate(found):
        if piece.role in ("open", "close"):
            yield replace(piece, pair=pairs[at]) if at in pairs else replace(piece, role="lone")
        else:
            yield piece


def _string_pieces(raw: str, roman: bool) -> Iterator[Piece]:
    at = 0
    for escape in _ESCAPE.finditer(raw):
        yield from text_pieces(raw[at : escape.start()])
        text = _READ.get(escape[2] or "", "")
        if escape[1] and roman and int(escape[1], 16) > 0x7F:
            text = bytes.fromhex(escape[1].zfill(2)).decode("mac_roman")
        yield Piece(escape[0], text, "text") if text else Piece(escape[0])
        at = escape.end()
    yield from text_pieces(raw[at:])


def _written(text: str, *, roman: bool) -> str:
    """Return *text* as the inside of a string, or of several: one may hold 255 characters only."""
    raws = [_ESCAPED.get(each) or (_roman(each) if roman and not each.isascii() else each) for each in text]
    lines, length = [""], 0
    for raw in raws:
        length += len(raw.encode())
        if length > _LONGEST:
            lines.append("")
            length = 0
        lines[-1] += raw
    return "'>\n   <String `".join(lines)


def _roman(character: str) -> str:
    try:
        return f"\\x{character.encode('mac_roman').hex()} "
    except UnicodeEncodeError:
        raise Unreadable(
            "MIF of FrameMaker before version 8 cannot hold the letters of this language; save it as a newer MIF."
        ) from None
