"""Tables that say what they mean: shown as text, never as HTML, and plain as soon as something is taken from them."""

from __future__ import annotations

import pickle

import pandas as pd
import pytest

from svc_nb.tabular.report import MOST_ROWS, Report

HOSTILE = "<script>alert(1)</script> & $x$ {0} %s"


def report(rows: int = 2) -> Report:
    return Report(pd.DataFrame({"severity": ["error"] * rows, "text": [HOSTILE] * rows}), HOSTILE, marks="severity")


def test_a_report_is_a_table_with_a_line():
    shown = repr(report())
    assert shown.endswith(f"\n\n{HOSTILE}")
    assert report().shape == (2, 2)
    pd.testing.assert_frame_equal(
        pd.DataFrame(report()), pd.DataFrame({"severity": ["error"] * 2, "text": [HOSTILE] * 2})
    )


def test_what_is_taken_from_a_report_is_a_plain_table():
    for taken in (
        report().head(1),
        report()[["text"]],
        report().copy(),
        report().query("severity == 'error'"),
    ):
        assert type(taken) is pd.DataFrame


def test_hostile_text_is_shown_as_text():
    html = report()._repr_html_()
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 3
    assert "mathjax_ignore" in html


def test_rows_are_coloured_by_what_they_are():
    assert report()._repr_html_().count("background") == 2


def test_an_empty_report_shows_only_its_line():
    assert repr(report(0)) == HOSTILE
    assert "<table" not in report(0)._repr_html_()


def test_a_long_report_shows_its_ends():
    table = pd.DataFrame({"number": range(MOST_ROWS + 40)})
    html = Report(table, "Long.")._repr_html_()
    assert html.count("<tr") == MOST_ROWS + 2
    assert f">{MOST_ROWS + 39}<" in html


def test_a_column_of_names_that_are_no_texts_is_shown():
    assert "2026-01-01" in Report(pd.DataFrame({pd.Timestamp("2026-01-01"): [1]}), "x")._repr_html_()


def test_a_report_can_be_kept():
    kept = pickle.loads(pickle.dumps(report()))
    assert kept.equals(report())


def test_setting_a_column_works_as_on_any_table():
    table = report()
    table["new"] = [1, 2]
    assert table["new"].sum() == 3
    with pytest.raises(KeyError):
        table["absent"]


def test_no_column_is_left_out_where_lines_are_short():
    table = pd.DataFrame({f"column {number}": ["some words " * 4] for number in range(6)})
    shown = repr(Report(table, "x"))
    assert all(f"column {number}" in shown for number in range(6))
    assert "..." not in shown


def test_the_labels_have_their_name_and_numbers_stay_whole():
    table = pd.DataFrame({"count": [1], "share": [0.5]}, index=pd.Index([7], name="line"))
    html = Report(table, "x")._repr_html_()
    assert ">line<" in html
    assert ">1<" in html
    assert ">0.5<" in html


def test_a_day_is_shown_as_a_day_and_a_moment_as_a_moment():
    cells = [
        pd.Timestamp("2026-11-15"),
        pd.Timestamp("2026-11-15 07:30"),
        pd.Timestamp("2026-11-15", tz="UTC"),
    ]
    shown = Report(pd.DataFrame({"at": pd.Series(cells, dtype=object)}))._repr_html_()
    assert ">2026-11-15<" in shown
    assert ">2026-11-15 07:30:00<" in shown
    assert ">2026-11-15 00:00:00+00:00<" in shown
