"""Style rule panels with their answer, that are closed in the end."""

from __future__ import annotations

import pytest

from svc_nb import style_rules
from svc_nb.panels import StyleRules

RULES = {"punctuation": {"serial_comma": "use"}, "style_and_tone": {"instructions_style": "use_imperative"}}


@pytest.fixture
def house(connected):
    """A list on the service: English, two rules, one instruction."""
    style = style_rules.Style(RULES, name="House", language="en")
    first = style_rules.push(style).after
    connected.client.style_rules.add_instruction(first.style_id, "Tone", "Be brief.")
    return style_rules.pull(first.style_id)


@pytest.fixture
def opened(connected):
    """Open a panel that has its answer: `opened(style_id)`."""
    made = []

    def make(*args, **options) -> StyleRules:
        made.append(StyleRules(*args, **options))
        assert made[-1].wait(60)
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def panel(opened, house) -> StyleRules:
    """A panel with `house` open."""
    return opened(house.style_id)


def pushed(panel: StyleRules) -> StyleRules:
    """Push as a person does, and wait."""
    panel.push()
    assert panel.wait(60)
    panel.confirm()
    assert panel.wait(60)
    assert panel.problem is None
    return panel
