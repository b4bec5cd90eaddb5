"""Before anything is paid: what is chosen, what the panel says it will cost, and that it is planned only once."""

from __future__ import annotations

import re

import pandas as pd
import pytest

import svc_nb
from svc_nb import panels
from svc_nb.columns.protection import BY_DEFAULT
from svc_nb.errors import UnknownLanguage
from svc_nb.panels.translate.view import GIVEN
from tests.panels.translate.conftest import TEXTS, done


def go(panel):
    return panel.layout.buttons["go"]


def figures(panel) -> dict[str, str]:
    return {each["name"]: each["value"] for each in panel.layout.figures.figures}


def test_it_says_what_df_svc_plan_says_and_sends_no_text(panel, frame, counters):
    shown = panel(frame, ["title", "body"], ["ES", "FR"], price=20)
    plan = frame.svc.plan(["title", "body"], ["ES", "FR"], price=20, errors="coerce")
    assert shown.plan() == plan
    assert figures(shown)["Characters to pay"] == f"{plan.characters:,}"
    assert figures(shown)["Skipped cells"] == "4"
    assert go(shown).description.startswith(f"Translate 16 cells, {plan.characters:,} characters, cost ")
    assert not go(shown).disabled
    assert counters.requests() == 0


@pytest.mark.long
def test_what_is_in_the_store_is_not_paid_for_and_the_button_says_so(panel, frame):
    first = done(panel(frame, "title", "ES"))
    assert go(first).description == "Translate again, no cost"
    again = panel(frame, "title", "ES")
    assert go(again).description == "Fill in 3 rows from the store, no cost"
    assert not go(again).disabled


def test_a_column_and_a_language_are_chosen_by_hand(panel, frame):
    shown = panel(frame)
    assert shown.line.text == "Choose a language to translate into."
    assert go(shown).disabled
    titles = [(each["title"], each["note"]) for each in shown.controls.columns.options]
    assert titles == [("title", "20 characters on average"), ("body", "18 characters on average")]
    assert list(shown.controls.columns.samples.values()) == ["The house is red.", "Garden 0 is large."]
    assert {"key": "DE", "title": "German", "note": "DE"} in shown.controls.targets.options
    shown.controls.columns.value = ["1"]
    shown.controls.targets.value = ["DE"]
    assert shown.wait(30)
    assert (shown.order.columns, shown.order.targets) == (("body",), ("DE",))
    assert go(shown).description.startswith("Translate 5 rows, ")


def test_the_longest_texts_are_first_and_chosen_and_codes_are_last(panel):
    uuid = "0b2f5d1e-9a57-4c54-8c0e-9d1f5a7b6c3"
    frame = pd.DataFrame(
        {
            "id": [f"{uuid}{number}" for number in range(3)],
            "lang": ["EN", "DE", "EN"],
            "size": ["12", "14", "16"],
            "title": ["A bag", "A red bag", "A blue bag"],
            "review": ["The zip broke after a week, and nobody answers my letters.", None, "Good bag."],
            "n": range(3),
        }
    )
    shown = panel(frame)
    assert [each["title"] for each in shown.controls.columns.options] == ["review", "title", "id", "lang", "size"]
    assert shown.order.columns == ("review",)
    assert shown.controls.columns.options[0]["note"] == "34 characters on average"
    [sample] = [text for text in shown.controls.columns.samples.values() if "zip" in text]
    assert sample == "The zip broke after a week, and nobody …"
    assert panel(frame[["id", "size"]]).order.columns == ()  # which of them nobody can say


def test_the_only_column_of_texts_is_chosen_from_the_start(panel):
    assert panel(pd.DataFrame({"text": ["a b"], "n": [1]})).order.columns == ("text",)


def test_many_changes_in_a_row_are_planned_once(panel, frame, counters):
    shown = panel(frame, "title", "ES")
    seen = []
    shown.layout.figures.observe(lambda change: seen.append(change.new), "figures")
    codes = ["DE", "FR", "IT", "PT-BR", "NL", "PL"]
    for number in range(len(codes)):
        shown.controls.targets.value = codes[: number + 1]
    assert shown.wait(30)
    assert len(seen) <= 2
    assert figures(shown)["Cells"] == "30"  # five rows into six languages


def test_a_budget_says_what_it_leaves_out(panel):
    shown = panel(pd.DataFrame({"text": TEXTS[:100]}), None, "ES")
    shown.controls.budget.value = "1,000"
    assert shown.wait(30)
    plan = shown.plan()
    assert shown.order.options["budget"] == 1000
    assert plan.over_budget > 50
    assert figures(shown)["Over the budget"] == f"{plan.over_budget:,} texts"
    shown.controls.budget.value = ""
    assert shown.wait(30)
    assert shown.plan().over_budget == 0


def test_a_price_is_typed_in_and_a_mistake_is_reported_and_can_be_corrected(panel, frame):
    shown = panel(frame, "title", "ES", price=20)
    assert shown.controls.price.value == "20"
    shown.controls.price.value = "a lot"
    assert shown.line.kind == "error"
    assert "Price: expected the price of a million characters" in shown.line.text
    assert go(shown).disabled
    shown.controls.price.value = "1000000"
    assert shown.wait(30)
    assert shown.line.kind == "info"
    assert figures(shown)["Cost"] == f"{shown.plan().characters:,.2f}"


def test_a_plan_on_its_way_does_not_talk_over_a_slip(panel, frame):
    shown = panel(frame, "title", "ES")
    shown.controls.targets.value = ["FR"]
    shown.controls.budget.value = "much"
    assert shown.wait(30)
    assert shown.line.kind == "error"
    assert go(shown).disabled
    with pytest.raises(ValueError, match="budget: expected a number"):
        shown.plan()
    shown.choose(targets="IT")  # what makes no sense is gone then
    assert shown.controls.budget.value == ""
    assert shown.plan().characters


@pytest.mark.long
def test_options_by_hand_and_by_code_are_the_same(panel, frame):
    by_code = panel(
        frame, "title", "DE", formality="prefer_more", source_lang="EN", context="a shop",
        protect=["placeholders", "Acme"], reporting_tag="spring", model_type="latency_optimized",
    )  # fmt: skip
    by_hand = panel(frame, "title", "DE")
    on = by_hand.controls
    on.formality.value, on.source_lang.value, on.context.value = "prefer_more", "EN", "a shop"
    on.protect.value, on.names.value = ["placeholders"], "Acme"
    on.reporting_tag.value, on.model_type.value = "spring", "latency_optimized"
    assert by_hand.wait(30)
    assert by_hand.order.options == by_code.order.options
    assert (by_code.controls.names.value, by_code.controls.formality.value) == ("Acme", "prefer_more")
    by_code.choose(formality=None, protect=None)
    assert (by_code.controls.formality.value, by_code.controls.protect.value) == ("", [*BY_DEFAULT])


def test_a_column_may_be_the_context(panel, frame):
    whole = panel(frame, "title", "DE", context="a shop").plan()
    shown = panel(frame.assign(shop=[f"shop {number}" for number in range(len(frame))]), "title", "DE")
    shown.controls.context.value = "shop"
    assert shown.wait(30)
    assert shown.plan().contexts > 1 == whole.contexts
    with pytest.raises(TypeError, match="context: expected a text or the name of a column, found list"):
        shown.choose(context=["a shop"])


def test_what_was_given_in_code_and_has_no_name_stays(panel, frame):
    pattern = re.compile("Order")
    shown = panel(frame, "title", "DE", source_lang=["EN"] * 5, protect=[pattern, "tags"], split_sentences="0")
    assert shown.controls.source_lang.value is GIVEN
    shown.controls.price.value = "20"
    assert shown.wait(30)
    options = shown.order.options
    assert options["source_lang"] == ["EN"] * 5
    assert options["protect"] == ["tags", pattern]
    assert options["split_sentences"] == "0"


@pytest.mark.parametrize("off", [False, "none", []])
def test_what_was_switched_off_in_code_stays_off_whatever_else_is_chosen(panel, frame, off):
    shown = panel(frame, "title", "DE", protect=off)
    shown.controls.price.value = "20"
    assert shown.wait(30)
    assert shown.order.options["protect"] == []
    assert shown.controls.names.value == ""
    shown.controls.protect.value = ["tags"]
    assert shown.wait(30)
    assert shown.order.options["protect"] == ["tags"]


def test_a_name_with_a_comma_stays_one_name(panel, frame):
    shown = panel(frame, "title", "DE", protect=["Lee, Ann", "Acme"])
    assert shown.controls.names.value == '"Lee, Ann", Acme'
    shown.controls.price.value = "20"
    assert shown.wait(30)
    assert shown.order.options["protect"] == ["Lee, Ann", "Acme"]


def test_an_option_that_there_is_not_is_refused_at_once(panel, frame):
    with pytest.raises(TypeError, match="there is no option 'colour'"):
        panel(frame).choose(colour="red")


def test_what_the_targets_do_not_support_is_not_offered_or_told(panel, frame):
    shown = panel(frame, "title", "CS")
    assert shown.controls.formality.disabled
    shown.choose(targets=["CS", "DE"], formality="prefer_more")
    assert shown.layout.hints.text == "Formality is ignored for CS, DE."
    shown.choose(formality="more")
    assert shown.layout.hints.text == "Formality is not supported for CS, DE."
    shown.choose(targets=["DE", "Catalan"], formality=None)
    assert shown.layout.hints.text == "Not available on this service: CA."
    with pytest.raises(UnknownLanguage, match="there is no language 'XX'"):
        shown.choose(targets=["DE", "XX"])
    assert shown.order.targets == ("DE", "CA")
    assert shown.choose(source_lang="English").order.options["source_lang"] == "EN"


def test_a_glossary_and_a_style_list_are_chosen_by_name(panel, frame, counters):
    terms = pd.DataFrame({"source_lang": "en", "target_lang": "de", "source": ["house"], "target": ["Heim"]})
    glossary_id = svc_nb.glossaries.push(terms, "Homes").glossary_id
    style = svc_nb.style_rules.Style(name="Formal", language="de")
    svc_nb.style_rules.push(style)
    shown = panel(frame, "title", "DE", glossary="Homes", style="Formal")
    assert shown.order.options["glossary_id"] == glossary_id
    names = [name for name, _ in shown.controls.glossary_id.options]
    assert names == ["None", "Homes"]
    assert shown.controls.style_id.label == "Formal"
    assert shown.plan().undetected == 0
    shown.choose(targets=["DE", "FR"])
    assert "Homes has no terms into FR" in shown.layout.hints.text
    assert "Formal is a style rule list for DE only" in shown.layout.hints.text
    with pytest.raises(svc_nb.errors.NotFound, match="There is no glossary"):
        shown.choose(glossary="Nothing")


def test_a_column_of_languages_can_say_what_the_texts_are_in(panel, frame):
    shown = panel(frame.assign(language=["EN", "EN", None, "FR", "EN"]), "title", "DE")
    shown.controls.source_lang.value = "language"
    assert shown.wait(30)
    assert shown.plan().characters
    assert shown.problem is None


def test_a_service_that_does_not_answer_is_told_in_a_line_and_asked_again(panel, frame, running):
    running.faults.add("status", operation="/v3/languages", status=500)
    shown = panel(frame, "title", "ES")
    assert shown.line.kind == "error"
    assert "(trace " in shown.line.text
    running.faults.clear()
    shown.refresh()
    assert shown.wait(30)
    assert shown.line.kind == "info"
    assert len(shown.controls.targets.options) > 20


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pd.DataFrame({"n": [1, 2]}), "No column of this table holds texts."),
        (pd.DataFrame({"text": ["  ", "https://a.example"]}), "There is nothing to translate in these rows"),
        (pd.DataFrame({"text": pd.Series([], dtype=object)}), "There are no rows to translate."),
    ],
)
def test_where_there_is_nothing_to_translate_it_says_why(panel, table, said):
    shown = panel(table, None, "ES")
    assert shown.line.text.startswith(said)
    assert go(shown).disabled


def test_anything_but_a_table_is_refused():
    with pytest.raises(TypeError, match="expected a DataFrame or a Series of texts, found list"):
        panels.Translate(["a"])


def test_a_column_without_texts_cannot_be_chosen(panel, frame):
    with pytest.raises(ValueError, match="'n' has no text"):
        panel(frame).choose("n")
    with pytest.raises(KeyError, match="there is no column"):
        panel(frame).choose("nothing")


@pytest.mark.long
def test_a_column_that_came_later_is_found(panel, frame):
    shown = panel(frame, "title", "ES")
    frame["late"] = "The late house is red."
    shown.choose("late")
    assert shown.plan().unique == 1
    frame["later"] = "The later house is red."
    shown.layout.buttons["refresh"].click()
    assert shown.wait(30)
    assert "later" in [each["title"] for each in shown.controls.columns.options]
