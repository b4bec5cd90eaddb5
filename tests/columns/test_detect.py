"""Detection on columns over the embedded service: how sure it is, and what is not sure enough."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import svc_nb
from svc_nb.engine.outcome import DetectedLanguage
from svc_nb.engine.store import decode
from svc_nb.service import Fault

DETECTION = "POST /v3/detect/language"
TOLD = ["confidence", "best_guess", "second_guess", "second_confidence", "script"]
TEXTS = pd.Series(
    ["Das ist ein schöner Tag heute.", "ok", "Motxila hau oso arina da, poltsiko asko ditu.", None, "12", "这个实验"],
    index=list("aabbcc"),
)  # fmt: skip


def test_the_table_says_how_sure_it_is_and_what_else_it_might_be(connected):
    table = TEXTS.svc.detect_table(progress=False)
    assert table.columns.tolist() == [
        "language", "detection_status", *TOLD,
        "status", "reason", "billed_characters", "from_store", "http_status", "trace_id",
    ]  # fmt: skip
    assert table["detection_status"].tolist()[:3] == [
        "success",
        "insufficient_confidence",
        "unsupported_language",
    ]
    german, short, basque, gap, number, chinese = table.itertuples()
    assert (german.language, german.best_guess, german.script) == ("DE", "DE", "Latn")
    assert german.confidence > 0.9 > german.second_confidence
    assert pd.isna(short.language)
    assert short.confidence < 0.6
    assert (pd.isna(basque.language), basque.best_guess) == (True, "EU")
    assert (chinese.language, chinese.script) == ("ZH", "Hans")
    for row in (gap, number):
        assert all(pd.isna(getattr(row, name)) for name in ("language", "detection_status", *TOLD))
    assert [str(table[name].dtype) for name in ("confidence", "second_confidence")] == ["Float64"] * 2


def test_stored_answers_keep_how_sure_they_are(connected, running):
    first = TEXTS.svc.detect_table(progress=False)
    running.faults.add(Fault("status", operation=DETECTION, status=500))
    again = TEXTS.svc.detect_table(progress=False)
    assert again["from_store"].tolist() == [True, True, True, False, False, True]
    pd.testing.assert_frame_equal(first[TOLD], again[TOLD])


def test_an_answer_that_was_stored_before_there_were_confidences_can_be_read():
    old = b'{"text":null,"language":"DE","billed":null,"model":null,"detection_status":"success","trace_id":"t"}'
    assert decode(old) == DetectedLanguage(language="DE", detection_status="success", trace_id="t")


def test_what_is_less_sure_than_asked_for_is_a_gap_that_says_so(connected):
    texts = pd.Series(["Das ist ein schöner Tag heute.", "Gut", "ok"], index=[7, 7, 8])
    table = texts.svc.detect_table(min_confidence=0.999, progress=False)
    assert table["language"].fillna("?").tolist() == ["DE", "?", "?"]
    assert table["detection_status"].tolist() == ["success", *["insufficient_confidence"] * 2]
    assert table["reason"].fillna("").tolist() == ["", "min_confidence", ""]
    assert table["status"].tolist() == ["done"] * 3
    assert table["best_guess"].tolist()[:2] == ["DE", "DE"]
    assert texts.svc.detect(min_confidence=0.999, progress=False).fillna("?").tolist() == ["DE", "?", "?"]
    assert texts.svc.detect(min_confidence=0, progress=False).fillna("?").tolist() == ["DE", "DE", "?"]
    frame = texts.to_frame("t").svc.detect("t", min_confidence=0.999, progress=False)
    assert frame["t"].fillna("?").tolist() == ["DE", "?", "?"]
    added = svc_nb.detect(texts.to_frame("t").reset_index(drop=True), "t", min_confidence=0.999, progress=False)
    assert added["t_lang"].fillna("?").tolist() == ["DE", "?", "?"]


def test_other_engines_take_the_least_confidence_too(connected):
    frame = pl.DataFrame({"t": ["Das ist ein schöner Tag heute.", "Gut"]})
    made = svc_nb.detect(frame, "t", min_confidence=0.999, progress=False)
    assert made["t_lang"].to_list() == ["DE", None]


@pytest.mark.parametrize("slip", ["high", True, -0.1, 1.5])
def test_a_least_confidence_that_is_none_is_refused(connected, slip):
    with pytest.raises((TypeError, ValueError), match="min_confidence: expected a number from 0 to 1"):
        TEXTS.svc.detect(min_confidence=slip, progress=False)
