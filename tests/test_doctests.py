"""Every example in a docstring does what it shows."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "svc_nb").rglob("*.py"))
    if re.search(r"^ *>>> ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_run_as_shown(name):
    ended = doctest.testmod(import_module(name))
    assert ended.failed == 0
    assert ended.attempted > 0
