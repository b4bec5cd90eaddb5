"""Words written as Markdown: escaped where they would be read as syntax, and on as many lines as the source had."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

PUNCTUATION = r"!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~"

# Signs that nearly always mean something; the rest is escaped only where the light way did not do.
LIGHT = re.compile(
    rf"\\(?=[{PUNCTUATION}]|$)|`|(?<![\s])\*|\*(?!\s|$)|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)"
    r"|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=[\[(:])"
)
FULL = re.compile(r"[\\`*_{}\[\]<>$~|&^:!]")

BLOCK_START = re.compile(
    r"(?P<before>\d{1,9}(?=[.)](?:\s|$)))"
    r"|(?=[-+*](?:\s|$))|(?=\#{1,6}(?:\s|$))|(?=>)|(?=[-=]+\s*$)|(?=[-_*](?:\s*[-_*]){2,}\s*$)|(?=---)|(?=~{3})|(?=:{3})|(?=`{3})"
    r"|(?=[:~]\s)|(?=\+\+\+)|(?=%)|(?=\([^()\s]*\)=)|(?=\|)|(?=\$\$)|(?=\[[^\]]*\]:)|(?=!!!|\?\?\?)"
)


def light(text: str) -> str:
    """The words with a backslash before what would most likely be read as Markdown."""
    return LIGHT.sub(r"\\\g<0>", text)


def full(text: str) -> str:
    """The words with a backslash before all that could be read as Markdown."""
    return FULL.sub(r"\\\g<0>", text)


def line_start(text: str) -> str:
    """The words that begin a line with a backslash where they would begin a list, a heading or another block.

    >>> line_start("1. one"), line_start("- two"), line_start("three")
    ('1\\\\. one', '\\\\- two', 'three')
    """
    found = BLOCK_START.match(text)
    return text[: found.end()] + "\\" + text[found.end() :] if found else text


# ---- lines


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
    A diff so shows only the lines whose words changed.
    """
    tidy: list[Atom] = []  # without space at either end, at a shown break, or after other space
    for atom in atoms:
        if isinstance(atom, Space) and (not tidy or not isinstance(tidy[-1], str)):
            continue
        if isinstance(atom, Hard) and tidy and isinstance(tidy[-1], Space):
            tidy.pop()
        tidy.append(atom)
    while tidy and isinstance(tidy[-1], Space):
        tidy.pop()
    breaks = line_breaks(tidy, widths)
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


def line_breaks(atoms: Sequence[Atom], widths: Sequence[int]) -> set[int]:
    """At which spaces to break: where the lines of the source would end if it were as long.

    >>> line_breaks(["one", SPACE, "two", SPACE, "three"], [8, 5])
    {3}
    """
    wanted = len(widths) - 1 - sum(isinstance(atom, Hard) for atom in atoms)
    if wanted <= 0:
        return set()
    spaces: dict[int, int] = {}  # at which a line may end, and how many characters come before each
    length = 0
    for number, atom in enumerate(atoms):
        if isinstance(atom, Space):
            after = list(takewhile(lambda each: isinstance(each, str), atoms[number + 1 :]))
            is_last = number + 1 + len(after) == len(atoms)
            if not BLOCK_START.match("".join(map(str, after)) + ("" if is_last else " ")):
                spaces[number] = length
        length += len(atom) if isinstance(atom, str) else 1
    chosen: set[int] = set()
    passed = 0
    for width in widths[:-1]:
        passed += width
        goal = passed * length / max(sum(widths), 1)
        free = [number for number in spaces if number > max(chosen, default=-1)]
        if len(chosen) == wanted or not free:
            break
        chosen.add(min(free, key=lambda number: abs(spaces[number] - goal)))
    return chosen
