"""What an agent does with glossaries: it reads and compares freely, and pushes only what it was shown."""

from __future__ import annotations

import uuid
from contextlib import contextmanager

import pytest
from mcp.types import ElicitResult

from svc_nb.session import Session
from svc_nb.wire.models import Dictionary
from tests.agents.conftest import Refused, account, agent_of
from tests.agents.test_texts import HOSTILE


def terms(*pairs: tuple[str, str], langs: tuple[str, str] = ("DE", "EN")) -> list[dict[str, str]]:
    return [
        dict(zip(("source_lang", "target_lang", "source", "target"), (*langs, *pair), strict=True)) for pair in pairs
    ]


@pytest.fixture
def client(running):
    session = Session.embedded(running)
    yield session.client
    session.close()


@pytest.fixture
def name(client):
    """The name of a glossary that is there, with two terms."""
    called = f"Products {uuid.uuid4()}"
    client.glossaries.create(called, [Dictionary("de", "en", "Haus\thouse\nHof\tcourt")])
    return called


def pushed(agent, glossary, new, **how):
    shown = agent("glossary_diff", glossary=glossary, terms=new, **how)
    return agent("glossary_push", glossary=glossary, confirm=shown["confirm"])


def entries(agent, glossary):
    return {(each["source"], each["target"]) for each in agent("glossary_read", glossary=glossary)["terms"]}


def test_glossaries_are_listed_and_read(agent, name):
    (listed,) = [each for each in agent("glossary_list")["glossaries"] if each["name"] == name]
    assert (listed["pairs"], listed["entry_count"]) == ("DE → EN", 2)
    read = agent("glossary_read", glossary=listed["glossary_id"])
    assert read == {"terms": terms(("Haus", "house"), ("Hof", "court")), "total": 2}
    assert agent("glossary_read", glossary=name, target_lang="fr") == {"terms": [], "total": 0}


def test_a_large_glossary_is_read_in_parts(agent, client):
    name = f"Large {uuid.uuid4()}"
    client.glossaries.create(name, [Dictionary("de", "en", "\n".join(f"Wort{n}\tword{n}" for n in range(1200)))])
    found, start = [], 0
    while start is not None:
        part = agent("glossary_read", glossary=name, start=start)
        assert part["total"] == 1200
        found += part["terms"]
        start = part.get("next_start")
    assert len({each["source"] for each in found}) == len(found) == 1200


def test_terms_are_checked(agent):
    found = agent("glossary_lint", terms=terms(("Haus", "house"), ("Haus", "home"), ("", "x")))
    assert {(each["row"], each["severity"]) for each in found["findings"]} >= {(1, "error"), (2, "error")}


def test_a_diff_shows_the_changes_and_changes_nothing(agent, name):
    shown = agent("glossary_diff", glossary=name, terms=terms(("Haus", "home"), ("Hut", "hat")))
    assert shown["counts"] == {"added": 1, "changed": 1, "removed": 0}
    assert {(each["change"], each["source"], each["target_before"], each["target"]) for each in shown["changes"]} == {
        ("changed", "Haus", "house", "home"),
        ("added", "Hut", None, "hat"),
    }
    assert entries(agent, name) == {("Haus", "house"), ("Hof", "court")}


def test_a_push_makes_what_the_diff_showed_and_others_stay(agent, name):
    done = pushed(agent, name, terms(("Haus", "home"), ("Hut", "hat")))
    assert "was changed: 1 added, 1 changed, 0 removed in 1 pair" in done["said"]
    assert done["undo"] == f"svc-nb glossary undo {done['glossary_id']}"
    assert entries(agent, name) == {("Haus", "home"), ("Hof", "court"), ("Hut", "hat")}


def test_terms_are_removed_where_that_is_wanted_and_other_pairs_stay(agent, name):
    pushed(agent, name, terms(("chat", "cat"), langs=("FR", "EN")))
    shown = agent("glossary_diff", glossary=name, terms=terms(("Haus", "house")), remove_others=True)
    assert shown["counts"] == {"added": 0, "changed": 0, "removed": 1}
    agent("glossary_push", glossary=name, confirm=shown["confirm"])
    assert entries(agent, name) == {("Haus", "house"), ("chat", "cat")}


def test_a_new_glossary_is_made(agent):
    name = f"New {uuid.uuid4()}"
    assert agent("glossary_diff", glossary=name, terms=terms(("Haus", "house")))["new_glossary"]
    assert "was created with 1 term" in pushed(agent, name, terms(("Haus", "house")))["said"]
    assert entries(agent, name) == {("Haus", "house")}


def test_where_nothing_differs_there_is_nothing_to_confirm(agent, name):
    shown = agent("glossary_diff", glossary=name, terms=terms(("Haus", "house")))
    assert (shown["confirm"], shown["changes"]) == (None, [])


@pytest.mark.parametrize("confirm", ["", "yes", "true", "00000000"])
def test_a_push_without_the_confirm_of_a_diff_is_refused(agent, name, confirm):
    with pytest.raises(Refused, match="Nothing was pushed: confirm is not one that glossary_diff gave"):
        agent("glossary_push", glossary=name, confirm=confirm)
    with pytest.raises(Refused, match="confirm: Field required"):
        agent("glossary_push", glossary=name)
    assert entries(agent, name) == {("Haus", "house"), ("Hof", "court")}


def test_a_confirm_is_good_for_its_own_glossary_and_once(agent, name):
    shown = agent("glossary_diff", glossary=name, terms=terms(("Hut", "hat")))
    with pytest.raises(Refused, match=f"Nothing was pushed: confirm is for '{name}'"):
        agent("glossary_push", glossary="Other", confirm=shown["confirm"])
    agent("glossary_push", glossary=name, confirm=shown["confirm"])
    with pytest.raises(Refused, match="confirm is not one that glossary_diff gave"):
        agent("glossary_push", glossary=name, confirm=shown["confirm"])


def test_what_others_changed_since_the_diff_is_kept(agent, name, client):
    shown = agent("glossary_diff", glossary=name, terms=terms(("Hut", "hat")))
    (glossary,) = [each for each in client.glossaries.list() if each.name == name]
    client.glossaries.replace_dictionary(glossary.glossary_id, Dictionary("de", "en", "Haus\tbuilding\nHof\tcourt"))
    agent("glossary_push", glossary=name, confirm=shown["confirm"])
    assert entries(agent, name) == {("Haus", "building"), ("Hof", "court"), ("Hut", "hat")}


def test_where_others_changed_the_same_since_the_diff_nothing_is_pushed(agent, name, client):
    shown = agent("glossary_diff", glossary=name, terms=terms(("Haus", "home")))
    (glossary,) = [each for each in client.glossaries.list() if each.name == name]
    client.glossaries.replace_dictionary(glossary.glossary_id, Dictionary("de", "en", "Haus\tbuilding\nHof\tcourt"))
    with pytest.raises(Refused, match=r"1 term changed differently here and on the service. Nothing was sent"):
        agent("glossary_push", glossary=name, confirm=shown["confirm"])
    assert ("Haus", "building") in entries(agent, name)


def test_what_the_service_would_refuse_gets_no_confirm(agent, name):
    with pytest.raises(Refused, match="`glossary_lint`"):
        agent("glossary_diff", glossary=name, terms=terms(("Haus", "house"), ("Haus", "home")))


def test_terms_that_look_like_something_else_stay_terms(agent):
    name, wanted = f"../{uuid.uuid4()} {{0}} <b>", [text for text in HOSTILE if text.isprintable() or "👩" in text]
    pushed(agent, name, terms(*[(text, f"{text}!") for text in wanted]))
    assert entries(agent, name) == {(text, f"{text}!") for text in wanted}


def test_terms_have_four_columns_and_no_others(agent):
    with pytest.raises(Refused, match=r"terms.0.target: Field required"):
        agent("glossary_diff", glossary="x", terms=[{"source_lang": "DE", "target_lang": "EN", "source": "a"}])
    with pytest.raises(Refused, match=r"terms.0.path: Extra inputs are not permitted"):
        agent("glossary_lint", terms=[{**terms(("a", "b"))[0], "path": "/etc/passwd"}])


# ---- where the client can ask the person


@contextmanager
def asking(lasting, folder, mode, action, content):
    questions = []

    async def answer(context, question):
        questions.append(question.message)
        return ElicitResult(action=action, content=content)

    with agent_of(folder, account(lasting), mode=mode, elicitation_callback=answer) as agent:
        yield agent, questions


@pytest.mark.long
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(
    ("action", "content", "agrees"),
    [("accept", {"push": True}, True), ("accept", {"push": False}, False), ("decline", None, False)],
)
def test_a_client_that_can_ask_asks_the_person_before_a_push(lasting, tmp_path, name, mode, action, content, agrees):
    with asking(lasting, tmp_path, mode, action, content) as (agent, questions):
        shown = agent("glossary_diff", glossary=name, terms=terms(("Hut", "hat")))
        assert questions == []
        if agrees:
            agent("glossary_push", glossary=name, confirm=shown["confirm"])
        else:
            with pytest.raises(Refused, match="Nothing was pushed: the person did not agree"):
                agent("glossary_push", glossary=name, confirm=shown["confirm"])
        assert questions == [f"svc_nb is to change the glossary {name!r}: 1 added, 0 changed, 0 removed. Push?"]
        assert (("Hut", "hat") in entries(agent, name)) == agrees
        with pytest.raises(Refused, match="confirm is not one"):
            agent("glossary_push", glossary=name, confirm=shown["confirm"])
        assert len(questions) == 1
