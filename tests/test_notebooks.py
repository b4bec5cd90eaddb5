"""The notebooks: saved with what they show, and running still, alone, offline and in an empty home.

They are saved anew with
`jupyter nbconvert --to notebook --execute --inplace --ExecutePreprocessor.record_timing=False notebooks/*.ipynb`.
"""

import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_CELLS = 25
MOST_BYTES = 2_000_000

KEY = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
MACHINE = re.compile(
    r"(?<![\w.:/])/(?:home|root|tmp|work|usr|var|opt|Users|private)/|[A-Z]:\\\\|site-packages|\.venv"
)
ADDRESS = re.compile(r"127\.0\.0\.1:\d+")

# In a process of its own: what the kernel's tools warn of is not ours, and the home is read when they are imported.
EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=240, kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[2])
"""

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def outputs(notebook):
    """What the cells show, without the pictures, whose bytes mean nothing as text."""
    for cell in notebook["cells"]:
        for output in copy.deepcopy(cell.get("outputs", [])):
            for media in [name for name in output.get("data", {}) if name.startswith("image/")]:
                del output["data"][media]
            yield output


def shown(notebook):
    """All that the cells show and the widgets keep, as one text; embedded pictures are left out."""
    kept = notebook["metadata"].get("widgets", {})
    return re.sub(r"base64,[\w+/=]+", "", json.dumps([list(outputs(notebook)), kept], ensure_ascii=False))


def pictures(notebook):
    return [
        data
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        for media, data in output.get("data", {}).items()
        if media.startswith("image/")
    ]


def check(notebook):
    """Nothing went wrong, nothing was warned of, and nothing tells of this machine or opens an account."""
    for output in outputs(notebook):
        assert output["output_type"] != "error", output
        assert output.get("name") != "stderr", output
    text = shown(notebook)
    for pattern in (KEY, MACHINE, ADDRESS, re.compile(r"Warning\b")):
        assert not pattern.search(text), text[max(0, pattern.search(text).start() - 80) :][:200]


@pytest.mark.parametrize(
    "spoilt",
    [
        {"output_type": "error", "ename": "ValueError"},
        {"output_type": "stream", "name": "stderr", "text": "oh"},
        {"output_type": "stream", "name": "stdout", "text": ["read /home/ann/x.csv"]},
        {"output_type": "display_data", "data": {"text/html": "<i>3f0c9d5e-94b2-4f38-8e61-2b9d03f4c7a5</i>"}},
        {"output_type": "display_data", "data": {"text/plain": "http://127.0.0.1:8765"}},
        {"output_type": "display_data", "data": {"text/plain": "x.py:3: UserWarning: only marked"}},
    ],
)
def test_a_spoilt_output_is_found(spoilt):
    notebook = {
        "cells": [{"outputs": [{"output_type": "stream", "name": "stdout", "text": "a/b: 5"}]}],
        "metadata": {},
    }
    check(notebook)
    notebook["cells"].append({"outputs": [spoilt]})
    with pytest.raises(AssertionError):
        check(notebook)


def test_there_are_notebooks_and_they_are_numbered():
    assert NOTEBOOKS
    assert [path.name[:3] for path in NOTEBOOKS] == [
        f"{number:02d}_" for number in range(1, len(NOTEBOOKS) + 1)
    ]


@every_notebook
def test_a_notebook_asks_one_question_in_at_most_25_cells(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert len(cells) <= MOST_CELLS
    title = "".join(cells[0]["source"]).splitlines()[0]
    assert re.fullmatch(r"# .*\?", title)
    assert not any("def " in "".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


@every_notebook
def test_a_notebook_is_saved_with_what_it_shows(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert len(pictures(notebook)) >= 3
    assert path.stat().st_size < MOST_BYTES
    check(notebook)


@pytest.mark.browser  # it needs what the browser tests install: a kernel, and something that runs it
@every_notebook
def test_a_notebook_runs_alone_in_an_empty_home(path, tmp_path):
    home, ended = tmp_path / "home", tmp_path / "ended.ipynb"
    home.mkdir()
    alien = ("SVC_", "XDG_", "JUPYTER", "IPYTHON", "MPL")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(alien)}
    environ |= {"HOME": str(home), "PYTHONIOENCODING": "utf-8", "JPY_SESSION_NAME": path.name}
    environ |= {
        "http_proxy": "http://127.0.0.1:9",
        "https_proxy": "http://127.0.0.1:9",
        "no_proxy": "127.0.0.1",
    }
    run = subprocess.run(
        [sys.executable, "-c", EXECUTE, str(path), str(ended)],
        env=environ,
        cwd=home,
        capture_output=True,
        encoding="utf-8",
        timeout=280,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    notebook = json.loads(ended.read_text(encoding="utf-8"))
    check(notebook)
    assert len(pictures(notebook)) >= 3
    assert str(home) not in shown(notebook)
