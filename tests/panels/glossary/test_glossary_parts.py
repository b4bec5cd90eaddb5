"""Suggestions, the try-out, and files of the glossary panel."""

from __future__ import annotations

import pandas as pd
import pytest

from svc_nb import glossaries
from svc_nb.panels.parts.widgets import is_shown
from tests.panels.glossary.conftest import ANIMALS
from tests.panels.glossary.terms import HOSTILE, couples, terms

CORPUS = pd.Series(
    [
        "The heat pump hums.",
        "A heat pump needs care.",
        "Every heat pump is tested.",
        "The control unit of the heat pump.",
        "A control unit.",
        "The control unit is new.",
        None,
    ]
)

# ---- suggestions


def found(panel) -> dict[str, int]:
    """The candidates with their labels."""
    table = panel.suggestions.found
    return dict(zip(table["candidate"].tolist(), table.index.tolist(), strict=True))


def test_a_suggestion_becomes_a_term_of_the_pair_that_is_shown(desk, animals):
    panel = desk(animals, corpus=CORPUS)
    panel.turn_to("Suggestions")
    assert panel.wait()
    panel.accept(found(panel)["heat pump"])
    assert panel.table.iloc[-1].tolist() == ["EN", "DE", "heat pump", ""]
    assert panel.checks.errors == [4]
    assert "heat pump" not in found(panel)
    panel.suggest()
    assert panel.wait()
    assert "heat pump" not in found(panel)
    panel.undo()
    assert len(panel.table) == 3


def test_a_dismissed_suggestion_does_not_come_again(desk, animals):
    panel = desk(animals, corpus=CORPUS)
    panel.suggest()
    assert panel.wait()
    panel.dismiss(found(panel)["control unit"])
    panel.suggest()
    assert panel.wait()
    assert list(found(panel)) == ["heat pump"]


def test_a_key_acts_on_the_row_where_it_is_pressed(desk, animals):
    panel = desk(animals, corpus=CORPUS)
    panel.suggest()
    assert panel.wait()
    panel.suggestions.grid.sort_by("candidate")
    panel.suggestions.letters.hear({"kind": "key", "key": "x", "text": "control unit"})
    assert list(found(panel)) == ["heat pump"]
    panel.suggestions.letters.hear({"kind": "key", "key": "x", "text": "control unit"})
    panel.suggestions.letters.hear({"kind": "key", "key": "q", "text": "heat pump"})
    assert list(found(panel)) == ["heat pump"]
    panel.suggestions.letters.hear({"kind": "key", "key": "Enter", "text": "heat pump"})
    assert panel.table["source"].iloc[-1] == "heat pump"
    assert len(panel.table) == 4


def test_enter_goes_to_the_translation_and_a_stays_in_the_list(desk, animals):
    panel = desk(animals, corpus=CORPUS)
    panel.suggest()
    assert panel.wait()
    assert "Press Enter to add one and go to its translation" in panel.suggestions.line.text
    first, second = found(panel)
    panel.suggestions.letters.hear({"kind": "key", "key": "a", "text": first})
    assert "go" not in panel.editor.page
    panel.suggestions.letters.hear({"kind": "key", "key": "Enter", "text": second})
    assert panel.editor.page["go"] == [5, 4, 1]


def test_cells_that_are_not_text_are_skipped_and_reported(desk, animals):
    panel = desk(animals, corpus=pd.concat([CORPUS, pd.Series([3, 4.5])], ignore_index=True))
    panel.suggest()
    assert panel.wait()
    assert panel.problem is None, panel.line.text
    assert "heat pump" in found(panel)
    assert panel.suggestions.line.text.endswith("Searched 6 English texts. 2 cells are not text and were skipped.")


def test_where_nothing_is_found_it_is_told_in_what_was_looked(desk, animals):
    panel = desk(animals, corpus=pd.Series(["The heat pump hums.", None]))
    panel.suggest()
    assert panel.wait()
    told = "No new suggestions: a candidate must occur at least 3 times and not be a term yet. Searched 1 English text."
    assert panel.suggestions.line.text == told
    assert not is_shown(panel.suggestions.grid)


def test_without_a_corpus_it_is_said_how_to_give_one(desk, animals):
    panel = desk(animals)
    panel.turn_to("Suggestions")
    assert "corpus=" in panel.suggestions.line.text
    with pytest.raises(ValueError, match="corpus="):
        panel.suggest()


# ---- trying out


def test_a_sentence_is_translated_with_the_terms_as_edited_and_without(desk, animals, unwarned):
    panel = desk(animals)
    panel.write(1, target="Köter")
    panel.try_out("The dog barks.")
    assert panel.wait()
    tried = panel.trial.last
    assert "Köter" in tried.text
    assert "Köter" not in tried.plain
    assert f"{tried.billed} characters billed" in panel.trial.line.text
    assert glossaries.list()["name"].tolist() == ["Animals"]
    assert dict(couples(glossaries.pull(animals)))["dog"] == "Hund"


def test_a_sentence_needs_one_pair(desk, connected):
    table = pd.concat([ANIMALS, terms(("dog", "chien"), target_lang="fr")], ignore_index=True)
    panel = desk(glossaries.push(table, "Animals").glossary_id)
    panel.trial.trial.hear({"kind": "try", "text": "The dog barks."})
    assert "Choose a language pair first" in panel.line.text
    panel.bar.pair.value = ("EN", "FR")
    assert "Choose a language pair first" not in panel.line.text
    panel.problem = ValueError("an earlier one")
    panel.trial.trial.hear({"kind": "try", "text": "The dog barks."})
    assert panel.wait()
    assert (panel.problem, panel.line.kind) == (None, "info")


def test_rows_that_the_service_refuses_are_left_out_of_a_try(desk, animals, unwarned):
    panel = desk(animals)
    panel.add("hen", "")
    panel.try_out("The dog and the hen.")
    assert panel.wait()
    assert "1 row" in panel.trial.line.text
    assert "Hund" in panel.trial.last.text


# ---- files


@pytest.mark.parametrize("form", ["csv", "tsv", "xlsx", "tbx", "tmx"])
def test_what_is_exported_comes_in_again_and_changes_nothing(desk, animals, tmp_path, form):
    panel = desk(animals)
    for text in HOSTILE:
        panel.add(text, f"{text} de")
    path = panel.export(tmp_path / f"terms.{form}")
    panel.read(path)
    assert panel.wait()
    assert "changes nothing" in panel.files.question.line.text
    panel.bring_in("replace")
    assert couples(panel.table)[3:] == [(text, f"{text} de") for text in HOSTILE]


def test_a_file_is_brought_in_as_one_step_and_told_before(desk, animals, tmp_path):
    panel = desk(animals)
    path = tmp_path / "more.csv"
    path.write_text("dog,Köter\nhen,Huhn\ncow,Kuh\n", "utf-8")
    panel.read(path)
    assert panel.wait()
    told = panel.files.question.line.text
    assert "more.csv has 3 terms in 1 language pair (EN → DE)." in told
    assert "Add: 1 new, 1 changed." in told
    assert "Replace: 1 new, 1 changed, 1 removed." in told
    assert couples(panel.table) == couples(ANIMALS)
    panel.files.add.click()
    assert couples(panel.table) == [("dog", "Köter"), ("cat", "Katze"), ("cow", "Kuh"), ("hen", "Huhn")]
    assert panel.undo() == "Import more.csv"
    assert couples(panel.table) == couples(ANIMALS)
    with pytest.raises(ValueError, match="no file"):
        panel.bring_in()


def test_an_unknown_heading_is_asked_about_and_a_blank_cell_replaces_nothing(desk, animals, tmp_path):
    panel = desk(animals)
    path = tmp_path / "more.csv"
    path.write_text("Wer,Was\nhen,Huhn\ndog,\ncat,Kater\n", "utf-8")
    panel.read(path)
    assert panel.wait()
    assert "The first row was read as a term. Is it a heading?" in panel.files.question.line.text
    assert "Add: 2 new, 1 changed." in panel.files.question.line.text
    panel.files.heading.click()
    assert panel.wait()
    assert "Add: 1 new, 1 changed." in panel.files.question.line.text
    listed = panel.files.left_out.table[["text", "reason"]].to_numpy().tolist()
    assert listed[:2] == [["Wer · Was", "Heading"], ["dog", "No translation"]]
    assert panel.files.heading.description == "The first row is a term"
    panel.bring_in("add")
    assert couples(panel.table) == [("dog", "Hund"), ("cat", "Kater"), ("cow", "Kuh"), ("hen", "Huhn")]


def test_a_file_without_languages_is_of_the_main_pair_where_all_are_shown(desk, animals, tmp_path):
    panel = desk(animals)
    panel.book.add([("EN", "FR", "dog", "chien")])
    panel.choose_pair()
    panel.editor.sort_by("source")
    path = tmp_path / "more.csv"
    path.write_text("Begriff,Entsprechung\nbee,Biene\ndog,Köter\ndog,Hund\n", "utf-8")
    panel.read(path)
    assert panel.wait()
    told = panel.files.question.line.text
    assert "read as EN → DE" in told
    assert "1 term gets a second translation" in told
    assert "Is it a heading?" not in told
    assert panel.files.left_out.table["text"].tolist() == ["dog → Köter"]
    panel.bring_in("add")
    assert panel.editor.table["source"].tolist() == ["bee", "cat", "cow", "dog", "dog", "dog"]
    assert panel.files.save_as.value == "Save all 6 terms of 2 pairs as"


def test_a_dropped_file_is_read_by_its_suffix(desk, animals):
    panel = desk(animals)
    data = b"source\ttarget\tsource_lang\ttarget_lang\nhen\tHuhn\ten\tde\n"
    panel.files.drop.hear({"kind": "piece", "number": "1", "name": "../terms.tsv", "size": len(data), "at": 0}, [data])
    assert panel.wait()
    panel.bring_in("add")
    assert couples(panel.table)[-1] == ("hen", "Huhn")


def test_a_file_dropped_while_a_glossary_is_opened_is_for_that_one(desk, animals):
    plants = glossaries.push(terms(("tree", "Baum")), "Plants").glossary_id
    panel = desk(animals)
    panel.open(plants)
    panel.files.received("terms.tsv", b"tree\tBaum\ten\tde\noak\tEiche\ten\tde\n")
    assert panel.wait()
    assert "Add: 1 new." in panel.files.question.line.text


def test_a_file_that_cannot_be_read_is_told_and_not_quoted_in_the_line(desk, animals, tmp_path):
    panel = desk(animals)
    path = tmp_path / "secret.csv"
    path.write_text("secret-cell\nanother-secret\n", "utf-8")
    panel.read(path)
    assert panel.wait()
    assert panel.problem is not None
    assert panel.line.text == "This file could not be read. See the Files tab for the reason."
    assert panel.files.arrived is None
