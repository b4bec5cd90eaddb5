"""Whether a lane's options are accepted at all: one text goes ahead before many requests are taken apart in vain.

A request that the service calls invalid holds either a bad text or bad options. While nothing on its lane was ever
answered, it is set aside with the rest of its lane, and one of its texts is sent alone. An answer proves the lane: the
bad text is then looked for. When several texts alone are refused in a row, the lane is condemned: all its texts fail.
"""

from __future__ import annotations

from svc_nb.engine.lane import Lane
from svc_nb.engine.plan import Batch
from svc_nb.errors import SvcError

STRIKES = 8
# Steps of this size over a batch never come close to where they were.
GOLDEN = 0.618


class Doubt:
    """A lane that refused a request before it answered any."""

    def __init__(self) -> None:
        self.invalid: list[Batch] = []
        self.waiting: list[Batch] = []
        self.scout: Batch | None = None
        self.strikes = 0

    def all(self) -> list[Batch]:
        """All that is set aside."""
        return [*self.invalid, *self.waiting]

    def next_scout(self) -> Batch | None:
        """A text that is set aside, alone; None while another one is on its way, or none is left.

        Each comes from another batch, if there are several, and from another place in it: what is bad often stands
        together.
        """
        if self.scout or not self.invalid:
            return None
        batch = self.invalid.pop()
        part = batch.parts.pop(int(len(batch.parts) * ((0.5 + self.strikes * GOLDEN) % 1)))
        if batch.parts:
            self.invalid.insert(0, batch)
        self.scout = Batch([part])
        self.scout.claimed = batch.claimed
        return self.scout


class Trust:
    """What is known of the lanes of one run."""

    def __init__(self) -> None:
        self._proven: set[Lane] = set()
        self._doubts: dict[Lane, Doubt] = {}
        self._condemned: dict[Lane, SvcError] = {}

    def prove(self, lane: Lane) -> Doubt | None:
        """The lane has answered; gives what was set aside on it."""
        self._proven.add(lane)
        return self._doubts.pop(lane, None)

    def proven(self, lane: Lane) -> bool:
        """Whether the lane has answered."""
        return lane in self._proven

    def verdict(self, lane: Lane) -> SvcError | None:
        """Why the lane is condemned, if it is."""
        return self._condemned.get(lane)

    def holds(self, batch: Batch) -> bool:
        """Whether the batch must wait; if so, it is set aside."""
        doubt = self._doubts.get(batch.lane)
        if doubt is None or doubt.scout in (None, batch):
            return False
        doubt.waiting.append(batch)
        return True

    def suspect(self, batch: Batch) -> None:
        """A batch of several texts was called invalid."""
        self._doubts.setdefault(batch.lane, Doubt()).invalid.append(batch)

    def strike(self, batch: Batch, error: SvcError) -> list[Batch]:
        """A text alone was called invalid; gives what was set aside, if that condemns the lane."""
        doubt = self._doubts.setdefault(batch.lane, Doubt())
        doubt.strikes += 1
        doubt.scout = None
        if doubt.strikes < STRIKES:
            return []
        self._condemned[batch.lane] = error
        return self._doubts.pop(batch.lane).all()

    def dismiss(self, batch: Batch) -> list[Batch]:
        """The batch ended in another way; if it was the scout, gives what goes in its place."""
        doubt = self._doubts.get(batch.lane)
        if doubt is None or doubt.scout is not batch:
            return []
        doubt.scout = None
        return self.next_to_go(batch.lane)

    def next_to_go(self, lane: Lane) -> list[Batch]:
        """The next scout; where nothing suspect is left to take one from, all that waited for it."""
        doubt = self._doubts.get(lane)
        if doubt is None or doubt.scout:
            return []
        if scout := doubt.next_scout():
            return [scout]
        waiting, doubt.waiting = doubt.waiting, []
        return waiting

    def set_aside(self) -> list[Batch]:
        """All batches that wait for a scout."""
        return [batch for doubt in self._doubts.values() for batch in doubt.all()]
