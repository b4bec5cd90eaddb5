"""Whether stretches in another order still hold together: tags in each other as they were, arms with what was in them.

Elements are told apart by how they are opened and which elements they are in; so are tags that nothing opens or closes.
Those that never are closed, such as `<br>`, may go anywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from svc_nb.columns.protection import messages
from svc_nb.columns.protection.spans import Span
from svc_nb.columns.protection.tags import Mark, marks
from svc_nb.engine.split import VOID

Tree = Counter[tuple[int, str]]

_TOP = 0


def alike(stretches: Sequence[str], moved: Sequence[str]) -> bool:
    """Whether the tags in *moved* are nested as those in *stretches*, the same in another order."""
    found = {stretch: marks(stretch) for stretch in {*stretches} if "<" in stretch or "]]>" in stretch}
    if not any(found.values()):
        return True
    numbers: dict[tuple[int, str], int] = {}
    before, after = (
        _tree([*chain.from_iterable(found.get(each, ()) for each in order)], numbers)
        for order in (stretches, moved)
    )
    return before == after


def in_their_arms(text: str, stretches: Sequence[Span], order: Iterable[int]) -> bool:
    """Whether the *stretches* of *text* in this *order* are each in the arm of a plural or a choice where they were."""
    arms = _arms(text, stretches)
    arm = _TOP
    for number in order:
        before, behind = arms.get(number, (_TOP, _TOP))
        if before != arm:
            return False
        arm = behind
    return True


def _arms(text: str, stretches: Sequence[Span]) -> Mapping[int, tuple[int, int]]:
    """The innermost brace that is open before and behind each stretch, by number; none where it is none."""
    braces = messages.braces(text)
    opened, count, at = [_TOP], 0, 0
    arms: dict[int, tuple[int, int]] = {}
    for number, (start, end) in enumerate(stretches if braces else ()):
        before = opened[-1]
        while at < len(braces) and braces[at] < end:
            place, at = braces[at], at + 1
            if place < start:  # it is not protected
                continue
            if text[place] == "{":
                count += 1
                opened.append(count)
            elif len(opened) > 1:
                opened.pop()
        arms[number] = before, opened[-1]
    return arms


def _tree(tags: Sequence[Mark], numbers: dict[tuple[int, str], int]) -> Tree:
    """How often each tag stands in each element; *numbers* are those of elements, by what they are in and their tag."""
    closed = _pairs(tags)
    closing = {*closed.values()}
    tree: Tree = Counter()
    inside = [_TOP]
    for place, tag in enumerate(tags):
        if place in closing:
            inside.pop()
            continue
        element = inside[-1], tag.written
        if place in closed or tag.name not in VOID:
            tree[element] += 1
        if place in closed:
            inside.append(numbers.setdefault(element, len(numbers) + 1))
    return tree


def _pairs(tags: Sequence[Mark]) -> dict[int, int]:
    """Which tag is closed by which, by their places."""
    opened: list[int] = []
    open_now: Counter[str] = Counter()
    pairs: dict[int, int] = {}
    for place, tag in enumerate(tags):
        if tag.opens:
            opened.append(place)
            open_now[tag.name] += 1
        elif open_now[tag.name]:
            while tags[last := opened.pop()].name != tag.name:
                open_now[tags[last].name] -= 1  # it is never closed
            open_now[tag.name] -= 1
            pairs[last] = place
    return pairs
