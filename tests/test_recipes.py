"""The page of recipes: every line on it runs as it stands, in the folder of the notebooks and an empty home."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "notebooks"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")

# Each block ends as a cell does: what its last line is worth is shown.
SCRIPT = """
import ast, sys, warnings
import matplotlib
matplotlib.use("Agg")
warnings.simplefilter("error")
from svc_nb.marked import MarkedOnly
warnings.simplefilter("ignore", MarkedOnly)  # no translator has every pair
import svc_nb

names = {}
for block in sys.stdin.read().split("\\0"):
    *lines, last = ast.parse(block).body
    if isinstance(last, ast.Expr):
        exec(compile(ast.Module(lines, []), "README.md", "exec"), names)
        assert eval(compile(ast.Expression(last.value), "README.md", "eval"), names) is not None, block
    else:
        exec(compile(ast.Module([*lines, last], []), "README.md", "exec"), names)
names["spanish"].to_csv("reviews.csv", index=False)
svc_nb.close()
"""


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A copy of the notebooks, in which the lines of Python were run."""
    there = tmp_path_factory.mktemp("recipes") / "notebooks"
    shutil.copytree(FOLDER, there, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    run(there, [sys.executable, "-c", SCRIPT], "\0".join(blocks("python")))
    return there


def run(folder, command, given):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SVC_", "XDG_"))}
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    fresh = {**kept, "HOME": str(folder.parent), "PYTHONIOENCODING": "utf-8", "PATH": programs}
    ended = subprocess.run(
        command, input=given, capture_output=True, encoding="utf-8", env=fresh, cwd=folder, timeout=200
    )
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-3000:]


@pytest.mark.long
def test_the_lines_of_python_run(folder):
    assert (folder / "spanish").is_dir()
    assert (folder / "03_style_rules.es.ipynb").is_file()


@pytest.mark.long
def test_the_lines_of_a_shell_run(folder):
    run(folder, ["bash", "-eu"], "\n".join(blocks("sh")))
    assert (folder / "reviews.en-us.csv").is_file()


def test_every_notebook_is_named_with_its_question():
    for path in sorted(FOLDER.glob("*.ipynb")):
        question = re.search(r'"# (.*\?)', path.read_text(encoding="utf-8"))[1]
        assert f"| [{path.stem}]({path.name}) | {question} |" in PAGE
