"""A run: followed, steered and ended; what went wrong is told, and nothing that was paid for is lost."""

from __future__ import annotations

import socket
import threading
import time

import pandas as pd
import pytest

import svc_nb
from svc_nb import panels
from svc_nb.errors import NotConnected
from svc_nb.panels.translate.panel import READY
from tests.panels.translate.conftest import OPERATION, TEXTS, done
from tests.waiting import until


@pytest.fixture
def large() -> pd.DataFrame:
    return pd.DataFrame({"text": TEXTS})


def slow(running, seconds=0.05) -> None:
    """Every answer takes a while, and two at a time."""
    running.faults.add("latency", operation=OPERATION, seconds=seconds)
    running.faults.add("capacity", operation=OPERATION, limit=2)


def facts(panel) -> dict[str, str]:
    """What came of the run, by name."""
    return {each["name"]: each["value"] for each in panel.listing.facts.figures}


def at_work() -> list[threading.Thread]:
    """The threads of this package, but for those of the service."""
    own = [each for each in threading.enumerate() if each.name.startswith("svc_nb")]
    return [each for each in own if each.name != "svc_nb-service"]


def test_the_result_is_that_of_df_svc_translate(panel, frame, counters, unwarned):
    shown = done(panel(frame, ["title", "body"], ["ES", "FR"]))
    assert svc_nb.last_run() is shown.job
    expected = frame.svc.translate(["title", "body"], ["ES", "FR"], progress=False)
    pd.testing.assert_frame_equal(shown.result, expected)
    assert counters.characters == shown.job.progress.billed
    assert shown.layout.meter.state == "done"
    assert (shown.layout.meter.done, shown.layout.meter.total) == (20, 20)


@pytest.mark.long
def test_a_run_does_not_block_and_tells_how_far_it_is(panel, large, running):
    shown = panel(large, None, "ES")
    slow(running)
    shown.run()
    until(lambda: 0 < shown.layout.meter.done < 1000)
    assert shown.layout.meter.state == "running"
    assert "characters billed" in shown.layout.meter.text
    assert shown.layout.buttons["go"].disabled
    with pytest.raises(ValueError, match="a run is in progress"):
        shown.run()
    repr(shown), shown._repr_mimebundle_()
    assert shown.job.progress.finished < 1000
    assert facts(shown) == {}  # the meter counts while it runs
    assert shown.wait(60)
    assert shown.line.text == "No problems found."
    assert facts(shown)["Translated"] == "1,000"


@pytest.mark.long
def test_while_it_is_paused_nothing_new_is_sent(panel, large, running, counters):
    shown = panel(large, None, "ES")
    slow(running)
    shown.run()
    until(lambda: shown.layout.meter.done)
    shown.pause()
    assert shown.layout.meter.state == "paused"
    assert shown.layout.meter.text.startswith("Paused · ")
    assert shown.line.text == "Paused: nothing new is sent. Press Continue to resume."
    assert shown.layout.buttons["go"].description == "Paused"
    assert shown.layout.buttons["resume"].description == "Continue"
    until(lambda: not shown.job.progress.in_flight)
    sent = counters.requests()
    time.sleep(0.3)
    assert counters.requests() == sent
    shown.resume()
    assert shown.layout.meter.state == "running"
    assert "Paused" not in shown.layout.meter.text + shown.line.text
    assert shown.wait(60)
    assert shown.job.progress.done == 1000


def test_what_is_done_is_kept_when_it_is_cancelled_and_said_so(panel, large, running, counters):
    shown = panel(large, None, "ES")
    slow(running)
    shown.run()
    until(lambda: shown.layout.meter.done)
    shown.cancel()
    assert shown.wait(60)
    report = shown.job.progress
    assert 0 < report.done < 1000
    again = f"Press “Continue with {1000 - report.done:,} rows” to continue."
    assert shown.line.text.startswith(f"Cancelled. Finished rows are kept and not billed again. {again}")
    assert shown.layout.meter.state == "stopped"
    assert shown.layout.meter.text.startswith("Cancelled in ")
    assert f" · ES · {report.done:,} of 1,000 rows" in shown.layout.meter.text
    assert (facts(shown)["Translated"], facts(shown)["Not sent"]) == (f"{report.done:,}", f"{1000 - report.done:,}")
    assert int(shown.result["text_ES"].notna().sum()) == report.done
    running.faults.clear()
    assert shown.plan().stored == report.done
    shown.retry_failed()
    assert shown.wait(60)
    assert shown.result["text_ES"].notna().all()
    assert facts(shown)["Billed characters"] == f"{sum(map(len, TEXTS)):,}", "both runs together"
    assert counters.characters == sum(map(len, TEXTS))


def test_what_going_on_costs_is_told_only_once_it_is_known(panel, large, running):
    shown = panel(large, None, "ES")
    retry, told = shown.layout.buttons["retry"], []
    retry.observe(lambda change: told.append(change.new), "description")
    slow(running)
    shown.run()
    until(lambda: shown.layout.meter.done)
    shown.cancel()
    assert shown.wait(60)
    rows = 1000 - shown.job.progress.done
    assert told[-1] == f"Continue with {rows:,} rows, {shown.plan().characters:,} characters"
    assert not [each for each in told if f"{sum(map(len, TEXTS)):,} characters" in each]


def test_what_a_larger_budget_adds_is_billed_with_what_was_billed_before(panel, counters):
    texts = TEXTS[:4]
    shown = done(panel(pd.DataFrame({"text": texts}), None, "ES", budget=2 * len(texts[0])))
    assert facts(shown)["Billed characters"] == str(2 * len(texts[0]))
    done(shown.choose(budget=1000))
    assert facts(shown)["Billed characters"] == str(sum(map(len, texts))) == str(counters.characters)
    done(shown)
    assert facts(shown)["Billed characters"] == "0", "a run of its own, which the store has answered"


def test_another_run_shows_all_of_its_rows(panel, large):
    shown = done(panel(large.iloc[:3], None, "ES"))
    shown.show_problems("done")
    shown.listing.grid.look_for("number 1")
    done(shown.choose(targets="DE"))
    assert (shown.listing.kind, len(shown.listing.grid.table)) == ("all", 3)


def test_the_line_asks_for_no_language_once_one_is_chosen(panel, large):
    shown = panel(large, None, None)
    assert shown.line.text == "Choose a language to translate into."
    shown.choose(targets="ES")
    assert shown.line.text == "Calculating the cost …"
    assert shown.wait(60)
    assert shown.line.text == READY


def test_a_cancel_that_came_too_late_is_not_told(panel, large):
    shown = done(panel(large.iloc[:3], None, "ES"))
    shown._run.cancelled = True
    shown._say_end(shown._run)
    assert "Cancelled" not in shown.line.text + shown.layout.meter.text


def test_going_on_after_a_budget_was_set_keeps_to_it(panel, large, running, counters):
    shown = panel(large, None, "ES")
    slow(running)
    shown.run()
    until(lambda: shown.layout.meter.done)
    shown.cancel()
    assert shown.wait(60)
    running.faults.clear()
    paid, retry = counters.characters, shown.layout.buttons["retry"]
    assert retry.layout.display != "none"
    shown.controls.budget.value = "2,000"
    assert shown.wait(30)
    assert retry.layout.display == "none", "it would go on as before the budget"
    assert shown.layout.buttons["go"].description.startswith("Translate ")
    assert "within the budget" in shown.layout.buttons["go"].description
    shown.retry_failed()
    assert shown.wait(60)
    assert 1000 < counters.characters - paid <= 2000


def test_without_a_connection_nothing_is_spent_and_no_budget_is_to_blame(panel, large, reach):
    shown = panel(large, None, "ES", budget=5000)
    with socket.create_server(("127.0.0.1", 0)) as place:
        port = place.getsockname()[1]
    reach(base_url=f"http://127.0.0.1:{port}", tries=2)
    shown.run()
    assert shown.wait(60)
    assert isinstance(shown.problem, NotConnected)
    assert "This request was not sent." in shown.line.text
    assert shown.job is None or (shown.job.progress.unclear, shown.job.progress.unsent["budget"]) == (0, 0)


def test_with_nothing_under_way_there_is_nothing_to_steer(panel, frame):
    shown = panel(frame, "title", "ES")
    for deed in (shown.pause, shown.resume, shown.cancel):
        with pytest.raises(ValueError, match="no run is in progress"):
            deed()
    with pytest.raises(ValueError, match="there is no result yet"):
        shown.retry_failed()


@pytest.mark.long
def test_a_quota_spent_in_the_middle_is_one_line_with_its_trace_and_a_retry_continues(panel, large, running, counters):
    shown = panel(large, None, "ES")
    running.faults.add("quota", operation=OPERATION, characters=10_000)
    done(shown)
    report = shown.job.progress
    assert shown.line.kind == "error"
    assert shown.line.text.startswith("456 ")
    assert "(trace " in shown.line.text
    assert shown.layout.meter.state == "failed"
    assert shown.layout.meter.text.startswith("Failed in ")
    assert facts(shown)["Not sent"] == f"{1000 - report.done:,}"
    assert "problems" not in shown.line.text  # one thing at a time
    assert shown.layout.buttons["go"].layout.display == "none"
    assert shown.layout.buttons["retry"].description.startswith(f"Retry {1000 - report.done:,} rows, ")
    shown.show_problems("unsent")
    assert len(shown.listing.rows) == 1000 - report.done - report.failed
    running.faults.clear()
    shown.layout.buttons["retry"].click()
    assert shown.wait(60)
    assert shown.line.kind == "info"
    assert shown.problem is None
    assert shown.job.progress.done == 1000
    assert counters.characters == sum(map(len, TEXTS))


@pytest.mark.long
def test_after_a_revoked_key_another_one_continues(panel, large, running, reach, raw):
    shown = panel(large, None, "ES")
    running.faults.add("status", operation=OPERATION, status=403)
    done(shown)
    assert shown.line.kind == "error"
    assert shown.line.text.startswith("403 ")
    assert "administrator" not in shown.line.text
    running.faults.clear()
    old = shown.job.session
    reach()
    shown.retry_failed()
    assert shown.wait(60)
    assert shown.job.session is not old
    assert shown.job.progress.done == 1000


@pytest.mark.long
def test_a_service_with_little_room_is_waited_for(panel, large, running):
    shown = panel(large, None, "ES")
    running.faults.add("capacity", operation=OPERATION, limit=1, status=429)
    done(shown)
    assert shown.job.progress.done == 1000
    assert shown.line.kind == "info"


def test_rows_that_fail_are_marked_told_and_tried_again(panel, frame, running):
    shown = panel(frame, "body", "ES")
    running.faults.add("status", operation=OPERATION, status=400)
    done(shown)
    assert set(shown.table["status"]) == {"failed"}
    assert shown.listing.results.marks == dict.fromkeys(range(5), "error")
    assert shown.listing.results.notes[0].startswith("failed: ")
    assert shown.layout.meter.failed == 5
    running.faults.clear()
    shown.retry_failed()
    assert shown.wait(60)
    assert set(shown.table["status"]) == {"done"}
    with pytest.raises(ValueError, match="nothing to retry"):
        shown.retry_failed()


def test_it_does_not_begin_where_it_would_cost_more_than_the_plan_said(panel, frame, counters):
    shown = panel(frame, "title", "ES")
    promised = shown.plan().characters
    frame.loc[2, "title"] = "A new text that nobody planned for."
    shown.run()
    assert shown.wait(30)
    assert shown.job is None
    assert shown.line.kind == "change"
    assert f"instead of {promised:,} characters" in shown.line.text
    assert counters.requests() == 0
    assert shown.plan().characters > promised
    done(shown)
    assert shown.result["title_ES"].notna().all()


@pytest.mark.long
def test_what_is_done_to_the_frame_during_a_run_changes_nothing_in_it(panel, large, running):
    shown = panel(large, None, "DE")
    slow(running)
    shown.run()
    until(lambda: shown.job is not None)
    large.loc[:, "text"] = "something else"
    large.loc[1000] = "one more"
    assert shown.wait(60)
    assert shown.table["source"].tolist() == TEXTS
    assert shown.table["text"].tolist() == [f"[DE] {text}" for text in TEXTS]
    with pytest.raises(ValueError, match="The frame has changed since"):
        shown.add_columns()


@pytest.mark.long
def test_a_budget_is_kept_to_and_what_it_left_out_is_told(panel, large, counters):
    shown = done(panel(large, None, "ES", budget=5000))
    assert 4900 < counters.characters <= 5000
    assert "Budget spent: raise it to continue." in shown.line.text
    assert "unsent" in set(shown.table["status"])
    assert shown.layout.buttons["retry"].layout.display == "none"
    with pytest.raises(ValueError, match="nothing to retry"):
        shown.retry_failed()


@pytest.mark.long
def test_a_budget_holds_for_a_run_and_its_retries_together(panel, large, running, counters):
    running.faults.add("quota", operation=OPERATION, characters=3000)
    shown = done(panel(large, None, "ES", budget=5000))
    assert 0 < counters.characters < 4000
    running.faults.clear()
    shown.retry_failed()
    assert shown.wait(60)
    assert 4900 < counters.characters <= 5000
    assert shown.order.options["budget"] == 5000


def test_a_budget_holds_for_all_runs_of_a_panel_until_it_is_raised(panel, large, counters):
    shown = done(panel(large.iloc[:400], None, "ES", budget=2000))
    first = counters.characters
    assert 1900 < first <= 2000
    go = shown.layout.buttons["go"]
    assert (go.description, go.disabled) == ("Budget spent: raise it to continue", True)
    shown.choose(budget=2001).plan()
    assert shown.line.text.startswith("Budget spent: raise it to continue.")
    shown.choose(budget=3000).plan()
    assert "Budget" not in shown.line.text
    [left] = [each for each in shown.layout.figures.figures if each["name"] == "Budget left"]
    assert (left["value"], left["note"]) == (f"{3000 - first:,}", f"{first:,} of 3,000 used")
    shown.choose(budget=2000)
    shown.choose(targets="FR")
    assert shown.plan().characters <= 2000 - first
    shown.choose(budget=3000, targets="ES")
    assert 900 < shown.plan().characters <= 3000 - first
    done(shown)
    assert counters.characters <= 3000
    shown.choose(budget=None)  # what is spent counts from when there is a budget
    assert shown.choose(budget=1000).plan().characters > 900


def test_what_is_in_the_store_survives_the_kernel(panel, frame):
    shown = panel(frame, "body", "ES")
    assert shown._survives == ""
    done(shown)
    assert shown._survives == "5 answers are saved. With the same options, nothing is billed twice."


def test_a_wrong_key_leaves_nothing_to_press_and_the_right_one_brings_names_and_options(reach, frame):
    reach(api_key="wrong")
    with panels.Translate(frame, "body", "ES") as shown:
        shown.wait(30)
        assert shown.layout.buttons["go"].disabled
        assert [each["note"] for each in shown.controls.targets.options] == [""]  # not "ES ES"
        shown.run()
        assert shown.wait(30)
        assert "kept" not in shown.line.text
        assert shown.layout.buttons["retry"].description == "Retry 5 rows, at most 90 characters"
        reach()
        shown.retry_failed()
        assert shown.wait(30)
        assert shown.controls.targets.options[0] == {"key": "AR", "title": "Arabic", "note": "AR"}
        assert shown.result["body_ES"].notna().all()


def test_the_line_is_about_the_plan_again_when_the_service_has_answered_a_retry(reach, frame):
    reach(api_key="wrong")
    with panels.Translate(frame, "body", "ES") as shown:
        assert shown.wait(30)
        reach()
        shown.retry()
        assert shown.wait(30)
        assert shown.line.text == READY


def test_placeholders_are_kept_at_a_press(panel, frame):
    shown = panel(frame, "title", "ES")
    [offered] = [each for each in shown.layout.figures.figures if each["does"]]
    assert (offered["name"], offered["value"], offered["note"]) == ("With placeholders", "1 text", "Keep placeholders")
    shown.layout.figures.heard({"does": offered["does"]}, [])
    assert shown.wait(30)
    assert shown.order.options["protect"] == ["urls", "emails", "paths", "placeholders"]
    assert not [each for each in shown.layout.figures.figures if each["does"]]


@pytest.mark.long
def test_a_click_that_comes_before_the_plan_of_what_is_chosen_sends_nothing(panel, frame, counters):
    shown = panel(frame, "body", "ES")
    shown.controls.targets.value = ["ES", "FR", "IT"]
    shown.layout.buttons["go"].click()
    assert shown.line.text.startswith("Nothing was sent: ")
    assert shown.wait(30)
    assert shown.job is None
    assert counters.requests() == 0
    shown.layout.buttons["go"].click()
    assert shown.wait(60)
    assert shown.job.progress.done == 15


def test_a_column_that_is_gone_is_told_of_and_no_longer_chosen(panel, frame):
    shown = panel(frame, "title", "ES")
    del frame["title"]
    shown.run()
    assert shown.wait(30)
    assert shown.line.text == "The frame no longer has a column 'title'. Choose another."
    shown.refresh()
    assert shown.wait(30)
    assert shown.order.columns == ()
    assert shown.line.text == "Choose a column."


def test_the_host_is_told_of_characters_when_a_run_failed_too(panel, large, running, counters):
    shown = panel(large, None, "ES")
    told = []
    shown.widget.send = lambda message, buffers=None: told.append(message["kind"])
    running.faults.add("quota", operation=OPERATION, characters=3000)
    done(shown)
    assert shown.problem is not None
    assert counters.characters
    assert "billed" in told
    shown.widget.hear({"kind": "billed"}, [])  # what the browser answers


def test_texts_that_were_only_marked_are_told_of(panel, frame, marking):
    shown = done(panel(frame, "title", "DE", source_lang="EN"))
    assert "3 rows NOT TRANSLATED, only marked." in shown.line.text
    shown.add_columns()
    assert shown.line.text == "Added to the frame: title_DE. 3 cells are NOT TRANSLATED, only marked."


def test_options_without_effect_are_told_of_once(panel, frame):
    shown = done(panel(frame, "title", "DE", source_lang="EN", context="a shop"))
    assert "No effect: context. The service accepted this" in shown.line.text
    shown.choose(targets=["FR"])
    assert "No effect" not in done(shown).line.text


def test_closing_it_while_it_runs_cancels_waits_and_loses_nothing(counters, large, running):
    slow(running)
    with panels.Translate(large, target_lang="ES") as shown:
        shown.wait(30)
        shown.run()
        until(lambda: shown.layout.meter.done)
        job = shown.job
    assert job.done()
    until(lambda: not at_work())
    running.faults.clear()
    kept = job.progress.done
    assert 0 < kept < 1000
    assert large.svc.plan("text", "ES").stored == kept


def test_what_a_click_finds_wrong_is_told_in_the_line(panel, frame):
    shown = panel(frame, "title", "ES")
    shown.layout.buttons["cancel"].click()
    assert shown.line.text == "No run is in progress"
    assert isinstance(shown.problem, ValueError)


def test_a_run_that_was_asked_for_does_not_begin_after_the_panel_was_closed(counters, large):
    shown = panels.Translate(large, target_lang="ES")
    shown.wait(30)
    shown.run()
    shown.close()
    assert shown.job is None or shown.job.done()
    sent = counters.texts_requests
    time.sleep(0.3)
    assert counters.texts_requests == sent
    with pytest.raises(ValueError, match="this panel is closed"):
        shown.run()


@pytest.mark.long
def test_where_no_row_of_a_kind_is_left_all_are_shown_again(panel, frame, running):
    shown = panel(frame, "body", "ES")
    running.faults.add("status", operation=OPERATION, status=400)
    done(shown).show_problems("failed")
    running.faults.clear()
    shown.retry_failed()
    assert shown.wait(60)
    assert shown.listing.kind == "all"
    assert len(shown.listing.rows) == 5
