"""What a person does in the browser is done once, in the order it was done there, however its messages arrive."""

from __future__ import annotations

from contextlib import closing
from threading import Event, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_nb.panels.parts.controls import InOrder


@given(numbers=st.permutations([*range(1, 9), 2, 5]))
def test_whatever_the_order_of_coming_the_order_of_sending_counts(numbers):
    actions, done = InOrder(), []
    for number in numbers:
        done += actions.take(number, number)
    assert done == list(range(1, 9))


def test_what_is_early_waits_and_what_is_late_is_known_as_done():
    actions = InOrder()
    assert list(actions.take(2, "b")) == []
    assert not actions.is_done(1)
    assert list(actions.take(1, "a")) == ["a", "b"]
    assert actions.is_done(2)
    assert list(actions.take(2, "b")) == []


def test_a_deed_that_raises_is_done_and_the_next_one_comes_with_the_next_message():
    def fails(action):
        raise ZeroDivisionError(action)

    actions = InOrder()
    assert list(actions.take(2, "b")) == []
    with closing(actions.take(1, "a")) as ready, pytest.raises(ZeroDivisionError, match="a"):
        fails(next(ready))
    assert actions.is_done(1)
    assert not actions.is_done(2)
    assert list(actions.take(3, "c")) == ["b", "c"]


def test_two_threads_do_nothing_at_once_and_nothing_twice():
    actions, begun, go, done = InOrder(), Event(), Event(), []

    def first():
        for each in actions.take(1, "a"):
            done.append(each)
            if each == "a":
                begun.set()
                assert go.wait(10)

    thread = Thread(target=first)
    thread.start()
    assert begun.wait(10)
    assert list(actions.take(1, "a")) == []
    assert list(actions.take(2, "b")) == []
    go.set()
    thread.join(10)
    assert done == ["a", "b"]
