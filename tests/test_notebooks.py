"""The worked notebooks as they are saved: short, with one question each, and outputs that tell nothing private."""

import copy
import re

import pytest

from tests import worked_notebooks as worked
from tests.worked_notebooks import check, read

MOST_CELLS = 25
MOST_BYTES = 1_000_000
NAMES = [
    "01_clean_a_multilingual_dataset",
    "02_curate_a_glossary",
    "03_style_rules",
    "04_usage_by_key_and_day",
    "05_documents_and_memories",
    "06_large_runs_and_clusters",
]

every_notebook = pytest.mark.parametrize("path", worked.PATHS, ids=lambda path: path.stem)


def source(cell):
    return "".join(cell["source"])


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


def test_what_passes_from_run_to_run_makes_no_difference_and_all_else_does():
    shown = "0 2026-11-16 01:42:43+00:00  a95c********3ced   277 in 0.1 seconds"
    later = "0 2027-01-02 11:00:00+00:00   0b5c********3c00  277 in 12.5 seconds"
    cells = [{"outputs": [{"data": {"text/plain": [text]}}]} for text in (shown, later, later.replace("277", "278"))]
    first, second, third = map(worked.said, cells)
    assert first == second != third


def test_a_live_widget_is_not_what_a_cell_says():
    still = {"data": {"text/plain": "the panel"}}
    live = {"data": {worked.WIDGET: {"model_id": "1"}, "text/plain": "the panel"}}
    assert worked.said({"outputs": [live, still]}) == worked.said({"outputs": [still]})


def test_the_six_notebooks_are_there():
    assert [path.stem for path in worked.PATHS] == NAMES


@every_notebook
def test_a_notebook_asks_one_question_in_at_most_25_cells(path):
    cells = read(path)["cells"]
    assert len(cells) <= MOST_CELLS
    assert re.fullmatch(r"# .*\?", source(cells[0]).splitlines()[0])
    assert not any(source(cell).startswith("# ") for cell in cells[1:] if cell["cell_type"] == "markdown")
    assert not any("def " in source(cell) for cell in worked.code({"cells": cells}))


@every_notebook
def test_a_notebook_says_whose_data_it_shows(path):
    told = source(read(path)["cells"][0])
    assert "invented" in told or "BSD-3-Clause" in told


@every_notebook
def test_a_notebook_is_saved_with_what_it_shows(path):
    notebook = read(path)
    code = worked.code(notebook)
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert worked.pictures(notebook)
    assert path.stat().st_size < MOST_BYTES
    check(notebook)


@every_notebook
def test_a_panel_is_saved_as_what_it_shows_and_not_as_widgets(path):
    notebook = read(path)
    assert "widgets" not in notebook["metadata"]
    assert not any(worked.WIDGET in output.get("data", {}) for output in worked.outputs(notebook))


@every_notebook
def test_only_what_changed_differs_in_the_file_of_a_notebook_that_is_saved_anew(path):
    notebook = read(path)
    assert worked.written(copy.deepcopy(notebook)) == path.read_text(encoding="utf-8")
    assert [cell["id"] for cell in notebook["cells"]] == [
        f"{notebook['cells'][0]['id'][:-3]}-{number:02d}" for number in range(len(notebook["cells"]))
    ]


# The second one is run in JupyterLab, by the browser's tests.
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[] if "04_" in path.stem else pytest.mark.long)
        for path in worked.PATHS
        if "02_" not in path.stem
    ],
    ids=lambda path: path.stem,
)
def test_a_notebook_shows_in_a_kernel_what_it_was_saved_with(path):
    rerun = worked.run(path)
    worked.need_translators()
    worked.check_same(rerun, worked.read(path))
