"""Glossary panels that are closed in the end."""

from __future__ import annotations

import pytest

from svc_nb import glossaries, panels
from tests.panels.glossary.terms import terms

ANIMALS = terms(("dog", "Hund"), ("cat", "Katze"), ("cow", "Kuh"))


@pytest.fixture
def desk(connected):
    """Open a panel that is closed when the test ends: `desk("Animals")`; it has its answer."""
    opened = []

    def make(*args, **options) -> panels.Glossary:
        opened.append(panels.Glossary(*args, **options))
        assert opened[-1].wait(60)
        return opened[-1]

    yield make
    for each in opened:
        each.close()


@pytest.fixture
def animals(connected) -> str:
    """The id of a glossary of three animals, EN → DE."""
    found = glossaries.push(ANIMALS, "Animals").glossary_id
    assert found
    return found
