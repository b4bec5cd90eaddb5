"""The columns of a user's table: how their labels read, which ones hold texts, and those that a panel adds."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import pandas as pd

from svc_nb.errors import column_error
from svc_nb.language_codes import base_code
from svc_nb.panels.parts.texts import cut, text_of
from svc_nb.tabular.report import plural

LOOKED_AT = 1000
MOST_NAMED = 8
LONGEST_SAMPLE = 40
NAMELESS = "text"
NO_COLUMN = "No column of this table holds texts."


def as_table(given: Any) -> pd.DataFrame | pd.Series[Any]:
    """A frame or a column as it is, an index as a column; raises TypeError for anything else."""
    if isinstance(given, pd.Index) and not isinstance(given, pd.MultiIndex):
        given = pd.Series(given, name=given.name)
    if not isinstance(given, pd.DataFrame | pd.Series):
        raise TypeError(f"expected a DataFrame or a Series of texts, found {type(given).__name__}")
    return given


def holds_texts(column: pd.Series[Any]) -> bool:
    """Whether there are texts in *column*; for an empty one, whether there could be."""
    dtype = column.dtype
    if isinstance(dtype, pd.StringDtype):
        return True
    if isinstance(dtype, pd.CategoricalDtype):
        return any(isinstance(each, str) for each in dtype.categories[:LOOKED_AT])
    if dtype.kind != "O":
        return False
    cells = column.dropna().iloc[:LOOKED_AT]
    return not len(cells) or any(isinstance(cell, str) for cell in cells)


def label_text(label: Hashable) -> str:
    """A label as a person reads it.

    >>> label_text("title"), label_text(("text", "title")), label_text(3)
    ('title', 'text / title', '3')
    """
    return " / ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def label_list(labels: Sequence[Hashable]) -> str:
    """Labels in a line; only the first ones if there are many."""
    shown = ", ".join(map(label_text, labels[:MOST_NAMED]))
    return shown if len(labels) <= MOST_NAMED else f"{shown} and {len(labels) - MOST_NAMED} more"


def cell_strings(column: pd.Series[Any]) -> list[str | None]:
    """The cells of *column* as texts that can be compared; None for missing values."""
    gaps = column.isna().tolist()
    return [None if gap else str(cell) for cell, gap in zip(column.tolist(), gaps, strict=True)]


def gone(label: Hashable) -> str:
    """The message that a column no longer exists.

    >>> gone("title")
    "The frame no longer has a column 'title'. Choose another."
    """
    return f"The frame no longer has a column '{label_text(label)}'. Choose another."


def remove_question(labels: Sequence[Hashable]) -> str:
    """The question to ask before removing the columns *labels*, which a person has changed.

    >>> remove_question(["title_DE"])
    'The column “title_DE” has changed since it was added. Remove it anyway?'
    """
    if len(labels) == 1:
        return f"The column “{label_text(labels[0])}” has changed since it was added. Remove it anyway?"
    return f"The columns {label_list(labels)} have changed since they were added. Remove them anyway?"


@dataclass(frozen=True)
class TextColumn:
    """A column that holds texts: its *label*, how that is written, and how many rows are not empty.

    *mean* is the average length of its texts in characters, *sample* the beginning of one. A *code* column has words
    that no one translates: numbers, identifiers, addresses, or language codes, as *languages* says.
    """

    label: Hashable
    title: str
    count: int
    mean: float = 0
    sample: str = ""
    code: bool = False
    languages: bool = False

    @classmethod
    def of(cls, label: Hashable, title: str, column: pd.Series[Any]) -> Self:
        """A summary of *column*: the lengths of all its texts, and the rest from its first cells."""
        lengths = [len(cell) for cell in column.tolist() if isinstance(cell, str) and cell.strip()]
        cells = column.dropna().iloc[:LOOKED_AT]
        texts = [text_of(cell) for cell in cells if isinstance(cell, str) and cell.strip()]
        seen = set(texts)
        languages = bool(seen) and all(map(base_code, seen))
        return cls(
            label,
            title,
            int(column.notna().sum()),
            mean=sum(lengths) / max(1, len(lengths)),
            sample=cut(" ".join(texts[0][: 4 * LONGEST_SAMPLE].split()), LONGEST_SAMPLE) if texts else "",
            code=languages or (bool(texts) and 2 * sum(map(is_code, texts)) > len(texts)),
            languages=languages,
        )

    @property
    def note(self) -> str:
        """The length of its texts."""
        return f"{plural(round(self.mean), 'character')} on average" if self.sample else "no texts"


def is_code(text: str) -> bool:
    """Whether *text* looks like a number, an identifier or an address.

    >>> [is_code(text) for text in ("A-1042", "12.50", "me@example.org", "Size 12", "backpack", "第3回の会議")]
    [True, True, True, False, False, False]
    """
    plain = text.strip()
    if not any(map(str.isalpha, plain)):
        return True
    if not plain.isascii() or len(plain.split()) > 1:
        return False
    return "://" in plain or any(each.isdigit() or each in "@_" for each in plain)


def longest_first(columns: Iterable[TextColumn]) -> list[TextColumn]:
    """*columns* by the length of their texts, then those with words that no one translates, then empty ones."""
    return sorted(columns, key=lambda column: (not column.count, column.code, -column.mean))


def likely(columns: Sequence[TextColumn]) -> TextColumn | None:
    """The one of *columns*, longest first, that a person most likely means; None if it could be any."""
    return columns[0] if columns and (len(columns) == 1 or not columns[0].code) else None


class TextsByLabel:
    """A table whose columns can be translated: a frame as it is, or a column, which becomes a frame with one column.

    `frame` is the user's own frame, so that columns can be added to it; for a column it is a frame around it. `columns`
    are those that hold texts, the longest texts first, as `look` last found them; columns with duplicate names are left
    out.
    """

    def __init__(self, table: Any) -> None:
        table = as_table(table)
        self.is_frame = isinstance(table, pd.DataFrame)
        if isinstance(table, pd.Series):
            table = table.to_frame(NAMELESS if table.name is None else table.name)
        self.frame: pd.DataFrame = table
        self.columns: list[TextColumn] = []
        self.look()

    def look(self) -> None:
        """Look at the frame again, because it may have changed."""
        found = []
        for place, label in enumerate(self.frame.columns):
            column = self.frame.iloc[:, place]
            alone = (self.frame.columns == label).sum() == 1
            if alone and (column.notna().any() or not len(self.frame)) and holds_texts(column):
                found.append(TextColumn.of(label, label_text(label), column))
        self.columns = longest_first(found)

    def chosen(self, given: Any) -> tuple[Hashable, ...]:
        """The columns named by *given*, one or several, which must exist and hold texts."""
        if given is None:
            return ()
        known = self.frame.columns
        several = isinstance(given, Iterable) and not isinstance(given, str)
        if several and isinstance(given, Hashable) and given in known:
            several = False  # a tuple that is a single label
        labels: list[Hashable] = list(given) if several else [given]
        for label in labels:
            if not isinstance(label, Hashable) or label not in known:
                raise column_error(label, known.tolist())
        if not {column.label for column in self.columns}.issuperset(labels):
            self.look()  # it may be new
        for label in labels:
            if not isinstance(self.frame[label], pd.Series) or not holds_texts(self.frame[label]):
                raise ValueError(f"'{label_text(label)}' has no text, or its name is used twice")
        return tuple(dict.fromkeys(labels))

    def taken(self, labels: Iterable[Hashable], options: Mapping[str, Any]) -> pd.DataFrame:
        """A copy of the columns *labels*, and of those named in *options* for languages and contexts."""
        wanted = list(labels)
        for name in ("context", "source_lang"):
            label = options.get(name)
            if isinstance(label, str) and label in self.frame.columns and label not in wanted:
                wanted.append(label)
        known: list[Hashable] = list(self.frame.columns)
        for label in wanted:
            if label not in known:
                raise ValueError(gone(label))
        places = [known.index(label) for label in wanted]
        return self.frame.iloc[:, places].copy(deep=True)


class TextsByPlace:
    """A DataFrame or a Series; `names` are its columns, identified by position, so that names may be duplicated."""

    def __init__(self, table: Any) -> None:
        self.table: Any = as_table(table)
        self.frame: pd.DataFrame | None = self.table if isinstance(self.table, pd.DataFrame) else None
        self.names: list[Hashable] = self._there

    def __len__(self) -> int:
        return len(self.table)

    @property
    def _there(self) -> list[Hashable]:
        """The names of the current columns."""
        return [self.table.name] if self.frame is None else list(self.frame.columns)

    def look(self) -> list[TextColumn]:
        """The columns that hold texts now, the longest texts first; the label of each is its position here."""
        self.names += [name for name in self._there if name not in self.names]
        there = [place for place in range(len(self.names)) if self._at(place) is not None]
        texts = [place for place in there if holds_texts(self.column(place))]
        return longest_first(TextColumn.of(place, self.title(place), self.column(place)) for place in texts)

    def title(self, place: int) -> str:
        """The name of a column."""
        name = self.names[place]
        return "the Series" if name is None and self.frame is None else label_text(name)

    def column(self, place: int) -> pd.Series[Any]:
        """The column at *place*; raises ValueError if it is gone."""
        at = self._at(place)
        if at is None:
            raise ValueError(gone(self.names[place]))
        found: pd.Series[Any] = self.table if self.frame is None else self.frame.iloc[:, at]
        return found

    def _at(self, place: int) -> int | None:
        """The current position in the frame of the column at *place*; None if it is gone."""
        name = self.names[place]
        there = [at for at, other in enumerate(self._there) if other is name or other == name]
        before = self.names[:place].count(name)
        return there[before] if before < len(there) else None

    def place(self, name: Hashable) -> int:
        """The position of the column *name*. KeyError if there is none or several, ValueError if it has no texts."""
        places = [place for place, other in enumerate(self.names) if other is name or other == name]
        if len(places) != 1:
            raise column_error(name, self.names)
        if not holds_texts(self.column(places[0])):
            raise ValueError(f"the column {name!r} holds no texts, but {self.column(places[0]).dtype}")
        return places[0]


@dataclass(frozen=True)
class Added:
    """A column that was added: its cells, and the column it replaced, if any."""

    name: Hashable
    cells: pd.Series[Any]
    before: pd.Series[Any] | None


class AddedColumns:
    """Columns added to *frame* by position; `take_out` restores what they replaced."""

    def __init__(self, frame: pd.DataFrame, *, advice: str) -> None:
        self._frame = frame
        self._advice = advice
        self._steps: list[list[Added]] = []

    def __bool__(self) -> bool:
        return bool(self._steps)

    @property
    def last(self) -> list[Hashable]:
        """The names of the columns that `take_out` would remove."""
        return [each.name for each in self._steps[-1]] if self._steps else []

    def label(self, name: Hashable) -> Hashable:
        """*name* as the frame will have it, with as many levels as its columns."""
        levels = self._frame.columns.nlevels
        if levels == 1 or isinstance(name, tuple):
            return name
        return (name, *[""] * (levels - 1))

    def there(self, names: Sequence[Hashable]) -> list[Hashable]:
        """Those of *names* that the frame has already and that we did not add, or that were changed since."""
        ours = self._ours
        return [
            name for name in names if self._places(name) and (name not in ours or not self._has(name, ours[name].cells))
        ]

    def replace_question(self, names: Sequence[Hashable]) -> str:
        """The question to ask before replacing the columns *names* of the frame."""
        changed = [name for name in names if name in self._ours]  # the others in `there` are not ours
        if len(names) == 1:
            since = ", which has changed since it was added" if changed else ""
            return f"The frame already has a column “{label_text(names[0])}”{since}. Replace it?"
        since = f" Changed since they were added: {label_list(changed)}." if changed else ""
        return f"The frame already has the columns {label_list(names)}.{since} Replace them?"

    def outdated(self, name: Hashable, cells: pd.Series[Any]) -> bool:
        """Whether the column added as *name* is in the frame with cells other than *cells*."""
        own = self._ours.get(name)
        return own is not None and bool(self._places(name)) and cell_strings(own.cells) != cell_strings(cells)

    @property
    def restores(self) -> bool:
        """Whether `take_out` would restore a column that was replaced."""
        return bool(self._steps) and any(each.before is not None for each in self._steps[-1])

    @property
    def changed(self) -> list[Hashable]:
        """Those of `last` whose cells were changed since, so that `take_out` would lose the changes."""
        last = self._steps[-1] if self._steps else []
        return [each.name for each in last if self._places(each.name) and not self._is_as_added(each)]

    def check(self, columns: pd.DataFrame, *, made_of: pd.DataFrame) -> None:
        """Raise ValueError if *columns* do not fit, because the frame's rows or texts are not those of *made_of*."""
        same = self._frame.index.equals(made_of.index)
        # A column of texts that is gone by now, or duplicated, is not a problem.
        kept = [(label, texts) for label, texts in made_of.items() if len(self._places(label)) == 1]
        if not same or not all(self._has(label, texts) for label, texts in kept):
            raise ValueError(f"The frame has changed since. Nothing was added. {self._advice}")
        if twice := [label_text(name) for name in columns.columns if len(self._places(name)) > 1]:
            raise ValueError(f"the frame has {', '.join(twice)} twice: rename one of them first")

    def put(self, columns: pd.DataFrame, *, made_of: pd.DataFrame, replace: bool = False) -> list[Hashable]:
        """Add *columns*, which were made from the columns *made_of*, to the frame, and return their names.

        Raises ValueError if they do not fit, or if the frame has a column of that name and *replace* is false.
        """
        self.check(columns, made_of=made_of)
        names: list[Hashable] = list(columns.columns)
        if (there := self.there(names)) and not replace:
            raise ValueError(f"the frame has {', '.join(map(label_text, there))} already: replace=True replaces it")
        added = [self._put(name, columns[name].array) for name in names]
        others = [[each for each in step if each.name not in names] for step in self._steps]
        self._steps = [*filter(None, others), added]
        return names

    def take_out(self, *, force: bool = False) -> list[Hashable]:
        """Remove the columns that were added last, and return their names. Columns they replaced are restored.

        Raises ValueError if a column was changed since and *force* is false, and if rows have changed so that it is
        unknown which rows the replaced cells belong to.
        """
        if not self._steps:
            raise ValueError("there is nothing to remove: no columns were added")
        step = self._steps[-1]
        if (changed := self.changed) and not force:
            raise ValueError(f"{label_list(changed)} changed after it was added: force=True removes it")
        for each in step:
            same_rows = self._frame.index.equals(each.cells.index)
            if each.name in changed and each.before is not None and not same_rows:
                raise ValueError(
                    f"The rows of the frame have changed since, so the former “{label_text(each.name)}” cannot be "
                    "restored. Nothing was removed."
                )
        for each in reversed(step):
            places = self._places(each.name)
            if len(places) == 1:
                before = None if each.before is None else self._of_rows(each.before)
                del self._frame[each.name]
                if before is not None:
                    self._frame.insert(places[0], each.name, before.array)
        self._steps.pop()
        return [each.name for each in step]

    @property
    def _ours(self) -> dict[Hashable, Added]:
        return {each.name: each for step in self._steps for each in step}

    def _put(self, name: Hashable, cells: Any) -> Added:
        # Not frame[name] = cells: that would warn if the frame is a slice of another one.
        at, before, own = self._frame.shape[1], None, self._ours.get(name)
        if places := self._places(name):
            # Restore what the user had there, not what we added before.
            at = places[0]
            before = own.before if own is not None and self._is_as_added(own) else self._frame[name].copy()
            del self._frame[name]
        self._frame.insert(at, name, cells.copy())
        return Added(name, pd.Series(cells, index=self._frame.index), before)

    def _is_as_added(self, added: Added) -> bool:
        """Whether the frame has the cells *added*, in all rows that still exist."""
        cells = self._of_rows(added.cells)
        return cells is not None and self._has(added.name, cells)

    def _of_rows(self, cells: pd.Series[Any]) -> pd.Series[Any] | None:
        """*cells* for the frame's current rows; None if it is unknown which cells belong to which rows."""
        index = self._frame.index
        if index.equals(cells.index):
            return cells
        known = index.is_unique and cells.index.is_unique and bool(index.isin(cells.index).all())
        return cells.reindex(index) if known else None

    def _has(self, label: Hashable, cells: pd.Series[Any]) -> bool:
        """Whether the frame has these *cells* under a label that is unique."""
        return len(self._places(label)) == 1 and cell_strings(self._frame[label]) == cell_strings(cells)

    def _places(self, name: Hashable) -> list[int]:
        return [place for place, label in enumerate(self._frame.columns) if label == name]
