"""DuckDB: relations of any connection; texts and names are quoted in its SQL, and nothing is left in its catalogue."""

import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import duckdb

from svc_nb.clusters.engine import Answer
from svc_nb.clusters.join_table import MOST_READ, read_tally, tally_file
from svc_nb.clusters.namespaces import TableVerbs
from svc_nb.clusters.table_request import OWN, ROWS, TEXT, Counted, TableRequest, changed

TEXTS = ("varchar", "enum", "null")
TWICE = (
    "duplicate column {!r} (DuckDB ignores the case of names, and numbers duplicates: a second x is x_1). Rename one "
    "of them"
)
NUMBER = OWN.format("number")
# The schema of DuckDB's own functions; without it, a macro of the database could replace one of them.
ITS = "system.main"
# In these versions a relation keeps the Arrow tables in its expressions alive.
HOLDS_ARROW = int(duckdb.__version__.partition(".")[0]) >= 2


class DuckDB:
    """Relations of any connection with access to files; the order of rows is kept, unless the connection does not."""

    def is_column(self, table: Any) -> bool:
        """DuckDB has no columns without a relation; a relation with one column is a frame."""
        return False

    def frame(self, column: Any, name: str) -> Any:
        """The relation itself, because there are no columns."""
        return column

    def columns(self, frame: Any, names: Mapping[str, str], like: Any, *, alone: bool) -> Any:
        """The relation itself, because there are no columns."""
        return frame

    def types(self, frame: Any) -> dict[str, str | None]:
        """The columns by name; JSON, which DuckDB keeps as text, does not count as text."""
        if not isinstance(frame, duckdb.DuckDBPyRelation):
            raise TypeError(f"expected a DuckDB relation, such as con.table(...), found {type(frame).__name__}")
        types: dict[str, str | None] = {}
        for name, kind in zip(frame.columns, frame.types, strict=True):
            is_text = kind.id in TEXTS and str(kind) != "JSON"
            types[name] = None if is_text or name in types else str(kind).lower()
        return types

    def counted(self, frame: Any, asked: TableRequest) -> Iterator[Counted]:
        """Every different text with its rows."""
        _refuse_twice(frame, asked)
        keys = ", ".join(OWN.format(key) for key in asked.keys)
        texts = (f"{_text(column)} AS {OWN.format(TEXT)}" for column in asked.columns)
        first, *others = (frame.project(", ".join([text, *_options(asked)])) for text in texts)
        for other in others:
            first = first.union(other)
        with tally_file() as path:
            first.aggregate(f"{keys}, {ITS}.count(*) AS {OWN.format(ROWS)}", keys).write_parquet(
                path, row_group_size=MOST_READ
            )
            yield from read_tally(path, asked.options)

    def joined(self, frame: Any, asked: TableRequest, answer: Answer) -> Any:
        """The rows, in order, with the results of their texts."""
        _refuse_twice(frame, asked)
        there = {name.lower(): name for name in frame.columns}
        for name in asked.added:  # DuckDB ignores the case of names
            other = there.setdefault(name.lower(), name)
            if other != name:
                raise ValueError(f"column {name!r} would be the same as {other!r} for DuckDB. Rename that first")
        pairs = answer()
        if pairs.is_small and HOLDS_ARROW:
            # DuckDB finds the table by its name among the variables of this module; no database contains this name.
            name = OWN.format(f"pairs_{uuid.uuid4().hex}")
            globals()[name] = pairs.table()
            try:
                return _beside(frame, asked, name)
            except duckdb.CatalogException:  # the connection does not accept tables from Python
                pass
            finally:
                del globals()[name]
        files = ", ".join(map(_literal, pairs.files))
        return _beside(frame, asked, f"{ITS}.read_parquet([{files}])")

    def register(self) -> None:
        """Add `.svc` to relations."""
        duckdb.DuckDBPyRelation.svc = property(TableVerbs)  # type: ignore[attr-defined]


def _quoted(name: str) -> str:
    """
    >>> _quoted('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    """
    >>> _literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def _exact(expression: str) -> str:
    """As text that is compared exactly, whatever the collation."""
    return f"CAST({expression} AS VARCHAR) COLLATE C"


def _text(column: str) -> str:
    return _exact(_quoted(column))


def _options(asked: TableRequest) -> list[str]:
    """The options that differ by row; a missing option equals an empty one."""
    return [
        _exact(f"coalesce(CAST({_quoted(own)} AS VARCHAR), '')") + f" AS {OWN.format(name)}"
        for name, own in asked.options.items()
    ]


def _refuse_twice(frame: Any, asked: TableRequest) -> None:
    """Raise ValueError if DuckDB could mistake another column for a requested one."""
    spelled = [name.lower() for name in frame.columns]
    known = frame.project("*").columns
    for name in asked.read:
        if spelled.count(name.lower()) > 1 or known[frame.columns.index(name)] != name:
            raise ValueError(TWICE.format(name))


def _beside(rows: Any, asked: TableRequest, source: str) -> Any:
    """The rows with their columns; *source* is SQL for the pairs."""
    texts = {column: OWN.format(f"text{place}") for place, column in enumerate(asked.columns)}
    found = {column: OWN.format(f"found{place}") for place, column in enumerate(asked.columns)}
    keys = [*(f"{_text(column)} AS {text}" for column, text in texts.items()), *_options(asked)]
    keyed = rows.project(", ".join(["*", f"{ITS}.row_number() OVER () AS {NUMBER}", *keys]))
    # The results of the pair that belongs to a row, as a struct; NULL if there is none.
    fields = ", ".join(f"{field} := pair.{field}" for field in asked.results)
    select = f"SELECT {ITS}.struct_pack({fields}) FROM {source} AS pair WHERE "  # noqa: S608 - names of ours only
    same = "".join(f" AND pair.{name} COLLATE C = {OWN.format(name)}" for name in asked.options)
    met = [f"({select}pair.{TEXT} COLLATE C = {texts[column]}{same}) AS {name}" for column, name in found.items()]
    made = []
    for name, (column, field) in asked.added.items():
        # Raises, when the row is made, if a text has no result.
        lost = f"{texts[column]} IS NOT NULL AND {found[column]} IS NULL"
        refused = f"{ITS}.error({_literal(changed(column))})"
        result = f"{ITS}.struct_extract({found[column]}, '{field}')"
        made.append(f"CASE WHEN {lost} THEN {refused} ELSE {result} END AS {_quoted(name)}")
    own = [*texts.values(), *found.values(), *(OWN.format(key) for key in asked.keys[1:])]
    # The rows are sorted with only the requested columns, which is cheaper.
    paired = keyed.project(", ".join(["*", *met])).project(", ".join([f"* EXCLUDE ({', '.join(own)})", *made]))
    # Whether the connection preserves the order of rows; no rows are read for that.
    kept = f"{ITS}.current_setting('preserve_insertion_order')"
    [(_, is_kept)] = rows.filter("false").aggregate(f"{ITS}.count(*), {kept}").fetchall()
    ordered = paired.order(f"{NUMBER} ASC") if is_kept else paired
    return ordered.project(f"* EXCLUDE ({NUMBER})")


ENGINE = DuckDB()
