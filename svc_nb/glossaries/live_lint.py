"""The lint of a table of terms that is being edited, updated edit by edit.

After an edit, a small table is linted again: the rows that were written, the rows whose findings name one of these, and
all rows that such findings may name. The findings of a row depend on only four other rows: the first with its source,
the first with a similar source, and the first, in its own pair and in the other direction, whose source is its target.
So they change only if one of these rows changes, is added or is removed, and `RowIndex` finds them without scanning all
rows. If thousands of rows share one source, they all name the first of them, and only an edit of that one is expensive.
The position of an entry as the service would name it changes with every edit above it, so it is worked out when the
findings of a row are requested.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd

from svc_nb.checks.service_terms import MOST_GLOSSARY_BYTES
from svc_nb.checks.term_arrays import TermArrays
from svc_nb.checks.text_array import Places, TextArray
from svc_nb.glossaries.dictionaries import ENTRY
from svc_nb.glossaries.lint import findings
from svc_nb.tabular.findings import ERROR, INFO, WARNING
from svc_nb.tabular.terms import Pair, code_of, made


class TextRows:
    """The numbers of rows by their text, in order; *rows* are ascending, and have *texts*.

    >>> by_text = TextRows(["a", "b", "a"], [1, 2, 3])
    >>> by_text.add("b", 1)
    >>> by_text.remove("a", 1)
    >>> by_text.first("a"), list(by_text.all("b")), by_text.first("c")
    (3, [1, 2], None)
    """

    def __init__(self, texts: Sequence[str] = (), rows: Sequence[int] = ()) -> None:
        # The last of equal keys wins, hence the reverse order.
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
        """All rows, in no particular order."""
        return chain(self._first.values(), *self._later.values())

    def add(self, text: str, row: int) -> None:
        """Add a row."""
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
    """A value for every row; rows are summed up in blocks, so that no query and no change reads all of them.

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
# What entries have in addition to their terms when sent: a tab and a line end.
BETWEEN = 2


class PairIndex(NamedTuple):
    """The rows of one pair, by shared texts."""

    sources: TextRows
    folded: TextRows
    targets: TextRows


class RowIndex:
    """The rows of a table, by number; `cells` has their texts, `pairs` has the rows by pair."""

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
            numbers, *by = ([each[at] for at in places] for each in (rows, *texts))
            self.pairs[pair] = PairIndex(*(TextRows(each, numbers) for each in by))
        self._bytes = sides.source.size + sides.target.size  # on the tapes, each entry has an end too
        # Built on first use, which is rare, and updated from then on.
        self._sizes: RowSums | None = None
        self._lengths: dict[Pair, RowSums] = {}

    # ---- edits

    def change(self, written: Mapping[int, Cells], gone: Collection[int]) -> set[int]:
        """Write rows and forget others; return the remaining rows whose findings may have changed."""
        old = {row: self.cells[row] for row in (*written, *gone) if row in self.cells}
        folded = _folded([*old.values(), *written.values()])
        touched: Touched = set()
        for row in sorted(old, reverse=True):  # removing the last item of a list is faster than the first
            self._remove(row, old[row], folded, touched)
        for row, cells in sorted(written.items()):
            self._add(row, cells, folded, touched)
        return {*written, *(row for each in touched for row in self._naming(*each))}

    def _add(self, row: int, cells: Cells, folded: Mapping[str, str], touched: Touched) -> None:
        self.cells[row] = cells
        index = self.pairs.setdefault(pair_of(cells), PairIndex(TextRows(), TextRows(), TextRows()))
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
        """The rows that name the first row of a source or of a folded source."""
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
        """*rows* and all other rows that findings about them may name."""
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
        """How many bytes all entries have when sent."""
        return self._bytes - len(self.pairs)

    def first_too_many(self) -> int | None:
        """The row at which the glossary becomes too large for the service, if it does."""
        if self.size <= MOST_GLOSSARY_BYTES:
            return None
        if self._sizes is None:
            self._sizes = RowSums((row, _bytes(cells)) for row, cells in self.cells.items())
        return self._sizes.reaching(MOST_GLOSSARY_BYTES)

    def place(self, row: int) -> tuple[int, int]:
        """The number of a row's entry in its dictionary, from 0, and the character where it begins."""
        pair = pair_of(self.cells[row])
        if pair not in self._lengths:
            rows = self.pairs[pair].sources.rows()
            self._lengths[pair] = RowSums((each, _length(self.cells[each])) for each in rows)
        return self._lengths[pair].before(row)

    def first(self, row: int) -> int:
        """The first row with the source of *row*, in its pair."""
        cells = self.cells[row]
        found = self.pairs[pair_of(cells)].sources.first(cells[2])
        return row if found is None else found


def pair_of(cells: Cells) -> Pair:
    """The pair of a row as the service sees it; a language that it does not have stays as written."""
    source_lang, target_lang = cells[:2]
    return code_of(source_lang) or source_lang, code_of(target_lang) or target_lang


def _folded(cells: Iterable[Cells]) -> dict[str, str]:
    """The sources without differences of case, width and Unicode form."""
    sources = list({texts[2] for texts in cells})
    return dict(zip(sources, TextArray(sources).folded.texts(), strict=True))


def _touch(row: int, cells: Cells, index: PairIndex, folded: Mapping[str, str], touched: Touched) -> None:
    """Note the texts for which *row* is the first, because others name it."""
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


REPEATED = ("duplicate", "conflict")
PLACE = "key with the index {} (starting at position {})"


class TermFinding(NamedTuple):
    """A problem, or possible problem, of a row, and its column ("" if it is not about a single one)."""

    severity: str
    code: str
    message: str
    suggestion: str
    column: str = ""


class Live:
    """The errors and warnings of *table*, as found by `lint`, while it is edited; its index has the rows' numbers."""

    def __init__(self, table: pd.DataFrame) -> None:
        if not table.index.is_unique:
            raise ValueError("expected a unique number for every row, found duplicates in the index")
        whole = _Part(table.sort_index())
        self._near = RowIndex(whole)
        self._found: dict[int, tuple[TermFinding, ...]] = {}
        self._rows: dict[str, set[int]] = {ERROR: set(), WARNING: set()}
        self._counts: Counter[str] = Counter()
        self._large = self._near.first_too_many()
        for row, found in self._told(whole).items():
            self._keep(row, tuple(found))

    @property
    def counts(self) -> Counter[str]:
        """How many findings there are of each severity."""
        return +self._counts

    def of(self, row: int) -> list[TermFinding]:
        """The findings about a row, the most severe first; none about a row that does not exist."""
        return [
            found if found.code not in REPEATED else found._replace(message=self._placed(row, found.message))
            for found in self._found.get(row, ())
        ]

    def rows(self, severity: str) -> set[int]:
        """The rows with a finding of that severity, "error" or "warning"."""
        return set(self._rows[severity])

    def change(self, cells: Mapping[int, Cells], dropped: Iterable[int] = ()) -> set[int]:
        """Write *cells* into rows and drop others; return the rows whose findings changed, ignoring entry positions."""
        near, gone = self._near, set(dropped)
        written = {row: texts for row, texts in cells.items() if row not in gone and near.cells.get(row) != texts}
        gone &= near.cells.keys()
        was_one, was_large = self._is_one, self._large
        affected = near.change(written, gone)
        self._large = near.first_too_many()
        for row in gone:
            self._keep(row, ())
        affected.update(row for row in (was_large, self._large) if row is not None and row in near.cells)
        if was_one != self._is_one:  # then duplicates start or stop naming their pair
            affected.update(
                row for row in self._rows[ERROR] if any(found.code in REPEATED for found in self._found[row])
            )
        return self._lint(affected)

    def _lint(self, affected: set[int]) -> set[int]:
        """Lint *affected* rows together with those that they may name; return the ones whose findings changed."""
        if not affected:
            return set()
        rows = sorted(self._near.named_by(affected))
        columns = zip(*map(self._near.cells.__getitem__, rows), strict=True)
        source_langs, target_langs, sources, targets = map(list, columns)
        found = self._told(_Part(made(source_langs, target_langs, sources, targets, index=pd.Index(rows))))
        return {row for row in affected if self._keep(row, tuple(found.get(row, ())))}

    def _told(self, part: _Part) -> dict[int, list[TermFinding]]:
        """The findings of *part*, as they are in the whole table."""
        if self._large in part.table.index:
            part.ends_at(self._large, self._near.size)
        if not self._is_one and len(part.pairs) == 1:
            part.pairs.append(next(pair for pair in self._near.pairs if pair not in part.pairs))
        return part.found()

    def _keep(self, row: int, new: tuple[TermFinding, ...]) -> bool:
        """Keep the findings about a row; return whether they have changed."""
        old = self._found.pop(row, ())
        if new:
            self._found[row] = new
        if old == new:
            return False
        self._counts.subtract(found.severity for found in old)
        self._counts.update(found.severity for found in new)
        for severity, rows in self._rows.items():
            (rows.add if any(found.severity == severity for found in new) else rows.discard)(row)
        return True

    def _placed(self, row: int, message: str) -> str:
        """A message about a repeated source, with the current positions of its entries."""
        places = map(self._near.place, (row, self._near.first(row)))
        # No term can look like a position: it would have been shortened.
        return ENTRY.sub(lambda _: PLACE.format(*next(places)), message)

    @property
    def _is_one(self) -> bool:
        """Whether there is one language pair at most."""
        return len(self._near.pairs) < 2


class _Part(TermArrays):
    """Some rows of a table that have the same findings as in the whole table, except for entry positions."""

    size = 0
    sizes: Places = np.zeros(0, dtype=np.int64)

    def __init__(self, table: pd.DataFrame) -> None:
        super().__init__(table)
        self.indices = self.positions = np.zeros(len(table), dtype=np.int64)

    def ends_at(self, row: int | None, size: int) -> None:
        """Report that the whole is too large, and from which row on."""
        self.size = size
        self.sizes = np.where(self.table.index == row, MOST_GLOSSARY_BYTES, 0)

    def found(self) -> dict[int, list[TermFinding]]:
        """The errors and warnings about each row, the most severe first."""
        table = findings(self).table(self.table.index, places=True)
        table = table[table["severity"] != INFO]
        columns = [table[name].tolist() for name in ("row", *TermFinding._fields)]
        found: defaultdict[int, list[TermFinding]] = defaultdict(list)
        for row, *told in zip(*columns, strict=True):
            found[row].append(TermFinding(*told))
        return found
