"""Every Python block of the README and of the pages beside it does what it says."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
README = HERE / "README.md"
PAGES = [README, *sorted(page for page in (HERE / "docs").glob("*.md") if ">>>" in page.read_text())]

SCRIPT = """
import doctest, sys
text = sys.stdin.read()
test = doctest.DocTestParser().get_doctest(text, {}, "page", "page", 0)
runner = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF)
runner.run(test)
sys.exit(runner.failures)
"""


def examples(page):
    return re.findall(r"```python\n(>>> .*?)```", page.read_text(), flags=re.S)


@pytest.mark.parametrize(
    "page",
    [README, *(pytest.param(page, marks=pytest.mark.long) for page in PAGES[1:])],
    ids=lambda page: page.name,
)
def test_the_python_blocks_run_as_shown(page, tmp_path):
    blocks = examples(page)
    assert all(doctest.DocTestParser().get_examples(block) for block in blocks)
    if page == README and not shutil.which("apertium"):
        pytest.skip("the README shows Apertium's translations: make translators says how to get it")
    fresh = {name: value for name, value in os.environ.items() if not name.startswith(("SVC_", "XDG_"))}
    fresh |= {"HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT],
        input="\n".join(blocks),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=fresh,
        cwd=tmp_path,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_readme_and_three_pages_have_examples():
    assert {"README.md", "columns.md", "glossaries.md", "usage.md"} <= {page.name for page in PAGES if examples(page)}


def test_it_is_short_enough_to_read():
    assert len(README.read_text().splitlines()) <= 150


def test_links_within_the_project_lead_somewhere():
    for page in [README, *(HERE / "docs").glob("*.md"), *(HERE / "notebooks").glob("*.md")]:
        targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)", page.read_text())
        targets += re.findall(r'\b(?:src|srcset)="([^"]+)"', page.read_text())
        assert not [target for target in targets if not (page.parent / target).exists()], page.name
