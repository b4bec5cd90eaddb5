"""One column of texts: its distinct texts, and its shape, into which results are put back by position."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import is_object_dtype

from svc_nb.advice import Call, InPython

Codes = npt.NDArray[np.intp]

# pandas 3 has its own text type with NaN for gaps; before that, the nearest is "string".
TEXT: Any = "str" if int(pd.__version__.partition(".")[0]) >= 3 else "string"
# Before that, its hash tables took a text to end at its first NUL.
NUL_TELLS = TEXT == "str"
# Types whose text says the same as the value.
PLAIN = (
    "bool", "int", "float", "complex", "Decimal", "Fraction", "date", "datetime", "time", "Timestamp", "Timedelta",
)  # fmt: skip
# From this many distinct texts on, memory matters.
MANY = 50_000
LISTS = ("list", "tuple", "ndarray")
"""Cells with items that a path can reach."""


class Column:
    """*values* as distinct texts and, for every row, the number of its text; -1 if the row is missing.

    A cell that is not text raises TypeError naming its row; with *coerce* its number is that of an item of `texts` that
    is None, and `kinds` says what was found. *weights* say how many rows of a larger table each row represents, by
    default one. If texts are *nested* in lists or dicts, several in a cell, `rows` says which row each text is in,
    because they are not rows of their own.
    """

    nested = False
    rows: Any = slice(None)

    def __init__(
        self, values: pd.Series[Any] | pd.Index[Any], *, coerce: bool = False, weights: Codes | None = None
    ) -> None:
        if isinstance(values, pd.MultiIndex):
            raise TypeError("expected one level of texts, found a MultiIndex; select one with get_level_values()")
        self._index = values.index if isinstance(values, pd.Series) else None
        self.name: Hashable = values.name
        self.weights = weights
        self._ordered: bool | None = None
        self._dtype: Any = TEXT
        self.kinds: dict[int, str] = {}
        self.codes, found = self._factorized(values)
        if len(found) > MANY and "pyarrow" in sys.modules:  # it would keep its freed memory, as much as the column
            sys.modules["pyarrow"].default_memory_pool().release_unused()
        self.texts: list[str | None] = found
        if not all(type(value) is str for value in found):
            for number, value in enumerate(found):
                if not isinstance(value, str):
                    self.kinds[number] = value.kind if isinstance(value, NoText) else type(value).__name__
            if not coerce:
                self._refuse()
            # From a subclass of str, such as numpy's, only the text itself is kept.
            self.texts = [str.__str__(value) if isinstance(value, str) else None for value in found]

    @property
    def labels(self) -> pd.Index[Any]:
        """The row labels for a table about this column."""
        return pd.RangeIndex(len(self.codes)) if self._index is None else self._index

    def filled(self, values: Sequence[str | None], codes: Codes) -> Any:
        """A column of the same shape, with the value for each row that *codes* refers to; gaps for -1 and None."""
        if self._ordered is None:
            cells = spread(values, codes, self._dtype)
        else:  # two categories that have become equal are one
            numbers, found = pd.factorize(pd.Series(list(values), dtype=self._dtype))
            taken = np.where(codes < 0, -1, numbers[codes]) if len(numbers) else codes
            categories: Any = pd.Index(found, dtype=self._dtype)
            cells = pd.Categorical.from_codes(taken, categories=categories, ordered=self._ordered)
        if self._index is None:
            return pd.Index(cells, name=self.name, dtype=cells.dtype)
        return pd.Series(cells, index=self._index, name=self.name, copy=False, dtype=cells.dtype)

    def _factorized(self, values: pd.Series[Any] | pd.Index[Any]) -> tuple[Codes, list[Any]]:
        if isinstance(values.dtype, pd.CategoricalDtype):
            categorical = pd.Categorical(values)
            self._ordered = bool(categorical.ordered)
            self._dtype = text_dtype(categorical.categories.dtype)
            return np.asarray(categorical.codes, dtype=np.intp), categorical.categories.tolist()
        self._dtype = text_dtype(values.dtype)
        try:
            codes, found = pd.factorize(values)
        except TypeError:  # a cell that cannot be hashed
            codes, found = pd.factorize(_hashable(values))
        if NUL_TELLS or not any(isinstance(each, str) and "\0" in each for each in values.tolist()):
            return codes, found.tolist()
        cells = values if isinstance(values, pd.Series) else pd.Series(values)
        numbers: dict[Any, int] = {}
        listed = zip(_hashable(cells).tolist(), cells.isna().tolist(), strict=True)
        numbered = [-1 if gap else numbers.setdefault(value, len(numbers)) for value, gap in listed]
        return np.array(numbered, dtype=np.intp), list(numbers)

    def _refuse(self) -> None:
        wrong = np.flatnonzero(np.isin(self.codes, list(self.kinds)))
        if not len(wrong):  # a category that no row uses
            return
        place = int(wrong[0])
        others = len(wrong) - 1
        more = f", and {others:,} more such row{'s' if others > 1 else ''}" if others else ""
        kind = self.kinds[int(self.codes[place])]
        advice = as_text(kind)
        if step := "[*]" if kind in LISTS else ".key" if kind == "dict" else "":
            path = f"{'column' if self.name is None else self.name}{step}"
            call = InPython(f'df.svc.translate("{path}", "DE")', f'"{path}"')
            further = f' or, for dicts in them, "{path}.key"' if kind in LISTS else ""
            advice = f"Give the path to the texts in them: {call}{further}"
        raise TypeError(
            f"{'' if self.name is None else f'column {self.name!r}, '}row {place} (label {self.labels[place]!r}): "
            f'expected text, found {kind}{more}. {advice}, or leave gaps with errors="coerce".'
        )


def as_text(kind: str) -> str:
    """Advice on turning cells of a *kind* that is not text into texts.

    >>> as_text("int"), as_text("bytes")
    ('Make texts of them with .astype(str)', 'Make texts of them with .svc.clean()')
    """
    if kind in ("bytes", "bytearray", "memoryview"):
        return f"Make texts of them with {Call('.svc.clean')}"
    if kind in (*LISTS, "set", "frozenset"):
        return "Put each item into a row of its own with .explode()"
    if kind in ("dict", "mappingproxy"):
        return "Take the texts out of them with .str.get(key)"
    if kind.strip("u_0123456789") in PLAIN:  # numpy's types too
        return "Make texts of them with .astype(str)"
    return "Make texts of them first"


class NoText:
    """Stands for a cell that is not text, and may not even be hashable."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


def text_array(values: Any) -> Any:
    """*values* as texts for a new table; as objects if one has half of a surrogate pair, which Arrow cannot hold."""
    try:
        return pd.array(values, dtype=TEXT)
    except UnicodeEncodeError:
        return pd.Series(list(values), dtype=object)


def checked_table(
    table: object, columns: Sequence[str], what: str, *, optional: Collection[str] = (), advice: str = ""
) -> pd.DataFrame:
    """*table* itself, or an error if it is not a table of *what* with all *columns* but the *optional* ones."""
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"expected a table of {what} (a DataFrame), found {type(table).__name__}")
    needed = [name for name in columns if name not in optional]
    if lacking := [name for name in needed if name not in table.columns]:
        has = ", ".join(map(repr, table.columns[:20])) or "none"
        raise ValueError(
            f"a table of {what} has the columns {', '.join(needed)}; this one has no {', '.join(lacking)}, only "
            f"{has}{advice}"
        )
    if twice := [name for name in columns if (table.columns == name).sum() > 1]:
        raise ValueError(f"the table of {what} has two columns called {twice[0]!r}")
    return table


def cell_texts(table: pd.DataFrame, name: str, gap: str | None = "") -> list[Any]:
    """The cells of a column, *gap* for missing or empty ones; TypeError naming the row of a cell that is not text."""
    texts: list[str | None] = []
    for cell, label in zip(table[name], table.index, strict=True):
        if isinstance(cell, str):
            texts.append(str.__str__(cell) or gap)
        elif cell is None or (pd.api.types.is_scalar(cell) and pd.isna(cell)):
            texts.append(gap)
        else:
            raise TypeError(f"column {name!r}, row {label!r}: expected text, found {type(cell).__name__}")
    return texts


def rewritten(values: pd.Series[Any], how: Callable[[str], str]) -> pd.Series[Any]:
    """A column with few distinct texts, with *how* applied to each; a column with anything but texts stays."""
    column = Column(values, coerce=True)
    texts = [text if text is None else how(text) for text in column.texts]
    same = column.kinds or texts == column.texts
    return values if same else column.filled(texts, column.codes)


def text_dtype(given: Any) -> Any:
    """The type of texts made from a column of type *given*: the same if it can hold texts, otherwise pandas' own."""
    is_arrow = isinstance(given, pd.ArrowDtype) and (decoded_type(given) or given).type is str
    return given if is_arrow or isinstance(given, pd.StringDtype) or is_object_dtype(given) else TEXT


def decoded_type(given: pd.ArrowDtype) -> pd.ArrowDtype | None:
    """The value type of an Arrow dictionary; None for any other type."""
    return pd.ArrowDtype(given.pyarrow_dtype.value_type) if given.type is pd.CategoricalDtype.type else None


def spread(values: Sequence[Any], codes: Codes, dtype: Any) -> Any:
    """*values* by number as an array of *dtype*; a gap for the number -1."""
    if is_object_dtype(dtype):
        return np.array([*(np.nan if value is None else value for value in values), np.nan], dtype=object)[codes]
    decoded = decoded_type(dtype) if isinstance(dtype, pd.ArrowDtype) else None
    if decoded and len(values) > np.iinfo(dtype.pyarrow_dtype.index_type.to_pandas_dtype()).max:
        dtype = decoded  # a dictionary of that type has too few indices
    # A long array is built in pieces, because building one takes several times its memory.
    many, count = max(MANY, len(values) if decoded else 0), max(1, len(values))
    pieces = [pd.array(list(values[start : start + many]), dtype=dtype) for start in range(0, count, many)]
    made: Any = pd.concat(list(map(pd.Series, pieces)), ignore_index=True).array if len(pieces) > 1 else pieces[0]
    # One value for each row, in order: take() would only copy them.
    in_order = len(codes) == len(made) and bool((codes == np.arange(len(made))).all())
    return made if in_order else made.take(codes, allow_fill=True)


def _hashable(values: pd.Series[Any] | pd.Index[Any]) -> pd.Series[Any]:
    kinds: dict[str, NoText] = {}

    def stand_in(value: Any) -> Any:
        if isinstance(value, Hashable) and not isinstance(value, tuple):
            return value
        kind = type(value).__name__
        return kinds.setdefault(kind, NoText(kind))

    return pd.Series([stand_in(value) for value in values], dtype=object)
