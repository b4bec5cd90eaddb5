"""What is wrong, or may be, with a table of terms: the service's own rules first, then common mistakes.

Each rule is a check over all rows at once.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

import numpy as np
import pandas as pd

from svc_nb.advice import Call
from svc_nb.checks import codepoints
from svc_nb.checks.service_terms import broken, repeated
from svc_nb.checks.term_arrays import TermArrays, salted
from svc_nb.checks.term_search import Words
from svc_nb.checks.text_array import Bools, TextArray
from svc_nb.tabular.cells import INVISIBLE, JOINERS, cleaned, evened, has_edge_joiner
from svc_nb.tabular.findings import ERROR, INFO, WARNING, Findings, tally
from svc_nb.tabular.report import Report, plural, short
from svc_nb.tabular.terms import HEADINGS, LINE, TERM_COLUMNS, UNQUOTED
from svc_nb.tabular.text_column import text_array

LONGEST_OVERLAP = 4
# With more words than this it is a text rather than a term, and is not searched for other terms.
MOST_WORDS = 40
FORMULA = "=+-@＝＋－＠"
TOKENS = re.compile(
    r"\{\{?[^{}\s]*\}?\}|\$\{[^{}\s]*\}|%(?:\d+\$)?(?:\([^()\s]*\))?[-+#0 ]?\d*(?:\.\d+)?[a-zA-Z@](?![a-zA-Z])|"
    r"</?[A-Za-z][^<>]*>|\d+(?:[.,\u00a0\u202f'’]\d+)*"
)


# Separators between two translations in one cell; an entity such as &amp; has its own semicolon.
BETWEEN = re.compile(r"(?<=\S)(?:\s+/\s+|\s*(?:;|\|)\s*)(?=\S)")
ENTITY = re.compile(r"&#?\w+;")


def lint(table: pd.DataFrame) -> Report:
    """What the service would refuse in a table of terms (errors), and what looks wrong (warnings), one row each."""
    sides = TermArrays(table)
    found = findings(sides)
    terms, counts, push = plural(len(sides), "term"), found.counts(), "svc_nb.glossaries.push(table, name)"
    if not len(sides):
        said = "No terms, so nothing to check. Next: svc_nb.glossaries.read(path)."
    elif not counts:
        said = f"{terms}, no findings. Next: {push}."
    else:
        said = f"{terms}: {tally(counts)}. The service accepts all of it. Next: {push}, or {Call('.svc.fix')} first."
        if counts[ERROR]:
            refused = f"The service will not accept rows with errors. Next: {Call('.svc.fix')} applies the safe fixes."
            said = f"{terms}: {tally(counts)}. {refused}"
    if sides.lines is None:
        return found.table(sides.table.index, said)
    placed = found.table(sides.table.index, places=True)
    return Report(_in_file(placed, sides, sides.lines), said, marks="severity")


def _in_file(placed: pd.DataFrame, sides: TermArrays, lines: pd.Series[int]) -> pd.DataFrame:
    """Findings with the line, the pair and, if known, the heading of the cell in the file."""
    headings = sides.table.attrs.get(HEADINGS, {})
    rows, about = placed.pop("position").to_numpy(), placed.pop("column").tolist()
    pairs, columns = [], []
    for row, column in zip(rows.tolist(), about, strict=True):
        pair = sides.written.written[sides.written.codes[row]]
        language = pair[TERM_COLUMNS.index(column)] if column in TERM_COLUMNS else ""
        pairs.append(" to ".join(map(short, pair)))
        columns.append(headings.get(column) or headings.get(language) or column)
    placed.insert(1, LINE, lines.take(rows).reset_index(drop=True))
    placed.insert(2, "pair", text_array(pairs))
    placed.insert(3, "column", text_array(columns))
    return placed


def findings(sides: TermArrays) -> Findings:
    """All findings about a table."""
    found = broken(sides)
    for check in CHECKS:
        check(sides, found)
    return found


def regions(sides: TermArrays, found: Findings) -> None:
    """Languages with a region: the service's glossaries have no regions, so they are left out when terms are sent."""
    for number, (pair, meant) in enumerate(zip(sides.written.written, sides.written.meant, strict=True)):
        for name, written, code in zip(("source_lang", "target_lang"), pair, meant, strict=True):
            if code and written.strip().upper() != code:
                told = f"{name}: glossaries have no regions, so {short(written)!r} is sent as {code!r}"
                found.add(sides.written.groups[number], WARNING, "region", told, code, column=name)


def characters(sides: TermArrays, found: Findings) -> None:
    """Invisible characters, decomposed Unicode forms, and texts that a spreadsheet would run."""
    for name, tape in (("source", sides.source), ("target", sides.target)):
        inside = (tape.kinds & codepoints.INVISIBLE) != 0
        rows = np.flatnonzero(tape.holding(inside)).tolist() if inside.any() else []
        told, offered = [], []
        for row in rows:
            unseen = {each for each in tape[row] if unicodedata.category(each) == "Cf" or each in INVISIBLE}
            names = sorted(unicodedata.name(letter, f"U+{ord(letter):04X}").lower() for letter in unseen)
            told.append(f"the {name} has invisible characters: {', '.join(names) or 'unassigned ones'}")
            offered.append(cleaned(tape[row]) if unseen & set(INVISIBLE) else "")
        found.add(np.array(rows), WARNING, "invisible", told, offered, column=name)
        rows = [row for row in np.flatnonzero(edge_joiners(tape)).tolist() if has_edge_joiner(tape[row])]
        joined = f"the {name} begins or ends with an invisible zero-width joiner or non-joiner"
        found.add(np.array(rows), WARNING, "joiner", joined, [cleaned(tape[row]) for row in rows], column=name)
        rows = tape.decomposed()
        form = (
            f"the {name} is in a decomposed Unicode form: it looks the same as the usual form, but does not match texts"
        )
        found.add(np.array(rows), WARNING, "decomposed", form, [cleaned(tape[row]) for row in rows], column=name)
        first = np.isin(tape.codes[tape.starts], [ord(letter) for letter in FORMULA])
        formulas = np.flatnonzero(first & (tape.lengths > 1))
        runs = f"a spreadsheet would run the {name} as a formula"
        found.add(formulas, WARNING, "formula", runs, "write files with formula_safe=True", column=name)


def unquoted(sides: TermArrays, found: Findings) -> None:
    """Terms of a .csv that begin with a space when few others do: a comma before them may have shifted the row."""
    lines = sides.table.attrs.get(UNQUOTED)
    if lines and sides.lines is not None:
        rows = np.flatnonzero(sides.lines.isin(lines).to_numpy(dtype=np.bool_))
        told = "the line has a space after a comma: the comma may be part of a term, and the cells after it shifted"
        found.add(rows, WARNING, "unquoted", told, "check the line; put a term with a comma in double quotes")


def edge_joiners(tape: TextArray) -> Bools:
    """Which texts begin or end with a zero-width joiner or non-joiner."""
    joiners = [ord(letter) for letter in JOINERS]
    first, last = (np.isin(tape.codes[at], joiners) for at in (tape.starts, tape.ends - 1))
    edged: Bools = (first | last) & (tape.lengths > 0)
    return edged


def equal(sides: TermArrays, found: Findings) -> None:
    """Terms that are the same in both languages."""
    same = np.flatnonzero((sides.source_numbers == sides.target_numbers) & sides.full)
    rows = [row for row in same.tolist() if sides.source[row] == sides.target[row]]
    found.add(np.array(rows), INFO, "equal", "source and target are equal: the term stays untranslated")


def odd_spaces(tape: TextArray) -> Bools:
    """The positions of spaces other than the plain one and the wide one of Chinese and Japanese."""
    space = (tape.kinds & (codepoints.SPACE | codepoints.CONTROL)) == codepoints.SPACE
    odd: Bools = space & (tape.codes != 0x20) & (tape.codes != 0x3000)
    return odd


def spacing(sides: TermArrays, found: Findings) -> None:
    """Spaces within a source that texts are unlikely to have, and double spaces on either side."""
    for name, tape in (("source", sides.source), ("target", sides.target)):
        space = (tape.kinds & (codepoints.SPACE | codepoints.CONTROL)) == codepoints.SPACE
        odd = odd_spaces(tape) if name == "source" else np.zeros_like(space)
        odd[1:] |= space[1:] & space[:-1]
        rows = np.flatnonzero(tape.holding(odd))
        told = f"the {name} contains a double or unusual space that texts are unlikely to contain"
        found.add(rows, WARNING, "odd_space", told, [evened(tape[row]).strip() for row in rows.tolist()], column=name)


def several(sides: TermArrays, found: Findings) -> None:
    """Targets that may be two translations: with `;`, `|`, or a slash between spaces that the source does not have."""
    marks = np.isin(sides.target.codes, [ord(mark) for mark in ";|/"])
    rows = []
    for row in np.flatnonzero(sides.target.holding(marks) & sides.full).tolist():
        source, target = (ENTITY.sub("x", tape[row]) for tape in (sides.source, sides.target))
        if BETWEEN.search(target) and not BETWEEN.search(source):
            rows.append(row)
    told = "there may be two translations in one cell; the service uses the target as a whole"
    found.add(np.array(rows), WARNING, "several", told, "keep one of them", column="target")


def alike(sides: TermArrays, found: Findings) -> None:
    """Sources that differ only in case, width or Unicode form."""
    again, first = repeated(sides, folded=True)
    alike = zip(again.tolist(), first.tolist(), strict=True)
    unlike = [(row, at) for row, at in alike if sides.source[row] != sides.source[at]]
    told = [
        f"the source differs from that of row {sides.label(at)}, {short(sides.source[at])!r}, only in "
        f"{_difference(sides.source[row], sides.source[at])}"
        for row, at in unlike
    ]
    found.add(np.array([row for row, _ in unlike]), WARNING, "alike", told, "keep one of the two", column="source")


def _difference(one: str, other: str) -> str:
    if unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other):
        return "its Unicode form"
    if one.casefold() == other.casefold():
        return "case"
    return "spaces" if evened(one) == evened(other) else "width, case or Unicode form"


def chains(sides: TermArrays, found: Findings) -> None:
    """Targets that are also a source of the same pair with another target: translated again, they change."""
    linked, nexts = sides.sources.find(sides.target_numbers ^ sides.salt)
    rows = [
        (row, at)
        for row, at in zip(linked.tolist(), nexts.tolist(), strict=True)
        if row != at
        and sides.source[at] == sides.target[row] != ""
        and sides.target[row] not in (sides.source[row], sides.target[at])
    ]
    told = [
        f"the target is itself the source of row {sides.label(at)}, which makes it {short(sides.target[at])!r}"
        for row, at in rows
    ]
    found.add(np.array([row for row, _ in rows]), WARNING, "chain", told, column="target")


def other_direction(sides: TermArrays, found: Findings) -> None:
    """Terms that the other direction of the pair translates back differently."""
    number = {pair: code for code, pair in enumerate(sides.pairs)}
    back = np.array([number.get((target, source), -1) for source, target in sides.pairs], dtype=np.int64)
    if not (back >= 0).any():
        return
    rows = np.flatnonzero(back[sides.codes] >= 0)
    keys = sides.target_numbers[rows] ^ salted(back[sides.codes[rows]])
    places, returns = sides.sources.find(keys)
    rows = rows[places]
    unlike = sides.source_numbers[rows] != sides.target_numbers[returns]
    told = [
        (row, f"the other direction, row {sides.label(at)}, translates the target as {short(sides.target[at])!r}")
        for row, at in zip(rows[unlike].tolist(), returns[unlike].tolist(), strict=True)
        if sides.target[row] == sides.source[at] != ""
    ]
    found.add(np.array([row for row, _ in told]), WARNING, "reversed", [text for _, text in told], column="target")


def overlaps(sides: TermArrays, found: Findings) -> None:
    """Terms that are a part of longer terms of the same pair."""
    words = Words(sides.source.folded)
    counts = np.bincount(words.rows, minlength=len(sides))
    # The rows whose source is part of another, and those others: one pair for every occurrence.
    inners, outers = [counts[:0]], [counts[:0]]
    for length in range(1, LONGEST_OVERLAP + 1):
        if (counts == length).any():
            starts, ends, rows = words.runs(length, (counts > length) & (counts <= MOST_WORDS))
            keys = words.texts.hashes(starts, ends) ^ sides.salt[rows]
            places, terms = sides.folded_sources.find(keys)
            inners.append(terms)
            outers.append(rows[places])
    inner, outer = np.concatenate(inners), np.concatenate(outers)
    times = np.bincount(inner, minlength=len(sides))
    example = np.zeros(len(sides), dtype=np.int64)
    example[inner[::-1]] = outer[::-1]
    rows = np.flatnonzero(times)
    longer = zip(times[rows].tolist(), sides.labels(example[rows]), strict=True)
    told = [
        f"the source is also part of {count} other term{'s' if count > 1 else ''}, first in row {label}; if both "
        "match, the longer one is used"
        for count, label in longer
    ]
    found.add(rows, INFO, "overlap", told, column="source")


def tokens(sides: TermArrays, found: Findings) -> None:
    """Numbers, placeholders and tags that are on one side only."""
    either = np.zeros(len(sides), dtype=np.bool_)
    for tape in (sides.source, sides.target):
        either |= tape.of_kind(codepoints.DIGIT | codepoints.MARKUP)
    numbers: list[tuple[int, str]] = []
    holders: list[tuple[int, str]] = []
    for row in np.flatnonzero(either & sides.full).tolist():
        first, second = (TOKENS.findall(tape[row]) for tape in (sides.source, sides.target))
        if first == second:  # the usual case
            continue
        # Numbers without the marks between their digits, because these differ between languages.
        before, after = (
            Counter(re.sub(r"\D", "", token) if token[0].isdigit() else token for token in tokens)
            for tokens in (first, second)
        )
        if before != after:
            apart = [*(before - after), *(after - before)]
            plain = all(token[0].isdigit() for token in apart)
            sides_lacking = (("target", before - after), ("source", after - before))
            lacking = [_missing(tokens, name, are_numbers=plain) for name, tokens in sides_lacking if tokens]
            (numbers if plain else holders).append((row, "; ".join(lacking)))
    for code, told in (("number", numbers), ("placeholder", holders)):
        found.add(np.array([row for row, _ in told]), WARNING, code, [text for _, text in told])


def _missing(tokens: Counter[str], name: str, *, are_numbers: bool) -> str:
    """The *tokens* that are missing from the side called *name*, in words."""
    several = len(tokens) > 1
    what = f"the number{'s' if several else ''} " if are_numbers else ""
    return f"{what}{', '.join(map(short, sorted(tokens)))} {'are' if several else 'is'} missing from the {name}"


CHECKS = (regions, unquoted, characters, spacing, several, alike, equal, chains, other_direction, overlaps, tokens)
