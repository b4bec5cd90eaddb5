"""Sums over numbered rows that come, change and go: of the rows before one, and up to which row a sum is reached."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

BLOCK_BITS = 8


class Sums:
    """A value for every row; rows are summed up in blocks, so that no question and no change looks at all of them.

    >>> sums = Sums([(1, 10), (2, 5), (900, 7)])
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
