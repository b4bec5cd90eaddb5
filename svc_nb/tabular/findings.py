"""Findings about the rows of a table, collected check by check and reported as one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.errors import InvalidRows
from svc_nb.tabular.report import Report, named, plural, short
from svc_nb.tabular.text_column import TEXT, text_array

COLUMNS = ("row", "severity", "code", "message", "suggestion")
ERROR, WARNING, INFO = "error", "warning", "info"
SEVERITIES = (ERROR, WARNING, INFO)

Rows = npt.NDArray[Any]


class Findings:
    """Findings by position; `table` puts them in the order of the rows, the most severe first."""

    def __init__(self) -> None:
        self._rows: list[Rows] = []
        self._told: list[tuple[str, str, Sequence[str], Sequence[str], str]] = []

    def add(
        self,
        rows: Rows,
        severity: str,
        code: str,
        messages: Sequence[str] | str,
        suggestions: Any = "",
        *,
        column: str = "",
    ) -> None:
        """Add one finding for each of *rows*, about a *column* or none; a single text applies to all of them."""
        count = len(rows)
        if count:
            self._rows.append(np.asarray(rows, dtype=np.int64))
            self._told.append((severity, code, _each(messages, count), _each(suggestions, count), column))

    def __len__(self) -> int:
        return sum(map(len, self._rows))

    @property
    def rows(self) -> Rows:
        """The positions of all rows with findings, each once."""
        return np.unique(np.concatenate(self._rows)) if self._rows else np.zeros(0, dtype=np.int64)

    def counts(self) -> Counter[str]:
        """How many findings there are of each severity."""
        found: Counter[str] = Counter()
        for severity, _, messages, *_ in self._told:
            found[severity] += len(messages)
        return found

    def table(self, index: pd.Index[Any], said: str = "", *, places: bool = False) -> Report:
        """The findings, with the label of each row from *index* and, on request, its position and the column."""
        rows = np.concatenate(self._rows) if self._rows else np.zeros(0, dtype=np.int64)
        ranks = np.concatenate(
            [np.full(len(part), SEVERITIES.index(told[0])) for part, told in zip(self._rows, self._told, strict=True)]
            or [rows]
        )
        order = np.lexsort((ranks, rows))
        cells = {
            "row": index.take(rows[order]),
            **({"position": rows[order], "column": self._spread(4, order)} if places else {}),
            "severity": self._spread(0, order),
            "code": self._spread(1, order),
            "message": self._texts(2, order),
            "suggestion": self._texts(3, order),
        }
        return Report(pd.DataFrame(cells), said, marks="severity")

    def invalid(
        self, index: pd.Index[Any], outcome: str, advice: str, *, lines: pd.Series[int] | None = None
    ) -> InvalidRows:
        """The error for these findings; *outcome* says what happened, with "{}" for the number of rows.

        *lines* are the lines of the rows in the file that they were read from, if any.
        """
        listed = self.table(index)
        rows = [index[row] for row in self.rows.tolist()]
        first = short(str(listed["row"].iloc[0]))
        which = named(rows)
        in_file = [] if lines is None else lines.iloc[self.rows].tolist()
        if in_file and not any(map(pd.isna, in_file)):
            first = f"{first} (line {in_file[0]})"
            in_file = list(dict.fromkeys(in_file))
            which = f"{'line' if len(in_file) == 1 else 'lines'} {named(in_file)} of the file"
        return InvalidRows(
            f"{outcome.format(plural(len(rows), 'row'))} ({which}); row {first}: {listed['message'].iloc[0]}. {advice}",
            rows=rows,
            findings=listed,
        )

    def _spread(self, which: int, order: Rows) -> Any:
        """Repeat what is the same for all findings of a check."""
        counts = [len(part) for part in self._rows]
        values = pd.array([told[which] for told in self._told], dtype=TEXT)
        return values.take(np.repeat(np.arange(len(counts)), counts)[order]) if counts else values

    def _texts(self, which: int, order: Rows) -> Any:
        flat = [text for told in self._told for text in told[which]]
        return text_array([flat[place] for place in order.tolist()])


def _each(texts: Sequence[str] | str, count: int) -> Sequence[str]:
    return [texts] * count if isinstance(texts, str) else texts


def tally(counts: Counter[str]) -> str:
    """How many findings of each severity there are, in words.

    >>> tally(Counter(error=2, info=1))
    '2 errors, 1 note'
    """
    words = {ERROR: "error", WARNING: "warning", INFO: "note"}
    return ", ".join(plural(counts[each], words[each]) for each in SEVERITIES if counts[each])
