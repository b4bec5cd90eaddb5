"""What a kernel answers the JupyterLab extension."""

from __future__ import annotations

import json
import threading
from concurrent.futures import Future
from datetime import UTC, datetime

import pytest

from svc_nb import lab, session
from svc_nb.engine.billing import PROCESS_BILLED
from svc_nb.service import Fault
from svc_nb.wire.models import Dictionary, Usage
from svc_nb.wire.models.admin import UNLIMITED


@pytest.fixture
def unconnected():
    before = session.make_current(None)
    yield
    session.make_current(before)


def test_a_status_connects_nobody(unconnected):
    told = json.loads(lab.status())
    assert told == {"connected": False, "characters": PROCESS_BILLED.characters}
    assert session.known() is None
    assert json.loads(lab.account()) == {}


def test_a_status_says_with_what_there_is_a_session(connected):
    told = json.loads(lab.status())
    assert told["connected"] is True
    assert told["embedded"] is True
    assert told["address"] == connected.base_url


def test_to_connect_twice_keeps_the_session(connected):
    assert json.loads(lab.connect()) == json.loads(lab.status())
    assert session.known() is connected


def test_the_account_has_the_quota_and_the_glossaries(connected):
    terms = [Dictionary("en", "de", "door\tTür\nwall\tWand"), Dictionary("en", "fr", "door\tporte")]
    made = connected.client.glossaries.create("Doors", terms)
    told = json.loads(lab.account())
    assert told["quota"]["limit"] is None
    assert told["glossaries"] == [
        {"id": made.glossary_id, "name": "Doors", "pairs": [["en", "de"], ["en", "fr"]], "terms": 3}
    ]


@pytest.mark.parametrize(
    ("of_key", "expected"),
    [
        ((None, None), ("plan", 60, 100)),
        ((5, 10), ("key", 5, 10)),
        ((5, 1000), ("plan", 60, 100)),
    ],
)
def test_the_limit_that_is_nearest_counts(of_key, expected):
    usage = Usage(60, 100, api_key_character_count=of_key[0], api_key_character_limit=of_key[1])
    told = lab.quota(usage)
    assert (told["of"], told["used"], told["limit"]) == expected


def test_a_quota_says_until_when_it_counts():
    usage = Usage(0, UNLIMITED, end_time=datetime(2026, 12, 1, tzinfo=UTC))
    assert lab.quota(usage) == {"of": "plan", "used": 0, "limit": None, "until": "2026-12-01T00:00:00+00:00"}


def test_a_service_that_takes_its_time_holds_the_kernel_for_a_moment_only(connected, monkeypatch):
    monkeypatch.setattr(lab, "MOMENT", 0.01)
    answered = threading.Event()
    real = lab._account
    monkeypatch.setattr(lab, "_account", lambda session: answered.wait(30) and real(session))
    assert json.loads(lab.account()) == {"asking": True}
    assert json.loads(lab.account()) == {"asking": True}
    answered.set()
    monkeypatch.setattr(lab, "MOMENT", 30)
    assert json.loads(lab.account())["glossaries"] == []
    assert not lab._asked


def test_what_a_thread_raises_is_the_answer():
    def fail():
        raise ValueError("no")

    future: Future[None] = lab.in_thread(fail)
    with pytest.raises(ValueError, match="no"):
        future.result(10)


def test_an_error_is_one_line(connected, running):
    running.faults.add(Fault("status", status=403))
    told = json.loads(lab.account())
    assert list(told) == ["error"]
    assert "\n" not in told["error"]


def test_a_cell_is_translated_and_its_price_is_told(connected, unwarned):
    told = json.loads(lab.translate_cell("# Red\n\nA [door](https://example.com) and $x^2$.", "markdown", "DE"))
    assert "](https://example.com)" in told["text"]
    assert "$x^2$" in told["text"]
    assert told["text"].startswith("# ")
    assert told["characters"] > 0
    again = json.loads(lab.translate_cell("# Red\n\nA [door](https://example.com) and $x^2$.", "markdown", "DE"))
    assert again["text"] == told["text"]
    assert again["characters"] == 0


def test_of_a_code_cell_only_comments_and_docstrings_are_translated(connected):
    source = 'def f():\n    """Open the red door."""\n    return "the red door"  # because it is closed\n'
    told = json.loads(lab.translate_cell(source, "code", "DE"))
    assert told["text"] != source
    assert 'return "the red door"' in told["text"]


def test_a_language_that_the_service_does_not_have_is_told_in_a_line(connected):
    told = json.loads(lab.translate_cell("A red door", "markdown", "XX"))
    assert list(told) == ["error"]


def test_the_languages_are_those_of_the_service(connected):
    known = json.loads(lab.languages())["languages"]
    assert {"DE", "EN-US", "PT-BR"} <= set(known)
    assert known == sorted(known)


def test_no_answer_has_a_key(connected, unwarned):
    answers = [
        lab.status(),
        lab.connect(),
        lab.account(),
        lab.languages(),
        lab.translate_cell("A red door", "markdown", "DE"),
    ]
    for key in (connected.service.api_key, connected.service.admin_key):
        assert not any(key in answer for answer in answers)


def test_every_panel_that_can_be_shown_is_there():
    from svc_nb import panels

    assert set(lab.PANELS.values()) <= set(panels.__all__)
