"""Suggestions, the try-out, and files of the glossary panel."""

from __future__ import annotations

import pandas as pd
import pytest

from svc_nb import glossaries
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
    panel.suggestions.letters.hear({"kind": "key", "key": "x", "place": 0})
    assert list(found(panel)) == ["heat pump"]
    panel.suggestions.letters.hear({"kind": "key", "key": "q", "place": 0})
    panel.suggestions.letters.hear({"kind": "key", "key": "Enter", "place": 7})
    panel.suggestions.letters.hear({"kind": "key", "key": "Enter", "place": 0})
    assert panel.table["source"].iloc[-1] == "heat pump"
    assert len(panel.table) == 4


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
    assert "more.csv has 3 terms in 1 language pair." in told
    assert "Adding it: 1 new, 1 with another target." in told
    assert "Replacing it: 1 new, 1 with another target, 1 removed." in told
    assert couples(panel.table) == couples(ANIMALS)
    panel.files.add.click()
    assert couples(panel.table) == [("dog", "Köter"), ("cat", "Katze"), ("cow", "Kuh"), ("hen", "Huhn")]
    assert panel.undo() == "Import more.csv"
    assert couples(panel.table) == couples(ANIMALS)
    with pytest.raises(ValueError, match="no file"):
        panel.bring_in()


def test_a_dropped_file_is_read_by_its_suffix(desk, animals):
    panel = desk(animals)
    data = b"source\ttarget\tsource_lang\ttarget_lang\nhen\tHuhn\ten\tde\n"
    panel.files.drop.hear({"kind": "piece", "number": "1", "name": "../terms.tsv", "size": len(data), "at": 0}, [data])
    assert panel.wait()
    panel.bring_in("add")
    assert couples(panel.table)[-1] == ("hen", "Huhn")


def test_a_file_that_cannot_be_read_is_told_and_not_quoted_in_the_line(desk, animals, tmp_path):
    panel = desk(animals)
    path = tmp_path / "secret.csv"
    path.write_text("secret-cell\nanother-secret\n", "utf-8")
    panel.read(path)
    assert panel.wait()
    assert panel.problem is not None
    assert panel.line.text == "The file cannot be read: Files says why."
    assert panel.files.arrived is None
