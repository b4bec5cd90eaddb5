"""Translations in a person's own words: in the result, in the store, in the frame; back again, scored and checked."""

from __future__ import annotations

import sqlite3

import pandas as pd
import pytest

import svc_nb
from tests.panels.secrecy import assert_kept_out
from tests.panels.translate.conftest import OPERATION, TEXTS, done
from tests.waiting import until

HOUSE, OWN = "The house is red.", "Das Haus ist rot."
GOOD, BAD = "Bestellung {name} hat 12 Stück.", "Die Bestellung hat 21 Stück."
SECRET = "Zwetschgendatschi 4711 ist rot"


@pytest.fixture
def shown(panel, frame):
    """A panel whose run is over: the first and the last title are the same text."""
    return done(panel(frame, "title", "DE"))


def stored(text: str = HOUSE) -> pd.DataFrame:
    """What the store has of a text."""
    return svc_nb.store.find(text, operation="translate")


def texts(shown) -> list[str | None]:
    return [None if pd.isna(text) else text for text in shown.table["text"]]


def written(shown, place: int, text: str) -> None:
    """Write into a cell of the grid, as the browser does."""
    grid = shown.listing.grid
    label = grid._table.index.get_loc(place)
    grid.hear({"kind": "write", "cells": [[label, "text", text]], "table": grid.page["table"], "n": 1, "view": "v"})
    assert shown.wait(60)


def test_an_edit_is_in_the_table_the_result_the_frame_and_the_store(shown, frame, counters):
    paid, before = counters.characters, texts(shown)
    assert shown.edit(0, OWN).wait(60)
    expected = [OWN, *before[1:4], OWN]  # the last row has the same text, and so the same answer
    assert texts(shown) == expected
    assert shown.table["translator"].tolist()[0] == "person"
    assert shown.table["reason"].tolist()[0] == "edited"
    assert shown.result["title_DE"].tolist()[0] == OWN
    assert svc_nb.last_run().table()["text"].tolist()[4] == OWN
    assert svc_nb.last_run().result()["title_DE"].tolist()[4] == OWN
    shown.add_columns()
    assert frame["title_DE"].iloc[0] == OWN
    assert stored()["translator"].tolist() == ["person"]
    assert counters.characters == paid
    assert frame.svc.translate("title", "DE", progress=False, again=True)["title_DE"].iloc[4] == OWN
    assert counters.characters == paid + len("Order {name} has 12 pieces.")


def test_what_is_edited_is_used_by_the_next_run_and_costs_nothing(shown, panel, frame, counters):
    shown.edit(0, OWN)
    paid = counters.characters
    again = done(panel(frame, "title", "DE"))
    assert texts(again)[0] == OWN
    assert counters.characters == paid
    again.listing.choose(0)
    assert again.listing.detail.content["shown"]["facts"].startswith("done, from the store · edited by you")


def test_undo_and_redo_turn_table_and_store(shown, counters):
    before, first = texts(shown), stored()
    report = shown.job.progress
    assert shown.edit(0, OWN).edit(0, "Rot ist das Haus.").wait(60)
    shown.undo()
    assert texts(shown)[0] == OWN
    shown.undo()
    assert texts(shown) == before
    assert stored().drop(columns="made").equals(first.drop(columns="made"))
    assert (shown.job.progress.done, shown.job.progress.stored) == (report.done, report.stored)
    with pytest.raises(ValueError, match="there is no edit to undo"):
        shown.undo()
    shown.redo().redo()
    assert texts(shown)[4] == "Rot ist das Haus."
    assert stored()["text"].tolist() == ["Rot ist das Haus."]
    with pytest.raises(ValueError, match="there is no edit to redo"):
        shown.redo()
    assert counters.requests() == 1


def test_an_edit_after_an_undo_leaves_nothing_to_redo(shown):
    shown.edit(0, OWN).undo().edit(1, "{name} hat 12 Stück bestellt.")
    assert shown.listing.grid.page["foot"]["undo"] == "Edit of row 1"
    assert shown.listing.grid.page["foot"]["redo"] == ""


def test_the_whole_panel_hears_undo_and_the_line_names_the_row(shown):
    before = texts(shown)
    shown.edit(0, OWN)
    shown.box.heard({"kind": "undo"}, [])
    assert shown.wait(60)
    assert texts(shown) == before
    assert shown.line.text.startswith("Undone: Edit of row 0. The wording from before your edit is restored")


def test_a_skipped_row_says_that_it_cannot_be_edited_before_anything_is_typed(shown):
    shown.listing.choose(3)
    assert shown.listing.detail.content["shown"]["locked"]
    rows = shown.listing.grid.page["rows"]
    why = "This row was not sent, so it has no answer to edit: web address only"
    assert [row.get("locked") for row in rows][3] == why
    assert "locked" not in rows[0]


def test_undo_works_after_another_run_too(shown):
    before = texts(shown)
    shown.edit(0, OWN)
    done(shown)
    assert texts(shown)[0] == OWN
    shown.undo()
    assert texts(shown) == before
    assert done(shown).table["text"].tolist()[0] == before[0]


def test_undo_turns_only_what_is_in_the_result_that_is_shown(shown, frame):
    before = texts(shown)
    shown.edit(0, OWN)
    shown.add_columns()
    done(shown.choose(targets="FR"))
    buttons = shown.layout.buttons
    assert shown.listing.grid.page["foot"]["undo"] == ""
    with pytest.raises(ValueError, match="there is no edit to undo in this result"):
        shown.undo()
    assert OWN in stored()["text"].tolist()
    assert (buttons["add"].description, buttons["add"].button_style) == ("Add to the frame", "primary")
    shown.edit(0, "La maison est rouge.")
    assert "Update the frame" not in shown.line.text
    shown.add_columns()
    done(shown.choose(targets="DE"))
    assert shown.listing.grid.page["foot"]["undo"] == "Edit of row 0"
    assert (buttons["add"].description, buttons["add"].button_style) == ("Add to the frame", "")
    shown.undo()
    assert texts(shown) == before
    assert buttons["add"].description == "Update the frame"
    assert shown.add_columns() == ["title_DE"]
    assert frame["title_DE"].iloc[0] == before[0]
    assert frame["title_FR"].iloc[0] == "La maison est rouge."


def test_a_failed_row_that_is_edited_is_done_and_stored_without_a_cost(panel, running, counters):
    running.faults.add("status", operation=OPERATION, status=400)
    shown = done(panel(pd.DataFrame({"text": [HOUSE]}), None, "DE"))
    assert shown.table["status"].tolist() == ["failed"]
    running.faults.clear()
    assert shown.edit(0, OWN).wait(60)
    assert shown.table["status"].tolist() == ["done"]
    assert shown.job.progress.failed == 0
    assert shown.layout.buttons["retry"].layout.display == "none"
    assert (shown.plan().characters, shown.plan().stored) == (0, 1)
    assert stored()["text"].tolist() == [OWN]
    assert stored()["billed_characters"].tolist() == [0]
    assert counters.characters == 0
    shown.undo()
    assert shown.table["status"].tolist() == ["failed"]
    assert shown.job.progress.failed == 1
    assert not len(stored())


def test_a_row_that_was_only_marked_can_be_edited(panel, marking):
    shown = done(panel(pd.DataFrame({"text": [HOUSE]}), None, "DE"))
    assert shown.table["status"].tolist() == ["marked"]
    assert shown.edit(0, OWN).wait(60)
    assert shown.table["status"].tolist() == ["done"]
    assert shown.job.progress.marked == 0
    assert shown.table["score"].notna().all()
    shown.undo()
    assert shown.table["status"].tolist() == ["marked"]


@pytest.mark.parametrize(
    ("place", "text", "said"),
    [
        (0, "", "Write a translation before saving"),
        (0, " \n", "Write a translation before saving"),
        (2, OWN, "was not sent.*empty"),
        (3, OWN, "was not sent.*web address only"),
        (5, OWN, "from 0 to 4, found 5"),
        (-1, OWN, "from 0 to 4, found -1"),
    ],
)
def test_what_cannot_be_edited_says_why_and_changes_nothing(shown, place, text, said):
    before = texts(shown)
    with pytest.raises(ValueError, match=said):
        shown.edit(place, text)
    assert texts(shown) == before
    assert not len(svc_nb.store.find().query("translator == 'person'"))


def test_a_text_is_expected(shown):
    with pytest.raises(TypeError, match="expected a text, found int"):
        shown.edit(0, 12)


def test_there_must_be_a_result_that_does_not_change_any_more(panel, running):
    shown = panel(pd.DataFrame({"text": TEXTS[:200]}), None, "DE")
    with pytest.raises(ValueError, match="there is no result yet"):
        shown.edit(0, OWN)
    running.faults.add("latency", operation=OPERATION, seconds=0.3)
    shown.run()
    shown._turns.wait(20)
    with pytest.raises(ValueError, match="Edit it when the run has ended"):
        shown.edit(0, OWN)
    assert shown.wait(60)
    assert shown.edit(0, OWN).table["text"].tolist()[0] == OWN


def test_protected_parts_must_stay_and_rows_that_differ_in_them_alone_share_the_wording(panel, counters):
    addresses = ["https://a.example/b", "https://c.example/d"]
    frame = pd.DataFrame({"text": [f"See {address} for the house." for address in addresses]})
    shown = done(panel(frame, None, "DE"))
    with pytest.raises(ValueError, match="must keep the protected text"):
        shown.edit(0, "Siehe dort.")
    sent = []
    shown.listing.grid.send = sent.append
    written(shown, 0, "Siehe dort.")
    [refused] = [each for each in sent if each["kind"] == "refused"]
    assert refused["cells"] == [[0, "text", "Siehe dort.", f"Missing: {addresses[0]}"]]
    assert shown.line.text.startswith("Row 0: your wording must keep")
    assert "a.example" not in shown.line.text  # it is kept in a saved notebook
    shown.add_columns()
    assert shown.line.text == "Added to the frame: text_DE. 1 edit was rejected and not added: row 0."
    grid = shown.listing.grid
    grid.hear({"kind": "dismiss", "row": 0, "column": "text", "table": grid.page["table"]})
    shown.add_columns()
    assert shown.line.text == "Added to the frame: text_DE."
    shown.listing.detail.hear({"kind": "edit", "place": 1, "text": "Siehe dort."})
    shown.add_columns()
    assert shown.line.text == "Added to the frame: text_DE. 1 edit was rejected and not added: row 1."
    shown.listing.detail.hear({"kind": "dismiss", "place": 1})
    shown.add_columns()
    assert shown.line.text == "Added to the frame: text_DE."
    assert shown.layout.buttons["remove"].description == "Undo: remove text_DE"
    shown.remove_columns()
    assert shown.edit(0, f"Zum Haus: {addresses[0]}").wait(60)
    assert texts(shown) == [f"Zum Haus: {address}" for address in addresses]
    assert done(panel(frame, None, "DE")).table["text"].tolist() == texts(shown)
    shown.undo()
    assert texts(shown) == [f"[DE] See {address} for the house." for address in addresses]


def test_white_space_around_a_text_follows_the_source(panel):
    shown = done(panel(pd.DataFrame({"text": ["  The house is red.\n", HOUSE]}), None, "DE"))
    shown.edit(0, OWN)
    assert texts(shown) == [f"  {OWN}\n", OWN]


def test_labels_that_are_there_twice_gaps_and_odd_texts_do_no_harm(panel):
    frame = pd.DataFrame({"text": ["The house is red.", None, "The garden is large."]}, index=[7, 7, 7])
    shown = done(panel(frame, None, ["DE", "JA"]))
    odd = "<img src=x onerror=alert(1)> {0} %s مرحبا \ud83d\ude00 half \ud800"
    assert shown.edit(5, odd).wait(60)
    assert shown.result["text_JA"].tolist()[2] == "<img src=x onerror=alert(1)> {0} %s مرحبا 😀 half \ufffd"
    assert shown.result["text_DE"].tolist()[2] == "[DE] The garden is large."


def test_another_kernel_may_write_too_and_the_last_one_wins(shown):
    shown.edit(0, OWN)
    theirs = stored()
    theirs["text"] = "Theirs."
    svc_nb.store.correct(theirs)
    shown.edit(0, "Mine.")
    assert stored()["text"].tolist() == ["Mine."]
    shown.undo()
    assert stored()["text"].tolist() == ["Theirs."]
    svc_nb.store.clear()
    shown.undo().redo()
    assert texts(shown)[0] == OWN


# ---- in the grid


def test_a_cell_is_edited_in_the_grid_and_a_slip_is_told_in_the_line(shown):
    written(shown, 4, OWN)
    assert texts(shown)[0] == OWN
    assert "2 rows have this text" in shown.line.text
    written(shown, 4, "  ")
    assert shown.line.kind == "error"
    assert "Write a translation before saving" in shown.line.text
    grid = shown.listing.grid
    grid.hear({"kind": "undo", "table": grid.page["table"], "n": 2, "view": "v"})
    assert texts(shown)[0] == "[DE] The house is red."


def test_undo_leads_to_the_row_that_was_edited(shown):
    written(shown, 4, OWN)  # the first row has the same text
    grid, sent = shown.listing.grid, []
    grid.send = sent.append
    grid.hear({"kind": "undo", "table": grid.page["table"], "n": 2, "view": "v"})
    assert [each["go"] for each in sent if each.get("done") == 2] == [[4, 4, None]]
    grid.look_for("order")
    grid.hear({"kind": "redo", "table": grid.page["table"], "n": 3, "view": "v"})
    assert [each["go"] for each in sent if each.get("done") == 3] == [None]  # it is not in sight


def test_the_checks_of_a_run_leave_the_rows_where_they_are_so_that_an_open_cell_is_not_lost(panel):
    shown = panel(pd.DataFrame({"text": [HOUSE, "The garden is large."]}), None, "DE")
    grid, pages, show_run = shown.listing.grid, {}, shown._show_run

    def watched(run, what):
        show_run(run, what)
        if what == "end":
            grid.sort_by("text")
        pages[what] = grid.page

    shown._show_run = watched
    done(shown)
    end, found = pages["end"], pages["findings"]
    assert len(found["columns"]) > len(end["columns"])  # the score, above all
    assert found["table"] == end["table"]
    assert found["sort"] == end["sort"] == ["text", False]
    assert [row["row"] for row in found["rows"]] == [row["row"] for row in end["rows"]] == [1, 0]


def test_a_wording_that_the_store_refuses_stays_in_the_editor(shown, tmp_path):
    before = texts(shown)
    with sqlite3.connect(tmp_path / "answers.sqlite") as store:
        store.execute("CREATE TRIGGER full BEFORE INSERT ON answers BEGIN SELECT RAISE(FAIL, 'no room'); END")
    store.close()
    written(shown, 0, OWN)
    assert "no room" in shown.line.text
    assert shown.listing.refused == ["row 0"]
    assert texts(shown) == before


def test_the_detail_hears_that_its_text_is_saved_also_where_it_is_the_same(shown):
    heard = []
    detail = shown.listing.detail
    detail.send = heard.append
    shown.listing.choose(0)
    detail.hear({"kind": "edit", "place": 0, "text": f"{texts(shown)[0]} "})
    assert heard[-1] == {"kind": "saved", "place": 0}


def test_a_run_that_does_not_wait_for_its_plan_is_not_a_retry(shown):
    shown.listing.detail.hear({"kind": "edit", "place": 1, "text": ""})
    assert shown.listing.refused == ["row 1"]
    shown.choose(targets="FR").run()  # there is no plan yet
    assert shown.wait(60)
    assert shown.listing.refused == []


def test_the_detail_is_edited_too(shown):
    shown.listing.choose(1)
    shown.listing.detail.hear({"kind": "edit", "place": 1, "text": "{name}: 12 Stück."})
    assert shown.wait(60)
    assert texts(shown)[1] == "{name}: 12 Stück."
    assert shown.listing.detail.content["shown"]["text"] == "{name}: 12 Stück."
    assert "edited by you" in shown.listing.detail.content["shown"]["facts"]


def test_the_frame_is_told_to_be_behind(shown, frame):
    shown.add_columns()
    shown.edit(0, OWN)
    add = shown.layout.buttons["add"]
    assert "Press “Update the frame”" in shown.line.text
    assert (add.description, add.button_style) == ("Update the frame", "primary")
    assert frame["title_DE"].iloc[0] != OWN
    shown.add_columns()
    assert frame["title_DE"].iloc[0] == OWN


# ---- scores


def test_findings_and_scores_follow_an_edit(shown):
    assert shown.edit(1, GOOD).wait(60)
    before = shown.table["score"].tolist()
    assert shown.table["findings"].tolist()[1] == ""
    assert shown.edit(1, BAD).wait(60)
    assert shown.table["score"].tolist()[1] < before[1] == 100
    facts = shown.layout.listing.results.detail(1)["facts"]
    assert facts.split(" · ")[-2].endswith(" (other numbers, codes or tags)"), "it says what lowers it"
    assert "placeholders" in shown.table["findings"].tolist()[1]
    assert shown.undo().wait(60)
    assert shown.table["score"].tolist()[1] == before[1]
    assert shown.table["score"].isna().tolist() == [False, False, True, True, False]


def test_the_findings_are_those_of_check_and_the_scores_those_of_score(shown, frame):
    rows = shown.table["status"] == "done"
    source, text = (shown.table[name].where(rows) for name in ("source", "text"))
    expected = source.svc.score(text, source_lang="EN", target_lang="DE")
    pd.testing.assert_series_equal(shown.table["score"], expected, check_index=False, check_names=False)
    checked = source.svc.check(text, source_lang="EN", target_lang="DE")
    assert shown.findings["message"].tolist() == checked["message"].tolist()


def test_what_is_edited_while_the_checks_run_is_checked_as_it_is_then(panel):
    shown = panel(pd.DataFrame({"text": TEXTS * 5}), None, "DE")
    shown.run()
    until(lambda: shown._run is not None and shown._run.over)
    shown.edit(3, "Das Haus Nummer 3 ist rot.").edit(4, "Das Haus Nummer 5 ist rot.")
    assert shown.wait(60)
    table = shown.table
    assert table["score"].notna().all()
    assert table["findings"].tolist()[3:5] == ["", "numbers"]
    assert table["findings"].tolist()[1003:1005] == ["", "numbers"]


def test_rows_are_sorted_and_filtered_by_score(shown):
    shown.edit(0, OWN).edit(1, BAD).wait(60)
    scores = shown.table["score"]
    listing = shown.listing
    listing.grid.hear({"kind": "sort", "column": "score"})
    assert listing.grid.table["score"].tolist()[0] == scores.min()
    assert listing.grid.page["rows"][0]["cells"][3] == f"{scores.min():.1f}"
    listing.at_most.value = str(scores.min())
    assert listing.rows.index.tolist() == [1]
    assert listing.grid.page["foot"]["said"].startswith("1 of 5 rows. Use the score to decide")
    listing.at_most.value = "many"
    assert "expected a number from 0 to 100" in shown.line.text
    shown.show_problems("all", at_most=None)
    assert len(listing.rows) == 5
    assert listing.at_most.value == ""


def test_the_worst_rows_are_first_and_stay_in_their_order_while_they_are_repaired(panel):
    texts = [f"Order {number} has {number + 30} pieces." for number in range(12)]
    shown = panel(pd.DataFrame({"text": texts}), None, "DE")
    with pytest.raises(ValueError, match="there is no result yet"):
        shown.worst_first()
    done(shown)
    for place in range(12):
        shown.edit(place, f"Bestellung {place} hat {99 if place < 10 else place + 30} Stück.")
    assert shown.wait(60)
    grid = shown.listing.grid
    for sorted_before in (0, 1, 2):  # whatever the heading was pressed for before
        for _ in range(sorted_before):
            grid.sort_by("score")
        shown.listing.worst.click()
        assert grid.sort == ("score", False)
        scores = grid.table["score"].tolist()
        assert scores == sorted(scores)
    worst = grid.table["row"].tolist()[:10]
    assert set(worst) == set(range(10))
    for place in worst:
        written(shown, place, f"Bestellung {place} hat {place + 30} Stück.")
        assert shown.wait(60)
        assert grid.table["row"].tolist()[:10] == worst
    assert "Problems" not in [each["name"] for each in shown.listing.facts.figures]
    assert shown.worst_first().listing.grid.table["score"].min() > max(scores[:10])


def test_a_row_that_is_edited_stays_in_sight_until_other_rows_are_asked_for(shown):
    shown.edit(1, BAD).wait(60)
    shown.show_problems()
    places = shown.listing.rows.index.tolist()
    assert 1 in places
    written(shown, 1, GOOD)
    assert shown.listing.rows.index.tolist() == places
    shown.show_problems()
    assert 1 not in shown.listing.rows.index


def test_no_wording_is_in_the_state_of_a_widget(shown):
    shown.edit(0, SECRET).wait(60)
    shown.listing.choose(0)
    written(shown, 1, f"{SECRET} ohne alles")
    written(shown, 2, SECRET)
    shown.undo()
    assert_kept_out(shown, SECRET, "house is red")
