"""The caps tab: written into a table, told in words, confirmed, and taken back."""

from __future__ import annotations

import threading

import pytest

from svc_nb import keys
from svc_nb.panels.usage.caps import SPEECH, Caps, _written_speech, read


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
    assert rows["Web shop"]["cells"][1:3] == [f"{usual:,}", "no cap"]
    assert rows["Phone line"]["cells"][2] == "6,000"
    assert "blocked" in [row["cells"][1] for row in rows.values()]
    assert visible(caps) == {"refresh"}


def test_nothing_is_sent_before_it_is_confirmed(caps, usual, asked):
    (row,) = [row["row"] for row in caps.grid.page["rows"] if row["cells"][0] == "Web shop"]
    table = caps.grid.page["table"]
    caps.grid.hear({"kind": "write", "table": table, "cells": [[row, "characters", "1.5M"]]})
    assert f"Web shop: 1,500,000 characters a month (now {usual:,} characters a month)" in caps.line.text
    assert caps.line.kind == "change"
    assert visible(caps) == {"change", "discard", "refresh"}
    caps.buttons["change"].click()
    assert visible(caps) == {"confirm", "discard", "refresh"}
    assert asked.paths == []
    caps.buttons["confirm"].click()
    assert caps.wait()
    assert on_service("Web shop")[0] == 1_500_000
    assert caps.line.text.startswith("Changed: ")
    assert visible(caps) == {"undo", "refresh"}
    caps.buttons["undo"].click()
    assert caps.wait()
    assert on_service("Web shop")[0] == usual
    assert visible(caps) == {"refresh"}


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


def test_a_cap_written_as_it_was_is_no_change(caps, usual):
    caps.set(key_id(caps, "Web shop"), characters=5)
    caps.set(key_id(caps, "Web shop"), characters=usual)
    assert caps.draft == {}
    assert visible(caps) == {"refresh"}


def test_a_deactivated_key_is_told_to_be_so(caps):
    ended = caps.listed.index[caps.listed["is_deactivated"]][0]
    caps.write(ended, "characters", "5")
    assert caps.line.kind == "error"
    assert "deactivated" in caps.line.text


@pytest.mark.parametrize("text", ["abc", "-5", "1e5", "1..5", "5 apples", "9" * 30, "<b>", "0.1", "1.500", "1.5"])
def test_what_is_no_cap_is_told_in_a_line_and_changes_nothing(caps, text):
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
def test_other_units_are_no_number_of_minutes(text):
    with pytest.raises(ValueError, match="expected a number"):
        read(text, minutes=True)


def test_minutes_are_no_characters():
    with pytest.raises(ValueError, match="expected a number"):
        read("90 min")


def test_keys_that_share_a_label_have_a_part_of_their_id_and_it_is_said(caps):
    names = [row["cells"][0] for row in caps.grid.page["rows"]]
    twins = [name for name in names if name.startswith("Test")]
    assert len({*twins}) == 2
    for name in twins:
        assert caps.listed.index[caps.listed["name"] == name][0].startswith(name.partition("(id ")[2].rstrip(")"))
    assert "share a label" in caps.grid.page["foot"]["said"]
    caps.set(key_id(caps, twins[0]), characters=77)
    caps.confirm()
    assert caps.wait()
    assert f"Changed: {twins[0]}: 77 characters a month" in caps.line.text


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("1.500", "write 1,500 or 1500"),
        ("500.000", "write 500,000 or 500000"),
        ("1.500.000", "write 1,500,000 or 1500000"),
    ],
)
def test_a_dot_before_three_digits_is_refused_with_how_to_write_it(text, advice):
    with pytest.raises(ValueError, match=f"two ways: {advice}"):
        read(text)
    with pytest.raises(ValueError, match=f"two ways: {advice}"):
        read(text, minutes=True)


@pytest.mark.parametrize("text", ["0.125", "1.5", "1,5", "1.2345 k", "0.0001 k"])
def test_a_fraction_of_a_character_is_refused(text):
    with pytest.raises(ValueError, match=r"fraction of a character|no cap"):
        read(text)


@pytest.mark.parametrize("text", ["1,50,000", "1500,500", "1,500 000", "1,500,5", "0,500,000", "1 5", "1.5.5"])
def test_digits_grouped_otherwise_than_by_three_are_no_number(text):
    with pytest.raises(ValueError, match="expected a number"):
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


def test_undo_takes_back_one_change_after_the_other_while_any_is_left(caps, usual):
    change(caps, "Web shop", characters=5)
    change(caps, "Newsletter", characters=6)
    take_back(caps)
    assert (on_service("Web shop")[0], on_service("Newsletter")[0]) == (5, 500_000)
    assert visible(caps) == {"undo", "refresh"}
    take_back(caps)
    assert on_service("Web shop")[0] == usual
    assert visible(caps) == {"refresh"}


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


def test_what_was_taken_back_in_a_cell_is_not_taken_back_again(caps):
    change(caps, "Web shop", characters=5)
    keys.undo()
    take_back(caps)
    assert "nothing to undo" in caps.line.text
    assert visible(caps) == {"refresh"}


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
    assert not caps.buttons["change"].disabled
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
    assert "could not be read anew: the line is dead. Refresh" in caps.line.text
    assert caps.line.kind == "error"
    assert (caps.draft, told) == ({}, [True])
    assert caps.listed["characters"][key_id(caps, "Web shop")] == 5 == on_service("Web shop")[0]
    take_back(caps)
    assert on_service("Web shop")[0] == usual


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
    assert "left out: Newsletter" in caps.line.text


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


def test_what_another_administrator_changed_meanwhile_stays(caps, year):
    chosen = key_id(caps, "Web shop")
    caps.set(chosen, characters=700_000)
    year.admin.set_limits(chosen, speech_to_text_milliseconds=60_000)
    caps.confirm()
    assert caps.wait()
    assert on_service("Web shop") == (700_000, 60_000)


def test_a_key_whose_label_is_missing_is_one_without_a_label(caps):
    listed = keys.list()
    listed.loc[listed["label"] == "Web shop", "label"] = None
    caps._loaded(listed)
    names = caps.listed["name"].tolist()
    assert sum(name.startswith("(no label) (id ") for name in names) >= 1
    assert not {"nan", "None", "<NA>"} & {*names}
