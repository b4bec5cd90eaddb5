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
NO_ROWS = "expected a Spark frame, found Column: a column of Spark has no rows of its own, so name it beside its frame"
STOPPED = "the Spark session of the frame is stopped; make another one, and the frame anew with it"
STREAMING = "the frame is a stream, whose texts are never all there; translate each batch of it by foreachBatch"
TWICE = "column {!r} stands there more than once (Spark takes names as the same whatever their case); rename one"
UNSEEN = (
    "the join table is too large to be passed on in memory, and the machines of the cluster do not see this one's "
    "files: name a folder that all of them see by staging=. What was translated is kept; nothing is sent again."
)


class Spark:
    """Frames of pyspark.sql and pyspark.pandas, and columns of these; order stays while the join table is broadcast."""

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
        """A column as the only one of a frame, called *name*."""
        return column.to_frame(name)

    def columns(self, frame: Any, names: Mapping[str, str], like: Any, *, alone: bool) -> Any:
        """What was added to a frame that was made of the column *like*."""
        if alone:
            return frame[next(iter(names))].rename(like.name)
        return frame[list(names)].rename(columns=names)

    def types(self, frame: Any) -> dict[str, str | None]:
        """The columns by name: None for one that holds texts, else the name of the type that it has."""
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
        """Every different text, some thousand at a time, as Spark brings one partition of them after the other."""
        plain, inner = pandas_on_spark.plain(frame, asked)
        with closing(iter(_tally(plain, inner).toLocalIterator(prefetchPartitions=True))) as rows:
            while some := list(islice(rows, TEXTS_AT_ONCE)):
                texts, *own, numbers = zip(*some, strict=True)
                values = ([each or None for each in column] for column in own)
                yield Counted(list(texts), list(numbers), dict(zip(asked.options, values, strict=True)))

    def joined(self, frame: Any, asked: TableRequest, answer: Answer) -> Any:
        """The frame with the columns that are asked for, after its own; *answer* is called at once."""
        plain, inner = pandas_on_spark.plain(frame, asked)
        if is_pandas(frame):
            return pandas_on_spark.rebuilt(frame, _joined(plain, inner, answer), asked)
        return _joined(plain, inner, answer)

    def check_workers(self, frame: Any) -> None:
        """Raise SettingsError where Spark would show a key, or begin tasks twice."""
        from svc_nb.clusters.spark import fleet

        fleet.refuse_shown(settings(session_of(frame)))

    def sent(
        self, frame: Any, order: WorkOrder, parts: Sequence[Part], most: int, halted: Callable[[], bool]
    ) -> Deliveries:
        """Have the executors send *parts*; see `fleet.sent`."""
        from svc_nb.clusters.spark import fleet

        return fleet.sent(session_of(frame), order, parts, most, halted)

    def register(self) -> None:
        """Put `.svc` on the frames of Spark, and on the frames and columns of pyspark.pandas once it is imported."""
        from pyspark.sql import DataFrame

        from svc_nb.clusters.namespaces import TableVerbs

        if not isinstance(vars(DataFrame).get("svc"), property):
            DataFrame.svc = property(TableVerbs)  # type: ignore[attr-defined]
        if "pyspark.pandas" in sys.modules:
            pandas_on_spark.register()


def _tally(frame: Any, asked: TableRequest) -> Any:
    """Every different text, its options where rows have their own, and its rows; the frame is read once."""
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
            raise ValueError(f"Spark takes {new!r} for {there[name]!r}, which is there already; rename that first")
    places = range(len(asked.columns))
    keys = {_own(TEXT, place): _text(frame, asked.columns[place]) for place in places}
    if is_sorted(frame):
        # So that Spark does not leave out the sort because a join follows, as it does where all between is the same
        # every time. Filters that come later then do not touch what is below, so this is for sorted frames only.
        keys = {own: F.when(F.spark_partition_id() >= 0, cell) for own, cell in keys.items()}
    keys |= _options(frame, asked)
    keyed = frame.select("*", *(cell.alias(own) for own, cell in keys.items()))
    pairs = _pairs(frame, asked, answer())
    for place in places:
        # The pairs under the names that they have beside this column's rows.
        names = {field: _paired(field, place) for field in (*asked.keys, *asked.results)}
        side = pairs.select(*(F.col(field).alias(name) for field, name in names.items()))
        found = F.col(_own(TEXT, place)) == F.col(names[TEXT])
        for name in asked.options:
            found &= F.col(OWN.format(name)) == F.col(names[name])
        keyed = keyed.join(side, found, how="left")
    made = []
    for new, (name, field) in asked.added.items():
        # Null where there is no text, and an error where the text is not among the pairs.
        place = asked.columns.index(name)
        missed = F.col(_own(TEXT, place)).isNotNull() & F.col(_paired(TEXT, place)).isNull()
        result = F.when(missed, F.raise_error(F.lit(changed(name)))).otherwise(F.col(_paired(field, place)))
        made.append(result.alias(new))
    fields = [_paired(field, place) for place in places for field in (*asked.keys, *asked.results)]
    return keyed.select("*", *made).drop(*keys, *fields)


def _pairs(frame: Any, asked: TableRequest, pairs: JoinTable) -> Any:
    """The pairs as a frame that Spark knows to have no doubles: so it can leave out a join that nobody needs."""
    from pyspark.sql import functions as F

    session = frame.sparkSession
    if pairs.is_small:
        return F.broadcast(session.createDataFrame(pairs.table()).coalesce(1).dropDuplicates([*asked.keys]))
    files = pairs.files
    if not any("://" in file for file in files) and not (pairs.is_staged or sees_this_machine(session)):
        raise ValueError(UNSEEN)
    # Where Spark finds each, whatever its default file system is; no character of it is a wildcard.
    whole = (file if "://" in file else f"file:{Path(file).absolute()}" for file in files)
    addresses = [re.sub(r"([\\{}\[\]*?])", r"\\\1", file) for file in whole]
    return session.read.parquet(*addresses).dropDuplicates([*asked.keys])


def _text(frame: Any, name: str) -> Any:
    """A column of texts, as Python will read them: compared byte by byte, and what is no UTF-8 replaced."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import StringType

    if _spelled(frame, *frame.columns).count(*_spelled(frame, name)) > 1:
        raise ValueError(TWICE.format(name))
    cell = F.col(_quoted(name))
    if type(frame.schema[name].dataType) is not StringType:
        cell = cell.cast("string")
    return F.make_valid_utf8(F.collate(cell, "UTF8_BINARY"))


def _options(frame: Any, asked: TableRequest) -> dict[str, Any]:
    """The options of which rows have their own, "" for none, by the names that they have beside the rows."""
    from pyspark.sql import functions as F

    return {OWN.format(name): F.coalesce(_text(frame, own), F.lit("")) for name, own in asked.options.items()}


def _spelled(frame: Any, *names: str) -> list[str]:
    """What names are to Spark, which by its settings cares for case or not."""
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
