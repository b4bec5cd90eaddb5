"""What every engine can do, and which one a table belongs to; an engine is imported when such a table is there."""

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from svc_nb.clusters.fleet import Deliveries, WorkOrder
from svc_nb.clusters.join_table import JoinTable
from svc_nb.clusters.table_request import Counted, TableRequest

# The package that a table's class comes from, and the engine for it.
ENGINES = {"polars": "polars", "dask": "dask", "pyspark": "spark", "duckdb": "duckdb", "narwhals": "narwhals"}
TABLES = (
    "a text, a list of texts, a pandas, Polars or Dask frame or column, a Spark frame, a DuckDB relation, or a table "
    "in memory that narwhals knows, such as one of Arrow"
)


class Answer(Protocol):
    """Sends the texts and gives the pairs."""

    def __call__(self, counted: Iterator[Counted] | None = None) -> JoinTable:
        """Send the texts *counted*, or have the engine count them."""


class Engine(Protocol):
    """One kind of table."""

    def is_column(self, table: Any) -> bool:
        """Whether it is a column, not a frame."""

    def frame(self, column: Any, name: str) -> Any:
        """A column as the only one of a frame, called *name*."""

    def columns(self, frame: Any, names: Mapping[str, str], like: Any, *, alone: bool) -> Any:
        """What was added to a frame that was made of the column *like*.

        *names* has the names of the columns that were added, and what they are called in a frame of them; where there
        is one, to be *alone*, it comes as a column, called as *like* is.
        """

    def types(self, frame: Any) -> dict[str, str | None]:
        """The columns by name: None for one that holds texts, else the name of the type that it has."""

    def counted(self, frame: Any, asked: TableRequest) -> Iterator[Counted]:
        """Every different text of the columns, all columns together, some thousand at a time."""

    def joined(self, frame: Any, asked: TableRequest, answer: Answer) -> Any:
        """The frame with the columns that are asked for.

        *answer* sends the texts and gives the pairs: called at once, or, where the engine is lazy enough, when rows
        are wanted. A row whose text is not among the pairs raises, when rows are made, with the words `changed`.
        """

    def register(self) -> None:
        """Put `.svc` on the engine's own classes."""


@runtime_checkable
class Cluster(Engine, Protocol):
    """An engine with workers that can send."""

    def check_workers(self, frame: Any) -> None:
        """Raise what keeps the workers from sending."""

    def sent(
        self, frame: Any, order: WorkOrder, parts: Sequence[Counted], most: int, halted: Callable[[], bool]
    ) -> Deliveries:
        """Have the workers send *parts*, with at most *most* requests at once in all.

        Gives the deliveries as they come, each with the number of its part. Once *halted* says so nothing more is
        begun, what is under way is brought in, and it ends; closed, it ends at once.
        """


def engine_of(table: Any) -> Engine:
    """The engine that *table* belongs to; raises TypeError where it is of no kind that is known."""
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
    """The table as narwhals sees it, or the table itself where it does not know it or does not hold it in memory."""
    import narwhals as nw

    return nw.from_native(table, eager_only=True, allow_series=True, pass_through=True)


def engine(home: str) -> Engine:
    """The engine for the tables of the package *home*."""
    made: Engine = importlib.import_module(f"svc_nb.clusters.{ENGINES[home]}").ENGINE
    return made
