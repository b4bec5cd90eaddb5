"""What is asked of a table: its columns, the options that rows have of their own, and the texts counted."""

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
# What is added by detection is called after this.
LANG = "lang"
# Names that a table may well have, such as "text", must not meet ours within one query.
OWN = "__svc_nb_{}__"
LEVELS = "the columns have labels of several levels; give each a single name first"
NO_WORKERS = "fleet: only tables of Dask and Spark have workers"


class Counted(NamedTuple):
    """Different texts (None: no text), in how many rows each stands, and the options that rows have of their own."""

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
    """`columns` are worked on; `options` has the columns with each row's own options, by the name of the option.

    `results` are the fields of the pairs, one for each target; `added` has, for each column that is added, the column
    that it is made of and the field that it comes from. With `coerce` a cell that is no text becomes a gap.
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
        """What is asked of *columns*, one name or several; raises KeyError or ValueError where that cannot be."""
        several = isinstance(columns, Iterable) and not isinstance(columns, str)
        chosen = tuple(columns) if several else (columns,)
        if not chosen:
            raise ValueError("columns: expected at least one")
        for name in chosen:
            if not isinstance(name, str | int | tuple):
                raise TypeError(f"columns: expected names, found {type(name).__name__}")
            if name not in names and (top := top_of(name, names)):
                raise TypeError(
                    f"columns: {name!r} is a path into the cells of {top!r}, and only pandas takes paths. Make a "
                    "pandas frame of the table first, such as with .to_pandas()."
                )
            if name not in names:
                raise column_error(name, names)
        name, times = Counter(chosen).most_common(1)[0]
        if times > 1:
            raise ValueError(f"columns: column {name!r} is given twice")
        # Names such as ours, which stand in a query only while it runs, must not be there.
        before, _, after = OWN.partition("{}")
        for name in map(str, names):
            if name.lower().startswith(before) and name.endswith(after):
                raise ValueError(f"column {name!r}: such names are kept for svc_nb; rename it first")
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
        """The fields of the pairs that a row is found by."""
        return (TEXT, *self.options)

    @property
    def read(self) -> tuple[str, ...]:
        """The columns that must be read."""
        return tuple(dict.fromkeys((*self.columns, *self.options.values())))


def refuse_there(names: Iterable[Any], added: Iterable[Any]) -> None:
    """Raise ValueError where a column that would be added is there already."""
    if there := set(names).intersection(added):
        raise ValueError(f"there is a column {min(map(repr, there))} already; rename it or drop it first")


def check_columns(columns: Any, *, is_column: bool) -> None:
    """Raise TypeError where columns are named of a column, or none of a frame."""
    if is_column and columns is not None:
        raise TypeError("columns: a column has none, and texts have none; give the language alone, by target_lang=")
    if not is_column and columns is None:
        raise TypeError("columns: expected the name of a column, or several")


def check_alone(source_lang: Any, context: Any) -> None:
    """Raise TypeError or ValueError where they are no language and no text: a column has no other one with them."""
    _language((), source_lang)
    _context((), context)


def _language(names: Sequence[str], source_lang: Any, chosen: Sequence[str] = ()) -> str | None:
    """The column of *names* that *source_lang* is; None where it is a language."""
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
            f"context: expected a text or the name of a column, found {type(context).__name__}; make it a column "
            "of the table first"
        )
    return context if context in names else None


def as_text(kind: str) -> str:
    """How a column of a *kind* that is no text becomes one, as advice; each engine has names of its own for kinds.

    >>> as_text("list(string)"), as_text("blob"), as_text("int64")
    ('Give each item a row of its own first.', 'Decode it to text first.', 'Cast it to text first.')
    """
    if kind.startswith(("list", "array", "large_list", "fixed_size_list")) or kind.endswith("]"):
        return "Give each item a row of its own first."
    if kind.startswith(("struct", "map", "row")):
        return "Take a field of it that is text."
    return "Decode it to text first." if "binary" in kind or kind in ("blob", "bytes") else "Cast it to text first."


def changed(name: str) -> str:
    """What is said of a row whose text is not among the pairs."""
    return (
        f"column {name!r} has other texts than when it was translated: what the table reads has changed meanwhile, or "
        "it is not the same every time. Keep it first (persist, cache, collect, or write it to a file), then translate."
    )
