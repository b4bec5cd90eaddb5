"""The glossary panel, driven as a person would: what is edited, what is found, what is asked, and what is sent."""

from __future__ import annotations

import threading

import pandas as pd
import pytest
from ipywidgets.widgets.widget import _instances

import svc_nb
from svc_nb import glossaries, panels
from svc_nb.errors import InvalidRows
from svc_nb.panels.glossary.view import ADD, NONE
from svc_nb.panels.parts.widgets import is_shown
from tests.panels.glossary.conftest import ANIMALS
from tests.panels.glossary.terms import HOSTILE, couples, terms
from tests.panels.secrecy import assert_not_saved, saved
from tests.sessions import current


def there(glossary_id: str) -> dict[str, str]:
    """What the service has: targets by source."""
    return dict(couples(glossaries.pull(glossary_id)))


def pushed(panel) -> panels.Glossary:
    panel.push()
    assert panel.wait()
    assert panel.problem is None, panel.line.text
    panel.confirm()
    assert panel.wait()
    assert panel.problem is None, panel.line.text
    return panel


# ---- opening


def test_a_glossary_is_opened_by_its_id_or_its_name(desk, animals):
    for given in (animals, "Animals"):
        panel = desk(given)
        assert (panel.glossary_id, panel.name) == (animals, "Animals")
        assert couples(panel.table) == couples(ANIMALS)
        assert panel.pair == ("EN", "DE")


def test_glossaries_with_one_name_are_told_apart(desk, connected, animals):
    other = connected.client.glossaries.create("Animals", glossaries.to_dictionaries(ANIMALS)).glossary_id
    labels = [label for label, _ in desk(animals).bar.glossary.options]
    assert sorted(label.rpartition(" ")[2] for label in labels[:-1]) == sorted([animals[:8], other[:8]])


def test_a_glossary_that_is_not_there_is_told_in_a_line(desk):
    panel = desk("Plants")
    assert "no glossary 'Plants'" in panel.line.text
    assert panel.line.kind == "error"


def test_a_glossary_that_cannot_be_opened_leaves_the_one_that_is_open(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.open("Plants")
    assert panel.wait()
    assert panel.line.kind == "error"
    assert panel.bar.glossary.value == animals
    panel.write(2, target="Kater")
    panel.close()
    panel = desk(animals)


def test_a_glossary_that_is_opened_again_offers_its_own_edits(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.open(animals)
    assert panel.wait()
    assert couples(panel.table) == couples(ANIMALS)
    panel.restore()
    assert panel.wait()
    assert couples(panel.table)[0] == ("dog", "Köter")


def test_where_no_glossary_could_be_opened_there_is_none_to_edit(desk, animals):
    panel = desk("Plants")
    assert not any(map(is_shown, (panel.view._beside, panel.new, panel.bar.name, panel.bar.push, panel.bar.pair)))
    assert panel.bar.glossary.options[0] == ("Choose a glossary …", NONE)
    assert panel.bar.glossary.value == NONE
    panel.bar.glossary.value = animals
    assert panel.wait()
    assert is_shown(panel.view._beside)
    assert panel.bar.glossary.value == animals
    assert NONE not in dict(panel.bar.glossary.options).values()


@pytest.mark.parametrize("ask", [panels.Glossary.push, panels.Glossary.reload])
def test_a_push_and_a_reload_can_be_retried(desk, running, animals, ask):
    where = {"base_url": running.base_url, "store": ":memory:"}
    panel = desk(animals)
    panel.write(1, target="Köter")
    with current(svc_nb.connect("wrong-key", **where)) as refused:
        panel.opened.session = refused  # as where the key was withdrawn
        ask(panel)
        assert panel.wait()
        assert (panel.line.kind, panel.line.retry) == ("error", "Retry")
    with current(svc_nb.connect(running.api_key, **where)):
        panel.retry()
        assert panel.wait()
        assert panel.problem is None, panel.line.text
        assert panel.question.waits == (ask is panels.Glossary.push)


def test_a_table_given_takes_the_place_of_what_the_glossary_has(desk, animals):
    panel = desk(animals, table=terms(("dog", "Köter"), ("hen", "Huhn")))
    assert panel.book.changes == {"new": 1, "changed": 1, "dropped": 2}
    pushed(panel)
    assert there(animals) == {"dog": "Köter", "hen": "Huhn"}


def test_another_glossary_takes_the_place_of_the_first(desk, animals):
    plants = glossaries.push(terms(("tree", "Baum"), ("oak", "Eiche")), "Plants").glossary_id
    panel = desk(animals)
    panel.bar.glossary.value = plants
    assert panel.wait()
    assert panel.glossary_id == plants
    assert couples(panel.editor.table) == [("tree", "Baum"), ("oak", "Eiche")]


# ---- pairs


def test_a_pair_shows_its_rows_and_new_rows_are_of_it(desk, connected):
    table = pd.concat([ANIMALS, terms(("dog", "chien"), target_lang="fr")], ignore_index=True)
    panel = desk(glossaries.push(table, "Animals").glossary_id)
    assert panel.pair is None
    assert [label for label, _ in panel.bar.pair.options][:3] == [
        "All pairs (4 terms)",
        "EN → DE (3)",
        "EN → FR (1)",
    ]
    panel.choose_pair("en", "fr")
    assert panel.editor.table.index.tolist() == [4]
    row = panel.add("cat", "chat")
    assert panel.book[row] == ("EN", "FR", "cat", "chat")
    assert panel.editor.table.index.tolist() == [4, row]
    assert ("EN → FR (2)", ("EN", "FR")) in panel.bar.pair.options
    panel.choose_pair()
    assert len(panel.editor.table) == 5


def test_rows_of_another_pair_are_not_shown_as_if_they_were_of_this_one(desk, animals, tmp_path):
    path = tmp_path / "more.tsv"
    path.write_text("hen\tpoule\ten\tfr\nhen\tHuhn\ten\tde\n", "utf-8")
    panel = desk(animals)
    panel.read(path)
    assert panel.wait()
    panel.bring_in()
    assert panel.pair == ("EN", "DE")
    assert couples(panel.editor.table)[3:] == [("hen", "Huhn")]
    panel.undo()
    panel.redo()
    assert couples(panel.editor.table)[3:] == [("hen", "Huhn")]
    assert len(panel.table) == 5


def test_a_pair_is_added_by_two_languages(desk, animals):
    panel = desk(animals)
    panel.bar.pair.value = ("", "")
    assert is_shown(panel.bar.adding)
    panel.bar.source_lang.value, panel.bar.target_lang.value = "DE", "FR"
    panel.bar.add_pair.click()
    assert panel.pair == ("DE", "FR")
    assert panel.bar.pair.value == ("DE", "FR")
    panel.add("Hund", "chien")
    pushed(panel)
    assert glossaries.pull(animals)["target_lang"].tolist() == ["DE", "DE", "DE", "FR"]


def test_a_pair_of_one_language_is_refused(desk, animals):
    with pytest.raises(ValueError, match="two different languages"):
        desk(animals).choose_pair("en", "en-GB")


# ---- editing and checks


def test_an_edit_is_judged_at_once(desk, animals):
    panel = desk(animals)
    panel.write(2, target=" Katze")
    assert panel.editor.counts == "3 rows; 1 row with errors; 1 changed"
    assert panel.findings["row"].tolist() == [2]
    panel.undo()
    assert panel.findings.empty
    assert panel.line.text == "“Animals”: 3 terms."


def test_safe_fixes_are_applied_in_one_step(desk, animals):
    panel = desk(animals)
    panel.write(1, target=" Hund ")
    panel.write(2, source="cat\u200b")
    panel.add("cow", "Kuh")
    panel.fix_all()
    assert panel.wait()
    assert couples(panel.table) == couples(ANIMALS)
    assert "Fixed 2 cells and removed 1 duplicate row" in panel.line.text
    panel.undo()
    assert len(panel.table) == 4


def test_one_row_is_fixed_alone(desk, animals):
    panel = desk(animals)
    panel.write(1, target=" Hund ")
    panel.write(2, target=" Katze ")
    panel.fix(2)
    assert panel.wait()
    assert panel.table["target"].tolist() == [" Hund ", "Katze", "Kuh"]


def test_fixes_do_not_overwrite_later_edits(desk, animals):
    panel = desk(animals)
    panel.write(1, target=" Hund ")
    with panel._lock:  # the answer of the thread waits
        panel.fix_all()
        panel.write(1, target="Köter")
    assert panel.wait()
    assert panel.table["target"][1] == "Köter"


# ---- changes


def test_changes_are_listed_with_what_was_there_before(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.drop(2)
    panel.add("hen", "Huhn")
    found = panel.changes.set_index("change")
    assert found["source"].to_dict() == {"added": "hen", "changed": "dog", "removed": "cat"}
    assert found["target_before"]["changed"] == "Hund"
    assert panel.diff().counts() == {("EN", "DE"): {"added": 1, "changed": 1, "removed": 1}}


def test_a_change_is_reverted_alone_and_in_its_place(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.drop([1, 2])
    hen = panel.add("hen", "Huhn")
    panel.revert([2, hen])
    assert couples(panel.table) == [("cat", "Katze"), ("cow", "Kuh")]
    panel.revert(1)
    assert couples(panel.table) == couples(ANIMALS)
    panel.undo()
    panel.undo()
    assert couples(panel.table) == [("cow", "Kuh"), ("hen", "Huhn")]


def test_discard_brings_back_what_was_loaded_and_can_be_undone(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.add("hen", "Huhn")
    panel.discard()
    assert couples(panel.table) == couples(ANIMALS)
    assert panel.bar.push.disabled
    panel.undo()
    assert couples(panel.table)[0] == ("dog", "Köter")


# ---- pushing


def test_a_push_asks_in_words_and_sends_only_when_it_is_confirmed(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.drop(2)
    panel.add("hen", "Huhn")
    panel.push()
    assert panel.wait()
    assert "In EN → DE: 1 added, 1 changed, 1 removed." in panel.question.line.text
    assert there(animals)["dog"] == "Hund"
    panel.question.answers[0].click()
    assert panel.wait()
    assert there(animals) == {"dog": "Köter", "cow": "Kuh", "hen": "Huhn"}
    assert "Pushed to “Animals”: 1 added, 1 changed, 1 removed." in panel.line.text
    assert not any(panel.book.changes.values())


def test_a_confirmed_push_reads_the_glossary_once(desk, connected, animals, monkeypatch):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.push()
    assert panel.wait()
    read, entries = [], connected.client.glossaries.entries

    def counted(glossary_id, **rest):
        read.append(glossary_id)
        return entries(glossary_id, **rest)

    monkeypatch.setattr(connected.client.glossaries, "entries", counted)
    panel.confirm()
    assert panel.wait()
    assert read == [animals]
    assert there(animals)["dog"] == "Köter"


def test_an_edit_after_the_question_takes_the_question_back(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.push()
    assert panel.wait()
    panel.write(2, target="Kater")
    assert not panel.question.waits
    with pytest.raises(ValueError, match="push"):
        panel.confirm()


def test_an_error_that_is_not_about_a_row_is_shown_as_it_is(desk, animals):
    panel = desk(animals)
    panel._tell(InvalidRows("The glossary would have 99 bytes"))
    assert "The glossary would have 99 bytes" in panel.line.text


def test_what_the_service_would_refuse_is_not_asked_about(desk, animals):
    panel = desk(animals)
    panel.add("hen", "")
    with pytest.raises(ValueError, match=r"1 row with errors.*row 4"):
        panel.push()
    panel.drop([1, 2, 3, 4])
    with pytest.raises(ValueError, match="at least one term"):
        panel.push()


def test_a_row_that_was_emptied_is_removed_and_is_not_a_change_after_the_push(desk, animals):
    panel = desk(animals)
    panel.write(1, source="", target="")
    panel.write(2, target="Kater")
    assert "1 changed, 1 removed, not pushed yet." in panel.line.text
    assert panel.changes["change"].tolist() == ["removed", "changed"]
    panel.push()
    assert panel.wait()
    assert "In EN → DE: 1 changed, 1 removed." in panel.question.line.text
    panel.confirm()
    assert panel.wait()
    assert there(animals) == {"cat": "Kater", "cow": "Kuh"}
    assert "not sent" not in panel.line.text
    assert panel.bar.push.disabled
    panel.write(1, source="hen", target="Huhn")  # a draft has the empty row, too
    panel.close()
    again = desk(animals)
    again.restore()
    assert again.wait()
    assert couples(again.table) == [("hen", "Huhn"), ("cat", "Kater"), ("cow", "Kuh")]
    again.undo()
    again.close()
    assert not desk(animals).offer.waits


def test_empty_rows_are_left_out_of_a_push(desk, animals):
    panel = desk(animals)
    panel.add()
    panel.write(1, target="Köter")
    pushed(panel)
    assert there(animals) == {"dog": "Köter", "cat": "Katze", "cow": "Kuh"}


def test_a_pair_whose_rows_were_dropped_is_deleted_and_the_question_says_so(desk, connected):
    table = pd.concat([ANIMALS, terms(("dog", "chien"), target_lang="fr")], ignore_index=True)
    found = glossaries.push(table, "Animals").glossary_id
    panel = desk(found)
    panel.drop(4)
    panel.push()
    assert panel.wait()
    assert "The pair EN → FR will be deleted" in panel.question.line.text
    panel.confirm()
    assert panel.wait()
    assert couples(glossaries.pull(found)) == couples(ANIMALS)


def test_a_new_glossary_is_created_by_its_first_push(desk, connected):
    panel = desk()
    panel.create("Plants")
    panel.choose_pair("en", "de")
    panel.add("tree", "Baum")
    panel.push()
    assert panel.wait()
    assert "Create the glossary “Plants”?" in panel.question.line.text
    panel.confirm()
    assert panel.wait()
    assert there(panel.glossary_id) == {"tree": "Baum"}
    assert panel.bar.glossary.value == panel.glossary_id
    panel.add("oak", "Eiche")
    pushed(panel)
    assert len(glossaries.list()) == 1


def test_a_new_glossary_needs_a_name_that_is_free(desk, animals):
    panel = desk(table=terms(("tree", "Baum")))
    with pytest.raises(ValueError, match="no name"):
        panel.push()
    panel.bar.name.value = "Animals"
    panel.push()
    assert panel.wait()
    panel.confirm()
    assert panel.wait()
    assert "There is already a glossary called “Animals”" in panel.line.text
    assert there(animals) == dict(couples(ANIMALS))


def test_a_push_can_be_undone_and_later_edits_stay(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    pushed(panel)
    panel.write(2, target="Kater")
    panel.undo_push()
    assert panel.wait()
    assert there(animals) == dict(couples(ANIMALS))
    assert couples(panel.table) == [("dog", "Köter"), ("cat", "Kater"), ("cow", "Kuh")]
    assert panel.book.changes == {"new": 0, "changed": 2, "dropped": 0}
    assert panel.line.text.startswith("The push was undone on the service. Your edits are still here, not pushed.")
    with pytest.raises(ValueError, match="nothing was pushed"):
        panel.undo_push()


def test_a_push_that_was_followed_by_another_is_not_undone(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.add("hen", "Huhn")
    pushed(panel)
    others = pd.concat([glossaries.pull(animals), terms(("ox", "Ochse"))], ignore_index=True)
    glossaries.push(others[["source_lang", "target_lang", "source", "target"]], glossary_id=animals)
    panel.undo_push()
    assert panel.wait()
    assert "changed again from this computer" in panel.line.text
    assert there(animals)["ox"] == "Ochse"


def test_a_glossary_is_renamed_and_deleted_and_the_deletion_undone(desk, animals):
    panel = desk(animals)
    panel.more.name.value = "Beasts"
    panel.more.rename.click()
    assert panel.wait()
    assert (panel.problem, panel.name, glossaries.list()["name"].tolist()) == (None, "Beasts", ["Beasts"])
    assert panel.bar.glossary.label.startswith("Beasts · ")
    panel.write(1, target="Köter")
    panel.more.delete.click()
    assert (
        "Delete “Beasts” with 3 terms on the service? Your unpushed edits (1 changed) will be lost."
        in panel.question.line.text
    )
    assert panel.question.answers[0].description == "Delete glossary"
    panel.question.answers[0].click()
    assert panel.wait()
    assert glossaries.list().empty
    assert panel.line.text.startswith("“Beasts” is deleted.")
    assert not panel.offer.waits
    assert (panel.bar.undo.description, is_shown(panel.bar.undo)) == ("Undo the deletion", True)
    panel.bar.undo.click()
    assert panel.wait()
    assert (panel.name, couples(panel.table)) == ("Beasts", couples(ANIMALS))
    assert panel.glossary_id != animals
    assert f"with a new id: {panel.glossary_id}." in panel.line.text
    panel.close()
    assert not desk().offer.waits


def test_a_name_that_is_taken_is_refused_by_a_rename(desk, animals):
    glossaries.push(terms(("tree", "Baum")), "Plants")
    panel = desk(animals)
    panel.rename("Plants")
    assert panel.wait()
    assert "There is already a glossary called “Plants”" in panel.line.text
    with pytest.raises(ValueError, match="needs a name"):
        panel.rename("  ")


def test_the_form_of_a_new_glossary_goes_back_to_the_one_before(desk, animals):
    panel = desk(animals)
    panel.bar.glossary.value = "new"
    assert panel.wait()
    assert panel.new.can_cancel
    panel.new.hear({"kind": "cancel"})
    assert panel.wait()
    assert panel.glossary_id == animals
    assert not desk().new.can_cancel
    panel.delete()
    panel.confirm()
    assert panel.wait()
    assert not panel.new.can_cancel, "it is deleted"


def test_a_pair_that_is_added_has_its_first_cell_active_and_one_that_is_there_is_refused(desk, animals):
    panel = desk(animals)
    panel.bar.pair.value = ADD
    panel.bar.add_pair.click()
    assert "EN → DE already exists" in panel.line.text
    assert is_shown(panel.bar.adding)
    panel.bar.target_lang.value = "FR"
    panel.bar.add_pair.click()
    assert panel.pair == ("EN", "FR")
    assert panel.editor._goal == (None, "")
    assert "already there" not in panel.line.text
    assert not is_shown(panel.bar.adding)


def test_the_push_that_created_a_glossary_can_be_undone_and_its_terms_stay(desk, connected):
    panel = desk(table=terms(("tree", "Baum")))
    panel.bar.name.value = "Plants"
    pushed(panel)
    panel.undo_push()
    assert panel.wait()
    assert panel.glossary_id is None
    assert glossaries.list().empty
    assert couples(panel.table) == [("tree", "Baum")]
    pushed(panel)
    assert len(glossaries.list()) == 1


# ---- files


def test_a_file_that_cannot_be_read_is_named_as_its_owner_names_it(desk, animals):
    panel = desk(animals)
    panel.files.received("../My terms.csv", b"only one column\n")
    assert panel.wait()
    assert "My-terms.csv: line 1" in panel.files.drop._told
    assert panel.line.text == "This file could not be read. See the Files tab for the reason."


# ---- others


def test_what_others_changed_is_brought_in_and_told(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    glossaries.push(terms(("dog", "Hund"), ("cat", "Kater"), ("hen", "Huhn")), glossary_id=animals)
    pushed(panel)
    assert there(animals) == {"dog": "Köter", "cat": "Kater", "hen": "Huhn"}
    assert couples(panel.table) == [("dog", "Köter"), ("cat", "Kater"), ("hen", "Huhn")]


def test_a_conflict_says_what_was_not_there_and_its_pair_where_there_are_several(desk, animals):
    french = terms(("dog", "chien"), target_lang="fr")
    glossaries.push(pd.concat([ANIMALS, french]), glossary_id=animals)
    panel = desk(animals)
    panel.choose_pair("en", "de").add("hen", "Henne")
    glossaries.push(pd.concat([ANIMALS, terms(("hen", "Huhn")), french]), glossary_id=animals)
    panel.push()
    assert panel.wait()
    shown = panel.collisions.table.content
    assert shown["columns"][:3] == ["Term", "Pair", "As loaded"]
    assert [cell[0] for cell in shown["rows"][0]["cells"]] == ["hen", "EN → DE", "Not there"]


@pytest.mark.parametrize(("choice", "dog"), [("mine", "Köter"), ("theirs", "Dackel")])
def test_what_both_changed_is_a_conflict_and_never_overwritten(desk, animals, choice, dog):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.write(3, target="Rind")
    glossaries.push(terms(("dog", "Dackel"), ("cat", "Katze"), ("cow", "Kuh")), glossary_id=animals)
    panel.push()
    assert panel.wait()
    assert panel.conflicts["source"].tolist() == ["dog"]
    assert there(animals)["dog"] == "Dackel"
    with pytest.raises(ValueError, match="confirm"):
        panel.confirm()
    panel.settle({0: choice})
    assert panel.wait()
    panel.confirm()
    assert panel.wait()
    assert there(animals) == {"dog": dog, "cat": "Katze", "cow": "Rind"}
    assert panel.table["target"][1] == dog


def test_a_push_by_someone_else_a_moment_earlier_is_a_conflict_too(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.push()
    assert panel.wait()
    glossaries.push(terms(("dog", "Dackel"), ("cat", "Katze"), ("cow", "Kuh")), glossary_id=animals)
    panel.confirm()
    assert panel.wait()
    assert panel.conflicts["theirs"].tolist() == ["Dackel"]
    assert there(animals)["dog"] == "Dackel"


def test_a_glossary_deleted_elsewhere_can_be_created_again(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    glossaries.delete(animals)
    panel.push()
    assert panel.wait()
    assert "was deleted on the service in the meantime" in panel.gone.line.text
    panel.recreate()
    assert panel.bar.glossary.value == "new"
    pushed(panel)
    assert panel.glossary_id != animals
    assert there(panel.glossary_id) == {"dog": "Köter", "cat": "Katze", "cow": "Kuh"}


@pytest.mark.long
@pytest.mark.parametrize("ask", ["push", "reload"])
def test_an_answer_about_one_glossary_never_reaches_another(desk, animals, ask):
    plants = glossaries.push(terms(("tree", "Baum")), "Plants").glossary_id
    panel = desk(animals)
    panel.write(1, target="Köter")
    getattr(panel, ask)()
    panel.open(plants)
    assert panel.wait()
    assert (panel.glossary_id, couples(panel.table)) == (plants, [("tree", "Baum")])
    assert "elsewhere" not in panel.line.text
    panel.open(animals)
    assert panel.wait()
    with panel._lock:  # the answer of the thread waits
        getattr(panel, ask)()
        panel.create("Other")
    assert panel.wait()
    assert (panel.name, len(panel.table)) == ("Other", 0)


@pytest.mark.long
def test_a_push_under_way_is_finished_before_another_glossary_is_shown(desk, animals):
    plants = glossaries.push(terms(("tree", "Baum")), "Plants").glossary_id
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.push()
    assert panel.wait()
    with panel._lock:
        panel.confirm()
        with pytest.raises(ValueError, match="in progress"):
            panel.create("Other")
        panel.open(plants)
    assert panel.wait()
    assert there(animals)["dog"] == "Köter"
    assert (panel.glossary_id, couples(panel.table)) == (plants, [("tree", "Baum")])
    panel.open(animals)
    assert panel.wait()
    assert not panel.offer.waits


def test_the_glossary_asked_for_last_is_the_one_that_is_shown(desk, animals):
    plants = glossaries.push(terms(("tree", "Baum")), "Plants").glossary_id
    panel = desk()
    panel.open(animals).open(plants)
    panel.create("Other").add("oak", "Eiche")
    assert panel.wait()
    assert (panel.name, couples(panel.table)) == ("Other", [("oak", "Eiche")])
    assert not panel.bar.push.disabled


@pytest.mark.long
def test_a_push_of_the_same_by_others_is_not_ours_to_undo(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.push()
    assert panel.wait()
    glossaries.push(panel.table, glossary_id=animals)
    panel.confirm()
    assert panel.wait()
    assert panel.bar.undo.layout.display == "none"
    with pytest.raises(ValueError, match="nothing was pushed"):
        panel.undo_push()


def test_reload_brings_in_what_others_changed_and_keeps_what_was_edited(desk, animals):
    panel = desk(animals)
    panel.write(1, target="Köter")
    glossaries.push(terms(("dog", "Hund"), ("cat", "Kater"), ("cow", "Kuh")), glossary_id=animals)
    panel.reload()
    assert panel.wait()
    assert couples(panel.table) == [("dog", "Köter"), ("cat", "Kater"), ("cow", "Kuh")]
    assert panel.book.changes == {"new": 0, "changed": 1, "dropped": 0}


# ---- the notebook, and the end


def test_a_line_never_quotes_a_term(desk, animals):
    panel = desk(animals)
    panel.add("secret-source", "secret-target")
    panel.add("secret-source", "other-target")
    panel.fix_all()
    panel.wait()
    panel.reload()
    assert panel.wait()
    assert panel.problem is not None
    assert "secret" not in panel.line.text
    bundle = panel._repr_mimebundle_()
    assert "secret" not in str(bundle)
    assert "Hund" not in str(bundle)


def test_texts_stay_in_the_notebook_where_that_is_asked_for(desk, animals):
    bundle = desk(animals, keep_texts=True)._repr_mimebundle_()
    assert "Hund" in bundle["text/html"]


@pytest.mark.long
def test_hostile_terms_are_pushed_as_they_are(desk, connected):
    panel = desk(table=terms(*((text, f"{text} de") for text in HOSTILE)))
    panel.bar.name.value = "Hostile"
    pushed(panel)
    assert list(there(panel.glossary_id)) == list(HOSTILE)


def test_close_leaves_no_thread(desk, animals):
    before = set(threading.enumerate())
    panel = panels.Glossary(animals)
    assert panel.wait()
    panel.write(1, target="Köter")
    panel.close()
    assert {each for each in threading.enumerate() if each.name == "svc_nb panel"} <= before


def test_close_frees_every_widget(connected, animals):
    before = set(_instances)
    panel = panels.Glossary(animals)
    assert panel.wait()
    panel.open(None)
    assert panel.wait()
    panel.close()
    assert set(_instances) <= before


@pytest.mark.long
def test_a_saved_notebook_holds_no_term_and_no_key(running, connected, desk, animals):
    own = {"api_key": running.api_key, "base_url": running.base_url, "store": connected.settings.store}
    secrets = ("Zwetschgendatschi 4711", "Marillenknödel 4712", "Powidltascherl 4713", "Topfenstrudel 4714")
    edits = EDITS.format(glossary_id=animals, secrets=secrets)
    notebook = saved(CONNECTED.format(**own), edits, "panel.close()")
    assert_not_saved(notebook, running.api_key, *secrets, "Katze")


CONNECTED = """
import pandas as pd, svc_nb, warnings
from svc_nb import panels
warnings.simplefilter("ignore")
svc_nb.connect({api_key!r}, base_url={base_url!r}, store={store!r})
"""
EDITS = """
one, two, three, four = {secrets!r}
panel = panels.Glossary({glossary_id!r}, corpus=pd.Series([f"The {{four}} here."] * 5))
panel.wait()
panel.write(1, target=one)
panel.add(two, "")
panel.add(two, " x ")
panel.add(three, three)
panel.suggest()
panel.trial.trial.write(four)
panel.try_out(f"The dog {{three}}.")
panel.wait()
for tab in ("Checks", "Suggestions", "Changes"):
    panel.turn_to(tab)
    panel.wait()
panel.fix_all()
panel.reload()
panel.wait()
panel
"""
