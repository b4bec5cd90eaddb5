"""The colour of a key: chosen by its identity, and kept whatever else is shown with it."""

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from svc_nb.plots.axes import LIGHT

PLAIN = len(LIGHT.colours)
SLOTS = 2 * PLAIN  # each colour plain and dotted


def number_of(key: str) -> int:
    """A number for *key* that is the same in every kernel and on every machine."""
    return int.from_bytes(sha256(key.encode("utf-8", "surrogatepass")).digest()[:8], "big")


class KeyColours:
    """The slots of keys, for `Theme.slots`; a key that has one keeps it.

    A key takes the first free slot from its own number on, plain colours before dotted ones. Keys that are added in the
    same order get the same slots in every kernel; if there are more keys than slots, some share one.
    """

    def __init__(self) -> None:
        self.slots: dict[str, int] = {}

    def add(self, keys: Iterable[str]) -> None:
        """Give each of *keys*, which are shown together, its own slot while there are free ones."""
        shown = list(dict.fromkeys(keys))
        taken = Counter(self.slots[key] for key in shown if key in self.slots)
        for key in shown:
            if key in self.slots:
                continue
            first = number_of(key)
            turn = [(first + step) % PLAIN for step in range(PLAIN)]
            free = min([*turn, *(slot + PLAIN for slot in turn)], key=lambda slot: taken[slot])
            self.slots[key] = free
            taken[free] += 1
