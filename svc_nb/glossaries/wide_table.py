"""Tables with a column for each language, converted to tidy tables and back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from svc_nb.advice import Call, Option
from svc_nb.checks.text_array import TextArray
from svc_nb.glossaries.headings import NUMBERING, Heads
from svc_nb.tabular.cells import LEFT_OUT
from svc_nb.tabular.findings import ERROR, Findings
from svc_nb.tabular.report import Report, named, plural, short
from svc_nb.tabular.terms import (
    COLUMNS,
    LanguagePairs,
    checked,
    code_of,
    in_tables,
    language_of,
    made,
)
from svc_nb.tabular.text_column import TEXT
from svc_nb.wire.languages import meant

MOST_NAMED = 5
HAS_DIGIT, NUMBER = re.compile(r"\d"), re.compile(r"[\d.,]+")


# ---- wide to tidy


def from_wide(table: pd.DataFrame, *, source_lang: str | None = None) -> Report:
    """The table of terms from a table with a column for each language: `term, de, fr, ja`, or only languages.

    Rows come language by language; all rows made from a row of *table* keep its label. Empty cells are not terms.
    Columns that are neither terms nor languages stay with their rows.

    Parameters
    ----------
    table
        Has a column `term` (or `source`) and columns named by a language's code or name, or only such columns. A column
        `source_lang` gives the language of the term in each row.
    source_lang
        The language of the column `term`; without that column, the language to translate from (the first one).
    """
    tidy, notes = unfolded(table, source_lang=meant(source_lang, field="source_lang"))
    return Report(tidy, told(tidy, f"from {plural(len(table), 'row')}", notes))


def told(table: pd.DataFrame, origin: str, notes: Sequence[str]) -> str:
    """What was read, what was done, and what to do next."""
    pairs = LanguagePairs(table).written
    listed = ", ".join(f"{short(source) or '?'} to {short(target) or '?'}" for source, target in pairs[:MOST_NAMED])
    more = ", …" if len(pairs) > MOST_NAMED else ""
    held = f"{plural(len(table), 'term')} in {plural(len(pairs), 'pair')} ({listed}{more})" if pairs else "No terms"
    next_step = (
        f"Next: {Call('.svc.lint')}"
        if pairs
        else f"Next: check whether this is the right file, and pass {Option('source_lang')}"
    )
    left = ", ".join(note.removeprefix(LEFT_OUT) for note in notes if note.startswith(LEFT_OUT))
    other = [note for note in notes if not note.startswith(LEFT_OUT)]
    all_notes = [*other, LEFT_OUT + left] if left else other
    return " ".join([f"{held}, {origin}.", *(f"{note}." for note in all_notes), next_step])


def unfolded(
    table: pd.DataFrame,
    *,
    source_lang: str | None = None,
    places: Sequence[int] | None = None,
    columns: Mapping[str, str] | None = None,
) -> tuple[pd.DataFrame, list[str]]:
    """Like `from_wide`, with notes on what was left out.

    *places* are the positions of the columns in their file, and *columns* are the caller's meanings of them.
    """
    heads = _checked_heads(table, places, columns)
    terms = heads.source
    if terms is None and source_lang is None:
        terms = heads.first
    elif terms is None:
        place = choose(list(heads.languages.values()), source_lang or "")
        if place is None:
            found = ", ".join(heads.languages.values())
            raise ValueError(f"source_lang: expected one of the table's languages, {found}; found {source_lang!r}")
        terms = list(heads.languages)[place]
    source = texts(table, terms)
    spoken = _spoken(table, heads, terms, source_lang)
    skipped = _Skipped(table.index)
    parts: list[tuple[str, list[int], list[str]]] = []
    for place, code in heads.languages.items():
        if place == terms:
            continue
        cells = texts(table, place)
        rows = skipped.without(source, cells, spoken, code)
        parts.append((code, rows, [cells[row] for row in rows]))
    row_of = np.array([row for _, each, _ in parts for row in each], dtype=np.intp)
    tidy = made(
        [spoken[row] for row in row_of.tolist()],
        [code for code, each, _ in parts for _ in each],
        [source[row] for row in row_of.tolist()],
        [cell for _, _, cells in parts for cell in cells],
        index=table.index.take(row_of),
    )
    if not heads.others:
        return tidy, skipped.notes()
    tidy = pd.concat([tidy, table.iloc[row_of, heads.others]], axis=1)
    tidy = tidy.set_axis(distinct(tidy.columns), axis=1)
    further = named([repr(str(label)) for label in tidy.columns[len(COLUMNS) :]])
    return tidy, [f"Kept as additional columns, not languages: {further}", *skipped.notes()]


def distinct(labels: Iterable[Any]) -> list[Any]:
    """*labels* for columns, with a number after duplicates.

    >>> distinct(["Note", "Status", "Note", "Note"])
    ['Note', 'Status', 'Note.1', 'Note.2']
    """
    found: dict[Any, None] = {}
    for label in labels:
        tries = (label, *(f"{label}.{number}" for number in range(1, len(found) + 1)))
        found[next(each for each in tries if each not in found)] = None
    return [*found]


class _Skipped:
    """Counts cells that are not terms; *labels* are the labels of the rows."""

    def __init__(self, labels: pd.Index[Any]) -> None:
        self.labels = labels
        self.cells = 0
        self.variants = 0
        self.sourceless: set[int] = set()

    def without(self, source: list[str], cells: list[str], spoken: list[str], code: str) -> list[int]:
        """The rows with a term in both columns, unless they are variants of one language."""
        filled = [row for row, cell in enumerate(cells) if cell and not cell.isspace()]
        kept = [row for row in filled if source[row] and not source[row].isspace()]
        self.cells += len(cells) - len(filled)
        if len(kept) < len(filled):
            self.sourceless.update(set(filled) - set(kept))
        other = {each: not same_language(each, code) for each in set(spoken)}
        rows = kept if all(other.values()) else [row for row in kept if other[spoken[row]]]
        self.variants += len(kept) - len(rows)
        return rows

    def notes(self) -> list[str]:
        """Notes on what was left out."""
        rows = named(self.labels.take(sorted(self.sourceless)).tolist())
        what = "without a source term"
        return [
            LEFT_OUT + plural(count, one, several)
            for count, one, several in (
                (self.cells, "empty cell", None),
                (len(self.sourceless), f"row {what} ({rows})", f"rows {what} ({rows})"),
                (self.variants, "term in a variant of the source language", "terms in variants of the source language"),
            )
            if count
        ]


def same_language(one: str, other: str) -> bool:
    """Whether two codes mean the same language, in any variant."""
    return (code_of(one) or one.upper()) == (code_of(other) or other.upper())


def _checked_heads(
    table: pd.DataFrame, places: Sequence[int] | None = None, columns: Mapping[str, str] | None = None
) -> Heads:
    if not isinstance(table, pd.DataFrame):
        raise TypeError(f"expected a table (a DataFrame), found {type(table).__name__}")
    heads = Heads(table.columns.tolist(), columns)
    if 0 in heads.languages and heads.labels[0].lower() in NUMBERING and heads.labels[0] not in (columns or {}):
        filled = [str(cell) for cell in table.iloc[:, 0].tolist() if not pd.isna(cell) and str(cell).strip()]
        if len(heads.languages) > 2 or all(any(letter.isdigit() for letter in cell) for cell in filled):
            del heads.languages[0]
            heads.others.insert(0, 0)
    if places is not None:  # tables that do not come from files were made on purpose, and their terms may be numbers
        _leave_numbers(table, heads, columns or {})
    if not heads.wide:
        has = ", ".join(map(repr, heads.labels[:20])) or "none"
        raise ValueError(
            "expected a column `term` and columns named by language (de, fr, ...), or two or more such columns, found "
            f"the columns {has}. Rename them"
        )
    for code in heads.languages.values():
        twice = [place for place, each in heads.languages.items() if each == code]
        numbers = [(places[place] if places else place) + 1 for place in twice]
        if len(numbers) > 1:
            found = ", ".join(map(str, numbers[:-1])) + f" and {numbers[-1]}"
            choice = f", or say with {Option('columns')} what one of them is" if places else ""
            raise ValueError(
                f"the language {code} is in several columns: {found}. Rename or remove one of them{choice}; variants "
                "such as en-GB and en-US can have their own columns"
            )
    return heads


def _leave_numbers(table: pd.DataFrame, heads: Heads, columns: Mapping[str, str]) -> None:
    """Do not take columns of numbers for languages if others are left: "ID" is then not Indonesian."""
    for place in list(heads.languages):
        label, cells = heads.labels[place], list(filter(None, map(str.strip, texts(table, place))))
        is_numbering = label.lower() in NUMBERING and bool(cells) and all(map(HAS_DIGIT.search, cells))
        if label in columns or not (is_numbering or (len(cells) > 1 and all(map(NUMBER.fullmatch, cells)))):
            continue
        code = heads.languages.pop(place)
        if heads.wide:
            heads.others = sorted([*heads.others, place])
        else:
            heads.languages = dict(sorted({**heads.languages, place: code}.items()))


def choose(codes: Sequence[str], wanted: str) -> int | None:
    """The position of *wanted* in *codes*: exactly as written, or else in another variant; None if there is none."""
    said = wanted.strip().lower().replace("_", "-")
    for place, code in enumerate(codes):
        if code.lower().replace("_", "-") == said:
            return place
    meant = language_of(wanted)
    fits = (place for place, code in enumerate(codes) if meant and code_of(code) == meant)
    return next(fits, None)


def _spoken(table: pd.DataFrame, heads: Heads, terms: int, source_lang: str | None) -> list[str]:
    """The language of the term in every row."""
    if terms in heads.languages:
        return [heads.languages[terms]] * len(table)
    given = source_lang or table.attrs.get("source_lang")
    own = heads.names.get("source_lang")
    if own is not None:
        cells = texts(table, own)
        if given is not None or all(cells):
            return [cell or str(given) for cell in cells]
    elif given is not None:
        return [str(given)] * len(table)
    raise ValueError(
        f"the column {heads.labels[terms]!r} does not say its language. Pass it, such as "
        f"{Option('source_lang', 'en')}, or name the column by its language (to_wide() keeps it in attrs, which files "
        "do not have)"
    )


def texts(table: pd.DataFrame, place: int) -> list[str]:
    """The cells of a column, "" for gaps; a cell that is not text raises TypeError with its row."""
    try:
        return TextArray(table.iloc[:, place]).texts()
    except TypeError as problem:
        raise TypeError(f"column {str(table.columns[place])!r}, {problem}") from None


# ---- tidy to wide


def to_wide(table: pd.DataFrame) -> pd.DataFrame:
    """A table of terms with a column for each target language: `term, DE, FR, JA`."""
    table = in_tables(checked(table))
    columns = {name: texts(table, table.columns.tolist().index(name)) for name in COLUMNS}
    refuse(_unfoldable(columns), table, "Nothing was created")
    keys = list(zip(columns["source_lang"], columns["source"], strict=True))
    terms = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    cells: dict[str, list[str | None]] = {code: [None] * len(terms) for code in dict.fromkeys(columns["target_lang"])}
    for key, code, target in zip(keys, columns["target_lang"], columns["target"], strict=True):
        cells[code][terms[key]] = target
    filled: dict[str, Any] = {"term": [term for _, term in terms], **cells}
    languages = list(dict.fromkeys(language for language, _ in terms))
    if len(languages) > 1:
        filled = {"source_lang": [language for language, _ in terms], **filled}
    wide = pd.DataFrame({name: pd.array(column, dtype=TEXT) for name, column in filled.items()})
    if len(languages) == 1:
        wide.attrs["source_lang"] = languages[0]
    return wide


def _unfoldable(columns: dict[str, list[str]]) -> Findings:
    """The rows of a tidy table that a wide one could not give back."""
    found = Findings()
    for name in ("source", "target"):
        blank = [row for row, text in enumerate(columns[name]) if not text or text.isspace()]
        found.add(np.array(blank), ERROR, "empty", f"the {name} is empty", f"fill in the {name}, or remove the row")
    pairs = list(zip(columns["source_lang"], columns["target_lang"], strict=True))
    wrong: dict[tuple[str, str], str] = {}  # why a pair has no column
    for source_lang, target_lang in set(pairs):
        if not source_lang:
            wrong[source_lang, target_lang] = "source_lang is empty"
        elif Heads([target_lang]).languages != {0: target_lang}:
            what = f"target_lang: expected a language of the service, found {short(target_lang)!r}"
            wrong[source_lang, target_lang] = what
        elif same_language(source_lang, target_lang):
            wrong[source_lang, target_lang] = "source and target are in the same language"
    rows = [row for row, pair in enumerate(pairs) if pair in wrong] if wrong else []
    found.add(np.array(rows), ERROR, "language", [wrong[pairs[row]] for row in rows])
    twice = pd.DataFrame(
        {name: pd.Series(columns[name], dtype=object) for name in ("source_lang", "target_lang", "source")}
    ).duplicated(keep=False)
    told = "the source has several translations in this language, but a cell holds one"
    found.add(np.flatnonzero(twice), ERROR, "duplicate", told, "keep one of them")
    return found


def refuse(found: Findings, table: pd.DataFrame, outcome: str) -> None:
    """Raise InvalidRows if something was *found*; *outcome* says that nothing was done."""
    if len(found):
        advice = found.table(table.index)["suggestion"].iloc[0]
        first = f"{advice[0].upper()}{advice[1:]}; the" if advice else "The"
        raise found.invalid(
            table.index, f"{outcome}: {{}} would be lost or changed", f"{first} error's .findings lists what to do"
        )
