"""What the charts of scores and findings draw and say."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from svc_nb.plots import alt_text, findings, scores
from tests.plots.example import HOSTILE, canvas, lengths, words
from tests.plots.test_legibility import assert_legible


def table(rows: int = 300, codes: list[str] | None = None) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({"score": 100 * rng.beta(8, 2, rows), "source_lang": rng.choice(codes or ["DE", "FR"], rows)})


def tops(ax) -> float:
    """How many rows the bars of a stack hold in all."""
    found = 0.0
    for patch in ax.patches + [each for each in ax.artists if hasattr(each, "get_path")]:
        corners = patch.get_path().vertices.reshape(-1, 5, 2)
        found += (corners[:, 1, 1] - corners[:, 0, 1]).sum()
    return found


def test_bars_are_all_rows_that_have_a_score_and_the_threshold_says_how_many_are_looked_at():
    given = table()
    given.loc[:9, "score"] = np.nan
    ax = scores(given, threshold=70, ax=canvas())
    below = int((given["score"] < 70).sum())
    assert tops(ax) == 290
    assert f"{below} below 70" in " ".join(words(ax))
    assert f"{below} below 70 ({100 * below / 290:.1f} %), 290 rows" in alt_text(ax)
    assert "German" in alt_text(ax)
    assert ax.lines[0].get_xdata()[0] == pytest.approx(70 / 5 - 0.5)


def test_a_column_alone_or_with_its_languages_is_enough():
    given = table()
    assert tops(scores(given["score"], ax=canvas())) == 300
    one = alt_text(scores(given["score"], by=given["source_lang"], ax=canvas()))
    assert one == alt_text(scores(given, ax=canvas())) == alt_text(scores(given, by="source_lang", ax=canvas()))


def test_codes_of_one_language_are_one_however_they_are_written():
    given = pd.DataFrame({"score": [10.0, 20.0, 30.0, 40.0, 50.0], "source_lang": ["EN", "en", "en ", "DE", None]})
    ax = scores(given, ax=canvas())
    assert tops(ax) == 5
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["Not known", "German", "English"]
    assert "English 20.0, German 40.0, Not known 50.0" in alt_text(ax)


def test_axes_have_names():
    ax = scores(table(), ax=canvas())
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Score", "Rows")
    ax = findings(pd.DataFrame({"code": ["tags"], "severity": ["error"]}), ax=canvas())
    assert ax.get_xlabel() == "Findings"


def test_100_is_in_the_last_bar_and_no_rows_are_said_to_be_none():
    assert tops(scores(pd.Series([100.0, 0.0, 95.0]), ax=canvas())) == 3
    assert alt_text(scores(pd.Series([], dtype=float), ax=canvas())) == "Scores of translations: no rows."


@pytest.mark.parametrize(("width", "height"), [(300, 250), (700, 400)])
def test_many_languages_are_legible(width, height):
    codes = [f"{a}{b}" for a in "abcde" for b in "abcdefgh"] + HOSTILE[:4]
    ax = scores(table(500, codes), threshold=80, ax=canvas(width, height))
    assert tops(ax) == 500
    assert_legible(ax)


def test_what_has_no_scores_is_refused():
    with pytest.raises(ValueError, match=r'a column "score", .* found a'):
        scores(pd.DataFrame({"a": [1]}), ax=canvas())
    with pytest.raises(ValueError, match=r"score, row 1 \(label b\): expected a number from 0 to 100, found 'Hello'"):
        scores(pd.Series([5, "Hello"], index=["a", "b"]), ax=canvas())
    with pytest.raises(ValueError, match=r"row 0 \(label 0\): expected a number from 0 to 100, found .*101"):
        scores(pd.Series([101.0]), ax=canvas())
    for wrong in ("Hello", 5, None):
        with pytest.raises(
            TypeError,
            match=r"expected the result of \.svc\.score\(\) .* found "
            rf"{type(wrong).__name__}",
        ):
            scores(wrong, ax=canvas())
    with pytest.raises(ValueError, match="there is no column 'lang'"):
        scores(table(), by="lang", ax=canvas())
    with pytest.raises(ValueError, match="expected 300 languages"):
        scores(table()["score"], by=["DE"], ax=canvas())
    with pytest.raises(TypeError, match="threshold"):
        scores(table(), threshold="low", ax=canvas())


def test_findings_are_counted_by_kind_the_commonest_first():
    source, translated = pd.Series(["Order 5 came.", "Yes.", "No 7."]), pd.Series(["Bestellung 6 kam", "ja", ""])
    report = source.svc.check(translated, target_lang="de")
    ax = findings(report, ax=canvas())
    assert sorted(length for length in lengths(ax) if length) == sorted(report["code"].value_counts())
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert set(names) == set(report["code"])
    assert alt_text(ax).startswith(f"What the checks found: {len(report)} findings, error 1, ")
    assert_legible(ax)


def test_rare_kinds_are_put_together_and_nothing_is_said_to_be_nothing():
    rows = [
        (f"code_{number}", ["error", "warning", "info"][number % 3]) for number in range(30) for _ in range(40 - number)
    ]
    report = pd.DataFrame(rows, columns=["code", "severity"])
    ax = findings(report, top=5, ax=canvas())
    assert [text.get_text() for text in ax.get_yticklabels()][-1] == "26 others"
    assert sum(lengths(ax)) == len(report)
    assert alt_text(findings(report.iloc[:0], ax=canvas())) == "What the checks found: nothing."
    with pytest.raises(ValueError, match=r"`code` and `severity`, .* found the columns code"):
        findings(pd.DataFrame({"code": ["a"]}), ax=canvas())
    with pytest.raises(ValueError, match=r"`code` and `severity`, .* found Series"):
        findings(pd.Series(["a"]), ax=canvas())
    with pytest.raises(ValueError, match="severity: expected error, warning, info, found 'grave'"):
        findings(pd.DataFrame({"code": ["a"], "severity": ["grave"]}), ax=canvas())


def test_without_axes_a_figure_is_made():
    before = plt.get_fignums()
    for ax in (scores(table()), findings(pd.DataFrame({"code": ["tags"], "severity": ["error"]}))):
        plt.close(ax.figure)
    assert plt.get_fignums() == before
