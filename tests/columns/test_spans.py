"""Parts of texts in different languages, over the embedded service and as they are cut."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb import errors
from svc_nb.columns.language_spans import cut
from svc_nb.service import Fault
from tests.growth import LINEAR, growth

DETECTION = "POST /v3/detect/language"


def spans(text: str) -> list[tuple[str, str | None]]:
    table = pd.Series([text]).svc.detect_spans(progress=False)
    return [
        (part, None if pd.isna(code) else code) for part, code in zip(table["text"], table["language"], strict=True)
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Das ist gut. That is fine.", [("Das ist gut.", "DE"), ("That is fine.", "EN")]),
        ("我喜欢 JupyterLab 很多", [("我喜欢 JupyterLab 很多", "ZH")]),
        (
            "我喜欢 machine learning 很多。",
            [("我喜欢", "ZH"), ("machine learning", "EN"), ("很多。", "ZH")],
        ),
        (
            "Das Zelt ist gut. Wir haben gut geschlafen! It rained all night.\nMerci beaucoup pour tout.",
            [
                ("Das Zelt ist gut. Wir haben gut geschlafen!", "DE"),
                ("It rained all night.", "EN"),
                ("Merci beaucoup pour tout.", "FR"),
            ],
        ),
        (
            "Bitte hier unterschreiben / Please sign here",
            [("Bitte hier unterschreiben", "DE"), ("Please sign here", "EN")],
        ),
        (
            "Добро пожаловать! Welcome to our house",
            [("Добро пожаловать!", "RU"), ("Welcome to our house", "EN")],
        ),
        ("OK. Das ist ein schöner Tag.", [("OK. Das ist ein schöner Tag.", "DE")]),
        ("Das ist ein schöner Tag. 12 + 3 = 15.", [("Das ist ein schöner Tag.", "DE")]),
        (
            "今日は良い天気です。The sun is shining.",
            [("今日は良い天気です。", "JA"), ("The sun is shining.", "EN")],
        ),
        ("ok", [("ok", None)]),
    ],
)
def test_a_text_is_cut_where_its_language_changes(connected, text, parts):
    assert spans(text) == parts


def test_every_row_has_its_spans_with_label_position_and_place(connected):
    texts = pd.Series(["Das ist gut. That is fine.", None, "", "12", "Das ist gut. That is fine."], index=list("abacc"))
    table = texts.svc.detect_spans(progress=False)
    assert table.columns.tolist() == ["position", "start", "end", "text", "language", "confidence"]
    assert table.index.tolist() == ["a", "a", "c", "c"]
    assert table["position"].tolist() == [0, 0, 4, 4]
    for row in table.itertuples():
        assert texts.iloc[row.position][row.start : row.end] == row.text
    assert table["confidence"].gt(0.5).all()
    assert str(table["confidence"].dtype) == "Float64"


def test_no_texts_no_spans(connected):
    for texts in (pd.Series([], dtype=object), pd.Series([None, ""])):
        table = texts.svc.detect_spans(progress=False)
        assert table.empty
        assert str(table["start"].dtype) == "int64"


def test_equal_sentences_are_asked_for_once(connected, running):
    before = running.traffic.answered[DETECTION, 200]
    pd.Series(["Das ist gut. That is fine."] * 50).svc.detect_spans(progress=False)
    pd.Series(["That is fine. Das ist gut."]).svc.detect_spans(progress=False)
    assert running.traffic.answered[DETECTION, 200] == before + 1


def test_what_is_less_sure_than_asked_for_goes_with_its_neighbour(connected):
    text = pd.Series(["Das Zelt ist sehr gut und schön. Gut so."])
    assert len(text.svc.detect_spans(min_confidence=0.9999, progress=False)) == 1


def test_what_failed_is_raised_or_a_span_of_no_language(connected, running):
    running.faults.add(Fault("status", operation=DETECTION, status=400))
    text = pd.Series(["Das ist gut."])
    with pytest.raises(errors.BadRequest):
        text.svc.detect_spans(progress=False)
    table = text.svc.detect_spans(errors="coerce", progress=False)
    assert (table["text"].tolist(), table["language"].isna().tolist()) == (["Das ist gut."], [True])


def test_a_cell_that_is_not_text_is_refused_or_has_no_spans(connected):
    cells = pd.Series(["Das ist gut.", 12], dtype=object)
    with pytest.raises(TypeError, match=r"row 1 .*found int"):
        cells.svc.detect_spans(progress=False)
    assert cells.svc.detect_spans(errors="coerce", progress=False)["position"].tolist() == [0]


@given(st.text(st.characters(), max_size=80))
def test_pieces_are_in_order_and_have_a_word_each(text):
    last = 0
    for piece in cut(text):
        assert last <= piece.start < piece.end
        part = text[piece.start : piece.end]
        assert part == part.strip()
        assert any(letter.isalpha() for letter in part)
        last = piece.end


@given(st.text(st.characters(categories=["L"]), max_size=60))
def test_no_letter_is_lost(text):
    assert "".join(text[piece.start : piece.end] for piece in cut(text)) == text.strip()


@pytest.mark.parametrize("run", [".", "a.", "! ", " ", "\n", "я a ", "。", "/ ", "a'"])
def test_long_texts_are_cut_in_linear_time(run):
    texts = [run * (size // len(run)) for size in (25_000, 100_000)]
    assert growth(lambda text: list(cut(text)), *texts) < LINEAR


def test_spans_are_of_numbers_that_slice(connected):
    table = pd.Series(["Das ist gut. That is fine."]).svc.detect_spans(progress=False)
    assert {np.dtype(table[name].dtype).kind for name in ("position", "start", "end")} == {"i"}
