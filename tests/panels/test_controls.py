"""The controls, and the one widget that carries them, as a browser sees both."""

from __future__ import annotations

from datetime import date
from threading import Thread

import pytest
from traitlets import TraitError

from svc_nb.panels.parts import controls
from svc_nb.panels.parts.controls import MODULES, PanelWidget, script, styles


class Page:
    """What a browser would know of a widget: its parts as they came, and every message since."""

    def __init__(self, top: controls.Part) -> None:
        self.widget = PanelWidget(top)
        self.parts = self.widget.snapshot()["parts"]
        self.heard: list[dict] = []
        self.count = 0
        self.widget.send = lambda message, buffers=None: self.heard.append(message)

    def set(self, part: controls.Part, n: int | None = None, **state) -> None:
        self.count = self.count + 1 if n is None else n
        self.widget.hear({"connection": "a", "part": part.id, "n": self.count, "state": state}, [])

    @property
    def told(self) -> list[dict]:
        """The states that came, without the answers."""
        return [each["state"] for each in self.heard if each["kind"] == "state"]


@pytest.fixture
def page():
    made = []

    def show(top: controls.Part) -> Page:
        made.append(Page(top))
        return made[-1]

    yield show
    for each in made:
        each.widget.close()


def test_every_part_of_a_box_is_in_the_state_with_what_draws_it(page):
    inner = controls.Button(description="Push", layout={"width": "auto"})
    outer = controls.VBox([controls.HBox([inner])])
    shown = page(outer)
    front, state, unsaved = shown.parts[inner.id]
    assert (front, unsaved) == ("button", ())
    assert (state["description"], state["disabled"], state["layout"]) == (
        "Push",
        False,
        {"display": None, "width": "auto"},
    )
    assert shown.parts[outer.id][1]["children"] == [outer.children[0].id]


def test_a_change_is_told_once_and_what_the_browser_said_is_not_told_back(page):
    text = controls.Text(value="a")
    shown = page(controls.VBox([text]))
    text.value = "b"
    text.value = "b"
    assert shown.told == [{"value": "b"}]
    shown.set(text, value="c")
    assert text.value == "c"
    assert shown.told == [{"value": "b"}]


def test_what_the_kernel_makes_of_an_entry_is_told_back(page):
    text = controls.Text()
    text.observe(lambda change: setattr(text, "value", change.new.strip()), "value")
    shown = page(controls.VBox([text]))
    shown.set(text, value=" x ")
    assert shown.told == [{"value": "x"}]


def test_every_deed_is_answered_also_one_that_is_refused_or_unknown(page):
    choice = controls.Dropdown(options=["a", "b"])
    shown = page(controls.VBox([choice]))
    shown.set(choice, n=1, index=5)
    shown.widget.hear({"connection": "a", "part": "p0", "n": 2, "state": {"value": "x"}}, [])
    shown.set(choice, n=3, options=["evil"], _values=["evil"])
    answers = [each for each in shown.heard if each["kind"] == "done"]
    assert [(each["n"], each["state"]) for each in answers] == [(1, {"index": 0}), (2, {}), (3, {})]
    assert (choice.value, choice.options) == ("a", ("a", "b"))


def test_what_is_told_twice_is_done_once_and_answered_twice(page):
    button, clicks = controls.Button(description="Pay"), []
    button.on_click(clicks.append)
    shown = page(controls.VBox([button]))
    for connection, n in (("a", 1), ("a", 1), ("a", 2), ("b", 1)):
        shown.widget.hear({"connection": connection, "part": button.id, "n": n, "content": {"kind": "click"}}, [])
    assert len(clicks) == 3
    assert [each["n"] for each in shown.heard] == [1, 1, 2, 1]


def test_what_is_told_again_is_answered_with_what_holds_now(page):
    choice = controls.Dropdown(options=["a", "b"])
    shown = page(controls.VBox([choice]))
    for _ in range(2):
        shown.set(choice, n=1, index=5)
    assert [each["state"] for each in shown.heard if each["kind"] == "done"] == [{"index": 0}] * 2


def test_a_button_that_has_been_disabled_is_not_pressed(page):
    button, clicks = controls.Button(description="Undo the push"), []
    button.on_click(clicks.append)
    shown = page(controls.VBox([button]))
    button.disabled = True
    shown.widget.hear({"connection": "a", "part": button.id, "n": 1, "content": {"kind": "click"}}, [])
    assert (clicks, shown.heard[-1]["kind"]) == ([], "done")


def test_a_choice_is_what_was_read_also_where_options_came_before_it(page):
    choice = controls.Dropdown(options=["b", "c"])
    shown = page(controls.VBox([choice]))
    choice.options = ["a", "b", "c"]
    shown.set(choice, index=1, label="c")
    assert choice.value == "c"
    choice.options = ["a", "b"]
    shown.set(choice, index=2, label="c")
    assert choice.value == "a"
    assert shown.heard[-1]["state"] == {"index": 0}
    shown.set(choice, index=2, label="b")  # read where there were more of them
    assert choice.value == "b"


def test_a_written_text_is_told_to_a_page_that_begins_and_is_in_no_state_that_a_notebook_saves(page):
    text = controls.Text()
    shown = page(controls.VBox([text]))
    shown.set(text, value="Zwetschge")
    state = shown.widget.snapshot()
    assert state["parts"][text.id][1]["value"] == ""
    shown.heard.clear()
    shown.widget.hear({"kind": "begin", "told": state["told"]}, [])
    assert shown.told == [{"value": "Zwetschge"}]


def test_a_deed_that_raises_is_answered_too(page):
    button = controls.Button(description="Go")
    button.on_click(lambda _: 1 / 0)
    shown = page(controls.VBox([button]))
    with pytest.raises(ZeroDivisionError):
        shown.widget.hear({"connection": "a", "part": button.id, "n": 1, "content": {"kind": "click"}}, [])
    answer = {"kind": "done", "connection": "a", "part": button.id, "n": 1, "state": {}, "missing": False}
    assert shown.heard == [answer]


def test_what_is_written_into_a_part_that_is_gone_is_answered_as_missing(page):
    box = controls.VBox([field := controls.Text()])
    shown = page(box)
    box.children = ()
    shown.set(field, value="Lampe")
    assert shown.heard[-1]["missing"]


def test_children_that_come_later_go_along_and_are_heard(page):
    box = controls.VBox([])
    shown = page(box)
    late = controls.Text()
    box.children = [late]
    message = shown.heard[0]
    assert message["state"] == {"children": [late.id]}
    assert list(message["parts"]) == [box.id, late.id] or list(message["parts"]) == [late.id]
    shown.set(late, value="heard")
    assert late.value == "heard"
    shown.set(box, children=[])
    assert box.children == (late,)


def test_a_worker_may_change_children_while_a_browser_begins(page):
    box = controls.VBox([])
    shown = page(box)

    def work():
        for number in range(300):
            box.children = [controls.Label(str(number)), controls.HBox([controls.Button()])]

    worker = Thread(target=work)
    worker.start()
    while worker.is_alive():
        state = shown.widget.snapshot()
        assert set(state["parts"][box.id][1]["children"]) <= set(state["parts"])
        shown.widget.hear({"kind": "begin", "told": 0}, [])
    assert list(shown.widget.parts) == [part.id for part in box.inner()]


def test_what_was_said_before_the_front_end_listened_is_said_again(page):
    label, late = controls.Label("one"), controls.Label("late")
    box = controls.VBox([label])
    shown = page(box)
    shown.widget.hear({"kind": "begin", "told": 0}, [])
    assert shown.heard == []
    label.value, box.children = "two", (label, late)
    shown.heard.clear()
    shown.widget.hear({"kind": "begin", "told": 0}, [])
    assert shown.heard[0]["parts"][label.id][1]["value"] == "two"
    assert shown.heard[0]["parts"][late.id][1]["value"] == "late"
    assert shown.heard[0]["parts"][box.id][1]["children"] == [label.id, late.id]


def test_several_changes_are_one_message(page):
    choice = controls.Dropdown(options=[("One", 1), ("Two", 2)], value=2)
    shown = page(controls.VBox([choice]))
    with choice.hold_sync():
        choice.options = [("Three", 3)]
        choice.disabled = True
    assert shown.told == [{"disabled": True, "index": 0, "labels": ["Three"]}]


def test_new_options_choose_the_first_but_where_nothing_was_chosen():
    choice = controls.Dropdown(options=["a", "b"])
    assert (choice.value, choice.label, choice.index) == ("a", "a", 0)
    heard = []
    choice.observe(lambda change: heard.append(change.new), "value")
    choice.options = ["c"]
    assert (choice.value, heard) == ("c", ["c"])
    choice.value = None
    choice.options = ["d", "e"]
    assert (choice.value, choice.index) == (None, None)
    with pytest.raises(TraitError, match="expected one of the options, found 'x'"):
        choice.value = "x"


def test_a_dropdown_without_options_chooses_nothing_when_some_come():
    choice = controls.Dropdown(description="Correct language")
    choice.options = ["Polish"]
    assert choice.value is None


def test_a_day_travels_as_iso_text(page):
    day = controls.DatePicker(value=date(2026, 10, 1))
    shown = page(controls.VBox([day]))
    assert shown.parts[day.id][1]["value"] == "2026-10-01"
    shown.set(day, value="2026-10-31")
    assert day.value == date(2026, 10, 31)
    shown.set(day, value="")
    assert day.value is None


def test_a_hidden_part_says_so(page):
    label = controls.Label("here")
    shown = page(controls.VBox([label]))
    label.layout.display = "none"
    assert shown.told == [{"layout": {"display": "none", "width": None}}]


def test_every_module_of_the_front_end_is_in_the_one_script():
    text = script()
    assert text.count("export default") == 1
    for name in MODULES:
        assert f"FRONTS.{name} = " in text
    assert ".svc-root" in styles()
