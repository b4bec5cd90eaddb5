"""What the chart of languages draws and says: the rows of the table, no others."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from svc_nb.language_codes import name_of
from svc_nb.plots import alt_text, languages
from svc_nb.plots.languages import counted
from tests.plots.example import canvas, lengths, words
from tests.plots.test_legibility import assert_legible


def codes(**counts: int) -> pd.Series:
    found = [None if code == "gap" else code for code, count in counts.items() for _ in range(count)]
    return pd.Series(found, dtype=object)


def many(count: int) -> pd.Series:
    letters = [f"{a}{b}" for a in "abcdefgh" for b in "abcdefgh"][:count]
    return pd.Series([code for place, code in enumerate(letters) for _ in range(count - place)])


def test_bars_are_the_rows_of_each_language_and_what_was_not_detected_stands_apart_and_last():
    ax = languages(codes(de=30, en=60, gap=10), ax=canvas())
    assert [text.get_text() for text in ax.get_yticklabels()] == ["English", "German", "", "Not detected"]
    assert sorted(length for length in lengths(ax) if length) == [10, 30, 60]
    assert {"60 · 60.0 %", "30 · 30.0 %", "10 · 10.0 %"} <= set(words(ax))
    assert alt_text(ax) == (
        "Languages of 100 rows: 2 languages, 10 not detected. Most common: English (60.0 %), German (30.0 %)."
    )


def test_a_table_of_detections_is_as_good_as_its_codes():
    table = pd.DataFrame({"language": codes(de=2, en=3), "status": "done"})
    assert alt_text(languages(table, ax=canvas())) == alt_text(languages(table["language"], ax=canvas()))
    with pytest.raises(ValueError, match="language"):
        languages(pd.DataFrame({"text": ["a"]}), ax=canvas())


@pytest.mark.parametrize("dtype", [object, "string", "category"])
def test_gaps_are_counted_whatever_the_type(dtype):
    found = counted(pd.Series(["de", None, "de", np.nan, "en"], dtype=object).astype(dtype))
    assert found.tolist() == [2, 1, 2]
    assert found.index[:2].tolist() == ["de", "en"]


@pytest.mark.parametrize(("width", "height"), [(300, 250), (700, 400), (1600, 700)])
def test_sixty_languages_are_the_commonest_and_the_rest(width, height):
    column = pd.concat([many(60), codes(gap=500)], ignore_index=True)
    ax = languages(column, ax=canvas(width, height))
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names[-1] == "Not detected"
    assert names[-3].endswith("others")
    assert sum(lengths(ax)) == len(column)
    assert_legible(ax)


def test_top_says_how_many_bars_there_are():
    ax = languages(many(20), top=5, ax=canvas())
    assert len([text for text in ax.get_yticklabels() if text.get_text()]) == 5
    assert "16 others" in words(ax)


def test_nothing_to_draw_is_said():
    ax = languages(pd.Series([], dtype=object), ax=canvas())
    assert alt_text(ax) == "Languages: no rows."
    ax = languages(codes(gap=3), ax=canvas())
    assert alt_text(ax) == "Languages of 3 rows: 3 not detected."
    assert_legible(ax)


def test_codes_are_never_mathematics():
    ax = languages(pd.Series(["$x_1$", "<b>"] * 3), ax=canvas(), theme="dark")
    assert {"$x_1$", "<b>"} <= set(words(ax))
    assert all(not text.get_parse_math() for text in ax.get_yticklabels())


def test_without_axes_pyplot_has_one_figure_more():
    before = plt.get_fignums()
    ax = languages(codes(de=1))
    assert len(plt.get_fignums()) == len(before) + 1
    plt.close(ax.figure)


def test_names_are_known_for_all_that_the_service_detects():
    from svc_nb.tabular.terms import LANGUAGES

    assert all(name_of(code) != code for code in LANGUAGES)
    assert name_of("zh-Hant") == "Chinese (traditional)"
