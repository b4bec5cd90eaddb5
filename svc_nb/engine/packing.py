"""Pack texts into the fewest requests: arithmetic on sizes, without the texts themselves."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from heapq import heappop, heapreplace, nlargest
from itertools import accumulate

Batches = list[list[int]]

CLOSE = 200
"""The search for fewer batches ends when it is within one part in this many of the best possible result."""

FEW = 10
"""Up to this many texts per batch, the bound considers how many fit together."""


def pack(sizes: Sequence[int], *, most_texts: int, most_bytes: int) -> Batches:
    """Return the positions of *sizes* in batches of at most *most_texts* and *most_bytes*; each position once.

    If any *most_texts* of them fit together, the batches are plain runs in order. Otherwise the heaviest batch comes
    first, and a size over *most_bytes* travels alone. Positions rise within a batch; equal input gives equal batches.

    >>> pack([1, 1, 1], most_texts=2, most_bytes=9), pack([5, 1, 4, 12], most_texts=2, most_bytes=9)
    ([[0, 1], [2]], [[3], [0], [1, 2]])
    """
    if sum(nlargest(most_texts, sizes)) <= most_bytes:
        return [list(range(start, min(start + most_texts, len(sizes)))) for start in range(0, len(sizes), most_texts)]
    alone = [[place] for place, size in enumerate(sizes) if size > most_bytes]
    together = [place for place, size in enumerate(sizes) if size <= most_bytes]
    batches = alone + _fewest(together, sizes, most_texts, most_bytes)
    return sorted(map(sorted, batches), key=lambda batch: (-sum(sizes[place] for place in batch), batch))


def least(sizes: Sequence[int], *, most_texts: int, most_bytes: int) -> int:
    """Return a number of batches that no packing of *sizes*, each within *most_bytes*, can undercut."""
    rising = sorted(sizes)
    # Of texts over a given size, a batch holds at most `count`: there is no room for one more.
    few = range(1, min(most_texts, FEW))
    larger = {count: len(rising) - bisect_right(rising, most_bytes // (count + 1)) for count in (1, *few)}
    # By number of texts: beside one over half a batch there is room for only this many of the smallest.
    halves = rising[len(rising) - larger[1] :]
    smallest = list(accumulate(rising[: most_texts - 1]))
    beside = sum(1 + bisect_right(smallest, most_bytes - size) for size in halves)
    crowded = len(halves) + max(0, -(-(len(rising) - beside) // most_texts))
    return max(-(-sum(rising) // most_bytes), crowded, *(-(-larger[count] // count) for count in few))


def _fewest(places: list[int], sizes: Sequence[int], most_texts: int, most_bytes: int) -> Batches:
    """Spread over as few batches as possible; if texts are large, filling one batch after another may need fewer."""
    largest_first = sorted(places, key=lambda place: -sizes[place])
    low = least([sizes[place] for place in places], most_texts=most_texts, most_bytes=most_bytes)
    for count in sorted({low, low + low // CLOSE, low + 2 * low // CLOSE}):
        spread = _spread(largest_first, sizes, count, most_texts, most_bytes)
        if spread is not None:
            return spread
    best = _fill(largest_first, sizes, most_texts, most_bytes)
    while low + low // CLOSE < len(best):
        count = (low + len(best)) // 2
        spread = _spread(largest_first, sizes, count, most_texts, most_bytes)
        low, best = (count + 1, best) if spread is None else (low, spread)
    return best


def _fill(largest_first: list[int], sizes: Sequence[int], most_texts: int, most_bytes: int) -> Batches:
    """Put each size where it leaves the least room, or else into a new batch."""
    batches: Batches = []
    rooms: list[tuple[int, int]] = []
    for place in largest_first:
        fit = bisect_left(rooms, (sizes[place], 0))
        room, number = rooms.pop(fit) if fit < len(rooms) else (most_bytes, len(batches))
        if number == len(batches):
            batches.append([])
        batches[number].append(place)
        if len(batches[number]) < most_texts:
            insort(rooms, (room - sizes[place], number))
    return batches


def _spread(
    largest_first: list[int], sizes: Sequence[int], count: int, most_texts: int, most_bytes: int
) -> Batches | None:
    """Give each size to the lightest of *count* batches with a free place; None if one overflows."""
    batches: Batches = [[] for _ in range(count)]
    lightest = [(0, number) for number in range(count)]
    for place in largest_first:
        weight, number = lightest[0]
        weight += sizes[place]
        if weight > most_bytes:
            return None
        batch = batches[number]
        batch.append(place)
        if len(batch) < most_texts:
            heapreplace(lightest, (weight, number))
        else:
            heappop(lightest)
    return batches
