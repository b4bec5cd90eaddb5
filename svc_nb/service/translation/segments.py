"""Blocks cut into the sentences to translate and what stays around them."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from .protection import Kept, Piece, Role, Sentence
from .sentences import Split, borders
from .tags import Block
from .terms import Match, Terms, find

_Part = str | Kept | Match


def segments(
    block: Block, *, source: str, terms: Sequence[Terms] = (), split: Split = "1"
) -> Iterator[str | Sentence]:
    """Yield the sentences of *block* and, as strings, the white space and the tags around them, in order.

    A term is kept as a word of its sentence and never cut. Tags at either end of a sentence stay outside it, unless
    their partner is inside.
    """
    ends = borders(block.text, split, source)
    if not block.marks and not terms:
        for start, end in pairwise([0, *ends]):
            yield from _peeled(deque([block.text[start:end]]), block)
        return
    matches = find(block.text, terms, [at for at, _ in block.marks])
    for parts in _cut(block, matches, ends[:-1]):
        yield from _peeled(deque(_worded(parts, block)), block)


def _cut(block: Block, matches: Iterable[Match], inner: Sequence[int]) -> Iterator[list[_Part]]:
    """Yield the parts of each sentence; *inner* are the borders but for the last."""
    text, at, parts, ahead = block.text, 0, list[_Part](), deque(inner)
    for start, end, span in _in_order(block.marks, matches):
        while ahead and (ahead[0] < start or (ahead[0] == start and not _is_closing(span))):
            parts.append(text[at : ahead[0]])
            yield parts
            at, parts = ahead.popleft(), []
        parts += (text[at:start], span)
        at = end
        while ahead and ahead[0] < end:
            ahead.popleft()
    for border in (*ahead, len(text)):
        parts.append(text[at:border])
        yield parts
        at, parts = border, []


def _in_order(
    marks: Sequence[tuple[int, Kept]], matches: Iterable[Match]
) -> Iterator[tuple[int, int, Kept | Match]]:
    waiting = deque(marks)
    for match in matches:
        while waiting and waiting[0][0] <= match.start:
            at, kept = waiting.popleft()
            yield at, at, kept
        yield match.start, match.end, match
    yield from ((at, at, kept) for at, kept in waiting)


def _is_closing(span: Kept | Match) -> bool:
    return isinstance(span, Kept) and span.role is Role.CLOSE


def _worded(parts: Iterable[_Part], block: Block) -> Iterator[Piece]:
    """Yield the pieces of a sentence, its terms written as they must be where they stand.

    The first word's capital belongs to the sentence and not to the term, so it stays at the front when words move.
    """
    started = capital = False
    for part in parts:
        if isinstance(part, Match):
            surface = block.text[part.start : part.end]
            capital = capital if started else surface[:1].isupper()
            initial = part.capital if capital and part.written == part.target else part.written
            text = part.target if not started and part.written == part.capital else part.written
            yield Kept(_encoded(text, block), Role.WORD, initial=_encoded(initial, block))
            started = True
            continue
        yield part
        if isinstance(part, str) and not started and (letter := next(filter(str.isalnum, part), "")):
            started, capital = True, letter.isupper()


def _peeled(pieces: deque[Piece], block: Block) -> Iterator[str | Sentence]:
    """Yield what stands before a sentence, the sentence if there is any, and what stands after it."""
    inside = Counter(piece.pair for piece in pieces if isinstance(piece, Kept))
    before: list[str] = []
    after: list[str] = []
    while pieces:
        first, last = pieces[0], pieces[-1]
        if _is_outside(first, inside):
            before.append(_raw(pieces.popleft(), block))
        elif _is_outside(last, inside):
            after.append(_raw(pieces.pop(), block))
        elif isinstance(first, Kept) and isinstance(last, Kept) and _are_partners(first, last):
            before.append(_raw(pieces.popleft(), block))
            after.append(_raw(pieces.pop(), block))
        else:
            break
    yield "".join(before)
    if pieces:
        yield Sentence(tuple(pieces), block.encode)
    yield "".join(reversed(after))


def _is_outside(piece: Piece, inside: Counter[int | None]) -> bool:
    if isinstance(piece, str):
        return not piece.strip()
    if piece.pair is None:
        return piece.role is Role.POINT
    return inside[piece.pair] == 1


def _are_partners(first: Kept, last: Kept) -> bool:
    return first.role is Role.OPEN and last.role is Role.CLOSE and first.pair == last.pair


def _raw(piece: Piece, block: Block) -> str:
    return piece.text if isinstance(piece, Kept) else _encoded(piece, block)


def _encoded(text: str, block: Block) -> str:
    return block.encode(text) if block.encode else text
