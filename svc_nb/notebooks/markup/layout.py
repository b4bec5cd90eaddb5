"""Words broken into as many lines as the source had, so that a diff shows the lines whose words changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from svc_nb.notebooks.markup.syntax import begins_block


@dataclass(frozen=True)
class Hard:
    """A line break that is shown, with the signs before the line's end that make it one."""

    signs: str


class Space:
    """A space, at which a line may end."""


SPACE = Space()
Atom = str | Space | Hard


def lines(atoms: Sequence[Atom], widths: Sequence[int], start: Callable[[str], str]) -> list[str]:
    """The atoms as lines, at most as many as there are *widths*, each about as long in proportion.

    Lines begin with *start* of what stands there; where the words before a break are too few, there are fewer lines.
    """
    tidy = _tidied(atoms)
    breaks = _breaks(tidy, widths)
    done = [""]
    for number, atom in enumerate(tidy):
        if isinstance(atom, Hard):
            done[-1] = done[-1].rstrip(" ") + atom.signs
            done.append("")
        elif isinstance(atom, Space):
            done = [*done, ""] if number in breaks else [*done[:-1], done[-1] + " "]
        else:
            done[-1] += atom
    return [start(line) for line in done]


def _tidied(atoms: Sequence[Atom]) -> list[Atom]:
    """The atoms without space at either end, at a shown break, or after other space."""
    tidy: list[Atom] = []
    for atom in atoms:
        if isinstance(atom, Space) and (not tidy or not isinstance(tidy[-1], str)):
            continue
        if isinstance(atom, Hard) and tidy and isinstance(tidy[-1], Space):
            tidy.pop()
        tidy.append(atom)
    while tidy and isinstance(tidy[-1], Space):
        tidy.pop()
    return tidy


def _breaks(atoms: Sequence[Atom], widths: Sequence[int]) -> set[int]:
    """At which spaces to break: where the lines of the source would end if it were as long."""
    wanted = len(widths) - 1 - sum(isinstance(atom, Hard) for atom in atoms)
    if wanted <= 0:
        return set()
    places = _places(atoms)
    length = sum(len(atom) if isinstance(atom, str) else 1 for atom in atoms)
    chosen: set[int] = set()
    passed = 0
    for width in widths[:-1]:
        passed += width
        goal = passed * length / max(sum(widths), 1)
        free = [number for number in places if number not in chosen and number > max(chosen, default=-1)]
        if len(chosen) == wanted or not free:
            break
        chosen.add(min(free, key=lambda number: abs(places[number] - goal)))
    return chosen


def _places(atoms: Sequence[Atom]) -> dict[int, int]:
    """The spaces at which a line may end, and how many characters come before each."""
    found: dict[int, int] = {}
    passed = 0
    for number, atom in enumerate(atoms):
        if isinstance(atom, Space) and not begins_block("".join(_words_after(atoms, number))):
            found[number] = passed
        passed += len(atom) if isinstance(atom, str) else 1
    return found


def _words_after(atoms: Sequence[Atom], number: int) -> list[str]:
    after: list[str] = []
    for atom in atoms[number + 1 :]:
        if not isinstance(atom, str):
            return [*after, " "]
        after.append(atom)
    return after
