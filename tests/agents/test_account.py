"""What an agent sees of the account: languages, pairs, what is used and what is left."""

from __future__ import annotations

import pytest

from tests.agents.conftest import Refused, account, agent_of


def test_languages_are_listed(agent):
    by_code = {each["code"]: each for each in agent("languages")["languages"]}
    assert by_code["DE"]["name"] == "German"
    assert by_code["DE"]["source"]
    assert by_code["EN-US"]["target"]
    assert not by_code["EN-US"]["source"]


def test_pairs_are_those_that_are_really_translated(agent):
    found = agent("pairs", target_lang="english")["pairs"]
    assert {"source_lang": "DE", "target_lang": "EN-US", "translator": "toy"} in found
    assert agent("pairs", target_lang="FR") == {"pairs": []}


def test_usage_and_quota_count_what_was_billed(agent):
    before = agent("quota")["character_count"]
    done = agent("translate", rows=["Was es kostet"], target_lang="EN-US", source_lang="DE", budget=100)
    quota = agent("quota")
    assert quota["character_count"] - before == done["billed_characters"] == 13
    assert quota["character_limit"] > quota["character_count"]
    used = agent("usage", start="2 days", group_by="total")
    assert used["total_rows"] == 1
    assert used["usage"][0]["total_characters"] == quota["character_count"]


def test_a_range_that_means_nothing_is_refused(agent):
    with pytest.raises(Refused, match="start"):
        agent("usage", start="next week")
    with pytest.raises(Refused, match="group_by: Input should be 'key_and_day'"):
        agent("usage", group_by="month")


@pytest.mark.long
def test_without_the_administrators_key_usage_says_what_the_person_sets(lasting, tmp_path):
    own = {name: value for name, value in account(lasting).items() if name != "SVC_ADMIN_KEY"}
    with agent_of(tmp_path, own) as agent, pytest.raises(Refused, match="SVC_ADMIN_KEY"):
        agent("usage")
