"""The parts of a panel, each alone: the table, the picture, the ticks, the thread, and the days that are known."""

from __future__ import annotations

import re
import threading
import warnings
from datetime import date, timedelta

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.picture import Picture
from svc_nb.panels.parts.texts import error_line, written_text
from svc_nb.panels.parts.widgets import Checklist
from svc_nb.panels.parts.worker import Latest
from svc_nb.panels.usage.days import KnownDays
from svc_nb.panels.usage.rows import summed
from tests.panels.tables import usage

FIELDS = (
    Field("name", "Name", written_text, kind="text"),
    Field("size", "Size", lambda size: f"{size:,}", editable=True),
)
TODAY = date(2026, 3, 10)


def grid(count=3, **options) -> Grid:
    shown = Grid("Things", **options)
    names = [f"thing {number:05}" for number in range(count)]
    sizes = [(number * 7919) % count * 1000 for number in range(count)]
    shown.show(pd.DataFrame({"name": names, "size": sizes}, index=[f"id{n}" for n in range(count)]), FIELDS)
    return shown


def names(shown: Grid) -> list[str]:
    return [row["cells"][0] for row in shown.page["rows"]]


# ---- the table


def test_a_heading_sorts_numbers_from_the_largest_then_turns_then_lets_go():
    shown = grid()
    given = names(shown)
    shown.hear({"kind": "sort", "column": "size"})
    assert [row["cells"][1] for row in shown.page["rows"]] == ["2,000", "1,000", "0"]
    assert shown.page["sort"] == ["size", True]
    shown.hear({"kind": "sort", "column": "size"})
    assert [row["cells"][1] for row in shown.page["rows"]] == ["0", "1,000", "2,000"]
    shown.hear({"kind": "sort", "column": "size"})
    assert names(shown) == given
    shown.hear({"kind": "sort", "column": "name"})
    assert shown.page["sort"] == ["name", False]


def test_rows_out_of_sight_are_handed_over_when_asked_for():
    shown, sent = grid(1000), []
    shown.send = sent.append
    shown.hear({"kind": "rows", "version": shown.page["version"], "first": 900, "last": 905})
    (answer,) = sent
    assert answer["first"] == 900
    assert [row["cells"][0] for row in answer["rows"]] == [f"thing {number:05}" for number in range(900, 905)]


def test_what_is_asked_of_an_older_table_is_not_answered():
    shown, sent = grid(1000), []
    shown.send = sent.append
    before = shown.page["version"]
    shown.sort_by("size")
    shown.hear({"kind": "rows", "version": before, "first": 0, "last": 5})
    assert sent == []


def test_what_is_written_goes_to_the_row_that_was_seen():
    written = []
    shown = grid(5, edited=lambda *what: written.append(what))
    shown.sort_by("size")
    (row,) = [row["row"] for row in shown.page["rows"] if row["cells"][0] == "thing 00003"]
    message = {"kind": "write", "table": shown.page["table"], "cells": [[row, "size", "7"]]}
    shown.hear(message)
    assert written == [("id3", "size", "7")]
    shown.hear({**message, "table": 0})
    assert len(written) == 1


def test_a_page_asks_for_no_more_rows_than_are_good():
    shown, sent = grid(5000), []
    shown.send = sent.append
    shown.hear({"kind": "rows", "version": shown.page["version"], "first": 0, "last": 5000})
    assert len(sent[0]["rows"]) == 500


def test_sums_are_those_of_the_table_to_the_last_millisecond():
    table = pd.concat([usage(4, 30), usage(4, 30)])
    table["speech_to_text_minutes"] = 0.1
    found = summed(table, by_name=True, every="day", first="total_characters")
    assert len(found) == 4 * 30
    assert found["total_characters"].sum() == table["total_characters"].sum()
    assert found["speech_to_text_minutes"].eq(0.2).all()
    assert summed(table, by_name=False, every="", first="total_characters")["speech_to_text_minutes"].tolist() == [24.0]


# ---- the picture


def test_a_picture_is_not_a_pyplot_figure_and_keeps_texts_as_texts():
    before = plt.get_fignums()
    picture = Picture(pairs={"#123456": "#abcdef"})

    def paint(figure):
        figure.add_subplot().set_title("<b>$x$ 日本</b>", parse_math=False, color="#123456")
        return "A title."

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture.draw(paint, height=200)
    assert plt.get_fignums() == before
    assert "&lt;b&gt;$x$ 日本&lt;/b&gt;" in picture.svg
    assert "light-dark(#123456, #abcdef)" in picture.svg
    assert b"light-dark" not in picture.file()
    assert picture.alt == "A title."


def test_pictures_do_not_carry_the_time_or_the_maker():
    picture = Picture()
    picture.draw(lambda figure: "", height=100)
    assert "dc:date" not in picture.svg
    assert "Matplotlib" not in picture.svg


@pytest.mark.long
def test_a_picture_is_not_disturbed_by_its_own_export_in_another_thread():
    picture, done = Picture(), threading.Event()

    def paint(figure):
        figure.add_subplot().plot([1, 2], [3, 4])
        return ""

    def export():
        while not done.is_set():
            picture.png()

    picture.draw(paint, height=300)
    before = re.sub(r"[0-9a-f]{10,}", "", picture.svg)
    other = threading.Thread(target=export)
    other.start()
    try:
        for _ in range(5):
            picture.draw(paint, height=300)
            assert re.sub(r"[0-9a-f]{10,}", "", picture.svg) == before
    finally:
        done.set()
        other.join()


def test_settings_of_matplotlib_are_left_as_they_were():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    picture = Picture()
    picture.draw(lambda figure: "", height=100)
    picture.png()
    assert dict(mpl.rcParams) == before


# ---- ticks


def test_of_what_was_ticked_only_what_is_still_offered_stays():
    ticks = Checklist("Keys")
    ticks.offer_names(["a", "b", "c"], ["a", "c"])
    ticks.offer_names(["c", "d"], ticks.value)
    assert (ticks.value, ticks.names) == (["c"], ["c", "d"])


def test_what_was_ticked_among_others_comes_back_with_them():
    ticks = Checklist("Keys")
    ticks.offer_names(["a", "b"], ["b"])
    ticks.turn_to("Tags")
    assert (ticks.name, ticks.value) == ("Tags", [])
    ticks.turn_to("Keys")
    assert (ticks.value, ticks.names) == (["b"], ["b"])


# ---- the thread


def test_only_the_latest_request_is_answered():
    latest, began, go, answers = Latest(), threading.Event(), threading.Event(), []

    def first():
        began.set()
        go.wait()

    latest.ask(first, lambda answer: answers.append("first"))
    assert began.wait(10)
    for number in range(10):
        latest.ask(lambda number=number: number, answers.append)
    go.set()
    assert latest.wait(10)
    assert answers == [9]
    assert latest.close(10)


def test_an_error_is_an_answer():
    latest, answers = Latest(), []
    latest.ask(lambda: 1 / 0, answers.append)
    assert latest.wait(10)
    assert isinstance(answers[0], ZeroDivisionError)


def test_no_one_is_answered_after_the_end():
    latest, go, answers = Latest(), threading.Event(), []
    latest.ask(go.wait, answers.append)
    threading.Timer(0.05, go.set).start()
    assert latest.close(10)
    latest.ask(lambda: 1, answers.append)
    assert latest.wait(10)
    assert answers == []


# ---- the days


def rows(start, end) -> pd.DataFrame:
    return usage(2, (end - start).days + 1, end=end)


def test_a_day_that_is_known_is_not_missing():
    known = KnownDays()
    first, last = TODAY - timedelta(days=20), TODAY - timedelta(days=10)
    assert known.missing("key_and_day", first, last, today=TODAY) == [(first, last)]
    known.add("key_and_day", first, last, rows(first, last), today=TODAY)
    assert known.missing("key_and_day", first, last, today=TODAY) == []
    assert known.missing("tag_and_day", first, last, today=TODAY) == [(first, last)]
    around = (first - timedelta(days=2), last + timedelta(days=1))
    assert known.missing("key_and_day", *around, today=TODAY) == [
        (around[0], first - timedelta(days=1)),
        (around[1], around[1]),
    ]


def test_a_day_that_was_not_over_is_missing_on_the_next_one():
    known = KnownDays()
    known.add("key_and_day", TODAY, TODAY, rows(TODAY, TODAY), today=TODAY)
    assert known.missing("key_and_day", TODAY, TODAY, today=TODAY) == []
    tomorrow = TODAY + timedelta(days=1)
    assert known.missing("key_and_day", TODAY, tomorrow, today=tomorrow) == [(TODAY, tomorrow)]


def test_parts_told_in_any_order_are_one_table_in_the_order_of_days():
    known = KnownDays()
    for back in (5, 9, 1):
        day = TODAY - timedelta(days=back)
        known.add("key_and_day", day - timedelta(days=1), day, rows(day - timedelta(days=1), day), today=TODAY)
    found = known.between("key_and_day", TODAY - timedelta(days=10), TODAY)
    assert found["usage_date"].is_monotonic_increasing
    assert len(found) == 12
    again = rows(TODAY - timedelta(days=9), TODAY - timedelta(days=9))
    known.add("key_and_day", TODAY - timedelta(days=9), TODAY - timedelta(days=9), again, today=TODAY)
    assert len(known.between("key_and_day", TODAY - timedelta(days=10), TODAY)) == 12
    assert found.dtypes["total_characters"] == np.int64


# ---- words


@pytest.mark.parametrize("problem", [ValueError("a\nb"), OSError("no room"), TypeError("x"), RuntimeError("y" * 5000)])
def test_whatever_goes_wrong_is_one_line(problem):
    assert "\n" not in error_line(problem)
    assert 0 < len(error_line(problem)) <= 600
