"""The usage panel, driven as clicks drive it: by the values of its widgets and by its methods."""

from __future__ import annotations

import json
import re
import threading
from datetime import timedelta

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from svc_nb import panels, session
from svc_nb.panels.usage.view import FIELDS, OFFERED
from svc_nb.secret import Secret
from svc_nb.settings import Settings
from svc_nb.usage.days import preset, today
from tests.panels.tables import usage

HOSTILE = ["<script>alert(1)</script>", "$x_1^2$", "_nosuch", "a&b\"'", "=1+1", "{0} %s", "日本語", "\\alpha"]


def texts(panel) -> list[str]:
    """What is written in the picture."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", panel.picture.svg)


def cells(panel) -> list[list[str]]:
    return [row["cells"] for row in panel.grid.page["rows"]]


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
    first, last = today() - timedelta(days=89), today() - timedelta(days=30)
    assert asked.paths == [f"GET /v2/admin/analytics {first} {last}"]
    assert sorted(set(shown.table["usage_date"].dt.date))[0] >= first
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
    assert shown.controls.who.noun == "tag"
    assert "document_translation_characters" not in [name for _, name in shown.controls.field.options]
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
    assert any("No use" in text for text in texts(shown))
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
    for kind in ("by_day", "by_key", "heat_map"):
        shown.show(kind)
        assert "<script" not in shown.picture.svg
        written = [text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") for text in texts(shown)]
        for label in ("$x_1^2$", "_nosuch", "<script>alert(1)</script>", "{0} %s", "\\alpha"):
            assert label in written
    assert set(shown.controls.who.options) == set(HOSTILE)
    page = shown._repr_mimebundle_()["text/html"]
    assert "<script" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.long
def test_a_table_of_200_keys_and_366_days_travels_in_part(panel):
    shown = panel(table=usage(200, 366))
    assert shown.grid.page["count"] == 200 * 366
    assert len(shown.grid.page["rows"]) == 60
    assert len(shown.controls.who.options) == 200
    assert len(json.dumps(shown.grid.page)) < 20_000


# ---- what goes wrong


def test_a_key_that_is_no_administrators_gets_one_clear_line(panel, running, tmp_path):
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
        "who": lambda: setattr(shown.controls.who, "value", shown.controls.who.options[:1]),
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
    assert "Old" in shown.controls.who.options
    assert shown.line.text.startswith("The chosen key used nothing from ")
    assert "press Clear" in shown.line.text
    assert any("No use" in text for text in texts(shown))
    shown.set_range(*whole)
    assert (shown.controls.who.value, cells(shown)) == (["Old"], before)
    shown.set_range(today() - timedelta(days=3), today())
    shown.controls.who.value = []
    assert shown.controls.who.options == ["New"]
    assert shown.grid.page["count"] > 0


@pytest.mark.long
def test_keys_and_tags_have_ticks_of_their_own(panel, year):
    shown = panel("30 days")
    shown.controls.who.value = key = shown.controls.who.options[:1]
    shown.controls.group.value = "tag"
    assert shown.wait()
    assert shown.controls.who.value == []
    shown.controls.who.value = tag = shown.controls.who.options[:1]
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
    written = texts(shown)
    assert "Team 0" not in written
    assert {"Team 1", "Team 2"} <= set(written)


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
    assert read["total_characters"].tolist() == shown.table["total_characters"].tolist()
    assert read["usage_date"].tolist() == [f"{day:%Y-%m-%d}" for day in shown.table["usage_date"]]


def test_a_workbook_has_texts_for_texts_and_numbers_for_numbers(panel, tmp_path):
    from openpyxl import load_workbook

    shown = panel(table=usage(HOSTILE, 4))
    sheet = load_workbook(shown.export(tmp_path / "usage.xlsx")).active
    rows = list(sheet.iter_rows(values_only=False))
    assert [cell.value for cell in rows[0]] == shown.rows.columns.tolist()
    labels = {cell.value: cell.data_type for cell in (row[1] for row in rows[1:])}
    assert set(labels) == set(HOSTILE)
    assert set(labels.values()) == {"s"}
    assert sum(row[2].value for row in rows[1:]) == shown.table["total_characters"].sum()
    assert rows[1][0].is_date


@pytest.mark.long
@pytest.mark.parametrize(("group", "kind"), [(group, kind) for group in OFFERED for kind in OFFERED[group]])
def test_files_have_the_rows_and_columns_that_the_screen_shows(panel, year, tmp_path, group, kind):
    shown = panel("30 days", group_by=group, kind=kind)
    shown.show(only=shown.controls.who.options[:3])
    columns = [column["name"] for column in shown.grid.page["columns"]]
    for read in (
        pd.read_csv(shown.export(tmp_path / "usage.csv")),
        pd.read_excel(shown.export(tmp_path / "usage.xlsx")),
    ):
        assert read.columns.tolist() == columns
        assert len(read) == shown.grid.page["count"] > 0
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
    assert len(pd.read_csv(shown.export(tmp_path / "usage.csv"))) == shown.grid.page["count"]


def test_a_failure_leaves_no_old_picture_to_save(panel, year, tmp_path):
    shown = panel("7 days")
    year.service.faults.add("status", status=503)
    shown.refresh()
    for form in ("csv", "png", "svg"):
        with pytest.raises(ValueError, match="nothing to save"):
            shown.export(tmp_path / f"usage.{form}")


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
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == shown.box.model_id
    assert "Team 1" in bundle["text/html"]
    assert "data:image/png;base64," in bundle["text/html"]
    assert bundle["image/png"]


@pytest.mark.long
def test_nothing_secret_is_in_the_state_of_widgets(panel, year):
    before = set(_instances())
    shown = panel("30 days")
    shown.caps.open()
    shown.caps.wait()
    shown.show("caps")
    shown.wait()
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
    assert "Speech has caps of its own" not in shown.line.text
    shown.show("by_day")
    assert len(shown.controls.field.options) > 2


def test_a_key_without_a_label_is_called_the_same_on_charts_and_among_caps(panel, year):
    shown = panel(kind="by_key")
    shown.tabs.selected_index = 1
    assert shown.caps.wait()
    called = [name for name in shown.rows["name"] if name.startswith("(no label)")]
    assert len(called) == 1
    assert called[0] in shown.caps.listed["name"].tolist()
