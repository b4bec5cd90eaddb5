"""What is wrong in texts before they are paid for: kinds of damage, a plan of what cleaning changes, clean columns."""

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
"""So often a text is cleaned until nothing changes any more: damage may hide other damage."""
AROUND = 15
LONGEST_EXAMPLE = 60
MOST_GUESSED = 100_000
LEAST_GUESSED = 50
"""So many bytes that are not UTF-8 are looked at to tell their encoding; of fewer it cannot be told."""
MOST_FOREIGN = 0.3
"""A text in cp1252 has a smaller share of letters that are not ASCII."""
ENCODINGS = [
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8_r", "shift_jis", "euc_jp", "gb18030",
    "big5", "euc_kr",
]  # fmt: skip


class Kind(NamedTuple):
    """A kind of damage: whether it is repaired unless said otherwise, what a text with it holds, and the repair."""

    default: bool
    hint: re.Pattern[str]
    repair: Callable[[str], str]


# ---- texts that were bytes

_LITERAL = re.compile(r"""\s*+[bB]('(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")\s*+""", re.DOTALL)


def _from_literal(text: str) -> str:
    """A text that is a literal of bytes in Python, "b'caf\\xc3\\xa9'", as the text that the bytes are."""
    if not _LITERAL.fullmatch(text):
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # of escapes that are none, which stay
            warnings.simplefilter("ignore", DeprecationWarning)
            data = ast.literal_eval(text.strip())
    except (SyntaxError, ValueError):  # no ASCII, or an escape that is none
        return text
    found = decoded([data])[0][0]
    return text if found is None else found


def decoded(cells: Sequence[bytes]) -> tuple[list[str | None], str | None]:
    """*cells* as texts, None for those that are none, and the encoding of those that are not UTF-8, if there are any.

    They are taken to have one encoding in common: the one that `charset_normalizer` tells, if it is installed and there
    is enough to tell it by, or cp1252 where most letters are ASCII.
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
    """The encoding of *data*, which is not UTF-8; None where it cannot be told."""
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
    """*data* as text; None where it is none in *encoding*, or only with control characters that no text has."""
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
_AROUND_BREAKS = re.compile(r"(?<![^\S\n])[^\S\n]*+\n\s*+")  # a run of spaces is looked through once

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# What nobody writes so by hand in HTML: an entity that is escaped, and brackets of tags, arrows and comparisons.
_ESCAPED = re.compile(r"&amp;(?:#?\w{1,31};)|&(?:lt|#60);(?:[\w/=-]|&(?:lt|#60);)|[\w\]=-]&(?:gt|#62);|&(?:gt|#62);=")


def has_tags(text: str) -> bool:
    """Whether *text* holds a tag, so that it is HTML or XML."""
    return "<" in text and any(text[start] == "<" for start, _ in tags(text))


def _without_tags(text: str) -> str:
    """*text* without tags, comments, scripts and styles; where a block begins or ends, there is a line break."""
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
    """*text* with its entities as characters, unless it is HTML; where it was escaped twice, as it was after once.

    It is HTML if it holds tags. With placeholders it may be a template of HTML: then only what nobody writes by hand
    tells that it was escaped by a program: letters and quotation marks as entities, and what `_ESCAPED` finds.
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
    """What *entity* stands for; "" where it is none, or stands for a control character."""
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
# Scripts without spaces between words, such as Thai and Khmer: a zero-width space tells where a word ends.
_WORDS_UNSPACED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\ua980-\ua9ff\uaa60-\uaadf]"
)

# Not the letters of Indian scripts: they are written in both forms, and some have no composed one in NFC.
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
    """The names among *known* that are asked for, in their order: *kinds* or the *default*, and *also*, without *skip*.

    Raises ValueError for a name that does not exist, and TypeError for what is none.
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
    """The kinds of damage that the options of `clean` ask for."""
    if tags not in (None, "keep", "strip"):
        raise ValueError(f'tags: expected "keep" or "strip", found {tags!r}')
    on = set(chosen(KINDS, DEFAULT, kinds=kinds, also=also, skip=skip))
    if tags == "keep":
        on.discard(TAGS)
    elif tags == "strip":
        if TAGS not in chosen(KINDS, KINDS, skip=skip):
            raise ValueError('tags="strip" takes out tags, and skip= says to leave them. Give one of the two.')
        on.add(TAGS)
    return [name for name in KINDS if name in on]


# ---- one text


def cleaned(text: str, on: Iterable[str], made: dict[str, tuple[str, str]] | None = None) -> str:
    """*text* without damage of the kinds *on*; *made* gets each kind that changed it, with the text before and after.

    >>> cleaned("SchÃ¶n &amp; gut", ["entities", "mojibake"])
    'Schön & gut'
    """
    for turn in range(MOST_ROUNDS):
        start = text
        for name in on:
            kind = KINDS[name]
            # What was escaped in HTML is text, and no tag.
            if (turn and name == TAGS) or not kind.hint.search(text):
                continue
            before, text = text, kind.repair(text)
            if made is not None and text != before:
                made.setdefault(name, (before, text))
        if text == start:
            break
    return text


def looks_damaged(text: str) -> bool:
    """Whether cleaning with the usual kinds changes *text*."""
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
        """The column with *texts* in place of its own; gaps and what could not be decoded are as they were."""
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
        """What could not be decoded, in words; "" where there is nothing."""
        if not self.stay:
            return ""
        labels = named([self.column.labels[place] for place in self.stay])
        return (
            f"{plural(len(self.stay), 'cell')} of bytes could not be decoded and stayed as found, in the rows {labels}."
        )


def clean(values: pd.Series[Any] | pd.Index[Any], on: Sequence[str]) -> Any:
    """*values* without damage of the kinds *on*, in the same shape; each different text is looked at once."""
    cells = _Cells(values, on)
    made = cells.filled([text if text is None else cleaned(text, on) for text in cells.column.texts])
    if left := cells.left():
        warn(UserWarning(left))
    return made


def clean_plan(
    columns: Sequence[pd.Series[Any] | pd.Index[Any]], on: Sequence[str], *, in_frame: bool = False
) -> Report:
    """What `clean` changes in *columns*: a row for each kind, also for those that are off, with rows and an example."""
    found = [_Found(each, on) for each in columns]
    table = pd.concat([each.table() for each in found], ignore_index=True)
    if in_frame:
        table.insert(0, "column", pd.Series([each.name for each in columns for _ in KINDS], dtype=object))
    changed, rows, others = (sum(getattr(each, name) for each in found) for name in ("changed", "rows", "others"))
    said = [f"Cleaning changes {changed:,} of {plural(rows, 'row')}."]
    if others:
        said.append(f"Kinds that are off would change {plural(others, 'more row')}: name them by also=.")
    said += [each.said for each in found if each.said]
    if changed:
        said.append("Next: .svc.clean(), then .svc.changes(cleaned).")
    return Report(table, " ".join(said))


class _Found:
    """What each kind changes in a column: in how many rows, and the first text that it changes.

    A kind that is off is tried on what the others leave. `changed` are rows that kinds *on* change, `others` those that
    only other kinds would.
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
        encoding = f"Bytes that are not UTF-8 are read as {cells.encoding}: see whether that is right."
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
    """The beginning of what differs, with a little of what stands before it; unseen characters by code point."""
    if before == after:
        return None, None
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    start = max(0, same - AROUND)
    head = "…" if start else ""
    before, after = before[start : start + LONGEST_EXAMPLE * 2], after[start : start + LONGEST_EXAMPLE * 2]
    shown = [excerpt(head + text, LONGEST_EXAMPLE) for text in (spelled(before, after), spelled(after, before))]
    return shown[0], shown[1]
