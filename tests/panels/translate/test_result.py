"""The result: row by row, with what is to be looked at; columns in the frame and out again; files; what is saved."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from tests.panels.translate.conftest import done

SECRET = "Zwetschgendatschi 4711 is red"


def test_every_row_has_its_origin_and_its_outcome(panel, frame):
    shown = done(panel(frame, ["title", "body"], ["ES", "FR"]))
    table = shown.table
    assert len(table) == 20
    names = ["row", "column", "target_lang", "source", "text", "status", "reason"]
    assert table.columns[:7].tolist() == names
    assert [field.name for field in shown.listing.results.fields] == [*names[:5], "score", *names[5:], "findings"]
    third = table[table["row"] == 2].iloc[0]
    assert (third["column"], third["target_lang"], third["status"], third["reason"]) == (
        "title", "ES", "skipped", "missing",
    )  # fmt: skip
    assert table["row"].tolist() == [*range(5)] * 4
    assert table["source"].iloc[0] == "The house is red."
    assert table["text"].iloc[0] == "La casa es roja."
    assert shown.listing.results.marks[2] == "faded"


def test_findings_say_their_row_and_problems_can_be_seen_alone(panel, frame, running):
    shown = done(panel(frame, ["title", "body"], "DE"))  # only marked, so numbers and lengths look odd
    found = shown.findings
    assert set(found.columns) == {
        "row", "position", "column", "target_lang", "severity", "code", "message", "replacement", "advice",
    }  # fmt: skip
    assert len(found)
    grave = found[found["severity"].isin(["error", "warning"])]
    shown.show_problems()
    rows = shown.listing.rows
    assert set(zip(rows["row"], rows["column"], strict=True)) == set(zip(grave["row"], grave["column"], strict=True))
    assert rows["findings"].str.len().min() > 0
    assert len(shown.listing.grid.table) == len(rows)
    shown.listing.facts.pressed = "all"
    assert len(shown.listing.grid.table) == 10
    with pytest.raises(ValueError, match="expected one of all, problems"):
        shown.show_problems("red")


def test_a_row_looks_as_grave_as_the_gravest_that_was_found_in_it(panel):
    shown = done(panel(pd.DataFrame({"text": ["The house is red.", "The garden is large."]}), None, "DE"))
    pairs = pd.Series(["Pay 25 € to {name}.", "Pay 25 €."]), pd.Series(["Zahlen Sie 52 €.", "Zahlen Sie 52 €."])
    found = pairs[0].svc.check(pairs[1], source_lang="EN", target_lang="DE").rename(columns={"row": "place"})
    assert found.groupby("place")["severity"].agg(set).to_dict() == {0: {"error", "warning"}, 1: {"warning", "info"}}
    for order in (found, found[::-1]):
        assert replace(shown.listing.results, found=order).marks == {0: "error", 1: "warning"}


def test_what_failed_or_was_skipped_is_not_checked(panel, running):
    texts = ["The house is red.", 12, "https://a.example/b", None]
    shown = done(panel(pd.DataFrame({"text": texts}, dtype=object), None, "DE"))
    assert shown.table["status"].tolist() == ["done", "failed", "skipped", "skipped"]
    assert set(shown.findings["row"]) <= {0}
    shown.show_problems("failed")
    assert shown.listing.rows["source"].tolist() == ["12"]


def test_the_chosen_row_is_shown_with_its_whole_texts(panel):
    long = "The garden is large. " * 100
    shown = done(panel(pd.DataFrame({"text": ["The house is red.", long]}), None, "ES"))
    shown.listing.grid.hear({"kind": "choose", "row": 1})
    detail = shown.listing.detail.content["shown"]
    assert detail["source"] == long
    assert len(detail["text"]) > 1500
    assert detail["head"] == "Row 1, text into ES"
    assert detail["languages"] == ["en", "es"]
    assert "trace " in detail["facts"]


def facts(panel) -> dict[str, tuple[str, str]]:
    """The counts and notes of what came of a run, by name."""
    return {each["name"]: (each["value"], each["note"]) for each in panel.listing.facts.figures}


def test_the_results_of_a_run_are_counted_and_each_count_shows_its_rows(panel, frame, counters):
    done(panel(frame.iloc[:1], "title", "ES"))
    shown = done(panel(frame, "title", "ES"))
    paid = shown.job.progress.billed
    assert shown.edit(1, "El pedido {name} tiene 12 piezas.").wait(60)
    assert facts(shown) == {
        "All rows": ("5", ""),
        "Translated": ("3", ""),
        "Of these, saved answers": ("2", "not billed again"),
        "Skipped": ("2", "1 empty, 1 web address only"),
        "Edited by you": ("1", ""),
        "Billed characters": (f"{paid:,}", ""),
    }
    kinds = {each["name"]: each["kind"] for each in shown.listing.facts.figures}
    assert kinds["Billed characters"] == ""  # a count of characters has no rows
    for name, rows in {"Translated": [0, 1, 4], "Of these, saved answers": [0, 4], "Skipped": [2, 3]}.items():
        shown.listing.facts.pressed = kinds[name]
        assert shown.listing.rows["row"].tolist() == rows
        assert len(shown.listing.grid.table) == len(rows)
    shown.listing.facts.pressed = "all"
    assert shown.edit(1, "Tienen 21 piezas.").wait(60)
    assert facts(shown)["Problems"][0] == "1 row"
    assert shown.show_problems().listing.rows["row"].tolist() == [1]
    assert shown.show_problems("edited").listing.rows["row"].tolist() == [1]


def test_a_failed_row_is_counted_with_what_the_service_answered(panel, frame, running):
    shown = panel(frame, "body", "ES")
    running.faults.add("status", operation="POST /v2/translate", status=400)
    done(shown)
    assert facts(shown)["Failed"] == ("5", "HTTP 400: Bad request")
    assert "Translated" not in facts(shown)
    assert shown.layout.meter.state == "failed"


def test_before_a_run_there_is_no_result_to_see_and_no_column_is_empty_after_it(panel):
    shown = panel(pd.DataFrame({"text": ["The house is red.", "The garden is large."]}))
    assert shown.line.text == "Choose a language to translate into."
    assert shown.layout.output.layout.display == "none"
    assert shown.layout.meter.state == ""
    assert shown.layout.figures.figures == shown.listing.facts.figures == []
    done(shown.choose(targets="ES"))
    assert shown.layout.output.layout.display is None
    titles = [each["title"] for each in shown.listing.grid.page["columns"]]
    assert titles == ["Row", "Source", "Translation (ES)", "Score", "Status"]  # no reason, and nothing was found
    assert shown.edit(0, "La casa es roja 12.").wait(60)
    titles = [each["title"] for each in shown.listing.grid.page["columns"]]
    assert titles == ["Row", "Source", "Translation (ES)", "Score", "Status", "Reason", "Findings"]
    assert shown.undo().wait(60)
    assert len(shown.listing.grid.page["columns"]) == 7  # nothing moves while rows are edited


def test_the_plan_is_not_shown_beside_its_result_but_that_of_another_choice_is(panel, frame):
    shown = panel(frame, "title", "ES")
    plan, go, add = shown.layout.figures, *(shown.layout.buttons[name] for name in ("go", "add"))
    assert (plan.layout.display, go.button_style, add.layout.display) == (None, "primary", "none")
    done(shown)
    assert (plan.layout.display, go.button_style, add.button_style) == ("none", "", "primary")
    shown.choose(targets=["ES", "FR"])
    assert shown.wait(30)
    assert (plan.layout.display, go.button_style, add.button_style) == (None, "primary", "")


def test_a_limit_that_is_not_a_score_is_reported_and_hides_no_result(panel):
    shown = done(panel(pd.DataFrame({"text": ["The house is red.", "The garden is large."]}), None, "ES"))
    shown.listing.at_most.value = "abc"
    assert shown.line.text == "Score: expected a number from 0 to 100"
    assert len(shown.show_problems("done").listing.rows) == 2
    done(shown)
    assert shown.problem is None
    assert shown.listing.at_most.value == ""
    assert shown.layout.output.layout.display is None
    assert len(shown.listing.grid.table) == 2


def test_a_limit_counts_once_there_are_scores(panel):
    shown = done(panel(pd.DataFrame({"text": ["The house is red.", "The garden is large."]}), None, "ES"))
    results = shown.listing.results
    assert len(results.only("all", 0.0)) == 0
    assert len(type(results)(results.table).only("all", 0.0)) == 2


# ---- the frame


def test_columns_are_added_in_place_and_taken_out_again(panel, frame):
    before = frame.copy()
    shown = done(panel(frame, ["title", "body"], ["ES", "FR"]))
    names = ["title_ES", "title_FR", "body_ES", "body_FR"]
    assert shown.add_columns() == names
    assert frame.columns.tolist() == ["title", "body", "n", *names]
    pd.testing.assert_frame_equal(frame[names], shown.result)
    assert shown.line.text == "Added to the frame: title_ES, title_FR, body_ES, body_FR."
    assert shown.add_columns() == names  # once more is no harm
    assert shown.remove_columns() == names
    pd.testing.assert_frame_equal(frame, before)
    with pytest.raises(ValueError, match="nothing to remove"):
        shown.remove_columns()


def test_a_column_that_is_there_is_replaced_only_when_that_is_meant_and_comes_back(panel, frame):
    frame.insert(1, "title_ES", "by hand")
    before = frame.copy()
    shown = done(panel(frame, "title", "ES"))
    with pytest.raises(ValueError, match="the frame has title_ES already"):
        shown.add_columns()
    pd.testing.assert_frame_equal(frame, before)
    add = shown.layout.buttons["add"]
    add.click()
    assert shown.layout.question.line.text == "The frame already has a column “title_ES”. Replace it?"
    assert shown.layout.question.waits
    assert shown.layout.buttons["replace"].description == "Replace 1 column"
    pd.testing.assert_frame_equal(frame, before)
    shown.layout.buttons["replace"].click()
    assert not shown.layout.question.waits
    assert frame["title_ES"].iloc[0] == "La casa es roja."
    assert frame.columns.tolist() == before.columns.tolist()
    shown.add_columns()
    shown.layout.buttons["remove"].click()
    pd.testing.assert_frame_equal(frame, before)


def test_rows_are_put_back_by_position_whatever_their_labels(panel, frame):
    frame.index = [7, 7, "x", 7, "x"]
    shown = done(panel(frame, "body", "DE"))
    shown.add_columns()
    assert frame["body_DE"].tolist() == [f"[DE] Garden {n} is large." for n in range(5)]
    assert shown.table["row"].tolist() == ["7", "7", "x", "7", "x"]


def test_a_frame_whose_rows_are_others_by_now_is_left_alone(panel, frame):
    shown = done(panel(frame, "body", "DE"))
    frame.index = frame.index[::-1]
    with pytest.raises(ValueError, match="The frame has changed since"):
        shown.add_columns()
    assert "body_DE" not in frame


def test_a_frame_that_was_sorted_during_the_run_is_left_alone(panel, frame):
    shown = done(panel(frame, "body", "DE"))
    frame["body_DE"] = "by hand"
    add = shown.layout.buttons["add"]
    add.click()
    assert shown.layout.question.waits
    frame["body"] = frame["body"].tolist()[::-1]
    for name in ("replace", "add"):  # it is not asked whether to replace what cannot be replaced
        shown.layout.buttons[name].click()
        assert "The frame has changed since" in shown.line.text
        assert not shown.layout.question.waits
    del frame["body_DE"]
    with pytest.raises(ValueError, match=r"The frame has changed since.*Translate again"):
        shown.add_columns()
    assert "body_DE" not in frame
    del frame["body"]  # nothing can be compared then, and nothing is wrong
    shown.add_columns()
    assert frame["body_DE"].iloc[0] == "[DE] Garden 0 is large."


def test_what_was_fixed_in_an_added_column_is_not_replaced_unasked(panel, frame):
    shown = done(panel(frame, "body", "DE"))
    shown.add_columns()
    frame["body_DE"] = ["by hand", *frame["body_DE"].tolist()[1:]]
    with pytest.raises(ValueError, match="the frame has body_DE already: replace=True"):
        shown.add_columns()
    shown.layout.buttons["add"].click()
    asked = "The frame already has a column “body_DE”, which has changed since it was added. Replace it?"
    assert shown.layout.question.line.text == asked
    shown.layout.buttons["keep"].click()
    assert not shown.layout.question.waits
    assert frame["body_DE"].iloc[0] == "by hand"
    shown.add_columns(replace=True)
    assert frame["body_DE"].iloc[0] == "[DE] Garden 0 is large."
    assert shown.layout.buttons["remove"].description == "Undo: restore body_DE"
    shown.remove_columns()
    assert frame["body_DE"].iloc[0] == "by hand"  # what the replacement took
    assert shown.line.text == "Restored in the frame: body_DE."


def test_a_column_that_is_added_again_leaves_the_others_in_the_frame(panel, frame):
    before = frame.copy()
    shown = done(panel(frame, "title", ["ES", "FR"]))
    shown.add_columns()
    assert done(shown.choose(targets="ES")).add_columns() == ["title_ES"]
    assert frame.columns.tolist() == [*before.columns, "title_ES", "title_FR"]
    assert shown.remove_columns() == ["title_ES"]
    assert shown.remove_columns() == ["title_FR"]
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_what_a_column_replaced_comes_back_to_the_rows_that_are_left(panel, frame):
    frame.insert(1, "body_DE", [f"by hand {n}" for n in range(5)])
    shown = done(panel(frame, "body", "DE"))
    shown.add_columns(replace=True)
    frame.drop(index=[1, 3], inplace=True)
    frame.reset_index(drop=True, inplace=True)
    with pytest.raises(ValueError, match="body_DE changed after it was added"):
        shown.remove_columns()
    with pytest.raises(ValueError, match=r"the former “body_DE” cannot be restored\. Nothing was removed"):
        shown.remove_columns(force=True)
    assert frame["body_DE"].tolist() == [f"[DE] Garden {n} is large." for n in (0, 2, 4)]
    frame.index = [0, 2, 4]
    assert shown.remove_columns() == ["body_DE"]
    assert frame["body_DE"].tolist() == ["by hand 0", "by hand 2", "by hand 4"]


def test_what_was_fixed_in_an_added_column_is_not_removed_unasked(panel, frame):
    shown = done(panel(frame, "body", "DE"))
    shown.add_columns()
    frame["body_DE"] = ["by hand", *frame["body_DE"].tolist()[1:]]
    buttons, question = shown.layout.buttons, shown.layout.question
    buttons["remove"].click()
    assert question.line.text == "The column “body_DE” has changed since it was added. Remove it anyway?"
    assert buttons["replace"].description == "Remove 1 column"
    buttons["keep"].click()
    assert (question.waits, shown.line.text, frame["body_DE"].iloc[0]) == (False, "Nothing was changed.", "by hand")
    buttons["remove"].click()
    buttons["replace"].click()
    assert "body_DE" not in frame
    assert not question.waits


def test_columns_whose_name_would_stand_there_twice_are_not_touched(panel):
    frame = pd.DataFrame([["a house", "x", "y"]], columns=["text", "text_DE", "text_DE"])
    shown = done(panel(frame, "text", "DE"))
    with pytest.raises(ValueError, match="the frame has text_DE twice"):
        shown.add_columns(replace=True)
    assert frame.iloc[0].tolist() == ["a house", "x", "y"]


def test_cells_of_any_kind_may_stand_between_the_texts(panel):
    frame = pd.DataFrame({"text": ["a house", ["x"], {"a": 1}, 3.5]}, dtype=object)
    shown = done(panel(frame, None, "DE"))
    assert shown.table["status"].tolist() == ["done", "failed", "failed", "failed"]
    assert shown.layout.buttons["retry"].layout.display == "none"  # they will never be texts
    shown.add_columns()
    assert frame["text_DE"].iloc[0] == "[DE] a house"


def test_labels_and_columns_of_several_levels_are_fine(panel, frame):
    frame.columns = pd.MultiIndex.from_tuples([("text", "title"), ("text", "body"), ("count", "n")])
    frame.index = pd.MultiIndex.from_product([["a"], range(5)])
    shown = done(panel(frame, [("text", "body")], "DE"))
    assert shown.add_columns() == [("text", "body_DE")]
    assert frame[("text", "body_DE")].iloc[0] == "[DE] Garden 0 is large."
    assert shown.table["row"].iloc[1] == "a / 1"
    assert shown.table["column"].iloc[0] == "text / body"
    shown.remove_columns()
    assert frame.columns.tolist() == [("text", "title"), ("text", "body"), ("count", "n")]


def test_categories_are_translated_once_each(panel, counters):
    frame = pd.DataFrame({"kind": pd.Categorical(["red house", "blue house", None, "red house"])})
    shown = done(panel(frame, None, "DE"))
    shown.add_columns()
    assert isinstance(frame["kind_DE"].dtype, pd.CategoricalDtype)
    assert frame["kind_DE"].tolist()[:2] == ["[DE] red house", "[DE] blue house"]
    assert counters.characters == len("red house") + len("blue house")


def test_a_column_with_a_duplicate_name_is_not_offered(panel):
    frame = pd.DataFrame([["a b", "c d", "e f"]], columns=["x", "x", "y"])
    assert [each["title"] for each in panel(frame).controls.columns.options] == ["y"]


def test_a_part_of_a_frame_takes_columns_without_a_warning(panel, frame):
    part = frame[frame["n"] > 1]
    done(panel(part, "body", "DE")).add_columns()
    assert part["body_DE"].tolist() == [f"[DE] Garden {n} is large." for n in (2, 3, 4)]
    assert "body_DE" not in frame


def test_a_column_of_its_own_can_be_translated_too(panel, frame):
    shown = done(panel(frame["body"], target_lang="DE"))
    assert shown.result["body_DE"].iloc[0] == "[DE] Garden 0 is large."
    assert shown.layout.buttons["add"].layout.display == "none"
    with pytest.raises(ValueError, match=r"take panel\.result"):
        shown.add_columns()


# ---- files, and what is saved


def test_what_is_shown_is_written_to_a_file(panel, tmp_path):
    texts = ["=cmd() is red.", "The house is red."]
    shown = panel(pd.DataFrame({"text": texts}), None, "DE")
    with pytest.raises(ValueError, match="there is no result yet"):
        shown.export(tmp_path / "a.csv")
    done(shown)
    read = pd.read_csv(shown.export(tmp_path / "a.csv"))
    assert read["text"].tolist()[1] == "[DE] The house is red."
    assert read["source"].tolist()[0] == "'=cmd() is red."
    sheet = pd.read_excel(shown.export(tmp_path / "a.xlsx"))
    assert sheet["source"].tolist() == texts
    with pytest.raises(ValueError, match=r"\.csv or \.xlsx"):
        shown.export(tmp_path / "a.txt")


def test_the_first_rows_stay_where_that_was_asked_for(panel):
    shown = done(panel(pd.DataFrame({"text": [SECRET, "<b>bold</b> house"]}), None, "DE", keep_texts=True))
    page = shown._stays()["text/html"]
    assert SECRET in page
    assert "&lt;b&gt;bold" in page
    assert "<b>" not in page
