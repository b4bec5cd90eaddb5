"""What is known of one column: its texts as they were asked for, what came of them, and the languages of its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.language_codes import name_of
from svc_nb.panels import files
from svc_nb.panels.columns import told_apart, written
from svc_nb.panels.detect.doubts import doubts
from svc_nb.panels.detect.labels import Labels
from svc_nb.plots.languages import counted
from svc_nb.tabular.column import text_array

Places = npt.NDArray[np.intp]
TOLD = ("confidence", "best_guess", "second_guess", "second_confidence", "script")
NOTHING_YET = "nothing was detected yet: detect() does"
NONE: Places = np.zeros(0, dtype=np.intp)


class Findings:
    """Of a column whose *texts* these are; before anything was detected there is no language at all."""

    def __init__(self, texts: pd.Series[Any]) -> None:
        self.texts = texts
        self.detected: pd.DataFrame | None = None
        self.labels = Labels(len(texts))
        self.doubts = pd.DataFrame({"why": [], "mark": [], "note": []}, dtype=object)
        self._mix: tuple[int, pd.DataFrame] | None = None

    def take(self, texts: pd.Series[Any], table: pd.DataFrame) -> None:
        """What a detection of *texts* found; labels by hand stay with their rows, where the text is the same."""
        own = _carried(self.labels.own, self.texts, texts)
        if own != self.labels.own or not self.texts.index.equals(texts.index):
            self.labels.carry(own, len(texts))
        self.texts, self.detected = texts, table
        self.labels.take(table["language"].tolist())
        self.doubts = doubts(table, texts)

    @property
    def rest(self) -> int:
        """How many rows have no answer yet, though they should have one."""
        return 0 if self.detected is None else int(self.detected["status"].isin(["failed", "unsent"]).sum())

    @property
    def mix(self) -> pd.DataFrame:
        """The languages, the commonest first: `language, name, rows, share, relabelled`; what is not known is last."""
        if self._mix is None or self._mix[0] != self.labels.version:
            self._mix = self.labels.version, self._mixed()
        return self._mix[1].copy()

    def _mixed(self) -> pd.DataFrame:
        codes = pd.Series(self.labels.codes, dtype=object)
        rows = counted(codes)
        own = counted(pd.Series([*self.labels.own.values()], dtype=object))
        names = [name_of(code) if isinstance(code, str) else "Not detected" for code in rows.index]
        return pd.DataFrame(
            {
                "language": text_array(list(rows.index)),
                "name": names,
                "rows": rows.to_numpy(),
                "share": rows.to_numpy() / max(len(codes), 1),
                "relabelled": [_of(own, code) for code in rows.index],
            }
        )

    @property
    def to_look_at(self) -> Places:
        """The places of the rows to look at, but for those that have a label by hand."""
        places = self.doubts.index.to_numpy(dtype=np.intp)
        own = np.fromiter(self.labels.own, dtype=np.intp, count=len(self.labels.own))
        return places[~np.isin(places, own)]

    @property
    def relabelled(self) -> Places:
        """The places of the rows that have a label by hand, in order."""
        return np.array(sorted(self.labels.own), dtype=np.intp)

    def of(self, code: str) -> Places:
        """The places of the rows in a language."""
        return np.flatnonzero(self.labels.codes == code)

    def samples(self, code: str, count: int) -> Places:
        """Up to *count* rows in a language, from all over the column; different texts, while there are enough."""
        places = self.of(code)
        if len(places) <= count:
            return places
        repeated = pd.Series(self.texts.iloc[places].map(str).to_numpy(dtype=object)).duplicated()
        different = places[~repeated.to_numpy()]
        pool = different if len(different) >= count else places
        return pool[np.linspace(0, len(pool) - 1, count).round().astype(np.intp)]

    def shown(self, places: Sequence[int] | Places) -> pd.DataFrame:
        """The rows at *places* as a grid shows them; its index is the places."""
        at = np.asarray(places, dtype=np.intp)
        whys = self.doubts["why"].reindex(at).fillna("").tolist()
        return pd.DataFrame(
            {
                "row": [written(label) for label in self.texts.index[at]],
                "text": self.texts.iloc[at].to_numpy(dtype=object),
                "language": self.labels.codes[at],
                "confidence": None if self.detected is None else self.detected["confidence"].array[at],
                "why": whys,
            },
            index=at,
        )

    @property
    def table(self) -> pd.DataFrame:
        """Every row: `text, language, detected_language, confidence, best_guess, second_guess, second_confidence,
        script, relabelled, why, status, reason, trace_id`; what the service does not tell is missing.
        """
        detected = self.detected
        if detected is None:
            raise ValueError(NOTHING_YET)
        whys = np.full(len(self.texts), "", dtype=object)
        whys[self.doubts.index.to_numpy(dtype=np.intp)] = self.doubts["why"].to_numpy()
        relabelled = np.zeros(len(self.texts), dtype=np.bool_)
        relabelled[self.relabelled] = True
        return pd.DataFrame(
            {
                "text": self.texts.array,
                "language": text_array(self.labels.codes.tolist()),
                "detected_language": detected["language"].array,
                **{name: detected[name].array for name in TOLD},
                "relabelled": relabelled,
                "why": whys,
                **{name: detected[name].array for name in ("status", "reason", "trace_id")},
            },
            index=self.texts.index,
        )

    def place(self, row: Any, *, by: str) -> int:
        """The place of a row that is named by its label or, for `by="position"`, by its place."""
        index = self.texts.index
        if by not in ("label", "position"):
            raise ValueError(f'by: expected "label" or "position", found {by!r}')
        at = [int(row)] if by == "position" and 0 <= int(row) < len(index) else []
        places = at if by == "position" else _places(index, row)
        if not places:
            raise KeyError(f"there is no row {row!r}")
        if len(places) > 1:
            raise ValueError(f'{len(places)} rows have the label {row!r}: say by="position"')
        return places[0]

    def file(self, form: str) -> bytes:
        """`table` as the bytes of a "csv" or "xlsx" file."""
        table = self.table.reset_index(drop=True)
        table.insert(0, "row", [written(label) for label in self.texts.index])
        return files.csv(table) if form == "csv" else files.xlsx(table, "Languages")


def _places(index: pd.Index[Any], row: Any) -> list[int]:
    """Where rows with a label stand."""
    try:
        found = index.get_loc(row)
    except (KeyError, TypeError, pd.errors.InvalidIndexError):
        return []
    return [found] if isinstance(found, int) else np.arange(len(index))[found].tolist()


def _carried(
    own: Mapping[int, str | None], before: pd.Series[Any], now: pd.Series[Any]
) -> dict[int, str | None]:
    """What of *own* is said of rows that are there *now*, by their places now: with the same label and text."""
    places = np.array([*own], dtype=np.intp)
    if before.index.equals(now.index):
        found = places
    elif before.index.is_unique and now.index.is_unique:
        found = now.index.get_indexer(before.index[places])
    else:
        return {}
    old, new = places[found >= 0], found[found >= 0]
    pairs = zip(told_apart(before.iloc[old]), told_apart(now.iloc[new]), strict=True)
    same = [one == other for one, other in pairs]
    return {to: own[at] for at, to, kept in zip(old.tolist(), new.tolist(), same, strict=True) if kept}


def _of(counts: pd.Series[Any], code: Any) -> int:
    """How many rows *counts* has of a code; of gaps where it is none."""
    found = counts[counts.index.isna()] if not isinstance(code, str) else counts[counts.index == code]
    return int(found.sum())
