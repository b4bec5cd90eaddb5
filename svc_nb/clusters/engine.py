"""What every engine can do, and which one a table belongs to. An engine is imported when such a table is there."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from svc_nb.clusters.asked import LANGUAGE, ROWS, TEXT, Asked

if TYPE_CHECKING:
    from svc_nb.clusters.fleet import Deliveries, Order, Part
    from svc_nb.clusters.pairs import Pairs

# The package that a table's class comes from, and the engine for it.
ENGINES = {"polars": "polars", "dask": "dask", "pyspark": "spark", "duckdb": "duckdb"}
TABLES = "a pandas, Polars or Dask frame or column, a Spark frame, or a DuckDB relation"
# Names that a table may well have, such as "text", must not meet ours within one query.
OWN = "__svc_nb_{}__"


class Counted(NamedTuple):
    """Different texts, in how many rows each stands, and their languages where rows name their own.

    None stands for the rows that have no text.
    """

    texts: list[str | None]
    rows: list[int]
    languages: list[str | None] | None


class Engine(Protocol):
    """One kind of table."""

    def is_column(self, table: Any) -> bool:
        """Whether it is a column, not a frame."""

    def frame(self, column: Any, name: str) -> Any:
        """A column as the only one of a frame, called *name*."""

    def columns(self, frame: Any, names: Mapping[str, str], like: Any) -> Any:
        """What was added to a frame that was made of the column *like*.

        *names* has the names of the columns that were added, and what they are called in a frame of several; a single
        one comes as a column, called as *like* is.
        """

    def types(self, frame: Any) -> dict[str, str | None]:
        """The columns by name: None for one that holds texts, else the name of the type that it has."""

    def counted(self, frame: Any, asked: Asked) -> Iterator[Counted]:
        """Every different text of the columns, all columns together, some thousand at a time.

        Nothing but what is different comes to this process, and never more than a bounded part of it at once.
        """

    def joined(self, frame: Any, asked: Asked, answer: Callable[[], Pairs]) -> Any:
        """The frame with the columns that are asked for.

        *answer* sends the texts and gives the pairs: called at once, or, where the engine is lazy enough, when rows
        are wanted. A row whose text is not among the pairs raises, when rows are made, with the words `changed`.
        """

    def sent(self, frame: Any, order: Order, parts: Sequence[Part], most: int) -> Deliveries:
        """Have the workers send *parts*, with at most *most* requests at once in all; raises where there are none.

        Gives the deliveries as they come, each with the number of its part; closed, it has no more sent.
        """

    def register(self) -> None:
        """Put `.svc` on the engine's own classes."""


def engine_of(table: Any) -> Engine:
    """The engine that *table* belongs to; raises TypeError where it is of no kind that is known."""
    homes = [kind.__module__.lstrip("_").partition(".")[0] for kind in type(table).__mro__]
    home = next((home for home in homes if home in ENGINES), None)
    if home is None:
        raise TypeError(f"expected {TABLES}; found {type(table).__name__}")
    from svc_nb.clusters.fitting import check

    check(home)
    return engine(home)


def engine(home: str) -> Engine:
    """The engine for the tables of the package *home*."""
    module = importlib.import_module(f"svc_nb.clusters.{ENGINES[home]}")
    made: Engine = module.ENGINE
    return made


def types(frame: Any) -> dict[str, str | None]:
    """`Engine.types` for every frame that narwhals knows."""
    import narwhals as nw

    schema = nw.from_native(frame).collect_schema()
    texts = (nw.String, nw.Categorical, nw.Enum)
    return {
        name: None if any(kind == text for text in texts) else str(kind).lower()
        for name, kind in schema.items()
    }


def tally(frame: Any, asked: Asked) -> Any:
    """A frame of the same engine with every different text, its language and its rows; lazy where the engine is."""
    import narwhals as nw

    whole = nw.from_native(frame)
    keys = [OWN.format(key) for key in asked.keys]
    named = [] if asked.language is None else [asked.language]
    parts = [
        whole.select(*(_key(nw.col(own), key) for own, key in zip((name, *named), keys, strict=True)))
        for name in asked.columns
    ]
    return nw.concat(parts, how="vertical").group_by(*keys).agg(nw.len().alias(OWN.format(ROWS))).to_native()


def _key(column: Any, name: str) -> Any:
    import narwhals as nw

    return column.cast(nw.String).alias(name)


def changed(name: str) -> str:
    """What is said of a row whose text is not among the pairs."""
    return (
        f"column {name!r} has other texts than when it was translated: what the table reads has changed meanwhile, or "
        "it is not the same every time. Keep it first (persist, cache, collect, or write it to a file), then translate."
    )


__all__ = [
    "LANGUAGE",
    "OWN",
    "ROWS",
    "TEXT",
    "Counted",
    "Engine",
    "changed",
    "engine",
    "engine_of",
    "tally",
    "types",
]
