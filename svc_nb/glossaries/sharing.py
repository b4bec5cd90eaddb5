"""Rows by a text that they share, where mostly no two do."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from itertools import chain


class Sharing:
    """The numbers of rows by their text, in order; *rows* are rising, and have *texts*.

    >>> sharing = Sharing(["a", "b", "a"], [1, 2, 3])
    >>> sharing.add("b", 1)
    >>> sharing.remove("a", 1)
    >>> sharing.first("a"), list(sharing.all("b")), sharing.first("c")
    (3, [1, 2], None)
    """

    def __init__(self, texts: Sequence[str] = (), rows: Sequence[int] = ()) -> None:
        # Of equal keys the last one counts: so from behind.
        self._first = dict(zip(reversed(texts), reversed(rows), strict=True))
        self._later: dict[str, list[int]] = {}
        if len(self._first) < len(rows):
            for text, row in zip(texts, rows, strict=True):
                if self._first[text] != row:
                    self._later.setdefault(text, []).append(row)

    def __bool__(self) -> bool:
        return bool(self._first)

    def first(self, text: str) -> int | None:
        """The first row that has *text*."""
        return self._first.get(text)

    def all(self, text: str) -> Iterator[int]:
        """All rows that have *text*."""
        if text in self._first:
            yield self._first[text]
            yield from self._later.get(text, ())

    def rows(self) -> Iterator[int]:
        """All rows, in no order."""
        return chain(self._first.values(), *self._later.values())

    def add(self, text: str, row: int) -> None:
        """Take up a row."""
        first = self._first.get(text)
        if first is None:
            self._first[text] = row
            return
        self._first[text] = min(first, row)
        insort(self._later.setdefault(text, []), max(first, row))

    def remove(self, text: str, row: int) -> None:
        """Forget a row."""
        later = self._later.get(text, [])
        if self._first[text] != row:
            del later[bisect_left(later, row)]
        elif later:
            self._first[text] = later.pop(0)
        else:
            del self._first[text]
        if text in self._later and not later:
            del self._later[text]
