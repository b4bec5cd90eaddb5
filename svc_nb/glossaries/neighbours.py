"""Which rows of a table of terms say something about each other, found without a look at all of them.

What is found about a row depends on other rows only through four of them: the first with its source, the first whose
source is alike, and the first, in its own pair and in the other direction of it, whose source is its target. So it
changes only where one of these rows changes, comes or goes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from svc_nb.checks.text_array import TextArray
from svc_nb.glossaries.languages import code_of
from svc_nb.glossaries.rules import MOST_GLOSSARY_BYTES
from svc_nb.glossaries.sharing import Sharing
from svc_nb.glossaries.sides import Sides
from svc_nb.glossaries.sums import Sums
from svc_nb.glossaries.table import Pair

Cells = tuple[str, str, str, str]
Touched = set[tuple[Pair, str, str]]
# What entries have besides their terms as they are sent: a tab and a line end.
BETWEEN = 2


class Shelf:
    """The rows of one pair, by what they share."""

    def __init__(
        self,
        rows: Sequence[int] = (),
        *,
        sources: Sequence[str] = (),
        folded: Sequence[str] = (),
        targets: Sequence[str] = (),
    ) -> None:
        self.sources = Sharing(sources, rows)
        self.folded = Sharing(folded, rows)
        self.targets = Sharing(targets, rows)


class Neighbours:
    """The rows of a table, in the order of their numbers; `cells` has their texts, `shelves` has them by pair."""

    def __init__(self, sides: Sides) -> None:
        rows = sides.table.index.tolist()
        texts = [sides.source.texts(), sides.source.folded.texts(), sides.target.texts()]
        codes, written = sides.written.codes.tolist(), sides.written.written
        langs = ([written[code][side] for code in codes] for side in (0, 1))
        cells: Iterator[Cells] = zip(*langs, texts[0], texts[2], strict=True)
        self.cells: dict[int, Cells] = dict(zip(rows, cells, strict=True))
        self.shelves: dict[Pair, Shelf] = {}
        for number, pair in enumerate(sides.pairs):
            places = sides.groups[number].tolist()
            numbers, source, folded, target = ([each[at] for at in places] for each in (rows, *texts))
            self.shelves[pair] = Shelf(numbers, sources=source, folded=folded, targets=target)
        self._bytes = sides.source.size + sides.target.size  # on the tapes, too, each has an end
        # Made when they are first asked for, which they mostly are not, and kept right from then on.
        self._sizes: Sums | None = None
        self._lengths: dict[Pair, Sums] = {}

    # ---- edits

    def change(self, written: Mapping[int, Cells], gone: Collection[int]) -> set[int]:
        """Write rows and forget others; gives back those that are there whose findings may have changed."""
        old = {row: self.cells[row] for row in (*written, *gone) if row in self.cells}
        folded = _folded([*old.values(), *written.values()])
        touched: Touched = set()
        for row in sorted(old, reverse=True):  # a list loses its last faster than its first
            self._remove(row, old[row], folded, touched)
        for row, cells in sorted(written.items()):
            self._add(row, cells, folded, touched)
        return {*written, *(row for each in touched for row in self._naming(*each))}

    def _add(self, row: int, cells: Cells, folded: Mapping[str, str], touched: Touched) -> None:
        self.cells[row] = cells
        shelf = self.shelves.setdefault(pair_of(cells), Shelf())
        for sharing, text in _places(shelf, cells, folded):
            sharing.add(text, row)
        self._weigh(row, cells)
        _touch(row, cells, shelf, folded, touched)

    def _remove(self, row: int, cells: Cells, folded: Mapping[str, str], touched: Touched) -> None:
        pair = pair_of(cells)
        shelf = self.shelves[pair]
        _touch(row, cells, shelf, folded, touched)
        for sharing, text in _places(shelf, cells, folded):
            sharing.remove(text, row)
        self._unweigh(row, cells)
        del self.cells[row]
        if not shelf.sources:
            del self.shelves[pair]
            self._lengths.pop(pair, None)

    def _naming(self, pair: Pair, kind: str, text: str) -> Iterator[int]:
        """The rows that name the first row of a source, or of one folded."""
        shelf, back = self.shelves.get(pair), self.shelves.get(pair[::-1])
        if kind == "folded":
            yield from shelf.folded.all(text) if shelf else ()
            return
        if shelf:
            yield from shelf.sources.all(text)
            yield from shelf.targets.all(text)
        if back:
            yield from back.targets.all(text)

    def named_by(self, rows: Iterable[int]) -> set[int]:
        """*rows* and all others that findings about them may name."""
        cells = {row: self.cells[row] for row in rows}
        folded = _folded(cells.values())
        found = set(cells)
        for texts in cells.values():
            pair, (source, target) = pair_of(texts), texts[2:]
            shelf, back = self.shelves[pair], self.shelves.get(pair[::-1])
            named = [shelf.sources.first(source), shelf.folded.first(folded[source])]
            named += [each.sources.first(target) for each in (shelf, back) if each]
            found.update(row for row in named if row is not None)
        return found

    # ---- places and sizes

    @property
    def size(self) -> int:
        """How many bytes all entries have, as they are sent."""
        return self._bytes - len(self.shelves)

    def first_too_many(self) -> int | None:
        """The row at which the glossary becomes larger than the service takes, if it does."""
        if self.size <= MOST_GLOSSARY_BYTES:
            return None
        if self._sizes is None:
            self._sizes = Sums((row, _bytes(cells)) for row, cells in self.cells.items())
        return self._sizes.reaching(MOST_GLOSSARY_BYTES)

    def place(self, row: int) -> tuple[int, int]:
        """Which entry of its dictionary a row is, from 0, and at which character it begins."""
        pair = pair_of(self.cells[row])
        if pair not in self._lengths:
            rows = self.shelves[pair].sources.rows()
            self._lengths[pair] = Sums((each, _length(self.cells[each])) for each in rows)
        return self._lengths[pair].before(row)

    def first(self, row: int) -> int:
        """The first row that has the source of *row*, in its pair."""
        cells = self.cells[row]
        found = self.shelves[pair_of(cells)].sources.first(cells[2])
        return row if found is None else found

    def _weigh(self, row: int, cells: Cells) -> None:
        self._bytes += _bytes(cells)
        if self._sizes is not None:
            self._sizes.put(row, _bytes(cells))
        if (lengths := self._lengths.get(pair_of(cells))) is not None:
            lengths.put(row, _length(cells))

    def _unweigh(self, row: int, cells: Cells) -> None:
        self._bytes -= _bytes(cells)
        for sums in (self._sizes, self._lengths.get(pair_of(cells))):
            if sums is not None:
                sums.drop(row)


def pair_of(cells: Cells) -> Pair:
    """The pair of a row as the service means it; a language that it does not have stays as it is written."""
    source_lang, target_lang = cells[:2]
    return code_of(source_lang) or source_lang, code_of(target_lang) or target_lang


def _folded(cells: Iterable[Cells]) -> dict[str, str]:
    """The sources without the differences of case, width and Unicode form."""
    sources = list({texts[2] for texts in cells})
    return dict(zip(sources, TextArray(sources).folded.texts(), strict=True))


def _touch(row: int, cells: Cells, shelf: Shelf, folded: Mapping[str, str], touched: Touched) -> None:
    """Note for what *row* is the first, which others name."""
    pair, source = pair_of(cells), cells[2]
    if shelf.sources.first(source) == row:
        touched.add((pair, "source", source))
    if shelf.folded.first(folded[source]) == row:
        touched.add((pair, "folded", folded[source]))


def _places(shelf: Shelf, cells: Cells, folded: Mapping[str, str]) -> tuple[tuple[Sharing, str], ...]:
    _, _, source, target = cells
    return (shelf.sources, source), (shelf.folded, folded[source]), (shelf.targets, target)


def _length(cells: Cells) -> int:
    return len(cells[2]) + len(cells[3]) + BETWEEN


def _bytes(cells: Cells) -> int:
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in cells[2:]) + BETWEEN
