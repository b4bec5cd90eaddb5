"""What is wrong, or may be, with a table of terms: the service's own rules first, then what people get wrong."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

import numpy as np
import pandas as pd

from svc_nb.checks import codepoints
from svc_nb.checks.term_search import Words
from svc_nb.checks.text_array import TextArray
from svc_nb.glossaries.cleaning import UNSEEN, cleaned, evened, odd_spaces
from svc_nb.glossaries.rules import broken, repeated
from svc_nb.glossaries.sides import Sides, salted
from svc_nb.tabular.findings import ERROR, INFO, WARNING, Findings, Rows, tally
from svc_nb.tabular.report import Report, plural, short

LONGEST_OVERLAP = 4
# What has more words is rather a text than a term, and is not looked through for other terms.
MOST_WORDS = 40
FORMULA = "=+-@＝＋－＠"
TOKENS = re.compile(
    r"\{\{?[^{}\s]*\}?\}|\$\{[^{}\s]*\}|%(?:\d+\$)?(?:\([^()\s]*\))?[-+#0 ]?\d*(?:\.\d+)?[a-zA-Z@](?![a-zA-Z])|"
    r"</?[A-Za-z][^<>]*>|\d+(?:[.,\u00a0\u202f'’]\d+)*"
)


def lint(table: pd.DataFrame) -> Report:
    """What the service would refuse in a table of terms (errors), and what looks wrong (warnings), a row each."""
    sides = Sides(table)
    found = findings(sides)
    return found.table(sides.table.index, _said(found.counts(), len(sides)))


def findings(sides: Sides) -> Findings:
    """All findings about a table."""
    tapes = (("source", sides.source), ("target", sides.target))
    found = broken(sides)
    _variants(sides, found)
    for name, tape in tapes:
        _unseen(name, tape, found)
        _decomposed(name, tape, found)
        _formulas(name, tape, found)
    _odd_spaces(sides, found)
    _alike(sides, found)
    _equal(sides, found)
    _chains(sides, found)
    _reversed(sides, found)
    _overlaps(sides, found)
    _tokens(sides, found)
    return found


def _said(counts: Counter[str], rows: int) -> str:
    terms = plural(rows, "term")
    if not rows:
        return "No terms, nothing to find. Next: svc_nb.glossaries.read(path)."
    if not counts.total():
        return f"{terms}, nothing found. Next: svc_nb.glossaries.push(table, name)."
    told = f"{terms}: {tally(counts)}."
    if counts[ERROR]:
        return f"{told} The service refuses errors. Next: .svc.fix() mends what is safe to mend."
    return f"{told} Nothing that the service refuses. Next: svc_nb.glossaries.push(table, name), or .svc.fix() first."


def _variants(sides: Sides, found: Findings) -> None:
    """Languages with a region: the service's glossaries have none, so it is left out when they are sent."""
    for number, (pair, meant) in enumerate(zip(sides.written.written, sides.written.meant, strict=True)):
        for name, written, code in zip(("source_lang", "target_lang"), pair, meant, strict=True):
            if code and written.strip().upper() != code:
                told = f"{name}: glossaries know no regions; {short(written)!r} is sent as {code!r}"
                found.add(sides.written.groups[number], WARNING, "region", told, code)


def _unseen(name: str, tape: TextArray, found: Findings) -> None:
    inside = (tape.kinds & codepoints.INVISIBLE) != 0
    if inside.any():
        rows = np.flatnonzero(tape.holding(inside)).tolist()
        told, offered = [], []
        for row in rows:
            unseen = {
                letter for letter in tape[row] if unicodedata.category(letter) == "Cf" or letter in UNSEEN
            }
            names = sorted(unicodedata.name(letter, f"U+{ord(letter):04X}").lower() for letter in unseen)
            told.append(
                f"the {name} has characters that nobody sees: {', '.join(names) or 'unassigned ones'}"
            )
            offered.append(cleaned(tape[row]) if unseen & set(UNSEEN) else "")
        found.add(np.array(rows), WARNING, "invisible", told, offered)


def _decomposed(name: str, tape: TextArray, found: Findings) -> None:
    rows = tape.decomposed()
    told = f"the {name} is in a decomposed Unicode form: it looks the same as the usual one, but no text matches it"
    found.add(np.array(rows), WARNING, "decomposed", told, [cleaned(tape[row]) for row in rows])


def _formulas(name: str, tape: TextArray, found: Findings) -> None:
    first = np.isin(tape.codes[tape.starts], [ord(letter) for letter in FORMULA])
    rows = np.flatnonzero(first & (tape.lengths > 1))
    told = f"a spreadsheet would run the {name} as a formula"
    found.add(rows, WARNING, "formula", told, "write files with formula_safe=True")


def _odd_spaces(sides: Sides, found: Findings) -> None:
    """Spaces within a source that texts will hardly have, and two in a row on either side."""
    for name, tape in (("source", sides.source), ("target", sides.target)):
        space = (tape.kinds & (codepoints.SPACE | codepoints.CONTROL)) == codepoints.SPACE
        odd = odd_spaces(tape) if name == "source" else np.zeros_like(space)
        odd[1:] |= space[1:] & space[:-1]
        rows = np.flatnonzero(tape.holding(odd))
        told = f"the {name} has two spaces in a row, or one of an unusual kind, which texts will hardly have"
        found.add(rows, WARNING, "odd_space", told, [evened(tape[row]) for row in rows.tolist()])


def _alike(sides: Sides, found: Findings) -> None:
    """Sources that differ only in case, width or Unicode form."""
    again, first = repeated(sides, folded=True)
    alike = zip(again.tolist(), first.tolist(), strict=True)
    unlike = [(row, at) for row, at in alike if sides.source[row] != sides.source[at]]
    told = [
        f"the source differs from that of row {sides.label(at)}, {short(sides.source[at])!r}, only in "
        f"{_difference(sides.source[row], sides.source[at])}"
        for row, at in unlike
    ]
    found.add(np.array([row for row, _ in unlike]), WARNING, "alike", told, "keep one of the two")


def _difference(one: str, other: str) -> str:
    if unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other):
        return "its Unicode form"
    if one.casefold() == other.casefold():
        return "case"
    return "spaces" if evened(one) == evened(other) else "width, case or Unicode form"


def _equal(sides: Sides, found: Findings) -> None:
    same = np.flatnonzero((sides.source_numbers == sides.target_numbers) & sides.full)
    rows = [row for row in same.tolist() if sides.source[row] == sides.target[row]]
    found.add(np.array(rows), INFO, "equal", "source and target are equal: the term is kept as it is")


def _chains(sides: Sides, found: Findings) -> None:
    """Targets that are a source of the same pair with another target: translated again, they become something else."""
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
    found.add(np.array([row for row, _ in rows]), WARNING, "chain", told)


def _reversed(sides: Sides, found: Findings) -> None:
    """Terms that the other direction of the pair translates back into something else."""
    number = {pair: code for code, pair in enumerate(sides.pairs)}
    back = np.array([number.get((target, source), -1) for source, target in sides.pairs], dtype=np.int64)
    if not (back >= 0).any():
        return
    rows = np.flatnonzero(back[sides.codes] >= 0)
    keys = sides.target_numbers[rows] ^ salted(back[sides.codes[rows]])
    places, returns = sides.sources.find(keys)
    told = [
        (row, f"the other direction, row {sides.label(at)}, makes {short(sides.target[at])!r} of the target")
        for row, at in _differing(sides, rows[places], returns)
    ]
    found.add(np.array([row for row, _ in told]), WARNING, "reversed", [text for _, text in told])


def _differing(sides: Sides, rows: Rows, returns: Rows) -> list[tuple[int, int]]:
    unlike = sides.source_numbers[rows] != sides.target_numbers[returns]
    pairs = zip(rows[unlike].tolist(), returns[unlike].tolist(), strict=True)
    return [(row, at) for row, at in pairs if sides.target[row] == sides.source[at] != ""]


def _overlaps(sides: Sides, found: Findings) -> None:
    """Terms that are a part of longer terms of the same pair."""
    words = Words(sides.source.folded)
    counts = np.bincount(words.rows, minlength=len(sides))
    inner, outer = _parts(sides, words, counts)
    times = np.bincount(inner, minlength=len(sides))
    example = np.zeros(len(sides), dtype=np.int64)
    example[inner[::-1]] = outer[::-1]
    rows = np.flatnonzero(times)
    longer = zip(times[rows].tolist(), sides.labels(example[rows]), strict=True)
    told = [
        f"the source is a part of {count} other term{'s' if count > 1 else ''} too, first in row {label}; "
        "where both fit, the longer one is used"
        for count, label in longer
    ]
    found.add(rows, INFO, "overlap", told)


def _parts(sides: Sides, words: Words, counts: Rows) -> tuple[Rows, Rows]:
    """The rows whose source is a part of that of others, and these: one of each for every place where it is."""
    tape = words.texts
    lengths = [length for length in range(1, LONGEST_OVERLAP + 1) if (counts == length).any()]
    inner, outer = [counts[:0]], [counts[:0]]
    for length in lengths:
        starts, ends, rows = words.runs(length, (counts > length) & (counts <= MOST_WORDS))
        places, terms = sides.folded_sources.find(tape.hashes(starts, ends) ^ sides.salt[rows])
        inner.append(terms)
        outer.append(rows[places])
    return np.concatenate(inner), np.concatenate(outer)


def _tokens(sides: Sides, found: Findings) -> None:
    """Numbers, placeholders and tags that are on one side only."""
    either = np.zeros(len(sides), dtype=np.bool_)
    for tape in (sides.source, sides.target):
        either |= tape.of_kind(codepoints.DIGIT | codepoints.MARKUP)
    numbers: list[tuple[int, str]] = []
    holders: list[tuple[int, str]] = []
    for row in np.flatnonzero(either & sides.full).tolist():
        first, second = (TOKENS.findall(tape[row]) for tape in (sides.source, sides.target))
        if first == second:  # as it mostly is
            continue
        before, after = (Counter(map(_plain, tokens)) for tokens in (first, second))
        if before != after:
            apart = [*(before - after), *(after - before)]
            plain = all(token[0].isdigit() for token in apart)
            (numbers if plain else holders).append((row, _only(before, after)))
    for code, told in (("number", numbers), ("placeholder", holders)):
        found.add(np.array([row for row, _ in told]), WARNING, code, [text for _, text in told])


def _plain(token: str) -> str:
    """A token for comparing: a number without the marks between its digits, in which languages differ."""
    return re.sub(r"\D", "", token) if token[0].isdigit() else token


def _only(before: Counter[str], after: Counter[str]) -> str:
    sides = [
        f"{', '.join(short(token) for token in sorted(tokens))} only in the {name}"
        for name, tokens in (("source", before - after), ("target", after - before))
        if tokens
    ]
    return "; ".join(sides)
