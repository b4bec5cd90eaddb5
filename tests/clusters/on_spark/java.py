"""Which Java the tests on Spark run on, and how to get one; run as a script it says the path or how."""

from __future__ import annotations

import os
import sys

from svc_nb.clusters import java


def needed() -> None:
    """Skip the test where there is no Java that fits; in CI, fail."""
    import pytest

    said = java.problem()
    if said and os.environ.get("CI"):
        pytest.fail(said, pytrace=False)
    if said:
        pytest.skip(said)


if __name__ == "__main__":
    print(java.problem() or java.find())
    sys.exit(java.problem() is not None)
