"""A notebook that is saved with the documents panel in it holds neither a text nor a key nor a name."""

from __future__ import annotations

import re

import pytest

from tests.panels.documents.samples import SECRET
from tests.panels.secrecy import assert_not_saved, saved

CONNECTED = """
import os, svc_nb
from svc_nb import panels
os.chdir({place!r})
svc_nb.connect({api_key!r}, base_url={base_url!r}, store={store!r})
"""
SHOWN = """
panel = panels.Documents(target_lang="DE")
message = {{"kind": "piece", "number": "1", "name": "secret-plan.txt", "size": len({text!r}), "at": 0}}
panel.layout.drop.hear(message, [{text!r}])
panel.wait(60)
panel.translate().wait(60)
assert panel.table["status"].tolist() == ["done"]
panel.save().wait(10)
panel
"""
FAILED = """
(panel.out / "secret-plan.txt").unlink()
panel.layout.buttons["save_all"].click()
panel.wait(10)
assert panel.line.kind == "error"
panel
"""
DOCUMENT_KEY = re.compile("[0-9A-F]{64}")


@pytest.mark.long
def test_the_documents_panel_keeps_no_text_no_key_and_no_name(running, tmp_path):
    import nbformat

    own = {"api_key": running.api_key, "base_url": running.base_url, "place": str(tmp_path)}
    begun = CONNECTED.format(store=str(tmp_path / "answers.sqlite"), **own)
    notebook = saved(begun, SHOWN.format(text=SECRET.encode()), FAILED)
    assert_not_saved(notebook, running.api_key, SECRET, "Zarquon", "secret-plan")
    for cell in notebook.cells:  # what was typed is the person's own
        cell.source = ""
    assert not DOCUMENT_KEY.search(nbformat.writes(notebook))
