"""A table of cells, as a file or a sheet has it, turned into the tidy table of terms.

Comments are removed first, then the header is found. A header names the columns; without one they are in the service's
order.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
import pandas as pd

from svc_nb.advice import Option
from svc_nb.errors import InvalidRows
from svc_nb.glossaries.headings import Heads, head_place, is_head, joined_heads, relabelled
from svc_nb.glossaries.wide_table import distinct, same_language, unfolded
from svc_nb.language_codes import CODE, LONGEST, tag_of
from svc_nb.tabular import delimited
from svc_nb.tabular.cells import LEFT_OUT, Cells, unguarded
from svc_nb.tabular.report import named, plural, short
from svc_nb.tabular.terms import COLUMNS, LANGUAGE_COLUMNS, TERM_COLUMNS, code_of, in_tables, language_of
from svc_nb.tabular.text_column import TEXT

# The order of the columns in the service's own form, which has no header.
SERVICE_ORDER = (*TERM_COLUMNS, *LANGUAGE_COLUMNS)
COMMENT, TAB = "comment", ".tab"
# What tools write for an unknown language.
UNKNOWN = ("XX", "UND", "MIS", "QAA")


class Said(NamedTuple):
    """What the caller of `read` says about a table of cells, and the format of its file."""

    source_lang: str | None
    target_lang: str | None
    columns: dict[str, str]
    header: bool | None
    suffix: str

    @property
    def is_text(self) -> bool:
        """Whether cells are separated by a character that could occur in a term by mistake."""
        return self.suffix in delimited.SEPARATORS

    def about(self, heads: Heads) -> dict[str, str]:
        """The meaning of columns: as given by the caller, with the languages for columns of languages."""
        found = dict(self.columns)
        free = sorted(heads.languages, key=heads.first.__ne__) if len(heads.languages) == 2 else []
        foreign = []
        for wanted, place in ((self.source_lang, 0), (self.target_lang, -1)):
            same = [at for at, code in heads.languages.items() if wanted and same_language(code, wanted)]
            if len(same) == 1:
                found.setdefault(heads.labels[same[0]], str(wanted))
                free = [at for at in free if at != same[0]]
            elif wanted:
                foreign.append((wanted, place))
        if (
            heads.source is None and not self.columns
        ):  # of two languages, a third can only be another name for one of them
            for wanted, place in foreign:
                if free:
                    found[heads.labels[free.pop(place)]] = wanted
        return found


Tabled = tuple[pd.DataFrame, list[str], dict[str, str]]


def tidied(grid: Cells, said: Said) -> Tabled:
    """The tidy table, with lines as its index, notes on what was done to it, and its headings as written."""
    grid = _unguarded(_uncommented(grid) if said.is_text else grid)
    if not grid.rows:
        raise ValueError("the file contains only blank lines and comments")
    top = 0 if said.header else None
    if said.columns or said.header is None:
        top = head_place(grid.rows, said.columns)
    if top is not None:
        if top:  # above the header is a title
            grid = grid.below(top, f"{LEFT_OUT}{plural(top, 'row')} above the header")
        if len(grid.rows) > 1 and (joined := joined_heads(grid.rows[0], grid.rows[1], said.columns)):
            said = said._replace(columns=relabelled(said.columns, joined, grid.rows[1]))
            grid = grid.below(1, "Its header has two rows")
            grid.rows[0] = joined
        return _headed(grid, said)
    _unbroken(grid)
    table = _service_form(grid, said)
    if said.header is None:
        for name, given in zip(LANGUAGE_COLUMNS, (said.source_lang, said.target_lang), strict=True):
            if given is None and not (table[name] != "").any():
                _refuse_other_languages(grid.rows[0])
                raise ValueError(
                    f"the file does not say its {name}. Pass it, such as {Option(name, 'de')}. The first row, "
                    f"{_quoted(grid.rows[0])}, was read as a term. If it names the columns, pass "
                    f"{Option('header', True)}; if it is a term, pass {Option('header', False)}; {Option('columns')} "
                    "says which column has which language"
                )
        grid.notes.append(f"Row {grid.lines[0]} was read as a term (no header)")
    if comments := [word for word, name in (("third", COMMENT), ("fourth", f"{COMMENT}.1")) if name in table.columns]:
        what = plural(len(comments), "column was", "columns were").partition(" ")[2]
        grid.notes.append(f"The {' and '.join(comments)} {what} read as comments")
    return _filled(table, said), grid.notes, {}


def _refuse_other_languages(row: Sequence[str]) -> None:
    """Refuse a first row of language codes if glossaries do not have one of the languages."""
    codes = [cell.strip() for cell in row if cell.strip()]
    lacking = [code for code in codes if not code_of(code)]
    if 0 < len(lacking) < len(codes) and all(map(tag_of, codes)):
        raise ValueError(
            f"glossaries do not have the language {named([repr(code) for code in lacking])}. Remove its column, or if "
            f"the first row is a term, pass {Option('header', False)}"
        )


def _headed(grid: Cells, said: Said) -> Tabled:
    """The table below a header."""
    heads = Heads(grid.rows[0], said.columns)
    if len(grid.rows) == 1:
        raise ValueError(
            f"it has a header but no terms: the only row is {_quoted(grid.rows[0])}. Check whether this is the right "
            f"file or sheet; if the row is a term, pass {Option('header', False)}"
        )
    if said.is_text:
        _refuse_longer(grid, len(grid.rows[0]), f"the header names {plural(len(grid.rows[0]), 'column')}")
    if not heads.languages and (not heads.names or heads.names == {"term": 0}):
        body = grid._replace(rows=grid.rows[1:], lines=grid.lines[1:])
        _unbroken(body)
        order = "The header names no known column, so the columns are taken in order: source, target, languages"
        return _filled(_service_form(body, said, grid.rows[0]), said), [*grid.notes, order], {}
    _unbroken(grid, {*heads.names.values(), *heads.languages})
    columns = said.about(heads)
    table, places = _named(grid)
    own, heads = (Heads(table.columns.tolist(), each) for each in (None, columns))
    if heads.wide:
        tidy, more = unfolded(table, source_lang=said.source_lang, places=places, columns=columns)
        other = [
            f"{heads.labels[at]!r} as {code}" for at, code in heads.languages.items() if code != own.languages.get(at)
        ]
        more = [f"Read as you specified: {named(other)}", *more] if other else more
        notes = ["It has a column for each language", *grid.notes, *more]
        return only(tidy, said.target_lang), notes, heads.written
    return _filled(_tidy(table, heads), said), ["It has a header", *grid.notes], heads.written


def _refuse_longer(grid: Cells, width: int, expected: str) -> None:
    """Refuse rows of a text file with more than *width* cells: a separator within a term has shifted them."""
    long = [
        (row, line)
        for row, line in zip(grid.rows, grid.lines, strict=True)
        if len(row) > width and any(map(str.strip, row[width:]))
    ]
    if long:
        row, lines = long[0][0], [line for _, line in long]
        more = f" (and so have {plural(len(lines) - 1, 'more line')}: {named(lines[1:])})" if lines[1:] else ""
        raise InvalidRows(
            f"line {lines[0]} has {len(row)} cells, {_quoted(row)}, and {expected}{more}. In a .csv, put a term that "
            "contains the separator in double quotes; otherwise remove the extra cells",
            rows=lines,
        )


def _quoted(row: Sequence[str]) -> str:
    """The first cells of a row, for a message."""
    return named([repr(short(cell)) for cell in row])


def is_comment(row: Sequence[str]) -> bool:
    """Whether a row of a text file is a comment: "# …" with nothing but the rest of a sentence in other cells.

    >>> is_comment(["# Terms"]), is_comment(["# Terms", " old and new"]), is_comment(["#hashtag", "Hashtag"])
    (True, True, False)
    """
    sentence = row[0][:2] == "# " and len(row) > 1 and row[1][:1] == " "
    return row[0][:1] == "#" and (sentence or not any(map(str.strip, row[1:])))


def _uncommented(grid: Cells) -> Cells:
    """*grid* without comments, but with a header that is written as one."""
    if not any(row[0][:1] == "#" for row in grid.rows):
        return grid
    kept: list[tuple[list[str], int]] = []
    comments, terms = [], []
    for row, line in zip(grid.rows, grid.lines, strict=True):
        bare = [row[0].lstrip("# "), *row[1:]]
        if row[0][:1] == "#" and not kept and is_head(bare, None):
            kept.append((bare, line))
        elif is_comment(row):
            comments.append(line)
        else:
            kept.append((row, line))
            if row[0][:1] == "#":
                terms.append(line)
    notes = [*grid.notes]
    if comments:
        notes.append(f"{LEFT_OUT}{plural(len(comments), 'comment')} ({at_lines(comments)})")
    if terms:
        one, several = "row that begins with # was read as a term", "rows that begin with # were read as terms"
        notes.append(f"{plural(len(terms), one, several)} ({at_lines(terms)})")
    return grid._replace(rows=[row for row, _ in kept], lines=[line for _, line in kept], notes=notes)


def at_lines(lines: Sequence[int]) -> str:
    """Some lines of a file, for a message."""
    return f"{'line' if len(lines) == 1 else 'lines'} {named(lines)}"


def _unbroken(grid: Cells, places: Collection[int] | None = None) -> None:
    """Refuse line breaks within the quotes of terms and languages, in the columns at these *places*, or everywhere."""
    if not grid.broken:
        return
    lines = [
        line
        for row, line in zip(grid.rows, grid.lines, strict=True)
        if line in grid.broken
        and any("\n" in cell for place, cell in enumerate(row) if places is None or place in places)
    ]
    if places is not None and grid.lines[0] in lines:
        lines.remove(grid.lines[0])  # a header may have them
    if lines:
        what = plural(len(lines), "term has", "rows have terms with")
        raise InvalidRows(
            f"{what} a line break within quotes, which the service refuses ({at_lines(lines)}). Write each term on one "
            "line; only additional columns below a header may have such breaks",
            rows=lines,
        )


def _unguarded(grid: Cells) -> Cells:
    """*grid* without the apostrophes that guard cells against being run as formulas."""
    rows, count = list(grid.rows), 0
    for place, row in enumerate(rows):
        if any(cell[:1] == "'" for cell in row):
            rows[place] = [unguarded(cell) for cell in row]
            count += sum(bare != cell for bare, cell in zip(rows[place], row, strict=True))
    told = f"Removed the apostrophe that guards a formula in {plural(count, 'cell')}"
    return grid._replace(rows=rows, notes=[*grid.notes, told] if count else grid.notes)


def _frame(rows: Sequence[Sequence[str]], lines: Sequence[int], labels: Sequence[str]) -> pd.DataFrame:
    """Cells as a table; missing cells at the end of a row are empty."""
    columns: list[Sequence[str]] = list(zip_longest(*rows, fillvalue="")) if rows else []
    columns += [("",) * len(rows)] * (len(labels) - len(columns))
    cells = [pd.Series(pd.array(column, dtype=TEXT)) for column in columns]
    table = pd.concat(cells, axis=1) if cells else pd.DataFrame()
    table.columns = pd.Index(list(labels))
    table.index = pd.Index(list(lines), dtype="int64", name="line")
    return table


def _are_languages(cells: Sequence[str], given: str | None) -> bool:
    """Whether a column has languages: most cells are known ones, or all could be codes and no language was *given*."""
    filled = Counter(cell.strip() for cell in cells if cell.strip())
    known = sum(count for cell, count in filled.items() if len(cell) <= LONGEST and language_of(cell))
    return 2 * known > filled.total() or not filled or (given is None and all(map(CODE.fullmatch, filled)))


def _service_form(grid: Cells, said: Said, labels: Sequence[str] = ()) -> pd.DataFrame:
    """The table of a file without a header; columns after the fourth are dropped if they are empty.

    The third and fourth column may have comments instead of languages; they keep the *labels* that were not recognized.
    """
    widths = set(map(len, grid.rows)) or {2}
    is_ragged = said.is_text and len(widths) > 1
    names = [*SERVICE_ORDER]
    for place, given in ((2, said.source_lang), (3, said.target_lang)):
        if said.suffix == TAB or not _are_languages([row[place] for row in grid.rows if len(row) > place], given):
            names[place] = labels[place] if place < len(labels) and labels[place] else COMMENT
    names = distinct(names[:3] if said.suffix == TAB or (max(widths) == 3 and names[2] != SERVICE_ORDER[2]) else names)
    if is_ragged:
        widest = 3 if len(names) == 3 and said.suffix != ".csv" else 2
        has_languages = [all(CODE.fullmatch(cell.strip()) for cell in row[2:4] if cell.strip()) for row in grid.rows]
        odd = [at for at, has in enumerate(has_languages) if widest == 3 or not has or len(grid.rows[at]) > 4]
        some = grid._replace(rows=[grid.rows[at] for at in odd], lines=[grid.lines[at] for at in odd])
        _refuse_longer(some, widest, "other lines have fewer")
    if max(widths) > len(names):
        grid = grid._replace(rows=[row if any(row[len(names) :]) else row[: len(names)] for row in grid.rows])
    wide = [line for row, line in zip(grid.rows, grid.lines, strict=True) if len(row) > len(names)]
    if wide:
        raise InvalidRows(
            f"line {wide[0]} has more than four columns (source, target, and their languages), and the first row, "
            f"{_quoted(grid.rows[0])}, does not name them. Name them there (source and target, or languages such as en "
            f"and de), or say with {Option('columns')} what they are; {Option('header', True)} and "
            f"{Option('header', False)} are for files of up to four columns",
            rows=wide,
        )
    if max(widths) < 2:
        raise InvalidRows(
            f"line {grid.lines[0]} has only one column: {short(grid.rows[0][0])!r}. Put the source and its target in "
            "two columns, separated by a tab in .tsv and .txt, and by a comma or a semicolon in .csv",
            rows=grid.lines[:1],
        )
    table = _frame(grid.rows, grid.lines, names)
    return table.assign(**{name: pd.Series("", index=table.index, dtype=TEXT) for name in COLUMNS if name not in names})


def _named(grid: Cells) -> tuple[pd.DataFrame, list[int]]:
    """The rows below the header under its names, and the columns' positions in the file; empty columns are dropped."""
    width = max(map(len, grid.rows))
    first = [cell.strip("\ufeff").strip() for cell in grid.rows[0]]
    labels = [label or f"column {place}" for place, label in enumerate([*first, *[""] * (width - len(first))], start=1)]
    table = _frame([*grid.rows[1:]], grid.lines[1:], labels)
    kept = [
        place for place in range(width) if (place < len(first) and first[place]) or (table.iloc[:, place] != "").any()
    ]
    return table.iloc[:, kept], kept


def _tidy(table: pd.DataFrame, places: Heads) -> pd.DataFrame:
    """The known columns first, then the others under their own names."""
    if not places.tidy:
        has = ", ".join(map(repr, places.labels[:20]))
        raise ValueError(
            "expected a header with source and target, with term and languages, or with two or more languages; found "
            f"{has}. Rename the columns, or say with {Option('columns')} what they are; if the row is a term, pass "
            f"{Option('header', False)}"
        )
    known = {"source": places.source, **{name: places.names.get(name) for name in COLUMNS if name != "source"}}
    cells = {
        name: (table.iloc[:, place] if place is not None else pd.Series("", index=table.index, dtype=TEXT)).rename(name)
        for name, place in ((name, known[name]) for name in COLUMNS)
    }
    others = [place for place in range(len(table.columns)) if place not in known.values()]
    tidy: pd.DataFrame = pd.concat([*cells.values(), table.iloc[:, others]], axis=1)
    return tidy.set_axis(distinct(tidy.columns), axis=1)


def _filled(table: pd.DataFrame, said: Said) -> pd.DataFrame:
    """The tidy table, with the given languages for rows that have none."""
    for name, given in zip(LANGUAGE_COLUMNS, (said.source_lang, said.target_lang), strict=True):
        empty = (table[name] == "").to_numpy()
        if empty.all() and given is None and len(table):
            raise ValueError(
                f"the file does not say its {name}. Pass it, such as {Option(name, 'de')}, or say with "
                f"{Option('columns')} which column has which language"
            )
        if given is not None and empty.any():
            table[name] = table[name].mask(empty, given)
    return in_tables(table)[[*COLUMNS, *(column for column in table.columns if column not in COLUMNS)]]


def only(table: pd.DataFrame, target_lang: str | None) -> pd.DataFrame:
    """The rows in the given target language."""
    if target_lang is None:
        return table
    wanted = language_of(target_lang) or target_lang.upper()
    codes = table["target_lang"].tolist()
    if len(set(codes)) == 1 and codes[0] in UNKNOWN:
        return table.assign(target_lang=pd.Series(target_lang, index=table.index, dtype=TEXT))
    kept = np.array([(code_of(code) or code.upper()) == wanted for code in codes], dtype=np.bool_)
    if not kept.any():
        found = ", ".join(dict.fromkeys(map(short, codes))) or "none"
        raise ValueError(f"target_lang: expected one of the file's languages, {found}; found {target_lang!r}")
    return table[kept]
