"""Files of text: plain text, SubRip subtitles, JSON and MIF. What is not words stays as it is written."""

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

from . import Unreadable, Wish, Words, encoding
from .passage import Part, Passage, Piece, is_code, pieces, translated
from .safe_xml import DEEPEST
from .templates import Hidden, is_only_tags, pieces_around

_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)|[^\r\n]++\Z")
_FENCE = re.compile(r"\s*(```|~~~)")
_ITEM = re.compile(r"(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")
_GAP = re.compile(r"(\t+| {3,})")
_INDENTED = re.compile(r" {4}|\t")
_PROMPT = re.compile(r"\s*(?:\$|>>>|C:\\>)\s")
_CODE = re.compile(
    r"[;{}\\]\s*$|\w\((?:(?!\w\()[^)\n])*+\)|\s--?\w|\w ?[=!<>]=|\s[:+-]?=\s|[-=]>|::"
    r"|^\s*+(?:def|class|import|return|if|for|while)\b"
)
_NARROWEST, _MOST_LINES = 40, 200


def translate_txt(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate a text file line by line and cell by cell, the lines of a wrapped paragraph together.

    Code and the tags of templates stay.
    """
    file = encoding.decode(source.read_bytes())
    hidden = Hidden(file.text)
    parts: list[Part] = []
    paragraph: list[str] = []
    code = ""
    for line in _LINE.findall(hidden.text):
        fence = _FENCE.match(line)
        stays = bool(code) or not line.strip() or is_only_tags(line)
        if fence or stays or _ITEM.match(line) or len(paragraph) == _MOST_LINES:
            parts += _passages(paragraph)
            paragraph = []
        if fence and code in ("", fence[1]):
            code = "" if code else fence[1]
            parts.append(line)
        elif stays:
            parts.append(line)
        else:
            paragraph.append(line)
    done = "".join(translated([*parts, *_passages(paragraph)], words))
    target.write_bytes(file.encode(hidden.shown(done)))


def _passages(paragraph: Sequence[str]) -> Iterator[Part]:
    """Yield lines as they are if they are code, as one text if they are wrapped, else each for itself."""
    strange = sum(_CODE.search(line) is not None for line in paragraph)
    indented = all(map(_INDENTED.match, paragraph)) and 2 * strange >= max(1, len(paragraph))
    if indented or any(map(_PROMPT.match, paragraph)):
        yield from paragraph
        return
    if not _is_wrapped(paragraph):
        for line in paragraph:  # as several texts where wide gaps make it a row of a table
            for number, part in enumerate(_GAP.split(line)):
                yield part if number % 2 else Passage(pieces_around(part, pieces))
        return
    first, second, last = paragraph[0], paragraph[1], paragraph[-1]
    end = first[len(first.rstrip("\r\n")) :]
    indent = second[: _indent(second)]
    wrapper = textwrap.TextWrapper(
        max(max(len(line.rstrip()) for line in paragraph), len(indent) + 20),
        initial_indent=first[: _indent(first)],
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
        replace_whitespace=False,
        expand_tabs=False,
    )
    body = "".join(paragraph).rstrip("\r\n")
    text = " ".join(map(str.strip, paragraph))
    yield Passage(pieces_around(text, pieces), raw=body, finish=lambda done: end.join(wrapper.wrap(done)))
    yield last[len(last.rstrip("\r\n")) :]


def _is_wrapped(paragraph: Sequence[str]) -> bool:
    """Tell whether the lines are one text: none could have taken the next one's first word, and one continues in it."""
    lines = [line.rstrip() for line in paragraph]
    if len(lines) < 2:
        return False
    width = max(map(len, lines))
    full = all(len(line) + 1 + len(after.split()[0]) > width for line, after in pairwise(lines))
    hang = _ITEM.match(lines[0])
    indents = {_indent(line) for line in lines[1:]} | {hang.end() if hang else _indent(lines[0])}
    goes_on = any(line[-1] not in ".!?:;" and after.lstrip()[0].islower() for line, after in pairwise(lines))
    return width >= _NARROWEST and full and goes_on and len(indents) == 1


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


# ---- SubRip

_TIME = r"\d{1,4}:\d{1,2}:\d{1,2}(?:[,.:]\d{1,9})?"
_TIMES = re.compile(rf"^[ \t\ufeff]*-?{_TIME}[ \t]*-->[ \t]*-?{_TIME}[^\r\n]*(?:\r\n|\r|\n|\Z)", re.MULTILINE)
_NUMBER = re.compile(r"(?:\A|(?<=[\r\n]))[ \t]*\d+[ \t]*(?:\r\n|\r|\n)\Z")
_SPEAKER = re.compile(r"\s*+(?:(?:<[^<>]*>|\{[^{}]*\})++\s*+)?(?:[-–—‐♪#>]|\w[\w .]{0,20}:)")
_SPACE = re.compile(r"(<[^<>]*>|\{[^{}]*\})|\s+")
_MOST_JOINED = 20


def translate_srt(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate subtitles: the lines of one together, in as many lines again; numbers and times stay."""
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
        if not groups or len(groups[-1]) == _MOST_JOINED or not line.strip() or _SPEAKER.match(line):
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


# ---- JSON

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)(?P<key>\s*+:)?|[\[{]|[\]}]', re.DOTALL)
_LETTER_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*+\\u[0-9a-fA-F]{4}")
_SLASH_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*+\\/")


def translate_json(source: Path, target: Path, words: Words, wish: Wish) -> None:
    """Translate the strings of a JSON file that are values; keys, numbers, order, indentation and escapes stay."""
    file = encoding.decode(source.read_bytes())
    text, depth = file.text, 0
    for token in _TOKEN.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > DEEPEST:
            raise Unreadable(f"The file's values are nested more than {DEEPEST} deep.")
    try:
        json.loads(text, parse_int=str, parse_float=str, strict=False)
    except json.JSONDecodeError as error:
        raise Unreadable(f"The file is not JSON: {error.msg} (line {error.lineno}).") from None
    only_ascii = text.isascii() and _LETTER_ESCAPE.search(text) is not None
    escaped_slashes = _SLASH_ESCAPE.search(text) is not None

    def written(value: str) -> str:
        """Return *value* as the file writes its strings; half surrogate pairs are always escaped."""
        halves = any("\ud800" <= each <= "\udfff" for each in value)
        raw = json.dumps(value, ensure_ascii=only_ascii or halves)
        return raw.replace("/", "\\/") if escaped_slashes else raw

    parts: list[Part] = []
    at = 0
    for token in _TOKEN.finditer(text):
        if not token["key"] and token[0][0] == '"':
            value = str(json.loads(token[0], strict=False))
            if any(map(str.isalpha, value)) and not is_code(value):
                passage = Passage(pieces(value, tags=True), raw=token[0], finish=written)
                parts += (text[at : token.start()], passage)
                at = token.end()
    target.write_bytes(file.encode("".join(translated([*parts, text[at:]], words))))


# ---- FrameMaker's MIF: the strings of each paragraph together, over its lines; all other statements stay.
#
# What stands between two strings of a paragraph goes along as one piece: changes of font in pairs where one is taken
# back, the rest alone. Line ends and soft hyphens, which FrameMaker sets again, are dropped from what is translated.

_MIF_TOKEN = re.compile(
    r"`(?P<string>(?:[^'\\]++|\\.)*+)(?P<end>'?)|^[&=][^\r\n]*|#[^\r\n]*|(?P<open><)\s*(?P<name>\w*)|(?P<close>>)",
    re.DOTALL | re.MULTILINE,
)
_VERSION = re.compile(r"(?:\s++|#[^\r\n]*+)*+<MIFFile\s+(\d+)")
_ESCAPE = re.compile(r"\\x([0-9a-fA-F]{1,2}) ?|\\(.)", re.DOTALL)
_ESCAPED = {"\\": "\\\\", ">": "\\>", "'": "\\q", "`": "\\Q", "\t": "\\t", "\n": " ", "\r": " "}
_READ = {"t": "\t", "q": "'", "Q": "`", ">": ">", "\\": "\\"}
_SOFT = re.compile(r"\s*'>|<\s*String\s*`|<\s*ParaLine|<\s*Char\s+(?:Soft|Disc)Hyphen\s*>|>|#[^\r\n]*|\s+")
_FONT = re.compile(r"<\s*Font\b(?P<inside>(?:[^<>]|<[^<>]*>)*+)>")
_PLAIN_FONT = re.compile(r"(?:\s|#[^\r\n]*|<\s*FTag\s*`'\s*>|<\s*FLocked\s+\w+\s*>|<\s*FLanguage\s+\w+\s*>)*")
_LONGEST = 240
_MOST_STRINGS = 300_000


def translate_mif(source: Path, target: Path, words: Words, wish: Wish) -> None:
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
    for token in _MIF_TOKEN.finditer(text):
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
            found += pieces(text[at : escape.start()])
            said = _READ.get(escape[2] or "", "")
            if escape[1] and roman and int(escape[1], 16) > 0x7F:
                said = bytes.fromhex(escape[1].zfill(2)).decode("mac_roman")
            found.append(Piece(escape[0], said, "text") if said else Piece(escape[0]))
            at = escape.end()
        found += pieces(text[at:end])
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
