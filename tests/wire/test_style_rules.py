import pytest

from svc_nb import errors
from svc_nb.wire.models import CustomInstruction

RULES = {"dates_and_times": {"calendar_era": "use_bc_and_ad"}, "punctuation": {"serial_comma": "use"}}
OTHER_RULES = {"dates_and_times": {"calendar_era": "use_bce_and_ce"}}
INSTRUCTION = CustomInstruction("friendly", "Be friendly.", "de")


@pytest.fixture
def style(client):
    return client.style_rules.create("house", "EN", configured_rules=RULES, custom_instructions=[INSTRUCTION])


def test_a_list_is_created_and_shown(client, style):
    assert (style.name, style.language, style.version) == ("house", "en", 1)
    assert style.configured_rules == RULES
    (instruction,) = style.custom_instructions
    assert (instruction.label, instruction.prompt, instruction.source_language) == (
        "friendly",
        "Be friendly.",
        "de",
    )
    assert instruction.id
    assert style.creation_time.tzinfo
    assert client.style_rules.get(style.style_id) == style


def test_a_page_shows_rules_only_when_detailed(client, style):
    (plain,) = client.style_rules.list()
    assert (plain.style_id, plain.configured_rules, plain.custom_instructions) == (style.style_id, None, None)
    assert client.style_rules.list(detailed=True) == [style]
    assert client.style_rules.list(page=1, page_size=1) == []


def test_every_change_increments_the_version(client, style):
    rules = client.style_rules
    assert rules.rename(style.style_id, "home").version == 2
    changed = rules.replace_rules(style.style_id, OTHER_RULES)
    assert (changed.version, changed.name, changed.configured_rules) == (3, "home", OTHER_RULES)
    assert changed.custom_instructions == style.custom_instructions
    assert changed.updated_time >= style.updated_time


def test_instructions_are_added_shown_replaced_and_deleted(client, style):
    rules = client.style_rules
    added = rules.add_instruction(style.style_id, "short", "Be short.", source_language="FR")
    assert (added.label, added.prompt, added.source_language) == ("short", "Be short.", "fr")
    assert rules.instruction(style.style_id, added.id) == added
    replaced = rules.replace_instruction(style.style_id, added.id, "long", "Be long.")
    assert (replaced.id, replaced.label, replaced.prompt) == (added.id, "long", "Be long.")
    rules.delete_instruction(style.style_id, added.id)
    assert rules.get(style.style_id).custom_instructions == style.custom_instructions
    with pytest.raises(errors.NotFound):
        rules.instruction(style.style_id, added.id)


def test_a_deleted_list_is_gone(client, style):
    client.style_rules.delete(style.style_id)
    assert list(client.style_rules.iterate()) == []


ON_AN_UNKNOWN_LIST = [
    lambda each: each.get("none"),
    lambda each: each.rename("none", "n"),
    lambda each: each.delete("none"),
    lambda each: each.replace_rules("none", {}),
    lambda each: each.add_instruction("none", "l", "p"),
    lambda each: each.instruction("none", "i"),
    lambda each: each.replace_instruction("none", "i", "l", "p"),
    lambda each: each.delete_instruction("none", "i"),
]


def test_an_unknown_list_is_not_found(client):
    for call in ON_AN_UNKNOWN_LIST:
        with pytest.raises(errors.NotFound):
            call(client.style_rules)


WRONG = [
    lambda each, style: each.list(page_size=26),
    lambda each, style: each.list(page=-1),
    lambda each, style: each.create("n", "xx"),
    lambda each, style: each.create("", "en"),
    lambda each, style: each.create("n", "en", configured_rules={"no": {"such": "rule"}}),
    lambda each, style: each.replace_rules(style, {"punctuation": {"serial_comma": "no_such_option"}}),
    lambda each, style: each.add_instruction(style, "l" * 101, "p"),
    lambda each, style: each.replace_rules(style, {"no": {}}),
]


def test_wrong_rules_are_bad_requests(client, style):
    for call in WRONG:
        with pytest.raises(errors.BadRequest):
            call(client.style_rules, style.style_id)


def test_all_pages_are_walked_while_lists_are_added(client):
    made = [client.style_rules.create(f"list {number}", "en").style_id for number in range(7)]
    found = []
    for each in client.style_rules.iterate(page_size=3):
        found.append(each.style_id)
        if len(found) in (1, 4):
            client.style_rules.create("later", "en")
    assert [style_id for style_id in found if style_id in made] == made
    assert len(found) == len(set(found))


def test_every_list_is_walked_once_whatever_the_last_page_holds(client):
    made = []
    for _ in range(6):
        found = list(client.style_rules.iterate(page_size=2, detailed=True))
        assert [each.style_id for each in found] == made
        assert all(each.configured_rules == {} for each in found)
        made.append(client.style_rules.create("n", "en").style_id)
