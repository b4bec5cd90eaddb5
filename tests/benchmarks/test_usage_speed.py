"""Charts of usage against the same bars by plain matplotlib: ratios of processor time in one run."""

from __future__ import annotations

import io
import time
import timeit
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from svc_nb.panels import Usage
from svc_nb.plots import draw
from svc_nb.usage import totals

HEAD = """# Usage

Written by `make bench`: processor time, in times what plain matplotlib needs to draw the same bars (`ax.bar`, with a
legend) in the same run. The table has 200 keys and 366 days.

"""
LINES: list[str] = []
TOP = 8


@pytest.fixture(scope="module")
def usage():
    days = pd.date_range("2025-11-15", periods=366).to_numpy().astype("datetime64[s]")
    rng = np.random.default_rng(5)
    amounts = (rng.gamma(2, 4000, (366, 200)) / np.arange(1, 201) ** 0.7).astype("int64").ravel()
    return pd.DataFrame(
        {
            "usage_date": np.repeat(days, 200),
            "api_key": np.tile([f"k{number:03d}********{number:04d}" for number in range(200)], 366),
            "api_key_label": np.tile([f"Team {number}" for number in range(200)], 366),
            "total_characters": amounts,
            "text_translation_characters": amounts - amounts // 4,
            "document_translation_characters": amounts // 4,
            "text_improvement_characters": 0,
            "speech_to_text_minutes": amounts / 10_000,
            "incomplete": np.repeat(days == days[-1], 200),
        }
    )


@pytest.fixture(scope="module", autouse=True)
def results():
    yield
    Path(__file__).with_name("usage.md").write_text(HEAD + "\n".join(LINES) + "\n")


def cpu(work) -> float:
    """Processor seconds of a run."""
    return timeit.timeit(work, number=1, timer=time.process_time)


def ratio(work, base, times: int = 3) -> float:
    """How many times the processor time of *base* *work* takes: the fastest of several runs of each, by turns."""
    runs = [(cpu(base), cpu(work)) for _ in range(times)]
    return min(run[1] for run in runs) / min(run[0] for run in runs)


def told(what: str, times: float, bound: float | None = None) -> None:
    LINES.append(f"- {what}: {times:.2f} x" + ("" if bound is None else f" (bound {bound:g})"))
    print("\n" + LINES[-1])
    if bound is not None:
        assert times <= bound


def canvas():
    figure = Figure((9, 4.5), dpi=100, layout="constrained")
    return figure, figure.add_subplot()


def saved(figure: Figure, form: str) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format=form)
    return out.getvalue()


def plain(days: pd.DataFrame, form: str) -> None:
    """The same bars as people draw them."""
    figure, ax = canvas()
    below = np.zeros(len(days))
    for name in days.columns:
        ax.bar(days.index, days[name], bottom=below, width=1.0, label=name)
        below += days[name].to_numpy()
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    saved(figure, form)


def ours(kind: str, table: pd.DataFrame, form: str, **options) -> None:
    figure, ax = canvas()
    draw(kind, table, ax=ax, **options)
    saved(figure, form)


@pytest.mark.parametrize("form", ["png", "svg"])
def test_a_year_of_200_keys_by_day(usage, form):
    days = totals.by_day(usage, top=TOP)
    times = ratio(lambda: ours("by_day", usage, form, top=TOP), lambda: plain(days, form))
    told(f"by day, sums and all, {form}", times, 1)


@pytest.mark.parametrize("kind", ["by_key", "by_product", "heat_map", "share", "caps"])
def test_a_year_of_200_keys_in_other_ways(usage, kind):
    days = totals.by_day(usage, top=TOP)
    times = ratio(lambda: ours(kind, usage, "svg"), lambda: plain(days, "svg"), times=2)
    told(f"{kind.replace('_', ' ')}, sums and all, svg", times, 1)


def test_the_table_work_of_a_redraw(usage):
    days = totals.by_day(usage, top=TOP)
    told("sums by day", ratio(lambda: totals.by_day(usage, top=TOP), lambda: plain(days, "png")), 0.3)


def test_one_figure_drawn_again_and_again(usage):
    days = totals.by_day(usage, top=TOP)
    figure, ax = canvas()

    def again() -> None:
        draw("by_day", usage, ax=ax, top=TOP)
        saved(figure, "svg")

    told("by day on the same axes, svg", ratio(again, lambda: plain(days, "svg")), 1)


@pytest.fixture
def panel(usage):
    with Usage(table=usage) as opened:
        yield opened


@pytest.mark.parametrize("kind", ["by_day", "by_key", "by_product", "heat_map", "share"])
def test_a_redraw_of_the_panel(usage, panel, kind):
    days = totals.by_day(usage, top=TOP)
    panel.show(kind)
    drawn = panel.picture.drawn
    times = ratio(panel.refresh, lambda: plain(days, "svg"))
    assert panel.picture.drawn == drawn + 3
    told(f"a redraw of the panel with its table, {kind.replace('_', ' ')}", times, 1.5)


def test_the_table_work_of_a_redraw_of_the_panel(usage, panel):
    days = totals.by_day(usage, top=TOP)
    panel.picture.draw = lambda paint, height: None

    def work() -> None:
        panel.refresh()
        totals.by_day(usage, top=TOP)

    told("the table work of a redraw of the panel", ratio(work, lambda: plain(days, "svg")), 0.3)
