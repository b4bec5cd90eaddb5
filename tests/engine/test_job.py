"""Ctrl-C while a person waits: the work ends, what is on its way is waited for once, and a line says what is done."""

from __future__ import annotations

from collections import Counter

import pytest

from svc_nb.engine.job import so_far, stopping
from svc_nb.engine.outcome import RunReport
from svc_nb.errors import StoreError


class Work:
    """Work that ends after some checks; at check number *second* a person presses Ctrl-C again."""

    def __init__(self, looks=3, second=None):
        self.looks = looks
        self.second = second
        self.waited = 0
        self.cancelled = False

    def wait(self, seconds=None):
        self.waited += 1
        if self.waited == self.second:
            raise KeyboardInterrupt
        return self.waited >= self.looks

    def cancel(self):
        self.cancelled = True


def interrupted(work):
    with stopping(work, lambda: f"waited {work.waited}"):
        raise KeyboardInterrupt("of somebody else")


def test_the_first_ctrl_c_waits_for_what_is_on_its_way_and_then_says_what_is_done():
    work = Work()
    with pytest.raises(KeyboardInterrupt, match=r"^waited 3$") as stopped:
        interrupted(work)
    assert work.cancelled
    assert stopped.value.__suppress_context__


def test_a_second_ctrl_c_does_not_wait():
    work = Work(looks=1000, second=2)
    with pytest.raises(KeyboardInterrupt, match=r"^waited 2$"):
        interrupted(work)
    assert work.cancelled


def test_any_other_error_ends_the_work_and_passes():
    work = Work()
    with pytest.raises(ZeroDivisionError), stopping(work, str):
        raise ZeroDivisionError
    assert work.cancelled
    assert work.waited == 0


def test_who_waits_in_peace_ends_nothing():
    work = Work()
    with stopping(work, str):
        pass
    assert not work.cancelled


def test_rows_that_need_no_answer_count_as_done():
    report = RunReport(rows=10, done=3, skipped=Counter(missing=2), unsent=Counter(interrupted=5), ended=1.0)
    assert so_far(report, unit="cell", advice="go on") == "5 of 10 cells are done and stored; go on"


def test_marked_rows_are_not_called_done():
    assert so_far(RunReport(rows=9, done=3, marked=2, ended=1.0)).startswith(
        "3 of 9 rows are done and stored, 2 only marked; "
    )


def test_what_the_store_did_not_take_is_not_called_stored():
    report = RunReport(rows=10, done=3, billed=30, stopped="store", error=StoreError("the disk is full"), ended=1.0)
    assert so_far(report).startswith("3 of 10 rows are done, but not all of them could be stored: the disk is full")


def test_a_run_that_has_not_ended_says_what_becomes_of_what_is_on_its_way():
    assert "pending answers will be stored when they arrive; run it again" in so_far(RunReport(rows=2))
