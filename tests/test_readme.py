"""Every Python block of the README does what it says."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"

SCRIPT = """
import doctest, sys
text = sys.stdin.read()
test = doctest.DocTestParser().get_doctest(text, {}, "README", "README.md", 0)
runner = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF)
runner.run(test)
sys.exit(runner.failures)
"""


def test_the_python_blocks_run_as_shown(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.S)
    assert len(blocks) >= 3
    assert all(doctest.DocTestParser().get_examples(block) for block in blocks)
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


def test_it_is_short_enough_to_read():
    assert len(README.read_text().splitlines()) <= 150
