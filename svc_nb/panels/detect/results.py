"""The results for one column: its texts, detected languages, labels set by hand, and which rows to check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.language_codes import NAMES, VARIANT_NAMES, name_of
from svc_nb.panels.parts import files
from svc_nb.panels.parts.columns import cell_strings, label_text
from svc_nb.plots.languages import counted
from svc_nb.tabular.report import plural
from svc_nb.tabular.text_column import text_array
from svc_nb.wire.languages import CODE, one_of

Codes = npt.NDArray[np.object_]
UNLABELLED: Final = object()
NOT_KNOWN = "Not known"  # the language of a text that was not detected
NO_LANGUAGE = "No language"  # of a row with nothing to detect, or that a person labelled so


class Labels:
    """Codes for *size* rows, None if the language is not known; `own` has those set by a person.

    `proposed` has those that the service found or, if it found none, its best guesses.
    """

    def __init__(self, size: int) -> None:
        self.found: Codes = np.full(size, None, dtype=object)
        self.proposed = self.found
        self.own: dict[int, str | None] = {}
        self.version = 0
        self._steps: list[dict[int, Any]] = []
        self._undone: list[dict[int, Any]] = []

    @property
    def codes(self) -> Codes:
        """The code that counts for each row."""
        codes = self.found.copy()
        if self.own:
            codes[list(self.own)] = np.array([*self.own.values(), None], dtype=object)[:-1]
        return codes

    def take(self, found: pd.Series[Any], guesses: pd.Series[Any]) -> None:
        """Take over detected languages and guesses, row by row; labels set by a person stay."""
        self.version += 1
        self.found = _plain(found, None)
        self.proposed = _plain(found.fillna(guesses), None)

    def write(self, wanted: Mapping[int, str | None]) -> int:
        """Set the codes of rows, as one step; returns how many rows changed. Setting the proposed code confirms it."""
        changed = {row: code for row, code in wanted.items() if self.own.get(row, UNLABELLED) != code}
        if changed:
            self._steps.append(self._turn_to(changed))
            self._undone = []
        return len(changed)

    def undo(self) -> int:
        """Undo the last step; returns how many rows it changed, 0 if there is none."""
        return self._move(self._steps, self._undone)

    def redo(self) -> int:
        """Redo the step that was undone last; returns how many rows it changed, 0 if there is none."""
        return self._move(self._undone, self._steps)

    def _move(self, source: list[dict[int, Any]], target: list[dict[int, Any]]) -> int:
        if not source:
            return 0
        step = source.pop()
        target.append(self._turn_to(step))
        return len(step)

    def _turn_to(self, wanted: Mapping[int, Any]) -> dict[int, Any]:
        """Give rows these codes, None for no label; returns what they had before."""
        before = {row: self.own.get(row, UNLABELLED) for row in wanted}
        self.own = {**self.own, **wanted}
        for row in [row for row, code in wanted.items() if code is UNLABELLED]:
            del self.own[row]
        self.version += 1
        return before

    def carry(self, own: Mapping[int, str | None], size: int) -> None:
        """There are *size* rows now, with *own* as the labels set by hand; earlier steps are forgotten."""
        self.found, self.own = np.full(size, None, dtype=object), dict(own)
        self.proposed = self.found
        self._steps, self._undone = [], []
        self.version += 1

    def word(self, row: int) -> str:
        """What a person did to a row with a label set by hand."""
        return "Confirmed" if self.own[row] == self.proposed[row] else "Relabelled"

    @property
    def turns(self) -> dict[str, str]:
        """The names of the steps for `undo` and `redo`; "" if there is none."""
        steps = {"undo": self._steps, "redo": self._undone}
        return {word: f"Relabelling of {plural(len(some[-1]), 'row')}" if some else "" for word, some in steps.items()}


KNOWN: Final = {code.upper(): name_of(code) for code in (*NAMES, *VARIANT_NAMES)}


def language_code(written: Any, known: Mapping[str, str] = KNOWN) -> str | None:
    """The code that a person means: "de", "DE", "German", "German (DE)"; None for no language.

    Raises UnknownLanguage if it is not in *known*, codes with their names.

    >>> [language_code(text) for text in ("German (DE)", "pt-BR", "Deutsch", "No language")]
    ['DE', 'PT-BR', 'DE', None]
    """
    if written is not None and not isinstance(written, str) and not pd.isna(written):
        raise TypeError(f"expected the code or the name of a language, or None, found {written!r}")
    said = written.strip() if isinstance(written, str) else ""
    if said in ("", NOT_KNOWN, NO_LANGUAGE):
        return None
    inner = said.rpartition("(")[2].rstrip(")") if said.endswith(")") else said
    return one_of(inner if CODE.fullmatch(inner) else said, known, field="language")


def group_name(group: str) -> str:
    """What a group of `mix` is called: a language, or rows without one."""
    return name_of(group) if group else NOT_KNOWN


def language_title(code: str | None) -> str:
    """A language as a person reads it.

    >>> language_title("DE"), language_title("TLH"), language_title("No language"), language_title(None)
    ('German (DE)', 'TLH', 'No language', 'Not known')
    """
    if not code:
        return NOT_KNOWN
    name = name_of(code)
    return code if name == code else f"{name.partition(' (')[0]} ({code})"


def language_titles(codes: Iterable[str]) -> list[str]:
    """All languages to choose from, including *codes*, sorted by name, then "No language"."""
    return [*sorted({language_title(code) for code in {*map(str.upper, NAMES), *codes}}), NO_LANGUAGE]


Places = npt.NDArray[np.intp]
TOLD = ("confidence", "best_guess", "second_guess", "second_confidence", "script")
NOTHING_YET = "nothing was detected yet: call detect() first"
NONE: Places = np.zeros(0, dtype=np.intp)
LOW_CONFIDENCE = 0.6  # rows with a lower confidence are to be checked
SHORT = 20  # letters
AROUND = 3  # rows before, and the same number after
NONE_FOUND, UNSUPPORTED = "no_language_detected", "unsupported_language"
STATUSES = {
    "insufficient_confidence": "Low confidence",
    UNSUPPORTED: "Language not supported",
    NONE_FOUND: "No language found",
}
SKIPPED = {
    "missing": "Empty",
    "blank": "Empty",
    "not_text": "Not a text",
    "no_letters": "No letters",
    "emoji": "Only emoji",
    "url": "Only a web address",
    "email": "Only an e-mail address",
}
INTERRUPTED = "interrupted"  # the reason of rows that were left when a run was cancelled
UNANSWERED = {"failed": "Failed", "unsent": "Not asked", "open": "Not asked"}
NOT_SURE = "Low confidence"
AMONG_OTHERS = "Short, and unlike the rows around it"
# The most urgent first.
ORDER = ("error", "warning", "")
ALL = "all"
LOOK_AT = "look at"
RELABELLED = "relabelled"
UNKNOWN = ""  # the rows whose language is not known
LAST = (UNKNOWN, NO_LANGUAGE)  # in a mix, in this order


def same_rows(own: Mapping[int, str | None], before: pd.Series[Any], texts: pd.Series[Any]) -> dict[int, str | None]:
    """The labels *own* of rows of *before*, moved to the positions in *texts* that have the same text."""
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
    return {to: own[at] for at, to, kept in zip(old.tolist(), new.tolist(), same, strict=True) if kept}


class DetectResults:
    """The results for a column with these *texts*; until something is detected, no row has a language."""

    def __init__(self, texts: pd.Series[Any]) -> None:
        self.texts = texts
        self.detected: pd.DataFrame | None = None
        self.labels = Labels(len(texts))
        self.doubts = pd.DataFrame({"why": [], "mark": [], "note": []}, dtype=object)
        self._mix: tuple[int, pd.DataFrame] | None = None

    def take(self, texts: pd.Series[Any], table: pd.DataFrame) -> None:
        """Take over the detection of *texts*; labels set by hand stay with rows whose text is the same."""
        own = same_rows(self.labels.own, self.texts, texts)
        if own != self.labels.own or not self.texts.index.equals(texts.index):
            self.labels.carry(own, len(texts))
        self.texts, self.detected = texts, table
        self.labels.take(table["language"], table["best_guess"])
        self.doubts = doubts(table, texts)

    def confirmed(self, places: Sequence[int]) -> dict[int, str | None]:
        """The languages of the rows at *places*, or the best guesses for those not known.

        Raises ValueError if a row has neither.
        """
        if self.detected is None:
            raise ValueError(NOTHING_YET)
        groups, statuses, own = self.groups, _plain(self.detected["detection_status"]), self.labels.own
        languages = {place: own.get(place, self.labels.proposed[place]) for place in places}
        none = {place for place in places if groups[place] == NO_LANGUAGE or statuses[place] == NONE_FOUND}
        if unknown := sum(code is None and place not in none for place, code in languages.items()):
            rows = plural(unknown, "row has", "rows have")
            raise ValueError(f"{rows} no language to confirm. Choose the correct language, and relabel instead.")
        return languages

    @property
    def rest(self) -> int:
        """How many rows still need an answer."""
        return 0 if self.detected is None else int(self.detected["status"].isin(["failed", "unsent"]).sum())

    @property
    def codes(self) -> list[str]:
        """The languages that were detected, guessed, or set by a person."""
        guesses = [] if self.detected is None else self.detected["best_guess"].dropna().unique().tolist()
        return [code for code in {*self.labels.codes.tolist(), *guesses} if code]

    @property
    def known(self) -> dict[str, str]:
        """What a row can be relabelled with: all languages, including `codes`, with their names."""
        return KNOWN | {code.upper(): name_of(code) for code in self.codes}

    @property
    def groups(self) -> Codes:
        """What each row counts as: the code of its language, `NO_LANGUAGE`, or `UNKNOWN`."""
        codes, own = self.labels.codes, self.labels.own
        none = np.zeros(len(codes), dtype=np.bool_)
        if self.detected is not None:
            none |= self.detected["status"].eq("skipped").to_numpy(dtype=bool, na_value=False)
        none[[row for row, code in own.items() if code is None]] = True
        codes[pd.isna(codes)] = UNKNOWN
        codes[none & (codes == UNKNOWN)] = NO_LANGUAGE
        return codes

    @property
    def mix(self) -> pd.DataFrame:
        """The languages, most frequent first: `language, name, rows, share, relabelled`; rows without one are last.

        Languages with the same number of rows are sorted by name. At the end are texts whose language is not known,
        then rows with no language: nothing to detect, or labelled so by a person.
        """
        if self._mix is None or self._mix[0] != self.labels.version:
            groups = self.groups
            rows, own = counted(pd.Series(groups, dtype=object)), groups[self.relabelled].tolist()
            made = pd.DataFrame(
                {
                    "language": text_array([None if group in LAST else group for group in rows.index]),
                    "name": [group_name(group) for group in rows.index],
                    "rows": rows.to_numpy(),
                    "share": rows.to_numpy() / max(len(self.texts), 1),
                    "relabelled": [own.count(group) for group in rows.index],
                    "last": [LAST.index(group) + 1 if group in LAST else 0 for group in rows.index],
                }
            )
            ordered = made.sort_values(["last", "rows", "name"], ascending=[True, False, True], ignore_index=True)
            self._mix = self.labels.version, ordered.drop(columns="last")
        return self._mix[1].copy()

    @property
    def mix_groups(self) -> list[str]:
        """The group of each row of `mix`, as in `groups`."""
        ends = {NOT_KNOWN: UNKNOWN, NO_LANGUAGE: NO_LANGUAGE}
        rows = zip(self.mix["language"], self.mix["name"], strict=True)
        return [code if isinstance(code, str) else ends[name] for code, name in rows]

    @property
    def to_look_at(self) -> Places:
        """The positions of the rows to check, except those without letters or with a label set by hand."""
        places = self.doubts.index[self.doubts["mark"] != ""].to_numpy(dtype=np.intp)
        own = np.fromiter(self.labels.own, dtype=np.intp, count=len(self.labels.own))
        return places[~np.isin(places, own)]

    @property
    def relabelled(self) -> Places:
        """The positions of the rows with a label set by hand, including confirmed ones, in order."""
        return np.array(sorted(self.labels.own), dtype=np.intp)

    def of(self, group: str) -> Places:
        """The positions of the rows in a language, with `NO_LANGUAGE`, or whose language is `UNKNOWN`."""
        return np.flatnonzero(self.groups == group)

    def whys(self, at: Places) -> list[str]:
        """The remark on each row *at* these positions: what a person did, or why to check it."""
        own = self.labels.own
        whys = zip(at.tolist(), self.doubts["why"].reindex(at).fillna(""), strict=True)
        return [self.labels.word(place) if place in own else why for place, why in whys]

    def shown(self, places: Sequence[int] | Places) -> pd.DataFrame:
        """The rows at *places* as a grid shows them; the index has the positions."""
        at = np.asarray(places, dtype=np.intp)
        sure = None if self.detected is None else self.detected["confidence"].iloc[at].reset_index(drop=True)
        if sure is not None and self.labels.own:  # the confidence is about the detected language, not a person's label
            sure = sure.mask(np.isin(at, list(self.labels.own)))
        return pd.DataFrame(
            {
                "row": [label_text(label) for label in self.texts.index[at]],
                "text": self.texts.iloc[at].to_numpy(dtype=object),
                "language": self.labels.codes[at],
                "confidence": None if sure is None else sure.array,
                "why": self.whys(at),
            },
            index=at,
        )

    @property
    def table(self) -> pd.DataFrame:
        """Every row: `text, language, detected_language, confidence, best_guess, second_guess, second_confidence,
        script, relabelled, why, status, reason, trace_id`; values that the service does not report are missing.
        """
        detected = self.detected
        if detected is None:
            raise ValueError(NOTHING_YET)
        relabelled = np.zeros(len(self.texts), dtype=np.bool_)
        relabelled[self.relabelled] = True
        return pd.DataFrame(
            {
                "text": self.texts.array,
                "language": text_array(self.labels.codes.tolist()),
                "detected_language": detected["language"].array,
                **{name: detected[name].array for name in TOLD},
                "relabelled": relabelled,
                "why": self.whys(np.arange(len(self.texts), dtype=np.intp)),
                **{name: detected[name].array for name in ("status", "reason", "trace_id")},
            },
            index=self.texts.index,
        )

    def place(self, row: Any, *, by: str) -> int:
        """The position of a row that is given by its label or, with `by="position"`, by its position."""
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
            raise ValueError(f'{len(places)} rows have the label {row!r}: use by="position"')
        return places[0]

    def file(self, form: str) -> bytes:
        """`table` as the bytes of a "csv" or "xlsx" file."""
        table = self.table.reset_index(drop=True)
        table.insert(0, "row", [label_text(label) for label in self.texts.index])
        if not self.texts.index.is_unique:
            table.insert(1, "position", range(len(table)))
        return files.spreadsheet(form, table, "Languages")


@dataclass(frozen=True)
class RowChoice:
    """Which rows are shown: `name` is `ALL`, `LOOK_AT`, `RELABELLED`, the code of a language, or `UNKNOWN`."""

    name: str = LOOK_AT

    def or_first(self, results: DetectResults) -> RowChoice:
        """This one or, if no row needs checking, the most frequent language."""
        if self.name != LOOK_AT or results.detected is None or len(results.to_look_at) or results.mix.empty:
            return self
        return RowChoice(results.mix_groups[0])

    def places(self, results: DetectResults) -> Places:
        """The rows to show."""
        if self.name == ALL:
            return np.arange(len(results.texts), dtype=np.intp)
        if self.name in (LOOK_AT, RELABELLED):
            return results.to_look_at if self.name == LOOK_AT else results.relabelled
        return results.of(self.name)

    @property
    def is_language(self) -> bool:
        """Whether it shows the rows of a language, or those without one."""
        return self.name not in (ALL, LOOK_AT, RELABELLED)

    @property
    def title(self) -> str:
        """What is shown, in words."""
        named = {ALL: "All rows", LOOK_AT: "Rows to check", RELABELLED: "Rows labelled by hand"}
        return named[self.name] if self.name in named else language_title(self.name)

    def told(self, results: DetectResults, places: Places) -> str:
        """The line below the rows at *places*, which match this choice, or did before a relabelling."""
        own = len(set(results.labels.own).intersection(places.tolist()))
        here = f"{own:,} of these {plural(len(places), 'row')} {'is' if own == 1 else 'are'} labelled by hand."
        return here if own and self.name != RELABELLED else ""


def doubts(table: pd.DataFrame, texts: pd.Series[Any]) -> pd.DataFrame:
    """The rows to check after a detection, by position: `why`, the `mark` of a grid, and a `note`; the worst first."""
    whys = np.full(len(table), "", dtype=object)
    marks = np.full(len(table), "", dtype=object)
    status, reason = _plain(table["status"]), _plain(table["reason"])
    for word, why in UNANSWERED.items():
        whys[status == word], marks[status == word] = why, "error"
    marks[reason == INTERRUPTED] = ""  # a person cancelled, so there is nothing to check
    skipped = status == "skipped"
    whys[skipped] = [SKIPPED.get(each, "No text to check") for each in reason[skipped]]
    found = _plain(table["detection_status"])
    guesses = _plain(table["best_guess"])
    for word, why in STATUSES.items():
        own = found == word
        perhaps, after = "Maybe ", f"{why[0].lower()}{why[1:]}"
        if word == UNSUPPORTED:  # which does not make the guess less likely
            perhaps, after = "", "not supported by the service"
        whys[own] = [f"{perhaps}{name_of(guess)}: {after}" if guess else why for guess in guesses[own]]
        marks[own] = "warning"
    low = (table["confidence"] < LOW_CONFIDENCE).to_numpy(dtype=bool, na_value=False) & (found == "success")
    whys[low], marks[low] = NOT_SURE, "warning"
    odd = among_others(_plain(table["language"]), texts)
    whys[odd], marks[odd] = AMONG_OTHERS, "warning"
    places = np.flatnonzero(whys != "")
    made = pd.DataFrame({"why": whys[places], "mark": marks[places]}, index=places)
    traces = [f"trace id {trace}" if trace else "" for trace in _plain(table["trace_id"])[places]]
    made["note"] = [  # why there is no answer
        "; ".join(filter(None, (why, trace))) if mark == "error" else ""
        for why, trace, mark in zip(reason[places], traces, made["mark"], strict=True)
    ]
    rank = made["mark"].map({mark: place for place, mark in enumerate(ORDER)})
    return made.loc[rank.sort_values(kind="stable").index]


def among_others(codes: npt.NDArray[np.object_], texts: pd.Series[Any]) -> npt.NDArray[np.bool_]:
    """Which rows are short and in a different language from the rows around them, which agree with each other."""
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


def _plain(column: pd.Series[Any], gap: str | None = "") -> npt.NDArray[np.object_]:
    """The texts of *column*, with *gap* for missing values."""
    return np.array([gap if pd.isna(cell) else cell for cell in column.tolist()] + [None], dtype=object)[:-1]
