"""The faults of `make faults` can still be made."""

from pathlib import Path

from tests.faults import FAULTS, ROOT


def test_every_fault_fits_the_source_and_has_tests():
    assert len(FAULTS) == len({fault.name for fault in FAULTS})
    assert [fault.name for fault in FAULTS if not fault.applies()] == []
    assert [path for fault in FAULTS for path in fault.tests if not Path(ROOT, path).exists()] == []
