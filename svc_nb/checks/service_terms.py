"""Terms in the form of the service: what it would refuse in a table of terms, and its dictionaries."""

from itertools import pairwise

import numpy as np
import pandas as pd

from svc_nb.advice import Call
from svc_nb.checks import codepoints
from svc_nb.checks.term_arrays import TermArrays, spotless
from svc_nb.checks.text_array import TextArray, joined, rows_joined
from svc_nb.language_codes import as_bcp47
from svc_nb.tabular.cells import cleaned
from svc_nb.tabular.findings import ERROR, Findings, Rows
from svc_nb.tabular.report import short
from svc_nb.tabular.terms import LANGUAGES, TERM_COLUMNS, language_of
from svc_nb.wire.models import Dictionary

MOST_TERM_BYTES = 1024
MOST_GLOSSARY_BYTES = 10 * 1024 * 1024
MOST_PER_ACCOUNT = 1000
HALVES = (0xD800, 0xDFFF)


def broken(sides: TermArrays) -> Findings:
    """Everything that the service would refuse, row by row."""
    found = Findings()
    languages(sides, found)
    for name in TERM_COLUMNS:
        if not sides.has_tape(name) and spotless(sides.table[name], most_bytes=MOST_TERM_BYTES):
            continue
        refused_terms(name, getattr(sides, name), found)
    duplicates(sides, found)
    size = sides.size
    if size > MOST_GLOSSARY_BYTES:
        row = np.searchsorted(np.cumsum(sides.sizes), MOST_GLOSSARY_BYTES)
        told = f"the glossary has {size:,} bytes when sent; the service accepts {MOST_GLOSSARY_BYTES:,}, up to this row"
        found.add(np.array([row]), ERROR, "too_large", told, "split it into several glossaries")
    return found


def refuse(sides: TermArrays, *, doing: str = "sent") -> None:
    """Raise InvalidRows, with all findings, if the service would refuse something."""
    found = broken(sides)
    if len(found):
        raise found.invalid(
            sides.table.index,
            f"Nothing was {doing}: the service would refuse {{}}",
            f"{Call('.svc.lint')} lists all problems, {Call('.svc.fix')} applies the safe fixes",
            lines=sides.lines,
        )


def languages(sides: TermArrays, found: Findings) -> None:
    """Languages that no glossary can have, and pairs of one language with itself."""
    for number, (source, target) in enumerate(sides.pairs):
        for name, code in (("source_lang", source), ("target_lang", target)):
            if code not in LANGUAGES:
                what = f"a glossary cannot have the language {short(code)!r}" if code else "it is empty"
                rows = sides.groups[number]
                found.add(rows, ERROR, "language", f"{name}: {what}", language_of(code) or "", column=name)
        if source == target:
            told = f"source and target have the same language, {short(source)!r}"
            found.add(sides.groups[number], ERROR, "same_language", told)


def refused_terms(name: str, tape: TextArray, found: Findings) -> None:
    """Everything that the service refuses in the terms of one side."""
    rows = np.flatnonzero(tape.lengths == 0)
    found.add(rows, ERROR, "empty", f"the {name} is empty", f"fill in the {name}, or remove the row", column=name)
    both = codepoints.kinds(tape.codes[tape.starts]) | codepoints.kinds(tape.codes[tape.ends - 1])
    edged = ((both & codepoints.SPACE) != 0) & (tape.lengths > 0)
    controls = tape.of_kind(codepoints.CONTROL) if tape.has_controls() else np.zeros(0)
    for code, where, what in (
        ("control", controls, "a control character or a line break"),
        ("edge_space", edged, "space at its beginning or end"),
    ):
        rows = np.flatnonzero(where)
        better = [cleaned(tape[row]) for row in rows.tolist()]
        found.add(rows, ERROR, code, f"the {name} has {what}", better, column=name)
    if tape.has_halves():
        rows = np.flatnonzero(tape.holding((tape.codes >= HALVES[0]) & (tape.codes <= HALVES[1])))
        half = f"the {name} has half of a surrogate pair, which cannot be sent"
        found.add(rows, ERROR, "surrogate", half, column=name)
    if tape.lengths.max(initial=0) * 4 > MOST_TERM_BYTES:
        rows = np.flatnonzero(tape.sizes > MOST_TERM_BYTES)
        told = [
            f"the {name} has {tape.sizes[row]:,} bytes in UTF-8; the service accepts {MOST_TERM_BYTES:,}"
            for row in rows.tolist()
        ]
        found.add(rows, ERROR, "too_long", told, "shorten it", column=name)


def duplicates(sides: TermArrays, found: Findings) -> None:
    """Sources that appear earlier in the same pair, with the same target or another."""
    again, first = repeated(sides)
    same = np.array([sides.target[row] == sides.target[at] for row, at in zip(again, first, strict=True)], dtype=bool)
    for code, rows, firsts in (("duplicate", again[same], first[same]), ("conflict", again[~same], first[~same])):
        told = []
        for row, at in zip(rows.tolist(), firsts.tolist(), strict=True):
            pair = " to ".join(map(short, sides.pairs[sides.codes[row]])) if len(sides.pairs) > 1 else ""
            what = f"this term is already in row {sides.label(at)}{f' for {pair}' if pair else ''}"
            if code == "conflict":
                what += f", translated as {short(sides.target[at])!r}"
            own_pair, its_pair = (sides.written.written[sides.written.codes[each]] for each in (row, at))
            regions = [
                f"{short(one)} and {short(two)}" for one, two in zip(its_pair, own_pair, strict=True) if one != two
            ]
            if regions:
                what += f" (glossaries know no regions: {' and '.join(regions)} are one language there)"
            own, other = (
                f"key with the index {sides.indices[each]} (starting at position {sides.positions[each]})"
                for each in (row, at)
            )
            told.append(f"{what}: the service would say, {own} duplicates {other}")
        advice = "remove the row" if code == "duplicate" else "keep one of the two"
        found.add(rows, ERROR, code, told, advice, column="source")


def repeated(sides: TermArrays, *, folded: bool = False) -> tuple[Rows, Rows]:
    """The rows whose source appears in an earlier row of the same pair, and the first row of each."""
    again, firsts = (sides.folded_sources if folded else sides.sources).repeated()
    if not len(again):
        return again, firsts
    tape = sides.source.folded if folded else sides.source
    rows = np.union1d(again, firsts)
    rows = rows[tape.lengths[rows] > 0]
    first: dict[tuple[int, str], int] = {}
    found = [
        (row, at) for row in rows.tolist() if (at := first.setdefault((int(sides.codes[row]), tape[row]), row)) != row
    ]
    pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def to_dictionaries(table: pd.DataFrame) -> list[Dictionary]:
    """A dictionary for each language pair of a table, as `session.client.glossaries.create(name, ...)` takes them.

    Raises InvalidRows, with the rows, for anything that the service would refuse.
    """
    sides = TermArrays(table)
    refuse(sides)
    lines = rows_joined([sides.table[name] for name in TERM_COLUMNS], "\t")
    ordered = lines if len(sides.pairs) < 2 else lines.take(sides.groups.order)
    bounds = pairwise(sides.groups.bounds.tolist())
    return [
        Dictionary(as_bcp47(source_lang), as_bcp47(target_lang), joined(ordered[start:end]))
        for (source_lang, target_lang), (start, end) in zip(sides.pairs, bounds, strict=True)
    ]
