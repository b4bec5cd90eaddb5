"""Retry in every panel: what a wrong key could not ask is asked with the key that is connected by then."""

from __future__ import annotations

import pytest

import svc_nb
from svc_nb import panels
from svc_nb.wire.models import Dictionary
from tests.sessions import current

MAKERS = {
    "glossary": lambda: panels.Glossary("Products"),
    "style_rules": lambda: panels.StyleRules("House"),
    "usage": panels.Usage,
    "documents": lambda: panels.Documents(target_lang="DE"),
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_retry_asks_with_the_key_that_is_connected_by_then(running, connected, name):
    connected.client.glossaries.create("Products", [Dictionary("en", "de", "backpack\tRucksack")])
    connected.client.style_rules.create("House", "en")
    where = {"base_url": running.base_url, "store": ":memory:"}
    with current(svc_nb.connect("wrong-key", admin_key="wrong-key", **where)), MAKERS[name]() as panel:
        assert panel.wait()
        assert panel.line.retry == "Retry", panel.line.text
        with current(svc_nb.connect(running.api_key, admin_key=running.admin_key, **where)):
            panel.retry()
            assert panel.wait()
            assert panel.problem is None, panel.line.text
            if name == "glossary":
                assert panel.table["source"].tolist() == ["backpack"]
