"""`.svc` on tables of terms, rules and instructions, and the checks of a column: as a person calls them."""

from __future__ import annotations

import pandas as pd
import pytest

import svc_nb
from svc_nb.tabular.terms import made
from tests.counters import quiet

TERMS = made("de", "en", ["Zelt", "Rucksack", "Zelt "], ["tent", "backpack", "tent"])


def test_a_table_of_terms_is_linted_fixed_and_written(tmp_path):
    assert TERMS.svc.lint()["code"].tolist() == ["edge_space"]
    assert TERMS.svc.fixes()["before"].tolist() == ["Zelt ", "Zelt"]
    clean = TERMS.svc.fix()
    assert clean.svc.to_entries() == "Zelt\ttent\nRucksack\tbackpack"
    assert clean.svc.to_wide()["EN"].tolist() == ["tent", "backpack"]
    path = clean.svc.write(tmp_path / "terms.csv")
    assert svc_nb.glossaries.read(path)["target"].tolist() == ["tent", "backpack"]


@pytest.mark.usefixtures("connected")
def test_terms_are_pushed_and_compared_with_what_is_there():
    clean = TERMS.svc.fix()
    assert "created with 2 terms" in clean.svc.push("Outdoor").said
    more = pd.concat([clean, made("de", "en", ["Hering"], ["tent peg"])])
    assert more.svc.diff("Outdoor")["change"].tolist() == ["added"]
    assert more.svc.push("Outdoor", dry_run=True)["done"].tolist() == [False]
    assert len(svc_nb.glossaries.pull("Outdoor")) == 2


def test_terms_are_measured_against_a_column():
    column = pd.Series(["Das Zelt ist gut.", "ZELT und Tasse", None])
    found = TERMS[:2].svc.coverage(column)
    assert found[["hits", "rows"]].to_numpy().tolist() == [[2, 2], [0, 0]]
    assert found["dead"].tolist() == [False, True]


def test_style_rules_and_instructions_are_linted_by_their_columns():
    rules = pd.DataFrame({"category": ["numbers"], "rule": ["no_such_rule"], "option": ["x"]})
    assert "rule" in rules.svc.lint(language="en")["message"].iloc[0]
    instructions = pd.DataFrame({"label": ["x" * 101], "prompt": ["Be kind."]})
    assert instructions.svc.lint()["severity"].tolist() == ["error"]


def test_a_table_of_something_else_says_what_is_missing():
    for method in ("lint", "fix", "fixes", "to_entries", "to_wide"):
        with pytest.raises(ValueError, match="source_lang"):
            getattr(pd.DataFrame({"a": [1]}).svc, method)()


def test_translations_are_checked_against_their_texts():
    source = pd.Series(["Hallo {name}", "Zelt", "Gut."], index=list("abc"))
    target = pd.Series(["Hello", "Marquee", "Good."], index=list("abc"))
    found = source.svc.check(target, source_lang="de", target_lang="en", glossary=TERMS[:2])
    assert set(zip(found["row"], found["code"], strict=True)) == {("a", "placeholders"), ("b", "glossary")}
    assert {"placeholders", "glossary"} <= set(svc_nb.checks()["code"])
    assert len(svc_nb.checks()) >= 20


@pytest.mark.usefixtures("connected")
def test_the_service_is_asked_for_languages_only_when_told_to(running):
    source = pd.Series(["Das Zelt ist sehr leicht und gut verarbeitet."])
    target = pd.Series(["La tente est très légère et bien faite, je la recommande."])
    before = quiet(running)
    source.svc.check(target, target_lang="EN-US")
    assert quiet(running) == before
    found = source.svc.check(target, target_lang="EN-US", detect=True)
    assert "wrong_language" in set(found["code"])
    assert quiet(running) == before + 1


def test_candidates_for_terms_are_found_in_a_column():
    column = pd.Series(["Die Stirnlampe leuchtet hell."] * 3 + ["Meine Stirnlampe ist kaputt."] * 2)
    found = column.svc.term_candidates(lang="de")
    assert "stirnlampe" in [candidate.lower() for candidate in found["candidate"]]
