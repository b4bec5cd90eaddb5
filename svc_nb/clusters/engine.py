"""The interface of every engine, and the engine of a table; an engine is imported when its tables are used."""

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from svc_nb.clusters.fleet import Deliveries, WorkOrder
from svc_nb.clusters.join_table import JoinTable
from svc_nb.clusters.table_request import Counted, TableRequest

# The package of a table's class, and its engine.
ENGINES = {"polars": "polars", "dask": "dask", "pyspark": "spark", "duckdb": "duckdb", "narwhals": "narwhals"}
TABLES = (
    "a text, a list of texts, a pandas, Polars or Dask frame or column, a Spark frame, a DuckDB relation, or a table "
    "in memory that narwhals supports, such as an Arrow table"
)


class Answer(Protocol):
    """Sends the texts and returns the pairs."""

    def __call__(self, counted: Iterator[Counted] | None = None) -> JoinTable:
        """Send the texts in *counted*, or let the engine count them."""


class Engine(Protocol):
    """One kind of table."""

    def is_column(self, table: Any) -> bool:
        """Whether it is a column, not a frame."""

    def frame(self, column: Any, name: str) -> Any:
        """A frame with the column, called *name*, as its only one."""

    def columns(self, frame: Any, names: Mapping[str, str], like: Any, *, alone: bool) -> Any:
        """The columns added to a frame that was made from the column *like*.

        *names* maps the names of the added columns to their names in the resulting frame. With *alone*, there is only
        one, which is returned as a column with the name of *like*.
        """

    def types(self, frame: Any) -> dict[str, str | None]:
        """The columns by name: None for a column of texts, else the name of its type."""

    def counted(self, frame: Any, asked: TableRequest) -> Iterator[Counted]:
        """Every different text of all columns together, several thousand at a time."""

    def joined(self, frame: Any, asked: TableRequest, answer: Answer) -> Any:
        """The frame with the requested columns.

        *answer* sends the texts and returns the pairs. It is called at once or, if the engine is lazy, when rows are
        needed. A row whose text is not among the pairs raises an error with the message `changed` when it is made.
        """

    def register(self) -> None:
        """Add `.svc` to the engine's own classes."""


@runtime_checkable
class Cluster(Engine, Protocol):
    """An engine with workers that can send texts."""

    def check_workers(self, frame: Any) -> None:
        """Raise an error if something keeps the workers from sending."""

    def sent(
        self, frame: Any, order: WorkOrder, parts: Sequence[Counted], most: int, halted: Callable[[], bool]
    ) -> Deliveries:
        """Let the workers send *parts*, with at most *most* parallel requests in total.

        Yields the deliveries as they arrive, each with the number of its part. Once *halted* is true, no more parts are
        started, those under way are collected, and it ends; if closed, it ends at once.
        """


def engine_of(table: Any) -> Engine:
    """The engine of *table*; raises TypeError if its type is not supported."""
    from svc_nb.clusters.requirements import check

    homes = [kind.__module__.lstrip("_").partition(".")[0] for kind in type(table).__mro__]
    home = next((home for home in homes if home in ENGINES), None)
    if home is not None:
        check(home)
        return engine(home)
    if known(table) is table:
        raise TypeError(f"expected {TABLES}; found {type(table).__name__}")
    check("narwhals")
    return engine("narwhals")


def known(table: Any) -> Any:
    """The table as a narwhals table, or the table itself if narwhals does not support it or it is not in memory."""
    import narwhals as nw

    return nw.from_native(table, eager_only=True, allow_series=True, pass_through=True)


def engine(home: str) -> Engine:
    """The engine for tables of the package *home*."""
    made: Engine = importlib.import_module(f"svc_nb.clusters.{ENGINES[home]}").ENGINE
    return made
