"""What pyproject.toml asks for has no known holes, and constraints.txt says an exact version of it that fits."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.lock import normal

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Not installed together with the tests.
ALONE = {"bench"}
# The last version of each with a hole that is known.
HOLES = {
    "cryptography": "49.0.0",
    "dask": "2026.1.0",
    "lxml": "6.0.4",
    "pillow": "12.2.0",
    "pyarrow": "23.0.0",
    "pypdf": "6.16.0",
    "python-multipart": "0.0.30",
    "requests": "2.32.5",
    "starlette": "1.3.0",
    "tqdm": "4.66.2",
    "urllib3": "2.6.3",
}


def requirements() -> list[Requirement]:
    extras = PROJECT["optional-dependencies"]
    listed = [*PROJECT["dependencies"], *(each for name in extras.keys() - ALONE for each in extras[name])]
    found = [Requirement(each) for each in listed]
    return [each for each in found if normal(each.name) != "svc-nb"]


def locked() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


@pytest.mark.parametrize("name", HOLES)
def test_no_version_with_a_known_hole_is_allowed(name):
    asked = [each for each in requirements() if normal(each.name) == name]
    assert asked
    assert not any(each.specifier.contains(HOLES[name]) for each in asked)


def test_every_requirement_has_an_exact_version_that_fits():
    versions = locked()
    assert [str(each) for each in requirements() if normal(each.name) not in versions] == []
    unfit = [str(each) for each in requirements() if not each.specifier.contains(versions[normal(each.name)])]
    assert unfit == []


def test_the_versions_are_for_every_machine():
    versions = locked()
    assert len(versions) > 100
    assert "svc-nb" not in versions
    assert not any(set(version) & set("+@/ ") for version in versions.values())
    assert list(versions) == sorted(versions)
