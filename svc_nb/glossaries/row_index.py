"""The rows of a table of terms by what they share, so that it is known without a look at all which name each other.

What is found about a row depends on other rows only through four of them: the first with its source, the first whose
source is alike, and the first, in its own pair and in the other direction of it, whose source is its target. So it
changes only where one of these rows changes, comes or goes.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from svc_nb.checks.text_array import TextArray
from svc_nb.glossaries.languages import code_of
from svc_nb.glossaries.lint import MOST_GLOSSARY_BYTES
from svc_nb.glossaries.table import Pair
from svc_nb.glossaries.term_arrays import TermArrays


class TextRows:
    """The numbers of rows by their text, in order; *rows* are rising, and have *texts*.

    >>> by_text = TextRows(["a", "b", "a"], [1, 2, 3])
    >>> by_text.add("b", 1)
    >>> by_text.remove("a", 1)
    >>> by_text.first("a"), list(by_text.all("b")), by_text.first("c")
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


BLOCK_BITS = 8


class RowSums:
    """A value for every row; rows are summed up in blocks, so that no question and no change looks at all of them.

    >>> sums = RowSums([(1, 10), (2, 5), (900, 7)])
    >>> sums.total, sums.before(900), sums.before(2), sums.reaching(15), sums.reaching(16)
    (22, (2, 15), (1, 10), 2, 900)
    """

    def __init__(self, values: Iterable[tuple[int, int]] = ()) -> None:
        self.total = 0
        self._blocks: defaultdict[int, dict[int, int]] = defaultdict(dict)
        for row, value in values:
            self._blocks[row >> BLOCK_BITS][row] = value
        self._sums = {number: sum(block.values()) for number, block in self._blocks.items()}
        self.total = sum(self._sums.values())

    def put(self, row: int, value: int) -> None:
        """Give a new row its value."""
        number = row >> BLOCK_BITS
        self._blocks[number][row] = value
        self._sums[number] = self._sums.get(number, 0) + value
        self.total += value

    def drop(self, row: int) -> None:
        """Forget a row."""
        number = row >> BLOCK_BITS
        value = self._blocks[number].pop(row)
        self._sums[number] -= value
        self.total -= value
        if not self._blocks[number]:
            del self._blocks[number], self._sums[number]

    def before(self, row: int) -> tuple[int, int]:
        """How many rows have a smaller number, and the sum of their values."""
        at = row >> BLOCK_BITS
        earlier = [number for number in self._blocks if number < at]
        inside = [value for other, value in self._blocks.get(at, {}).items() if other < row]
        count = sum(len(self._blocks[number]) for number in earlier) + len(inside)
        return count, sum(self._sums[number] for number in earlier) + sum(inside)

    def reaching(self, goal: int) -> int:
        """The first row at which the sum of the values up to it, its own included, is *goal* or more."""
        reached = 0
        for number in sorted(self._blocks):
            if reached + self._sums[number] >= goal:
                break
            reached += self._sums[number]
        for row in sorted(self._blocks[number]):
            reached += self._blocks[number][row]
            if reached >= goal:
                return row
        raise ValueError(f"all values together are {self.total}, less than {goal}")


Cells = tuple[str, str, str, str]
Touched = set[tuple[Pair, str, str]]
# What entries have besides their terms as they are sent: a tab and a line end.
BETWEEN = 2


class PairIndex:
    """The rows of one pair, by what they share."""

    def __init__(
        self,
        rows: Sequence[int] = (),
        *,
        sources: Sequence[str] = (),
        folded: Sequence[str] = (),
        targets: Sequence[str] = (),
    ) -> None:
        self.sources = TextRows(sources, rows)
        self.folded = TextRows(folded, rows)
        self.targets = TextRows(targets, rows)


class RowIndex:
    """The rows of a table, in the order of their numbers; `cells` has their texts, `pairs` has them by pair."""

    def __init__(self, sides: TermArrays) -> None:
        rows = sides.table.index.tolist()
        texts = [sides.source.texts(), sides.source.folded.texts(), sides.target.texts()]
        codes, written = sides.written.codes.tolist(), sides.written.written
        langs = ([written[code][side] for code in codes] for side in (0, 1))
        cells: Iterator[Cells] = zip(*langs, texts[0], texts[2], strict=True)
        self.cells: dict[int, Cells] = dict(zip(rows, cells, strict=True))
        self.pairs: dict[Pair, PairIndex] = {}
        for number, pair in enumerate(sides.pairs):
            places = sides.groups[number].tolist()
            numbers, source, folded, target = ([each[at] for at in places] for each in (rows, *texts))
            self.pairs[pair] = PairIndex(numbers, sources=source, folded=folded, targets=target)
        self._bytes = sides.source.size + sides.target.size  # on the tapes, too, each has an end
        # Made when they are first asked for, which they mostly are not, and kept right from then on.
        self._sizes: RowSums | None = None
        self._lengths: dict[Pair, RowSums] = {}

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
        index = self.pairs.setdefault(pair_of(cells), PairIndex())
        for by_text, text in _places(index, cells, folded):
            by_text.add(text, row)
        self._bytes += _bytes(cells)
        if self._sizes is not None:
            self._sizes.put(row, _bytes(cells))
        if (lengths := self._lengths.get(pair_of(cells))) is not None:
            lengths.put(row, _length(cells))
        _touch(row, cells, index, folded, touched)

    def _remove(self, row: int, cells: Cells, folded: Mapping[str, str], touched: Touched) -> None:
        pair = pair_of(cells)
        index = self.pairs[pair]
        _touch(row, cells, index, folded, touched)
        for by_text, text in _places(index, cells, folded):
            by_text.remove(text, row)
        self._bytes -= _bytes(cells)
        for sums in (self._sizes, self._lengths.get(pair)):
            if sums is not None:
                sums.drop(row)
        del self.cells[row]
        if not index.sources:
            del self.pairs[pair]
            self._lengths.pop(pair, None)

    def _naming(self, pair: Pair, kind: str, text: str) -> Iterator[int]:
        """The rows that name the first row of a source, or of one folded."""
        index, back = self.pairs.get(pair), self.pairs.get(pair[::-1])
        if kind == "folded":
            yield from index.folded.all(text) if index else ()
            return
        if index:
            yield from index.sources.all(text)
            yield from index.targets.all(text)
        if back:
            yield from back.targets.all(text)

    def named_by(self, rows: Iterable[int]) -> set[int]:
        """*rows* and all others that findings about them may name."""
        cells = {row: self.cells[row] for row in rows}
        folded = _folded(cells.values())
        found = set(cells)
        for texts in cells.values():
            pair, (source, target) = pair_of(texts), texts[2:]
            index, back = self.pairs[pair], self.pairs.get(pair[::-1])
            named = [index.sources.first(source), index.folded.first(folded[source])]
            named += [each.sources.first(target) for each in (index, back) if each]
            found.update(row for row in named if row is not None)
        return found

    # ---- places and sizes

    @property
    def size(self) -> int:
        """How many bytes all entries have, as they are sent."""
        return self._bytes - len(self.pairs)

    def first_too_many(self) -> int | None:
        """The row at which the glossary becomes larger than the service takes, if it does."""
        if self.size <= MOST_GLOSSARY_BYTES:
            return None
        if self._sizes is None:
            self._sizes = RowSums((row, _bytes(cells)) for row, cells in self.cells.items())
        return self._sizes.reaching(MOST_GLOSSARY_BYTES)

    def place(self, row: int) -> tuple[int, int]:
        """Which entry of its dictionary a row is, from 0, and at which character it begins."""
        pair = pair_of(self.cells[row])
        if pair not in self._lengths:
            rows = self.pairs[pair].sources.rows()
            self._lengths[pair] = RowSums((each, _length(self.cells[each])) for each in rows)
        return self._lengths[pair].before(row)

    def first(self, row: int) -> int:
        """The first row that has the source of *row*, in its pair."""
        cells = self.cells[row]
        found = self.pairs[pair_of(cells)].sources.first(cells[2])
        return row if found is None else found


def pair_of(cells: Cells) -> Pair:
    """The pair of a row as the service means it; a language that it does not have stays as it is written."""
    source_lang, target_lang = cells[:2]
    return code_of(source_lang) or source_lang, code_of(target_lang) or target_lang


def _folded(cells: Iterable[Cells]) -> dict[str, str]:
    """The sources without the differences of case, width and Unicode form."""
    sources = list({texts[2] for texts in cells})
    return dict(zip(sources, TextArray(sources).folded.texts(), strict=True))


def _touch(row: int, cells: Cells, index: PairIndex, folded: Mapping[str, str], touched: Touched) -> None:
    """Note for what *row* is the first, which others name."""
    pair, source = pair_of(cells), cells[2]
    if index.sources.first(source) == row:
        touched.add((pair, "source", source))
    if index.folded.first(folded[source]) == row:
        touched.add((pair, "folded", folded[source]))


def _places(index: PairIndex, cells: Cells, folded: Mapping[str, str]) -> tuple[tuple[TextRows, str], ...]:
    _, _, source, target = cells
    return (index.sources, source), (index.folded, folded[source]), (index.targets, target)


def _length(cells: Cells) -> int:
    return len(cells[2]) + len(cells[3]) + BETWEEN


def _bytes(cells: Cells) -> int:
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in cells[2:]) + BETWEEN
