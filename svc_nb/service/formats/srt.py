"""Subtitles in SubRip files: the lines of a subtitle together, in as many lines again; numbers and times stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from . import Unreadable, Wish, Words, encoding
from .passage import Part, Passage, translated
from .placeholders import pieces

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
    times = list(_TIMES.finditer(file.text))
    if not times:
        raise Unreadable("The file holds no subtitles: there is no line with two times in it.")
    target.write_bytes(file.encode("".join(translated(list(_parts(file.text, times)), words))))


def _parts(text: str, times: list[re.Match[str]]) -> Iterator[Part]:
    """Yield what stays and what is said, in order."""
    yield text[: times[0].end()]
    for this, following in zip(times, [*times[1:], None], strict=True):
        stop = following.start() if following else len(text)
        said = text[this.end() : stop]
        number = _NUMBER.search(said[-40:]) if following else None
        end = this.end() + len(said) - (len(number[0]) if number else 0)
        yield from _speeches(text[this.end() : end])
        yield text[end : following.end()] if following else ""


def _speeches(said: str) -> Iterator[Part]:
    """Yield what is said in one subtitle: its lines as one, or each for itself if it is a dialogue."""
    body = said.rstrip()
    lines = _LINE.findall(body)
    together: list[str] = []
    for line in lines:
        if together and (len(together) == _LONGEST or not line.strip() or _SPEAKER.match(line)):
            yield from _speech(together)
            together = []
        together.append(line)
    yield from _speech(together)
    yield said[len(body) :]


def _speech(lines: list[str]) -> Iterator[Part]:
    """Yield lines that are translated as one and laid out in as many again."""
    if not lines:
        return
    last = lines[-1].rstrip("\r\n")
    texts = [line.strip() for line in (*lines[:-1], last)]
    end = lines[0][len(lines[0].rstrip("\r\n")) :]
    laid_out = partial(_in_lines, lengths=[len(text) for text in texts], end=end)
    raw = "".join((*lines[:-1], last))
    if len(lines) == 1:
        yield Passage(pieces(raw, tags=True))
    else:
        yield Passage(pieces(" ".join(texts), tags=True), raw=raw, finish=laid_out)
    yield lines[-1][len(last) :]


def _in_lines(text: str, lengths: Sequence[int], end: str) -> str:
    """Return *text* in as many lines as there are *lengths*, each about as long a part of it as they say."""
    lines: list[str] = []
    whole, wanted, rest = sum(lengths) or 1, 0.0, text
    for length in lengths[:-1]:
        wanted += len(text) * length / whole
        cut = _cut(rest, int(wanted) - (len(text) - len(rest)))
        lines.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return end.join([*lines, rest])


def _cut(text: str, wanted: int) -> int:
    """Return the place to cut *text* nearest to *wanted*: a space outside tags, any place where none is near."""
    spaces = [space.start() for space in _SPACE.finditer(text) if not space[1]]
    near = min(spaces, key=lambda at: abs(at - wanted), default=None)
    if near is None or abs(near - wanted) > max(12, len(text) // 3):
        return max(0, min(wanted, len(text))) if not _SPACE.search(text) else near or 0
    return near
