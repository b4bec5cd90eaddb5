"""Measures the checks of translations on the labelled set: python -m tests.benchmarks.labelled.measure --help."""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import pandas as pd

from svc_nb.checks.check import check
from tests.benchmarks.labelled.faults import SHIFTED, Fault, faults
from tests.benchmarks.labelled.pairs import HALVES, Pair, glossary, pairs

BROKEN = 5  # one row in so many is broken
Found = dict[int, set[tuple[str, str, str]]]  # by position: severity, code and message


@dataclass
class Result:
    """What the checks found in one half of the set."""

    half: str
    rows: int = 0
    flagged: list[tuple[Pair, list[tuple[str, str, str]]]] = field(default_factory=list)
    found: list[Fault] = field(default_factory=list)
    missed: list[Fault] = field(default_factory=list)
    right_alarms: int = 0
    false_alarms: int = 0

    @property
    def recall(self) -> float:
        """The share of faults that is found."""
        return len(self.found) / max(1, len(self.found) + len(self.missed))

    @property
    def precision(self) -> float:
        """The share of really broken rows among those with a warning or an error, with one row in five broken."""
        return self.right_alarms / max(1, self.right_alarms + self.false_alarms)

    @property
    def false_rate(self) -> float:
        """The share of right pairs with a warning or an error, in columns without any fault."""
        return len(self.flagged) / max(1, self.rows)

    def by_kind(self) -> dict[str, tuple[int, int]]:
        """How many faults of each kind were found, and how many there are."""
        found = Counter(fault.kind for fault in self.found)
        return {kind: (found[kind], count) for kind, count in Counter(f.kind for f in self.found + self.missed).items()}


def measure(half: str, only: str | None = None) -> Result:
    """Check all columns of a half, right and broken; *only* takes one language."""
    result = Result(half)
    columns, broken = defaultdict(list), defaultdict(list)
    for pair in pairs():
        if pair.half == half and only in (None, pair.lang):
            columns[pair.lang].append(pair)
    for fault in faults():
        if fault.half == half and only in (None, fault.pair.lang):
            broken[fault.pair.lang].append(fault)
    for lang, column in columns.items():
        right = _findings(lang, column, [pair.target for pair in column])
        result.rows += len(column)
        result.flagged += [(pair, alarms) for row, pair in enumerate(column) if (alarms := _alarms(right[row]))]
        for some in _spread(broken[lang], len(column) // BROKEN):
            _count(result, lang, column, right, {fault.pair.number: fault for fault in some})
    return result


def _findings(lang: str, column: list[Pair], targets: list[str]) -> Found:
    sources = pd.Series([pair.source for pair in column])
    report = check(sources, pd.Series(targets), source_lang="en", target_lang=lang, glossary=glossary(lang) or None)
    found: Found = {row: set() for row in range(len(column))}
    for row, *finding in zip(*(report[name] for name in ("position", "severity", "code", "message")), strict=True):
        found[row].add(tuple(finding))
    return found


def _alarms(findings: set[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return sorted(one for one in findings if one[0] in ("warning", "error"))


def _spread(some: list[Fault], size: int) -> list[list[Fault]]:
    """Faults in groups of at most *size* with different pairs; a block of shifted rows stays together."""
    some = sorted(some, key=lambda fault: (fault.kind != SHIFTED, random.Random(fault.target + fault.kind).random()))
    groups: list[list[Fault]] = []
    for fault in some:
        free = (group for group in groups if len(group) < size and all(fault.pair != one.pair for one in group))
        group = next(free, None)
        if group is None:
            groups.append(group := [])
        group.append(fault)
    return groups


def _count(result: Result, lang: str, column: list[Pair], right: Found, broken: dict[int, Fault]) -> None:
    # A translation is inconsistent only beside others of the same source.
    again = [fault.pair for fault in broken.values() if fault.kind == "inconsistent" for _ in range(2)]
    targets = [broken[pair.number].target if pair.number in broken else pair.target for pair in column]
    found = _findings(lang, column + again, targets + [pair.target for pair in again])
    for row, pair in enumerate(column + again):
        fault = broken.get(pair.number) if row < len(column) else None
        if fault is None:
            result.false_alarms += bool(_alarms(found[row]))
            continue
        result.right_alarms += bool(_alarms(found[row]))
        new = found[row] - right[row]
        enough = new if fault.severity == "note" else _alarms(new)
        (result.found if enough else result.missed).append(fault)


def summary(results: list[Result]) -> str:
    """The figures of some halves as Markdown."""
    lines = ["| | " + " | ".join(one.half for one in results) + " |", "|---|" + "---:|" * len(results)]
    figures = {
        "right pairs": [f"{one.rows:,}" for one in results],
        "faults": [f"{len(one.found) + len(one.missed):,}" for one in results],
        "precision": [f"{one.precision:.1%}" for one in results],
        "recall": [f"{one.recall:.1%}" for one in results],
        "right pairs flagged": [f"{one.false_rate:.1%}" for one in results],
    }
    lines += [f"| {name} | " + " | ".join(values) + " |" for name, values in figures.items()]
    kinds = [one.by_kind() for one in results]
    severity = {fault.kind: fault.severity for one in results for fault in one.found + one.missed}
    lines += ["", "| kind | deserves | " + " | ".join(f"found, {one.half}" for one in results) + " |"]
    lines += ["|---|---|" + "---:|" * len(results)]
    for kind in sorted(severity):
        cells = ["{} of {}".format(*one.get(kind, (0, 0))) for one in kinds]
        lines.append(f"| {kind.replace('_', ' ')} | {severity[kind]} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print the figures, or with options what was missed or wrongly flagged."""
    parser = argparse.ArgumentParser(description="How well the checks find faults in translations.")
    parser.add_argument("--half", choices=[*HALVES, "both"], default="both")
    parser.add_argument("--language", help="only this target language")
    parser.add_argument(
        "--misses", metavar="KIND", help="print the missed faults of a kind (tuned half by default), or all"
    )
    parser.add_argument("--false", action="store_true", help="print the right pairs that are flagged, by code")
    asked = parser.parse_args()
    halves = HALVES if asked.half == "both" else (asked.half,)
    if (asked.misses or asked.false) and asked.half == "both":
        halves = HALVES[:1]  # what is held back is not looked at while checks are changed
    results = [measure(half, asked.language) for half in halves]
    for result in results if asked.misses else ():
        for fault in result.missed:
            if asked.misses in (fault.kind, "all"):
                print(
                    fault.kind,
                    fault.pair.lang,
                    *map(repr, (fault.pair.source, fault.pair.target, fault.target)),
                    sep="\n  ",
                )
    by_code = defaultdict(list)
    for result in results if asked.false else ():
        for pair, alarms in result.flagged:
            for _, code, message in alarms:
                by_code[code].append(
                    f"  {pair.lang} {pair.package}: {message}\n    {pair.source!r}\n    {pair.target!r}"
                )
    for code, examples in sorted(by_code.items(), key=lambda one: -len(one[1])):
        print(f"{code}: {len(examples)}", *examples, sep="\n")
    if not (asked.misses or asked.false):
        print(summary(results))


if __name__ == "__main__":
    main()
