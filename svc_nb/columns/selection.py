"""The input of a job: a column, an index or several columns of a frame; results come back in the same shape."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Set, Sized
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.advice import nearest
from svc_nb.columns.nested import NestedColumn, Path, top_of
from svc_nb.errors import UnknownLanguage, column_error, warn
from svc_nb.language_codes import base_code, normal
from svc_nb.tabular.report import plural
from svc_nb.tabular.text_column import Column, text_array
from svc_nb.wire.client import Client
from svc_nb.wire.languages import source, target

DETECT = "detect"


class Selection:
    """The selected part of *table*: all of a Series or an Index, or *columns* of a DataFrame.

    A column may have a path into its cells, `messages[*].content`; `is_nested` says whether one has.
    """

    def __init__(self, table: Any, columns: Hashable | Sequence[Hashable] = None) -> None:
        # A copy of the frame around the cells: later changes to the table must not shift or change rows here.
        self._table: Any = table if isinstance(table, pd.Index) else table.copy(deep=False)
        self.is_frame = isinstance(table, pd.DataFrame)
        self._labels = labels_of(table, columns) if self.is_frame else {}
        self.is_nested = any(self._labels.values())
        self.cells = len(table) * (len(self._labels) if self.is_frame else 1)

    def __len__(self) -> int:
        return len(self._table)

    @property
    def labels(self) -> pd.Index[Any]:
        """The labels of the rows; for an Index, their numbers."""
        return pd.RangeIndex(len(self._table)) if isinstance(self._table, pd.Index) else self._table.index

    def columns(self, *, coerce: bool) -> list[Column]:
        """The columns, split into different texts."""
        if not self.is_frame:
            return [Column(self._table, coerce=coerce)]
        return [
            NestedColumn(self._table[label], paths) if paths else Column(self._table[label], coerce=coerce)
            for label, paths in self._labels.items()
        ]

    def languages(self, source_lang: Any, client: Client | None = None, *, coerce: bool = False) -> Any:
        """*source_lang* as one code, as "detect", or as one code per row; with *coerce*, unknown values stay."""
        # A column of texts whose name is a language does not contain languages.
        is_label = self.is_frame and isinstance(source_lang, Hashable) and source_lang in self._table.columns
        is_label = is_label and not is_language_among(source_lang, self._labels)
        if source_lang is None or (isinstance(source_lang, str) and not is_label):
            try:
                return source_code(source_lang, client)
            except UnknownLanguage as error:
                if near := self._near(source_lang):
                    raise UnknownLanguage(
                        f"source_lang: there is no language and no column {source_lang!r}", meant=[near]
                    ) from error
                raise
        field = "source_lang"
        if is_label:
            field = f"source_lang (column {source_lang!r})"
            source_lang = self._table[source_lang]
        rows = self._by_row("source_lang", source_lang, "language")
        return of_rows(rows, client, coerce=coerce, field=field)

    def contexts(self, context: Any) -> Any:
        """*context* as one text, or as one text per row (also by a column's name); None or missing for no context."""
        if context is None:
            return None
        is_label = self.is_frame and isinstance(context, Hashable) and context in self._table.columns
        if isinstance(context, str) and not is_label:
            if near := self._near(context, cutoff=0.75):
                warn(UserWarning(f"context: {context!r} goes with every text. Did you mean the column {near}?"))
            return context.strip() or None
        given = self._table[context] if is_label else context
        if isinstance(given, pd.DataFrame):
            raise KeyError(f"context: {given.shape[1]} columns are called {context!r}")
        column = Column(self._by_row("context", given, "text"), coerce=True)
        if wrong := [row for row, code in enumerate(column.codes.tolist()) if code in column.kinds]:
            kind = column.kinds[int(column.codes[wrong[0]])]
            raise TypeError(f"context: expected texts, found {kind} in row {wrong[0]}. Convert them to text first")
        texts = np.array([*((text or "").strip() or None for text in column.texts), None], dtype=object)
        return pd.Series(texts[column.codes])

    def people(self, names: Any) -> Any:
        """*names* as given, or the column of a frame with that name."""
        if not self.is_frame:
            return names
        if isinstance(names, list) and len(names) == 1 and names[0] in self._table.columns:
            raise ValueError(f"names: {names[0]!r} is a column; pass names={names[0]!r} for the names in it")
        if not isinstance(names, str):
            return names
        if int((self._table.columns == names).sum()) != 1:
            raise column_error(names, self._table.columns.tolist())
        return self._table[names]

    def _by_row(self, name: str, given: Any, what: str) -> pd.Series[Any]:
        """The values of the option *name* for every row, in the order of the rows."""
        if not isinstance(given, Sized) or isinstance(given, Mapping | Set | bytes):
            raise TypeError(f"{name}: expected a {what}, or one per row, found {type(given).__name__}")
        if len(given) != len(self):
            raise ValueError(f"{name}: expected {len(self):,} {what}s, one per row, found {len(given):,}")
        index = None if isinstance(self._table, pd.Index) else self._table.index
        if isinstance(given, pd.Series) and index is not None and not given.index.equals(index):
            raise ValueError(f"{name}: its row labels are not those of the texts. Pass .to_numpy() to go by position")
        return pd.Series(given).reset_index(drop=True)

    def rows(self, chosen: Any) -> npt.NDArray[np.bool_]:
        """Which rows are *chosen*: all for True, else those whose label or truth value is in it."""
        if isinstance(chosen, bool):
            return np.full(len(self), chosen)
        if isinstance(chosen, str | bytes) or not isinstance(chosen, Iterable):
            raise TypeError(
                f"again: expected True, a list of row labels, or a truth value for each row, found {chosen!r}"
            )
        index = self._table if isinstance(self._table, pd.Index) else self._table.index
        given = pd.Index(chosen.array if isinstance(chosen, pd.Series) else chosen)
        if given.dtype != bool:
            if len(unknown := given[~given.isin(index)]):
                raise KeyError(f"again: no row has the label {unknown[0]!r}")
            return np.asarray(index.isin(given))
        if len(given) != len(self):
            raise ValueError(
                f"again: expected {plural(len(self), 'truth value')}, one for each row, found {len(given):,}"
            )
        return given.to_numpy(dtype=bool)

    def framed(self, cells: Sequence[Any], names: Sequence[Hashable]) -> pd.DataFrame:
        """A frame of all results, under *names*."""
        index = self._table if isinstance(self._table, pd.Index) else self._table.index
        columns = (pd.Series(each.array, dtype=each.dtype, copy=False) for each in cells)
        frame = pd.DataFrame(dict(enumerate(columns)))
        frame.index, frame.columns = index, pd.Index(names)
        return frame

    def _near(self, name: str | None, cutoff: float = 0.6) -> str | None:
        """The column that may be meant by *name*, quoted; None if none is similar."""
        names = [each for each in self._table.columns if isinstance(each, str)] if self.is_frame else []
        near = nearest(name or "", names, cutoff=cutoff)
        return repr(near) if near else None


class CountedTexts(Selection):
    """The different texts of a table that is elsewhere, with the number of *rows* of each, and the rows' *options*."""

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
        self.cells = int(self._rows.sum())

    def __len__(self) -> int:
        return self.cells

    def part(self, places: Sequence[int]) -> tuple[list[str | None], list[int], dict[str, list[str | None]]]:
        """Some of the texts, with their rows and options, as a smaller selection."""
        return (
            [self.texts[place] for place in places],
            [int(self._rows[place]) for place in places],
            {name: [values[place] for place in places] for name, values in self.options.items()},
        )

    def columns(self, *, coerce: bool) -> list[Column]:
        """The texts, as a column."""
        return [Column(self._table, coerce=coerce, weights=self._rows)]

    def rows(self, chosen: Any) -> npt.NDArray[np.bool_]:
        """All or none: the rows are elsewhere."""
        if not isinstance(chosen, bool):
            raise TypeError("again: expected True or False, because another engine holds the table")
        return np.full(len(self.texts), chosen)

    def languages(self, source_lang: Any, client: Client | None = None, *, coerce: bool = False) -> Any:
        """The language of each text if rows have their own, else *source_lang*."""
        if "source_lang" not in self.options:
            return source_code(source_lang, client)
        return of_rows(self._own("source_lang"), client, coerce=coerce)

    def contexts(self, context: Any) -> Any:
        """The context of each text if rows have their own, else *context*."""
        return self._own("context") if "context" in self.options else super().contexts(context)

    def _own(self, name: str) -> pd.Series[Any]:
        return pd.Series(list(self.options[name]), dtype=object)


def is_language_among(name: Hashable, columns: Collection[Hashable]) -> bool:
    """Whether *name* is both a language and one of *columns*, the columns of texts, which are not languages."""
    return name in columns and isinstance(name, str) and base_code(name) is not None


def source_code(source_lang: str | None, client: Client | None = None) -> str | None:
    """The code of the language that is meant, or "detect"; None for None."""
    if not source_lang:
        return None
    return DETECT if source_lang.lower() == DETECT else source(source_lang, client)


def labels_of(frame: pd.DataFrame, columns: Any) -> dict[Hashable, list[Path]]:
    """The selected columns, each with the paths into its cells; no paths if the cells are the texts."""
    several = isinstance(columns, Iterable) and not isinstance(columns, str)
    known = isinstance(columns, Hashable) and columns in frame.columns
    given: list[Hashable] = list(columns) if several and not known else [columns]
    if not given:
        raise ValueError("columns: expected at least one")
    label, times = Counter(given).most_common(1)[0]
    if times > 1:
        raise ValueError(f"columns: column {label!r} is given twice. Give each column once")
    labels: dict[Hashable, list[Path]] = {}
    names = frame.columns.tolist()
    for label in given:
        top = None if label in names else top_of(label, names)
        path = None if top is None else Path.of(str(label), len(top))
        name = label if top is None else top
        if isinstance(label, str) and top is None and label not in names and not nearest(label, map(str, names)):
            head = re.split(r"[.\[]", label)[0]
            name = head if nearest(head, map(str, names)) else label  # a typo in the name that a path begins with
        if int((frame.columns == name).sum()) != 1:
            raise column_error(name, names)
        if name in labels and not (path and labels[name]):
            raise ValueError(
                f"columns: column {name!r} is given both as a whole and with a path. Give only one of the two."
            )
        labels.setdefault(name, []).extend([path] if path else [])
    return labels


def whole_columns(frame: pd.DataFrame, columns: Any) -> list[Hashable]:
    """The columns for methods that do not accept paths into cells."""
    labels = labels_of(frame, columns)
    for paths in labels.values():
        if paths:
            raise ValueError(
                f"columns: expected columns of texts, found the path {paths[0].written!r} into cells. Paths are for "
                "translate, detect, correct, rephrase and plan: put the texts into a column of their own."
            )
    return list(labels)


def named(label: Hashable, target_lang: str) -> Hashable:
    """The name of a column's translation.

    >>> named("title", "DE"), named(("text", "title"), "DE")
    ('title_DE', ('text', 'title_DE'))
    """
    if isinstance(label, tuple) and label:
        return (*label[:-1], f"{label[-1]}_{target_lang}")
    return f"{label}_{target_lang}"


def translated_columns(
    frame: pd.DataFrame, columns: Any, target_lang: str | Sequence[str] | None
) -> dict[str | None, dict[Hashable, Hashable]]:
    """For each target language, the column of *frame* with the translations of each of *columns*."""
    given = [target_lang] if target_lang is None or isinstance(target_lang, str) else [*target_lang]
    codes = [code if code is None else target(code) for code in given]
    if isinstance(columns, Mapping):
        if len(codes) > 1:
            raise ValueError("target_lang: expected one language for a mapping of columns, found several")
        found: dict[str | None, dict[Hashable, Hashable]] = {codes[0]: dict(columns)}
    elif codes == [None]:
        raise ValueError(
            "target_lang: expected the language of the translations, such as 'DE' for title_DE; or pass the columns as "
            "a mapping, such as {'title': 'german_title'}"
        )
    else:
        found = {code: {label: named(label, str(code)) for label in whole_columns(frame, columns)} for code in codes}
    for names in found.values():
        whole_columns(frame, [*names])
        whole_columns(frame, [*names.values()])
    return found


def of_rows(
    languages: pd.Series[Any], client: Client | None, *, coerce: bool, field: str = "source_lang"
) -> pd.Series[Any]:
    """The language of every row, None if missing; raises UnknownLanguage for an unknown one, unless *coerce*."""
    numbers, written = pd.factorize(languages)
    codes: list[str | None] = []
    for each in map(str, written):
        try:
            codes.append(source(each, client, field=field) if each.strip() else None)
        except UnknownLanguage:
            if not coerce:
                raise
            codes.append(normal(each))
    return pd.Series([codes[number] if number >= 0 else None for number in numbers.tolist()], dtype=object)
