"""Pull and push over real HTTP: only the needed calls, nothing made twice, nothing sent that would be refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from svc_nb import errors
from svc_nb.style_rules import sync
from svc_nb.style_rules.diff import diff
from svc_nb.style_rules.files import read
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.sync import STYLES, listed, pull
from svc_nb.style_rules.table import mapped, nouns
from svc_nb.sync.changes import delete
from svc_nb.sync.undo import undo
from svc_nb.wire.models import CustomInstruction
from tests import forked
from tests.counters import quiet
from tests.style_rules.drawn import HOSTILE, RULES, right_styles, styles
from tests.waiting import until

CREATE = "POST /v3/style_rules"
ONE = "/v3/style_rules/{style_id}"
ADD = f"POST {ONE}/custom_instructions"
REPLACE = f"PUT {ONE}/custom_instructions/{{instruction_id}}"
DELETE = f"DELETE {ONE}/custom_instructions/{{instruction_id}}"
WRITES = [CREATE, f"PUT {ONE}/configured_rules", DELETE, REPLACE, ADD, f"PATCH {ONE}"]
FEW = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


FOLDER = tempfile.TemporaryDirectory()


def push(client, style, *, backups=None, **how):
    """A push whose backups are looked at only where they are given."""
    return sync.push(client, style, backups=backups or STYLES.backups(FOLDER.name, origin="anywhere"), **how)


@pytest.fixture
def client(connected):
    return connected.client


@pytest.fixture
def name():
    """Lists are found by name, and the service of this file has those of all its tests."""
    return f"house {uuid.uuid4()}"


@pytest.fixture
def writes(running):
    """The writes since this was asked for, by operation."""

    def count():
        quiet(running)
        return {
            operation: sum(n for (op, _), n in running.traffic.answered.items() if op == operation)
            for operation in WRITES
        }

    before = count()
    return lambda: {operation: n - before[operation] for operation, n in count().items() if n > before[operation]}


def house(name, **members):
    told = [CustomInstruction("tone", "Be kind."), CustomInstruction("brevity", "Be brief.", "fr")]
    return Style(RULES, told, **{"name": name, "language": "en", **members})


def lists(client, name):
    return [each for each in client.style_rules.iterate() if each.name == name]


def test_a_list_that_is_not_there_is_created_in_one_call(client, name, writes):
    report = push(client, house(name))
    assert writes() == {CREATE: 1}
    assert report["step"].tolist() == ["create"]
    assert report["done"].tolist() == [True]
    assert report.before is None
    assert report.after == pull(client, report.after.style_id)
    assert len(diff(house(name), report.after)) == 0
    assert report.after.style_id in report.said


def test_what_is_as_wanted_is_left_alone(client, name, writes):
    made = push(client, house(name)).after
    for again in (house(name), made, house(name).replace(rules=house(name).rules.iloc[::-1])):
        report = push(client, again)
        assert len(report) == 0
        assert "Nothing to do" in repr(report)
        assert report.after == made
    assert writes() == {CREATE: 1}


CHANGES = {
    "rules": ({"rules": {"punctuation": {"serial_comma": "use"}}}, WRITES[1]),
    "no rules": ({"rules": None}, WRITES[1]),
    "name": ({"name": "another"}, WRITES[5]),
}


@pytest.mark.parametrize("what", CHANGES)
def test_only_what_differs_is_sent(client, name, writes, what):
    made = push(client, house(name)).after
    change, operation = CHANGES[what]
    report = push(client, made.replace(**change))
    assert writes() == {CREATE: 1, operation: 1}
    assert len(diff(made.replace(**change), report.after)) == 0
    assert report.before == made
    assert report.after.version == made.version + 1


def test_instructions_are_deleted_replaced_and_added_by_id_and_by_label(client, name, writes):
    made = push(client, house(name)).after
    ids = made.instructions["id"].tolist()
    table = pd.DataFrame(
        {"id": [None, ids[0]], "label": ["new", "Tone"], "prompt": ["Come.", "Be kind."]}, index=["x", "x"]
    )
    report = push(client, made.replace(instructions=table))
    assert report["step"].tolist() == ["delete", "replace", "add"]
    assert report["item"].tolist() == ["brevity", "Tone", "new"]
    assert writes() == {CREATE: 1, DELETE: 1, REPLACE: 1, ADD: 1}
    assert report.after.instructions["label"].tolist() == ["Tone", "new"]
    assert report.after.instructions["id"].tolist()[0] == ids[0]
    by_label = pd.DataFrame({"label": ["new", "Tone"], "prompt": ["Come!", "Be kind."]})
    assert push(client, report.after.replace(instructions=by_label))["step"].tolist() == ["replace"]
    assert pull(client, made.style_id).instructions["prompt"].tolist() == ["Be kind.", "Come!"]


def test_the_list_before_can_be_pushed_back(client, name):
    made = push(client, house(name)).after
    changed = push(client, Style(None, [CustomInstruction("only", "This.")], name="x", style_id=made.style_id))
    assert len(diff(made, changed.after)) > 0
    back = push(client, changed.before).after
    assert len(diff(made, back)) == 0


def test_a_dry_run_sends_nothing_and_tells_the_steps(client, name, writes):
    report = push(client, house(name), dry_run=True)
    assert report["step"].tolist() == ["create"]
    assert report["done"].tolist() == [False]
    assert report.after is None
    assert "Dry run, nothing was sent" in report.said
    assert lists(client, name) == []
    made = push(client, house(name)).after
    told = push(client, made.replace(name="other", rules=None), dry_run=True)
    assert told["step"].tolist() == ["rules", "rename"]
    assert "Nothing to do" in push(client, made, dry_run=True).said
    assert writes() == {CREATE: 1}


def test_a_table_alone_leaves_the_other_part_as_it_is(client, name):
    style = push(client, house(name).rules, name=name, language="EN").after
    assert len(style.instructions) == 0
    told = pd.DataFrame({"label": ["a"], "prompt": ["p"]})
    assert push(client, told, name=name)["step"].tolist() == ["add"]
    assert push(client, house(name).rules.head(1), style_id=style.style_id)["step"].tolist() == ["rules"]
    now = pull(client, style.style_id)
    assert (len(now.rules), now.instructions["label"].tolist()) == (1, ["a"])


@pytest.mark.long
def test_two_hundred_instructions_can_all_be_exchanged(client, name):
    told = [CustomInstruction(f"a{number}", f"p{number}") for number in range(200)]
    made = push(client, house(name).replace(instructions=told)).after
    other = [CustomInstruction(f"b{number}", f"q{number}") for number in range(198)] + told[:2]
    report = push(client, made.replace(instructions=other))
    assert report["step"].value_counts().to_dict() == {"delete": 198, "add": 198}
    assert len(diff(house(name).replace(instructions=other), report.after)) == 0


def test_a_copy_is_on_the_disk_before_the_first_write_and_brings_the_list_back(running, client, name, tmp_path):
    folder = tmp_path / "new" / "copies"
    copies = STYLES.backups(folder, origin="here")
    made = push(client, house(name)).after
    push(client, made.replace(rules=None), backups=copies, dry_run=True)
    assert push(client, made, backups=copies).backup is None
    assert not folder.exists()
    running.faults.add("status", status=400, operation=f"PUT {ONE}/configured_rules", count=1)
    with pytest.raises(errors.BadRequest):
        push(client, made.replace(rules=None), backups=copies)
    assert list(folder.iterdir()) == []  # nothing was changed that could be undone
    report = push(client, made.replace(rules=None, name="other"), backups=copies)
    assert sorted(folder.iterdir())[-1] == report.backup
    assert report.backup.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert read(report.backup) == made
    assert len(diff(made, push(client, read(report.backup), backups=copies).after)) == 0


def test_without_a_copy_nothing_is_changed(client, name, tmp_path, writes):
    made = push(client, house(name)).after
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(errors.StoreError, match="nothing is changed without a backup"):
        push(client, made.replace(rules=None), backups=STYLES.backups(tmp_path / "file", origin="here"))
    assert writes() == {CREATE: 1}


# ---- back


@pytest.fixture
def copies(tmp_path):
    return STYLES.backups(tmp_path / "copies", origin="here")


@pytest.fixture
def back(client, copies):
    return lambda *given, **rest: undo(STYLES, client, *given, backups=copies, **rest)


def test_a_created_list_is_deleted_and_made_again_as_often_as_it_is_undone(client, name, copies, back, writes):
    made = push(client, house(name), backups=copies).after
    planned = back(made.style_id, dry_run=True)
    assert planned["step"].tolist() == ["delete"]
    assert planned["done"].tolist() == [False]
    assert len(lists(client, name)) == 1
    for number in range(4):
        done = back(made.style_id)
        assert done["done"].tolist() == [True]
        assert done.said.startswith("Undone. The list" if number % 2 == 0 else "Undone, under a new id. The list")
        assert len(lists(client, name)) == number % 2
    again = pull(client, name)
    assert len(diff(made, again)) == 0
    assert again.style_id != made.style_id


def test_a_deleted_list_is_recreated_unless_its_name_is_taken(client, name, copies, back):
    made = push(client, house(name)).after
    gone = delete(STYLES, client, name, backups=copies)
    assert f"svc_nb.style_rules.undo({made.style_id!r}) recreates it" in gone.said
    assert (gone.before, gone.after, lists(client, name)) == (made, None, [])
    assert read(gone.backup) == made
    other = client.style_rules.create(name, "en").style_id
    with pytest.raises(ValueError, match=rf"there is now another list .*{other}"):
        back()
    client.style_rules.delete(other)
    assert len(diff(made, back(name).after)) == 0


def test_a_deletion_that_is_refused_leaves_no_copy(running, client, name, copies):
    push(client, house(name))
    running.faults.add("status", status=403, operation=f"DELETE {ONE}", count=1)
    with pytest.raises(errors.Forbidden):
        delete(STYLES, client, name, backups=copies)
    assert copies.history().empty
    assert len(lists(client, name)) == 1


def test_a_deletion_that_never_happened_is_forgotten_by_an_undo(running, client, name, copies, back):
    made = push(client, house(name), backups=copies).after
    running.faults.add("reset", operation=f"DELETE {ONE}")
    with pytest.raises(errors.Unreachable):
        delete(STYLES, client, name, backups=copies)
    running.faults.clear()
    for dry_run in (True, False):
        assert back(made.style_id, dry_run=dry_run).said.startswith("Nothing to undo")
    assert back()["step"].tolist() == ["delete"]
    assert lists(client, name) == []


def test_what_others_changed_since_is_not_overwritten_or_deleted_unless_it_is_forced(
    client, name, copies, back, writes
):
    made = push(client, house(name), backups=copies).after
    client.style_rules.add_instruction(made.style_id, "theirs", "Stay.")
    with pytest.raises(
        errors.InvalidRows, match=r"others have changed 1 setting of it since, and undo would delete it"
    ) as caught:
        back()
    assert caught.value.findings["item"].tolist() == ["theirs"]
    now = pull(client, made.style_id)
    push(client, now.replace(rules=None), backups=copies)
    assert len(diff(now, back().after)) == 0
    back()
    client.style_rules.rename(made.style_id, f"{name} 2")
    undone = back()
    assert "Later changes by others were kept" in undone.said
    assert len(diff(now.replace(name=f"{name} 2"), undone.after)) == 0


def test_what_both_changed_is_an_error_unless_it_is_forced(client, name, copies, back, writes):
    made = push(client, house(name), backups=copies).after
    told = made.instructions.assign(prompt=["Be kinder.", "Be brief."])
    push(client, made.replace(instructions=told), backups=copies)
    ids = made.instructions["id"].tolist()
    client.style_rules.replace_instruction(made.style_id, ids[0], "tone", "Be kindest.")
    before = writes()
    with pytest.raises(errors.InvalidRows, match=r"1 setting .*which undo would overwrite") as caught:
        back()
    assert caught.value.findings.to_numpy().tolist() == [["tone", "Be kinder.", "Be kind.", "Be kindest."]]
    assert writes() == before
    assert len(diff(made, back(replace=True).after)) == 0


def test_an_undo_does_not_warn_of_the_change_that_it_undoes(client, name, copies, back):
    made = push(client, house(name), backups=copies).after
    push(client, made.replace(rules=None), backups=copies)
    undone = back()
    assert "was changed in 1 step" in undone.said
    assert "since it was pulled" not in undone.said


def test_a_list_that_someone_else_deleted_says_how_to_recreate_it(client, name, copies, back):
    made = push(client, house(name)).after
    push(client, made.replace(rules=None), backups=copies)
    client.style_rules.delete(made.style_id)
    with pytest.raises(errors.NotFound, match=r"no longer exists: someone else deleted it.*recreate=True"):
        back()
    assert len(diff(made, back(recreate=True).after)) == 0


def test_an_undo_without_an_id_is_of_this_kernel_and_this_service_alone(client, name, copies, back):
    other, elsewhere = (STYLES.backups(copies.folder, origin=origin, process="another") for origin in ("here", "there"))
    push(client, house(name), backups=other)
    push(client, house(f"{name} 2"), backups=elsewhere)
    for none in (copies, elsewhere):
        with pytest.raises(ValueError, match=r"'nope' was not changed from here \(.*svc_nb\.style_rules\.history"):
            undo(STYLES, client, "nope", backups=none)
    with pytest.raises(
        ValueError, match=r"no style rule list was changed from this kernel\. svc_nb\.style_rules\.history"
    ):
        back()
    assert copies.history()["this_kernel"].tolist() == [False]
    assert back(name)["step"].tolist() == ["delete"]


def test_a_name_of_several_lists_is_not_guessed_at(client, name, copies, back):
    ids = [push(client, house(name, language=language), backups=copies).after.style_id for language in ("en", "de")]
    with pytest.raises(ValueError, match="2 things that were changed from here were called") as caught:
        back(name)
    assert all(each in str(caught.value) for each in ids)
    back(ids[0])
    assert back(name)["step"].tolist() == ["create"]


# ---- which list


def test_a_list_is_found_by_its_name_too(client, name):
    made = push(client, house(name)).after
    assert pull(client, name) == made
    other = push(client, house(name, language="de")).after
    with pytest.raises(ValueError, match=r"2 style rule lists are called .*svc_nb\.style_rules\.list") as caught:
        pull(client, name)
    assert made.style_id in str(caught.value)
    assert other.style_id in str(caught.value)


@pytest.mark.parametrize("given", ["nope", "00000000-0000-0000-0000-000000000000", "<b>"])
def test_a_list_that_does_not_exist_says_where_to_look(client, given):
    with pytest.raises(errors.NotFound, match=r"404 There is no style rule list .* svc_nb\.style_rules\.list"):
        pull(client, given)


def test_an_error_is_reported_before_what_the_catalogue_does_not_know(client, name):
    rules = pd.DataFrame(
        [("punctuation", "serial_comma", "usee"), *[("punctuation", "serial_comma", "use")] * 2],
        columns=["category", "rule", "option"],
    )
    with pytest.raises(errors.InvalidRows, match=r"Nothing was sent: rules, row 1: .* already") as caught:
        push(client, house(name).replace(rules=rules))
    assert caught.value.findings["severity"].tolist() == ["error", "error", "warning"]


def test_a_name_that_several_lists_have_is_an_error_with_their_ids(client, name, writes):
    ids = [client.style_rules.create(name, "en").style_id for _ in range(2)]
    with pytest.raises(ValueError, match=r"2 style rule lists are called .*\. Give the id") as caught:
        push(client, house(name))
    assert all(each in str(caught.value) for each in ids)
    assert push(client, house(name), style_id=ids[1]).after.style_id == ids[1]


def test_a_name_is_looked_for_in_its_language(client, name):
    english, german = (push(client, house(name, language=language)).after for language in ("en", "DE"))
    assert english.style_id != german.style_id
    assert len(lists(client, name)) == 2


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda client, made: push(client, Style(RULES)), "Give name="),
        (lambda client, made: push(client, Style(RULES, name="not there")), "Give language="),
        (lambda client, made: push(client, made, language="de"), "clone"),
        (lambda client, made: push(client, "house"), "Style"),
        (lambda client, made: push(client, pd.DataFrame({"a": [1]}), style_id=made.style_id), "columns 'a'"),
    ],
)
def test_a_push_to_an_unclear_list_is_a_clear_error(client, name, call, said):
    made = push(client, house(name)).after
    with pytest.raises((ValueError, TypeError), match=said):
        call(client, made)


def test_a_list_that_was_deleted_says_how_to_create_it_again(client, name):
    made = push(client, house(name)).after
    client.style_rules.delete(made.style_id)
    with pytest.raises(errors.NotFound) as caught:
        push(client, made)
    assert "style_id=None" in caught.value.__notes__[0]
    assert len(diff(made, push(client, made.replace(style_id=None)).after)) == 0


def test_changes_of_others_since_the_pull_are_reported(client, name):
    made = push(client, house(name)).after
    client.style_rules.rename(made.style_id, "renamed")
    assert "version 1 then, 2 now" in push(client, made, dry_run=True).said


def test_all_lists_are_listed(client, name):
    made = push(client, house(name)).after
    table = listed(client)
    row = table[table["style_id"] == made.style_id].iloc[0]
    assert (row["name"], row["language"], row["version"]) == (name, "EN", 1)
    assert (row["rules"], row["instructions"]) == (2, 2)
    assert row["updated_time"] == made.updated_time
    assert "pull(style_id)" in table.said


# ---- what would be refused


@pytest.mark.long
@FEW
@given(style=right_styles())
def test_nothing_right_is_refused(client, style):
    made = push(client, style.replace(name=f"{style.name[:900]}{uuid.uuid4()}")).after
    assert len(diff(style.replace(name=made.name), made)) == 0


@pytest.mark.long
@FEW
@given(
    style=styles(st.sampled_from([*HOSTILE, "", "x" * 101, "de", "en"]) | st.text(max_size=5)),
    part=st.booleans(),
)
def test_nothing_is_sent_that_the_service_refuses(running, client, style, part):
    draft = style.replace(style_id=None, name=f"{uuid.uuid4()}", **({"language": "fr", "rules": RULES} if part else {}))
    if draft.language is None:
        return
    refused = sum(n for (_, status), n in running.traffic.answered.items() if status == 400)
    try:
        push(client, draft)
    except errors.InvalidRows:
        assert lists(client, draft.name) == []
    quiet(running)
    assert sum(n for (_, status), n in running.traffic.answered.items() if status == 400) == refused


def bounds(**wrong):
    """A list at all limits at once, but for what is *wrong*."""
    told = [CustomInstruction("l" * 97 + f"{number:03}", "日" * 300, "yue") for number in range(200)]
    members = {"instructions": told, "name": "n" * 988 + str(uuid.uuid4()), "language": "zh"}
    return Style(**{**members, **wrong})


BEYOND = {
    "name": {"name": "n" * 1025},
    "blank name": {"name": " \u3000"},
    "language": {"language": "pl"},
    "region": {"language": "en-us"},
    "instructions": {"instructions": [CustomInstruction(f"l{n}", "p") for n in range(201)]},
    "label": {"instructions": [CustomInstruction("l" * 101, "p")]},
    "prompt": {"instructions": [CustomInstruction("l", "p" * 301)]},
    "no prompt": {"instructions": [CustomInstruction("l", "")]},
    "source language": {"instructions": [CustomInstruction("l", "p", "en-gb")]},
    "option": {"rules": {"punctuation": {"serial_comma": "no"}}},
    "rule": {"rules": {"punctuation": {"no": "use"}}},
    "category": {"rules": {"no": {"serial_comma": "use"}}},
}


def test_a_list_at_all_limits_is_taken(client):
    assert len(push(client, bounds()).after.instructions) == 200
    assert push(client, bounds(instructions=[CustomInstruction(" ", "\n")])).after.version == 1


@pytest.mark.parametrize("what", BEYOND)
def test_what_is_beyond_a_limit_is_refused_by_the_service_and_before_it_by_us(client, what, writes):
    style = bounds(**BEYOND[what])
    with pytest.raises(errors.InvalidRows, match="Nothing was sent"):
        push(client, style)
    assert writes() == {}
    with pytest.raises(errors.BadRequest):
        client.style_rules.create(
            style.name,
            style.language,
            configured_rules=mapped(style.rules),
            custom_instructions=nouns(style.instructions),
        )


def test_errors_name_their_rows_and_nothing_is_sent(client, name, writes):
    table = pd.DataFrame({"label": ["a", "l" * 101], "prompt": ["", "p"]}, index=["first", "second"])
    with pytest.raises(errors.InvalidRows, match="Nothing was sent: instructions, row 'first'") as caught:
        push(client, house(name).replace(instructions=table))
    assert caught.value.rows == ["first", "second"]
    assert caught.value.findings["code"].tolist() == ["empty", "too_long"]
    assert writes() == {}


def unknown(running, style_id, rules):
    """What a newer service would hold."""
    with running.state.database.write() as connection:
        connection.execute(
            "UPDATE style_rules SET configured_rules = ? WHERE style_id = ?", (json.dumps(rules), style_id)
        )


def test_unknown_rules_of_the_service_are_kept_and_only_new_ones_are_held_back(running, client, name, writes):
    made = push(client, house(name)).after
    newer = {"brand_new": {"rule": "option"}, "punctuation": {"serial_comma": "brand_new"}}
    unknown(running, made.style_id, newer)
    style = pull(client, made.style_id)
    assert style.to_noun().configured_rules == newer
    renamed = push(client, style.replace(name=f"{name} 2")).after
    assert renamed.to_noun().configured_rules == newer
    # Held, so it may be sent again with the rest; only this service does not know it yet.
    fewer = renamed.replace(rules=renamed.rules.head(1))
    with pytest.raises(errors.InvalidRows, match="The service refused rules") as caught:
        push(client, fewer)
    assert caught.value.findings["code"].tolist() == ["unknown_category"]
    assert writes()[WRITES[5]] == 1


def test_rules_that_no_one_knows_are_sent_only_when_allowed(client, name, writes):
    style = house(name).replace(rules={"punctuation": {"serial_comma": "usee"}})
    with pytest.raises(errors.InvalidRows, match="allow_unknown=True") as caught:
        push(client, style)
    assert caught.value.findings["suggestion"].tolist() == ["use"]
    assert writes() == {}
    with pytest.raises(errors.InvalidRows, match=r"The service refused rules .*row 0"):
        push(client, style, allow_unknown=True)
    assert writes() == {CREATE: 1}
    assert lists(client, name) == []


# ---- when things go wrong on the way


FAULTS = {
    "503": {"kind": "status", "status": 503},
    "429": {"kind": "status", "status": 429},
    "reset": {"kind": "reset"},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_passes_is_waited_out_and_nothing_is_made_twice(running, client, name, fault):
    for operation in (CREATE, ADD, REPLACE, DELETE):
        running.faults.add(**FAULTS[fault], operation=operation, count=1)
    made = push(client, house(name)).after
    other = [
        CustomInstruction("tone", "Be cold."),
        CustomInstruction("new", "x"),
        CustomInstruction("more", "y"),
    ]
    report = push(client, made.replace(instructions=other))
    assert len(diff(made.replace(instructions=other), report.after)) == 0
    assert len(lists(client, name)) == 1


@pytest.mark.long
def test_a_long_push_through_many_faults_arrives_as_long_as_it_gets_on(running, reached, name):
    client = reached(tries=12, longest_wait=0.01).client
    told = [CustomInstruction(f"l{number}", f"p{number}") for number in range(100)]
    made = push(client, house(name)).after
    fault = running.faults.add("status", status=503, operation=ADD, probability=0.3)
    report = push(client, made.replace(instructions=told))
    assert running.faults.taken(fault) > client.transport.settings.tries
    assert sorted(report.after.instructions["label"]) == sorted(each.label for each in told)


@pytest.mark.long
def test_an_answer_that_is_lost_makes_nothing_twice(running, reached, name, writes):
    client = reached(read_timeout=0.3).client
    for operation in (CREATE, ADD, DELETE):
        running.faults.add("latency", operation=operation, seconds=0.6, count=1)
    made = push(client, house(name)).after
    assert len(lists(client, name)) == 1
    other = [CustomInstruction("new", "x"), CustomInstruction("more", "y")]
    report = push(client, made.replace(instructions=other))
    assert sorted(report.after.instructions["label"]) == ["more", "new"]
    assert report["step"].tolist() == ["delete", "delete", "add", "add"]
    time.sleep(0.6)
    assert writes() == {CREATE: 1, ADD: 2, DELETE: 2}


def test_a_fault_that_stays_ends_the_push_and_repeating_it_completes(running, client, name):
    made = push(client, house(name)).after
    wanted = made.replace(name=f"{name} 2", instructions=[CustomInstruction(f"l{n}", "p") for n in range(4)])
    fault = running.faults.add("status", status=503, operation=f"PATCH {ONE}")
    with pytest.raises(errors.Unavailable) as caught:
        push(client, wanted)
    assert "6 of 7 steps done. Run it again" in caught.value.__notes__[-1]
    assert running.faults.taken(fault) == client.transport.settings.tries
    running.faults.clear()
    report = push(client, wanted)
    assert report["step"].tolist() == ["rename"]
    assert len(diff(wanted, report.after)) == 0


def test_after_a_spoiled_answer_to_a_creation_the_list_is_found_and_not_made_twice(running, client, name):
    running.faults.add("truncate", operation=CREATE, count=1)
    assert len(diff(house(name), push(client, house(name)).after)) == 0
    assert len(push(client, house(name))) == 0
    assert len(lists(client, name)) == 1


CHILD = """
import sys
from svc_nb import session
from svc_nb.style_rules.style import Style
from svc_nb.style_rules.sync import STYLES, push
from svc_nb.wire.models import CustomInstruction
from svc_nb.secret import Secret
from svc_nb.settings import Settings

opened = session.Session(Settings(base_url=sys.argv[1], api_key=Secret(sys.argv[2])))
told = [CustomInstruction(f"label {number}", "p") for number in range(100)]
print("ready", flush=True)
push(opened.client, Style(None, told), style_id=sys.argv[3], backups=STYLES.backups(sys.argv[4], origin="child"))
"""


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_push_that_is_killed_is_completed_by_the_next(running, client, name, how, tmp_path):
    made = push(client, house(name)).after
    running.faults.add("latency", operation=ADD, seconds=0.02)
    child = forked.Popen(
        [sys.executable, "-c", CHILD, running.base_url, running.create_key(), made.style_id, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=os.getcwd(),
    )
    with child:
        child.stdout.readline()
        until(lambda: len(pull(client, made.style_id).instructions) >= 5)
        child.send_signal(how)
    running.faults.clear()
    quiet(running)
    left = len(pull(client, made.style_id).instructions)
    assert 5 <= left < 100
    told = [CustomInstruction(f"label {number}", "p") for number in range(100)]
    report = push(client, Style(None, told), style_id=made.style_id)
    assert report["step"].tolist() == ["add"] * (100 - left)
    assert sorted(report.after.instructions["label"]) == sorted(each.label for each in told)


@pytest.mark.long
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_arrive_as_they_are_and_are_shown_as_texts(client, name, text):
    style = Style(None, [CustomInstruction(text, text)], name=f"{text}{name}", language="ja")
    report = push(client, style)
    assert report.after.instructions["prompt"].tolist() == [text]
    for html in (report._repr_html_(), listed(client)._repr_html_(), report.after._repr_html_()):
        assert "<script>" not in html
