"""What there is to translate: the columns of a table that hold texts, by the names that a person reads."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from svc_nb.errors import column_error
from svc_nb.language_codes import base_code
from svc_nb.panels.columns import LOOKED_AT, holds_texts, written
from svc_nb.tabular.report import plural

NAMELESS = "text"


@dataclass(frozen=True)
class TextColumn:
    """A column that holds texts: its *label*, how that is written, and in how many rows there is something."""

    label: Hashable
    title: str
    count: int

    @property
    def note(self) -> str:
        """How many texts it has, in words."""
        return plural(self.count, "text")


class Texts:
    """A table whose columns can be translated: a frame as it is, or a column, which becomes a frame of one.

    `frame` is the person's own frame, so that columns can be put into it; of a column it is a frame around it.
    `columns` are those that hold texts, in their order, as `look` found them last; those whose name stands there twice
    are left out. `language_columns` are the ones among them whose cells are codes of languages.
    """

    def __init__(self, table: Any) -> None:
        self.is_frame = isinstance(table, pd.DataFrame)
        if self.is_frame:
            self.frame: pd.DataFrame = table
        elif isinstance(table, pd.Series | pd.Index) and not isinstance(table, pd.MultiIndex):
            column = table if isinstance(table, pd.Series) else pd.Series(table, name=table.name)
            self.frame = column.to_frame(NAMELESS if column.name is None else column.name)
        else:
            raise TypeError(f"expected a DataFrame or a Series of texts, found {type(table).__name__}")
        self.columns: list[TextColumn] = []
        self.language_columns: list[Hashable] = []
        self.look()

    def __len__(self) -> int:
        return len(self.frame)

    def look(self) -> None:
        """Look at the frame, which may have changed."""
        labels = self.frame.columns
        found = [(place, label) for place, label in enumerate(labels) if (labels == label).sum() == 1]
        counted = [(place, label, int(self.frame.iloc[:, place].notna().sum())) for place, label in found]
        self.columns = [
            TextColumn(label, written(label), count)
            for place, label, count in counted
            if (count or not len(self.frame)) and holds_texts(self.frame.iloc[:, place])
        ]
        named = [column.label for column in self.columns]
        self.language_columns = [label for label in named if _holds_codes(self.frame[label])]

    def labels_of(self, given: Any) -> list[Hashable]:
        """The columns that *given* names, one or several; raises KeyError for one that there is not."""
        known = self.frame.columns
        if given is None:
            return []
        several = isinstance(given, Iterable) and not isinstance(given, str)
        if several and isinstance(given, Hashable) and given in known:
            several = False  # a tuple that is one label
        labels: list[Hashable] = list(given) if several else [given]
        for label in labels:
            if not isinstance(label, Hashable) or label not in known:
                raise column_error(label, known.tolist())
        return list(dict.fromkeys(labels))

    def taken(self, labels: Sequence[Hashable], source_lang: Any = None, context: Any = None) -> pd.DataFrame:
        """A copy of the columns *labels*, and of those with languages and contexts: nothing changes it any more."""
        wanted = list(labels)
        wanted += [context] if context in self.frame.columns and context not in wanted else []
        if isinstance(source_lang, str) and source_lang in self.frame.columns and source_lang not in wanted:
            wanted.append(source_lang)
        places = [_place(self.frame.columns, label) for label in wanted]
        return self.frame.iloc[:, places].copy(deep=True)


def _holds_codes(column: pd.Series[Any]) -> bool:
    seen = {str(cell) for cell in column.dropna().iloc[:LOOKED_AT]}
    return bool(seen) and all(map(base_code, seen))


def _place(labels: pd.Index[Any], wanted: Hashable) -> int:
    for place, label in enumerate(labels):
        if label == wanted:
            return place
    raise ValueError(f"the frame has no column {written(wanted)} any more: choose another one")
