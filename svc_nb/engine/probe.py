"""Whether the options of a kind of request are accepted at all: one text is sent ahead of many.

A request that the service calls invalid has either a bad text or bad options. If no request of its kind has been
answered yet, it is set aside with the rest of its kind, and one of its texts is sent alone. An answer proves the kind;
then the search for the bad text begins. If several single texts are refused in a row, the kind is condemned, and all
its texts fail.
"""

from dataclasses import dataclass, field

from svc_nb.engine.plan import Batch, RequestKind
from svc_nb.errors import SvcError

STRIKES = 8
# Steps of this size through a batch never come close to an earlier place.
GOLDEN = 0.618


@dataclass(slots=True, eq=False)
class Probe:
    """The batches set aside for a kind that was refused before any answer, and the text that goes ahead."""

    invalid: list[Batch] = field(default_factory=list)
    waiting: list[Batch] = field(default_factory=list)
    ahead: Batch | None = None
    strikes: int = 0

    def all(self) -> list[Batch]:
        """All batches that are set aside."""
        return [*self.invalid, *self.waiting]


@dataclass(slots=True, eq=False)
class Probes:
    """What is known about the kinds of request of one run; `condemned` has the reason for each condemned kind."""

    condemned: dict[RequestKind, SvcError] = field(default_factory=dict)
    _proven: set[RequestKind] = field(default_factory=set)
    _probes: dict[RequestKind, Probe] = field(default_factory=dict)

    def prove(self, kind: RequestKind) -> Probe | None:
        """Note that a request of the kind was answered; returns the batches that were set aside."""
        self._proven.add(kind)
        return self._probes.pop(kind, None)

    def proven(self, kind: RequestKind) -> bool:
        """Whether a request of the kind was answered."""
        return kind in self._proven

    def holds(self, batch: Batch) -> bool:
        """Whether the batch must wait; if so, it is set aside."""
        probe = self._probes.get(batch.kind)
        if probe is None or probe.ahead in (None, batch):
            return False
        probe.waiting.append(batch)
        return True

    def suspect(self, batch: Batch) -> None:
        """Note that a batch of several texts was called invalid."""
        self._probes.setdefault(batch.kind, Probe()).invalid.append(batch)

    def strike(self, batch: Batch, error: SvcError) -> list[Batch]:
        """Note that a single text was called invalid; returns the batches set aside, if that condemns the kind."""
        probe = self._probes.setdefault(batch.kind, Probe())
        probe.strikes += 1
        probe.ahead = None
        if probe.strikes < STRIKES:
            return []
        self.condemned[batch.kind] = error
        return self._probes.pop(batch.kind).all()

    def dismiss(self, batch: Batch) -> list[Batch]:
        """Note that the batch ended in another way; if it went ahead, returns the next one to go ahead."""
        probe = self._probes.get(batch.kind)
        if probe is None or probe.ahead is not batch:
            return []
        probe.ahead = None
        return self.next_to_go(batch.kind)

    def next_to_go(self, kind: RequestKind) -> list[Batch]:
        """The next text to go ahead, each from another batch and place; all that waited, if no suspects are left."""
        probe = self._probes.get(kind)
        if probe is None or probe.ahead:
            return []
        if not probe.invalid:
            waiting, probe.waiting = probe.waiting, []
            return waiting
        batch = probe.invalid.pop()
        part = batch.parts.pop(int(len(batch.parts) * ((0.5 + probe.strikes * GOLDEN) % 1)))
        if batch.parts:
            probe.invalid.insert(0, batch)
        probe.ahead = Batch(kind, [part])
        probe.ahead.claimed_until = batch.claimed_until
        return [probe.ahead]

    def set_aside(self) -> list[Batch]:
        """All batches that wait for the text that went ahead."""
        return [batch for probe in self._probes.values() for batch in probe.all()]
