"""A request for a table: its columns, the options that differ by row, and the counted texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from svc_nb.advice import did_you_mean
from svc_nb.columns.nested import top_of
from svc_nb.columns.selection import is_language_among, named, source_code
from svc_nb.errors import UnknownLanguage, column_error
from svc_nb.session import known as known_session

TEXT = "text"
ROWS = "rows"
# The suffix of columns added by detection.
LANG = "lang"
# Common names of columns, such as "text", must not collide with ours within a query.
OWN = "__svc_nb_{}__"
LEVELS = "the columns have labels with several levels. Give each a single name first"
NO_WORKERS = "fleet: only Dask and Spark tables have workers. Leave it out"


class Counted(NamedTuple):
    """Different texts (None: no text), the number of rows of each, and the options that differ by row."""

    texts: list[str | None]
    rows: list[int]
    options: Mapping[str, list[str | None]]

    @classmethod
    def together(cls, held: Sequence[Counted]) -> Counted:
        """All of *held* as one."""
        return cls(
            [text for some in held for text in some.texts],
            [rows for some in held for rows in some.rows],
            {name: [each for some in held for each in some.options[name]] for name in held[0].options},
        )


@dataclass(frozen=True, slots=True)
class TableRequest:
    """`columns` are the columns of texts; `options` has the columns with each row's own options, by option name.

    `results` are the fields of the pairs, one for each target; `added` has, for each new column, its source column and
    the field from which it comes. With `coerce`, a cell that is not text becomes missing.
    """

    columns: tuple[str, ...]
    results: tuple[str, ...]
    added: Mapping[str, tuple[str, str]]
    options: Mapping[str, str] = field(default_factory=dict)
    coerce: bool = False

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        columns: Any,
        targets: Sequence[str],
        *,
        source_lang: Any = None,
        context: Any = None,
        coerce: bool = False,
    ) -> TableRequest:
        """The request for *columns*, one name or several; raises KeyError or ValueError if it is impossible."""
        several = isinstance(columns, Iterable) and not isinstance(columns, str)
        chosen = tuple(columns) if several else (columns,)
        if not chosen:
            raise ValueError("columns: expected at least one")
        for name in chosen:
            if not isinstance(name, str | int | tuple):
                raise TypeError(f"columns: expected names, found {type(name).__name__}")
            if name not in names and (top := top_of(name, names)):
                raise TypeError(
                    f"columns: {name!r} is a path into the cells of {top!r}, and only pandas supports paths. Make a "
                    "pandas frame of the table first, such as with .to_pandas()."
                )
            if name not in names:
                raise column_error(name, names)
        name, times = Counter(chosen).most_common(1)[0]
        if times > 1:
            raise ValueError(f"columns: column {name!r} is given twice")
        # Names like ours, which exist in a query only while it runs, must not be used.
        before, _, after = OWN.partition("{}")
        for name in map(str, names):
            if name.lower().startswith(before) and name.endswith(after):
                raise ValueError(f"column {name!r}: such names are reserved for svc_nb. Rename it first")
        results = tuple(f"r{number}" for number in range(len(targets)))
        added = {
            str(named(column, target)): (column, result)
            for column in chosen
            for target, result in zip(targets, results, strict=True)
        }
        refuse_there(names, added)
        own = {"source_lang": _language(names, source_lang, chosen), "context": _context(names, context)}
        return cls(chosen, results, added, {name: each for name, each in own.items() if each is not None}, coerce)

    @property
    def keys(self) -> tuple[str, ...]:
        """The fields of the pairs that are the key of a row."""
        return (TEXT, *self.options)

    @property
    def read(self) -> tuple[str, ...]:
        """The columns that must be read."""
        return tuple(dict.fromkeys((*self.columns, *self.options.values())))


def refuse_there(names: Iterable[Any], added: Iterable[Any]) -> None:
    """Raise ValueError if a column that would be added already exists."""
    if there := set(names).intersection(added):
        raise ValueError(f"there is already a column {min(map(repr, there))}. Rename or drop it first")


def check_columns(columns: Any, *, is_column: bool) -> None:
    """Raise TypeError if columns are given for a column, or none for a frame."""
    if is_column and columns is not None:
        raise TypeError("columns: a column and texts have no columns. Pass only the language, as target_lang=")
    if not is_column and columns is None:
        raise TypeError("columns: expected the names of one or several columns")


def check_alone(source_lang: Any, context: Any) -> None:
    """Raise TypeError or ValueError unless they are a language and a text: a column has no others beside it."""
    _language((), source_lang)
    _context((), context)


def _language(names: Sequence[str], source_lang: Any, chosen: Sequence[str] = ()) -> str | None:
    """The column of *names* that *source_lang* means; None if it is a language."""
    if source_lang is None or source_lang == "":
        return None
    if not isinstance(source_lang, str):
        raise TypeError(f"source_lang: expected a language or the name of a column, found {type(source_lang).__name__}")
    if source_lang in names and not is_language_among(source_lang, chosen):
        return source_lang
    here = known_session()
    try:
        source_code(source_lang, here.client if here else None)
    except UnknownLanguage as problem:
        if problem.meant:
            raise
        raise ValueError(
            f"source_lang: {source_lang!r} is neither a language nor a column. {did_you_mean(source_lang, names)}"
        ) from None
    return None


def _context(names: Sequence[str], context: Any) -> str | None:
    """The column that *context* names; any other text is the context of all rows."""
    if context is not None and not isinstance(context, str):
        raise TypeError(
            f"context: expected a text or the name of a column, found {type(context).__name__}. Make it a column "
            "of the table first"
        )
    return context if context in names else None


def as_text(kind: str) -> str:
    """Advice on how to turn a column of another *kind* into text; each engine has its own names for kinds.

    >>> as_text("list(string)"), as_text("blob"), as_text("int64")
    ('Give each item a row of its own first.', 'Decode it to text first.', 'Cast it to text first.')
    """
    if kind.startswith(("list", "array", "large_list", "fixed_size_list")) or kind.endswith("]"):
        return "Give each item a row of its own first."
    if kind.startswith(("struct", "map", "row")):
        return "Take a field of it that is text."
    return "Decode it to text first." if "binary" in kind or kind in ("blob", "bytes") else "Cast it to text first."


def changed(name: str) -> str:
    """The message for a row whose text is not among the pairs."""
    return (
        f"column {name!r} has other texts than when it was translated: the data behind the table has changed since "
        "then, or differs every time. Save it first (persist, cache, collect, or write it to a file), then translate."
    )
