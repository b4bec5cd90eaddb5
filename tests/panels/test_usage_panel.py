"""The usage panel, driven as clicks drive it: by the values of its widgets and by its methods."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import date, timedelta

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

import svc_nb
from svc_nb import panels, service, session
from svc_nb.panels.parts.controls import FRONT
from svc_nb.panels.usage.view import FIELDS, OFFERED
from svc_nb.plots.axes import DARK, LIGHT
from svc_nb.plots.text import day_in_words, largest, percent
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from svc_nb.usage.days import preset, today
from svc_nb.usage.display_names import coded
from svc_nb.usage.outliers import AROUND
from svc_nb.usage.totals import CHARACTERS
from tests.panels.tables import usage
from tests.sessions import current
from tests.toy import TRANSLATORS

NAMED = ("by_day", "by_key", "share", "heat_map")  # charts of keys, whose files have the masks
HOSTILE = ["<script>alert(1)</script>", "$x_1^2$", "_nosuch", "a&b\"'", "=1+1", "{0} %s", "日本語", "\\alpha"]


def texts(panel) -> list[str]:
    """What is written in the picture."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", panel.picture.svg)


def cells(panel) -> list[list[str]]:
    """The rows as they are written, without the total."""
    return [row["cells"] for row in panel.grid.page["rows"] if row["mark"] != "total"]


# ---- one change, one redraw


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "by_key"),
        ("kind", "heat_map"),
        ("group", "nothing"),
        ("field", "text_translation_characters"),
        ("top", 3),
    ],
)
def test_a_change_of_one_control_is_one_redraw(panel, name, value):
    shown = panel(table=usage())
    before = shown.picture.drawn
    getattr(shown.controls, name).value = value
    assert shown.picture.drawn == before + 1
    assert shown.problem is None


@pytest.mark.long
def test_a_preset_sets_both_dates_and_is_one_redraw(panel, year):
    shown = panel("7 days")
    for name in ("30 days", "last month", "this month"):
        before = shown.picture.drawn
        shown.controls.presets.value = name
        assert shown.wait()
        assert (shown.controls.start.value, shown.controls.end.value) == preset(name, today=today())
        assert shown.picture.drawn == before + 1


@pytest.mark.long
def test_a_date_by_hand_is_one_redraw_and_releases_the_preset(panel, year):
    shown = panel("30 days")
    before = shown.picture.drawn
    shown.controls.start.value = today() - timedelta(days=11)
    assert shown.wait()
    assert shown.picture.drawn == before + 1
    assert shown.controls.presets.value is None


def test_ticking_a_key_is_one_redraw(panel):
    shown = panel(table=usage())
    before = shown.picture.drawn
    shown.controls.who.value = ["Team 1"]
    assert shown.picture.drawn == before + 1
    assert {row[1] for row in cells(shown)} == {"Team 1"}


@pytest.mark.long
def test_several_choices_by_a_method_are_one_redraw(panel):
    shown = panel(table=usage())
    before = shown.picture.drawn
    shown.show("by_key", field="text_translation_characters", only=["Team 0", "Team 2"], top=1)
    assert shown.picture.drawn == before + 1


@pytest.mark.long
def test_room_of_another_width_is_one_redraw_at_that_width(panel):
    shown = panel(table=usage())
    before = shown.picture.drawn
    shown.picture.width = 600
    assert shown.picture.drawn == before + 1
    assert 'viewBox="0 0 450 ' in shown.picture.svg  # points


@pytest.mark.long
def test_another_theme_of_the_page_redraws_only_what_is_an_image(panel):
    shown = panel(table=usage())
    before = shown.picture.drawn
    shown.picture.dark = True
    assert shown.picture.drawn == before
    assert "light-dark(#" in shown.picture.svg
    shown.show("heat_map")
    shown.picture.dark = False
    assert shown.picture.drawn == before + 2


# ---- what the service is asked


@pytest.mark.long
def test_only_what_needs_the_service_asks_it(panel, asked):
    shown = panel("30 days")
    del asked.paths[:]
    shown.show("by_key")
    shown.show("share", field="text_translation_characters", top=3)
    shown.show("heat_map", only=["Web shop"])
    shown.show("by_day", group_by="nothing", only=[])
    assert shown.wait()
    shown.set_range("7 days")
    assert asked.paths == []
    assert shown.picture.drawn == 6


@pytest.mark.long
def test_a_longer_range_asks_only_for_the_days_that_are_missing(panel, asked):
    shown = panel("30 days")
    del asked.paths[:]
    shown.set_range("90 days")
    assert shown.wait()
    first, last = today() - timedelta(days=89 + AROUND), today() - timedelta(days=30 + AROUND)
    assert asked.paths == [f"GET /v2/admin/analytics {first} {last}"]
    assert sorted(set(shown.table["usage_date"].dt.date))[0] >= today() - timedelta(days=89)
    whole = panels.Usage("90 days")
    assert whole.wait()
    pd.testing.assert_frame_equal(
        shown.table.reset_index(drop=True), whole.table.reset_index(drop=True), check_dtype=False
    )
    whole.close()


def test_refresh_asks_again(panel, asked):
    shown = panel("7 days")
    del asked.paths[:]
    shown.refresh()
    assert shown.wait()
    assert len(asked.paths) == 1


def test_the_latest_request_counts(panel, year, asked):
    shown = panel("7 days")
    before = shown.picture.drawn
    for back in range(20, 60):
        shown.set_range(today() - timedelta(days=back), today() - timedelta(days=back - 5))
    assert shown.wait()
    assert shown.table["usage_date"].min().date() == today() - timedelta(days=59)
    assert before + 1 <= shown.picture.drawn < before + 40
    assert str(today() - timedelta(days=59)) in shown.line.text


@pytest.mark.long
def test_tags_are_a_grouping_with_charts_of_their_own(panel, year):
    shown = panel("30 days", group_by="tag")
    assert shown.problem is None
    assert shown.controls.who.name == "Tags"
    assert "document_translation_characters" in [name for _, name in shown.controls.field.options]  # without a tag
    for kind in OFFERED["tag"]:
        shown.show(kind)
        assert shown.problem is None


# ---- what is shown


@pytest.mark.long
@pytest.mark.parametrize("kind", ["by_day", "by_key", "by_product", "share", "heat_map", "caps"])
@pytest.mark.parametrize("table", [usage(1, 1), usage(1, 40), usage([""], 5), usage().iloc[:0]], ids=len)
def test_every_chart_of_any_table_is_a_picture_with_words(panel, kind, table):
    shown = panel(table=table, kind=kind)
    assert shown.problem is None
    assert shown.picture.svg.count("<svg") == 1
    assert shown.picture.alt


def test_an_empty_range_says_so_in_the_picture_and_in_a_line(panel, connected):
    shown = panel("30 days")
    assert shown.line.text.startswith("Nothing was used from ")
    assert shown.line.kind == "info"
    assert any("No usage" in text for text in texts(shown))
    assert shown.grid.page["count"] == 0


def test_the_picture_and_the_table_show_the_numbers(panel):
    table = usage(3, 10)
    shown = panel(table=table, kind="by_key")
    sums = table.groupby("api_key_label")["total_characters"].sum().sort_values(ascending=False)
    assert [row[:2] for row in cells(shown)] == [[name, f"{sums[name]:,}"] for name in sums.index]
    written = texts(shown)
    for name, amount in sums.items():
        assert name in written
        assert f"{amount:,}" in written


def test_the_table_beside_sums_as_the_chart_does(panel):
    table = usage(3, 10)
    shown = panel(table=table, group_by="nothing")
    days = table.groupby("usage_date")["total_characters"].sum()
    assert [row[1] for row in cells(shown)] == [f"{amount:,}" for amount in days]


@pytest.mark.long
def test_labels_are_texts_everywhere(panel):
    shown = panel(table=usage(HOSTILE, 4))
    assert {entry["name"] for entry in shown.picture.legend} == set(HOSTILE)
    for kind in ("by_key", "heat_map"):
        shown.show(kind)
        assert "<script" not in shown.picture.svg
        written = [text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") for text in texts(shown)]
        for label in ("$x_1^2$", "_nosuch", "<script>alert(1)</script>", "{0} %s", "\\alpha"):
            assert label in written
    assert set(shown.controls.who.names) == set(HOSTILE)
    page = shown._repr_mimebundle_()["text/html"]
    assert "<script" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.long
def test_a_table_of_200_keys_and_366_days_travels_in_part(panel):
    shown = panel(table=usage(200, 366))
    assert shown.grid.page["count"] == 200 * 13 + 1  # by month, and the total
    shown.show(every="day")
    assert shown.grid.page["count"] == 200 * 366 + 1
    assert len(shown.grid.page["rows"]) == 60
    assert len(shown.controls.who.names) == 200
    assert len(json.dumps(shown.grid.page)) < 20_000


# ---- what goes wrong


def test_without_an_administrator_key_there_is_one_clear_line(panel, running, tmp_path):
    own = {
        "base_url": running.base_url,
        "api_key": Secret(running.api_key),
        "admin_key": Secret(running.api_key),
    }
    plain = session.Session(Settings(store=str(tmp_path / "answers.sqlite"), **own))
    before = session.make_current(plain)
    try:
        shown = panel("7 days")
        shown.caps.open()
        assert shown.caps.wait()
    finally:
        session.make_current(before)
        plain.close()
    for line in (shown.line, shown.caps.line):
        assert line.kind == "error"
        assert "403" in line.text
        assert "administrator" in line.text
        assert "\n" not in line.text
    assert shown.picture.svg == ""
    assert all(button.disabled for button in shown.controls.exports.values())
    assert shown.table.empty


def test_a_service_that_is_down_gets_one_line_and_comes_back(panel, year):
    fault = year.service.faults.add("status", status=503)
    shown = panel("7 days")
    assert shown.line.kind == "error"
    assert "503" in shown.line.text
    assert "Traceback" not in shown.line.text
    year.service.faults.remove(fault)
    shown.refresh()
    assert shown.wait()
    assert shown.line.kind == "info"
    assert shown.picture.svg


def test_dates_the_wrong_way_round_are_told_and_nothing_is_redrawn(panel):
    shown = panel(table=usage())
    before, drawn = shown.picture.svg, shown.picture.drawn
    shown.controls.start.value = shown.controls.end.value + timedelta(days=1)
    assert shown.line.kind == "error"
    assert (shown.picture.svg, shown.picture.drawn) == (before, drawn)
    with pytest.raises(ValueError, match="before"):
        shown.set_range("2026-02-02", "2026-02-01")


@pytest.mark.long
def test_after_bad_dates_the_preset_that_was_pressed_can_be_pressed_again(panel, year):
    shown = panel("30 days")
    shown.controls.start.value = shown.controls.end.value + timedelta(days=1)
    assert shown.controls.presets.value is None  # a browser tells only of a button that was not pressed
    shown.controls.presets.value = "30 days"
    assert shown.wait()
    assert (shown.controls.start.value, shown.controls.end.value) == preset("30 days", today=today())
    assert (shown.line.kind, shown.problem) == ("info", None)


@pytest.mark.long
@pytest.mark.parametrize("change", ["refresh", "kind", "who", "width"])
def test_bad_dates_are_told_as_long_as_they_stand_above_an_older_chart(panel, year, change):
    shown = panel("7 days")
    first, last = shown.controls.start.value, shown.controls.end.value
    shown.controls.start.value = last + timedelta(days=1)
    told, drawn = shown.line.text, shown.picture.drawn
    {
        "refresh": shown.controls.refresh.click,
        "kind": lambda: setattr(shown.controls.kind, "value", "by_key"),
        "who": lambda: setattr(shown.controls.who, "value", shown.controls.who.names[:1]),
        "width": lambda: setattr(shown.picture, "width", 600),
    }[change]()
    assert shown.wait()
    assert shown.picture.drawn == drawn + 1
    assert (shown.line.kind, shown.line.text) == ("error", told)
    assert f"still shows {first} to {last}" in told
    shown.controls.start.value = first
    assert shown.wait()
    assert shown.line.kind == "info"


@pytest.mark.long
@pytest.mark.parametrize(("name", "title"), [("start", "From"), ("end", "To")])
def test_a_date_that_was_cleared_is_asked_for_and_can_come_back(panel, name, title):
    shown = panel(table=usage())
    picker = getattr(shown.controls, name)
    before, said = picker.value, shown.line.text
    picker.value = None
    assert shown.line.kind == "error"
    assert f"No date in {title}:" in shown.line.text
    picker.value = before
    assert (shown.line.kind, shown.line.text) == ("info", said)


# ---- keys that were ticked


def apart() -> pd.DataFrame:
    """Use by "Old" until five days ago, and by "New" since."""
    return pd.concat([usage(["Old"], 5, end=today() - timedelta(days=5)), usage(["New"], 5)], ignore_index=True)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["by_day", "by_key", "by_product", "share", "heat_map"])
def test_ticked_keys_without_use_in_other_days_stay_ticked_and_it_is_said(panel, kind):
    shown = panel(table=apart(), kind=kind)
    shown.controls.who.value = ["Old"]
    before = cells(shown)
    whole = shown.controls.start.value, shown.controls.end.value
    shown.set_range(today() - timedelta(days=3), today())
    assert (shown.controls.who.value, shown.grid.page["count"]) == (["Old"], 0)
    assert "Old" in shown.controls.who.names
    assert shown.line.text.startswith("No usage for the selected key from ")
    assert "press Clear" in shown.line.text
    assert any("No usage" in text for text in texts(shown))
    shown.set_range(*whole)
    assert (shown.controls.who.value, cells(shown)) == (["Old"], before)
    shown.set_range(today() - timedelta(days=3), today())
    shown.controls.who.value = []
    assert shown.controls.who.names == ["New"]
    assert shown.grid.page["count"] > 0


@pytest.mark.long
def test_keys_and_tags_have_ticks_of_their_own(panel, year):
    shown = panel("30 days")
    shown.controls.who.value = key = shown.controls.who.names[:1]
    shown.controls.group.value = "tag"
    assert shown.wait()
    assert shown.controls.who.value == []
    shown.controls.who.value = tag = shown.controls.who.names[:1]
    shown.controls.group.value = "key"
    assert shown.wait()
    assert shown.controls.who.value == key
    shown.controls.group.value = "tag"
    assert shown.wait()
    assert shown.controls.who.value == tag


# ---- the chosen product


def test_the_rows_are_sorted_by_the_product_and_who_has_none_of_it_is_not_in_the_legend(panel):
    minutes = {"Team 0": 0.0, "Team 1": 2.0, "Team 2": 5.0}
    table = usage(3, 4)
    table["speech_to_text_minutes"] = table["api_key_label"].map(minutes).astype(float)
    shown = panel(table=table, kind="by_key")
    shown.show(field="speech_to_text_minutes")
    assert [row[0] for row in cells(shown)] == ["Team 2", "Team 1", "Team 0"]
    shown.show("by_day")
    assert [entry["name"] for entry in shown.picture.legend] == ["Team 2", "Team 1"]


@pytest.mark.parametrize(
    "choice",
    [
        {"kind": "pie"},
        {"group_by": "moon"},
        {"field": "words"},
        {"top": 4},
        {"kind": "caps", "group_by": "tag"},
    ],
)
def test_what_there_is_not_is_an_error_that_says_what_there_is(panel, choice):
    shown = panel(table=usage())
    with pytest.raises(ValueError, match="expected one of"):
        shown.show(**choice)


# ---- files


def test_the_rows_are_exported_as_they_are(panel, tmp_path):
    shown = panel(table=usage(HOSTILE, 4), end=None)
    shown.show(only=["=1+1", "$x_1^2$"])
    written = shown.export(tmp_path / "usage.csv")
    read = pd.read_csv(written)
    assert set(read["name"]) == {"'=1+1", "$x_1^2$"}
    table = shown.table.sort_values(["usage_date", "total_characters"], ascending=[True, False])
    assert read["total_characters"].tolist() == table["total_characters"].tolist()
    assert read["usage_date"].tolist() == [f"{day:%Y-%m-%d}" for day in table["usage_date"]]
    assert read["api_key"].tolist() == table["api_key"].tolist()


def test_a_workbook_has_texts_for_texts_and_numbers_for_numbers(panel, tmp_path):
    from openpyxl import load_workbook

    shown = panel(table=usage(HOSTILE, 4))
    sheet = load_workbook(shown.export(tmp_path / "usage.xlsx")).active
    rows = list(sheet.iter_rows(values_only=False))
    assert [cell.value for cell in rows[0]] == [*shown.rows.columns, "api_key"]
    labels = {cell.value: cell.data_type for cell in (row[1] for row in rows[1:])}
    assert set(labels) == set(HOSTILE)
    assert set(labels.values()) == {"s"}
    assert sum(row[2].value for row in rows[1:]) == shown.table["total_characters"].sum()
    assert rows[1][0].is_date


@pytest.mark.long
@pytest.mark.parametrize(("group", "kind"), [(group, kind) for group in OFFERED for kind in OFFERED[group]])
def test_files_have_the_rows_and_columns_that_the_screen_shows(panel, year, tmp_path, group, kind):
    shown = panel("30 days", group_by=group, kind=kind)
    shown.show(only=shown.controls.who.names[:3])
    columns = [column["name"] for column in shown.grid.page["columns"]]
    for read in (
        pd.read_csv(shown.export(tmp_path / "usage.csv")),
        pd.read_excel(shown.export(tmp_path / "usage.xlsx")),
    ):
        assert read.columns.tolist() == [*columns, *(["api_key"] if group == "key" and kind in NAMED else [])]
        assert len(read) == shown.grid.page["count"] - (kind != "caps") > 0
        amount = "used" if kind == "caps" else "total_characters"
        written = [f"{count:,}" for count in read[amount].head(len(cells(shown)))]
        assert [row[columns.index(amount)] for row in cells(shown)] == written


def test_files_have_exact_numbers_in_the_order_of_the_screen(panel, tmp_path):
    table = usage(3, 2).assign(speech_to_text_minutes=[0.125, 7.0625, 3.001, 0.5, 0.25, 0.75])
    shown = panel(table=table, kind="by_key")
    shown.grid.sort_by("speech_to_text_minutes")
    for read in (
        pd.read_csv(shown.export(tmp_path / "usage.csv")),
        pd.read_excel(shown.export(tmp_path / "usage.xlsx")),
    ):
        assert read["speech_to_text_minutes"].tolist() == [7.3125, 3.751, 0.625]
        assert read["name"].tolist() == [row[0] for row in cells(shown)]


@pytest.mark.long
def test_nothing_is_saved_while_the_service_is_asked(panel, asked, tmp_path):
    shown = panel("7 days")
    transport, go_on = session.current().admin._transport, threading.Event()
    send = transport.request
    transport.request = lambda *args, **rest: go_on.wait(20) and send(*args, **rest)
    sent = []
    shown.line.send = lambda message, buffers: sent.append(message)
    shown.set_range("90 days")
    assert all(button.disabled for button in shown.controls.exports.values())
    shown.controls.exports["csv"].click()
    assert sent == []
    go_on.set()
    assert shown.wait()
    assert not any(button.disabled for button in shown.controls.exports.values())
    shown.refresh()
    assert len(pd.read_csv(shown.export(tmp_path / "usage.csv"))) == shown.grid.page["count"] - 1


def test_a_failure_leaves_no_old_picture_to_save(panel, year, tmp_path):
    shown = panel("7 days")
    year.service.faults.add("status", status=503)
    before = shown.picture.svg, shown.grid.page["rows"]
    shown.refresh()
    assert shown.wait()
    assert (shown.line.kind, shown.picture.busy) == ("error", False)
    assert (shown.picture.svg, shown.grid.page["rows"]) == before  # to look at, with what went wrong above
    for form in ("csv", "png", "svg"):
        with pytest.raises(ValueError, match="Nothing to save"):
            shown.export(tmp_path / f"usage.{form}")
    shown.set_range("30 days")
    assert shown.wait()
    assert shown.picture.svg == ""  # no old picture under new dates


def test_pictures_are_exported(panel, tmp_path):
    shown = panel(table=usage())
    assert shown.export(tmp_path / "usage.png").read_bytes().startswith(b"\x89PNG")
    assert b"Team 1" in shown.export(tmp_path / "usage.svg").read_bytes()
    with pytest.raises(ValueError, match="'csv', 'xlsx', 'png', 'svg'"):
        shown.export(tmp_path / "usage.pdf")


@pytest.mark.long
@pytest.mark.parametrize("form", ["csv", "xlsx", "png", "svg"])
def test_a_click_hands_the_file_to_the_browser(panel, form):
    shown = panel(table=usage())
    sent = []
    shown.line.send = lambda message, buffers: sent.append((message, buffers))
    shown.controls.exports[form].click()
    (message, (data,)) = sent[0]
    assert message["name"].endswith(f".{form}")
    beginning = {"csv": b"usage_date,", "xlsx": b"PK", "png": b"\x89PNG", "svg": b"<?xml"}
    assert data.startswith(beginning[form])


# ---- notebooks


def test_a_saved_notebook_keeps_the_picture_and_the_first_rows(panel):
    shown = panel(table=usage())
    bundle = shown._repr_mimebundle_()
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == shown.widget.model_id
    assert "Team 1" in bundle["text/html"]
    assert "data:image/png;base64," in bundle["text/html"]
    assert "image/png" not in bundle


@pytest.mark.long
def test_nothing_secret_is_in_the_state_of_widgets(panel, year):
    before = set(_instances())
    shown = panel("30 days")
    shown.caps.open()
    shown.caps.wait()
    shown.show("caps")
    shown.wait()
    assert shown.widget.model_id
    state = json.dumps([_instances()[name].get_state() for name in set(_instances()) - before], default=str)
    for secret in (year.service.api_key, year.service.admin_key):
        assert secret not in state
        assert secret not in json.dumps(shown._repr_mimebundle_())
    assert "Web shop" in state


def _instances():
    from ipywidgets.widgets import widget

    return widget._instances


# ---- nothing is left behind


@pytest.mark.long
def test_no_figure_is_left_over_many_redraws(panel):
    before = plt.get_fignums()
    shown = panel(table=usage(2, 5))
    axes = set()
    for number in range(24):
        shown.show(("by_day", "by_key", "heat_map", "by_product")[number % 4])
        axes.add(len(shown.picture.figure.axes))
    assert plt.get_fignums() == before
    assert max(axes) <= 4


def test_a_closed_panel_leaves_no_thread_and_no_widget(year):
    models = set(_instances())
    shown = panels.Usage("90 days")
    shown.set_range("30 days")
    shown.caps.open()
    shown.close()
    assert own_threads() == []
    assert set(_instances()) == models


def test_a_panel_that_rests_has_no_thread(panel, year):
    shown = panel("7 days")
    shown._latest._thread.join(10)
    assert own_threads() == []


def own_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "svc_nb panel"]


def test_products_on_offer_are_those_of_the_table(panel):
    shown = panel(table=usage().drop(columns="speech_to_text_minutes"))
    names = [name for _, name in shown.controls.field.options]
    assert names == [name for name in FIELDS if name in shown.table.columns]


@pytest.mark.long
def test_speech_has_caps_of_its_own_and_the_line_says_where(panel, year):
    shown = panel(kind="caps")
    assert "choose the product Speech to text" in shown.line.text
    assert "no character cap" in shown.picture.svg
    assert ">no cap" not in shown.picture.svg
    assert {name for _, name in shown.controls.field.options} == {
        "total_characters",
        "speech_to_text_minutes",
    }
    shown.show(field="speech_to_text_minutes")
    assert shown.wait()
    assert "of 1 speech cap" in shown.picture.alt
    assert [column["title"] for column in shown.grid.page["columns"]][1] == "Cap min"
    assert shown.rows.set_index("name").loc["Phone line", "cap"] == 6000
    assert "Speech has its own caps" not in shown.line.text
    shown.show("by_day")
    assert shown.wait()
    assert len(shown.controls.field.options) > 2


def test_a_key_without_a_label_is_called_the_same_on_charts_and_among_caps(panel, year):
    shown = panel(kind="by_key")
    shown.tabs.selected_index = 1
    assert shown.caps.wait()
    called = [name for name in shown.rows["name"] if name.startswith("(no label)")]
    assert len(called) == 1
    assert called[0] in shown.caps.listed["name"].tolist()


# ---- a colour belongs to a key


def colours(panel) -> dict[str, str]:
    """The colour of each key among the rows."""
    page = panel.grid.page
    at = [column["name"] for column in page["columns"]].index("name")
    return {row["cells"][at]: row["mark"] for row in panel.grid.rows(0, 100_000) if row["mark"] != "total"}


def test_a_key_keeps_its_colour_whatever_is_filtered_and_whichever_days_are_shown(panel, year):
    shown = panel("30 days")
    first = colours(shown)
    assert len({*first.values()}) == len(first) > 8
    for change in (
        {"only": list(first)[3:5]},
        {"only": [], "field": "text_translation_characters"},
        {"kind": "by_key", "top": 3},
        {"kind": "share", "field": "total_characters", "top": 0},
        {"kind": "by_day", "every": "week"},
    ):
        shown.show(**change)
        assert {name: first.get(name, mark) for name, mark in colours(shown).items()} == colours(shown)
    for days in ("7 days", "90 days", "last month"):
        shown.set_range(days)
        assert shown.wait()
        assert {name: first.get(name, mark) for name, mark in colours(shown).items()} == colours(shown)
    legend = {entry["name"]: f"key-{entry['slot']}" for entry in shown.picture.legend if entry["slot"] >= 0}
    assert len(legend) >= 8  # and whose days are unusual
    assert legend.items() <= colours(shown).items()


def test_the_next_kernel_gives_the_same_keys_the_same_colours_for_other_days_too(panel, year):
    first = colours(panel("90 days"))
    code = (
        "import sys; from svc_nb import panels, connect; from tests.panels.test_usage_panel import colours\n"
        "connect(sys.argv[1], admin_key=sys.argv[2], base_url=sys.argv[3], store=':memory:')\n"
        "shown = panels.Usage('7 days'); shown.wait(60); import json; print(json.dumps(colours(shown)))"
    )
    own = (year.service.api_key, year.service.admin_key, year.service.base_url)
    done = subprocess.run([sys.executable, "-c", code, *own], capture_output=True, text=True, check=True)
    other = json.loads(done.stdout)
    assert len(other) > 5
    shared = {name for name in other if first.get(name)}
    assert {name: other[name] for name in shared} == {name: first[name] for name in shared}
    assert len(shared) >= len(other) - 1  # two keys with one label have their masks only where both are there


@pytest.mark.parametrize("group", ["key", "tag"])
def test_colours_do_not_depend_on_the_range_that_was_shown_first(panel, year, group):
    shown = panel(group_by=group)
    shown.set_range("last month")
    assert shown.wait()
    other = panel("last month", group_by=group)
    assert colours(shown) == colours(other)
    assert len({*colours(other).values()}) == len(colours(other))


def test_the_bars_have_the_colours_of_the_legend(panel):
    shown = panel(table=usage(5, 6))
    for entry in shown.picture.legend:
        colour = LIGHT.colours[entry["slot"] % 8]
        assert f"light-dark({colour}, {DARK.colours[entry['slot'] % 8]})" in shown.picture.svg
        patch = next(each for each in shown.picture.figure.axes[0].get_children() if each.get_label() == entry["name"])
        assert to_hex(patch.get_facecolor()) == colour


def test_the_swatches_have_the_colours_of_the_charts():
    sheet = (FRONT / "picture.css").read_text("utf-8")
    for slot, (light, dark) in enumerate(zip(LIGHT.colours, DARK.colours, strict=True)):
        assert f".svc-key-{slot},\n.svc-key-{slot + 8} {{\n  --svc-key: light-dark({light}, {dark});" in sheet


# ---- hover and legend


def test_a_pointer_on_a_bar_is_told_day_key_and_figures(panel):
    table = usage(3, 10)
    shown = panel(table=table)
    said = {(spot[4], spot[5]) for spot in shown.picture.spots}
    days = table.groupby("usage_date")["total_characters"].sum()
    for row in table.itertuples():
        part = percent(row.total_characters / days[row.usage_date])
        head = f"{day_in_words(row.usage_date.date(), year=True)}: {days[row.usage_date]:,} characters"
        assert (head, f"{row.api_key_label}: {row.total_characters:,} characters, {part} of the day") in said
    assert len(said) == len(table)
    assert all(0 <= spot[0] < spot[2] <= 1 and 0 <= spot[1] < spot[3] <= 1 for spot in shown.picture.spots)
    shown.show("by_key")
    assert len(shown.picture.spots) == 3
    shown.show("heat_map")
    assert len(shown.picture.spots) == 30


def test_a_click_in_the_legend_hides_a_key_in_the_chart_only(panel):
    table = usage(3, 10)
    shown = panel(table=table)
    before, drawn, names = cells(shown), shown.picture.drawn, [entry["name"] for entry in shown.picture.legend]
    shown.picture.hidden = ["Team 1"]
    assert shown.picture.drawn == drawn + 1
    assert not any(spot[5].startswith("Team 1:") for spot in shown.picture.spots)
    assert [entry["name"] for entry in shown.picture.legend] == names
    assert cells(shown) == before
    assert shown.grid.page["foot"]["said"] == "Hidden in the chart: Team 1."
    rest = table.loc[table["api_key_label"] != "Team 1", "total_characters"].sum()
    assert f"{rest:,} characters shown" in shown.picture.alt
    shown.show(hidden=[])
    assert shown.grid.page["foot"]["said"] == ""
    shown.show(top=1, hidden=["2 others"])
    assert shown.grid.page["foot"]["said"] == "Hidden in the chart: 2 others."


def test_with_all_keys_hidden_the_chart_says_so(panel):
    shown = panel(table=usage(2, 10))
    shown.show(hidden=["Team 0", "Team 1"])
    assert shown.problem is None
    assert any("All are hidden" in text for text in texts(shown))


def test_files_have_their_legend_in_the_picture(panel, tmp_path):
    shown = panel(table=usage(3, 10))
    assert "Team 1" not in texts(shown)
    assert b"Team 1" in shown.export(tmp_path / "usage.svg").read_bytes()


# ---- days, weeks and months


@pytest.mark.parametrize(("days", "every"), [(1, "day"), (45, "day"), (46, "week"), (245, "week"), (246, "month")])
def test_the_period_suits_the_range(panel, days, every):
    shown = panel(table=usage(2, days))
    assert shown.choice.every == every
    assert f"by {every} and key" in shown.picture.alt


@pytest.mark.parametrize("every", ["day", "week", "month"])
def test_sums_are_those_of_the_report_to_the_character(panel, year, every):
    shown = panel("90 days")
    shown.show(every=every)
    report = svc_nb.usage("90 days")
    rows = shown.rows
    for field in ("total_characters", "text_translation_characters", "document_translation_characters"):
        assert rows[field].sum() == getattr(report.total, field)
        by_key = rows.groupby("name")[field].sum()
        for label in ("Web shop", "Newsletter"):
            assert by_key[label] == report.loc[report["api_key_label"] == label, field].sum()
    assert rows["speech_to_text_minutes"].sum() == pytest.approx(report.total.speech_to_text_minutes, abs=1e-9)
    starts = rows["usage_date"]
    starts = starts[starts > starts.min()]  # the first begins with the range
    assert every == "day" or (starts.dt.day_of_week == 0).all() or (starts.dt.day == 1).all()
    assert f"{report.total.total_characters:,} characters in all" in shown.picture.alt


def test_a_week_or_month_that_is_cut_by_the_range_says_its_days(panel):
    shown = panel(table=usage(1, 400, end=date(2026, 10, 20)))
    shown.set_range("2026-08-03", "2026-10-20")
    shown.show(every="month")
    assert [row[0] for row in cells(shown)] == ["3 – 31 Aug 2026", "Sep 2026", "1 – 20 Oct 2026"]
    shown.show(every="week")
    assert [row[0] for row in cells(shown)][::11] == ["3 – 9 Aug 2026", "19 – 20 Oct 2026"]
    shown.set_range("2026-10-01", "2026-10-20")
    assert [row[0] for row in cells(shown)] == [
        "1 – 4 Oct 2026",
        "5 – 11 Oct 2026",
        "12 – 18 Oct 2026",
        "19 – 20 Oct 2026",
    ]
    assert shown.rows["usage_date"].dt.day.tolist() == [1, 5, 12, 19]
    assert texts(shown)[0] == "1"


# ---- the total, shares and outliers


def test_the_total_is_last_whatever_the_sort_and_shares_are_of_it(panel):
    table = usage(3, 10)
    shown = panel(table=table, kind="by_key")
    for column in (None, "total_characters", "total_characters", "name", "share"):
        if column:
            shown.grid.sort_by(column)
        last = shown.grid.page["rows"][-1]
        assert (last["mark"], last["cells"][0]) == ("total", "Total")
        assert last["cells"][1:3] == [f"{table['total_characters'].sum():,}", "100 %"]
        assert [row["mark"] for row in shown.grid.page["rows"]].count("total") == 1
    assert shown.rows["share"].sum() == pytest.approx(1)
    assert "Total" not in shown.rows["name"].tolist()
    shown.show("by_day", group_by="nothing")
    assert shown.grid.page["rows"][-1]["cells"][:2] == ["Total", f"{table['total_characters'].sum():,}"]


def test_a_day_far_above_the_usual_is_marked_and_named(panel):
    table = usage(["key-a", "key-b"], 30, end=date(2026, 10, 31))
    table["total_characters"] = 2_000 + np.arange(60) % 7
    far = (table["usage_date"] == "2026-10-12") & (table["api_key_label"] == "key-a")
    table.loc[far, "total_characters"] = 48_210
    shown = panel(table=table)
    assert "12 October: key-a used 48,210, usually about 2,000." in shown.line.text
    assert shown.line.text.count("usually about") == 1
    assert "12 October: key-a used 48,210" in shown.picture.alt
    (sign,) = [line for line in shown.picture.figure.axes[0].lines if line.get_label() == "unusual"]
    assert sign.get_xdata().tolist() == [(date(2026, 10, 12) - date(1970, 1, 1)).days]
    told = shown.line.text
    shown.show(hidden=["key-a"])
    assert not [line for line in shown.picture.figure.axes[0].lines if line.get_label() == "unusual"]
    assert shown.line.text == told  # as high as before: what is below stays where it is


def test_a_day_is_unusual_in_every_range_or_in_none(panel, year):
    shown = panel(today() - timedelta(days=364)).show(every="day")
    (told,) = [line for line in shown.line.text.splitlines() if line.startswith("Unusually high:")]
    notes = [row["note"] for row in shown.grid.rows(0, 9999) if "note" in row]
    assert len(notes) > 3
    assert told.endswith(f"; and {len(notes) - 3} days more. Each one shown is marked ▼ in the chart.")
    first = told.removeprefix("Unusually high: ").split(";")[0]
    day = next(
        day for day in sorted(set(shown.table["usage_date"].dt.date)) if first.startswith(f"{day_in_words(day)}:")
    )
    for start, end in ((day, day), (day - timedelta(days=40), day + timedelta(days=2)), (day, today())):
        assert shown.set_range(start, end).wait()
        assert first in shown.line.text
    assert shown.show(only=[first.split(": ")[1].split(" used")[0]]).wait()
    assert first in shown.line.text
    assert shown.set_range(day + timedelta(days=1), today()).wait()
    assert first not in shown.line.text


def test_a_bar_of_the_others_lists_them(panel, year):
    shown = panel("365 days").show(top=3, every="day")
    beyond = shown.picture.legend[-1]["of"]
    lines = [words for *_, words in shown.picture.spots if words.startswith(f"{len(beyond)} others: ")]
    assert all(line.rpartition(": ")[0] in beyond for words in lines for line in words.splitlines()[1:])
    assert any(len(words.splitlines()) > 2 for words in lines)


def test_a_new_service_offers_the_sample(panel, tmp_path):
    with service.start(memory=True, translators=TRANSLATORS) as running:
        settings = Settings(store=str(tmp_path / "answers.sqlite"))
        with current(session.Session.embedded(running, settings)):
            shown = panel()
            assert "Nothing has been translated on this service yet" in shown.line.text
            assert shown.line.retry == "Show sample data"
            shown.retry()
            assert shown.wait()
            assert "keys used" in shown.line.text
            assert shown.line.retry == ""
            assert colours(shown) == colours(panel())  # as in the next kernel, which begins with the sample
            session.known().close()


def test_a_label_that_two_keys_have_is_told_apart_in_every_range(panel):
    table = usage(["Test", "Test", "Shop"], 30)
    table["api_key"] = table["api_key"].map(
        {"0000********0000": "aaaa****1", "0001********0001": "bbbb****2", "0002********0002": "cccc****3"}
    )
    last = table["usage_date"].max().date()
    table = table[(table["api_key"] != "bbbb****2") | (table["usage_date"] < pd.Timestamp(last - timedelta(days=9)))]
    shown = panel(table=table)
    names = {"Test (aaaa****1)", "Test (bbbb****2)", "Shop"}
    assert set(shown.controls.who.names) == names
    shown.set_range(last - timedelta(days=3), last)
    assert set(shown.rows["name"]) == {"Test (aaaa****1)", "Shop"}
    assert {entry["name"] for entry in shown.picture.legend} == {"Test (aaaa****1)", "Shop"}
    shown.show(only=["Test (aaaa****1)"])
    assert set(shown.rows["name"]) == {"Test (aaaa****1)"}
    assert set(shown.table["api_key_label"]) == {"Test"}


def test_titles_say_what_is_shown(panel):
    shown = panel(table=usage(3, 10), group_by="nothing")
    assert shown.picture.alt.startswith("Characters by day, ")
    assert shown.show(group_by="key").picture.alt.startswith("Characters by day and key, ")


def test_a_range_before_the_first_use_says_when_that_was(panel, year):
    shown = panel(today() - timedelta(days=1000))
    first = shown.table["usage_date"].min().date()
    assert f"No usage before {day_in_words(first, year=True)}." in shown.line.text
    assert shown.set_range("7 days").wait()
    assert "No usage before" not in shown.line.text


def test_usual_days_and_few_days_have_no_outliers(panel):
    for table in (usage(3, 30), usage(3, 5)):
        assert "usually about" not in panel(table=table).line.text


# ---- tags


def test_what_has_no_tag_is_shown_with_its_share(panel, year):
    shown = panel("30 days", group_by="tag", kind="by_key")
    tagged = svc_nb.usage("30 days", group_by="tag")["total_characters"].sum()
    every = svc_nb.usage("30 days").total.total_characters
    sums = shown.rows.set_index("name")["total_characters"]
    assert sums["(no tag)"] == every - tagged
    assert sums.sum() == every
    products = [name for name in CHARACTERS if name in shown.rows]
    assert (shown.rows[products].sum(axis=1) == shown.rows["total_characters"]).all()
    assert "Voice min" not in [column["title"] for column in shown.grid.page["columns"]]  # of which nobody used any
    assert f"Without a tag: {percent((every - tagged) / every)} ({every - tagged:,} of {every:,} characters)." in (
        shown.line.text
    )
    shown.show(field="speech_to_text_minutes")
    assert re.search(r"Without a tag: [\d.]+ % \([\d,]+\.\d of [\d,]+\.\d minutes\)\.", shown.line.text)
    shown.show(only=["(no tag)"], field="total_characters")
    assert shown.line.text.startswith(f"Untagged requests used {every - tagged:,} characters")


# ---- dates that cannot be


def test_a_future_end_is_refused_in_one_sentence(panel, year):
    shown = panel("7 days")
    drawn, later = shown.picture.drawn, today() + timedelta(days=1)
    shown.controls.end.value = later
    assert shown.line.kind == "error"
    assert shown.line.text == (
        f"The end date {later} is in the future (today is {today()} UTC); "
        f"the chart still shows {today() - timedelta(days=6)} to {today()}."
    )
    assert shown.picture.drawn == drawn
    with pytest.raises(ValueError, match="is in the future"):
        shown.set_range(today(), later)


def test_an_end_before_the_start_is_refused_in_one_sentence(panel):
    shown = panel(table=usage())
    shown.controls.end.value = shown.controls.start.value - timedelta(days=1)
    assert shown.line.text.startswith(f"The end date {shown.controls.end.value} is before the start date ")
    assert shown.line.text.count(".") == 1


def test_a_saved_view_has_names_on_the_left_and_numbers_on_the_right(panel):
    html = panel(table=usage(3, 4))._repr_mimebundle_()["text/html"]
    sides = re.findall(r"nth-child\((\d)\) { text-align: (\w+) !important; white-space: (\w+); }", html)
    assert sides[:4] == [
        ("1", "left", "nowrap"), ("2", "left", "nowrap"), ("3", "right", "nowrap"), ("4", "right", "nowrap")
    ]  # fmt: skip


def test_a_range_without_use_does_not_make_a_service_new_and_all_keys_stay_on_offer(panel, year):
    shown = panel()
    names = shown.controls.who.names
    shown.show(only=names[:3])
    assert shown.set_range(today() - timedelta(days=700), today() - timedelta(days=650)).wait()
    assert {*names} <= {*shown.controls.who.names}
    assert shown.show(only=[]).line.text.startswith("Nothing was used from ")
    assert shown.line.retry == ""
    assert panel(today() - timedelta(days=700), today() - timedelta(days=650)).line.retry == ""


def test_colours_of_keys_without_a_label_are_the_same_in_the_chart_of_caps(panel, year):
    shown = panel("this month")
    usual = {row["cells"][0]: row["mark"] for row in shown.show("by_key").grid.page["rows"]}
    assert shown.show("caps").wait()
    caps = {row["cells"][0]: row["mark"] for row in shown.grid.page["rows"]}
    alike = {name: (mark, usual[name]) for name, mark in caps.items() if name in usual}
    assert any(name.startswith("(no label)") for name in alike)
    assert [pair for pair in alike.values() if pair[0] != pair[1]] == []


def test_what_has_no_tag_is_a_dotted_grey_and_the_others_a_plain_one(panel, year):
    shown = panel("30 days", group_by="tag").show(top=3)
    slots = {entry["name"]: entry["slot"] for entry in shown.picture.legend}
    assert (slots["(no tag)"], slots[[*slots][-1]]) == (16, -1)
    assert {row["mark"] for row in shown.grid.page["rows"] if "(no tag)" in row["cells"]} == {"key-16"}
    faces = replace(LIGHT, slots={"(no tag)": -2}).faces(["(no tag)", "3 others"], others=True)
    assert [face["facecolor"] for face in faces] == [LIGHT.rest] * 2
    assert "hatch" in faces[0]
    assert "hatch" not in faces[1]
    assert ".svc-key-rest,\n.svc-key-16 {" in (FRONT / "picture.css").read_text("utf-8")


@pytest.mark.parametrize(("group", "kind"), [(group, kind) for group in OFFERED for kind in OFFERED[group]])
def test_what_is_ticked_is_all_that_every_chart_and_table_has(panel, year, group, kind):
    shown = panel("30 days", group_by=group, kind=kind)
    name = shown.controls.who.names[1]
    whole = shown.rows
    shown.controls.who.value = [name]
    assert shown.wait()
    assert shown.problem is None
    assert {*coded(shown.table)[1]} == {name}
    assert {*shown.rows.get("name", [name])} == {name}
    assert len(shown.rows) < len(whole) or shown.rows.iloc[:, 1].sum() < whole.iloc[:, 1].sum()
    used = f"{shown.table['total_characters'].sum():,} characters"
    assert used in shown.line.text or kind == "caps"
    for day in [row["note"] for row in shown.grid.rows(0, 9999) if "note" in row]:
        assert name in day or group == "nothing"
    assert (name in shown._bytes("csv").decode()) == ("name" in shown.rows)


def test_a_table_of_tags_is_shown_by_tag_and_one_of_keys_never_is(panel, year):
    tags = svc_nb.usage("30 days", group_by="tag_and_day")
    shown = panel(table=tags)
    assert shown.controls.group.options == (("Tag", "tag"),)
    assert {*shown.rows["name"]} <= {*tags["custom_tag"]}
    keyed = panel(table=usage(2, 3))
    with pytest.raises(ValueError, match="group_by: expected one of 'key', 'nothing', found 'tag'"):
        keyed.show(group_by="tag")


def test_a_key_whose_unusual_day_is_told_has_a_colour_of_its_own(panel, year):
    shown = panel("90 days").show(every="week", top=1)
    told = shown.line.text.partition("Unusually high: ")[2].split("; ")[:3]
    names = {words.partition(": ")[2].partition(" used ")[0] for words in told}
    assert len(names) > 1
    assert names <= {entry["name"] for entry in shown.picture.legend if entry["slot"] >= 0}
    assert names <= {line.get_label() for line in shown.picture.figure.axes[0].get_children()}


def test_a_week_is_never_cut_off_before_its_year(panel):
    shown = panel(table=usage(1, 100, end=date(2026, 11, 19))).show(every="week")
    (column,) = [each for each in shown.grid.page["columns"] if each["name"] == "usage_date"]
    assert column["least"] > max(len(row[0]) for row in cells(shown))


def test_the_sign_of_an_unusual_day_says_who_it_is(panel, year):
    shown = panel(today() - timedelta(days=364)).show(every="day")
    (told,) = [line for line in shown.line.text.splitlines() if line.startswith("Unusually high:")]
    first = told.removeprefix("Unusually high: ").split(";")[0]
    signs = [words for *_, head, words in shown.picture.spots if head == "Unusually high"]
    assert first in "\n".join(signs).splitlines()


def test_the_columns_of_a_total_have_room_for_bold_figures(panel):
    shown = panel(table=usage(3, 30), kind="by_key")
    for number, column in enumerate(shown.grid.page["columns"]):
        if column["kind"] == "number":
            assert column["width"] >= len(shown.grid.page["rows"][-1]["cells"][number]) + 2


def test_shares_are_percent_in_a_workbook(panel, tmp_path):
    from openpyxl import load_workbook

    book = load_workbook(panel(table=usage(3, 30), kind="by_key").export(tmp_path / "usage.xlsx")).active
    column = next(cells for cells in book.iter_cols() if cells[0].value == "share")
    assert {cell.number_format for cell in column[1:]} == {"0.0%"}


def test_a_wrong_administrators_key_is_named(panel, running, tmp_path):
    own = {"api_key": Secret(running.api_key), "admin_key": Secret("wrong"), "base_url": running.base_url}
    wrong = session.Session(Settings(store=str(tmp_path / "answers.sqlite"), **own))
    before = session.make_current(wrong)
    try:
        shown = panel("7 days")
    finally:
        session.make_current(before)
        wrong.close()
    assert shown.line.text.endswith("Check the administrator key (admin_key= or SVC_ADMIN_KEY).")


def test_a_name_from_right_to_left_turns_nothing_round_but_itself():
    assert largest(pd.Series({"\u05d7\u05e0\u05d5\u05ea": 1})) == "Only: \u2068\u05d7\u05e0\u05d5\u05ea\u2069 (100 %)."
