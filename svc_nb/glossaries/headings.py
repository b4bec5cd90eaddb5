"""The meaning of the headings of a glossary's columns, and which rows of a file they are.

A heading names a column of the tidy table (`source`, `target`, …), a language, or something else that stays with its
row. `headings.json` has these words in the languages that people use for headings; the names of languages are in
`svc_nb.language_codes`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any

from svc_nb.language_codes import CODE, LONGEST, WITH_MORE, folded, tag_of
from svc_nb.tabular.cells import UNSEEN
from svc_nb.tabular.report import named, short
from svc_nb.tabular.terms import code_of, language_of, variant_of

_WORDS: Mapping[str, list[str]] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
COMMENTS = frozenset(map(folded, _WORDS["comment"]))
NAMES = {
    folded(word): name for name in ("source_lang", "target_lang", "source", "target", "term") for word in _WORDS[name]
}
# Words that may accompany a language in a heading, and the side they name, if any.
SIDES = {
    folded(word): name if name in ("source", "target") else ""
    for name in ("language", "term", "source", "target")
    for word in _WORDS[name]
}
_LONGEST_FIRST = sorted(map(re.escape, SIDES), key=len, reverse=True)
_SPACED = "|".join(word for word in _LONGEST_FIRST if word < "\u1100")
# In Chinese, Japanese and Korean there need not be anything between the two.
_UNSPACED = "|".join(word for word in _LONGEST_FIRST if word >= "\u1100")
# "Source (en)", "Term EN", "target_de", "término en inglés", "перевод на русский", and "English term"
SIDE_FIRST = re.compile(
    rf"(?:({_SPACED})(?:[\s:.-]+|(?=[(\[]))|({_UNSPACED})[\s:.-]*)[(\[]?"
    r"(?:(?:all|vers l)'|(?:en|in|into|to|auf|ins|em|al|para(?: o)?|vers|na|naar|на)\s)?(.+?)[)\]]?"
)
SIDE_LAST = re.compile(rf"(.+?)(?:[\s:.-]+({_SPACED})|[\s:.-]*({_UNSPACED}))")
DASH = re.compile(r"(?<!\s)\s++-\s++|_")
WORD = re.compile(r"\w+")
# "English term (preferred)"
REMARK = re.compile(r"\s*[(\[][^)\]]*[)\]]?$")
# As the heading of a first column, of a column of numbers, or with "term", these number the rows rather than name
# Indonesian or Norwegian.
NUMBERING = ("id", "no")
# How many rows above a header may be a title.
MOST_TITLES = 10


def plain(label: Any) -> str:
    """A heading in the form used for comparison: without case, accents, and characters between words."""
    return folded(re.sub(r"[\s_-]+", " ", str(label).strip(UNSEEN)))


class Heads:
    """The meaning of the columns under *labels*; *columns* sets it for some of them, by their headings.

    `names` has the position of each known name, `languages` the code at each position that names a language, `sides`
    the side that such a heading names ("source" or "target"), and `others` the positions of the rest.
    """

    def __init__(self, labels: Sequence[Any], columns: Mapping[str, str] | None = None) -> None:
        self.labels = [str(label).strip(UNSEEN).strip() for label in labels]
        self.names: dict[str, int] = {}
        self.languages: dict[int, str] = {}
        self.sides: dict[int, str] = {}
        self.others: list[int] = []
        said = {plain(label): meaning for label, meaning in (columns or {}).items()}
        for place, label in enumerate(self.labels):
            given = said.get(plain(label))
            name = NAMES.get(plain(label)) if given is None else given if given in NAMES.values() else None
            side, code = ("", None) if name else ("", given) if given is not None else _language(label)
            if given is None and said and (name in said.values() or code in said.values()):
                name = code = None  # the caller's meanings come first
            if name and name not in self.names:
                self.names[name] = place
            elif code:
                self.languages[place] = code
                self.sides[place] = side
            else:
                self.others.append(place)
        named = sorted((self.names[name], name) for name in ("source", "term") if name in self.names)
        behind = len(self.languages) > 1 and bool(named) and named[0][0] > min(self.languages)
        for place, name in named[0 if behind else 1 :]:  # after terms or languages, "source" says where a term is from
            self.others = sorted([*self.others, place])
            del self.names[name]

    @property
    def source(self) -> int | None:
        """The position of a column that is explicitly for source terms."""
        return self.names.get("source", self.names.get("term"))

    @property
    def tidy(self) -> bool:
        """Whether there are columns for the source and the target."""
        return self.source is not None and "target" in self.names

    @property
    def wide(self) -> bool:
        """Whether there is a column for each language."""
        return not self.tidy and len(self.languages) >= (1 if self.source is not None else 2)

    @property
    def named(self) -> bool:
        """Whether these must be column names: a term and its translation may be names of one language."""
        several = self.source is not None or len(set(self.languages.values())) > 1
        return self.tidy or (self.wide and several)

    @property
    def written(self) -> dict[str, str]:
        """The headings as written, by name and by language."""
        names = {name: self.labels[place] for name, place in self.names.items()}
        source = {} if self.source is None else {"source": self.labels[self.source]}
        return {**names, **source, **{code: self.labels[place] for place, code in self.languages.items()}}

    @property
    def first(self) -> int:
        """The position of the language that is marked as the source, or of the first without another mark."""
        by_side = {side: place for place, side in reversed(self.sides.items()) if place in self.languages}
        return by_side.get("source", by_side.get("", next(iter(self.languages))))


def meanings(columns: Mapping[str, str | None] | None) -> dict[str, str]:
    """The caller's meanings of columns, by heading: a known name, the code of a language, or "" for neither."""
    found = {}
    for label, said in (columns or {}).items():
        name = said and NAMES.get(plain(said))
        found[label] = (name or variant_of(said) or "") if said else ""
        if said and not found[label]:
            raise ValueError(
                f"columns: expected a language, source, target, source_lang or target_lang for {short(label)!r}, found "
                f"{short(str(said))!r}"
            )
    return found


@cache
def _language(label: str) -> tuple[str, str | None]:
    """The side and the language that a heading names; no side, or no language, if it names none."""
    if len(label) > LONGEST:
        return "", None
    text = folded(label.replace("_", "-"))
    more = WITH_MORE.fullmatch(text)
    if more and not COMMENTS.isdisjoint(WORD.findall(more[2])):
        return "", None  # "English (notes for you)" does not hold terms
    # "English - US" and "English_United_States" are like "English, US", but other text there is not a remark.
    if code := variant_of(label) or variant_of(tag_of(DASH.sub(", ", label, count=1).replace("_", " ")) or ""):
        return "", code
    without = REMARK.sub("", text)
    for match in (SIDE_FIRST.fullmatch(text), SIDE_LAST.fullmatch(text), SIDE_LAST.fullmatch(without)):
        if match:
            *sides, said = match.groups() if match.re is SIDE_FIRST else (match[2], match[3], match[1])
            side = SIDES[sides[0] or sides[1]]
            return side, None if said in NUMBERING else variant_of(said)
    return "", None


# ---- which rows are the header


def is_head(first: Sequence[str], second: Sequence[str] | None) -> bool:
    """Whether a file's *first* row names its columns; *second* is the next row."""
    heads = Heads(first)
    if not heads.named:
        return False
    if not (len(first) > 2 and all(map(code_of, first[2:4]))):
        return True
    # It could also be a term about terms or languages: then the next row has languages too.
    known = [place not in heads.others or not heads.labels[place] for place in range(len(first))]
    plain = known[1] and (known[0] or len(first) == 3) if len(first) <= 4 else True
    return plain and second is not None and not any(map(code_of, second[2:4]))


def _with_columns(rows: Sequence[Sequence[str]], columns: Mapping[str, str]) -> int | None:
    """The position of the first row that has all *columns* as headings, alone or with the row below it."""
    lower = None  # the second row of a header is not a header itself
    for place, (row, below) in enumerate(pairwise([*rows[: MOST_TITLES + 1], []])):
        joined = joined_heads(row, below, columns)
        wanted = relabelled(columns, joined, below) if joined else columns
        if place != lower and set(map(plain, wanted)) <= set(map(plain, joined or row)):
            return place
        lower = place + 1 if joined else lower
    return None


def head_place(rows: Sequence[Sequence[str]], columns: Mapping[str, str] | None = None) -> int | None:
    """The position of the row that names the columns, if any: the first below titles, which have fewer cells.

    If *columns* are given, it is the row that has them all as headings; ValueError if there is none.
    """
    if columns:
        if (found := _with_columns(rows, columns)) is not None:
            return found
        all_heads = [joined_heads(*each, columns) or each[0] for each in pairwise([*rows[:MOST_TITLES], []])]
        likely = max(all_heads, key=lambda row: (is_head(row, None), sum(map(bool, row))), default=[])
        lacking = [repr(short(label)) for label in columns if plain(label) not in set(map(plain, likely))]
        has = ", ".join(repr(short(cell)) for cell in likely[:20] if cell)
        raise ValueError(f"columns: the file has no column {named(lacking)}. Its columns are {has}")
    most = 1
    for place, row in enumerate(rows[:MOST_TITLES]):
        filled, following = sum(map(bool, row)), rows[place + 1] if len(rows) > place + 1 else None
        if filled > most or (following and joined_heads(row, following)):
            if is_head(row, following):
                return place
            most = filled
    return None


def joined_heads(
    group: Sequence[str], below: Sequence[str], columns: Mapping[str, str] | None = None
) -> list[str] | None:
    """The headings of two rows as one, if *group* spans columns of *below* ("English", "" over "Term", "Note").

    None if *below* is not part of the header. Columns of terms are named by their group alone, others by both. A second
    row may also have the codes of the languages that the first one names. *columns* are as for `Heads`.
    """
    if same := _same_languages(group, below):
        return same
    filled = [cell for cell in group if cell.strip()]
    words = [plain(cell) for cell in below if cell.strip()]
    known = [word in NAMES or word in COMMENTS for word in words]
    repeats = len(set(words)) < len(words)
    if len(filled) < 2 or len(words) <= len(filled) or not (all(known) or (repeats and any(known))):
        return None
    labels, over = [], ""
    for place in range(max(len(group), len(below))):
        own = below[place].strip() if place < len(below) else ""
        over = (group[place].strip() if place < len(group) else "") or over
        is_term = plain(own) in NAMES and over not in labels
        labels.append(over if is_term or own in ("", over) else f"{over} {own}".strip())
    return labels if Heads(labels, relabelled(columns or {}, labels, below)).named else None


def _same_languages(group: Sequence[str], below: Sequence[str]) -> list[str] | None:
    """The more precise headings of two rows with the same languages, if one of them has codes."""
    languages = Heads(group).languages
    for place, code in languages.items():
        pair = (group[place], below[place]) if place < len(below) else ("", "")
        if not any(CODE.fullmatch(cell.strip()) for cell in pair) or language_of(pair[1]) != code_of(code):
            return None
    labels = [cell or own for cell, own in zip_longest(group, below, fillvalue="")]
    for place in languages:
        labels[place] = max(group[place], below[place], key=lambda cell: len(variant_of(cell) or ""))
    return labels if len(languages) > 1 else None


def relabelled(columns: Mapping[str, str], labels: Sequence[str], below: Sequence[str]) -> dict[str, str]:
    """*columns* under the *labels* of a header of two rows, if they are named by its row *below*."""
    own, known = list(map(plain, below)), set(map(plain, labels))
    return {
        labels[own.index(plain(label))] if plain(label) not in known and own.count(plain(label)) == 1 else label: said
        for label, said in columns.items()
    }


def fits(rows: Sequence[Sequence[str]], columns: Mapping[str, str] | None = None) -> tuple[bool, bool]:
    """Whether rows have a header, with *columns* if given, and languages throughout the third and fourth column."""
    place = _with_columns(rows, columns) if columns else head_place(rows)
    return place is not None, all(len(cells) > 2 and all(map(code_of, cells[2:4])) for cells in rows)
