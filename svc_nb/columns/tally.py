"""The different texts of a table that is elsewhere, and in how many of its rows each stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.columns.sheet import Sheet, of_rows, source_code
from svc_nb.tabular.column import Column, text_array
from svc_nb.wire.client import Client


class Tally(Sheet):
    """*texts* with the number of *rows* that each stands for, and by name the *options* of which rows have their own.

    Results come back by position, a value for each text; what is counted is counted in rows.
    """

    def __init__(
        self,
        texts: Sequence[str | None],
        rows: Sequence[int],
        options: Mapping[str, Sequence[str | None]] = MappingProxyType({}),
        *,
        name: str | None = None,
    ) -> None:
        super().__init__(pd.Series(text_array(texts), name=name))
        self.texts = texts
        self.options = options
        self._rows = np.asarray(rows, dtype=np.int64)

    def __len__(self) -> int:
        return int(self._rows.sum())

    def part(self, places: Sequence[int]) -> tuple[list[str | None], list[int], dict[str, list[str | None]]]:
        """Some of the texts with their rows and options: what a smaller tally is made of."""
        return (
            [self.texts[place] for place in places],
            [int(self._rows[place]) for place in places],
            {name: [values[place] for place in places] for name, values in self.options.items()},
        )

    def columns(self, *, coerce: bool) -> list[Column]:
        """The texts, taken apart."""
        return [Column(self._table, coerce=coerce, weights=self._rows)]

    def rows(self, chosen: Any) -> npt.NDArray[np.bool_]:
        """All or none: the rows are elsewhere."""
        if not isinstance(chosen, bool):
            raise TypeError("again: of a table that another engine holds it is True or False")
        return np.full(len(self.texts), chosen)

    def languages(self, source_lang: Any, client: Client | None = None, *, coerce: bool = False) -> Any:
        """The language of each text where rows name their own, else *source_lang*."""
        if "source_lang" not in self.options:
            return source_code(source_lang, client)
        return of_rows(self._own("source_lang"), client, coerce=coerce)

    def contexts(self, context: Any) -> Any:
        """The context of each text where rows have their own, else *context*."""
        return self._own("context") if "context" in self.options else super().contexts(context)

    def _own(self, name: str) -> pd.Series[Any]:
        return pd.Series(list(self.options[name]), dtype=object)
