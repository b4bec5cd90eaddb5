"""The parts of texts in different languages: cut where the language may change, detected, joined where it did not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from svc_nb.engine.outcome import DONE, SKIPPED
from svc_nb.tabular.text_column import TEXT, Column

# A single word among words in its own script needs this confidence to count as another language.
SURE_OF_A_WORD = 0.9
UNTOLD = ("insufficient_confidence", "no_language_detected")
COLUMNS = ("position", "start", "end", "text", "language", "confidence")

# A sentence ends with marks before a space or with full-width ones, at a line's end, and at a dash or slash between
# spaces; group 1 belongs to it. Runs are only matched from their beginning.
_SENTENCE_END = re.compile(
    r"((?<![.!?…])[.!?…]++[\"'»”’)\]]*+(?=\s)|[。！？]+[」』”’）]*)|[\n\r\t\u2028\u2029]+|(?<=\s)[/|•·–—](?=\s)"
)
_WORD = re.compile(r"[^\W\d_][\w'’]*")
_EAST_ASIAN = ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO")


class Piece(NamedTuple):
    """A part of a text whose language is detected as a whole: `text[start:end]`, its script and number of words."""

    start: int
    end: int
    script: str
    words: int


class Span(NamedTuple):
    """A part of a text in one language, None if unknown; *weight* is the weight of its confidence."""

    start: int
    end: int
    language: str | None
    confidence: float | None
    weight: int


def detect_spans(
    values: pd.Series[Any] | pd.Index[Any],
    detect_table: Callable[[pd.Series[Any]], pd.DataFrame],
    *,
    coerce: bool = False,
) -> pd.DataFrame:
    """The spans of every row of *values*, in order; *detect_table* returns the outcome of each given text."""
    column = Column(values, coerce=coerce)
    pieces = [[] if text is None else list(cut(text)) for text in column.texts]
    texts = [
        (text or "")[piece.start : piece.end] for text, its in zip(column.texts, pieces, strict=True) for piece in its
    ]
    table = detect_table(pd.Series(texts, dtype=object))
    found = iter(table[["language", "detection_status", "confidence", "status"]].itertuples(index=False))
    spans = [join(its, [next(found) for _ in its]) for its in pieces]
    rows = [
        (place, span.start, span.end, (column.texts[code] or "")[span.start : span.end], *span[2:4])
        for place, code in enumerate(column.codes.tolist())
        if code >= 0
        for span in spans[code]
    ]
    made = pd.DataFrame(rows, columns=pd.Index(COLUMNS), index=column.labels.take([row[0] for row in rows]))
    types = {"position": "int64", "start": "int64", "end": "int64", "language": TEXT, "confidence": "Float64"}
    return made.astype(types)


def cut(text: str) -> Iterator[Piece]:
    """Cut *text* at the ends of sentences and, within a sentence, where the script changes; each piece has a word.

    >>> [(piece.start, piece.end, piece.script) for piece in cut("Das ist gut. Да, хорошо.")]
    [(0, 12, 'LATIN'), (13, 24, 'CYRILLIC')]
    """
    start = 0
    for end in _SENTENCE_END.finditer(text):
        yield from _runs(text, start, end.end(1) if end[1] else end.start())
        start = end.end()
    yield from _runs(text, start, len(text))


def _runs(text: str, start: int, end: int) -> Iterator[Piece]:
    """The pieces of one sentence. A single Latin word among other scripts is usually a name, so it is not a piece."""
    runs: list[Piece] = []
    for word in _WORD.finditer(text, start, end):
        for first, last, script in _scripts(word):
            if runs and runs[-1].script == script:
                runs[-1] = runs[-1]._replace(words=runs[-1].words + 1)
            else:
                runs.append(Piece(first, last, script, 1))
    pieces: list[Piece] = []
    for run in runs:
        if len(runs) > 1 and run.script == "LATIN" and run.words == 1:
            continue
        if pieces and pieces[-1].script == run.script:
            pieces[-1] = pieces[-1]._replace(words=pieces[-1].words + run.words)
        else:
            pieces.append(run)
    edges = [start, *(piece.start for piece in pieces[1:]), end]
    for piece, first, last in zip(pieces, edges, edges[1:], strict=False):
        whole = text[first:last]
        first += len(whole) - len(whole.lstrip())
        yield piece._replace(start=first, end=first + len(whole.strip()))


def _scripts(word: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """The parts of a word that are in one script each, because scripts without spaces do not separate words."""
    first, script = word.start(), ""
    for place, letter in enumerate(word[0], word.start()):
        found = _script(letter)
        if found and found != script:
            if script:
                yield first, place, script
            first, script = place, found
    if script:
        yield first, word.end(), script


@cache
def _script(letter: str) -> str:
    """The script of *letter* from its Unicode name; empty for characters that all scripts share."""
    if not letter.isalpha():
        return ""
    script = unicodedata.name(letter, "").partition(" ")[0]
    return "CJK" if script in _EAST_ASIAN else script


def join(pieces: Sequence[Piece], found: Sequence[Any]) -> list[Span]:
    """Join adjacent pieces in one language; a piece of unknown language joins the one before it, or else after it."""
    spans: list[Span] = []
    begun: int | None = None
    for number, (piece, answer) in enumerate(zip(pieces, found, strict=True)):
        language = answer.language if isinstance(answer.language, str) else None
        confidence = None if pd.isna(answer.confidence) else float(answer.confidence)
        span = Span(piece.start, piece.end, language, confidence, piece.end - piece.start)
        if answer.status == DONE:
            beside = [*pieces[max(0, number - 1) : number], *pieces[number + 1 : number + 2]]
            alone = piece.words == 1 and piece.script in {each.script for each in beside}
            unsure = alone and confidence is not None and confidence < SURE_OF_A_WORD
            told = answer.detection_status not in UNTOLD and not unsure
        else:  # a failed text's language is unknown, a skipped text has none
            told = answer.status != SKIPPED
        if told and language and spans and spans[-1].language == language:
            spans[-1] = _joined(spans[-1], span)
        elif told:
            spans.append(span if begun is None else span._replace(start=begun))
            begun = None
        elif spans:
            spans[-1] = spans[-1]._replace(end=piece.end)
        elif begun is None:
            begun = piece.start
    if begun is not None:
        spans.append(Span(begun, pieces[-1].end, None, None, 0))
    return spans


def _joined(one: Span, other: Span) -> Span:
    weight = one.weight + other.weight
    confidence = None
    if one.confidence is not None and other.confidence is not None:
        confidence = float(np.average([one.confidence, other.confidence], weights=[one.weight, other.weight]))
    return Span(one.start, other.end, one.language, confidence, weight)
