"""A column of texts as one array of code points, so that a single search or pass covers all of them.

A newline follows every text. A character has a place in the array, a text has a row. Any stretch of the array has a
hash that equal stretches share, in every array. Different ones may share it too, by rare accident or on purpose, so
matches by hash must be compared before they count.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.checks import codepoints
from svc_nb.tabular.text_column import as_text

Bools = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]

END = "\n"
# A newline inside a text would end it; this replaces it in the array.
BREAK = "\x0b"

MOST_CHARACTERS = 1 << 21
MOST_ROWS = 1 << 15

MOST_KEPT = 1 << 22
MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd number whose multiples spread over all 64 bits: rows, counts and signs are multiplied by it to join a hash."""
BASE = MIX
INVERSE = np.uint64(pow(int(BASE), -1, 2**64))
STIR = np.uint64(0xFF51AFD7ED558CCD)


def as_texts(column: Any, name: str) -> pd.Series[Any]:
    """*column* as a Series of texts, some missing; anything else in it raises TypeError with the row."""
    if isinstance(column, str | pd.DataFrame) or not isinstance(column, Iterable):
        raise TypeError(f"{name}: expected a column of texts, found {type(column).__name__}")
    series = column if isinstance(column, pd.Series) else pd.Series(list(column), dtype=object)
    if isinstance(series.dtype, pd.StringDtype):
        return series
    cells = series.astype(object)
    gaps = cells.isna().to_numpy()
    for place, cell in enumerate(cells.tolist()):
        if not isinstance(cell, str) and not gaps[place]:
            kind = type(cell).__name__
            raise TypeError(
                f"{name}, row {place} (label {series.index[place]!r}): expected text, found {kind}. {as_text(kind)}."
            )
    return cells


def aligned(first: Any, second: Any, one: str, other: str) -> tuple[pd.Series[Any], pd.Series[Any]]:
    """Two columns of texts from `as_texts`, called *one* and *other*; raises ValueError unless their rows match.

    A column that is not a Series goes by position, and gets the labels of the other.
    """
    texts, others = as_texts(first, one), as_texts(second, other)
    if len(texts) != len(others):
        raise ValueError(
            f"{one} and {other} are compared row by row: expected as many texts in both, found {len(texts):,} and "
            f"{len(others):,}"
        )
    if not isinstance(second, pd.Series):
        return texts, others.set_axis(texts.index)
    if not isinstance(first, pd.Series):
        return texts.set_axis(others.index), others
    if not texts.index.equals(others.index):
        raise ValueError(
            f"{one} and {other} have different row labels. Put them in the same order and use "
            f"{other}.set_axis({one}.index) to compare them by position"
        )
    return texts, others


def chunks(column: pd.Series[Any], *others: pd.Series[Any]) -> Iterator[tuple[int, pd.Series[Any]]]:
    """The column in chunks of limited size, to limit memory, each with the position of its first row.

    The texts in the same rows of *others* also count.
    """
    total = np.zeros(len(column), dtype=np.int64)
    for each in (column, *others):
        if isinstance(each.dtype, pd.StringDtype):
            lengths: Any = each.str.len().to_numpy(dtype=np.int64, na_value=0)
        else:
            lengths = [len(text) if isinstance(text, str) else 0 for text in each.tolist()]
        total += np.cumsum(lengths, dtype=np.int64)
    first = 0
    while first < len(column):
        before = total[first - 1] if first else 0
        end = int(np.searchsorted(total, before + MOST_CHARACTERS, side="right"))
        end = min(max(end, first + 1), first + MOST_ROWS, len(column))
        yield first, column.iloc[first:end]
        first = end


class TextArray:
    """*texts* one after the other, each from `starts` to `ends`; `array[row]` is a text, empty where `missing`."""

    def __init__(self, texts: Sequence[str] | pd.Series[Any]) -> None:
        self._with_newlines: dict[int, str] = {}
        if in_arrow(texts):
            self.missing: Bools = texts.isna().to_numpy()  # type: ignore[union-attr]
            self.data = arrow_lines(arrow_cells(texts)) + END.encode() if len(texts) else b""
            self.text = self.data.decode()
        else:
            self.text, self.missing = _from_list(texts)
        self._find_ends()
        if len(self.ends) != len(self.missing):  # newlines inside of texts
            listed = [text if isinstance(text, str) else "" for text in texts]
            self._with_newlines = {row: text for row, text in enumerate(listed) if END in text}
            self.text = "".join(text.replace(END, BREAK) + END for text in listed)
            for stale in ("codes", "data"):
                self.__dict__.pop(stale, None)
            self._find_ends()

    @classmethod
    def of_codes(cls, codes: npt.NDArray[np.uint32], missing: Bools) -> TextArray:
        """The texts in *codes*, with an END after each; no text contains one."""
        made = cls.__new__(cls)
        made.missing, made._with_newlines, made.codes = missing, {}, codes
        made._find_ends()
        return made

    def _find_ends(self) -> None:
        self.ends: Places = np.flatnonzero(self.codes == ord(END))
        self.starts: Places = np.zeros_like(self.ends)
        self.starts[1:] = self.ends[:-1] + 1

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, row: int) -> str:
        if self._with_newlines and row in self._with_newlines:
            return self._with_newlines[row]
        return self.text[self.starts.item(row) : self.ends.item(row)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts())

    def texts(self) -> list[str]:
        """All texts."""
        listed = self.text.split(END)[:-1]
        for row, text in self._with_newlines.items():
            listed[row] = text
        return listed

    @cached_property
    def folded(self) -> TextArray:
        """The same texts without the differences of case, width and Unicode form."""
        if self.text.isascii():
            return TextArray.of_codes(_codes(self.text.lower()), self.missing)
        codes = codepoints.folds(self.codes)
        parts, at = [], 0
        for row in np.flatnonzero(self.holding(codes == codepoints.ALONE)).tolist():
            # This text cannot be folded character by character.
            start, end = self.starts.item(row), self.ends.item(row)
            whole = unicodedata.normalize("NFKC", self.text[start:end]).casefold()
            parts += [codes[at:start], _codes(whole)]
            at = end
        return TextArray.of_codes(np.concatenate([*parts, codes[at:]]), self.missing)

    def decomposed(self) -> list[int]:
        """The rows of the texts that are not in Unicode's composed form."""
        wide = np.flatnonzero(self.codes >= codepoints.FIRST_LOOSE)
        loose = wide[codepoints.looseness(self.codes[wide]) == 2]
        suspects: list[int] = np.unique(self.rows_of(loose)).tolist()
        return [row for row in suspects if not unicodedata.is_normalized("NFC", self[row])]

    # ---- all texts at once

    @cached_property
    def text(self) -> str:
        """All texts, with a newline after each."""
        return self.codes.tobytes().decode("utf-32-le", "surrogatepass")

    @cached_property
    def data(self) -> bytes:
        """The same in UTF-8: small, and fastest to search for rare characters."""
        return self.text.encode("utf-8", "surrogatepass")

    @cached_property
    def codes(self) -> npt.NDArray[np.uint32]:
        """The code point at every place."""
        return _codes(self.text)

    @cached_property
    def kinds(self) -> codepoints.Kinds:
        """The kind of character at every place; see `codepoints`."""
        return codepoints.kinds(self.codes)

    @cached_property
    def widest(self) -> int:
        """The largest code point; 0 if there is none."""
        return int(self.codes.max(initial=0))

    @cached_property
    def row_at(self) -> npt.NDArray[np.int32]:
        """The row of every place."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.lengths + 1)

    def rows_of(self, places: Places) -> Places:
        """The rows of *places*."""
        if len(places) * 16 < len(self):
            return np.searchsorted(self.ends, places, side="left")
        return self.row_at[places].astype(np.int64)

    @property
    def lengths(self) -> Places:
        """The number of characters of every text."""
        return self.ends - self.starts

    @cached_property
    def sizes(self) -> Places:
        """The number of UTF-8 bytes of every text."""
        codes = self.codes
        if self.widest < 0x80:
            return self.lengths
        wide = (codes >= 0x80).astype(np.int8) + (codes >= 0x800) + (codes >= 0x10000)
        return self.lengths + self.sums(wide)

    @property
    def size(self) -> int:
        """The number of UTF-8 bytes of all texts, with one for the end of each."""
        return len(self.data)

    # ---- the contents of each text

    def sums(self, values: npt.NDArray[Any]) -> Places:
        """For every text the sum of its *values*, one per place."""
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        sums: Places = np.add.reduceat(values, self.starts, dtype=np.int64) - values[self.ends]
        return sums

    def holding(self, which: Bools) -> Bools:
        """For every text whether *which* is true somewhere in it."""
        found = np.zeros(len(self), dtype=np.bool_)
        if which.any():  # quick to check, and usually false
            found[self.rows_of(np.flatnonzero(which))] = True
        return found

    def of_kind(self, kind: int) -> Bools:
        """For every text whether a character of *kind* is in it."""
        inside = (self.kinds & kind) != 0
        if kind & (codepoints.SPACE | codepoints.CONTROL):
            inside[self.ends] = False
        return self.holding(inside)

    def has_controls(self) -> bool:
        """Whether there is a control character, or a line or paragraph separator, other than the ends of the texts."""
        return controls_in(np.frombuffer(self.data, dtype=np.uint8), besides=len(self))

    def has_halves(self) -> bool:
        """Whether there is half of a surrogate pair."""
        octets = np.frombuffer(self.data, dtype=np.uint8)
        return self.widest >= 0xD800 and bool(((octets[:-1] == 0xED) & (octets[1:] >= 0xA0)).any())

    # ---- hashes

    @cached_property
    def text_hashes(self) -> Hashes:
        """A hash for every text."""
        return self.hashes(self.starts, self.ends)

    def hashes(self, starts: Places, ends: Places) -> Hashes:
        """A hash for every stretch from one of *starts* to one of *ends*; equal ones share it."""
        sums, inverse = self._prefixes
        found: Hashes = (sums[ends] - sums[starts]) * inverse[starts]
        # Low bits only mix with lower ones, so move the high ones down.
        found ^= found >> np.uint64(32)
        found *= STIR
        found ^= found >> np.uint64(29)
        return found

    @cached_property
    def _prefixes(self) -> tuple[Hashes, Hashes]:
        """Before every place, the sum of code points times powers of the base, and the inverse of its power."""
        powers, inverse = _powers(len(self.codes) + 1)
        sums = np.empty(len(self.codes) + 1, dtype=np.uint64)
        sums[0] = 0
        sums[1:] = self.codes
        sums[1:] *= powers[:-1]
        return np.cumsum(sums, out=sums), inverse


def _codes(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _from_list(texts: Any) -> tuple[str, Bools]:
    """All *texts* with a newline after each, and which of them are missing."""
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


def _power(base: np.uint64, count: int) -> Hashes:
    powers = np.full(count, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)


_kept = (_power(BASE, 1024), _power(INVERSE, 1024))


def _powers(count: int) -> tuple[Hashes, Hashes]:
    """The first *count* powers of the base and of its inverse, modulo 2**64; kept for the next array, unless huge."""
    global _kept
    found = _kept
    if len(found[0]) < count:
        room = 1 << count.bit_length() if count < MOST_KEPT else count
        found = _power(BASE, room), _power(INVERSE, room)
        _kept = found if room <= MOST_KEPT else _kept
    return found[0][:count], found[1][:count]


# ---- columns that pandas keeps in Arrow, or as objects: in Arrow no text becomes a Python object


def in_arrow(texts: Any) -> bool:
    """Whether *texts* is a column that pandas keeps in Arrow."""
    return isinstance(texts, pd.Series) and getattr(texts.dtype, "storage", None) == "pyarrow"


def arrow_cells(texts: Any) -> Any:
    """The cells of a column that pandas keeps in Arrow, as one contiguous array."""
    import pyarrow as pa

    cells = pa.array(texts.array)
    whole = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    if isinstance(whole, pa.DictionaryArray):
        whole = whole.dictionary_decode()
    return whole.fill_null("") if whole.null_count else whole


def arrow_octets(texts: Any) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """The UTF-8 of a column that pandas keeps in Arrow, as one array, and where each text begins and the last ends."""
    cells = arrow_cells(texts)
    _, offsets, octets = cells.buffers()
    width = np.int64 if cells.type == "large_string" else np.int32
    bounds = np.frombuffer(offsets, dtype=width)[cells.offset :][: len(cells) + 1].astype(np.int64)
    whole = np.frombuffer(octets, dtype=np.uint8) if octets else np.zeros(0, dtype=np.uint8)
    return whole[bounds[0] : bounds[-1]], bounds - bounds[0]


def arrow_lines(texts: Any) -> bytes:
    """All *texts*, an array of Arrow, as lines in UTF-8."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(texts):
        return b""
    listed = pa.ListArray.from_arrays(pa.array([0, len(texts)], pa.int32()), texts)
    whole = pc.binary_join(listed, pa.scalar("\n", texts.type))
    octets: bytes = whole[0].as_buffer().to_pybytes()
    return octets


def joined(texts: Any) -> str:
    """All *texts*, an array of objects or of Arrow, as lines."""
    return "\n".join(texts.tolist()) if isinstance(texts, np.ndarray) else arrow_lines(texts).decode()


def rows_joined(columns: Sequence[pd.Series[Any]], separator: str) -> Any:
    """Every row's texts joined, missing ones as empty: an array for `joined`, in Arrow if all *columns* are."""
    if not all(map(in_arrow, columns)):
        listed = (["" if text is None else text for text in _objects(column)] for column in columns)
        return np.array([*map(separator.join, zip(*listed, strict=True)), None], dtype=object)[:-1]
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = [arrow_cells(column) for column in columns]
    kind = cells[0].type
    return pc.binary_join_element_wise(*(each.cast(kind) for each in cells), pa.scalar(separator, kind))


def replaced(column: pd.Series[Any], where: Bools, texts: Sequence[str]) -> pd.Series[Any]:
    """*column* with *texts* in the rows in which *where* is true."""
    if not in_arrow(column):
        cells = np.array(_objects(column), dtype=object)
        cells[where] = texts
        return pd.Series(cells, index=column.index, dtype=object)
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = arrow_cells(column)
    changed = pc.replace_with_mask(cells, pa.array(where), pa.array(texts, cells.type))
    return pd.Series(pd.array(changed, dtype=column.dtype), index=column.index)


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


def _objects(column: pd.Series[Any]) -> list[Any]:
    return column.astype(object).where(column.notna(), None).tolist()


def controls_in(octets: npt.NDArray[np.uint8], *, besides: int = 0) -> bool:
    """Whether UTF-8 has a control character, or a line or paragraph separator, other than this many line ends."""
    if np.count_nonzero(octets < 0x20) > besides or (octets == 0x7F).any():
        return True
    above = octets[np.flatnonzero(octets[:-1] == 0xC2) + 1] < 0xA0
    general = np.flatnonzero(octets[:-2] == 0xE2)
    separators = (octets[general + 1] == 0x80) & ((octets[general + 2] | 1) == 0xA9)
    return bool(above.any()) or bool(separators.any())
