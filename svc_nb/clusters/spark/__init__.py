"""Spark: texts are counted and joined by Spark itself; frames of pyspark.pandas keep their index and their order."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svc_nb.clusters.engine import TABLES
from svc_nb.clusters.spark import pandas_on_spark
from svc_nb.clusters.spark.pandas_on_spark import context, is_pandas, is_sorted, sees_this_machine, session_of, settings
from svc_nb.clusters.table_request import OWN, TEXT, Counted, TableRequest, changed

if TYPE_CHECKING:
    from svc_nb.clusters.engine import Answer
    from svc_nb.clusters.fleet import Deliveries, Part, WorkOrder
    from svc_nb.clusters.join_table import JoinTable

TEXTS_AT_ONCE = 10_000
NO_ROWS = "expected a Spark frame, found Column. A Spark column has no rows of its own, so pass its frame and its name"
STOPPED = "the Spark session of the frame is stopped. Create a new session, and the frame again with it"
STREAMING = "the frame is a stream, whose texts are never complete. Translate each batch of it with foreachBatch"
TWICE = "duplicate column {!r} (Spark ignores the case of names). Rename one of them"
UNSEEN = (
    "the join table is too large for memory, and the machines of the cluster cannot read this one's files. Pass a "
    "folder that all of them can read as staging=. Finished translations are kept; nothing is sent again."
)


class Spark:
    """Frames of pyspark.sql and pyspark.pandas, and columns of these; order is kept if the join table is broadcast."""

    def is_column(self, table: Any) -> bool:
        """Whether it is a column of pyspark.pandas; raises TypeError for one of pyspark.sql, which has no rows."""
        from pyspark.sql import Column, DataFrame

        if is_pandas(table):
            return pandas_on_spark.is_column(table)
        if isinstance(table, Column):
            raise TypeError(NO_ROWS)
        if not isinstance(table, DataFrame):
            raise TypeError(f"expected {TABLES}; found {type(table).__name__} of Spark")
        return False

    def frame(self, column: Any, name: str) -> Any:
        """A frame with the column, called *name*, as its only one."""
        return column.to_frame(name)

    def columns(self, frame: Any, names: Mapping[str, str], like: Any, *, alone: bool) -> Any:
        """The columns added to a frame that was made from the column *like*."""
        if alone:
            return frame[next(iter(names))].rename(like.name)
        return frame[list(names)].rename(columns=names)

    def types(self, frame: Any) -> dict[str, str | None]:
        """The columns by name: None for a column of texts, else the name of its type."""
        session = session_of(frame)
        found = context(session)
        if session.is_stopped if found is None else found._jsc is None:
            raise RuntimeError(STOPPED)
        if is_pandas(frame):
            return pandas_on_spark.types(frame)
        if frame.isStreaming:
            raise TypeError(STREAMING)
        return {field.name: pandas_on_spark.not_text(field.dataType) for field in frame.schema.fields}

    def counted(self, frame: Any, asked: TableRequest) -> Iterator[Counted]:
        """Every different text, several thousand at a time, as Spark returns one partition after the other."""
        plain, inner = pandas_on_spark.plain(frame, asked)
        with closing(iter(_tally(plain, inner).toLocalIterator(prefetchPartitions=True))) as rows:
            while some := list(islice(rows, TEXTS_AT_ONCE)):
                texts, *own, numbers = zip(*some, strict=True)
                values = ([each or None for each in column] for column in own)
                yield Counted(list(texts), list(numbers), dict(zip(asked.options, values, strict=True)))

    def joined(self, frame: Any, asked: TableRequest, answer: Answer) -> Any:
        """The frame with the requested columns after its own; *answer* is called at once."""
        plain, inner = pandas_on_spark.plain(frame, asked)
        if is_pandas(frame):
            return pandas_on_spark.rebuilt(frame, _joined(plain, inner, answer), asked)
        return _joined(plain, inner, answer)

    def check_workers(self, frame: Any) -> None:
        """Raise SettingsError if Spark would show a key, or start tasks twice."""
        from svc_nb.clusters.spark import fleet

        fleet.refuse_shown(settings(session_of(frame)))

    def sent(
        self, frame: Any, order: WorkOrder, parts: Sequence[Part], most: int, halted: Callable[[], bool]
    ) -> Deliveries:
        """Let the executors send *parts*; see `fleet.sent`."""
        from svc_nb.clusters.spark import fleet

        return fleet.sent(session_of(frame), order, parts, most, halted)

    def register(self) -> None:
        """Add `.svc` to the frames of Spark, and to the frames and columns of pyspark.pandas once it is imported."""
        from pyspark.sql import DataFrame

        from svc_nb.clusters.namespaces import TableVerbs

        if not isinstance(vars(DataFrame).get("svc"), property):
            DataFrame.svc = property(TableVerbs)  # type: ignore[attr-defined]
        if "pyspark.pandas" in sys.modules:
            pandas_on_spark.register()


def _tally(frame: Any, asked: TableRequest) -> Any:
    """Every different text, its options if rows have their own, and its rows; the frame is read once."""
    from pyspark.sql import functions as F

    keys = [OWN.format(key) for key in asked.keys]
    texts = [_text(frame, name) for name in asked.columns]
    every = texts[0] if len(texts) == 1 else F.explode(F.array(*texts))
    cells = [every, *_options(frame, asked).values()]
    table = frame.select(*(cell.alias(key) for cell, key in zip(cells, keys, strict=True)))
    return table.groupBy(*keys).agg(F.count(F.lit(1)))


def _joined(frame: Any, asked: TableRequest, answer: Answer) -> Any:
    from pyspark.sql import functions as F

    there = dict(zip(_spelled(frame, *frame.columns), frame.columns, strict=True))
    for new in asked.added:
        for name in filter(there.get, _spelled(frame, new)):
            raise ValueError(
                f"{new!r} would be the same as the existing column {there[name]!r} for Spark. Rename that first"
            )
    places = range(len(asked.columns))
    keys = {_own(TEXT, place): _text(frame, asked.columns[place]) for place in places}
    if is_sorted(frame):
        # Keeps Spark from dropping the sort because a join follows, as it does if everything in between is
        # deterministic. Later filters are then not pushed below this, so it is for sorted frames only.
        keys = {own: F.when(F.spark_partition_id() >= 0, cell) for own, cell in keys.items()}
    keys |= _options(frame, asked)
    keyed = frame.select("*", *(cell.alias(own) for own, cell in keys.items()))
    pairs = _pairs(frame, asked, answer())
    for place in places:
        # The pairs, renamed to match this column's rows.
        names = {field: _paired(field, place) for field in (*asked.keys, *asked.results)}
        side = pairs.select(*(F.col(field).alias(name) for field, name in names.items()))
        found = F.col(_own(TEXT, place)) == F.col(names[TEXT])
        for name in asked.options:
            found &= F.col(OWN.format(name)) == F.col(names[name])
        keyed = keyed.join(side, found, how="left")
    made = []
    for new, (name, field) in asked.added.items():
        # Null if there is no text, and an error if the text is not among the pairs.
        place = asked.columns.index(name)
        missed = F.col(_own(TEXT, place)).isNotNull() & F.col(_paired(TEXT, place)).isNull()
        result = F.when(missed, F.raise_error(F.lit(changed(name)))).otherwise(F.col(_paired(field, place)))
        made.append(result.alias(new))
    fields = [_paired(field, place) for place in places for field in (*asked.keys, *asked.results)]
    return keyed.select("*", *made).drop(*keys, *fields)


def _pairs(frame: Any, asked: TableRequest, pairs: JoinTable) -> Any:
    """The pairs as a frame that Spark knows to have no duplicates, so that it can omit an unneeded join."""
    from pyspark.sql import functions as F

    session = frame.sparkSession
    if pairs.is_small:
        return F.broadcast(session.createDataFrame(pairs.table()).coalesce(1).dropDuplicates([*asked.keys]))
    files = pairs.files
    if not any("://" in file for file in files) and not (pairs.is_staged or sees_this_machine(session)):
        raise ValueError(UNSEEN)
    # The address of each for Spark, whatever its default file system; none of its characters is a wildcard.
    whole = (file if "://" in file else f"file:{Path(file).absolute()}" for file in files)
    addresses = [re.sub(r"([\\{}\[\]*?])", r"\\\1", file) for file in whole]
    return session.read.parquet(*addresses).dropDuplicates([*asked.keys])


def _text(frame: Any, name: str) -> Any:
    """A column of texts, as Python will read them: compared byte by byte, with invalid UTF-8 replaced."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import StringType

    if _spelled(frame, *frame.columns).count(*_spelled(frame, name)) > 1:
        raise ValueError(TWICE.format(name))
    cell = F.col(_quoted(name))
    if type(frame.schema[name].dataType) is not StringType:
        cell = cell.cast("string")
    return F.make_valid_utf8(F.collate(cell, "UTF8_BINARY"))


def _options(frame: Any, asked: TableRequest) -> dict[str, Any]:
    """The options that differ by row, "" for none, by their column names."""
    from pyspark.sql import functions as F

    return {OWN.format(name): F.coalesce(_text(frame, own), F.lit("")) for name, own in asked.options.items()}


def _spelled(frame: Any, *names: str) -> list[str]:
    """Names as Spark compares them: its settings decide whether case matters."""
    cares = frame.sparkSession.conf.get("spark.sql.caseSensitive") == "true"
    return list(names) if cares else [name.lower() for name in names]


def _quoted(name: str) -> str:
    """
    >>> _quoted("a.b`c")
    '`a.b``c`'
    """
    return f"`{name.replace('`', '``')}`"


def _own(key: str, place: int) -> str:
    return OWN.format(f"{key}{place}")


def _paired(field: str, place: int) -> str:
    return OWN.format(f"pair{place}_{field}")


ENGINE = Spark()
