"""The findings of `check` as a table: shown beside their texts, and applied if a fix is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, NamedTuple

import pandas as pd

from svc_nb.checks.findings import CHECKS, Finding, chosen
from svc_nb.signatures import hides
from svc_nb.tabular.findings import SEVERITIES, tally
from svc_nb.tabular.report import Report, plural
from svc_nb.tabular.text_column import text_array

MOST_ROUNDS = 10
RANKS = {code: (SEVERITIES.index(severity), place) for place, (code, (severity, _)) in enumerate(CHECKS.items())}


class Checked(NamedTuple):
    """A column of translations and its findings; `again` checks other translations of the same texts."""

    source: pd.Series[Any]
    translated: pd.Series[Any]
    found: list[Finding]
    again: Callable[[pd.Series[Any]], list[Finding]]

    def table(self) -> pd.DataFrame:
        """A row for each finding, in the order of the texts, the most serious of a text first."""
        ordered = sorted(self.found, key=lambda one: (one.row, RANKS[one.code]))
        rows = [one.row for one in ordered]
        cells = {
            "row": self.source.index.take(rows),
            "position": pd.Series(rows, dtype="int64"),
            "severity": text_array([CHECKS[one.code][0] for one in ordered]),
        }
        for name in ("code", "message", "replacement", "advice"):
            # A column of texts cannot contain half of a surrogate pair.
            texts = [getattr(one, name) for one in ordered]
            cells[name] = text_array([t if t.isascii() else t.encode("utf-8", "replace").decode() for t in texts])
        return pd.DataFrame(cells)

    def fixed(self, wanted: set[tuple[int, str]]) -> pd.Series[Any]:
        """The translations with replacements for the *wanted* findings, each a position and a code.

        A replacement that leads to another finding is left out.
        """
        made = self.translated.astype(object)
        now = _by_row(self.found)
        refused: set[tuple[int, str]] = set()
        for _ in range(MOST_ROUNDS):
            steps: dict[int, Finding] = {}
            for row, some in now.items():
                for one in some:
                    if one.replacement and (row, one.code) in wanted and (row, one.code) not in refused:
                        steps.setdefault(row, one)
            if not steps:
                break
            before = made.copy()
            made.iloc[list(steps)] = [step.replacement for step in steps.values()]
            then = _by_row(self.again(made))
            while back := self._to_undo(steps, now, then, made):
                refused |= {(row, steps.pop(row).code) for row in back}
                made.iloc[back] = before.iloc[back]
                then = _by_row(self.again(made))
            now = then
        return made.astype(self.translated.dtype)

    def _to_undo(
        self,
        steps: Mapping[int, Finding],
        now: Mapping[int, list[Finding]],
        then: Mapping[int, list[Finding]],
        made: pd.Series[Any],
    ) -> list[int]:
        """The rows just changed that have caused a new finding, in themselves or in a row with the same text."""
        worse = {
            row
            for row, some in then.items()
            if Counter(one.code for one in some) - Counter(one.code for one in now.get(row, ()))
        }
        alike = [{texts.iloc[row] for row in worse} for texts in (self.source, made)]
        return [row for row in steps if row in worse or self.source.iloc[row] in alike[0] or made.iloc[row] in alike[1]]


def _by_row(found: Iterable[Finding]) -> dict[int, list[Finding]]:
    rows: dict[int, list[Finding]] = {}
    for one in sorted(found, key=lambda one: RANKS[one.code]):
        rows.setdefault(one.row, []).append(one)
    return rows


@hides("parts")
class CheckReport(Report):
    """The findings, one row each; `apply` returns the translations with the known fixes.

    `row` is the label of the text, `position` counts from 0, `replacement` is a text that can replace the translation,
    and `advice` says what to do; both may be "". If there are several columns, `column` names one. Part of the
    findings, such as the result of `query`, can be applied too.
    """

    _metadata = ["said", "marks", "_parts"]
    _parts: dict[Hashable, Checked]

    def __init__(self, parts: Mapping[Hashable, Checked], checks: int, note: str = "") -> None:
        tables = {name: part.table() for name, part in parts.items()}
        for name, table in tables.items():
            if name is not None:
                table.insert(0, "column", text_array([str(name)] * len(table)))
        frame = pd.concat(tables.values(), ignore_index=True)
        count = plural(sum(len(part.source) for part in parts.values()), "text")
        said = f"Nothing found in {count} by {plural(checks, 'check')}."
        if len(frame):
            rows = sum(table["position"].nunique() for table in tables.values())
            said = (
                f"{plural(len(frame), 'finding')} in {rows:,} of {count}: {tally(Counter(frame['severity']))}. "
                "Next: look at the errors first, .query('severity == \"error\"'); leave out a check with skip=[code]"
            )
            said += "; .apply() uses the replacements." if (frame["replacement"] != "").any() else "."
        self._set(frame, said + note, parts)

    def _set(self, frame: pd.DataFrame, said: str, parts: Mapping[Hashable, Checked]) -> None:
        super().__init__(frame, said, marks="severity")
        object.__setattr__(self, "_parts", dict(parts))

    @property
    def _constructor(self) -> Any:
        def made(*args: Any, **options: Any) -> pd.DataFrame:
            frame = pd.DataFrame(*args, **options)
            if not frame.columns.equals(self.columns):
                return frame
            some = CheckReport.__new__(CheckReport)
            said = self.said if len(frame) == len(self) else f"{len(frame):,} of {plural(len(self), 'finding')}."
            some._set(frame, said, self._parts)
            return some

        return made

    def __finalize__(self, other: Any, method: str | None = None, **options: Any) -> CheckReport:
        return self  # part of the findings has its own summary

    def apply(self, func: Any = None, *args: Any, kinds: Iterable[str] | str | None = None, **options: Any) -> Any:
        """The translations with the replacements of the findings, and no new findings.

        Every change is checked again, and left out if it would cause another finding. Returns a column, or a frame if
        several columns were checked.

        Parameters
        ----------
        kinds
            The codes to fix; by default all that have a `replacement`.
        func, args, options
            With a function, this is `DataFrame.apply`.
        """
        if func is not None:
            return super().apply(func, *args, **options)
        some = self[self["code"].isin(chosen(kinds, name="kinds"))]
        wanted: dict[str, set[tuple[int, str]]] = {}
        for column, place, code in zip(_columns(some), some["position"], some["code"], strict=True):
            wanted.setdefault(column, set()).add((place, code))
        fixed = {name: part.fixed(wanted.get(str(name), set())) for name, part in self._parts.items()}
        return fixed[None] if None in fixed else pd.DataFrame(fixed)

    def _table(self) -> str:
        """The findings with the texts beside them."""
        beside = pd.DataFrame(self)
        parts = {str(name): part for name, part in self._parts.items()}
        at = [(parts[name], place) for name, place in zip(_columns(beside), beside["position"], strict=True)]
        for name in ("source", "translated"):
            texts = [getattr(part, name).iloc[place] for part, place in at]
            beside[name] = pd.Series(texts, dtype=object, index=beside.index)
        order = ["source", "translated", "severity", "code", "message", "replacement", "advice"]
        first = [name for name in ("column", "row") if name in beside.columns]
        return Report(beside[[*first, *order]], marks="severity")._table()


def _columns(findings: pd.DataFrame) -> list[str]:
    """For each of *findings* the column with its text; "None" if only one was checked, which has no name here."""
    return findings["column"].tolist() if "column" in findings.columns else ["None"] * len(findings)
