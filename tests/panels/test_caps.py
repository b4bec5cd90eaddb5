"""The caps tab: written into a table, told in words, confirmed, and taken back."""

from __future__ import annotations

import re
import threading
from datetime import timedelta

import pytest

import svc_nb
from svc_nb import keys
from svc_nb.panels.usage.caps import SPEECH, UNSENT, Caps, _written_part, _written_speech, read
from svc_nb.plots.text import day_in_words
from svc_nb.usage.days import today


@pytest.fixture
def caps(year):
    shown = Caps()
    shown.open()
    assert shown.wait()
    yield shown
    shown.close()


def key_id(caps, name) -> str:
    return caps.listed.index[caps.listed["name"] == name][0]


def on_service(label):
    table = keys.list()
    row = table[table["label"] == label].iloc[0]
    return row["characters"], row[SPEECH]


@pytest.fixture
def usual(year) -> int:
    """The cap of the web shop, which depends on the day."""
    return int(on_service("Web shop")[0])


def visible(caps) -> set[str]:
    return {name for name, button in caps.buttons.items() if button.layout.display != "none"}


def test_all_keys_are_listed_with_caps_in_words(caps, usual):
    rows = {row["cells"][0]: row for row in caps.grid.page["rows"]}
    assert rows["Web shop"]["cells"][1:6:4] == [f"{usual:,}", "no cap"]
    assert rows["Phone line"]["cells"][5] == "6,000"
    assert "blocked" in [row["cells"][1] for row in rows.values()]
    assert visible(caps) == {"change", "refresh"}


def test_nothing_is_sent_before_it_is_confirmed(caps, usual, asked):
    (row,) = [row["row"] for row in caps.grid.page["rows"] if row["cells"][0] == "Web shop"]
    table = caps.grid.page["table"]
    caps.grid.hear({"kind": "write", "table": table, "cells": [[row, "characters", "1.5M"]]})
    assert f"Web shop: 1,500,000 characters a month (now {usual:,} characters a month)" in caps.line.text
    assert caps.line.kind == "change"
    assert visible(caps) == {"change", "discard", "refresh"}
    assert not caps.notice.waits
    caps.buttons["change"].click()
    assert caps.wait()
    assert caps.notice.waits
    assert caps.notice.line.text.startswith("Change 1 cap on the service?\n• Web shop: 1,500,000 characters a month")
    assert caps.answers["confirm"].description == "Change 1 cap"
    assert not [path for path in asked.paths if not path.startswith("GET ")]
    caps.answers["confirm"].click()
    assert not caps.notice.waits
    assert caps.wait()
    assert on_service("Web shop")[0] == 1_500_000
    assert caps.line.text.startswith("Changed: ")
    assert visible(caps) == {"change", "undo", "refresh"}
    caps.buttons["undo"].click()
    assert caps.wait()
    assert on_service("Web shop")[0] == usual
    assert visible(caps) == {"change", "refresh"}


def test_the_question_is_below_the_toolbar_and_one_button_is_primary(caps, asked):
    toolbar, question, grid, line = caps.box.children  # what the line says moves no row
    assert set(toolbar.children) == set(caps.buttons.values())
    assert (question, line, grid) == (caps.notice.box, caps.line, caps.grid)
    caps.set(key_id(caps, "Web shop"), characters=5)
    assert caps.buttons["change"].button_style == "primary"
    caps.ask()
    assert caps.wait()
    assert caps.buttons["change"].button_style == ""
    caps.answers["cancel"].click()
    assert (caps.notice.waits, bool(caps.draft)) == (False, True)
    assert not [path for path in asked.paths if not path.startswith("GET ")]
    assert "Web shop: 5 characters a month" in caps.line.text
    caps.ask()
    assert caps.wait()
    caps.set(key_id(caps, "Newsletter"), characters=6)
    assert not caps.notice.waits  # what was asked about is no longer all that would be sent


def test_changing_nothing_says_how_to_change_a_cap(caps, asked):
    caps.buttons["change"].click()
    assert not caps.notice.waits
    assert caps.line.text.startswith("Click a cap to change it")
    assert asked.paths == []


def test_each_cap_has_what_was_used_this_month_beside_it(caps):
    month = svc_nb.usage("this month", group_by="key").set_index("api_key_label")
    rows = {row["cells"][0]: row["cells"] for row in caps.grid.page["rows"]}
    used, cap = int(month["total_characters"]["Web shop"]), int(on_service("Web shop")[0])
    assert rows["Web shop"][2:4] == [f"{used:,}", _written_part(used / cap)]
    spoken = month["speech_to_text_minutes"]["Phone line"]
    assert rows["Phone line"][6:8] == [f"{spoken:,.1f}", _written_part(spoken / 6000)]
    assert rows["Web shop"][7] == ""  # there is no cap of speech
    assert {tuple(cells[2:4]) for name, cells in rows.items() if name.startswith("Test")} == {("–", "")}
    assert f"count from {today():%Y-%m}-01" in caps.grid.page["foot"]["said"]


def test_more_than_the_whole_cap_is_said_in_words(caps):
    used = svc_nb.usage("this month", group_by="key").set_index("api_key_label")["total_characters"]["Web shop"]
    caps.set(key_id(caps, "Web shop"), characters=int(used) // 2)
    (row,) = [row["cells"] for row in caps.grid.page["rows"] if row["cells"][0] == "Web shop"]
    assert row[3] == "200 %, over"
    (shown,) = [row for row in caps.grid.page["rows"] if row.get("note")]
    assert shown["cells"][0] == "Web shop"
    assert shown["note"] == "Used more than its cap this month."


def test_several_caps_of_several_keys_change_together(caps):
    caps.set(key_id(caps, "Web shop"), characters=None, minutes=1.5)
    caps.set(key_id(caps, "Newsletter"), characters=0)
    assert caps.line.text.count("•") == 3
    assert "Newsletter: blocked (now 500,000 characters a month)" in caps.line.text
    caps.confirm()
    assert caps.wait()
    assert caps.problem is None
    web, newsletter = on_service("Web shop"), on_service("Newsletter")
    assert str(web[0]) == "<NA>"
    assert (web[1], newsletter[0]) == (90_000, 0)


def test_what_is_discarded_is_as_it_was(caps):
    before = caps.grid.page["rows"]
    caps.set(key_id(caps, "Web shop"), characters=5)
    assert [row["mark"] for row in caps.grid.page["rows"]].count("changed") == 1
    caps.buttons["discard"].click()
    assert caps.grid.page["rows"] == before
    assert caps.draft == {}


def test_what_was_written_can_be_undone_and_redone_before_it_is_sent(caps):
    shop, letters = key_id(caps, "Web shop"), key_id(caps, "Newsletter")
    caps.write(shop, "characters", "5")
    caps.write(letters, "characters", "6")
    caps.write(letters, "characters", "a lot")
    assert caps.grid.page["foot"]["undo"] == "cap of Newsletter"
    assert caps.turn("undo") == letters
    assert caps.draft == {shop: {"characters": 5}, letters: {"characters": 6}}
    caps.turn("undo")
    caps.turn("undo")
    assert (caps.draft, caps.turn("undo"), caps.grid.page["foot"]["undo"]) == ({}, None, "")
    caps.grid.hear({"kind": "redo"})
    assert caps.draft == {shop: {"characters": 5}}
    caps.discard()
    caps.turn("undo")
    assert caps.draft == {shop: {"characters": 5}}
    caps.confirm()
    assert caps.wait()
    assert caps.turn("undo") is None  # what was sent is taken back by the button


def test_rows_stay_where_they_are_while_caps_are_written(caps):
    def names():
        return [row["cells"][0] for row in caps.grid.page["rows"]]

    caps.grid.sort_by("characters")
    before = names()
    caps.write(key_id(caps, before[0]), "characters", "1")
    assert names() == before
    caps.load()
    assert caps.wait()
    assert names() != before


def test_a_cap_set_to_its_current_value_is_not_a_change(caps, usual):
    caps.set(key_id(caps, "Web shop"), characters=5)
    caps.set(key_id(caps, "Web shop"), characters=usual)
    assert caps.draft == {}
    assert visible(caps) == {"change", "refresh"}


def test_a_deactivated_key_is_told_to_be_so(caps):
    ended = caps.listed.index[caps.listed["is_deactivated"]][0]
    caps.write(ended, "characters", "5")
    assert caps.line.kind == "error"
    assert "deactivated" in caps.line.text


@pytest.mark.parametrize("text", ["abc", "-5", "1e5", "1..5", "5 apples", "9" * 30, "<b>", "0.1", "1.500", "1.5"])
def test_an_invalid_cap_is_reported_in_a_line_and_changes_nothing(caps, text):
    caps.write(key_id(caps, "Web shop"), "characters", text)
    assert caps.line.kind == "error"
    assert caps.draft == {}


@pytest.mark.parametrize(
    ("text", "cap"),
    [
        ("500,000", 500_000),
        ("500 000", 500_000),
        ("500\u202f000", 500_000),
        ("500'000", 500_000),
        ("1_500_000", 1_500_000),
        ("1,500", 1_500),
        ("12", 12),
        ("0", 0),
        ("2 m", 2_000_000),
        ("0.125 M", 125_000),
        ("0,125 M", 125_000),
        ("1.125 M", 1_125_000),
        ("1,5 k", 1_500),
        ("1,234.5 k", 1_234_500),
        ("1,500,000 k", 1_500_000_000),
        ("12.0", 12),
    ],
)
def test_numbers_are_read_as_people_write_them(text, cap):
    assert read(text) == cap


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("0.125", 7_500), ("0,125", 7_500), ("1.5", 90_000), ("1,5", 90_000), ("1,500", 90_000_000)],
)
def test_minutes_may_have_a_fraction(text, milliseconds):
    assert read(text, minutes=True) == milliseconds


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("90 min", 5_400_000),
        ("90min", 5_400_000),
        ("1.5 minutes", 90_000),
        ("2 million", 120_000_000_000),
        ("2M", 120_000_000_000),
    ],
)
def test_minutes_may_have_their_unit_and_a_million_is_written_so(text, milliseconds):
    assert read(text, minutes=True) == milliseconds


@pytest.mark.parametrize("text", ["90 m", "90m", "90  m"])
def test_an_m_of_minutes_may_be_a_million_and_is_refused(text):
    with pytest.raises(ValueError, match="two ways: write 90 min, or 90 million"):
        read(text, minutes=True)


@pytest.mark.parametrize("text", ["min", "90 min min", "90 minx", "90 min 5", "90 h"])
def test_other_units_are_not_minutes(text):
    with pytest.raises(ValueError, match="is not a cap"):
        read(text, minutes=True)


def test_minutes_are_not_characters():
    with pytest.raises(ValueError, match="is not a cap"):
        read("90 min")


def test_keys_that_share_a_label_have_a_part_of_their_id_and_it_is_said(caps):
    names = [row["cells"][0] for row in caps.grid.page["rows"]]
    twins = [name for name in names if name.startswith("Test")]
    assert len({*twins}) == 2
    for name in twins:
        assert caps.listed.index[caps.listed["name"] == name][0].startswith(name.partition("(id ")[2].rstrip(")"))
    assert "same label" in caps.grid.page["foot"]["said"]
    caps.set(key_id(caps, twins[0]), characters=77)
    caps.confirm()
    assert caps.wait()
    assert f"Changed: {twins[0]}: 77 characters a month" in caps.line.text


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("1.500", "“1.500” can be read in two ways: write 1,500"),
        ("500.000", "“500.000” can be read in two ways: write 500,000"),
        ("1.500.000", "“1.500.000” has dots between its digits: write 1,500,000"),
    ],
)
def test_a_dot_before_three_digits_is_refused_with_how_to_write_it(text, advice):
    with pytest.raises(ValueError, match=re.escape(advice)):
        read(text)
    with pytest.raises(ValueError, match=re.escape(advice)):
        read(text, minutes=True)


@pytest.mark.parametrize("text", ["0.125", "1.5", "1,5", "1.2345 k", "0.0001 k"])
def test_a_fraction_of_a_character_is_refused(text):
    with pytest.raises(ValueError, match=r"fraction of a character|not a cap"):
        read(text)


@pytest.mark.parametrize("text", ["1,50,000", "1500,500", "1,500 000", "1,500,5", "0,500,000", "1 5", "1.5.5"])
def test_digits_not_grouped_by_three_are_not_a_number(text):
    with pytest.raises(ValueError, match="is not a cap"):
        read(text)


@pytest.mark.parametrize("limit", [None, 0, 1, 67_500, 67_501, 7_500, 90_000, 60_000_000, 74_074_020, 10**15])
def test_a_cap_of_speech_that_is_shown_can_be_written_back(limit):
    assert read(_written_speech(limit), minutes=True) == limit


def change(caps, name, **wanted) -> None:
    caps.set(key_id(caps, name), **wanted)
    caps.confirm()
    assert caps.wait()


def take_back(caps) -> None:
    caps.buttons["undo"].click()
    assert caps.wait()


def test_undo_undoes_one_change_after_the_other_while_any_is_left(caps, usual):
    change(caps, "Web shop", characters=5)
    change(caps, "Newsletter", characters=6)
    take_back(caps)
    assert (on_service("Web shop")[0], on_service("Newsletter")[0]) == (5, 500_000)
    assert visible(caps) == {"change", "undo", "refresh"}
    assert caps.buttons["undo"].description == "Undo 1 cap change (Web shop)"
    take_back(caps)  # an earlier change: that is asked first
    assert caps.notice.line.text == "Undo an earlier change, too? It was: Web shop: 5 characters a month."
    assert caps.answers["confirm"].description == "Undo"
    assert on_service("Web shop")[0] == 5
    caps.answers["confirm"].click()
    assert caps.wait()
    assert on_service("Web shop")[0] == usual
    assert visible(caps) == {"change", "refresh"}


def test_a_cap_below_what_is_used_is_asked_with_a_warning(caps):
    used = int(svc_nb.usage("this month", group_by="key").set_index("api_key_label")["total_characters"]["Web shop"])
    first = (today().replace(day=1) + timedelta(days=31)).replace(day=1)
    refused = f"Web shop has used {used:,}: it will be refused at once"
    for text, warned in (("1000", f"{refused}, until {day_in_words(first)}."), ("blocked", f"{refused}.")):
        caps.write(key_id(caps, "Web shop"), "characters", text)
        caps.ask()
        assert caps.wait()
        assert caps.notice.line.text.splitlines()[-1] == warned
    caps.write(key_id(caps, "Web shop"), "characters", f"{used * 2}")
    caps.ask()
    assert caps.wait()
    assert "refused" not in caps.notice.line.text


def test_a_cap_that_cannot_be_read_stays_to_be_corrected(caps):
    shop = key_id(caps, "Web shop")
    caps.write(key_id(caps, "Newsletter"), "characters", "900k")
    caps.write(shop, "characters", "a lot")
    told = caps.line.text.splitlines()
    assert told[0] == "Web shop: “a lot” is not a cap. Enter a number such as 500,000, “no cap” or “blocked”."
    assert told[1:] == ["Not sent yet:", "• Newsletter: 900,000 characters a month (now 500,000 characters a month)"]
    rows = {row["cells"][0]: row for row in caps.grid.page["rows"]}
    assert (rows["Web shop"]["cells"][1], rows["Web shop"]["mark"]) == ("a lot", "error")
    caps.write(shop, "characters", "5000")
    assert "is not a cap" not in caps.line.text
    assert {row["cells"][0]: row["cells"][1] for row in caps.grid.page["rows"]}["Web shop"] == "5,000"
    caps.write(shop, "characters", "a lot")
    assert shop not in caps.draft  # the 5,000 before are not sent behind what the cell shows
    assert caps.buttons["change"].description == "Change 1 cap …"
    caps.write(key_id(caps, "Newsletter"), "characters", "abc")
    assert caps.buttons["change"].disabled
    caps.discard()
    assert "a lot" not in str(caps.grid.page)


def test_what_was_not_sent_can_be_written_again_in_another_kernel(caps):
    assert caps.buttons["change"].disabled
    assert caps.survives == ""
    caps.write(key_id(caps, "Web shop"), "characters", "5000")
    assert caps.survives.startswith("1 cap was not sent: Web shop: 5,000 characters a month (now ")
    assert UNSENT in caps.box.classes
    other = Caps()
    other.resume(caps.draft)
    assert other.wait()
    assert other.draft == caps.draft
    assert other.line.text == caps.line.text
    other.close()
    caps.discard()
    assert UNSENT not in caps.box.classes


def test_last_months_use_is_beside_the_cap(caps):
    before = svc_nb.usage("last month", group_by="key").set_index("api_key_label")["total_characters"]["Web shop"]
    assert {row["cells"][0]: row["cells"][4] for row in caps.grid.page["rows"]}["Web shop"] == f"{before:,}"


def test_undo_leaves_what_was_changed_elsewhere(caps, usual):
    change(caps, "Web shop", characters=5)
    keys.rename(key_id(caps, "Newsletter"), "Letters")
    take_back(caps)
    assert caps.line.kind == "error"
    assert "made elsewhere" in caps.line.text
    assert "Letters" in keys.list()["label"].tolist()
    assert on_service("Web shop")[0] == 5
    keys.undo()
    take_back(caps)
    assert on_service("Web shop")[0] == usual


def test_undo_in_one_panel_leaves_what_another_changed(caps):
    change(caps, "Web shop", characters=5)
    other = Caps()
    other.open()
    assert other.wait()
    change(other, "Newsletter", characters=6)
    take_back(caps)
    other.close()
    assert "made elsewhere" in caps.line.text
    assert (on_service("Web shop")[0], on_service("Newsletter")[0]) == (5, 6)


def test_what_was_undone_in_a_cell_is_not_undone_again(caps):
    change(caps, "Web shop", characters=5)
    keys.undo()
    take_back(caps)
    assert "nothing to undo" in caps.line.text
    assert visible(caps) == {"change", "refresh"}


@pytest.fixture
def held(year):
    """Holds changes of caps back until it is set; `held.begun` is set when one is on its way."""
    go, go.begun = threading.Event(), threading.Event()
    send = year.admin.set_limits

    def waits(*args, **rest):
        go.begun.set()
        assert go.wait(20)
        return send(*args, **rest)

    year.admin.set_limits = waits
    yield go
    go.set()


@pytest.mark.parametrize("later", [7, "as before", None])
def test_what_is_written_while_a_change_is_on_its_way_stays_to_be_sent(caps, held, later, usual):
    later = usual if later == "as before" else later
    shop, letters = key_id(caps, "Web shop"), key_id(caps, "Newsletter")
    caps.set(shop, characters=5)
    caps.confirm()
    assert held.begun.wait(20)
    caps.set(shop, characters=later)
    caps.set(letters, characters=6)
    caps.load()
    held.set()
    assert caps.wait()
    assert caps.draft == {shop: {"characters": later}, letters: {"characters": 6}}
    assert caps.line.text.startswith("Changed: ")
    assert "Newsletter: 6 characters a month" in caps.line.text
    caps.confirm()
    assert caps.wait()
    assert keys.list().set_index("key_id")["characters"].get(letters) == 6
    assert caps.draft == {}


def test_a_list_that_cannot_be_read_after_a_change_does_not_hide_the_change(caps, held, year, usual):
    told = []
    caps._told = lambda: told.append(True)
    caps.set(key_id(caps, "Web shop"), characters=5)
    caps.confirm()
    assert held.begun.wait(20)
    listing = year.admin.keys

    def fails(*args, **rest):
        raise OSError("the line is dead")

    year.admin.keys = fails
    held.set()
    assert caps.wait()
    year.admin.keys = listing
    assert caps.line.text.startswith("Changed: Web shop: 5 characters a month.")
    assert "could not be loaded again: the line is dead. Press Refresh" in caps.line.text
    assert caps.line.kind == "error"
    assert (caps.draft, told) == ({}, [True])
    assert caps.listed["characters"][key_id(caps, "Web shop")] == 5 == on_service("Web shop")[0]
    take_back(caps)
    assert on_service("Web shop")[0] == usual


def test_of_a_change_that_breaks_off_it_is_told_what_was_done_and_what_was_not_sent(caps, year, usual):
    told = []
    caps._told = lambda: told.append(True)
    shop, letters, phone = (key_id(caps, name) for name in ("Web shop", "Newsletter", "Phone line"))
    for each in (shop, letters, phone):
        caps.set(each, characters=5)
    send = year.admin.set_limits

    def breaks_off(key_id, **rest):
        if key_id == letters:
            year.service.faults.add("status", status=400, count=1)
            year.admin.set_limits = send
        return send(key_id, **rest)

    year.admin.set_limits = breaks_off
    caps.confirm()
    assert caps.wait()
    year.service.faults.clear()
    assert caps.line.kind == "error"
    first, *unsent = caps.line.text.splitlines()
    assert "1 of 3 keys changed ('Web shop')" in first
    assert (set(caps.draft), told) == ({letters, phone}, [True])
    assert [line.partition(":")[0] for line in unsent] == ["Not sent yet", "• Newsletter", "• Phone line"]
    assert caps.listed["characters"][shop] == 5 == on_service("Web shop")[0]
    caps.discard()
    assert caps.buttons["undo"].description == "Undo 1 cap change (Web shop)"
    take_back(caps)
    assert on_service("Web shop")[0] == usual


def test_what_goes_wrong_behind_a_button_is_told_in_the_line(caps, year):
    change(caps, "Web shop", characters=5)
    caps.set(key_id(caps, "Newsletter"), characters=6)
    folder = keys.log(year).backups.folder
    kept = folder.rename(folder.with_name("kept"))
    folder.write_text("no folder any more")
    caps.buttons["discard"].click()
    folder.unlink()
    kept.rename(folder)
    assert caps.line.kind == "error"
    assert "cannot be read or written" in caps.line.text


def test_refresh_keeps_what_was_written(caps, year):
    shop, letters = key_id(caps, "Web shop"), key_id(caps, "Newsletter")
    caps.set(shop, characters=5)
    caps.set(letters, characters=6)
    year.admin.set_limits(shop, characters=8)
    caps.buttons["refresh"].click()
    assert caps.wait()
    assert caps.draft == {shop: {"characters": 5}, letters: {"characters": 6}}
    assert "Web shop: 5 characters a month (now 8 characters a month)" in caps.line.text
    year.admin.deactivate_key(letters)
    caps.buttons["refresh"].click()
    assert caps.wait()
    assert caps.draft == {shop: {"characters": 5}}
    assert "can no longer be changed: Newsletter" in caps.line.text


def test_a_change_that_the_service_refuses_is_one_line_and_stays_to_be_sent_again(caps, year):
    caps.set(key_id(caps, "Web shop"), characters=5)
    fault = year.service.faults.add("status", status=503)
    caps.confirm()
    assert caps.wait()
    assert caps.line.kind == "error"
    assert "503" in caps.line.text
    assert caps.draft
    year.service.faults.remove(fault)
    caps.confirm()
    assert caps.wait()
    assert on_service("Web shop")[0] == 5


@pytest.mark.long
def test_the_chart_of_caps_follows_a_change(panel, year):
    shown = panel("7 days", kind="caps")
    shown.caps.open()
    assert shown.caps.wait()
    drawn = shown.picture.drawn
    shown.caps.set(key_id(shown.caps, "Web shop"), characters=2_345_678)
    shown.caps.confirm()
    assert shown.caps.wait()
    assert shown.wait()
    assert shown.picture.drawn == drawn + 1
    assert "2,345,678" in [cell for row in shown.grid.page["rows"] for cell in row["cells"]]


def test_changes_by_another_administrator_stay(caps, year):
    chosen = key_id(caps, "Web shop")
    caps.set(chosen, characters=700_000)
    year.admin.set_limits(chosen, speech_to_text_milliseconds=60_000)
    caps.confirm()
    assert caps.wait()
    assert on_service("Web shop") == (700_000, 60_000)


def test_a_key_whose_label_is_missing_is_one_without_a_label(caps):
    listed = keys.list()
    listed.loc[listed["label"] == "Web shop", "label"] = None
    caps._loaded((listed, caps.used, caps.used_before))
    names = caps.listed["name"].tolist()
    assert sum(name.startswith("(no label) (id ") for name in names) >= 1
    assert not {"nan", "None", "<NA>"} & {*names}


def test_what_another_administrator_changed_of_the_same_cap_is_told_before_it_is_replaced(caps, year):
    chosen = key_id(caps, "Web shop")
    caps.set(chosen, characters=700_000)
    year.admin.set_limits(chosen, characters=123_456)
    caps.ask()
    assert caps.wait()
    told = caps.notice.line.text
    assert "• Web shop: 700,000 characters a month (now 123,456 characters a month)" in told
    assert "Changed elsewhere in the meantime: Web shop now has 123,456 characters a month." in told
    year.admin.set_limits(chosen, characters=654_321)
    caps.answers["confirm"].click()
    assert caps.wait()
    assert on_service("Web shop")[0] == 654_321
    assert caps.line.text.startswith(
        "Changed elsewhere in the meantime: Web shop now has 654,321 characters a month. Nothing"
    )
    caps.confirm()
    assert caps.wait()
    assert on_service("Web shop")[0] == 700_000


def test_a_cap_that_cannot_be_read_keeps_its_reason_and_the_question_names_it(caps):
    caps.write(key_id(caps, "Web shop"), "characters", "abc")
    caps.write(key_id(caps, "Newsletter"), "characters", "900k")
    (row,) = [row for row in caps.grid.page["rows"] if row["cells"][0] == "Web shop"]
    assert row["note"].startswith("Not sent: “abc” is not a cap.")
    told = "Not sent: Web shop: “abc” is not a cap. Enter a number such as 500,000, “no cap” or “blocked”."
    assert caps.line.text.splitlines()[0] == told
    caps.ask()
    assert caps.wait()
    assert caps.notice.line.text.splitlines()[-1] == told


def test_a_cap_that_was_written_while_another_was_sent_can_be_undone(caps, held):
    caps.set(key_id(caps, "Web shop"), characters=5)
    caps.confirm()
    held.begun.wait(10)
    caps.write(key_id(caps, "Newsletter"), "characters", "6")
    held.set()
    assert caps.wait()
    assert caps.turn("undo") == key_id(caps, "Newsletter")
    assert caps.draft == {}


def test_what_was_not_sent_with_the_others_is_a_warning(caps):
    caps.write(key_id(caps, "Newsletter"), "characters", "abc")
    change(caps, "Web shop", characters=5)
    assert caps.line.text.startswith("Changed: Web shop")
    assert "Not sent: Newsletter: “abc”" in caps.line.text
    assert caps.line.kind == "change"


def test_a_key_is_called_as_on_charts_whatever_was_asked_first(panel, caps):
    shown = panel("90 days", kind="caps")
    (charted,) = [name for name in shown.rows["name"] if name.startswith("(no label)")]
    assert charted in [row["cells"][0] for row in caps.grid.page["rows"]]


def test_a_key_that_is_gone_is_left_out_by_its_name(caps):
    other = Caps()
    other.resume({"gone:1": {"characters": 5}}, {"gone:1": "Old shop"})
    assert other.wait()
    assert other.line.text == "Left out, because they can no longer be changed: Old shop."
    other.close()


def test_far_above_a_cap_it_does_not_matter_how_far():
    assert [_written_part(part) for part in (1.5, 9.99, 154_802.2)] == ["150 %, over", "999 %, over", "> 999 %, over"]


def test_another_panel_of_the_notebook_takes_over_what_was_not_sent(panel, year):
    first = panel()
    first.caps.open()
    assert first.caps.wait()
    assert not first.offer.waits
    first.caps.write(key_id(first.caps, "Web shop"), "characters", "5000")
    assert first.tabs.titles == ("Usage", "Caps (1 not sent)")
    assert panel().offer.line.text.endswith(")\nTake it over?")
    first.caps.write(key_id(first.caps, "Newsletter"), "characters", "450.000")
    second = panel()
    assert second.offer.waits
    told = second.offer.line.text
    assert told.startswith("Unsent edits in another panel of this notebook:\n• Web shop: 5,000 characters a month")
    assert "\n• Newsletter: “450.000” can be read in two ways" in told
    assert told.endswith("\nTake them over?")
    sent = []
    second.caps.grid.send = lambda message, buffers=None: sent.append(message)
    second.offer.answers[0].click()
    assert second.caps.wait()
    assert not second.offer.waits
    assert second.tabs.selected_index == 1
    assert list(second.caps.draft.values()) == [{"characters": 5000}]
    assert "450.000" in str(second.caps.grid.page["rows"])
    assert [message["focus"] for message in sent if "go" in message] == [True]
    assert (first.caps.draft, first.caps.grid.refused) == ({}, {})
    assert first.tabs.titles == ("Usage", "Caps")
    second.close()
    assert not panel().offer.waits
