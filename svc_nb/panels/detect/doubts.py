"""Which rows a person should look at, and why: no language, no text, no answer, or a short text among others."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from svc_nb.language_codes import name_of

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


def doubts(table: pd.DataFrame, texts: pd.Series[Any]) -> pd.DataFrame:
    """The rows of *table*, of a detection, to look at, by place: `why`, the `mark` of a grid, and a `note` with more.

    What went wrong comes first, then what is uncertain, and last what holds no text.
    """
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
    made["note"] = _notes(reason[places], _plain(table["trace_id"])[places], guesses, made["mark"].to_numpy())
    rank = made["mark"].map({mark: place for place, mark in enumerate(ORDER)})
    return made.loc[rank.sort_values(kind="stable").index]


def among_others(codes: npt.NDArray[np.object_], texts: pd.Series[Any]) -> npt.NDArray[np.bool_]:
    """Which rows are short and in another language than the rows around them, which agree with each other.

    Gaps do not count as rows around. A row needs three neighbours before and three after.
    """
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


def _notes(reasons: Any, traces: Any, guesses: Any, marks: Any) -> list[str]:
    """Why rows have no answer, with the trace id; the best guess for those in doubt; "" for all others."""
    return [
        "; ".join(part for part in (reason, f"trace id {trace}" if trace else "") if part)
        if mark == "error"
        else f"Best guess: {name_of(guess)}"
        if mark and guess
        else ""
        for reason, trace, guess, mark in zip(reasons, traces, guesses, marks, strict=True)
    ]
