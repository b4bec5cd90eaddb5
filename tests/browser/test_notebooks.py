"""A worked notebook, run from top to bottom in JupyterLab, alone, offline and in an empty home."""

from __future__ import annotations

from tests import worked_notebooks as worked

MODEL = "() => window.jupyterapp.shell.currentWidget.model.toJSON()"


def test_a_notebook_shows_in_jupyterlab_what_it_was_saved_with(show_in):
    worked.need_translators()
    (path,) = (path for path in worked.PATHS if path.stem.startswith("02_"))
    screen = show_in("lab", path)
    worked.check_same(screen.page.evaluate(MODEL), worked.read(path))
