"""The worked notebooks, run from top to bottom in JupyterLab, alone, offline and in an empty home."""

from __future__ import annotations

import os
import time

import pytest

from svc_nb import service
from tests import worked_notebooks as worked

SECONDS = 90  # each takes less than 30 on a machine that has nothing else to do
NEEDED = {("en", "es"), ("es", "fr"), *((source, "en-us") for source in ("es", "fr", "it", "pt", "ro"))}
LACKING = "what the notebooks were saved with, Apertium, is not installed; make translators gets it"
MODEL = "() => window.jupyterapp.shell.currentWidget.model.toJSON()"


@pytest.fixture(scope="module")
def translators() -> None:
    """The translators that the notebooks were saved with; without them the test is skipped, and in CI it fails."""
    with service.start(memory=True) as running:
        engines = running.pairs()
    if {engines.get(pair) for pair in NEEDED} != {"apertium"}:
        (pytest.fail if "CI" in os.environ else pytest.skip)(LACKING)


@pytest.mark.parametrize("path", worked.PATHS, ids=lambda path: path.stem)
def test_a_notebook_shows_in_jupyterlab_what_it_was_saved_with(path, translators, show_in):
    began = time.monotonic()
    screen = show_in("lab", path)
    assert time.monotonic() - began < SECONDS
    notebook = screen.page.evaluate(MODEL)
    worked.check(notebook)
    saved = worked.read(path)
    assert len(worked.pictures(notebook)) == len(worked.pictures(saved))
    for anew, before in zip(worked.code(notebook), worked.code(saved), strict=True):
        assert worked.said(anew) == worked.said(before), (
            "it shows something else now; make notebooks saves it"
        )
