"""The editor: what a browser says becomes steps of the book, and each gets one answer that has the truth."""

from __future__ import annotations

import itertools
import json

import pandas as pd
import pytest

from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.panels.parts.editor import Editor, Verdict
from svc_nb.panels.parts.grid import Field
from svc_nb.panels.parts.texts import written_text
from tests.growth import growth
from tests.panels.test_grid import HOSTILE, Browser

COLUMNS = ("source", "target", "lang")
FIELDS = (
    Field("source", "Source", written_text, kind="text", editable=True),
    Field("target", "Target", written_text, kind="text", editable=True),
    Field("lang", "Language", written_text, kind="text", options=("en", "de")),
)


class Desk(Browser):
    """A book, its editor, and a browser that has it open."""

    def __init__(self, count: int) -> None:
        rows = [(f"s{n}", f"t{n}", "en") for n in range(1, count + 1)]
        self.book = EditTable(pd.DataFrame(rows, columns=list(COLUMNS)), COLUMNS)
        self.editor = Editor("Terms", self.book, FIELDS, row=lambda: ("", "", "de"))
        super().__init__(self.editor)
        self.number = 0
        self.page = self.say("hello", view="a")

    def do(self, kind: str, **rest) -> dict:
        """The one answer to a deed."""
        self.number += 1
        before = len(self.heard)
        answer = self.say(kind, view="a", n=self.number, **rest)
        assert len(self.heard) == before + 1
        assert (answer["view"], answer["done"]) == ("a", self.number)
        return answer

    def texts(self) -> list[tuple]:
        return [self.book[row][:2] for row in self.book.rows]


def span(first, last, columns=("source", "target")) -> dict:
    return {"from": [first, 0], "to": [last, 0], "columns": list(columns)}


@pytest.fixture
def desk():
    made = []

    def open_desk(count=5):
        made.append(Desk(count))
        return made[-1]

    yield open_desk
    for opened in made:
        opened.editor.close()


def test_a_page_has_the_first_rows_and_what_can_be_done(desk):
    page = desk(1000).page
    assert (page["count"], len(page["rows"]), page["editor"], page["signs"]) == (1000, 60, True, True)
    assert page["rows"][0] == {"row": 1, "number": 1, "cells": ["s1", "t1", "en"]}
    assert page["columns"][2]["options"] == ["en", "de"]
    assert page["foot"]["said"] == "1,000 rows"


def test_an_edit_is_a_small_delta_and_its_answer_has_the_row(desk):
    on = desk()
    answer = on.do("write", cells=[[2, "target", "neu"]])
    assert on.book[2] == ("s2", "neu", "en")
    assert answer["rows"] == [{"row": 2, "number": 2, "cells": ["s2", "neu", "en"], "state": "changed"}]
    assert (answer["foot"]["undo"], answer["foot"]["said"]) == ("Edit", "5 rows; 1 changed")
    answer = on.do("undo")
    assert answer["rows"] == [{"row": 2, "number": 2, "cells": ["s2", "t2", "en"]}]
    assert (answer["foot"]["undo"], answer["foot"]["redo"], answer["go"]) == ("", "Edit", [2, 1, None])
    on.do("redo")
    assert on.book[2][1] == "neu"


def test_what_a_panel_says_of_an_edit_travels_in_the_same_answer(desk):
    on = desk()
    on.book.listen(lambda change: on.editor.judge({row: Verdict("error", "bad") for row in change.cells}))
    answer = on.do("write", cells=[[2, "target", ""]])
    told = {"state": "changed", "mark": "error", "note": "bad"}
    assert answer["rows"] == [{"row": 2, "number": 2, "cells": ["s2", "", "en"], **told}]
    assert answer["foot"]["sizes"]["error"] == 1
    assert on.editor.counts == "5 rows; 1 row with errors; 1 changed"


def test_a_verdict_names_the_cells_to_blame_and_the_way_there_has_a_column(desk):
    on = desk()
    on.editor.judge({2: Verdict("warning", "odd", ("target", "hidden"))})
    assert on.heard[-1]["rows"][0]["wrong"] == [1]
    on.editor.go_to(2, "target")
    assert on.heard[-1]["go"] == [2, 1, 1]
    on.editor.go_to(2, "hidden")
    assert on.heard[-1]["go"] == [2, 1, None]


def test_a_new_row_is_gone_to_with_the_focus_once(desk):
    on = desk()
    on.editor.go_to_new()
    assert (on.heard[-1]["go"], on.heard[-1]["focus"]) == ([None, -1, None], True)
    assert "go" not in on.editor.page


def test_a_page_may_be_looked_at_without_a_trace_and_the_first_one_sent_is_told():
    book, seen = EditTable(pd.DataFrame({"source": ["a"], "target": "", "lang": ""}), COLUMNS), []
    editor = Editor("Terms", book, FIELDS, hint="Type here", seen=lambda: seen.append(True))
    editor.go_to(1)
    assert editor.page == editor.page
    assert (editor.page["hint"], seen) == ("Type here", [])
    browser = Browser(editor)
    assert browser.say("hello", view="a")["go"] == [1, 0, None]
    assert (seen, "go" in editor.page) == ([True], False)
    editor.close()


def test_a_row_that_is_gone_is_told_and_nothing_is_written(desk):
    on = desk()
    on.book.drop([2])
    answer = on.do("write", cells=[[2, "target", "neu"]])
    assert answer["told"] == "row 2 is no longer there"
    assert answer["stale"]
    assert on.do("write", cells=[[1, "lang", "x"]])["told"] == "this column cannot be edited"


def test_what_is_written_while_other_columns_come_is_written_into_its_row(desk):
    on = desk()
    on.editor.show_fields(FIELDS[:2])
    answer = on.do("write", table=on.page["table"], cells=[[2, "target", "neu"]])
    assert on.book[2] == ("s2", "neu", "en")
    assert "told" not in answer
    assert "Try again" in on.do("drop", table=on.page["table"], **span(1, 2))["told"]


def test_a_new_row_is_known_by_its_token_until_it_has_a_number(desk):
    on = desk()
    answer = on.do("add", token="a-1", after=None, cells={"source": "new"})
    assert (answer["tokens"], answer["count"]) == ({"a-1": 6}, 6)
    assert answer["version"] == on.page["version"] + 1
    on.do("write", cells=[["a-1", "target", "neu"]])
    on.do("add", token="a-2", after="a-1", cells={})
    on.do("add", token="a-3", after=1, cells={"source": "below 1"})
    assert on.book[6] == ("new", "neu", "de")
    assert on.book.rows == [1, 8, 2, 3, 4, 5, 6, 7]
    assert on.editor.table.index.tolist() == on.book.rows
    on.do("undo")
    assert on.do("write", cells=[["a-3", "target", "x"]])["told"] == "row 8 is no longer there"
    assert on.do("write", cells=[["a-9", "target", "x"]])["told"] == "the row is no longer there"


def test_500_rows_of_two_columns_are_pasted_in_one_step(desk):
    on = desk(100)
    block = [[f"p{n}", f"q{n}"] for n in range(500)]
    answer = on.do("paste", **span(51, 51, ["source"]), block=block)
    assert (answer["count"], answer["stale"], answer["rows"]) == (550, True, [])
    assert on.texts()[50:] == [tuple(cells) for cells in block]
    assert on.book[550][2] == "de"
    assert answer["foot"]["undo"] == "Paste"
    on.do("undo")
    assert on.book.rows == list(range(1, 101))
    assert on.book.changes == {"new": 0, "changed": 0, "dropped": 0}


def test_a_paste_goes_where_the_rows_are_in_sight(desk):
    on = desk(10)
    on.editor.sort_by("source")
    on.editor.sort_by("source")
    assert on.editor.table.index.tolist()[:3] == [9, 8, 7]
    on.do("paste", **span(8, 8, ["target"]), block=[["x"], ["y"]])
    assert (on.book[8][1], on.book[7][1]) == ("x", "y")
    assert on.editor.table.index.tolist()[:3] == [9, 8, 7]


def test_one_cell_is_pasted_into_all_that_are_selected(desk):
    on = desk()
    on.do("paste", **span(2, 4), block=[["x"]])
    assert on.texts()[1:4] == [("x", "x")] * 3
    on.do("paste", **{"from": [None, -1], "to": [None, -1], "columns": ["source"]}, block=[["end"]])
    assert on.texts()[-1] == ("end", "")


def test_columns_that_do_not_fit_or_cannot_be_written_are_left_out(desk):
    on = desk()
    answer = on.do("paste", **span(1, 1, ["target"]), block=[["x", "fr", "more", "and more"]])
    assert on.book[1] == ("s1", "x", "en")
    assert answer["told"] == "2 columns did not fit and were left out"


def test_cells_are_cleared_and_filled_down_and_rows_dropped(desk):
    on = desk()
    on.do("clear", **span(2, 3, COLUMNS))
    assert on.book[3] == ("", "", "en")
    on.do("fill", **span(1, 3))
    assert on.texts()[:3] == [("s1", "t1")] * 3
    on.do("fill", **span(5, 5, ["target"]))
    assert on.texts()[4] == ("s5", "t4")
    assert on.do("fill", **span(1, 1))["told"] == "there is no row above to fill down from"
    answer = on.do("drop", **span(2, 4))
    assert (on.book.rows, answer["count"], answer["foot"]["undo"]) == ([1, 5], 2, "Delete 3 rows")
    for _ in range(4):
        on.do("undo")
    assert on.texts() == [(f"s{n}", f"t{n}") for n in range(1, 6)]


def test_a_place_counts_only_while_the_rows_stand_as_they_were_seen(desk):
    on = desk()
    version = on.page["version"]
    on.do("write", cells=[[{"at": 3, "version": version}, "target", "x"]])
    assert on.book[4][1] == "x"
    on.editor.sort_by("source")
    answer = on.do("write", cells=[[{"at": 0, "version": version}, "target", "y"]])
    assert "The rows have changed" in answer["told"]
    assert on.book[1][1] == "t1"


def test_filters_show_what_they_say_and_rows_written_to_stay_in_sight(desk):
    on = desk(10)
    on.editor.judge({3: Verdict("error", "e"), 4: Verdict("warning", "w")})
    on.do("write", cells=[[5, "target", "x"]])
    (new,) = on.book.add([("n", "n", "en")])
    sights = {"all": on.book.rows, "error": [3], "warning": [4], "changed": [5], "new": [new]}
    for name, rows in sights.items():
        on.say("only", name=name)
        assert on.editor.table.index.tolist() == rows
        assert on.heard[-1]["foot"]["only"] == name
    on.say("only", name="error")
    on.editor.judge({3: None})
    assert on.editor.table.index.tolist() == [3]
    assert on.editor.counts == "1 of 11 rows; 1 row with warnings; 1 added, 1 changed"
    with pytest.raises(ValueError, match="expected one of all, error"):
        on.editor.only("nothing")


def test_the_search_is_for_texts_in_any_letters_and_sees_what_was_written(desk):
    on = desk(50)
    on.say("look", text="S4")
    assert on.editor.table.index.tolist() == [4, *range(40, 50)]
    on.do("write", cells=[[7, "target", "STRASSE"]])
    on.say("look", text="straße")
    assert on.editor.table.index.tolist() == [7]
    on.say("look", text="")
    assert len(on.editor.table) == 50


def test_only_rows_that_are_kept_are_in_sight_and_those_added_since(desk):
    on = desk(10)
    on.editor.keep({2, 3})
    on.do("add", token="a-1", after=2, cells={"source": "x"})
    assert on.editor.table.index.tolist() == [2, 11, 3]
    on.editor.only("new")
    assert on.editor.table.index.tolist() == [11]
    on.editor.only("all")
    on.editor.keep(None)
    assert len(on.editor.table) == 11


def test_a_heading_sorts_up_then_down_then_lets_go(desk):
    on = desk(3)
    on.book.write({(1, "source"): "b", (2, "source"): "A", (3, "source"): "c"})
    for rows in ([2, 1, 3], [3, 1, 2], [1, 2, 3]):
        on.say("sort", column="source")
        assert on.editor.table.index.tolist() == rows
    on.say("sort", column="nothing")


def test_what_is_in_sight_follows_the_book_whoever_changes_it(desk):
    on = desk(6)
    on.editor.sort_by("source")
    with on.book.step("Fix all"):
        on.book.drop([2, 3])
        on.book.add([("a", "b", "en")], after=1)
    assert on.editor.table.index.tolist() == [1, 7, 4, 5, 6]
    assert (on.heard[-1]["count"], on.heard[-1]["foot"]["undo"]) == (5, "Fix all")
    on.book.undo()
    assert sorted(on.editor.table.index.tolist()) == on.book.rows
    on.book.take(on.book.table.iloc[:2])
    assert on.editor.table.index.tolist() == [1, 2]
    on.book.settle()
    assert on.heard[-1]["stale"]
    on.editor.close()
    heard = len(on.heard)
    on.book.write({(1, "source"): "x"})
    assert len(on.heard) == heard


def test_going_to_a_row_brings_it_in_sight_past_filters(desk):
    on = desk(10)
    on.editor.keep({2, 9})
    on.editor.go_to(5)
    assert on.editor.table.index.tolist() == [2, 5, 9]
    assert (on.heard[-1]["go"], on.heard[-1]["focus"]) == ([5, 1, None], True)
    on.editor.go_to(9, focus=False)
    assert "focus" not in on.heard[-1]
    with pytest.raises(ValueError, match="row 99 is no longer there"):
        on.editor.go_to(99)


def test_where_to_go_waits_for_the_browser():
    book = EditTable(pd.DataFrame({"source": ["a", "b"], "target": "", "lang": ""}), COLUMNS)
    editor = Editor("Terms", book, FIELDS)
    editor.go_to(2)
    browser = Browser(editor)
    assert browser.say("hello", view="a")["go"] == [2, 1, None]
    assert "go" not in browser.say("hello", view="b")
    editor.close()


def test_selected_rows_are_known_by_their_numbers(desk):
    on = desk()
    on.say("select", **{"from": [2, 1], "to": [4, 3]})
    assert on.editor.selected == [2, 3, 4]
    on.book.drop([3])
    assert on.editor.selected == [2, 4]
    on.book.drop([2])
    assert on.editor.selected == []


def test_a_page_says_where_the_selected_row_is_now(desk):
    on = desk()
    on.say("select", **{"from": [4, 3], "to": [4, 3]})
    on.say("look", text="s4")
    assert on.editor.page["places"] == {4: 0}
    on.say("look", text="")
    assert on.editor.page["places"] == {4: 3}
    on.say("look", text="s2")
    assert on.editor.page["places"] == {}


def test_other_columns_of_the_book_can_be_shown(desk):
    on = desk()
    on.editor.sort_by("target")
    on.editor.show_fields(FIELDS[:1])
    assert [column["name"] for column in on.heard[-1]["columns"]] == ["source"]
    assert on.heard[-1]["rows"][0]["cells"] == ["s1"]
    assert on.heard[-1]["table"] != on.page["table"]
    assert on.editor.sort is None


def test_hostile_texts_are_kept_as_they_are_and_can_be_sent(desk):
    on = desk(len(HOSTILE))
    for row, text in enumerate(HOSTILE, start=1):
        answer = on.do("write", cells=[[row, "target", text]])
        json.dumps(answer, ensure_ascii=False).encode()
    kept = [on.book[row][1] for row in on.book.rows]
    assert kept == [text.replace("\ud800", "\ufffd") for text in HOSTILE]
    assert on.say("text", view="a", row=7)["cells"][1] == HOSTILE[6]


def test_no_text_is_in_the_state_of_the_widget(desk):
    on = desk()
    on.editor.look_for("s3")
    on.do("write", cells=[[3, "target", "Geheim"]])
    assert set(on.editor.written()) == {"classes", "height", "layout"}


def test_a_verdict_is_an_error_or_a_warning():
    with pytest.raises(ValueError, match="expected error or warning"):
        Verdict("bad", "x")


@pytest.mark.long
def test_an_edit_costs_the_same_in_a_long_table(desk):
    texts = itertools.count()

    def edit(on: Desk) -> None:
        for _ in range(20):
            on.do("write", cells=[[7, "target", f"x{next(texts)}"]])

    assert growth(edit, desk(1_000), desk(100_000)) < 5
