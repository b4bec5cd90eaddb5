"""The language pairs of a book: which rows are of which, kept as it is edited, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable

from svc_nb.glossaries.languages import LANGUAGES
from svc_nb.glossaries.state import meant
from svc_nb.glossaries.table import Pair
from svc_nb.language_codes import name_of
from svc_nb.panels.book import Book, Change
from svc_nb.tabular.report import plural


def languages() -> list[tuple[str, str]]:
    """All languages that a glossary can have, by name, with their codes: as a Dropdown takes them."""
    return sorted((f"{name_of(code)} ({code})", code) for code in LANGUAGES)


def arrow(pair: Pair) -> str:
    """A pair in words.

    >>> arrow(("EN", "DE"))
    'EN → DE'
    """
    return " → ".join(code or "…" for code in pair)


class Pairs:
    """The rows of every pair of *book*: the sets in `rows` change with it, and an edit costs what it touches."""

    def __init__(self, book: Book) -> None:
        self.rows: dict[Pair, set[int]] = {}
        self._pair: dict[int, Pair] = {}
        table = book.table
        self._take(zip(table.index.tolist(), table["source_lang"], table["target_lang"], strict=True))

    def hear(self, change: Change) -> bool:
        """Follow a change of the book; whether a pair, or how many rows one has, is another now."""
        before = {pair: len(rows) for pair, rows in self.rows.items()}
        for row in change.dropped:
            self._leave(row)
        self._take((row, cells[0], cells[1]) for row, cells in change.cells.items())
        return before != {pair: len(rows) for pair, rows in self.rows.items()}

    def offer(self, pair: Pair) -> set[int]:
        """Have *pair* among the pairs, also without rows."""
        return self.rows.setdefault(pair, set())

    @property
    def counts(self) -> dict[Pair, int]:
        """How many rows each pair has, the largest first."""
        counts = {pair: len(rows) for pair, rows in self.rows.items()}
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def main(self) -> Pair | None:
        """The pair with most rows."""
        return next(iter(self.counts), None)

    def options(self) -> list[tuple[str, Pair | None]]:
        """All pairs and each pair, as a Dropdown takes them."""
        counts = self.counts
        whole = f"All pairs ({plural(sum(counts.values()), 'term')})"
        return [(whole, None), *((f"{arrow(pair)} ({count:,})", pair) for pair, count in counts.items())]

    def _take(self, rows: Iterable[tuple[int, str, str]]) -> None:
        for row, source_lang, target_lang in rows:
            pair = meant(source_lang, target_lang)
            if self._pair.get(row) != pair:
                self._leave(row)
                self._pair[row] = pair
                self.rows.setdefault(pair, set()).add(row)

    def _leave(self, row: int) -> None:
        pair = self._pair.pop(row, None)
        if pair is not None:
            self.rows[pair].discard(row)
