"""What is known of one column: its texts, what was detected, what a person says, and which rows to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.language_codes import STABLE, name_of
from svc_nb.panels.parts import files
from svc_nb.panels.parts.columns import cell_strings, label_text
from svc_nb.plots.languages import counted
from svc_nb.tabular.report import plural
from svc_nb.tabular.text_column import text_array
from svc_nb.wire.languages import CODE, target

Codes = npt.NDArray[np.object_]
UNLABELLED: Final = object()
NOT_KNOWN = "Not known"


class Labels:
    """Codes for *size* rows, None where the language is not known; `own` has those that a person gave."""

    def __init__(self, size: int) -> None:
        self.found: Codes = np.full(size, None, dtype=object)
        self.own: dict[int, str | None] = {}
        self.version = 0
        self._steps: list[dict[int, Any]] = []

    @property
    def codes(self) -> Codes:
        """The code of each row, as it counts."""
        codes = self.found.copy()
        if self.own:
            codes[list(self.own)] = np.array([*self.own.values(), None], dtype=object)[:-1]
        return codes

    def take(self, found: Iterable[Any]) -> None:
        """What was detected, row by row; what a person said stays."""
        self.version += 1
        self.found = np.array([None if pd.isna(code) else code for code in found] + [None], dtype=object)[:-1]

    def write(self, wanted: Mapping[int, str | None]) -> int:
        """Say the codes of rows, as one step; how many rows this changed."""
        changed = {row: code for row, code in wanted.items() if self.own.get(row, UNLABELLED) != code}
        changed = {row: code for row, code in changed.items() if row in self.own or self.found[row] != code}
        if changed:
            self._steps.append({row: self.own.get(row, UNLABELLED) for row in changed})
            self.own.update(changed)
            self.version += 1
        return len(changed)

    def undo(self) -> int:
        """Take back the last step; how many rows it was, 0 where there is none."""
        if not self._steps:
            return 0
        before = self._steps.pop()
        self.version += 1
        for row, code in before.items():
            if code is UNLABELLED:
                del self.own[row]
            else:
                self.own[row] = code
        return len(before)

    def carry(self, own: Mapping[int, str | None], size: int) -> None:
        """There are *size* rows now, of which *own* have the labels of a person; steps before are forgotten."""
        self.found, self.own, self._steps = np.full(size, None, dtype=object), dict(own), []
        self.version += 1

    @property
    def undoable(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._steps)


def language_code(written: str | None) -> str | None:
    """The code that a person means: "de", "DE", "German", "German (DE)"; None where the language is not known.

    Raises UnknownLanguage where it is no language and cannot be a code.

    >>> [language_code(text) for text in ("German (DE)", "pt-BR", "Deutsch", "tlh", "Not known")]
    ['DE', 'PT-BR', 'DE', 'TLH', None]
    """
    if written is None or not written.strip() or written.strip() == NOT_KNOWN:
        return None
    said = written.strip()
    inner = said.rpartition("(")[2].rstrip(")") if said.endswith(")") else said
    return target(inner if CODE.fullmatch(inner) else said, field="language")


def language_title(code: str | None) -> str:
    """A language as a person reads it.

    >>> language_title("DE"), language_title("TLH"), language_title(None)
    ('German (DE)', 'TLH', 'Not known')
    """
    if code is None:
        return NOT_KNOWN
    name = name_of(code)
    return code if name == code else f"{name.partition(' (')[0]} ({code})"


def language_titles(codes: Iterable[str]) -> list[str]:
    """All languages to choose from, *codes* among them, by name; at the end that it is not known."""
    return [*sorted({language_title(code) for code in {*map(str.upper, STABLE), *codes}}), NOT_KNOWN]


Places = npt.NDArray[np.intp]
TOLD = ("confidence", "best_guess", "second_guess", "second_confidence", "script")
NOTHING_YET = "nothing was detected yet: detect() does"
NONE: Places = np.zeros(0, dtype=np.intp)
SHORT = 20  # letters
AROUND = 3  # rows before, and as many after
STATUSES = {
    "insufficient_confidence": "Not sure enough",
    "unsupported_language": "Language not supported",
    "no_language_detected": "No language found",
}
SKIPPED = {
    "missing": "No text",
    "blank": "Blank",
    "no_letters": "No letters",
    "emoji": "Only emoji",
    "url": "Only a web address",
    "email": "Only an e-mail address",
}
UNANSWERED = {"failed": "Failed", "unsent": "Not asked", "open": "Not asked"}
AMONG_OTHERS = "Short, and unlike the rows around it"
# In this order they are worth a look.
ORDER = ("error", "warning", "")
LOOK_AT = "look at"
RELABELLED = "relabelled"
FEW = 20
MORE = 5  # times as many


class DetectResults:
    """What is known of a column whose *texts* these are; before anything was detected there is no language at all."""

    def __init__(self, texts: pd.Series[Any]) -> None:
        self.texts = texts
        self.detected: pd.DataFrame | None = None
        self.labels = Labels(len(texts))
        self.doubts = pd.DataFrame({"why": [], "mark": [], "note": []}, dtype=object)
        self._mix: tuple[int, pd.DataFrame] | None = None

    def take(self, texts: pd.Series[Any], table: pd.DataFrame) -> None:
        """What a detection of *texts* found; labels by hand stay with their rows, where the text is the same."""
        own, before = self.labels.own, self.texts
        places, found = np.array([*own], dtype=np.intp), NONE
        if before.index.equals(texts.index):
            found = places
        elif before.index.is_unique and texts.index.is_unique:
            found = texts.index.get_indexer(before.index[places])
        else:
            places = NONE
        old, new = places[found >= 0], found[found >= 0]
        cells = zip(cell_strings(before.iloc[old]), cell_strings(texts.iloc[new]), strict=True)
        same = [one == other for one, other in cells]
        own = {to: own[at] for at, to, kept in zip(old.tolist(), new.tolist(), same, strict=True) if kept}
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
            rows = counted(pd.Series(self.labels.codes, dtype=object))
            own = Counter(self.labels.own.values())
            codes = [code if isinstance(code, str) else None for code in rows.index]
            made = pd.DataFrame(
                {
                    "language": text_array(codes),
                    "name": ["Not detected" if code is None else name_of(code) for code in codes],
                    "rows": rows.to_numpy(),
                    "share": rows.to_numpy() / max(len(self.texts), 1),
                    "relabelled": [own[code] for code in codes],
                }
            )
            self._mix = self.labels.version, made
        return self._mix[1].copy()

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
                "row": [label_text(label) for label in self.texts.index[at]],
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
        if by == "position":
            places = [int(row)] if 0 <= int(row) < len(index) else []
        else:
            try:
                found = index.get_loc(row)
            except (KeyError, TypeError, pd.errors.InvalidIndexError):
                found = slice(0)
            places = [found] if isinstance(found, int) else np.arange(len(index))[found].tolist()
        if not places:
            raise KeyError(f"there is no row {row!r}")
        if len(places) > 1:
            raise ValueError(f'{len(places)} rows have the label {row!r}: say by="position"')
        return places[0]

    def file(self, form: str) -> bytes:
        """`table` as the bytes of a "csv" or "xlsx" file."""
        table = self.table.reset_index(drop=True)
        table.insert(0, "row", [label_text(label) for label in self.texts.index])
        return files.spreadsheet(form, table, "Languages")


@dataclass(frozen=True)
class RowChoice:
    """`name` is `LOOK_AT`, `RELABELLED` or the code of a language, of which at most `most` samples are shown."""

    name: str = LOOK_AT
    most: int = FEW

    @property
    def is_language(self) -> bool:
        """Whether it is of a language."""
        return self.name not in (LOOK_AT, RELABELLED)

    def or_first(self, results: DetectResults) -> RowChoice:
        """This one or, where no row is to be looked at, the commonest language."""
        if self.name != LOOK_AT or len(results.to_look_at) or results.mix.empty:
            return self
        return RowChoice(str(results.mix["language"].iloc[0]))

    def more(self) -> RowChoice:
        """The same with more samples."""
        return replace(self, most=self.most * MORE)

    def places(self, results: DetectResults) -> Places:
        """The rows to show."""
        if self.is_language:
            return results.samples(self.name, self.most)
        return results.to_look_at if self.name == LOOK_AT else results.relabelled

    def every(self, results: DetectResults) -> int:
        """How many rows there are to show."""
        return len(results.of(self.name) if self.is_language else self.places(results))

    def told(self, results: DetectResults, places: Places) -> str:
        """What stands below the rows at *places*, which are those of this choice, or were before a relabelling."""
        own = len(set(results.labels.own).intersection(places.tolist()))
        by_hand = f", {own:,} of them relabelled by hand" if own and self.name != RELABELLED else ""
        counted = plural(len(places), "row")
        if self.name == LOOK_AT and not len(places):
            counted = "No rows to look at"
        elif self.is_language:
            every = plural(self.every(results), "row")
            counted = f"{plural(len(places), 'sample')} of {every} in {name_of(self.name)}"
        return f"{counted}{by_hand}"


def row_choices(results: DetectResults) -> dict[str, str]:
    """All there is to look at, by name, with its count: rows in doubt, rows relabelled, and every language."""
    look, own = len(results.to_look_at), len(results.relabelled)
    found = {LOOK_AT: f"To look at ({look:,})"}
    if own:
        found[RELABELLED] = f"Relabelled ({own:,})"
    mix = results.mix
    for code, rows in zip(mix["language"].tolist(), mix["rows"].tolist(), strict=True):
        if isinstance(code, str):
            found[code] = f"{name_of(code)} ({rows:,})"
    return found


def doubts(table: pd.DataFrame, texts: pd.Series[Any]) -> pd.DataFrame:
    """The rows of a detection to look at, by place: `why`, the `mark` of a grid, and a `note`; the gravest first."""
    whys = np.full(len(table), "", dtype=object)
    marks = np.full(len(table), "", dtype=object)
    status, reason = _plain(table["status"]), _plain(table["reason"])
    for word, why in UNANSWERED.items():
        whys[status == word], marks[status == word] = why, "error"
    skipped = status == "skipped"
    whys[skipped] = [SKIPPED.get(each, "No text to look at") for each in reason[skipped]]
    found = _plain(table["detection_status"])
    for word, why in STATUSES.items():
        whys[found == word], marks[found == word] = why, "warning"
    odd = among_others(_plain(table["language"]), texts)
    whys[odd], marks[odd] = AMONG_OTHERS, "warning"
    places = np.flatnonzero(whys != "")
    made = pd.DataFrame({"why": whys[places], "mark": marks[places]}, index=places)
    guesses = _plain(table["best_guess"])[places]
    traces = [f"trace id {trace}" if trace else "" for trace in _plain(table["trace_id"])[places]]
    # Why there is no answer, with the trace id, or the best guess where the answer is in doubt.
    made["note"] = [
        "; ".join(filter(None, (why, trace)))
        if mark == "error"
        else f"Best guess: {name_of(guess)}"
        if mark and guess
        else ""
        for why, trace, guess, mark in zip(reason[places], traces, guesses, made["mark"], strict=True)
    ]
    rank = made["mark"].map({mark: place for place, mark in enumerate(ORDER)})
    return made.loc[rank.sort_values(kind="stable").index]


def among_others(codes: npt.NDArray[np.object_], texts: pd.Series[Any]) -> npt.NDArray[np.bool_]:
    """Which rows are short and in another language than the rows around them, which agree with each other."""
    odd = np.zeros(len(codes), dtype=np.bool_)
    known = np.flatnonzero(codes != "")
    numbers = pd.factorize(codes[known])[0]
    if len(numbers) <= 2 * AROUND:
        return odd
    windows = np.lib.stride_tricks.sliding_window_view(numbers, 2 * AROUND + 1)
    others = np.delete(windows, AROUND, axis=1)
    apart = (others == others[:, :1]).all(axis=1) & (windows[:, AROUND] != others[:, 0])
    places = known[AROUND:-AROUND][apart]
    cells = texts.iloc[places].tolist()
    odd[[place for place, text in zip(places, cells, strict=True) if len(str(text).strip()) <= SHORT]] = True
    return odd


def _plain(column: pd.Series[Any]) -> npt.NDArray[np.object_]:
    """The words of *column*, "" for gaps."""
    return column.astype(object).where(column.notna(), "").to_numpy(dtype=object)
