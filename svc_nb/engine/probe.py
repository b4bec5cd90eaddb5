"""Whether the options of a kind of request are accepted at all: one text goes ahead before many.

A request that the service calls invalid holds either a bad text or bad options. While no request of its kind was ever
answered, it is set aside with the rest of its kind, and one of its texts is sent alone. An answer proves the kind: the
bad text is then looked for. When several texts alone are refused in a row, the kind is condemned: all its texts fail.
"""

from dataclasses import dataclass, field

from svc_nb.engine.plan import Batch, RequestKind
from svc_nb.errors import SvcError

STRIKES = 8
# Steps of this size over a batch never come close to where they were.
GOLDEN = 0.618


@dataclass(slots=True, eq=False)
class Probe:
    """What is set aside of a kind that was refused before any of it was answered, and the text that goes ahead."""

    invalid: list[Batch] = field(default_factory=list)
    waiting: list[Batch] = field(default_factory=list)
    ahead: Batch | None = None
    strikes: int = 0

    def all(self) -> list[Batch]:
        """All that is set aside."""
        return [*self.invalid, *self.waiting]


@dataclass(slots=True, eq=False)
class Probes:
    """What is known of the kinds of request of one run; `condemned` says why a kind is."""

    condemned: dict[RequestKind, SvcError] = field(default_factory=dict)
    _proven: set[RequestKind] = field(default_factory=set)
    _probes: dict[RequestKind, Probe] = field(default_factory=dict)

    def prove(self, kind: RequestKind) -> Probe | None:
        """A request of the kind was answered; gives what was set aside of it."""
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
        """A batch of several texts was called invalid."""
        self._probes.setdefault(batch.kind, Probe()).invalid.append(batch)

    def strike(self, batch: Batch, error: SvcError) -> list[Batch]:
        """A text alone was called invalid; gives what was set aside, if that condemns the kind."""
        probe = self._probes.setdefault(batch.kind, Probe())
        probe.strikes += 1
        probe.ahead = None
        if probe.strikes < STRIKES:
            return []
        self.condemned[batch.kind] = error
        return self._probes.pop(batch.kind).all()

    def dismiss(self, batch: Batch) -> list[Batch]:
        """The batch ended in another way; if it went ahead, gives what goes in its place."""
        probe = self._probes.get(batch.kind)
        if probe is None or probe.ahead is not batch:
            return []
        probe.ahead = None
        return self.next_to_go(batch.kind)

    def next_to_go(self, kind: RequestKind) -> list[Batch]:
        """The next text to go ahead, each from another batch and place; all that waited, if nothing suspect is left."""
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
