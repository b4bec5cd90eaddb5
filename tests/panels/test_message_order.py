"""Messages that come out of order are done in order, and one that never comes does not keep the others for ever."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from svc_nb.panels.parts.editor import Series


@given(numbers=st.permutations(range(1, 9)))
def test_whatever_the_order_of_coming_the_order_of_sending_counts(numbers):
    series, done = Series(), []
    for number in numbers:
        done += series.take("a", number, number)
    assert done == list(range(1, 9))


def test_each_view_has_numbers_of_its_own():
    series = Series()
    assert series.take("a", 2, "a2") == []
    assert series.take("b", 1, "b1") == ["b1"]
    assert series.take("a", 1, "a1") == ["a1", "a2"]


def test_what_does_not_come_is_not_waited_for_for_ever():
    now = [0.0]
    series = Series(patience=5, clock=lambda: now[0])
    assert series.take("a", 2, "a2") == []
    now[0] = 4
    assert series.take("a", 3, "a3") == []
    now[0] = 6
    assert series.take("a", 4, "a4") == ["a2", "a3", "a4"]
    assert series.take("a", 1, "a1") == ["a1"]
    assert series.take("a", 5, "a5") == ["a5"]
