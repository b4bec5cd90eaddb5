"""Every other table that is held in memory and that narwhals knows, such as one of Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import narwhals as nw

from svc_nb.clusters.asked import LANGUAGE, OWN, ROWS, TEXT, Asked
from svc_nb.clusters.engine import Counted, changed

if TYPE_CHECKING:
    from svc_nb.clusters.pairs import Pairs

TEXTS = (nw.String, nw.Categorical, nw.Enum)
ROW, FOUND = OWN.format("row"), OWN.format("found")
AT_ONCE = 10_000


class Other:
    """Frames and columns; rows keep their order."""

    def is_column(self, table: Any) -> bool:
        """Whether it is a column."""
        return isinstance(known(table), nw.Series)

    def frame(self, column: Any, name: str) -> Any:
        """A column as the only one of a frame."""
        return nw.from_native(column, series_only=True).alias(name).to_frame().to_native()

    def columns(self, frame: Any, names: Mapping[str, str], like: Any) -> Any:
        """The column that was added, or all of them as a frame."""
        made = nw.from_native(frame, eager_only=True)
        if len(names) == 1:
            return made[next(iter(names))].alias(nw.from_native(like, series_only=True).name).to_native()
        return made.select(nw.col(added).alias(name) for added, name in names.items()).to_native()

    def types(self, frame: Any) -> dict[str, str | None]:
        """The columns by name."""
        whole = nw.from_native(frame, eager_only=True)
        return {
            name: None
            if any(kind == text for text in TEXTS) or _is_empty(whole[name], kind)
            else str(kind).lower()
            for name, kind in whole.schema.items()
        }

    def counted(self, frame: Any, asked: Asked) -> Iterator[Counted]:
        """Every different text with its rows."""
        whole = nw.from_native(frame, eager_only=True)
        keys = [OWN.format(key) for key in asked.keys]
        parts = [whole.select(*_keys(asked, name)) for name in asked.columns]
        tally = nw.concat(parts, how="vertical").group_by(*keys).agg(nw.len().alias(OWN.format(ROWS)))
        for start in range(0, len(tally), AT_ONCE):
            texts, *languages, rows = (
                column.to_list() for column in tally[start : start + AT_ONCE].iter_columns()
            )
            yield Counted(texts, rows, [each or None for each in languages[0]] if languages else None)

    def joined(self, frame: Any, asked: Asked, answer: Callable[[], Pairs]) -> Any:
        """The frame with its columns; the texts are sent now."""
        whole = nw.from_native(frame, eager_only=True)
        found = _found(answer(), whole.implementation)
        made = [column for name in asked.columns for column in _made(whole, asked, name, found)]
        return whole.with_columns(*made).to_native()

    def register(self) -> None:
        """Nothing: there are too many of them."""


def known(table: Any) -> Any:
    """The table as narwhals sees it, or the table itself where it does not know it or does not hold it in memory."""
    return nw.from_native(table, eager_only=True, allow_series=True, pass_through=True)


def _is_empty(column: Any, kind: Any) -> bool:
    """Whether a column of no known type has nothing but gaps, which may well be of texts."""
    return bool(kind == nw.Unknown and column.null_count() == len(column))


def _keys(asked: Asked, name: str) -> list[Any]:
    """What a row is found by; no language is the same as an empty one."""
    text = nw.col(name).cast(nw.String()).alias(OWN.format(TEXT))
    if asked.language is None:
        return [text]
    language = nw.col(asked.language).cast(nw.String()).fill_null("")
    return [text, language.alias(OWN.format(LANGUAGE))]


def _made(whole: Any, asked: Asked, name: str, found: Any) -> Iterator[Any]:
    """The columns that are made of the column *name*; nothing but it is joined, for a join does not take every type."""
    keys = [OWN.format(key) for key in asked.keys]
    rows = whole.select(*_keys(asked, name)).with_row_index(ROW).join(found, on=keys, how="left").sort(ROW)
    if rows.filter(~nw.col(keys[0]).is_null(), nw.col(FOUND).is_null()).shape[0]:
        raise ValueError(changed(name))
    for new, (source, field) in asked.added.items():
        if source == name:
            yield rows[OWN.format(field)].alias(new)


def _found(pairs: Pairs, backend: Any) -> Any:
    """All pairs, for the rows are in memory too."""
    from pyarrow import parquet

    table = pairs.table() if pairs.is_small else parquet.read_table(pairs.folder)
    pairs.discard()
    made = nw.from_arrow(table, backend=backend)
    fields = [nw.col(field).cast(nw.String()).alias(OWN.format(field)) for field in made.columns]
    return made.select(*fields).with_columns(nw.lit(value=True).alias(FOUND))


ENGINE = Other()
