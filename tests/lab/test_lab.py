"""What a kernel answers the JupyterLab extension."""

from __future__ import annotations

import json
import re
import threading
from concurrent.futures import Future
from datetime import UTC, datetime

import pytest

from svc_nb import lab, session, supported
from svc_nb.engine.billing import PROCESS_BILLED
from svc_nb.service import Fault
from svc_nb.wire.models import Dictionary, Usage
from svc_nb.wire.models.admin import UNLIMITED
from tests.waiting import until


@pytest.fixture
def unconnected():
    before = session.make_current(None)
    yield
    session.make_current(before)


def test_status_does_not_connect(unconnected):
    told = json.loads(lab.status())
    assert told == {"connected": False, "characters": PROCESS_BILLED.characters}
    assert session.known() is None
    assert json.loads(lab.account()) == {}


def test_a_status_says_with_what_there_is_a_session(connected):
    told = json.loads(lab.status())
    assert told["connected"] is True
    assert told["embedded"] is True
    assert told["title"] == "Embedded service"
    assert told["address"] == connected.base_url
    assert json.loads(lab.account())["session"] == told["session"]


def test_another_session_has_another_number_and_a_sample_is_told(unconnected, connected):
    number = json.loads(lab.status())["session"]
    session.connect("another-key", base_url=connected.base_url)
    assert json.loads(lab.status())["session"] != number
    session.connect(sample=True)
    assert json.loads(lab.status())["title"] == "Embedded service · sample data"


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
    assert re.search(r"on the host that belongs to the key\. \(trace \w+\)$", told["error"])


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
    told = json.loads(lab.translate_cell("A red door", "markdown", "xx"))
    assert told == {"error": "Unknown language “xx”. Change it in Settings › Translation."}


def test_a_language_may_be_given_by_its_name(connected):
    assert json.loads(lab.translate_cell("A red door", "markdown", "Spanish"))["target"] == "ES"


def test_what_no_translator_has_stays_as_it_is_and_is_not_billed(marking):
    told = json.loads(lab.translate_cell("The **door** of the house is open today.", "markdown", "KO"))
    assert told["text"] == "The **door** of the house is open today."
    assert told["untranslated"]
    assert told["characters"] == 0
    assert told["notes"] == ["Not translated: no translator for English → Korean."]


def test_a_text_in_the_language_already_is_not_sent(connected):
    told = json.loads(lab.translate_cell("The door of the house is open today.", "markdown", "EN-US"))
    assert told["already"]
    assert told["characters"] == 0
    assert not json.loads(lab.translate_cell("answer = 42", "code", "EN-US"))["already"]


def test_the_languages_are_all_that_the_service_translates_into(connected):
    known = json.loads(lab.languages())["languages"]
    table = supported.languages()
    assert [each["code"] for each in known] == table["code"][table["target"]].tolist()
    assert {"code": "CA", "name": "Catalan"} in known


def whose(tab="a tab") -> dict:
    return json.loads(lab.whose(tab))


def test_without_a_session_it_is_told_whose_account_would_be_shown(unconnected, monkeypatch):
    assert whose() == {
        "account": "the embedded service",
        "name": "the embedded service",
        "short": "embedded",
        "connected": False,
        "shown": False,
    }
    monkeypatch.setenv("SVC_BASE_URL", "https://api.example.com")
    monkeypatch.setenv("SVC_API_KEY", "a-key")
    assert whose()["name"] == "api.example.com"
    assert session.known() is None


def test_the_same_key_is_the_same_account_and_another_key_is_another(connected, running, unconnected):
    def account(key: str, **settings) -> str:
        session.connect(key, base_url=running.base_url, **settings)
        return whose()["account"]

    first = account(running.api_key)
    assert first.startswith(running.base_url)
    assert account(running.api_key, tries=2) == first
    assert account(running.create_key("other")) != first
    session.connect(sample=True)
    assert whose()["name"] == "the embedded service with the sample"


def test_a_tab_shows_its_panel_again_as_long_as_the_kernel_has_it(connected):
    from svc_nb.panels import Glossary

    lab.show("glossary", "tab")
    panel = lab._shown["tab"]
    assert isinstance(panel, Glossary)
    assert whose("tab")["shown"] is True
    lab.show("glossary", "tab")
    assert lab._shown["tab"] is panel
    assert json.loads(lab.close("tab")) == {"closed": True}
    assert json.loads(lab.close("tab")) == {"closed": False}
    assert whose("tab")["shown"] is False
    until(lambda: panel.widget.comm is None)


def test_caps_that_were_not_sent_are_told_with_the_names_of_their_keys(unconnected, connected):
    session.connect(sample=True)
    lab.show("usage", "tab")
    caps = lab._shown["tab"].caps
    caps.open()
    assert caps.wait()
    assert json.loads(lab.unsent("tab")) == {"unsent": "", "draft": ""}
    caps.write(next(key_id for key_id, name in caps.names.items() if name == "Web shop"), "characters", "5000")
    told = json.loads(lab.unsent("tab"))
    lab.close("tab")
    assert told["unsent"] == "1 cap has not been sent."
    lab.show("usage", "tab", draft=told["draft"])
    caps = lab._shown["tab"].caps
    assert caps.wait()
    assert "• Web shop: 5,000 characters a month" in caps.line.text
    lab.close("tab")
    session.make_current(connected)
    lab.show("usage", "tab", draft=told["draft"])
    caps = lab._shown["tab"].caps
    assert caps.wait()
    assert caps.line.text == "Left out, because they can no longer be changed: Web shop."
    lab.close("tab")


def test_no_answer_has_a_key(connected, unwarned):
    answers = [
        lab.status(),
        lab.connect(),
        lab.account(),
        lab.languages(),
        lab.whose("a tab"),
        lab.translate_cell("A red door", "markdown", "DE"),
    ]
    for key in (connected.service.api_key, connected.service.admin_key):
        assert not any(key in answer for answer in answers)


def test_every_panel_that_can_be_shown_is_there():
    from svc_nb import panels

    assert set(lab.PANELS.values()) <= set(panels.__all__)
