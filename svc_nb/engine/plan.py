"""What must be sent, and in which requests: skip, look up, cut, select within the budget, pack. Sends nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import msgspec
from msgspec import structs

from svc_nb.engine.billing import Purpose, SentRequest
from svc_nb.engine.claims import KEY_BYTES
from svc_nb.engine.outcome import DONE, FAILED, MARKED, PERSON, SKIPPED, UNSENT, Outcome, TextAnswer
from svc_nb.engine.packing import pack
from svc_nb.engine.skip_rules import SAME_LANGUAGE, reasons
from svc_nb.engine.split import TextPiece, cut, join, wire_size
from svc_nb.engine.store import Store
from svc_nb.errors import TooLarge, Unsendable
from svc_nb.marked import no_translator

MOST_TEXTS = 50
MOST_BYTES = 128 * 1024
# Some services refuse bodies slightly below their own limit.
HEADROOM = 1024
COMMA = 1
QUOTES = 2
# As \u0000; none takes more than four in UTF-8.
MOST_BYTES_A_LETTER = 6
NO_TRANSLATOR = "no_translator"
UNCHANGED = "unchanged"
OVER_BUDGET = Outcome(UNSENT, reason="budget")
UNSENDABLE = Outcome.of_error(FAILED, Unsendable("The text contains half of a surrogate pair (U+D800 to U+DFFF)"))


def no_terms(text: str) -> bytes:
    """No glossary applies to *text*."""
    return b""


@dataclass(frozen=True, slots=True, eq=False)
class RequestKind:
    """What all texts of one request have in common: one operation with one set of options.

    `send` answers a list of texts in order, or raises an SvcError; it never retries. `identity` covers everything other
    than the text that can change an answer, `terms` the glossary entries for a text. `envelope` is the size of a
    request without texts, `room` the size that the texts may have; `note` is the reason of every answer. `untranslated`
    says whether texts would only be marked: if the kind is `strict`, these fail, and unless something `helps` they are
    not sent.
    """

    operation: str
    send: Callable[[list[str]], Sequence[TextAnswer]]
    identity: bytes = b""
    service: str = ""
    source_lang: str | None = None
    target_lang: str | None = None
    envelope: int = 0
    most_bytes: int = MOST_BYTES
    most_texts: int = MOST_TEXTS
    billed: bool = True
    tags: bool = False
    note: str | None = None
    terms: Callable[[str], bytes] = no_terms
    untranslated: Callable[[str | None], bool] = lambda source_lang: False
    strict: bool = False
    helps: bool = False
    room: int = field(init=False)
    purpose: Purpose = field(init=False)

    def __post_init__(self) -> None:
        room = self.most_bytes - min(HEADROOM, self.most_bytes // 16) - self.envelope
        object.__setattr__(self, "room", room)
        object.__setattr__(self, "purpose", Purpose(self.operation, self.target_lang))

    def keys(self, texts: Sequence[str]) -> list[bytes]:
        """The key under which each text's answer is stored; empty for a text that cannot be sent."""
        start = blake2b(self.identity + b"\0", digest_size=KEY_BYTES)
        said = self.terms
        keys = []
        # In one loop without calls of our own, because it runs for every text of a column.
        for text in texts:
            try:
                encoded = text.encode()
            except UnicodeEncodeError:
                keys.append(b"")
                continue
            digest = start.copy()
            if said is not no_terms:
                digest.update(said(text))
            digest.update(encoded)
            keys.append(digest.digest())
        return keys


@dataclass(frozen=True, slots=True)
class TextGroup:
    """Different texts for one kind of request, and the rows of each; saved answers of those in *again* do not count."""

    kind: RequestKind
    texts: Sequence[str]
    rows: Sequence[int]
    again: Collection[int] = ()


# A struct that the garbage collector need not look at, because a column makes hundreds of thousands of them. So no part
# may lead back to itself: it knows its children, and only the plan knows its parents.
class Part(msgspec.Struct, eq=False, gc=False):
    """A text that gets one answer, with children if it is too large; `again`: a saved answer does not count."""

    text: str
    kind: RequestKind
    key: bytes = b""
    rows: int = 0
    again: bool = False
    came: Outcome | TextAnswer | None = None
    children: Sequence[Part] = ()
    pieces: Sequence[TextPiece] = ()

    @property
    def outcome(self) -> Outcome | None:
        """Its outcome, once known; most parts only keep the answer, which contains everything."""
        came = self.came
        return Outcome(DONE, came, billed=came.billed or 0) if isinstance(came, TextAnswer) else came

    @outcome.setter
    def outcome(self, outcome: Outcome | None) -> None:
        answer = outcome.answer if outcome else None
        plain = answer is not None and outcome == Outcome(DONE, answer, billed=answer.billed or 0)
        self.came = answer if plain else outcome

    @property
    def characters(self) -> int:
        """What sending it costs."""
        return len(self.text) if self.kind.billed else 0

    def cut(self, most: int, known: dict[bytes, Part]) -> bool:
        """Make children of at most *most* bytes, or take them from *known*; False if the text cannot be cut."""
        pieces = cut(self.text, most, tags=self.kind.tags)
        if pieces is None:
            return False
        self.pieces = pieces
        keys = self.kind.keys([piece.text for piece in pieces])
        self.children = [
            known.setdefault(key, Part(piece.text, self.kind, key, again=self.again))
            for key, piece in zip(keys, pieces, strict=True)
        ]
        return True

    def joined(self) -> Outcome | None:
        """The joint outcome of the children; None while one of them is open."""
        outcomes = [child.outcome for child in self.children]
        if None in outcomes:
            return None
        known = [outcome for outcome in outcomes if outcome]
        wrong = next((outcome for outcome in known if not outcome.answered), None)
        if wrong:
            return structs.replace(wrong, answer=None, billed=self._take_costs())
        answers = [outcome.answer or TextAnswer() for outcome in known]
        text = join(self.pieces, [answer.text or "" for answer in answers])
        first = next((answer for answer in answers if answer.marked), answers[0])
        # Its cost is in the children's answers.
        answer = TextAnswer(text, first.language, 0, first.model, trace_id=first.trace_id)
        from_store = all(outcome.from_store for outcome in known)
        return answered(self, answer, from_store=from_store, billed=self._take_costs())

    def _take_costs(self) -> int:
        """Take over the costs of the children in this run as the cost of the whole."""
        costs = 0
        for child in dict.fromkeys(self.children):
            if child.outcome:
                costs += child.outcome.billed
                child.outcome = structs.replace(child.outcome, billed=0)
        return costs


@dataclass(slots=True, eq=False)
class Batch:
    """Parts of one kind that are sent in one request, and how often that failed; `reserved`: the budget covers it.

    `bought` is how often it may have been paid for without an answer, `number` how many requests were sent before it.
    """

    kind: RequestKind
    parts: list[Part]
    failures: int = 0
    claimed_until: float = 0.0
    bought: int = 0
    refusals: int = 0
    number: int = 0
    reserved: bool = False
    sent: SentRequest | None = None

    @property
    def characters(self) -> int:
        """What sending it costs."""
        return sum(part.characters for part in self.parts)

    def halves(self, *, failures: int = 0) -> list[Batch]:
        """Two batches with half the parts each, which failed *failures* times; one batch if there is only one part."""
        middle = len(self.parts) // 2
        halves = self.parts[:middle], self.parts[middle:]
        return [Batch(self.kind, half, failures, self.claimed_until) for half in halves if half]

    def alone(self, part: Part) -> Batch:
        """A batch for one of the parts, with the same failures."""
        return Batch(self.kind, [part], self.failures, self.claimed_until, self.bought)


class Plan:
    """Which texts of *groups* are skipped, stored, over the budget, or sent, and in which batches.

    `kinds` are those of the groups. `parts` has a list for each group, with a part for each of its texts; equal
    questions share a part. `asked` are the parts that no rule skips, `known` those and the children of large ones, by
    key; `parents` are the large ones that wait for a part. `looked_up` is the number of the newest answer at the time
    of the lookup.
    """

    def __init__(
        self, groups: Sequence[TextGroup], *, store: Store, rules: Collection[str], budget: int | None = None
    ) -> None:
        self.kinds = list(dict.fromkeys(group.kind for group in groups))
        self.known: dict[bytes, Part] = {}
        self.parents: defaultdict[Part, list[Part]] = defaultdict(list)
        self.parts = [self._parts(group, rules) for group in groups]
        self.asked = list(self.known.values())
        self.looked_up = store.newest()
        _look_up(store, self.asked)
        # If the kind is strict, texts that would only be marked fail before they are paid for.
        hopeless = {
            kind
            for kind in {part.kind for part in self.asked}
            if kind.strict and not kind.helps and kind.source_lang and kind.untranslated(kind.source_lang)
        }
        for part in self.asked:
            if part.outcome is None and part.kind in hopeless:
                reason = not_translated(part.kind.source_lang, part.kind.target_lang)
                part.outcome = Outcome(FAILED, reason=reason)
        needed = [part for part in self.asked if part.outcome is None]
        # Most texts are so short that their bytes need not be counted.
        perhaps_large = [part for part in needed if len(part.text) * MOST_BYTES_A_LETTER + QUOTES > part.kind.room]
        large = [part for part in perhaps_large if wire_size(part.text) > part.kind.room]
        leaves = {part: self._leaves(part, store) for part in large}
        chosen: Iterable[Part]
        if budget is None:
            chosen = dict.fromkeys(leaf for part in needed for leaf in leaves.get(part, (part,)))
        else:
            chosen = _affordable(needed, leaves, budget)
        self.batches = list(batches_of(chosen))

    @property
    def characters(self) -> int:
        """What sending all batches costs."""
        return sum(batch.characters for batch in self.batches)

    def cut(self, part: Part, most: int) -> bool:
        """Send *part* in pieces of at most *most* bytes; False if it cannot be cut."""
        if not part.cut(most, self.known):
            return False
        for child in dict.fromkeys(part.children):
            self.parents[child].append(part)
        return True

    def _parts(self, group: TextGroup, rules: Collection[str]) -> list[Part]:
        kind, known = group.kind, self.known
        why = reasons(group.texts, rules, kind.source_lang, kind.target_lang)
        keys = iter(kind.keys([text for text, reason in zip(group.texts, why, strict=True) if reason is None]))
        parts = []
        for place, (text, rows, reason) in enumerate(zip(group.texts, group.rows, why, strict=True)):
            key = next(keys) if reason is None else b""
            if not key:
                outcome = Outcome(SKIPPED, reason=reason) if sendable(text) else UNSENDABLE
                parts.append(Part(text, kind, rows=rows, came=outcome))
                continue
            part = known.get(key)
            if part is None:
                part = known[key] = Part(text, kind, key, rows)
            else:
                part.rows += rows
            part.again = part.again or place in group.again
            parts.append(part)
        return parts

    def _leaves(self, part: Part, store: Store) -> list[Part]:
        """The parts to send instead of *part*, which is too large for a request."""
        room = part.kind.room
        if not self.cut(part, room):
            size = wire_size(part.text)
            said = (
                f"The text has {size:,} bytes, a request has room for {room:,}, and no place to cut the text was found"
            )
            part.outcome = Outcome.of_error(FAILED, TooLarge(said))
            return []
        _look_up(store, part.children)
        part.outcome = part.joined()
        return list(dict.fromkeys(child for child in part.children if child.outcome is None))


def _look_up(store: Store, parts: Sequence[Part]) -> None:
    """Settle those of *parts* for which the store has a valid answer."""
    found = store.get([part.key for part in parts])
    for part in parts:
        answer = found.get(part.key)
        if answer is None:
            continue
        if answer.marked and not part.kind.untranslated(answer.language or part.kind.source_lang):
            part.again = True
        if not part.again or answer.model == PERSON:  # the user's own wording always counts
            part.outcome = answered(part, answer, from_store=True)


def answered(part: Part, answer: TextAnswer, *, from_store: bool = False, billed: int = 0) -> Outcome:
    """The outcome of a part with *answer*: done, or marked if no translator has the language pair."""
    kind = part.kind
    if not answer.marked:
        same = SAME_LANGUAGE if answer.model == UNCHANGED else None
        return Outcome(DONE, answer, kind.note or same, from_store, billed)
    if not kind.strict:
        return Outcome(MARKED, answer, NO_TRANSLATOR, from_store, billed)
    reason = not_translated(answer.language or kind.source_lang, kind.target_lang)
    return Outcome(FAILED, None, reason, billed=billed, trace_id=answer.trace_id)


def not_translated(source_lang: str | None, target_lang: str | None) -> str:
    """The message that no translator has the language pair.

    >>> not_translated("de", "JA")
    'NOT TRANSLATED: no translator for DE → JA'
    """
    return f"NOT TRANSLATED: {no_translator([(source_lang, target_lang)])}"


def sendable(text: str) -> bool:
    """Whether *text* can be sent: it has no half of a surrogate pair."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def _affordable(needed: Sequence[Part], leaves: Mapping[Part, list[Part]], budget: int) -> Iterable[Part]:
    """The parts to send, in order, as far as the budget allows; the others are settled as over the budget."""
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
    """*parts* in as few requests as their kinds allow."""
    by_kind: defaultdict[RequestKind, list[Part]] = defaultdict(list)
    for part in parts:
        by_kind[part.kind].append(part)
    for kind, together in by_kind.items():
        sizes = [wire_size(part.text) + COMMA for part in together]
        for places in pack(sizes, most_texts=kind.most_texts, most_bytes=kind.room):
            yield Batch(kind, [together[place] for place in places])
