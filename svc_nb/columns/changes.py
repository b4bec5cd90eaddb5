"""What a correction changed in texts, word by word (by character where there are no spaces), and a table of it."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from html import escape
from itertools import groupby, takewhile
from typing import Any, NamedTuple

import pandas as pd
from pandas.api.types import is_object_dtype

from svc_nb.checks.text_array import aligned
from svc_nb.errors import NoSuchColumn
from svc_nb.tabular.report import EDGE_ROWS, MOST_ROWS, Report, plural
from svc_nb.tabular.text_column import text_array

AROUND = 60
"""How much unchanged text is shown on either side of a change."""
LONGEST = 2_000
"""How many characters of a text are shown at most."""

MOST_TOKENS = 10_000
MOST_CHARACTERS = 200_000
"""If the first and the last change are further apart than this, everything between them counts as one change."""
LONG = 2_000
SEARCHED_AROUND = 200
"""Of longer texts, only the part between the changes is compared, with this much before and after it."""

# Scripts without spaces between words: Thai to Khmer, Chinese characters, kana.
_NO_SPACES = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_UNSPACED = re.compile(f"[{_NO_SPACES}]")
_TOKEN = re.compile(rf"[^\W{_NO_SPACES}]++(?:['’‑-][^\W{_NO_SPACES}]++)*+|\s++|(?s:.)")
ALIKE = 0.5
"""From this similarity on, one word counts as a new spelling of the other."""
_BREAK = re.compile(r"\S(?=\s)")
FIRST_MARK = "\u0300"
JOINER = "\u200d"

# Not by colour alone; the colours are light enough for dark and light text.
REMOVED = "background: rgba(220, 38, 38, .16); padding: 0 1px; text-decoration: line-through"
ADDED = "background: rgba(22, 163, 74, .16); padding: 0 1px; text-decoration: underline; font-weight: 600"
CELL = "text-align: start; white-space: pre-wrap"
SIDES = ("before", "after")

_SPACES = str.maketrans({" ": "·", "\n": "↵", "\r": "␍", "\t": "⇥", "\u00a0": "⍽", "\u202f": "⍽"})
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff\ufff9-\ufffb"
    r"\ufffe\uffff\ud800-\udfff]|(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0000-\U000e007f]++"
)
_RIGHT_TO_LEFT = ("R", "AL")


class Changes(Report):
    """The rows that changed: `before` and `after`, shown with deletions and insertions marked.

    In all other respects it is a DataFrame. In plain text, deletions are in [-…-] and insertions in {+…+}.
    """

    def words(self) -> Report:
        """Each change and its frequency, the most frequent first: `before, after, count, row` (its first row)."""
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
        lines = []
        for place in self._shown():
            if place is None:
                lines.append("⋮")
                continue
            column = f" {self['column'].iloc[place]}" if "column" in self.columns else ""
            lines.append(f"{_in_line(f'{self.index[place]}{column}')}: {plain(self._edits(place))}")
        return "\n".join([*lines, *[""] * bool(lines), self.said])

    def _table(self) -> str:
        named = "column" in self.columns
        head = "".join(f"<th style='{CELL}'>{name}</th>" for name in ["", *["column"] * named, "changes"])
        body = ""
        for place in self._shown():
            if place is None:
                body += "<tr>" + f"<td style='{CELL}'>⋮</td>" * (2 + named) + "</tr>"
                continue
            labels = [self.index[place], *([self["column"].iloc[place]] if named else [])]
            cells = "".join(f"<td style='{CELL}'>{_safe(str(label))}</td>" for label in labels)
            body += f"<tr>{cells}<td dir='auto' style='{CELL}'>{marked(self._edits(place))}</td></tr>"
        return f"<table class='dataframe'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _edits(self, place: int) -> list[Edit]:
        return edits(self["before"].iloc[place], self["after"].iloc[place])

    def _shown(self) -> list[int | None]:
        """The positions of the rows to show; None for those left out between them."""
        count = len(self)
        if count <= MOST_ROWS:
            return list(range(count))
        return [*range(MOST_ROWS - EDGE_ROWS), None, *range(count - EDGE_ROWS, count)]


def changes(before: Any, after: Any) -> Changes:
    """What changed from *before* to *after*, two columns of texts that are compared row by row.

    Rows that did not change, or that are missing on either side, are left out; the line below counts them.
    """
    return compared([_columns(None, before, after)])


def changes_of_columns(before: pd.DataFrame, after: pd.DataFrame) -> Changes:
    """What changed in the columns of *after*, each compared with the column of the same name in *before*."""
    if not isinstance(after, pd.DataFrame):
        raise TypeError(f"expected a frame of changed texts, found {type(after).__name__}")
    for name in after.columns:
        if any((frame.columns == name).sum() != 1 for frame in (before, after)):
            raise NoSuchColumn(f"expected one column {name!r} on both sides, found none or several on one side")
    return compared(_columns(name, before[name], after[name]) for name in after.columns)


Columns = tuple[Hashable, Iterable[Hashable], Sequence[Any], Sequence[Any]]


def _columns(name: Hashable, before: Any, after: Any) -> Columns:
    old, new = aligned(_bytes_as_literals(before), _bytes_as_literals(after), "before", "after")
    return name, old.index, old.tolist(), new.tolist()


def _bytes_as_literals(column: Any) -> Any:
    """*column* with cells of bytes as Python literals, b'caf\\xc3\\xa9', so that they can be compared with texts."""
    if not isinstance(column, pd.Series | pd.Index) or not is_object_dtype(column.dtype):
        return column
    cells = [str(cell) if isinstance(cell, bytes) else cell for cell in column.tolist()]
    return pd.Series(cells, index=column.index if isinstance(column, pd.Series) else None, dtype=object)


def compared(columns: Iterable[Columns]) -> Changes:
    """Like `changes`, for columns of a frame, each with its name, its labels, and the texts before and after."""
    changed: list[tuple[Hashable, Hashable, str, str]] = []  # the row's label, the column's name, before and after
    rows = gaps = 0
    names = []
    for name, labels, old, new in columns:
        names.append(name)
        rows += len(old)
        for label, before, after in zip(labels, old, new, strict=True):
            if not isinstance(before, str) or not isinstance(after, str):
                gaps += 1
            elif before != after:
                changed.append((label, name, before, after))
    frame = pd.DataFrame({side: text_array([row[place] for row in changed]) for place, side in enumerate(SIDES, 2)})
    frame.index = pd.Index([row[0] for row in changed], tupleize_cols=False, dtype=None if changed else object)
    if names != [None]:
        frame.insert(0, "column", pd.Series([row[1] for row in changed], index=frame.index, dtype=object))
    left = f"; {plural(gaps, 'row')} had nothing to compare" if gaps else ""
    return Changes(frame, f"{len(changed):,} of {plural(rows, 'text')} changed{left}.")


# ---- one text


def plain(stretches: Sequence[Edit]) -> str:
    """The text in one line, with deletions in [-…-] and insertions in {+…+}.

    >>> plain([Edit("I ", "I "), Edit("recieve", "receive")])
    'I [-recieve-]{+receive+}'
    """
    return _shown(stretches, _in_line, lambda text: f"[-{_apart(text)}-]", lambda text: f"{{+{_apart(text)}+}}")


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
            # Only the text beside a change is of interest: a long middle is left out.
            text = edit.before
            head, tail = AROUND * (place > 0), AROUND * (place < len(stretches) - 1)
            if len(text) > head + tail + AROUND:
                text = text[:head] + "…" + text[len(text) - tail :]
            pieces.append(same(text))
            room -= len(text)
            continue
        sides = spelled(edit.before, edit.after), spelled(edit.after, edit.before)
        for text, write in ((_cut(sides[0], room), removed), (_cut(sides[1], room), added)):
            if text:
                pieces.append(write(text))
                room -= len(text)
    return "".join(pieces)


def _cut(text: str, room: int) -> str:
    most = max(room, AROUND)
    return text if len(text) <= most else text[: most - 1] + "…"


def _safe(text: str) -> str:
    return escape(visible(text))


def visible(text: str) -> str:
    """*text* without characters that a terminal or browser obeys instead of showing: controls, changes of direction."""
    return _UNSEEN.sub(lambda found: "".join(f"⟨U+{ord(letter):04X}⟩" for letter in found[0]), text)


def spelled(text: str, other: str) -> str:
    r"""*text* with its combining marks as code points, if it looks like *other* but is in another normal form.

    >>> spelled("cafe\u0301", "café"), spelled("café", "cafe\u0301")
    ('cafe⟨U+0301⟩', 'café')
    """
    if text == other or unicodedata.normalize("NFC", text) != unicodedata.normalize("NFC", other):
        return text
    return "".join(f"⟨U+{ord(each):04X}⟩" if unicodedata.combining(each) else each for each in text)


def _in_line(text: str) -> str:
    return visible(text.replace("\n", "↵"))


def _spaced(text: str) -> str:
    """White space that changed, as visible signs."""
    return text.translate(_SPACES) if text.isspace() else text


def _apart(text: str) -> str:
    """*text* isolated for marks in plain text, so that right-to-left text keeps them at its ends."""
    shown = _in_line(_spaced(text))
    turned = any(unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT for letter in shown)
    return f"\u2068{shown}\u2069" if turned else shown


# ---- what changed between two wordings of a text


class Edit(NamedTuple):
    """A stretch of both wordings: the text before and after."""

    before: str
    after: str

    @property
    def same(self) -> bool:
        """Whether nothing changed here."""
        return self.before == self.after


def edits(before: str, after: str) -> list[Edit]:
    """The stretches of two wordings, in order: joined, their sides are *before* and *after*.

    >>> edits("I recieve it", "I receive it")
    [Edit(before='I ', after='I '), Edit(before='recieve', after='receive'), Edit(before=' it', after=' it')]
    """
    if before == after:
        return [Edit(before, after)] if before else []
    start, end = _ends(before, after)
    head, tail = before[:start], before[len(before) - end :]
    middle = _within(before[start : len(before) - end], after[start : len(after) - end])
    found: list[Edit] = []
    # Adjacent unchanged stretches become one.
    for same, several in groupby([Edit(head, head), *middle, Edit(tail, tail)], key=lambda edit: edit.same):
        alike = list(several)
        found += [_sum(alike)] if same else alike
    return [edit for edit in found if edit.before or edit.after]


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
    start = bisect(range(1, min(len(before), len(after)) + 1), 0, key=lambda size: before[:size] != after[:size])
    start = _retreated(before, start)
    most = min(len(before), len(after)) - start
    end = bisect(range(1, most + 1), 0, key=lambda size: before[-size:] != after[-size:])
    return start, _retreated(before[::-1], end)


def _retreated(text: str, place: int) -> int:
    """A position up to some words before *place*, at white space if there is any."""
    least = max(0, place - SEARCHED_AROUND)
    space = _BREAK.search(text, least, place)
    return space.start() + 1 if space else least


def tokens(text: str) -> list[str]:
    """The words of *text* and the white space and signs between them, in order; marks stay with their letter.

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
    """Whether *token* continues the one before it: a mark, something joined, a word that a mark cut in two."""
    last = before[-1]
    if last < FIRST_MARK and token[0] < FIRST_MARK:
        return False
    if _is_mark(token[0]) or last == JOINER:
        return not before.isspace()
    return _is_mark(last) and before[0].isalnum() and token[0].isalnum() and not _UNSPACED.match(before + token)


def _is_mark(character: str) -> bool:
    return character in (JOINER, "\u200c") or unicodedata.category(character)[0] == "M"


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """How many tokens are the same at the start."""
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(old, new, strict=False)))


def _between(old: list[str], new: list[str]) -> Iterator[Edit]:
    if not old or not new or max(len(old), len(new)) > MOST_TOKENS:
        yield Edit("".join(old), "".join(new))
        return
    from rapidfuzz.distance import Indel

    start, other = 0, 0  # of the change that is not yielded yet
    for code in Indel.opcodes(old, new):
        if code.tag == "equal":
            yield from _change(old[start : code.src_start], new[other : code.dest_start])
            yield Edit(*("".join(old[code.src_start : code.src_end]),) * 2)
            start, other = code.src_end, code.dest_end
    yield from _change(old[start:], new[other:])


def _change(old: list[str], new: list[str]) -> Iterator[Edit]:
    """Word for word if both sides have the same number in the same places; else as one change, up to a common end."""
    even = len(old) == len(new) and all(one.isspace() == two.isspace() for one, two in zip(old, new, strict=True))
    if even:
        yield from (Edit(one, two) for one, two in zip(old, new, strict=True))
        return
    end = _common(old[::-1], new[::-1])
    if old or new:
        yield Edit("".join(old[: len(old) - end]), "".join(new[: len(new) - end]))
        yield Edit(*("".join(old[len(old) - end :]),) * 2)


def _joined(found: Iterable[Edit]) -> Iterator[Edit]:
    """Changes with only a space between them as one, unless each is a new spelling of a word."""
    waiting: list[Edit] = []  # a change, and the space after it if there is one
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
    """Whether a word replaces a similar one, or white space replaces white space."""
    from rapidfuzz.distance import Indel

    if not edit.before or not edit.after or any(map(str.isspace, edit.before + edit.after)):
        return edit.before.isspace() and edit.after.isspace()
    return Indel.normalized_similarity(edit.before, edit.after) >= ALIKE


def _sum(parts: Iterable[Edit]) -> Edit:
    together = list(parts)
    return Edit("".join(edit.before for edit in together), "".join(edit.after for edit in together))
