"""A book of texts to edit in the browser: user actions become steps of the book, which is the source of truth."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from svc_nb.panels.parts.edit_table import EditTable, TableChange, splice, without
from svc_nb.panels.parts.grid import LONGEST_NOTE, MOVED, SAMPLE, Field, Grid, Message, wide_enough
from svc_nb.panels.parts.texts import cut, text_of
from svc_nb.tabular.report import plural

FILTERS = ("all", "error", "warning", "changed", "new")
MOST_TOLD = 200  # rows per message; with more rows the browser asks for those in view
DEEDS = ("write", "add", "drop", "clear", "fill", "paste", "undo", "redo")


@dataclass(frozen=True)
class Verdict:
    """A problem of a row: an "error" or a "warning", its *message*, and the *columns* of the affected cells.

    Without columns it is about the whole row. *also_warns* says that a row with an error also has warnings.
    """

    severity: str
    message: str
    columns: tuple[str, ...] = ()
    also_warns: bool = False

    def __post_init__(self) -> None:
        if self.severity not in ("error", "warning"):
            raise ValueError(f"severity: expected error or warning, found {self.severity!r}")


def rows_told(counts: Mapping[str, int]) -> str:
    """How many rows have problems of each severity, in words.

    >>> rows_told({"error": 1, "warning": 0}), rows_told({"error": 1, "warning": 1200})
    ('1 row with errors', '1 row with errors, 1,200 rows with warnings')
    """
    return ", ".join(f"{plural(count, 'row')} with {severity}s" for severity, count in counts.items() if count)


@dataclass
class _News:
    """The message for the browser when an action is done."""

    rows: dict[int, None] = field(default_factory=dict)
    moved: bool = False
    stale: bool = False
    told: str = ""
    go: int | None = None
    column: str = ""
    focus: bool = False
    tokens: dict[str, int] = field(default_factory=dict)


def changes_told(changes: Mapping[str, int]) -> str:
    """The edits, from `EditTable.changes`, in words; empty if there are none.

    >>> changes_told({"new": 1, "changed": 0, "dropped": 2})
    '1 added, 2 removed'
    """
    names = {"new": "added", "changed": "changed", "dropped": "removed"}
    return ", ".join(f"{changes[name]:,} {word}" for name, word in names.items() if changes[name])


class Editor(Grid):
    """An editor for *fields* of a *book*: write, paste, fill down, add and delete rows, undo, search, filter and sort.

    Filters and sorting only affect the view; edited rows stay in view until the next filter or sort. *row* returns the
    cells of a new row, and *hint* invites the user to write the first one. Panels mark rows with `judge`, and *worded*
    words a problem each time it is shown, because the rows it names may have moved. *seen* is called when a browser has
    the first rows.
    """

    def __init__(
        self,
        title: str,
        book: EditTable,
        fields: Sequence[Field],
        *,
        row: Callable[[], Sequence[str]] | None = None,
        hint: str = "",
        worded: Callable[[str], str] = str,
        seen: Callable[[], Any] = lambda: None,
    ) -> None:
        self.book = book
        super().__init__(title, searchable=True)
        self._hint, self._worded, self._told_seen = hint, worded, seen
        self._new_row = row or (lambda: [""] * len(book.columns))
        self._verdicts: dict[int, Verdict] = {}
        self._severe: dict[str, set[int]] = {"error": set(), "warning": set()}
        self._only = "all"
        self._kept: set[int] | None = None
        self._looks: dict[int, str] = {}  # rows in lower case, for the search
        self._tokens: dict[str, int] = {}  # numbers of rows that the browser named before they had any
        self._news: _News | None = None
        self._goal: tuple[int | None, str] | None = None  # the row to go to, None for a new one, and the column
        self._fields = tuple(fields)
        self._shown = 1
        self._sight = book.rows
        self._stop = book.listen(self._heard)

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """The lock for changes: the book's own."""
        return self.book.lock

    def close(self) -> None:
        """Close the editor; the book stays."""
        self._stop()
        super().close()

    # ---- actions of panels

    def show_fields(self, fields: Sequence[Field]) -> None:
        """Show other columns of the book."""
        self._fields = tuple(fields)
        if self._sort and self._sort[0] not in [field.name for field in fields]:
            self._sort = None
        self._shown += 1
        self._arrange()

    def judge(self, verdicts: Mapping[int, Verdict | None]) -> None:
        """Mark rows with their problems; None clears a mark. Other rows stay as they are."""
        with self._telling() as news:
            for row, verdict in verdicts.items():
                if self._verdicts.get(row) != verdict:
                    self._set_verdict(row, verdict)
                    news.rows[row] = None

    def only(self, name: str) -> None:
        """Show "all" rows, only those with an "error" or a "warning", or only those that are "changed" or "new"."""
        if name not in FILTERS:
            raise ValueError(f"expected one of {', '.join(FILTERS)}, found {name!r}")
        self._only = name
        self._arrange()

    def keep(self, rows: Collection[int] | None) -> None:
        """Show only these rows, and rows added from now on; None shows all."""
        self._kept = None if rows is None else set(rows)
        self._arrange()

    def go_to(self, row: int, column: str = "", *, focus: bool = True) -> None:
        """Scroll to a row, even if a filter hides it, and make its cell in *column* active.

        Without *column*, the active column stays. With *focus*, the cell takes the focus.
        """
        with self._telling() as news:
            if row not in self.book:
                raise ValueError(f"row {row} is no longer there")
            self._bring(row, news)
            news.go, news.column, news.focus = row, column, focus
            self._goal = None if self._seen else (row, column)

    def go_to_new(self) -> None:
        """Make the first cell of a new row active, with the focus."""
        with self.lock:
            self._goal = (None, "")
            if self._seen:
                self._told_page()
                self._goal = None

    @property
    def selected(self) -> list[int]:
        """The numbers of the selected rows, in the order shown."""
        return list(super().selected)

    @property
    def table(self) -> Any:
        """The rows in view, in the order shown, with their numbers."""
        return self.book.table.loc[list(self._sight), [field.name for field in self._fields]]

    @property
    def counts(self) -> str:
        """How many rows are in view, have errors and warnings, and have changed."""
        total, shown = len(self.book), len(self._sight)
        rows = plural(total, "row") if shown == total else f"{shown:,} of {plural(total, 'row')}"
        if total and not shown:
            rows = f"No matches in {plural(total, 'row')}"
        lint = rows_told({name: len(rows) for name, rows in self._severe.items()})
        return "; ".join(part for part in (rows, lint, changes_told(self.book.changes)) if part)

    # ---- user actions in the browser

    def hear(self, message: Message) -> None:
        """Handle a message from the browser, with an answer to each action that changes the book."""
        kind = message.get("kind")
        if kind in DEEDS:
            with self.lock:
                self._do(message)
        elif message.get("table", self._shown) != self._shown:
            return
        elif kind == "only":
            self.only(str(message["name"]))
        elif kind == "hello":
            super().hear(message)
            self._goal = None
            self._told_seen()
        else:
            super().hear(message)

    def _do(self, message: Message) -> None:
        """Carry out a user action, and answer the view it came from, even if it is rejected."""
        book = self.book
        with self._telling(view=message.get("view"), done=message.get("n")) as news:
            try:
                # Text is written to rows by their numbers, whatever is in view by now.
                if message["kind"] != "write" and message.get("table", self._shown) != self._shown:
                    raise ValueError(MOVED)
                match message["kind"]:
                    case "write":
                        cells = [
                            (self._number(row), self._writable(column), text) for row, column, text in message["cells"]
                        ]
                        book.write({(row, column): text for row, column, text in cells})
                    case "add":
                        self._add(message, news)
                    case "drop":
                        book.drop(self._block(message))
                    case "clear":
                        names = self._open(message["columns"])
                        with book.step(str(message.get("step", "Clear"))):
                            book.write({(row, name): "" for row in self._block(message) for name in names})
                    case "fill":
                        self._fill(message)
                    case "paste":
                        self._paste(message, news)
                    case "undo" | "redo":
                        book.undo() if message["kind"] == "undo" else book.redo()
                        row = next((row for row in news.rows if row in book), None)
                        if row is not None:  # go to the change
                            self._bring(row, news)
                            news.go = row
            except ValueError as problem:
                news.told = str(problem)
                news.stale = True

    def _add(self, message: Message, news: _News) -> None:
        cells = dict(zip(self.book.columns, self._new_row(), strict=True))
        cells.update({self._writable(name): text for name, text in message.get("cells", {}).items()})
        after = message.get("after")
        with self.book.step("Add row"):
            (row,) = self.book.add([list(cells.values())], None if after is None else self._number(after))
        if token := message.get("token"):
            self._tokens[str(token)] = news.tokens[str(token)] = row

    def _fill(self, message: Message) -> None:
        first, last = self._between(message)
        top = first if last > first else first - 1
        if top < 0 or first > last:
            raise ValueError("there is no row above to fill down from")
        cells = dict(zip(self.book.columns, self.book[self._sight[top]], strict=True))
        names = self._open(message["columns"])
        with self.book.step("Fill down"):
            rows = self._sight[top + 1 : last + 1]
            self.book.write({(row, name): cells[name] for row in rows for name in names})

    def _paste(self, message: Message, news: _News) -> None:
        first, last = sorted(self._at(message[end], message.get("version")) for end in ("from", "to"))
        block: list[list[str]] = message["block"]
        names = [field.name for field in self._fields]
        left = names.index(str(message["columns"][0]))
        if len(block) == 1 and len(block[0]) == 1:  # one cell goes into all selected cells
            block = [block[0] * len(message["columns"])] * (last - first + 1)
        with self.book.step("Paste"):
            rows = self._sight[first : first + len(block)]
            rows = rows + self.book.add([self._new_row()] * (len(block) - len(rows)))
            open_names = set(self._open(names))
            self.book.write(
                {
                    (row, name): text
                    for row, texts in zip(rows, block, strict=True)
                    for name, text in zip(names[left:], texts, strict=False)
                    if name in open_names
                }
            )
        spare = max(map(len, block), default=0) - len(names[left:])
        if spare > 0:
            news.told = f"{plural(spare, 'column')} did not fit and {'was' if spare == 1 else 'were'} left out"

    # ---- rows by number and by position

    def _number(self, row: Any) -> int:
        if isinstance(row, str):
            if row not in self._tokens:
                raise ValueError("the row is no longer there")
            return self._tokens[row]
        return super()._number(row)

    def _standing(self, row: int) -> int:
        try:
            return int(self._sight.index(row))
        except ValueError:
            raise ValueError(MOVED) from None

    def _block(self, message: Message) -> list[int]:
        first, last = self._between(message)
        return list(self._sight[first : last + 1])

    def _labels(self, rows: Iterable[int]) -> list[Any]:
        return list(rows)

    def _texts(self, rows: Sequence[int], columns: Sequence[str]) -> list[list[str]]:
        places = [self.book.columns.index(name) for name in columns]
        return [[self.book[row][place] for place in places] for row in rows]

    def _open(self, names: Iterable[str]) -> list[str]:
        """The editable ones of these columns."""
        editable = {field.name for field in self._fields if field.editable}
        return [name for name in names if name in editable]

    def _writable(self, name: str) -> str:
        if not self._open([name]):
            raise ValueError("this column cannot be edited")
        return name

    # ---- changes of the book

    def _heard(self, change: TableChange) -> None:
        with self._telling() as news:
            news.stale |= not change
            news.rows.update(dict.fromkeys(change.cells))
            for row in (*change.cells, *change.dropped):
                self._looks.pop(row, None)
            for row in set(change.dropped) - change.added.keys():
                self._set_verdict(row, None)
            if change.dropped or change.added:
                news.moved = True
                without(self._sight, change.dropped)
                splice(self._sight, change.added)
            if self._kept is not None:
                self._kept.update(change.added)

    def _set_verdict(self, row: int, verdict: Verdict | None) -> None:
        for severity, rows in self._severe.items():
            has = verdict and (severity == verdict.severity or (severity == "warning" and verdict.also_warns))
            rows.add(row) if has else rows.discard(row)
        if verdict is None:
            self._verdicts.pop(row, None)
        else:
            self._verdicts[row] = verdict

    def _bring(self, row: int, news: _News) -> None:
        """Add a row to the view after the nearest row above it that is in view."""
        if row in self._sight:
            return
        seen, rows = set(self._sight), self.book.rows
        above = next((other for other in reversed(rows[: rows.index(row)]) if other in seen), 0)
        splice(self._sight, {row: above})
        news.moved = True

    # ---- the view

    def _arrange(self) -> None:
        with self.lock:
            rows = self.book.rows
            only: Collection[int] | None = None
            if self._only != "all":
                only = self._severe[self._only] if self._only in self._severe else getattr(self.book, self._only)
            for chosen in (self._kept, only):
                if chosen is not None:
                    rows = [row for row in rows if row in chosen]
            if look := self._look.casefold():
                for row in rows:
                    if row not in self._looks:
                        self._looks[row] = "\n".join(self.book[row]).casefold()
                rows = [row for row in rows if look in self._looks[row]]
            if self._sort:
                place = self.book.columns.index(self._sort[0])
                texts = {row: self.book[row][place] for row in rows}
                rows.sort(key=lambda row: (texts[row].casefold(), texts[row]), reverse=self._sort[1])
            self._sight = rows
            self._told_page()

    # ---- messages to the browser

    @contextmanager
    def _telling(self, **answer: Any) -> Iterator[_News]:
        """Collect all changes inside, and send them in one message."""
        with self.lock:
            if self._news is not None:
                yield self._news
                return
            self._news = news = _News()
            try:
                yield news
            finally:
                self._news = None
                self._version += news.moved
                if self._seen:
                    self._tell(news, answer)

    def _tell(self, news: _News, answer: Message) -> None:
        many = len(news.rows) > MOST_TOLD
        rows = () if many else [row for row in news.rows if row in self.book]
        message = {
            "kind": "change",
            "version": self._version,
            "count": len(self._sight),
            "rows": [self._line(row) for row in rows],
            "stale": news.stale or many,
            "foot": self._foot(),
            **answer,
        }
        if news.go is not None:
            message["go"] = self._place(news.go, news.column)
        self.send(message | {name: getattr(news, name) for name in ("told", "tokens", "focus") if getattr(news, name)})

    def _page(self) -> Message:
        selected = [] if self._selection is None else [self._selection[end][0] for end in ("from", "to")]
        places = {row: self._sight.index(row) for row in selected if row in self._sight}
        page = {**super()._page(), "editor": True, "signs": True, "foot": self._foot(), "hint": self._hint}
        page["places"] = places  # of the active row, even if it is not among the first ones
        if self._goal is not None:
            page |= {"go": self._place(*self._goal), "focus": True}
        return page

    def _place(self, row: int | None, column: str) -> list[Any]:
        """Where to go: a row, its position, -1 for a new row, and the column, None for the active or the first one."""
        if row is None:
            return [None, -1, None]
        names = [field.name for field in self._fields]
        return [row, self._standing(row), names.index(column) if column in names else None]

    def rows(self, first: int, last: int) -> list[Message]:
        """The rows from *first* up to *last* in the view."""
        with self.lock:
            return [self._line(row) for row in self._sight[max(0, first) : max(0, last)]]

    def _line(self, row: int) -> Message:
        texts = self._texts([row], [field.name for field in self._fields])[0]
        line: Message = {"row": row, "number": self.book.place(row), "cells": [cut(text) for text in texts]}
        if long := [at for at, text in enumerate(texts) if cut(text) != text]:
            line["cut"] = long
        if state := self.book.state(row):
            line["state"] = state
        if verdict := self._verdicts.get(row):
            line["mark"] = verdict.severity
            if wrong := [at for at, field in enumerate(self._fields) if field.name in verdict.columns]:
                line["wrong"] = wrong
            line["note"] = cut(text_of(self._worded(verdict.message)), LONGEST_NOTE)
        return line

    def _foot(self) -> Message:
        known = {name: len(rows) for name, rows in self._severe.items()}
        known |= {"changed": len(self.book.changed), "new": len(self.book.new)}
        sizes = {name: known.get(name, len(self.book)) for name in FILTERS}
        return {
            "said": self.counts,
            "look": self._look,
            "only": self._only,
            "sizes": sizes,
            "undo": self.book.undoable,
            "redo": self.book.redoable,
        }

    def _width(self, field: Field) -> int:
        place = self.book.columns.index(field.name)
        return wide_enough((self.book[row][place] for row in self._sight[:SAMPLE]), field.title)
