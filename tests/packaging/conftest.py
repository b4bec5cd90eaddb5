"""A checkout as others get it, and a machine to build and install it on."""

import shutil
from pathlib import Path

import pytest

from tests.packaging.machine import ROOT, Machine, files


@pytest.fixture(scope="module")
def clone(tmp_path_factory) -> Path:
    """A checkout in which nothing was built or run yet."""
    folder = tmp_path_factory.mktemp("clone") / "svc_nb"
    for name in files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def machine(tmp_path_factory) -> Machine:
    return Machine(tmp_path_factory.mktemp("machine"))
