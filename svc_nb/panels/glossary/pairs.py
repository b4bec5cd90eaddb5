"""The language pairs of a book: the rows of each pair, updated with every edit, and their names."""

from collections.abc import Collection, Iterable
from operator import itemgetter

from svc_nb.glossaries.sync import meant
from svc_nb.language_codes import name_of
from svc_nb.panels.parts.edit_table import EditTable, TableChange
from svc_nb.tabular.report import plural
from svc_nb.tabular.terms import LANGUAGES, Pair
from svc_nb.wire import languages as codes


def languages() -> list[tuple[str, str]]:
    """All languages that a glossary can have, by name, with their codes, as a Dropdown takes them."""
    return sorted((f"{name_of(code)} ({code})", code) for code in LANGUAGES)


def arrow(pair: Pair) -> str:
    """A pair in words.

    >>> arrow(("EN", "DE"))
    'EN → DE'
    """
    return " → ".join(code or "…" for code in pair)


def known_pair(source_lang: str, target_lang: str | None) -> Pair:
    """A pair as the service writes it; raises ValueError for an invalid one."""
    given = {"source_lang": source_lang, "target_lang": target_lang or ""}
    pair = meant(*(codes.meant(code, field=name) for name, code in given.items()))
    if unknown := [code for code in pair if code not in LANGUAGES]:
        raise ValueError(f"a glossary cannot have the language {unknown[0]!r}")
    if pair[0] == pair[1]:
        raise ValueError(f"a pair needs two different languages, found {arrow(pair)}")
    return pair


ALL = ("*", "*")  # all pairs, as a Dropdown value
LANGUAGES_OF = itemgetter(0, 1)


class PairRows:
    """The rows of every pair of *book*: the sets in `rows` follow it, and an edit costs only what it touches."""

    def __init__(self, book: EditTable) -> None:
        self.rows: dict[Pair, set[int]] = {}
        self._pair: dict[int, Pair] = {}
        pairs = {languages: meant(*languages) for languages in set(map(LANGUAGES_OF, book.cells.values()))}
        if len(pairs) == 1:  # the usual case, and much faster
            (pair,) = pairs.values()
            self.rows[pair], self._pair = set(book.cells), dict.fromkeys(book.cells, pair)
        else:
            self._take((row, *LANGUAGES_OF(cells)) for row, cells in book.cells.items())

    def hear(self, change: TableChange) -> bool:
        """Follow a change of the book; returns whether the pairs, or the numbers of their rows, changed. A pair that
        lost all its rows is removed.
        """
        before = {pair: len(rows) for pair, rows in self.rows.items()}
        for row in change.dropped:
            self._leave(row)
        self._take((row, cells[0], cells[1]) for row, cells in change.cells.items())
        self.rows = {pair: rows for pair, rows in self.rows.items() if rows or not before.get(pair)}
        return before != {pair: len(rows) for pair, rows in self.rows.items()}

    def offer(self, pair: Pair) -> set[int]:
        """Add *pair* to the pairs, even without rows."""
        return self.rows.setdefault(pair, set())

    def begun(self, pair: Pair, added: Collection[int]) -> Pair | None:
        """What to show instead of *pair* after rows were *added*: their pair if there are no other rows, or all."""
        if not added or len(added) < len(self._pair):
            return pair
        for empty in [each for each, rows in self.rows.items() if not rows]:
            del self.rows[empty]
        return next(iter(self.rows)) if len(self.rows) == 1 else None

    @property
    def counts(self) -> dict[Pair, int]:
        """How many rows each pair has, the largest first."""
        counts = {pair: len(rows) for pair, rows in self.rows.items()}
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def main(self) -> Pair | None:
        """The pair with the most rows."""
        return next(iter(self.counts), None)

    def options(self, shown: Pair | None) -> list[tuple[str, Pair]]:
        """ "All pairs", if there are several or it is *shown*, and each pair, as a Dropdown takes them."""
        counts = self.counts
        whole = (f"All pairs ({plural(sum(counts.values()), 'term')})", ALL)
        each = [(f"{arrow(pair)} ({count:,})", pair) for pair, count in counts.items()]
        return [whole, *each] if len(each) > 1 or shown is None else each

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
