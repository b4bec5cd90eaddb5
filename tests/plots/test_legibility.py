"""Charts on screens of all sizes: nothing overlaps, nothing is cut, nothing is taken for mathematics."""

from __future__ import annotations

from itertools import combinations

import pytest
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from svc_nb.plots import KINDS, draw
from tests.plots.example import HOSTILE, by_tag, canvas, keys, texts, usage

SIZES = pytest.mark.parametrize(
    ("width", "height", "dpi"), [(700, 400, 100), (700, 400, 200), (1600, 700, 100), (1600, 700, 200)]
)


def drawn(kind: str, table, *, width: float = 900, height: float = 450, dpi: float = 100, theme: str = "light") -> Axes:
    options = {"keys": keys(table, [300_000, 10_000, None, 0])} if kind == "caps" else {}
    ax = canvas(width, height, dpi)
    return draw(kind, by_tag(table) if kind == "tags" else table, ax=ax, theme=theme, **options)


def overlap(one: Bbox, other: Bbox) -> bool:
    """Whether two boxes share more than a hair's breadth."""
    both = Bbox.intersection(one, other)
    return both is not None and both.width > 1 and both.height > 1


def assert_legible(ax: Axes) -> None:
    """All text is within the figure, and no two texts touch."""
    found = [(text.get_text(), text.get_window_extent()) for text in texts(ax)]
    page = ax.figure.bbox
    for words, box in found:
        assert box.x0 >= -1, f"{words!r} is cut on the left"
        assert box.x1 <= page.width + 1, f"{words!r} is cut on the right"
        assert box.y0 >= -1, f"{words!r} is cut below"
        assert box.y1 <= page.height + 1, f"{words!r} is cut above"
    for (one, box), (other, second) in combinations(found, 2):
        assert not overlap(box, second), f"{one!r} and {other!r} overlap"


@pytest.mark.long
@SIZES
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_labels_over_90_days_are_legible(kind, width, height, dpi):
    assert_legible(drawn(kind, usage(90, HOSTILE), width=width, height=height, dpi=dpi))


@pytest.mark.long
@pytest.mark.parametrize("width", [700, 1600])
@pytest.mark.parametrize("kind", KINDS)
def test_a_year_of_many_keys_is_legible(kind, width):
    assert_legible(drawn(kind, usage(366, 40), width=width, theme="dark"))


@pytest.mark.parametrize("days", [1, 2, 7, 14, 30, 60, 200])
def test_days_are_legible_over_every_range(days):
    assert_legible(drawn("by_day", usage(days, 3), width=700))


@pytest.mark.long
def test_large_amounts_are_legible():
    for scale in (1, 50, 10**6, 10**9):
        assert_legible(drawn("by_day", usage(30, 3, scale=scale), width=700))
        assert_legible(drawn("heat_map", usage(30, 3, scale=scale), width=700))


@SIZES
def test_a_legend_never_stands_over_data(width, height, dpi):
    ax = drawn("by_day", usage(30, HOSTILE), width=width, height=height, dpi=dpi)
    ax.figure.draw_without_rendering()
    assert not overlap(ax.get_legend().get_window_extent(), ax.get_window_extent())
    assert ax.bbox.width >= 0.45 * ax.figure.bbox.width
    assert ax.bbox.height >= 0.28 * ax.figure.bbox.height


@pytest.mark.parametrize("kind", KINDS)
def test_labels_are_never_mathematics_nor_tex(kind):
    labels = ["$x_1$", "$\\frac{1}{2}$", "a_b^c", "50 % & more #1"]
    found = texts(drawn(kind, usage(30, labels)))
    theirs = [text for text in found if any(mark in text.get_text() for mark in "$_^&")]
    assert len(theirs) >= 2 or kind == "by_product"
    for text in theirs:
        assert not text.get_parse_math()
        assert not text.get_usetex()
        assert text._preprocess_math(text.get_text()) == (text.get_text(), False)


@pytest.mark.long
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_all_text_stands_out_in_both_themes(kind, theme):
    from tests.plots.test_theme import contrast

    ax = drawn(kind, usage(30, 5), theme=theme)
    for text in texts(ax):
        assert contrast(text.get_color(), ax.figure.get_facecolor()) >= 4.5, text.get_text()


def test_every_text_that_is_looked_at_is_really_there():
    ax = drawn("by_day", usage(30, 3))
    assert {"Characters by day and key", "0", "Website", "not over yet"} <= {text.get_text() for text in texts(ax)}
