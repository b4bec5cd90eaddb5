"""Polars: frames and columns at once; a LazyFrame stays lazy, and its texts are sent when its rows are needed."""

from __future__ import annotations

import re
import threading
import weakref
from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from svc_nb.clusters.engine import TABLES, Answer
from svc_nb.clusters.join_table import MOST_READ, JoinTable, read_tally, tally_file, uncombined
from svc_nb.clusters.namespaces import ColumnVerbs, TableVerbs
from svc_nb.clusters.requirements import LAZY, problem
from svc_nb.clusters.table_request import OWN, ROWS, TEXT, Counted, TableRequest, changed
from svc_nb.engine.job import EVERY, interrupted
from svc_nb.progress import say

TEXTS = (pl.String, pl.Categorical, pl.Enum, pl.Null)
CATEGORIES = (pl.Categorical, pl.Enum)
FOUND = OWN.format("found")
LATER = (
    "A LazyFrame: nothing is sent yet. The first query that needs the new columns sends all texts of the frame, even "
    "if head() or a filter follows. Call those before translate."
)


class Polars:
    """DataFrames, LazyFrames and Series; rows keep their order, and a query sends only new texts."""

    def is_column(self, table: Any) -> bool:
        """Whether it is a Series; raises TypeError if it is not a frame either."""
        if not isinstance(table, pl.DataFrame | pl.LazyFrame | pl.Series):
            raise TypeError(f"expected {TABLES}; found {type(table).__name__} of Polars")
        return isinstance(table, pl.Series)

    def frame(self, column: Any, name: str) -> pl.DataFrame:
        """A frame with the Series as its only column."""
        made: pl.DataFrame = column.rename(name).to_frame()
        return made

    def columns(self, frame: Any, names: Mapping[str, str], like: Any, *, alone: bool) -> Any:
        """The added column, or a frame of all added columns."""
        if alone:
            return frame.get_column(*names).rename(like.name)
        return frame.select(_column(added).alias(name) for added, name in names.items())

    def types(self, frame: Any) -> dict[str, str | None]:
        """The columns by name; one with only missing values has no type, and may be a column of texts."""
        return {
            name: None if isinstance(kind, TEXTS) else str(kind).lower()
            for name, kind in frame.collect_schema().items()
        }

    def counted(self, frame: Any, asked: TableRequest) -> Iterator[Counted]:
        """Every different text with its rows."""
        if isinstance(frame, pl.DataFrame):
            yield from _Numbered(frame, asked).counted()
            return
        with tally_file() as path:
            _tally(frame, asked).sink_parquet(path, row_group_size=MOST_READ, maintain_order=False, engine="streaming")
            yield from read_tally(path, asked.options)

    def joined(self, frame: Any, asked: TableRequest, answer: Answer) -> Any:
        """The rows with the new columns; for a LazyFrame nothing is sent before it is collected."""
        if isinstance(frame, pl.DataFrame):
            numbered = _Numbered(frame, asked)
            pairs = answer(numbered.counted())
            try:
                return numbered.beside(_scanned(pairs).collect())
            finally:
                pairs.discard()
        if problem(LAZY[0]):  # in older versions, a query within a query could wait for itself forever
            return _beside(frame, asked, _scanned(answer()))
        _say_later()
        return _beside(frame, asked, _Answers(frame, asked, answer).scan())

    def register(self) -> None:
        """Add `.svc` to the three classes."""
        pl.api.register_dataframe_namespace("svc")(TableVerbs)
        pl.api.register_lazyframe_namespace("svc")(TableVerbs)
        pl.api.register_series_namespace("svc")(ColumnVerbs)


class _Numbered:
    """The texts of a frame in memory, numbered, with the number in every row, so that each is looked up once.

    A text is combined with its own options; a row without a text has the number 0.
    """

    def __init__(self, frame: pl.DataFrame, asked: TableRequest) -> None:
        self._frame = frame
        self._asked = asked
        keys = [frame.select(_keys(asked, column)).select(_combined(asked)) for column in asked.columns]
        texts = pl.concat(keys).to_series()
        # Older versions have no separate categories, and number those of a column from its first one on.
        kind = pl.Categorical(pl.Categories.random()) if hasattr(pl, "Categories") else pl.Categorical()
        numbers = texts.cast(kind).to_physical()
        self._numbers = (numbers + 1).fill_null(0).to_numpy()
        self._rows = np.bincount(self._numbers)
        self._units = np.flatnonzero(self._rows)
        places = np.zeros(len(self._rows), dtype=np.int64)
        places[self._numbers] = np.arange(len(self._numbers))
        self._texts = texts.gather(places[self._units])

    def counted(self) -> Iterator[Counted]:
        """Every different text with its rows."""
        rows = self._rows[self._units]
        for start in range(0, len(rows), MOST_READ):
            texts = self._texts[start : start + MOST_READ].to_list()
            yield uncombined(texts, rows[start : start + MOST_READ].tolist(), tuple(self._asked.options))

    def beside(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """The rows with the results of their texts; raises ValueError if one is not among the *pairs*."""
        asked, frame = self._asked, self._frame
        known = (
            pairs.rename({key: OWN.format(key) for key in asked.keys}).select(_combined(asked)).with_row_index(FOUND)
        )
        units = self._texts.alias(OWN.format(TEXT)).to_frame()
        found = units.join(known, on=OWN.format(TEXT), how="left", maintain_order="left")[FOUND]
        places = np.full(len(self._rows), len(pairs))
        places[self._units] = found.fill_null(len(pairs)).to_numpy()
        made = []
        for number, column in enumerate(asked.columns):
            numbers = self._numbers[number * len(frame) : (number + 1) * len(frame)]
            rows = places[numbers]
            if ((rows == len(pairs)) & (numbers > 0)).any():
                raise ValueError(changed(column))
            kind = pl.Categorical() if isinstance(frame.schema[column], CATEGORIES) else pl.String()
            for name, (source, field) in asked.added.items():
                if source == column:
                    results = pairs[field].cast(pl.String).extend_constant(None, 1).rechunk()
                    made.append(results.gather(rows).cast(kind).alias(name))
        return frame.with_columns(made)


class _Answers:
    """The results of the texts of a lazy frame: requested when rows are needed, once for all queries."""

    def __init__(self, rows: pl.LazyFrame, asked: TableRequest, answer: Answer) -> None:
        self._rows = rows
        self._asked = asked
        self._answer = answer
        self._lock = threading.Lock()
        self._known: pl.LazyFrame | None = None

    def __reduce__(self) -> Any:
        raise TypeError("Unsent texts can only be sent from this process. Collect the LazyFrame before you pass it on")

    def scan(self) -> pl.LazyFrame:
        """The pairs, as a table that is created when it is read: once within one query, which has one budget."""
        fields = (*self._asked.keys, *self._asked.results)
        return register_io_source(self._read, schema=dict.fromkeys(fields, pl.String())).cache()

    def _read(
        self, fields: list[str] | None, predicate: pl.Expr | None, most: int | None, _: int | None
    ) -> Iterator[pl.DataFrame]:
        if fields is not None and not set(fields).intersection(self._asked.results):
            # No result is needed: a left join without pairs also keeps all rows.
            yield pl.DataFrame(schema=dict.fromkeys(fields, pl.String()))
            return
        pairs = known = self._current()  # its files exist while there is a reference to it
        if predicate is not None:
            pairs = known.filter(predicate)
        if fields is not None:
            pairs = pairs.select(fields)
        if most is not None:
            pairs = pairs.head(most)
        yield pairs.collect(engine="streaming")

    def _current(self) -> pl.LazyFrame:
        while not self._lock.acquire(timeout=EVERY):
            _notice()
        try:
            if self._known is not None:
                # Unless the rows now have unknown texts.
                keys = [OWN.format(key) for key in self._asked.keys]
                texts = _tally(self._rows, self._asked).drop_nulls(keys[0])
                others = texts.join(self._known, left_on=keys, right_on=list(self._asked.keys), how="anti")
                if others.head(1).collect(engine="streaming").is_empty():
                    return self._known
            before = interrupted.set(_notice)
            try:
                pairs = self._answer()
            except KeyboardInterrupt as stopped:
                say(f"Interrupted: {stopped}")  # Polars passes on its type, but not its message
                raise
            finally:
                interrupted.reset(before)
            known = _scanned(pairs)
            if not pairs.is_small:
                weakref.finalize(known, pairs.discard)
            # Texts that failed or were left unsent are sent again next time.
            self._known = known if pairs.is_whole else None
            return known
        finally:
            self._lock.release()


@cache
def _say_later() -> None:
    say(LATER)  # once is enough


def _notice() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed: threads of Polars get no signals, but every query checks."""
    pl.LazyFrame({"": [0]}).select(pl.all() + 1).collect(engine="in-memory")


def _column(name: str) -> pl.Expr:
    """The column with exactly this name, as a pattern, because Polars treats names such as "^x$" and "*" as such."""
    return pl.col(f"^{re.escape(name)}$")


def _keys(asked: TableRequest, column: str) -> list[pl.Expr]:
    """The key of a row; a missing option equals an empty one."""
    text = _column(column).cast(pl.String).alias(OWN.format(TEXT))
    options = (
        _column(own).cast(pl.String).fill_null("").alias(OWN.format(name)) for name, own in asked.options.items()
    )
    return [text, *options]


def _combined(asked: TableRequest) -> pl.Expr:
    """The text combined with its options; see `join_table.combined_key`."""
    whole = pl.col(OWN.format(TEXT))
    for name in reversed(tuple(asked.options)):
        own = pl.col(OWN.format(name))
        whole = pl.concat_str(own.str.len_chars().cast(pl.String), own, whole, separator=":")
    return whole.alias(OWN.format(TEXT))


def _tally(rows: pl.LazyFrame, asked: TableRequest) -> pl.LazyFrame:
    keys = [OWN.format(key) for key in asked.keys]
    texts = pl.concat([rows.select(_keys(asked, column)) for column in asked.columns])
    return texts.group_by(keys).agg(pl.len().alias(OWN.format(ROWS)))


def _scanned(pairs: JoinTable) -> pl.LazyFrame:
    if pairs.is_small:
        table = pl.from_arrow(pairs.table())
        assert isinstance(table, pl.DataFrame)  # noqa: S101 - for the type checker
        return table.lazy()
    return pl.scan_parquet(pairs.files, glob=False)


def _beside(rows: pl.LazyFrame, asked: TableRequest, pairs: pl.LazyFrame) -> pl.LazyFrame:
    """The rows, in order, with the results of their texts."""
    kinds = rows.collect_schema()
    keys = [OWN.format(key) for key in asked.keys]
    fields = {field: OWN.format(field) for field in (*asked.keys, *asked.results)}
    found = pairs.rename(fields).with_columns(pl.lit(value=True).alias(FOUND))
    for column in asked.columns:
        kind = pl.Categorical() if isinstance(kinds[column], CATEGORIES) else pl.String()
        # Raises, when it is computed, if a text has no result.
        lost = pl.col(OWN.format(TEXT)).is_not_null() & pl.col(FOUND).is_null()
        refused = lost.map_batches(partial(_refuse, column), return_dtype=pl.Boolean(), is_elementwise=True)
        made = [
            pl.when(refused).then(None).otherwise(pl.col(fields[field])).cast(kind).alias(name)
            for name, (source, field) in asked.added.items()
            if source == column
        ]
        rows = (
            rows.with_columns(_keys(asked, column))
            .join(found, on=keys, how="left", maintain_order="left")
            .with_columns(made)
            .drop(*fields.values(), FOUND)
        )
    return rows


def _refuse(column: str, lost: pl.Series) -> pl.Series:
    if lost.any():
        raise ValueError(changed(column))
    return lost


ENGINE = Polars()
