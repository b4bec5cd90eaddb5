"""The first minute with a glossary panel: a name and a pair, first terms, the same counts everywhere, checks later."""

from __future__ import annotations

import threading

import pandas as pd
import pytest

from svc_nb import glossaries, panels
from svc_nb.panels.glossary import checks
from svc_nb.panels.glossary.checks import Checks
from svc_nb.panels.glossary.files import COLUMN_LEFT, NUMBERS_LEFT, OTHER_TRANSLATION, SHEET_LEFT
from svc_nb.panels.glossary.pairs import ALL
from svc_nb.panels.parts.edit_table import EditTable
from svc_nb.panels.parts.widgets import is_shown
from svc_nb.tabular.sheets import written as written_sheets
from svc_nb.tabular.terms import COLUMNS
from tests.panels.glossary.conftest import ANIMALS
from tests.panels.glossary.terms import booked, couples, terms


def columns(panel: panels.Glossary) -> list[str]:
    return [column["title"] for column in panel.editor.page["columns"]]


# ---- a new glossary


def test_a_new_glossary_asks_for_a_name_and_a_pair_first_and_sends_nothing(desk, connected):
    panel = desk()
    assert is_shown(panel.new)
    assert not is_shown(panel.bar.push) or not is_shown(panel.bar.doing)
    assert not is_shown(panel.bar.name)
    panel.new.hear({"kind": "create", "name": " Plants ", "source_lang": "EN", "target_lang": "FR"})
    assert (panel.name, panel.pair, panel.problem) == ("Plants", ("EN", "FR"), None)
    assert not is_shown(panel.new)
    assert is_shown(panel.bar.doing)
    assert (panel.editor.page["go"], panel.editor.page["focus"]) == ([None, -1, None], True)
    assert panel.wait()
    assert glossaries.list().empty


def test_a_name_that_is_taken_is_refused_by_the_form(desk, animals):
    panel = desk()
    panel.new.hear({"kind": "create", "name": "Animals", "source_lang": "EN", "target_lang": "FR"})
    assert "There is already a glossary called “Animals”" in panel.line.text
    assert is_shown(panel.new)


def test_a_glossary_that_begins_with_terms_is_not_asked_about_but_its_name_is(desk):
    panel = desk(table=terms(("tree", "Baum")))
    assert not is_shown(panel.new)
    assert is_shown(panel.bar.name)
    panel = desk()
    panel.add("tree", "Baum")
    assert not is_shown(panel.new)
    assert is_shown(panel.bar.name)


# ---- pairs


def test_one_pair_has_two_columns_and_many_have_their_languages(desk, animals):
    assert columns(desk(animals)) == ["Term", "Translation"]
    assert columns(desk().create("Plants", "en", "fr")) == ["Term", "Translation"]
    table = pd.concat([ANIMALS, terms(("dog", "chien"), target_lang="fr")], ignore_index=True)
    assert columns(desk(table=table)) == ["From", "To", "Term", "Translation"]


def test_the_pair_of_the_first_rows_is_the_one_that_is_shown(desk):
    panel = desk(table=terms(("dog", "chien"), target_lang="fr"))
    assert panel.pair == ("EN", "FR")
    assert couples(panel.editor.table) == [("dog", "chien")]
    assert [label for label, _ in panel.bar.pair.options] == ["EN → FR (1)", "Add a pair …"]


def test_the_choice_of_a_pair_is_never_blank(desk, animals):
    table = pd.concat([ANIMALS, terms(("dog", "chien"), target_lang="fr")], ignore_index=True)
    for panel, chosen in ((desk(), ("EN", "DE")), (desk(animals), ("EN", "DE")), (desk(table=table), ALL)):
        assert panel.bar.pair.value == chosen
        assert panel.bar.pair.label
    panel.bar.pair.value = ("EN", "FR")
    assert couples(panel.editor.table) == [("dog", "chien")]
    panel.bar.pair.value = ALL
    assert (panel.pair, len(panel.editor.table)) == (None, 4)


# ---- counts


def test_the_same_is_counted_in_the_same_words_everywhere(desk, animals):
    panel = desk(animals)
    panel.write(1, target=" Hund")
    panel.write(2, source="cat  x", target="")  # an error and a warning in one row
    panel.write(3, source="cow  x")
    assert panel.wait()
    told = "2 rows with errors, 2 rows with warnings"
    assert panel.editor.counts == f"3 rows; {told}; 3 changed"
    assert panel.checks.line.text == f"{told}. The service will not accept rows with errors."
    assert panel.line.text == f"“Animals”: 3 terms. 3 changed, not pushed yet. {told}."
    assert panel.tabs.titles[:1] == ("Checks (3)",)
    assert panel.editor.page["foot"]["sizes"] == {"all": 3, "error": 2, "warning": 2, "changed": 3, "new": 0}
    with pytest.raises(ValueError, match=r"^2 rows with errors cannot be sent"):
        panel.push()
    panel.discard()
    assert panel.wait()
    assert panel.checks.line.text == "No problems found."


def test_a_push_is_asked_about_in_the_numbers_of_the_grid(desk, animals):
    panel = desk(animals)
    panel.write(1, source="hound")  # to the service, one term less and one more
    panel.add("hen", "Huhn")
    panel.add()
    panel.drop(3)
    assert panel.editor.counts.endswith("1 added, 1 changed, 1 removed")
    panel.push()
    assert panel.wait()
    asked = panel.question.line.text
    assert "In EN → DE: 1 added, 1 changed, 1 removed." in asked
    assert "1 empty row is not sent." in asked
    assert [each.description for each in panel.question.answers] == ["Push 3 changes", "Cancel"]
    panel.confirm()
    assert panel.wait()
    assert "Pushed to “Animals”: 1 added, 1 changed, 1 removed." in panel.line.text
    assert sorted(couples(glossaries.pull(animals))) == [("cat", "Katze"), ("hen", "Huhn"), ("hound", "Hund")]


# ---- checks


def test_a_finding_leads_to_the_cell_that_is_wrong(desk, animals):
    panel = desk(animals)
    panel.write(1, target=" Hund")
    panel.write(3, source="cow  x")
    assert panel.wait()
    found = panel.findings
    assert list(zip(found["row"], found["column"], strict=True)) == [(1, "target"), (3, "source")]
    for label, place in ((0, [1, 0, 1]), (1, [3, 2, 0])):
        panel.checks.grid.hear({"kind": "choose", "row": label})
        assert panel.editor.page["go"] == place
    assert found["message"].tolist()[0] == "the translation has space at its beginning or end"
    assert panel.editor.page["rows"][0]["wrong"] == [1]


def test_rows_are_there_while_they_are_checked_and_the_tab_says_so(connected, animals):
    panel = panels.Glossary(animals)
    panel._ready()
    assert [row["cells"] for row in panel.editor.page["rows"]] == [list(each) for each in couples(ANIMALS)]
    assert panel.checks._latest.wait(10)
    assert (panel.checks.live, panel.checks.line.text) == (None, "Checking …")
    panel.editor.hear({"kind": "hello", "view": "a"})
    assert panel.wait()
    assert panel.checks.line.text == "No problems found."
    panel.close()


def test_checks_begin_when_a_browser_has_the_rows_or_someone_waits(monkeypatch):
    monkeypatch.setattr(checks, "LATEST", 60.0)
    judged, done = [], threading.Event()
    looking = Checks(lambda found: (judged.append(found), done.set()), lambda row, column: None)
    book = EditTable(booked(terms(("dog", " Hund"))), COLUMNS)
    looking.open(book)
    assert not done.wait(0.3)
    looking.begin()
    assert done.wait(30)
    looking.open(book)
    assert looking.wait(30)
    assert [list(each) for each in judged] == [[1], [1]]
    looking.close()


def test_rows_are_named_by_their_places_in_the_grid_and_in_messages(desk, animals):
    panel = desk(animals)
    hen, again = panel.add("hen", "Huhn"), panel.add("hen", "Henne")
    panel.drop(1)
    panel.editor.hear({"kind": "hello", "view": "a"})
    assert panel.wait()
    assert (hen, again) == (4, 5)
    rows = panel.editor.page["rows"]
    assert [row["number"] for row in rows] == [1, 2, 3, 4]
    assert rows[-1]["note"] == "this term is already in row 3, translated as 'Huhn'"
    listed = panel.checks.grid.table
    assert (listed["place"].tolist(), listed["message"].tolist()) == ([4], [rows[-1]["note"]])
    panel.turn_to("Changes")
    assert panel.wait()
    assert panel.changed.grid.table["place"].tolist() == [pd.NA, 3, 4]
    assert panel.changes["row"].tolist() == [1, 4, 5]
    with pytest.raises(ValueError, match=r"cannot be sent \(row 4\)"):
        panel.push()
    panel.drop(2)
    assert panel.wait()
    assert panel.editor.page["rows"][-1]["note"].startswith("this term is already in row 2")
    assert panel.findings["row"].tolist() == [again]


def test_a_fix_is_offered_where_one_is_safe(desk, animals):
    panel = desk(animals)
    panel.add("hen", "")
    assert panel.wait()
    assert (panel.checks.fix.disabled, panel.checks.fix_all.disabled) == (True, True)
    panel.write(1, source=" dog  house")
    assert panel.wait()
    assert not panel.checks.fix_all.disabled
    assert not [text for text in panel.findings["suggestion"] if text != text.strip()]
    panel.undo()
    panel.add("cow", "Kuh")
    assert panel.wait()
    assert not panel.checks.fix_all.disabled


def test_fix_can_be_pressed_where_a_row_is_selected_that_it_can_fix(desk, animals):
    panel = desk(animals)
    panel.add("cow", "Rind")  # which of the two is right?
    panel.add("hen ", "Huhn")
    assert panel.wait()
    suggested = panel.checks.grid.table["suggestion"].tolist()
    for place, (suggestion, can_fix) in enumerate(zip(suggested, (False, True), strict=True)):
        panel.checks.grid.hear({"kind": "select", "from": [place, place], "to": [place, place], "version": 0})
        assert (panel.checks.fix.disabled, suggestion == "keep one of the two") == (not can_fix, not can_fix)
    panel.checks.fix.click()
    assert panel.wait()
    assert couples(panel.table)[-1] == ("hen", "Huhn")
    assert panel.checks.fix.disabled


def test_how_many_problems_there_are_is_said_where_rows_have_several(desk, animals):
    panel = desk(animals)
    panel.add("hen ", "")
    assert panel.wait()
    assert panel.checks.grid.page["foot"]["said"] == "2 problems in 1 row."
    assert panel.tabs.titles[0] == "Checks (1)"


# ---- files


def test_what_a_file_loses_is_listed_with_its_line_and_the_reason(desk, animals, tmp_path):
    path = tmp_path / "more.csv"
    path.write_text(
        "Terms of 2026\n\nen,de,fr\nhen,Huhn,poule\n# old ones\ncock,,\nhen,Huhn,coq\nox,Ochse,boeuf\n", "utf-8"
    )
    panel = desk(animals)
    panel.read(path)
    assert panel.wait()
    assert panel.problem is None, panel.line.text
    assert panel.files.left_out.table.to_numpy().tolist() == [
        [1, "Terms of 2026", "Above the header"],
        [5, "# old ones", "Comment"],
        [6, "cock", "No translation"],
        [7, "hen · Huhn", "Same as line 4"],
        [7, "hen → coq", "Second translation of the same term"],
    ]
    assert is_shown(panel.files.left_out)
    assert "Left out: 4 lines." in panel.files.question.line.text
    assert len(panel.table) == 3
    panel.bring_in()
    assert sorted(couples(panel.table)[3:]) == [
        ("hen", "Huhn"),
        ("hen", "coq"),
        ("hen", "poule"),
        ("ox", "Ochse"),
        ("ox", "boeuf"),
    ]


def test_a_file_that_loses_nothing_has_no_such_list(desk, animals, tmp_path):
    path = tmp_path / "more.tsv"
    path.write_text("hen\tHuhn\ten\tde\n", "utf-8")
    panel = desk(animals)
    panel.read(path)
    assert panel.wait()
    assert not is_shown(panel.files.left_out)
    assert "Left out" not in panel.files.question.line.text


def test_sheets_columns_and_other_translations_are_told_before_a_file_is_brought_in(desk, animals, tmp_path):
    path = tmp_path / "more.xlsx"
    terms_of_file = [["en", "de", "Note"], ["hen ", "Huhn", "bird"], [" dog", "Köter", ""], ["cow", " Kuh", ""]]
    path.write_bytes(written_sheets({"Terms": [*terms_of_file, ["", "Ochse", ""]], "Old & <b>": [["a", "b"]]}))
    panel = desk(animals)
    panel.read(path)
    assert panel.wait()
    assert panel.problem is None, panel.line.text
    listed = panel.files.left_out.table
    assert listed["text"].tolist() == ["Old & <b>", "Note", "Ochse", "dog: Hund → Köter"]
    assert listed["reason"].tolist() == [SHEET_LEFT, COLUMN_LEFT, "No term", OTHER_TRANSLATION]
    assert listed["line"].isna().tolist() == [True, True, False, False]
    told = panel.files.question.line.text
    assert "has 3 terms in 1 language pair (EN → DE)." in told
    assert "Add: 1 new, 1 changed." in told
    assert "1 term already has another translation; the file's will replace it." in told
    assert "Removed spaces around 3 terms." in told
    assert "Left out: 1 sheet, 1 column, 1 line." in told
    panel.bring_in()
    assert couples(panel.table) == [("dog", "Köter"), ("cat", "Katze"), ("cow", "Kuh"), ("hen", "Huhn")]


def test_a_column_of_numbers_is_not_a_language_and_the_question_names_the_pairs(desk, animals, tmp_path):
    path = tmp_path / "more.xlsx"
    rows = [["English", "German", "French", "ID"], ["mug", "Becher", "tasse", "1"], ["pot", "Topf", "", "2"]]
    path.write_bytes(written_sheets({"Terms": rows}))
    panel = desk(animals)
    panel.read(path)
    assert panel.wait()
    told = panel.files.question.line.text
    assert "more.xlsx has 3 terms in 2 language pairs: EN → DE (2 terms), EN → FR (1 term)." in told
    assert panel.files.left_out.table.query("text == 'ID'")["reason"].tolist() == [NUMBERS_LEFT]
    panel.bring_in()
    panel.undo()
    assert [title for title, _ in panel.bar.pair.options if "FR" in title] == []


def test_the_question_says_which_pairs_replacing_all_terms_removes(desk, animals, tmp_path):
    (tmp_path / "french.csv").write_text("source_lang,target_lang,source,target\nen,fr,hen,poule\n", "utf-8")
    (tmp_path / "german.csv").write_text("source_lang,target_lang,source,target\nen,de,hen,Huhn\n", "utf-8")
    panel = desk(animals)
    lacking = "The file has no EN → DE (3 terms): “Replace all terms” removes all of them here."
    for name, is_told in (("french", True), ("german", False)):
        panel.read(tmp_path / f"{name}.csv")
        assert panel.wait()
        assert (lacking in panel.files.question.line.text) == is_told
    panel.read(tmp_path / "french.csv")
    assert panel.wait()
    panel.bring_in("replace")
    assert couples(panel.table) == [("hen", "poule")]


def test_an_export_is_told(desk, animals):
    panel = desk(animals)
    panel.download("csv")
    assert panel.wait()
    assert "Saved 3 terms as Animals.csv." in panel.line.text


# ---- suggestions and try-outs


def test_suggestions_keep_to_the_language_of_the_terms(desk, animals):
    english = ["The heat pump hums.", "Every heat pump is tested.", "The heat pump needs care."]
    german = ["Die Wärmepumpe brummt leise.", "Jede Wärmepumpe wird geprüft.", "Die Wärmepumpe braucht Pflege."]
    panel = desk(animals, corpus=pd.Series(english + german))
    panel.suggest()
    assert panel.wait()
    assert panel.suggestions.found["candidate"].tolist() == ["heat pump"]
