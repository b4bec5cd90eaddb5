"""Tables that are drawn with lines: which cell each part of a page is in."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from .lines import Rules

_NEAR = 3.0
_MOST_RULES = 1_500
_FILLED = 0.3


@dataclass(slots=True)
class Grid:
    """The lines of a table: their places from left to right, and from top to bottom."""

    us: list[float]
    vs: list[float]
    upright: list[tuple[float, float, float]] = field(default_factory=list)

    def cell(self, u: float, v: float) -> tuple[int, int] | None:
        """Return the row and the column of a place; None if it is outside."""
        column = next((at for at, (left, right) in enumerate(pairwise(self.us)) if left <= u <= right), None)
        row = next((at for at, (top, bottom) in enumerate(pairwise(self.vs)) if bottom <= v <= top), None)
        return None if row is None or column is None else (row, self.starts(row)[column])

    def starts(self, row: int) -> list[int]:
        """Return for each column the one in which its cell begins: no line is drawn inside of a cell."""
        middle = (self.vs[row] + self.vs[row + 1]) / 2
        found = [0]
        for column in range(1, len(self.us) - 1):
            is_drawn = any(abs(u - self.us[column]) <= _NEAR and v0 <= middle <= v1 for u, v0, v1 in self.upright)
            found.append(column if is_drawn else found[-1])
        return found

    @property
    def cells(self) -> int:
        """How many cells it has."""
        return sum(len(set(self.starts(row))) for row in range(len(self.vs) - 1))


def grids(rules: Rules, middles: Sequence[tuple[float, float]]) -> list[Grid]:
    """Return the tables of at least two columns that *rules* draw and in whose cells most of *middles* are."""
    upright = [rule for rule in rules.upright if rule[2] - rule[1] > _NEAR]
    level = [(v, u0, u1) for v, u0, u1, _ in rules.level if u1 - u0 > _NEAR]
    if not upright or not level or len(upright) + len(level) > _MOST_RULES:
        return []
    found = []
    for ours, others in _connected(upright, level):
        grid = Grid(_places(u for u, _, _ in ours), _places(v for v, _, _ in others)[::-1], ours)
        if len(grid.us) > 2 and len(grid.vs) > 1:
            filled = {cell for u, v in middles if (cell := grid.cell(u, v)) is not None}
            if len(filled) > 1 and len(filled) >= _FILLED * grid.cells:
                found.append(grid)
    return found


_Spans = list[tuple[float, float, float]]


def _connected(upright: _Spans, level: _Spans) -> list[tuple[_Spans, _Spans]]:
    """Return the groups of lines that touch each other, the upright and the level ones of each."""
    groups: list[tuple[set[tuple[float, float, float]], _Spans]] = []
    for v, u0, u1 in level:
        crossing = {
            rule for rule in upright if u0 - _NEAR <= rule[0] <= u1 + _NEAR and rule[1] - _NEAR <= v <= rule[2] + _NEAR
        }
        joined = [group for group in groups if not crossing.isdisjoint(group[0])]
        groups = [group for group in groups if crossing.isdisjoint(group[0])]
        levels = [(v, u0, u1), *(each for group in joined for each in group[1])]
        groups.append((crossing.union(*(group[0] for group in joined)), levels))
    return [(sorted(ours), levels) for ours, levels in groups if ours]


def _places(found: Iterable[float]) -> list[float]:
    """Return places in order, those that are near each other once."""
    done: list[float] = []
    for place in sorted(found):
        if not done or place - done[-1] > _NEAR:
            done.append(place)
    return done
