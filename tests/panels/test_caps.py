"""The caps tab: written into a table, told in words, confirmed, and taken back."""

from __future__ import annotations

import pytest

from svc_nb import keys
from svc_nb.panels.caps import SPEECH, Caps, read


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


def visible(caps) -> set[str]:
    return {name for name, button in caps.buttons.items() if button.layout.display != "none"}


def test_all_keys_are_listed_with_caps_in_words(caps):
    rows = {row["cells"][0]: row for row in caps.grid.page["rows"]}
    assert rows["Web shop"]["cells"][1:3] == ["1,000,000", "no cap"]
    assert rows["Phone line"]["cells"][2] == "6,000"
    assert "blocked" in [row["cells"][1] for row in rows.values()]
    assert visible(caps) == {"refresh"}


def test_nothing_is_sent_before_it_is_confirmed(caps, asked):
    caps.grid.hear(
        {
            "kind": "edit",
            "version": caps.grid.page["version"],
            "row": [row["cells"][0] for row in caps.grid.page["rows"]].index("Web shop"),
            "column": "characters",
            "text": "1.5M",
        }
    )
    assert "Web shop: 1,500,000 characters a month (now 1,000,000 characters a month)" in caps.line.text
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
    assert on_service("Web shop")[0] == 1_000_000
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


def test_a_cap_written_as_it_was_is_no_change(caps):
    caps.set(key_id(caps, "Web shop"), characters=5)
    caps.set(key_id(caps, "Web shop"), characters=1_000_000)
    assert caps.draft == {}
    assert visible(caps) == {"refresh"}


def test_a_deactivated_key_is_told_to_be_so(caps):
    ended = caps.listed.index[caps.listed["is_deactivated"]][0]
    caps.write(ended, "characters", "5")
    assert caps.line.kind == "error"
    assert "deactivated" in caps.line.text


@pytest.mark.parametrize("text", ["abc", "-5", "1e5", "1..5", "5 apples", "9" * 30, "<b>", "0.1"])
def test_what_is_no_cap_is_told_in_a_line_and_changes_nothing(caps, text):
    caps.write(key_id(caps, "Web shop"), "characters", text)
    assert caps.line.kind == "error"
    assert caps.draft == {}


@pytest.mark.parametrize(
    ("text", "cap"),
    [
        ("500,000", 500_000),
        ("500 000", 500_000),
        ("500'000", 500_000),
        ("500.000", 500_000),
        ("12", 12),
        ("2 m", 2_000_000),
    ],
)
def test_numbers_are_read_as_people_write_them(text, cap):
    assert read(text) == cap


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
