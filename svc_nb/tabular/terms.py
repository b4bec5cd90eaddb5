"""The tidy table of terms that everything about terms takes and returns: one row for a term in one language pair.

Its columns are `source_lang`, `target_lang`, `source` and `target`; a glossary of many pairs is one table. A table may
have more columns, which stay with their rows and are never sent. Tables have language codes in their normal form, in
capitals; the service and files have them in lower case.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.language_codes import COUNTRIES, LONGEST, STABLE, WITH_MORE, as_bcp47, as_normal, tag_of
from svc_nb.tabular.text_column import TEXT, checked_table, rewritten, text_array

LANGUAGES = frozenset(map(str.upper, STABLE))
# Countries that mean their language at the head of a column.
HEADS = ("jp", "cn", "cz", "dk", "gr")
# Headings that look like a locale but are not languages: "est_id", "fin-no".
THREE_LETTERS = re.compile("[a-z]{3}[-_].*", re.I)


@cache
def code_of(written: str) -> str | None:
    """The language code for *code* in any case, with or without a region; None if there is no such language.

    >>> code_of("EN-GB"), code_of(" de_AT "), code_of("tlh")
    ('EN', 'DE', None)
    """
    base = written.strip().upper().replace("_", "-").partition("-")[0]
    return base if base in LANGUAGES else None


@cache
def language_of(written: str) -> str | None:
    """Like `code_of`, but also by name or by another code, as at the head of a spreadsheet's column.

    >>> language_of("Deutsch"), language_of("French (fr-FR)"), language_of("no"), language_of("notes")
    ('DE', 'FR', 'NB', None)
    """
    return code_of(written) or code_of(variant_of(written) or "")


@cache
def variant_of(written: str) -> str | None:
    """Like `language_of`, with the region or script that is given with it.

    >>> variant_of("Brazilian Portuguese"), variant_of("French (fr-FR)"), variant_of("en_GB"), variant_of("id_number")
    ('PT-BR', 'FR-FR', 'EN-GB', None)
    """
    said = unicodedata.normalize("NFKC", written.strip()[: LONGEST + 1])
    if len(said) > LONGEST or THREE_LETTERS.fullmatch(said):
        return None
    base = said.lower().replace("_", "-").partition("-")[0]
    if base in HEADS:
        said = COUNTRIES[base].partition("-")[0] + said[len(base) :]
    tag = tag_of(said)
    if tag is None and (more := WITH_MORE.fullmatch(said)) and (len(more[1]) > 2 or not more[1].isascii()):
        tag = tag_of(more[1])  # text in brackets is a remark
    return tag.upper() if tag and code_of(tag) else None


COLUMNS = ("source_lang", "target_lang", "source", "target")
LANGUAGE_COLUMNS = COLUMNS[:2]
TERM_COLUMNS = COLUMNS[2:]

# In a table that was read from a file: the column with the line of every row, and the keys in its `attrs` for the
# headings of that file, by column name and by language, and for the lines in which a separator may be missing its
# quotes.
LINE, HEADINGS, UNQUOTED = "line", "headings", "unquoted"

Pair = tuple[str, str]


def made(
    source_lang: Any, target_lang: Any, source: Any, target: Any, index: pd.Index[Any] | None = None
) -> pd.DataFrame:
    """A tidy table; a language given as a single text applies to all rows."""
    cells = {
        name: pd.array([given], dtype=TEXT).repeat(len(source)) if isinstance(given, str) else text_array(given)
        for name, given in zip(COLUMNS, (source_lang, target_lang, source, target), strict=True)
    }
    table = in_tables(pd.DataFrame(cells))
    if index is not None:
        table.index = index
    return table


def in_tables(table: pd.DataFrame) -> pd.DataFrame:
    """*table* with its languages in capitals, as in tables."""
    return table.assign(**{name: rewritten(table[name], as_normal) for name in LANGUAGE_COLUMNS})


def in_files(table: pd.DataFrame) -> pd.DataFrame:
    """*table* with its languages in lower case, as in files."""
    return table.assign(**{name: rewritten(table[name], as_bcp47) for name in LANGUAGE_COLUMNS})


def is_terms(table: object) -> bool:
    """Whether *table* has the columns of a tidy table of terms."""
    return isinstance(table, pd.DataFrame) and set(COLUMNS) <= set(table.columns)


def checked(table: object) -> pd.DataFrame:
    """*table* itself, or a clear error if it is not a tidy table of terms."""
    advice = (
        ". Read files with svc_nb.glossaries.read(); a table with a column for each language becomes tidy with "
        "svc_nb.glossaries.from_wide()."
    )
    return checked_table(table, COLUMNS, "terms", advice=advice)


def lines_of(table: pd.DataFrame) -> pd.Series[int] | None:
    """The line of every row in the file that *table* was read from, with gaps for other rows; None without lines."""
    if table.columns.tolist().count(LINE) != 1 or not pd.api.types.is_numeric_dtype(table[LINE].dtype):
        return None
    return table[LINE].round().astype("Int64")


class LanguagePairs:
    """The language pairs of a table: `codes` has the number of each row's pair in `written`.

    `meant` are the pairs as the service names them, with None for a language that it does not have.
    """

    def __init__(self, table: pd.DataFrame) -> None:
        sides = [_numbered(table[name], name) for name in LANGUAGE_COLUMNS]
        (sources, source_langs), (targets, target_langs) = sides
        codes, kinds = pd.factorize(sources * max(len(target_langs), 1) + targets)
        self.codes: npt.NDArray[np.intp] = codes
        self.written: list[Pair] = [
            (source_langs[kind // len(target_langs)], target_langs[kind % len(target_langs)]) for kind in kinds.tolist()
        ]
        self.meant = [(code_of(source), code_of(target)) for source, target in self.written]

    @cached_property
    def groups(self) -> Groups:
        """The rows of every pair."""
        return Groups(self.codes, len(self.written))


class Groups:
    """The positions of the rows that share a number, from 0 to *count*: `groups[number]`, in their order."""

    def __init__(self, codes: npt.NDArray[np.intp], count: int) -> None:
        self.order = np.argsort(codes, kind="stable") if count > 1 else np.arange(len(codes))
        self.bounds = np.searchsorted(codes[self.order], np.arange(count + 1))

    def __getitem__(self, number: int) -> npt.NDArray[np.intp]:
        return self.order[self.bounds[number] : self.bounds[number + 1]]


def _numbered(column: pd.Series[Any], name: str) -> tuple[npt.NDArray[np.intp], list[str]]:
    """The number of each row's language, and the languages; a gap is an empty one."""
    first, last = (column.iloc[0], column.iloc[-1]) if len(column) else (None, None)
    if isinstance(first, str) and isinstance(last, str) and first == last:
        same = (column == first).to_numpy(dtype=np.bool_, na_value=False)
        if same.all():  # the usual case, and much faster
            return np.zeros(len(column), dtype=np.intp), [first]
    codes, found = pd.factorize(column, use_na_sentinel=False)
    listed = ["" if pd.isna(value) else value for value in found.tolist()]
    for value in listed:
        if not isinstance(value, str):
            raise TypeError(f"column {name!r}: expected language codes, found {type(value).__name__}")
    return codes, listed
