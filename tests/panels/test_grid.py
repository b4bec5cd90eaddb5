"""The grid: rows travel only when the browser asks, are searched, chosen and copied; what people wrote stays text."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from svc_nb.panels.parts.grid import Field, Grid
from svc_nb.panels.parts.texts import written_text

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "=cmd()",
    "$x$",
    "</script>",
    "nul\0",
    "half \ud800",
    "x" * 1_000_000,
]
FIELDS = (
    Field("name", "Name", written_text, kind="text"),
    Field("size", "Size", lambda size: "–" if size is None else f"{size:,}", editable=True),
)


def things(count: int) -> pd.DataFrame:
    names = [f"Thing {number}" for number in range(count)]
    return pd.DataFrame({"name": names, "size": range(count)}, index=[f"id{n}" for n in range(count)])


class Browser:
    """What a browser has been sent by a grid, and says to it."""

    def __init__(self, grid: Grid) -> None:
        self.grid, self.heard = grid, []
        grid.send = lambda message, buffers=None: self.heard.append(json.loads(json.dumps(message)))

    def say(self, kind: str, **rest) -> dict:
        """The last answer to a message."""
        self.grid.hear({"kind": kind, "table": self.grid.page["table"], "version": self.grid.page["version"], **rest})
        return self.heard[-1] if self.heard else {}


@pytest.fixture
def grid():
    made = []

    def show(count=5, **options):
        shown = Grid("Things", **options)
        made.append(shown)
        shown.show(things(count), FIELDS)
        return shown

    yield show
    for shown in made:
        shown.close()


def test_no_text_of_a_row_is_in_the_state_of_the_widget(grid):
    shown = grid()
    browser = Browser(shown)
    browser.say("hello", view="a")
    state = shown.written()
    assert "Thing" not in json.dumps(state, default=str)
    assert set(state) == {"classes", "height", "layout"}


def test_nothing_is_sent_before_a_browser_asks(grid):
    shown = grid()
    browser = Browser(shown)
    shown.sort_by("size")
    assert browser.heard == []
    page = browser.say("hello", view="a")
    assert (page["view"], page["count"], len(page["rows"])) == ("a", 5, 5)
    shown.sort_by("size")
    assert "view" not in browser.heard[-1]
    assert [row["row"] for row in browser.heard[-1]["rows"]] == [0, 1, 2, 3, 4]


def test_marks_and_notes_go_with_the_rows(grid):
    shown = grid()
    assert not shown.page["signs"]
    shown.show(things(3), FIELDS, marks={"id1": "error"}, notes={"id1": "too small <b>"})
    assert shown.page["rows"][1] == {
        "row": 1,
        "cells": ["Thing 1", "1"],
        "mark": "error",
        "note": "too small <b>",
    }
    assert shown.page["signs"]
    shown.show(things(3), FIELDS, marks={"id1": "faded"})
    assert not shown.page["signs"]


def test_only_rows_with_the_text_are_shown_and_it_is_said(grid):
    shown = grid(200)
    shown.look_for("tHING 19")
    assert shown.page["count"] == 11
    assert shown.table["name"].iloc[0] == "Thing 19"
    assert shown.page["foot"]["said"] == "11 of 200 rows."
    shown.sort_by("size")
    assert shown.table["size"].tolist()[:2] == [199, 198]
    shown.look_for("")
    assert (shown.page["count"], shown.page["foot"]["said"]) == (200, "")


def test_the_text_that_is_looked_for_is_told_as_it_was_written(grid):
    shown = grid()
    shown.look_for("Straße")
    assert (shown.page["foot"]["look"], shown.page["count"]) == ("Straße", 0)


def test_text_written_into_a_table_that_is_gone_is_refused_with_the_reason(grid):
    shown = grid(edited=lambda *cell: pytest.fail(str(cell)))
    browser = Browser(shown)
    shown.show(things(6), FIELDS)
    answer = browser.say("write", view="a", n=1, table=1, cells=[[2, "size", "7"]])
    assert browser.heard[-2] == {"kind": "change", "view": "a", "done": 1}
    cells = [[2, "size", "7", "The rows have changed. Try again."]]
    assert answer == {"kind": "refused", "view": "a", "table": 1, "cells": cells}


def test_a_row_is_chosen_by_its_label(grid):
    chosen = []
    shown = grid(chosen=chosen.append)
    assert shown.page["chooses"]
    shown.sort_by("size")
    Browser(shown).say("choose", row=3)
    assert chosen == ["id3"]


def test_what_is_selected_is_known_by_its_labels_until_other_rows_are_in_sight(grid):
    shown = grid()
    browser = Browser(shown)
    assert shown.selected == []
    browser.say("select", **{"from": [1, 1], "to": [3, 3]})
    assert shown.selected == ["id1", "id2", "id3"]
    shown.show(things(5), FIELDS)
    assert shown.selected == ["id1", "id2", "id3"]
    order = shown.page["order"]
    shown.sort_by("size")
    assert (shown.selected, shown.page["order"]) == ([], order + 1)
    browser.say("select", **{"from": [None, 0], "to": [None, 1]})
    assert shown.selected == ["id4", "id3"]
    shown.look_for("Thing 0")
    assert shown.selected == []


def test_editing_continues_when_the_same_rows_are_shown_again(grid):
    written = []
    shown = grid(edited=lambda *what: written.append(what))
    before = shown.page["table"]
    shown.show(things(5), FIELDS)
    shown.hear({"kind": "write", "table": before, "cells": [[2, "size", "9"]]})
    shown.show(things(4), FIELDS)
    shown.hear({"kind": "write", "table": before, "cells": [[2, "size", "10"]]})
    assert written == [("id2", "size", "9")]


def test_an_edit_is_answered_by_its_number_also_where_it_fails(grid):
    def refuse(label, column, text):
        raise RuntimeError

    shown = grid(edited=refuse)
    browser = Browser(shown)
    with pytest.raises(RuntimeError):
        browser.say("write", view="a", n=7, cells=[[2, "size", "9"]])
    assert browser.heard == [{"kind": "change", "view": "a", "done": 7}]


def test_undo_and_redo_are_offered_if_someone_listens(grid):
    turned = []
    shown = grid(turned=turned.append)
    shown.show(things(5), FIELDS, turns={"undo": "Edit of row 1", "redo": ""})
    assert shown.page["turns"]
    assert shown.page["foot"]["undo"] == "Edit of row 1"
    browser = Browser(shown)
    assert browser.say("undo", view="a", n=3) == {"kind": "change", "view": "a", "done": 3}
    browser.say("redo", view="a", n=4)
    assert turned == ["undo", "redo"]
    assert not grid().page["turns"]


def test_rows_stay_where_they_are_while_only_cells_change(grid):
    shown = grid()
    shown.sort_by("size")
    changed = things(5).assign(size=[9, 1, 2, 3, 4])
    shown.show(changed, FIELDS, steady=True)
    assert shown.table["size"].tolist() == [4, 3, 2, 1, 9]
    shown.show(changed, FIELDS)
    assert shown.table["size"].tolist() == [9, 4, 3, 2, 1]


@pytest.mark.parametrize(("lowest_first", "first"), [(False, 4), (True, 0)])
def test_numbers_begin_with_the_highest_unless_the_lowest_matter(grid, lowest_first, first):
    shown = grid()
    shown.show(things(5), [Field("size", "Size", str, lowest_first=lowest_first)])
    shown.sort_by("size")
    assert shown.table["size"].tolist()[0] == first
    shown.sort_by("size")
    assert shown.table["size"].tolist()[0] == 4 - first


def test_hostile_texts_travel_as_texts_and_long_ones_in_part():
    shown = Grid("Texts")
    table = pd.DataFrame({"name": pd.Series(HOSTILE, dtype=object), "size": 1})
    shown.show(table, FIELDS)
    browser = Browser(shown)
    rows = browser.say("hello", view="a")["rows"]
    json.dumps(rows, ensure_ascii=False).encode()
    assert [row["cells"][0] for row in rows[:5]] == HOSTILE[:5]
    assert rows[5]["cells"][0] == "half \ufffd"
    assert (len(rows[6]["cells"][0]), rows[6]["cut"]) == (300, [0])
    whole = browser.say("text", view="a", row=6)
    assert whole["cells"][0] == HOSTILE[6]
    copied = browser.say("copy", view="a", ask="1", columns=["name"], **{"from": [0, 0], "to": [6, 6]})
    assert [cells[0] for cells in copied["rows"]] == [*HOSTILE[:5], "half \ufffd", HOSTILE[6]]
    shown.close()


def test_gaps_and_doubled_labels_are_rows_like_others():
    shown = Grid("Texts")
    shown.show(pd.DataFrame({"name": ["a", None], "size": [1, None]}, index=["x", "x"]), FIELDS)
    assert [row["cells"] for row in shown.page["rows"]] == [["a", "1.0"], ["", "–"]]
    assert [row["row"] for row in shown.page["rows"]] == [0, 1]
    shown.close()
