"""The worked notebooks as they are saved: short, with one question each, and outputs that tell nothing private."""

import copy
import re
from base64 import b64decode, b64encode

import pytest

from tests import worked_notebooks as worked
from tests.worked_notebooks import check, read

MOST_CELLS = 25
MOST_BYTES = 600_000  # of all together
NAMES = [
    "01_clean_a_multilingual_dataset",
    "02_curate_a_glossary",
    "03_style_rules",
    "04_usage_by_key_and_day",
    "05_documents_and_memories",
    "06_large_runs_and_clusters",
    "07_review_and_score_translations",
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


def test_pictures_are_saved_small_and_look_the_same():
    from io import BytesIO

    from PIL import Image, ImageDraw

    drawn = Image.new("RGB", (1600, 800), "white")
    for place in range(0, 700, 70):
        ImageDraw.Draw(drawn).ellipse((place, place, place + 300, place + 90), fill="#2f6f9f", outline="#c2703d")
    made = BytesIO()
    drawn.resize((400, 200)).save(made, "PNG")
    picture = b64encode(made.getvalue()).decode()
    data = {"image/png": picture + "\n", "text/html": [f"<img src='data:image/png;base64,{picture}'>", "<p>"]}
    worked.shrink(data)
    assert len(data["image/png"]) < len(picture)
    assert "".join(data["text/html"]) == f"<img src='data:image/png;base64,{data['image/png']}'><p>"
    now, before = (Image.open(BytesIO(b64decode(each))).convert("L") for each in (data["image/png"], picture))
    assert now.size == before.size
    assert max(abs(a - b) for a, b in zip(now.tobytes(), before.tobytes(), strict=True)) < 40


def test_a_live_widget_is_not_what_a_cell_says():
    still = {"data": {"text/plain": "the panel"}}
    live = {"data": {worked.WIDGET: {"model_id": "1"}, "text/plain": "the panel"}}
    assert worked.said({"outputs": [live, still]}) == worked.said({"outputs": [still]})


def test_the_seven_notebooks_are_there():
    assert [path.stem for path in worked.PATHS] == NAMES


def test_all_notebooks_together_are_small_enough_to_clone_and_to_open_on_the_web():
    assert sum(path.stat().st_size for path in worked.PATHS) < MOST_BYTES


@every_notebook
def test_a_notebook_asks_one_question_in_at_most_25_cells(path):
    cells = read(path)["cells"]
    assert len(cells) <= MOST_CELLS
    assert re.fullmatch(r"# .*\?", source(cells[0]).splitlines()[0])
    assert not any(source(cell).startswith("# ") for cell in cells[1:] if cell["cell_type"] == "markdown")
    assert not any("def " in source(cell) for cell in worked.code({"cells": cells}))


@every_notebook
def test_a_notebook_begins_with_what_you_will_have_and_ends_with_exercises(path):
    first, *_, last = read(path)["cells"]
    assert "**At the end you will have**" in source(first)
    assert "## Your turn\n\n1. " in source(last)
    assert 2 <= len(re.findall(r"^\d\. ", source(last), flags=re.MULTILINE)) <= 3


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
