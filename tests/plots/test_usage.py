"""What charts of usage draw and say: the numbers of the table, no others."""

from __future__ import annotations

import io
from datetime import date

import numpy as np
import pandas as pd
import pytest
from matplotlib.dates import date2num

from svc_nb.plots import KINDS, alt_text, draw
from svc_nb.plots.text import PRODUCTS, what
from svc_nb.plots.usage import NO_USE
from svc_nb.usage.totals import CHARACTERS
from tests.plots.example import HOSTILE, by_tag, canvas, heights, lengths, usage, words


def place(day: str) -> float:
    return float(date2num(pd.Timestamp(day).to_numpy()))


def legend(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_bars_are_the_sums_of_the_table_by_key_and_day():
    table = usage(30, 3)
    drawn = heights(draw("by_day", table, ax=canvas()))
    for (day, label), amount in table.groupby(["usage_date", "api_key_label"])["total_characters"].sum().items():
        assert drawn[label][place(day)] == pytest.approx(amount)


def test_keys_beyond_the_top_stand_together_in_grey():
    table = usage(30, 12)
    ax = draw("by_day", table, ax=canvas(), top=4, theme="light")
    drawn = heights(ax)
    order = table.groupby("api_key_label")["total_characters"].sum().sort_values(ascending=False).index
    assert list(drawn) == [*order[:4], "8 others", "incomplete"]
    rest = table[~table["api_key_label"].isin(order[:4])].groupby("usage_date")["total_characters"].sum()
    assert list(drawn["8 others"].values()) == pytest.approx(rest.tolist())
    assert legend(ax) == ["8 others", *order[:4][::-1], "not over yet"]


def test_a_day_that_is_not_over_is_hatched_and_said():
    table = usage(7, 2)
    ax = draw("by_day", table, ax=canvas())
    assert list(heights(ax)["incomplete"]) == [place("2026-11-15")]
    assert "15 November is not over" in alt_text(ax)
    for other in (usage(7, 2, incomplete=False), table.drop(columns="incomplete")):
        ax = draw("by_day", other, ax=canvas())
        assert "incomplete" not in heights(ax)
        assert "not over" not in alt_text(ax)


def test_alt_text_says_the_numbers():
    table = usage(30, 12)
    said = alt_text(draw("by_day", table, ax=canvas()))
    days = table.groupby("usage_date")["total_characters"].sum()
    assert said.startswith("Characters by day and key, 17 October to 15 November 2026: ")
    assert f"{table['total_characters'].sum():,} characters in all" in said
    assert f"at most {days.max():,} on {days.idxmax().day} {days.idxmax():%B}" in said
    assert "and 9 more." in said


def test_minutes_are_drawn_as_minutes():
    table = usage(7, 2)
    ax = draw("by_day", table, ax=canvas(), field="speech_to_text_minutes")
    assert sum(heights(ax)["Website"].values()) == pytest.approx(
        table.loc[table["api_key_label"] == "Website", "speech_to_text_minutes"].sum()
    )
    assert "Minutes of speech to text by day and key" in words(ax)
    assert "minutes in all" in alt_text(ax)


def test_bars_of_keys_are_their_sums_with_the_numbers_beside_them():
    table = usage(30, 5)
    ax = draw("by_key", table, ax=canvas())
    sums = table.groupby("api_key_label")["total_characters"].sum().sort_values(ascending=False)
    assert lengths(ax) == pytest.approx(sums.tolist())
    assert [label.get_text() for label in ax.get_yticklabels()] == sums.index.tolist()
    assert {f"{amount:,}" for amount in sums} <= set(words(ax))


def test_many_keys_leave_the_largest_readable():
    table = usage(30, 200)
    ax = draw("by_key", table, ax=canvas())
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names[-1] == f"{201 - len(names)} others"
    sums = table.groupby("api_key_label")["total_characters"].sum().sort_values(ascending=False)
    assert ax.get_xlim()[1] == sums.iloc[0]
    assert f"{sums.iloc[len(names) - 1 :].sum():,}" in words(ax)


def test_shares_are_percentages_of_the_whole():
    table = usage(30, 4)
    ax = draw("share", table, ax=canvas())
    sums = table.groupby("api_key_label")["total_characters"].sum().sort_values(ascending=False)
    assert sum(lengths(ax)) == pytest.approx(1)
    assert f"{sums.iloc[0] / sums.sum() * 100:.1f} %" in words(ax)


def test_products_are_stacked_and_minutes_have_their_own_axes():
    table = usage(7, 3)
    ax = draw("by_product", table, ax=canvas())
    above, below = ax.child_axes
    drawn = heights(above)
    for product in CHARACTERS:
        assert sum(drawn[PRODUCTS[product]].values()) == pytest.approx(table[product].sum())
    assert sum(heights(below)["Minutes of speech to text"].values()) == pytest.approx(
        table["speech_to_text_minutes"].sum()
    )
    assert legend(above) == ["Text improvement", "Document translation", "Text translation", "not over yet"]


def test_characters_of_no_known_product_are_not_lost():
    table = usage(7, 1).drop(columns="document_translation_characters")
    drawn = heights(draw("by_product", table.assign(speech_to_text_minutes=0.0), ax=canvas()))
    assert sum(sum(days.values()) for name, days in drawn.items() if name != "incomplete") == pytest.approx(
        table["total_characters"].sum()
    )


@pytest.mark.parametrize("field", ["text_improvement_characters", "speech_to_text_minutes"])
def test_one_product_can_be_drawn_alone(field):
    table = usage(7, 3)
    ax = draw("by_product", table, ax=canvas(), field=field)
    assert sum(heights(ax)[PRODUCTS.get(field, what(field))].values()) == pytest.approx(table[field].sum())
    ax = draw("by_product", table.drop(columns="usage_date"), ax=canvas(), field=field)
    assert lengths(ax) == pytest.approx([table[field].sum()])


def test_a_heat_map_has_a_cell_for_each_key_and_day():
    table = usage(30, 5)
    ax = draw("heat_map", table, ax=canvas())
    cells = ax.images[0].get_array()
    grid = table.pivot_table(index="api_key_label", columns="usage_date", values="total_characters", aggfunc="sum")
    grid = grid.loc[grid.sum(axis=1).sort_values(ascending=False).index]
    np.testing.assert_array_equal(cells.filled(0), grid.to_numpy())
    assert [label.get_text() for label in ax.get_yticklabels()] == grid.index.tolist()
    assert len(ax.child_axes) == 1


def test_a_heat_map_of_many_keys_says_what_it_leaves_out():
    ax = draw("heat_map", usage(30, 200), ax=canvas())
    assert any(f"the {len(ax.get_yticks())} largest of 200 keys" in text for text in words(ax))


def test_one_huge_cell_does_not_blind_a_heat_map():
    table = usage(30, 5)
    table.loc[7, "total_characters"] = 10**9
    ax = draw("heat_map", table, ax=canvas())
    norm = ax.images[0].norm
    usual = table["total_characters"].median()
    assert 0.1 < norm(usual) < 0.9
    assert "1 bn" in words(ax) or "100 M" in words(ax)


def test_tags_are_drawn_by_day_where_there_are_days():
    table = by_tag(usage(7, 3))
    ax = draw("tags", table, ax=canvas())
    assert sum(heights(ax)["App"].values()) == pytest.approx(
        table.loc[table["custom_tag"] == "App", "total_characters"].sum()
    )
    assert "by day and tag" in alt_text(ax)
    ax = draw("tags", table.drop(columns=["usage_date", "incomplete"]), ax=canvas())
    assert "Characters by tag" in alt_text(ax)
    with pytest.raises(ValueError, match="no tags"):
        draw("tags", usage(7, 3), ax=canvas())


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_table_is_said_to_be_empty(kind):
    table = usage(30, 3)[:0]
    ax = draw(kind, by_tag(table) if kind == "tags" else table, ax=canvas())
    assert any(text.startswith("No usage") for text in words(ax))
    assert "no usage" in alt_text(ax).lower()


@pytest.mark.parametrize("kind", ["by_day", "by_product", "heat_map"])
def test_days_without_any_use_keep_their_axis(kind):
    table = usage(30, 3)
    table[[name for name in table if name.endswith(("characters", "minutes"))]] = 0
    ax = draw(kind, table, ax=canvas())
    assert NO_USE in words(ax)
    assert len(ax.get_xticks()) >= 3


def test_labels_that_repeat_or_are_missing_are_kept_apart():
    ax = draw("by_key", usage(7, HOSTILE), ax=canvas())
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert len(set(names)) == len(HOSTILE)
    assert "(no label) (k005********0005)" in names
    assert {"Website (k006********0006)", "Website (k007********0007)"} <= set(names)
    assert "_private" in names


def test_a_table_read_from_a_file_draws_the_same():
    table = usage(30, 3)
    read = pd.read_csv(io.StringIO(table.drop(columns="incomplete").to_csv(index=False)), parse_dates=["usage_date"])
    assert heights(draw("by_day", read, ax=canvas())) == heights(
        draw("by_day", table.assign(incomplete=False), ax=canvas())
    )


def test_a_filtered_and_joined_table_draws_what_is_left():
    table = usage(30, 3)
    some = pd.concat([table[table["api_key_label"] == "App"], table[table["api_key_label"] == "Website"]])
    drawn = heights(draw("by_day", some, ax=canvas()))
    assert set(drawn) == {"App", "Website", "incomplete"}


def test_what_was_asked_for_is_the_range_in_the_title():
    from svc_nb.usage.table import Usage

    table = Usage(usage(3, 1), start=date(2026, 11, 1), end=date(2026, 11, 30), group_by="key_and_day")
    assert "1 to 30 November 2026" in alt_text(draw("by_key", table, ax=canvas()))


def test_what_cannot_be_drawn_is_said():
    table = usage(7, 2)
    with pytest.raises(ValueError, match=r"there is no chart 'pie'\. Use one of by_day, by_key"):
        draw("pie", table, ax=canvas())
    with pytest.raises(ValueError, match="no column 'beans'"):
        draw("by_day", table, ax=canvas(), field="beans")
    with pytest.raises(ValueError, match="no days"):
        draw("heat_map", table.drop(columns="usage_date"), ax=canvas())
    with pytest.raises(ValueError, match=r"a chart by svc_nb\.plots"):
        alt_text(canvas())


def test_a_table_of_usage_is_plotted_by_its_accessor():
    import svc_nb  # noqa: F401

    table = usage(7, 2)
    ax = canvas()
    assert table.svc.plot(ax=ax) is ax
    assert "by day" in alt_text(ax)
    assert "Share" in alt_text(table.svc.plot("share", ax=ax, theme="dark"))


@pytest.mark.parametrize("every", ["day", "week", "month"])
@pytest.mark.parametrize("kind", ["by_day", "by_product", "heat_map"])
def test_weeks_and_months_have_the_sums_of_their_days(kind, every):
    table = usage(120, 3)
    ax = draw(kind, table, ax=canvas(), every=every)
    assert f"{table['total_characters'].sum():,} characters in all" in alt_text(ax)
    assert every in alt_text(ax)


@pytest.mark.parametrize(("every", "code"), [("week", "W-SUN"), ("month", "M")])
def test_a_bar_is_a_week_from_monday_or_a_month(every, code):
    table = usage(120, 2)
    drawn = heights(draw("by_day", table, ax=canvas(), every=every))
    by_period = table.groupby([table["usage_date"].dt.to_period(code), "api_key_label"])["total_characters"].sum()
    for label in table["api_key_label"].unique():
        assert list(drawn[label].values()) == pytest.approx(by_period.xs(label, level=1).tolist())


def test_a_bar_of_one_month_is_called_by_the_month():
    ax = draw("by_day", usage(3, 2), ax=canvas(), every="month")
    first = usage(3, 2)["usage_date"].min()
    assert ax.xaxis.get_major_formatter().format_ticks([0.0]) == [f"{first:%b\n%Y}"]


def test_a_period_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="every: expected one of 'day', 'week', 'month', found 'year'"):
        draw("by_day", usage(7, 2), ax=canvas(), every="year")


def test_hidden_keys_are_not_drawn_and_the_others_keep_their_colours():
    table = usage(30, 4)
    first, other = (draw("by_day", table, ax=canvas(), hidden=hidden) for hidden in ((), ("Website",)))
    colours = [{each.get_label(): each.get_facecolor() for each in ax.patches or ax.artists} for ax in (first, other)]
    assert "Website" not in heights(other)
    assert {name: colours[0].get(name) for name in colours[1]} == colours[1]
    assert "Website" not in alt_text(other)


def test_without_a_legend_there_is_none():
    assert draw("by_day", usage(7, 3), ax=canvas(), legend=False).get_legend() is None
