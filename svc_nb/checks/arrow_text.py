"""Columns of texts as pandas keeps them in Arrow, or as objects: joined, searched and replaced as a whole.

In Arrow no text becomes a Python object on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd


def in_arrow(texts: Any) -> bool:
    """Whether *texts* is a column that pandas keeps in Arrow."""
    return isinstance(texts, pd.Series) and getattr(texts.dtype, "storage", None) == "pyarrow"


def arrow_cells(texts: Any) -> Any:
    """The cells of a column that pandas keeps in Arrow, as one array without gaps."""
    import pyarrow as pa

    cells = pa.array(texts.array)
    whole = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    return whole.fill_null("") if whole.null_count else whole


def arrow_octets(texts: Any) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """The UTF-8 of a column that pandas keeps in Arrow, all in one, and where each text begins and the last ends."""
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
    """Every row's texts as one, gaps as nothing: an array for `joined`, in Arrow where all *columns* are."""
    if not all(map(in_arrow, columns)):
        listed = (["" if text is None else text for text in _objects(column)] for column in columns)
        return np.array([*map(separator.join, zip(*listed, strict=True)), None], dtype=object)[:-1]
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = [arrow_cells(column) for column in columns]
    kind = cells[0].type
    return pc.binary_join_element_wise(*(each.cast(kind) for each in cells), pa.scalar(separator, kind))


def replaced(column: pd.Series[Any], where: npt.NDArray[np.bool_], texts: Sequence[str]) -> pd.Series[Any]:
    """*column* with *texts* in the rows *where* is true."""
    if not in_arrow(column):
        cells = np.array(_objects(column), dtype=object)
        cells[where] = texts
        return pd.Series(cells, index=column.index, dtype=object)
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = arrow_cells(column)
    changed = pc.replace_with_mask(cells, pa.array(where), pa.array(texts, cells.type))
    return pd.Series(pd.array(changed, dtype=column.dtype), index=column.index)


def holding_octets(column: pd.Series[Any], marks: bytes) -> npt.NDArray[np.bool_]:
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
    """Whether UTF-8 has a control character, or a line or paragraph separator, besides so many line ends."""
    if np.count_nonzero(octets < 0x20) > besides or (octets == 0x7F).any():
        return True
    above = octets[np.flatnonzero(octets[:-1] == 0xC2) + 1] < 0xA0
    general = np.flatnonzero(octets[:-2] == 0xE2)
    separators = (octets[general + 1] == 0x80) & ((octets[general + 2] | 1) == 0xA9)
    return bool(above.any()) or bool(separators.any())
