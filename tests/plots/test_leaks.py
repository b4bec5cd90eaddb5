"""Charts leave nothing behind: no figures, no settings, no artists, no callbacks."""

from __future__ import annotations

import gc
import io
import pickle
from functools import cache

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.artist import Artist

from svc_nb.plots import KINDS, alt_text, draw
from tests.plots.example import by_tag, canvas, keys, usage

mpl.use("agg")


def drawn(kind: str, ax=None, **options):
    table = usage(10, 2)
    if kind == "caps":
        options["keys"] = keys(table, [100_000, None])
    return draw(kind, by_tag(table) if kind == "tags" else table, ax=ax, **options)


def census(figure) -> tuple[int, int, int]:
    """How many artists the figure holds, how many live at all, and how many callbacks wait."""
    gc.collect()
    living = sum(isinstance(thing, Artist) for thing in gc.get_objects())
    registries = [
        figure.canvas.callbacks,
        figure._axobservers,
        figure.axes[0].callbacks,
        figure.axes[0].xaxis.callbacks,
    ]
    return (
        len(figure.findobj()),
        living,
        sum(len(waiting) for each in registries for waiting in each.callbacks.values()),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_without_axes_pyplot_has_one_figure_more_and_shows_it(kind):
    before = plt.get_fignums()
    ax = drawn(kind)
    assert len(plt.get_fignums()) == len(before) + 1
    assert ax.figure is plt.gcf()
    assert alt_text(ax)
    plt.close(ax.figure)
    assert plt.get_fignums() == before


@pytest.mark.parametrize("kind", KINDS)
def test_on_given_axes_pyplot_hears_of_nothing(kind):
    before = plt.get_fignums()
    ax = canvas()
    assert drawn(kind, ax) is ax
    assert plt.get_fignums() == before


@pytest.mark.parametrize("kind", KINDS)
def test_settings_of_the_user_stay_as_they_are(kind):
    before = mpl.rcParams.copy()
    drawn(kind, canvas(), theme="dark")
    plt.close(drawn(kind).figure)
    assert mpl.rcParams == before


@pytest.mark.long
def test_twice_as_many_redraws_leave_as_much():
    ax = canvas(500, 300)
    kinds = [*KINDS]
    counts = []
    for round_ in range(6):
        for kind in kinds:
            drawn(kind, ax, theme=("light", "dark")[round_ % 2])
            ax.figure.draw_without_rendering()
        if round_ in (2, 5):
            counts.append(census(ax.figure))
    assert counts[0] == counts[1]
    assert len(ax.figure.axes) == 1


@pytest.mark.long
def test_every_chart_looks_the_same_after_any_other():
    used = canvas()
    for kind in (*KINDS, *reversed(KINDS), *KINDS):
        drawn(kind, used, theme="light")
        after = picture(used)
        assert after == fresh(kind), kind


@cache
def fresh(kind: str) -> bytes:
    return picture(drawn(kind, canvas(), theme="light"))


def picture(ax) -> bytes:
    # The layout settles in two steps.
    ax.figure.draw_without_rendering()
    out = io.BytesIO()
    ax.figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["svg", "pdf"])
def test_charts_are_saved_in_every_form(kind, form):
    out = io.BytesIO()
    drawn(kind, canvas()).figure.savefig(out, format=form)
    assert len(out.getvalue()) > 1000


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_can_be_pickled(kind):
    figure = drawn(kind, canvas()).figure
    pickle.loads(pickle.dumps(figure)).draw_without_rendering()


def test_a_style_of_the_user_is_followed_where_no_theme_is_named():
    with plt.style.context("dark_background"):
        ax = drawn("by_day")
    assert ax.title.get_color() is not None
    assert ax._left_title.get_color() == "#ececec"
    plt.close(ax.figure)


def test_a_figure_is_painted_only_where_a_theme_is_named():
    ax = canvas()
    ax.figure.set_facecolor("#ffeecc")
    drawn("by_day", ax)
    assert mpl.colors.to_hex(ax.figure.get_facecolor()) == "#ffeecc"
    drawn("by_day", ax, theme="dark")
    assert mpl.colors.to_hex(ax.figure.get_facecolor()) == "#111111"
