"""What a correction or another wording changed in texts: a table that shows it word by word, as HTML or plain text."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

import pandas as pd

from svc_nb.checks.text_array import as_texts
from svc_nb.columns.edits import Edit, edits
from svc_nb.errors import NoSuchColumn
from svc_nb.tabular.column import text_array
from svc_nb.tabular.report import EDGE_ROWS, MOST_ROWS, Report, plural

AROUND = 60
"""So much of what stayed is shown at either side of a change."""
LONGEST = 2_000
"""So many characters of a text are shown at most."""

# By line and weight as well as by colour; light enough to read dark and light text on.
REMOVED = "background: rgba(220, 38, 38, .16); padding: 0 1px; text-decoration: line-through"
ADDED = "background: rgba(22, 163, 74, .16); padding: 0 1px; text-decoration: underline; font-weight: 600"
CELL = "text-align: start; white-space: pre-wrap"

_SPACES = str.maketrans({" ": "·", "\n": "↵", "\r": "␍", "\t": "⇥", "\u00a0": "⍽", "\u202f": "⍽"})
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
_RIGHT_TO_LEFT = ("R", "AL")


class Pair(NamedTuple):
    """A row with the text before and after; *column* names where it stands, in a table of several."""

    label: Hashable
    column: Hashable
    before: str
    after: str


class Changes(Report):
    """The rows that changed: `before` and `after`, shown with what was taken out and what was put in.

    It is a DataFrame in all else. In plain text what was taken out stands in [-…-], what was put in stands in {+…+}.
    """

    def words(self) -> Report:
        """Each change and how often it was made, the most frequent first: `before, after, count, row` (the first)."""
        made: Counter[tuple[str, str]] = Counter()
        first: dict[tuple[str, str], Hashable] = {}
        for label, before, after in zip(self.index, self["before"], self["after"], strict=True):
            for edit in edits(before, after):
                if not edit.same:
                    made[edit] += 1
                    first.setdefault(edit, label)
        rows = [(*edit, count, first[edit]) for edit, count in made.most_common()]
        table = pd.DataFrame(rows, columns=["before", "after", "count", "row"], dtype=object)
        for side in SIDES:
            table[side] = text_array(table[side])
        return Report(table.astype({"count": "int64"}).infer_objects(), plural(made.total(), "change") + ".")

    def __repr__(self) -> str:
        return "\n".join([*self._plain(), self.said]).lstrip("\n")

    def _plain(self) -> Iterator[str]:
        for place in self._shown():
            yield "⋮" if place is None else f"{self._label(place)}: {plain(self._edits(place))}"
        if len(self):
            yield ""

    def _table(self) -> str:
        named = "column" in self.columns
        head = "".join(f"<th style='{CELL}'>{name}</th>" for name in ["", *["column"] * named, "changes"])
        body = "".join(self._line(place, named) for place in self._shown())
        return f"<table class='dataframe'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _line(self, place: int | None, named: bool) -> str:
        if place is None:
            return "<tr>" + f"<td style='{CELL}'>⋮</td>" * (2 + named) + "</tr>"
        labels = [self.index[place], *([self["column"].iloc[place]] if named else [])]
        cells = "".join(f"<td style='{CELL}'>{_safe(str(label))}</td>" for label in labels)
        return f"<tr>{cells}<td dir='auto' style='{CELL}'>{marked(self._edits(place))}</td></tr>"

    def _label(self, place: int) -> str:
        column = f" {self['column'].iloc[place]}" if "column" in self.columns else ""
        return _in_line(f"{self.index[place]}{column}")

    def _edits(self, place: int) -> list[Edit]:
        return edits(self["before"].iloc[place], self["after"].iloc[place])

    def _shown(self) -> list[int | None]:
        """The places of the rows to show; None for those left out between them."""
        count = len(self)
        if count <= MOST_ROWS:
            return list(range(count))
        return [*range(MOST_ROWS - EDGE_ROWS), None, *range(count - EDGE_ROWS, count)]


def changes(before: Any, after: Any) -> Changes:
    """What changed from *before* to *after*, two columns of texts that are compared row by row.

    Rows that did not change, and those with a gap at either side, are left out; the line below counts them.
    """
    return compared([_columns(None, before, after)])


def changes_of_columns(before: pd.DataFrame, after: pd.DataFrame) -> Changes:
    """What changed in the columns that *after* has, each under the name that it has in *before*."""
    if not isinstance(after, pd.DataFrame):
        raise TypeError(f"expected a frame of changed texts, found {type(after).__name__}")
    for name in after.columns:
        if any((frame.columns == name).sum() != 1 for frame in (before, after)):
            raise NoSuchColumn(f"expected one column {name!r} on both sides, found none or several on one")
    return compared(_columns(name, before[name], after[name]) for name in after.columns)


Columns = tuple[Hashable, Iterable[Hashable], Sequence[Any], Sequence[Any]]


def _columns(name: Hashable, before: Any, after: Any) -> Columns:
    old, new = as_texts(before, "before"), as_texts(after, "after")
    if len(old) != len(new):
        raise ValueError(
            f"expected as many changed texts as texts, found {len(old):,} texts and {len(new):,} changed ones"
        )
    if isinstance(before, pd.Series) and isinstance(after, pd.Series) and not old.index.equals(new.index):
        raise ValueError(
            "the two columns have different row labels; put them in the same order and use "
            "after.set_axis(before.index) to compare them by position"
        )
    return name, old.index, old.tolist(), new.tolist()


def compared(columns: Iterable[Columns]) -> Changes:
    """The same for columns of a frame, each with its name, its labels, and the texts before and after."""
    pairs: list[Pair] = []
    rows = gaps = 0
    names = []
    for name, labels, old, new in columns:
        names.append(name)
        rows += len(old)
        for label, before, after in zip(labels, old, new, strict=True):
            if not isinstance(before, str) or not isinstance(after, str):
                gaps += 1
            elif before != after:
                pairs.append(Pair(label, name, before, after))
    return _table(pairs, _said(len(pairs), rows, gaps), named=names != [None])


def _table(pairs: list[Pair], said: str, *, named: bool) -> Changes:
    index = pd.Index([pair.label for pair in pairs], tupleize_cols=False, dtype=None if pairs else object)
    frame = pd.DataFrame({side: text_array([getattr(pair, side) for pair in pairs]) for side in SIDES})
    frame.index = index
    if named:
        frame.insert(0, "column", pd.Series([pair.column for pair in pairs], index=index, dtype=object))
    return Changes(frame, said)


SIDES = ("before", "after")


def _said(changed: int, rows: int, gaps: int) -> str:
    left = f"; {plural(gaps, 'row')} had nothing to compare" if gaps else ""
    return f"{changed:,} of {plural(rows, 'text')} changed{left}."


# ---- one text


def plain(stretches: Sequence[Edit]) -> str:
    """The text in one line, with what was taken out in [-…-] and what was put in in {+…+}.

    >>> plain([Edit("I ", "I "), Edit("recieve", "receive")])
    'I [-recieve-]{+receive+}'
    """
    return _shown(
        stretches, _in_line, lambda text: f"[-{_apart(text)}-]", lambda text: f"{{+{_apart(text)}+}}"
    )


def marked(stretches: Sequence[Edit]) -> str:
    """The same in HTML; all of the text is escaped."""
    return _shown(
        stretches,
        _safe,
        lambda text: f"<del dir='auto' style='{REMOVED}'>{_safe(_spaced(text))}</del>",
        lambda text: f"<ins dir='auto' style='{ADDED}'>{_safe(_spaced(text))}</ins>",
    )


Write = Callable[[str], str]


def _shown(stretches: Sequence[Edit], same: Write, removed: Write, added: Write) -> str:
    pieces: list[str] = []
    room = LONGEST
    for place, edit in enumerate(stretches):
        if room <= 0:
            pieces.append("…")
            break
        if edit.same:
            text = _shortened(edit.before, first=place == 0, last=place == len(stretches) - 1)
            pieces.append(same(text))
            room -= len(text)
            continue
        for text, write in ((_cut(edit.before, room), removed), (_cut(edit.after, room), added)):
            if text:
                pieces.append(write(text))
                room -= len(text)
    return "".join(pieces)


def _cut(text: str, room: int) -> str:
    most = max(room, AROUND)
    return text if len(text) <= most else text[: most - 1] + "…"


def _shortened(text: str, *, first: bool, last: bool) -> str:
    """What stayed, with the middle left out where it is long: only what stands beside a change is of interest."""
    head, tail = (0 if first else AROUND), (0 if last else AROUND)
    if len(text) <= head + tail + AROUND:
        return text
    return text[:head] + "…" + text[len(text) - tail :]


def _safe(text: str) -> str:
    return escape(visible(text))


def visible(text: str) -> str:
    """*text* without what a terminal or a browser obeys in place of showing it: controls, turns of direction."""
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def _in_line(text: str) -> str:
    return visible(text.replace("\n", "↵"))


def _spaced(text: str) -> str:
    """White space that changed, as signs: nobody would see it."""
    return text.translate(_SPACES) if text.isspace() else text


def _apart(text: str) -> str:
    """*text* to be marked in plain text; what runs from right to left keeps the marks at its ends."""
    shown = _in_line(_spaced(text))
    turned = any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in shown)
    return f"\u2068{shown}\u2069" if turned else shown
