"""What the service refuses in a glossary: each rule of the contract, as a check over all rows at once."""

from __future__ import annotations

import numpy as np

from svc_nb.checks import codepoints
from svc_nb.checks.text_array import Bools, TextArray
from svc_nb.errors import InvalidRows
from svc_nb.glossaries.cleaning import cleaned
from svc_nb.glossaries.languages import LANGUAGES, language_of
from svc_nb.glossaries.sides import Sides
from svc_nb.glossaries.spotless import spotless
from svc_nb.glossaries.table import TERM_COLUMNS
from svc_nb.tabular.findings import ERROR, Findings, Rows
from svc_nb.tabular.report import named, plural, short

MOST_TERM_BYTES = 1024
MOST_GLOSSARY_BYTES = 10 * 1024 * 1024
MOST_NAME_BYTES = 1024
MOST_GLOSSARIES = 1000
HALVES = (0xD800, 0xDFFF)


def broken(sides: Sides) -> Findings:
    """All that the service would refuse, row by row."""
    found = Findings()
    _languages(sides, found)
    for name in TERM_COLUMNS:
        if not sides.has_tape(name) and spotless(sides.table[name], most_bytes=MOST_TERM_BYTES):
            continue
        tape: TextArray = getattr(sides, name)
        _empty(name, tape, found)
        _controls(name, tape, found)
        _edges(name, tape, found)
        _halves(name, tape, found)
        _long(name, tape, found)
    _duplicates(sides, found)
    _large(sides, found)
    return found


def refuse(sides: Sides, *, doing: str = "sent") -> None:
    """Raise InvalidRows, with all findings, where the service would refuse something."""
    found = broken(sides)
    if len(found):
        raise invalid(found, sides, doing=doing)


def invalid(found: Findings, sides: Sides, *, doing: str) -> InvalidRows:
    """The error for what was *found*."""
    table = found.table(sides.table.index)
    rows = [sides.table.index[row] for row in found.rows.tolist()]
    return InvalidRows(
        f"Nothing was {doing}: the service would refuse {plural(len(rows), 'row')} ({named(rows)}); "
        f"row {short(str(table['row'].iloc[0]))}: {table['message'].iloc[0]}. "
        ".svc.lint() lists all that is wrong, .svc.fix() mends what is safe to mend",
        rows=rows,
        findings=table,
    )


def _languages(sides: Sides, found: Findings) -> None:
    for number, (source, target) in enumerate(sides.pairs):
        for name, code in (("source_lang", source), ("target_lang", target)):
            if code not in LANGUAGES:
                what = f"a glossary cannot have the language {short(code)!r}" if code else "it is empty"
                rows = sides.groups[number]
                found.add(rows, ERROR, "language", f"{name}: {what}", language_of(code) or "")
        if source == target:
            told = f"source and target are in the same language, {short(source)!r}"
            found.add(sides.groups[number], ERROR, "same_language", told)


def _empty(name: str, tape: TextArray, found: Findings) -> None:
    rows = np.flatnonzero(tape.lengths == 0)
    found.add(rows, ERROR, "empty", f"the {name} is empty", f"fill in the {name}, or remove the row")


def _controls(name: str, tape: TextArray, found: Findings) -> None:
    if tape.has_controls():
        wrong = tape.of_kind(codepoints.CONTROL)
        _cleanable(name, tape, wrong, "control", "a control character or a line break", found)


def _edges(name: str, tape: TextArray, found: Findings) -> None:
    both = codepoints.kinds(tape.codes[tape.starts]) | codepoints.kinds(tape.codes[tape.ends - 1])
    edged = ((both & codepoints.SPACE) != 0) & (tape.lengths > 0)
    _cleanable(name, tape, edged, "edge_space", "space at its beginning or end", found)


def _halves(name: str, tape: TextArray, found: Findings) -> None:
    if tape.has_halves():
        rows = np.flatnonzero(tape.holding((tape.codes >= HALVES[0]) & (tape.codes <= HALVES[1])))
        found.add(rows, ERROR, "surrogate", f"the {name} has half of a surrogate pair, which cannot be sent")


def _cleanable(name: str, tape: TextArray, where: Bools, code: str, what: str, found: Findings) -> None:
    rows = np.flatnonzero(where)
    told = f"the {name} has {what}"
    found.add(rows, ERROR, code, told, [cleaned(tape[row]) for row in rows.tolist()])


def _long(name: str, tape: TextArray, found: Findings) -> None:
    if tape.lengths.max(initial=0) * 4 <= MOST_TERM_BYTES:
        return
    rows = np.flatnonzero(tape.sizes > MOST_TERM_BYTES)
    told = [
        f"the {name} has {tape.sizes[row]:,} bytes in UTF-8; the service takes {MOST_TERM_BYTES:,}"
        for row in rows.tolist()
    ]
    found.add(rows, ERROR, "too_long", told, "shorten it")


def _large(sides: Sides, found: Findings) -> None:
    size = sides.size
    if size > MOST_GLOSSARY_BYTES:
        row = np.searchsorted(np.cumsum(sides.sizes), MOST_GLOSSARY_BYTES)
        told = f"the glossary has {size:,} bytes as it is sent; the service takes {MOST_GLOSSARY_BYTES:,}: up to here"
        found.add(np.array([row]), ERROR, "too_large", told, "split it into several glossaries")


def _duplicates(sides: Sides, found: Findings) -> None:
    again, first = repeated(sides)
    same = np.array(
        [sides.target[row] == sides.target[at] for row, at in zip(again, first, strict=True)], dtype=bool
    )
    for code, rows, firsts in (
        ("duplicate", again[same], first[same]),
        ("conflict", again[~same], first[~same]),
    ):
        told = [_duplicate(sides, row, at) for row, at in zip(rows.tolist(), firsts.tolist(), strict=True)]
        found.add(rows, ERROR, code, told, "remove the row" if code == "duplicate" else "keep one of the two")


def _duplicate(sides: Sides, row: int, first: int) -> str:
    pair = "" if len(sides.pairs) < 2 else f" for {' to '.join(map(short, sides.pairs[sides.codes[row]]))}"
    what = f"the source stands in row {sides.label(first)} already{pair}"
    if sides.target[row] != sides.target[first]:
        what += f", there with the target {short(sides.target[first])!r}"
    places = [
        f"index {sides.indices[each]} (starting at position {sides.positions[each]})" for each in (row, first)
    ]
    return f"{what}: the service would say, key with the {places[0]} duplicates key with the {places[1]}"


def repeated(sides: Sides, *, folded: bool = False) -> tuple[Rows, Rows]:
    """The rows whose source stood in an earlier row of the same pair, and the first row of each."""
    again, firsts = (sides.folded_sources if folded else sides.sources).repeated()
    if not len(again):
        return again, firsts
    tape = sides.source.folded if folded else sides.source
    rows = np.union1d(again, firsts)
    rows = rows[tape.lengths[rows] > 0]
    first: dict[tuple[int, str], int] = {}
    found = [
        (row, at)
        for row in rows.tolist()
        if (at := first.setdefault((int(sides.codes[row]), tape[row]), row)) != row
    ]
    pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def check_name(name: str, thing: str) -> None:
    """Raise an error for what the service does not take as the name of a *thing*."""
    if not isinstance(name, str):
        raise TypeError(f"name: expected text, found {type(name).__name__}")
    if not name.strip():
        raise ValueError(f"name: expected the name of the {thing}, found only blanks")
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise ValueError("name: expected text that can be sent, found half of a surrogate pair") from None
    if size > MOST_NAME_BYTES:
        raise ValueError(
            f"name: expected at most {MOST_NAME_BYTES:,} bytes in UTF-8, found {size:,}; shorten it"
        )
