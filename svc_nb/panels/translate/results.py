"""The result of a run as a table: a row for each cell that was asked for, and what is to be looked at in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.columns.job import UNSENT_WORDS, TextJob
from svc_nb.columns.protection import LOST
from svc_nb.columns.text import GLOSSARY_LACKS_PAIR, LANGUAGE_UNKNOWN
from svc_nb.engine.outcome import ANSWERED, FAILED, MARKED, SKIPPED, UNSENT
from svc_nb.engine.plan import NO_TRANSLATOR
from svc_nb.panels.columns import told_apart, written
from svc_nb.panels.grid import Field
from svc_nb.panels.translate.order import Order
from svc_nb.panels.translate.speech import SKIPPED_WORDS
from svc_nb.tabular.column import text_array

ALL, PROBLEMS, FOUND = "all", "problems", "findings"
SHOWN = (ALL, PROBLEMS, MARKED, FAILED, UNSENT, FOUND)
GRAVE = ("error", "warning")
STATUS_WORDS = {"open": "waiting", MARKED: "NOT TRANSLATED", UNSENT: "not sent"}
NO_PAIR = "without the glossary: it has no terms for this pair"
NO_LANGUAGE = "without the glossary: the language of the text is unknown"
REASON_WORDS = {
    **SKIPPED_WORDS,
    **UNSENT_WORDS,
    LOST: "protected parts were lost",
    NO_TRANSLATOR: "no translator has the pair, so the text was only marked",
    GLOSSARY_LACKS_PAIR: NO_PAIR,
    LANGUAGE_UNKNOWN: NO_LANGUAGE,
}
NO_FINDINGS = pd.DataFrame(columns=["place", "position", "severity", "code", "message", "suggestion"])
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Results:
    """`table` has for every column, target and row: source, text, status, reason and cost; its index is 0, 1, 2, …

    `found` are findings about its rows, by their place in it.
    """

    table: pd.DataFrame
    found: pd.DataFrame = field(default_factory=lambda: NO_FINDINGS)

    @classmethod
    def of(cls, job: TextJob, frame: pd.DataFrame, order: Order) -> Results:
        """What came so far of *job*, which was made of *frame* for *order*."""
        told = job.table().reset_index(drop=True)
        blocks = len(order.columns) * len(order.targets)
        each = len(frame) * len(order.targets)
        table = told.assign(
            row=_tiled(_labels(frame.index), blocks),
            column=np.repeat(np.array([written(label) for label in order.columns], dtype=object), each),
            source=_sources(frame, order),
        )
        first = ["row", "column", "target_lang", "source", "text", "status", "reason"]
        return cls(table[[*first, *(name for name in told.columns if name not in first)]])

    def with_findings(self, found: pd.DataFrame) -> Results:
        """The same rows with what was *found* about them."""
        return replace(self, found=found)

    @cached_property
    def shown(self) -> pd.DataFrame:
        """The table with the findings of each row in a word or two."""
        words = np.full(len(self.table), "", dtype=object)
        codes: dict[int, dict[str, None]] = {}
        for place, code in zip(self.found["place"].tolist(), self.found["code"].tolist(), strict=True):
            codes.setdefault(place, {})[code.replace("_", " ")] = None
        for place, some in codes.items():
            words[place] = ", ".join(some)
        return self.table.assign(findings=words)

    def count(self, kind: str) -> int:
        """How many rows there are of a kind."""
        return int(self._mask(kind).sum())

    def only(self, kind: str) -> pd.DataFrame:
        """The rows of a kind: "all", "problems", "marked", "failed", "unsent" or "findings"."""
        return self.shown if kind == ALL else self.shown[self._mask(kind)]

    def _mask(self, kind: str) -> Mask:
        if kind == ALL:
            return np.ones(len(self.table), dtype=bool)
        if kind in (MARKED, FAILED, UNSENT):
            return self._is(kind)
        if kind == FOUND:
            return self._at(self.found)
        return self._is(MARKED) | self._is(FAILED) | self._is(UNSENT) | self._at(self._grave)

    def _is(self, status: str) -> Mask:
        return np.asarray(self.table["status"].to_numpy(dtype=object) == status, dtype=bool)

    def _at(self, found: pd.DataFrame) -> Mask:
        mask = np.zeros(len(self.table), dtype=bool)
        mask[found["place"].to_numpy(dtype=np.intp)] = True
        return mask

    @property
    def _grave(self) -> pd.DataFrame:
        return self.found[self.found["severity"].isin(GRAVE)]

    @cached_property
    def marks(self) -> dict[Any, str]:
        """How rows look, by their place."""
        marks = dict.fromkeys(np.flatnonzero(self._is(SKIPPED)).tolist(), "faded")
        marks |= dict.fromkeys(np.flatnonzero(self._is(MARKED) | self._is(UNSENT)).tolist(), "warning")
        for severity in ("warning", "error"):
            some = self.found["place"][self.found["severity"] == severity]
            marks |= dict.fromkeys(some.tolist(), severity)
        return marks | dict.fromkeys(np.flatnonzero(self._is(FAILED)).tolist(), "error")

    @cached_property
    def notes(self) -> dict[Any, str]:
        """What is told about rows on top of their cells, by their place."""
        notes: dict[Any, list[str]] = {}
        for place in np.flatnonzero(self._is(MARKED) | self._is(FAILED) | self._is(UNSENT)).tolist():
            status, reason = (_plain(self.table[name].iat[place]) for name in ("status", "reason"))
            notes[place] = [f"{status_of(status)}: {reason_of(reason)}"]
        for place, message in zip(self.found["place"].tolist(), self.found["message"].tolist(), strict=True):
            notes.setdefault(place, []).append(message)
        return {place: "; ".join(lines) for place, lines in notes.items()}

    @cached_property
    def fields(self) -> list[Field]:
        """The columns to show; what says the same in every row is left out."""
        kind = "number" if pd.api.types.is_integer_dtype(self.table["row"].dtype) else "text"
        named = {"column": "Column", "target_lang": "Into"}
        told = [name for name in named if self.table[name].nunique() > 1]
        return [
            Field("row", "Row", text_of, kind=kind),
            *(Field(name, named[name], text_of, kind="text") for name in told),
            Field("source", "Source", text_of, kind="text"),
            Field("text", "Translation", text_of, kind="text"),
            Field("status", "Status", status_of, kind="text"),
            Field("reason", "Reason", reason_of, kind="text"),
            Field("findings", "Findings", text_of, kind="text"),
        ]

    def detail(self, place: int) -> dict[str, Any]:
        """A row with its whole texts, for a person to read."""
        cells = {name: _plain(self.table[name].iat[place]) for name in self.table.columns}
        some = self.found[self.found["place"] == place]
        findings = some[["severity", "message", "suggestion"]].to_dict("records")
        return {
            "head": f"Row {cells['row']}, {cells['column']} into {cells['target_lang']}",
            "source": cells["source"],
            "text": cells["text"],
            "languages": [_language(cells["detected_source_lang"]), _language(cells["target_lang"])],
            "facts": " · ".join(_facts(cells)),
            "findings": findings,
        }


def text_of(cell: Any) -> str:
    """A cell as text; nothing for a gap."""
    return "" if cell is None else str(cell)


def status_of(cell: Any) -> str:
    """What came of a row, in a word that people know."""
    return STATUS_WORDS.get(cell, text_of(cell))


def reason_of(cell: Any) -> str:
    """Why, in words; what the service said stays as it is."""
    return REASON_WORDS.get(cell, text_of(cell))


def _facts(cells: Mapping[str, Any]) -> list[str]:
    from_store = ", from the store" if cells["from_store"] else ""
    facts = [f"{status_of(cells['status'])}{from_store}"]
    if cells["reason"]:
        facts.append(reason_of(cells["reason"]))
    if cells["status"] in ANSWERED and not cells["from_store"]:
        facts.append(f"{cells['billed_characters']:,} characters billed")
    if cells["http_status"]:
        facts.append(f"HTTP {cells['http_status']}")
    if cells["trace_id"]:
        facts.append(f"trace {cells['trace_id']}")
    return facts


def _plain(cell: Any) -> Any:
    if pd.isna(cell):
        return None
    return cell.item() if isinstance(cell, np.generic) else cell


def _language(code: Any) -> str:
    return str(code or "").lower()


def _labels(index: pd.Index[Any]) -> Any:
    """The labels of rows as they can be shown and sorted: numbers as they are, all else as texts."""
    if pd.api.types.is_integer_dtype(index.dtype) and not isinstance(index, pd.MultiIndex):
        return index.to_numpy()
    return text_array([written(label) for label in index])


def _tiled(labels: Any, times: int) -> Any:
    places = np.tile(np.arange(len(labels)), times)
    return labels.take(places)


def _sources(frame: pd.DataFrame, order: Order) -> Any:
    """The cell that each row of the table was asked for, as text."""
    cells: list[Any] = []
    for label in order.columns:
        cells += told_apart(frame[label]) * len(order.targets)
    return text_array(cells)
