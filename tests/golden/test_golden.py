"""What people see is what was recorded; a wanted change is recorded with `python -m tests.golden.record`."""

import pytest

from tests.golden import record


@pytest.mark.parametrize("name", ["names", "command_line", "sentences"])
def test_what_people_see_is_what_was_recorded(name):
    assert record.RECORDED[name]().splitlines() == record.recorded(name).splitlines()


@pytest.mark.long
def test_the_demo_prints_what_was_recorded():
    assert record.demo().splitlines() == record.recorded("demo").splitlines()
