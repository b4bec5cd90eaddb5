"""Checks across rows: one source text with several translations, one translation for several source texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from svc_nb.checks.catalogue import Finding
from svc_nb.checks.excerpt import excerpt
from svc_nb.checks.tape import Numbers

NOT_WORDS = re.compile(r"\W+")


class Rows:
    """Some rows of two columns, with a number for either text: equal texts have equal numbers."""

    def __init__(self, rows: Sequence[int], sources: Numbers, targets: Numbers) -> None:
        self.rows = np.asarray(rows, dtype=np.intp)
        self.sources, self.targets = sources, targets

    @staticmethod
    def joined(parts: list[Rows]) -> Rows:
        """The rows of all *parts*."""
        none = np.zeros(0, dtype=np.uint64)
        sources = np.concatenate([none, *(part.sources for part in parts)])
        targets = np.concatenate([none, *(part.targets for part in parts)])
        rows: list[int] = [row for part in parts for row in part.rows.tolist()]
        return Rows(rows, sources, targets)

    def inconsistent(self, source: pd.Series[str], target: pd.Series[str]) -> Iterator[Finding]:
        """Code `inconsistent`."""
        for rows in self._several(self.sources, self.targets, source):
            translations = target.iloc[rows].tolist()
            usual, times = Counter(translations).most_common(1)[0]
            message = f"{times} of {len(rows)} times this source is translated {excerpt(usual)}"
            for row, translation in zip(rows, translations, strict=True):
                if translation != usual:
                    yield Finding(row, "inconsistent", message, usual)

    def same_target(self, source: pd.Series[str], target: pd.Series[str]) -> Iterator[Finding]:
        """Code `same_target`."""
        for rows in self._several(self.targets, self.sources, target):
            texts = source.iloc[rows].tolist()
            for row, text in zip(rows, texts, strict=True):
                if _core(text) != _core(texts[0]):
                    yield Finding(row, "same_target", f"so is {excerpt(texts[0])} translated")

    def _several(self, heads: Numbers, kinds: Numbers, texts: pd.Series[str]) -> Iterator[list[int]]:
        """The rows of every head that has several kinds."""
        order = np.argsort(heads, kind="stable")
        head, kind = heads[order], kinds[order]
        starts = np.flatnonzero(np.concatenate(([True], head[1:] != head[:-1]))) if len(head) else order
        differs = (
            np.minimum.reduceat(kind, starts) != np.maximum.reduceat(kind, starts) if len(head) else starts
        )
        ends = np.append(starts[1:], len(order))
        for start, end in zip(starts[differs].tolist(), ends[differs].tolist(), strict=True):
            rows = self.rows[order[start:end]].tolist()
            listed = texts.iloc[rows].tolist()  # numbers may be equal by accident
            yield [row for row, text in zip(rows, listed, strict=True) if text == listed[0]]


def _core(text: str) -> str:
    """What is left of a text when case, spaces and marks do not count; all of it where nothing would be."""
    return NOT_WORDS.sub("", text).casefold() or text
