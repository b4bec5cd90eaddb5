"""Many texts as one string, so that one search, or one sweep over an array, looks at all of them.

A column goes onto the tape with a newline after every text; where pandas keeps it in Arrow, no text becomes an object
of its own on the way. A character has a place on the tape, a text has a row. Any stretch of the tape has a number that
equal stretches share, on every tape; different ones may share it too, by a rare accident or by design, so that what was
found by number is to be compared once more before it is told.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.checks import alphabet

Bools = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.uint64]

END = "\n"
# A newline inside of a text would end it; this stands in for it on the tape.
BREAK = "\x0b"
MOST_KEPT = 1 << 22
BASE = np.uint64(0x9E3779B97F4A7C15)
INVERSE = np.uint64(pow(int(BASE), -1, 2**64))
STIR = np.uint64(0xFF51AFD7ED558CCD)


class Tape:
    """*texts* one after the other; `tape[row]` is a text as it was given, and "" where there was none.

    `starts` and `ends` are the places of every text, and `missing` says where there was none. A cell that is no text
    raises TypeError with its row.
    """

    def __init__(self, texts: Sequence[str] | pd.Series[Any]) -> None:
        self._whole: dict[int, str] = {}
        if in_arrow(texts):
            self.data, self.missing = _from_arrow(texts)
            self.text = self.data.decode()
        else:
            self.text, self.missing = _from_list(texts)
        self._find_ends()
        if len(self.ends) != len(self.missing):
            self._replace_breaks(texts)

    def _replace_breaks(self, texts: Iterable[Any]) -> None:
        listed = [text if isinstance(text, str) else "" for text in texts]
        self._whole = {row: text for row, text in enumerate(listed) if END in text}
        self.text = "".join(text.replace(END, BREAK) + END for text in listed)
        for stale in ("codes", "data"):
            self.__dict__.pop(stale, None)
        self._find_ends()

    def _find_ends(self) -> None:
        self.ends: Places = np.flatnonzero(self.codes == ord(END))
        self.starts: Places = np.zeros_like(self.ends)
        self.starts[1:] = self.ends[:-1] + 1

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, row: int) -> str:
        if self._whole and row in self._whole:
            return self._whole[row]
        return self.text[self.starts.item(row) : self.ends.item(row)]

    def __iter__(self) -> Iterator[str]:
        return (self[row] for row in range(len(self)))

    def texts(self) -> list[str]:
        """All texts."""
        listed = self.text.split(END)[:-1]
        for row, text in self._whole.items():
            listed[row] = text
        return listed

    @cached_property
    def folded(self) -> Tape:
        """The same texts without the differences of case, width and Unicode form."""
        other = object.__new__(Tape)
        other.missing, other._whole, other.codes = self.missing, {}, self._folded_codes()
        other._find_ends()
        return other

    def _folded_codes(self) -> npt.NDArray[np.uint32]:
        """Character by character, but for the texts where that is not enough."""
        codes = alphabet.folds(self.codes)
        hard = np.flatnonzero(self.holding(codes == alphabet.ALONE)).tolist()
        parts, at = [], 0
        for row in hard:
            start, end = self.starts.item(row), self.ends.item(row)
            parts += [codes[at:start], _codes(folded(self.text[start:end]))]
            at = end
        return np.concatenate([*parts, codes[at:]])

    @cached_property
    def text(self) -> str:
        """All texts, with a newline after each."""
        return self.codes.tobytes().decode("utf-32-le", "surrogatepass")

    def decomposed(self) -> list[int]:
        """The rows of the texts that are not in Unicode's composed form."""
        return [
            row
            for row in np.unique(self.rows_of(self._loose())).tolist()
            if not unicodedata.is_normalized("NFC", self[row])
        ]

    def _loose(self) -> Places:
        """The places of what Unicode's composed form may not have."""
        wide = np.flatnonzero(self.codes >= alphabet.FIRST_LOOSE)
        return wide[alphabet.loose(self.codes[wide])]

    def take(self, rows: npt.NDArray[Any]) -> Tape:
        """A tape of the texts in *rows* only."""
        return Tape([self[row] for row in rows.tolist()])

    # ---- characters

    @cached_property
    def codes(self) -> npt.NDArray[np.uint32]:
        """The code point at every place."""
        return _codes(self.text)

    @cached_property
    def kinds(self) -> alphabet.Kinds:
        """What kind of character stands at every place; see `alphabet`."""
        return alphabet.kinds(self.codes)

    @cached_property
    def widest(self) -> int:
        """The largest code point; 0 where there is none."""
        return int(self.codes.max(initial=0))

    @cached_property
    def data(self) -> bytes:
        """The tape in UTF-8: small, and the fastest to look through for what is rare."""
        return self.text.encode("utf-8", "surrogatepass")

    def has_controls(self) -> bool:
        """Whether there is a control character, or a line or paragraph separator, besides the ends of the texts."""
        return controls_in(np.frombuffer(self.data, dtype=np.uint8), besides=len(self))

    def has_halves(self) -> bool:
        """Whether there is half of a surrogate pair."""
        octets = np.frombuffer(self.data, dtype=np.uint8)
        return self.widest >= 0xD800 and bool(((octets[:-1] == 0xED) & (octets[1:] >= 0xA0)).any())

    @property
    def lengths(self) -> Places:
        """How many characters every text has."""
        return self.ends - self.starts

    @cached_property
    def sizes(self) -> Places:
        """How many bytes every text has in UTF-8."""
        codes = self.codes
        if self.widest < 0x80:
            return self.lengths
        wide = (codes >= 0x80).astype(np.int8) + (codes >= 0x800) + (codes >= 0x10000)
        return self.lengths + self.sums(wide)

    @property
    def size(self) -> int:
        """How many bytes the whole tape has in UTF-8, with one for the end of every text."""
        return len(self.data)

    def rows_of(self, places: Places) -> Places:
        """The row of every place."""
        if len(places) * 16 < len(self):
            return np.searchsorted(self.ends, places, side="left")
        return self._row_at[places]

    @cached_property
    def _row_at(self) -> Places:
        return np.repeat(np.arange(len(self)), self.lengths + 1)

    def sums(self, values: npt.NDArray[Any]) -> Places:
        """For every text the sum of *values*, which has one for every place."""
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        sums: Places = np.add.reduceat(values, self.starts, dtype=np.int64) - values[self.ends]
        return sums

    def holding(self, which: Bools) -> Bools:
        """For every text whether *which* is true somewhere in it."""
        found = np.zeros(len(self), dtype=np.bool_)
        if which.any():  # soon said, and mostly not so
            found[self.rows_of(np.flatnonzero(which))] = True
        return found

    def of_kind(self, kind: int) -> Bools:
        """For every text whether a character of *kind* is in it."""
        inside = (self.kinds & kind) != 0
        if kind & (alphabet.SPACE | alphabet.CONTROL):
            inside[self.ends] = False
        return self.holding(inside)

    def first_kinds(self) -> alphabet.Kinds:
        """The kind of every text's first character; 0 where there is none."""
        return np.where(self.lengths > 0, self.kinds[self.starts], 0).astype(np.uint16)

    def last_kinds(self) -> alphabet.Kinds:
        """The kind of every text's last character; 0 where there is none."""
        return np.where(self.lengths > 0, self.kinds[self.ends - 1], 0).astype(np.uint16)

    # ---- searches

    def find(self, pattern: re.Pattern[str]) -> tuple[Places, list[re.Match[str]]]:
        """All matches of *pattern*, which must not match a newline, and the row of each."""
        matches = list(pattern.finditer(self.text))
        places = np.fromiter((match.start() for match in matches), dtype=np.int64, count=len(matches))
        return self.rows_of(places), matches

    # ---- numbers

    def numbers(self, starts: Places | None = None, ends: Places | None = None) -> Numbers:
        """A number for every stretch from one of *starts* to one of *ends*, or for every text; equal ones share it."""
        return self._own if starts is None or ends is None else self._numbered(starts, ends)

    @cached_property
    def _own(self) -> Numbers:
        return self._numbered(self.starts, self.ends)

    def _numbered(self, starts: Places, ends: Places) -> Numbers:
        _, inverse = self._powers
        found: Numbers = (self._sums[ends] - self._sums[starts]) * inverse[starts]
        # Low bits only mix with lower ones: bring the high ones down.
        found ^= found >> np.uint64(32)
        found *= STIR
        found ^= found >> np.uint64(29)
        return found

    @cached_property
    def _powers(self) -> tuple[Numbers, Numbers]:
        return _powers(len(self.codes) + 1)

    @cached_property
    def _sums(self) -> Numbers:
        powers, _ = self._powers
        sums = np.empty(len(self.codes) + 1, dtype=np.uint64)
        sums[0] = 0
        sums[1:] = self.codes
        sums[1:] *= powers[:-1]
        return np.cumsum(sums, out=sums)


def controls_in(octets: npt.NDArray[np.uint8], *, besides: int = 0) -> bool:
    """Whether UTF-8 has a control character, or a line or paragraph separator, besides so many line ends."""
    if np.count_nonzero(octets < 0x20) > besides or (octets == 0x7F).any():
        return True
    above = octets[np.flatnonzero(octets[:-1] == 0xC2) + 1] < 0xA0
    general = np.flatnonzero(octets[:-2] == 0xE2)
    separators = (octets[general + 1] == 0x80) & ((octets[general + 2] | 1) == 0xA9)
    return bool(above.any()) or bool(separators.any())


def folded(text: str) -> str:
    """*text* without the differences of case, width and Unicode form."""
    return unicodedata.normalize("NFKC", text).casefold()


def _codes(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _powers(count: int) -> tuple[Numbers, Numbers]:
    """The first *count* powers of the base and of its inverse, modulo 2**64; kept for the next tape, unless huge."""
    global _kept
    found = _kept
    if len(found[0]) < count:
        room = 1 << count.bit_length() if count < MOST_KEPT else count
        found = _power(BASE, room), _power(INVERSE, room)
        _kept = found if room <= MOST_KEPT else _kept
    return found[0][:count], found[1][:count]


def _power(base: np.uint64, count: int) -> Numbers:
    powers = np.full(count, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)


_kept = (_power(BASE, 1024), _power(INVERSE, 1024))


def in_arrow(texts: Any) -> bool:
    """Whether *texts* is a column that pandas keeps in Arrow."""
    return isinstance(texts, pd.Series) and getattr(texts.dtype, "storage", None) == "pyarrow"


def rows_joined(columns: Sequence[pd.Series[Any]], separator: str) -> Any:
    """Every row's texts as one, gaps as nothing: an array for `joined`, in Arrow where all *columns* are."""
    if not all(map(in_arrow, columns)):
        listed = (["" if text is None else text for text in _objects(column)] for column in columns)
        return np.array([*map(separator.join, zip(*listed, strict=True)), None], dtype=object)[:-1]
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = [_arrow_cells(column) for column in columns]
    kind = cells[0].type
    return pc.binary_join_element_wise(*(each.cast(kind) for each in cells), pa.scalar(separator, kind))


def replaced(column: pd.Series[Any], where: Bools, texts: Sequence[str]) -> pd.Series[Any]:
    """*column* with *texts* in the rows *where* is true."""
    if not in_arrow(column):
        cells = np.array(_objects(column), dtype=object)
        cells[where] = texts
        return pd.Series(cells, index=column.index, dtype=object)
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = _arrow_cells(column)
    changed = pc.replace_with_mask(cells, pa.array(where), pa.array(texts, cells.type))
    return pd.Series(pd.array(changed, dtype=column.dtype), index=column.index)


def joined(texts: Any) -> str:
    """All *texts*, an array of objects or of Arrow, as lines."""
    if isinstance(texts, np.ndarray):
        return END.join(texts.tolist())
    return arrow_lines(texts).decode()


def arrow_lines(texts: Any) -> bytes:
    """All *texts*, an array of Arrow, as lines in UTF-8."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(texts):
        return b""
    listed = pa.ListArray.from_arrays(pa.array([0, len(texts)], pa.int32()), texts)
    whole = pc.binary_join(listed, pa.scalar(END, texts.type))
    octets: bytes = whole[0].as_buffer().to_pybytes()
    return octets


def holding_octets(column: pd.Series[Any], marks: bytes) -> Bools:
    """For every text of *column* whether one of the ASCII characters *marks* is in it."""
    if not in_arrow(column):
        letters = set(marks.decode())
        return np.array([not letters.isdisjoint(text or "") for text in _objects(column)], dtype=np.bool_)
    octets, bounds = arrow_octets(column)
    found = np.zeros(len(column), dtype=np.bool_)
    for mark in marks:
        found[np.searchsorted(bounds, np.flatnonzero(octets == mark), side="right") - 1] = True
    return found


def arrow_octets(texts: Any) -> tuple[npt.NDArray[np.uint8], Places]:
    """The UTF-8 of a column that pandas keeps in Arrow, all in one, and where each text begins and the last ends."""
    cells = _arrow_cells(texts)
    _, offsets, octets = cells.buffers()
    width = np.int64 if cells.type == "large_string" else np.int32
    bounds = np.frombuffer(offsets, dtype=width)[cells.offset : cells.offset + len(cells) + 1].astype(
        np.int64
    )
    whole = np.frombuffer(octets, dtype=np.uint8) if octets else np.zeros(0, dtype=np.uint8)
    return whole[bounds[0] : bounds[-1]], bounds - bounds[0]


def _arrow_cells(texts: Any) -> Any:
    """The cells of a column that pandas keeps in Arrow, as one array without gaps."""
    import pyarrow as pa

    cells = pa.array(texts.array)
    whole = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    return whole.fill_null("") if whole.null_count else whole


def _objects(column: pd.Series[Any]) -> list[Any]:
    return column.astype(object).where(column.notna(), None).tolist()


def _from_arrow(texts: Any) -> tuple[bytes, Bools]:
    missing = texts.isna().to_numpy()
    return arrow_lines(_arrow_cells(texts)) + END.encode() if len(texts) else b"", missing


def _from_list(texts: Any) -> tuple[str, Bools]:
    listed = texts.tolist() if isinstance(texts, pd.Series) else list(texts)
    try:
        return "".join([END.join(listed), END]) if listed else "", np.zeros(len(listed), dtype=np.bool_)
    except TypeError:
        pass
    missing = np.asarray(pd.isna(pd.Series(listed, dtype=object)), dtype=np.bool_)
    for row, cell in enumerate(listed):
        if not missing[row] and not isinstance(cell, str):
            raise TypeError(f"row {row}: expected text, found {type(cell).__name__}. Use .astype(str).")
    return "".join(("" if gap else text) + END for text, gap in zip(listed, missing, strict=True)), missing
