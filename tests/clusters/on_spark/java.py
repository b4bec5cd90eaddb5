"""Which Java the tests on Spark run on, and how to get one; run as a script it says the path or how."""

from __future__ import annotations

import os
import sys

from svc_nb.clusters import requirements


def needed() -> None:
    """Skip the test if there is no suitable Java; in CI, fail."""
    import pytest

    said = requirements.java_problem()
    if said and os.environ.get("CI"):
        pytest.fail(said, pytrace=False)
    if said:
        pytest.skip(said)


if __name__ == "__main__":
    print(requirements.java_problem() or requirements.find_java())
    sys.exit(requirements.java_problem() is not None)
