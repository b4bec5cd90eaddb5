"""A source with answers in it: what was put back, what stayed as it was and why, and what to ask again in pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from svc_nb.notebooks.segment import Refused, Segment, kept, replaced

NO_ANSWER = "it was not translated"
UNPLACED = "it cannot be told where it stands"


@dataclass(frozen=True)
class Left:
    """A text that stayed as it was: its kind, its line in the source (and cell in a notebook), and why."""

    kind: str
    line: int
    reason: str
    text: str
    cell: int | None = None


@dataclass(frozen=True)
class Edition:
    """A source with answers in it; `again` are texts that, answered one by one, could save what was refused."""

    text: str
    segments: int = 0
    left: Sequence[Left] = ()
    again: Sequence[str] = ()

    def in_cell(self, number: int) -> Edition:
        """The same, as part of a notebook."""
        return replace(self, left=[replace(left, cell=number) for left in self.left])


Layer = Callable[[str], Sequence[Segment]]


@dataclass
class Editing:
    """One source on its way: layer by layer, each edit checked by the law."""

    source: str
    holds: Callable[[str], bool]
    answers: Mapping[str, str]
    segments: int = 0
    left: list[Left] = field(default_factory=list)
    again: list[str] = field(default_factory=list)

    def through(self, layers: Sequence[Layer]) -> Edition:
        """Put the answers back, those of one layer after those of the other."""
        text = self.source
        for layer in layers:
            text = self._edited(text, layer(text))
        return Edition(text, self.segments, self.left, self.again)

    def _edited(self, text: str, segments: Sequence[Segment]) -> str:
        reasons: dict[Segment, str] = {}
        asked = [segment for segment in segments if self._is_new(segment, reasons)]
        done = kept(text, {}, self._edits(asked, self._whole, reasons), self.holds)
        rest = [segment for segment in asked if segment not in done]
        done = kept(text, done, self._edits(rest, self._in_runs, {}), self.holds)
        self._count(segments, done, reasons)
        return replaced(text, done)

    def _is_new(self, segment: Segment, reasons: dict[Segment, str]) -> bool:
        """Whether there is an answer that says something else than the text."""
        answer = self.answers.get(segment.text)
        if answer is None:
            reasons[segment] = NO_ANSWER
        return answer is not None and answer != segment.text

    def _edits(
        self,
        segments: Sequence[Segment],
        put: Callable[[Segment], str | None],
        reasons: dict[Segment, str],
    ) -> list[tuple[Segment, str]]:
        edits: list[tuple[Segment, str]] = []
        for segment in segments:
            try:
                new = put(segment)
            except Refused as refusal:
                reasons[segment] = str(refusal)
                continue
            if new is not None:
                reasons[segment] = "the structure would change"  # should the law not hold
                edits.append((segment, new))
        return edits

    def _whole(self, segment: Segment) -> str | None:
        return segment.put(self.answers[segment.text])

    def _in_runs(self, segment: Segment) -> str | None:
        answers = [self.answers[run] for run in segment.runs if run in self.answers]
        if not segment.put_runs or not answers or len(answers) < len(segment.runs):
            return None
        return segment.put_runs(answers)

    def _count(
        self, segments: Sequence[Segment], done: Mapping[Segment, str], reasons: Mapping[Segment, str]
    ) -> None:
        self.segments += len(segments)
        for segment in segments:
            if segment in reasons and segment not in done:
                self.left.append(Left(segment.kind, segment.line, reasons[segment], segment.text))
                self.again += [run for run in segment.runs if run not in self.answers]
