"""Rows in their order, by their numbers: what stands after what, what is put in and taken out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

TOP = 0  # what the first row stands after
FEW = 4  # so many are looked for one by one; with more, one pass over all is cheaper


def chained(rows: Sequence[int], after: int) -> dict[int, int]:
    """*rows*, one after the other, the first of them after *after*."""
    return dict(zip(rows, [after, *rows], strict=False))


def splice(rows: list[int], added: Mapping[int, int]) -> None:
    """Put new rows into *rows*, each after the row that it names; at the end where that one is not there."""
    runs: dict[int, list[int]] = {}
    heads: dict[int, int] = {}
    for row, after in added.items():
        heads[row] = heads.get(after, after)
        runs.setdefault(heads[row], []).append(row)
        if len(runs[heads[row]]) > 1 and runs[heads[row]][-2] != after:
            _splice_one_by_one(rows, added)
            return
    if len(runs) <= FEW:
        for after, run in runs.items():
            at = _place(rows, after)
            rows[at:at] = run
        return
    whole = runs.pop(TOP, [])
    for row in rows:
        whole.append(row)
        if row in runs:
            whole += runs.pop(row)
    rows[:] = [*whole, *(row for run in runs.values() for row in run)]


def _splice_one_by_one(rows: list[int], added: Mapping[int, int]) -> None:
    """As `splice`, for rows that do not follow each other in the order they are named."""
    for row, after in added.items():
        rows.insert(_place(rows, after), row)


def _place(rows: Sequence[int], after: int) -> int:
    if after == TOP:
        return 0
    try:
        return rows.index(after) + 1
    except ValueError:
        return len(rows)


def without(rows: list[int], gone: Iterable[int]) -> None:
    """Take *gone* out of *rows*."""
    names = set(gone)
    if len(names) <= FEW:
        for row in names:
            if row in rows:
                rows.remove(row)
    else:
        rows[:] = [row for row in rows if row not in names]


def standing_after(rows: Sequence[int], some: Sequence[int]) -> dict[int, int]:
    """What each of *some* stands after in *rows*, in their order there."""
    if len(some) <= FEW:
        places = sorted(rows.index(row) for row in some)
    else:
        names = set(some)
        places = [at for at, row in enumerate(rows) if row in names]
    return {rows[at]: rows[at - 1] if at else TOP for at in places}
