"""Letters put together to lines of writing, in one direction, whatever order they were drawn in."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from .glyphs import Glyph, Look, Rule, along

_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_MARKER = re.compile(
    r"\s*(?:[•‣◦▪▫■□●○◆◇►▶➢✓✔–—*·■-]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)]|\d{1,2}(?:\.\d{1,2}){1,3}\.?)\s+(?=\S)"
)
_NUMBER = re.compile(r"\d{1,3} (?=\S)")
_LEADER = re.compile(r"(?:[.·…_]\s?){5,}")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")


@dataclass(slots=True)
class Line:
    """Letters on one baseline, in reading order; *marked* if it follows a bullet or a number."""

    glyphs: list[Glyph]
    marked: bool = False
    companions: bool = False
    u0: float = field(init=False)
    u1: float = field(init=False)
    v: float = field(init=False)
    look: Look = field(init=False)

    def __post_init__(self) -> None:
        self.u0 = min(glyph.u0 for glyph in self.glyphs)
        self.u1 = max(glyph.u1 for glyph in self.glyphs)
        looks = Counter(glyph.look for glyph in self.glyphs if glyph.char != " ") or Counter([self.glyphs[0].look])
        self.look = looks.most_common(1)[0][0]
        self.v = Counter(round(glyph.v, 1) for glyph in self.glyphs if glyph.look == self.look).most_common(1)[0][0]

    @property
    def leads(self) -> bool:
        """Whether it is but dots that lead the eye to a page number."""
        return _LEADER.fullmatch(self.text) is not None

    @property
    def size(self) -> float:
        """How large most of its letters are."""
        return self.look.size

    @property
    def text(self) -> str:
        """Its letters."""
        return "".join(glyph.char for glyph in self.glyphs)


@dataclass(frozen=True, slots=True)
class Rules:
    """The drawn lines of a page, turned into the direction of the text; sorted for quick questions."""

    upright: list[tuple[float, float, float]]
    level: list[tuple[float, float, float, int]]

    @classmethod
    def at(cls, angle: float, rules: Iterable[Rule]) -> Rules:
        """Turn *rules*; at odd angles there are none."""
        upright, level = [], []
        for rule in () if angle % 90 else rules:
            (a, b), (c, d) = along(angle, rule.x0, rule.y0), along(angle, rule.x1, rule.y1)
            u0, u1, v0, v1 = min(a, c), max(a, c), min(b, d), max(b, d)
            if v1 - v0 > u1 - u0:
                upright.append(((u0 + u1) / 2, v0, v1))
            else:
                level.append(((v0 + v1) / 2, u0, u1, rule.drawn))
        return cls(sorted(upright), sorted(level))

    def beside(self, left: float, right: float, v: float) -> Iterator[float]:
        """Yield where lines stand between *left* and *right* at the height *v*."""
        for u, v0, v1 in self.upright[bisect_left(self.upright, (left, 0.0, 0.0)) :]:
            if u > right:
                break
            if v0 <= v <= v1:
                yield u

    def across(self, low: float, high: float, u0: float, u1: float) -> Iterator[tuple[float, float, float, int]]:
        """Yield the lines at heights from *low* to *high* that cover some of *u0* to *u1*."""
        for rule in self.level[bisect_left(self.level, (low, 0.0, 0.0, 0)) :]:
            if rule[0] > high:
                break
            if rule[1] < u1 - 1 and rule[2] > u0 + 1:
                yield rule


def lines(glyphs: Sequence[Glyph], rules: Rules) -> list[Line]:
    """Return the lines that *glyphs* make, from top to bottom and left to right."""
    rows = _rows(_strokes(glyphs, rules), rules)
    found = [part for row in rows for part in _parted(_spaced(row))]
    found = [line for line in found if line.text.strip()]
    found.sort(key=lambda line: (-line.v, line.u0))
    _accompany(found)
    return found


def _strokes(glyphs: Sequence[Glyph], rules: Rules) -> list[list[Glyph]]:
    """Cut the letters, as they were drawn, wherever the next is not beside the one before."""
    strokes: list[list[Glyph]] = []
    for glyph in glyphs:
        glyph.char = _LIGATURES.get(glyph.char, glyph.char)
        if strokes and _follows(strokes[-1][-1], glyph, rules):
            strokes[-1].append(glyph)
        else:
            strokes.append([glyph])
    return _undoubled([stroke for stroke in strokes if any(not glyph.char.isspace() for glyph in stroke)])


def _follows(before: Glyph, glyph: Glyph, rules: Rules) -> bool:
    size = max(before.look.size, glyph.look.size)
    gap = glyph.u0 - before.u1
    if _RIGHT_TO_LEFT.match(before.char + glyph.char) or before.char == " ":
        gap = max(gap, before.u0 - glyph.u1)
    together = before.drawn == glyph.drawn
    widest, closest = (2.0, -1.3) if together and glyph.u0 >= before.u0 - 0.01 else (0.8, -0.4)  # a ligature is one box
    lowered = 0.12 if gap > 0.3 * size or before.look.size == glyph.look.size else 0.55
    return (
        closest * size < gap < widest * size
        and glyph.u0 > before.u0 - 0.4 * size - (1e9 if _RIGHT_TO_LEFT.match(glyph.char) else 0)
        and abs(glyph.v - before.v) <= lowered * size
        and not any(rules.beside(before.u1 - 0.5, glyph.u0 + 0.5, glyph.v + 0.2 * size))
    )


def _undoubled(strokes: list[list[Glyph]]) -> list[list[Glyph]]:
    """Join strokes that were drawn twice, a trifle apart, to look bold."""
    seen: dict[tuple[str, int, int], list[Glyph]] = {}
    kept = []
    for stroke in strokes:
        text = "".join(glyph.char for glyph in stroke)
        first = stroke[0]
        places = [(text, round(first.u0 / 2) + du, round(first.v / 2) + dv) for du in (0, -1, 1) for dv in (0, -1, 1)]
        twin = next((seen[place] for place in places if place in seen), None)
        if twin is None:
            seen[places[0]] = stroke
            kept.append(stroke)
        else:  # its drawing goes when the other goes
            twin.append(replace(first, char="", u0=twin[-1].u1, u1=twin[-1].u1, v=twin[-1].v, look=twin[-1].look))
    return kept


def _rows(strokes: list[list[Glyph]], rules: Rules) -> list[list[Glyph]]:
    """Join strokes that stand side by side on one baseline."""
    strokes.sort(key=lambda stroke: (-stroke[0].v, stroke[0].u0))
    rows: list[list[Glyph]] = []
    for group in _level(strokes):
        group.sort(key=lambda stroke: min(glyph.u0 for glyph in stroke))
        row: list[Glyph] = []
        for stroke in group:
            if row and _joins(row, stroke, rules):
                row = _in_order(row, stroke)
            else:
                rows.append(row)
                row = stroke
        rows.append(row)
    return [row for row in rows if row]


def _level(strokes: list[list[Glyph]]) -> Iterator[list[list[Glyph]]]:
    """Yield the strokes of each baseline."""
    group: list[list[Glyph]] = []
    for stroke in strokes:
        if group and group[0][0].v - stroke[0].v > 0.15 * group[0][0].look.size:
            yield group
            group = []
        group.append(stroke)
    if group:
        yield group


def _joins(row: list[Glyph], stroke: list[Glyph], rules: Rules) -> bool:
    right = max(glyph.u1 for glyph in row)
    left = min(glyph.u0 for glyph in stroke)
    size = max(row[-1].look.size, stroke[0].look.size)
    between = rules.beside(right - 0.5, left + 0.5, stroke[0].v + 0.2 * size)
    return -0.3 * size < left - right < 0.8 * size and not any(between)


def _in_order(row: list[Glyph], stroke: list[Glyph]) -> list[Glyph]:
    both = [glyph.char for glyph in (*row, *stroke) if glyph.char.isalpha()]
    turned = sum(bool(_RIGHT_TO_LEFT.match(char)) for char in both)
    return stroke + row if turned > len(both) / 2 else row + stroke


def _spaced(row: list[Glyph]) -> list[Glyph]:
    """Put spaces where there is room for one, and leave out doubled ones."""
    done: list[Glyph] = []
    for glyph in row:
        before = done[-1] if done else None
        if before is not None and not glyph.char.isspace() and not before.char.isspace():
            gap = max(glyph.u0 - before.u1, before.u0 - glyph.u1)
            if gap > 0.17 * max(glyph.look.size, before.look.size) and not _is_wide(before.char + glyph.char):
                done.append(replace(before, char=" ", u0=before.u1, u1=glyph.u0))
        if glyph.char.isspace():
            glyph.char = " "
            if before is None or before.char == " ":
                continue
        done.append(glyph)
    while done and done[-1].char == " ":
        done.pop()
    return done


def _is_wide(pair: str) -> bool:
    return all("\u2e80" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in pair)


def _parted(row: list[Glyph]) -> Iterator[Line]:
    """Cut a bullet or number off the start of a line, and the dots that lead to a page number out of it."""
    text = "".join(glyph.char[:1] or "\x00" for glyph in row)
    cuts, marked = [0], False
    marker = _MARKER.match(text) or _wide_marker(row, text)
    if marker and any(char.isalpha() for char in text[marker.end() :]):
        cuts.append(marker.end())
        marked = True
    for leader in _LEADER.finditer(text, cuts[-1]):
        cuts += [leader.start(), leader.end()]
    for number, (start, end) in enumerate(zip(cuts, [*cuts[1:], len(row)], strict=True)):
        part = row[start:end]
        while part and part[-1].char == " ":
            part.pop()
        if part:
            yield Line(part, marked=marked and number == 1)


def _wide_marker(row: list[Glyph], text: str) -> re.Match[str] | None:
    """Return a bare number at the start of a line that has more than a space after it."""
    number = _NUMBER.match(text)
    if number is None or number.end() == len(row):
        return None
    before, after = row[number.end() - 2], row[number.end()]
    return number if after.u0 - before.u1 > 0.5 * before.look.size else None


def _accompany(found: list[Line]) -> None:
    """Note which lines have others beside them on the same baseline, and which follow a bullet that is drawn apart."""
    for before, line in itertools.pairwise(found):
        if before.v - line.v < 0.2 * line.size:
            marker = _MARKER.match(before.text + " x")
            if marker is None:
                before.companions = line.companions = True
            elif marker.end() == len(before.text) + 1 and 0 < line.u0 - before.u1 < 4 * line.size:
                line.marked = True
