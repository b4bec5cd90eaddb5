"""What changed between two wordings of a text, word by word; a script without spaces goes by character."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

MOST_TOKENS = 10_000
MOST_CHARACTERS = 200_000
"""Where more than so much lies between the first and the last change, all of it counts as one change."""
LONG = 2_000
AROUND = 200
"""Of texts over that length only what lies between the changes is looked at, and so much before and after."""

# Scripts that put no spaces between words: Thai to Khmer, Chinese characters, kana.
_NO_SPACES = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_UNSPACED = re.compile(f"[{_NO_SPACES}]")
_TOKEN = re.compile(rf"[^\W{_NO_SPACES}]++(?:['’‑-][^\W{_NO_SPACES}]++)*+|\s++|(?s:.)")
ALIKE = 0.5
"""From so much in common on, one word is the other one spelled anew."""
_BREAK = re.compile(r"\S(?=\s)")
FIRST_MARK = "\u0300"
JOINER = "\u200d"


class Edit(NamedTuple):
    """A stretch of both wordings: what stood there before, and what stands there now."""

    before: str
    after: str

    @property
    def same(self) -> bool:
        """Whether nothing changed here."""
        return self.before == self.after


def edits(before: str, after: str) -> list[Edit]:
    """The stretches of two wordings in their order: joined, their sides are *before* and *after*.

    >>> edits("I recieve it", "I receive it")
    [Edit(before='I ', after='I '), Edit(before='recieve', after='receive'), Edit(before=' it', after=' it')]
    """
    if before == after:
        return [Edit(before, after)] if before else []
    start, end = _ends(before, after)
    head, tail = before[:start], before[len(before) - end :]
    middle = _within(before[start : len(before) - end], after[start : len(after) - end])
    return [
        edit for edit in _sums([Edit(head, head), *middle, Edit(tail, tail)]) if edit.before or edit.after
    ]


def _within(before: str, after: str) -> Iterator[Edit]:
    if max(len(before), len(after)) > MOST_CHARACTERS:
        yield Edit(before, after)
        return
    old, new = tokens(before), tokens(after)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    yield Edit(*("".join(old[:head]),) * 2)
    yield from _joined(_between(old[head : len(old) - tail], new[head : len(new) - tail]))
    yield Edit(*("".join(old[len(old) - tail :]),) * 2)


def _ends(before: str, after: str) -> tuple[int, int]:
    """How much of long texts is the same at the start and at the end, up to some words before the first change."""
    if max(len(before), len(after)) <= LONG:
        return 0, 0
    start = bisect(
        range(1, min(len(before), len(after)) + 1), 0, key=lambda size: before[:size] != after[:size]
    )
    start = _retreated(before, start)
    most = min(len(before), len(after)) - start
    end = bisect(range(1, most + 1), 0, key=lambda size: before[-size:] != after[-size:])
    return start, _retreated(before[::-1], end)


def _retreated(text: str, place: int) -> int:
    """A place up to some words before *place*, at white space if there is any."""
    least = max(0, place - AROUND)
    space = _BREAK.search(text, least, place)
    return space.start() + 1 if space else least


def _sums(found: Iterable[Edit]) -> Iterator[Edit]:
    """Neighbours that are the same, as one."""
    for same, several in groupby(found, key=lambda edit: edit.same):
        alike = list(several)
        yield from [_sum(alike)] if same else alike


def tokens(text: str) -> list[str]:
    """The words of *text*, the white space and the signs between them, in order; marks stay with their letter.

    >>> tokens("Don't stop, 世界")
    ["Don't", ' ', 'stop', ',', ' ', '世', '界']
    """
    if not text or max(text) < FIRST_MARK:
        return _TOKEN.findall(text)
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if found and _belongs(found[-1], token):
            found[-1] += token
        else:
            found.append(token)
    return found


def _belongs(before: str, token: str) -> bool:
    """Whether *token* goes on with what stands before it: a mark, something joined, a word that a mark cut in two."""
    last = before[-1]
    if last < FIRST_MARK and token[0] < FIRST_MARK:
        return False
    if _is_mark(token[0]) or last == JOINER:
        return not before.isspace()
    return (
        _is_mark(last) and before[0].isalnum() and token[0].isalnum() and not _UNSPACED.match(before + token)
    )


def _is_mark(character: str) -> bool:
    return character in (JOINER, "\u200c") or unicodedata.category(character)[0] == "M"


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """How many tokens are the same at the start."""
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _between(old: list[str], new: list[str]) -> Iterator[Edit]:
    if not old or not new or max(len(old), len(new)) > MOST_TOKENS:
        yield Edit("".join(old), "".join(new))
        return
    from rapidfuzz.distance import Indel

    start, other = 0, 0  # of the change that is not told yet
    for code in Indel.opcodes(old, new):
        if code.tag == "equal":
            yield from _change(old[start : code.src_start], new[other : code.dest_start])
            yield Edit(*("".join(old[code.src_start : code.src_end]),) * 2)
            start, other = code.src_end, code.dest_end
    yield from _change(old[start:], new[other:])


def _change(old: list[str], new: list[str]) -> Iterator[Edit]:
    """Word for word, where both have as many in the same places; else all of it as one, up to where both end alike."""
    even = len(old) == len(new) and all(
        one.isspace() == two.isspace() for one, two in zip(old, new, strict=True)
    )
    if even:
        yield from (Edit(one, two) for one, two in zip(old, new, strict=True))
        return
    end = _common(old[::-1], new[::-1])
    if old or new:
        yield Edit("".join(old[: len(old) - end]), "".join(new[: len(new) - end]))
        yield Edit(*("".join(old[len(old) - end :]),) * 2)


def _joined(found: Iterable[Edit]) -> Iterator[Edit]:
    """Changes with nothing but a space between them as one, unless each is a word spelled anew."""
    waiting: list[Edit] = []  # a change, and perhaps the space after it
    for edit in found:
        if edit.same and len(waiting) == 1 and edit.before.isspace():
            waiting.append(edit)
        elif edit.same:
            yield from (*waiting, edit)
            waiting = []
        elif len(waiting) == 2 and not (_is_even(waiting[0]) and _is_even(edit)):
            waiting = [_sum((*waiting, edit))]
        else:
            yield from waiting
            waiting = [edit]
    yield from waiting


def _is_even(edit: Edit) -> bool:
    """Whether one word stands for another that looks like it, or one white space for another."""
    from rapidfuzz.distance import Indel

    if not edit.before or not edit.after or any(map(str.isspace, edit.before + edit.after)):
        return edit.before.isspace() and edit.after.isspace()
    return Indel.normalized_similarity(edit.before, edit.after) >= ALIKE


def _sum(parts: Iterable[Edit]) -> Edit:
    together = list(parts)
    return Edit("".join(edit.before for edit in together), "".join(edit.after for edit in together))
