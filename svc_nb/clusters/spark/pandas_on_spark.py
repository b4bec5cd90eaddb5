"""Spark's sessions, and the frames and columns of pyspark.pandas.

A session is either classic or from Spark Connect, which has no context. A frame of pyspark.pandas is converted to Spark
and back, with its index, order and types.
"""

from dataclasses import replace
from typing import Any

from svc_nb.clusters.table_request import LEVELS, TableRequest

# Operations on single rows, independent of their order; Spark searches below these for a sort that it may omit.
KEEP_ORDER = ("Project", "Filter", "SubqueryAlias", "View")


def context(session: Any) -> Any:
    """The context of a classic session; None for a session of Spark Connect."""
    return None if "connect" in type(session).__module__.split(".") else session.sparkContext


def sees_this_machine(session: Any) -> bool:
    """Whether all of Spark runs on this machine, and so can read its files."""
    found = context(session)
    return found is not None and found.master.startswith("local")


def is_sorted(frame: Any) -> bool:
    """Whether the rows of *frame* are sorted, so that their order matters; unknown for Spark Connect."""
    if context(frame.sparkSession) is None:
        return False
    plan = frame._jdf.queryExecution().analyzed()
    while (name := plan.getClass().getSimpleName()) in KEEP_ORDER:
        plan = plan.children().head()
    return bool(name == "Sort")


def settings(session: Any) -> dict[str, str]:
    """All settings of the session and of its context, if it has one."""
    found = context(session)
    return {**(dict(found.getConf().getAll()) if found is not None else {}), **session.conf.getAll}


def is_pandas(table: Any) -> bool:
    """Whether *table* is from pyspark.pandas, without importing it."""
    return type(table).__module__.startswith("pyspark.pandas.")


def is_column(table: Any) -> bool:
    """Whether *table* is a column; raises TypeError if it is an index."""
    from pyspark.pandas import DataFrame, Series

    if not isinstance(table, DataFrame | Series):
        raise TypeError(f"expected a frame or a Series of pyspark.pandas, found {type(table).__name__}")
    return isinstance(table, Series)


def not_text(kind: Any) -> str | None:
    """None for a type of texts, or of only missing values, else its name."""
    from pyspark.sql.types import CharType, NullType, StringType, VarcharType

    return None if isinstance(kind, StringType | CharType | VarcharType | NullType) else str(kind.simpleString())


def types(frame: Any) -> dict[str, str | None]:
    """The columns by label; a categorical does not count as texts, because Spark has only its codes."""
    if frame.columns.nlevels > 1:
        raise TypeError(LEVELS)
    fields = frame._internal.data_fields
    return {
        label: "category" if str(field.dtype) == "category" else not_text(field.spark_type)
        for label, field in zip(frame.columns, fields, strict=True)
    }


def plain(frame: Any, asked: TableRequest) -> tuple[Any, TableRequest]:
    """The Spark frame behind *frame*, including the index, and the request with the column names there."""
    if not is_pandas(frame):
        return frame, asked
    whole = frame._internal.resolved_copy
    names = dict(zip(frame.columns, whole.data_spark_column_names, strict=True))
    return whole.spark_frame, replace(
        asked,
        columns=tuple(names[label] for label in asked.columns),
        added={new: (names[label], field) for new, (label, field) in asked.added.items()},
        options={name: names[label] for name, label in asked.options.items()},
    )


def rebuilt(frame: Any, joined: Any, asked: TableRequest) -> Any:
    """*joined*, made from the result of `plain`, as a frame like *frame*; new columns have the type of their source."""
    from pyspark.pandas import DataFrame
    from pyspark.pandas.utils import scol_for
    from pyspark.sql.types import StringType

    whole = frame._internal.resolved_copy
    fields = dict(zip(frame.columns, whole.data_fields, strict=True))
    names = [*whole.data_spark_column_names, *asked.added]
    made = [
        fields[label].copy(name=new, spark_type=StringType(), nullable=True) for new, (label, _) in asked.added.items()
    ]
    return DataFrame(  # type: ignore[no-untyped-call]
        whole.copy(
            spark_frame=joined,
            index_spark_columns=[scol_for(joined, name) for name in whole.index_spark_column_names],
            data_spark_columns=[scol_for(joined, name) for name in names],
            column_labels=[*whole.column_labels, *((new,) for new in asked.added)],
            data_fields=[*whole.data_fields, *made],
        )
    )


def session_of(frame: Any) -> Any:
    """The session of *frame*, which is from pyspark.sql or pyspark.pandas."""
    return frame._internal.spark_frame.sparkSession if is_pandas(frame) else frame.sparkSession


def register() -> None:
    """Add `.svc` to frames and columns."""
    from pyspark.pandas import DataFrame, Series
    from pyspark.pandas.extensions import register_dataframe_accessor, register_series_accessor

    from svc_nb.clusters.namespaces import ColumnVerbs, TableVerbs

    if not hasattr(DataFrame, "svc"):
        register_dataframe_accessor("svc")(TableVerbs)
    if not hasattr(Series, "svc"):
        register_series_accessor("svc")(ColumnVerbs)
