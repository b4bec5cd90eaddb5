"""Subtitles in SubRip files: the lines of a subtitle together, in as many lines again; numbers and times stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from . import Unreadable, Wish, Words, encoding
from .passage import Part, Passage, pieces, translated

_TIME = r"\d{1,4}:\d{1,2}:\d{1,2}(?:[,.:]\d{1,9})?"
_TIMES = re.compile(rf"^[ \t\ufeff]*-?{_TIME}[ \t]*-->[ \t]*-?{_TIME}[^\r\n]*(?:\r\n|\r|\n|\Z)", re.MULTILINE)
_NUMBER = re.compile(r"(?:\A|(?<=[\r\n]))[ \t]*\d+[ \t]*(?:\r\n|\r|\n)\Z")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_SPEAKER = re.compile(r"\s*(?:<[^<>]*>|\{[^{}]*\})*\s*(?:[-–—‐♪#>]|\w[\w .]{0,20}:)")
_SPACE = re.compile(r"(<[^<>]*>|\{[^{}]*\})|\s+")
_LONGEST = 20


def translate(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate a SubRip file."""
    file = encoding.decode(source.read_bytes())
    text = file.text
    times = list(_TIMES.finditer(text))
    if not times:
        raise Unreadable("The file holds no subtitles: there is no line with two times in it.")
    parts: list[Part] = [text[: times[0].end()]]
    for this, following in zip(times, [*times[1:], None], strict=True):
        end = following.start() if following else len(text)
        if following and (number := _NUMBER.search(text[this.end() : end][-40:])):
            end -= len(number[0])
        parts += _subtitle(text[this.end() : end])
        parts.append(text[end : following.end()] if following else "")
    target.write_bytes(file.encode("".join(translated(parts, words))))


def _subtitle(said: str) -> Iterator[Part]:
    """Yield what is said in one subtitle: its lines as one, or each for itself if it is a dialogue."""
    body = said.rstrip()
    groups: list[list[str]] = []
    for line in _LINE.findall(body):
        if not groups or len(groups[-1]) == _LONGEST or not line.strip() or _SPEAKER.match(line):
            groups.append([])
        groups[-1].append(line)
    for lines in groups:
        last = lines[-1].rstrip("\r\n")
        raw = "".join((*lines[:-1], last))
        if len(lines) == 1:
            yield Passage(pieces(raw, tags=True))
        else:
            texts = list(map(str.strip, lines))
            end = lines[0][len(lines[0].rstrip("\r\n")) :]
            laid_out = partial(_in_lines, lengths=list(map(len, texts)), end=end)
            yield Passage(pieces(" ".join(texts), tags=True), raw=raw, finish=laid_out)
        yield lines[-1][len(last) :]
    yield said[len(body) :]


def _in_lines(text: str, lengths: Sequence[int], end: str) -> str:
    """Return *text* in as many lines as there are *lengths*, each about as long a part of it as they say."""
    lines: list[str] = []
    whole, wanted, rest = sum(lengths) or 1, 0.0, text
    for length in lengths[:-1]:
        wanted += len(text) * length / whole
        # The nearest space outside tags is where a line ends; any place where there are neither.
        place = int(wanted) - (len(text) - len(rest))
        starts = [space.start() for space in _SPACE.finditer(rest) if not space[1]]
        spaces = [(abs(start - place), start) for start in starts]
        anywhere = 0 if _SPACE.search(rest) else max(0, min(place, len(rest)))
        cut = min(spaces)[1] if spaces else anywhere
        lines.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return end.join([*lines, rest])
