"""What must be sent, and in which requests: skip, look up, cut, choose within the budget, pack. Sends nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
from msgspec import structs

from svc_nb.engine.bill import Sent
from svc_nb.engine.lane import Lane
from svc_nb.engine.outcome import DONE, FAILED, MARKED, PERSON, SKIPPED, UNSENT, Answer, Outcome
from svc_nb.engine.packing import pack
from svc_nb.engine.pieces import Piece, cut, join, wire_size
from svc_nb.engine.rules import SAME_LANGUAGE, nothing_to_translate, reasons
from svc_nb.engine.store import Store
from svc_nb.errors import TooLarge, Unsendable
from svc_nb.marked import no_translator

COMMA = 1
NO_TRANSLATOR = "no_translator"
UNCHANGED = "unchanged"
OVER_BUDGET = Outcome(UNSENT, reason="budget")


@dataclass(frozen=True, slots=True)
class Ask:
    """Different texts for one lane, and in how many rows each of them stands.

    *again* are the places of those that the service is asked for even if the store has an answer.
    """

    lane: Lane
    texts: Sequence[str]
    rows: Sequence[int]
    again: Collection[int] = ()


# A struct that the garbage collector need not look at, because a column makes hundreds of thousands of them. So no part
# may lead back to itself: it knows its children, and only the plan knows its parents.
class Part(msgspec.Struct, eq=False, gc=False):
    """A text with one answer to come; one that is too large for a request has children in its place.

    `again` says that the answer in the store does not count.
    """

    text: str
    lane: Lane
    key: bytes = b""
    rows: int = 0
    again: bool = False
    size: int = 0
    outcome: Outcome | None = None
    children: Sequence[Part] = ()
    pieces: Sequence[Piece] = ()

    @property
    def characters(self) -> int:
        """What sending it costs."""
        return len(self.text) if self.lane.billed else 0

    def cut(self, most: int, known: dict[bytes, Part]) -> bool:
        """Make children of at most *most* bytes, or take them from *known*; False where the text cannot be cut."""
        pieces = cut(self.text, most, tags=self.lane.tags)
        if pieces is None:
            return False
        self.pieces = pieces
        keys = self.lane.keys([piece.text for piece in pieces])
        self.children = [
            known.setdefault(key, Part(piece.text, self.lane, key, again=self.again))
            for key, piece in zip(keys, pieces, strict=True)
        ]
        return True

    def joined(self) -> Outcome | None:
        """What came of the children, as one; None while one of them is open."""
        outcomes = [child.outcome for child in self.children]
        if None in outcomes:
            return None
        known = [outcome for outcome in outcomes if outcome]
        wrong = next((outcome for outcome in known if not outcome.answered), None)
        if wrong:
            return structs.replace(wrong, answer=None, billed=self._take_costs())
        return self._whole(known)

    def _whole(self, known: Sequence[Outcome]) -> Outcome:
        answers = [outcome.answer or Answer() for outcome in known]
        text = join(self.pieces, [answer.text or "" for answer in answers])
        first = next((answer for answer in answers if answer.marked), answers[0])
        # What it cost stands with the children's answers.
        answer = Answer(text, first.language, 0, first.model, trace_id=first.trace_id)
        from_store = all(outcome.from_store for outcome in known)
        return answered(self, answer, from_store=from_store, billed=self._take_costs())

    def _take_costs(self) -> int:
        """What the children cost in this run, which from now on is the cost of the whole."""
        costs = 0
        for child in dict.fromkeys(self.children):
            if child.outcome:
                costs += child.outcome.billed
                child.outcome = structs.replace(child.outcome, billed=0)
        return costs


class Batch:
    """Parts of one lane that travel in one request, and how often that went wrong.

    `claimed` is when they were claimed in the store, `reserved` whether the budget has set their cost aside, `sent`
    what the bill knows of them while they are on their way.
    """

    __slots__ = ("claimed", "failures", "lane", "parts", "refusals", "reserved", "sent")

    def __init__(self, parts: Sequence[Part], *, failures: int = 0) -> None:
        self.parts = list(parts)
        self.lane = parts[0].lane
        self.failures = failures
        self.refusals = 0
        self.claimed: float | None = None
        self.reserved = False
        self.sent: Sent | None = None

    @property
    def characters(self) -> int:
        """What sending it costs."""
        return sum(part.characters for part in self.parts)

    def halves(self, *, failures: int = 0) -> list[Batch]:
        """Two batches with half the parts each, which went wrong *failures* times; one, where there is one part."""
        middle = len(self.parts) // 2
        halves = [
            Batch(some, failures=failures) for some in (self.parts[:middle], self.parts[middle:]) if some
        ]
        for half in halves:
            half.claimed = self.claimed
        return halves


class Plan:
    """Which texts of *asks* are skipped, stored, over the budget, or sent, and in which batches.

    `lanes` are those of the asks. `parts` has a list for each ask, with a part for each of its texts; equal questions
    share a part. `asked` are the parts that no rule kept out, `known` those and the children of large ones, by key;
    `parents` are the large ones that wait for a part. `looked_up` is when the store was asked.
    """

    def __init__(
        self, asks: Sequence[Ask], *, store: Store, rules: Collection[str], budget: int | None = None
    ) -> None:
        self.lanes = list(dict.fromkeys(ask.lane for ask in asks))
        self.known: dict[bytes, Part] = {}
        self.parents: defaultdict[Part, list[Part]] = defaultdict(list)
        self.parts = [self._parts(ask, rules) for ask in asks]
        self.asked = list(self.known.values())
        self.looked_up = store.clock()
        self._look_up(store, self.asked)
        _refuse(self.asked)
        needed = [part for part in self.asked if part.outcome is None]
        leaves = self._leaves(needed, store)
        self.batches = list(batches_of(_affordable(needed, leaves, budget)))

    @property
    def characters(self) -> int:
        """What sending all batches costs."""
        return sum(batch.characters for batch in self.batches)

    def cut(self, part: Part, most: int) -> bool:
        """Have *part* sent in pieces of at most *most* bytes; False where it cannot be cut."""
        if not part.cut(most, self.known):
            return False
        for child in dict.fromkeys(part.children):
            self.parents[child].append(part)
        return True

    def _parts(self, ask: Ask, rules: Collection[str]) -> list[Part]:
        lane, known = ask.lane, self.known
        why = _reasons(ask, rules)
        sent = [text for text, reason in zip(ask.texts, why, strict=True) if reason is None]
        keys = iter(_keys(lane, sent))
        parts = []
        for place, (text, rows, reason) in enumerate(zip(ask.texts, ask.rows, why, strict=True)):
            if reason is None and (key := next(keys)):
                part = known.get(key)
                if part is None:
                    part = known[key] = Part(text, lane, key, rows)
                else:
                    part.rows += rows
                part.again = part.again or place in ask.again
                parts.append(part)
            else:
                parts.append(_settled(text, lane, rows, reason))
        return parts

    def _look_up(self, store: Store, parts: Iterable[Part]) -> None:
        asked = list(parts)
        found = store.get([part.key for part in asked])
        for part in asked:
            answer = found.get(part.key)
            if answer is not None and not _is_outdated(part, answer):
                part.outcome = answered(part, answer, from_store=True)

    def _leaves(self, needed: Sequence[Part], store: Store) -> dict[Part, list[Part]]:
        """Measure *needed*; gives what must be sent in place of those that are too large for a request."""
        for part in needed:
            part.size = wire_size(part.text)
        return {part: self._cut(part, store) for part in needed if part.size > part.lane.room}

    def _cut(self, part: Part, store: Store) -> list[Part]:
        if not self.cut(part, part.lane.room):
            part.outcome = _too_large(part)
            return []
        self._look_up(store, part.children)
        part.outcome = part.joined()
        return list(dict.fromkeys(child for child in part.children if child.outcome is None))


def answered(part: Part, answer: Answer, *, from_store: bool = False, billed: int = 0) -> Outcome:
    """The outcome of a part that has *answer*: done, or marked where no translator has the pair."""
    lane = part.lane
    if not answer.marked:
        same = SAME_LANGUAGE if answer.model == UNCHANGED else None
        return Outcome(DONE, answer, lane.note or same, from_store, billed)
    if not lane.strict:
        return Outcome(MARKED, answer, NO_TRANSLATOR, from_store, billed)
    reason = not_translated(answer.language or lane.source_lang, lane.target_lang)
    return Outcome(FAILED, None, reason, billed=billed, trace_id=answer.trace_id)


def not_translated(source_lang: str | None, target_lang: str | None) -> str:
    """That no translator has the pair.

    >>> not_translated("de", "JA")
    'NOT TRANSLATED: no translator for DE → JA'
    """
    return f"NOT TRANSLATED: {no_translator([(source_lang, target_lang)])}"


def _is_outdated(part: Part, answer: Answer) -> bool:
    """Whether the service is to be asked although the store has *answer*; a person's own wording always counts."""
    if answer.marked and not part.lane.untranslated(answer.language or part.lane.source_lang):
        part.again = True
    return part.again and answer.model != PERSON


def _too_large(part: Part) -> Outcome:
    said = (
        f"The text takes {part.size:,} bytes, a request {part.lane.room:,}, and no place to cut it was found"
    )
    return Outcome.of_error(FAILED, TooLarge(said))


def sendable(text: str) -> bool:
    """Whether *text* has a form on the wire: no half of a surrogate pair."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _unsendable() -> Outcome:
    error = Unsendable("The text holds half of a surrogate pair (U+D800 to U+DFFF)")
    return Outcome.of_error(FAILED, error)


def _reasons(ask: Ask, rules: Collection[str]) -> list[str | None]:
    lane = ask.lane
    found = reasons(ask.texts, rules)
    if lane.source_lang and lane.target_lang and SAME_LANGUAGE in rules:
        same = nothing_to_translate(ask.texts, lane.source_lang, lane.target_lang)
        return [
            reason or (SAME_LANGUAGE if nothing else None)
            for reason, nothing in zip(found, same, strict=True)
        ]
    return found


def _keys(lane: Lane, texts: Sequence[str]) -> list[bytes]:
    """Each text's key; empty where the text has no form on the wire."""
    try:
        return lane.keys(texts)
    except UnicodeEncodeError:
        return [lane.keys([text])[0] if sendable(text) else b"" for text in texts]


def _settled(text: str, lane: Lane, rows: int, reason: str | None) -> Part:
    """A part that is not sent: it has no form on the wire, or a rule is the *reason*."""
    part = Part(text, lane, rows=rows)
    part.outcome = Outcome(SKIPPED, reason=reason) if sendable(text) else _unsendable()
    return part


def _refuse(parts: Iterable[Part]) -> None:
    """Fail what would only be marked, and so would fail on its strict lane, before it is paid for."""
    hopeless = {
        lane: lane.strict
        and not lane.helps
        and bool(lane.source_lang)
        and lane.untranslated(lane.source_lang)
        for lane in {part.lane for part in parts}
    }
    for part in parts:
        if part.outcome is None and hopeless[part.lane]:
            reason = not_translated(part.lane.source_lang, part.lane.target_lang)
            part.outcome = Outcome(FAILED, reason=reason)


def _affordable(
    needed: Sequence[Part], leaves: Mapping[Part, list[Part]], budget: int | None
) -> Iterable[Part]:
    """The parts to send, as far as the budget goes, the first ones first; the others are settled as over it."""
    if budget is None:
        return dict.fromkeys(leaf for part in needed for leaf in leaves.get(part, (part,)))
    chosen: dict[Part, None] = {}
    for part in needed:
        new = [leaf for leaf in leaves.get(part, (part,)) if leaf not in chosen]
        cost = sum(leaf.characters for leaf in new)
        if cost > budget:
            part.outcome = OVER_BUDGET
            continue
        budget -= cost
        chosen.update(dict.fromkeys(new))
    return chosen


def batches_of(parts: Iterable[Part]) -> Iterator[Batch]:
    """*parts* in as few requests as their lanes allow."""
    by_lane: defaultdict[Lane, list[Part]] = defaultdict(list)
    for part in parts:
        by_lane[part.lane].append(part)
    for lane, together in by_lane.items():
        sizes = [(part.size or wire_size(part.text)) + COMMA for part in together]
        for places in pack(sizes, most_texts=lane.most_texts, most_bytes=lane.room):
            yield Batch([together[place] for place in places])
