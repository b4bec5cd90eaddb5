"""Counts of anything as lying bars, in the colours of all our charts."""

from __future__ import annotations

import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import PathPatch

from svc_nb import plots
from svc_nb.plots.axes import LIGHT
from tests.plots.example import canvas, words


def test_bars_are_the_counts_and_have_our_colours():
    table = pd.DataFrame({"a": [3, 1], "b": [0, 5]}, index=["DE", "$x$"])
    ax = plots.stacked(table, title="Rules", ax=canvas())
    drawn = [patch for patch in ax.get_children() if isinstance(patch, PathPatch) and patch.get_facecolor()[3]]
    assert [to_hex(patch.get_facecolor()) for patch in drawn] == [*LIGHT.colours[:2]]
    assert [patch.get_path().get_extents().x1 for patch in drawn] == [3, 6]
    assert {"DE", "$x$", "3", "6", "a", "b", "Rules"} <= {*words(ax)}
    assert plots.alt_text(ax) == "Rules: 9 in all. Most: $x$ (6), DE (3)."


def test_a_series_has_one_colour_and_no_legend():
    ax = plots.stacked(pd.Series([2, 4], index=["a", "b"]), ax=canvas())
    assert ax.get_legend() is None


@pytest.mark.parametrize("table", [pd.DataFrame(), pd.DataFrame({"a": [0]}), pd.Series([None], dtype="Int64")])
def test_nothing_to_count_is_said(table):
    assert "Nothing to count" in words(plots.stacked(table, ax=canvas()))


@pytest.mark.parametrize("count", [-1.0, float("inf")])
def test_what_is_no_count_is_refused(count):
    with pytest.raises(ValueError, match="counts of 0 or more"):
        plots.stacked(pd.DataFrame({"a": [count]}), ax=canvas())
