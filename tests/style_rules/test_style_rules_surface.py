"""svc_nb.style_rules, as a person uses it."""

from __future__ import annotations

import pandas as pd
import pytest

from svc_nb import errors, style_rules
from tests import served

running = served.fresh

INSTRUCTIONS = pd.DataFrame({"label": ["Kind"], "prompt": ["Write as to a friend."]})


def test_its_names_are_those_it_lists():
    assert dir(style_rules) == sorted(style_rules.__all__)
    for name in style_rules.__all__:
        assert getattr(style_rules, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'undo_all'"):
        style_rules.undo_all  # noqa: B018


def test_a_list_goes_from_the_catalogue_to_the_service_to_a_file_and_to_another_language(connected, tmp_path):
    assert len(style_rules.list()) == 0
    offered = style_rules.catalogue("de")
    rows = offered[offered["rule"].isin(["personal_vs_impersonal_style"])].head(1)
    assert len(style_rules.lint(rows, language="de")) == 0
    made = style_rules.push(rows, name="Haus", language="de").after
    assert style_rules.list()["name"].tolist() == ["Haus"]
    path = style_rules.write(made, tmp_path / "haus.xlsx", formula_safe=True)
    assert style_rules.read(path) == style_rules.pull(made.style_id) == made
    told = style_rules.Style(made.rules, [], name="Heim", language="de", style_id=made.style_id)
    assert style_rules.push(told, dry_run=True)["step"].tolist() == ["rename"]
    assert style_rules.diff(told, made.style_id)["after"].tolist() == ["Heim"]
    assert style_rules.diff(made.style_id, told)["after"].tolist() == ["Haus"]
    assert style_rules.diff(told, made)["before"].tolist() == ["Haus"]
    copy = style_rules.clone(made.style_id, "en", name="House")
    assert style_rules.push(copy.style)["step"].tolist() == ["create"]
    assert sorted(style_rules.list()["language"]) == ["DE", "EN"]


def test_a_push_tells_the_id_and_a_table_that_was_assigned_is_pushed(connected):
    made = style_rules.push(style_rules.Style(None, INSTRUCTIONS, name="House", language="de"))
    assert made.style_id == style_rules.list()["style_id"].item()
    assert style_rules.push(made.after, name="Other", dry_run=True).style_id == made.style_id
    style = style_rules.pull(made.style_id)
    style.instructions = style.instructions.assign(prompt="Be brief.")
    assert style_rules.push(style).style_id == made.style_id
    assert style_rules.pull("House").instructions["prompt"].tolist() == ["Be brief."]
    assert style_rules.push(style).style_id == made.style_id  # nothing to do


def test_an_undo_keeps_the_rules_and_instructions_that_others_changed_since(connected):
    rules = style_rules.catalogue("en").drop_duplicates(["category", "rule"]).head(3)
    made = style_rules.push(style_rules.Style(rules.head(2), INSTRUCTIONS, name="House", language="en"))
    mine = style_rules.pull(made.style_id)
    mine.rules = mine.rules.head(1)
    style_rules.push(mine)
    client = connected.client.style_rules
    category, rule, option = rules.iloc[2][["category", "rule", "option"]]
    theirs = {**client.get(made.style_id).configured_rules}
    theirs[category] = {**theirs.get(category, {}), rule: option}
    client.replace_rules(made.style_id, theirs)
    client.add_instruction(made.style_id, "theirs", "Stay.")
    done = style_rules.undo("House")
    assert "Later changes by others were kept: 2 settings" in done.said
    now = style_rules.pull(made.style_id)
    assert sorted(now.rules["rule"]) == sorted(rules["rule"])
    assert now.instructions["label"].tolist() == ["Kind", "theirs"]


def test_a_style_is_used_in_a_translation(connected, unwarned):
    made = style_rules.push(style_rules.catalogue("en").drop_duplicates(["category", "rule"]), name="n", language="en")
    assert made.after.version == 1
    told = connected.client.text.translate(["Guten Tag"], "EN-GB", source_lang="DE", style_id=made.after.style_id)
    assert told[0].text


def test_unknown_rules_are_held_back_unless_allowed(connected):
    style = style_rules.Style({"punctuation": {"serial_comma": "usee"}}, name="n", language="en")
    for allowed in (False, True):
        with pytest.raises(errors.InvalidRows):
            style_rules.push(style, allow_unknown=allowed)
    assert len(style_rules.list()) == 0


def test_a_copy_is_kept_beside_the_store_of_answers(connected, tmp_path):
    made = style_rules.push(style_rules.Style(name="n", language="en")).after
    report = style_rules.push(made, name="m")
    assert report.backup.parent == tmp_path / "backups" / "style_rules"
    assert style_rules.push(style_rules.read(report.backup)).after.name == "n"
    (tmp_path / "backups" / "style_rules" / "x-y-z.json").write_text("no copy")
    copies = style_rules.history()
    assert copies["name"].tolist() == ["m", "n", "n"]
    assert copies["version"].tolist() == [2, 1, 1]
    assert copies["action"].tolist() == ["change", "change", "create"]
    assert copies["path"].tolist()[1] == str(report.backup)
    assert "svc_nb.style_rules.undo(style_id)" in copies.said
    assert len(style_rules.history(made.style_id)) == len(style_rules.history("n")) == 3
    nothing = style_rules.history("another")
    assert nothing.empty
    assert "'another' was not changed from here (embedded); svc_nb.style_rules.history() lists" in repr(nothing)


def test_undoing_twice_is_doing_it_again(connected):
    with pytest.raises(ValueError, match=r"there is nothing to undo"):
        style_rules.undo()
    made = style_rules.push(style_rules.Style(name="n", language="en", instructions=INSTRUCTIONS)).after
    changed = style_rules.push(made.replace(instructions=None), name="m").after
    assert style_rules.undo().after.name == "n"
    back = style_rules.pull(made.style_id)
    assert back.instructions["label"].tolist() == INSTRUCTIONS["label"].tolist()
    assert style_rules.undo(made.style_id).after.replace(version=None, updated_time=None) == changed.replace(
        version=None, updated_time=None
    )


def test_names_are_as_good_as_ids(connected):
    made = style_rules.push(style_rules.Style(name="n", language="en", instructions=INSTRUCTIONS)).after
    assert style_rules.pull("n") == made
    assert len(style_rules.diff(made, "n")) == 0
    assert style_rules.clone("n", "de").style.language == "DE"
    for call in (
        lambda: style_rules.pull("no"),
        lambda: style_rules.diff(made, "no"),
        lambda: style_rules.clone("no", "de"),
        lambda: style_rules.delete("no"),
    ):
        with pytest.raises(errors.NotFound, match=r"no style rule list 'no' .*svc_nb\.style_rules\.list"):
            call()


def test_a_created_and_a_deleted_list_are_undone(connected):
    style_rules.push(style_rules.Style(name="n", language="en", instructions=INSTRUCTIONS))
    assert not style_rules.undo("n", dry_run=True)["done"].any()
    style_rules.undo()
    assert len(style_rules.list()) == 0
    style_rules.undo()
    style_rules.delete("n")
    assert len(style_rules.list()) == 0
    assert style_rules.undo("n").after.instructions["label"].tolist() == ["Kind"]


def test_a_file_that_is_not_there_is_a_clear_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^there is no file .*nope\.json \(the current folder is"):
        style_rules.read(tmp_path / "nope.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(IsADirectoryError, match=r"is a folder\. Name the file in it"):
        style_rules.read(tmp_path / "folder.json")
