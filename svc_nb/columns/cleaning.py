"""Repair damaged texts before they are paid for: kinds of damage, a plan of what cleaning changes, clean columns."""

from __future__ import annotations

import ast
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from html import unescape
from html.entities import html5
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_object_dtype

from svc_nb.advice import did_you_mean
from svc_nb.checks.findings import excerpt
from svc_nb.checks.mojibake import without_mojibake
from svc_nb.checks.text_array import as_texts
from svc_nb.columns.changes import spelled
from svc_nb.columns.protected_spans import placeholders, tags
from svc_nb.errors import warn
from svc_nb.tabular.report import Report, named, plural
from svc_nb.tabular.text_column import Column, text_array

ALL = "all"
TAGS = "tags"
BYTES = "bytes"
MOST_ROUNDS = 10
"""How often a text is cleaned at most until nothing changes any more: damage may hide other damage."""
AROUND = 15
LONGEST_EXAMPLE = 60
MOST_GUESSED = 100_000
LEAST_GUESSED = 50
"""How many bytes that are not UTF-8 are examined to guess their encoding; fewer are not enough."""
MOST_FOREIGN = 0.3
"""The share of non-ASCII letters, below which a text may be in cp1252."""
ENCODINGS = [
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8_r", "shift_jis", "euc_jp", "gb18030",
    "big5", "euc_kr",
]  # fmt: skip


class Kind(NamedTuple):
    """A kind of damage: whether it is repaired by default, what a text with it contains, and the repair."""

    default: bool
    hint: re.Pattern[str]
    repair: Callable[[str], str]


# ---- texts that were bytes

_LITERAL = re.compile(r"""\s*+[bB]('(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")\s*+""", re.DOTALL)


def _from_literal(text: str) -> str:
    """The decoded text of a Python bytes literal, "b'caf\\xc3\\xa9'"."""
    if not _LITERAL.fullmatch(text):
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # about invalid escapes, which stay
            warnings.simplefilter("ignore", DeprecationWarning)
            data = ast.literal_eval(text.strip())
    except (SyntaxError, ValueError):  # not ASCII, or an invalid escape
        return text
    found = decoded([data])[0][0]
    return text if found is None else found


def decoded(cells: Sequence[bytes]) -> tuple[list[str | None], str | None]:
    """*cells* as texts, None for those that cannot be decoded, and the encoding of those not in UTF-8, if any.

    All of these are assumed to share one encoding: the one that `charset_normalizer` detects, if it is installed and
    has enough text, or cp1252 if most letters are ASCII.
    """
    found = [_utf(cell) for cell in cells]
    others = {place: cell for place, cell in enumerate(cells) if found[place] is None}
    encoding = _encoding(b"\n".join(others.values()))
    if encoding is None:
        encoding = "cp1252"
        others = {
            place: cell
            for place, cell in others.items()
            if sum(byte >= 0x80 for byte in cell) < MOST_FOREIGN * len(cell)
        }
    for place, cell in others.items():
        found[place] = _text(cell, encoding)
    return found, encoding if others else None


def _encoding(data: bytes) -> str | None:
    """The encoding of *data*, which is not UTF-8; None if it cannot be determined."""
    if len(data) < LEAST_GUESSED:
        return None
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return None
    best = from_bytes(data[:MOST_GUESSED], cp_isolation=ENCODINGS).best()
    return best.encoding if best else None


def _utf(data: bytes) -> str | None:
    return _text(data, "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")


def _text(data: bytes, encoding: str) -> str | None:
    """*data* as text; None if it is invalid in *encoding*, or has control characters that no text contains."""
    try:
        text = data.decode(encoding)
    except UnicodeError:
        return None
    return None if re.search("[\x80-\x9f]", text) and not encoding.startswith("utf") else text


# ---- HTML

_BLOCKS = (
    "address|article|aside|blockquote|br|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|"
    "pre|section|table|tr|ul"
)
_BLOCK = re.compile(rf"</?(?:{_BLOCKS})\b", re.IGNORECASE)
_CELL = re.compile(r"</?t[dh]\b", re.IGNORECASE)
_CODE = re.compile(r"<(script|style)\b[^<>]*+>(?:(?!</?\1\b).)*+</\1\s*+>", re.IGNORECASE | re.DOTALL)
_AROUND_BREAKS = re.compile(r"(?<![^\S\n])[^\S\n]*+\n\s*+")  # a run of spaces is searched only once

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# What no one writes by hand in HTML: an escaped entity, and escaped brackets of tags, arrows and comparisons.
_ESCAPED = re.compile(r"&amp;(?:#?\w{1,31};)|&(?:lt|#60);(?:[\w/=-]|&(?:lt|#60);)|[\w\]=-]&(?:gt|#62);|&(?:gt|#62);=")


def has_tags(text: str) -> bool:
    """Whether *text* contains a tag and so is HTML or XML."""
    return "<" in text and any(text[start] == "<" for start, _ in tags(text))


def _without_tags(text: str) -> str:
    """*text* without tags, comments, scripts and styles; with a line break wherever a block begins or ends."""
    text = _CODE.sub("", text)
    pieces, at = [], 0
    for start, end in tags(text):
        if text[start] != "<":
            continue
        tag = text[start:end]
        pieces += [text[at:start], "\n" if _BLOCK.match(tag) else " " if _CELL.match(tag) else ""]
        at = end
    if not at:
        return text
    return _AROUND_BREAKS.sub("\n", "".join([*pieces, text[at:]])).strip()


def _without_entities(text: str) -> str:
    """*text* with its entities as characters, unless it is HTML; HTML that was escaped twice is unescaped once.

    It is HTML if it contains tags. With placeholders it may be an HTML template. Then it counts as escaped by a program
    only if it has what no one writes by hand: letters and quotation marks as entities, and what `_ESCAPED` finds.
    """
    if has_tags(text):
        return text
    if names := sorted(placeholders(text)):
        ends = [0, *(end for _, end in names)], [*(start for start, _ in names), len(text)]
        besides = "\0".join(text[start:end] for start, end in zip(*ends, strict=True))
        meant = "".join(map(_meant, _ENTITY.findall(text)))
        if not _ESCAPED.search(besides) and not any(
            letter.isalnum() or letter in "\"'‘’“”\u200c\u200d" for letter in meant
        ):
            return text
    return _ENTITY.sub(lambda entity: _meant(entity[0]) or entity[0], text)


def _meant(entity: str) -> str:
    """The character that *entity* stands for; "" if it is invalid, or stands for a control character."""
    found = unescape(entity) if entity[1] == "#" else html5.get(entity[1:], "")
    return "" if any(unicodedata.category(letter) == "Cc" or letter == "\ufffd" for letter in found) else found


# ---- characters

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")

_TERMINAL = r"\x1b\[[0-?]*+[ -/]*+[@-~]"
_CONTROL = re.compile(rf"{_TERMINAL}|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_LINE_ENDS = "\x0b\x0c\x85"

# Byte order marks, zero-width spaces, notes between lines, code points for internal use, hidden copies of ASCII.
_FLAG = "\U0001f3f4[\U000e0020-\U000e007e]++\U000e007f"
_INVISIBLE = re.compile(rf"({_FLAG})|[\ufeff\u200b\ufff9-\ufffb\ufdd0-\ufdef\ufffe\uffff\U000e0000-\U000e007f]")
# Scripts without spaces between words, such as Thai and Khmer: a zero-width space marks the end of a word.
_WORDS_UNSPACED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\ua980-\ua9ff\uaa60-\uaadf]"
)

# Not the letters of Indian scripts: they are written in both forms, and some have no composed form in NFC.
_DECOMPOSED = re.compile(
    r"[A-Za-z\u00c0-\u024f\u0370-\u0523\u1e00-\u1fff][\u0300-\u036f]++|[\u3046-\u30fd][\u3099\u309a]"
    r"|[\u0627\u0648\u064a\u06c1\u06d2\u06d5][\u0653-\u0655]"
    r"|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?+"
)


def _without_invisible(text: str) -> str:
    keeps_spaces = _WORDS_UNSPACED.search(text)
    return _INVISIBLE.sub(lambda found: found[0] if found[1] or (keeps_spaces and found[0] == "\u200b") else "", text)


KINDS: dict[str, Kind] = {
    BYTES: Kind(True, re.compile(r"\A\s*+[bB]['\"]"), _from_literal),
    TAGS: Kind(False, re.compile("<"), _without_tags),
    "entities": Kind(True, _ENTITY, _without_entities),
    "mojibake": Kind(True, _NOT_ASCII, without_mojibake),
    "control": Kind(
        True, _CONTROL, lambda text: _CONTROL.sub(lambda found: "\n" if found[0] in _LINE_ENDS else "", text)
    ),
    "invisible": Kind(True, _INVISIBLE, _without_invisible),
    "unicode_form": Kind(
        True,
        _DECOMPOSED,
        lambda text: _DECOMPOSED.sub(lambda found: unicodedata.normalize("NFC", found[0]), text),
    ),
    "doubled_spaces": Kind(
        False, re.compile(r"[ \t]{2}"), lambda text: re.sub(r"(?<=\S)(?:[ \t]{2,})(?=\S)", " ", text)
    ),
    "outer_spaces": Kind(False, re.compile(r"\A\s|\s\Z"), str.strip),
    "repeated_characters": Kind(
        False,
        re.compile(r"([^\W\d_]|[!?.])\1{3}"),
        lambda text: re.sub(r"([^\W\d_]|[!?.])\1{3,}", r"\1\1\1", text),
    ),
}

DEFAULT = [name for name, kind in KINDS.items() if kind.default]
Names = Iterable[str] | str | None


# ---- which kinds


def chosen(
    known: Iterable[str], default: Iterable[str], *, kinds: Names = None, also: Names = None, skip: Names = None
) -> list[str]:
    """The requested names of *known*, in its order: *kinds* or the *default*, plus *also*, without *skip*.

    Raises ValueError for a name that does not exist, and TypeError for anything that is not a name.
    """
    order = list(known)
    found: dict[str, set[str]] = {}
    for option, given in (("kinds", kinds), ("also", also), ("skip", skip)):
        names = [given] if isinstance(given, str) else [] if given is None else given
        if not isinstance(names, Iterable):
            raise TypeError(f'{option}: expected a kind, a list of kinds or "all", found {given!r}')
        found[option] = set()
        for name in names:
            if name not in order and name != ALL:
                raise ValueError(f"{option}: there is no kind {name!r}. {did_you_mean(name, [*order, ALL])}")
            found[option].update(order if name == ALL else [name])
    on = found["also"].union(default if kinds is None else found["kinds"]) - found["skip"]
    return [name for name in order if name in on]


def kinds_of_damage(
    *, kinds: Names = None, also: Names = None, skip: Names = None, tags: str | None = None
) -> list[str]:
    """The kinds of damage that the options of `clean` select."""
    if tags not in (None, "keep", "strip"):
        raise ValueError(f'tags: expected "keep" or "strip", found {tags!r}')
    on = set(chosen(KINDS, DEFAULT, kinds=kinds, also=also, skip=skip))
    if tags == "keep":
        on.discard(TAGS)
    elif tags == "strip":
        if TAGS not in chosen(KINDS, KINDS, skip=skip):
            raise ValueError('tags="strip" removes tags, but skip= leaves them in. Give only one of the two.')
        on.add(TAGS)
    return [name for name in KINDS if name in on]


# ---- one text


def cleaned(text: str, on: Iterable[str], made: dict[str, tuple[str, str]] | None = None) -> str:
    """*text* without damage of the kinds *on*; *made* gets each kind that changed it, and the text before and after.

    >>> cleaned("SchÃ¶n &amp; gut", ["entities", "mojibake"])
    'Schön & gut'
    """
    for turn in range(MOST_ROUNDS):
        start = text
        for name in on:
            kind = KINDS[name]
            # Escaped HTML is text, not a tag.
            if (turn and name == TAGS) or not kind.hint.search(text):
                continue
            before, text = text, kind.repair(text)
            if made is not None and text != before:
                made.setdefault(name, (before, text))
        if text == start:
            break
    return text


def looks_damaged(text: str) -> bool:
    """Whether cleaning with the default kinds changes *text*."""
    return cleaned(text, DEFAULT) != text


# ---- columns


class _Cells:
    """The cells of a column: bytes as texts where they can be decoded, and those that cannot."""

    def __init__(self, values: pd.Series[Any] | pd.Index[Any], on: Sequence[str]) -> None:
        self.read: dict[int, bytes] = {}  # cells of bytes, by position
        self.stay: dict[int, Any] = {}  # those that cannot be decoded
        self.encoding: str | None = None
        self._given = values
        if isinstance(values.dtype, pd.ArrowDtype) and values.dtype.type is bytes:
            values = values.astype(object)
        if BYTES in on and is_object_dtype(values.dtype):
            values = self._decoded(values)
        as_texts(pd.Series(values), "texts" if values.name is None else f"column {values.name!r}")
        self.column = Column(values)

    def _decoded(self, values: Any) -> Any:
        cells = np.array(values, dtype=object)
        given = {place: cell for place, cell in enumerate(cells) if isinstance(cell, bytes | bytearray | memoryview)}
        if not given:
            return values
        self.read = {place: bytes(cell) for place, cell in given.items()}
        texts, self.encoding = decoded(list(self.read.values()))
        for place, text in zip(self.read, texts, strict=True):
            if text is None:
                self.stay[place] = given[place]
            cells[place] = text
        if isinstance(values, pd.Index):
            return pd.Index(cells, name=values.name, dtype=object)
        return pd.Series(cells, index=values.index, name=values.name, dtype=object)

    def filled(self, texts: Sequence[str | None]) -> Any:
        """The column with *texts* instead of its own; missing cells and undecodable ones stay unchanged."""
        made = self.column.filled(texts, self.column.codes)
        if not is_object_dtype(made.dtype):
            return made
        gaps = self.column.codes < 0
        cells = np.array(made, dtype=object)
        cells[gaps] = np.array(self._given, dtype=object)[gaps]  # None, NaN or pd.NA, and bytes
        if isinstance(made, pd.Index):
            return pd.Index(cells, name=made.name, dtype=object)
        return pd.Series(cells, index=made.index, name=made.name, dtype=object)

    def left(self) -> str:
        """A sentence about cells that could not be decoded; "" if there are none."""
        if not self.stay:
            return ""
        labels = named([self.column.labels[place] for place in self.stay])
        return f"{plural(len(self.stay), 'cell')} of bytes could not be decoded and stayed unchanged (rows: {labels})."


def clean(values: pd.Series[Any] | pd.Index[Any], on: Sequence[str]) -> Any:
    """*values* without damage of the kinds *on*, in the same shape; each different text is examined once."""
    cells = _Cells(values, on)
    made = cells.filled([text if text is None else cleaned(text, on) for text in cells.column.texts])
    if left := cells.left():
        warn(UserWarning(left))
    return made


def clean_plan(
    columns: Sequence[pd.Series[Any] | pd.Index[Any]], on: Sequence[str], *, in_frame: bool = False
) -> Report:
    """What `clean` changes in *columns*: a row for each kind, even if it is off, with its rows and an example."""
    found = [_Found(each, on) for each in columns]
    table = pd.concat([each.table() for each in found], ignore_index=True)
    if in_frame:
        table.insert(0, "column", pd.Series([each.name for each in columns for _ in KINDS], dtype=object))
    changed, rows, others = (sum(getattr(each, name) for each in found) for name in ("changed", "rows", "others"))
    said = [f"Cleaning changes {changed:,} of {plural(rows, 'row')}."]
    if others:
        said.append(f"Kinds that are off would change {plural(others, 'more row')}. Add them with also=.")
    said += [each.said for each in found if each.said]
    if changed:
        said.append("Next: .svc.clean(), then .svc.changes(cleaned).")
    return Report(table, " ".join(said))


class _Found:
    """What each kind changes in a column: in how many rows, and the first text that it changes.

    A kind that is off is tried on the result of the others. `changed` are the rows changed by kinds *on*, `others`
    those that only other kinds would change.
    """

    def __init__(self, values: pd.Series[Any] | pd.Index[Any], on: Sequence[str]) -> None:
        cells = _Cells(values, on)
        column, self._on, self.rows = cells.column, on, len(values)
        times = np.bincount(column.codes[column.codes >= 0], minlength=len(column.texts)).tolist()
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, tuple[str, str]] = {}
        changed, others = set(), set()
        off = [name for name in KINDS if name not in on]
        for unit, text in enumerate(column.texts):
            made: dict[str, tuple[str, str]] = {}
            result = cleaned(text or "", on, made)
            if made:
                changed.add(unit)
            for name in off:
                cleaned(result, [name], made)
            if made and times[unit]:
                others.add(unit)
                self._counts.update(dict.fromkeys(made, times[unit]))
                self._examples = {**made, **self._examples}
        decoded_rows = [place for place in cells.read if place not in cells.stay]
        if decoded_rows:
            first = decoded_rows[0]
            self._counts[BYTES] += len(decoded_rows)
            self._examples[BYTES] = str(cells.read[first]), column.texts[column.codes[first]] or ""
        besides = sum(int(column.codes[place]) not in changed for place in decoded_rows)
        self.changed = sum(times[unit] for unit in changed) + besides
        self.others = sum(times[unit] for unit in others - changed)
        encoding = f"Bytes that are not UTF-8 are read as {cells.encoding}. Check whether that is right."
        self.said = " ".join(filter(None, [encoding if cells.encoding else "", cells.left()]))

    def table(self) -> pd.DataFrame:
        """A row for each kind."""
        examples = [_shown(*self._examples.get(kind, ("", ""))) for kind in KINDS]
        return pd.DataFrame(
            {
                "kind": text_array(list(KINDS)),
                "on": [kind in self._on for kind in KINDS],
                "rows": np.array([self._counts[kind] for kind in KINDS], dtype=np.int64),
                "example_before": text_array([before for before, _ in examples]),
                "example_after": text_array([after for _, after in examples]),
            }
        )


def _shown(before: str, after: str) -> tuple[str | None, str | None]:
    """The beginning of the difference, with a little context before it; invisible characters as code points."""
    if before == after:
        return None, None
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    start = max(0, same - AROUND)
    head = "…" if start else ""
    before, after = before[start : start + LONGEST_EXAMPLE * 2], after[start : start + LONGEST_EXAMPLE * 2]
    shown = [excerpt(head + text, LONGEST_EXAMPLE) for text in (spelled(before, after), spelled(after, before))]
    return shown[0], shown[1]
